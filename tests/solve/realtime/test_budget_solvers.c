/* Solvers with a fixed budget, each one of the list: given enough iterations they end where Newton's method does,
 * under every scheme with a stage to minimise; they use no more than their budget and say how far they came; what
 * they cannot do is refused by name; the fallback; the same bits for any number of threads, which sleep where they do
 * not pay; hostile worlds. */
#include "budget_support.h"
#include "size.h"

#include "visviva/settings.h"

#include "solve/realtime/accelerate.h"
#include "solve/vectors.h"
#include "step/schemes/guess.h"
#include "step/inside.h"
#include "world/world.h"

/* ---- the minimiser ---- */

static const char *accelerated; /* of the worlds that follow; NULL: not */

static vvWorld *sagging(const char *method, const char *scheme, const char *model, int budget)
{
    vvWorldDef d = def_of(method, scheme);
    d.solver.budget = budget;
    d.solver.acceleration = accelerated;
    vvWorld *w = new_world(&d);
    hold(w, add_bar(w, model, 2e4, 3));
    return w;
}

static void they_end_where_newton_does(void **state)
{
    (void)state;
    int count = sized(3, 6, 10);
    for (int m = 0; solver_at(m); m++)
        for (int i = 0, tried = 0; vvSchemeInfo(i); i++) {
            const vv_scheme *row = vv_scheme_find(vvSchemeInfo(i)->name);
            const char *model = material_for(solver_at(m), tried % 5);
            model = model ? model : material_for(solver_at(m), 0);
            if (row->method || vv_stage_explicit(row->stage + row->stages - 1) || !model ||
                vv_solver_find(solver_at(m))->nearby)
                continue;
            accelerated = vvAccelerationInfo(tried++ % 3)->name;
            vvWorld *a = sagging(solver_at(m), row->info.name, model, 100000),
                    *b = sagging("newton", row->info.name, model, 0);
            for (int k = 0; k < count; k++) {
                vvStepReport report;
                vvError error = { 0 };
                assert_ok(vvWorldStep(a, &report, &error));
                step(b);
                if (report.end != VV_SOLVE_CONVERGED && report.end != VV_SOLVE_STALLED)
                    fail_msg("%s under %s: end %d", solver_at(m), row->info.name, (int)report.end);
                assert_string_equal(report.solver, solver_at(m));
            }
            for (int k = 0; k < 3 * vvWorldNodeCount(a); k++)
                if (!(fabs(vvWorldPositions(a)[k] - vvWorldPositions(b)[k]) < 1e-7))
                    fail_msg("%s under %s with %s: %g m off", solver_at(m), row->info.name, model,
                             fabs(vvWorldPositions(a)[k] - vvWorldPositions(b)[k]));
            vvWorldDestroy(a);
            vvWorldDestroy(b);
            accelerated = NULL;
        }
}

/* ---- budgets ---- */

static void a_budget_is_kept(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int m = 0; solver_at(m); m++)
        for (int budget = 0; budget < 8; budget = 2 * budget + 1) {
            vvWorld *w = sagging(solver_at(m), "backward-euler", material_for(solver_at(m), 0), budget);
            int most = budget ? budget : vvSolverBudget(solver_at(m));
            for (int k = 0; k < 5; k++) {
                vvStepReport report;
                assert_ok(vvWorldStep(w, &report, &error));
                if (report.end == VV_SOLVE_CONVERGED) { /* where that is enough */
                    assert_true(most > 5 && report.newtonIterations <= most && report.residual < 1e-9);
                } else {
                    assert_int_equal(report.end, VV_SOLVE_BUDGET);
                    assert_int_equal(report.newtonIterations, most);
                }
                assert_true(report.residual > 0 && isfinite(report.residual));
                assert_int_equal(report.fallbacks, 0);
            }
            vvWorldDestroy(w);
        }
}

static void a_fallback_takes_over(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int m = 0; solver_at(m); m++) {
        const char *model = material_for(solver_at(m), 0);
        vvWorld *plain = sagging("newton", "tr-bdf2", model, 0);
        vvWorldDef d = def_of(solver_at(m), "tr-bdf2");
        d.solver.fallback = "newton";
        d.solver.budget = 1;
        vvWorld *w = new_world(&d);
        hold(w, add_bar(w, model, 2e4, 3));
        for (int k = 0; k < 4; k++) {
            vvStepReport report;
            assert_ok(vvWorldStep(w, &report, &error));
            step(plain);
            assert_string_equal(report.solver, "newton");
            assert_int_equal(report.fallbacks, 2); /* both stages */
            assert_int_equal(report.end, VV_SOLVE_CONVERGED);
        }
        for (int k = 0; k < 3 * vvWorldNodeCount(w); k++)
            assert_near(vvWorldPositions(w)[k], vvWorldPositions(plain)[k], 1e-8);
        /* enough iterations: it is not called */
        d.solver.budget = 100000;
        d.solver.tolerance = 1e-6;
        assert_ok(vvWorldSetSolver(w, &d.solver, &error));
        vvStepReport report;
        assert_ok(vvWorldStep(w, &report, &error));
        assert_string_equal(report.solver, solver_at(m));
        assert_int_equal(report.fallbacks, 0);
        vvWorldDestroy(w);
        vvWorldDestroy(plain);
    }
}

