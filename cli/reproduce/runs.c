/* The runs of items: their scenes and settings, and the work of all that is not kept from earlier. */
#include "reproduce/reproduce.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- kinds ---- */

static const vv_repro_run_kind plain = { .name = "run", .keys = "" };
static const vv_repro_run_kind *const kinds[] = { &plain, &vv_repro_run_matrix, &vv_repro_run_largest_step,
                                                  &vv_repro_run_equation, &vv_repro_run_convergence };
enum { KINDS = sizeof kinds / sizeof *kinds };

const vv_repro_run_kind *vv_repro_run_kind_find(const char *name)
{
    for (int i = 0; i < KINDS; i++)
        if (strcmp(kinds[i]->name, name) == 0)
            return kinds[i];
    return NULL;
}

static int unknown_kind(const vv_repro_item *item, const char *path, const char *name)
{
    char hint[VV_HINT];
    const char *names[KINDS];
    for (int i = 0; i < KINDS; i++)
        names[i] = kinds[i]->name;
    return vv_repro_wrong(
        item, path, "\"%s\" is no kind of run%s (the kinds are: run, matrix, largest-step, equation, convergence)",
        name, vv_cli_hint(hint, name, names, KINDS));
}

/* ---- a scene under a setting ---- */

/* Overrides as for --set, in one block of memory. What blows up goes on unless the item says otherwise: how it does is
 * what experiments measure. */
static int make_sets(const vv_repro_item *item, const vv_repro_run *run, const char *path, vv_option_list *sets,
                     char **block)
{
    const char *key;
    json_t *value, *set = json_object_get(run->spec, "set");
    char below[VV_REPRO_PATH];
    size_t size = 0, used = 0;
    json_object_foreach(set, key, value)
    {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
        size += strlen(key) + strlen(text ? text : "") + 2;
        free(text);
    }
    *block = malloc(size + 1);
    if (!*block)
        return vv_repro_memory();
    sets->values[sets->count++] = "integrator.blow_up=0";
    json_object_foreach(set, key, value)
    {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
        if (sets->count + 4 > VV_OPTION_LIST_MAX || !text) {
            free(text);
            return vv_repro_wrong(item, vv_repro_path(below, path, "set"), "has too many overrides");
        }
        sets->values[sets->count++] = *block + used;
        used += (size_t)snprintf(*block + used, size + 1 - used, "%s=%s", key, text) + 1;
        free(text);
    }
    return VV_CLI_GO;
}

/* A file beside the item, one of the item's "scenes", an object, or a ready scene's name. */
static int load_scene(const vv_repro_item *item, const vv_repro_run *run, const char *path, const vv_option_list *sets,
                      vvScene **scene)
{
    char name[4600], file[8400], room[VV_SCENE_ROOM], below[VV_REPRO_PATH];
    vvError error = { 0 };
    json_t *given = json_object_get(run->spec, "scene"), *own = NULL;
    vv_repro_path(below, path, "scene");
    if (json_is_string(given) && json_object_get(json_object_get(item->json, "scenes"), json_string_value(given)))
        own = vv_repro_substitute(json_object_get(json_object_get(item->json, "scenes"), json_string_value(given)),
                                  run->vars);
    else if (json_is_object(given))
        own = json_incref(given);
    if (own) {
        char *text = json_dumps(own, JSON_REAL_PRECISION(17));
        json_decref(own);
        snprintf(name, sizeof name, "%s: %s", item->file, below);
        vvStatus status =
            text ? vvSceneParse(text, name, item->folder, sets->values, sets->count, scene, &error) : VV_ERROR_MEMORY;
        free(text);
        return status != VV_OK ? vv_cli_error(&error) : VV_CLI_GO;
    }
    if (!json_is_string(given))
        return vv_repro_wrong(
            item, below,
            "must be a scene's file or name, the name of one of the item's \"scenes\", or a scene as an object");
    const char *found = json_string_value(given);
    snprintf(file, sizeof file, "%s/%.4000s", item->folder, found);
    if (access(file, R_OK) == 0)
        found = file;
    else if (vv_cli_find_scene(&found, room) != VV_CLI_GO)
        return vv_repro_wrong(item, below, "no such scene");
    return vvSceneLoad(found, sets->values, sets->count, scene, &error) ? vv_cli_error(&error) : VV_CLI_GO;
}

