/* vvMeshRaise: a mesh of linear tets becomes one of order 2, with a node in the middle of each edge. And what makes
 * tets of ten nodes whole: the linear tets and the surface of the mesh subdivided once, whose vertices are the nodes.
 */
#include "mesh/raise.h"

#include "base/memory.h"
#include "base/stop.h"

#include <math.h>
#include <string.h>

vvStatus vv_mesh_subdivide(vvMesh *mesh, vvError *error)
{
    if (mesh->tet10Count > VV_MESH_LIMIT / VV_TET10_SUBTETS)
        return vv_fail(error, VV_ERROR_INPUT, "mesh with %d tets of order 2; at most %d", mesh->tet10Count,
                       VV_MESH_LIMIT / VV_TET10_SUBTETS);
    const int count = VV_TET10_SUBTETS * mesh->tet10Count;
    int *tets = vv_alloc(4 * (size_t)count, sizeof *tets);
    if (!tets)
        return vv_fail_memory(error, "tets of order 2");
    for (int t = 0; t < mesh->tet10Count; t++)
        vv_tet10_subdivide(mesh->positions, mesh->tets10 + 10 * (size_t)t, (int(*)[4])(tets + 32 * (size_t)t));
    vv_free(mesh->tets);
    mesh->tets = tets, mesh->tetCount = count;
    return VV_OK;
}

/* ---- finishing -------------------------------------------------------------------------------------------------- */

static void turn(int n[10])
{
    static const signed char pair[3][2] = { { 2, 3 }, { 5, 8 }, { 6, 7 } };
    for (int i = 0; i < 3; i++) {
        const int keep = n[pair[i][0]];
        n[pair[i][0]] = n[pair[i][1]], n[pair[i][1]] = keep;
    }
}

static vvStatus refuse(int t, const char *what, const vv_places *places, vvError *error)
{
    char place[VV_PLACE_LENGTH];
    vv_place(place, places, places ? places->tet10 : NULL, t);
    return vv_fail(error, VV_ERROR_INPUT,
                   "%stet %d of order 2 %s: look at the order of its nodes (corners, then the middles of edges 01, 12, "
                   "02, 03, 13, 23), or move the middles towards the edges",
                   place, t, what);
}

/* Eight times a linear tet's volume by the element's may be this small. */
static const double LEAST_SUBTET = 1e-9;

vvStatus vv_mesh_orient_tet10(vvMesh *mesh, const vv_places *places, vvMeshNotes *notes, vvError *error)
{
    for (int t = 0; t < mesh->tet10Count; t++) {
        int *n = mesh->tets10 + 10 * (size_t)t;
        if (vv_tet_det(mesh->positions, n) < 0) {
            turn(n);
            notes->flippedTets++;
        }
        if (!(vv_tet10_least_det(mesh->positions, n) > 0))
            return refuse(t, "is turned inside out somewhere", places, error);
    }
    vvStatus status = vv_mesh_subdivide(mesh, error);
    for (int i = 0; status == VV_OK && i < mesh->tetCount; i++) {
        const int t = i / VV_TET10_SUBTETS;
        const double least = LEAST_SUBTET / 8 * fabs(vv_tet_det(mesh->positions, mesh->tets10 + 10 * (size_t)t));
        if (!(vv_tet_det(mesh->positions, mesh->tets + 4 * (size_t)i) > least))
            status =
                refuse(t, "is so curved that one of the eight tets between its nodes has no volume", places, error);
    }
    return status;
}

/* ---- groups ----------------------------------------------------------------------------------------------------- */

/* The edges of the elements, sorted by their ends. */
typedef struct middles {
    const vvMesh *mesh;
    int *ends, *order; /* of edge i, ends[2 i], the smaller first; sorted */
    char *marks;       /* per vertex */
} middles;

/* The vertex in the middle of an edge; -1: it is none. */
static int middle_of(const middles *m, int a, int b)
{
    const int key[2] = { a < b ? a : b, a < b ? b : a };
    int low = 0, high = 6 * m->mesh->tet10Count;
    while (low < high) {
        const int half = low + (high - low) / 2, *at = m->ends + 2 * (size_t)m->order[half];
        if (at[0] < key[0] || (at[0] == key[0] && at[1] < key[1]))
            low = half + 1;
        else
            high = half;
    }
    if (low == 6 * m->mesh->tet10Count)
        return -1;
    const int i = m->order[low], *at = m->ends + 2 * (size_t)i;
    return at[0] == key[0] && at[1] == key[1] ? m->mesh->tets10[10 * (size_t)(i / 6) + 4 + (size_t)(i % 6)] : -1;
}

static void mark_middle(const middles *m, int a, int b)
{
    const int middle = middle_of(m, a, b);
    if (middle >= 0)
        m->marks[middle] |= 2;
}

