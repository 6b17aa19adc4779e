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

/* What was said while a run was made, for its file. */
typedef struct vv_run_notes {
    struct {
        const char *text; /* of a policy: static, so that the pointer tells */
        int64_t steps;
    } list[8];
    int count;
    char **kept; /* not in the file yet */
    int keptCount, keptRoom;
    int told;       /* so many of vv_cli_warning are in the file */
    int64_t broken; /* joints */
} vv_run_notes;

/* Without memory the line is left out. */
void vv_run_keep(vv_run_notes *notes, bool warning, const char *text);
/* Counts what a policy said of a step; true: it is new. */
bool vv_run_count_note(vv_run_notes *notes, const char *text);
/* Gives the writer what was kept, and what vv_cli_warn has said. */
vvStatus vv_run_put_notes(vv_run_notes *notes, vvRunWriter *writer, vvError *error);
void vv_run_notes_free(vv_run_notes *notes);

/* breaks.c: a line for each joint that broke in the last step, up to a hundred in all; *broken: how many did before,
 * to which these are added. */
void vv_run_tell_broken(vvWorld *world, int64_t *broken, void (*told)(void *user, const char *line), void *user);

#endif
