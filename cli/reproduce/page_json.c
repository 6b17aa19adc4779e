/* What was found as JSON: every row with its numbers, every run with its file. */
#include "reproduce/reproduce.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static json_t *number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t *row_json(const vv_repro_row *row)
{
    json_t *out =
        json_pack("{s:O, s:s, s:s, s:o, s:s, s:s, s:s}", "label", json_object_get(row->spec, "label"), "problem",
                  vv_repro_problem_names[row->problem], "unlike", row->unlike, "measured", number(row->value),
                  "verdict", vv_repro_verdict_texts[row->verdict].name, "differs", row->differs, "motion", row->motion);
    static const char *const also[] = { "unit",   "published",      "relation", "goal", "tolerance",
                                        "better", "fitted",         "chaotic",  "from", "measure",
                                        "expect", "not_comparable", "note" };
    for (size_t i = 0; i < sizeof also / sizeof *also; i++)
        if (json_object_get(row->spec, also[i]))
            json_object_set(out, also[i], json_object_get(row->spec, also[i]));
    return out;
}

static json_t *run_json(const vv_repro_run *run)
{
    json_t *scene = json_loads(run->plan.scene ? run->plan.scene : "{}", 0, NULL);
    json_t *out = json_pack("{s:s, s:s, s:s, s:f, s:f, s:o, s:O}", "name", run->name, "kind", run->kind->name, "status",
                            vv_repro_run_status(run), "time_step", run->plan.step, "until", run->plan.end, "scene",
                            scene, "for", run->vars);
    const vv_repro_size *size = &run->size;
    json_object_set_new(out, "size",
                        json_pack("{s:i, s:i, s:i, s:i, s:i}", "bodies", size->bodies, "nodes", size->nodes, "tets",
                                  size->tets, "triangles", size->triangles, "steps", size->steps));
    if (run->path[0])
        json_object_set_new(out, "file", json_string(run->path));
    else
        json_object_set(out, "figures", run->figures);
    return out;
}

static json_t *item_json(const vv_repro_item *item)
{
    json_t *rows = json_array(), *runs = json_array();
    for (int i = 0; i < item->rowCount; i++)
        json_array_append_new(rows, row_json(&item->rows[i]));
    for (int i = 0; i < item->runCount; i++)
        json_array_append_new(runs, run_json(&item->runs[i]));
    return json_pack("{s:s, s:O, s:O, s:o, s:o}", "item", item->name, "title", json_object_get(item->json, "title"),
                     "where", json_object_get(item->json, "where"), "rows", rows, "runs", runs);
}

int vv_repro_write_json(const vv_repro *r, const char *path)
{
    json_t *papers = json_array();
    for (int p = 0; p < r->paperCount; p++) {
        json_t *items = json_array();
        for (int i = 0; i < r->papers[p].itemCount; i++)
            json_array_append_new(items, item_json(&r->papers[p].items[i]));
        json_array_append_new(papers, json_pack("{s:s, s:O, s:o}", "paper", r->papers[p].name, "title",
                                                json_object_get(r->papers[p].json, "title"), "items", items));
    }
    json_t *all = json_pack("{s:b, s:o}", "quick", r->quick, "papers", papers);
    bool good = vv_cli_make_folders(path) && json_dump_file(all, path, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) == 0;
    if (!good)
        vv_cli_wrong("cannot write %s: %s", path, strerror(errno));
    json_decref(all);
    return good ? VV_EXIT_OK : VV_EXIT_FAILED;
}
