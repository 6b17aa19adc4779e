/* Smooth normals with creases: around each node the triangles fall into patches, two neighbours in one patch when their
 * common edge folds by less than the crease angle. A render vertex is a node in one patch. The patches are found once,
 * in a shape that is not crumpled, so that shading does not flicker while the body moves. */
#include "cli.h"
#include "render/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_REFINED = 30000 }; /* triangles: finer meshes are round enough */

/* A half-edge for matching: `key` is its two nodes, lowest first; corner = 3 triangle + side. */
typedef struct side {
    int low, high, corner;
} side;

static int compare_sides(const void *a, const void *b)
{
    const side *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return (x->corner > y->corner) - (x->corner < y->corner);
}

static bool same_side(const side *a, const side *b) { return a->low == b->low && a->high == b->high; }

typedef struct triangles {
    int count;
    int *nodes, *body;
    double *normal; /* unit, of the reference positions */
    side *sides;    /* 3 count, sorted */
} triangles;

static void triangles_destroy(triangles *t)
{
    free(t->nodes);
    free(t->body);
    free(t->normal);
    free(t->sides);
}

static void triangle_normal(const double *x, const int n[3], double out[3])
{
    double a[3], b[3];
    for (int k = 0; k < 3; k++) {
        a[k] = x[3 * n[1] + k] - x[3 * n[0] + k];
        b[k] = x[3 * n[2] + k] - x[3 * n[0] + k];
    }
    vv_cross3(a, b, out);
}

static bool triangles_gather(triangles *t, const vvRun *run, const double *positions)
{
    *t = (triangles){ 0 };
    for (int b = 0; b < vvRunBodyCount(run); b++)
        t->count += vvRunGetBody(run, b)->drawnTriangleCount;
    size_t n = (size_t)t->count + 1;
    t->nodes = malloc(3 * n * sizeof *t->nodes);
    t->body = malloc(n * sizeof *t->body);
    t->normal = malloc(3 * n * sizeof *t->normal);
    t->sides = malloc(3 * n * sizeof *t->sides);
    if (!t->nodes || !t->body || !t->normal || !t->sides) {
        triangles_destroy(t);
        vv_cli_wrong("no memory for drawing %d triangles", t->count);
        return false;
    }
    int at = 0;
    for (int b = 0; b < vvRunBodyCount(run); b++) {
        const vvRunBody *body = vvRunGetBody(run, b);
        for (int i = 0; i < body->drawnTriangleCount; i++, at++) {
            int *node = t->nodes + 3 * at;
            memcpy(node, body->drawnTriangles + 3 * i, 3 * sizeof *node);
            t->body[at] = b;
            triangle_normal(positions, node, t->normal + 3 * at);
            vv_unit3(t->normal + 3 * at);
            for (int s = 0; s < 3; s++) {
                int p = node[s], q = node[(s + 1) % 3];
                t->sides[3 * at + s] = (side){ p < q ? p : q, p < q ? q : p, 3 * at + s };
            }
        }
    }
    qsort(t->sides, 3 * (size_t)t->count, sizeof *t->sides, compare_sides);
    return true;
}

