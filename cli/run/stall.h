/* The scenes that visviva run --on-stall FOLDER writes. */
#ifndef VV_CLI_STALL_H
#define VV_CLI_STALL_H

#include "cli.h"

typedef struct vv_stall {
    const char *folder; /* NULL: no scenes are wanted */
    vvSnapshot *before; /* the world at the start of the step */
    bool written;       /* the scene of the first solve that stopped short is written */
    char path[4300];    /* of the last scene */
} vv_stall;

/* To be called before each step. */
vvStatus vv_stall_before(vv_stall *s, vvWorld *world, vvError *error);
/* To be called after a step that was taken. The first one whose solve stopped short is written to FOLDER/stall.json. */
void vv_stall_after(vv_stall *s, const vvScene *scene, vvWorld *world, const vvStepReport *report);
/* To be called after a step that failed; it is written to FOLDER/failed.json. */
void vv_stall_failed(vv_stall *s, const vvScene *scene, vvWorld *world, const vvStepReport *report);

#endif
