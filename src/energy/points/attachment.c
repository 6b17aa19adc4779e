/* Zero-length springs from points of bodies to moving points, E = sum 1/2 k |d|^2, d = sum_j w_j x_j - t: the
 * "user-controlled vertices" of Dinev, Liu, Kavan 2018. A point is a node, or a fixed weighted sum of nodes, its
 * corners. */
#include "energy/points/attachments.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "energy/links/links.h"
#include "energy/points/potential.h"

#include <string.h>

void vv_attachment_stretch(const vv_attachments *s, int spring, const double *x, int stride, double d[3])
{
    const double *target = s->targets + 3 * (size_t)spring;
    for (int k = 0; k < 3; k++) {
        const int first = s->start[spring];
        double sum = s->weight[first] * x[(size_t)stride * (size_t)s->node[first] + (size_t)k];
        for (int c = first + 1; c < s->start[spring + 1]; c++)
            sum += s->weight[c] * x[(size_t)stride * (size_t)s->node[c] + (size_t)k];
        d[k] = sum - target[k];
    }
}

/* To whom a spring belongs. */
static int body_of(const vv_attachments *s, int spring) { return s->body[s->node[s->start[spring]]]; }

static double value(const vv_energy *e, const vv_parallel *par, const double *x, double *per_body)
{
    (void)par;
    const vv_attachments *s = (const vv_attachments *)e;
    double sum = 0, d[3];
    for (int i = 0; i < s->count; i++) {
        vv_attachment_stretch(s, i, x, 3, d);
        for (int k = 0; k < 3; k++) {
            sum += 0.5 * s->stiffness[i] * d[k] * d[k];
            if (per_body)
                per_body[body_of(s, i)] += 0.5 * s->stiffness[i] * d[k] * d[k];
        }
    }
    return sum;
}

/* The corners of a point lie in one element, as a rule, but need not: what couples them is added wherever the pattern
 * has it, or beside it. */
static void add_couplings(const vv_attachments *s, int spring, double scale, const vv_block_target *to)
{
    for (int a = s->start[spring]; a < s->start[spring + 1]; a++)
        for (int b = s->start[spring]; b < a; b++) {
            const double k = scale * s->stiffness[spring] * s->weight[a] * s->weight[b];
            vv_bsr_add(to->matrix, to->unknown[s->node[a]], to->unknown[s->node[b]],
                       (double[9]){ k, 0, 0, 0, k, 0, 0, 0, k });
        }
}

static void derivatives(const vv_energy *e, const vv_parallel *par, const double *x, double scale, vv_hessian_mode mode,
                        double *g, const vv_block_target *to)
{
    (void)par;
    const vv_attachments *s = (const vv_attachments *)e;
    double d[3] = { 0 };
    if (mode == VV_HESSIAN_REST)
        g = NULL;
    for (int i = 0; i < s->count; i++) {
        if (g)
            vv_attachment_stretch(s, i, x, 3, d);
        for (int c = s->start[i]; c < s->start[i + 1]; c++)
            for (size_t k = 0; k < 3; k++) {
                const double w = s->weight[c];
                if (g)
                    g[3 * (size_t)s->node[c] + k] += scale * s->stiffness[i] * d[k] * w;
                if (to)
                    to->matrix->val[9 * (size_t)to->slots[c] + 4 * k] += scale * s->stiffness[i] * (w * w);
            }
        if (to)
            add_couplings(s, i, scale, to);
    }
}

static vvStatus slots(const vv_energy *e, const int *unknown, const vv_bsr *a, int **out, vvError *error)
{
    const vv_attachments *s = (const vv_attachments *)e;
    const int corners = s->start[s->count];
    *out = vv_alloc((size_t)corners, sizeof **out);
    if (!*out)
        return vv_fail_memory(error, "attachments");
    for (int c = 0; c < corners; c++)
        (*out)[c] = vv_bsr_slot(a, unknown[s->node[c]], unknown[s->node[c]]);
    return VV_OK;
}

static bool quadratic(const vv_energy *e, vv_quadratic_kind kind, vv_quadratic *to)
{
    const vv_attachments *s = (const vv_attachments *)e;
    (void)kind;
    size_t pairs = 0;
    for (int i = 0; i < s->count; i++)
        pairs += (size_t)(s->start[i + 1] - s->start[i]) * (size_t)(s->start[i + 1] - s->start[i] - 1) / 2;
    if (!to || !vv_quadratic_reserve(to, pairs))
        return true;
    for (int i = 0; i < s->count; i++)
        for (int a = s->start[i]; a < s->start[i + 1]; a++) {
            const double k = s->stiffness[i] * s->weight[a];
            vv_quadratic_add_diagonal(to, s->node[a], k * s->weight[a]);
            for (int b = s->start[i]; b < a; b++)
                vv_quadratic_add(to, s->node[a], s->node[b], k * s->weight[b]);
        }
    return true;
}

