/* Joints between bodies: checked, added and removed, before the first step and at any time after. */
#include "base/error.h"
#include "base/text/range.h"
#include "base/vec.h"
#include "world/joints/joints.h"

#include <string.h>

vvJointDef vvDefaultJointDef(void)
{
    return (vvJointDef){ .kind = "ball",
                         .axis = { 0, 0, 1 },
                         .limits = { -INFINITY, INFINITY },
                         .breakForce = INFINITY,
                         .breakTorque = INFINITY,
                         .internalValue = VV_MADE_BY_DEFAULT };
}

int vv_joint_index(const vvWorld *w, vvJointId id) { return vv_ids_find(&w->joint_ids, id.index1, id.generation); }

bool vvJointIsValid(const vvWorld *w, vvJointId id) { return vv_world_readable(w) && vv_joint_index(w, id) >= 0; }

int vvWorldJointCount(const vvWorld *w) { return vv_world_readable(w) ? (int)w->joint_count : 0; }

vvJointId vvWorldJoint(const vvWorld *w, int index)
{
    vvJointId id = { 0, 0 };
    if (vv_world_readable(w))
        vv_ids_get(&w->joint_ids, index, &id.index1, &id.generation);
    return id;
}

const char *vvJointKind(const vvWorld *w, vvJointId id)
{
    const int j = vv_world_readable(w) ? vv_joint_index(w, id) : -1;
    return j >= 0 ? w->joints[j].kind->info.name : "";
}

void vvJointBodies(const vvWorld *w, vvJointId id, vvBodyId bodies[2])
{
    const int j = vv_world_readable(w) ? vv_joint_index(w, id) : -1;
    for (int side = 0; bodies && side < 2; side++) {
        bodies[side] = (vvBodyId){ 0, 0 };
        if (j >= 0)
            vv_ids_get(&w->body_ids, w->joints[j].body[side], &bodies[side].index1, &bodies[side].generation);
    }
}

/* ---- checks ---- */

static vvStatus check_kind(const vvJointDef *def, vvError *error)
{
    return vv_joint_kind_find(def->kind) ? VV_OK : vv_fail_unknown(error, "kind of joint", def->kind, vvJointKindInfo);
}

static vvStatus check_bodies(const vvWorld *w, const vvJointDef *def, int body[2], vvError *error)
{
    for (int side = 0; side < 2; side++) {
        const vvBodyId id = def->bodies[side];
        const bool world = id.index1 == 0 && id.generation == 0;
        body[side] = world ? -1 : vv_body_index(w, id);
        if (!world && body[side] < 0)
            return vv_fail(error, VV_ERROR_INPUT, "joint: its %s body does not exist; was it removed?",
                           side ? "second" : "first");
    }
    if (body[0] == body[1])
        return vv_fail(error, VV_ERROR_INPUT,
                       "joint: both bodies are %s%s%s; it must join two different ones, or a body and the world",
                       body[0] < 0 ? "the world" : "\"", body[0] < 0 ? "" : w->bodies[body[0]].name,
                       body[0] < 0 ? "" : "\"");
    for (int side = 0; side < 2; side++)
        if (body[side] >= 0 && !w->bodies[body[side]].kinematic)
            return VV_OK;
    return vv_fail(error, VV_ERROR_INPUT,
                   "joint: neither body can move: each is kinematic, or the world; at least one must be free");
}

static bool finite3(const double x[3]) { return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]); }

static vvStatus check_places(const vv_joint_kind *kind, const vvJointDef *def, vvError *error)
{
    if (!finite3(def->at) || (kind->ends && !finite3(def->to)))
        return vv_fail(error, VV_ERROR_INPUT, "joint: `%s` is not finite", finite3(def->at) ? "to" : "at");
    const double length = vv_norm(def->axis);
    if (kind->axis && !(length > 0 && isfinite(length)))
        return vv_fail(error, VV_ERROR_INPUT,
                       "joint: axis is (%g, %g, %g); it must have a length other than 0, and be finite", def->axis[0],
                       def->axis[1], def->axis[2]);
    return VV_OK;
}

static bool is_limited(const vvJointDef *def) { return isfinite(def->limits[0]) || isfinite(def->limits[1]); }

