/* What the files of compare --cost share while it works. */
#ifndef VV_CLI_COMPARE_COST_WORK_H
#define VV_CLI_COMPARE_COST_WORK_H

#include "compare/cost.h"

typedef struct vv_cost_options {
    const char *scene, *given, *truth, *folder, *steps; /* given: the scene as the user wrote it */
    char found[VV_SCENE_ROOM];
    vv_option_list with, sets;
    double until, shift, cap, limit;
    int starts, jobs;
    bool cost, brief, again, anyBuild, quiet;
} vv_cost_options;

typedef struct vv_cost_work {
    const vv_cost_options *o;
    vv_cost c;
    vv_compare *methods;
    vv_cost_table table;
    char csv[4200], build[64];
    vv_study_plan *plans; /* methods x steps */
    vv_study_job *jobs;   /* of points that are not there, coarse steps first */
    int *of;              /* the point of each job */
    char (*keeps)[4300];  /* where each job keeps its figures */
    double *expected;     /* s of processors, of each job that was begun */
    json_t **figures;     /* points x starts */
    int jobCount;
    double spent; /* s of processors, in this call */
    bool failed;  /* a file could not be written */
} vv_cost_work;

/* Plans all points (cost_points.c). VV_CLI_GO or an exit code, after a message. */
int vv_cost_plan(vv_cost_work *w);
/* Names them, and takes from the CSV what is there of them. The same. */
int vv_cost_recall(vv_cost_work *w);
/* Runs what is not there (cost_run.c). An exit code. */
int vv_cost_run(vv_cost_work *w);

#endif
