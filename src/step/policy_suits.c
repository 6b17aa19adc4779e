/* Which schemes a policy goes with (theory §3.1): rules that several share. */
#include "base/error.h"
#include "step/policy.h"
#include "step/scheme.h"

vvStatus vv_policy_over_backward_euler(const vv_scheme *row, vvError *error)
{
    static const char name[] = "backward-euler";
    if (vv_scheme_same(row, vv_scheme_find(name)))
        return VV_OK;
    return vv_fail(error, VV_ERROR_INPUT,
                   "it corrects the velocities of a backward Euler step; choose scheme \"%s\", or another policy "
                   "(\"none\" goes with every scheme)",
                   name);
}
