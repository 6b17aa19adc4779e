/* visviva run: simulates a scene into a run file, with progress reports and the ledger at the end. */
#include "write_report.h"
#include "run/run.h"
#include "run/stall.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct run_state {
    vv_run_options options;
    vvScene *scene;
    vvWorld *world;
    vvRunWriter *writer;
    vvSceneTime time;
    char output[4096], until_text[64], substeps_text[64], status[1200];
    bool branch;        /* continues a run in another file */
    int64_t steps;      /* wanted */
    int64_t unrecorded; /* booked since the last frame */
    int64_t ends[VV_SOLVE_BUDGET + 1];
    int64_t fallbacks; /* steps in which the fallback solver was asked */
    bool stalled;      /* the first solve that stopped short was looked at */
    int warnings;      /* of the library, shown */
    vv_run_notes notes;
    vv_progress progress;
    vv_stall stall;
    double began, wall, phases[VV_PHASE_COUNT]; /* s; wall: to the end of the run */
    int64_t begin_iterations, begin_steps;
    vv_run_bounds start;
    int64_t tested;        /* steps with the exact test behind them */
    int64_t intersections; /* in the recorded frames so far; -1: not asked for, or contact is off */
    bool making;           /* the scene is being made into a world */
    bool exact;            /* each step is tested for intersections */
    vvError error;
} run_state;

/* ---- the scene ---- */

/* A run file's own scene; its mesh paths are absolute already. */
static vvStatus scene_of_run(run_state *s)
{
    vvRun *run = NULL;
    vvStatus status = vvRunOpen(s->options.scene, &run, &s->error);
    if (status != VV_OK)
        return status;
    if (vvRunSceneText(run)[0] == 0) {
        vvRunFree(run);
        s->error.status = VV_ERROR_INPUT;
        snprintf(s->error.message, sizeof s->error.message, "%.400s holds no scene; give the scene file and -o %.400s",
                 s->options.scene, s->options.scene);
        return VV_ERROR_INPUT;
    }
    status = vvSceneParse(vvRunSceneText(run), s->options.scene, ".", s->options.sets.values, s->options.sets.count,
                          &s->scene, &s->error);
    vvRunFree(run);
    return status;
}

static int open_scene(run_state *s)
{
    vv_run_options *o = &s->options;
    bool is_run = vv_cli_is_run_file(o->scene);
    if (isfinite(o->until)) {
        if (o->sets.count == VV_OPTION_LIST_MAX)
            return vv_cli_wrong("too many --set");
        snprintf(s->until_text, sizeof s->until_text, "time.end=%.17g", o->until);
        o->sets.values[o->sets.count++] = s->until_text;
    }
    if (o->substeps > 0) {
        if (o->sets.count == VV_OPTION_LIST_MAX)
            return vv_cli_wrong("too many --set");
        snprintf(s->substeps_text, sizeof s->substeps_text, "time.substeps=%d", o->substeps);
        o->sets.values[o->sets.count++] = s->substeps_text;
    }
    const char *ending = strrchr(o->scene, '.');
    if (!is_run && ending && strcmp(ending, ".vtkhdf") == 0)
        return access(o->scene, F_OK) != 0
                   ? vv_cli_wrong("there is no run file %s", o->scene)
                   : vv_cli_wrong("%s is not a run file, or is damaged: it does not begin like an HDF5 file", o->scene);
    if (is_run && !o->resume)
        return vv_cli_wrong("%s is a run file; run a scene, or continue this run with --resume", o->scene);
    vv_cli_phase("run: reading %s", o->scene);
    vvStatus status =
        is_run ? scene_of_run(s) : vvSceneLoad(o->scene, o->sets.values, o->sets.count, &s->scene, &s->error);
    if (status != VV_OK)
        return vv_cli_error(&s->error);
    s->time = vvSceneGetTime(s->scene);
    s->steps = (int64_t)ceil((s->time.end - s->time.begin) / s->time.step - 1e-9);
    char name[256];
    vv_cli_stem(o->scene, name, sizeof name);
    s->branch = is_run && o->output && !vv_cli_same_file(o->output, o->scene);
    if (o->output || is_run)
        snprintf(s->output, sizeof s->output, "%s", o->output ? o->output : o->scene);
    else
        snprintf(s->output, sizeof s->output, "out/%s.vtkhdf", name);
    return VV_CLI_GO;
}

