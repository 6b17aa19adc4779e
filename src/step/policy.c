/* The list of energy policies, and `none`. A new one is a file that ends in its vv_policy_ops, and a row here. */
#include "step/stepper.h"

#include <string.h>

const vv_policy_ops vv_policy_none = { .info = { "none", "leaves the scheme's energy as it comes" } };

static const vv_policy_ops *const table[] = { &vv_policy_none, &vv_policy_a1, &vv_policy_search };
enum { COUNT = sizeof table / sizeof table[0] };

const vv_policy_ops *vv_policy_table(int i) { return i >= 0 && i < COUNT ? table[i] : NULL; }
const vvInfo *vv_policy_info(int i) { return i >= 0 && i < COUNT ? &table[i]->info : NULL; }
const vvInfo *vvPolicyInfo(int i) { return vv_policy_info(i); }

const vv_policy_ops *vv_policy_find(const char *name)
{
    for (int i = 0; i < COUNT; i++)
        if (strcmp(table[i]->info.name, name) == 0)
            return table[i];
    return NULL;
}
