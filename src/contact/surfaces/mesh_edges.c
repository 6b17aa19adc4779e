/* The elements of the collision mesh: triangles, and edges with their surroundings. */
#include "contact/surfaces/mesh.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"

#include <stdlib.h>

void vv_surface_free(vv_surface *s)
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
    vv_free(s->flat_edge);
    vv_free(s->flat_vertex);
    vv_free(s->triangle_most);
    vv_free(s->bodies);
    vv_free(s->gaps);
    *s = (vv_surface){ 0 };
}

/* A side of triangle t from corner k to the next; for a rod: triangle -1. */
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

/* The sides of the body's triangles, and its edges. */
static int collect_sides(const vv_surface *s, const vv_contact_body *b, const vv_surface_body *sb, const int *vertex_of,
                         side *sides)
{
    int n = 0;
    for (int t = sb->first_triangle; t < sb->first_triangle + sb->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            sides[n++] = side_of(s->triangle[t][k], s->triangle[t][(k + 1) % 3], t, k);
    for (size_t e = 0; e < (size_t)b->edge_count; e++)
        sides[n++] = side_of(vertex_of[b->edges[2 * e] - b->base], vertex_of[b->edges[2 * e + 1] - b->base], -1, 0);
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
                area += vv_triangle_area(s->rest, s->triangle[sides[i].triangle]) / 3;
                around++;
            }
        s->edge_triangles[e] = (unsigned char)(around < 255 ? around : 255);
        s->edge_area[e] = around ? area : 0.5 * vv_edge_length(s->rest, s->edge[e][0], s->edge[e][1]) * distance;
        s->degree[s->edge[e][0]]++;
        s->degree[s->edge[e][1]]++;
    }
    sb->edge_count = s->edge_count - sb->first_edge;
}

/* A vertex is inside if all of its edges have two triangles or more. */
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

static bool allocate(vv_surface *s, size_t triangles, size_t edges)
{
    size_t vertices = (size_t)s->vertices->count;
    s->edge = vv_alloc(edges, sizeof *s->edge);
    s->triangle = vv_alloc(triangles, sizeof *s->triangle);
    s->triangle_edge = vv_alloc(triangles, sizeof *s->triangle_edge);
    s->edge_area = vv_alloc(edges, sizeof *s->edge_area);
    s->edge_triangles = vv_alloc(edges, 1);
    s->valence = vv_alloc(vertices, sizeof *s->valence);
    s->degree = vv_alloc(vertices, sizeof *s->degree);
    s->inside = vv_alloc(vertices, 1);
    s->point = vv_alloc(vertices, 1);
    s->bodies = vv_alloc((size_t)s->body_count, sizeof *s->bodies);
    return s->edge && s->triangle && s->triangle_edge && s->edge_area && s->edge_triangles && s->valence && s->degree &&
           s->inside && s->point && s->bodies;
}

/* vertex_of: of this body's vertices. */
static void build_body(vv_surface *s, int b, const vv_contact_body *body, const int *vertex_of, side *sides,
                       double distance)
{
    vv_surface_body *sb = s->bodies + b;
    const vv_vertices *vs = s->vertices;
    sb->first_vertex = b ? sb[-1].first_vertex + sb[-1].vertex_count : 0;
    while (sb->first_vertex + sb->vertex_count < vs->count && vs->body[sb->first_vertex + sb->vertex_count] == b)
        sb->vertex_count++;
    sb->first_triangle = s->triangle_count;
    sb->triangle_count = body->triangle_count;
    sb->self = body->self;
    sb->moves = body->moves;
    sb->carried = body->nodes != NULL;
    sb->affine = body->affine;
    sb->solid = body->solid;
    sb->radius = 0.5 * body->thickness;
    sb->activation = body->distance;
    for (size_t t = 0; t < (size_t)body->triangle_count; t++, s->triangle_count++)
        for (size_t k = 0; k < 3; k++)
            s->triangle[s->triangle_count][k] = vertex_of[body->triangles[3 * t + k] - body->base];
    add_edges(s, sb, sides, collect_sides(s, body, sb, vertex_of, sides), vv_contact_body_distance(body, distance));
}

vvStatus vv_contact_mesh_elements(const vv_contact_body *bodies, const int *vertex_of, double distance, vv_surface *s,
                                  vvError *error)
{
    size_t triangles = 0, edges = 0, most = 0;
    for (int b = 0; b < s->body_count; b++) {
        size_t n = 3 * (size_t)bodies[b].triangle_count + (size_t)bodies[b].edge_count;
        triangles += (size_t)bodies[b].triangle_count;
        edges += n;
        most = n > most ? n : most;
    }
    side *sides = vv_alloc(most, sizeof *sides);
    bool ok = allocate(s, triangles, edges) && sides;
    for (int b = 0; ok && b < s->body_count; vertex_of += bodies[b++].vertex_count)
        build_body(s, b, bodies + b, vertex_of, sides, distance);
    vv_free(sides);
    if (!ok)
        return vv_fail_memory(error, "the surfaces");
    mark_vertices(s);
    return VV_OK;
}
