/* visviva compare: one scene under several settings, side by side: figures, curves, frames, a film. */
#include "compare/compare.h"

#include "compare/cost.h"
#include "write_report.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRUTH_STARTS = 8, MOST_STARTS = 1000 };

typedef struct compare_options {
    const char *scene, *json, *folder, *pictures, *report;
    char found[VV_SCENE_ROOM];
    vv_option_list with, sets;
    double until, shift;
    int starts, substeps, jobs, quality;
    bool truth, quiet, cost;
} compare_options;

static int read_options(compare_options *o, int argc, char **argv)
{
    *o = (compare_options){ .pictures = "all", .until = NAN, .shift = 1e-6, .substeps = 20, .quality = 16 };
    const vv_option options[] = {
        { "--with", 'w', VV_OPTION_LIST, &o->with, "LIST", "the settings, with commas between them", 0, 0 },
        { "--truth", 0, VV_OPTION_FLAG, &o->truth, NULL,
          "also compares with the result of visviva truth (20 times smaller steps, 8 starts)", 0, 0 },
        { "--cost", 0, VV_OPTION_FLAG, &o->cost, NULL,
          "error against truth over cost, by steps: see visviva compare --cost --help", 0, 0 },
        { "--substeps", 0, VV_OPTION_INTEGER, &o->substeps, "N",
          "for the truth: its steps in each step of the scene; default: 20", 1, 100000 },
        { "--runs", 0, VV_OPTION_INTEGER, &o->starts, "N", "starts of each setting; default: 1, for the truth 8", 1,
          MOST_STARTS },
        { "--shift", 0, VV_OPTION_NUMBER, &o->shift, "METRES", "start k is moved by k times this; default: 1e-6", 0,
          1 },
        { "--until", 0, VV_OPTION_NUMBER, &o->until, "SECONDS", "end of the runs, instead of the scene's", 1e-12, 1e7 },
        { "--set", 0, VV_OPTION_LIST, &o->sets, "PATH=VALUE", "overrides a value of the scene for all; may be repeated",
          0, 0 },
        { "--jobs", 'j', VV_OPTION_INTEGER, &o->jobs, "N",
          "runs at a time; default 0: as many as cores; 1 to compare times", 0, 1024 },
        { "--json", 0, VV_OPTION_TEXT, &o->json, "FILE", "writes all figures as JSON", 0, 0 },
        { "--output", 'o', VV_OPTION_TEXT, &o->folder, "FOLDER", "for runs and pictures; default: out/NAME-compare", 0,
          0 },
        { "--pictures", 0, VV_OPTION_TEXT, &o->pictures, "LIST",
          "plot, sheet, film; all or none; default: all that can be made", 0, 0 },
        { "--report", 0, VV_OPTION_TEXT, &o->report, "FILE", "writes the runs as one HTML page, as visviva report does",
          0, 0 },
        { "--quality", 0, VV_OPTION_INTEGER, &o->quality, "N",
          "passes of each frame of the sheet, 1 to 64; default: 16; the film has a quarter of them", 1, 64 },
        { "--quiet", 'q', VV_OPTION_FLAG, &o->quiet, NULL, "no progress, no table; only errors", 0, 0 },
        { .name = NULL },
    };
    const vv_command_line line = {
        .usage = "SCENE --with LIST [options]",
        .summary = "Runs one scene under several settings, as many at a time as there are cores, and compares them: "
                   "energies (booked\n"
                   "and visible), apexes, turns, momenta and costs in a table; plot.png, sheet.png and film.mp4 in a "
                   "folder, with the run files.\n"
                   "A setting in LIST is a scheme (without a policy), a policy (over the scene's scheme), "
                   "SCHEME+POLICY, \"scene\" (as it is), or\n"
                   "PATH=VALUE as for --set. Semicolons separate several parts of one setting, and LABEL: in front "
                   "names it.\n"
                   "Exit codes: 0 done, also if a setting fails (the table says so), 1 no run or picture, 2 "
                   "wrong input, 130 interrupted.",
        .examples =
            "  visviva compare rotating-cube --with none,bdf2,search,filtered-search --until 4\n"
            "  visviva compare bouncing-ball --with none,filtered-search --truth --until 2 -o out/ball\n"
            "  visviva compare critter-drop --with 'scene,tame:integrator.beta=[0,0.01]' --pictures none\n"
            "  visviva compare bouncing-ball --with 'time.step=1/120,time.step=1/240' --runs 4 --json out/steps.json",
        .options = options,
        .least = 1,
        .most = 1,
    };
    int count;
    int code = vv_cli_parse(&line, argc, argv, &o->scene, &count);
    if (code == VV_CLI_GO && o->with.count == 0)
        return vv_cli_wrong("compare needs --with: names of schemes and policies, for example --with "
                            "none,filtered-search,bdf2 (visviva compare --help "
                            "says more)");
    return code == VV_CLI_GO ? vv_cli_want_scene(&o->scene, o->found) : code;
}

