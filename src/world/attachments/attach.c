/* Attachments: created, moved and ended, before the first step and at any time after. */
#include "base/error.h"
#include "base/vec.h"
#include "world/bodies/directors.h"
#include "world/attachments/load.h"
#include "world/sleep/sleep.h"

#include <string.h>

vvAttachDef vvDefaultAttachDef(void)
{
    return (vvAttachDef){ .where = { .kind = VV_REGION_ALL },
                          .stiffness = 1e4,
                          .motion = vvDefaultMotionDef(),
                          .release = INFINITY,
                          .internalValue = VV_MADE_BY_DEFAULT };
}

/* Drags are attachments too, but with ids of their own for the host (world/attachments/drag.c). */
int vv_attach_index(const vvWorld *w, vvAttachId id)
{
    int a = vv_ids_find(&w->attach_ids, id.index1, id.generation);
    return a >= 0 && !w->attaches[a].dragged ? a : -1;
}

bool vvAttachIsValid(const vvWorld *w, vvAttachId id) { return vv_world_readable(w) && vv_attach_index(w, id) >= 0; }

int vvAttachNodes(const vvWorld *w, vvAttachId id, int *nodes, int capacity)
{
    int a = vv_world_readable(w) ? vv_attach_index(w, id) : -1;
    if (a < 0)
        return 0;
    for (int i = 0; nodes && i < w->attaches[a].count && i < capacity; i++)
        nodes[i] = w->attaches[a].nodes[i];
    return w->attaches[a].count;
}

/* Whether it prescribes where nodes go, all of it or a part. */
static bool prescribes(const vv_attach *a) { return a->kind == VV_ATTACH_FIXED || a->kind == VV_ATTACH_ROLLER; }

/* ---- checks ---- */

static vvStatus held_twice(const vv_body *b, int own, size_t other, vvError *error)
{
    bool vertex = own < b->vertex_count;
    return vv_fail(error, VV_ERROR_INPUT,
                   "body \"%s\": %s %d is in two \"fixed\" attachments (%zu and this one); a node can follow one "
                   "motion only",
                   b->name, vertex ? "vertex" : "the director of edge", vertex ? own : own - b->vertex_count, other);
}

static vvStatus check_free(const vvWorld *world, int body, const vvAttachDef *def, const int *nodes, int count,
                           vvError *error)
{
    if (def->kind != VV_ATTACH_FIXED)
        return VV_OK;
    for (size_t a = 0; a < world->attach_count; a++) {
        const vv_attach *other = world->attaches + a;
        if (other->body != body || !vv_attach_is(other, VV_ATTACH_FIXED))
            continue;
        for (int i = 0, k = 0; i < other->count && k < count;) /* both are in ascending order */
            if (other->nodes[i] == nodes[k])
                return held_twice(world->bodies + body, nodes[k] - world->bodies[body].first, a, error);
            else if (other->nodes[i] < nodes[k])
                i++;
            else
                k++;
    }
    return VV_OK;
}

static vvStatus check_triangles(const vvWorld *world, int body, const vvRegion *where, vvError *error)
{
    const int count = world->bodies[body].vertex_count;
    if (where->triangleCount < 0 || (where->triangleCount > 0 && !where->triangles))
        return vv_fail(error, VV_ERROR_INPUT, "attach: the region has %d triangles%s", where->triangleCount,
                       where->triangleCount < 0 ? "; a count is needed" : ", but their array is NULL");
    for (size_t i = 0; where->triangles && i < 3 * (size_t)where->triangleCount; i++)
        if (where->triangles[i] < 0 || where->triangles[i] >= count)
            return vv_fail(error, VV_ERROR_INPUT,
                           "attach: triangle %zu of the region has vertex %d; body \"%s\" has vertices 0 to %d", i / 3,
                           where->triangles[i], world->bodies[body].name, count - 1);
    return VV_OK;
}

/* A list that names a vertex which does not exist is an error, even if its other vertices do. */
static vvStatus check_list(const vvWorld *world, int body, const vvRegion *where, vvError *error)
{
    vvStatus status = check_triangles(world, body, where, error);
    if (status != VV_OK || where->kind != VV_REGION_VERTICES)
        return status;
    int count = world->bodies[body].vertex_count;
    if (where->listCount > 0 && !where->list)
        return vv_fail(error, VV_ERROR_INPUT, "attach: the region's list has %d items, but its array is NULL",
                       where->listCount);
    for (int i = 0; i < where->listCount; i++)
        if (where->list[i] < 0 || where->list[i] >= count)
            return vv_fail(error, VV_ERROR_INPUT,
                           "attach: item %d of the list is vertex %d; body \"%s\" has vertices 0 to %d", i,
                           where->list[i], world->bodies[body].name, count - 1);
    return VV_OK;
}

