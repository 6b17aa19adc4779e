/* The active pairs: candidates that are near enough, reduced to their nearest features, with their areas (theory §5.4, §5.5).
 *
 * A pair's area. A vertex has a third of the area of the triangles around it, an edge likewise; half of it counts, as both sides are
 * counted. Plain sum: A_v / 2 for vertex-triangle pairs; sqrt(A_e A_e') / 2 for edge-edge pairs, a mean of both sides for which the
 * sum over the crossings of two meshes does not grow when one of them is refined. Vertices of rods have A_v / 2 against edges of
 * rods, too: nothing else would push parallel rods apart. Points and rods, whose own areas are made of d-hat, count with the area of
 * the other side where that is a material's surface (points, and vertices of rods, in the plain sum only). Vertices and edges within
 * flat parts of rigid bodies do not count; so a vertex over such a part has its whole area.
 *
 * The convergent sum (after Li et al. 2023, "Convergent incremental potential contact") counts each point of a surface once,
 * however many triangles its nearest point belongs to: sum over triangles - inner edges + inner vertices. So every triangle
 * contributes -1/2 of its inner edges and 1/k of its inner corners, with k triangles around the corner; every edge subtracts the
 * share 1 - 1/k of its ends, with k edges around the end. Edge-edge pairs have the area pi/2 A_e A_e' / (|e| |e'|), times their share:
 * the number of crossings of two meshes goes as 1 / (the product of their edge lengths), so that their sum does not depend on
 * either. */
#include "base/memory.h"
#include "base/vec.h"
#include "contact/collisions.h"
#include "contact/pair_potential.h"

#include <stdlib.h>
#include <string.h>

/* Share of the edge-edge pairs in the convergent sum. Vertices alone would give the energy of plates exactly, edges give it on
 * average over the positions of the meshes: so edges have the smaller share. */
static const double EDGE_SHARE = 0.1, HALF_PI = 1.57079632679489661923;

struct scan {
    vv_collisions *c;
    int count;
    vv_stop *stop;
};

enum { CHUNK = 512, NEAR = 16 };

/* hit = the nearest features' mask and NEAR if the candidate is close enough to act, else 0. */
static void scan_chunk(void *arg, int chunk)
{
    const struct scan *s = arg;
    vv_collisions *c = s->c;
    const vv_candidates *cs = &c->candidates;
    int begin = chunk * CHUNK, end = begin + CHUNK < s->count ? begin + CHUNK : s->count, kind = 0;
    if (vv_stop_wanted(s->stop))
        return;
    for (int i = begin; i < end; i++) {
        while (i >= cs->start[kind + 1])
            kind++;
        const vv_candidate *k = cs->list + i;
        double x[4][3], w[4], far = k->activation + k->min_distance;
        unsigned nearest;
        vv_collisions_points(c, k->vertex, x);
        c->hit[i] = 0;
        if (vv_gap_along((vv_stencil)kind, x, c->plane[i]) > far)
            continue;
        double d2 = vv_stencil_distance2((vv_stencil)kind, (const double(*)[3])x, &nearest, w);
        if (d2 < far * far)
            c->hit[i] = (unsigned char)(nearest | NEAR);
        else
            vv_plane_of((vv_stencil)kind, x, w, sqrt(d2), c->plane[i]);
    }
}

/* ---- reduction ---- */

static void order2(int *v)
{
    if (v[0] > v[1]) {
        int t = v[0];
        v[0] = v[1];
        v[1] = t;
    }
}

/* The pair of two features with na <= nb points, in canonical order. */
static void set_features(vv_pair *p, int *a, int na, int *b, int nb)
{
    if (na > 1)
        order2(a);
    if (nb > 1)
        order2(b);
    if (nb > 2) {
        order2(b + 1);
        order2(b);
    }
    bool second_first = na == nb && b[0] < a[0];
    p->vertex[2] = p->vertex[3] = -1;
    memcpy(p->vertex, second_first ? b : a, (size_t)na * sizeof *a);
    memcpy(p->vertex + na, second_first ? a : b, (size_t)nb * sizeof *b);
    p->kind = na == 2 ? VV_STENCIL_EE : nb == 1 ? VV_STENCIL_VV : nb == 2 ? VV_STENCIL_VE : VV_STENCIL_VT;
}

