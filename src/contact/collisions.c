/* Positions of the contact vertices, the step filter and gaps of contact between surfaces. */
#include "contact/collisions.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "contact/ccd.h"

#include <float.h>
#include <string.h>

/* Candidates that are kept at a time, for each vertex and edge: some 100 bytes each. Where bodies lie on each other there are 5 to
 * 10 within a small step. */
enum { EACH = 32 };

vvStatus vv_collisions_create(const vv_collisions_def *def, vv_collisions **out, vvError *error)
{
    vv_collisions *c = vv_alloc(1, sizeof *c);
    *out = NULL;
    if (!c)
        return vv_fail_memory(error, "contact between bodies");
    c->def = *def;
    c->limit_kind = -1;
    c->expected = 1;
    c->most = EACH * ((int64_t)def->surface->vertices->count + def->surface->edge_count);
    size_t n = 3 * (size_t)def->surface->vertices->count;
    c->x = vv_alloc(n, sizeof *c->x);
    c->dx = vv_alloc(n, sizeof *c->dx);
    c->first = vv_alloc(n / 3 + 1, sizeof *c->first);
    vvStatus s = c->x && c->dx && c->first ? vv_candidates_create(def->surface, def->distance, &c->candidates, error)
                               : vv_fail_memory(error, "contact between bodies");
    if (s != VV_OK) {
        vv_collisions_destroy(c);
        return s;
    }
    *out = c;
    return VV_OK;
}

void vv_collisions_destroy(vv_collisions *c)
{
    if (!c)
        return;
    vv_candidates_free(&c->candidates);
    vv_free(c->x);
    vv_free(c->dx);
    vv_free(c->pairs);
    vv_free(c->sorted);
    vv_free(c->first);
    vv_free(c->hit);
    vv_free(c->plane);
    vv_free(c->slot);
    vv_free(c);
}

void vv_collisions_points(const vv_collisions *c, const int vertex[4], double x[4][3])
{
    for (int i = 0; i < 4; i++)
        if (vertex[i] >= 0)
            memcpy(x[i], c->x + 3 * (size_t)vertex[i], sizeof x[i]);
}

double vv_collisions_gap(vv_collisions *c, const vv_parallel *par, const double *q, const vv_pair **least)
{
    double gap = INFINITY;
    if (least)
        *least = NULL;
    vv_collisions_update(c, par, q);
    for (size_t i = 0; i < c->count; i++) {
        const vv_pair *p = c->pairs + i;
        double x[4][3], w[4];
        vv_collisions_points(c, p->vertex, x);
        double d = sqrt(vv_stencil_distance2(p->kind, (const double(*)[3])x, NULL, w)) - p->offset;
        if (d < gap) {
            gap = d;
            if (least)
                *least = p;
        }
    }
    return gap;
}

/* ---- the step filter ---- */

enum { CHUNK = 256 };

struct filter {
    vv_collisions *c;
    int count;
    double end; /* of the part of the way that is looked at */
    double keep, clear; /* gaps below the first part of their first (or of the reach) are not entered; what misses by the second is
                           not looked at */
};

bool vv_collisions_cover(vv_collisions *c, const vv_parallel *par, const vv_way *way, int64_t most)
{
    vvError ignored;
    bool ok = vv_candidates_cover_way(&c->candidates, par, way, most, &ignored) == VV_OK;
    size_t count = ok ? (size_t)c->candidates.start[4] : 0;
    if (ok && c->plane_builds != c->candidates.builds) {
        ok = vv_grow((void **)&c->plane, &c->plane_capacity, count, sizeof *c->plane);
        if (ok) {
            if (count > 0)
                memset(c->plane, 0, count * sizeof *c->plane);
            c->plane_builds = c->candidates.builds;
        }
    }
    c->failed = c->failed || !ok;
    return ok;
}

/* A gap that rounding of the positions themselves cannot close; of the largest coordinate. */
static const double SURE = 64 * DBL_EPSILON, NEXT_TO_NOTHING = 1e-3;

static double sure_gap(const double x[4][3], const double y[4][3], int points)
{
    double most = 0;
    for (int k = 0; k < points; k++)
        for (int j = 0; j < 3; j++)
            most = fmax(most, fmax(fabs(x[k][j]), fabs(y[k][j])));
    return SURE * most;
}

