/* The motion of the broad phase, the boxes around it, and whether another motion lies within its margin. */
#include "contact/broad/broad.h"

#include <math.h>
#include <string.h>

/* ---- the motion ----------------------------------------------------------------------------------------------- */

typedef struct motion {
    vv_broad *broad;
    vv_way way;
    double along[2]; /* s at both ends */
} motion;

/* Where vertex v begins, and its displacement. */
static inline void begin_of(const motion *m, int v, double x[3], double d[3])
{
    const vv_vertices *vs = m->broad->surface->vertices;
    if (m->way.vertices)
        memcpy(x, m->way.q + 3 * (size_t)v, 3 * sizeof *x);
    else
        vv_vertex_position(vs, v, m->way.q, x);
    d[0] = d[1] = d[2] = 0;
    if (m->way.p && m->way.vertices)
        memcpy(d, m->way.p + 3 * (size_t)v, 3 * sizeof *d);
    else if (m->way.p)
        vv_vertex_position(vs, v, m->way.p, d);
    for (int k = 0; k < 3; k++) {
        x[k] += m->way.from * d[k];
        d[k] *= m->way.part;
    }
}

static void move_run(void *arg, int chunk)
{
    const motion *m = arg;
    vv_broad *b = m->broad;
    vv_broad_run *r = &b->runs[chunk];
    if (!b->bodies[r->body].stale)
        return;
    memset(r->sum, 0, 6 * sizeof *r->sum);
    r->moves = false;
    r->largest = 0;
    for (int v = r->begin; v < r->end; v++) {
        double *x = &b->x[3 * (size_t)v], *d = &b->motion[3 * (size_t)v];
        begin_of(m, v, x, d);
        for (int k = 0; k < 3; k++) {
            r->sum[k] += x[k];
            r->sum[3 + k] += d[k];
            r->moves |= d[k] != 0;
            double far = fabs(x[k]) + fabs(d[k]);
            r->largest = far > r->largest ? far : r->largest;
        }
    }
}

void vv_broad_move(vv_broad *b, const vv_parallel *par, const vv_way *way)
{
    motion m = { .broad = b, .way = *way };
    vv_for(par, b->run_count, move_run, &m);
    double largest = 0;
    b->moves = false;
    for (int i = 0; i < b->surface->body_count; i++)
        for (int k = 0; k < 3 && b->bodies[i].stale; k++)
            b->bodies[i].centre[k] = b->bodies[i].motion[k] = 0;
    for (int i = 0; i < b->run_count; i++) {
        const vv_broad_run *r = &b->runs[i];
        vv_broad_body *body = &b->bodies[r->body];
        b->moves |= r->moves;
        if (!body->stale)
            continue;
        double count = b->surface->bodies[r->body].vertex_count;
        for (int k = 0; k < 3; k++) {
            body->centre[k] += r->sum[k] / count;
            body->motion[k] += r->sum[3 + k] / count;
        }
        largest = r->largest > largest ? r->largest : largest;
    }
    /* of those that are not stale, too, it is at least what it was when they were */
    b->slack = fmax(b->slack, 1e-9 * b->activation + 1e-14 * largest);
    for (int i = 0; i < b->surface->body_count; i++)
        if (b->bodies[i].stale)
            b->bodies[i].margin = fmax(fmin(b->bodies[i].wide, b->bodies[i].cap),
                                       0.015625 * vv_surface_own(b->surface, i, b->activation));
}

/* ---- boxes ---------------------------------------------------------------------------------------------------- */

static const vv_box_f nothing = { { INFINITY, INFINITY, INFINITY, 0 }, { -INFINITY, -INFINITY, -INFINITY, 0 } };

