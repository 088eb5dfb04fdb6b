#!/usr/bin/env python3
"""Records what llguidance accepts: tests/cases/lark_recorded.txt, from the
grammars and texts below, which are written by hand.

    pip install llguidance==1.9.1
    scripts/make-lark-cases.py > tests/cases/lark_recorded.txt

A text is given to a matcher byte by byte; it is accepted if every byte is and
the output may end there. Where weir differs on purpose (docs/lark.md), a text
is marked with the reason."""
import sys

from llguidance import LLMatcher, LLTokenizer

HEAD = """\
# What llguidance 1.9.1 accepts and refuses as whole texts, and the grammars
# that it refuses. Made by scripts/make-lark-cases.py; texts are in C's
# notation. "looser" texts are refused by llguidance and accepted by weir, for
# the reason given. Of the grammars alone, "invalid" ones are refused by both,
# "taken" ones by llguidance, "strict" ones by weir. docs/lark.md has all
# differences. Run by tests/unit/lark_recorded_test.c.
"""

# Why weir accepts what llguidance refuses.
GREEDY = "greedy"      # its lexer takes the longest text there is
END = "end"            # nothing can follow, so it takes no more blanks
INSIDE = "inside"      # no blanks beside %json

TOOLS = '''start: ( f_foo | f_bar )* f_end
f_end: TEXT
TEXT: /(.|\\n)*/
f_foo_hd[lazy]: TEXT "<function"
f_foo: f_foo_hd "=foo>" /[0-9]+/ "</function>"
f_bar_hd[lazy]: TEXT "<function"
f_bar: f_bar_hd "=bar>" /[0-9]+/ "</function>"
'''
CALC = '''%import common (NUMBER, WS)
%ignore WS
?start: expr
?expr: expr "+" term -> add | expr "-" term -> sub | term
?term: term ("*" | "/") factor
    | factor
!factor: "(" expr ")" | NUMBER | "-" factor
'''
PERM = '''start    :  perm::0x0
perm::_  :  ""                       %if is_ones([0:3])
         |  "a" perm::set_bit(0)     %if bit_clear(0)
         |  "b" perm::set_bit(1)     %if bit_clear(1)
         |  "c" perm::set_bit(2)     %if bit_clear(2)
'''
SQL = '''start: "select" cols "from" NAME ("where" cond)?
cols: NAME ("," NAME)* | "*"
cond: NAME OP (NUM | STR)
NAME: /[a-z_][a-z_0-9]*/ & ~/select|from|where/
OP: "=" | "<" | ">" | "<=" | ">="
NUM: /[0-9]+/
STR: "'" /[^']*/ "'"
%ignore /[ \\n]+/
'''

