/* Continuous collision detection by conservative advancement (never shorter steps than additive CCD: Li, Kaufman, Jiang
 * 2021). */
#ifndef VV_CONTACT_CCD_CCD_H
#define VV_CONTACT_CCD_CCD_H

#include "contact/pairs/distance.h"

/* The points of a stencil move along x + t p. Returns a t in [0, limit] such that the distance stays above `keep` (m,
 * >= 0) on all of [0, t], whatever the rounding: `limit` if it is proved to stay there all the way. Otherwise the
 * excess of the distance over `keep` at t is at most 1% of the first excess, or of `near` (m) if that is less (so a
 * motion that misses by less ends early), or too small to be resolved at the stencil's size. 0 if the distance is not
 * above `keep` to begin with, or if x or p are not numbers or beyond 1e300. */
double vv_ccd_advance(vv_stencil kind, const double x[4][3], const double p[4][3], double keep, double near,
                      double limit);

#endif
