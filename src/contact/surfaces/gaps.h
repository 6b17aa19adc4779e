/* The gaps with which bodies begin, where these are smaller than the activation distance: what two bodies begin with is
 * no press fit (theory §5.3).
 *
 * A gap is the least between the surfaces of two bodies, or of a body and an obstacle, at the places where they begin.
 * Whoever makes contact keeps these, so that the gaps are found again whenever it is made, also in a run that is
 * resumed. Two that did not stand at these places at one time have none (vv_stay), nor have free points, nor what
 * intersects or touches there. */
#ifndef VV_CONTACT_SURFACES_GAPS_H
#define VV_CONTACT_SURFACES_GAPS_H

#include "contact/barrier/barrier.h"
#include "contact/surfaces/mesh.h"

/* placed: all nodes, where bodies begin; distance: d-hat, the largest of any body. Fills surface->gaps. */
vvStatus vv_gaps_between(const vv_contact_body *bodies, const double *placed, double distance, vv_surface *surface,
                         vvError *error);
/* *gaps: body x obstacle, m; infinity where there is none below d-hat. To be freed, also after a failure. */
vvStatus vv_gaps_to_obstacles(const vv_contact_body *bodies, const double *placed, const vv_barrier_def *barrier,
                              double **gaps, vvError *error);

/* What begins a hundredth nearer than the activation distance, or less, presses next to nothing. */
static inline bool vv_gap_counts(double gap, double usual) { return gap < 0.99 * usual; }

/* The activation distance of two that begin with a gap: that gap, so that nothing presses as placed, and what is to
 * rest there has not far to fall; but not below a hundredth of the usual one. */
static inline double vv_gap_activation(double gap, double usual)
{
    const double least = 0.01 * usual;
    return !vv_gap_counts(gap, usual) ? usual : gap > least ? gap : least;
}
/* By bodies. */
int vv_gap_compare(const void *left, const void *right);
/* That of two bodies; NULL: they have none. */
vv_gap *vv_gap_find(const vv_surface *surface, int a, int b);
/* The activation distance of bodies a and b, and what it is where it follows no gap; all: that of bodies without
 * one of their own. */
double vv_surface_activation(const vv_surface *surface, int a, int b, double all);
double vv_surface_usual(const vv_surface *surface, int a, int b, double all);

#endif
