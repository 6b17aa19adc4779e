/* Where the solve of a stage starts (theory §2.10).
 *
 * Straight lines stretch a turning body by 1 / cos of its angle in a step, which for a stiff body is worse than no
 * motion. So each component without prescribed nodes (step/bodies/components.h) is also turned as a rigid body. With d
 * = span h v, d_c its mean, theta its turn, d' the rest of d beside that rigid motion, and c the centre, x = c + d_c +
 * Q (q - c + d'), where Q is the rotation by atan |theta|: about a principal axis, the one nearest to q -> q + theta x
 * q, and the angle by which backward Euler turns. For vibrations too fast for the step, d' = 0 is better. Finally the
 * centre of a component without contact and supports moves as gravity, the host's forces and drag determine in closed
 * form: a body in flight that does not vibrate takes one iteration. */
#include "step/schemes/guess.h"

#include "energy/points/simple.h"
#include "solve/vectors.h"

#include <string.h>

/* Turns that draw out by less than rounding makes of a stiff body's energy, rad. */
static const double SLIGHT = 1e-6;

/* Q, row by row, by Rodrigues' formula. */
static void rotation(const double theta[3], double q[9])
{
    double size = vv_norm(theta), angle = atan(size), sine = sin(angle),
           versine = 2 * sin(0.5 * angle) * sin(0.5 * angle);
    double k[3] = { 0, 0, 0 };
    for (int i = 0; i < 3 && size > 0; i++)
        k[i] = theta[i] / size;
    const double skew[9] = { 0, -k[2], k[1], k[2], 0, -k[0], -k[1], k[0], 0 };
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            q[3 * i + j] = (i == j) + sine * skew[3 * i + j] + versine * (k[i] * k[j] - (i == j));
}

/* Displacements p of a component that is turned; part: how much of d' is carried on. Returns |theta|. */
static double turn_component(const vv_stepper *s, int component, const double *from, double span, double part,
                             double *p)
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

/* Displacements with all free components turned; the others are carried along straight lines. Returns the largest
 * |theta|; negative: there is no free component. */
static double turned(const vv_stepper *s, const double *from, double span, double part, double *p)
{
    double most = -1;
    vv_scale_free(s->system, span, s->hvn, p);
    for (int i = 0; i < s->components.count; i++)
        if (!s->components.component[i].fixed)
            most = fmax(most, turn_component(s, i, from, span, part, p));
    return most;
}

/* g without contact, but with dissipation; x: room. */
static double value_free(const vv_objective *o, const double *from, const double *p, double *x)
{
    vv_along(vv_node_space(o->system), from, 1, p, x);
    return vv_objective_value_without_contact(o, x) + vv_objective_dissipation(o, x);
}

/* Keeps the displacement p in q (which may be p) if it beats the best; x: room. */
static void consider(const vv_objective *o, const double *from, const double *p, double *x, double *best, double *q)
{
    double value = value_free(o, from, p, x);
    if (value < *best) {
        *best = value;
        if (q != p)
            vv_copy(vv_node_space(o->system), p, q);
    }
}

/* The displacements of the best way to move on straight or turned, as if nothing were in the way; its value. */
static double free_motion(const vv_stepper *s, const vv_objective *o, const double *from, double span, double *x,
                          double *q, double *p)
{
    double best = INFINITY;
    vv_scale_free(s->system, span, s->hvn, p);
    consider(o, from, p, x, &best, p);
    if (turned(s, from, span, 1, q) > SLIGHT)
        consider(o, from, q, x, &best, p);
    if (turned(s, from, span, 0, q) >= 0)
        consider(o, from, q, x, &best, p);
    return best;
}

/* ---- where the centres go ---- */

/* What acts on the nodes, node space. */
typedef struct forces {
    double *even; /* gradient of gravity and of the host's forces: the same everywhere */
    double *push; /* gradient of contact, at `from` */
    /* gradient of the dissipation at the guess's velocity, and at one that is 1 m/s more in each direction */
    double *drag, *drag_more;
    unsigned char *held; /* per component: an attachment has hold of it */
} forces;

static void find_held(const vv_stepper *s, unsigned char *held)
{
    const vv_system *y = s->system;
    memset(held, 0, (size_t)s->components.count);
    for (int i = 0; i < s->components.count; i++)
        held[i] = s->components.component[i].fixed;
    for (int k = 0; k < y->energies; k++) {
        int count;
        const int *nodes = vv_attachment_nodes(y->energy[k], &count);
        for (int i = 0; i < count; i++)
            if (s->components.of[nodes[i]] >= 0)
                held[s->components.of[nodes[i]]] = 1;
    }
}

