/* The energy in the highest or lowest vibration modes of a body's rest shape, at the recorded frames: visviva
 * spectrum as a measure. The body is made again, at rest, from the scene in the run file. */
#include "reproduce/reproduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* { "spectrum": "highest", "modes": 30, "run": NAME, "body": NAME, "of": "state", "take": ... } */

static const char *text_of(const json_t *spec, const char *key, const char *otherwise)
{
    const char *text = json_string_value(json_object_get(spec, key));
    return text ? text : otherwise;
}

static int check_spectrum(const vv_repro_item *item, const char *path, const json_t *spec)
{
    char below[VV_REPRO_PATH];
    json_t *body = json_object_get(spec, "body"), *of = json_object_get(spec, "of"),
           *modes = json_object_get(spec, "modes");
    if (!json_is_integer(modes) || json_integer_value(modes) < 1 || json_integer_value(modes) > 10000)
        return vv_repro_wrong(item, vv_repro_path(below, path, "modes"),
                              "must be how many modes, a whole number from 1 to 10000");
    if (body && !json_is_string(body))
        return vv_repro_wrong(item, vv_repro_path(below, path, "body"), "must be a body's name");
    if (of && !(json_is_string(of) && vv_repro_has_word("state visible", json_string_value(of))))
        return vv_repro_wrong(item, vv_repro_path(below, path, "of"), "must be one of: state, visible");
    return VV_CLI_GO;
}

/* The body of that name, or the first that can vibrate; -1 with the reason. */
static int find_body(const vvRun *run, const char *name, char why[VV_REPRO_WHY])
{
    for (int b = 0; b < vvRunBodyCount(run); b++) {
        const vvRunBody *body = vvRunGetBody(run, b);
        if (name ? strcmp(body->name, name) == 0 : !body->kinematic && body->pointCount == 0)
            return b;
    }
    if (name)
        vv_repro_none(why, "the run has no body \"%.100s\"", name);
    else
        vv_repro_none(why, "the run has no body that could vibrate");
    return -1;
}

static vvModes *find_modes(const vvRun *run, int body, const json_t *spec, char why[VV_REPRO_WHY])
{
    /* Nothing is solved for that modes do not need. */
    static const char *const plain[] = { "integrator.policy=none", "integrator.decay_time=null",
                                         "integrator.ground_energy=none", "integrator.start_fraction=1" };
    vvScene *scene = NULL;
    vvWorld *world = NULL;
    vvModes *modes = NULL;
    vvError error = { 0 };
    vvStatus status =
        vvSceneParse(vvRunSceneText(run), "the run's scene", ".", plain, sizeof plain / sizeof *plain, &scene, &error);
    if (status == VV_OK)
        status = vvSceneCreateWorld(scene, 1, &world, &error);
    if (status == VV_OK && vvWorldNodeCount(world) != vvRunNodeCount(run))
        vv_repro_none(why, "its scene has %d nodes now, and the run has %d: a mesh file has changed",
                      vvWorldNodeCount(world), vvRunNodeCount(run));
    else if (status == VV_OK)
        status = vvBodyFindModes(world, vvWorldBody(world, body),
                                 text_of(spec, "spectrum", "")[0] == 'h' ? VV_MODES_HIGHEST : VV_MODES_LOWEST,
                                 (int)json_integer_value(json_object_get(spec, "modes")), &modes, &error);
    if (status != VV_OK)
        vv_repro_none(why, "%.390s", error.message);
    vvWorldDestroy(world);
    vvSceneDestroy(scene);
    return modes;
}

static bool follow(const vvRun *run, int body, vvModes *modes, bool visible, vv_repro_series *s, char why[VV_REPRO_WHY])
{
    vvError error = { 0 };
    int frames = vvRunFrameCount(run), count = vvModesCount(modes);
    size_t n = 3 * (size_t)vvRunNodeCount(run), at = 3 * (size_t)vvRunGetBody(run, body)->firstNode;
    double *x = calloc(n + 1, sizeof *x), *v = calloc(n + 1, sizeof *v),
           *energies = calloc((size_t)count + 1, sizeof *energies);
    s->times = calloc((size_t)frames + 1, sizeof *s->times);
    s->values = calloc((size_t)frames + 1, sizeof *s->values);
    bool good = x && v && energies && s->times && s->values;
    if (!good)
        vv_repro_none(why, "out of memory");
    for (int f = 0; f < frames && good; f++) {
        vvStatus status = vvRunReadFrame(run, f, x, visible ? v : NULL, &error);
        if (status == VV_OK && !visible)
            status = vvRunReadStateVelocities(run, f, v, &error);
        if (status == VV_OK)
            status = vvModesEnergies(modes, x + at, v + at, energies, &error);
        good = status == VV_OK;
        if (!good)
            vv_repro_none(why, "%.390s", error.message);
        for (int k = 0; k < count && good; k++)
            s->values[f] += energies[k];
        s->times[f] = vvRunFrameTime(run, f);
        s->count = f + 1;
    }
    free(x);
    free(v);
    free(energies);
    return good;
}

static double spectrum(vv_repro_item *item, json_t *spec, char why[VV_REPRO_WHY])
{
    vv_repro_series s = { 0 };
    vv_repro_run *run = vv_repro_find_run(item, json_string_value(json_object_get(spec, "run")));
    double value = NAN;
    int body = vv_repro_run_rows(run, why) ? find_body(run->file, text_of(spec, "body", NULL), why) : -1;
    vvModes *modes = body >= 0 ? find_modes(run->file, body, spec, why) : NULL;
    if (modes && follow(run->file, body, modes, text_of(spec, "of", "state")[0] == 'v', &s, why))
        value = vv_repro_take(&s, spec, why);
    vvModesDestroy(modes);
    vv_repro_series_free(&s);
    return value;
}

const vv_repro_measure vv_repro_measure_spectrum = { "spectrum",       "modes run body of " VV_REPRO_TAKE_KEYS,
                                                     "modes run",      "energy in vibration modes of a body",
                                                     "highest lowest", "run",
                                                     check_spectrum,   spectrum };
