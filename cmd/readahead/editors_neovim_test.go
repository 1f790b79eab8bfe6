package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// counting is the code that the scripted model knows in most of these tests, and
// header, up to where the cursor starts, is what is written of it.
const (
	counting = `package desk

func Sum(values []int) int {
	total := 0
	for _, value := range values {
		total += value
	}
	return total
}
`
	forLine   = "\tfor _, value := range values {"
	forHeader = "package desk\n\nfunc Sum(values []int) int {\n\ttotal := 0\n\tfor _"
	forBlock  = "package desk\n\nfunc Sum(values []int) int {\n\ttotal := 0\n" + forLine + "\n\t\ttotal += value\n\t}\n"
)

// onRow is forLine as the screen has it.
var onRow = strings.ReplaceAll(forLine, "\t", "        ")

// An nvim is Neovim at a desk, in insert mode behind the last character.
type nvim struct {
	*tty
	*desk
	model *scripted
}

// neovim is one version that the plugin is for.
type neovim struct {
	version  string
	variable string // of the environment: how to start it
}

var neovims = []neovim{{"0.12", "READAHEAD_NVIM"}, {"0.10", "READAHEAD_NVIM_OLD"}}

// inNeovims runs a test in every version.
func inNeovims(t *testing.T, test func(t *testing.T, v neovim)) {
	for _, v := range neovims {
		t.Run(v.version, func(t *testing.T) { test(t, v) })
	}
}

// open starts Neovim with the plugin, as its README says, in a file. The model
// knows the code.
func (v neovim) open(t *testing.T, knows, content string, lua ...string) *nvim {
	t.Helper()
	command := editorCommand(t, v.variable)
	m := script(t, knows)
	d := sit(t, "sum.go", content, withModel(m)...)
	return startNeovim(t, command, d, m, slices.Concat(plugin(t), lua)...)
}

const neovimReadme = "../../editors/neovim/README.md"

// plugin is what README tells a user to put into init.lua.
func plugin(t *testing.T) []string {
	t.Helper()
	here, err := filepath.Abs(filepath.Dir(neovimReadme))
	if err != nil {
		t.Fatal(err)
	}
	lua := fenced(t, neovimReadme, "## Three steps", "lua")
	const clone = `"~/src/readahead/editors/neovim"`
	if !strings.Contains(lua, clone) {
		t.Fatalf("README's step does not name the clone as %s:\n%s", clone, lua)
	}
	return []string{strings.ReplaceAll(lua, clone, `"`+here+`"`)}
}

func startNeovim(t *testing.T, command string, d *desk, m *scripted, lua ...string) *nvim {
	t.Helper()
	init := filepath.Join(filepath.Dir(d.dir), "init.lua")
	d.put(t, init, strings.Join(lua, "\n")+"\n")
	n := &nvim{onScreen(t, d.dir, d.env, command+" -n -u "+init+" "+d.file), d, m}
	n.sees(filepath.Base(d.file))
	d.serving(t)
	n.keys("G", "A")
	n.sees("INSERT")
	return n
}

// save leaves insert mode and writes the file, which must then be this.
func (n *nvim) save(want string) {
	n.tty.t.Helper()
	n.keys("Escape")
	n.command("w")
	n.saved(n.tty.t, want)
}

func (n *nvim) command(line string) {
	n.tty.t.Helper()
	n.paste(":" + line)
	n.keys("Enter")
}

func TestEditorNeovimTabAcceptsTheGhostText(t *testing.T) {
	inNeovims(t, func(t *testing.T, v neovim) {
		n := v.open(t, counting, forHeader)
		n.write(", va")
		n.sees(onRow)
		n.sees("total += value") // the block that the line opens, below it
		n.keys("Tab")
		n.save(forBlock)
	})
}

func TestEditorNeovimUndoTakesBackWhatWasAcceptedAndNothingElse(t *testing.T) {
	inNeovims(t, func(t *testing.T, v neovim) {
		n := v.open(t, counting, forHeader)
		n.write(", va")
		n.sees("total += value") // its block comes a moment later
		n.keys("Tab", "Escape", "u")
		n.save(forHeader + ", va\n")
	})
}

func TestEditorNeovimAcceptsByWordAndByLine(t *testing.T) {
	inNeovims(t, func(t *testing.T, v neovim) {
		n := v.open(t, counting, forHeader)
		n.write(", va")
		n.sees(onRow)
		n.keys("M-Right", "M-Right") // "lue", " :="
		n.keeps(onRow, 300*time.Millisecond)
		n.save(forHeader + ", value :=\n")

		n.keys("A")
		n.sees("total += value") // the line comes first, and its block a moment later
		n.keys("C-M-Right")
		n.sees("total += value")
		n.save(strings.TrimSuffix(forBlock, "\n\t\ttotal += value\n\t}\n") + "\n")
	})
}

