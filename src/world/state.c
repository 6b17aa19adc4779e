/* Stepping, and reading and overwriting the state of a world. */
#include "base/error.h"
#include "base/text/text.h"
#include "base/vec.h"
#include "visviva/interact.h"
#include "world/analysis/analysis.h"
#include "world/attachments/load.h"
#include "world/sleep/sleep.h"

#include <string.h>

static void find_most_astray(const vvWorld *w, vvLedgerTotals *totals)
{
    for (size_t b = 0; b < w->body_count; b++) {
        const int64_t flagged = w->state.body_course[b].flagged;
        if (flagged <= totals->astrayBodySteps)
            continue;
        totals->astrayBodySteps = flagged;
        vv_print(totals->astrayBody, sizeof totals->astrayBody, "%s", w->bodies[b].name);
    }
}

void vvWorldTotals(const vvWorld *w, vvLedgerTotals *totals)
{
    if (!totals)
        return;
    *totals = (vvLedgerTotals){ .minGap = INFINITY, .minJ = INFINITY };
    if (!vv_world_readable(w) || !w->started)
        return;
    *totals = w->state.ledger.totals;
    find_most_astray(w, totals);
}

static vvStatus read_ledger(vvWorld *w, vvLedgerRow *row, vvError *error)
{
    if (!row)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldLedger needs a pointer for the row, found NULL");
    vvStatus status = vv_world_bake(w, error);
    if (status == VV_OK)
        *row = w->state.ledger.row;
    return status;
}

vvStatus vvWorldLedger(vvWorld *w, vvLedgerRow *row, vvError *error)
{
    VV_WORLD_CALL(w, error, read_ledger(w, row, error));
}

static vvStatus book_change(vvWorld *w, vvError *error)
{
    vvStatus status = vv_world_bake(w, error);
    if (status != VV_OK || w->state.clock.step == 0)
        return status;
    if (w->settled && vv_stepper_knows_way(w->stepper)) {
        vv_world_remember_loads(w, true);
        vv_stepper_book_settled(w->stepper);
    } else {
        vv_stepper_book_now(w->stepper);
    }
    return VV_OK;
}

vvStatus vvWorldBookChange(vvWorld *w, vvError *error) { VV_WORLD_CALL(w, error, book_change(w, error)); }

/* A baked world, in which what this step may touch is awake. */
static vvStatus get_ready(vvWorld *w, vvError *error)
{
    vvStatus status = vv_world_bake(w, error);
    if (status == VV_OK)
        status = vv_sleep_catch_up(w, error);
    if (status == VV_OK)
        status = vv_sleep_before_step(w, error);
    if (status == VV_OK && vv_sleep_any(w) && vv_world_lacks_ground(w)) /* it is of the whole world */
        vv_sleep_wake_all(w);
    if (status == VV_OK) /* without those that woke there is another one */
        status = vv_world_bake(w, error);
    return status;
}

static vvStatus try_step(vvWorld *w, vvStepReport *report, vv_unstiffened *before, vvError *error)
{
    vvStatus status = get_ready(w, error);
    if (status != VV_OK)
        return status;
    vv_world_stiffen(w, before);
    status = vv_world_want_ground(w, error);
    if (status == VV_OK)
        status = vv_events_before_step(w, error);
    if (status == VV_OK) {
        w->learned = true;
        vv_world_remember_loads(w, false);
        status = vv_step(w->stepper, report, error);
        report->seconds[VV_PHASE_SETTLE] += w->settle_seconds;
        report->wall += w->settle_seconds;
        w->settle_seconds = 0;
    }
    if (status != VV_OK) {
        vv_world_remember_loads(w, true);
        vv_world_unstiffen(w, before);
    }
    return status;
}

