/* The parts of what the world's thread does, for live.c: its hand, its switches, its recorder. They belong to the
 * thread alone, which shows the window copies of them. */
#ifndef VV_CLI_VIEW_LIVE_OWN_H
#define VV_CLI_VIEW_LIVE_OWN_H

#include "view/live.h"

/* ---- the hand (hand.c) ---- */

typedef struct vv_hand {
    vvDragId drag;
    bool holds;     /* something */
    double pull;    /* N/m: of its spring */
    double at[3];   /* m: where it is */
    double led[3];  /* where it was at the end of the last step */
    double grip[3]; /* where the point that it holds was then */
    double work;    /* J */
} vv_hand;

/* *met: it holds something now. */
vvStatus vv_hand_grab(vv_hand *hand, vvWorld *world, const double origin[3], const double direction[3], bool *met,
                      vvError *error);
vvStatus vv_hand_move(vv_hand *hand, vvWorld *world, const double origin[3], const double direction[3],
                      const double normal[3], vvError *error);
vvStatus vv_hand_release(vv_hand *hand, vvWorld *world, vvError *error);
/* After a step: adds the hand's work in it. */
void vv_hand_count(vv_hand *hand, const vvWorld *world);

/* ---- switches (switch.c): each bakes the world; on failure it is as it was ---- */

/* `note` says what was passed over, and why. */
vvStatus vv_switch_choose(vvWorld *world, vv_live_choice which, int by, char note[VV_LIVE_TEXT], vvError *error);
vvStatus vv_switch_scale_step(vvWorld *world, double factor, char note[VV_LIVE_TEXT], vvError *error);
vvStatus vv_switch_scale_budget(vvWorld *world, double factor, char note[VV_LIVE_TEXT], vvError *error);
/* The world as it started, but with the settings of now. *back: it is at its start, if also (on failure) with the
 * settings of then. */
vvStatus vv_switch_restart(vvWorld *world, const vvSnapshot *start, bool *back, vvError *error);
/* Iterations of a solve; 0: until it converges. */
int vv_switch_budget(const vvWorld *world);

/* ---- the field that colours bodies (tint.c) ---- */

typedef struct vv_tint {
    vv_live_field of;
    double *found; /* at the end of the last step */
    double *shown; /* the same for the window: under the lock */
} vv_tint;

/* False: out of memory. To be closed in any case. */
bool vv_tint_open(vv_tint *tint, const vv_live_field *of);
void vv_tint_close(vv_tint *tint);
/* Takes a while, so not under the lock. On failure `message` says why. */
void vv_tint_find(vv_tint *tint, vvWorld *world, char message[VV_LIVE_TEXT]);
/* Under the lock: what was found is shown; a copy of what is (NULL: none is wanted). */
void vv_tint_show(vv_tint *tint);
void vv_tint_copy(const vv_tint *tint, double *to);

/* ---- the recorder (recorder.c) ---- */

typedef struct vv_recorder {
    vvRunWriter *writer; /* NULL: it does not record */
    char path[VV_LIVE_PATH];
    int64_t frames;
    vvError failed; /* the first failure of all; status VV_OK: there was none */
} vv_recorder;

/* `note` says what was written. */
vvStatus vv_recorder_begin(vv_recorder *recorder, const char *path, vvWorld *world, const vvScene *scene,
                           vvError *error);
vvStatus vv_recorder_end(vv_recorder *recorder, char note[VV_LIVE_TEXT], vvError *error);
/* On failure it ends there. */
vvStatus vv_recorder_add(vv_recorder *recorder, vvWorld *world, const vvStepReport *report, vvError *error);

#endif
