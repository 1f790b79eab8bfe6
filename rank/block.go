package rank

import (
	"context"
	"fmt"
	"strings"
	"time"

	"readahead/model"
)

// A Continuation is a chosen line that opens a block, to be written out.
type Continuation struct {
	Base      int    // index in Request.Bases: Pool.Base of the line's pool
	Line      string // Candidate.Text
	MaxTokens int    // of the lines after it
	// Done, if set, is asked after each line, with all the text from the cursor
	// on, and ends the block there: the caller knows the syntax. nil leaves it to
	// brackets and indentation.
	Done func(text string) bool
}

// A Block is a line with the block that it opens.
type Block struct {
	Text string `json:"text"` // from the cursor on, the line itself included
	// Ended says how the block ended: "closed", "dedent", "done", "blank",
	// "tokens", "no time left", "error"; or, if nothing was tried, "within a
	// line".
	Ended string        `json:"ended"`
	Usage model.Usage   `json:"usage"`
	Took  time.Duration `json:"-"`
}

// Continue writes out the block that a chosen line opens, greedily, from the
// context whose samples chose the line. Agreement and likelihood choose lines;
// over whole bodies they tell nothing, and one greedy pass is better than the
// best of ten samples (§VI-B).
//
// It asks line by line. The prompt only grows, so a server processes nothing
// twice, and no token is generated beyond the end. The block ends at the bracket
// that closes what the line opened; if that opened none, before a line that is
// indented no deeper (Ruby's end is kept). These are bounds against a model that
// runs on: whether the block is good code is the caller's to judge.
//
// A deadline yields the lines until then. Any other error comes with them.
func (r Ranker) Continue(ctx context.Context, q Request, c Continuation) (Block, error) {
	start := time.Now()
	if c.Base < 0 || c.Base >= len(q.Bases) {
		return Block{}, fmt.Errorf("rank: continue from context %d of %d", c.Base, len(q.Bases))
	}
	b := Block{Text: c.Line, Ended: "within a line"}
	var err error
	if at := cursorOf(q); blank(at.rest) {
		err = r.extend(ctx, q, c, newEnclosure(at, q, c.Line), &b)
	}
	b.Text = trimRight(b.Text)
	b.Took = time.Since(start)
	return b, err
}

func (r Ranker) extend(ctx context.Context, q Request, c Continuation, e enclosure, b *Block) error {
	p := model.Prompt{Context: q.Bases[c.Base].Text, Path: q.Path, Lang: q.Lang, Right: q.Right, Causal: q.Causal}
	o := model.Options{TopP: 1, MaxTokens: c.MaxTokens, Seed: r.Options.Seed, Stop: []string{"\n"}}
	for o.MaxTokens > 0 {
		p.Left = q.Left + b.Text + "\n"
		s, err := first(r.Generator.Samples(ctx, p, o))
		b.Usage = b.Usage.Plus(s.Usage)
		o.MaxTokens -= r.spent(s)
		if err != nil {
			return b.stop(ctx, err)
		}
		if !s.Stopped {
			break // half a line is no use
		}
		line, _, _ := strings.Cut(s.Text, "\n")
		line, ended := e.next(trimRight(line))
		if ended != "dedent" {
			b.Text += "\n" + line
		}
		switch {
		case ended != "":
		case c.Done != nil && c.Done(b.Text):
			ended = "done"
		case blankRun(b.Text) > blankLines:
			ended = "blank"
		}
		if ended != "" {
			b.Ended = ended
			return nil
		}
	}
	b.Ended = "tokens"
	return nil
}

// stop is the end by an error.
func (b *Block) stop(ctx context.Context, err error) error {
	switch ctx.Err() {
	case nil:
		b.Ended = "error"
		return fmt.Errorf("rank: continue a block: %w", err)
	case context.Canceled:
		b.Ended = "error"
		return ctx.Err()
	}
	b.Ended = noTime
	return nil
}

// An enclosure knows whether the next line is still in the block.
type enclosure struct {
	syntax *syntax
	indent string // of the line that opens the block
	depth  int    // brackets opened and not closed; 0: indentation decides
	in     inside // what the next line begins inside
	begun  bool   // a line of code was seen
}

func newEnclosure(at cursor, q Request, line string) enclosure {
	opener := q.Left[strings.LastIndexByte(q.Left, '\n')+1:] + line
	e := enclosure{syntax: at.syntax, indent: indentOf(opener)}
	e.brackets(opener)
	return e
}

// next returns as much of a line as belongs to the block, and how the block
// ends with it ("dedent": before it); "" if it goes on.
func (e *enclosure) next(line string) (string, string) {
	if blank(line) || e.in.kind != code {
		e.brackets(line)
		return line, ""
	}
	braces := e.depth > 0
	if !braces && !strings.HasPrefix(line, e.indent) || !braces && indentOf(line) == e.indent {
		switch rest := line[len(indentOf(line)):]; {
		case rest == "end" || strings.HasPrefix(rest, "end ") || strings.HasPrefix(rest, "end."):
			return line, "closed"
		case !strings.HasPrefix(rest, "{") || e.begun:
			return line, "dedent"
		}
		braces = true // the brace stands below the line that opens the block
	}
	e.begun = true
	end := e.brackets(line)
	if !braces || e.depth > 0 {
		return line, ""
	}
	if e.syntax == &python && strings.HasSuffix(line, ":") {
		return line, "" // the end of a long header
	}
	return line[:end], "closed"
}

// brackets follows a line's brackets. It returns where the line should end if it
// closes more than was open: behind the bracket that closes the last one.
func (e *enclosure) brackets(line string) int {
	open := e.depth > 0
	at, end := 0, len(line)
	e.in = e.syntax.scan(line, e.in, func(k kind, text string) {
		for i := 0; k == code && i < len(text); i++ {
			switch text[i] {
			case '(', '[', '{':
				e.depth++
				open = true
			case ')', ']', '}':
				if e.depth == 0 && open && end == len(line) {
					end = at + i
				}
				e.depth = max(0, e.depth-1)
			}
		}
		at += len(text)
	}).newline()
	return end
}

func indentOf(line string) string {
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}
