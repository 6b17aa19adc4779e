/* Position-based solves that go on from the last one, as blending's backward Euler solve does: they begin where that
 * ended, end at the same minimum as a solve from the method's own start, and one sweep goes down. `blend` over them
 * takes one sweep more than the scheme, holds its energy, and resumes with the same bits. */
#include "policy_support.h"
#include "size.h"

#include "step/inside.h"
#include "world/world.h"
#include "positional.h"

static const char *const both[] = { "xpbd", "xpbd-exact" };
static const char *const models[] = { "stable-neo-hookean", "arap", "corotated", "fixed-corotated", "stvk", "hooke",
                                      "stvk-spring" };
enum { MODELS = 7, TETS = 5, PLENTY = 200000 };

/* A bar of tets, or a strip of springs, held at one end by a spring attachment, out of shape, in gravity and drag. */
static vvWorld *bent(const char *method, const char *model)
{
    vvError error = { 0 };
    vvWorldDef d = free_def("implicit-midpoint", 0.02, 1e-11);
    d.solver.method = method;
    d.gravity[1] = -9.8;
    vvWorld *w = new_world(&d);
    vvBodyDef body = vvDefaultBodyDef();
    body.material = material(model, 2e4);
    body.material.damping.drag = 0.5;
    vvMesh mesh = { 0 };
    const bool springs = strcmp(model, "hooke") == 0 || strcmp(model, "stvk-spring") == 0;
    if (springs)
        body.material.springStiffness = strcmp(model, "hooke") == 0 ? 200 : 2e4, body.material.bendStiffness = 20;
    assert_ok(generate_mesh(springs ? "weave" : "box",
                            springs ? (double[]){ 0.3, 0.2, 3, 2 } : (double[]){ 0.3, 0.1, 0.1, 3, 1, 1, 5 }, &mesh,
                            &error));
    vvBodyId bar = add_mesh(w, &mesh, &body);
    vvAttachDef a = vvDefaultAttachDef();
    a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .b = { 1, 100, 100 } };
    a.kind = VV_ATTACH_SPRING;
    a.stiffness = 500;
    attach(w, bar, &a);
    assert_ok(vvWorldBake(w, &error));
    double *x = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w));
    for (int k = 0; k < vvWorldNodeCount(w); k++)
        x[3 * k] *= 1.05, x[3 * k + 1] += 0.01 * sin(3 * k), x[3 * k + 2] += 0.3 * x[3 * k] * x[3 * k];
    assert_ok(vvBodySetState(w, bar, x, NULL, &error));
    assert_ok(vvWorldBake(w, &error));
    free(x);
    return w;
}

/* Sweeps on the row's objective from q, in place; what was done. */
static vv_solve_stats solve(vvWorld *w, const char *row, int sweeps, bool goes_on, double *q)
{
    vvError error = { 0 };
    vv_stepper *s = w->stepper;
    vv_objective o;
    vv_solve_options options = s->options;
    vv_solve_stats stats = { 0 };
    options.budget = sweeps, options.goes_on = goes_on;
    vv_stepper_objective(s, vv_scheme_find(row), &o);
    assert_ok(s->solver->ops->minimise(s->solver, &o, q, NULL, &options, &stats, &error));
    return stats;
}

static double value(vvWorld *w, const char *row, const double *q)
{
    vv_objective o;
    vv_stepper_objective(w->stepper, vv_scheme_find(row), &o);
    return vv_objective_value(&o, q);
}

static double distance(const vvWorld *w, const double *a, const double *b)
{
    double most = 0;
    for (int k = 0; k < 3 * vvWorldNodeCount(w); k++)
        most = fmax(most, fabs(a[k] - b[k]));
    return most;
}

/* Other factors of the energies, other samples, another y: what was kept of the first solve must fit the second. */
static void exact_sweeps_that_go_on_end_at_the_minimum(void **state)
{
    (void)state;
    static const char *const firsts[] = { "implicit-midpoint", "trapezoidal", "backward-euler", "avf-simpson" };
    for (int m = 0; m < MODELS; m++)
        for (int i = 0; i < 4; i++) {
            if (sized(1, 0, 0) && (m + i) % 3)
                continue;
            vvWorld *w = bent("xpbd-exact", models[m]);
            double *q = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w)),
                   *other = copy_of(q, 3 * vvWorldNodeCount(w));
            solve(w, firsts[i], 4, false, q);
            vv_solve_stats on = solve(w, "backward-euler", PLENTY, true, q),
                           own = solve(w, "backward-euler", PLENTY, false, other);
            assert_int_equal(on.end, VV_SOLVE_CONVERGED);
            assert_int_equal(own.end, VV_SOLVE_CONVERGED);
            if (!(distance(w, q, other) < 1e-9))
                fail_msg("%s after %s: %g m off", models[m], firsts[i], distance(w, q, other));
            free(q), free(other);
            vvWorldDestroy(w);
        }
}

