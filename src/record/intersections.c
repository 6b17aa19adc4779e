/* Tests of frames: the surfaces of a run's bodies in the form that contact/surfaces/intersections.h needs, for the
 * exact test of a frame, and contact/ccd/passing.h, for the motion between two. Contact vertices are the run's nodes
 * and, after them, the vertices of carried surfaces (surfaces.c). */
#include "contact/surfaces/intersections.h"
#include "contact/ccd/passing.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "record/reader.h"

/* ---- edges that belong to no triangle ---- */

static int compare_edges(const void *left, const void *right)
{
    const int *a = left, *b = right;
    if (a[0] != b[0])
        return a[0] < b[0] ? -1 : 1;
    return (a[1] > b[1]) - (a[1] < b[1]);
}

static void set_edge(int out[2], int a, int b)
{
    out[0] = a < b ? a : b;
    out[1] = a < b ? b : a;
}

/* Appends the edges of one body; false: out of memory. */
static bool add_rods(vv_surface *s, const vvRunBody *body)
{
    if (body->surfaceCollides || body->tetCount > 0 || body->edgeCount == 0)
        return true;
    size_t n = 3 * (size_t)body->triangleCount;
    int(*sides)[2] = vv_alloc(n, sizeof *sides), edge[2];
    if (!sides)
        return false;
    for (size_t i = 0; i < n; i++)
        set_edge(sides[i], body->triangles[i], body->triangles[i - i % 3 + (i + 1) % 3]);
    qsort(sides, n, sizeof *sides, compare_edges);
    for (size_t e = 0; e < (size_t)body->edgeCount; e++) {
        set_edge(edge, body->edges[2 * e], body->edges[2 * e + 1]);
        if (edge[0] != edge[1] && !bsearch(edge, sides, n, sizeof *sides, compare_edges))
            memcpy(s->edge[s->edge_count++], edge, sizeof edge);
    }
    vv_free(sides);
    return true;
}

/* ---- the surface ---- */

typedef struct room {
    vv_vertices vertices;
    vv_surface surface;
    unsigned char *touches;
} room;

static void release(room *r)
{
    vv_free(r->vertices.start);
    vv_free(r->vertices.node);
    vv_free(r->vertices.weight);
    vv_free(r->surface.edge);
    vv_free(r->surface.triangle);
    vv_free(r->surface.edge_triangles);
    vv_free(r->surface.bodies);
    vv_free(r->surface.rest);
    vv_free(r->surface.point);
    vv_free(r->touches);
}

/* Whether the carried surface is looked at, in place of the body's own: as shown, or as it collides. */
static bool carried_of(const vvRunBody *b, bool shown) { return shown ? b->carries : b->surfaceCollides; }

static int triangles_of(const vvRunBody *b, bool shown)
{
    return carried_of(b, shown) ? b->drawnTriangleCount : b->triangleCount;
}

static bool allocate(const vvRun *run, bool shown, room *r)
{
    size_t nodes = (size_t)run->sizes.nodes, carried = (size_t)run->surface_vertices, triangles = 0, edges = 0;
    vv_surface *s = &r->surface;
    for (int64_t b = 0; b < run->sizes.bodies; b++) {
        triangles += (size_t)triangles_of(run->bodies + b, shown);
        edges += run->bodies[b].tetCount ? 0 : (size_t)run->bodies[b].edgeCount;
    }
    r->vertices = (vv_vertices){ .count = (int)(nodes + carried),
                                 .start = vv_alloc(nodes + carried + 1, sizeof(int)),
                                 .node = vv_alloc(nodes + 4 * carried, sizeof(int)),
                                 .weight = vv_alloc(nodes + 4 * carried, sizeof(double)) };
    s->vertices = &r->vertices;
    s->body_count = (int)run->sizes.bodies;
    s->edge = vv_alloc(edges, sizeof *s->edge);
    s->triangle = vv_alloc(triangles, sizeof *s->triangle);
    s->edge_triangles = vv_alloc(edges, 1);
    s->bodies = vv_alloc((size_t)run->sizes.bodies, sizeof *s->bodies);
    return r->vertices.start && r->vertices.node && r->vertices.weight && s->edge && s->triangle && s->edge_triangles &&
           s->bodies;
}

