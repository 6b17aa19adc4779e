/* The policy `project`: accounts by body. A group aims at the sum of its bodies' targets, and the part it could not
 * reach stays in an account for later steps (step/ledger/shares.h). */
#include "base/vec.h"
#include "solve/vectors.h"
#include "step/projection/work.h"

enum { TARGET, OWED, OPEN, TAKEN, LIVELY, SCRATCH };

static double *by_body(const vv_projection_work *w, int which) { return w->p->by_body + which * (size_t)w->s->bodies; }

static void measure_taken(const vv_projection_work *w)
{
    const vv_system *y = w->s->system;
    double *taken = by_body(w, TAKEN), *lively = by_body(w, LIVELY);
    vv_zero((size_t)w->s->bodies, taken);
    vv_copy((size_t)w->s->bodies, w->s->state->body_energy, lively);
    for (int i = 0; i < y->nodes; i++) {
        const double *v = w->s->state->v + 3 * (size_t)i;
        double change[3];
        vv_sub(w->t->v + 3 * (size_t)i, v, change);
        lively[y->body[i]] += 0.5 * y->mass[i] * vv_dot(v, v);
        if (y->unknown[i] >= 0)
            taken[y->body[i]] += 0.5 * y->mass[i] * vv_dot(change, change);
    }
}

void vv_accounts_open(vv_projection_work *w)
{
    bool *started = w->call->memory;
    const double *kept = w->call->body_memory;
    if (vv_projection_all_one(w))
        return;
    if (!w->opened && !*started)
        vv_shares_start(w->s, by_body(w, SCRATCH), by_body(w, OWED));
    else if (!w->opened)
        vv_copy((size_t)w->s->bodies, kept, by_body(w, OWED));
    *started = w->opened = true;
    measure_taken(w);
}

/* What a booking makes of the targets: of each body or, in by_body's first place, of the world; then of groups. */
void vv_accounts_book(const vv_projection_work *w, const vv_booking *booking)
{
    double *target = by_body(w, TARGET), *rest = by_body(w, OPEN);
    vv_projection_group *groups = w->p->groups;
    for (int b = 0; b < w->s->bodies; b++)
        groups[b].booked = 0;
    if (vv_projection_all_one(w)) {
        groups[0].booked = target[0] = booking->target;
        return;
    }
    vv_shares_open(w->s, w->t, booking, by_body(w, OWED), by_body(w, LIVELY), by_body(w, SCRATCH), rest);
    for (int b = 0; b < w->s->bodies; b++) {
        target[b] = w->t->body_energy[b] + w->t->body_other[b] - rest[b];
        if (w->p->group_of[b] >= 0)
            groups[w->p->group_of[b]].booked += target[b];
    }
}

void vv_accounts_close(const vv_projection_work *w)
{
    const vv_system *y = w->s->system;
    double *open = by_body(w, OPEN);
    if (vv_projection_all_one(w))
        return;
    for (int b = 0; b < w->s->bodies; b++)
        open[b] = by_body(w, TARGET)[b] - w->t->body_energy[b] - w->t->body_other[b];
    for (int i = 0; i < y->nodes; i++)
        open[y->body[i]] -= 0.5 * y->mass[i] * vv_dot(w->t->v + 3 * (size_t)i, w->t->v + 3 * (size_t)i);
    vv_shares_close(w->s, w->p->group_of, open, by_body(w, TAKEN), by_body(w, SCRATCH), by_body(w, OWED));
    vv_copy((size_t)w->s->bodies, by_body(w, OWED), w->call->body_memory);
}
