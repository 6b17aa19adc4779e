/* The forces on a world's nodes, term by term, and those of its supports (field.h). */
#include "world/forces.h"

#include "base/error.h"
#include "base/vec.h"
#include "contact/presses.h"
#include "visviva/field.h"
#include "world/load.h"

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
    [VV_FORCE_SUPPORT] = { "support", "what prescribes nodes, or a part of them" },
};

const vvInfo *vvForceTermInfo(int index) { return index >= 0 && index < VV_FORCE_TERMS ? terms + index : NULL; }

static bool is_of(vv_ledger_row row, bool dissipation, vv_force_term term)
{
    static const vv_force_term of_row[] = {
        [VV_ROW_ELASTIC] = VV_FORCE_ELASTIC, [VV_ROW_GRAVITY] = VV_FORCE_GRAVITY,
        [VV_ROW_CONTACT] = VV_FORCE_CONTACT, [VV_ROW_ATTACHMENT] = VV_FORCE_ATTACHMENT,
        [VV_ROW_JOINT] = VV_FORCE_JOINT,     [VV_ROW_EXTERNAL] = VV_FORCE_TERMS
    };
    if (dissipation)
        return term == (row == VV_ROW_CONTACT ? VV_FORCE_FRICTION : VV_FORCE_DAMPING);
    return of_row[row] == term;
}

/* What bounds press with, which no energy does. */
static void add_bounds(const vvWorld *w, double *out)
{
    const vv_presses *p = w->contact && w->contact->feasible ? w->contact->presses : NULL;
    for (int i = 0; p && i < p->count; i++) {
        double x[3], n[3];
        const double force = vv_presses_normal(p, i, w->state.q, x, n),
                     up[3] = { force * n[0], force * n[1], force * n[2] };
        const vv_vertices *vs = p->contact->vertices;
        for (int k = vs->start[p->pair[i].vertex]; force > 0 && k < vs->start[p->pair[i].vertex + 1]; k++)
            for (size_t c = 0; c < 3; c++)
                out[3 * (size_t)vs->node[k] + c] += vs->weight[k] * up[c];
    }
}

static void add_loads(const vvWorld *w, double *room, double *out)
{
    const vv_push_time now = { .time = vv_world_time(w), .q = w->state.q };
    for (size_t a = 0; a < w->attach_count; a++) {
        const vv_attach *load = w->attaches + a;
        if (!vv_attach_loads(load) || !vv_load_acts(w, load))
            continue;
        vv_load_forces(w, load, &now, room);
        for (int i = 0; i < load->count; i++)
            for (size_t k = 0; k < 3; k++)
                out[3 * (size_t)load->nodes[i] + k] += room[3 * (size_t)i + k];
    }
}

static void add_inertia(const vvWorld *w, double *out)
{
    for (size_t b = 0; b < w->body_count; b++)
        for (int i = w->bodies[b].first; i < w->bodies[b].first + w->bodies[b].count; i++)
            for (size_t j = 3 * (size_t)i;
                 (w->bodies[b].stage & VV_BODY_MOVED) && w->state.span > 0 && j < 3 * (size_t)i + 3; j++)
                out[j] -= w->mass[i] * (w->state.v[j] - w->state.v_previous[j]) / w->state.span;
}

static void add_term(vvWorld *w, vv_force_term term, double *room, double *out)
{
    const vv_system *s = &w->system;
    for (int i = 0; i < s->energies; i++)
        if (is_of(s->energy[i]->ops->row, false, term)) {
            vv_energy_update(s->energy[i], &s->par, w->state.q);
            s->energy[i]->ops->derivatives(s->energy[i], &s->par, w->state.q, -1, VV_HESSIAN_EXACT, out, NULL);
        }
    for (int i = 0; i < s->dissipations; i++)
        if (is_of(s->dissipation[i]->ops->row, true, term))
            s->dissipation[i]->ops->derivatives(s->dissipation[i], &s->par, w->state.v, -1, VV_HESSIAN_EXACT, out,
                                                NULL);
    if (term == VV_FORCE_CONTACT)
        add_bounds(w, out);
    if (term == VV_FORCE_LOAD)
        add_loads(w, room, out);
    if (term == VV_FORCE_INERTIA)
        add_inertia(w, out);
}

/* What is held takes up what all others leave. */
static void find_support(const vvWorld *w, double *out)
{
    for (size_t i = 0; i < (size_t)w->nodes; i++) {
        const double *t = vv_rail_of(w->system.rails, i);
        for (size_t k = 3 * i; k < 3 * i + 3; k++)
            out[k] = w->unknown[i] < 0 || t ? -out[k] : 0;
        if (t) {
            double along[3];
            vv_matvec(t, out + 3 * i, along);
            vv_sub(out + 3 * i, along, out + 3 * i);
        }
    }
}

vvStatus vv_world_forces(vvWorld *w, vv_force_term term, double *out, vvError *error)
{
    double *room = vv_alloc(3 * (size_t)w->nodes, sizeof *room);
    if (!room)
        return vv_fail_memory(error, "forces");
    memset(out, 0, 3 * (size_t)w->nodes * sizeof *out);
    for (int k = 0; k < VV_FORCE_SUPPORT; k++)
        if (term == VV_FORCE_SUPPORT || term == (vv_force_term)k)
            add_term(w, (vv_force_term)k, room, out);
    if (term == VV_FORCE_SUPPORT)
        find_support(w, out);
    vv_free(room);
    return VV_OK;
}

static vvStatus forces_of(vvWorld *w, const char *name, double *out, vvError *error)
{
    int term = 0;
    while (name && term < VV_FORCE_TERMS && strcmp(terms[term].name, name) != 0)
        term++;
    if (!name || term == VV_FORCE_TERMS)
        return vv_fail_unknown(error, "term of forces", name, vvForceTermInfo);
    if (!out)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldForces wants a place for the forces, found NULL");
    vvStatus status = vv_world_bake(w, error);
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
