/* MINRES solves what is symmetric, of either sign, with the same bits for any number of threads. The solver
 * "plain-newton" comes to Newton's solution where that is near, takes saddles for one and says that the objective
 * rose, fails without a NaN where it diverges, and refuses energies that limit steps. */
#include "live_support.h"

#include "base/memory.h"
#include "grid_matrix.h"
#include "solve/linear/minres.h"

/* ---- MINRES ---- */

/* Symmetric, with couplings of all signs and `shift` on the diagonal of every other row. */
static void make_matrix(vv_bsr *a, int n, double shift, uint64_t seed)
{
    vv_pattern pattern = { .n = n };
    for (int i = 0; i < 3 * n; i++)
        vv_pattern_clique(&pattern, (int[]){ i % n, (i * 7 + 1 + i / n) % n },
                          i % n == (i * 7 + 1 + i / n) % n ? 1 : 2);
    assert_int_equal(vv_bsr_build(a, &pattern, NULL), VV_OK);
    vv_pattern_free(&pattern);
    for (int i = 0; i < n; i++)
        for (int k = a->row_start[i]; k < a->row_start[i + 1]; k++)
            for (int e = 0; e < 9 && a->col[k] >= i; e++) {
                int j = a->col[k], s = e / 3, r = e % 3;
                if (i == j && r < s)
                    continue;
                double v = grid_random(&seed) + (i == j && r == s ? (i % 2 ? -shift : shift) : 0);
                a->val[9 * (size_t)k + (size_t)(3 * s + r)] = v;
                a->val[9 * (size_t)vv_bsr_slot(a, j, i) + (size_t)(3 * r + s)] = v;
            }
}

static double residual_of(const vv_bsr *a, const double *b, const double *x, int n)
{
    const vv_parallel one = { .threads = 1 };
    double *y = vv_alloc((size_t)n + 8, sizeof *y), rr = 0, bb = 0;
    vv_bsr_multiply(a, &one, x, y);
    for (int i = 0; i < n; i++)
        rr += (b[i] - y[i]) * (b[i] - y[i]), bb += b[i] * b[i];
    vv_free(y);
    return sqrt(rr / bb);
}

static void minres(void **state)
{
    (void)state;
    for (int size = 0; size < 4; size++)
        /* little on the diagonal, in small ones; as much as couplings; far more */
        for (int kind = 0; kind < 3; kind++) {
            const int n = (int[]){ 1, 2, 18, 700 }[size];
            vv_bsr a;
            vv_minres m;
            vv_linear_stats stats, again;
            make_matrix(&a, n, (double[]){ n > 18 ? 8 : 0.5, 10, 60 }[kind], (uint64_t)(5 + kind));
            size_t room = 3 * (size_t)n + 8;
            double *b = vv_alloc(room, sizeof *b), *x = vv_alloc(room, sizeof *x), *y = vv_alloc(room, sizeof *y);
            uint64_t seed = 3;
            for (int i = 0; i < 3 * n; i++)
                b[i] = grid_random(&seed);
            assert_int_equal(vv_minres_create(&m, n, NULL), VV_OK);
            vv_minres_solve(&m, &a, &(vv_parallel){ .threads = 1 }, b, x, 1e-10, 20000, &stats);
            vv_minres_solve(&m, &a, &(vv_parallel){ .threads = 3 }, b, y, 1e-10, 20000, &again);
            if (!(stats.converged && residual_of(&a, b, x, 3 * n) < 1e-7))
                fail_msg("%d rows, kind %d: residual %g after %d iterations", n, kind, residual_of(&a, b, x, 3 * n),
                         stats.iterations);
            assert_memory_equal(x, y, 3 * (size_t)n * sizeof *x);
            assert_int_equal(stats.iterations, again.iterations);
            memset(b, 0, room * sizeof *b);
            vv_minres_solve(&m, &a, &(vv_parallel){ .threads = 1 }, b, x, 1e-10, 100, &stats);
            assert_true(stats.converged && stats.iterations == 0 && x[0] == 0);
            memset(a.val, 0, 9 * (size_t)a.nnz * sizeof *a.val); /* singular: it stops */
            b[0] = 1;
            vv_minres_solve(&m, &a, &(vv_parallel){ .threads = 1 }, b, x, 1e-10, 100, &stats);
            assert_true(!stats.converged && isfinite(x[0]));
            vv_free(b);
            vv_free(x);
            vv_free(y);
            vv_minres_free(&m);
            vv_bsr_free(&a);
        }
}

/* ---- plain Newton ---- */

static vvWorld *cube_world(const char *method, const char *scheme, double h, double young)
{
    vvWorldDef d = free_def(scheme, h, 1e-9);
    d.solver.maxIterations = 40;
    d.solver.method = method;
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material("fixed-corotated", young);
    vvBodyId id = add_cube(w, 0.1, 2, &m);
    vvAttachDef script = vvDefaultAttachDef(); /* prescribed nodes that move */
    script.where = (vvRegion){ .kind = VV_REGION_PERCENT, .b = { 1, 100, 100 } };
    script.motion.linearVelocity[1] = 0.2;
    attach(w, id, &script);
    set_state(w, id, "stretch", (double[]){ 1.1, 0.95, 1, NAN, NAN, NAN });
    return w;
}

