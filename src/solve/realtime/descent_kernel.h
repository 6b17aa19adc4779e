/* Eight nodes' steps at once, for block descent. */
#ifndef VV_SOLVE_REALTIME_DESCENT_KERNEL_H
#define VV_SOLVE_REALTIME_DESCENT_KERNEL_H

#include "base/simd/simd.h"

/* moves (3 vectors) = -(m + H)^-1 (G + m away) of each lane, with the derivatives G, H of energies (energy/nodes.h; H
 * without its negative part), masses m > 0, and away = q - y. */
typedef void vv_descent_fn(const vv_d8 *blocks, const vv_d8 *mass, const vv_d8 away[3], vv_d8 *moves);
VV_VARIANTS(vv_descent_fn, vv_descent);

#endif