/* ---- plans ---- */

/* The common overrides first: a setting's own replace them. */
static int plan_setting(const compare_options *o, vv_compare_setting *s)
{
    vv_option_list all = o->sets;
    if (all.count + s->sets.count > VV_OPTION_LIST_MAX)
        return vv_cli_wrong("too many overrides");
    for (int i = 0; i < s->sets.count; i++)
        all.values[all.count++] = s->sets.values[i];
    return vv_study_plan_read(&s->plan, s->label, o->scene, &all);
}

static int plan_truth(const compare_options *o, vv_compare *c)
{
    if (!o->truth)
        return VV_CLI_GO;
    if (c->count == VV_COMPARE_MOST)
        return vv_cli_wrong("--truth: at most %d settings can be compared, the truth among them", VV_COMPARE_MOST);
    vv_compare_setting *s = &c->settings[c->count++];
    *s = (vv_compare_setting){ .truth = true, .named = true };
    int code = vv_study_plan_truth(&s->plan, o->scene, &o->sets, o->substeps);
    memcpy(s->label, s->plan.label, sizeof s->label);
    return code;
}

static int make_plans(const compare_options *o, vv_compare *c)
{
    vv_study_plan plans[VV_COMPARE_MOST];
    int code = vv_compare_read_settings(c, &o->with);
    for (int i = 0; i < c->count && code == VV_CLI_GO; i++)
        code = plan_setting(o, &c->settings[i]);
    if (code == VV_CLI_GO)
        code = plan_truth(o, c);
    if (code != VV_CLI_GO)
        return code;
    for (int i = 0; i < c->count; i++)
        plans[i] = c->settings[i].plan;
    code = vv_study_plans_align(plans, c->count);
    for (int i = 0; i < c->count; i++)
        c->settings[i].plan = plans[i];
    return code;
}

/* ---- files ---- */

/* "out/ball/2-search.vtkhdf": what is no letter or digit in a label becomes a dash. */
static int name_run(vv_compare *c, int index)
{
    vv_compare_setting *s = &c->settings[index];
    char name[64];
    size_t n = 0;
    for (const char *p = s->label; *p && n + 1 < sizeof name; p++)
        if (isalnum((unsigned char)*p) || (n > 0 && name[n - 1] != '-'))
            name[n++] = isalnum((unsigned char)*p) ? *p : '-';
    while (n > 0 && name[n - 1] == '-')
        n--;
    name[n] = 0;
    snprintf(s->path, sizeof s->path, "%.4000s/%d-%s.vtkhdf", c->folder, index + 1,
             s->truth ? "truth"
             : n      ? name
                      : "setting");
    return vv_cli_check_run_output(s->path);
}

static int name_files(const compare_options *o, vv_compare *c, char folder[4200], int wanted)
{
    char name[256];
    vv_cli_stem(o->scene, name, sizeof name);
    snprintf(folder, 4200, "out/%s-compare", name);
    c->folder = o->folder ? o->folder : folder;
    if (o->json && vv_cli_same_file(o->json, o->scene))
        return vv_cli_wrong("--json %s would overwrite the scene; choose another name", o->json);
    int code = o->report ? vv_report_check_output("--report", o->report) : VV_CLI_GO;
    for (int i = 0; i < c->count && (wanted || o->folder || o->report) && code == VV_CLI_GO; i++)
        code = name_run(c, i);
    if (code == VV_CLI_GO && c->settings[0].path[0] && !vv_cli_make_folders(c->settings[0].path))
        code = VV_EXIT_FAILED;
    return code;
}

/* ---- runs ---- */

static bool make_jobs(const compare_options *o, vv_compare *c)
{
    for (int i = 0; i < c->count; i++) {
        vv_compare_setting *s = &c->settings[i];
        s->starts = o->starts ? o->starts : s->truth ? TRUTH_STARTS : 1;
        s->jobs = calloc((size_t)s->starts, sizeof *s->jobs);
        if (!s->jobs)
            return false;
        for (int k = 0; k < s->starts; k++)
            s->jobs[k] = (vv_study_job){
                .plan = &s->plan, .start = k, .shift = o->shift, .output = k == 0 && s->path[0] ? s->path : NULL
            };
    }
    return true;
}

