/* The motions: free spin, flight, a pendulum, a bounce, head-on collisions, a ball that rolls. Bodies are as small as
 * they can be, so that thousands of runs take minutes. Velocities are never looked at: what counts is where things
 * are. */
#include "motions.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* ---- what is tracked ---- */

static void centre_of(const vvWorld *w, vvBodyId id, double c[3])
{
    int first, count;
    const double *q = vvWorldPositions(w), *mass = vvWorldMasses(w);
    double sum = 0;
    vvBodyNodes(w, id, &first, &count);
    memset(c, 0, 3 * sizeof *c);
    for (int i = first; i < first + count; i++) {
        sum += mass[i];
        for (int k = 0; k < 3; k++)
            c[k] += mass[i] * q[3 * i + k];
    }
    for (int k = 0; k < 3; k++)
        c[k] /= sum;
}

/* The arm of the first body's first node, in the plane that turns about axis value[2]. */
static void arm_of(const motion *m, const vvWorld *w, const motion_track *t, double arm[2])
{
    const int axis = (int)m->value[2];
    int first, count;
    vvBodyNodes(w, t->body[0], &first, &count);
    for (int k = 0; k < 2; k++) {
        const int along = (axis + 1 + k) % 3;
        arm[k] = vvWorldPositions(w)[3 * first + along] - t->centre[0][along];
    }
}

void motion_begin(const motion *m, const vvWorld *w, motion_track *t)
{
    for (int b = 0; b < t->bodies; b++) {
        centre_of(w, t->body[b], t->centre[b]);
        memcpy(t->before[b], t->centre[b], sizeof t->centre[b]);
    }
    arm_of(m, w, t, t->arm);
    t->highest = -INFINITY;
}

void motion_take(const motion *m, const vvWorld *w, motion_track *t)
{
    double arm[2];
    for (int b = 0; b < t->bodies; b++) {
        memcpy(t->before[b], t->centre[b], sizeof t->centre[b]);
        centre_of(w, t->body[b], t->centre[b]);
    }
    t->time += t->h;
    arm_of(m, w, t, arm);
    t->turned += atan2(t->arm[0] * arm[1] - t->arm[1] * arm[0], t->arm[0] * arm[0] + t->arm[1] * arm[1]);
    memcpy(t->arm, arm, sizeof arm);
    if (m->follow)
        m->follow(m, t);
}

/* ---- bodies ---- */

static vvStatus add(vvWorld *w, const char *generator, const vvSetting *settings, int count, vvBodyDef *def,
                    motion_track *t, vvError *error)
{
    vvMesh mesh = { 0 };
    vvStatus status = vvMeshGenerate(generator, settings, count, &mesh, error);
    if (status == VV_OK && t->order == 2 && strcmp(def->material.model, "affine") != 0)
        status = vvMeshRaise(&mesh, error);
    def->mesh = &mesh;
    if (status == VV_OK)
        status = vvWorldAddBody(w, def, &t->body[t->bodies], error);
    t->bodies += status == VV_OK;
    vvMeshDestroy(&mesh);
    return status;
}

static vvStatus box(vvWorld *w, const char *model, double young, const double at[3], const double size[3],
                    motion_track *t, vvError *error)
{
    const vvSetting settings[] = { { "size", { size[0], size[1], size[2] } }, { "cells", { 1, 1, 1 } } };
    vvBodyDef def = vvDefaultBodyDef();
    def.material = vvDefaultMaterialOf(model);
    if (young > 0)
        def.material.young = young;
    memcpy(def.translate, at, sizeof def.translate);
    return add(w, "box", settings, 2, &def, t, error);
}

/* number: of the state's, a vector. */
static vvStatus start(vvWorld *w, vvBodyId body, const char *name, const char *number, double x, double y, double z,
                      vvError *error)
{
    return vvBodySetInitialState(w, body, name, &(vvSetting){ number, { x, y, z } }, 1, error);
}

static vvStatus plane(vvWorld *w, double friction, vvError *error)
{
    vvObstacleDef def = vvDefaultObstacleDef();
    def.friction = friction;
    return vvWorldAddObstacle(w, &def, NULL, error);
}

/* ---- free spin: value[0] rad/s about axis value[2] ---- */

static vvStatus build_spin(const motion *m, vvWorld *w, const char *soft, motion_track *t, vvError *error)
{
    double rate[3] = { 0 };
    rate[(int)m->value[2]] = m->value[0];
    vvStatus status = box(w, soft, 1e6, (double[]){ 0, 0, 0 }, (double[]){ 0.1, 0.07, 0.05 }, t, error);
    return status == VV_OK ? start(w, t->body[0], "angular", "rate", rate[0], rate[1], rate[2], error) : status;
}

