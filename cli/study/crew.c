/* Runs as children of this program, some at a time: each gets its job as a file in a temporary folder and leaves its
 * figures there. */
#include "child.h"
#include "study/study.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct worker {
    vv_child child;
    bool begun, ended;
    double since;    /* s, by the clock */
    char file[4200]; /* the job's */
} worker;

typedef struct crew {
    vv_study_job *jobs;
    const vv_study_orders *orders;
    worker *workers;
    int count, atOnce, next, running;
    char folder[4096], self[4096];
} crew;

int vv_study_cores(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 1 ? (int)cores : 1;
}

/* ---- beginning ---- */

static bool write_job(const crew *c, int index)
{
    const vv_study_job *j = &c->jobs[index];
    int threads = j->threads > 0 ? j->threads : vv_study_cores() / c->atOnce;
    json_t *json =
        json_pack("{s:s, s:s, s:f, s:i, s:i, s:i, s:i, s:s*}", "scene", j->plan->scene, "name", j->plan->name, "shift",
                  j->shift, "start", j->start, "per_frame", j->plan->perFrame, "record_every", j->plan->recordEvery,
                  "threads", threads > 1 ? threads : 1, "output", j->output);
    bool good = json && json_dump_file(json, c->workers[index].file, JSON_REAL_PRECISION(17)) == 0;
    json_decref(json);
    if (!good)
        vv_cli_wrong("cannot write to the temporary folder %s (the variable TMPDIR can name another place)", c->folder);
    return good;
}

static bool begin(crew *c)
{
    int index = c->next++;
    worker *w = &c->workers[index];
    char log[4300];
    snprintf(w->file, sizeof w->file, "%s/job-%d", c->folder, index);
    snprintf(log, sizeof log, "%s.log", w->file);
    const char *argv[] = { c->self, "truth", "--measure", w->file, NULL };
    if (c->orders->wanted && !c->orders->wanted(c->orders->user, index)) {
        w->ended = true;
        return true;
    }
    if (!write_job(c, index) || !vv_child_start(&w->child, argv, "visviva", log))
        return false;
    w->begun = true;
    w->since = vv_cli_seconds();
    c->running++;
    return true;
}

/* ---- ending ---- */

/* What the child said of an error, as if it had happened here. */
static int refused(const json_t *figures, const vv_study_job *job)
{
    vvError error = { .status = (vvStatus)json_integer_value(json_object_get(figures, "error")) };
    snprintf(error.message, sizeof error.message, "%s: %s", job->plan->label,
             json_string_value(json_object_get(figures, "message")));
    return vv_cli_error(&error);
}

static int take(crew *c, int index, json_t *figures)
{
    vv_study_job *j = &c->jobs[index];
    j->samples = json_incref(json_object_get(figures, "samples"));
    json_object_del(figures, "samples");
    j->figures = figures;
    if (j->made)
        json_object_set(figures, "made", j->made);
    if (j->keep && json_dump_file(figures, j->keep, JSON_REAL_PRECISION(17)) != 0) {
        vv_cli_wrong("cannot write %s", j->keep);
        return VV_EXIT_FAILED;
    }
    if (c->orders->ended)
        c->orders->ended(c->orders->user, index);
    return VV_CLI_GO;
}

/* A run that is allowed to fail has its end for a status, and what it took until then. */
static json_t *failure(const json_t *figures, const worker *w, const char *said, bool late)
{
    char status[1200];
    const double seconds = vv_cli_seconds() - w->since;
    if (late)
        snprintf(status, sizeof status, "given up after %.3g s", seconds);
    else if (figures)
        snprintf(status, sizeof status, "stopped: %s", json_string_value(json_object_get(figures, "message")));
    else
        snprintf(status, sizeof status, "the process that ran it ended early%s%s", said[0] ? "; it said: " : "", said);
    return json_pack("{s:s, s:{s:f}}", "status", status, "cost", "processor", seconds);
}

/* `late`: it has been given up. */
static int end(crew *c, int index, bool good, bool late)
{
    worker *w = &c->workers[index];
    char path[4300], said[600];
    w->ended = true;
    c->running--;
    snprintf(path, sizeof path, "%s.figures", w->file);
    json_t *figures = good ? json_load_file(path, 0, NULL) : NULL;
    if (figures && !json_object_get(figures, "error"))
        return take(c, index, figures);
    int code = VV_EXIT_FAILED;
    vv_child_said(&w->child, said, sizeof said);
    if (late || c->jobs[index].mayFail) {
        json_t *failed = failure(figures, w, said, late);
        json_decref(figures);
        return take(c, index, failed);
    }
    if (figures)
        code = refused(figures, &c->jobs[index]);
    else
        vv_cli_wrong("%s: the process that ran it ended early%s%s", c->jobs[index].plan->label,
                     said[0] ? "; it said: " : "", said);
    json_decref(figures);
    return code;
}

