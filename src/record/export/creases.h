/* Vertices for shading: a vertex of the surface once for each smooth patch around it, so that edges which fold sharply
 * stay sharp. */
#ifndef VV_RECORD_EXPORT_CREASES_H
#define VV_RECORD_EXPORT_CREASES_H

#include "visviva/base.h"

typedef struct vv_creases {
    int count;    /* vertices for shading */
    int *source;  /* of each, the surface's vertex */
    int *corners; /* of each triangle corner, the vertex for shading */
} vv_creases;

/* Edges of `positions` (3 a vertex) that fold by more than 55 degrees become creases. */
vvStatus vv_creases_find(const int *triangles, int triangle_count, const float *positions, vv_creases *creases,
                         vvError *error);
void vv_creases_free(vv_creases *creases);
/* Sum of how far the surface folds at its edges: the smoothest of several frames is the one to find creases in.
 * NaN: out of memory. */
double vv_creases_roughness(const int *triangles, int triangle_count, const float *positions);
/* Unit normals of the vertices for shading, 3 each, weighted by area. */
void vv_creases_normals(const vv_creases *creases, int triangle_count, const float *positions, float *normals);

#endif
