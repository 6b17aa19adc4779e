/* What visviva run was asked for. */
#ifndef VV_RUN_H
#define VV_RUN_H

#include "cli.h"

typedef struct vv_run_options {
    const char *scene, *output, *summary, *report, *on_stall;
    char found[VV_SCENE_ROOM];
    vv_option_list sets;
    double until;
    int threads, from_frame, substeps;
    bool resume, quiet, paranoid, force, strict;
} vv_run_options;

/* VV_CLI_GO, or the exit code: help was asked for, or something is wrong. */
int vv_run_read_options(vv_run_options *options, int argc, char **argv);

#endif
