/* Filters: which bodies and obstacles may touch, worked out once for all pairs when a world is baked. */
#include "base/error.h"
#include "base/memory.h"
#include "world/world.h"

vvFilter vvDefaultFilter(void) { return (vvFilter){ 1, UINT64_MAX, 0 }; }

bool vvFiltersTouch(const vvFilter *a, const vvFilter *b)
{
    if (a->group != 0 && a->group == b->group)
        return a->group > 0;
    return (a->mask & b->category) && (b->mask & a->category);
}

/* Kinematic bodies go their way, whatever they meet. */
static bool touch(const vv_body *b, const vv_obstacle *o) { return !b->kinematic && vvFiltersTouch(&b->filter, &o->filter); }

vvStatus vv_build_touches(vvWorld *w, vvError *error)
{
    bool all = true;
    for (size_t b = 0; b < w->body_count; b++)
        for (size_t o = 0; o < w->obstacle_count; o++)
            all = all && touch(w->bodies + b, w->obstacles + o);
    if (all)
        return VV_OK;
    w->touches = vv_alloc(w->body_count * w->obstacle_count, 1);
    if (!w->touches)
        return vv_fail_memory(error, "the filters");
    for (size_t b = 0; b < w->body_count; b++)
        for (size_t o = 0; o < w->obstacle_count; o++)
            w->touches[b * w->obstacle_count + o] = touch(w->bodies + b, w->obstacles + o);
    return VV_OK;
}
