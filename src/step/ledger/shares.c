/* Accounts by body. */
#include "step/ledger/shares.h"

#include "base/vec.h"
#include "solve/vectors.h"
#include "step/ledger/work.h"

/* K_b of all nodes */
static void add_kinetic(const vv_stepper *s, const double *v, double *per_body)
{
    const vv_system *y = s->system;
    for (int i = 0; i < y->nodes; i++)
        per_body[y->body[i]] += 0.5 * y->mass[i] * vv_dot(v + 3 * (size_t)i, v + 3 * (size_t)i);
}

/* Adds each body's part of an amount, by weights; by mass where all weights are zero. */
static void divide(const vv_stepper *s, double amount, const double *weight, double *per_body)
{
    const vv_system *y = s->system;
    double sum = 0, mass = 0;
    for (int b = 0; b < s->bodies; b++)
        sum += fabs(weight[b]);
    for (int i = 0; i < y->nodes; i++)
        mass += y->mass[i];
    if (amount == 0)
        return;
    if (sum > 0)
        for (int b = 0; b < s->bodies; b++)
            per_body[b] += amount * (fabs(weight[b]) / sum);
    else
        for (int i = 0; mass > 0 && i < y->nodes; i++)
            per_body[y->body[i]] += amount * (y->mass[i] / mass);
}

/* Work on the prescribed nodes of bodies that also have free ones stays with them; what kinematic bodies do goes to
 * whom they push. */
static void add_prescribed_work(vv_stepper *s, const vv_trial *t, double *pushed, double *gain)
{
    const vv_system *y = s->system;
    const double *old = vv_stepper_start_gradient(s);
    for (int i = 0; i < y->nodes; i++) {
        if (y->unknown[i] >= 0)
            continue;
        double work = 0, change = 0;
        for (size_t j = 3 * (size_t)i; j < 3 * (size_t)i + 3; j++) {
            work += 0.5 * (old[j] + t->gradient[j]) * (t->q[j] - s->state->q[j]);
            change += 0.5 * y->mass[i] * (t->v[j] * t->v[j] - s->state->v[j] * s->state->v[j]);
        }
        gain[y->body[i]] += change;
        pushed[y->body[i]] += work;
    }
}

static void add_gains(vv_stepper *s, const vv_trial *t, const vv_booking *booking, const double *lively,
                      double *scratch, double *gain)
{
    const size_t n = (size_t)s->bodies;
    double *pushed = scratch, *weight = scratch + n, sum = 0;
    vv_zero(n, gain);
    vv_zero(n, pushed);
    vv_trial_body_losses(s, t, gain); /* negative so far: losses */
    for (size_t b = 0; b < n; b++)
        gain[b] = -gain[b];
    if (s->forced) {
        vv_zero(n, weight);
        s->external->ops->value(s->external, &s->system->par, t->q, weight);
        for (size_t b = 0; b < n; b++)
            gain[b] -= weight[b];
    }
    vv_attachments_way(s, t, gain);
    if (s->system->unknowns < s->system->nodes) {
        add_prescribed_work(s, t, pushed, gain);
        vv_contact_pushed(s->contact, &s->system->par, s->state->q, t->q, pushed);
        for (size_t b = 0; b < n; b++)
            gain[b] += pushed[b];
        vv_left_work(s, t, gain);
    }
    /* what is left of the ledger's own sum: what it clipped, or measured along the path; it belongs where there were
     * such exchanges */
    vv_zero(n, weight);
    vv_trial_body_losses(s, t, weight); /* of free nodes */
    for (size_t b = 0; b < n; b++) {
        weight[b] = fabs(weight[b]) + fabs(pushed[b]);
        sum += gain[b];
    }
    divide(s, booking->work - s->begun_work - booking->friction - booking->damping - sum, weight, gain);
    divide(s, -booking->decay, lively, gain);
}

void vv_shares_start(vv_stepper *s, double *scratch, double *owed)
{
    const size_t n = (size_t)s->bodies;
    double *elastic = scratch, *other = scratch + n, *kinetic = scratch + 2 * n, total = 0;
    vv_stepper_measure(s, s->state->q, s->state->v, &(vv_by_body){ elastic, other }, NULL);
    vv_zero(n, kinetic);
    vv_zero(n, owed);
    add_kinetic(s, s->state->v, kinetic);
    for (size_t b = 0; b < n; b++) {
        total += elastic[b] + other[b] + kinetic[b];
        kinetic[b] += elastic[b];
    }
    divide(s, s->state->ledger.target + s->begun_work + s->begun_springs - total, kinetic, owed);
}

void vv_shares_open(vv_stepper *s, const vv_trial *t, const vv_booking *booking, const double *owed,
                    const double *lively, double *scratch, double *rest)
{
    const size_t n = (size_t)s->bodies;
    double *elastic = scratch, *other = scratch + n, *gain = scratch + 2 * n;
    vv_stepper_measure(s, s->state->q, s->state->v, &(vv_by_body){ elastic, other }, NULL);
    for (size_t b = 0; b < n; b++)
        rest[b] = elastic[b] + other[b] - (s->body_springs ? s->body_springs[b] : 0);
    add_kinetic(s, s->state->v, rest);
    add_gains(s, t, booking, lively, scratch, gain);
    for (size_t b = 0; b < n; b++)
        rest[b] = t->body_energy[b] + t->body_other[b] - (rest[b] + owed[b] + gain[b]);
}

void vv_shares_close(const vv_stepper *s, const int *group, const double *open, const double *taken, double *scratch,
                     double *owed)
{
    const int n = s->bodies;
    double *sum_open = scratch, *sum_owed = scratch + n, *sum_taken = scratch + 2 * n;
    vv_zero(3 * (size_t)n, scratch);
    for (int b = 0; b < n; b++)
        if (group[b] >= 0) {
            sum_open[group[b]] += open[b];
            sum_owed[group[b]] += owed[b];
            sum_taken[group[b]] += taken[b];
        }
    for (int b = 0; b < n; b++) {
        int g = group[b];
        if (g < 0) {
            owed[b] = 0;
            continue;
        }
        double now = sum_open[g], before = sum_owed[g];
        bool same = now * before > 0;
        if (same && fabs(now) <= fabs(before)) /* paid back */
            owed[b] *= now / before;
        else if (sum_taken[g] > 0) /* more than before, or the other way */
            owed[b] = (same ? owed[b] : 0) + (now - (same ? before : 0)) * (taken[b] / sum_taken[g]);
        else
            owed[b] = b == g ? now : 0;
    }
}
