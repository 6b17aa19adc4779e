/* How far bodies move relative to each other in a step, and which pairs could pass each other: those that move by more
 * than half of their smallest extent, and whose paths come near each other. */
#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "contact/ccd/passing_pair.h"

#include <math.h>
#include <string.h>

/* ---- making ---- */

/* The skin of a solid: half of its volume over its surface, V/(2A). */
static const double SKIN = 0.5;
/* Of the same, where that is less than the smallest side of its box: a ball's diameter, a cube's edge, but not the
 * whole of a bowl. */
static const double WIDEST = 6;

static void take_vertices(vv_passing_element *e, unsigned char *seen)
{
    for (int k = 0; k < 3 && e->vertex[k] >= 0; k++) {
        e->own |= (unsigned char)(!seen[e->vertex[k]] << k);
        seen[e->vertex[k]] = 1;
    }
}

/* Triangles, then rods, then points. */
static void list_elements(vv_passer *p, int b, unsigned char *seen)
{
    const vv_surface *s = p->surface;
    const vv_surface_body *sb = s->bodies + b;
    vv_passing_body *body = p->bodies + b;
    vv_passing_element *e = p->elements + body->first;
    for (int t = sb->first_triangle; t < sb->first_triangle + sb->triangle_count; t++, e++) {
        memcpy(e->vertex, s->triangle[t], sizeof e->vertex);
        take_vertices(e, seen);
    }
    for (int i = sb->first_edge; i < sb->first_edge + sb->edge_count; i++)
        if (s->edge_triangles[i] == 0) {
            memcpy(e->vertex, (int[3]){ s->edge[i][0], s->edge[i][1], -1 }, sizeof e->vertex);
            take_vertices(e++, seen);
        }
    for (int v = sb->first_vertex; v < sb->first_vertex + sb->vertex_count; v++)
        if (s->point && s->point[v])
            *e++ = (vv_passing_element){ { v, -1, -1 }, 1 };
    body->count = (int)(e - (p->elements + body->first));
}

/* Sides of the box along the principal axes of the surface; returns the smallest. */
static double smallest_side(const vv_passer *p, const vv_surface_body *sb, const double centre[3], const double c[9])
{
    double w[3], axes[9], low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
    vv_eigen_symmetric(c, w, axes);
    for (int v = sb->first_vertex; v < sb->first_vertex + sb->vertex_count; v++)
        for (int k = 0; k < 3; k++) {
            double d = 0;
            for (int i = 0; i < 3; i++)
                d += axes[3 * i + k] * (p->surface->rest[3 * (size_t)v + (size_t)i] - centre[i]);
            low[k] = fmin(low[k], d), high[k] = fmax(high[k], d);
        }
    return fmin(high[0] - low[0], fmin(high[1] - low[1], high[2] - low[2]));
}

typedef struct sums {
    double area, volume, centre[3], square[9];
} sums;

/* Over the triangles at rest; the volume is right where they are closed. */
static sums sums_of(const vv_surface *s, const vv_surface_body *sb)
{
    sums m = { 0 };
    const double *about = s->rest + 3 * (size_t)sb->first_vertex;
    for (int t = sb->first_triangle; t < sb->first_triangle + sb->triangle_count; t++) {
        double x[3][3], n[3], area = vv_triangle_area(s->rest, s->triangle[t]);
        for (int k = 0; k < 3; k++)
            vv_sub(s->rest + 3 * (size_t)s->triangle[t][k], about, x[k]);
        vv_cross(x[0], x[1], n);
        m.volume += vv_dot(n, x[2]) / 6;
        m.area += area;
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++) {
                m.centre[i] += area / 3 * x[k][i];
                for (int j = 0; j < 3; j++)
                    m.square[3 * i + j] += area / 3 * x[k][i] * x[k][j];
            }
    }
    for (int i = 0; i < 3; i++)
        m.centre[i] /= m.area > 0 ? m.area : 1;
    for (int i = 0; i < 9; i++)
        m.square[i] -= m.area * m.centre[i / 3] * m.centre[i % 3];
    for (int i = 0; i < 3; i++)
        m.centre[i] += about[i];
    return m;
}

static double apart(const double a[3], const double b[3])
{
    double d[3];
    vv_sub(a, b, d);
    return vv_norm(d);
}

static double size_of(const vv_surface *s, const vv_surface_body *sb)
{
    double centre[3] = { 0 }, most = 0;
    const double *x = s->rest + 3 * (size_t)sb->first_vertex;
    for (size_t i = 0; i < 3 * (size_t)sb->vertex_count; i++)
        centre[i % 3] += x[i] / sb->vertex_count;
    for (size_t v = 0; v < (size_t)sb->vertex_count; v++)
        most = fmax(most, apart(x + 3 * v, centre));
    return 2 * most;
}

