/* The solver "optimizer": it ends where Newton's method does, under every
 * scheme with a stage to minimise; starts at the best of its guesses; brings
 * every material that stands inversion out of total randomness and out of a
 * single point at 24 steps a second, where plain Newton steps are lost; goes on
 * from negative curvature; ends where few enough forces are left; never leaves
 * g higher; the same bits for any number of threads. */
#include "budget_support.h"
#include "size.h"

#include "solve/newton/optimizer.h"
#include "solve/newton/turn.h"
#include "solve/vectors.h"
#include "step/inside.h"
#include "world/world.h"

/* Materials that have an energy wherever their nodes are. */
static const char *const bold[] = { "arap", "corotated", "fixed-corotated", "stvk", "stable-neo-hookean" };
enum { BOLD = sizeof bold / sizeof *bold };

/* ---- the same minimum as Newton's method ---- */

static vvWorld *sagging(const char *method, const char *scheme, const char *model)
{
    vvWorldDef d = def_of(method, scheme);
    vvWorld *w = new_world(&d);
    hold(w, add_bar(w, model, 2e4, 3));
    return w;
}

static void it_ends_where_newton_does(void **state)
{
    (void)state;
    const int count = sized(3, 6, 10);
    int tried = 0;
    for (int i = 0; vvSchemeInfo(i); i++) {
        const vv_scheme *row = vv_scheme_find(vvSchemeInfo(i)->name);
        const char *model = material_for("optimizer", tried % 8);
        if (row->method || vv_stage_explicit(row->stage + row->stages - 1))
            continue;
        tried++;
        vvWorld *a = sagging("optimizer", row->info.name, model), *b = sagging("newton", row->info.name, model);
        for (int k = 0; k < count; k++) {
            vvStepReport report;
            vvError error = { 0 };
            assert_ok(vvWorldStep(a, &report, &error));
            step(b);
            assert_int_equal(report.end, VV_SOLVE_CONVERGED);
            assert_string_equal(report.solver, "optimizer");
        }
        for (int k = 0; k < 3 * vvWorldNodeCount(a); k++)
            if (!(fabs(vvWorldPositions(a)[k] - vvWorldPositions(b)[k]) < 1e-7))
                fail_msg("%s with %s: %g m off", row->info.name, model,
                         fabs(vvWorldPositions(a)[k] - vvWorldPositions(b)[k]));
        vvWorldDestroy(a);
        vvWorldDestroy(b);
    }
    assert_true(tried >= 5);
}

/* A stiff, heavy bar beside a soft, light one: the way to the minimum is far from the steepest, and taken all the
 * same. */
static void unlike_bodies_take_no_longer(void **state)
{
    (void)state;
    static const char *const linear[] = { "pcg", "pcg-jacobi", "cholesky" };
    vvWorld *truth = NULL;
    int least = 0;
    for (int k = 0; k <= 3; k++) {
        vvWorldDef d = def_of(k ? "optimizer" : "newton", "backward-euler");
        d.timeStep = 1 / 24.0;
        d.solver.tolerance = 1e-4;
        d.solver.linear = linear[k ? k - 1 : 0];
        vvWorld *w = new_world(&d);
        int taken = 0;
        for (int hard = 0; hard < 2; hard++) {
            vvBodyDef body = vvDefaultBodyDef();
            body.material = material("fixed-corotated", hard ? 1e9 : 2e3);
            body.material.density = hard ? 7000 : 100;
            body.translate[2] = hard; /* m apart */
            hold(w, add_box_def(w, (double[]){ 0.3, 0.1, 0.1 }, (int[]){ 3, 1, 1 }, 5, &body));
        }
        for (int i = 0; i < 3; i++) {
            vvStepReport report;
            vvError error = { 0 };
            assert_ok(vvWorldStep(w, &report, &error));
            assert_int_equal(report.end, VV_SOLVE_CONVERGED);
            taken += report.newtonIterations;
        }
        if (k == 0) {
            truth = w, least = taken;
            continue;
        }
        assert_less(taken, 3 * least + 6);
        assert_less(mass_distance(w, vvWorldPositions(w), vvWorldPositions(truth)), 1e-5);
        vvWorldDestroy(w);
    }
    vvWorldDestroy(truth);
}

