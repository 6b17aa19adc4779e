/* Whether the motion of two bodies takes one through the other.
 *
 * Each moves and turns uniformly: centre c, rotation R nearest to its motion, and the remainder in the rotated frame,
 *   x(t) = c(t) + R(t) (x_0 + t (R_1^T x_1 - x_0)).
 * In short intervals, seen from the second's centre, all vertices go in straight lines. Solids are taken without their
 * skins: if these cores meet, one passes through. Two thin bodies have no cores; for them, parts that pass through the
 * other and do not return count. */
#include "contact/ccd/passing_pair.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/rotation.h"
#include "base/vec.h"
#include "contact/ccd/ccd.h"

#include <math.h>
#include <string.h>

typedef struct pair {
    vv_passer *p;
    vv_passing_side *side[2];
    const vv_parallel *par;
    bool thin; /* neither is solid */
    vv_passing_rule rule;
    int intervals;
    double skin; /* m: the lesser of those of the solids */
    double keep; /* m: what comes nearer than this meets */
    bool passes;
    /* VV_PASSING_ASIDE: the interval in question; where they meet first, as a part of the motion, and the direction */
    int interval;
    double time, normal[3];
    double freely[3], taken[3]; /* how far the first moves relative to the second where they meet, in both motions */
} pair;

/* ---- the motion of one side ---- */

static void add_normals(const vv_surface *s, const vv_surface_body *sb, const double *x, double *normal)
{
    for (int t = sb->first_triangle; t < sb->first_triangle + sb->triangle_count; t++) {
        const int *v = s->triangle[t];
        double e[3], f[3], n[3];
        vv_sub(x + 3 * (size_t)v[1], x + 3 * (size_t)v[0], e);
        vv_sub(x + 3 * (size_t)v[2], x + 3 * (size_t)v[0], f);
        vv_cross(e, f, n);
        for (int k = 0; k < 3; k++)
            for (size_t c = 0; c < 3; c++)
                normal[3 * (size_t)(v[k] - sb->first_vertex) + c] += n[c];
    }
}

/* Positions relative to their mean, `out`, without the skin. */
static void strip(const vv_passer *p, const vv_surface_body *sb, const double *x, double skin, double *normal,
                  double centre[3], double *out)
{
    const size_t n = (size_t)sb->vertex_count;
    const double *own = x + 3 * (size_t)sb->first_vertex;
    memset(centre, 0, 3 * sizeof *centre);
    for (size_t i = 0; i < 3 * n; i++)
        centre[i % 3] += own[i] / (double)n;
    for (size_t i = 0; i < 3 * n; i++)
        out[i] = own[i] - centre[i % 3];
    if (!(skin > 0))
        return;
    memset(normal, 0, 3 * n * sizeof *normal);
    add_normals(p->surface, sb, x, normal);
    for (size_t v = 0; v < n; v++) {
        const double length = vv_norm(normal + 3 * v);
        for (size_t c = 0; c < 3 && length > 0; c++)
            out[3 * v + c] -= skin * normal[3 * v + c] / length;
    }
}

/* The rotation that is nearest to the motion, and the end turned back by it. */
static void turn_back(vv_passing_side *s)
{
    double sum[9] = { 0 }, u[4], r[9], back[3];
    for (size_t v = 0; v < (size_t)s->count; v++) {
        const double *x = s->begin + 3 * v, *y = s->end + 3 * v;
        s->radius = fmax(s->radius, fmax(vv_norm(x), vv_norm(y)));
        for (int i = 0; i < 9; i++)
            sum[i] += x[i / 3] * y[i % 3];
    }
    vv_nearest_rotation(sum, u);
    const double sign = u[0] < 0 ? -1 : 1;
    for (int k = 0; k < 3; k++)
        s->axis[k] = sign * u[k + 1];
    s->angle = 2 * atan2(vv_norm(s->axis), fabs(u[0]));
    vv_axis_angle(s->axis, s->angle, r);
    for (size_t v = 0; v < (size_t)s->count; v++) {
        vv_matvec_transposed(r, s->end + 3 * v, back);
        memcpy(s->end + 3 * v, back, sizeof back);
    }
}

static void make_side(vv_passer *p, int body, double skins, vv_passing_side *s)
{
    const vv_surface_body *sb = p->surface->bodies + body;
    const double skin = skins * p->bodies[body].skin;
    strip(p, sb, p->from, skin, s->now, s->from, s->begin);
    strip(p, sb, p->to, skin, s->now, s->to, s->end);
    s->radius = s->angle = 0;
    memset(s->axis, 0, sizeof s->axis);
    if (sb->triangle_count + sb->edge_count > 0)
        turn_back(s);
}

