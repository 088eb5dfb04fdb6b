/* ir.h: the grammar every surface language compiles to: rules over
 * hash-consed expressions.
 *
 * An expression denotes a set of byte strings (token edges aside):
 *
 *   NEVER              nothing              BYTES "ab"   one string
 *   EMPTY              the empty string     CLASS [a-z]  one code point, UTF-8
 *   SEQ e1 e2 ...      e1 then e2 ...       ALT e1|e2    either
 *   REPEAT e {lo,hi}   lo to hi times e     RULE r       what rule r denotes
 *   REGULAR d          texts a code point DFA accepts
 *   BOUNDED d {,hi}    those of them of at most hi characters
 *   TOKENS {ids}       one token of (or not of) a set, whatever its bytes.
 *                      TOKEN_NEVER is in no vocabulary: a set that has it may
 *                      be a dead end, but is not taken for nothing at all
 *   LIST l             items with separators, of counted kinds (ListSpec)
 *
 * Equal expressions are one node: node ids may be compared. Builders simplify:
 * no NEVER inside a SEQ, no EMPTY in a SEQ, no SEQ in a SEQ or ALT in an ALT,
 * neighbouring BYTES joined, classes in an ALT united, {1,1} gone. Kids of an
 * ALT stand in ir_order's order, so that what is printed does not depend on
 * the order in which nodes were made.
 *
 * Errors are sticky: after the first, every builder returns NODE_NEVER and
 * `error` keeps the first report. Lifetime: call (front end and passes), then
 * kept by the grammar for printing and for union and concat.
 */
#ifndef WEIR_SYNTAX_IR_H
#define WEIR_SYNTAX_IR_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/out.h"
#include "base/vec.h"
#include "lang/dfa.h"

typedef uint32_t NodeId;
typedef uint32_t RuleId;

enum { NODE_NEVER_ID = 0, NODE_EMPTY_ID = 1 };
#define RULE_NONE UINT32_MAX
#define REPEAT_INF UINT32_MAX
#define TOKEN_NEVER UINT32_MAX

/* A class that is read as llama.cpp reads UTF-8 (lang/lax.h). Such ones are
 * not united with others in an ALT. */
typedef enum ClassFlag { CLASS_LAX = 1, CLASS_WARY = 2 } ClassFlag;

typedef enum NodeKind {
    NODE_NEVER,
    NODE_EMPTY,
    NODE_BYTES,   /* a: offset in bytes, b: size > 0 */
    NODE_CLASS,   /* a: offset in ranges, b: count > 0, c: ClassFlag bits */
    NODE_SEQ,     /* a: offset in kids, b: count > 1 */
    NODE_ALT,     /* a: offset in kids, b: count > 1 */
    NODE_REPEAT,  /* a: node, b: lo, c: hi or REPEAT_INF */
    NODE_RULE,    /* a: rule */
    NODE_REGULAR, /* a: index in dfas */
    NODE_TOKENS,  /* a: offset in ranges, b: count, c: 1 if negated */
    NODE_LIST,    /* a: index in lists */
    NODE_BOUNDED, /* a: index in bounds */
    NODE_KINDS
} NodeKind;

typedef struct Node {
    NodeKind kind;
    uint32_t a, b, c;
} Node;

/* Inclusive; sorted and disjoint where a list of them is stored. */
typedef struct Range {
    uint32_t lo, hi;
} Range;

/* ---- lists ---- */

/* How many items of some kinds there must be; hi may be REPEAT_INF. */
typedef struct ListCounter {
    uint32_t lo, hi;
} ListCounter;

/* What may not occur twice among the items of one list. A head that is unique
 * is a JSON string (STRING) or any JSON value (VALUE); where a number in it may
 * have an exponent, that may be any. */
typedef enum ListUnique {
    LIST_REPEATABLE,
    LIST_UNIQUE_STRING, /* heads, as decoded strings */
    LIST_UNIQUE_VALUE   /* heads, as JSON values */
} ListUnique;

