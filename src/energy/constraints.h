/* Energies as compliant constraints: what position-based solvers ask for (Macklin, Mueller, Chentanez 2016; theory
 * §6.12).
 *
 * An energy is E(x) = sum_j 1/2 k_j C_j(x)^2. In a stage's objective it stands as s E(beta q + z), s = h^2 w. Each
 * constraint pushes the nodes by an impulse p_j (kg m), so that q = y + M^-1 sum_j p_j all the time; where p_j = -s
 * beta k_j C_j dC_j for all j, the objective has its minimum. A sweep goes over the constraints one after the other
 * and changes the impulse of each so that its equation holds to first order, and the nodes with it (Gauss-Seidel).
 * What it remembers of the impulse is one of two things:
 *   scalar  lambda_j, as XPBD does: p_j has been added up along the directions dC_j of the time. One number each, and
 *       an end near the
 *           minimum, not at it: the directions have turned meanwhile
 *   exact   p_j itself: three numbers of a spring, nine of a tet; the end is the minimum */
#ifndef VV_ENERGY_CONSTRAINTS_H
#define VV_ENERGY_CONSTRAINTS_H

#include "base/parallel.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct vv_sweep {
    const vv_parallel *par;
    double *x;          /* nodes x 4: q, and 1/m; 0: it does not move. In place */
    const double *z;    /* nodes x 3; NULL: 0 */
    double beta, scale; /* scale: s, s^2 */
    bool exact;
    double *memory; /* the constraints' own, 64-byte aligned, all 0 at the beginning of a solve */
} vv_sweep;

typedef struct vv_constraints vv_constraints;

typedef struct vv_constraints_ops {
    size_t (*room)(const vv_constraints *c, bool exact); /* numbers in a sweep's memory, a multiple of 8 */
    /* Once over all, in an order that does not depend on the number of threads. */
    void (*sweep)(const vv_constraints *c, const vv_sweep *s);
    void (*destroy)(vv_constraints *c);
    /* `memory` holds impulses p_j, or p_j = lambda dC without beta, in either kind of sweep: nothing in it scales
     * with beta */
    bool impulses;
} vv_constraints_ops;

struct vv_constraints {
    const vv_constraints_ops *ops;
};

#endif
