/* Where the solve of a stage starts (theory §2.10).
 *
 * Straight lines draw a turning body out by 1 / cos of the angle that it turns in a step: to a stiff body that is worse than standing
 * still. So each component that nothing prescribes (step/components.h) is also turned as a rigid body. With d = span h v, d_c its mean,
 * theta its turn, d' what is left of d beside that rigid motion, and c the centre,
 *   x = c + d_c + Q (q - c + d'),
 * where Q is the rotation by atan |theta|: for a principal axis that nearest to q -> q + theta x q, and how far backward Euler turns.
 * Where the velocities are those of vibrations too fast for the step, d' = 0 is better. At last the centre of what touches nothing goes
 * where gravity and the host's forces take it, which is known: a body that flies and does not shake takes one iteration. */
#include "step/guess.h"

#include "solve/vectors.h"

/* Turns that draw out by less than rounding makes of a stiff body's energy, rad. */
static const double SLIGHT = 1e-6;

/* Q, row by row, by Rodrigues' formula. */
static void rotation(const double theta[3], double q[9])
{
    double size = vv_norm(theta), angle = atan(size), sine = sin(angle), versine = 2 * sin(0.5 * angle) * sin(0.5 * angle);
    double k[3] = { 0, 0, 0 };
    for (int i = 0; i < 3 && size > 0; i++)
        k[i] = theta[i] / size;
    const double skew[9] = { 0, -k[2], k[1], k[2], 0, -k[0], -k[1], k[0], 0 };
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            q[3 * i + j] = (i == j) + sine * skew[3 * i + j] + versine * (k[i] * k[j] - (i == j));
}

/* Displacements p of a component that is turned; part: how much of d' is carried on. Returns |theta|. */
static double turn_component(const vv_stepper *s, int component, const double *from, double span, double part, double *p)
{
    const vv_system *y = s->system;
    const vv_node_set set = vv_component_nodes(&s->components, component);
    const vv_rigid body = vv_rigid_at(y, &set, from);
    vv_twist t = vv_rigid_part(y, &set, &body, from, s->hvn);
    double q[9];
    for (int k = 0; k < 3; k++)
        t.linear[k] *= span, t.angular[k] *= span;
    rotation(t.angular, q);
    for (int i = 0; i < set.count; i++) {
        size_t j = 3 * vv_set_node(&set, i);
        double arm[3], rigid[3];
        vv_twist_at(&t, body.centre, from + j, rigid);
        vv_sub(from + j, body.centre, arm);
        for (size_t k = 0; k < 3; k++) {
            p[j + k] = t.linear[k] - arm[k];
            arm[k] += part * (span * s->hvn[j + k] - rigid[k]);
        }
        for (size_t k = 0; k < 3; k++)
            p[j + k] += vv_dot(q + 3 * k, arm);
    }
    return vv_norm(t.angular);
}

/* Displacements with all free components turned; the others are carried along straight lines. Returns the largest |theta|; negative:
 * there is no free component. */
static double turned(const vv_stepper *s, const double *from, double span, double part, double *p)
{
    double most = -1;
    vv_scale_free(s->system, span, s->hvn, p);
    for (int i = 0; i < s->components.count; i++)
        if (!s->components.component[i].fixed)
            most = fmax(most, turn_component(s, i, from, span, part, p));
    return most;
}

/* Keeps the displacement p in q (which may be p) if it beats the best; x: room. */
static void consider(const vv_objective *o, const double *from, const double *p, double *x, double *best, double *q)
{
    size_t n = vv_node_space(o->system);
    vv_along(n, from, 1, p, x);
    double value = vv_objective_value_without_contact(o, x);
    if (value < *best) {
        *best = value;
        if (q != p)
            vv_copy(n, p, q);
    }
}

/* Whether a force f (node space) acts on one of the nodes. */
static bool acts(const vv_node_set *set, const double *f)
{
    for (int i = 0; i < set->count; i++) {
        size_t j = 3 * vv_set_node(set, i);
        if (f[j] != 0 || f[j + 1] != 0 || f[j + 2] != 0)
            return true;
    }
    return false;
}

/* The gradients of forces that are the same everywhere; and of those that are not, but within components, at `from`. */
static void forces(const vv_system *y, const double *from, double *even, double *other)
{
    vv_zero(vv_node_space(y), even);
    vv_zero(vv_node_space(y), other);
    for (int i = 0; i < y->energies; i++) {
        vv_energy *e = y->energy[i];
        if (e->ops->row == VV_ROW_ELASTIC)
            continue;
        vv_energy_update(e, &y->par, from);
        bool same = e->ops->row == VV_ROW_GRAVITY || e->ops->row == VV_ROW_EXTERNAL;
        e->ops->derivatives(e, &y->par, from, 1, VV_HESSIAN_PROJECTED, same ? even : other, NULL);
    }
}

/* Shifts each free component on which nothing else acts to where g is least along translations, as its elastic energy does not change
 * there: M (x - y) + h^2 sum_s w_s beta_s grad E = 0, summed over it. */
static void centre(const vv_stepper *s, const vv_objective *o, const double *from, const double *even, const double *other, double *p)
{
    double weight = 0;
    for (int i = 0; i < o->samples; i++)
        weight += o->sample[i].w * o->sample[i].beta;
    for (int i = 0; i < s->components.count; i++) {
        const vv_node_set set = vv_component_nodes(&s->components, i);
        double sum[3] = { 0, 0, 0 }, mass = 0;
        if (s->components.component[i].fixed || acts(&set, other))
            continue;
        for (int n = 0; n < set.count; n++) {
            size_t node = vv_set_node(&set, n);
            double m = s->system->mass[node];
            mass += m;
            for (size_t k = 0; k < 3; k++)
                sum[k] += m * (o->y[3 * node + k] - from[3 * node + k] - p[3 * node + k]) - o->h * o->h * weight * even[3 * node + k];
        }
        for (int n = 0; n < set.count; n++)
            for (size_t k = 0; k < 3; k++)
                p[3 * vv_set_node(&set, n) + k] += sum[k] / mass;
    }
}

/* The displacements of the best way to move on as if nothing were in the way. */
static void free_motion(vv_stepper *s, const vv_objective *o, const double *from, double span, double *p)
{
    vv_arena *arena = &s->system->arena;
    size_t n = vv_node_space(s->system), mark = vv_arena_mark(arena);
    double *x = vv_arena_push(arena, n, sizeof *x), *q = vv_arena_push(arena, n, sizeof *q), best = INFINITY;
    double *even = vv_arena_push(arena, n, sizeof *even), *other = vv_arena_push(arena, n, sizeof *other);
    vv_scale_free(s->system, span, s->hvn, p);
    consider(o, from, p, x, &best, p);
    if (turned(s, from, span, 1, q) > SLIGHT)
        consider(o, from, q, x, &best, p);
    if (turned(s, from, span, 0, q) >= 0)
        consider(o, from, q, x, &best, p);
    forces(s->system, from, even, other);
    vv_copy(n, p, q);
    centre(s, o, from, even, other, q);
    consider(o, from, q, x, &best, p);
    vv_arena_release(arena, mark);
}

void vv_guess(vv_stepper *s, const vv_objective *o, const double *from, double span, double *q)
{
    size_t n = vv_node_space(s->system);
    double *p = s->trial, still = vv_objective_value(o, from);
    free_motion(s, o, from, span, p);
    double t = vv_objective_max_step(o, from, p);
    vv_along(n, from, t, p, p);
    double moved = vv_objective_value(o, p);
    vv_copy(n, moved < still ? p : from, q);
}
