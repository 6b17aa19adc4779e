/* The curved surface that a linear mesh approximates. */
#ifndef VV_MESH_CURVE_H
#define VV_MESH_CURVE_H

#include "mesh/mesh.h"

typedef struct vv_original {
    /* moves x, the middle of the edge a b of the mesh's surface, onto it; false: x stays */
    bool (*onto)(const void *arg, const double a[3], const double b[3], double x[3]);
    const void *arg;
} vv_original;

/* Of a mesh of order 2 with straight edges; its linear tets are to be made anew. `notes` may be NULL. */
vvStatus vv_mesh_curve(vvMesh *mesh, const vv_original *original, vvRaiseNotes *notes, vvError *error);

#endif