/* ---- the time between ---- */

static double done_part(const worker *w)
{
    char path[4300];
    double part = 0;
    snprintf(path, sizeof path, "%s.progress", w->file);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || read(file, &part, sizeof part) != (ssize_t)sizeof part)
        part = 0;
    if (file >= 0)
        close(file);
    return part;
}

static double weight(const crew *c, int index) { return c->jobs[index].weight > 0 ? c->jobs[index].weight : 1; }

static void show(const crew *c, vv_progress *progress)
{
    double done = 0;
    int ended = 0;
    char detail[100];
    for (int i = 0; i < c->count; i++) {
        ended += c->workers[i].ended;
        done += weight(c, i) * (c->workers[i].ended ? 1 : c->workers[i].begun ? done_part(&c->workers[i]) : 0);
    }
    snprintf(detail, sizeof detail, "%d of %d runs done, %d at a time", ended, c->count, c->atOnce);
    vv_progress_update(progress, done, detail);
}

/* Ends what has gone on for too long. */
static bool give_up(crew *c, int index)
{
    worker *w = &c->workers[index];
    const double limit = c->jobs[index].limit;
    if (!(limit > 0 && vv_cli_seconds() - w->since > limit))
        return false;
    vv_child_stop(&w->child);
    return true;
}

/* Begins and ends children until all are done or one could not run. */
static int supervise(crew *c, vv_progress *progress)
{
    const struct timespec nap = { 0, 20000000 };
    while (c->next < c->count || c->running > 0) {
        bool good;
        while (c->next < c->count && c->running < c->atOnce)
            if (!begin(c))
                return VV_EXIT_FAILED;
        for (int i = 0; i < c->next; i++) {
            worker *w = &c->workers[i];
            if (w->ended)
                continue;
            const bool over = vv_child_ended(&w->child, &good), late = !over && give_up(c, i);
            if (!over && !late)
                continue;
            vv_progress_finish(progress);
            int code = vv_cli_interrupted() ? VV_EXIT_INTERRUPTED : end(c, i, over && good, late);
            if (code != VV_CLI_GO)
                return code;
        }
        if (vv_cli_interrupted())
            return VV_EXIT_INTERRUPTED;
        show(c, progress);
        nanosleep(&nap, NULL);
    }
    return VV_EXIT_OK;
}

static bool find_self(char out[4096])
{
    ssize_t length = readlink("/proc/self/exe", out, 4095);
    if (length <= 0)
        return false;
    out[length] = 0;
    return true;
}

int vv_study_work(vv_study_job *jobs, int count, int atOnce, const char *command, bool quiet)
{
    const vv_study_orders orders = { .atOnce = atOnce, .command = command, .quiet = quiet };
    return vv_study_work_as(jobs, count, &orders);
}

int vv_study_work_as(vv_study_job *jobs, int count, const vv_study_orders *orders)
{
    crew c = {
        .jobs = jobs, .orders = orders, .count = count, .atOnce = orders->atOnce > 0 ? orders->atOnce : vv_study_cores()
    };
    vv_progress progress;
    double total = 0;
    for (int i = 0; i < count; i++)
        total += weight(&c, i);
    c.atOnce = c.atOnce < count ? c.atOnce : count;
    c.workers = calloc((size_t)count, sizeof *c.workers);
    if (!c.workers || !find_self(c.self) || !vv_temporary_folder(c.folder)) {
        free(c.workers);
        return VV_EXIT_FAILED;
    }
    vv_cli_catch_interrupt();
    vv_progress_start(&progress, orders->command, total, orders->quiet);
    int code = supervise(&c, &progress);
    vv_progress_finish(&progress);
    for (int i = 0; i < c.next; i++)
        if (c.workers[i].begun && !c.workers[i].ended)
            vv_child_stop(&c.workers[i].child);
    if (code == VV_EXIT_INTERRUPTED)
        vv_cli_wrong("interrupted");
    vv_temporary_remove(c.folder);
    free(c.workers);
    return code;
}

void vv_study_job_clear(vv_study_job *job)
{
    json_decref(job->figures);
    json_decref(job->samples);
    job->figures = job->samples = NULL;
}