/* A run of hours is not lost by a second one of the same scene. */
static int check_output(const run_state *s)
{
    const vv_run_options *o = &s->options;
    bool there = access(s->output, F_OK) == 0;
    if (o->resume && !there && !s->branch)
        return vv_cli_wrong("there is no run file %s to continue; leave --resume out to begin a run", s->output);
    if (vv_cli_check_run_output(s->output) != VV_CLI_GO)
        return VV_EXIT_WRONG;
    if ((!o->resume || s->branch) && !o->force && vv_cli_keep_run(s->output, s->branch) != VV_CLI_GO)
        return VV_EXIT_WRONG;
    const char *summary = s->options.summary;
    struct stat what;
    if (summary && stat(summary, &what) == 0 && S_ISDIR(what.st_mode))
        return vv_cli_wrong("--summary %s is a folder; name a file in it", summary);
    if (summary && (strcmp(summary, s->output) == 0 || vv_cli_same_file(summary, s->options.scene) ||
                    vv_cli_same_file(summary, s->output)))
        return vv_cli_wrong("--summary %s would overwrite the scene or the run; choose another name", summary);
    return s->options.report ? vv_report_check_output("--report", s->options.report) : VV_CLI_GO;
}

/* Reserves room for the whole run at once, unless that is absurd: the file then need not be copied as it grows. */
static vvStatus reserve(run_state *s)
{
    enum { MOST_FRAMES = 20000, MOST_ROWS = 1000000 };
    int64_t frames = s->steps / s->time.recordEvery + 3, rows = s->steps + 2;
    if (frames > MOST_FRAMES || rows > MOST_ROWS || s->steps < 0) /* resumed past its end: nothing is added */
        return VV_OK;
    return vvRunReserve(s->writer, frames, rows, &s->error);
}

/* For the summary: tests the frame that was just recorded. */
static vvStatus count_intersections(run_state *s, vvError *error)
{
    int count = 0;
    vvStatus status = s->intersections < 0 ? VV_OK : vvWorldFindIntersections(s->world, NULL, 0, &count, error);
    s->intersections += status != VV_OK ? 0 : count;
    return status;
}

/* The same for the frames that a run to be resumed keeps. */
static vvStatus count_kept(run_state *s, const vvRun *run)
{
    int frames = s->options.from_frame >= 0 ? s->options.from_frame + 1 : vvRunFrameCount(run);
    if (s->intersections < 0 || frames > vvRunFrameCount(run))
        return VV_OK;
    vvStatus status = vv_hits_count(run, frames, &s->intersections, &s->error);
    if (status != VV_ERROR_UNSUPPORTED)
        return status;
    s->intersections = -1; /* a file of an older version */
    return VV_OK;
}

/* The file names the scene that it holds: if the present one differs, it gets the new one. */
static vvStatus resume(run_state *s)
{
    const char *from = s->branch ? s->options.scene : s->output;
    vvResumeDef def = vvDefaultResumeDef();
    vvRun *run = NULL;
    vvStatus status = vvRunOpen(from, &run, &s->error);
    if (status != VV_OK)
        return status;
    bool changed = strcmp(vvRunSceneText(run), vvSceneText(s->scene)) != 0;
    char change[250];
    vv_cli_scene_changes(vvRunSceneText(run), vvSceneText(s->scene), change, sizeof change);
    status = count_kept(s, run);
    vvRunFree(run);
    if (status != VV_OK)
        return status;
    def.frame = s->options.from_frame;
    def.output = s->branch ? s->output : NULL;
    def.sceneName = changed ? vvSceneName(s->scene) : NULL;
    def.sceneText = changed ? vvSceneText(s->scene) : NULL;
    def.change = change[0] ? change : NULL;
    return vvRunResume(from, s->world, &def, &s->writer, &s->error);
}

