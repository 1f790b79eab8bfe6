package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// section is the client's name for our settings.
const section = "readahead"

// askBack bounds a request to the client: one that never answers holds up
// nothing for long.
const askBack = 5 * time.Second

func (s *Server) call(ctx context.Context, method string, params, result any) error {
	ctx, cancel := context.WithTimeout(ctx, askBack)
	defer cancel()
	return protocol.Call(ctx, s.conn, method, params, result)
}

// notify tells the client something that it does not answer. A connection that
// has ended is noticed by whoever reads from it.
func (s *Server) notify(ctx context.Context, method string, params any) {
	if err := s.conn.Notify(context.WithoutCancel(ctx), method, params); err != nil {
		s.log.Debug("not sent", "method", method, "err", err)
	}
}

// register asks for the notifications that are not sent without asking.
func (s *Server) register(ctx context.Context) {
	var want []protocol.Registration
	w := s.client.Capabilities.Workspace
	if w.WatchedFiles.Dynamic {
		want = append(want, protocol.Registration{ID: "files", Method: protocol.MethodWorkspaceDidChangeWatchedFiles,
			RegisterOptions: protocol.LSPAny(`{"watchers":[{"globPattern":"**/*"}]}`)})
	}
	if w.DidChangeConfiguration.Dynamic {
		want = append(want, protocol.Registration{ID: "configuration", Method: protocol.MethodWorkspaceDidChangeConfiguration,
			RegisterOptions: protocol.LSPAny(`{"section":"` + section + `"}`)})
	}
	if len(want) == 0 {
		return
	}
	if err := s.call(ctx, protocol.MethodClientRegisterCapability, &protocol.RegistrationParams{Registrations: want}, nil); err != nil {
		s.log.Warn("client refused to register", "err", err)
	}
}

func (s *Server) didChangeConfiguration(params json.RawMessage) (finisher, error) {
	var p struct {
		Settings json.RawMessage `json:"settings"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, invalid(err)
	}
	if own := ownSection(p.Settings); own != nil {
		s.sections.Store(&own)
	}
	s.edits++
	s.jobs.add(s.reconfigure)
	return nil, nil
}

// ownSection finds our settings in what a client pushes: under our name, or, in
// clients that send a section alone, the object itself.
func ownSection(settings json.RawMessage) json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal(settings, &object) != nil || object == nil {
		return nil
	}
	if own, ok := object[section]; ok {
		return own
	}
	for _, known := range Settings() {
		if _, ok := object[known.Key]; ok {
			return settings
		}
	}
	return nil
}

// configure reads the files and asks the client, and applies what they say: the
// files first, then initializationOptions, then the client's section. It is a
// job: see queue.
func (s *Server) configure(ctx context.Context, folders []string) {
	if s.client.Capabilities.Workspace.Configuration {
		s.pull(ctx)
	}
	s.configured.Store(&configured{folders, looked(s.options.Files(folders))}) // before they are read
	c, errs := s.options.Load(folders)
	c, more := c.ApplyJSON(s.client.InitializationOptions, Source{Name: "initializationOptions"})
	errs = append(errs, more...)
	if own := s.sections.Load(); own != nil {
		c, more = c.ApplyJSON(*own, Source{Name: "settings of the editor"})
		errs = append(errs, more...)
	}
	s.notice(ctx, ofConfiguration, problem("", errors.Join(errs...)))
	changed := !reflect.DeepEqual(s.config.Load(), &c)
	turn := func() { // what was answered until now went by other rules
		if changed {
			s.epoch.Add(1)
		}
	}
	s.config.Store(&c) // first: switched off is off at once
	turn()
	if !c.Enable {
		s.suggester.rest()
	}
	err := s.indexing(ctx, "Applying the configuration", func(ctx context.Context, report func(Progress)) error {
		return s.completer.Configure(ctx, c, report)
	})
	turn() // again: in between, some went by some of each
	s.notice(ctx, ofIndex, problem("the configuration could not be applied: ", err))
}

// pull asks the client for our section.
func (s *Server) pull(ctx context.Context) {
	name := section
	var got []json.RawMessage
	var raw jsonrpc2.RawMessage
	err := s.call(ctx, protocol.MethodWorkspaceConfiguration,
		&protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: &name}}}, &raw)
	if err == nil {
		err = json.Unmarshal(raw, &got)
	}
	switch {
	case err != nil:
		s.log.Warn("client gave no configuration", "err", err)
	case len(got) > 0 && string(got[0]) != "null":
		s.sections.Store(&got[0])
	}
}

func (s *Server) didChangeFolders(params json.RawMessage) (finisher, error) {
	var p struct {
		Event struct{ Added, Removed []folder } `json:"event"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, invalid(err)
	}
	var added, removed []string
	for _, f := range p.Event.Added {
		added = append(added, fileOf(f.URI))
	}
	for _, f := range p.Event.Removed {
		removed = append(removed, fileOf(f.URI))
	}
	s.folders = slices.DeleteFunc(s.folders, func(f string) bool { return slices.Contains(removed, f) })
	both := slices.Concat(s.folders, removed, added)
	s.folders = append(s.folders, added...)
	folders := slices.Clone(s.folders)
	s.edits++
	// A folder's own file holds from before the folder is read until it has been
	// left, since it says what may not be read.
	s.jobs.add(func(ctx context.Context) {
		if len(added) > 0 {
			s.configure(ctx, both)
		}
		s.changeFolders(ctx, added, removed)
		if len(removed) > 0 {
			s.configure(ctx, folders)
		}
	})
	return nil, nil
}

