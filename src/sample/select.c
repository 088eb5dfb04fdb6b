/* select.c: temperature and drawing, with llama.cpp's arithmetic.
 *
 * The draw takes one random number in [0, 1) and the first candidate, in the
 * order of the list, at which the running sum of weights reaches that part of
 * the whole. Mirostat and adaptive-p draw as std::discrete_distribution does,
 * which takes no random number where there is no choice.
 * Tests: unit/sampling_recorded_test.c, unit/sampling_distribution_test.c.
 */
#include "sample/select.h"

#include <math.h>

/* ---- temperature ---- */

static void keep_greatest(Cands *c)
{
    size_t best = 0;
    for (size_t i = 1; i < c->size; i++)
        if (c->at[i].key > c->at[best].key) best = i;
    for (size_t i = 0; i < c->size; i++)
        if (i != best) c->at[i].key = -INFINITY;
}

void select_temperature(Cands *c, float temperature)
{
    if (temperature <= 0 && c->raw) cands_keep(c, 1);
    if (temperature == 1 || !cands_list(c) || !c->size) return;
    if (temperature <= 0)
        keep_greatest(c);
    else
        for (size_t i = 0; i < c->size; i++) c->at[i].key /= temperature;
}

void select_dynamic(Cands *c, float temperature, float range, float exponent)
{
    if (range <= 0) {
        select_temperature(c, temperature);
        return;
    }
    if (!cands_list(c) || c->size <= 1) return;
    float least = MAX(0.0f, temperature - range), most = temperature + range;
    float even = -logf(1.0f / (float)c->size), entropy = 0;
    cands_sort(c);
    cands_softmax(c);
    if (c->failed) return;
    for (size_t i = 0; i < c->size; i++)
        if (c->p[i] > 0) entropy -= c->p[i] * logf(c->p[i]);
    select_temperature(c,
                       least + (most - least) * powf(entropy / even, exponent));
}

/* ---- drawing ---- */

size_t select_draw(Cands *c, Mt19937 *random)
{
    if (!cands_weights(c) || cands_max(c) == -INFINITY) return SIZE_MAX;
    double sum = 0, run = 0;
    size_t chosen = SIZE_MAX;
    for (size_t i = 0; i < c->size; i++) sum += (double)c->p[i];
    double target = sum * mt_double(random);
    for (size_t i = 0; i < c->size; i++) {
        if (c->p[i] <= 0) continue;
        run += (double)c->p[i];
        chosen = i;
        if (run >= target) break;
    }
    for (size_t i = 0; i < c->size; i++)
        c->p[i] = (float)((double)c->p[i] / sum);
    return chosen;
}

/* std::discrete_distribution<int> over p. */
static size_t draw_discrete(const Cands *c, Mt19937 *random)
{
    double sum = 0, run = 0;
    if (c->size < 2) return 0;
    for (size_t i = 0; i < c->size; i++) sum += (double)c->p[i];
    double target = mt_double(random);
    for (size_t i = 0; i + 1 < c->size; i++) {
        run += (double)c->p[i] / sum;
        if (run >= target && c->p[i] > 0) return i;
    }
    return c->size - 1;
}

/* ---- mirostat ---- */

enum { ZIPF_TOKENS = 100 };

/* How many tokens have the surprise mu, by the slope of the logarithms. */
static float zipf_count(const Cands *c, float mu, size_t width)
{
    float products = 0, squares = 0;
    for (size_t i = 0; i + 1 < ZIPF_TOKENS && i + 1 < c->size; i++) {
        float t = logf((float)(i + 2) / (float)(i + 1));
        float b = logf(c->p[i] / c->p[i + 1]);
        products += t * b;
        squares += t * t;
    }
    float slope = products / squares, over = slope - 1;
    float share = 1 - powf((float)width, -over);
    return powf(over * powf(2, mu) / share, 1 / slope);
}

static void cut_by_zipf(Cands *c, const Mirostat *m, size_t width)
{
    float count = zipf_count(c, m->mu, width);
    /* not a number, or beyond 32 bits: llama.cpp comes to 1 */
    bool is_count = count >= 1 && count < 2147483648.0f;
    c->size = MIN(is_count ? (size_t)count : 1, c->size);
}

static void cut_by_surprise(Cands *c, const Mirostat *m)
{
    size_t n = 0;
    while (n < c->size && !(-log2f(c->p[n]) > m->mu)) n++;
    c->size = MAX(n, 1);
}

size_t select_mirostat(Cands *c, Mirostat *m, unsigned version, size_t width,
                       Mt19937 *random)
{
    cands_sort(c);
    cands_softmax(c);
    if (c->failed || !c->size || c->at[0].key == -INFINITY) return SIZE_MAX;
    if (version == 1)
        cut_by_zipf(c, m, width);
    else
        cut_by_surprise(c, m);
    cands_softmax(c);
    size_t chosen = draw_discrete(c, random);
    m->mu -= m->eta * (-log2f(c->p[chosen]) - m->tau);
    return chosen;
}

/* ---- adaptive-p ---- */

/* What is aimed at now, so that the mean comes to the target. */
static float aim_of(const Adaptive *a)
{
    float target = MIN(a->target, 1.0f);
    float aim = a->weight == 0 ? target : 2 * target - a->sum / a->weight;
    return MIN(MAX(aim, 0.0f), 1.0f);
}

/* A logit by the distance: a parabola near the aim, a line far from it. */
static float logit_at(float p, float aim)
{
    static const float peak = 5, sharpness = 10, width = 0.3f;
    float distance = fabsf((p - aim) * (1 / width));
    return peak - sharpness * distance * distance / (1 + distance);
}

size_t select_adaptive(Cands *c, const Adaptive *a, Mt19937 *random,
                       float *before)
{
    if (!cands_list(c) || !c->size || cands_max(c) == -INFINITY)
        return SIZE_MAX;
    cands_softmax(c);
    if (c->failed || !cands_spare(c, c->size)) return SIZE_MAX;
    float aim = aim_of(a);
    for (size_t i = 0; i < c->size; i++) {
        c->spare[i].key = c->p[i];
        if (c->at[i].key != -INFINITY) c->at[i].key = logit_at(c->p[i], aim);
    }
    c->is_sorted = false;
    cands_softmax(c);
    if (c->failed) return SIZE_MAX;
    size_t chosen = draw_discrete(c, random);
    *before = c->spare[chosen].key;
    return chosen;
}
