/* What the contact model cannot do with the obstacles and bodies of a world: said when it is baked. */
#include "base/error.h"
#include "contact/penetration.h"
#include "world/world.h"

/* A barrier needs distances whose gradient has length 1. */
vvStatus vv_world_refuse_inexact(const vvWorld *w, vvError *error)
{
    for (size_t o = 0; o < w->obstacle_count; o++)
        if (!vv_obstacle_is_exact(w->obstacles + o))
            return vv_fail(error, VV_ERROR_UNSUPPORTED, "obstacle %zu%s%s%s is a \"%s\", whose interpolated distance is not exact enough for contact model \"%s\"; write contact.model "
                           "\"penalty\" or \"springs\", or make it a body of the mesh that is kinematic (in a scene: \"mesh\" in place of \"level-set\")", o, *w->obstacles[o].name ? " (\"" : "",
                           w->obstacles[o].name, *w->obstacles[o].name ? "\")" : "", w->obstacles[o].ops->type.info.name, w->def.contact.model);
    return VV_OK;
}

/* Under the penalty, of two bodies one at least must be something that vertices can be inside of; and a kinematic surface without tets would be felt at
 * its vertices alone. */
vvStatus vv_world_refuse_hollow(const vvWorld *w, vvError *error)
{
    const vv_surface *s = &w->contact->surface;
    for (int a = 0; a < s->body_count && w->contact->collisions; a++)
        for (int b = 0; b <= a; b++) {
            const int hollow = !vv_penetration_is_solid(w->contact->collisions, a) ? a : b;
            const bool other = vv_penetration_is_solid(w->contact->collisions, hollow == a ? b : a) && a != b, still = !s->bodies[hollow].moves;
            if (!s->bodies[a].vertex_count || !s->bodies[b].vertex_count || !vv_surface_touches(s, a, b) ||
                vv_penetration_is_solid(w->contact->collisions, hollow) || (other && !still))
                continue;
            return vv_fail(error, VV_ERROR_UNSUPPORTED, "body \"%s\" has no tets of its own that others could be inside of, and may touch \"%s\": contact model \"penalty\" acts between "
                           "vertices and tets; %s, or write contact.model \"barrier\"", w->bodies[hollow].name, w->bodies[hollow == a ? b : a].name,
                           still ? "make it a level-set obstacle" : "keep them apart by filters (or self_contact false)");
        }
    return VV_OK;
}

static bool is_flat(const vv_body *body)
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
        for (int b = 0; is_flat(w->bodies + a) && b < s->body_count; b++)
            if (s->bodies[a].vertex_count && s->bodies[b].vertex_count && vv_surface_touches(s, a, b))
                return vv_fail(error, VV_ERROR_UNSUPPORTED, "body \"%s\" is flat, and may touch %s%s%s: contact between surfaces does not see what happens within a plane; %s, or write "
                               "contact.model \"none\"", w->bodies[a].name, a == b ? "itself" : "\"", a == b ? "" : w->bodies[b].name, a == b ? "" : "\"",
                               a == b ? "set self_contact of the body to false" : "keep them apart by filters");
    return VV_OK;
}