/* The first t at which the stencil has used up its gap but for `keep`, or is as near as its positions can tell. */
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
    /* along a direction the gap is concave in time: the ends tell */
    double clear = s->offset + f->clear * s->reach;
    if (vv_gap_along(kind, x, c->plane[i]) > clear && vv_gap_along(kind, y, c->plane[i]) > clear)
        return limit;
    double d = sqrt(vv_stencil_distance2(kind, (const double(*)[3])x, NULL, w)), gap = d - s->offset;
    if (gap <= 0)
        return 0;
    vv_plane_of(kind, x, w, d, c->plane[i]);
    if (vv_gap_along(kind, x, c->plane[i]) > clear && vv_gap_along(kind, y, c->plane[i]) > clear)
        return limit;
    double near = fmin(gap, s->reach), left = f->keep * near;
    if (f->keep > 0) {
        double sure = sure_gap((const double(*)[3])x, (const double(*)[3])y, vv_stencil_points(kind));
        left = fmax(left, fmin(sure, (1 - NEXT_TO_NOTHING) * gap));
    }
    return vv_ccd_advance(kind, (const double(*)[3])x, (const double(*)[3])p, s->offset + left, near, limit);
}

static void filter_chunk(void *arg, int chunk)
{
    const struct filter *f = arg;
    const vv_candidates *cs = &f->c->candidates;
    int begin = chunk * CHUNK, end = begin + CHUNK < f->count ? begin + CHUNK : f->count, kind = 0;
    double least = f->end;
    int at = -1;
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

static void gather(const vv_collisions *c, const double *q, double *x)
{
    const vv_vertices *vs = c->def.surface->vertices;
    for (int v = 0; v < vs->count; v++)
        vv_vertex_position(vs, v, q, x + 3 * (size_t)v);
}

/* The candidate of the list that limits the way first, or -1. */
static int limit_in(vv_collisions *c, const vv_parallel *par, struct filter *f)
{
    f->count = c->candidates.start[4];
    int chunks = (f->count + CHUNK - 1) / CHUNK, at = -1;
    c->limit = f->end;
    if (!vv_grow((void **)&c->slot, &c->slot_capacity, 2 * (size_t)chunks, sizeof *c->slot)) {
        c->failed = true;
        return -1;
    }
    vv_for(par, chunks, filter_chunk, f);
    for (int k = 0; k < chunks; k++)
        if (c->slot[2 * (size_t)k] < c->limit) {
            c->limit = c->slot[2 * (size_t)k];
            at = (int)c->slot[2 * (size_t)k + 1];
        }
    return at;
}

/* The way is looked at part by part. What a candidate allows depends neither on the others nor on the parts, so neither does the
 * limit. Where steps are cut short the candidates of the whole way are many more than those of its beginning, and of a wild step
 * they may be more than there is memory for. */
static const double AHEAD = 4, LEAST_PART = 1.0 / 1024;

static int first_limit(vv_collisions *c, const vv_parallel *par, const double *q, const double *p, struct filter *f)
{
    double from = 0, part = c->expected, room = 1;
    int at = -1;
    while (from < 1 && at < 0) {
        double rest = 1 - from;
        part = part < 0.5 * rest ? part : rest;
        if (!vv_collisions_cover(c, par, &(vv_way){ q, p, from, part }, part > LEAST_PART ? c->most : 0))
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

static double filter(vv_collisions *c, const vv_parallel *par, const double *q, const double *p, double keep, double clear)
{
    struct filter f = { c, 0, 1, keep, clear };
    c->limit_kind = -1;
    c->fresh = false;
    gather(c, q, c->x);
    gather(c, p, c->dx);
    bool failed = c->failed;
    c->failed = false;
    int at = first_limit(c, par, q, p, &f);
    if (c->failed)
        return c->limit = 0;
    c->failed = failed;
    if (at >= 0) {
        int kind = 0;
        while (at >= c->candidates.start[kind + 1])
            kind++;
        c->limit_kind = kind;
        memcpy(c->limit_vertex, c->candidates.list[at].vertex, sizeof c->limit_vertex);
        c->limit_offset = c->candidates.list[at].offset;
    }
    return c->limit;
}

double vv_collisions_max_step(vv_collisions *c, const vv_parallel *par, const double *q, const double *p)
{
    return filter(c, par, q, p, 0.1, 0.12);
}

bool vv_collisions_cross(vv_collisions *c, const vv_parallel *par, const double *q, const double *p)
{
    return filter(c, par, q, p, 0, 0.02) < 1;
}
