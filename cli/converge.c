/* visviva truth --converge: a truth that says how good it is.
 *
 * Two witnesses, A-search over backward Euler and TR-BDF2, which have no errors in common, run the scene from the same
 * starts with h / n, and n is doubled until every figure has settled. With m the mean over N starts and sd their
 * deviation, two means agree if they differ by at most `part` of the figure, or by no more than chance makes of them:
 * two standard errors of their difference, 2 sqrt((sd_a^2 + sd_b^2) / N). A figure has settled if each witness agrees
 * with itself at twice the step, and both witnesses with each other. Its value is the mean of both, and its error the
 * largest of these three differences, or chance if that is more.
 *
 * Energies are compared with their size, but no less than a hundredth of the largest energy of motion or strain, turns
 * with a tenth of one at least: what is nearly nothing has no digits. */
#include "truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WITNESSES = 2, MOST_LEVELS = 16 };
static const struct witness {
    const char *name, *scheme, *policy;
} witnesses[WITNESSES] = { { "A-search", "backward-euler", "search" }, { "TR-BDF2", "tr-bdf2", "none" } };

typedef struct level {
    int substeps;
    double step;               /* s */
    json_t *spread[WITNESSES]; /* NULL: none of the starts reached the end */
    int done[WITNESSES];       /* starts that did */
    double seconds;            /* of processors, of all runs */
} level;

typedef struct convergence {
    const vv_truth_options *o;
    level levels[MOST_LEVELS];
    int count;
    double seconds;
    char name[256], content[VV_STUDY_DIGEST];
    double end;
} convergence;

/* ---- one level ---- */

/* The user's overrides, and those of the witness. */
static int plan_of(const vv_truth_options *o, int w, int substeps, char texts[2][64], vv_study_plan *plan)
{
    vv_option_list sets = o->sets;
    if (sets.count + 2 > VV_OPTION_LIST_MAX)
        return vv_cli_wrong("too many --set");
    snprintf(texts[0], 64, "integrator.scheme=%s", witnesses[w].scheme);
    snprintf(texts[1], 64, "integrator.policy=%s", witnesses[w].policy);
    sets.values[sets.count++] = texts[0];
    sets.values[sets.count++] = texts[1];
    int code = vv_study_plan_truth(plan, o->scene, &sets, substeps);
    if (code == VV_CLI_GO)
        snprintf(plan->label, sizeof plan->label, "%s, h/%d", witnesses[w].name, substeps);
    return code;
}

/* Figures that are kept belong to the scene that is kept beside them. */
static int keep_scene(const char *path, const vv_study_plan *plan)
{
    json_t *now = json_loads(plan->scene, 0, NULL), *then = json_load_file(path, 0, NULL);
    bool same = then && json_equal(now, then);
    int code = VV_CLI_GO;
    if (then && !same)
        code = vv_cli_wrong("--keep: %s is of another scene or other settings; choose another folder", path);
    else if (!then && json_dump_file(now, path, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) != 0) { /* all digits */
        vv_cli_wrong("cannot write %s", path);
        code = VV_EXIT_FAILED;
    }
    json_decref(now);
    json_decref(then);
    return code;
}

static int name_files(const vv_truth_options *o, int w, int substeps, const vv_study_plan *plan, char (*files)[4300])
{
    char scene[4300];
    snprintf(scene, sizeof scene, "%.4000s/%s-%d.scene.json", o->keep, witnesses[w].scheme, substeps);
    for (int i = 0; i < o->starts; i++)
        snprintf(files[i], sizeof files[i], "%.4000s/%s-%d-start-%d.json", o->keep, witnesses[w].scheme, substeps, i);
    return vv_cli_make_folders(scene) ? keep_scene(scene, plan) : VV_EXIT_FAILED;
}

static bool is_done(const json_t *figures)
{
    const char *status = json_string_value(json_object_get(figures, "status"));
    return status && strcmp(status, "done") == 0;
}

