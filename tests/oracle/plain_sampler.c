/* plain_sampler.c: the samplers by their definitions. */
#include "oracle/plain_sampler.h"

#include <math.h>

static bool is_in(const Plain *s, size_t i)
{
    return s->logit[i] > -INFINITY;
}

static double greatest(const Plain *s)
{
    double max = -INFINITY;
    for (size_t i = 0; i < s->n; i++) max = fmax(max, s->logit[i]);
    return max;
}

static void softmax(Plain *s)
{
    double sum = 0, max = greatest(s);
    for (size_t i = 0; i < s->n; i++)
        sum += s->p[i] = is_in(s, i) ? exp(s->logit[i] - max) : 0;
    for (size_t i = 0; i < s->n; i++) s->p[i] /= sum;
}

static double entropy(const Plain *s)
{
    double h = 0;
    for (size_t i = 0; i < s->n; i++)
        if (s->p[i] > 0) h -= s->p[i] * log(s->p[i]);
    return h;
}

static size_t count_in(const Plain *s)
{
    size_t count = 0;
    for (size_t i = 0; i < s->n; i++) count += is_in(s, i);
    return count;
}

/* How many are in and have a smaller key; equal ones do not occur. */
static size_t rank_of(const Plain *s, const double *key, size_t i)
{
    size_t rank = 0;
    for (size_t k = 0; k < s->n; k++) rank += is_in(s, k) && key[k] < key[i];
    return rank;
}

/* The sum of the probabilities of those with a smaller key. */
static double sum_before(const Plain *s, const double *key, size_t i)
{
    double sum = 0;
    for (size_t k = 0; k < s->n; k++)
        if (is_in(s, k) && key[k] < key[i]) sum += s->p[k];
    return sum;
}

static void keep_only(Plain *s, const bool *keep)
{
    for (size_t i = 0; i < s->n; i++)
        if (!keep[i]) s->logit[i] = -INFINITY;
}

/* ---- samplers ---- */

static void penalise(Plain *s, const weir_sampler_opts *o,
                     const uint32_t *history, size_t taken)
{
    size_t from = 0;
    if (o->penalty_last_n >= 0 && taken > (size_t)o->penalty_last_n)
        from = taken - (size_t)o->penalty_last_n;
    for (size_t i = 0; i < s->n; i++) {
        double count = 0;
        for (size_t k = from; k < taken; k++) count += history[k] == i;
        if (count == 0) continue;
        double factor = (double)o->repeat_penalty;
        s->logit[i] =
            s->logit[i] > 0 ? s->logit[i] / factor : s->logit[i] * factor;
        s->logit[i] -=
            count * (double)o->frequency_penalty + (double)o->presence_penalty;
    }
}

/* The length of the longest run that ends both before history[at] and at the
 * end, and that lies within the window. */
static int run_before(const uint32_t *history, size_t from, size_t at,
                      size_t taken)
{
    int length = 0;
    while (at - from > (size_t)length &&
           history[at - 1 - (size_t)length] ==
               history[taken - 1 - (size_t)length])
        length++;
    return length;
}

static void dry(Plain *s, const weir_sampler_opts *o, const uint32_t *history,
                size_t taken)
{
    size_t from = 0;
    if (o->dry_last_n >= 0 && taken > (size_t)o->dry_last_n)
        from = taken - (size_t)o->dry_last_n;
    if ((int)(taken - from) <= o->dry_allowed_length) return;
    for (size_t i = 0; i < s->n; i++) {
        int longest = -1;
        for (size_t at = from + 1; at < taken; at++)
            if (history[at] == i) {
                int run = run_before(history, from, at, taken);
                longest = run > longest ? run : longest;
            }
        if (longest >= o->dry_allowed_length)
            s->logit[i] -=
                (double)o->dry_multiplier *
                pow((double)o->dry_base, longest - o->dry_allowed_length);
    }
}

static void top_n_sigma(Plain *s, double n)
{
    double sum = 0, squares = 0, count = (double)count_in(s);
    for (size_t i = 0; i < s->n; i++) sum += is_in(s, i) ? s->logit[i] : 0;
    for (size_t i = 0; i < s->n; i++)
        if (is_in(s, i)) squares += pow(s->logit[i] - sum / count, 2);
    double least = greatest(s) - n * sqrt(squares / count);
    for (size_t i = 0; i < s->n; i++)
        if (s->logit[i] < least) s->logit[i] = -INFINITY;
}

/* Those for which what is before them does not suffice. */
static void keep_until(Plain *s, const double *key, double p, size_t least)
{
    bool keep[PLAIN_MOST];
    for (size_t i = 0; i < s->n; i++)
        keep[i] = sum_before(s, key, i) < p || rank_of(s, key, i) < least;
    keep_only(s, keep);
}

static void top_k(Plain *s, size_t k)
{
    double key[PLAIN_MOST];
    bool keep[PLAIN_MOST];
    for (size_t i = 0; i < s->n; i++) key[i] = -s->logit[i];
    for (size_t i = 0; i < s->n; i++) keep[i] = rank_of(s, key, i) < k;
    keep_only(s, keep);
}

