/* vvMeshSampleDistance: the signed distance of a closed surface at the points of a grid, for level sets (theory
 * §5.2). The distance is to the nearest triangle, found with the tree, and the sign is exact.
 *
 * The distance changes by at most the distance between two points. So the previous point's bounds the search, and where
 * it is longer than the spacing the surface is not crossed, and the sign stays. Neither changes a result. */
#include "base/geometry/intersect.h"
#include "base/memory.h"
#include "base/stop.h"
#include "base/vec.h"
#include "mesh/repair/surface.h"

#include <math.h>

enum { MOST_IN_ALL = 1 << 24, MOST = 4097, CELLS = 40 };
static const double SLACK = 1 + 1e-9;

typedef struct query {
    const vv_surface_check *s;
    const double *x;
    double point[3]; /* scaled, as the tree is */
} query;

static double distance2(void *arg, int t)
{
    const query *q = arg;
    const double *p = q->s->mesh->positions, scale = q->s->scale;
    const int *v = q->s->mesh->triangles + 3 * (size_t)t;
    return vv_point_triangle(q->x, p + 3 * (size_t)v[0], p + 3 * (size_t)v[1], p + 3 * (size_t)v[2]) * scale * scale;
}

/* before: the value at a point so many m away (`way`), NULL: there is none. */
static double value_at(const vv_surface_check *s, const double x[3], const double *before, double way)
{
    query q = { .s = s, .x = x };
    double square = INFINITY;
    for (int k = 0; k < 3; k++)
        q.point[k] = x[k] * s->scale;
    if (before) {
        const double most = (fabs(*before) + way) * s->scale * SLACK;
        square = most * most * SLACK;
    }
    if (vv_bvh_nearest(&s->tree, q.point, distance2, &q, &square) < 0) { /* by rounding, at the most */
        square = INFINITY;
        vv_bvh_nearest(&s->tree, q.point, distance2, &q, &square);
    }
    const bool keeps = before && fabs(*before) > way * SLACK,
               inside = keeps ? *before < 0 : vv_surface_has_inside(s, q.point);
    const double d = sqrt(square) / s->scale;
    return inside ? -d : d;
}

/* False: the host wants no more. */
static bool fill(const vv_surface_check *s, vvDistanceGrid *g)
{
    const size_t row = (size_t)g->counts[0], layer = row * (size_t)g->counts[1];
    size_t at = 0;
    for (int k = 0; k < g->counts[2]; k++)
        for (int j = 0; j < g->counts[1]; j++) {
            if (vv_stopped())
                return false;
            for (int i = 0; i < g->counts[0]; i++, at++) {
                const double x[3] = { g->origin[0] + g->spacing * i, g->origin[1] + g->spacing * j,
                                      g->origin[2] + g->spacing * k };
                const double *before = i   ? g->samples + at - 1
                                       : j ? g->samples + at - row
                                       : k ? g->samples + at - layer
                                           : NULL;
                g->samples[at] = value_at(s, x, before, g->spacing);
            }
        }
    return true;
}

/* ---- the grid ---- */

static vvStatus place(const vvMesh *surface, double spacing, double margin, vvDistanceGrid *g, vvError *error)
{
    double low[3], high[3], size[3], longest = 0, all = 1;
    vv_mesh_bounds(surface, low, high);
    vv_sub(high, low, size);
    for (int k = 0; k < 3; k++)
        longest = fmax(longest, size[k]);
    g->spacing = spacing > 0 ? spacing : longest / CELLS;
    margin = margin > 0 ? margin : 2 * g->spacing;
    for (int k = 0; k < 3; k++) {
        const double cells = fmax(ceil((size[k] + 2 * margin) / g->spacing), 2);
        if (!(cells < MOST))
            return vv_fail(error, VV_ERROR_INPUT,
                           "the grid would have %.3g cells along %c: spacing %g m, margin %g m, the surface %.4g m; "
                           "allowed: %d; give a larger spacing, or a smaller margin or solid",
                           cells, "xyz"[k], g -> spacing, margin, size[k], MOST - 1);
        g->counts[k] = (int)cells + 1;
        g->origin[k] = low[k] - 0.5 * (cells * g->spacing - size[k]);
        all *= cells + 1;
    }
    if (all > MOST_IN_ALL)
        return vv_fail(error, VV_ERROR_INPUT,
                       "the grid would have %d x %d x %d points: spacing %g m, margin %g m; allowed: %d in all; give a "
                       "larger spacing, or a smaller margin or solid",
                       g->counts[0], g->counts[1], g->counts[2], g->spacing, margin, (int)MOST_IN_ALL);
    return VV_OK;
}

