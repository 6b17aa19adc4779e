/* The contact object: creation, and queries at a position or along the path between two. */
#include "contact/contact.h"

#include "base/error.h"
#include "base/groups.h"
#include "base/text/text.h"
#include "contact/surfaces/intersections.h"
#include "contact/penetration/penetration.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- making ---- */

/* Whether any two bodies may touch, or one itself. What carries a moving obstacle's frame has no surface: it touches
 * nothing. */
static bool any_pair(const vv_surface *s)
{
    for (int a = 0; a < s->body_count; a++)
        for (int b = 0; b <= a; b++)
            if (s->bodies[a].vertex_count && s->bodies[b].vertex_count && vv_surface_touches(s, a, b))
                return true;
    return false;
}

/* The frames of obstacles that move; none if all stand still. */
static vvStatus make_frames(vv_contact *c, const vv_contact_def *def, vvError *error)
{
    bool any = false;
    for (int o = 0; o < def->obstacle_count; o++)
        any = any || def->obstacles[o].body1 > 0;
    if (!any)
        return VV_OK;
    c->frames = vv_alloc((size_t)def->obstacle_count, sizeof *c->frames);
    c->frame_body = vv_alloc((size_t)def->obstacle_count, sizeof *c->frame_body);
    if (!c->frames || !c->frame_body)
        return vv_fail_memory(error, "obstacles that move");
    for (int o = 0; o < def->obstacle_count; o++) {
        int body = c->frame_body[o] = def->obstacles[o].body1 - 1;
        c->frames[o] = body < 0 ? (vv_frame){ .node = -1 } : vv_frame_make(def->bodies[body].first_node, def->rest);
    }
    return VV_OK;
}

/* How many vertices obstacles keep out: those of surfaces, or with the nodes within bodies. Nodes that penalties of a
 * body with itself want come first: where obstacles are not to have them, they have none. */
static int bound_count(const vv_contact_body *bodies, const vv_vertices *vs)
{
    const int all = vs->count + vs->inner + vs->within;
    for (int v = vs->count; v < all; v++)
        if (!bodies[vs->body[v]].bound)
            return vs->count;
    return all;
}

static vvStatus make_lists(vv_contact *c, const vv_contact_def *def, vvError *error)
{
    size_t bodies = (size_t)def->body_count;
    c->coupled = vv_alloc(bodies, sizeof *c->coupled);
    c->groups = vv_alloc(bodies, sizeof *c->groups);
    c->speeds = vv_alloc(bodies, sizeof *c->speeds);
    c->depths = vv_alloc(bodies, sizeof *c->depths);
    c->depth_in = vv_alloc(bodies, sizeof *c->depth_in);
    c->parts = vv_alloc(bodies, sizeof *c->parts);
    c->bound = c->vertices;
    c->bound.count = bound_count(def->bodies, &c->vertices);
    c->bound.inner = c->bound.count - c->vertices.count, c->bound.within = 0;
    const bool room = vv_stick_create(&c->stick, &c->bound, def->body_count);
    if (!c->coupled || !c->groups || !c->speeds || !c->depths || !c->depth_in || !c->parts || !room)
        return vv_fail_memory(error, "contact");
    for (size_t b = 0; b < bodies; b++)
        c->parts[b] = 1;
    if (c->collisions)
        c->collisions->def.parts = c->parts;
    vv_groups_clear(c->coupled, def->body_count);
    return VV_OK;
}

/* What of contact is of the obstacles. */
static vvStatus make_obstacle_lists(vv_contact *c, const vv_contact_def *def, vvError *error)
{
    vvStatus status = VV_OK;
    c->near = vv_alloc((size_t)def->body_count * (size_t)def->obstacle_count, 1);
    c->obstacle_near = vv_alloc((size_t)def->obstacle_count, sizeof *c->obstacle_near);
    if (!c->near || !c->obstacle_near)
        return vv_fail_memory(error, "contact");
    if (def->obstacle_count)
        status = vv_filter_obstacles(def->bodies, def->body_count, def->obstacles, def->obstacle_count,
                                     &c->obstacle_touches, error);
    if (status == VV_OK)
        status = make_frames(c, def, error);
    c->barrier = (vv_barrier_def){ &c->bound,           def->obstacles, def->obstacle_count, def->distance,
                                   def->stiffness,      def->friction,  def->friction_speed, def->body_count,
                                   c->obstacle_touches, c->frames,      c->obstacle_near,    c->speeds,
                                   &c->stick,           c->parts };
    return status;
}

