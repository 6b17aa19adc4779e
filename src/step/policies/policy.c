/* The list of energy policies, and `none`. A new one is a file that ends in its vv_policy_ops, and a row here. */
#include "step/policies/policy.h"

#include <string.h>

static const vv_policy_ops none = { .info = { "none", "leaves the scheme's result unchanged" }, .rails = true };

extern const vv_policy_ops vv_policy_a1, vv_policy_search, vv_policy_filtered_search, vv_policy_blend,
    vv_policy_project, vv_policy_velocity_scale, vv_policy_multiplier;
#if defined(VV_MORE_POLICIES) /* one more row, for a program that compiles this file itself, as a test does */
extern const vv_policy_ops VV_MORE_POLICIES;
#define MORE , &VV_MORE_POLICIES
#else
#define MORE
#endif

static const vv_policy_ops *const table[] = { &none,
                                              &vv_policy_a1,
                                              &vv_policy_search,
                                              &vv_policy_filtered_search,
                                              &vv_policy_blend,
                                              &vv_policy_project,
                                              &vv_policy_velocity_scale,
                                              &vv_policy_multiplier MORE };
enum { COUNT = sizeof table / sizeof table[0] };

const vv_policy_ops *vv_policy_table(int i) { return i >= 0 && i < COUNT ? table[i] : NULL; }
const vvInfo *vv_policy_info(int i) { return i >= 0 && i < COUNT ? &table[i]->info : NULL; }
const vvInfo *vvPolicyInfo(int i) { return vv_policy_info(i); }

const vvParam *vvPolicyParams(int i, int *count)
{
    const vv_policy_ops *row = vv_policy_table(i);
    if (count)
        *count = row ? row->params.count : 0;
    return row ? row->params.list : NULL;
}

const vv_policy_ops *vv_policy_find(const char *name)
{
    for (int i = 0; i < COUNT; i++)
        if (strcmp(table[i]->info.name, name) == 0)
            return table[i];
    return NULL;
}
