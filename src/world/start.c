/* The start of a run: prescribed nodes in place, feasibility with a message that names body and place, ground energy, first
 * ledger row. */
#include "base/clock.h"
#include "base/error.h"
#include "base/vec.h"
#include "energy/tets.h"
#include "world/world.h"

#include <string.h>

/* Prescribed nodes stand and move as their scripts say at t = 0. */
static void place_prescribed(vvWorld *w)
{
    vv_stepper *s = &w->stepper;
    s->hooks.prescribed(s->hooks.user, 0, s->q);
    memcpy(s->trial, s->q, 3 * (size_t)w->nodes * sizeof(double));
    s->hooks.prescribed(s->hooks.user, s->h, s->trial);
    for (size_t i = 0; i < 3 * (size_t)w->nodes; i++)
        if (w->unknown[i / 3] < 0)
            s->v[i] = (s->trial[i] - s->q[i]) / s->h;
    s->hooks.attachments(s->hooks.user, 0);
}

static vvStatus check_penetration(vvWorld *w, const double *q, vvError *error)
{
    int vertex = 0, obstacle = 0;
    if (w->contact.obstacle_count == 0)
        return VV_OK;
    double gap = vv_contact_min_gap(&w->contact, q, &vertex, &obstacle);
    if (gap > 0)
        return VV_OK;
    double x[3];
    vv_vertex_position(&w->vertices, vertex, q, x);
    const vv_body *body = w->bodies + w->vertices.body[vertex];
    const vv_obstacle *o = w->obstacles + obstacle;
    return vv_fail(error, VV_ERROR_INPUT, "body \"%s\" starts inside obstacle %d (%s%s%s): vertex %d at (%g, %g, %g) is %g m deep; "
                   "move the body or the obstacle", body->name, obstacle, o->ops->type.info.name, *o->name ? " " : "", o->name,
                   w->vertices.node[vertex] - body->first, x[0], x[1], x[2], -gap);
}

static bool may_invert(const vvWorld *w, const vv_body *body)
{
    for (int i = 0; i < w->tets_batches; i++) {
        const vv_energy *e = w->stepper.system.energy[w->tets_at[i]];
        if (strcmp(e->ops->info.name, body->material.model) == 0)
            return !vv_tets_inversion_free(e);
    }
    return true;
}

static vvStatus check_inversion(const vvWorld *w, const double *q, vvError *error)
{
    for (size_t b = 0; b < w->body_count; b++) {
        const vv_body *body = w->bodies + b;
        for (int t = 0; t < body->tet_count && !may_invert(w, body); t++) {
            const int *v = body->tets + 4 * t;
            double d[9];
            for (int k = 0; k < 3; k++)
                vv_sub(q + 3 * (size_t)v[k + 1], q + 3 * (size_t)v[0], d + 3 * k);
            if (!(vv_det(d) > 0))
                return vv_fail(error, VV_ERROR_INPUT, "body \"%s\" starts with tetrahedron %d inverted (volume %g m^3), which "
                               "material \"%s\" does not allow; use fixed-corotated or another initial state", body->name, t,
                               vv_det(d) / 6, body->material.model);
        }
    }
    return vv_fail(error, VV_ERROR_INPUT, "the start has infinite energy");
}

/* E_g: from the placed rest shape where that is feasible (a start from random positions may hang in another minimum), else
 * from the start itself. */
static vvStatus ground_energy(vvWorld *w, double *ground, vvError *error)
{
    vv_stepper *s = &w->stepper;
    const vvIntegratorDef *d = &w->def.integrator;
    *ground = d->groundMode == VV_GROUND_GIVEN ? d->groundEnergy : NAN;
    if (d->groundMode != VV_GROUND_AUTO)
        return VV_OK;
    size_t n = 3 * (size_t)w->nodes;
    double *q = vv_alloc(n, sizeof *q), begin = vv_seconds(), energy = 0;
    if (!q)
        return vv_fail_memory(error, "the ground energy");
    memcpy(q, w->rest, n * sizeof *q);
    s->hooks.prescribed(s->hooks.user, 0, q);
    if (!(vv_system_energy(&s->system, q) < INFINITY))
        memcpy(q, s->q, n * sizeof *q);
    vvError why = { 0 };
    vvStatus status = vv_settle(s, q, &energy, &why);
    vv_free(q);
    w->settle_seconds = vv_seconds() - begin;
    if (status == VV_OK)
        *ground = energy;
    else if (status != VV_ERROR_SOLVER)
        return vv_fail(error, status, "%s", why.message);
    return VV_OK;
}

static vvStatus check_decay(const vvWorld *w, double ground, vvError *error)
{
    const vvIntegratorDef *d = &w->def.integrator;
    bool decays = d->startFraction != 1;
    for (int i = 0; i < d->decayKeyCount; i++)
        decays = decays || (d->decayKeys[i].value > 0 && isfinite(d->decayKeys[i].value));
    if (!decays || isfinite(ground) || !w->stepper.policy->aims)
        return VV_OK;
    return vv_fail(error, VV_ERROR_INPUT, "integrator: decay_time and start_fraction aim at the static equilibrium's energy, and "
                   "there is none (%s); give integrator.ground_energy a number in J",
                   d->groundMode == VV_GROUND_NONE ? "ground_energy is \"none\"" : "nothing stops the fall");
}

vvStatus vv_world_start(vvWorld *w, vvError *error)
{
    vv_stepper *s = &w->stepper;
    place_prescribed(w);
    vvStatus status = w->mode_count ? vv_apply_modes(w, error) : VV_OK;
    if (status == VV_OK && !(vv_system_energy(&s->system, s->q) < INFINITY)) {
        status = check_penetration(w, s->q, error);
        if (status == VV_OK)
            status = check_inversion(w, s->q, error);
    }
    double ground = NAN;
    if (status == VV_OK)
        status = ground_energy(w, &ground, error);
    if (status == VV_OK)
        status = check_decay(w, ground, error);
    if (status == VV_OK)
        vv_ledger_start(s, ground);
    return status;
}
