/* The state of joints: what of it is in their energy, what they do, and how they break. */
#include "base/error.h"
#include "base/vec.h"
#include "energy/links.h"
#include "world/joints.h"

#include <string.h>

/* ---- states in the energy ---- */

/* Whether the link is off now and was not before, or the other way round. */
static bool put_state(const vv_joint_state *s, double h, vv_link *l)
{
    const bool off = s->broken || (l->motor && !(s->most > 0)), changed = l->off != off;
    l->off = off;
    if (l->motor) {
        l->low = l->high = s->target;
        vv_link_set_motor(l, s->speed, s->most, h);
    }
    return changed;
}

vvStatus vv_world_joints(const vvWorld *w, vv_energy **out, vvError *error)
{
    *out = NULL;
    if (w->joint_count == 0)
        return VV_OK;
    vv_link *links = vv_alloc(VV_JOINT_LINKS * w->joint_count, sizeof *links);
    int count = 0;
    if (!links)
        return vv_fail_memory(error, "joints");
    for (size_t j = 0; j < w->joint_count; j++)
        for (int i = 0; i < w->joints[j].link_count; i++) {
            links[count] = w->joints[j].link[i];
            links[count].joint = (int)j;
            put_state(&w->joints[j].state, w->def.timeStep, links + count++);
        }
    vvStatus status = vv_links_create(count, links, (int)w->joint_count, w->body_of, w->rest, out, error);
    vv_free(links);
    return status;
}

/* Solvers that have made something of the energy see by its serial that it is another. */
void vv_world_place_joints(vvWorld *w)
{
    vv_energy *e = w->energy_at[VV_PLACE_JOINT];
    int count;
    vv_link *links = vv_links_of(e, &count);
    bool changed = false;
    for (int i = 0; i < count; i++)
        changed = put_state(&w->joints[links[i].joint].state, w->def.timeStep, links + i) || changed;
    if (changed)
        e->serial = ++w->system.serials;
}

void vv_world_keep_motors(vvWorld *w)
{
    int count;
    const vv_link *links = vv_links_of(w->energy_at[VV_PLACE_JOINT], &count);
    for (int i = 0; i < count; i++)
        if (links[i].motor)
            w->joints[links[i].joint].state.target = links[i].low;
}

/* ---- breaking ---- */

double vv_world_tear(void *world, const double *q)
{
    vvWorld *w = world;
    double lost = 0;
    bool any = false;
    for (size_t j = 0; j < w->joint_count; j++) {
        vv_joint *joint = w->joints + j;
        vv_link_load load;
        double about[3];
        if (joint->state.broken || (isinf(joint->break_force) && isinf(joint->break_torque)))
            continue;
        vv_joint_point_at(joint->at + 1, q, about);
        vv_links_load(w->energy_at[VV_PLACE_JOINT], (int)j, q, about, &load);
        if (!(vv_norm(load.force) > joint->break_force || vv_norm(load.torque) > joint->break_torque))
            continue;
        joint->state.broken = w->state.clock.step + 1;
        lost += load.energy;
        any = true;
        vv_world_log(w, VV_LOG_INFO, "step %lld: joint %zu (\"%s\") breaks under %.4g N, %.4g N m", (long long)joint->state.broken, j,
                     joint->kind->info.name, vv_norm(load.force), vv_norm(load.torque));
    }
    if (any) {
        vv_world_keep_motors(w);
        vv_world_place_joints(w);
    }
    return lost;
}

int vvWorldBrokenJoints(const vvWorld *w, vvJointId *ids, int capacity)
{
    int count = 0;
    for (size_t j = 0; vv_world_readable(w) && j < w->joint_count; j++) {
        if (w->joints[j].state.broken == 0 || w->joints[j].state.broken != w->state.clock.step)
            continue;
        if (ids && count < capacity)
            vv_ids_get(&w->joint_ids, (int)j, &ids[count].index1, &ids[count].generation);
        count++;
    }
    return count;
}

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
        return vv_fail(error, VV_ERROR_INPUT, to ? "vvJointGetState: no such joint" : "vvJointGetState wants a place for the state, found NULL");
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
    memcpy(to->force, load.force, sizeof to->force);
    memcpy(to->torque, load.torque, sizeof to->torque);
    to->motorForce = load.drive;
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
        status = vv_fail(error, VV_ERROR_INPUT, "vvJointSetMotor: a \"%s\" joint has no motor: \"hinge\" and \"slider\" have", j->kind->info.name);
    if (status == VV_OK)
        status = vv_joint_check_motor(j->kind, speed, force, error);
    if (status != VV_OK)
        return status;
    if (!(force > 0) || !(j->state.most > 0)) /* switched on or off: it begins where the joint is */
        j->state.target = NAN;
    j->state.speed = speed * (j->kind->turns ? VV_RADIANS : 1);
    j->state.most = force;
    vv_world_place_joints(w);
    vv_world_state_changed(w);
    return VV_OK;
}

vvStatus vvJointSetMotor(vvWorld *w, vvJointId id, double speed, double force, vvError *error)
{
    VV_WORLD_CALL(w, error, set_motor(w, id, speed, force, error));
}
