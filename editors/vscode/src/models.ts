/** The models that an Ollama server has. */

/** The address of the model server, from what the user may have set. */
export function address(setting: string, ollamaHost: string | undefined): string {
  let host = (setting || ollamaHost || "127.0.0.1:11434").trim();
  if (!/^https?:\/\//.test(host)) {
    host = "http://" + host;
  }
  const url = new URL(host);
  if (url.port === "" && url.protocol === "http:" && !/:\d+\/?$/.test(host)) {
    url.port = "11434";
  }
  // what servers listen on is not always what clients can reach
  if (url.hostname === "0.0.0.0") {
    url.hostname = "127.0.0.1";
  }
  return url.toString().replace(/\/+$/, "");
}

export interface Model {
  readonly name: string;
  readonly detail: string;
}

/** Reads the answer of /api/tags; what is not a model is left out. */
export function parse(answer: unknown): Model[] {
  const models = (answer as { models?: unknown } | null)?.models;
  if (!Array.isArray(models)) {
    return [];
  }
  return models.flatMap((m: { name?: unknown; details?: { parameter_size?: unknown; quantization_level?: unknown } }) =>
    typeof m?.name === "string"
      ? [{ name: m.name, detail: [m.details?.parameter_size, m.details?.quantization_level].filter((d) => typeof d === "string").join(", ") }]
      : [],
  );
}

export async function list(base: string): Promise<Model[]> {
  const reply = await fetch(base + "/api/tags", { signal: AbortSignal.timeout(3000), redirect: "error" });
  if (!reply.ok) {
    throw new Error(`${base} answered ${reply.status}`);
  }
  return parse(await reply.json());
}