/* Where a vertex is at time t, as seen by one that moves from the origin by `common`. */
static void place(const vv_passing_side *s, double t, const double common[3], const double r[9], size_t v, double x[3])
{
    double y[3];
    for (size_t k = 0; k < 3; k++)
        y[k] = s->begin[3 * v + k] + t * (s->end[3 * v + k] - s->begin[3 * v + k]);
    vv_matvec(r, y, x);
    for (int k = 0; k < 3; k++)
        x[k] += s->from[k] + t * (s->to[k] - s->from[k] - common[k]);
}

static void place_all(const vv_passing_side *s, double t, const double common[3], double *x)
{
    double r[9];
    vv_axis_angle(s->axis, t * s->angle, r);
    for (size_t v = 0; v < (size_t)s->count; v++)
        place(s, t, common, r, v, x + 3 * v);
}

/* ---- how many intervals ---- */

enum { MOST_INTERVALS = 256 };

/* In each a turn strays from its chord by no more than `allowed`. */
static double turns_of(const vv_passing_side *s, double allowed)
{
    const double part = s->radius > allowed ? 2 * acos(1 - allowed / s->radius) : 3;
    return s->angle / part;
}

static int intervals_of(const pair *q, double travel)
{
    const vv_passing_body *a = q->side[0]->body, *b = q->side[1]->body;
    const double extent = fmin(a->extent, b->extent), allowed = q->skin > 0 ? 0.25 * q->skin : 0.25 * extent,
                 size = fmax(fmin(a->size, b->size), extent);
    const double n = fmax(fmax(turns_of(q->side[0], allowed), turns_of(q->side[1], allowed)), travel / size);
    return (int)fmin(fmax(ceil(n), 1), MOST_INTERVALS);
}

/* ---- two elements ---- */

/* A vertex of either side. */
typedef struct corner {
    const vv_passing_side *side;
    int vertex;
} corner;

static void gather(const corner *c, int points, double x[4][3], double y[4][3])
{
    for (int i = 0; i < points; i++) {
        const size_t at = 3 * (size_t)(c[i].vertex - c[i].side->first);
        memcpy(x[i], c[i].side->now + at, sizeof x[i]);
        memcpy(y[i], c[i].side->next + at, sizeof y[i]);
    }
}

/* What a skin was taken off of where a body is thinner than twice that is inside out: nothing to judge by. */
static bool clear_at(const pair *q, vv_stencil kind, const corner *c, double t)
{
    static const double still[3] = { 0 };
    double x[4][3], w[4];
    for (int i = 0, n = vv_stencil_points(kind); i < n; i++) {
        double r[9];
        vv_axis_angle(c[i].side->axis, t * c[i].side->angle, r);
        place(c[i].side, t, still, r, (size_t)(c[i].vertex - c[i].side->first), x[i]);
    }
    return vv_stencil_distance2(kind, (const double(*)[3])x, NULL, w) > 0.0625 * q->skin * q->skin;
}

/* Of a free motion, which goes on: where they meet first. */
static bool note_meeting(pair *q, vv_stencil kind, const corner *c, const double x[4][3], const double p[4][3],
                         double t)
{
    const double time = (q->interval - 1 + t) / q->intervals;
    double z[4][3], w[4], n[3] = { 0 }, length;
    if (time >= q->time)
        return false;
    q->time = time;
    for (int i = 0; i < vv_stencil_points(kind); i++)
        for (int k = 0; k < 3; k++)
            z[i][k] = x[i][k] + t * p[i][k];
    vv_stencil_distance2(kind, (const double(*)[3])z, NULL, w);
    memset(q->freely, 0, sizeof q->freely);
    memset(q->taken, 0, sizeof q->taken);
    const double sign = c[0].side == q->side[0] ? 1 : -1;
    for (int i = 0; i < vv_stencil_points(kind); i++)
        for (size_t k = 0, at = 3 * (size_t)c[i].vertex; k < 3; k++) {
            n[k] += w[i] * z[i][k];
            q->freely[k] += sign * w[i] * (q->p->to[at + k] - q->p->from[at + k]);
            q->taken[k] += sign * w[i] * (q->p->taken[at + k] - q->p->from[at + k]);
        }
    length = vv_norm(n);
    for (int k = 0; k < 3; k++)
        q->normal[k] = length > 0 ? n[k] / length : 0;
    return false;
}

