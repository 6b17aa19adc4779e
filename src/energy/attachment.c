/* Zero-length springs from nodes to moving points, E = sum 1/2 k |x_i - t_i|^2: the "user-controlled vertices" of Dinev,
 * Liu, Kavan 2018. */
#include "energy/simple.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

typedef struct attachment {
    vv_energy base;
    int count;
    int *nodes, *slots;
    double *stiffness, *targets;
} attachment;

static double value(const vv_energy *e, const vv_parallel *par, const double *x, double *per_body)
{
    (void)par;
    (void)per_body;
    const attachment *s = (const attachment *)e;
    double sum = 0;
    for (size_t i = 0; i < (size_t)s->count; i++)
        for (int k = 0; k < 3; k++) {
            double d = x[3 * (size_t)s->nodes[i] + k] - s->targets[3 * i + k];
            sum += 0.5 * s->stiffness[i] * d * d;
        }
    return sum;
}

static void derivatives(const vv_energy *e, const vv_parallel *par, const double *x, double scale, vv_hessian_mode mode,
                        double *g, vv_bsr *a)
{
    (void)par;
    (void)mode;
    const attachment *s = (const attachment *)e;
    for (size_t i = 0; i < (size_t)s->count; i++)
        for (int k = 0; k < 3; k++) {
            size_t c = 3 * (size_t)s->nodes[i] + (size_t)k;
            if (g)
                g[c] += scale * s->stiffness[i] * (x[c] - s->targets[3 * i + k]);
            if (a)
                a->val[9 * (size_t)s->slots[i] + 4 * (size_t)k] += scale * s->stiffness[i];
        }
}

static vvStatus bind(vv_energy *e, const int *unknown, const vv_bsr *a, vvError *error)
{
    (void)error;
    attachment *s = (attachment *)e;
    for (int i = 0; i < s->count; i++)
        s->slots[i] = vv_bsr_slot(a, unknown[s->nodes[i]], unknown[s->nodes[i]]);
    return VV_OK;
}

static void destroy(vv_energy *e)
{
    attachment *s = (attachment *)e;
    vv_free(s->nodes);
    vv_free(s->slots);
    vv_free(s->stiffness);
    vv_free(s->targets);
    vv_free(s);
}

static const vv_energy_ops ops = { { "attachment", "zero-length springs to moving points" }, VV_ROW_ATTACHMENT, value,
                                   derivatives, NULL, bind, NULL, NULL, .destroy = destroy };

vvStatus vv_attachment_create(int count, const int *nodes, const double *stiffness, vv_energy **out, vvError *error)
{
    size_t n = (size_t)count;
    attachment *s = vv_alloc(1, sizeof *s);
    if (!s)
        return vv_fail_memory(error, "attachments");
    s->base.ops = &ops;
    s->count = count;
    s->nodes = vv_alloc(n, sizeof *s->nodes);
    s->slots = vv_alloc(n, sizeof *s->slots);
    s->stiffness = vv_alloc(n, sizeof *s->stiffness);
    s->targets = vv_alloc(3 * n, sizeof *s->targets);
    if (!s->nodes || !s->slots || !s->stiffness || !s->targets) {
        destroy(&s->base);
        return vv_fail_memory(error, "attachments");
    }
    memcpy(s->nodes, nodes, n * sizeof *nodes);
    memcpy(s->stiffness, stiffness, n * sizeof *stiffness);
    *out = &s->base;
    return VV_OK;
}

double *vv_attachment_targets(vv_energy *e) { return ((attachment *)e)->targets; }