/* The jobs whose figures are not kept. */
static int run_missing(const vv_truth_options *o, vv_study_job *jobs)
{
    const size_t room = o->starts > 0 ? (size_t)o->starts : 1;
    vv_study_job *missing = calloc(room, sizeof *missing);
    int *of = calloc(room, sizeof *of), count = 0, code = VV_EXIT_OK;
    for (int i = 0; missing && of && i < o->starts; i++) {
        jobs[i].figures = jobs[i].keep ? json_load_file(jobs[i].keep, 0, NULL) : NULL;
        if (!jobs[i].figures)
            of[count] = i, missing[count++] = jobs[i];
    }
    if (!missing || !of)
        code = vv_cli_wrong("out of memory");
    else if (count)
        code = vv_study_work(missing, count, o->jobs, "truth", o->quiet);
    for (int k = 0; k < count; k++)
        jobs[of[k]] = missing[k];
    free(missing);
    free(of);
    return code;
}

static void take(const vv_truth_options *o, const vv_study_job *jobs, int w, level *l)
{
    json_t **good = calloc((size_t)o->starts, sizeof(json_t *));
    for (int i = 0; good && i < o->starts; i++) {
        l->seconds += json_number_value(vv_study_find(jobs[i].figures, "cost.processor"));
        if (is_done(jobs[i].figures))
            good[l->done[w]++] = jobs[i].figures;
    }
    l->spread[w] = good && l->done[w] ? vv_study_spread(good, l->done[w]) : NULL;
    free(good);
}

static int run_witness(convergence *c, int w, level *l)
{
    const vv_truth_options *o = c->o;
    char texts[2][64];
    vv_study_plan plan = { 0 };
    vv_study_job *jobs = calloc((size_t)o->starts, sizeof *jobs);
    char(*files)[4300] = calloc((size_t)o->starts, sizeof *files);
    int code = jobs && files ? plan_of(o, w, l->substeps, texts, &plan) : vv_cli_wrong("out of memory");
    if (code == VV_CLI_GO && o->keep)
        code = name_files(o, w, l->substeps, &plan, files);
    for (int i = 0; code == VV_CLI_GO && i < o->starts; i++)
        jobs[i] = (vv_study_job){ .plan = &plan, .start = i, .shift = o->shift, .keep = o->keep ? files[i] : NULL };
    if (code == VV_CLI_GO) {
        code = run_missing(o, jobs);
        code = code == VV_EXIT_OK ? VV_CLI_GO : code;
    }
    if (code == VV_CLI_GO) {
        take(o, jobs, w, l);
        l->step = plan.step, c->end = plan.end;
        snprintf(c->name, sizeof c->name, "%s", plan.name);
        vv_study_content(&plan, c->content);
    }
    for (int i = 0; jobs && i < o->starts; i++)
        vv_study_job_clear(&jobs[i]);
    free(jobs);
    free(files);
    vv_study_plan_free(&plan);
    return code;
}

/* ---- figures ---- */

typedef struct figure {
    char heading[64], label[64], path[64];
    const char *unit;
    double value, error, relative; /* error over the size that it is compared with */
    double mean[WITNESSES];
    bool settled;
} figure;

