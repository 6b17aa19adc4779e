/* How much shells and rods are bent in a frame (theory §4.13): from positions alone, whatever their material.
 *
 * Shells: an edge of length |e| between two triangles that fold by theta carries the integrated mean curvature theta
 * |e| / 2 (Steiner's formula; Cohen-Steiner and Morvan 2003); each of its ends gets half, and a vertex's mean
 * curvature is its sum over the area around it: of a triangle what is nearest to that corner, of an obtuse one half
 * and twice a quarter (Meyer et al. 2003). Rods: where two edges meet, the turning angle over the mean length of the
 * two (Bergou et al. 2008). */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "mesh/mesh.h"
#include "record/reader.h"

/* ---- shells ---- */

static void unit_normal(const double *x, const int *t, double n[3])
{
    vv_triangle_normal(x, t, n);
    double length = vv_norm(n);
    for (int k = 0; k < 3; k++)
        n[k] = length > 0 ? n[k] / length : 0;
}

/* Angle between the triangles of two half-edges on one edge, times its length: positive if they bulge towards their
 * normals. */
static double fold(const int *triangles, const double *x, int g, int h)
{
    double m[3], n[3], e[3], across[3];
    int from = triangles[g], to = triangles[g - g % 3 + (g + 1) % 3];
    unit_normal(x, triangles + g - g % 3, m);
    unit_normal(x, triangles + h - h % 3, n);
    double side = triangles[h] == from ? -1 : 1; /* the other one is turned over */
    for (int k = 0; k < 3; k++)
        n[k] *= side;
    vv_sub(x + 3 * (size_t)to, x + 3 * (size_t)from, e);
    vv_cross(m, n, across);
    double length = vv_norm(e);
    return length > 0 ? atan2(vv_dot(across, e) / length, vv_dot(m, n)) * length : 0;
}

/* Adds the parts of a triangle that belong to its corners. */
static void share_area(const double *x, const int t[3], double *area)
{
    /* squares: of the sides opposite; cosines: with the sides' lengths */
    double whole = vv_triangle_area(x, t), squares[3], cosines[3];
    int blunt = -1;
    for (int k = 0; k < 3; k++) {
        double a[3], b[3], c[3];
        vv_sub(x + 3 * (size_t)t[(k + 1) % 3], x + 3 * (size_t)t[k], a);
        vv_sub(x + 3 * (size_t)t[(k + 2) % 3], x + 3 * (size_t)t[k], b);
        vv_sub(a, b, c);
        cosines[k] = vv_dot(a, b);
        squares[k] = vv_dot(c, c);
        blunt = cosines[k] < 0 ? k : blunt;
    }
    for (int k = 0; k < 3 && whole > 0; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3; /* the cotangent at a corner: cosines / (2 whole) */
        double own = (squares[i] * cosines[i] + squares[j] * cosines[j]) / (16 * whole);
        area[t[k]] += blunt < 0 ? own : blunt == k ? 0.5 * whole : 0.25 * whole;
    }
}

static bool bend_shell(const vvRunBody *body, int nodes, const double *x, double *area, double *out)
{
    const vvMesh mesh = { .vertexCount = nodes,
                          .triangleCount = body->triangleCount,
                          .triangles = (int *)(uintptr_t)body->triangles };
    int n = 3 * body->triangleCount;
    int *ends = vv_alloc(2 * (size_t)n, sizeof *ends), *order = vv_alloc((size_t)n, sizeof *order);
    bool ok = ends && order && vv_half_edges_sort(&mesh, ends, order);
    for (int i = 0, same; ok && i < n; i += same) {
        same = vv_half_edges_group(ends, order, i, n);
        if (same != 2)
            continue; /* a border, or where sheets branch */
        double bend = 0.25 * fold(body->triangles, x, order[i], order[i + 1]);
        out[ends[2 * (size_t)order[i]]] += bend;
        out[ends[2 * (size_t)order[i] + 1]] += bend;
    }
    for (int t = 0; ok && t < body->triangleCount; t++)
        share_area(x, body->triangles + 3 * t, area);
    for (int v = body->firstNode; ok && v < body->firstNode + body->nodeCount; v++)
        out[v] = area[v] > 0 ? out[v] / area[v] : 0;
    vv_free(ends);
    vv_free(order);
    return ok;
}

/* ---- rods ---- */

static double turn(const double *x, int a, int v, int b)
{
    double s[3], t[3], c[3];
    vv_sub(x + 3 * (size_t)v, x + 3 * (size_t)a, s);
    vv_sub(x + 3 * (size_t)b, x + 3 * (size_t)v, t);
    vv_cross(s, t, c);
    double length = 0.5 * (vv_norm(s) + vv_norm(t));
    return length > 0 ? atan2(vv_norm(c), vv_dot(s, t)) / length : 0;
}

static bool bend_rod(const vvRunBody *body, const double *x, double *out)
{
    int(*near)[3] = vv_alloc((size_t)body->nodeCount, sizeof *near); /* two neighbours, and how many there are */
    for (int i = 0; near && i < 2 * body->edgeCount; i++) {
        int *n = near[body->edges[i] - body->firstNode];
        if (n[2] < 2)
            n[n[2]] = body->edges[i ^ 1];
        n[2]++;
    }
    for (int i = 0; near && i < body->nodeCount; i++)
        if (near[i][2] == 2)
            out[body->firstNode + i] = turn(x, near[i][0], body->firstNode + i, near[i][1]);
    vv_free(near);
    return near != NULL;
}

vvStatus vvRunCurvature(const vvRun *run, const double *positions, double *curvature, vvError *error)
{
    vv_error_clear(error);
    if (!run || !positions || !curvature)
        return vv_fail(error, VV_ERROR_INPUT,
                       "vvRunCurvature needs a run, positions and a pointer for the values, found NULL");
    int nodes = vvRunNodeCount(run);
    double *area = vv_alloc((size_t)nodes, sizeof *area);
    bool ok = area != NULL;
    memset(curvature, 0, (size_t)nodes * sizeof *curvature);
    for (int b = 0; ok && b < vvRunBodyCount(run); b++) {
        const vvRunBody *body = vvRunGetBody(run, b);
        if (body->tetCount > 0)
            continue;
        if (!vv_reader_inside(body, body->triangles, 3 * body->triangleCount) ||
            !vv_reader_inside(body, body->edges, 2 * body->edgeCount)) {
            vv_free(area);
            return vv_reader_broken(run, "/visviva/bodies", "has elements with nodes of other bodies", error);
        }
        ok = body->triangleCount > 0 ? bend_shell(body, nodes, positions, area, curvature)
                                     : body->edgeCount == 0 || bend_rod(body, positions, curvature);
    }
    vv_free(area);
    return ok ? VV_OK : vv_fail_memory(error, "the curvature of a run's bodies");
}
