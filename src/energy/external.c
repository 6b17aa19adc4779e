/* Forces of the host, constant over a step: E = -sum f_i . (x_i - x_i^n), so that every scheme treats them like any
 * energy. Not part of H: -E at the end of the step is their work. Prescribed nodes do not feel them. */
#include "energy/simple.h"

#include "base/error.h"
#include "base/memory.h"

typedef struct external {
    vv_energy base;
    int n;
    const int *unknown, *body; /* body: NULL: not asked for by body */
    const double *force, *from;
} external;

static double value(const vv_energy *e, const vv_parallel *par, const double *x, double *per_body)
{
    (void)par;
    const external *s = (const external *)e;
    double sum = 0;
    if (!s->force)
        return 0;
    for (size_t i = 0; i < (size_t)s->n; i++)
        for (size_t k = 3 * i; k < 3 * i + 3 && s->unknown[i] >= 0; k++) {
            double term = s->force[k] * (x[k] - s->from[k]);
            sum -= term;
            if (per_body)
                per_body[s->body[i]] -= term;
        }
    return sum;
}

static void derivatives(const vv_energy *e, const vv_parallel *par, const double *x, double scale, vv_hessian_mode mode,
                        double *g, const vv_block_target *to)
{
    (void)par;
    (void)x;
    (void)to;
    const external *s = (const external *)e;
    if (!g || !s->force || mode == VV_HESSIAN_REST)
        return;
    for (size_t i = 0; i < (size_t)s->n; i++)
        for (size_t k = 3 * i; k < 3 * i + 3 && s->unknown[i] >= 0; k++)
            g[k] -= scale * s->force[k];
}

/* ---- one node at a time, for block descent ---- */

static void node_blocks(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    (void)data;
    const external *s = (const external *)e;
    for (int j = b->begin; s->force && j < b->end; j++)
        for (int lane = 0; lane < 8; lane++) {
            const double *f = s->force + 3 * (size_t)b->node[8 * (size_t)j + (size_t)lane];
            vv_node_add(b, j, lane, (double[3]){ -f[0], -f[1], -f[2] }, NULL);
        }
}

static void node_values(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    (void)data;
    const external *s = (const external *)e;
    for (int j = b->begin; s->force && j < b->end; j++)
        for (int lane = 0; lane < 8; lane++) {
            size_t i = 3 * (size_t)b->node[8 * (size_t)j + (size_t)lane];
            for (size_t k = 0; k < 3; k++)
                b->values[8 * (j - b->begin) + lane] -=
                    b->value * s->force[i + k] * (vv_node_position(b, j, lane)[k] - s->from[i + k]);
        }
}

static const vv_node_ops node_ops = { NULL, NULL, node_blocks, node_values, NULL };

static void destroy(vv_energy *e) { vv_free(e); }

static const vv_energy_ops ops = { .info = { "external", "forces of the host during a step" },
                                   .row = VV_ROW_EXTERNAL,
                                   .value = value,
                                   .derivatives = derivatives,
                                   .destroy = destroy,
                                   .quadratic = vv_quadratic_none,
                                   .diagonal = vv_diagonal_none,
                                   .nodes = &node_ops };

vvStatus vv_external_create(int node_count, const int *unknown, const int *body, vv_energy **out, vvError *error)
{
    external *s = vv_alloc(1, sizeof *s);
    if (!s)
        return vv_fail_memory(error, "external forces");
    s->base.ops = &ops;
    s->n = node_count;
    s->unknown = unknown;
    s->body = body;
    *out = &s->base;
    return VV_OK;
}

void vv_external_set(vv_energy *e, const double *force, const double *from)
{
    external *s = (external *)e;
    s->force = force;
    s->from = from;
}
