/* Triangles of a mesh that also has tets. The tets' own boundary replaces them, so they must be covered by the tets: a
 * surface apart from the tets would be lost, and is refused; triangles between tets are only counted. */
#include "base/memory.h"
#include "mesh/mesh.h"

#include <string.h>

static bool stands_apart(const char *corner_of_tet, const int *v)
{
    return !corner_of_tet[v[0]] || !corner_of_tet[v[1]] || !corner_of_tet[v[2]];
}

static vvStatus refuse(const vvMesh *m, const char *corner_of_tet, int first, int count, const vv_places *places,
                       vvError *error)
{
    const int *v = m->triangles + 3 * (size_t)first;
    int k = 0;
    while (corner_of_tet[v[k]])
        k++;
    const double *x = m->positions + 3 * (size_t)v[k];
    char place[VV_PLACE_LENGTH];
    vv_place(place, places, places ? places->triangle : NULL, first);
    return vv_fail(
        error, VV_ERROR_INPUT,
        "%striangle %d stands apart from the tets: it has a corner at (%g, %g, %g), where no tet has one, as "
        "%d of the %d triangles have; a mesh is tets or a surface: put this surface into a file of its own, "
        "or remove it",
        place, first, x[0], x[1], x[2], count, m->triangleCount);
}

vvStatus vv_mesh_refuse_apart(const vvMesh *m, const vv_places *places, vvError *error)
{
    if (!m->tetCount || !m->triangleCount)
        return VV_OK;
    char *corner_of_tet = vv_alloc((size_t)m->vertexCount, 1);
    if (!corner_of_tet)
        return vv_fail_memory(error, "looking for triangles apart from the tets");
    for (size_t i = 0; i < 4 * (size_t)m->tetCount; i++)
        corner_of_tet[m->tets[i]] = 1;
    int first = -1, count = 0;
    for (int t = 0; t < m->triangleCount; t++)
        if (stands_apart(corner_of_tet, m->triangles + 3 * (size_t)t)) {
            first = first < 0 ? t : first;
            count++;
        }
    vvStatus status = count ? refuse(m, corner_of_tet, first, count, places, error) : VV_OK;
    vv_free(corner_of_tet);
    return status;
}

static void sorted(const int *v, int *out)
{
    int a = v[0] < v[1] ? v[0] : v[1], b = v[0] < v[1] ? v[1] : v[0];
    out[0] = a < v[2] ? a : v[2];
    out[2] = b > v[2] ? b : v[2];
    out[1] = a < v[2] ? (b < v[2] ? b : v[2]) : a;
}

/* In sorted order a group of equal triangles begins with the boundary's, if it has one: those come first in `keys`. */
static int count_groups_without(const int *keys, const int *order, int boundary, int count)
{
    int inner = 0;
    bool on_boundary = false;
    for (int i = 0; i < count; i++) {
        const int *key = keys + 3 * (size_t)order[i];
        if (i == 0 || memcmp(key, keys + 3 * (size_t)order[i - 1], 3 * sizeof *key) != 0)
            on_boundary = order[i] < boundary;
        inner += !on_boundary;
    }
    return inner;
}

vvStatus vv_mesh_count_inner(const vvMesh *m, const int *triangles, int count, int *inner, vvError *error)
{
    if (!count)
        return VV_OK;
    int all = m->triangleCount + count;
    int *keys = vv_alloc(3 * (size_t)all, sizeof *keys), *order = vv_alloc((size_t)all, sizeof *order);
    bool ok = keys && order;
    for (int t = 0; ok && t < all; t++)
        sorted(t < m->triangleCount ? m->triangles + 3 * (size_t)t : triangles + 3 * (size_t)(t - m->triangleCount),
               keys + 3 * (size_t)t);
    ok = ok && vv_sort_tuples(keys, 3, all, m->vertexCount, order);
    if (ok)
        *inner = count_groups_without(keys, order, m->triangleCount, all);
    vv_free(keys);
    vv_free(order);
    return ok ? VV_OK : vv_fail_memory(error, "comparing triangles with the boundary");
}