static void box_run(void *arg, int chunk)
{
    vv_broad *b = arg;
    const vv_broad_run *r = &b->runs[chunk];
    const vv_broad_body *body = &b->bodies[r->body];
    if (!body->stale) { /* its own elements are not compared */
        for (int v = r->begin; v < r->end && b->turns; v++)
            b->vertex_boxes[1][v] = b->vertex_boxes[0][v];
        return;
    }
    /* two of them: at least the smaller of two activation distances */
    double around = 0.5 * vv_surface_own(b->surface, r->body, b->activation) + b->surface->bodies[r->body].radius +
                    body->margin + b->slack;
    for (int v = r->begin; v < r->end; v++) {
        vv_box_f box = { { 0 }, { 0 } };
        bool finite = true;
        for (int k = 0; k < 3; k++) {
            double x = b->x[3 * (size_t)v + (size_t)k] - body->centre[k];
            double d = b->motion[3 * (size_t)v + (size_t)k] - body->motion[k];
            box.low[k] = vv_float_below((d < 0 ? x + d : x) - around);
            box.high[k] = vv_float_above((d > 0 ? x + d : x) + around);
            finite = finite && fabsf(box.low[k]) < 1e30f && fabsf(box.high[k]) < 1e30f;
        }
        b->vertex_boxes[0][v] = finite ? box : nothing;
        if (b->turns)
            b->vertex_boxes[1][v] = finite && body->turns ? vv_broad_own_box(b, v) : b->vertex_boxes[0][v];
    }
}

static void put_box(vv_boxes4 *boxes, int lane, const vv_box_f *box)
{
    for (int k = 0; k < 3; k++) {
        boxes->low[k][lane] = box->low[k];
        boxes->high[k][lane] = box->high[k];
    }
}

static void element_group(vv_broad *b, int set, int group)
{
    const vv_box_f *boxes = b->vertex_boxes[set];
    for (int lane = 0; lane < 4; lane++) {
        const vv_element *e = &b->elements[4 * (size_t)group + (size_t)lane];
        vv_box_f box = e->corners ? boxes[e->vertex[0]] : nothing;
        for (int k = 1; k < e->corners; k++) {
            box.low = vv_min4(box.low, boxes[e->vertex[k]].low);
            box.high = vv_max4(box.high, boxes[e->vertex[k]].high);
        }
        put_box(&b->boxes[set][group], lane, &box);
    }
}

/* Around the boxes of a group. */
static vv_box_f around_group(const vv_boxes4 *g)
{
    vv_box_f box = nothing;
    for (int k = 0; k < 3; k++)
        for (int lane = 0; lane < 4; lane++) {
            box.low[k] = g->low[k][lane] < box.low[k] ? g->low[k][lane] : box.low[k];
            box.high[k] = g->high[k][lane] > box.high[k] ? g->high[k][lane] : box.high[k];
        }
    return box;
}

enum { GROUPS = 256 }; /* a chunk */
typedef struct level_loop {
    vv_broad *broad;
    int set, begin, end;
} level_loop;

static void refit_chunk(void *arg, int chunk)
{
    const level_loop *l = arg;
    vv_broad *b = l->broad;
    int begin = l->begin + chunk * GROUPS, end = begin + GROUPS < l->end ? begin + GROUPS : l->end;
    for (int g = begin; g < end; g++) {
        if (!b->bodies[b->owner[g]].stale)
            continue;
        if (l->begin == 0) {
            element_group(b, l->set, g);
            continue;
        }
        for (int lane = 0; lane < 4; lane++) {
            vv_box_f box = b->child[g] >= 0 ? around_group(&b->boxes[l->set][b->child[g] + lane]) : nothing;
            put_box(&b->boxes[l->set][g], lane, &box);
        }
    }
}

void vv_broad_refit(vv_broad *b, const vv_parallel *par)
{
    vv_for(par, b->run_count, box_run, b);
    for (int set = 0; set <= b->turns; set++)
        for (int level = 0; level < VV_BROAD_LEVELS; level++) {
            level_loop l = { b, set, level ? b->level_end[level - 1] : 0, b->level_end[level] };
            vv_for(par, (l.end - l.begin + GROUPS - 1) / GROUPS, refit_chunk, &l);
        }
    for (int i = 0; i < b->surface->body_count; i++) {
        vv_broad_body *body = &b->bodies[i];
        vv_box_f box = body->levels ? around_group(&b->boxes[0][body->first[body->levels - 1]]) : nothing;
        for (int k = 0; k < 3; k++) {
            body->low[k] = box.low[k];
            body->high[k] = box.high[k];
        }
    }
}

/* ---- is the list good ----------------------------------------------------------------------------------------- */

static inline void ends_from(const motion *m, int v, double a[3], double c[3])
{
    const vv_broad *b = m->broad;
    double d[3];
    begin_of(m, v, a, d);
    for (int k = 0; k < 3; k++) {
        a[k] -= b->x[3 * (size_t)v + (size_t)k];
        c[k] = a[k] + d[k];
    }
}