/* Blending takes one iteration of backward Euler, on purpose: the fallback is not for that. */
static void a_fallback_leaves_a_policy_alone(void **state)
{
    (void)state;
    for (int m = 0; solver_at(m); m++) {
        if (vv_solver_find(solver_at(m))->nearby || vv_solver_find(solver_at(m))->own_start)
            continue; /* these do not converge, or get as many as ever */
        vvWorldDef d = def_of(solver_at(m), "implicit-midpoint");
        d.integrator.policy = "blend";
        d.timeStep = 1.0 / 30;
        d.solver.fallback = "newton";
        d.solver.budget = 100000;
        d.solver.tolerance = 1e-6;
        vvWorld *w = new_world(&d);
        set_state(w, add_bar(w, material_for(solver_at(m), 0), 2e4, 3), "angular",
                  (double[]){ 0, 0, 15, NAN, NAN, NAN });
        int blended = 0;
        for (int k = 0; k < 20; k++) {
            vvStepReport report;
            vvError error = { 0 };
            assert_ok(vvWorldStep(w, &report, &error));
            assert_int_equal(report.fallbacks, 0);
            blended += ledger(w).alpha > 0;
        }
        assert_true(blended > 0);
        vvWorldDestroy(w);
    }
}

/* A living world changes its solver and goes on; with the first one again, as if nothing had been, where nothing was
 * stepped. */
static void a_living_world_changes_its_solver(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int m = 0; solver_at(m); m++) {
        vvWorldDef d = def_of(solver_at(m), "implicit-midpoint"), newton = def_of("newton", "implicit-midpoint");
        vvWorld *w = sagging(solver_at(m), "implicit-midpoint", material_for(solver_at(m), 0), 0);
        vvWorld *same = sagging(solver_at(m), "implicit-midpoint", material_for(solver_at(m), 0), 0);
        steps(w, 3), steps(same, 3);
        assert_ok(vvWorldSetSolver(w, &newton.solver, &error));
        assert_ok(vvWorldSetSolver(w, &d.solver, &error));
        expect_same(w, same, 3, "changed to and fro");
        assert_ok(vvWorldSetSolver(w, &newton.solver, &error));
        vvStepReport report;
        assert_ok(vvWorldStep(w, &report, &error));
        assert_string_equal(report.solver, "newton");
        assert_int_equal(report.end, VV_SOLVE_CONVERGED);
        vvWorldDestroy(w);
        vvWorldDestroy(same);
    }
}

/* The same ten iterations come much nearer with Anderson's acceleration, and nearer with Chebyshev's. */
static void acceleration_pays(void **state)
{
    (void)state;
    double off[3];
    vvWorldDef exact = def_of("newton", "backward-euler");
    exact.timeStep = 1.0 / 30;
    vvWorld *truth = new_world(&exact);
    hold(truth, add_bar(truth, "arap", 2e5, 12));
    step(truth);
    for (int i = 0; i < 3; i++) {
        vvWorldDef d = def_of("local-global", "backward-euler");
        d.timeStep = 1.0 / 30;
        d.solver.acceleration = vvAccelerationInfo(i)->name;
        vvWorld *w = new_world(&d);
        hold(w, add_bar(w, "arap", 2e5, 12));
        step(w);
        off[i] = mass_distance(w, vvWorldPositions(w), vvWorldPositions(truth));
        print_message("%-10s %.3g\n", d.solver.acceleration, off[i]);
        vvWorldDestroy(w);
    }
    vvWorldDestroy(truth);
    assert_less(off[1], off[0]);
    assert_less(off[2], 0.2 * off[0]);
}

/* ---- what they cannot do ---- */

