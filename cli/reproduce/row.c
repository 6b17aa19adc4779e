/* Rows: whose problem they solve, and what they claim.
 *
 *   problem    "paper": shape, size to within 25%, material, step, boundary and start as published; "like": all but
 * what "unlike" lists; "other". An item's "problem" and "unlike" stand for all of its rows that have none. claim      a
 * published number (claim_published.c), a relation or a goal (claim_words.c), or none, where "not_comparable" says why
 *
 * A published number belongs to its problem, so a row of another problem cannot be compared with it. */
#include "reproduce/reproduce.h"

#include <fnmatch.h>
#include <string.h>

const char *const vv_repro_problem_names[VV_REPRO_PROBLEMS] = { "paper", "like", "other" };
static const vv_repro_claim *const claims[] = { &vv_repro_claim_published, &vv_repro_claim_relation,
                                                &vv_repro_claim_goal };
enum { CLAIMS = sizeof claims / sizeof *claims };
static const char common[] = "label problem unlike unit from measure not_comparable note for";

/* ---- the problem ---- */

static json_t *own_or_of_item(const vv_repro_item *item, const json_t *spec, const char *key)
{
    json_t *own = json_object_get(spec, key);
    return own ? own : json_object_get(item->json, key);
}

static int read_problem(const vv_repro_item *item, const char *path, vv_repro_row *row)
{
    char below[VV_REPRO_PATH], left[VV_REPRO_NAME];
    json_t *given = own_or_of_item(item, row->spec, "problem");
    const char *name = json_string_value(given);
    int problem = 0;
    while (problem < VV_REPRO_PROBLEMS && !(name && strcmp(name, vv_repro_problem_names[problem]) == 0))
        problem++;
    if (problem == VV_REPRO_PROBLEMS)
        return vv_repro_wrong(item, given ? vv_repro_path(below, path, "problem") : path,
                              "%s: \"paper\", \"like\" (\"unlike\" says what differs) or \"other\"",
                              given ? "must be one of" : "\"problem\" is missing, here or in the item");
    row->problem = (vv_repro_problem)problem;
    json_t *unlike =
        problem == VV_REPRO_PAPER ? json_object_get(row->spec, "unlike") : own_or_of_item(item, row->spec, "unlike");
    if (problem == VV_REPRO_PAPER && unlike)
        return vv_repro_wrong(item, path, "\"unlike\" goes with the problems \"like\" and \"other\"");
    if (problem != VV_REPRO_PAPER && !(json_is_string(unlike) && json_string_length(unlike)))
        return vv_repro_wrong(item, path, "\"unlike\" must say what differs from the paper's problem");
    row->unlike = unlike ? json_string_value(unlike) : "";
    if (vv_repro_left_over(row->unlike, left)[0])
        return vv_repro_wrong(item, path, "unlike: {%s} is no name in the row's \"for\"", left);
    return VV_CLI_GO;
}

/* ---- the claim ---- */

static int read_claim(const vv_repro_item *item, const char *path, vv_repro_row *row)
{
    bool reason = json_object_get(row->spec, "not_comparable") != NULL;
    for (int i = 0; i < CLAIMS; i++) {
        if (!json_object_get(row->spec, claims[i]->key))
            continue;
        if (row->claim)
            return vv_repro_wrong(item, path, "\"%s\" and \"%s\": a row claims one thing", row->claim->key,
                                  claims[i]->key);
        row->claim = claims[i];
    }
    if (!row->claim && !reason)
        return vv_repro_wrong(item, path,
                              "must have one of: \"published\", a number; \"relation\", the paper's words; \"goal\", "
                              "ours; or \"not_comparable\", why there is none");
    if (row->claim == &vv_repro_claim_published && row->problem == VV_REPRO_OTHER && !reason)
        return vv_repro_wrong(item, path,
                              "a published number is compared on the paper's problem or one like it; for another "
                              "problem give \"not_comparable\"");
    return VV_CLI_GO;
}

