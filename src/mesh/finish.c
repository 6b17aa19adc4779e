/* vvMeshFinish: turns what a file or a user gives into what the rest of the program relies on. Works on a copy and
 * replaces the mesh at the end, so that a refused mesh stays as it was. */
#include "base/memory.h"
#include "base/stop.h"
#include "mesh/raise.h"

#include <math.h>
#include <string.h>

/* A tet whose |6 V| is below this times its longest edge cubed has no volume beyond rounding. */
#define FLAT_TET 1e-12

static double longest_edge(const double *positions, const int *v, int corners)
{
    double longest = 0;
    for (int i = 0; i < corners; i++)
        for (int j = 0; j < i; j++) {
            const double *a = positions + 3 * (size_t)v[i], *b = positions + 3 * (size_t)v[j];
            longest = fmax(longest, hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]));
        }
    return longest;
}

/* ---- vertices at one position -------------------------------------------------------------------------------- */

static uint64_t hash_position(const double *x)
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (int k = 0; k < 3; k++) {
        double value = x[k] + 0.0; /* -0 and 0 are the same position */
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        h = (h ^ bits) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return h;
}

/* map[v]: the first vertex at v's position. Returns the number of later ones, -1 when out of memory or stopped. */
static int find_duplicates(const vvMesh *mesh, int *map)
{
    size_t size = 64;
    while (size < 2 * (size_t)mesh->vertexCount)
        size *= 2;
    int *table = vv_alloc(size, sizeof *table); /* vertex + 1 */
    if (!table)
        return -1;
    int found = 0;
    for (int v = 0; v < mesh->vertexCount; v++) {
        const double *x = mesh->positions + 3 * (size_t)v;
        size_t slot = (size_t)hash_position(x) & (size - 1);
        map[v] = v;
        for (; table[slot]; slot = (slot + 1) & (size - 1)) {
            const double *y = mesh->positions + 3 * (size_t)(table[slot] - 1);
            if (x[0] == y[0] && x[1] == y[1] && x[2] == y[2]) {
                map[v] = table[slot] - 1;
                found++;
                break;
            }
        }
        if (map[v] == v)
            table[slot] = v + 1;
        if (vv_stopped_in((size_t)v)) {
            found = -1;
            break;
        }
    }
    vv_free(table);
    return found;
}

static void apply_map(const int *map, int *indices, size_t count)
{
    for (size_t i = 0; i < count; i++)
        indices[i] = map[indices[i]];
}

static void apply_map_everywhere(const int *map, vvMesh *m)
{
    apply_map(map, m->tets, 4 * (size_t)m->tetCount);
    apply_map(map, m->triangles, 3 * (size_t)m->triangleCount);
    apply_map(map, m->edges, 2 * (size_t)m->edgeCount);
    apply_map(map, m->points, (size_t)m->pointCount);
    apply_map(map, m->bends, 2 * (size_t)m->bendCount);
    apply_map(map, m->tets10, 10 * (size_t)m->tet10Count);
}

/* Bend pairs hold no vertex in the mesh: one whose vertex no element has is dropped, as is one whose ends were
 * merged. */
static void drop_loose_bends(vvMesh *m, const char *used)
{
    int kept = 0;
    for (int i = 0; i < m->bendCount; i++) {
        int a = m->bends[2 * i], b = m->bends[2 * i + 1];
        if (a != b && used[a] && used[b])
            m->bends[2 * kept] = a, m->bends[2 * kept++ + 1] = b;
    }
    m->bendCount = kept;
}

static void mark(char *used, const int *indices, size_t count)
{
    for (size_t i = 0; i < count; i++)
        used[indices[i]] = 1;
}

