/* The ledger (theory §8.1): H(n+1) - H(n) = work - friction - damping - decay + error, and the target's arithmetic. */
#include "base/error.h"
#include "base/vec.h"
#include "step/inside.h"
#include "step/bodies/touching.h"
#include "step/ledger/work.h"

#include <string.h>

/* Momentum, and angular momentum about the origin and about the centre of mass. */
static void momenta(const vv_stepper *s, const double *q, const double *v, vvLedgerRow *row)
{
    double mass = 0, centre[3] = { 0 }, p[3] = { 0 }, l[3] = { 0 }, c[3];
    for (size_t i = 0; i < (size_t)s->system->nodes; i++) {
        double m = s->system->mass[i];
        vv_cross(q + 3 * i, v + 3 * i, c);
        mass += m;
        for (int k = 0; k < 3; k++) {
            centre[k] += m * q[3 * i + k];
            p[k] += m * v[3 * i + k];
            l[k] += m * c[k];
        }
    }
    for (int k = 0; k < 3; k++)
        centre[k] /= mass > 0 ? mass : 1;
    vv_cross(centre, p, c);
    for (int k = 0; k < 3; k++) {
        row->momentum[k] = p[k];
        row->angularMomentum[k] = l[k];
        row->angularMomentumCentre[k] = l[k] - c[k];
    }
}

/* Smallest det F over all elements; infinity where there are none. */
static double least_j(const vv_stepper *s, const double *q)
{
    double least = INFINITY;
    for (int i = 0; i < s->system->energies; i++) {
        const vv_energy *e = s->system->energy[i];
        double j = e->ops->least_j ? e->ops->least_j(e, &s->system->par, q, NULL) : INFINITY;
        least = j < least ? j : least;
    }
    return least;
}

static void fill_energies(vvLedgerRow *row, const vv_energies *e)
{
    row->kinetic = e->kinetic, row->elastic = e->elastic, row->gravity = e->gravity, row->contact = e->contact;
    row->attachment = e->attachment, row->joint = e->joint, row->total = e->total;
}

/* S: the largest T - E_g so far; without a ground the largest T - E_gravity + |work of gravity since the start|, which
 * is K + E_elastic + E_contact + ... of a state on target; no less than it begins with (theory §8.5). Of the target: an
 * H that blows up is measured against what there ought to be. Neither changes when the scene is shifted. */
static void grow_scale(vv_stepper *s, const vv_energies *e)
{
    vv_ledger *l = &s->state->ledger;
    const double now =
        isfinite(l->ground) ? l->target - l->ground : l->target - e->gravity + fabs(e->gravity - l->gravity_start);
    if (now > l->scale)
        l->scale = now;
}

/* The row's visible energies are the sums of the bodies'. */
static void sum_visible(vv_stepper *s)
{
    vvVisible all = { 0 };
    vvLedgerRow *row = &s->state->ledger.row;
    for (int b = 0; b < s->bodies; b++)
        vv_visible_add(&all, s->state->body_visible[b]);
    row->visible = all.total, row->visibleCentre = all.centre;
    row->visibleRotation = all.rotation, row->visibleDeformation = all.deformation;
}

static vv_rigid_motion motion_of(const vv_stepper *s, const vv_displacement *d, int body)
{
    return vv_rigid_motion_of(d, s->system->mass, s->body_start[body], s->body_start[body + 1] - s->body_start[body]);
}

static void show_body(vv_stepper *s, const vv_displacement *d, const vv_rigid_motion *r, int body)
{
    s->state->body_visible[body] =
        vv_visible_of(d, s->system->mass, s->body_start[body], s->body_start[body + 1] - s->body_start[body], r);
}

/* Before the first step, of the velocities; those are where each body's course begins. */
static void show_velocities(vv_stepper *s)
{
    const vv_displacement d = { .to = s->state->q, .v = s->state->v };
    for (int b = 0; b < s->bodies; b++) {
        const vv_rigid_motion booked = motion_of(s, &d, b);
        show_body(s, &d, &booked, b);
        s->state->body_course[b] = (vv_course){ 0 };
        vv_course_set(&s->state->body_course[b], &booked, s->h);
        vv_flight_begin(&s->state->body_course[b].flight, &booked);
    }
    sum_visible(s);
}

