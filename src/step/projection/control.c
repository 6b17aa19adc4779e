/* FEPR's iteration for groups of bodies: which step a group takes next (theory §3.10, "Control").
 *
 * The paper takes full steps. Along stiff modes, where H is too high for one direction to correct, they overshoot, and
 * the next ones return gradually. There a parabola through the known values along the last direction gives its best
 * point, its gradient is between those of both ends, and the next direction begins there and is conjugate to the last:
 * conjugate gradients, at one energy and one gradient a direction. */
#include "step/projection/projection.h"

#include "base/vec.h"

#include <math.h>

static const double ENOUGH = 0.1; /* a step has to take away this part of what its length promises */
/* one that leaves more of an H that is too high is followed by a conjugate one */
static const double GOOD = 0.3;
/* where H is off the parabola by less than these parts: of what it began with, of its terms */
static const double ALIKE = 0.1, WHOLE = 0.3;
static const double BEYOND = 2;    /* a parabola is not followed further */
static const double LITTLE = 0.05; /* directions that take away less of the least excess are stale, */
enum { MOST_STALE = 3 };           /* and so many in turn mean that T is out of reach */
static const double REST = 0.1,
                    HARDLY = 1e-3; /* velocities alone make up for the rest: this part of what was off at the scheme's
                                end, by changes of their vibration, and of momenta, of that part */
/* momenta off by more than this, in units of c, are put right by velocities alone first */
static const double FAR_OFF = 0.1;
/* vibrations this many times as fast are not made of what is hardly there, unless nothing else is left */
static const double MOST_FASTER = 10;
static const double BLOCKED = 0.25;      /* of a direction at whose end E is infinite */
static const double SHORTEST = 1.0 / 64; /* no shorter part is taken */
/* the step's start has at most this part of the scheme's excess, or no way leads back to it */
static const double REMAINS = 0.1;
static const double BELOW = 0.1; /* a return ends no further below T, in units of the scale */
enum {
    MOST_SCALED = 3,
    MOST_ALONE = 10,
    MOST_RETURNED = 20,
    MOST_PLAIN = 20,
    MOST_HALVES = 3
}; /* iterations of velocities alone, in closed form, and
beyond the limit where momenta are soft; after a return begins; how often a group that has too little goes part of the
way back */

/* The part of the direction to be tried next, where the energy along it is c + slope x + k x^2: a root, or the lowest
 * point; or where all that is off, (1 - x) off_from + k x^2, is least. */
static double shorter(const vv_projection_group *g)
{
    const double x = g->part, c = g->excess_from, s = g->slope, k = (g->excess - c - s * x) / (x * x),
                 square = s * s - 4 * k * c;
    const double next = square >= 0 ? -2 * c / (s + copysign(sqrt(square), s)) : -s / (2 * k);
    const double least = 0.5 * x * x * g->off_from / (g->off - (1 - x) * g->off_from);
    return fmin(fmax(fmin(isfinite(next) && next > 0 && g->energy ? next : x, least), 0.1 * x), 0.64 * x);
}

static void finish(vv_projection_group *g) { g->phase = VV_PROJECT_DONE; }

/* Smaller tolerances ask for what rounding does not give. */
static bool met(const vv_projection_rules *r, const vv_projection_group *g)
{
    static const double ROUNDING = 1e-12;
    return g->off <= fmax(r->tolerance, ROUNDING * (r->absolute ? g->scale : 1));
}

static double momenta_off(const vv_projection_group *g)
{
    double sum = 0;
    for (int k = 1; k <= g->kept; k++)
        sum += fabs(g->c[k]);
    return sum;
}

static double above(const vv_projection_rules *r, const vv_projection_group *g)
{
    return r->absolute ? g->excess : g->c[0];
}

/* Sets out along the direction that is in lambda. */
static void start(vv_projection_group *g, vv_projection_phase phase)
{
    g->phase = phase;
    g->moves = g->anew = true;
    g->part = 1;
    g->off_from = g->off, g->excess_from = g->excess;
    g->s_from = g->s, g->t_from = g->t, g->ds_from = g->ds, g->dt_from = g->dt;
}

