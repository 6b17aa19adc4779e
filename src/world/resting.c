/* States of rest that a host sets before the first step, such as the final state of another world. There, contact
 * carries bodies, from gaps within its activation distance. If the activation distance were set by these gaps
 * (contact/surfaces/gaps.h), contact would carry nothing, and bodies would sink until it did.
 *
 * So the start tests whether contact forces at the usual activation distance balance a body's load. In a fit that is
 * too close they do not: they press from both sides, or by far more than the load. */
#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "world/queries/forces.h"

/* Residual forces at a simulated rest, as fractions of the load: of a body as a whole, and of single nodes with elastic
 * forces. */
static const double OPEN = 0.05, OPEN_AT_NODES = 0.5;

static bool may_rest(const vvWorld *w, const vv_body *b)
{
    bool held = b->kinematic || (b->stage & VV_BODY_STEPPED) || !(b->stage & VV_BODY_PLACED);
    for (int i = b->first; i < b->first + b->count && !held; i++)
        held = w->fixed[i]; /* what holds it carries it */
    return !held;
}

/* Marks the bodies that may rest, all or none. Returns whether any mark changed. */
static bool mark(vvWorld *w, bool rests)
{
    bool any = false;
    for (size_t i = 0; i < w->body_count; i++) {
        vv_body *b = w->bodies + i;
        const unsigned char before = b->stage;
        if (b->stage & VV_BODY_STEPPED)
            continue;
        b->stage &= (unsigned char)~VV_BODY_RESTS;
        b->stage |= rests && may_rest(w, b) ? VV_BODY_RESTS : 0;
        any = any || b->stage != before;
    }
    return any;
}

static bool follows_gaps(const vvWorld *w)
{
    const vv_contact *c = w->contact;
    bool any = c->surface.gap_count > 0;
    for (size_t i = 0; c->obstacle_gap && !any && i < w->body_count * w->obstacle_count; i++)
        any = c->obstacle_gap[i] < INFINITY;
    return any;
}

static vvStatus remake(vvWorld *w, vvError *error)
{
    vvStatus status = vv_world_remake_contact(w, error);
    if (status == VV_OK)
        vv_world_choose_stiffness(w);
    return status;
}

/* pressed: by contact, load: by what is outside the body, elastic: by its own elements. Presses from both sides balance
 * each other as a whole, but at the nodes only where the body has given way to them. */
static bool balanced(const vv_body *b, const double *pressed, const double *load, const double *elastic)
{
    double all[3] = { 0 }, own[3] = { 0 }, left = 0;
    for (size_t i = (size_t)b->first; i < (size_t)(b->first + b->count); i++) {
        double at[3];
        for (size_t k = 0; k < 3; k++) {
            all[k] += pressed[3 * i + k] + load[3 * i + k], own[k] += load[3 * i + k];
            at[k] = pressed[3 * i + k] + load[3 * i + k] + elastic[3 * i + k];
        }
        left += vv_norm(at);
    }
    const double size = vv_norm(own);
    return size > 0 && vv_norm(all) <= OPEN * size && left <= OPEN_AT_NODES * size;
}

/* Removes the mark of bodies that contact does not carry; *any: whether there are some. */
static vvStatus keep_carried(vvWorld *w, bool *any, vvError *error)
{
    static const vv_force_term others[] = { VV_FORCE_GRAVITY, VV_FORCE_ATTACHMENT, VV_FORCE_JOINT, VV_FORCE_LOAD };
    const size_t n = 3 * (size_t)w->nodes;
    double *pressed = vv_alloc(n, sizeof *pressed), *load = vv_alloc(n, sizeof *load),
           *term = vv_alloc(n, sizeof *term), *elastic = vv_alloc(n, sizeof *elastic);
    vvStatus status = pressed && load && term && elastic ? vv_world_forces(w, VV_FORCE_CONTACT, pressed, error)
                                                         : vv_fail_memory(error, "the start");
    if (status == VV_OK)
        status = vv_world_forces(w, VV_FORCE_ELASTIC, elastic, error);
    for (size_t t = 0; status == VV_OK && t < sizeof others / sizeof *others; t++) {
        status = vv_world_forces(w, others[t], term, error);
        for (size_t i = 0; i < n; i++)
            load[i] += term[i];
    }
    for (size_t b = 0; status == VV_OK && b < w->body_count; b++)
        if (!(w->bodies[b].stage & VV_BODY_STEPPED) && (w->bodies[b].stage & VV_BODY_RESTS) &&
            !balanced(w->bodies + b, pressed, load, elastic)) {
            w->bodies[b].stage &= (unsigned char)~VV_BODY_RESTS;
            *any = true;
        }
    vv_free(pressed);
    vv_free(load);
    vv_free(term);
    vv_free(elastic);
    return status;
}

vvStatus vv_world_find_resting(vvWorld *w, vvError *error)
{
    bool set = false, marked = false, gone = false;
    for (size_t b = 0; b < w->body_count; b++) {
        set = set || may_rest(w, w->bodies + b);
        marked = marked || (w->bodies[b].stage & (VV_BODY_RESTS | VV_BODY_STEPPED)) == VV_BODY_RESTS;
    }
    if (!w->contact || !w->contact->def.follow || !vv_contact_has_barrier(vv_world_model(w)) ||
        !(marked || (set && follows_gaps(w))))
        return VV_OK;
    vvStatus status = mark(w, true) ? remake(w, error) : VV_OK;
    if (status == VV_OK)
        status = keep_carried(w, &gone, error);
    return status == VV_OK && gone ? remake(w, error) : status;
}
