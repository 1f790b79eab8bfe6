package index

import (
	"fmt"
	"strings"

	"readahead/index/facts"
)

// A Symbol is a SymbolID taken apart.
type Symbol struct {
	Lang        facts.Language // one word: no space in it
	Package     string         // import path or dotted module; spaces are escaped in the ID
	Descriptors string         // SCIP suffix notation; "" for the module object of a file
}

// ID joins the parts. A space in the package is written %20 and a per cent
// sign %25, so that the two separators stay the only spaces before the
// descriptors.
func (s Symbol) ID() SymbolID {
	return SymbolID(string(s.Lang) + " " + escape.Replace(s.Package) + " " + s.Descriptors)
}

var (
	escape   = strings.NewReplacer("%", "%25", " ", "%20")
	unescape = strings.NewReplacer("%25", "%", "%20", " ")
)

// ParseSymbol takes an ID apart; it is the inverse of Symbol.ID.
func ParseSymbol(id SymbolID) (Symbol, error) {
	lang, rest, ok := strings.Cut(string(id), " ")
	if !ok {
		return Symbol{}, fmt.Errorf("index: symbol %q: want <lang> <package> <descriptors>", id)
	}
	pkg, descriptors, ok := strings.Cut(rest, " ")
	if !ok {
		return Symbol{}, fmt.Errorf("index: symbol %q: no space after the package", id)
	}
	return Symbol{facts.Language(lang), unescape.Replace(pkg), descriptors}, nil
}

// ownerOf is the part of descriptors that names the type around a member, with
// its closing #: "Outer#Inner#" of "Outer#Inner#put().", "" of "parse().", and
// "Cart#" of Rust's "impl#[Cart][Display]fmt().".
func ownerOf(descriptors string) string {
	if at := strings.LastIndex(descriptors, "impl#["); at >= 0 {
		if name, _, ok := strings.Cut(descriptors[at+len("impl#["):], "]"); ok {
			return descriptors[:at] + name + "#"
		}
	}
	end := len(strings.TrimRight(descriptors, "#"))
	return descriptors[:strings.LastIndexByte(descriptors[:end], '#')+1]
}
