/* Loading the settings that setters had changed in a saved world (records.c says in what form). Values are
 * read as they were written there, and set as setters set them. */
#include "base/error.h"
#include "base/memory.h"
#include "world/settings/members.h"
#include "world/settings/bytes.h"
#include "world/settings/settings.h"

#include <string.h>

static vvFilter take_filter(vv_eye *e)
{
    uint64_t words[3];
    vv_take(e, words, sizeof words);
    vvFilter f = vvDefaultFilter();
    f.category = words[0], f.mask = words[1], f.group = (int32_t)(int64_t)words[2];
    return f;
}

static vvStatus take_members(vv_eye *e, const vv_members *members, void *def, vvError *error)
{
    vvStatus status = VV_OK;
    double number;
    for (int i = 0; i < members->count && status == VV_OK; i++) {
        const vv_member *f = members->row + i;
        if (f->unsaved)
            continue;
        switch (vv_member_kind(f)) {
        case VV_MEMBER_NUMBER:
            number = vv_take_number(e);
            if (!vv_member_can_be(f, number))
                return vv_fail(error, VV_ERROR_INPUT, "the saved settings are damaged: %s is %g", f->row.key.path,
                               number);
            vv_member_set_number(f, def, number);
            if (f->row.percent)
                vv_member_set_part(f, def, vv_take_number(e));
            break;
        case VV_MEMBER_NAME: *vv_member_name(f, def) = vv_take_name(e); break;
        case VV_MEMBER_VECTOR:
            for (int k = 0; k < 3; k++)
                vv_member_vector(f, def)[k] = vv_take_number(e);
            break;
        case VV_MEMBER_OTHER: status = f->ops->take(e, def, error); break;
        case VV_MEMBER_NONE: break;
        }
    }
    return status;
}

static vvStatus apply_def(vvWorld *w, vv_setting_kind kind, vv_eye *e, vvError *error)
{
    vvStatus status = VV_OK;
    vvIntegratorDef integrator = w->def.integrator;
    vvSolverDef solver = w->def.solver;
    vvContactDef contact = w->def.contact;
    switch (kind) {
    case VV_SETTING_INTEGRATOR:
        status = take_members(e, &vv_integrator_members, &integrator, error);
        if (status == VV_OK)
            status = vv_world_set_integrator(w, &integrator, error);
        break;
    case VV_SETTING_SOLVER:
        status = take_members(e, &vv_solver_members, &solver, error);
        if (status == VV_OK)
            status = vv_world_set_solver(w, &solver, error);
        break;
    default:
        status = take_members(e, &vv_contact_members, &contact, error);
        if (status == VV_OK)
            status = vv_world_set_contact(w, &contact, error);
    }
    return status;
}

static vvStatus apply_pairs(vvWorld *w, vv_eye *e, vvError *error)
{
    vvStatus status = take_members(e, &vv_pair_members, w, error);
    vv_world_part_changed(w, VV_STALE_FRICTION);
    vv_world_note_setting(w, "friction of pairs of bodies");
    return status;
}

static vvStatus apply_materials(vvWorld *w, int at, vv_eye *e, vvError *error)
{
    int count = w->bodies[at].material_count;
    vvMaterialDef *list = vv_alloc((size_t)count, sizeof *list);
    if (!list)
        return vv_fail_memory(error, "the saved materials");
    vvStatus status = VV_OK;
    for (int i = 0; status == VV_OK && i < count; i++) {
        list[i] = vvDefaultMaterialDef();
        status = take_members(e, &vv_material_members, list + i, error);
    }
    if (status == VV_OK && count > 0)
        status = vv_world_set_materials(w, at, list, error);
    vv_free(list);
    return status;
}

static vvStatus apply(vvWorld *w, vv_setting_kind kind, int at, vv_eye *e, vvError *error)
{
    double gravity[3], friction, self;
    vvFilter filter;
    vvStatus status;
    switch (kind) {
    case VV_SETTING_GRAVITY:
        for (int k = 0; k < 3; k++)
            gravity[k] = vv_take_number(e);
        return vv_world_set_gravity(w, gravity, error);
    case VV_SETTING_TIME_STEP: return vv_world_set_time_step(w, vv_take_number(e), error);
    case VV_SETTING_PAIRS: return apply_pairs(w, e, error);
    case VV_SETTING_SURFACE:
        friction = vv_take_number(e), self = vv_take_number(e);
        filter = take_filter(e);
        status = vv_check_friction(&friction, "the saved friction of a body", error);
        if (status != VV_OK)
            return status;
        vv_body_put_friction(w, at, friction);
        vv_body_put_filter(w, at, &filter, self != 0);
        return VV_OK;
    case VV_SETTING_OBSTACLE:
        friction = vv_take_number(e);
        filter = take_filter(e);
        status = vv_check_friction(&friction, "the saved friction of an obstacle", error);
        if (status != VV_OK)
            return status;
        vv_obstacle_put(w, at, friction, &filter);
        return VV_OK;
    case VV_SETTING_MATERIAL: return apply_materials(w, at, e, error);
    default: return apply_def(w, kind, e, error);
    }
}

static bool exists(const vvWorld *w, vv_setting_kind kind, int at)
{
    bool body = kind == VV_SETTING_SURFACE || kind == VV_SETTING_MATERIAL;
    return at >= 0 &&
           (body ? (size_t)at < w->body_count : kind != VV_SETTING_OBSTACLE || (size_t)at < w->obstacle_count);
}

vvStatus vv_settings_load(vvWorld *w, const void *from, size_t size, bool *changed, vvError *error)
{
    vvStatus status = VV_OK;
    *changed = false;
    for (size_t offset = 0; status == VV_OK && offset < size;) {
        vv_setting_head h;
        if (size - offset < sizeof h)
            return vv_fail(error, VV_ERROR_INPUT, "the saved settings are damaged");
        memcpy(&h, (const char *)from + offset, sizeof h);
        const char *made = (const char *)from + offset + sizeof h, *now = made + vv_setting_padded(h.bytes);
        vv_setting_kind kind = (vv_setting_kind)h.kind;
        offset += sizeof h + vv_setting_padded(h.bytes) + vv_setting_padded(h.now);
        if (h.kind < 0 || h.kind >= VV_SETTING_KINDS || offset > size)
            return vv_fail(error, VV_ERROR_INPUT, "the saved settings are damaged");
        if (!exists(w, kind, h.at) || !vv_setting_made_alike(w, kind, h.at, made, h.bytes) ||
            vv_setting_is(w, kind, h.at, now, h.now))
            continue;
        if (!vv_world_remember_made(w, kind, h.at))
            return vv_fail_memory(error, "the saved settings");
        *changed = true;
        vv_eye e = { now, h.now, false, { NULL, NULL } };
        status = apply(w, kind, h.at, &e, error);
        vv_free(e.owned[0]);
        vv_free(e.owned[1]);
        if (status == VV_OK && e.short_of)
            status = vv_fail(error, VV_ERROR_INPUT, "the saved settings are damaged");
    }
    return status;
}
