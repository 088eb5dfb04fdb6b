/* answer_response_items.h: the items of a response's output, and the events
 * that stream them. Index choice.items.count stands for an empty message: what
 * an output without text and calls has. */
#ifndef WEIR_SERVER_ANSWER_RESPONSE_ITEMS_H
#define WEIR_SERVER_ANSWER_RESPONSE_ITEMS_H

#include "server/answer_state.h"

/* How far an item has come. */
typedef enum ItemStage { ITEM_ADDED, ITEM_DONE } ItemStage;

/* An item; ITEM_ADDED: without what is inside. */
void put_item(const Answer *a, const Choice *c, uint32_t index, ItemStage stage,
              const char *key, JsonPut *out);

/* An event with its type and number; members may follow. */
void open_response_event(Answer *a, const char *name, JsonPut *out);
void close_response_event(JsonPut *out);

/* Ends the open item, if it is another one, and begins this. */
void begin_item(Answer *a, Choice *c, uint32_t index, JsonPut *out);
void put_item_delta(Answer *a, Choice *c, weir_bytes text, JsonPut *out);
void end_item(Answer *a, Choice *c, JsonPut *out);
/* weir's own: tokens that have no text yet. */
void put_report_event(Answer *a, Choice *c, JsonPut *out);

#endif
