/* Which moments a sheet's frames show. At even distances a cube that turns by a quarter, or a half, or a whole turn
 * in between would seem to stand still. So the first frame is that of the start, and each other one is moved within
 * its part of the time until neighbours differ, if they can.
 *
 * How a frame looks is taken as how far the bodies reach in some directions: a quarter turn of a cube changes nothing
 * in that. */
#include "cli.h"
#include "plot/sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES = 25, DIRECTIONS = 26 };

static const double widest_move = 0.4;    /* of the distance between frames */
static const double least_motion = 0.02;  /* of the picture's size: below it a run stands still */
static const double clear_part = 0.7;     /* of the run's own larger differences: so different is different enough */
static const double part_of_next = 0.4;   /* how much it counts that a frame differs from the next but one */
static const double cost_of_moving = 0.1; /* by the widest move, in clear differences */

typedef struct looks {
    int candidates; /* tiles x CANDIDATES */
    double *reach;  /* runs x candidates x DIRECTIONS */
    double *usual;  /* a run: what counts as a large difference; 0: it stands still */
} looks;

/* From -1 to 1; the one in the middle is 0. Not evenly spaced, lest they hit what repeats itself always at the same
 * place. */
static double move_of(int candidate)
{
    int from_middle = candidate - CANDIDATES / 2;
    double uneven = fmod(0.6180339887498949 * abs(from_middle), 1) - 0.5;
    return from_middle == 0 ? 0 : (from_middle + 0.9 * uneven) / (CANDIDATES / 2 + 0.5);
}

static double candidate_time(const sheet *s, int tile, int candidate)
{
    if (tile == 0 && s->trails != VV_TRAILS_IN_TIME) /* how it began */
        return vvRunFrameTime(s->set.runs[0].run, 0);
    return (tile + 0.5 + widest_move * move_of(candidate)) / s->tiles * s->set.timeEnd;
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
    qsort(all, (size_t)count, sizeof *all, vv_by_number);
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

/* All of them once: worth of candidate a of a tile with b of the next (near) or the one after it. */
typedef struct worths {
    double near[CANDIDATES][CANDIDATES], next[CANDIDATES][CANDIDATES];
} worths;

static void fill_worths(const sheet *s, const looks *l, int tile, worths *w)
{
    for (int a = 0; a < CANDIDATES; a++)
        for (int b = 0; b < CANDIDATES; b++) {
            w->near[a][b] = tile >= 1 ? worth(s, l, (tile - 1) * CANDIDATES + a, tile * CANDIDATES + b) : 0;
            w->next[a][b] =
                tile >= 2 ? part_of_next * worth(s, l, (tile - 2) * CANDIDATES + a, tile * CANDIDATES + b) : 0;
        }
}

/* The best choice of one candidate for each tile, tile by tile: best[a][b] is the worth of the best choice that ends
 * in the candidates a and b. */
static void choose(sheet *s, const looks *l)
{
    double best[CANDIDATES][CANDIDATES] = { 0 };
    int before[VV_SHEET_TILES][CANDIDATES][CANDIDATES], last[2] = { 0, 0 };
    for (int t = 0; t < s->tiles; t++) {
        double now[CANDIDATES][CANDIDATES];
        worths w;
        fill_worths(s, l, t, &w);
        for (int b = 0; b < CANDIDATES; b++)
            for (int c = 0; c < CANDIDATES; c++) {
                now[b][c] = -INFINITY;
                for (int a = 0; a < CANDIDATES; a++)
                    if (best[a][b] + w.next[a][c] > now[b][c]) {
                        now[b][c] = best[a][b] + w.next[a][c];
                        before[t][b][c] = a;
                    }
                now[b][c] += w.near[b][c] - cost_of_moving * fabs(move_of(c));
            }
        memcpy(best, now, sizeof best);
    }
    for (int b = 0; b < CANDIDATES; b++)
        for (int c = 0; c < CANDIDATES; c++)
            if (best[b][c] > best[last[0]][last[1]])
                last[0] = b, last[1] = c;
    for (int t = s->tiles - 1; t >= 0; t--) {
        int a = before[t][last[0]][last[1]];
        s->moments[t] = candidate_time(s, t, last[1]);
        last[1] = last[0];
        last[0] = a;
    }
}

static bool measure(const sheet *s, looks *l)
{
    for (int r = 0; r < s->set.count; r++) {
        const vv_render_stage *stage = &s->stages[r];
        for (int i = 0; i < l->candidates; i++) {
            int frame = vv_frame_at_time(stage->run, candidate_time(s, i / CANDIDATES, i % CANDIDATES));
            if (vv_cli_interrupted() || !vv_stage_read(stage, frame, stage->positions, NULL))
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
