/* A scene under one setting: overrides, the step of the truth, and frames that all settings share. */
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double vv_study_frame(const vv_study_plan *plan) { return plan->perFrame * plan->step; }

void vv_study_plan_free(vv_study_plan *plan)
{
    free(plan->scene);
    *plan = (vv_study_plan){ 0 };
}

/* ---- the scene's JSON ---- */

/* A damping factor for each step takes in each of n smaller steps what makes up the same in all. */
static void spread_factors(json_t *node, double n)
{
    const char *key;
    json_t *value;
    size_t index;
    void *next;
    if (json_is_array(node))
        json_array_foreach(node, index, value) spread_factors(value, n);
    json_object_foreach_safe(node, next, key, value)
    {
        if (strcmp(key, "momentum_per_step") == 0 && json_is_number(value))
            json_object_set_new(node, key, json_real(1 - pow(1 - json_number_value(value), 1 / n)));
        else
            spread_factors(value, n);
    }
}

static char *with_factors(const char *text, double n)
{
    json_t *root = json_loads(text, 0, NULL);
    spread_factors(root, n);
    char *out = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    json_decref(root);
    return out;
}

/* ---- reading ---- */

int vv_study_set_until(vv_option_list *sets, double until, char text[64])
{
    if (!isfinite(until))
        return VV_CLI_GO;
    if (sets->count == VV_OPTION_LIST_MAX)
        return vv_cli_wrong("too many --set");
    snprintf(text, 64, "time.end=%.17g", until);
    sets->values[sets->count++] = text;
    return VV_CLI_GO;
}

/* `parts`: steps in each of the scene's own; below 1, own steps are put together. */
static int keep(vv_study_plan *plan, const char *label, const vvScene *scene, int perFrame, double parts)
{
    vvSceneTime time = vvSceneGetTime(scene);
    *plan = (vv_study_plan){
        .step = time.step, .begin = time.begin, .end = time.end, .perFrame = perFrame, .recordEvery = time.recordEvery
    };
    snprintf(plan->label, sizeof plan->label, "%s", label);
    snprintf(plan->name, sizeof plan->name, "%s", vvSceneName(scene));
    plan->scene = parts != 1 ? with_factors(vvSceneText(scene), parts) : strdup(vvSceneText(scene));
    if (plan->scene)
        return VV_CLI_GO;
    vv_cli_wrong("out of memory");
    return VV_EXIT_FAILED;
}

/* What only a world notices, such as a policy beside a scheme that it does not go with, is told before anything
 * runs. */
static int try_world(const vvScene *scene)
{
    vvError error = { 0 };
    vvWorld *world = NULL;
    vvStatus status = vvSceneCreateWorld(scene, 1, &world, &error);
    vvWorldDestroy(world);
    return status != VV_OK ? vv_cli_error(&error) : VV_CLI_GO;
}

/* The scene's own times; the run is given by its whole text later. */
static int load(const char *path, const vv_option_list *sets, vvScene **scene)
{
    vvError error = { 0 };
    if (vv_cli_is_run_file(path))
        return vv_cli_wrong("%s is a run file; give a scene", path);
    if (vvSceneLoad(path, sets->values, sets->count, scene, &error) == VV_OK)
        return VV_CLI_GO;
    return vv_cli_error(&error);
}

int vv_study_plan_read(vv_study_plan *plan, const char *label, const char *path, const vv_option_list *sets)
{
    vvScene *scene = NULL;
    int code = load(path, sets, &scene);
    if (code == VV_CLI_GO)
        code = try_world(scene);
    if (code == VV_CLI_GO)
        code = keep(plan, label, scene, 1, 1);
    vvSceneDestroy(scene);
    return code;
}

static bool is_set(const vv_option_list *sets, const char *key)
{
    for (int i = 0; i < sets->count; i++)
        if (strncmp(sets->values[i], key, strlen(key)) == 0 && sets->values[i][strlen(key)] == '=')
            return true;
    return false;
}

/* What is set last counts: first what the user may replace, then the user's own, last the step. */
static int truth_sets(const vv_option_list *sets, const vvSceneTime *time, int substeps, char texts[3][64],
                      vv_option_list *all)
{
    *all = (vv_option_list){ .count = 0 };
    if (sets->count + 5 > VV_OPTION_LIST_MAX)
        return vv_cli_wrong("too many --set");
    if (!is_set(sets, "integrator.scheme"))
        all->values[all->count++] = "integrator.scheme=backward-euler";
    if (!is_set(sets, "integrator.policy"))
        all->values[all->count++] =
            is_set(sets, "integrator.scheme") ? "integrator.policy=none" : "integrator.policy=search";
    for (int i = 0; i < sets->count; i++)
        all->values[all->count++] = sets->values[i];
    snprintf(texts[0], sizeof texts[0], "time.step=%.17g", time->step / substeps);
    snprintf(texts[1], sizeof texts[1], "time.record_every=%d", time->recordEvery * substeps);
    all->values[all->count++] = texts[0];
    all->values[all->count++] = texts[1];
    snprintf(texts[2], sizeof texts[2], "time.substeps=1"); /* the scene's own are in its step */
    all->values[all->count++] = texts[2];
    return VV_CLI_GO;
}

