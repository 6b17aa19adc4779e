/* Acceleration of fixed-point iterations x := x + f(x) (theory §6.10). From the last places and their steps, the next
 * place.
 *   chebyshev  Wang 2015: x' = w (x + f - x_before) + x_before, w from the rate rho at which plain iterations
 *       converge; rho is
 *              measured from the first of them
 *   anderson   Peng et al. 2018: of all combinations of the last steps the one with the least length in sight
 * Neither knows what is minimised: whoever uses them goes back to the plain step where they lead up. */
#ifndef VV_SOLVE_REALTIME_ACCELERATE_H
#define VV_SOLVE_REALTIME_ACCELERATE_H

#include "solve/system.h"

enum { VV_ACCELERATE_PAIRS = 5 };

typedef struct vv_accelerator vv_accelerator;

typedef struct vv_acceleration {
    vvInfo info;
    void (*next)(vv_accelerator *a, const double *x, const double *f, double *out); /* NULL: x + f */
} vv_acceleration;

struct vv_accelerator {
    const vv_acceleration *ops;
    const vv_system *system;
    int steps;                   /* given since the beginning or the last restart */
    double *x_before, *f_before; /* unknown space */
    double *dx[VV_ACCELERATE_PAIRS], *df[VV_ACCELERATE_PAIRS];
    double omega, rho, length; /* Chebyshev's weight, the rate, the last step's length */
};

const vv_acceleration *vv_acceleration_table(int index); /* NULL past the end */
const vv_acceleration *vv_acceleration_find(const char *name);

/* False: out of memory. */
bool vv_accelerator_create(vv_accelerator *a, const vv_acceleration *ops, const vv_system *system);
void vv_accelerator_free(vv_accelerator *a);
void vv_accelerator_restart(vv_accelerator *a);
/* Where to go from x, whose step is f (unknown space). `out` is neither of them. */
void vv_accelerator_next(vv_accelerator *a, const double *x, const double *f, double *out);

#endif
