/* Scaling velocities to the target (Simo, Tarnow, Wong 1992; Su, Sheth, Fedkiw 2013; theory §3.8): an older method,
 * to be compared with.
 *
 * Positions stay. Of each component (step/bodies/components.h), r is the rigid motion that has its momenta, or that of
 * its prescribed nodes where it has some, with the turn that these leave free; the velocities become r + s (v - r) with
 * one factor s for all, the root of H(s) = T nearest to 1. What is kept of a free component is its linear and angular
 * momentum, of one that turns on an axis or about a point the angular momentum about it. s is not negative and at
 * most `scale_max`: what that leaves of H - T is reported, and may grow, as positions are never corrected. */
#include "base/eigen.h"
#include "solve/vectors.h"
#include "step/inside.h"

enum { SCALE_MAX };
static const vvParam params[] = {
    { "scale_max",
      "\"velocity-scale\": largest factor of velocities beyond a rigid motion in a step",
      "",
      1,
      false,
      { 10 },
      1,
      1e6 },
};

/* The motion of the component's prescribed nodes; list: room for them. */
static vv_twist motion_of_holder(const vv_stepper *s, const vv_node_set *all, const vv_trial *t, int *list,
                                 vv_rigid *body)
{
    vv_node_set held = { list, 0, 0 };
    for (int k = 0; k < all->count; k++)
        if (s->system->unknown[all->list[k]] < 0)
            list[held.count++] = all->list[k];
    *body = vv_rigid_at(s->system, &held, t->q);
    return vv_rigid_part(s->system, &held, body, t->q, t->v);
}

/* The projection p on the directions in which the holder's inertia is nothing: all where it is a point, one where its
 * nodes lie on a line. */
static void take_free_directions(const vv_rigid *holder, double p[9])
{
    double a[9], values[3], vectors[9], most;
    memcpy(a, holder->inertia, sizeof a);
    vv_eigen_small(3, a, values, vectors);
    most = fmax(fmax(fabs(values[0]), fabs(values[1])), fabs(values[2]));
    memset(p, 0, 9 * sizeof *p);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 9 && values[i] <= 1e-10 * most; k++)
            p[k] += vectors[3 * i + k / 3] * vectors[3 * i + k % 3];
}

/* out = a b, 3 x 3 */
static void multiply(const double *a, const double *b, double *out)
{
    for (int k = 0; k < 9; k++)
        out[k] = a[k / 3 * 3] * b[k % 3] + a[k / 3 * 3 + 1] * b[3 + k % 3] + a[k / 3 * 3 + 2] * b[6 + k % 3];
}

/* Adds the turn that the holder leaves free: the one with the component's angular momentum, against the holder's
 * motion, about its centre. */
static void add_free_turn(const vv_stepper *s, const vv_node_set *set, const vv_rigid *holder, const vv_trial *t,
                          vv_twist *motion)
{
    double p[9], inertia[9] = { 0 }, half[9], l[3] = { 0 }, free_l[3], turn[3];
    take_free_directions(holder, p);
    for (int i = 0; i < set->count; i++) {
        const size_t node = vv_set_node(set, i);
        const double *x = t->q + 3 * node, m = s->system->mass[node];
        double arm[3], u[3], c[3];
        vv_sub(x, holder->centre, arm);
        vv_twist_at(motion, holder->centre, x, u);
        vv_sub(t->v + 3 * node, u, u);
        vv_cross(arm, u, c);
        for (int k = 0; k < 9; k++)
            inertia[k] += m * ((k % 4 == 0 ? vv_dot(arm, arm) : 0) - arm[k / 3] * arm[k % 3]);
        for (int k = 0; k < 3; k++)
            l[k] += s->system->unknown[node] >= 0 ? m * c[k] : 0;
    }
    multiply(p, inertia, half);
    multiply(half, p, inertia);
    for (int k = 0; k < 3; k++)
        free_l[k] = vv_dot(p + 3 * k, l);
    vv_solve_semidefinite(inertia, free_l, turn);
    for (int k = 0; k < 3; k++)
        motion->angular[k] += turn[k];
}

