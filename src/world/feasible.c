/* Whether the nodes' positions are allowed: nothing penetrates, intersects or is inverted; the message names the
 * bodies, elements and places. */
#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "contact/surfaces/intersections.h"
#include "mesh/tet10.h"
#include "world/bodies/regions.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

/* Names a vertex of the body's mesh, or of the surface that it carries. */
static const char *vertex_word(const vv_contact *c, int v)
{
    return c->surface.bodies[c->vertices.body[v]].carried ? "surface vertex" : "vertex";
}

static vvStatus check_penetration(vvWorld *w, const double *q, vvError *error)
{
    int vertex = 0, obstacle = 0;
    const vv_contact *c = w->contact;
    if (!c || c->barrier.obstacle_count == 0)
        return VV_OK;
    double gap = vv_contact_min_gap(&c->barrier, q, &vertex, &obstacle, NULL);
    if (gap > 0)
        return VV_OK;
    double x[3];
    vv_vertex_position(&c->vertices, vertex, q, x);
    const vv_body *body = w->bodies + c->vertices.body[vertex];
    const vv_obstacle *o = w->obstacles + obstacle;
    return vv_fail(error, VV_ERROR_INPUT,
                   "body \"%s\" starts inside obstacle %d (%s%s%s): %s %d at (%g, %g, %g) is %g m deep%s; "
                   "move the body or the obstacle%s",
                   body->name, obstacle, o->ops->type.info.name, *o->name ? " " : "", o->name, vertex_word(c, vertex),
                   c->vertices.label[vertex], x[0], x[1], x[2], -gap,
                   body->thickness > 0 ? ", with half of the body's thickness" : "",
                   body->thickness > 0 ? ", or make the body thinner" : "");
}

/* The first of an element's materials that does not allow inverted tets; NULL: all do. */
static const vv_element_kind *inversion_free(const vv_body *body, int element)
{
    for (int m = 0; m < body->material_count; m++)
        if (body->materials[m].kind->inversion_free && vv_material_acts(body, m, element))
            return body->materials[m].kind;
    return NULL;
}

static vvStatus refuse_inverted(const vv_body *body, int t, const char *how, double size, const vv_element_kind *strict,
                                vvError *error)
{
    return vv_fail(error, VV_ERROR_INPUT,
                   "body \"%s\" starts with tetrahedron %d inverted (%s %g m^3), which material \"%s\" does not allow; "
                   "use fixed-corotated or another initial state",
                   body->name, t, how, size, strict->info.name);
}

/* Of order 2 by its points, where the energy would be infinite. */
static vvStatus check_element(const vv_body *body, int t, const double *q, const vv_element_kind *strict,
                              vvError *error)
{
    if (body->tet10_count) {
        const double det = vv_tet10_det_at_points(q, body->tets10 + 10 * (size_t)t, strict->rule);
        return det > 0 ? VV_OK
                       : refuse_inverted(body, t, "of order 2; by its volume about one of its points,", det / 6, strict,
                                         error);
    }
    const int *v = body->tets + 4 * (size_t)t;
    double d[9];
    for (int k = 0; k < 3; k++)
        vv_sub(q + 3 * (size_t)v[k + 1], q + 3 * (size_t)v[0], d + 3 * k);
    return vv_det(d) > 0 ? VV_OK : refuse_inverted(body, t, "volume", vv_det(d) / 6, strict, error);
}

static vvStatus check_inversion(const vvWorld *w, const double *q, vvError *error)
{
    for (size_t b = 0; b < w->body_count; b++) {
        const vv_body *body = w->bodies + b;
        for (int t = 0; t < vv_body_tets(body); t++) {
            const vv_element_kind *strict = inversion_free(body, t);
            vvStatus status = strict ? check_element(body, t, q, strict, error) : VV_OK;
            if (status != VV_OK)
                return status;
        }
    }
    return VV_OK;
}

/* A node behind a wall that nothing passes. */
static vvStatus check_potentials(const vvWorld *w, const double *q, vvError *error)
{
    for (size_t a = 0; a < w->attach_count; a++) {
        const vv_attach *at = w->attaches + a;
        for (int i = 0; vv_attach_is(at, VV_ATTACH_POTENTIAL) && i < at->count; i++) {
            const double *x = q + 3 * (size_t)at->nodes[i];
            if (!(vv_potential_at(&at->potential, x) < INFINITY))
                return vv_fail(error, VV_ERROR_INPUT,
                               "body \"%s\" starts where its potential \"%s\" is infinite: vertex %d at (%g, %g, %g); "
                               "move the body or the potential",
                               w->bodies[at->body].name, vv_potential_name(&at->potential),
                               at->nodes[i] - w->bodies[at->body].first, x[0], x[1], x[2]);
        }
    }
    return VV_OK;
}