/* With contact and friction: the barrier's steps are filtered, and what is left
 * of its forces is as little as with Newton's method. */
static void contact_is_no_hindrance(void **state)
{
    (void)state;
    vvWorld *w[2];
    for (int k = 0; k < 2; k++) {
        vvWorldDef d = vvDefaultWorldDef();
        d.threads = 1;
        d.solver.method = k ? "optimizer" : "newton";
        d.solver.tolerance = 1e-6;
        d.contact.friction = 0.2;
        w[k] = new_world(&d);
        vvMaterialDef m = material("stable-neo-hookean", 1e5);
        vvBodyId cube = add_cube(w[k], 0.1, 2, &m);
        set_state(w[k], cube, "linear", (double[]){ 1, -1, 0 });
        obstacle(w[k], "plane", (double[]){ 0, -0.06, 0, 0, 1, 0 }, 0.2);
        steps(w[k], sized(12, 20, 40));
    }
    assert_less(mass_distance(w[0], vvWorldPositions(w[0]), vvWorldPositions(w[1])), 1e-5);
    vvWorldDestroy(w[0]);
    vvWorldDestroy(w[1]);
}

/* ---- where it starts ---- */

static double value_with(const vv_objective *o, const double *free_nodes, const double *q)
{
    const vv_system *s = o->system;
    double *x = copy_of(q, 3 * s->nodes);
    for (int i = 0; i < 3 * s->nodes; i++)
        x[i] = s->unknown[i / 3] >= 0 ? free_nodes[i] : q[i];
    const double value = vv_objective_value(o, x);
    free(x);
    return value;
}

/* At a short step the explicit guess is best, at a long one where inertia alone would take the body; if that strains
 * a stiff one, by shear or as it turns, the rigid motion. */
static void the_best_guess_is_taken(void **state)
{
    (void)state;
    static const struct {
        double young, h;
        bool shear, spin;
        int best;
    } rows[] = { { 1e3, 1e-3, true, false, 2 },
                 { 1e6, 0.04, false, false, 1 },
                 { 1e6, 0.04, true, false, 3 },
                 { 1e6, 0.04, false, true, 3 } };
    for (int r = 0; r < 4; r++) {
        vvError error = { 0 };
        vvWorldDef d = def_of("optimizer", "backward-euler");
        d.gravity[1] = 0;
        vvWorld *w = new_world(&d);
        add_bar(w, "fixed-corotated", rows[r].young, 2);
        assert_ok(vvWorldBake(w, &error));
        vv_system *s = &w->system;
        const int n = 3 * s->nodes;
        double *begin = copy_of(vvWorldPositions(w), n), *y = copy_of(begin, n), *to = copy_of(begin, n),
               *q = copy_of(begin, n);
        for (int i = 0; i < n; i++) { /* strained at the start, with velocities that
                                         shear or do not */
            begin[i] += 1e-3 * sin(5.0 * i);
            y[i] = begin[i] + rows[r].h * 0.1 * cos(rows[r].shear ? 3.0 * i : i % 3);
            q[i] = begin[i];
        }
        for (int i = 0; rows[r].spin && i < n; i += 3) { /* 25 radians a second about z */
            y[i] = begin[i] - 25 * rows[r].h * begin[i + 1];
            y[i + 1] = begin[i + 1] + 25 * rows[r].h * begin[i];
            y[i + 2] = begin[i + 2];
        }
        vv_objective o = {
            .system = s, .h = rows[r].h, .y = y, .samples = 1, .sample = { { 1, 1, NULL } }, .begin = begin
        };
        vv_system_gradient(s, begin, to);
        for (int i = 0; i < n; i++)
            to[i] = y[i] - o.h * o.h * to[i] / s->mass[i / 3];
        double *rigid = copy_of(begin, n);
        vv_turn_towards(s, begin, y, true, rigid);
        const double values[] = { vv_objective_value(&o, q), value_with(&o, y, q), value_with(&o, to, q),
                                  value_with(&o, rigid, q) };
        double value = values[0], least = fmin(fmin(values[0], values[1]), fmin(values[2], values[3]));
        int evaluations = 0;
        vv_optimizer_start(&o, true, q, &value, &evaluations);
        assert_int_equal(evaluations, 3);
        assert_near(values[rows[r].best], least, 1e-12 * fabs(least)); /* the row is what it says */
        assert_near(value, least, 1e-9 * vv_objective_magnitude(&o, q));
        assert_near(vv_objective_value(&o, q), value, 1e-9 * vv_objective_magnitude(&o, q));
        free(begin), free(y), free(to), free(q), free(rigid);
        vvWorldDestroy(w);
    }
}

