/* The energy of attachments with an analytic potential (theory §4.8): of all, for what a world is made of
 * (world/bake.c), or of the wells alone, for vibration modes (analysis/modes.c). */
#include "base/error.h"
#include "base/memory.h"
#include "world/world.h"

vvStatus vv_world_potentials(const vvWorld *w, bool walls, vv_energy **out, vvError *error)
{
    vv_potential_part *parts = vv_alloc(w->attach_count, sizeof *parts);
    int count = 0;
    *out = NULL;
    if (!parts)
        return vv_fail_memory(error, "potentials");
    for (size_t a = 0; a < w->attach_count; a++)
        if (vv_attach_is(w->attaches + a, VV_ATTACH_POTENTIAL) &&
            (walls || !vv_potential_is_wall(&w->attaches[a].potential)))
            parts[count++] =
                (vv_potential_part){ &w->attaches[a].potential, w->attaches[a].count, w->attaches[a].nodes };
    vvStatus status = count ? vv_potentials_create(count, parts, w->body_of, out, error) : VV_OK;
    vv_free(parts);
    return status;
}
