/* Zero-length springs from nodes to moving points, E = sum 1/2 k |x_i - t_i|^2: the "user-controlled vertices" of Dinev,
 * Liu, Kavan 2018. */
#include "energy/simple.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "energy/links.h"
#include "energy/potential.h"

#include <string.h>

typedef struct attachment {
    vv_energy base;
    int count;
    bool loose;
    int *nodes;
    const int *body; /* per node of the world; NULL: not asked for by body */
    double *stiffness, *targets;
    double *from; /* where the targets were when the step began */
} attachment;

static double value(const vv_energy *e, const vv_parallel *par, const double *x, double *per_body)
{
    (void)par;
    const attachment *s = (const attachment *)e;
    double sum = 0;
    for (size_t i = 0; i < (size_t)s->count; i++)
        for (int k = 0; k < 3; k++) {
            double d = x[3 * (size_t)s->nodes[i] + k] - s->targets[3 * i + k];
            sum += 0.5 * s->stiffness[i] * d * d;
            if (per_body)
                per_body[s->body[s->nodes[i]]] += 0.5 * s->stiffness[i] * d * d;
        }
    return sum;
}

static void derivatives(const vv_energy *e, const vv_parallel *par, const double *x, double scale, vv_hessian_mode mode,
                        double *g, const vv_block_target *to)
{
    (void)par;
    const attachment *s = (const attachment *)e;
    if (mode == VV_HESSIAN_REST)
        g = NULL;
    for (size_t i = 0; i < (size_t)s->count; i++)
        for (int k = 0; k < 3; k++) {
            size_t c = 3 * (size_t)s->nodes[i] + (size_t)k;
            if (g)
                g[c] += scale * s->stiffness[i] * (x[c] - s->targets[3 * i + k]);
            if (to)
                to->matrix->val[9 * (size_t)to->slots[i] + 4 * (size_t)k] += scale * s->stiffness[i];
        }
}

static vvStatus slots(const vv_energy *e, const int *unknown, const vv_bsr *a, int **out, vvError *error)
{
    const attachment *s = (const attachment *)e;
    *out = vv_alloc((size_t)s->count, sizeof **out);
    if (!*out)
        return vv_fail_memory(error, "attachments");
    for (int i = 0; i < s->count; i++)
        (*out)[i] = vv_bsr_slot(a, unknown[s->nodes[i]], unknown[s->nodes[i]]);
    return VV_OK;
}

static bool quadratic(const vv_energy *e, vv_quadratic_kind kind, vv_quadratic *to)
{
    const attachment *s = (const attachment *)e;
    (void)kind;
    for (int i = 0; to && i < s->count; i++)
        vv_quadratic_add_diagonal(to, s->nodes[i], s->stiffness[i]);
    return true;
}

static bool diagonal(const vv_energy *e, double scale, double *d)
{
    const attachment *s = (const attachment *)e;
    for (int i = 0; d && i < s->count; i++)
        d[s->nodes[i]] += scale * s->stiffness[i];
    return true;
}

static bool bound_diagonal(const vv_energy *e, double scale, double *d) { return ((const attachment *)e)->loose && diagonal(e, scale, d); }

/* ---- one node at a time, for block descent ---- */

static vvStatus prepare_nodes(const vv_energy *e, const vv_node_order *order, void **data, vvError *error)
{
    return vv_node_items_create(order, ((const attachment *)e)->count, ((const attachment *)e)->nodes, data, error);
}

static void node_blocks(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    const attachment *s = (const attachment *)e;
    const vv_node_items *items = data;
    for (int j = b->begin; j < b->end; j++)
        for (int i = items->start[j]; i < items->start[j + 1]; i++) {
            double d[3], k = s->stiffness[items->item[i]];
            vv_sub(vv_node_position(b, j, items->lane[i]), s->targets + 3 * (size_t)items->item[i], d);
            vv_node_add(b, j, items->lane[i], (double[3]){ k * d[0], k * d[1], k * d[2] }, (double[9]){ k, 0, 0, 0, k, 0, 0, 0, k });
        }
}

static void node_values(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    const attachment *s = (const attachment *)e;
    const vv_node_items *items = data;
    for (int j = b->begin; j < b->end; j++)
        for (int i = items->start[j]; i < items->start[j + 1]; i++) {
            double d[3];
            vv_sub(vv_node_position(b, j, items->lane[i]), s->targets + 3 * (size_t)items->item[i], d);
            b->values[8 * (j - b->begin) + items->lane[i]] += b->value * 0.5 * s->stiffness[items->item[i]] * vv_dot(d, d);
        }
}

static const vv_node_ops node_ops = { prepare_nodes, NULL, node_blocks, node_values, NULL };

