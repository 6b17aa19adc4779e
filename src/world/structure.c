/* Changes of a world's structure: removing bodies and obstacles. */
#include "base/error.h"
#include "world/world.h"

#include <string.h>

uint32_t vvWorldRevision(const vvWorld *w) { return vv_world_readable(w) ? w->revision : 0; }

/* ---- bodies ---- */

static void drop_attachments(vvWorld *w, int body)
{
    for (int a = (int)w->attach_count - 1; a >= 0; a--)
        if (w->attaches[a].body == body)
            vv_attach_remove(w, a);
    size_t kept = 0;
    for (size_t m = 0; m < w->mode_count; m++)
        if (w->modes[m].body != body)
            w->modes[kept++] = w->modes[m];
    w->mode_count = kept;
}

/* Bodies after `body`, whose `count` nodes are about to be removed, move down. */
static void move_down(vvWorld *w, int body, int count)
{
    for (size_t b = (size_t)body + 1; b < w->body_count; b++)
        vv_body_shift(w->bodies + b, -count);
    for (size_t a = 0; a < w->attach_count; a++)
        if (w->attaches[a].body > body) {
            w->attaches[a].body--;
            for (int i = 0; i < w->attaches[a].count; i++)
                w->attaches[a].nodes[i] -= count;
        }
    for (size_t m = 0; m < w->mode_count; m++)
        w->modes[m].body -= w->modes[m].body > body;
}

static vvStatus remove_body(vvWorld *w, vvBodyId id, vvError *error)
{
    int body = vv_body_index(w, id);
    if (body < 0)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldRemoveBody: no such body; was it removed before?");
    vvStatus status = vv_world_open(w, "remove a body", error);
    if (status != VV_OK)
        return status;
    vv_world_changed(w);
    vv_body *b = w->bodies + body;
    size_t later = w->body_count - (size_t)body - 1;
    drop_attachments(w, body);
    vv_friction_drop(w, body);
    move_down(w, body, b->count);
    w->state.ledger.gravity_start -= b->gravity_start;
    vv_nodes_remove(w, b->first, b->count);
    vv_body_free(b);
    memmove(b, b + 1, later * sizeof *b);
    vv_state_remove_body(&w->state, w->body_count, (size_t)body);
    w->body_count--;
    vv_ids_remove(&w->body_ids, body);
    w->revision++;
    return VV_OK;
}

vvStatus vvWorldRemoveBody(vvWorld *w, vvBodyId id, vvError *error) { VV_WORLD_CALL(w, error, remove_body(w, id, error)); }

/* ---- obstacles ---- */

static int find_obstacle(const vvWorld *w, vvObstacleId id) { return vv_ids_find(&w->obstacle_ids, id.index1, id.generation); }

bool vvObstacleIsValid(const vvWorld *w, vvObstacleId id) { return vv_world_readable(w) && find_obstacle(w, id) >= 0; }

const char *vvObstacleName(const vvWorld *w, vvObstacleId id)
{
    int o = vv_world_readable(w) ? find_obstacle(w, id) : -1;
    return o < 0 ? "" : w->obstacles[o].name;
}

static vvStatus remove_obstacle(vvWorld *w, vvObstacleId id, vvError *error)
{
    int o = find_obstacle(w, id);
    if (o < 0)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldRemoveObstacle: no such obstacle; was it removed before?");
    vvStatus status = vv_world_open(w, "remove an obstacle", error);
    if (status != VV_OK)
        return status;
    vv_world_changed(w);
    memmove(w->obstacles + o, w->obstacles + o + 1, (w->obstacle_count - (size_t)o - 1) * sizeof *w->obstacles);
    w->obstacle_count--;
    vv_ids_remove(&w->obstacle_ids, o);
    w->revision++;
    return VV_OK;
}

vvStatus vvWorldRemoveObstacle(vvWorld *w, vvObstacleId id, vvError *error)
{
    VV_WORLD_CALL(w, error, remove_obstacle(w, id, error));
}
