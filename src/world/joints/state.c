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

/* ---- what joints bear ---- */

void vv_world_bear(void *world, const double *x, double share, double *sum)
{
    const vvWorld *w = world;
    for (size_t j = 0; j < w->joint_count; j++, sum += VV_JOINT_LOAD) {
        vv_link_load load;
        double about[3];
        vv_joint_point_at(w->joints[j].at + 1, x, about);
        vv_links_load(w->energy_at[VV_PLACE_JOINT], (int)j, x, about, &load);
        for (int k = 0; k < 3; k++)
            sum[k] += share * load.force[k], sum[3 + k] += share * load.torque[k];
        sum[6] += share * load.drive;
    }
}

/* ---- breaking ---- */

/* Whether it breaks under what it bears, where q is. */
static bool breaks(vvWorld *w, size_t number, const double *q, double *lost)
{
    vv_joint *joint = w->joints + number;
    vv_joint_state *s = &joint->state;
    vv_link_load load;
    double about[3];
    if (s->broken || !(vv_norm(s->load) > joint->break_force || vv_norm(s->load + 3) > joint->break_torque))
        return false;
    vv_joint_point_at(joint->at + 1, q, about);
    vv_links_load(w->energy_at[VV_PLACE_JOINT], (int)number, q, about, &load);
    *lost += load.energy;
    s->broken = w->state.clock.step + 1;
    vv_world_log(w, VV_LOG_INFO, "step %lld: joint %zu (\"%s\") breaks under %.4g N, %.4g N m", (long long)s->broken,
                 number, joint->kind->info.name, vv_norm(s->load), vv_norm(s->load + 3));
    return true;
}

double vv_world_bore(void *world, const double *q, const double *sum)
{
    vvWorld *w = world;
    double lost = 0;
    bool any = false;
    for (size_t j = 0; j < w->joint_count; j++) {
        memcpy(w->joints[j].state.load, sum + VV_JOINT_LOAD * j, sizeof w->joints[j].state.load);
        w->joints[j].state.bore = w->state.clock.step + 1;
        any = breaks(w, j, q, &lost) || any;
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
