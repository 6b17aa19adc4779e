/* Values of parameters: one rule for schemes, policies, generators, obstacles and initial states. */
#include "base/param.h"
#include "base/error.h"

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
    if (!p->choiceCount)
        return vv_fail(error, VV_ERROR_INPUT, "%s.%s: \"%.64s\" is a name; it must be a number from %.9g to %.9g%s%s",
                       of, p->name, name, p->min, p->max, *p->unit ? " " : "", p->unit);
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
    if (isfinite(x) && x >= p->min && x <= p->max && (!p->integer || x == floor(x)))
        return VV_OK;
    char which[16] = "", names[512];
    if (p->size > 1)
        snprintf(which, sizeof which, "[%d]", component);
    list_choices(p, names, sizeof names);
    return vv_fail(error, VV_ERROR_INPUT, "%s.%s%s is %.9g; it must be %s%.9g to %.9g%s%s%s%s", of, p->name, which, x,
                   p->integer ? "a whole number from " : "", p->min, p->max, *p->unit ? " " : "", p->unit,
                   p->choiceCount ? ", the place of one of: " : "", names);
}
