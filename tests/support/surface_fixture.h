/* Contact surfaces made by hand: spheres, cloths, rods and loose points, each a body. Nodes are vertices. */
#ifndef SURFACE_FIXTURE_H
#define SURFACE_FIXTURE_H

#include "contact/surfaces/surface.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct model {
    vv_surface surface;
    vv_vertices vertices;
    size_t vertex_room, edge_room, triangle_room, body_room;
} model;

static void *room_for(void *array, size_t *room, int count, size_t size)
{
    if ((size_t)count > *room)
        *room = 2 * (size_t)count;
    return realloc(array, *room * size + 1);
}

static vv_surface_body *begin_body(model *m)
{
    vv_surface *s = &m->surface;
    s->bodies = room_for(s->bodies, &m->body_room, s->body_count + 1, sizeof *s->bodies);
    vv_surface_body *b = &s->bodies[s->body_count++];
    *b = (vv_surface_body){ .first_vertex = m->vertices.count,
                            .first_edge = s->edge_count,
                            .first_triangle = s->triangle_count,
                            .self = true,
                            .moves = true };
    return b;
}

static int add_vertex(model *m, double x, double y, double z)
{
    vv_surface *s = &m->surface;
    int v = m->vertices.count++;
    s->rest = room_for(s->rest, &m->vertex_room, v + 1, 3 * sizeof *s->rest);
    s->rest[3 * (size_t)v] = x;
    s->rest[3 * (size_t)v + 1] = y;
    s->rest[3 * (size_t)v + 2] = z;
    s->bodies[s->body_count - 1].vertex_count++;
    return v;
}

static void add_edge(model *m, int u, int v)
{
    vv_surface *s = &m->surface;
    s->edge = room_for(s->edge, &m->edge_room, s->edge_count + 1, sizeof *s->edge);
    s->edge[s->edge_count][0] = u;
    s->edge[s->edge_count++][1] = v;
    s->bodies[s->body_count - 1].edge_count++;
}

static void add_triangle(model *m, int u, int v, int w)
{
    vv_surface *s = &m->surface;
    s->triangle = room_for(s->triangle, &m->triangle_room, s->triangle_count + 1, sizeof *s->triangle);
    memcpy(s->triangle[s->triangle_count++], (int[3]){ u, v, w }, 3 * sizeof(int));
    s->bodies[s->body_count - 1].triangle_count++;
}

static int compare_edges(const void *a, const void *b)
{
    const int *e = a, *f = b;
    return e[0] != f[0] ? (e[0] > f[0]) - (e[0] < f[0]) : (e[1] > f[1]) - (e[1] < f[1]);
}

/* The edges of the body's triangles, and of what has been added before. */
static void add_triangle_edges(model *m)
{
    vv_surface_body b = m->surface.bodies[m->surface.body_count - 1];
    int(*all)[2] = malloc((size_t)b.triangle_count * 3 * sizeof *all), count = 0;
    for (int t = b.first_triangle; t < b.first_triangle + b.triangle_count; t++)
        for (int k = 0; k < 3; k++, count++) {
            int u = m->surface.triangle[t][k], v = m->surface.triangle[t][(k + 1) % 3];
            all[count][0] = u < v ? u : v;
            all[count][1] = u < v ? v : u;
        }
    qsort(all, (size_t)count, sizeof *all, compare_edges);
    for (int i = 0; i < count; i++)
        if (i == 0 || compare_edges(all[i], all[i - 1]))
            add_edge(m, all[i][0], all[i][1]);
    free(all);
}

/* The vertices from `first` on: scaled, then moved. */
static void place(model *m, int first, double scale, double x, double y, double z)
{
    const double to[3] = { x, y, z };
    for (int v = first; v < m->vertices.count; v++)
        for (int k = 0; k < 3; k++)
            m->surface.rest[3 * (size_t)v + (size_t)k] = scale * m->surface.rest[3 * (size_t)v + (size_t)k] + to[k];
}

/* A unit square in the xy plane, of 2 n^2 triangles, with bumps. */
static int add_cloth(model *m, int n, double bumps)
{
    int first = begin_body(m)->first_vertex;
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++) {
            double x = (double)i / n, y = (double)j / n;
            add_vertex(m, x, y, bumps * sin(7 * x + 3 * y) * cos(5 * y - 4 * x));
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int v = first + i * (n + 1) + j;
            add_triangle(m, v, v + n + 1, v + n + 2);
            add_triangle(m, v, v + n + 2, v + 1);
        }
    add_triangle_edges(m);
    return first;
}