static bool moves(const vvMotionDef *m)
{
    return m->angularVelocity != 0 || m->waypointCount > 0 || vv_norm(m->linearVelocity) != 0;
}

static vvStatus check_push(const vvAttachDef *def, vvError *error)
{
    static const double most = 1e9;
    const double *a = def->acceleration;
    const vvMotionDef *m = &def->motion;
    for (int k = 0; k < 3; k++)
        if (!(fabs(a[k]) <= most))
            return vv_fail(error, VV_ERROR_INPUT,
                           "attach: acceleration is (%g, %g, %g) m/s^2; each number must be within %g", a[0], a[1],
                           a[2], most);
    if (m->endTime < m->startTime)
        return vv_fail(error, VV_ERROR_INPUT, "attach: a push or a load ends at %g s, before it starts at %g s",
                       m->endTime, m->startTime);
    return moves(m) ? vv_fail(error, VV_ERROR_INPUT,
                              "attach: a push (VV_ATTACH_PUSH) or a load does not move nodes by a motion: only its "
                              "startTime and "
                              "endTime may be set")
                    : VV_OK;
}

static vvStatus check_potential(const vvAttachDef *def, vv_potential *potential, vvError *error)
{
    if (def->kind != VV_ATTACH_POTENTIAL && !def->potential)
        return VV_OK;
    if (def->kind != VV_ATTACH_POTENTIAL)
        return vv_fail(error, VV_ERROR_INPUT, "attach: the potential \"%.64s\" belongs to the kind VV_ATTACH_POTENTIAL",
                       def->potential);
    if (moves(&def->motion) || def->motion.startTime != 0 || def->motion.endTime < INFINITY)
        return vv_fail(error, VV_ERROR_INPUT,
                       "attach: a potential (VV_ATTACH_POTENTIAL) does not move and acts all the time: its motion must "
                       "be the default");
    vvStatus status = vv_potential_make(def->potential, def->settings, def->settingCount, potential, error);
    return status == VV_OK ? status : vv_fail_prefix(error, "attach: ");
}

/* What a roller holds, and when an attachment ends. */
static vvStatus check_ways(const vvAttachDef *def, vvError *error)
{
    const double *n = def->normal;
    const bool normal = !(n[0] == 0 && n[1] == 0 && n[2] == 0), roller = def->kind == VV_ATTACH_ROLLER;
    if (isnan(def->release))
        return vv_fail(error, VV_ERROR_INPUT, "attach: release is not a number; give a time in s, or infinity");
    if (def->axes & ~7u)
        return vv_fail(error, VV_ERROR_INPUT,
                       "attach: axes is %u; allowed: a sum of VV_AXIS_X (1), VV_AXIS_Y (2), VV_AXIS_Z (4)", def->axes);
    if (!roller && (def->axes || normal))
        return vv_fail(error, VV_ERROR_INPUT, "attach: axes and normal belong to the kind VV_ATTACH_ROLLER");
    if (roller && (def->axes != 0) == normal)
        return vv_fail(error, VV_ERROR_INPUT,
                       "attach: a roller (VV_ATTACH_ROLLER) needs either axes or a normal, found %s",
                       normal ? "both" : "none");
    for (int k = 0; k < 3; k++)
        if (!(fabs(n[k]) <= 1e9) || (normal && !(vv_norm(n) >= 1e-9)))
            return vv_fail(error, VV_ERROR_INPUT, "attach: normal is (%g, %g, %g); its length must be from 1e-9 to 1e9",
                           n[0], n[1], n[2]);
    return VV_OK;
}

/* ---- making ---- */

/* Directions along which a roller holds nodes. */
static void set_ways(const vvAttachDef *def, vv_attach *a)
{
    const double length = vv_norm(def->normal);
    for (int k = 0; k < 3 && def->axes; k++)
        if (def->axes >> k & 1)
            a->way[a->ways++][k] = 1;
    for (int k = 0; k < 3 && def->kind == VV_ATTACH_ROLLER && !def->axes; k++)
        a->ways = 1, a->way[0][k] = def->normal[k] / length;
}

