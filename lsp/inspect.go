package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"go.lsp.dev/protocol"
)

// An inspection is what the command readahead.inspect answers with: the Report,
// and where the page is.
type inspection struct {
	Page  string `json:"page,omitempty"` // a file for a browser; "" if none is written
	Shown bool   `json:"shown"`          // the client has opened it
	report
}

// inspect answers with all that led to the last answer in a document, or in any
// document if the client names none (Helix passes no arguments); null if nothing
// was answered yet. It is written as a page, too, which the client is asked to
// open if it can.
func (s *Server) inspect(arguments []json.RawMessage) (finisher, error) {
	var uri string
	if len(arguments) > 1 || len(arguments) == 1 && json.Unmarshal(arguments[0], &uri) != nil {
		return nil, wrong("%s wants one argument, the document's URI, or none for the last document", cmdInspect)
	}
	path := ""
	if uri != "" {
		path = fileOf(uri)
	}
	r, ok := s.suggester.report(path)
	if !ok {
		return done{}, nil
	}
	return later(func(ctx context.Context) (any, error) {
		answer := inspection{report: r.form()}
		text, err := json.Marshal(answer.report)
		if err != nil {
			return nil, err
		}
		if s.options.Page != nil {
			if answer.Page, err = s.options.Page(text); err != nil {
				return nil, fmt.Errorf("write the page of an inspection: %w", err)
			}
			answer.Shown = s.show(ctx, answer.Page)
		}
		text, err = json.Marshal(answer)
		return protocol.LSPAny(text), err
	}), nil
}

// show asks the client to open a file outside itself, and reports whether it did.
func (s *Server) show(ctx context.Context, path string) bool {
	if !s.client.Capabilities.Window.ShowDocument.Support {
		return false
	}
	var got struct {
		Success bool `json:"success"`
	}
	err := s.call(ctx, string(protocol.MethodWindowShowDocument), map[string]any{"uri": uriOf(path), "external": true}, &got)
	if err != nil {
		s.log.Debug("client opens no page", "err", err)
	}
	return err == nil && got.Success
}

// uriOf is the URI of a file.
func uriOf(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
