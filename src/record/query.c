/* The public functions that read an open run. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "contact/obstacles/obstacle.h"
#include "record/reader.h"

vvStatus vvRunOpen(const char *path, vvRun **run, vvError *error)
{
    vv_hdf_scope scope;
    vv_error_clear(error);
    if (!path || !run)
        return vv_fail(error, VV_ERROR_INPUT, "vvRunOpen needs a path and a pointer for the run, found NULL");
    vv_hdf_enter(&scope);
    vvStatus status = vv_reader_open(path, run, error);
    vv_hdf_leave(&scope);
    return status;
}

void vvRunFree(vvRun *run)
{
    if (!run || run->exporting > 0)
        return;
    vv_hdf_scope scope;
    vv_hdf_enter(&scope);
    vv_reader_free(run);
    vv_hdf_leave(&scope);
}

const char *vvRunSceneName(const vvRun *run) { return run ? run->scene_name : ""; }
const char *vvRunSceneText(const vvRun *run) { return run ? run->scene_text : ""; }
const char *vvRunStatusText(const vvRun *run) { return run ? run->status : ""; }
int vvRunFrameCount(const vvRun *run) { return run ? (int)run->frames : 0; }
int vvRunNodeCount(const vvRun *run) { return run ? (int)run->sizes.nodes : 0; }
int vvRunBodyCount(const vvRun *run) { return run ? (int)run->sizes.bodies : 0; }
int vvRunRowCount(const vvRun *run) { return run ? (int)run->rows : 0; }
int vvRunObstacleCount(const vvRun *run) { return run ? run->obstacle_count : 0; }
double vvRunTimeStep(const vvRun *run) { return run ? run->time_step : 0; }
const char *vvRunScheme(const vvRun *run) { return run ? run->scheme : ""; }
const char *vvRunPolicy(const vvRun *run) { return run ? run->policy : ""; }

const char *vvRunContactModel(const vvRun *run) { return run && run->contact_model ? run->contact_model : ""; }

const char *vvRunMadeBy(const vvRun *run) { return run && run->made_by ? run->made_by : ""; }

bool vvRunGetLengths(const vvRun *run, vvRunLengths *lengths)
{
    if (lengths)
        *lengths = run ? run->lengths : (vvRunLengths){ 0 };
    return run && lengths && run->lengths.length > 0;
}

bool vvRunGetStiffness(const vvRun *run, vvStiffness *stiffness)
{
    if (stiffness)
        *stiffness = run ? run->stiffness : (vvStiffness){ .body = "" };
    return run && stiffness && run->stiffness.now > 0;
}

void vvRunGravity(const vvRun *run, double gravity[3])
{
    for (int k = 0; gravity && k < 3; k++)
        gravity[k] = run ? run->gravity[k] : 0;
}

const vvRunBody *vvRunGetBody(const vvRun *run, int index)
{
    return run && index >= 0 && index < run->sizes.bodies ? &run->bodies[index] : NULL;
}

double vvRunFrameTime(const vvRun *run, int frame)
{
    return run && frame >= 0 && frame < run->frames ? run->frame_rows[frame].time : 0;
}

int64_t vvRunFrameStep(const vvRun *run, int frame)
{
    return run && frame >= 0 && frame < run->frames ? run->frame_rows[frame].step : -1;
}

const char *vvRunObstacle(const vvRun *run, int index, const double **values, int *valueCount)
{
    if (values)
        *values = NULL;
    if (valueCount)
        *valueCount = 0;
    if (!run || index < 0 || index >= run->obstacle_count)
        return NULL;
    if (values)
        *values = run->obstacle_values + run->obstacle_first[index];
    if (valueCount)
        *valueCount = run->obstacle_value_counts[index];
    return run->obstacle_types + (size_t)index * VV_RUN_WORD_ROOM;
}

const double *vvRunObstacleSamples(const vvRun *run, int index, int counts[3])
{
    const bool any =
        run && run->samples && index >= 0 && index < run->obstacle_count && run->sample_counts[2 * index] > 0;
    for (int k = 0; counts && k < 3; k++)
        counts[k] = !any                 ? 0
                    : k < 2              ? run->sample_counts[2 * index + k]
                    : run->sample_layers ? run->sample_layers[index]
                                         : 1;
    return any ? run->samples + run->sample_first[index] : NULL;
}

vvStatus vvRunObstacleMesh(const vvRun *run, int index, double size, vvMesh *mesh, vvError *error)
{
    const double *values;
    int count, counts[3];
    vv_error_clear(error);
    const char *type = vvRunObstacle(run, index, &values, &count);
    if (!mesh || !type)
        return vv_fail(error, VV_ERROR_INPUT,
                       "vvRunObstacleMesh needs a run, the number of one of its obstacles, and a pointer for a mesh");
    if (!(size > 0 && size <= 1e6))
        return vv_fail(error, VV_ERROR_INPUT, "vvRunObstacleMesh: size is %g m; it must be above 0, at most 1e6", size);
    const double *samples = vvRunObstacleSamples(run, index, counts);
    vvStatus status = vv_obstacle_surface(type, values, count, counts, samples, size, mesh, error);
    for (int i = 0; status == VV_OK && i < 3 * mesh->vertexCount; i++)
        mesh->positions[i] += values[i % 3];
    return status;
}

static vvStatus read_range(const vvRun *run, vv_set set, int64_t first, int64_t count, void *data, vvError *error)
{
    vv_hdf_scope scope;
    vv_hdf_enter(&scope);
    bool ok = vv_set_read(set, &run->sizes, run->sets[set], first, count, data);
    vvStatus status = VV_OK;
    if (!ok && vv_hdf_refusal()[0]) {
        status = vv_hdf_refused(error);
    } else if (!ok && vv_hdf_starved()) {
        status = vv_fail(error, VV_ERROR_MEMORY, "%s: out of memory for %s", run->path, vv_set_at(set)->path);
    } else if (!ok) {
        status =
            vv_fail(error, VV_ERROR_IO, "%s: %s cannot be read (%s)", run->path, vv_set_at(set)->path, vv_hdf_reason());
    }
    vv_hdf_leave(&scope);
    return status;
}

/* The run and, if anything is to be read, the array for it are there. */
static vvStatus check_given(const vvRun *run, const char *function, int64_t count, const void *array, vvError *error)
{
    vv_error_clear(error);
    if (run && (count <= 0 || array))
        return VV_OK;
    return vv_fail(error, VV_ERROR_INPUT, "%s needs a run and an array for what it reads, found NULL", function);
}

