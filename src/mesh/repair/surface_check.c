/* vvMeshCheckSurface: edges, vertices, flat triangles and triangles that meet. */
#include "base/memory.h"
#include "base/stop.h"
#include "mesh/intersect.h"
#include "mesh/repair/surface.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Coordinates are scaled so that the largest is near 2^200: products of three and squares of products of two stay far
 * from overflow, and the exact tests far from underflow. */
#define LARGEST_EXPONENT 200
#define SMALLEST 0x1p-290

static void scale_positions(vv_surface_check *s)
{
    double largest = 0;
    size_t n = 3 * (size_t)s->mesh->vertexCount;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(s->mesh->positions[i]));
    int exponent = LARGEST_EXPONENT;
    if (largest > 0) {
        frexp(largest, &exponent);
        exponent = LARGEST_EXPONENT - exponent;
    }
    s->scale = ldexp(1, exponent < 1000 ? exponent : 1000);
    for (size_t i = 0; i < n; i++) {
        double x = s->mesh->positions[i] * s->scale;
        s->x[i] = fabs(x) < SMALLEST ? 0 : x;
    }
}

static void mark(vv_surface_check *s, int triangle, int what) { s->check->marks[triangle] |= (unsigned char)what; }

/* ---- edges ------------------------------------------------------------------------------------------------------- */

/* Keeps the first ones; edges come in ascending order. */
static void note_edge(int *count, int shown[VV_SURFACE_SHOWN][2], const int ends[2])
{
    if (*count < VV_SURFACE_SHOWN)
        memcpy(shown[*count], ends, 2 * sizeof *ends);
    ++*count;
}

static int start_of(const vvMesh *mesh, int half_edge) { return mesh->triangles[half_edge]; }

static void check_edges(vv_surface_check *s)
{
    vvSurfaceCheck *c = s->check;
    int n = 3 * s->mesh->triangleCount;
    for (int i = 0, m; i < n; i += m) {
        const int *h = s->order + i, *ends = s->ends + 2 * (size_t)h[0];
        m = vv_half_edges_group(s->ends, s->order, i, n);
        int what = m == 1 ? VV_SURFACE_OPEN : m > 2 ? VV_SURFACE_CROWDED : 0;
        if (m == 2 && start_of(s->mesh, h[0]) == start_of(s->mesh, h[1]))
            what = VV_SURFACE_TURNED;
        if (what == VV_SURFACE_OPEN)
            note_edge(&c->openEdges, c->openEdge, ends);
        else if (what == VV_SURFACE_CROWDED)
            note_edge(&c->crowdedEdges, c->crowdedEdge, ends);
        else if (what)
            note_edge(&c->turnedEdges, c->turnedEdge, ends);
        for (int k = 0; k < m && what; k++)
            mark(s, h[k] / 3, what);
    }
    c->closed = c->openEdges == 0;
}

/* ---- vertices: the triangles' corners there, joined over edges, must be one fan ---------------------------------- */

/* The corner of the half-edge's triangle at `vertex`, one of its ends. */
static int corner_at(const vvMesh *mesh, int half_edge, int vertex)
{
    int next = half_edge / 3 * 3 + (half_edge % 3 + 1) % 3;
    return mesh->triangles[half_edge] == vertex ? half_edge : next;
}

static void join_corners(vv_surface_check *s, int *parent)
{
    int n = 3 * s->mesh->triangleCount;
    for (int i = 0, m; i < n; i += m) {
        const int *ends = s->ends + 2 * (size_t)s->order[i];
        m = vv_half_edges_group(s->ends, s->order, i, n);
        for (int k = 1; k < m; k++)
            for (int e = 0; e < 2; e++) {
                int a = vv_root_of(parent, corner_at(s->mesh, s->order[i], ends[e]));
                int b = vv_root_of(parent, corner_at(s->mesh, s->order[i + k], ends[e]));
                parent[a > b ? a : b] = a < b ? a : b;
            }
    }
}