/* The points of the stencil in the mask `nearest`. */
static void reduce(vv_stencil kind, const int vertex[4], unsigned nearest, vv_pair *p)
{
    int first = kind == VV_STENCIL_EE ? 2 : 1, a[3], b[3], na = 0, nb = 0;
    for (int i = 0; i < vv_stencil_points(kind); i++)
        if (nearest >> i & 1) {
            if (i < first)
                a[na++] = vertex[i];
            else
                b[nb++] = vertex[i];
        }
    if (na <= nb)
        set_features(p, a, na, b, nb);
    else
        set_features(p, b, nb, a, na);
}

static bool push(vv_collisions *c, const vv_pair *p)
{
    if (!vv_grow((void **)&c->pairs, &c->capacity, c->count + 1, sizeof *c->pairs))
        return false;
    c->pairs[c->count++] = *p;
    return true;
}

/* Adds a stencil with this area if it is close enough. */
static bool add(vv_collisions *c, vv_stencil kind, const int vertex[4], double weight, const vv_candidate *like)
{
    double x[4][3], w[4], far = like->activation + like->min_distance;
    unsigned nearest;
    for (int i = 0; i < vv_stencil_points(kind); i++)
        memcpy(x[i], c->x + 3 * (size_t)vertex[i], sizeof x[i]);
    if (weight == 0 || vv_stencil_distance2(kind, (const double(*)[3])x, &nearest, w) >= far * far)
        return true;
    vv_pair p = { .weight = weight, .activation = like->activation, .min_distance = like->min_distance };
    reduce(kind, vertex, nearest, &p);
    return push(c, &p);
}

/* ---- areas ---- */

/* A lone point has no side of its own that would be counted from the other's side. */
static double vertex_share(const vv_surface *s, int v) { return s->vertices->area[v] * (s->point[v] ? 1 : 0.5); }

static bool material(const vv_surface *s, int v) { return s->bodies[s->vertices->body[v]].moves; }

/* A point's or a rod's own area, which d-hat makes, carries no solid: where these meet the surface of a material, its area counts. */
static double triangle_share(const vv_collisions *c, const vv_candidate *k)
{
    const vv_surface *s = c->def.surface;
    int v = k->feature[0];
    const int *e = s->triangle_edge[k->feature[1]];
    bool bare = s->valence[v] == 0 && material(s, k->vertex[1]), flat = s->flat_edge[e[0]] || s->flat_edge[e[1]] || s->flat_edge[e[2]];
    if (bare && !c->def.convergent) /* the convergent sum must not depend on the other side's mesh */
        return vv_triangle_area(s->rest, s->triangle[k->feature[1]]) / 3;
    if (flat) /* nothing is counted from the other side */
        return s->vertices->area[v];
    return vertex_share(s, v) * (c->def.convergent && !s->point[v] ? 1 - EDGE_SHARE : 1);
}

static double corner_share(const vv_surface *s, int v) { return s->inside[v] ? 1.0 / s->valence[v] : 0; }