/* The gaps with which bodies are placed. */
static vvStatus make_gaps(vv_contact *c, const vv_contact_def *def, vvError *error)
{
    c->surface.follows = def->follow;
    const double *placed = def->placed ? def->placed : def->rest;
    return c->passer ? vv_gaps_between(def->bodies, placed, def->distance, &c->surface, error) : VV_OK;
}

/* Those to obstacles; and where d-hat follows them, what it is. */
static vvStatus make_obstacle_gaps(vv_contact *c, const vv_contact_def *def, vvError *error)
{
    const size_t obstacles = (size_t)def->obstacle_count, count = (size_t)def->body_count * obstacles;
    vvStatus status = VV_OK;
    const double *placed = def->placed ? def->placed : def->rest;
    bool any = false;
    if (count > 0 && !vv_contact_def_presses(def))
        status = vv_gaps_to_obstacles(def->bodies, placed, &c->barrier, &c->obstacle_gap, error);
    for (size_t i = 0; status == VV_OK && i < count; i++)
        any = any || (c->obstacle_gap && c->obstacle_gap[i] < INFINITY) ||
              vv_surface_own(&c->surface, (int)(i / obstacles), def->distance) < def->distance;
    if (status != VV_OK || !any || !def->follow)
        return status;
    c->obstacle_distance = vv_alloc(count, sizeof *c->obstacle_distance);
    if (!c->obstacle_distance)
        return vv_fail_memory(error, "contact");
    for (size_t i = 0; i < count; i++)
        c->obstacle_distance[i] = vv_gap_activation(c->obstacle_gap ? c->obstacle_gap[i] : INFINITY,
                                                    vv_surface_own(&c->surface, (int)(i / obstacles), def->distance));
    c->barrier.distances = c->obstacle_distance;
    return VV_OK;
}

void vv_contact_drop_obstacles(vv_contact *c)
{
    void *lists[] = { c->near,       c->obstacle_near, c->obstacle_touches, c->frames,
                      c->frame_body, c->obstacle_gap,  c->obstacle_distance };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        vv_free(lists[i]);
    c->near = c->obstacle_touches = NULL, c->obstacle_near = c->frame_body = NULL;
    c->frames = NULL, c->obstacle_gap = c->obstacle_distance = NULL;
    c->def.obstacles = NULL, c->def.obstacle_count = 0;
    c->barrier.obstacles = NULL, c->barrier.obstacle_count = 0, c->barrier.touches = NULL, c->barrier.frames = NULL;
    c->barrier.near = NULL, c->barrier.distances = NULL;
}

vvStatus vv_contact_set_obstacles(vv_contact *c, const vv_contact_def *def, vvError *error)
{
    vv_contact_drop_obstacles(c);
    c->def.obstacles = def->obstacles, c->def.obstacle_count = def->obstacle_count;
    vvStatus status = make_obstacle_lists(c, def, error);
    return status == VV_OK ? make_obstacle_gaps(c, def, error) : status;
}

vvStatus vv_contact_create(const vv_contact_def *def, vv_contact **out, vvError *error)
{
    vv_contact *c = vv_alloc(1, sizeof *c);
    *out = NULL;
    if (!c)
        return vv_fail_memory(error, "contact");
    c->def = *def;
    c->def.bodies = NULL, c->def.rest = c->def.placed = NULL, c->def.apart = NULL;
    vvStatus status =
        vv_contact_mesh_build(def->bodies, def->body_count, def->rest, def->distance, &c->vertices, &c->surface, error);
    if (status == VV_OK)
        status = vv_filter_bodies(def->bodies, def->body_count, def->apart, def->apart_count, &c->body_touches, error);
    c->surface.touches = c->body_touches;
    if (status == VV_OK && !def->mesh_only && any_pair(&c->surface)) {
        const bool overlaps = def->model && vv_contact_overlaps(def->model);
        vv_collisions_def between = { &c->surface, def->distance,
                                      overlaps ? def->penetration_stiffness : def->stiffness, def->convergent,
                                      overlaps };
        status = vv_collisions_create(&between, &c->collisions, error);
        if (status == VV_OK && !overlaps)
            status = vv_passer_create(&c->surface, def->least > 0 ? def->least : def->distance, &c->passer, error);
        if (status == VV_OK && overlaps)
            status = vv_penetration_create(&c->surface, def->bodies, def->rest, def->node_count, def->per_vertex,
                                           &c->collisions->penetration, error);
    }
    if (status == VV_OK && !def->mesh_only)
        status = make_lists(c, def, error);
    if (status == VV_OK && !def->mesh_only)
        status = make_gaps(c, def, error);
    if (status == VV_OK && !def->mesh_only)
        status = vv_contact_set_obstacles(c, def, error);
    if (status != VV_OK) {
        vv_contact_destroy(c);
        return status;
    }
    *out = c;
    return VV_OK;
}

