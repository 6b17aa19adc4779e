/* vvMeshCloseHoles: loops of open edges are filled with triangles between their vertices.
 *
 * An open half-edge goes from a to b along its triangle, so the rim of the hole goes from b to a, with the hole on
 * its left as seen from outside. Where holes share a vertex, the rim goes on along the same hole; a trail that comes
 * back to itself is cut into loops. */
#include "base/memory.h"
#include "base/stop.h"
#include "base/vec.h"
#include "mesh/format/polygon.h"
#include "mesh/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct holes {
    const vvMesh *mesh;
    int *start; /* per vertex, and one more: where its edges begin in `next` */
    int *next;  /* per edge of a rim: the vertex where it ends; -1: was followed */
    int *place; /* per vertex: where it is on the trail, or -1 */
    int *trail;
    double *normals; /* per vertex: of the triangles around it, by area */
    int *parent;     /* joins the vertices of a part */
    int *size;       /* per root: triangles of the part */
    int *known;      /* triangles that have all corners on rims, corners ascending, in order */
    int known_count;
    int *added; /* triangles x 3 */
    int rims;   /* open edges */
} holes;

/* ---- rims ---- */

/* Calls `visit` for each open edge, in its rim's direction. */
static void each_open_edge(const vvMesh *m, const int *ends, const int *order,
                           void (*visit)(holes *h, int from, int to), holes *h)
{
    int n = 3 * m->triangleCount;
    for (int i = 0, same; i < n; i += same) {
        same = vv_half_edges_group(ends, order, i, n);
        int t = order[i] / 3, k = order[i] % 3;
        if (same == 1)
            visit(h, m->triangles[3 * t + (k + 1) % 3], m->triangles[3 * t + k]);
    }
}

static void count_edge(holes *h, int from, int to)
{
    (void)to;
    h->start[from + 1]++;
    h->rims++;
}

/* `place` counts the edges that a vertex has already. */
static void put_edge(holes *h, int from, int to) { h->next[h->start[from] + h->place[from]++] = to; }

static vvStatus find_rims(holes *h, vvError *error)
{
    const vvMesh *m = h->mesh;
    int n = 3 * m->triangleCount;
    int *ends = vv_alloc(2 * (size_t)n, sizeof *ends), *order = vv_alloc((size_t)n, sizeof *order);
    bool ok = ends && order && vv_half_edges_sort(m, ends, order);
    if (ok) {
        each_open_edge(m, ends, order, count_edge, h);
        for (int v = 0; v < m->vertexCount; v++)
            h->start[v + 1] += h->start[v];
        h->next = vv_alloc((size_t)h->rims + 1, sizeof *h->next);
        h->added = vv_alloc(3 * (size_t)h->rims + 1, sizeof *h->added);
        ok = h->next && h->added;
    }
    if (ok)
        each_open_edge(m, ends, order, put_edge, h);
    vv_free(ends);
    vv_free(order);
    return ok ? VV_OK : vv_fail_memory(error, "the holes of a surface");
}

static void find_normals(holes *h)
{
    const vvMesh *m = h->mesh;
    for (int t = 0; t < m->triangleCount; t++) {
        const int *v = m->triangles + 3 * (size_t)t;
        double ab[3], ac[3], normal[3];
        vv_sub(m->positions + 3 * (size_t)v[1], m->positions + 3 * (size_t)v[0], ab);
        vv_sub(m->positions + 3 * (size_t)v[2], m->positions + 3 * (size_t)v[0], ac);
        vv_cross(ab, ac, normal);
        for (int k = 0; k < 9; k++)
            h->normals[3 * (size_t)v[k / 3] + (size_t)(k % 3)] += normal[k % 3];
    }
}

/* The angle at v from the edge to `to`, counterclockwise around the normal, to the edge to `from`. */
static double opening(const holes *h, int from, int v, int to)
{
    double a[3], b[3], across[3], length = vv_norm(h->normals + 3 * (size_t)v);
    vv_sub(h->mesh->positions + 3 * (size_t)to, h->mesh->positions + 3 * (size_t)v, a);
    vv_sub(h->mesh->positions + 3 * (size_t)from, h->mesh->positions + 3 * (size_t)v, b);
    vv_cross(a, b, across);
    if (!(length > 0))
        return 0;
    double sine = vv_dot(across, h->normals + 3 * (size_t)v) / length;
    double along_a = vv_dot(a, h->normals + 3 * (size_t)v) / length,
           along_b = vv_dot(b, h->normals + 3 * (size_t)v) / length;
    double angle = atan2(sine, vv_dot(a, b) - along_a * along_b);
    return angle > 0 ? angle : angle + 2 * acos(-1);
}

