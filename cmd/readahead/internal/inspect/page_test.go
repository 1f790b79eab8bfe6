package inspect

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A parsed page: its elements in order, and its text as a reader gets it.
type parsed struct {
	elements []xml.StartElement
	text     string
	style    string
	script   string
}

// parse reads a page with a strict eye: every element that is opened is closed in
// its place, and no < stands in text. (Void elements are HTML's.)
func parse(t *testing.T, page []byte) (p parsed) {
	t.Helper()
	for _, raw := range []struct {
		tag  string
		into *string
	}{{"style", &p.style}, {"script", &p.script}} {
		m := regexp.MustCompile("(?s)<" + raw.tag + ">(.*?)</" + raw.tag + ">").FindSubmatchIndex(page)
		if m == nil {
			t.Fatalf("no <%s>", raw.tag)
		}
		*raw.into = string(page[m[2]:m[3]])
		page = slices.Concat(page[:m[2]], page[m[3]:])
	}
	d := xml.NewDecoder(bytes.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, []string{"meta"}, xml.HTMLEntity
	var text strings.Builder
	var open []string
	for {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			p.elements = append(p.elements, x.Copy())
			if !slices.Contains([]string{"meta", "br"}, x.Name.Local) {
				open = append(open, x.Name.Local)
			}
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1] != x.Name.Local {
				t.Fatalf("</%s> closes none of %v", x.Name.Local, open)
			}
			open = open[:len(open)-1]
		case xml.CharData:
			text.Write(x)
		}
	}
	if len(open) > 0 {
		t.Errorf("left open: %v", open)
	}
	p.text = text.String()
	return p
}

func (p parsed) attributes(name string) (values []string) {
	for _, e := range p.elements {
		for _, a := range e.Attr {
			if a.Name.Local == name {
				values = append(values, a.Value)
			}
		}
	}
	return values
}

func (p parsed) count(element string) (n int) {
	for _, e := range p.elements {
		if e.Name.Local == element {
			n++
		}
	}
	return n
}

func write(t *testing.T, report string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, []byte(report), "readahead test"); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// full is a report with everything in it, as the commands print it; each % is the
// text that a test wants to see all over the page.
func full(t *testing.T, text string) string {
	t.Helper()
	q, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(`{
"file": %, "line": 2, "column": 3, "items": [{"text": %, "replace": 1}],
"code": {"line": 1, "before": %, "after": %},
"prompts": [
  {"family": "structural", "asked": true, "causal": false, "text": %, "context": "", "left": "", "right": "", "tokens": {"context": 90, "left": 20, "right": 10}},
  {"family": "lexical", "asked": true, "causal": false, "context": %, "left": %, "right": %, "tokens": {"context": 50, "left": 20, "right": 10}}],
"trace": {
  "path": %, "lang": "go", "notice": %,
  "model": {"name": %, "provider": "ollama", "family": %, "remote": %, "scoring": "walk", "context": 4096},
  "window": {"context": 4096, "evidence": 2000, "left": 1000, "right": 256, "answer": 64, "format": 64, "margin": 409},
  "ranking": {"samples": 10, "temperature": 0.8, "top_p": 0.95, "max_tokens": 64, "tau": 0.2, "theta": 0.8, "weight": 0.75},
  "contexts": [
    {"family": "structural", "tokens": 90,
     "objects": [
       {"id": "a", "name": %, "path": %, "line": 7, "rank": 1, "role": "core", "chosen": %, "score": 0.9, "why": %, "demand": 1300, "budget": 70, "tokens": 60, "omitted": 12, "kept": true, "text": %,
        "views": [{"kind": "body", "path": %, "line": 7, "score": 0.9, "why": %, "text": %}]},
       {"id": "b", "name": %, "path": %, "line": 8, "rank": 2, "role": "companion", "chosen": %, "score": 0.5, "why": %, "demand": 30, "budget": 30, "tokens": 30, "text": %}],
     "dropped": [{"id": "c", "name": %, "path": %, "line": 9, "rank": 3, "score": 0.1, "why": %, "reason": %}]},
    {"family": "lexical", "tokens": 50, "objects": [], "dropped": []}],
  "decision": {
    "routed": 1, "route": "alternative", "rule": "blend", "skipped": [%],
    "pools": [
      {"base": 0, "family": "structural", "wanted": 10, "agreement": 0.1, "stopped": %, "samples": [{"text": %, "stopped": true, "usage": {"ms": 5}}],
       "candidates": [{"text": %, "votes": 1, "share": 0.1, "blend": 0}]},
      {"base": 1, "family": "lexical", "wanted": 10, "agreement": 0.4, "samples": [{"text": %, "stopped": false, "usage": {"ms": 5}}],
       "candidates": [
         {"text": %, "votes": 3, "share": 0.3, "blend": 0.93, "cut": true, "reverse": {"logprob": -12.345, "exact": false, "tokens": [{"text": %, "logprob": -9}, {"text": "x", "logprob": null}, {"text": "}", "logprob": -0.01}]}},
         {"text": %, "votes": 4, "share": 0.4, "blend": 0.25, "reverse": {"logprob": -20, "exact": false, "tokens": []}}]}],
    "ms": {"sample": 40, "score": 20, "total": 61}},
  "block": {"text": %, "ended": "closed"},
  "hidden": [{"text": %, "reason": %}],
  "ms": {"prepare": 3, "retrieve": 2, "allocate": 1, "rank": 61, "block": 5, "total": 75}}}`, "%", string(q))
}

