package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// VS Code's tests sit at its real workbench: code-server serves it, a browser shows
// it, and editors/e2e/drive.mjs presses the keys and says what is seen.
//
//	test ──keys──▶ drive.mjs ▶ Chromium ▶ code-server ▶ extension ◀─LSP─▶ readahead
//	     ◀─seen──
//
// They run where READAHEAD_CODE_SERVER names the folder that editors/e2e/get-vscode.sh
// made. Each test has a profile of its own; the extension is packaged and installed
// once for all of them.

// A workbench is VS Code at a desk.
type workbench struct {
	display
	*desk
	model *scripted

	mu      sync.Mutex // one command at a time
	in      io.Writer
	answers *bufio.Reader
}

// A sight is what drive.mjs sees.
type sight struct {
	Rows    []string // of the editor, ghost text among them
	Ghost   []string // the ghost text alone
	Menu    []string // of the suggest widget
	Pick    []string // of the palette
	Status  []string // our places in the status bar, an icon as (name)
	Notices []string
	Tabs    []string
	Output  []string // of the panel: whose log it is, and its lines
	Focus   bool     // keys go to the editor
	Error   string   // what could not be done
}

func (s sight) String() string {
	var out strings.Builder
	for _, part := range []struct {
		name string
		rows []string
	}{{"editor", s.Rows}, {"ghost", s.Ghost}, {"menu", s.Menu}, {"pick", s.Pick}, {"status", s.Status}, {"notice", s.Notices}, {"tab", s.Tabs}, {"output", s.Output}} {
		for _, row := range part.rows {
			fmt.Fprintf(&out, "%-6s|%s\n", part.name, row)
		}
	}
	return out.String()
}

// codeServer is the folder with VS Code and the browser.
func codeServer(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("READAHEAD_CODE_SERVER")
	if dir == "" {
		t.Skip(`

    SKIPPED: this test drives VS Code's workbench, and READAHEAD_CODE_SERVER does not name one.
    Fetch it into a folder (npm, apt-get), and run it again:

        editors/e2e/get-vscode.sh .tools/vscode
        READAHEAD_CODE_SERVER=$PWD/.tools/vscode go test -run EditorVSCode -v ./cmd/readahead
`)
	}
	return dir
}

// profileSettings are the tests' user's: nothing that comes by itself, from the net,
// to greet, or beside the ghost text.
const profileSettings = `{
	"chat.disableAIFeatures": true,
	"editor.minimap.enabled": false,
	"editor.quickSuggestions": {"other": "off", "comments": "off", "strings": "off"},
	"extensions.autoCheckUpdates": false,
	"extensions.autoUpdate": false,
	"telemetry.telemetryLevel": "off",
	"update.mode": "none",
	"workbench.secondarySideBar.defaultVisibility": "hidden",
	"workbench.startupEditor": "none",
	"workbench.tips.enabled": false%s
}`

// openWorkbench starts VS Code in a file that the model knows the code of, with
// the cursor behind its last character. more are lines of settings.
func openWorkbench(t *testing.T, knows, content string, more ...string) *workbench {
	t.Helper()
	m := script(t, knows)
	w := startWorkbench(t, sit(t, "sum.go", content, withModel(m)...), m, more...)
	w.serving(t)
	w.sees("status|(sparkle) ")
	w.openFile(filepath.Base(w.file))
	w.keys("Control+End")
	return w
}

// startWorkbench starts VS Code with the desk's folder, and waits until the
// extension is there.
func startWorkbench(t *testing.T, d *desk, m *scripted, more ...string) *workbench {
	t.Helper()
	dir := codeServer(t)
	profile := d.profile()
	lines := strings.Join(append([]string{""}, more...), ",\n\t")
	d.put(t, filepath.Join(profile, "User", "settings.json"), fmt.Sprintf(profileSettings, lines))
	// VS Code takes PATH from the user's shell, so the path is set
	d.put(t, d.machineSettings(), fmt.Sprintf(`{"readahead.path": %q, "readahead.logLevel": "debug"}`, d.server))
	served := serveWorkbench(t, d, filepath.Join(dir, "code-server"), "--auth", "none", "--bind-addr", "127.0.0.1:0",
		"--disable-telemetry", "--disable-update-check", "--disable-workspace-trust", "--disable-getting-started-override",
		"--config", os.DevNull, "--user-data-dir", profile, "--extensions-dir", extension(t, dir))
	w := &workbench{desk: d, model: m}
	w.display = display{t: t, look: func() string { return w.see().String() }}
	w.sitDown(dir, served+"/?"+url.Values{"folder": {d.dir}}.Encode())
	w.walkedThrough()
	return w
}

