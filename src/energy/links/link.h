/* Links: the terms of which joints between bodies are made (theory §4.15), as functions of up to three vectors.
 *
 * A vector is d = sum_i w_i x_i + offset over up to sixteen nodes: the difference of two points, each a fixed
 * weighted sum of nodes of one body, or a place in space. A term depends on x through its vectors alone, so that its
 * derivatives are taken there, on paper, and carried to the nodes by the weights. Forms, with û = u/|u|:
 *   POINT   1/2 k |d|^2
 *   LENGTH  f(|d|)
 *   LINE    1/2 k |r|^2, r = d - (û.d) û: how far d is from the line along u; vectors u, d
 *   TRAVEL  f(û.d): how far along it; vectors u, d
 *   ANGLE   f(theta): from a to b about u, seen against u, of their parts across u; vectors u, a, b
 * f is a spring that acts outside of [low, high] only, and with at most `most`: with e the distance outside, 1/2 k e^2
 * while k |e| is below `most`, most (|e| - most/2k) beyond it. That is once continuously differentiable. */
#ifndef VV_ENERGY_LINKS_LINK_H
#define VV_ENERGY_LINKS_LINK_H

#include <stdbool.h>

enum { VV_LINK_NODES = 16, VV_LINK_VECTORS = 3, VV_LINK_MOST = 3 * VV_LINK_VECTORS };

typedef enum vv_link_form { VV_LINK_POINT, VV_LINK_LENGTH, VV_LINK_LINE, VV_LINK_TRAVEL, VV_LINK_ANGLE } vv_link_form;

typedef struct vv_link {
    vv_link_form form;
    int joint;        /* to which it belongs */
    int nodes, first; /* of them the first `first` are of the joint's first side */
    int node[VV_LINK_NODES];
    double weight[VV_LINK_VECTORS][VV_LINK_NODES], offset[VV_LINK_VECTORS][3];
    double stiffness;              /* N/m; ANGLE: N m/rad */
    double low, high, most;        /* m, rad; N, N m */
    bool motor;                    /* low and high are its target, which moves; NaN: where it is first used */
    double speed;                  /* of a motor: m/s, rad/s */
    double full;                   /* of a motor: its stiffness where it is a brake; see vv_link_set_motor */
    double from;                   /* of a motor: its target when the step began */
    bool off;                      /* its joint is broken, or its motor has no force */
    double bound[VV_LINK_VECTORS]; /* the constant model: 1/2 sum bound |change of the vector|^2 */
} vv_link;

/* What a term and its derivatives are: of n = 3 x vectors numbers, row-major. */
typedef struct vv_link_value {
    int n;
    double energy, gradient[VV_LINK_MOST], hessian[VV_LINK_MOST * VV_LINK_MOST];
} vv_link_value;

/* Where derivatives are to go no further than the gradient, or are to be made semidefinite. */
typedef enum vv_link_wanted { VV_LINK_ENERGY, VV_LINK_GRADIENT, VV_LINK_EXACT, VV_LINK_PROJECTED } vv_link_wanted;

int vv_link_vectors(vv_link_form form);
/* The vectors with the nodes at x, `stride` numbers apart. */
void vv_link_at(const vv_link *link, const double *x, int stride, double d[VV_LINK_MOST]);
void vv_link_evaluate(const vv_link *link, const double d[VV_LINK_MOST], vv_link_wanted wanted, vv_link_value *out);
/* The number that f is a function of, with its derivatives (NULL: not wanted). False: it has none there, as u has no
 * length or a no part across it, or the form has no such number. */
bool vv_link_measure(const vv_link *link, const double d[VV_LINK_MOST], double *c, double *gradient, double *hessian);
/* How far c is outside of [low, high]: angles by the shorter way round. 0 inside. */
double vv_link_excess(const vv_link *link, double c);
/* f' at c. */
double vv_link_force(const vv_link *link, double c);
/* A motor's speed and greatest force. Its spring is so soft that it takes up the motion of a step of h: a stiffer one
 * would have its greatest force, one way or the other, wherever in the step a scheme asks for it. */
void vv_link_set_motor(vv_link *link, double speed, double most, double h);
/* Sets `bound` from derivatives at d. */
void vv_link_set_bound(vv_link *link, const double d[VV_LINK_MOST]);

#endif
