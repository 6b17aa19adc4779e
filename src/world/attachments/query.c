/* What a host asks of attachments: which there are, and what pushes and loads do. */
#include "world/attachments/load.h"

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
        vv_load_forces(w, a, &(vv_push_time){ .time = vv_world_time(w), .q = w->state.q }, forces);
    return a->count;
}

static bool is_listed(const vv_attach *a) { return !a->dragged && !a->whole; }

int vvWorldAttachmentCount(const vvWorld *w)
{
    int count = 0;
    for (size_t a = 0; vv_world_readable(w) && a < w->attach_count; a++)
        count += is_listed(w->attaches + a);
    return count;
}

vvAttachSummary vvWorldAttachment(const vvWorld *w, int index)
{
    vvAttachSummary s = { .nodeCount = 0 };
    for (size_t i = 0; vv_world_readable(w) && i < w->attach_count; i++) {
        const vv_attach *a = w->attaches + i;
        if (!is_listed(a) || index-- != 0)
            continue;
        s.kind = a->kind, s.nodeCount = a->count, s.released = a->released;
        s.body = vvWorldBody(w, a->body);
        vv_ids_get(&w->attach_ids, (int)i, &s.attach.index1, &s.attach.generation);
        return s;
    }
    return s;
}