static bool build_touches(const vvRun *run, room *r)
{
    size_t n = (size_t)run->sizes.bodies;
    bool all = run->joined_count == 0;
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < a; b++)
            all = all && vvFiltersTouch(&run->bodies[a].filter, &run->bodies[b].filter);
    if (all)
        return true;
    r->surface.touches = r->touches = vv_alloc(n * n, 1);
    for (size_t a = 0; r->touches && a < n; a++)
        for (size_t b = 0; b < n; b++)
            r->touches[a * n + b] = a == b || vvFiltersTouch(&run->bodies[a].filter, &run->bodies[b].filter);
    for (int64_t i = 0; r->touches && i < run->joined_count; i++) {
        const size_t a = (size_t)run->joined[2 * i], b = (size_t)run->joined[2 * i + 1];
        r->touches[a * n + b] = r->touches[b * n + a] = 0;
    }
    return r->touches != NULL;
}

static void set_vertices(const vvRun *run, vv_vertices *vs)
{
    int nodes = (int)run->sizes.nodes, at = 0;
    for (int v = 0; v < vs->count; v++) {
        int parts = v < nodes ? 1 : 4;
        for (int k = 0; k < parts; k++, at++) {
            size_t from = 4 * (size_t)(v - nodes) + (size_t)k;
            vs->node[at] = v < nodes ? v : run->surface_nodes[from];
            vs->weight[at] = v < nodes ? 1 : run->surface_weights[from];
        }
        vs->start[v + 1] = at;
    }
}

static bool build(const vvRun *run, bool shown, room *r)
{
    vv_surface *s = &r->surface;
    if (!allocate(run, shown, r))
        return false;
    set_vertices(run, &r->vertices);
    for (int64_t b = 0; b < run->sizes.bodies; b++) {
        const vvRunBody *body = run->bodies + b;
        vv_surface_body *sb = s->bodies + b;
        const bool carried = carried_of(body, shown);
        const int triangles = triangles_of(body, shown);
        *sb = (vv_surface_body){ .first_vertex = carried ? body->firstVertex : body->firstNode,
                                 .vertex_count = carried ? body->vertexCount : body->nodeCount,
                                 .first_edge = s->edge_count,
                                 .first_triangle = s->triangle_count,
                                 .triangle_count = triangles,
                                 .self = body->selfContact,
                                 .moves = !body->kinematic,
                                 .carried = carried,
                                 .solid = body->tetCount > 0 || body->affine,
                                 .radius = 0.5 * body->thickness };
        if (triangles > 0)
            memcpy(s->triangle[s->triangle_count], carried ? body->drawnTriangles : body->triangles,
                   3 * (size_t)triangles * sizeof(int));
        s->triangle_count += triangles;
        if (!add_rods(s, body))
            return false;
        sb->edge_count = s->edge_count - sb->first_edge;
    }
    return build_touches(run, r);
}

/* ---- the tests ---- */

static int copy_side(const vvRunBody *body, const int v[3], int out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = v[k] < 0 ? 0 : v[k] - (body->surfaceCollides ? body->firstVertex : body->firstNode);
    return v[2] < 0 ? 2 : 3;
}

static vvStatus find(const vvRun *run, const double *q, vvRunIntersection *list, int capacity, int *count,
                     vvError *error)
{
    room r = { 0 };
    vv_parallel alone = { .threads = 1 };
    vv_intersection *found = vv_alloc((size_t)capacity, sizeof *found);
    vvStatus status = found && build(run, false, &r) ? VV_OK : vv_fail_memory(error, "the intersections in a frame");
    if (status == VV_OK)
        status = vv_intersections_find(&r.surface, &alone, q, found, capacity, count, error);
    for (int i = 0; status == VV_OK && i < capacity && i < *count; i++) {
        const vv_intersection *c = found + i;
        list[i].body[0] = c->body[0], list[i].body[1] = c->body[1];
        list[i].count[0] = copy_side(&run->bodies[c->body[0]], c->a, list[i].vertices[0]);
        list[i].count[1] = copy_side(&run->bodies[c->body[1]], c->b, list[i].vertices[1]);
        memcpy(list[i].point, c->point, sizeof c->point);
    }
    vv_free(found);
    release(&r);
    return status;
}

vvStatus vv_run_shown_intersections(const vvRun *run, const double *q, vvRunShown *shown, vvError *error)
{
    room r = { 0 };
    vv_parallel alone = { .threads = 1 };
    vv_intersection first;
    shown->intersections = 0;
    if (!run->knows_touching)
        return VV_OK;
    vvStatus status = build(run, true, &r) ? VV_OK : vv_fail_memory(error, "the intersections in a frame");
    if (status == VV_OK)
        status = vv_intersections_find(&r.surface, &alone, q, &first, 1, &shown->intersections, error);
    if (status == VV_OK && shown->intersections > 0) {
        memcpy(shown->meeting, first.body, sizeof shown->meeting);
        memcpy(shown->point, first.point, sizeof shown->point);
    }
    release(&r);
    return status;
}

