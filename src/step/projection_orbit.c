/* FEPR's iteration for groups of bodies: where the step's start would be if its bodies only flew and turned (theory
 * §3.10, "The orbit").
 *
 * A turn about L and a shift change neither H nor P nor L of what nothing acts on. So the start, its centre carried to
 * where it flies and all of it turned about L, meets every constraint, and it is near the scheme's end, where the start
 * itself is not: to end there would be to stand still. */
#include "step/projection.h"

#include "base/eigen.h"
#include "base/vec.h"

#include <string.h>

/* A turn by an angle about a unit vector. */
static void set_turn(const double axis[3], double angle, double turn[9])
{
    const double c = cos(angle), s = sin(angle);
    const double cross[9] = { 0, -axis[2], axis[1], axis[2], 0, -axis[0], -axis[1], axis[0], 0 };
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            turn[3 * i + j] = (i == j ? c : 0) + (1 - c) * axis[i] * axis[j] + s * cross[3 * i + j];
}

/* ---- the start, carried along ---- */

/* Of sum m |R rho - rho*|^2 with the turn R about the axis: what stands before cos and sin of its angle, and the rest.
 */
typedef struct fit {
    double cosine, sine, rest;
} fit;

static void add_node(double mass, const double axis[3], const double from[3], const double to[3], fit *f)
{
    double across[3];
    const double along = vv_dot(axis, from) * vv_dot(axis, to);
    vv_cross(from, to, across);
    f->cosine += mass * (vv_dot(from, to) - along);
    f->sine += mass * vv_dot(axis, across);
    f->rest += mass * (0.5 * (vv_dot(from, from) + vv_dot(to, to)) - along);
}

static void find_orbit(const vv_stepper *s, int body, const double *q, vv_projection_group *g)
{
    const vv_system *y = s->system;
    const double size = vv_norm(g->spin);
    fit f = { 0 };
    memcpy(g->turn, (double[]){ 1, 0, 0, 0, 1, 0, 0, 0, 1 }, sizeof g->turn);
    g->orbit = INFINITY;
    if (!g->alone || !g->placed || !(size > 0))
        return;
    const double axis[3] = { g->spin[0] / size, g->spin[1] / size, g->spin[2] / size };
    for (int i = s->body_start[body]; i < s->body_start[body + 1]; i++) {
        const size_t j = 3 * (size_t)i;
        double from[3], to[3];
        vv_sub(s->state->q + j, g->before, from);
        vv_sub(q + j, g->centre, to);
        add_node(y->mass[i], axis, from, to, &f);
    }
    set_turn(axis, atan2(f.sine, f.cosine), g->turn);
    g->orbit = 2 * fmax(f.rest - hypot(f.cosine, f.sine), 0);
}

void vv_projection_find_orbits(const vv_stepper *s, vv_projection *p, const double *q)
{
    for (int b = 0; b < s->bodies; b++)
        find_orbit(s, b, q, p->groups + b);
}

void vv_projection_carry(const vv_stepper *s, const vv_projection_group *g, int node, double q[3], double v[3])
{
    const size_t j = 3 * (size_t)node;
    double arm[3], rest[3];
    vv_sub(s->state->q + j, g->before, arm);
    vv_sub(s->state->v + j, g->speed, rest);
    vv_matvec(g->turn, arm, q);
    vv_matvec(g->turn, rest, v);
    for (int c = 0; c < 3; c++) {
        q[c] += g->before[c] + g->flown[c];
        v[c] += g->speed[c] + g->gained[c];
    }
}

/* ---- the scheme's end, turned where it is ---- */

void vv_projection_note_end(vv_projection_group *g)
{
    const vv_projection_sums *t = &g->sums;
    double p[3], l[3], mean[3], w[3];
    vv_projection_means(g, mean, w);
    vv_projection_momenta(g, p, l, g->end);
    g->potential = g->excess + g->target - 0.5 * t->square + vv_dot(t->g, g->shift);
    for (int i = 0, k = 0; i < 3; i++) {
        g->leaving[i] = t->mass > 0 ? p[i] / t->mass : 0;
        for (int j = i; j < 3; j++, k++)
            g->about[k] = t->rr[k] - t->r[i] * mean[j];
    }
}

