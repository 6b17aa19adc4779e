/* visviva truth: what its two forms share. */
#ifndef VV_CLI_TRUTH_H
#define VV_CLI_TRUTH_H

#include "study/study.h"

typedef struct vv_truth_options {
    const char *scene, *json, *folder, *keep;
    char found[VV_SCENE_ROOM];
    vv_option_list sets;
    double until, shift, part, cap; /* s; m; -; s of processors */
    int starts, substeps, jobs;
    bool quiet, converge;
} vv_truth_options;

/* --converge (converge.c). Returns an exit code, after a message. */
int vv_truth_converge(const vv_truth_options *o);
/* False after a message. */
bool vv_truth_write(const char *path, json_t *json);

#endif
