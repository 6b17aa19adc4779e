/* Which of a mesh's tets lie in which of its groups. */
#include "base/memory.h"
#include "mesh/mesh.h"

#include <stdio.h>
#include <string.h>

typedef struct finder {
    const vvMesh *mesh;
    const char *const *names;
    const vvMeshGroup **groups; /* of each name */
    int count, tets;            /* names; tets, of order 2 those of ten nodes */
    int *region;                /* of each tet, -1: none yet */
} finder;

static const int *corners_of(const finder *f, int tet)
{
    const vvMesh *m = f->mesh;
    return m->tet10Count ? m->tets10 + 10 * (size_t)tet : m->tets + 4 * (size_t)tet;
}

/* ---- names ---- */

static vvStatus no_such_group(const vvMesh *mesh, const char *name, vvError *error)
{
    char names[512] = "";
    for (int g = 0; g < mesh->groupCount && strlen(names) < sizeof names - 1; g++)
        if (mesh->groups[g].tetCount)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s\"%s\"", *names ? ", " : "",
                     mesh->groups[g].name);
    return vv_fail(
        error, VV_ERROR_INPUT, "the mesh has no group of tets \"%s\"; it has %s", name,
        *names ? names
               : "none (such are physical volumes of Gmsh, references of MEDIT, element sets of Abaqus, attributes of "
                 "TetGen, whole numbers of VTK's cells)");
}

static vvStatus find_groups(finder *f, vvError *error)
{
    for (int i = 0; i < f->count; i++) {
        if (!f->names[i])
            return vv_fail(error, VV_ERROR_INPUT, "vvMeshTetRegions: names[%d] is NULL", i);
        f->groups[i] = vvMeshFindGroup(f->mesh, f->names[i]);
        if (!f->groups[i] || f->groups[i]->tetCount == 0)
            return no_such_group(f->mesh, f->names[i], error);
        for (int k = 0; k < i; k++)
            if (f->groups[k] == f->groups[i])
                return vv_fail(error, VV_ERROR_INPUT, "group \"%s\" is named twice; name each once", f->names[i]);
    }
    return VV_OK;
}

/* ---- tets, by their corners ---- */

static void sorted(const int *corners, int to[4])
{
    for (int k = 0; k < 4; k++) {
        int at = k;
        for (; at > 0 && to[at - 1] > corners[k]; at--)
            to[at] = to[at - 1];
        to[at] = corners[k];
    }
}

/* The tet's middle, for messages. */
static void middle_of(const finder *f, int tet, double x[3])
{
    for (int k = 0; k < 3; k++) {
        x[k] = 0;
        for (int c = 0; c < 4; c++)
            x[k] += 0.25 * f->mesh->positions[3 * (size_t)corners_of(f, tet)[c] + (size_t)k];
    }
}

static vvStatus put(finder *f, int tet, int region, vvError *error)
{
    double x[3];
    if (f->region[tet] >= 0 && f->region[tet] != region) {
        middle_of(f, tet, x);
        return vv_fail(error, VV_ERROR_INPUT,
                       "tet %d, about (%g, %g, %g), is in group \"%s\" and in group \"%s\"; each is in one", tet, x[0],
                       x[1], x[2], f->names[f->region[tet]], f->names[region]);
    }
    f->region[tet] = region;
    return VV_OK;
}

/* keys: the corners of the mesh's tets and then those of the groups, sorted; equal ones follow each other in `order`,
 * in this order. */
static vvStatus match(finder *f, const int *keys, const int *order, int total, vvError *error)
{
    vvStatus status = VV_OK;
    const int *key = NULL;
    for (int i = 0, tet = -1; status == VV_OK && i < total; i++) {
        const int *at = keys + 4 * (size_t)order[i];
        if (!key || memcmp(key, at, 4 * sizeof *key) != 0)
            key = at, tet = -1;
        if (order[i] < f->tets) {
            tet = order[i];
            continue;
        }
        int region = 0;
        for (int first = f->tets; first + f->groups[region]->tetCount <= order[i];)
            first += f->groups[region++]->tetCount;
        if (tet >= 0)
            status = put(f, tet, region, error);
    }
    return status;
}

static vvStatus find_regions(finder *f, vvError *error)
{
    int64_t total = f->tets;
    for (int i = 0; i < f->count; i++)
        total += f->groups[i]->tetCount;
    if (total > 4 * (int64_t)VV_MESH_LIMIT)
        return vv_fail(error, VV_ERROR_INPUT, "the mesh and its groups have %lld tets; at most %d", (long long)total,
                       4 * VV_MESH_LIMIT);
    int *keys = vv_alloc(4 * (size_t)total, sizeof *keys), *order = vv_alloc((size_t)total, sizeof *order);
    size_t at = 0;
    for (int t = 0; keys && t < f->tets; t++)
        sorted(corners_of(f, t), keys + 4 * at++);
    for (int i = 0; keys && i < f->count; i++)
        for (int t = 0; t < f->groups[i]->tetCount; t++)
            sorted(f->groups[i]->tets + 4 * (size_t)t, keys + 4 * at++);
    vvStatus status = keys && order && vv_sort_tuples(keys, 4, (int)total, f->mesh->vertexCount, order)
                          ? match(f, keys, order, (int)total, error)
                          : vv_fail_memory(error, "regions of a mesh");
    vv_free(keys);
    vv_free(order);
    return status;
}

static vvStatus refuse_left(const finder *f, vvError *error)
{
    int left = 0, first = -1;
    double x[3];
    for (int t = f->tets - 1; t >= 0; t--)
        if (f->region[t] < 0)
            left++, first = t;
    if (left == 0)
        return VV_OK;
    middle_of(f, first, x);
    return vv_fail(error, VV_ERROR_INPUT,
                   "%d of the mesh's %d tets are in none of the groups that are named, the first about (%g, %g, %g); "
                   "name their group too",
                   left, f->tets, x[0], x[1], x[2]);
}

vvStatus vvMeshTetRegions(const vvMesh *mesh, const char *const *names, int count, int *regionOf, vvError *error)
{
    vv_error_clear(error);
    if (!mesh || !names || count < 1 || !regionOf)
        return vv_fail(error, VV_ERROR_INPUT,
                       "vvMeshTetRegions needs a mesh, names, their number and room for the result; found NULL or "
                       "no name");
    vvStatus status = vv_mesh_check(mesh, NULL, error);
    if (status == VV_OK)
        status = vv_mesh_groups_check(mesh, error);
    if (status == VV_OK && mesh->tetCount == 0)
        status = vv_fail(error, VV_ERROR_INPUT, "regions are of tets, and the mesh has none");
    if (status != VV_OK)
        return status;
    finder f = { mesh,
                 names,
                 vv_alloc((size_t)count, sizeof *f.groups),
                 count,
                 mesh->tet10Count ? mesh->tet10Count : mesh->tetCount,
                 regionOf };
    for (int t = 0; t < f.tets; t++)
        regionOf[t] = -1;
    status = f.groups ? find_groups(&f, error) : vv_fail_memory(error, "regions of a mesh");
    if (status == VV_OK)
        status = find_regions(&f, error);
    if (status == VV_OK)
        status = refuse_left(&f, error);
    vv_free(f.groups);
    return status;
}
