/* Whether a state that was loaded can have been saved: a run file, and so a state, may come from a stranger, who can
 * make its checksum right. What is used as a place, a count or a choice must be one, and what moves must be numbers.
 * The rest may be any number: what comes of that is the ledger's matter. */
#include "base/error.h"
#include "world/joints/joints.h"

#include <math.h>
#include <string.h>

/* More steps than any run has, and far enough from where counting ends. */
static const int64_t most_counted = (int64_t)1 << 53;
enum { MOST_COUNTED = 1 << 30 };

static bool counted(int64_t n) { return n >= 0 && n <= most_counted; }
static bool counted_few(int64_t n) { return n >= 0 && n <= MOST_COUNTED; }

/* To read another byte than 0 or 1 as a bool is undefined. */
static bool is_bool(const void *at) { return *(const unsigned char *)at <= 1; }

static bool has_end(const char *text, size_t room) { return memchr(text, 0, room) != NULL; }

static bool are_numbers(const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

static bool sound_clock(const vv_clock *c)
{
    return counted(c->step) && counted(c->step_base) && c->step_base <= c->step && isfinite(c->time_base);
}

static bool sound_row(const vvLedgerRow *r)
{
    return counted(r->step) && counted_few(r->newtonIterations) && counted_few(r->linearSolves) &&
           counted_few(r->pcgIterations) && counted_few(r->lineSearchSteps) && counted_few(r->parts) &&
           r->astray >= -1 && r->astray <= MOST_COUNTED;
}

static bool sound_totals(const vvLedgerTotals *t)
{
    const int64_t counts[] = { t->steps,         t->newtonIterations, t->linearSolves,
                               t->pcgIterations, t->lineSearchSteps,  t->dividedSteps,
                               t->failedSteps,   t->astraySteps,      t->astrayBodySteps };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (!counted(counts[i]))
            return false;
    return sound_row(&t->first) && has_end(t->astrayBody, sizeof t->astrayBody);
}

static bool sound_flight(const vv_flight *f)
{
    return counted_few(f->steps) && f->lost >= 0 && f->lost <= 2 && f->which >= 0 && f->which < VV_FLIGHT_MOMENTA;
}

static bool sound_course(const vv_course *c)
{
    return c->filled >= 0 && c->filled <= VV_COURSE_STEPS && c->next >= 0 && c->next < VV_COURSE_STEPS &&
           counted_few(c->in_a_row) && counted(c->flagged) && sound_flight(&c->flight);
}

static const char *wrong_in_bodies(const vvWorld *w)
{
    for (size_t b = 0; b < w->body_count; b++) {
        const vv_body *body = w->bodies + b;
        if (!sound_course(w->state.body_course + b))
            return "the course of a body";
        if (body->stage > (VV_BODY_STEPPED | VV_BODY_PLACED | VV_BODY_MOVED | VV_BODY_RESTS) ||
            !counted(body->stay.from) || !counted(body->stay.to))
            return "the stage of a body";
        const vv_sleep *sleep = w->state.body_sleep + b;
        if (!(sleep->slow >= 0) || (sleep->asleep != 0 && (sleep->asleep != 1 || body->kinematic)) ||
            !are_numbers(&sleep->elastic, 1) || !are_numbers(&sleep->contact, 1))
            return "the sleep of a body";
        if (!(body->stiffness_part >= 0 && body->stiffness_part <= 1))
            return "the stiffness of contact";
        if (!are_numbers(body->stick, 3 * vv_body_label_count(body)))
            return "what friction remembers";
    }
    return NULL;
}

static const char *wrong_in_parts(const vvWorld *w)
{
    for (size_t a = 0; a < w->attach_count; a++)
        if (!is_bool(&w->attaches[a].driven) || !are_numbers(w->attaches[a].from, 6 * (size_t)w->attaches[a].count) ||
            !are_numbers(&w->attaches[a].load.work, 1))
            return "an attachment";
    for (size_t j = 0; j < w->joint_count; j++) {
        const vv_joint_state *s = &w->joints[j].state;
        if (!counted(s->broken) || !isfinite(s->speed) || !isfinite(s->given[0]) || isnan(s->most) ||
            isnan(s->given[1]) || isinf(s->target) || !counted(s->bore) || !are_numbers(s->load, VV_JOINT_LOAD))
            return "a joint";
    }
    for (size_t o = 0; o < w->obstacle_count; o++)
        if (!counted(w->obstacles[o].since))
            return "an obstacle";
    return NULL;
}

static const char *wrong_in_state(const vv_state *s, size_t nodes)
{
    const struct {
        const double *x;
        const char *what;
    } vectors[] = { { s->q, "positions" },
                    { s->v, "velocities" },
                    { s->q_previous, "earlier positions" },
                    { s->v_previous, "earlier velocities" },
                    { s->force, "forces" } };
    if (!is_bool(&s->history) || !is_bool(&s->forced) || !(s->span >= 0 && isfinite(s->span)))
        return "the last step";
    if (!sound_clock(&s->clock))
        return "the clock";
    if (!sound_row(&s->ledger.row) || !sound_totals(&s->ledger.totals))
        return "the ledger";
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (!are_numbers(vectors[i].x, 3 * nodes))
            return vectors[i].what;
    return NULL;
}

static const char *wrong_in_contact(const vvWorld *w)
{
    const vv_stiffness *s = &w->stiffness;
    const vv_stiffening *more = &w->stiffening;
    const bool sound = s->chosen >= 0 && isfinite(s->chosen) && has_end(s->body, sizeof s->body) &&
                       more->doublings >= 0 && more->doublings <= 1000 && counted_few(more->close) &&
                       !isnan(more->base);
    return sound ? NULL : "the stiffness of contact";
}

static bool sound_policy(const vvWorld *w)
{
    const vv_policy_ops *ops = vv_policy_find(w->def.integrator.policy);
    const vv_policy_memory *m = &w->state.policy;
    return !ops || !ops->sound || m->size < ops->memory || ops->sound(m->data, m->bodies, w->body_count);
}

vvStatus vv_state_check(const vvWorld *w, vvError *error)
{
    const char *wrong = wrong_in_state(&w->state, (size_t)w->nodes);
    if (!wrong && !are_numbers(w->placed, 3 * (size_t)w->nodes))
        wrong = "the places where bodies begin";
    if (!wrong && (!is_bool(&w->started) || !is_bool(&w->unbooked) || !is_bool(&w->settled) ||
                   !counted_few(w->limits) || !counted_few(w->unbalanced) || !counted_few(w->losses)))
        wrong = "its counts";
    if (!wrong)
        wrong = wrong_in_contact(w);
    if (!wrong)
        wrong = wrong_in_bodies(w);
    if (!wrong)
        wrong = wrong_in_parts(w);
    if (!wrong && !sound_policy(w))
        wrong = "the policy's memory";
    if (!wrong)
        return VV_OK;
    return vv_fail(error, VV_ERROR_INPUT, "load state: the saved state is damaged (%s); the world is unchanged", wrong);
}
