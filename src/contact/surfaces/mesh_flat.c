/* Flat parts of rigid surfaces (kinematic bodies that keep their shape). A plane is a plane however it is cut into
 * triangles: the edges and vertices within a flat part are no features of the surface, and push nothing (theory
 * §5.4).
 *
 * A part grows from its largest triangle over edges of two triangles to all vertices within FLAT d-hat of that
 * triangle's plane. So its edges, and those of whatever lies on it, are nowhere further from each other than that:
 * what keeps vertices and borders apart keeps them apart too.
 *
 * Triangles less edges plus corners count what is in reach once, unless it is a ring around a hole: that counts
 * nothing. So edges at the rim of a hole remain features. */
#include "contact/surfaces/mesh.h"

#include "base/error.h"
#include "base/groups.h"
#include "base/memory.h"
#include "base/vec.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

static const double FLAT = 1e-4; /* d-hat */

typedef struct seed {
    double area;
    int triangle;
} seed;

typedef struct parts {
    vv_surface *surface;
    double most;        /* m: off the plane */
    int *of;            /* part of a triangle (its first one), -1: none yet */
    int *loop;          /* per vertex: groups of those that border edges of a part join */
    int *corner;        /* per vertex: the part that it was counted in last */
    int *queue, *parts; /* parts: the first triangles of this body's */
    int count;
    int (*sides)[2]; /* triangles of an edge; -1: none */
    seed *seeds;
} parts;

static int compare_seeds(const void *left, const void *right)
{
    const seed *a = left, *b = right;
    if (a->area != b->area)
        return a->area > b->area ? -1 : 1;
    return a->triangle - b->triangle;
}

static void normal_of(const vv_surface *s, int t, double n[3])
{
    const double *x = s->rest;
    const int *v = s->triangle[t];
    double e[3], f[3];
    vv_sub(x + 3 * (size_t)v[1], x + 3 * (size_t)v[0], e);
    vv_sub(x + 3 * (size_t)v[2], x + 3 * (size_t)v[0], f);
    vv_cross(e, f, n);
}

static bool in_plane(const parts *p, int t, const double point[3], const double n[3])
{
    const vv_surface *s = p->surface;
    double own[3];
    for (int k = 0; k < 3; k++) {
        double d[3];
        vv_sub(s->rest + 3 * (size_t)s->triangle[t][k], point, d);
        if (!(fabs(vv_dot(d, n)) <= p->most))
            return false;
    }
    normal_of(s, t, own);
    return vv_dot(own, n) > 0;
}

/* Whether two triangles run along their edge in opposite senses: else they lie on each other. */
static bool opposite(const vv_surface *s, int e, int t, int u)
{
    int along = 0;
    for (int k = 0; k < 3; k++) {
        along += s->triangle[t][k] == s->edge[e][0] && s->triangle[t][(k + 1) % 3] == s->edge[e][1];
        along += s->triangle[u][k] == s->edge[e][0] && s->triangle[u][(k + 1) % 3] == s->edge[e][1];
    }
    return along == 1;
}

static void grow(parts *p, int first)
{
    const vv_surface *s = p->surface;
    double n[3];
    normal_of(s, first, n);
    double length = vv_norm(n);
    if (!(length > 0))
        return;
    for (int k = 0; k < 3; k++)
        n[k] /= length;
    const double *point = s->rest + 3 * (size_t)s->triangle[first][0];
    p->of[first] = first;
    p->queue[0] = first;
    for (int at = 0, end = 1; at < end; at++)
        for (int k = 0; k < 3; k++) {
            int e = s->triangle_edge[p->queue[at]][k], other = p->sides[e][p->sides[e][0] == p->queue[at]];
            if (s->edge_triangles[e] == 2 && other >= 0 && p->of[other] < 0 && opposite(s, e, p->queue[at], other) &&
                in_plane(p, other, point, n)) {
                p->of[other] = first;
                p->queue[end++] = other;
            }
        }
    p->parts[p->count++] = first;
}

static void find_sides(parts *p, const vv_surface_body *b)
{
    const vv_surface *s = p->surface;
    for (int e = b->first_edge; e < b->first_edge + b->edge_count; e++)
        p->sides[e][0] = p->sides[e][1] = -1;
    for (int t = b->first_triangle; t < b->first_triangle + b->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            int *side = p->sides[s->triangle_edge[t][k]];
            side[side[0] >= 0] = t;
        }
}

/* ---- holes ---- */

static bool within(const parts *p, int e)
{
    const int *side = p->sides[e];
    return p->surface->edge_triangles[e] == 2 && p->of[side[0]] >= 0 && p->of[side[0]] == p->of[side[1]];
}

