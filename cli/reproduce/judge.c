/* Rows: what was published, what is measured, and the verdict, which is computed and never written by hand.
 *
 *   published: a number     |measured - published| <= tolerance: reproduced
 *              [low, high]  measured in it, widened by the tolerance
 *              a text       "expect" says what it means for the measured value
 *              null         not comparable; "not_comparable" says why */
#include "reproduce/reproduce.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

const char *vv_repro_verdict_name(vv_repro_verdict verdict)
{
    static const char *const names[VV_REPRO_VERDICTS] = { "reproduced", "differs", "not comparable" };
    return names[verdict];
}

const char *vv_repro_number(char out[VV_TEXT * 2], double value)
{
    if (!isfinite(value))
        snprintf(out, VV_TEXT * 2, "-");
    else if (value == floor(value) && fabs(value) < 1e7)
        snprintf(out, VV_TEXT * 2, "%.0f", value == 0 ? 0 : value);
    else
        snprintf(out, VV_TEXT * 2, "%.5g", value);
    return out;
}

/* ---- checking ---- */

static const char expectations[] = "above below at_least at_most holds";

static int check_expect(const vv_repro_item *item, const char *path, const json_t *expect)
{
    const char *key;
    char below[VV_REPRO_PATH], inside[VV_REPRO_PATH];
    json_t *value;
    int code = vv_repro_keys(item, vv_repro_path(below, path, "expect"), expect, expectations, "");
    if (code != VV_CLI_GO)
        return code;
    if (json_object_size(expect) == 0)
        return vv_repro_wrong(item, below, "must have one of the keys: %s", expectations);
    json_object_foreach((json_t *)expect, key, value)
    {
        vv_repro_path(inside, below, key);
        if (strcmp(key, "holds") == 0)
            code = json_is_boolean(value) ? VV_CLI_GO : vv_repro_wrong(item, inside, "must be true or false");
        else
            code = vv_repro_measure_check(item, inside, value);
        if (code != VV_CLI_GO)
            return code;
    }
    return VV_CLI_GO;
}

static int check_tolerance(const vv_repro_item *item, const char *path, const json_t *tolerance, bool needed)
{
    char below[VV_REPRO_PATH];
    const char *key;
    json_t *value;
    vv_repro_path(below, path, "tolerance");
    if (!tolerance)
        return needed ? vv_repro_wrong(item, path,
                                       "\"tolerance\" is missing: { \"relative\": 0.01 } or { \"absolute\": 1e-6 }")
                      : VV_CLI_GO;
    int code = vv_repro_keys(item, below, tolerance, "relative absolute", "");
    if (code == VV_CLI_GO && json_object_size(tolerance) != 1)
        code = vv_repro_wrong(item, below, "must have one of the keys: relative absolute");
    json_object_foreach((json_t *)tolerance, key,
                        value) if (code == VV_CLI_GO && !(json_is_number(value) && json_number_value(value) >= 0))
        code = vv_repro_wrong(item, below, "must be a number, 0 or larger");
    return code;
}

/* { "key": "bdf2 1/30", "values": { "bdf2 1/30": 3.1, ... } } becomes the value of that key. */
static int look_up(const vv_repro_item *item, const char *path, json_t *spec)
{
    char below[VV_REPRO_PATH];
    json_t *published = json_object_get(spec, "published");
    if (!json_is_object(published))
        return VV_CLI_GO;
    int code = vv_repro_keys(item, vv_repro_path(below, path, "published"), published, "key values", "key values");
    if (code != VV_CLI_GO)
        return code;
    char key[VV_REPRO_NAME];
    vv_repro_value_text(json_object_get(published, "key"), key, sizeof key);
    json_t *value = json_object_get(json_object_get(published, "values"), key);
    if (!value)
        return vv_repro_wrong(item, below, "\"values\" has no \"%s\"", key);
    json_object_set(spec, "published", json_incref(value));
    json_decref(value);
    return VV_CLI_GO;
}

static int check_published(const vv_repro_item *item, const char *path, const json_t *spec)
{
    char below[VV_REPRO_PATH];
    json_t *published = json_object_get(spec, "published"), *expect = json_object_get(spec, "expect");
    bool reason = json_is_string(json_object_get(spec, "not_comparable"));
    vv_repro_path(below, path, "published");
    if (json_is_null(published) && !reason)
        return vv_repro_wrong(item, path, "\"published\" is null: \"not_comparable\" must say why");
    if (json_is_string(published) && !expect && !reason)
        return vv_repro_wrong(item, path,
                              "\"published\" is a text: \"expect\" must say what it means, such as { \"below\": 1 }");
    if (expect && !json_is_string(published))
        return vv_repro_wrong(item, path, "\"expect\" goes with a \"published\" that is a text");
    if (json_is_array(published) &&
        (json_array_size(published) != 2 || !json_is_number(json_array_get(published, 0)) ||
         !json_is_number(json_array_get(published, 1)) ||
         json_number_value(json_array_get(published, 0)) > json_number_value(json_array_get(published, 1))))
        return vv_repro_wrong(item, below, "must be [low, high]");
    if (!json_is_number(published) && !json_is_array(published) && !json_is_string(published) &&
        !json_is_null(published))
        return vv_repro_wrong(item, below, "must be a number, [low, high], a text or null");
    int code = check_tolerance(item, path, json_object_get(spec, "tolerance"), json_is_number(published) && !reason);
    return code == VV_CLI_GO && expect ? check_expect(item, path, expect) : code;
}

