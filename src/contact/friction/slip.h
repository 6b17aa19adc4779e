/* The smoothed Coulomb law of one contact (theory §5.7) and its primal-dual Hessian.
 *
 * f0(s) = eps y^2 (1 - y / 3) for y = s / eps < 1, else s - eps / 3; f1 = f0'; a(s) = f1(s) / s. The pull per unit of
 * limit is a(|u|) u. */
#ifndef VV_CONTACT_FRICTION_SLIP_H
#define VV_CONTACT_FRICTION_SLIP_H

#include "energy/energy.h"

/* What a contact keeps between the assemblies of one solve; zero at the next lagging. */
typedef struct vv_slip {
    double u[3];    /* m/s: tangential velocity where the Hessian was assembled last */
    double dual[3]; /* w: the pull there, as predicted from the solve before; |w| <= 1 */
    bool known;     /* w is */
    bool waiting;   /* for the first trial of the step that this Hessian gave */
} vv_slip;

/* A relative velocity u becomes what the law goes by: its part tangential to the normal n, with what the contact has
 * given way by already, shift. Returns its length. All m/s. */
double vv_slip_of(const double n[3], const double shift[3], double u[3]);
/* f0, m/s */
double vv_slip_potential(double speed, double eps);
/* a, s/m */
double vv_slip_pull(double speed, double eps);
/* Of trials, the first after an assembly gives w there: what the linearised law says of it, shortened to 1. */
void vv_slip_try(vv_slip *slip, double eps, const double u[3]);
/* The Hessian of f0 (3x3, symmetric) at u, tangential to the normal n. Projected: with w in place of half of the
 * pulls. */
void vv_slip_hessian(vv_slip *slip, double eps, const double u[3], const double n[3], vv_hessian_mode mode,
                     double block[9]);

#endif