static bool diagonal(const vv_energy *e, double scale, double *d)
{
    const vv_attachments *s = (const vv_attachments *)e;
    if (s->spread)
        return false;
    for (int i = 0; d && i < s->count; i++)
        d[s->node[i]] += scale * s->stiffness[i];
    return true;
}

/* w w^T lies below the diagonal of |w_j| sum |w|. */
static bool bound_diagonal(const vv_energy *e, double scale, double *d)
{
    const vv_attachments *s = (const vv_attachments *)e;
    for (int i = 0; d && s->loose && i < s->count; i++) {
        double sum = 0;
        for (int c = s->start[i]; c < s->start[i + 1]; c++)
            sum += fabs(s->weight[c]);
        for (int c = s->start[i]; c < s->start[i + 1]; c++)
            d[s->node[c]] += scale * s->stiffness[i] * (fabs(s->weight[c]) * sum);
    }
    return s->loose;
}

/* ---- one node at a time, for block descent: each corner with the derivatives of its whole spring ---- */

static vvStatus prepare_nodes(const vv_energy *e, const vv_node_order *order, void **data, vvError *error)
{
    const vv_attachments *s = (const vv_attachments *)e;
    return vv_node_items_create(order, s->start[s->count], s->node, data, error);
}

static void node_blocks(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    const vv_attachments *s = (const vv_attachments *)e;
    const vv_node_items *items = data;
    for (int j = b->begin; j < b->end; j++)
        for (int i = items->start[j]; i < items->start[j + 1]; i++) {
            const int corner = items->item[i];
            double d[3], k = s->stiffness[s->spring[corner]] * s->weight[corner], own = k * s->weight[corner];
            vv_attachment_stretch(s, s->spring[corner], b->x, 4, d);
            vv_node_add(b, j, items->lane[i], (double[3]){ k * d[0], k * d[1], k * d[2] },
                        (double[9]){ own, 0, 0, 0, own, 0, 0, 0, own });
            for (int a = s->start[s->spring[corner]]; b->cross && a < corner; a++) {
                const int other = vv_clump_lane(b, j, items->lane[i], s->node[a]);
                if (other >= 0)
                    vv_clump_add(b, j, items->lane[i], other, k * s->weight[a],
                                 (double[9]){ 1, 0, 0, 0, 1, 0, 0, 0, 1 });
            }
        }
}

/* Whether a corner before it is of the same clump. */
static bool again(const vv_attachments *s, const vv_node_batch *b, int group, int lane, int corner)
{
    bool found = false;
    for (int a = s->start[s->spring[corner]]; b->cross && a < corner; a++)
        found = found || vv_clump_lane(b, group, lane, s->node[a]) >= 0;
    return found;
}

static void node_values(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    const vv_attachments *s = (const vv_attachments *)e;
    const vv_node_items *items = data;
    for (int j = b->begin; j < b->end; j++)
        for (int i = items->start[j]; i < items->start[j + 1]; i++) {
            const int spring = s->spring[items->item[i]];
            double d[3];
            if (again(s, b, j, items->lane[i], items->item[i]))
                continue;
            vv_attachment_stretch(s, spring, b->x, 4, d);
            b->values[8 * (j - b->begin) + items->lane[i]] += b->value * 0.5 * s->stiffness[spring] * vv_dot(d, d);
        }
}

static const vv_node_ops node_ops = { prepare_nodes, NULL, node_blocks, node_values, NULL };

/* ---- making ---- */

static void destroy(vv_energy *e)
{
    vv_attachments *s = (vv_attachments *)e;
    vv_free(s->start);
    vv_free(s->node);
    vv_free(s->spring);
    vv_free(s->weight);
    vv_free(s->stiffness);
    vv_free(s->targets);
    vv_free(s->from);
    vv_free(s);
}

static const vv_energy_ops ops = { .info = { "attachment", "zero-length springs to moving points" },
                                   .row = VV_ROW_ATTACHMENT,
                                   .value = value,
                                   .derivatives = derivatives,
                                   .slots = slots,
                                   .destroy = destroy,
                                   .quadratic = quadratic,
                                   .constraints = vv_attachment_constraints,
                                   .diagonal = diagonal,
                                   .bound_diagonal = bound_diagonal,
                                   .nodes = &node_ops };

static int corners_of(const vv_springs_of_points *from, int spring)
{
    return from->corners ? from->corners[spring] : 1;
}

static int all_corners(const vv_springs_of_points *from)
{
    int sum = 0;
    for (int i = 0; i < from->count; i++)
        sum += corners_of(from, i);
    return sum;
}