/* The edge on which a trail from `from` goes on at v: the one along the same hole. -1: none is left. */
static int choose(const holes *h, int from, int v)
{
    int best = -1;
    double least = INFINITY;
    for (int e = h->start[v]; e < h->start[v + 1]; e++) {
        if (h->next[e] < 0)
            continue;
        double angle = from < 0 ? 0 : opening(h, from, v, h->next[e]);
        if (angle < least) {
            least = angle;
            best = e;
        }
    }
    return best;
}

/* ---- what a filling may be ---- */

static int compare_triples(const void *a, const void *b)
{
    const int *p = a, *q = b;
    for (int k = 0; k < 3; k++)
        if (p[k] != q[k])
            return p[k] < q[k] ? -1 : 1;
    return 0;
}

static void ascending(const int v[3], int out[3])
{
    int low = v[0] < v[1] ? v[0] : v[1], high = v[0] < v[1] ? v[1] : v[0];
    out[0] = low < v[2] ? low : v[2];
    out[2] = high > v[2] ? high : v[2];
    out[1] = v[2] < low ? low : v[2] > high ? high : v[2];
}

static bool on_rim(const holes *h, int v) { return h->start[v + 1] > h->start[v]; }

static void find_known(holes *h)
{
    const vvMesh *m = h->mesh;
    for (int t = 0; t < m->triangleCount; t++) {
        const int *v = m->triangles + 3 * (size_t)t;
        if (on_rim(h, v[0]) && on_rim(h, v[1]) && on_rim(h, v[2]))
            ascending(v, h->known + 3 * (size_t)h->known_count++);
    }
    qsort(h->known, (size_t)h->known_count, 3 * sizeof *h->known, compare_triples);
}

/* Whether one of the triangles is there already: a hole is not filled with its own neighbour. */
static bool doubles(const holes *h, const int *triangles, int count)
{
    int triple[3];
    for (int t = 0; t < count; t++) {
        ascending(triangles + 3 * (size_t)t, triple);
        if (bsearch(triple, h->known, (size_t)h->known_count, 3 * sizeof *h->known, compare_triples))
            return true;
    }
    return false;
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

/* The largest distance between two vertices of the loop. */
static double width_of(const holes *h, const int *loop, int count)
{
    double widest = 0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++) {
            double d[3];
            vv_sub(h->mesh->positions + 3 * (size_t)loop[i], h->mesh->positions + 3 * (size_t)loop[j], d);
            widest = fmax(widest, vv_dot(d, d));
        }
    return sqrt(widest);
}

/* A lower bound of the width, found fast: rims of large sheets may be very long. */
static double extent_of(const holes *h, const int *loop, int count)
{
    double extent = 0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < count; i++) {
            double x = h->mesh->positions[3 * (size_t)loop[i] + (size_t)k];
            low = fmin(low, x);
            high = fmax(high, x);
        }
        extent = fmax(extent, high - low);
    }
    return extent;
}

static bool fill(const holes *h, const int *loop, int count, int *triangles)
{
    if (!vv_polygon_cut(h->mesh->positions, loop, count, triangles))
        return false;
    for (size_t i = 0; i < 3 * ((size_t)count - 2); i++)
        triangles[i] = loop[triangles[i]];
    return true;
}

/* A part with fewer triangles than its rim has edges is a scrap: the filling would be the same triangles again. */
static void close_loop(holes *h, const int *loop, int count, double width, vvHoleNotes *notes)
{
    enum { SHORT = 4000 };
    int *triangles = h->added + 3 * (size_t)notes->triangles;
    double wide = extent_of(h, loop, count);
    if (wide <= width || count < SHORT)
        wide = width_of(h, loop, count);
    bool scrap = h->size[vv_root_of(h->parent, loop[0])] < count;
    if (wide <= width && !scrap && fill(h, loop, count, triangles) && !doubles(h, triangles, count - 2)) {
        notes->triangles += count - 2;
        notes->widest = fmax(notes->widest, wide);
        notes->closed++;
        return;
    }
    if (wide > width) {
        notes->narrowest = notes->wider ? fmin(notes->narrowest, wide) : wide;
        notes->wider++;
    }
    notes->left++;
}

/* Follows rims from `first` until they end; false if that is elsewhere. */
static bool follow(holes *h, int first, double width, vvHoleNotes *notes)
{
    int count = 0, from = -1, v = first, e;
    for (;;) {
        if (h->place[v] >= 0) { /* back at a vertex of the trail: what is between is a loop */
            int begin = h->place[v];
            close_loop(h, h->trail + begin, count - begin, width, notes);
            while (count > begin + 1)
                h->place[h->trail[--count]] = -1;
        } else {
            h->place[v] = count;
            h->trail[count++] = v;
        }
        if ((e = choose(h, from, v)) < 0)
            break;
        from = v;
        v = h->next[e];
        h->next[e] = -1;
    }
    bool whole = count == 1;
    while (count > 0)
        h->place[h->trail[--count]] = -1;
    return whole;
}

