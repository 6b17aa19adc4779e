/* A stand-in for the world, for tests of run files: nodes that move by a fixed rule, any size, any step, quick. It
 * defines the functions of visviva/world.h that the record layer calls; so such a test does not link the real world. */
#ifndef VV_TESTS_FAKE_RUN_WORLD_H
#define VV_TESTS_FAKE_RUN_WORLD_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "visviva/field.h"
#include "visviva/joint.h"
#include "visviva/run.h"
#include "visviva/settings.h"

enum { FAKE_BODIES = 3, FAKE_EXTRA = 3 };

typedef struct fake_body {
    const char *name;
    int first, count;
    vvBodyElements elements;
} fake_body;

struct vvWorld {
    int nodes, grid;
    double *x, *v;
    int64_t step;
    uint64_t random;
    fake_body bodies[FAKE_BODIES];
    int *tets, *triangles, *edges;
    double energies[FAKE_BODIES];
    vvVisible visible[FAKE_BODIES];
    vvWorldDef def;
    bool kinematic[FAKE_BODIES];
    vvFilter filters[FAKE_BODIES];
    vvBodySurface surface; /* of the first body; none unless a test sets it */
    bool surface_collides;
    bool affine;          /* the first body */
    const double *uvs[2]; /* of the first two bodies */
    double *rest;
    uint32_t settings; /* changes made so far */
    int64_t changed_at;
    size_t more; /* bytes that they add to the state */
};

static inline double fake_random(vvWorld *w)
{
    w->random = w->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(w->random >> 11) * 0x1p-53;
}

/* Bodies: a row of tets, a cloth of triangles with their edges and one loose edge, lone points. */
static inline vvWorld *fake_world(int grid)
{
    vvWorld *w = calloc(1, sizeof *w);
    int tet_nodes = grid + 3, cloth_nodes = 2 * (grid + 1) + 2, points = FAKE_EXTRA;
    w->grid = grid;
    w->nodes = tet_nodes + cloth_nodes + points;
    w->x = calloc((size_t)w->nodes * 3, sizeof *w->x);
    w->rest = calloc((size_t)w->nodes * 3, sizeof *w->rest);
    w->v = calloc((size_t)w->nodes * 3, sizeof *w->v);
    w->tets = calloc((size_t)grid * 4, sizeof(int));
    w->triangles = calloc((size_t)grid * 6 + 6, sizeof(int));
    w->edges = calloc((size_t)grid * 10 + 4, sizeof(int));
    w->random = 42;
    for (int i = 0; i < w->nodes * 3; i++) {
        w->x[i] = fake_random(w);
        w->v[i] = fake_random(w) - 0.5;
        w->rest[i] = w->x[i];
    }
    for (int t = 0; t < grid; t++)
        for (int k = 0; k < 4; k++)
            w->tets[4 * t + k] = t + k;
    int e = 0, base = tet_nodes;
    for (int c = 0; c < grid; c++) {
        int a = base + 2 * c, *tri = w->triangles + 6 * c;
        tri[0] = a, tri[1] = a + 2, tri[2] = a + 1;
        tri[3] = a + 1, tri[4] = a + 2, tri[5] = a + 3;
        int pairs[4][2] = { { a, a + 1 }, { a, a + 2 }, { a + 1, a + 2 }, { a + 1, a + 3 } };
        for (int k = 0; k < 4; k++, e++)
            w->edges[2 * e] = pairs[k][1], w->edges[2 * e + 1] = pairs[k][0];
    }
    w->edges[2 * e] = base + cloth_nodes - 2, w->edges[2 * e + 1] = base + cloth_nodes - 1;
    e++;
    w->bodies[0] = (fake_body){ "snake", 0, tet_nodes, { .tetCount = grid, .tets = w->tets } };
    w->bodies[1] =
        (fake_body){ "cloth <&\"1\">",
                     base,
                     cloth_nodes,
                     { .triangleCount = 2 * grid, .edgeCount = e, .triangles = w->triangles, .edges = w->edges } };
    w->bodies[2] = (fake_body){ "dust", base + cloth_nodes, points, { 0 } };
    w->def.timeStep = 1.0 / 64;
    w->def.gravity[1] = -9.8;
    w->def.integrator.scheme = "backward-euler";
    w->def.integrator.policy = "search";
    w->def.contact.model = "barrier";
    w->def.contact.distance = 2e-3;
    w->def.solver.tolerance = 0.04;
    for (int b = 0; b < FAKE_BODIES; b++)
        w->filters[b] = (vvFilter){ 1u << b, UINT64_MAX - (uint64_t)b, -b };
    return w;
}

