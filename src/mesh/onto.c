/* An original of triangles for a mesh of order 2 (mesh/curve.h): the middle of an edge goes to the nearest point of the
 * surface, if the edge lies on it. */
#include "base/error.h"
#include "base/geometry/bvh.h"
#include "base/geometry/intersect.h"
#include "base/memory.h"
#include "base/stop.h"
#include "base/vec.h"
#include "mesh/raise.h"

#include <math.h>

/* Of an edge's length: how far its ends may lie off the original, and how far its middle may go. A chord of 90 degrees
 * of a circle has its middle 0.21 of its length from the arc. */
static const double ENDS_ON = 0.05, FARTHEST = 0.25;

typedef struct near_query {
    const vvMesh *surface;
    const vv_bvh *tree;
    const double *point;
    double nearest[3], best;
} near_query;

static double distance2(void *arg, int t)
{
    near_query *q = arg;
    const double *p = q->surface->positions;
    const int *v = q->surface->triangles + 3 * (size_t)t;
    double at[3], d[3];
    vv_nearest_of_triangle(q->point, p + 3 * (size_t)v[0], p + 3 * (size_t)v[1], p + 3 * (size_t)v[2], at);
    vv_sub(at, q->point, d);
    const double square = vv_dot(d, d);
    if (square < q->best) {
        q->best = square;
        for (int k = 0; k < 3; k++)
            q->nearest[k] = at[k];
    }
    return square;
}

/* The original's point nearest to x, if it is within `reach`. */
static bool nearest(const near_query *from, const double x[3], double reach, double out[3])
{
    near_query q = { from->surface, from->tree, x, { 0 }, INFINITY };
    double square = reach * reach;
    if (vv_bvh_nearest(from->tree, x, distance2, &q, &square) < 0)
        return false;
    for (int k = 0; k < 3; k++)
        out[k] = q.nearest[k];
    return true;
}

static bool onto_triangles(const void *arg, const double a[3], const double b[3], double x[3])
{
    double along[3], end[3];
    vv_sub(b, a, along);
    const double length = vv_norm(along);
    return nearest(arg, a, ENDS_ON * length, end) && nearest(arg, b, ENDS_ON * length, end) &&
           nearest(arg, x, FARTHEST * length, x);
}

static int build_tree(const vvMesh *surface, vv_bvh *tree)
{
    vv_box *boxes = vv_alloc((size_t)surface->triangleCount, sizeof *boxes);
    for (int t = 0; boxes && t < surface->triangleCount; t++) {
        boxes[t] = vv_box_empty();
        for (int k = 0; k < 3; k++)
            vv_box_add(&boxes[t], surface->positions + 3 * (size_t)surface->triangles[3 * t + k]);
    }
    const int ok = boxes && vv_bvh_build(tree, boxes, surface->triangleCount);
    vv_free(boxes);
    return ok;
}

static vvStatus raise_onto(vvMesh *mesh, const vvMesh *original, vvRaiseNotes *notes, vvError *error)
{
    vv_bvh tree = { 0 };
    vv_error_clear(error);
    if (notes)
        *notes = (vvRaiseNotes){ 0 };
    if (!original)
        return vv_fail(error, VV_ERROR_INPUT, "vvMeshRaiseOnto needs a surface as the original, found NULL");
    vvStatus status = vv_mesh_check(original, NULL, error);
    if (status == VV_OK && original->triangleCount == 0)
        status = vv_fail(error, VV_ERROR_INPUT, "the original holds no triangles, so there is no surface");
    if (status != VV_OK)
        return status;
    if (!build_tree(original, &tree))
        return vv_fail_memory(error, "a mesh of order 2");
    const near_query query = { original, &tree, NULL, { 0 }, 0 };
    const vv_original onto = { onto_triangles, &query };
    status = vv_mesh_raise(mesh, &onto, notes, error);
    vv_bvh_free(&tree);
    return status;
}

vvStatus vvMeshRaiseOnto(vvMesh *mesh, const vvMesh *original, vvRaiseNotes *notes, vvError *error)
{
    VV_STOPPABLE(raise_onto(mesh, original, notes, error));
}
