/* An open run, as reading, resuming and the exporters see it. */
#ifndef VV_RECORD_READER_H
#define VV_RECORD_READER_H

#include "record/layout.h"

struct vvRun {
    char *path;
    hid_t file, sets[VV_SET_COUNT]; /* only the sets that are read; -1 else */
    uint64_t file_bytes;
    vv_run_sizes sizes;
    int64_t frames, rows;
    int64_t frame_room, row_room;
    int64_t cell_count, mixed_count, phase_columns;
    vv_frame_row *frame_rows;
    vvRunBody *bodies;
    int *tets, *triangles, *edges;
    char *scene_name, *scene_text, *status, *scheme, *policy;
    double time_step;
    int obstacle_count;
    char *obstacle_types; /* VV_RUN_WORD_ROOM bytes each */
    int32_t *obstacle_value_counts;
    double *obstacle_values;
    int64_t *obstacle_first;
};

/* With the lock held (hdf.h). */
vvStatus vv_reader_open(const char *path, vvRun **run, vvError *error);
void vv_reader_free(vvRun *run);
vvStatus vv_reader_state(const vvRun *run, int64_t frame, void *state, vvError *error);

#endif
