/* Checks whether a world suits its contact model (contact/models.h) when it is baked. And when friction acts. */
#include "base/error.h"
#include "contact/penetration/penetration.h"
#include "step/schemes/scheme.h"
#include "step/policies/policy.h"
#include "world/world.h"

/* Each says whether the world is not what a model may need: NULL, it is; else what may be done besides taking another
 * model, and *found is what was found. */
typedef const char *misfit(const vvWorld *w, vvError *found);

/* ---- obstacles ---- */

/* A barrier, or a bound, needs distances whose gradient has length 1. */
static const char *inexact(const vvWorld *w, vvError *found)
{
    for (size_t i = 0; i < w->obstacle_count; i++) {
        const vv_obstacle *o = w->obstacles + i;
        if (vv_obstacle_is_exact(o))
            continue;
        vv_fail(found, VV_ERROR_UNSUPPORTED, "obstacle %zu%s%s%s is a \"%s\", whose distance is interpolated", i,
                *o->name ? " (\"" : "", o->name, *o->name ? "\")" : "", o->ops->type.info.name);
        return "make it a body of the mesh that is kinematic (in a scene: \"mesh\" in place of \"level-set\")";
    }
    return NULL;
}

static const char *many(const vvWorld *w, vvError *found)
{
    if (w->obstacle_count <= VV_PRESSES_OBSTACLES)
        return NULL;
    vv_fail(found, VV_ERROR_UNSUPPORTED, "the world has %zu obstacles", w->obstacle_count);
    return "leave some out";
}

/* ---- bodies ---- */

/* Of two bodies one at least must be something that vertices can be inside of; and a kinematic surface without tets
 * would be felt at its vertices alone. */
static const char *hollow(const vvWorld *w, vvError *found)
{
    const vv_surface *s = &w->contact->surface;
    for (int a = 0; a < s->body_count && w->contact->collisions; a++)
        for (int b = 0; b <= a; b++) {
            const int empty = !vv_penetration_is_solid(w->contact->collisions, a) ? a : b;
            const bool other = vv_penetration_is_solid(w->contact->collisions, empty == a ? b : a) && a != b,
                       still = !s->bodies[empty].moves;
            if (!s->bodies[a].vertex_count || !s->bodies[b].vertex_count || !vv_surface_touches(s, a, b) ||
                vv_penetration_is_solid(w->contact->collisions, empty) || (other && !still))
                continue;
            vv_fail(found, VV_ERROR_UNSUPPORTED,
                    "body \"%s\" has no tets of its own that others could be inside of, and may touch \"%s\"",
                    w->bodies[empty].name, w->bodies[empty == a ? b : a].name);
            return still ? "make it a level-set obstacle" : "keep them apart by filters (or self_contact false)";
        }
    return NULL;
}

bool vv_body_is_flat(const vv_body *body)
{
    for (int m = 0; m < body->material_count; m++)
        if (body->materials[m].kind->flat)
            return true;
    return false;
}

/* Surfaces that slide through each other within a plane have a distance of 0 from the start, or none. */
static const char *flat(const vvWorld *w, vvError *found)
{
    const vv_surface *s = &w->contact->surface;
    for (int a = 0; a < s->body_count && w->contact->collisions; a++)
        for (int b = 0; vv_body_is_flat(w->bodies + a) && b < s->body_count; b++)
            if (s->bodies[a].vertex_count && s->bodies[b].vertex_count && vv_surface_touches(s, a, b)) {
                vv_fail(found, VV_ERROR_UNSUPPORTED, "body \"%s\" is flat, and may touch \"%s\"", w->bodies[a].name,
                        w->bodies[b].name);
                return a == b ? "set self_contact of the body to false" : "keep them apart by filters";
            }
    return NULL;
}

static const char *hung(const vvWorld *w, vvError *found)
{
    const vv_barrier_def *def = &w->contact->barrier;
    for (int v = 0; v < def->vertices->count; v++)
        for (int o = 0; def->vertices->start[v + 1] - def->vertices->start[v] != 1 && o < def->obstacle_count; o++)
            if (vv_contact_touches(def, v, o)) {
                vv_fail(found, VV_ERROR_UNSUPPORTED,
                        "body \"%s\" collides by vertices that hang on several nodes, as it is affine, or carries its "
                        "surface",
                        w->bodies[def->vertices->body[v]].name);
                return "keep it apart from obstacles by filters";
            }
    return NULL;
}

/* ---- methods ---- */

