/* The forces on a world's nodes, term by term, and those of its supports. */
#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "contact/springs/presses.h"
#include "world/queries/forces.h"
#include "world/attachments/load.h"

#include <string.h>

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
