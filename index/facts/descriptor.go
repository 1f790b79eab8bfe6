package facts

import (
	"fmt"
	"strconv"
	"strings"
)

// A Suffix says what kind of thing one descriptor names. The notation is SCIP's.
type Suffix uint8

const (
	NamespaceSuffix     Suffix = iota // name/
	TypeSuffix                        // name#
	TermSuffix                        // name.
	MethodSuffix                      // name(disambiguator).
	MacroSuffix                       // name!
	MetaSuffix                        // name:
	TypeParameterSuffix               // [name]
	ParameterSuffix                   // (name)
)

// closers are the last characters of the suffixes, in their order.
var closers = [...]string{"/", "#", ".", ").", "!", ":", "]", ")"}

// A Descriptor is one step of a qualified name: Cart# and Add(). in Cart#Add().
type Descriptor struct {
	Name   string
	Suffix Suffix
	// Disambiguator tells methods of one name apart; "" for the first. Only a
	// MethodSuffix has one.
	Disambiguator string
}

// String returns d in SCIP's notation.
func (d Descriptor) String() string { return string(d.append(nil)) }

func (d Descriptor) append(buf []byte) []byte {
	switch d.Suffix {
	case TypeParameterSuffix:
		buf = append(buf, '[')
	case ParameterSuffix:
		buf = append(buf, '(')
	}
	buf = appendName(buf, d.Name)
	if d.Suffix == MethodSuffix {
		buf = append(buf, '(')
		if d.Disambiguator != "" {
			buf = appendName(buf, d.Disambiguator)
		}
	}
	return append(buf, closers[d.Suffix]...)
}

// ordinal tells the nth duplicate of d apart. The sign can't stand in a name of
// any language that is indexed, so it never meets a name as written.
func (d Descriptor) ordinal(n int) Descriptor {
	suffix := "+" + strconv.Itoa(n)
	if d.Suffix == MethodSuffix {
		d.Disambiguator += suffix
	} else {
		d.Name += suffix
	}
	return d
}

// FormatDescriptors returns the qualified name that ds spell.
func FormatDescriptors(ds ...Descriptor) string {
	var buf []byte
	for _, d := range ds {
		buf = d.append(buf)
	}
	return string(buf)
}

// appendName writes a name, in backticks where it is no simple identifier.
func appendName(buf []byte, name string) []byte {
	if isSimple(name) {
		return append(buf, name...)
	}
	buf = append(buf, '`')
	for i := range len(name) {
		if name[i] == '`' {
			buf = append(buf, '`')
		}
		buf = append(buf, name[i])
	}
	return append(buf, '`')
}

func isSimple(name string) bool {
	for i := range len(name) {
		if !simpleByte(name[i]) {
			return false
		}
	}
	return name != ""
}

func simpleByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		c == '_' || c == '+' || c == '-' || c == '$'
}

// ParseDescriptors splits a qualified name into its steps. What it accepts,
// FormatDescriptors gives back as it was, except that needless backticks go.
func ParseDescriptors(s string) ([]Descriptor, error) {
	var ds []Descriptor
	for rest := s; rest != ""; {
		d, after, ok := parseDescriptor(rest)
		if !ok {
			return nil, fmt.Errorf("facts: parse descriptors %q: no descriptor at %q", s, rest)
		}
		ds, rest = append(ds, d), after
	}
	return ds, nil
}

func parseDescriptor(s string) (d Descriptor, rest string, ok bool) {
	switch s[0] {
	case '[':
		return parseBracketed(s[1:], TypeParameterSuffix)
	case '(':
		return parseBracketed(s[1:], ParameterSuffix)
	}
	name, rest, ok := parseName(s)
	if !ok || rest == "" {
		return d, s, false
	}
	d.Name = name
	switch rest[0] {
	case '/':
		d.Suffix = NamespaceSuffix
	case '#':
		d.Suffix = TypeSuffix
	case '.':
		d.Suffix = TermSuffix
	case '!':
		d.Suffix = MacroSuffix
	case ':':
		d.Suffix = MetaSuffix
	case '(':
		return parseMethod(d, rest[1:])
	default:
		return d, s, false
	}
	return d, rest[1:], true
}

// parseMethod parses what follows the opening parenthesis of a method.
func parseMethod(d Descriptor, s string) (Descriptor, string, bool) {
	d.Suffix = MethodSuffix
	if s != "" && s[0] != ')' {
		var ok bool
		if d.Disambiguator, s, ok = parseName(s); !ok {
			return d, s, false
		}
	}
	rest, ok := strings.CutPrefix(s, ").")
	return d, rest, ok
}

// parseBracketed parses what follows the opening bracket of a parameter.
func parseBracketed(s string, suffix Suffix) (Descriptor, string, bool) {
	name, rest, ok := parseName(s)
	if !ok {
		return Descriptor{}, s, false
	}
	rest, ok = strings.CutPrefix(rest, closers[suffix])
	return Descriptor{Name: name, Suffix: suffix}, rest, ok
}

// parseName takes a simple or a backticked identifier off the front of s. An
// empty name is none.
func parseName(s string) (name, rest string, ok bool) {
	if s == "" || s[0] != '`' {
		n := 0
		for n < len(s) && simpleByte(s[n]) {
			n++
		}
		return s[:n], s[n:], n > 0
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		if s[i] != '`' {
			b.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == '`' {
			b.WriteByte('`')
			i++
			continue
		}
		return b.String(), s[i+1:], b.Len() > 0
	}
	return "", s, false
}
