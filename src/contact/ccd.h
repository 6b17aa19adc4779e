/* Continuous collision detection by conservative advancement (additive CCD: Li, Kaufman, Jiang 2021, Algorithm 1). */
#ifndef VV_CONTACT_CCD_H
#define VV_CONTACT_CCD_H

#include "contact/distance.h"

/* The points of a stencil move along x + t p. Returns a t in [0, limit] such that the distance stays above `keep` (m, >= 0) on all
 * of [0, t]: `limit` where it stays there all the way. Never too large; short of the first such time by a small part of the
 * present distance at most. 0 where the distance is not above `keep` to begin with. */
double vv_ccd_advance(vv_stencil kind, const double x[4][3], const double p[4][3], double keep, double limit);

#endif
