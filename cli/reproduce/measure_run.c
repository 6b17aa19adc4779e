/* Measures of a run as a whole: a figure, whether and when it ended early, what a matrix or a search for a step
 * found. */
#include "reproduce/reproduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static vv_repro_run *run_of(const vv_repro_item *item, const json_t *spec, const char *key)
{
    return vv_repro_find_run(item, json_string_value(json_object_get(spec, key)));
}

static int check_text(const vv_repro_item *item, const char *path, const json_t *spec, const char *key)
{
    char below[VV_REPRO_PATH];
    if (json_is_string(json_object_get(spec, key)))
        return VV_CLI_GO;
    return vv_repro_wrong(item, vv_repro_path(below, path, key), "must be a text");
}

/* ---- { "figure": "energy.end.total", "run": NAME } ---- */

static int check_figure(const vv_repro_item *item, const char *path, const json_t *spec)
{
    return check_text(item, path, spec, "figure");
}

static double figure(vv_repro_item *item, json_t *spec, char why[VV_REPRO_WHY])
{
    const vv_repro_run *run = run_of(item, spec, "run");
    const char *path = json_string_value(json_object_get(spec, "figure"));
    json_t *value = vv_study_find(run->figures, path);
    if (!vv_repro_run_done(run) && strncmp(path, "energy.start.", 13) != 0 && strcmp(path, "time_end") != 0)
        return vv_repro_none(why, "%.390s", vv_repro_run_status(run));
    if (json_is_number(value))
        return json_number_value(value);
    return vv_repro_none(why, "the run has no figure %.200s", path);
}

static bool is_cost(const json_t *spec)
{
    return strncmp(json_string_value(json_object_get(spec, "figure")), "cost.", 5) == 0;
}

const vv_repro_measure vv_repro_measure_figure = { "figure", "run", "run",        "a figure of visviva truth",
                                                   NULL,     "run", check_figure, figure,
                                                   is_cost };

/* ---- { "seconds": "iteration", "run": NAME }: of all steps, or of them a step or a Newton iteration; the median
 * step; processor time ---- */

/* What the first step makes once, such as a factor, and steps in which other programs had the processor, do not move
 * it. */
static double median_step(vv_repro_run *run, char why[VV_REPRO_WHY])
{
    vvError error = { 0 };
    if (!vv_repro_run_rows(run, why))
        return NAN;
    int count = run->rowCount - 1;
    double value = NAN, *seconds = calloc((size_t)(count > 0 ? count : 1) * VV_PHASE_COUNT, sizeof *seconds);
    if (!seconds)
        vv_repro_none(why, "out of memory");
    else if (count < 1)
        vv_repro_none(why, "the run has no step");
    else if (vvRunReadPhases(run->file, 0, count, seconds, &error) != VV_OK)
        vv_repro_none(why, "%.390s", error.message);
    else {
        for (int i = 0; i < count; i++) {
            double sum = 0;
            for (int k = 0; k < VV_PHASE_COUNT; k++)
                sum += seconds[(size_t)i * VV_PHASE_COUNT + (size_t)k];
            seconds[i] = sum; /* of rows that have been read */
        }
        qsort(seconds, (size_t)count, sizeof *seconds, vv_by_number);
        value = count % 2 ? seconds[count / 2] : 0.5 * (seconds[count / 2 - 1] + seconds[count / 2]);
    }
    free(seconds);
    return value;
}

static double seconds(vv_repro_item *item, json_t *spec, char why[VV_REPRO_WHY])
{
    vv_repro_run *run = run_of(item, spec, "run");
    const char *of = json_string_value(json_object_get(spec, "seconds"));
    if (of[0] == 'm')
        return median_step(run, why);
    if (of[0] == 'p' && !vv_repro_run_done(run))
        return vv_repro_none(why, "%.390s", vv_repro_run_status(run));
    bool processor = of[0] == 'p'; /* what other programs do on the machine hardly moves it */
    json_t *spent = vv_study_find(run->figures, processor ? "cost.processor" : "cost.wall"),
           *count = vv_study_find(run->figures, of[0] == 's' ? "cost.steps" : "cost.newton_iterations");
    double by = of[0] == 'a' || processor ? 1 : json_number_value(count);
    return json_is_number(spent) && by > 0 ? json_number_value(spent) / by
                                           : vv_repro_none(why, "the run has no such time");
}

static bool always(const json_t *spec)
{
    (void)spec;
    return true;
}

const vv_repro_measure vv_repro_measure_seconds = {
    "seconds",
    "run",
    "run",
    "time of the steps, of one, of the median one or of a Newton iteration",
    "all step iteration median processor",
    "run",
    NULL,
    seconds,
    always
};

/* ---- { "end": NAME }: 1 if the run reached its end, else 0; { "fails": NAME }: the step that failed ---- */