/* What only a world notices, such as a policy beside a scheme that it does not go with, is told before anything
 * runs. */
static int try_world(const vv_repro_item *item, const char *path, const vvScene *scene, vv_repro_size *size)
{
    vvError error = { 0 };
    vvWorld *world = NULL;
    vvStatus status = vvSceneCreateWorld(scene, 1, &world, &error);
    *size = status == VV_OK ? vv_repro_size_of(world) : (vv_repro_size){ 0 };
    vvWorldDestroy(world);
    return status == VV_OK             ? VV_CLI_GO
           : status == VV_ERROR_MEMORY ? vv_cli_error(&error)
                                       : vv_repro_wrong(item, path, "%s", error.message);
}

static int make_plan(const vv_repro_item *item, const vv_repro_run *run, const char *path, const vv_option_list *more,
                     vv_study_plan *plan, vv_repro_size *size)
{
    vv_option_list sets = { .count = 0 };
    vvScene *scene = NULL;
    char *block = NULL, until[64];
    json_t *end = json_object_get(run->spec, "until");
    int code = make_sets(item, run, path, &sets, &block);
    for (int i = 0; more && i < more->count; i++)
        sets.values[sets.count++] = more->values[i];
    if (code == VV_CLI_GO)
        code = vv_study_set_until(&sets, end ? json_number_value(end) : NAN, until);
    if (code == VV_CLI_GO)
        code = load_scene(item, run, path, &sets, &scene);
    if (code == VV_CLI_GO)
        code = try_world(item, path, scene, size);
    if (code == VV_CLI_GO) {
        vvSceneTime time = vvSceneGetTime(scene);
        *plan = (vv_study_plan){ .scene = strdup(vvSceneText(scene)),
                                 .step = time.step,
                                 .begin = time.begin,
                                 .end = time.end,
                                 .perFrame = 1,
                                 .recordEvery = time.recordEvery };
        snprintf(plan->label, sizeof plan->label, "%.95s", run->name);
        snprintf(plan->name, sizeof plan->name, "%.255s", vvSceneName(scene));
    }
    vvSceneDestroy(scene);
    free(block);
    return code;
}

int vv_repro_run_plan(const vv_repro_item *item, const vv_repro_run *run, const char *path, const vv_option_list *more,
                      vv_study_plan *plan)
{
    vv_repro_size size;
    return make_plan(item, run, path, more, plan, &size);
}

/* Where scenes find a file, too: at its path, or by its name in the folder of meshes that do not come with visviva. */
static bool is_there(const vv_repro_item *item, const char *name)
{
    char file[8400];
    const char *folder = getenv("VISVIVA_MESHES"), *slash = strrchr(name, '/');
    snprintf(file, sizeof file, "%s/%.4000s", name[0] == '/' ? "" : item->folder, name);
    if (access(file, R_OK) == 0)
        return true;
    snprintf(file, sizeof file, "%s/%.4000s", folder ? folder : "", slash ? slash + 1 : name);
    return folder && access(file, R_OK) == 0;
}

/* "needs": files beside the item, of which one must be there; else the run is left out, and rows about it are not
 * comparable. */
static int find_needed(const vv_repro_item *item, vv_repro_run *run, const char *path)
{
    char below[VV_REPRO_PATH];
    json_t *needs = json_object_get(run->spec, "needs"), *value;
    size_t index;
    vv_repro_path(below, path, "needs");
    if (!needs)
        return VV_CLI_GO;
    if (!json_is_array(needs) || !json_array_size(needs))
        return vv_repro_wrong(item, below, "must be a list of files, of which one must be there");
    json_array_foreach(needs, index, value)
    {
        if (!json_is_string(value))
            return vv_repro_wrong(item, below, "must be a list of files, of which one must be there");
        if (is_there(item, json_string_value(value)))
            return VV_CLI_GO;
    }
    const char *name = json_string_value(json_array_get(needs, 0)), *last = strrchr(name, '/');
    snprintf(run->absent, sizeof run->absent, "%.100s", last ? last + 1 : name);
    run->figures = json_pack("{s:s+}", "status", run->absent, " is absent");
    return run->figures ? VV_CLI_GO : vv_repro_memory();
}