/* ---- tangled starts ---- */

/* With a ground far below the optimiser has to find its way through the tangle: where there is something to touch, it
 * does not try shapes at rest. */
static vvWorld *tangled_over(bool ground, const char *linear, const char *method, const char *model, const char *start,
                             double young, int cells, int threads)
{
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 1.0 / 24, 1e-3);
    if (ground) {
        d.contact.model = "penalty";
        d.contact.self = false;
    }
    d.solver.method = method;
    d.solver.linear = linear;
    d.solver.maxIterations = 3000;
    d.threads = threads;
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material(model, young);
    m.poisson = 0.45;
    vvBodyId cube = add_cube(w, 1, cells, &m);
    if (ground)
        obstacle(w, "plane", (double[]){ 0, -100, 0, 0, 1, 0 }, -1);
    /* materials without a rotation in them have no forces in a point, but next to
     * it */
    const double noise = strcmp(model, "stvk") == 0 || strcmp(model, "stable-neo-hookean") == 0 ? 1e-2 : 0;
    set_state(w, cube, start, strcmp(start, "collapsed") == 0 ? (double[]){ 0, 0, 0, noise } : NULL);
    assert_ok(vvWorldBake(w, &error));
    return w;
}

static vvWorld *tangled_with(const char *linear, const char *method, const char *model, const char *start, double young,
                             int cells, int threads)
{
    return tangled_over(strcmp(method, "optimizer") == 0, linear, method, model, start, young, cells, threads);
}

static vvWorld *tangled(const char *method, const char *model, const char *start, double young, int cells, int threads)
{
    return tangled_with("pcg", method, model, start, young, cells, threads);
}

/* As the paper has it: the same minimum where the start is near it; out of a tangle it comes, too, in more solves, as
 * it has neither shapes at rest nor turns, and goes along what conjugate gradients had found. */
static void the_papers_way_takes_more_solves(void **state)
{
    (void)state;
    vvError error = { 0 };
    const char *scheme = "backward-euler", *model = "fixed-corotated";
    vvWorld *a = sagging("optimizer", scheme, model), *b = sagging("optimizer-paper", scheme, model);
    steps(a, 5), steps(b, 5);
    for (int i = 0; i < 3 * vvWorldNodeCount(a); i++)
        assert_near(vvWorldPositions(a)[i], vvWorldPositions(b)[i], 1e-5);
    vvWorldDestroy(a);
    vvWorldDestroy(b);
    for (int k = 0; k < 2; k++) {
        vvStepReport report[2];
        for (int paper = 0; paper < 2; paper++) {
            vvInverted inverted;
            vvWorld *w = tangled_over(false, "pcg", paper ? "optimizer-paper" : "optimizer", model,
                                      k ? "collapsed" : "random", 1e7, sized(3, 4, 6), 1);
            assert_ok(vvWorldStep(w, &report[paper], &error));
            vvWorldInverted(w, &inverted);
            print_message("%s, %s: %d solves, end %d, %d inverted\n", k ? "collapsed" : "random",
                          paper ? "paper" : "own", report[paper].newtonIterations, (int)report[paper].end,
                          inverted.tets);
            vvWorldDestroy(w);
        }
        assert_less(2 * report[0].newtonIterations, report[1].newtonIterations);
    }
}