static vvStatus check_limits(const vv_joint_kind *kind, const vvJointDef *def, vvError *error)
{
    const double *l = def->limits;
    if (isnan(l[0]) || isnan(l[1]) || !(l[0] <= l[1]) || l[0] == INFINITY || l[1] == -INFINITY)
        return vv_fail(error, VV_ERROR_INPUT,
                       "joint: limits are %g and %g; the first must be the smaller one, or both the same", l[0], l[1]);
    if (!is_limited(def))
        return VV_OK;
    if (kind->wide == 0)
        return vv_fail(
            error, VV_ERROR_INPUT,
            "joint: limits are given, but a \"%s\" joint has none: \"hinge\", \"slider\" and \"distance\" have",
            kind->info.name);
    if (kind->turns && isfinite(l[0]) != isfinite(l[1]))
        return vv_fail(error, VV_ERROR_INPUT,
                       "joint: limits are %g and %g; an angle is periodic, so a \"%s\" needs both limits, from %g to "
                       "%g, or none (-infinity and infinity)",
                       l[0], l[1], kind->info.name, kind->narrow, kind->wide);
    if ((isfinite(l[0]) && l[0] < kind->narrow) || (isfinite(l[1]) && l[1] > kind->wide))
        return vv_fail(error, VV_ERROR_INPUT, "joint: limits are %g and %g; those of a \"%s\" must be from %g to %g",
                       l[0], l[1], kind->info.name, kind->narrow, kind->wide);
    return VV_OK;
}

static const double MOST_TURN = 60; /* deg, of a motor in a step */

vvStatus vv_joint_check_motor(const vv_joint_kind *kind, double speed, double force, double h, vvError *error)
{
    if (!(fabs(speed) <= 1e9) || !(force >= 0 && force <= 1e18))
        return vv_fail(
            error, VV_ERROR_INPUT,
            "joint: its motor has the speed %g and the force %g; the speed must be within 1e9, the force from 0 to "
            "1e18",
            speed, force);
    if (force > 0 && !kind->turns && !kind->travels)
        return vv_fail(error, VV_ERROR_INPUT,
                       "joint: a motor is given, but a \"%s\" joint has none: \"hinge\" and \"slider\" have",
                       kind->info.name);
    if (force > 0 && kind->turns && fabs(speed) * h > MOST_TURN)
        return vv_fail(error, VV_ERROR_INPUT,
                       "joint: its motor turns by %g deg in a step of %g s; at most %g deg, beyond which a target "
                       "ahead would pull back: take smaller "
                       "steps, or a lower speed",
                       fabs(speed) * h, h, MOST_TURN);
    return VV_OK;
}

static vvStatus check_numbers(const vvWorld *w, const vv_joint_kind *kind, const vvJointDef *def, vvError *error)
{
    vvStatus status = vv_range_check(&(vv_range){ 0, 1e15, .unit = "N/m" }, def->stiffness, "joint: stiffness", error);
    if (status == VV_OK)
        status = vv_range_check(&(vv_range){ 0, 1e9, .unit = "m" }, def->reach, "joint: reach", error);
    if (status == VV_OK && !(def->breakForce > 0))
        status = vv_fail(error, VV_ERROR_INPUT, "joint: breakForce is %g N; it must be positive, infinity: never",
                         def->breakForce);
    if (status == VV_OK && !(def->breakTorque > 0))
        status = vv_fail(error, VV_ERROR_INPUT, "joint: breakTorque is %g N m; it must be positive, infinity: never",
                         def->breakTorque);
    if (status == VV_OK)
        status = check_limits(kind, def, error);
    return status == VV_OK ? vv_joint_check_motor(kind, def->motorSpeed, def->motorForce, w->def.timeStep, error)
                           : status;
}

/* ---- what is left to be chosen ---- */

static double body_mass(const vvWorld *w, const vv_body *b)
{
    double mass = 0;
    for (int i = b->first; i < b->first + b->count; i++)
        mass += w->mass[i];
    return mass;
}

static double body_diagonal(const vvWorld *w, const double *x, const vv_body *b)
{
    double lo[3], hi[3], d[3];
    vv_body_bounds(w, (int)(b - w->bodies), x, lo, hi);
    vv_sub(hi, lo, d);
    return vv_norm(d);
}

/* How much the weight of the heavier body moves a joint whose stiffness is chosen, as a part of g h^2; and how far a
 * joint reaches. */
static const double STIFF = 100, PART = 0.25;

static bool is_free(const vvWorld *w, const vv_body *b)
{
    bool any = false;
    for (int i = b->first; i < b->first + b->count; i++)
        any = any || !w->fixed[i];
    return any;
}

