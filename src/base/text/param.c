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

const vvParam *vv_params_find(const vv_params *p, const char *name)
{
    for (int i = 0; name && i < p->count; i++)
        if (strcmp(p->list[i].name, name) == 0)
            return p->list + i;
    return NULL;
}

static vvStatus unknown(const vv_params *p, const char *name, const char *of, vvError *error)
{
    char names[512] = "";
    const char *near = NULL;
    size_t used = 0;
    int best = VV_NEAR;
    for (int i = 0; i < p->count && used < sizeof names; i++) {
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", p->list[i].name);
        if (name && vv_is_nearer(name, p->list[i].name, &best))
            near = p->list[i].name;
    }
    return vv_fail(error, VV_ERROR_INPUT, "%s: there is no parameter \"%.64s\"%s%s%s; there are: %s", of,
                   name ? name : "(NULL)", near ? "; did you mean \"" : "", near ? near : "", near ? "\"" : "",
                   p->count ? names : "none");
}

/* One setting's numbers, in their place. */
static vvStatus set(const vv_params *p, const vvSetting *s, const char *of, double *out, vvError *error)
{
    const vvParam *param = vv_params_find(p, s->name);
    vvStatus status = VV_OK;
    int place;
    if (!param)
        return unknown(p, s->name, of, error);
    for (const vvParam *before = p->list; before < param; before++)
        out += before->size;
    if (s->choice) {
        status = vv_param_place(param, s->choice, of, &place, error);
        *out = place;
        return status;
    }
    for (int k = 0; k < param->size && status == VV_OK; k++) {
        out[k] = s->value[k];
        if (!(isnan(out[k]) && isnan(param->fallback[k])))
            status = vv_param_check(param, k, out[k], of, error);
    }
    return status;
}

vvStatus vv_params_complete(vv_params p, const vvSetting *settings, int count, const char *of, double *out,
                            vvError *error)
{
    vvStatus status = VV_OK;
    if (count < 0 || (count > 0 && !settings))
        return vv_fail(error, VV_ERROR_INPUT, "%s: %d settings%s", of, count,
                       count > 0 ? ", but the list is NULL" : "");
    for (int i = 0, at = 0; i < p.count; at += p.list[i++].size)
        memcpy(out + at, p.list[i].fallback, (size_t)p.list[i].size * sizeof *out);
    for (int i = 0; i < count && status == VV_OK; i++)
        status = set(&p, settings + i, of, out, error);
    return status;
}

int vv_params_named(vv_params p, const double *values, vvSetting *settings)
{
    for (int i = 0; i < p.count; values += p.list[i++].size) {
        settings[i] = (vvSetting){ .name = p.list[i].name };
        memcpy(settings[i].value, values, (size_t)p.list[i].size * sizeof *values);
    }
    return p.count;
}
