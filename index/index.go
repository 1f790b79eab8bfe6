package index

import "readahead/index/facts"

// A SymbolID names a code object: "<lang> <package> <descriptors>", for example
// "go example.com/shop/cart Cart#Add().". It stays the same under edits
// elsewhere in the file. One ID may have several sites: in Go, a fifth of all
// IDs recur in a file for another platform or build tag.
type SymbolID string

// An Object is a code object as retrieval and rendering see it: its identity,
// where it stands, and its text in the snapshot that was asked.
type Object struct {
	ID        SymbolID
	Name      string
	Kind      facts.Kind
	Lang      facts.Language
	Path      string // slash-separated, relative to its workspace folder; of the site shown
	Line      int    // 1-based line of the first byte of Source
	EndLine   int    // 1-based line of the last byte of Source
	NameLine  int    // 1-based line of the name
	Signature string // declaration up to the body, as written
	Doc       string // doc comment or docstring, as written
	Source    string // the whole declaration with its doc comment and decorators
	Indent    string // white space before Source on its first line
	Outer     string // header line of the enclosing type as written, with its indentation; "" if there is none
	Calls     int    // how often it is called in the workspace, by name and import where known
	Test      bool
}

// ViewKind says which rendering of an object a View is.
type ViewKind uint8

const (
	Body ViewKind = iota
	Signature
	Doc
	CallSite
	Test
	Window // a fixed-size window of lines found by lexical search
)

func (k ViewKind) String() string {
	names := [...]string{"body", "signature", "doc", "call site", "test", "window"}
	if int(k) < len(names) {
		return names[k]
	}
	return "view"
}

// A Family is one way of retrieving. The two are kept apart, so that the ranker
// can route between them (Caret §III-B).
type Family string

const (
	Structural Family = "structural"
	Lexical    Family = "lexical"
)

// A View is one rendering of a code object that a retriever returned.
type View struct {
	Object *Object // never nil: a window outside all objects belongs to its file's module object
	Kind   ViewKind
	Family Family
	Path   string // where the text of this view stands; a call site may stand in another file than its object
	Line   int    // 1-based first line
	Text   string
	Score  float64 // comparable within one family and query; its range is documented by the retriever
	Parts  []Part  // members of a long type that it may be wanted for, most probable first; of structural bodies only
	Why    string  // one phrase for people: "called at the cursor", "type of receiver c"
}

// A Query asks for evidence at a cursor.
type Query struct {
	Path   string         // absolute path of the document; need not exist on disk
	Lang   facts.Language // "" to go by Path
	Src    []byte         // the whole document as it stands at the cursor
	Offset int            // the cursor, in bytes
	// Visible is the part of Src that the prompt shows anyway: no view of it is
	// returned.
	Visible facts.Span
	// Hidden is a part of Src that retrieval must not read, neither as query nor
	// as evidence. Evaluation hides everything after the cursor.
	Hidden facts.Span
	// MaxViews bounds each family's list; 0 means DefaultMaxViews.
	MaxViews int
}

// DefaultMaxViews is enough for five objects even when one popular object fills
// most of the list.
const DefaultMaxViews = 64

// Evidence is what both families found, each in order of relevance.
type Evidence struct {
	Structural []View
	Lexical    []View
	Terms      []string // identifiers of the query, T(q) of VITAL-RAG eq. 3
	// Within is the innermost object around the cursor, in the last form that
	// could be read: the same from keystroke to keystroke.
	Within SymbolID
}