static inline void fake_free(vvWorld *w)
{
    free(w->x), free(w->rest), free(w->v), free(w->tets), free(w->triangles), free(w->edges);
    free(w);
}

static inline void fake_step(vvWorld *w, vvStepReport *report)
{
    for (int i = 0; i < w->nodes * 3; i++) {
        w->v[i] = 0.9 * w->v[i] + 0.1 * (fake_random(w) - 0.5);
        w->x[i] += w->def.timeStep * w->v[i];
    }
    w->step++;
    *report = (vvStepReport){ .end = VV_SOLVE_CONVERGED,
                              .newtonIterations = (int)(w->step % 7),
                              .linear = "cholesky",
                              .residual = 0.001 * (double)w->step,
                              .wall = 0.5 * (double)w->step };
    for (int i = 0; i < VV_PHASE_COUNT; i++)
        report->seconds[i] = (double)w->step + 0.1 * i;
    snprintf(report->note, sizeof report->note, "step %lld", (long long)w->step);
}

uint32_t vvWorldSettingsRevision(const vvWorld *w) { return w->settings; }
uint64_t vvWorldAttachmentsHash(const vvWorld *w) { return w != NULL; }
bool vvWorldSettingChange(const vvWorld *w, uint32_t revision, vvSettingChange *change)
{
    static char text[64];
    snprintf(text, sizeof text, "change-%u", (unsigned)revision);
    *change = (vvSettingChange){ revision, w->changed_at, text };
    return true;
}
/* As a setter would. */
static inline void fake_change(vvWorld *w, size_t more)
{
    w->settings++;
    w->changed_at = w->step;
    w->more += more;
}
int vvWorldNodeCount(const vvWorld *w) { return w->nodes; }
int vvWorldBodyCount(const vvWorld *w)
{
    (void)w;
    return FAKE_BODIES;
}
vvBodyId vvWorldBody(const vvWorld *w, int index)
{
    (void)w;
    return (vvBodyId){ index + 1, 1 };
}
const char *vvBodyName(const vvWorld *w, vvBodyId id) { return w->bodies[id.index1 - 1].name; }
void vvBodyNodes(const vvWorld *w, vvBodyId id, int *first, int *count)
{
    *first = w->bodies[id.index1 - 1].first;
    *count = w->bodies[id.index1 - 1].count;
}
void vvBodyGetElements(const vvWorld *w, vvBodyId id, vvBodyElements *elements)
{
    *elements = w->bodies[id.index1 - 1].elements;
}
/* Nothing to ask fields of. */
const vvField *vvFieldInfo(int index)
{
    (void)index;
    return NULL;
}
vvStatus vvBodyField(vvWorld *w, vvBodyId id, const char *field, bool atNodes, double *values, int capacity, int *count,
                     vvError *error)
{
    (void)w, (void)id, (void)field, (void)atNodes, (void)values, (void)capacity, (void)count, (void)error;
    return VV_ERROR_UNSUPPORTED;
}
int vvWorldAttachmentCount(const vvWorld *w)
{
    (void)w;
    return 0;
}
vvAttachSummary vvWorldAttachment(const vvWorld *w, int index)
{
    (void)w, (void)index;
    return (vvAttachSummary){ .nodeCount = 0 };
}
vvStatus vvAttachReaction(vvWorld *w, vvAttachId id, double force[3], double moment[3], vvError *error)
{
    (void)w, (void)id, (void)force, (void)moment, (void)error;
    return VV_ERROR_UNSUPPORTED;
}
/* The last two are joined. */
int vvWorldJointCount(const vvWorld *w) { return w ? 1 : 0; }
vvJointId vvWorldJoint(const vvWorld *w, int index) { return (vvJointId){ w ? index + 1 : 0, 1 }; }
vvStatus vvJointGetState(vvWorld *w, vvJointId joint, vvJointState *state, vvError *error)
{
    (void)w, (void)joint, (void)error;
    *state = (vvJointState){ 0 };
    return VV_OK;
}
void vvJointBodies(const vvWorld *w, vvJointId joint, vvBodyId bodies[2])
{
    bodies[0] = vvWorldBody(w, joint.index1), bodies[1] = vvWorldBody(w, joint.index1 + 1);
}
double vvWorldFrictionSpeed(const vvWorld *w, vvBodyId body) { return w && body.index1 > 0 ? 1e-3 : 0; }
double vvWorldFriction(const vvWorld *w, vvBodyId a, vvBodyId b) { return w && a.index1 < b.index1 ? NAN : 0; }
bool vvBodySelfContact(const vvWorld *w, vvBodyId id) { return !w->kinematic[id.index1 - 1]; }
vvFilter vvBodyFilter(const vvWorld *w, vvBodyId id) { return w->filters[id.index1 - 1]; }
double vvBodyThickness(const vvWorld *w, vvBodyId id) { return 1e-3 * (w && id.index1); }
double vvBodyDrawnThickness(const vvWorld *w, vvBodyId id) { return 2e-3 * (w && id.index1); }
/* Of the first body's carried surface, or of the second, a cloth; none unless a test sets them. */
const double *vvBodyUvs(const vvWorld *w, vvBodyId id) { return id.index1 <= 2 ? w->uvs[id.index1 - 1] : NULL; }
const double *vvWorldRestPositions(const vvWorld *w) { return w->rest; }
bool vvBodyIsKinematic(const vvWorld *w, vvBodyId id) { return w->kinematic[id.index1 - 1]; }
void vvBodyGetSurface(const vvWorld *w, vvBodyId id, vvBodySurface *surface)
{
    *surface = id.index1 == 1 ? w->surface : (vvBodySurface){ 0 };
}
bool vvBodyIsAffine(const vvWorld *w, vvBodyId id) { return w->affine && id.index1 == 1; }
bool vvBodySurfaceCollides(const vvWorld *w, vvBodyId id) { return w->surface_collides && id.index1 == 1; }
int vvBodyMaterialCount(const vvWorld *w, vvBodyId id) { return (void)w, (void)id, 0; }
bool vvBodyGetMaterial(const vvWorld *w, vvBodyId id, int index, vvMaterialDef *material)
{
    return (void)w, (void)id, (void)index, (void)material, false;
}
bool vvBodyGetBending(const vvWorld *w, vvBodyId id, int index, vvBodyBending *bending, double *triangles)
{
    return (void)w, (void)id, (void)index, (void)bending, (void)triangles, false;
}
int vvBodyGetRestAngles(const vvWorld *w, vvBodyId id, vvRestAngle *angles, int capacity)
{
    return (void)w, (void)id, (void)angles, (void)capacity, 0;
}
static const double fake_plane[6] = { 0, -1, 0, 0, 1, 0 }, fake_sphere[4] = { 0.5, -2, 0.25, 0.125 };
int vvWorldObstacleCount(const vvWorld *w)
{
    (void)w;
    return 2;
}
vvObstacleId vvWorldObstacleAt(const vvWorld *w, int index)
{
    (void)w;
    return (vvObstacleId){ index + 1, 1 };
}
vvBodyId vvObstacleBody(const vvWorld *w, vvObstacleId o)
{
    (void)w;
    (void)o;
    return (vvBodyId){ 0, 0 };
}
const char *vvWorldObstacle(const vvWorld *w, int index, const double **values, int *count)
{
    (void)w;
    *values = index == 0 ? fake_plane : fake_sphere;
    *count = index == 0 ? 6 : 4;
    return index == 0 ? "plane" : "sphere";
}
const double *vvWorldObstacleSamples(const vvWorld *w, int index, int counts[3])
{
    (void)w, (void)index;
    counts[0] = counts[1] = 0;
    return NULL;
}
const double *vvWorldPositions(const vvWorld *w) { return w->x; }
const double *vvWorldVelocities(const vvWorld *w) { return w->v; }
void vvWorldVisibleVelocities(const vvWorld *w, double *velocities)
{
    memcpy(velocities, w->v, 3 * (size_t)vvWorldNodeCount(w) * sizeof *w->v);
}
double vvWorldTime(const vvWorld *w) { return (double)w->step * w->def.timeStep; }
int64_t vvWorldStepIndex(const vvWorld *w) { return w->step; }
double vvWorldLength(const vvWorld *world)
{
    (void)world;
    return 0.5;
}

