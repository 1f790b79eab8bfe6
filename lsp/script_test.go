package lsp

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the wanted part of the scripts under testdata")

// TestScripts plays the sessions under testdata/script. A script is a text
// archive: its comment is the session, one command a line; the file "want" is
// what the commands print, rewritten by -update; the other files are documents,
// with $0 for the cursor.
//
//	client UNITS [menu]        initialize; units of positions: utf-8, utf-16, utf-32;
//	  [markdown]               menu: without inline completions
//	open FILE [crlf]           open a document; crlf turns its line ends into \r\n
//	model "TEXT"...            what the model says from now on
//	inline [invoked]           ask for inline completions at the cursor
//	inline selected "W" "TEXT" the same while TEXT is selected in the menu for word W
//	inline across "TEXT"       the same while TEXT is selected for the line before, too
//	inline beside "TEXT"       the same while TEXT is selected for a word elsewhere
//	menu                       ask for a completion menu
//	menu facts                 the same, with all that an item says of itself
//	ask LINE CHARACTER         ask both ways at a position as it is, be it in the
//	                           document or not
//	accept [N]                 insert item N (0 is the first) of the last answer
//	type "TEXT"                type at the cursor
//	closer "TEXT"              the editor puts TEXT behind the cursor by itself
//	at LINE CHARACTER          move the cursor (from 0, in bytes)
//	cut FROM TO                delete the lines FROM up to TO
//	text                       print the document, cursor as $0, \r as such
//	asked                      print how often the model was asked since the last time,
//	                           ahead of requests, too
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := &session{t: t, files: map[string]string{}, fake: newFake()}
			want := -1
			for i, f := range archive.Files {
				if f.Name == "want" {
					want = i
				}
				s.files[f.Name] = string(f.Data)
			}
			for n, line := range strings.Split(string(archive.Comment), "\n") {
				if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
					s.line = n + 1
					s.run(words(t, line))
				}
			}
			got := s.out.String()
			if *update {
				if want < 0 {
					archive.Files = append(archive.Files, txtar.File{Name: "want"})
					want = len(archive.Files) - 1
				}
				archive.Files[want].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != s.files["want"] {
				t.Errorf("got\n%s\nwant\n%s", got, s.files["want"])
			}
		})
	}
}

// words splits a line at blanks, quoted words as Go quotes them.
func words(t *testing.T, line string) (out []string) {
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		if q, err := strconv.QuotedPrefix(line); err == nil {
			w, _ := strconv.Unquote(q)
			out, line = append(out, w), line[len(q):]
			continue
		}
		w, rest, _ := strings.Cut(line, " ")
		out, line = append(out, w), rest
	}
	return out
}

// A session is a script being played: an editor with one document in it.
type session struct {
	t      *testing.T
	line   int
	files  map[string]string
	fake   *fake
	client *client
	units  string
	name   string // of the document
	doc    string // its text
	cursor int
	items  []edit
	calls  int
	out    strings.Builder
}

// An edit is an item as the client would apply it: bytes of the document.
type edit struct {
	start, end int
	text       string
}

func (s *session) run(w []string) {
	s.t.Helper()
	switch arg := w[1:]; w[0] {
	case "client":
		s.connect(arg)
	case "open":
		s.open(arg)
	case "model":
		s.fake.say(arg...)
	case "inline":
		s.inline(arg)
	case "menu":
		s.menu(len(arg) > 0 && arg[0] == "facts")
	case "ask":
		s.ask(number(s.t, arg[0]), number(s.t, arg[1]))
	case "accept":
		s.accept(arg)
	case "type":
		s.change(s.cursor, s.cursor, arg[0])
		s.cursor += len(arg[0])
	case "closer":
		s.change(s.cursor, s.cursor, arg[0])
	case "at":
		s.cursor = min(s.lineStart(number(s.t, arg[0]))+number(s.t, arg[1]), len(s.doc))
	case "cut":
		s.change(s.lineStart(number(s.t, arg[0])), s.lineStart(number(s.t, arg[1])), "")
	case "text":
		s.print("%s", strings.ReplaceAll(s.doc[:s.cursor]+"$0"+s.doc[s.cursor:], "\r", `\r`))
	case "asked":
		n := s.flown()
		s.print("asked the model %d times", n-s.calls)
		s.calls = n
	default:
		s.t.Fatalf("line %d: no command %q", s.line, w[0])
	}
}

