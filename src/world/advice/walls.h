/* How thick the walls of a body of tets are, and how many tets: measured where they are, not over the whole body. */
#ifndef VV_WORLD_ADVICE_WALLS_H
#define VV_WORLD_ADVICE_WALLS_H

#include "world/world.h"

/* Medians over the surface: of the way through the body from a triangle's middle against its normal, m, and, of what is
 * about that thin, of how many tets are on it. 1; 0: there is no such
 * way; -1: out of memory. */
int vv_walls_of(const vvWorld *w, const vv_body *b, double *thick, double *layers);

/* A part of a body that is about as thick all over, such as a fin or a rib. */
typedef struct vv_thin_part {
    double thick, length, layers; /* m; m: from end to end; tets through it, the median */
} vv_thin_part;
/* The thinnest one that is at least so many times as long as thick, has fewer tets through it than `layers`, and has
 * not less than a twentieth of the surface: 1; 0: there is none; -1: out of memory. */
int vv_thin_part_of(const vvWorld *w, const vv_body *b, double slender, double layers, vv_thin_part *out);

#endif
