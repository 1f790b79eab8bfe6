package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// What VS Code shows and saves. It keeps the file's last line as it is, without a
// line end where there was none.
var (
	inRow    = strings.ReplaceAll(forLine, "\t", "    ")
	accepted = strings.TrimSuffix(forBlock, "\n")
)

func TestEditorVSCodeTabAcceptsTheGhostText(t *testing.T) {
	w := openWorkbench(t, counting, forHeader)
	w.insists(", va", "lue := range values {")
	w.sees("ghost |        total += value") // the block that the line opens, below it
	w.keys("Tab")
	w.loses("ghost |")
	w.save(accepted)
	w.keys("Control+z") // takes back what was accepted, and nothing else
	w.save(forHeader + ", va")
}

func TestEditorVSCodeAcceptsByWord(t *testing.T) {
	w := openWorkbench(t, counting, forHeader)
	w.insists(", va", "lue := range values {")
	w.keys("Control+ArrowRight")
	w.sees("ghost | := range values {")
	w.keys("Control+ArrowRight") // to VS Code, what is between words is one of its own
	w.sees("ghost |:= range values {")
	w.save(forHeader + ", value ")
	w.sees("ghost |        total += value")
	w.keys("Tab")
	w.save(accepted)
}

func TestEditorVSCodeTypingThroughShowsTheRestAndAsksNoModel(t *testing.T) {
	w := openWorkbench(t, counting, forHeader)
	w.insists(", va", "lue := range values {")
	asked := w.model.rests()
	for _, r := range "lue := ra" {
		w.write(string(r))
		w.keeps(inRow, 60*time.Millisecond) // typed and ghost make the same line
	}
	w.sees("ghost |nge values {")
	if now := w.model.rests(); now != asked {
		t.Errorf("the model was asked %d times while its suggestion was being typed", now-asked)
	}
	w.sees("ghost |        total += value")
	w.keys("Tab")
	w.save(accepted)
}

func TestEditorVSCodeEscapeAndAKeyBesideRemoveTheGhostText(t *testing.T) {
	w := openWorkbench(t, counting, forHeader)
	w.insists(", va", "lue := range values {")
	w.keys("Escape")
	w.loses("ghost |")
	w.neverSees("ghost |", 700*time.Millisecond)
	w.write("l")
	w.sees("ghost |ue := range values {") // a new text, a new suggestion
	w.write("x")
	w.loses("ghost |")
	w.keys("Tab") // nothing is suggested: the key is itself again
	w.save(forHeader + ", valx\t")
}

func TestEditorVSCodeKeepsTheLineEndsOfAFile(t *testing.T) {
	dos := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	w := openWorkbench(t, counting, dos(forHeader))
	w.insists(", va", "lue := range values {")
	w.sees("ghost |        total += value")
	w.keys("Tab")
	w.save(dos(accepted))
}

func TestEditorVSCodeInsertsBehindCharactersOfAnySize(t *testing.T) {
	const code = "package desk\n\nvar mark, sum = \"😀é𝒳и\", Sum([]int{1, 2, 3})"
	w := openWorkbench(t, code+"\n", "package desk\n\nvar mark, sum = \"😀é𝒳и\", S")
	w.insists("um", "([]int{1, 2, 3})")
	w.keys("Tab")
	w.save(code)
}

func TestEditorVSCodeGhostTextGoesOnFromThePopupMenu(t *testing.T) {
	const (
		before = "package desk\n\nfunc Total(v []int) int\n\nfunc Totals(v []int) []int\n\nvar all = "
		code   = before + "Total(values)"
	)
	w := openWorkbench(t, code+"\n", before)
	w.insists("To", "tal(values)")
	w.keys("Control+Space")
	w.sees("menu  |Totals")
	w.sees("ghost |tal(values)") // what is selected, Total, and what goes on from it
	w.keys("Enter")
	w.loses("menu  |")
	w.sees("ghost |(values)")
	w.keys("Tab")
	w.save(code)
}

func TestEditorVSCodeStartsAServerThatDiedAgain(t *testing.T) {
	w := openWorkbench(t, counting, forHeader)
	w.insists(", va", "lue := range values {")
	w.kill(t)
	w.serving(t)
	w.keys("Escape")
	w.sees("status|(sparkle) ")
	w.insists("l", "ue := range values {")
	w.sees("ghost |        total += value")
	w.keys("Tab")
	w.save(accepted)
}

func TestEditorVSCodeRestartStartsANewServer(t *testing.T) {
	w := openWorkbench(t, counting, forHeader)
	was := w.serving(t)
	w.command("readahead: Restart the Server")
	w.until("another server", func(string) bool { return w.serving(t) != was })
	w.sees("status|(sparkle) ")
	w.insists(", va", "lue := range values {")
}

func TestEditorVSCodeStatusBarNamesTheModelAndSaysPaused(t *testing.T) {
	w := openWorkbench(t, counting, forHeader)
	w.insists(", v", "alue := range values {")
	w.sees("status|(sparkle) qwen2.5-coder:scripted")
	w.command("readahead: Pause or Resume")
	w.sees("status|(debug-pause) readahead")
	w.loses("ghost |")
	w.write("a")
	w.neverSees("ghost |", 700*time.Millisecond)
	w.command("readahead: Pause or Resume")
	w.sees("status|(sparkle) qwen2.5-coder:scripted")
	w.write("l")
	w.sees("ghost |ue := range values {")
}

