/* What the tests of the core share: worlds of small boxes and balls made through the public API. */
#ifndef VV_TESTS_WORLD_SUPPORT_H
#define VV_TESTS_WORLD_SUPPORT_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "visviva/world.h"
#include "positional.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

#define assert_ok(call)                                                            \
    do {                                                                           \
        vvStatus ok_status = (call);                                               \
        if (ok_status != VV_OK)                                                    \
            fail_msg("%s: %s: %s", #call, vvStatusName(ok_status), error.message); \
    } while (0)
#define assert_less(a, b)                                                             \
    do {                                                                              \
        double less_a = (a), less_b = (b);                                            \
        if (!(less_a < less_b))                                                       \
            fail_msg("%s = %.9g is not less than %s = %.9g", #a, less_a, #b, less_b); \
    } while (0)
#define assert_near(a, b, tolerance)                                                                            \
    do {                                                                                                        \
        double near_a = (a), near_b = (b);                                                                      \
        if (!(fabs(near_a - near_b) <= (tolerance)))                                                            \
            fail_msg("%s = %.12g is not within %g of %s = %.12g", #a, near_a, (double)(tolerance), #b, near_b); \
    } while (0)

static inline vvWorld *new_world(const vvWorldDef *def)
{
    vvError error = { 0 };
    vvWorld *world = NULL;
    assert_ok(vvWorldCreate(def, &world, &error));
    return world;
}

/* "cholesky", or in a build without it what is as good for small worlds at a small tolerance. */
static inline const char *exact_solver(void)
{
    for (int i = 0; vvLinearSolverInfo(i); i++)
        if (strcmp(vvLinearSolverInfo(i)->name, "cholesky") == 0)
            return "cholesky";
    return "pcg";
}

/* No gravity, no contact, tolerance tight enough for properties. */
static inline vvWorldDef free_def(const char *scheme, double h, double tolerance)
{
    vvWorldDef d = vvDefaultWorldDef();
    d.gravity[1] = 0;
    d.timeStep = h;
    d.integrator.scheme = scheme;
    d.integrator.groundMode = VV_GROUND_NONE;
    d.contact.model = "none";
    d.solver.tolerance = tolerance;
    d.solver.linear = exact_solver();
    d.solver.linearTolerance = 1e-10;
    d.threads = 1;
    return d;
}

/* A scheme that the policy goes with: "backward-euler", or where that is refused "trapezoidal". */
static inline const char *scheme_for(const char *policy)
{
    static const char *const schemes[] = { "backward-euler", "trapezoidal" };
    for (int i = 0; i < 2; i++) {
        vvWorldDef d = vvDefaultWorldDef();
        vvWorld *w = NULL;
        d.integrator.scheme = schemes[i], d.integrator.policy = policy;
        vvStatus status = vvWorldCreate(&d, &w, NULL);
        vvWorldDestroy(w);
        if (status == VV_OK)
            return schemes[i];
    }
    fail_msg("policy \"%s\" goes with none of the schemes that it is tried with", policy);
    return NULL;
}

/* A policy that wants the ground level, for a decay too slow to be seen. */
static inline void want_ground(vvWorldDef *d)
{
    static const vvKey slow = { 0, 1e9 };
    if (strcmp(d->integrator.policy, "none") == 0)
        d->integrator.policy = "search";
    d->integrator.groundMode = VV_GROUND_AUTO;
    d->integrator.decayKeys = &slow;
    d->integrator.decayKeyCount = 1;
}

static inline vvFilter filter_of(uint64_t category, uint64_t mask, int32_t group)
{
    vvFilter f = vvDefaultFilter();
    f.category = category;
    f.mask = mask;
    f.group = group;
    return f;
}

static inline vvMaterialDef material(const char *model, double young)
{
    vvMaterialDef m = vvDefaultMaterialDef();
    m.model = model;
    m.young = young;
    return m;
}

static inline vvBodyId add_mesh(vvWorld *w, vvMesh *mesh, const vvBodyDef *given)
{
    vvError error = { 0 };
    vvBodyDef def = *given;
    vvBodyId id;
    def.mesh = mesh;
    assert_ok(vvWorldAddBody(w, &def, &id, &error));
    vvMeshDestroy(mesh);
    return id;
}

/* size[3], cells[3], tets a cell */
static inline vvBodyId add_box_def(vvWorld *w, const double *size, const int *cells, int split, const vvBodyDef *def)
{
    vvError error = { 0 };
    double values[7] = { size[0], size[1], size[2], cells[0], cells[1], cells[2], split };
    vvMesh mesh = { 0 };
    assert_ok(generate_mesh("box", values, &mesh, &error));
    return add_mesh(w, &mesh, def);
}

/* A cube of `cells`^3 cells around the origin. */
static inline vvBodyId add_cube(vvWorld *w, double size, int cells, const vvMaterialDef *m)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material = *m;
    return add_box_def(w, (double[]){ size, size, size }, (int[]){ cells, cells, cells }, 6, &def);
}

static inline vvBodyId add_ball(vvWorld *w, double radius, int shells, const vvBodyDef *def)
{
    vvError error = { 0 };
    double values[2] = { radius, shells };
    vvMesh mesh = { 0 };
    assert_ok(generate_mesh("ball", values, &mesh, &error));
    return add_mesh(w, &mesh, def);
}

/* A mesh of edges only; the points are in metres. */
static inline vvBodyId add_edges(vvWorld *w, int vertices, double *x, int edges, int *list, const vvMaterialDef *m)
{
    vvError error = { 0 };
    vvMesh mesh = { .vertexCount = vertices, .edgeCount = edges, .positions = x, .edges = list };
    vvBodyDef def = vvDefaultBodyDef();
    vvBodyId id;
    def.mesh = &mesh;
    def.material = *m;
    assert_ok(vvWorldAddBody(w, &def, &id, &error));
    return id;
}

static inline void set_state(vvWorld *w, vvBodyId body, const char *name, const double *values)
{
    vvError error = { 0 };
    assert_ok(start_with(w, body, name, values, &error));
}

static inline void attach(vvWorld *w, vvBodyId body, const vvAttachDef *def)
{
    vvError error = { 0 };
    assert_ok(vvBodyAttach(w, body, def, NULL, &error));
}

static inline void obstacle(vvWorld *w, const char *type, const double *values, double friction)
{
    vvError error = { 0 };
    vvObstacleDef def = vvDefaultObstacleDef();
    def.type = type;
    shape_obstacle(&def, values);
    def.friction = friction;
    assert_ok(vvWorldAddObstacle(w, &def, NULL, &error));
}

/* Whether a policy works where bodies meet things. */
static inline bool meets_things(const char *policy)
{
    vvWorldDef d = vvDefaultWorldDef();
    d.integrator.scheme = scheme_for(policy), d.integrator.policy = policy;
    d.integrator.groundMode = VV_GROUND_NONE;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("stvk", 2e4);
    add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 1, 1, 1 }, 5, &def);
    obstacle(w, "plane", (double[]){ 0, -10, 0, 0, 1, 0 }, 0);
    const vvStatus status = vvWorldBake(w, NULL);
    vvWorldDestroy(w);
    return status == VV_OK;
}