enum { WARNINGS_SHOWN = 5 };

/* Notes while the scene becomes a world; warnings at any time. */
static void print_note(void *user, vvLogLevel level, const char *message)
{
    run_state *s = user;
    const bool error = s->options.strict && level == VV_LOG_WARNING; /* as good as one */
    if (level == VV_LOG_WARNING)
        vv_run_keep(&s->notes, true, message);
    if ((s->options.quiet && !error) || (!s->making && level != VV_LOG_WARNING) || s->warnings > WARNINGS_SHOWN)
        return;
    if (!s->making)
        vv_progress_finish(&s->progress);
    if (!s->making && s->warnings++ >= WARNINGS_SHOWN)
        fprintf(stderr, "run: further warnings are not shown; visviva info %s will list them\n", s->output);
    else if (level == VV_LOG_WARNING)
        vv_cli_warn("%s", message);
    else
        fprintf(stderr, "run: %s\n", message);
}

static int open_world(run_state *s)
{
    const vvHost host = { .log = { print_note, s } };
    vv_following following = { .command = "run", .quiet = s->options.quiet };
    vvWatch watch = vv_cli_watch(&following);
    vvSceneSetWatch(s->scene, &watch);
    s->making = true;
    vvStatus made = vvSceneCreateHostedWorld(s->scene, s->options.threads, &host, &s->world, &s->error);
    s->making = false;
    vvSceneSetWatch(s->scene, NULL);
    vv_following_finish(&following);
    if (made)
        return vv_cli_error(&s->error);
    vvWorldSetCancel(s->world, vv_cli_cancel, NULL);
    if (!s->options.quiet) /* meshes are read; what comes may take seconds */
        fprintf(stderr, "run: preparing %d nodes: matrix, solver\n", vvWorldNodeCount(s->world));
    vv_cli_phase("run: preparing");
    /* a run that goes on needs no ground level of its start */
    vvStatus status = s->options.resume ? VV_OK : vvWorldBake(s->world, &s->error);
    if (status != VV_OK) {
        char mesh[4200];
        vv_hits_path(s->output, mesh, sizeof mesh);
        return vv_cli_start_error(s->options.scene, s->scene, s->world, mesh, &s->error);
    }
    if (!vv_cli_make_folders(s->output))
        return VV_EXIT_FAILED;
    const bool contact = vv_cli_has_contact(vvWorldGetDef(s->world));
    /* surfaces are meant to intersect */
    const bool penetrates = vvContactModelFind(vvWorldGetDef(s->world)->contact.model)->bodies == VV_CONTACT_FORCE;
    s->intersections = s->options.summary && contact && !penetrates ? 0 : -1;
    s->exact = contact && (s->options.paranoid || vvWorldGetDef(s->world)->contact.checkIntersections);
    if (s->options.paranoid && !contact && !s->options.quiet)
        fprintf(stderr, "run: contact is off in this scene: --paranoid has nothing to test\n");
    s->start = vv_cli_bounds(s->world);
    if (!s->options.quiet && vv_cli_has_barrier(s->world) && vvWorldGetDef(s->world)->contact.frictionSpeed > 0) {
        fputs("run: ", stderr);
        vv_cli_print_slow(stderr, s->world);
        fputs(" (contact.friction_speed)\n", stderr);
    }
    if (!s->options.quiet)
        vv_cli_print_start_gap(stderr, "run: ", s->world);
    if (!s->options.quiet)
        vv_cli_warn_of_settings(&s->options.sets, s->world, !s->options.resume);
    if (s->options.resume) {
        status = resume(s);
        /* the step may be another one from here on, or was before */
        const double step = vvWorldGetDef(s->world)->timeStep;
        s->steps = vvWorldStepIndex(s->world) + (int64_t)ceil((s->time.end - vvWorldTime(s->world)) / step - 1e-9);
    } else
        status = vvRunCreate(s->output, s->world, vvSceneName(s->scene), vvSceneText(s->scene), &s->writer, &s->error);
    vvWorldCheckIntersections(s->world, s->exact);
    if (status == VV_OK)
        status = vv_run_put_notes(&s->notes, s->writer, &s->error);
    if (status == VV_OK && !s->options.resume)
        status = count_intersections(s, &s->error);
    if (status == VV_OK)
        status = reserve(s);
    int code = status != VV_OK ? vv_cli_error(&s->error) : VV_CLI_GO;
    /* the input is right, but the disk is full, or the file in use */
    return status == VV_ERROR_IO ? VV_EXIT_FAILED : code;
}

