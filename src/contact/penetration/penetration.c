/* The search for vertices that are inside bodies: point in tet, by a tree of all tets; then the nearest triangle of
 * the body's surface, by a tree for each body. All trees keep their shape and take new boxes at each position. */
#include "contact/penetration/penetration.h"

#include "base/error.h"
#include "base/geometry/intersect.h"
#include "base/memory.h"
#include "base/vec.h"

#include <string.h>

enum { VERTICES = 64, BOXES = 1024 };
static const double SLACK = 1 + 1e-9;
/* sides of a vertex's own tets count as this many times as far: where it is deep in another part of its body, they
 * would be the nearest too soon */
static const double OWN = 3;
static const double IN_SURFACE = 1e-24; /* m^2: nearer to the surface there is no direction to it, but rounding's */

/* ---- boxes ---- */

static vv_box tet_box(const vv_penetration *p, int tet, const double *q)
{
    vv_box box = vv_box_empty();
    for (int k = 0; k < 4; k++)
        vv_box_add(&box, q + 3 * (size_t)p->tet[tet][k]);
    return box;
}

static vv_box triangle_box(const vv_surface *s, int triangle, const double *x)
{
    vv_box box = vv_box_empty();
    for (int k = 0; k < 3; k++)
        vv_box_add(&box, x + 3 * (size_t)s->triangle[triangle][k]);
    return box;
}

/* ---- which bodies a vertex is in ---- */

typedef struct search {
    vv_collisions *c;
    vv_penetration *p;
    const double *q;
} search;

static void boxes_of_tets(void *arg, int chunk)
{
    const search *s = arg;
    for (int t = chunk * BOXES; t < (chunk + 1) * BOXES && t < s->p->tet_count; t++)
        s->p->tet_box[t] = tet_box(s->p, t, s->q);
}

typedef struct point {
    const search *s;
    int vertex;
    int *bodies, *count;
    int degree[VV_PENETRATION_BODIES]; /* by how many tets, those turned over counting -1 */
} point;

static bool hangs_on(const vv_vertices *vs, int v, const int *nodes, int count)
{
    for (int i = vs->start[v]; i < vs->start[v + 1]; i++)
        for (int k = 0; k < count; k++)
            if (vs->node[i] == nodes[k])
                return true;
    return false;
}

/* In order of their numbers, each once. */
static void note_body(point *at, int body, int sign)
{
    int i = 0;
    while (i < *at->count && at->bodies[i] < body)
        i++;
    if (i == VV_PENETRATION_BODIES)
        return;
    if (i < *at->count && at->bodies[i] == body) {
        at->degree[i] += sign;
        return;
    }
    const int kept = *at->count < VV_PENETRATION_BODIES ? *at->count : VV_PENETRATION_BODIES - 1;
    memmove(at->bodies + i + 1, at->bodies + i, (size_t)(kept - i) * sizeof *at->bodies);
    memmove(at->degree + i + 1, at->degree + i, (size_t)(kept - i) * sizeof *at->degree);
    at->bodies[i] = body;
    at->degree[i] = sign;
    *at->count = kept + 1;
}

/* Only those bodies stay that the point is inside of. */
static void keep_covered(point *at)
{
    int kept = 0;
    for (int i = 0; i < *at->count; i++)
        if (at->degree[i] != 0)
            at->bodies[kept++] = at->bodies[i];
    *at->count = kept;
}

static bool try_tet(void *arg, int tet)
{
    point *at = arg;
    const search *s = at->s;
    const vv_surface *surface = s->c->def.surface;
    const int body = s->p->tet_body[tet], own = surface->vertices->body[at->vertex], *n = s->p->tet[tet];
    const double *q = s->q;
    if (!vv_surface_touches(surface, own, body) || (own == body && hangs_on(surface->vertices, at->vertex, n, 4)))
        return true;
    const int sign = vv_point_in_tet(s->c->x + 3 * (size_t)at->vertex, q + 3 * (size_t)n[0], q + 3 * (size_t)n[1],
                                     q + 3 * (size_t)n[2], q + 3 * (size_t)n[3]);
    if (sign != 0)
        note_body(at, body, sign);
    return true;
}

static void find_bodies(void *arg, int chunk)
{
    const search *s = arg;
    const int count = s->c->def.surface->vertices->count;
    for (int v = chunk * VERTICES; v < (chunk + 1) * VERTICES && v < count; v++) {
        point at = { s, v, s->p->hit + VV_PENETRATION_BODIES * (size_t)v, s->p->hit_count + v, { 0 } };
        vv_box box = vv_box_empty();
        vv_box_add(&box, s->c->x + 3 * (size_t)v);
        *at.count = 0;
        vv_bvh_touching(&s->p->tets, &box, try_tet, &at);
        keep_covered(&at);
    }
}

/* ---- the nearest place of a body's surface ---- */

