/* Writing a run so that a kill -9 at any instant leaves a file that any HDF5 reader opens.
 *
 * HDF5 1.10 without its latest format changes several places of a file when a dataset grows (chunk index, headers,
 * the end of the file), in no safe order and not at once; a process killed in between leaves a corrupt file. So here
 * the file that users see never grows:
 *
 * 1. All growing datasets have room for frames and rows to come, allocated beforehand but not filled (a hole in the
 *    file, no disk space). Recording a frame only writes numbers into that room: no structure of the file
 *    changes.
 * 2. Then two counters in /visviva/counts say how much is valid, and then, with one flush, VTK's NSteps. Steps/Values
 *    is the only dataset whose length VTK's readers trust (they copy all of it), so its length is exact; a
 *    chunk of it holds 65,536 frames, hence lengthening it changes one number in one header. That header is next to
 *    NSteps, and HDF5 writes the two in one call. No caches: what is written reaches the file in the order of the
 *    calls (hdf.c).
 * 3. When room runs out, the run is rewritten beside itself with twice the room, flushed, and renamed over the old
 *    file (rebuild.c): at every instant the name refers to one whole file. All this copying together moves at most
 *    as much again as the run itself; vvRunReserve avoids it if the length is known.
 * 4. Closing writes a file without spare room in the same way. A run that was cut off keeps its room: readers use the
 *    counters.
 *
 * SIGKILL can cut a large write short, which only affects data that no counter counts yet; the counters themselves
 * are 8 or 16 bytes. tests/record/test_record_kill.c makes each single write of a run the last one, in turn. */
#include "record/writer.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "record/place.h"
#include "visviva/settings.h"

/* ---- the bodies of the run: a file has one topology ---- */

static vvStatus check_bodies(const vvRunWriter *w, const vvWorld *world, vvError *error)
{
    bool same = vvWorldBodyCount(world) == w->sizes.bodies && vvWorldNodeCount(world) == w->sizes.nodes;
    for (int b = 0; same && b < w->sizes.bodies; b++) {
        vvBodyId id = vvWorldBody(world, b);
        same = id.index1 == w->bodies[b].index1 && id.generation == w->bodies[b].generation;
    }
    if (same)
        return VV_OK;
    return vv_fail(error, VV_ERROR_INPUT,
                   "%s: the world's bodies have changed (%d with %d nodes; %lld with %lld when the run "
                   "began): a run file has the same bodies in all frames; close it and start a new one",
                   w->path, vvWorldBodyCount(world), vvWorldNodeCount(world), (long long)w->sizes.bodies,
                   (long long)w->sizes.nodes);
}

/* ---- booking steps ---- */

vvStatus vv_writer_book(vvRunWriter *w, const vvWorld *world, const vvStepReport *report, vvError *error)
{
    vv_pending *p = &w->pending;
    size_t n = (size_t)p->count, bodies = (size_t)w->sizes.bodies;
    if (!vv_grow((void **)&p->ledger, &p->ledger_room, n + 1, sizeof *p->ledger) ||
        !vv_grow((void **)&p->solver, &p->solver_room, n + 1, sizeof *p->solver) ||
        !vv_grow((void **)&p->phases, &p->phases_room, (n + 1) * VV_PHASE_COUNT, sizeof *p->phases) ||
        !vv_grow((void **)&p->energies, &p->energies_room, (n + 1) * bodies, sizeof *p->energies) ||
        !vv_grow((void **)&p->visible, &p->visible_room, (n + 1) * bodies, sizeof *p->visible))
        return vv_fail_memory(error, "the ledger of a run");
    /* reading the last booked row changes nothing; it takes a non-const world only because the first row is
     * computed when it is first asked for */
    vvStatus status = vvWorldLedger((vvWorld *)(uintptr_t)world, &p->ledger[n], error);
    if (status != VV_OK)
        return status;
    vv_solver_row *row = &p->solver[n];
    memset(row, 0, sizeof *row);
    row->end = VV_SOLVE_EXPLICIT;
    memset(p->phases + n * VV_PHASE_COUNT, 0, VV_PHASE_COUNT * sizeof *p->phases);
    if (report) {
        row->wall = report->wall;
        row->residual = report->residual;
        row->end = report->end;
        snprintf(row->linear, sizeof row->linear, "%s", report->linear ? report->linear : "");
        snprintf(row->note, sizeof row->note, "%.*s", (int)sizeof row->note - 1, report->note);
        memcpy(p->phases + n * VV_PHASE_COUNT, report->seconds, sizeof report->seconds);
    }
    memcpy(p->energies + n * bodies, vvWorldBodyEnergies(world), bodies * sizeof *p->energies);
    memcpy(p->visible + n * bodies, vvWorldBodyVisible(world), bodies * sizeof *p->visible);
    p->count++;
    return VV_OK;
}