/* omega = I^-1 L. False: it is a line or a point. */
static bool find_rate(const double about[6], const double l[3], double omega[3])
{
    static const double FLAT = 1e-10;
    const double trace = about[0] + about[3] + about[5];
    double inertia[9] = { trace - about[0], -about[1], -about[2], -about[1],       trace - about[3],
                          -about[4],        -about[2], -about[4], trace - about[5] };
    double value[3], vector[9];
    vv_eigen_small(3, inertia, value, vector);
    omega[0] = omega[1] = omega[2] = 0;
    for (int k = 0; k < 3; k++) {
        if (!(value[k] > FLAT * trace))
            return false;
        for (int c = 0; c < 3; c++)
            omega[c] += vector[3 * k + c] * vv_dot(vector + 3 * k, l) / value[k];
    }
    return true;
}

/* Seen from the body, L turns about n = L x omega. In that plane 1/2 L . I^-1 L is a + b cos 2 phi + c sin 2 phi; phi
 * is its smallest angle with the energy that is wanted. */
static bool find_angle(const double l[3], const double m[3], const vv_projection_group *g, double energy, double *phi)
{
    double omega_l[3], omega_m[3];
    if (!find_rate(g->about, l, omega_l) || !find_rate(g->about, m, omega_m))
        return false;
    const double ll = vv_dot(l, omega_l), mm = vv_dot(m, omega_m), lm = vv_dot(l, omega_m);
    const double a = 0.25 * (ll + mm), b = 0.25 * (ll - mm), c = 0.5 * lm, size = hypot(b, c);
    const double cosine = size > 0 ? (energy - a) / size : INFINITY;
    if (!(fabs(cosine) <= 1))
        return false;
    const double at = atan2(c, b), off = acos(cosine);
    const double one = remainder(at - off, 2 * M_PI), other = remainder(at + off, 2 * M_PI);
    *phi = 0.5 * (fabs(one) < fabs(other) ? one : other);
    return true;
}

bool vv_projection_find_twist(vv_projection_group *g)
{
    static const double PART = 0.1;  /* of the step's way: further away the orbit has to be further, too */
    static const double LESS = 1e-9; /* of T's scale: velocities have to be able to make up for it */
    const double size = vv_norm(g->l), energy = g->target - g->potential - 0.5 * vv_dot(g->p, g->p) / g->sums.mass;
    double omega[3], n[3], m[3], turned[3], phi;
    if (!(size > 0) || !find_rate(g->about, g->l, omega))
        return false;
    vv_cross(g->l, omega, n);
    const double torque = vv_norm(n);
    if (!(torque > 0))
        return false;
    for (int k = 0; k < 3; k++)
        n[k] /= torque;
    vv_cross(n, g->l, m);
    if (!find_angle(g->l, m, g, energy - LESS * g->scale, &phi))
        return false;
    /* the body turns the other way; n . I n, of how far it goes */
    const double trace = g->about[0] + g->about[3] + g->about[5];
    vv_matvec((double[]){ g->about[0], g->about[1], g->about[2], g->about[1], g->about[3], g->about[4], g->about[2],
                          g->about[4], g->about[5] },
              n, turned);
    if (phi * phi * (trace - vv_dot(n, turned)) > fmax(g->orbit, PART * PART * g->way * g->way))
        return false;
    set_turn(n, -phi, g->twist);
    return true;
}

void vv_projection_twist(const vv_projection_group *g, const double q[3], const double v[3], double to_q[3],
                         double to_v[3])
{
    double arm[3], rest[3];
    vv_sub(q, g->end, arm);
    vv_sub(v, g->leaving, rest);
    vv_matvec(g->twist, arm, to_q);
    vv_matvec(g->twist, rest, to_v);
    for (int c = 0; c < 3; c++) {
        to_q[c] += g->centre[c];
        to_v[c] += g->leaving[c];
    }
}
