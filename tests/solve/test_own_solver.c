/* A solver that is not the library's (own_solver.c, which docs/own-solver.md explains) in a world: it gets where Newton
 * gets, and what it has learned goes with states and snapshots and stays what it was where a step fails. */
#include "own_solver.c"

#define VV_MORE_SOLVERS vv_solver_kept
#include "solve/solvers.c" /* in place of the library's */

#include "live_support.h"
#include "world/world.h"

static vvWorldDef def_of(const char *method, const char *scheme)
{
    vvWorldDef d = free_def(scheme, 0.01, 1e-8);
    d.gravity[1] = -9.8;
    d.solver.method = method;
    d.solver.maxIterations = 3000;
    return d;
}

static vvBodyId add_hanging(vvWorld *w, double x)
{
    vvBodyDef body = vvDefaultBodyDef();
    body.material = material("corotated", 2e5);
    body.material.damping.drag = 0.1;
    body.translate[0] = x;
    return add_box_def(w, (double[]){ 0.3, 0.1, 0.1 }, (int[]){ 3, 1, 1 }, 6, &body);
}

/* A bar that is held at one end and sags. */
static vvWorld *hanging(const vvWorldDef *d)
{
    vvWorld *w = new_world(d);
    vvAttachDef wall = vvDefaultAttachDef();
    wall.where = (vvRegion){ .kind = VV_REGION_PERCENT, .b = { 1, 100, 100 } };
    attach(w, add_hanging(w, 0), &wall);
    return w;
}

static void finds_the_minimiser(void **state)
{
    (void)state;
    static const char *const schemes[] = { "backward-euler", "bdf2", "sdirk2", "avf-gauss-3" };
    for (int i = 0; i < 4; i++) {
        vvWorldDef ours = def_of("kept-factor", schemes[i]), newton = def_of("newton", schemes[i]);
        vvWorld *a = hanging(&ours), *b = hanging(&newton);
        steps(a, 10);
        steps(b, 10);
        for (int k = 0; k < 3 * vvWorldNodeCount(a); k++)
            assert_near(vvWorldPositions(a)[k], vvWorldPositions(b)[k], 1e-8);
        assert_less(vvWorldPositions(a)[3 * vvWorldNodeCount(a) - 2], 0.048);
        vvWorldDestroy(a);
        vvWorldDestroy(b);
    }
}

static char *saved(const vvWorld *w, size_t *size)
{
    vvError error = { 0 };
    char *state = malloc(*size = vvWorldStateSize(w));
    assert_ok(vvWorldSaveState(w, state, *size, &error));
    return state;
}

static void memory_goes_along(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = def_of("kept-factor", "backward-euler"), other = def_of("newton", "backward-euler");
    d.solver.tolerance = other.solver.tolerance = 1e-3; /* how long its steps are shows in where it ends */
    vvWorld *a = hanging(&d), *b = hanging(&d), *c = hanging(&other), *e = hanging(&d);
    vvSnapshot *snapshot;
    size_t size, less;
    steps(a, 4); /* the fifth goes by what they taught */
    assert_ok(vvWorldSnapshot(a, &snapshot, &error));
    char *state_a = saved(a, &size);
    assert_true(a->memory.valid && a->memory.size == sizeof(double) + vv_linear_find(d.solver.linear)->state_size);
    assert_ok(vvWorldLoadState(b, state_a, size, &error));
    assert_ok(vvWorldRestore(e, snapshot, &error));
    expect_same(a, b, 3, "loaded");
    steps(e, 3);
    assert_true(same_world(a, e));
    assert_ok(vvWorldRestore(a, snapshot, &error));
    steps(a, 3);
    assert_true(same_world(a, e));
    /* to and from a world with another solver, without the memory */
    assert_ok(vvWorldLoadState(c, state_a, size, &error));
    char *state_c = saved(c, &less);
    assert_true(less < size);
    assert_ok(vvWorldLoadState(b, state_c, less, &error));
    steps(b, 3);
    vvWorld *f = hanging(&d);
    assert_ok(vvWorldLoadState(f, state_c, less, &error));
    steps(f, 3);
    assert_false(same_world(a, f)); /* it does matter */
    /* over a change of structure: what fits is kept, the rest dropped */
    vvBodyId more = add_hanging(a, 1);
    steps(a, 2);
    assert_int_equal(vvWorldRemoveBody(a, more, &error), VV_OK);
    assert_ok(vvWorldRestore(a, snapshot, &error));
    steps(a, 3);
    assert_true(same_world(a, e));
    vvSnapshotDestroy(snapshot);
    free(state_a), free(state_c);
    vvWorld *all[] = { a, b, c, e, f };
    for (int i = 0; i < 5; i++)
        vvWorldDestroy(all[i]);
}

static bool end_it(void *user) { return --*(int *)user == 0; }

static void failed_step_leaves_it(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = def_of("kept-factor", "sdirk2");
    d.solver.tolerance = 1e-3;
    vvWorld *a = hanging(&d), *b = hanging(&d);
    steps(a, 3);
    steps(b, 3);
    for (int at = 2; at < 12; at++) { /* the later ones in the second stage, after a solve was learned from */
        int left = at;
        vvWorldSetCancel(a, end_it, &left);
        vvStatus status = vvWorldStep(a, NULL, &error);
        vvWorldSetCancel(a, NULL, NULL);
        if (status == VV_OK)
            step(b);
        else
            assert_int_equal(status, VV_CANCELLED);
    }
    expect_same(a, b, 3, "after failed steps");
    vvWorldDestroy(a);
    vvWorldDestroy(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(finds_the_minimiser), cmocka_unit_test(memory_goes_along),
                                        cmocka_unit_test(failed_step_leaves_it) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
