/* visviva/batch.h: many worlds at once: actions in, steps on a pool of threads, observations out.
 *
 * A batch is a pool of threads. vvBatchStep gives each world to one of them at a time, makes its steps there, and
 * gathers arrays of all worlds. Each world's results are those of its own steps one after the other, bit for bit,
 * whatever the number of threads. Worlds should have one thread each (vvWorldDef.threads = 1): more would compete with
 * the batch's. */
#ifndef VISVIVA_BATCH_H
#define VISVIVA_BATCH_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vvBatch vvBatch; /* only one thread at a time may use it */
/* Makes a batch of so many threads, with the calling one; 0: as many as there are cores; at most 1024. Destroy it with
 * vvBatchDestroy. */
VV_API vvStatus vvBatchCreate(int threads, vvBatch **batch, vvError *error);
VV_API void vvBatchDestroy(vvBatch *batch);      /* NULL is fine; does nothing while it steps */
VV_API int vvBatchThreads(const vvBatch *batch); /* as many as it has; fewer than asked for if the system starts none */

/* What vvBatchStep does. What it is given must last until it returns; nothing of it is kept. */
typedef struct vvBatchDef {
    vvWorld *const *worlds; /* [worldCount] each once */
    int worldCount;         /* 1 to 2^20 */
    int steps;              /* of each world, 0 or more; 1 */
    /* [forceNodeCount] world nodes on which `forces` act, the same in all worlds, by vvWorldApplyForces; NULL: none */
    const int *forceNodes;
    int forceNodeCount;   /* 0 */
    const double *forces; /* [worldCount x forceNodeCount x 3] N, in every one of the steps; NULL: none */
    /* [gatherNodeCount] world nodes whose state is gathered, the same in all worlds; NULL: all, of which the worlds
     * then have equally many */
    const int *gatherNodes;
    int gatherNodeCount; /* 0 */
    /* [worldCount x gathered nodes x 3] m: positions after the steps; NULL: not wanted */
    double *positions;
    double *velocities; /* [worldCount x gathered nodes x 3] m/s: the same */
    vvLedgerRow *rows;  /* [worldCount] the last booked rows; NULL: not wanted */
    /* [worldCount] how each world's steps ended; NULL: not wanted */
    vvStatus *statuses;
    int *stepsMade;         /* [worldCount] how many of its steps each world has made; NULL: not wanted */
    vvError *errors;        /* [worldCount] why a world did not go on; NULL: not wanted */
    uint32_t internalValue; /* internal: vvDefaultBatchDef() sets it */
} vvBatchDef;
VV_API vvBatchDef vvDefaultBatchDef(void); /* one step, and nothing is gathered. Set the worlds */
/* Steps worlds, on the batch's threads and the calling one.
 * - A world whose step fails stays as it was before that step; the others go on. The result is the status of the first
 *   such world in the list, and the message names it. What is gathered of it is where it stands.
 * - Worlds are stepped as by vvWorldStep: until it returns nobody else may use them. Their logs, cancel functions and
 *   allocators are called in the batch's threads. vvWorldCancel ends the present step of one.
 * Errors: VV_ERROR_INPUT, and no world was stepped, for a world that is NULL or comes twice, nodes that a world does
 * not have, a force that is not finite, and a batch that is stepping; otherwise what vvWorldStep says. */
VV_API vvStatus vvBatchStep(vvBatch *batch, const vvBatchDef *def, vvError *error);

#ifdef __cplusplus
}
#endif
#endif
