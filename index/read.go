package index

import (
	"path/filepath"
	"time"

	"github.com/cespare/xxhash/v2"

	"readahead/index/facts"
	"readahead/index/redact"
)

// A reader turns files on disk into facts. It is scratch space: one a
// goroutine.
type reader struct {
	ix    *Index
	lexer *lexer
	facts bool             // false: lexical windows only
	lexed map[string]*file // see extraction
}

func (ix *Index) newReader(facts bool) *reader {
	return &reader{ix: ix, lexer: newLexer(ix.names), facts: facts}
}

// racy is how close to now a modification time may be and still be trusted: a
// second write within the clock's grain would not change it again.
const racy = 2 * time.Second

// read is the file as it stands on disk; nil if it cannot be read or is no
// longer there. A file that is not for reading (binary, minified) is remembered
// as such.
func (r *reader) read(l listed) *file {
	src, verdict, err := r.ix.roots[l.root].rules.Read(l.rel)
	if err != nil {
		return nil
	}
	if verdict.Ignored {
		return &file{path: l.path, rel: l.rel, root: l.root, size: l.size, mtime: l.mtime, useless: true}
	}
	f := &file{path: l.path, rel: l.rel, root: l.root, lang: facts.LanguageOf(l.path, src.Data), generated: src.Generated,
		size: int64(len(src.Data)), mtime: src.ModTime.UnixNano(), hash: xxhash.Sum64(src.Data)}
	if time.Since(src.ModTime) < racy {
		f.mtime = 0
	}
	text := redact.Text(src.Data)
	if known := r.lexed[l.path]; known != nil && known.hash == f.hash {
		f.lines, f.windows, f.terms = known.lines, known.windows, known.terms
	} else {
		r.lexer.index(f, text)
	}
	if r.facts && f.lang != "" {
		pkg := r.ix.packages.of(f.lang, f.path, r.ix.roots[f.root].path)
		f.pack(r.ix.names, facts.Extract(f.lang, pkg, filepath.Base(f.path), text))
	}
	return f
}
