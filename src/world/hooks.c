/* What the step pipeline asks the world: where prescribed nodes and soft attachments stand, gaps and det F. */
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

static void measure(void *user, const double *q, double *gap, double *min_j)
{
    vvWorld *w = user;
    *gap = w->contact.obstacle_count ? vv_contact_min_gap(&w->contact, q, NULL, NULL, w->events.near) : INFINITY;
    if (w->collisions) {
        double between = vv_collisions_gap(w->collisions, &w->par, q, NULL);
        *gap = between < *gap ? between : *gap;
        vv_events_measured(w);
    }
    *min_j = INFINITY;
    const vv_system *system = &w->system;
    for (int i = 0; i < system->energies; i++) {
        const vv_energy *e = system->energy[i];
        double j = e->ops->least_j ? e->ops->least_j(e, &w->par, q) : INFINITY;
        *min_j = j < *min_j ? j : *min_j;
    }
}

static bool crosses(void *user, const double *from, const double *to)
{
    vvWorld *w = user;
    size_t mark = vv_arena_mark(&w->system.arena), n = 3 * (size_t)w->nodes;
    double *p = vv_arena_push(&w->system.arena, n, sizeof *p);
    for (size_t i = 0; i < n; i++)
        p[i] = to[i] - from[i];
    bool crossed = (w->collisions && vv_collisions_cross(w->collisions, &w->par, from, p)) ||
                   (w->contact.obstacle_count > 0 && vv_contact_crosses(&w->contact, from, p));
    vv_arena_release(&w->system.arena, mark);
    return crossed;
}

static vvStatus accept(void *user, const double *q, vvError *error)
{
    vvWorld *w = user;
    if (!w->collisions || !w->def.contact.checkIntersections)
        return VV_OK;
    return vv_world_check_crossings(w, q, error);
}

vvStatus vv_world_contact_status(vvWorld *w, vvError *error)
{
    if (!w->collisions || !w->collisions->failed)
        return VV_OK;
    w->collisions->failed = false;
    return vv_fail_memory(error, "contact between bodies");
}

static vvStatus contact_status(void *user, vvError *error) { return vv_world_contact_status(user, error); }
static void moved(void *user) { ((vvWorld *)user)->moved++; }

vv_scene_hooks vv_world_hooks(vvWorld *world)
{
    return (vv_scene_hooks){ world, prescribed, attachments, measure, crosses, accept, contact_status, moved,
                             vv_world_explain };
}
