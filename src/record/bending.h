/* What a run says about how its bodies resist bending, and the energy that follows: bending.c, bending_energy.c. */
#ifndef VV_RECORD_BENDING_H
#define VV_RECORD_BENDING_H

#include "record/reader.h"

/* One of a body's materials that resists bending. */
typedef struct vv_bending_row {
    int body;
    const char *model;                     /* in the run's own words */
    double stiffness, poisson, rest_twist; /* N m of a shell, N m^2 of a rod; rad/m */
    bool flat;
    const double *triangles; /* N m, of each triangle, in place of `stiffness`; NULL: none */
} vv_bending_row;

/* As read from a file; all of it is the run's. */
typedef struct vv_run_bending {
    int count;
    vv_bending_row *rows;
    char *models; /* VV_RUN_WORD_ROOM bytes each */
    double *triangles;
    int angle_count;  /* rest angles given for edges between triangles: run nodes and rad, see vvRestAngle */
    int *angle_edges; /* 2 each */
    double *angles;
} vv_run_bending;

void vv_run_bending_free(vv_run_bending *bending);

/* The energies that bend the bodies of a run, and where their elements are. */
typedef struct vv_bending vv_bending;
/* *out stays NULL: nothing in the run bends, or its file does not say how. */
vvStatus vv_bending_create(const vvRun *run, vv_bending **out, vvError *error);
void vv_bending_free(vv_bending *bending);
/* As vvRunBendingEnergy. */
void vv_bending_find(vv_bending *bending, const double *positions, double *triangles, double *edges);

#endif
