/* Resuming a run: the world gets the state of a frame, and the file drops what came after it (in one step, by a
 * shorter copy, if there is anything to drop). */
#include <string.h>

#include "base/memory.h"
#include "base/text/text.h"
#include "record/place.h"
#include "record/reader.h"
#include "record/writer.h"
#include "visviva/settings.h"

static vvStatus compare(const vvRun *run, const vvWorld *world, vvError *error)
{
    if (vvWorldNodeCount(world) != run->sizes.nodes || vvWorldBodyCount(world) != run->sizes.bodies)
        return vv_fail(error, VV_ERROR_INPUT,
                       "%s has %lld bodies and %lld nodes, the scene has %d and %d: resume with the scene from which "
                       "the run was made",
                       run->path, (long long)run->sizes.bodies, (long long)run->sizes.nodes, vvWorldBodyCount(world),
                       vvWorldNodeCount(world));
    for (int b = 0; b < run->sizes.bodies; b++) {
        char name[VV_RUN_NAME_ROOM];
        snprintf(name, sizeof name, "%s", vvBodyName(world, vvWorldBody(world, b)));
        vv_make_plain(name, sizeof name, false); /* as the run's are */
        if (strncmp(name, run->bodies[b].name, VV_RUN_NAME_ROOM - 1) != 0)
            return vv_fail(error, VV_ERROR_INPUT, "%s: body %d is \"%s\" in the run and \"%s\" in the scene", run->path,
                           b, run->bodies[b].name, name);
    }
    vvStatus status = vv_reader_same_surfaces(run, world, error);
    if (status != VV_OK)
        return status;
    if (run->sizes.phases != VV_PHASE_COUNT)
        return vv_fail(error, VV_ERROR_INPUT,
                       "%s: it was made by another version of visviva, with other phases of a step", run->path);
    return VV_OK;
}

/* Reads everything needed from the file before it is opened for writing. */
static vvStatus learn(vvRunWriter *w, const char *path, vvWorld *world, int *frame, int64_t *rows, vvError *error)
{
    vvRun *run;
    vvStatus status = vv_reader_open(path, &run, error);
    if (status != VV_OK)
        return status;
    if (*frame == -1)
        *frame = (int)run->frames - 1;
    if (*frame < 0 || *frame >= run->frames)
        status = vv_fail(error, VV_ERROR_INPUT, "%s has no frame %d: it has frames 0 to %lld", path, *frame,
                         (long long)run->frames - 1);
    if (status == VV_OK)
        status = compare(run, world, error);
    w->sizes = run->sizes;
    w->room = (vv_capacity){ run->frame_room, run->row_room, run->frames };
    w->cell_count = run->cell_count;
    w->mixed_count = run->mixed_count;
    w->state = status == VV_OK ? vv_alloc((size_t)w->sizes.state, 1) : NULL;
    if (status == VV_OK && !w->state)
        status = vv_fail_memory(error, "a restart state");
    if (status == VV_OK)
        status = vv_reader_state(run, *frame, w->state, error);
    if (status == VV_OK && strncmp(w->state, VV_RUN_NO_STATE, strlen(VV_RUN_NO_STATE)) == 0)
        status = vv_fail(error, VV_ERROR_INPUT,
                         "%s: frame %d has no restart state: attachments were made or ended while the run "
                         "was recorded; resume at an earlier frame",
                         w->path, *frame);
    if (status == VV_OK)
        status = vv_writer_know_bodies(w, world, error);
    for (w->frames = 0; status == VV_OK && w->frames <= *frame; w->frames++)
        if (!vv_writer_remember_time(w, run->frame_rows[w->frames].time))
            status = vv_fail_memory(error, "the times of a run");
    if (status == VV_OK && !vv_set_read(VV_SET_LEDGER, &run->sizes, run->sets[VV_SET_LEDGER], 0, 1, &w->start))
        status = vv_reader_unreadable(run, "the ledger", error);
    if (status == VV_OK)
        *rows = run->frame_rows[*frame].rows;
    w->frames = run->frames;
    w->rows = run->rows;
    vv_reader_free(run);
    return status;
}

