/* What the step pipeline asks the world: the positions of prescribed nodes and soft attachments. */
#include "base/error.h"
#include "base/vec.h"
#include "energy/simple.h"
#include "world/world.h"

void vv_world_prescribed(const vvWorld *w, double time, double *q)
{
    for (size_t a = 0; a < w->attach_count; a++)
        if (w->attaches[a].kind == VV_ATTACH_FIXED)
            vv_attach_positions(w, w->attaches + a, time, true, q);
}

void vv_world_place_springs(vvWorld *w, double time)
{
    if (!w->soft)
        return;
    double *target = vv_attachment_targets(w->soft);
    for (size_t a = 0; a < w->attach_count; a++)
        if (w->attaches[a].kind == VV_ATTACH_SPRING) {
            vv_attach_positions(w, w->attaches + a, time, false, target);
            target += 3 * (size_t)w->attaches[a].count;
        }
}

static void prescribed(void *user, double time, double *q) { vv_world_prescribed(user, time, q); }
static void attachments(void *user, double time) { vv_world_place_springs(user, time); }

static void moved(void *user) { ((vvWorld *)user)->moved++; }

vv_scene_hooks vv_world_hooks(vvWorld *world)
{
    return (vv_scene_hooks){ world, prescribed, attachments, moved, vv_world_explain };
}
