/** Where the server program is. Nothing here touches VS Code or the disk. */

export interface Places {
  /** The setting readahead.path; "" if it is not set. */
  readonly setting: string;
  /** The extension's own folder. */
  readonly extension: string;
  /** The environment variable PATH. */
  readonly path: string;
  readonly windows: boolean;
  readonly home: string;
  readonly isExecutable: (file: string) => boolean;
}

export type Located = { readonly file: string } | { readonly error: string };

export const HOW = "Run `go install ./cmd/readahead` in a clone of readahead, or set readahead.path.";

/**
 * Finds the server: the setting, then the program packaged with the extension,
 * then PATH. A setting that leads nowhere is an error, not a reason to look
 * elsewhere: the user meant that file.
 */
export function locate(p: Places): Located {
  const slash = p.windows ? "\\" : "/";
  const name = p.windows ? "readahead.exe" : "readahead";
  if (p.setting !== "") {
    const file = p.setting.replace(/^~(?=[/\\]|$)/, p.home);
    return p.isExecutable(file) ? { file } : { error: `readahead.path is ${p.setting}, which is no executable file. ${HOW}` };
  }
  const folders = p.path.split(p.windows ? ";" : ":").filter((folder) => folder !== "");
  const candidates = [[p.extension, "server", name].join(slash), ...folders.map((folder) => folder + slash + name)];
  const file = candidates.find(p.isExecutable);
  return file !== undefined ? { file } : { error: `There is no program ${name} in this extension or in PATH. ${HOW}` };
}
