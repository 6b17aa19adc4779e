/* vvMeshFill: a surface as a signed distance, filled by isosurface stuffing. The distance is to the nearest triangle
 * (found with the tree), the sign is exact. */
#include "base/vec.h"
#include "mesh/tetrahedralize/stuffing.h"
#include "mesh/repair/surface.h"

#include <math.h>

/* The point of the triangle nearest to p: the corners' and edges' Voronoi regions in turn (C. Ericson, Real-Time
 * Collision Detection, 2005, section 5.1.5). */
static void nearest_of_triangle(const double p[3], const double *a, const double *b, const double *c, double out[3])
{
    double ab[3], ac[3], ap[3], bp[3], cp[3], v = 0, w = 0;
    vv_sub(b, a, ab);
    vv_sub(c, a, ac);
    vv_sub(p, a, ap);
    vv_sub(p, b, bp);
    vv_sub(p, c, cp);
    double d1 = vv_dot(ab, ap), d2 = vv_dot(ac, ap), d3 = vv_dot(ab, bp), d4 = vv_dot(ac, bp);
    double d5 = vv_dot(ab, cp), d6 = vv_dot(ac, cp);
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    if (d1 <= 0 && d2 <= 0)
        v = w = 0;
    else if (d3 >= 0 && d4 <= d3)
        v = 1;
    else if (d6 >= 0 && d5 <= d6)
        w = 1;
    else if (vc <= 0 && d1 >= 0 && d3 <= 0)
        v = d1 / (d1 - d3);
    else if (vb <= 0 && d2 >= 0 && d6 <= 0)
        w = d2 / (d2 - d6);
    else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6)), v = 1 - w;
    else
        v = vb / (va + vb + vc), w = vc / (va + vb + vc);
    for (int k = 0; k < 3; k++)
        out[k] = a[k] + v * ab[k] + w * ac[k];
}

typedef struct nearest_query {
    const vv_surface_check *s;
    double point[3], nearest[3], best;
} nearest_query;

static double distance2(void *arg, int t)
{
    nearest_query *q = arg;
    double at[3], d[3];
    nearest_of_triangle(q->point, vv_surface_corner(q->s, t, 0), vv_surface_corner(q->s, t, 1),
                        vv_surface_corner(q->s, t, 2), at);
    vv_sub(at, q->point, d);
    double square = vv_dot(d, d);
    if (square < q->best) {
        q->best = square;
        for (int k = 0; k < 3; k++)
            q->nearest[k] = at[k];
    }
    return square;
}

/* The lattice is counted from the surface's corner: far from the origin its numbers would grow too large. */
typedef struct shifted {
    const vv_surface_check *s;
    double origin[3];
} shifted;

static nearest_query find_nearest(const shifted *from, const double x[3])
{
    nearest_query q = { .s = from->s, .best = INFINITY };
    double best = INFINITY;
    for (int k = 0; k < 3; k++)
        q.point[k] = (from->origin[k] + x[k]) * from->s->scale;
    vv_bvh_nearest(&q.s->tree, q.point, distance2, &q, &best);
    return q;
}

static double signed_distance(const void *arg, const double x[3])
{
    nearest_query q = find_nearest(arg, x);
    double distance = sqrt(q.best) / q.s->scale;
    return vv_surface_has_inside(q.s, q.point) ? -distance : distance;
}

static void onto_surface(const void *arg, double x[3])
{
    const shifted *from = arg;
    nearest_query q = find_nearest(from, x);
    for (int k = 0; k < 3; k++)
        x[k] = q.nearest[k] / q.s->scale - from->origin[k];
}

enum { SMOOTHING_PASSES = 4 };

static vvStatus fill(const vv_surface_check *s, double edge, vvMesh *mesh, vvError *error)
{
    shifted from = { .s = s };
    vv_solid solid = { .distance = signed_distance, .project = onto_surface, .arg = &from };
    vv_mesh_bounds(s->mesh, from.origin, solid.high);
    for (int k = 0; k < 3; k++) {
        solid.low[k] = -edge;
        solid.high[k] += edge - from.origin[k];
    }
    vvStatus status = vv_make_stuffed(&solid, edge, mesh, error);
    if (!status && !mesh->tetCount)
        status = vv_fail(error, VV_ERROR_INPUT, "no tet of edge %g m fits into the surface; give a smaller edge",
                         edge);
    if (!status)
        status = vv_make_smooth(&solid, edge, mesh, SMOOTHING_PASSES, error);
    for (int i = 0; !status && i < 3 * mesh->vertexCount; i++)
        mesh->positions[i] += from.origin[i % 3];
    return status ? status : vv_mesh_finish(mesh, NULL, NULL, error);
}

vvStatus vvMeshFill(const vvMesh *surface, double edge, vvMesh *mesh, vvError *error)
{
    vv_surface_check s;
    vvSurfaceCheck check;
    if (!surface || !mesh)
        return vv_fail(error, VV_ERROR_INPUT, "vvMeshFill wants a surface and a place for the mesh, found NULL");
    *mesh = (vvMesh){ 0 };
    vvStatus status = vv_surface_open(&s, surface, &check, error);
    if (!status && !check.sound)
        status = vv_fail(error, VV_ERROR_INPUT,
                         "the surface bounds no volume: %d open edges, %d edges of more than two triangles, %d between "
                         "triangles that face opposite ways, %d flat triangles, %d crossing pairs",
                         check.openEdges, check.crowdedEdges, check.turnedEdges, check.flatTriangles, check.crossings);
    if (!status && !(edge > 0 && edge <= VV_COORDINATE_LIMIT))
        status = vv_fail(error, VV_ERROR_INPUT, "the edge is %g m; it must be positive", edge);
    if (!status)
        status = fill(&s, edge, mesh, error);
    if (status)
        vvMeshDestroy(mesh);
    vvSurfaceCheckDestroy(&check);
    vv_surface_close(&s);
    return status;
}
