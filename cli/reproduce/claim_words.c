/* Claims in words, and "expect", which says what they mean for the measured value: a relation that the paper states,
 * or a goal of this project. They may have one bound, and are counted apart from published numbers.
 *
 * Each word has one meaning (docs/reproduce.md): "above" and "below" are by at least 5% of what is compared with, so
 * that rounding and luck prove nothing; "kept" is to within 5%. "more_than" and "less_than" are for bounds in the
 * paper's own words. */
#include "reproduce/reproduce.h"

#include <math.h>
#include <string.h>

static const double margin = 0.05;

static bool above(double v, double limit) { return v > limit && v >= limit + margin * fabs(limit); }
static bool below(double v, double limit) { return v < limit && v <= limit - margin * fabs(limit); }
static bool more_than(double v, double limit) { return v > limit; }
static bool less_than(double v, double limit) { return v < limit; }
static bool at_least(double v, double limit) { return v >= limit; }
static bool at_most(double v, double limit) { return v <= limit; }
/* Of 0: the measure is a part of what is kept. */
static bool kept(double v, double limit) { return fabs(v - limit) <= margin * (limit == 0 ? 1 : fabs(limit)); }

static const struct word {
    const char *name, *text;
    bool (*so)(double value, double limit);
} words[] = {
    { "above", "5% above", above },          { "below", "5% below", below },
    { "more_than", "more than", more_than }, { "less_than", "less than", less_than },
    { "at_least", "at least", at_least },    { "at_most", "at most", at_most },
    { "kept", "within 5% of", kept },
};
enum { WORDS = sizeof words / sizeof *words };
static const char all_words[] = "above below more_than less_than at_least at_most kept holds";

static const struct word *word_of(const char *key)
{
    for (int i = 0; i < WORDS; i++)
        if (strcmp(words[i].name, key) == 0)
            return &words[i];
    return NULL;
}

static int check(const vv_repro_item *item, const char *path, json_t *spec)
{
    const char *key;
    char below_path[VV_REPRO_PATH], inside[VV_REPRO_PATH];
    json_t *value, *expect = json_object_get(spec, "expect");
    if (!expect)
        return json_object_get(spec, "not_comparable")
                   ? VV_CLI_GO
                   : vv_repro_wrong(item, path, "\"expect\" must say what the words mean, such as { \"below\": 1 }");
    int code = vv_repro_keys(item, vv_repro_path(below_path, path, "expect"), expect, all_words, "");
    if (code != VV_CLI_GO)
        return code;
    if (json_object_size(expect) == 0)
        return vv_repro_wrong(item, below_path, "must have one of the keys: %s", all_words);
    json_object_foreach(expect, key, value)
    {
        vv_repro_path(inside, below_path, key);
        if (word_of(key))
            code = vv_repro_measure_check(item, inside, value);
        else if (!json_is_boolean(value))
            code = vv_repro_wrong(item, inside, "must be true or false");
        if (code != VV_CLI_GO)
            return code;
    }
    return VV_CLI_GO;
}

/* False, with what is not so. */
static bool is_so(vv_repro_item *item, vv_repro_row *row, const char *key, json_t *value)
{
    char why[VV_REPRO_WHY] = "", a[VV_TEXT * 2];
    const char *unit = json_string_value(json_object_get(row->spec, "unit"));
    const struct word *word = word_of(key);
    if (!word) {
        bool same = (row->value != 0) == json_is_true(value);
        if (!same)
            snprintf(row->differs, sizeof row->differs,
                     row->value != 0 ? "yes, where no is claimed" : "no, where yes is claimed");
        return same;
    }
    double limit = vv_repro_measure_value(item, value, why);
    bool so = !isnan(limit) && word->so(row->value, limit);
    if (isnan(limit))
        snprintf(row->differs, sizeof row->differs, "nothing to compare with: %.300s", why);
    else if (!so)
        snprintf(row->differs, sizeof row->differs, "not %s %s%s%s", word->text, vv_repro_number(a, limit),
                 unit ? " " : "", unit ? unit : "");
    return so;
}

static bool all_so(vv_repro_item *item, vv_repro_row *row)
{
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(row->spec, "expect"), key,
                        value) if (!is_so(item, row, key, value)) return false;
    return true;
}

static void judge_relation(vv_repro_item *item, vv_repro_row *row)
{
    const bool fitted = json_object_get(row->spec, "fitted") != NULL;
    row->verdict = !all_so(item, row) ? VV_REPRO_DIFFERS : fitted ? VV_REPRO_FITTED : VV_REPRO_HOLDS;
}

static void judge_goal(vv_repro_item *item, vv_repro_row *row)
{
    row->verdict = all_so(item, row) ? VV_REPRO_GOAL_MET : VV_REPRO_GOAL_MISSED;
}

static void put_relation(const vv_repro_row *row, char out[VV_REPRO_WHY])
{
    snprintf(out, VV_REPRO_WHY, "%.390s", json_string_value(json_object_get(row->spec, "relation")));
}

static void put_goal(const vv_repro_row *row, char out[VV_REPRO_WHY])
{
    snprintf(out, VV_REPRO_WHY, "ours: %.380s", json_string_value(json_object_get(row->spec, "goal")));
}

const vv_repro_claim vv_repro_claim_relation = { "relation", "expect fitted chaotic", check, judge_relation,
                                                 put_relation };
const vv_repro_claim vv_repro_claim_goal = { "goal", "expect chaotic", check, judge_goal, put_goal };