static vvStatus check_rows(const vvRun *run, int64_t first, int64_t count, int64_t all, const char *what,
                           vvError *error)
{
    if (first < 0 || count < 0 || first > all || count > all - first)
        return vv_fail(error, VV_ERROR_INPUT, "%s has %lld %s, %lld to %lld were asked for", run->path, (long long)all,
                       what, (long long)first, (long long)(first + count - 1));
    return VV_OK;
}

vvStatus vvRunReadFrame(const vvRun *run, int frame, double *positions, double *velocities, vvError *error)
{
    vvStatus status = check_given(run, __func__, 0, NULL, error);
    if (status == VV_OK)
        status = check_rows(run, frame, 1, run->frames, "frames", error);
    if (status != VV_OK)
        return status;
    int64_t first = frame * run->sizes.nodes;
    if (positions)
        status = read_range(run, VV_SET_POINTS, first, run->sizes.nodes, positions, error);
    if (status == VV_OK && velocities)
        status = read_range(run, VV_SET_VELOCITY, first, run->sizes.nodes, velocities, error);
    return status;
}

bool vvRunShowsMotion(const vvRun *run) { return run && run->sets[VV_SET_STATE_VELOCITY] >= 0; }

vvStatus vvRunReadStateVelocities(const vvRun *run, int frame, double *velocities, vvError *error)
{
    vvStatus status = check_given(run, __func__, 1, velocities, error);
    if (status == VV_OK)
        status = check_rows(run, frame, 1, run->frames, "frames", error);
    vv_set set = vvRunShowsMotion(run) ? VV_SET_STATE_VELOCITY : VV_SET_VELOCITY;
    return status == VV_OK ? read_range(run, set, frame * run->sizes.nodes, run->sizes.nodes, velocities, error)
                           : status;
}

vvStatus vv_run_read_nodes(const vvRun *run, int frame, int first, int count, double *positions, double *velocities,
                           vvError *error)
{
    int64_t row = frame * run->sizes.nodes + first;
    vvStatus status = VV_OK;
    if (positions)
        status = read_range(run, VV_SET_POINTS, row, count, positions, error);
    if (status == VV_OK && velocities)
        status = read_range(run, VV_SET_VELOCITY, row, count, velocities, error);
    return status;
}

vvStatus vvRunReadRows(const vvRun *run, int first, int count, vvLedgerRow *rows, vvError *error)
{
    vvStatus status = check_given(run, __func__, count, rows, error);
    if (status == VV_OK)
        status = check_rows(run, first, count, run->rows, "ledger rows", error);
    if (status != VV_OK)
        return status;
    if (count > 0)
        memset(rows, 0, (size_t)count * sizeof *rows);
    return read_range(run, VV_SET_LEDGER, first, count, rows, error);
}

vvStatus vvRunReadBodyEnergies(const vvRun *run, int first, int count, double *energies, vvError *error)
{
    vvStatus status = check_given(run, __func__, count, energies, error);
    if (status == VV_OK)
        status = check_rows(run, first, count, run->rows, "ledger rows", error);
    return status == VV_OK ? read_range(run, VV_SET_BODY_ENERGIES, first, count, energies, error) : status;
}

vvStatus vvRunReadBodyVisible(const vvRun *run, int first, int count, vvVisible *visible, vvError *error)
{
    vvStatus status = check_given(run, __func__, count, visible, error);
    if (status == VV_OK)
        status = check_rows(run, first, count, run->rows, "ledger rows", error);
    return status == VV_OK ? read_range(run, VV_SET_BODY_VISIBLE, first, count, visible, error) : status;
}

vvStatus vvRunReadPhases(const vvRun *run, int first, int count, double *seconds, vvError *error)
{
    vvStatus status = check_given(run, __func__, count, seconds, error);
    if (status == VV_OK)
        status = check_rows(run, first, count, run->rows - 1, "steps", error);
    if (status != VV_OK)
        return status;
    if (run->sizes.phases == VV_PHASE_COUNT)
        return read_range(run, VV_SET_PHASES, (int64_t)first + 1, count, seconds, error);
    /* written by a version with other phases: the phases common to both */
    size_t columns = (size_t)run->sizes.phases, both = columns < VV_PHASE_COUNT ? columns : VV_PHASE_COUNT;
    double *all = vv_alloc((size_t)count * columns, sizeof *all);
    if (!all)
        return vv_fail_memory(error, "the phases of a run");
    status = read_range(run, VV_SET_PHASES, (int64_t)first + 1, count, all, error);
    for (size_t i = 0; status == VV_OK && i < (size_t)count; i++)
        for (size_t k = 0; k < VV_PHASE_COUNT; k++)
            seconds[i * VV_PHASE_COUNT + k] = k < both ? all[i * columns + k] : 0;
    vv_free(all);
    return status;
}
