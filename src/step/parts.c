/* A step of the world. One in which bodies would pass each other is repeated in halves, each of which may be halved
 * again, until the two meet only in parts that move them little (contact/ccd/passing.h). For the ledger, the past and
 * the clock it is one step. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text/text.h"
#include "energy/links/links.h"
#include "solve/vectors.h"
#include "step/inside.h"

#include <stdio.h>
#include <string.h>

enum { MOST_PARTS = 1 << VV_MOST_HALVINGS };

/* The step as a whole: what it began with, and its sums so far. */
typedef struct whole {
    vv_stepper *s;
    double h, began; /* s; the step's begin */
    vv_clock clock;
    vv_ledger ledger;
    double *q, *v; /* at its begin */
    char *state;   /* all of the state, and of what solvers, springs and motors keep */
    vv_step_result sum;
    int parts;
} whole;

/* ---- what a failure restores ---- */

typedef struct copy {
    char *at;
    size_t bytes;
    bool back;
} copy;

static void visit(void *user, void *piece, size_t bytes)
{
    copy *c = user;
    if (c->at && bytes && c->back)
        memcpy(piece, c->at, bytes);
    else if (c->at && bytes)
        memcpy(c->at, piece, bytes);
    c->at += c->at ? bytes : 0;
    c->bytes += bytes;
}

static void visit_motors(vv_stepper *s, copy *c)
{
    for (int i = 0; i < s->system->energies; i++) {
        int count;
        vv_link *links = vv_links_of(s->system->energy[i], &count);
        for (int k = 0; k < count; k++) {
            visit(c, &links[k].low, sizeof links[k].low);
            visit(c, &links[k].high, sizeof links[k].high);
        }
    }
}

static size_t visit_all(vv_stepper *s, copy c)
{
    vv_state *state = s->state;
    vv_state_visit(state, (size_t)s->system->nodes, (size_t)s->bodies, visit, &c);
    vv_policy_memory_visit(&state->policy, (size_t)s->bodies, visit, &c);
    visit_motors(s, &c);
    vv_stick *stick = s->contact && s->contact->stick.on ? &s->contact->stick : NULL;
    const size_t springs = vv_springs_bytes(s), sticks = stick ? vv_stick_bytes(stick) : 0, done = c.bytes;
    char *own = c.at ? c.at + s->learned + springs : NULL;
    if (c.at && c.back) {
        vv_stepper_load_learned(s, c.at);
        vv_springs_load(s, c.at + s->learned);
        if (stick)
            vv_stick_load(stick, own);
    } else if (c.at) {
        vv_stepper_save_learned(s, c.at);
        vv_springs_save(s, c.at + s->learned);
        if (stick)
            vv_stick_save(stick, own);
    }
    return done + s->learned + springs + sticks;
}

static bool keep(whole *w)
{
    vv_stepper *s = w->s;
    const size_t n = vv_node_space(s->system), bytes = visit_all(s, (copy){ 0 });
    w->q = vv_alloc(2 * n, sizeof *w->q);
    w->state = vv_alloc(bytes, 1);
    if (!w->q || !w->state)
        return false;
    w->v = w->q + n;
    vv_copy(n, s->state->q, w->q);
    vv_copy(n, s->state->v, w->v);
    visit_all(s, (copy){ .at = w->state });
    return true;
}

static void restore(whole *w)
{
    vv_stepper *s = w->s;
    visit_all(s, (copy){ .at = w->state, .back = true });
    s->hooks.attachments(s->hooks.user, w->began);
    s->hooks.moved(s->hooks.user);
    vv_contact_measure(s->contact, &s->system->par, s->state->q);
    s->g_old_valid = false;
}

/* ---- parts ---- */

static void add(whole *w, const vv_step_result *r)
{
    vv_booking *sum = &w->sum.booking;
    const vv_booking *b = &r->booking;
    const vvSolveEnd end = w->parts ? vv_worse_end(w->sum.stats.end, r->stats.end) : r->stats.end;
    sum->work += b->work, sum->friction += b->friction, sum->damping += b->damping, sum->decay += b->decay;
    sum->springs += b->springs, sum->loads += b->loads, sum->policy_change += b->policy_change;
    sum->alpha = b->alpha, sum->target = b->target;
    w->sum.energies = r->energies;
    w->sum.stats = r->stats;
    w->sum.stats.end = end;
    w->sum.note = r->note ? r->note : w->sum.note;
    w->parts++;
}

static vvStatus fail_passing(const whole *w, const vv_passing *p, vvError *error)
{
    const vv_contact_def *c = &w->s->contact->def;
    const vv_passing *all = &w->sum.passing;
    char fits[32];
    vv_print(fits, sizeof fits, "%.2g", 0.5 * all->extent / all->travel * w->h);
    return vv_fail(error, VV_ERROR_SOLVER,
                   "step %lld (t = %g s): \"%s\" and \"%s\" would pass through each other, even in %d parts of the "
                   "step: they move by %.3g m relative to each other in the step, and the smaller is %.3g m thick; use "
                   "a step of at most %s s",
                   (long long)w->clock.step + 1, w->began + w->h, c->name(c->user, p->body[0]),
                   c->name(c->user, p->body[1]), MOST_PARTS, all->travel, all->extent, fits);
}

static vvStatus make_part(whole *w, int first, int count, vvError *error);

/* In halves, for the sake of a pair. */
static vvStatus halve(whole *w, int first, int count, const vv_passing *pair, vvError *error)
{
    vv_stepper *s = w->s;
    s->passed[s->passed_count++] = *pair;
    vvStatus status = make_part(w, first, count / 2, error);
    if (status == VV_OK)
        status = make_part(w, first + count / 2, count / 2, error);
    s->passed_count--;
    return status;
}

