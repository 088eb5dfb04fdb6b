#!/usr/bin/env node
// schema_differential.mjs: weir against independent validators, on random
// schemas over all keywords and instances near the boundary of each.
//
//   schema_differential.mjs [--pairs N] [--seed S] [--draft D] [--show N]
//                           [--overlaps PERCENT]
//                           [--without KEYWORD,KEYWORD...]
//
// So many schemas are about overlapping objects: alternatives that few names
// tell apart, below oneOf, not and the keywords on dependencies.
//
// A pair is a schema and an instance. Instances are made by following the
// schema, then by changing those a little: a member more or less, a value a
// step beyond its bound. weir reads them compactly, as JSON.stringify writes
// them, members in any order. Where weir and Ajv differ, Hyperjump's verdict
// counts too: if it sides with weir, Ajv has erred (its known faults); if not,
// the pair is looked up in the list of exceptions, and fails the run when it
// is not there. What fails is shrunk: the smallest instance, then keywords
// taken out of the schema as long as the disagreement stays.
//
// Ends with `N passed, N failed`: schemas, not pairs. Exit code 77: skipped.
import {
    Driver, Random, ajvCompile, hyperjumpCheck, needs, program,
} from "./schema_validators.mjs";
import { exceptions } from "./schema_exceptions.mjs";

const options = { pairs: 20000, seed: 1, show: 20, draft: "", without: "",
    overlaps: 10 };
for (let i = 2; i < process.argv.length; i += 2)
    options[process.argv[i].slice(2)] = process.argv[i + 1];
if (process.env.WEIR_QUICK) options.pairs = Math.min(options.pairs, 3000);
if (process.env.WEIR_CASES) options.pairs = process.env.WEIR_CASES;
if (process.env.WEIR_SEED) options.seed = process.env.WEIR_SEED;

const INSTANCES = 40;

// ---- random schemas --------------------------------------------------------

const NAMES = ["a", "b", "c", "ab", "ba", "", "x y", "\u00e9", "a\"b", "\u{1f600}"];
const PATTERNS = ["^a", "b$", "^[a-c]+$", "^.$", "a|b", "^x?y*$", "[0-9]{2}",
    "^$", "\\d", "^(ab|ba)+$", "\u00e9", "^\\S+$", "^a.*b$", "^[^a]*$"];
const FORMATS = ["date", "time", "date-time", "ipv4", "ipv6", "uuid", "email",
    "hostname", "uri", "json-pointer", "duration", "relative-json-pointer"];
const MAPS = ["properties", "patternProperties", "$defs", "definitions",
    "dependentSchemas", "dependentRequired", "dependencies"];
const STRINGS = ["", "a", "b", "ab", "ba", "abc", "aab", "xy", "yy", "12",
    "a1", "\u00e9", "\u{1f600}", "\u{1f600}a", "a\"b", "\\", "a b", "\n", "/",
    "abab", "aaaa", "\u0001"];
const FORMATTED = ["2024-02-29", "2023-02-29", "2024-13-01", "12:00:00Z",
    "23:59:60Z", "12:00:00+01:00", "24:00:00Z", "2024-02-29T12:00:00Z",
    "2023-02-30T12:00:00Z", "1.2.3.4", "1.2.3.256", "01.2.3.4", "::1",
    "1::2::3", "::ffff:1.2.3.4", "12345678-1234-1234-1234-123456789abc",
    "12345678-1234-1234-1234-123456789abg", "a@b.c", "a@", "example.com",
    "-a.com", "a_b", "http://a/b", "a/b", "/a/b", "/~", "/~0", "1/a", "1#",
    "-1", "P1D", "P1DT", "P1Y2M3DT4H5M6S", "PT", "P2W"];
const NUMBERS = [0, 1, 2, 3, 4, 5, 7, 10, 12, 100, -1, -2, -5, -10, 0.5, 1.5,
    -0.5, 2.25, 0.1, 0.01, 99.99, 1000000, 123456789, -7];

