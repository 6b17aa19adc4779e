/* Momentum-preserving damping after the solve (Müller et al. 2007; Dinev, Liu, Kavan Eq. 32-33 with the rigid velocity
 * v_cm + omega x r, theory §3.5): v_i -= k (v_i - v_cm - omega x r_i). Changes neither P nor L of the body. */
#include "base/vec.h"
#include "step/inside.h"

typedef struct rigid {
    double centre[3], velocity[3], omega[3], mass;
} rigid;

static rigid rigid_part(const vv_stepper *s, const vv_rigid_damping *d, const double *q, const double *v)
{
    rigid b = { .mass = 0 };
    for (int i = d->first; i < d->first + d->count; i++) {
        double m = s->system->mass[i];
        b.mass += m;
        for (int k = 0; k < 3; k++) {
            b.centre[k] += m * q[3 * (size_t)i + k];
            b.velocity[k] += m * v[3 * (size_t)i + k];
        }
    }
    for (int k = 0; k < 3; k++) {
        b.centre[k] /= b.mass;
        b.velocity[k] /= b.mass;
    }
    double inertia[9] = { 0 }, l[3] = { 0 };
    for (int i = d->first; i < d->first + d->count; i++) {
        double m = s->system->mass[i], r[3], u[3], c[3];
        vv_sub(q + 3 * (size_t)i, b.centre, r);
        vv_sub(v + 3 * (size_t)i, b.velocity, u);
        vv_cross(r, u, c);
        for (int j = 0; j < 3; j++) {
            l[j] += m * c[j];
            for (int k = 0; k < 3; k++)
                inertia[3 * j + k] += m * ((j == k ? vv_dot(r, r) : 0) - r[j] * r[k]);
        }
    }
    vv_solve_semidefinite(inertia, l, b.omega); /* no rotation of a line about itself, or of a point */
    return b;
}

double vv_damp_deformation(vv_stepper *s, const double *q, double *v)
{
    double taken = 0;
    for (int j = 0; j < s->damping_count; j++) {
        const vv_rigid_damping *d = s->damping + j;
        double k = d->per_step > 0 ? d->per_step : -expm1(-d->rate * s->h);
        if (k <= 0 || d->count == 0)
            continue;
        rigid b = rigid_part(s, d, q, v);
        for (int i = d->first; i < d->first + d->count; i++) {
            if (s->system->unknown[i] < 0)
                continue;
            double *vi = v + 3 * (size_t)i, r[3], turn[3];
            vv_sub(q + 3 * (size_t)i, b.centre, r);
            vv_cross(b.omega, r, turn);
            double before = vv_dot(vi, vi);
            for (int c = 0; c < 3; c++)
                vi[c] -= k * (vi[c] - b.velocity[c] - turn[c]);
            taken += 0.5 * s->system->mass[i] * (before - vv_dot(vi, vi));
        }
    }
    return taken;
}
