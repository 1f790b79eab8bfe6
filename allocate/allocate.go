// Package allocate decides which evidence the model gets to read, and how much
// of each piece.
//
// Retrieval returns views: a signature here, two call sites there, a body three
// times over because three retrievers found it. Left as a ranked list, one
// popular function fills the window with copies of itself, and the helper that
// the line needs is clipped off the end. So the unit of choice here is the code
// object, not the view (VITAL-RAG §5):
//
//	[]index.View     in retrieval order
//	     │  group    by object: copies compete with each other only     eq. 1, 2
//	     ▼
//	[]candidate      one an object, in the order of their best views
//	     │  choose   4 core objects, then 1 companion from their files  eq. 3
//	     │  extend   further ones that are worth their tokens
//	     ▼
//	[]pick           K positions and a tail
//	     │  keep     what the last context showed, unless clearly beaten
//	     │  fit      each object to its own budget, all to the total    eq. 4
//	     │  render   descriptor, signature, lines around the query      eq. 5
//	     │  uncover  no position for lines that another one shows: once more
//	     ▼
//	Context          text, and in its Portfolio where every token went
//
// What holds for every input and every token counter:
//
//   - an object owns at most one position, however many views it has; a weaker
//     view of an object that is already there changes no position;
//   - no object gets more than Options.ObjectBudget tokens, and the whole text
//     counts at most Options.Budget tokens, also where a tokenizer counts a
//     concatenation differently from its parts;
//   - a line is shown whole or not at all, and lines left out are said to be;
//   - an object that fits its budget stands there line for line;
//   - the same request gives the same context.
//
// Nothing is dropped silently: what got no position is in Portfolio.Dropped
// with the reason, which is all that an inspector needs.
//
// The package refuses to rank: the order of Request.Views is taken as it is.
// It reads no files, holds no state, and knows no model; what a token is, the
// caller says.
//
// Extending, keeping, uncovering, members before windows, and call lines are ours.
// Policies has the paper's letter and the comparisons of its tables, composed of the
// same pieces.
package allocate

import (
	"readahead/index"
	"readahead/index/facts"
)

// Options are the limits of one context. The zero value allows nothing; start
// from DefaultOptions. Negative numbers count as 0.
type Options struct {
	// Objects is K, the number of positions that are given out by rank alone: it
	// protects the reader from more distinct things than a line can need. Further
	// ones must be worth their tokens (Worth).
	Objects int

	// Companions is how many of the Objects positions are offered to neighbours
	// of the core that share an identifier with the query: it protects a helper
	// in the right file from being outranked by the whole repository.
	Companions int

	// Budget is B, in tokens: it protects the model's context window. The whole
	// rendered text counts at most this.
	Budget int

	// ObjectBudget is b_obj, in tokens: it bounds one object, so that a 900-line
	// class costs the others nothing.
	ObjectBudget int

	// Excerpt is what an object gets, in tokens, that is too large for
	// ObjectBudget: the middle of a large class, cut off at both ends, is rarely
	// what the line needs. 0 gives it all of ObjectBudget, as the paper does.
	Excerpt int

	// Worth is what a token must add to the probability that the model reads what
	// the line needs, for a candidate beyond Objects to get a position: 0.001
	// means a hundred tokens for ten per cent. Only candidates of the structural
	// family have such a probability, in View.Score. 0 gives none a position.
	Worth float64

	// Floor is b_min, in tokens: it is set aside for every object still to come,
	// so that the last one can at least show its signature. It holds only where
	// Budget has room for a floor under every object.
	Floor int

	// Previous is the portfolio of the last context for the same enclosing
	// object, or nil: it protects the model server's prompt cache from a
	// keystroke that does not change the task. Its objects keep their positions,
	// order and text unless a newcomer beats one by Margin.
	Previous *Portfolio

	// Margin is by how much a newcomer's score must exceed an incumbent's to
	// take its position, as a share of the newcomer's score: 0.2 means that the
	// incumbent scores below 80 % of it. Only read when Previous is set.
	Margin float64
}

// DefaultOptions is the setting of VITAL-RAG §5.4, five positions in 4,096
// tokens, and ours for what the paper does not have: Excerpt, Worth and Margin.
func DefaultOptions() Options {
	return Options{Objects: 5, Companions: 1, Budget: 4096, ObjectBudget: 1024, Excerpt: 192, Worth: 0.0012, Floor: 128, Margin: 0.2}
}

// A Request is one query with what retrieval found for it.
type Request struct {
	// Views in retrieval order ≻_q, strongest first. The order is the whole
	// ranking: equal scores are not reordered, so a retriever should break its
	// ties by something stable.
	Views []index.View
	// Terms are the identifiers of the query, T(q).
	Terms []string
	// Lang is the language of the document that the context will stand in front
	// of: descriptors are comments in it.
	Lang facts.Language
	// Path of that document; it tells the comment syntax where Lang is "".
	Path string
	// Tokens counts the tokens of a text. It should be monotone (no text counts
	// less than a part of it) but need not be additive. nil estimates three
	// bytes a token.
	Tokens func(string) int
}

// A Context is what the model reads, and the account of it.
type Context struct {
	Text      string // whole lines, each ended by \n; "" if nothing was found or fits
	Tokens    int    // of Text; at most Options.Budget
	Portfolio Portfolio
}

// Allocate is the shipped policy, "vital+". It is a pure function and takes time
// linear in the views: they come ranked, and only chosen objects are rendered.
func Allocate(r Request, o Options) Context { return vitalPlus.Allocate(r, o) }