static void measure_body(vv_passer *p, int b)
{
    const vv_surface *s = p->surface;
    const vv_surface_body *sb = s->bodies + b;
    vv_passing_body *body = p->bodies + b;
    body->size = size_of(s, sb);
    body->extent = 2 * (sb->radius + p->distance);
    const sums m = sb->solid ? sums_of(s, sb) : (sums){ 0 };
    body->solid = m.volume > 0 && m.area > 0;
    if (!body->solid)
        return;
    const double thick = m.volume / m.area;
    body->skin = SKIN * thick;
    body->extent = fmin(smallest_side(p, sb, m.centre, m.square), WIDEST * thick) + 2 * sb->radius;
}

static bool allocate(vv_passer *p)
{
    const vv_surface *s = p->surface;
    const size_t vertices = (size_t)s->vertices->count, bodies = (size_t)s->body_count;
    p->elements = vv_alloc((size_t)s->triangle_count + (size_t)s->edge_count + vertices, sizeof *p->elements);
    p->bodies = vv_alloc(bodies, sizeof *p->bodies);
    p->from = vv_alloc(3 * vertices, sizeof *p->from);
    p->to = vv_alloc(3 * vertices, sizeof *p->to);
    p->taken = vv_alloc(3 * vertices, sizeof *p->taken);
    p->swept = vv_alloc(bodies, sizeof *p->swept);
    return p->elements && p->bodies && p->from && p->to && p->taken && p->swept;
}

vvStatus vv_passer_create(const vv_surface *surface, double distance, vv_passer **out, vvError *error)
{
    vv_passer *p = vv_alloc(1, sizeof *p);
    unsigned char *seen = vv_alloc((size_t)surface->vertices->count, 1);
    *out = NULL;
    if (p)
        *p = (vv_passer){ .surface = surface, .distance = distance };
    if (!p || !seen || !allocate(p)) {
        vv_passer_destroy(p);
        vv_free(seen);
        return vv_fail_memory(error, "the test of motions");
    }
    for (int b = 0, first = 0; b < surface->body_count; b++) {
        p->bodies[b].first = first;
        list_elements(p, b, seen);
        first += p->bodies[b].count;
        measure_body(p, b);
        p->swept[b] = vv_box_empty();
        for (int v = 0; v < surface->bodies[b].vertex_count; v++)
            vv_box_add(p->swept + b, surface->rest + 3 * (size_t)(surface->bodies[b].first_vertex + v));
    }
    vv_free(seen);
    if (!vv_bvh_build(&p->tree, p->swept, surface->body_count)) {
        vv_passer_destroy(p);
        return vv_fail_memory(error, "the test of motions");
    }
    *out = p;
    return VV_OK;
}

void vv_passer_destroy(vv_passer *p)
{
    if (!p)
        return;
    for (int b = 0; p->bodies && b < p->surface->body_count; b++)
        vv_bvh_free(&p->bodies[b].tree);
    vv_free(p->elements);
    vv_free(p->bodies);
    vv_free(p->from);
    vv_free(p->to);
    vv_free(p->taken);
    vv_bvh_free(&p->tree);
    vv_free(p->swept);
    vv_free(p->room);
    vv_free(p->net);
    vv_free(p->boxes);
    vv_free(p);
}

/* ---- the motion ---- */

typedef struct motion {
    vv_passer *p;
    const vv_passing_motion *of;
} motion;

static void move_body(void *arg, int b)
{
    const motion *m = arg;
    vv_passer *p = m->p;
    const vv_surface_body *sb = p->surface->bodies + b;
    vv_passing_body *body = p->bodies + b;
    const int end = sb->first_vertex + sb->vertex_count;
    body->start = body->end = vv_box_empty();
    memset(body->mean, 0, sizeof body->mean);
    for (int v = sb->first_vertex; v < end; v++) {
        double *x = p->from + 3 * (size_t)v, *y = p->to + 3 * (size_t)v;
        vv_vertex_position(p->surface->vertices, v, m->of->from, x);
        vv_vertex_position(p->surface->vertices, v, m->of->to, y);
        vv_box_add(&body->start, x);
        vv_box_add(&body->end, y);
        for (int k = 0; k < 3; k++)
            body->mean[k] += (y[k] - x[k]) / sb->vertex_count;
    }
    double most = 0;
    for (int v = sb->first_vertex; v < end; v++) {
        double d[3], square = 0;
        for (size_t k = 0; k < 3; k++) {
            d[k] = p->to[3 * (size_t)v + k] - p->from[3 * (size_t)v + k] - body->mean[k];
            square += d[k] * d[k];
        }
        most = fmax(most, square);
    }
    body->most = sqrt(most);
}

