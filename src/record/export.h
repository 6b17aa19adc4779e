/* Exporters: a run as other programs' files. One file a format, which ends in its row; export.c holds the list. */
#ifndef VV_RECORD_EXPORT_H
#define VV_RECORD_EXPORT_H

#include <stdio.h>

#include "visviva/run.h"

typedef struct vv_export_job {
    const vvRun *run;
    const vvExportDef *def;
    const char *path;
    int first, last, every; /* resolved: 0 <= first <= last < frames */
    int count;              /* frames to write */
} vv_export_job;

typedef struct vv_exporter {
    vvInfo info;
    vvStatus (*write)(const vv_export_job *job, vvError *error);
} vv_exporter;

extern const vv_exporter vv_export_vtu, vv_export_obj, vv_export_csv;

void vv_export_progress(const vv_export_job *job, int done);

/* Opens for writing; NULL with *error set. Closing tells whether everything reached the file; one that failed is
 * removed. */
FILE *vv_export_open(const char *path, vvError *error);
vvStatus vv_export_close(FILE *file, const char *path, vvError *error);
/* "stem" of "stem.ending" (any case), else the whole path; new memory. */
char *vv_export_stem(const char *path, const char *ending);

#endif
