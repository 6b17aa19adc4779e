/* Points of bodies, for joints: which nodes carry a place, and with what weights. */
#include "base/error.h"
#include "base/vec.h"
#include "world/world.h"

#include <string.h>

/* Weights of a point outside of its tet may extrapolate, as far as this: beyond, the tet's small deformations would
 * be magnified. */
static const double MOST_WEIGHT = 20;

void vv_joint_point_at(const vv_joint_point *p, const double *x, double out[3])
{
    memcpy(out, p->place, 3 * sizeof *out);
    for (int i = 0; i < p->count; i++)
        for (size_t k = 0; k < 3; k++)
            out[k] = (i ? out[k] : 0) + p->weight[i] * x[3 * (size_t)p->node[i] + k];
}

/* ---- bodies of tets ---- */

/* In one tet, wherever the place is; else in the one that contains it, or one near it. */
static vvStatus in_tets(const vv_joint_plan *plan, const vv_body *b, const double *place, vv_joint_point *out,
                        vvError *error)
{
    int nodes[4], *tets = vv_alloc(4 * (size_t)b->tet_count, sizeof *tets);
    double at[3], most = 0;
    if (!tets)
        return vv_fail_memory(error, "a joint");
    for (int i = 0; i < 4 * b->tet_count; i++)
        tets[i] = b->tets[i] - b->first;
    memcpy(at, place, sizeof at);
    const vvMesh mesh = { .vertexCount = b->count,
                          .tetCount = b->tet_count,
                          .positions = (double *)(uintptr_t)(plan->x + 3 * (size_t)b->first),
                          .tets = tets };
    const vvMesh point = { .vertexCount = 1, .positions = at };
    vvStatus status = vvMeshEmbed(&mesh, &point, nodes, out->weight, NULL, error);
    vv_free(tets);
    if (status != VV_OK)
        return status;
    out->count = 4;
    for (int i = 0; i < 4; i++) {
        out->node[i] = b->first + nodes[i];
        most = fmax(most, fabs(out->weight[i]));
    }
    return b->tet_count == 1 || most <= MOST_WEIGHT
               ? VV_OK
               : vv_fail(error, VV_ERROR_INPUT,
                         "joint: the point (%g, %g, %g) is too far from body \"%s\": it would magnify the motion of "
                         "the nearest tet %.0f times, at most %g is allowed; move `at` to the body, or give a smaller "
                         "`reach`",
                         place[0], place[1], place[2], b->name, most, MOST_WEIGHT);
}

/* ---- bodies without volume ---- */

static double square_to(const double *a, const double *p)
{
    double d[3];
    vv_sub(a, p, d);
    return vv_dot(d, d);
}

/* The nearest point (1 - t) a + t b. */
static double on_edge(const double *a, const double *b, const double *p, double *t)
{
    double e[3], r[3], x[3];
    vv_sub(b, a, e);
    vv_sub(p, a, r);
    const double square = vv_dot(e, e);
    *t = square > 0 ? fmax(fmin(vv_dot(r, e) / square, 1), 0) : 0;
    for (int k = 0; k < 3; k++)
        x[k] = a[k] + *t * e[k];
    return square_to(x, p);
}

/* The nearest point of a triangle, as weights of its corners: the foot on its plane if that is within, else on an
 * edge. */
static double on_triangle(const double *const v[3], const double *p, double w[3])
{
    double e[3], f[3], n[3], r[3], c[3], best = INFINITY;
    vv_sub(v[1], v[0], e);
    vv_sub(v[2], v[0], f);
    vv_sub(p, v[0], r);
    vv_cross(e, f, n);
    const double square = vv_dot(n, n);
    if (square > 0) {
        vv_cross(r, f, c);
        const double s = vv_dot(c, n) / square;
        vv_cross(e, r, c);
        const double t = vv_dot(c, n) / square, height = vv_dot(r, n);
        if (s >= 0 && t >= 0 && s + t <= 1) {
            w[0] = 1 - s - t, w[1] = s, w[2] = t;
            return height * height / square;
        }
    }
    for (int k = 0; k < 3; k++) {
        double t, d = on_edge(v[k], v[(k + 1) % 3], p, &t);
        if (d >= best)
            continue;
        best = d;
        w[k] = 1 - t, w[(k + 1) % 3] = t, w[(k + 2) % 3] = 0;
    }
    return best;
}

static void near_triangles(const vv_body *b, const double *x, const double *p, vv_joint_point *out)
{
    double best = INFINITY;
    for (int i = 0; i < b->triangle_count; i++) {
        const int *n = b->triangles + 3 * (size_t)i;
        double w[3], d = on_triangle(
                         (const double *[]){ x + 3 * (size_t)n[0], x + 3 * (size_t)n[1], x + 3 * (size_t)n[2] }, p, w);
        if (d >= best)
            continue;
        best = d, out->count = 3;
        memcpy(out->node, n, 3 * sizeof *n);
        memcpy(out->weight, w, sizeof w);
    }
}

static void near_edges(const vv_body *b, const double *x, const double *p, vv_joint_point *out)
{
    double best = INFINITY;
    for (int i = 0; i < b->edge_count; i++) {
        const int *n = b->edges + 2 * (size_t)i;
        double t, d = on_edge(x + 3 * (size_t)n[0], x + 3 * (size_t)n[1], p, &t);
        if (d >= best)
            continue;
        best = d, out->count = 2;
        memcpy(out->node, n, 2 * sizeof *n);
        out->weight[0] = 1 - t, out->weight[1] = t;
    }
}

static void near_vertices(const vv_body *b, const double *x, const double *p, vv_joint_point *out)
{
    double best = INFINITY;
    for (int i = b->first; i < b->first + b->vertex_count; i++) {
        const double d = square_to(x + 3 * (size_t)i, p);
        if (d >= best)
            continue;
        best = d, out->count = 1, out->node[0] = i, out->weight[0] = 1;
    }
}

/* Nodes without weight are left out: a point that is a node couples nothing else. */
static void drop_zeros(vv_joint_point *p)
{
    int kept = 0;
    for (int i = 0; i < p->count; i++)
        if (p->weight[i] != 0)
            p->node[kept] = p->node[i], p->weight[kept++] = p->weight[i];
    p->count = kept;
}

vvStatus vv_joint_place_on(const vv_joint_plan *plan, int side, const double place[3], vv_joint_point *out,
                           vvError *error)
{
    *out = (vv_joint_point){ .place = { place[0], place[1], place[2] } };
    if (plan->body[side] < 0)
        return VV_OK;
    const vv_body *b = plan->world->bodies + plan->body[side];
    vvStatus status = VV_OK;
    if (b->tet_count)
        status = in_tets(plan, b, place, out, error);
    else if (b->triangle_count)
        near_triangles(b, plan->x, place, out);
    else if (b->edge_count)
        near_edges(b, plan->x, place, out);
    else
        near_vertices(b, plan->x, place, out);
    drop_zeros(out);
    return status;
}

static bool has_volume(const vv_joint_plan *plan, int side)
{
    return plan->body[side] < 0 || plan->world->bodies[plan->body[side]].tet_count;
}

vvStatus vv_joint_place(const vv_joint_plan *plan, const double place[3], vv_joint_point out[2], vvError *error)
{
    const int first = has_volume(plan, 0) && !has_volume(plan, 1);
    double at[3];
    vvStatus status = vv_joint_place_on(plan, first, place, out + first, error);
    if (status != VV_OK)
        return status;
    vv_joint_point_at(out + first, plan->x, at);
    return vv_joint_place_on(plan, !first, at, out + !first, error);
}
