/* vv_intersections_find: a tree of boxes per body finds the pairs of elements that are close; each pair is then
 * tested exactly.
 *
 * Coordinates are scaled by a power of two, so that the largest is near 2^200: the exact tests then stay far from
 * overflow and underflow, and anything below 2^-490 of the largest counts as zero. */
#include "contact/surfaces/intersections.h"

#include "base/geometry/bvh.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "mesh/intersect.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_EXPONENT 200
#define SMALLEST 0x1p-290

enum { SOLID, FLAT, ROD }; /* a triangle; one with collinear corners; a rod's edge */

/* Bodies in ascending order (within a body: elements). An element is a triangle of the body or, numbered after those,
 * an edge. */
typedef struct pair {
    int body[2], element[2];
    bool meets;
} pair;

typedef struct search {
    const vv_surface *surface;
    const double *q;
    double *x; /* scaled positions, 3 per vertex */
    double scale;
    int (*element)[3]; /* of all bodies; the third vertex of an edge is -1 */
    unsigned char *shape;
    int *first; /* body_count + 1: first element of each */
    vv_box *boxes;
    vv_bvh *trees; /* of a body's elements, made when needed */
    pair *pairs;
    size_t count, capacity;
    int body[2]; /* whose trees are being compared */
    bool failed; /* memory, or the host cancelled */
    vv_stop *stop;
} search;

static const double *position(const search *s, int vertex) { return s->x + 3 * (size_t)vertex; }

/* ---- positions and elements ---------------------------------------------------------------------------------------
 */

static void place_chunk(void *arg, int chunk)
{
    search *s = arg;
    const vv_vertices *vs = s->surface->vertices;
    for (int v = vv_chunk_begin(chunk); v < vv_chunk_end(chunk, vs->count); v++)
        vv_vertex_position(vs, v, s->q, s->x + 3 * (size_t)v);
}

static void scale_positions(search *s)
{
    size_t n = 3 * (size_t)s->surface->vertices->count;
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        if (fabs(s->x[i]) > largest && isfinite(s->x[i]))
            largest = fabs(s->x[i]);
    int exponent = LARGEST_EXPONENT;
    if (largest > 0)
        frexp(largest, &exponent);
    exponent = LARGEST_EXPONENT - exponent;
    s->scale = ldexp(1, exponent < 1000 ? exponent : 1000);
    for (size_t i = 0; i < n; i++) {
        double x = s->x[i] * s->scale;
        s->x[i] = fabs(x) < SMALLEST ? 0 : x;
    }
}

/* Triangles, then the edges that belong to none, body by body. */
static void list_elements(search *s)
{
    const vv_surface *f = s->surface;
    int n = 0;
    for (int b = 0; b < f->body_count; b++) {
        const vv_surface_body *body = &f->bodies[b];
        s->first[b] = n;
        for (int t = body->first_triangle; t < body->first_triangle + body->triangle_count; t++)
            memcpy(s->element[n++], f->triangle[t], sizeof *s->element);
        for (int e = body->first_edge; e < body->first_edge + body->edge_count; e++)
            if (f->edge_triangles[e] == 0)
                memcpy(s->element[n++], (int[3]){ f->edge[e][0], f->edge[e][1], -1 }, sizeof *s->element);
    }
    s->first[f->body_count] = n;
}

/* A box that touches nothing if a coordinate is not finite. */
static void measure_chunk(void *arg, int chunk)
{
    search *s = arg;
    for (int e = vv_chunk_begin(chunk); e < vv_chunk_end(chunk, s->first[s->surface->body_count]); e++) {
        const int *vertex = s->element[e];
        int corners = vertex[2] < 0 ? 2 : 3;
        double sum = 0;
        s->boxes[e] = vv_box_empty();
        for (int k = 0; k < corners; k++) {
            const double *x = position(s, vertex[k]);
            vv_box_add(&s->boxes[e], x);
            sum += x[0] + x[1] + x[2];
        }
        if (!isfinite(sum))
            s->boxes[e] = vv_box_empty();
        s->shape[e] = ROD;
        if (corners == 3 && isfinite(sum)) {
            const double *a = position(s, vertex[0]), *b = position(s, vertex[1]), *c = position(s, vertex[2]);
            s->shape[e] = vv_triangle_is_flat(a, b, c) ? FLAT : SOLID;
        }
    }
}

/* ---- pairs whose boxes touch --------------------------------------------------------------------------------------
 */

static int shared_vertices(const int a[3], const int b[3])
{
    int shared = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            shared += a[i] == b[j] && a[i] >= 0;
    return shared;
}

/* Elements that share vertices are compared only if their shapes define what intersecting beyond those means: two
 * triangles that share one vertex or two. */
