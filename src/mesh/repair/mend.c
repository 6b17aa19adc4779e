/* What every surface is given before it is checked, whatever file it came from: corners on open edges that differ by
 * rounding alone become one vertex, triangles that are written again (in either turn) or have no area are dropped, and
 * needles are mended (needles.c). A surface without such faults stays as it is, to the byte. */
#include "base/memory.h"
#include "base/vec.h"
#include "mesh/mesh.h"

#include <math.h>
#include <string.h>

/* Corners are one vertex within this part of the diagonal, or of the largest coordinate, as STL's single precision
 * rounds them; but never beyond this part of an edge that meets them. */
static const double of_diagonal = 1e-7, of_coordinate = 2e-7, of_edge = 0.01;

int vv_mesh_drop_triangles(vvMesh *m, const vv_places *places, const char *drop)
{
    int kept = 0;
    for (int t = 0; t < m->triangleCount; t++) {
        if (drop[t])
            continue;
        memmove(m->triangles + 3 * (size_t)kept, m->triangles + 3 * (size_t)t, 3 * sizeof(int));
        if (m->uvs)
            memmove(m->uvs + 6 * (size_t)kept, m->uvs + 6 * (size_t)t, 6 * sizeof *m->uvs);
        if (places && places->triangle)
            places->triangle[kept] = places->triangle[t];
        kept++;
    }
    int dropped = m->triangleCount - kept;
    m->triangleCount = kept;
    return dropped;
}

/* ---- corners that rounding moved apart ---- */

typedef struct merging {
    const vvMesh *mesh;
    double width;      /* m: no two vertices farther apart become one */
    double *reach;     /* of each vertex on an open edge: at most `width`; 0 for the others */
    int *map;          /* the vertex that this one becomes */
    int *heads, *next; /* lists of vertices by cells of the size `width`: vertex + 1 */
    size_t mask;
} merging;

static double merging_width(const vvMesh *m)
{
    double low[3], high[3], d[3], largest = 0;
    vv_mesh_bounds(m, low, high);
    vv_sub(high, low, d);
    for (int k = 0; k < 3; k++)
        largest = fmax(largest, fmax(fabs(low[k]), fabs(high[k])));
    return fmax(of_diagonal * vv_norm(d), of_coordinate * largest);
}

static double distance(const vvMesh *m, int v, int w)
{
    double d[3];
    vv_sub(m->positions + 3 * (size_t)v, m->positions + 3 * (size_t)w, d);
    return vv_norm(d);
}

/* Marks the ends of open edges by a reach; whether there are any. If there are, also those of edges that are shorter
 * than rounding: their triangles may close what they keep apart. */
static bool find_open(merging *a, const int *ends, const int *order)
{
    const vvMesh *m = a->mesh;
    const int n = 3 * m->triangleCount;
    bool any = false;
    for (int i = 0, group; i < n; i += group) {
        group = vv_half_edges_group(ends, order, i, n);
        const int *e = ends + 2 * (size_t)order[i];
        if (group == 1)
            a->reach[e[0]] = a->reach[e[1]] = a->width, any = true;
    }
    for (int h = 0; any && h < n; h++) {
        const int *e = ends + 2 * (size_t)h;
        if (distance(m, e[0], e[1]) <= a->width)
            a->reach[e[0]] = a->reach[e[1]] = a->width;
    }
    for (int h = 0; any && h < n; h++) {
        const int *e = ends + 2 * (size_t)h;
        const double length = distance(m, e[0], e[1]);
        for (int k = 0; k < 2; k++)
            if (length > a->width && of_edge * length < a->reach[e[k]])
                a->reach[e[k]] = of_edge * length;
    }
    return any;
}

static size_t slot_of(const merging *a, const double x[3], const int shift[3])
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (int k = 0; k < 3; k++) {
        h = (h ^ (uint64_t)((int64_t)floor(x[k] / a->width) + shift[k])) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return (size_t)h & a->mask;
}

/* The first vertex so far that is near enough to v; v itself: none. */
static int near_vertex(const merging *a, int v)
{
    const double *x = a->mesh->positions + 3 * (size_t)v;
    int found = v;
    for (int cell = 0; cell < 27; cell++) {
        const int shift[3] = { cell % 3 - 1, cell / 3 % 3 - 1, cell / 9 - 1 };
        for (int w = a->heads[slot_of(a, x, shift)]; w; w = a->next[w - 1])
            if (w - 1 < found && distance(a->mesh, v, w - 1) <= fmin(a->reach[v], a->reach[w - 1]))
                found = w - 1;
    }
    return found;
}

/* Fills the map; returns how many vertices become others. */
static int find_near(merging *a)
{
    int merged = 0;
    for (int v = 0; v < a->mesh->vertexCount; v++) {
        a->map[v] = v;
        if (!(a->reach[v] > 0))
            continue;
        a->map[v] = near_vertex(a, v);
        if (a->map[v] != v) {
            merged++;
            continue;
        }
        size_t slot = slot_of(a, a->mesh->positions + 3 * (size_t)v, (const int[3]){ 0, 0, 0 });
        a->next[v] = a->heads[slot];
        a->heads[slot] = v + 1;
    }
    return merged;
}

static void apply(const int *map, int *indices, size_t count)
{
    for (size_t i = 0; i < count; i++)
        indices[i] = map[indices[i]];
}