static int check_spec(const vv_repro_item *item, vv_repro_run *run, const char *path)
{
    char keys[300], below[VV_REPRO_PATH];
    json_t *kind = json_object_get(run->spec, "kind"), *until = json_object_get(run->spec, "until"),
           *set = json_object_get(run->spec, "set"), *may = json_object_get(run->spec, "may_fail");
    run->kind = kind ? vv_repro_run_kind_find(json_is_string(kind) ? json_string_value(kind) : "") : &plain;
    if (!run->kind)
        return unknown_kind(item, vv_repro_path(below, path, "kind"),
                            json_is_string(kind) ? json_string_value(kind) : "");
    snprintf(keys, sizeof keys, "scene set until may_fail needs for kind %s", run->kind->keys);
    int code = vv_repro_keys(item, path, run->spec, keys, "scene");
    if (code != VV_CLI_GO)
        return code;
    if (until && !(json_number_value(until) > 0))
        return vv_repro_wrong(item, vv_repro_path(below, path, "until"), "must be a number of seconds larger than 0");
    if (set && !json_is_object(set))
        return vv_repro_wrong(item, vv_repro_path(below, path, "set"),
                              "must be an object: { \"integrator.scheme\": \"bdf2\" }");
    if (may && !json_is_boolean(may))
        return vv_repro_wrong(item, vv_repro_path(below, path, "may_fail"), "must be true or false");
    run->mayFail = json_is_true(may);
    return find_needed(item, run, path);
}

int vv_repro_run_read(const vv_repro_item *item, vv_repro_run *run, const char *path)
{
    int code = check_spec(item, run, path);
    if (run->absent[0] || item->listed)
        return code;
    if (code == VV_CLI_GO)
        code = make_plan(item, run, path, NULL, &run->plan, &run->size);
    if (code == VV_CLI_GO)
        run->size.steps = (int)fmin(ceil((run->plan.end - run->plan.begin) / run->plan.step - 1e-9), INT_MAX);
    if (code == VV_CLI_GO && run->kind->check)
        code = run->kind->check(item, run, path);
    return code;
}

void vv_repro_run_free(vv_repro_run *run)
{
    json_decref(run->spec);
    json_decref(run->vars);
    json_decref(run->figures);
    vv_study_plan_free(&run->plan);
    vvRunFree(run->file);
    free(run->rows);
}

/* ---- work ---- */

const char *vv_repro_run_status(const vv_repro_run *run)
{
    const char *status = json_string_value(json_object_get(run->figures, "status"));
    return status ? status : "did not run";
}

double vv_repro_run_work(const vv_repro_run *run) { return (double)run->size.nodes * run->size.steps; }

bool vv_repro_run_done(const vv_repro_run *run) { return strcmp(vv_repro_run_status(run), "done") == 0; }

/* The same scene under the same settings runs once, whoever asks for it. */
static int same_before(vv_repro_run *const *runs, int index)
{
    for (int i = 0; i < index; i++)
        if (strcmp(runs[i]->key, runs[index]->key) == 0)
            return i;
    return -1;
}

static int work_jobs(const vv_repro *r, vv_repro_run **runs, int count)
{
    size_t room = count > 0 ? (size_t)count : 1;
    vv_study_job *jobs = calloc(room, sizeof *jobs);
    int *of = calloc(room, sizeof *of), jobCount = 0, code = VV_EXIT_OK;
    for (int i = 0; jobs && of && i < count; i++)
        if (same_before(runs, i) < 0 && !runs[i]->figures) {
            of[jobCount] = i;
            remove(runs[i]->kept); /* it begins anew, and may be cut off */
            jobs[jobCount++] = (vv_study_job){
                .plan = &runs[i]->plan,
                .threads = r->threads,
                .output = runs[i]->path,
                .keep = runs[i]->kept,
                .made = r->made,
            };
        }
    if (!jobs || !of)
        code = vv_repro_memory();
    else if (jobCount > 0)
        code = vv_study_work(jobs, jobCount, r->jobs, "reproduce", r->quiet);
    for (int j = 0; j < jobCount; j++) {
        runs[of[j]]->figures = json_incref(jobs[j].figures);
        vv_study_job_clear(&jobs[j]);
    }
    free(jobs);
    free(of);
    return code;
}

