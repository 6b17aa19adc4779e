/* A world that changes while it runs, where memory runs out at any allocation; warm steps, which make none. */
#include "visviva/contact.h"
#include "visviva/settings.h"

#include "live_support.h"
#include "size.h"
#include "positional.h"

typedef struct purse {    /* how many allocations are left; < 0: any number */
    int left, lent, made; /* made: in all */
} purse;

static void *lend(void *user, size_t bytes, size_t alignment)
{
    purse *p = user;
    if (p->left == 0)
        return NULL;
    p->left -= p->left > 0;
    p->lent++;
    p->made++;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void take_back(void *user, void *block, size_t bytes)
{
    (void)bytes;
    ((purse *)user)->lent--;
    free(block);
}

typedef struct life {
    vvWorld *w;
    vvMesh *mesh;
    vvBodyId bodies[3];
    vvAttachId spring, fixed;
    vvSnapshot *snapshot;
} life;

static vvStatus put_in(life *l, int i, vvError *error)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("stvk", 2e4);
    def.mesh = l->mesh;
    def.translate[0] = 2 * i;
    def.translate[1] = 0.6;
    return vvWorldAddBody(l->w, &def, &l->bodies[i], error);
}

/* What happens, one call after the other. */
static vvStatus live(life *l, int i, vvError *error)
{
    vvAttachDef a = vvDefaultAttachDef();
    vvObstacleDef plane = vvDefaultObstacleDef();
    const vvKey one = { 0, 1 };
    double *x;
    a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 100, 0 }, .b = { 100, 100, 100 } };
    switch (i) {
    case 0: return put_in(l, 0, error);
    case 2: return vvWorldAddObstacle(l->w, &plane, NULL, error);
    case 4: return put_in(l, 1, error);
    case 6: a.kind = VV_ATTACH_SPRING; return vvBodyAttach(l->w, l->bodies[1], &a, &l->spring, error);
    case 7:
        a.kind = VV_ATTACH_PRESSURE, a.pressure = 10, a.follows = true, a.keys = &one, a.keyCount = 1;
        return vvBodyAttach(l->w, l->bodies[1], &a, NULL, error);
    case 8: return vvBodyAttach(l->w, l->bodies[0], &a, &l->fixed, error);
    case 9:
        a.kind = VV_ATTACH_ROLLER, a.axes = VV_AXIS_X, a.release = 0.05;
        return vvBodyAttach(l->w, l->bodies[1], &a, NULL, error);
    case 10: return vvWorldSnapshot(l->w, &l->snapshot, error);
    case 11: return vvWorldRemoveBody(l->w, l->bodies[0], error);
    case 13: return vvWorldDetach(l->w, l->spring, error);
    case 15: return vvWorldRestore(l->w, l->snapshot, error);
    case 17: return vvWorldBeginEdit(l->w, &x, NULL, error);
    case 18: return vvWorldEndEdit(l->w, error);
    case 19: return put_in(l, 2, error);
    case 20: return vvBodySetInitialState(l->w, l->bodies[2], "mode", NULL, 0, error);
    case 22: return vvWorldRemoveObstacle(l->w, vvWorldObstacleAt(l->w, 0), error);
    default: return vvWorldStep(l->w, NULL, error);
    }
}

/* Each allocation in turn is refused: that call fails and says so, works when it is tried again, and in the end the
 * world is the one that had memory all along. */
static void memory_runs_out_anywhere(void **state)
{
    (void)state;
    enum { CALLS = 25 };
    const int stride = sized(17, 5, 1);
    vvError error = { 0 };
    vvMesh mesh = { 0 };
    assert_ok(generate_mesh("box", (double[]){ 1, 1, 1, 1, 1, 1, 5 }, &mesh, &error));
    vvWorldDef d = live_def("backward-euler", "search");
    life calm = { .w = new_world(&d), .mesh = &mesh };
    for (int i = 0; i < CALLS; i++)
        assert_ok(live(&calm, i, &error));
    purse p = { -1, 0 };
    d.host.allocator = (vvAllocator){ lend, take_back, &p };
    bool refused = true;
    for (int k = sized_begin(stride); refused; k += stride) {
        life l = { .mesh = &mesh };
        p.left = -1;
        l.w = new_world(&d);
        p.left = k;
        refused = false;
        for (int i = 0; i < CALLS; i++) {
            vvStatus status = live(&l, i, &error);
            if (p.left == 0 && !refused && status != VV_OK) {
                expect(status, VV_ERROR_MEMORY, &error, "out of memory");
                p.left = -1;
                refused = true;
                status = live(&l, i, &error);
            }
            if (status != VV_OK)
                fail_msg("allocation %d, call %d: %s", k, i, error.message);
        }
        refused = refused || p.left == 0;
        p.left = -1;
        if (!same_world(l.w, calm.w))
            fail_msg("allocation %d: the world ends differently", k);
        vvSnapshotDestroy(l.snapshot);
        vvWorldDestroy(l.w);
        assert_int_equal(p.lent, 0);
    }
    vvSnapshotDestroy(calm.snapshot);
    vvWorldDestroy(calm.w);
    vvMeshDestroy(&mesh);
}