static void refusals_name_the_energy(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = def_of("local-global", "backward-euler");
    for (int contact = 0; contact < 2; contact++) {
        if (contact) {
            d.contact.model = "barrier";
            d.contact.stiffness = 1e5;
        }
        vvWorld *w = new_world(&d);
        add_bar(w, contact ? "arap" : "stvk", 1e4, 1);
        if (contact)
            obstacle(w, "plane", (double[]){ 0, -1, 0, 0, 1, 0 }, 0);
        expect(vvWorldBake(w, &error), VV_ERROR_UNSUPPORTED, &error, contact ? "barrier" : "\"stvk\" has none");
        assert_non_null(strstr(error.message, "local-global"));
        assert_non_null(strstr(error.message, "lbfgs"));
        /* the world is as it was: with another solver it goes on */
        vvWorldDef other = def_of("newton", "backward-euler");
        assert_ok(vvWorldSetSolver(w, &other.solver, &error));
        step(w);
        vvWorldDestroy(w);
    }
}

/* ---- threads, time and hostile worlds ---- */

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    for (int m = 0; solver_at(m); m++) {
        vvWorld *w[3];
        for (int t = 0; t < 3; t++) {
            vvWorldDef d = def_of(solver_at(m), "implicit-midpoint");
            d.threads = t + 1;
            w[t] = new_world(&d);
            hold(w[t], add_bar(w[t], material_for(solver_at(m), 0), 2e4, sized(20, 60, 200)));
        }
        expect_same(w[0], w[1], 4, "two threads");
        steps(w[2], 4);
        assert_true(same_world(w[0], w[2]));
        for (int t = 0; t < 3; t++)
            vvWorldDestroy(w[t]);
    }
}

static void count_loop(void *user, int count, void (*task)(void *context, int index), void *context)
{
    ++*(int *)user;
    for (int i = count; i-- > 0;)
        task(context, i);
}

/* Threads are woken where that pays: in small worlds not at all, in larger ones a few times an iteration. */
static void threads_sleep_where_they_do_not_pay(void **state)
{
    (void)state;
    for (int m = 0; solver_at(m); m++)
        for (int large = 0; large < 2; large++) {
            int loops = 0;
            vvError error = { 0 };
            vvWorldDef d = def_of(solver_at(m), "implicit-midpoint");
            d.solver.tolerance = 1e-12;
            d.host.tasks = (vvTaskSystem){ 4, count_loop, &loops };
            vvWorld *w = new_world(&d);
            vvBodyDef body = vvDefaultBodyDef();
            body.material = material(material_for(solver_at(m), 0), 1e4);
            const int n = large ? 14 : 5;
            hold(w, add_box_def(w, (double[]){ 0.1 * n, 0.1 * n, 0.1 * n }, (int[]){ n, n, n }, 5, &body));
            assert_ok(vvWorldBake(w, &error));
            step(w);
            loops = 0;
            vvStepReport report;
            assert_ok(vvWorldStep(w, &report, &error));
            const double each = (double)loops / report.newtonIterations;
            if (large ? !(each > 0 && each < 20) : each > 3)
                fail_msg("%s, %d nodes: %g loops an iteration wake threads", solver_at(m), vvWorldNodeCount(w), each);
            vvWorldDestroy(w);
        }
}

static void a_cancelled_step_changes_nothing(void **state)
{
    (void)state;
    for (int m = 0; solver_at(m); m++) {
        vvWorld *w = sagging(solver_at(m), "tr-bdf2", material_for(solver_at(m), 0), 0);
        vvWorld *calm = sagging(solver_at(m), "tr-bdf2", material_for(solver_at(m), 0), 0);
        vvWorld *fresh = sagging(solver_at(m), "tr-bdf2", material_for(solver_at(m), 0), 0);
        asked host = { 0 };
        vvWorldSetCancel(w, asked_answer, &host);
        expect_restored(w, &host, calm, 2);
        expect_resumed(w, fresh, 3);
        vvWorldDestroy(w);
        vvWorldDestroy(calm);
        vvWorldDestroy(fresh);
    }
}

/* Accelerations begin anew in each solve: a run that is saved and goes on elsewhere, over a solver that has just made
 * other steps, has the bits of one that was never interrupted. So has one whose last step was cancelled. */