static vvStatus know_touching(const vvRun *run, vvError *error)
{
    return run->knows_touching
               ? VV_OK
               : vv_fail(error, VV_ERROR_UNSUPPORTED,
                         "%s does not say which bodies may touch: it was made by an older version of visviva; "
                         "run its scene again",
                         run->path);
}

vvStatus vvRunFindIntersections(const vvRun *run, int frame, vvRunIntersection *list, int capacity, int *count,
                                vvError *error)
{
    vv_error_clear(error);
    if (!run || !count || capacity < 0 || (capacity > 0 && !list))
        return vv_fail(error, VV_ERROR_INPUT,
                       "vvRunFindIntersections needs a run, a pointer for the count and a list of `capacity` "
                       "elements");
    *count = 0;
    vvStatus status = know_touching(run, error);
    if (status != VV_OK)
        return status;
    double *q = vv_alloc(3 * (size_t)run->sizes.nodes, sizeof *q);
    if (!q)
        return vv_fail_memory(error, "the intersections in a frame");
    status = vvRunReadFrame(run, frame, q, NULL, error);
    if (status == VV_OK)
        status = find(run, q, list, capacity, count, error);
    vv_free(q);
    return status;
}

/* What the motion's test needs besides: shapes at rest, and which nodes are points. */
static bool add_rest(const vvRun *run, const double *rest, room *r)
{
    vv_surface *s = &r->surface;
    s->rest = vv_alloc(3 * (size_t)r->vertices.count, sizeof *s->rest);
    s->point = vv_alloc((size_t)r->vertices.count, 1);
    if (!s->rest || !s->point)
        return false;
    for (int v = 0; v < r->vertices.count; v++)
        vv_vertex_position(&r->vertices, v, rest, s->rest + 3 * (size_t)v);
    for (int64_t b = 0; b < run->sizes.bodies; b++)
        if (run->bodies[b].pointCount > 0)
            memset(s->point + run->bodies[b].firstNode, 1, (size_t)run->bodies[b].nodeCount);
    return true;
}

static vvStatus find_passing(const vvRun *run, const double *from, const double *to, vv_passing *passing, bool *found,
                             vvError *error)
{
    room r = { 0 };
    vv_passer *passer = NULL;
    vvRunLengths lengths;
    vv_parallel alone = { .threads = 1 };
    const double *rest = vvRunRestPositions(run);
    vvRunGetLengths(run, &lengths);
    vvStatus status = build(run, false, &r) && add_rest(run, rest ? rest : from, &r)
                          ? vv_passer_create(&r.surface, lengths.distance, &passer, error)
                          : vv_fail_memory(error, "the motion between frames");
    if (status == VV_OK)
        status = vv_passing_find(passer, &alone, &(vv_passing_motion){ from, to, .rule = VV_PASSING_THROUGH }, passing,
                                 found, error);
    vv_passer_destroy(passer);
    release(&r);
    return status;
}

vvStatus vvRunFindPassing(const vvRun *run, int frame, vvRunPassing *passing, bool *found, vvError *error)
{
    vv_error_clear(error);
    if (!run || !passing || !found || frame < 1)
        return vv_fail(error, VV_ERROR_INPUT,
                       "vvRunFindPassing needs a run, a frame from 1 on, and pointers for what it finds");
    *found = false;
    vvStatus status = know_touching(run, error);
    if (status != VV_OK)
        return status;
    const size_t n = 3 * (size_t)run->sizes.nodes;
    double *q = vv_alloc(2 * n, sizeof *q);
    vv_passing pair = { .looked = 0 };
    if (!q)
        return vv_fail_memory(error, "the motion between frames");
    status = vvRunReadFrame(run, frame - 1, q, NULL, error);
    if (status == VV_OK)
        status = vvRunReadFrame(run, frame, q + n, NULL, error);
    if (status == VV_OK)
        status = find_passing(run, q, q + n, &pair, found, error);
    *passing = (vvRunPassing){ { pair.body[0], pair.body[1] }, pair.travel, pair.extent };
    vv_free(q);
    return status;
}
