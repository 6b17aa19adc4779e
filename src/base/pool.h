/* Runs a loop's chunks over a pool of threads; for base/parallel.c. */
#ifndef VV_BASE_POOL_H
#define VV_BASE_POOL_H

#include "base/parallel.h"

/* fn for every chunk, each once; returns when all are done. One caller at a time. */
void vv_pool_run(struct vv_pool *pool, int chunks, vv_chunk_fn *fn, void *arg);

#endif