func TestEditorNeovimTypingThroughShowsTheRestAndAsksNoModel(t *testing.T) {
	inNeovims(t, func(t *testing.T, v neovim) {
		n := v.open(t, counting, forHeader)
		n.write(", va")
		n.sees(onRow)
		asked := n.model.rests()
		for _, r := range "lue := ra" {
			n.paste(string(r))
			n.keeps(onRow, 60*time.Millisecond) // typed and ghost make the same line
		}
		if now := n.model.rests(); now != asked {
			t.Errorf("the model was asked %d times while its suggestion was being typed", now-asked)
		}
		n.sees("total += value") // its block comes a moment later
		n.keys("Tab")
		n.save(forBlock)
	})
}

func TestEditorNeovimAKeyBesideTheGhostTextRemovesIt(t *testing.T) {
	inNeovims(t, func(t *testing.T, v neovim) {
		n := v.open(t, counting, forHeader)
		n.write(", va")
		n.sees(onRow)
		n.write("x")
		n.loses("range values")
		n.keys("Tab") // nothing is suggested: the key is itself again
		n.save(forHeader + ", vax\t\n")
	})
}

func TestEditorNeovimDismissedGhostTextStaysAway(t *testing.T) {
	inNeovims(t, func(t *testing.T, v neovim) {
		n := v.open(t, counting, forHeader)
		n.write(", va")
		n.sees(onRow)
		n.keys("C-]")
		n.loses("range values")
		n.neverSees("range values", 700*time.Millisecond)
		n.write("l")
		n.sees(onRow) // a new text, a new suggestion
		n.keys("Escape")
		n.loses("range values")
		n.save(forHeader + ", val\n")
	})
}

func TestEditorNeovimKeepsTheLineEndsOfAFile(t *testing.T) {
	dos := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	inNeovims(t, func(t *testing.T, v neovim) {
		n := v.open(t, counting, dos(forHeader))
		n.write(", va")
		n.sees(onRow)
		n.sees("total += value") // its block comes a moment later
		n.keys("Tab")
		n.save(dos(forBlock))
	})
}

func TestEditorNeovimInsertsBehindCharactersOfAnySize(t *testing.T) {
	const code = "package desk\n\nvar mark, sum = \"😀é𝒳и\", Sum([]int{1, 2, 3})\n"
	inNeovims(t, func(t *testing.T, v neovim) {
		n := v.open(t, code, "package desk\n\nvar mark, sum = \"😀é𝒳и\", S")
		n.write("um")
		n.sees(", Sum([]int{1, 2, 3})")
		n.keys("M-Right")
		n.keys("Tab")
		n.save(code)
	})
}

func TestEditorNeovimLeavesNoBracketTwice(t *testing.T) {
	const code = "package desk\n\nvar sum = Sum([]int{1, 2, 3})\n"
	inNeovims(t, func(t *testing.T, v neovim) {
		n := v.open(t, code, "package desk\n\nvar sum = ")
		n.write("Sum(")
		n.sees("Sum([]int{1, 2, 3})")
		n.write(")")
		n.keys("Left")
		n.write("[]")
		n.sees("Sum([]int{1, 2, 3})")
		n.neverSees("3}))", 300*time.Millisecond)
		n.keys("Tab")
		n.save(code)
	})
}

func TestEditorNeovimGhostTextGoesOnFromThePopupMenu(t *testing.T) {
	const (
		before = "package desk\n\nfunc Total(v []int) int\n\nfunc Totals(v []int) []int\n\nvar all = "
		code   = before + "Total(values)\n"
	)
	for _, menu := range []string{"menu", "menuone,noinsert", "menuone,noselect"} {
		t.Run(menu, func(t *testing.T) {
			inNeovims(t, func(t *testing.T, v neovim) {
				n := v.open(t, code, before, "vim.opt.completeopt = '"+menu+"'")
				n.write("To")
				n.sees("var all = Total(values)")
				n.keys("C-n")
				n.sees("     Totals") // the menu's second row
				n.sees("var all = Total(values)")
				n.keys("Tab")
				n.loses("     Totals")
				n.save(code)
			})
		})
	}
}

func TestEditorNeovimStartsAServerThatDiedAgain(t *testing.T) {
	inNeovims(t, func(t *testing.T, v neovim) {
		n := v.open(t, counting, forHeader)
		n.write(", va")
		n.sees(onRow)
		n.kill(t)
		n.sees("quit with exit code") // Neovim itself says so, and where its log is
		if strings.Contains(n.text(), "Press ENTER") {
			n.keys("Enter")
		}
		n.loses("range values")
		n.serving(t)
		n.write("l")
		n.sees(onRow)
		n.sees("total += value") // its block comes a moment later
		n.keys("Tab")
		n.save(forBlock)
	})
}

