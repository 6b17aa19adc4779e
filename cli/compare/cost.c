/* visviva compare --cost: how near to truth each method comes for what it costs, over steps.
 *
 * A point is a method with a step, run from some starts. What the CSV has of the same scene, method, step and build is
 * not run again; each run's figures are kept, too, as soon as it has ended, so that an interrupted call goes on where
 * it was. Coarse steps run first: what --cap leaves no time for is the finest. */
#include "compare/cost_work.h"

#include "truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STARTS = 1000, SHORT_STARTS = 2, SHORT_CAP = 600 };
enum { TRUTH_CAP = 600, SHORT_TRUTH_CAP = 120 }; /* s of processors, for a truth that nobody has made */
static const char *const all_steps = "1/30,1/60,1/120,1/240,1/480,1/960", *const short_steps = "1/30,1/60,1/120,1/240";

/* ---- options ---- */

static int parse(vv_cost_options *o, int argc, char **argv)
{
    const vv_option options[] = {
        { "--cost", 0, VV_OPTION_FLAG, &o->cost, NULL, "error against truth over cost, in place of a comparison", 0,
          0 },
        { "--with", 'w', VV_OPTION_LIST, &o->with, "LIST", "the methods, with commas between them", 0, 0 },
        { "--steps", 0, VV_OPTION_TEXT, &o->steps, "LIST", "time steps, s; default: 1/30,1/60,... to 1/960", 0, 0 },
        { "--starts", 0, VV_OPTION_INTEGER, &o->starts, "N", "starts of each point, for bands; default: 1", 1,
          MOST_STARTS },
        { "--truth", 0, VV_OPTION_TEXT, &o->truth, "FILE",
          "JSON of visviva truth; default: FOLDER/truth.json, made in 10 minutes of processor time if needed", 0, 0 },
        { "--short", 0, VV_OPTION_FLAG, &o->brief, NULL,
          "steps to 1/240, two starts and --cap 600, unless they are given", 0, 0 },
        { "--cap", 0, VV_OPTION_NUMBER, &o->cap, "SECONDS",
          "of processor time; points beyond it are left out, the finest steps first", 1e-3, 1e9 },
        { "--limit", 0, VV_OPTION_NUMBER, &o->limit, "SECONDS", "of wall-clock time; a longer run is stopped", 1e-3,
          1e9 },
        { "--shift", 0, VV_OPTION_NUMBER, &o->shift, "METRES", "start k is moved by k times this; default: 1e-6", 0,
          1 },
        { "--until", 0, VV_OPTION_NUMBER, &o->until, "SECONDS", "end of the runs, instead of the scene's", 1e-12, 1e7 },
        { "--set", 0, VV_OPTION_LIST, &o->sets, "PATH=VALUE", "overrides a value of the scene for all; may be repeated",
          0, 0 },
        { "--again", 0, VV_OPTION_FLAG, &o->again, NULL, "repeats existing runs, too", 0, 0 },
        { "--any-build", 0, VV_OPTION_FLAG, &o->anyBuild, NULL, "accepts runs of other builds of the program", 0, 0 },
        { "--jobs", 'j', VV_OPTION_INTEGER, &o->jobs, "N",
          "runs at a time; default 0: as many as cores; 1 to compare seconds", 0, 1024 },
        { "--output", 'o', VV_OPTION_TEXT, &o->folder, "FOLDER",
          "for cost.csv, cost.png and cost.svg; default: out/NAME-cost", 0, 0 },
        { "--quiet", 'q', VV_OPTION_FLAG, &o->quiet, NULL, "no progress, no table; only errors", 0, 0 },
        { .name = NULL },
    };
    const vv_command_line line = {
        .usage = "SCENE --cost --with LIST [options]",
        .summary =
            "Runs one scene under several methods, each at several steps, and plots their error against truth "
            "over\ntheir cost: Newton iterations and processor seconds, with the peak memory. Methods are written\n"
            "as for visviva compare: a scheme, a policy, SCHEME+POLICY, or overrides such as\n"
            "\"xpbd:backward-euler;solver.method=xpbd\". cost.csv in the folder has a row for each point, with the\n"
            "command that repeats it; existing rows are not run again. A method that fails is marked.\n"
            "Exit codes: 0 done, also if methods fail, 1 no run or picture, 2 wrong input,\n"
            "130 interrupted.",
        .examples = "  visviva compare --cost bouncing-ball --with backward-euler,bdf2,search --until 1 --short\n"
                    "  visviva compare --cost critter-drop --with search,filtered-search,tr-bdf2 --starts 8 --truth "
                    "out/critter.json -o out/cost",
        .options = options,
        .least = 1,
        .most = 1,
    };
    int count;
    return vv_cli_parse(&line, argc, argv, &o->scene, &count);
}

