/* A world that runs in a thread of its own: what the window asks of it, and what it shows of itself. Any of these functions may be called
 * while the thread works; they wait for no step. */
#ifndef VV_CLI_VIEW_LIVE_H
#define VV_CLI_VIEW_LIVE_H

#include "visviva/visviva.h"

typedef struct vv_live vv_live;

typedef enum vv_live_choice { VV_LIVE_SCHEME, VV_LIVE_POLICY, VV_LIVE_SOLVER, VV_LIVE_CHOICES } vv_live_choice;

enum { VV_LIVE_ROWS = 600, VV_LIVE_WORD = 32 };

/* A few columns of a ledger's row, and what the step cost. */
typedef struct vv_live_row {
    double time, total, target, kinetic, elastic, scale; /* s; J */
    double milliseconds;
    int iterations;
    double work; /* J: since the start */
} vv_live_row;

typedef struct vv_live_look {
    double *positions;    /* nodes x 3, of the caller: between the last two steps, as the clock has it */
    double time, step;    /* s */
    int64_t steps;
    bool paused, late;    /* late: steps take longer than h, and the world runs slower than the clock */
    bool holds;           /* the hand has hold of something: */
    double grip[3], hand[3]; /* where that is, and where it is pulled to */
    double hand_work;     /* J: by its force and its way, so far */
    char choice[VV_LIVE_CHOICES][VV_LIVE_WORD];
    char message[400];    /* why the last step or setting failed; "": it did not */
    char recording[400];  /* the run file; "": none */
    int64_t recorded;     /* frames */
    int rows;
    vv_live_row row[VV_LIVE_ROWS]; /* the last ones */
} vv_live_look;

/* Takes over the world, which is destroyed at the end. NULL, with a message. */
vv_live *vv_live_start(vvWorld *world, const vvScene *scene, vvError *error);
void vv_live_stop(vv_live *live);
void vv_live_see(vv_live *live, vv_live_look *look);

void vv_live_pause(vv_live *live, bool on);
void vv_live_single(vv_live *live); /* one step, then pause */
void vv_live_restart(vv_live *live); /* from the start, with the settings of now */
/* The next or the one before in the list of what there is. */
void vv_live_choose(vv_live *live, vv_live_choice which, int by);
void vv_live_scale_step(vv_live *live, double factor);
/* Takes hold of what the ray meets first. */
void vv_live_grab(vv_live *live, const double origin[3], const double direction[3]);
/* The hand goes to where this ray meets the plane through what it has hold of, with this normal. */
void vv_live_move(vv_live *live, const double origin[3], const double direction[3], const double normal[3]);
void vv_live_release(vv_live *live);
/* Records into a new run file, or (NULL) ends that. */
void vv_live_record(vv_live *live, const char *path);

#endif