static vvStatus step(vvWorld *w, vvStepReport *report, vvError *error)
{
    vvStepReport own;
    vv_unstiffened before;
    report = report ? report : &own;
    *report = (vvStepReport){ .linear = "none", .stall.term = "", .inverted.model = "", .policyNote = "" };
    vvStatus status = vv_world_check_cancelled(w, error);
    if (status != VV_OK)
        return status;
    const double kinetic = w->state.ledger.row.kinetic;
    while ((status = try_step(w, report, &before, error)) == VV_CANCELLED && w->sleep.woken)
        vv_sleep_wake_marked(w); /* again, with those that the step would have touched */
    if (status != VV_OK)
        return status;
    w->settled = false;
    vv_world_watch_gaps(w, &before);
    vv_attach_arrived(w);
    vv_events_after_step(w);
    vv_costs_after_step(w, report->newtonIterations);
    if (w->state.ledger.row.minJ <= 0)
        vvWorldInverted(w, &report->inverted);
    vv_world_log_step(w, report, kinetic);
    vv_world_advise_depth(w);
    w->events.stepped = w->moved;
    for (size_t b = 0; b < w->body_count; b++)
        w->bodies[b].stage =
            (unsigned char)((w->bodies[b].stage & VV_BODY_RESTS) | VV_BODY_STEPPED | VV_BODY_PLACED | VV_BODY_MOVED);
    vv_sleep_after_step(w);
    return VV_OK;
}

void vv_world_mark_placed(vvWorld *w, int first, int count)
{
    for (int b = first; b < first + count; b++)
        w->bodies[b].stage = (unsigned char)((w->bodies[b].stage | VV_BODY_PLACED) & ~VV_BODY_MOVED);
}

vvStatus vvWorldStep(vvWorld *w, vvStepReport *report, vvError *error)
{
    VV_WORLD_CALL(w, error, step(w, report, error));
}

/* A step is due where rounding alone keeps it from that. */
static const double ROUNDING = 1e-9;

static vvStatus check_time(double seconds, int most, vvError *error)
{
    if (!(seconds >= 0 && seconds < INFINITY))
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldAdvance: %g s; seconds must be 0 or more, and finite", seconds);
    return most >= 1 ? VV_OK
                     : vv_fail(error, VV_ERROR_INPUT, "vvWorldAdvance: at most %d steps; one is the minimum", most);
}

static vvStatus advance(vvWorld *w, double seconds, int most, int *steps, double *fraction, vvError *error)
{
    const double h = w->def.timeStep;
    int made = 0;
    vvStatus status = check_time(seconds, most, error);
    if (steps)
        *steps = 0;
    if (status != VV_OK)
        return status;
    w->ahead += seconds;
    while (status == VV_OK && made < most && w->ahead >= h * (1 - ROUNDING)) {
        status = step(w, NULL, error);
        made += status == VV_OK;
        w->ahead = fmax(w->ahead - h, 0);
    }
    if (status != VV_OK || w->ahead >= h * (1 - ROUNDING))
        w->ahead = status == VV_OK ? h : 0;
    if (steps)
        *steps = made;
    if (fraction)
        *fraction = fmin(w->ahead / h, 1);
    return status;
}

vvStatus vvWorldAdvance(vvWorld *w, double seconds, int most, int *steps, double *fraction, vvError *error)
{
    VV_WORLD_CALL(w, error, advance(w, seconds, most, steps, fraction, error));
}

static vvStatus settle(vvWorld *w, bool apply, double *energy, vvError *error)
{
    vv_sleep_wake_all(w);
    vvStatus status = vv_world_bake(w, error);
    if (status != VV_OK)
        return status;
    size_t n = 3 * (size_t)w->nodes;
    double *q = vv_alloc(n, sizeof *q);
    if (!q)
        return vv_fail_memory(error, "settling");
    memcpy(q, w->state.q, n * sizeof *q);
    status = vv_settle(w, false, q, energy, error);
    if (status == VV_OK && apply) {
        memset(w->state.v, 0, n * sizeof *q);
        memcpy(w->state.q, q, n * sizeof *q);
        vv_world_mark_placed(w, 0, (int)w->body_count);
        w->settled = true;
        w->state.history = false;
        for (size_t j = 0; j < w->joint_count; j++) /* what they bear is that of the equilibrium */
            w->joints[j].state.bore = 0;
        vv_world_state_changed(w);
        vv_world_catch_up(w);
        vv_stepper_note_settled(w->stepper);
    }
    vv_free(q);
    return status;
}

vvStatus vvWorldSettle(vvWorld *w, bool apply, double *energy, vvError *error)
{
    VV_WORLD_CALL(w, error, settle(w, apply, energy, error));
}