/* ---- a frame ---- */

static bool put(vvRunWriter *w, vv_set set, int64_t first, int64_t count, const void *data)
{
    hid_t type = vv_memory_type(vv_set_at(set)->type);
    bool ok = type >= 0 && vv_hdf_write_rows(w->sets[set], type, (hsize_t)first, (hsize_t)count, data,
                                             (size_t)count * vv_set_row_bytes(set, &w->sizes));
    if (type >= 0)
        H5Tclose(type);
    return ok;
}

static bool same_energies(const vvLedgerRow *a, const vvLedgerRow *b)
{
    return a->kinetic == b->kinetic && a->elastic == b->elastic && a->gravity == b->gravity &&
           a->contact == b->contact && a->attachment == b->attachment && a->joint == b->joint && a->total == b->total &&
           a->target == b->target;
}

vvStatus vv_writer_follow_start(vvRunWriter *w, const vvWorld *world, vvError *error)
{
    vvLedgerTotals totals;
    vvLedgerRow row;
    int64_t step = vvWorldStepIndex(world);
    if (w->rows + w->pending.count != 1 || w->start.step > 0 || step > 1)
        return VV_OK;
    /* the start is computed when it is asked for */
    vvStatus status = vvWorldLedger((vvWorld *)(uintptr_t)world, &row, error);
    vvWorldTotals(world, &totals);
    if (status != VV_OK || same_energies(&totals.first, &w->start))
        return status;
    if (step > 0)
        return vv_fail(
            error, VV_ERROR_INPUT,
            "%s: the start was changed after the run began (H is %g J, in the file %g J), and a step "
            "was made from it; call vvRunAddFrame before the first step, or create the run once the start is final",
            w->path, totals.first.total, w->start.total);
    if (!put(w, VV_SET_LEDGER, 0, 1, &totals.first) ||
        !put(w, VV_SET_BODY_ENERGIES, 0, 1, vvWorldBodyEnergies(world)) ||
        !put(w, VV_SET_BODY_VISIBLE, 0, 1, vvWorldBodyVisible(world)))
        return vv_writer_fail(w, error, "the start");
    w->start = totals.first;
    return VV_OK;
}

static bool put_rows(vvRunWriter *w)
{
    const vv_pending *p = &w->pending;
    return put(w, VV_SET_LEDGER, w->rows, p->count, p->ledger) && put(w, VV_SET_SOLVER, w->rows, p->count, p->solver) &&
           put(w, VV_SET_PHASES, w->rows, p->count, p->phases) &&
           put(w, VV_SET_BODY_ENERGIES, w->rows, p->count, p->energies) &&
           put(w, VV_SET_BODY_VISIBLE, w->rows, p->count, p->visible);
}

/* Where VTK finds the frame: the mesh is always part 0, points and velocities advance by a frame. */
static bool put_offsets(vvRunWriter *w)
{
    const int64_t f = w->frames, zero = 0, one = 1, point = f * w->sizes.nodes;
    return put(w, VV_SET_PART_OFFSETS, f, 1, &zero) && put(w, VV_SET_NUMBER_OF_PARTS, f, 1, &one) &&
           put(w, VV_SET_POINT_OFFSETS, f, 1, &point) && put(w, VV_SET_CELL_OFFSETS, f, 1, &zero) &&
           put(w, VV_SET_CONNECTIVITY_OFFSETS, f, 1, &zero) && put(w, VV_SET_VELOCITY_OFFSETS, f, 1, &point) &&
           put(w, VV_SET_STATE_VELOCITY_OFFSETS, f, 1, &point) && put(w, VV_SET_BODY_OFFSETS, f, 1, &zero);
}

