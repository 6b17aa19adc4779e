/* The linear solver petsc: how its iterations grow with the mesh, what the rigid modes are worth, and whole steps
 * beside those of "pcg". What it shares with all linear solvers is in test_linear_petsc. */
#include "world_support.h"

#include "base/memory.h"
#include "grid_matrix.h"
#include "size.h"
#include "solve/linear/linear.h"

/* A stiff cube of 1 m, in a step of 1/30 s: 1e8 Pa. */
static int iterations(int cells, bool place, const char *linear)
{
    const grid g = { cells + 1, cells + 1, cells + 1, 1.0 / cells, 1000, 1e8, 0.3, 1.0 / 30 };
    vv_bsr a;
    assert_true(grid_build(&a, &g));
    double *x = vv_alloc(9 * (size_t)a.n, sizeof *x), *b = x + 3 * a.n, *at = b + 3 * a.n;
    uint64_t seed = 7;
    for (int i = 0; i < 3 * a.n; i++)
        b[i] = grid_random(&seed);
    for (int k = 0; k <= cells; k++)
        for (int j = 0; j <= cells; j++)
            for (int i = 0; i <= cells; i++) {
                double *of = at + 3 * grid_node(&g, i, j, k);
                of[0] = i * g.cell, of[1] = j * g.cell, of[2] = k * g.cell;
            }
    a.place = place ? at : NULL;
    const vv_linear_ops *ops = vv_linear_find(linear);
    vv_linear *s = NULL;
    vv_linear_stats stats;
    assert_int_equal(ops->create(&a, &(vv_parallel){ .threads = 1 }, &s, NULL), VV_OK);
    assert_int_equal(ops->solve(s, &a, b, x, 1e-3, 10000, &stats, NULL), VV_OK);
    assert_true(stats.converged);
    if (strcmp(linear, "petsc") == 0)
        assert_string_equal(stats.used, "petsc"); /* and nobody else */
    ops->destroy(s);
    vv_free(x);
    vv_bsr_free(&a);
    print_message("%s, %d^3 cells%s: %d iterations\n", linear, cells, place ? "" : ", no places", stats.iterations);
    return stats.iterations;
}

static void iterations_hardly_grow_with_the_mesh(void **state)
{
    (void)state;
    const int small = 10, large = sized(20, 20, 40);
    const int first = iterations(small, true, "petsc"), last = iterations(large, true, "petsc");
    assert_true(first >= 4 && last <= 1.5 * first);
    assert_true(iterations(large, true, "pcg-jacobi") > 1.8 * iterations(small, true, "pcg-jacobi"));
}

static void rigid_modes_save_iterations(void **state)
{
    (void)state;
    assert_true(iterations(12, false, "petsc") > 1.3 * iterations(12, true, "petsc"));
}

static const struct trial {
    const char *scheme, *policy;
    bool held, falls;
} trials[] = {
    { "backward-euler", "none", true, false },     { "backward-euler", "search", false, true },
    { "implicit-midpoint", "blend", true, false }, { "backward-euler", "a1", true, false },
    { "implicit-midpoint", "none", true, false },  { "sdirk2", "none", false, true },
};

/* A bar that is held at one end, or falls on a plane. */
static vvWorld *bar(const struct trial *t, const char *linear)
{
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = 1.0 / 60;
    d.integrator.scheme = t->scheme, d.integrator.policy = t->policy;
    d.integrator.groundMode = VV_GROUND_NONE;
    d.solver.linear = linear;
    d.solver.linearTolerance = 1e-10;
    d.solver.tolerance = 1e-8;
    d.threads = 1;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("neo-hookean", 2e5);
    def.translate[1] = t->falls ? 0.07 : 1;
    const vvBodyId id = add_box_def(w, (double[]){ 0.3, 0.1, 0.1 }, (int[]){ 6, 2, 2 }, 6, &def);
    set_state(w, id, "angular", (double[]){ 0, 3, 1, NAN, NAN, NAN });
    if (t->held) {
        vvAttachDef attached = vvDefaultAttachDef();
        attached.where.kind = VV_REGION_BOX;
        for (int k = 0; k < 3; k++)
            attached.where.a[k] = -2, attached.where.b[k] = k ? 2 : -0.14;
        attach(w, id, &attached);
    }
    if (t->falls)
        obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0.2);
    return w;
}

static double apex(const vvWorld *w)
{
    double y = -INFINITY;
    for (int i = 0; i < vvWorldNodeCount(w); i++)
        y = fmax(y, vvWorldPositions(w)[3 * i + 1]);
    return y;
}

/* Energies, momenta and the highest node are those of "pcg"; a second world has the same bits. */
static void steps_are_those_of_other_solvers(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        vvWorld *w[3] = { bar(trials + i, "pcg"), bar(trials + i, "petsc"), bar(trials + i, "petsc") };
        double bent = 0, scale = ledger(w[0]).kinetic;
        for (int s = 0; s < sized(12, 20, 60); s++) {
            vvLedgerRow row[3];
            for (int k = 0; k < 3; k++) {
                vvStepReport report;
                assert_ok(vvWorldStep(w[k], &report, &error));
                assert_string_equal(report.linear, k == 0 ? "pcg" : "petsc");
                row[k] = ledger(w[k]);
            }
            scale = fmax(scale, row[0].scale);
            assert_near(row[1].total, row[0].total, 1e-5 * scale);
            assert_near(row[1].kinetic, row[0].kinetic, 1e-5 * scale);
            for (int c = 0; c < 3; c++) {
                const double p = sqrt(2 * scale * 3); /* of 3 kg */
                assert_near(row[1].momentum[c], row[0].momentum[c], 1e-5 * p);
                assert_near(row[1].angularMomentum[c], row[0].angularMomentum[c], 1e-5 * p);
            }
            assert_near(apex(w[1]), apex(w[0]), 1e-6);
            assert_memory_equal(vvWorldPositions(w[1]), vvWorldPositions(w[2]),
                                3 * (size_t)vvWorldNodeCount(w[1]) * sizeof(double));
            bent = fmax(bent, row[0].elastic);
        }
        assert_less(1e-3 * scale, bent);
        for (int k = 0; k < 3; k++)
            vvWorldDestroy(w[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iterations_hardly_grow_with_the_mesh),
        cmocka_unit_test(rigid_modes_save_iterations),
        cmocka_unit_test(steps_are_those_of_other_solvers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
