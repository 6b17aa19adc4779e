/* Candidates that are near enough, reduced to pairs of their nearest features, with their areas (theory §5.4, §5.5).
 *
 * A pair's area. A vertex has a third of the area of the triangles around it, an edge likewise; half of it counts, as
 * both sides are counted. Plain sum: min(A_e, A_e') / 2 for edge-edge pairs, A_v / 2 for vertex-triangle pairs. What
 * is larger than the other side counts as that side does: with a mean of both, the rim of a large triangle, or its
 * corner, stops a small body dead. What is much smaller counts up to whole, as little is counted from the other side.
 * Vertices of rods have A_v / 2 against edges of rods, too: nothing else would push parallel rods apart. Points and
 * rods, whose own areas are made of d-hat, count with the area of the other side where that is a material's surface
 * (points, and vertices of rods, in the plain sum only). Vertices and edges within flat parts of rigid bodies do not
 * count; so a vertex over such a part has its whole area.
 *
 * The convergent sum (after Li et al. 2023, "Convergent incremental potential contact") counts each point of a
 * surface once, however many triangles its nearest point belongs to: sum over triangles - inner edges + inner
 * vertices. So every triangle contributes -1/2 of its inner edges and 1/k of its inner corners, with k triangles
 * around the corner; every edge subtracts the share 1 - 1/k of its ends, with k edges around the end. Edge-edge pairs
 * have the area pi/2 A_e A_e' / (|e| |e'|), times their share: the number of crossings of two meshes goes as 1 / (the
 * product of their edge lengths), so that their sum does not depend on either. */
#include "base/vec.h"
#include "contact/pairs/pairs.h"
#include "contact/pairs/potential.h"

#include <string.h>

/* Share of the edge-edge pairs in the convergent sum. Vertices alone would give the energy of plates exactly, edges
 * give it on average over the positions of the meshes: so edges have the smaller share. */
static const double EDGE_SHARE = 0.1, HALF_PI = 1.57079632679489661923;

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

/* The pairs of one candidate, as they are found. */
typedef struct found {
    const vv_collisions *c;
    vv_pair *pairs;
    int count;
} found;

static void push(found *f, const vv_pair *p) { f->pairs[f->count++] = *p; }

/* Adds a stencil with this area if it is close enough. */
static void add(found *f, vv_stencil kind, const int vertex[4], double weight, const vv_candidate *like)
{
    double x[4][3], w[4], far = like->activation + like->min_distance;
    unsigned nearest;
    for (int i = 0; i < vv_stencil_points(kind); i++)
        memcpy(x[i], f->c->x + 3 * (size_t)vertex[i], sizeof x[i]);
    if (weight == 0 || vv_stencil_distance2(kind, (const double(*)[3])x, &nearest, w) >= far * far)
        return;
    vv_pair p = { .weight = weight, .activation = like->activation, .min_distance = like->min_distance };
    reduce(kind, vertex, nearest, &p);
    push(f, &p);
}

/* ---- areas ---- */

/* A lone point has no side of its own that would be counted from the other's side. */
static double vertex_share(const vv_surface *s, int v) { return s->vertices->area[v] * (s->point[v] ? 1 : 0.5); }

static bool material(const vv_surface *s, int v) { return s->bodies[s->vertices->body[v]].moves; }

/* A point's or a rod's own area, which d-hat makes, carries no solid: where these meet the surface of a material, its
 * area counts. */
static double triangle_share(const vv_collisions *c, const vv_candidate *k)
{
    const vv_surface *s = c->def.surface;
    int v = k->feature[0];
    const int *e = s->triangle_edge[k->feature[1]];
    bool bare = s->valence[v] == 0 && material(s, k->vertex[1]),
         flat = s->flat_edge[e[0]] || s->flat_edge[e[1]] || s->flat_edge[e[2]];
    if (bare && !c->def.convergent) /* the convergent sum must not depend on the other side's mesh */
        return vv_triangle_area(s->rest, s->triangle[k->feature[1]]) / 3;
    const double area = s->vertices->area[v], most = s->triangle_most[k->feature[1]];
    if (flat) /* nothing is counted from the other side */
        return fmin(area, most);
    if (s->valence[v] && !c->def.convergent)
        return area < most ? area * fmax(0.5, 1 - area / most) : 0.5 * most;
    return vertex_share(s, v) * (c->def.convergent && !s->point[v] ? 1 - EDGE_SHARE : 1);
}

static double corner_share(const vv_surface *s, int v) { return s->inside[v] ? 1.0 / s->valence[v] : 0; }