/* A sphere of radius 1 of 12 n^2 triangles: a cube blown up. */
static int add_ball(model *m, int n)
{
    int first = begin_body(m)->first_vertex, side = n + 1,
        *at = malloc((size_t)side * (size_t)side * (size_t)side * sizeof *at);
    for (int i = 0; i < side * side * side; i++) {
        int c[3] = { i / side / side, i / side % side, i % side };
        bool outside = false;
        double x[3], norm = 0;
        for (int k = 0; k < 3; k++) {
            outside |= c[k] == 0 || c[k] == n;
            x[k] = tan(0.25 * 3.14159265358979 * (2.0 * c[k] / n - 1));
            norm += x[k] * x[k];
        }
        norm = sqrt(norm);
        at[i] = outside ? add_vertex(m, x[0] / norm, x[1] / norm, x[2] / norm) : -1;
    }
    const int step[3] = { side * side, side, 1 };
    for (int k = 0; k < 3; k++)
        for (int end = 0; end < 2; end++)
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) {
                    int u = step[(k + 1) % 3], v = step[(k + 2) % 3], a = end * n * step[k] + i * u + j * v;
                    int corner[4] = { at[a], at[a + u], at[a + u + v], at[a + v] };
                    add_triangle(m, corner[0], corner[end ? 1 : 2], corner[end ? 2 : 1]);
                    add_triangle(m, corner[0], corner[end ? 2 : 3], corner[end ? 3 : 2]);
                }
    free(at);
    add_triangle_edges(m);
    return first;
}

/* n edges along a helix of length about one. */
static int add_rod(model *m, int n)
{
    int first = begin_body(m)->first_vertex;
    for (int i = 0; i <= n; i++) {
        double s = (double)i / n;
        add_vertex(m, 0.1 * cos(9 * s), 0.1 * sin(9 * s), s);
        if (i > 0)
            add_edge(m, first + i - 1, first + i);
    }
    return first;
}

static inline double uniform_of(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (double)(*state >> 11) * 0x1p-53;
}

static inline int add_points(model *m, int n)
{
    uint64_t state = 99;
    int first = begin_body(m)->first_vertex;
    for (int i = 0; i < n; i++) {
        double x = uniform_of(&state), y = uniform_of(&state), z = uniform_of(&state);
        add_vertex(m, x, y, z);
    }
    return first;
}

/* What follows from the above; to be called once, at the end. */
static vv_surface *finish_model(model *m)
{
    vv_surface *s = &m->surface;
    size_t count = (size_t)m->vertices.count, edges = (size_t)s->edge_count;
    m->vertices.start = malloc((count + 1) * sizeof(int));
    m->vertices.node = malloc(count * sizeof(int) + 1);
    m->vertices.weight = malloc(count * sizeof(double) + 1);
    m->vertices.area = calloc(count + 1, sizeof(double));
    m->vertices.body = malloc(count * sizeof(int) + 1);
    m->vertices.friction = calloc(count + 1, sizeof(double));
    s->edge_area = calloc(edges + 1, sizeof(double));
    s->edge_triangles = calloc(edges + 1, 1);
    s->valence = calloc(count + 1, sizeof(int));
    s->inside = calloc(count + 1, 1);
    s->point = malloc(count + 1);
    s->flat_edge = calloc(edges + 1, 1);
    s->flat_vertex = calloc(count + 1, 1);
    s->vertices = &m->vertices;
    memset(s->point, 1, count + 1);
    for (size_t v = 0; v < count; v++) {
        m->vertices.start[v] = m->vertices.node[v] = (int)v;
        m->vertices.weight[v] = 1;
    }
    m->vertices.start[count] = (int)count;
    for (int b = 0; b < s->body_count; b++)
        for (int v = s->bodies[b].first_vertex; v < s->bodies[b].first_vertex + s->bodies[b].vertex_count; v++)
            m->vertices.body[v] = b;
    for (size_t e = 0; e < edges; e++)
        s->point[s->edge[e][0]] = s->point[s->edge[e][1]] = 0;
    for (int t = 0; t < s->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            int ends[2] = { s->triangle[t][k], s->triangle[t][(k + 1) % 3] };
            if (ends[0] > ends[1]) {
                int v = ends[0];
                ends[0] = ends[1];
                ends[1] = v;
            }
            const vv_surface_body *b = &s->bodies[m->vertices.body[ends[0]]];
            int(*found)[2] = bsearch(ends, s->edge + b->first_edge, (size_t)b->edge_count, sizeof ends, compare_edges);
            s->edge_triangles[found - s->edge]++;
            s->valence[s->triangle[t][k]]++;
        }
    return s;
}

static void free_model(model *m)
{
    vv_surface *s = &m->surface;
    void *all[] = { s->edge,
                    s->triangle,
                    s->edge_area,
                    s->rest,
                    s->edge_triangles,
                    s->valence,
                    s->inside,
                    s->point,
                    s->bodies,
                    s->flat_edge,
                    s->flat_vertex,
                    m->vertices.start,
                    m->vertices.node,
                    m->vertices.weight,
                    m->vertices.area,
                    m->vertices.body,
                    m->vertices.friction };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    *m = (model){ 0 };
}

#endif