static void nothing_of_an_acceleration_outlives_a_step(void **state)
{
    (void)state;
    int tried = 0;
    for (int i = 0; vvAccelerationInfo(i); i++)
        for (int k = 0; k < 2; k++, tried++) {
            vvError error = { 0 };
            vvWorld *w[3];
            for (int j = 0; j < 3; j++) {
                accelerated = vvAccelerationInfo(i)->name;
                w[j] = sagging("local-global", k ? "tr-bdf2" : "implicit-midpoint", "arap", 7);
                accelerated = NULL;
            }
            steps(w[0], 3);
            steps(w[1], 5); /* it is elsewhere, and has other steps behind it */
            expect_resumed(w[0], w[1], 4);
            asked host = { 0 };
            vvWorldSetCancel(w[2], asked_answer, &host);
            steps(w[2], 7);
            assert_true(same_world(w[0], w[2])); /* never interrupted */
            host.at = host.count + 4;
            vvStepReport report;
            assert_int_equal(vvWorldStep(w[2], &report, &error), VV_CANCELLED);
            host.at = 0;
            expect_same(w[0], w[2], 3, "after a step that was cancelled");
            for (int j = 0; j < 3; j++)
                vvWorldDestroy(w[j]);
        }
    assert_true(tried >= 6);
}

/* One tet; stiff as rock; thrown at 1 km/s against a wall of attachments; all nodes prescribed. Finite, and
 * reported. */
static void hostile_worlds_stay_finite(void **state)
{
    (void)state;
    static const char *const schemes[] = { "backward-euler", "implicit-midpoint", "bdf2", "avf-simpson" };
    for (int m = 0; solver_at(m); m++)
        for (int first = 0; first < 8 && material_for(solver_at(m), first); first++)
            for (int kind = 0; kind < 5; kind++) {
                vvError error = { 0 };
                vvWorldDef d = def_of(solver_at(m), schemes[(kind + first) % 4]);
                d.timeStep = 1.0 / 30;
                d.solver.tolerance = 0.01;
                if ((kind + first) % 4 > 0) /* nothing else makes half-solved steps of these schemes bounded */
                    d.integrator.policy = "blend";
                d.solver.budget = kind == 4 ? 1 : 0;
                vvWorld *w = new_world(&d);
                vvBodyId bar = add_bar(w, material_for(solver_at(m), first),
                                       kind == 1   ? 1e12
                                       : kind == 2 ? 1e-3
                                                   : 2e4,
                                       1 + kind);
                if (kind != 3)
                    hold(w, bar);
                set_state(w, bar, "linear", (double[]){ 1000, -1000, 10 });
                for (int k = 0; k < 20; k++) {
                    vvStepReport report;
                    vvStatus status = vvWorldStep(w, &report, &error);
                    if (status != VV_OK) { /* a body that must not invert may be in nobody's power */
                        assert_int_equal(status, VV_ERROR_SOLVER);
                        assert_true(*error.message);
                        break;
                    }
                    assert_true(isfinite(report.residual) && isfinite(ledger(w).total));
                }
                for (int k = 0; k < 3 * vvWorldNodeCount(w); k++)
                    if (!(fabs(vvWorldPositions(w)[k]) < 1e4))
                        fail_msg("%s under %s, %s, kind %d: a node at %g m", solver_at(m), d.integrator.scheme,
                                 material_for(solver_at(m), first), kind, vvWorldPositions(w)[k]);
                vvWorldDestroy(w);
            }
}

static void without_free_nodes_nothing_is_solved(void **state)
{
    (void)state;
    for (int m = 0; solver_at(m); m++) {
        vvWorldDef d = def_of(solver_at(m), "backward-euler");
        vvWorld *w = new_world(&d);
        vvAttachDef all = vvDefaultAttachDef();
        all.where = (vvRegion){ .kind = VV_REGION_PERCENT, .b = { 100, 100, 100 } };
        all.motion.linearVelocity[0] = 1;
        attach(w, add_bar(w, material_for(solver_at(m), 0), 2e4, 1), &all);
        vvError error = { 0 };
        vvStepReport report;
        assert_ok(vvWorldStep(w, &report, &error));
        assert_int_equal(report.end, VV_SOLVE_CONVERGED);
        assert_near(vvWorldPositions(w)[0], -0.05 + 0.01, 1e-12);
        vvWorldDestroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_end_where_newton_does),
        cmocka_unit_test(a_budget_is_kept),
        cmocka_unit_test(a_fallback_takes_over),
        cmocka_unit_test(a_fallback_leaves_a_policy_alone),

        cmocka_unit_test(a_living_world_changes_its_solver),
        cmocka_unit_test(acceleration_pays),
        cmocka_unit_test(refusals_name_the_energy),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(threads_sleep_where_they_do_not_pay),
        cmocka_unit_test(a_cancelled_step_changes_nothing),
        cmocka_unit_test(nothing_of_an_acceleration_outlives_a_step),
        cmocka_unit_test(hostile_worlds_stay_finite),
        cmocka_unit_test(without_free_nodes_nothing_is_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
