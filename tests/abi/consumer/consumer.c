/* consumer.c: a program that uses the installed library as a stranger would:
 * one choice, the mask of each step, the end. Exit code 0 when all is right. */
#include <stdio.h>
#include <string.h>

#include <weir/weir.h>

enum { STOP = 4, COUNT = 5 };

static weir_token token(const char *text, uint32_t flags)
{
    weir_token t = {{text, strlen(text)}, flags};
    return t;
}

static weir_bytes bytes(const char *text)
{
    weir_bytes b = {text, strlen(text)};
    return b;
}

/* Masks worked out by hand for the choices "yes" and "no". */
static int follow(weir_matcher *matcher)
{
    int32_t row[WEIR_MASK_WORDS(COUNT)];
    if (weir_matcher_fill(matcher, row) != WEIR_FILL_APPLY) return 2;
    if (row[0] != 0x7) return 3; /* ye, no, y */
    if (weir_matcher_accept(matcher, 0) != WEIR_ACCEPTED) return 4;
    if (weir_matcher_fill(matcher, row) != WEIR_FILL_APPLY) return 5;
    if (row[0] != 0x8) return 6; /* s */
    if (weir_matcher_accept(matcher, 1) != WEIR_REFUSED) return 7;
    if (weir_matcher_accept(matcher, 3) != WEIR_ACCEPTED) return 8;
    return weir_matcher_is_completed(matcher) ? 0 : 9;
}

int main(void)
{
    weir_error error;
    weir_token tokens[COUNT] = {
        token("ye", 0), token("no", 0), token("y", 0), token("s", 0),
        token("<end>", WEIR_TOKEN_CONTROL | WEIR_TOKEN_STOP)};
    weir_bytes choices[2] = {bytes("yes"), bytes("no")};
    weir_vocab *vocab = weir_vocab_new(NULL, tokens, COUNT, NULL, &error);
    weir_grammar *grammar =
        vocab ? weir_grammar_choice(vocab, choices, 2, NULL, &error) : NULL;
    weir_matcher *matcher =
        grammar ? weir_matcher_new(grammar, NULL, &error) : NULL;
    int code = 1;
    if (matcher)
        code = follow(matcher);
    else
        printf("%s\n", error.message);
    weir_matcher_free(matcher);
    weir_grammar_free(grammar);
    weir_vocab_free(vocab);
    printf("weir %s: %d\n", weir_version(), code);
    return code;
}
