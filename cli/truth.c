/* visviva truth: what a scene does where no integrator is to be seen: small steps, several starts that differ by
 * almost nothing, and figures with what is left of chance. */
#include "truth.h"

#include "child.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STARTS = 1000 };

static int read_options(vv_truth_options *o, int argc, char **argv)
{
    *o = (vv_truth_options){ .until = NAN, .shift = 1e-6, .starts = 8, .substeps = 20, .part = 0.01, .cap = 21600 };
    const vv_option options[] = {
        { "--runs", 0, VV_OPTION_INTEGER, &o->starts, "N", "how many starts; default: 8", 1, MOST_STARTS },
        { "--shift", 0, VV_OPTION_NUMBER, &o->shift, "METRES", "start k is moved by k times this; default: 1e-6", 0,
          1 },
        { "--substeps", 0, VV_OPTION_INTEGER, &o->substeps, "N", "steps in each step of the scene; default: 20", 1,
          100000 },
        { "--converge", 0, VV_OPTION_FLAG, &o->converge, NULL,
          "halves the step until the figures settle, with A-search and TR-BDF2", 0, 0 },
        { "--part", 0, VV_OPTION_NUMBER, &o->part, "PART",
          "--converge: allowed relative change of a figure; default: 0.01", 1e-9, 1 },
        { "--cap", 0, VV_OPTION_NUMBER, &o->cap, "SECONDS",
          "--converge: limit of processor time in all; default: 21600", 1, 1e9 },
        { "--keep", 0, VV_OPTION_TEXT, &o->keep, "FOLDER",
          "--converge: keeps each run's figures there, and continues from them", 0, 0 },
        { "--until", 0, VV_OPTION_NUMBER, &o->until, "SECONDS", "end of the runs, instead of the scene's", 1e-12, 1e7 },
        { "--set", 0, VV_OPTION_LIST, &o->sets, "PATH=VALUE", "overrides a value of the scene; may be repeated", 0, 0 },
        { "--jobs", 'j', VV_OPTION_INTEGER, &o->jobs, "N", "runs at a time; default 0: as many as there are cores", 0,
          1024 },
        { "--json", 0, VV_OPTION_TEXT, &o->json, "FILE", "writes all figures, of all starts together and of each", 0,
          0 },
        { "--output", 'o', VV_OPTION_TEXT, &o->folder, "FOLDER",
          "writes a run file for each start: start-0.vtkhdf, ...", 0, 0 },
        { "--quiet", 'q', VV_OPTION_FLAG, &o->quiet, NULL, "no progress, no table; only errors", 0, 0 },
        { .name = NULL },
    };
    const vv_command_line line = {
        .usage = "SCENE [options]",
        .summary =
            "Runs a scene with steps so small that the integrator hardly matters (h / 20, A-search over backward "
            "Euler), from several\n"
            "starts that differ by micrometres, and prints energies, apexes, turns and losses: each as a mean, with "
            "its deviation\nover the starts. Everything is sampled at the scene's own step, so that visviva compare "
            "can compare any integrator with it.\n"
            "Another method: --set integrator.scheme=tr-bdf2 (with policy none, unless that is set too).\n"
            "With --converge the step is halved, from h / substeps on, until no figure moves by more than chance or "
            "PART of it, and\n"
            "A-search and TR-BDF2 agree as well; each figure then has its error.\n"
            "Exit codes: 0 done, 1 a step failed, 2 wrong input, 130 interrupted.",
        .examples =
            "  visviva truth bouncing-ball --until 2\n"
            "  visviva truth critter-drop --runs 4 --substeps 10 --json out/critter-truth.json\n"
            "  visviva truth bouncing-ball --until 1 --converge --substeps 5 --keep out/ball --json out/ball.json\n"
            "  visviva truth spinning-cube --set integrator.scheme=tr-bdf2 -o out/truth",
        .options = options,
        .least = 1,
        .most = 1,
    };
    int count;
    int code = vv_cli_parse(&line, argc, argv, &o->scene, &count);
    return code == VV_CLI_GO ? vv_cli_want_scene(&o->scene, o->found) : code;
}

/* ---- the report ---- */

static bool is_done(const vv_study_job *job)
{
    const char *status = json_string_value(json_object_get(job->figures, "status"));
    return status && strcmp(status, "done") == 0;
}

static int tell_failures(const vv_study_job *jobs, int count)
{
    int done = 0;
    for (int i = 0; i < count; i++)
        done += is_done(&jobs[i]);
    for (int i = 0; i < count && done < count; i++)
        if (!is_done(&jobs[i])) {
            fprintf(stderr, "visviva: %d of %d runs did not reach the end; that from start %d %s\n", count - done,
                    count, jobs[i].start, json_string_value(json_object_get(jobs[i].figures, "status")));
            break;
        }
    return done;
}

static void print_table(json_t *spread, bool alone)
{
    static const char *const columns[] = { "mean", "sd", "min", "max" };
    vv_study_row rows[VV_STUDY_ROWS];
    char text[VV_TEXT * 2];
    int count = vv_study_rows(&spread, 1, rows);
    if (!alone)
        printf("  %-28s %14s %14s %14s %14s\n", "", "mean", "deviation", "lowest", "highest");
    for (int i = 0; i < count; i++) {
        if (!rows[i].path[0]) {
            printf("%s\n", rows[i].label);
            continue;
        }
        printf("  %-28s", rows[i].label);
        for (int c = 0; c < (alone ? 1 : 4); c++) {
            const char *cell = vv_study_cell(text, vv_study_number(spread, rows[i].path, columns[c]), 0, rows[i].unit);
            printf(" %*s", 14 + (strstr(cell, "µ") != NULL), cell);
        }
        putchar('\n');
    }
}