void vv_contact_destroy(vv_contact *c)
{
    if (!c)
        return;
    vv_constraint_destroy(c->feasible);
    vv_collisions_destroy(c->collisions);
    vv_passer_destroy(c->passer);
    vv_surface_free(&c->surface);
    vv_vertices_free(&c->vertices);
    vv_free(c->body_touches);
    vv_contact_drop_obstacles(c);
    vv_free(c->speeds);
    vv_free(c->depths);
    vv_free(c->depth_in);
    vv_free(c->parts);
    vv_stick_free(&c->stick);
    vv_free(c->coupled);
    vv_free(c->groups);
    vv_free(c->touching);
    vv_free(c);
}

/* ---- gaps, and what touches ---- */

static int compare_near(const void *left, const void *right)
{
    const vv_near *p = left, *q = right;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

/* Notes the bodies of the active pairs, each two bodies once. */
static void note_touching(vv_contact *c)
{
    const vv_collisions *between = c->collisions;
    const int *body = c->vertices.body;
    size_t count = 0, kept = 0;
    c->touching_count = 0;
    c->missed =
        !between->fresh || !vv_grow((void **)&c->touching, &c->touching_capacity, between->count, sizeof *c->touching);
    if (c->missed)
        return;
    for (size_t i = 0; i < between->count; i++) {
        const vv_pair *p = between->pairs + i;
        int a = body[p->vertex[0]], b = body[p->vertex[vv_stencil_points(p->kind) - 1]];
        if (a != b)
            c->touching[count++] = (vv_near){ a < b ? a : b, a < b ? b : a, 1, 1 };
    }
    if (count > 0)
        qsort(c->touching, count, sizeof *c->touching, compare_near);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || compare_near(c->touching + i, c->touching + kept - 1) != 0)
            c->touching[kept++] = c->touching[i];
        else
            c->touching[kept - 1].terms++;
    c->touching_count = kept;
}

double vv_contact_measure(vv_contact *c, const vv_parallel *par, const double *q)
{
    vv_parallel whole = *par; /* what it says is of a step that was taken: it runs to its end */
    whole.stop = NULL;
    if (!c)
        return INFINITY;
    double gap = c->barrier.obstacle_count ? vv_contact_min_gap(&c->barrier, q, NULL, NULL, c->near) : INFINITY;
    if (c->collisions) {
        double between = vv_collisions_gap(c->collisions, &whole, q, NULL);
        gap = between < gap ? between : gap;
        note_touching(c);
    }
    return gap;
}

double vv_contact_closeness(const vv_contact *c, const double *q)
{
    double least = c->barrier.obstacle_count && !vv_contact_def_presses(&c->def) ? vv_contact_least_part(&c->barrier, q)
                                                                                 : INFINITY;
    double between = c->collisions ? vv_collisions_closeness(c->collisions) : INFINITY;
    least = between < least ? between : least;
    return least < 1 ? least : INFINITY;
}

void vv_contact_set_stiffness(vv_contact *c, double stiffness)
{
    c->def.stiffness = c->barrier.stiffness = stiffness;
    if (c->collisions && !c->collisions->penetration)
        c->collisions->def.stiffness = stiffness;
}

vv_near *vv_contact_find_near(vv_contact *c, int a, int b)
{
    vv_near key = { .a = a, .b = b };
    return c->touching_count ? bsearch(&key, c->touching, c->touching_count, sizeof key, compare_near) : NULL;
}

bool vv_contact_crosses(vv_contact *c, const vv_parallel *par, vv_arena *scratch, const double *from, const double *to)
{
    if (!c)
        return false;
    size_t mark = vv_arena_mark(scratch), n = 3 * (size_t)c->def.node_count;
    double *p = vv_arena_push(scratch, n, sizeof *p);
    if (!p)
        return true;
    for (size_t i = 0; i < n; i++)
        p[i] = to[i] - from[i];
    bool crossed =
        (c->collisions && !c->collisions->penetration && vv_collisions_cross(c->collisions, par, from, p)) ||
        (c->barrier.obstacle_count > 0 && !vv_contact_def_presses(&c->def) && vv_barrier_crosses(&c->barrier, from, p));
    vv_arena_release(scratch, mark);
    return crossed;
}