static void find_forces(const vv_objective *o, const double *from, const double *p, const forces *f)
{
    const vv_system *y = o->system;
    const size_t n = vv_node_space(y);
    vv_zero(n, f->even);
    vv_zero(n, f->push);
    vv_zero(n, f->drag);
    vv_zero(n, f->drag_more);
    for (int i = 0; i < y->energies; i++) {
        vv_energy *e = y->energy[i];
        const bool even = e->ops->row == VV_ROW_GRAVITY || e->ops->row == VV_ROW_EXTERNAL;
        if (!even && e->ops->row != VV_ROW_CONTACT)
            continue;
        vv_energy_update(e, &y->par, from);
        e->ops->derivatives(e, &y->par, from, 1, VV_HESSIAN_PROJECTED, even ? f->even : f->push, NULL);
    }
    if (o->d == 0 || y->dissipations == 0)
        return;
    size_t mark = vv_arena_mark(&o->system->arena);
    double *v = vv_arena_push(&o->system->arena, n, sizeof *v);
    for (size_t j = 0; j < n; j++)
        v[j] = (o->c * (from[j] + p[j]) + (o->u ? o->u[j] : 0)) / o->h;
    vv_system_dissipation_gradient(y, v, 1, f->drag);
    for (size_t j = 0; j < n; j++)
        v[j] += 1;
    vv_system_dissipation_gradient(y, v, 1, f->drag_more);
    vv_arena_release(&o->system->arena, mark);
}

static bool acts(const vv_node_set *set, const double *f)
{
    for (int i = 0; i < set->count; i++) {
        size_t j = 3 * vv_set_node(set, i);
        if (f[j] != 0 || f[j + 1] != 0 || f[j + 2] != 0)
            return true;
    }
    return false;
}

/* The shift of a component to where g is least along translations: its elastic energy does not change there, the
 * other forces are even, and drag is linear. */
static void shift_of(const vv_objective *o, const double *from, const double *p, const forces *f,
                     const vv_node_set *set, double shift[3])
{
    const double h2 = o->h * o->h;
    double weight = 0, mass = 0, sum[3] = { 0, 0, 0 }, stiffness[3] = { 0, 0, 0 };
    for (int i = 0; i < o->samples; i++)
        weight += o->sample[i].w * o->sample[i].beta;
    for (int n = 0; n < set->count; n++) {
        size_t node = vv_set_node(set, n);
        double m = o->system->mass[node];
        mass += m;
        for (size_t k = 0; k < 3; k++) {
            size_t j = 3 * node + k;
            sum[k] += m * (o->y[j] - from[j] - p[j]) - h2 * weight * f->even[j] - h2 * o->d * o->c * f->drag[j];
            stiffness[k] += f->drag_more[j] - f->drag[j];
        }
    }
    for (int k = 0; k < 3; k++)
        shift[k] = sum[k] / (mass + o->d * o->c * o->c * o->h * fmax(stiffness[k], 0));
}

/* q: p with the centre of each component that is free and touches nothing where the forces take it. False: there is
 * none. */
static bool centred(const vv_stepper *s, const vv_objective *o, const double *from, const double *p, double *q)
{
    vv_arena *arena = &s->system->arena;
    const size_t n = vv_node_space(s->system), mark = vv_arena_mark(arena);
    bool any = false;
    forces f = { vv_arena_push(arena, n, sizeof(double)), vv_arena_push(arena, n, sizeof(double)),
                 vv_arena_push(arena, n, sizeof(double)), vv_arena_push(arena, n, sizeof(double)),
                 vv_arena_push(arena, (size_t)s->components.count, 1) };
    find_held(s, f.held);
    bool free = memchr(f.held, 0, (size_t)s->components.count) != NULL;
    if (free)
        find_forces(o, from, p, &f);
    vv_copy(n, p, q);
    for (int i = 0; i < s->components.count && free; i++) {
        const vv_node_set set = vv_component_nodes(&s->components, i);
        double shift[3];
        if (f.held[i] || acts(&set, f.push))
            continue;
        any = true;
        shift_of(o, from, p, &f, &set, shift);
        for (int k = 0; k < set.count; k++)
            for (size_t c = 0; c < 3; c++)
                q[3 * vv_set_node(&set, k) + c] += shift[c];
    }
    vv_arena_release(arena, mark);
    return any;
}

