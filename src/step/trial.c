/* Trials: taken, moved, booked. Solving one is the interpreter's task (step/schemes/stages.c). */
#include "step/trial.h"

#include "base/vec.h"
#include "energy/links/links.h"
#include "energy/points/external.h"
#include "energy/points/simple.h"
#include "solve/vectors.h"
#include "step/inside.h"
#include "step/ledger/work.h"

#include <string.h>

/* ---- room ---- */

enum { VECTORS = 7 }; /* of a trial: q, v, gradient, three impulses of losses, what the solve left over */

size_t vv_trial_bytes(const vv_stepper *s)
{
    return VECTORS * (3 * (size_t)s->system->nodes * sizeof(double) + 64) +
           (2 * (size_t)s->bodies + s->hooks.bears) * sizeof(double) + sizeof(vv_trial) + 256;
}

vv_trial *vv_trial_take(vv_stepper *s)
{
    vv_arena *arena = &s->system->arena;
    size_t n = 3 * (size_t)s->system->nodes;
    if (s->taken >= s->policy->trials)
        return NULL;
    s->taken++;
    vv_trial *t = vv_arena_push(arena, 1, sizeof *t);
    double *vectors[VECTORS], *body_energy = vv_arena_push(arena, (size_t)s->bodies, sizeof *body_energy);
    double *body_other = vv_arena_push(arena, (size_t)s->bodies, sizeof *body_other);
    double *borne = vv_arena_push(arena, s->hooks.bears, sizeof *borne);
    bool ok = t && body_energy && body_other && borne;
    for (int i = 0; i < VECTORS; i++) {
        vectors[i] = vv_arena_push(arena, n, sizeof(double));
        ok = ok && vectors[i];
    }
    if (!ok)
        return NULL;
    *t = (vv_trial){ .q = vectors[0],
                     .v = vectors[1],
                     .gradient = vectors[2],
                     .left = vectors[6],
                     .borne = borne,
                     .body_energy = body_energy,
                     .body_other = body_other,
                     .losses = { .friction = vectors[3], .damping = vectors[4], .mutual = vectors[5] } };
    return t;
}

void vv_trial_copy(vv_stepper *s, vv_trial *to, const vv_trial *from)
{
    size_t n = vv_node_space(s->system);
    vv_trial own = *to;
    *to = *from;
    to->q = own.q, to->v = own.v, to->gradient = own.gradient, to->losses = own.losses, to->left = own.left,
    to->borne = own.borne;
    to->body_energy = own.body_energy, to->body_other = own.body_other;
    to->made = ++s->made;
    vv_copy(n, from->q, to->q);
    vv_copy(n, from->v, to->v);
    if (vv_stepper_wants_gradients(s))
        vv_copy(n, from->gradient, to->gradient);
    vv_copy(n, from->losses.friction, to->losses.friction);
    vv_copy(n, from->losses.damping, to->losses.damping);
    vv_copy(n, from->losses.mutual, to->losses.mutual);
    vv_copy(n, from->left, to->left);
    vv_copy(s->hooks.bears, from->borne, to->borne);
    vv_copy((size_t)s->bodies, from->body_energy, to->body_energy);
    vv_copy((size_t)s->bodies, from->body_other, to->body_other);
}

/* ---- moving ---- */

enum { MOST_HALVINGS = 40 };

double vv_trial_move(vv_stepper *s, vv_trial *t, const double *q, const double *v)
{
    vv_system *sys = s->system;
    if (!(t->potential < INFINITY))
        return 0;
    size_t mark = vv_arena_mark(&sys->arena), n = 3 * (size_t)sys->nodes;
    double *p = vv_arena_push(&sys->arena, n, sizeof *p), *from = vv_arena_push(&sys->arena, n, sizeof *from);
    vv_difference_free(sys, q, t->q, p);
    vv_copy(n, t->q, from);
    for (size_t i = 0; i < n; i++)
        if (sys->unknown[i / 3] >= 0)
            t->v[i] = v[i];
    double part = fmax(vv_system_max_step(sys, from, p), 0); /* fmax of a number and NaN is the number */
    for (int k = 0;; k++, part *= 0.5) {
        if (k == MOST_HALVINGS)
            part = 0;
        for (size_t i = 0; i < n; i++)
            t->q[i] = part == 1 && sys->unknown[i / 3] >= 0 ? q[i] : part > 0 ? from[i] + part * p[i] : from[i];
        vv_trial_measure_energies(s, t);
        if (part == 0 || t->potential < INFINITY)
            break;
    }
    vv_arena_release(&sys->arena, mark);
    vv_trial_measure_gradient(s, t);
    return part;
}

