/* Error against time of the solvers with a fixed budget: one step of a body that has fallen for a while, solved with
 * 1, 2, 4, ... iterations, compared with the same step solved to the end. All solvers have the same material. The
 * picture says which to take. */
#include "bench/realtime.h"
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FALL = 12, MOST_POINTS = 10, MOST_CURVES = 12 };

typedef struct curve {
    const char *solver, *acceleration;
    int way; /* of `ways` */
    int count, budget[MOST_POINTS];
    double ms[MOST_POINTS], error[MOST_POINTS]; /* error: relative to how far the step goes */
} curve;

typedef struct problem {
    const vv_realtime_body *body;
    const char *model;
    vvWorld *world;
    vvSnapshot *before;
    size_t n;
    double *begin, *end; /* n: positions before and after the step, solved to the end */
    curve curves[MOST_CURVES];
    int count;
} problem;

static double distance(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

static vvStatus set_solver(vvWorld *world, const char *method, const char *acceleration, int budget, double tolerance,
                           vvError *error)
{
    vvSolverDef def = vvDefaultWorldDef().solver;
    def.method = method, def.acceleration = acceleration, def.budget = budget, def.tolerance = tolerance;
    def.linearTolerance = 1e-8;
    return vvWorldSetSolver(world, &def, error);
}

/* The world after a fall, and the step that follows, to the end. */
static vvStatus begin(problem *p, vvError *error)
{
    vv_realtime_choice choice = { .solver = "newton", .model = p->model, .threads = 1 };
    vvStatus status = vv_realtime_world(p->body, NULL, &choice, &p->world, error);
    if (status == VV_OK)
        status = set_solver(p->world, "newton", "none", 0, 1e-4, error);
    for (int i = 0; i < FALL && status == VV_OK; i++)
        status = vvWorldStep(p->world, NULL, error);
    if (status == VV_OK)
        status = vvWorldSnapshot(p->world, &p->before, error);
    if (status != VV_OK)
        return status;
    p->n = 3 * (size_t)vvWorldNodeCount(p->world);
    p->begin = malloc(p->n * sizeof *p->begin), p->end = malloc(p->n * sizeof *p->end);
    if (!p->begin || !p->end)
        return VV_ERROR_MEMORY;
    memcpy(p->begin, vvWorldPositions(p->world), p->n * sizeof *p->begin);
    status = set_solver(p->world, "newton", "none", 0, 1e-9, error);
    if (status == VV_OK)
        status = vvWorldStep(p->world, NULL, error);
    memcpy(p->end, vvWorldPositions(p->world), p->n * sizeof *p->end);
    return status;
}

/* One curve: the median of several steps from the same place at each budget. The first step makes the factors. */
static vvStatus draw_curve(problem *p, curve *c, int repeats, vvError *error)
{
    vvStatus status = VV_OK;
    const double way = distance(p->n, p->end, p->begin);
    for (int budget = 1; budget <= 256 && c->count < MOST_POINTS && status == VV_OK; budget *= 2) {
        double ms[64];
        int runs = repeats < 64 ? repeats : 64;
        double off = 0;
        for (int i = -1; i < runs && status == VV_OK; i++) {
            vvStepReport report = { 0 };
            status = vvWorldRestore(p->world, p->before, error);
            if (status == VV_OK)
                status = set_solver(p->world, c->solver, c->acceleration, budget, 1e-13, error);
            if (status == VV_OK)
                status = vvWorldStep(p->world, &report, error);
            if (i >= 0)
                ms[i] = 1e3 * (report.wall - report.factorSeconds);
            off = distance(p->n, vvWorldPositions(p->world), p->end) / way;
        }
        c->budget[c->count] = budget, c->ms[c->count] = vv_bench_median(ms, runs), c->error[c->count++] = off;
    }
    return status;
}

static void say(const problem *p, json_t *rows)
{
    for (int i = 0; i < p->count; i++) {
        const curve *c = p->curves + i;
        json_t *ms = json_array(), *error = json_array(), *budget = json_array();
        printf("%-8s %-18s %-13s %-10s", p->body->name, p->model, c->solver, c->acceleration);
        for (int k = 0; k < c->count; k++) {
            printf("  %d: %.2g at %.2f ms", c->budget[k], c->error[k], c->ms[k]);
            json_array_append_new(ms, json_real(c->ms[k]));
            json_array_append_new(error, json_real(c->error[k]));
            json_array_append_new(budget, json_integer(c->budget[k]));
        }
        putchar('\n');
        json_array_append_new(rows, json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "name", "convergence", "body",
                                              p->body->name, "material", p->model, "solver", c->solver, "iterations",
                                              budget, "ms", ms, "error", error));
        json_object_set_new(json_array_get(rows, json_array_size(rows) - 1), "acceleration",
                            json_string(c->acceleration));
    }
    fflush(stdout);
}

