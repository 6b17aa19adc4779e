/* The pairs that act at given positions: those of the candidates that are near enough, sorted, each once (theory
 * §5.4). All of it runs in chunks; what order they come in does not matter, as the sorting is by all that tells two
 * pairs apart. */
#include "base/memory.h"
#include "base/vec.h"
#include "contact/penetration/penetration.h"
#include "contact/pairs/pairs.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 512, VERTICES = 2048, PLACED = 128, NEAR = 16 };

typedef struct search {
    vv_collisions *c;
    int count; /* candidates */
    vv_stop *stop;
    const double *q;
    atomic_bool moved;
} search;

/* ---- the candidates that are near ------------------------------------------------------------------------------ */

/* hit = the nearest features' mask and NEAR if the candidate is close enough to act, else 0; count: room for the
 * pairs. */
static void scan_chunk(void *arg, int chunk)
{
    const search *s = arg;
    vv_collisions *c = s->c;
    const vv_candidates *cs = &c->candidates;
    int begin = chunk * CHUNK, end = begin + CHUNK < s->count ? begin + CHUNK : s->count, kind = 0;
    vv_pair_chunk *out = &c->chunks[chunk];
    *out = (vv_pair_chunk){ 0, 0, 0 };
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
        if (vv_gap_along((vv_stencil)kind, x, c->candidates.plane[i]) > far)
            continue;
        double d2 = vv_stencil_distance2((vv_stencil)kind, (const double(*)[3])x, &nearest, w);
        if (d2 < far * far) {
            c->hit[i] = (unsigned char)(nearest | NEAR);
            out->count += (size_t)vv_pairs_most(c, (vv_stencil)kind, k);
        } else {
            vv_plane_of((vv_stencil)kind, x, w, sqrt(d2), c->candidates.plane[i]);
        }
    }
}

/* Finds room for the pairs of all chunks. */
static bool make_room(vv_collisions *c, int chunks)
{
    size_t total = 0;
    for (int i = 0; i < chunks; i++) {
        c->chunks[i].begin = total;
        total += c->chunks[i].count;
    }
    c->count = total;
    return vv_grow((void **)&c->pairs, &c->capacity, total, sizeof *c->pairs) &&
           vv_grow((void **)&c->sorted, &c->sorted_capacity, total, sizeof *c->sorted);
}

static void write_chunk(void *arg, int chunk)
{
    const search *s = arg;
    vv_collisions *c = s->c;
    vv_pair_chunk *out = &c->chunks[chunk];
    vv_pair *pairs = c->pairs + out->begin;
    int begin = chunk * CHUNK, end = begin + CHUNK < s->count ? begin + CHUNK : s->count, kind = 0;
    size_t count = 0;
    for (int i = begin; i < end && out->count > 0; i++) {
        while (i >= c->candidates.start[kind + 1])
            kind++;
        if (c->hit[i])
            count += (size_t)vv_pairs_of(c, (vv_stencil)kind, c->candidates.list + i, c->hit[i] & 15u, pairs + count);
    }
    out->count = count;
    for (size_t i = 0; i < count; i++)
        atomic_fetch_add_explicit(&c->first[pairs[i].vertex[0] + 1], 1, memory_order_relaxed);
}

/* ---- sorted, each once ------------------------------------------------------------------------------------------ */

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
    /* so that sums of weights do not depend on the order found */
    return (a->weight > b->weight) - (a->weight < b->weight);
}