static void figures_turn(const motion *m, const motion_track *t, double out[MOST_FIGURES])
{
    out[0] = t->turned / (m->value[0] * t->time);
}

/* ---- flight: thrown with value[0], value[1] m/s along x and y ---- */

static vvStatus build_flight(const motion *m, vvWorld *w, const char *soft, motion_track *t, vvError *error)
{
    vvStatus status = box(w, soft, 1e6, (double[]){ 0, 0, 0 }, (double[]){ 0.1, 0.1, 0.1 }, t, error);
    return status == VV_OK ? start(w, t->body[0], "linear", "velocity", m->value[0], m->value[1], 0, error) : status;
}

static void figures_flight(const motion *m, const motion_track *t, double out[MOST_FIGURES])
{
    out[0] = (t->centre[0][0] - m->value[0] * t->time) / (m->value[0] * t->time);
    out[1] = (t->centre[0][1] - m->value[1] * t->time + 0.5 * m->gravity * t->time * t->time) /
             (0.5 * m->gravity * t->time * t->time);
}

/* ---- a pendulum: a mass on a stiff spring of 1 m, let go at value[0] rad ---- */

static vvStatus build_pendulum(const motion *m, vvWorld *w, const char *soft, motion_track *t, vvError *error)
{
    (void)soft;
    double x[6] = { 0, 0, 0, sin(m->value[0]), -cos(m->value[0]), 0 };
    int edge[2] = { 0, 1 }, held = 0;
    vvMesh mesh = { .vertexCount = 2, .edgeCount = 1, .positions = x, .edges = edge };
    vvBodyDef def = vvDefaultBodyDef();
    def.mesh = &mesh;
    def.material = vvDefaultMaterialOf("hooke");
    def.material.springStiffness = 2e4;
    def.material.totalMass = 2;
    vvStatus status = vvWorldAddBody(w, &def, &t->body[0], error);
    t->bodies = 1;
    vvAttachDef attach = vvDefaultAttachDef();
    attach.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = &held, .listCount = 1 };
    return status == VV_OK ? vvBodyAttach(w, t->body[0], &attach, NULL, error) : status;
}

/* The centre is halfway to the mass; its sides are those of the mass. */
static void follow_pendulum(const motion *m, motion_track *t)
{
    (void)m;
    const double x = t->centre[0][0], before = t->before[0][0];
    t->highest = fmax(t->highest, atan2(-x, -t->centre[0][1]));
    if (t->crossings < 2 && (x > 0) != (before > 0))
        t->crossing[t->crossings++] = t->time - t->h * x / (x - before);
}

static void figures_pendulum(const motion *m, const motion_track *t, double out[MOST_FIGURES])
{
    const double period = 2 * PI * sqrt(1 / m->gravity) * (1 + m->value[0] * m->value[0] / 16);
    out[0] = t->crossings > 0 ? t->crossing[0] / (0.25 * period) : 0;
    out[1] = t->crossings > 1 ? t->crossing[1] / (0.75 * period) : 0;
    out[2] = t->highest / m->value[0];
}

/* ---- a bounce: dropped by value[0] m onto a plane ---- */

static vvStatus build_bounce(const motion *m, vvWorld *w, const char *soft, motion_track *t, vvError *error)
{
    vvStatus status = box(w, soft, 1e5, (double[]){ 0, 0.052 + m->value[0], 0 }, (double[]){ 0.1, 0.1, 0.1 }, t, error);
    return status == VV_OK ? plane(w, 0, error) : status;
}

/* Highest after the first rise. */
static void follow_bounce(const motion *m, motion_track *t)
{
    (void)m;
    const double y = t->centre[0][1];
    if (y > t->before[0][1] && t->time > 0.1)
        t->crossings = 1;
    if (t->crossings)
        t->highest = fmax(t->highest, y);
    t->wrong = t->wrong || y < 0;
}

static void figures_bounce(const motion *m, const motion_track *t, double out[MOST_FIGURES])
{
    out[0] = t->crossings ? (t->highest - 0.05) / m->value[0] : 0;
}

/* ---- head on: value[0] m/s each; value[1]: how many of the two are affine ---- */

static vvStatus build_collision(const motion *m, vvWorld *w, const char *soft, motion_track *t, vvError *error)
{
    vvStatus status = VV_OK;
    for (int b = 0; b < 2 && status == VV_OK; b++) {
        const bool affine = m->value[1] > b;
        const double at[3] = { b ? 0.15 : 0, 0, 0 }, size[3] = { 0.1, 0.1, 0.1 };
        status = box(w, affine ? "affine" : soft, affine ? 0 : 1e5, at, size, t, error);
        if (status == VV_OK)
            status = start(w, t->body[b], "linear", "velocity", b ? -m->value[0] : m->value[0], 0, 0, error);
    }
    return status;
}

