#!/usr/bin/env node
// make-regex-cases.mjs: random regular expressions and texts, and what the
// RegExp of the Node that runs this makes of them, for
// tests/prop/regex_reference_test.c.
//
//     node scripts/make-regex-cases.mjs [OUT [PATTERNS [SEED]]]
//
// Writes .cache/regex/node.cases: a line "p DIALECT FLAGS HEX" for a pattern
// (1: no u flag, 2: u, 3: v; "-" for none), then "e" if Node refuses it, or
// lines "t WHOLE SEARCH HEX", one a text. Texts of dialect 1 are in the basic
// plane, since there Node counts UTF-16 units. Code points are ones that have
// not changed since Unicode 12.
import fs from 'node:fs';
import path from 'node:path';

const root = path.resolve(path.dirname(new URL(import.meta.url).pathname), '..');
const out = process.argv[2] ?? path.join(root, '.cache/regex/node.cases');
const PATTERNS = Number(process.argv[3] ?? 6000), TEXTS = 20;
let state = Number(process.argv[4] ?? 1) >>> 0 || 1;

function draw(n) { // xorshift32
    state ^= state << 13; state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5; state >>>= 0;
    return state % n;
}
const pick = (list) => list[draw(list.length)];
const chance = (percent) => draw(100) < percent;

// ---- patterns ----

const PLAIN = ['a', 'b', 'A', 'B', '0', '1', '_', ' ', '-', '\n', 's', 'k',
    'S', 'K', 'é', 'É', 'σ', 'ς', 'Σ', 'ß', '\u017F', '\u212A', 'µ', 'μ',
    '\u2028', '\u00A0', '\uFEFF', 'ǆ', 'ǅ', 'İ', 'ı', '\r', '\t', '\0'];
const ASTRAL = ['\u{1F600}', '\u{10400}', '\u{10428}', '\u{1E9E}'];
const PROPERTIES = ['L', 'Lu', 'Ll', 'Letter', 'Script=Greek', 'sc=Latn',
    'Alphabetic', 'White_Space', 'Uppercase', 'Lowercase', 'ASCII', 'Any',
    'Nd', 'gc=P', 'P', 'Zs', 'Cased', 'ASCII_Hex_Digit'];
const ODD = ['\\c', '\\c1', '{', '}', ']', '{,2}', '{1', '\\_', '\\a', '\\8',
    '\\07', '\\1', '\\12', '\\377', '\\400', '\\x1', '\\u12', '\\u{2}', '\\p',
    '\\-', '\\k', 'a{2', 'a{2,1}', '*', 'x**', '(?=a)*', '(?!b){2}',
    '(?<=a)+', '^*', '\\b+', '(', ')', '[b-a]', '[\\d-z]', '[a-\\d]', '[\\B]',
    '[\\c]', '[\\c1]', '[\\cA]', '[\\07]', '\\', '[', '[^]', '[]', '(?<n>a)',
    '(?a)', '(?<1>a)', '\\u{110000}', '\\u{}', '\\p{Nope}', '\\p{}', '\\p{L',
    '\\00', '\\uD83D\\uDE00', '\\ud800', '[\\ud800-\\udfff]', '+', '?',
    'a??', 'a+?', 'a*+', 'a{1}?', 'a{1}{2}', '{2}a', '(?:)*+?', '|', '||',
    '()', '(|a)', '[-a]', '[a-]', '[--0]', '[&&]', '[a&&b]', '\\&', '\\@'];
const SETS = ['[a-z&&[^aeiou]]', '[\\w--[a-k]]', '[[ab][bc]]', '[^[ab]]',
    '[\\w--\\d]', '[\\p{L}&&\\p{ASCII}]', '[a&&b&&c]', '[ab&&c]', '[a--b&&c]',
    '[a&&&b]', '[[a-z]--[aeiou]--b]', '[\\d\\w&&b]', '[(]', '[\\(]', '[a||b]',
    '[_--[_a]]', '[^\\w--[a-k]]', '[\\W&&[^ ]]', '[[^a]&&[^b]]', '[]', '[^]',
    '[\\-]', '[\\&]', '[a-c-e]', '[&]', '[&&a]', '[a&&]', '[^\\P{Lu}]',
    '[\\P{Lu}&&\\P{Ll}]', '\\P{Lu}', '[^\\p{Lu}]', '[^k]', '[\\q{a}]'];

function rune(mode) {
    const c = mode.dialect > 1 && chance(10) ? pick(ASTRAL) : pick(mode.local);
    if (chance(8)) return escaped(c, mode);
    return /[\^$\\.*+?()[\]{}|/]/.test(c) ? '\\' + c : c;
}

function escaped(c, mode) {
    const code = c.codePointAt(0), hex = code.toString(16);
    const four = '\\u' + hex.padStart(4, '0');
    if (mode.dialect > 1 && (code > 0xFFFF || chance(40)))
        return `\\u{${hex}}`;
    return code < 256 && chance(50) ? '\\x' + hex.padStart(2, '0') : four;
}

function klass(mode) {
    let text = '[' + (chance(30) ? '^' : '');
    for (let n = draw(3) + 1; n > 0; n--) {
        const roll = draw(10);
        if (roll < 2) text += pick(['\\d', '\\w', '\\s', '\\D', '\\W', '\\S']);
        else if (roll < 3 && mode.dialect > 1)
            text += `\\${pick(['p', 'P'])}{${pick(PROPERTIES)}}`;
        else if (roll < 6) text += range(mode);
        else text += member(mode);
    }
    return text + ']';
}