static double ended(vv_repro_item *item, json_t *spec, char why[VV_REPRO_WHY])
{
    (void)why;
    return vv_repro_run_done(run_of(item, spec, "end"));
}

const vv_repro_measure vv_repro_measure_end = { "end", "",    "",   "1: the run reached its end, 0: a step failed",
                                                NULL,  "run", NULL, ended };

static double fails(vv_repro_item *item, json_t *spec, char why[VV_REPRO_WHY])
{
    vv_repro_run *run = run_of(item, spec, "fails");
    if (vv_repro_run_done(run))
        return vv_repro_none(why, "no step failed");
    return vv_repro_run_rows(run, why) ? (double)run->rows[run->rowCount - 1].step + 1 : NAN;
}

const vv_repro_measure vv_repro_measure_fails = { "fails", "",    "",   "the number of the step that failed",
                                                  NULL,    "run", NULL, fails };

/* ---- { "explodes": NAME }: from which step on the energy exceeds 10 times that of the start, or that fails ---- */

static double explodes(vv_repro_item *item, json_t *spec, char why[VV_REPRO_WHY])
{
    vv_repro_run *run = run_of(item, spec, "explodes");
    static const double factor = 10;
    double zero, first = vv_repro_run_energy(run, &zero, why);
    if (isnan(first))
        return NAN;
    int i = run->rowCount; /* to the end: a leap that sinks again, as dissipation makes it, leaves the motion */
    while (i > 1 && !(run->rows[i - 1].total - zero <= factor * first))
        i--;
    if (i < run->rowCount)
        return (double)run->rows[i].step;
    if (!vv_repro_run_done(run))
        return (double)run->rows[run->rowCount - 1].step + 1;
    return vv_repro_none(why, "it does not for good, in %d steps", run->rowCount - 1);
}

const vv_repro_measure vv_repro_measure_explodes = {
    "explodes", "",    "",   "the step from which on the energy is above 10 times that of the start, or that fails",
    NULL,       "run", NULL, explodes
};

/* ---- { "matrix": "trace", "run": NAME }, { "largest_step": "survives", "run": NAME } ---- */

static int check_matrix(const vv_repro_item *item, const char *path, const json_t *spec)
{
    char below[VV_REPRO_PATH];
    const char *what = json_string_value(json_object_get(spec, "matrix"));
    if (!what || (!vv_repro_has_word("determinant trace radius", what) && strncmp(what, "matrix.", 7) != 0))
        return vv_repro_wrong(item, vv_repro_path(below, path, "matrix"),
                              "must be one of: determinant, trace, radius, or an entry such as matrix.0.1");
    return VV_CLI_GO;
}

static double matrix(vv_repro_item *item, json_t *spec, char why[VV_REPRO_WHY])
{
    const vv_repro_run *run = run_of(item, spec, "run");
    json_t *value = vv_study_find(run->figures, json_string_value(json_object_get(spec, "matrix")));
    if (json_is_number(value))
        return json_number_value(value);
    return vv_repro_none(why, "%.390s",
                         vv_repro_run_done(run) ? "the matrix has no such entry" : vv_repro_run_status(run));
}

const vv_repro_measure vv_repro_measure_matrix = { "matrix", "run",    "run",        "of the matrix of one step",
                                                   NULL,     "matrix", check_matrix, matrix };

static double equation(vv_repro_item *item, json_t *spec, char why[VV_REPRO_WHY])
{
    const vv_repro_run *run = run_of(item, spec, "run");
    const char *what = json_string_value(json_object_get(spec, "equation"));
    json_t *value = json_object_get(run->figures, what);
    if (json_is_number(value))
        return json_number_value(value);
    return vv_repro_run_done(run) ? vv_repro_none(why, "there is no %s on the line", what)
                                  : vv_repro_none(why, "%.390s", vv_repro_run_status(run));
}

const vv_repro_measure vv_repro_measure_equation = {
    "equation", "run", "run",   "of the equation of one step along a line", "roots root traps trap minima",
    "equation", NULL,  equation
};

static double largest(vv_repro_item *item, json_t *spec, char why[VV_REPRO_WHY])
{
    const vv_repro_run *run = run_of(item, spec, "run");
    const char *what = json_string_value(json_object_get(spec, "largest_step"));
    json_t *value = json_object_get(run->figures, what);
    if (json_is_number(value))
        return json_number_value(value);
    if (!vv_repro_run_done(run))
        return vv_repro_none(why, "%.390s", vv_repro_run_status(run));
    return vv_repro_none(why, "no step between \"low\" and \"high\" %s", what);
}

const vv_repro_measure vv_repro_measure_largest_step = {
    "largest_step",   "run",          "run", "the largest step that survives, or the smallest that does not",
    "survives fails", "largest-step", NULL,  largest
};
