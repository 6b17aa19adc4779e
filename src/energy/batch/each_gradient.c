/* What each element has of the gradient, by the model's own kernel: a group runs on nodes of its own, none of which two
 * elements share. */
#include "energy/batch/frame.h"

#include <string.h>

enum { MOST_NODES = VV_BATCH_MOST * VV_LANES };

/* The group that begins with this lane. */
static void run_group(const vv_elements *s, int lane, const double *law, const double *x,
                      double gradient[3 * MOST_NODES])
{
    const int n = s->frame->nodes * VV_LANES, *nodes = vv_nodes_of_lane(s, lane);
    double position[3 * MOST_NODES];
    int own[MOST_NODES];
    for (int i = 0; i < n; i++) {
        own[i] = i;
        memcpy(position + 3 * (size_t)i, x + 3 * (size_t)nodes[i], 3 * sizeof *position);
    }
    memset(gradient, 0, 3 * (size_t)n * sizeof *gradient);
    s->kernels.value_gradient(&(vv_block){ .groups = 1,
                                           .shape = vv_shape_of_lane(s, lane),
                                           .nodes = own,
                                           .law = law,
                                           .x = position,
                                           .scale = 1,
                                           .g = gradient });
}

static void hand_on(const vv_elements *s, int lane, const double *gradient, vv_element_gradient_fn *found, void *arg)
{
    const int k = s->frame->nodes;
    for (int l = 0; l < VV_LANES; l++) {
        int nodes[VV_BATCH_MOST];
        double g[3 * VV_BATCH_MOST];
        for (int i = 0; i < k; i++) {
            nodes[i] = vv_nodes_of_lane(s, lane)[i * VV_LANES + l];
            memcpy(g + 3 * (size_t)i, gradient + 3 * (size_t)(i * VV_LANES + l), 3 * sizeof *g);
        }
        if (s->batch.source[lane + l] >= 0)
            found(arg, nodes, k, g);
    }
}

void vv_elements_each_gradient(const vv_energy *e, int body, const double *x, vv_element_gradient_fn *found, void *arg)
{
    const vv_elements *s = (const vv_elements *)e;
    const vv_batch *batch = &s->batch;
    for (int j = 0; j < batch->block_count; j++) {
        const int part = batch->block_part[j];
        for (int g = batch->block_group[j]; s->body[part] == body && g < batch->block_group[j + 1]; g++) {
            double gradient[3 * MOST_NODES];
            run_group(s, g * VV_LANES, s->law + part * s->frame->law, x, gradient);
            hand_on(s, g * VV_LANES, gradient, found, arg);
        }
    }
}