/* An energy that none of the others tells about, such as of a rod without length. */
static vvStatus name_infinite(vvWorld *w, const double *q, vvError *error)
{
    const vv_system *s = &w->system;
    double *of = vv_alloc(w->body_count, sizeof *of);
    vvStatus status = of ? VV_OK : vv_fail_memory(error, "the check of the start");
    for (int i = 0; i < s->energies && status == VV_OK; i++) {
        const vv_energy *e = s->energy[i];
        char text[200];
        int body;
        if (e->ops->outside && e->ops->outside(e, q, &body, text, sizeof text))
            status = vv_fail(error, VV_ERROR_INPUT,
                             "body \"%s\" starts outside of what its material \"%s\" allows: %s; use another initial "
                             "state or material",
                             w->bodies[body].name, e->ops->info.name, text);
        memset(of, 0, w->body_count * sizeof *of);
        vv_energy_update(s->energy[i], &s->par, q);
        e->ops->value(e, &s->par, q, of);
        for (size_t b = 0; b < w->body_count && status == VV_OK; b++)
            if (!(of[b] < INFINITY))
                status = vv_fail(error, VV_ERROR_INPUT,
                                 "body \"%s\" starts with infinite energy in \"%s\" (%s); use another initial state",
                                 w->bodies[b].name, e->ops->info.name, e->ops->info.summary);
    }
    vv_free(of);
    return status == VV_OK ? vv_fail(error, VV_ERROR_INPUT, "the start has infinite energy") : status;
}

/* ---- surfaces ---- */

/* Bodies closer than their thickness, or surfaces that touch at points, which no test of elements sees. */
static vvStatus check_gap(vvWorld *w, const double *q, vvError *error)
{
    const vv_pair *least = NULL;
    const vv_contact *c = w->contact;
    if (!c || !c->collisions || c->collisions->penetration)
        return VV_OK;
    double gap = vv_collisions_gap(c->collisions, &w->par, q, &least);
    if (!least || gap > 0)
        return VV_OK;
    int first = least->vertex[0], last = least->vertex[vv_stencil_points(least->kind) - 1];
    const vv_body *a = w->bodies + c->vertices.body[first], *b = w->bodies + c->vertices.body[last];
    int u = c->vertices.label[first], v = c->vertices.label[last];
    if (a == b)
        return vv_fail(error, VV_ERROR_INPUT,
                       "body \"%s\" starts %g m too near itself: %s %d and %s %d (thickness of both sides: "
                       "%g m); make it thinner, or switch its self_contact off",
                       a->name, -gap, vertex_word(c, first), u, vertex_word(c, last), v, least->min_distance);
    return vv_fail(error, VV_ERROR_INPUT,
                   "bodies \"%s\" and \"%s\" start %g m too near each other: %s %d of one and %s %d of "
                   "the other (thickness of both sides: %g m); move them apart or make them thinner",
                   a->name, b->name, -gap, vertex_word(c, first), u, vertex_word(c, last), v, least->min_distance);
}

/* What touches without a barrier in between, such as rods of one body that cross at rest: the step filter would not
 * let anything move. */
static vvStatus check_blocked(vvWorld *w, const double *q, vvError *error)
{
    vv_collisions *c = w->contact ? w->contact->collisions : NULL;
    char a[220], b[220];
    if (!c || c->penetration)
        return VV_OK;
    double *still = vv_alloc(3 * (size_t)w->nodes, sizeof *still);
    if (!still)
        return vv_fail_memory(error, "the check of contact");
    bool blocked = vv_collisions_max_step(c, &w->par, q, still) < 1;
    vv_free(still);
    if (!blocked || c->failed)
        return vv_contact_status(w->contact, error);
    int first = c->limit_kind == VV_STENCIL_EE ? 2 : 1, n = vv_stencil_points((vv_stencil)c->limit_kind);
    vv_contact_describe(w->contact, c->limit_vertex, first, a, sizeof a);
    vv_contact_describe(w->contact, c->limit_vertex + first, n - first, b, sizeof b);
    return vv_fail(error, VV_ERROR_INPUT,
                   "%s and %s touch at the start, and nothing could move; move them apart, join them by a "
                   "vertex, or switch contact off for these bodies (filter, self_contact)",
                   a, b);
}

