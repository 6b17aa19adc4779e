/* What a file needs to show texture coordinates and smooth normals: where both are cut. */
#ifndef VV_RECORD_EXPORT_SEAMS_H
#define VV_RECORD_EXPORT_SEAMS_H

#include "record/export/creases.h"
#include "record/export/part.h"

/* Vertices cut along seams: each occurs once for each pair of texture coordinates that it has. */
typedef struct vv_seams {
    int count;
    int *source;  /* the vertex of each */
    int *corners; /* which of them each triangle corner has */
    float *uv;    /* 2 of each */
} vv_seams;

/* `vertices`: of each triangle corner, less than `count`; uvs: 2 numbers a corner. */
vvStatus vv_seams_find(const int *vertices, int count, int triangle_count, const double *uvs, vv_seams *seams,
                       vvError *error);
void vv_seams_free(vv_seams *seams);

/* Creases of a part with triangles, in the smoothest of the first, middle and last exported frame, so that a crumpled
 * start does not turn every edge into a crease. */
vvStatus vv_part_creases(const vv_export_job *job, const vv_part *part, vv_creases *creases, vvError *error);

/* Where no vertex is cut by a crease: the shading vertex of each vertex, vv_alloc'ed; else NULL. */
vvStatus vv_creases_of_vertices(const vv_creases *creases, int vertex_count, int **of_vertex, vvError *error);

#endif
