/* Scripted rigid motion of attached nodes. */
#include "base/error.h"
#include "base/vec.h"
#include "world/world.h"

#include <string.h>

vvMotionDef vvDefaultMotionDef(void)
{
    return (vvMotionDef){ .axis = { 0, 1, 0 }, .endTime = INFINITY, .internalValue = VV_MADE_BY_DEFAULT };
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
    const vvWaypoint *a = w + (next > 0 ? next - 1 : 0),
                     *b = w + (next < m->waypointCount ? next : m->waypointCount - 1);
    double s = b->time > a->time ? fmin(fmax((time - a->time) / (b->time - a->time), 0), 1) : 0;
    s = m->smooth ? s * s * (3 - 2 * s) : s;
    for (int k = 0; k < 3; k++) {
        offset[k] = a->offset[k] + s * (b->offset[k] - a->offset[k]);
        turn[k] = a->turn[k] + s * (b->turn[k] - a->turn[k]);
    }
}

vv_pose vv_motion_pose(const vvMotionDef *m, double time)
{
    double run = fmin(time, m->endTime) - m->startTime, offset[3], turn[3], spin[9], euler[9];
    if (!(run > 0))
        run = 0;
    waypoint_at(m, fmin(time, m->endTime), offset, turn);
    vv_pose p = { .turned = m->angularVelocity != 0 || turn[0] != 0 || turn[1] != 0 || turn[2] != 0 };
    for (int k = 0; k < 3; k++)
        p.shift[k] = m->linearVelocity[k] * run + offset[k];
    if (p.turned) {
        vv_axis_angle(m->axis, m->angularVelocity * run * 3.14159265358979323846 / 180, spin);
        vv_euler_degrees(turn, euler);
        vv_matmul(euler, spin, p.turn);
    }
    return p;
}

void vv_pose_apply(const vv_pose *p, const vvMotionDef *m, const double rest[3], double x[3])
{
    double r[3];
    vv_sub(rest, m->about, r);
    if (p->turned)
        vv_matvec(p->turn, r, r);
    for (int k = 0; k < 3; k++)
        /* not rotated: exactly the rest position plus the shift, without the rounding of a rotation about `about` */
        x[k] = (p->turned ? m->about[k] + r[k] : rest[k]) + p->shift[k];
}

void vv_motion_position(const vvMotionDef *m, double time, const double rest[3], double x[3])
{
    vv_pose p = vv_motion_pose(m, time);
    vv_pose_apply(&p, m, rest, x);
}

void vv_motion_origin(const vvMotionDef *m, double time, const double x[3], double rest[3])
{
    vv_pose p = vv_motion_pose(m, time);
    double r[3];
    for (int k = 0; k < 3; k++)
        r[k] = x[k] - p.shift[k];
    if (p.turned) {
        double back[9];
        for (int i = 0; i < 9; i++)
            back[i] = p.turn[3 * (i % 3) + i / 3];
        vv_sub(r, m->about, r);
        vv_matvec(back, r, r);
        for (int k = 0; k < 3; k++)
            r[k] += m->about[k];
    }
    for (int k = 0; k < 3; k++)
        rest[k] = r[k];
}

/* The sum of the angles' changes between two times with no waypoint in between. */
static double turn_between(const vvMotionDef *m, double from, double to)
{
    double offset[3], a[3], b[3];
    waypoint_at(m, fmin(from, m->endTime), offset, a);
    waypoint_at(m, fmin(to, m->endTime), offset, b);
    return fabs(b[0] - a[0]) + fabs(b[1] - a[1]) + fabs(b[2] - a[2]);
}

double vv_motion_turn(const vvMotionDef *m, double from, double to)
{
    double run = fmax(fmin(to, m->endTime) - fmax(from, m->startTime), 0), turn = fabs(m->angularVelocity) * run,
           at = from;
    for (int i = 0; i < m->waypointCount && m->waypoints[i].time < to; i++)
        if (m->waypoints[i].time > at) {
            turn += turn_between(m, at, m->waypoints[i].time);
            at = m->waypoints[i].time;
        }
    return turn + turn_between(m, at, to);
}

static bool finite3(const double a[3]) { return isfinite(a[0]) && isfinite(a[1]) && isfinite(a[2]); }

vvStatus vv_motion_check(const vvMotionDef *m, vvError *error)
{
    if (!finite3(m->about) || !finite3(m->axis) || !isfinite(m->angularVelocity) || !finite3(m->linearVelocity) ||
        !isfinite(m->startTime) || isnan(m->endTime))
        return vv_fail(error, VV_ERROR_INPUT, "motion: about, axis, velocities and times must be finite numbers");
    if (m->angularVelocity != 0 && vv_norm(m->axis) == 0)
        return vv_fail(error, VV_ERROR_INPUT, "motion: axis is (0, 0, 0); a rotation needs a direction");
    if (m->waypointCount < 0 || (m->waypointCount > 0 && !m->waypoints))
        return vv_fail(error, VV_ERROR_INPUT, "motion: %d waypoints, but the list is NULL", m->waypointCount);
    for (int i = 0; i < m->waypointCount; i++) {
        const vvWaypoint *w = m->waypoints + i;
        if (!isfinite(w->time) || !finite3(w->offset) || !finite3(w->turn))
            return vv_fail(error, VV_ERROR_INPUT, "motion: waypoint %d is not finite", i);
        if (i > 0 && w->time <= w[-1].time)
            return vv_fail(error, VV_ERROR_INPUT, "motion: waypoint %d is at %g s, not after the previous one (%g s)",
                           i, w->time, w[-1].time);
    }
    return VV_OK;
}
