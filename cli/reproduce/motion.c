/* What a cost bought. Iterations and seconds say nothing by themselves: a method that stands still is cheap. An item
 * that measures costs has a "motion",
 *
 *   "motion": [ { "label": "first rebound, m", "runs": "ball *", "measure": { "position": "y", "take": "max", ... } } ]
 *
 * measures, written without their "run", of the runs whose names are like "runs" (without it: all), and the page shows
 * them beside the cost of the same run. */
#include "reproduce/reproduce.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

static bool is_of(const json_t *entry, const vv_repro_run *run)
{
    json_t *pattern = json_object_get(entry, "runs");
    return !pattern || fnmatch(json_string_value(pattern), run->name, 0) == 0;
}

static int check_entry(const vv_repro_item *item, const char *path, const json_t *entry)
{
    char below[VV_REPRO_PATH];
    json_t *pattern = json_object_get(entry, "runs");
    int found = 0, code = vv_repro_keys(item, path, entry, "label runs measure", "label measure");
    if (code != VV_CLI_GO)
        return code;
    if (!json_is_string(json_object_get(entry, "label")))
        return vv_repro_wrong(item, vv_repro_path(below, path, "label"), "must be a text");
    if (pattern && !json_is_string(pattern))
        return vv_repro_wrong(item, vv_repro_path(below, path, "runs"), "must be a text, such as \"ball *\"");
    if (!json_is_object(json_object_get(entry, "measure")))
        return vv_repro_wrong(item, vv_repro_path(below, path, "measure"), "must be a measure without its \"run\"");
    for (int i = 0; i < item->runCount && code == VV_CLI_GO; i++)
        if (is_of(entry, &item->runs[i])) {
            json_t *of = vv_repro_measure_of(json_object_get(entry, "measure"), &item->runs[i]);
            code = vv_repro_measure_check(item, vv_repro_path(below, path, "measure"), of);
            json_decref(of);
            found++;
        }
    return code == VV_CLI_GO && !found
               ? vv_repro_wrong(item, vv_repro_path(below, path, "runs"), "no run's name is like it")
               : code;
}

static bool is_told(const json_t *motion, const vv_repro_run *run)
{
    size_t index;
    json_t *entry;
    json_array_foreach((json_t *)motion, index, entry) if (is_of(entry, run)) return true;
    return false;
}

static bool measures_cost(const vv_repro_row *row)
{
    return vv_repro_measure_costs(json_object_get(row->spec, "measure"));
}

/* Of each cost that is compared, the motion must be told. */
static int check_rows(const vv_repro_item *item, const json_t *motion)
{
    for (int i = 0; i < item->rowCount; i++) {
        if (!measures_cost(&item->rows[i]) || json_object_get(item->rows[i].spec, "not_comparable"))
            continue;
        for (int k = 0; k < item->runCount; k++)
            if (vv_repro_row_needs(&item->rows[i], &item->runs[k]) && !is_told(motion, &item->runs[k]))
                return vv_repro_wrong(item, "motion",
                                      "says nothing of the run \"%s\", whose cost is compared (\"%s\"): add a measure "
                                      "of what moves in it",
                                      item->runs[k].name,
                                      json_string_value(json_object_get(item->rows[i].spec, "label")));
    }
    return VV_CLI_GO;
}

int vv_repro_motion_check(const vv_repro_item *item)
{
    char path[VV_REPRO_PATH];
    size_t index;
    json_t *entry, *motion = json_object_get(item->json, "motion");
    if (motion && (!json_is_array(motion) || !json_array_size(motion)))
        return vv_repro_wrong(item, "motion", "must be a list of measures, each with a \"label\"");
    json_array_foreach(motion, index, entry)
    {
        snprintf(path, sizeof path, "motion[%zu]", index);
        int code = check_entry(item, path, entry);
        if (code != VV_CLI_GO)
            return code;
    }
    return check_rows(item, motion);
}

static void tell_run(vv_repro_item *item, vv_repro_row *row, const vv_repro_run *run)
{
    size_t index, used = strlen(row->motion), room = sizeof row->motion;
    json_t *entry;
    bool first = true;
    json_array_foreach(json_object_get(item->json, "motion"), index, entry)
    {
        char why[VV_REPRO_WHY] = "", text[VV_TEXT * 2];
        if (!is_of(entry, run) || used + 200 > room)
            continue;
        json_t *of = vv_repro_measure_of(json_object_get(entry, "measure"), run);
        double value = vv_repro_measure_value(item, of, why);
        json_decref(of);
        used += (size_t)snprintf(row->motion + used, room - used, "%s%.60s%s%.80s %s",
                                 first && used ? "; "
                                 : first       ? ""
                                               : ", ",
                                 first ? run->name : "", first ? ": " : "",
                                 json_string_value(json_object_get(entry, "label")), vv_repro_number(text, value));
        first = false;
    }
}

void vv_repro_motion_text(vv_repro_item *item, vv_repro_row *row)
{
    row->motion[0] = 0;
    for (int k = 0; k < item->runCount && measures_cost(row); k++)
        if (vv_repro_row_needs(row, &item->runs[k]) && item->runs[k].figures && !item->runs[k].absent[0])
            tell_run(item, row, &item->runs[k]);
}