/* The motion of the last step. */
static bool put_velocities(vvRunWriter *w, const vvWorld *world, int64_t first)
{
    double *velocities = vv_alloc(3 * (size_t)w->sizes.nodes, sizeof *velocities);
    if (!velocities)
        return false;
    vvWorldVisibleVelocities(world, velocities);
    bool ok = put(w, VV_SET_VELOCITY, first, w->sizes.nodes, velocities);
    vv_free(velocities);
    return ok;
}

static bool put_frame(vvRunWriter *w, const vvWorld *world)
{
    const int64_t f = w->frames, point = f * w->sizes.nodes;
    const vv_frame_row row = { vvWorldStepIndex(world), vvWorldTime(world), w->rows + w->pending.count };
    return put_offsets(w) && put(w, VV_SET_POINTS, point, w->sizes.nodes, vvWorldPositions(world)) &&
           put_velocities(w, world, point) &&
           put(w, VV_SET_STATE_VELOCITY, point, w->sizes.nodes, vvWorldVelocities(world)) &&
           put(w, VV_SET_STATE, f, 1, w->state) && put(w, VV_SET_FRAMES, f, 1, &row);
}

/* From here on the frame counts. */
static bool count_frame(vvRunWriter *w, double time)
{
    const hsize_t length = (hsize_t)w->frames + 1;
    return vv_layout_write_counts(w->file, w->frames + 1, w->rows + w->pending.count) &&
           H5Dset_extent(w->sets[VV_SET_VALUES], &length) >= 0 && put(w, VV_SET_VALUES, w->frames, 1, &time) &&
           vv_layout_write_steps(w->file, w->frames + 1) && H5Fflush(w->file, H5F_SCOPE_LOCAL) >= 0;
}

vvStatus vv_writer_append(vvRunWriter *w, vvWorld *world, vvError *error)
{
    if (world) {
        double time = vvWorldTime(world);
        if (!vv_writer_remember_time(w, time))
            return vv_fail_memory(error, "the times of a run");
        if (!put_rows(w) || !put_frame(w, world) || !count_frame(w, time))
            return vv_writer_fail(w, error, "a frame");
        w->frames++;
        if (w->room.values < w->frames)
            w->room.values = w->frames;
    } else if (!put_rows(w) || !vv_layout_write_counts(w->file, w->frames, w->rows + w->pending.count) ||
               H5Fflush(w->file, H5F_SCOPE_LOCAL) < 0) {
        return vv_writer_fail(w, error, "the ledger");
    }
    w->rows += w->pending.count;
    w->pending.count = 0;
    return VV_OK;
}

/* Room for longer states: setters have changed something that states must hold. Some more, so that this does not come
 * often. */
static vvStatus lengthen_states(vvRunWriter *w, int64_t size, vvError *error)
{
    enum { SPARE = 1024 };
    int64_t room = size + (size - w->sizes.state) + SPARE;
    char *state = vv_alloc((size_t)room, 1);
    if (!state)
        return vv_fail_memory(error, "a restart state");
    memcpy(state, w->state, (size_t)w->sizes.state);
    vv_free(w->state);
    w->state = state;
    w->next_state = room;
    vvStatus status = vv_writer_rebuild(w, w->frames, w->rows, w->room, NULL, error);
    w->next_state = 0;
    return status;
}

/* The restart state, or, if the world has other attachments now, what stands for none. Behind a shorter one come
 * zeros. */
