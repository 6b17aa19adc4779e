/* Barrier energy of the active pairs between surfaces (theory §5.4, §5.6): E = sum over pairs of kappa d-hat A m b(d
 * / d-hat). Or the penalty of vertices that are inside bodies (contact/penetration/penetration.h, theory §5.13): E =
 * sum of k A d^2 sqrt(d^2 + eps).
 *
 * Pairs are evaluated side by side in batches; their contributions to gradient and matrix are added in order, so that
 * any number of threads gives the same bits. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "contact/pairs/body_sums.h"
#include "contact/pairs/collisions.h"
#include "contact/pairs/nodes.h"
#include "contact/pairs/potential.h"
#include "contact/pairs/scatter.h"

#include <string.h>

enum { CHUNK = 64, BATCH = 2048 };

/* Results of a batch, on their way to gradient and matrix. */
typedef struct local {
    double g[12], block[10][9]; /* blocks: upper triangle of the pair's points, by rows */
} local;
typedef struct work {
    local batch[BATCH];
} work;

typedef struct pair_barrier {
    vv_energy base;
    vv_collisions *c;
    work *work;
    vv_body_sums *sums;
} pair_barrier;

/* ---- value ---- */

struct sum {
    const vv_collisions *c;
    double *part, *pair; /* per chunk; per pair, or NULL */
};

static void value_chunk(void *arg, int chunk)
{
    const struct sum *u = arg;
    size_t begin = (size_t)chunk * CHUNK, end = begin + CHUNK < u->c->count ? begin + CHUNK : u->c->count;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        vv_pair_state s;
        vv_pair_state_at(u->c, u->c->pairs + i, &s);
        double term = vv_pair_energy(&s);
        sum += term;
        if (u->pair)
            u->pair[i] = term;
    }
    u->part[chunk] = sum;
}

static void update(vv_energy *e, const vv_parallel *par, const double *q)
{
    vv_collisions *c = ((pair_barrier *)e)->c;
    double begin = vv_seconds();
    vv_collisions_update(c, par, q); /* failure is in c->failed */
    c->seconds += vv_seconds() - begin;
}

/* Half of a pair's energy belongs to either side; all of it, where the other side is kinematic. */
static void share(const vv_collisions *c, const double *pair, double *per_body)
{
    const vv_surface *surface = c->def.surface;
    for (size_t i = 0; i < c->count; i++) {
        const vv_pair *p = c->pairs + i;
        int a = surface->vertices->body[p->vertex[0]],
            b = surface->vertices->body[p->vertex[vv_stencil_points(p->kind) - 1]];
        bool first = surface->bodies[a].moves, last = surface->bodies[b].moves;
        per_body[first ? a : b] += 0.5 * pair[i];
        per_body[last ? b : a] += 0.5 * pair[i];
    }
}

static double sum_of_pairs(vv_collisions *c, const vv_parallel *par, double *per_body)
{
    if (!c->fresh)
        return INFINITY;
    int chunks = (int)((c->count + CHUNK - 1) / CHUNK);
    if (!vv_grow((void **)&c->slot, &c->slot_capacity, (size_t)chunks + (per_body ? c->count : 0), sizeof *c->slot)) {
        c->failed = true;
        return INFINITY;
    }
    struct sum u = { c, c->slot, per_body ? c->slot + chunks : NULL };
    vv_for(par, chunks, value_chunk, &u);
    if (per_body)
        share(c, u.pair, per_body);
    double sum = 0;
    for (int k = 0; k < chunks; k++)
        sum += c->slot[k];
    return isnan(sum) ? INFINITY : sum;
}

static double value(const vv_energy *e, const vv_parallel *par, const double *q, double *per_body)
{
    (void)q;
    vv_collisions *c = ((const pair_barrier *)e)->c;
    double begin = vv_seconds(), sum = sum_of_pairs(c, par, per_body);
    c->seconds += vv_seconds() - begin;
    return sum;
}

/* ---- derivatives ---- */

struct batch {
    const pair_barrier *s;
    size_t first;
    int count;
    double scale;
    bool hessian, exact;
};

/* Block between points i and j, of the Hessian or of the sum of squares v v^T. */
static void exact_block(const double h[144], int i, int j, double block[9])
{
    for (int col = 0; col < 3; col++)
        for (int row = 0; row < 3; row++)
            block[3 * col + row] = h[12 * (3 * i + row) + 3 * j + col];
}

static void projected_block(double squares[9][12], int count, int i, int j, double block[9])
{
    memset(block, 0, 9 * sizeof *block);
    for (int k = 0; k < count; k++) {
        const double *u = squares[k] + 3 * i, *v = squares[k] + 3 * j;
        for (int col = 0; col < 3; col++)
            for (int row = 0; row < 3; row++)
                block[3 * col + row] += u[row] * v[col];
    }
}

static void derivatives_chunk(void *arg, int chunk)
{
    const struct batch *b = arg;
    int begin = chunk * CHUNK, end = begin + CHUNK < b->count ? begin + CHUNK : b->count;
    double h[144], squares[9][12];
    for (int at = begin; at < end; at++) {
        vv_pair_state s;
        local *l = b->s->work->batch + at;
        vv_pair_state_at(b->s->c, b->s->c->pairs + b->first + (size_t)at, &s);
        s.stiffness *= b->scale;
        int n = vv_stencil_points(s.kind), count = 0;
        if (b->hessian && b->exact)
            vv_pair_hessian(&s, h);
        if (b->hessian && !b->exact)
            count = vv_pair_squares(&s, l->g, squares);
        else
            vv_pair_gradient(&s, l->g);
        for (int i = 0, k = 0; b->hessian && i < n; i++)
            for (int j = i; j < n; j++, k++)
                if (b->exact)
                    exact_block(h, i, j, l->block[k]);
                else
                    projected_block(squares, count, i, j, l->block[k]);
    }
}

