/* What a budget does where a step would take long: wild moves are shortened before anything is looked for on their
 * way, said so, and nothing is passed through; a search takes no more than a few evaluations an iteration; a limit in
 * milliseconds ends a solve early, and where it is far away changes no bit. */
#include "budget_support.h"

#include "visviva/visviva.h"
#include "positional.h"

/* A soft block on the ground, a second one beside it, and a hand that is far away from the start. */
typedef struct yank {
    vvWorld *w;
    vvBodyId block;
    vvDragId hand;
} yank;

static vvBodyId add_soft(vvWorld *w, double x)
{
    vvError error = { 0 };
    vvMesh mesh = { 0 };
    vvBodyId id;
    assert_ok(generate_mesh("box", (double[]){ 0.2, 0.2, 0.2, 4, 4, 4, 5 }, &mesh, &error));
    vvBodyDef b = vvDefaultBodyDef();
    b.mesh = &mesh;
    b.material.model = "neo-hookean", b.material.young = 2e4, b.material.poisson = 0.35;
    b.translate[0] = x, b.translate[1] = 0.103;
    assert_ok(vvWorldAddBody(w, &b, &id, &error));
    vvMeshDestroy(&mesh);
    return id;
}

static yank yanked(const char *method, double far)
{
    vvError error = { 0 };
    vvWorldDef d = vvDefaultWorldDef();
    yank y = { 0 };
    d.timeStep = 1.0 / 60, d.threads = 1;
    d.solver.method = method, d.solver.budget = 5;
    d.contact.friction = 0.5, d.contact.checkIntersections = true;
    assert_ok(vvWorldCreate(&d, &y.w, &error));
    vvObstacleDef plane = vvDefaultObstacleDef();
    assert_ok(vvWorldAddObstacle(y.w, &plane, NULL, &error));
    y.block = add_soft(y.w, 0);
    add_soft(y.w, 0.25);
    for (int k = 0; k < 10; k++)
        assert_ok(vvWorldStep(y.w, NULL, &error));
    vvDragDef g = vvDefaultDragDef();
    g.body = y.block, g.vertex = 0;
    assert_ok(vvWorldStartDrag(y.w, &g, &y.hand, &error));
    assert_ok(vvWorldMoveDrag(y.w, y.hand, (double[]){ far, 0.3, 0 }, &error));
    return y;
}

static void wild_moves_are_shortened(void **state)
{
    (void)state;
    vvError error = { 0 };
    int capped = 0;
    double least = 1;
    yank y = yanked("lbfgs", 2); /* through the other block, with 100 times its weight at one vertex */
    for (int k = 0; k < 40; k++) {
        vvStepReport r;
        vvLedgerRow row;
        assert_ok(vvWorldStep(y.w, &r, &error)); /* and with it the search for intersections */
        assert_ok(vvWorldLedger(y.w, &row, &error));
        capped += r.capped;
        assert_true(r.newtonIterations <= 5 && r.lineSearchSteps <= 4 * 5 && r.capped <= r.newtonIterations);
        assert_true(r.pcgIterations <= 40 * 5);
        assert_true(row.minJ > 0 && row.minGap > 0);
        least = fmin(least, row.minJ);
    }
    assert_true(capped > 0 && least > 0.01);
    vvBodyMeasures m;
    assert_ok(vvBodyMeasure(y.w, y.block, &m, &error));
    assert_true(m.centre[0] > 0.05);
    vvWorldDestroy(y.w);
    y = yanked("lbfgs", 0.05); /* an ordinary pull is let alone */
    assert_ok(vvWorldMoveDrag(y.w, y.hand, (double[]){ -0.09, 0.04, -0.1 }, &error));
    for (int k = 0; k < 40; k++) {
        vvStepReport r;
        assert_ok(vvWorldStep(y.w, &r, &error));
        assert_int_equal(r.capped, 0);
    }
    vvWorldDestroy(y.w);
}

/* What flies is not shortened, however fast: a block goes many times its size in a step. */
static void flight_is_not(void **state)
{
    (void)state;
    vvError error = { 0 };
    yank y = yanked("lbfgs", 0);
    assert_ok(vvWorldEndDrag(y.w, y.hand, &error));
    vvBodyMeasures before, after;
    assert_ok(vvBodyMeasure(y.w, y.block, &before, &error));
    const double speed = 150;
    assert_ok(vvBodyApplyImpulse(y.w, y.block, (double[]){ 0, speed * before.mass, 0 }, &error));
    for (int k = 0; k < 10; k++) {
        vvStepReport r;
        assert_ok(vvWorldStep(y.w, &r, &error));
        assert_int_equal(r.capped, 0);
    }
    assert_ok(vvBodyMeasure(y.w, y.block, &after, &error));
    const double rise = after.centre[1] - before.centre[1];
    assert_true(fabs(rise - speed * 10 / 60) < 0.1 * speed * 10 / 60);
    vvWorldDestroy(y.w);
}

static void set_limit(vvWorld *w, double ms)
{
    vvError error = { 0 };
    vvSolverDef s = vvWorldGetDef(w)->solver;
    s.budgetMs = ms;
    assert_ok(vvWorldSetSolver(w, &s, &error));
}

static void milliseconds_end_a_solve(void **state)
{
    (void)state;
    static const char *const solvers[] = { "lbfgs", "block-descent" };
    vvError error = { 0 };
    for (int m = 0; m < 2; m++) {
        yank late = yanked(solvers[m], 0.3), early = yanked(solvers[m], 0.3), none = yanked(solvers[m], 0.3);
        set_limit(late.w, 1e9), set_limit(early.w, 1e-9);
        for (int k = 0; k < 10; k++) {
            vvStepReport r;
            assert_ok(vvWorldStep(early.w, &r, &error));
            assert_int_equal(r.newtonIterations, 1);
            assert_int_equal(r.end, VV_SOLVE_BUDGET);
            assert_ok(vvWorldStep(late.w, &r, &error));
            assert_ok(vvWorldStep(none.w, NULL, &error));
            assert_true(r.newtonIterations > 1);
            assert_memory_equal(vvWorldPositions(late.w), vvWorldPositions(none.w),
                                3 * (size_t)vvWorldNodeCount(none.w) * sizeof(double));
        }
        vvWorldDestroy(late.w), vvWorldDestroy(early.w), vvWorldDestroy(none.w);
    }
    vvWorldDef d = vvDefaultWorldDef();
    vvWorld *w;
    d.solver.budgetMs = -1;
    assert_int_equal(vvWorldCreate(&d, &w, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "budget_ms"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wild_moves_are_shortened),
        cmocka_unit_test(flight_is_not),
        cmocka_unit_test(milliseconds_end_a_solve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