/* Whether it goes where forces take it: not where all of its nodes are prescribed. */
static bool is_free(const vv_stepper *s, int body)
{
    bool any = false;
    for (int i = s->body_start[body]; i < s->body_start[body + 1] && !any; i++)
        any = s->system->unknown[i] >= 0;
    return any;
}

static bool within_reach(void *stepper, int body) { return vv_touching_within_reach(stepper, body); }

/* Of the step just made. */
static void show_step(vv_stepper *s)
{
    vv_state *state = s->state;
    const size_t mark = vv_arena_mark(&s->system->arena);
    unsigned char *acted = vv_arena_push(&s->system->arena, (size_t)s->bodies, 1); /* the step had room for more */
    const double *gravity = vv_stepper_gravity(s);
    vv_touching_acted_on(s, acted);
    const vv_displacement moved = { .from = state->q_previous, .to = state->q, .seconds = state->span },
                          booked = { .to = state->q, .v = state->v };
    state->ledger.row.astray = 0;
    for (int b = 0; b < s->bodies; b++) {
        const vv_rigid_motion seen = motion_of(s, &moved, b), said = motion_of(s, &booked, b);
        show_body(s, &moved, &seen, b);
        if (s->part == 1 && is_free(s, b)) /* a step made in parts counts once */
            vv_course_take(&state->body_course[b], &seen, &said, state->span);
        if (s->part == 1)
            vv_flight_take(&state->body_course[b].flight,
                           &(vv_flight_step){ &said, gravity, state->span, !acted[b], within_reach, s, b });
        state->ledger.row.astray += state->body_course[b].flags != 0;
    }
    vv_arena_release(&s->system->arena, mark);
    sum_visible(s);
}

static void add_visible(vv_ledger *l)
{
    vvLedgerTotals *t = &l->totals;
    const vvLedgerRow *r = &l->row;
    double steps = (double)t->steps;
    vv_visible_add(&l->visible_sum,
                   (vvVisible){ r->visible, r->visibleCentre, r->visibleRotation, r->visibleDeformation });
    t->meanVisible = l->visible_sum.total / steps, t->meanVisibleCentre = l->visible_sum.centre / steps;
    t->meanVisibleRotation = l->visible_sum.rotation / steps,
    t->meanVisibleDeformation = l->visible_sum.deformation / steps;
}

void vv_ledger_start(vv_stepper *s, double ground, double least_scale)
{
    vv_ledger *l = &s->state->ledger;
    vv_energies e = vv_stepper_energies(s, s->state->q, s->state->v, s->state->body_energy);
    *l = (vv_ledger){ .ground = ground, .gravity_start = e.gravity, .scale = least_scale };
    vv_policy_memory_clear(&s->state->policy, (size_t)s->bodies);
    double fraction = s->integrator.startFraction;
    l->target = isfinite(ground) && fraction != 1 ? ground + fraction * (e.total - ground) : e.total;
    grow_scale(s, &e);
    vvLedgerRow *row = &l->row;
    fill_energies(row, &e);
    row->target = l->target, row->groundEnergy = ground, row->scale = l->scale, row->alpha = NAN;
    momenta(s, s->state->q, s->state->v, row);
    row->minGap = vv_contact_measure(s->contact, &s->system->par, s->state->q);
    row->minJ = least_j(s, s->state->q);
    show_velocities(s);
    l->totals.first = *row;
    l->totals.minGap = row->minGap, l->totals.minJ = row->minJ;
}

/* Nothing that such a run shows is of its scene any more, and rounding alone turns its tets inside out. Healthy runs
 * stay below S, bad ones at hundreds. What the run began with counts besides S, which a ground level may make too
 * small; and it has to be so at the step's start, too: an explicit scheme books the work of a push on what rests one
 * step late. */
