#!/usr/bin/env node
// schema_walks.mjs: every output of `weir sample --schema` is valid for
// independent validators, over real schemas.
//
//   schema_walks.mjs [--schemas N] [--outputs N] [--seed S] [--show N]
//
// N schemas are drawn from ../shared/data/maskbench-dev.jsonl. An output that
// Ajv refuses is put to Hyperjump's validator too; when that takes it, Ajv has
// erred. A key may not come twice in an object. Schemas that weir refuses are
// counted by reason, for the benchmark row maskbench judges those.
// Ends with `N passed, N failed`: schemas. Exit code 77: skipped.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import {
    Random, ajvCompile, draftOf, hyperjumpCheck, needs, program, root,
} from "./schema_validators.mjs";

const options = { schemas: 60, outputs: 3, seed: 1, show: 20 };
for (let i = 2; i < process.argv.length; i += 2)
    options[process.argv[i].slice(2)] = Number(process.argv[i + 1]);
if (process.env.WEIR_QUICK) options.schemas = Math.min(options.schemas, 12);
if (process.env.WEIR_CASES) options.schemas = Number(process.env.WEIR_CASES);
if (process.env.WEIR_SEED) options.seed = Number(process.env.WEIR_SEED);

const vocabularies = process.env.WEIR_VOCAB_DIR ??
    path.join(root, ".cache", "vocab");
const tokenizer = path.join(vocabularies, "llama3", "tokenizer.json");
const cases = path.join(root, "..", "shared", "data", "maskbench-dev.jsonl");
const folder = mkdtempSync(path.join(tmpdir(), "weir-walks-"));

const total = { outputs: 0, incomplete: 0, ajvErred: 0, unjudged: 0 };
const refused = new Map(), failures = [];
let passed = 0, failed = 0; // schemas

function sample(schemaText, number) {
    const file = path.join(folder, `${number}.json`);
    writeFileSync(file, schemaText);
    return new Promise((done) => execFile(program("weir"), ["sample",
        "--schema", file, "--tokenizer", tokenizer, "-n", options.outputs,
        "--seed", options.seed + number, "--max-tokens", 384, "--json"],
    { timeout: 120000, maxBuffer: 1 << 26 },
    (error, stdout, stderr) => done({
        code: error ? error.code ?? error.signal : 0, stdout, stderr })));
}

// The first key that comes twice in an object of a JSON text, or null.
function duplicateKey(text) {
    const open = [];
    const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;
    let last = null;
    for (let match; (match = tokens.exec(text));) {
        const token = match[0];
        if (token === "{") open.push(new Set());
        else if (token === "[") open.push(null);
        else if (token === "}" || token === "]") open.pop();
        else if (token === ":") {
            const key = JSON.parse(last), keys = open.at(-1);
            if (keys.has(key)) return key;
            keys.add(key);
        }
        last = token;
    }
    return null;
}

// Whether the validators, which read numbers as doubles, divide another number
// than the one that the output spells.
const isBeyondDoubles = (schema, text) => /\d{16}/.test(text) &&
    JSON.stringify(schema).includes('"multipleOf":');

// Why an output is wrong, or null.
async function fault(schema, draft, text, check) {
    let value;
    try {
        value = JSON.parse(text);
    } catch (error) {
        return `no JSON: ${error.message}`;
    }
    const twice = duplicateKey(text);
    if (twice !== null) return `key ${JSON.stringify(twice)} comes twice`;
    if (check?.(value)) return null;
    if (isBeyondDoubles(schema, text)) {
        total.unjudged++;
        return null;
    }
    const second = await hyperjumpCheck(schema, draft, [value]);
    if (second?.[0]) {
        total.ajvErred += check ? 1 : 0;
        return null;
    }
    if (!check && !second) {
        total.unjudged++;
        return null;
    }
    return second ? "invalid for both validators"
        : "invalid for Ajv, no second verdict";
}

async function walk(line, number) {
    const { file, schema } = line;
    const draft = draftOf(schema);
    const result = await sample(JSON.stringify(schema), number);
    if (result.code === 2) {
        const reason = result.stderr.split("\n")[0].replace(/^.*error: /, "");
        refused.set(reason.slice(0, 60),
            (refused.get(reason.slice(0, 60)) ?? 0) + 1);
        return;
    }
    let isGood = result.code === 0 || result.code === 1;
    if (!isGood)
        failures.push({ file, reason: `weir ended with ${result.code}` });
    let check = null;
    try {
        check = ajvCompile(schema, draft);
    } catch { /* the other validator decides */ }
    for (const output of result.stdout.split("\n").filter(Boolean)) {
        total.outputs++;
        const text = JSON.parse(output);
        const reason = await fault(schema, draft, text, check);
        if (!reason) continue;
        isGood = false;
        failures.push({ file, reason, text });
    }
    if (result.code === 1) total.incomplete++;
    passed += isGood ? 1 : 0;
    failed += isGood ? 0 : 1;
}

async function main() {
    needs(program("weir"), tokenizer, cases);
    const lines = readFileSync(cases, "utf8").split("\n").filter(Boolean);
    const random = new Random(options.seed);
    const chosen = new Set();
    while (chosen.size < Math.min(options.schemas, lines.length))
        chosen.add(random.below(lines.length));
    const todo = [...chosen];
    const worker = async () => {
        while (todo.length) {
            const number = todo.pop();
            await walk(JSON.parse(lines[number]), number);
        }
    };
    await Promise.all([worker(), worker()]);
    rmSync(folder, { recursive: true });
    for (const f of failures.slice(0, options.show))
        console.log(`${f.file}: ${f.reason}\n  ${f.text ?? ""}`);
    for (const [reason, count] of refused)
        console.log(`not compiled, ${count}: ${reason}`);
    console.log(`${total.outputs} outputs of ${chosen.size} schemas, seed ` +
        `${options.seed}: ${total.incomplete} schemas with incomplete ones, ` +
        `${total.ajvErred} where Ajv errs, ${total.unjudged} without verdict`);
    console.log(`${passed} passed, ${failed} failed`);
    process.exit(failed ? 1 : 0);
}

await main();