static bool same(const vv_pair *a, const vv_pair *b)
{
    return a->kind == b->kind && memcmp(a->vertex, b->vertex, sizeof a->vertex) == 0 &&
           a->activation == b->activation && a->min_distance == b->min_distance && a->eps == b->eps &&
           a->mask == b->mask;
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

static void place_chunk(void *arg, int chunk)
{
    const search *s = arg;
    vv_collisions *c = s->c;
    const vv_pair *pairs = c->pairs + c->chunks[chunk].begin;
    for (size_t i = 0; i < c->chunks[chunk].count; i++)
        c->sorted[atomic_fetch_add_explicit(&c->first[pairs[i].vertex[0]], 1, memory_order_relaxed)] = pairs[i];
}

/* Where the pairs of vertex v end, once all are placed. */
static size_t end_of(const vv_collisions *c, int v)
{
    return v < 0 ? 0 : atomic_load_explicit(&c->first[v], memory_order_relaxed);
}

/* Merges equal pairs of a run of vertices; drops those that cancel. */
static void merge_run(void *arg, int run)
{
    const search *s = arg;
    vv_collisions *c = s->c;
    int vertices = c->def.surface->vertices->count, v = run * VERTICES,
        last = v + VERTICES < vertices ? v + VERTICES : vertices;
    size_t begin = end_of(c, v - 1), end, kept = begin;
    c->chunks[run].begin = begin;
    for (; v < last; v++, begin = end) {
        end = end_of(c, v);
        sort_few(c->sorted + begin, end - begin);
        for (size_t i = begin; i < end;) {
            vv_pair sum = c->sorted[i];
            double size = fabs(sum.weight);
            for (i++; i < end && same(&sum, c->sorted + i); i++) {
                sum.weight += c->sorted[i].weight;
                size += fabs(c->sorted[i].weight);
            }
            if (fabs(sum.weight) > 1e-12 * size)
                c->sorted[kept++] = sum;
        }
    }
    c->chunks[run].count = kept - c->chunks[run].begin;
}

static void copy_run(void *arg, int run)
{
    const search *s = arg;
    const vv_collisions *c = s->c;
    const vv_pair_chunk *from = &c->chunks[run];
    if (from->count > 0)
        memcpy(c->pairs + from->to, c->sorted + from->begin, from->count * sizeof *c->pairs);
}

static void merge(search *s, const vv_parallel *par, int chunks)
{
    vv_collisions *c = s->c;
    int vertices = c->def.surface->vertices->count, runs = (vertices + VERTICES - 1) / VERTICES;
    size_t kept = 0, before = 0;
    for (int v = 0; v <= vertices; v++)
        atomic_store_explicit(&c->first[v], before += end_of(c, v), memory_order_relaxed);
    vv_for(par, chunks, place_chunk, s);
    vv_for(par, runs, merge_run, s);
    for (int i = 0; i < runs; i++) {
        c->chunks[i].to = kept;
        kept += c->chunks[i].count;
    }
    vv_for(par, runs, copy_run, s);
    c->count = kept;
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

/* Puts the vertices' positions into x; notes if any is not where it was. */
static void gather_run(void *arg, int run)
{
    search *s = arg;
    vv_collisions *c = s->c;
    const vv_vertices *vs = c->def.surface->vertices;
    const int count = vs->count + vs->inner;
    bool moved = false;
    for (int v = run * VERTICES; v < count && v < (run + 1) * VERTICES; v += PLACED) {
        const int end = v + PLACED < count ? v + PLACED : count;
        double x[3 * PLACED], *at = c->x + 3 * (size_t)v;
        vv_vertices_place(vs, s->q, v, end, x);
        for (int i = 0; i < 3 * (end - v); i++)
            moved |= !(x[i] == at[i]);
        memcpy(at, x, (size_t)(end - v) * 3 * sizeof *x);
    }
    if (moved)
        atomic_store_explicit(&s->moved, true, memory_order_relaxed);
}

static bool find(search *s, const vv_parallel *par)
{
    vv_collisions *c = s->c;
    if (!vv_collisions_cover(c, par, &(vv_way){ c->x, NULL, 0, 1, true }, 0))
        return false;
    int vertices = c->def.surface->vertices->count, runs = (vertices + VERTICES - 1) / VERTICES;
    s->count = c->candidates.start[4];
    int chunks = (s->count + CHUNK - 1) / CHUNK;
    if (!vv_grow((void **)&c->hit, &c->hit_capacity, (size_t)s->count, 1) ||
        !vv_grow((void **)&c->chunks, &c->chunk_capacity, (size_t)(chunks > runs ? chunks : runs), sizeof *c->chunks))
        return false;
    vv_for(par, chunks, scan_chunk, s);
    if (vv_for_stopped(par)) {
        c->cancelled = true;
        return false;
    }
    if (!make_room(c, chunks))
        return false;
    if (c->count == 0)
        return true;
    memset((void *)c->first, 0, ((size_t)vertices + 1) * sizeof *c->first);
    vv_for(par, chunks, write_chunk, s);
    merge(s, par, chunks);
    return true;
}

bool vv_collisions_update(vv_collisions *c, const vv_parallel *par, const double *q)
{
    const vv_vertices *vs = c->def.surface->vertices;
    search s = { .c = c, .stop = par ? par->stop : NULL, .q = q };
    atomic_init(&s.moved, !c->fresh);
    vv_for(par, (vs->count + vs->inner + VERTICES - 1) / VERTICES, gather_run, &s);
    if (!atomic_load(&s.moved) && !c->penetration) /* nodes within bodies may have moved */
        return true;
    c->fresh = c->penetration ? vv_penetration_find(c, par, q) : (c->count = 0, find(&s, par));
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
    const double d = sqrt(vv_stencil_distance2(p->kind, (const double(*)[3])x, NULL, w));
    return c->penetration ? -d : d - p->min_distance;
}

double vv_collisions_gap(vv_collisions *c, const vv_parallel *par, const double *q, const vv_pair **least)
{
    double gap = INFINITY;
    if (least)
        *least = NULL;
    vv_collisions_update(c, par, q);
    for (size_t i = 0; i < c->count; i++) {
        const vv_pair *p = c->pairs + i;
        double d = p->inner ? INFINITY : distance_of(c, p);
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
    for (size_t i = 0; i < c->count && !c->penetration; i++)
        least = fmin(least, distance_of(c, c->pairs + i) / c->pairs[i].activation);
    return least;
}