vvStatus vv_ledger_check(const vv_stepper *s, const vv_booking *b, const vv_energies *e, vvError *error)
{
    const double most = s->integrator.blowUp;
    const vv_ledger *l = &s->state->ledger;
    const vvLedgerRow *first = &l->totals.first;
    const double flow = b->work - b->friction - b->damping - b->decay + b->springs,
                 before = l->totals.error - l->totals.decay,
                 made = before + (e->total - l->row.total - flow) - b->decay,
                 had = l->scale + first->kinetic + fabs(first->elastic) + fabs(first->contact) +
                       fabs(first->attachment) + fabs(first->joint);
    if (most == 0 || before <= most * had || made <= most * (had + fabs(flow)))
        return VV_OK;
    return vv_fail(
        error, VV_ERROR_SOLVER,
        "step %lld (t = %g s): scheme \"%s\" with policy \"%s\" blew up: %.2g J have come from nothing, %.2g times the "
        "energy present; at most %g are allowed (integrator.blow_up): use a smaller step, a stable "
        "scheme or a policy that aims at the target",
        (long long)s->state->clock.step + 1, vv_stepper_time(s, 1), s->scheme.info.name, s->policy->info.name, made,
        made / had, most);
}

void vv_ledger_book(vv_stepper *s, const vv_booking *b, const vv_energies *e, const vv_solve_stats *stats)
{
    const vv_state *state = s->state;
    vv_ledger *l = &s->state->ledger;
    vvLedgerRow old = l->row, *row = &l->row;
    *row = (vvLedgerRow){ .step = state->clock.step,
                          .time = vv_stepper_time(s, 0),
                          .work = b->work,
                          .friction = b->friction,
                          .damping = b->damping,
                          .decay = b->decay,
                          .springs = b->springs,
                          .loads = b->loads,
                          .parts = b->parts > 1 ? b->parts : 1,
                          .policyChange = b->policy_change,
                          .alpha = b->alpha,
                          .groundEnergy = l->ground,
                          .newtonIterations = stats->iterations,
                          .linearSolves = stats->linear_solves,
                          .pcgIterations = stats->pcg_iterations,
                          .lineSearchSteps = stats->line_search_steps };
    fill_energies(row, e);
    row->error = row->total - old.total - (b->work - b->friction - b->damping - b->decay) - b->springs;
    l->target += b->work - b->friction - b->damping - b->decay;
    l->user_work = 0;
    row->target = l->target;
    grow_scale(s, e);
    row->scale = l->scale;
    momenta(s, state->q, state->v, row);
    row->minGap = vv_contact_measure(s->contact, &s->system->par, state->q);
    row->minJ = least_j(s, state->q);
    show_step(s);

    vvLedgerTotals *t = &l->totals;
    t->steps++;
    t->astraySteps += row->astray > 0;
    t->dividedSteps += row->parts > 1;
    t->work += b->work, t->friction += b->friction, t->damping += b->damping, t->decay += b->decay,
        t->springs += b->springs, t->loads += b->loads;
    t->error += row->error, t->absError += fabs(row->error);
    double relative = l->scale > 0 ? fabs(row->total - row->target) / l->scale : 0;
    l->target_error_sum += relative;
    t->meanTargetError = l->target_error_sum / (double)t->steps;
    t->maxTargetError = fmax(t->maxTargetError, relative);
    t->minGap = fmin(t->minGap, row->minGap);
    t->minJ = fmin(t->minJ, row->minJ);
    t->newtonIterations += row->newtonIterations, t->linearSolves += row->linearSolves;
    t->pcgIterations += row->pcgIterations, t->lineSearchSteps += row->lineSearchSteps;
    add_visible(l);
}

