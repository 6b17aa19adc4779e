/* Contact of bodies with each other and themselves: the surfaces of all bodies as one, and the collisions between them. */
#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

static void surface_free(vv_surface *s)
{
    vv_free(s->edge);
    vv_free(s->triangle);
    vv_free(s->triangle_edge);
    vv_free(s->edge_area);
    vv_free(s->rest);
    vv_free(s->edge_triangles);
    vv_free(s->valence);
    vv_free(s->degree);
    vv_free(s->inside);
    vv_free(s->point);
    vv_free(s->bodies);
    *s = (vv_surface){ 0 };
}

/* A side of triangle t from corner k to the next; of a rod: triangle -1. */
typedef struct side {
    int low, high, triangle, corner;
} side;

static int compare_sides(const void *left, const void *right)
{
    const side *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    if (a->triangle != b->triangle)
        return a->triangle < b->triangle ? -1 : 1;
    return a->corner - b->corner;
}

static side side_of(int a, int b, int triangle, int corner)
{
    return (side){ a < b ? a : b, a < b ? b : a, triangle, corner };
}

static double triangle_area(const vv_surface *s, int t)
{
    const int *v = s->triangle[t];
    double e[3], f[3], n[3];
    vv_sub(s->rest + 3 * (size_t)v[1], s->rest + 3 * (size_t)v[0], e);
    vv_sub(s->rest + 3 * (size_t)v[2], s->rest + 3 * (size_t)v[0], f);
    vv_cross(e, f, n);
    return 0.5 * vv_norm(n);
}

static double edge_length(const vv_surface *s, int e)
{
    double d[3];
    vv_sub(s->rest + 3 * (size_t)s->edge[e][1], s->rest + 3 * (size_t)s->edge[e][0], d);
    return vv_norm(d);
}

