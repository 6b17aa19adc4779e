/* FEPR's iteration for groups of bodies: which step a group takes next (theory §3.10, "Control").
 *
 * The paper takes full steps. One along a stiff mode may overshoot by far, and the next ones come back, by a factor of four each in a
 * quadratic energy: a group may roam as long as each iteration brings it so much nearer, and at the end nearer than it was. */
#include "step/projection.h"

#include <math.h>

static const double ENOUGH = 0.1;        /* a step has to take away this part of what its length promises */
static const double LEAST_ROOT = 0.2;    /* it roams rather than take a smaller part of a step */
static const double ROAMING = 0.7;       /* and one that roams leaves at most that much */
static const double SHORTEST = 1.0 / 64; /* no shorter part is taken */
static const double REMAINS = 0.1;       /* the step's start has at most this part of the scheme's excess, or no way leads back to it */
static const double BELOW = 0.1;         /* a return ends no further below T, in units of the scale */
enum { MOST_ROAMING = 8, MOST_ALONE = 10, MOST_RETURNED = 20, MOST_HALVES = 3 }; /* iterations; of velocities alone
 besides; after a return begins; how often a group that has too little goes part of the way back */

/* The part of the direction to be tried next, where the energy along it is c (1 - x) + k x^2: a root, or the lowest point (*root false). */
static double shorter(const vv_projection_group *g, bool *root)
{
    const double x = g->part, c = g->excess_from, k = (g->excess_end - c * (1 - x)) / (x * x), square = c * c - 4 * k * c;
    double next = square >= 0 ? 2 * c / (c + copysign(sqrt(square), c)) : c / (2 * k);
    *root = square >= 0;
    return fmin(fmax(isfinite(next) && g->energy ? next : 0.5 * x, 0.1 * x), 0.8 * x);
}

static void finish(vv_projection_group *g) { g->phase = VV_PROJECT_DONE; }

static bool met(const vv_projection_rules *r, const vv_projection_group *g) { return g->off <= r->tolerance; }

/* A direction from where the group is; false: there is none. */
static bool set_out(const vv_projection_rules *r, vv_projection_group *g, vv_projection_phase phase)
{
    if (met(r, g) || !vv_projection_direct(g, r->h))
        return false;
    g->off_last = g->off;
    g->phase = phase;
    g->moves = true;
    if (phase == VV_PROJECT_ROAMS)
        return true;
    g->anew = true;
    g->part = 1;
    g->off_from = g->off, g->excess_from = g->excess;
    g->s_from = g->s, g->t_from = g->t, g->ds_from = g->ds, g->dt_from = g->dt;
    return true;
}

/* To a part of the direction; 0: to where it began. Or to where the scheme ended: if H was too low there, velocities alone can raise it,
 * and if positions have raised it too far, velocities alone may not lower it. */
static void go_back(vv_projection_group *g, double part)
{
    g->part = part;
    g->phase = part > 0 ? VV_PROJECT_TRIED : VV_PROJECT_BACK;
    g->restart = part == 0 && g->move && g->excess_start < 0;
    g->moves = true;
}

static void to_scheme(vv_projection_group *g)
{
    g->restart = g->moves = true;
    g->phase = VV_PROJECT_BACK;
    g->part = 0;
}

/* From the scheme's end to a part of the straight way to the step's start. */
static void begin_return(vv_projection_group *g, int iterations, double part)
{
    g->returned = g->move = g->energy = g->moves = g->anew = true;
    g->restart = false;
    g->phase = VV_PROJECT_RETURNS;
    g->low = 0, g->high = 1, g->part = part;
    g->limit = iterations + MOST_RETURNED;
    g->s_from = g->t_from = 0, g->ds_from = g->dt_from = g->weight > 0 ? 1 : 0; /* with momenta s = t = 1 that start has them */
}

/* Too much energy, and steps do not take it away: most of it is in positions, often in many modes. The step's start has no more than T if
 * nothing was lost, and its momenta; so Eq. 1 can be met, says the paper, and the group goes back on the straight way to it. Where something
 * blocked positions, velocities alone are tried before. */
static bool set_back(const vv_projection_rules *r, int iterations, vv_projection_group *g)
{
    const double above = r->absolute ? g->excess : g->c[0];
    if (g->returned || g->blocked || !(above > 0.5 * r->tolerance) || !(g->excess_start > 0) || r->most == 0)
        return false;
    begin_return(g, iterations, 1);
    return true;
}

/* Too little energy, and neither steps nor velocities alone bring more: a shape near rest that moves like a rigid body has no direction
 * along which energy grows at once. On the way to the step's start there are some: half way, then nearer to the scheme's end; at last
 * from the start itself, which meets T. If even that leads nowhere but above T, the step is the scheme's, with its momenta put right. */
