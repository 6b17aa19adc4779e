/* A body of a world as a mesh of its own, to be measured, and what an affine body is as a solid. */
#include "json.h"

#include <stdlib.h>
#include <string.h>

static int *shifted(const int *indices, int count, int first)
{
    int *copy = malloc((size_t)(count > 0 ? count : 1) * sizeof *copy);
    for (int i = 0; copy && i < count; i++)
        copy[i] = indices[i] - first;
    return copy;
}

static bool take_positions(const vvWorld *world, vvBodyId body, int first, vvMesh *mesh)
{
    vvError error;
    mesh->positions = malloc((3 * (size_t)mesh->vertexCount + 1) * sizeof *mesh->positions);
    if (!mesh->positions)
        return false;
    if (vvBodyIsAffine(world, body))
        return vvBodySurfacePositions(world, body, NULL, mesh->positions, &error) == VV_OK;
    memcpy(mesh->positions, vvWorldPositions(world) + 3 * (size_t)first,
           3 * (size_t)mesh->vertexCount * sizeof *mesh->positions);
    return true;
}

bool vv_cli_body_mesh(const vvWorld *world, vvBodyId body, vvMesh *mesh)
{
    vvBodyElements elements;
    vvBodySurface surface;
    int first;
    vvBodyNodes(world, body, &first, NULL);
    vvBodyGetElements(world, body, &elements);
    vvBodyGetSurface(world, body, &surface);
    const bool affine = vvBodyIsAffine(world, body);
    *mesh = affine ? (vvMesh){ .vertexCount = surface.vertexCount, .triangleCount = surface.triangleCount }
                   : (vvMesh){ .vertexCount = elements.vertexCount,
                               .tetCount = elements.tetCount,
                               .triangleCount = elements.triangleCount,
                               .edgeCount = elements.edgeCount,
                               .pointCount = elements.pointCount };
    mesh->tets = shifted(elements.tets, 4 * mesh->tetCount, first);
    mesh->triangles = affine ? shifted(surface.triangles, 3 * mesh->triangleCount, 0)
                             : shifted(elements.triangles, 3 * mesh->triangleCount, first);
    mesh->edges = shifted(elements.edges, 2 * mesh->edgeCount, first);
    return take_positions(world, body, first, mesh) && mesh->tets && mesh->triangles && mesh->edges;
}

void vv_cli_body_mesh_free(vvMesh *mesh)
{
    free(mesh->positions);
    free(mesh->tets);
    free(mesh->triangles);
    free(mesh->edges);
}

/* The volume by the tets between the triangles and the centre; the moments by the nodes' masses, which have those of
 * the solid. */
void vv_cli_find_solid(const vvWorld *world, vvBodyId body, const vvMesh *mesh, vv_cli_solid *solid)
{
    int first, count;
    double mass = 0;
    *solid = (vv_cli_solid){ 0 };
    vvBodyNodes(world, body, &first, &count);
    const double *m = vvWorldMasses(world) + first, *x = vvWorldPositions(world) + 3 * (size_t)first;
    for (int i = 0; i < count; i++) {
        mass += m[i];
        for (int k = 0; k < 3; k++)
            solid->centre[k] += m[i] * x[3 * i + k];
    }
    for (int k = 0; k < 3; k++)
        solid->centre[k] /= mass;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            double a = x[3 * i + (k + 1) % 3] - solid->centre[(k + 1) % 3],
                   b = x[3 * i + (k + 2) % 3] - solid->centre[(k + 2) % 3];
            solid->inertia[k] += m[i] * (a * a + b * b);
        }
    for (int t = 0; t < mesh->triangleCount; t++) {
        double e[3][3];
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
                e[c][k] = mesh->positions[3 * (size_t)mesh->triangles[3 * t + c] + (size_t)k] - solid->centre[k];
        for (int k = 0; k < 3; k++)
            solid->volume +=
                e[0][k] * (e[1][(k + 1) % 3] * e[2][(k + 2) % 3] - e[1][(k + 2) % 3] * e[2][(k + 1) % 3]) / 6;
    }
}
