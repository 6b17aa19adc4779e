/* What several of these programs measure with. */
#ifndef VV_BENCH_MEASURE_H
#define VV_BENCH_MEASURE_H

#include "base/clock.h"
#include "base/memory.h"
#include "base/parallel.h"

#include <stdlib.h>
#include <string.h>

static inline int by_number(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts them. */
static inline double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_number);
    return values[count / 2];
}

typedef struct copying {
    double *to, *from;
    int n;
} copying;

static inline void copy_chunk(void *arg, int chunk)
{
    const copying *c = arg;
    const int begin = vv_chunk_begin(chunk), end = vv_chunk_end(chunk, c->n);
    memcpy(c->to + begin, c->from + begin, (size_t)(end - begin) * sizeof *c->to);
}

/* 1e9 bytes that the machine reads and writes a second where it copies. */
static inline double copy_gbs(const vv_parallel *par)
{
    enum { RUNS_OF_COPY = 9 };
    copying c = { vv_alloc(1 << 24, sizeof(double)), vv_alloc(1 << 24, sizeof(double)), 1 << 24 };
    double t[RUNS_OF_COPY];
    for (int k = -1; k < RUNS_OF_COPY; k++) {
        const double at = vv_seconds();
        vv_for(par, vv_chunks(c.n), copy_chunk, &c);
        t[k < 0 ? 0 : k] = vv_seconds() - at;
    }
    vv_free(c.to);
    vv_free(c.from);
    return 16e-9 * c.n / median(t, RUNS_OF_COPY);
}

#endif