static bool meets(pair *q, vv_stencil kind, const corner *c, double keep)
{
    const int n = vv_stencil_points(kind);
    double x[4][3], y[4][3];
    gather(c, n, x, y);
    for (int i = 0; i < n; i++)
        vv_sub(y[i], x[i], y[i]);
    const double t = vv_ccd_advance(kind, (const double(*)[3])x, (const double(*)[3])y, keep, q->p->distance, 1);
    if (t >= 1 || (q->skin > 0 && !clear_at(q, kind, c, 0)))
        return false;
    if (q->rule == VV_PASSING_ASIDE)
        return note_meeting(q, kind, c, (const double(*)[3])x, (const double(*)[3])y, t);
    return !(q->skin > 0) || clear_at(q, kind, c, 1);
}

static int corners_of(const vv_passing_element *e) { return e->vertex[1] < 0 ? 1 : e->vertex[2] < 0 ? 2 : 3; }

/* Side i's vertices against the other's triangle. */
static bool vertices_meet(pair *q, int i, const vv_passing_element *e, const vv_passing_element *triangle)
{
    for (int k = 0; k < corners_of(e); k++) {
        const corner c[4] = { { q->side[i], e->vertex[k] },
                              { q->side[1 - i], triangle->vertex[0] },
                              { q->side[1 - i], triangle->vertex[1] },
                              { q->side[1 - i], triangle->vertex[2] } };
        if (e->own >> k & 1 && meets(q, VV_STENCIL_VT, c, q->keep))
            return true;
    }
    return false;
}

static bool edges_meet(pair *q, const vv_passing_element *a, const vv_passing_element *b)
{
    const int n = corners_of(a), m = corners_of(b);
    for (int i = 0; i < (n == 3 ? 3 : n - 1); i++)
        for (int j = 0; j < (m == 3 ? 3 : m - 1); j++) {
            const corner c[4] = { { q->side[0], a->vertex[i] },
                                  { q->side[0], a->vertex[(i + 1) % 3] },
                                  { q->side[1], b->vertex[j] },
                                  { q->side[1], b->vertex[(j + 1) % 3] } };
            if (meets(q, VV_STENCIL_EE, c, q->keep))
                return true;
        }
    return false;
}

static bool elements_meet(pair *q, const vv_passing_element *a, const vv_passing_element *b)
{
    return (corners_of(b) == 3 && vertices_meet(q, 0, a, b)) || (corners_of(a) == 3 && vertices_meet(q, 1, b, a)) ||
           edges_meet(q, a, b);
}

/* Points have no other side: two balls pass where their centres come nearer than half of what contact allows. */
static bool points_meet(pair *q, const vv_passing_element *a, const vv_passing_element *b)
{
    const bool flip = corners_of(a) == 2;
    const corner u = { q->side[0], a->vertex[0] }, w = { q->side[1], b->vertex[0] };
    const corner end = flip ? (corner){ q->side[0], a->vertex[1] } : (corner){ q->side[1], b->vertex[1] };
    const corner c[3] = { flip ? w : u, flip ? u : w, end };
    return q->keep > 0 && meets(q, end.vertex < 0 ? VV_STENCIL_VV : VV_STENCIL_VE, c, q->keep);
}

/* ---- two thin elements ---- */

static void count_vertices(const pair *q, int i, const vv_passing_element *e, const vv_passing_element *triangle)
{
    double x[4][3], y[4][3];
    for (int k = 0; k < corners_of(e); k++) {
        const corner c[4] = { { q->side[i], e->vertex[k] },
                              { q->side[1 - i], triangle->vertex[0] },
                              { q->side[1 - i], triangle->vertex[1] },
                              { q->side[1 - i], triangle->vertex[2] } };
        if (!(e->own >> k & 1))
            continue;
        gather(c, 4, x, y);
        q->side[i]->net[e->vertex[k] - q->side[i]->first] +=
            (signed char)vv_passing_crossings(VV_STENCIL_VT, (const double(*)[3])x, (const double(*)[3])y);
    }
}

static void count_rods(const pair *q, int element, const vv_passing_element *a, const vv_passing_element *b)
{
    const corner c[4] = { { q->side[0], a->vertex[0] },
                          { q->side[0], a->vertex[1] },
                          { q->side[1], b->vertex[0] },
                          { q->side[1], b->vertex[1] } };
    double x[4][3], y[4][3];
    gather(c, 4, x, y);
    q->side[0]->net[q->side[0]->count + element] +=
        (signed char)vv_passing_crossings(VV_STENCIL_EE, (const double(*)[3])x, (const double(*)[3])y);
}

