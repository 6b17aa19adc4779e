/* Forces that are not part of H, of the host and of loads, and pressures that follow surfaces (theory §4.18). */
#ifndef VV_ENERGY_POINTS_EXTERNAL_H
#define VV_ENERGY_POINTS_EXTERNAL_H

#include "energy/energy.h"
#include "energy/points/face.h"

/* Triangles on which one pressure acts, outwards along their normals. The first 4 * order2 make faces of order 2, four
 * each as vv_face_within has them, and count as these. */
typedef struct vv_external_patch {
    int count, order2;
    const int *nodes, *corners; /* nodes[corners[..]]: three of each triangle */
} vv_external_patch;

typedef struct vv_external_def {
    int nodes;
    const int *unknown, *body; /* per node; read in place */
    int patches;
    const vv_external_patch *patch; /* copied */
} vv_external_def;

/* E = -sum f_i . (x_i - from_i) over the nodes that are unknowns, and of the patches -p (V(x) - V(from)); nothing until
 * set, nor after setting NULL. */
vvStatus vv_external_create(const vv_external_def *def, vv_energy **out, vvError *error);
void vv_external_set(vv_energy *e, const double *force, const double *from);
/* Before it is set: all forces and pressures are those of the step's begin so far, and those that follow those of its
 * end. The forces are read in place. And by how much the work of the mean of both, as nodes go to x, is more than that
 * of the end's, J (added by body, where per_body is given); and g += the gradient at x of what acted at the begin,
 * minus that of what acts. Nothing where nothing is remembered. */
void vv_external_remember(vv_energy *e, const double *force);
double vv_external_way_work(const vv_energy *e, const double *x, double *per_body);
void vv_external_change(const vv_energy *e, const double *x, double *g);
/* Before it is set: from where volumes are counted. All pressures are 0 then; and sets one, Pa. */
void vv_external_begin(vv_energy *e, const double *from);
void vv_external_press(vv_energy *e, int patch, double pressure);
/* force[node] (N) += what makes the patch's forces on a face with nodes at x those of a pressure on it alone. Over all
 * of its faces, nothing is left of that but at the rim. */
void vv_external_rim(const vv_energy *e, int patch, const vv_face *face, double (*x)[3], double (*force)[3]);
/* acted[body[node]] = 1 where some force or pressure is not 0. */
void vv_external_mark(const vv_energy *e, const int *body, unsigned char *acted);
/* V(x) - V(from), m^3 */
double vv_external_gain(const vv_energy *e, int patch, const double *x);

#endif