# (grammar, texts); a text is a string, or (string, reason)
GRAMMARS = [
    # ---- strings, ranges, repetition
    ('start: "a"', ["a", "", "b", "aa", "A"]),
    ('start: "a" "b"', ["ab", "a", "b", "a b", "ba"]),
    ('start: "a" | "b" | "cd"', ["a", "b", "cd", "c", "ab", ""]),
    ('start: ("a" | "b")+', ["a", "abba", "", "abc"]),
    ('start: ["a"] "b"', ["b", "ab", "a", "aab"]),
    ('start: "a"? "b"* "c"+', ["c", "abbc", "bcc", "ab", "ac", "aac"]),
    ('start: "a"~2', ["aa", "a", "aaa"]),
    ('start: "a"~1..3', ["a", "aaa", "", "aaaa"]),
    ('start: "a" ~ 1 .. 3 "b"', ["ab", "aaab", "b", "aaaab"]),
    ('start: "a"{2} "b"{1,2} "c"{,2} "d"{1,}',
     ["aabd", "aabbccddd", "abd", "aabcccd", "aabc"]),
    ('start: ("x" "y"){2}', ["xyxy", "xy", "xyxyxy"]),
    ('start: "q" "a".."f"', ["qa", "qf", "qg", "q", "qA"]),
    ('start: "é".."ü"', ["é", "ê", "ü", "e", "ý"]),
    ('start: "Foo"i "x"', ["foox", "FOOx", "fOoX", "fox"]),
    ('start: "k"i "s"i', ["ks", "KS", "\u212as", "k\u017f", "k"]),
    ('start: "ß"i', ["ß", "\u1e9e", "ss"]),
    ('start: "\\u0041\\n\\t\\\\\\"\\/"', ["A\n\t\\\"/", "A"]),
    ('start: "\\ud83d\\ude00"', ["\U0001F600", "\U0001F601"]),
    ('start: "" | "x"', ["", "x", "xx"]),
    ('start: ()', ["", "a"]),
    ('start: "a" | | "b"', ["", "a", "b", "ab"]),
    ('start:\n  | "a"\n  | "b"', ["", "a", "b"]),
    ('start: "a"\n\n  | "b" # comment\n  | "c" // comment\n',
     ["a", "b", "c", "#"]),
    ('start: ("a"\n | "b") "c"', ["ac", "bc", "c"]),
    ('?start: a\n!a: "x" -> one\n | "y" -> two\n', ["x", "y", "xy"]),
    ('!?start: _b\n_b: C\nC: "x"', ["x", "C"]),
    ('start: foo-bar1\nfoo-bar1: _B_1\n_B_1: "z"', ["z", "zz"]),
    # ---- recursion
    ('start: start "a" | "b"', ["b", "baa", "a", "ab"]),
    ('start: "a" start | "b"', ["b", "aab", "a", "ba"]),
    ('start: "(" start ")" start |', ["", "()", "(())()", "(", "())"]),
    ('start: a\na: b "x" | "y"\nb: a "z" | "w"',
     ["y", "wx", "yzx", "wxzx", "x", "w"]),
    # ---- terminals
    ('start: A "."\nA: "x" B? \nB: "y" | /[0-9]{2}/',
     ["x.", "xy.", "x12.", "x1.", "y."]),
    ('start: A+\nA: B B\nB: "b"', ["bb", "bbbb", "b", "bbb"]),
    ('start: A "!"\nA: ""', ["!", "a!"]),
    ('start: A B\nA: /a*/\nB: /b*/', ["", "a", "b", "aabb", "ba"]),
    # ---- regular expressions
    ('start: /./', ["a", "é", "\n", "\r", "", "ab"]),
    ('start: /./s', ["a", "\n", ""]),
    ('start: /(?s:.)x/', ["\nx", "ax", "x"]),
    ('start: /ab/i', ["ab", "AB", "aB", "b"]),
    ('start: /k/i', ["k", "K", "\u212a", "j"]),
    ('start: /a b # c/x', ["ab", "a b"]),
    ('start: /^a$/', ["a", "\na"]),
    ('start: /\\d+/', ["1", "\u0663", "12", "a"]),
    ('start: /\\w+/', ["a", "é", "a_1", "-", "\u0301"]),
    ('start: /\\s/', [" ", "\n", "\u00a0", "\u2003", "\ufeff", "x"]),
    ('start: /\\p{Lu}\\p{L}*/', ["A", "Éa", "a"]),
    ('start: /[^a-z]/', ["A", "\n", "é", "b", ""]),
    ('start: /a{2}b{1,2}c{2,}/', ["aabcc", "aabbccc", "abcc", "aabc"]),
    ('start: /\\x41\\u0042\\u{43}/', ["ABC", "AB"]),
    ('start: /a\\/b/', ["a/b", "a\\/b"]),
    ('start: /a*?b/', ["b", "aab", "a"]),
    ('start: /(?P<n>a)(?:b|c)(d)?/', ["ab", "acd", "a"]),
    ('start: /"([^"\\\\]|\\\\.)*"/', ['""', '"a"', '"\\""', '"\\"', '"']),
    # ---- and, not
    ('start: A\nA: /[a-z]+/ & ~/foo/', ["foo", "fooo", "x", "fo", ""]),
    ('start: A\nA: "a" /[a-z]+/ & /...b/ | "z"',
     ["aaab", "aab", "z", "azab", "ab"]),
    ('start: A "!"\nA: /[a-z]*/ & ~("a"+ | "")', ["b!", "ab!", "!", "a!"]),
    ('start: A\nA: /[a-z \\n]*/ & ~/(?s:.*)\\n\\n(?s:.*)/',
     ["a\nb", "a\n\nb", "", "\n", "a\n\n"]),
    ('start: A\nA: ~(~"b")', ["b", "", "a"]),
    ('start: A\nA: /a+/ & /(aa)*/ & /(aaa)*/', ["aaaaaa", "aaa", "aa", "a"]),
    # ---- %ignore
    ('start: "a" "b"\n%ignore " "',
     ["ab", "a b", "a   b", " ab", ("ab ", END)]),
    ('start: "a" "b"+\n%ignore " "', ["ab b ", "ab ", "a", " ab"]),
    ('start: "say" STRING "."\nSTRING: "\\"" /[^"]*/ "\\""\n%ignore " "',
     ['say "a b".', 'say"x".', 's ay "a".', 'say "" .']),
    ('start: "a" "b"\n%ignore " " | "#"\n%ignore /\\n/',
     ["a #\nb", "a\n#\nb", "a-b"]),
    ('start: "a" "b"\n%ignore W\nW: " "', ["a b", "ab", "a\tb"]),
    ('%llguidance {"allow_initial_skip": true}\nstart: "a" "b"\n%ignore " "',
     [" ab", "  a b", "ab"]),
    ('%llguidance {"ignore_once": true}\nstart: "a" "b"\n%ignore " "',
     ["a b", "ab", "a  b"]),
    ('%llguidance {"no_forcing": true}\n%llguidance {}\nstart: "a" "b"',
     ["ab", "a b"]),
    ('start: A "." \nA: /[a-z]*/\n%ignore " "', [".", "a .", "a.", "ab .", " ."]),
    ('start: x "c"\nx[capture]: "a" "b"?\n%ignore " "',
     ["a c", "ab c", "a b c", "abc", " ac", "b c"]),
    ('start: x "c"\nx[capture]: "b"?\n%ignore " "', ["c", " c", "b c", "bc"]),
    (CALC, ["1+2", "1 + (2*3 ) - 4", " 1", "1 ", "1 +", "(1", "--1",
            "1.5e3*2", "1 2"]),
    (SQL, ["select * from t", "select a,b from t where a>=3",
           "select a from t where b = 'x y'", "select from from t",
           "selecta from t", "select a from where"]),
    # ---- options
    ('start: x "!"\nx[lazy]: /[a-z]+/', ["a!", "ab!", "!"]),
    ('start: x "!"\nx[lazy]: /[a-z]*;/', ["a;!", "ab;!", ";!", ";;!"]),
    ('start: x "!"\nx[lazy]: "b" | "bc" | "d"', ["b!", "bc!", "d!"]),
    ('start: x "!"\nx[lazy]: /[a-z]*/', ["!", "a!", "ab!"]),
    ('start: x | B "."\nx[lazy]: /a*/\nB: /[ab]+/', ["", "a", "b.", "ba."]),
    ('start: (x | B)*\nx[lazy]: /[ab]*c/\nB: /[ad]*/\n%ignore " "',
     ["abc", "ad abc", " d", "dac", "ab"]),
    ('start: x "!"\nx[suffix="<end>"]: /.*/',
     ["foo<end>!", "<end>!", "foo<en<end>!", "foo!", "foo<end>x<end>!"]),
    ('start: x "!"\nx[suffix=/[.;]+/]: /[a-z]*/',
     ["a.!", ";!", "a..!", "a!"]),
    ('start: x "!"\nx[suffix=END]: /[a-z]*/\nEND: "." | ".."',
     ["a.!", "a..!", "!"]),
    ('start: x "!"\nx[stop="<end>", capture]: /.*/',
     ["foo<end>!", "foo!", "<end>!"]),
    ('start: outer\nouter[capture]: x "<end>"\n'
     'x[stop="<end>", capture]: /.*/', ["foo<end>", "foo", "foo<end><end>"]),
    ('start: x "\\n\\n!"\nx[stop="\\n"]: /.*/', ["a\n\n!", "a\n\n\n!", "a\n!"]),
    ('start: x\nx[capture="q", temperature=0.5, max_tokens=9]: /[a-z]+/',
     ["abc", "", "a1"]),
    ('start: x "."\nx[]: "a"\n', ["a.", "."]),
    ('start: a b\na[capture]: "x"+\nb[capture="c", ]: "y"*\n',
     ["x", "xxy", "y"]),
    # ---- what ends early beside other lexemes
    (TOOLS, ["hello", "", "a<functio", "a<function", "a<function=x",
             "a<function=foo>12</function>b",
             "<function=bar>1</function>x<function=foo>1</function>",
             "a<function=foo>12</function><function", "a<function=foo></f"]),
    ('start: a "1" | B "2"\na[lazy]: /a+/\nB: /a/', ["a1", "a2", "aa1"]),
    ('start: a "1" | B "2"\na[lazy]: /a+/\nB: /aa/', ["a1", "aa2", "aa1"]),
    ('start: a "1" | B "2"\na[lazy]: /aab/\nB: /[abc]+/',
     ["aab1", "aab2", "aac2", "aaca2", "abaab2"]),
    ('start: think? TEXT\nthink[suffix="</t>"]: "<t>" /(.|\\n)*/\n'
     'TEXT: /(.|\\n)*/',
     ["x", "<t>y</t>z", "<t>y</t>z</t>", "<t>y", "a</t>", "x<t>y</t>"]),
    ('start: (t | u)*\nt[suffix="."]: /[a-z]+/\nu: /[a-z.]{1,2}!/',
     ["a.", "ab.", "a!", "a.!", "ab!", "a.b.", ".!"]),
    ('start: a b\na: "x" | "x" l\nb: /[a-z]+/ "!"\nl[lazy]: /q+;/',
     ["xabc!", "xq;a!", "xqq;b!", "xqz!", "x!"]),
    # ---- common
    ('%import common.INT\nstart: INT', ["12", "0", "a", "-1", "\u0663"]),
    ('%import common.INT -> N\nstart: N "."', ["12.", "."]),
    ('%import common (SIGNED_NUMBER, CNAME)\nstart: CNAME "=" SIGNED_NUMBER',
     ["a_1=-1.5e+3", "_=+.5", "a=1.", "1=1", "a=e", "a=1e"]),
    ('%import common.ESCAPED_STRING\nstart: ESCAPED_STRING',
     ['""', '"a\\"b"', '"a\nb"', '"a\\\nb"', '"a', '"\\\\"', '"é"']),
    ('%import common (C_COMMENT, CPP_COMMENT, SH_COMMENT, SQL_COMMENT)\n'
     'start: (C_COMMENT | CPP_COMMENT | SH_COMMENT | SQL_COMMENT) "\\n"',
     ["/**/\n", "/* a * b */\n", "/*/\n", "//x\n", "#\n", "--a\n", "-a\n"]),
    ('%import common (WS, WS_INLINE, NEWLINE)\n'
     'start: "a" WS "b" WS_INLINE "c" NEWLINE "d"',
     ["a\n\t \r\fb \tc\r\n\nd", "ab c\nd", "a b\nc\nd", "a\u00a0b c\nd"]),
    ('%import common (WORD, LETTER, DIGIT, HEXDIGIT)\n'
     'start: WORD "1" LETTER "-" DIGIT HEXDIGIT',
     ["ab1Z-9F", "é1a-1f", "ab1ab-1f", "ab1a-1g"]),
    ('%import common (DECIMAL, FLOAT, SIGNED_INT, SIGNED_FLOAT, _EXP)\n'
     'start: DECIMAL "|" FLOAT "|" SIGNED_INT "|" SIGNED_FLOAT "|" _EXP',
     ["1.|1e5|-1|+.5|e5", ".5|1.5|1|1.e-5|E+1", "1|1.|1|1.|e1",
      "1.|1|1|1.|e1", "1.5|.5e1|1|1.|e"]),
    ('%import common (CR, LF, LCASE_LETTER, UCASE_LETTER, NUMBER)\n'
     'start: CR LF LCASE_LETTER UCASE_LETTER NUMBER',
     ["\r\naA1", "\n\raA1", "\r\nAa1", "\r\naA1e5", "\r\naA.5"]),
    # ---- %json, %regex
    ('start: "a" %json {"type": "object", "additionalProperties": false}',
     ["a{}", "a{ }", "a", "a {}", "a{} "]),
    ('start: "n=" %json {"type": "integer", "minimum": 3} ";"',
     ["n=3;", "n=12;", "n=2;", "n=x;"]),
    ('start: "a" %json {"enum": [1, "x"]} "b"\n%ignore " "',
     ["a1b", 'a"x"b', ("a 1b", INSIDE), "a1 b", "a2b"]),
    ('start: x\nx: %json true "."', ["true.", ("1.", GREEDY), '{"a": []}.', "x."]),
    ('start: %regex {"substring_words": "foo bar. baz_1"} "!"',
     ["foo!", "foo bar!", "!", " bar.!", "o!", "baz_1!", "foo bar. baz_1!"]),
    ('start: %regex {"substring_chars": "aéc"} "!"',
     ["a!", "éc!", "aéc!", "ac!", "!"]),
    ('start: A "!"\nA: "<" %regex {"substring_chunks": ["ab", "c", "d"]} ">"',
     ["<abc>!", "<cd>!", "<>!", "<bc>!"]),
    # ---- parameters
    (PERM, ["abc", "cab", "bca", "ab", "aab", "abca", ""]),
    ('start: lst::0x0\nlst::_: "a" lst::incr([0:3]) %if lt([0:3], 5)\n'
     ' | "b" lst::incr([3:6]) %if lt([3:6], 2)\n | ""',
     ["aaaaa", "aabba", "bbb", "aaaaaa", "", "babaaaa"]),
    ('start: p::0\np::_: "" %if bit_count_ge(_, 1)\n'
     ' | "a" p::set_bit(0) %if and(bit_clear(0), bit_count_lt(_, 2))\n'
     ' | "b" p::set_bit(1) %if and(bit_clear(1), bit_count_lt(_, 2))\n'
     ' | "c" p::set_bit(2) %if and(bit_clear(2), bit_count_lt(_, 2))',
     ["a", "ab", "cb", "", "abc", "aa"]),
    ('start: a::0xFF\na::_: "x" a::decr([0:4]) %if gt([0:4], 12) | "y"',
     ["y", "xxxy", "xxxxy", "x"]),
    ('start: a::3\na::_: ("x" %if bit_set(0)) "y" | b::bit_and(2)\n'
     'b::_: "z" %if eq([0:2], 2) | "w" %if not(eq([0:2], 2))',
     ["xy", "z", "y", "w"]),
    ('start: a::5\na::_: "p" %if is_zeros([1:2]) | "q" %if ne([0:3], 5)\n'
     ' | "r" %if le([0:2], 1) | "s" %if ge([2:3], 1) | "t" b::clear_bit(2)\n'
     'b::_: "u" %if or(bit_set(2), eq(_, 1)) | c::bit_or(6) | "v" b::_'
     ' %if bit_count_gt(_, 3)\nc::_: "w" %if eq(_, 7)',
     ["p", "q", "r", "s", "tu", "tw", "tv", "u"]),
    # ---- the longest text there is
    ('start: A "x"\nA: /[a-z]+/', [("abx", GREEDY), "ab", "x"]),
    ('start: "if" A | A "!"\nA: /[a-z]+/\n%ignore " "',
     ["if x", ("ifx", GREEDY), "ifx!", "x!", "if"]),
    ('start: A B\nA: /[0-9]+/\nB: /[0-9]/', [("12", GREEDY), "1"]),
    ('start: A* B\nA: /[a-z]+ /\nB: /[a-z ]+\\./', ["a b.", "a.", "a b c."]),
    # sets inside classes
    ('start: /[a-z&&[^aeiou]]+/', ["b", "bcd", "a", "ba", "", "B"]),
    ('start: /[a-z--[aeiou]]+/', ["b", "xyz", "a", "ba", "-"]),
    ('start: /[a-c~~b-d]/', ["a", "b", "c", "d", "e", "~"]),
    ('start: /[a-y&&b-z--m~~mA]/', ["a", "b", "m", "y", "z", "A"]),
    ('start: /[[a-z]--b[cd]]/', ["a", "b", "c", "d", "e", "["]),
    ('start: /[^a-c&&b-d]/', ["a", "b", "c", "d", "\u00e9"]),
    ('start: /[a[^b-y&&[^q]]]/', ["a", "b", "q", "z", "]"]),
    ('start: /[[:digit:]x-z[AB]]+/', ["1xA", "y", "C", ":", "d"]),
    ('start: /[[:^alpha:]]/', ["1", "a", "Z", "\u00e9"]),
    ('start: /[^[:word:][:punct:]]/', ["1", "_", "!", "`", " ", "\u00e9"]),
    ('start: /[[:blank:][:xdigit:]]+/', [" \t", "aF9", "g", "\n"]),
    ('start: /[[:space:]--[:blank:]]/', ["\n", "\x0b", " ", "\t"]),
    ('start: /[:digit:]+/', ["dig:", "1", "[", "]"]),
    ('start: /[[:foo:]b]/', [":", "f", "b", "[", "]"]),
    ('start: /[]a]+/', ["]a", "b", "["]),
    ('start: /[^]a]/', ["]", "a", "b"]),
    ('start: /[--a]/', ["-", "a", ".", "b"]),
    ('start: /[a-]/', ["-", "a", "b"]),
    ('start: /[a&~-]+/', ["a&", "~-", "b"]),
    ('start: /[\\w--\\d]+/', ["a_", "1", "a1", "\u00e9"]),
    ('start: /[a-z--[K]]/i', ["k", "K", "a", "A", "\u212a"]),
    ('start: /[[^k]&&a-m]/i', ["k", "K", "a", "M", "n", "\u212a"]),
]

