package lsp

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"readahead/index/regular"
)

// maxConfigFile, in bytes, is far above what a person writes.
const maxConfigFile = 1 << 20

// ApplyFile applies a TOML file; a file that does not exist changes nothing. A
// mistake is named with the file and its line, and a file with many mistakes has
// the first few named, and the others counted.
func (c Config) ApplyFile(path string, from Source) (Config, []error) {
	data, err := regular.Read(path, maxConfigFile)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, []error{fmt.Errorf("configuration: %w", err)}
	}
	return c.applyTOML(data, from)
}

func (c Config) applyTOML(data []byte, from Source) (Config, []error) {
	var values map[string]any
	if err := toml.Unmarshal(data, &values); err != nil {
		return c, []error{notTOML(from.Name, err)}
	}
	from.lines = keyLines(data)
	c, errs := c.Apply(values, from)
	return c, few(from.Name, errs)
}

// notTOML is the error for a file that cannot be read as TOML. The library says
// where twice, and calls itself by name.
func notTOML(name string, err error) error {
	var at toml.ParseError
	if !errors.As(err, &at) {
		return fmt.Errorf("%s: not valid TOML, and nothing of it is used: %w", name, err)
	}
	return fmt.Errorf("%s:%d: not valid TOML, and nothing of the file is used: %s", name, at.Position.Line, strings.TrimPrefix(at.Message, "toml: "))
}

// keyLine is a line that sets a key, or begins a table that has its name.
var keyLine = regexp.MustCompile(`^\s*\[{0,2}\s*["']?([A-Za-z0-9_-]+)["']?\s*[=.\]]`)

// keyLines are the lines, counted from 1, on which the keys of a file stand first.
// It is for messages: what looks like a key within a long string counts as one.
func keyLines(data []byte) map[string]int {
	lines, n := map[string]int{}, 0
	for line := range bytes.Lines(data) {
		n++
		if m := keyLine.FindSubmatch(line); m != nil && lines[string(m[1])] == 0 {
			lines[string(m[1])] = n
		}
	}
	return lines
}

// at is where a key stands, as a message begins.
func (s Source) at(key string) string {
	if n := s.lines[key]; n > 0 {
		return fmt.Sprintf("%s:%d", s.Name, n)
	}
	return s.Name
}

// inOrder are the keys of values as they stand in the file, or else by name.
func (s Source) inOrder(values map[string]any) []string {
	return slices.SortedFunc(maps.Keys(values), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.lines[a], s.lines[b]), cmp.Compare(a, b))
	})
}

// mostMistakes of a file are named: who corrects them sees the next ones.
const mostMistakes = 5

func few(name string, errs []error) []error {
	more := len(errs) - mostMistakes
	if more <= 1 {
		return errs
	}
	return append(errs[:mostMistakes:mostMistakes], Further{name, errs[mostMistakes:]})
}

// Further stands for the mistakes of a file that are only counted, and has them for
// who was asked for all.
type Further struct {
	Name     string // of the file
	Mistakes []error
}

func (f Further) Error() string {
	return fmt.Sprintf("%s: and %d more mistakes", f.Name, len(f.Mistakes))
}

// once are errors without those that say the same again, as where a folder is
// opened twice.
func once(errs []error) []error {
	seen := map[string]bool{}
	return slices.DeleteFunc(errs, func(err error) bool {
		was := seen[err.Error()]
		seen[err.Error()] = true
		return was
	})
}
