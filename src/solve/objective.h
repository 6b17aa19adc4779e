/* The objective that every implicit stage minimises over the free nodes (theory §1.3):
 *   g(q) = 1/2 |q - y|^2_M + h^2 sum_s w_s E(beta_s q + z_s) + d h^3 R((c q + u) / h)
 * Resolved numbers and pointers: a solver that minimises it knows no scheme. */
#ifndef VV_SOLVE_OBJECTIVE_H
#define VV_SOLVE_OBJECTIVE_H

#include "solve/assembly.h"

typedef struct vv_objective {
    vv_system *system;
    double h;
    const double *y;
    int samples;
    struct {
        double w, beta;
        const double *z; /* node space; NULL: 0 */
    } sample[VV_MAX_SAMPLES];
    double d, c;     /* d = 0: no dissipation */
    const double *u; /* node space; NULL: 0 */
    /* node space: where the stage begins; for methods that do not minimise. NULL outside a stage */
    const double *begin;
    /* y holds -h^2 w_start M^-1 grad E(q_n), without friction: for friction's normal forces (theory §5.7) */
    double w_start;
} vv_objective;

/* g(q); +infinity outside the domain of an energy at any sample. */
double vv_objective_value(const vv_objective *o, const double *q);
/* The same, or +infinity where it is surely above `most`: energies that are costly and never negative
 * (vv_energy_ops.last) are evaluated last, and not at all where the others alone say so (Gast, Schroeder 2014,
 * §3.3). */
double vv_objective_value_below(const vv_objective *o, const double *q, double most);
bool vv_objective_has_last(const vv_objective *o); /* whether there are such energies */
/* The same without contact and dissipation: cheap, and finite where surfaces cross. */
double vv_objective_value_without_contact(const vv_objective *o, const double *q);
/* The dissipative part of g(q). */
double vv_objective_dissipation(const vv_objective *o, const double *q);
/* part[b] = body b's part of g(q), where what two bodies share is halved; a dissipation counts as if it were
 * quadratic. Where g is +infinity the parts say nothing. */
void vv_objective_by_body(const vv_objective *o, const double *q, double *part);
/* Sum of the magnitudes of g's terms at q: the rounding of g is relative to it. g itself may be far smaller, as
 * gravity's energy is negative, and |q - y| far smaller than q. */
double vv_objective_magnitude(const vv_objective *o, const double *q);
/* What the rounding of g is relative to where its terms are sums that cancel, as gravity's energy of a body around
 * the origin: the above, and |x . dE/dx| of each node for energies that are not elastic (those depend on differences
 * of positions). */
double vv_objective_noise(const vv_objective *o, const double *q);
/* gradient (unknown space; may be NULL) = dg/dq, overwritten. a (may be NULL): its matrix = d2g/dq2 of its selected
 * energies and of inertia, overwritten, both reduced to what rails leave; vv_bsr_status says whether memory sufficed.
 * VV_HESSIAN_REST: the matrix only, q is not read. */
void vv_objective_derivatives(const vv_objective *o, const double *q, vv_hessian_mode mode, double *gradient,
                              vv_assembly *a);
/* The same of the energies of an assembly that is alone (vv_selection), without inertia. */
void vv_objective_part_derivatives(const vv_objective *o, const double *q, vv_hessian_mode mode, double *gradient,
                                   vv_assembly *a);
/* g(q) and gradient (unknown space) = dg/dq, overwritten, in little more than the time of the value. Where it is
 * +infinity, the gradient holds nothing of use. */
double vv_objective_value_gradient(const vv_objective *o, const double *q, double *gradient);
/* How far the nodes in contact are out of balance at q: the norm of g's gradient there relative to contact's own, of
 * the body where that is largest, as a heavy body must not hide a light one; 0 where contact's forces alone move no
 * node by more than `slight` (m) in the step. Where friction acts, bounds count as contact, and stages of a part of the
 * step are looked at more closely. */
double vv_objective_contact_imbalance(const vv_objective *o, const double *q, double slight);
/* Largest t in (0, 1] such that every sample along q + s p, s <= t, and q + t p itself stay in the domain. */
double vv_objective_max_step(const vv_objective *o, const double *q, const double *p);
/* p, shortened so that q + p may be reached, and all along the path: each node that meets something by a part of its
 * own, in a few rounds, as what stops may be met by what follows; what is left then all by the same. group (NULL: there
 * are none): of each node, below the number of nodes, or -1; nodes of one group go the same part. Of what something may
 * go it goes `share`, at most 1: less leaves more room to what has nearly been met. */
void vv_objective_shorten(const vv_objective *o, const double *q, const int *group, double *p, double share);

#endif