/* A chain that hangs straight down: multipliers are impulses, in the units of their own objective. */
static void multipliers_fit_the_next_objective(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("implicit-midpoint", 0.02, 1e-12);
    d.solver.method = "xpbd";
    d.gravity[1] = -9.8;
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material("hooke", 0);
    m.springStiffness = 50, m.density = 1;
    double x[15] = { 0 };
    for (int k = 0; k < 5; k++)
        x[3 * k + 1] = -0.1 * k;
    vvBodyId chain = add_edges(w, 5, x, 4, (int[]){ 0, 1, 1, 2, 2, 3, 3, 4 }, &m);
    vvAttachDef top = vvDefaultAttachDef();
    top.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = (int[]){ 0 }, .listCount = 1 };
    attach(w, chain, &top);
    assert_ok(vvWorldBake(w, &error));
    double *q = copy_of(vvWorldPositions(w), 15), *other = copy_of(q, 15);
    solve(w, "implicit-midpoint", 4, false, q);
    solve(w, "backward-euler", PLENTY, true, q);
    solve(w, "backward-euler", PLENTY, false, other);
    assert_less(distance(w, q, other), 1e-9);
    assert_less(1e-3, distance(w, q, vvWorldPositions(w)));
    free(q), free(other);
    vvWorldDestroy(w);
}

/* A point inside a plane with contact springs, or held by a potential. */
static vvWorld *point(const char *method, const char *form)
{
    vvError error = { 0 };
    vvWorldDef d = free_def("implicit-midpoint", 0.02, 1e-12);
    d.solver.method = method;
    d.gravity[1] = -9.8;
    d.contact.self = false;
    if (form) {
        d.contact.model = "springs", d.contact.springs.form = form, d.contact.springs.perVertex = true;
        d.contact.springs.stiffness = strcmp(form, "cubic") == 0 ? 1e6 : 1e4;
    }
    vvWorld *w = new_world(&d);
    vvMesh mesh = { .vertexCount = 1, .pointCount = 1, .positions = (double[]){ 0, -0.01, 0 }, .points = (int[]){ 0 } };
    vvBodyDef body = vvDefaultBodyDef();
    body.mesh = &mesh, body.material.model = "free", body.material.density = 0.5;
    vvBodyId id;
    assert_ok(vvWorldAddBody(w, &body, &id, &error));
    if (form) {
        obstacle(w, "plane", NULL, -1);
    } else {
        vvAttachDef a = vvDefaultAttachDef();
        a.where = (vvRegion){ .kind = VV_REGION_ALL };
        a.kind = VV_ATTACH_POTENTIAL, a.potential = "spring", shape_potential(&a, (double[]){ 0, 1, 0, 1e4, 0.9 });
        attach(w, id, &a);
    }
    assert_ok(vvWorldBake(w, &error));
    return w;
}

static void impulses_of_single_nodes_fit_it_too(void **state)
{
    (void)state;
    static const char *const forms[] = { "one-sided", "bilateral", "cubic", "following", NULL };
    for (int m = 0; m < 2; m++)
        for (int f = 0; f < 4; f++) {
            vvWorld *w = point(both[m], forms[f]);
            vv_springs_before before = { 0 };
            vv_stepper_reserve(w->stepper);
            vv_springs_begin(w->stepper, &before);
            double *q = copy_of(vvWorldPositions(w), 3), *other = copy_of(q, 3);
            solve(w, "implicit-midpoint", 20, false, q);
            assert_less(1e-4, distance(w, q, vvWorldPositions(w)));
            solve(w, "backward-euler", PLENTY, true, q);
            solve(w, "backward-euler", PLENTY, false, other);
            assert_less(distance(w, q, other), 1e-9);
            free(q), free(other);
            vvWorldDestroy(w);
        }
}

/* It begins where the first solve ended, but for half a step of gravity: a sweep from there is nothing like the first
 * of a new solve. The objective falls, and further than a new solve gets in one sweep. */
