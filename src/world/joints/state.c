/* The state of joints: what of it is in their energy, and how they break. */
#include "base/error.h"
#include "base/vec.h"
#include "energy/links/links.h"
#include "world/joints/joints.h"

#include <string.h>

/* ---- states in the energy ---- */

/* What solvers have made of the link before: whether it is off, and how stiff it is. */
typedef struct seen {
    bool off, stiffness;
} seen;

/* What of that has changed. */
static seen put_state(const vv_joint_state *s, double h, vv_link *l)
{
    const bool off = s->broken || (l->motor && !(s->most > 0));
    const double stiffness = l->stiffness;
    seen changed = { .off = l->off != off };
    l->off = off;
    if (l->motor) {
        l->low = l->high = s->target;
        vv_link_set_motor(l, s->speed, s->most, h);
    }
    changed.stiffness = l->stiffness != stiffness;
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
    for (int i = 0; i < count; i++) {
        const seen now = put_state(&w->joints[links[i].joint].state, w->def.timeStep, links + i);
        double d[VV_LINK_MOST];
        if (now.stiffness) {
            vv_link_at(links + i, w->rest, 3, d);
            vv_link_set_bound(links + i, d);
        }
        changed = changed || now.off || now.stiffness;
        w->torn = w->torn || (now.off && !links[i].motor); /* a motor holds nothing together */
    }
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

/* ---- what a joint does ---- */

void vv_joint_load(vvWorld *w, int joint, const double *begin, const double *q, vv_link_load *load)
{
    const vv_energy *e = w->energy_at[VV_PLACE_JOINT];
    vv_force_place place[VV_MOST_PLACES];
    double end[3], about[3];
    vv_joint_point_at(w->joints[joint].at + 1, q, end);
    vv_links_load(e, joint, q, end, load);
    const int count = begin ? vv_stepper_force_places(w->stepper, place) : 0;
    if (count == 0 || (count == 1 && place[0].part == 1))
        return;
    vv_link_load sum = { .energy = load->energy };
    const size_t mark = vv_arena_mark(&w->system.arena);
    double *x = vv_arena_push(&w->system.arena, 3 * (size_t)w->nodes, sizeof *x);
    vv_joint_point_at(w->joints[joint].at + 1, begin, about);
    for (int p = 0; p < count; p++) {
        vv_link_load then;
        double at[3];
        for (int k = 0; k < 3; k++)
            at[k] = about[k] + place[p].part * (end[k] - about[k]);
        vv_links_between(e, joint, begin, q, place[p].part, x);
        vv_links_load(e, joint, x, at, &then);
        for (int k = 0; k < 3; k++)
            sum.force[k] += place[p].share * then.force[k], sum.torque[k] += place[p].share * then.torque[k];
        sum.drive += place[p].share * then.drive;
    }
    vv_arena_release(&w->system.arena, mark);
    *load = sum;
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
        if (joint->state.broken || (isinf(joint->break_force) && isinf(joint->break_torque)))
            continue;
        vv_joint_load(w, (int)j, w->state.q, q, &load);
        if (!(vv_norm(load.force) > joint->break_force || vv_norm(load.torque) > joint->break_torque))
            continue;
        joint->state.broken = w->state.clock.step + 1;
        lost += load.energy;
        any = true;
        vv_world_log(w, VV_LOG_INFO, "step %lld: joint %zu (\"%s\") breaks under %.4g N, %.4g N m",
                     (long long)joint->state.broken, j, joint->kind->info.name, vv_norm(load.force),
                     vv_norm(load.torque));
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