static const char *unaware(const vvWorld *w, vvError *found)
{
    const char *const keys[] = { "method", "fallback" }, *const names[] = { w->def.solver.method,
                                                                            w->def.solver.fallback };
    char aware[160] = "";
    const vv_solver_ops *ops;
    for (int i = 0; (ops = vv_solver_table(i)); i++)
        if (ops->constrains)
            vv_add_name(aware, sizeof aware, ops->info.name);
    for (int i = 0; i < 2 && !vv_contact_after(vv_world_model(w), &w->def.contact); i++)
        if ((ops = vv_solver_find(names[i])) && !ops->constrains) {
            vv_fail(found, VV_ERROR_UNSUPPORTED, "solver.%s \"%s\" does not support bounds on positions, as %s do",
                    keys[i], names[i], aware);
            return "choose one of these";
        }
    return NULL;
}

static const char *ends_elsewhere(const vvWorld *w, vvError *found)
{
    const vvIntegratorDef *d = &w->def.integrator;
    const vv_scheme row = vv_scheme_made(d->scheme, d->settings, d->settingCount);
    if (!row.method && row.stages == 1 && !vv_stage_explicit(row.stage) && vv_scheme_end_forces(&row))
        return NULL;
    vv_fail(found, VV_ERROR_UNSUPPORTED, "scheme \"%s\" ends elsewhere", d->scheme);
    return "choose \"backward-euler\" or \"bdf2\"";
}

static const char *changed(const vvWorld *w, vvError *found)
{
    if (!vv_policy_find(w->def.integrator.policy)->apply)
        return NULL;
    vv_fail(found, VV_ERROR_UNSUPPORTED, "policy \"%s\" changes the end of a step", w->def.integrator.policy);
    return "choose policy \"none\"";
}

/* ---- all of it ---- */

static misfit *const misfits[VV_CONTACT_NEEDS] = {
    inexact, hollow, flat, hung, unaware, ends_elsewhere, changed, many
};

/* The models that do not need that, of those that act if there are such. What a flat body touches has no inside. */
static void name_others(unsigned need, char *out, size_t size)
{
    const unsigned avoided = need == VV_NEED_THICK ? VV_NEEDS_BETWEEN : need;
    const vv_contact_model *row;
    *out = 0;
    for (int i = 0; (row = vv_contact_model_at(i)); i++)
        if (!(row->type.needs & avoided) && (vv_contact_acts(row) || !*out))
            vv_add_name(out, size, row->type.info.name);
}

vvStatus vv_world_suits(const vvWorld *w, unsigned needs, vvError *error)
{
    const vvContactModel *type = &vv_world_model(w)->type;
    needs &= type->needs & (w->obstacle_count ? ~0u : VV_NEEDS_BETWEEN);
    for (int need = 0; need < VV_CONTACT_NEEDS; need++) {
        vvError found;
        char others[160];
        const char *cure = needs >> need & 1 ? misfits[need](w, &found) : NULL;
        if (!cure)
            continue;
        name_others(1u << need, others, sizeof others);
        return vv_fail(error, VV_ERROR_UNSUPPORTED,
                       "%s, and contact model \"%s\" needs %s; %s, or write contact.model %s", found.message,
                       type->info.name, vvContactNeedInfo(need)->summary, cure, others);
    }
    return VV_OK;
}

/* ---- friction ---- */

bool vv_world_rubs_inside(const vvWorld *w)
{
    const char *const names[] = { w->def.solver.method, w->def.solver.fallback };
    const vvIntegratorDef *d = &w->def.integrator;
    const vv_scheme row = vv_scheme_made(d->scheme, d->settings, d->settingCount);
    const int when = vv_friction_when_of(&w->def.contact);
    bool solves = row.method, converges = true;
    for (int i = 0; i < row.stages; i++)
        solves = solves || !vv_stage_explicit(row.stage + i);
    for (int i = 0; i < 2; i++) {
        const vv_solver_ops *ops = vv_solver_find(names[i]);
        converges = converges && (!ops || ops->budget == 0);
    }
    return solves && !vv_contact_after(vv_world_model(w), &w->def.contact) &&
           (when == VV_FRICTION_SOLVE || (when == VV_FRICTION_AUTO && converges));
}

bool vv_world_any_friction(const vvWorld *w)
{
    bool any = w->def.contact.friction > 0;
    for (size_t b = 0; b < w->body_count; b++)
        any = any || w->bodies[b].friction > 0;
    for (size_t o = 0; o < w->obstacle_count; o++)
        any = any || w->obstacles[o].friction > 0;
    for (size_t p = 0; p < w->friction_count; p++)
        any = any || w->frictions[p].mu > 0;
    return any;
}

bool vv_world_rubs(const vvWorld *w)
{
    const bool presses = w->obstacle_count && vv_world_model(w)->force; /* the barrier's is always in the solve */
    return w->contact && vv_world_any_friction(w) && (vv_world_rubs_inside(w) || !presses);
}