/* ---- stepping ---- */

static void show_progress(run_state *s, vv_progress *progress)
{
    char detail[200], gap[VV_TEXT], part[64] = "";
    vvLedgerTotals totals;
    vvLedgerRow row;
    vvError ignored;
    vvWorldTotals(s->world, &totals);
    if (vvWorldLedger(s->world, &row, &ignored))
        return;
    int64_t steps = totals.steps - s->begin_steps;
    if (isfinite(row.minGap)) /* between surfaces only where they are near */
        snprintf(part, sizeof part, row.minGap < 0 ? ", depth %s" : ", gap %s",
                 vv_text_quantity(gap, fabs(row.minGap), "m"));
    double off = row.scale > 0 ? 100 * (row.total - row.target) / row.scale : 0;
    double iterations = (double)(totals.newtonIterations - s->begin_iterations);
    snprintf(detail, sizeof detail, "t %.3g s, err %+.2g%%, %.1f it/step%s", row.time, fabs(off) < 1e-6 ? 0 : off,
             steps > 0 ? iterations / (double)steps : 0, part);
    vv_progress_update(progress, (double)vvWorldStepIndex(s->world), detail);
}

/* After the first solve that stopped short: a scene that repeats the step. */
static void tell_stall(run_state *s, const vvStepReport *report, vv_progress *progress)
{
    if (s->stalled)
        return;
    s->stalled = true;
    vv_progress_finish(progress);
    vv_stall_after(&s->stall, s->scene, s->world, report);
}

/* Shown, and kept in the run file. */
static void show_and_keep(void *user, const char *line)
{
    run_state *s = user;
    vv_run_keep(&s->notes, false, line);
    if (s->options.quiet)
        return;
    vv_progress_finish(&s->progress);
    fprintf(stderr, "run: %s\n", line);
}

/* Each note of the policy is shown once, and counted. */
static void take_note(run_state *s, const char *text)
{
    char line[512];
    if (!vv_run_count_note(&s->notes, text))
        return;
    snprintf(line, sizeof line, "step %lld: %.450s", (long long)vvWorldStepIndex(s->world), text);
    show_and_keep(s, line);
}

/* Takes and books one step, and writes a frame if one is due. */
static vvStatus advance(run_state *s, vv_progress *progress)
{
    vvStepReport report = { 0 };
    vv_cli_phase("run: step %lld of %lld", (long long)vvWorldStepIndex(s->world) + 1, (long long)s->steps);
    vvStatus status = vv_stall_before(&s->stall, s->world, &s->error);
    if (status == VV_OK && (status = vvWorldStep(s->world, &report, &s->error)) == VV_ERROR_SOLVER) {
        vv_progress_finish(progress);
        vv_stall_failed(&s->stall, s->scene, s->world, &report);
    }
    if (status != VV_OK)
        return status;
    s->ends[report.end]++;
    s->fallbacks += report.fallbacks > 0;
    take_note(s, report.policyNote);
    vv_run_tell_broken(s->world, &s->notes.broken, show_and_keep, s);
    s->tested += s->exact;
    if (report.end == VV_SOLVE_STALLED || report.end == VV_SOLVE_ITERATION_LIMIT)
        tell_stall(s, &report, progress);
    for (int i = 0; i < VV_PHASE_COUNT; i++)
        s->phases[i] += report.seconds[i];
    status = vvRunAddStep(s->writer, s->world, &report, &s->error);
    if (status == VV_OK)
        status = vv_run_put_notes(&s->notes, s->writer, &s->error);
    s->unrecorded++;
    int64_t index = vvWorldStepIndex(s->world);
    if (status == VV_OK && (index % s->time.recordEvery == 0 || index == s->steps)) {
        status = vvRunAddFrame(s->writer, s->world, &s->error);
        if (status == VV_OK)
            status = count_intersections(s, &s->error);
        s->unrecorded = 0;
    }
    return status;
}