static vvStatus load_frame(const vvRun *run, int frame, vvWorld *world, void *state, vvError *error)
{
    vvStatus status = compare(run, world, error);
    vv_hdf_scope scope;
    vv_hdf_enter(&scope);
    if (status == VV_OK)
        status = vv_reader_state(run, frame, state, error);
    vv_hdf_leave(&scope);
    if (status == VV_OK && strncmp(state, VV_RUN_NO_STATE, strlen(VV_RUN_NO_STATE)) == 0)
        return vv_fail(error, VV_ERROR_INPUT,
                       "%s: frame %d has no restart state: attachments were made or ended while the run was recorded",
                       run->path, frame);
    if (status == VV_OK && vvWorldLoadState(world, state, (size_t)run->sizes.state, error) != VV_OK) {
        status = error ? error->status : VV_ERROR_INPUT;
        vv_fail_prefix(error, "%s, frame %d: ", run->path, frame);
    }
    return status;
}

vvStatus vvRunLoadFrame(const vvRun *run, int frame, vvWorld *world, vvError *error)
{
    vvError own;
    error = error ? error : &own;
    vv_error_clear(error);
    if (!run || !world)
        return vv_fail(error, VV_ERROR_INPUT, "vvRunLoadFrame needs a run and a world, found NULL");
    if (frame < 0 || frame >= run->frames)
        return vv_fail(error, VV_ERROR_INPUT, "%s has no frame %d: it has frames 0 to %lld", run->path, frame,
                       (long long)run->frames - 1);
    if (vvWorldBake(world, error) != VV_OK)
        return error->status;
    void *state = vv_alloc((size_t)run->sizes.state, 1);
    vvStatus status = state ? load_frame(run, frame, world, state, error) : vv_fail_memory(error, "a restart state");
    vv_free(state);
    return status;
}

/* A kill between the two counters may have left VTK's counter one frame behind, or its time unwritten. */
static bool mend_steps(vvRunWriter *w, int64_t frames)
{
    const hsize_t length = (hsize_t)frames;
    return H5Dset_extent(w->sets[VV_SET_VALUES], &length) >= 0 &&
           vv_hdf_write_rows(w->sets[VV_SET_VALUES], H5T_NATIVE_DOUBLE, length - 1, 1, &w->times[frames - 1],
                             sizeof *w->times) &&
           vv_layout_write_steps(w->file, frames);
}

/* Whether the file is of an older version, without some datasets. */
static bool lacks_sets(const vvRunWriter *w)
{
    for (int i = 0; i < VV_SET_COUNT; i++)
        if (w->sets[i] < 0)
            return true;
    return false;
}

/* `anew`: writes a new file in any case. */
static vvStatus shorten(vvRunWriter *w, int64_t frames, int64_t rows, bool anew, const vvWorld *world, vvError *error)
{
    vvStatus status = VV_OK;
    bool spare = w->room.frames > frames && w->room.rows > rows && frames % VV_RUN_VALUES_CHUNK != 0;
    if (anew || lacks_sets(w) || frames != w->frames || rows != w->rows || !spare) {
        int64_t each = rows / frames + 1;
        vv_capacity room = { 2 * frames, 2 * rows, frames };
        if (room.frames < 8)
            room.frames = 8;
        if (room.rows < each * room.frames)
            room.rows = each * room.frames;
        status = vv_writer_rebuild(w, frames, rows, room, "running", error);
    } else if (!mend_steps(w, frames) ||
               !vv_hdf_rewrite_text(w->file, "/visviva/status", "running", VV_RUN_STATUS_ROOM)) {
        status = vv_writer_fail(w, error, "the status");
    }
    if (status == VV_OK)
        status = vv_writer_renew_facts(w, world, error);
    return status == VV_OK ? vv_writer_side(w, true, error) : status;
}

