/* Numbered sequences: one file per frame, NAME_000000.ending and so on, all parts in each. */
#ifndef VV_RECORD_EXPORT_SEQUENCE_H
#define VV_RECORD_EXPORT_SEQUENCE_H

#include "record/export/seams.h"

/* Of a part with triangles, if the format wants normals: creases for them; and seams, if the part has texture
 * coordinates. */
typedef struct vv_sequence_shading {
    vv_creases creases;
    vv_seams seams;
} vv_sequence_shading;

typedef struct vv_sequence {
    const vv_export_job *job;
    int part_count;
    vv_part *parts;
    vv_sequence_shading *shading;            /* a part's; empty unless the format wants it */
    float *positions, *velocities, *normals; /* scratch, for the largest part */
} vv_sequence;

typedef vvStatus (*vv_sequence_frame)(const vv_sequence *sequence, FILE *f, int frame, vvError *error);
vvStatus vv_sequence_write(const vv_export_job *job, const char *ending, bool shaded, vv_sequence_frame write,
                           vvError *error);

#endif