/* Lists the part's triangles in the queue, joins the vertices of its border edges, and returns triangles - edges +
 * vertices: 1 for a part without holes. */
static int measure(parts *p, int part, int *triangles)
{
    const vv_surface *s = p->surface;
    int sum = 0, count = 0;
    p->queue[count++] = part;
    p->of[part] = -2 - part; /* listed */
    for (int at = 0; at < count; at++)
        for (int k = 0; k < 3; k++) {
            int e = s->triangle_edge[p->queue[at]][k], other = p->sides[e][p->sides[e][0] == p->queue[at]];
            if (s->edge_triangles[e] == 2 && other >= 0 && p->of[other] == part &&
                opposite(s, e, p->queue[at], other)) {
                p->of[other] = -2 - part;
                p->queue[count++] = other;
            }
        }
    for (int at = 0; at < count; at++)
        p->of[p->queue[at]] = part;
    for (int at = 0; at < count; at++)
        for (int k = 0; k < 3; k++) {
            int v = s->triangle[p->queue[at]][k];
            sum += p->corner[v] != part;
            p->corner[v] = part;
            p->loop[v] = v;
        }
    for (int at = 0; at < count; at++)
        for (int k = 0; k < 3; k++) {
            int e = s->triangle_edge[p->queue[at]][k];
            if (within(p, e)) {
                sum -= p->sides[e][0] == p->queue[at]; /* once */
            } else {
                sum--;
                vv_groups_join(p->loop, s->edge[e][0], s->edge[e][1]);
            }
        }
    *triangles = count;
    return sum + count;
}

/* The loop of the border that goes around the part: the one that reaches furthest. */
static int outer_loop(const parts *p, int triangles)
{
    const vv_surface *s = p->surface;
    const int *first = s->triangle[p->queue[0]];
    double e[3], most = -INFINITY;
    int outer = -1;
    vv_sub(s->rest + 3 * (size_t)first[1], s->rest + 3 * (size_t)first[0], e);
    for (int at = 0; at < triangles; at++)
        for (int k = 0; k < 3; k++) {
            int v = s->triangle[p->queue[at]][k], side = s->triangle_edge[p->queue[at]][k];
            double far = vv_dot(e, s->rest + 3 * (size_t)v);
            if (!within(p, side) && far > most)
                most = far, outer = vv_groups_find(p->loop, v);
        }
    return outer;
}

/* Edges of the part that touch the rim of a hole are features; where loops meet in a point, all are. */
static void mend_holes(parts *p, int part)
{
    vv_surface *s = p->surface;
    int triangles, loops = 1, sum = measure(p, part, &triangles);
    if (sum == 1)
        return;
    int outer = outer_loop(p, triangles);
    for (int at = 0; at < triangles; at++) /* how many others there are: each is marked at its own root once */
        for (int k = 0; k < 3; k++) {
            int v = s->triangle[p->queue[at]][k];
            bool root = !within(p, s->triangle_edge[p->queue[at]][k]) && vv_groups_find(p->loop, v) != outer;
            int of = root ? vv_groups_find(p->loop, v) : 0;
            if (root && p->corner[of] != -2 - part) {
                p->corner[of] = -2 - part;
                loops++;
            }
        }
    bool apart = sum == 2 - loops;
    for (int at = 0; at < triangles; at++)
        for (int k = 0; k < 3; k++) {
            int e = s->triangle_edge[p->queue[at]][k];
            for (int end = 0; end < 2 && within(p, e); end++) {
                int root = vv_groups_find(p->loop, s->edge[e][end]);
                if (!apart || (root != outer && p->corner[root] == -2 - part))
                    s->flat_edge[e] = 0;
            }
        }
}

/* ---- marks ---- */

/* A vertex is flat if all of its edges are, in one part: fans that meet in a point are counted apart. */
static void mark_vertices(parts *p, const vv_surface_body *b)
{
    vv_surface *s = p->surface;
    for (int v = b->first_vertex; v < b->first_vertex + b->vertex_count; v++)
        s->flat_vertex[v] = s->inside[v], p->corner[v] = -1;
    for (int e = b->first_edge; e < b->first_edge + b->edge_count; e++)
        for (int k = 0; k < 2; k++)
            s->flat_vertex[s->edge[e][k]] &= s->flat_edge[e];
    for (int t = b->first_triangle; t < b->first_triangle + b->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            int v = s->triangle[t][k];
            if (p->corner[v] >= 0 && p->corner[v] != p->of[t])
                p->corner[v] = INT_MAX; /* several */
            else if (p->corner[v] < 0)
                p->corner[v] = p->of[t];
        }
    for (int e = b->first_edge; e < b->first_edge + b->edge_count; e++)
        for (int k = 0; k < 2; k++)
            if (s->flat_vertex[s->edge[e][k]] && p->corner[s->edge[e][k]] == INT_MAX) {
                s->flat_edge[e] = 0;
                s->flat_vertex[s->edge[e][0]] = s->flat_vertex[s->edge[e][1]] = 0;
            }
}