/* What says how well a method does, and not what happens; and what is of one moment alone. */
static bool is_of_method(const char *path)
{
    static const char *const prefixes[] = { "cost.",
                                            "ledger.error",
                                            "ledger.mean_target_error",
                                            "ledger.work",
                                            "energy.second_half.gravity",
                                            "energy.second_half.total",
                                            "energy.second_half.kinetic",
                                            "energy.end.",
                                            "momentum." };
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(path, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

typedef struct compared {
    double by, chance; /* two standard errors */
} compared;

static compared compare(json_t *a, json_t *b, const char *path)
{
    double sa = vv_study_number(a, path, "sd"), sb = vv_study_number(b, path, "sd"),
           na = vv_study_number(a, path, "runs"), nb = vv_study_number(b, path, "runs");
    return (compared){ fabs(vv_study_number(a, path, "mean") - vv_study_number(b, path, "mean")),
                       2 * sqrt(sa * sa / na + sb * sb / nb) };
}

/* What a difference of the figure is compared with. */
static double size_of(const level *now, double energy, const figure *f)
{
    int body;
    char climb[64];
    double size = fabs(f->value);
    if (strcmp(f->unit, "m") == 0 && sscanf(f->path, "bodies.%d.", &body) == 1) {
        snprintf(climb, sizeof climb, "bodies.%d.climb", body);
        size = vv_study_number(now->spread[0], climb, "mean");
    }
    const size_t length = strlen(f->path), turns = strlen(".turns");
    if (length > turns && strcmp(f->path + length - turns, ".turns") == 0)
        size = fmax(size, 0.1);
    return fmax(size, strcmp(f->unit, "J") == 0 ? 0.01 * energy : 1e-12);
}

/* Not there in one of the four: it has not settled. */
static void judge(const level *now, const level *before, double energy, double part, figure *f)
{
    const compared all[] = { compare(now->spread[0], before->spread[0], f->path),
                             compare(now->spread[1], before->spread[1], f->path),
                             compare(now->spread[0], now->spread[1], f->path) };
    double sum = 0;
    for (int w = 0; w < WITNESSES; w++)
        sum += f->mean[w] = vv_study_number(now->spread[w], f->path, "mean");
    f->value = sum / WITNESSES;
    const double against = size_of(now, energy, f);
    f->settled = isfinite(f->value);
    f->error = 0;
    for (int i = 0; i < 3; i++) {
        f->settled = f->settled && (all[i].by <= part * against || all[i].by <= all[i].chance);
        f->error = !(all[i].by <= f->error) ? all[i].by : f->error;
        f->error = all[i].chance > f->error ? all[i].chance : f->error;
    }
    f->relative = f->error / against;
}

static int find_figures(const convergence *c, figure figures[VV_STUDY_ROWS])
{
    const level *now = &c->levels[c->count - 1], *before = now - 1;
    json_t *spreads[] = { now->spread[0], now->spread[1], before->spread[0], before->spread[1] };
    vv_study_row rows[VV_STUDY_ROWS];
    const char *heading = "";
    int rowCount = vv_study_rows(spreads, 4, rows), count = 0;
    const double size = vv_study_energy_size(spreads, 4);
    for (int i = 0; i < rowCount; i++) {
        if (!rows[i].path[0]) {
            heading = rows[i].label;
            continue;
        }
        if (is_of_method(rows[i].path))
            continue;
        figure *f = &figures[count++];
        *f = (figure){ .unit = rows[i].unit };
        snprintf(f->heading, sizeof f->heading, "%.60s", heading);
        snprintf(f->label, sizeof f->label, "%.60s", rows[i].label);
        snprintf(f->path, sizeof f->path, "%.60s", rows[i].path);
        judge(now, before, size, c->o->part, f);
    }
    return count;
}

static bool is_complete(const level *l)
{
    for (int w = 0; w < WITNESSES; w++)
        if (!l->spread[w])
            return false;
    return true;
}

/* ---- reports ---- */

static void tell_level(const convergence *c, const figure *figures, int count)
{
    const level *l = &c->levels[c->count - 1];
    const figure *worst = NULL;
    int open = 0;
    for (int i = 0; i < count; i++)
        if (!figures[i].settled) {
            open++;
            worst = !worst || figures[i].relative > worst->relative ? &figures[i] : worst;
        }
    printf("h/%-5d %.3g s, %.0f s of processors", l->substeps, l->step, l->seconds);
    for (int w = 0; w < WITNESSES; w++)
        if (l->done[w] < c->o->starts)
            printf("; %s: %d of %d starts reached the end", witnesses[w].name, l->done[w], c->o->starts);
    if (worst)
        printf("; %d of %d figures have not settled, most of all %s, %s: by %.3g%%", open, count, worst->heading,
               worst->label, 100 * worst->relative);
    else if (count)
        printf("; all %d figures have settled", count);
    putchar('\n');
    fflush(stdout);
}

static void print_table(const figure *figures, int count)
{
    char value[VV_TEXT * 2], error[VV_TEXT * 2], a[VV_TEXT * 2], b[VV_TEXT * 2];
    const char *heading = "";
    printf("\n  %-28s %14s %12s %14s %14s\n", "", "value", "error", witnesses[0].name, witnesses[1].name);
    for (int i = 0; i < count; i++) {
        const figure *f = &figures[i];
        if (strcmp(heading, f->heading) != 0)
            printf("%s\n", heading = f->heading);
        const char *cells[] = { vv_study_cell(value, f->value, 0, f->unit), vv_study_cell(error, f->error, 0, f->unit),
                                vv_study_cell(a, f->mean[0], 0, f->unit), vv_study_cell(b, f->mean[1], 0, f->unit) };
        static const int widths[] = { 14, 12, 14, 14 };
        printf("  %-28s", f->label);
        for (int k = 0; k < 4; k++)
            printf(" %*s", widths[k] + (strstr(cells[k], "µ") != NULL), cells[k]);
        printf("%s\n", f->settled ? "" : "  not settled");
    }
}

static json_t *number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t *to_json(const convergence *c, const figure *figures, int count, bool settled)
{
    json_t *list = json_array(), *levels = json_array();
    for (int i = 0; i < count; i++) {
        const figure *f = &figures[i];
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:b}", "path", f->path, "label", f->label,
                                        "unit", f->unit, "value", number(f->value), "error", number(f->error), "search",
                                        number(f->mean[0]), "tr_bdf2", number(f->mean[1]), "settled", f->settled));
    }
    for (int i = 0; i < c->count; i++) {
        const level *l = &c->levels[i];
        json_array_append_new(levels,
                              json_pack("{s:i, s:f, s:f, s:O?, s:O?}", "substeps", l->substeps, "time_step", l->step,
                                        "processor", l->seconds, "search", l->spread[0], "tr_bdf2", l->spread[1]));
    }
    return json_pack("{s:s, s:s, s:f, s:f, s:i, s:f, s:f, s:f, s:f, s:b, s:o, s:o}", "scene", c->name, "content",
                     c->content, "frame", c->levels[0].step * c->levels[0].substeps, "until", c->end, "runs",
                     c->o->starts, "shift", c->o->shift, "part", c->o->part, "cap", c->o->cap, "processor", c->seconds,
                     "settled", settled, "figures", list, "levels", levels);
}