static void gather(vv_compare_setting *s)
{
    json_t *good[MOST_STARTS], *every[MOST_STARTS];
    for (int k = 0; k < s->starts; k++) {
        every[k] = s->jobs[k].figures;
        if (strcmp(json_string_value(json_object_get(every[k], "status")), "done") == 0)
            good[s->done++] = every[k];
    }
    s->figures = s->done ? vv_study_spread(good, s->done) : vv_study_spread(every, s->starts);
}

static json_t *ledger_of(const vv_compare *c, int setting, int start)
{
    return json_object_get(c->settings[setting].jobs[start].figures, "ledger");
}

/* Off target by how much of S: with one S, the largest, for all settings. */
static void measure_with_one_scale(const vv_compare *c)
{
    double scale = 0;
    for (int i = 0; i < c->count; i++)
        for (int k = 0; k < c->settings[i].starts; k++)
            scale = fmax(scale, json_number_value(json_object_get(ledger_of(c, i, k), "scale")));
    for (int i = 0; i < c->count && scale > 0; i++)
        for (int k = 0; k < c->settings[i].starts; k++) {
            json_t *ledger = ledger_of(c, i, k), *distance = json_object_get(ledger, "mean_target_distance");
            if (json_is_number(distance))
                json_object_set_new(ledger, "mean_target_error", json_real(json_number_value(distance) / scale));
        }
}

/* The longest runs begin first: the truth's. */
static int run_all(const compare_options *o, vv_compare *c)
{
    int count = 0, at = 0;
    if (!make_jobs(o, c)) {
        vv_cli_wrong("out of memory");
        return VV_EXIT_FAILED;
    }
    for (int i = 0; i < c->count; i++)
        count += c->settings[i].starts;
    vv_study_job *jobs = calloc((size_t)count, sizeof *jobs);
    int code = VV_EXIT_FAILED;
    for (int i = c->count - 1; i >= 0 && jobs; i--)
        for (int k = 0; k < c->settings[i].starts; k++)
            jobs[at++] = c->settings[i].jobs[k];
    if (jobs)
        code = vv_study_work(jobs, count, o->jobs, "compare", o->quiet);
    at = 0;
    for (int i = c->count - 1; i >= 0 && jobs; i--)
        for (int k = 0; k < c->settings[i].starts; k++)
            c->settings[i].jobs[k] = jobs[at++];
    if (code == VV_EXIT_OK)
        measure_with_one_scale(c);
    for (int i = 0; i < c->count && code == VV_EXIT_OK; i++)
        gather(&c->settings[i]);
    free(jobs);
    return code;
}

static int compare(compare_options *o, vv_compare *c, int wanted)
{
    char folder[4200], until[64];
    int code = vv_study_set_until(&o->sets, o->until, until);
    if (code == VV_CLI_GO)
        code = make_plans(o, c);
    if (code == VV_CLI_GO)
        code = name_files(o, c, folder, wanted);
    if (code == VV_CLI_GO)
        code = run_all(o, c);
    if (code != VV_EXIT_OK)
        return code;
    if (!o->quiet)
        vv_compare_print(c);
    fflush(stdout);
    code = vv_compare_draw(c, wanted);
    if (o->report && code != VV_EXIT_INTERRUPTED) {
        const int made = vv_compare_report(c);
        code = code == VV_EXIT_OK ? made : code;
    }
    if (o->json && !vv_compare_write_json(c, o->json))
        code = VV_EXIT_FAILED;
    return code;
}

/* Another command in all but its name: it has options of its own. */
static bool is_about_cost(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--cost") == 0)
            return true;
    return false;
}

int vv_cli_compare(int argc, char **argv)
{
    compare_options o;
    if (is_about_cost(argc, argv))
        return vv_cli_cost(argc, argv);
    int wanted = 0, code = read_options(&o, argc, argv);
    if (code != VV_CLI_GO)
        return code;
    if (!vv_compare_read_pictures(o.pictures, &wanted))
        return VV_EXIT_WRONG;
    vv_compare *c = calloc(1, sizeof *c);
    if (!c) {
        vv_cli_wrong("out of memory");
        return VV_EXIT_FAILED;
    }
    c->most = VV_COMPARE_MOST;
    c->scene = o.scene;
    c->shift = o.shift;
    c->quiet = o.quiet;
    c->quality = o.quality;
    c->page = o.report;
    code = compare(&o, c, wanted);
    vv_compare_free(c);
    free(c);
    return code;
}
