/* Bodies in touch: contact's groups, or in a world without contact those of the components. */
#include "step/touching.h"

#include "base/groups.h"

#include <string.h>

const vvInfo vv_scope_choices[VV_SCOPES] = {
    { "groups", "bodies in touch get back what they lost, and no others do" },
    { "world", "all bodies have one account, as in A-search: one may get what another one lost" },
};

/* A world without contact: bodies that share components are a group. */
static void group_by_components(const vv_stepper *s, int *group)
{
    const vv_system *y = s->system;
    const vv_components *parts = &s->components;
    for (int b = 0; b < y->bodies; b++)
        group[b] = -1;
    for (int i = 0; i < y->nodes; i++)
        if (y->unknown[i] >= 0)
            group[y->body[i]] = y->body[i];
    for (int i = 0; i < y->nodes; i++)
        if (y->unknown[i] >= 0)
            vv_groups_join(group, y->body[i], y->body[parts->component[parts->of[i]].lead]);
    for (int b = 0; b < y->bodies; b++)
        if (group[b] >= 0)
            group[b] = vv_groups_find(group, b);
}

vvStatus vv_touching_find(const vv_stepper *s, const double *q, int *group, unsigned char *outside)
{
    memset(outside, 0, (size_t)s->bodies);
    if (s->contact)
        return vv_contact_groups(s->contact, &s->system->par, s->state->q, q, group, outside);
    group_by_components(s, group);
    return VV_OK;
}