static bool add_triangle(vv_collisions *c, const vv_candidate *k, unsigned nearest)
{
    const vv_surface *s = c->def.surface;
    double area = triangle_share(c, k);
    if (s->flat_vertex[k->feature[0]])
        return true;
    vv_pair p = { .weight = area, .activation = k->activation, .min_distance = k->min_distance };
    reduce(VV_STENCIL_VT, k->vertex, nearest, &p);
    bool ok = push(c, &p);
    /* edges and corners that are counted several times: all in the convergent sum, else those within flat parts */
    for (int i = 0; ok && i < 3; i++) {
        int e = s->triangle_edge[k->feature[1]][i], corner = s->triangle[k->feature[1]][i], around = s->edge_triangles[e];
        int ve[4] = { k->vertex[0], s->edge[e][0], s->edge[e][1], -1 }, vv[4] = { k->vertex[0], corner, -1, -1 };
        if (c->def.convergent || s->flat_edge[e])
            ok = add(c, VV_STENCIL_VE, ve, -area * (around - 1) / around, k);
        if (ok && (c->def.convergent || s->flat_vertex[corner]))
            ok = add(c, VV_STENCIL_VV, vv, area * corner_share(s, corner), k);
    }
    return ok;
}

static double mollifier_of(const vv_surface *s, const int v[4])
{
    double rest[4][3];
    for (int i = 0; i < 4; i++)
        memcpy(rest[i], s->rest + 3 * (size_t)v[i], sizeof rest[i]);
    return vv_pair_mollifier((const double(*)[3])rest);
}

static double edges_share(const vv_collisions *c, const vv_candidate *k)
{
    const vv_surface *s = c->def.surface;
    int e = k->feature[0], f = k->feature[1];
    double a = s->edge_area[e], b = s->edge_area[f];
    double la = vv_edge_length(s->rest, s->edge[e][0], s->edge[e][1]), lb = vv_edge_length(s->rest, s->edge[f][0], s->edge[f][1]);
    if (!s->edge_triangles[e] && s->edge_triangles[f] && material(s, k->vertex[2]))
        a = b, la = lb;
    else if (!s->edge_triangles[f] && s->edge_triangles[e] && material(s, k->vertex[0]))
        b = a, lb = la;
    if (!c->def.convergent)
        return 0.5 * sqrt(a * b);
    return EDGE_SHARE * HALF_PI * a * b / (la * lb);
}

static bool add_edges(vv_collisions *c, const vv_candidate *k, unsigned nearest)
{
    const vv_surface *s = c->def.surface;
    if (s->flat_edge[k->feature[0]] || s->flat_edge[k->feature[1]])
        return true;
    double area = edges_share(c, k), eps = mollifier_of(s, k->vertex), x[4][3];
    vv_collisions_points(c, k->vertex, x);
    bool mollified = vv_pair_mollified((const double(*)[3])x, eps);
    vv_pair p = { .weight = area, .activation = k->activation, .min_distance = k->min_distance };
    if (mollified) {
        p.kind = VV_STENCIL_EE;
        memcpy(p.vertex, k->vertex, sizeof p.vertex);
        p.eps = eps;
        p.mask = 15;
    } else {
        reduce(VV_STENCIL_EE, k->vertex, nearest, &p);
    }
    bool ok = push(c, &p);
    if (!c->def.convergent)
        return ok;
    /* every end of either edge, and every pair of ends, subtracts or restores its share */
    for (unsigned a = 1; ok && a < 4; a++)
        for (unsigned b = 1; ok && b < 4; b++) {
            unsigned mask = a | b << 2;
            double share = 1;
            if (mask == 15)
                continue;
            if (a < 3)
                share *= -(1 - 1.0 / s->degree[k->vertex[a - 1]]);
            if (b < 3)
                share *= -(1 - 1.0 / s->degree[k->vertex[1 + b]]);
            int v[4], n = 0;
            for (int i = 0; i < 4; i++)
                if (mask >> i & 1)
                    v[n++] = k->vertex[i];
            if (n == 3 && a == 3) { /* the point first */
                int point = v[2];
                v[2] = v[1];
                v[1] = v[0];
                v[0] = point;
            }
            if (!mollified) {
                ok = add(c, n == 2 ? VV_STENCIL_VV : VV_STENCIL_VE, v, area * share, k);
            } else if (share != 0) {
                p.weight = area * share;
                p.mask = mask;
                ok = push(c, &p);
            }
        }
    return ok;
}