/* Drops vertices that no element uses; the others keep their order. */
static int drop_unused(vvMesh *m, int *map, char *used)
{
    mark(used, m->tets, 4 * (size_t)m->tetCount);
    mark(used, m->triangles, 3 * (size_t)m->triangleCount);
    mark(used, m->edges, 2 * (size_t)m->edgeCount);
    mark(used, m->points, (size_t)m->pointCount);
    drop_loose_bends(m, used);
    int kept = 0;
    for (int v = 0; v < m->vertexCount; v++) {
        if (!used[v])
            continue;
        memmove(m->positions + 3 * (size_t)kept, m->positions + 3 * (size_t)v, 3 * sizeof(double));
        map[v] = kept++;
    }
    int dropped = m->vertexCount - kept;
    if (dropped) {
        apply_map_everywhere(map, m);
        vv_mesh_groups_map(m, map, used);
    }
    m->vertexCount = kept;
    return dropped;
}

static vvStatus clean_vertices(vvMesh *m, const vv_places *places, vvMeshNotes *notes, vvError *error)
{
    int *map = vv_alloc((size_t)m->vertexCount, sizeof *map);
    char *used = vv_alloc((size_t)m->vertexCount, 1);
    int duplicates = map && used ? find_duplicates(m, map) : -1;
    vvStatus status = duplicates < 0 ? vv_fail_memory(error, "merging vertices") : VV_OK;
    if (status == VV_OK && duplicates > 0) {
        apply_map_everywhere(map, m);
        vv_mesh_groups_map(m, map, NULL);
    }
    if (status == VV_OK && !m->tetCount && m->triangleCount)
        status = vv_mesh_mend_surface(m, places, notes, error);
    if (status == VV_OK)
        status = vv_mesh_refuse_apart(m, places, error);
    if (status == VV_OK) {
        notes->duplicateVertices = duplicates;
        notes->unusedVertices = drop_unused(m, map, used) - duplicates - notes->nearVertices;
    }
    vv_free(map);
    vv_free(used);
    return status;
}

/* ---- elements ------------------------------------------------------------------------------------------------ */

static vvStatus refuse_repeated_corner(const char *name, const int *indices, int corners, int count,
                                       const vv_places *places, const int *at, vvError *error)
{
    for (int i = 0; i < count; i++)
        for (int k = 1; k < corners; k++)
            for (int j = 0; j < k; j++) {
                const int *v = indices + (size_t)corners * (size_t)i;
                if (v[j] != v[k])
                    continue;
                char place[VV_PLACE_LENGTH];
                vv_place(place, places, at, i);
                return vv_fail(error, VV_ERROR_INPUT,
                               "%s%s %d has two corners at one vertex (corners %d and %d, counted from "
                               "0; vertices at one position are one vertex); remove it or repair the mesh",
                               place, name, i, j, k);
            }
    return VV_OK;
}

static vvStatus orient_tets(vvMesh *m, const vv_places *places, vvMeshNotes *notes, vvError *error)
{
    for (int t = 0; t < m->tetCount; t++) {
        if (vv_stopped_in((size_t)t))
            return vv_fail_cancelled(error);
        int *v = m->tets + 4 * (size_t)t;
        double det = vv_tet_det(m->positions, v), longest = longest_edge(m->positions, v, 4);
        if (fabs(det) <= FLAT_TET * longest * longest * longest) {
            char place[VV_PLACE_LENGTH];
            vv_place(place, places, places ? places->tet : NULL, t);
            return vv_fail(error, VV_ERROR_INPUT,
                           "%stet %d has no volume (%g m^3 with a longest edge of %g m); remove it or repair the mesh",
                           place, t, det / 6, longest);
        }
        if (det < 0) {
            int swap = v[2];
            v[2] = v[3];
            v[3] = swap;
            notes->flippedTets++;
        }
    }
    return VV_OK;
}

