/* What a joint does now, and another motor for it. */
#include "base/error.h"
#include "base/vec.h"
#include "energy/links/links.h"
#include "world/joints/joints.h"
#include "world/sleep/sleep.h"

#include <string.h>

/* ---- what a joint does ---- */

/* Its position and the change of that in time. */
static void measure(const vvWorld *w, const vv_joint *j, vvJointState *to)
{
    const double unit = j->kind->turns ? 1 / VV_RADIANS : 1;
    double d[VV_LINK_MOST], change[VV_LINK_MOST], g[VV_LINK_MOST], c;
    to->position = to->speed = NAN;
    if (j->measured < 0)
        return;
    vv_link l = j->link[j->measured];
    vv_link_at(&l, w->state.q, 3, d);
    memset(l.offset, 0, sizeof l.offset);
    vv_link_at(&l, w->state.v, 3, change);
    if (!vv_link_measure(&l, d, &c, g, NULL))
        return;
    to->position = unit * c, to->speed = 0;
    for (int i = 0; i < 3 * vv_link_vectors(l.form); i++)
        to->speed += unit * g[i] * change[i];
}

/* How far apart its points are; across the line of a slider. */
static double gap_of(const vvWorld *w, const vv_joint *j, const double a[3], const double b[3])
{
    double d[VV_LINK_MOST];
    vv_sub(b, a, d);
    if (!j->kind->travels)
        return vv_norm(d);
    vv_link l = j->link[0];
    vv_link_value at;
    double sum = 0;
    for (int i = 0; i < 2; i++) { /* its two points on the line */
        l = j->link[i];
        vv_link_at(&l, w->state.q, 3, d);
        vv_link_evaluate(&l, d, VV_LINK_ENERGY, &at);
        sum = fmax(sum, sqrt(2 * at.energy / l.stiffness));
    }
    return sum;
}

static vvStatus get_state(vvWorld *w, vvJointId id, vvJointState *to, vvError *error)
{
    const int index = vv_joint_index(w, id);
    if (index < 0 || !to)
        return vv_fail(error, VV_ERROR_INPUT,
                       to ? "vvJointGetState: no such joint"
                          : "vvJointGetState needs a pointer for the state, found NULL");
    vvStatus status = vv_world_bake(w, error);
    if (status != VV_OK)
        return status;
    const vv_joint *j = w->joints + index;
    vv_link_load load;
    *to = (vvJointState){ .broken = j->state.broken != 0, .brokenStep = j->state.broken };
    for (int side = 0; side < 2; side++)
        vv_joint_point_at(j->at + side, w->state.q, to->points[side]);
    to->gap = gap_of(w, j, to->points[0], to->points[1]);
    measure(w, j, to);
    vv_links_load(w->energy_at[VV_PLACE_JOINT], index, w->state.q, to->points[1], &load);
    const bool borne = j->state.bore > 0;
    memcpy(to->force, borne ? j->state.load : load.force, sizeof to->force);
    memcpy(to->torque, borne ? j->state.load + 3 : load.torque, sizeof to->torque);
    to->motorForce = borne ? j->state.load[6] : load.drive;
    to->energy = load.energy;
    return VV_OK;
}

vvStatus vvJointGetState(vvWorld *w, vvJointId id, vvJointState *state, vvError *error)
{
    VV_WORLD_CALL(w, error, get_state(w, id, state, error));
}

/* ---- motors ---- */

static vvStatus set_motor(vvWorld *w, vvJointId id, double speed, double force, vvError *error)
{
    const int index = vv_joint_index(w, id);
    if (index < 0)
        return vv_fail(error, VV_ERROR_INPUT, "vvJointSetMotor: no such joint");
    vv_joint *j = w->joints + index;
    vvStatus status = vv_world_open(w, "set a motor", error);
    if (status == VV_OK && !j->kind->turns && !j->kind->travels)
        status =
            vv_fail(error, VV_ERROR_INPUT,
                    "vvJointSetMotor: a \"%s\" joint has no motor: \"hinge\" and \"slider\" have", j->kind->info.name);
    if (status == VV_OK)
        status = vv_joint_check_motor(j->kind, speed, force, w->def.timeStep, error);
    if (status != VV_OK)
        return status;
    if (!(force > 0) || !(j->state.most > 0)) /* switched on or off: it begins where the joint is */
        j->state.target = NAN;
    j->state.speed = speed * (j->kind->turns ? VV_RADIANS : 1);
    j->state.most = force;
    vv_sleep_wake_all(w);
    vv_world_place_joints(w);
    vv_world_state_changed(w);
    return VV_OK;
}

vvStatus vvJointSetMotor(vvWorld *w, vvJointId id, double speed, double force, vvError *error)
{
    VV_WORLD_CALL(w, error, set_motor(w, id, speed, force, error));
}