static int read_options(vv_cost_options *o, int argc, char **argv)
{
    *o = (vv_cost_options){ .until = NAN, .shift = 1e-6, .cap = INFINITY };
    int code = parse(o, argc, argv);
    if (code != VV_CLI_GO)
        return code;
    if (o->brief) {
        o->steps = o->steps ? o->steps : short_steps;
        o->starts = o->starts ? o->starts : SHORT_STARTS;
        o->cap = isfinite(o->cap) ? o->cap : SHORT_CAP;
    }
    o->steps = o->steps ? o->steps : all_steps;
    o->starts = o->starts ? o->starts : 1;
    o->given = o->scene;
    if (o->with.count == 0)
        return vv_cli_wrong("compare --cost needs --with: names of schemes and policies, for example --with "
                            "backward-euler,bdf2,search (visviva compare --cost --help says more)");
    return vv_cli_want_scene(&o->scene, o->found);
}

static int by_size(const void *a, const void *b) { return -vv_by_number(a, b); }

/* Longest first. */
static int read_steps(const char *text, vv_cost *c)
{
    enum { MOST = sizeof c->steps / sizeof *c->steps };
    char one[64];
    for (const char *p = text; p;) {
        const size_t n = strcspn(p, ",");
        double step = 0;
        snprintf(one, sizeof one, "%.*s", (int)(n < 63 ? n : 63), p);
        if (!vv_cli_read_number(one, &step) || !(step > 0))
            return vv_cli_wrong("--steps \"%s\": \"%s\" is not a step; give times in s above 0 with commas between "
                                "them, for example 1/60,1/120",
                                text, one);
        if (c->stepCount == MOST)
            return vv_cli_wrong("--steps: at most %d steps", MOST);
        c->steps[c->stepCount++] = step;
        p = p[n] ? p + n + 1 : NULL;
    }
    qsort(c->steps, (size_t)c->stepCount, sizeof *c->steps, by_size);
    for (int i = 1; i < c->stepCount; i++)
        if (c->steps[i - 1] - c->steps[i] <= 1e-9 * c->steps[i])
            return vv_cli_wrong("--steps \"%s\" has a step twice", text);
    return VV_CLI_GO;
}

/* ---- the truth ---- */

/* What --truth does not give is made in the folder, or was. */
static int make_truth(const vv_cost_work *w, const char *path)
{
    char keep[4300];
    FILE *there = fopen(path, "rb");
    if (there) {
        fclose(there);
        return VV_CLI_GO;
    }
    snprintf(keep, sizeof keep, "%.4000s/truth", w->c.folder);
    const vv_truth_options options = {
        .scene = w->o->scene,
        .json = path,
        .keep = keep,
        .sets = w->o->sets,
        .until = w->o->until,
        .shift = w->o->shift,
        .part = 0.01,
        .cap = w->o->brief ? SHORT_TRUTH_CAP : TRUTH_CAP,
        .starts = w->o->starts > 2 ? w->o->starts : 2,
        .substeps = 4,
        .jobs = w->o->jobs,
        .quiet = w->o->quiet,
    };
    int code = vv_truth_converge(&options);
    return code == VV_EXIT_OK ? VV_CLI_GO : code;
}

