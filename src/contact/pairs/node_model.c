/* The model of contact between surfaces that block descent sees in a sweep: node_model.h. */
#include "contact/pairs/node_model.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"

#include <string.h>

enum { K = VV_CLUMP_NODES, MOST_POINTS = 4 };

static size_t padded(size_t bytes) { return (bytes + 63) / 64 * 64; }

vvStatus vv_node_models_create(const vv_node_order *order, int count, size_t more, void **data, vvError *error)
{
    const size_t n = (size_t)order->nodes, clumps = 2 * (size_t)(order->groups - order->single);
    const size_t numbers = padded((12 * n + VV_CLUMP_CROSS * clumps) * sizeof(double)), flags = padded(n);
    const size_t head = padded((size_t)count * sizeof(vv_node_model));
    char *at = vv_alloc(1, head + padded(more) + (size_t)count * (numbers + flags));
    *data = at;
    vv_node_model *m = *data;
    if (!at)
        return vv_fail_memory(error, "contact by nodes");
    void *shared = at + head;
    at += head + padded(more);
    for (int i = 0; i < count; i++, at += numbers + flags)
        m[i] = (vv_node_model){ order,
                                (double *)at,
                                (double *)at + 3 * n,
                                (double *)at + 6 * n,
                                (double *)at + 12 * n,
                                (unsigned char *)(at + numbers),
                                shared };
    return VV_OK;
}

void vv_node_model_start(vv_node_model *m, const double *x)
{
    const size_t n = (size_t)m->order->nodes;
    memcpy(m->x, x, 3 * n * sizeof *x);
    memset(m->g, 0, 9 * n * sizeof *m->g);
    memset(m->cross, 0, 2 * (size_t)(m->order->groups - m->order->single) * VV_CLUMP_CROSS * sizeof *m->cross);
    memset(m->acts, 0, n);
}

/* Of what may move. */
static double moving_weight(const vv_node_model *m, const vv_vertices *vs, int vertex)
{
    double sum = 0;
    for (int k = vs->start[vertex]; k < vs->start[vertex + 1]; k++)
        sum += m->order->place[vs->node[k]] >= 0 ? fabs(vs->weight[k]) : 0;
    return sum;
}

static void add_force(vv_node_model *m, const vv_vertices *vs, int vertex, const double g[3])
{
    for (int k = vs->start[vertex]; k < vs->start[vertex + 1]; k++) {
        const size_t node = (size_t)vs->node[k];
        m->acts[node] = 1;
        for (size_t c = 0; c < 3; c++)
            m->g[3 * node + c] += vs->weight[k] * g[c];
    }
}

/* H += scale |w| v v^T at each node. */
static void add_square(vv_node_model *m, const vv_vertices *vs, int vertex, const double v[3], double scale)
{
    for (int k = vs->start[vertex]; k < vs->start[vertex + 1]; k++) {
        double *h = m->h + 6 * (size_t)vs->node[k];
        const double s = scale * fabs(vs->weight[k]);
        h[0] += s * v[0] * v[0], h[1] += s * v[1] * v[1], h[2] += s * v[2] * v[2];
        h[3] += s * v[1] * v[2], h[4] += s * v[0] * v[2], h[5] += s * v[0] * v[1];
    }
}

/* ---- clumps ---- */

/* The clump that a vertex hangs on, in the order of places; -1: it hangs on single nodes. */
static int clump_of(const vv_node_model *m, const vv_vertices *vs, int vertex)
{
    const int place = m->order->place[vs->node[vs->start[vertex]]] - 8 * m->order->single;
    return place >= 0 ? place / K : -1;
}

/* A clump's vector of a square. */
typedef struct share {
    int clump;
    double v[3 * K], length;
} share;

/* Those of all clumps among the points, of each once; returns their number. */
static int shares_of(const vv_node_model *m, const vv_vertices *vs, const int *vertex, int points, const int *clump,
                     const double *v, share *out)
{
    int count = 0;
    for (int i = 0; i < points; i++) {
        int at = 0;
        if (clump[i] < 0)
            continue;
        while (at < count && out[at].clump != clump[i])
            at++;
        if (at == count)
            out[count++] = (share){ .clump = clump[i] };
        for (int k = vs->start[vertex[i]]; k < vs->start[vertex[i] + 1]; k++)
            for (int c = 0; c < 3; c++)
                out[at].v[3 * (m->order->place[vs->node[k]] % K) + c] += vs->weight[k] * v[3 * i + c];
    }
    for (int at = 0; at < count; at++) {
        double square = 0;
        for (int k = 0; k < 3 * K; k++)
            square += out[at].v[k] * out[at].v[k];
        out[at].length = sqrt(square);
    }
    return count;
}

/* H += scale v v^T of a clump. */
static void add_share(vv_node_model *m, const share *s, double scale)
{
    const int first = 8 * m->order->single + K * s->clump;
    double *cross = m->cross + VV_CLUMP_CROSS * (size_t)s->clump;
    for (int a = 0; a < K; a++) {
        const double *v = s->v + 3 * a;
        double *h = m->h + 6 * (size_t)m->order->node[first + a];
        h[0] += scale * v[0] * v[0], h[1] += scale * v[1] * v[1], h[2] += scale * v[2] * v[2];
        h[3] += scale * v[1] * v[2], h[4] += scale * v[0] * v[2], h[5] += scale * v[0] * v[1];
        for (int b = a + 1; b < K; b++, cross += 9)
            for (int k = 0; k < 9; k++)
                cross[k] += scale * v[k / 3] * s->v[3 * b + k % 3];
    }
}

