/* Scripted rigid motion of attached nodes, and attaching. */
#include "base/error.h"
#include "base/vec.h"
#include "world/world.h"

#include <string.h>

vvAttachDef vvDefaultAttachDef(void)
{
    return (vvAttachDef){ .where = { .kind = VV_REGION_ALL }, .stiffness = 1e4,
                          .motion = { .axis = { 0, 1, 0 }, .endTime = INFINITY } };
}

static void waypoint_at(const vvMotionDef *m, double time, double offset[3], double turn[3])
{
    memset(offset, 0, 3 * sizeof *offset);
    memset(turn, 0, 3 * sizeof *turn);
    if (m->waypointCount == 0)
        return;
    const vvWaypoint *w = m->waypoints;
    int next = 0;
    while (next < m->waypointCount && w[next].time <= time)
        next++;
    const vvWaypoint *a = w + (next > 0 ? next - 1 : 0), *b = w + (next < m->waypointCount ? next : m->waypointCount - 1);
    double s = b->time > a->time ? fmin(fmax((time - a->time) / (b->time - a->time), 0), 1) : 0;
    for (int k = 0; k < 3; k++) {
        offset[k] = a->offset[k] + s * (b->offset[k] - a->offset[k]);
        turn[k] = a->turn[k] + s * (b->turn[k] - a->turn[k]);
    }
}

void vv_motion_position(const vvMotionDef *m, double time, const double rest[3], double x[3])
{
    double end = m->endTime, run = fmin(time, end) - m->startTime;
    if (!(run > 0))
        run = 0;
    double offset[3], turn[3], spin[9], euler[9], r[3];
    waypoint_at(m, fmin(time, end), offset, turn);
    vv_axis_angle(m->axis, m->angularVelocity * run * 3.14159265358979323846 / 180, spin);
    vv_euler_degrees(turn, euler);
    vv_sub(rest, m->about, r);
    if (m->angularVelocity != 0)
        vv_matvec(spin, r, r);
    if (turn[0] != 0 || turn[1] != 0 || turn[2] != 0)
        vv_matvec(euler, r, r);
    bool turned = m->angularVelocity != 0 || turn[0] != 0 || turn[1] != 0 || turn[2] != 0;
    for (int k = 0; k < 3; k++)
        /* unturned: exactly the rest position plus the shift, without the rounding of going around `about` */
        x[k] = (turned ? m->about[k] + r[k] : rest[k]) + m->linearVelocity[k] * run + offset[k];
}

static bool finite3(const double a[3]) { return isfinite(a[0]) && isfinite(a[1]) && isfinite(a[2]); }

vvStatus vv_motion_check(const vvMotionDef *m, vvError *error)
{
    if (!finite3(m->about) || !finite3(m->axis) || !isfinite(m->angularVelocity) || !finite3(m->linearVelocity) ||
        !isfinite(m->startTime) || isnan(m->endTime))
        return vv_fail(error, VV_ERROR_INPUT, "motion: about, axis, velocities and times must be finite numbers");
    if (m->angularVelocity != 0 && vv_norm(m->axis) == 0)
        return vv_fail(error, VV_ERROR_INPUT, "motion: axis is (0, 0, 0); a turning motion needs a direction");
    if (m->waypointCount < 0 || (m->waypointCount > 0 && !m->waypoints))
        return vv_fail(error, VV_ERROR_INPUT, "motion: %d waypoints but no list of them", m->waypointCount);
    for (int i = 0; i < m->waypointCount; i++) {
        const vvWaypoint *w = m->waypoints + i;
        if (!isfinite(w->time) || !finite3(w->offset) || !finite3(w->turn))
            return vv_fail(error, VV_ERROR_INPUT, "motion: waypoint %d is not finite", i);
        if (i > 0 && w->time <= w[-1].time)
            return vv_fail(error, VV_ERROR_INPUT, "motion: waypoint %d is at %g s, not after the one before (%g s)", i, w->time,
                           w[-1].time);
    }
    return VV_OK;
}

