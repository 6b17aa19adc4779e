/* What a host asks of pushes and loads. */
#include "world/load.h"

#include <string.h>

double vvAttachWork(const vvWorld *w, vvAttachId id)
{
    const int a = vv_world_readable(w) ? vv_attach_index(w, id) : -1;
    return a >= 0 && vv_attach_loads(w->attaches + a) ? w->attaches[a].load.work : 0;
}

int vvAttachForces(const vvWorld *w, vvAttachId id, double *forces, int capacity)
{
    const int i = vv_world_readable(w) ? vv_attach_index(w, id) : -1;
    if (i < 0)
        return 0;
    const vv_attach *a = w->attaches + i;
    if (!forces || capacity < a->count)
        return a->count;
    memset(forces, 0, 3 * (size_t)a->count * sizeof *forces);
    if (vv_load_acts(w, a))
        vv_load_forces(w, a, &(vv_push_time){ vv_world_time(w), 0, false, w->state.q, NULL }, forces);
    return a->count;
}