static bool merge_near(merging *a, vvMesh *m, const int *ends, const int *order, int *merged)
{
    size_t size = 64;
    while (size < (size_t)m->vertexCount)
        size *= 2;
    a->mask = size - 1;
    if (!find_open(a, ends, order))
        return true;
    a->map = vv_alloc((size_t)m->vertexCount, sizeof *a->map);
    a->heads = vv_alloc(size, sizeof *a->heads);
    a->next = vv_alloc((size_t)m->vertexCount, sizeof *a->next);
    if (!a->map || !a->heads || !a->next)
        return false;
    *merged = find_near(a);
    if (*merged) {
        apply(a->map, m->triangles, 3 * (size_t)m->triangleCount);
        apply(a->map, m->edges, 2 * (size_t)m->edgeCount);
        apply(a->map, m->bends, 2 * (size_t)m->bendCount);
        vv_mesh_groups_map(m, a->map, NULL);
    }
    return true;
}

static vvStatus merge_corners(vvMesh *m, int *merged, vvError *error)
{
    const size_t n = 3 * (size_t)m->triangleCount;
    merging a = { .mesh = m, .width = merging_width(m) };
    int *ends = vv_alloc(2 * n, sizeof *ends), *order = vv_alloc(n, sizeof *order);
    a.reach = vv_alloc((size_t)m->vertexCount, sizeof *a.reach);
    *merged = 0;
    bool ok = ends && order && a.reach && vv_half_edges_sort(m, ends, order);
    if (ok && a.width > 0)
        ok = merge_near(&a, m, ends, order, merged);
    vv_free(ends);
    vv_free(order);
    vv_free(a.reach);
    vv_free(a.map);
    vv_free(a.heads);
    vv_free(a.next);
    return ok ? VV_OK : vv_fail_memory(error, "merging corners");
}

/* ---- triangles that are nothing ---- */

static int drop_collapsed(vvMesh *m, const vv_places *places, char *drop)
{
    for (int t = 0; t < m->triangleCount; t++) {
        const int *v = m->triangles + 3 * (size_t)t;
        drop[t] = v[0] == v[1] || v[1] == v[2] || v[2] == v[0];
    }
    return vv_mesh_drop_triangles(m, places, drop);
}

static int drop_flat(vvMesh *m, const vv_places *places, char *drop)
{
    double area, longest;
    for (int t = 0; t < m->triangleCount; t++)
        drop[t] = vv_triangle_has_no_area(m->positions, m->triangles + 3 * (size_t)t, &area, &longest);
    return vv_mesh_drop_triangles(m, places, drop);
}

static void sort_corners(const int *v, int key[3])
{
    int low = v[0] < v[1] ? v[0] : v[1], high = v[0] < v[1] ? v[1] : v[0];
    key[0] = v[2] < low ? v[2] : low;
    key[2] = v[2] > high ? v[2] : high;
    key[1] = v[2] < low ? low : v[2] > high ? high : v[2];
}

/* All but the first with the same three vertices; -1: out of memory. */
static int drop_repeated(vvMesh *m, const vv_places *places, char *drop)
{
    const size_t n = (size_t)m->triangleCount;
    int *keys = vv_alloc(3 * n, sizeof *keys), *order = vv_alloc(n, sizeof *order), dropped = -1;
    for (size_t t = 0; keys && t < n; t++)
        sort_corners(m->triangles + 3 * t, keys + 3 * t);
    if (keys && order && vv_sort_tuples(keys, 3, m->triangleCount, m->vertexCount, order)) {
        memset(drop, 0, n);
        for (size_t i = 1; i < n; i++)
            drop[order[i]] =
                memcmp(keys + 3 * (size_t)order[i - 1], keys + 3 * (size_t)order[i], 3 * sizeof *keys) == 0;
        dropped = vv_mesh_drop_triangles(m, places, drop);
    }
    vv_free(keys);
    vv_free(order);
    return dropped;
}

/* Once through all of it; *changed: whether there was anything. */
static vvStatus mend_once(vvMesh *m, const vv_places *places, char *drop, vvMeshNotes *notes, bool *changed,
                          vvError *error)
{
    int near, mended = 0;
    vvStatus status = merge_corners(m, &near, error);
    if (status != VV_OK)
        return status;
    const int collapsed = drop_collapsed(m, places, drop), repeated = drop_repeated(m, places, drop);
    if (repeated < 0)
        return vv_fail_memory(error, "sorting triangles");
    status = vv_mesh_mend_needles(m, &mended, error);
    if (status != VV_OK)
        return status;
    const int flat = drop_flat(m, places, drop);
    notes->nearVertices += near, notes->droppedTriangles += collapsed, notes->repeatedTriangles += repeated;
    notes->mendedTriangles += mended, notes->flatTriangles += flat;
    *changed = near + collapsed + repeated + mended + flat > 0;
    return VV_OK;
}

/* What was dropped may leave edges open whose ends rounding keeps apart, so all of it is done until nothing is left to
 * do: what is mended stays as it is when it is mended again. Each pass takes a vertex or a triangle away, or ends. */
vvStatus vv_mesh_mend_surface(vvMesh *m, const vv_places *places, vvMeshNotes *notes, vvError *error)
{
    const int count = m->triangleCount;
    char *drop = vv_alloc((size_t)count, 1);
    vvStatus status = drop ? VV_OK : vv_fail_memory(error, "mending a surface");
    for (bool changed = true; status == VV_OK && changed && m->triangleCount;)
        status = mend_once(m, places, drop, notes, &changed, error);
    vv_free(drop);
    if (status == VV_OK && count && !m->triangleCount && !m->edgeCount) {
        char place[VV_PLACE_LENGTH];
        vv_place(place, places, places ? places->triangle : NULL, 0);
        return vv_fail(error, VV_ERROR_INPUT,
                       "%sno triangle of %d has an area: their corners coincide or are on a line", place, count);
    }
    return status;
}
