/* What the step pipeline asks the world: the positions of prescribed nodes and soft attachments. */
#include "base/error.h"
#include "base/vec.h"
#include "energy/points/simple.h"
#include "world/joints/joints.h"
#include "world/attachments/load.h"

void vv_world_prescribed(const vvWorld *w, double time, double *q)
{
    for (size_t a = 0; a < w->attach_count; a++)
        if (vv_attach_is(w->attaches + a, VV_ATTACH_FIXED))
            vv_attach_positions(w, w->attaches + a, time, true, q);
    vv_world_put_on_rails(w, time, q);
}

void vv_world_place_springs(vvWorld *w, double time)
{
    vv_energy *firm = w->energy_at[VV_PLACE_SOFT], *loose = w->energy_at[VV_PLACE_LOOSE];
    double *target[] = { firm ? vv_attachment_targets(firm) : NULL, loose ? vv_attachment_targets(loose) : NULL };
    const int most = vv_attach_most_loose(w);
    for (size_t a = 0; a < w->attach_count && (firm || loose); a++)
        if (vv_attach_is(w->attaches + a, VV_ATTACH_SPRING)) {
            double **to = target + vv_attach_is_loose(w->attaches + a, most);
            vv_attach_positions(w, w->attaches + a, time, false, *to);
            *to += 3 * (size_t)vv_attach_places(w->attaches + a);
        }
}

/* Forces of attachments that push and load are added to those of the host. */
static bool pushes(void *user, const vv_push_time *when, double *force) { return vv_world_push(user, when, force); }
static double pushed(void *user, const vv_push_time *when, const double *q, double share)
{
    return vv_world_pushed(user, when, q, share);
}

static void prescribed(void *user, double time, double *q) { vv_world_prescribed(user, time, q); }
static void attachments(void *user, double time) { vv_world_place_springs(user, time); }

/* Turned by more than this in one leg, nodes cut across the circle. */
static const double LARGE_TURN = 60; /* deg */
enum { MOST_LEGS = 1000 };

static int legs(void *user, double from, double to)
{
    const vvWorld *w = user;
    double most = 0;
    for (size_t a = 0; a < w->attach_count; a++)
        if ((vv_attach_is(w->attaches + a, VV_ATTACH_FIXED) || vv_attach_is(w->attaches + a, VV_ATTACH_ROLLER)) &&
            !w->attaches[a].driven)
            most = fmax(most, vv_motion_turn(&w->attaches[a].motion, from, to));
    return most > LARGE_TURN ? (int)fmin(ceil(most / LARGE_TURN), MOST_LEGS) : 1;
}

static void moved(void *user)
{
    ((vvWorld *)user)->moved++;
    vv_world_keep_motors(user);
}

static bool starts(void *user)
{
    const vvWorld *w = user;
    bool any = false;
    for (size_t b = 0; b < w->body_count; b++)
        any = any || !(w->bodies[b].kinematic || w->bodies[b].stage & VV_BODY_STEPPED);
    return any;
}

vv_scene_hooks vv_world_hooks(vvWorld *world)
{
    return (vv_scene_hooks){ .user = world,
                             .prescribed = prescribed,
                             .legs = legs,
                             .attachments = attachments,
                             .moved = moved,
                             .starts = starts,
                             .explain = vv_world_explain,
                             .bear = vv_world_bear,
                             .bore = vv_world_bore,
                             .pushes = pushes,
                             .pushed = pushed,
                             .bears = VV_JOINT_LOAD * world->joint_count };
}
