/* { "convergence": "failed", "run": NAME }: of a map of one step's iterations (run_convergence.c). */
#include "reproduce/reproduce.h"

#include <math.h>
#include <string.h>

static int check(const vv_repro_item *item, const char *path, const json_t *spec)
{
    char below[VV_REPRO_PATH];
    const char *what = json_string_value(json_object_get(spec, "convergence"));
    json_t *iterations = json_object_get(spec, "iterations"), *than = json_object_get(spec, "than");
    bool within = strcmp(what, "within") == 0, slower = strcmp(what, "slower") == 0;
    if (within != (iterations != NULL) ||
        (iterations && !(json_is_integer(iterations) && json_integer_value(iterations) >= 0)))
        return vv_repro_wrong(item, vv_repro_path(below, path, "iterations"),
                              "is of \"within\", and of nothing else: a whole number from 0");
    if (slower != (than != NULL))
        return vv_repro_wrong(item, vv_repro_path(below, path, "than"),
                              "is of \"slower\", and of nothing else: the run that is compared with");
    return than ? vv_repro_check_run(item, path, spec, "than", "convergence") : VV_CLI_GO;
}

static const json_t *iterations_of(const vv_repro_item *item, const json_t *spec, const char *key)
{
    const vv_repro_run *run = vv_repro_find_run(item, json_string_value(json_object_get(spec, key)));
    return json_object_get(run->figures, "iterations");
}

/* The part of the pixels at which both converge where `a` takes more. */
static double slower(const json_t *a, const json_t *b, char why[VV_REPRO_WHY])
{
    int both = 0, more = 0;
    if (json_array_size(a) != json_array_size(b))
        return vv_repro_none(why, "the maps are not of one size");
    for (size_t i = 0; i < json_array_size(a); i++) {
        const json_t *x = json_array_get(a, i), *y = json_array_get(b, i);
        bool counts = json_is_integer(x) && json_is_integer(y);
        both += counts;
        more += counts && json_integer_value(x) > json_integer_value(y);
    }
    return both ? (double)more / both : vv_repro_none(why, "at no pixel both converge");
}

static double value(vv_repro_item *item, json_t *spec, char why[VV_REPRO_WHY])
{
    const char *what = json_string_value(json_object_get(spec, "convergence"));
    const json_t *list = iterations_of(item, spec, "run");
    if (!list || (what[0] == 's' && !iterations_of(item, spec, "than")))
        return vv_repro_none(why, "the map was not made");
    if (what[0] == 's')
        return slower(list, iterations_of(item, spec, "than"), why);
    double sum = 0, most = 0, limit = (double)json_integer_value(json_object_get(spec, "iterations"));
    int converged = 0, within = 0, pixels = (int)json_array_size(list);
    for (int i = 0; i < pixels; i++) {
        const json_t *of = json_array_get(list, (size_t)i);
        double n = (double)json_integer_value(of);
        if (!json_is_integer(of))
            continue;
        converged++;
        sum += n, most = fmax(most, n), within += n <= limit;
    }
    if (what[0] == 'f')
        return (double)(pixels - converged) / pixels;
    if (!converged)
        return vv_repro_none(why, "the step converges from no pixel");
    return what[0] == 'w' ? (double)within / converged : what[1] == 'e' ? sum / converged : most;
}

const vv_repro_measure vv_repro_measure_convergence = {
    "convergence",
    "run iterations than",
    "run",
    "of a map of one step's iterations: the part that failed, the mean, ...",
    "failed mean most within slower",
    "convergence",
    check,
    value
};
