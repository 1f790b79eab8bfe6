/**
 * What of VS Code's settings the server gets to see: what the user has set, and
 * nothing else. VS Code answers with a default for every key; sent on, those
 * would win over the user's config.toml.
 */

/** One key, as VS Code's `inspect` describes it. */
export interface Inspected {
  readonly key: string;
  readonly globalValue?: unknown;
  readonly workspaceValue?: unknown;
  readonly workspaceFolderValue?: unknown;
}

/** Keys of this extension that mean nothing to the server. */
const OURS = new Set(["path"]);

/** The settings that were set, by key, the most specific place first. */
export function explicit(settings: Iterable<Inspected>): Record<string, unknown> {
  const set: Record<string, unknown> = {};
  for (const s of settings) {
    const value = s.workspaceFolderValue ?? s.workspaceValue ?? s.globalValue;
    if (value !== undefined && !OURS.has(s.key)) {
      set[s.key] = value;
    }
  }
  return set;
}

/** The keys under "readahead." that a package.json contributes. */
export function keys(manifest: { contributes: { configuration: { properties: object } } }): string[] {
  return Object.keys(manifest.contributes.configuration.properties).map((name) => name.replace(/^readahead\./, ""));
}
