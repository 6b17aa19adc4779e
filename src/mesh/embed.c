/* A surface carried by tets: each of its vertices as a weighted sum of the four corners of one tet. Weights are
 * barycentric coordinates in the rest shape; they sum to one, so that a surface follows every affine motion of its
 * tet exactly.
 *
 * A vertex inside the body belongs to the tet that contains it. One outside belongs to a tet near it: of those about
 * as near as the nearest, the one whose weights extrapolate least, as flat tets at the boundary would magnify their
 * own motion. */
#include "base/geometry/bvh.h"
#include "base/memory.h"
#include "base/stop.h"
#include "base/vec.h"
#include "mesh/mesh.h"

#include <math.h>
#include <string.h>

typedef struct search {
    const vvMesh *body;
    const double *point;
    int tet;           /* best so far, -1: none */
    double w[4], cost; /* its weights, and the sum of their magnitudes: 1 inside */
} search;

static void corners(const vvMesh *m, int tet, const double *x[4])
{
    for (int k = 0; k < 4; k++)
        x[k] = m->positions + 3 * (size_t)m->tets[4 * (size_t)tet + (size_t)k];
}

/* Barycentric coordinates of p; false for a tet without volume. */
static bool weights_in(const double *const x[4], const double p[3], double w[4])
{
    double e[3][3], r[3], c[3];
    for (int k = 0; k < 3; k++)
        vv_sub(x[k + 1], x[0], e[k]);
    vv_sub(p, x[0], r);
    vv_cross(e[1], e[2], c);
    double det = vv_dot(e[0], c);
    if (!(fabs(det) > 0))
        return false;
    w[1] = vv_dot(r, c) / det;
    vv_cross(e[2], e[0], c);
    w[2] = vv_dot(r, c) / det;
    vv_cross(e[0], e[1], c);
    w[3] = vv_dot(r, c) / det;
    w[0] = 1 - w[1] - w[2] - w[3];
    return isfinite(w[1]) && isfinite(w[2]) && isfinite(w[3]);
}

static bool try_tet(void *arg, int tet)
{
    search *s = arg;
    const double *x[4];
    double w[4];
    corners(s->body, tet, x);
    if (!weights_in(x, s->point, w))
        return true;
    double cost = fabs(w[0]) + fabs(w[1]) + fabs(w[2]) + fabs(w[3]);
    if (s->tet < 0 || cost < s->cost) {
        s->tet = tet;
        s->cost = cost;
        memcpy(s->w, w, sizeof w);
    }
    return true;
}

/* Squared distance to a triangle: to its plane if the foot is inside, else to the nearest of its edges. */
static double triangle_distance2(const double *a, const double *b, const double *c, const double p[3])
{
    const double *v[3] = { a, b, c };
    double e[3], f[3], n[3], r[3], best = INFINITY;
    vv_sub(b, a, e);
    vv_sub(c, a, f);
    vv_cross(e, f, n);
    double nn = vv_dot(n, n);
    bool inside = nn > 0;
    for (int k = 0; k < 3; k++) {
        double d[3], side[3];
        vv_sub(v[(k + 1) % 3], v[k], d);
        vv_sub(p, v[k], r);
        vv_cross(n, d, side);
        inside = inside && vv_dot(side, r) >= 0;
        double dd = vv_dot(d, d), t = dd > 0 ? fmin(fmax(vv_dot(r, d) / dd, 0), 1) : 0, square = 0;
        for (int i = 0; i < 3; i++)
            square += (r[i] - t * d[i]) * (r[i] - t * d[i]);
        best = fmin(best, square);
    }
    if (!inside)
        return best;
    vv_sub(p, a, r);
    return vv_dot(r, n) * vv_dot(r, n) / nn;
}

/* Squared distance of the point to a tet, 0 inside. */
static double tet_distance2(void *arg, int tet)
{
    const search *s = arg;
    const double *x[4];
    double w[4], best = INFINITY;
    corners(s->body, tet, x);
    if (weights_in(x, s->point, w) && w[0] >= 0 && w[1] >= 0 && w[2] >= 0 && w[3] >= 0)
        return 0;
    for (int k = 0; k < 4; k++)
        best = fmin(best, triangle_distance2(x[(k + 1) % 4], x[(k + 2) % 4], x[(k + 3) % 4], s->point));
    return best;
}

