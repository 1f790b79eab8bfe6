// Package index answers the question that stands behind every suggestion: what,
// of all the code in this workspace, would a programmer look up before writing
// the next line?
//
// Facts about single files come from package facts; this package keeps those of
// a whole workspace, joins them by name, and retrieves.
//
//	disk ──ignore──▶ read ──facts.Extract──▶ file        one version of one file, packed
//	editor ──edits─▶ document ──parse──────▶ file                │
//	                                                             ▼
//	cache file ◀────────── segment ◀──fold── overlay      a few changed files
//	 (its bytes)            flat arrays,          │
//	                        tables by name        ▼
//	                                          Snapshot    immutable, atomic pointer
//	                                              │
//	                        Query ──Retrieve──────┤
//	                                              ▼
//	                          structural views        lexical views
//	                          scopes, imports,        BM25 over windows
//	                          types, habits           of 20 lines
//
// The structural family collects candidates (sources.go, elsewhere.go), each
// with features (score.go), and ranks them by the probability that the next line
// uses them. The lexical family compares text. They are kept apart, so that the
// ranker can route between them (Caret §III-B).
//
// Properties:
//   - One writer, any number of readers: a Snapshot never changes, and reading
//     never waits. What is typed is parsed in the background; queries bring
//     their own text and are answered from the last good facts moved through the
//     edit.
//   - After any sequence of edits and file events the index equals one built from
//     scratch (TestIndexEqualsOneBuiltFromScratch).
//   - No source text is kept but that of open documents. Text is read again
//     from disk when it is shown, and only used if it hashes to what was indexed.
//   - Nothing that Query.Visible or Query.Hidden covers, and nothing of the
//     cursor's line, is returned.
//   - A cache that is missing, damaged, old or not writable costs time, never
//     correctness. It holds names and positions, no source text.
//   - Answers depend on the workspace and the query alone, not on history:
//     ties are broken by place.
//
// What it refuses: to type-check. Names are followed through imports, scopes,
// written types and initialisers, a few steps deep; several candidates are
// better than none, and ranking sorts them out.
package index
