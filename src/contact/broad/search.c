/* The search of the broad phase: the tasks run in parallel, each descending two trees at once. Each chunk of tasks
 * puts what it finds into blocks from a common store; if that runs out it only keeps counting, and the search is
 * repeated with enough blocks. */
#include "contact/broad/broad.h"

#include <limits.h>
#include <string.h>

enum { CHUNKS = 512 }; /* at most */

typedef struct worker {
    vv_broad_walk walk;
    vv_broad *broad;
    vv_broad_found *found;
} worker;

static void keep(void *arg, vv_stencil kind, const vv_candidate *candidate)
{
    worker *w = arg;
    vv_broad *b = w->broad;
    vv_broad_found *f = w->found;
    int at = (int)(f->count[kind]++ % VV_BROAD_BLOCK);
    if (at == 0) {
        int block = atomic_fetch_add_explicit(&b->blocks_used, 1, memory_order_relaxed);
        if (block < 0 || (size_t)block >= b->block_capacity)
            block = -1;
        else
            b->blocks[block].next = -1;
        if (f->count[kind] == 1)
            f->first[kind] = block;
        else if (f->last[kind] >= 0)
            b->blocks[f->last[kind]].next = block;
        f->last[kind] = block;
    }
    if (f->last[kind] >= 0)
        b->blocks[f->last[kind]].list[at] = *candidate;
}

static void meet(vv_broad_walk *walk, int element, int group, int mask)
{
    worker *w = (worker *)walk;
    const vv_element *all = w->broad->elements;
    int considered = vv_broad_stencils(&walk->pair, &all[element], &all[4 * (size_t)group], mask, keep, w);
    w->found->considered += considered;
    w->found->own += walk->pair.a == walk->pair.b ? considered : 0;
}

static void search_chunk(void *arg, int chunk)
{
    vv_broad *b = arg;
    worker w = { .walk = { .meet = meet, .patches = b->patches, .stop = b->stop },
                 .broad = b,
                 .found = &b->found[chunk] };
    memset(w.found->count, 0, sizeof w.found->count);
    w.found->considered = w.found->own = 0;
    for (int i = w.found->begin; i < w.found->end && !w.walk.stopped; i++) {
        const vv_broad_task *t = &b->tasks[i];
        vv_broad_body_pair_init(b, t->a, t->b, &w.walk.pair);
        vv_broad_walk_task(&w.walk, t);
    }
}

typedef struct gathering {
    const vv_broad *broad;
    vv_candidate *list;
} gathering;

static void gather_chunk(void *arg, int chunk)
{
    const gathering *g = arg;
    const vv_broad_found *f = &g->broad->found[chunk];
    for (int kind = 0; kind < 4; kind++) {
        int64_t left = f->count[kind];
        if (left == 0)
            continue;
        vv_candidate *to = g->list + f->start[kind];
        for (int block = f->first[kind]; left > 0; block = g->broad->blocks[block].next) {
            size_t count = left < VV_BROAD_BLOCK ? (size_t)left : VV_BROAD_BLOCK;
            memcpy(to, g->broad->blocks[block].list, count * sizeof *to);
            to += count;
            left -= (int64_t)count;
        }
    }
}

/* Puts what was found behind what is in the list, kind by kind. */
static bool gather(vv_broad *b, const vv_parallel *par, vv_candidates *candidates, int chunks)
{
    int64_t total = 0;
    int start[5] = { 0 };
    const int *had = candidates->start;
    for (int kind = 0; kind < 4; kind++) {
        total += had[kind + 1] - had[kind];
        for (int c = 0; c < chunks && total <= INT_MAX; c++) {
            b->found[c].start[kind] = (int)total;
            total += b->found[c].count[kind];
        }
        if (total > INT_MAX)
            return false;
        start[kind + 1] = (int)total;
    }
    if (!vv_grow((void **)&candidates->list, &b->list_capacity, (size_t)total, sizeof *candidates->list) ||
        !vv_grow((void **)&candidates->plane, &b->plane_capacity, (size_t)total, sizeof *candidates->plane))
        return false;
    for (int kind = 3; kind >= 0; kind--) {
        const size_t count = (size_t)(had[kind + 1] - had[kind]), end = (size_t)start[kind] + count;
        if (count > 0) {
            memmove(candidates->list + start[kind], candidates->list + had[kind], count * sizeof *candidates->list);
            memmove(candidates->plane + start[kind], candidates->plane + had[kind], count * sizeof *candidates->plane);
        }
        if ((size_t)start[kind + 1] > end)
            memset(candidates->plane + end, 0, ((size_t)start[kind + 1] - end) * sizeof *candidates->plane);
    }
    gathering g = { b, candidates->list };
    vv_for(par, chunks, gather_chunk, &g);
    memcpy(candidates->start, start, sizeof start);
    return true;
}

bool vv_broad_search(vv_broad *b, const vv_parallel *par, int64_t most, vv_candidates *candidates)
{
    int chunks = b->task_count < CHUNKS ? b->task_count : CHUNKS;
    if (!vv_grow((void **)&b->found, &b->found_capacity, (size_t)chunks, sizeof *b->found))
        return false;
    for (int c = 0; c < chunks; c++) {
        b->found[c].begin = (int)((int64_t)b->task_count * c / chunks);
        b->found[c].end = (int)((int64_t)b->task_count * (c + 1) / chunks);
    }
    for (;;) {
        int64_t need = 0;
        b->considered = b->own = 0;
        candidates->found = candidates->start[4];
        atomic_store(&b->blocks_used, 0);
        b->stop = par ? par->stop : NULL;
        vv_for(par, chunks, search_chunk, b);
        if (vv_for_stopped(par))
            return false;
        for (int c = 0; c < chunks; c++) {
            b->considered += b->found[c].considered;
            b->own += b->found[c].own;
            for (int kind = 0; kind < 4; kind++) {
                candidates->found += b->found[c].count[kind];
                need += (b->found[c].count[kind] + VV_BROAD_BLOCK - 1) / VV_BROAD_BLOCK;
            }
        }
        if (most > 0 && candidates->found > most)
            return true;
        if (need > INT_MAX / VV_BROAD_BLOCK)
            return false;
        if ((size_t)need <= b->block_capacity)
            return gather(b, par, candidates, chunks);
        if (!vv_grow((void **)&b->blocks, &b->block_capacity, (size_t)need, sizeof *b->blocks))
            return false;
    }
}
