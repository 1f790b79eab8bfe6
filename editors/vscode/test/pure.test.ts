import assert from "node:assert/strict";
import { test } from "node:test";
import { inspected } from "../src/inspected";
import { locate } from "../src/locate";
import { address, parse } from "../src/models";
import { explicit, keys } from "../src/settings";
import { bar, modelOf, type State } from "../src/state";
import manifest from "../package.json";

const places = { setting: "", extension: "/ext", path: "/usr/bin::/opt/bin", windows: false, home: "/home/me" };
const only = (...files: string[]) => (file: string) => files.includes(file);

test("the setting wins over everything, and ~ is the home folder", () => {
  assert.deepEqual(locate({ ...places, setting: "~/bin/ra", isExecutable: only("/home/me/bin/ra", "/ext/server/readahead") }), { file: "/home/me/bin/ra" });
});

test("a setting that leads nowhere is an error, not a reason to look elsewhere", () => {
  const found = locate({ ...places, setting: "/nowhere/ra", isExecutable: only("/usr/bin/readahead") });
  assert.match("error" in found ? found.error : "", /\/nowhere\/ra.*go install/);
});

test("the packaged server wins over PATH", () => {
  assert.deepEqual(locate({ ...places, isExecutable: only("/ext/server/readahead", "/usr/bin/readahead") }), { file: "/ext/server/readahead" });
});

test("PATH is searched in order, without its empty entries", () => {
  assert.deepEqual(locate({ ...places, isExecutable: only("/readahead", "/opt/bin/readahead") }), { file: "/opt/bin/readahead" });
});

test("on Windows the program has a suffix and PATH has semicolons", () => {
  const found = locate({ ...places, windows: true, path: "C:\\a;D:\\b", isExecutable: only("D:\\b\\readahead.exe") });
  assert.deepEqual(found, { file: "D:\\b\\readahead.exe" });
});

test("without a server the error says what to do", () => {
  const found = locate({ ...places, isExecutable: only() });
  assert.match("error" in found ? found.error : "", /go install \.\/cmd\/readahead.*readahead\.path/);
});

test("the server sees what was set, the most specific value of it, and no defaults", () => {
  const seen = explicit([
    { key: "model", globalValue: "mine" },
    { key: "samples" },
    { key: "multiline", globalValue: true, workspaceValue: false },
    { key: "path", globalValue: "/bin/ra" },
  ]);
  assert.deepEqual(seen, { model: "mine", multiline: false });
});

test("no workspace may send code elsewhere, start another program or widen what is read", () => {
  const properties: Record<string, { scope: string }> = manifest.contributes.configuration.properties;
  for (const key of ["path", "endpoint", "model", "ignore", "maxFileSize"]) {
    assert.equal(properties["readahead." + key]?.scope, "machine", key);
  }
  assert.ok(keys(manifest).includes("debounceMs"));
});

const calm: State = { running: true, paused: false, waiting: 0, status: "readahead 1 is on.\nmodel: qwen2.5-coder:1.5b (ollama)\nindex: 2 files" };

test("the status bar names the model, and what comes first is what it shows", () => {
  for (const [what, state, text] of [
    ["nothing to say", calm, "$(sparkle) qwen2.5-coder:1.5b"],
    ["a request waits", { ...calm, waiting: 2 }, "$(loading~spin) qwen2.5-coder:1.5b"],
    ["indexing hides that", { ...calm, waiting: 2, indexing: "files 1/9" }, "$(sync~spin) qwen2.5-coder:1.5b"],
    ["paused hides indexing", { ...calm, indexing: "files 1/9", paused: true }, "$(debug-pause) readahead"],
    ["starting", { ...calm, running: false }, "$(loading~spin) readahead"],
    ["failed", { ...calm, failed: "there is no program" }, "$(error) readahead"],
  ] as const) {
    assert.equal(bar(state).text, text, what);
  }
  assert.match(bar({ ...calm, indexing: "files 1/9" }).tooltip, /files 1\/9/);
  assert.equal(bar({ ...calm, failed: "why" }).tooltip, "why");
});

test("the model is read out of the status", () => {
  assert.equal(modelOf("x\nmodel: embedded, because nobody answers\n"), "embedded");
  assert.equal(modelOf("x\nmodel: not asked yet"), "");
  assert.equal(modelOf(""), "");
});

test("the model server's address is understood as Ollama understands it", () => {
  for (const [setting, host, want] of [
    ["", undefined, "http://127.0.0.1:11434"],
    ["", "0.0.0.0", "http://127.0.0.1:11434"],
    ["", "box:1234", "http://box:1234"],
    ["https://box.example/ollama/", "ignored", "https://box.example/ollama"],
    ["http://box", undefined, "http://box:11434"],
  ] as const) {
    assert.equal(address(setting, host), want);
  }
});

test("a strange answer is no list of models", () => {
  assert.deepEqual(parse({ models: [{ name: "a:1b", details: { parameter_size: "1B", quantization_level: "Q4" } }, { size: 3 }, null] }), [
    { name: "a:1b", detail: "1B, Q4" },
  ]);
  for (const strange of [null, undefined, 3, "x", {}, { models: {} }]) {
    assert.deepEqual(parse(strange), []);
  }
});

test("of a suggestion there is a page, or a report, or nothing", () => {
  assert.deepEqual(inspected("/cache/a.html"), { page: "/cache/a.html", shown: false });
  assert.deepEqual(inspected({ page: "/cache/a.html", shown: true, model: "m" }), { page: "/cache/a.html", shown: true });
  assert.deepEqual(inspected({ page: "", model: "m" }), { json: '{\n  "page": "",\n  "model": "m"\n}' });
  assert.equal(inspected(null), undefined);
});