# Grammars that both refuse.
INVALID = [
    'start: /[a/', 'start: /[]/', 'start: /[^]/', 'start: /[[:digit:]/',
    'start: /[a-z--[b]/', 'start: /[b-a&&c]/',
    'root: "a"', "", 'start: "a', 'start: b',
    'start: A',
    'start: A\nA: b\nb: "x"', 'start: A\nA: A "x" | "x"',
    'start: A\nA: B\nB: A', 'start: A\nA: <[1]>',
    'start: A\nA: %json {}', 'start: a\na: "x"\na: "y"',
    'start: A\nA: "x"\nA: "y"',
    '%import common.INT\nINT: "1"\nstart: INT',
    '%import common.FOO\nstart: FOO',
    '%import foo.INT\nstart: INT',
    '%declare A\nstart: A', 'start: a{"x"}\na{p}: p',
    'start: "a"{2,1}', 'start: "a"~3..2',
    'start: "a"~-1', 'start: "a"*?', 'start: *',
    'start: (\n"a"\n)', 'start: ("a"', 'start: "a")',
    'start: "a" |\n "b"', 'start:\n  "a"',
    "start: 'a'", 'start: "\\ud83d"',
    'start: "\t"', 'start: "c".."a"',
    'start: "ab".."c"', 'start: "a"i.."c"',
    'start: /[a-z]+/ & ~/foo/', 'start: /(/',
    'start: /a/l', 'start: /\\1/', 'start: /[/]/',
    'start: <[70-65]>', 'start: <[]>', 'start: <[^*]>',
    'start: <[65,^66]>', 'start: <[ 65 ]>',
    'start: <nobody>', 'start: <a b>', 'start: @foo',
    'start: a\na[foo]: "x"', 'start: a\na[lazy=1]: "x"',
    'start: a\na[capture=q]: "x"',
    'start: a\na[lazy, suffix="y"]: "x"',
    'start: a\na[stop="z", suffix="y"]: "x"',
    'start: a\na[stop_capture="z"]: "x"',
    'start: a\na[max_tokens=1.5]: "x"',
    'start: a\na[suffix=<[3]>]: "x"',
    'start: a\na[lazy]: b\nb: "x"',
    'start: A\nA[lazy]: "x"', 'start.foo: "a"',
    'start\n: "a"', 'start: "x" -> Y',
    '%llguidance {"no_forcing": 1}\nstart: "a"',
    '%llguidance []\nstart: "a"', '%foo\nstart: "a"',
    'start: %regex {"type": "substring"}',
    'start: %regex {}', 'start: %json {',
    'start: "a" "b"\n%ignore w\nw: " "',
    'start: a::1\na: "x"', 'start: A::3\nA::_: "x"',
    'start: a::3\na::_: "x" %if foo(1)',
    'start: a::3\na::_: "x" a::_ %if lt([3:3], 1)',
    'start: a::3\na::_: "x" a::_ %if bit_set(64)',
    'start: a::18446744073709551616\na::_: "x" %if bit_set(0)',
    'start: "a" \\\n "b"',
]

