/* Lagged Rayleigh damping (theory §4.6), R(v) = 1/2 v^T C v, C = sum over bodies of beta_b K_b(q_n), K_b projected.
 *
 * C is kept as a matrix of its own over the nodes of the damped bodies, prescribed ones too (they may move), and is
 * reassembled by the source energy in lag(). Value and gradient are then one product, and the Hessian is a sum of
 * matrices. */
#include "energy/batch/rayleigh.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

typedef struct rayleigh {
    vv_energy base;
    const vv_elements *source;
    double *beta; /* per part */
    vv_bsr c;
    int *node;       /* node of each row of c */
    int *slots;      /* of the source's elements, in c */
    double *partial; /* one number per chunk of rows */
} rayleigh;

typedef struct rayleigh_job {
    const rayleigh *s;
    const double *v;
    double scale, *g;
    const vv_block_target *to; /* slots: one per block of c, -1: none */
} rayleigh_job;

static int chunks_of(const rayleigh *s) { return (s->c.n + VV_BSR_CHUNK - 1) / VV_BSR_CHUNK; }

/* (C v) of a row */
static void row_product(const rayleigh *s, int row, const double *v, double y[3])
{
    y[0] = y[1] = y[2] = 0;
    for (int k = s->c.row_start[row]; k < s->c.row_start[row + 1]; k++) {
        const double *b = s->c.val + 9 * (size_t)k, *u = v + 3 * (size_t)s->node[s->c.col[k]];
        for (int r = 0; r < 3; r++)
            y[r] += b[r] * u[0] + b[3 + r] * u[1] + b[6 + r] * u[2];
    }
}

static void rows_of_chunk(const rayleigh *s, int chunk, int *begin, int *end)
{
    *begin = chunk * VV_BSR_CHUNK;
    *end = *begin + VV_BSR_CHUNK < s->c.n ? *begin + VV_BSR_CHUNK : s->c.n;
}

static void value_chunk(void *arg, int chunk)
{
    const rayleigh_job *job = arg;
    int begin, end;
    double sum = 0, y[3];
    rows_of_chunk(job->s, chunk, &begin, &end);
    for (int row = begin; row < end; row++) {
        const double *v = job->v + 3 * (size_t)job->s->node[row];
        row_product(job->s, row, job->v, y);
        sum += 0.5 * (v[0] * y[0] + v[1] * y[1] + v[2] * y[2]);
    }
    job->s->partial[chunk] = sum;
}

static double value(const vv_energy *e, const vv_parallel *par, const double *v, double *per_body)
{
    (void)per_body; /* a dissipation rate is no body's energy */
    const rayleigh *s = (const rayleigh *)e;
    rayleigh_job job = { .s = s, .v = v };
    vv_for(par, chunks_of(s), value_chunk, &job);
    double sum = 0;
    for (int c = 0; c < chunks_of(s); c++)
        sum += s->partial[c];
    return sum;
}

static void derivatives_chunk(void *arg, int chunk)
{
    const rayleigh_job *job = arg;
    const rayleigh *s = job->s;
    int begin, end;
    rows_of_chunk(s, chunk, &begin, &end);
    for (int row = begin; job->g && row < end; row++) {
        double y[3], *g = job->g + 3 * (size_t)s->node[row];
        row_product(s, row, job->v, y);
        for (int r = 0; r < 3; r++)
            g[r] += job->scale * y[r];
    }
    for (int k = s->c.row_start[begin]; job->to && k < s->c.row_start[end]; k++) {
        if (job->to->slots[k] < 0)
            continue;
        double *to = job->to->matrix->val + 9 * (size_t)job->to->slots[k];
        const double *from = s->c.val + 9 * (size_t)k;
        for (int i = 0; i < 9; i++)
            to[i] += job->scale * from[i];
    }
}

static void derivatives(const vv_energy *e, const vv_parallel *par, const double *v, double scale, vv_hessian_mode mode,
                        double *g, const vv_block_target *to)
{
    const rayleigh *s = (const rayleigh *)e;
    if (mode == VV_HESSIAN_REST) /* C changes each step: it is not constant */
        return;
    rayleigh_job job = { s, v, scale, g, to }; /* C is semidefinite in any mode */
    vv_for(par, chunks_of(s), derivatives_chunk, &job);
}