static int root_of(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static void join(int *parent, int a, int b)
{
    a = root_of(parent, a);
    b = root_of(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

/* Joins the corners of two triangles at both nodes of their common side. */
static void join_across(int *parent, const triangles *t, int corner_a, int corner_b)
{
    for (int i = 0; i < 2; i++) {
        int a = 3 * (corner_a / 3) + (corner_a % 3 + i) % 3;
        for (int j = 0; j < 2; j++) {
            int b = 3 * (corner_b / 3) + (corner_b % 3 + j) % 3;
            if (t->nodes[a] == t->nodes[b])
                join(parent, a, b);
        }
    }
}

/* Angle between the two triangles' normals, as its cosine; cloth may be wound either way round. */
static double fold_cosine(const triangles *t, int corner_a, int corner_b)
{
    double c = vv_dot3(t->normal + 3 * (corner_a / 3), t->normal + 3 * (corner_b / 3));
    bool same_way = t->nodes[corner_a] == t->nodes[corner_b];
    return same_way ? -c : c;
}

/* ---- rounder outlines ---- */

static bool same_edge(const int a[2], const int b[2])
{
    return (a[0] == b[0] && a[1] == b[1]) || (a[0] == b[1] && a[1] == b[0]);
}

/* The sides i..end-1 lie at the same two nodes. Each gets an edge; those with the same render vertices share one. */
static void number_edges(vv_drawn_surface *s, const triangles *t, int i, int end, int *edge_of)
{
    int first = s->edgeCount;
    for (int k = i; k < end; k++) {
        int corner = t->sides[k].corner, next = 3 * (corner / 3) + (corner % 3 + 1) % 3, found = -1;
        int pair[2] = { (int)s->indices[corner], (int)s->indices[next] };
        for (int e = first; e < s->edgeCount; e++)
            if (same_edge(s->edges + 2 * e, pair))
                found = e;
        if (found < 0) {
            found = s->edgeCount++;
            memcpy(s->edges + 2 * found, pair, sizeof pair);
        }
        edge_of[corner] = found;
    }
    for (int e = first; e < s->edgeCount; e++)
        s->curved[e] =
            s->edgeCount == first + 1; /* else two patches meet: both keep the straight line, without a gap */
}

static bool refine(vv_drawn_surface *s, const triangles *t, int *edge_of)
{
    int corners = 3 * t->count;
    size_t n = (size_t)corners + 1;
    s->edges = malloc(2 * n * sizeof *s->edges);
    s->curved = malloc(n * sizeof *s->curved);
    s->fine = malloc(4 * n * sizeof *s->fine);
    bool good = s->edges && s->curved && s->fine;
    for (int i = 0, end; good && i < corners; i = end) {
        for (end = i + 1; end < corners && same_side(t->sides + i, t->sides + end);)
            end++;
        number_edges(s, t, i, end, edge_of);
    }
    for (int c = 0; good && c < corners; c += 3) {
        unsigned a = s->indices[c], b = s->indices[c + 1], d = s->indices[c + 2], v = (unsigned)s->vertexCount;
        unsigned ab = v + (unsigned)edge_of[c], bd = v + (unsigned)edge_of[c + 1], da = v + (unsigned)edge_of[c + 2];
        const unsigned four[12] = { a, ab, da, ab, b, bd, da, bd, d, ab, bd, da };
        memcpy(s->fine + 4 * c, four, sizeof four);
    }
    return good;
}

/* edge_of: of each corner, if the surface is refined. */
static bool find_rim(vv_drawn_surface *s, const triangles *t, const int *edge_of)
{
    int corners = 3 * t->count;
    s->rim = malloc(((size_t)corners + 1) * sizeof *s->rim);
    for (int i = 0, end; s->rim && i < corners; i = end) {
        for (end = i + 1; end < corners && same_side(t->sides + i, t->sides + end);)
            end++;
        if (end != i + 1)
            continue;
        int corner = t->sides[i].corner, next = 3 * (corner / 3) + (corner % 3 + 1) % 3;
        s->rim[s->rimCount++] =
            (vv_rim){ { (int)s->indices[corner], (int)s->indices[next] }, s->fine ? edge_of[corner] : 0 };
    }
    return s->rim != NULL;
}

/* ---- which bodies close ---- */

/* Every side has one neighbour, which runs the other way. */
static bool find_closed(vv_drawn_surface *s, const triangles *t, const vvRun *run)
{
    s->bodyCount = vvRunBodyCount(run);
    s->first = calloc((size_t)s->bodyCount + 1, sizeof *s->first);
    s->closed = calloc((size_t)s->bodyCount + 1, sizeof *s->closed);
    if (!s->first || !s->closed)
        return false;
    for (int b = 0; b < s->bodyCount; b++) {
        s->first[b + 1] = s->first[b] + 3 * vvRunGetBody(run, b)->drawnTriangleCount;
        s->closed[b] = true;
    }
    for (int i = 0, end; i < 3 * t->count; i = end) {
        for (end = i + 1; end < 3 * t->count && same_side(t->sides + i, t->sides + end);)
            end++;
        if (end != i + 2 || t->nodes[t->sides[i].corner] == t->nodes[t->sides[i + 1].corner])
            s->closed[t->body[t->sides[i].corner / 3]] = false;
    }
    return true;
}

bool vv_surface_build(vv_drawn_surface *surface, const vvRun *run, const double *positions, double crease)
{
    triangles t;
    *surface = (vv_drawn_surface){ 0 };
    if (!triangles_gather(&t, run, positions))
        return false;
    int corners = 3 * t.count;
    size_t n = (size_t)corners + 1;
    int *parent = malloc(n * sizeof *parent), *edge_of = malloc(n * sizeof *edge_of);
    surface->node = malloc(n * sizeof *surface->node);
    surface->body = malloc(n * sizeof *surface->body);
    surface->indices = malloc(n * sizeof *surface->indices);
    bool good = parent && edge_of && surface->node && surface->body && surface->indices;
    for (int i = 0; good && i < corners; i++)
        parent[i] = i;
    double least = cos(crease * M_PI / 180);
    for (int i = 0; good && i < corners; i++)
        for (int j = i + 1; j < corners && same_side(t.sides + i, t.sides + j); j++)
            if (fold_cosine(&t, t.sides[i].corner, t.sides[j].corner) >= least)
                join_across(parent, &t, t.sides[i].corner, t.sides[j].corner);
    surface->indexCount = good ? corners : 0;
    for (int i = 0; good && i < corners; i++) {
        int root = root_of(parent, i); /* the lowest corner of its patch, so it has its number already */
        if (root == i) {
            surface->node[surface->vertexCount] = t.nodes[i];
            surface->body[surface->vertexCount] = t.body[i / 3];
            surface->indices[i] = (unsigned)surface->vertexCount++;
        } else {
            surface->indices[i] = surface->indices[root];
        }
    }
    good = good && find_closed(surface, &t, run);
    if (good && t.count <= LARGEST_REFINED)
        good = refine(surface, &t, edge_of);
    good = good && find_rim(surface, &t, edge_of);
    if (!good)
        vv_cli_wrong("no memory for drawing %d triangles", t.count);
    free(parent);
    free(edge_of);
    triangles_destroy(&t);
    if (!good)
        vv_surface_destroy(surface);
    return good;
}

void vv_surface_destroy(vv_drawn_surface *surface)
{
    free(surface->node);
    free(surface->body);
    free(surface->indices);
    free(surface->edges);
    free(surface->curved);
    free(surface->fine);
    free(surface->first);
    free(surface->closed);
    free(surface->rim);
    *surface = (vv_drawn_surface){ 0 };
}

double vv_surface_roughness(const vvRun *run, const double *positions)
{
    triangles t;
    double sum = 0;
    int pairs = 0;
    if (!triangles_gather(&t, run, positions))
        return INFINITY;
    for (int i = 0; i + 1 < 3 * t.count; i++)
        if (same_side(t.sides + i, t.sides + i + 1)) {
            double c = fold_cosine(&t, t.sides[i].corner, t.sides[i + 1].corner);
            sum += acos(c < -1 ? -1 : c > 1 ? 1 : c);
            pairs++;
        }
    triangles_destroy(&t);
    return pairs == 0 ? 0 : isfinite(sum) ? sum / pairs : INFINITY;
}
