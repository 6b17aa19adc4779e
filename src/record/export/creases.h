/* Vertices for shading: each vertex of the surface appears once for each smooth patch around it, so that sharply folded
 * edges stay sharp. */
#ifndef VV_RECORD_EXPORT_CREASES_H
#define VV_RECORD_EXPORT_CREASES_H

#include "visviva/base.h"

typedef struct vv_creases {
    int count;    /* vertices for shading */
    int *source;  /* the surface vertex of each */
    int *corners; /* the shading vertex of each triangle corner */
} vv_creases;

/* Edges of `positions` (3 per vertex) that fold by more than 55 degrees become creases. */
vvStatus vv_creases_find(const int *triangles, int triangle_count, const float *positions, vv_creases *creases,
                         vvError *error);
void vv_creases_free(vv_creases *creases);
/* Sum of the folds at the surface's edges: the smoothest of several frames is the one in which to find creases.
 * NaN: out of memory. */
double vv_creases_roughness(const int *triangles, int triangle_count, const float *positions);
/* Unit normals of the vertices for shading, 3 each, weighted by area. */
void vv_creases_normals(const vv_creases *creases, int triangle_count, const float *positions, float *normals);

#endif
