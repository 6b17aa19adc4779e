/* What is seen of a frame and does not collide: carried surfaces in place of the tets that collide for them. How far
 * they stand out of these, and where they intersect each other. A vertex outside of all tets is one whose weights
 * extrapolate; how far out it is, is its distance to the nearest triangle of the tets' boundary. */
#include "base/geometry/bvh.h"
#include "base/error.h"
#include "base/geometry/intersect.h"
#include "base/memory.h"
#include "record/reader.h"

#include <math.h>

static const double OUTSIDE = -1e-9; /* of a weight, below rounding */

typedef struct boundary {
    const int *triangles;
    const double *q, *point; /* nodes; the vertex that asks */
} boundary;

static double distance2(void *user, int triangle)
{
    const boundary *b = user;
    const int *v = b->triangles + 3 * (size_t)triangle;
    return vv_point_triangle(b->point, b->q + 3 * (size_t)v[0], b->q + 3 * (size_t)v[1], b->q + 3 * (size_t)v[2]);
}

/* Of the body's boundary at q; false: out of memory. */
static bool plant(const vvRunBody *body, const double *q, vv_bvh *tree)
{
    vv_box *boxes = vv_alloc((size_t)body->triangleCount, sizeof *boxes);
    for (int t = 0; boxes && t < body->triangleCount; t++) {
        boxes[t] = vv_box_empty();
        for (int k = 0; k < 3; k++)
            vv_box_add(boxes + t, q + 3 * (size_t)body->triangles[3 * t + k]);
    }
    const bool ok = boxes && vv_bvh_build(tree, boxes, body->triangleCount);
    vv_free(boxes);
    return ok;
}

/* The farthest vertex outside, m; false: out of memory. */
static bool stand_out(const vvRun *run, const vvRunBody *body, const double *q, double *most)
{
    vv_bvh tree = { 0 };
    boundary b = { .triangles = body->triangles, .q = q };
    if (!plant(body, q, &tree))
        return false;
    *most = 0;
    for (int v = 0; v < body->vertexCount; v++) {
        const size_t at = 4 * (size_t)(body->firstVertex - (int)run->sizes.nodes + v);
        const int *n = run->surface_nodes + at;
        const double *w = run->surface_weights + at;
        double x[3], square = INFINITY;
        if (fmin(fmin(w[0], w[1]), fmin(w[2], w[3])) >= OUTSIDE)
            continue;
        for (int k = 0; k < 3; k++)
            x[k] = w[0] * q[3 * n[0] + k] + w[1] * q[3 * n[1] + k] + w[2] * q[3 * n[2] + k] + w[3] * q[3 * n[3] + k];
        b.point = x;
        vv_bvh_nearest(&tree, x, distance2, &b, &square);
        *most = fmax(*most, sqrt(square));
    }
    vv_bvh_free(&tree);
    return true;
}

static vvStatus look(const vvRun *run, const double *q, vvRunShown *shown, vvError *error)
{
    for (int b = 0; b < (int)run->sizes.bodies; b++) {
        const vvRunBody *body = run->bodies + b;
        double most = 0;
        if (!body->carries || body->surfaceCollides || body->triangleCount == 0)
            continue;
        if (!stand_out(run, body, q, &most))
            return vv_fail_memory(error, "what is shown of a frame");
        if (shown->body < 0 || most > shown->outside)
            shown->body = b, shown->outside = most;
    }
    return shown->body < 0 ? VV_OK : vv_run_shown_intersections(run, q, shown, error);
}

vvStatus vvRunMeasureShown(const vvRun *run, int frame, vvRunShown *shown, vvError *error)
{
    vv_error_clear(error);
    if (!run || !shown)
        return vv_fail(error, VV_ERROR_INPUT, "vvRunMeasureShown needs a run and a pointer for what it finds");
    *shown = (vvRunShown){ .body = -1 };
    double *q = vv_alloc(3 * (size_t)run->sizes.nodes, sizeof *q);
    vvStatus status =
        q ? vvRunReadFrame(run, frame, q, NULL, error) : vv_fail_memory(error, "what is shown of a frame");
    if (status == VV_OK)
        status = look(run, q, shown, error);
    vv_free(q);
    return status;
}
