/* Fields of a frame for VTU files. Cells are numbered as in cells.c: the triangles of a body without tets come in
 * their order. */
#include "record/export/vtu_fields.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "mesh/tet10.h"
#include "record/bending.h"

static bool is_shell(const vvRunBody *body) { return body->tetCount == 0 && body->triangleCount > 0; }

/* How many of the body's cells are triangles that are drawn, and which. */
static int drawn_cells(const vvRunBody *body, const int **triangles)
{
    *triangles = body->affine ? body->drawnTriangles : body->triangles;
    return body->affine ? body->drawnTriangleCount : is_shell(body) ? body->triangleCount : 0;
}

/* The first cell of each triangle whose body has texture coordinates of what is drawn. */
static void place_uvs(vv_vtu_fields *d, const vvRun *run, const vv_cells *cells)
{
    int64_t at = 0;
    for (int b = 0; b < vvRunBodyCount(run); b++) {
        const vvRunBody *body = vvRunGetBody(run, b);
        while (at < cells->count && cells->body[at] < b)
            at++;
        const int *triangles, count = drawn_cells(body, &triangles);
        for (int c = 0; body->uvs && c < 3 * count; c++)
            for (int k = 0; k < 2; k++) {
                float value = (float)body->uvs[2 * c + k];
                d->corner_uv[6 * (at + c / 3) + 2 * (c % 3) + k] = value;
                d->uv[2 * (size_t)triangles[c] + (size_t)k] = value;
            }
    }
}

/* ---- bending energy ---- */

static vvStatus make_bending(vv_vtu_fields *d, const vvRun *run, const vv_cells *cells, vvError *error)
{
    size_t triangles = 0, edges = 0;
    vvStatus status = vv_bending_create(run, &d->energies, error);
    if (status != VV_OK || !d->energies)
        return status;
    for (int b = 0; b < vvRunBodyCount(run); b++) {
        triangles += (size_t)vvRunGetBody(run, b)->triangleCount;
        edges += (size_t)vvRunGetBody(run, b)->edgeCount;
    }
    d->bending = vv_alloc((size_t)cells->count, sizeof *d->bending);
    d->of_triangle = vv_alloc(triangles, sizeof *d->of_triangle);
    d->of_edge = vv_alloc(edges, sizeof *d->of_edge);
    return d->bending && d->of_triangle && d->of_edge ? VV_OK : vv_fail_memory(error, "an export");
}

static void find_bending(vv_vtu_fields *d, const vvRun *run, const vv_cells *cells, const double *x)
{
    const double *triangle = d->of_triangle, *edge = d->of_edge;
    int64_t at = 0;
    vv_bending_find(d->energies, x, d->of_triangle, d->of_edge);
    for (int b = 0; b < vvRunBodyCount(run); b++) {
        const vvRunBody *body = vvRunGetBody(run, b);
        const double *from = body->triangleCount > 0 ? triangle : edge;
        int count = body->triangleCount > 0 ? body->triangleCount : body->edgeCount;
        while (at < cells->count && cells->body[at] < b)
            at++;
        if (body->tetCount == 0 && count > 0)
            memcpy(d->bending + at, from, (size_t)count * sizeof *from);
        triangle += body->triangleCount;
        edge += body->edgeCount;
    }
}

/* Where everything stood at rest. */
static bool copy_rest(vv_vtu_fields *d, const vvRun *run, size_t vertices)
{
    d->rest = vv_alloc(3 * vertices, sizeof *d->rest);
    if (!d->rest)
        return false;
    memcpy(d->rest, vvRunRestPositions(run), 3 * (size_t)vvRunNodeCount(run) * sizeof *d->rest);
    vvRunCarry(run, 3, d->rest);
    return true;
}

