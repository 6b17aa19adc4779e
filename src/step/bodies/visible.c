/* Kinetic energy that positions show (theory §8.6): of w = (q_1 - q_0) / h, split by König's theorem into the motion
 * of the centre of mass, the rigid rotation about it, and the rest. Arms are taken halfway between both
 * positions: there the chords of a rigid rotation are exactly a rigid velocity field, however far it turns.
 *
 * Each part is a sum of squares of its own: a difference of large sums would drown a small deformation in rounding. */
#include "step/bodies/visible.h"

#include "base/vec.h"

/* Where a node is (halfway) and its velocity. */
static void node(const vv_displacement *d, int i, double x[3], double w[3])
{
    size_t at = 3 * (size_t)i;
    for (size_t k = 0; k < 3; k++) {
        double end = d->to[at + k];
        x[k] = d->from ? 0.5 * (d->from[at + k] + end) : end;
        w[k] = d->from ? (end - d->from[at + k]) / d->seconds : d->v[at + k];
    }
}

/* The same relative to the centre of mass. */
static void node_about(const vv_displacement *d, int i, const vv_rigid_motion *b, double r[3], double u[3])
{
    node(d, i, r, u);
    vv_sub(r, b->centre, r);
    vv_sub(u, b->velocity, u);
}

static void find_centre(const vv_displacement *d, const double *mass, int first, int end, vv_rigid_motion *b)
{
    double x[3], w[3];
    for (int i = first; i < end; i++) {
        node(d, i, x, w);
        b->mass += mass[i];
        for (int k = 0; k < 3; k++) {
            b->centre[k] += mass[i] * x[k];
            b->velocity[k] += mass[i] * w[k];
        }
    }
    for (int k = 0; k < 3 && b->mass > 0; k++) {
        b->centre[k] /= b->mass;
        b->velocity[k] /= b->mass;
    }
}

/* omega = I^-1 L; lines do not rotate about themselves, points not at all. */
static void find_rotation(const vv_displacement *d, const double *mass, int first, int end, vv_rigid_motion *b)
{
    double l[3] = { 0 }, r[3], u[3], c[3];
    for (int i = first; i < end; i++) {
        node_about(d, i, b, r, u);
        vv_cross(r, u, c);
        b->about += 0.5 * mass[i] * vv_dot(u, u);
        for (int j = 0; j < 3; j++) {
            l[j] += mass[i] * c[j];
            for (int k = 0; k < 3; k++)
                b->inertia[3 * j + k] += mass[i] * ((j == k ? vv_dot(r, r) : 0) - r[j] * r[k]);
        }
    }
    vv_solve_semidefinite(b->inertia, l, b->omega);
    b->rotation = 0.5 * vv_dot(l, b->omega);
}

static double deformation(const vv_displacement *d, const double *mass, int first, int end, const vv_rigid_motion *b)
{
    double sum = 0, r[3], u[3], turn[3];
    for (int i = first; i < end; i++) {
        node_about(d, i, b, r, u);
        vv_cross(b->omega, r, turn);
        vv_sub(u, turn, u);
        sum += mass[i] * vv_dot(u, u);
    }
    return 0.5 * sum;
}

vv_rigid_motion vv_rigid_motion_of(const vv_displacement *d, const double *mass, int first, int count)
{
    vv_rigid_motion b = { 0 };
    find_centre(d, mass, first, first + count, &b);
    if (b.mass > 0)
        find_rotation(d, mass, first, first + count, &b);
    return b;
}

vvVisible vv_visible_of(const vv_displacement *d, const double *mass, int first, int count, const vv_rigid_motion *r)
{
    if (!(r->mass > 0))
        return (vvVisible){ 0 };
    vvVisible v = { .centre = 0.5 * r->mass * vv_dot(r->velocity, r->velocity),
                    .rotation = r->rotation,
                    .deformation = deformation(d, mass, first, first + count, r) };
    v.total = v.centre + v.rotation + v.deformation;
    return v;
}

void vv_visible_add(vvVisible *sum, vvVisible part)
{
    sum->total += part.total;
    sum->centre += part.centre;
    sum->rotation += part.rotation;
    sum->deformation += part.deformation;
}
