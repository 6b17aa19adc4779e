/* Whether the world can stand where its nodes are: nothing penetrates, intersects or is inverted; with a message that names the
 * bodies, elements and places. */
#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "contact/crossings.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

static vvStatus check_penetration(vvWorld *w, const double *q, vvError *error)
{
    int vertex = 0, obstacle = 0;
    if (w->contact.obstacle_count == 0)
        return VV_OK;
    double gap = vv_contact_min_gap(&w->contact, q, &vertex, &obstacle, NULL);
    if (gap > 0)
        return VV_OK;
    double x[3];
    vv_vertex_position(&w->vertices, vertex, q, x);
    const vv_body *body = w->bodies + w->vertices.body[vertex];
    const vv_obstacle *o = w->obstacles + obstacle;
    return vv_fail(error, VV_ERROR_INPUT, "body \"%s\" starts inside obstacle %d (%s%s%s): vertex %d at (%g, %g, %g) is %g m deep%s; "
                   "move the body or the obstacle%s", body->name, obstacle, o->ops->type.info.name, *o->name ? " " : "", o->name,
                   w->vertices.node[vertex] - body->first, x[0], x[1], x[2], -gap,
                   body->thickness > 0 ? ", with half of the body's thickness" : "",
                   body->thickness > 0 ? ", or make the body thinner" : "");
}

/* The body's first material that cannot stand inverted tets; NULL: all can. */
static const vv_element_kind *inversion_free(const vv_body *body)
{
    for (int m = 0; m < body->material_count; m++)
        if (body->materials[m].kind->inversion_free)
            return body->materials[m].kind;
    return NULL;
}

static vvStatus check_inversion(const vvWorld *w, const double *q, vvError *error)
{
    for (size_t b = 0; b < w->body_count; b++) {
        const vv_body *body = w->bodies + b;
        const vv_element_kind *strict = inversion_free(body);
        for (int t = 0; t < body->tet_count && strict; t++) {
            const int *v = body->tets + 4 * t;
            double d[9];
            for (int k = 0; k < 3; k++)
                vv_sub(q + 3 * (size_t)v[k + 1], q + 3 * (size_t)v[0], d + 3 * k);
            if (!(vv_det(d) > 0))
                return vv_fail(error, VV_ERROR_INPUT, "body \"%s\" starts with tetrahedron %d inverted (volume %g m^3), which "
                               "material \"%s\" does not allow; use fixed-corotated or another initial state", body->name, t,
                               vv_det(d) / 6, strict->info.name);
        }
    }
    return VV_OK;
}

/* ---- intersections ---- */

/* `triangle (3, 4, 5) of "cube"`: one side of a crossing, or of a stencil; -1 where it has fewer vertices. */
static void describe_side(const vvWorld *w, int body, const int v[3], char *out, size_t size)
{
    const vv_body *b = w->bodies + body;
    const int *node = w->vertices.node;
    if (v[1] < 0)
        snprintf(out, size, "vertex %d of \"%s\"", node[v[0]] - b->first, b->name);
    else if (v[2] < 0)
        snprintf(out, size, "edge (%d, %d) of \"%s\"", node[v[0]] - b->first, node[v[1]] - b->first, b->name);
    else
        snprintf(out, size, "triangle (%d, %d, %d) of \"%s\"", node[v[0]] - b->first, node[v[1]] - b->first,
                 node[v[2]] - b->first, b->name);
}

enum { NAMED = 4 };

static vvStatus report_crossings(const vvWorld *w, const vv_crossing *list, int count, vvStatus status, vvError *error)
{
    char text[640];
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < count && i < NAMED; i++) {
        char a[200], b[200];
        describe_side(w, list[i].body[0], list[i].a, a, sizeof a);
        describe_side(w, list[i].body[1], list[i].b, b, sizeof b);
        int n = snprintf(text + used, sizeof text - used, "%s%s and %s at (%g, %g, %g)", i ? "; " : "", a, b, list[i].point[0],
                         list[i].point[1], list[i].point[2]);
        if (n < 0 || used + (size_t)n >= sizeof text)
            break;
        used += (size_t)n;
    }
    text[used] = 0;
    return vv_fail(error, status, "bodies intersect%s, in %d pair%s of elements: %s%s%s", status == VV_ERROR_INPUT ? "" : " after a step",
                   count, count == 1 ? "" : "s", text, count > NAMED ? "; ..." : "", status == VV_ERROR_INPUT ?
                   "; move them apart, or switch contact off for these bodies (filter, self_contact)" : "");
}

