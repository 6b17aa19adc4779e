/* The slopes: a body is laid where it rests without friction, let go there, and watched. */
#define _POSIX_C_SOURCE 200809L
#include "cases.h"

#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double G0 = 9.81, DEGREE = 3.14159265358979323846 / 180, TILTS = 0.5 /* s */;
const double FRICTION_SPEED = 3e-4;

const slope slopes[TESTS] = {
    [SLIDES] = { "slides", 20, 0.2, 1.0 / 120, 1, true, true },
    [STICKS_LONG] = { "sticks, 30 degrees, mu 0.7, h 1/24", 30, 0.7, 1.0 / 24, 3, true, false },
    [STICKS] = { "sticks, 25 degrees, mu 0.5, h 1/120", 25, 0.5, 1.0 / 120, 3, true, false },
    [CREEPS] = { "the same without contact.stick", 25, 0.5, 1.0 / 120, 3, false, false },
};

const char *const body_name[BODIES] = { "soft", "affine", "cloth" };

static const model models[] = {
    { "barrier", "barrier", NULL },
    { "one-sided", "springs", "one-sided" },
    { "bilateral", "springs", "bilateral" },
    { "following", "springs", "following" },
    { "springs' penalty", "springs", "penalty" },
    { "cubic", "springs", "cubic" },
    { "penalty", "penalty", NULL },
    { "constraint", "constraint", NULL },
};

const model *model_at(int index)
{
    return index >= 0 && index < (int)(sizeof models / sizeof *models) ? &models[index] : NULL;
}