/* Makes the final triangles: for tets their boundary, instead of what the file gave; else the mesh's own, oriented. */
static vvStatus make_surface(vvMesh *m, const vv_places *places, vvMeshNotes *notes, vvError *error)
{
    if (!m->tetCount)
        return vv_mesh_orient(m, notes, error);
    int *given = m->triangles, count = m->triangleCount;
    vv_free(m->uvs); /* the boundary is rebuilt */
    m->uvs = NULL;
    m->triangles = NULL;
    m->triangleCount = 0;
    vvStatus status = vv_mesh_boundary(m, places, error);
    if (status == VV_OK)
        status = vv_mesh_count_inner(m, given, count, &notes->innerTriangles, error);
    vv_free(given);
    return status;
}

/* A pair that occurs twice (as edges on curves between neighbouring surfaces) is kept once, the first one. */
static vvStatus drop_repeated_pairs(int *pairs, int *count, int vertices, vvError *error)
{
    size_t n = (size_t)*count;
    int *keys = vv_alloc(2 * n, sizeof *keys), *order = vv_alloc(n, sizeof *order);
    char *again = vv_alloc(n, 1);
    for (size_t i = 0; keys && i < n; i++) {
        int a = pairs[2 * i], b = pairs[2 * i + 1];
        keys[2 * i] = a < b ? a : b;
        keys[2 * i + 1] = a < b ? b : a;
    }
    bool ok = keys && order && again && vv_sort_tuples(keys, 2, *count, vertices, order);
    for (size_t i = 1; ok && i < n; i++)
        again[order[i]] = memcmp(keys + 2 * (size_t)order[i - 1], keys + 2 * (size_t)order[i], 2 * sizeof *keys) == 0;
    size_t kept = 0;
    for (size_t i = 0; ok && i < n; i++)
        if (!again[i]) {
            memmove(pairs + 2 * kept, pairs + 2 * i, 2 * sizeof *pairs);
            kept++;
        }
    if (ok)
        *count = (int)kept;
    vv_free(keys);
    vv_free(order);
    vv_free(again);
    return ok ? VV_OK : vv_fail_memory(error, "sorting edges");
}

/* Points at one position are merged, too. */
static vvStatus drop_repeated_points(vvMesh *m, vvError *error)
{
    char *seen = vv_alloc((size_t)m->vertexCount, 1);
    if (!seen)
        return vv_fail_memory(error, "merging points");
    int kept = 0;
    for (int i = 0; i < m->pointCount; i++) {
        int v = m->points[i];
        if (!seen[v])
            m->points[kept++] = v;
        seen[v] = 1;
    }
    m->pointCount = kept;
    vv_free(seen);
    return VV_OK;
}

/* Points count only in a mesh of points: beside other elements they are corners of the geometry, or loose vertices. */
static void drop_stray_points(vvMesh *m, vvMeshNotes *notes)
{
    if (!m->tetCount && !m->triangleCount && !m->edgeCount)
        return;
    notes->droppedPoints = m->pointCount;
    m->pointCount = 0;
}

/* ---- text of the notes ----------------------------------------------------------------------------------------- */

static bool join(int *parent, const int *indices, int corners, int count, int *components)
{
    for (int i = 0; i < count; i++) {
        if (vv_stopped_in((size_t)i))
            return false;
        for (int k = 1; k < corners; k++) {
            int a = vv_root_of(parent, indices[(size_t)corners * (size_t)i]);
            int b = vv_root_of(parent, indices[(size_t)corners * (size_t)i + (size_t)k]);
            if (a == b)
                continue;
            parent[a > b ? a : b] = a > b ? b : a;
            --*components;
        }
    }
    return true;
}

static vvStatus count_components(const vvMesh *m, vvMeshNotes *notes, vvError *error)
{
    int *parent = vv_alloc((size_t)m->vertexCount, sizeof *parent);
    if (!parent)
        return vv_fail_memory(error, "counting components");
    for (int v = 0; v < m->vertexCount; v++)
        parent[v] = v;
    notes->components = m->vertexCount;
    const bool done = join(parent, m->tets, 4, m->tetCount, &notes->components) &&
                      join(parent, m->triangles, 3, m->triangleCount, &notes->components) &&
                      join(parent, m->edges, 2, m->edgeCount, &notes->components);
    vv_free(parent);
    return done ? VV_OK : vv_fail_cancelled(error);
}

