/* An allocator for tests of memory that runs short. */
#ifndef VV_TESTS_SHORT_MEMORY_H
#define VV_TESTS_SHORT_MEMORY_H

#include "visviva/host.h"

#include <stdbool.h>
#include <stdlib.h>

typedef struct budget {
    int left;  /* allocations that succeed; below 0: one has failed */
    int taken; /* asked for so far */
    int live;  /* granted and not given back */
    bool once; /* only one fails, and those after it succeed */
} budget;

static inline void *budget_take(void *user, size_t bytes, size_t alignment)
{
    budget *b = user;
    b->taken++;
    bool granted = b->left-- > 0 || (b->once && b->left < -1);
    void *block = granted ? aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment) : NULL;
    b->live += block != NULL;
    return block;
}

static inline void budget_give(void *user, void *block, size_t bytes)
{
    (void)bytes;
    ((budget *)user)->live--;
    free(block);
}

static inline vvAllocator budget_allocator(budget *b)
{
    return (vvAllocator){ .user = b, .allocate = budget_take, .release = budget_give };
}

#endif