static vvStatus take_state(const vvRunWriter *w, vvWorld *world, bool resumes, void **out, vvError *error)
{
    char *state = *out = vv_alloc((size_t)w->sizes.state, 1);
    if (!state)
        return vv_fail_memory(error, "a frame");
    if (resumes)
        return vvWorldSaveState(world, state, vvWorldStateSize(world), error);
    snprintf(state, (size_t)w->sizes.state, VV_RUN_NO_STATE " %lld", (long long)vvWorldStepIndex(world));
    return VV_OK;
}

static vvStatus add_frame(vvRunWriter *w, vvWorld *world, vvError *error)
{
    vvStatus status = vv_writer_follow_start(w, world, error);
    int64_t size = (int64_t)vvWorldStateSize(world);
    bool resumes = vvWorldAttachmentsHash(world) == w->attachments;
    if (status == VV_OK)
        status = vv_writer_note_changes(w, world, error);
    if (status == VV_OK && resumes && size > w->sizes.state)
        status = lengthen_states(w, size, error);
    void *state = NULL;
    if (status == VV_OK)
        status = take_state(w, world, resumes, &state, error);
    if (status == VV_OK && w->frames > 0 && w->pending.count == 0 &&
        memcmp(state, w->state, (size_t)w->sizes.state) == 0) {
        vv_free(state); /* the frame is already there: the start, or the one resumed from */
        return vv_writer_put_lines(w, world, error);
    }
    if (status == VV_OK)
        status = vv_writer_reserve(w, w->frames + 1, w->rows + w->pending.count, error);
    if (status == VV_OK) {
        void *last = w->state;
        w->state = state;
        status = vv_writer_append(w, world, error);
        state = last;
        if (status != VV_OK) { /* the last frame is still the previous one */
            state = w->state;
            w->state = last;
        }
    }
    vv_free(state);
    if (status == VV_OK)
        status = vv_writer_put_lines(w, world, error);
    return status == VV_OK ? vv_writer_side(w, false, error) : status;
}

/* ---- public ---- */

static vvStatus measure(vvRunWriter *w, vvWorld *world, vvError *error)
{
    w->sizes = (vv_run_sizes){ vvWorldNodeCount(world), vvWorldBodyCount(world), (int64_t)vvWorldStateSize(world),
                               VV_PHASE_COUNT };
    if (w->sizes.nodes < 1 || w->sizes.bodies < 1 || w->sizes.state < 1)
        return vv_fail(error, VV_ERROR_INPUT, "%s: the world is empty or not baked: call vvWorldBake first", w->path);
    w->revision = vvWorldSettingsRevision(world);
    w->attachments = vvWorldAttachmentsHash(world);
    w->state = vv_alloc((size_t)w->sizes.state, 1);
    return w->state ? vv_writer_know_bodies(w, world, error) : vv_fail_memory(error, "a run file");
}

/* Room for the first frames: some megabytes at most. */
static vv_capacity first_room(const vv_run_sizes *sizes)
{
    enum { BYTES = 8 << 20, LEAST = 4, MOST = 256, ROWS_A_FRAME = 4 };
    int64_t frames = BYTES / (48 * sizes->nodes + sizes->state);
    frames = frames < LEAST ? LEAST : frames > MOST ? MOST : frames;
    return (vv_capacity){ frames, ROWS_A_FRAME * frames, 1 };
}

static vvStatus create(vvRunWriter *w, vvWorld *world, const char *sceneName, const char *sceneText, vvError *error)
{
    vvStatus status = measure(w, world, error);
    if (status != VV_OK)
        return status;
    w->claim = vv_place_claim(w->part, true, error);
    if (w->claim < 0)
        return VV_ERROR_IO;
    w->room = first_room(&w->sizes);
    w->file = vv_hdf_create(w->part);
    if (w->file < 0 || !vv_layout_create(w->file, &w->sizes, &w->room, w->sets))
        return vv_writer_fail(w, error, "a new run");
    status = vv_writer_fixed(w, world, sceneName, sceneText, error);
    if (status == VV_OK)
        status = vv_writer_book(w, world, NULL, error);
    if (status == VV_OK) {
        w->start = w->pending.ledger[0];
        status = vvWorldSaveState(world, w->state, (size_t)w->sizes.state, error);
    }
    if (status == VV_OK)
        status = vv_writer_append(w, world, error);
    if (status == VV_OK)
        status = vv_place_put(w->part, w->path, false, error);
    return status == VV_OK ? vv_writer_side(w, true, error) : status;
}

