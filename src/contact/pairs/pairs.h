/* The pairs that a candidate of the broad phase adds to those that act. */
#ifndef VV_CONTACT_PAIRS_PAIRS_H
#define VV_CONTACT_PAIRS_PAIRS_H

#include "contact/pairs/collisions.h"

/* Most pairs that the candidate can add. */
int vv_pairs_most(const vv_collisions *c, vv_stencil kind, const vv_candidate *candidate);
/* Adds the pairs of a candidate that is near enough to act at c->x; nearest: bits of the points of its nearest
 * features. Returns how many. */
int vv_pairs_of(const vv_collisions *c, vv_stencil kind, const vv_candidate *candidate, unsigned nearest,
                vv_pair *pairs);

#endif
