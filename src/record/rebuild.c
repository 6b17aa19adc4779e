/* Rewrites a run beside itself, with other room, fewer frames or another final status, and replaces the old file in
 * one step (write.c says why). */
#include "record/writer.h"

#include <string.h>

#include "base/memory.h"
#include "record/place.h"

enum { SLAB_BYTES = 1 << 22 };

static bool copy_set(vv_set set, const vv_run_sizes *sizes, int64_t rows, hid_t from, hid_t to, void *slab)
{
    size_t bytes = vv_set_row_bytes(set, sizes);
    int64_t at_once = (int64_t)(SLAB_BYTES / bytes);
    if (at_once < 1)
        at_once = 1;
    hid_t type = vv_memory_type(vv_set_at(set)->type);
    bool ok = type >= 0;
    for (int64_t first = 0; ok && first < rows; first += at_once) {
        int64_t count = rows - first < at_once ? rows - first : at_once;
        ok = (vv_set_read(set, sizes, from, first, count, slab) || vv_hdf_unreadable(from, vv_set_at(set)->path)) &&
             vv_hdf_write_rows(to, type, (hsize_t)first, (hsize_t)count, slab, (size_t)count * bytes);
    }
    if (type >= 0)
        H5Tclose(type);
    return ok;
}

/* A slab holds SLAB_BYTES, or one row if that is longer (the restart blob). */
static void *new_slab(const vv_run_sizes *sizes)
{
    size_t bytes = SLAB_BYTES;
    for (int i = 0; i < VV_SET_COUNT; i++)
        if (vv_set_row_bytes((vv_set)i, sizes) > bytes)
            bytes = vv_set_row_bytes((vv_set)i, sizes);
    return vv_alloc(bytes, 1);
}

/* States of another size: the last frame's is w->state; earlier ones keep only their beginnings, from which a reader
 * sees that they have another size. */
static bool resize_states(hid_t from, hid_t to, const vvRunWriter *w, int64_t frames, const vv_run_sizes *sizes)
{
    size_t most = (size_t)(sizes->state > w->sizes.state ? sizes->state : w->sizes.state);
    char *row = vv_alloc(most, 1);
    bool ok = row != NULL;
    for (int64_t f = 0; ok && f < frames; f++) {
        memset(row, 0, most);
        ok = (vv_hdf_read_rows(from, H5T_NATIVE_UINT8, (hsize_t)f, 1, row, most) ||
              vv_hdf_unreadable(from, vv_set_at(VV_SET_STATE)->path)) &&
             vv_hdf_write_rows(to, H5T_NATIVE_UINT8, (hsize_t)f, 1, f == frames - 1 ? w->state : row,
                               (size_t)sizes->state);
    }
    vv_free(row);
    return ok;
}

static bool fill(hid_t file, hid_t sets[VV_SET_COUNT], vvRunWriter *w, int64_t frames, int64_t rows,
                 const vv_run_sizes *sizes, const char *status)
{
    void *slab = new_slab(&w->sizes);
    bool ok = slab && vv_layout_copy_fixed(w->file, file, w->scene_name, w->scene_text) &&
              vv_writer_copy_lines(w, file, rows);
    /* times are known here, and a killed writer may not have written the last one */
    ok = ok && vv_hdf_write_rows(sets[VV_SET_VALUES], H5T_NATIVE_DOUBLE, 0, (hsize_t)frames, w->times,
                                 (size_t)frames * sizeof *w->times);
    for (int i = VV_SET_VALUES + 1; ok && i < VV_SET_COUNT; i++)
        ok = i == VV_SET_STATE && sizes->state != w->sizes.state
                 ? resize_states(w->sets[i], sets[i], w, frames, sizes)
                 : copy_set((vv_set)i, &w->sizes, vv_set_rows((vv_set)i, &w->sizes, frames, rows), w->sets[i], sets[i],
                            slab);
    vv_free(slab);
    return ok && (!status || vv_hdf_rewrite_text(file, "/visviva/status", status, VV_RUN_STATUS_ROOM)) &&
           vv_layout_write_counts(file, frames, rows) && vv_layout_write_steps(file, frames) &&
           H5Fflush(file, H5F_SCOPE_LOCAL) >= 0;
}

vvStatus vv_writer_rebuild(vvRunWriter *w, int64_t frames, int64_t rows, vv_capacity room, const char *status,
                           vvError *error)
{
    hid_t sets[VV_SET_COUNT];
    vv_run_sizes sizes = w->sizes;
    if (w->next_state)
        sizes.state = w->next_state;
    int claim = vv_place_claim(w->part, true, error);
    if (claim < 0)
        return VV_ERROR_IO;
    for (int i = 0; i < VV_SET_COUNT; i++)
        sets[i] = -1;
    hid_t file = vv_hdf_create(w->part);
    vvStatus result = VV_OK;
    if (file < 0 || !vv_layout_create(file, &sizes, &room, sets) || !fill(file, sets, w, frames, rows, &sizes, status))
        result = vv_hdf_starved() || vv_hdf_refusal()[0]
                     ? vv_writer_fail(w, error, "a longer copy of the run")
                     : vv_fail(error, VV_ERROR_IO,
                               "%s: cannot write a longer copy of the run (%s); the run is as it was, %lld "
                               "complete frames",
                               w->path, vv_hdf_reason(), (long long)w->frames);
    if (result == VV_OK)
        result = vv_place_put(w->part, w->path, true, error);
    if (result != VV_OK) {
        vv_layout_close(sets);
        if (file >= 0)
            vv_hdf_close(file, false);
        vv_place_remove(w->part);
        vv_place_release(claim);
        return result;
    }
    vv_layout_close(w->sets);
    vv_hdf_close(w->file, true); /* a reader in this program may still use it */
    vv_place_release(w->claim);
    w->file = file;
    w->claim = claim;
    for (int i = 0; i < VV_SET_COUNT; i++)
        w->sets[i] = sets[i];
    w->sizes = sizes;
    w->next_state = 0;
    w->frames = frames;
    w->rows = rows;
    w->room = room;
    vv_writer_lines_are_put(w, rows);
    w->side_frames = 0; /* the room that it names is out of date */
    return VV_OK;
}

vvStatus vv_writer_reserve(vvRunWriter *w, int64_t frames, int64_t rows, vvError *error)
{
    /* at the end of a chunk of Steps/Values the next one is allocated in the copy; its length is then one more than
     * NSteps until this frame is counted */
    bool edge =
        frames > w->frames && w->frames > 0 && w->frames % VV_RUN_VALUES_CHUNK == 0 && w->room.values <= w->frames;
    if (frames <= w->room.frames && rows <= w->room.rows && !edge)
        return VV_OK;
    vv_capacity room = { w->room.frames, w->room.rows, edge ? w->frames + 1 : w->frames };
    while (room.frames < frames)
        room.frames *= 2;
    /* rows in the proportion seen so far, so that both run out together */
    double each = (double)rows / (double)(frames > 0 ? frames : 1);
    int64_t wanted = (int64_t)(1.1 * each * (double)room.frames) + 16;
    if (room.rows < rows)
        room.rows = wanted > 2 * room.rows ? wanted : 2 * room.rows;
    else if (room.frames > w->room.frames && wanted > room.rows)
        room.rows = wanted;
    while (room.rows < rows)
        room.rows *= 2;
    return vv_writer_rebuild(w, w->frames, w->rows, room, NULL, error);
}