/* A rod's vertex and another rod's edge: needed by parallel rods, for whose edges the mollifier is zero. */
static bool add_rod_vertex(vv_collisions *c, const vv_candidate *k, unsigned nearest)
{
    const vv_surface *s = c->def.surface;
    double area = vertex_share(s, k->feature[0]);
    vv_pair p = { .weight = area, .activation = k->activation, .min_distance = k->min_distance };
    reduce(VV_STENCIL_VE, k->vertex, nearest, &p);
    bool ok = push(c, &p);
    for (int i = 1; ok && c->def.convergent && i < 3; i++) {
        int vv[4] = { k->vertex[0], k->vertex[i], -1, -1 };
        ok = add(c, VV_STENCIL_VV, vv, -area * (1 - 1.0 / s->degree[k->vertex[i]]), k);
    }
    return ok;
}

static bool add_candidate(vv_collisions *c, vv_stencil kind, const vv_candidate *k, unsigned nearest)
{
    const vv_surface *s = c->def.surface;
    if (kind == VV_STENCIL_VT)
        return add_triangle(c, k, nearest);
    if (kind == VV_STENCIL_EE)
        return add_edges(c, k, nearest);
    if (kind == VV_STENCIL_VE && !s->point[k->feature[0]])
        return add_rod_vertex(c, k, nearest);
    const double *area = s->vertices->area;
    double other = kind == VV_STENCIL_VE ? s->edge_area[k->feature[1]] : area[k->feature[1]];
    vv_pair p = { .weight = 0.5 * (area[k->feature[0]] + other), .activation = k->activation, .min_distance = k->min_distance };
    reduce(kind, k->vertex, nearest, &p);
    return push(c, &p);
}

/* ---- sorted, each once ---- */

static int compare(const vv_pair *a, const vv_pair *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    for (int i = 0; i < 4; i++)
        if (a->vertex[i] != b->vertex[i])
            return a->vertex[i] < b->vertex[i] ? -1 : 1;
    if (a->activation != b->activation)
        return a->activation < b->activation ? -1 : 1;
    if (a->min_distance != b->min_distance)
        return a->min_distance < b->min_distance ? -1 : 1;
    if (a->eps != b->eps)
        return a->eps < b->eps ? -1 : 1;
    if (a->mask != b->mask)
        return a->mask < b->mask ? -1 : 1;
    return (a->weight > b->weight) - (a->weight < b->weight); /* so that sums of weights do not depend on the order found */
}

static bool same(const vv_pair *a, const vv_pair *b)
{
    return a->kind == b->kind && memcmp(a->vertex, b->vertex, sizeof a->vertex) == 0 && a->activation == b->activation &&
           a->min_distance == b->min_distance && a->eps == b->eps && a->mask == b->mask;
}

static int compare_any(const void *a, const void *b) { return compare(a, b); }

static void sort_few(vv_pair *pairs, size_t count)
{
    if (count > 32) {
        qsort(pairs, count, sizeof *pairs, compare_any);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        vv_pair p = pairs[i];
        size_t at = i;
        for (; at > 0 && compare(pairs + at - 1, &p) > 0; at--)
            pairs[at] = pairs[at - 1];
        pairs[at] = p;
    }
}

/* Sorts by first vertex, into `sorted`, which is swapped with `pairs`; then within the few pairs of a vertex. */
static bool sort(vv_collisions *c)
{
    size_t vertices = (size_t)c->def.surface->vertices->count;
    if (!vv_grow((void **)&c->sorted, &c->sorted_capacity, c->capacity, sizeof *c->sorted))
        return false;
    memset(c->first, 0, (vertices + 1) * sizeof *c->first);
    for (size_t i = 0; i < c->count; i++)
        c->first[c->pairs[i].vertex[0] + 1]++;
    for (size_t v = 0; v < vertices; v++)
        c->first[v + 1] += c->first[v];
    for (size_t i = 0; i < c->count; i++)
        c->sorted[c->first[c->pairs[i].vertex[0]]++] = c->pairs[i];
    for (size_t v = 0, begin = 0; v < vertices; begin = c->first[v++])
        sort_few(c->sorted + begin, c->first[v] - begin);
    vv_pair *pairs = c->pairs;
    size_t capacity = c->capacity;
    c->pairs = c->sorted, c->capacity = c->sorted_capacity;
    c->sorted = pairs, c->sorted_capacity = capacity;
    return true;
}

