/* The barrier of one vertex against one obstacle (theory §5.2).
 *
 * Of an obstacle with a formula it is b(s), s = d / d-hat. The distance of a field has kinks in valleys, where two
 * faces are equally near, and a vertex that rests there would be at the kink of b, which Newton's method never finds.
 * So the barrier of a field is the sum over the pieces of its surface, each of them convex, with signs:
 *   B = sum_faces b(s_f) - sum_edges b(s_e) + sum_vertices b(s_v).
 * Each term is C1. Where the solid is flat or convex, all terms but one cancel, and B = b(s); across a valley both
 * sides push. B depends on the surface, not on how finely it is cut into triangles. */
#include "base/vec.h"
#include "contact/barrier/barrier.h"

#include <string.h>

static void add_block(double block[9], double steep, const double n[3], double bent, const double *c)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            block[3 * i + j] += steep * n[i] * n[j] + (c ? bent * c[3 * i + j] : 0);
}

/* ---- a formula ---- */

static bool of_formula(const vv_barrier_def *def, int v, int o, const vv_frame *frame, const double x[3],
                       vv_barrier_part part, vv_barrier_sum *out)
{
    double b[3], c[9];
    const double d = vv_contact_gap_in(def, v, o, frame, x, NULL, NULL), hat = vv_contact_distance(def, v, o);
    if (d >= hat)
        return false;
    out->value = INFINITY;
    if (!(d > 0))
        return true;
    vv_barrier(d / hat, b);
    out->value = b[0];
    if (part == VV_SUM_VALUE)
        return true;
    vv_contact_gap_in(def, v, o, frame, x, out->n, part == VV_SUM_EXACT ? c : NULL);
    out->slope = b[1];
    out->press = -b[1];
    if (part >= VV_SUM_PROJECTED)
        add_block(out->block, b[2] / hat, out->n, b[1], part == VV_SUM_EXACT ? c : NULL);
    return true;
}

/* ---- a field ---- */

typedef struct adder {
    const vv_frame *frame;
    double radius, hat, g[3];
    vv_barrier_part part;
    vv_barrier_sum *sum;
} adder;

static void add_piece(void *to, const vv_field_piece *piece)
{
    adder *a = to;
    const double d = piece->distance - a->radius, hat = a->hat;
    double b[3], n[3], c[9];
    if (!(d > 0)) {
        a->sum->value = INFINITY;
        return;
    }
    if (d >= hat)
        return;
    vv_barrier(d / hat, b);
    a->sum->value += piece->sign * b[0];
    if (a->part == VV_SUM_VALUE)
        return;
    memcpy(n, piece->n, sizeof n);
    memcpy(c, piece->curvature, sizeof c);
    if (a->frame) {
        vv_frame_gradient(a->frame, piece->n, n);
        vv_frame_curvature(a->frame, piece->curvature, c);
    }
    for (int k = 0; k < 3; k++)
        a->g[k] += piece->sign * b[1] * n[k];
    a->sum->press -= piece->sign * b[1] * (a->frame ? vv_norm(n) : 1);
    if (a->part >= VV_SUM_PROJECTED)
        add_block(a->sum->block, piece->sign * b[2] / hat, n, piece->sign * b[1], a->part == VV_SUM_EXACT ? c : NULL);
}

/* The nearest positive semidefinite matrix. */
static void project(double block[9])
{
    double w[3], v[9];
    vv_eigen_symmetric(block, w, v);
    if (w[0] >= 0)
        return;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            block[3 * i + j] = 0;
            for (int k = 0; k < 3; k++)
                block[3 * i + j] += fmax(w[k], 0) * v[3 * i + k] * v[3 * j + k];
        }
}

static bool of_field(const vv_barrier_def *def, int v, int o, const vv_frame *frame, const double x[3],
                     vv_barrier_part part, vv_barrier_sum *out)
{
    const vv_obstacle *obstacle = def->obstacles + o;
    adder a = { frame, def->vertices->radius[v], vv_contact_distance(def, v, o), { 0 }, part, out };
    const double reach = a.hat + a.radius;
    double y[3] = { x[0], x[1], x[2] };
    if (frame)
        vv_frame_to_rest(frame, x, y);
    const double d = vv_obstacle_distance_below(obstacle, y, reach);
    if (d >= reach)
        return false;
    if (!(d > a.radius)) {
        out->value = INFINITY;
        return true;
    }
    obstacle->ops->field->pieces(obstacle->field, obstacle->shape, y, reach, add_piece, &a);
    const double force = vv_norm(a.g);
    out->n[1] = 1; /* where forces balance, any will do */
    for (int k = 0; k < 3 && force > 0; k++)
        out->n[k] = -a.g[k] / force;
    out->slope = -force;
    out->press = fmax(out->press, force);
    if (part == VV_SUM_PROJECTED)
        project(out->block);
    return true;
}

bool vv_barrier_at(const vv_barrier_def *def, int v, int o, const vv_frame *frame, const double x[3],
                   vv_barrier_part part, vv_barrier_sum *out)
{
    memset(out, 0, sizeof *out);
    return (def->obstacles[o].ops->field ? of_field : of_formula)(def, v, o, frame, x, part, out);
}
