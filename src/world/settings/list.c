/* All settings of a world, or of a body's materials, as they are in effect. */
#include "visviva/settings.h"
#include "base/text/text.h"
#include "world/settings/members.h"
#include "world/settings/settings.h"

vvWorldDef vv_world_def_in_effect(const vvWorld *w)
{
    vvWorldDef now = w->def;
    now.contact.relativeDistance = now.contact.relativeFrictionSpeed = now.solver.relativeTolerance = 0;
    now.contact.stiffness = vv_world_stiffness(w);
    return now;
}

void vvWorldEachSetting(const vvWorld *w, vvSettingFunction *tell, void *user)
{
    if (!vv_world_readable(w) || !tell)
        return;
    const vvWorldDef now = vv_world_def_in_effect(w);
    for (int i = 0; i < VV_DEF_PARTS; i++) {
        const vv_members *members = vv_def_parts[i].members;
        for (int k = 0; k < members->count; k++)
            if (members != &vv_contact_members || vv_member_is_of_model(members->row + k, now.contact.model))
                vv_member_say(members, members->row + k, NULL, vv_def_part_of(&now, i), true, tell, user);
    }
    vv_members_say(&vv_pair_members, NULL, w, true, tell, user);
}

typedef struct of_material {
    vvSettingFunction *tell;
    void *user;
    int place;
} of_material;

static void tell_material(void *user, const char *key, const char *json)
{
    const of_material *to = user;
    char whole[96];
    if (to->place > 0)
        vv_print(whole, sizeof whole, "material[%d].%s", to->place, key);
    else
        vv_print(whole, sizeof whole, "material.%s", key);
    to->tell(to->user, whole, json);
}

void vvBodyEachSetting(const vvWorld *w, vvBodyId id, vvSettingFunction *tell, void *user)
{
    of_material to = { tell, user, 0 };
    vvMaterialDef def;
    for (; tell && vvBodyGetMaterial(w, id, to.place, &def); to.place++)
        vv_members_say(&vv_material_members, NULL, &def, true, tell_material, &to);
}