/* ---- sums of squares ---- */

void vv_node_model_add(vv_node_model *m, const vv_vertices *vs, const int *vertex, int points, const double g[12],
                       double squares[][12], int count)
{
    double moving[MOST_POINTS];
    int clump[MOST_POINTS];
    for (int i = 0; i < points; i++) {
        clump[i] = clump_of(m, vs, vertex[i]);
        moving[i] = clump[i] < 0 ? moving_weight(m, vs, vertex[i]) : 0;
        add_force(m, vs, vertex[i], g + 3 * i);
    }
    for (int k = 0; k < count; k++) {
        double length[MOST_POINTS], sum = 0;
        share shares[MOST_POINTS];
        const int wholes = shares_of(m, vs, vertex, points, clump, squares[k], shares);
        for (int i = 0; i < points; i++) {
            length[i] = vv_norm(squares[k] + 3 * i);
            sum += moving[i] * length[i];
        }
        for (int i = 0; i < wholes; i++)
            sum += shares[i].length;
        for (int i = 0; i < points; i++)
            if (length[i] > 0 && clump[i] < 0)
                add_square(m, vs, vertex[i], squares[k] + 3 * i, sum / length[i]);
        for (int i = 0; i < wholes; i++)
            if (shares[i].length > 0)
                add_share(m, shares + i, sum / shares[i].length);
    }
}

/* ---- what is asked for ---- */

/* Where a node's term is, and how far the node has moved in it; false: it has none. */
static bool moved(const vv_node_model *m, const vv_node_batch *b, int group, int lane, double dx[3], const double **g,
                  const double **h)
{
    const size_t node = (size_t)b->node[8 * (size_t)group + (size_t)lane];
    const double *x = vv_node_position(b, group, lane);
    if (!m->acts[node])
        return false;
    for (size_t k = 0; k < 3; k++)
        dx[k] = x[k] - m->x[3 * node + k];
    *g = m->g + 3 * node, *h = m->h + 6 * node;
    return true;
}

static void times(const double h[6], const double d[3], double out[3])
{
    out[0] = h[0] * d[0] + h[5] * d[1] + h[4] * d[2];
    out[1] = h[5] * d[0] + h[1] * d[1] + h[3] * d[2];
    out[2] = h[4] * d[0] + h[3] * d[1] + h[2] * d[2];
}

/* The blocks between nodes of the clump that has its first node in `lane`. */
static void add_cross(const vv_node_model *m, const vv_node_batch *b, int group, int lane)
{
    const double *cross = m->cross + VV_CLUMP_CROSS * (size_t)(2 * (group - m->order->single) + lane / K);
    for (int i = 0; i < K; i++)
        for (int j = i + 1; j < K; j++, cross += 9)
            vv_clump_add(b, group, lane + i, lane + j, 1, cross);
}

/* f += what the other nodes of its clump add to a node's force. */
static void add_others(const vv_node_model *m, const vv_node_batch *b, int group, int lane, double f[3])
{
    const double *cross = m->cross + VV_CLUMP_CROSS * (size_t)(2 * (group - m->order->single) + lane / K);
    const int own = lane % K;
    for (int i = 0; i < K; i++)
        for (int j = i + 1; j < K; j++, cross += 9) {
            double d[3];
            const double *g, *h;
            if ((i != own && j != own) || !moved(m, b, group, lane - own + (i == own ? j : i), d, &g, &h))
                continue;
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    f[r] += cross[i == own ? 3 * r + c : 3 * c + r] * d[c];
        }
}

void vv_node_model_blocks(const vv_node_model *m, const vv_node_batch *b)
{
    for (int j = b->begin; j < b->end; j++)
        for (int lane = 0; lane < 8; lane++) {
            double d[3], f[3];
            const double *g, *h;
            if (!moved(m, b, j, lane, d, &g, &h))
                continue;
            times(h, d, f);
            if (b->cross)
                add_others(m, b, j, lane, f);
            if (b->cross && lane % K == 0)
                add_cross(m, b, j, lane);
            for (int k = 0; k < 3; k++)
                f[k] += g[k];
            vv_node_add(b, j, lane, f, (const double[9]){ h[0], h[5], h[4], h[5], h[1], h[3], h[4], h[3], h[2] });
        }
}

void vv_node_model_values(const vv_node_model *m, const vv_node_batch *b)
{
    for (int j = b->begin; j < b->end; j++)
        for (int lane = 0; lane < 8; lane++) {
            double d[3], f[3];
            const double *g, *h;
            if (!moved(m, b, j, lane, d, &g, &h))
                continue;
            times(h, d, f);
            if (b->cross)
                add_others(m, b, j, lane, f);
            for (int k = 0; k < 3; k++)
                b->values[8 * (j - b->begin) + lane] += b->value * (g[k] + 0.5 * f[k]) * d[k];
        }
}
