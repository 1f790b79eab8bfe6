// Opens pages of `readahead inspect` in a real Chromium, as people do who have
// no mouse, a dark room or a small screen, and says what is wrong.
//
//   node page.mjs CHROMIUM SCREENSHOTS|- PAGE…      exit status 1 if something is
//
// cmd/readahead/inspect_browser_test.go writes the pages and runs this.
import assert from "node:assert/strict";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [, , executablePath, screenshots, ...pages] = process.argv;
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const browser = await chromium.launch({ executablePath, args: flags });
let failed = 0;

// check opens a page in a browser window of its own and runs one test on it.
async function check(path, what, window, test) {
  const context = await browser.newContext({ viewport: { width: 1100, height: 850 }, ...window });
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (m) => wrong.push(`console: ${m.text()}`));
  page.on("pageerror", (e) => wrong.push(`error: ${e}`));
  page.on("dialog", (d) => { wrong.push(`dialog: ${d.message()}`); void d.dismiss(); });
  context.on("request", (r) => { if (r.url().split("#")[0] !== url) wrong.push(`request: ${r.url()}`); });
  const url = pathToFileURL(path).href;
  try {
    await page.goto(url);
    await test(page);
    assert.deepEqual(wrong, []);
    console.log(`ok    ${basename(path)}: ${what}`);
  } catch (e) {
    failed++;
    console.log(`WRONG ${basename(path)}: ${what}\n${e.message}`);
  } finally {
    await context.close();
  }
}

// README's picture: the head of a page.
async function picture(page, path) {
  if (screenshots === "-") return;
  await page.setViewportSize({ width: 980, height: 1500 });
  await page.screenshot({ path: `${screenshots}/${basename(path, ".html")}-picture.png` });
}

const openAll = (page) => page.evaluate(() => { for (const d of document.querySelectorAll("details")) d.open = true; });

async function shot(page, path, name) {
  if (screenshots === "-") return;
  await page.screenshot({ path: `${screenshots}/${basename(path, ".html")}-${name}.png`, fullPage: true });
}

// tabTo presses Tab until the focus is on what matches.
async function tabTo(page, selector) {
  for (let i = 0; i < 400; i++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate((s) => document.activeElement?.matches(s), selector)) return;
  }
  assert.fail(`no number of Tabs leads to ${selector}`);
}

// contrast lists texts that do not stand out from their background by WCAG 2.2's
// 4.5 : 1, or 3 : 1 where they are large.
const contrast = () => {
  const linear = (v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const parse = (c) => c.match(/[\d.]+/g).map(Number);
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length < 4 || c[3] === 1) return c;
      if (c[3] > 0) throw new Error("a half transparent background: measure it by hand");
    }
    return [255, 255, 255];
  };
  const bad = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n = walk.nextNode(); n; n = walk.nextNode()) {
    const e = n.parentElement, style = getComputedStyle(e);
    if (!n.data.trim() || e.closest("script, style, .label, .skip") || !e.checkVisibility()) continue;
    const [a, b] = [luminance(parse(style.color)), luminance(behind(e))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05), size = parseFloat(style.fontSize);
    const large = size >= 24 || size >= 18.66 && style.fontWeight >= 700;
    if (ratio < (large ? 3 : 4.5)) bad.add(`${ratio.toFixed(2)} ${e.tagName}.${e.className}: ${n.data.trim().slice(0, 40)}`);
  }
  return [...bad];
};

for (const path of pages) {
  await check(path, "loads without a word on the console or a request", {}, async (page) => {
    await openAll(page);
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    assert.ok((await page.title()).endsWith("· readahead"));
    await shot(page, path, "open");
  });

  for (const colorScheme of ["light", "dark"]) {
    await check(path, `can be read in ${colorScheme} mode`, { colorScheme }, async (page) => {
      await shot(page, path, colorScheme);
      if (colorScheme === "light") await picture(page, path);
      await openAll(page);
      assert.deepEqual(await page.evaluate(contrast), []);
    });
  }

  for (const width of [320, 375]) {
    await check(path, `fits a screen of ${width} px`, { viewport: { width, height: 700 } }, async (page) => {
      await shot(page, path, `${width}px`);
      await openAll(page);
      assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll("body *")]
        .filter((e) => e.checkVisibility() && !e.closest(".skip, .label") && e.getBoundingClientRect().right > innerWidth + 1)
        .map((e) => `${e.tagName}.${e.className}: ${e.textContent.slice(0, 40)}`)), []);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    });
  }

  await check(path, "says what everything is that takes the focus", {}, async (page) => {
    await openAll(page);
    assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll("a, summary, button, [tabindex]")]
      .filter((e) => !e.getAttribute("aria-label") && !e.textContent.trim()).map((e) => e.outerHTML.slice(0, 80))), []);
    const levels = await page.evaluate(() => [...document.querySelectorAll("h1, h2, h3, h4")].map((h) => +h.tagName[1]));
    assert.equal(levels.filter((l) => l === 1).length, 1);
    levels.reduce((before, now) => { assert.ok(now <= before + 1, `h${before} is followed by h${now}`); return now; });
  });

  const segments = await (async () => {
    const page = await browser.newPage();
    await page.goto(pathToFileURL(path).href);
    const found = { segments: await page.locator(".segments a").count(), heat: await page.locator(".heat").count() };
    await page.close();
    return found;
  })();
  console.log(`      ${basename(path)}: ${segments.segments} segments, ${segments.heat} heat maps`);
  if (segments.segments === 0) continue;

  await check(path, "a segment is reached by Tab and opened by Enter", { reducedMotion: "reduce" }, async (page) => {
    await tabTo(page, ".segments a");
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    assert.notEqual(outline, "none", "the focus cannot be seen");
    if (await page.locator(".segments").first().locator("a").count() > 1) {
      await page.keyboard.press("ArrowRight");
      assert.equal(await page.evaluate(() => document.activeElement.dataset.opens), "o0-1");
      await page.keyboard.press("ArrowLeft");
    }
    assert.equal(await page.locator("#o0-0").getAttribute("open"), null);
    await page.keyboard.press("Enter");
    assert.ok(await page.locator("#o0-0 .listing").first().isVisible());
    assert.ok(await page.evaluate(() => document.activeElement === document.querySelector("#o0-0 > summary")));
    await page.keyboard.press("Enter");
    assert.ok(!(await page.locator("#o0-0 .listing").first().isVisible()), "Enter closes it again");
  });

  await check(path, "a segment opens without script, too", { javaScriptEnabled: false }, async (page) => {
    await page.locator(".segments a").first().focus();
    await page.keyboard.press("Enter");
    await page.locator("#o0-0 .listing").first().waitFor({ state: "visible", timeout: 5000 });
  });

  if (segments.heat === 0) continue;
  await check(path, "the arrow keys read the heat map", {}, async (page) => {
    await tabTo(page, ".heat");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    const said = await page.locator(".readout").first().textContent();
    assert.match(said, /(%|1 in|million|ruled out).*ln p/);
    const levels = await page.evaluate(() => new Set([...document.querySelectorAll(".heat > span")].map((s) => s.className.split(" ")[0])).size);
    assert.ok(levels > 2, `${levels} shades tell nothing apart`);
  });
}
await browser.close();
process.exit(failed > 0 ? 1 : 0);
