/* visviva/host.h: what a host program may use in place of the library's own: memory, parallel loops, log. A
 * vvWorldDef takes all three; each may be left zero.
 *
 * Callbacks. While a function works on a world it may call the host's: the log, the parallel loops, the allocator,
 * and the cancel function (vvWorldSetCancel). These must not pull the world away from under it:
 * - A function with a vvStatus that is called on the same world is refused (VV_ERROR_INPUT), also from files
 *   (vvRunAddFrame, ...). vvWorldDestroy, vvWorldSetCancel and vvWorldCheckIntersections do nothing. Remember what is
 *   to be done, and do it afterwards.
 * - vvWorldCancel works. So do getters, those functions that only return what is there: they show it as it is at that
 *   moment.
 * - The allocator's two functions must call nothing of the library. Functions of any world are refused there, and
 *   getters return 0, NULL, "" or false.
 * - What the function was given (a mesh, a scene, a snapshot, a run) must last until it returns.
 * Other worlds may be used, except by the allocator. */
#ifndef VISVIVA_HOST_H
#define VISVIVA_HOST_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- memory
 * -------------------------------------------------------------------------------------------------------- */

/* Where the library takes memory from. Both functions NULL: the C library's aligned_alloc and free.
 * - A block goes back to the allocator that made it, possibly in a call from another thread.
 * - If `allocate` returns NULL, or a block without the alignment asked for, the call fails with VV_ERROR_MEMORY, and
 *   what it worked on is as it was.
 * - Only the thread that calls the library allocates, never a helper thread or a task; in vvBatchStep (batch.h) the
 *   batch's threads do.
 * - A warm step, whose contacts fit into the arrays that are there, allocates nothing.
 * - CHOLMOD (with AMD, METIS, OpenBLAS), HDF5, jansson and the C library (files, threads) still use malloc; CHOLMOD
 *   also in warm steps. */
typedef struct vvAllocator {
    /* alignment: a power of two, at most 64; NULL: none left */
    void *(*allocate)(void *user, size_t bytes, size_t alignment);
    void (*release)(void *user, void *block, size_t bytes); /* bytes: as given to `allocate` */
    void *user;                                             /* given to both */
} vvAllocator;

/* Sets the allocator for what the calling thread makes from now on: meshes, scenes, runs, and worlds whose definition
 * names no allocator. NULL: the C library's. The setting is the thread's own; the library has no other state outside
 * its objects. VV_ERROR_INPUT if one of the two functions is missing. */
VV_API vvStatus vvSetThreadAllocator(const vvAllocator *allocator, vvError *error);

/* ---- parallel loops
 * --------------------------------------------------------------------------------------------------- */

/* The host's parallel loops, in place of the library's own threads. `run` calls task(context, i) once for each i = 0
 * .. count - 1, in any order, on any threads, and returns when all these calls have returned. */
typedef struct vvTaskSystem {
    /* 1 to 1024: how many tasks run at once; 1: loops stay in the calling thread. Results do not depend on it */
    int workers;
    void (*run)(void *user, int count, void (*task)(void *context, int index),
                void *context); /* NULL: the library's own */
    void *user;                 /* given to `run` */
} vvTaskSystem;

/* ---- log
 * ---------------------------------------------------------------------------------------------------------------- */

typedef enum vvLogLevel {
    VV_LOG_INFO,   /* what was chosen or done */
    VV_LOG_WARNING /* what may make the results other than meant */
} vvLogLevel;
/* `write` receives what a world reports beside its results, one line at a time, without a line end:
 * - a solve that stopped before it converged (the first of several in a row)
 * - that there is no ground energy
 * - of a scene: how a surface was filled with tets, and a body that is a closed surface without tets
 * - the friction speed that was chosen
 * - a change of the linear solver
 * - that the tets of a loaded body are too few or too stiff for what is asked of them
 * - that the world was rebuilt after a change, and how long that took
 * It is called during a call of the library, in the thread that made the call; see "Callbacks" above. */
typedef struct vvLog {
    void (*write)(void *user, vvLogLevel level,
                  const char *message); /* a line of the world's report; NULL: nobody reads it */
    void *user;                         /* given to `write` */
} vvLog;

/* All three: part of vvWorldDef, and an argument of vvSceneCreateHostedWorld. All zero: the library's own. */
typedef struct vvHost {
    vvAllocator allocator; /* memory */
    vvTaskSystem tasks;    /* parallel loops */
    vvLog log;             /* what it reports */
} vvHost;

#ifdef __cplusplus
}
#endif
#endif