/* Arrays for nodes, waypoints and positions; false: out of memory. */
static bool allocate(vv_attach *a)
{
    size_t n = (size_t)a->count;
    a->nodes = vv_alloc(n, sizeof *a->nodes);
    a->waypoints = vv_alloc((size_t)a->motion.waypointCount, sizeof *a->waypoints);
    a->anchor = vv_alloc(9 * n, sizeof *a->anchor);
    if (!a->nodes || !a->waypoints || !a->anchor)
        return false;
    if (a->motion.waypointCount)
        memcpy(a->waypoints, a->motion.waypoints, (size_t)a->motion.waypointCount * sizeof *a->waypoints);
    a->motion.waypoints = a->waypoints;
    a->from = a->anchor + 3 * n;
    a->to = a->from + 3 * n;
    return true;
}

bool vv_attach_copy(const vv_attach *from, vv_attach *to)
{
    *to = *from; /* a copy that fails is freed: it must own nothing of the other's */
    to->nodes = NULL, to->waypoints = NULL;
    to->anchor = to->weights = to->shape_times = to->shapes = NULL;
    if (!vv_load_copy(from, to) || !allocate(to) || !vv_follow_copy(from, to))
        return false;
    if (from->weights && !(to->weights = vv_alloc_copy(from->weights, (size_t)from->count, sizeof *to->weights)))
        return false;
    memcpy(to->nodes, from->nodes, (size_t)from->count * sizeof *to->nodes);
    memcpy(to->anchor, from->anchor, 9 * (size_t)from->count * sizeof *to->anchor);
    return true;
}

/* Sets the motion's anchor so that it continues from where the nodes are: a body still where its definition put it is
 * held at its placed rest shape, one that has moved stays where it is. */
static void set_anchor(const vvWorld *w, vv_attach *a)
{
    bool placed = w->bodies[a->body].stage & VV_BODY_PLACED;
    for (int i = 0; i < a->count; i++) {
        size_t node = 3 * (size_t)a->nodes[i];
        double *anchor = a->anchor + 3 * (size_t)i;
        if (!placed && w->state.clock.step == 0)
            memcpy(anchor, w->rest + node, 3 * sizeof *anchor);
        else
            vv_motion_origin(&a->motion, vv_world_time(w), (placed ? w->state.q : w->rest) + node, anchor);
    }
}

void vv_attach_here(const vvWorld *w, vv_attach *a)
{
    set_anchor(w, a);
    a->driven = false;
}

/* What it has a part in is rebuilt. A load is asked in each step: only one that is an energy is. */
static void note_part(vvWorld *w, const vv_attach *a)
{
    vv_sleep_wake(w, a->body);
    if (vv_attach_loads(a) && !(a->kind == VV_ATTACH_PRESSURE && a->load.follows))
        vv_world_unshare(w);
    else
        vv_world_part_changed_apart(w, a->kind == VV_ATTACH_SPRING      ? VV_STALE_SPRINGS
                                       : a->kind == VV_ATTACH_POTENTIAL ? VV_STALE_POTENTIALS
                                                                        : VV_STALE_LOADS);
}

static void take_in(vvWorld *w, const vv_attach *a)
{
    if (prescribes(a)) {
        vv_sleep_wake(w, a->body);
        vv_world_changed_apart(w);
        for (int i = 0; a->kind == VV_ATTACH_FIXED && i < a->count; i++)
            w->fixed[a->nodes[i]] = 1;
    } else {
        note_part(w, a);
    }
    w->attaches[w->attach_count++] = *a;
    vv_ids_push(&w->attach_ids);
}

vvStatus vv_attach_whole(vvWorld *w, const vvMotionDef *motion, int count, vv_attach *made, vvError *error)
{
    vvStatus status = vv_motion_check(motion, error);
    if (status != VV_OK)
        return status;
    vv_attach a = { .body = (int)w->body_count,
                    .count = count,
                    .kind = VV_ATTACH_FIXED,
                    .motion = *motion,
                    .whole = true,
                    .release = INFINITY };
    if (!allocate(&a) || !vv_grow((void **)&w->attaches, &w->attach_capacity, w->attach_count + 1, sizeof a) ||
        !vv_ids_reserve(&w->attach_ids)) {
        vv_attach_free(&a);
        return vv_fail_memory(error, "a kinematic body");
    }
    for (int i = 0; i < count; i++)
        a.nodes[i] = w->nodes + i;
    *made = a;
    return VV_OK;
}

void vv_attach_take_in(vvWorld *w, vv_attach *a)
{
    set_anchor(w, a);
    take_in(w, a);
}