static vvStatus check_vertices(vv_surface_check *s, vvError *error)
{
    vvSurfaceCheck *c = s->check;
    int n = 3 * s->mesh->triangleCount;
    int *parent = vv_alloc((size_t)n, sizeof *parent);
    int *fans = vv_alloc((size_t)s->mesh->vertexCount, sizeof *fans);
    vvStatus status = parent && fans ? VV_OK : vv_fail_memory(error, "the check of a surface");
    for (int i = 0; status == VV_OK && i < n; i++)
        parent[i] = i;
    if (status == VV_OK)
        join_corners(s, parent);
    for (int i = 0; status == VV_OK && i < n; i++)
        fans[s->mesh->triangles[i]] += parent[i] == i;
    for (int v = 0; status == VV_OK && v < s->mesh->vertexCount; v++)
        if (fans[v] > 1) {
            if (c->pinchedVertices < VV_SURFACE_SHOWN)
                c->pinchedVertex[c->pinchedVertices] = v;
            c->pinchedVertices++;
        }
    for (int i = 0; status == VV_OK && i < n; i++)
        if (fans[s->mesh->triangles[i]] > 1)
            mark(s, i / 3, VV_SURFACE_PINCHED);
    vv_free(parent);
    vv_free(fans);
    return status;
}

/* ---- triangles --------------------------------------------------------------------------------------------------- */

static void check_flat(vv_surface_check *s)
{
    vvSurfaceCheck *c = s->check;
    for (int t = 0; t < s->mesh->triangleCount; t++) {
        if (!vv_triangle_is_flat(vv_surface_corner(s, t, 0), vv_surface_corner(s, t, 1), vv_surface_corner(s, t, 2)))
            continue;
        if (c->flatTriangles < VV_SURFACE_SHOWN)
            c->flatTriangle[c->flatTriangles] = t;
        c->flatTriangles++;
        mark(s, t, VV_SURFACE_FLAT);
    }
}

static bool pair_before(const int a[2], const int b[2]) { return a[0] < b[0] || (a[0] == b[0] && a[1] < b[1]); }

/* Keeps the first ones, sorted; the tree's order means nothing to the user. */
static void note_crossing(vvSurfaceCheck *c, int a, int b)
{
    int pair[2] = { a < b ? a : b, a < b ? b : a };
    int shown = c->crossings < VV_SURFACE_SHOWN ? c->crossings : VV_SURFACE_SHOWN;
    int at = shown;
    while (at > 0 && pair_before(pair, c->crossing[at - 1]))
        at--;
    c->crossings++;
    if (at == VV_SURFACE_SHOWN)
        return;
    int moved = (shown < VV_SURFACE_SHOWN ? shown : VV_SURFACE_SHOWN - 1) - at;
    memmove(c->crossing[at + 1 < VV_SURFACE_SHOWN ? at + 1 : at], c->crossing[at], (size_t)moved * sizeof pair);
    memcpy(c->crossing[at], pair, sizeof pair);
}

static bool on_pair(void *arg, int a, int b)
{
    vv_surface_check *s = arg;
    const int *t = s->mesh->triangles;
    s->stopped = s->pairs++ % 1024 == 1023 && vv_stopped();
    if (s->stopped)
        return false;
    if (((s->check->marks[a] | s->check->marks[b]) & VV_SURFACE_FLAT) ||
        !vv_triangles_meet(s->x, t + 3 * (size_t)a, t + 3 * (size_t)b))
        return true;
    note_crossing(s->check, a, b);
    mark(s, a, VV_SURFACE_CROSSING);
    mark(s, b, VV_SURFACE_CROSSING);
    return s->check->crossings < VV_SURFACE_MOST_CROSSINGS;
}

