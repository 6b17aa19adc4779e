/* Momentum-preserving damping after the solve (Müller et al. 2007; Dinev, Liu, Kavan Eq. 32-33 with the rigid velocity
 * v_cm + omega x r, theory §3.5): v_i -= k (v_i - v_cm - omega x r_i). Changes neither P nor L of the body. */
#include "base/vec.h"
#include "step/inside.h"
#include "step/bodies/rigid.h"

double vv_damp_deformation(vv_stepper *s, const double *q, double *v)
{
    double taken = 0;
    for (int j = 0; j < s->damping_count; j++) {
        const vv_rigid_damping *d = s->damping + j;
        double k = d->per_step > 0 ? d->per_step : -expm1(-d->rate * s->h);
        if (d->per_step > 0 && s->part < 1)
            k = 1 - pow(1 - d->per_step, s->part);
        if (k <= 0 || d->count == 0)
            continue;
        const vv_node_set set = { NULL, d->first, d->count };
        const vv_rigid b = vv_rigid_at(s->system, &set, q);
        const vv_twist rigid = vv_rigid_part(s->system, &set, &b, q, v);
        for (int i = d->first; i < d->first + d->count; i++) {
            if (s->system->unknown[i] < 0)
                continue;
            double *vi = v + 3 * (size_t)i, u[3];
            vv_twist_at(&rigid, b.centre, q + 3 * (size_t)i, u);
            double before = vv_dot(vi, vi);
            const double *t = vv_rail_of(s->system->rails, (size_t)i);
            vv_sub(vi, u, u);
            if (t)
                vv_rail_keep(t, u);
            for (int c = 0; c < 3; c++)
                vi[c] -= k * u[c];
            taken += 0.5 * s->system->mass[i] * (before - vv_dot(vi, vi));
        }
    }
    return taken;
}