typedef struct nearest {
    const search *s;
    int vertex, first; /* first: triangle of the body */
} nearest;

static double triangle_distance2(const double *x, int vertex, const int t[3])
{
    double corner[4][3], w[4];
    memcpy(corner[0], x + 3 * (size_t)vertex, sizeof corner[0]);
    for (int k = 0; k < 3; k++)
        memcpy(corner[k + 1], x + 3 * (size_t)t[k], sizeof corner[0]);
    return vv_stencil_distance2(VV_STENCIL_VT, (const double(*)[3])corner, NULL, w);
}

/* Infinity: it is a side of a tet at the vertex. */
static double distance2(void *arg, int item)
{
    const nearest *at = arg;
    const int *t = at->s->c->def.surface->triangle[at->first + item], v = at->vertex;
    if (t[0] == v || t[1] == v || t[2] == v || at->s->p->apex[at->first + item] == v)
        return INFINITY;
    return triangle_distance2(at->s->c->x, v, t);
}

/* The nearest side within the vertex's own body, of the tets at it. The square of the distance to it, which counts as
 * if it were OWN times as long. */
static double nearest_side(const search *s, int v, int side[3])
{
    double least = INFINITY;
    int found[3];
    for (int at = s->p->star_first[v]; (at = vv_penetration_sides(s->p, v, at, found)) > 0;) {
        const double d = triangle_distance2(s->c->x, v, found);
        if (d < least) {
            least = d;
            memcpy(side, found, sizeof found);
        }
    }
    return OWN * OWN * least;
}

/* The pair of a vertex with the body that it is in; of weight 0: it lies in the surface. */
static vv_pair pair_with(const search *s, int v, int body)
{
    const vv_surface *surface = s->c->def.surface;
    const vv_surface_body *b = surface->bodies + body;
    nearest at = { s, v, b->first_triangle };
    vv_pair pair = { .kind = VV_STENCIL_VT, .vertex = { v, -1, -1, -1 }, .activation = 1, .mask = 15 };
    int *last = s->p->last + v, side[3] = { 0 };
    double within = surface->vertices->body[v] == body ? nearest_side(s, v, side) : INFINITY, square = within;
    if (*last >= b->first_triangle && *last < b->first_triangle + b->triangle_count)
        square = fmin(square, distance2(&at, *last - b->first_triangle) * SLACK);
    const int item = vv_bvh_nearest(s->p->surface + body, s->c->x + 3 * (size_t)v, distance2, &at, &square);
    pair.inner = item < 0 && within < INFINITY;
    if ((item < 0 && !pair.inner) || !(square > IN_SURFACE))
        return pair;
    if (item >= 0)
        *last = b->first_triangle + item;
    memcpy(pair.vertex + 1, pair.inner ? side : surface->triangle[*last], 3 * sizeof *pair.vertex);
    pair.weight = (s->p->per_vertex ? 1 : surface->vertices->area[v]) * (pair.inner ? OWN * OWN * OWN : 1);
    return pair;
}

static void find_places(void *arg, int chunk)
{
    const search *s = arg;
    const int count = s->c->def.surface->vertices->count;
    for (int v = chunk * VERTICES; v < (chunk + 1) * VERTICES && v < count; v++)
        for (int i = 0; i < s->p->hit_count[v]; i++)
            s->c->pairs[s->p->first[v] + i] = pair_with(s, v, s->p->hit[VV_PENETRATION_BODIES * (size_t)v + (size_t)i]);
}

/* New boxes for the surfaces in which something is. */
static void refit_struck(const search *s)
{
    const vv_surface *surface = s->c->def.surface;
    for (int b = 0; b < surface->body_count; b++) {
        const vv_surface_body *body = surface->bodies + b;
        if (!s->p->struck[b])
            continue;
        for (int t = body->first_triangle; t < body->first_triangle + body->triangle_count; t++)
            s->p->triangle_box[t] = triangle_box(surface, t, s->c->x);
        vv_bvh_refit(s->p->surface + b, s->p->triangle_box + body->first_triangle);
    }
}

/* Where each vertex's pairs go; their number. */
static int number_pairs(const search *s)
{
    const vv_surface *surface = s->c->def.surface;
    int count = 0;
    memset(s->p->struck, 0, (size_t)surface->body_count);
    for (int v = 0; v < surface->vertices->count; v++) {
        s->p->first[v] = count;
        count += s->p->hit_count[v];
        for (int i = 0; i < s->p->hit_count[v]; i++)
            s->p->struck[s->p->hit[VV_PENETRATION_BODIES * (size_t)v + (size_t)i]] = 1;
    }
    return count;
}