/* Returns whether two points meet; else counts. */
static bool thin_meet(pair *q, int element, const vv_passing_element *a, const vv_passing_element *b)
{
    const int n = corners_of(a), m = corners_of(b);
    if (m == 3)
        count_vertices(q, 0, a, b);
    if (n == 3)
        count_vertices(q, 1, b, a);
    if (n == 2 && m == 2)
        count_rods(q, element, a, b);
    return n < 3 && m < 3 && n + m < 4 && points_meet(q, a, b);
}

static bool anything_beyond(const pair *q)
{
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < q->side[i]->count + q->side[i]->body->count; k++)
            if (q->side[i]->net[k])
                return true;
    return false;
}

/* ---- an interval ---- */

static vv_box box_of(const vv_passing_side *s, const vv_passing_element *e, double reach)
{
    vv_box box = vv_box_empty();
    for (int k = 0; k < corners_of(e); k++) {
        vv_box_add(&box, s->now + 3 * (size_t)(e->vertex[k] - s->first));
        vv_box_add(&box, s->next + 3 * (size_t)(e->vertex[k] - s->first));
    }
    for (int c = 0; c < 3; c++)
        box.low[c] -= reach, box.high[c] += reach;
    return box;
}

static vv_box hull_of(const vv_passing_side *s, double reach)
{
    vv_box box = vv_box_empty();
    for (size_t v = 0; v < (size_t)s->count; v++) {
        vv_box_add(&box, s->now + 3 * v);
        vv_box_add(&box, s->next + 3 * v);
    }
    for (int c = 0; c < 3; c++)
        box.low[c] -= reach, box.high[c] += reach;
    return box;
}

static bool on_elements(void *arg, int i, int j)
{
    pair *q = arg;
    const vv_passing_element *a = q->p->elements + q->side[0]->body->first + i,
                             *b = q->p->elements + q->side[1]->body->first + j;
    q->passes = q->thin ? thin_meet(q, i, a, b) : elements_meet(q, a, b);
    return !q->passes;
}

/* The tree of a side's elements, around their ways. */
static bool fit_tree(const vv_passer *p, vv_passing_side *s, double reach)
{
    for (int e = 0; e < s->body->count; e++)
        s->boxes[e] = box_of(s, p->elements + s->body->first + e, reach);
    if (!s->body->tree.nodes)
        return vv_bvh_build(&s->body->tree, s->boxes, s->body->count);
    vv_bvh_refit(&s->body->tree, s->boxes);
    return true;
}

static vvStatus test_interval(pair *q, vvError *error)
{
    vv_passing_side *a = q->side[0], *b = q->side[1];
    const double reach = 0.5 * q->keep;
    const vv_box hull[2] = { hull_of(a, reach), hull_of(b, reach) };
    if (!vv_box_touch(hull, hull + 1))
        return VV_OK;
    if (!fit_tree(q->p, a, reach) || !fit_tree(q->p, b, reach))
        return vv_fail_memory(error, "the test of motions");
    vv_bvh_overlaps_between(&a->body->tree, &b->body->tree, on_elements, q);
    return VV_OK;
}

/* ---- a pair ---- */

static const double FAR_TURN = 1;  /* rad; how evenly a body turns that far in a step is not known: two skins */
static const double PAST = 0.25;   /* of the smallest extent */
static const double COMPACT = 2.5; /* size over extent; a cube's is sqrt(3) */

/* Room for both sides, whose vertices and elements are known. */
static bool make_room(vv_passer *p)
{
    size_t vertices = (size_t)p->side[0].count + (size_t)p->side[1].count,
           elements = (size_t)p->side[0].body->count + (size_t)p->side[1].body->count;
    if (!vv_grow((void **)&p->room, &p->room_capacity, 12 * vertices, sizeof *p->room) ||
        !vv_grow((void **)&p->net, &p->net_capacity, vertices + elements, 1) ||
        !vv_grow((void **)&p->boxes, &p->box_capacity, elements, sizeof *p->boxes))
        return false;
    double *at = p->room;
    for (int i = 0; i < 2; i++) {
        vv_passing_side *s = p->side + i;
        const size_t n = 3 * (size_t)s->count, before = i ? (size_t)p->side[0].body->count : 0;
        s->begin = at, s->end = at + n, s->now = at + 2 * n, s->next = at + 3 * n;
        at += 4 * n;
        s->net = p->net + (i ? (size_t)p->side[0].count + before : 0);
        s->boxes = p->boxes + before;
    }
    memset(p->net, 0, vertices + elements);
    return true;
}

