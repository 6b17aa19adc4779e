/* One run, in a process of its own that the program starts for it: the job comes as a JSON file, the figures go to
 * another, and how far it is to a third. */
#include "study/study.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct job {
    json_t *json;
    const char *scene, *name, *output;
    double shift;
    int start, perFrame, recordEvery, threads, progress; /* `progress`: a file descriptor */
    int64_t steps;
    vvScene *parsed;
    vvWorld *world;
    vvRunWriter *writer;
    vv_study_path path;
    vv_study_count count;
    vvError error;
} job;

static pid_t parent;

/* A run that nobody waits for any more ends. */
static bool cancelled(void *user)
{
    (void)user;
    return vv_cli_interrupted() || getppid() != parent;
}

static void tell_progress(const job *j, double part)
{
    if (pwrite(j->progress, &part, sizeof part, 0) != (ssize_t)sizeof part)
        return; /* a bar that stands still does no harm */
}

/* ---- where a run starts ---- */

static double random_unit(uint64_t *state) /* splitmix64 */
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* The same direction for the same start and body at all times, on all machines. */
static void shift_of(const job *j, int body, double offset[3])
{
    uint64_t state = ((uint64_t)j->start << 32) + (uint64_t)body;
    double up = 2 * random_unit(&state) - 1, turn = 6.28318530717958647692 * random_unit(&state),
           flat = sqrt(1 - up * up);
    offset[0] = j->start * j->shift * flat * cos(turn);
    offset[1] = j->start * j->shift * up;
    offset[2] = j->start * j->shift * flat * sin(turn);
}

/* As a start state, which is no work in the ledger and leaves held nodes where they are held. */
static vvStatus shift_bodies(job *j)
{
    vvStatus status = VV_OK;
    for (int b = 0; b < vvWorldBodyCount(j->world) && status == VV_OK && j->start > 0; b++) {
        vvBodyId body = vvWorldBody(j->world, b);
        vvSetting offset = { .name = "offset" };
        shift_of(j, b, offset.value);
        if (!vvBodyIsKinematic(j->world, body))
            status = vvBodySetInitialState(j->world, body, "translate", &offset, 1, &j->error);
    }
    return status;
}

/* ---- the run ---- */

static vvStatus open_job(job *j)
{
    double frame = 0;
    vvStatus status = vvSceneParse(j->scene, j->name, ".", NULL, 0, &j->parsed, &j->error);
    if (status == VV_OK)
        status = vvSceneCreateWorld(j->parsed, j->threads, &j->world, &j->error);
    if (status == VV_OK)
        status = shift_bodies(j);
    if (status != VV_OK)
        return status;
    vvWorldSetCancel(j->world, cancelled, NULL);
    status = vvWorldBake(j->world, &j->error);
    if (status != VV_OK)
        return status;
    vvSceneTime time = vvSceneGetTime(j->parsed);
    frame = j->perFrame * time.step;
    int64_t frames = (int64_t)ceil((time.end - time.begin) / frame - 1e-9);
    j->steps = frames * j->perFrame;
    status = vv_study_path_begin(&j->path, j->world, frame, (int)frames + 1, &j->error);
    if (status == VV_OK && j->output)
        status =
            vvRunCreate(j->output, j->world, vvSceneName(j->parsed), vvSceneText(j->parsed), &j->writer, &j->error);
    if (status == VV_OK && j->output)
        status = vvRunReserve(j->writer, j->steps / j->recordEvery + 3, j->steps + 2, &j->error);
    return status;
}

