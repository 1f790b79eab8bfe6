// Package eval measures retrieval and allocation, on tasks whose right answer is
// known.
//
// A task is a line of a repository that was taken out, with the definitions that
// it needs (its gold). What reaches the model decides what the model can write,
// so the question is asked at two points of the way:
//
//	task ─▶ index.Retrieve ─▶ views ─▶ Policy.Allocate ─▶ portfolio ─▶ text
//	                                                        │            │
//	                                                       R@5          R@B
//	                                              does one of the     does the whole
//	                                              first five objects  definition stand
//	                                              hold the gold?      in the text?
//
// Their difference, ΔRecall, is what was found and then lost (VITAL-RAG §3.1).
// Views are retrieved once for each task and given to every policy, so that
// policies are compared on the same evidence, and differences are tested in
// pairs: a bootstrap of the differences, and McNemar's test.
//
// Rules that keep the numbers honest:
//   - Retrieval reads neither the line nor anything behind it in its file.
//   - The retriever never sees a gold field.
//   - A position's claim is the range of its object; a window outside all
//     objects claims its own lines and not its whole file.
//   - Tokens are counted by one fixed estimate (see Tokens), whatever the model.
package eval