static bool set_half_back(const vv_projection_rules *r, int iterations, vv_projection_group *g)
{
    const double above = r->absolute ? g->excess : g->c[0];
    if (g->move || !g->energy || g->blocked || r->most == 0 || g->halves > MOST_HALVES || !(fabs(above) > r->tolerance))
        return false;
    if (!g->rises && !g->returned && !(g->excess_start < 0))
        return false;
    if (g->returned && !g->rises) /* it was above T: what is left is the start itself */
        g->halves = MOST_HALVES - 1;
    if (g->halves == MOST_HALVES && !(above > r->tolerance))
        return false;
    g->rises = true;
    if (g->halves++ < MOST_HALVES) {
        begin_return(g, iterations, g->halves == MOST_HALVES ? 1 : ldexp(1, -g->halves));
        return true;
    }
    g->energy = false;
    to_scheme(g);
    return true;
}

/* To where H is below T, as at the scheme's end, from where it goes on; where something is in the way, or there is no such place, back to there. */
static void return_half(vv_projection_group *g)
{
    if (!g->blocked && (g->excess <= 0 || g->part == 1)) {
        g->phase = VV_PROJECT_READY;
        g->excess_start = 0;
        return;
    }
    g->moves = true;
    g->part *= 0.5;
    if (g->blocked || g->part < SHORTEST)
        to_scheme(g);
}

/* A bisection for an energy a little below T, from which the usual steps, or velocities alone, go up. First it sees whether the start is of
 * any use: not if T is out of reach there, too. */
static void return_on(vv_projection_group *g)
{
    if (g->rises) {
        return_half(g);
        return;
    }
    const bool start = g->low == 0 && g->part == 1, below = g->excess <= 0, narrow = g->high - g->low < SHORTEST;
    if (g->blocked || (start && !(g->excess <= REMAINS * g->excess_start))) {
        g->halves = MOST_HALVES + 1;
        to_scheme(g);
        return;
    }
    if (!start && (g->part == 1 || (below && (narrow || -g->c[0] <= BELOW)))) {
        g->phase = VV_PROJECT_READY;
        g->excess_start = 0; /* nor does it go back to the scheme's end */
        return;
    }
    *(below || start ? &g->high : &g->low) = g->part;
    g->part = g->high - g->low < SHORTEST ? g->high : 0.5 * (g->low + g->high);
    g->moves = true;
}

/* Velocities alone may still reach H = T, where something blocked positions or stiff modes draw every step to themselves. Else momenta
 * alone: without moving they are linear in the velocities, and one step is enough. */
static void give_up(const vv_projection_rules *r, int iterations, vv_projection_group *g, bool late)
{
    g->restart = false;
    if (g->energy && (set_back(r, iterations, g) || set_half_back(r, iterations, g)))
        return;
    const bool again = g->move && !late;
    g->move = g->blocked = false;
    g->energy = again;
    vv_projection_constraints(g, r->absolute);
    if (!set_out(r, g, again ? VV_PROJECT_TRIED : VV_PROJECT_LAST) && again)
        give_up(r, iterations, g, true);
    else if (!g->moves)
        finish(g);
}

/* At the end of a step that did not bring the group nearer. */
static void recover(const vv_projection_rules *r, vv_projection_group *g, bool late)
{
    const bool first = g->phase == VV_PROJECT_TRIED;
    bool root;
    if (first)
        g->excess_end = g->excess;
    const double part = shorter(g, &root);
    const bool roams = first ? g->part == 1 && (!root || part < LEAST_ROOT) : g->off <= ROAMING * g->off_last;
    if (late || g->blocked || (first && g->part <= SHORTEST) || (roams && g->roamed >= MOST_ROAMING))
        go_back(g, 0);
    else if (roams && set_out(r, g, VV_PROJECT_ROAMS))
        g->roamed++;
    else
        go_back(g, part);
}

/* Each group ends: after enough iterations with velocities alone, after some more of these with the momenta. */
void vv_projection_decide(const vv_projection_rules *r, int iterations, vv_projection_group *g)
{
    const bool late = iterations >= g->limit + (g->move ? 0 : MOST_ALONE);
    const bool under_way = g->phase == VV_PROJECT_TRIED || g->phase == VV_PROJECT_ROAMS;
    g->moves = g->anew = false;
    if (g->phase == VV_PROJECT_RETURNS)
        return_on(g);
    if (g->moves)
        return;
    if (g->phase == VV_PROJECT_LAST || (g->phase != VV_PROJECT_DONE && !g->blocked && met(r, g)))
        finish(g);
    else if (g->phase == VV_PROJECT_BACK)
        give_up(r, iterations, g, late && !g->move);
    else if (under_way && ((g->blocked && g->move) || g->part <= SHORTEST || !(g->off <= (1 - ENOUGH * g->part) * g->off_from)))
        recover(r, g, late);
    else if (g->phase != VV_PROJECT_DONE && (late || !set_out(r, g, VV_PROJECT_TRIED)))
        give_up(r, iterations, g, late && !g->move);
}
