/* What costs the most: the body for which solves go on, and the two bodies between which contact has the most to sum.
 *
 * Counts, not seconds, so that they are the same on each machine and with any number of threads. They are no part of
 * the state: a world that is baked anew begins at zero. Where memory is short, pairs are left out. */
#include "base/text/text.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

bool vv_costs_begin(vvWorld *w)
{
    vv_costs *c = &w->costs;
    const bool room = vv_grow((void **)&c->longest, &c->longest_capacity, w->body_count + 1, sizeof *c->longest);
    if (room)
        memset(c->longest, 0, (w->body_count + 1) * sizeof *c->longest);
    c->pair_count = 0;
    w->system.longest = room ? c->longest : NULL;
    return room;
}

void vv_costs_free(vvWorld *w)
{
    vv_free(w->costs.longest);
    vv_free(w->costs.pairs);
    w->costs = (vv_costs){ 0 };
    w->system.longest = NULL;
}

static int compare(const void *left, const void *right)
{
    const vv_pair_cost *p = left, *q = right;
    return p->a != q->a ? (p->a > q->a) - (p->a < q->a) : (p->b > q->b) - (p->b < q->b);
}

void vv_costs_after_step(vvWorld *w, int iterations)
{
    vv_costs *c = &w->costs;
    const vv_contact *contact = w->contact;
    const size_t known = c->pair_count, found = contact && !contact->missed ? contact->touching_count : 0;
    for (size_t i = 0; i < found; i++) {
        const vv_near *near = contact->touching + i;
        const vv_pair_cost key = { .a = near->a, .b = near->b };
        vv_pair_cost *at = known ? bsearch(&key, c->pairs, known, sizeof key, compare) : NULL;
        if (!at && vv_grow((void **)&c->pairs, &c->pair_capacity, c->pair_count + 1, sizeof key)) {
            at = c->pairs + c->pair_count++;
            *at = key;
        }
        if (at)
            at->terms += (int64_t)near->terms * iterations;
    }
    if (c->pair_count > known)
        qsort(c->pairs, c->pair_count, sizeof *c->pairs, compare);
}

void vvWorldBottleneck(const vvWorld *w, vvBottleneck *out)
{
    if (!out)
        return;
    *out = (vvBottleneck){ 0 };
    if (!vv_world_readable(w) || !w->baked)
        return;
    const vv_costs *c = &w->costs;
    for (size_t b = 0; w->system.longest && b < w->body_count; b++) {
        out->iterations += c->longest[b];
        if (c->longest[b] > out->bodyIterations) {
            out->bodyIterations = c->longest[b];
            vv_print(out->body, sizeof out->body, "%s", w->bodies[b].name);
        }
    }
    for (size_t i = 0; i < c->pair_count; i++) {
        const vv_pair_cost *p = c->pairs + i;
        out->terms += p->terms;
        if (p->terms > out->pairTerms) {
            out->pairTerms = p->terms;
            vv_print(out->pair[0], sizeof out->pair[0], "%s", w->bodies[p->a].name);
            vv_print(out->pair[1], sizeof out->pair[1], "%s", w->bodies[p->b].name);
        }
    }
}