vvStatus vvRunCreate(const char *path, vvWorld *world, const char *sceneName, const char *sceneText,
                     vvRunWriter **writer, vvError *error)
{
    vv_error_clear(error);
    if (!path || !world || !writer)
        return vv_fail(error, VV_ERROR_INPUT,
                       "vvRunCreate needs a path, a world and a pointer for the writer, found NULL");
    *writer = NULL;
    vvRunWriter *w = vv_writer_new(path, error);
    if (!w)
        return error ? error->status : VV_ERROR_MEMORY;
    /* never over another writer's run */
    int old = vv_place_exists(w->path) ? vv_place_claim(w->path, false, error) : -2;
    vvStatus status = old == -1 ? VV_ERROR_IO : VV_OK;
    vv_hdf_scope scope;
    vv_hdf_enter(&scope);
    if (status == VV_OK)
        status = create(w, world, sceneName, sceneText, error);
    if (status == VV_OK) {
        *writer = w;
    } else {
        if (w->claim >= 0)
            vv_place_remove(w->part);
        vv_writer_free(w);
    }
    vv_hdf_leave(&scope);
    vv_place_release(old);
    return status;
}

/* Whether the writer can be used: it is there, and not already at work: on a world whose log calls this. */
static vvStatus check_writer(const vvRunWriter *writer, const char *function, vvError *error)
{
    vv_error_clear(error);
    if (!writer)
        return vv_fail(error, VV_ERROR_INPUT, "%s needs a writer, found NULL", function);
    if (writer->busy)
        return vv_fail(error, VV_ERROR_INPUT, "%s was called by a callback of a world while the same writer writes it",
                       function);
    return VV_OK;
}

static vvStatus check_both(const vvRunWriter *writer, const vvWorld *world, const char *function, vvError *error)
{
    vvStatus status = check_writer(writer, function, error);
    if (status == VV_OK && !world)
        status = vv_fail(error, VV_ERROR_INPUT, "%s needs a world, found NULL", function);
    return status == VV_OK ? check_bodies(writer, world, error) : status;
}

vvStatus vvRunAddStep(vvRunWriter *writer, const vvWorld *world, const vvStepReport *report, vvError *error)
{
    vvStatus status = check_both(writer, world, __func__, error);
    if (status != VV_OK)
        return status;
    writer->busy = true;
    status = vv_writer_follow_start(writer, world, error);
    if (status == VV_OK)
        status = vv_writer_note_changes(writer, world, error);
    if (status == VV_OK)
        status = vv_writer_book(writer, world, report, error);
    writer->busy = false;
    return status;
}

vvStatus vvRunAddNote(vvRunWriter *writer, const char *text, vvError *error)
{
    vvStatus status = check_writer(writer, __func__, error);
    if (status != VV_OK)
        return status;
    if (!text || !*text)
        return vv_fail(error, VV_ERROR_INPUT, "vvRunAddNote needs a text, found none");
    return vv_writer_add_line(writer, VV_LINES_NOTES, vv_writer_row_before(writer, INT64_MAX), text)
               ? VV_OK
               : vv_fail_memory(error, "the notes of a run");
}

vvStatus vvRunAddFrame(vvRunWriter *writer, vvWorld *world, vvError *error)
{
    vvStatus status = check_both(writer, world, __func__, error);
    if (status != VV_OK)
        return status;
    writer->busy = true;
    status = vvWorldBake(world, error); /* not under the lock: the world's log may read runs */
    if (status == VV_OK) {
        vv_hdf_scope scope;
        vv_hdf_enter(&scope);
        status = add_frame(writer, world, error);
        vv_hdf_leave(&scope);
    }
    writer->busy = false;
    return status;
}

