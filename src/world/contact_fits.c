/* What the contact model cannot do with the obstacles and bodies of a world: said when it is baked. */
#include "base/error.h"
#include "contact/penetration.h"
#include "step/scheme.h"
#include "step/policy.h"
#include "world/world.h"

#include <stdio.h>

/* A barrier needs distances whose gradient has length 1. */
vvStatus vv_world_refuse_inexact(const vvWorld *w, vvError *error)
{
    for (size_t o = 0; o < w->obstacle_count; o++)
        if (!vv_obstacle_is_exact(w->obstacles + o))
            return vv_fail(error, VV_ERROR_UNSUPPORTED,
                           "obstacle %zu%s%s%s is a \"%s\", whose interpolated distance is not exact enough for "
                           "contact model \"%s\"; write contact.model "
                           "\"penalty\" or \"springs\", or make it a body of the mesh that is kinematic (in a scene: "
                           "\"mesh\" in place of \"level-set\")",
                           o, *w->obstacles[o].name ? " (\"" : "", w->obstacles[o].name,
                           *w->obstacles[o].name ? "\")" : "", w->obstacles[o].ops->type.info.name,
                           w->def.contact.model);
    return VV_OK;
}

/* Under the penalty, of two bodies one at least must be something that vertices can be inside of; and a kinematic
 * surface without tets would be felt at its vertices alone. */
vvStatus vv_world_refuse_hollow(const vvWorld *w, vvError *error)
{
    const vv_surface *s = &w->contact->surface;
    for (int a = 0; a < s->body_count && w->contact->collisions; a++)
        for (int b = 0; b <= a; b++) {
            const int hollow = !vv_penetration_is_solid(w->contact->collisions, a) ? a : b;
            const bool other = vv_penetration_is_solid(w->contact->collisions, hollow == a ? b : a) && a != b,
                       still = !s->bodies[hollow].moves;
            if (!s->bodies[a].vertex_count || !s->bodies[b].vertex_count || !vv_surface_touches(s, a, b) ||
                vv_penetration_is_solid(w->contact->collisions, hollow) || (other && !still))
                continue;
            return vv_fail(error, VV_ERROR_UNSUPPORTED,
                           "body \"%s\" has no tets of its own that others could be inside of, and may touch \"%s\": "
                           "contact model \"%s\" acts between "
                           "vertices and tets; %s, or write contact.model \"barrier\"",
                           w->bodies[hollow].name, w->bodies[hollow == a ? b : a].name, w->def.contact.model,
                           still ? "make it a level-set obstacle"
                                 : "keep them apart by filters (or self_contact false)");
        }
    return VV_OK;
}

bool vv_body_is_flat(const vv_body *body)
{
    for (int m = 0; m < body->material_count; m++)
        if (body->materials[m].kind->flat)
            return true;
    return false;
}

/* Surfaces that slide through each other within a plane have a distance of 0 from the start, or none. */
vvStatus vv_world_refuse_flat(const vvWorld *w, vvError *error)
{
    const vv_surface *s = &w->contact->surface;
    for (int a = 0; a < s->body_count && w->contact->collisions; a++)
        for (int b = 0; vv_body_is_flat(w->bodies + a) && b < s->body_count; b++)
            if (s->bodies[a].vertex_count && s->bodies[b].vertex_count && vv_surface_touches(s, a, b))
                return vv_fail(error, VV_ERROR_UNSUPPORTED,
                               "body \"%s\" is flat, and may touch %s%s%s: contact between surfaces does not see what "
                               "happens within a plane; %s, or write "
                               "contact.model \"none\"",
                               w->bodies[a].name, a == b ? "itself" : "\"", a == b ? "" : w->bodies[b].name,
                               a == b ? "" : "\"",
                               a == b ? "set self_contact of the body to false" : "keep them apart by filters");
    return VV_OK;
}

/* ---- constraints ---- */

/* A vertex must be a node of its own. */
static vvStatus refuse_hung(const vvWorld *w, vvError *error)
{
    const vv_barrier_def *def = &w->contact->barrier;
    for (int v = 0; v < def->vertices->count; v++)
        for (int o = 0; def->vertices->start[v + 1] - def->vertices->start[v] != 1 && o < def->obstacle_count; o++)
            if (vv_contact_touches(def, v, o))
                return vv_fail(error, VV_ERROR_UNSUPPORTED,
                               "body \"%s\" collides by vertices that hang on several nodes, as it is affine, or "
                               "carries its surface, and contact model \"constraint\" "
                               "bounds nodes; write contact.model \"barrier\" or \"penalty\", or keep it apart from "
                               "obstacles by filters",
                               w->bodies[def->vertices->body[v]].name);
    return VV_OK;
}

/* The names of the solvers that take constraints. */
static void name_solvers(char *out, size_t size)
{
    size_t used = 0;
    const vv_solver_ops *ops;
    out[0] = 0;
    for (int i = 0; (ops = vv_solver_table(i)) && used < size; i++)
        if (ops->constrains) {
            const int n = snprintf(out + used, size - used, "%s\"%s\"", used ? " or " : "", ops->info.name);
            used += n > 0 ? (size_t)n : 0;
        }
}

static vvStatus refuse_solver(const char *key, const char *name, vvError *error)
{
    char names[160];
    const vv_solver_ops *ops = vv_solver_find(name);
    if (!ops || ops->constrains)
        return VV_OK;
    name_solvers(names, sizeof names);
    return vv_fail(error, VV_ERROR_UNSUPPORTED,
                   "solver.%s \"%s\" knows no bounds of positions, which contact model \"constraint\" sets; choose %s, "
                   "or write contact.model \"penalty\" or \"springs\"",
                   key, name, names);
}

vvStatus vv_world_refuse_unconstrained(const vvWorld *w, vvError *error)
{
    const vvIntegratorDef *d = &w->def.integrator;
    if (!w->contact || !vv_contact_bounds(w->contact->def.model) || w->obstacle_count == 0)
        return VV_OK;
    const vv_scheme row = vv_scheme_made(d->scheme, d->settings, d->settingCount);
    vvStatus status = refuse_hung(w, error);
    if (status == VV_OK && !w->contact->def.after)
        status = refuse_solver("method", w->def.solver.method, error);
    if (status == VV_OK && !w->contact->def.after)
        status = refuse_solver("fallback", w->def.solver.fallback, error);
    if (status != VV_OK)
        return status;
    if (row.method || row.stages != 1 || vv_stage_explicit(row.stage) || !vv_scheme_end_forces(&row))
        return vv_fail(error, VV_ERROR_UNSUPPORTED,
                       "scheme \"%s\" does not end where one minimisation ends, with the forces that act there, so "
                       "that contact model \"constraint\" cannot bound its end; "
                       "choose \"backward-euler\" or \"bdf2\", or another contact.model",
                       d->scheme);
    if (vv_policy_find(d->policy)->apply)
        return vv_fail(error, VV_ERROR_UNSUPPORTED,
                       "policy \"%s\" changes what a step ends with, and knows nothing of the impulses by which "
                       "contact model \"constraint\" bounds positions; "
                       "choose policy \"none\", or another contact.model",
                       d->policy);
    return VV_OK;
}
