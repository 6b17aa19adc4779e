/* What the start of a run consists of: prescribed nodes in place, the ground energy, the ledger's first row. Who calls
 * it when: come_in.c. */
#include "base/clock.h"
#include "base/error.h"
#include "base/vec.h"
#include "world/analysis/analysis.h"
#include "world/start.h"

#include <string.h>

/* Prescribed nodes of bodies that have not stepped yet take position and velocity from their scripts. */
void vv_start_place_prescribed(vvWorld *w)
{
    double now = vv_world_time(w), next = vv_clock_time(&w->state.clock, w->def.timeStep, 1), end[3];
    for (size_t a = 0; a < w->attach_count; a++) {
        const vv_attach *attach = w->attaches + a;
        if (!vv_attach_is(attach, VV_ATTACH_FIXED) || (w->bodies[attach->body].stage & VV_BODY_STEPPED))
            continue;
        for (int i = 0; i < attach->count; i++) {
            size_t at = 3 * (size_t)attach->nodes[i];
            vv_attach_position(w, attach, i, now, w->state.q + at);
            vv_attach_position(w, attach, i, next, end);
            for (size_t k = 0; k < 3; k++)
                w->state.v[at + k] = (end[k] - w->state.q[at + k]) / w->def.timeStep;
        }
    }
    vv_world_start_on_rails(w);
    vv_world_place_springs(w, now);
}

void vv_world_invent_past(vvWorld *w, int body)
{
    const vv_body *b = w->bodies + body;
    const vvIntegratorDef *d = &w->def.integrator;
    double h = w->state.history ? w->state.span : w->def.timeStep;
    bool ballistic = vv_scheme_made(d->scheme, d->settings, d->settingCount).ballistic;
    for (size_t i = 3 * (size_t)b->first; i < 3 * (size_t)(b->first + b->count); i++) {
        double g = ballistic ? 0 : w->def.gravity[i % 3];
        w->state.q_previous[i] = w->state.q[i] - h * w->state.v[i] + 0.5 * h * h * g;
        w->state.v_previous[i] = w->state.v[i] - h * g;
    }
}

/* ---- ground energy ---- */

/* Without a decay or a start fraction the ground level would serve only to scale errors, and is not worth a search. */
static bool needs_ground(const vvWorld *w)
{
    const vvIntegratorDef *d = &w->def.integrator;
    bool decays = d->startFraction != 1;
    for (int i = 0; i < d->decayKeyCount; i++)
        decays = decays || (d->decayKeys[i].value > 0 && isfinite(d->decayKeys[i].value));
    return decays && vv_stepper_aims(w->stepper);
}

/* E_g: from the placed rest shape if that is feasible (a start from random positions may get stuck in another
 * minimum), else from the bodies' present positions. */
static vvStatus solve_ground(vvWorld *w, vvError *error)
{
    size_t n = 3 * (size_t)w->nodes;
    double *q = vv_alloc(n, sizeof *q), begin = vv_seconds(), energy = 0;
    if (!q)
        return vv_fail_memory(error, "the ground energy");
    memcpy(q, w->rest, n * sizeof *q);
    vv_world_prescribed(w, vv_world_time(w), q);
    bool feasible;
    vvStatus status = vv_world_feasible(w, q, &feasible, error);
    if (status != VV_OK) {
        vv_free(q);
        return status;
    }
    if (!feasible)
        memcpy(q, w->state.q, n * sizeof *q);
    vvError why = { 0 };
    status = vv_settle(w, true, q, &energy, &why);
    vv_free(q);
    w->settle_seconds += vv_seconds() - begin;
    if (status != VV_OK && status != VV_ERROR_SOLVER)
        return vv_fail(error, status, "%s", why.message);
    if (status == VV_ERROR_SOLVER)
        vv_world_log(w, VV_LOG_WARNING, "there is no ground energy: %s", why.message);
    w->ground = (vv_known_ground){ vv_structure_hash(w), status == VV_OK ? energy : NAN };
    return VV_OK;
}

void vv_world_regard_ground(vvWorld *w)
{
    const vvIntegratorDef *d = &w->def.integrator;
    double ground = d->groundMode == VV_GROUND_GIVEN ? d->groundEnergy : NAN;
    if (d->groundMode == VV_GROUND_AUTO && w->ground.structure == vv_structure_hash(w))
        ground = w->ground.energy;
    w->state.ledger.ground = ground;
}