int vv_repro_work_runs(const vv_repro *r, vv_repro_run **runs, int count)
{
    for (int i = 0; i < count; i++) {
        int code = vv_repro_keep_name(r, runs[i]);
        if (code != VV_CLI_GO)
            return code;
        vv_repro_keep_find(r, runs[i]);
    }
    int code = count && !r->judge ? work_jobs(r, runs, count) : VV_EXIT_OK;
    for (int i = 0; i < count && code == VV_EXIT_OK; i++)
        if (!runs[i]->figures && same_before(runs, i) >= 0)
            runs[i]->figures = json_incref(runs[same_before(runs, i)]->figures);
    return code == VV_EXIT_OK ? VV_CLI_GO : code;
}

/* What no child runs: it leaves figures, and no run file. */
static int work_other(const vv_repro *r, const vv_repro_item *item, vv_repro_run *run)
{
    int code = vv_repro_keep_name(r, run);
    run->path[0] = 0;
    if (code != VV_CLI_GO || vv_repro_keep_figures(r, run) || r->judge)
        return code;
    code = run->kind->work(r, item, run);
    if (code == VV_CLI_GO && run->figures) {
        json_object_set(run->figures, "made", r->made);
        /* if it cannot be kept, it is rebuilt next time */
        json_dump_file(run->figures, run->kept, JSON_REAL_PRECISION(17));
    }
    return code;
}

static int work_others(const vv_repro *r, vv_repro_item *item)
{
    for (int i = 0; i < item->runCount; i++)
        if (item->runs[i].kind->work && !item->runs[i].absent[0] && !item->runs[i].needless) {
            int code = vv_cli_interrupted() ? VV_EXIT_INTERRUPTED : work_other(r, item, &item->runs[i]);
            if (code != VV_CLI_GO)
                return code;
        }
    return VV_CLI_GO;
}

static int collect(vv_repro *r, vv_repro_run **runs)
{
    int count = 0;
    for (int p = 0; p < r->paperCount; p++)
        for (int i = 0; i < r->papers[p].itemCount; i++)
            for (int k = 0; k < r->papers[p].items[i].runCount; k++) {
                vv_repro_run *run = &r->papers[p].items[i].runs[k];
                if (!run->kind->work && !run->absent[0] && !run->needless) {
                    if (runs)
                        runs[count] = run;
                    count++;
                }
            }
    return count;
}

static void tell_failures(const vv_repro *r, bool *failed)
{
    for (int p = 0; p < r->paperCount; p++)
        for (int i = 0; i < r->papers[p].itemCount; i++)
            for (int k = 0; k < r->papers[p].items[i].runCount; k++) {
                const vv_repro_run *run = &r->papers[p].items[i].runs[k];
                if (run->mayFail || run->absent[0] || !run->figures || vv_repro_run_done(run))
                    continue;
                *failed = true;
                vv_cli_wrong("%s: runs.%s: %s; if that belongs to the experiment, give the run \"may_fail\": true",
                             r->papers[p].items[i].file, run->name, vv_repro_run_status(run));
            }
}

int vv_repro_work(vv_repro *r, bool *failed)
{
    int count = collect(r, NULL);
    vv_repro_run **runs = calloc((size_t)count + 1, sizeof *runs);
    if (!runs)
        return vv_repro_memory();
    collect(r, runs);
    int code = vv_repro_work_runs(r, runs, count);
    free(runs);
    for (int p = 0; p < r->paperCount; p++)
        for (int i = 0; i < r->papers[p].itemCount && code == VV_CLI_GO; i++)
            code = work_others(r, &r->papers[p].items[i]);
    if (code == VV_CLI_GO)
        tell_failures(r, failed);
    return code;
}
