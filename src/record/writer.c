/* The writer of a run as an object: creation, the bodies it remembers, its failures, freeing. */
#include "record/writer.h"

#include <string.h>

#include "base/memory.h"
#include "record/place.h"

vvStatus vv_writer_fail(const vvRunWriter *writer, vvError *error, const char *what)
{
    if (vv_hdf_refusal()[0])
        return vv_hdf_refused(error);
    if (vv_hdf_starved())
        return vv_fail(error, VV_ERROR_MEMORY, "%s: out of memory for %s; the file holds %lld complete frames",
                       writer->path, what, (long long)writer->frames);
    if (writer->frames == 0)
        return vv_fail(error, VV_ERROR_IO, "%s: cannot write %s (%s); nothing was recorded", writer->path, what,
                       vv_hdf_reason());
    return vv_fail(error, VV_ERROR_IO, "%s: cannot write %s (%s); the file holds %lld complete frames", writer->path,
                   what, vv_hdf_reason(), (long long)writer->frames);
}

vvRunWriter *vv_writer_new(const char *path, vvError *error)
{
    vvRunWriter *w = vv_alloc(1, sizeof *w);
    if (!w) {
        vv_fail_memory(error, "a run file");
        return NULL;
    }
    w->file = -1;
    w->claim = -1;
    for (int i = 0; i < VV_SET_COUNT; i++)
        w->sets[i] = -1;
    w->path = vv_place_real(path);
    w->part = w->path ? vv_place_part(w->path) : NULL;
    w->side = w->path ? vv_place_side(w->path, ".xdmf") : NULL;
    if (!w->part || !w->side) {
        vv_fail_memory(error, "a run file");
        vv_writer_free(w);
        return NULL;
    }
    if (strcmp(w->side, w->path) == 0) {
        vv_fail(error, VV_ERROR_INPUT, "%s: a run file cannot end in .xdmf, which is its side file; use .vtkhdf", path);
        vv_writer_free(w);
        return NULL;
    }
    return w;
}

void vv_writer_free(vvRunWriter *w)
{
    vv_layout_close(w->sets);
    if (w->file >= 0)
        vv_hdf_close(w->file, w->frames > 0);
    vv_place_release(w->claim);
    vv_free(w->path);
    vv_free(w->part);
    vv_free(w->side);
    vv_free(w->pending.ledger);
    vv_free(w->pending.solver);
    vv_free(w->pending.phases);
    vv_free(w->pending.energies);
    vv_free(w->pending.visible);
    vv_free(w->state);
    vv_free(w->bodies);
    vv_free(w->times);
    for (int k = 0; k < VV_LINES_COUNT; k++)
        vv_lines_free(&w->lines[k]);
    vv_free(w);
}

bool vv_writer_remember_time(vvRunWriter *w, double time)
{
    if (!vv_grow((void **)&w->times, &w->times_room, (size_t)w->frames + 1, sizeof *w->times))
        return false;
    w->times[w->frames] = time;
    return true;
}

vvStatus vv_writer_know_bodies(vvRunWriter *w, const vvWorld *world, vvError *error)
{
    w->bodies = vv_alloc((size_t)w->sizes.bodies, sizeof *w->bodies);
    if (!w->bodies)
        return vv_fail_memory(error, "a run file");
    for (int b = 0; b < w->sizes.bodies; b++)
        w->bodies[b] = vvWorldBody(world, b);
    return VV_OK;
}
