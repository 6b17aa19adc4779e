/* Wavefront OBJ of parts: a frame of a sequence, and the mesh beside a point cache. */
#ifndef VV_RECORD_EXPORT_OBJ_H
#define VV_RECORD_EXPORT_OBJ_H

#include "record/export/sequence.h"

void vv_obj_vertices(FILE *f, const float *positions, int count);
/* The part's group with its faces, lines or points; `first`: the number of its first vertex, from 1. */
void vv_obj_elements(FILE *f, const vv_part *part, int first);

#endif
