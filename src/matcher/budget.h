/* budget.h: rules that may take only so many tokens or characters.
 *
 * A budget belongs to one occurrence of its rule; the rule's marker on the
 * stack has the deadline, in tokens or characters of the whole output. When a
 * deadline has come, a reading that can end the rule there must: it is
 * replaced by what follows the rule. One that cannot goes on until it can (the
 * next character, or token, asks again). Nested budgets end each by its own
 * deadline.
 */
#ifndef WEIR_MATCHER_BUDGET_H
#define WEIR_MATCHER_BUDGET_H

#include "matcher/config.h"

/* The deadline of a marker pushed now; UINT32_MAX: never. */
uint32_t budget_deadline(const Stepper *s, const State *marker,
                         uint32_t budget);
/* True if some marker's deadline has come. */
bool budget_has_run_out(const ConfigSet *set, uint32_t now, bool by_chars);
/* Ends the rules whose deadline has come, where they can end. */
void budget_end(Stepper *s, ConfigSet *set, uint32_t now, bool by_chars);
/* Characters until the next deadline of the set; UINT32_MAX: none. */
uint32_t budget_chars_left(const ConfigSet *set);

/* The temperature of the innermost rule being read that has one, of several
 * readings the highest; `otherwise` if none has. */
double budget_temperature(const ConfigSet *set, double otherwise);

#endif