/* What is known of a unique head: a list must not run out of them. */
typedef enum ListSupply {
    LIST_SUPPLY_UNKNOWN, /* to be found out when it is compiled */
    LIST_SUPPLY_MANY,    /* at least LIST_SUPPLY_LEAST heads */
    LIST_SUPPLY_OPEN     /* endless ways to go on, however one has begun */
} ListSupply;
enum { LIST_SUPPLY_LEAST = 1000 };

/* One kind of item: head, then tail. An item is never the empty text: that one
 * is left out if both may be empty. */
typedef struct ListKind {
    NodeId head, tail;
    uint32_t order; /* group: never less than that of the item before */
    uint32_t ncounters;
    const uint32_t *counters; /* each item of the kind adds 1 to these */
    ListUnique unique;
    ListSupply supply; /* unique; not part of what a list says */
} ListKind;

/* If all of the counters `when`, one or more, are at least 1 at the end, so is
 * counter `then`. */
typedef struct ListNeed {
    uint32_t nwhen, then;
    const uint32_t *when;
} ListNeed;

/* item (separator item)*, at least one, such that groups are in order, every
 * counter is in its bounds at the end, and all needs hold. What a text allows
 * is the union over its readings. */
typedef struct ListSpec {
    NodeId separator;
    bool is_contiguous; /* the first item is of group 0, and the next of the
                           group of the last or of the one after */
    uint32_t nkinds, ncounters, nneeds;
    const ListKind *kinds;
    const ListCounter *counters;
    const ListNeed *needs;
} ListSpec;

/* ---- bounded regular languages ---- */

/* The texts of `dfa` of at most `hi` characters. Every state and every edge is
 * taken by one of them. */
typedef struct BoundedSpec {
    Dfa dfa;
    uint32_t hi;
    const uint8_t *ticks; /* by state: see ir_regular_bounded */
    const uint32_t *need; /* by state: characters to be ended until it accepts,
                             at least */
} BoundedSpec;

typedef enum RuleFlag {
    RULE_FRAME = 1,   /* never inlined: its states are worth sharing */
    RULE_SHARED = 2,  /* same in every grammar of a vocabulary; implies FRAME;
                        refers to shared rules only */
    RULE_SPACE = 4,   /* a run of blanks between structure */
    RULE_BORROWED = 8 /* defined elsewhere: the body is a sample */
} RuleFlag;

/* The rules of built-in JSON with its usual blanks, which the network of a
 * vocabulary has. A rule that is one of them may be BORROWED: its frame is
 * taken from there, and its body here is one text, as short as any of its own.
 * None may be empty. See json_grammar.h. */
typedef enum JsonPart {
    JSON_PART_NONE,
    JSON_PART_SPACE,
    JSON_PART_STRING,
    JSON_PART_NUMBER,
    JSON_PART_INTEGER, /* spelled without fraction and exponent */
    JSON_PART_BOOLEAN,
    JSON_PART_ARRAY,
    JSON_PART_OBJECT,
    JSON_PART_VALUE,
    JSON_PART_KEY_REST, /* of a string that is spelled as the keys of objects
                           are: from behind a quote to behind the next */
    JSON_PART_KEY_MORE, /* the same, but for the quote alone */
    /* of a member, from behind its key on, with a value of a part */
    JSON_PART_OF_STRING,
    JSON_PART_OF_NUMBER,
    JSON_PART_OF_INTEGER,
    JSON_PART_OF_BOOLEAN,
    JSON_PART_OF_ARRAY,
    JSON_PART_OF_OBJECT,
    JSON_PART_OF_VALUE,
    JSON_PART_COLON, /* between key and value */
    JSON_PART_TEXT   /* one or more characters of a string, counted */
} JsonPart;

typedef enum RuleOptionFlag {
    RULE_HAS_MAX_TOKENS = 1,
    RULE_HAS_MAX_CHARS = 2,
    RULE_HAS_TEMPERATURE = 4,
    RULE_HAS_CAPTURE = 8,
    RULE_HAS_STOP_CAPTURE = 16,
    RULE_HAS_HIDDEN_RULES = 32
} RuleOptionFlag;

