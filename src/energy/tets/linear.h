/* What batches of linear tets share, with and without mean dilatation. */
#ifndef VV_ENERGY_TETS_LINEAR_H
#define VV_ENERGY_TETS_LINEAR_H

#include "energy/batch/frame.h"
#include "energy/tets/kernels.h"

/* A vv_lane_fn; arg: rest positions, n x 3. */
vvStatus vv_tets_fill_lane(const void *arg, const vv_lane *lane, vvError *error);
/* The constant model of an element: w V G_a . G_b (vv_element_frame). */
void vv_tets_constant(const vv_elements *s, int lane, int part, vv_quadratic_kind kind, double *pair);
/* Of their frames. */
#define VV_LINEAR_TETS .nodes = 4, .shape = VV_TET_SHAPE, .law = VV_TET_LAW, .constant = vv_tets_constant

#endif
