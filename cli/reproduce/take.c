/* A quantity over time, and what is taken of it: the last value, the largest, when it first exceeds something, ... */
#include "reproduce/reproduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char take_words[] = "first last min max mean rms sum range spread at when_min when_max when_above "
                                 "when_below stays increases decreases rises share";

void vv_repro_series_free(vv_repro_series *series)
{
    free(series->times);
    free(series->values);
    *series = (vv_repro_series){ 0 };
}

static double number(const json_t *spec, const char *key, double fallback)
{
    json_t *value = json_object_get(spec, key);
    return json_is_number(value) ? json_number_value(value) : fallback;
}

/* ---- checking ---- */

static int check_word(const vv_repro_item *item, const char *path, const json_t *value, const char *key,
                      const char *words)
{
    char below[VV_REPRO_PATH];
    if (!value || (json_is_string(value) && vv_repro_has_word(words, json_string_value(value))))
        return VV_CLI_GO;
    return vv_repro_wrong(item, vv_repro_path(below, path, key), "must be one of: %s", words);
}

int vv_repro_take_check(const vv_repro_item *item, const char *path, const json_t *spec)
{
    static const char *const numbers[] = { "from", "to", "time", "above", "below", "slack" };
    char below[VV_REPRO_PATH];
    json_t *take = json_object_get(spec, "take");
    const char *what = json_is_string(take) ? json_string_value(take) : "last";
    int code = check_word(item, path, take, "take", take_words);
    if (code == VV_CLI_GO)
        code = check_word(item, path, json_object_get(spec, "as"), "as", "value change relative part size");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && code == VV_CLI_GO; i++)
        if (json_object_get(spec, numbers[i]) && !json_is_number(json_object_get(spec, numbers[i])))
            code = vv_repro_wrong(item, vv_repro_path(below, path, numbers[i]), "must be a number");
    if (code != VV_CLI_GO)
        return code;
    bool above = json_object_get(spec, "above") != NULL, under = json_object_get(spec, "below") != NULL;
    if (strcmp(what, "at") == 0 && !json_object_get(spec, "time"))
        return vv_repro_wrong(item, path, "\"take\": \"at\" needs \"time\", in s");
    if ((strcmp(what, "when_above") == 0 && !above) || (strcmp(what, "when_below") == 0 && !under) ||
        (strcmp(what, "rises") == 0 && !above) || (strcmp(what, "share") == 0 && !above && !under) ||
        (strcmp(what, "stays") == 0 && !above && !under))
        return vv_repro_wrong(item, path, "\"take\": \"%s\" needs a limit: \"above\" or \"below\"", what);
    if (strcmp(what, "rises") == 0 && number(spec, "below", -INFINITY) > number(spec, "above", INFINITY))
        return vv_repro_wrong(item, path, "\"take\": \"rises\" needs \"below\" to be at most \"above\"");
    return VV_CLI_GO;
}

/* ---- the series as it is asked for ---- */

void vv_repro_express(vv_repro_series *s, const char *as)
{
    double first = s->count ? s->values[0] : 0;
    for (int i = 0; i < s->count; i++) {
        double v = s->values[i];
        s->values[i] = strcmp(as, "change") == 0     ? v - first
                       : strcmp(as, "relative") == 0 ? (v - first) / fabs(first)
                       : strcmp(as, "part") == 0     ? v / first
                       : strcmp(as, "size") == 0     ? fabs(v)
                                                     : v;
    }
}

/* Those in the window whose value exists: alpha has none in a step in which no policy acted. */
static void cut(vv_repro_series *s, double from, double to)
{
    int n = 0;
    double slack = 1e-9 * (s->count ? fabs(s->times[s->count - 1]) : 0);
    for (int i = 0; i < s->count; i++)
        if (isfinite(s->values[i]) && s->times[i] >= from - slack && s->times[i] <= to + slack) {
            s->times[n] = s->times[i];
            s->values[n++] = s->values[i];
        }
    s->count = n;
}

/* ---- taking ---- */

static int extreme(const vv_repro_series *s, int sign)
{
    int best = 0;
    for (int i = 1; i < s->count; i++)
        if (sign * s->values[i] > sign * s->values[best])
            best = i;
    return best;
}

static double sum(const vv_repro_series *s, int power)
{
    double total = 0;
    for (int i = 0; i < s->count; i++)
        total += power == 2 ? s->values[i] * s->values[i] : s->values[i];
    return total;
}

static double spread(const vv_repro_series *s)
{
    double mean = sum(s, 1) / s->count, squares = 0;
    for (int i = 0; i < s->count; i++)
        squares += (s->values[i] - mean) * (s->values[i] - mean);
    return sqrt(squares / s->count);
}