# Grammars that llguidance alone refuses.
TAKEN = [
    'start.1: "a"', 'start: A\nA.2: "a"',
    'start: "a"{0}', 'start: fooBar\nfooBar: "a"',
    'start: __foo\n__foo: "a"',
    'start: /(?=a)[a-z]/', 'start: /\\bfoo/',
    'start: "a"\n# c\n  | "b"', '\ufeffstart: "a"',
    'start: "a"\r  | "b"',
    'start: a\na[max_chars=3]: /[a-z]+/',
    'start: a\na[max_tokens=3]: b\nb: "x"',
    '%grammar_options {"allow_initial_skip": true}\nstart: "a"',
    'start: a::1\na::_: "x" %if true()',
    'start: a::1\na::_: "x"',
]

# Grammars that weir alone refuses: nothing is ignored in silence.
STRICT = [
    'start: "a"\nb: c', '%llguidance {"foo": 1}\nstart: "a"',
    '%llguidance {"allow_invalid_utf8": true}\nstart: "a"',
    'start: a\na[temperature=-1]: "x"', 'start: a\na[max_tokens=0]: "x"',
    'start: a "b"\na[stop=""]: "x"', 'start: a\na[lazy, lazy]: "x"',
    'start: a\na[capture=""]: "x"',
    'start: a\na[suffix=/x|yy/, capture]: /.*/',
    'start: a\na[capture]: a "x" | "y"',
]

