/* The barrier between surfaces, one node at a time: what block descent asks for (energy/nodes.h).
 *
 * Which pairs act changes as nodes move, and nodes of one colour may meet: so a sweep sees a model of the barrier that is made where the sweep
 * begins. With a pair's energy E(x0) + g . dx + 1/2 sum_k (v_k . dx)^2 (pair_potential.h), dx of the nodes that move in it and S the sum of
 * their weights in its points, (v_k . dx)^2 <= S sum_a w_a (v_ka . dx_a)^2, by convexity: the bound has one term a node, and sweeping over it
 * raises nothing, whoever moves at the same time. The sweep's end is filtered by the solver, as the model knows of no domain. */
#include "contact/collisions.h"
#include "contact/pair_nodes.h"
#include "contact/pair_potential.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

typedef struct model {
    double *x, *g, *h;   /* nodes x 3, x 3, x 6: xx yy zz yz xz xy */
    unsigned char *acts; /* nodes: something is there */
} model;

typedef struct pair_nodes {
    const vv_node_order *order; /* the solver's, which lives as long */
    model views[VV_MAX_SAMPLES];
} pair_nodes;

static size_t padded(size_t bytes) { return (bytes + 63) / 64 * 64; }

vvStatus vv_pair_nodes_prepare(const vv_energy *e, const vv_node_order *order, void **data, vvError *error)
{
    (void)e;
    const size_t n = (size_t)order->nodes, numbers = padded(12 * n * sizeof(double)), flags = padded(n);
    char *memory = vv_alloc(1, padded(sizeof(pair_nodes)) + VV_MAX_SAMPLES * (numbers + flags));
    *data = memory;
    if (!memory)
        return vv_fail_memory(error, "contact by nodes");
    pair_nodes *s = (pair_nodes *)memory;
    char *at = memory + padded(sizeof *s);
    s->order = order;
    for (int i = 0; i < VV_MAX_SAMPLES; i++, at += numbers + flags)
        s->views[i] = (model){ (double *)at, (double *)at + 3 * n, (double *)at + 6 * n, (unsigned char *)(at + numbers) };
    return VV_OK;
}

/* ---- the model ---- */

/* S: weights of what may move in the pair's points. */
static double moving_weight(const pair_nodes *s, const vv_vertices *vs, const vv_pair *p)
{
    double sum = 0;
    for (int i = 0, n = vv_stencil_points(p->kind); i < n; i++)
        for (int k = vs->start[p->vertex[i]]; k < vs->start[p->vertex[i] + 1]; k++)
            sum += s->order->place[vs->node[k]] >= 0 ? vs->weight[k] : 0;
    return sum;
}

static void add_point(const pair_nodes *s, const model *m, const vv_vertices *vs, int vertex, const double *g, double squares[9][12], int count, int at,
                      double bound)
{
    for (int k = vs->start[vertex]; k < vs->start[vertex + 1]; k++) {
        const size_t node = (size_t)vs->node[k];
        const double w = vs->weight[k];
        if (s->order->place[node] < 0)
            continue;
        double *h = m->h + 6 * node;
        m->acts[node] = 1;
        for (size_t c = 0; c < 3; c++)
            m->g[3 * node + c] += w * g[c];
        for (int i = 0; i < count; i++) {
            const double *v = squares[i] + 3 * at, scale = w * bound;
            h[0] += scale * v[0] * v[0], h[1] += scale * v[1] * v[1], h[2] += scale * v[2] * v[2];
            h[3] += scale * v[1] * v[2], h[4] += scale * v[0] * v[2], h[5] += scale * v[0] * v[1];
        }
    }
}

bool vv_pair_nodes_gather(vv_energy *e, vv_collisions *c, void *data, const vv_parallel *par, const double *x, int view)
{
    pair_nodes *s = data;
    const vv_vertices *vs = c->def.surface->vertices;
    const size_t n = (size_t)s->order->nodes;
    model *m = s->views + view;
    vv_energy_update(e, par, x);
    if (!c->fresh)
        return false;
    memcpy(m->x, x, 3 * n * sizeof *x);
    memset(m->g, 0, 9 * n * sizeof *m->g);
    memset(m->acts, 0, n);
    for (size_t i = 0; i < c->count; i++) {
        const vv_pair *p = c->pairs + i;
        vv_pair_state state;
        double g[12], squares[9][12];
        vv_pair_state_at(c, p, &state);
        const int count = vv_pair_squares(&state, g, squares);
        const double bound = moving_weight(s, vs, p);
        for (int k = 0, points = vv_stencil_points(p->kind); k < points; k++)
            add_point(s, m, vs, p->vertex[k], g + 3 * k, squares, count, k, bound);
    }
    return true;
}

/* ---- of single nodes ---- */

/* Where a node's model is, and how far the node has moved in it; NULL: there is none. */
static const double *moved(const model *m, const vv_node_batch *b, int group, int lane, double dx[3], const double **h)
{
    const size_t node = (size_t)b->node[8 * (size_t)group + (size_t)lane];
    const double *x = vv_node_position(b, group, lane);
    if (!m->acts[node])
        return NULL;
    for (size_t k = 0; k < 3; k++)
        dx[k] = x[k] - m->x[3 * node + k];
    *h = m->h + 6 * node;
    return m->g + 3 * node;
}

static void times(const double h[6], const double d[3], double out[3])
{
    out[0] = h[0] * d[0] + h[5] * d[1] + h[4] * d[2];
    out[1] = h[5] * d[0] + h[1] * d[1] + h[3] * d[2];
    out[2] = h[4] * d[0] + h[3] * d[1] + h[2] * d[2];
}

void vv_pair_nodes_blocks(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    (void)e;
    const model *m = ((const pair_nodes *)data)->views + b->view;
    for (int j = b->begin; j < b->end; j++)
        for (int lane = 0; lane < 8; lane++) {
            double d[3], f[3];
            const double *h, *g = moved(m, b, j, lane, d, &h);
            if (!g)
                continue;
            times(h, d, f);
            for (int k = 0; k < 3; k++)
                f[k] += g[k];
            vv_node_add(b, j, lane, f, (const double[9]){ h[0], h[5], h[4], h[5], h[1], h[3], h[4], h[3], h[2] });
        }
}

void vv_pair_nodes_values(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    (void)e;
    const model *m = ((const pair_nodes *)data)->views + b->view;
    for (int j = b->begin; j < b->end; j++)
        for (int lane = 0; lane < 8; lane++) {
            double d[3], f[3];
            const double *h, *g = moved(m, b, j, lane, d, &h);
            if (!g)
                continue;
            times(h, d, f);
            for (int k = 0; k < 3; k++)
                b->values[8 * (j - b->begin) + lane] += b->value * (g[k] + 0.5 * f[k]) * d[k];
        }
}
