/* visviva/batch.h: steps many worlds at once on a pool of threads: actions in, observations out.
 *
 * A batch is a pool of threads. vvBatchStep gives each world to one thread at a time, makes its steps there, and
 * gathers arrays of all worlds. Each world's results are bit for bit those of its own steps in sequence, whatever the
 * number of threads. Worlds should have one thread each (vvWorldDef.threads = 1): more would compete with the
 * batch's. */
#ifndef VISVIVA_BATCH_H
#define VISVIVA_BATCH_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vvBatch vvBatch; /* only one thread at a time may use it */
/* Makes a batch of `threads` threads, the calling one included; 0: as many as there are cores; at most 1024. Destroy it
 * with vvBatchDestroy. */
VV_API vvStatus vvBatchCreate(int threads, vvBatch **batch, vvError *error);
VV_API void vvBatchDestroy(vvBatch *batch); /* NULL is fine; does nothing while it steps */
VV_API int vvBatchThreads(
    const vvBatch *batch); /* the number it has; fewer than asked for if the system starts no more */

/* What vvBatchStep does. Arrays must stay valid until it returns; it keeps none of them. */
typedef struct vvBatchDef {
    vvWorld *const *worlds; /* [worldCount] each once */
    int worldCount;         /* 1 to 2^20 */
    int steps;              /* of each world, 0 or more; 1 */
    /* [forceNodeCount] world nodes on which `forces` act (vvWorldApplyForces), the same in all worlds; NULL: none */
    const int *forceNodes;
    int forceNodeCount;   /* 0 */
    const double *forces; /* [worldCount x forceNodeCount x 3] N, in every step; NULL: none */
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
    int *stepsMade;         /* [worldCount] how many steps each world has made; NULL: not wanted */
    vvError *errors;        /* [worldCount] why a world stopped; NULL: not wanted */
    uint32_t internalValue; /* internal: vvDefaultBatchDef() sets it */
} vvBatchDef;
VV_API vvBatchDef vvDefaultBatchDef(void); /* one step, and nothing is gathered. Set the worlds */
/* Steps worlds, on the batch's threads and the calling one.
 * - A world whose step fails keeps the state from before that step, and that state is gathered; the others continue.
 *   The result is the status of the first such world in the list, and the message names it.
 * - Worlds are stepped as by vvWorldStep: no other thread may use them until it returns. Their logs, cancel functions
 *   and allocators are called in the batch's threads. vvWorldCancel ends the present step of a world.
 * Errors: VV_ERROR_INPUT, and no world was stepped, for a world that is NULL or listed twice, nodes that a world does
 * not have, a force that is not finite, and a batch that is stepping; otherwise those of vvWorldStep. */
VV_API vvStatus vvBatchStep(vvBatch *batch, const vvBatchDef *def, vvError *error);

#ifdef __cplusplus
}
#endif
#endif