static void it_brings_order_into_chaos(void **state)
{
    (void)state;
    static const char *const starts[] = { "random", "collapsed" };
    static const double young[] = { 1e3, 1e5, 1e7 };
    for (int m = 0; m < BOLD; m++)
        for (int k = 0; k < 2; k++)
            for (int y = m == 2 ? 0 : 1; y < (m == 2 ? 3 : 2); y++) {
                vvError error = { 0 };
                vvStepReport report;
                vvWorld *w = tangled("optimizer", bold[m], starts[k], young[y], sized(3, 4, 6), 1);
                const double before = ledger(w).elastic;
                for (int i = 0; i < 3; i++) {
                    assert_ok(vvWorldStep(w, &report, &error));
                    if (report.end != VV_SOLVE_CONVERGED)
                        fail_msg("%s, %s, E = %g Pa: step %d ends %d after %d iterations", bold[m], starts[k], young[y],
                                 i, (int)report.end, report.newtonIterations);
                }
                if (!(ledger(w).elastic < (young[y] > 1e3 ? 0.5 : 1) * before))
                    fail_msg("%s, %s, E = %g Pa: %g J of %g J left", bold[m], starts[k], young[y], ledger(w).elastic,
                             before);
                vvWorldDestroy(w);
            }
}

/* The fixed-corotated material has few minima where tets are inside out: no tet
 * is left so, and of a stiff cube not even after a step. */
static void cubes_come_back(void **state)
{
    (void)state;
    static const struct {
        double young;
        int steps;
    } rows[] = { { 1e5, 40 }, { 1e7, 1 } };
    for (int k = 0; k < 2; k++)
        for (int r = 0; r < 2; r++) {
            vvWorld *w =
                tangled("optimizer", "fixed-corotated", k ? "collapsed" : "random", rows[r].young, sized(3, 4, 8), 1);
            vvInverted inverted;
            steps(w, rows[r].steps);
            vvWorldInverted(w, &inverted);
            assert_int_equal(inverted.tets, 0);
            vvWorldDestroy(w);
        }
}

/* A stiff cube is out of its tangle in few iterations, though its minimum is far off: it has to turn as a whole,
 * too. */
static void a_stiff_tangle_takes_few_solves(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        vvError error = { 0 };
        vvStepReport report;
        vvWorld *w = tangled("optimizer", "fixed-corotated", k ? "collapsed" : "random", 1e7, sized(4, 6, 8), 1);
        assert_ok(vvWorldStep(w, &report, &error));
        assert_int_equal(report.end, VV_SOLVE_CONVERGED);
        assert_less(report.newtonIterations, k ? 30 : 20); /* the ground, which it does not touch, changes nothing */
        vvWorldDestroy(w);
    }
}

/* Where nothing is there to touch, a stiff cube goes to its shape at rest, where that is least far from where inertia
 * takes it. */
static void stiff_bodies_come_back_at_once(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        vvError error = { 0 };
        vvStepReport report;
        vvInverted inverted;
        vvWorld *w = tangled_over(false, "pcg", "optimizer", "fixed-corotated", k ? "collapsed" : "random", 1e7,
                                  sized(4, 6, 8), 1);
        assert_ok(vvWorldStep(w, &report, &error));
        assert_int_equal(report.end, VV_SOLVE_CONVERGED);
        vvWorldInverted(w, &inverted);
        assert_int_equal(inverted.tets, 0);
        assert_less(report.newtonIterations, 20);
        vvWorldDestroy(w);
    }
}

