/* visviva/host.h: what a host program may put in place of the library's own: memory, log, parallel loops. A vvWorldDef takes
 * all three; each may be left zero. */
#ifndef VISVIVA_HOST_H
#define VISVIVA_HOST_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- memory -------------------------------------------------------------------------------------------------------- */

/* Where the library takes memory from; both functions NULL: the C library's aligned_alloc and free. A block goes back to the
 * allocator that made it, possibly in another thread's call. Where `allocate` gives NULL (or a block that is not aligned as
 * asked), the call fails with VV_ERROR_MEMORY and what it worked on is as it was. Only the thread that calls the library
 * allocates, never a helper thread or a task. CHOLMOD (with AMD, METIS, OpenBLAS), HDF5, jansson and the C library
 * (files, threads) keep their own memory, from malloc. */
typedef struct vvAllocator {
    void *(*allocate)(void *user, size_t bytes, size_t alignment); /* alignment: a power of two, at most 64; NULL: none left */
    void (*release)(void *user, void *block, size_t bytes);        /* bytes: as was asked for */
    void *user;
} vvAllocator;

/* For what the calling thread makes from now on: meshes, scenes, runs, and worlds whose definition names no allocator. NULL:
 * the C library's. The setting is the thread's own; the library has no other state outside its objects. Fails
 * (VV_ERROR_INPUT) where one of the two functions is missing. */
VV_API vvStatus vvSetThreadAllocator(const vvAllocator *allocator, vvError *error);

/* ---- parallel loops --------------------------------------------------------------------------------------------------- */

/* A loop of the host's, in place of the library's own threads: calls task(context, i) once for each i = 0 .. count - 1, in any
 * order, on any threads, and returns when all of them have returned. */
typedef struct vvTaskSystem {
    int workers; /* how many tasks run at once; 1: loops stay in the calling thread. Results do not depend on it */
    void (*run)(void *user, int count, void (*task)(void *context, int index), void *context);
    void *user;
} vvTaskSystem;

/* ---- log ---------------------------------------------------------------------------------------------------------------- */

typedef enum vvLogLevel { VV_LOG_INFO, VV_LOG_WARNING } vvLogLevel;
/* What a world has to say beside its results, a line at a time (without its end): a solve that stopped before it converged
 * (the first of a row of them), no ground energy, the friction speed that was chosen, another linear solver, the world
 * built anew after a change and how long that took. Called in the thread that called the library, within that call; it must
 * not call the world. */
typedef struct vvLog {
    void (*write)(void *user, vvLogLevel level, const char *message);
    void *user;
} vvLog;

/* All of it: part of vvWorldDef, and an argument where a scene becomes a world. All zero: nothing of the host's. */
typedef struct vvHost {
    vvAllocator allocator;
    vvTaskSystem tasks;
    vvLog log;
} vvHost;

#ifdef __cplusplus
}
#endif
#endif