static void mark(parts *p, const vv_surface_body *b)
{
    vv_surface *s = p->surface;
    for (int e = b->first_edge; e < b->first_edge + b->edge_count; e++)
        s->flat_edge[e] = within(p, e);
    for (int v = b->first_vertex; v < b->first_vertex + b->vertex_count; v++)
        p->corner[v] = -1;
    for (int i = 0; i < p->count; i++)
        mend_holes(p, p->parts[i]);
    mark_vertices(p, b);
    for (int e = b->first_edge; e < b->first_edge + b->edge_count; e++)
        if (s->flat_edge[e]) {
            s->flat = true;
            s->degree[s->edge[e][0]]--;
            s->degree[s->edge[e][1]]--;
        }
}

static void body_parts(parts *p, const vv_surface_body *b)
{
    const vv_surface *s = p->surface;
    for (int i = 0; i < b->triangle_count; i++) {
        int t = b->first_triangle + i;
        p->of[t] = -1;
        p->seeds[i] = (seed){ vv_triangle_area(s->rest, s->triangle[t]), t };
    }
    qsort(p->seeds, (size_t)b->triangle_count, sizeof *p->seeds, compare_seeds);
    find_sides(p, b);
    p->count = 0;
    for (int i = 0; i < b->triangle_count; i++)
        if (p->of[p->seeds[i].triangle] < 0)
            grow(p, p->seeds[i].triangle);
    mark(p, b);
}

/* ---- what counts over a triangle ---- */

/* A vertex over a flat part is over all of it, however it is cut: the part's area. */
static void widen(const parts *p, const vv_surface_body *b, double *sum)
{
    const vv_surface *s = p->surface;
    for (int i = 0; i < b->triangle_count; i++)
        sum[b->first_triangle + i] = 0;
    for (int i = 0; i < b->triangle_count; i++)
        sum[p->of[p->seeds[i].triangle]] += p->seeds[i].area;
    for (int t = b->first_triangle; t < b->first_triangle + b->triangle_count; t++) {
        const int *e = s->triangle_edge[t];
        if (s->flat_edge[e[0]] || s->flat_edge[e[1]] || s->flat_edge[e[2]])
            s->triangle_most[t] = sum[p->of[t]];
    }
}

static void corners_most(vv_surface *s)
{
    for (int t = 0; t < s->triangle_count; t++) {
        const double *area = s->vertices->area;
        const int *v = s->triangle[t];
        s->triangle_most[t] = fmax(area[v[0]], fmax(area[v[1]], area[v[2]]));
    }
}

vvStatus vv_contact_mesh_flat(const vv_contact_body *bodies, double distance, vv_surface *s, vvError *error)
{
    size_t triangles = (size_t)s->triangle_count, edges = (size_t)s->edge_count;
    s->flat_edge = vv_alloc(edges, 1);
    s->flat_vertex = vv_alloc((size_t)s->vertices->count, 1);
    s->triangle_most = vv_alloc(triangles, sizeof *s->triangle_most);
    double *sum = vv_alloc(triangles, sizeof *sum);
    parts p = { .surface = s,
                .most = FLAT * distance,
                .of = vv_alloc(triangles, sizeof *p.of),
                .queue = vv_alloc(triangles, sizeof *p.queue),
                .parts = vv_alloc(triangles, sizeof *p.parts),
                .loop = vv_alloc((size_t)s->vertices->count, sizeof *p.loop),
                .corner = vv_alloc((size_t)s->vertices->count, sizeof *p.corner),
                .sides = vv_alloc(edges, sizeof *p.sides),
                .seeds = vv_alloc(triangles, sizeof *p.seeds) };
    bool ok = s->flat_edge && s->flat_vertex && s->triangle_most && sum && p.of && p.queue && p.parts && p.loop &&
              p.corner && p.sides && p.seeds;
    if (ok)
        corners_most(s);
    for (int b = 0; ok && b < s->body_count; b++)
        if (bodies[b].rigid) {
            body_parts(&p, s->bodies + b);
            widen(&p, s->bodies + b, sum);
        }
    vv_free(sum);
    vv_free(p.of);
    vv_free(p.queue);
    vv_free(p.parts);
    vv_free(p.loop);
    vv_free(p.corner);
    vv_free(p.sides);
    vv_free(p.seeds);
    return ok ? VV_OK : vv_fail_memory(error, "the flat parts of the surfaces");
}
