/* A world that runs in a thread of its own: what the window asks of it, and what it shows of itself.
 *
 * All functions but start and stop may be called while the thread works, and wait for no step: what is asked for is
 * an order, and the thread obeys orders between two steps, one after the other. */
#ifndef VV_CLI_VIEW_LIVE_H
#define VV_CLI_VIEW_LIVE_H

#include "visviva/visviva.h"

typedef struct vv_live vv_live;

typedef enum vv_live_choice { VV_LIVE_SCHEME, VV_LIVE_POLICY, VV_LIVE_SOLVER, VV_LIVE_CHOICES } vv_live_choice;

enum { VV_LIVE_ROWS = 600, VV_LIVE_WORD = 32, VV_LIVE_PATH = 400, VV_LIVE_TEXT = 1100 };

/* A few columns of a ledger's row, and what the step cost. */
typedef struct vv_live_row {
    double time, total, target, kinetic, elastic; /* s; J; target NaN: there is none */
    double work;                                  /* J: by hands, scripts and settings, since the start */
    double at, milliseconds;                      /* s, of the clock; of the step */
    int iterations;
} vv_live_row;

/* What all steps cost, restarts or not. */
typedef struct vv_live_cost {
    int64_t steps, iterations;
    double seconds, worst; /* of the steps; of the longest */
    double used;           /* s: of a processor, by the world's thread */
    double world, clock;   /* s: how far the world went, and how long it ran for that */
} vv_live_cost;

typedef struct vv_live_look {
    double *positions; /* nodes x 3, of the caller: along the path to the last step */
    double *field;     /* of all vertices of the run, of the caller: at the end of the last step; NULL: none */
    double shown;      /* s: the time of these positions */
    bool moving;       /* they are not yet where the last step ended */
    unsigned version;  /* another one: something else than positions has changed */
    double time, step; /* s: of the last step; its length */
    int64_t steps;     /* since the start */
    bool paused;
    bool holds;              /* the hand has hold of something: */
    double grip[3], hand[3]; /* m: where that is, and where it is pulled to */
    double hand_work;        /* J: by its force and its path, since the start */
    int missed;              /* the last grab (vv_live_grab) that met nothing that can be held; 0: none */
    char choice[VV_LIVE_CHOICES][VV_LIVE_WORD];
    int budget;                   /* iterations of a solve; 0: until it converges */
    char message[VV_LIVE_TEXT];   /* why the last step or order failed; "": it did not */
    char note[VV_LIVE_TEXT];      /* what came of the last order that is worth a word */
    char recording[VV_LIVE_PATH]; /* the run file; "": none */
    int64_t recorded;             /* frames */
    vv_live_cost cost;
    int frame, frames;       /* of a run that is played (player.h); frames 0: the world runs live */
    double pace;             /* s of that run in a second */
    char file[VV_LIVE_PATH]; /* its name, and how it ended */
    int rows;
    vv_live_row row[VV_LIVE_ROWS]; /* the last ones, or of all of the run */
} vv_live_look;

/* A field that is found after each step, for the vertices of a run of the world. */
typedef struct vv_live_field {
    const vvField *field; /* NULL: none */
    const vvRun *run;     /* outlives the thread */
} vv_live_field;

/* Takes over the world, which is destroyed at the end, also if this fails: NULL, with a message. The scene must
 * outlive it. */
vv_live *vv_live_start(vvWorld *world, const vvScene *scene, const vv_live_field *field, bool paused, vvError *error);
/* Ends a recording, too. The result is that of all recordings: the first failure. */
vvStatus vv_live_stop(vv_live *live, vvError *error);
void vv_live_see(vv_live *live, vv_live_look *look);

void vv_live_pause(vv_live *live);   /* or go on */
void vv_live_single(vv_live *live);  /* one step, then pause */
void vv_live_restart(vv_live *live); /* from the start, with the settings of now */
/* The next one, or the one before (by -1), in the list of what there is and goes with the world. */
void vv_live_choose(vv_live *live, vv_live_choice which, int by);
void vv_live_scale_step(vv_live *live, double factor);
void vv_live_scale_budget(vv_live *live, double factor);
/* Takes hold of what the ray meets first. Returns the grab's number, from 1. */
int vv_live_grab(vv_live *live, const double origin[3], const double direction[3]);
/* The hand goes to where this ray meets the plane through what it has hold of, with this normal. */
void vv_live_move(vv_live *live, const double origin[3], const double direction[3], const double normal[3]);
void vv_live_release(vv_live *live);
/* Begins to record into a new run file, the first free one of STEM-1.vtkhdf, STEM-2.vtkhdf, ...; or ends that. */
void vv_live_record(vv_live *live, const char *stem);
/* STEM-NUMBER and the ending, with the first number from 1 on of which there is no file. */
void vv_live_free_path(const char *stem, const char *ending, char path[VV_LIVE_PATH]);

#endif