class SchemaMaker {
    constructor(random, draft) {
        this.r = random;
        this.draft = draft;
        this.defs = random.chance(30) ? 1 + random.below(3) : 0;
        this.is_new = draft === "2020-12" || draft === "2019-09";
    }

    make() {
        let schema = this.r.chance(options.overlaps) ? this.overlap()
            : this.schema(3);
        if (typeof schema === "boolean") schema = { not: schema };
        if (this.defs) {
            const at = this.is_new ? "$defs" : "definitions";
            schema[at] = {};
            for (let i = 0; i < this.defs; i++)
                schema[at][`d${i}`] = this.schema(2);
        }
        return schema;
    }

    ref() {
        const at = this.is_new ? "$defs" : "definitions";
        return this.r.chance(15) ? "#"
            : `#/${at}/d${this.r.below(this.defs)}`;
    }

    schema(depth) {
        const r = this.r;
        if (depth <= 0 || r.chance(6))
            return r.chance(30) && this.draft !== "4" ? r.chance(60)
                : this.leaf();
        if (this.defs && r.chance(15)) {
            // siblings of $ref count from 2019-09 on only
            return this.is_new && r.chance(40)
                ? { $ref: this.ref(), ...this.object(depth - 1) }
                : { $ref: this.ref() };
        }
        const schema = {};
        const ways = 1 + (r.chance(25) ? 1 : 0);
        for (let i = 0; i < ways; i++) {
            const way = r.below(100);
            if (way < 30) Object.assign(schema, this.object(depth));
            else if (way < 50) Object.assign(schema, this.array(depth));
            else if (way < 63) Object.assign(schema, this.string());
            else if (way < 76) Object.assign(schema, this.number());
            else if (way < 95) Object.assign(schema, this.logic(depth));
            else Object.assign(schema, this.leaf());
        }
        if (r.chance(20)) schema.type = this.type();
        return schema;
    }

    type() {
        const all = ["null", "boolean", "integer", "number", "string", "array",
            "object"];
        const r = this.r;
        return r.chance(75) ? r.pick(all)
            : [...new Set([r.pick(all), r.pick(all), r.pick(all)])];
    }

    leaf() {
        const r = this.r;
        if (r.chance(40)) return { type: this.type() };
        if (r.chance(30) && this.draft !== "4") return { const: this.value(1) };
        if (r.chance(50)) {
            const values = [];
            for (let i = r.below(5) + 1; i; i--) {
                const value = this.value(1);
                if (!values.some((v) => same(v, value))) values.push(value);
            }
            return { enum: values };
        }
        return r.chance(50) ? this.string() : this.number();
    }

    value(depth) {
        const r = this.r, way = r.below(depth > 0 ? 8 : 5);
        if (way === 0) return null;
        if (way === 1) return r.chance(50);
        if (way === 2) return r.pick(NUMBERS);
        if (way < 5) return r.pick(STRINGS);
        if (way === 5) {
            const list = [];
            for (let i = r.below(3); i; i--) list.push(this.value(depth - 1));
            return list;
        }
        const object = {};
        for (let i = r.below(3); i; i--)
            object[r.pick(NAMES)] = this.value(depth - 1);
        return object;
    }

    string() {
        const r = this.r, s = {};
        if (r.chance(60)) s.type = "string";
        if (r.chance(35)) s.minLength = r.below(4);
        if (r.chance(35)) s.maxLength = r.below(5);
        if (r.chance(35)) s.pattern = r.pick(PATTERNS);
        if (r.chance(12)) s.format = r.pick(FORMATS);
        return s;
    }

    number() {
        const r = this.r, s = {}, old = this.draft === "4";
        if (r.chance(70)) s.type = r.pick(["integer", "number"]);
        if (r.chance(45)) s.minimum = r.pick(NUMBERS);
        if (r.chance(45)) s.maximum = r.pick(NUMBERS);
        if (r.chance(15))
            if (!old) s.exclusiveMinimum = r.pick(NUMBERS);
            else if ("minimum" in s) s.exclusiveMinimum = r.chance(50);
        if (r.chance(15))
            if (!old) s.exclusiveMaximum = r.pick(NUMBERS);
            else if ("maximum" in s) s.exclusiveMaximum = r.chance(50);
        if (r.chance(20)) s.multipleOf = r.pick([1, 2, 3, 5, 7, 0.5, 0.1, 0.01,
            1.5, 10]);
        return s;
    }

