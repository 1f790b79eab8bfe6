package facts

import (
	"sync"

	"readahead/index/internal/treesitter"
)

// MaxSource is the length in bytes of the longest text that is parsed: its tree
// would take a gigabyte. A longer one has a module object and nothing else.
const MaxSource = 32 << 20

// A spec is what Extract has to know of a language. Adding one is described in
// the package comment.
type spec struct {
	grammar func() *treesitter.Grammar // loaded when first needed
	comment uint16                     // kind of a comment node
	visitor func(*builder) visitor
	mend    func(src []byte) []byte // what to parse in place of a text (see mender); nil for the text
	// unsure is set where mend may go wrong on whole text: it is asked only if the text
	// itself does not parse, or if unsure says of its tree that something is wrong.
	unsure func(x *extractor, tree *treesitter.Tree, src []byte) bool
	pool   sync.Pool // of *extractor
}

// A visitor turns nodes into facts. It is made once for many files and told
// where each begins.
type visitor interface {
	// begin is called when the builder holds a new file, before any visit.
	begin()
	// visit takes note of node i and returns the next node to visit: i+1 to go on
	// inside it, nodes[i].Next to leave its subtree out.
	visit(i uint32) uint32
}

var specs = map[Language]*spec{
	C:          cSpec,
	CSharp:     csharpSpec,
	Cpp:        cppSpec,
	Go:         &goSpec,
	Java:       javaSpec,
	JavaScript: javaScriptSpec,
	Python:     &pythonSpec,
	PHP:        phpSpec,
	Ruby:       rubySpec,
	Rust:       rustSpec,
	TypeScript: typeScriptSpec,
}

// specOf returns how a file is read: a language may have dialects, which the
// file's name tells apart.
func specOf(lang Language, name string) *spec {
	if lang == TypeScript && isTSX(name) {
		return tsxSpec
	}
	return specs[lang]
}

// Extract returns the facts of a text. pkg is the package that the file belongs
// to, as the language names it; name is the file's base name. A text in no known
// language has only its module object. It may be called from many goroutines.
func Extract(lang Language, pkg, name string, src []byte) *File {
	s := specOf(lang, name)
	if s == nil || len(src) > MaxSource {
		return bare(lang, pkg, name, src)
	}
	x := s.extractor()
	if x == nil {
		return bare(lang, pkg, name, src)
	}
	defer s.pool.Put(x)
	tree, err := x.parser.Parse(s.first(src), nil)
	if err == nil && s.isBroken(x, tree, src) {
		tree.Close()
		tree, err = x.parser.Parse(s.mended(src), nil)
	}
	if err != nil {
		return bare(lang, pkg, name, src)
	}
	defer tree.Close()
	return x.best(s, tree, lang, pkg, name, src)
}

// bare returns the facts of a text that is not parsed.
func bare(lang Language, pkg, name string, src []byte) *File {
	return &File{Lang: lang, Package: pkg, Objects: []Object{module(name, src)}}
}

func module(name string, src []byte) Object {
	d := Descriptor{Name: name, Suffix: NamespaceSuffix}
	return Object{Descriptors: d.String(), Name: name, Parent: -1, Span: Span{0, uint32(len(src))}}
}

// An extractor is what one goroutine needs to read file after file.
type extractor struct {
	parser  *treesitter.Parser
	grammar *treesitter.Grammar
	builder *builder
	visitor visitor
}

// extractor takes one out of the pool, or makes it; nil if the grammar does not
// fit the linked runtime, which a test rules out.
func (s *spec) extractor() *extractor {
	if x, ok := s.pool.Get().(*extractor); ok {
		return x
	}
	grammar := s.grammar()
	parser, err := treesitter.NewParser(grammar.Language)
	if err != nil {
		return nil
	}
	b := newBuilder(s.comment)
	return &extractor{parser, grammar, b, s.visitor(b)}
}

// first returns what is to be parsed to begin with in place of a text.
func (s *spec) first(src []byte) []byte {
	if s.unsure != nil {
		return src
	}
	return s.mended(src)
}

// isBroken reports whether the tree of what was parsed to begin with is not worth
// keeping.
func (s *spec) isBroken(x *extractor, tree *treesitter.Tree, src []byte) bool {
	return s.unsure != nil && (tree.HasError() || s.unsure(x, tree, src))
}

// mended returns what is to be parsed in place of a text.
func (s *spec) mended(src []byte) []byte {
	if s.mend == nil {
		return src
	}
	return s.mend(src)
}

func (x *extractor) extract(tree *treesitter.Tree, lang Language, pkg, name string, src []byte) *File {
	b := x.builder
	b.begin(lang, pkg, name, src)
	b.nodes = tree.Flatten(x.grammar, b.nodes)
	b.clip()
	x.visitor.begin()
	b.run(x.visitor)
	return b.finish()
}