// profile is where VS Code keeps what is its user's.
func (d *desk) profile() string { return filepath.Join(filepath.Dir(d.dir), "profile") }

// machineSettings are the settings of the machine that VS Code serves, where those
// are that say which program runs.
func (d *desk) machineSettings() string {
	return filepath.Join(d.profile(), "Machine", "settings.json")
}

// walkedThrough waits for what greets a new user, which takes the focus when it
// comes. The first start may take longer than what follows.
func (w *workbench) walkedThrough() {
	w.t.Helper()
	for range 6 {
		if w.shows("tab   |Welcome", patience) {
			break
		}
	}
	w.sees("tab   |Welcome")
	w.sees("status|")
}

// serveWorkbench starts code-server, and returns the address that it serves.
func serveWorkbench(t *testing.T, d *desk, command string, arguments ...string) string {
	t.Helper()
	c := exec.Command(command, arguments...)
	c.Env = d.env
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stdout, c.Stderr = in, in
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	_ = in.Close() // the child's now
	var log strings.Builder
	var mu sync.Mutex
	address := make(chan string, 1)
	read := make(chan struct{})
	go func() {
		defer close(read)
		listening := regexp.MustCompile(`listening on (http://[\d.:]+)`)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), " ") || lines.Text() == "" {
				continue // of a stack trace
			}
			mu.Lock()
			log.WriteString(lines.Text() + "\n")
			mu.Unlock()
			if at := listening.FindStringSubmatch(lines.Text()); at != nil && len(address) == 0 {
				address <- at[1]
			}
		}
	}()
	t.Cleanup(func() {
		endGroup(t, c)
		_ = out.Close() // it may have been closed at its end
		<-read
		if t.Failed() {
			t.Logf("code-server said:\n%s", log.String())
		}
	})
	select {
	case at := <-address:
		return at
	case <-time.After(3 * patience):
		mu.Lock()
		defer mu.Unlock()
		t.Fatalf("code-server does not listen within %v; it said:\n%s", 3*patience, log.String())
		return ""
	}
}

// endGroup ends a program and what it started: gently, and after a while not so.
func endGroup(t *testing.T, c *exec.Cmd) {
	t.Helper()
	gone := make(chan struct{})
	go func() {
		_ = c.Wait() // a signal ended it
		close(gone)
	}()
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		_ = syscall.Kill(-c.Process.Pid, signal) // the group may be gone
		select {
		case <-gone:
			_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // what it left behind
			return
		case <-time.After(patience / 2):
		}
	}
	t.Errorf("%s does not end", c.Path)
}

var packaged struct {
	once  sync.Once
	dir   string
	error error
}

// extension is a folder with our extension in it, packaged from the source as it
// is and installed as a user does.
func extension(t *testing.T, dir string) string {
	t.Helper()
	packaged.once.Do(func() { packaged.dir, packaged.error = install(dir) })
	if packaged.error != nil {
		t.Fatal(packaged.error)
	}
	return packaged.dir
}

// install packages and installs the extension into a folder beside VS Code, unless
// the one that is there is of this source.
func install(dir string) (string, error) {
	const source = "../../editors/vscode"
	into := filepath.Join(dir, "extensions")
	if newer(filepath.Join(into, "extensions.json"), source) {
		return into, nil
	}
	if err := os.RemoveAll(into); err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(source, "node_modules")); err != nil {
		return "", fmt.Errorf("the extension cannot be packaged without what it depends on (run: cd editors/vscode && npm ci --ignore-scripts): %w", err)
	}
	vsix, err := filepath.Abs(filepath.Join(source, "readahead.vsix"))
	if err != nil {
		return "", err
	}
	for _, c := range []*exec.Cmd{
		exec.Command("npm", "run", "package"),
		exec.Command(filepath.Join(dir, "code-server"), "--config", os.DevNull, "--extensions-dir", into,
			"--user-data-dir", filepath.Join(dir, "installer"), "--install-extension", vsix),
	} {
		c.Dir = source
		if out, err := c.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%q in %s: %w\n%s", c.Args, source, err, out)
		}
	}
	return into, nil
}

// newer reports whether a file is newer than the extension's source.
func newer(file, source string) bool {
	made, err := os.Stat(file)
	if err != nil {
		return false
	}
	for _, pattern := range []string{"*.json", "src/*", "media/*"} {
		paths, _ := filepath.Glob(filepath.Join(source, pattern)) // the patterns are well formed
		for _, path := range paths {
			if of, err := os.Stat(path); err != nil || of.ModTime().After(made.ModTime()) {
				return false
			}
		}
	}
	return true
}

