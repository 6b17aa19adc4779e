/* Affine bodies as clumps of nodes, for block descent (energy/nodes.h): E = mu V |C - I|^2 / 4, C = F^T F, of a body's
 * one tet, with derivatives by all of its four nodes (theory §4.14). With G_a = grad N_a and S = mu (C - I) they are
 *   dE/dx_a = V F S G_a,
 *   d2E/dx_a dx_b = V {(G_a . S G_b) I + mu [(F G_b)(F G_a)^T + (G_a . G_b) F F^T]},
 * where the second term is that of a square. Negative eigenvalues of S are left out of the first one, which makes the
 * sum semidefinite, and no smaller. */
#include "energy/tets/affine_nodes.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "energy/batch/frame.h"
#include "energy/tets/kernels.h"

#include <string.h>

enum { K = VV_CLUMP_NODES };

/* Whether a tet's nodes are one clump, or none of them is visited. */
static bool is_clump(const vv_node_order *order, const int *nodes)
{
    const int place = order->place[nodes[0]];
    for (int a = 0; a < K; a++) {
        const int other = order->place[nodes[a * VV_LANES]];
        if (place < 0 ? other >= 0 : other < VV_LANES * order->single || other / K != place / K)
            return false;
    }
    return true;
}

/* Items are lanes of the batch, with the tet's first corner. */
static vvStatus prepare(const vv_energy *e, const vv_node_order *order, void **data, vvError *error)
{
    const vv_elements *s = (const vv_elements *)e;
    const int lanes = s->batch.group_count * VV_LANES;
    int *first = vv_alloc((size_t)lanes, sizeof *first);
    *data = NULL;
    if (!first)
        return vv_fail_memory(error, "affine bodies");
    vvStatus status = VV_OK;
    for (int i = 0; i < lanes && status == VV_OK; i++) {
        first[i] = *vv_nodes_of_lane(s, i);
        if (s->batch.source[i] >= 0 && !is_clump(order, vv_nodes_of_lane(s, i)))
            status = vv_fail(error, VV_ERROR_UNSUPPORTED,
                             "solver \"block-descent\" takes affine bodies whose four nodes are all free or all "
                             "prescribed, and of one only some are: hold it as a whole, or choose solver \"newton\" "
                             "or \"lbfgs\"");
    }
    if (status == VV_OK)
        status = vv_node_items_create(order, lanes, first, data, error);
    vv_free(first);
    return status;
}

typedef struct body {
    double g[K][3], f[9], strain[9], mu, volume; /* strain: C - I */
    int lane[K];                                 /* of the batch of nodes */
} body;

/* mu of the part that an element is of. */
static double mu_of(const vv_elements *s, int element)
{
    int low = 0, high = s->part_count; /* start[low] <= element < start[high] */
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (s->start[middle] <= element)
            low = middle;
        else
            high = middle;
    }
    return s->law[low * VV_TET_LAW];
}

static void evaluate(const vv_elements *s, int lane, const vv_node_batch *b, int group, int at, body *out)
{
    const double *shape = vv_shape_of_lane(s, lane);
    const int *nodes = vv_nodes_of_lane(s, lane);
    *out = (body){ .mu = mu_of(s, s->batch.source[lane]), .volume = shape[9 * VV_LANES] };
    for (int k = 0; k < 3; k++) {
        for (int a = 1; a < K; a++)
            out->g[a][k] = shape[(3 * (a - 1) + k) * VV_LANES];
        out->g[0][k] = -(out->g[1][k] + out->g[2][k] + out->g[3][k]);
    }
    const double *origin = b->x + 4 * (size_t)nodes[0];
    for (int a = 0; a < K; a++) {
        out->lane[a] = vv_clump_lane(b, group, at, nodes[a * VV_LANES]);
        for (int i = 0; i < 9; i++)
            out->f[i] += (b->x[4 * (size_t)nodes[a * VV_LANES] + (size_t)i / 3] - origin[i / 3]) * out->g[a][i % 3];
    }
    for (int i = 0; i < 9; i++)
        out->strain[i] = out->f[i / 3] * out->f[i % 3] + out->f[3 + i / 3] * out->f[3 + i % 3] +
                         out->f[6 + i / 3] * out->f[6 + i % 3] - (i % 4 == 0);
}

/* Without its negative eigenvalues. */
static void make_semidefinite(double a[9])
{
    double w[3], v[9];
    vv_eigen_symmetric(a, w, v);
    for (int i = 0; i < 9; i++) {
        a[i] = 0;
        for (int k = 0; k < 3; k++)
            a[i] += fmax(w[k], 0) * v[3 * (i / 3) + k] * v[3 * (i % 3) + k];
    }
}

static void add_blocks(const body *t, const vv_node_batch *b, int group)
{
    double plus[9], stretch[9], fg[K][3], force[K][3], sg[K][3];
    memcpy(plus, t->strain, sizeof plus);
    make_semidefinite(plus);
    for (int i = 0; i < 9; i++) /* F F^T */
        stretch[i] = vv_dot(t->f + 3 * (i / 3), t->f + 3 * (i % 3));
    for (int a = 0; a < K; a++) {
        double s[3];
        vv_matvec(t->f, t->g[a], fg[a]);
        vv_matvec(plus, t->g[a], sg[a]);
        vv_matvec(t->strain, t->g[a], s);
        vv_matvec(t->f, s, force[a]);
        for (int k = 0; k < 3; k++)
            force[a][k] *= t->mu * t->volume;
    }
    for (int a = 0; a < K; a++)
        for (int c = 0; c <= a; c++) {
            double h[9];
            for (int i = 0; i < 9; i++)
                h[i] = t->mu * t->volume *
                       ((i % 4 == 0 ? vv_dot(t->g[a], sg[c]) : 0) + fg[c][i / 3] * fg[a][i % 3] +
                        vv_dot(t->g[a], t->g[c]) * stretch[i]);
            if (a == c)
                vv_node_add(b, group, t->lane[a], force[a], h);
            else
                vv_clump_add(b, group, t->lane[a], t->lane[c], 1, h);
        }
}

static void each(const vv_energy *e, const void *data, const vv_node_batch *b, bool derivatives)
{
    const vv_elements *s = (const vv_elements *)e;
    const vv_node_items *items = data;
    for (int j = b->begin; b->cross && j < b->end; j++)
        for (int i = items->start[j]; i < items->start[j + 1]; i++) {
            body t;
            if (s->batch.source[items->item[i]] < 0)
                continue;
            evaluate(s, items->item[i], b, j, items->lane[i], &t);
            if (derivatives)
                add_blocks(&t, b, j);
            else
                for (int k = 0; k < 9; k++)
                    b->values[8 * (j - b->begin) + items->lane[i]] +=
                        b->value * 0.25 * t.mu * t.volume * t.strain[k] * t.strain[k];
        }
}

static void blocks(const vv_energy *e, const void *data, const vv_node_batch *b) { each(e, data, b, true); }
static void values(const vv_energy *e, const void *data, const vv_node_batch *b) { each(e, data, b, false); }

const vv_node_ops vv_affine_node_ops = { prepare, NULL, blocks, values, NULL };
