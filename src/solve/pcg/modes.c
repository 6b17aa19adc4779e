/* The choice among "pcg"'s preconditioners. */
#include "solve/pcg/modes.h"

#include <math.h>
#include <string.h>

/* Seconds of one core, as in solve/linear/auto.c: a block, and what an iteration takes beside; */
static const double BLOCK = 1.7e-9, ITERATION = 1e-6;
/* of the coupled rows' factor: a row's analysis, an operation, an entry in two half solves; */
static const double ANALYSIS = 1.5e-6, FLOP = 1 / 45e9, ENTRY = 2e-9;
/* of the second level: a row and a block of its matrices, a multiplication of its factor, an entry of W^ in two passes,
 * a number of the factor in both substitutions, and waking threads twice more. */
static const double LEVEL_ROW = 50e-9, LEVEL_BLOCK = 3e-9, LEVEL_FLOP = 0.12e-9, LEVEL_ENTRY = 7e-9,
                    LEVEL_NUMBER = 0.3e-9, LEVEL_START = 5e-6, LEVEL_ITERATION = 2e-6;
enum { TILE_NUMBERS = 48 * 48 };

static const double GAIN = 1.25;       /* to change over for */
static const double SECOND_RATE = 2.2; /* of a second level that was never tried: what it has in a cube */
/* What it leaves of stiff contact is less, at the same residual: it may cost twice as much. */
static const double EXACTNESS = 0.5;
static const double COUPLED_RATE = 2.6; /* of a coupled block that was never tried: contact does not show */
static const double ALONE = 2;          /* Gauss-Seidel alone: so many times the iterations of the coupled block */
enum { PROBE_FIRST = 8, PROBE_LAST = 512, MOST = 1 << 20 };

void vv_pcg_memory_begin(vv_pcg_memory *m, vv_pcg_mode first, int unknowns)
{
    memset(m, 0, sizeof *m);
    m->mode = first;
    m->unknowns = unknowns;
    for (int k = 0; k < VV_PCG_MODES; k++)
        m->until[k] = m->after[k] = PROBE_FIRST;
}

bool vv_pcg_memory_sound(const vv_pcg_memory *m)
{
    bool sound = m->mode >= 0 && m->mode < VV_PCG_MODES;
    for (int k = 0; k < VV_PCG_MODES; k++) {
        const double numbers[] = { m->rate[k], m->start[k], m->iteration[k] };
        for (int i = 0; i < 3; i++)
            sound = sound && numbers[i] >= 0 && numbers[i] < 1e12;
        sound = sound && m->until[k] >= 0 && m->until[k] <= MOST && m->after[k] > 0 && m->after[k] <= PROBE_LAST;
    }
    return sound;
}

bool vv_pcg_memory_empty(const vv_pcg_memory *m)
{
    return m->rate[VV_PCG_PLAIN] == 0 && m->rate[VV_PCG_COUPLED] == 0 && m->rate[VV_PCG_SECOND] == 0;
}

/* ---- costs ---- */

void vv_pcg_know_coupled(vv_pcg_memory *m, double rows, double flops, double entries)
{
    m->start[VV_PCG_COUPLED] = ANALYSIS * rows + FLOP * flops;
    m->iteration[VV_PCG_COUPLED] = ENTRY * entries;
}

void vv_pcg_know_second(vv_pcg_memory *m, const vv_pcg_shape *shape)
{
    m->start[VV_PCG_SECOND] =
        LEVEL_START + LEVEL_ROW * shape->rows + LEVEL_BLOCK * shape->blocks + LEVEL_FLOP * shape->flops;
    m->iteration[VV_PCG_SECOND] =
        LEVEL_ITERATION + LEVEL_ENTRY * shape->entries + LEVEL_NUMBER * TILE_NUMBERS * shape->tiles;
}

void vv_pcg_price(const vv_pcg_memory *m, const vv_pcg_shape *shape, vv_pcg_cost cost[VV_PCG_MODES])
{
    const double rows = shape->coupled_rows;
    const double plain = BLOCK * shape->blocks + ITERATION;
    vv_pcg_memory guess;
    /* a thin body's factor, as in solve/linear/auto.c */
    vv_pcg_know_coupled(&guess, rows, 15 * rows * rows, 20 * pow(rows, 4.0 / 3));
    vv_pcg_know_second(&guess, shape);
    for (int k = 0; k < VV_PCG_MODES; k++) {
        const vv_pcg_memory *from = m->iteration[k] > 0 ? m : &guess;
        cost[k] = (vv_pcg_cost){ .iteration = plain, .plain = plain, .mode = k, .available = true };
        if (k != VV_PCG_PLAIN)
            cost[k].start = from->start[k], cost[k].iteration += from->iteration[k];
    }
    cost[VV_PCG_COUPLED].available = rows > 0;
    cost[VV_PCG_SECOND].available = shape->entries > 0;
}

static double rate_of(const vv_pcg_memory *m, vv_pcg_mode mode)
{
    if (m->rate[mode] > 0)
        return m->rate[mode];
    switch (mode) {
    case VV_PCG_SECOND: return SECOND_RATE;
    case VV_PCG_COUPLED: return fmin(m->rate[VV_PCG_PLAIN] / ALONE, COUPLED_RATE);
    default: return m->rate[VV_PCG_COUPLED] * ALONE;
    }
}