int vv_repro_row_check(const vv_repro_item *item, const char *path, json_t *spec)
{
    static const char *const texts[] = { "label", "unit", "from", "not_comparable", "note" };
    char below[VV_REPRO_PATH], left[VV_REPRO_NAME];
    int code =
        vv_repro_keys(item, path, spec, "label published tolerance unit from measure expect not_comparable note for",
                      "label published measure from");
    for (int i = 0; i < 5 && code == VV_CLI_GO; i++) {
        json_t *text = json_object_get(spec, texts[i]);
        if (text && !json_is_string(text))
            code = vv_repro_wrong(item, vv_repro_path(below, path, texts[i]), "must be a text");
        else if (text && vv_repro_left_over(json_string_value(text), left)[0])
            code = vv_repro_wrong(item, vv_repro_path(below, path, texts[i]), "{%s} is no name in the row's \"for\"",
                                  left);
    }
    if (code == VV_CLI_GO)
        code = look_up(item, path, spec);
    if (code == VV_CLI_GO)
        code = check_published(item, path, spec);
    json_t *measure = json_object_get(spec, "measure");
    if (code == VV_CLI_GO && json_is_null(measure) && !json_object_get(spec, "not_comparable"))
        return vv_repro_wrong(item, path, "\"measure\" is null: \"not_comparable\" must say why nothing is measured");
    return code == VV_CLI_GO && !json_is_null(measure)
               ? vv_repro_measure_check(item, vv_repro_path(below, path, "measure"), measure)
               : code;
}

/* ---- judging ---- */

static void judge_range(vv_repro_row *row, double low, double high)
{
    json_t *tolerance = json_object_get(row->spec, "tolerance"), *relative = json_object_get(tolerance, "relative");
    double part = json_number_value(relative), absolute = json_number_value(json_object_get(tolerance, "absolute")),
           v = row->value;
    double nearest = v < low ? low : v > high ? high : v, by = v - nearest;
    char text[VV_TEXT * 2];
    if (fabs(by) <= (relative ? part * fabs(nearest) : absolute)) {
        row->verdict = VV_REPRO_REPRODUCED;
        return;
    }
    row->verdict = VV_REPRO_DIFFERS;
    if (nearest != 0 && fabs(by) < 10 * fabs(nearest))
        snprintf(row->differs, sizeof row->differs, "by %+.3g%%", 100 * by / fabs(nearest));
    else
        snprintf(row->differs, sizeof row->differs, "by %s%s", by > 0 ? "+" : "", vv_repro_number(text, by));
}

/* False, with what is not so. */
static bool is_so(vv_repro_item *item, vv_repro_row *row, const char *key, json_t *value)
{
    char why[VV_REPRO_WHY] = "", a[VV_TEXT * 2];
    const char *unit = json_string_value(json_object_get(row->spec, "unit"));
    if (strcmp(key, "holds") == 0) {
        bool same = (row->value != 0) == json_is_true(value);
        if (!same)
            snprintf(row->differs, sizeof row->differs,
                     row->value != 0 ? "yes here, no in the paper" : "no here, yes in the paper");
        return same;
    }
    double limit = vv_repro_measure_value(item, value, why);
    bool so = strcmp(key, "above") == 0      ? row->value > limit
              : strcmp(key, "below") == 0    ? row->value < limit
              : strcmp(key, "at_least") == 0 ? row->value >= limit
                                             : row->value <= limit;
    if (isnan(limit))
        snprintf(row->differs, sizeof row->differs, "nothing to compare with: %.300s", why);
    else if (!so)
        snprintf(row->differs, sizeof row->differs, "not %s %s%s%s",
                 strcmp(key, "at_least") == 0  ? "at least"
                 : strcmp(key, "at_most") == 0 ? "at most"
                                               : key,
                 vv_repro_number(a, limit), unit ? " " : "", unit ? unit : "");
    return so;
}

