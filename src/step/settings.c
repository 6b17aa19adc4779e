/* Settings of schemes and policies, checked against both tables. */
#include "base/error.h"
#include "base/text/param.h"
#include "step/policies/policy.h"
#include "step/schemes/scheme.h"

#include <stdio.h>
#include <string.h>

/* The parameter of that name, from any row of either table. */
static const vvParam *find_anywhere(const char *name)
{
    const vvParam *found = NULL;
    for (int i = 0; !found && vv_scheme_table(i); i++)
        found = vv_params_find(&vv_scheme_table(i)->params, name);
    for (int i = 0; !found && vv_policy_table(i); i++)
        found = vv_params_find(&vv_policy_table(i)->params, name);
    return found;
}

static void append_names(const vv_params *p, char *out, size_t size)
{
    for (int i = 0; i < p->count; i++) {
        size_t used = strlen(out);
        snprintf(out + used, size - used, "%s%s", used ? ", " : "", p->list[i].name);
    }
}

static void list_names(char *out, size_t size)
{
    *out = 0;
    for (int i = 0; vv_scheme_table(i); i++)
        append_names(&vv_scheme_table(i)->params, out, size);
    for (int i = 0; vv_policy_table(i); i++)
        append_names(&vv_policy_table(i)->params, out, size);
}

static vvStatus check(const vvSetting *s, vvError *error)
{
    const vvParam *param = find_anywhere(s->name);
    if (!param) {
        char names[512];
        list_names(names, sizeof names);
        return vv_fail(error, VV_ERROR_INPUT, "integrator: no scheme or policy has a parameter \"%s\"; there are: %s",
                       s->name ? s->name : "(none)", names);
    }
    int place;
    if (s->choice)
        return vv_param_place(param, s->choice, "integrator", &place, error);
    vvStatus status = VV_OK;
    for (int k = 0; status == VV_OK && k < param->size; k++)
        status = vv_param_check(param, k, s->value[k], "integrator", error);
    return status;
}

vvStatus vv_settings_check(const vvSetting *settings, int count, vvError *error)
{
    if (count < 0 || (count > 0 && !settings))
        return vv_fail(error, VV_ERROR_INPUT, "integrator: %d settings, but the list is NULL", count);
    vvStatus status = VV_OK;
    for (int i = 0; status == VV_OK && i < count; i++)
        status = check(settings + i, error);
    return status;
}