static vvStatus count_open_edges(const vvMesh *m, vvMeshNotes *notes, vvError *error)
{
    int *edges, *counts, n;
    vvStatus status = vv_mesh_surface_edges(m, &edges, &counts, &n, error);
    for (int i = 0; status == VV_OK && i < n; i++)
        notes->openEdges += counts[i] == 1;
    for (int i = 0; status == VV_OK && i < n; i++)
        notes->crowdedEdges += counts[i] > 2;
    vv_free(edges);
    vv_free(counts);
    return status;
}

/* ---- all of it ----------------------------------------------------------------------------------------------- */

static vvStatus finish_copy(vvMesh *m, const vv_places *places, vvMeshNotes *notes, vvError *error)
{
    vvStatus status = VV_OK;
    if (m->tet10Count) { /* other triangles are made */
        if (m->tetCount && m->tetCount != VV_TET10_SUBTETS * m->tet10Count)
            return vv_fail(error, VV_ERROR_INPUT,
                           "mesh with %d linear tets beside %d of order 2; all are of one order: leave one kind out",
                           m->tetCount, m->tet10Count);
        m->triangleCount = 0;
        status = vv_mesh_subdivide(m, error);
    }
    if (status == VV_OK) {
        drop_stray_points(m, notes);
        status = clean_vertices(m, places, notes, error);
    }
    if (status == VV_OK && m->tet10Count)
        status = refuse_repeated_corner("quadratic tet", m->tets10, 10, m->tet10Count, places,
                                        places ? places->tet10 : NULL, error);
    else if (status == VV_OK)
        status = refuse_repeated_corner("tet", m->tets, 4, m->tetCount, places, places ? places->tet : NULL, error);
    if (status == VV_OK)
        status = refuse_repeated_corner("edge", m->edges, 2, m->edgeCount, places, places ? places->edge : NULL, error);
    if (status == VV_OK)
        status = m->tet10Count ? vv_mesh_orient_tet10(m, places, notes, error) : orient_tets(m, places, notes, error);
    if (status == VV_OK)
        status = make_surface(m, places, notes, error);
    if (status == VV_OK && !vv_mesh_raise_groups(m, false))
        status = vv_fail_memory(error, "a mesh of order 2");
    if (status == VV_OK)
        status = drop_repeated_pairs(m->edges, &m->edgeCount, m->vertexCount, error);
    if (status == VV_OK)
        status = drop_repeated_pairs(m->bends, &m->bendCount, m->vertexCount, error);
    if (status == VV_OK)
        status = drop_repeated_points(m, error);
    if (status == VV_OK)
        status = count_components(m, notes, error);
    return status != VV_OK ? status : count_open_edges(m, notes, error);
}

vvStatus vv_mesh_finish(vvMesh *mesh, const vv_places *places, vvMeshNotes *notes, vvError *error)
{
    vvMeshNotes found = { 0 };
    vvMesh made;
    vv_error_clear(error);
    vvStatus status = vv_mesh_check(mesh, places, error);
    if (status == VV_OK && vv_stopped())
        status = vv_fail_cancelled(error);
    if (status == VV_OK)
        status = vvMeshCopy(mesh, &made, error);
    if (status != VV_OK)
        return status;
    status = finish_copy(&made, places, &found, error);
    if (status != VV_OK) {
        vvMeshDestroy(&made);
        return status;
    }
    vvMeshDestroy(mesh);
    *mesh = made;
    if (notes)
        *notes = found;
    return VV_OK;
}

vvStatus vvMeshFinish(vvMesh *mesh, vvMeshNotes *notes, vvError *error)
{
    if (!mesh)
        return vv_fail(error, VV_ERROR_INPUT, "vvMeshFinish needs a mesh, found NULL");
    VV_STOPPABLE(vv_mesh_finish(mesh, NULL, notes, error));
}
