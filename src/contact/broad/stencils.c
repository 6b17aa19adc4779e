/* The stencils of a pair of elements that can come within the activation distance: those whose own boxes touch and
 * that no plane separates. */
#include "contact/broad/broad.h"

#include "base/vec.h"
#include "contact/surfaces/gaps.h"

#include <math.h>

void vv_broad_body_pair_init(const vv_broad *b, int i, int j, vv_broad_body_pair *pair)
{
    const vv_broad_body *a = &b->bodies[i], *c = &b->bodies[j];
    *pair = (vv_broad_body_pair){ .broad = b, .a = i, .b = j, .low = vv_zero4, .high = vv_zero4 };
    pair->set = i == j && b->turns;
    pair->min_distance = b->surface->bodies[i].radius + b->surface->bodies[j].radius;
    pair->activation = vv_surface_activation(b->surface, i, j, b->activation);
    pair->margin = a->margin + c->margin;
    for (int k = 0; k < 3 && i != j; k++) {
        double at = a->centre[k] - c->centre[k], way = a->motion[k] - c->motion[k];
        /* float rounding when this is added to corners of boxes */
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
    for (int i = 0; i < count; i++) {
        double at = vv_dot(n, x[i]);
        if (i < first)
            front = at < front ? at : front;
        else
            back = at > back ? at : back;
    }
    return front - back;
}

/* A lower bound of the distance while x goes to y, if the points of both primitives deviate by at most `margin`
 * together in each coordinate. Along a fixed direction, here that of the nearest points at x, the gap is concave
 * along the path, so it is least at an end. */
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

/* Whether the direction between the primitives' centres already separates them: most stencils whose boxes touch are
 * neighbours, and the exact distance costs several times as much. */
static bool far_apart(vv_stencil kind, double x[4][3], double y[4][3], double margin, double enough)
{
    int count = vv_stencil_points(kind), first = kind == VV_STENCIL_EE ? 2 : 1;
    double n[3];
    for (int k = 0; k < 3; k++) {
        double front = 0, back = 0;
        for (int i = 0; i < first; i++)
            front += x[i][k];
        for (int i = first; i < count; i++)
            back += x[i][k];
        n[k] = front / first - back / (count - first);
    }
    double need = enough * vv_norm(n) + margin * (fabs(n[0]) + fabs(n[1]) + fabs(n[2]));
    return gap_along(x, first, count, n) > need && (!y || gap_along(y, first, count, n) > need);
}

/* A lower bound of the distance during the motion; not above `enough` where that cannot be ensured. */
static double least_distance(const vv_broad_body_pair *pair, vv_stencil kind, const int vertex[4], double enough)
{
    const vv_broad *b = pair->broad;
    double x[4][3], y[4][3], at_start, at_end;
    for (int i = 0; i < vv_stencil_points(kind); i++)
        for (int k = 0; k < 3; k++) {
            x[i][k] = b->x[3 * (size_t)vertex[i] + (size_t)k];
            y[i][k] = x[i][k] + b->motion[3 * (size_t)vertex[i] + (size_t)k];
        }
    if (far_apart(kind, x, b->moves ? y : NULL, pair->margin, enough))
        return INFINITY;
    double bound = bound_along(kind, x, b->moves ? y : NULL, pair->margin, &at_start);
    if (!b->moves || bound > enough || at_start - sqrt(3) * pair->margin <= enough)
        return bound;
    bound = fmax(bound, bound_along(kind, y, x, pair->margin, &at_end));
    return fmax(bound, 0.5 * (at_start + at_end - most_change(kind, x, y)) - sqrt(3) * pair->margin);
}

double vv_broad_rest_distance(const vv_surface *s, vv_stencil kind, const int vertex[4])
{
    double x[4][3], w[4];
    for (int i = 0; i < vv_stencil_points(kind); i++)
        for (int k = 0; k < 3; k++)
            x[i][k] = s->rest[3 * (size_t)vertex[i] + (size_t)k];
    return sqrt(vv_stencil_distance2(kind, (const double(*)[3])x, NULL, w));
}

/* A stencil within one body has its own activation and minimum distance; not so free points, which have no neighbours
 * in a rest shape. */
static void consider(const vv_broad_body_pair *pair, vv_stencil kind, vv_candidate *c, vv_broad_emit_fn *emit,
                     void *arg)
{
    const vv_broad *b = pair->broad;
    c->activation = pair->activation;
    c->min_distance = pair->min_distance;
    double slack = 4 * b->slack, least = least_distance(pair, kind, c->vertex, c->activation + c->min_distance + slack);
    if (!(least <= c->activation + c->min_distance + slack))
        return;
    if (pair->a == pair->b && kind != VV_STENCIL_VV) {
        double rest = vv_broad_rest_distance(b->surface, kind, c->vertex);
        c->min_distance = fmin(c->min_distance, 0.5 * rest);
        c->activation = fmin(c->activation, 0.5 * (rest - c->min_distance));
        if (!(least <= c->activation + c->min_distance + slack))
            return;
    }
    emit(arg, kind, c);
}

/* ---- the stencils of two elements ----------------------------------------------------------------------------- */

/* Indices of the boxes of an element: of its corners, its edges (k: from corner k to the next) and the whole. */
enum { CORNER = 0, EDGE = 3, ALL = 6 };
typedef struct side {
    const vv_element *element;
    vv_box_f box[7];
} side;

static inline void take_side(const vv_box_f *boxes, const vv_element *e, vv_f4 low, vv_f4 high, side *s)
{
    s->element = e;
    for (int k = 0; k < 3; k++) {
        s->box[k].low = boxes[e->vertex[k]].low + low;
        s->box[k].high = boxes[e->vertex[k]].high + high;
    }
    for (int k = 0; k < 4; k++) { /* k == 3: edge 0 and corner 2 */
        int first = k < 3 ? k : EDGE, second = k < 2 ? k + 1 : k == 2 ? 0 : 2;
        s->box[EDGE + k].low = vv_min4(s->box[first].low, s->box[second].low);
        s->box[EDGE + k].high = vv_max4(s->box[first].high, s->box[second].high);
    }
}

/* Stencils of a pair as bits: 3 i + j: edges i and j; 9 + i: corner i of the first against the second, a triangle or
 * another rod's edge; 12 + j: the reverse; 15: a point against a point or an edge. */
enum { FIRST_CORNERS = 9, SECOND_CORNERS = 12, POINT = 15, STENCILS = 16 };
static const unsigned char first_box[STENCILS] = { 3, 3, 3, 4, 4, 4, 5, 5, 5, 0, 1, 2, 6, 6, 6, 6 };
static const unsigned char second_box[STENCILS] = { 3, 4, 5, 3, 4, 5, 3, 4, 5, 6, 6, 6, 0, 1, 2, 6 };

/* Those whose features the elements own and that share no vertex. */
static inline unsigned owned_stencils(const vv_element *a, const vv_element *b)
{
    const vv_i4 corners = { b->vertex[0], b->vertex[1], b->vertex[2], b->vertex[2] };
    unsigned same[3], stencils = 0, any;
    for (int i = 0; i < 3; i++) {
        vv_i4 v = { a->vertex[i], a->vertex[i], a->vertex[i], a->vertex[i] };
        same[i] = (unsigned)vv_mask4(v == corners) & 7;
    }
    any = same[0] | same[1] | same[2];
    for (int i = 0; i < 3; i++) {
        unsigned ends = same[i] | same[i < 2 ? i + 1 : 0], touched = ends | ends >> 1 | ends << 2;
        stencils |= (b->owns_edge & ~touched & (0u - (a->owns_edge >> i & 1))) << (3 * i);
    }
    bool rods = a->corners == 2 && b->corners == 2; /* parallel edges of rods do not repel each other as EE */
    if (b->corners == 3 || rods)
        stencils |= (a->owns_vertex & ((same[0] == 0) | (same[1] == 0) << 1 | (same[2] == 0) << 2)) << FIRST_CORNERS;
    if (a->corners == 3 || rods)
        stencils |= (b->owns_vertex & ~any) << SECOND_CORNERS;
    if (a->corners < 3 && b->corners < 3 && (a->corners == 1 || b->corners == 1))
        stencils |= 1u << POINT;
    return stencils;
}

static inline unsigned touching(const side *a, const side *b, unsigned stencils)
{
    unsigned touch = 0;
    for (; stencils; stencils &= stencils - 1) {
        int t = __builtin_ctz(stencils);
        const vv_box_f *x = &a->box[first_box[t]], *y = &b->box[second_box[t]];
        touch |= (unsigned)(vv_mask4((x->low <= y->high) & (y->low <= x->high)) == 15) << t;
    }
    return touch;
}

static vv_stencil edges_stencil(const vv_surface *s, int e, int f, vv_candidate *c)
{
    int first = e < f ? e : f, second = e < f ? f : e;
    *c = (vv_candidate){ .vertex = { s->edge[first][0], s->edge[first][1], s->edge[second][0], s->edge[second][1] },
                         .feature = { first, second } };
    return VV_STENCIL_EE;
}

/* e: a triangle, or an edge without triangles. */
static vv_stencil vertex_stencil(const vv_surface *s, int v, const vv_element *e, vv_candidate *c)
{
    if (e->corners == 2) {
        *c = (vv_candidate){ .vertex = { v, s->edge[e->index][0], s->edge[e->index][1], -1 },
                             .feature = { v, e->index } };
        return VV_STENCIL_VE;
    }
    const int *t = s->triangle[e->index];
    *c = (vv_candidate){ .vertex = { v, t[0], t[1], t[2] }, .feature = { v, e->index } };
    return VV_STENCIL_VT;
}

/* a: a point; b: a point, or an edge without triangles. */
static vv_stencil point_stencil(const vv_surface *s, const vv_element *a, const vv_element *b, vv_candidate *c)
{
    int v = a->index, w = b->index;
    if (b->corners == 2)
        return vertex_stencil(s, v, b, c);
    int first = v < w ? v : w, second = v < w ? w : v;
    *c = (vv_candidate){ .vertex = { first, second, -1, -1 }, .feature = { first, second } };
    return VV_STENCIL_VV;
}

static vv_stencil stencil_of(const vv_surface *s, const vv_element *a, const vv_element *b, int bit, vv_candidate *c)
{
    if (bit < FIRST_CORNERS)
        return edges_stencil(s, a->edge[bit / 3], b->edge[bit % 3], c);
    if (bit < SECOND_CORNERS)
        return vertex_stencil(s, a->vertex[bit - FIRST_CORNERS], b, c);
    if (bit < POINT)
        return vertex_stencil(s, b->vertex[bit - SECOND_CORNERS], a, c);
    return a->corners == 1 ? point_stencil(s, a, b, c) : point_stencil(s, b, a, c);
}

int vv_broad_stencils(const vv_broad_body_pair *pair, const vv_element *a, const vv_element *others, int mask,
                      vv_broad_emit_fn *emit, void *arg)
{
    int considered = 0;
    side sa, sb;
    const vv_box_f *boxes = pair->broad->vertex_boxes[pair->set];
    take_side(boxes, a, pair->low, pair->high, &sa);
    for (; mask; mask &= mask - 1) {
        const vv_element *b = &others[__builtin_ctz((unsigned)mask)];
        unsigned stencils = owned_stencils(a, b);
        if (stencils == 0)
            continue;
        take_side(boxes, b, vv_zero4, vv_zero4, &sb);
        for (stencils = touching(&sa, &sb, stencils); stencils; stencils &= stencils - 1) {
            vv_candidate c;
            vv_stencil kind = stencil_of(pair->broad->surface, a, b, __builtin_ctz(stencils), &c);
            if (pair->all)
                emit(arg, kind, &c);
            else
                consider(pair, kind, &c, emit, arg);
            considered++;
        }
    }
    return considered;
}
