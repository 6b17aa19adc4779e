/* The step filter of contact between surfaces (theory §5.9): how far along a path nothing comes closer than allowed. */
#include "contact/pairs/collisions.h"

#include "base/memory.h"
#include "base/vec.h"
#include "contact/ccd/ccd.h"

#include <float.h>
#include <string.h>

enum { CHUNK = 256 };

struct filter {
    vv_collisions *c;
    int count;
    double end; /* end of the part of the path under examination */
    vv_stop *stop;
    double keep, clear; /* keep: fraction of the gap (or of the activation distance, if less) that must remain; stencils
                           that stay farther apart than the fraction `clear` of the activation distance are skipped */
};

/* A gap that rounding of the positions cannot close, relative to the largest coordinate. */
static const double SURE = 64 * DBL_EPSILON, NEXT_TO_NOTHING = 1e-3;

static double sure_gap(const double x[4][3], const double y[4][3], int points)
{
    double most = 0;
    for (int k = 0; k < points; k++)
        for (int j = 0; j < 3; j++)
            most = fmax(most, fmax(fabs(x[k][j]), fabs(y[k][j])));
    return SURE * most;
}

/* The first t at which only `keep` of the stencil's gap is left, or the gap is as small as its positions can
 * resolve. */
static double advance(const struct filter *f, vv_stencil kind, int i, double limit)
{
    const vv_collisions *c = f->c;
    const vv_candidate *s = c->candidates.list + i;
    double x[4][3], p[4][3], y[4][3], w[4];
    for (int k = 0, n = vv_stencil_points(kind); k < n; k++) {
        memcpy(x[k], c->x + 3 * (size_t)s->vertex[k], sizeof x[k]);
        memcpy(p[k], c->dx + 3 * (size_t)s->vertex[k], sizeof p[k]);
        for (int j = 0; j < 3; j++)
            y[k][j] = x[k][j] + p[k][j];
    }
    /* along a fixed direction the gap is concave in time: the ends suffice */
    double clear = s->min_distance + f->clear * s->activation;
    if (vv_gap_along(kind, x, c->candidates.plane[i]) > clear && vv_gap_along(kind, y, c->candidates.plane[i]) > clear)
        return limit;
    double d = sqrt(vv_stencil_distance2(kind, (const double(*)[3])x, NULL, w)), gap = d - s->min_distance;
    if (gap <= 0)
        return 0;
    vv_plane_of(kind, x, w, d, c->candidates.plane[i]);
    if (vv_gap_along(kind, x, c->candidates.plane[i]) > clear && vv_gap_along(kind, y, c->candidates.plane[i]) > clear)
        return limit;
    double near = fmin(gap, s->activation), left = f->keep * near;
    if (f->keep > 0) {
        double sure = sure_gap((const double(*)[3])x, (const double(*)[3])y, vv_stencil_points(kind));
        left = fmax(left, fmin(sure, (1 - NEXT_TO_NOTHING) * gap));
    }
    return vv_ccd_advance(kind, (const double(*)[3])x, (const double(*)[3])p, s->min_distance + left, near, limit);
}

static void filter_chunk(void *arg, int chunk)
{
    const struct filter *f = arg;
    const vv_candidates *cs = &f->c->candidates;
    int begin = chunk * CHUNK, end = begin + CHUNK < f->count ? begin + CHUNK : f->count, kind = 0;
    double least = f->end;
    int at = -1;
    if (vv_stop_wanted(f->stop))
        end = begin;
    for (int i = begin; i < end; i++) {
        while (i >= cs->start[kind + 1])
            kind++;
        double t = advance(f, (vv_stencil)kind, i, least);
        if (t < least) {
            least = t;
            at = i;
        }
    }
    f->c->slot[2 * (size_t)chunk] = least;
    f->c->slot[2 * (size_t)chunk + 1] = at;
}

typedef struct way {
    vv_collisions *c;
    const double *q, *p;
} way;

enum { VERTICES = 2048 }; /* a run */

static void gather_run(void *arg, int run)
{
    const way *w = arg;
    const vv_vertices *vs = w->c->def.surface->vertices;
    const int begin = run * VERTICES, end = begin + VERTICES < vs->count ? begin + VERTICES : vs->count;
    vv_vertices_place(vs, w->q, begin, end, w->c->x + 3 * (size_t)begin);
    vv_vertices_place(vs, w->p, begin, end, w->c->dx + 3 * (size_t)begin);
}

/* The candidate in the list that limits the path first, or -1. */
static int limit_in(vv_collisions *c, const vv_parallel *par, struct filter *f)
{
    f->count = c->candidates.start[4];
    int chunks = (f->count + CHUNK - 1) / CHUNK, at = -1;
    c->limit = f->end;
    if (!vv_grow((void **)&c->slot, &c->slot_capacity, 2 * (size_t)chunks, sizeof *c->slot)) {
        c->failed = true;
        return -1;
    }
    f->stop = par ? par->stop : NULL;
    vv_for(par, chunks, filter_chunk, f);
    if (vv_for_stopped(par)) {
        c->failed = c->cancelled = true;
        return -1;
    }
    for (int k = 0; k < chunks; k++)
        if (c->slot[2 * (size_t)k] < c->limit) {
            c->limit = c->slot[2 * (size_t)k];
            at = (int)c->slot[2 * (size_t)k + 1];
        }
    return at;
}