vvAttachId vvBodyAttachment(const vvWorld *w, vvBodyId id)
{
    vvAttachId found = { 0, 0 };
    int body = vv_body_read(w, id);
    for (size_t a = 0; body >= 0 && w->bodies[body].kinematic && a < w->attach_count; a++)
        if (w->attaches[a].body == body && w->attaches[a].whole)
            vv_ids_get(&w->attach_ids, (int)a, &found.index1, &found.generation);
    return found;
}

/* A push acts on all mass there is between its vertices; what is fixed as a whole is fixed with its directors. */
static bool clamps(const vvAttachDef *def)
{
    bool whole = def->where.kind == VV_REGION_ALL && !def->where.surfaceOnly && !def->where.rimOnly;
    return def->clamp || def->kind == VV_ATTACH_PUSH || (def->kind == VV_ATTACH_FIXED && whole);
}

/* World indices, ascending; the caller frees the list. */
static vvStatus select_nodes(const vvWorld *w, vvBodyId id, const vvAttachDef *def, bool dragged, int **nodes,
                             int *count, vvError *error)
{
    const vv_body *b = w->bodies + vv_body_index(w, id);
    *nodes = vv_alloc((size_t)b->count, sizeof **nodes);
    if (!*nodes)
        return vv_fail_memory(error, "an attachment");
    *count = vvBodySelect(w, id, &def->where, *nodes, b->count);
    if (!dragged && clamps(def))
        *count = vv_directors_between(b, *nodes, *count);
    return VV_OK;
}

/* What is the matter with the definition, and with attaching nodes of this body at all. */
static vvStatus check_attachable(vvWorld *w, int body, const vvAttachDef *def, vvError *error)
{
    if (body < 0)
        return vv_fail(error, VV_ERROR_INPUT, "vvBodyAttach: no such body");
    if (!def)
        return vv_fail(error, VV_ERROR_INPUT, "vvBodyAttach needs a definition, found NULL");
    vvStatus status = vv_check_made(def->internalValue, "vvAttachDef", "vvBodyAttach: the definition", error);
    if (status == VV_OK)
        status = vv_check_made(def->motion.internalValue, "vvMotionDef", "vvAttachDef.motion", error);
    if (status != VV_OK)
        return status;
    if (w->bodies[body].kinematic)
        return vv_fail(error, VV_ERROR_INPUT,
                       "attach: body \"%s\" is kinematic: all of its nodes follow its motion; "
                       "vvAttachMoveTo moves its vvBodyAttachment",
                       w->bodies[body].name);
    status = vv_world_open(w, "attach", error);
    if (status == VV_OK)
        status = vv_motion_check(&def->motion, error);
    return status == VV_OK ? check_list(w, body, &def->where, error) : status;
}

/* The numbers that its kind reads. */
static vvStatus check_kind(const vv_body *body, const vvAttachDef *def, bool dragged, vv_potential *potential,
                           vvError *error)
{
    if ((int)def->kind < VV_ATTACH_FIXED || def->kind > VV_ATTACH_PRESSURE)
        return vv_fail(error, VV_ERROR_INPUT,
                       "attach: kind %d is none of VV_ATTACH_FIXED, VV_ATTACH_SPRING, VV_ATTACH_PUSH, "
                       "VV_ATTACH_POTENTIAL, VV_ATTACH_ROLLER, VV_ATTACH_FORCE, VV_ATTACH_TRACTION, VV_ATTACH_PRESSURE",
                       (int)def->kind);
    const char *lack = body->solid_volume == 0            ? NULL
                       : def->kind == VV_ATTACH_POTENTIAL ? "a potential"
                       : def->kind == VV_ATTACH_SPRING    ? "springs"
                       : def->kind == VV_ATTACH_ROLLER    ? "a roller"
                                                          : NULL;
    if (lack && !dragged)
        return vv_fail(error, VV_ERROR_INPUT,
                       "attach: body \"%s\" is affine, and %s would act at its four nodes, which are not part of its "
                       "shape; hold it by a joint, "
                       "or as a whole by kind \"fixed\"",
                       body->name, lack);
    if (body->solid_volume > 0 && !dragged && def->where.kind == VV_REGION_VERTICES)
        return vv_fail(error, VV_ERROR_INPUT,
                       "attach: body \"%s\" is affine: it is held as a whole, by a region that holds all of its "
                       "surface, or by a joint, and "
                       "not by single vertices",
                       body->name);
    vvStatus status = check_potential(def, potential, error);
    if (status == VV_OK && vv_attach_loads(&(vv_attach){ .kind = def->kind }))
        status = check_push(def, error);
    if (status == VV_OK)
        status = vv_load_check(body, def, error);
    if (status == VV_OK)
        status = check_ways(def, error);
    if (status != VV_OK)
        return status;
    if (def->kind == VV_ATTACH_SPRING && !(def->stiffness > 0 && isfinite(def->stiffness)))
        return vv_fail(error, VV_ERROR_INPUT, "attach: stiffness is %g N/m; it must be positive and finite",
                       def->stiffness);
    if (def->clamp && vv_body_directors(body) == 0)
        return vv_fail(error, VV_ERROR_INPUT,
                       "attach: clamp is set, but no material of body \"%s\" has directors that it would hold; "
                       "\"midedge\" has, of shells, and "
                       "\"rod\". Any shell or rod is clamped by two rows of attached vertices",
                       body->name);
    return VV_OK;
}

