/* The places of a world's energies (vv_place) in its system: energies are exchanged without touching the others. */
#include "world/world.h"

/* Where the next one at this place goes: after all that are there of the places before it. */
static int count_before(vv_energy *const *at, int place)
{
    int count = 0;
    for (int i = 0; i < place; i++)
        count += at[i] != NULL;
    return count;
}

static vvStatus put(vv_energy **at, int place, vv_energy *e, vvStatus status)
{
    if (status == VV_OK)
        at[place] = e;
    else if (e)
        e->ops->destroy(e);
    return status;
}

vvStatus vv_world_put_energy(vvWorld *w, int place, vv_energy *e, vvError *error)
{
    vv_energy **at = w->energy_at;
    return put(at, place, e, vv_system_exchange(&w->system, count_before(at, place), at[place] != NULL, e, error));
}

vvStatus vv_world_put_dissipation(vvWorld *w, int place, vv_energy *e, vvError *error)
{
    vv_energy **at = w->dissipation_at;
    return put(at, place, e,
               vv_system_exchange_dissipation(&w->system, count_before(at, place), at[place] != NULL, e, error));
}