// flown is how often the server has decided to ask the model: a number that does
// not depend on how far it has come with that.
func (s *session) flown() int {
	var status string
	s.client.mustCall("workspace/executeCommand", `{"command":"readahead.status"}`, &status)
	m := regexp.MustCompile(`(\d+) asked of the model`).FindStringSubmatch(status)
	if m == nil {
		s.t.Fatalf("line %d: no number in %q", s.line, status)
	}
	return number(s.t, m[1])
}

func number(t *testing.T, s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (s *session) print(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.out.WriteString(strings.TrimSuffix(text, "\n") + "\n")
}

func (s *session) connect(arg []string) {
	s.units = arg[0]
	s.client = connect(s.t, s.fake, testOptions())
	inline, completion := `"inlineCompletion":{},`, "{}"
	for _, a := range arg[1:] {
		switch a {
		case "menu":
			inline = ""
		case "markdown":
			completion = `{"completionItem":{"documentationFormat":["markdown"]}}`
		}
	}
	s.client.start(`{"general":{"positionEncodings":["` + s.units + `"]},"textDocument":{` + inline + `"completion":` + completion + `}}`)
}

func (s *session) open(arg []string) {
	s.name = "/home/me/" + arg[0]
	text := s.files[arg[0]]
	if len(arg) > 1 && arg[1] == "crlf" {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	before, after, ok := strings.Cut(text, "$0")
	s.doc, s.cursor = before+after, len(before)
	if !ok {
		s.cursor = 0
	}
	language := map[string]string{".go": "go", ".py": "python", ".ts": "typescript"}[filepath.Ext(arg[0])]
	s.client.open(s.name, language, s.doc)
}

// lineStart is where line n begins; the end of the document if there is none.
func (s *session) lineStart(n int) int {
	at := 0
	for range n {
		i := strings.IndexByte(s.doc[at:], '\n')
		if i < 0 {
			return len(s.doc)
		}
		at += i + 1
	}
	return at
}

// position counts units by definition.
func (s *session) position(at int) map[string]any {
	start := strings.LastIndexByte(s.doc[:at], '\n') + 1
	n := 0
	for _, r := range s.doc[start:at] {
		switch {
		case s.units == "utf-8":
			n += utf8.RuneLen(r)
		case s.units == "utf-16" && r > 0xFFFF:
			n += 2
		default:
			n++
		}
	}
	return map[string]any{"line": strings.Count(s.doc[:at], "\n"), "character": n}
}

// offset is the inverse of position.
func (s *session) offset(p wirePosition) int {
	start := s.lineStart(int(p.Line))
	for at := start; ; {
		if s.position(at)["character"].(int) >= int(p.Character) {
			return at
		}
		_, size := utf8.DecodeRuneInString(s.doc[at:])
		at += size
	}
}

func (s *session) change(start, end int, text string) {
	s.client.notify("textDocument/didChange", object(
		"textDocument", map[string]any{"uri": "file://" + s.name, "version": 2},
		"contentChanges", []any{map[string]any{"text": text,
			"range": map[string]any{"start": s.position(start), "end": s.position(end)}}}))
	s.doc = s.doc[:start] + text + s.doc[end:]
}

func (s *session) at() []any {
	return []any{"textDocument", map[string]any{"uri": "file://" + s.name}, "position", s.position(s.cursor)}
}

func (s *session) inline(arg []string) {
	where := map[string]any{"triggerKind": 2}
	if len(arg) > 0 && arg[0] == "invoked" {
		where["triggerKind"] = 1
	}
	if len(arg) > 2 && arg[0] == "selected" {
		where["selectedCompletionInfo"] = map[string]any{"text": arg[2], "range": map[string]any{
			"start": s.position(s.cursor - len(arg[1])), "end": s.position(s.cursor)}}
	}
	if len(arg) > 1 && (arg[0] == "across" || arg[0] == "beside") {
		start, end := s.lineStart(strings.Count(s.doc[:s.cursor], "\n")-1), s.cursor
		if arg[0] == "beside" {
			start = s.lineStart(strings.Count(s.doc[:s.cursor], "\n"))
			end = start + 1
		}
		where["selectedCompletionInfo"] = map[string]any{"text": arg[1], "range": map[string]any{"start": s.position(start), "end": s.position(end)}}
	}
	var reply inlineReply
	s.client.mustCall("textDocument/inlineCompletion", object(append(s.at(), "context", where)...), &reply)
	s.items = nil
	for _, it := range reply.Items {
		s.items = append(s.items, edit{s.offset(it.Range.Start), s.offset(it.Range.End), it.InsertText})
	}
	s.printItems("inline")
}

type menuReply struct {
	IsIncomplete bool
	Items        []struct {
		Label, FilterText, SortText string
		Kind                        int
		Detail                      string
		Preselect                   bool
		InsertTextFormat            int
		InsertTextMode              int
		Documentation               json.RawMessage
		TextEdit                    struct {
			Range   wireRange
			NewText string
		}
	}
}

func (s *session) menu(facts bool) {
	var reply menuReply
	s.client.mustCall("textDocument/completion", object(s.at()...), &reply)
	s.items = nil
	for _, it := range reply.Items {
		s.items = append(s.items, edit{s.offset(it.TextEdit.Range.Start), s.offset(it.TextEdit.Range.End), it.TextEdit.NewText})
	}
	s.printItems(fmt.Sprintf("menu, incomplete %v", reply.IsIncomplete))
	for _, it := range reply.Items {
		s.print("  label %q filter %q sort %q", it.Label, it.FilterText, it.SortText)
		if facts {
			s.print("  kind %d, detail %q, preselected %v, format %d, mode %d", it.Kind, it.Detail, it.Preselect, it.InsertTextFormat, it.InsertTextMode)
			s.print("  %s", it.Documentation)
		}
	}
}

// ask sends what an editor sends that has not heard of its own deletions yet.
func (s *session) ask(line, character int) {
	at := []any{"textDocument", map[string]any{"uri": "file://" + s.name}, "position", map[string]any{"line": line, "character": character}}
	var inline inlineReply
	s.client.mustCall("textDocument/inlineCompletion", object(append(at, "context", map[string]any{"triggerKind": 1})...), &inline)
	for _, it := range inline.Items {
		s.print("inline: %q at %d:%d to %d:%d", it.InsertText, it.Range.Start.Line, it.Range.Start.Character, it.Range.End.Line, it.Range.End.Character)
	}
	var menu menuReply
	s.client.mustCall("textDocument/completion", object(at...), &menu)
	for _, it := range menu.Items {
		r := it.TextEdit.Range
		s.print("menu: %q at %d:%d to %d:%d", it.TextEdit.NewText, r.Start.Line, r.Start.Character, r.End.Line, r.End.Character)
	}
}

func (s *session) printItems(what string) {
	s.print("%s: %d items", what, len(s.items))
	for _, it := range s.items {
		s.print("  %q in place of %q", it.text, s.doc[it.start:it.end])
	}
}

func (s *session) accept(arg []string) {
	n := 0
	if len(arg) > 0 {
		n = number(s.t, arg[0])
	}
	if n >= len(s.items) {
		s.t.Fatalf("line %d: there is no item %d to accept", s.line, n)
	}
	it := s.items[n]
	text := it.text
	if strings.Contains(s.doc, "\r\n") { // an editor has one kind of line end
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
	}
	s.change(it.start, it.end, text)
	s.cursor = it.start + len(text)
}
