package main

import (
	"bytes"
	"hash/fnv"
	"path"
	"slices"
	"strings"

	"readahead/index"
)

// A demoCursor is a place in a real file with the rest of its line taken away.
type demoCursor struct {
	path   string // absolute
	line   int    // 1-based
	text   []byte // the document without rest
	offset int
	head   string // what stands before the cursor on its line
	rest   string // what stood behind it
}

// demoCursors picks up to n cursors, spread over the files of the workspace.
// The choice depends on file names and lines alone, never on a model's answer,
// and is the same each time.
func demoCursors(s *index.Snapshot, n int) []demoCursor {
	type candidate struct {
		index.FileInfo
		order uint64
	}
	var files []candidate
	for f := range s.Files() {
		if f.Lang != "" && !isTest(f.Rel) {
			files = append(files, candidate{f, hash(f.Rel)})
		}
	}
	slices.SortFunc(files, func(a, b candidate) int {
		if a.order != b.order {
			if a.order < b.order {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Rel, b.Rel)
	})
	var cursors []demoCursor
	// One cursor a file while there are files, then more from each.
	for round := 0; round < n && len(cursors) < n && len(files) > 0; round++ {
		found := false
		for _, f := range files {
			if len(cursors) == n {
				break
			}
			text, err := s.Text(f.Path)
			if err != nil {
				continue // it went away: the others will do
			}
			if c, ok := cursorIn(text, round, f.order); ok {
				c.path = f.Path
				cursors = append(cursors, c)
				found = true
			}
		}
		if !found {
			break
		}
	}
	return cursors
}

func isTest(rel string) bool {
	base := path.Base(rel)
	return strings.HasSuffix(base, "_test.go") || strings.HasPrefix(base, "test_") || strings.Contains(rel, "testdata/") || strings.Contains(rel, "tests/")
}

func hash(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

// cursorIn picks a line of code in the last two thirds of a file: the round-th
// of those that call something, from a start that depends on the file. The
// cursor stands behind the indentation, or behind the last opening bracket or
// assignment, in turn.
func cursorIn(text []byte, round int, order uint64) (demoCursor, bool) {
	lines := bytes.SplitAfter(text, []byte("\n"))
	if len(lines) < 40 {
		return demoCursor{}, false
	}
	start := len(lines)/3 + int(order%uint64(len(lines)/2))
	at, seen := 0, 0
	offsets := make([]int, len(lines))
	for i, l := range lines {
		offsets[i] = at
		at += len(l)
	}
	for i := start; i < len(lines)-1; i++ {
		line := strings.TrimRight(string(lines[i]), "\r\n")
		if !worthCompleting(line) {
			continue
		}
		if seen++; seen <= round*3 {
			continue
		}
		cut := len(line) - len(strings.TrimLeft(line, " \t"))
		if order%2 == 0 {
			if j := strings.IndexAny(line, "(="); j > 0 {
				cut = j + 1
				if strings.HasPrefix(line[cut:], " ") {
					cut++
				}
			}
		}
		offset := offsets[i] + cut
		rest := line[cut:]
		return demoCursor{
			line:   i + 1,
			text:   slices.Concat(text[:offset], text[offset+len(rest):]),
			offset: offset,
			head:   line[:cut],
			rest:   rest,
		}, true
	}
	return demoCursor{}, false
}

// worthCompleting accepts an indented line of code that calls something.
func worthCompleting(line string) bool {
	t := strings.TrimSpace(line)
	return len(t) >= 12 && len(t) <= 80 && (line[0] == ' ' || line[0] == '\t') &&
		strings.Contains(t, "(") && !strings.HasSuffix(t, "(") &&
		!strings.ContainsAny(t[:1], "#/*\"'@`")
}