static void near_a_solution(void **state)
{
    (void)state;
    static const char *const schemes[] = { "backward-euler", "bdf2", "implicit-midpoint", "tr-bdf2", "avf-simpson" };
    for (int s = 0; s < 5; s++) {
        vvWorld *a = cube_world("newton", schemes[s], 1e-3, 1e4),
                *b = cube_world("plain-newton", schemes[s], 1e-3, 1e4);
        steps(a, 5);
        steps(b, 5);
        for (int i = 0; i < 3 * vvWorldNodeCount(a); i++)
            if (!(fabs(vvWorldPositions(a)[i] - vvWorldPositions(b)[i]) < 1e-9))
                fail_msg("%s: %.12g, not %.12g", schemes[s], vvWorldPositions(b)[i], vvWorldPositions(a)[i]);
        vvWorldDestroy(a);
        vvWorldDestroy(b);
    }
}

/* Two springs between two pins, bent up at rest, start nearly straight: plain Newton goes up to the saddle, where
 * they are straight, and says that the objective rose; Newton goes down to where they are bent. */
static void takes_a_saddle(void **state)
{
    (void)state;
    for (int plain = 0; plain < 2; plain++) {
        vvError error = { 0 };
        vvStepReport report;
        vvWorldDef d = free_def("backward-euler", 10, 1e-9);
        d.solver.method = plain ? "plain-newton" : "newton";
        vvWorld *w = new_world(&d);
        vvMaterialDef m = material("hooke", 0);
        m.springStiffness = 100;
        m.density = 1;
        vvBodyId id = add_edges(w, 3, (double[]){ 0, 0, 0, 0.5, 0.3, 0, 1, 0, 0 }, 2, (int[]){ 0, 1, 1, 2 }, &m);
        vvAttachDef pin = vvDefaultAttachDef();
        pin.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = (int[]){ 0, 2 }, .listCount = 2 };
        attach(w, id, &pin);
        assert_ok(vvWorldBake(w, &error));
        double x[9], v[9] = { 0 };
        int middle = 0;
        memcpy(x, vvWorldPositions(w), sizeof x);
        while (x[3 * middle + 1] < 0.2)
            middle++;
        x[3 * middle + 1] = 0.05;
        assert_ok(vvWorldSetState(w, x, v, &error));
        assert_ok(vvWorldStep(w, &report, &error));
        assert_int_equal(report.end, VV_SOLVE_CONVERGED);
        assert_near(vvWorldPositions(w)[3 * middle + 1], plain ? 0 : 0.3, 1e-2);
        assert_true(!plain || strstr(report.note, "higher objective"));
        vvWorldDestroy(w);
    }
}

/* Turned inside out at a long step: it ends at the limit, or fails and leaves the world as it was; nothing is NaN. */
static void far_from_a_solution(void **state)
{
    (void)state;
    int lost = 0;
    for (int n = 0; n < 6; n++) {
        vvError error = { 0 };
        vvStepReport report = { 0 };
        vvWorld *w = cube_world("plain-newton", "backward-euler", 0.1, 1e5);
        assert_ok(vvWorldBake(w, &error));
        int count = 3 * vvWorldNodeCount(w);
        double *x = copy_of(vvWorldPositions(w), count), *v = calloc((size_t)count, sizeof *v);
        for (int i = 0; i < count; i++)
            x[i] = 0.2 * sin(3.0 * i * i + n);
        assert_ok(vvWorldSetState(w, x, v, &error));
        double *before = copy_of(vvWorldPositions(w), count);
        vvStatus status = vvWorldStep(w, &report, &error);
        assert_true(status == VV_OK || status == VV_ERROR_SOLVER);
        lost += status != VV_OK || report.end == VV_SOLVE_ITERATION_LIMIT;
        for (int i = 0; i < count; i++) {
            assert_true(isfinite(vvWorldPositions(w)[i]));
            if (status != VV_OK)
                assert_true(vvWorldPositions(w)[i] == before[i]);
        }
        free(x);
        free(v);
        free(before);
        vvWorldDestroy(w);
    }
    assert_true(lost > 2);
}

static void refused(void **state)
{
    (void)state;
    for (int n = 0; n < 2; n++) {
        vvError error = { 0 };
        vvWorldDef d = free_def("backward-euler", 0.01, 1e-9);
        d.solver.method = "plain-newton";
        d.contact.model = n ? "barrier" : "none";
        vvWorld *w = new_world(&d);
        vvMaterialDef m = material(n ? "stvk" : "neo-hookean", 1e4);
        add_cube(w, 0.1, 1, &m);
        if (n)
            obstacle(w, "plane", (double[]){ 0, -1, 0, 0, 1, 0 }, 0);
        expect(vvWorldBake(w, &error), VV_ERROR_UNSUPPORTED, &error, "plain-newton");
        vvWorldDestroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(minres), cmocka_unit_test(near_a_solution),
                                        cmocka_unit_test(takes_a_saddle), cmocka_unit_test(far_from_a_solution),
                                        cmocka_unit_test(refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
