// schema_validators.mjs: the independent validators that the scripts compare
// weir with, and the driver through which they ask weir.
//
// Ajv is fast and asked of everything; Hyperjump's validator follows the
// standard closely and is asked where the two disagree. Both hold numbers as
// doubles. Found in .cache/validators, where scripts/validators/install puts
// them.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const root = path.dirname(path.dirname(path.dirname(
    fileURLToPath(import.meta.url))));
const home = path.join(root, ".cache", "validators");
const require = createRequire(path.join(home, "package.json"));
const build = process.env.WEIR_BUILD ?? path.join(root, "build");

export const program = (name) => path.join(build, name);

// Ends the run as skipped when something is missing.
export function needs(...files) {
    for (const file of [path.join(home, "package-lock.json"), ...files]) {
        if (existsSync(file)) continue;
        console.log(`${file} is missing: skipped`);
        process.exit(77);
    }
}

const drafts = {
    "4": ["ajv-draft-04", "draft-04", "http://json-schema.org/draft-04/schema#"],
    "6": ["ajv", "draft-06", "http://json-schema.org/draft-06/schema#"],
    "7": ["ajv", "draft-07", "http://json-schema.org/draft-07/schema#"],
    "2019-09": ["ajv/dist/2019", "draft-2019-09",
        "https://json-schema.org/draft/2019-09/schema"],
    "2020-12": ["ajv/dist/2020", "draft-2020-12",
        "https://json-schema.org/draft/2020-12/schema"],
};

// The draft that a schema names, or `otherwise`.
export function draftOf(schema, otherwise = "2020-12") {
    const uri = String(schema?.$schema ?? "").replace(/#$/, "");
    for (const [draft, row] of Object.entries(drafts))
        if (row[2].replace(/#$/, "") === uri) return draft;
    return otherwise;
}

const engines = new Map(); // draft -> Ajv, made anew now and then

function engineOf(draft) {
    let engine = engines.get(draft);
    if (!engine || engine.uses++ > 200) {
        const { default: Ajv } = require(drafts[draft][0]);
        const { default: formats } = require("ajv-formats");
        const ajv = new Ajv({
            strict: false, validateSchema: false, logger: false,
            multipleOfPrecision: 9,
        });
        formats(ajv);
        if (draft === "6")
            ajv.addMetaSchema(require("ajv/lib/refs/json-schema-draft-06.json"));
        engine = { ajv, uses: 0 };
        engines.set(draft, engine);
    }
    return engine.ajv;
}

// A function from instances to booleans, or null where the schema refers to
// itself without end; throws for a schema it cannot take.
export function ajvCompile(schema, draft) {
    const ajv = engineOf(draft);
    const { $async: unwanted, ...plain } = schema; // Ajv's own keyword
    const check = ajv.compile(unwanted ? plain : schema);
    return (instance) => {
        try {
            return check(instance) === true;
        } catch {
            return null;
        }
    };
}

const hyperjumps = new Map();
let serial = 0;

async function hyperjumpOf(draft) {
    if (!hyperjumps.has(draft)) {
        const at = (name) => import(pathToFileURL(path.join(home,
            "node_modules", "@hyperjump", "json-schema", ...name)));
        const module = await at([drafts[draft][1], "index.js"]);
        await at(["formats", "index.js"]);
        module.setShouldValidateFormat?.(true);
        hyperjumps.set(draft, module);
    }
    return hyperjumps.get(draft);
}

// In old drafts nothing beside $ref counts, but references lead to it. Hyperjump
// finds nothing there at the root, so the reference moves one place down.
function withoutRootRef(schema, draft) {
    if (!schema.$ref || !["4", "6", "7"].includes(draft)) return schema;
    return { allOf: [{ $ref: schema.$ref }], definitions: schema.definitions };
}

// A list of booleans, or null for a schema it cannot take.
export async function hyperjumpCheck(schema, draft, instances) {
    const module = await hyperjumpOf(draft);
    const uri = `https://example.test/${serial++}`;
    try {
        const copy = JSON.parse(JSON.stringify(withoutRootRef(schema, draft)));
        module.registerSchema(copy, uri, drafts[draft][2]);
        const check = await module.validate(uri);
        return instances.map((instance) => check(instance).valid);
    } catch {
        return null;
    } finally {
        module.unregisterSchema?.(uri);
    }
}

// Asks weir through schema_driver. Answers come in the order of questions.
export class Driver {
    constructor(...options) {
        this.waiting = [];
        this.child = spawn(program("schema_driver"), options,
            { stdio: ["pipe", "pipe", "inherit"] });
        const lines = createInterface({ input: this.child.stdout });
        lines.on("line", (line) => this.waiting.shift().done(line));
        this.child.on("close", (code, signal) => {
            for (const { question } of this.waiting.slice(0, 1))
                console.log(`schema_driver ended by ${signal ?? code} at\n` +
                    question);
            for (const { done } of this.waiting) done("DIED\t-\tdriver");
            this.waiting = [];
            this.isDead = true;
        });
        this.child.stdin.on("error", () => {});
    }

    // {verdicts: "0110"} or {error: "STATUS", pointer, message}
    async ask(schema, instances, draft) {
        const question = JSON.stringify({ schema, instances, draft });
        if (this.isDead) return { error: "DIED", pointer: "-", message: "" };
        const line = await new Promise((done) => {
            this.waiting.push({ done, question });
            this.child.stdin.write(question + "\n");
        });
        const [status, second = "", ...rest] = line.split("\t");
        return status === "ok" ? { verdicts: second }
            : { error: status, pointer: second, message: rest.join("\t") };
    }

    close() {
        this.child.stdin.end();
    }
}

// Random numbers that are the same everywhere for one seed: splitmix64's
// smaller sister, after Steele, Lea and Flood.
export class Random {
    constructor(seed) {
        this.state = seed >>> 0;
    }
    next() {
        let z = this.state = (this.state + 0x9e3779b9) >>> 0;
        z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
        z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
        return (z ^ (z >>> 15)) >>> 0;
    }
    below(n) {
        return Math.floor(this.next() / 4294967296 * n);
    }
    chance(percent) {
        return this.below(100) < percent;
    }
    pick(list) {
        return list[this.below(list.length)];
    }
}