func TestEditorNeovimRestartStartsANewServer(t *testing.T) {
	inNeovims(t, func(t *testing.T, v neovim) {
		n := v.open(t, counting, forHeader)
		was := n.serving(t)
		n.keys("Escape")
		n.command("Readahead restart")
		n.until("another server", func(string) bool { return n.serving(t) != was })
		n.keys("A")
		n.write(", va")
		n.sees(onRow)
	})
}

func TestEditorNeovimPausesAndSaysSo(t *testing.T) {
	inNeovims(t, func(t *testing.T, v neovim) {
		n := v.open(t, counting, forHeader, `vim.opt.statusline = "%f %{v:lua.require'readahead'.status()}"`)
		n.write(", v")
		n.sees(onRow)
		n.keys("Escape")
		n.command("Readahead pause")
		n.sees("readahead paused")
		n.keys("A")
		n.write("a")
		n.neverSees("range values", 700*time.Millisecond)
		n.keys("Escape")
		n.command("Readahead resume")
		n.loses("readahead paused")
		n.keys("A")
		n.write("l")
		n.sees(onRow)
	})
}

func TestEditorNeovimShowsAlternatives(t *testing.T) {
	const first, second = "\treturn first(values)\n", "\treturn second(values)\n"
	inNeovims(t, func(t *testing.T, v neovim) {
		n := v.open(t, first+second, "package desk\n\nfunc F() {\n\treturn")
		n.model.alternate("\treturn ", first, second)
		n.write(" ")
		n.until("a suggestion", func(now string) bool {
			return strings.Contains(now, "return first(") || strings.Contains(now, "return second(")
		})
		n.keys("M-]")
		n.sees("/2)")
		was := n.text()
		n.keys("M-]")
		n.until("the other suggestion", func(now string) bool { return now != was && strings.Contains(now, "/2)") })
	})
}

func TestEditorNeovimInspectOpensAPageAndSaysWhereItIs(t *testing.T) {
	inNeovims(t, func(t *testing.T, v neovim) {
		n := v.open(t, counting, forHeader, `vim.ui.open = function(uri) vim.fn.writefile({ uri }, "opened") return { wait = function() return { code = 0 } end } end`)
		n.write(",")
		n.sees(onRow)
		n.keys("Escape")
		n.command("Readahead inspect")
		n.sees("/inspect-")
		uri := ""
		n.until("a page is opened", func(string) bool {
			text, _ := os.ReadFile(filepath.Join(n.dir, "opened")) // not there yet
			uri = strings.TrimSpace(string(text))
			return strings.HasSuffix(uri, ".html")
		})
		if text := pageText(t, strings.TrimPrefix(uri, "file://")); !strings.Contains(text, "value := range values {") {
			t.Errorf("%s does not show what was suggested:\n%s", uri, text)
		}
	})
}

func TestEditorNeovimHealthIsGood(t *testing.T) {
	inNeovims(t, func(t *testing.T, v neovim) {
		n := v.open(t, counting, forHeader)
		n.write(", va")
		n.sees(onRow)
		n.keys("Escape")
		n.command("checkhealth readahead")
		n.sees("OK Neovim " + v.version)
		n.sees("qwen2.5-coder:scripted")
		n.neverSees("ERROR", 100*time.Millisecond)
		n.neverSees("WARNING", 100*time.Millisecond)
	})
}

func TestEditorNeovimSaysWhatToDoWithoutAServer(t *testing.T) {
	inNeovims(t, func(t *testing.T, v neovim) {
		command := editorCommand(t, v.variable)
		d := sit(t, "sum.go", forHeader)
		if err := os.Remove(d.server); err != nil {
			t.Fatal(err)
		}
		init := filepath.Join(d.dir, "init.lua")
		d.put(t, init, strings.ReplaceAll(plugin(t)[0], "setup()", `setup({ cmd = { "readahead-that-is-nowhere" } })`))
		s := onScreen(t, d.dir, d.env, command+" -n -u "+init+" "+d.file)
		s.sees("is not an executable in PATH")
	})
}

// What README says about Neovim 0.12 without the plugin.
func TestEditorNeovimWithoutThePluginShowsGhostText(t *testing.T) {
	command := editorCommand(t, neovims[0].variable)
	m := script(t, counting)
	d := sit(t, "sum.go", forHeader, withModel(m)...)
	n := startNeovim(t, command, d, m, fenced(t, neovimReadme, "## Without the plugin", "lua"))
	n.paste(", va")
	// It asks once after each key, and gets nothing while the workspace is being
	// read: another key, another question.
	for range 5 {
		if n.shows(onRow, 4*time.Second) {
			break
		}
		n.keys("BSpace")
		n.paste("a")
	}
	n.sees(onRow)
	// What it does with a Tab is its own: where a key came between, it inserts at
	// the place of before, so only the text is looked at here.
	n.keys("Tab")
	n.sees("total += value")
}