static void fill(vv_attachments *s, const vv_springs_of_points *from)
{
    for (int i = 0; i < from->count; i++) {
        s->start[i + 1] = s->start[i] + corners_of(from, i);
        for (int c = s->start[i]; c < s->start[i + 1]; c++) {
            s->spring[c] = i;
            s->node[c] = from->nodes[c];
            s->weight[c] = from->weights ? from->weights[c] : 1;
            s->spread = s->spread || s->weight[c] != 1 || s->start[i + 1] > s->start[i] + 1;
        }
        s->stiffness[i] = from->stiffness[i];
    }
}

vvStatus vv_attachment_create(const vv_springs_of_points *from, const int *body, vv_energy **out, vvError *error)
{
    const size_t n = (size_t)from->count, corners = (size_t)all_corners(from);
    vv_attachments *s = vv_alloc(1, sizeof *s);
    if (!s)
        return vv_fail_memory(error, "attachments");
    *s = (vv_attachments){ { .ops = &ops }, .count = from->count, .body = body };
    s->start = vv_alloc(n + 1, sizeof *s->start);
    s->node = vv_alloc(corners, sizeof *s->node);
    s->spring = vv_alloc(corners, sizeof *s->spring);
    s->weight = vv_alloc(corners, sizeof *s->weight);
    s->stiffness = vv_alloc(n, sizeof *s->stiffness);
    s->targets = vv_alloc(3 * n, sizeof *s->targets);
    s->from = vv_alloc(3 * n, sizeof *s->from);
    if (!s->start || !s->node || !s->spring || !s->weight || !s->stiffness || !s->targets || !s->from) {
        destroy(&s->base);
        return vv_fail_memory(error, "attachments");
    }
    fill(s, from);
    *out = &s->base;
    return VV_OK;
}

void vv_attachment_loosen(vv_energy *e) { ((vv_attachments *)e)->loose = true; }

bool vv_attachment_is_of(const vv_energy *e, const vv_springs_of_points *from)
{
    const vv_attachments *s = (const vv_attachments *)e;
    bool same = s->count == from->count &&
                memcmp(s->stiffness, from->stiffness, (size_t)from->count * sizeof *from->stiffness) == 0;
    for (int i = 0; same && i < s->count; i++)
        same = s->start[i + 1] - s->start[i] == corners_of(from, i);
    for (int c = 0; same && c < s->start[s->count]; c++)
        same = s->node[c] == from->nodes[c] && s->weight[c] == (from->weights ? from->weights[c] : 1);
    return same;
}

double *vv_attachment_targets(vv_energy *e) { return ((vv_attachments *)e)->targets; }

/* ---- the targets' path ---- */

void vv_attachment_begin(vv_energy *e)
{
    vv_attachments *s = (vv_attachments *)e;
    if (e->ops == &ops && s->count > 0)
        memcpy(s->from, s->targets, 3 * (size_t)s->count * sizeof *s->from);
}

bool vv_attachment_moves(const vv_energy *e)
{
    const vv_attachments *s = (const vv_attachments *)e;
    return e->ops == &ops && s->count > 0 && memcmp(s->from, s->targets, 3 * (size_t)s->count * sizeof *s->from) != 0;
}

/* k ((t + t')/2 - (x + x')/2) . dt by the mean force, k ((t + t')/2 - x) . dt by the jump */
double vv_attachment_way_work(const vv_energy *e, double part, const double *begin, const double *end, double *per_body)
{
    const vv_attachments *s = (const vv_attachments *)e;
    double sum = 0;
    for (int i = 0; e->ops == &ops && i < s->count; i++) {
        double more = 0;
        for (size_t k = 0; k < 3; k++) {
            const double way = s->targets[3 * (size_t)i + k] - s->from[3 * (size_t)i + k];
            for (int c = s->start[i]; c < s->start[i + 1]; c++) {
                const size_t at = 3 * (size_t)s->node[c] + k;
                more -= 0.5 * part * s->stiffness[i] * way * (s->weight[c] * (end[at] - begin[at]));
            }
        }
        sum += more;
        if (per_body)
            per_body[body_of(s, i)] += more;
    }
    return sum;
}

/* ---- what holds nodes, of whatever energy ---- */

static bool is_joint(const vv_energy *e) { return e->ops->row == VV_ROW_JOINT; }

const int *vv_attachment_nodes(const vv_energy *e, int *count)
{
    const vv_attachments *s = (const vv_attachments *)e;
    if (is_joint(e))
        return vv_links_pinned(e, count);
    if (e->ops != &ops)
        return vv_potentials_nodes(e, count);
    *count = s->start[s->count];
    return *count ? s->node : NULL;
}

const double *vv_attachment_point(const vv_energy *e, int index)
{
    const vv_attachments *s = (const vv_attachments *)e;
    if (is_joint(e))
        return vv_links_hold(e, index) ? vv_links_place(e, index) : NULL;
    return e->ops == &ops ? s->targets + 3 * (size_t)s->spring[index] : vv_potentials_centre(e, index);
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