static int check_keys(const vv_repro_item *item, const char *path, const vv_repro_row *row)
{
    char keys[300];
    snprintf(keys, sizeof keys, "%s %s %s", common, row->claim ? row->claim->key : "",
             row->claim ? row->claim->keys : "");
    return vv_repro_keys(item, path, row->spec, keys, "label measure from");
}

static int check_texts(const vv_repro_item *item, const char *path, const json_t *spec)
{
    static const char *const texts[] = { "label", "unit",   "from",   "not_comparable", "note",
                                         "goal",  "fitted", "unlike", "relation" };
    char below[VV_REPRO_PATH], left[VV_REPRO_NAME];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        json_t *text = json_object_get(spec, texts[i]);
        if (text && !json_is_string(text))
            return vv_repro_wrong(item, vv_repro_path(below, path, texts[i]), "must be a text");
        if (text && vv_repro_left_over(json_string_value(text), left)[0])
            return vv_repro_wrong(item, vv_repro_path(below, path, texts[i]), "{%s} is no name in the row's \"for\"",
                                  left);
    }
    return VV_CLI_GO;
}

static int check_measure(const vv_repro_item *item, const char *path, const json_t *spec)
{
    char below[VV_REPRO_PATH];
    json_t *measure = json_object_get(spec, "measure"), *chaotic = json_object_get(spec, "chaotic");
    if (chaotic && !json_is_true(chaotic))
        return vv_repro_wrong(item, vv_repro_path(below, path, "chaotic"), "must be true, or left out");
    if (json_is_null(measure) && !json_object_get(spec, "not_comparable"))
        return vv_repro_wrong(item, path, "\"measure\" is null: \"not_comparable\" must say why nothing is measured");
    int code = json_is_null(measure) ? VV_CLI_GO
                                     : vv_repro_measure_check(item, vv_repro_path(below, path, "measure"), measure);
    return code == VV_CLI_GO && chaotic ? vv_repro_chaotic_check(item, path, spec) : code;
}

int vv_repro_row_read(const vv_repro_item *item, const char *path, vv_repro_row *row)
{
    int code = check_texts(item, path, row->spec);
    if (code == VV_CLI_GO)
        code = read_problem(item, path, row);
    if (code == VV_CLI_GO)
        code = read_claim(item, path, row);
    if (code == VV_CLI_GO)
        code = check_keys(item, path, row);
    if (code == VV_CLI_GO && row->claim)
        code = row->claim->check(item, path, row->spec);
    return code == VV_CLI_GO ? check_measure(item, path, row->spec) : code;
}

/* ---- what it asks for ---- */

static bool names(const json_t *node, const char *run)
{
    const char *key;
    json_t *value;
    size_t index;
    bool found = json_is_string(node) && fnmatch(json_string_value(node), run, 0) == 0;
    json_array_foreach((json_t *)node, index, value) found = found || names(value, run);
    json_object_foreach((json_t *)node, key, value) found = found || names(value, run);
    return found;
}

bool vv_repro_row_needs(const vv_repro_row *row, const vv_repro_run *run)
{
    return names(json_object_get(row->spec, "measure"), run->name) ||
           names(json_object_get(row->spec, "expect"), run->name);
}

/* ---- the brief form ---- */

/* Nodes times steps of all runs that a row asks for: some minutes on one core. */
static const double most_work = 1e6;

void vv_repro_item_brief(vv_repro_item *item)
{
    for (int k = 0; k < item->runCount; k++)
        item->runs[k].needless = true;
    for (int i = 0; i < item->rowCount; i++) {
        vv_repro_row *row = &item->rows[i];
        double work = 0;
        for (int k = 0; k < item->runCount; k++)
            work += vv_repro_row_needs(row, &item->runs[k]) ? vv_repro_run_work(&item->runs[k]) : 0;
        if (work > most_work || json_object_get(row->spec, "not_comparable"))
            continue;
        for (int k = 0; k < item->runCount; k++)
            if (vv_repro_row_needs(row, &item->runs[k]))
                item->runs[k].needless = false;
    }
}