    some(most, make) {
        const list = [];
        for (let i = 1 + this.r.below(most); i; i--) list.push(make());
        return list;
    }

    names(most) {
        return [...new Set(this.some(most, () => this.r.pick(NAMES)))];
    }

    map(keys, make) {
        return Object.fromEntries(keys.map((key) => [key, make()]));
    }

    object(depth) {
        const r = this.r, s = {}, sub = () => this.schema(depth - 1);
        if (r.chance(65)) s.type = "object";
        if (r.chance(80)) s.properties = this.map(this.names(4), sub);
        if (r.chance(40)) s.required = this.names(3);
        if (r.chance(35))
            s.additionalProperties = r.chance(50) ? false : sub();
        if (r.chance(20)) s.patternProperties = this.map(
            [...new Set(this.some(2, () => r.pick(PATTERNS)))], sub);
        if (r.chance(12) && this.draft !== "4") s.propertyNames = r.chance(70)
            ? this.string() : this.leaf();
        if (r.chance(15)) s.minProperties = r.below(4);
        if (r.chance(15)) s.maxProperties = r.below(4);
        if (r.chance(12)) {
            if (!this.is_new || r.chance(20))
                s.dependencies = this.map(this.names(2), () =>
                    r.chance(50) ? this.names(2) : sub());
            else if (r.chance(50))
                s.dependentRequired = this.map(this.names(2), () =>
                    this.names(2));
            else s.dependentSchemas = this.map(this.names(2), sub);
        }
        if (this.is_new && r.chance(12))
            s.unevaluatedProperties = r.chance(70) ? false : sub();
        return s;
    }

    array(depth) {
        const r = this.r, s = {}, sub = () => this.schema(depth - 1);
        const prefix = this.draft === "2020-12" ? "prefixItems" : "items";
        const rest = this.draft === "2020-12" ? "items" : "additionalItems";
        if (r.chance(65)) s.type = "array";
        if (r.chance(35)) {
            s[prefix] = this.some(3, sub);
            if (r.chance(50)) s[rest] = r.chance(40) ? false : sub();
        } else if (r.chance(60)) {
            s.items = this.draft === "4" ? this.object(depth - 1) : sub();
        }
        if (r.chance(25)) s.minItems = r.below(4);
        if (r.chance(25)) s.maxItems = r.below(5);
        if (r.chance(20) && this.draft !== "4") {
            s.contains = sub();
            if (this.is_new && r.chance(40)) s.minContains = r.below(3);
            if (this.is_new && r.chance(40)) s.maxContains = r.below(3);
        }
        if (r.chance(20)) s.uniqueItems = r.chance(85);
        if (this.is_new && r.chance(10))
            s.unevaluatedItems = r.chance(70) ? false : sub();
        return s;
    }

    overlap() {
        const r = this.r, names = NAMES.slice(0, 4);
        const value = () => r.chance(30) ? true
            : r.chance(10) && this.defs ? { $ref: this.ref() }
                : r.chance(30) ? { enum: [1, 2, 3].slice(r.below(3)) }
                    : r.chance(30) ? this.object(1) : this.leaf();
        const shape = () => {
            const s = {};
            if (r.chance(60)) s.type = "object";
            s.properties = this.map(
                [...new Set(this.some(3, () => r.pick(names)))], value);
            if (r.chance(70))
                s.required = [...new Set(this.some(3, () => r.pick(names)))];
            if (r.chance(15)) s.additionalProperties = r.chance(60)
                ? false : value();
            return s;
        };
        const s = r.chance(40) ? shape() : {};
        const shapes = () => Array.from({ length: 2 + r.below(5) }, shape);
        const way = r.below(5);
        if (way < 2) s.oneOf = shapes();
        if (way === 2) s.not = { oneOf: shapes() };
        if (way === 3) s.allOf = shapes().map((one) => ({ not: one }));
        if (way === 4) {
            const key = this.is_new && r.chance(70) ? "dependentSchemas"
                : "dependencies";
            s[key] = this.map([...new Set(this.some(4, () => r.pick(names)))],
                shape);
        }
        return s;
    }

