/* Drag: dissipation potential R(v) = sum 1/2 drag_i m_i |v_i|^2, force -drag m v. */
#include "energy/points/simple.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"

typedef struct drag {
    vv_energy base;
    int n;
    const double *mass, *rate;
} drag;

static double value(const vv_energy *e, const vv_parallel *par, const double *v, double *per_body)
{
    (void)par;
    (void)per_body;
    const drag *s = (const drag *)e;
    double sum = 0;
    for (size_t i = 0; i < (size_t)s->n; i++)
        for (int k = 0; k < 3; k++)
            sum += 0.5 * s->rate[i] * s->mass[i] * v[3 * i + k] * v[3 * i + k];
    return sum;
}

static void derivatives(const vv_energy *e, const vv_parallel *par, const double *v, double scale, vv_hessian_mode mode,
                        double *g, const vv_block_target *to)
{
    (void)par;
    const drag *s = (const drag *)e;
    if (mode == VV_HESSIAN_REST)
        g = NULL;
    for (size_t i = 0; i < (size_t)s->n; i++)
        for (int k = 0; k < 3; k++) {
            double c = scale * s->rate[i] * s->mass[i];
            if (g)
                g[3 * i + k] += c * v[3 * i + k];
            if (to)
                to->matrix->val[9 * (size_t)to->slots[i] + 4 * (size_t)k] += c;
        }
}

static vvStatus slots(const vv_energy *e, const int *unknown, const vv_bsr *a, int **out, vvError *error)
{
    int n = ((const drag *)e)->n;
    *out = vv_alloc((size_t)n, sizeof **out);
    if (!*out)
        return vv_fail_memory(error, "drag");
    for (int i = 0; i < n; i++)
        (*out)[i] = vv_bsr_slot(a, unknown[i], unknown[i]);
    return VV_OK;
}

static bool quadratic(const vv_energy *e, vv_quadratic_kind kind, vv_quadratic *to)
{
    const drag *s = (const drag *)e;
    (void)kind;
    for (int i = 0; to && i < s->n; i++)
        vv_quadratic_add_diagonal(to, i, s->rate[i] * s->mass[i]);
    return true;
}

static bool diagonal(const vv_energy *e, double scale, double *d)
{
    const drag *s = (const drag *)e;
    for (int i = 0; d && i < s->n; i++)
        d[i] += scale * s->rate[i] * s->mass[i];
    return true;
}

/* ---- one node at a time, for block descent ---- */

static void node_blocks(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    (void)data;
    const drag *s = (const drag *)e;
    for (int j = b->begin; j < b->end; j++)
        for (int lane = 0; lane < 8; lane++) {
            size_t i = (size_t)b->node[8 * (size_t)j + (size_t)lane];
            const double c = s->rate[i] * s->mass[i], *v = vv_node_position(b, j, lane);
            vv_node_add(b, j, lane, (double[3]){ c * v[0], c * v[1], c * v[2] },
                        (double[9]){ c, 0, 0, 0, c, 0, 0, 0, c });
        }
}

static void node_values(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    (void)data;
    const drag *s = (const drag *)e;
    for (int j = b->begin; j < b->end; j++)
        for (int lane = 0; lane < 8; lane++) {
            size_t i = (size_t)b->node[8 * (size_t)j + (size_t)lane];
            const double *v = vv_node_position(b, j, lane);
            b->values[8 * (j - b->begin) + lane] += b->value * 0.5 * s->rate[i] * s->mass[i] * vv_dot(v, v);
        }
}

static const vv_node_ops node_ops = { NULL, NULL, node_blocks, node_values, NULL };

static void destroy(vv_energy *e) { vv_free(e); }

static const vv_energy_ops ops = { .info = { "drag", "force against the velocity, in proportion to mass" },
                                   .row = VV_ROW_ELASTIC,
                                   .value = value,
                                   .derivatives = derivatives,
                                   .slots = slots,
                                   .destroy = destroy,
                                   .quadratic = quadratic,
                                   .diagonal = diagonal,
                                   .nodes = &node_ops };

vvStatus vv_drag_create(int node_count, const double *mass, const double *rate, vv_energy **out, vvError *error)
{
    drag *s = vv_alloc(1, sizeof *s);
    if (!s)
        return vv_fail_memory(error, "drag");
    *s = (drag){ { .ops = &ops }, node_count, mass, rate };
    *out = &s->base;
    return VV_OK;
}
