/* What the tests of policies that aim at the target share: an oscillator, a spinning cube, a heap in contact. */
#ifndef VV_TESTS_POLICY_SUPPORT_H
#define VV_TESTS_POLICY_SUPPORT_H

#include "live_support.h"

/* A free point of `mass` on a zero-length spring of `stiffness`, with `drag` (1/s), at the spring's place with
 * velocity v. */
static inline vvWorld *oscillator_with(const vvWorldDef *def, double mass, double stiffness, double drag,
                                       const double *v)
{
    vvError error = { 0 };
    vvWorld *w = new_world(def);
    double x[3] = { 0 };
    int point = 0;
    vvMesh mesh = { .vertexCount = 1, .positions = x, .pointCount = 1, .points = &point };
    vvBodyDef body = vvDefaultBodyDef();
    body.material.model = "free";
    body.material.density = mass;
    body.material.damping.drag = drag;
    body.mesh = &mesh;
    vvBodyId id;
    assert_ok(vvWorldAddBody(w, &body, &id, &error));
    vvAttachDef a = vvDefaultAttachDef();
    a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 0, 0 }, .b = { 100, 100, 100 } };
    a.kind = VV_ATTACH_SPRING;
    a.stiffness = stiffness;
    assert_ok(vvBodyAttach(w, id, &a, NULL, &error));
    assert_ok(vvBodySetState(w, id, x, v, &error));
    assert_ok(vvWorldBake(w, &error));
    return w;
}

static inline vvWorld *oscillator(const vvWorldDef *def, double mass, double stiffness, const double *v)
{
    return oscillator_with(def, mass, stiffness, 0, v);
}

/* A free cube that spins, as in the blending paper's Fig. 5. */
static inline vvWorld *spinning_cube(vvWorldDef *def, const char *model, double young, int cells)
{
    vvError error = { 0 };
    def->integrator.groundMode = VV_GROUND_GIVEN;
    def->integrator.groundEnergy = 0;
    vvWorld *w = new_world(def);
    vvMaterialDef m = material(model, young);
    set_state(w, add_cube(w, 0.1, cells, &m), "angular", (double[]){ 3, 2, 30, NAN, NAN, NAN });
    assert_ok(vvWorldBake(w, &error));
    return w;
}

/* Soft blocks that fall on each other and on the ground, with friction and drag; the exact test after each step. */
static inline vvWorld *falling_blocks(const char *scheme, const char *policy, const char *model, int threads)
{
    vvError error = { 0 };
    vvWorldDef d = live_def(scheme, policy);
    d.timeStep = 1.0 / 120;
    d.contact.checkIntersections = true;
    d.contact.friction = 0.3;
    d.threads = threads;
    d.solver.tolerance = 1e-3;
    d.integrator.groundMode = VV_GROUND_GIVEN;
    d.integrator.groundEnergy = 0;
    vvWorld *w = new_world(&d);
    for (int k = 0; k < 2; k++) {
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material(model, 2e4);
        def.material.damping.drag = 0.1;
        def.translate[0] = 0.03 * k, def.translate[1] = 0.06 + 0.12 * k;
        def.rotate[2] = 20 * k;
        vvBodyId id = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 5, &def);
        set_state(w, id, "linear", (double[]){ 0, -1.5 - k, 0 });
    }
    obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0.3);
    assert_ok(vvWorldBake(w, &error));
    return w;
}

static inline double angular(const vvLedgerRow *row) { return norm3(row->angularMomentumCentre); }
static inline double off_target(const vvLedgerRow *row) { return fabs(row->total - row->target); }

/* The ledger's identity from one row to the next. */
static inline void assert_booked(const vvLedgerRow *before, const vvLedgerRow *row)
{
    double sum = row->work - row->friction - row->damping - row->decay + row->error;
    assert_near(row->total - before->total, sum, 1e-9 * row->scale);
}

/* Saves w, loads it into `fresh`, and expects both to go on to the same bits. */
static inline void expect_resumed(vvWorld *w, vvWorld *fresh, int count)
{
    vvError error = { 0 };
    size_t size = vvWorldStateSize(w);
    void *state = malloc(size);
    assert_ok(vvWorldSaveState(w, state, size, &error));
    assert_ok(vvWorldLoadState(fresh, state, size, &error));
    expect_same(w, fresh, count, "resumed");
    free(state);
}

typedef struct asked {
    long count, at; /* at: which asking is answered with yes; 0: none */
} asked;

static inline bool asked_answer(void *user)
{
    asked *a = user;
    return ++a->count == a->at;
}

/* A step that is cancelled wherever it is asked changes nothing: of two equal worlds, the first is cancelled time and
 * again, and both end with the same bits. `host` is who the first one asks. */
static inline void expect_restored(vvWorld *w, asked *host, vvWorld *calm, int count)
{
    vvError error = { 0 };
    int cancelled = 0;
    for (int i = 0; i < count; i++) {
        vvStatus status = VV_CANCELLED;
        for (long at = 1; status == VV_CANCELLED; at += 1 + at / 2) { /* ever later, until none is left */
            *host = (asked){ 0, at };
            status = vvWorldStep(w, NULL, &error);
            cancelled += status == VV_CANCELLED;
        }
        *host = (asked){ 0, 0 };
        assert_ok(status);
        step(calm);
        assert_true(same_world(w, calm));
    }
    assert_in_range(cancelled, 2 * count, 100 * count);
}

#endif