/* s: of processors, by all threads of this process. */
static double processor_seconds(void)
{
    struct timespec t = { 0 };
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static vvStatus advance(job *j)
{
    vvStepReport report = { 0 };
    double before = processor_seconds();
    vvStatus status = vvWorldStep(j->world, &report, &j->error);
    j->count.processor += processor_seconds() - before;
    if (status != VV_OK)
        return status;
    int64_t index = vvWorldStepIndex(j->world);
    j->count.wall += report.wall;
    vvLedgerRow row;
    status = vvWorldLedger(j->world, &row, &j->error);
    if (status != VV_OK)
        return status;
    j->count.distance += fabs(row.total - row.target);
    j->count.unconverged += report.end == VV_SOLVE_ITERATION_LIMIT || report.end == VV_SOLVE_STALLED;
    if (index % j->perFrame == 0)
        status = vv_study_path_sample(&j->path, j->world, &j->error);
    if (status == VV_OK && j->writer)
        status = vvRunAddStep(j->writer, j->world, &report, &j->error);
    if (status == VV_OK && j->writer && (index % j->recordEvery == 0 || index == j->steps))
        status = vvRunAddFrame(j->writer, j->world, &j->error);
    return status;
}

/* A step that fails ends the run, and its status says so; what else goes wrong ends the work. */
static vvStatus go(job *j, char *said, size_t size)
{
    vvStatus status = open_job(j);
    bool ran = status == VV_OK;
    snprintf(said, size, "done");
    while (status == VV_OK && vvWorldStepIndex(j->world) < j->steps) {
        status = advance(j);
        tell_progress(j, (double)vvWorldStepIndex(j->world) / (double)j->steps);
    }
    if (ran && status == VV_ERROR_SOLVER) {
        snprintf(said, size, "stopped at t = %.4g s: %.900s", vvWorldTime(j->world), j->error.message);
        status = VV_OK;
        if (j->writer)
            status = vvRunAddFrame(j->writer, j->world, &j->error);
    }
    vvError ignored;
    vvStatus closed =
        j->writer ? vvRunClose(j->writer, status ? "stopped" : said, status ? &ignored : &j->error) : VV_OK;
    return status != VV_OK ? status : closed;
}

static json_t *run(job *j)
{
    char said[1200];
    vvStatus status = go(j, said, sizeof said);
    if (status != VV_OK)
        return json_pack("{s:i, s:s}", "error", (int)status, "message", j->error.message);
    json_t *figures = vv_study_figures(&j->path, j->world, &j->count, said);
    if (figures) /* this process has run nothing else */
        json_object_set_new(json_object_get(figures, "cost"), "peak_memory", json_integer(vv_cli_peak_memory()));
    if (figures && j->output)
        json_object_set_new(figures, "samples", vv_study_samples(&j->path));
    return figures;
}

static bool read_job(job *j, const char *path)
{
    char progress[4200];
    j->json = json_load_file(path, 0, NULL);
    j->output = json_string_value(json_object_get(j->json, "output"));
    snprintf(progress, sizeof progress, "%.4000s.progress", path);
    j->progress = open(progress, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    return j->progress >= 0 && json_unpack(j->json, "{s:s, s:s, s:F, s:i, s:i, s:i, s:i}", "scene", &j->scene, "name",
                                           &j->name, "shift", &j->shift, "start", &j->start, "per_frame", &j->perFrame,
                                           "record_every", &j->recordEvery, "threads", &j->threads) == 0;
}

bool vv_study_is_child(int argc, char **argv) { return argc == 3 && strcmp(argv[1], "--measure") == 0; }

int vv_study_child(const char *path)
{
    job j = { .progress = -1 };
    char result[4200];
    parent = getppid();
    vv_cli_catch_interrupt();
    json_t *figures = read_job(&j, path) ? run(&j) : NULL;
    snprintf(result, sizeof result, "%.4000s.figures", path);
    bool written = figures && json_dump_file(figures, result, JSON_REAL_PRECISION(17)) == 0;
    json_decref(figures);
    vv_study_path_free(&j.path);
    vvWorldDestroy(j.world);
    vvSceneDestroy(j.parsed);
    if (j.progress >= 0)
        close(j.progress);
    json_decref(j.json);
    return written ? VV_EXIT_OK : VV_EXIT_FAILED;
}