static void pattern(const vv_energy *e, const int *unknown, vv_pattern *out)
{
    const rayleigh *s = (const rayleigh *)e;
    for (int row = 0; row < s->c.n; row++)
        for (int k = s->c.row_start[row]; k < s->c.row_start[row + 1]; k++)
            if (s->c.col[k] > row) {
                int pair[2] = { unknown[s->node[row]], unknown[s->node[s->c.col[k]]] };
                vv_pattern_clique(out, pair, 2);
            }
}

static vvStatus slots(const vv_energy *e, const int *unknown, const vv_bsr *a, int **out, vvError *error)
{
    const rayleigh *s = (const rayleigh *)e;
    *out = vv_alloc((size_t)s->c.nnz, sizeof **out);
    if (!*out)
        return vv_fail_memory(error, "Rayleigh damping");
    for (int row = 0; row < s->c.n; row++)
        for (int k = s->c.row_start[row]; k < s->c.row_start[row + 1]; k++) {
            int slot = vv_bsr_slot(a, unknown[s->node[row]], unknown[s->node[s->c.col[k]]]);
            (*out)[k] = slot == a->nnz ? -1 : slot;
        }
    return VV_OK;
}

static void lag(vv_energy *e, const vv_parallel *par, const double *x, const double *v, double h)
{
    (void)v;
    (void)h;
    rayleigh *s = (rayleigh *)e;
    vv_bsr_clear(&s->c, par);
    vv_elements_add(
        s->source, par,
        &(vv_elements_sum){ &(vv_sample){ x, 1, 1 }, 1, s->beta, VV_HESSIAN_PROJECTED, NULL, s->c.val, s->slots });
}

/* ---- one node at a time, for block descent ---- */

/* The row of C of each lane, -1: none. */
static vvStatus prepare_nodes(const vv_energy *e, const vv_node_order *order, void **data, vvError *error)
{
    const rayleigh *s = (const rayleigh *)e;
    const size_t lanes = 8 * (size_t)order->groups;
    int *row = vv_alloc(lanes, sizeof *row);
    *data = row;
    if (!row)
        return vv_fail_memory(error, "Rayleigh damping");
    for (size_t i = 0; i < lanes; i++)
        row[i] = -1;
    for (int i = 0; i < s->c.n; i++)
        if (order->place[s->node[i]] >= 0)
            row[order->place[s->node[i]]] = i;
    return VV_OK;
}

/* y = (C v) of a row, and its diagonal block, from velocities n x 4 */
static const double *row_at_node(const rayleigh *s, int row, const double *v, double y[3])
{
    y[0] = y[1] = y[2] = 0;
    for (int k = s->c.row_start[row]; k < s->c.row_start[row + 1]; k++) {
        const double *c = s->c.val + 9 * (size_t)k, *u = v + 4 * (size_t)s->node[s->c.col[k]];
        for (int r = 0; r < 3; r++)
            y[r] += c[r] * u[0] + c[3 + r] * u[1] + c[6 + r] * u[2];
    }
    return s->c.val + 9 * (size_t)s->c.diag[row];
}

static void node_blocks(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    const rayleigh *s = (const rayleigh *)e;
    const int *row = data;
    double y[3];
    for (int i = 8 * b->begin; i < 8 * b->end; i++)
        if (row[i] >= 0) {
            const double *own = row_at_node(s, row[i], b->x, y);
            vv_node_add(b, i / 8, i % 8, y, own);
        }
}

/* v.C v / 2 but for the terms without v_i: v_i . (C v)_i - v_i . C_ii v_i / 2 */
static void node_values(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    const rayleigh *s = (const rayleigh *)e;
    const int *row = data;
    double y[3];
    for (int i = 8 * b->begin; i < 8 * b->end; i++)
        if (row[i] >= 0) {
            const double *own = row_at_node(s, row[i], b->x, y), *v = vv_node_position(b, i / 8, i % 8);
            double sum = 0;
            for (int k = 0; k < 3; k++)
                sum += v[k] * (y[k] - 0.5 * (own[k] * v[0] + own[3 + k] * v[1] + own[6 + k] * v[2]));
            b->values[i - 8 * b->begin] += b->value * sum;
        }
}

static const vv_node_ops node_ops = { prepare_nodes, NULL, node_blocks, node_values, NULL };

