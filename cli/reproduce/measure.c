/* What can be measured of finished runs: the table of kinds, and numbers made of other numbers. The key that tells
 * the kind stands in the object itself: { "column": "total", "run": "BE", "take": "max" }. A plain number is a
 * measure too. */
#include "reproduce/reproduce.h"

#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The first whose key is there: a deviation also has a column. */
static const vv_repro_measure *const kinds[] = {
    &vv_repro_measure_deviation,    &vv_repro_measure_column,   &vv_repro_measure_position,
    &vv_repro_measure_figure,       &vv_repro_measure_end,      &vv_repro_measure_seconds,
    &vv_repro_measure_fails,        &vv_repro_measure_explodes, &vv_repro_measure_matrix,
    &vv_repro_measure_largest_step, &vv_repro_measure_equation, &vv_repro_measure_error,
    &vv_repro_measure_order,        &vv_repro_measure_over,     &vv_repro_measure_ratio,
    &vv_repro_measure_difference,   &vv_repro_measure_relative, &vv_repro_measure_size,
    &vv_repro_measure_convergence,  &vv_repro_measure_waves,    &vv_repro_measure_spectrum,
    &vv_repro_measure_bending,      &vv_repro_measure_phase,
};
enum { KINDS = sizeof kinds / sizeof *kinds };

double vv_repro_none(char why[VV_REPRO_WHY], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why, VV_REPRO_WHY, format, args);
    va_end(args);
    return NAN;
}

vv_repro_run *vv_repro_find_run(const vv_repro_item *item, const char *name)
{
    for (int i = 0; name && i < item->runCount; i++)
        if (strcmp(item->runs[i].name, name) == 0)
            return &item->runs[i];
    return NULL;
}

int vv_repro_check_run(const vv_repro_item *item, const char *path, const json_t *spec, const char *key,
                       const char *kind)
{
    enum { MOST = 256 };
    const char *name = json_string_value(json_object_get(spec, key)), *names[MOST];
    char below[VV_REPRO_PATH], hint[VV_HINT];
    const vv_repro_run *run = vv_repro_find_run(item, name);
    int count = 0;
    vv_repro_path(below, path, key);
    for (; count < item->runCount && count < MOST; count++)
        names[count] = item->runs[count].name;
    if (!run)
        return vv_repro_wrong(item, below, "there is no run \"%s\" in this item%s", name ? name : "",
                              vv_cli_hint(hint, name ? name : "", names, count));
    if (strcmp(run->kind->name, kind) != 0)
        return vv_repro_wrong(item, below,
                              "the run \"%s\" is of the kind \"%s\"; this measures runs of the kind \"%s\"", name,
                              run->kind->name, kind);
    return VV_CLI_GO;
}

/* ---- the table ---- */

static const vv_repro_measure *kind_of(const json_t *spec)
{
    for (int i = 0; i < KINDS; i++)
        if (json_object_get(spec, kinds[i]->name))
            return kinds[i];
    return NULL;
}