/* A direction from where the group is. */
static vv_projection_reach set_out(const vv_projection_rules *r, vv_projection_group *g, vv_projection_phase phase)
{
    g->along_last = 0;
    if (met(r, g))
        return VV_REACH_NONE;
    const vv_projection_reach reach = vv_projection_direct(g, r->h);
    if (reach == VV_REACH_SOME)
        start(g, phase);
    return reach;
}

/* To a part of the direction; 0: to where it began. Or to where the scheme ended: if H was too low there, velocities
 * alone can raise it, and if positions have raised it too far, velocities alone may not lower it. */
static void go_back(vv_projection_group *g, double part)
{
    g->part = part;
    g->phase = part > 0 ? VV_PROJECT_TRIED : VV_PROJECT_BACK;
    g->restart = part == 0 && g->move && g->excess_start < 0;
    g->carried = g->carried && !g->restart;
    g->moves = true;
}

static void to_scheme(vv_projection_group *g)
{
    g->carried = false;
    g->restart = g->moves = true;
    g->phase = VV_PROJECT_BACK;
    g->part = 0;
}

/* From the scheme's end to a part of the straight path to the step's start, carried along its orbit. */
static void begin_return(vv_projection_group *g, int iterations, double part)
{
    g->returned = g->carried = g->move = g->energy = g->moves = g->anew = true;
    g->restart = false;
    g->phase = VV_PROJECT_RETURNS;
    g->low = 0, g->high = 1, g->part = part;
    g->limit = iterations + MOST_RETURNED;
    g->stale = 0, g->best = INFINITY;
    g->bend = g->along_last = 0;
    /* with momenta s = t = 1 that start has them */
    g->s_from = g->t_from = 0, g->ds_from = g->dt_from = g->weight > 0 ? 1 : 0;
}

/* The start, carried along its orbit, is of use where it is nearer to the scheme's end than the start is that only
 * flies: else it would stand still. */
static bool carries(const vv_projection_group *g)
{
    static const double NEARER = 0.5;
    return g->orbit < NEARER * NEARER * g->way * g->way;
}

/* Too much energy, and neither steps nor velocities alone take it away. The step's start has no more than T if
 * nothing was lost, and its momenta; so Eq. 1 can be met, says the paper, and the body goes on the straight path to
 * where that start has been carried. */
static bool set_back(const vv_projection_rules *r, int iterations, vv_projection_group *g)
{
    if (r->later || !carries(g) || g->returned || g->blocked || !(above(r, g) > 0.5 * r->tolerance) ||
        !(g->excess_start > 0) || r->most == 0)
        return false;
    begin_return(g, iterations, 1);
    return true;
}

/* Too little energy, and neither steps nor velocities alone bring more: a shape near rest that moves like a rigid
 * body has no direction along which energy grows at once. On the way to the carried start there are some: half way,
 * then nearer to the scheme's end; at last from that start itself, which meets T. If even that leads nowhere but above
 * T, the step is the scheme's, with its momenta put right. */
