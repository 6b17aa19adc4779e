/* Rigid motions of sets of nodes. */
#include "step/bodies/rigid.h"

vv_rigid vv_rigid_centre(const vv_system *s, const vv_node_set *set, const double *q)
{
    vv_rigid r = { .mass = 0 };
    const double *first = set->count > 0 ? q + 3 * vv_set_node(set, 0) : NULL;
    for (int i = 0; i < set->count; i++) { /* from the first node: exact for a single one, and far from the origin */
        size_t j = vv_set_node(set, i);
        r.mass += s->mass[j];
        for (size_t k = 0; k < 3; k++)
            r.centre[k] += s->mass[j] * (q[3 * j + k] - first[k]);
    }
    for (int k = 0; k < 3 && first; k++)
        r.centre[k] = first[k] + r.centre[k] / (r.mass > 0 ? r.mass : 1);
    return r;
}

vv_rigid vv_rigid_at(const vv_system *s, const vv_node_set *set, const double *q)
{
    vv_rigid r = vv_rigid_centre(s, set, q);
    for (int i = 0; i < set->count; i++) {
        size_t n = vv_set_node(set, i);
        double m = s->mass[n], arm[3];
        vv_sub(q + 3 * n, r.centre, arm);
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                r.inertia[3 * j + k] += m * ((j == k ? vv_dot(arm, arm) : 0) - arm[j] * arm[k]);
    }
    double far = vv_norm(r.centre), trace = r.inertia[0] + r.inertia[4] + r.inertia[8];
    if (trace <= r.mass * 1e-28 * far * far) /* a point, but for rounding: it does not turn */
        memset(r.inertia, 0, sizeof r.inertia);
    return r;
}

void vv_rigid_momenta(const vv_system *s, const vv_node_set *set, const double *q, const double centre[3],
                      const double *u, double p[3], double l[3])
{
    memset(p, 0, 3 * sizeof *p);
    memset(l, 0, 3 * sizeof *l);
    for (int i = 0; i < set->count; i++) {
        size_t n = vv_set_node(set, i);
        double arm[3], c[3];
        vv_sub(q + 3 * n, centre, arm);
        vv_cross(arm, u + 3 * n, c);
        for (int k = 0; k < 3; k++) {
            p[k] += s->mass[n] * u[3 * n + (size_t)k];
            l[k] += s->mass[n] * c[k];
        }
    }
}

vv_twist vv_rigid_twist(const vv_rigid *r, const double p[3], const double l[3])
{
    vv_twist t;
    vv_solve_semidefinite(r->inertia, l, t.angular);
    for (int k = 0; k < 3; k++)
        t.linear[k] = r->mass > 0 ? p[k] / r->mass : 0;
    return t;
}

vv_twist vv_rigid_part(const vv_system *s, const vv_node_set *set, const vv_rigid *r, const double *q, const double *u)
{
    double p[3], l[3];
    vv_rigid_momenta(s, set, q, r->centre, u, p, l);
    return vv_rigid_twist(r, p, l);
}
