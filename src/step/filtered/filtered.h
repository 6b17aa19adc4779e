/* Filtered search (theory §3.6), what its files share: the components with their rigid motions, and the groups in
 * touch. */
#ifndef VV_STEP_FILTERED_FILTERED_H
#define VV_STEP_FILTERED_FILTERED_H

#include "solve/newton/equation_solver.h"
#include "step/bodies/components.h"
#include "step/inside.h"
#include "step/ledger/shares.h"

/* Velocity fields of which the end's velocities are made: v = start - (alpha - 1) brake - (push - 1) t - beta grow -
 * delta feed - gamma turn. All are orthogonal to rigid motions of free components but start, t and turn. */
enum { VV_START, VV_BRAKE, VV_PUSH, VV_GROW, VV_FEED, VV_TURN, VV_FIELDS };

/* The policy's parameters. */
enum {
    VV_FILTERED_BETA_MIN,
    VV_FILTERED_BETA_MAX,
    VV_FILTERED_DELTA,
    VV_FILTERED_SLACK,
    VV_FILTERED_PUSH,
    VV_FILTERED_FILTER,
    VV_FILTERED_SCOPE
};

/* A component in this step (step/bodies/components.h); rigid motions are about its centre at q. */
typedef struct vv_filtered_part {
    vv_rigid body;           /* at q */
    double centre_before[3]; /* at q_n */
    vv_twist moves, keeps;   /* of w; with the momenta of the step's impulses: R */
    vv_twist push;           /* contact's change over the step: t */
    vv_twist d, feed;        /* of the filtered corrections: taken out */
    double presses[3];       /* m/s: what contact's push that friction goes by gives its centre in the step, */
    double rubs[3];          /* and what friction gives it */
    vv_twist turn;           /* R less that of w, with no momenta of the whole group where nothing outside touches it */
    int group;
    bool held; /* by prescribed nodes or attachments: none of the above is used */
} vv_filtered_part;

/* Bodies in touch, by their lowest one. */
typedef struct vv_filtered_group {
    vv_rigid body; /* of all its components */
    double centre_before[3];
    double keeps[3], push[3]; /* angular momenta that R and t lack */
    double drift[3], spin[3]; /* momenta of R - Rig(w) */
    /* so many times more friction goes with t; M-products: t and contact's push at q_n, that, friction and R, that */
    double rub, rubs[4];
    double power; /* J that contact's forces exchange with the centres' motion in the step */
    int parts;
    double owed;                       /* T - H where the step begins */
    double fell;                       /* J that flights have cost and that is still open */
    double scale;                      /* J: what its energies are compared with */
    bool outside;                      /* something in it touches, or is held by, what does not move freely */
    bool bounces;                      /* something in it does, in this step */
    bool driven;                       /* a prescribed node of it moves */
    bool blocked;                      /* the solve left the momentum of something in it out of balance */
    double gram[VV_FIELDS][VV_FIELDS]; /* M-products of the fields; lower triangle */
    double rest;                       /* H - T without kinetic energy */
    double coefficient[VV_FIELDS];     /* 1 for start; what the others are multiplied with */
} vv_filtered_group;

/* The policy's object: alive as long as the stepper. */
typedef struct vv_filtered {
    vv_equation_solver base;
    vv_components components;
    vv_filtered_part *parts;
    vv_filtered_group *groups;
    int *group_of; /* per body; -1: kinematic */
    unsigned char *outside;
    double *flight;  /* per body: J that this step of its flight costs; < 0: it touches something */
    double *sinks;   /* per body: J that contact takes from its centre's motion at the step's end; < 0: gives */
    double *by_body; /* for accounts */
    bool by_end;     /* friction went by contact's push at the step's end, in this step */
} vv_filtered;

/* Velocities of a step that are measured, node space: contact's and elasticity's, and the filtered ones. */
typedef struct vv_filtered_input {
    const double *dv, *impelled, *d, *feed;
} vv_filtered_input;

/* Which components are in touch. VV_ERROR_MEMORY: see vv_contact_groups. */
vvStatus vv_filtered_find_groups(vv_stepper *s, const vv_trial *t, vv_filtered *f);
/* Rigid motions of all components that nothing holds, and contact's power; groups that touch nothing outside keep
 * their momenta. */
void vv_filtered_measure(vv_stepper *s, const vv_trial *t, vv_filtered *f, const vv_filtered_input *in);
/* The fields at a node (3 each). */
void vv_filtered_fields(const vv_stepper *s, const vv_trial *t, const vv_filtered *f, const vv_filtered_input *in,
                        int node, double field[VV_FIELDS][3]);

/* choose.c: the coefficients that bring the group to its target, as far as they may; returns alpha, for the
 * ledger. */
double vv_filtered_choose(vv_filtered_group *g, const double *values);
/* H - T with the present coefficients. */
double vv_filtered_excess(const vv_filtered_group *g);

#endif