/* r at the free nodes; elsewhere the velocity itself. */
static void rigid_field(vv_stepper *s, const vv_trial *t, int *list, double *r)
{
    vv_copy(vv_node_space(s->system), t->v, r);
    for (int c = 0; c < s->components.count; c++) {
        const vv_node_set set = vv_component_nodes(&s->components, c);
        vv_rigid body;
        vv_twist motion;
        if (s->components.component[c].fixed) {
            motion = motion_of_holder(s, &set, t, list, &body);
            add_free_turn(s, &set, &body, t, &motion);
        } else {
            body = vv_rigid_at(s->system, &set, t->q);
            motion = vv_rigid_part(s->system, &set, &body, t->q, t->v);
        }
        for (int k = 0; k < set.count; k++)
            if (s->system->unknown[set.list[k]] >= 0)
                vv_twist_at(&motion, body.centre, t->q + 3 * (size_t)set.list[k], r + 3 * (size_t)set.list[k]);
    }
}

/* The s >= 0 with 1/2 a s^2 + b s + c = 0 that is nearest to 1; where there is none, the one that comes nearest to
 * it. a > 0. */
static double factor(double a, double b, double c, bool *reached)
{
    double discriminant = b * b - 2 * a * c, lowest = fmax(-b / a, 0);
    *reached = discriminant >= 0;
    if (!*reached)
        return lowest;
    double sum = -b - (b >= 0 ? sqrt(discriminant) : -sqrt(discriminant)); /* without cancellation */
    double first = sum / a, second = sum != 0 ? 2 * c / sum : first, best = -1;
    for (int i = 0; i < 2; i++) {
        double root = i ? second : first;
        if (root >= 0 && (best < 0 || fabs(root - 1) < fabs(best - 1)))
            best = root;
    }
    *reached = best >= 0;
    return *reached ? best : 0;
}

static vvStatus apply(vv_policy_call *call, vvError *error)
{
    (void)error;
    vv_stepper *s = call->stepper;
    vv_trial *t = call->trial;
    vv_system *y = s->system;
    size_t n = vv_node_space(y), mark = vv_arena_mark(&y->arena);
    double *r = vv_arena_push(&y->arena, n, sizeof *r), *d = vv_arena_push(&y->arena, n, sizeof *d);
    int *list = vv_arena_push(&y->arena, (size_t)y->nodes, sizeof *list);
    rigid_field(s, t, list, r);
    vv_difference(n, t->v, r, d); /* 0 at prescribed nodes */
    double a = vv_sum_mass_dot(y, d, d), b = vv_sum_mass_dot(y, r, d);
    double rigid = 0.5 * vv_sum_mass_square(y, r, NULL, false), c = t->potential + rigid - call->target;
    bool reached = true;
    double scale = 1;
    if (fabs(b) <= 1e-12 * sqrt(2 * a * rigid)) /* of free components alone the parts are orthogonal */
        b = 0;
    if (a > 1e-28 * (rigid + s->state->ledger.scale)) /* else there is nothing to scale, but rounding */
        scale = factor(a, b, c, &reached);
    if (scale > call->values[SCALE_MAX])
        scale = call->values[SCALE_MAX],
        call->note = "velocity-scale: the factor is at scale_max, and H off its target";
    else if (!reached)
        call->note = "velocity-scale: no factor of the velocities removes enough energy, so H stays above its target";
    if (scale != 1)
        for (size_t i = 0; i < n; i++)
            t->v[i] = r[i] + scale * d[i];
    call->alpha = scale;
    vv_arena_release(&y->arena, mark);
    return VV_OK;
}

const vv_policy_ops vv_policy_velocity_scale = {
    .info = { "velocity-scale", "scales velocities beyond rigid motions to the target (Simo; Su): for comparison" },
    .touches = VV_TOUCHES_VELOCITIES,
    .aims = true,
    .vectors = 3,
    .params = { sizeof params / sizeof *params, params },
    .apply = apply,
};