/* ---- steps that contact has no memory for ---- */

/* Boxes that come down on each other askew: contact needs more memory again and again. */
static vvWorld *heap(const vvWorldDef *def)
{
    vvWorld *w = new_world(def);
    for (int i = 0; i < 5; i++) {
        vvBodyDef body = vvDefaultBodyDef();
        body.material = material("neo-hookean", i % 2 ? 1e4 : 1e6);
        body.translate[0] = 0.03 * i;
        body.translate[1] = 0.06 + 0.18 * i;
        body.rotate[0] = 20 * i, body.rotate[2] = 31 * i;
        vvBodyId id = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 6, &body);
        set_state(w, id, "linear", (double[]){ 0, -i, 0 });
    }
    vvError error = { 0 };
    vvObstacleDef plane = vvDefaultObstacleDef();
    assert_ok(vvWorldAddObstacle(w, &plane, NULL, &error));
    return w;
}

/* All that a world knows, also what the policy and the linear solver remember. */
static bool same_memory(vvWorld *a, vvWorld *b)
{
    vvError error = { 0 };
    size_t size = vvWorldStateSize(a);
    void *x = malloc(size), *y = malloc(size);
    assert_non_null(x);
    assert_non_null(y);
    assert_int_equal(vvWorldStateSize(b), size);
    assert_ok(vvWorldSaveState(a, x, size, &error));
    assert_ok(vvWorldSaveState(b, y, size, &error));
    bool same = memcmp(x, y, size) == 0;
    free(x);
    free(y);
    return same;
}

/* Each step is refused at its first allocation, and at later ones, until it is let through: then it is the step of a
 * world that had memory all along. */
static void a_refused_step_leaves_no_trace(void **state)
{
    (void)state;
    vvError error = { 0 };
    purse p = { -1, 0 };
    vvWorldDef d = live_def("backward-euler", "search");
    d.timeStep = 1e-2;
    d.solver.tolerance = 1e-2;
    d.solver.linearTolerance = 1e-3;
    d.integrator.settings = &(vvSetting){ "sparse", { 1 } };
    d.integrator.settingCount = 1;
    d.contact.distance = 2e-3;
    d.contact.friction = 0.3;
    vvWorld *calm = heap(&d);
    assert_ok(vvWorldBake(calm, &error));
    d.host.allocator = (vvAllocator){ lend, take_back, &p };
    vvWorld *w = heap(&d);
    assert_ok(vvWorldBake(w, &error));
    int refused = 0;
    for (int i = 0; i < 16; i++) {
        assert_ok(vvWorldStep(calm, NULL, &error));
        vvStatus status;
        for (int k = 0; p.left = k, (status = vvWorldStep(w, NULL, &error)) != VV_OK; k += 1 + k / 4, refused++)
            expect(status, VV_ERROR_MEMORY, &error, "out of memory");
        p.left = -1;
        if (!same_world(w, calm) || !same_memory(w, calm))
            fail_msg("step %d: the worlds differ", i + 1);
    }
    assert_true(refused > 50);
    vvWorldDestroy(calm);
    vvWorldDestroy(w);
    assert_int_equal(p.lent, 0);
}

/* ---- warm steps take no memory ---- */

/* Steps that have been made are made again from a snapshot: all arrays have room for their contacts then, and nothing
 * is allocated, neither by a step nor by reading what it did. (Twice before: how many pairs the broad phase looks at
 * depends on what it knew at the start.) */