double vv_pcg_expected(const vv_pcg_memory *m, const vv_pcg_cost *cost, vv_pcg_mode mode, double tolerance)
{
    const double seconds = cost[mode].start + cost[mode].iteration * rate_of(m, mode) * log(2 / tolerance);
    return mode == VV_PCG_COUPLED ? EXACTNESS * seconds : seconds;
}

/* ---- choosing ---- */

static vv_pcg_mode in_use(const vv_pcg_memory *m, const vv_pcg_cost *cost)
{
    return cost[m->mode].available ? (vv_pcg_mode)m->mode : VV_PCG_PLAIN;
}

vv_pcg_mode vv_pcg_choose(const vv_pcg_memory *m, const vv_pcg_cost *cost)
{
    const vv_pcg_mode now = in_use(m, cost);
    for (int k = 0; k < VV_PCG_MODES && m->rate[now] > 0; k++)
        if (k != (int)now && cost[k].available && m->until[k] == 0)
            return (vv_pcg_mode)k;
    return now;
}

/* So many solves until this way is tried again: more where it costs so many times more than what is in use. */
static void wait(vv_pcg_memory *m, vv_pcg_mode mode, double times)
{
    const double solves = m->after[mode] * (times > 1 ? ceil(times * times) : 1);
    m->until[mode] = solves < MOST ? (int32_t)solves : MOST;
}

/* The cheapest way of those whose rate is known, but not `mode`. */
static vv_pcg_mode other_than(const vv_pcg_memory *m, const vv_pcg_cost *cost, vv_pcg_mode mode, double tolerance)
{
    vv_pcg_mode best = VV_PCG_PLAIN;
    double least = INFINITY;
    for (int k = 0; k < VV_PCG_MODES; k++) {
        const double expected = vv_pcg_expected(m, cost, (vv_pcg_mode)k, tolerance);
        if (k != (int)mode && cost[k].available && m->rate[k] > 0 && expected < least)
            best = (vv_pcg_mode)k, least = expected;
    }
    return best;
}

bool vv_pcg_too_dear(const vv_pcg_memory *m, const vv_pcg_cost *cost, vv_pcg_mode mode, double tolerance)
{
    const vv_pcg_mode other = other_than(m, cost, mode, tolerance);
    return other != mode && m->rate[other] > 0 &&
           vv_pcg_expected(m, cost, mode, tolerance) > GAIN * vv_pcg_expected(m, cost, other, tolerance);
}

void vv_pcg_expect(vv_pcg_memory *m, const vv_pcg_cost *cost, double rate, double tolerance)
{
    m->rate[VV_PCG_PLAIN] = rate;
    for (int k = 0; k < VV_PCG_MODES; k++)
        if (k != VV_PCG_PLAIN && cost[k].available &&
            vv_pcg_expected(m, cost, (vv_pcg_mode)k, tolerance) * GAIN <
                vv_pcg_expected(m, cost, VV_PCG_PLAIN, tolerance))
            m->until[k] = 0;
}

void vv_pcg_put_off(vv_pcg_memory *m, const vv_pcg_cost *cost, vv_pcg_mode mode, double tolerance)
{
    if (m->mode == (int32_t)mode)
        m->mode = other_than(m, cost, mode, tolerance);
    const double now = vv_pcg_expected(m, cost, in_use(m, cost), tolerance);
    m->after[mode] = 2 * m->after[mode] < PROBE_LAST ? 2 * m->after[mode] : PROBE_LAST;
    wait(m, mode, now > 0 ? vv_pcg_expected(m, cost, mode, tolerance) / now : 1);
}

void vv_pcg_failed(vv_pcg_memory *m, const vv_pcg_cost *cost, vv_pcg_mode mode, double tolerance)
{
    m->rate[mode] = 0;
    vv_pcg_put_off(m, cost, mode, tolerance);
}

/* After a try. */
static void judge(vv_pcg_memory *m, const vv_pcg_cost *cost, vv_pcg_mode mode, double tolerance)
{
    const vv_pcg_mode before = in_use(m, cost);
    if (vv_pcg_expected(m, cost, mode, tolerance) * GAIN >= vv_pcg_expected(m, cost, before, tolerance)) {
        vv_pcg_put_off(m, cost, mode, tolerance);
        return;
    }
    m->mode = mode;
    m->after[before] = PROBE_FIRST;
    wait(m, before, vv_pcg_expected(m, cost, before, tolerance) / vv_pcg_expected(m, cost, mode, tolerance));
}

void vv_pcg_learn(vv_pcg_memory *m, const vv_pcg_cost *cost, vv_pcg_mode mode, int iterations, double reached)
{
    const double rate = iterations / log(2 / fmin(reached, 1)), before = m->rate[mode];
    if (iterations <= 0 || !(rate < INFINITY))
        return;
    m->rate[mode] = before > 0 ? 0.5 * (before + rate) : rate;
    if (mode != in_use(m, cost)) {
        judge(m, cost, mode, reached);
        return;
    }
    const double now = vv_pcg_expected(m, cost, mode, reached);
    for (int k = 0; k < VV_PCG_MODES; k++) {
        if (k == (int)mode || !cost[k].available)
            continue;
        const bool better = vv_pcg_expected(m, cost, (vv_pcg_mode)k, reached) * GAIN < now;
        const bool failed = m->rate[k] == 0 && m->after[k] > PROBE_FIRST;
        if (better && !failed)
            m->until[k] = 0;
        else if (m->until[k] > 0)
            m->until[k]--;
    }
}