func TestEditorVSCodeChoosesAModel(t *testing.T) {
	m := script(t, counting)
	w := startWorkbench(t, sit(t, "sum.go", forHeader), m)
	// as a user does who has a model server elsewhere
	w.put(t, w.machineSettings(), fmt.Sprintf(`{"readahead.path": %q, "readahead.endpoint": %q}`, w.server, m.URL))
	w.serving(t)
	w.openFile("sum.go")
	w.keys("Control+End")
	for _, c := range []struct{ pick, offers, setting, bar string }{
		{"Embedded", "qwen2.5-coder:scripted", "embedded", "status|(sparkle) embedded"},
		{"qwen2.5-coder:scripted", "Automatic", "qwen2.5-coder:scripted", "status|(sparkle) qwen2.5-coder:scripted"},
	} {
		w.ask("readahead: Choose Model")
		w.sees("pick  |" + c.offers)
		w.do("write", c.pick)
		w.sees("pick  |" + c.pick)
		w.keys("Enter")
		w.loses("pick  |")
		w.until("the setting", func(string) bool {
			text, err := os.ReadFile(w.machineSettings())
			return err == nil && strings.Contains(string(text), fmt.Sprintf(`"readahead.model": %q`, c.setting))
		})
		back := func() { w.keys("Backspace") }
		w.tries(func() { w.write(",") }, func() bool { return w.shows(c.bar, patience/5) }, back)
		back()
	}
	w.insists(", va", "lue := range values {")
}

func TestEditorVSCodeSaysHowItIsReindexesAndShowsItsLog(t *testing.T) {
	w := openWorkbench(t, "func F() {\n\treturn first(values)\n", "package desk\n\nfunc F() {\n\t\n\treturn first(values)\n}\n")
	w.keys("ArrowUp", "ArrowUp", "ArrowUp", "End")
	says := func(part string) func() bool {
		return func() bool {
			w.command("readahead: Show Status")
			return w.shows(part, patience/5)
		}
	}
	// What the model goes on with stands below already.
	w.tries(func() { w.write("r") }, says("nothing was shown at the last request, in sum.go: of what the model says, it repeats the code after the cursor"),
		func() { w.keys("Backspace") })
	for _, part := range []string{" is on. ", "model: qwen2.5-coder:scripted (ollama)", "index: 2 files, ", "; 0 from the cache, 2 read"} {
		w.sees(part)
	}
	w.command("readahead: Reindex the Workspace")
	w.tries(func() {}, func() bool { // one at least is as it was
		return says("; 2 from the cache")() || says("; 1 from the cache")()
	}, func() {})
	w.command("readahead: Show Log")
	w.sees("output|readahead")
}

func TestEditorVSCodeShowsAlternatives(t *testing.T) {
	const first, second = "\treturn first(values)\n", "\treturn second(values)\n"
	w := openWorkbench(t, first+second, "package desk\n\nfunc F() {\n\treturn")
	w.model.alternate("\treturn ", first, second)
	w.insists(" ", "first(", "second(")
	other := "ghost |first("
	if strings.Contains(w.look(), other) {
		other = "ghost |second("
	}
	w.keys("Alt+BracketRight")
	w.sees(other)
}

// README's picture is the workbench in the small module of testdata/shop.txtar,
// with the embedded model's answer:
//
//	READAHEAD_PICTURE_VSCODE=$PWD/editors/vscode/screen.png go test -run EditorVSCodePicture ./cmd/readahead
func TestEditorVSCodePictureShowsARealAnswer(t *testing.T) {
	d := sit(t, "order/order.go", "", "--model", embeddedName)
	if err := os.RemoveAll(d.dir); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(d.dir, os.DirFS(unpack(t, "shop"))); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(d.file)
	if err != nil {
		t.Fatal(err)
	}
	before, after, _ := strings.Cut(string(text), "c.$0")
	d.put(t, d.file, before+after)
	w := startWorkbench(t, d, nil)
	w.openFile("order.go")
	w.keys("Control+g")
	w.do("write", fmt.Sprint(strings.Count(before, "\n")+1))
	w.keys("Enter", "End")
	w.insists("c.", "Add(cart.Item{Name: name, Count: 1, Each: each}); err != nil {")
	w.sees("status|(sparkle) embedded")
	if path := os.Getenv("READAHEAD_PICTURE_VSCODE"); path != "" {
		w.keys("Control+b") // without the side bar
		w.do("picture", path)
	}
}

func TestEditorVSCodeInspectsTheLastSuggestion(t *testing.T) {
	w := openWorkbench(t, counting, forHeader)
	w.command("readahead: Inspect the Last Suggestion")
	w.sees("notice|readahead: nothing was suggested in this file yet")
	w.insists(", va", "lue := range values {")
	w.command("readahead: Inspect the Last Suggestion")
	w.until("the account of it", func(now string) bool {
		return strings.Contains(now, "tab   |Untitled-1") || strings.Contains(now, "the account of the last suggestion is in ")
	})
}

func TestEditorVSCodeSaysWhatToDoWithoutAServer(t *testing.T) {
	d := sit(t, "sum.go", forHeader)
	d.server = "readahead-that-is-nowhere"
	w := startWorkbench(t, d, nil)
	w.sees("readahead-that-is-nowhere, which is no executable file. Run `go install ./cmd/readahead`")
	w.sees("status|(error) readahead")
}
