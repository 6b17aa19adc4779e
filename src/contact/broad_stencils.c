/* The stencils of a pair of elements that can come within reach: those whose own boxes touch and that no plane keeps
 * apart. */
#include "contact/broad.h"

#include "base/vec.h"

#include <math.h>

void vv_broad_pair_init(const vv_broad *b, int i, int j, vv_broad_pair *pair)
{
    const vv_broad_body *a = &b->bodies[i], *c = &b->bodies[j];
    *pair = (vv_broad_pair){ .broad = b, .a = i, .b = j, .low = vv_zero4, .high = vv_zero4 };
    pair->offset = b->surface->bodies[i].radius + b->surface->bodies[j].radius;
    pair->margin = a->margin + c->margin;
    for (int k = 0; k < 3 && i != j; k++) {
        double at = a->centre[k] - c->centre[k], way = a->motion[k] - c->motion[k];
        /* a float's rounding of the sums with corners of boxes */
        double wide = 2.4e-7 * (fabs(at) + fabs(way) + fabs(a->low[k]) + fabs(a->high[k])) + 1e-14 * fabs(c->centre[k]);
        pair->low[k] = vv_float_below(at + fmin(way, 0) - wide);
        pair->high[k] = vv_float_above(at + fmax(way, 0) + wide);
    }
}

/* ---- how near a stencil can come ------------------------------------------------------------------------------ */

/* How far the points of the first primitive lie beyond those of the second along n. */
static double gap_along(double x[4][3], int first, int count, const double n[3])
{
    double front = INFINITY, back = -INFINITY;
    for (int i = 0; i < first; i++)
        front = fmin(front, vv_dot(n, x[i]));
    for (int i = first; i < count; i++)
        back = fmax(back, vv_dot(n, x[i]));
    return front - back;
}

/* A bound of the distance from below while x goes to y, and the points of both primitives stray from there by `margin`
 * together in each coordinate. Along a direction, here that of the nearest points at x, the gap is concave along the
 * way: least at an end. */
static double bound_along(vv_stencil kind, double x[4][3], double y[4][3], double margin, double *distance)
{
    double w[4], n[3] = { 0, 0, 0 };
    int count = vv_stencil_points(kind), first = kind == VV_STENCIL_EE ? 2 : 1;
    *distance = sqrt(vv_stencil_distance2(kind, (const double(*)[3])x, NULL, w));
    if (!(*distance > 0))
        return 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            n[k] += w[i] / *distance * x[i][k];
    double least = *distance;
    if (y)
        least = fmin(least, gap_along(y, first, count, n));
    return least - margin * (fabs(n[0]) + fabs(n[1]) + fabs(n[2]));
}

/* The most that the distance can change from start to end of the motion: the largest relative motion of two points. */
static double most_change(vv_stencil kind, double x[4][3], double y[4][3])
{
    int count = vv_stencil_points(kind), first = kind == VV_STENCIL_EE ? 2 : 1;
    double most = 0;
    for (int i = 0; i < first; i++)
        for (int j = first; j < count; j++) {
            double r[3];
            for (int k = 0; k < 3; k++)
                r[k] = (y[i][k] - x[i][k]) - (y[j][k] - x[j][k]);
            most = fmax(most, vv_dot(r, r));
        }
    return sqrt(most);
}

/* At least as far apart during the motion, or below `enough` where that is not sure. */
static double least_distance(const vv_broad_pair *pair, vv_stencil kind, const int vertex[4], double enough)
{
    const vv_broad *b = pair->broad;
    double x[4][3], y[4][3], at_start, at_end;
    for (int i = 0; i < vv_stencil_points(kind); i++)
        for (int k = 0; k < 3; k++) {
            x[i][k] = b->x[3 * (size_t)vertex[i] + (size_t)k];
            y[i][k] = x[i][k] + b->motion[3 * (size_t)vertex[i] + (size_t)k];
        }
    double bound = bound_along(kind, x, b->moves ? y : NULL, pair->margin, &at_start);
    if (!b->moves || bound > enough || at_start - sqrt(3) * pair->margin <= enough)
        return bound;
    bound = fmax(bound, bound_along(kind, y, x, pair->margin, &at_end));
    return fmax(bound, 0.5 * (at_start + at_end - most_change(kind, x, y)) - sqrt(3) * pair->margin);
}

static double rest_distance(const vv_surface *s, vv_stencil kind, const int vertex[4])
{
    double x[4][3], w[4];
    for (int i = 0; i < vv_stencil_points(kind); i++)
        for (int k = 0; k < 3; k++)
            x[i][k] = s->rest[3 * (size_t)vertex[i] + (size_t)k];
    return sqrt(vv_stencil_distance2(kind, (const double(*)[3])x, NULL, w));
}

/* Where the stencil is of one body, its own reach and offset. */
static void consider(const vv_broad_pair *pair, vv_stencil kind, vv_candidate *c, vv_broad_emit_fn *emit, void *arg)
{
    const vv_broad *b = pair->broad;
    c->reach = b->reach;
    c->offset = pair->offset;
    double slack = 4 * b->slack, least = least_distance(pair, kind, c->vertex, c->reach + c->offset + slack);
    if (!(least <= c->reach + c->offset + slack))
        return;
    if (pair->a == pair->b) {
        double rest = rest_distance(b->surface, kind, c->vertex);
        c->offset = fmin(c->offset, 0.5 * rest);
        c->reach = fmin(c->reach, 0.5 * (rest - c->offset));
        if (!(least <= c->reach + c->offset + slack))
            return;
    }
    emit(arg, kind, c);
}

