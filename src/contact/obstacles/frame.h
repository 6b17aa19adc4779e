/* The frame of a moving analytic obstacle (theory §5.2): four prescribed nodes, an origin and the tips of three axes,
 * which the world moves like those of any kinematic body. The obstacle is the affine image of its shape at rest: a
 * point x of space has the coordinates b = D^-1 (x - q_0), D = (q_1 - q_0, q_2 - q_0, q_3 - q_0), and stands to the
 * shape at rest as y = o + diag(L) b does. So
 *   phi(x, q) = phi_rest(y),   dphi/dx = G^T n,   dphi/dq_k = -w_k dphi/dx,   G = diag(L) D^-1,
 * with the weights w = (1 - b_1 - b_2 - b_3, b_1, b_2, b_3), which also give the velocity of the obstacle's material
 * at x. At the ends of a step the frame is turned and shifted only, and phi is the distance. Within a step it goes
 * straight from one to the other, like the nodes of a mesh: a frame that turns by an angle a shrinks to cos(a / 2)
 * along the path. */
#ifndef VV_CONTACT_OBSTACLES_FRAME_H
#define VV_CONTACT_OBSTACLES_FRAME_H

#include "contact/obstacles/obstacle.h"

typedef struct vv_frame {
    int node;                  /* the first of the four; below 0: the obstacle stands still, and all else is unused */
    double rest[3], length[3]; /* o and L, m */
    double origin[3], inverse[9]; /* q_0 and D^-1 where the frame was placed last */
} vv_frame;

/* The frame whose nodes stand at `rest` (node positions) with the axes along x, y and z. */
vv_frame vv_frame_make(int node, const double *rest);
/* Takes the nodes' positions. False: the frame is flat there, as halfway through half a turn, and coordinates mean
 * nothing. */
bool vv_frame_place(vv_frame *frame, const double *q);
/* A copy in *own, placed where its nodes are at beta x + z: x has four numbers a node; z three, and may be NULL.
 * solid (may be NULL): whether it is not flat there. Of NULL, what stands still: NULL. */
const vv_frame *vv_frame_at(const vv_frame *frame, double beta, const double *x, const double *z, vv_frame *own,
                            bool *solid);
/* The weights of the four nodes at x: their sum is 1. */
void vv_frame_weights(const vv_frame *frame, const double x[3], double w[4]);
/* y: where x stands to the shape at rest. */
void vv_frame_to_rest(const vv_frame *frame, const double x[3], double y[3]);
/* The gradient by x, G^T n, of a function of y whose gradient there is n. */
void vv_frame_gradient(const vv_frame *frame, const double local[3], double n[3]);
/* The second derivatives by x, G^T C G, of a function of y whose second derivatives there are C. */
void vv_frame_curvature(const vv_frame *frame, const double local[9], double c[9]);
/* phi at x, m; n, c (may be NULL): its gradient and second derivatives by x. */
double vv_frame_distance(const vv_frame *frame, const vv_obstacle *obstacle, const double x[3], double n[3],
                         double c[9]);

/* A bound of how much faster than a point of space its distance can change where the frame was placed last; 1 if it
 * is only turned. */
double vv_frame_growth(const vv_frame *frame);
/* For rays: the origin and the unit direction of space in the coordinates of the shape at rest, and by how much
 * lengths along the ray grow there. */
double vv_frame_take_back(const vv_frame *frame, const double origin[3], const double direction[3], double from[3],
                          double along[3]);
/* A normal of the shape at rest as that of the obstacle, of length 1. */
void vv_frame_normal(const vv_frame *frame, const double local[3], double n[3]);

/* A way of a frame's nodes, q + t p, in the terms of conservative advancement. */
typedef struct vv_frame_way {
    const double *q, *p; /* node positions and displacements */
    double stretch;      /* bound of |dF/dt|, where F = D diag(L)^-1 */
} vv_frame_way;

vv_frame_way vv_frame_way_of(const vv_frame *frame, const double *q, const double *p);
/* How far, at most `limit`, a point x may go along dx while the frame goes its path, until less than 1.5 `keep` (m) of
 * its distance less `radius` (m) is left. The distance at t = 0 is above keep. */
double vv_frame_advance(const vv_frame_way *way, const vv_frame *frame, const vv_obstacle *obstacle, const double x[3],
                        const double dx[3], double radius, double keep, double limit);

#endif
