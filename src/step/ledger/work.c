/* Work of the motion of prescribed nodes: reaction times displacement, plus the change of their kinetic energy
 * (theory §8.3). */
#include "step/ledger/work.h"

#include "base/vec.h"
#include "energy/points/external.h"
#include "solve/vectors.h"

#include <math.h>

/* What the ends of a step may leave open of the work, as a part of the ledger's scale, and the points along its path at
 * most. */
static const double OPEN = 1e-3;
enum { MOST_POINTS = 32 };

double vv_over_prescribed(const vv_stepper *s, const double *g, const double *from, const double *q)
{
    const vv_rails *rails = s->system->rails;
    double sum = 0, way[3];
    for (int i = 0; i < s->system->nodes; i++)
        if (s->system->unknown[i] < 0)
            for (size_t j = 3 * (size_t)i; j < 3 * (size_t)i + 3; j++)
                sum += g[j] * (q[j] - from[j]);
    for (int r = 0; rails && r < rails->count; r++) {
        const size_t i = 3 * (size_t)rails->node[r];
        vv_sub(q + i, from + i, way);
        sum += vv_rail_across(rails->along + 9 * (size_t)r, g + i, way);
    }
    return sum;
}

/* The reaction's work at a point of the straight path; NaN where the path leaves the energies' domain. */
static double at_point(vv_stepper *s, const double *q, double t, double *x, double *g)
{
    for (size_t i = 0; i < 3 * (size_t)s->system->nodes; i++)
        x[i] = s->state->q[i] + t * (q[i] - s->state->q[i]);
    if (!(vv_system_energy(s->system, x) < INFINITY))
        return NAN;
    vv_system_gradient(s->system, x, g);
    return vv_over_prescribed(s, g, s->state->q, q);
}

/* The trapezoidal rule on the straight path, with twice the points until they change little; NaN: the path is not
 * free. */
static double on_the_way(vv_stepper *s, const double *q, double begin, double end)
{
    vv_system *sys = s->system;
    size_t mark = vv_arena_mark(&sys->arena), n = 3 * (size_t)sys->nodes;
    double *x = vv_arena_push(&sys->arena, n, sizeof *x), *g = vv_arena_push(&sys->arena, n, sizeof *g);
    double work = 0.5 * (begin + end), change = INFINITY;
    if (vv_contact_crosses(s->contact, &sys->par, &sys->arena, s->state->q, q))
        work = NAN;
    for (int points = 1; points < MOST_POINTS && fabs(change) > OPEN * s->state->ledger.scale && isfinite(work);
         points *= 2) {
        double sum = 0;
        for (int i = 0; i < points; i++)
            sum += at_point(s, q, (i + 0.5) / points, x, g);
        double finer = 0.5 * (work + sum / points);
        change = finer - work;
        work = finer;
    }
    vv_arena_release(&sys->arena, mark);
    return work;
}

/* The gradient where the step begins has loads of its end, if forces are those of the end: what these are more than
 * loads of the begin, in the reaction there. */
static double pressed_more(vv_stepper *s, const double *q)
{
    vv_system *sys = s->system;
    if (!s->forced)
        return 0;
    const size_t mark = vv_arena_mark(&sys->arena), n = vv_node_space(sys);
    double *g = vv_arena_push(&sys->arena, n, sizeof *g);
    vv_zero(n, g);
    vv_external_change(s->external, s->state->q, g);
    const double more = -vv_over_prescribed(s, g, s->state->q, q);
    vv_arena_release(&sys->arena, mark);
    return more;
}

/* The mean of the reactions at both ends is right where they change little. Where a body loses its hold on what it
 * pushes away, within the step, the mean takes too much from it: then the reactions along the path count. Not so where
 * it is pushed: an impact within a step is over before the path that the two ends show. */
static double reaction_work(vv_stepper *s, const vv_trial *t)
{
    const double *q = t->q, *from = s->state->q;
    double begin = vv_over_prescribed(s, vv_stepper_start_gradient(s), from, q) - pressed_more(s, q),
           end = vv_over_prescribed(s, t->gradient, from, q), mean = 0.5 * (begin + end);
    s->way.reaction = begin;
    if (!(mean < 0) || !(begin < end) || 0.5 * (end - begin) < OPEN * s->state->ledger.scale)
        return mean;
    return fmax(mean, on_the_way(s, q, begin, end)); /* of a number and NaN fmax takes the number */
}

double vv_prescribed_kinetic(const vv_stepper *s, const double *before, const double *v)
{
    const vv_rails *rails = s->system->rails;
    double work = 0;
    for (int i = 0; i < s->system->nodes; i++)
        if (s->system->unknown[i] < 0)
            for (size_t j = 3 * (size_t)i; j < 3 * (size_t)i + 3; j++)
                work += 0.5 * s->system->mass[i] * (v[j] * v[j] - before[j] * before[j]);
    for (int r = 0; rails && r < rails->count; r++) {
        const size_t i = 3 * (size_t)rails->node[r];
        const double *along = rails->along + 9 * (size_t)r;
        work += 0.5 * s->system->mass[rails->node[r]] *
                (vv_rail_across(along, v + i, v + i) - vv_rail_across(along, before + i, before + i));
    }
    return work;
}

double vv_prescribed_work(vv_stepper *s, const vv_trial *t)
{
    return reaction_work(s, t) + vv_prescribed_kinetic(s, s->state->v, t->v);
}
