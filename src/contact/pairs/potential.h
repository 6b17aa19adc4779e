/* The potential of one pair of nearest features, a barrier or a penalty, and its derivatives (theory §5.6, §5.13).
 *
 * Barrier: E = k d-hat m b(d / d-hat), d = |r| - min_distance, r = sum_i w_i x_i. The stencil is that of the nearest
 * features, or a larger one in which all other points have weight 0: a mollified EE keeps its four points, as m
 * depends on all of them. Penalty: E = k d^2 sqrt(d^2 + eps), d = |r|, of a point that is d deep (Gast, Schroeder
 * 2014, §5.3, whose d is the square). Arrays have 3 values per point in the stencil's order; entries that a kind does
 * not use are set to zero. */
#ifndef VV_CONTACT_PAIRS_POTENTIAL_H
#define VV_CONTACT_PAIRS_POTENTIAL_H

#include "contact/pairs/distance.h"

#include <stdbool.h>

typedef struct vv_pair_state {
    vv_stencil kind;
    double x[4][3], w[4]; /* points, and their weights (vv_stencil_distance2) */
    double min_distance;  /* m, subtracted from the distance */
    double activation;    /* m, d-hat: the barrier acts for d < d-hat */
    double stiffness;     /* k: kappa times the pair's weight, N/m; may be negative */
    double mollifier;     /* eps_x of an EE pair (vv_pair_mollifier), m^4; 0: none */
    bool penalty;         /* not a barrier: k in N/m^2, and min_distance, activation and mollifier are not used */
} vv_pair_state;

/* eps_x = 1e-3 |e1|^2 |e2|^2 of the segments' rest shapes (IPC, Li et al. 2020, Eq. 24). */
double vv_pair_mollifier(const double rest[4][3]);
/* Whether an EE at x is so nearly parallel that m < 1: |e1 x e2|^2 < eps_x. Elsewhere it may be reduced like any
 * other. */
int vv_pair_mollified(const double x[4][3], double mollifier);

/* J. Infinite for d <= 0, even if the stiffness is negative. */
double vv_pair_energy(const vv_pair_state *p);
/* -dE/dd, N, positive if repulsive (a penalty's is negative: it draws to the surface), and n = r / |r|, which points
 * away from the second primitive. For d > 0. */
double vv_pair_force(const vv_pair_state *p, double n[3]);
/* dE/dx, for d > 0. */
void vv_pair_gradient(const vv_pair_state *p, double g[12]);
/* d2E/dx2, 12 x 12, symmetric, for d > 0. */
void vv_pair_hessian(const vv_pair_state *p, double h[144]);
/* The semidefinite Hessian as a sum of squares, sum_k v_k v_k^T; returns their number (at most three without
 * mollifier, else nine) and sets dE/dx too. It dominates the exact one: the barrier's second derivative, the
 * curvature of the distance and that of the mollifier, each without its negative part; of a penalty: the exact one
 * without its negative part. 0 if the stiffness is negative. */
int vv_pair_squares(const vv_pair_state *p, double g[12], double v[9][12]);

#endif
