/* Numbered sequences: one file per frame, NAME_000000.ending and so on, all parts in each. */
#ifndef VV_RECORD_EXPORT_SEQUENCE_H
#define VV_RECORD_EXPORT_SEQUENCE_H

#include "record/export/part.h"

typedef struct vv_sequence {
    const vv_export_job *job;
    int part_count;
    vv_part *parts;
    float *positions, *velocities; /* scratch, for the largest part */
} vv_sequence;

typedef vvStatus (*vv_sequence_frame)(const vv_sequence *sequence, FILE *f, int frame, vvError *error);
vvStatus vv_sequence_write(const vv_export_job *job, const char *ending, vv_sequence_frame write, vvError *error);

#endif