/* Where a factorisation finds that the exact Hessian is not definite the projected one takes its place, too: no
 * diagonal is shifted again and again. */
static void factorisations_are_few_in_a_tangle(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        vvError error = { 0 };
        vvStepReport report;
        vvWorld *w = tangled_with("cholesky", "optimizer", "fixed-corotated", k ? "collapsed" : "random", 1e7, 4, 1);
        assert_ok(vvWorldStep(w, &report, &error));
        assert_int_equal(report.end, VV_SOLVE_CONVERGED);
        assert_less(report.linearSolves, 2 * report.newtonIterations);
        assert_less(report.newtonIterations, 150);
        vvWorldDestroy(w);
    }
}

/* A stiff block that spins fast: at 24 steps a second it turns by a radian in a step, and Newton's method alone goes
 * there in small steps. */
static void spins_take_few_solves(void **state)
{
    (void)state;
    int taken[2] = { 0, 0 };
    for (int k = 0; k < 2; k++) {
        vvWorldDef d = free_def("backward-euler", 1.0 / 24, 1e-3);
        d.solver.method = k ? "newton" : "optimizer";
        vvWorld *w = new_world(&d);
        vvBodyDef body = vvDefaultBodyDef();
        body.material = material("fixed-corotated", 1e7);
        vvBodyId block = add_box_def(w, (double[]){ 0.2, 0.3, 0.4 }, (int[]){ 2, 3, 4 }, 5, &body);
        set_state(w, block, "angular", (double[]){ 0, 25, 0, NAN, NAN, NAN });
        for (int i = 0; i < 4; i++) {
            vvError error = { 0 };
            vvStepReport report;
            assert_ok(vvWorldStep(w, &report, &error));
            assert_int_equal(report.end, VV_SOLVE_CONVERGED);
            taken[k] += report.newtonIterations;
        }
        vvWorldDestroy(w);
    }
    if (!(3 * taken[0] < 2 * taken[1]))
        fail_msg("%d iterations, Newton's method %d", taken[0], taken[1]);
}

/* A full Newton step and no more, 20 times: energies beyond all measure, or a
 * body as tangled as before. */
static void plain_newton_steps_are_lost(void **state)
{
    (void)state;
    for (int y = 0; y < 2; y++) {
        vvError error = { 0 };
        vvWorld *w = tangled("linearised", "fixed-corotated", "random", y ? 1e7 : 1e5, 4, 1);
        const double before = ledger(w).elastic;
        bool failed = false;
        for (int i = 0; i < 20 && !failed; i++)
            failed = vvWorldStep(w, NULL, &error) != VV_OK;
        assert_true(failed || ledger(w).elastic > 1e6 * before);
        vvWorldDestroy(w);
    }
}

/* ---- one objective ---- */

/* The norm of the forces left over, N. */
static double force_at(const vv_objective *o, const double *q)
{
    const vv_system *s = o->system;
    double *g = malloc(vv_unknown_space(s) * sizeof *g), sum = 0;
    vv_objective_derivatives(o, q, VV_HESSIAN_EXACT, g, NULL);
    for (size_t i = 0; i < vv_unknown_space(s); i++)
        sum += g[i] * g[i];
    free(g);
    return sqrt(sum) / (o->h * o->h);
}

/* From wild starts g goes down to where forces are below what is asked for,
 * both with it and with Newton's method; with one sample and with two; and with
 * every linear solver. */
