/* llama_rules.c: the rules of a grammar in the making.
 *
 * Rules with equal names and bodies are one; of those with equal names and
 * other bodies all but the first get a number. The text of the grammar has them
 * by name, in the order of bytes.
 * Cost:  a step of work for each byte of a name looked up: many places with
 *        names that are alike after what a name may not have is gone take time
 *        with the square of their number.
 * Tests: unit/convert_llama_test.c
 */
#include <stdlib.h>

#include "convert/doc_write.h"
#include "convert/llama.h"

/* ---- fixed rules ---- */

#define HEX "[0-9a-fA-F]"

static const LlamaFixed fixed_rules[] = {
    {"boolean", "(\"true\" | \"false\")", {0}, true},
    {"decimal-part", "[0-9]{1,16}", {0}, true},
    {"integral-part", "[0] | [1-9] [0-9]{0,15}", {0}, true},
    {"number",
     "(\"-\"? integral-part) (\".\" decimal-part)? "
     "([eE] [-+]? integral-part)?",
     {"integral-part", "decimal-part"},
     true},
    {"integer", "(\"-\"? integral-part)", {"integral-part"}, true},
    {"value",
     "object | array | string | number | boolean | null",
     {"object", "array", "string", "number", "boolean", "null"},
     true},
    {"object",
     "\"{\" space ( string \":\" space value "
     "(\",\" space string \":\" space value)* )? space \"}\"",
     {"string", "value"},
     true},
    {"array",
     "\"[\" space ( value (\",\" space value)* )? space \"]\"",
     {"value"},
     true},
    {"uuid",
     "\"\\\"\" " HEX "{8} \"-\" " HEX "{4} \"-\" " HEX "{4} \"-\" " HEX
     "{4} \"-\" " HEX "{12} \"\\\"\"",
     {0},
     true},
    {"char",
     "[^\"\\\\\\x7F\\x00-\\x1F] | [\\\\] ([\"\\\\bfnrt] | \"u\" " HEX "{4})",
     {0},
     true},
    {"string", "\"\\\"\" char* \"\\\"\"", {"char"}, true},
    {"null", "\"null\"", {0}, true},
    {"date",
     "[0-9]{4} \"-\" ( \"0\" [1-9] | \"1\" [0-2] ) \"-\" "
     "( \"0\" [1-9] | [1-2] [0-9] | \"3\" [0-1] )",
     {0},
     false},
    {"time",
     "([01] [0-9] | \"2\" [0-3]) \":\" [0-5] [0-9] \":\" [0-5] [0-9] "
     "( \".\" [0-9]{3} )? ( \"Z\" | ( \"+\" | \"-\" ) "
     "( [01] [0-9] | \"2\" [0-3] ) \":\" [0-5] [0-9] )",
     {0},
     false},
    {"date-time", "date \"T\" time", {"date", "time"}, false},
    {"date-string", "\"\\\"\" date \"\\\"\"", {"date"}, false},
    {"time-string", "\"\\\"\" time \"\\\"\"", {"time"}, false},
    {"date-time-string", "\"\\\"\" date-time \"\\\"\"", {"date-time"}, false},
};

const LlamaFixed *llama_fixed_find(Span name)
{
    for (size_t i = 0; i < COUNT_OF(fixed_rules); i++)
        if (span_equal(name, span_text(fixed_rules[i].name)))
            return &fixed_rules[i];
    return NULL;
}

/* Recursion: at most as deep as there are fixed rules. */
static Span add_fixed(Llama *c, Span name, const LlamaFixed *f)
{
    Span added = llama_rule_of(c, name, span_text(f->body));
    for (size_t i = 0; i < COUNT_OF(f->needs) && f->needs[i]; i++) {
        Span need = span_text(f->needs[i]);
        if (llama_ok(c) && !llama_has_rule(c, need))
            add_fixed(c, need, llama_fixed_find(need));
    }
    return added;
}

Span llama_fixed(Llama *c, Span name, const char *fixed)
{
    return add_fixed(c, name, llama_fixed_find(span_text(fixed)));
}

/* ---- names ---- */

static bool is_name_byte(uint8_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
           (c >= 'a' && c <= 'z') || c == '-';
}

/* A run of other bytes becomes one '-'. */
void llama_name(Llama *c, Span text)
{
    for (size_t i = 0; i < text.size;) {
        size_t from = i;
        while (i < text.size && is_name_byte(text.at[i])) i++;
        scratch_add(&c->text, span_of(text.at + from, i - from));
        from = i;
        while (i < text.size && !is_name_byte(text.at[i])) i++;
        if (i > from) scratch_text(&c->text, "-");
    }
}

Span llama_path(Llama *c, Span name, const char *part)
{
    size_t from = scratch_begin(&c->text);
    scratch_add(&c->text, name);
    if (name.size) scratch_text(&c->text, "-");
    scratch_text(&c->text, part);
    return scratch_take(&c->text, from);
}

/* ---- the table ---- */

static uint64_t name_hash(Span name)
{
    return hash_bytes(1, name.at, name.size);
}

