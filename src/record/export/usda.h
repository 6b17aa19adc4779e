/* A .usda file being made, and what its parts share. usda.c writes the stage, usda_text.c values, usda_affine.c the
 * motion of affine bodies. */
#ifndef VV_RECORD_EXPORT_USDA_H
#define VV_RECORD_EXPORT_USDA_H

#include "record/export/chains.h"
#include "record/export/seams.h"

typedef struct vv_usda {
    const vv_export_job *job;
    FILE *f;
    const vv_export_file *file;
    vv_timing timing;
    vv_labels ids;
    char root[VV_LABEL_ROOM];
    vv_bounds bounds; /* of everything in all frames */
    int64_t done, passes;
    /* the current body */
    vv_part part;
    vv_chains chains;
    vv_creases creases; /* of a Mesh */
    vv_seams seams;     /* if it has texture coordinates */
    int *smooth;        /* without creases: the normal of each vertex; else NULL */
    const int *order;   /* vertices in the order of the prim's points; NULL: unchanged */
    int point_count;
    float *values, *normals, *extents;
    float width;
} vv_usda;

/* ---- usda_text.c ---- */

void vv_usda_number(FILE *f, double value);
void vv_usda_triple(FILE *f, const float v[3]);
/* A list of triples, in the order of `order`; NULL: as they are. */
void vv_usda_triples(FILE *f, const float *values, const int *order, int count);
void vv_usda_ints(FILE *f, const char *declaration, const int *values, int count);
void vv_usda_colour(FILE *f, const char *declaration, unsigned colour, bool array);
/* What a time sample of the i-th exported frame begins with. */
void vv_usda_time(const vv_usda *u, int i);

/* ---- usda_affine.c ---- */

/* The points, normals and extent of the current body, an affine one, which do not change, and its transform over
 * time. */
vvStatus vv_usda_affine(vv_usda *u, vvError *error);

#endif
