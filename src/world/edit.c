/* Overwriting positions and velocities: of the world, of a body, in place; and positions between steps. */
#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "world/sleep/sleep.h"

#include <string.h>

static vvStatus check_finite(const char *what, const double *x, const double *v, int nodes, vvError *error)
{
    for (size_t i = 0; i < 3 * (size_t)nodes; i++)
        if ((x && !(fabs(x[i]) <= 1e30)) || (v && !(fabs(v[i]) <= 1e30))) /* their squares must be finite */
            return vv_fail(error, VV_ERROR_INPUT,
                           "%s: node %zu has a position or velocity that is not finite and within 1e30", what, i / 3);
    return VV_OK;
}

/* Writes nodes from `first` on; prescribed ones stay as they are. */
static void overwrite(const vvWorld *w, double *to, const double *from, int first, int count)
{
    for (int i = 0; from && i < count; i++)
        if (!w->fixed[first + i])
            memcpy(to + 3 * (size_t)(first + i), from + 3 * (size_t)i, 3 * sizeof *to);
}

/* Whether positions `x` of nodes from `first` on are allowed. Only a baked world can tell; any other is checked when
 * it is baked. */
static vvStatus check_positions(vvWorld *w, const char *what, const double *x, int first, int count, vvError *error)
{
    if (!x || !w->baked || w->stale)
        return VV_OK;
    size_t mark = vv_arena_mark(&w->system.arena);
    double *q = vv_arena_push(&w->system.arena, 3 * (size_t)w->nodes, sizeof *q);
    if (!q)
        return vv_fail_memory(error, "the check of positions");
    memcpy(q, w->state.q, 3 * (size_t)w->nodes * sizeof *q);
    overwrite(w, q, x, first, count);
    bool feasible;
    vvStatus status = vv_world_feasible(w, q, &feasible, error);
    vv_arena_release(&w->system.arena, mark);
    if (status != VV_OK || feasible)
        return status;
    return vv_fail(error, VV_ERROR_INPUT,
                   "%s: the positions penetrate an obstacle or another body, or invert an element of an "
                   "inversion-free material; the world is unchanged",
                   what);
}

/* Whether steps depend on earlier positions (step/step.c: the past of two-step schemes, incoming velocities of
 * policies). */
static bool past_matters(const vvWorld *w)
{
    return vv_scheme_find(w->def.integrator.scheme)->two_step || vv_policy_find(w->def.integrator.policy)->apply;
}

/* Positions or velocities of bodies from `body` on were overwritten: of all bodies, or of one, whose past becomes a
 * free flight. */
static void note_state(vvWorld *w, int body, int bodies, bool moved, bool sped)
{
    if (moved) {
        w->settled = false;
        vv_world_mark_placed(w, body, bodies);
        vv_world_forget_springs(w, body, bodies);
        vv_world_forget_sticking(w, body, bodies);
        vv_world_place_repulsion(w);
    }
    vv_initial_overwritten(w, body, bodies, moved, sped);
    bool all = bodies == (int)w->body_count, past = w->state.clock.step > 0;
    if (all)
        w->state.history = false;
    for (int b = body; past && !all && past_matters(w) && b < body + bodies; b++) {
        vv_world_invent_past(w, b);
        w->bodies[b].stage &= (unsigned char)~VV_BODY_MOVED;
    }
    vv_world_state_changed(w);
    vv_world_catch_up(w);
}

/* If the world cannot be baked as it is, the change to come may repair it. */
static vvStatus try_to_bake(vvWorld *w, vvError *error)
{
    vvStatus status = vv_world_bake(w, error);
    if (status == VV_ERROR_MEMORY || status == VV_CANCELLED)
        return status;
    vv_error_clear(error);
    return VV_OK;
}

static vvStatus set_state(vvWorld *w, const double *positions, const double *velocities, vvError *error)
{
    vvStatus status = vv_world_open(w, "set state", error);
    if (status == VV_OK)
        status = check_finite("set state", positions, velocities, w->nodes, error);
    if (status == VV_OK) {
        vv_sleep_wake_all(w);
        status = try_to_bake(w, error);
    }
    if (status == VV_OK)
        status = check_positions(w, "set state", positions, 0, w->nodes, error);
    if (status != VV_OK)
        return status;
    overwrite(w, w->state.q, positions, 0, w->nodes);
    overwrite(w, w->state.v, velocities, 0, w->nodes);
    note_state(w, 0, (int)w->body_count, positions != NULL, velocities != NULL);
    return VV_OK;
}

vvStatus vvWorldSetState(vvWorld *w, const double *positions, const double *velocities, vvError *error)
{
    VV_WORLD_CALL(w, error, set_state(w, positions, velocities, error));
}