static bool too_much(const run_state *s) { return s->options.strict && vv_cli_warning(0); }

/* Steps to the end, a failure, a warning that is one too many, or Ctrl-C; s->status says which. */
static int go(run_state *s)
{
    vvStatus status = VV_OK;
    int64_t first = vvWorldStepIndex(s->world);
    vvLedgerTotals totals;
    vvWorldTotals(s->world, &totals);
    s->begin_steps = totals.steps;
    s->begin_iterations = totals.newtonIterations;
    vv_progress_start(&s->progress, "run", (double)s->steps, s->options.quiet);
    s->progress.first = (double)first;
    while (status == VV_OK && vvWorldStepIndex(s->world) < s->steps && !vv_cli_interrupted() && !too_much(s)) {
        status = advance(s, &s->progress);
        if (status == VV_OK)
            show_progress(s, &s->progress);
    }
    vv_progress_finish(&s->progress);
    int code = VV_EXIT_OK;
    if (status == VV_OK && too_much(s)) {
        snprintf(s->status, sizeof s->status, "stopped by a warning (--strict)");
        code = VV_EXIT_FAILED;
    } else if (status == VV_CANCELLED || (status == VV_OK && vvWorldStepIndex(s->world) < s->steps)) {
        snprintf(s->status, sizeof s->status, "interrupted");
        code = VV_EXIT_INTERRUPTED;
    } else if (status != VV_OK) {
        if (strncmp(s->error.message, "step ", 5) == 0) /* the message says which step */
            snprintf(s->status, sizeof s->status, "failed at %s", s->error.message);
        else
            snprintf(s->status, sizeof s->status, "failed at step %lld: %s", (long long)vvWorldStepIndex(s->world) + 1,
                     s->error.message);
        code = VV_EXIT_FAILED;
    } else {
        snprintf(s->status, sizeof s->status, "done");
    }
    return code;
}

/* What was computed since the last frame is kept, however the run ended. */
static int close_run(run_state *s, int code)
{
    vvError error = { 0 };
    vvStatus status = s->unrecorded > 0 ? vvRunAddFrame(s->writer, s->world, &error) : VV_OK;
    if (status == VV_OK && s->unrecorded > 0)
        status = count_intersections(s, &error);
    if (s->intersections > 0)
        vv_run_keep(&s->notes, true, "surfaces intersect in recorded frames; visviva check shows where");
    if (status == VV_OK)
        status = vv_run_put_notes(&s->notes, s->writer, &error);
    if (status == VV_OK)
        status = vvRunClose(s->writer, s->status, &error);
    else
        vvRunClose(s->writer, "the last frame could not be written", NULL);
    s->writer = NULL;
    if (status == VV_OK)
        return code;
    vv_cli_error(&error);
    return code == VV_EXIT_OK ? VV_EXIT_FAILED : code;
}

/* ---- the end ---- */

/* Whether some body shows a surface in place of what collides. */
static bool shows_other(const vvWorld *world)
{
    for (int b = 0; b < vvWorldBodyCount(world); b++) {
        vvBodySurface surface;
        const vvBodyId id = vvWorldBody(world, b);
        vvBodyGetSurface(world, id, &surface);
        if (surface.vertexCount > 0 && !vvBodySurfaceCollides(world, id))
            return true;
    }
    return false;
}

