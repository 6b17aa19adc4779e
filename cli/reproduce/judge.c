/* Rows: what is measured, and the verdict, which is computed and never written by hand. */
#include "reproduce/reproduce.h"

#include <math.h>
#include <string.h>

const vv_repro_verdict_text vv_repro_verdict_texts[VV_REPRO_VERDICTS] = {
    [VV_REPRO_REPRODUCED] = { "reproduced", "reproduced", "reproduced", true },
    [VV_REPRO_FITTED] = { "fitted", "fitted", "fitted", false },
    [VV_REPRO_HOLDS] = { "relation holds", "relations hold", "holds", true },
    [VV_REPRO_DIFFERS] = { "differs", "differ", "differs", false },
    [VV_REPRO_BETTER] = { "differs (better)", "differ (better)", "differs", false },
    [VV_REPRO_GOAL_MET] = { "goal met", "goals met", "goal", true },
    [VV_REPRO_GOAL_MISSED] = { "goal missed", "goals missed", "missed", false },
    [VV_REPRO_NOT_COMPARABLE] = { "not comparable", "not comparable", "not-comparable", false },
    [VV_REPRO_NOT_RUN] = { "not run", "not run", "not-comparable", true },
};

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

/* A run that the row asks for and that could not be for want of a file, or that has not run. */
static const vv_repro_run *without(const vv_repro_item *item, const vv_repro_row *row,
                                   bool (*lacks)(const vv_repro_run *))
{
    for (int i = 0; i < item->runCount; i++)
        if (lacks(&item->runs[i]) && vv_repro_row_needs(row, &item->runs[i]))
            return &item->runs[i];
    return NULL;
}

static bool is_absent(const vv_repro_run *run) { return run->absent[0] != 0; }
static bool is_missing(const vv_repro_run *run) { return !run->figures; }

static void no_verdict(vv_repro_row *row, vv_repro_verdict verdict, const char *reason, const char *more)
{
    row->verdict = verdict;
    row->value = NAN;
    snprintf(row->differs, sizeof row->differs, "%.300s%.80s", reason, more);
}

static void judge_row(vv_repro_item *item, vv_repro_row *row)
{
    json_t *measure = json_object_get(row->spec, "measure");
    const char *reason = json_string_value(json_object_get(row->spec, "not_comparable"));
    const vv_repro_run *absent = without(item, row, is_absent), *missing = without(item, row, is_missing);
    row->differs[0] = row->why[0] = 0;
    if (absent) {
        no_verdict(row, VV_REPRO_NOT_COMPARABLE, absent->absent, " is absent");
        return;
    }
    if (missing) {
        no_verdict(row, VV_REPRO_NOT_RUN, "", "");
        return;
    }
    row->value = json_is_null(measure) ? NAN : vv_repro_measure_value(item, measure, row->why);
    vv_repro_motion_text(item, row);
    row->verdict = reason || item->shortened ? VV_REPRO_NOT_COMPARABLE : VV_REPRO_DIFFERS;
    if (row->verdict == VV_REPRO_NOT_COMPARABLE)
        snprintf(row->differs, sizeof row->differs, "%.390s", item->shortened ? "short form" : reason);
    else if (isnan(row->value) && row->claim == &vv_repro_claim_goal)
        no_verdict(row, VV_REPRO_GOAL_MISSED, row->why, "");
    else if (isnan(row->value))
        snprintf(row->differs, sizeof row->differs, "%.300s", row->why);
    else
        row->claim->judge(item, row);
}

/* ---- as text ---- */

static void write_texts(vv_repro_item *item, vv_repro_row *row)
{
    char a[VV_TEXT * 2], b[VV_TEXT * 2];
    const char *unit = json_string_value(json_object_get(row->spec, "unit"));
    bool truth = json_object_get(json_object_get(row->spec, "expect"), "holds") != NULL;
    if (row->claim)
        row->claim->text(row, row->published);
    else
        snprintf(row->published, sizeof row->published, "-");
    if (isnan(row->value))
        snprintf(row->measured, sizeof row->measured, "-");
    else if (truth)
        snprintf(row->measured, sizeof row->measured, "%s", row->value != 0 ? "yes" : "no");
    else
        snprintf(row->measured, sizeof row->measured, "%s%s%.60s", vv_repro_number(a, row->value),
                 unit && unit[0] ? " " : "", unit ? unit : "");
    if (!isnan(row->value) && json_object_get(row->spec, "chaotic")) {
        vv_repro_spread s = vv_repro_chaotic_spread(item, row->spec);
        size_t used = strlen(row->measured);
        snprintf(row->measured + used, sizeof row->measured - used, " (%s to %s, %d starts)", vv_repro_number(a, s.low),
                 vv_repro_number(b, s.high), s.count);
    }
}

void vv_repro_judge(vv_repro_item *item)
{
    for (int i = 0; i < item->rowCount; i++) {
        judge_row(item, &item->rows[i]);
        write_texts(item, &item->rows[i]);
    }
}

vv_repro_tally vv_repro_count(const vv_repro_item *items, int count)
{
    vv_repro_tally tally = { 0 };
    for (int i = 0; i < count; i++)
        for (int k = 0; k < items[i].rowCount; k++) {
            const vv_repro_row *row = &items[i].rows[k];
            tally.of[row->problem][row->verdict]++;
            tally.all[row->verdict]++;
            tally.rows[row->problem]++;
        }
    return tally;
}
