#!/usr/bin/env node
// check-unicode-tables.mjs: src/text/unicode.c against the regular expressions
// and String.prototype.toUpperCase of the Node that runs this.
//
//     node scripts/check-unicode-tables.mjs [CC]
//
// Compiles tests/oracle/unicode_dump.c, asks it for every name and mapping,
// and compares on every code point. Where Node's Unicode is older than the
// tables, only code points that Node has assigned are compared, and names
// that Node does not know are counted and skipped.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname ?? path.dirname(
    new URL(import.meta.url).pathname), '..');
const tables = fs.readFileSync(path.join(root, 'src/text/unicode_tables.c'),
    'utf8');
const version = /unicode_data_version\[\] = "(\d+)/.exec(tables)[1];
const isSame = process.versions.unicode.split('.')[0] === version;
const RUNES = 0x110000;
let failures = 0, compared = 0;

function report(text) {
    if (failures++ < 20) console.error(text);
}

const dump = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'unicode-')),
    'dump');
execFileSync(process.argv[2] ?? 'cc', ['-std=c11', '-O1', '-Isrc', '-Iinclude',
    'tests/oracle/unicode_dump.c', 'src/text/unicode.c',
    'src/text/unicode_tables.c', '-o', dump], { cwd: root, stdio: 'inherit' });

function ask(requests) {
    return execFileSync(dump, { input: requests.join('\n') + '\n',
        maxBuffer: 1 << 28 }).toString().trimEnd().split('\n');
}
const numbers = (line) => line.trim() ? line.trim().split(' ').map(Number) : [];

const assigned = new Uint8Array(RUNES);
const texts = [];
for (let r = 0; r < RUNES; r++) {
    texts.push(String.fromCodePoint(r));
    assigned[r] = isSame || /\P{Cn}/u.test(texts[r]) ? 1 : 0;
}

function setOf(ranges) {
    const set = new Uint8Array(RUNES);
    for (let i = 0; i < ranges.length; i += 2) {
        if (i && ranges[i] <= ranges[i - 1] + 1) report('ranges touch');
        set.fill(1, ranges[i], ranges[i + 1] + 1);
    }
    return set;
}

function compareSet(name, set, pattern, step) {
    for (let r = 0; r < RUNES; r += step) {
        if (!assigned[r]) continue;
        if (pattern.test(texts[r]) !== !!set[r]) {
            report(`${name}: U+${r.toString(16)} is ${set[r]} here`);
            return;
        }
    }
    compared++;
}

// ---- names ----------------------------------------------------------------

function namesOf(kind) {
    const body = new RegExp(`unicode_${kind}_names\\[\\] = {([^;]*)};`)
        .exec(tables)[1];
    return [...body.matchAll(/"(\w+)", \d+/g)].map((m) => m[1]);
}

const wanted = [];
const categories = namesOf('category'), scripts = namesOf('script');
for (const n of categories) wanted.push(n, `gc=${n}`, `General_Category=${n}`);
for (const n of scripts)
    wanted.push(`sc=${n}`, `Script=${n}`, `scx=${n}`, `Script_Extensions=${n}`);
wanted.push(...namesOf('binary'));

const skipped = [];
const seenLists = new Set();
for (const [i, line] of ask(wanted.map((n) => `property ${n}`)).entries()) {
    let pattern;
    try {
        pattern = new RegExp(`\\p{${wanted[i]}}`, 'u');
    } catch {
        skipped.push(wanted[i]);
        continue;
    }
    // Every code point for the first name of a list, every 7th for others.
    compareSet(wanted[i], setOf(numbers(line)), pattern,
        seenLists.has(line) ? 7 : 1);
    seenLists.add(line);
}
console.log(`${compared} names compared; Node does not know: ` +
    `${skipped.length ? skipped.join(' ') : 'none'}`);

// ---- categories and case --------------------------------------------------

const order = `Cn Cc Cf Co Cs Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi
Pf Po Sm Sc Sk So Zs Zl Zp`.split(/\s+/).map((c) => new RegExp(`\\p{${c}}`,
    'u'));
const [categoryLine, foldLine, upperLine, orbitLine, upperOrbitLine] =
    ask(['category', 'fold', 'upper', 'orbits', 'upper_orbits']);
let from = 0;
const runs = numbers(categoryLine);
for (let i = 0; i < runs.length; i += 2)
    for (; from <= runs[i + 1]; from++)
        if (assigned[from] && !order[runs[i]].test(texts[from]))
            report(`category of U+${from.toString(16)}`);

function mapOf(line) {
    const map = new Map(), list = numbers(line);
    for (let i = 0; i < list.length; i += 2) map.set(list[i], list[i + 1]);
    return map;
}

// ECMA-262, Canonicalize, without u.
const upper = mapOf(upperLine);
for (let r = 0; r < RUNES; r++) {
    const u = texts[r].toUpperCase();
    const one = r < 0x10000 && u.length === 1 ? u.charCodeAt(0) : r;
    const want = r >= 128 && one < 128 ? r : one;
    if (assigned[r] && (upper.get(r) ?? r) !== want)
        report(`upper of U+${r.toString(16)}`);
}

// Two runes fold alike iff the one matches the other under the flags iu.
const escape = (r) => `\\u{${r.toString(16)}}`;
function compareOrbits(name, line, flags) {
    const list = numbers(line), orbit = new Map();
    for (let i = 0; i < list.length; i += 2 + list[i + 1])
        orbit.set(list[i], list.slice(i + 2, i + 2 + list[i + 1]));
    const all = [...orbit.keys()];
    const haystack = all.map((r) => texts[r]).join('\n');
    for (const r of all) {
        const source = flags.includes('u') ? escape(r) : texts[r];
        const got = [...haystack.matchAll(new RegExp(source, `g${flags}`))]
            .map((m) => m[0].codePointAt(0)).sort((a, b) => a - b);
        if (String(got) !== String(orbit.get(r)) && assigned[r])
            report(`${name} of U+${r.toString(16)}: ${got}`);
    }
    // Runes outside the ranges match nothing but themselves.
    const lone = new Uint8Array(RUNES).fill(1);
    for (const r of all) lone[r] = 0;
    const cls = new RegExp(`[${all.map(escape).join('')}]`, 'iu');
    if (flags.includes('u'))
        for (let r = 0; r < RUNES; r++)
            if (lone[r] && assigned[r] && cls.test(texts[r]))
                report(`${name}: U+${r.toString(16)} has an orbit`);
    console.log(`${name}: ${all.length} runes compared`);
}
const fold = mapOf(foldLine);
compareOrbits('fold orbit', orbitLine, 'iu');
compareOrbits('upper orbit', upperOrbitLine, 'i');
console.log(`${fold.size} foldings, ${upper.size} upper mappings; Node has ` +
    `Unicode ${process.versions.unicode}; ${failures} differences`);
process.exit(failures ? 1 : 0);
