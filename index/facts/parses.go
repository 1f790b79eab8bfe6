package facts

// Parses reports whether a text has no syntax errors, as far as its grammar
// knows the language; a text that is not parsed has none.
func Parses(lang Language, name string, src []byte) bool {
	s := specOf(lang, name)
	if s == nil || len(src) > MaxSource {
		return true
	}
	x := s.extractor()
	if x == nil {
		return true
	}
	defer s.pool.Put(x)
	tree, err := x.parser.Parse(src, nil)
	if err != nil {
		return true
	}
	defer tree.Close()
	return !tree.HasError()
}
