/* oracle_text.c: the oracle's texts: which token stands where. oracle.h says
 * what text and what TOKENS nodes can reach. Tests: unit/oracle_test.c. */
#include "oracle/oracle.h"

bool oracle_by_node(weir_token token, bool is_negated)
{
    uint32_t never = WEIR_TOKEN_HOLE | (is_negated ? WEIR_TOKEN_STOP : 0u);
    return !(token.flags & never);
}

bool oracle_by_text(weir_token token)
{
    return !(token.flags &
             (WEIR_TOKEN_CONTROL | WEIR_TOKEN_STOP | WEIR_TOKEN_HOLE)) &&
           token.bytes.size;
}

static void add_position(OracleText *text, int16_t byte)
{
    text->byte[text->size] = byte;
    text->token[text->size++] = UINT32_MAX;
}

bool oracle_add_bytes(OracleText *text, Span bytes)
{
    if (bytes.size > ORACLE_MAX - text->size) return false;
    for (size_t i = 0; i < bytes.size; i++) add_position(text, bytes.at[i]);
    return true;
}

bool oracle_add_token(OracleText *text, const OracleVocab *vocab, uint32_t id)
{
    weir_token token = vocab->tokens[id];
    uint32_t start = text->size;
    if (oracle_by_text(token)) {
        Span bytes = span_of(token.bytes.data, token.bytes.size);
        if (!oracle_add_bytes(text, bytes)) return false;
    } else {
        if (start == ORACLE_MAX) return false;
        add_position(text, -1);
    }
    text->token[start] = id;
    text->end[start] = text->size;
    return true;
}
