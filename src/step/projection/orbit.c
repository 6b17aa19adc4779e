/* FEPR's iteration for groups of bodies: the step's start moved as if its bodies were rigid in free flight (theory
 * §3.10, "The orbit").
 *
 * A shift and a turn do not change the energy of a free body, and velocities can keep the momenta: H, P and L stay
 * where the spin of the turned body has its former energy, as it has for every turn about L, and for others along the
 * body's own motion. The start moved in this way is near the scheme's end; the start itself is not, and ending there
 * would stop the motion. */
#include "step/projection/projection.h"

#include "base/eigen.h"
#include "base/rotation.h"
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

/* ---- the energy of a spin ---- */

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
static bool find_angle(const double about[6], const double l[3], const double m[3], double energy, double *phi)
{
    double omega_l[3], omega_m[3];
    if (!find_rate(about, l, omega_l) || !find_rate(about, m, omega_m))
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

/* The smallest turn of a body after which a rigid motion with l has the energy; so far it goes: *square, n . I n
 * phi^2. */
static bool find_turn(const double about[6], const double l[3], double energy, double turn[9], double *square)
{
    double omega[3], n[3], m[3], turned[3], phi;
    if (!(vv_norm(l) > 0) || !find_rate(about, l, omega))
        return false;
    vv_cross(l, omega, n);
    const double torque = vv_norm(n), trace = about[0] + about[3] + about[5];
    if (!(torque > 0))
        return false;
    for (int k = 0; k < 3; k++)
        n[k] /= torque;
    vv_cross(n, l, m);
    if (!find_angle(about, l, m, energy, &phi))
        return false;
    vv_matvec((double[]){ about[0], about[1], about[2], about[1], about[3], about[4], about[2], about[4], about[5] }, n,
              turned);
    *square = phi * phi * (trace - vv_dot(n, turned));
    set_turn(n, -phi, turn); /* the body turns the other way */
    return true;
}

/* ---- the start, carried along ---- */

/* What is summed of a body for its orbit: about its centre, at q_n and at q. */
typedef struct orbit_sums {
    double from[6], fit[9], size; /* sum m rho rho^T, sum m rho rho*^T, sum m |rho|^2 + |rho*|^2 */
} orbit_sums;

static void add_node(double mass, const double from[3], const double to[3], orbit_sums *s)
{
    for (int i = 0, k = 0; i < 3; i++) {
        for (int j = i; j < 3; j++, k++)
            s->from[k] += mass * from[i] * from[j];
        for (int j = 0; j < 3; j++)
            s->fit[3 * i + j] += mass * from[i] * to[j];
    }
    s->size += mass * (vv_dot(from, from) + vv_dot(to, to));
}

/* sum m |R rho - rho*|^2 */
static double distance(const orbit_sums *s, const double turn[9])
{
    double trace = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            trace += turn[3 * i + j] * s->fit[3 * j + i];
    return fmax(s->size - 2 * trace, 0);
}

static void turn_moments(const double turn[9], const double from[6], double to[6])
{
    const double full[9] = { from[0], from[1], from[2], from[1], from[3], from[4], from[2], from[4], from[5] };
    for (int i = 0, k = 0; i < 3; i++)
        for (int j = i; j < 3; j++, k++) {
            double row[3];
            vv_matvec(full, turn + 3 * j, row);
            to[k] = vv_dot(turn + 3 * i, row);
        }
}

/* About L, which keeps how it lies towards L: for a spin about an axis that is one of the body's. */
static void turn_about_spin(const orbit_sums *s, const double spin[3], double turn[9])
{
    const double size = vv_norm(spin), axis[3] = { spin[0] / size, spin[1] / size, spin[2] / size };
    const double *f = s->fit;
    double along[3];
    vv_matvec_transposed(f, axis, along); /* sum m (a . rho) rho* */
    const double cosine = f[0] + f[4] + f[8] - vv_dot(axis, along);
    const double sine = axis[0] * (f[5] - f[7]) + axis[1] * (f[6] - f[2]) + axis[2] * (f[1] - f[3]);
    set_turn(axis, atan2(sine, cosine), turn);
}

/* As the scheme has turned the body, and then so that its spin has the energy that it had. */
static bool turn_as_scheme(const orbit_sums *s, const double spin[3], double energy, double turn[9])
{
    double quaternion[4], nearest[9], about[6], twist[9], square;
    vv_nearest_rotation(s->fit, quaternion);
    vv_quaternion_matrix(quaternion, nearest);
    turn_moments(nearest, s->from, about);
    if (!find_turn(about, spin, energy, twist, &square))
        return false;
    vv_matmul(twist, nearest, turn);
    return true;
}

static orbit_sums sum_orbit(const vv_stepper *s, int body, const double *q, const vv_projection_group *g)
{
    orbit_sums sums = { 0 };
    for (int i = s->body_start[body]; i < s->body_start[body + 1]; i++) {
        const size_t j = 3 * (size_t)i;
        double from[3], to[3];
        vv_sub(s->state->q + j, g->before, from);
        vv_sub(q + j, g->centre, to);
        add_node(s->system->mass[i], from, to, &sums);
    }
    return sums;
}

static void find_orbit(const vv_stepper *s, int body, const double *q, vv_projection_group *g)
{
    static const double FURTHER = 4, PART = 0.1; /* of the other turn's distance; of the step's path */
    double turn[9], about[6];
    memcpy(g->turn, (double[]){ 1, 0, 0, 0, 1, 0, 0, 0, 1 }, sizeof g->turn);
    g->orbit = INFINITY;
    if (!g->alone || !g->placed || !(vv_norm(g->spin) > 0))
        return;
    const orbit_sums sums = sum_orbit(s, body, q, g);
    turn_about_spin(&sums, g->spin, g->turn);
    g->orbit = distance(&sums, g->turn);
    if (!find_rate(sums.from, g->spin, g->rate)) {
        memcpy(g->rate, (double[]){ 0, 0, 0 }, sizeof g->rate); /* a line: all of its velocity is turned */
        memcpy(g->rate_after, g->rate, sizeof g->rate);
        return;
    }
    if (turn_as_scheme(&sums, g->spin, 0.5 * vv_dot(g->spin, g->rate), turn) &&
        distance(&sums, turn) <= fmax(FURTHER * g->orbit, PART * PART * g->way * g->way)) {
        memcpy(g->turn, turn, sizeof g->turn);
        g->orbit = distance(&sums, turn);
    }
    turn_moments(g->turn, sums.from, about);
    find_rate(about, g->spin, g->rate_after);
}

void vv_projection_find_orbits(const vv_stepper *s, vv_projection *p, const double *q)
{
    for (int b = 0; b < s->bodies; b++)
        find_orbit(s, b, q, p->groups + b);
}

void vv_projection_carry(const vv_stepper *s, const vv_projection_group *g, int node, double q[3], double v[3])
{
    const size_t j = 3 * (size_t)node;
    double arm[3], rest[3], spin[3];
    vv_sub(s->state->q + j, g->before, arm);
    vv_sub(s->state->v + j, g->speed, rest);
    vv_cross(g->rate, arm, spin);
    vv_sub(rest, spin, rest);
    vv_matvec(g->turn, arm, q);
    vv_matvec(g->turn, rest, v);
    vv_cross(g->rate_after, q, spin);
    for (int c = 0; c < 3; c++) {
        q[c] += g->before[c] + g->flown[c];
        v[c] += spin[c] + g->speed[c] + g->gained[c];
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

bool vv_projection_find_twist(vv_projection_group *g)
{
    static const double PART = 0.1;  /* of the step's path: further away the orbit has to be further, too */
    static const double LESS = 1e-9; /* of T's scale: velocities have to be able to make up for it */
    const double energy = g->target - g->potential - 0.5 * vv_dot(g->p, g->p) / g->sums.mass - LESS * g->scale;
    double square;
    return find_turn(g->about, g->l, energy, g->twist, &square) &&
           square <= fmax(g->orbit, PART * PART * g->way * g->way);
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
