package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"go.lsp.dev/protocol"
)

// progressEvery keeps a fast indexer from flooding the client.
const progressEvery = 100 * time.Millisecond

// indexing runs work and shows the client how far it is, if it wants to know.
// Work that is done before it reports anything shows nothing. A panic is an
// error.
func (s *Server) indexing(ctx context.Context, title string, work func(context.Context, func(Progress)) error) (err error) {
	defer recovered(s.log, title, &err)
	report := func(Progress) {}
	if s.client.Capabilities.Window.WorkDoneProgress {
		p := &progress{server: s, title: title}
		defer p.end(ctx)
		report = func(now Progress) { p.report(ctx, now) }
	}
	err = work(ctx, report)
	if ctx.Err() != nil {
		return nil // the server ends: nothing to tell anyone
	}
	return err
}

// A progress is one bar in the client.
type progress struct {
	server *Server
	title  string
	token  protocol.ProgressToken // nil before the first report
	failed bool                   // the client did not want the bar
	last   time.Time
}

func (p *progress) report(ctx context.Context, now Progress) {
	if p.failed || time.Since(p.last) < progressEvery {
		return
	}
	p.last = time.Now()
	if p.token == nil && !p.begin(ctx) {
		return
	}
	what := OneLine(now.What)
	r := map[string]any{"kind": "report", "message": what}
	if now.Total > 0 {
		r["message"] = fmt.Sprintf("%s %d/%d", what, now.Done, now.Total)
		r["percentage"] = min(100, 100*now.Done/now.Total)
	}
	p.send(ctx, r)
}

func (p *progress) begin(ctx context.Context) bool {
	token := protocol.String(fmt.Sprintf("readahead-%d", p.server.tokens.Add(1)))
	err := p.server.call(ctx, protocol.MethodWindowWorkDoneProgressCreate, &protocol.WorkDoneProgressCreateParams{Token: token}, nil)
	if err != nil {
		p.failed = true
		p.server.log.Debug("client shows no progress", "err", err)
		return false
	}
	p.token = token
	p.send(ctx, map[string]any{"kind": "begin", "title": p.title})
	return true
}

func (p *progress) end(ctx context.Context) {
	if p.token != nil {
		p.send(ctx, map[string]any{"kind": "end"})
	}
}

func (p *progress) send(ctx context.Context, value map[string]any) {
	raw, err := json.Marshal(value)
	if err != nil {
		return
	}
	p.server.notify(ctx, protocol.MethodProgress, &protocol.ProgressParams{Token: p.token, Value: raw})
}
