/* Uniform gravity: E = -sum m_i g . (x_i - X_i). Linear: no Hessian, nothing to filter. */
#include "energy/points/simple.h"

#include "base/error.h"
#include "base/memory.h"

typedef struct gravity {
    vv_energy base;
    int n;
    const int *body; /* NULL: not asked for by body */
    const double *mass, *rest;
    double g[3];
} gravity;

static double value(const vv_energy *e, const vv_parallel *par, const double *x, double *per_body)
{
    (void)par;
    const gravity *s = (const gravity *)e;
    double sum = 0;
    for (size_t i = 0; i < (size_t)s->n; i++)
        for (int k = 0; k < 3; k++) {
            double term = s->mass[i] * s->g[k] * (x[3 * i + k] - s->rest[3 * i + k]);
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
    const gravity *s = (const gravity *)e;
    if (g && mode != VV_HESSIAN_REST)
        for (size_t i = 0; i < (size_t)s->n; i++)
            for (int k = 0; k < 3; k++)
                g[3 * i + k] -= scale * s->mass[i] * s->g[k];
}

/* ---- one node at a time, for block descent ---- */

static void node_blocks(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    (void)data;
    const gravity *s = (const gravity *)e;
    for (int j = b->begin; j < b->end; j++)
        for (int lane = 0; lane < 8; lane++) {
            double m = s->mass[b->node[8 * (size_t)j + (size_t)lane]];
            vv_node_add(b, j, lane, (double[3]){ -m * s->g[0], -m * s->g[1], -m * s->g[2] }, NULL);
        }
}

static void node_values(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    (void)data;
    const gravity *s = (const gravity *)e;
    for (int j = b->begin; j < b->end; j++)
        for (int lane = 0; lane < 8; lane++) {
            size_t i = (size_t)b->node[8 * (size_t)j + (size_t)lane];
            for (size_t k = 0; k < 3; k++)
                b->values[8 * (j - b->begin) + lane] -=
                    b->value * s->mass[i] * s->g[k] * (vv_node_position(b, j, lane)[k] - s->rest[3 * i + k]);
        }
}

static const vv_node_ops node_ops = { NULL, NULL, node_blocks, node_values, NULL };

static void destroy(vv_energy *e) { vv_free(e); }

static const vv_energy_ops ops = { .info = { "gravity", "uniform gravity" },
                                   .row = VV_ROW_GRAVITY,
                                   .value = value,
                                   .derivatives = derivatives,
                                   .destroy = destroy,
                                   .quadratic = vv_quadratic_none,
                                   .diagonal = vv_diagonal_none,
                                   .nodes = &node_ops };

void vv_gravity_set(vv_energy *e, const double g[3])
{
    gravity *s = (gravity *)e;
    for (int k = 0; k < 3; k++)
        s->g[k] = g[k] + 0; /* no -0 */
}

vvStatus vv_gravity_create(int node_count, const int *body, const double *mass, const double *rest, const double g[3],
                           vv_energy **out, vvError *error)
{
    gravity *s = vv_alloc(1, sizeof *s);
    if (!s)
        return vv_fail_memory(error, "gravity");
    *s = (gravity){ { .ops = &ops }, node_count, body, mass, rest, { g[0], g[1], g[2] } };
    *out = &s->base;
    return VV_OK;
}

const double *vv_gravity_of(const vv_energy *e) { return e->ops == &ops ? ((const gravity *)e)->g : NULL; }