static bool same_places(const vv_system *sys, const double *a, const double *b)
{
    for (size_t i = 0; i < 3 * (size_t)sys->nodes; i++)
        if (a[i] != b[i] && sys->unknown[i / 3] >= 0)
            return false;
    return true;
}

static void set_free(const vv_system *sys, const double *from, double *to)
{
    for (size_t i = 0; i < 3 * (size_t)sys->nodes; i++)
        if (sys->unknown[i / 3] >= 0)
            to[i] = from[i];
}

static bool look(vv_stepper *s, vv_trial *t, const double *q)
{
    vv_arena *arena = &s->system->arena;
    const size_t mark = vv_arena_mark(arena), n = 3 * (size_t)s->system->nodes;
    double *from = vv_arena_push(arena, n, sizeof *from);
    vv_copy(n, t->q, from);
    set_free(s->system, q, t->q);
    vv_trial_measure(s, t);
    const bool finite = t->potential < INFINITY;
    if (!finite) {
        vv_copy(n, from, t->q);
        vv_trial_measure(s, t);
    }
    vv_arena_release(arena, mark);
    return finite;
}

bool vv_trial_look(vv_stepper *s, vv_trial *t, const double *q, const double *v)
{
    const bool moves = !same_places(s->system, q, t->q);
    if (!(t->potential < INFINITY) || (moves && !look(s, t, q)))
        return false;
    set_free(s->system, v, t->v);
    t->made = ++s->made;
    vv_trial_velocities_changed(s, t);
    return true;
}

/* ---- booking ---- */

/* Velocity with which the node came into the step: v_n, so that the loss is what the impulse takes from the kinetic
 * energy. But A-search and its like correct velocities by force differences that friction cancels in the next solve;
 * counted as work of friction, they would drain a body that merely rests. The actual motion, (q_n - q_{n-1})/h, is
 * free of them; without a policy it is v_n itself (backward Euler). */
static double incoming(const vv_stepper *s, size_t j)
{
    const vv_state *state = s->state;
    return s->policy->beyond_motion && state->history ? (state->q[j] - state->q_previous[j]) / state->span
                                                      : state->v[j];
}

/* Of node coordinate j: the velocity that an impulse is multiplied with, for what it takes from the motion. */
static double rubbed(const vv_stepper *s, const vv_trial *t, size_t j)
{
    if (s->system->unknown[j / 3] < 0) /* prescribed: the displacement over the step */
        return t->v[j];
    const bool work = s->policy->books_work && s->policy->books_work(s->policy_values);
    return work ? (t->q[j] - s->state->q[j]) / s->h : 0.5 * (incoming(s, j) + t->v[j]);
}

/* What an impulse on a node takes from its motion, J. */
static double node_loss(const vv_stepper *s, const vv_trial *t, const double *impulse, int i)
{
    double share = 0, came[3];
    for (size_t j = 3 * (size_t)i; j < 3 * (size_t)i + 3; j++)
        share += impulse[j] * rubbed(s, t, j);
    const double *rail = vv_rail_of(s->system->rails, (size_t)i);
    for (size_t k = 0; rail && k < 3; k++) /* across its rail it goes as a prescribed one */
        came[k] = t->v[3 * (size_t)i + k] - rubbed(s, t, 3 * (size_t)i + k);
    return rail ? share + vv_rail_across(rail, impulse + 3 * (size_t)i, came) : share;
}

/* Loss of dissipative impulses over the mean of the velocities before and after: their share of the change of kinetic
 * energy (theory §8.4). Friction and drag never give energy, so a node whose share comes out negative (it turned
 * round within the step) counts as nothing and the rest is numerical error; impulses between nodes (Rayleigh damping,
 * friction between surfaces, which drags one along and holds back the other) are judged as a whole, with the
 * prescribed nodes. */
