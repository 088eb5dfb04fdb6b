// The playground in headless Chromium, against the weir serve whose address is
// the first argument; pictures go to the folder of the second:
// playground_test.py starts it. Everything is done by the keyboard.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import test, { after, before } from "node:test";

const root = fileURLToPath(new URL("../..", import.meta.url));
const require = createRequire(root + ".cache/clients/npm/");
const { chromium } = require("playwright-core");
const [url, pictures, program] = process.argv.slice(2);
let browser;

before(async () => {
  browser = await chromium.launch({ executablePath: program,
    args: ["--no-sandbox", "--disable-gpu"] });
});
after(() => browser.close());

// A page, and what it must not do: errors, and requests to others.
async function open(options = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage(), faults = [];
  page.on("pageerror", error => faults.push(String(error)));
  page.on("console", message => {
    // a refusal is looked at by the page, and told by the browser, too
    if (message.type() === "error" && !/status of 400/.test(message.text()))
      faults.push(message.text());
  });
  page.on("request", request => {
    if (!request.url().startsWith(url) && !request.url().startsWith("data:"))
      faults.push(request.url());
  });
  await page.goto(url + "/");
  await page.waitForFunction(() => document.getElementById("model")
    .textContent.startsWith("model: "));
  return { page, done: async () => {
    assert.deepEqual(faults, []);
    await context.close();
  } };
}

// The kind of constraint, by arrow keys from the one that is chosen.
async function pick(page, kind) {
  await page.focus("[name=kind]:checked");
  for (let i = 0; i < 6; i++) {
    if (await page.inputValue("[name=kind]:checked") === kind) return;
    await page.keyboard.press("ArrowRight");
  }
  assert.equal(await page.inputValue("[name=kind]:checked"), kind);
}

async function type(page, id, text) {
  await page.focus("#" + id);
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText(text);
}

const text = (page, id) => page.textContent("#" + id);

async function generate(page, kind) {
  await page.keyboard.press("Control+Enter");
  await page.waitForFunction(() => !/^(Generating|Nothing)/.test(
    document.getElementById("status").textContent), null, { timeout: 60000 });
  assert.match(await text(page, "status"), /The constraint is met\./, kind);
  const shown = await page.evaluate(() => ({
    tokens: document.querySelectorAll("#tokens .t").length,
    bars: document.querySelectorAll("#plot .bar").length,
    kinds: [...new Set([...document.querySelectorAll("#tokens .t")]
      .map(t => t.classList[1]))].sort() }));
  assert.ok(shown.tokens > 0);
  assert.equal(shown.bars, shown.tokens);
  return { ...shown, answer: await text(page, "answer") };
}

const goes = (name, run, options) => test(name, async () => {
  const { page, done } = await open(options);
  await run(page);
  await done();
});

goes("a schema", async page => {
  await pick(page, "schema");
  const shown = await generate(page, "schema");
  const value = JSON.parse(shown.answer);
  assert.deepEqual(Object.keys(value), ["name", "age", "city"]);
  assert.deepEqual(shown.kinds, ["constrained", "forced"]);
  // from token to token
  await page.focus("#tokens");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.match(await text(page, "token"), /^2 of \d+: .* tokens allowed$/);
  assert.equal(await page.locator("#plot .bar.now").count(), 1);
  await page.screenshot({ path: join(pictures, "playground.png"),
    fullPage: true });
});

goes("a regular expression", async page => {
  await pick(page, "regex");
  const { answer } = await generate(page, "regex");
  assert.match(answer, /^\d{4}-\d\d-\d\d$/);
});

goes("grammars in three languages", async page => {
  await pick(page, "grammar");
  const shapes = [/^[-+()0-9]+$/, /^[KQRBN]?[a-h][1-8]-[a-h][1-8]$/,
    /^SELECT [a-z]+(, [a-z]+)* FROM [a-z]+$/];
  for (const shape of shapes) {
    const { answer } = await generate(page, String(shape));
    assert.match(answer, shape);
    await page.focus("#example");
    await page.keyboard.press("ArrowDown");
  }
});

goes("a choice", async page => {
  await pick(page, "choice");
  const { answer } = await generate(page, "choice");
  assert.ok(["positive", "negative", "neutral"].includes(answer));
});