/* Limited to what the disk can hold, and to some tens of gigabytes: more room would only enlarge the index. */
static int64_t bounded_frames(const vvRunWriter *w, int64_t frames)
{
    const int64_t most = (int64_t)1 << 36, each = 48 * w->sizes.nodes + w->sizes.state + 128;
    int64_t space = vv_place_space(w->path);
    int64_t fit = (space < most ? space : most) / each + w->frames;
    return frames < fit ? frames : fit;
}

vvStatus vvRunReserve(vvRunWriter *writer, int64_t frames, int64_t rows, vvError *error)
{
    vvStatus usable = check_writer(writer, __func__, error);
    if (usable != VV_OK)
        return usable;
    if (frames < 0 || rows < 0 || frames > INT32_MAX || rows > INT32_MAX)
        return vv_fail(error, VV_ERROR_INPUT, "%s: cannot reserve %lld frames and %lld rows: 0 to %d each",
                       writer->path, (long long)frames, (long long)rows, INT32_MAX);
    vv_capacity room = writer->room;
    int64_t booked = writer->rows + writer->pending.count;
    frames = bounded_frames(writer, frames);
    room.frames = frames > writer->frames ? frames : writer->frames;
    room.rows = rows > booked ? rows : booked;
    if (room.frames == writer->room.frames && room.rows == writer->room.rows)
        return VV_OK;
    vv_hdf_scope scope;
    vv_hdf_enter(&scope);
    vvStatus status = vv_writer_rebuild(writer, writer->frames, writer->rows, room, NULL, error);
    vv_hdf_leave(&scope);
    return status;
}

static bool has_lines(const vvRunWriter *w)
{
    bool any = false;
    for (int k = 0; k < VV_LINES_COUNT; k++)
        any = any || w->lines[k].count > 0;
    return any;
}

static vvStatus finish(vvRunWriter *w, const char *text, vvError *error)
{
    vvStatus status = VV_OK;
    if (w->pending.count > 0) {
        status = vv_writer_reserve(w, w->frames, w->rows + w->pending.count, error);
        if (status == VV_OK)
            status = vv_writer_append(w, NULL, error);
    }
    const vv_capacity exact = { w->frames, w->rows, w->frames };
    bool spare = w->room.frames > exact.frames || w->room.rows > exact.rows || has_lines(w);
    w->exact = true;
    /* if the disk has no space for the shorter copy, the file stays as it is: whole, with room at its end */
    if (spare && status == VV_OK && vv_writer_rebuild(w, w->frames, w->rows, exact, text, NULL) == VV_OK)
        return vv_writer_side(w, true, error);
    if (!vv_hdf_rewrite_text(w->file, "/visviva/status", text, VV_RUN_STATUS_ROOM) ||
        H5Fflush(w->file, H5F_SCOPE_LOCAL) < 0)
        return status == VV_OK ? vv_writer_fail(w, error, "the final status") : status;
    vvStatus side = vv_writer_side(w, true, status == VV_OK ? error : NULL);
    return status == VV_OK ? side : status;
}

/* Truncates a long message to the room in the file. */
static const char *shortened(const char *text, char out[VV_RUN_STATUS_ROOM])
{
    enum { DOTS = 3 };
    size_t n = strlen(text), most = VV_RUN_STATUS_ROOM - 1;
    if (n <= most)
        return text;
    n = most - DOTS;
    while (n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80) /* do not cut within a UTF-8 sequence */
        n--;
    memcpy(out, text, n);
    memcpy(out + n, "...", DOTS + 1);
    return out;
}

vvStatus vvRunClose(vvRunWriter *writer, const char *status, vvError *error)
{
    vv_error_clear(error);
    if (!writer)
        return VV_OK;
    if (check_writer(writer, __func__, error) != VV_OK)
        return VV_ERROR_INPUT;
    char room[VV_RUN_STATUS_ROOM];
    vv_hdf_scope scope;
    vv_hdf_enter(&scope);
    vvStatus result = finish(writer, status && *status ? shortened(status, room) : "done", error);
    vv_writer_free(writer);
    vv_hdf_leave(&scope);
    return result;
}