    logic(depth) {
        const r = this.r, s = {}, sub = () => this.schema(depth - 1);
        const way = r.below(6);
        if (way === 0) s.allOf = this.some(3, sub);
        if (way === 1) s.anyOf = this.some(3, sub);
        if (way === 2) s.oneOf = this.some(3, sub);
        if (way === 3) s.not = sub();
        if (way === 4 && this.draft !== "4" && this.draft !== "6") {
            s.if = sub();
            if (r.chance(80)) s.then = sub();
            if (r.chance(60)) s.else = sub();
        }
        if (way === 5)
            Object.assign(s, this.object(depth - 1),
                r.chance(50) ? { anyOf: this.some(3, sub) }
                    : { not: this.object(depth - 1) });
        return s;
    }
}

// ---- instances -------------------------------------------------------------

function same(a, b) {
    return canonical(a) === canonical(b);
}

// Equal values have equal texts.
function canonical(v) {
    if (Array.isArray(v)) return `[${v.map(canonical).join()}]`;
    if (v && typeof v === "object")
        return `{${Object.keys(v).sort().map((k) =>
            JSON.stringify(k) + ":" + canonical(v[k])).join()}}`;
    return JSON.stringify(v);
}

class InstanceMaker {
    constructor(random, schema) {
        this.r = random;
        this.root = schema;
    }

    // Tries to obey the schema; need not succeed.
    make(schema, depth) {
        const r = this.r;
        if (typeof schema === "boolean" || depth <= 0 || r.chance(5))
            return this.any(depth);
        if (schema.$ref && r.chance(90)) {
            const target = schema.$ref.slice(2).split("/").filter(Boolean)
                .reduce((at, key) => at?.[key], this.root);
            return this.make(target ?? true, depth - 1);
        }
        if ("const" in schema && r.chance(90)) return schema.const;
        if (schema.enum && r.chance(90)) return r.pick(schema.enum);
        const merged = this.merge(schema, depth);
        const type = this.type(merged);
        if (type === "object") return this.object(merged, depth);
        if (type === "array") return this.array(merged, depth);
        if (type === "string") return this.string(merged);
        if (type === "integer" || type === "number")
            return this.number(merged, type);
        return type === "null" ? null : r.chance(50);
    }

    // The schema with one of its branches laid over it.
    merge(schema, depth) {
        const r = this.r;
        const branches = [];
        for (const key of ["anyOf", "oneOf"])
            if (schema[key]) branches.push(r.pick(schema[key]));
        if (schema.allOf) branches.push(...schema.allOf);
        if (schema.if && r.chance(60)) branches.push(schema.if);
        if (schema.then && r.chance(60)) branches.push(schema.then);
        if (schema.else && r.chance(40)) branches.push(schema.else);
        if (schema.not && r.chance(30)) branches.push(schema.not);
        for (const s of Object.values(schema.dependentSchemas ?? {}))
            if (r.chance(50)) branches.push(s);
        let merged = schema;
        for (const branch of branches) {
            if (typeof branch !== "object" || depth <= 0) continue;
            const inner = this.merge(branch, depth - 1);
            merged = { ...merged, ...inner };
            if (schema.properties || inner.properties)
                merged.properties = { ...schema.properties,
                    ...inner.properties };
            if (schema.required || inner.required)
                merged.required = [...(schema.required ?? []),
                    ...(inner.required ?? [])];
        }
        return merged;
    }

