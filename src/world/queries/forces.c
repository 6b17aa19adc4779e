/* Forces by terms, and reactions of attachments, for a host (field.h). */
#include "world/queries/forces.h"

#include "base/error.h"
#include "base/vec.h"
#include "visviva/field.h"
#include "world/attachments/load.h"
#include "world/sleep/sleep.h"

#include <string.h>

static const vvInfo terms[VV_FORCE_TERMS] = {
    [VV_FORCE_ELASTIC] = { "elastic", "of elements" },
    [VV_FORCE_GRAVITY] = { "gravity", "weight" },
    [VV_FORCE_CONTACT] = { "contact", "of barriers, penalties, contact springs and bounds" },
    [VV_FORCE_ATTACHMENT] = { "attachment", "of springs and potentials" },
    [VV_FORCE_JOINT] = { "joint", "of joints between bodies" },
    [VV_FORCE_FRICTION] = { "friction", "of friction within the solve" },
    [VV_FORCE_DAMPING] = { "damping", "drag and Rayleigh damping" },
    [VV_FORCE_LOAD] = { "load", "pushes, forces, tractions and pressures" },
    [VV_FORCE_INERTIA] = { "inertia", "mass times the acceleration of the last step, reversed" },
    [VV_FORCE_SUPPORT] = { "support", "forces of supports on prescribed nodes" },
};

const vvInfo *vvForceTermInfo(int index) { return index >= 0 && index < VV_FORCE_TERMS ? terms + index : NULL; }

/* Whether sleeping bodies have this one, too. */
static bool is_kept(int term)
{
    return term == VV_FORCE_GRAVITY || term == VV_FORCE_ATTACHMENT || term == VV_FORCE_JOINT || term == VV_FORCE_LOAD;
}

static vvStatus forces_of(vvWorld *w, const char *name, double *out, vvError *error)
{
    int term = 0;
    while (name && term < VV_FORCE_TERMS && strcmp(terms[term].name, name) != 0)
        term++;
    if (!name || term == VV_FORCE_TERMS)
        return vv_fail_unknown(error, "term of forces", name, vvForceTermInfo);
    if (!out)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldForces needs a pointer for the forces, found NULL");
    vvStatus status = vv_world_bake(w, error);
    if (status == VV_OK && !is_kept(term))
        status = vv_sleep_refuse(w, -1, "vvWorldForces", error);
    return status == VV_OK ? vv_world_forces(w, (vv_force_term)term, out, error) : status;
}

vvStatus vvWorldForces(vvWorld *w, const char *term, double *forces, vvError *error)
{
    VV_WORLD_CALL(w, error, forces_of(w, term, forces, error));
}

/* ---- of one attachment ---- */

/* The attachment's forces on its nodes (count x 3), of those that prescribe with what supports do at all nodes. */
static void of_attachment(const vvWorld *w, const vv_attach *a, const double *support, double *out)
{
    for (int i = 0; i < a->count; i++) {
        const double *f = support + 3 * (size_t)a->nodes[i];
        double *to = out + 3 * (size_t)i;
        if (a->kind == VV_ATTACH_FIXED)
            memcpy(to, f, 3 * sizeof *to);
        else
            vv_world_split_support(w, a, a->nodes[i], f, to);
    }
}

static void of_springs(const vvWorld *w, const vv_attach *a, double *out)
{
    for (int i = 0; i < vv_attach_places(a); i++) {
        double x[3], target[3];
        vv_attach_point(a, i, w->state.q, x);
        vv_attach_position(w, a, i, vv_world_time(w), target);
        for (int n = a->weights ? 0 : i; n < (a->weights ? a->count : i + 1); n++)
            for (size_t k = 0; k < 3; k++)
                out[3 * (size_t)n + k] = a->stiffness * (target[k] - x[k]) * (a->weights ? a->weights[n] : 1);
    }
}

static vvStatus find(vvWorld *w, const vv_attach *a, double *room, double *out, vvError *error)
{
    if (a->released)
        return VV_OK;
    if (vv_attach_loads(a)) {
        if (vv_load_acts(w, a))
            vv_load_forces(w, a, &(vv_push_time){ .time = vv_world_time(w), .q = w->state.q }, out);
    } else if (a->kind == VV_ATTACH_SPRING) {
        of_springs(w, a, out);
    } else {
        vvStatus status = vv_world_forces(w, VV_FORCE_SUPPORT, room, error);
        if (status != VV_OK)
            return status;
        of_attachment(w, a, room, out);
    }
    return VV_OK;
}

static vvStatus react(vvWorld *w, vvAttachId id, double force[3], double moment[3], vvError *error)
{
    const int index = vv_attach_index(w, id);
    if (index < 0)
        return vv_fail(error, VV_ERROR_INPUT, "vvAttachReaction: no such attachment");
    if (w->attaches[index].kind == VV_ATTACH_POTENTIAL)
        return vv_fail(
            error, VV_ERROR_UNSUPPORTED,
            "vvAttachReaction: this attachment is a potential (VV_ATTACH_POTENTIAL); the field \"reaction\" has "
            "its forces");
    vvStatus status = vv_world_bake(w, error);
    if (status != VV_OK)
        return status;
    const vv_attach *a = w->attaches + vv_attach_index(w, id);
    status = vv_sleep_refuse(w, a->body, "vvAttachReaction", error);
    if (status != VV_OK)
        return status;
    double *room = vv_alloc(3 * (size_t)w->nodes, sizeof *room), *own = vv_alloc(3 * (size_t)a->count, sizeof *own),
           sum[6] = { 0 };
    status = room && own ? find(w, a, room, own, error) : vv_fail_memory(error, "a reaction");
    for (int i = 0; status == VV_OK && i < a->count; i++) {
        double turn[3];
        vv_cross(w->state.q + 3 * (size_t)a->nodes[i], own + 3 * (size_t)i, turn);
        for (int k = 0; k < 3; k++)
            sum[k] += own[3 * (size_t)i + (size_t)k], sum[3 + k] += turn[k];
    }
    vv_free(room);
    vv_free(own);
    if (status == VV_OK && force)
        memcpy(force, sum, 3 * sizeof *force);
    if (status == VV_OK && moment)
        memcpy(moment, sum + 3, 3 * sizeof *moment);
    return status;
}

vvStatus vvAttachReaction(vvWorld *w, vvAttachId id, double force[3], double moment[3], vvError *error)
{
    VV_WORLD_CALL(w, error, react(w, id, force, moment, error));
}

vvStatus vv_add_body_force(vvWorld *w, const vv_body *b, vv_force_term term, double *out, vvError *error)
{
    vvStatus status = vv_sleep_refuse(w, (int)(b - w->bodies), "vvBodyField", error);
    if (status != VV_OK)
        return status;
    double *all = vv_alloc(3 * (size_t)w->nodes, sizeof *all);
    status = all ? vv_world_forces(w, term, all, error) : vv_fail_memory(error, "a field");
    for (size_t i = 0; status == VV_OK && i < 3 * (size_t)b->vertex_count; i++)
        out[i] += all[3 * (size_t)b->first + i];
    vv_free(all);
    return status;
}

vvStatus vv_body_force(vvWorld *w, const vv_body *b, vv_force_term term, double *out, vvError *error)
{
    memset(out, 0, 3 * (size_t)b->vertex_count * sizeof *out);
    return vv_add_body_force(w, b, term, out, error);
}