/* Where along the covered path a motion begins and ends: what a few vertices say is near enough, as any s serves. */
enum { EVERY = 8 };
static void project_run(void *arg, int chunk)
{
    const motion *m = arg;
    vv_broad_run *r = &m->broad->runs[chunk];
    r->dot[0] = r->dot[1] = r->dot[2] = 0;
    for (int v = r->begin; v < r->end; v += EVERY) {
        double a[3], c[3];
        const double *d = &m->broad->motion[3 * (size_t)v];
        ends_from(m, v, a, c);
        for (int k = 0; k < 3; k++) {
            r->dot[0] += a[k] * d[k];
            r->dot[1] += c[k] * d[k];
            r->dot[2] += d[k] * d[k];
        }
    }
}

/* The largest of |x - from - s way| over `count` numbers; NaN is kept. */
enum { SIDE = 8 };
static double furthest(const double *x, const double *from, const double *way, double s, int count)
{
    double side[SIDE] = { 0 }, most = 0;
    int i = 0;
    for (; i + SIDE <= count; i += SIDE)
        for (int k = 0; k < SIDE; k++) {
            const double far = fabs(x[i + k] - from[i + k] - s * way[i + k]);
            side[k] = far <= side[k] ? side[k] : far;
        }
    for (; i < count; i++) {
        const double far = fabs(x[i] - from[i] - s * way[i]);
        side[0] = far <= side[0] ? side[0] : far;
    }
    for (int k = 0; k < SIDE; k++)
        most = side[k] <= most ? most : side[k];
    return most;
}

enum { FEW = 64 }; /* vertices at a time */
static void away_run(void *arg, int chunk)
{
    const motion *m = arg;
    const vv_broad *b = m->broad;
    vv_broad_run *r = &m->broad->runs[chunk];
    double away = 0;
    for (int v = r->begin; v < r->end; v += FEW) {
        const int count = v + FEW < r->end ? FEW : r->end - v;
        const double *from = b->x + 3 * (size_t)v, *along = b->motion + 3 * (size_t)v;
        double ends[2][3 * FEW];
        for (int i = 0; i < count; i++) {
            double *x = ends[0] + 3 * i, *y = ends[1] + 3 * i, d[3];
            begin_of(m, v + i, x, d);
            for (int k = 0; k < 3; k++)
                y[k] = x[k] + d[k];
        }
        for (int end = 0; end < (m->way.p ? 2 : 1); end++) {
            const double far = furthest(ends[end], from, along, m->along[end], 3 * count);
            away = far <= away ? away : far;
        }
    }
    r->away = away / b->bodies[r->body].margin;
    r->away = r->away == r->away ? r->away : INFINITY;
}

static double into_unit(double s) { return s > 0 ? s < 1 ? s : 1 : 0; }

/* How far each body is away, s being m->along at the ends. */
static bool look(motion *m, const vv_parallel *par)
{
    vv_broad *b = m->broad;
    bool covered = true;
    vv_for(par, b->run_count, away_run, m);
    for (int i = 0; i < b->surface->body_count; i++)
        b->bodies[i].away = 0;
    for (int i = 0; i < b->run_count; i++) {
        vv_broad_body *body = &b->bodies[b->runs[i].body];
        body->away = b->runs[i].away <= body->away ? body->away : b->runs[i].away; /* NaN is kept */
        covered = covered && b->runs[i].away <= 1;
    }
    return covered;
}

bool vv_broad_covers(vv_broad *b, const vv_parallel *par, const vv_way *way)
{
    motion m = { .broad = b, .way = *way, .along = { 0, 0 } };
    if (b->moves) {
        double dot[3] = { 0, 0, 0 };
        vv_for(par, b->run_count, project_run, &m);
        for (int i = 0; i < b->run_count; i++)
            for (int k = 0; k < 3; k++)
                dot[k] += b->runs[i].dot[k];
        m.along[0] = into_unit(dot[0] / dot[2]);
        m.along[1] = into_unit(dot[1] / dot[2]);
    }
    return look(&m, par);
}

/* Those that are searched for anew are at s = 0 at the beginning and at s = 1 at the end; without a motion they are
 * where they are at any s. */
void vv_broad_find_stale(vv_broad *b, const vv_parallel *par, const vv_way *way)
{
    if (b->moves && way->p)
        look(&(motion){ .broad = b, .way = *way, .along = { 0, 1 } }, par);
    for (int i = 0; i < b->surface->body_count; i++)
        b->bodies[i].stale = !(b->bodies[i].away <= 1);
}