static vv_box around(const double p[3], double radius)
{
    vv_box box;
    for (int k = 0; k < 3; k++)
        box.low[k] = p[k] - radius, box.high[k] = p[k] + radius;
    return box;
}

static int build_tree(const vvMesh *m, vv_bvh *tree)
{
    vv_box *boxes = vv_alloc((size_t)m->tetCount, sizeof *boxes);
    for (int t = 0; boxes && t < m->tetCount; t++) {
        const double *x[4];
        corners(m, t, x);
        boxes[t] = vv_box_empty();
        for (int k = 0; k < 4; k++)
            vv_box_add(boxes + t, x[k]);
    }
    int ok = boxes && vv_bvh_build(tree, boxes, m->tetCount);
    vv_free(boxes);
    return ok;
}

/* Places the vertex in a tet; returns its distance from the body, m. */
static double place_vertex(const vv_bvh *tree, search *s)
{
    s->tet = -1;
    vv_box at = around(s->point, 0);
    vv_bvh_touching(tree, &at, try_tet, s);
    if (s->tet >= 0 && s->cost <= 1 + 1e-12)
        return 0;
    double distance2 = INFINITY;
    int nearest = vv_bvh_nearest(tree, s->point, tet_distance2, s, &distance2);
    s->tet = -1;
    at = around(s->point, 1.25 * sqrt(distance2));
    vv_bvh_touching(tree, &at, try_tet, s);
    if (s->tet < 0 && nearest >= 0) /* rounding of the box: the nearest tet always qualifies */
        try_tet(s, nearest);
    return sqrt(distance2);
}

static vvStatus embed_surface(const vvMesh *body, const vvMesh *surface, int *nodes, double *weights,
                              vvEmbedNotes *notes, vvError *error)
{
    vvEmbedNotes found = { 0, 0, -1 };
    vv_bvh tree = { 0 };
    vv_error_clear(error);
    if (!body || !surface || !nodes || !weights)
        return vv_fail(error, VV_ERROR_INPUT, "embed: body, surface, nodes and weights must be given, found NULL");
    if (body->tetCount <= 0)
        return vv_fail(error, VV_ERROR_INPUT, "embed: the body's mesh has no tetrahedra; a surface is carried by tets");
    if (surface->vertexCount > 0 && !surface->positions)
        return vv_fail(error, VV_ERROR_INPUT, "embed: the surface has %d vertices, but positions is NULL",
                       surface->vertexCount);
    vvStatus status = vv_mesh_check(body, NULL, error);
    for (int i = 0; status == VV_OK && i < 3 * surface->vertexCount; i++)
        if (!isfinite(surface->positions[i]))
            status = vv_fail(error, VV_ERROR_INPUT, "embed: vertex %d of the surface is not finite", i / 3);
    if (status != VV_OK)
        return status;
    if (!build_tree(body, &tree))
        return vv_fail_memory(error, "a carried surface");
    for (int v = 0; v < surface->vertexCount && status == VV_OK; v++) {
        search s = { .body = body, .point = surface->positions + 3 * (size_t)v };
        if (v % 256 == 0 && vv_stopped()) {
            status = vv_fail_cancelled(error);
            break;
        }
        double distance = place_vertex(&tree, &s);
        if (s.tet < 0) {
            status =
                vv_fail(error, VV_ERROR_INPUT, "embed: no tetrahedron near vertex %d of the surface has a volume", v);
            break;
        }
        found.outside += distance > 0;
        if (distance > found.farthest)
            found.farthest = distance, found.farthestVertex = v;
        memcpy(nodes + 4 * (size_t)v, body->tets + 4 * (size_t)s.tet, 4 * sizeof *nodes);
        memcpy(weights + 4 * (size_t)v, s.w, 4 * sizeof *weights);
    }
    vv_bvh_free(&tree);
    if (notes)
        *notes = found;
    return status;
}

vvStatus vvMeshEmbed(const vvMesh *body, const vvMesh *surface, int *nodes, double *weights, vvEmbedNotes *notes,
                     vvError *error)
{
    VV_STOPPABLE(embed_surface(body, surface, nodes, weights, notes, error));
}