/* ---- the start ---- */

/* Goes along p as far as nothing is hit, by the part t; g there. */
static double reach(const vv_objective *o, const double *from, const double *p, double *x, double *t)
{
    size_t n = vv_node_space(o->system);
    *t = vv_objective_max_step(o, from, p);
    vv_along(n, from, *t, p, x);
    return vv_objective_value(o, x);
}

void vv_guess(vv_stepper *s, const vv_objective *o, const double *from, double span, double *q)
{
    vv_arena *arena = &s->system->arena;
    const size_t n = vv_node_space(s->system), mark = vv_arena_mark(arena);
    double *p = vv_arena_push(arena, n, sizeof *p), *shifted = vv_arena_push(arena, n, sizeof *shifted);
    double *x = vv_arena_push(arena, n, sizeof *x), still = vv_objective_value(o, from), t = 1, best = INFINITY;
    double value = free_motion(s, o, from, span, x, shifted, p);
    if (centred(s, o, from, p, shifted) && value_free(o, from, shifted, x) < value)
        best = reach(o, from, shifted, q, &t);
    /* bodies in touch are not shifted: those that are may run into them */
    if (t < 1 || !(best < still)) {
        value = reach(o, from, p, x, &t);
        if (value < best)
            best = value, vv_copy(n, x, q);
    }
    if (!(best < still))
        vv_copy(n, from, q);
    vv_arena_release(arena, mark);
}

/* Components that go less far in `shorter` than in p stay. */
static void hold(const vv_stepper *s, const double *shorter, double *p)
{
    for (int i = 0; i < s->components.count; i++) {
        const vv_node_set set = vv_component_nodes(&s->components, i);
        bool stopped = false;
        for (int k = 0; k < set.count; k++)
            stopped =
                stopped || memcmp(p + 3 * vv_set_node(&set, k), shorter + 3 * vv_set_node(&set, k), 3 * sizeof *p) != 0;
        for (int k = 0; stopped && k < set.count; k++)
            vv_zero(3, p + 3 * vv_set_node(&set, k));
    }
}

/* Takes for q where a path ends, if g is lower there than the best. */
static void take_if_lower(const vv_objective *o, const double *from, const double *p, double *best, double *x,
                          double *q)
{
    const size_t n = vv_node_space(o->system);
    vv_along(n, from, 1, p, x);
    const double value = vv_objective_value(o, x);
    if (!(value < *best))
        return;
    *best = value;
    vv_copy(n, x, q);
}

/* Where something is in the way p: bodies that meet nothing go all of it, the others as far as they may, or they
 * stay; or all stay: q is where g is lowest. held, x: room. */
static void go_apart(const vv_stepper *s, const vv_objective *o, const double *from, double *p, double *held, double *x,
                     double *q)
{
    const size_t n = vv_node_space(s->system);
    double best = vv_objective_value(o, from);
    vv_copy(n, from, q);
    vv_copy(n, p, held);
    vv_objective_shorten(o, from, s->components.of, p, 1);
    take_if_lower(o, from, p, &best, x, q);
    hold(s, p, held);
    vv_objective_shorten(o, from, s->components.of, held, 1);
    take_if_lower(o, from, held, &best, x, q);
}

/* Bodies move on, turned if they turn, with their centres where the forces take them; whether what is free keeps its
 * vibration, and what does best where something is in the way, is asked of g. */
void vv_guess_quick(vv_stepper *s, const vv_objective *o, const double *from, double span, double *q)
{
    vv_arena *arena = &s->system->arena;
    const size_t n = vv_node_space(s->system), mark = vv_arena_mark(arena);
    double *p = vv_arena_push(arena, n, sizeof *p), *shifted = vv_arena_push(arena, n, sizeof *shifted);
    double *x = vv_arena_push(arena, n, sizeof *x), best = INFINITY;
    if (turned(s, from, span, 1, p) >= 0) {
        best = value_free(o, from, p, x);
        turned(s, from, span, 0, shifted);
        consider(o, from, shifted, x, &best, p);
    }
    centred(s, o, from, p, shifted);
    if (vv_objective_max_step(o, from, shifted) < 1)
        go_apart(s, o, from, shifted, p, x, q);
    else
        vv_along(n, from, 1, shifted, q);
    vv_arena_release(arena, mark);
}
