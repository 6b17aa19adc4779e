/* Rods as tubes of triangles, for formats whose lines have no width. */
#ifndef VV_RECORD_EXPORT_TUBES_H
#define VV_RECORD_EXPORT_TUBES_H

#include "record/export/chains.h"

typedef struct vv_tubes {
    vv_chains chains;
    float radius;
    int count, index_count; /* vertices; corners of triangles. 0: there are none */
    int *indices;
    double *start; /* a direction across the beginning of each chain, 3 each, from frame to frame */
} vv_tubes;

/* For a part of edges. */
vvStatus vv_tubes_build(const vv_part *part, double diameter, vv_tubes *tubes, vvError *error);
void vv_tubes_free(vv_tubes *tubes);
/* Positions and normals of the vertices, 3 each, from the part's positions. Between frames that follow each other
 * tubes do not spin; `first`: this one follows none. */
void vv_tubes_place(vv_tubes *tubes, const float *x, bool first, float *positions, float *normals);

#endif