// places is how often full's text can be seen: once for each %, but for the
// block's, of which the shown item is the text, and the file's, which is the
// trace's path, absolute.
func places(report, text string) int {
	quoted, _ := json.Marshal(text) // text is a string
	return strings.Count(report, string(quoted)) - 2
}

func TestThePageShowsEveryTextOfTheReport(t *testing.T) {
	report := full(t, "QQQ")
	p := parse(t, write(t, report))
	if got, want := strings.Count(p.text, "QQQ"), places(report, "QQQ"); got < want {
		t.Errorf("the report says it %d times, the page %d times:\n%s", want, got, p.text)
	}
	for _, want := range []string{
		":2:3", "60 of 1\u202f300 tokens, budget 70", "12 lines left out", "held over", "rank 3, score 0.1",
		"−12.35", "0.93", "3 · 30\u00a0%", "approximate", "1 in 8\u202f103", "ruled out", "cut at the token limit",
		"1 sample, agreement 10\u00a0%: below", "the line comes from here", "consulted", "20\u00a0ms",
		"temperature 0.8", "fill in the middle", "ended: closed", "evidence 50", "of at most 2\u202f000",
	} {
		if !strings.Contains(p.text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// hostile are texts that try to leave their place.
var hostile = []string{
	`</script><script>alert(1)</script>`, `</style><style>*{display:none}`, `"><img src=x onerror=alert(1)>`, `' onfocus='alert(1)`,
	`<!-- --> ]]> <![CDATA[ <plaintext>`, `&lt;b&gt; &amp; &#0; &quot;`, `javascript:alert(1)`, `</pre></code></details></title>`,
	"{{.}} ${x} `", "\x1b[31m\x00\x7f\u0085", "a\u202eb\u2066c\u2069 \u200b\u00ad\ufeff\u2028\uffff", "\xff\xfe", "tab\there\nline",
}

func TestNoTextLeavesItsPlace(t *testing.T) {
	shape := func(p parsed) (names []string) {
		for _, e := range p.elements {
			if !slices.Contains([]string{"span"}, e.Name.Local) { // odd characters and lines of code
				names = append(names, e.Name.Local)
			}
		}
		return names
	}
	for _, text := range hostile {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			p := parse(t, write(t, full(t, text)))
			plain := parse(t, write(t, full(t, strings.Repeat("x\n", strings.Count(text, "\n"))+"x")))
			if got, want := shape(p), shape(plain); !slices.Equal(got, want) {
				t.Errorf("the page has other elements than with plain text:\n%q\n%q", got, want)
			}
			if p.style != plain.style || p.script != plain.script {
				t.Error("text of the report reached style or script")
			}
		})
	}
}

func TestNothingIsInvisibleOrOutOfOrder(t *testing.T) {
	p := parse(t, write(t, full(t, strings.Join(hostile, " "))))
	for _, want := range []string{"U+001B", "U+0000", "U+007F", "U+0085", "U+202E", "U+2066", "U+200B", "U+00AD", "U+FEFF", "U+2028", "U+FFFF", "U+FFFD"} {
		if !strings.Contains(p.text, want) {
			t.Errorf("the page does not show %s", want)
		}
	}
	if i := strings.IndexAny(p.text, "\x00\x1b\x7f\u0085\u202e\u2066\u2069\u200b\u00ad\ufeff\u2028\ufffd"); i >= 0 {
		t.Errorf("stands in the text as it is: %q", p.text[i:i+8])
	}
	for _, name := range []string{"title", "aria-label"} {
		for _, v := range p.attributes(name) {
			if strings.ContainsAny(v, "\x00\x1b\u202e\u2066\u200b") {
				t.Errorf("stands in a %s as it is: %q", name, v)
			}
		}
	}
	for _, raw := range []string{"\xff", "a\xe2\x82"} {
		if got := runs(raw); got[len(got)-1].Odd == "" {
			t.Errorf("%q shows itself: %+v", raw, got)
		}
	}
}

func TestThePageAsksForNothingAndAllowsOnlyItself(t *testing.T) {
	p := parse(t, write(t, full(t, "text")))
	want := "default-src 'none'; style-src " + hash(p.style) + "; script-src " + hash(p.script) + "; base-uri 'none'; form-action 'none'"
	if got := html.UnescapeString(p.attributes("content")[0]); got != want {
		t.Errorf("policy %q\nwant   %q", got, want)
	}
	if p.count("script") != 1 || p.count("style") != 1 {
		t.Errorf("%d scripts, %d styles", p.count("script"), p.count("style"))
	}
	for _, e := range p.elements {
		for _, a := range e.Attr {
			switch n := a.Name.Local; {
			case n == "href" && !strings.HasPrefix(a.Value, "#"),
				n == "src", n == "style", n == "srcset", n == "action", strings.HasPrefix(n, "on"):
				t.Errorf("<%s %s=%q>", e.Name.Local, n, a.Value)
			}
		}
	}
	if m := regexp.MustCompile(`url\(|@import|https?:`).FindString(p.style + p.script); m != "" {
		t.Errorf("style or script has %q", m)
	}
}

// There is no text at the cursor to show, so no line of it is numbered.
func TestAPageOfARefusedFileShowsNoLine(t *testing.T) {
	page := write(t, `{"file": "a.go", "line": 3, "column": 1, "code": {"line": 0}, "trace": {"refused": "why", "decision": {"routed": -1}}}`)
	if strings.Contains(string(page), `class="line`) || !strings.Contains(string(page), "No text of the file stands here") {
		t.Errorf("the page has a line of code:\n%s", page)
	}
}

func TestEveryReferenceOnThePageLeadsSomewhere(t *testing.T) {
	p := parse(t, write(t, full(t, "text")))
	leads(t, p)
	if !strings.Contains(p.style, "#s0-0{flex-grow:60}") || !strings.Contains(p.style, "#s0-rest{flex-grow:1910}") {
		t.Error("segments are not as long as their tokens")
	}
}

// leads checks that every id is one element's, and every reference an id.
func leads(t *testing.T, p parsed) {
	t.Helper()
	ids := p.attributes("id")
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			t.Errorf("two elements are %q", id)
		}
	}
	to := append(p.attributes("aria-labelledby"), p.attributes("data-opens")...)
	for _, h := range p.attributes("href") {
		to = append(to, strings.TrimPrefix(h, "#"))
	}
	for _, id := range to {
		if !slices.Contains(ids, id) {
			t.Errorf("nothing is %q", id)
		}
	}
}

