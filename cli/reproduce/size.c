/* How large a run is, as the pages print it: from the run's own world, never from an item's texts. */
#include "reproduce/reproduce.h"

#include <string.h>

vv_repro_size vv_repro_size_of(const vvWorld *world)
{
    vv_repro_size size = { .bodies = vvWorldBodyCount(world), .nodes = vvWorldNodeCount(world) };
    for (int b = 0; b < size.bodies; b++) {
        vvBodyElements elements;
        vvBodySurface carried;
        vvBodyGetElements(world, vvWorldBody(world, b), &elements);
        vvBodyGetSurface(world, vvWorldBody(world, b), &carried);
        size.tets += elements.tetCount;
        size.triangles += carried.triangleCount > 0 ? carried.triangleCount : elements.triangleCount;
    }
    return size;
}

static size_t put(char *out, size_t used, int count, const char *one, const char *many)
{
    if (count == 0 || used >= VV_REPRO_WHY)
        return used;
    return used + (size_t)snprintf(out + used, VV_REPRO_WHY - used, "%s%d %s", used ? ", " : "", count,
                                   count == 1 ? one : many);
}

const char *vv_repro_size_text(const vv_repro_run *run, char out[VV_REPRO_WHY])
{
    const vv_repro_size *size = &run->size;
    char step[48];
    out[0] = 0;
    size_t used = put(out, 0, size->bodies, "body", "bodies");
    used = put(out, used, size->nodes, "node", "nodes");
    used = put(out, used, size->tets, "tet", "tets");
    used = put(out, used, size->triangles, "triangle", "triangles");
    if (!run->kind->work && used < VV_REPRO_WHY)
        used = put(out, used, size->steps, "step", "steps");
    if (used && used < VV_REPRO_WHY)
        snprintf(out + used, VV_REPRO_WHY - used, "%s of %s s", run->kind->work ? ", steps" : "",
                 vv_study_step_text(run->plan.step, step));
    return out;
}

static bool same(const vv_repro_run *a, const vv_repro_run *b)
{
    char one[VV_REPRO_WHY], other[VV_REPRO_WHY];
    return strcmp(vv_repro_size_text(a, one), vv_repro_size_text(b, other)) == 0;
}

bool vv_repro_size_before(const vv_repro_item *item, int run)
{
    for (int i = 0; i < run; i++)
        if (same(&item->runs[i], &item->runs[run]))
            return true;
    return false;
}

int vv_repro_size_count(const vv_repro_item *item, int run)
{
    int count = 0;
    for (int i = 0; i < item->runCount; i++)
        count += same(&item->runs[i], &item->runs[run]);
    return count;
}
