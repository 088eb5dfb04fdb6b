// web-xgrammar, xgrammar as WebAssembly, through its JavaScript API:
//   node peer_web_xgrammar.mjs TOKENIZER.json WIDTH STOP,STOP...
// The conversation is that of peer_kit.py. Any blanks, one line or many, not
// strict, no cache. A mask is a promise and an array of its own: so is its API.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";

const folder = process.env.WEIR_PEERS_NODE;
const require = createRequire(`${folder}/`);
const entry = require.resolve("@mlc-ai/web-xgrammar");
const say = process.stdout.write.bind(process.stdout);
console.log = console.info = console.error; // an engine's own words
// The package says that it is a module, and uses what only scripts have.
Object.assign(globalThis,
  { require, __filename: entry, __dirname: dirname(entry) });
const found = await import(pathToFileURL(entry).href);
const xgrammar = found.TokenizerInfo ? found : globalThis.xgrammar;
const { version } = JSON.parse(
  readFileSync(entry.replace(/lib\/index\.js$/, "package.json"), "utf8"));

const now = () => process.hrtime.bigint();
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

// The median time of a call, in ns.
function callNs(call) {
  const times = [];
  for (let i = 0; i < 20001; i++) {
    const begin = now();
    call();
    times.push(Number(now() - begin));
  }
  return median(times);
}
const clockNs = callNs(() => {});
const usSince = (begin) => Math.max(0, Number(now() - begin) - clockNs) * 1e-3;

const [tokenizer, width, stops] = process.argv.slice(2);
const stopIds = stops.split(",").map(Number);

function readTokens() {
  const model = JSON.parse(readFileSync(tokenizer, "utf8"));
  const tokens = new Array(Number(width)).fill("");
  for (const [text, id] of Object.entries(model.model.vocab)) tokens[id] = text;
  for (const added of model.added_tokens ?? [])
    tokens[added.id] = added.content;
  return tokens;
}

const info = await xgrammar.TokenizerInfo.createTokenizerInfo(
  readTokens(), "byte_level", false, Number(width), stopIds);
const compiler =
  await xgrammar.GrammarCompiler.createGrammarCompiler(info, false);

const compile = (job) => job.kind === "gbnf"
  ? compiler.compileGrammar(job.source, job.root)
  : compiler.compileJSONSchema(job.source, true, -1, undefined, false);

const allows = (row, id) => (row[id >> 5] >>> (id & 31)) & 1;

async function runTest(grammar, ids) {
  const matcher = await xgrammar.GrammarMatcher.createGrammarMatcher(grammar);
  const us = [];
  let taken = 0;
  for (const id of ids) {
    const begin = now();
    await matcher.getNextTokenBitmask();
    const accepted = matcher.acceptToken(id);
    us.push(usSince(begin));
    if (!accepted) break;
    taken++;
  }
  let mayStop = false;
  if (taken === ids.length) {
    const row = await matcher.getNextTokenBitmask();
    mayStop = stopIds.some((id) => allows(row, id));
  }
  matcher.dispose();
  return { us, taken, may_stop: mayStop };
}

async function runJob(job) {
  let grammar;
  try {
    const begin = now();
    grammar = await compile(job);
    const matcher = await xgrammar.GrammarMatcher.createGrammarMatcher(grammar);
    await matcher.getNextTokenBitmask();
    const ttfm = usSince(begin);
    matcher.dispose();
    const tests = [];
    for (const ids of job.tests) tests.push(await runTest(grammar, ids));
    return { ttfm_us: ttfm, tests };
  } catch (error) {
    return { error: String(error).slice(0, 300) };
  } finally {
    grammar?.dispose();
  }
}

const empty = await xgrammar.GrammarMatcher.createGrammarMatcher(
  await compile({ kind: "json_schema", source: '{"type":"null"}' }));
const overhead = callNs(() => empty.isTerminated());
say(JSON.stringify({ name: "web-xgrammar", version,
  overhead_ns: Math.max(0, overhead - clockNs),
  overhead_of: "GrammarMatcher.isTerminated()" }) + "\n");
for await (const line of createInterface({ input: process.stdin }))
  say(JSON.stringify(await runJob(JSON.parse(line))) + "\n");