/* The equilibrium is that of the world without drags: it is computed once they have ended. */
static bool in_hand(const vvWorld *w)
{
    for (size_t a = 0; a < w->attach_count; a++)
        if (w->attaches[a].dragged)
            return true;
    return false;
}

bool vv_world_lacks_ground(const vvWorld *w)
{
    return w->def.integrator.groundMode == VV_GROUND_AUTO && !isfinite(w->state.ledger.ground) &&
           vv_stepper_aims(w->stepper) && vv_decay_time(&w->def.integrator, vv_world_time(w)) > 0 &&
           w->ground.structure != vv_structure_hash(w) && !in_hand(w);
}

vvStatus vv_world_want_ground(vvWorld *w, vvError *error)
{
    if (!vv_world_lacks_ground(w))
        return VV_OK;
    vvStatus status = solve_ground(w, error);
    if (status == VV_OK)
        vv_world_regard_ground(w);
    return status;
}

vvStatus vv_start_want_ground(vvWorld *w, vvError *error)
{
    if (!needs_ground(w) || w->def.integrator.groundMode != VV_GROUND_AUTO ||
        w->ground.structure == vv_structure_hash(w) || in_hand(w))
        return VV_OK;
    return solve_ground(w, error);
}

vvStatus vv_start_check_decay(const vvWorld *w, double ground, vvError *error)
{
    const vvIntegratorDef *d = &w->def.integrator;
    bool later = d->groundMode == VV_GROUND_AUTO && in_hand(w);
    if (!needs_ground(w) || isfinite(ground) || (later && d->startFraction == 1))
        return VV_OK;
    return vv_fail(error, VV_ERROR_INPUT,
                   "integrator: decay_time and start_fraction aim at the static equilibrium's energy, and "
                   "there is none (%s); give integrator.ground_energy a number in J",
                   d->groundMode == VV_GROUND_NONE ? "ground_energy is \"none\""
                   : later                         ? "a drag has begun before the first step"
                                                   : "nothing stops the fall");
}

/* ---- the ledger ---- */

double vv_world_gravity_of(const vvWorld *w, const vv_body *b)
{
    double sum = 0;
    for (int i = b->first; i < b->first + b->count; i++)
        for (size_t k = 0; k < 3; k++)
            sum -= w->mass[i] * w->def.gravity[k] * (w->state.q[3 * (size_t)i + k] - w->rest[3 * (size_t)i + k]);
    return sum;
}

/* The gravity energy at which each new body begins; the ledger's sum of them is updated. */
void vv_start_begin_gravity(vvWorld *w, double *sum)
{
    for (size_t b = 0; b < w->body_count; b++) {
        vv_body *body = w->bodies + b;
        if (body->stage & VV_BODY_STEPPED)
            continue;
        double now = vv_world_gravity_of(w, body);
        *sum += now - body->gravity_start;
        body->gravity_start = now;
    }
}

/* m/s^2: at its largest, where it has keys, too, and is a push. */
static double most_gravity(const vvWorld *w)
{
    double most = vv_norm(w->def.gravity);
    for (size_t a = 0; a < w->attach_count; a++) {
        const vv_attach *at = w->attaches + a;
        double factor = 0;
        for (int k = 0; k < at->load.key_count; k++)
            factor = fmax(factor, fabs(at->load.keys[k].value));
        if (at->kind == VV_ATTACH_PUSH && !at->released)
            most = fmax(most, factor * vv_norm(at->acceleration));
    }
    return most;
}

/* Energies below this are noise: of velocities that the solver does not resolve, or that gravity gives in a few
 * steps. */
static double least_scale(const vvWorld *w)
{
    static const double FEW = 5;
    double mass = 0, v = FEW * (most_gravity(w) * w->def.timeStep + w->def.solver.tolerance);
    for (int i = 0; i < w->nodes; i++)
        mass += w->mass[i];
    return 0.5 * mass * v * v;
}

/* The present state becomes the first row. */
void vv_start_count(vvWorld *w)
{
    double unused = 0;
    vv_ledger_start(w->stepper, w->state.ledger.ground, least_scale(w));
    vv_start_begin_gravity(w, &unused);
}

void vv_world_start_again(vvWorld *w)
{
    vv_start_place_prescribed(w);
    vv_stepper_forget(w->stepper);
    vv_world_regard_ground(w);
    vv_start_count(w);
    w->moved++;
}