/* ---- the stencils of two elements ----------------------------------------------------------------------------- */

typedef struct side {
    const vv_element *element;
    vv_box_f vertex[3], edge[3], all;
    int edges;
} side;

static inline vv_box_f joined(const vv_box_f *a, const vv_box_f *b)
{
    return (vv_box_f){ vv_min4(a->low, b->low), vv_max4(a->high, b->high) };
}

static inline bool touch(const vv_box_f *a, const vv_box_f *b)
{
    return vv_mask4((a->low <= b->high) & (b->low <= a->high)) == 15;
}

static inline void take_side(const vv_broad *b, const vv_element *e, vv_f4 low, vv_f4 high, side *s)
{
    s->element = e;
    s->edges = e->corners == 3 ? 3 : e->corners - 1;
    for (int k = 0; k < 3; k++) {
        s->vertex[k].low = b->vertex_boxes[e->vertex[k]].low + low;
        s->vertex[k].high = b->vertex_boxes[e->vertex[k]].high + high;
    }
    for (int k = 0; k < 3; k++)
        s->edge[k] = joined(&s->vertex[k], &s->vertex[k < 2 ? k + 1 : 0]);
    s->all = joined(&s->edge[0], &s->vertex[2]);
}

static inline bool has_vertex(const vv_element *e, int v) { return e->vertex[0] == v || e->vertex[1] == v || e->vertex[2] == v; }

typedef struct visit {
    const vv_broad_pair *pair;
    vv_broad_emit_fn *emit;
    void *arg;
} visit;

static inline void vertices_against(const visit *v, const side *a, const side *b)
{
    const vv_surface *s = v->pair->broad->surface;
    const int *t = s->triangle[b->element->index];
    for (int k = 0; k < a->element->corners; k++) {
        int vertex = a->element->vertex[k];
        if (!(a->element->owns_vertex >> k & 1) || has_vertex(b->element, vertex) || !touch(&a->vertex[k], &b->all))
            continue;
        vv_candidate c = { .vertex = { vertex, t[0], t[1], t[2] }, .feature = { vertex, b->element->index } };
        consider(v->pair, VV_STENCIL_VT, &c, v->emit, v->arg);
    }
}

static inline void edges_against(const visit *v, const side *a, const side *b)
{
    const vv_surface *s = v->pair->broad->surface;
    for (int i = 0; i < a->edges; i++) {
        if (!(a->element->owns_edge >> i & 1))
            continue;
        int first = a->element->edge[i];
        for (int j = 0; j < b->edges; j++) {
            if (!(b->element->owns_edge >> j & 1) || !touch(&a->edge[i], &b->edge[j]))
                continue;
            int second = b->element->edge[j];
            const int *e = s->edge[first < second ? first : second], *f = s->edge[first < second ? second : first];
            if (e[0] == f[0] || e[0] == f[1] || e[1] == f[0] || e[1] == f[1])
                continue;
            vv_candidate c = { .vertex = { e[0], e[1], f[0], f[1] } };
            c.feature[0] = first < second ? first : second;
            c.feature[1] = first < second ? second : first;
            consider(v->pair, VV_STENCIL_EE, &c, v->emit, v->arg);
        }
    }
}

/* a: a point; b: an edge without triangles or a point. */
static void point_against(const visit *v, const side *a, const side *b)
{
    int vertex = a->element->vertex[0], other = b->element->vertex[0];
    if (!touch(&a->all, &b->all))
        return;
    if (b->element->corners == 1) {
        int low = vertex < other ? vertex : other, high = vertex < other ? other : vertex;
        vv_candidate c = { .vertex = { low, high, -1, -1 }, .feature = { low, high } };
        consider(v->pair, VV_STENCIL_VV, &c, v->emit, v->arg);
        return;
    }
    const int *e = v->pair->broad->surface->edge[b->element->index];
    vv_candidate c = { .vertex = { vertex, e[0], e[1], -1 }, .feature = { vertex, b->element->index } };
    consider(v->pair, VV_STENCIL_VE, &c, v->emit, v->arg);
}

void vv_broad_stencils(const vv_broad_pair *pair, const vv_element *a, const vv_element *b, vv_broad_emit_fn *emit, void *arg)
{
    visit v = { pair, emit, arg };
    side sa, sb;
    take_side(pair->broad, a, pair->low, pair->high, &sa);
    take_side(pair->broad, b, vv_zero4, vv_zero4, &sb);
    if (b->corners == 3)
        vertices_against(&v, &sa, &sb);
    if (a->corners == 3)
        vertices_against(&v, &sb, &sa);
    edges_against(&v, &sa, &sb);
    if (a->corners == 1 && b->corners < 3)
        point_against(&v, &sa, &sb);
    else if (b->corners == 1 && a->corners < 3)
        point_against(&v, &sb, &sa);
}
