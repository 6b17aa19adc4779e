/* The scenes that visviva run --on-stall FOLDER writes. */
#ifndef VV_CLI_STALL_H
#define VV_CLI_STALL_H

#include "cli.h"

typedef struct vv_stall {
    const char *folder; /* NULL: none is wanted */
    vvSnapshot *before; /* the world at the start of the step */
    bool written;       /* the first solve that stopped short has its scene */
    char path[4300];    /* of the last scene */
} vv_stall;

/* Before each step. */
vvStatus vv_stall_before(vv_stall *s, vvWorld *world, vvError *error);
/* After a step that was taken; the first whose solve stopped short is written to FOLDER/stall.json. */
void vv_stall_after(vv_stall *s, const vvScene *scene, vvWorld *world, const vvStepReport *report);
/* After one that failed: FOLDER/failed.json. */
void vv_stall_failed(vv_stall *s, const vvScene *scene, vvWorld *world, const vvStepReport *report);

#endif
