/* visviva/host.h: what a host program may supply in place of the library's own: memory, parallel loops, log. A
 * vvWorldDef takes all three; each may be zero.
 *
 * Callbacks. While a function works on a world it may call the host's: the log, the parallel loops, the allocator, and
 * the cancel function (vvWorldSetCancel). These must not change the world meanwhile:
 * - A function with a vvStatus that is called on the same world is refused (VV_ERROR_INPUT), also from files
 *   (vvRunAddFrame, ...). vvWorldDestroy, vvWorldSetCancel and vvWorldCheckIntersections do nothing. Note what is to be
 *   done, and do it afterwards.
 * - vvWorldCancel works. So do getters, which show the state at that moment.
 * - The allocator's two functions must not call the library. Functions of any world are refused there, and getters
 *   return 0, NULL, "" or false.
 * - The function's arguments (a mesh, a scene, a snapshot, a run) must stay valid until it returns.
 * Other worlds may be used, except by the allocator. */
#ifndef VISVIVA_HOST_H
#define VISVIVA_HOST_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- memory
 * -------------------------------------------------------------------------------------------------------- */

/* The source of the library's memory. Both functions NULL: the C library's aligned_alloc and free.
 * - A block is released by the allocator that made it, possibly in another thread.
 * - If `allocate` returns NULL, or a block without the alignment asked for, the call fails with VV_ERROR_MEMORY, and
 *   its object is unchanged.
 * - Only the thread that calls the library allocates, never a helper thread or a task; in vvBatchStep (batch.h) the
 *   batch's threads do.
 * - A warm step, whose contacts fit into the existing arrays, allocates nothing.
 * - CHOLMOD (with AMD, METIS, OpenBLAS), HDF5, jansson and the C library (files, threads) still use malloc; CHOLMOD
 *   also in warm steps. */
typedef struct vvAllocator {
    /* alignment: a power of two, at most 64; NULL: none left */
    void *(*allocate)(void *user, size_t bytes, size_t alignment);
    void (*release)(void *user, void *block, size_t bytes); /* bytes: as given to `allocate` */
    void *user;                                             /* given to both */
} vvAllocator;

/* Sets the allocator for objects that the calling thread makes from now on: meshes, scenes, runs, and worlds whose
 * definition names no allocator. NULL: the C library's. The setting belongs to the thread; with vvSetThreadCancel's it
 * is the library's only state outside its objects. VV_ERROR_INPUT if one of the two functions is missing. */
VV_API vvStatus vvSetThreadAllocator(const vvAllocator *allocator, vvError *error);

/* ---- cancelling
 * ---------------------------------------------------------------------------------------------------- */

/* Sets a function that the calling thread's calls ask whether to end: reading, generating, finishing, repairing and
 * filling meshes, making worlds of scenes, and whatever asks a world's own (vvWorldSetCancel), besides that. It is
 * called with `user` in long loops, thousands of times a second, in this thread; true: the call ends with VV_CANCELLED,
 * and leaves things as other failures do. It may call the library; those calls do not ask. A call asks the function
 * with which it began, while that is set: one set in a callback is for the calls made there. NULL: none. */
VV_API void vvSetThreadCancel(bool (*cancel)(void *user), void *user);

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
    VV_LOG_WARNING /* what may make the results wrong */
} vvLogLevel;
/* `write` receives a world's messages, one line at a time, without a line end:
 * - a solve that stopped before it converged (the first of consecutive ones)
 * - a missing ground energy
 * - of a scene: how a surface was filled with tets, and a body that is a closed surface without tets
 * - the friction speed that was chosen
 * - a change of the linear solver
 * - tets of a loaded body that are too few or too stiff for the load
 * - a rebuilt world after a change, and the time that took
 * It is called during a call of the library, in the thread that made the call; see "Callbacks" above. */
typedef struct vvLog {
    void (*write)(void *user, vvLogLevel level, const char *message); /* a line of the log; NULL: there is no log */
    void *user;                                                       /* given to `write` */
} vvLog;

/* All three: part of vvWorldDef, and an argument of vvSceneCreateHostedWorld. All zero: the library's own. */
typedef struct vvHost {
    vvAllocator allocator; /* memory */
    vvTaskSystem tasks;    /* parallel loops */
    vvLog log;             /* messages */
} vvHost;

#ifdef __cplusplus
}
#endif
#endif