/* Each way down has its colour in all panels. */
static const struct way {
    const char *solver, *acceleration, *colour;
    int dash;
} ways[] = { { "local-global", "none", "#1f77b4", 1 },     { "local-global", "chebyshev", "#6baed6", 3 },
             { "local-global", "anderson", "#1f77b4", 2 }, { "lbfgs", "none", "#d9622b", 1 },
             { "block-descent", "none", "#2ca02c", 1 },    { "xpbd", "none", "#8c6bb1", 1 },
             { "xpbd-exact", "none", "#8c6bb1", 2 },       { "newton", "none", "#333333", 1 } };
enum { WAYS = sizeof ways / sizeof *ways };

static vvStatus solve(problem *p, int repeats, vvError *error)
{
    vvStatus status = begin(p, error);
    for (int i = 0; i < WAYS && status == VV_OK; i++) {
        if (!vv_realtime_suits(ways[i].solver, p->model))
            continue;
        p->curves[p->count] = (curve){ .solver = ways[i].solver, .acceleration = ways[i].acceleration, .way = i };
        status = draw_curve(p, p->curves + p->count++, repeats, error);
    }
    return status;
}

/* ---- the picture ---- */

static void write_panel(FILE *out, const problem *p, int panel, int panels)
{
    const int rows = (panels + 1) / 2;
    fprintf(out,
            "set origin %g,%g\nset size 0.5,%g\nset logscale xy\nset format y '10^{%%L}'\nset grid back lc rgb "
            "'#e4e4e4'\nset key left bottom Left reverse\n",
            0.5 * (panel % 2), 1 - (panel / 2 + 1.0) / rows, 1.0 / rows);
    fprintf(out,
            "set xlabel 'milliseconds a step, one thread'\nset ylabel 'error of the step, relative to its length'\n");
    fprintf(out, "set title '%s, %s: %zu nodes'\n", p->body->name, p->model, p->n / 3);
    fputs("plot", out);
    for (int i = 0; i < p->count; i++)
        fprintf(out, "%s '-' using 1:2 with linespoints lw 2 pt 7 ps 0.6 lc rgb '%s' dt %d title '%s%s%s'",
                i ? "," : "", ways[p->curves[i].way].colour, ways[p->curves[i].way].dash, p->curves[i].solver,
                strcmp(p->curves[i].acceleration, "none") ? ", " : "",
                strcmp(p->curves[i].acceleration, "none") ? p->curves[i].acceleration : "");
    fputc('\n', out);
    for (int i = 0; i < p->count; i++) {
        for (int k = 0; k < p->curves[i].count; k++)
            if (p->curves[i].error[k] > 1e-9)
                fprintf(out, "%.9g %.9g\n", p->curves[i].ms[k], p->curves[i].error[k]);
        fputs("e\n", out);
    }
}

static int draw(const char *path, const problem *problems, int count)
{
    char folder[4096], made[4200];
    const char *ending = strrchr(path, '.');
    const bool svg = ending && strcmp(ending, ".svg") == 0;
    vv_child gnuplot;
    if (!vv_temporary_folder(folder))
        return VV_EXIT_FAILED;
    const int size[2] = { 1240, 440 * ((count + 1) / 2) };
    snprintf(made, sizeof made, "%s/picture", folder);
    bool ok = vv_gnuplot_start(&gnuplot, folder, svg ? "svg" : "pngcairo", "picture", size, 10);
    if (ok) {
        fputs("set multiplot\n", gnuplot.in);
        for (int i = 0; i < count; i++)
            write_panel(gnuplot.in, problems + i, i, count);
        fputs("unset multiplot\n", gnuplot.in);
        ok = vv_child_finish(&gnuplot);
    }
    ok = ok && vv_cli_make_folders(path) && vv_file_deliver(made, path);
    vv_temporary_remove(folder);
    if (ok)
        printf("written: %s\n", path);
    return ok ? VV_EXIT_OK : VV_EXIT_FAILED;
}

int vv_bench_convergence(const vv_bench_options *options, json_t *rows)
{
    static const struct {
        const char *body, *model;
    } all[] = {
        { "cloth", "hooke" }, { "S3", "arap" }, { "S3", "stable-neo-hookean" }, { "b-cactus", "stable-neo-hookean" }
    };
    problem problems[4] = { 0 };
    int count = options->quick ? 2 : 4, code = VV_EXIT_OK;
    for (int i = 0; i < count && code == VV_EXIT_OK; i++) {
        problem *p = problems + i;
        vvError error = { 0 };
        for (int k = 0; vv_realtime_body_at(k); k++)
            if (strcmp(vv_realtime_body_at(k)->name, all[i].body) == 0)
                p->body = vv_realtime_body_at(k);
        p->model = all[i].model;
        vvStatus status = solve(p, options->repeats, &error);
        if (status == VV_OK) {
            say(p, rows);
        } else {
            fprintf(stderr, "visviva: bench %s: %s\n", all[i].body, error.message);
            code = VV_EXIT_FAILED;
        }
    }
    if (code == VV_EXIT_OK && options->picture)
        code = draw(options->picture, problems, count);
    for (int i = 0; i < count; i++) {
        vvSnapshotDestroy(problems[i].before);
        vvWorldDestroy(problems[i].world);
        free(problems[i].begin), free(problems[i].end);
    }
    return code;
}
