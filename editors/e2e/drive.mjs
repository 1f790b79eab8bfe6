// Sits at VS Code's workbench in a browser, for cmd/readahead's tests: presses the
// keys that it is told to, and says what is seen.
//
//   node drive.mjs DIR URL     DIR as get-vscode.sh made it; URL of the workbench
//
// A line of JSON in, a line of JSON out, in order:
//
//   {"keys": ["Tab"]}            by playwright's names: "Control+Space", "Alt+BracketRight"
//   {"write": "va"}              typed
//   {"look": true}               → {"rows", "ghost", "menu", "pick", "status", "notices", "tabs", "output", "focus"}
//   {"picture": "file.png"}      what is seen, as an image
//
// An answer with "error" says what could not be done. It waits for nothing: the
// test looks until it sees what it means to see. It ends with its input.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { writeFileSync } from "node:fs";

const [dir, url] = process.argv.slice(2);
const { chromium } = createRequire(dir + "/driver/")("playwright-core");

/** How long one command may take, in milliseconds. */
const BOUND = 20_000;
/** How long the browser and the first page may. */
const START = 120_000;

const browser = await chromium.launch({
  timeout: START,
  executablePath: dir + "/browser",
  args: [
    "--no-sandbox", // containers have no user namespaces; all that is loaded is our own server's
    "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
  ],
});
const page = await browser.newPage({ viewport: { width: 900, height: 560 }, deviceScaleFactor: 1 });
page.setDefaultTimeout(BOUND);
await page.goto(url, { waitUntil: "commit", timeout: START });

/** What a person sees of the workbench, as text. Runs in the page. */
function look() {
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.getClientRects().length > 0);
  const text = (e) => e.textContent.replaceAll("\u00a0", " ").replaceAll(/[\u200b-\u200d\u2060\ufeff]/g, "");
  const texts = (selector) => shown(selector).map(text);
  const top = (e) => e.getBoundingClientRect().top;
  const icons = (e) => [...e.querySelectorAll(".codicon")].flatMap((i) => [...i.classList])
    .filter((c) => c.startsWith("codicon-") && !c.includes("modifier")).map((c) => c.slice("codicon-".length));
  const lines = shown(".editor-group-container.active .editor-instance .view-line").sort((a, b) => top(a) - top(b));
  const ghost = ".ghost-text-decoration, .ghost-text, .ghost-text-decoration-preview";
  return {
    rows: lines.map(text),
    ghost: lines.map((line) => [...line.querySelectorAll(ghost)].map(text).join("") || (line.closest(".suggest-preview-text") ? text(line) : ""))
      .filter((row) => row !== ""),
    menu: texts(".suggest-widget.visible .monaco-list-row .label-name"),
    pick: texts(".quick-input-widget .monaco-list-row .label-name"),
    status: shown(".statusbar-item").filter((e) => e.id.startsWith("readahead"))
      .map((e) => [...icons(e).map((i) => `(${i})`), text(e).trim()].join(" ")),
    notices: texts(".notifications-toasts .notification-list-item-message"),
    tabs: texts(".tabs-container .tab .monaco-icon-label"),
    output: [...shown(".part.panel select").flatMap((e) => [...e.selectedOptions].map(text)), ...texts(".part.panel .view-line")],
    focus: document.activeElement?.closest(".editor-instance .monaco-editor") != null,
  };
}

const commands = {
  keys: async (names) => {
    for (const name of names) {
      await page.keyboard.press(name);
    }
  },
  write: (text) => page.keyboard.type(text),
  look: async () => await page.evaluate(look),
  picture: async (file) => writeFileSync(file, await page.screenshot()),
};

const bounded = (work) => {
  let timer;
  const late = new Promise((_, no) => (timer = setTimeout(() => no(new Error(`not done in ${BOUND} ms`)), BOUND)));
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
};

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    const [[name, argument]] = Object.entries(JSON.parse(line));
    answer = (await bounded(commands[name](argument))) ?? {};
  } catch (e) {
    answer = { error: String(e) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
await browser.close();