/* What a source asks of a rule beside its language. `has` says which fields
 * mean something; texts belong to the Ir's arena. */
typedef struct RuleOptions {
    uint32_t has;
    uint32_t max_tokens, max_chars;      /* per occurrence */
    double temperature;                  /* finite, at least 0 */
    Span temperature_text;               /* as the source spells it */
    Span capture, stop_capture;          /* names */
    uint32_t hidden_suffix, hidden_stop; /* bytes left out; 0: none */
    RuleId hidden_body, hidden_marker;
} RuleOptions;

typedef struct Rule {
    Span name; /* owned by the arena */
    NodeId body;
    uint32_t flags;
    uint32_t begin, end; /* where it is defined in the source */
    uint32_t ordinal;    /* how many earlier rules have the same name */
    uint32_t namesakes;  /* kept by the first of a name: all of them */
    bool is_defined;
    JsonPart part;
    const RuleOptions *options; /* NULL: none; owned by the arena */
} Rule;

typedef struct Warning {
    uint32_t begin, end;
    Span message; /* owned by the arena */
} Warning;

typedef struct Ir {
    const Mem *mem;     /* also for what is given back soon */
    Arena arena;        /* names, dfas; its memory is where all is kept */
    weir_limits limits; /* no zeros: defaults filled in */
    weir_error error;
    RuleId root;
    bool borrows;         /* JSON's rules may be BORROWED */
    bool keeps_dead_ends; /* what cannot be completed is begun all the same:
                             see pass/lower.h */
    VEC(Rule) rules;
    VEC(Node) nodes;
    VEC(uint8_t) bytes;
    VEC(Range) ranges;
    VEC(NodeId) kids;
    VEC(Dfa) dfas;
    VEC(ListSpec) lists;     /* their arrays are the arena's */
    VEC(BoundedSpec) bounds; /* the same */
    VEC(Warning) warnings;
    Map node_index, name_index; /* names: the first rule of each */
} Ir;

/* Zeros filled in; NULL: the defaults. */
weir_limits ir_limits(const weir_limits *given);
/* limits: NULL for the defaults. */
void ir_init(Ir *ir, const Mem *mem, const weir_limits *limits);
/* What grows is in `scratch` until it is settled. */
void ir_init_within(Ir *ir, const Mem *scratch, const Mem *mem,
                    const weir_limits *limits);
/* Moves what is in scratch to the memory that the rest is in. */
bool ir_settle(Ir *ir);
void ir_free(Ir *ir);
/* Bytes held. */
size_t ir_memory(const Ir *ir);
static inline bool ir_ok(const Ir *ir)
{
    return !ir->error.status;
}

/* -- rules -- */

/* A new rule, not defined yet; the name is copied and need not be unique. */
RuleId ir_rule_new(Ir *ir, Span name, uint32_t flags);
void ir_rule_set(Ir *ir, RuleId rule, NodeId body);
/* Options are copied, their texts too; such a rule is a FRAME. */
void ir_rule_options(Ir *ir, RuleId rule, const RuleOptions *options);
/* Adds a warning: something in the source that has no effect or may surprise.
 */
void ir_warn(Ir *ir, size_t begin, size_t end, const char *format, ...)
    PRINTF_LIKE(4, 5);

/* -- expressions -- */

NodeId ir_bytes(Ir *ir, Span bytes); /* EMPTY for none */
/* Any ranges, in any order, may overlap; surrogates are left out. */
NodeId ir_class(Ir *ir, const Range *ranges, uint32_t count, bool negated);
/* One of llama.cpp's characters, numbers in [1, LAX_MAX]; a class that is
 * negated is wary where it matters. */
