/* What a change of a world's structure discards: what was baked, but not what the solvers have learned. */
#include "base/error.h"
#include "base/memory.h"
#include "world/queries/trees.h"
#include "world/sleep/sleep.h"

#include <string.h>

/* ---- what the solvers have learned ---- */

static vv_learned learned_under(const vvWorldDef *d, int nodes)
{
    vv_stepper_def def = { .integrator = &d->integrator,
                           .solver = vv_solver_find(d->solver.method),
                           .fallback = vv_solver_find(d->solver.fallback),
                           .linear = vv_linear_find(d->solver.linear) };
    return vv_stepper_learned(&def, nodes);
}

vv_learned vv_world_learned(const vvWorld *w, int nodes) { return learned_under(&w->def, nodes); }

bool vv_world_reserve_memory_of(vvWorld *w, const vvWorldDef *def, int nodes)
{
    vv_solver_memory *m = &w->memory;
    return vv_grow((void **)&m->data, &m->capacity, learned_under(def, nodes).size, 1);
}

bool vv_world_reserve_memory(vvWorld *w, int nodes) { return vv_world_reserve_memory_of(w, &w->def, nodes); }

void vv_world_keep_memory(vvWorld *w)
{
    vv_solver_memory *m = &w->memory;
    if (!w->baked || (m->valid && !w->learned))
        return;
    m->valid = true;
    m->size = vv_stepper_learned_size(w->stepper);
    memcpy(m->name, vv_stepper_learned_name(w->stepper), sizeof m->name);
    vv_stepper_save_learned(w->stepper, m->data);
    w->learned = false;
}

void vv_world_recall_memory(vvWorld *w)
{
    vv_solver_memory *m = &w->memory;
    m->valid = m->valid && m->size == vv_stepper_learned_size(w->stepper) &&
               strcmp(m->name, vv_stepper_learned_name(w->stepper)) == 0;
    if (m->valid)
        vv_stepper_load_learned(w->stepper, m->data);
    w->learned = false;
}

void vv_world_unlearn(vvWorld *w)
{
    vv_stepper_unlearn(w->stepper);
    w->memory.valid = false; /* to be copied anew */
}

/* ---- what was baked ---- */

void vv_world_unbake(vvWorld *w)
{
    vv_world_keep_memory(w);
    vv_stepper_destroy(w->stepper);
    vv_system_free(&w->system);
    vv_trees_free(w);
    vv_events_unbake(w);
    vv_contact_destroy(w->contact);
    vv_free(w->unknown);
    vv_free(w->node);
    vv_free(w->body_of);
    vv_free(w->clump);
    vv_world_free_rails(w);
    vv_free(w->body_start);
    vv_free(w->small_area);
    vv_free(w->together);
    vv_free(w->asked);
    vv_free(w->drag_rate);
    vv_free(w->damping);
    w->unknown = w->node = w->body_of = w->clump = w->body_start = NULL;
    w->small_area = w->asked = NULL;
    w->together = NULL;
    w->drag_rate = NULL;
    w->damping = NULL;
    w->contact = NULL;
    memset(w->energy_at, 0, sizeof w->energy_at);
    memset(w->dissipation_at, 0, sizeof w->dissipation_at);
    w->moved++;
    w->stepper = NULL;
    w->damping_count = 0;
    w->stale = w->stale_kinds = w->stale_rayleigh = 0;
    w->baked = w->learned = w->torn = false;
}

vvStatus vv_world_open(const vvWorld *w, const char *what, vvError *error)
{
    if (!w->edit)
        return VV_OK;
    return vv_fail(error, VV_ERROR_INPUT, "%s: positions and velocities are being edited; call vvWorldEndEdit first",
                   what);
}

/* Before the first step the start is computed anew, after it the change is booked: with the next baking. */
static void note_change(vvWorld *w)
{
    w->unbooked = true;
    if (w->state.clock.step == 0)
        w->started = false;
}

static void structure_changed(vvWorld *w)
{
    vv_world_unshare(w);
    note_change(w);
}

void vv_world_changed_apart(vvWorld *w)
{
    vv_world_unbake(w);
    structure_changed(w);
}

void vv_world_changed(vvWorld *w)
{
    vv_sleep_wake_all(w);
    vv_world_changed_apart(w);
}

void vv_world_part_changed_apart(vvWorld *w, unsigned stale)
{
    w->stale |= w->baked ? stale : 0;
    structure_changed(w);
}

void vv_world_part_changed(vvWorld *w, unsigned stale)
{
    vv_sleep_wake_all(w);
    vv_world_part_changed_apart(w, stale);
}

void vv_world_setting_changed(vvWorld *w, unsigned stale)
{
    vv_sleep_wake_all(w);
    w->stale |= w->baked ? stale : 0;
    note_change(w);
}

void vv_world_state_changed(vvWorld *w)
{
    bool start = w->state.clock.step == 0;
    if (vv_sleep_differs(w))
        vv_world_unbake(w);
    bool stood = !(start && w->baked && vv_world_take_places(w));
    if (!stood && w->contact)
        w->stale |= VV_STALE_CONTACT;
    else if (start && w->baked && vv_world_chooses_otherwise(w))
        w->stale |= VV_STALE_BOOKS;
    if (!w->baked || (start && w->stale))
        note_change(w);
    else if (start)
        vv_world_start_again(w);
    else
        vv_stepper_book_change(w->stepper);
}