static void destroy(vv_energy *e)
{
    rayleigh *s = (rayleigh *)e;
    vv_bsr_free(&s->c);
    vv_free(s->beta);
    vv_free(s->node);
    vv_free(s->slots);
    vv_free(s->partial);
    vv_free(s);
}

static const vv_energy_ops ops = { .info = { "rayleigh", "lagged Rayleigh damping: force -beta K(q_n) v" },
                                   .row = VV_ROW_ELASTIC,
                                   .value = value,
                                   .derivatives = derivatives,
                                   .pattern = pattern,
                                   .slots = slots,
                                   .lag = lag,
                                   .destroy = destroy,
                                   .nodes = &node_ops };

/* ---- creation -------------------------------------------------------------------------------------------------- */

/* Numbers the nodes of damped parts: unknown[node] = row of c, or -1. Returns their number. */
static int number_nodes(const vv_batch *batch, const double *beta, int node_count, int *unknown)
{
    for (int i = 0; i < node_count; i++)
        unknown[i] = -1;
    for (int j = 0; j < batch->block_count; j++)
        if (beta[batch->block_part[j]] > 0)
            for (int g = batch->block_group[j]; g < batch->block_group[j + 1]; g++)
                for (int i = 0; i < batch->k * VV_LANES; i++)
                    unknown[batch->nodes[(size_t)g * (size_t)batch->k * VV_LANES + (size_t)i]] = 0;
    int rows = 0;
    for (int i = 0; i < node_count; i++)
        if (unknown[i] == 0)
            unknown[i] = rows++;
    return rows;
}

static vvStatus build(rayleigh *s, int *unknown, vvError *error)
{
    const vv_batch *batch = &s->source->batch;
    const int node_count = s->source->node_count;
    vv_pattern p = { .n = number_nodes(batch, s->beta, node_count, unknown) };
    vv_batch_pattern(batch, unknown, &p);
    vvStatus status = vv_bsr_build(&s->c, &p, error);
    vv_pattern_free(&p);
    if (status != VV_OK)
        return status;
    s->node = vv_alloc((size_t)s->c.n, sizeof *s->node);
    s->partial = vv_alloc((size_t)chunks_of(s), sizeof *s->partial);
    if (!s->node || !s->partial)
        return vv_fail_memory(error, "Rayleigh damping");
    for (int i = 0; i < node_count; i++)
        if (unknown[i] >= 0)
            s->node[unknown[i]] = i;
    return vv_batch_slots(batch, unknown, &s->c, &s->slots, error);
}

vvStatus vv_rayleigh_create(const vv_energy *elements, const double *beta, vv_energy **out, vvError *error)
{
    const vv_elements *source = (const vv_elements *)elements;
    *out = NULL;
    for (int i = 0; i < source->part_count; i++)
        if (!(beta[i] >= 0) || !isfinite(beta[i]))
            return vv_fail(error, VV_ERROR_INPUT, "Rayleigh damping of body %d is %g s; it must be 0 or more", i,
                           beta[i]);
    rayleigh *s = vv_alloc(1, sizeof *s);
    int *unknown = vv_alloc((size_t)source->node_count, sizeof *unknown);
    if (s) {
        s->base.ops = &ops;
        s->source = source;
        s->beta = vv_alloc((size_t)source->part_count, sizeof *s->beta);
        if (s->beta)
            memcpy(s->beta, beta, (size_t)source->part_count * sizeof *beta);
    }
    vvStatus status = s && s->beta && unknown ? build(s, unknown, error) : vv_fail_memory(error, "Rayleigh damping");
    vv_free(unknown);
    if (status == VV_OK)
        *out = &s->base;
    else if (s)
        destroy(&s->base);
    return status;
}

vvStatus vv_rayleigh_of_parts(vv_energy *e, const vv_element_input *in, vv_energy **out, vvError *error)
{
    double *beta = vv_alloc((size_t)in->part_count, sizeof *beta);
    *out = NULL;
    if (!beta)
        return vv_fail_memory(error, "Rayleigh damping");
    for (int p = 0; p < in->part_count; p++)
        beta[p] = in->parts[p].material->def.damping.rayleigh;
    vvStatus status = vv_rayleigh_create(e, beta, out, error);
    vv_free(beta);
    return status;
}
