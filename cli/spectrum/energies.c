/* The energies of runs in the modes of a body: its world is made again from the scene in the run file, at rest. */
#include "spectrum/spectrum.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TWO_PI = 6.283185307179586;

/* What the run's scene becomes: nothing is solved for that modes do not need. */
static const char *const overrides[] = { "integrator.policy=none", "integrator.decay_time=null",
                                         "integrator.ground_energy=none", "integrator.start_fraction=1" };

static int make_world(const vv_plot_run *r, int threads, vvWorld **world)
{
    vvScene *scene = NULL;
    vvError error = { 0 };
    if (!vvRunSceneText(r->run)[0])
        return vv_cli_wrong("%s: the run holds no scene, so its body at rest is not known", r->stem);
    vvStatus status = vvSceneParse(vvRunSceneText(r->run), r->stem, ".", overrides,
                                   sizeof overrides / sizeof *overrides, &scene, &error);
    if (status == VV_OK)
        status = vvSceneCreateWorld(scene, threads, world, &error);
    vvSceneDestroy(scene);
    return status == VV_OK ? VV_CLI_GO : vv_cli_error(&error);
}

/* The body's index: of that name, or the first that may vibrate. */
static int find_body(const vv_plot_run *r, const char *name)
{
    int count = vvRunBodyCount(r->run);
    const char *words[64];
    char hint[VV_HINT];
    int known = 0;
    for (int b = 0; b < count; b++) {
        const vvRunBody *body = vvRunGetBody(r->run, b);
        if (name ? strcmp(body->name, name) == 0 : !body->kinematic && body->pointCount == 0)
            return b;
        if (known < 64)
            words[known++] = body->name;
    }
    if (name)
        vv_cli_wrong("--body \"%s\": %s has no body of that name%s", name, r->stem,
                     vv_cli_hint(hint, name, words, known));
    else
        vv_cli_wrong("%s has no body that could vibrate", r->stem);
    return -1;
}

/* ---- modes: those of the run before, if the bodies are the same ---- */

static bool same_bodies(const vvRun *a, const vvRun *b)
{
    static const char *const keys[] = { "bodies", "materials" };
    json_t *x = json_loads(vvRunSceneText(a), 0, NULL), *y = json_loads(vvRunSceneText(b), 0, NULL);
    bool same = x && y;
    for (int k = 0; k < 2 && same; k++) {
        json_t *p = json_object_get(x, keys[k]), *q = json_object_get(y, keys[k]);
        same = p == q || (p && q && json_equal(p, q));
    }
    json_decref(x);
    json_decref(y);
    return same;
}

static int find_modes(const vv_plot_run *r, int body, const vv_spectrum_options *o, vvModes **modes)
{
    vvWorld *world = NULL;
    vvError error = { 0 };
    vv_cli_phase("spectrum: finding %d modes of \"%s\"", o->modes, vvRunGetBody(r->run, body)->name);
    int code = make_world(r, o->threads, &world);
    if (code == VV_CLI_GO && vvWorldNodeCount(world) != vvRunNodeCount(r->run))
        code = vv_cli_wrong("%s: its scene has %d nodes now, and the run has %d: a mesh file has changed", r->stem,
                            vvWorldNodeCount(world), vvRunNodeCount(r->run));
    if (code == VV_CLI_GO) {
        vvWorldSetCancel(world, vv_cli_cancel, NULL);
        if (vvBodyFindModes(world, vvWorldBody(world, body), o->highest ? VV_MODES_HIGHEST : VV_MODES_LOWEST, o->modes,
                            modes, &error) != VV_OK)
            code = vv_cli_interrupted() ? VV_EXIT_INTERRUPTED : vv_cli_error(&error);
    }
    vvWorldDestroy(world);
    vv_cli_phase(NULL);
    return code;
}

/* ---- frames ---- */

/* The frames to look at; returns how many, and the first of them. */
static int select_frames(const vvRun *run, const vv_spectrum_options *o, int *first)
{
    int last = -1;
    *first = -1;
    for (int f = 0; f < vvRunFrameCount(run); f++) {
        double t = vvRunFrameTime(run, f), slack = 1e-9 * (1 + fabs(t));
        if (t < o->from - slack || t > o->until + slack)
            continue;
        *first = *first < 0 ? f : *first;
        last = f;
    }
    return *first < 0 ? 0 : (last - *first) / o->every + 1;
}

