/* A scheme that is not the library's: the row of own_scheme.c, the example of docs/own-scheme.md, in a table that this
 * program compiles for itself. Nothing else is added, and it has the order, the stability and the behaviour that its
 * row declares. */
#define VV_MORE_SCHEMES "../tests/step/schemes/own_scheme.c"
#include "step/schemes/schemes.c"

#include "live_support.h"
#include "size.h"

static int own_index(void)
{
    for (int i = 0; vvSchemeInfo(i); i++)
        if (strcmp(vvSchemeInfo(i)->name, "sdirk3") == 0)
            return i;
    fail_msg("the table has no sdirk3");
    return -1;
}

static void the_self_check_confirms_the_row(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvSchemeCheck c;
    assert_ok(vvSchemeSelfCheck(own_index(), &c, &error));
    assert_int_equal(c.order, 3);
    assert_near(c.measuredOrder, 3, 0.1);
    assert_true(c.aStable && c.measuredAStable && c.lStable && c.measuredLStable);
    assert_true(!c.symplectic && !c.measuredSymplectic && c.minimises && !c.explicitScheme);
}

static const double DURATION = 0.25;

/* A body that stretches, turns and falls, with drag or without. */
static vvWorld *made(const char *scheme, double drag, int n)
{
    vvWorldDef d = free_def(scheme, DURATION / n, 1e-13);
    d.gravity[1] = -2;
    d.solver.hessian = "shifted";
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("stvk", 200);
    def.material.damping.drag = drag;
    vvBodyId id = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 1, 1, 1 }, 5, &def);
    set_state(w, id, "stretch", (double[]){ 1.15, 0.9, 1, NAN, NAN, NAN });
    set_state(w, id, "angular", (double[]){ 3, 2, 1, NAN, NAN, NAN });
    steps(w, n);
    return w;
}

static void it_is_of_third_order(void **state)
{
    (void)state;
    const int coarse = sized(40, 40, 80);
    for (int k = 0; k < 2; k++) {
        vvWorld *exact = made("sdirk3", 6 * k, 16 * coarse);
        double e[2][2];
        for (int j = 0; j < 2; j++) {
            vvWorld *w = made("sdirk3", 6 * k, coarse << j);
            e[j][0] = mass_distance(w, vvWorldPositions(w), vvWorldPositions(exact));
            e[j][1] = mass_distance(w, vvWorldVelocities(w), vvWorldVelocities(exact));
            vvWorldDestroy(w);
        }
        for (int j = 0; j < 2; j++) {
            print_message("drag %d: order %.2f, error %.2g\n", 6 * k, log2(e[0][j] / e[1][j]), e[1][j]);
            assert_near(log2(e[0][j] / e[1][j]), 3, 0.2);
        }
        vvWorld *other = made("avf-gauss-3", 6 * k, 16 * coarse); /* and to the same motion */
        assert_true(mass_distance(other, vvWorldPositions(other), vvWorldPositions(exact)) < 1e-5);
        vvWorldDestroy(other);
        vvWorldDestroy(exact);
    }
}

static vvWorld *falling(void)
{
    vvWorldDef d = live_def("sdirk3", "none");
    d.timeStep = 0.01;
    vvWorld *w = new_world(&d);
    obstacle(w, "plane", NULL, 0.3);
    set_state(w, add_block(w, 0, 0.08, 3), "linear", (double[]){ 0.5, -1, 0 });
    return w;
}

/* It lands, damped as an L-stable scheme does, and without meeting anything; a step costs three solves; states go on
 * to the same bits. */
static void it_works_like_any_other(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = falling(), *again = falling();
    double most = 0;
    for (int k = 0; k < 60; k++) {
        vvStepReport report;
        assert_ok(vvWorldStep(w, &report, &error));
        assert_true(ledger(w).minGap > 0 && report.newtonIterations >= 3);
        most = fmax(most, ledger(w).total - ledger(w).target);
    }
    assert_true(most < 1e-3 * ledger(w).scale);
    size_t size = vvWorldStateSize(w);
    void *state_of = malloc(size);
    assert_ok(vvWorldSaveState(w, state_of, size, &error));
    assert_ok(vvWorldLoadState(again, state_of, size, &error));
    expect_same(w, again, 20, "sdirk3");
    free(state_of);
    vvWorldDestroy(w);
    vvWorldDestroy(again);
}

/* A row may be without an adjoint: policies that need one say so. */
static void policies_treat_it_by_what_its_row_says(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = NULL;
    vvWorldDef d = live_def("sdirk3", "search");
    vvStatus status = vvWorldCreate(&d, &w, &error);
    expect(status, VV_ERROR_INPUT, &error, "names no adjoint");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_self_check_confirms_the_row),
                                        cmocka_unit_test(it_is_of_third_order),
                                        cmocka_unit_test(it_works_like_any_other),
                                        cmocka_unit_test(policies_treat_it_by_what_its_row_says) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
