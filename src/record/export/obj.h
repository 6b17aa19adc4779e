/* Wavefront OBJ of parts: a frame of a sequence, and the mesh beside a point cache. */
#ifndef VV_RECORD_EXPORT_OBJ_H
#define VV_RECORD_EXPORT_OBJ_H

#include "record/export/seams.h"
#include "record/export/sequence.h"

void vv_obj_vertices(FILE *f, const float *positions, int count);
/* Texture coordinates, or normals, as lines of their own. */
void vv_obj_uvs(FILE *f, const vv_seams *seams);
void vv_obj_normals(FILE *f, const float *normals, int count);
/* What corners have besides vertices; NULL: nothing. */
typedef struct vv_obj_corners {
    const int *uvs, *normals;
    int first_uv, first_normal; /* numbers of the part's first ones, from 1 */
} vv_obj_corners;
/* The part's group with its faces, lines or points; `first`: the number of its first vertex, from 1. */
void vv_obj_elements(FILE *f, const vv_part *part, int first, const vv_obj_corners *corners);

#endif
