/* vvMeshCloseHoles: loops of open edges are filled with triangles between their vertices.
 *
 * An open half-edge goes from a to b along its triangle, so the rim of the hole goes from b to a. A vertex where several rims meet
 * belongs to no loop that could be followed. */
#include "base/memory.h"
#include "base/vec.h"
#include "mesh/format/polygon.h"
#include "mesh/mesh.h"

#include <math.h>
#include <string.h>

enum { NO_RIM = -1, SEVERAL = -2 };

typedef struct holes {
    const vvMesh *mesh;
    int *next;   /* per vertex: the next one on the rim, NO_RIM or SEVERAL */
    int *parent; /* joins the vertices of a part */
    int *size;   /* per root: triangles of the part */
    int *loop;   /* the present loop */
    char *seen;
    int *added;  /* triangles x 3 */
    int rims;    /* open edges */
} holes;

static vvStatus find_rims(holes *h, vvError *error)
{
    const vvMesh *m = h->mesh;
    int n = 3 * m->triangleCount;
    int *ends = vv_alloc(2 * (size_t)n, sizeof *ends), *order = vv_alloc((size_t)n, sizeof *order);
    bool ok = ends && order && vv_half_edges_sort(m, ends, order);
    for (int v = 0; v < m->vertexCount; v++)
        h->next[v] = NO_RIM;
    for (int i = 0, same; ok && i < n; i += same) {
        same = vv_half_edges_group(ends, order, i, n);
        if (same != 1)
            continue;
        int t = order[i] / 3, k = order[i] % 3, from = m->triangles[3 * t + k], to = m->triangles[3 * t + (k + 1) % 3];
        h->next[to] = h->next[to] == NO_RIM ? from : SEVERAL;
        h->rims++;
    }
    vv_free(ends);
    vv_free(order);
    return ok ? VV_OK : vv_fail_memory(error, "the holes of a surface");
}

static void find_parts(holes *h)
{
    const vvMesh *m = h->mesh;
    for (int v = 0; v < m->vertexCount; v++)
        h->parent[v] = v;
    for (int t = 0; t < m->triangleCount; t++)
        for (int k = 1; k < 3; k++) {
            int a = vv_root_of(h->parent, m->triangles[3 * t]), b = vv_root_of(h->parent, m->triangles[3 * t + k]);
            h->parent[a > b ? a : b] = a < b ? a : b;
        }
    for (int t = 0; t < m->triangleCount; t++)
        h->size[vv_root_of(h->parent, m->triangles[3 * t])]++;
}

/* Follows the rim from `first`; 0 if it does not come back. */
static int follow(holes *h, int first)
{
    int count = 0, v = first;
    do {
        h->loop[count++] = v;
        h->seen[v] = 1;
        v = h->next[v];
    } while (v >= 0 && v != first && !h->seen[v]);
    return v == first ? count : 0;
}

/* The largest distance between two vertices of the loop. */
static double width_of(const holes *h, int count)
{
    double widest = 0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++) {
            double d[3];
            vv_sub(h->mesh->positions + 3 * (size_t)h->loop[i], h->mesh->positions + 3 * (size_t)h->loop[j], d);
            widest = fmax(widest, vv_dot(d, d));
        }
    return sqrt(widest);
}

/* A lower bound of the width, found fast: rims of large sheets may be very long. */
static double extent_of(const holes *h, int count)
{
    double extent = 0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < count; i++) {
            double x = h->mesh->positions[3 * (size_t)h->loop[i] + (size_t)k];
            low = fmin(low, x);
            high = fmax(high, x);
        }
        extent = fmax(extent, high - low);
    }
    return extent;
}

/* A part with fewer triangles than its rim has edges is a scrap: the filling would be the same triangles again. */
static bool close_loop(holes *h, int count, double width, vvHoleNotes *notes)
{
    enum { SHORT = 4000 };
    double wide = extent_of(h, count);
    if (wide <= width || count < SHORT)
        wide = width_of(h, count);
    bool scrap = h->size[vv_root_of(h->parent, h->loop[0])] < count;
    if (wide <= width && !scrap && vv_polygon_cut(h->mesh->positions, h->loop, count, h->added + 3 * (size_t)notes->triangles)) {
        notes->triangles += count - 2;
        notes->widest = fmax(notes->widest, wide);
        notes->closed++;
        return true;
    }
    notes->narrowest = notes->left ? fmin(notes->narrowest, wide) : wide;
    notes->left++;
    return false;
}