/* Where a part of the surface that faces inwards begins. */
static vvStatus refuse_reversed(const vvMesh *m, const vvSurfaceCheck *c, vvError *error)
{
    int t = 0;
    while (t < m->triangleCount && !c->parts[c->partOf[t]].reversed)
        t++;
    const double *x = m->positions + 3 * (size_t)m->triangles[3 * (size_t)t];
    return vv_fail(error, VV_ERROR_INPUT,
                   "%d of the surface's %d parts face%s inwards, so that inside and outside are unclear; one of them "
                   "has triangle %d, at (%.4g, %.4g, %.4g) m; "
                   "turn it over",
                   c->reversedCount, c->partCount, c->reversedCount == 1 ? "s" : "", t, x[0], x[1], x[2]);
}

static vvStatus sample(const vv_surface_check *s, const vvSurfaceCheck *check, double spacing, double margin,
                       vvDistanceGrid *g, vvError *error)
{
    vvStatus status = check->sound ? VV_OK : vv_surface_refuse(s->mesh, check, error);
    if (status == VV_OK && check->reversedCount > 0)
        status = refuse_reversed(s->mesh, check, error);
    if (status == VV_OK)
        status = place(s->mesh, spacing, margin, g, error);
    if (status != VV_OK)
        return status;
    g->samples = vv_alloc((size_t)g->counts[0] * (size_t)g->counts[1] * (size_t)g->counts[2], sizeof *g->samples);
    if (!g->samples)
        return vv_fail_memory(error, "a grid of distances");
    if (fill(s, g))
        return VV_OK;
    vv_free(g->samples);
    return vv_fail_cancelled(error);
}

static vvStatus sample_distance(const vvMesh *surface, double spacing, double margin, vvDistanceGrid *grid,
                                vvError *error)
{
    vv_surface_check s;
    vvSurfaceCheck check;
    if (grid)
        *grid = (vvDistanceGrid){ .counts = { 0 } };
    if (!surface || !grid)
        return vv_fail(error, VV_ERROR_INPUT,
                       "vvMeshSampleDistance needs a surface and a pointer for the grid, found NULL");
    if (!(spacing >= 0 && spacing <= VV_COORDINATE_LIMIT && margin >= 0 && margin <= VV_COORDINATE_LIMIT))
        return vv_fail(error, VV_ERROR_INPUT,
                       "the spacing is %g m and the margin %g m; each must be positive, or 0 for a proposal", spacing,
                       margin);
    vvStatus status = vv_surface_open(&s, surface, &check, error);
    if (status == VV_OK)
        status = sample(&s, &check, spacing, margin, grid, error);
    if (status != VV_OK)
        *grid = (vvDistanceGrid){ .counts = { 0 } };
    vvSurfaceCheckDestroy(&check);
    vv_surface_close(&s);
    return status;
}

vvStatus vvMeshSampleDistance(const vvMesh *surface, double spacing, double margin, vvDistanceGrid *grid,
                              vvError *error)
{
    VV_STOPPABLE(sample_distance(surface, spacing, margin, grid, error));
}

void vvDistanceGridDestroy(vvDistanceGrid *grid)
{
    if (!grid)
        return;
    vv_free(grid->samples);
    *grid = (vvDistanceGrid){ .counts = { 0 } };
}