static vvStatus check_free(const vvWorld *world, int body, const vvAttachDef *def, const int *nodes, int count, vvError *error)
{
    if (def->kind != VV_ATTACH_FIXED)
        return VV_OK;
    for (size_t a = 0; a < world->attach_count; a++) {
        const vv_attach *other = world->attaches + a;
        if (other->body != body || other->kind != VV_ATTACH_FIXED)
            continue;
        for (int i = 0, k = 0; i < other->count && k < count;) /* both ascend */
            if (other->nodes[i] == nodes[k])
                return vv_fail(error, VV_ERROR_INPUT, "body \"%s\": vertex %d is in two \"fixed\" attachments (%zu and this "
                               "one); a node can follow one motion only", world->bodies[body].name,
                               nodes[k] - world->bodies[body].first, a);
            else if (other->nodes[i] < nodes[k])
                i++;
            else
                k++;
    }
    return VV_OK;
}

/* A list that names a vertex which is not there is a mistake in the list, also where others of it are there. */
static vvStatus check_list(const vvWorld *world, int body, const vvRegion *where, vvError *error)
{
    if (where->kind != VV_REGION_VERTICES)
        return VV_OK;
    int count = world->bodies[body].count;
    if (where->listCount > 0 && !where->list)
        return vv_fail(error, VV_ERROR_INPUT, "attach: the region's list has %d items, but no array", where->listCount);
    for (int i = 0; i < where->listCount; i++)
        if (where->list[i] < 0 || where->list[i] >= count)
            return vv_fail(error, VV_ERROR_INPUT, "attach: item %d of the list is vertex %d; body \"%s\" has vertices 0 to %d",
                           i, where->list[i], world->bodies[body].name, count - 1);
    return VV_OK;
}

static vvStatus attach(vvWorld *world, vvBodyId id, const vvAttachDef *def, vvError *error)
{
    vv_error_clear(error);
    int body = vv_body_index(world, id);
    if (body < 0)
        return vv_fail(error, VV_ERROR_INPUT, "vvBodyAttach: no such body");
    if (!def)
        return vv_fail(error, VV_ERROR_INPUT, "vvBodyAttach wants a definition, found NULL");
    vvStatus status = vv_world_open(world, "attach", error);
    if (status == VV_OK)
        status = vv_motion_check(&def->motion, error);
    if (status == VV_OK)
        status = check_list(world, body, &def->where, error);
    if (status != VV_OK)
        return status;
    if (def->kind == VV_ATTACH_SPRING && !(def->stiffness > 0 && isfinite(def->stiffness)))
        return vv_fail(error, VV_ERROR_INPUT, "attach: stiffness is %g N/m; it must be positive and finite", def->stiffness);
    int count = vvBodySelect(world, id, &def->where, NULL, 0);
    if (count == 0)
        return vv_fail(error, VV_ERROR_INPUT, "attach: the region holds no node of body \"%s\"", world->bodies[body].name);
    vv_attach a = { .body = body, .count = count, .kind = def->kind, .stiffness = def->stiffness, .motion = def->motion };
    a.nodes = vv_alloc((size_t)count, sizeof *a.nodes);
    a.waypoints = vv_alloc((size_t)def->motion.waypointCount, sizeof *a.waypoints);
    bool room = vv_grow((void **)&world->attaches, &world->attach_capacity, world->attach_count + 1, sizeof a);
    if (!a.nodes || !a.waypoints || !room) {
        status = vv_fail_memory(error, "an attachment");
    } else {
        vvBodySelect(world, id, &def->where, a.nodes, count);
        status = check_free(world, body, def, a.nodes, count, error);
    }
    if (status != VV_OK) {
        vv_free(a.nodes);
        vv_free(a.waypoints);
        return status;
    }
    if (def->motion.waypointCount)
        memcpy(a.waypoints, def->motion.waypoints, (size_t)def->motion.waypointCount * sizeof *a.waypoints);
    a.motion.waypoints = a.waypoints;
    world->attaches[world->attach_count++] = a;
    return VV_OK;
}

vvStatus vvBodyAttach(vvWorld *world, vvBodyId id, const vvAttachDef *def, vvError *error)
{
    vvAllocator outer = vv_memory_use(world->allocator);
    vvStatus status = attach(world, id, def, error);
    vv_memory_use(outer);
    return status;
}