static void close_loops(holes *h, double width, vvHoleNotes *notes)
{
    bool astray = false;
    for (int v = 0; v < h->mesh->vertexCount; v++) {
        if (h->next[v] < 0 || h->seen[v])
            astray = astray || h->next[v] == SEVERAL;
        else {
            int count = follow(h, v);
            if (count >= 3)
                close_loop(h, count, width, notes);
            else
                astray = true;
        }
    }
    notes->left += astray; /* rims that meet: counted as one */
}

static vvStatus add_triangles(vvMesh *mesh, const holes *h, int count, vvError *error)
{
    vvMesh with;
    vvStatus status = vvMeshCopy(mesh, &with, error);
    size_t old = 3 * (size_t)mesh->triangleCount, more = 3 * (size_t)count;
    int *all = status ? NULL : vv_alloc(old + more, sizeof *all);
    if (!status && !all)
        status = vv_fail_memory(error, "the triangles of closed holes");
    if (!status) {
        memcpy(all, with.triangles, old * sizeof *all);
        memcpy(all + old, h->added, more * sizeof *all);
        vv_free(with.triangles);
        with.triangles = all;
        with.triangleCount += count;
        status = vvMeshFinish(&with, NULL, error);
    }
    if (status) {
        vvMeshDestroy(&with);
        return status;
    }
    vvMeshDestroy(mesh);
    *mesh = with;
    return VV_OK;
}

static vvStatus close_holes(holes *h, vvMesh *mesh, double width, vvHoleNotes *notes, vvError *error)
{
    size_t vertices = (size_t)mesh->vertexCount;
    h->next = vv_alloc(vertices, sizeof *h->next);
    h->parent = vv_alloc(vertices, sizeof *h->parent);
    h->size = vv_alloc(vertices, sizeof *h->size);
    h->loop = vv_alloc(vertices, sizeof *h->loop);
    h->seen = vv_alloc(vertices, 1);
    if (!h->next || !h->parent || !h->size || !h->loop || !h->seen)
        return vv_fail_memory(error, "the holes of a surface");
    vvStatus status = find_rims(h, error);
    if (status || !h->rims)
        return status;
    h->added = vv_alloc(3 * (size_t)h->rims, sizeof *h->added);
    if (!h->added)
        return vv_fail_memory(error, "the holes of a surface");
    find_parts(h);
    close_loops(h, width, notes);
    return notes->closed ? add_triangles(mesh, h, notes->triangles, error) : VV_OK;
}

vvStatus vvMeshCloseHoles(vvMesh *mesh, double width, vvHoleNotes *notes, vvError *error)
{
    holes h = { .mesh = mesh };
    vvHoleNotes found = { 0 };
    vv_error_clear(error);
    vvStatus status = mesh ? vv_mesh_check(mesh, NULL, error) : vv_fail(error, VV_ERROR_INPUT, "vvMeshCloseHoles wants a mesh, found NULL");
    if (!status && (mesh->tetCount || !mesh->triangleCount))
        status = vv_fail(error, VV_ERROR_INPUT, "found a mesh of %d tets and %d triangles; holes are closed in surfaces: triangles without tets",
                         mesh->tetCount, mesh->triangleCount);
    if (!status && !(width >= 0))
        status = vv_fail(error, VV_ERROR_INPUT, "the width of holes to close is %g m; it must be 0 or more", width);
    if (!status)
        status = close_holes(&h, mesh, width, &found, error);
    vv_free(h.next);
    vv_free(h.parent);
    vv_free(h.size);
    vv_free(h.loop);
    vv_free(h.seen);
    vv_free(h.added);
    if (notes)
        *notes = status ? (vvHoleNotes){ 0 } : found;
    return status;
}
