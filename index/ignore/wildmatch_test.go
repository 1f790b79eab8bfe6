package ignore

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// slowMatch is the meaning of a glob, by trying everything.
func slowMatch(g glob, text string) bool {
	if len(g) == 0 {
		return text == ""
	}
	switch g[0].kind {
	case literal:
		return text != "" && text[0] == g[0].c && slowMatch(g[1:], text[1:])
	case set:
		return text != "" && g[0].set.has(text[0]) && slowMatch(g[1:], text[1:])
	}
	for n := 0; n <= len(text); n++ {
		if g[0].kind == star && strings.Contains(text[:n], "/") {
			return false
		}
		if g[0].kind == anyDirs && n > 0 && text[n-1] != '/' {
			continue
		}
		if slowMatch(g[1:], text[n:]) {
			return true
		}
	}
	return false
}

func TestMatchEqualsTryingEverything(t *testing.T) {
	var texts []string
	for n, layer := 0, []string{""}; n <= 6; n++ {
		texts = append(texts, layer...)
		var next []string
		for _, s := range layer {
			next = append(next, s+"a", s+"b", s+"/")
		}
		layer = next
	}
	piece := rapid.SampledFrom([]string{"a", "b", "/", "?", "*", "*", "**", "/**", "**/", "/**/", "[ab]", "[!a]", `\a`, "a*"})
	rapid.Check(t, func(t *rapid.T) {
		pattern := strings.Join(rapid.SliceOfN(piece, 0, 7).Draw(t, "pattern"), "")
		g, ok := compile(pattern, rapid.Bool().Draw(t, "path mode"), false)
		if !ok {
			t.Fatalf("%q did not compile", pattern)
		}
		for range 50 {
			text := rapid.SampledFrom(texts).Draw(t, "text")
			if got, want := g.match(text), slowMatch(g, text); got != want {
				t.Fatalf("%q on %q: got %v, want %v", pattern, text, got, want)
			}
		}
	})
}

// A pattern comes with the repository: it must not be able to stop readahead.
func TestHostilePatternsTakePolynomialTime(t *testing.T) {
	text := strings.Repeat("a", 1000) + "/" + strings.Repeat("a", 1000)
	began := time.Now()
	for _, pattern := range []string{
		strings.Repeat("*a", 200) + "b", strings.Repeat("a*", 200) + "b", "/" + strings.Repeat("**/", 200) + "b",
		"x/" + strings.Repeat("?*", 500) + "b", strings.Repeat("**/*a*", 100) + "/b", strings.Repeat("[a]*", 300) + "[!a]",
	} {
		l := parseLines("test", []string{pattern}, 0, false)
		if l.find(text, baseOf(text), false) != nil {
			t.Errorf("%.20q… matched", pattern)
		}
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("took %v", took)
	}
}

// FuzzRules looks for a panic, and for a difference to the slow way, in
// whatever a rule file may hold.
func FuzzRules(f *testing.F) {
	for _, s := range append(genPieces, genNames...) {
		f.Add([]byte(s), "a/b.go", false)
		f.Add([]byte("*"+s+"\n!/"+s+"/"), "a/"+s, true)
	}
	f.Fuzz(func(t *testing.T, data []byte, path string, fold bool) {
		if len(path) > 40 || len(data) > 200 || strings.Count(string(data), "*") > 4 {
			return // trying everything takes time without end
		}
		l := parse("x", data, 0, fold)
		for _, isDir := range []bool{false, true} {
			got := l.find(path, baseOf(path), isDir)
			if want := slowFind(l, path, isDir); got != want {
				t.Fatalf("%q on %q: got %v, want %v", data, path, got, want)
			}
		}
	})
}

// slowFind is find without tables.
func slowFind(l *list, path string, isDir bool) *pattern {
	if l.fold {
		path = lowerASCII(path)
	}
	for i := len(l.patterns) - 1; i >= 0; i-- {
		p := &l.patterns[i]
		text := baseOf(path)
		if p.anchored {
			text = path
		}
		rest, ok := strings.CutPrefix(text, p.prefix)
		switch {
		case p.dirOnly && !isDir:
		case p.suffix && strings.HasSuffix(text, p.prefix), !p.suffix && ok && slowMatch(p.glob, rest):
			return p
		}
	}
	return nil
}

// FuzzConfig looks for a panic or an endless loop in settings of git.
func FuzzConfig(f *testing.F) {
	for _, s := range []string{
		"[core]\n\texcludesFile = ~/x # y\n", "[a \"b\\\"c\"] k = \"v ; w\" ; c\n", "[a]\nk\nk2=\\\n  x\n", "[a.B]k=v", "[", "[a", "[a \"", "k", "k=", "[a]k=\"", "\ufeff[a]\r\nk = v\r\n", "[a]\nk = \\q\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parseConfig(text, func(section, sub, key, value string) {
			if key == "" || len(value) > len(text)+4 {
				t.Errorf("%q: %q = %q", text, key, value)
			}
		})
	})
}

func TestSettingsAreReadAsGitWritesThem(t *testing.T) {
	text := "\ufeff# comment\n[core]\n\tPlain = a b  \n\tquoted = \"a # b \" ; comment\n\tescaped = \"a\\tb\\\"c\\\\\"\n\tlong = a \\\n  b\n\tflag\n" +
		"\tcrlf = x\r\n[Remote \"My Origin\"] url = u ; c\n[old.Style]\nk=v"
	want := []string{"core..plain=a b", "core..quoted=a # b ", "core..escaped=a\tb\"c\\", "core..long=a   b", "core..flag=true", "core..crlf=x", "remote.My Origin.url=u", "old.style.k=v"}
	var got []string
	parseConfig(text, func(section, sub, key, value string) {
		got = append(got, section+"."+sub+"."+key+"="+value)
	})
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