static void one_sweep_goes_down(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int m = 0; m < MODELS; m++) {
            vvWorld *w = bent(both[i], models[m]);
            double *q = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w)),
                   *anew = copy_of(q, 3 * vvWorldNodeCount(w));
            solve(w, "implicit-midpoint", 10, false, q);
            const double first = value(w, "backward-euler", q);
            vv_solve_stats stats = solve(w, "backward-euler", 1, true, q);
            solve(w, "backward-euler", 1, false, anew);
            const double last = value(w, "backward-euler", q), new = value(w, "backward-euler", anew);
            assert_int_equal(stats.iterations, 1);
            if (!(last < first && last < new &&stats.why == NULL))
                fail_msg("%s, %s: g %.9g, then %.9g; of a new solve %.9g", both[i], models[m], first, last, new);
            free(q), free(anew);
            vvWorldDestroy(w);
        }
}

/* Nothing is kept of an energy that is gone, nor of more than one sample. */
static void what_does_not_fit_begins_anew(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            vvWorld *w = bent(both[i], "stable-neo-hookean"), *fresh = bent(both[i], "stable-neo-hookean");
            double *q = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w)),
                   *anew = copy_of(q, 3 * vvWorldNodeCount(w));
            if (k == 0)
                solve(w, "avf-simpson", 5, false, q);
            vv_solve_stats on = solve(w, "backward-euler", 3, true, q);
            vv_solve_stats own = solve(fresh, "backward-euler", 3, false, anew);
            assert_int_equal(on.iterations, own.iterations);
            assert_memory_equal(q, anew, 3 * (size_t)vvWorldNodeCount(w) * sizeof *q);
            free(q), free(anew);
            vvWorldDestroy(w);
            vvWorldDestroy(fresh);
        }
}

/* ---- under blend ---- */

static vvWorld *blended(const char *method, const char *model, double young, int threads)
{
    vvWorldDef d = free_def("implicit-midpoint", 1.0 / 30, 0.01);
    d.solver.method = method;
    d.integrator.policy = "blend";
    d.threads = threads;
    return spinning_cube(&d, model, young, 3);
}

static void blend_takes_one_sweep_more(void **state)
{
    (void)state;
    const int count = sized(300, 1000, 10000);
    for (int i = 0; i < 2; i++)
        for (int m = 0; m < TETS; m += sized(2, 1, 1)) {
            vvError error = { 0 };
            vvWorld *w = blended(both[i], models[m], 5e4, 1);
            int acted = 0, whole = 0;
            for (int k = 0; k < count; k++) {
                vvStepReport report;
                assert_ok(vvWorldStep(w, &report, &error));
                const vvLedgerRow row = ledger(w);
                assert_less(off_target(&row), 0.01 * row.scale + 1e-12);
                acted += row.alpha > 0, whole += report.newtonIterations > 11;
            }
            const int64_t *memory = (const int64_t *)(const void *)w->state.policy.data;
            print_message("%s, %s: %d of %d steps blended, %d with a whole solve, %.2f energies each\n", both[i],
                          models[m], acted, count, whole, (double)memory[1] / (double)memory[0]);
            assert_in_range(acted, 5, count);
            assert_true(whole * 20 <= acted);
            /* StVK may turn inside out */
            assert_true(memory[1] <= (strcmp(models[m], "stvk") == 0 ? 4 : 3) * memory[0]);
            vvWorldDestroy(w);
        }
}

static void bits_depend_on_no_thread_and_on_no_break(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        vvWorld *a = blended(both[i], "stable-neo-hookean", 5e4, 1),
                *b = blended(both[i], "stable-neo-hookean", 5e4, 2);
        expect_same(a, b, 20, "one thread and two");
        vvWorld *fresh = blended(both[i], "stable-neo-hookean", 5e4, 1);
        expect_resumed(a, fresh, 20);
        vvWorldDestroy(a);
        vvWorldDestroy(b);
        vvWorldDestroy(fresh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_sweeps_that_go_on_end_at_the_minimum),
        cmocka_unit_test(multipliers_fit_the_next_objective),
        cmocka_unit_test(impulses_of_single_nodes_fit_it_too),
        cmocka_unit_test(one_sweep_goes_down),
        cmocka_unit_test(what_does_not_fit_begins_anew),
        cmocka_unit_test(blend_takes_one_sweep_more),
        cmocka_unit_test(bits_depend_on_no_thread_and_on_no_break),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