/* Of bodies that can move; where both are held now, of those that may be let go. */
static void choose(vv_joint_plan *p, const vvJointDef *def)
{
    const vvWorld *w = p->world;
    double mass = 0, size = INFINITY;
    for (int held = 0; held < 2 && mass == 0; held++)
        for (int side = 0; side < 2; side++) {
            const vv_body *b = p->body[side] >= 0 ? w->bodies + p->body[side] : NULL;
            if (!b || b->kinematic || (!held && !is_free(w, b)))
                continue;
            mass = fmax(mass, body_mass(w, b));
            size = fmin(size, body_diagonal(w, p->x, b));
        }
    p->stiffness = def->stiffness > 0 ? def->stiffness : STIFF * mass / (w->def.timeStep * w->def.timeStep);
    p->reach = def->reach > 0 ? def->reach : PART * size;
}

static void set_directions(vv_joint_plan *p, const vv_joint_kind *kind, const vvJointDef *def)
{
    const double along[3] = { 1, 0, 0 }, *axis = kind->axis ? def->axis : along, length = vv_norm(axis);
    int least = 0;
    for (int k = 0; k < 3; k++) {
        p->axis[k] = axis[k] / length;
        least = fabs(axis[k]) < fabs(axis[least]) ? k : least;
    }
    vv_cross(p->axis, (double[3]){ least == 0, least == 1, least == 2 }, p->side);
    const double across = vv_norm(p->side);
    for (int k = 0; k < 3; k++)
        p->side[k] /= across;
    vv_cross(p->axis, p->side, p->other);
}

static vv_joint_plan make_plan(const vvWorld *w, const vv_joint_kind *kind, const vvJointDef *def, const int body[2])
{
    const double unit = kind->turns ? VV_RADIANS : 1;
    vv_joint_plan p = {
        .world = w, .x = def->now ? w->state.q : w->rest, .body = { body[0], body[1] }, .limited = is_limited(def)
    };
    memcpy(p.at, def->at, sizeof p.at);
    memcpy(p.to, def->to, sizeof p.to);
    p.low = fmax(def->limits[0], kind->narrow) * unit;
    p.high = fmin(def->limits[1], kind->wide) * unit;
    choose(&p, def);
    set_directions(&p, kind, def);
    return p;
}

static bool beside(const double axis[3], const double v[3])
{
    double across[3];
    vv_cross(axis, v, across);
    return vv_norm(across) > 1e-6 * vv_norm(axis) * vv_norm(v);
}

/* Links that turn about an axis need points on both ends of it: single points have none. */
static vvStatus check_links(const vv_joint_plan *p, const vv_joint *j, vvError *error)
{
    for (int i = 0; i < j->link_count; i++) {
        double d[VV_LINK_MOST], c;
        const vv_link *l = j->link + i;
        vv_link_at(l, p->x, 3, d);
        bool good = l->form == VV_LINK_POINT || l->form == VV_LINK_LENGTH;
        if (!good)
            good = l->form == VV_LINK_LINE ? vv_norm(d) > 1e-6 * p->reach : vv_link_measure(l, d, &c, NULL, NULL);
        if (good && l->form == VV_LINK_ANGLE) /* rounding alone is no direction */
            good = beside(d, d + 3) && beside(d, d + 6);
        if (!good)
            return vv_fail(
                error, VV_ERROR_INPUT,
                "joint: a \"%s\" turns or slides about an axis, and body \"%s\" has no points apart along it, "
                "or none beside it; join other bodies, or use \"ball\"",
                j->kind->info.name, p->world->bodies[p->body[p->body[0] < 0]].name);
    }
    return VV_OK;
}

/* ---- adding ---- */

static vvStatus make(const vvWorld *w, const vvJointDef *def, const int body[2], vv_joint *j, vvError *error)
{
    const vv_joint_kind *kind = vv_joint_kind_find(def->kind);
    const vv_joint_plan plan = make_plan(w, kind, def, body);
    const double unit = kind->turns ? VV_RADIANS : 1;
    *j = (vv_joint){
        .kind = kind,
        .body = { body[0], body[1] },
        .break_force = def->breakForce,
        .break_torque = def->breakTorque,
        .collide = def->collide,
        .user = def->userData,
        .measured = -1,
        .state = { def->motorSpeed * unit, def->motorForce, NAN, { def->motorSpeed * unit, def->motorForce }, 0 }
    };
    if (!(plan.reach > 0))
        return vv_fail(error, VV_ERROR_INPUT,
                       "joint: body \"%s\" has no size, from which `reach` could be chosen; give it",
                       w->bodies[body[body[0] < 0]].name);
    vvStatus status = kind->ends ? VV_OK : vv_joint_place(&plan, plan.at, j->at, error);
    if (status == VV_OK)
        status = kind->make(&plan, j, error);
    return status == VV_OK ? check_links(&plan, j, error) : status;
}

