/* Generators "cloth" and "weave" (rectangles) and "disk": flat triangle meshes in the plane y = 0, normal +y, with
 * all their edges. A weave has the springs of the papers' mass-spring cloth (theory §4.4): the grid's edges, one
 * diagonal a cell, all in one direction, and for bending those from each vertex to the next but one along x and along
 * z. Texture coordinates run from 0 to 1, u along x and v against z, so that a picture lies on them the right way up,
 * seen from above with z towards the viewer. */
#include "base/memory.h"
#include "mesh/generate/make.h"

#include <math.h>

/* Adds every edge of the triangles once. */
static vvStatus add_edges(vvMesh *mesh, vvError *error)
{
    int *edges, count;
    vvStatus status = vv_mesh_surface_edges(mesh, &edges, NULL, &count, error);
    if (status != VV_OK) {
        vvMeshDestroy(mesh);
        return status;
    }
    vv_free(mesh->edges);
    mesh->edges = edges;
    mesh->edgeCount = count;
    return VV_OK;
}

static void add_bend(vvMesh *mesh, int a, int b)
{
    mesh->bends[2 * mesh->bendCount] = a;
    mesh->bends[2 * mesh->bendCount++ + 1] = b;
}

/* Pairs of each vertex and the next but one along x and z. */
static vvStatus add_bends(vvMesh *mesh, int nx, int nz, vvError *error)
{
    mesh->bends = vv_alloc(4 * (size_t)mesh->vertexCount, sizeof *mesh->bends);
    if (!mesh->bends) {
        vvMeshDestroy(mesh);
        return vv_fail_memory(error, "a generated mesh");
    }
    for (int i = 0; i <= nx; i++)
        for (int k = 0; k <= nz; k++) {
            int v = i * (nz + 1) + k;
            if (i + 2 <= nx)
                add_bend(mesh, v, v + 2 * (nz + 1));
            if (k + 2 <= nz)
                add_bend(mesh, v, v + 2);
        }
    return VV_OK;
}

static vvStatus make_rectangle(const double *values, bool mirrored, vvMesh *mesh, vvError *error)
{
    vvStatus status = vv_make_check(2 * values[2] * values[3], "triangles", "make 'cells' smaller", error);
    if (status != VV_OK)
        return status;
    int nx = (int)values[2], nz = (int)values[3];
    vv_builder b = { 0 };
    for (int i = 0; i <= nx; i++)
        for (int k = 0; k <= nz; k++)
            vv_make_vertex(&b, values[0] * (2 * i - nx) / (2.0 * nx), 0, values[1] * (2 * k - nz) / (2.0 * nz));
    vv_make_rectangle(&b, nx, nz, mirrored);
    status = vv_make_done(&b, mesh, error);
    if (status == VV_OK)
        status = vv_make_flat_uvs(mesh, values[0], values[1], error);
    return status != VV_OK ? status : add_edges(mesh, error);
}

static vvStatus make_cloth(const double *values, vvMesh *mesh, vvError *error)
{
    return make_rectangle(values, true, mesh, error);
}

static vvStatus make_weave(const double *values, vvMesh *mesh, vvError *error)
{
    vvStatus status = make_rectangle(values, false, mesh, error);
    return status != VV_OK ? status : add_bends(mesh, (int)values[2], (int)values[3], error);
}

static vvStatus make_disk(const double *values, vvMesh *mesh, vvError *error)
{
    vvStatus status = vv_make_check(6 * values[1] * values[1], "triangles", "make 'cells' smaller", error);
    if (status != VV_OK)
        return status;
    int rings = (int)values[1];
    vv_builder b = { 0 };
    for (int p = 0; p < vv_disk_vertex_count(rings); p++) {
        double u, v;
        vv_disk_point(rings, p, &u, &v);
        vv_make_vertex(&b, values[0] * v, 0, values[0] * u);
    }
    for (int t = 0; t < vv_disk_triangle_count(rings); t++) {
        int c[3];
        vv_disk_triangle(t, c);
        vv_make_triangle(&b, c[0], c[1], c[2]);
    }
    status = vv_make_done(&b, mesh, error);
    if (status == VV_OK)
        status = vv_make_flat_uvs(mesh, 2 * values[0], 2 * values[0], error);
    return status != VV_OK ? status : add_edges(mesh, error);
}

static const vvParam cloth_params[] = {
    { "size", "lengths along x and z", "m", 2, false, { 1, 1 }, 1e-6, 1e6 },
    { "cells", "cells along x and z", "", 2, true, { 24, 24 }, 1, 1000000 },
};
static const vvParam disk_params[] = {
    { "radius", "radius", "m", 1, false, { 0.5 }, 1e-6, 1e6 },
    { "cells", "rings from the centre to the rim", "", 1, true, { 12 }, 1, 1000000 },
};
extern const vv_generator vv_generator_cloth, vv_generator_weave, vv_generator_disk;
const vv_generator vv_generator_cloth = {
    { { "cloth", "flat rectangle of triangles and edges, normal +y, centred at the origin" }, 2, cloth_params },
    make_cloth,
};
const vv_generator vv_generator_weave = {
    { { "weave", "flat rectangle for cloth of springs as in papers: diagonals all one way, bend springs to the "
                 "second-next vertex" },
      2,
      cloth_params },
    make_weave,
};
const vv_generator vv_generator_disk = {
    { { "disk", "flat disk of triangles and edges, normal +y, centred at the origin" }, 2, disk_params },
    make_disk,
};
