/* Tets for a solid given by a function: negative inside, positive outside, about a distance near the surface. */
#ifndef VV_MESH_TETRAHEDRALIZE_STUFFING_H
#define VV_MESH_TETRAHEDRALIZE_STUFFING_H

#include "mesh/mesh.h"

typedef struct vv_solid {
    double (*distance)(const void *arg, const double x[3]);
    /* moves x to the nearest point of the surface; NULL: by `distance` */
    void (*project)(const void *arg, double x[3]);
    const void *arg;
    double low[3], high[3]; /* a box around it, with a margin */
    /* asked for each vertex: whether to give up (VV_CANCELLED); NULL: never. `done`: 0 to 1 */
    bool (*stop)(const void *arg, double done);
} vv_solid;
/* The parts of the work, for `done`: looking at the lattice, moving its points, cutting its tets, smoothing. */
/* clang-format off */
#define VV_STUFFING_PARTS { 0, 0.45, 0.6, 0.7, 1 }
/* clang-format on */

/* `edge`: the long edge of the lattice. The mesh includes its boundary (vv_mesh_boundary). */
vvStatus vv_make_stuffed(const vv_solid *solid, double edge, vvMesh *mesh, vvError *error);
/* Moves x along the gradient to the nearest point of the surface. `edge` sets the length scale. */
void vv_solid_project(const vv_solid *solid, double edge, double x[3]);

/* Moves vertices to improve the worst angle of the tets around each; those of the boundary stay on the surface. */
vvStatus vv_make_smooth(const vv_solid *solid, double edge, vvMesh *mesh, int passes, vvError *error);

#endif