static void scatter(const pair_barrier *s, struct batch *b, double *g, const vv_block_target *to)
{
    const vv_surface *surface = s->c->def.surface;
    const vv_vertices *vs = surface->vertices;
    for (int at = 0; at < b->count; at++) {
        const vv_pair *p = s->c->pairs + b->first + (size_t)at;
        local *l = s->work->batch + at;
        int n = vv_stencil_points(p->kind);
        for (int i = 0; g && i < n; i++)
            vv_scatter_force(vs, p->vertex[i], l->g + 3 * i, g);
        bool summed = to && vv_body_sums_take(surface, vs->body[p->vertex[0]], vs->body[p->vertex[n - 1]]) &&
                      vv_body_sums_add(s->sums, surface, p->vertex, n, p->kind == VV_STENCIL_EE ? 2 : 1, l->block, to);
        for (int i = 0, k = 0; to && !summed && i < n; i++)
            for (int j = i; j < n; j++)
                vv_scatter_block(vs, p->vertex[i], p->vertex[j], l->block[k++], to);
    }
}

static void add_derivatives(const pair_barrier *s, const vv_parallel *par, double scale, vv_hessian_mode mode,
                            double *g, const vv_block_target *to)
{
    if (!s->c->fresh || mode == VV_HESSIAN_REST)
        return;
    bool exact = mode == VV_HESSIAN_EXACT;
    for (size_t first = 0; first < s->c->count; first += BATCH) {
        if (vv_for_stopped(par)) {
            s->c->failed = s->c->cancelled = true;
            return;
        }
        size_t left = s->c->count - first;
        struct batch b = { s, first, left < BATCH ? (int)left : BATCH, scale, to != NULL, exact };
        vv_for(par, (b.count + CHUNK - 1) / CHUNK, derivatives_chunk, &b);
        scatter(s, &b, g, to);
    }
    if (to)
        vv_body_sums_flush(s->sums, s->c->def.surface, to);
}

static void derivatives(const vv_energy *e, const vv_parallel *par, const double *q, double scale, vv_hessian_mode mode,
                        double *g, const vv_block_target *to)
{
    (void)q;
    const pair_barrier *s = (const pair_barrier *)e;
    double begin = vv_seconds();
    add_derivatives(s, par, scale, mode, g, to);
    s->c->seconds += vv_seconds() - begin;
}

static double max_step(const vv_energy *e, const vv_parallel *par, const double *q, const double *p)
{
    vv_collisions *c = ((const pair_barrier *)e)->c;
    double begin = vv_seconds(), t = vv_collisions_max_step(c, par, q, p);
    c->seconds += vv_seconds() - begin;
    return t;
}

static void bounds(const vv_energy *e, const vv_parallel *par, const double *q, const double *p, double *part)
{
    vv_collisions *c = ((const pair_barrier *)e)->c;
    const double begin = vv_seconds();
    vv_collisions_bounds(c, par, q, p, part);
    c->seconds += vv_seconds() - begin;
}

static bool gather(vv_energy *e, void *data, const vv_parallel *par, const double *x, int view)
{
    vv_collisions *c = ((pair_barrier *)e)->c;
    const double begin = vv_seconds();
    const bool gathered = vv_pair_nodes_gather(e, c, data, par, x, view);
    c->seconds += vv_seconds() - begin;
    return gathered;
}

static const vv_node_ops node_ops = { vv_pair_nodes_prepare, gather, vv_pair_nodes_blocks, vv_pair_nodes_values, NULL };

static void destroy(vv_energy *e)
{
    pair_barrier *s = (pair_barrier *)e;
    if (s->sums)
        vv_body_sums_free(s->sums);
    vv_free(s->sums);
    vv_free(s->work);
    vv_free(s);
}

/* no pattern: its couplings come and go, outside the matrix's pattern */
static const char KEEP_APART[] =
    "keep bodies that may touch apart (contact.self or a body's self_contact false, and filters)";
static const vv_energy_ops ops = { .info = { "surface-barrier", "IPC barrier between surfaces" },
                                   .row = VV_ROW_CONTACT,
                                   .instead = KEEP_APART,
                                   .update = update,
                                   .value = value,
                                   .derivatives = derivatives,
                                   .max_step = max_step,
                                   .bounds = bounds,
                                   .nodes = &node_ops,
                                   .destroy = destroy };

/* Any step is fine, and it is costly: a vertex anywhere may be inside anything. */
static const vv_energy_ops penalty_ops = { .info = { "penetration", "penalty on the depth of vertices in bodies" },
                                           .row = VV_ROW_CONTACT,
                                           .instead = KEEP_APART,
                                           .last = true,
                                           .update = update,
                                           .value = value,
                                           .derivatives = derivatives,
                                           .destroy = destroy };

vvStatus vv_pair_barrier_create(vv_collisions *c, vv_energy **out, vvError *error)
{
    pair_barrier *s = vv_alloc(1, sizeof *s);
    if (s) {
        s->work = vv_alloc(1, sizeof *s->work);
        s->sums = vv_alloc(1, sizeof *s->sums);
    }
    if (!s || !s->work || !s->sums) {
        if (s)
            destroy(&s->base);
        return vv_fail_memory(error, "the barrier between bodies");
    }
    s->base.ops = c->penetration ? &penalty_ops : &ops;
    s->c = c;
    *out = &s->base;
    return VV_OK;
}
