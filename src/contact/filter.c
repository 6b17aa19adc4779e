/* Filters: which bodies and obstacles may touch, worked out once for all pairs. */
#include "base/error.h"
#include "base/memory.h"
#include "contact/contact.h"

vvFilter vvDefaultFilter(void)
{
    return (vvFilter){ .category = 1, .mask = UINT64_MAX, .internalValue = VV_MADE_BY_DEFAULT };
}

bool vvFiltersTouch(const vvFilter *a, const vvFilter *b)
{
    if (!a || !b)
        return false;
    if (a->group != 0 && a->group == b->group)
        return a->group > 0;
    return (a->mask & b->category) && (b->mask & a->category);
}

vvStatus vv_filter_bodies(const vv_contact_body *bodies, int count, const int (*pairs)[2], int apart,
                          unsigned char **touches, vvError *error)
{
    size_t n = (size_t)count;
    bool all = apart == 0;
    *touches = NULL;
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < a; b++)
            all = all && vvFiltersTouch(&bodies[a].filter, &bodies[b].filter);
    if (all)
        return VV_OK;
    *touches = vv_alloc(n * n, 1);
    if (!*touches)
        return vv_fail_memory(error, "the filters");
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            (*touches)[a * n + b] = a == b || vvFiltersTouch(&bodies[a].filter, &bodies[b].filter);
    for (int i = 0; i < apart; i++) {
        const size_t a = (size_t)pairs[i][0], b = (size_t)pairs[i][1];
        (*touches)[a * n + b] = (*touches)[b * n + a] = 0;
    }
    return VV_OK;
}

/* Kinematic bodies are moved by script and do not react: they touch no obstacle. */
static bool touch(const vv_contact_body *b, const vv_obstacle *o)
{
    return b->moves && vvFiltersTouch(&b->filter, &o->filter);
}

vvStatus vv_filter_obstacles(const vv_contact_body *bodies, int count, const vv_obstacle *obstacles, int obstacle_count,
                             unsigned char **touches, vvError *error)
{
    size_t n = (size_t)count, m = (size_t)obstacle_count;
    bool all = true;
    *touches = NULL;
    for (size_t b = 0; b < n; b++)
        for (size_t o = 0; o < m; o++)
            all = all && touch(bodies + b, obstacles + o);
    if (all)
        return VV_OK;
    *touches = vv_alloc(n * m, 1);
    if (!*touches)
        return vv_fail_memory(error, "the filters");
    for (size_t b = 0; b < n; b++)
        for (size_t o = 0; o < m; o++)
            (*touches)[b * m + o] = touch(bodies + b, obstacles + o);
    return VV_OK;
}
