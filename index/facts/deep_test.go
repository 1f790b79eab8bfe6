package facts

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// A nest is valid syntax of its language, at any depth.
var nests = map[Language]struct{ before, open, middle, close, after string }{
	C:          {"void f(void) {\n", "if (a) {", "g();", "}", "\n}\n"},
	Cpp:        {"void f() {\n", "if (a) {", "g();", "}", "\n}\n"},
	CSharp:     {"class A { void F() {\n", "if (a) {", "g();", "}", "\n} }\n"},
	Go:         {"package p\n\nfunc f() {\n", "if a {", "g()", "}", "\n}\n"},
	Java:       {"class A { void f() {\n", "if (a) {", "g();", "}", "\n} }\n"},
	JavaScript: {"function f() {\n", "if (a) {", "g();", "}", "\n}\n"},
	PHP:        {"<?php\nfunction f() {\n", "if ($a) {", "g();", "}", "\n}\n"},
	Python:     {"x = ", "[", "1", "]", "\n"},
	Ruby:       {"def f\n", "if a;", "g;", "end;", "\nend\n"},
	Rust:       {"fn f() {\n", "if a {", "g();", "}", "\n}\n"},
	TypeScript: {"function f() {\n", "if (a) {", "g();", "}", "\n}\n"},
}

// depth is beyond what anybody writes, and below what a stack of C must bear.
const depth = 10_000

// A repository can hold a file that is made to hurt: time, memory and the stack
// are bounded whatever its nesting. Half of it is what an editor has while such a
// file is being written.
func TestDeepNestingIsBoundedInEveryLanguage(t *testing.T) {
	for lang := range specs {
		n, ok := nests[lang]
		if !ok {
			t.Errorf("%s has no nest", lang)
			continue
		}
		deep := n.before + strings.Repeat(n.open, depth) + n.middle
		for name, src := range map[string]string{
			"on one line":  deep + strings.Repeat(n.close, depth) + n.after,
			"line by line": n.before + strings.Repeat(n.open+"\n", depth) + n.middle + strings.Repeat("\n"+n.close, depth) + n.after,
			"never closed": deep,
		} {
			if lang == Python && name == "line by line" {
				src = strings.ReplaceAll(src, "\n", " \n") // inside brackets, line breaks are nothing
			}
			t.Run(string(lang)+" "+name, func(t *testing.T) {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				began := time.Now()
				f := Extract(lang, "p", "a", []byte(src))
				took := time.Since(began)
				runtime.ReadMemStats(&after)
				if msg := invalid(f, []byte(src)); msg != "" {
					t.Error(msg)
				}
				allocated := (after.TotalAlloc - before.TotalAlloc) >> 20
				t.Logf("%v, %d MB", took.Round(time.Millisecond), allocated)
				if took > 30*time.Second || allocated > 1024 {
					t.Errorf("%d bytes took %v and %d MB", len(src), took, allocated)
				}
			})
		}
	}
}
