/* Adding and removing obstacles at rest: the baked bodies stay, with the solvers' factors and contact's data of
 * surfaces. Only the energies against obstacles are rebuilt (world/bake.c), and the vertices' positions against them
 * checked (world/come_in.c). */
#include "world/world.h"

/* Places of energies that know obstacles. */
static const int OF_OBSTACLES[] = { VV_PLACE_OBSTACLES, VV_PLACE_REPULSION };
enum { PLACES = sizeof OF_OBSTACLES / sizeof *OF_OBSTACLES };

/* Energies go before what they are made of does. */
static vvStatus take_energies(vvWorld *w, vvError *error)
{
    vvStatus status = VV_OK;
    for (int i = 0; status == VV_OK && i < PLACES; i++) {
        status = vv_world_put_dissipation(w, OF_OBSTACLES[i], NULL, error);
        if (status == VV_OK)
            status = vv_world_put_energy(w, OF_OBSTACLES[i], NULL, error);
    }
    return status;
}

/* With the first obstacle, or without the last, the objective consists of other energies. Springs and bounds remember
 * obstacles; they are made again with all of contact. Before the first step stiffness is chosen by what there is. */
static bool alone(const vvWorld *w, size_t left)
{
    const vv_contact_model *model = vv_world_model(w);
    return w->baked && w->state.clock.step > 0 && w->obstacle_count > 0 && left > 0 && w->contact &&
           !(w->stale & VV_STALE_CONTACT) && !model->force && !model->bound;
}

void vv_world_obstacles_changed(vvWorld *w, size_t left)
{
    if (!alone(w, left) || take_energies(w, NULL) != VV_OK) {
        vv_world_changed_apart(w);
        return;
    }
    vv_contact_drop_obstacles(w->contact);
    vv_events_unbake(w);
    vv_world_part_changed_apart(w, VV_STALE_OBSTACLES);
}