vvStatus vv_contact_passes(vv_contact *c, const vv_parallel *par, const vv_passing_motion *motion, vv_passing *out,
                           bool *found, vvError *error)
{
    *found = false;
    *out = (vv_passing){ .looked = 0 };
    return c && c->passer ? vv_passing_find(c->passer, par, motion, out, found, error) : VV_OK;
}

vvStatus vv_contact_accept_motion(vv_contact *c, const vv_parallel *par, const double *from, const double *to,
                                  vvError *error)
{
    vv_passing p;
    bool found = false;
    if (!c || !c->def.exact)
        return VV_OK;
    vvStatus status =
        vv_contact_passes(c, par, &(vv_passing_motion){ from, to, .rule = VV_PASSING_ANYWHERE }, &p, &found, error);
    if (status != VV_OK || !found)
        return status;
    return vv_fail(error, VV_ERROR_SOLVER,
                   "bodies pass each other in a step: \"%s\" and \"%s\", which move by %.3g m relative to each other",
                   c->def.name(c->def.user, p.body[0]), c->def.name(c->def.user, p.body[1]), p.travel);
}

void vv_contact_failed(vv_contact *c, bool failed) { c->short_of_springs = c->short_of_springs || failed; }

vvStatus vv_contact_status(vv_contact *c, vvError *error)
{
    if (c && c->short_of_springs) {
        c->short_of_springs = false;
        return vv_fail_memory(error, "repulsion springs");
    }
    if (!c || !c->collisions || !c->collisions->failed)
        return VV_OK;
    bool cancelled = c->collisions->cancelled;
    c->collisions->failed = c->collisions->cancelled = false;
    return cancelled ? vv_fail_cancelled(error) : vv_fail_memory(error, "contact between bodies");
}

double vv_contact_seconds(const vv_contact *c) { return c && c->collisions ? c->collisions->seconds : 0; }

/* ---- the exact test ---- */

void vv_contact_describe(const vv_contact *c, const int *v, int count, char *out, size_t size)
{
    static const char *const kinds[] = { "vertex ", "edge (", "triangle (" };
    int body = c->vertices.body[v[0]];
    int used = snprintf(out, size, "%s", kinds[count - 1]);
    for (int i = 0; i < count && used >= 0 && (size_t)used < size; i++)
        used += snprintf(out + used, size - (size_t)used, "%s%d", i ? ", " : "", c->vertices.label[v[i]]);
    if (used >= 0 && (size_t)used < size)
        snprintf(out + used, size - (size_t)used, "%s of %s\"%s\"", count > 1 ? ")" : "",
                 c->surface.bodies[body].carried ? "the surface of " : "", c->def.name(c->def.user, body));
}

enum { NAMED = 4 };

static vvStatus report_crossings(const vv_contact *c, const vv_intersection *list, int count, vvStatus status,
                                 vvError *error)
{
    char text[640];
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < count && i < NAMED; i++) {
        char a[220], b[220];
        vv_contact_describe(c, list[i].a, list[i].a[2] < 0 ? 2 : 3, a, sizeof a);
        vv_contact_describe(c, list[i].b, list[i].b[2] < 0 ? 2 : 3, b, sizeof b);
        int n = vv_print(text + used, sizeof text - used, "%s%s and %s at (%g, %g, %g)", i ? "; " : "", a, b,
                         list[i].point[0], list[i].point[1], list[i].point[2]);
        if (n < 0 || used + (size_t)n >= sizeof text)
            break;
        used += (size_t)n;
    }
    text[used] = 0;
    return vv_fail(error, status, "bodies intersect%s, in %d pair%s of elements: %s%s%s",
                   status == VV_ERROR_INPUT ? "" : " after a step", count, count == 1 ? "" : "s", text,
                   count > NAMED ? "; ..." : "",
                   status == VV_ERROR_INPUT
                       ? "; move them apart, or switch contact off for these bodies (filter, self_contact)"
                       : "");
}

vvStatus vv_contact_test(const vv_contact *c, const vv_parallel *par, const double *q, vvStatus failure, vvError *error)
{
    vv_intersection list[NAMED];
    int count = 0;
    if (!c->collisions || c->collisions->penetration)
        return VV_OK;
    vvStatus status = vv_intersections_find(&c->surface, par, q, list, NAMED, &count, error);
    return status == VV_OK && count > 0 ? report_crossings(c, list, count, failure, error) : status;
}

vvStatus vv_contact_accept(const vv_contact *c, const vv_parallel *par, const double *q, vvError *error)
{
    return c && c->def.exact ? vv_contact_test(c, par, q, VV_ERROR_SOLVER, error) : VV_OK;
}