static void typical(Plain *s, double p, size_t least)
{
    double key[PLAIN_MOST];
    softmax(s);
    double h = entropy(s);
    for (size_t i = 0; i < s->n; i++)
        key[i] = s->p[i] > 0 ? fabs(-log(s->p[i]) - h) : INFINITY;
    keep_until(s, key, p, least);
}

static void top_p(Plain *s, double p, size_t least)
{
    double key[PLAIN_MOST];
    softmax(s);
    for (size_t i = 0; i < s->n; i++) key[i] = -s->logit[i];
    keep_until(s, key, p, least ? least : 1);
}

static void min_p(Plain *s, double p, size_t least)
{
    double key[PLAIN_MOST];
    bool keep[PLAIN_MOST];
    double bound = greatest(s) + log(p);
    for (size_t i = 0; i < s->n; i++) key[i] = -s->logit[i];
    for (size_t i = 0; i < s->n; i++)
        keep[i] = s->logit[i] >= bound || rank_of(s, key, i) < least;
    keep_only(s, keep);
}

static void xtc(Plain *s, double threshold, size_t least)
{
    size_t over = 0, last = s->n;
    softmax(s);
    for (size_t i = 0; i < s->n; i++) {
        if (s->p[i] < threshold) continue;
        over++;
        if (last == s->n || s->p[i] < s->p[last]) last = i;
    }
    if (over < 2 || count_in(s) - (over - 1) < least) return;
    for (size_t i = 0; i < s->n; i++)
        if (s->p[i] >= threshold && i != last) s->logit[i] = -INFINITY;
}

static void temperature(Plain *s, const weir_sampler_opts *o)
{
    double t = (double)o->temperature, range = (double)o->dynamic_range;
    if (range > 0 && count_in(s) > 1) {
        softmax(s);
        double share = entropy(s) / log((double)count_in(s));
        double least = fmax(0, t - range);
        t = least +
            (t + range - least) * pow(share, (double)o->dynamic_exponent);
    }
    if (t <= 0) top_k(s, 1);
    for (size_t i = 0; i < s->n && t > 0; i++) s->logit[i] /= t;
}

/* With eta 0, mu is 2 tau at every step. */
static void mirostat(Plain *s, const weir_sampler_opts *o)
{
    double mu = 2 * (double)o->mirostat_tau, bits[PLAIN_MOST], tb = 0, tt = 0;
    double by_rank[PLAIN_MOST] = {0};
    softmax(s);
    for (size_t i = 0; i < s->n; i++) bits[i] = -log2(s->p[i]);
    if (o->mirostat == 2) {
        bool keep[PLAIN_MOST];
        for (size_t i = 0; i < s->n; i++)
            keep[i] = bits[i] <= mu || rank_of(s, bits, i) == 0;
        keep_only(s, keep);
        return;
    }
    for (size_t i = 0; i < s->n; i++) by_rank[rank_of(s, bits, i)] = s->p[i];
    for (size_t i = 0; i + 1 < s->n; i++) {
        double t = log((double)(i + 2) / (double)(i + 1));
        tb += t * log(by_rank[i] / by_rank[i + 1]);
        tt += t * t;
    }
    double slope = tb / tt, over = slope - 1;
    double k =
        pow(over * pow(2, mu) / (1 - pow((double)s->n, -over)), 1 / slope);
    top_k(s, k >= 1 ? (size_t)k : 1);
}

/* When none has been taken: the aim is the target itself. */
static void adaptive(Plain *s, double target)
{
    softmax(s);
    for (size_t i = 0; i < s->n; i++) {
        double far = fabs(s->p[i] - target) / 0.3;
        if (is_in(s, i)) s->logit[i] = 5 - 10 * far * far / (1 + far);
    }
}

void plain_chain(Plain *s, const double *logits, size_t n,
                 const weir_sampler_opts *o, const uint32_t *history,
                 size_t taken, bool xtc_strikes)
{
    s->n = n;
    for (size_t i = 0; i < n; i++) s->logit[i] = logits[i];
    for (size_t i = 0; i < o->bias_count; i++)
        s->logit[o->bias[i].id] += (double)o->bias[i].bias;
    if (o->mirostat) {
        for (size_t i = 0; i < n; i++) s->logit[i] /= (double)o->temperature;
        mirostat(s, o);
        softmax(s);
        return;
    }
    penalise(s, o, history, taken);
    if (o->dry_multiplier > 0) dry(s, o, history, taken);
    if (o->top_n_sigma > 0) top_n_sigma(s, (double)o->top_n_sigma);
    if (o->top_k > 0) top_k(s, (size_t)o->top_k);
    if (o->typical_p < 1) typical(s, (double)o->typical_p, o->min_keep);
    if (o->top_p < 1) top_p(s, (double)o->top_p, o->min_keep);
    if (o->min_p > 0) min_p(s, (double)o->min_p, o->min_keep);
    if (xtc_strikes) xtc(s, (double)o->xtc_threshold, o->min_keep);
    temperature(s, o);
    if (o->adaptive_target >= 0) adaptive(s, (double)o->adaptive_target);
    softmax(s);
}