vvStatus vv_vtu_fields_make(vv_vtu_fields *d, const vvRun *run, const vv_cells *cells, vvError *error)
{
    size_t nodes = (size_t)vvRunVertexCount(run), count = (size_t)cells->count;
    bool shells = false, rods = false, uvs = false, rest = vvRunRestPositions(run) != NULL;
    *d = (vv_vtu_fields){ .all_shells = true };
    for (int b = 0; b < vvRunBodyCount(run); b++) {
        const vvRunBody *body = vvRunGetBody(run, b);
        shells = shells || is_shell(body);
        rods = rods || (body->tetCount == 0 && body->triangleCount == 0 && body->edgeCount > 0);
        uvs = uvs || ((is_shell(body) || body->affine) && body->uvs);
        d->all_shells = d->all_shells && is_shell(body);
    }
    d->strain = rest ? vv_alloc(count, sizeof *d->strain) : NULL;
    d->least_strain = rest ? vv_alloc(count, sizeof *d->least_strain) : NULL;
    d->curvature = shells || rods ? vv_alloc(nodes, sizeof *d->curvature) : NULL;
    d->rest_curvature = d->curvature && rest ? vv_alloc(nodes, sizeof *d->rest_curvature) : NULL;
    d->normal = shells ? vv_alloc(3 * nodes, sizeof *d->normal) : NULL;
    d->uv = uvs ? vv_alloc(2 * nodes, sizeof *d->uv) : NULL;
    d->corner_uv = uvs ? vv_alloc(6 * count, sizeof *d->corner_uv) : NULL;
    if ((rest && !(d->strain && d->least_strain && copy_rest(d, run, nodes))) ||
        ((shells || rods) && !(d->curvature && (d->rest_curvature || !rest))) || (shells && !d->normal) ||
        (uvs && !(d->uv && d->corner_uv))) {
        vv_vtu_fields_free(d);
        return vv_fail_memory(error, "an export");
    }
    if (uvs)
        place_uvs(d, run, cells);
    vvStatus status = make_bending(d, run, cells, error);
    return status == VV_OK && d->rest_curvature ? vvRunCurvature(run, vvRunRestPositions(run), d->rest_curvature, error)
                                                : status;
}

void vv_vtu_fields_free(vv_vtu_fields *d)
{
    vv_free(d->rest);
    vv_free(d->strain);
    vv_free(d->least_strain);
    vv_free(d->curvature);
    vv_free(d->rest_curvature);
    vv_free(d->normal);
    vv_free(d->uv);
    vv_free(d->corner_uv);
    vv_free(d->bending);
    vv_free(d->of_triangle);
    vv_free(d->of_edge);
    vv_bending_free(d->energies);
    *d = (vv_vtu_fields){ 0 };
}

/* Of a tet of order 2 the extremes of the eight linear tets between its nodes. */
static void strain_of_parts(vv_vtu_fields *d, const double *x, const int nodes[10], int64_t c)
{
    int parts[VV_TET10_SUBTETS][4];
    vv_tet10_subdivide(d->rest, nodes, parts);
    for (int t = 0; t < VV_TET10_SUBTETS; t++) {
        double most, least;
        vvElementStrain(d->rest, x, parts[t], 4, &most, &least);
        d->strain[c] = t == 0 ? most : fmax(most, d->strain[c]);
        d->least_strain[c] = t == 0 ? least : fmin(least, d->least_strain[c]);
    }
}

static void find_strains(vv_vtu_fields *d, const vv_cells *cells, const double *x)
{
    for (int64_t c = 0; d->strain && c < cells->count; c++) {
        int64_t first = cells->offsets[c];
        int nodes[VV_TET10_NODES], count = (int)(cells->offsets[c + 1] - first);
        for (int k = 0; k < count; k++)
            nodes[k] = (int)cells->connectivity[first + k];
        if (count == VV_TET10_NODES)
            strain_of_parts(d, x, nodes, c);
        else
            vvElementStrain(d->rest, x, nodes, count, &d->strain[c], &d->least_strain[c]);
    }
}

/* Weighted by area; of a node without area up. */
static void find_normals(vv_vtu_fields *d, const vvRun *run, const double *x)
{
    memset(d->normal, 0, 3 * (size_t)vvRunVertexCount(run) * sizeof *d->normal);
    for (int b = 0; b < vvRunBodyCount(run); b++) {
        const vvRunBody *body = vvRunGetBody(run, b);
        if (!is_shell(body))
            continue;
        for (int t = 0; t < body->triangleCount; t++) {
            const int *v = body->triangles + 3 * t;
            double n[3];
            vv_triangle_normal(x, v, n);
            for (int k = 0; k < 9; k++)
                d->normal[3 * (size_t)v[k / 3] + (size_t)(k % 3)] += (float)n[k % 3];
        }
        for (int i = body->firstNode; i < body->firstNode + body->nodeCount; i++) {
            float *n = d->normal + 3 * (size_t)i;
            double length = sqrt((double)n[0] * n[0] + (double)n[1] * n[1] + (double)n[2] * n[2]);
            for (int k = 0; k < 3; k++)
                n[k] = length > 0 && isfinite(length) ? (float)(n[k] / length) : k == 1;
        }
    }
}

vvStatus vv_vtu_fields_find(vv_vtu_fields *d, const vvRun *run, const vv_cells *cells, const double *x, vvError *error)
{
    find_strains(d, cells, x);
    if (d->normal)
        find_normals(d, run, x);
    if (d->energies)
        find_bending(d, run, cells, x);
    return d->curvature ? vvRunCurvature(run, x, d->curvature, error) : VV_OK;
}
