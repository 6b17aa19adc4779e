/* Rules that several policies share: which schemes one goes with (theory §3.1), what it may have remembered. */
#include "base/error.h"
#include "step/policies/policy.h"
#include "step/schemes/scheme.h"

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

bool vv_policy_sound_flag(const void *memory, const void *body_memory, size_t bodies)
{
    (void)body_memory, (void)bodies;
    return *(const unsigned char *)memory <= 1;
}
