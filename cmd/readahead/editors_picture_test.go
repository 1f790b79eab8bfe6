package main

import (
	"fmt"
	"html"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// README's picture is Neovim's screen as it was, with the embedded model's answer
// in the small module of testdata/shop.txtar:
//
//	READAHEAD_PICTURE=$PWD/editors/neovim/screen.svg go test -run EditorNeovimPicture ./cmd/readahead
func TestEditorNeovimPictureShowsARealAnswer(t *testing.T) {
	command := editorCommand(t, "READAHEAD_NVIM")
	shop := unpack(t, "shop")
	d := sit(t, "order/order.go", "", "--model", embeddedName)
	if err := os.RemoveAll(d.dir); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(d.dir, os.DirFS(shop)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(d.file)
	if err != nil {
		t.Fatal(err)
	}
	before, after, _ := strings.Cut(string(text), "c.$0")
	d.put(t, d.file, before+after)
	n := startNeovim(t, command, d, nil, append(plugin(t),
		"vim.opt.termguicolors, vim.opt.tabstop, vim.opt.ruler, vim.opt.hlsearch = true, 4, false, false",
		`vim.opt.statusline = " order/order.go  %=%{v:lua.require'readahead'.status()} "`)...)
	n.keys("Escape")
	n.paste("/if err")
	n.keys("Enter", "A")
	const line = "if err := c.Add(cart.Item{Name: name, Count: 1, Each: each}); err != nil {"
	n.write("c")
	n.write(".")
	n.sees(line)
	screen, err := exec.Command("tmux", "-u", "-S", n.socket, "capture-pane", "-p", "-e").Output()
	if err != nil {
		t.Fatal(err)
	}
	picture := drawScreen(string(screen))
	ghost := regexp.MustCompile(`fill="(#\w+)"[^>]*>[^<]*Add\(cart\.Item`).FindStringSubmatch(picture)
	typed := regexp.MustCompile(`fill="(#\w+)"[^>]*>[^<]*:= c\.<`).FindStringSubmatch(picture)
	if ghost == nil || typed == nil || ghost[1] == typed[1] {
		t.Errorf("ghost text cannot be told from code: %v, %v", ghost, typed)
	}
	if path := os.Getenv("READAHEAD_PICTURE"); path != "" {
		if err := os.WriteFile(path, []byte(picture), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

const (
	cellWidth, cellHeight = 8.4, 18
	paper, ink            = "#14161b", "#e0e2ea" // Neovim's dark default
)

// A pen is how the next characters look.
type pen struct {
	ink, paper            string
	bold, italic, reverse bool
}

// drawScreen turns a captured screen into SVG, a text element for each run of
// characters that look alike.
func drawScreen(captured string) string {
	rows := strings.Split(strings.TrimRight(captured, "\n"), "\n")
	var out strings.Builder
	width, height := cellWidth*screenWidth+16, cellHeight*len(rows)+16
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">`+"\n", width, height)
	fmt.Fprintf(&out, `<rect width="100%%" height="100%%" rx="6" fill="%s"/>`+"\n", paper)
	p := pen{ink: ink, paper: paper}
	sgr := regexp.MustCompile("\x1b\\[([0-9;:]*)m")
	for y, row := range rows {
		x := 0
		for len(row) > 0 {
			m := sgr.FindStringSubmatchIndex(row)
			run, rest := row, ""
			if m != nil {
				run, rest = row[:m[0]], row[m[1]:]
			}
			p.stroke(&out, x, y, run)
			x += len([]rune(run))
			if m != nil {
				p.set(row[m[2]:m[3]])
			}
			row = rest
		}
	}
	out.WriteString("</svg>\n")
	return out.String()
}

func (p pen) stroke(out *strings.Builder, x, y int, text string) {
	front, back := p.ink, p.paper
	if p.reverse {
		front, back = back, front
	}
	n := len([]rune(text))
	left, top := 8+cellWidth*float64(x), 8+cellHeight*y
	if back != paper && n > 0 {
		fmt.Fprintf(out, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", left, top, cellWidth*float64(n), cellHeight, back)
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	style := ""
	if p.bold {
		style += ` font-weight="bold"`
	}
	if p.italic {
		style += ` font-style="italic"`
	}
	fmt.Fprintf(out, `<text x="%.1f" y="%d" textLength="%.1f" fill="%s"%s xml:space="preserve">%s</text>`+"\n",
		left, top+13, cellWidth*float64(n), front, style, html.EscapeString(text))
}

// set obeys one SGR sequence: what tmux writes for true colours, the 16 of the
// terminal, and the ways to look that Neovim's default colours use.
func (p *pen) set(codes string) {
	words := strings.Split(codes, ";")
	for i := 0; i < len(words); i++ {
		n, _ := strconv.Atoi(words[i]) // an empty word is 0, as terminals have it
		switch {
		case n == 0:
			*p = pen{ink: ink, paper: paper}
		case n == 1:
			p.bold = true
		case n == 3:
			p.italic = true
		case n == 7:
			p.reverse = true
		case n == 22:
			p.bold = false
		case n == 23:
			p.italic = false
		case n == 27:
			p.reverse = false
		case n == 39:
			p.ink = ink
		case n == 49:
			p.paper = paper
		case n >= 30 && n <= 37:
			p.ink = palette[n-30]
		case n >= 90 && n <= 97:
			p.ink = palette[n-90+8]
		case (n == 38 || n == 48) && i+4 < len(words) && words[i+1] == "2":
			colour := "#"
			for _, w := range words[i+2 : i+5] {
				c, _ := strconv.Atoi(w)
				colour += fmt.Sprintf("%02x", c&0xff)
			}
			if n == 38 {
				p.ink = colour
			} else {
				p.paper = colour
			}
			i += 4
		}
	}
}

// palette is Neovim's own, for a terminal without true colours.
var palette = [16]string{
	"#07080d", "#ffc0b9", "#b3f6c0", "#fce094", "#a6dbff", "#ffcaff", "#8cf8f7", "#eef1f8",
	"#4f5258", "#ffc0b9", "#b3f6c0", "#fce094", "#a6dbff", "#ffcaff", "#8cf8f7", "#eef1f8",
}
