/* settings.h: how a request wants its answer drawn. */
#ifndef WEIR_REQUEST_SETTINGS_H
#define WEIR_REQUEST_SETTINGS_H

#include "request/request.h"
#include "weir/decode.h"

struct weir_settings {
    Mem mem;
    Arena arena; /* all lists and texts */
    weir_settings_info info;
};

/* Reads into s, which is zeroed but for mem. False: the refusal tells. */
bool settings_read(weir_settings *s, const weir_vocab *vocab, Span request,
                   const weir_request_opts *opts, weir_refusal *refusal);

/* What the files below share. */
typedef struct SettingsReader {
    Resolver r; /* its constraint is NULL */
    weir_settings *s;
    const weir_vocab *vocab; /* or NULL */
    JsonId object;           /* that has the fields */
    const char *pointer;     /* of it */
} SettingsReader;

/* settings_numbers.c: all fields that are a number or true or false. */
bool settings_numbers(SettingsReader *s);
/* settings_lists.c: stop texts, logit biases, breakers, the order. */
bool settings_lists(SettingsReader *s);

#endif
