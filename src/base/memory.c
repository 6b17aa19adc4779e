/* Aligned, zeroed, overflow-checked allocation and the scratch arena. */
#include "base/memory.h"

#include "base/error.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64 };

static int size_of(size_t count, size_t size, size_t *bytes)
{
    if (size && count > (SIZE_MAX - 4 * ALIGN) / size)
        return 0;
    *bytes = (count * size + ALIGN - 1) / ALIGN * ALIGN;
    if (*bytes == 0)
        *bytes = ALIGN;
    return 1;
}

/* In front of every block: its allocator, so that vv_free works under any other. */
typedef union header {
    struct {
        vvAllocator allocator;
        size_t bytes;
    } of;
    char room[ALIGN];
} header;
_Static_assert(sizeof(header) == ALIGN, "the block after the header is aligned");

/* With the thread's cancel function (stop.c) the library's only state outside its objects: the allocator of the calling
 * thread (all NULL: the C library's), how often it has failed, and whether one is being called. */
static _Thread_local struct {
    vvAllocator allocator;
    unsigned failures, in_host;
} thread_memory;

vvAllocator vv_memory_use(vvAllocator allocator)
{
    vvAllocator before = thread_memory.allocator;
    thread_memory.allocator = allocator;
    return before;
}

bool vv_memory_in_host(void) { return thread_memory.in_host > 0; }

unsigned vv_memory_failures(void) { return thread_memory.failures; }

vvAllocator vv_memory_in_use(void) { return thread_memory.allocator; }

vvStatus vvSetThreadAllocator(const vvAllocator *allocator, vvError *error)
{
    vv_error_clear(error);
    vvStatus status = allocator ? vv_memory_check(allocator, error) : VV_OK;
    if (status == VV_OK)
        thread_memory.allocator = allocator ? *allocator : (vvAllocator){ 0 };
    return status;
}

vvStatus vv_memory_check(const vvAllocator *allocator, vvError *error)
{
    if (!allocator->allocate == !allocator->release)
        return VV_OK;
    return vv_fail(error, VV_ERROR_INPUT,
                   "allocator: it has no %s function; give both functions, or none for the C library's",
                   allocator->allocate ? "release" : "allocate");
}

static void *obtain(const vvAllocator *allocator, size_t bytes)
{
    if (!allocator->allocate)
        return aligned_alloc(ALIGN, bytes);
    thread_memory.in_host++;
    void *block = allocator->allocate(allocator->user, bytes, ALIGN);
    thread_memory.in_host--;
    return block;
}

static void release(const vvAllocator *allocator, void *block, size_t bytes)
{
    if (!allocator->release) {
        free(block);
        return;
    }
    thread_memory.in_host++;
    allocator->release(allocator->user, block, bytes);
    thread_memory.in_host--;
}

static void *take(size_t count, size_t size)
{
    const vvAllocator allocator = thread_memory.allocator;
    size_t bytes;
    if (!size_of(count, size, &bytes))
        return NULL;
    bytes += sizeof(header);
    header *block = obtain(&allocator, bytes);
    if (!block)
        return NULL;
    if ((uintptr_t)block % ALIGN) { /* a host's error: kernels would crash on it */
        release(&allocator, block, bytes);
        return NULL;
    }
    block->of.allocator = allocator;
    block->of.bytes = bytes;
    return memset(block + 1, 0, bytes - sizeof(header));
}

void *vv_alloc(size_t count, size_t size)
{
    void *p = take(count, size);
    thread_memory.failures += p == NULL;
    return p;
}

void *vv_alloc_copy(const void *list, size_t count, size_t size)
{
    void *copy = vv_alloc(count, size);
    if (copy && list && count)
        memcpy(copy, list, count * size);
    return copy;
}

void vv_free(void *p)
{
    if (!p)
        return;
    header *block = (header *)p - 1;
    vvAllocator allocator = block->of.allocator;
    release(&allocator, block, block->of.bytes);
}

int vv_grow(void **array, size_t *capacity, size_t need, size_t size)
{
    if (need <= *capacity)
        return 1;
    size_t grown = *capacity + *capacity / 2 + 16;
    if (grown < need)
        grown = need;
    void *p = vv_alloc(grown, size);
    if (!p)
        return 0;
    if (*array)
        memcpy(p, *array, *capacity * size);
    vv_free(*array);
    *array = p;
    *capacity = grown;
    return 1;
}

char *vv_strdup(const char *s)
{
    size_t n = strlen(s) + 1;
    char *p = vv_alloc(n, 1);
    if (p)
        memcpy(p, s, n);
    return p;
}

/* Blocks form a list, newest first; `start` is the arena offset at which a block begins. Released blocks are kept,
 * so a warm arena allocates nothing. */
struct vv_arena_block {
    struct vv_arena_block *older;
    size_t start, size;
    char *data;
};

static struct vv_arena_block *block_at(const vv_arena *arena)
{
    struct vv_arena_block *b = arena->blocks;
    while (b && b->start > arena->used)
        b = b->older;
    return b;
}

void *vv_arena_push(vv_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (!size_of(count, size, &bytes))
        return NULL;
    struct vv_arena_block *b = block_at(arena);
    if (!b || arena->used + bytes > b->start + b->size) {
        /* the newer blocks are too small or absent: use the next one that is large enough from its start, else a new
         * one */
        struct vv_arena_block *fit = NULL;
        for (struct vv_arena_block *n = arena->blocks; n && n != b; n = n->older)
            if (bytes <= n->size)
                fit = n;
        if (!fit) {
            size_t end = arena->blocks ? arena->blocks->start + arena->blocks->size : 0;
            size_t want = bytes > (size_t)1 << 20 ? bytes : (size_t)1 << 20;
            if (want < end)
                want = end;
            fit = vv_alloc(1, sizeof *fit);
            char *data = fit ? vv_alloc(want, 1) : NULL;
            if (!data) {
                vv_free(fit);
                return NULL;
            }
            *fit = (struct vv_arena_block){ arena->blocks, end, want, data };
            arena->blocks = fit;
        }
        arena->used = fit->start;
        b = fit;
    }
    void *p = b->data + (arena->used - b->start);
    arena->used += bytes;
    if (arena->used > arena->peak)
        arena->peak = arena->used;
    return p;
}

int vv_arena_reserve(vv_arena *arena, size_t bytes)
{
    if (bytes <= arena->reserved)
        return 1;
    size_t mark = arena->used, peak = arena->peak;
    if (!vv_arena_push(arena, bytes, 1))
        return 0;
    arena->used = mark;
    arena->peak = peak;
    arena->reserved = bytes;
    return 1;
}

size_t vv_arena_mark(const vv_arena *arena) { return arena->used; }
void vv_arena_release(vv_arena *arena, size_t mark) { arena->used = mark; }

void vv_arena_free(vv_arena *arena)
{
    struct vv_arena_block *b = arena->blocks;
    while (b) {
        struct vv_arena_block *older = b->older;
        vv_free(b->data);
        vv_free(b);
        b = older;
    }
    *arena = (vv_arena){ 0 };
}
