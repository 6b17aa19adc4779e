/* What costs the most (costs.c). */
#ifndef VV_WORLD_COSTS_H
#define VV_WORLD_COSTS_H

#include "visviva/world.h"

typedef struct vv_pair_cost {
    int a, b; /* bodies, a < b */
    int64_t terms;
} vv_pair_cost;
typedef struct vv_costs {
    int64_t *longest;    /* per body: vv_system.longest */
    vv_pair_cost *pairs; /* sorted */
    size_t pair_count, pair_capacity, longest_capacity;
} vv_costs;

/* From zero, for what is baked now; false: out of memory, nothing is counted. */
bool vv_costs_begin(vvWorld *world);
void vv_costs_free(vvWorld *world);
/* Counts what touches after a step, once for each of its iterations. */
void vv_costs_after_step(vvWorld *world, int iterations);

#endif