static vvStatus build_tree(vv_surface_check *s, vvError *error)
{
    int n = s->mesh->triangleCount;
    vv_box *boxes = vv_alloc((size_t)n, sizeof *boxes);
    bool ok = boxes != NULL;
    for (int t = 0; ok && t < n; t++) {
        boxes[t] = vv_box_empty();
        for (int k = 0; k < 3; k++)
            vv_box_add(&boxes[t], vv_surface_corner(s, t, k));
    }
    ok = ok && vv_bvh_build(&s->tree, boxes, n);
    vv_free(boxes);
    return ok ? VV_OK : vv_fail_memory(error, "the check of a surface");
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static vvStatus check_all(vv_surface_check *s, vvError *error)
{
    vvSurfaceCheck *c = s->check;
    size_t n = (size_t)s->mesh->triangleCount;
    s->x = vv_alloc(3 * (size_t)s->mesh->vertexCount, sizeof *s->x);
    s->ends = vv_alloc(6 * n, sizeof *s->ends);
    s->order = vv_alloc(3 * n, sizeof *s->order);
    c->marks = vv_alloc(n, 1);
    c->partOf = vv_alloc(n, sizeof *c->partOf);
    if (!s->x || !s->ends || !s->order || !c->marks || !c->partOf || !vv_half_edges_sort(s->mesh, s->ends, s->order))
        return vv_fail_memory(error, "the check of a surface");
    scale_positions(s);
    check_edges(s);
    check_flat(s);
    vvStatus status = check_vertices(s, error);
    if (status == VV_OK)
        status = build_tree(s, error);
    if (status == VV_OK)
        status = vv_surface_find_parts(s, error);
    if (status != VV_OK)
        return status;
    vv_bvh_overlaps(&s->tree, on_pair, s);
    if (s->stopped)
        return vv_fail_cancelled(error);
    c->sound = c->closed && !c->crowdedEdges && !c->turnedEdges && !c->flatTriangles && !c->crossings;
    return c->sound ? vv_surface_nest_parts(s, error) : VV_OK;
}

vvStatus vv_surface_open(vv_surface_check *s, const vvMesh *mesh, vvSurfaceCheck *check, vvError *error)
{
    *s = (vv_surface_check){ .mesh = mesh, .check = check };
    *check = (vvSurfaceCheck){ 0 };
    vv_error_clear(error);
    vvStatus status = vv_mesh_check(mesh, NULL, error);
    if (status == VV_OK && !mesh->triangleCount)
        status = vv_fail(error, VV_ERROR_INPUT, "the mesh has no triangles, so there is no surface to check");
    if (status == VV_OK)
        status = check_all(s, error);
    if (status != VV_OK)
        vvSurfaceCheckDestroy(check);
    return status;
}

void vv_surface_close(vv_surface_check *s)
{
    vv_free(s->x);
    vv_free(s->ends);
    vv_free(s->order);
    vv_bvh_free(&s->tree);
}

vvStatus vv_surface_refuse(const vvMesh *mesh, const vvSurfaceCheck *check, vvError *error)
{
    const struct {
        int count;
        const char *one, *several;
    } faults[] = { { check->openEdges, "open edge", "open edges" },
                   { check->crowdedEdges, "edge of more than two triangles", "edges of more than two triangles" },
                   { check->turnedEdges, "edge between triangles that face opposite ways",
                     "edges between triangles that face opposite ways" },
                   { check->flatTriangles, "triangle without area", "triangles without area" },
                   { check->crossings, "crossing pair of triangles", "crossing pairs of triangles" } };
    char list[400] = "";
    for (size_t i = 0, n = 0; i < sizeof faults / sizeof *faults; i++)
        if (faults[i].count)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%d %s", n ? ", " : "", faults[i].count,
                                  faults[i].count == 1 ? faults[i].one : faults[i].several);
    int first = 0;
    while (first < mesh->triangleCount && !(check->marks[first] & ~VV_SURFACE_PINCHED))
        first++;
    const double *x =
        mesh->positions + 3 * (size_t)mesh->triangles[3 * (size_t)(first < mesh->triangleCount ? first : 0)];
    return vv_fail(
        error, VV_ERROR_INPUT,
        "the surface bounds no volume: %s, the first at (%.4g, %.4g, %.4g) m; visviva mesh SURFACE --check --bad "
        "FAULTS.obj shows where",
        list, x[0], x[1], x[2]);
}

static vvStatus check_surface(const vvMesh *mesh, vvSurfaceCheck *check, vvError *error)
{
    vv_surface_check s;
    if (!mesh || !check)
        return vv_fail(error, VV_ERROR_INPUT,
                       "vvMeshCheckSurface needs a mesh and a pointer for what it finds, found NULL");
    vvStatus status = vv_surface_open(&s, mesh, check, error);
    vv_surface_close(&s);
    return status;
}

vvStatus vvMeshCheckSurface(const vvMesh *mesh, vvSurfaceCheck *check, vvError *error)
{
    VV_STOPPABLE(check_surface(mesh, check, error));
}

void vvSurfaceCheckDestroy(vvSurfaceCheck *check)
{
    if (!check)
        return;
    vv_free(check->parts);
    vv_free(check->partOf);
    vv_free(check->marks);
    *check = (vvSurfaceCheck){ 0 };
}