static void add_triangle(found *f, const vv_candidate *k, unsigned nearest)
{
    const vv_collisions *c = f->c;
    const vv_surface *s = c->def.surface;
    double area = triangle_share(c, k);
    if (s->flat_vertex[k->feature[0]])
        return;
    vv_pair p = { .weight = area, .activation = k->activation, .min_distance = k->min_distance };
    reduce(VV_STENCIL_VT, k->vertex, nearest, &p);
    push(f, &p);
    /* edges and corners that are counted several times: all in the convergent sum, else those within flat parts */
    for (int i = 0; i < 3; i++) {
        int e = s->triangle_edge[k->feature[1]][i], corner = s->triangle[k->feature[1]][i],
            around = s->edge_triangles[e];
        int ve[4] = { k->vertex[0], s->edge[e][0], s->edge[e][1], -1 }, vv[4] = { k->vertex[0], corner, -1, -1 };
        if (c->def.convergent || s->flat_edge[e])
            add(f, VV_STENCIL_VE, ve, -area * (around - 1) / around, k);
        if (c->def.convergent || s->flat_vertex[corner])
            add(f, VV_STENCIL_VV, vv, area * corner_share(s, corner), k);
    }
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
    /* its area counts for both */
    bool second = !s->edge_triangles[e] && s->edge_triangles[f] && material(s, k->vertex[2]);
    bool first = !s->edge_triangles[f] && s->edge_triangles[e] && material(s, k->vertex[0]);
    a = second ? b : a, b = first ? a : b;
    const double least = 0.5 * fmin(a, b);
    if (!c->def.convergent)
        return least;
    double la = vv_edge_length(s->rest, s->edge[e][0], s->edge[e][1]),
           lb = vv_edge_length(s->rest, s->edge[f][0], s->edge[f][1]);
    la = second ? lb : la, lb = first ? la : lb;
    return fmin(EDGE_SHARE * HALF_PI * a * b / (la * lb), least);
}

static void add_edges(found *f, const vv_candidate *k, unsigned nearest)
{
    const vv_collisions *c = f->c;
    const vv_surface *s = c->def.surface;
    if (s->flat_edge[k->feature[0]] || s->flat_edge[k->feature[1]])
        return;
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
    push(f, &p);
    if (!c->def.convergent)
        return;
    /* every end of either edge, and every pair of ends, subtracts or restores its share */
    for (unsigned a = 1; a < 4; a++)
        for (unsigned b = 1; b < 4; b++) {
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
                add(f, n == 2 ? VV_STENCIL_VV : VV_STENCIL_VE, v, area * share, k);
            } else if (share != 0) {
                p.weight = area * share;
                p.mask = mask;
                push(f, &p);
            }
        }
}

/* A rod's vertex and another rod's edge: needed by parallel rods, for whose edges the mollifier is zero. */
static void add_rod_vertex(found *f, const vv_candidate *k, unsigned nearest)
{
    const vv_collisions *c = f->c;
    const vv_surface *s = c->def.surface;
    double area = vertex_share(s, k->feature[0]);
    vv_pair p = { .weight = area, .activation = k->activation, .min_distance = k->min_distance };
    reduce(VV_STENCIL_VE, k->vertex, nearest, &p);
    push(f, &p);
    for (int i = 1; c->def.convergent && i < 3; i++) {
        int vv[4] = { k->vertex[0], k->vertex[i], -1, -1 };
        add(f, VV_STENCIL_VV, vv, -area * (1 - 1.0 / s->degree[k->vertex[i]]), k);
    }
}

/* Of points and edges of rods: the mean of both. */
static void add_bare(found *f, vv_stencil kind, const vv_candidate *k, unsigned nearest)
{
    const vv_surface *s = f->c->def.surface;
    const double *area = s->vertices->area;
    double other = kind == VV_STENCIL_VE ? s->edge_area[k->feature[1]] : area[k->feature[1]];
    vv_pair p = { .weight = 0.5 * (area[k->feature[0]] + other),
                  .activation = k->activation,
                  .min_distance = k->min_distance };
    reduce(kind, k->vertex, nearest, &p);
    push(f, &p);
}

int vv_pairs_most(const vv_collisions *c, vv_stencil kind, const vv_candidate *k)
{
    static const int most[4] = { [VV_STENCIL_VV] = 1, [VV_STENCIL_VE] = 3, [VV_STENCIL_VT] = 7, [VV_STENCIL_EE] = 9 };
    const vv_surface *s = c->def.surface;
    bool flat = false;
    for (int i = 0; kind == VV_STENCIL_VT && i < 3; i++)
        flat =
            flat || s->flat_edge[s->triangle_edge[k->feature[1]][i]] || s->flat_vertex[s->triangle[k->feature[1]][i]];
    return c->def.convergent || flat ? most[kind] : 1;
}

int vv_pairs_of(const vv_collisions *c, vv_stencil kind, const vv_candidate *k, unsigned nearest, vv_pair *pairs)
{
    found f = { c, pairs, 0 };
    if (kind == VV_STENCIL_VT)
        add_triangle(&f, k, nearest);
    else if (kind == VV_STENCIL_EE)
        add_edges(&f, k, nearest);
    else if (kind == VV_STENCIL_VE && !c->def.surface->point[k->feature[0]])
        add_rod_vertex(&f, k, nearest);
    else
        add_bare(&f, kind, k, nearest);
    return f.count;
}