/* What carried surfaces that do not collide do in the last frame. */
static void say_shown(const run_state *s)
{
    vvRun *run = NULL;
    vvRunShown shown;
    char text[VV_TEXT];
    if (shows_other(s->world) && vvRunOpen(s->output, &run, NULL) == VV_OK && vvRunFrameCount(run) > 0 &&
        vvRunMeasureShown(run, vvRunFrameCount(run) - 1, &shown, NULL) == VV_OK && shown.intersections > 0)
        printf("\n  shown surfaces intersect in the last frame, in %d pairs of elements, those of \"%s\" and \"%s\" "
               "near (%.4g, %.4g, %.4g) m; that of \"%s\" protrudes %s from what collides for it (visviva check %s)",
               shown.intersections, vvRunGetBody(run, shown.meeting[0])->name,
               vvRunGetBody(run, shown.meeting[1])->name, shown.point[0], shown.point[1], shown.point[2],
               vvRunGetBody(run, shown.body)->name, vv_text_quantity(text, shown.outside, "m"), s->output);
    vvRunFree(run);
}

static const double SLOW = 10; /* s: a run that took longer says what for */

/* The phases that took most of the time, the body for which solves went on, and where contact is. */
static void print_costs(const run_state *s)
{
    vvBottleneck b;
    double sum = 0;
    vvWorldBottleneck(s->world, &b);
    for (int i = 0; i < VV_PHASE_COUNT; i++)
        sum += s->phases[i];
    const char *before = "\n  time:";
    for (int i = 0; i < VV_PHASE_COUNT; i++)
        if (s->phases[i] >= 0.1 * sum) {
            printf("%s %s %.0f%%", before, vvPhaseName((vvPhase)i), 100 * s->phases[i] / sum);
            before = ",";
        }
    if (b.bodyIterations > 0 && vvWorldBodyCount(s->world) > 1)
        printf("\n  \"%s\" moved the most in %.0f%% of the iterations", b.body,
               100 * (double)b.bodyIterations / (double)b.iterations);
    if (b.pairTerms > 0)
        printf("\n  %.0f%% of the contact between bodies is between \"%s\" and \"%s\"",
               100 * (double)b.pairTerms / (double)b.terms, b.pair[0], b.pair[1]);
}

static void print_report(const run_state *s, double wall)
{
    char text[VV_TEXT], each[VV_TEXT];
    vvLedgerTotals totals;
    const vvWorldDef *def = vvWorldGetDef(s->world);
    vvWorldTotals(s->world, &totals);
    int64_t steps = totals.steps - s->begin_steps;
    double per_step = steps > 0 ? 1.0 / (double)steps : 0;
    printf("%s: %s, policy %s, %lld step%s of %.6g s to t = %.6g s\n", vvSceneName(s->scene), def->integrator.scheme,
           def->integrator.policy, (long long)totals.steps, totals.steps == 1 ? "" : "s", def->timeStep,
           vvWorldTime(s->world));
    vv_cli_print_ledger(stdout, s->world);
    printf("  %s, %s and %.1f Newton iterations per step", vv_text_duration(text, wall),
           vv_text_duration(each, wall * per_step), (double)(totals.newtonIterations - s->begin_iterations) * per_step);
    if (s->ends[VV_SOLVE_ITERATION_LIMIT])
        printf("; iteration limit reached in %lld", (long long)s->ends[VV_SOLVE_ITERATION_LIMIT]);
    if (s->ends[VV_SOLVE_STALLED])
        printf("; no further decrease in %lld", (long long)s->ends[VV_SOLVE_STALLED]);
    if (s->ends[VV_SOLVE_BUDGET])
        printf("; iteration budget used up in %lld", (long long)s->ends[VV_SOLVE_BUDGET]);
    if (s->fallbacks)
        printf("; fallback %s in %lld", def->solver.fallback, (long long)s->fallbacks);
    if (wall > SLOW)
        print_costs(s);
    for (int i = 0; i < s->notes.count; i++)
        printf("\n  in %lld step%s: %s", (long long)s->notes.list[i].steps, s->notes.list[i].steps == 1 ? "" : "s",
               s->notes.list[i].text);
    if (totals.dividedSteps)
        printf("\n  steps repeated in parts, because bodies would have passed each other: %lld",
               (long long)totals.dividedSteps);
    if (s->tested > 0)
        printf("\n  no surfaces intersect after any of the %lld steps, and no bodies pass each other in them",
               (long long)s->tested);
    else if (s->intersections == 0)
        printf("\n  no surfaces intersect in the recorded frames");
    if (s->tested > 0 && shows_other(s->world))
        printf("\n  shown surfaces that do not collide were not tested: visviva check %s does", s->output);
    say_shown(s);
    printf("\n  %s\n", s->output);
}

