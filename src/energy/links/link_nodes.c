/* Links one node at a time, for block descent (energy/nodes.h): each node of a link with the derivatives of its whole
 * term, and of a clump with those between its nodes. */
#include "energy/links/links.h"

static vvStatus prepare(const vv_energy *e, const vv_node_order *order, void **data, vvError *error)
{
    const vv_links *s = (const vv_links *)e;
    return vv_node_items_create(order, s->corners, s->corner, data, error);
}

/* The link of an item, evaluated; which of its nodes: *corner. */
static const vv_link *evaluate(const vv_links *s, const vv_node_batch *b, int item, vv_link_wanted wanted, int *corner,
                               vv_link_value *at)
{
    const vv_link *l = s->link + s->corner_of[item] / VV_LINK_NODES;
    double d[VV_LINK_MOST];
    *corner = s->corner_of[item] % VV_LINK_NODES;
    if (l->off)
        return NULL;
    vv_link_at(l, b->x, 4, d);
    vv_link_evaluate(l, d, wanted, at);
    return l;
}

/* g (may be NULL) += the gradient at a corner, h += second derivatives at it and another. */
static void add_block(const vv_link *l, const vv_link_value *at, int corner, int other, double *g, double h[9])
{
    const int n = at->n;
    for (int v = 0; 3 * v < n; v++) {
        const double weight = l->weight[v][corner];
        for (int r = 0; weight != 0 && r < 3; r++) {
            if (g)
                g[r] += weight * at->gradient[3 * v + r];
            for (int w = 0; 3 * w < n; w++)
                for (int c = 0; c < 3; c++)
                    h[3 * r + c] += weight * l->weight[w][other] * at->hessian[n * (3 * v + r) + 3 * w + c];
        }
    }
}

/* The lane of a link's corner, if it is of the clump that `lane` is of; else -1. */
static int lane_of(const vv_link *l, const vv_node_batch *b, int group, int lane, int corner)
{
    return b->cross ? vv_clump_lane(b, group, lane, l->node[corner]) : -1;
}

static void blocks(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    const vv_node_items *items = data;
    for (int j = b->begin; j < b->end; j++)
        for (int i = items->start[j]; i < items->start[j + 1]; i++) {
            int corner;
            vv_link_value at;
            const vv_link *l = evaluate((const vv_links *)e, b, items->item[i], VV_LINK_PROJECTED, &corner, &at);
            double g[3] = { 0 }, h[9] = { 0 };
            if (!l)
                continue;
            add_block(l, &at, corner, corner, g, h);
            vv_node_add(b, j, items->lane[i], g, h);
            for (int other = 0; other < corner; other++) {
                const int lane = lane_of(l, b, j, items->lane[i], other);
                double between[9] = { 0 };
                if (lane < 0)
                    continue;
                add_block(l, &at, corner, other, NULL, between);
                vv_clump_add(b, j, items->lane[i], lane, 1, between);
            }
        }
}

static void values(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    const vv_node_items *items = data;
    for (int j = b->begin; j < b->end; j++)
        for (int i = items->start[j]; i < items->start[j + 1]; i++) {
            int corner;
            vv_link_value at;
            bool again = false;
            const vv_link *l = evaluate((const vv_links *)e, b, items->item[i], VV_LINK_ENERGY, &corner, &at);
            for (int other = 0; l && other < corner; other++)
                again = again || lane_of(l, b, j, items->lane[i], other) >= 0;
            if (l && !again)
                b->values[8 * (j - b->begin) + items->lane[i]] += b->value * at.energy;
        }
}

const vv_node_ops vv_links_nodes = { prepare, NULL, blocks, values, NULL };
