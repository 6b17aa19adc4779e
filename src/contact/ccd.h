/* Continuous collision detection by conservative advancement (never shorter steps than additive CCD: Li, Kaufman, Jiang
 * 2021). */
#ifndef VV_CONTACT_CCD_H
#define VV_CONTACT_CCD_H

#include "contact/distance.h"

/* The points of a stencil move along x + t p. Returns a t in [0, limit] such that the distance stays above `keep` (m,
 * >= 0) on all of [0, t], whatever the rounding: `limit` where it is seen to stay there all the way. Else the distance
 * at t is above `keep` by at most 1% of the first one's excess, or of `near` (m) where that is less (so a motion that misses by less
 * ends early), or too small
 * against the stencil's size to be resolved. 0 where the distance is not above `keep` to begin with, and where x or p
 * are not numbers or beyond 1e300. */
double vv_ccd_advance(vv_stencil kind, const double x[4][3], const double p[4][3], double keep, double near,
                      double limit);

#endif