NodeId ir_lax_class(Ir *ir, const Range *ranges, uint32_t count, bool negated);
NodeId ir_rune(Ir *ir, uint32_t rune);
NodeId ir_any(Ir *ir); /* any code point */
NodeId ir_seq(Ir *ir, const NodeId *kids, uint32_t count);
NodeId ir_alt(Ir *ir, const NodeId *kids, uint32_t count);
NodeId ir_seq2(Ir *ir, NodeId left, NodeId right);
/* ir_seq of the arguments. */
#define IR_SEQ(ir, ...)                         \
    ir_seq((ir), (const NodeId[]){__VA_ARGS__}, \
           sizeof((const NodeId[]){__VA_ARGS__}) / sizeof(NodeId))
NodeId ir_alt2(Ir *ir, NodeId left, NodeId right);
NodeId ir_optional(Ir *ir, NodeId node);
NodeId ir_repeat(Ir *ir, NodeId node, uint32_t lo, uint32_t hi);
NodeId ir_ref(Ir *ir, RuleId rule);
/* The arrays of `dfa` are copied. */
NodeId ir_regular(Ir *ir, const Dfa *dfa);
/* The texts of `dfa` that have at most `hi` characters. ticks: by state, 1 if
 * what leads there is a whole number of characters and 0 in the middle of one,
 * which matters where a character of the text is spelled by several (an escape
 * inside a JSON string); the start and accepting states are 1. NULL: all are.
 * The arrays are copied. */
NodeId ir_regular_bounded(Ir *ir, const Dfa *dfa, const uint8_t *ticks,
                          uint32_t hi);
NodeId ir_tokens(Ir *ir, const Range *ids, uint32_t count, bool negated);
/* The arrays of `spec` are copied; kinds that are NEVER are left out. */
NodeId ir_list(Ir *ir, const ListSpec *spec);

/* -- looking -- */

static inline Node ir_node(const Ir *ir, NodeId id)
{
    return ir->nodes.at[id];
}
static inline Span ir_node_bytes(const Ir *ir, Node n)
{
    assert(n.kind == NODE_BYTES && ir->bytes.at); /* never empty */
    return span_of(vec_from(&ir->bytes, n.a), n.b);
}
static inline const Range *ir_node_ranges(const Ir *ir, Node n)
{
    assert(n.kind == NODE_CLASS || n.kind == NODE_TOKENS);
    return vec_from(&ir->ranges, n.a);
}
/* Valid until the next builder call. */
static inline const NodeId *ir_node_kids(const Ir *ir, Node n)
{
    assert(n.kind == NODE_SEQ || n.kind == NODE_ALT);
    return vec_from(&ir->kids, n.a);
}

static inline const ListSpec *ir_node_list(const Ir *ir, Node n)
{
    assert(n.kind == NODE_LIST);
    return &ir->lists.at[n.a];
}

static inline const BoundedSpec *ir_node_bounded(const Ir *ir, Node n)
{
    assert(n.kind == NODE_BOUNDED);
    return &ir->bounds.at[n.a];
}

static inline bool ir_is_automaton(Node n)
{
    return n.kind == NODE_REGULAR || n.kind == NODE_BOUNDED;
}
static inline const Dfa *ir_node_dfa(const Ir *ir, Node n)
{
    return n.kind == NODE_BOUNDED ? &ir_node_bounded(ir, n)->dfa
                                  : &ir->dfas.at[n.a];
}

/* A total order by content: less, equal or more than 0; 0 only for one and
 * the same node. Independent of node ids. */
int ir_order(const Ir *ir, NodeId left, NodeId right);
/* Sorts in place by ir_order, without memory. */
void ir_sort(const Ir *ir, NodeId *ids, uint32_t count);

/* All rules as text, one a line, root first; stable. docs/ir.md has the
 * notation. When memory is out the text ends in "(out of memory)". */
void ir_print(const Ir *ir, Out *out);
void ir_print_node(const Ir *ir, NodeId node, Out *out);
/* Of everything that ir_print shows; 0 when memory is out. */
uint64_t ir_hash(const Ir *ir);

#endif