    type(schema) {
        const r = this.r;
        if (schema.type && r.chance(95))
            return Array.isArray(schema.type) ? r.pick(schema.type)
                : schema.type;
        const kinds = [];
        const has = (...keys) => keys.some((key) => key in schema);
        if (has("properties", "required", "patternProperties", "minProperties",
            "maxProperties", "propertyNames", "additionalProperties",
            "unevaluatedProperties", "dependencies", "dependentRequired"))
            kinds.push("object");
        if (has("items", "prefixItems", "contains", "minItems", "maxItems",
            "uniqueItems", "unevaluatedItems")) kinds.push("array");
        if (has("pattern", "minLength", "maxLength", "format"))
            kinds.push("string");
        if (has("minimum", "maximum", "multipleOf", "exclusiveMinimum",
            "exclusiveMaximum")) kinds.push("number");
        if (kinds.length && r.chance(85)) return r.pick(kinds);
        return r.pick(["null", "boolean", "integer", "number", "string",
            "array", "object"]);
    }

    any(depth) {
        return new SchemaMaker(this.r, "2020-12").value(Math.max(depth, 0));
    }

    object(schema, depth) {
        const r = this.r, object = {};
        const properties = schema.properties ?? {};
        const other = (key) => {
            for (const [pattern, sub] of
                Object.entries(schema.patternProperties ?? {}))
                if (new RegExp(pattern, "u").test(key)) return sub;
            return schema.additionalProperties ??
                schema.unevaluatedProperties ?? true;
        };
        const set = (key) => {
            object[key] = this.make(Object.hasOwn(properties, key)
                ? properties[key] : other(key), depth - 1);
        };
        for (const key of schema.required ?? []) if (r.chance(92)) set(key);
        for (const key of Object.keys(properties)) if (r.chance(50)) set(key);
        const extra = r.pick([0, 0, 0, 1, 1, 2, 3]);
        for (let i = 0; i < extra; i++)
            set(r.chance(70) ? r.pick(NAMES) : r.pick(STRINGS));
        return object;
    }

    array(schema, depth) {
        const r = this.r, list = [];
        const prefix = Array.isArray(schema.items) ? schema.items
            : schema.prefixItems ?? [];
        const rest = Array.isArray(schema.items)
            ? schema.additionalItems ?? true
            : schema.items ?? schema.unevaluatedItems ?? true;
        const around = [schema.minItems, schema.maxItems, prefix.length,
            r.below(4)].filter((n) => n !== undefined);
        const size = Math.max(0, r.pick(around) + r.pick([0, 0, 0, 1, -1]));
        for (let i = 0; i < size; i++) {
            let sub = i < prefix.length ? prefix[i] : rest;
            if (schema.contains !== undefined && r.chance(40))
                sub = schema.contains;
            list.push(r.chance(12) && list.length ? r.pick(list)
                : this.make(sub, depth - 1));
        }
        return list;
    }

    string(schema) {
        const r = this.r;
        if (schema.format && r.chance(85)) return r.pick(FORMATTED);
        let text = r.pick(STRINGS);
        const bounds = [schema.minLength, schema.maxLength].filter(
            (n) => n !== undefined);
        if (bounds.length && r.chance(50)) {
            const size = Math.max(0, r.pick(bounds) + r.pick([0, 0, 1, -1]));
            text = "";
            for (let i = 0; i < size; i++)
                text += r.pick(["a", "b", "c", "1", "\u{1f600}", "\u00e9"]);
        }
        return text;
    }

    number(schema, type) {
        const r = this.r;
        const bounds = [schema.minimum, schema.maximum, schema.exclusiveMinimum,
            schema.exclusiveMaximum].filter((n) => typeof n === "number");
        let n = bounds.length && r.chance(80) ? r.pick(bounds)
            : r.pick(NUMBERS);
        n += r.pick([0, 0, 0, 1, -1, 0.5, -0.01]);
        if (schema.multipleOf && r.chance(70))
            n = Math.round(n / schema.multipleOf) * schema.multipleOf;
        if (type === "integer" && r.chance(85)) n = Math.round(n);
        return Number(n.toFixed(6)) + 0; // no -0, no 1e-7
    }