static void forces_end_the_solve(void **state)
{
    (void)state;
    static const char *const methods[] = { "optimizer", "newton" };
    for (int method = 0; method < 2; method++)
        for (int linear = 0; vvLinearSolverInfo(linear); linear++)
            for (int m = 0; m < BOLD; m++) {
                vvError error = { 0 };
                vvWorldDef d = def_of(methods[method], "backward-euler");
                d.solver.linear = vvLinearSolverInfo(linear)->name;
                vvWorld *w = new_world(&d);
                hold(w, add_bar(w, bold[m], 2e4, 3));
                assert_ok(vvWorldBake(w, &error));
                const int n = 3 * vvWorldNodeCount(w);
                double *q = copy_of(vvWorldPositions(w), n), *y = copy_of(q, n), *z = copy_of(q, n);
                for (int i = 0; i < n; i++) {
                    q[i] += w->system.unknown[i / 3] >= 0 ? 0.1 * sin(7.0 * i) : 0;
                    y[i] += 0.05 * cos(5.0 * i);
                    z[i] *= 0.5;
                }
                const vv_objective o = { .system = &w->system,
                                         .h = 0.04,
                                         .y = y,
                                         .samples = 1 + m % 2,
                                         .sample = { { 1, 1, NULL }, { 0.5, 0.5, z } } };
                vv_solve_options options = w->stepper->options;
                vv_solve_stats stats = { 0 };
                options.force_tolerance = 1e-4, options.tolerance = 1e-30;
                const double before = vv_objective_value(&o, q);
                assert_ok(w->stepper->solver->ops->minimise(w->stepper->solver, &o, q, NULL, &options, &stats, &error));
                if (stats.end != VV_SOLVE_CONVERGED || !(force_at(&o, q) < 1e-4))
                    fail_msg("%s with %s, %s: end %d, %g N after %d iterations (%s)", methods[method], d.solver.linear,
                             bold[m], (int)stats.end, force_at(&o, q), stats.iterations, stats.why ? stats.why : "");
                assert_true(vv_objective_value(&o, q) <= before);
                assert_true(stats.linear_solves >= stats.iterations - 1 && stats.line_search_steps >= stats.iterations);
                /* nothing is left to do, but one iteration there is */
                stats = (vv_solve_stats){ 0 };
                options.goes_on = true;
                assert_ok(w->stepper->solver->ops->minimise(w->stepper->solver, &o, q, NULL, &options, &stats, &error));
                assert_int_equal(stats.end, VV_SOLVE_CONVERGED);
                assert_int_equal(stats.iterations, 1);
                free(q), free(y), free(z);
                vvWorldDestroy(w);
            }
}

/* ---- bits ---- */

static void threads_change_no_bit(void **state)
{
    (void)state;
    vvWorld *w[2];
    for (int k = 0; k < 2; k++) {
        w[k] = tangled("optimizer", "fixed-corotated", "random", 1e4, sized(5, 6, 8), 1 + k);
        steps(w[k], 2);
    }
    const size_t bytes = 3 * (size_t)vvWorldNodeCount(w[0]) * sizeof(double);
    assert_memory_equal(vvWorldPositions(w[0]), vvWorldPositions(w[1]), bytes);
    assert_memory_equal(vvWorldVelocities(w[0]), vvWorldVelocities(w[1]), bytes);
    vvWorldDestroy(w[0]);
    vvWorldDestroy(w[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_ends_where_newton_does),
        cmocka_unit_test(contact_is_no_hindrance),
        cmocka_unit_test(the_best_guess_is_taken),
        cmocka_unit_test(the_papers_way_takes_more_solves),
        cmocka_unit_test(it_brings_order_into_chaos),
        cmocka_unit_test(cubes_come_back),
        cmocka_unit_test(a_stiff_tangle_takes_few_solves),
        cmocka_unit_test(stiff_bodies_come_back_at_once),
        cmocka_unit_test(factorisations_are_few_in_a_tangle),
        cmocka_unit_test(spins_take_few_solves),
        cmocka_unit_test(plain_newton_steps_are_lost),
        cmocka_unit_test(forces_end_the_solve),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(unlike_bodies_take_no_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