bool vvWorldGetStiffness(const vvWorld *world, vvStiffness *stiffness)
{
    (void)world;
    *stiffness = (vvStiffness){ 2e4, 1e4, true, 9.5, 1e-3, "bar" };
    return true;
}

const vvWorldDef *vvWorldGetDef(const vvWorld *w) { return &w->def; }
const double *vvWorldBodyEnergies(const vvWorld *w)
{
    for (int b = 0; b < FAKE_BODIES; b++)
        ((vvWorld *)(uintptr_t)w)->energies[b] = (double)w->step + 0.25 * b;
    return w->energies;
}
const vvVisible *vvWorldBodyVisible(const vvWorld *w)
{
    for (int b = 0; b < FAKE_BODIES; b++)
        ((vvWorld *)(uintptr_t)w)->visible[b] = (vvVisible){ (double)w->step + b, 0.5, 0.25, (double)b };
    return w->visible;
}
vvStatus vvWorldLedger(vvWorld *w, vvLedgerRow *row, vvError *error)
{
    (void)error;
    *row = (vvLedgerRow){ .step = w->step,
                          .time = vvWorldTime(w),
                          .kinetic = w->v[0],
                          .elastic = w->x[0],
                          .gravity = -1,
                          .contact = 2,
                          .attachment = 3,
                          .total = w->x[1],
                          .target = w->x[2],
                          .work = 4,
                          .friction = 5,
                          .damping = 6,
                          .decay = 7,
                          .error = 8,
                          .policyChange = 9,
                          .groundEnergy = NAN,
                          .scale = 10,
                          .momentum = { 11, 12, 13 },
                          .angularMomentum = { 14, 15, 16 },
                          .angularMomentumCentre = { 17, 18, 19 },
                          .alpha = NAN,
                          .minGap = INFINITY,
                          .minJ = w->v[1],
                          .newtonIterations = 20,
                          .linearSolves = 21,
                          .pcgIterations = 22,
                          .lineSearchSteps = (int)w->step,
                          .visible = 23,
                          .visibleCentre = 24,
                          .visibleRotation = w->v[2],
                          .visibleDeformation = 25 };
    return VV_OK;
}
void vvWorldTotals(const vvWorld *w, vvLedgerTotals *totals)
{
    vvWorld *start = fake_world(w->grid);
    *totals = (vvLedgerTotals){ .steps = w->step };
    vvWorldLedger(start, &totals->first, NULL);
    fake_free(start);
}
vvStatus vvWorldBake(vvWorld *w, vvError *error)
{
    (void)w, (void)error;
    return VV_OK;
}
size_t vvWorldStateSize(const vvWorld *w) { return (size_t)w->nodes * 6 * sizeof(double) + 16 + w->more; }
vvStatus vvWorldSaveState(const vvWorld *w, void *buffer, size_t size, vvError *error)
{
    (void)error;
    char *out = buffer;
    size_t n = (size_t)w->nodes * 3 * sizeof(double);
    if (size != vvWorldStateSize(w))
        return VV_ERROR_INPUT;
    memcpy(out, w->x, n);
    memcpy(out + n, w->v, n);
    memcpy(out + 2 * n, &w->step, 8);
    memcpy(out + 2 * n + 8, &w->random, 8);
    memset(out + 2 * n + 16, 7, w->more);
    return VV_OK;
}
vvStatus vvWorldLoadState(vvWorld *w, const void *buffer, size_t size, vvError *error)
{
    (void)error;
    const char *in = buffer;
    size_t n = (size_t)w->nodes * 3 * sizeof(double);
    if (size < vvWorldStateSize(w))
        return VV_ERROR_INPUT;
    memcpy(w->x, in, n);
    memcpy(w->v, in + n, n);
    memcpy(&w->step, in + 2 * n, 8);
    memcpy(&w->random, in + 2 * n + 8, 8);
    return VV_OK;
}
const char *vvPhaseName(vvPhase phase)
{
    static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h" };
    return phase < 8 ? names[phase] : "more";
}

#endif