/* From part `first` of MOST_PARTS on, as many as `count`. */
static vvStatus make_part(whole *w, int first, int count, vvError *error)
{
    vv_stepper *s = w->s;
    vv_step_result r;
    s->part = (double)count / MOST_PARTS;
    s->h = s->part * w->h;
    s->ends = first + count == MOST_PARTS;
    s->passing_rule = count > 1 ? VV_PASSING_MEETING : VV_PASSING_THROUGH;
    s->state->clock = (vv_clock){ w->clock.step, w->clock.step, w->began + (double)first / MOST_PARTS * w->h };
    vvStatus status = vv_step_once(s, &r, error);
    vv_stats_add(&w->sum.spent, &r.spent);
    if (status != VV_OK)
        return status;
    if (r.passes)
        return count > 1 ? halve(w, first, count, &r.passing, error) : fail_passing(w, &r.passing, error);
    add(w, &r);
    return VV_OK;
}

/* The parts become one step. Two-step schemes start anew after it: what is before its end is not one step back, and a
 * meeting lies between. */
static void join(whole *w)
{
    vv_stepper *s = w->s;
    vv_state *state = s->state;
    const size_t n = vv_node_space(s->system);
    state->clock = w->clock;
    state->clock.step++;
    state->ledger = w->ledger;
    if (vv_springs_bytes(s) == 0) { /* else they were made where the last part began, and are made there again */
        vv_copy(n, w->q, state->q_previous);
        vv_copy(n, w->v, state->v_previous);
        state->span = w->h;
        state->history = false;
    }
    w->sum.booking.parts = w->parts;
    vv_ledger_book(s, &w->sum.booking, &w->sum.energies, &w->sum.spent);
}

static vvStatus step_in_parts(vv_stepper *s, vv_step_result *result, int *parts, vvError *error)
{
    whole w = { .s = s,
                .h = s->h,
                .began = vv_stepper_time(s, 0),
                .clock = s->state->clock,
                .ledger = s->state->ledger,
                .sum = { .passing = result->passing, .spent = result->spent } };
    if (s->hooks.bears)
        vv_zero(s->hooks.bears, s->borne);
    vvStatus status = keep(&w) ? VV_OK : vv_fail_memory(error, "a step in parts");
    const bool kept = status == VV_OK;
    if (status == VV_OK)
        status = halve(&w, 0, MOST_PARTS, &result->passing, error);
    s->h = w.h, s->part = 1, s->ends = true, s->passing_rule = VV_PASSING_THROUGH;
    if (status == VV_OK)
        join(&w);
    else if (kept)
        restore(&w);
    if (status == VV_ERROR_SOLVER)
        s->state->ledger.totals.failedSteps++;
    w.sum.passing = result->passing;
    *result = w.sum;
    *parts = w.parts > 0 ? w.parts : 1;
    vv_free(w.q);
    vv_free(w.state);
    return status;
}

static void describe(const vv_stepper *s, const vv_passing *p, int parts, char *out, size_t size)
{
    const vv_contact_def *c = &s->contact->def;
    vv_print(out, size, "made in %d parts, because \"%s\" and \"%s\" would have passed each other", parts,
             c->name(c->user, p->body[0]), c->name(c->user, p->body[1]));
}

/* ---- a step ---- */

static void fill_report(const vv_stepper *s, const vv_step_result *r, double began, vvStepReport *report)
{
    const vv_solve_stats *stats = &r->stats, *spent = &r->spent;
    *report = (vvStepReport){ .end = stats->end,
                              .newtonIterations = spent->iterations,
                              .linearSolves = spent->linear_solves,
                              .pcgIterations = spent->pcg_iterations,
                              .lineSearchSteps = spent->line_search_steps,
                              .solver = stats->solver ? stats->solver : "none",
                              .fallbacks = spent->fallbacks,
                              .capped = spent->capped,
                              .factors = spent->factors,
                              .factorSeconds = spent->factor_seconds,
                              .factorBytes = stats->factor_bytes,
                              .factorReadBytes = stats->read_bytes,
                              .linear = stats->linear ? stats->linear : "none",
                              .residual = stats->residual,
                              .depth = fmax(0, -s->state->ledger.row.minGap),
                              .wall = vv_seconds() - began,
                              .stall = s->explanation.stall,
                              .frictionIterations = s->friction_solves,
                              .frictionChange = s->friction_change,
                              .policyNote = r->note ? r->note : "" };
    memcpy(report->seconds, spent->seconds, sizeof report->seconds);
}

static void fill_note(const vv_stepper *s, const vv_step_result *r, const char *divided, vvStepReport *report)
{
    const char *parts[] = { divided, r->stats.why, s->explanation.text, r->note, r->stats.linear_reason };
    size_t used = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i] && *parts[i] && used < sizeof report->note) {
            int n = snprintf(report->note + used, sizeof report->note - used, "%s%s", used ? "; " : "", parts[i]);
            used += n > 0 ? (size_t)n : 0;
        }
}

vvStatus vv_step(vv_stepper *s, vvStepReport *report, vvError *error)
{
    const double began = vv_seconds();
    char divided[400] = "";
    int parts = 1;
    vv_step_result r;
    vvStatus status = vv_step_once(s, &r, error);
    if (status == VV_OK && r.passes) {
        const vv_passing passing = r.passing;
        status = step_in_parts(s, &r, &parts, error);
        describe(s, &passing, parts, divided, sizeof divided);
    }
    if (!report)
        return status;
    fill_report(s, &r, began, report);
    fill_note(s, &r, divided, report);
    report->parts = parts;
    return status;
}