goes("tools", async page => {
  await pick(page, "tools");
  await type(page, "most", "900"); // the model likes blanks
  const { answer } = await generate(page, "tools");
  const call = /→ get_weather\((\{.*\})\)$/s.exec(answer);
  assert.equal(typeof JSON.parse(call[1]).city, "string");
});

goes("a prompt as it is", async page => {
  await pick(page, "choice");
  await page.focus("#raw");
  await page.keyboard.press("Space");
  await generate(page, "raw");
  assert.match(await text(page, "curl"), /\/v1\/completions'/);
});

goes("no constraint, stopped by Escape", async page => {
  await pick(page, "none");
  await type(page, "most", "1200");
  await page.keyboard.press("Control+Enter");
  await page.waitForSelector("#tokens .t.free");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => /stopped by you|stopped by itself|cut at/
    .test(document.getElementById("status").textContent));
  assert.ok(await page.isDisabled("#stop"));
});

// What is wrong is marked, and a button leads there.
async function faulty(page, place) {
  await page.waitForSelector("#fault button");
  await page.focus("#fault button");
  await page.keyboard.press("Enter");
  const marked = await page.evaluate(() => {
    const box = document.activeElement;
    return box.value?.slice(box.selectionStart, box.selectionEnd);
  });
  assert.equal(marked, place);
}

goes("a schema that is wrong", async page => {
  await pick(page, "schema");
  await page.focus("#example");
  for (let i = 0; i < 2; i++) await page.keyboard.press("ArrowDown");
  await faulty(page, '"int"');
  assert.match(await text(page, "fault"), /integer/);
  await page.screenshot({ path: join(pictures, "playground-fault.png"),
    fullPage: true });
  await type(page, "source", '{"a": [1, }');
  await faulty(page, "}");
  await type(page, "source", '{"type": "object"}');
  await page.waitForFunction(() =>
    !document.getElementById("fault").textContent);
});

goes("an expression that is wrong", async page => {
  await pick(page, "regex");
  await type(page, "source", "é\\d(b");
  await faulty(page, "(");
  await page.keyboard.press("Control+Enter");
  await page.waitForFunction(() =>
    document.getElementById("status").textContent === "Refused.");
});

goes("the same by curl", async page => {
  await pick(page, "regex");
  await type(page, "source", "(it's|x\"y) [0-9]{3}");
  const { answer } = await generate(page, "curl");
  const told = execFileSync("sh", ["-c", await text(page, "curl")],
    { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const said = told.split("\n").filter(line => line.startsWith("data: {"))
    .map(line => JSON.parse(line.slice(6)).choices[0].delta.content ?? "");
  assert.equal(said.join(""), answer);
});

// Contrast of a colour with what is behind it, by WCAG 2.
function contrast(page, selector) {
  return page.evaluate(selector => {
    const parse = color => color.match(/[\d.]+/g).map(Number);
    const light = ([r, g, b]) => [r, g, b].map(c => c / 255)
      .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
      .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const node = document.querySelector(selector);
    let behind = node, color;
    for (;; behind = behind.parentElement) {
      color = parse(getComputedStyle(behind).backgroundColor);
      if (color.length === 3 || color[3] > 0) break;
    }
    const both = [light(color), light(parse(getComputedStyle(node).color))];
    return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
  }, selector);
}

for (const scheme of ["light", "dark"])
  goes(`colours of the ${scheme} page`, async page => {
    await pick(page, "schema");
    await generate(page, "schema");
    for (const selector of ["body", "header p", "small", ".t.constrained",
      ".t.forced", "button.main", "#source", ".choices label:has(:checked)",
      ".choices label", "#status strong", "#curl"])
      assert.ok(await contrast(page, selector) >= 4.5, selector);
    await page.screenshot({ path: join(pictures, `playground-${scheme}.png`) });
  }, { colorScheme: scheme });

goes("a phone", async page => {
  await pick(page, "schema");
  await generate(page, "schema");
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 360, `${wide} pixels`);
  await page.screenshot({ path: join(pictures, "playground-phone.png"),
    fullPage: true });
}, { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true,
  colorScheme: "dark" });