/* Each triangle whose edges have middles becomes four. */
static int raise_triangles(const middles *m, vvMeshGroup *g)
{
    int count = 0, *made = vv_alloc(12 * (size_t)g->triangleCount, sizeof *made);
    for (int t = 0; made && t < g->triangleCount; t++) {
        const int *v = g->triangles + 3 * (size_t)t;
        const int a = middle_of(m, v[0], v[1]), b = middle_of(m, v[1], v[2]), c = middle_of(m, v[2], v[0]);
        const int parts[4][3] = { { v[0], a, c }, { a, v[1], b }, { c, b, v[2] }, { a, b, c } };
        const bool whole = a >= 0 && b >= 0 && c >= 0;
        memcpy(made + 3 * (size_t)count, whole ? parts[0] : v, (whole ? 12 : 3) * sizeof *made);
        count += whole ? 4 : 1;
        for (int k = 0; k < 3; k++)
            mark_middle(m, v[k], v[(k + 1) % 3]);
    }
    if (!made)
        return 0;
    vv_free(g->triangles);
    g->triangles = made, g->triangleCount = count;
    return 1;
}

/* Middles between corners of the group: of its triangles, of its lines, within its tets, or between its vertices. */
static int raise_group(const middles *m, bool linear, vvMeshGroup *g)
{
    const size_t vertices = (size_t)m->mesh->vertexCount;
    int count = 0;
    memset(m->marks, 0, vertices);
    for (int i = 0; i < g->vertexCount; i++)
        m->marks[g->vertices[i]] = 1;
    if (!raise_triangles(m, g))
        return 0;
    const bool all = g->dimension == 3 || (g->dimension == 0 && linear);
    const int *edges = all ? m->ends : m->mesh->edges;
    const int edge_count = all ? 6 * m->mesh->tet10Count : g->dimension == 1 ? m->mesh->edgeCount : 0;
    for (size_t i = 0; i < (size_t)edge_count; i++)
        if (m->marks[edges[2 * i]] & 1 && m->marks[edges[2 * i + 1]] & 1)
            mark_middle(m, edges[2 * i], edges[2 * i + 1]);
    for (size_t v = 0; v < vertices; v++)
        count += m->marks[v] != 0;
    int *made = vv_alloc((size_t)count, sizeof *made);
    if (!made)
        return 0;
    vv_free(g->vertices);
    g->vertices = made, g->vertexCount = 0;
    for (size_t v = 0; v < vertices; v++)
        if (m->marks[v])
            made[g->vertexCount++] = (int)v;
    return 1;
}

int vv_mesh_raise_groups(vvMesh *mesh, bool linear)
{
    const size_t count = 6 * (size_t)mesh->tet10Count;
    if (mesh->groupCount == 0 || count == 0)
        return 1;
    middles m = { mesh, vv_alloc(2 * count, sizeof *m.ends), vv_alloc(count, sizeof *m.order),
                  vv_alloc((size_t)mesh->vertexCount, 1) };
    for (size_t i = 0; m.ends && i < count; i++) {
        const int *n = mesh->tets10 + 10 * (i / 6);
        const int a = n[vv_tet10_ends[i % 6][0]], b = n[vv_tet10_ends[i % 6][1]];
        m.ends[2 * i] = a < b ? a : b, m.ends[2 * i + 1] = a < b ? b : a;
    }
    int ok = m.ends && m.order && m.marks && vv_sort_tuples(m.ends, 2, (int)count, mesh->vertexCount, m.order);
    for (int g = 0; ok && g < mesh->groupCount; g++)
        ok = raise_group(&m, linear, mesh->groups + g);
    vv_free(m.ends);
    vv_free(m.order);
    vv_free(m.marks);
    return ok;
}

/* ---- raising ---------------------------------------------------------------------------------------------------- */

/* Numbers the edges of the tets from `first` on, in the order of their ends: middle[6 t + e]. Returns how many there
 * are, -1: out of memory, or stopped. */
static int number_edges(const vvMesh *mesh, int first, int *middle)
{
    const size_t count = 6 * (size_t)mesh->tetCount;
    int *ends = vv_alloc(2 * count, sizeof *ends), *order = vv_alloc(count, sizeof *order), edges = 0;
    for (size_t i = 0; ends && i < count; i++) {
        const int *t = mesh->tets + 4 * (i / 6);
        const int a = t[vv_tet10_ends[i % 6][0]], b = t[vv_tet10_ends[i % 6][1]];
        ends[2 * i] = a < b ? a : b, ends[2 * i + 1] = a < b ? b : a;
    }
    const bool ok = ends && order && vv_sort_tuples(ends, 2, (int)count, mesh->vertexCount, order);
    for (size_t i = 0; ok && i < count; i++) {
        edges += i == 0 || memcmp(ends + 2 * (size_t)order[i - 1], ends + 2 * (size_t)order[i], 2 * sizeof *ends) != 0;
        middle[order[i]] = first + edges - 1;
    }
    vv_free(ends);
    vv_free(order);
    return ok && !vv_stopped() ? edges : -1;
}