func (s *Server) changeFolders(ctx context.Context, added, removed []string) {
	if len(added) > 0 {
		s.notice(ctx, ofFolders, TooWide(added))
	}
	err := s.indexing(ctx, "Indexing", func(ctx context.Context, report func(Progress)) error {
		return s.completer.FoldersChanged(ctx, added, removed, report)
	})
	s.notice(ctx, ofIndex, problem("the workspace could not be indexed: ", err))
}

// didChangeWatchedFiles passes on what the editor noticed on disk. The file
// behind an open document says nothing new: the document counts.
func (s *Server) didChangeWatchedFiles(params json.RawMessage) (finisher, error) {
	var p struct {
		Changes []documentName `json:"changes"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, invalid(err)
	}
	paths, settings := make([]string, 0, len(p.Changes)), false
	for _, c := range p.Changes {
		name := fileOf(c.URI)
		if s.documents[name] == nil {
			s.edits++
		}
		paths = append(paths, name)
		settings = settings || filepath.Base(name) == workspaceFile
	}
	if settings {
		s.jobs.add(s.reconfigure)
	}
	if len(paths) > 0 {
		s.jobs.add(func(ctx context.Context) { s.completer.FilesChanged(ctx, paths) })
	}
	return nil, nil
}

const (
	cmdAccepted = "readahead.accepted" // [id]: an item was accepted
	cmdReindex  = "readahead.reindex"
	cmdPause    = "readahead.pause"
	cmdResume   = "readahead.resume"
	cmdStatus   = "readahead.status"  // answers with text for people
	cmdInspect  = "readahead.inspect" // [uri]: see inspect
)

func commands() []string {
	return []string{cmdAccepted, cmdReindex, cmdPause, cmdResume, cmdStatus, cmdInspect}
}

func (s *Server) executeCommand(params json.RawMessage) (finisher, error) {
	var p struct {
		Command   string            `json:"command"`
		Arguments []json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, invalid(err)
	}
	switch p.Command {
	case cmdAccepted:
		s.suggester.accepted()
	case cmdPause:
		s.paused.Store(true)
		s.suggester.rest()
	case cmdResume:
		s.paused.Store(false)
	case cmdStatus:
		return done{protocol.String(s.status())}, nil
	case cmdInspect:
		return s.inspect(p.Arguments)
	case cmdReindex:
		s.edits++
		s.jobs.add(func(ctx context.Context) {
			err := s.indexing(ctx, "Indexing anew", s.completer.Reindex)
			s.notice(ctx, ofIndex, problem("the workspace could not be indexed: ", err))
		})
	default:
		return nil, wrong("command %q is none of %q", clip(p.Command, 80), commands())
	}
	return done{}, nil
}

// status is one paragraph for people.
func (s *Server) status() string {
	state := "on"
	switch {
	case !s.config.Load().Enable:
		state = "switched off (enable = false)"
	case s.paused.Load():
		state = "paused (" + cmdResume + " goes on)"
	}
	c := s.suggester.counted()
	text := fmt.Sprintf("readahead %s is %s. %d requests: %d answered from what was known, %d asked of the model; %d accepted.",
		cmp.Or(s.options.Version, "(development)"), state, c.Asked, c.Remembered, c.Flown, c.Accepted)
	if why := s.suggester.lastSilence(); why != "" {
		text += "\n" + why
	}
	if s.options.Status != nil {
		text += "\n" + s.options.Status()
	}
	return text
}