static vvStatus read_frame(const vvRun *run, int frame, bool visible, double *x, double *v, vvError *error)
{
    vvStatus status = vvRunReadFrame(run, frame, x, visible ? v : NULL, error);
    if (status == VV_OK && !visible)
        status = vvRunReadStateVelocities(run, frame, v, error);
    if (status == VV_OK && !visible && !isfinite(v[0])) /* a file of an older version: what it has are the state's */
        status = vvRunReadFrame(run, frame, NULL, v, error);
    return status;
}

static int measure_frames(const vv_plot_run *r, int body, const vv_spectrum_options *o, vvModes *modes, vv_spectrum *s)
{
    vvError error = { 0 };
    vv_progress progress;
    char what[VV_LABEL + 32];
    int first, at = vvRunGetBody(r->run, body)->firstNode;
    size_t n = 3 * (size_t)vvRunNodeCount(r->run), columns;
    s->frames = select_frames(r->run, o, &first);
    if (s->frames == 0)
        return vv_cli_wrong("%s has no frame from t = %g to %g s: it has %d, to t = %g s", r->stem, o->from, o->until,
                            vvRunFrameCount(r->run), vvRunFrameTime(r->run, vvRunFrameCount(r->run) - 1));
    s->modes = vvModesCount(modes), s->rigid = vvModesRigidCount(modes);
    columns = (size_t)s->modes + 1;
    s->frequencies = malloc(columns * sizeof(double));
    s->times = malloc((size_t)s->frames * sizeof(double));
    s->energies = malloc((size_t)s->frames * columns * sizeof(double));
    double *x = malloc(n * sizeof *x), *v = malloc(n * sizeof *v);
    vvStatus status = VV_OK;
    bool room = s->frequencies && s->times && s->energies && x && v;
    for (int k = 0; k < s->modes && room; k++)
        s->frequencies[k] = vvModesFrequency(modes, k) / TWO_PI;
    snprintf(what, sizeof what, "spectrum, %.190s", r->label);
    vv_progress_start(&progress, what, s->frames, o->quiet);
    for (int i = 0; i < s->frames && room && status == VV_OK && !vv_cli_interrupted(); i++) {
        int f = first + i * o->every;
        s->times[i] = vvRunFrameTime(r->run, f);
        status = read_frame(r->run, f, o->visible, x, v, &error);
        if (status == VV_OK)
            status = vvModesEnergies(modes, x + 3 * (size_t)at, v + 3 * (size_t)at, s->energies + (size_t)i * columns,
                                     &error);
        vv_progress_update(&progress, i + 1, "");
    }
    vv_progress_finish(&progress);
    free(x);
    free(v);
    if (!room) {
        vv_cli_wrong("no memory for %d modes of %d frames", s->modes, s->frames);
        return VV_EXIT_FAILED;
    }
    if (vv_cli_interrupted())
        return VV_EXIT_INTERRUPTED;
    return status == VV_OK ? VV_CLI_GO : vv_cli_error(&error);
}

int vv_spectrum_measure(const vv_plot_set *set, const vv_spectrum_options *o, vv_spectrum spectra[VV_PLOT_RUNS])
{
    vvModes *modes = NULL;
    int code = VV_CLI_GO, last = -1;
    for (int i = 0; i < set->count && code == VV_CLI_GO; i++) {
        const vv_plot_run *r = &set->runs[i];
        int body = find_body(r, o->body);
        if (body < 0) {
            code = VV_EXIT_WRONG;
            break;
        }
        spectra[i].run = r;
        spectra[i].unknowns = 3 * (vvRunGetBody(r->run, body)->nodeCount + vvRunGetBody(r->run, body)->directorCount);
        snprintf(spectra[i].body, sizeof spectra[i].body, "%s", vvRunGetBody(r->run, body)->name);
        if (last < 0 || strcmp(spectra[i].body, spectra[last].body) != 0 || !same_bodies(set->runs[last].run, r->run)) {
            vvModesDestroy(modes);
            modes = NULL;
            code = find_modes(r, body, o, &modes);
        }
        last = i;
        if (code == VV_CLI_GO)
            code = measure_frames(r, body, o, modes, &spectra[i]);
    }
    vvModesDestroy(modes);
    return code;
}

void vv_spectrum_free(vv_spectrum *s)
{
    free(s->frequencies);
    free(s->times);
    free(s->energies);
    *s = (vv_spectrum){ 0 };
}

double vv_spectrum_mean(const vv_spectrum *s, int mode)
{
    double sum = 0;
    for (int f = 0; f < s->frames; f++)
        sum += s->energies[(size_t)f * ((size_t)s->modes + 1) + (size_t)mode];
    return sum / s->frames;
}
