/* Allocation, copying and destruction of meshes, and the check that precedes every use. */
#include "mesh/mesh.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void vv_place(char out[VV_PLACE_LENGTH], const vv_places *places, const int *at, int index)
{
    if (!places)
        out[0] = 0;
    else if (!at)
        snprintf(out, VV_PLACE_LENGTH, "%s: ", places->file);
    else
        snprintf(out, VV_PLACE_LENGTH, places->bytes ? "%s: byte %d: " : "%s:%d: ", places->file, at[index]);
}

vvStatus vv_mesh_alloc(vvMesh *mesh, int vertices, int tets, int triangles, int edges, vvError *error)
{
    *mesh = (vvMesh){
        .vertexCount = vertices,
        .tetCount = tets,
        .triangleCount = triangles,
        .edgeCount = edges,
        .positions = vv_alloc((size_t)vertices * 3, sizeof(double)),
        .tets = vv_alloc((size_t)tets * 4, sizeof(int)),
        .triangles = vv_alloc((size_t)triangles * 3, sizeof(int)),
        .edges = vv_alloc((size_t)edges * 2, sizeof(int)),
    };
    if (mesh->positions && mesh->tets && mesh->triangles && mesh->edges)
        return VV_OK;
    vvMeshDestroy(mesh);
    return vv_fail_memory(error, "a mesh");
}

static void copy_bytes(void *to, const void *from, size_t count, size_t size)
{
    if (count)
        memcpy(to, from, count * size);
}

vvStatus vvMeshCopy(const vvMesh *mesh, vvMesh *copy, vvError *error)
{
    vvMesh made;
    vv_error_clear(error);
    if (!mesh || !copy)
        return vv_fail(error, VV_ERROR_INPUT, "vvMeshCopy needs a mesh and a pointer for its copy, found NULL");
    *copy = (vvMesh){ 0 };
    if (mesh->vertexCount < 0 || mesh->tetCount < 0 || mesh->triangleCount < 0 || mesh->edgeCount < 0 ||
        mesh->pointCount < 0 || mesh->bendCount < 0 || mesh->groupCount < 0 || mesh->tet10Count < 0)
        return vv_fail(error, VV_ERROR_INPUT, "mesh with a negative count of vertices or elements");
    if ((mesh->vertexCount && !mesh->positions) || (mesh->tetCount && !mesh->tets) ||
        (mesh->triangleCount && !mesh->triangles) || (mesh->edgeCount && !mesh->edges) ||
        (mesh->pointCount && !mesh->points) || (mesh->bendCount && !mesh->bends) ||
        (mesh->groupCount && !mesh->groups) || (mesh->tet10Count && !mesh->tets10))
        return vv_fail(error, VV_ERROR_INPUT, "mesh with vertices or elements, but their array is NULL");
    vvStatus status =
        vv_mesh_alloc(&made, mesh->vertexCount, mesh->tetCount, mesh->triangleCount, mesh->edgeCount, error);
    if (status != VV_OK)
        return status;
    made.pointCount = mesh->pointCount;
    made.points = vv_alloc((size_t)mesh->pointCount, sizeof *made.points);
    made.bendCount = mesh->bendCount;
    made.bends = vv_alloc(2 * (size_t)mesh->bendCount, sizeof *made.bends);
    made.uvs = mesh->uvs ? vv_alloc(6 * (size_t)mesh->triangleCount, sizeof *made.uvs) : NULL;
    made.tet10Count = mesh->tet10Count;
    made.tets10 = mesh->tet10Count ? vv_alloc(10 * (size_t)mesh->tet10Count, sizeof *made.tets10) : NULL;
    if (!made.points || !made.bends || (mesh->uvs && !made.uvs) || (mesh->tet10Count && !made.tets10)) {
        vvMeshDestroy(&made);
        return vv_fail_memory(error, "a mesh");
    }
    copy_bytes(made.positions, mesh->positions, (size_t)mesh->vertexCount, 3 * sizeof(double));
    copy_bytes(made.tets, mesh->tets, (size_t)mesh->tetCount, 4 * sizeof(int));
    copy_bytes(made.triangles, mesh->triangles, (size_t)mesh->triangleCount, 3 * sizeof(int));
    copy_bytes(made.edges, mesh->edges, (size_t)mesh->edgeCount, 2 * sizeof(int));
    copy_bytes(made.points, mesh->points, (size_t)mesh->pointCount, sizeof(int));
    copy_bytes(made.bends, mesh->bends, (size_t)mesh->bendCount, 2 * sizeof(int));
    copy_bytes(made.uvs, mesh->uvs, mesh->uvs ? (size_t)mesh->triangleCount : 0, 6 * sizeof(double));
    copy_bytes(made.tets10, mesh->tets10, (size_t)mesh->tet10Count, 10 * sizeof(int));
    if (!vv_mesh_groups_copy(mesh, &made)) {
        vvMeshDestroy(&made);
        return vv_fail_memory(error, "a mesh");
    }
    *copy = made;
    return VV_OK;
}

void vvMeshDestroy(vvMesh *mesh)
{
    if (!mesh)
        return;
    vv_free(mesh->positions);
    vv_free(mesh->tets);
    vv_free(mesh->triangles);
    vv_free(mesh->edges);
    vv_free(mesh->points);
    vv_free(mesh->bends);
    vv_free(mesh->uvs);
    vv_mesh_groups_free(mesh);
    vv_free(mesh->tets10);
    *mesh = (vvMesh){ 0 };
}