static bool set_half_back(const vv_projection_rules *r, int iterations, vv_projection_group *g)
{
    if (r->later || !carries(g) || g->blocked || r->most == 0 || g->halves > MOST_HALVES ||
        !(fabs(above(r, g)) > r->tolerance))
        return false;
    if (!g->rises && !g->returned && !(g->excess_start < 0))
        return false;
    if (g->returned && !g->rises) /* it was above T: what is left is the start itself */
        g->halves = MOST_HALVES - 1;
    if (g->halves == MOST_HALVES && !(above(r, g) > r->tolerance))
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

/* To where H is below T, as at the scheme's end, from where it goes on; where something is in the way, or there is no
 * such place, back to there. */
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

/* A bisection for an energy a little below T, from which the usual steps, or velocities alone, go up. First it sees
 * whether the start is of any use: not if T is out of reach there, too. */
static void return_on(vv_projection_group *g)
{
    if (g->rises) {
        return_half(g);
        return;
    }
    const bool start = g->low == 0 && g->part == 1, below = g->excess <= 0, narrow = g->high - g->low < SHORTEST;
    if (g->blocked && g->part < 1) { /* E is infinite along the path */
        g->low = g->part;
        g->part = g->high - g->low < SHORTEST ? g->high : 0.5 * (g->low + g->high);
        g->moves = true;
        return;
    }
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

/* The energy of the rigid motion depends on how a body lies: where it is more than T leaves for it, or a stiff body has
 * nothing else to give, the scheme's end is turned a little. */
static bool twist(const vv_projection_rules *r, vv_projection_group *g)
{
    if (r->later || g->twisted || g->blocked || r->most == 0 || g->weight > 0)
        return false;
    g->twisted = true;
    if (!(g->orbit < INFINITY) || !vv_projection_find_twist(g))
        return false;
    g->phase = VV_PROJECT_TWISTED;
    g->move = g->moves = g->anew = true;
    g->restart = false;
    g->part = 1;
    g->along_last = 0;
    return true;
}

/* The paper's own iteration, from the scheme's end: full steps, whatever they do to H along the path. */
static bool begin_plain(const vv_projection_rules *r, int iterations, vv_projection_group *g)
{
    if (r->later || g->tried_plain || r->most == 0)
        return false;
    g->tried_plain = g->plain = g->restart = g->moves = g->move = true;
    g->phase = VV_PROJECT_PLAIN;
    g->part = 0;
    g->plain_limit = iterations + 1 + (r->most < MOST_PLAIN ? r->most : MOST_PLAIN);
    g->scaled = 0;
    return true;
}

/* On; a place where E is infinite is only half as far. False: it led nowhere. */
static bool go_plainly(const vv_projection_rules *r, int iterations, vv_projection_group *g)
{
    g->restart = false;
    g->along_last = g->bend = 0;
    if (g->blocked && g->alone && g->part > SHORTEST) {
        g->blocked = false;
        g->part *= BLOCKED;
        g->moves = true;
        return true;
    }
    if (g->blocked || iterations >= g->plain_limit || vv_projection_direct(g, r->h) != VV_REACH_SOME) {
        g->plain = false;
        return false;
    }
    start(g, VV_PROJECT_PLAIN);
    return true;
}

/* Momenta alone: without moving they are linear in the velocities, and one step is enough. */
static void leave_energy(const vv_projection_rules *r, vv_projection_group *g)
{
    g->energy = g->move = g->blocked = false;
    vv_projection_constraints(g, r->absolute);
    if (set_out(r, g, VV_PROJECT_LAST) != VV_REACH_SOME)
        finish(g);
}

static bool scale_by(const vv_projection_rules *r, vv_projection_group *g, double most)
{
    const bool move = g->move;
    g->move = false;
    vv_projection_constraints(g, r->absolute);
    if (g->scaled < MOST_SCALED && vv_projection_scale(g, r->h, most, r->last ? INFINITY : MOST_FASTER)) {
        g->scaled++;
        g->blocked = false;
        start(g, VV_PROJECT_SCALED);
        return true;
    }
    g->move = move;
    vv_projection_constraints(g, r->absolute);
    return false;
}

/* What is left is so little that no energy and no gradient need be spent on it. */
static bool close_up(const vv_projection_rules *r, vv_projection_group *g)
{
    return g->energy && g->move && fabs(g->excess) <= REST * fabs(g->excess_start) && momenta_off(g) <= HARDLY &&
           vv_norm(g->shift) <= r->tolerance * g->radius && scale_by(r, g, HARDLY);
}

/* Velocities alone, in closed form; with soft momenta that are not enough as they are, by steps. */
static bool scale(const vv_projection_rules *r, vv_projection_group *g, bool late)
{
    const bool move = g->move;
    if (scale_by(r, g, INFINITY))
        return true;
    g->move = false;
    if (g->weight > 0 && !late && (move || g->phase == VV_PROJECT_READY) &&
        set_out(r, g, VV_PROJECT_TRIED) == VV_REACH_SOME) {
        g->blocked = false;
        return true;
    }
    g->move = move;
    vv_projection_constraints(g, r->absolute);
    return false;
}

/* Velocities alone may still reach H = T, where something blocked positions or stiff modes draw every step to
 * themselves. Then the ways back. Else momenta alone. */
static void give_up(const vv_projection_rules *r, int iterations, vv_projection_group *g, bool late)
{
    g->restart = false;
    if (g->energy && (begin_plain(r, iterations, g) || scale(r, g, late) || twist(r, g) || set_back(r, iterations, g) ||
                      set_half_back(r, iterations, g)))
        return;
    if (g->energy && g->phase == VV_PROJECT_TRIED && g->excess_start != 0 && fabs(g->excess) > fabs(g->excess_start)) {
        g->energy = false;
        to_scheme(g);
        return;
    }
    leave_energy(r, g);
}

/* The best point of the last direction, of its length; 0: it is not like a parabola, or that reaches T. */
static double best_point(const vv_projection_group *g)
{
    const double x = g->part, c = g->excess_from, bends = (g->sums.along - g->slope) / x, square = 0.5 * bends * x * x;
    const double off = fabs(g->excess - (c + g->slope * x + square)), at = -g->slope / bends;
    if (!(bends > 0 && g->slope < 0) || off > ALIKE * c || off > WHOLE * (fabs(g->slope * x) + square))
        return 0;
    return c + 0.5 * g->slope * at > 0 ? fmin(at, BEYOND * x) : 0;
}

/* H is too high, and the last direction has taken little of that away. Whether a conjugate one is next. */
static bool conjugate(vv_projection_group *g)
{
    if (!(g->energy && g->move && g->excess_from > 0 && fabs(g->excess) > GOOD * g->excess_from))
        return false;
    const double at = best_point(g), x = at - g->part, slope = g->sums.along, bends = (slope - g->slope) / g->part;
    if (!(at > 0))
        return false;
    g->excess += x * (slope + 0.5 * bends * x);
    g->bend = bends / g->square;
    g->between = at;
    return true;
}

void vv_projection_go_on(const vv_projection_rules *r, vv_projection_group *g)
{
    g->along_last = 1; /* it is wanted */
    vv_projection_constraints(g, r->absolute);
    if (vv_projection_direct(g, r->h) == VV_REACH_SOME)
        start(g, VV_PROJECT_TRIED);
    else
        go_back(g, 0);
}

/* Directions that leave nearly all of an H that is too high. */
static bool is_stale(vv_projection_group *g)
{
    if (!(g->energy && g->move && g->excess > 0))
        return false;
    g->stale = g->excess > (1 - LITTLE) * g->best ? g->stale + 1 : 0;
    g->best = fmin(g->best, g->excess);
    return g->stale >= MOST_STALE;
}

/* At the end of a step. */
static void judge(const vv_projection_rules *r, int iterations, vv_projection_group *g, bool late)
{
    const double x = g->part;
    if (g->blocked && g->alone && x > SHORTEST && !late) { /* it has not moved */
        go_back(g, BLOCKED * x);
        return;
    }
    if (g->blocked) {
        if (!scale(r, g, late))
            go_back(g, 0);
        return;
    }
    if (g->energy && g->square > 0)
        g->bend = 2 * (g->excess - g->excess_from - g->slope * x) / (x * x * g->square);
    if (close_up(r, g))
        return;
    if (late || is_stale(g)) {
        give_up(r, iterations, g, late);
        return;
    }
    if (conjugate(g))
        return;
    if (g->off <= (1 - ENOUGH * x) * g->off_from) {
        if (set_out(r, g, VV_PROJECT_TRIED) != VV_REACH_SOME)
            give_up(r, iterations, g, late);
    } else if (x <= SHORTEST) {
        go_back(g, 0);
    } else {
        go_back(g, shorter(g));
    }
}

static void judge_plain(const vv_projection_rules *r, int iterations, vv_projection_group *g, bool late)
{
    const bool there = !g->blocked && met(r, g);
    if (!there && !(g->part != 0 && close_up(r, g)) && go_plainly(r, iterations, g))
        return;
    const bool ends = there || g->moves;
    g->plain = false;
    if (there && !close_up(r, g))
        finish(g);
    else if (!ends)
        give_up(r, iterations, g, late);
}

/* Momenta that are far off would be put right by moving nodes too, which raises an H that is too high. Velocities
 * alone can do it, at no energy and no gradient. */
static bool kick(const vv_projection_rules *r, vv_projection_group *g)
{
    if (r->later || !g->move || !g->energy || g->weight > 0 || !(g->excess > 0) || !(momenta_off(g) > FAR_OFF))
        return false;
    vv_projection_kick(g, r->h, false);
    g->move = false;
    start(g, VV_PROJECT_KICKED);
    return true;
}

/* Backward Euler's end: its E is low, and velocities make up for the rest. If T leaves nothing for them, they go down
 * to what the momenta need: losses are less then, and the next round may see a higher T. */
static void correct_last(const vv_projection_rules *r, vv_projection_group *g)
{
    const bool turned = g->phase == VV_PROJECT_TWISTED && !g->blocked;
    if ((g->phase != VV_PROJECT_READY && !turned) || met(r, g)) {
        finish(g);
        return;
    }
    g->scaled = 0;
    if (scale_by(r, g, INFINITY) || twist(r, g))
        return;
    g->move = false;
    vv_projection_kick(g, r->h, true);
    start(g, VV_PROJECT_LAST);
}

/* Eq. 8, 13 and 14 as they stand: full steps until the constraints are met, the steps are used up, or E is infinite. */
static void decide_plainly(const vv_projection_rules *r, int iterations, vv_projection_group *g)
{
    g->plain = true;
    g->along_last = g->bend = 0;
    if (g->phase == VV_PROJECT_DONE)
        return;
    if (!g->blocked && !met(r, g) && iterations < r->most && vv_projection_direct(g, r->h) == VV_REACH_SOME)
        start(g, VV_PROJECT_PLAIN);
    else
        finish(g);
}

/* Each group ends: after enough iterations with velocities alone, after some more of these with the momenta. */
void vv_projection_decide(const vv_projection_rules *r, int iterations, vv_projection_group *g)
{
    const bool late = iterations >= g->limit + (g->move ? 0 : MOST_ALONE);
    g->moves = g->anew = false;
    g->between = 0;
    if (r->paper) {
        decide_plainly(r, iterations, g);
        return;
    }
    if (r->last && g->phase != VV_PROJECT_DONE) {
        correct_last(r, g);
        return;
    }
    if (g->phase == VV_PROJECT_READY && iterations == 0 && kick(r, g))
        return;
    if (g->phase == VV_PROJECT_KICKED) { /* this is the scheme's end now */
        g->phase = VV_PROJECT_READY;
        g->move = true;
        g->excess_start = g->excess;
        vv_projection_constraints(g, r->absolute);
    }
    if (g->phase == VV_PROJECT_TWISTED && !g->blocked)
        g->scaled = 0;
    if (g->phase == VV_PROJECT_RETURNS)
        return_on(g);
    if (g->moves || g->phase == VV_PROJECT_DONE)
        return;
    if (g->plain) {
        judge_plain(r, iterations, g, late);
        return;
    }
    if (g->phase == VV_PROJECT_LAST || (!g->blocked && met(r, g))) {
        if (g->phase != VV_PROJECT_TRIED || !close_up(r, g)) /* else errors of momenta would add up over steps */
            finish(g);
    } else if (g->phase == VV_PROJECT_TRIED) {
        judge(r, iterations, g, late);
    } else if (g->phase == VV_PROJECT_READY && (r->later || !g->move) && g->energy && scale(r, g, late)) {
        return;
    } else if (g->phase == VV_PROJECT_READY && g->move && !late) {
        const vv_projection_reach reach = set_out(r, g, VV_PROJECT_TRIED);
        if (reach == VV_REACH_FAR)
            leave_energy(r, g);
        else if (reach == VV_REACH_NONE)
            give_up(r, iterations, g, late);
    } else {
        give_up(r, iterations, g, late);
    }
}
