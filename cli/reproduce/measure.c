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
        return code == VV_CLI_GO ? kind->check(item, path, spec) : code;
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

const vv_repro_measure vv_repro_measure_ratio = { "ratio", "", "", "a / b", check_pair, ratio };
const vv_repro_measure vv_repro_measure_difference = { "difference", "", "", "a - b", check_pair, difference };
const vv_repro_measure vv_repro_measure_relative = { "relative", "", "", "(a - b) / |b|", check_pair, relative };

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

const vv_repro_measure vv_repro_measure_size = { "size", "", "", "|a|", check_size, size };

/* ---- one measure of many runs ---- */

static bool matches(const vv_repro_run *run, const char *pattern) { return fnmatch(pattern, run->name, 0) == 0; }

/* The measure, for this run. */
static json_t *measure_of(const json_t *spec, const vv_repro_run *run)
{
    json_t *of = json_deep_copy(json_object_get(spec, "of"));
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
    if (!take || !vv_repro_has_word("min max mean sum count", take))
        return vv_repro_wrong(item, vv_repro_path(below, path, "take"), "must be one of: min max mean sum count");
    for (int i = 0; i < item->runCount && code == VV_CLI_GO; i++) {
        if (!pattern || !matches(&item->runs[i], pattern))
            continue;
        json_t *of = measure_of(spec, &item->runs[i]);
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

/* Runs of which there is no value are left out, but not all may be, and none that ended early: it might have been the
 * largest. */
static double over(vv_repro_item *item, json_t *spec, char why[VV_REPRO_WHY])
{
    const char *pattern = json_string_value(json_object_get(spec, "over")),
               *take = json_string_value(json_object_get(spec, "take")),
               *at = json_string_value(json_object_get(spec, "at"));
    double best = NAN, where = NAN, sum = 0;
    int count = 0;
    for (int i = 0; i < item->runCount; i++) {
        if (!matches(&item->runs[i], pattern))
            continue;
        json_t *of = measure_of(spec, &item->runs[i]);
        double v = vv_repro_measure_value(item, of, why);
        json_decref(of);
        if (isnan(v) && !vv_repro_run_done(&item->runs[i]) && strcmp(take, "count") != 0) {
            char reason[VV_REPRO_WHY];
            snprintf(reason, sizeof reason, "%s", why);
            return vv_repro_none(why, "%.100s: %.290s", item->runs[i].name, reason);
        }
        if (isnan(v))
            continue;
        if (count++ == 0 || (take[1] == 'i' ? v < best : v > best)) {
            best = v;
            where = at ? json_number_value(json_object_get(item->runs[i].vars, at)) : NAN;
        }
        sum += v;
    }
    if (strcmp(take, "count") == 0)
        return count;
    if (!count)
        return NAN;
    why[0] = 0;
    return at ? where : take[0] == 's' ? sum : take[1] == 'e' ? sum / count : best;
}

const vv_repro_measure vv_repro_measure_over = { "over",     "of take at",
                                                 "of take",  "min, max, mean, sum of a measure over runs",
                                                 check_over, over };
