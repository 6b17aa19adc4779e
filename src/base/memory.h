/* All allocation: sizes are checked for overflow, memory is zeroed and aligned to 64 bytes. It comes from the
 * allocator of the calling thread, and is returned to that one, whichever is in use by then. */
#ifndef VV_BASE_MEMORY_H
#define VV_BASE_MEMORY_H

#include "visviva/host.h"

#include <stddef.h>

/* count * size bytes, zeroed, 64-byte aligned; NULL on failure. vv_alloc(0, n) returns a valid pointer. */
void *vv_alloc(size_t count, size_t size);
/* The same, filled with the bytes of `list`; zero if that is NULL. */
void *vv_alloc_copy(const void *list, size_t count, size_t size);
void vv_free(void *p);
/* Grows an array geometrically: *capacity becomes >= need. Returns 0 on failure (the array is unchanged). */
int vv_grow(void **array, size_t *capacity, size_t need, size_t size);
char *vv_strdup(const char *s);

/* Makes `allocator` the calling thread's and returns the previous one, which the caller restores in the same way. */
vvAllocator vv_memory_use(vvAllocator allocator);
vvAllocator vv_memory_in_use(void);
/* Whether the calling thread is in a function of a host's allocator: then anything may be half made. */
bool vv_memory_in_host(void);
/* How many allocations of the calling thread have failed so far: for code whose steps report only that they failed. */
unsigned vv_memory_failures(void);
/* VV_ERROR_INPUT if only one of the two functions is set. */
vvStatus vv_memory_check(const vvAllocator *allocator, vvError *error);

/* Mark-and-release scratch memory: a world owns one; a function takes a mark, pushes, and releases to the mark. Grows
 * while cold, allocates nothing once warm. */
typedef struct vv_arena {
    struct vv_arena_block *blocks;
    size_t used, peak;
    size_t reserved; /* bytes that can be pushed without failure */
} vv_arena;
/* Makes room for pushes of `bytes` in all, counting up to 63 bytes more for each; these cannot fail then, and need
 * not be checked. 0 on failure. */
int vv_arena_reserve(vv_arena *arena, size_t bytes);
void *vv_arena_push(vv_arena *arena, size_t count, size_t size); /* not zeroed; NULL on failure */
size_t vv_arena_mark(const vv_arena *arena);
void vv_arena_release(vv_arena *arena, size_t mark);
void vv_arena_free(vv_arena *arena);

#endif