/* Merges equal pairs; drops those that cancel. */
static bool merge(vv_collisions *c)
{
    size_t kept = 0;
    if (c->count == 0)
        return true;
    if (!sort(c))
        return false;
    for (size_t i = 0; i < c->count;) {
        vv_pair sum = c->pairs[i];
        double size = fabs(sum.weight);
        for (i++; i < c->count && same(&sum, c->pairs + i); i++) {
            sum.weight += c->pairs[i].weight;
            size += fabs(c->pairs[i].weight);
        }
        if (fabs(sum.weight) > 1e-12 * size)
            c->pairs[kept++] = sum;
    }
    c->count = kept;
    return true;
}

/* Gathers the vertices' positions; true if the pairs are valid there already. */
static bool gather(vv_collisions *c, const double *q)
{
    const vv_vertices *vs = c->def.surface->vertices;
    bool same_place = c->fresh;
    for (int v = 0; v < vs->count; v++) {
        double x[3];
        vv_vertex_position(vs, v, q, x);
        same_place = same_place && memcmp(x, c->x + 3 * (size_t)v, sizeof x) == 0;
        memcpy(c->x + 3 * (size_t)v, x, sizeof x);
    }
    return same_place;
}

static bool find(vv_collisions *c, const vv_parallel *par, const double *q)
{
    if (!vv_collisions_cover(c, par, &(vv_way){ q, NULL, 0, 1 }, 0))
        return false;
    int count = c->candidates.start[4], kind = 0;
    if (!vv_grow((void **)&c->hit, &c->hit_capacity, (size_t)count, 1))
        return false;
    struct scan s = { c, count, par ? par->stop : NULL };
    vv_for(par, (count + CHUNK - 1) / CHUNK, scan_chunk, &s);
    if (vv_for_stopped(par)) {
        c->cancelled = true;
        return false;
    }
    for (int i = 0; i < count; i++) {
        while (i >= c->candidates.start[kind + 1])
            kind++;
        if (c->hit[i] && !add_candidate(c, (vv_stencil)kind, c->candidates.list + i, c->hit[i] & 15u))
            return false;
    }
    return merge(c);
}

bool vv_collisions_update(vv_collisions *c, const vv_parallel *par, const double *q)
{
    if (gather(c, q))
        return true;
    c->count = 0;
    c->fresh = find(c, par, q);
    if (c->fresh)
        return true;
    c->count = 0;
    c->failed = true;
    return false;
}

static double distance_of(const vv_collisions *c, const vv_pair *p)
{
    double x[4][3], w[4];
    vv_collisions_points(c, p->vertex, x);
    return sqrt(vv_stencil_distance2(p->kind, (const double(*)[3])x, NULL, w)) - p->min_distance;
}

double vv_collisions_gap(vv_collisions *c, const vv_parallel *par, const double *q, const vv_pair **least)
{
    double gap = INFINITY;
    if (least)
        *least = NULL;
    vv_collisions_update(c, par, q);
    for (size_t i = 0; i < c->count; i++) {
        const vv_pair *p = c->pairs + i;
        double d = distance_of(c, p);
        if (d < gap) {
            gap = d;
            if (least)
                *least = p;
        }
    }
    return gap;
}

double vv_collisions_closeness(const vv_collisions *c)
{
    double least = INFINITY;
    for (size_t i = 0; i < c->count; i++)
        least = fmin(least, distance_of(c, c->pairs + i) / c->pairs[i].activation);
    return least;
}
