/* Energies of single nodes (theory §4.5, §4.6): gravity, zero-length springs to moving points, drag. Node arrays are
 * read in place and must outlive the energy. body[node] says to which body a node's energy belongs; NULL: nobody
 * asks. */
#ifndef VV_ENERGY_POINTS_SIMPLE_H
#define VV_ENERGY_POINTS_SIMPLE_H

#include "energy/energy.h"
#include "energy/points/external.h"

/* E = -sum m_i g . (x_i - X_i): zero in the placed rest shape X, so that shifting the scene does not change it. */
vvStatus vv_gravity_create(int node_count, const int *body, const double *mass, const double *rest,
                           const double gravity[3], vv_energy **out, vvError *error);

/* Another gravity in its place. */
void vv_gravity_set(vv_energy *e, const double gravity[3]);
/* Its acceleration, m/s^2; NULL for any other energy. */
const double *vv_gravity_of(const vv_energy *e);

/* Springs, each from a point, the weighted sum of its corners, to a target. */
typedef struct vv_springs_of_points {
    int count;
    const double *stiffness; /* count, N/m */
    const int *corners;      /* count: how many corners each has; NULL: one */
    const int *nodes;        /* of all corners, those of a spring one after the other */
    const double *weights;   /* likewise; NULL: 1 */
} vv_springs_of_points;
/* E = sum 1/2 k |p_i - t_i|^2; vv_attachment_targets moves t_i. */
vvStatus vv_attachment_create(const vv_springs_of_points *springs, const int *body, vv_energy **out, vvError *error);
/* Real-time solvers are not to put it into their constant matrix (vv_energy_ops.bound_diagonal). To be called before
 * it is in a system. */
void vv_attachment_loosen(vv_energy *e);
/* Whether these springs, but for their targets, are the same, in the same order. */
bool vv_attachment_is_of(const vv_energy *e, const vv_springs_of_points *springs);
double *vv_attachment_targets(vv_energy *e); /* of springs: count x 3, to write */
/* The targets' path in a step begins where they are now. */
void vv_attachment_begin(vv_energy *e);
/* Whether it goes anywhere. */
bool vv_attachment_moves(const vv_energy *e);
/* By how much the work of that path against the mean of the forces at both ends, with the nodes at `begin` and at
 * `end`, is more than that of a jump with the nodes at `begin`, J, times `part`; added by body, where per_body is
 * given. 0 for any other energy. */
double vv_attachment_way_work(const vv_energy *e, double part, const double *begin, const double *end,
                              double *per_body);
/* The nodes that springs, potentials, or joints with a place in space hold, of a point that hangs on several each of
 * these; NULL, and 0 of them, for any other energy. */
const int *vv_attachment_nodes(const vv_energy *e, int *count);
/* Where the index-th of these nodes is drawn to, a spring's target, a well's centre or a joint's place; NULL: it
 * feels a wall. */
const double *vv_attachment_point(const vv_energy *e, int index);
/* The direction in which that wall pushes; NULL: there is none. */
const double *vv_attachment_normal(const vv_energy *e, int index);
/* Whether the index-th of these nodes is held at x: not by a wall that it is clear of. */
bool vv_attachment_holds(const vv_energy *e, int index, const double *x);

/* Dissipation R(v) = sum 1/2 drag_i m_i |v_i|^2. */
vvStatus vv_drag_create(int node_count, const double *mass, const double *drag, vv_energy **out, vvError *error);

#endif