static bool comparable(const search *s, int a, int b)
{
    if (s->shape[a] == ROD && s->shape[b] == ROD)
        return false;
    if (s->body[0] != s->body[1])
        return true;
    int shared = shared_vertices(s->element[a], s->element[b]);
    return shared == 0 || (shared < 3 && s->shape[a] == SOLID && s->shape[b] == SOLID);
}

static bool on_elements(void *arg, int a, int b)
{
    search *s = arg;
    if (s->body[0] == s->body[1] && a > b) {
        int t = a;
        a = b;
        b = t;
    }
    a += s->first[s->body[0]];
    b += s->first[s->body[1]];
    if (!comparable(s, a, b))
        return true;
    s->failed = s->count >= INT_MAX - VV_CHUNK || (s->count % 1024 == 1023 && vv_stop_wanted(s->stop)) ||
                !vv_grow((void **)&s->pairs, &s->capacity, s->count + 1, sizeof *s->pairs);
    if (!s->failed)
        s->pairs[s->count++] = (pair){ .body = { s->body[0], s->body[1] }, .element = { a, b } };
    return !s->failed;
}

static bool have_tree(search *s, int b)
{
    int first = s->first[b], n = s->first[b + 1] - first;
    if (!s->trees[b].count && n > 0 && !vv_bvh_build(&s->trees[b], s->boxes + first, n))
        s->failed = true;
    return !s->failed;
}

static bool on_bodies(void *arg, int a, int b)
{
    search *s = arg;
    s->body[0] = a < b ? a : b;
    s->body[1] = a < b ? b : a;
    if (!vv_surface_touches(s->surface, s->body[0], s->body[1]) || !have_tree(s, a) || !have_tree(s, b))
        return !s->failed;
    if (a == b)
        vv_bvh_overlaps(&s->trees[a], on_elements, s);
    else
        vv_bvh_overlaps_between(&s->trees[s->body[0]], &s->trees[s->body[1]], on_elements, s);
    return !s->failed;
}

static void find_pairs(search *s)
{
    int bodies = s->surface->body_count;
    vv_bvh tree = { 0 };
    vv_box *around = vv_alloc((size_t)bodies, sizeof *around);
    s->failed = !around;
    for (int b = 0; b < bodies && !s->failed; b++) {
        around[b] = vv_box_empty();
        for (int e = s->first[b]; e < s->first[b + 1]; e++)
            if (s->boxes[e].low[0] <= s->boxes[e].high[0]) {
                vv_box_add(&around[b], s->boxes[e].low);
                vv_box_add(&around[b], s->boxes[e].high);
            }
    }
    s->failed = s->failed || !vv_bvh_build(&tree, around, bodies);
    for (int b = 0; b < bodies && !s->failed; b++)
        on_bodies(s, b, b);
    if (!s->failed)
        vv_bvh_overlaps(&tree, on_bodies, s);
    vv_bvh_free(&tree);
    vv_free(around);
}

/* ---- exact tests --------------------------------------------------------------------------------------------------
 */

static int edges_of(const int element[3]) { return element[2] < 0 ? 1 : 3; }

static bool edge_meets(const search *s, int a, int edge, int b)
{
    const int *u = s->element[a], *v = s->element[b];
    return vv_segment_meets_triangle(position(s, u[edge]), position(s, u[(edge + 1) % 3]), position(s, v[0]),
                                     position(s, v[1]), position(s, v[2]));
}

static bool edges_meet(const search *s, int a, int b)
{
    const int *u = s->element[a], *v = s->element[b];
    for (int i = 0; i < edges_of(u); i++)
        for (int j = 0; j < edges_of(v); j++)
            if (vv_segments_meet(position(s, u[i]), position(s, u[(i + 1) % 3]), position(s, v[j]),
                                 position(s, v[(j + 1) % 3])))
                return true;
    return false;
}

static bool elements_meet(const search *s, int a, int b)
{
    if (s->shape[a] == SOLID && s->shape[b] == SOLID)
        return vv_triangles_meet(s->x, s->element[a], s->element[b]);
    if (s->shape[a] != SOLID && s->shape[b] != SOLID)
        return edges_meet(s, a, b);
    int line = s->shape[a] == SOLID ? b : a, triangle = a + b - line;
    for (int e = 0; e < edges_of(s->element[line]); e++)
        if (edge_meets(s, line, e, triangle))
            return true;
    return false;
}

static void test_chunk(void *arg, int chunk)
{
    search *s = arg;
    if (vv_stop_wanted(s->stop))
        return;
    for (int i = vv_chunk_begin(chunk); i < vv_chunk_end(chunk, (int)s->count); i++)
        s->pairs[i].meets = elements_meet(s, s->pairs[i].element[0], s->pairs[i].element[1]);
}

/* ---- the answer ---------------------------------------------------------------------------------------------------
 */