// sitDown opens a browser with the workbench in it.
func (w *workbench) sitDown(dir, address string) {
	w.t.Helper()
	c := exec.Command(filepath.Join(dir, "node"), "../../editors/e2e/drive.mjs", dir, address)
	c.Env = w.env
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := c.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	var complaints strings.Builder
	c.Stderr = &complaints
	if err := c.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.in, w.answers = in, bufio.NewReader(out)
	w.t.Cleanup(func() {
		picture := filepath.Join(w.t.ArtifactDir(), "screen.png")
		switch s := w.tell("picture", picture); {
		case s.Error != "":
			w.t.Logf("no picture of the screen: %s\n%s", s.Error, complaints.String())
		case w.t.Failed():
			w.t.Logf("the screen at the end, and its picture in %s (go test -artifacts keeps it):\n%s", picture, w.tell("look", true))
		}
		_ = in.Close() // which ends it
		gone := make(chan struct{})
		go func() {
			_ = c.Wait() // its answers were judged one by one
			close(gone)
		}()
		select {
		case <-gone:
		case <-time.After(patience):
			w.t.Errorf("the browser does not end within %v", patience)
			_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // it may just have ended
			<-gone
		}
	})
}

// tell gives the driver one command, and returns its answer.
func (w *workbench) tell(command string, argument any) (seen sight) {
	line, err := json.Marshal(map[string]any{command: argument})
	if err != nil {
		return sight{Error: err.Error()}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.in.Write(append(line, '\n')); err != nil {
		return sight{Error: fmt.Sprintf("%s: the driver has ended: %v", command, err)}
	}
	answer, err := w.answers.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(answer, &seen)
	}
	if err != nil {
		return sight{Error: fmt.Sprintf("%s: the driver answers %q: %v", command, answer, err)}
	}
	return seen
}

// do is tell for what must not fail.
func (w *workbench) do(command string, argument any) sight {
	w.t.Helper()
	seen := w.tell(command, argument)
	if seen.Error != "" {
		w.t.Fatalf("%s %v: %s", command, argument, seen.Error)
	}
	return seen
}

func (w *workbench) see() sight {
	w.t.Helper()
	return w.do("look", true)
}

func (w *workbench) keys(names ...string) {
	w.t.Helper()
	w.do("keys", names)
}

// write types as a person does.
func (w *workbench) write(text string) {
	w.t.Helper()
	for _, r := range text {
		w.do("write", string(r))
		time.Sleep(40 * time.Millisecond)
	}
}

// insists types text that ghost text is to follow. VS Code asks once after each key,
// and for one that comes within moments of the file being opened it does not ask at
// all. So a user types the last one again.
func (w *workbench) insists(text string, ghosts ...string) {
	w.t.Helper()
	w.write(text)
	last := text[len(text)-1:]
	for range 5 {
		for end := time.Now().Add(patience / 5); time.Now().Before(end); time.Sleep(glance) {
			now := w.look()
			for _, ghost := range ghosts {
				if strings.Contains(now, "ghost |"+ghost) {
					return
				}
			}
		}
		w.keys("Backspace")
		w.write(last)
	}
	w.t.Fatalf("no ghost text of %q follows %q", ghosts, text)
}

// tries does something until it has worked, and takes it back where it has not.
func (w *workbench) tries(do func(), worked func() bool, undo func()) {
	w.t.Helper()
	for range 5 {
		do()
		if worked() {
			return
		}
		undo()
	}
	w.t.Fatal("it did not work, five times over")
}

// openFile opens a file of the workspace by its name.
func (w *workbench) openFile(name string) {
	w.t.Helper()
	w.choose("Control+p", name)
	w.sees("tab   |" + name)
	w.until("a cursor in the editor", func(string) bool { return w.see().Focus })
}

// command runs a command of the palette by its title.
func (w *workbench) command(title string) {
	w.t.Helper()
	w.choose("F1", title)
}

// ask runs a command of the palette that goes on there.
func (w *workbench) ask(title string) {
	w.t.Helper()
	w.keys("F1")
	w.do("write", title)
	w.sees("pick  |" + title)
	w.keys("Enter")
}

// choose takes a line of the palette that a key opens. What comes up by itself
// meanwhile, as the walkthrough does, closes the palette: then it is opened again.
func (w *workbench) choose(key, line string) {
	w.t.Helper()
	for range 5 {
		w.keys(key)
		w.do("write", line)
		if w.shows("pick  |"+line, patience/5) {
			w.keys("Enter")
			w.loses("pick  |")
			return
		}
		w.keys("Escape")
	}
	w.t.Fatalf("the palette does not offer %q", line)
}

// save writes the file, which must then be this.
func (w *workbench) save(want string) {
	w.t.Helper()
	w.keys("Control+s")
	w.saved(w.t, want)
}