static void print_report(const vv_truth_options *o, const vv_study_plan *plan, json_t *spread, int done)
{
    const char *policy = json_string_value(json_object_get(spread, "policy"));
    printf("%s, to t = %g s: %s, policy %s, h/%d = %.6g s; %d start%s", plan->name, plan->end,
           json_string_value(json_object_get(spread, "scheme")), policy, o->substeps, plan->step, done,
           done == 1 ? "" : "s");
    if (done > 1)
        printf(", the farthest moved by %.3g m", (o->starts - 1) * o->shift);
    putchar('\n');
    print_table(spread, done == 1);
}

static json_t *report_json(const vv_truth_options *o, const vv_study_plan *plan, const vv_study_job *jobs,
                           json_t *spread, int done)
{
    json_t *each = json_array();
    char content[VV_STUDY_DIGEST];
    vv_study_content(plan, content);
    for (int i = 0; i < o->starts; i++)
        json_array_append(each, jobs[i].figures);
    return json_pack("{s:s, s:s, s:i, s:f, s:f, s:f, s:f, s:i, s:i, s:O, s:o}", "scene", plan->name, "content", content,
                     "substeps", o->substeps, "time_step", plan->step, "frame", vv_study_frame(plan), "until",
                     plan->end, "shift", o->shift, "runs", o->starts, "done", done, "figures", spread, "each", each);
}

bool vv_truth_write(const char *path, json_t *json)
{
    if (!vv_cli_make_folders(path))
        return false;
    if (json_dump_file(json, path, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) == 0)
        return true;
    vv_cli_wrong("cannot write %s: %s", path, strerror(errno));
    return false;
}

static int report(const vv_truth_options *o, const vv_study_plan *plan, const vv_study_job *jobs)
{
    json_t *good[MOST_STARTS];
    int done = 0;
    for (int i = 0; i < o->starts; i++)
        if (is_done(&jobs[i]))
            good[done++] = jobs[i].figures;
    json_t *spread = vv_study_spread(good, done), *all = report_json(o, plan, jobs, spread, done);
    int code = done == o->starts ? VV_EXIT_OK : VV_EXIT_FAILED;
    if (!o->quiet && done > 0)
        print_report(o, plan, spread, done);
    fflush(stdout);
    tell_failures(jobs, o->starts);
    if (o->json && !vv_truth_write(o->json, all))
        code = VV_EXIT_FAILED;
    json_decref(all);
    json_decref(spread);
    return code;
}

/* ---- the work ---- */

static int prepare(vv_truth_options *o, vv_study_plan *plan, char until[64])
{
    if (vv_study_set_until(&o->sets, o->until, until) != VV_CLI_GO)
        return VV_EXIT_WRONG;
    if (o->json && vv_cli_same_file(o->json, o->scene))
        return vv_cli_wrong("--json %s would overwrite the scene; choose another name", o->json);
    return vv_study_plan_truth(plan, o->scene, &o->sets, o->substeps);
}

static bool name_outputs(const vv_truth_options *o, vv_study_job *jobs, char (*paths)[4200])
{
    for (int i = 0; i < o->starts && o->folder; i++) {
        snprintf(paths[i], sizeof paths[i], "%.4000s/start-%d.vtkhdf", o->folder, i);
        jobs[i].output = paths[i];
        if (vv_cli_check_run_output(paths[i]) != VV_CLI_GO || !vv_cli_make_folders(paths[i]))
            return false;
    }
    return true;
}

static int work(const vv_truth_options *o, const vv_study_plan *plan)
{
    vv_study_job *jobs = calloc((size_t)o->starts, sizeof *jobs);
    char(*paths)[4200] = calloc((size_t)o->starts, sizeof *paths);
    int code = VV_EXIT_FAILED;
    if (!jobs || !paths)
        vv_cli_wrong("out of memory");
    for (int i = 0; jobs && i < o->starts; i++)
        jobs[i] = (vv_study_job){ .plan = plan, .start = i, .shift = o->shift };
    if (jobs && paths && name_outputs(o, jobs, paths))
        code = vv_study_work(jobs, o->starts, o->jobs, "truth", o->quiet);
    if (code == VV_EXIT_OK)
        code = report(o, plan, jobs);
    for (int i = 0; jobs && i < o->starts; i++)
        vv_study_job_clear(&jobs[i]);
    free(jobs);
    free(paths);
    return code;
}

int vv_cli_truth(int argc, char **argv)
{
    vv_truth_options o;
    vv_study_plan plan = { 0 };
    char until[64];
    if (vv_study_is_child(argc, argv))
        return vv_study_child(argv[2]);
    int code = read_options(&o, argc, argv);
    if (code == VV_CLI_GO)
        code = prepare(&o, &plan, until);
    if (code == VV_CLI_GO)
        code = o.converge ? vv_truth_converge(&o) : work(&o, &plan);
    vv_study_plan_free(&plan);
    return code;
}
