/* Springs from points of bodies to moving points, as the two files of their energy share it (simple.h). */
#ifndef VV_ENERGY_POINTS_ATTACHMENTS_H
#define VV_ENERGY_POINTS_ATTACHMENTS_H

#include "energy/points/simple.h"

typedef struct vv_attachments {
    vv_energy base;
    int count; /* springs */
    bool loose;
    bool spread;        /* some point is no node: the energy couples nodes */
    const int *body;    /* per node of the world; NULL: not asked for by body */
    int *start;         /* per spring, and one more: its first corner */
    int *node, *spring; /* of corners */
    double *weight;     /* of corners */
    double *stiffness, *targets;
    double *from; /* where the targets were when the step began */
} vv_attachments;

/* d of a spring, with the nodes at x, `stride` numbers apart. */
void vv_attachment_stretch(const vv_attachments *s, int spring, const double *x, int stride, double d[3]);

/* attachment_sweeps.c: for position-based solvers. */
vvStatus vv_attachment_constraints(const vv_energy *e, vv_constraints **out, vvError *error);

#endif
