/* How far a run is from the truth, as one number with its parts.
 *
 *   path         of each body: its first three apexes, each by the difference of heights over the climb of the body,
 * which is how far its centre rises and falls in truth; an apex that is missing on one side is where the body ends
 *                there. A body that has none on either side: where its centre ends. The mean over all bodies
 *   elastic      energies, means of the second half: the difference over truth's
 *   friction     what it took, in the same way
 *   visible      of centres, rotation and deformation, each over truth's whole visible energy
 *
 * An energy is not measured with less than the deviation of truth's starts, nor than a hundredth of the largest energy
 * that moves or strains something; a climb not with less than a tenth of the largest. The error is the mean of path,
 * elastic, friction and visible (the sum of its three), of those that truth has. */
#include "compare/cost.h"

#include <math.h>
#include <string.h>

enum { APEXES = 3 };
static const double LEAST_ENERGY = 0.01, LEAST_CLIMB = 0.1;
static const double MEAN_DISTANCE = 0.8; /* of a sample from the mean, in deviations: sqrt(2 / pi) */

typedef struct known {
    double value, off, deviation; /* off: how far a single start may be from truth, or truth from itself */
} known;

/* ---- numbers of the truth ---- */

static json_t *listed(const vv_cost_truth *t, const char *path)
{
    json_t *figure;
    size_t index;
    json_array_foreach(t->list, index, figure)
    {
        const char *name = json_string_value(json_object_get(figure, "path"));
        if (name && strcmp(name, path) == 0)
            return figure;
    }
    return NULL;
}

static known of_spreads(const vv_cost_truth *t, const char *path)
{
    known k = { 0 };
    double low = INFINITY, high = -INFINITY, chance = 0;
    for (int i = 0; i < t->count; i++) {
        const double mean = vv_study_number(t->spreads[i], path, "mean"),
                     sd = vv_study_number(t->spreads[i], path, "sd");
        k.value += mean / t->count;
        k.deviation = fmax(k.deviation, sd);
        chance = fmax(chance, 2 * sd / sqrt(vv_study_number(t->spreads[i], path, "runs")));
        low = fmin(low, mean), high = fmax(high, mean);
    }
    k.off = fmax(high - low, chance);
    return k;
}

static known number_of(const vv_cost_truth *t, const char *path)
{
    known k = of_spreads(t, path);
    json_t *figure = listed(t, path);
    if (json_is_number(json_object_get(figure, "value")) && json_is_number(json_object_get(figure, "error"))) {
        k.value = json_number_value(json_object_get(figure, "value"));
        k.off = json_number_value(json_object_get(figure, "error"));
    }
    k.off = fmax(k.off, MEAN_DISTANCE * k.deviation);
    return k;
}

/* At least half of the starts of each witness have it. */
static bool truth_has(const vv_cost_truth *t, const char *path)
{
    for (int i = 0; i < t->count; i++)
        if (!(2 * vv_study_number(t->spreads[i], path, "runs") >= vv_study_number(t->spreads[i], "time_end", "runs")))
            return false;
    return true;
}

/* ---- paths ---- */