int vv_study_plan_truth(vv_study_plan *plan, const char *path, const vv_option_list *sets, int substeps)
{
    vvScene *scene = NULL, *fine = NULL;
    vv_option_list all;
    char label[64], texts[3][64];
    int code = load(path, sets, &scene);
    if (code != VV_CLI_GO)
        return code;
    vvSceneTime time = vvSceneGetTime(scene);
    vvSceneDestroy(scene);
    code = truth_sets(sets, &time, substeps, texts, &all);
    if (code == VV_CLI_GO)
        code = load(path, &all, &fine);
    snprintf(label, sizeof label, "truth, h/%d", substeps);
    if (code == VV_CLI_GO)
        code = try_world(fine);
    if (code == VV_CLI_GO)
        code = keep(plan, label, fine, substeps, substeps);
    vvSceneDestroy(fine);
    return code;
}

/* ---- any step ---- */

static bool is_whole(double ratio) { return ratio > 0.5 && fabs(ratio - round(ratio)) <= 1e-6 * ratio; }

static int check_step(const vvSceneTime *time, double step)
{
    char own[48], given[48];
    const double longer = fmax(step, time->step);
    vv_study_step_text(time->step, own);
    vv_study_step_text(step, given);
    if (!is_whole(longer / fmin(step, time->step)))
        return vv_cli_wrong("--steps: %s s is neither a whole part nor a whole multiple of the scene's own step, %s s",
                            given, own);
    if (!is_whole((time->end - time->begin) / longer))
        return vv_cli_wrong("--steps: the run's %.10g s are not a whole number of steps of %s s; --until sets its end",
                            time->end - time->begin, longer > time->step ? given : own);
    return VV_CLI_GO;
}

int vv_study_plan_step(vv_study_plan *plan, const char *label, const char *path, const vv_option_list *sets,
                       double step)
{
    vvScene *scene = NULL, *at = NULL;
    vv_option_list all = *sets;
    char text[64];
    if (all.count + 2 > VV_OPTION_LIST_MAX)
        return vv_cli_wrong("too many --set");
    int code = load(path, sets, &scene);
    if (code != VV_CLI_GO)
        return code;
    vvSceneTime time = vvSceneGetTime(scene);
    vvSceneDestroy(scene);
    snprintf(text, sizeof text, "time.step=%.17g", step);
    all.values[all.count++] = text;
    all.values[all.count++] = "time.substeps=1"; /* the scene's own are in its step */
    code = check_step(&time, step);
    if (code == VV_CLI_GO)
        code = load(path, &all, &at);
    if (code == VV_CLI_GO)
        code = try_world(at);
    if (code == VV_CLI_GO)
        code = keep(plan, label, at, step < time.step ? (int)lround(time.step / step) : 1, time.step / step);
    vvSceneDestroy(at);
    return code;
}

const char *vv_study_step_text(double step, char out[48])
{
    const double n = step > 0 ? 1 / step : 0;
    if (n >= 1.5 && n < 1e6 && fabs(n - round(n)) < 1e-9 * n)
        snprintf(out, 48, "1/%.0f", n);
    else
        snprintf(out, 48, "%.15g", step);
    return out;
}

/* ---- common frames ---- */

int vv_study_plans_align(vv_study_plan *plans, int count)
{
    double frame = 0, recorded = vv_study_frame(&plans[0]) * plans[0].recordEvery / plans[0].perFrame;
    for (int i = 0; i < count; i++)
        frame = fmax(frame, vv_study_frame(&plans[i]));
    int every = (int)fmax(1, lround(recorded / frame));
    for (int i = 0; i < count; i++) {
        double parts = frame / plans[i].step;
        if (fabs(parts - round(parts)) > 1e-6 * parts)
            return vv_cli_wrong(
                "%s: the step of %g s is not a whole part of the longest step that is compared, %g s; set time.step so "
                "that it is",
                plans[i].label, plans[i].step, frame);
        plans[i].perFrame = (int)lround(parts);
        plans[i].recordEvery = every * plans[i].perFrame;
    }
    return VV_CLI_GO;
}