    // A step to the side.
    change(value, depth = 3) {
        const r = this.r;
        if (depth && value && typeof value === "object" && r.chance(60)) {
            const copy = structuredClone(value);
            const keys = Object.keys(copy);
            if (keys.length) {
                const key = r.pick(keys);
                copy[key] = this.change(copy[key], depth - 1);
                return copy;
            }
        }
        if (Array.isArray(value)) {
            const list = structuredClone(value), at = r.below(list.length + 1);
            if (r.chance(50)) list.splice(at, 0, r.chance(50) && list.length
                ? r.pick(list) : this.any(1));
            else list.splice(at, 1);
            return list;
        }
        if (value && typeof value === "object") {
            const object = structuredClone(value), keys = Object.keys(object);
            if (r.chance(50) || !keys.length)
                object[r.pick(NAMES)] = this.any(1);
            else delete object[r.pick(keys)];
            return object;
        }
        if (typeof value === "number")
            return Number((value + r.pick([1, -1, 0.5, 0.01, 10])).toFixed(6));
        if (typeof value === "string") {
            const runes = [...value], at = r.below(runes.length + 1);
            if (r.chance(50)) runes.splice(at, 0, r.pick(["a", "b", "1", "\u00e9"]));
            else runes.splice(at, 1);
            return runes.join("");
        }
        return this.any(1);
    }

    list(count) {
        const made = new Map();
        for (let tries = 0; tries < 3 * count && made.size < count; tries++) {
            const bases = [...made.values()];
            const value = bases.length && this.r.chance(50)
                ? this.change(this.r.pick(bases))
                : this.r.chance(85) ? this.make(this.root, 4) : this.any(2);
            const text = JSON.stringify(value);
            if (text.length < 400) made.set(text, value);
        }
        return [...made.values()];
    }
}

// The schema without some keywords; names of members are none.
function strip(schema, keywords, isMap = false) {
    if (Array.isArray(schema))
        return schema.map((item) => strip(item, keywords));
    if (!schema || typeof schema !== "object") return schema;
    return Object.fromEntries(Object.entries(schema)
        .filter(([key]) => isMap || !keywords.includes(key))
        .map(([key, value]) => [key, ["const", "enum"].includes(key) && !isMap
            ? value : strip(value, keywords, !isMap && MAPS.includes(key))]));
}

// ---- comparing -------------------------------------------------------------

const driver = new Driver();
const total = { pairs: 0, schemas: 0, agreed: 0, valid: 0, errors: {},
    ajvErred: 0, ajvRefused: 0, excepted: {} };
const failures = [], refusals = new Map();

// Instances where weir and the standard differ, or [] or null: no verdict.
async function disagreements(schema, draft, instances, isFirst) {
    let check;
    try {
        check = ajvCompile(schema, draft);
    } catch {
        if (isFirst) total.ajvRefused++;
        return null;
    }
    const answer = await driver.ask(schema, instances, draft);
    const empty = answer.error === "EMPTY";
    if (answer.error && !empty) {
        if (isFirst) note_refusal(schema, answer);
        return null;
    }
    const found = [];
    instances.forEach((instance, i) => {
        const weir = !empty && answer.verdicts[i] === "1";
        const ajv = check(instance);
        if (ajv === null) return;
        if (isFirst) {
            total.pairs++;
            total.valid += ajv;
        }
        if (!empty && answer.verdicts[i] === "L") {
            if (isFirst) note_refusal(schema, { error: "LIMIT",
                message: "met by a matcher" });
        } else if (weir !== ajv) {
            found.push({ instance, weir });
        } else if (isFirst) {
            total.agreed++;
        }
    });
    if (!found.length) return found;
    const second = await hyperjumpCheck(schema, draft,
        found.map((f) => f.instance));
    return found.filter((f, i) => {
        if (second && second[i] === f.weir) {
            if (isFirst) total.ajvErred++;
            return false;
        }
        f.undecided = !second;
        return true;
    });
}

function note_refusal(schema, answer) {
    total.errors[answer.error] = (total.errors[answer.error] ?? 0) + 1;
    const key = `${answer.error} ${answer.message.slice(0, 60)}`;
    const old = refusals.get(key);
    if (!old || JSON.stringify(schema).length < JSON.stringify(old).length)
        refusals.set(key, schema);
}

