// Sits at VS Code's workbench in a browser, for cmd/readahead's tests: presses the
// keys that it is told to, and says what is seen.
//
//   node drive.mjs DIR URL     DIR as get-vscode.sh made it; URL of the workbench
//
// A line of JSON in, a line of JSON out, in order:
//
//   {"keys": ["Tab"]}            by playwright's names: "Control+Space", "Alt+BracketRight"
//   {"text": "va"}               typed at once
//   {"click": "text"}            what carries this text: a button, a line of a list
//   {"look": true}               → {"rows", "ghost", "menu", "status", "notices", "frames"}
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

const browser = await chromium.launch({
  executablePath: dir + "/browser",
  args: [
    "--no-sandbox", // containers have no user namespaces; all that is loaded is our own server's
    "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
  ],
});
const page = await browser.newPage({ viewport: { width: 900, height: 560 }, deviceScaleFactor: 1 });
page.setDefaultTimeout(BOUND);
await page.goto(url, { waitUntil: "domcontentloaded", timeout: 2 * BOUND });

/** What a person sees of the workbench, as text. Runs in the page. */
function look() {
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.getClientRects().length > 0);
  const text = (e) => e.textContent.replaceAll("\u00a0", " ").replaceAll(/[\u200b-\u200d\u2060\ufeff]/g, "");
  const texts = (selector) => shown(selector).map(text);
  const top = (e) => e.getBoundingClientRect().top;
  const icons = (e) => [...e.querySelectorAll(".codicon")].flatMap((i) => [...i.classList])
    .filter((c) => c.startsWith("codicon-") && !c.includes("modifier")).map((c) => c.slice("codicon-".length));
  const group = ".editor-group-container.active .editor-instance ";
  return {
    rows: shown(group + ".view-line").sort((a, b) => top(a) - top(b)).map(text),
    ghost: shown(".ghost-text, .ghost-text-decoration, .ghost-text-decoration-preview, .suggest-preview-text .view-line")
      .sort((a, b) => top(a) - top(b)).map(text),
    menu: texts(".suggest-widget.visible .monaco-list-row .label-name"),
    status: shown(".statusbar-item").filter((e) => e.id.startsWith("readahead"))
      .map((e) => [...icons(e).map((i) => `(${i})`), text(e).trim()].join(" ")),
    notices: texts(".notifications-toasts .notification-list-item-message"),
    tabs: texts(".tabs-container .tab .label-name"),
  };
}

const commands = {
  keys: async (names) => {
    for (const name of names) {
      await page.keyboard.press(name);
    }
  },
  text: (text) => page.keyboard.insertText(text),
  write: (text) => page.keyboard.type(text),
  click: (text) => page.getByText(text, { exact: true }).first().click(),
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
