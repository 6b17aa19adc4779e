/* The check of an integrator: its settings one by one, and what its scheme and its policy say of each other, of their
 * parameters, and of a world with contact. */
#include "base/error.h"
#include "world/settings/members.h"
#include "world/settings/settings.h"

vvStatus vv_def_check_integrator(vvIntegratorDef *d, vvError *error)
{
    vvStatus status = vv_members_check(&vv_integrator_members, d, error);
    if (status != VV_OK)
        return status;
    const vv_policy_ops *policy = vv_policy_find(d->policy);
    const vv_scheme row = vv_scheme_made(d->scheme, d->settings, d->settingCount);
    vvError reason;
    if (policy->suits && policy->suits(&row, &reason) != VV_OK)
        return vv_fail(error, VV_ERROR_INPUT, "integrator.policy \"%s\" does not go with scheme \"%s\": %s", d->policy,
                       d->scheme, reason.message);
    if (vv_scheme_check_settings(&row, d->settings, d->settingCount, error) != VV_OK)
        return VV_ERROR_INPUT;
    double values[VV_MOST_VALUES];
    vv_params_values(&policy->params, d->settings, d->settingCount, values);
    return policy->check ? policy->check(values, error) : VV_OK;
}

/* Whether something that moves freely may touch an obstacle or another body. */
static bool may_meet(const vvWorld *w)
{
    const vv_surface *s = &w->contact->surface;
    bool meets = false;
    for (int a = 0; a < s->body_count && !meets; a++) {
        if (!s->bodies[a].moves || s->bodies[a].vertex_count == 0)
            continue;
        meets = w->obstacle_count > 0;
        for (int b = 0; b < s->body_count && !meets; b++)
            meets = a != b && s->bodies[b].vertex_count > 0 && vv_surface_touches(s, a, b);
    }
    return meets;
}

vvStatus vv_world_refuse_policy(const vvWorld *w, vvError *error)
{
    const vvIntegratorDef *d = &w->def.integrator;
    const vv_policy_ops *policy = vv_policy_find(d->policy);
    const vv_scheme row = vv_scheme_made(d->scheme, d->settings, d->settingCount);
    vvError reason;
    if (!policy->suits_contact || !w->contact || policy->suits_contact(&row, &reason) == VV_OK || !may_meet(w))
        return VV_OK;
    return vv_fail(error, reason.status, "in contact, policy \"%s\" over scheme \"%s\": %s", d->policy, d->scheme,
                   reason.message);
}