/* Of the smallest extent: pairs that move by less are not looked at. */
static const double far_part[] = {
    [VV_PASSING_THROUGH] = 0.5, [VV_PASSING_ANYWHERE] = 0, [VV_PASSING_ASIDE] = 0.5, [VV_PASSING_MEETING] = 0.25
};

/* Whether any pair could move by more than that part of its extent. Nothing more is done where all bodies go about the
 * same way. */
static bool any_fast(const vv_passer *p, double part, double common[3])
{
    double most[2] = { 0, 0 }, least = INFINITY;
    bool any = false;
    for (int b = 0; b < p->surface->body_count; b++) {
        const vv_passing_body *body = p->bodies + b;
        if (body->count == 0)
            continue;
        if (!any)
            memcpy(common, body->mean, sizeof body->mean);
        any = true;
        double own = apart(body->mean, common) + body->most;
        least = fmin(least, body->extent);
        if (own > most[0])
            most[1] = most[0], most[0] = own;
        else
            most[1] = fmax(most[1], own);
    }
    return most[0] + most[1] > part * least;
}

/* The box around a body's path, seen by one that moves like `common`, and what is within `reach` of it. A turn bulges
 * out of the straight path by at most half of its chord. */
static vv_box swept_box(const vv_passing_body *b, const double common[3], double reach)
{
    vv_box box = b->start;
    for (int k = 0; k < 3; k++) {
        box.low[k] = fmin(box.low[k], b->end.low[k] - common[k]) - 0.5 * b->most - reach;
        box.high[k] = fmax(box.high[k], b->end.high[k] - common[k]) + 0.5 * b->most + reach;
    }
    return box;
}

/* ---- pairs ---- */

typedef struct search {
    vv_passer *p;
    const vv_parallel *par;
    const vv_passing_motion *motion;
    vv_passing *out;
    bool found;
    vvStatus status;
    vvError *error;
} search;

/* What is asked of a pair. */
static vv_passing_rule rule_of(const vv_passing_motion *m, int a, int b)
{
    bool listed = m->rule != VV_PASSING_MEETING;
    for (int i = 0; i < m->count; i++)
        listed = listed || (m->listed[i].body[0] == a && m->listed[i].body[1] == b);
    return listed ? m->rule : VV_PASSING_THROUGH;
}

static bool on_pair(void *arg, int i, int j)
{
    search *s = arg;
    vv_passer *p = s->p;
    const int a = i < j ? i : j, b = i < j ? j : i;
    const vv_passing_body *u = p->bodies + a, *w = p->bodies + b;
    const vv_passing_rule rule = rule_of(s->motion, a, b);
    const double travel = apart(u->mean, w->mean) + u->most + w->most, extent = fmin(u->extent, w->extent);
    if (!(travel > far_part[rule] * extent) || !vv_surface_touches(p->surface, a, b))
        return true;
    s->out->looked++;
    s->status = vv_passing_pair(p, s->par, a, b, travel, rule, &s->found, s->error);
    if (s->found)
        *s->out = (vv_passing){ { a, b }, travel, extent, s->out->looked };
    return !s->found && s->status == VV_OK;
}

/* What was taken is kept where the ends of a free motion are about to come in its place. */
static void keep_taken(vv_passer *p)
{
    double *taken = p->to;
    p->to = p->taken, p->taken = taken;
    for (int b = 0; b < p->surface->body_count; b++)
        memcpy(p->bodies[b].moved, p->bodies[b].mean, sizeof p->bodies[b].moved);
}

vvStatus vv_passing_find(vv_passer *p, const vv_parallel *par, const vv_passing_motion *m, vv_passing *out, bool *found,
                         vvError *error)
{
    search s = { .p = p, .par = par, .motion = m, .out = out, .error = error };
    double common[3] = { 0 }, reach = m->rule == VV_PASSING_MEETING ? 0.5 * p->distance : 0;
    *found = false;
    *out = (vv_passing){ .looked = 0 };
    if (m->rule == VV_PASSING_ASIDE)
        keep_taken(p);
    vv_for(par, p->surface->body_count, move_body, &(motion){ p, m });
    if (!any_fast(p, far_part[m->rule], common))
        return VV_OK;
    for (int b = 0; b < p->surface->body_count; b++)
        p->swept[b] = p->bodies[b].count > 0 ? swept_box(p->bodies + b, common, p->surface->bodies[b].radius + reach)
                                             : vv_box_empty();
    vv_bvh_refit(&p->tree, p->swept);
    vv_bvh_overlaps(&p->tree, on_pair, &s);
    *found = s.found;
    return s.status;
}