vvStatus vv_world_attach(vvWorld *w, vvBodyId id, const vvAttachDef *def, bool dragged, vvAttachId *made,
                         vvError *error)
{
    int body = vv_body_index(w, id);
    vv_potential potential = { 0 };
    vvStatus status = check_attachable(w, body, def, error);
    if (status == VV_OK)
        status = check_kind(w->bodies + body, def, dragged, &potential, error);
    if (status != VV_OK)
        return status;
    int count = 0, *nodes = NULL;
    status = select_nodes(w, id, def, dragged, &nodes, &count, error);
    if (status != VV_OK)
        return status;
    if (count == 0) {
        vv_free(nodes);
        return vv_fail(
            error, VV_ERROR_INPUT, "attach: the region holds no node of body \"%s\"%s", w->bodies[body].name,
            def->where.rimOnly ? "; rim leaves only those on edges of one triangle and at ends of lines, and solids, "
                                 "closed surfaces and rings "
                                 "have none"
            : w->bodies[body].solid_volume > 0
                ? "; an affine body is held as a whole, by a region that holds all of its surface, or by a joint"
                : "");
    }
    vv_attach a = { .body = body,
                    .count = count,
                    .kind = def->kind,
                    .stiffness = def->stiffness,
                    .motion = def->motion,
                    .dragged = dragged,
                    .user = def->userData,
                    .potential = potential,
                    .release = dragged ? INFINITY : def->release };
    set_ways(def, &a);
    memcpy(a.acceleration, def->acceleration, sizeof a.acceleration);
    bool room = allocate(&a) && vv_grow((void **)&w->attaches, &w->attach_capacity, w->attach_count + 1, sizeof a) &&
                vv_ids_reserve(&w->attach_ids);
    if (!room) {
        status = vv_fail_memory(error, "an attachment");
    } else {
        memcpy(a.nodes, nodes, (size_t)count * sizeof *nodes);
        status = check_free(w, body, def, a.nodes, count, error);
        if (status == VV_OK)
            status = vv_load_make(w->bodies + body, def, &a, error);
    }
    vv_free(nodes);
    if (status != VV_OK) {
        vv_attach_free(&a);
        return status;
    }
    vv_attach_take_in(w, &a);
    if (made)
        vv_ids_get(&w->attach_ids, (int)w->attach_count - 1, &made->index1, &made->generation);
    return VV_OK;
}

vvStatus vvBodyAttach(vvWorld *w, vvBodyId id, const vvAttachDef *def, vvAttachId *made, vvError *error)
{
    VV_WORLD_CALL(w, error, vv_world_attach(w, id, def, false, made, error));
}

/* ---- ending ---- */

void vv_attach_remove(vvWorld *w, int index)
{
    vv_attach *a = w->attaches + index;
    for (int i = 0; vv_attach_is(a, VV_ATTACH_FIXED) && i < a->count; i++)
        w->fixed[a->nodes[i]] = 0;
    vv_attach_free(a);
    memmove(a, a + 1, (w->attach_count - (size_t)index - 1) * sizeof *a);
    w->attach_count--;
    vv_ids_remove(&w->attach_ids, index);
}

void vv_attach_end(vvWorld *w, int index)
{
    if (prescribes(w->attaches + index)) {
        vv_sleep_wake(w, w->attaches[index].body);
        vv_world_changed_apart(w);
    } else {
        note_part(w, w->attaches + index);
    }
    vv_attach_remove(w, index);
}