static int check_word(const vv_repro_item *item, const char *path, const json_t *spec, const vv_repro_measure *kind)
{
    char below[VV_REPRO_PATH], list[200];
    const char *word = json_string_value(json_object_get(spec, kind->name));
    size_t used = 0;
    if (word && vv_repro_has_word(kind->words, word))
        return VV_CLI_GO;
    for (const char *c = kind->words; *c && used < sizeof list; c++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%c", *c == ' ' ? "," : "", *c);
    return vv_repro_wrong(item, vv_repro_path(below, path, kind->name), "must be one of: %s", list);
}

static int check_values(const vv_repro_item *item, const char *path, const json_t *spec, const vv_repro_measure *kind)
{
    int code = kind->words ? check_word(item, path, spec, kind) : VV_CLI_GO;
    if (code == VV_CLI_GO && kind->check)
        code = kind->check(item, path, spec);
    if (code == VV_CLI_GO && kind->runs)
        code =
            vv_repro_check_run(item, path, spec, vv_repro_has_word(kind->keys, "run") ? "run" : kind->name, kind->runs);
    return code == VV_CLI_GO && strstr(kind->keys, VV_REPRO_TAKE_KEYS) ? vv_repro_take_check(item, path, spec) : code;
}

int vv_repro_measure_check(const vv_repro_item *item, const char *path, const json_t *spec)
{
    char all[500];
    size_t used = 0;
    if (json_is_number(spec))
        return VV_CLI_GO;
    const vv_repro_measure *kind = kind_of(spec);
    if (kind) {
        char keys[300];
        snprintf(keys, sizeof keys, "%s %s", kind->name, kind->keys);
        int code = vv_repro_keys(item, path, spec, keys, kind->required);
        return code == VV_CLI_GO ? check_values(item, path, spec, kind) : code;
    }
    for (int i = 0; i < KINDS && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", kinds[i]->name);
    return vv_repro_wrong(item, path,
                          "must be a number or an object with one of the keys that tell what is measured: %s", all);
}

double vv_repro_measure_value(vv_repro_item *item, json_t *spec, char why[VV_REPRO_WHY])
{
    if (json_is_number(spec))
        return json_number_value(spec);
    double value = kind_of(spec)->value(item, spec, why);
    return isfinite(value) || why[0] ? value : vv_repro_none(why, "no finite number came out");
}

bool vv_repro_measure_costs(const json_t *spec)
{
    const char *key;
    json_t *value;
    size_t index;
    const vv_repro_measure *kind = json_is_object(spec) ? kind_of(spec) : NULL;
    bool costs = kind && kind->cost && kind->cost(spec);
    json_array_foreach((json_t *)spec, index, value) costs = costs || vv_repro_measure_costs(value);
    json_object_foreach((json_t *)spec, key, value) costs = costs || vv_repro_measure_costs(value);
    return costs;
}

/* ---- two measures ---- */

static int check_pair(const vv_repro_item *item, const char *path, const json_t *spec)
{
    char below[VV_REPRO_PATH];
    const char *name = kind_of(spec)->name;
    json_t *pair = json_object_get(spec, name);
    if (json_array_size(pair) != 2)
        return vv_repro_wrong(item, vv_repro_path(below, path, name), "must be a list of two measures");
    int code = VV_CLI_GO;
    for (size_t i = 0; i < 2 && code == VV_CLI_GO; i++) {
        char inside[VV_REPRO_PATH], element[40];
        snprintf(element, sizeof element, "%s[%zu]", name, i);
        code = vv_repro_measure_check(item, vv_repro_path(inside, path, element), json_array_get(pair, i));
    }
    return code;
}

static bool pair_of(vv_repro_item *item, json_t *spec, const char *name, double out[2], char why[VV_REPRO_WHY])
{
    json_t *pair = json_object_get(spec, name);
    for (size_t i = 0; i < 2; i++) {
        out[i] = vv_repro_measure_value(item, json_array_get(pair, i), why);
        if (isnan(out[i]))
            return false;
    }
    return true;
}

static double ratio(vv_repro_item *item, json_t *spec, char why[VV_REPRO_WHY])
{
    double v[2];
    return pair_of(item, spec, "ratio", v, why) ? v[0] / v[1] : NAN;
}

static double difference(vv_repro_item *item, json_t *spec, char why[VV_REPRO_WHY])
{
    double v[2];
    return pair_of(item, spec, "difference", v, why) ? v[0] - v[1] : NAN;
}

static double relative(vv_repro_item *item, json_t *spec, char why[VV_REPRO_WHY])
{
    double v[2];
    return pair_of(item, spec, "relative", v, why) ? (v[0] - v[1]) / fabs(v[1]) : NAN;
}

const vv_repro_measure vv_repro_measure_ratio = { "ratio", "", "", "a / b", NULL, NULL, check_pair, ratio };
const vv_repro_measure vv_repro_measure_difference = {
    "difference", "", "", "a - b", NULL, NULL, check_pair, difference
};
const vv_repro_measure vv_repro_measure_relative = { "relative", "",   "",         "(a - b) / |b|",
                                                     NULL,       NULL, check_pair, relative };

/* ---- one measure ---- */

static int check_size(const vv_repro_item *item, const char *path, const json_t *spec)
{
    char below[VV_REPRO_PATH];
    return vv_repro_measure_check(item, vv_repro_path(below, path, "size"), json_object_get(spec, "size"));
}

static double size(vv_repro_item *item, json_t *spec, char why[VV_REPRO_WHY])
{
    return fabs(vv_repro_measure_value(item, json_object_get(spec, "size"), why));
}

const vv_repro_measure vv_repro_measure_size = { "size", "", "", "|a|", NULL, NULL, check_size, size };

/* ---- one measure of many runs ---- */

typedef struct sample {
    double value, where; /* where: of the run's "for" */
} sample;

static int by_value(const void *a, const void *b)
{
    const sample *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

static bool matches(const vv_repro_run *run, const char *pattern) { return fnmatch(pattern, run->name, 0) == 0; }

json_t *vv_repro_measure_of(const json_t *measure, const vv_repro_run *run)
{
    json_t *of = json_deep_copy(measure);
    json_object_set_new(of, "run", json_string(run->name));
    return of;
}

static int check_over(const vv_repro_item *item, const char *path, const json_t *spec)
{
    char below[VV_REPRO_PATH];
    const char *pattern = json_string_value(json_object_get(spec, "over")),
               *take = json_string_value(json_object_get(spec, "take")),
               *at = json_string_value(json_object_get(spec, "at"));
    int found = 0, code = VV_CLI_GO;
    if (!json_is_object(json_object_get(spec, "of")))
        return vv_repro_wrong(item, vv_repro_path(below, path, "of"), "must be a measure without its \"run\"");
    if (!take || !vv_repro_has_word("min max mean median sum count", take))
        return vv_repro_wrong(item, vv_repro_path(below, path, "take"),
                              "must be one of: min max mean median sum count");
    for (int i = 0; i < item->runCount && code == VV_CLI_GO; i++) {
        if (!pattern || !matches(&item->runs[i], pattern))
            continue;
        json_t *of = vv_repro_measure_of(json_object_get(spec, "of"), &item->runs[i]);
        code = vv_repro_measure_check(item, vv_repro_path(below, path, "of"), of);
        json_decref(of);
        if (code == VV_CLI_GO && at && !json_is_number(json_object_get(item->runs[i].vars, at)))
            code = vv_repro_wrong(item, vv_repro_path(below, path, "at"),
                                  "\"%s\" is no number in the \"for\" of the run \"%s\"", at, item->runs[i].name);
        found++;
    }
    if (code == VV_CLI_GO && !found)
        return vv_repro_wrong(item, vv_repro_path(below, path, "over"),
                              "no run's name is like \"%s\" (* stands for any text)", pattern ? pattern : "");
    return code;
}

/* The values, sorted, of the runs that have one: how many; -1, with the reason, if one ended early, whose value might
 * have been the largest. */
static int values_over(vv_repro_item *item, json_t *spec, sample *out, char why[VV_REPRO_WHY])
{
    const char *pattern = json_string_value(json_object_get(spec, "over")),
               *take = json_string_value(json_object_get(spec, "take")),
               *at = json_string_value(json_object_get(spec, "at"));
    int count = 0;
    for (int i = 0; i < item->runCount; i++) {
        if (!matches(&item->runs[i], pattern))
            continue;
        json_t *of = vv_repro_measure_of(json_object_get(spec, "of"), &item->runs[i]);
        double v = vv_repro_measure_value(item, of, why);
        json_decref(of);
        if (!isnan(v)) {
            out[count++] = (sample){ v, at ? json_number_value(json_object_get(item->runs[i].vars, at)) : NAN };
        } else if (!vv_repro_run_done(&item->runs[i]) && strcmp(take, "count") != 0) {
            char reason[VV_REPRO_WHY];
            snprintf(reason, sizeof reason, "%s", why);
            vv_repro_none(why, "%.100s: %.290s", item->runs[i].name, reason);
            return -1;
        }
    }
    if (count)
        why[0] = 0;
    qsort(out, (size_t)count, sizeof *out, by_value);
    return count;
}

static double median(const sample *sorted, int count)
{
    return 0.5 * (sorted[(count - 1) / 2].value + sorted[count / 2].value);
}

static double sum(const sample *values, int count)
{
    double total = 0;
    for (int i = 0; i < count; i++)
        total += values[i].value;
    return total;
}

static double over(vv_repro_item *item, json_t *spec, char why[VV_REPRO_WHY])
{
    const char *take = json_string_value(json_object_get(spec, "take"));
    bool where = json_object_get(spec, "at") != NULL;
    sample *values = calloc((size_t)item->runCount + 1, sizeof *values);
    int count = values ? values_over(item, spec, values, why) : -1;
    double v = NAN;
    if (!values)
        vv_repro_none(why, "out of memory");
    else if (strcmp(take, "count") == 0)
        v = count;
    else if (count > 0 && strcmp(take, "median") == 0)
        v = median(values, count);
    else if (count > 0 && (strcmp(take, "sum") == 0 || strcmp(take, "mean") == 0))
        v = sum(values, count) / (take[0] == 's' ? 1 : count);
    else if (count > 0) {
        const sample *end = strcmp(take, "min") == 0 ? &values[0] : &values[count - 1];
        v = where ? end->where : end->value;
    }
    free(values);
    return v;
}

const vv_repro_measure vv_repro_measure_over = {
    "over", "of take at", "of take", "min, max, mean, median, sum of a measure over runs", NULL, NULL, check_over, over
};

/* ---- "chaotic": the median of at least five starts, and their range ---- */

enum { LEAST_STARTS = 5 };

int vv_repro_chaotic_check(const vv_repro_item *item, const char *path, const json_t *spec)
{
    char below[VV_REPRO_PATH];
    json_t *measure = json_object_get(spec, "measure");
    const char *pattern = json_string_value(json_object_get(measure, "over")),
               *take = json_string_value(json_object_get(measure, "take"));
    int count = 0;
    vv_repro_path(below, path, "measure");
    if (!pattern || !take || strcmp(take, "median") != 0)
        return vv_repro_wrong(item, below,
                              "of a chaotic row must be { \"over\": ..., \"take\": \"median\", \"of\": ... }");
    for (int i = 0; i < item->runCount; i++)
        count += matches(&item->runs[i], pattern);
    return count >= LEAST_STARTS
               ? VV_CLI_GO
               : vv_repro_wrong(item, below, "is over %d run%s; a chaotic row needs at least %d starts", count,
                                count == 1 ? "" : "s", LEAST_STARTS);
}

vv_repro_spread vv_repro_chaotic_spread(vv_repro_item *item, json_t *spec)
{
    char why[VV_REPRO_WHY] = "";
    vv_repro_spread spread = { NAN, NAN, NAN, 0 };
    sample *values = calloc((size_t)item->runCount + 1, sizeof *values);
    int count = values ? values_over(item, json_object_get(spec, "measure"), values, why) : -1;
    if (count > 0)
        spread = (vv_repro_spread){ median(values, count), values[0].value, values[count - 1].value, count };
    free(values);
    return spread;
}