vvStatus vv_world_check_allowed(vvWorld *w, const double *q, vvError *error)
{
    vv_contact_status(w->contact, NULL); /* discards failures of earlier queries */
    vvStatus status = w->contact ? vv_contact_test(w->contact, &w->par, q, VV_ERROR_INPUT, error) : VV_OK;
    if (status != VV_OK)
        return status;
    if (vv_system_energy(&w->system, q) < INFINITY)
        return VV_OK;
    status = vv_contact_status(w->contact, error);
    if (status != VV_OK)
        return status;
    status = check_penetration(w, q, error);
    if (status == VV_OK)
        status = check_inversion(w, q, error);
    if (status == VV_OK)
        status = check_potentials(w, q, error);
    if (status == VV_OK)
        status = check_gap(w, q, error);
    return status == VV_OK ? name_infinite(w, q, error) : status;
}

vvStatus vv_world_check_positions(vvWorld *w, const double *q, vvError *error)
{
    vvStatus status = vv_world_check_allowed(w, q, error);
    return status == VV_OK ? check_blocked(w, q, error) : status;
}

vvStatus vv_world_feasible(vvWorld *w, const double *q, bool *feasible, vvError *error)
{
    vvError why;
    vvStatus status = vv_world_check_positions(w, q, &why);
    *feasible = status == VV_OK;
    return status == VV_OK || status == VV_ERROR_INPUT ? VV_OK : vv_fail(error, status, "%s", why.message);
}

/* ---- for hosts ---- */

static vvContactSide public_side(const vvWorld *w, const vv_contact *c, int body, const int v[3])
{
    vvContactSide side = { .body = vvWorldBody(w, body), .count = v[2] < 0 ? 2 : 3 };
    for (int k = 0; k < side.count; k++)
        side.vertices[k] = c->vertices.label[v[k]];
    return side;
}

/* The nodes' present positions or, for bodies that have not stepped yet, those at the start. */
void vv_world_start_positions(const vvWorld *w, double *q)
{
    double now = vv_world_time(w);
    if (w->nodes == 0)
        return;
    memcpy(q, w->state.q, 3 * (size_t)w->nodes * sizeof *q);
    for (size_t a = 0; a < w->attach_count; a++) {
        const vv_attach *attach = w->attaches + a;
        if (!vv_attach_is(attach, VV_ATTACH_FIXED) || (w->bodies[attach->body].stage & VV_BODY_STEPPED))
            continue;
        for (int i = 0; i < attach->count; i++)
            vv_attach_position(w, attach, i, now, q + 3 * (size_t)attach->nodes[i]);
    }
}

static vvStatus give_start(const vvWorld *w, double *positions, vvError *error)
{
    if (!positions)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldStartPositions needs a pointer for the positions, found NULL");
    vv_world_start_positions(w, positions);
    return VV_OK;
}

vvStatus vvWorldStartPositions(const vvWorld *w, double *positions, vvError *error)
{
    VV_WORLD_CALL(w, error, give_start(w, positions, error));
}

static vvStatus find(vvWorld *w, vvIntersection *list, int capacity, int *count, vvError *error)
{
    if (!count || capacity < 0 || (capacity > 0 && !list))
        return vv_fail(error, VV_ERROR_INPUT,
                       "vvWorldFindIntersections needs a pointer for the count and a list of `capacity` elements");
    *count = 0;
    vv_intersection *found = vv_alloc((size_t)capacity, sizeof *found);
    double *q = vv_alloc(3 * (size_t)w->nodes, sizeof *q);
    /* none in a world that is not baked (perhaps because it cannot be) */
    vv_contact *c = vv_world_contact_now(w), *made = NULL;
    vvStatus status = found && q ? VV_OK : vv_fail_memory(error, "the intersections");
    if (status == VV_OK)
        vv_world_start_positions(w, q);
    if (status == VV_OK && !c)
        status = vv_world_make_contact(w, true, &made, error);
    c = made ? made : c;
    if (status == VV_OK)
        status = vv_intersections_find(&c->surface, &w->par, q, found, capacity, count, error);
    for (int i = 0; status == VV_OK && i < capacity && i < *count; i++) {
        list[i].a = public_side(w, c, found[i].body[0], found[i].a);
        list[i].b = public_side(w, c, found[i].body[1], found[i].b);
        memcpy(list[i].point, found[i].point, sizeof list[i].point);
    }
    vv_contact_destroy(made);
    vv_free(found);
    vv_free(q);
    return status;
}

vvStatus vvWorldFindIntersections(vvWorld *w, vvIntersection *list, int capacity, int *count, vvError *error)
{
    VV_WORLD_CALL(w, error, find(w, list, capacity, count, error));
}

void vvWorldCheckIntersections(vvWorld *w, bool on)
{
    if (!vv_world_idle(w))
        return;
    w->def.contact.checkIntersections = on;
    if (w->contact)
        w->contact->def.exact = on;
}
