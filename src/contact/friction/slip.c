/* The smoothed Coulomb law and its primal-dual Hessian (after Chan, Golub, Mulet 1999, "A nonlinear primal-dual
 * method for total variation-based image restoration"; theory §5.7).
 *
 * The gradient of f0 is a(|u|) u. As a function of u its derivative is flat along u while things slide and tells
 * nothing of the other side of a reversal. With the pull w as an unknown of its own, w = a(|u|) u, Newton's method on
 * both has for u the matrix
 *   a (1 - n n^T) + c (w u^T + u w^T) / 2,   c = a' / (a |u|),
 * and predicts w. Where a step has reversed the sliding, w still has the direction from before, and the matrix
 * resists until both agree; at the solution it is the Hessian. It is positive semidefinite as |w| <= 1. */
#include "contact/friction/slip.h"

#include "base/vec.h"

#include <math.h>

double vv_slip_of(const double n[3], const double shift[3], double u[3])
{
    for (int k = 0; k < 3; k++)
        u[k] += shift[k];
    const double normal = vv_dot(u, n);
    for (int k = 0; k < 3; k++)
        u[k] -= normal * n[k];
    return vv_norm(u);
}

double vv_slip_potential(double speed, double eps)
{
    double y = speed / eps;
    return y < 1 ? eps * y * y * (1 - y / 3) : speed - eps / 3;
}

double vv_slip_pull(double speed, double eps) { return speed < eps ? (2 - speed / eps) / eps : 1 / speed; }

/* c = a' / (a |u|); 0 at rest, where c u has no direction */
static double bend(double speed, double eps)
{
    if (!(speed > 0))
        return 0;
    return -1 / (speed < eps ? speed * (2 * eps - speed) : speed * speed);
}

void vv_slip_try(vv_slip *s, double eps, const double u[3])
{
    if (!s->waiting)
        return;
    double speed = vv_norm(s->u), a = vv_slip_pull(speed, eps), change[3], length;
    vv_sub(u, s->u, change);
    double along = bend(speed, eps) * vv_dot(s->u, change);
    for (int k = 0; k < 3; k++)
        s->dual[k] = a * u[k] + along * s->dual[k];
    length = vv_norm(s->dual);
    for (int k = 0; k < 3 && length > 1; k++)
        s->dual[k] /= length;
    s->waiting = false;
    s->known = length < INFINITY;
}

void vv_slip_hessian(vv_slip *s, double eps, const double u[3], const double n[3], vv_hessian_mode mode,
                     double block[9])
{
    double speed = vv_norm(u), a = vv_slip_pull(speed, eps), c = 0.5 * bend(speed, eps), w[3];
    bool dual = mode == VV_HESSIAN_PROJECTED;
    for (int k = 0; k < 3; k++)
        w[k] = dual && s->known ? s->dual[k] : a * u[k];
    for (int row = 0; row < 3; row++)
        for (int col = 0; col < 3; col++)
            block[3 * row + col] = a * ((row == col) - n[row] * n[col]) + c * (w[row] * u[col] + u[row] * w[col]);
    for (int k = 0; k < 3 && dual; k++)
        s->u[k] = u[k], s->dual[k] = w[k];
    s->waiting = dual;
}
