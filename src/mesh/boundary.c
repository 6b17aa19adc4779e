/* The boundary surface of a tet mesh: the faces that belong to one tet only, oriented outwards. */
#include "base/memory.h"
#include "base/stop.h"
#include "mesh/mesh.h"

#include <string.h>

/* Faces of the right-handed tet (a, b, c, d), seen from outside. */
static const int face_corners[4][3] = { { 0, 2, 1 }, { 0, 1, 3 }, { 0, 3, 2 }, { 1, 2, 3 } };

static void sort_ints(int *v, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && v[j] < v[j - 1]; j--) {
            int t = v[j];
            v[j] = v[j - 1];
            v[j - 1] = t;
        }
}

static vvStatus refuse_repeated(const vvMesh *mesh, int *keys, int *order, const vv_places *places, vvError *error)
{
    if (vv_stopped())
        return vv_fail_cancelled(error);
    for (int t = 0; t < mesh->tetCount; t++) {
        memcpy(keys + 4 * (size_t)t, mesh->tets + 4 * (size_t)t, 4 * sizeof *keys);
        sort_ints(keys + 4 * (size_t)t, 4);
    }
    if (!vv_sort_tuples(keys, 4, mesh->tetCount, mesh->vertexCount, order))
        return vv_fail_memory(error, "sorting tets");
    for (int i = 0; i + 1 < mesh->tetCount; i++) {
        if (memcmp(keys + 4 * (size_t)order[i], keys + 4 * (size_t)order[i + 1], 4 * sizeof *keys) != 0)
            continue;
        char place[VV_PLACE_LENGTH];
        vv_place(place, places, places ? places->tet : NULL, order[i + 1]);
        return vv_fail(error, VV_ERROR_INPUT, "%stet %d has the same four vertices as tet %d; each tet may occur once",
                       place, order[i + 1], order[i]);
    }
    return VV_OK;
}

/* Whether the sorted order of a face's corners is an even permutation of the outward one. */
static bool face_even(const int *tet, int face)
{
    int a = tet[face_corners[face][0]], b = tet[face_corners[face][1]], c = tet[face_corners[face][2]];
    return (a < b && b < c) || (b < c && c < a) || (c < a && a < b);
}

/* Checks faces i .. i + n - 1 of the sorted order, which are the same triangle. */
static vvStatus check_group(const vvMesh *mesh, const int *order, int n, const vv_places *places, vvError *error)
{
    char place[VV_PLACE_LENGTH];
    const int *at = places ? places->tet : NULL;
    int s = order[0] / 4, t = order[1] / 4;
    if (n > 2) {
        vv_place(place, places, at, order[2] / 4);
        return vv_fail(error, VV_ERROR_INPUT,
                       "%stets %d, %d and %d share one face; at most two tets may meet at a face", place, s, t,
                       order[2] / 4);
    }
    if (face_even(mesh->tets + 4 * (size_t)s, order[0] % 4) != face_even(mesh->tets + 4 * (size_t)t, order[1] % 4))
        return VV_OK;
    vv_place(place, places, at, t);
    return vv_fail(
        error, VV_ERROR_INPUT,
        "%stets %d and %d lie on the same side of the face they share, so they overlap; the mesh is folded there",
        place, s, t);
}

static vvStatus mark_boundary(const vvMesh *mesh, int *keys, int *order, char *outer, int *count,
                              const vv_places *places, vvError *error)
{
    int faces = 4 * mesh->tetCount;
    if (vv_stopped())
        return vv_fail_cancelled(error);
    for (int f = 0; f < faces; f++) {
        for (int k = 0; k < 3; k++)
            keys[3 * (size_t)f + k] = mesh->tets[4 * (size_t)(f / 4) + face_corners[f % 4][k]];
        sort_ints(keys + 3 * (size_t)f, 3);
    }
    if (!vv_sort_tuples(keys, 3, faces, mesh->vertexCount, order))
        return vv_fail_memory(error, "sorting faces");
    *count = 0;
    for (int i = 0, n; i < faces; i += n) {
        for (n = 1; i + n < faces; n++)
            if (memcmp(keys + 3 * (size_t)order[i], keys + 3 * (size_t)order[i + n], 3 * sizeof *keys) != 0)
                break;
        if (vv_stopped_in((size_t)i) || vv_stopped_in((size_t)i + 1))
            return vv_fail_cancelled(error);
        vvStatus status = n > 1 ? check_group(mesh, order + i, n, places, error) : VV_OK;
        if (status != VV_OK)
            return status;
        if (n == 1) {
            outer[order[i]] = 1;
            ++*count;
        }
    }
    return VV_OK;
}

vvStatus vv_mesh_boundary(vvMesh *mesh, const vv_places *places, vvError *error)
{
    size_t faces = 4 * (size_t)mesh->tetCount;
    int *keys = vv_alloc(3 * faces, sizeof *keys), *order = vv_alloc(faces, sizeof *order), *triangles = NULL;
    char *outer = vv_alloc(faces, 1);
    int count = 0;
    vvStatus status = keys && order && outer ? VV_OK : vv_fail_memory(error, "the boundary");
    if (status == VV_OK)
        status = refuse_repeated(mesh, keys, order, places, error);
    if (status == VV_OK)
        status = mark_boundary(mesh, keys, order, outer, &count, places, error);
    if (status == VV_OK && !(triangles = vv_alloc(3 * (size_t)count, sizeof *triangles)))
        status = vv_fail_memory(error, "the boundary");
    if (status == VV_OK) {
        int *to = triangles;
        for (size_t f = 0; f < faces; f++)
            for (int k = 0; k < 3 && outer[f]; k++)
                *to++ = mesh->tets[f / 4 * 4 + (size_t)face_corners[f % 4][k]];
        vv_free(mesh->triangles);
        mesh->triangles = triangles;
        mesh->triangleCount = count;
    }
    vv_free(keys);
    vv_free(order);
    vv_free(outer);
    return status;
}
