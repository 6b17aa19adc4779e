/* How often a triangle surface, of whatever quality, winds around a point. */
#ifndef VV_MESH_WINDING_H
#define VV_MESH_WINDING_H

#include "base/geometry/bvh.h"
#include "mesh/repair/surface.h"

typedef struct vv_winding {
    const vv_surface_check *surface;
    double *far; /* 7 a node of surface->tree: the sum of area vectors, the mean place, the radius around it */
} vv_winding;

/* For a surface that is open. Close it even after a failure. */
vvStatus vv_winding_open(vv_winding *w, const vv_surface_check *surface, vvError *error);
void vv_winding_close(vv_winding *w);
/* 1 inside of a closed surface that faces outwards, 0 outside, in between where it has holes; `point` is scaled. */
double vv_winding_at(const vv_winding *w, const double point[3]);

#endif
