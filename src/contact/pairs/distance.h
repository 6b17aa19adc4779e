/* Distances between points, segments and triangles (theory §5.5), and the nearest features.
 *
 * A stencil has n points x_0 .. x_{n-1}: VV two points; VE a point and a segment's ends; VT a point and a triangle's
 * corners; EE the ends of one segment and of another. At the nearest points r = sum_i w_i x_i is the vector from the
 * second to the first, d = |r|. The weights of the first primitive sum to 1, those of the second to -1; a point that
 * is not in the nearest feature has weight 0. */
#ifndef VV_CONTACT_PAIRS_DISTANCE_H
#define VV_CONTACT_PAIRS_DISTANCE_H

typedef enum vv_stencil { VV_STENCIL_VV, VV_STENCIL_VE, VV_STENCIL_VT, VV_STENCIL_EE } vv_stencil;
static inline int vv_stencil_points(vv_stencil kind)
{
    return kind == VV_STENCIL_VV ? 2 : kind == VV_STENCIL_VE ? 3 : 4;
}

/* Squared distance. `nearest` (may be NULL): bit i set if point i belongs to the nearest features (VT: 1|2|4|8
 * inside the triangle, 1 and two bits on an edge, 1 and one bit at a corner; EE: 1|2 inside the first segment ...).
 * Features and weights agree: all other weights are 0. Correct for degenerate triangles and segments and for parallel
 * segments (any nearest pair). */
double vv_stencil_distance2(vv_stencil kind, const double x[4][3], unsigned *nearest, double w[4]);

#endif
