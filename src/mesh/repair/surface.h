/* What the files of the surface check share. */
#ifndef VV_MESH_REPAIR_SURFACE_H
#define VV_MESH_REPAIR_SURFACE_H

#include "base/geometry/bvh.h"
#include "mesh/mesh.h"

typedef struct vv_surface_check {
    const vvMesh *mesh;
    vvSurfaceCheck *check;
    double *x; /* positions times `scale`, a power of two that keeps products from underflow */
    double scale;
    int *ends, *order; /* half-edges, sorted by their ends */
    vv_bvh tree;       /* of the triangles, in x */
    size_t pairs;      /* asked whether they cross */
    bool stopped;      /* before all were */
} vv_surface_check;

static inline const double *vv_surface_corner(const vv_surface_check *s, int triangle, int corner)
{
    return s->x + 3 * (size_t)s->mesh->triangles[3 * (size_t)triangle + (size_t)corner];
}

/* Checks the surface and keeps the tree and the scaled positions; close it even after a failure. The check's
 * arrays then belong to the caller. */
vvStatus vv_surface_open(vv_surface_check *s, const vvMesh *mesh, vvSurfaceCheck *check, vvError *error);
void vv_surface_close(vv_surface_check *s);
/* The error for a surface that is not sound: how many faults of each kind there are, where the first is, and what
 * shows them. */
vvStatus vv_surface_refuse(const vvMesh *mesh, const vvSurfaceCheck *check, vvError *error);
/* Whether the point (scaled) is in the material that a sound surface bounds. Exact. */
bool vv_surface_has_inside(const vv_surface_check *s, const double point[3]);

/* Fills check->parts, partOf, partCount, and triangleCount and closed of each part (marks must be set). */
vvStatus vv_surface_find_parts(vv_surface_check *s, vvError *error);
/* For a sound surface: depth, parent, reversed, volume and inside of the parts, and the totals. */
vvStatus vv_surface_nest_parts(vv_surface_check *s, vvError *error);

#endif