static double number(json_t *figures, const char *path)
{
    json_t *value = vv_study_find(figures, path);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *of_body(char out[64], int body, const char *rest)
{
    snprintf(out, 64, "bodies.%d.%s", body, rest);
    return out;
}

typedef struct place {
    known truth;
    double run;
} place;

/* Along a direction; run NaN: `figures` is NULL. */
static place end_along(const vv_cost_truth *t, json_t *figures, int body, const double along[3])
{
    char path[64], rest[32];
    place p = { .run = 0 };
    for (int k = 0; k < 3; k++) {
        snprintf(rest, sizeof rest, "centre_end.%d", k);
        const known one = number_of(t, of_body(path, body, rest));
        p.truth.value += along[k] * one.value;
        p.truth.off += fabs(along[k]) * one.off;
        p.run += along[k] * number(figures, path);
    }
    return p;
}

/* Heights: what the truth and the run have in place of the apex. `figures` NULL: the truth beside itself. False:
 * neither has it. */
static bool find_apex(const vv_cost_truth *t, json_t *figures, int body, int k, place *p)
{
    char path[64], rest[32];
    snprintf(rest, sizeof rest, "apexes.%d.height", k);
    const bool theirs = truth_has(t, of_body(path, body, rest)), ours = figures && isfinite(number(figures, path));
    if (!theirs && !ours)
        return false;
    const place end = end_along(t, figures, body, t->up);
    p->truth = theirs ? number_of(t, path) : end.truth;
    p->run = ours ? number(figures, path) : end.run;
    return true;
}

static double apart(const place *p, json_t *figures) { return figures ? fabs(p->run - p->truth.value) : p->truth.off; }

static double body_error(const vv_cost_truth *t, json_t *figures, int body)
{
    static const double axes[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    char path[64];
    place p;
    double sum = 0, square = 0;
    int count = 0;
    const double climb = fmax(number_of(t, of_body(path, body, "climb")).value, LEAST_CLIMB * t->climb);
    for (int k = 0; k < APEXES && find_apex(t, figures, body, k, &p); k++, count++)
        sum += apart(&p, figures) / climb;
    for (int k = 0; k < 3 && count == 0; k++) {
        p = end_along(t, figures, body, axes[k]);
        square += pow(apart(&p, figures) / climb, 2);
    }
    return count ? sum / count : sqrt(square);
}

/* NaN: nothing rises or falls. */
static double path_error(const vv_cost_truth *t, json_t *figures)
{
    const int bodies = (int)json_array_size(json_object_get(t->spreads[0], "bodies"));
    double sum = 0;
    for (int b = 0; b < bodies; b++)
        sum += body_error(t, figures, b);
    return bodies && t->climb > 0 ? sum / bodies : NAN;
}

/* ---- energies ---- */

/* Over `whole`'s size; NaN: truth has nothing of the kind. */
static double energy_error(const vv_cost_truth *t, json_t *figures, const char *path, const char *whole)
{
    const known k = number_of(t, path), all = number_of(t, whole);
    const double size = fmax(fmax(fabs(all.value), all.deviation), LEAST_ENERGY * t->energy);
    if (!(fabs(all.value) > 1e-6 * t->energy))
        return NAN;
    return (figures ? fabs(number(figures, path) - k.value) : k.off) / size;
}

/* `figures` NULL: the truth beside itself. */
static vv_cost_error measure(const vv_cost_truth *t, json_t *figures)
{
    static const char *const elastic = "energy.second_half.elastic", *const friction = "ledger.friction",
                             *const visible = "energy.second_half.visible.total";
    vv_cost_error e = { .parts = {
                            [VV_COST_PATH] = path_error(t, figures),
                            [VV_COST_ELASTIC] = energy_error(t, figures, elastic, elastic),
                            [VV_COST_FRICTION] = energy_error(t, figures, friction, friction),
                            [VV_COST_CENTRE] = energy_error(t, figures, "energy.second_half.visible.centre", visible),
                            [VV_COST_ROTATION] =
                                energy_error(t, figures, "energy.second_half.visible.rotation", visible),
                            [VV_COST_DEFORMATION] =
                                energy_error(t, figures, "energy.second_half.visible.deformation", visible),
                        } };
    const double four[] = { e.parts[VV_COST_PATH], e.parts[VV_COST_ELASTIC], e.parts[VV_COST_FRICTION],
                            e.parts[VV_COST_CENTRE] + e.parts[VV_COST_ROTATION] + e.parts[VV_COST_DEFORMATION] };
    double sum = 0;
    int count = 0;
    for (int i = 0; i < 4; i++)
        if (isfinite(four[i]))
            sum += four[i], count++;
    e.total = count ? sum / count : NAN;
    return e;
}

vv_cost_error vv_cost_measure(const vv_cost_truth *truth, json_t *figures) { return measure(truth, figures); }

/* ---- reading ---- */

/* Of visviva truth, with --converge or without. */
static bool find_parts(vv_cost_truth *t)
{
    json_t *figures = json_object_get(t->json, "figures"), *levels = json_object_get(t->json, "levels");
    if (json_is_object(figures)) {
        t->spreads[t->count++] = figures;
    } else if (json_is_array(figures) && json_array_size(figures) > 0 && json_array_size(levels) > 0) {
        json_t *finest = json_array_get(levels, json_array_size(levels) - 1);
        t->list = figures;
        t->spreads[t->count++] = json_object_get(finest, "search");
        t->spreads[t->count++] = json_object_get(finest, "tr_bdf2");
    }
    for (int i = 0; i < t->count; i++)
        if (!json_is_array(json_object_get(t->spreads[i], "bodies")))
            return false;
    return t->count > 0;
}

static double frame_of(const vv_cost_truth *t)
{
    json_t *frame = json_object_get(t->json, "frame"), *first = json_array_get(json_object_get(t->json, "levels"), 0);
    return frame ? json_number_value(frame)
                 : json_number_value(json_object_get(first, "time_step")) *
                       json_number_value(json_object_get(first, "substeps"));
}

static bool near(double a, double b) { return fabs(a - b) <= 1e-6 * fabs(b); }

static int check(const vv_cost_truth *t, const char *path, const vv_study_plan *plan)
{
    char content[VV_STUDY_DIGEST], theirs[48], ours[48];
    const char *name = json_string_value(json_object_get(t->json, "scene")),
               *digest = json_string_value(json_object_get(t->json, "content"));
    const double until = json_number_value(json_object_get(t->json, "until"));
    vv_study_content(plan, content);
    if (!name || strcmp(name, plan->name) != 0)
        return vv_cli_wrong("--truth: %s is of the scene \"%s\", not of \"%s\"", path, name ? name : "", plan->name);
    if (digest && strcmp(digest, content) != 0)
        return vv_cli_wrong(
            "--truth: %s is of \"%s\" with other bodies, materials or overrides; visviva truth makes one "
            "with the same --set",
            path, name);
    if (!near(until, plan->end))
        return vv_cli_wrong("--truth: %s goes to t = %.10g s, not to %.10g s; --until %.10g runs as far", path, until,
                            plan->end, until);
    if (!near(frame_of(t), vv_study_frame(plan)))
        return vv_cli_wrong("--truth: %s is sampled every %s s, the scene every %s s; --set time.step= sets that", path,
                            vv_study_step_text(frame_of(t), theirs), vv_study_step_text(vv_study_frame(plan), ours));
    return VV_CLI_GO;
}

static void find_up(const vv_study_plan *plan, double up[3])
{
    const vvWorldDef def = vvDefaultWorldDef();
    double g[3] = { def.gravity[0], def.gravity[1], def.gravity[2] }, size = 0;
    json_t *scene = json_loads(plan->scene, 0, NULL), *given = json_object_get(scene, "gravity");
    for (size_t k = 0; k < 3 && json_array_size(given) == 3; k++)
        g[k] = json_number_value(json_array_get(given, k));
    for (int k = 0; k < 3; k++)
        size += g[k] * g[k];
    for (int k = 0; k < 3; k++)
        up[k] = size > 0 ? -g[k] / sqrt(size) : 0;
    json_decref(scene);
}

int vv_cost_truth_read(vv_cost_truth *t, const char *path, const vv_study_plan *plan)
{
    json_error_t error;
    char name[64];
    *t = (vv_cost_truth){ .json = json_load_file(path, 0, &error) };
    if (!t->json)
        return vv_cli_wrong("--truth: %s: %s", path, error.text);
    if (!find_parts(t))
        return vv_cli_wrong(
            "--truth: %s has no \"figures\" of a truth; visviva truth SCENE --converge --json FILE makes one", path);
    int code = check(t, path, plan);
    if (code != VV_CLI_GO)
        return code;
    vv_study_digest_file(path, t->digest);
    find_up(plan, t->up);
    t->energy = vv_study_energy_size(t->spreads, t->count);
    for (int b = 0; b < (int)json_array_size(json_object_get(t->spreads[0], "bodies")); b++)
        t->climb = fmax(t->climb, number_of(t, of_body(name, b, "climb")).value);
    t->known = measure(t, NULL);
    return VV_CLI_GO;
}

void vv_cost_truth_free(vv_cost_truth *truth)
{
    json_decref(truth->json);
    *truth = (vv_cost_truth){ 0 };
}
