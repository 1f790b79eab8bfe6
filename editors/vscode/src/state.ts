/**
 * What the status bar says, as a function of what is known. Text in, text out.
 */

export interface State {
  /** Why there is no server; undefined if there is one, or will be. */
  readonly failed?: string | undefined;
  readonly running: boolean;
  readonly paused: boolean;
  /** Indexing, as the server last reported it: "files 120/400". */
  readonly indexing?: string | undefined;
  /** Requests that wait for an answer. */
  readonly waiting: number;
  /** What the server says of itself, for people. */
  readonly status: string;
}

export interface Bar {
  readonly text: string;
  readonly tooltip: string;
  readonly warning: boolean;
}

/** The model's name out of the server's status; "" while it is not known. */
export function modelOf(status: string): string {
  const line = /^model: (.+)$/m.exec(status)?.[1] ?? "";
  if (line === "not asked yet") {
    return "";
  }
  return line.replace(/ \(\w+\)$/, "").replace(/, because .*$/, "");
}

/** The first thing in this order that holds: failed, starting, paused, indexing, busy. */
export function bar(s: State): Bar {
  const model = modelOf(s.status) || "readahead";
  if (s.failed !== undefined) {
    return { text: "$(error) readahead", tooltip: s.failed, warning: true };
  }
  if (!s.running) {
    return { text: "$(loading~spin) readahead", tooltip: "readahead starts", warning: false };
  }
  const tooltip = s.status || "readahead runs";
  if (s.paused) {
    return { text: "$(debug-pause) readahead", tooltip: "paused\n" + tooltip, warning: false };
  }
  if (s.indexing !== undefined) {
    return { text: `$(sync~spin) ${model}`, tooltip: `indexing: ${s.indexing}\n${tooltip}`, warning: false };
  }
  if (s.waiting > 0) {
    return { text: `$(loading~spin) ${model}`, tooltip, warning: false };
  }
  return { text: `$(sparkle) ${model}`, tooltip, warning: false };
}
