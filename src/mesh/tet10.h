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

enum { VV_TET10_NODES = 10, VV_TET10_SUBTETS = 8, VV_TET10_POINTS = 4, VV_TET10_RULES = 2 };

/* The ends of the edge whose middle node 4 + e is, and the node between two corners. */
extern const signed char vv_tet10_ends[6][2], vv_tet10_middle[4][4];

/* A rule of quadrature: barycentric coordinates of its points, an even number, and their weights, all positive, whose
 * sum is 1. The first is the usual one. */
typedef struct vv_tet10_rule {
    vvInfo info;
    int points;
    const double (*l)[4], *weight;
} vv_tet10_rule;
extern const vv_tet10_rule vv_tet10_rules[VV_TET10_RULES];
const vvInfo *vv_quadrature_info(int rule); /* NULL past the end */
int vv_quadrature_find(const char *name);   /* 0 where there is none */

/* Barycentric coordinates of the four points of the first rule, of degree 2, each of weight 1/4. */
#define VV_TET10_NEAR 0.58541019662496845446
#define VV_TET10_FAR 0.13819660112501051518

/* y_a - y_0, a = 1..3, at l: columns of d, row-major. x: positions of nodes. */
void vv_tet10_edges(const double *x, const int nodes[10], const double l[4], double d[9]);
/* Those of point q of the first rule. */
void vv_tet10_point(int q, double l[4]);

/* The eight linear tets of the element subdivided once: those of the corners, then four around the shortest diagonal
 * of the octahedron between them. */
void vv_tet10_subdivide(const double *x, const int nodes[10], int tets[8][4]);

/* The element whose first four linear tets these are; false: they are of none. */
bool vv_tet10_join(const int *tets, int nodes[10]);

/* Gives each middle the place of the edge whose middle it is nearest to; where two want one, all stay. */
void vv_tet10_place_middles(const double *x, int nodes[10]);

/* A lower bound of 6 times the least det dx/dl over the element, by Bernstein coefficients of its subdivisions: it has
 * the minimum's sign, but for minima of 0 within rounding. */
double vv_tet10_least_det(const double *x, const int nodes[10]);

/* The smallest det at the points of a rule. */
double vv_tet10_det_at_points(const double *x, const int nodes[10], int rule);

/* The element's volume, and what of its mass is lumped at each node by HRZ (Hinton, Rock, Zienkiewicz 1976): the
 * diagonal of the consistent mass, scaled; on a straight element 1/36 at corners and 4/27 at middles. */
double vv_tet10_lump(const double *x, const int nodes[10], double share[10]);

#endif