static void the_same_steps_again_allocate_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *scheme, *policy, *linear;
    } all[] = { { "backward-euler", "none", "auto" },
                { "backward-euler", "search", "cholesky" },
                { "backward-euler", "filtered-search", "auto" },
                { "bdf2", "project", "auto" },
                { "backward-euler", "a1", "pcg" },
                { "bdf2", "none", "pcg" },
                { "sdirk2", "none", "cholesky" },
                { "avf-gauss-3", "none", "pcg" },
                { "discrete-gradient", "none", "auto" },
                { "verlet", "none", "auto" },
                { "trapezoidal", "blend", "auto" },
                { "backward-euler", "velocity-scale", "pcg" } };
    enum { STEPS = 24, PASSES = 3 };
    vvError error = { 0 };
    for (size_t i = sanitized() ? (size_t)sized_begin(3) : 0; i < sizeof all / sizeof *all; i += sanitized() ? 3 : 1) {
        purse p = { -1, 0 };
        vvWorldDef d = live_def(all[i].scheme, all[i].policy);
        d.solver.linear = strcmp(all[i].linear, "cholesky") == 0 ? exact_solver() : all[i].linear;
        /* blow up in contact */
        bool gentle = strcmp(all[i].scheme, "verlet") == 0 || strcmp(all[i].scheme, "discrete-gradient") == 0;
        d.timeStep = gentle ? 2e-5 : 1e-2;
        d.contact.distance = 2e-3;
        d.contact.friction = 0.3;
        d.host.allocator = (vvAllocator){ lend, take_back, &p };
        vvWorld *w = heap(&d);
        vvSnapshot *start;
        steps(w, 2);
        assert_ok(vvWorldSnapshot(w, &start, &error));
        int before = 0, touching = 0, counted = 0;
        for (int pass = 0; pass < PASSES; pass++) {
            assert_ok(vvWorldRestore(w, start, &error));
            for (int k = 0; k < STEPS; k++) {
                vvStepReport report;
                vvContactEvents events;
                vvLedgerRow row;
                before = p.made;
                vvStatus status = vvWorldStep(w, &report, &error);
                assert_ok(vvWorldLedger(w, &row, &error));
                assert_ok(vvWorldContactEvents(w, &events, &error));
                if (status != VV_OK)
                    break; /* some schemes may end in contact: so they do each time */
                counted += pass == PASSES - 1;
                touching += events.touchingCount;
                if (pass == PASSES - 1 && p.made > before)
                    fail_msg("%s, %s, %s: step %d made %d allocations", all[i].scheme, all[i].policy, all[i].linear,
                             k + 1, p.made - before);
            }
        }
        if (counted < 5 || (touching == 0 && !gentle))
            fail_msg("%s: %d steps, %d touched", all[i].scheme, counted, touching);
        vvSnapshotDestroy(start);
        vvWorldDestroy(w);
        assert_int_equal(p.lent, 0);
    }
}

/* A change of settings may take memory; the steps after it take none again. */
static void steps_after_a_setter_allocate_nothing(void **state)
{
    (void)state;
    vvError error = { 0 };
    purse p = { -1, 0 };
    vvWorldDef d = live_def("backward-euler", "search");
    d.timeStep = 1e-2;
    d.contact.distance = 2e-3;
    d.host.allocator = (vvAllocator){ lend, take_back, &p };
    vvWorld *w = heap(&d);
    steps(w, 12);
    vvSnapshot *start;
    assert_ok(vvWorldSnapshot(w, &start, &error));
    for (int pass = 0; pass < 3; pass++) {
        assert_ok(vvWorldRestore(w, start, &error));
        for (int k = 0; k < 8; k++) {
            assert_ok(vvWorldSetTimeStep(w, 5e-3 + 1e-3 * (k % 3), &error));
            int before = p.made;
            step(w);
            if (pass == 2 && k > 0)               /* the first builds in what the snapshot brought back */
                assert_int_equal(p.made, before); /* the length of a step costs nothing at all */
        }
        assert_ok(vvWorldSetGravity(w, (double[]){ 0, -5, 0 }, &error));
        step(w);
        for (int k = 0; k < 4; k++) {
            int before = p.made;
            step(w);
            if (pass == 2)
                assert_int_equal(p.made, before);
        }
    }
    vvSnapshotDestroy(start);
    vvWorldDestroy(w);
    assert_int_equal(p.lent, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(memory_runs_out_anywhere),
                                        cmocka_unit_test(a_refused_step_leaves_no_trace),
                                        cmocka_unit_test(the_same_steps_again_allocate_nothing),
                                        cmocka_unit_test(steps_after_a_setter_allocate_nothing) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
