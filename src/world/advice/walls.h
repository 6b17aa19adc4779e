/* How thick the walls of a body of tets are, and how many tets: measured where they are, not over the whole body. */
#ifndef VV_WORLD_ADVICE_WALLS_H
#define VV_WORLD_ADVICE_WALLS_H

#include "world/world.h"

/* Medians over the surface: of the way through the body from a triangle's middle against its normal, m, and, of what is
 * about that thin, of how many tets are on it. False: out of memory, or there is no such way. */
bool vv_walls_of(const vvWorld *w, const vv_body *b, double *thick, double *layers);

#endif
