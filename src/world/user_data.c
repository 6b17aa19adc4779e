/* The host's pointers: of bodies, obstacles, attachments and joints. */
#include "visviva/settings.h"
#include "base/error.h"
#include "world/joints/joints.h"

/* Snapshots taken from here on hold another pointer. */
static vvStatus put(vvWorld *w, void **place, void *user)
{
    if (*place == user)
        return VV_OK;
    *place = user;
    vv_world_unshare(w);
    return VV_OK;
}

static vvStatus set_of_body(vvWorld *w, vvBodyId id, void *user, vvError *error)
{
    int b = vv_body_index(w, id);
    if (b < 0)
        return vv_fail(error, VV_ERROR_INPUT, "vvBodySetUserData: no such body; was it removed before?");
    return put(w, &w->bodies[b].user, user);
}

vvStatus vvBodySetUserData(vvWorld *w, vvBodyId id, void *userData, vvError *error)
{
    VV_WORLD_CALL(w, error, set_of_body(w, id, userData, error));
}

void *vvBodyUserData(const vvWorld *w, vvBodyId id)
{
    int b = vv_body_read(w, id);
    return b < 0 ? NULL : w->bodies[b].user;
}

static vvStatus set_of_obstacle(vvWorld *w, vvObstacleId id, void *user, vvError *error)
{
    int o = vv_obstacle_index(w, id);
    if (o < 0)
        return vv_fail(error, VV_ERROR_INPUT, "vvObstacleSetUserData: no such obstacle; was it removed before?");
    return put(w, &w->obstacles[o].user, user);
}

vvStatus vvObstacleSetUserData(vvWorld *w, vvObstacleId id, void *userData, vvError *error)
{
    VV_WORLD_CALL(w, error, set_of_obstacle(w, id, userData, error));
}

void *vvObstacleUserData(const vvWorld *w, vvObstacleId id)
{
    int o = vv_world_readable(w) ? vv_obstacle_index(w, id) : -1;
    return o < 0 ? NULL : w->obstacles[o].user;
}

static vvStatus set_of_attach(vvWorld *w, vvAttachId id, void *user, vvError *error)
{
    int a = vv_attach_index(w, id);
    if (a < 0)
        return vv_fail(error, VV_ERROR_INPUT, "vvAttachSetUserData: no such attachment; has it ended?");
    return put(w, &w->attaches[a].user, user);
}

vvStatus vvAttachSetUserData(vvWorld *w, vvAttachId id, void *userData, vvError *error)
{
    VV_WORLD_CALL(w, error, set_of_attach(w, id, userData, error));
}

void *vvAttachUserData(const vvWorld *w, vvAttachId id)
{
    int a = vv_world_readable(w) ? vv_attach_index(w, id) : -1;
    return a < 0 ? NULL : w->attaches[a].user;
}

static vvStatus set_of_joint(vvWorld *w, vvJointId id, void *user, vvError *error)
{
    const int j = vv_joint_index(w, id);
    if (j < 0)
        return vv_fail(error, VV_ERROR_INPUT, "vvJointSetUserData: no such joint; was it removed before?");
    return put(w, &w->joints[j].user, user);
}

vvStatus vvJointSetUserData(vvWorld *w, vvJointId id, void *userData, vvError *error)
{
    VV_WORLD_CALL(w, error, set_of_joint(w, id, userData, error));
}

void *vvJointUserData(const vvWorld *w, vvJointId id)
{
    const int j = vv_world_readable(w) ? vv_joint_index(w, id) : -1;
    return j < 0 ? NULL : w->joints[j].user;
}