/* At its bodies. */
static void note_joint(vvWorld *w, int joint)
{
    for (int side = 0; side < 2; side++) {
        if (w->joints[joint].body[side] < 0)
            continue;
        vv_body *b = w->bodies + w->joints[joint].body[side];
        b->joints_from = b->joints_to && b->joints_from < joint ? b->joints_from : joint;
        b->joints_to = b->joints_to > joint ? b->joints_to : joint + 1;
    }
}

static void note_joints(vvWorld *w)
{
    for (size_t b = 0; b < w->body_count; b++)
        w->bodies[b].joints_from = w->bodies[b].joints_to = 0;
    for (int j = 0; j < (int)w->joint_count; j++)
        note_joint(w, j);
}

static vvStatus add(vvWorld *w, const vvJointDef *def, vvJointId *id, vvError *error)
{
    int body[2];
    vv_joint made;
    if (id)
        *id = (vvJointId){ 0, 0 };
    if (!def)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldAddJoint needs a definition, found NULL");
    vvStatus status = vv_check_made(def->internalValue, "vvJointDef", "vvWorldAddJoint: the definition", error);
    if (status == VV_OK)
        status = vv_world_open(w, "add a joint", error);
    if (status == VV_OK)
        status = check_kind(def, error);
    if (status == VV_OK)
        status = check_bodies(w, def, body, error);
    if (status == VV_OK)
        status = check_places(vv_joint_kind_find(def->kind), def, error);
    if (status == VV_OK)
        status = check_numbers(w, vv_joint_kind_find(def->kind), def, error);
    if (status == VV_OK)
        status = make(w, def, body, &made, error);
    if (status != VV_OK)
        return status;
    if (!vv_grow((void **)&w->joints, &w->joint_capacity, w->joint_count + 1, sizeof made) ||
        !vv_ids_reserve(&w->joint_ids))
        return vv_fail_memory(error, "a joint");
    vv_world_changed(w);
    w->joints[w->joint_count++] = made;
    note_joint(w, (int)w->joint_count - 1);
    vv_ids_push(&w->joint_ids);
    if (id)
        vv_ids_get(&w->joint_ids, (int)w->joint_count - 1, &id->index1, &id->generation);
    return VV_OK;
}

vvStatus vvWorldAddJoint(vvWorld *w, const vvJointDef *def, vvJointId *id, vvError *error)
{
    VV_WORLD_CALL(w, error, add(w, def, id, error));
}

/* ---- removing ---- */

static void drop(vvWorld *w, int index)
{
    vv_joint *j = w->joints + index;
    memmove(j, j + 1, (w->joint_count - (size_t)index - 1) * sizeof *j);
    w->joint_count--;
    vv_ids_remove(&w->joint_ids, index);
    note_joints(w);
}

static vvStatus take_away(vvWorld *w, vvJointId id, vvError *error)
{
    const int j = vv_joint_index(w, id);
    if (j < 0)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldRemoveJoint: no such joint; was it removed before?");
    vvStatus status = vv_world_open(w, "remove a joint", error);
    if (status != VV_OK)
        return status;
    vv_world_changed(w);
    drop(w, j);
    return VV_OK;
}

vvStatus vvWorldRemoveJoint(vvWorld *w, vvJointId id, vvError *error)
{
    VV_WORLD_CALL(w, error, take_away(w, id, error));
}

static void move_nodes(vv_joint *j, int first, int count)
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < j->at[side].count; i++)
            j->at[side].node[i] -= j->at[side].node[i] > first ? count : 0;
    for (int l = 0; l < j->link_count; l++)
        for (int i = 0; i < j->link[l].nodes; i++)
            j->link[l].node[i] -= j->link[l].node[i] > first ? count : 0;
}

void vv_joints_drop_body(vvWorld *w, int body)
{
    for (int j = (int)w->joint_count - 1; j >= 0; j--)
        if (w->joints[j].body[0] == body || w->joints[j].body[1] == body)
            drop(w, j);
    for (size_t j = 0; j < w->joint_count; j++) {
        for (int side = 0; side < 2; side++)
            w->joints[j].body[side] -= w->joints[j].body[side] > body;
        move_nodes(w->joints + j, w->bodies[body].first, w->bodies[body].count);
    }
}