static int pair_order(const void *left, const void *right)
{
    const pair *a = left, *b = right;
    for (int k = 0; k < 2; k++)
        if (a->body[k] != b->body[k])
            return a->body[k] < b->body[k] ? -1 : 1;
    for (int k = 0; k < 2; k++)
        if (a->element[k] != b->element[k])
            return a->element[k] < b->element[k] ? -1 : 1;
    return 0;
}

static double height(const double a[3], const double b[3], const double c[3], const double p[3])
{
    double u[3], v[3], w[3], n[3];
    vv_sub(b, a, u);
    vv_sub(c, a, v);
    vv_sub(p, a, w);
    vv_cross(u, v, n);
    return fabs(vv_dot(n, w));
}

/* Where an edge of a goes through b, rounded. */
static bool through(const search *s, int a, int b, double point[3])
{
    const int *u = s->element[a], *v = s->element[b];
    for (int e = 0; e < edges_of(u) && s->shape[b] == SOLID; e++) {
        const int ends[3] = { u[e], u[(e + 1) % 3], -1 };
        if (shared_vertices(ends, v) || !edge_meets(s, a, e, b))
            continue;
        const double *p = position(s, ends[0]), *q = position(s, ends[1]);
        double from = height(position(s, v[0]), position(s, v[1]), position(s, v[2]), p);
        double to = height(position(s, v[0]), position(s, v[1]), position(s, v[2]), q);
        double part = from / (from + to);
        if (!(from + to > 0)) /* in its plane */
            continue;
        for (int c = 0; c < 3; c++)
            point[c] = p[c] + part * (q[c] - p[c]);
        return true;
    }
    return false;
}

static void describe(const search *s, const pair *p, vv_intersection *out)
{
    int a = p->element[0], b = p->element[1];
    memcpy(out->body, p->body, sizeof out->body);
    memcpy(out->a, s->element[a], sizeof out->a);
    memcpy(out->b, s->element[b], sizeof out->b);
    if (!through(s, a, b, out->point) && !through(s, b, a, out->point))
        for (int c = 0; c < 3; c++) /* the centre of the overlap of their boxes */
            out->point[c] =
                0.5 * (fmax(s->boxes[a].low[c], s->boxes[b].low[c]) + fmin(s->boxes[a].high[c], s->boxes[b].high[c]));
    for (int c = 0; c < 3; c++)
        out->point[c] /= s->scale;
}

/* Keeps the pairs that intersect, in order, and writes the first of them. */
static int report(search *s, vv_intersection *list, int capacity)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->pairs[i].meets)
            s->pairs[kept++] = s->pairs[i];
    if (kept > 1)
        qsort(s->pairs, kept, sizeof *s->pairs, pair_order);
    for (size_t i = 0; i < kept && (int)i < capacity; i++)
        describe(s, &s->pairs[i], &list[i]);
    return (int)kept;
}

static bool reserve(search *s)
{
    const vv_surface *f = s->surface;
    size_t elements = (size_t)f->triangle_count + (size_t)f->edge_count;
    s->x = vv_alloc(3 * (size_t)f->vertices->count, sizeof *s->x);
    s->element = vv_alloc(elements, sizeof *s->element);
    s->shape = vv_alloc(elements, 1);
    s->boxes = vv_alloc(elements, sizeof *s->boxes);
    s->first = vv_alloc((size_t)f->body_count + 1, sizeof *s->first);
    s->trees = vv_alloc((size_t)f->body_count, sizeof *s->trees);
    return s->x && s->element && s->shape && s->boxes && s->first && s->trees;
}

static void release(search *s)
{
    for (int b = 0; b < s->surface->body_count && s->trees; b++)
        vv_bvh_free(&s->trees[b]);
    vv_free(s->x);
    vv_free(s->element);
    vv_free(s->shape);
    vv_free(s->boxes);
    vv_free(s->first);
    vv_free(s->trees);
    vv_free(s->pairs);
}

vvStatus vv_intersections_find(const vv_surface *surface, const vv_parallel *par, const double *q,
                               vv_intersection *list, int capacity, int *count, vvError *error)
{
    search s = { .surface = surface, .q = q, .stop = par ? par->stop : NULL };
    *count = 0;
    s.failed = !reserve(&s);
    if (!s.failed) {
        vv_for(par, vv_chunks(surface->vertices->count), place_chunk, &s);
        scale_positions(&s);
        list_elements(&s);
        vv_for(par, vv_chunks(s.first[surface->body_count]), measure_chunk, &s);
        find_pairs(&s);
    }
    if (!s.failed) {
        vv_for(par, vv_chunks((int)s.count), test_chunk, &s);
        if (!vv_for_stopped(par))
            *count = report(&s, list, capacity);
    }
    vvStatus status = vv_for_stopped(par) ? vv_fail_cancelled(error)
                      : s.failed          ? vv_fail_memory(error, "the search for intersections")
                                          : VV_OK;
    release(&s);
    return status;
}
