/* Values of parameters: one rule for schemes, policies, generators, obstacles and initial states. */
#include "base/text/param.h"
#include "base/error.h"
#include "base/text/range.h"
#include "base/text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int vvParamChoice(const vvParam *p, const char *name)
{
    for (int i = 0; p && name && i < p->choiceCount; i++)
        if (strcmp(p->choices[i].name, name) == 0)
            return i;
    return -1;
}

static void list_choices(const vvParam *p, char *out, size_t size)
{
    size_t used = 0;
    out[0] = 0;
    for (int i = 0; i < p->choiceCount && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", p->choices[i].name);
}

/* The name that was probably meant, or NULL. */
static const char *nearest(const vvParam *p, const char *name)
{
    const char *found = NULL;
    int best = VV_NEAR;
    for (int i = 0; i < p->choiceCount; i++)
        if (vv_is_nearer(name, p->choices[i].name, &best))
            found = p->choices[i].name;
    return found;
}

vvStatus vv_param_place(const vvParam *p, const char *name, const char *of, int *place, vvError *error)
{
    char names[512];
    const vv_range range = vv_param_range(p);
    if (!p->choiceCount)
        return vv_fail(error, VV_ERROR_INPUT, "%s.%s: \"%.64s\" is a name; it must be %s", of, p->name, name,
                       vv_range_text(&range, names));
    *place = vvParamChoice(p, name);
    if (*place >= 0)
        return VV_OK;
    const char *near = nearest(p, name);
    list_choices(p, names, sizeof names);
    return vv_fail(error, VV_ERROR_INPUT, "%s.%s: \"%.64s\" is not known%s%s%s; there are: %s", of, p->name, name,
                   near ? "; did you mean \"" : "", near ? near : "", near ? "\"" : "", names);
}

vvStatus vv_param_check(const vvParam *p, int component, double x, const char *of, vvError *error)
{
    const vv_range range = vv_param_range(p);
    char what[128], names[512];
    if (vv_range_has(&range, x))
        return VV_OK;
    vv_print(what, sizeof what, p->size > 1 ? "%s.%s[%d]" : "%s.%s", of, p->name, component);
    vv_range_check(&range, x, what, error);
    if (error && p->choiceCount) {
        const size_t used = strlen(error->message);
        list_choices(p, names, sizeof names);
        vv_print(error->message + used, sizeof error->message - used, ", the place of one of: %s", names);
    }
    return VV_ERROR_INPUT;
}

vvStatus vv_params_complete(const vvParam *params, int count, const double *values, const char *of, double *out,
                            vvError *error)
{
    vvStatus status = VV_OK;
    for (int i = 0, at = 0; i < count; i++)
        for (int k = 0; k < params[i].size && status == VV_OK; k++, at++) {
            const double fallback = params[i].fallback[k];
            out[at] = values ? values[at] : fallback;
            if (!(isnan(out[at]) && isnan(fallback)))
                status = vv_param_check(params + i, k, out[at], of, error);
        }
    return status;
}
