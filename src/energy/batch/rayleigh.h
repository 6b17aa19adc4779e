/* Lagged Rayleigh damping of a batch of elements (Gast & Schroeder 2014 §4.2, theory §4.6): R(v) = 1/2 sum_b beta_b
 * v^T K_b(q_n) v, K_b the projected Hessian of body b at the start of the step. */
#ifndef VV_ENERGY_BATCH_RAYLEIGH_H
#define VV_ENERGY_BATCH_RAYLEIGH_H

#include "energy/batch/frame.h"

/* Of elements (energy/batch/frame.h), which must outlive *out; beta: s, one value >= 0 per part of the batch. */
vvStatus vv_rayleigh_create(const vv_energy *elements, const double *beta, vv_energy **out, vvError *error);
/* For a row of energy/elements.h: the energy is a batch whose parts are those of the input, one to one. */
vvStatus vv_rayleigh_of_parts(vv_energy *e, const vv_element_input *in, vv_energy **out, vvError *error);

#endif
