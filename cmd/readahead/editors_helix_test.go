package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

const helixLanguages = "../../editors/helix/languages.toml"

// A helix is Helix at a desk, in insert mode behind the last character.
type helix struct {
	*tty
	*desk
	model *scripted
}

// inHelix opens a file in Helix with our languages.toml. The model knows the
// code.
func inHelix(t *testing.T, knows, content string) *helix {
	t.Helper()
	return inHelixBeside(t, "", knows, content)
}

// inHelixBeside has the language's own server, too, which offers these words.
func inHelixBeside(t *testing.T, words, knows, content string) *helix {
	t.Helper()
	command := editorCommand(t, "READAHEAD_HX")
	m := script(t, knows)
	d := sit(t, "sum.go", content, withModel(m)...)
	configureHelix(t, d, helixLanguages)
	if words != "" {
		d.another(t, "gopls", words)
	}
	h := &helix{onScreen(t, d.dir, d.env, command+" "+d.file), d, m}
	h.sees("sum.go")
	d.serving(t)
	h.keys("g", "e", "A")
	h.sees("INS")
	return h
}

// configureHelix puts languages.toml where the desk's Helix looks for it.
func configureHelix(t *testing.T, d *desk, languages string) {
	t.Helper()
	text, err := os.ReadFile(languages)
	if err != nil {
		t.Fatal(err)
	}
	d.put(t, filepath.Join(filepath.Dir(d.dir), "home", "config", "helix", "languages.toml"), string(text))
}

// save leaves insert mode, and the menu before it, and writes the file, which
// must then be this.
func (h *helix) save(want string) {
	h.tty.t.Helper()
	h.keys("Escape", "Escape")
	h.until("normal mode", func(now string) bool { return strings.Contains(now, "NOR") })
	h.command("write")
	h.saved(h.tty.t, want)
}

func (h *helix) command(line string) {
	h.tty.t.Helper()
	h.paste(":" + line)
	h.keys("Enter")
}

// offer is how the menu shows the line that the model suggests.
const offer = "value := range values {…"

func TestEditorHelixOffersTheLineFirstInItsMenu(t *testing.T) {
	h := inHelix(t, counting, forHeader)
	h.write(", va")
	h.sees(offer)
	h.keys("Tab", "Enter")
	h.save(forBlock)
}

func TestEditorHelixTypingThroughKeepsTheOffer(t *testing.T) {
	h := inHelix(t, counting, forHeader)
	h.write(", va")
	h.sees(offer)
	asked := h.model.rests()
	h.write("lue")
	h.sees(offer)
	if now := h.model.rests(); now != asked {
		t.Errorf("the model was asked %d times while its suggestion was being typed", now-asked)
	}
	h.keys("Tab", "Enter")
	h.save(forBlock)
}

func TestEditorHelixAKeyBesideTheOfferRemovesIt(t *testing.T) {
	h := inHelix(t, counting, forHeader)
	h.write(", va")
	h.sees(offer)
	h.write("x")
	h.loses(offer)
	h.save(forHeader + ", vax\n")
}

func TestEditorHelixEscapeLeavesTheTextAsItWasTyped(t *testing.T) {
	h := inHelix(t, counting, forHeader)
	h.write(", va")
	h.sees(offer)
	h.keys("Escape")
	h.loses(offer)
	h.neverSees(offer, 500*time.Millisecond)
	h.save(forHeader + ", va\n")
}

func TestEditorHelixKeepsTheLineEndsOfAFile(t *testing.T) {
	dos := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	h := inHelix(t, counting, dos(forHeader))
	h.write(", va")
	h.sees(offer)
	h.keys("Tab", "Enter")
	h.save(dos(forBlock))
}

func TestEditorHelixInsertsBehindCharactersOfAnySize(t *testing.T) {
	const code = "package desk\n\nvar mark, sum = \"😀é𝒳и\", Sum([]int{1, 2, 3})\n"
	h := inHelix(t, code, "package desk\n\nvar mark, sum = \"😀é𝒳и\", S")
	h.write("um")
	h.sees("Sum([]int{1, 2, 3})")
	h.keys("Tab", "Enter")
	h.save(code)
}

func TestEditorHelixOffersTheLineAboveWhatTheLanguagesOwnServerOffers(t *testing.T) {
	h := inHelixBeside(t, "valuable valuation", counting, forHeader)
	h.write(", val")
	h.sees("valuation")
	h.sees(offer)
	screen := h.text()
	if line, word := strings.Index(screen, offer), strings.Index(screen, "valuable"); line > word {
		t.Errorf("the line stands below a word:\n%s", screen)
	}
	h.keys("Tab", "Enter")
	h.save(forBlock)
}

func TestEditorHelixStartsAServerThatDiedAnewWhenAsked(t *testing.T) {
	h := inHelix(t, counting, forHeader)
	h.write(", va")
	h.sees(offer)
	h.keys("Escape", "Escape")
	h.until("normal mode", func(now string) bool { return strings.Contains(now, "NOR") })
	h.kill(t)
	h.command("lsp-restart readahead")
	h.serving(t)
	h.keys("A")
	h.write("l")
	h.sees(offer)
	h.keys("Tab", "Enter")
	h.save(forBlock)
}

// The lists in languages.toml replace Helix's own, so they must name all that
// those do, and readahead last.
func TestEditorHelixKeepsEachLanguagesOwnServers(t *testing.T) {
	command := editorCommand(t, "READAHEAD_HX")
	d := sit(t, "sum.go", forHeader)
	health := func(language string) []string {
		c := exec.CommandContext(t.Context(), command, "--health", language)
		c.Env = append(os.Environ(), d.env...)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("hx --health %s: %v\n%s", language, err, out)
		}
		plain := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(string(out), "")
		servers, _, _ := strings.Cut(plain, "Configured debug adapter")
		var names []string
		for _, m := range regexp.MustCompile(`(?m)^\s+\S+ ([\w-]+): `).FindAllStringSubmatch(servers, -1) {
			names = append(names, m[1])
		}
		return names
	}
	text, err := os.ReadFile(helixLanguages)
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`(?m)^name = "(.+)"$`).FindAllStringSubmatch(string(text), -1)
	if len(named) < 13 {
		t.Fatalf("only %d languages", len(named))
	}
	for _, m := range named {
		language := m[1]
		configureHelix(t, d, os.DevNull)
		own := health(language)
		configureHelix(t, d, helixLanguages)
		with := health(language)
		if len(own) == 0 || strings.Join(with, " ") != strings.Join(own, " ")+" readahead" {
			t.Errorf("%s: Helix has %q, with our file %q", language, own, with)
		}
	}
}