void vv_stepper_book_change(vv_stepper *s)
{
    vv_ledger *l = &s->state->ledger;
    vv_energies e = vv_stepper_energies(s, s->state->q, s->state->v, s->state->body_energy);
    /* the row shows the new parts but keeps its total; the change is booked with the next step */
    double total = l->row.total;
    l->user_work = e.total - total;
    fill_energies(&l->row, &e);
    l->row.total = total;
    for (int b = 0; b < s->bodies; b++)
        s->state->body_course[b].flight.steps = 0;
    if (s->state->clock.step == 0)
        show_velocities(s);
    else
        sum_visible(s); /* a body may be gone */
    s->g_old_valid = false;
    s->hooks.moved(s->hooks.user);
}

/* The last row with the present state, once its work and the target are known. */
static void show_now(vv_stepper *s, const vv_energies *e)
{
    vv_ledger *l = &s->state->ledger;
    vvLedgerRow *row = &l->row;
    fill_energies(row, e);
    row->target = l->target;
    l->user_work = 0;
    s->way.known = false;
    grow_scale(s, e);
    row->scale = l->scale;
    momenta(s, s->state->q, s->state->v, row);
    row->minGap = vv_contact_measure(s->contact, &s->system->par, s->state->q);
    row->minJ = least_j(s, s->state->q);
    l->totals.minGap = fmin(l->totals.minGap, row->minGap);
    l->totals.minJ = fmin(l->totals.minJ, row->minJ);
}

void vv_stepper_book_now(vv_stepper *s)
{
    vv_ledger *l = &s->state->ledger;
    const vv_energies e = vv_stepper_energies(s, s->state->q, s->state->v, s->state->body_energy);
    const double work = e.total - l->row.total;
    l->row.work += work, l->totals.work += work, l->target += work;
    show_now(s, &e);
}

/* What a row says of a step, added to the totals and the target, or (sign -1) taken from them. */
static void add_flows(vv_ledger *l, double sign)
{
    const vvLedgerRow *row = &l->row;
    vvLedgerTotals *t = &l->totals;
    t->work += sign * row->work, t->loads += sign * row->loads, t->error += sign * row->error;
    t->friction += sign * row->friction, t->damping += sign * row->damping, t->decay += sign * row->decay;
    t->absError += sign * fabs(row->error);
    l->target += sign * (row->work - row->friction - row->damping - row->decay);
}

void vv_stepper_book_settled(vv_stepper *s)
{
    vv_ledger *l = &s->state->ledger;
    vvLedgerRow *row = &l->row;
    double loads;
    const double work = vv_stepper_settled_work(s, &loads);
    const vv_energies e = vv_stepper_energies(s, s->state->q, s->state->v, s->state->body_energy);
    const double before =
        row->total - (row->work - row->friction - row->damping - row->decay + row->springs + row->error);
    add_flows(l, -1);
    row->work = work, row->loads = loads;
    row->friction = row->damping = row->decay = 0; /* of the step's motion, which has not been */
    row->error = e.total - before - work - row->springs;
    add_flows(l, 1);
    show_now(s, &e);
}

void vv_stepper_book_sleep(vv_stepper *s)
{
    vv_ledger *l = &s->state->ledger;
    const vv_energies e = vv_stepper_energies(s, s->state->q, s->state->v, s->state->body_energy);
    const double lost = l->row.total - e.total;
    fill_energies(&l->row, &e);
    l->row.damping += lost, l->totals.damping += lost;
    l->target -= lost;
    l->row.target = l->target;
    s->way.known = false;
    momenta(s, s->state->q, s->state->v, &l->row);
}

double vv_decay_time(const vvIntegratorDef *def, double time)
{
    double tau = 0;
    for (int i = 0; i < def->decayKeyCount && def->decayKeys[i].time <= time + 1e-12; i++)
        tau = isfinite(def->decayKeys[i].value) ? def->decayKeys[i].value : 0;
    return tau;
}

const char *vvPhaseName(vvPhase phase)
{
    static const char *const names[VV_PHASE_COUNT] = { "kinematics",  "contact", "assembly", "linear",
                                                       "line_search", "policy",  "ledger",   "settle" };
    return (unsigned)phase < VV_PHASE_COUNT ? names[phase] : "unknown";
}
