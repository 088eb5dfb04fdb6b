/* warm.c: the masks along a sample text, made once and thrown away; the walks
 * behind them stay.   Tests: unit/mask_test.c. */
#include "mask/warm.h"

typedef struct Warm {
    StackHub stacks;
    MaskMemo memo;
    MaskRun run;
    ConfigSet now, next;
    uint32_t *row;
} Warm;

static bool warm_text(Warm *w, Span text)
{
    for (size_t i = 0; i <= text.size; i++) {
        if (mask_fill(&w->run, &w->memo, &w->now, w->row)) return false;
        if (i == text.size) break;
        set_step(&w->run.stepper, &w->now, text.at[i], &w->next);
        if (stepper_status(&w->run.stepper)) return false;
        assert(!set_is_empty(&w->next)); /* the sample is valid */
        if (!set_copy(w->run.mem, &w->now, &w->next)) return false;
    }
    return true;
}

bool mask_warm(MaskVocab *vocab, State *start, Span text)
{
    const Mem *mem = vocab->mem;
    weir_limits limits = {.max_configs = 64, .max_step = UINT64_MAX};
    size_t nbytes = vocab->nwords * sizeof(uint32_t);
    Warm w = {.row = mem_new(mem, nbytes)};
    bool ok = w.row && stackhub_init(&w.stacks, mem, 0) &&
              maskmemo_init(&w.memo, mem, 0);
    if (ok) {
        maskrun_init(&w.run, mem, vocab, &vocab->cache, &w.stacks, &limits);
        /* stacks stay: the sets in hand hold them from mask to mask */
        w.run.stepper.stacks.to_scratch = false;
        ok = vec_push(mem, &w.now.list, (Config){.q = start}) &&
             warm_text(&w, text);
    }
    maskrun_free(&w.run);
    maskmemo_free(&w.memo);
    stackhub_free(&w.stacks);
    vec_free(mem, &w.now.list);
    vec_free(mem, &w.next.list);
    mem_free(mem, w.row, nbytes);
    return ok;
}
