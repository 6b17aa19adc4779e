/* The tet of ten nodes: corners 0 to 3, and the middles of the edges 01, 12, 02, 03, 13, 23 (the order of VTK and
 * Abaqus; Gmsh swaps the last two).
 *
 * With barycentric coordinates l_a, a = 0..3, N_a = l_a (2 l_a - 1) at corners and N_ab = 4 l_a l_b at middles. So
 *   dx = sum_a y_a dl_a,   y_a = (4 l_a - 1) x_a + sum_b 4 l_b x_ab,
 * and at any one point the element is a linear tet of the corners y_a. They differ from where the element is by
 * multiples of x_0, say, and mean something by their differences only. */
#ifndef VV_MESH_TET10_H
#define VV_MESH_TET10_H

#include "mesh/mesh.h"

enum { VV_TET10_NODES = 10, VV_TET10_SUBTETS = 8, VV_TET10_POINTS = 4 };

/* The ends of the edge whose middle node 4 + e is, and the node between two corners. */
extern const signed char vv_tet10_ends[6][2], vv_tet10_middle[4][4];

/* Barycentric coordinates of the four points of the rule of degree 2, each of weight 1/4. */
#define VV_TET10_NEAR 0.58541019662496845446
#define VV_TET10_FAR 0.13819660112501051518

/* y_a - y_0, a = 1..3, at l: columns of d, row-major. x: positions of nodes. */
void vv_tet10_edges(const double *x, const int nodes[10], const double l[4], double d[9]);
/* Barycentric coordinates of the rule's point q. */
void vv_tet10_point(int q, double l[4]);

/* The eight linear tets of the element subdivided once: those of the corners, then four around the shortest diagonal
 * of the octahedron between them. */
void vv_tet10_subdivide(const double *x, const int nodes[10], int tets[8][4]);

/* A lower bound of 6 times the least det dx/dl over the element, by Bernstein coefficients of its subdivisions: it has
 * the minimum's sign, but for minima of 0 within rounding. */
double vv_tet10_least_det(const double *x, const int nodes[10]);

/* The smallest det at the four points. */
double vv_tet10_det_at_points(const double *x, const int nodes[10]);

/* The element's volume, and what of its mass is lumped at each node by HRZ (Hinton, Rock, Zienkiewicz 1976): the
 * diagonal of the consistent mass, scaled; on a straight element 1/36 at corners and 4/27 at middles. */
double vv_tet10_lump(const double *x, const int nodes[10], double share[10]);

#endif
