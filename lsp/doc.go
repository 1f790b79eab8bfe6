// Package lsp offers the next line of code in an editor.
//
// An editor asks many times a second and forgives little: an answer about an old
// text, a bracket too many, a connection that ends, and the user switches it
// off. The model behind it is slow and says what it likes. This package stands
// between the two.
//
//	editor ── JSON-RPC ──▶ Server ──▶ suggester ──▶ Completer (Engine)
//	                         │           │             │
//	   wire order, replies,  │           │             ├ index      evidence
//	   cancellation          │           │             ├ allocate   its share of the prompt
//	                         ▼           ▼             ├ rank       one line of many
//	                     documents    memory           └ Show       what fits the document
//	                     bytes and    of answers
//	                     positions
//
// The Engine is the whole pipeline without a protocol: bytes and offsets in,
// Items out. The command line calls it, too, so what is measured is what ships.
// The Server is the protocol without a pipeline. Between them the suggester
// decides when the model is asked at all.
//
// What holds, and is tested:
//
//   - A request is about the text at its place in the stream of messages, however
//     far typing has gone when it is answered.
//   - Every request is answered: with items, with an empty list, or as cancelled.
//     One that a newer one has made useless is cancelled here and at the model.
//   - At most two requests are at the model. One that misses its deadline is
//     answered with the best so far, and goes on for the next keystroke.
//   - Typing what is shown asks no model.
//   - No message, no panic and no failing model ends the connection; a frame
//     whose end cannot be known does.
//   - Applying an item changes nothing but its range, in any position encoding
//     and with any line ends; it repeats no code that follows, and closes no
//     bracket that is closed already.
//   - An item that breaks a file which parses without it is not shown; a doubt
//     shows it.
//   - A configuration file holds from when it is written, a folder's from before
//     the folder is read until it has been left.
//
// The package does not know how evidence is found, how a prompt is worded or
// which candidate is best, and has no list of texts that are not to be shown.
package lsp