static double loss(const vv_stepper *s, const vv_trial *t, const double *impulse, bool by_node)
{
    double sum = 0;
    for (int i = 0; i < s->system->nodes; i++) {
        double share = node_loss(s, t, impulse, i);
        sum += by_node ? fmax(share, 0) : share;
    }
    return fmax(sum, 0);
}

void vv_trial_body_losses(const vv_stepper *s, const vv_trial *t, double *per_body)
{
    const vv_system *y = s->system;
    for (int i = 0; i < y->nodes; i++)
        if (y->unknown[i] >= 0)
            per_body[y->body[i]] += fmax(node_loss(s, t, t->losses.friction, i), 0) +
                                    node_loss(s, t, t->losses.damping, i) + node_loss(s, t, t->losses.mutual, i);
}

double vv_trial_rub_more(const vv_stepper *s, vv_trial *t, const double *more, double *per_body)
{
    const vv_system *y = s->system;
    double sum = 0;
    for (int i = 0; i < y->nodes; i++) {
        if (more[i] == 0 || y->unknown[i] < 0)
            continue;
        const double own = fmax(node_loss(s, t, t->losses.friction, i), 0),
                     lost = more[i] * (own + node_loss(s, t, t->losses.mutual, i));
        for (size_t j = 3 * (size_t)i; j < 3 * (size_t)i + 3; j++)
            t->losses.friction[j] *= 1 + more[i], t->losses.mutual[j] *= 1 + more[i];
        per_body[y->body[i]] += lost;
        sum += lost;
    }
    return sum;
}

/* Work done on the prescribed nodes against the dissipative impulses on them. */
static double driven_loss(const vv_stepper *s, const double *impulse, const double *w)
{
    const vv_rails *rails = s->system->rails;
    double sum = 0;
    for (int i = 0; i < s->system->nodes; i++)
        if (s->system->unknown[i] < 0)
            for (size_t j = 3 * (size_t)i; j < 3 * (size_t)i + 3; j++)
                sum += impulse[j] * w[j];
    for (int r = 0; rails && r < rails->count; r++) {
        const size_t i = 3 * (size_t)rails->node[r];
        sum += vv_rail_across(rails->along + 9 * (size_t)r, impulse + i, w + i);
    }
    return sum;
}

double vv_attachments_way(const vv_stepper *s, const vv_trial *t, double *per_body)
{
    double sum = 0;
    for (int i = 0; t->end_forces > 0 && i < s->system->energies; i++)
        sum += vv_attachment_way_work(s->system->energy[i], t->end_forces, s->state->q, t->q, per_body) +
               vv_links_way_work(s->system->energy[i], t->end_forces, s->state->q, t->q, per_body);
    return s->forced ? sum + vv_external_way_work(s->external, t->q, per_body) : sum;
}

vv_booking vv_trial_book(vv_stepper *s, const vv_trial *t)
{
    const vv_losses *l = &t->losses;
    const vv_ledger *ledger = &s->state->ledger;
    const bool bounds = s->contact && s->contact->feasible;
    vv_booking b = { .work = s->begun_work + vv_attachments_way(s, t, NULL) + t->pushed +
                             (bounds ? vv_presses_driven(s->contact->presses, s->state->q, t->q) : 0),
                     .springs = s->begun_springs + t->put,
                     .alpha = NAN };
    if (vv_system_prescribes(s->system))
        b.work += vv_prescribed_work(s, t) + driven_loss(s, l->friction, t->v) + driven_loss(s, l->damping, t->v) +
                  driven_loss(s, l->mutual, t->v) + vv_left_work(s, t, NULL);
    b.friction = loss(s, t, l->friction, true) + loss(s, t, l->mutual, false);
    b.damping = loss(s, t, l->damping, false);
    double tau = vv_decay_time(&s->integrator, vv_stepper_time(s, 0)),
           kept = ledger->target + b.work - b.friction - b.damping;
    if (tau > 0 && s->policy->aims) {
        /* without a ground energy there is nothing to decay to: world/start.c refuses that */
        double above = kept - ledger->ground;
        b.decay = above > 0 ? -expm1(-s->h / tau) * above : 0;
    }
    b.target = kept - b.decay;
    return b;
}
