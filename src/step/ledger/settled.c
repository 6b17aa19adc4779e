/* The row of an equilibrium that was found from where a step ended (theory §8.3): from one equilibrium to the next,
 * everything does the work of its mean force over the whole way, whatever the step's part of that was. */
#include "base/vec.h"
#include "energy/links/links.h"
#include "energy/points/external.h"
#include "energy/points/simple.h"
#include "solve/vectors.h"
#include "step/ledger/work.h"

void vv_stepper_note_settled(vv_stepper *s) { s->way.work = s->state->ledger.user_work; }

bool vv_stepper_knows_way(const vv_stepper *s) { return s->way.known; }

/* The reaction of external forces, as `when` has them, over the way of prescribed nodes, J; adds `share` of what loads
 * would do on the way back, J. */
static double press(vv_stepper *s, const vv_push_time *when, double share, double *loads, double *g)
{
    const size_t n = vv_node_space(s->system);
    const double *from = s->state->q_previous, *to = s->state->q;
    vv_energy *e = s->external;
    double *force = vv_arena_push(&s->system->arena, n, sizeof *force);
    vv_zero(n, force);
    vv_external_begin(e, to);
    s->hooks.pushes(s->hooks.user, when, force);
    vv_external_set(e, force, to);
    vv_zero(n, g);
    e->ops->derivatives(e, &s->system->par, when->q, 1, VV_HESSIAN_EXACT, g, NULL);
    if (share != 0)
        *loads += s->hooks.pushed(s->hooks.user, when, from, share);
    return vv_over_prescribed(s, g, from, to);
}

/* Work of loads (added to *loads) and of supports, J: the mean of both ends' forces times the way. */
static double work_of_ends(vv_stepper *s, double *loads)
{
    vv_state *state = s->state;
    const size_t mark = vv_arena_mark(&s->system->arena), n = vv_node_space(s->system);
    const double *from = state->q_previous, *to = state->q;
    double *g = vv_arena_push(&s->system->arena, n, sizeof *g), begin = s->way.reaction, end = 0;
    const double then = vv_clock_time(&state->clock, state->span, -1);
    const vv_push_time taken = { then, state->span, false, false, from, state->v_previous },
                       first = { .time = then, .q = from }, last = { .time = vv_stepper_time(s, 0), .q = to };
    const bool pushes = s->hooks.pushes &&
                        (s->hooks.pushes(s->hooks.user, &first, NULL) || s->hooks.pushes(s->hooks.user, &last, NULL));
    if (pushes) {
        const double as_begun = press(s, &first, -0.5, loads, g);
        if (!(vv_scheme_end_forces(&s->scheme) > 0)) /* the reaction is with the mean of the step's loads */
            begin += as_begun - press(s, &taken, 0, loads, g);
        press(s, &last, -0.5, loads, g);
    }
    if (vv_system_prescribes(s->system)) {
        vv_system_gradient(s->system, to, g);
        end = vv_over_prescribed(s, g, from, to);
    }
    vv_external_set(s->external, NULL, NULL);
    s->g_old_valid = false;
    vv_arena_release(&s->system->arena, mark);
    const bool any = vv_system_prescribes(s->system);
    return *loads + (any ? 0.5 * (begin + end) + vv_prescribed_kinetic(s, state->v_previous, state->v) : 0);
}

double vv_stepper_settled_work(vv_stepper *s, double *loads)
{
    const double *from = s->state->q_previous, *to = s->state->q;
    *loads = 0;
    double work = s->begun_work + s->state->ledger.user_work - s->way.work + work_of_ends(s, loads);
    for (int i = 0; i < s->system->energies; i++)
        work += vv_attachment_way_work(s->system->energy[i], 1, from, to, NULL) +
                vv_links_way_work(s->system->energy[i], 1, from, to, NULL);
    if (s->contact && s->contact->feasible)
        work += vv_presses_driven(s->contact->presses, from, to);
    return work;
}
