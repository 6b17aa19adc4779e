/* Which moments a sheet's frames show. At even distances a cube that turns by a quarter, or a half, or a whole turn in between
 * would seem to stand still. So within its part of the time each frame is moved until neighbours differ, if they can.
 *
 * How a frame looks is taken as how far the bodies reach in some directions: a quarter turn of a cube changes nothing in that. */
#include "cli.h"
#include "plot/sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES = 13, DIRECTIONS = 26 };

static const double widest_move = 0.35;   /* of the distance between frames */
static const double least_motion = 0.02;  /* of the picture's size: below it a run stands still */
static const double clear_part = 0.5;     /* of the run's own larger differences: so different is different enough */
static const double cost_of_moving = 0.1; /* by the widest move, in clear differences */

typedef struct looks {
    int candidates;  /* tiles x CANDIDATES */
    double *reach;   /* runs x candidates x DIRECTIONS */
    double *usual;   /* a run: what counts as a large difference; 0: it stands still */
} looks;

static double candidate_time(const sheet *s, int tile, int candidate)
{
    double shift = widest_move * (2.0 * candidate / (CANDIDATES - 1) - 1);
    return (tile + 0.5 + shift) / s->tiles * s->set.timeEnd;
}

static void measure_reach(const vv_render_stage *stage, double reach[DIRECTIONS])
{
    for (int d = 0; d < DIRECTIONS; d++) {
        double z = 1 - 2 * (d + 0.5) / DIRECTIONS, r = sqrt(1 - z * z), t = d * M_PI * (3 - sqrt(5));
        const double direction[3] = { r * cos(t), z, r * sin(t) };
        reach[d] = -INFINITY;
        for (int b = 0; b < vvRunBodyCount(stage->run); b++) {
            const vvRunBody *body = vvRunGetBody(stage->run, b);
            for (int i = body->firstNode; !body->kinematic && i < body->firstNode + body->nodeCount; i++)
                reach[d] = fmax(reach[d], vv_dot3(direction, stage->positions + 3 * i));
        }
    }
}

static double difference(const looks *l, int run, int a, int b)
{
    const double *p = l->reach + ((size_t)run * (size_t)l->candidates + (size_t)a) * DIRECTIONS;
    const double *q = l->reach + ((size_t)run * (size_t)l->candidates + (size_t)b) * DIRECTIONS;
    double square = 0;
    for (int d = 0; d < DIRECTIONS; d++)
        square += (p[d] - q[d]) * (p[d] - q[d]);
    return sqrt(square / DIRECTIONS);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The 80th percentile of the differences between frames of neighbouring tiles. */
static bool find_usual(const sheet *s, looks *l, int run)
{
    int count = 0;
    double *all = malloc((size_t)s->tiles * CANDIDATES * CANDIDATES * sizeof *all);
    if (!all)
        return false;
    for (int t = 0; t + 1 < s->tiles; t++)
        for (int a = 0; a < CANDIDATES; a++)
            for (int b = 0; b < CANDIDATES; b++) {
                double d = difference(l, run, t * CANDIDATES + a, (t + 1) * CANDIDATES + b);
                if (isfinite(d))
                    all[count++] = d;
            }
    qsort(all, (size_t)count, sizeof *all, compare_doubles);
    double large = count ? all[(int)(0.8 * (count - 1))] : 0;
    l->usual[run] = large > least_motion * vv_framing_size(s->framing) ? large : 0;
    free(all);
    return true;
}

/* How well two frames of neighbouring tiles differ: 1 for each run in which it is clear. */
static double worth(const sheet *s, const looks *l, int a, int b)
{
    double sum = 0;
    for (int r = 0; r < s->set.count; r++) {
        double d = l->usual[r] > 0 ? difference(l, r, a, b) / (clear_part * l->usual[r]) : 0;
        sum += isfinite(d) ? fmin(d, 1) : 0;
    }
    return sum;
}

/* The best choice of one candidate for each tile, tile by tile: best[c] is the worth of the best choice that ends in c. */
static void choose(sheet *s, const looks *l)
{
    double best[VV_SHEET_TILES][CANDIDATES];
    int before[VV_SHEET_TILES][CANDIDATES], last = 0;
    for (int t = 0; t < s->tiles; t++)
        for (int c = 0; c < CANDIDATES; c++) {
            double cost = cost_of_moving * fabs(2.0 * c / (CANDIDATES - 1) - 1);
            best[t][c] = t == 0 ? -cost : -INFINITY;
            before[t][c] = 0;
            for (int k = 0; t > 0 && k < CANDIDATES; k++) {
                double value = best[t - 1][k] + worth(s, l, (t - 1) * CANDIDATES + k, t * CANDIDATES + c) - cost;
                if (value > best[t][c]) {
                    best[t][c] = value;
                    before[t][c] = k;
                }
            }
        }
    for (int c = 1; c < CANDIDATES; c++)
        if (best[s->tiles - 1][c] > best[s->tiles - 1][last])
            last = c;
    for (int t = s->tiles - 1; t >= 0; last = before[t--][last])
        s->moments[t] = candidate_time(s, t, last);
}

static bool measure(const sheet *s, looks *l)
{
    for (int r = 0; r < s->set.count; r++) {
        const vv_render_stage *stage = &s->stages[r];
        for (int i = 0; i < l->candidates; i++) {
            int frame = vv_frame_at_time(stage->run, candidate_time(s, i / CANDIDATES, i % CANDIDATES));
            if (!vv_stage_read(stage, frame, stage->positions, NULL))
                return false;
            measure_reach(stage, l->reach + ((size_t)r * (size_t)l->candidates + (size_t)i) * DIRECTIONS);
        }
        if (!find_usual(s, l, r)) {
            vv_cli_wrong("no memory for choosing the frames");
            return false;
        }
    }
    return true;
}

bool vv_sheet_choose_moments(sheet *s)
{
    looks l = { .candidates = s->tiles * CANDIDATES };
    for (int t = 0; t < s->tiles; t++)
        s->moments[t] = candidate_time(s, t, CANDIDATES / 2);
    if (s->trails == VV_TRAILS_IN_TIME || s->tiles < 2) /* there a frame stands on the curve, above its own moment */
        return true;
    l.reach = malloc((size_t)s->set.count * (size_t)l.candidates * DIRECTIONS * sizeof *l.reach);
    l.usual = calloc((size_t)s->set.count, sizeof *l.usual);
    bool good = l.reach && l.usual;
    if (!good)
        vv_cli_wrong("no memory for choosing the frames");
    good = good && measure(s, &l);
    if (good)
        choose(s, &l);
    free(l.reach);
    free(l.usual);
    return good;
}