func TestAPageForEveryAnswer(t *testing.T) {
	const trace = `"path": "a.go", "model": {"name": "m", "context": 4096}, "window": {"context": 4096, "evidence": 2000}, "ranking": {"theta": 0.8, "weight": 0.75}`
	pool := func(candidates string) string {
		return `"pools": [{"base": 0, "family": "structural", "samples": [{"text": "x"}], "candidates": [` + candidates + `]}]`
	}
	one := `"contexts": [{"family": "structural", "tokens": 0, "objects": [], "dropped": []}]`
	for _, tt := range []struct{ name, report, says string }{
		{"an empty report", `{}`, "No model can answer."},
		{"no trace", `{"file": "a.go", "line": 1, "column": 1, "trace": null}`, "No model can answer."},
		{"refused", `{"trace": {` + trace + `, "refused": "the file is ignored: .gitignore", "decision": {"routed": -1}}}`, "Nothing was tried: the file is ignored: .gitignore."},
		{"no candidate", `{"trace": {` + trace + `, ` + one + `, "decision": {"routed": -1, "pools": []}}}`, "The model proposed no line of code."},
		{"a routed pool that is not there", `{"trace": {` + trace + `, "decision": {"routed": 3}}}`, "The model proposed no line of code."},
		{"a pool without candidates", `{"trace": {` + trace + `, ` + one + `, "decision": {"routed": 0, ` + pool("") + `}}}`, "The model proposed no line of code."},
		{"nothing belongs here", `{"trace": {` + trace + `, ` + one + `, "decision": {"routed": 0, "rule": "agreement", ` + pool(`{"text": "", "votes": 1, "share": 1}`) + `}}}`, "What won is that nothing belongs at the cursor."},
		{"hidden", `{"trace": {` + trace + `, ` + one + `, "hidden": [{"text": "}", "reason": "it stands there already"}], "decision": {"routed": 0, "rule": "agreement", ` + pool(`{"text": "}", "votes": 1}`) + `}}}`, "It is not shown: it stands there already."},
		{"the winner is hidden and another is offered", `{"items": [{"text": "y"}], "trace": {` + trace + `, ` + one + `, "hidden": [{"text": "}", "reason": "it stands there already"}], "decision": {"routed": 0, "rule": "votes", ` + pool(`{"text": "}", "votes": 1}, {"text": "y", "votes": 1}`) + `}}}`, "It is not shown: it stands there already. The best of the others is offered."},
		{"votes alone", `{"items": [{"text": "x"}], "trace": {` + trace + `, ` + one + `, "decision": {"routed": 0, "rule": "votes", "skipped": ["scores: no code after the cursor"], ` + pool(`{"text": "x", "votes": 1, "share": 1}`) + `}}}`, "Votes alone decided."},
		{"a score without a number", `{"items": [{"text": "x"}], "trace": {` + trace + `, ` + one + `, "decision": {"routed": 0, "rule": "blend", ` + pool(`{"text": "x", "votes": 1, "reverse": {"logprob": null}}`) + `}}}`, "graded"},
		{"greedy", `{"items": [{"text": "x"}], "trace": {` + trace + `, ` + one + `, "decision": {"routed": 0, "rule": "greedy", ` + pool(`{"text": "x", "votes": 1}`) + `}}}`, "One greedy answer"},
		{"no contexts at all", `{"trace": {` + trace + `, "decision": {"routed": -1}}}`, "No context was made."},
		{"no evidence", `{"trace": {` + trace + `, ` + one + `, "decision": {"routed": -1}}}`, "Nothing from elsewhere in the repository."},
		{"an item that replaces more than there is", `{"items": [{"text": "x", "replace": 99}], "code": {"line": 1, "before": "a", "after": "b"}}`, "No model"},
		{"an item of several lines", `{"items": [{"text": "if {\n}"}], "code": {"line": 9, "before": "a\nb", "after": "\nc\n"}}`, "Marked text is offered"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := parse(t, write(t, tt.report))
			if !strings.Contains(p.text, tt.says) {
				t.Errorf("the page does not say %q:\n%s", tt.says, p.text)
			}
			leads(t, p)
		})
	}
}