static void hear(void *user, vvLogLevel level, const char *message)
{
    result *r = user;
    r->warnings += level == VV_LOG_WARNING;
    if (level == VV_LOG_WARNING && !r->said[0])
        snprintf(r->said, sizeof r->said, "%.150s", message);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool too_late(void *user) { return now() > *(const double *)user; }

/* ---- worlds ---- */

/* What must stick is tilted within half a second, so that nothing shakes. */
static void lean(const slope *s, double time, double gravity[3])
{
    const double part = s->slides ? 1 : fmin(time / TILTS, 1),
                 angle = s->degrees * DEGREE * part * part * (3 - 2 * part);
    gravity[0] = G0 * sin(angle), gravity[1] = -G0 * cos(angle), gravity[2] = 0;
}

static vvWorldDef world_def(const model *m, const method *by, const slope *s)
{
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = s->h;
    d.threads = 1;
    lean(s, 0, d.gravity);
    d.integrator.scheme = by->scheme;
    d.integrator.policy = by->policy;
    d.integrator.groundMode = VV_GROUND_NONE;
    d.solver.method = by->solver;
    d.contact.model = m->contact;
    if (m->form)
        d.contact.springs.form = m->form;
    d.contact.friction = s->mu;
    d.contact.frictionSpeed = FRICTION_SPEED;
    d.contact.distance = 1e-3;
    d.contact.self = false;
    d.contact.stick = s->stick;
    return d;
}

static vvStatus add_body(vvWorld *w, body b, const char *soft, vvBodyId *id, vvError *error)
{
    static const vvSetting box[] = { { "size", { 0.2, 0.06, 0.12 } }, { "cells", { 6, 2, 4 } } },
                           cloth[] = { { "size", { 0.2, 0.12 } }, { "cells", { 6, 4 } } };
    vvObstacleDef plane = vvDefaultObstacleDef();
    vvMesh mesh = { 0 };
    vvBodyDef def = vvDefaultBodyDef();
    vvMaterialDef bending = vvDefaultMaterialOf("hinge");
    const bool flat = b == CLOTH;
    vvStatus status = vvMeshGenerate(flat ? "cloth" : "box", flat ? cloth : box, 2, &mesh, error);
    def.mesh = &mesh;
    def.material = vvDefaultMaterialOf(b == AFFINE ? "affine" : flat ? "stvk-membrane" : soft);
    if (b != AFFINE)
        def.material.young = 1e6, def.material.poisson = 0.3;
    def.material.density = 1000;
    if (flat) {
        def.material.thickness = bending.thickness = 2e-3;
        bending.young = 1e6, bending.poisson = 0.3;
        def.moreMaterials = &bending, def.moreMaterialCount = 1;
    }
    def.translate[1] = flat ? 2.2e-3 : 0.03 + 1.1e-3; /* until it is laid where it rests */
    if (status == VV_OK)
        status = vvWorldAddObstacle(w, &plane, NULL, error);
    if (status == VV_OK)
        status = vvWorldAddBody(w, &def, id, error);
    vvMeshDestroy(&mesh);
    return status == VV_OK ? vvWorldBake(w, error) : status;
}

/* Where the body rests under that model; NULL: the model does not take it. The caller frees it. */
static double *settle(const model *m, body b, const char *soft, const slope *s)
{
    static const method settles = { "backward-euler", "none", "newton" };
    vvWorldDef d = world_def(m, &settles, s);
    d.timeStep = 1.0 / 120, d.gravity[0] = 0, d.contact.friction = 0, d.solver.tolerance = 1e-5;
    vvWorld *w = NULL;
    vvBodyId id;
    double *q = NULL;
    vvStatus status = vvWorldCreate(&d, &w, NULL);
    if (status == VV_OK)
        status = add_body(w, b, soft, &id, NULL);
    for (int i = 0; i < 240 && status == VV_OK; i++)
        status = vvWorldStep(w, NULL, NULL);
    if (status == VV_OK) {
        const size_t bytes = 3 * (size_t)vvWorldNodeCount(w) * sizeof *q;
        q = malloc(bytes);
        if (q)
            memcpy(q, vvWorldPositions(w), bytes);
    }
    vvWorldDestroy(w);
    return q;
}

enum { MOST_MODELS = 16, MATERIALS = 3 };
static const char *const soft[MATERIALS] = { "neo-hookean", "corotated", "arap" }; /* the first that the solver takes */

/* The same, found once for all runs. */
static const double *rest_of(const model *m, body b, int material, test t)
{
    static double *known[MOST_MODELS][BODIES][MATERIALS][TESTS];
    static bool looked[MOST_MODELS][BODIES][MATERIALS][TESTS];
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const ptrdiff_t i = m - models;
    pthread_mutex_lock(&lock);
    if (!looked[i][b][material][t])
        known[i][b][material][t] = settle(m, b, soft[material], &slopes[t]);
    looked[i][b][material][t] = true;
    const double *q = known[i][b][material][t];
    pthread_mutex_unlock(&lock);
    return q;
}

static vvStatus make(result *r, const model *m, body b, const method *by, test t, vvWorld **w, vvBodyId *id,
                     vvError *error)
{
    vvStatus status = VV_ERROR_INPUT;
    int k = 0;
    for (; k < MATERIALS; k++) {
        vvWorldDef d = world_def(m, by, &slopes[t]);
        d.host.log = (vvLog){ hear, r };
        r->warnings = 0, r->said[0] = 0;
        status = vvWorldCreate(&d, w, error);
        if (status == VV_OK)
            status = add_body(*w, b, soft[k], id, error);
        if (status == VV_OK || b != SOFT)
            break;
        vvWorldDestroy(*w);
        *w = NULL;
    }
    const double *q = status == VV_OK ? rest_of(m, b, k, t) : NULL;
    if (!q)
        return status;
    double *still = calloc(3 * (size_t)vvWorldNodeCount(*w), sizeof *still);
    status = still ? vvBodySetState(*w, *id, q, still, error) : VV_ERROR_MEMORY;
    free(still);
    return status;
}

/* ---- a run ---- */

typedef struct track {
    double start, lost;
    int half;       /* steps of a sixth of the run */
    double late[2]; /* m: means over the two halves of the last third */
    vvLedgerRow row;
    vvBodyMeasures at;
} track;

static void judge(const slope *s, const track *t, result *r)
{
    const double time = t->row.time, mass = t->at.mass, gx = G0 * sin(s->degrees * DEGREE),
                 gy = G0 * cos(s->degrees * DEGREE), a = gx - s->mu * gy, way = t->at.centre[0] - t->start;
    const double normal = t->row.momentum[1] + mass * gy * time;
    const double least = 0.5 * a * time * time, most = 0.5 * a * time * (time + s->h);
    r->impulse = (mass * gx * time - t->row.momentum[0]) / (s->mu * normal);
    r->way = way < least ? way / least : way > most ? way / most : 1;
    r->booked = t->lost / (s->mu * mass * gy * way);
    r->creep = (t->late[1] - t->late[0]) / (t->half * s->h);
}

result friction_run(const model *m, body b, const method *by, test which, double seconds)
{
    const slope *s = &slopes[which];
    vvError error = { 0 };
    vvWorld *w = NULL;
    vvBodyId id;
    result r = { .outcome = DONE };
    track t = { 0 };
    vvStatus status = make(&r, m, b, by, which, &w, &id, &error);
    if (status != VV_OK) {
        r.outcome = REFUSED;
        snprintf(r.why, sizeof r.why, "%.150s", error.message);
        vvWorldDestroy(w);
        return r;
    }
    double end = now() + seconds;
    const int count = (int)(s->until / s->h + 0.5);
    vvWorldSetCancel(w, too_late, &end);
    vvBodyMeasure(w, id, &t.at, NULL);
    t.start = t.at.centre[0], t.half = count / 6;
    for (int i = 0; i < count && status == VV_OK; i++) {
        vvStepReport report = { 0 };
        double gravity[3];
        lean(s, i * s->h, gravity);
        if (!s->slides && (status = vvWorldSetGravity(w, gravity, &error)) != VV_OK)
            break;
        if ((status = vvWorldStep(w, &report, &error)) != VV_OK)
            break;
        r.notes += report.policyNote[0] != 0;
        vvWorldLedger(w, &t.row, NULL);
        vvBodyMeasure(w, id, &t.at, NULL);
        t.lost += t.row.friction;
        if (i >= count - 2 * t.half)
            t.late[i >= count - t.half] += t.at.centre[0] / t.half;
    }
    r.outcome = status == VV_OK ? DONE : status == VV_CANCELLED ? SLOW : FAILED;
    if (r.outcome == FAILED)
        snprintf(r.why, sizeof r.why, "%.150s", error.message);
    else if (r.outcome == DONE)
        judge(s, &t, &r);
    vvWorldDestroy(w);
    return r;
}