/* ---- the loop ---- */

static int add_level(convergence *c, int substeps)
{
    level *l = &c->levels[c->count];
    *l = (level){ .substeps = substeps };
    int code = VV_CLI_GO;
    for (int w = 0; w < WITNESSES && code == VV_CLI_GO; w++)
        code = run_witness(c, w, l);
    c->count++;
    c->seconds += l->seconds;
    return code;
}

/* Twice the steps take about twice as long. */
static bool may_go_on(const convergence *c, int substeps)
{
    return c->count < MOST_LEVELS && substeps <= 100000 &&
           (c->count < 2 || c->seconds + 2 * c->levels[c->count - 1].seconds <= c->o->cap);
}

static int converge(convergence *c, figure *figures)
{
    int substeps = c->o->substeps, count = 0, code = VV_CLI_GO;
    bool settled = false;
    for (; !settled && code == VV_CLI_GO && may_go_on(c, substeps); substeps *= 2) {
        code = add_level(c, substeps);
        const level *l = &c->levels[c->count - 1];
        count =
            code == VV_CLI_GO && c->count > 1 && is_complete(l) && is_complete(l - 1) ? find_figures(c, figures) : 0;
        settled = count > 0;
        for (int i = 0; i < count; i++)
            settled = settled && figures[i].settled;
        if (code == VV_CLI_GO && !c->o->quiet)
            tell_level(c, figures, count);
    }
    if (code != VV_CLI_GO)
        return code;
    if (!c->o->quiet && count)
        print_table(figures, count);
    if (!settled)
        fprintf(stderr,
                "visviva: not converged to %.3g within %.3g s of processors (%.3g s were spent): the errors "
                "stand beside the figures; --cap allows more\n",
                c->o->part, c->o->cap, c->seconds);
    json_t *all = c->o->json ? to_json(c, figures, count, settled) : NULL;
    code = all && !vv_truth_write(c->o->json, all) ? VV_EXIT_FAILED : count ? VV_EXIT_OK : VV_EXIT_FAILED;
    json_decref(all);
    return code;
}

int vv_truth_converge(const vv_truth_options *o)
{
    for (int i = 0; i < o->sets.count; i++)
        if (strncmp(o->sets.values[i], "integrator.scheme=", 18) == 0 ||
            strncmp(o->sets.values[i], "integrator.policy=", 18) == 0)
            return vv_cli_wrong("--converge compares %s and %s: --set %s cannot be combined with it", witnesses[0].name,
                                witnesses[1].name, o->sets.values[i]);
    if (o->folder)
        return vv_cli_wrong("--converge writes no run files: --keep saves figures, --json the result");
    convergence *c = calloc(1, sizeof *c);
    figure *figures = calloc(VV_STUDY_ROWS, sizeof *figures);
    int code = VV_EXIT_FAILED;
    if (c && figures) {
        c->o = o;
        code = converge(c, figures);
    } else {
        vv_cli_wrong("out of memory");
    }
    for (int i = 0; c && i < c->count; i++)
        for (int w = 0; w < WITNESSES; w++)
            json_decref(c->levels[i].spread[w]);
    free(c);
    free(figures);
    return code;
}