static void follow_collision(const motion *m, motion_track *t)
{
    (void)m;
    t->wrong = t->wrong || !(t->centre[0][0] < t->centre[1][0]);
}

static void figures_collision(const motion *m, const motion_track *t, double out[MOST_FIGURES])
{
    for (int b = 0; b < 2; b++)
        out[b] = (t->centre[b][0] - t->before[b][0]) / (t->h * m->value[0]);
}

/* ---- rolling: an affine ball of 0.1 m, value[0] m/s and the spin that goes with it ---- */

static vvStatus build_roll(const motion *m, vvWorld *w, const char *soft, motion_track *t, vvError *error)
{
    (void)soft;
    vvBodyDef def = vvDefaultBodyDef();
    def.material = vvDefaultMaterialOf("affine");
    def.translate[1] = 0.10097; /* about as near as it rests */
    vvStatus status = add(w, "ball", (vvSetting[]){ { "radius", { 0.1 } }, { "cells", { 4 } } }, 2, &def, t, error);
    if (status == VV_OK)
        status = start(w, t->body[0], "linear", "velocity", m->value[0], 0, 0, error);
    if (status == VV_OK)
        status = start(w, t->body[0], "angular", "rate", 0, 0, -m->value[0] / 0.1, error);
    return status == VV_OK ? plane(w, 0.5, error) : status;
}

static void figures_roll(const motion *m, const motion_track *t, double out[MOST_FIGURES])
{
    out[0] = t->centre[0][0] / (m->value[0] * t->time);
    out[1] = -t->turned * 0.1 / (m->value[0] * t->time);
}

/* ---- the list ---- */

#define SPIN(axis, number)                                                                                    \
    {                                                                                                         \
        .name = "spin about " axis, .build = build_spin, .figures = figures_turn, .count = 1, .exact = { 1 }, \
        .scale = { 1 }, .until = 1.5, .value = {                                                              \
            10,                                                                                               \
            0,                                                                                                \
            number                                                                                            \
        }                                                                                                     \
    }
#define COLLISION(who, affine, speed, figures_count, time)                                                             \
    {                                                                                                                  \
        .name = who ", " #speed " m/s each", .build = build_collision, .follow = follow_collision,                     \
        .figures = figures_collision, .count = figures_count, .exact = { NAN, NAN }, .scale = { 1, 1 }, .until = time, \
        .more = 6, .value = {                                                                                          \
            speed,                                                                                                     \
            affine,                                                                                                    \
            2                                                                                                          \
        }                                                                                                              \
    }
static const motion motions[] = {
    SPIN("x", 0),
    SPIN("y", 1),
    SPIN("z", 2),
    { .name = "flight",
      .build = build_flight,
      .figures = figures_flight,
      .count = 2,
      .exact = { 0, 0 },
      .scale = { 1, 1 },
      .until = 0.5,
      .gravity = 9.8,
      .value = { 1, 2, 2 } },
    { .name = "pendulum",
      .build = build_pendulum,
      .follow = follow_pendulum,
      .figures = figures_pendulum,
      .count = 3,
      .exact = { 1, 1, 1 },
      .scale = { 1, 1, 1 },
      .until = 1.7,
      .gravity = 9.8,
      .value = { 0.2, 0, 2 } },
    { .name = "bounce",
      .build = build_bounce,
      .follow = follow_bounce,
      .figures = figures_bounce,
      .count = 1,
      .exact = { NAN },
      .scale = { 1 },
      .until = 0.6,
      .gravity = 9.8,
      .value = { 0.2, 0, 2 } },
    COLLISION("soft on soft", 0, 1, 2, 0.15),
    COLLISION("soft on soft", 0, 10, 0, 0.02),
    COLLISION("soft on soft", 0, 100, 0, 0.002),
    COLLISION("affine on affine", 2, 1, 2, 0.15),
    COLLISION("affine on affine", 2, 10, 0, 0.02),
    COLLISION("affine on affine", 2, 100, 0, 0.002),
    COLLISION("affine on soft", 1, 1, 2, 0.15),
    COLLISION("affine on soft", 1, 10, 0, 0.02),
    COLLISION("affine on soft", 1, 100, 0, 0.002),
    { .name = "rolling ball",
      .build = build_roll,
      .figures = figures_roll,
      .count = 2,
      .exact = { NAN, NAN },
      .scale = { 1, 1 },
      .until = 0.4,
      .gravity = 9.8,
      .value = { 1, 0, 2 } },
};

const motion *motion_at(int index)
{
    return index >= 0 && index < (int)(sizeof motions / sizeof *motions) ? &motions[index] : NULL;
}