static void destroy(vv_energy *e)
{
    attachment *s = (attachment *)e;
    vv_free(s->nodes);
    vv_free(s->stiffness);
    vv_free(s->targets);
    vv_free(s->from);
    vv_free(s);
}

static const vv_energy_ops ops = { .info = { "attachment", "zero-length springs to moving points" }, .row = VV_ROW_ATTACHMENT,
                                   .value = value, .derivatives = derivatives, .slots = slots, .destroy = destroy,
                                   .quadratic = quadratic, .diagonal = diagonal, .bound_diagonal = bound_diagonal,
                                   .nodes = &node_ops };

vvStatus vv_attachment_create(int count, const int *nodes, const double *stiffness, const int *body, vv_energy **out, vvError *error)
{
    size_t n = (size_t)count;
    attachment *s = vv_alloc(1, sizeof *s);
    if (!s)
        return vv_fail_memory(error, "attachments");
    s->base.ops = &ops;
    s->count = count;
    s->body = body;
    s->nodes = vv_alloc(n, sizeof *s->nodes);
    s->stiffness = vv_alloc(n, sizeof *s->stiffness);
    s->targets = vv_alloc(3 * n, sizeof *s->targets);
    s->from = vv_alloc(3 * n, sizeof *s->from);
    if (!s->nodes || !s->stiffness || !s->targets || !s->from) {
        destroy(&s->base);
        return vv_fail_memory(error, "attachments");
    }
    memcpy(s->nodes, nodes, n * sizeof *nodes);
    memcpy(s->stiffness, stiffness, n * sizeof *stiffness);
    *out = &s->base;
    return VV_OK;
}

void vv_attachment_loosen(vv_energy *e) { ((attachment *)e)->loose = true; }

bool vv_attachment_is_of(const vv_energy *e, int count, const int *nodes, const double *stiffness)
{
    const attachment *s = (const attachment *)e;
    return s->count == count && memcmp(s->nodes, nodes, (size_t)count * sizeof *nodes) == 0 &&
           memcmp(s->stiffness, stiffness, (size_t)count * sizeof *stiffness) == 0;
}

double *vv_attachment_targets(vv_energy *e) { return ((attachment *)e)->targets; }

void vv_attachment_begin(vv_energy *e)
{
    attachment *s = (attachment *)e;
    if (e->ops == &ops && s->count > 0)
        memcpy(s->from, s->targets, 3 * (size_t)s->count * sizeof *s->from);
}

bool vv_attachment_moves(const vv_energy *e)
{
    const attachment *s = (const attachment *)e;
    return e->ops == &ops && s->count > 0 && memcmp(s->from, s->targets, 3 * (size_t)s->count * sizeof *s->from) != 0;
}

/* k ((t + t')/2 - (x + x')/2) . dt by the mean force, k ((t + t')/2 - x) . dt by the jump */
double vv_attachment_way_work(const vv_energy *e, double part, const double *begin, const double *end, double *per_body)
{
    const attachment *s = (const attachment *)e;
    double sum = 0;
    for (size_t i = 0; e->ops == &ops && i < (size_t)s->count; i++) {
        double more = 0;
        for (size_t k = 0; k < 3; k++) {
            const size_t c = 3 * (size_t)s->nodes[i] + k;
            const double way = s->targets[3 * i + k] - s->from[3 * i + k];
            more -= 0.5 * part * s->stiffness[i] * way * (end[c] - begin[c]);
        }
        sum += more;
        if (per_body)
            per_body[s->body[s->nodes[i]]] += more;
    }
    return sum;
}

/* ---- what holds nodes, of whatever energy ---- */

static bool is_joint(const vv_energy *e) { return e->ops->row == VV_ROW_JOINT; }

const int *vv_attachment_nodes(const vv_energy *e, int *count)
{
    const attachment *s = (const attachment *)e;
    if (is_joint(e))
        return vv_links_pinned(e, count);
    if (e->ops != &ops)
        return vv_potentials_nodes(e, count);
    *count = s->count;
    return *count ? s->nodes : NULL;
}

const double *vv_attachment_point(const vv_energy *e, int index)
{
    const attachment *s = (const attachment *)e;
    if (is_joint(e))
        return vv_links_hold(e, index) ? vv_links_place(e, index) : NULL;
    return e->ops == &ops ? s->targets + 3 * (size_t)index : vv_potentials_centre(e, index);
}

const double *vv_attachment_normal(const vv_energy *e, int index)
{
    return e->ops == &ops || is_joint(e) ? NULL : vv_potentials_normal(e, index);
}

bool vv_attachment_holds(const vv_energy *e, int index, const double *x)
{
    if (is_joint(e))
        return vv_links_hold(e, index);
    return e->ops == &ops || vv_potentials_act(e, index, x);
}