static vvStatus set_body_state(vvWorld *w, vvBodyId id, const double *positions, const double *velocities,
                               vvError *error)
{
    int body = vv_body_index(w, id);
    if (body < 0)
        return vv_fail(error, VV_ERROR_INPUT, "vvBodySetState: no such body");
    const vv_body *b = w->bodies + body;
    if (b->kinematic)
        return vv_fail(error, VV_ERROR_INPUT,
                       "vvBodySetState: body \"%s\" is kinematic: its motion places it; "
                       "vvAttachMoveTo moves its vvBodyAttachment",
                       b->name);
    vvStatus status = vv_world_open(w, "set state", error);
    if (status == VV_OK)
        status = check_finite("set state", positions, velocities, b->count, error);
    if (status == VV_OK) {
        vv_sleep_wake(w, body);
        status = vv_sleep_clear_way(w, body, positions, error);
    }
    /* only restored: it goes on like the world that the snapshot was taken of */
    if (status == VV_OK && w->started && !w->unbooked)
        status = try_to_bake(w, error);
    if (status == VV_OK)
        status = check_positions(w, "set state", positions, b->first, b->count, error);
    if (status != VV_OK)
        return status;
    overwrite(w, w->state.q, positions, b->first, b->count);
    overwrite(w, w->state.v, velocities, b->first, b->count);
    note_state(w, body, 1, positions != NULL, velocities != NULL);
    return VV_OK;
}

vvStatus vvBodySetState(vvWorld *w, vvBodyId id, const double *positions, const double *velocities, vvError *error)
{
    VV_WORLD_CALL(w, error, set_body_state(w, id, positions, velocities, error));
}

/* ---- in place ---- */

static vvStatus begin(vvWorld *w, double **positions, double **velocities, vvError *error)
{
    vvStatus status = vv_world_open(w, "begin an edit", error);
    if (status == VV_OK) {
        vv_sleep_wake_all(w);
        status = try_to_bake(w, error);
    }
    if (status != VV_OK)
        return status;
    size_t n = 3 * (size_t)w->nodes;
    w->edit = vv_alloc(2 * n, sizeof *w->edit);
    if (!w->edit)
        return vv_fail_memory(error, "an edit");
    if (n > 0) {
        memcpy(w->edit, w->state.q, n * sizeof *w->edit);
        memcpy(w->edit + n, w->state.v, n * sizeof *w->edit);
    }
    if (positions)
        *positions = w->state.q;
    if (velocities)
        *velocities = w->state.v;
    return VV_OK;
}

vvStatus vvWorldBeginEdit(vvWorld *w, double **positions, double **velocities, vvError *error)
{
    VV_WORLD_CALL(w, error, begin(w, positions, velocities, error));
}

/* Restores prescribed nodes; then checks that the edited state is allowed. */
static vvStatus check_edit(vvWorld *w, const double *edit, bool moved, vvError *error)
{
    for (size_t i = 0; i < (size_t)w->nodes; i++)
        if (w->fixed[i]) {
            memcpy(w->state.q + 3 * i, edit + 3 * i, 3 * sizeof *edit);
            memcpy(w->state.v + 3 * i, edit + 3 * ((size_t)w->nodes + i), 3 * sizeof *edit);
        }
    vvStatus status = check_finite("end the edit", w->state.q, w->state.v, w->nodes, error);
    return status == VV_OK && moved ? check_positions(w, "end the edit", w->state.q, 0, w->nodes, error) : status;
}

static vvStatus end(vvWorld *w, vvError *error)
{
    if (!w->edit)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldEndEdit: no edit was begun; call vvWorldBeginEdit first");
    double *edit = w->edit;
    size_t n = 3 * (size_t)w->nodes, bytes = n * sizeof *edit;
    w->edit = NULL;
    w->moved++;
    bool moved = n > 0 && memcmp(w->state.q, edit, bytes) != 0;
    vvStatus status = n > 0 ? check_edit(w, edit, moved, error) : VV_OK;
    bool sped = n > 0 && memcmp(w->state.v, edit + n, bytes) != 0;
    if (status == VV_OK && (moved || sped))
        note_state(w, 0, (int)w->body_count, moved, sped);
    if (status == VV_ERROR_MEMORY) { /* the edit stays open, to be ended later */
        w->edit = edit;
        return status;
    }
    if (status != VV_OK) {
        memcpy(w->state.q, edit, bytes);
        memcpy(w->state.v, edit + n, bytes);
    }
    vv_free(edit);
    return status;
}

vvStatus vvWorldEndEdit(vvWorld *w, vvError *error) { VV_WORLD_CALL(w, error, end(w, error)); }

/* ---- between steps ---- */

static vvStatus interpolate(const vvWorld *w, double fraction, double *positions, vvError *error)
{
    if (!positions || !(fraction >= 0 && fraction <= 1))
        return vv_fail(error, VV_ERROR_INPUT,
                       "vvWorldInterpolate: fraction is %g; it must be in [0, 1], with an array for the "
                       "positions",
                       fraction);
    for (size_t b = 0; b < w->body_count; b++) {
        const vv_body *body = w->bodies + b;
        double back = body->stage & VV_BODY_MOVED ? 1 - fraction : 0; /* distance back from now */
        for (size_t i = 3 * (size_t)body->first; i < 3 * (size_t)(body->first + body->count); i++)
            positions[i] =
                back == 1 ? w->state.q_previous[i] : w->state.q[i] + back * (w->state.q_previous[i] - w->state.q[i]);
    }
    return VV_OK;
}

vvStatus vvWorldInterpolate(const vvWorld *w, double fraction, double *positions, vvError *error)
{
    VV_WORLD_CALL(w, error, interpolate(w, fraction, positions, error));
}