static const LlamaRule *find(const Llama *c, Span name)
{
    uint64_t hash = name_hash(name);
    for (MapPos p = map_first(&c->rule_index, hash); p.value != MAP_NONE;
         p = map_next(&c->rule_index, hash, p))
        if (span_equal(c->rules.at[p.value].name, name))
            return &c->rules.at[p.value];
    return NULL;
}

bool llama_has_rule(const Llama *c, Span name)
{
    return find(c, name) != NULL;
}

static Span add(Llama *c, Span name, Span body)
{
    if (!llama_ok(c)) return SPAN("");
    LlamaRule r = {name, body};
    if (c->rules.count >= c->limits->max_rules) {
        diag_fail(c->err, WEIR_LIMIT_RULES, 0, 0,
                  "found more than %u rules (limit max_rules)",
                  c->limits->max_rules);
    } else if (!vec_push(c->mem, &c->rules, r) ||
               !map_add(c->mem, &c->rule_index, name_hash(name),
                        c->rules.count - 1)) {
        diag_no_memory(c->err);
    }
    return name;
}

/* Names wanted are put on the stack above the body, one after another. */
Span llama_rule(Llama *c, Span name, size_t from)
{
    Scratch *s = &c->text;
    size_t end = scratch_begin(s);
    llama_name(c, name);
    size_t plain = scratch_begin(s);
    const LlamaRule *known = NULL;
    for (int64_t number = 0; llama_work(c, 32 + plain - end); number++) {
        Span body = span_of(s->bytes.at + from, end - from);
        known = find(c, scratch_view(s, end));
        if (!known || span_equal(known->body, body)) break;
        scratch_drop(s, plain);
        scratch_number(s, number);
    }
    Span result;
    if (known || !llama_ok(c)) {
        result = known ? known->name : SPAN("");
        scratch_drop(s, from);
    } else {
        Span new_name = scratch_take(s, end);
        result = add(c, new_name, scratch_take(s, from));
    }
    return result;
}

Span llama_rule_of(Llama *c, Span name, Span body)
{
    size_t from = scratch_begin(&c->text);
    scratch_add(&c->text, body);
    return llama_rule(c, name, from);
}

static int rule_order(const void *left, const void *right)
{
    return span_compare(((const LlamaRule *)left)->name,
                        ((const LlamaRule *)right)->name);
}

void llama_rules_write(Llama *c)
{
    if (!llama_ok(c)) return;
    qsort(c->rules.at, c->rules.count, sizeof *c->rules.at, rule_order);
    for (uint32_t i = 0; i < c->rules.count; i++) {
        scratch_add(&c->text, c->rules.at[i].name);
        scratch_text(&c->text, " ::= ");
        scratch_add(&c->text, c->rules.at[i].body);
        scratch_text(&c->text, "\n");
    }
}

/* ---- pieces ---- */

void llama_literal(Llama *c, Span text)
{
    Scratch *s = &c->text;
    scratch_text(s, "\"");
    size_t plain = 0; /* what is not written yet begins here */
    for (size_t i = 0; i < text.size; i++) {
        static const char letters[] = "rn\"\\", meaning[] = "\r\n\"\\";
        const char *found = memchr(meaning, text.at[i], sizeof meaning - 1);
        if (!found) continue;
        const char escape[] = {'\\', letters[found - meaning], 0};
        scratch_add(s, span_of(text.at + plain, i - plain));
        scratch_text(s, escape);
        plain = i + 1;
    }
    scratch_add(s, span_of(text.at + plain, text.size - plain));
    scratch_text(s, "\"");
}

void llama_value(Llama *c, JsonId id)
{
    size_t from = scratch_begin(&c->text);
    doc_write(&c->doc, id, JSON_NONE, &c->text);
    Span text = scratch_take(&c->text, from);
    llama_literal(c, text);
}

static void add_operator(Scratch *s, int32_t lo, int32_t hi)
{
    if (hi == LLAMA_INF && (lo == 0 || lo == 1)) {
        scratch_text(s, lo ? "+" : "*");
        return;
    }
    scratch_text(s, "{");
    scratch_number(s, lo);
    scratch_text(s, ",");
    if (hi != LLAMA_INF) scratch_number(s, hi);
    scratch_text(s, "}");
}

/* One less, as 32 bits have it. */
static int32_t less(int32_t n)
{
    return (int32_t)((uint32_t)n - 1);
}

/* With a separator: the item, then separator and item, one time less. */
void llama_repeat(Llama *c, Span item, int32_t lo, int32_t hi,
                  const char *separator)
{
    Scratch *s = &c->text;
    if (hi == 0) return;
    if (lo == 0 && hi == 1) {
        scratch_add(s, item);
        scratch_text(s, "?");
        return;
    }
    if (!separator) {
        scratch_add(s, item);
        add_operator(s, lo, hi);
        return;
    }
    if (lo == 0) scratch_text(s, "(");
    scratch_add(s, item);
    scratch_text(s, " ");
    size_t from = scratch_begin(s);
    scratch_text(s, "(");
    scratch_text(s, separator);
    scratch_text(s, " ");
    scratch_add(s, item);
    scratch_text(s, ")");
    Span pair = scratch_take(s, from);
    llama_repeat(c, pair, lo ? less(lo) : 0, hi == LLAMA_INF ? hi : less(hi),
                 NULL);
    if (lo == 0) scratch_text(s, ")?");
}