static void judge_text(vv_repro_item *item, vv_repro_row *row)
{
    const char *key;
    json_t *value;
    row->verdict = VV_REPRO_REPRODUCED;
    json_object_foreach(json_object_get(row->spec, "expect"), key, value) if (!is_so(item, row, key, value))
    {
        row->verdict = VV_REPRO_DIFFERS;
        return;
    }
}

/* A run that the measure asks for by name or pattern, and that could not be for want of a file. */
static const vv_repro_run *absent(const vv_repro_item *item, json_t *node)
{
    const char *key;
    json_t *value;
    size_t index;
    const vv_repro_run *run = NULL;
    json_array_foreach(node, index, value) run = run ? run : absent(item, value);
    json_object_foreach(node, key, value) run = run ? run : absent(item, value);
    for (int i = 0; i < item->runCount && json_is_string(node) && !run; i++)
        if (item->runs[i].absent[0] && fnmatch(json_string_value(node), item->runs[i].name, 0) == 0)
            run = &item->runs[i];
    return run;
}

static void judge_row(vv_repro_item *item, vv_repro_row *row)
{
    json_t *published = json_object_get(row->spec, "published"), *measure = json_object_get(row->spec, "measure");
    const vv_repro_run *missing = absent(item, measure);
    missing = missing ? missing : absent(item, json_object_get(row->spec, "expect"));
    row->value = json_is_null(measure) || missing ? NAN : vv_repro_measure_value(item, measure, row->why);
    if (missing) {
        row->verdict = VV_REPRO_NOT_COMPARABLE;
        snprintf(row->differs, sizeof row->differs, "%s is absent", missing->absent);
    } else if (json_object_get(row->spec, "not_comparable") || item->shortened) {
        row->verdict = VV_REPRO_NOT_COMPARABLE;
        snprintf(row->differs, sizeof row->differs, "%.390s",
                 item->shortened ? "short form" : json_string_value(json_object_get(row->spec, "not_comparable")));
    } else if (isnan(row->value)) {
        row->verdict = VV_REPRO_DIFFERS;
        snprintf(row->differs, sizeof row->differs, "%.300s", row->why);
    } else if (json_is_string(published)) {
        judge_text(item, row);
    } else {
        bool list = json_is_array(published);
        judge_range(row, json_number_value(list ? json_array_get(published, 0) : published),
                    json_number_value(list ? json_array_get(published, 1) : published));
    }
}

/* ---- as text ---- */

static void put(char out[VV_REPRO_WHY], const char *text, const char *unit)
{
    snprintf(out, VV_REPRO_WHY, "%.300s%s%.60s", text, unit && unit[0] ? " " : "", unit ? unit : "");
}

static void add_tolerance(vv_repro_row *row)
{
    json_t *tolerance = json_object_get(row->spec, "tolerance"), *relative = json_object_get(tolerance, "relative");
    double value = json_number_value(relative ? relative : json_object_get(tolerance, "absolute"));
    size_t used = strlen(row->published);
    if (value > 0 && row->verdict != VV_REPRO_NOT_COMPARABLE)
        snprintf(row->published + used, sizeof row->published - used, " (± %.4g%s)", relative ? 100 * value : value,
                 relative ? "%" : "");
}

static void write_texts(vv_repro_row *row)
{
    char a[VV_TEXT * 2], b[VV_TEXT * 2], both[VV_TEXT * 5];
    const char *unit = json_string_value(json_object_get(row->spec, "unit"));
    json_t *published = json_object_get(row->spec, "published");
    bool truth = json_object_get(json_object_get(row->spec, "expect"), "holds") != NULL;
    if (json_is_string(published))
        put(row->published, json_string_value(published), NULL);
    else if (json_is_null(published))
        put(row->published, "-", NULL);
    else if (json_is_number(published))
        put(row->published, vv_repro_number(a, json_number_value(published)), unit);
    else {
        snprintf(both, sizeof both, "%s to %s", vv_repro_number(a, json_number_value(json_array_get(published, 0))),
                 vv_repro_number(b, json_number_value(json_array_get(published, 1))));
        put(row->published, both, unit);
    }
    add_tolerance(row);
    if (isnan(row->value))
        put(row->measured, "-", NULL);
    else
        put(row->measured, truth ? row->value != 0 ? "yes" : "no" : vv_repro_number(a, row->value),
            truth ? NULL : unit);
}

void vv_repro_judge(vv_repro_item *item)
{
    for (int i = 0; i < item->rowCount; i++) {
        judge_row(item, &item->rows[i]);
        write_texts(&item->rows[i]);
    }
}

void vv_repro_count(const vv_repro_item *items, int count, int counts[VV_REPRO_VERDICTS])
{
    memset(counts, 0, VV_REPRO_VERDICTS * sizeof *counts);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < items[i].rowCount; k++)
            counts[items[i].rows[k].verdict]++;
}