static double value_at(const vv_repro_series *s, double time, char why[VV_REPRO_WHY])
{
    double slack = 1e-9 * fabs(time);
    for (int i = 0; i < s->count; i++)
        if (s->times[i] >= time - slack) {
            double part = i > 0 ? (time - s->times[i - 1]) / (s->times[i] - s->times[i - 1]) : 1;
            if (i == 0 && s->times[0] > time + slack)
                break;
            return part >= 1 ? s->values[i] : s->values[i - 1] + part * (s->values[i] - s->values[i - 1]);
        }
    return vv_repro_none(why, "there is no sample at t = %g s", time);
}

static bool within(double v, double above, double below) { return v > above && v < below; }

static double when(const vv_repro_series *s, double above, double below, char why[VV_REPRO_WHY])
{
    for (int i = 0; i < s->count; i++)
        if (within(s->values[i], above, below))
            return s->times[i];
    return vv_repro_none(why, "never");
}

/* From when on it is within for good. */
static double stays(const vv_repro_series *s, double above, double below, char why[VV_REPRO_WHY])
{
    int i = s->count;
    while (i > 0 && within(s->values[i - 1], above, below))
        i--;
    return i < s->count ? s->times[i] : vv_repro_none(why, "not at the end");
}

static double count_changes(const vv_repro_series *s, int sign, double slack)
{
    int n = 0;
    for (int i = 1; i < s->count; i++)
        n += sign * (s->values[i] - s->values[i - 1]) > slack;
    return n;
}

/* How often it came above `above` after it was below `below`: what trembles between both counts once. */
static double count_rises(const vv_repro_series *s, double above, double below)
{
    int n = 0;
    bool low = false;
    for (int i = 0; i < s->count; i++) {
        n += low && s->values[i] > above;
        low = s->values[i] < below || (low && s->values[i] <= above);
    }
    return n;
}

static double share(const vv_repro_series *s, double above, double below)
{
    int n = 0;
    for (int i = 0; i < s->count; i++)
        n += within(s->values[i], above, below);
    return (double)n / s->count;
}

/* Of a run that ended early there is what is known without its rest: the start, what is seen at a time, and a window
 * that it reached. */
bool vv_repro_reached(vv_repro_run *run, const json_t *spec, char why[VV_REPRO_WHY])
{
    json_t *take = json_object_get(spec, "take");
    if (vv_repro_run_done(run) ||
        vv_repro_has_word("first at when_above when_below", take ? json_string_value(take) : "last"))
        return true;
    double end = run->rows[run->rowCount - 1].time;
    if (number(spec, "to", INFINITY) <= end + 1e-9 * fabs(end))
        return true;
    return vv_repro_none(why, "%.390s", vv_repro_run_status(run)), false;
}

double vv_repro_take(vv_repro_series *s, const json_t *spec, char why[VV_REPRO_WHY])
{
    json_t *as = json_object_get(spec, "as"), *take = json_object_get(spec, "take");
    const char *what = take ? json_string_value(take) : "last";
    double above = number(spec, "above", -INFINITY), below = number(spec, "below", INFINITY),
           slack = number(spec, "slack", 0);
    vv_repro_express(s, as ? json_string_value(as) : "value");
    cut(s, number(spec, "from", -INFINITY), number(spec, "to", INFINITY));
    if (s->count == 0)
        return vv_repro_none(why, "nothing was sampled there");
#define TAKE(word, value)        \
    if (strcmp(what, word) == 0) \
    return (value)
    TAKE("first", s->values[0]);
    TAKE("last", s->values[s->count - 1]);
    TAKE("min", s->values[extreme(s, -1)]);
    TAKE("max", s->values[extreme(s, 1)]);
    TAKE("mean", sum(s, 1) / s->count);
    TAKE("rms", sqrt(sum(s, 2) / s->count));
    TAKE("sum", sum(s, 1));
    TAKE("range", s->values[extreme(s, 1)] - s->values[extreme(s, -1)]);
    TAKE("spread", spread(s));
    TAKE("at", value_at(s, number(spec, "time", 0), why));
    TAKE("when_min", s->times[extreme(s, -1)]);
    TAKE("when_max", s->times[extreme(s, 1)]);
    TAKE("when_above", when(s, above, INFINITY, why));
    TAKE("when_below", when(s, -INFINITY, below, why));
    TAKE("stays", stays(s, above, below, why));
    TAKE("increases", count_changes(s, 1, slack));
    TAKE("decreases", count_changes(s, -1, slack));
    TAKE("rises", count_rises(s, above, number(spec, "below", above)));
    return share(s, above, below);
#undef TAKE
}