/* How far the motion that was taken goes on, along n or -n, past the place where the free one meets. */
static double past(double time, const double freely[3], const double taken[3], const double n[3])
{
    const double f = vv_dot(n, freely), t = vv_dot(n, taken);
    return f > 0 ? t - time * f : time * f - t;
}

/* Across what meets first it may not go on far. Nor, where two free bodies fly by more than their extent in a step, may
 * their centres along their path: what meets first may be slanted, and nothing says what meets next. */
static bool gone_past(const pair *q, int a, int b, double travel)
{
    const vv_passing_body *u = q->side[0]->body, *w = q->side[1]->body;
    const vv_surface_body *bodies = q->p->surface->bodies;
    const double most = PAST * fmin(u->extent, w->extent);
    double freely[3], taken[3], way[3], length;
    if (!(q->time <= 1 && (1 - q->time) * fabs(vv_dot(q->normal, q->freely)) > most))
        return false; /* it leads hardly in */
    vv_sub(u->mean, w->mean, freely);
    vv_sub(u->moved, w->moved, taken);
    length = vv_norm(freely);
    for (int k = 0; k < 3; k++)
        way[k] = length > 0 ? freely[k] / length : 0;
    return past(q->time, q->freely, q->taken, q->normal) > most ||
           (travel > fmin(u->extent, w->extent) && bodies[a].moves && bodies[b].moves &&
            past(q->time, freely, taken, way) > most);
}

/* About as thick as long: such a body's centre says where it is, and it does not turn far in what it meets. */
static bool is_compact(const vv_passing_body *b) { return b->solid && b->size < COMPACT * b->extent; }

static void swap_places(vv_passing_side *s)
{
    double *next = s->next;
    s->next = s->now, s->now = next;
}

vvStatus vv_passing_pair(vv_passer *p, const vv_parallel *par, int a, int b, double travel, vv_passing_rule rule,
                         bool *passes, vvError *error)
{
    vv_passing_body *body[2] = { p->bodies + a, p->bodies + b };
    const bool whole = rule == VV_PASSING_MEETING || rule == VV_PASSING_ASIDE;
    pair q = { .p = p, .side = { p->side, p->side + 1 }, .par = par, .rule = rule, .time = INFINITY };
    const double radii = p->surface->bodies[a].radius + p->surface->bodies[b].radius;
    q.thin = !body[0]->solid && !body[1]->solid;
    q.keep = q.thin ? 0.5 * radii : rule == VV_PASSING_MEETING ? radii + p->distance : 0;
    for (int i = 0; i < 2 && !whole; i++)
        if (body[i]->solid)
            q.skin = q.skin > 0 ? fmin(q.skin, body[i]->skin) : body[i]->skin;
    *passes = false;
    if (rule == VV_PASSING_ASIDE && !(is_compact(body[0]) && is_compact(body[1])))
        return VV_OK;
    if (!q.thin && !whole && !(travel > 0.5 * q.skin))
        return VV_OK;
    for (int i = 0; i < 2; i++)
        p->side[i] = (vv_passing_side){ .body = body[i],
                                        .first = p->surface->bodies[i ? b : a].first_vertex,
                                        .count = p->surface->bodies[i ? b : a].vertex_count };
    if (!make_room(p))
        return vv_fail_memory(error, "the test of motions");
    make_side(p, a, !whole, p->side);
    make_side(p, b, !whole, p->side + 1);
    if (!whole && fmax(p->side[0].angle, p->side[1].angle) > FAR_TURN) {
        make_side(p, a, 2, p->side);
        make_side(p, b, 2, p->side + 1);
    }
    q.intervals = intervals_of(&q, travel);
    double common[3];
    vv_sub(p->side[1].to, p->side[1].from, common);
    vvStatus status = VV_OK;
    for (int i = 0; i < 2; i++)
        place_all(p->side + i, 0, common, p->side[i].now);
    for (int k = 1; k <= q.intervals && status == VV_OK && !q.passes && !(q.time <= 1); k++) {
        q.interval = k;
        if (vv_for_stopped(par))
            return vv_fail_cancelled(error);
        for (int i = 0; i < 2; i++)
            place_all(p->side + i, (double)k / q.intervals, common, p->side[i].next);
        status = test_interval(&q, error);
        swap_places(p->side), swap_places(p->side + 1);
    }
    *passes = q.passes || (q.thin && anything_beyond(&q)) || gone_past(&q, a, b, travel);
    return status;
}