/* The sides of the body's triangles, and its edges. */
static int collect_sides(const vv_surface *s, const vv_body *b, const vv_surface_body *sb, const int *vertex_of, side *sides)
{
    int n = 0;
    for (int t = sb->first_triangle; t < sb->first_triangle + sb->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            sides[n++] = side_of(s->triangle[t][k], s->triangle[t][(k + 1) % 3], t, k);
    for (int e = 0; b->tet_count == 0 && e < b->edge_count; e++)
        sides[n++] = side_of(vertex_of[b->edges[2 * e]], vertex_of[b->edges[2 * e + 1]], -1, 0);
    qsort(sides, (size_t)n, sizeof *sides, compare_sides);
    return n;
}

static void add_edges(vv_surface *s, vv_surface_body *sb, const side *sides, int n, double distance)
{
    sb->first_edge = s->edge_count;
    for (int i = 0; i < n;) {
        int e = s->edge_count++, around = 0;
        double area = 0;
        s->edge[e][0] = sides[i].low;
        s->edge[e][1] = sides[i].high;
        for (const side *first = sides + i; i < n && sides[i].low == first->low && sides[i].high == first->high; i++)
            if (sides[i].triangle >= 0) {
                s->triangle_edge[sides[i].triangle][sides[i].corner] = e;
                area += triangle_area(s, sides[i].triangle) / 3;
                around++;
            }
        s->edge_triangles[e] = (unsigned char)(around < 255 ? around : 255);
        s->edge_area[e] = around ? area : 0.5 * edge_length(s, e) * distance;
        s->degree[s->edge[e][0]]++;
        s->degree[s->edge[e][1]]++;
    }
    sb->edge_count = s->edge_count - sb->first_edge;
}

/* A vertex is inside where all of its edges have two triangles or more. */
static void mark_vertices(vv_surface *s)
{
    for (int t = 0; t < s->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            s->valence[s->triangle[t][k]]++;
    for (int v = 0; v < s->vertices->count; v++) {
        s->point[v] = s->degree[v] == 0;
        s->inside[v] = s->valence[v] > 0;
    }
    for (int e = 0; e < s->edge_count; e++)
        if (s->edge_triangles[e] < 2)
            s->inside[s->edge[e][0]] = s->inside[s->edge[e][1]] = 0;
}

static bool allocate(vvWorld *w, size_t triangles, size_t edges)
{
    vv_surface *s = &w->surface;
    size_t vertices = (size_t)w->vertices.count;
    s->vertices = &w->vertices;
    s->body_count = (int)w->body_count;
    s->edge = vv_alloc(edges, sizeof *s->edge);
    s->triangle = vv_alloc(triangles, sizeof *s->triangle);
    s->triangle_edge = vv_alloc(triangles, sizeof *s->triangle_edge);
    s->edge_area = vv_alloc(edges, sizeof *s->edge_area);
    s->rest = vv_alloc(3 * vertices, sizeof *s->rest);
    s->edge_triangles = vv_alloc(edges, 1);
    s->valence = vv_alloc(vertices, sizeof *s->valence);
    s->degree = vv_alloc(vertices, sizeof *s->degree);
    s->inside = vv_alloc(vertices, 1);
    s->point = vv_alloc(vertices, 1);
    s->bodies = vv_alloc(w->body_count, sizeof *s->bodies);
    return s->edge && s->triangle && s->triangle_edge && s->edge_area && s->rest && s->edge_triangles && s->valence &&
           s->degree && s->inside && s->point && s->bodies;
}

static void build_body(vvWorld *w, size_t b, const int *vertex_of, side *sides)
{
    vv_surface *s = &w->surface;
    const vv_body *body = w->bodies + b;
    vv_surface_body *sb = s->bodies + b;
    sb->first_vertex = b ? sb[-1].first_vertex + sb[-1].vertex_count : 0;
    while (sb->first_vertex + sb->vertex_count < w->vertices.count &&
           w->vertices.body[sb->first_vertex + sb->vertex_count] == (int)b)
        sb->vertex_count++;
    sb->first_triangle = s->triangle_count;
    sb->triangle_count = body->triangle_count;
    sb->self = w->def.contact.self && body->self_contact;
    sb->moves = !body->kinematic;
    sb->radius = 0.5 * body->thickness;
    for (int t = 0; t < body->triangle_count; t++, s->triangle_count++)
        for (int k = 0; k < 3; k++)
            s->triangle[s->triangle_count][k] = vertex_of[body->triangles[3 * t + k]];
    add_edges(s, sb, sides, collect_sides(s, body, sb, vertex_of, sides), w->def.contact.distance);
}

/* body x body, where some may not touch. */
static vvStatus build_touches(vvWorld *w, vvError *error)
{
    size_t n = w->body_count;
    bool all = true;
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < a; b++)
            all = all && vvFiltersTouch(&w->bodies[a].filter, &w->bodies[b].filter);
    if (all)
        return VV_OK;
    w->surface.touches = w->body_touches = vv_alloc(n * n, 1);
    if (!w->body_touches)
        return vv_fail_memory(error, "the filters");
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            w->body_touches[a * n + b] = a == b || vvFiltersTouch(&w->bodies[a].filter, &w->bodies[b].filter);
    return VV_OK;
}

vvStatus vv_collide_surface(vvWorld *w, vvError *error)
{
    vv_surface *s = &w->surface;
    size_t triangles = 0, edges = 0, most = 0;
    for (size_t b = 0; b < w->body_count; b++) {
        const vv_body *body = w->bodies + b;
        size_t sides = 3 * (size_t)body->triangle_count + (body->tet_count ? 0 : (size_t)body->edge_count);
        triangles += (size_t)body->triangle_count;
        edges += sides;
        most = sides > most ? sides : most;
    }
    int *vertex_of = vv_alloc((size_t)w->nodes, sizeof *vertex_of);
    side *sides = vv_alloc(most, sizeof *sides);
    bool ok = allocate(w, triangles, edges) && vertex_of && sides;
    for (int v = 0; ok && v < w->vertices.count; v++) {
        vertex_of[w->vertices.node[v]] = v;
        vv_vertex_position(&w->vertices, v, w->rest, s->rest + 3 * (size_t)v);
    }
    for (size_t b = 0; ok && b < w->body_count; b++)
        build_body(w, b, vertex_of, sides);
    vv_free(vertex_of);
    vv_free(sides);
    if (!ok)
        return vv_fail_memory(error, "the surfaces");
    mark_vertices(s);
    return build_touches(w, error);
}

/* Two bodies that may touch, or one with itself. */
static bool any_pair(const vv_surface *s)
{
    for (int a = 0; a < s->body_count; a++)
        for (int b = 0; b <= a; b++)
            if (vv_surface_touches(s, a, b))
                return true;
    return false;
}

vvStatus vv_collide_bake(vvWorld *w, vvError *error)
{
    vvStatus status = vv_collide_surface(w, error);
    if (status != VV_OK || !any_pair(&w->surface))
        return status;
    vv_collisions_def def = { &w->surface, w->def.contact.distance, w->def.contact.stiffness, w->def.contact.convergent };
    return vv_collisions_create(&def, &w->collisions, error);
}

void vv_collide_unbake(vvWorld *w)
{
    vv_collisions_destroy(w->collisions);
    w->collisions = NULL;
    surface_free(&w->surface);
    vv_free(w->body_touches);
    w->body_touches = NULL;
}
