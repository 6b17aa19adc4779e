/* Measurements at given positions and velocities: energies by ledger row, and gradients. */
#include "energy/points/simple.h"
#include "solve/vectors.h"
#include "step/inside.h"

/* ---- at the start of a step ---- */

bool vv_stepper_wants_gradients(const vv_stepper *s)
{
    if (s->policy->wants_gradients || vv_system_prescribes(s->system))
        return true;
    for (int i = 0; i < s->scheme.stages; i++)
        if (s->scheme.stage[i].y[VV_H2AN] != 0 || s->scheme.stage[i].hv[VV_H2AN] != 0)
            return true;
    return false;
}

const double *vv_stepper_start_gradient(vv_stepper *s)
{
    if (!s->g_old_valid)
        vv_system_gradient(s->system, s->state->q, s->g_old);
    s->g_old_valid = true;
    return s->g_old;
}

const double *vv_stepper_gravity(const vv_stepper *s)
{
    static const double none[3] = { 0, 0, 0 };
    const double *g = NULL;
    for (int i = 0; i < s->system->energies && !g; i++)
        g = vv_gravity_of(s->system->energy[i]);
    return g ? g : none;
}

/* ---- of any state ---- */

static void add_row(vv_energies *e, vv_ledger_row row, double value)
{
    switch (row) {
    case VV_ROW_ELASTIC: e->elastic += value; break;
    case VV_ROW_GRAVITY: e->gravity += value; break;
    case VV_ROW_CONTACT: e->contact += value; break;
    case VV_ROW_ATTACHMENT: e->attachment += value; break;
    case VV_ROW_JOINT: e->joint += value; break;
    case VV_ROW_EXTERNAL: break;
    }
}

static void set_kinetic(const vv_stepper *s, const double *v, vv_energies *e)
{
    e->kinetic = 0.5 * vv_sum_mass_square(s->system, v, NULL, false);
    e->total = e->kinetic + e->elastic + e->gravity + e->contact + e->attachment + e->joint;
}

/* What sleeping bodies hold. */
static double add_sleep(const vv_stepper *s, vv_energies *e, double *elastic, double *other)
{
    double sum = 0;
    for (int b = 0; b < s->bodies; b++) {
        const vv_sleep *own = s->state->body_sleep + b;
        if (!own->asleep)
            continue;
        e->elastic += own->elastic, e->contact += own->contact;
        sum += own->elastic + own->contact;
        if (elastic)
            elastic[b] += own->elastic;
        if (other)
            other[b] += own->contact;
    }
    return sum;
}

/* gradient: NULL, or grad E(q) too, overwritten; of no use where E is infinite. */
static vv_energies measure(const vv_stepper *s, const double *q, const double *v, const vv_by_body *by_body,
                           double *gradient, double *sum)
{
    vv_energies e = { 0 };
    double all = 0, *elastic = by_body ? by_body->elastic : NULL, *other = by_body ? by_body->other : NULL;
    if (elastic)
        vv_zero((size_t)s->bodies, elastic);
    if (other)
        vv_zero((size_t)s->bodies, other);
    if (gradient)
        vv_zero(vv_node_space(s->system), gradient);
    for (int i = 0; i < s->system->energies && all < INFINITY; i++) {
        vv_energy *term = s->system->energy[i];
        const vv_ledger_row row = term->ops->row;
        vv_energy_update(term, &s->system->par, q);
        double *per_body = row == VV_ROW_ELASTIC ? elastic : row == VV_ROW_EXTERNAL ? NULL : other;
        double value = gradient ? vv_energy_value_gradient(term, &s->system->par, q, 1, per_body, gradient)
                                : term->ops->value(term, &s->system->par, q, per_body);
        add_row(&e, row, value);
        all += value;
        if (!(all < INFINITY))
            all = INFINITY;
    }
    all += add_sleep(s, &e, elastic, other);
    set_kinetic(s, v, &e);
    if (sum)
        *sum = all;
    return e;
}

vv_energies vv_stepper_measure(const vv_stepper *s, const double *q, const double *v, const vv_by_body *by_body,
                               double *sum)
{
    return measure(s, q, v, by_body, NULL, sum);
}

vv_energies vv_stepper_energies(const vv_stepper *s, const double *q, const double *v, double *per_body)
{
    vv_parallel *par = &s->system->par;
    vv_stop *stop = par->stop;
    par->stop = NULL; /* what is booked is of a state that stands: it runs to its end */
    vv_energies e = vv_stepper_measure(s, q, v, &(vv_by_body){ .elastic = per_body }, NULL);
    par->stop = stop;
    return e;
}

/* ---- of a trial ---- */

static double forces_work(const vv_stepper *s, const double *q)
{
    return s->forced ? -s->external->ops->value(s->external, &s->system->par, q, NULL) : 0;
}

void vv_trial_velocities_changed(const vv_stepper *s, vv_trial *t) { set_kinetic(s, t->v, &t->energies); }

static void measure_trial(vv_stepper *s, vv_trial *t, double *gradient)
{
    double sum;
    t->made = ++s->made;
    t->pushed = forces_work(s, t->q);
    t->energies = measure(s, t->q, t->v, &(vv_by_body){ t->body_energy, t->body_other }, gradient, &sum);
    t->potential = sum + t->pushed;
}

void vv_trial_measure_energies(vv_stepper *s, vv_trial *t) { measure_trial(s, t, NULL); }

void vv_trial_measure_gradient(vv_stepper *s, vv_trial *t)
{
    if (!vv_stepper_wants_gradients(s))
        return;
    if (t->potential < INFINITY)
        vv_system_gradient(s->system, t->q, t->gradient);
    else
        vv_zero(vv_node_space(s->system), t->gradient);
}

void vv_trial_measure(vv_stepper *s, vv_trial *t)
{
    const bool wanted = vv_stepper_wants_gradients(s);
    measure_trial(s, t, wanted ? t->gradient : NULL);
    if (wanted && !(t->potential < INFINITY))
        vv_zero(vv_node_space(s->system), t->gradient);
}
