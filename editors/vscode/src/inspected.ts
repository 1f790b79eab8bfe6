/** What the server answers when it is asked about the last suggestion. */

export type Inspected = { readonly page: string; readonly shown: boolean } | { readonly json: string } | undefined;

/**
 * Reads the answer of readahead.inspect: a page for a browser, by its path or in a
 * report that says whether the page has been opened; a report without a page; or
 * null, if there was no suggestion.
 */
export function inspected(answer: unknown): Inspected {
  if (answer === null || answer === undefined) {
    return undefined;
  }
  if (typeof answer === "string") {
    return { page: answer, shown: false };
  }
  const { page, shown } = answer as { page?: unknown; shown?: unknown };
  return typeof page === "string" && page !== "" ? { page, shown: shown === true } : { json: JSON.stringify(answer, null, 2) };
}