func TestWhatIsNoReportIsAnError(t *testing.T) {
	var b bytes.Buffer
	for _, text := range []string{"", "nonsense", `[]`, `{"line": "x"}`} {
		if err := Write(&b, []byte(text), ""); err == nil || !strings.Contains(err.Error(), "inspect --json") || b.Len() > 0 {
			t.Errorf("%q: error %v, %d bytes written", text, err, b.Len())
		}
	}
}

func TestTheGhostTextStandsInItsPlace(t *testing.T) {
	r := Report{Line: 5, Items: []Item{{Text: "if x {\n\ty()\n}", Replace: 1}}, Code: Code{Line: 4, Before: "a\n\t", After: ")z\nb\n"}}
	var got []string
	for _, l := range r.Lines() {
		got = append(got, fmt.Sprintf("%d %q ‹%s› -%q %q", l.Number, l.Before, l.Ghost, l.Gone, l.After))
	}
	want := []string{`4 "a" ‹› -"" ""`, `5 "\t" ‹if x {› -"" ""`, "0 \"\" ‹\ty()› -\"\" \"\"", `0 "" ‹}› -")" "z"`, `6 "" ‹› -"" "b"`}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func FuzzPage(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := parse(t, write(t, full(t, text)))
		if p.count("script") != 1 || p.count("style") != 1 || p.count("img") != 0 {
			t.Errorf("%q made an element of its own", text)
		}
	})
}
