/* Exporters: a run as other programs' files. One file per format, which ends in its row; export.c holds the list. */
#ifndef VV_RECORD_EXPORT_EXPORT_H
#define VV_RECORD_EXPORT_EXPORT_H

#include <stdio.h>

#include "visviva/run.h"

typedef struct vv_export_job {
    const vvRun *run;
    const vvExportDef *def;
    const char *path;
    int first, last, every;     /* resolved: 0 <= first <= last < frames */
    int count;                  /* frames to write */
    int first_body, body_count; /* what to show: all, or one */
} vv_export_job;

/* What a format can do besides frames; asking for what it cannot do is an error. */
enum { VV_EXPORT_BODY = 1, VV_EXPORT_VELOCITIES = 2, VV_EXPORT_FIELDS = 4 };

typedef struct vv_exporter {
    vvInfo info;
    vvStatus (*write)(const vv_export_job *job, vvError *error);
    int takes;
} vv_exporter;

extern const vv_exporter vv_export_vtu, vv_export_obj, vv_export_ply, vv_export_pc2, vv_export_usda, vv_export_glb,
    vv_export_csv;

/* After each frame. VV_CANCELLED if the host wants no more. */
vvStatus vv_export_progress(const vv_export_job *job, int done, vvError *error);
/* The same if every frame is read `passes` times; `done` counts all of these. */
static inline vvStatus vv_export_progress_of(const vv_export_job *job, int64_t done, int64_t passes, vvError *error)
{
    return vv_export_progress(job, (int)(done / (passes > 0 ? passes : 1)), error);
}
/* The run's frame exported as number i. */
static inline int vv_export_frame(const vv_export_job *job, int i) { return job->first + i * job->every; }

/* A file being written. It gets its name when it is complete: until then it is PATH.part, and an existing file
 * stays. Devices and pipes are written directly. */
typedef struct vv_export_file {
    FILE *file;
    char *path, *part; /* part: NULL for a device */
} vv_export_file;
vvStatus vv_export_begin(vv_export_file *file, const char *path, vvError *error);
/* If `status` is VV_OK and everything reached the disk, the file gets its name; otherwise it is removed. Returns
 * `status`, or why the file is missing. */
vvStatus vv_export_end(vv_export_file *file, vvStatus status, vvError *error);
/* Detects a full disk early; vv_export_end detects it in any case. */
vvStatus vv_export_check(const vv_export_file *file, vvError *error);
/* Refuses to overwrite a file whose beginning does not contain `mark`: it is the user's own. */
vvStatus vv_export_ours(const char *path, const char *mark, vvError *error);

/* "stem" of "stem.ending" (any case), else the whole path; new memory. */
char *vv_export_stem(const char *path, const char *ending);
/* "stem" and `ending` in new memory. */
char *vv_export_beside(const char *stem, const char *ending);

#endif
