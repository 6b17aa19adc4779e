/* The barrier between surfaces, one node at a time: what block descent asks for (energy/nodes.h).
 *
 * A sweep sees the model of node_model.h, of the sum of squares that Newton's steps see too (potential.h). It
 * knows of no domain: the solver filters where the sweep ends, and looks whether the objective has fallen.
 *
 * Pairs are evaluated side by side in batches and added to the model in order, so that any number of threads gives
 * the same bits. */
#include "contact/pairs/collisions.h"
#include "contact/pairs/node_model.h"
#include "contact/pairs/nodes.h"
#include "contact/pairs/potential.h"

enum { CHUNK = 32, BATCH = 512 };

typedef struct local {
    double g[12], squares[9][12];
    int count;
} local;

vvStatus vv_pair_nodes_prepare(const vv_energy *e, const vv_node_order *order, void **data, vvError *error)
{
    (void)e;
    return vv_node_models_create(order, VV_MAX_SAMPLES, BATCH * sizeof(local), data, error);
}

struct batch {
    const vv_collisions *c;
    local *local;
    size_t first;
    int count;
};

static void squares_chunk(void *arg, int chunk)
{
    const struct batch *b = arg;
    for (int at = chunk * CHUNK; at < b->count && at < (chunk + 1) * CHUNK; at++) {
        vv_pair_state state;
        local *l = b->local + at;
        vv_pair_state_at(b->c, b->c->pairs + b->first + (size_t)at, &state);
        l->count = vv_pair_squares(&state, l->g, l->squares);
    }
}

bool vv_pair_nodes_gather(vv_energy *e, vv_collisions *c, void *data, const vv_parallel *par, const double *x, int view)
{
    vv_node_model *m = (vv_node_model *)data + view;
    vv_energy_update(e, par, x);
    if (!c->fresh)
        return false;
    vv_node_model_start(m, x);
    struct batch b = { .c = c, .local = m->more };
    for (; b.first < c->count; b.first += BATCH) {
        const size_t left = c->count - b.first;
        b.count = left < BATCH ? (int)left : BATCH;
        vv_for(par, (b.count + CHUNK - 1) / CHUNK, squares_chunk, &b);
        for (int at = 0; at < b.count; at++) {
            const vv_pair *p = c->pairs + b.first + (size_t)at;
            local *l = b.local + at;
            vv_node_model_add(m, c->def.surface->vertices, p->vertex, vv_stencil_points(p->kind), l->g, l->squares,
                              l->count);
        }
    }
    return true;
}

void vv_pair_nodes_blocks(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    (void)e;
    vv_node_model_blocks((const vv_node_model *)data + b->view, b);
}

void vv_pair_nodes_values(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    (void)e;
    vv_node_model_values((const vv_node_model *)data + b->view, b);
}