static vvStatus check_crossings(vvWorld *w, const double *q, vvStatus failure, vvError *error)
{
    vv_crossing list[NAMED];
    int count = 0;
    if (!w->collisions)
        return VV_OK;
    vvStatus s = vv_crossings_find(&w->surface, &w->par, q, list, NAMED, &count, error);
    return s == VV_OK && count > 0 ? report_crossings(w, list, count, failure, error) : s;
}

vvStatus vv_world_check_crossings(vvWorld *w, const double *q, vvError *error)
{
    return check_crossings(w, q, VV_ERROR_SOLVER, error);
}

/* Bodies with thickness nearer than that, or surfaces that touch in points no test of elements sees. */
static vvStatus check_gap(vvWorld *w, const double *q, vvError *error)
{
    const vv_pair *least = NULL;
    if (!w->collisions)
        return VV_OK;
    double gap = vv_collisions_gap(w->collisions, &w->par, q, &least);
    if (!least || gap > 0)
        return VV_OK;
    int n = vv_stencil_points(least->kind);
    const vv_body *a = w->bodies + w->vertices.body[least->vertex[0]], *b = w->bodies + w->vertices.body[least->vertex[n - 1]];
    int u = w->vertices.node[least->vertex[0]] - a->first, v = w->vertices.node[least->vertex[n - 1]] - b->first;
    if (a == b)
        return vv_fail(error, VV_ERROR_INPUT, "body \"%s\" starts %g m too near itself: vertex %d and vertex %d (thickness of both sides: "
                       "%g m); make it thinner, or say that it does not collide with itself (self_contact)", a->name, -gap, u, v,
                       least->offset);
    return vv_fail(error, VV_ERROR_INPUT, "bodies \"%s\" and \"%s\" start %g m too near each other: vertex %d of one and vertex %d of "
                   "the other (thickness of both sides: %g m); move them apart or make them thinner", a->name, b->name, -gap, u, v,
                   least->offset);
}

/* What touches without a barrier between, as rods of one body that cross where it rests: the step filter would let nothing move at
 * all. */
static vvStatus check_blocked(vvWorld *w, const double *q, vvError *error)
{
    vv_collisions *c = w->collisions;
    char a[200], b[200];
    if (!c)
        return VV_OK;
    double *still = vv_alloc(3 * (size_t)w->nodes, sizeof *still);
    if (!still)
        return vv_fail_memory(error, "the check of contact");
    bool blocked = vv_collisions_max_step(c, &w->par, q, still) < 1;
    vv_free(still);
    if (!blocked || c->failed)
        return vv_world_contact_status(w, error);
    int first = c->limit_kind == VV_STENCIL_EE ? 2 : 1, n = vv_stencil_points((vv_stencil)c->limit_kind), v[2][3];
    for (int i = 0; i < 3; i++) {
        v[0][i] = i < first ? c->limit_vertex[i] : -1;
        v[1][i] = i < n - first ? c->limit_vertex[first + i] : -1;
    }
    describe_side(w, w->vertices.body[v[0][0]], v[0], a, sizeof a);
    describe_side(w, w->vertices.body[v[1][0]], v[1], b, sizeof b);
    return vv_fail(error, VV_ERROR_INPUT, "%s and %s touch at the start, and nothing could move; move them apart, join them by a "
                   "vertex, or switch contact off for these bodies (filter, self_contact)", a, b);
}