function member(mode) {
    const c = pick(mode.local);
    return /[\^\]\\\-[(){}/|&]/.test(c) ? '\\' + c : c;
}

function range(mode) {
    const [a, b] = [pick(mode.local), pick(mode.local)].sort(
        (x, y) => x.codePointAt(0) - y.codePointAt(0));
    if (a === '-' || b === '-') return 'a-b';
    return `${a}-${b}`;
}

function atom(mode, depth) {
    const roll = draw(100);
    if (roll < 3) return pick(mode.dialect === 3 && chance(50) ? SETS : ODD);
    if (roll < 40 || depth <= 0) return rune(mode);
    if (roll < 48) return klass(mode);
    if (roll < 53) return '.';
    if (roll < 60) return pick(['\\d', '\\w', '\\s', '\\D', '\\W', '\\S']);
    if (roll < 62 && mode.dialect > 1)
        return `\\${pick(['p', 'P'])}{${pick(PROPERTIES)}}`;
    if (roll < 64 && mode.dialect === 3) return pick(SETS);
    if (roll < 70) return pick(['\\b', '\\B', '\\b']);
    if (roll < 75) return pick(['^', '$']);
    const open = roll < 85 ? pick(['(', '(?:'])
        : roll < 93 ? pick(['(?=', '(?!'])
        : roll < 98 ? pick(['(?<=', '(?<!']) : '(?:';
    return open + choice(mode, depth - 1) + ')';
}

function repeated(text) {
    if (!chance(25)) return text;
    const n = draw(3), m = n + draw(3);
    return text + pick(['*', '+', '?', `{${n}}`, `{${n},}`, `{${n},${m}}`]) +
        (chance(15) ? '?' : '');
}

function sequence(mode, depth) {
    let text = '';
    for (let n = draw(4); n >= 0; n--) text += repeated(atom(mode, depth));
    return text;
}

function choice(mode, depth) {
    let text = chance(8) ? '' : sequence(mode, depth);
    while (chance(20)) text += '|' + (chance(10) ? '' : sequence(mode, depth));
    return text;
}

// ---- cases ----

const MODES = ['1 -', '1 i', '1 s', '1 m', '1 im', '2 -', '2 i', '2 s', '2 m',
    '2 ims', '3 -', '3 s']; // v with i: V8 before 12 negates wrongly

function text(mode) {
    let s = '';
    for (let n = draw(7); n > 0; n--)
        s += mode.dialect > 1 && chance(10) ? pick(ASTRAL)
            : chance(80) ? pick(mode.local) : pick(PLAIN);
    return s;
}

const hex = (s) => Buffer.from(s, 'utf8').toString('hex') || '-';

function compile(pattern, mode) {
    const flags = mode.flags + { 1: '', 2: 'u', 3: 'v' }[mode.dialect];
    try {
        new RegExp(pattern, flags); // alone first: parentheses must balance
        return [new RegExp(`(?:${pattern})(?![\\s\\S])`, flags + 'y'),
            new RegExp(pattern, flags + 'y')];
    } catch (error) {
        if (error instanceof SyntaxError) return null;
        throw error;
    }
}

// The match at a code point border, or null: V8 may begin inside a surrogate
// pair, where a text of code points has no place.
function search(regexp, s) {
    for (let at = 0; at <= s.length; at += s.codePointAt(at) > 0xFFFF ? 2 : 1) {
        regexp.lastIndex = at;
        const match = regexp.exec(s);
        if (match) return match[0];
    }
    return null;
}

function whole(regexp, s) {
    regexp.lastIndex = 0;
    return regexp.test(s);
}

const lines = [`# regex cases 1, Node ${process.versions.node}`];
let refused = 0, accepted = 0, texts = 0;
while (accepted + refused < PATTERNS) {
    const [dialect, flags] = pick(MODES).split(' ');
    const mode = { dialect: Number(dialect), flags: flags.replace('-', ''),
        local: Array.from({ length: 4 }, () => pick(PLAIN)) };
    const pattern = choice(mode, 3);
    // Counted in UTF-16 units, a pair is two things, and \u{n} n letters.
    if (mode.dialect === 1 && /uD83D|u\{\d{3}/.test(pattern)) continue;
    // V8 before 12 reads [^] wrongly with the v flag.
    if (mode.dialect === 3 && pattern.includes('[^]')) continue;
    if (/[\ud800-\udfff]/.test(pattern) && !pattern.isWellFormed()) continue;
    const both = compile(pattern, mode);
    lines.push(`p ${dialect} ${flags} ${hex(pattern)}`);
    if (!both) {
        lines.push('e');
        refused++;
        continue;
    }
    accepted++;
    const some = new Set(Array.from({ length: TEXTS }, () => text(mode)));
    for (const s of [...some]) { // matches are likely to match as a whole
        const match = search(both[1], s);
        if (match !== null && match.isWellFormed()) some.add(match);
    }
    for (const s of some) {
        lines.push(`t ${+whole(both[0], s)} ${+(search(both[1], s) !== null)} ${hex(s)}`);
        texts++;
    }
}
fs.mkdirSync(path.dirname(out), { recursive: true });
fs.writeFileSync(out + '.new', lines.join('\n') + '\n');
fs.renameSync(out + '.new', out);
console.log(`${accepted} patterns, ${texts} texts, ${refused} refused`);
