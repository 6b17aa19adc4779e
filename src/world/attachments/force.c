/* Forces and impulses of the host. Forces are kept in the state until the next step (step/step.c books their work);
 * impulses change velocities at once. */
#include "base/error.h"
#include "base/vec.h"
#include "visviva/interact.h"
#include "world/sleep/sleep.h"

/* Larger than any host means, and with a finite square. */
static bool sensible(const double p[3]) { return fabs(p[0]) <= 1e30 && fabs(p[1]) <= 1e30 && fabs(p[2]) <= 1e30; }

/* Prepares the world and checks the lists. */
static vvStatus check_pushes(vvWorld *w, const char *what, int count, const int *nodes, const double *pushes,
                             vvError *error)
{
    if (count < 0 || (count > 0 && (!nodes || !pushes)))
        return vv_fail(error, VV_ERROR_INPUT, "%s: %d nodes, but the list of nodes or of values is NULL", what, count);
    vvStatus status = vv_world_bake(w, error);
    for (int i = 0; status == VV_OK && i < count; i++) {
        const double *p = pushes + 3 * (size_t)i;
        if (nodes[i] < 0 || nodes[i] >= w->nodes)
            status = vv_fail(error, VV_ERROR_INPUT, "%s: item %d is node %d; the world has nodes 0 to %d", what, i,
                             nodes[i], w->nodes - 1);
        else if (!sensible(p))
            status = vv_fail(error, VV_ERROR_INPUT,
                             "%s: item %d is (%g, %g, %g); each number must be finite and within 1e30", what, i, p[0],
                             p[1], p[2]);
    }
    for (int i = 0; status == VV_OK && i < count; i++)
        vv_sleep_wake(w, w->body_of[nodes[i]]);
    return status == VV_OK ? vv_world_bake(w, error) : status;
}

static vvStatus apply_forces(vvWorld *w, int count, const int *nodes, const double *forces, vvError *error)
{
    vvStatus status = check_pushes(w, "apply forces", count, nodes, forces, error);
    for (int i = 0; status == VV_OK && i < count; i++)
        for (size_t k = 0; k < 3; k++) {
            w->state.force[3 * (size_t)nodes[i] + k] += forces[3 * (size_t)i + k];
            w->state.forced = true;
        }
    return status;
}

vvStatus vvWorldApplyForces(vvWorld *w, int count, const int *nodes, const double *forces, vvError *error)
{
    VV_WORLD_CALL(w, error, apply_forces(w, count, nodes, forces, error));
}

/* An impulse on a node that is free, or free along its rail. */
static void kick(vvWorld *w, size_t node, const double impulse[3], double mass)
{
    const double *t = vv_rail_of(w->system.rails, node);
    double change[3] = { impulse[0] / mass, impulse[1] / mass, impulse[2] / mass };
    if (t)
        vv_rail_keep(t, change);
    for (size_t k = 0; k < 3; k++)
        w->state.v[3 * node + k] += change[k];
}

static void note_impulse(vvWorld *w)
{
    w->state.history = false;
    vv_world_state_changed(w);
}

static vvStatus apply_impulses(vvWorld *w, int count, const int *nodes, const double *impulses, vvError *error)
{
    vvStatus status = check_pushes(w, "apply impulses", count, nodes, impulses, error);
    bool any = false;
    for (int i = 0; status == VV_OK && i < count; i++) {
        size_t node = (size_t)nodes[i];
        if (w->unknown[node] < 0)
            continue;
        kick(w, node, impulses + 3 * (size_t)i, w->mass[node]);
        any = true;
    }
    if (any)
        note_impulse(w);
    return status;
}

vvStatus vvWorldApplyImpulses(vvWorld *w, int count, const int *nodes, const double *impulses, vvError *error)
{
    VV_WORLD_CALL(w, error, apply_impulses(w, count, nodes, impulses, error));
}

/* The body's index and the mass of its free nodes (kg). */
static vvStatus find_pushed(vvWorld *w, const char *what, vvBodyId id, const double push[3], int *body, double *mass,
                            vvError *error)
{
    *body = vv_body_index(w, id);
    *mass = 0;
    if (*body < 0)
        return vv_fail(error, VV_ERROR_INPUT, "%s: no such body", what);
    if (!push || !sensible(push))
        return vv_fail(error, VV_ERROR_INPUT, "%s: the vector must be three finite numbers within 1e30", what);
    vv_sleep_wake(w, *body);
    vvStatus status = vv_world_bake(w, error);
    if (status != VV_OK)
        return status;
    const vv_body *b = w->bodies + *body;
    for (int i = b->first; i < b->first + b->count; i++)
        *mass += w->unknown[i] >= 0 ? w->mass[i] : 0;
    if (!(*mass > 0))
        return vv_fail(error, VV_ERROR_INPUT, "%s: every node of body \"%s\" is prescribed; nothing can be pushed",
                       what, b->name);
    return VV_OK;
}

static vvStatus push_body(vvWorld *w, vvBodyId id, const double force[3], vvError *error)
{
    int body;
    double mass;
    vvStatus status = find_pushed(w, "apply force", id, force, &body, &mass, error);
    if (status != VV_OK)
        return status;
    const vv_body *b = w->bodies + body;
    for (size_t i = (size_t)b->first; i < (size_t)(b->first + b->count); i++)
        for (size_t k = 0; k < 3 && w->unknown[i] >= 0; k++)
            w->state.force[3 * i + k] += w->mass[i] / mass * force[k];
    w->state.forced = true;
    return VV_OK;
}

vvStatus vvBodyApplyForce(vvWorld *w, vvBodyId id, const double force[3], vvError *error)
{
    VV_WORLD_CALL(w, error, push_body(w, id, force, error));
}

static vvStatus kick_body(vvWorld *w, vvBodyId id, const double impulse[3], vvError *error)
{
    int body;
    double mass;
    vvStatus status = find_pushed(w, "apply impulse", id, impulse, &body, &mass, error);
    if (status != VV_OK)
        return status;
    const vv_body *b = w->bodies + body;
    for (size_t i = (size_t)b->first; i < (size_t)(b->first + b->count); i++)
        if (w->unknown[i] >= 0)
            kick(w, i, impulse, mass);
    note_impulse(w);
    return VV_OK;
}

vvStatus vvBodyApplyImpulse(vvWorld *w, vvBodyId id, const double impulse[3], vvError *error)
{
    VV_WORLD_CALL(w, error, kick_body(w, id, impulse, error));
}
