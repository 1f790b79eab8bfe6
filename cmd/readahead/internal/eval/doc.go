// Package eval measures retrieval, allocation and completions, on tasks whose
// right answer is known.
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
// Whether the line that would be shown is the one that was taken out is asked
// after that, with a model and, of each task, both contexts. The model is asked
// once, for more than any one way to decide would need (rank.Record), and every
// selector, route and threshold is then measured on the same samples:
//
//	task ─▶ two contexts ─▶ model ─▶ Sampled ─▶ rank.Record.Decide ─▶ lsp.Show
//	        lsp.Prompt               a line of        each Variant        │
//	                                 the pools file             EM, ES, oracle, cost
//
// Prompts, decisions and what is shown are the product's own code.
//
// Rules that keep the numbers honest:
//   - Retrieval reads neither the line nor anything behind it in its file.
//   - The retriever never sees a gold field.
//   - The model reads the document without the target, before and after the
//     cursor; the embedded one learns it so, and all other files whole.
//   - A position's claim is the range of its object; a window outside all
//     objects claims its own lines and not its whole file.
//   - Tokens are counted by one fixed estimate (see Tokens), whatever the model.
package eval