static void close_loops(holes *h, double width, vvHoleNotes *notes)
{
    bool astray = false;
    for (int v = 0; v < h->mesh->vertexCount; v++)
        h->place[v] = -1;
    for (int v = 0; v < h->mesh->vertexCount; v++)
        while (choose(h, -1, v) >= 0)
            astray = !follow(h, v, width, notes) || astray;
    notes->left += astray; /* rims that end at an edge of several triangles: counted as one */
}

/* Corners of new triangles get the texture coordinates that their vertices have in a triangle beside the hole. */
static bool add_uvs(vvMesh *with, const holes *h, int count)
{
    size_t old = 3 * (size_t)with->triangleCount, more = 3 * (size_t)count;
    if (!with->uvs)
        return true;
    double *all = vv_alloc(2 * (old + more), sizeof *all);
    size_t *corner = vv_alloc((size_t)with->vertexCount, sizeof *corner);
    bool ok = all && corner;
    if (ok)
        memcpy(all, with->uvs, 2 * old * sizeof *all);
    for (size_t c = 0; ok && c < old; c++)
        corner[with->triangles[c]] = c;
    for (size_t c = 0; ok && c < more; c++)
        memcpy(all + 2 * (old + c), all + 2 * corner[h->added[c]], 2 * sizeof *all);
    vv_free(corner);
    vv_free(ok ? with->uvs : all);
    with->uvs = ok ? all : with->uvs;
    return ok;
}

static vvStatus add_triangles(vvMesh *mesh, const holes *h, int count, vvError *error)
{
    vvMesh with;
    vvStatus status = vvMeshCopy(mesh, &with, error);
    size_t old = 3 * (size_t)mesh->triangleCount, more = 3 * (size_t)count;
    int *all = status != VV_OK ? NULL : vv_alloc(old + more, sizeof *all);
    if (status == VV_OK && (!all || !add_uvs(&with, h, count))) {
        vv_free(all);
        status = vv_fail_memory(error, "the triangles of closed holes");
    }
    if (status == VV_OK) {
        memcpy(all, with.triangles, old * sizeof *all);
        memcpy(all + old, h->added, more * sizeof *all);
        vv_free(with.triangles);
        with.triangles = all;
        with.triangleCount += count;
        status = vvMeshFinish(&with, NULL, error);
    }
    if (status != VV_OK) {
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
    h->start = vv_alloc(vertices + 1, sizeof *h->start);
    h->place = vv_alloc(vertices, sizeof *h->place);
    h->trail = vv_alloc(vertices, sizeof *h->trail);
    h->normals = vv_alloc(3 * vertices, sizeof *h->normals);
    h->parent = vv_alloc(vertices, sizeof *h->parent);
    h->size = vv_alloc(vertices, sizeof *h->size);
    h->known = vv_alloc(3 * (size_t)mesh->triangleCount, sizeof *h->known);
    if (!h->start || !h->place || !h->trail || !h->normals || !h->parent || !h->size || !h->known)
        return vv_fail_memory(error, "the holes of a surface");
    vvStatus status = find_rims(h, error);
    if (status != VV_OK || !h->rims)
        return status;
    find_normals(h);
    find_parts(h);
    find_known(h);
    close_loops(h, width, notes);
    return notes->closed ? add_triangles(mesh, h, notes->triangles, error) : VV_OK;
}

static vvStatus close_all(vvMesh *mesh, double width, vvHoleNotes *notes, vvError *error)
{
    holes h = { .mesh = mesh };
    vvHoleNotes found = { 0 };
    vv_error_clear(error);
    vvStatus status = mesh ? vv_mesh_check(mesh, NULL, error)
                           : vv_fail(error, VV_ERROR_INPUT, "vvMeshCloseHoles needs a mesh, found NULL");
    if (status == VV_OK && (mesh->tetCount || !mesh->triangleCount))
        status =
            vv_fail(error, VV_ERROR_INPUT,
                    "found a mesh of %d tets and %d triangles; holes are closed in surfaces: triangles without tets",
                    mesh->tetCount, mesh->triangleCount);
    if (status == VV_OK && !(width >= 0))
        status = vv_fail(error, VV_ERROR_INPUT, "the width of holes to close is %g m; it must be 0 or more", width);
    if (status == VV_OK)
        status = close_holes(&h, mesh, width, &found, error);
    vv_free(h.start);
    vv_free(h.next);
    vv_free(h.place);
    vv_free(h.trail);
    vv_free(h.normals);
    vv_free(h.parent);
    vv_free(h.size);
    vv_free(h.known);
    vv_free(h.added);
    if (notes)
        *notes = status != VV_OK ? (vvHoleNotes){ 0 } : found;
    return status;
}

vvStatus vvMeshCloseHoles(vvMesh *mesh, double width, vvHoleNotes *notes, vvError *error)
{
    VV_STOPPABLE(close_all(mesh, width, notes, error));
}