static int say_end(run_state *s, int code)
{
    s->wall = vv_cli_seconds() - s->began;
    if (!s->options.quiet)
        print_report(s, s->wall);
    fflush(stdout); /* so that errors come last in a pipe, too */
    if (s->intersections > 0)
        vv_cli_warn("surfaces intersect in recorded frames, in %lld pairs of elements; visviva check %s shows where",
                    (long long)s->intersections, s->output);
    if (code == VV_EXIT_INTERRUPTED)
        vv_cli_wrong("interrupted; to continue: visviva run %s --resume", s->output);
    else if (code != VV_EXIT_OK && strcmp(s->status, "done") != 0) { /* else closing it failed, which was said */
        vvError failed = { .status = s->error.status };
        snprintf(failed.message, sizeof failed.message, "%.1000s", s->status);
        vv_cli_error(&failed);
    }
    return vv_cli_strict(s->options.strict, code); /* of the run as a whole */
}

static int write_summary(const run_state *s, int code)
{
    vvError error = { 0 };
    vv_run_summary summary = { .status = s->status,
                               .scene = vvSceneName(s->scene),
                               .output = s->output,
                               .threads = vvWorldGetDef(s->world)->threads,
                               .wall = s->wall,
                               .boundsStart = s->start,
                               .boundsEnd = vv_cli_bounds(s->world),
                               .intersections = s->intersections,
                               .fallbackSteps = s->fallbacks };
    memcpy(summary.phases, s->phases, sizeof summary.phases);
    if (vv_cli_make_folders(s->options.summary) &&
        vv_cli_write_summary(s->options.summary, s->world, &summary, &error) == VV_OK)
        return code;
    if (error.message[0])
        vv_cli_error(&error);
    return code == VV_EXIT_OK ? VV_EXIT_FAILED : code;
}

static int run(run_state *s)
{
    s->began = vv_cli_seconds();
    s->stall.folder = s->options.on_stall;
    vv_cli_catch_interrupt();
    int code = open_scene(s);
    if (code == VV_CLI_GO)
        code = check_output(s);
    if (code == VV_CLI_GO)
        code = open_world(s);
    if (code != VV_CLI_GO)
        return code;
    code = say_end(s, close_run(s, go(s)));
    if (s->options.summary)
        code = write_summary(s, code);
    if (s->options.report && code != VV_EXIT_INTERRUPTED) {
        const char *const path = s->output;
        const vv_report_def def = {
            .paths = &path, .count = 1, .output = s->options.report, .quiet = s->options.quiet
        };
        const int made = vv_report_write(&def);
        code = code == VV_EXIT_OK ? made : code;
    }
    return code;
}

int vv_cli_run(int argc, char **argv)
{
    run_state state = { 0 };
    int code = vv_run_read_options(&state.options, argc, argv);
    if (code == VV_CLI_GO)
        code = run(&state);
    if (state.writer)
        vvRunClose(state.writer, "stopped before the first step", NULL);
    vvSnapshotDestroy(state.stall.before);
    vvWorldDestroy(state.world);
    vvSceneDestroy(state.scene);
    vv_run_notes_free(&state.notes);
    return code;
}
