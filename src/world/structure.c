/* Changes of a world's structure: removing bodies. */
#include "base/error.h"
#include "world/joints/joints.h"
#include "world/settings/settings.h"
#include "world/sleep/sleep.h"

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
    for (size_t o = 0; o < w->obstacle_count; o++)
        w->obstacles[o].body1 -= w->obstacles[o].body1 > body + 1;
}

void vv_world_drop_body(vvWorld *w, int body)
{
    vv_sleep_wake_near(w, body);
    vv_world_changed_apart(w);
    vv_body *b = w->bodies + body;
    size_t later = w->body_count - (size_t)body - 1;
    drop_attachments(w, body);
    vv_joints_drop_body(w, body);
    vv_friction_drop(w, body);
    vv_settings_drop(w, true, body);
    move_down(w, body, b->count);
    w->state.ledger.gravity_start -= b->gravity_start;
    vv_nodes_remove(w, b->first, b->count);
    vv_body_free(b);
    memmove(b, b + 1, later * sizeof *b);
    vv_state_remove_body(&w->state, w->body_count, (size_t)body);
    w->body_count--;
    vv_names_free(&w->names);
    vv_ids_remove(&w->body_ids, body);
    w->revision++;
}

static vvStatus remove_body(vvWorld *w, vvBodyId id, vvError *error)
{
    int body = vv_body_index(w, id);
    if (body < 0)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldRemoveBody: no such body; was it removed before?");
    vvStatus status = vv_world_open(w, "remove a body", error);
    if (status == VV_OK && w->bodies[body].frame)
        status = vv_fail(error, VV_ERROR_INPUT,
                         "vvWorldRemoveBody: body \"%s\" carries an obstacle that moves; vvWorldRemoveObstacle "
                         "removes both",
                         w->bodies[body].name);
    if (status == VV_OK)
        vv_world_drop_body(w, body);
    return status;
}

vvStatus vvWorldRemoveBody(vvWorld *w, vvBodyId id, vvError *error)
{
    VV_WORLD_CALL(w, error, remove_body(w, id, error));
}