vvStatus vv_world_check_positions(vvWorld *w, const double *q, vvError *error)
{
    vv_world_contact_status(w, NULL); /* of earlier queries */
    vvStatus s = check_crossings(w, q, VV_ERROR_INPUT, error);
    if (s != VV_OK)
        return s;
    if (vv_system_energy(&w->system, q) < INFINITY)
        return check_blocked(w, q, error);
    s = vv_world_contact_status(w, error);
    if (s != VV_OK)
        return s;
    s = check_penetration(w, q, error);
    if (s == VV_OK)
        s = check_inversion(w, q, error);
    if (s == VV_OK)
        s = check_gap(w, q, error);
    return s == VV_OK ? vv_fail(error, VV_ERROR_INPUT, "the start has infinite energy") : s;
}

vvStatus vv_world_feasible(vvWorld *w, const double *q, bool *feasible, vvError *error)
{
    vvError why;
    vvStatus s = vv_world_check_positions(w, q, &why);
    *feasible = s == VV_OK;
    return s == VV_OK || s == VV_ERROR_INPUT ? VV_OK : vv_fail(error, s, "%s", why.message);
}

/* ---- for hosts ---- */

static vvContactSide public_side(const vvWorld *w, int body, const int v[3])
{
    vvContactSide side = { .body = vvWorldBody(w, body), .count = v[2] < 0 ? 2 : 3 };
    for (int k = 0; k < side.count; k++)
        side.vertices[k] = w->vertices.node[v[k]] - w->bodies[body].first;
    return side;
}

/* Where the nodes stand or, of bodies that have not stepped yet, would stand at the start. */
static void start_positions(const vvWorld *w, double *q)
{
    double now = vv_world_time(w);
    if (w->nodes == 0)
        return;
    memcpy(q, w->state.q, 3 * (size_t)w->nodes * sizeof *q);
    for (size_t a = 0; a < w->attach_count; a++) {
        const vv_attach *attach = w->attaches + a;
        if (attach->kind != VV_ATTACH_FIXED || (w->bodies[attach->body].stage & VV_BODY_STEPPED))
            continue;
        for (int i = 0; i < attach->count; i++)
            vv_attach_position(w, attach, i, now, q + 3 * (size_t)attach->nodes[i]);
    }
}

vvStatus vvWorldStartPositions(const vvWorld *w, double *positions, vvError *error)
{
    vv_error_clear(error);
    if (!positions)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldStartPositions wants a place for the positions, found NULL");
    start_positions(w, positions);
    return VV_OK;
}

static vvStatus find(vvWorld *w, vvIntersection *list, int capacity, int *count, vvError *error)
{
    vv_crossing *found = vv_alloc((size_t)capacity, sizeof *found);
    double *q = vv_alloc(3 * (size_t)w->nodes, sizeof *q);
    bool own = w->surface.bodies == NULL; /* a world that is not baked, perhaps because it cannot be */
    vvStatus s = found && q ? VV_OK : vv_fail_memory(error, "the intersections");
    if (s == VV_OK)
        start_positions(w, q);
    if (s == VV_OK && own)
        s = vv_build_vertices(w, error);
    if (s == VV_OK && own)
        s = vv_collide_surface(w, error);
    if (s == VV_OK)
        s = vv_crossings_find(&w->surface, &w->par, q, found, capacity, count, error);
    for (int i = 0; s == VV_OK && i < capacity && i < *count; i++) {
        list[i].a = public_side(w, found[i].body[0], found[i].a);
        list[i].b = public_side(w, found[i].body[1], found[i].b);
        memcpy(list[i].point, found[i].point, sizeof list[i].point);
    }
    if (own) {
        vv_vertices_free(&w->vertices);
        vv_collide_unbake(w);
    }
    vv_free(found);
    vv_free(q);
    return s;
}

vvStatus vvWorldFindIntersections(vvWorld *w, vvIntersection *list, int capacity, int *count, vvError *error)
{
    vv_error_clear(error);
    if (!count || capacity < 0 || (capacity > 0 && !list))
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldFindIntersections wants a place for the count and a list of the capacity that "
                       "it is given");
    *count = 0;
    vvAllocator outer = vv_memory_use(w->allocator);
    vvStatus status = find(w, list, capacity, count, error);
    vv_memory_use(outer);
    return status;
}

void vvWorldCheckIntersections(vvWorld *w, bool on) { w->def.contact.checkIntersections = on; }
