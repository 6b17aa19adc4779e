/* Parallel loops over chunks. The chunking of a loop never depends on the number of threads, and partial sums are
 * added in the chunks' order: any thread count gives the same bits. */
#ifndef VV_BASE_PARALLEL_H
#define VV_BASE_PARALLEL_H

#include "base/stop.h"
#include "visviva/host.h"

#include <stdbool.h>

typedef struct vv_parallel {
    int threads;          /* >= 1 */
    struct vv_pool *pool; /* helper threads; NULL: OpenMP's, or none in a build without it */
    vvTaskSystem tasks;   /* the host's loop, if it has one: used instead of both */
    vv_stop *stop;        /* asked in long loops; NULL: they run to their end */
} vv_parallel;

/* A pool of threads - 1 helpers (base/pool.c). NULL if threads is 1 or none could be started: then loops use OpenMP.
 * False if memory is short. */
bool vv_pool_create(int threads, struct vv_pool **pool);
void vv_pool_destroy(struct vv_pool *pool);
/* So many threads with their pool, or one if the system starts no other: OpenMP would end the program there. False if
 * memory is short. */
bool vv_parallel_start(vv_parallel *par, int threads);

int vv_core_count(void);

/* fn(arg, chunk) for chunk = 0 .. chunks-1, each once, in any order, on any threads. A chunk must not allocate: its
 * thread has another allocator than the caller. */
typedef void vv_chunk_fn(void *arg, int chunk);
void vv_for(const vv_parallel *par, int chunks, vv_chunk_fn *fn, void *arg);

/* To wake threads and wait for the last takes some 10 us, so that two gain nothing in a loop below twice that. The
 * threads for a loop of about so many ns: `par`, or NULL, this one alone. */
static inline const vv_parallel *vv_helpers_for(const vv_parallel *par, double ns) { return ns < 30000 ? NULL : par; }

static inline bool vv_for_stopped(const vv_parallel *par) { return par && vv_stop_wanted(par->stop); }

/* The usual chunk of a loop over n scalars: chunk c covers [c * VV_CHUNK, min(n, (c+1) * VV_CHUNK)). */
enum { VV_CHUNK = 4096 };
static inline int vv_chunks(int n) { return (n + VV_CHUNK - 1) / VV_CHUNK; }
static inline int vv_chunk_begin(int chunk) { return chunk * VV_CHUNK; }
static inline int vv_chunk_end(int chunk, int n) { return (chunk + 1) * VV_CHUNK < n ? (chunk + 1) * VV_CHUNK : n; }

#endif