typedef struct element_kind {
    const char *name;
    int corners, count;
    const int *indices, *at;
} element_kind;

static vvStatus check_elements(const element_kind *kind, int vertices, const vv_places *places, vvError *error)
{
    if (kind->count < 0 || kind->count > VV_MESH_LIMIT)
        return vv_fail(error, VV_ERROR_INPUT, "mesh with %d %ss; allowed: 0 to %d", kind->count, kind->name,
                       VV_MESH_LIMIT);
    if (kind->count && !kind->indices)
        return vv_fail(error, VV_ERROR_INPUT, "mesh with %d %ss, but their array is NULL", kind->count, kind->name);
    for (int i = 0; i < kind->count; i++)
        for (int k = 0; k < kind->corners; k++) {
            int v = kind->indices[kind->corners * i + k];
            if (v >= 0 && v < vertices)
                continue;
            char place[VV_PLACE_LENGTH];
            vv_place(place, places, kind->at, i);
            return vv_fail(error, VV_ERROR_INPUT,
                           "%s%s %d has vertex index %d; there are %d vertices, so 0 to %d are allowed", place,
                           kind->name, i, v, vertices, vertices - 1);
        }
    return VV_OK;
}

static vvStatus check_positions(const vvMesh *mesh, const vv_places *places, vvError *error)
{
    char place[VV_PLACE_LENGTH];
    vv_place(place, places, NULL, 0);
    if (mesh->vertexCount < 0 || mesh->vertexCount > VV_MESH_LIMIT)
        return vv_fail(error, VV_ERROR_INPUT, "%smesh with %d vertices; allowed: 1 to %d", place, mesh->vertexCount,
                       VV_MESH_LIMIT);
    if (mesh->vertexCount == 0)
        return vv_fail(error, VV_ERROR_INPUT, "%sthe mesh has no vertices", place);
    if (!mesh->positions)
        return vv_fail(error, VV_ERROR_INPUT, "%smesh with %d vertices, but positions is NULL", place,
                       mesh->vertexCount);
    for (int i = 0; i < 3 * mesh->vertexCount; i++)
        if (!(fabs(mesh->positions[i]) <= VV_COORDINATE_LIMIT)) {
            vv_place(place, places, places ? places->vertex : NULL, i / 3);
            return vv_fail(error, VV_ERROR_INPUT, "%svertex %d has %c = %g; coordinates must be finite and below %g",
                           place, i / 3, 'x' + i % 3, mesh->positions[i], VV_COORDINATE_LIMIT);
        }
    return VV_OK;
}

static vvStatus check_uvs(const vvMesh *mesh, const vv_places *places, vvError *error)
{
    for (int i = 0; mesh->uvs && i < 6 * mesh->triangleCount; i++)
        if (!(fabs(mesh->uvs[i]) <= VV_COORDINATE_LIMIT)) {
            char place[VV_PLACE_LENGTH];
            vv_place(place, places, places ? places->triangle : NULL, i / 6);
            return vv_fail(error, VV_ERROR_INPUT,
                           "%striangle %d has the texture coordinate %c = %g; they must be finite and below %g", place,
                           i / 6, "uv"[i % 2], mesh -> uvs[i], VV_COORDINATE_LIMIT);
        }
    return VV_OK;
}

vvStatus vv_mesh_check(const vvMesh *mesh, const vv_places *places, vvError *error)
{
    vvStatus status = check_positions(mesh, places, error);
    const element_kind kinds[] = {
        { "tet", 4, mesh->tetCount, mesh->tets, places ? places->tet : NULL },
        { "triangle", 3, mesh->triangleCount, mesh->triangles, places ? places->triangle : NULL },
        { "edge", 2, mesh->edgeCount, mesh->edges, places ? places->edge : NULL },
        { "point", 1, mesh->pointCount, mesh->points, places ? places->point : NULL },
        { "bend pair", 2, mesh->bendCount, mesh->bends, NULL },
        { "quadratic tet", 10, mesh->tet10Count, mesh->tets10, places ? places->tet10 : NULL },
    };
    for (int k = 0; k < 6 && status == VV_OK; k++)
        status = check_elements(&kinds[k], mesh->vertexCount, places, error);
    if (status == VV_OK)
        status = check_uvs(mesh, places, error);
    if (status == VV_OK)
        status = vv_mesh_groups_check(mesh, error);
    if (status == VV_OK && !mesh->tetCount && !mesh->triangleCount && !mesh->edgeCount && !mesh->pointCount &&
        !mesh->tet10Count) {
        char place[VV_PLACE_LENGTH];
        vv_place(place, places, NULL, 0);
        return vv_fail(error, VV_ERROR_INPUT, "%sthe mesh has %d vertices but no tets, triangles, edges or points",
                       place, mesh->vertexCount);
    }
    if (status == VV_OK && mesh->bendCount && (mesh->tetCount || mesh->pointCount))
        return vv_fail(error, VV_ERROR_INPUT, "mesh with %d bend pairs beside %s; only triangles and edges bend",
                       mesh->bendCount, mesh->tetCount ? "tets" : "points");
    return status;
}