static vvStatus detach(vvWorld *w, vvAttachId id, vvError *error)
{
    int a = vv_attach_index(w, id);
    if (a < 0)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldDetach: no such attachment");
    if (w->attaches[a].whole)
        return vv_fail(error, VV_ERROR_INPUT,
                       "vvWorldDetach: this attachment moves the kinematic body \"%s\" and cannot be "
                       "removed alone; vvWorldRemoveBody removes both",
                       w->bodies[w->attaches[a].body].name);
    vvStatus status = vv_world_open(w, "detach", error);
    if (status == VV_OK)
        vv_attach_end(w, a);
    return status;
}

vvStatus vvWorldDetach(vvWorld *w, vvAttachId id, vvError *error) { VV_WORLD_CALL(w, error, detach(w, id, error)); }

/* ---- released at a time ---- */

/* At a time, s; close to it is at it: it is meant to be a step's begin. */
static bool is_due(const vvWorld *w, const vv_attach *a, double time)
{
    static const double noise = 1e-9; /* steps */
    return time >= a->release - noise * w->def.timeStep;
}

bool vv_attach_release_waits(const vvWorld *w)
{
    for (size_t i = 0; i < w->attach_count; i++)
        if (is_due(w, w->attaches + i, vv_world_time(w)) != w->attaches[i].released)
            return true;
    return false;
}

bool vv_attach_release_due(vvWorld *w)
{
    bool changed = false;
    for (size_t i = 0; i < w->attach_count; i++) {
        vv_attach *a = w->attaches + i;
        const bool due = is_due(w, a, vv_world_time(w));
        if (due == a->released)
            continue;
        changed = true;
        if (due && !is_due(w, a, vv_world_time(w) - w->state.span)) /* else a state of another time was loaded */
            vv_sleep_wake(w, a->body);
        a->released = due;
        for (int k = 0; a->kind == VV_ATTACH_FIXED && k < a->count; k++)
            w->fixed[a->nodes[k]] = !due;
    }
    return changed;
}

/* ---- moving by the host ---- */

static vvStatus move_to(vvWorld *w, vvAttachId id, const double *positions, vvError *error)
{
    int index = vv_attach_index(w, id);
    if (index < 0)
        return vv_fail(error, VV_ERROR_INPUT, "vvAttachMoveTo: no such attachment");
    vvStatus status = vv_world_open(w, "move an attachment", error);
    if (status != VV_OK)
        return status;
    vv_attach *a = w->attaches + index;
    if (vv_attach_loads(a))
        return vv_fail(
            error, VV_ERROR_INPUT,
            "vvAttachMoveTo: this attachment is a push (VV_ATTACH_PUSH) or a load, which does not move its nodes");
    if (a->kind == VV_ATTACH_POTENTIAL)
        return vv_fail(error, VV_ERROR_INPUT,
                       "vvAttachMoveTo: this attachment is a potential (VV_ATTACH_POTENTIAL), which does not move");
    if (!positions)
        return vv_fail(error, VV_ERROR_INPUT, "vvAttachMoveTo needs %d positions, found NULL", a->count);
    for (size_t i = 0; i < 3 * (size_t)a->count; i++)
        if (!isfinite(positions[i]))
            return vv_fail(error, VV_ERROR_INPUT, "vvAttachMoveTo: position %zu is not finite", i / 3);
    if (w->bodies[a->body].frame)
        status = vv_attach_check_rigid(w, w->bodies + a->body, positions, error);
    if (status != VV_OK)
        return status;
    bool here = prescribes(a) && (w->bodies[a->body].stage & VV_BODY_PLACED);
    for (int i = 0; !a->driven && i < a->count; i++) {
        double *from = a->from + 3 * (size_t)i;
        if (here)
            memcpy(from, w->state.q + 3 * (size_t)a->nodes[i], 3 * sizeof *from);
        else
            vv_attach_position(w, a, i, vv_world_time(w), from);
    }
    a->driven = true;
    memcpy(a->to, positions, 3 * (size_t)a->count * sizeof *a->to);
    vv_attach_target_moved(w, a);
    return VV_OK;
}

vvStatus vvAttachMoveTo(vvWorld *w, vvAttachId id, const double *positions, vvError *error)
{
    VV_WORLD_CALL(w, error, move_to(w, id, positions, error));
}

void vv_attach_target_moved(vvWorld *w, const vv_attach *a)
{
    if (w->state.clock.step == 0 && prescribes(a))
        vv_world_state_changed(w);
}