TOKENIZER = LLTokenizer("byte")


def quoted(text):
    out = ""
    for b in text.encode():
        c = chr(b)
        if c in '"\\':
            out += "\\" + c
        elif c == "\n":
            out += "\\n"
        elif " " <= c <= "~":
            out += c
        else:
            out += f"\\x{b:02x}"
    return f'"{out}"'


def refusal(grammar):
    return LLMatcher.validate_grammar(LLMatcher.grammar_from_lark(grammar),
                                      TOKENIZER)


def accepts(grammar, text):
    m = LLMatcher(TOKENIZER, LLMatcher.grammar_from_lark(grammar), log_level=0)
    return all(m.consume_token(b) for b in text.encode()) and m.is_accepting()


def record(grammar, texts, faults):
    message = refusal(grammar)
    if message:
        faults.append(f"{grammar!r} is refused: {message}")
        return
    print(f"\ngrammar {quoted(grammar)}")
    lines = {"accept": [], "refuse": []}
    for text in texts:
        text, reason = text if isinstance(text, tuple) else (text, None)
        verdict = accepts(grammar, text)
        if verdict and reason:
            faults.append(f"{grammar!r}: {text!r} is accepted")
        if reason:
            lines.setdefault(f"looser {reason}", []).append(quoted(text))
        else:
            lines["accept" if verdict else "refuse"].append(quoted(text))
    for word, given in lines.items():
        if given:
            print(word, *given)


def main():
    faults = []
    print(HEAD, end="")
    for grammar, texts in GRAMMARS:
        record(grammar, texts, faults)
    print()
    for word, grammars, is_refused in (("invalid", INVALID, True),
                                       ("taken", TAKEN, True),
                                       ("strict", STRICT, False)):
        for grammar in grammars:
            if bool(refusal(grammar)) != is_refused:
                faults.append(f"{word}: {grammar!r}: {refusal(grammar)!r}")
            print(word, quoted(grammar))
    print("\n".join(faults), file=sys.stderr)
    return 1 if faults else 0


sys.exit(main())