/* The way is examined part by part. What a candidate allows depends neither on the others nor on the parts, so
 * neither does the limit. Where steps are cut short, the candidates of the whole path are many more than those of its
 * beginning, and for a wild step they may exceed memory. */
static const double AHEAD = 4, LEAST_PART = 1.0 / 1024;

static int first_limit(vv_collisions *c, const vv_parallel *par, struct filter *f)
{
    double from = 0, part = c->expected, room = 1;
    int at = -1;
    while (from < 1 && at < 0) {
        double rest = 1 - from;
        part = part < 0.5 * rest ? part : rest;
        if (!vv_collisions_cover(c, par, &(vv_way){ c->x, c->dx, from, part, true }, part > LEAST_PART ? c->most : 0))
            return -1;
        if (c->candidates.crowded) {
            part *= fmax(0.5 * (double)c->most / (double)c->candidates.found, 1.0 / 16);
            room = part;
            continue;
        }
        f->end = part < rest ? from + part : 1;
        at = limit_in(c, par, f);
        if (c->failed)
            return -1;
        from = f->end;
        part = fmin(AHEAD * part, 2 * room);
    }
    c->expected = fmax(LEAST_PART, fmin(fmin(AHEAD * c->limit, 2 * room), 1));
    return at;
}

static double filter(vv_collisions *c, const vv_parallel *par, const double *q, const double *p, double keep,
                     double clear)
{
    struct filter f = { .c = c, .end = 1, .keep = keep, .clear = clear };
    c->limit_kind = -1;
    c->fresh = false;
    vv_for(par, (c->def.surface->vertices->count + VERTICES - 1) / VERTICES, gather_run, &(way){ c, q, p });
    bool failed = c->failed;
    c->failed = false;
    int at = first_limit(c, par, &f);
    if (c->failed)
        return c->limit = 0;
    c->failed = failed;
    if (at >= 0) {
        int kind = 0;
        while (at >= c->candidates.start[kind + 1])
            kind++;
        c->limit_kind = kind;
        memcpy(c->limit_vertex, c->candidates.list[at].vertex, sizeof c->limit_vertex);
        c->limit_min_distance = c->candidates.list[at].min_distance;
    }
    return c->limit;
}

double vv_collisions_max_step(vv_collisions *c, const vv_parallel *par, const double *q, const double *p)
{
    return filter(c, par, q, p, 0.1, 0.12);
}

/* ---- vertex by vertex ---- */

static void limits_chunk(void *arg, int chunk)
{
    const struct filter *f = arg;
    const vv_candidates *cs = &f->c->candidates;
    const int begin = chunk * CHUNK, end = begin + CHUNK < f->count ? begin + CHUNK : f->count;
    for (int i = begin, kind = 0; i < end; i++) {
        while (i >= cs->start[kind + 1])
            kind++;
        f->c->slot[i] = vv_stop_wanted(f->stop) ? 0 : advance(f, (vv_stencil)kind, i, 1);
    }
}

static void lower(const vv_vertices *vs, int vertex, double t, double *part)
{
    for (int i = vs->start[vertex]; i < vs->start[vertex + 1]; i++)
        part[vs->node[i]] = fmin(part[vs->node[i]], t);
}

void vv_collisions_bounds(vv_collisions *c, const vv_parallel *par, const double *q, const double *p, double *part)
{
    struct filter f = { .c = c, .end = 1, .keep = 0.15, .clear = 0.17, .stop = par ? par->stop : NULL };
    const vv_vertices *vs = c->def.surface->vertices;
    c->fresh = false;
    vv_for(par, (vs->count + VERTICES - 1) / VERTICES, gather_run, &(way){ c, q, p });
    if (!vv_collisions_cover(c, par, &(vv_way){ c->x, c->dx, 0, 1, true }, c->most) || c->candidates.crowded)
        return;
    f.count = c->candidates.start[4];
    if (!vv_grow((void **)&c->slot, &c->slot_capacity, (size_t)f.count, sizeof *c->slot)) {
        c->failed = true;
        return;
    }
    vv_for(par, (f.count + CHUNK - 1) / CHUNK, limits_chunk, &f);
    for (int i = 0, kind = 0; i < f.count; i++) {
        while (i >= c->candidates.start[kind + 1])
            kind++;
        for (int k = 0; c->slot[i] < 1 && k < vv_stencil_points((vv_stencil)kind); k++)
            lower(vs, c->candidates.list[i].vertex[k], c->slot[i], part);
    }
}

bool vv_collisions_cross(vv_collisions *c, const vv_parallel *par, const double *q, const double *p)
{
    return filter(c, par, q, p, 0, 0.02) < 1;
}