static int find_truth(vv_cost_work *w)
{
    char path[4300];
    vv_study_plan own = { 0 };
    snprintf(path, sizeof path, "%.4000s/truth.json", w->c.folder);
    int code = vv_study_plan_read(&own, "scene", w->o->scene, &w->o->sets);
    if (code == VV_CLI_GO && !w->o->truth)
        code = make_truth(w, path);
    if (code == VV_CLI_GO)
        code = vv_cost_truth_read(&w->c.truth, w->o->truth ? w->o->truth : path, &own);
    w->c.end = own.end;
    w->c.frame = own.step;
    vv_study_plan_free(&own);
    return code;
}

/* ---- the command ---- */

/* The program's bits: what another build computes may differ. */
static bool name_build(char out[64])
{
    char digest[VV_STUDY_DIGEST];
    bool good = vv_study_digest_file("/proc/self/exe", digest);
    snprintf(out, 64, "%s-%.8s", vvVersion(), digest);
    return good;
}

static int cost(vv_cost_work *w)
{
    char name[256], folder[4200];
    int code = read_steps(w->o->steps, &w->c);
    if (code == VV_CLI_GO)
        code = vv_compare_read_settings(w->methods, &w->o->with);
    vv_cli_stem(w->o->scene, name, sizeof name);
    snprintf(folder, sizeof folder, "out/%s-cost", name);
    w->c.folder = w->o->folder ? w->o->folder : folder;
    snprintf(w->csv, sizeof w->csv, "%.4000s/cost.csv", w->c.folder);
    if (code == VV_CLI_GO)
        code = vv_cost_plan(w);
    if (code == VV_CLI_GO)
        code = find_truth(w);
    if (code == VV_CLI_GO && !name_build(w->build))
        code = vv_cli_wrong("cannot read the program itself, by which runs of this build are known");
    if (code == VV_CLI_GO)
        code = vv_cost_recall(w);
    if (code != VV_CLI_GO)
        return code;
    code = vv_cost_run(w);
    if (code != VV_EXIT_OK)
        return code;
    if (!w->o->quiet)
        vv_cost_print(&w->c);
    fflush(stdout);
    return vv_cost_draw(&w->c);
}

static void clear(vv_cost_work *w)
{
    for (int i = 0; i < w->jobCount; i++)
        vv_study_job_clear(&w->jobs[i]);
    for (int i = 0; w->figures && i < w->methods->count * w->c.stepCount * w->o->starts; i++)
        json_decref(w->figures[i]);
    for (int i = 0; w->plans && i < w->methods->count * w->c.stepCount; i++)
        vv_study_plan_free(&w->plans[i]);
    vv_cost_truth_free(&w->c.truth);
    vv_cost_table_free(&w->table);
    vv_compare_free(w->methods);
    free(w->plans);
    free(w->c.points);
    free(w->figures);
    free(w->jobs);
    free(w->of);
    free(w->keeps);
    free(w->expected);
}

int vv_cli_cost(int argc, char **argv)
{
    static vv_cost_options o;
    char until[64];
    int code = read_options(&o, argc, argv);
    if (code == VV_CLI_GO)
        code = vv_study_set_until(&o.sets, o.until, until);
    if (code != VV_CLI_GO)
        return code;
    vv_cost_work w = { .o = &o, .methods = calloc(1, sizeof *w.methods) };
    if (!w.methods) {
        vv_cli_wrong("out of memory");
        return VV_EXIT_FAILED;
    }
    w.methods->most = VV_COMPARE_ROOM;
    w.c.methods = w.methods;
    w.c.scene = o.scene;
    w.c.quiet = o.quiet;
    code = cost(&w);
    clear(&w);
    free(w.methods);
    return code;
}