static void fill(const vvMesh *mesh, const int *middle, vvMesh *made)
{
    memcpy(made->positions, mesh->positions, 3 * (size_t)mesh->vertexCount * sizeof *made->positions);
    for (size_t t = 0; t < (size_t)mesh->tetCount; t++) {
        const int *corner = mesh->tets + 4 * t;
        memcpy(made->tets10 + 10 * t, corner, 4 * sizeof *corner);
        for (size_t e = 0; e < 6; e++) {
            const double *a = mesh->positions + 3 * (size_t)corner[vv_tet10_ends[e][0]];
            const double *b = mesh->positions + 3 * (size_t)corner[vv_tet10_ends[e][1]];
            double *to = made->positions + 3 * (size_t)middle[6 * t + e];
            made->tets10[10 * t + 4 + e] = middle[6 * t + e];
            for (int k = 0; k < 3; k++)
                to[k] = 0.5 * (a[k] + b[k]);
        }
    }
}

static vvStatus check(const vvMesh *mesh, vvError *error)
{
    if (!mesh)
        return vv_fail(error, VV_ERROR_INPUT, "vvMeshRaise needs a mesh, found NULL");
    vvStatus status = vv_mesh_check(mesh, NULL, error);
    if (status != VV_OK)
        return status;
    if (mesh->tetCount == 0)
        return vv_fail(error, VV_ERROR_INPUT,
                       "order 2 is for tets, and the mesh has none; leave it out, or fill the "
                       "surface with tets (\"fill\": true)");
    if (mesh->tetCount > VV_MESH_LIMIT / VV_TET10_SUBTETS)
        return vv_fail(error, VV_ERROR_INPUT, "mesh with %d tets; of order 2 at most %d", mesh->tetCount,
                       VV_MESH_LIMIT / VV_TET10_SUBTETS);
    for (int t = 0; t < mesh->tetCount; t++)
        if (!(vv_tet_det(mesh->positions, mesh->tets + 4 * (size_t)t) > 0))
            return vv_fail(error, VV_ERROR_INPUT,
                           "tet %d has the volume %g m^3, so it cannot be raised; run the mesh through vvMeshFinish", t,
                           vv_tet_det(mesh->positions, mesh->tets + 4 * (size_t)t) / 6);
    return VV_OK;
}

vvStatus vv_mesh_raise(vvMesh *mesh, const vv_original *original, vvRaiseNotes *notes, vvError *error)
{
    vvStatus status = check(mesh, error);
    if (status != VV_OK || mesh->tet10Count > 0)
        return status;
    vvMesh made = { 0 };
    int *middle = vv_alloc(6 * (size_t)mesh->tetCount, sizeof *middle);
    const int edges = middle ? number_edges(mesh, mesh->vertexCount, middle) : -1;
    status = edges < 0 ? vv_fail_memory(error, "a mesh of order 2")
                       : vv_mesh_alloc(&made, mesh->vertexCount + edges, 0, 0, mesh->edgeCount, error);
    if (status == VV_OK) {
        made.points = vv_alloc(0, sizeof *made.points), made.bends = vv_alloc(0, sizeof *made.bends);
        made.tets10 = vv_alloc(10 * (size_t)mesh->tetCount, sizeof *made.tets10);
        made.tet10Count = mesh->tetCount;
        status = made.points && made.bends && made.tets10 ? VV_OK : vv_fail_memory(error, "a mesh of order 2");
    }
    if (status == VV_OK) {
        if (mesh->edgeCount)
            memcpy(made.edges, mesh->edges, 2 * (size_t)mesh->edgeCount * sizeof *made.edges);
        fill(mesh, middle, &made);
        status = vv_mesh_subdivide(&made, error);
    }
    if (status == VV_OK)
        status = vv_mesh_boundary(&made, NULL, error);
    if (status == VV_OK && original)
        status = vv_mesh_curve(&made, original, notes, error);
    if (status == VV_OK && original)
        status = vv_mesh_subdivide(&made, error);
    if (status == VV_OK && !(vv_mesh_groups_copy(mesh, &made) && vv_mesh_raise_groups(&made, true)))
        status = vv_fail_memory(error, "a mesh of order 2");
    vv_free(middle);
    if (status != VV_OK) {
        vvMeshDestroy(&made);
        return status;
    }
    vvMeshDestroy(mesh);
    *mesh = made;
    return VV_OK;
}

vvStatus vvMeshRaise(vvMesh *mesh, vvError *error)
{
    vv_error_clear(error);
    VV_STOPPABLE(vv_mesh_raise(mesh, NULL, NULL, error));
}
