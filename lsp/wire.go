package lsp

import (
	"encoding/json"
	"math"
	"strconv"

	"go.lsp.dev/protocol"
)

// What clients send is decoded into types of our own, answers are made of the
// protocol's. The protocol's decoder is strict where clients are not: a version
// of null fails the message, and a change whose range does not fit 32 bits is
// taken for one without a range, so that its few characters replace the whole
// document.

// A count is a line or character number: negative ones are 0, and those beyond
// 32 bits are clamped, since no document has them.
type count int64

func (c *count) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil && !math.IsInf(f, 0) {
		return err
	}
	*c = count(max(0, min(f, math.MaxUint32)))
	return nil
}

type wirePosition struct {
	Line      count `json:"line"`
	Character count `json:"character"`
}

func (p wirePosition) position() position {
	return position{Line: int64(p.Line), Character: int64(p.Character)}
}

type wireRange struct {
	Start wirePosition `json:"start"`
	End   wirePosition `json:"end"`
}

type documentName struct {
	URI string `json:"uri"`
}

type didOpenParams struct {
	TextDocument struct {
		URI        string `json:"uri"`
		LanguageID string `json:"languageId"`
		Text       string `json:"text"`
	} `json:"textDocument"`
}

type didChangeParams struct {
	TextDocument documentName `json:"textDocument"`
	Changes      []struct {
		Range *wireRange `json:"range"` // nil: text is the whole document
		Text  string     `json:"text"`
	} `json:"contentChanges"`
}

type documentParams struct {
	TextDocument documentName `json:"textDocument"`
}

type cursorParams struct {
	TextDocument documentName `json:"textDocument"`
	Position     wirePosition `json:"position"`
	Context      struct {
		TriggerKind int       `json:"triggerKind"`
		Selected    *selected `json:"selectedCompletionInfo"`
	} `json:"context"`
}

// selected is what the popup menu would insert if it were accepted now.
type selected struct {
	Range wireRange `json:"range"`
	Text  string    `json:"text"`
}

type folder struct {
	URI string `json:"uri"`
}

type initializeParams struct {
	ProcessID             *int            `json:"processId"`
	RootURI               *string         `json:"rootUri"`
	RootPath              *string         `json:"rootPath"`
	Folders               []folder        `json:"workspaceFolders"`
	InitializationOptions json.RawMessage `json:"initializationOptions"`
	ClientInfo            struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"clientInfo"`
	Capabilities capabilities `json:"capabilities"`
}

// capabilities are those of the client that make a difference here.
type capabilities struct {
	General struct {
		PositionEncodings []string `json:"positionEncodings"`
	} `json:"general"`
	TextDocument struct {
		InlineCompletion json.RawMessage `json:"inlineCompletion"`
		Completion       struct {
			CompletionItem struct {
				DocumentationFormat []string `json:"documentationFormat"`
			} `json:"completionItem"`
		} `json:"completion"`
	} `json:"textDocument"`
	Window struct {
		WorkDoneProgress bool `json:"workDoneProgress"`
		ShowDocument     struct {
			Support bool `json:"support"`
		} `json:"showDocument"`
	} `json:"window"`
	Workspace struct {
		Configuration bool `json:"configuration"`
		WatchedFiles  struct {
			Dynamic bool `json:"dynamicRegistration"`
		} `json:"didChangeWatchedFiles"`
		DidChangeConfiguration struct {
			Dynamic bool `json:"dynamicRegistration"`
		} `json:"didChangeConfiguration"`
	} `json:"workspace"`
}

func (p position) wire() protocol.Position {
	return protocol.Position{Line: uint32(p.Line), Character: uint32(p.Character)}
}
