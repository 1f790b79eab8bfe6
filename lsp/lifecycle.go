package lsp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
)

func (s *Server) initialize(params json.RawMessage) (finisher, error) {
	var p initializeParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, invalid(err)
	}
	s.phase = initialized
	s.client = p
	s.encoding = choose(p.Capabilities.General.PositionEncodings)
	s.folders = workspaceFolders(p)
	s.log.Info("client", "name", p.ClientInfo.Name, "version", p.ClientInfo.Version, "folders", s.folders)
	return done{&protocol.InitializeResult{
		Capabilities: s.capabilities(),
		ServerInfo:   protocol.ServerInfo{Name: "readahead", Version: protocol.NewOptional(s.options.Version)},
	}}, nil
}

// choose takes the encoding that costs least: the bytes that the text is made
// of, if the client can count in them.
func choose(offered []string) encoding {
	switch {
	case slices.Contains(offered, string(protocol.PositionEncodingKindUTF8)):
		return utf8Units
	case len(offered) == 0 || slices.Contains(offered, string(protocol.PositionEncodingKindUTF16)):
		return utf16Units
	case slices.Contains(offered, string(protocol.PositionEncodingKindUTF32)):
		return utf32Units
	}
	return utf16Units
}

func (e encoding) kind() protocol.PositionEncodingKind {
	return [...]protocol.PositionEncodingKind{protocol.PositionEncodingKindUTF16,
		protocol.PositionEncodingKindUTF8, protocol.PositionEncodingKindUTF32}[e]
}

func workspaceFolders(p initializeParams) (folders []string) {
	for _, f := range p.Folders {
		folders = append(folders, fileOf(f.URI))
	}
	switch {
	case p.Folders != nil:
	case p.RootURI != nil:
		folders = append(folders, fileOf(*p.RootURI))
	case p.RootPath != nil && *p.RootPath != "":
		folders = append(folders, *p.RootPath)
	}
	return folders
}

// triggers ask for a completion at once where Helix would wait for a word.
const triggers = " =({,.;["

func (s *Server) capabilities() protocol.ServerCapabilities {
	yes, sync := true, protocol.TextDocumentSyncKindIncremental
	c := protocol.ServerCapabilities{
		PositionEncoding:         s.encoding.kind(),
		TextDocumentSync:         &protocol.TextDocumentSyncOptions{OpenClose: &yes, Change: &sync},
		InlineCompletionProvider: &protocol.InlineCompletionOptions{},
		ExecuteCommandProvider:   protocol.ExecuteCommandOptions{Commands: commands()},
		Workspace: &protocol.WorkspaceOptions{WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
			Supported: &yes, ChangeNotifications: protocol.Boolean(true),
		}},
	}
	// A client that shows inline completions would show the same text a second
	// time in its popup menu.
	if len(s.client.Capabilities.TextDocument.InlineCompletion) == 0 {
		c.CompletionProvider = &protocol.CompletionOptions{TriggerCharacters: strings.Split(triggers, "")}
	}
	return c
}

// initialized begins what needs a client that listens.
func (s *Server) initialized(json.RawMessage) (finisher, error) {
	if s.listening {
		return nil, nil // a client that says so twice
	}
	s.listening = true
	if s.client.ProcessID != nil {
		s.jobs.beside(func(ctx context.Context) { s.watchParent(ctx, *s.client.ProcessID) })
	}
	s.jobs.beside(s.followConfig)
	folders := slices.Clone(s.folders)
	s.jobs.add(func(ctx context.Context) {
		s.register(ctx)
		s.configure(ctx, folders)
		s.changeFolders(ctx, folders, nil)
	})
	return nil, nil
}

// shutdown ends all work but the connection.
func (s *Server) shutdown(json.RawMessage) (finisher, error) {
	s.phase = shutDown
	s.orderly.Store(true)
	s.suggester.end()
	return done{}, nil
}

func (s *Server) exit(json.RawMessage) (finisher, error) {
	if !s.ended.Swap(true) {
		close(s.exited)
	}
	return nil, nil
}
