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

vvStatus vv_build_touches(vvWorld *w, vvError *error)
{
    bool all = true;
    for (size_t b = 0; b < w->body_count; b++)
        for (size_t o = 0; o < w->obstacle_count; o++)
            all = all && vvFiltersTouch(&w->bodies[b].filter, &w->obstacles[o].filter);
    if (all)
        return VV_OK;
    w->touches = vv_alloc(w->body_count * w->obstacle_count, 1);
    if (!w->touches)
        return vv_fail_memory(error, "the filters");
    for (size_t b = 0; b < w->body_count; b++)
        for (size_t o = 0; o < w->obstacle_count; o++)
            w->touches[b * w->obstacle_count + o] = vvFiltersTouch(&w->bodies[b].filter, &w->obstacles[o].filter);
    return VV_OK;
}