/* The state of the frame to resume from, in the new size. */
static vvStatus take_state(vvRunWriter *w, const vvWorld *world, vvError *error)
{
    size_t size = vvWorldStateSize(world);
    void *state = vv_alloc(size, 1);
    if (!state)
        return vv_fail_memory(error, "a restart state");
    vv_free(w->state);
    w->state = state;
    w->next_state = (int64_t)size;
    return vvWorldSaveState(world, state, size, error);
}

/* `path`: the run; w->path: the same, or that of a new branch. A branch replaces another run only if nobody
 * is writing that one, and only once the branch is complete. */
static vvStatus resume(vvRunWriter *w, const char *path, vvWorld *world, const vvResumeDef *def, vvError *error)
{
    int64_t rows = 0;
    int frame = def->frame;
    bool branch = strcmp(path, w->path) != 0;
    if (!branch || vv_place_exists(w->path)) {
        w->claim = vv_place_claim(w->path, false, error);
        if (w->claim < 0)
            return VV_ERROR_IO;
    }
    vvStatus status = learn(w, path, world, &frame, &rows, error);
    if (status != VV_OK)
        return status;
    w->file = vv_hdf_open(path, !branch);
    if (w->file < 0 || !vv_layout_open(w->file, &w->sizes, w->frames, w->rows, w->sets) ||
        !vv_layout_fixed_fit(w->file))
        return vv_writer_fail(w, error, "to it; is it open for reading in this program?");
    status = vvWorldLoadState(world, w->state, (size_t)w->sizes.state, error);
    if (status != VV_OK) {
        vv_fail_prefix(error, "%s, frame %d: ", path, frame);
        return status;
    }
    w->scene_name = def->sceneName, w->scene_text = def->sceneText, w->change = def->change;
    bool anew = branch || def->sceneName || def->sceneText || def->change;
    w->revision = vvWorldSettingsRevision(world);
    w->attachments = vvWorldAttachmentsHash(world);
    /* other attachments, or settings: from here on states are longer */
    if ((int64_t)vvWorldStateSize(world) > w->sizes.state) {
        status = take_state(w, world, error);
        anew = true;
    }
    if (status == VV_OK)
        status = shorten(w, (int64_t)frame + 1, rows, anew, world, error);
    if (status == VV_OK) /* of several frames before the first step, the run now goes on from this one */
        status = vv_writer_follow_start(w, world, error);
    w->scene_name = w->scene_text = w->change = NULL; /* owned by the caller */
    return status;
}

vvStatus vvRunResume(const char *path, vvWorld *world, const vvResumeDef *given, vvRunWriter **writer, vvError *error)
{
    vv_error_clear(error);
    if (!path || !world || !writer)
        return vv_fail(error, VV_ERROR_INPUT,
                       "vvRunResume needs a path, a world and a pointer for the writer, found NULL");
    *writer = NULL;
    vvResumeDef def = given ? *given : vvDefaultResumeDef();
    if (vv_check_made(def.internalValue, "vvResumeDef", "vvRunResume: the definition", error) != VV_OK)
        return VV_ERROR_INPUT;
    if (def.frame < -1)
        return vv_fail(error, VV_ERROR_INPUT, "%s: cannot resume at frame %d: 0 on, or -1 for the last", path,
                       def.frame);
    /* not under the lock: the world's log may read runs. Loading says what else fails */
    if (vvWorldBake(world, error) == VV_CANCELLED)
        return VV_CANCELLED;
    vv_error_clear(error);
    char *real = vv_place_real(path);
    vvRunWriter *w = real ? vv_writer_new(def.output ? def.output : path, error) : NULL;
    if (!w) {
        vv_free(real);
        return real && error ? error->status : vv_fail_memory(error, "a run");
    }
    vv_hdf_scope scope;
    vv_hdf_enter(&scope);
    vvStatus status = resume(w, real, world, &def, error);
    if (status == VV_OK)
        *writer = w;
    else
        vv_writer_free(w);
    vv_hdf_leave(&scope);
    vv_free(real);
    return status;
}
