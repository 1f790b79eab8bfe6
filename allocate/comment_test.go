package allocate

import (
	"testing"

	"readahead/index/facts"
)

func TestCommentSyntax(t *testing.T) {
	for _, tc := range []struct {
		lang facts.Language
		file string
		text string
		want string
	}{
		{facts.Go, "", "x", "// x\n"},
		{facts.Python, "", "x", "# x\n"},
		{"ts", "", "x", "// x\n"},
		{"tsx", "", "x", "// x\n"},
		{"js", "", "x", "// x\n"},
		{"java", "", "x", "// x\n"},
		{"rs", "", "x", "// x\n"},
		{"c", "", "x", "// x\n"},
		{"cpp", "", "x", "// x\n"},
		{"cs", "", "x", "// x\n"},
		{"rb", "", "x", "# x\n"},
		{"php", "", "x", "// x\n"},
		{"", "", "x", "# x\n"},
		{"", "Makefile", "x", "# x\n"},
		{"", "a/b.unheard-of", "x", "# x\n"},
		{"", "q.SQL", "x", "-- x\n"},
		{"", "a.rs", "x", "// x\n"},
		{"", "a.html", "x", "<!-- x -->\n"},
		{"", "a.css", "x", "/* x */\n"},
		{"", "a.ml", "x", "(* x *)\n"},
		// what must not leave the comment
		{facts.Go, "", "a\nb\r\nc\vd\fe\u0085f\u2028g\u2029h", "// a b  c d e f g h\n"},
		{facts.Go, "", "nul\x00 and broken \xff bytes", "// nul  and broken \uFFFD bytes\n"},
		{"c", "", `#define X \`, "// #define X\n"},
		{"php", "", "<?php f() ?>", "// <?php f() ? >\n"},
		{"", "a.css", "a */ b **/", "/* a * / b ** / */\n"},
		{"", "a.html", "a --> b", "<!-- a - -> b -->\n"},
		{"", "a.ml", "a *) b", "(* a * ) b *)\n"},
		{facts.Python, "", `"""`, "# \"\"\"\n"},
	} {
		if got := commentSyntax(tc.lang, tc.file).line(tc.text); got != tc.want {
			t.Errorf("%q as a comment in %q %q is %q, want %q", tc.text, tc.lang, tc.file, got, tc.want)
		}
	}
}
