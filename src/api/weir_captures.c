/* weir_captures.c: what the rules with capture=... have read. */
#include "api/matcher.h"
#include "matcher/capture.h"

/* Reads the matcher's steps again. */
static bool read_steps(weir_matcher *m, CaptureRun *run)
{
    const Track *t = &m->track;
    for (uint32_t i = 1; i < t->steps.count; i++) {
        const TrackStep *step = &t->steps.at[i];
        Span text = track_text(t, i);
        if (step->is_stop) break;
        bool ok = step->token == TRACK_BYTES
                      ? capture_bytes(run, text)
                      : capture_token(run, step->token,
                                      vocab_bytes(&m->grammar->vocab->vocab,
                                                  step->token));
        if (!ok) return false;
    }
    return true;
}

static size_t give(CaptureRun *run, weir_capture *out, size_t capacity)
{
    uint32_t count;
    const Capture *list = capture_list(run, &count);
    for (uint32_t i = 0; i < count && i < capacity; i++) {
        Span name = list[i].name;
        out[i] = (weir_capture){
            {(const char *)name.at, name.size}, list[i].begin, list[i].end};
    }
    return count;
}

size_t weir_matcher_captures(weir_matcher *m, weir_capture *out,
                             size_t capacity)
{
    CaptureRun *run = capture_new(&m->grammar->mem, &m->hub->stacks,
                                  &m->grammar->ir.limits, &m->grammar->start);
    size_t count = SIZE_MAX;
    weir_status status = WEIR_NO_MEMORY;
    if (run) {
        bool ok = read_steps(m, run);
        assert(ok || capture_status(run)); /* it was read before */
        if (ok) count = give(run, out, capacity);
        status = capture_status(run);
    }
    capture_free(run);
    if (!status) return count;
    m->error = status;
    return SIZE_MAX;
}