static inline vvLedgerRow ledger(vvWorld *w)
{
    vvError error = { 0 };
    vvLedgerRow row;
    assert_ok(vvWorldLedger(w, &row, &error));
    return row;
}

static inline vvLedgerRow step(vvWorld *w)
{
    vvError error = { 0 };
    assert_ok(vvWorldStep(w, NULL, &error));
    return ledger(w);
}

static inline vvLedgerRow steps(vvWorld *w, int count)
{
    vvLedgerRow row = ledger(w);
    for (int i = 0; i < count; i++)
        row = step(w);
    return row;
}

static inline double norm3(const double *a) { return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }
static inline double distance3(const double *a, const double *b)
{
    double d[3] = { a[0] - b[0], a[1] - b[1], a[2] - b[2] };
    return norm3(d);
}

/* Mass-weighted distance of two states, relative to nothing: sqrt(sum m |a - b|^2). */
static inline double mass_distance(const vvWorld *w, const double *a, const double *b)
{
    const double *m = vvWorldMasses(w);
    double sum = 0;
    for (int i = 0; i < vvWorldNodeCount(w); i++)
        for (int k = 0; k < 3; k++)
            sum += m[i] * (a[3 * i + k] - b[3 * i + k]) * (a[3 * i + k] - b[3 * i + k]);
    return sqrt(sum);
}

static inline double *copy_of(const double *x, int count)
{
    double *c = malloc((size_t)count * sizeof *c);
    assert_non_null(c);
    memcpy(c, x, (size_t)count * sizeof *c);
    return c;
}

#endif