// All schemas that are this one with something taken out.
function* smaller(schema) {
    if (Array.isArray(schema)) {
        for (let i = 0; i < schema.length; i++) {
            if (schema.length > 1)
                yield schema.filter((_, k) => k !== i);
            for (const s of smaller(schema[i]))
                yield schema.map((v, k) => (k === i ? s : v));
        }
    } else if (schema && typeof schema === "object") {
        for (const key of Object.keys(schema)) {
            const { [key]: gone, ...rest } = schema;
            yield rest;
            if (gone && typeof gone === "object" && !Array.isArray(gone) &&
                key !== "$ref") yield { ...rest, [key]: true };
            for (const s of smaller(gone)) yield { ...schema, [key]: s };
        }
    }
}

async function shrink(schema, draft, instances) {
    instances = [...instances].sort((a, b) =>
        JSON.stringify(a).length - JSON.stringify(b).length).slice(0, 3);
    for (let rounds = 0; rounds < 40; rounds++) {
        let better = null;
        for (const candidate of smaller(schema)) {
            const found = await disagreements(candidate, draft, instances,
                false);
            if (!found?.length) continue;
            better = candidate;
            instances = found.map((f) => f.instance);
            break;
        }
        if (!better) break;
        schema = better;
    }
    return { schema, instance: instances[0] };
}

async function judge(schema, draft, instances) {
    const found = await disagreements(schema, draft, instances, true);
    total.schemas++;
    if (!found?.length) return;
    const left = found.filter(({ instance, undecided }) => {
        const known = exceptions.find((e) =>
            e.applies(schema, instance, draft, undecided));
        if (known)
            total.excepted[known.name] = (total.excepted[known.name] ?? 0) + 1;
        return !known;
    });
    if (!left.length) return;
    const small = failures.length < options.show
        ? await shrink(schema, draft, left.map((f) => f.instance))
        : { schema, instance: left[0].instance };
    const [at] = await disagreements(small.schema, draft, [small.instance],
        false) ?? [];
    failures.push({ draft, weir: (at ?? left[0]).weir, ...small,
        undecided: (at ?? left[0]).undecided });
}

async function main() {
    needs(program("schema_driver"));
    const drafts = options.draft ? [options.draft]
        : ["2020-12", "2020-12", "2020-12", "7", "7", "2019-09", "6", "4"];
    const window = [];
    for (let n = 0; total.pairs < options.pairs && !driver.isDead &&
        n < options.pairs / 4; n++) {
        const random = new Random(Number(options.seed) * 1000003 + n);
        const draft = random.pick(drafts);
        const schema = strip(new SchemaMaker(random, draft).make(),
            options.without.split(","));
        const instances = new InstanceMaker(random, schema).list(INSTANCES);
        window.push(judge(schema, draft, instances));
        if (window.length >= 32) await Promise.all(window.splice(0));
    }
    await Promise.all(window);
    const died = driver.isDead;
    driver.close();
    report(died);
}

function report(died) {
    for (const f of failures.slice(0, options.show))
        console.log(`draft ${f.draft}: weir ${f.weir ? "accepts" : "refuses"}` +
            `${f.undecided ? " (one validator only)" : ""}\n` +
            `  schema   ${JSON.stringify(f.schema)}\n` +
            `  instance ${JSON.stringify(f.instance)}`);
    for (const [key, schema] of refusals)
        console.log(`not compiled: ${key}\n  ${JSON.stringify(schema)}`);
    console.log(`${total.pairs} pairs (${total.valid} valid) of ` +
        `${total.schemas} schemas, seed ${options.seed}: ` +
        `${total.agreed} agree, ${total.ajvErred} Ajv errs; ` +
        `Ajv takes not ${total.ajvRefused} schemas; ` +
        `not compiled ${JSON.stringify(total.errors)}; ` +
        `excepted ${JSON.stringify(total.excepted)}`);
    const failed = failures.length + (died ? 1 : 0);
    console.log(`${total.schemas - failures.length} passed, ${failed} failed`);
    process.exit(failed ? 1 : 0);
}

await main();
