/* A published number, which is compared on both sides.
 *
 *   published  a number: |measured - published| <= tolerance
 *              [low, high]: measured in it, widened by the tolerance
 *              with "chaotic": published inside the range that the starts measure
 *   better     "less" or "more": on that side a value more than twice as good differs, whatever the tolerance
 *   fitted     what was chosen so that this value comes out: it proves nothing, and is counted apart */
#include "reproduce/reproduce.h"

#include <math.h>
#include <string.h>

static const double widest = 0.5; /* of a relative tolerance: beyond, other numbers would be called the same */

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

static int check_tolerance(const vv_repro_item *item, const char *path, const json_t *tolerance)
{
    char below[VV_REPRO_PATH];
    const char *key;
    json_t *value;
    vv_repro_path(below, path, "tolerance");
    int code = vv_repro_keys(item, below, tolerance, "relative absolute", "");
    if (code == VV_CLI_GO && json_object_size(tolerance) != 1)
        code = vv_repro_wrong(item, below, "must have one of the keys: relative absolute");
    json_object_foreach((json_t *)tolerance, key, value)
    {
        if (code == VV_CLI_GO && !(json_is_number(value) && json_number_value(value) >= 0))
            code = vv_repro_wrong(item, below, "must be a number, 0 or larger");
        if (code == VV_CLI_GO && strcmp(key, "relative") == 0 && json_number_value(value) > widest)
            code = vv_repro_wrong(item, below, "must be at most %g: beyond that, it is not the same number", widest);
    }
    return code;
}

static int check_sides(const vv_repro_item *item, const char *path, const json_t *spec)
{
    char below[VV_REPRO_PATH];
    json_t *published = json_object_get(spec, "published"), *tolerance = json_object_get(spec, "tolerance"),
           *low = json_array_get(published, 0), *high = json_array_get(published, 1);
    bool chaotic = json_is_true(json_object_get(spec, "chaotic"));
    vv_repro_path(below, path, "published");
    if (json_is_array(published) && (json_array_size(published) != 2 || !json_is_number(low) || !json_is_number(high) ||
                                     json_number_value(low) > json_number_value(high)))
        return vv_repro_wrong(item, below, "must be [low, high]");
    if (!json_is_number(published) && !json_is_array(published))
        return vv_repro_wrong(item, below,
                              "must be a number or [low, high]; what the paper says in words is a \"relation\"");
    if (chaotic && tolerance)
        return vv_repro_wrong(item, path, "a chaotic row has no \"tolerance\": the range of its starts is compared");
    if (tolerance)
        return check_tolerance(item, path, tolerance);
    return chaotic || json_is_array(published)
               ? VV_CLI_GO
               : vv_repro_wrong(item, path,
                                "\"tolerance\" is missing: { \"relative\": 0.01 } or { \"absolute\": 1e-6 }");
}

static int check(const vv_repro_item *item, const char *path, json_t *spec)
{
    char below[VV_REPRO_PATH];
    json_t *better = json_object_get(spec, "better");
    int code = look_up(item, path, spec);
    if (code == VV_CLI_GO && !json_object_get(spec, "not_comparable"))
        code = check_sides(item, path, spec);
    if (code == VV_CLI_GO && better &&
        !(json_is_string(better) && vv_repro_has_word("less more", json_string_value(better))))
        code = vv_repro_wrong(item, vv_repro_path(below, path, "better"), "must be \"less\" or \"more\"");
    return code;
}

/* ---- judging ---- */

static void ends(const json_t *published, double out[2])
{
    bool list = json_is_array(published);
    for (size_t i = 0; i < 2; i++)
        out[i] = json_number_value(list ? json_array_get(published, i) : published);
}

/* More than twice as good as published. */
static bool much_better(const json_t *spec, double value, const double end[2])
{
    const char *better = json_string_value(json_object_get(spec, "better"));
    return better && (better[0] == 'l' ? value < end[0] / 2 : value > end[1] * 2);
}

static void tell_by(vv_repro_row *row, double by, double of)
{
    char text[VV_TEXT * 2];
    if (of != 0 && fabs(by) < 10 * fabs(of))
        snprintf(row->differs, sizeof row->differs, "by %+.3g%%", 100 * by / fabs(of));
    else
        snprintf(row->differs, sizeof row->differs, "by %s%s", by > 0 ? "+" : "", vv_repro_number(text, by));
}

static bool is_near(const vv_repro_row *row, double value, double nearest)
{
    json_t *tolerance = json_object_get(row->spec, "tolerance"), *relative = json_object_get(tolerance, "relative");
    double part = json_number_value(relative), absolute = json_number_value(json_object_get(tolerance, "absolute"));
    return fabs(value - nearest) <= (relative ? part * fabs(nearest) : absolute);
}

static void judge(vv_repro_item *item, vv_repro_row *row)
{
    double end[2], value = row->value;
    bool same, fitted = json_object_get(row->spec, "fitted") != NULL;
    ends(json_object_get(row->spec, "published"), end);
    double nearest = value < end[0] ? end[0] : value > end[1] ? end[1] : value;
    if (json_is_true(json_object_get(row->spec, "chaotic"))) {
        vv_repro_spread s = vv_repro_chaotic_spread(item, row->spec);
        same = s.low <= end[1] && s.high >= end[0];
    } else {
        same = is_near(row, value, nearest);
    }
    if (same)
        nearest = value < end[0] ? end[0] : end[1];
    row->verdict = much_better(row->spec, value, end) ? VV_REPRO_BETTER
                   : !same                            ? VV_REPRO_DIFFERS
                   : fitted                           ? VV_REPRO_FITTED
                                                      : VV_REPRO_REPRODUCED;
    if (row->verdict == VV_REPRO_DIFFERS || row->verdict == VV_REPRO_BETTER)
        tell_by(row, value - nearest, nearest);
}

static void put_text(const vv_repro_row *row, char out[VV_REPRO_WHY])
{
    char a[VV_TEXT * 2], b[VV_TEXT * 2];
    double end[2];
    const char *unit = json_string_value(json_object_get(row->spec, "unit"));
    json_t *published = json_object_get(row->spec, "published"), *tolerance = json_object_get(row->spec, "tolerance"),
           *relative = json_object_get(tolerance, "relative");
    double part = json_number_value(relative ? relative : json_object_get(tolerance, "absolute"));
    ends(published, end);
    int used = snprintf(
        out, VV_REPRO_WHY, "%s%s%s%s%.60s", vv_repro_number(a, end[0]), json_is_array(published) ? " to " : "",
        json_is_array(published) ? vv_repro_number(b, end[1]) : "", unit && unit[0] ? " " : "", unit ? unit : "");
    if (part > 0 && row->verdict != VV_REPRO_NOT_COMPARABLE)
        snprintf(out + used, VV_REPRO_WHY - (size_t)used, " (± %.4g%s)", relative ? 100 * part : part,
                 relative ? "%" : "");
}

const vv_repro_claim vv_repro_claim_published = { "published", "tolerance better fitted chaotic", check, judge,
                                                  put_text };
