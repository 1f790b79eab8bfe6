package ignore

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"readahead/index/regular"
)

// A Source is a file that may be used.
type Source struct {
	Data    []byte
	ModTime time.Time
	// Generated says that a tool wrote the file. Its definitions are called like
	// any others, so it is kept; as an example of how people write here it is
	// poor.
	Generated bool
}

// Read returns the file rel if the rules, its kind and its bytes allow; if not,
// the verdict says why. Only a regular file inside the workspace folder is ever
// opened. An error means that the file exists and could not be read; a file
// that does not exist is fs.ErrNotExist.
func (r *Rules) Read(rel string) (Source, Verdict, error) {
	if v := r.Match(rel, false); v.Ignored {
		return Source{}, v, nil
	}
	data, info, v, err := r.open(rel)
	if err != nil || v.Ignored {
		return Source{}, v, err
	}
	kind, why := Judge(data)
	switch kind {
	case Binary, Minified, PrivateKey:
		return Source{}, Verdict{true, why}, nil
	}
	return Source{Data: data, ModTime: info.ModTime(), Generated: kind == Generated}, Verdict{}, nil
}

// Readable is Read for those who only want the answer: false and the reason for
// a file that is ignored, missing, special, too large, binary, minified or a key.
func (r *Rules) Readable(rel string) (ok bool, why string) {
	_, v, err := r.Read(rel)
	if err != nil {
		return false, err.Error()
	}
	return !v.Ignored, v.Why
}

func (r *Rules) open(rel string) (data []byte, info fs.FileInfo, v Verdict, err error) {
	fail := func(err error) ([]byte, fs.FileInfo, Verdict, error) {
		return nil, nil, Verdict{}, fmt.Errorf("read %s: %w", r.Abs(rel), cause(err))
	}
	root, err := os.OpenRoot(r.root)
	if err != nil {
		return fail(err)
	}
	defer root.Close()
	name := filepath.FromSlash(rel)
	if info, err = root.Lstat(name); err != nil {
		return fail(err)
	}
	if why := r.unfit(info); why != "" {
		return nil, nil, Verdict{true, why}, nil
	}
	file, err := root.OpenFile(name, os.O_RDONLY|regular.NonBlocking, 0)
	if err != nil {
		return fail(err)
	}
	defer file.Close()
	// What was opened may not be what was looked at.
	if info, err = file.Stat(); err != nil {
		return fail(err)
	}
	if why := r.unfit(info); why != "" {
		return nil, nil, Verdict{true, why}, nil
	}
	text, err := regular.Content(file, info.Size(), r.opts.MaxFileSize+1)
	if errors.Is(err, regular.ErrSpecial) {
		return nil, nil, Verdict{true, err.Error()}, nil
	}
	if err != nil {
		return fail(err)
	}
	if n := int64(len(text)); n > r.opts.MaxFileSize {
		return nil, nil, Verdict{true, r.tooLarge(n)}, nil
	}
	return text, info, Verdict{}, nil
}

// cause takes the path out of an error that will be told with the full one.
func cause(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

// unfit says why what info describes is not read at all.
func (r *Rules) unfit(info fs.FileInfo) string {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return "symbolic link"
	case info.IsDir():
		return "folder"
	case !info.Mode().IsRegular():
		return "not a regular file"
	case info.Size() > r.opts.MaxFileSize:
		return r.tooLarge(info.Size())
	}
	return ""
}

func (r *Rules) tooLarge(size int64) string {
	return fmt.Sprintf("%d bytes or more, over the limit of %d (maxFileSize)", size, r.opts.MaxFileSize)
}

// A Content is what the bytes of a file say about its use.
type Content uint8

const (
	Text       Content = iota
	Generated          // code that a tool wrote: used, but not as an example of style
	Minified           // text that people do not read: not used
	Binary             // not used
	PrivateKey         // a key, or another secret, under whatever name: not used
)

const (
	// sniffed is how far a NUL makes a file binary: git's own number.
	sniffed = 8000
	// A line over longLine is not written by hand; a file is minified if such
	// lines hold most of its bytes. Tables and embedded data in code stay below.
	longLine     = 1000
	minifiedFrom = 4 << 10
	// headLines is how far down a notice of generation is looked for: below a
	// licence, above the code.
	headLines = 40
	headBytes = 8 << 10
)

// Judge classifies data and says why, if it is not plain Text.
func Judge(data []byte) (Content, string) {
	if i := bytes.IndexByte(data[:min(len(data), sniffed)], 0); i >= 0 {
		return Binary, fmt.Sprintf("binary: NUL at byte %d", i)
	}
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return Binary, "binary: UTF-16"
	}
	if why := isSecret(data); why != "" {
		return PrivateKey, why
	}
	if long := inLongLines(data); len(data) >= minifiedFrom && long*2 > len(data) {
		return Minified, fmt.Sprintf("minified: %d of %d bytes in lines over %d bytes", long, len(data), longLine)
	}
	if notice := generatedBy(data); notice != "" {
		return Generated, "generated: " + notice
	}
	return Text, ""
}

// inLongLines counts the bytes that stand in lines over longLine.
func inLongLines(data []byte) int {
	long := 0
	for len(data) > 0 {
		n := bytes.IndexByte(data, '\n')
		if n < 0 {
			n = len(data) - 1
		}
		if n > longLine {
			long += n + 1
		}
		data = data[n+1:]
	}
	return long
}

// notices are what generators write in a comment, in lower case, and openings
// what they begin one with: in the middle of a sentence it is prose.
var (
	notices  = []string{"@generated", "<auto-generated", "do not edit", "automatically generated", "auto-generated", "autogenerated", "file was generated", "file is generated"}
	openings = []string{"generated by ", "generated from ", "code generated by ", "generated with "}
)

// generatedBy returns the line that says so; "" if none does. A line counts
// only as a comment: code that writes such notices holds them in strings.
func generatedBy(data []byte) string {
	head := data[:min(len(data), headBytes)]
	for range headLines {
		if len(head) == 0 {
			return ""
		}
		var line []byte
		line, head, _ = bytes.Cut(head, []byte("\n"))
		text := strings.TrimSpace(string(line))
		if isNotice(strings.ToLower(text)) {
			return strings.ToValidUTF8(text[:min(len(text), 200)], "")
		}
	}
	return ""
}

func isNotice(line string) bool {
	said := strings.TrimLeft(line, "/#*-;<!'\"%( \t")
	has := func(n string) bool { return strings.Contains(line, n) }
	opens := func(n string) bool { return strings.HasPrefix(said, n) }
	return comment(line) && (slices.ContainsFunc(notices, has) || slices.ContainsFunc(openings, opens))
}

func comment(line string) bool {
	for _, start := range [...]string{"//", "#", "/*", "*", "--", ";", "<!--", "'''", `"""`, "%", "(*"} {
		if strings.HasPrefix(line, start) {
			return true
		}
	}
	return false
}