bool vv_penetration_find(vv_collisions *c, const vv_parallel *par, const double *q)
{
    vv_penetration *p = c->penetration;
    search s = { c, p, q };
    const size_t bytes = 3 * (size_t)p->node_count * sizeof *q;
    const int chunks = (c->def.surface->vertices->count + VERTICES - 1) / VERTICES;
    if (p->searched && c->fresh && memcmp(p->q, q, bytes) == 0)
        return true;
    memcpy(p->q, q, bytes);
    c->count = 0;
    p->searched = false;
    if (vv_for_stopped(par))
        return c->cancelled = true, false;
    vv_for(par, (p->tet_count + BOXES - 1) / BOXES, boxes_of_tets, &s);
    vv_bvh_refit(&p->tets, p->tet_box);
    vv_for(par, chunks, find_bodies, &s);
    const int count = number_pairs(&s);
    if (!vv_grow((void **)&c->pairs, &c->capacity, (size_t)count + 1, sizeof *c->pairs))
        return false;
    refit_struck(&s);
    vv_for(par, count > 0 ? chunks : 0, find_places, &s);
    for (int i = 0; i < count; i++)
        if (c->pairs[i].weight > 0)
            c->pairs[c->count++] = c->pairs[i];
    return p->searched = true;
}

bool vv_penetration_is_solid(const vv_collisions *c, int body) { return c->penetration->surface[body].count > 0; }

/* ---- creation ---- */

static bool build_trees(vv_penetration *p, const vv_surface *surface, const vv_contact_body *bodies, const double *rest)
{
    for (int b = 0, at = 0; b < surface->body_count; b++) {
        const vv_surface_body *body = surface->bodies + b;
        for (int t = 0; t < bodies[b].tet_count; t++, at++) {
            p->tet[at] = bodies[b].tets + 4 * (size_t)t;
            p->tet_body[at] = b;
            p->tet_box[at] = tet_box(p, at, rest);
        }
        if (bodies[b].tet_count == 0)
            continue;
        for (int t = body->first_triangle; t < body->first_triangle + body->triangle_count; t++)
            p->triangle_box[t] = triangle_box(surface, t, surface->rest);
        if (!vv_bvh_build(p->surface + b, p->triangle_box + body->first_triangle, body->triangle_count))
            return false;
    }
    return vv_bvh_build(&p->tets, p->tet_box, p->tet_count);
}

vvStatus vv_penetration_create(const vv_surface *surface, const vv_contact_body *bodies, const double *rest,
                               int node_count, bool per_vertex, vv_penetration **out, vvError *error)
{
    const size_t n = (size_t)surface->vertices->count, all = (size_t)surface->body_count;
    vv_penetration *p = vv_alloc(1, sizeof *p);
    *out = p;
    if (!p)
        return vv_fail_memory(error, "contact between bodies");
    p->per_vertex = per_vertex;
    p->node_count = node_count;
    p->body_count = surface->body_count;
    for (size_t b = 0; b < all; b++)
        p->tet_count += bodies[b].tet_count;
    p->tet = vv_alloc((size_t)p->tet_count, sizeof *p->tet);
    p->tet_body = vv_alloc((size_t)p->tet_count, sizeof *p->tet_body);
    p->tet_box = vv_alloc((size_t)p->tet_count, sizeof *p->tet_box);
    p->triangle_box = vv_alloc((size_t)surface->triangle_count, sizeof *p->triangle_box);
    p->surface = vv_alloc(all, sizeof *p->surface);
    p->hit = vv_alloc(VV_PENETRATION_BODIES * n, sizeof *p->hit);
    p->hit_count = vv_alloc(n, sizeof *p->hit_count);
    p->first = vv_alloc(n, sizeof *p->first);
    p->last = vv_alloc(n, sizeof *p->last);
    p->struck = vv_alloc(all, 1);
    p->q = vv_alloc(3 * (size_t)node_count, sizeof *p->q);
    if (!p->tet || !p->tet_body || !p->tet_box || !p->triangle_box || !p->surface || !p->hit || !p->hit_count ||
        !p->first || !p->last || !p->struck || !p->q || !build_trees(p, surface, bodies, rest))
        return vv_fail_memory(error, "contact between bodies");
    for (size_t v = 0; v < n; v++)
        p->last[v] = -1;
    return vv_penetration_star(p, surface, error);
}

void vv_penetration_destroy(vv_penetration *p)
{
    if (!p)
        return;
    for (int b = 0; p->surface && b < p->body_count; b++)
        vv_bvh_free(p->surface + b);
    vv_bvh_free(&p->tets);
    vv_free(p->tet);
    vv_free(p->tet_body);
    vv_free(p->tet_box);
    vv_free(p->triangle_box);
    vv_free(p->surface);
    vv_free(p->hit);
    vv_free(p->hit_count);
    vv_free(p->first);
    vv_free(p->last);
    vv_free(p->struck);
    vv_free(p->q);
    vv_free(p->vertex_of);
    vv_free(p->star_first);
    vv_free(p->star);
    vv_free(p->apex);
    vv_free(p->outer);
    vv_free(p);
}
