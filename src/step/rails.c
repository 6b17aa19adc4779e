/* Velocities of nodes that keep to planes and lines (theory §4.17). */
#include "base/vec.h"
#include "step/inside.h"

void vv_mean_across_rails(const vv_stepper *s, const double *q, double *v)
{
    const vv_rails *rails = s->system->rails;
    double mean[3];
    for (int r = 0; rails && r < rails->count; r++) {
        const size_t i = 3 * (size_t)rails->node[r];
        vv_sub(q + i, s->state->q + i, mean);
        for (int k = 0; k < 3; k++)
            mean[k] /= s->h;
        vv_rail_put(rails->along + 9 * (size_t)r, mean, v + i);
    }
}
