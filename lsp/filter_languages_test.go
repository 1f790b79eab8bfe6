package lsp

import (
	"strings"
	"testing"

	"readahead/index/facts"
)

// A dialect is what the filters are tried with in one language. The line is one
// that calls, the comment one that looks like code in another language.
type dialect struct {
	lang           facts.Language
	line, other    string // two statements
	call, argument string // of the line: what stands before the argument, and it
	comment        string
	opens, inside  string // a block's first line, and a line in it
	closes         string // "" where indentation does
	indent         string
}

var dialects = []dialect{
	{facts.Go, "save(order)", "load(order)", "save(", "order", "// save(order", "if ok {", "return nil", "}", "\t"},
	{facts.Python, "save(order)", "load(order)", "save(", "order", "# save(order", "if ok:", "return None", "", "    "},
	{facts.TypeScript, "save(order);", "load(order);", "save(", "order", "/* save(order */", "if (ok) {", "return null;", "}", "  "},
	{facts.JavaScript, "save(order);", "load(order);", "save(", "order", "// it's save(order", "if (ok) {", "return null;", "}", "  "},
	{facts.Java, "save(order);", "load(order);", "save(", "order", "// save(order", "if (ok) {", "return null;", "}", "    "},
	{facts.Rust, "save(&'a order);", "load(order);", "save(", "order", "// save(order", "if ok {", "return None;", "}", "    "},
	{facts.C, "save(order);", "load(order);", "save(", "order", "/* save(order */", "if (ok) {", "return 0;", "}", "    "},
	{facts.Cpp, "std::save(order);", "load(order);", "save(", "order", "// save(order", "if (ok) {", "return 0;", "}", "    "},
	{facts.CSharp, "Save(@\"c:\\\");", "Load(order);", "Save(", "order", "// Save(order", "if (ok) {", "return null;", "}", "    "},
	{facts.Ruby, "save(order)", "load(order)", "save(", "order", "# save(order", "if ok", "return nil", "end", "  "},
	{facts.PHP, "save($order);", "load($order);", "save(", "$order", "# save($order", "if ($ok) {", "return null;", "}", "    "},
}

// Every filter in every language. What is a matter of one language's syntax alone
// is in TestShow.
func TestFiltersInEveryLanguage(t *testing.T) {
	for _, d := range dialects {
		end := ""
		if d.closes != "" {
			end = d.closes + "\n"
		}
		in := d.opens + "\n" + d.indent
		whole := strings.TrimSuffix(d.opens+"\n"+d.indent+d.inside+"\n"+d.closes, "\n")
		for _, c := range []struct{ name, doc, raw, want string }{
			{"a line is shown as it is", "|\n", d.line, d.line + "|\n"},
			{"and indented as its place is", in + "|\n" + end, d.line, in + d.line + "|\n" + end},
			{"the editor's closer is not doubled", d.call + "|)\n", d.argument + ")", d.call + d.argument + "|)\n"},
			{"a rest that is there already is not repeated", d.call + "|" + d.argument + ")\n", d.argument + ")", "none: " + repeatsBelow},
			{"the line below is not offered again", in + "|\n" + d.indent + d.line + "\n" + end, d.line, "none: " + repeatsBelow},
			{"text that runs into the lines below ends before them",
				in + "|\n" + d.indent + d.other + "\n" + end, d.line + "\n" + d.indent + d.other, in + d.line + "|\n" + d.indent + d.other + "\n" + end},
			{"the line above is not offered again",
				in + d.line + "\n" + d.indent + d.line + "\n" + d.indent + "|\n" + end, d.line, "none: " + repeatsAbove},
			{"a model that runs in circles is stopped", "|\n", d.line + "\n" + d.line + "\n" + d.line + "\n" + d.line, d.line + "|\n"},
			{"indentation that the line has is not doubled", in + "|\n" + end, d.indent + d.line, in + d.line + "|\n" + end},
			{"a control token ends the text", "|\n", d.line + "<|endoftext|>" + d.other, d.line + "|\n"},
			{"a fence is not code", "|\n", "```\n" + d.line + "\n```", d.line + "|\n"},
			{"white space is nothing", in + "|\n" + end, d.indent + "\n", "none: " + blankReason},
			{"a comment is code, whatever brackets it has", in + "|\n" + end, d.comment, in + d.comment + "|\n" + end},
			{"a block comes whole", "|\n", whole, whole + "|\n"},
			{"and is not closed twice", in + "|\n" + end, d.inside + "\n" + d.closes, in + d.inside + "|\n" + end},
			{"brackets that do not match are not shown", "|\n", d.call + d.argument + "])", "none: " + wrongBracket},
			{"a call that is left open before another statement is not shown",
				in + "|\n" + d.indent + d.other + "\n" + end, d.call, "none: " + openList},
			{"nor with arguments that go on nowhere",
				in + "|\n" + d.indent + d.other + "\n" + end, d.call + d.argument + ",", "none: " + openList},
			{"nor one that stops in the middle, whatever follows", in + "|\n" + end, d.call + d.argument, "none: " + openList},
			{"a call may be left open where its arguments follow",
				in + "|\n" + d.indent + d.indent + d.argument + ",\n" + d.indent + ")\n" + end, d.call,
				in + d.call + "|\n" + d.indent + d.indent + d.argument + ",\n" + d.indent + ")\n" + end},
			{"or where its end does", in + "|\n" + d.indent + ")\n" + end, d.call + d.argument, in + d.call + d.argument + "|\n" + d.indent + ")\n" + end},
			{"or where nothing stands yet", in + "|\n" + end, d.call, in + d.call + "|\n" + end},
			{"or nothing in this paragraph", in + "|\n\n" + d.indent + d.other + "\n" + end, d.call + d.argument + ",",
				in + d.call + d.argument + ",|\n\n" + d.indent + d.other + "\n" + end},
			{"what was open before is not the text's to close",
				in + d.call + "|\n" + d.indent + d.other + "\n" + end, d.argument, in + d.call + d.argument + "|\n" + d.indent + d.other + "\n" + end},
		} {
			if d.closes == "" && c.name == "and is not closed twice" {
				continue // nothing closes a block
			}
			t.Run(string(d.lang)+": "+c.name, func(t *testing.T) {
				if got := shown(t, d.lang, c.doc, c.raw); got != c.want {
					t.Errorf("%q with %q\ngot  %q\nwant %q", c.doc, c.raw, got, c.want)
				}
			})
		}
	}
}
