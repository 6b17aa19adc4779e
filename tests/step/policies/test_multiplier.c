/* Energy as a constraint with a multiplier: against its closed form on the oscillator, on the energy's surface where
 * it converges, with word of where it does not. */
#include "policy_support.h"
#include "size.h"
#include "solve/vectors.h"
#include "step/inside.h"
#include "world/world.h"

static vvWorldDef multiplier_def(const char *scheme, double h, double tolerance)
{
    vvWorldDef d = free_def(scheme, h, tolerance);
    d.integrator.policy = "multiplier";
    return d;
}

/* Backward Euler on q'' = -k q with H = T: with x = h^2 k and mu = 1 / (1 + lambda), q = (q_n + mu h v_n) / (1 + x);
 * H is a quadratic in mu. */
static void lambda_is_the_root_of_the_oscillators_energy(void **unused)
{
    (void)unused;
    const double h = 0.05, m = 0.3, x = 0.3, k = x / (h * h), tight = 1e-10;
    vvWorldDef d = multiplier_def("backward-euler", h, 1e-11);
    d.integrator.settings = &(vvSetting){ "multiplier_tolerance", { tight } }, d.integrator.settingCount = 1;
    vvWorld *w = oscillator(&d, m, m * k, (double[]){ 1, 0.4, -0.2 });
    int roots = 0, none = 0, loose = 0;
    for (int i = 0; i < 200; i++) {
        vvError error = { 0 };
        double q[3], v[3], a = 0, b = 0, c = 0;
        memcpy(q, vvWorldPositions(w), sizeof q);
        memcpy(v, vvWorldVelocities(w), sizeof v);
        vvStepReport report;
        assert_ok(vvWorldStep(w, &report, &error));
        const vvLedgerRow row = ledger(w);
        for (int j = 0; j < 3; j++) { /* q' = s + mu t, v' = (q' - q) / h */
            double s = q[j] / (1 + x), t = h * v[j] / (1 + x);
            a += 0.5 * m * (k + 1 / (h * h)) * t * t;
            b += m * (k * s + (s - q[j]) / (h * h)) * t;
            c += 0.5 * m * (k * s * s + (s - q[j]) * (s - q[j]) / (h * h));
        }
        double discriminant = b * b - 4 * a * (c - row.target);
        if (discriminant < 0) { /* no point of the surface is reached so: it has to say so */
            assert_true(report.end != VV_SOLVE_CONVERGED && strstr(report.note, "multiplier"));
            none++;
            continue;
        }
        assert_int_equal(report.end, VV_SOLVE_CONVERGED);
        assert_less(off_target(&row), 1.001 * tight * row.scale);
        const double mu = (-b + sqrt(discriminant)) / (2 * a); /* continues mu = 1: g is least there */
        if (mu < 100) /* the surface is met, but lambda is loose where v_n is almost 0 */
            assert_near(1 / (1 + row.alpha) / mu, 1, 1e-6 + 2 * tight * row.scale / (sqrt(discriminant) * mu));
        for (int j = 0; j < 3; j++)
            assert_near(vvWorldPositions(w)[j], (q[j] + mu * h * v[j]) / (1 + x), 1e-8);
        roots += row.alpha != 0, loose += mu >= 100;
    }
    assert_in_range(loose, 0, 10);
    print_message("%d roots, %d steps without one\n", roots, none);
    assert_in_range(roots, 100, 200);
    vvWorldDestroy(w);
}

/* On the surface and stationary along it: the gradient of g has no part but that of H. */
static void a_step_is_a_stationary_point_of_the_surface(void **unused)
{
    (void)unused;
    static const char *const schemes[] = { "trapezoidal", "implicit-midpoint", "backward-euler", "bdf2",
                                           "theta",       "avf-simpson" };
    const int count = sized(15, 40, 200);
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
        vvError error = { 0 };
        vvWorldDef d = multiplier_def(schemes[k], 1.0 / 240, 1e-9);
        vvWorld *w = spinning_cube(&d, "corotated", 5e4, 2);
        vv_stepper *s = w->stepper;
        const size_t n = 3 * (size_t)vvWorldNodeCount(w);
        double *gradient = malloc(n * sizeof *gradient), *energy = malloc(n * sizeof *energy),
               *unknown = malloc(n * sizeof *unknown);
        int acted = 0;
        for (int i = 0; i < count; i++) {
            /* the objective of the step that comes, kept while the step uses the stepper's vectors for the same */
            const double c = vv_stepper_row(s)->stage[0].hv[VV_Q], h = d.timeStep;
            vvStepReport report;
            assert_ok(vvWorldStep(w, &report, &error));
            const vvLedgerRow row = ledger(w);
            assert_int_equal(report.end, VV_SOLVE_CONVERGED);
            assert_less(off_target(&row), 1.001e-6 * row.scale);
            if (row.alpha == 0)
                continue;
            vv_objective o; /* from q_n, which is the past by now */
            vv_state *state = &w->state, now = *state;
            state->q = now.q_previous, state->v = now.v_previous;
            /* needs the past before that, or a_n: not at hand any more */
            if (vv_stepper_row(s)->two_step || schemes[k][0] == 't') {
                *state = now;
                acted++;
                continue;
            }
            vv_scaled(n, h, state->v, s->hvn);
            s->g_old_valid = false;
            vv_stepper_objective(s, vv_stepper_row(s), &o);
            *state = now;
            vv_objective_derivatives(&o, state->q, VV_HESSIAN_EXACT, unknown, NULL);
            vv_unpack(&w->system, unknown, gradient);
            vv_system_gradient(&w->system, state->q, energy);
            double left = 0, size = 0;
            for (size_t j = 0; j < n; j++) {
                double force = h * h * row.alpha * (energy[j] + c / h * w->system.mass[j / 3] * state->v[j]);
                left += (gradient[j] + force) * (gradient[j] + force), size += gradient[j] * gradient[j];
            }
            s->g_old_valid = false;
            assert_less(left, 1e-4 * size);
            acted++;
        }
        assert_in_range(acted, 3, count);
        free(gradient);
        free(energy);
        free(unknown);
        vvWorldDestroy(w);
    }
}

/* A soft cube keeps its energy for long, and loses its spin: nobody keeps the momenta. */
static void a_spinning_cube_keeps_its_energy_and_loses_its_spin(void **unused)
{
    (void)unused;
    const int count = sized(150, 400, 3000);
    vvWorldDef d = multiplier_def("trapezoidal", 1.0 / 30, 0.01);
    vvWorld *w = spinning_cube(&d, "corotated", 5e4, 3);
    vvLedgerRow row = ledger(w);
    const double spin = angular(&row), start = row.total;
    int converged = 0;
    for (int i = 0; i < count; i++) {
        vvError error = { 0 };
        vvStepReport report;
        assert_ok(vvWorldStep(w, &report, &error));
        row = ledger(w);
        bool on = off_target(&row) <= 1.001e-6 * row.scale;
        assert_true(on == (report.end == VV_SOLVE_CONVERGED) || report.end == VV_SOLVE_ITERATION_LIMIT);
        assert_true(report.end == VV_SOLVE_CONVERGED || strstr(report.note, "multiplier"));
        converged += on;
    }
    print_message("%d of %d steps on the surface; |L| %.3g of the start's\n", converged, count, angular(&row) / spin);
    assert_near(row.total, start, 1e-3 * start);
    assert_in_range(converged, count * 9 / 10, count);
    vvWorldDestroy(w);
}

static void where_the_scheme_is_on_target_it_does_nothing(void **unused)
{
    (void)unused;
    vvWorldDef d = multiplier_def("trapezoidal", 0.05, 1e-12), plain = d;
    plain.integrator.policy = "none";
    vvWorld *w = oscillator(&d, 0.3, 400, (double[]){ 1, 0.4, -0.2 }),
            *p = oscillator(&plain, 0.3, 400, (double[]){ 1, 0.4, -0.2 });
    for (int i = 0; i < 50; i++) {
        vvLedgerRow row = step(w), other = step(p);
        assert_true(row.alpha == 0 && row.policyChange == 0 && row.linearSolves == other.linearSolves);
        assert_memory_equal(vvWorldPositions(w), vvWorldPositions(p), 3 * sizeof(double));
    }
    vvWorldDestroy(w);
    vvWorldDestroy(p);
}

static void it_does_not_invert_and_resumes(void **unused)
{
    (void)unused;
    const int count = sized(25, 60, 200);
    vvWorldDef d = multiplier_def("trapezoidal", 1.0 / 120, 1e-5);
    vvWorld *a = spinning_cube(&d, "neo-hookean", 2e4, 2), *b = spinning_cube(&d, "neo-hookean", 2e4, 2);
    int acted = 0, on = 0;
    for (int i = 0; i < count; i++) {
        const vvLedgerRow before = ledger(a), row = step(a);
        step(b);
        assert_true(same_world(a, b) && row.minJ > 0);
        assert_booked(&before, &row);
        acted += row.alpha != 0;
        on += off_target(&row) <= 1.001e-6 * row.scale;
    }
    print_message("%d steps, %d acted, %d on target\n", count, acted, on);
    assert_in_range(acted, 5, count);
    assert_in_range(on, count / 2, count);
    expect_resumed(a, b, sized(10, 20, 60));
    vvWorldDestroy(a);
    vvWorldDestroy(b);
}

/* Where bodies meet, any place with the right energy is none that one may choose from. */
static void it_is_refused_in_contact(void **unused)
{
    (void)unused;
    vvError error = { 0 };
    vvWorldDef d = multiplier_def("trapezoidal", 1.0 / 120, 1e-5);
    d.contact.model = "barrier";
    vvWorld *w = spinning_cube(&d, "neo-hookean", 2e4, 2); /* alone it meets nothing */
    obstacle(w, "plane", (double[]){ 0, -1, 0, 0, 1, 0 }, 0);
    assert_int_equal(vvWorldBake(w, &error), VV_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "it keeps no momenta, and bodies that meet may end up anywhere"));
    vvWorldDestroy(w);
}

/* A target below the least energy of any end that the scheme's velocity allows. */
static void where_the_surface_is_empty_it_says_so(void **unused)
{
    (void)unused;
    vvKey decay = { 0, 1e-3 }; /* s: the target falls to nothing in one step */
    vvWorldDef d = multiplier_def("trapezoidal", 1.0 / 60, 1e-8);
    d.integrator.decayKeys = &decay, d.integrator.decayKeyCount = 1;
    vvWorld *w = spinning_cube(&d, "corotated", 5e4, 2);
    const double first = ledger(w).total;
    for (int i = 0; i < 3; i++) {
        vvError error = { 0 };
        vvStepReport report;
        assert_ok(vvWorldStep(w, &report, &error));
        const vvLedgerRow row = ledger(w);
        assert_true(report.end == VV_SOLVE_STALLED || report.end == VV_SOLVE_ITERATION_LIMIT);
        assert_non_null(strstr(report.note, "multiplier: the constrained equations"));
        assert_less(row.total, first);
        assert_less(1e-6 * row.scale, row.total - row.target);
    }
    vvWorldDestroy(w);
}

static vvWorld *hosted(asked *host)
{
    vvWorldDef d = multiplier_def("implicit-midpoint", 1.0 / 30, 1e-6);
    vvWorld *w = spinning_cube(&d, "corotated", 5e4, 2);
    vvWorldSetCancel(w, asked_answer, host);
    return w;
}

static void a_step_that_is_cancelled_changes_nothing(void **unused)
{
    (void)unused;
    asked one = { 0 }, other = { 0 };
    vvWorld *w = hosted(&one), *calm = hosted(&other);
    expect_restored(w, &one, calm, 8);
    vvWorldDestroy(w);
    vvWorldDestroy(calm);
}

static void work_of_drags_and_damping_are_booked(void **unused)
{
    (void)unused;
    static const double tolerances[] = { 1e-6, 1e-6, 1e-13 };
    for (int run = 0; run < 3; run++) {
        const int kind = run > 0;
        const double tolerance = tolerances[run];
        vvError error = { 0 };
        vvWorldDef d = multiplier_def("trapezoidal", 1.0 / 60, 1e-6);
        d.gravity[1] = -9.8;
        d.integrator.settings = &(vvSetting){ "multiplier_tolerance", { tolerance } }, d.integrator.settingCount = 1;
        vvWorld *w = new_world(&d);
        vvMaterialDef m = material("fixed-corotated", 2e4);
        m.damping.drag = 0.2;
        vvBodyId id = add_cube(w, 0.1, 2, &m);
        vvAttachDef a = vvDefaultAttachDef();
        a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 100, 0 }, .b = { 100, 100, 100 } };
        a.kind = kind ? VV_ATTACH_FIXED : VV_ATTACH_SPRING;
        a.stiffness = 200;
        a.motion.linearVelocity[0] = 0.4;
        attach(w, id, &a);
        assert_ok(vvWorldBake(w, &error));
        double work = 0, damping = 0;
        int on = 0;
        for (int i = 0; i < 60; i++) {
            vvStepReport report;
            const vvLedgerRow before = ledger(w);
            assert_ok(vvWorldStep(w, &report, &error));
            const vvLedgerRow row = ledger(w);
            assert_booked(&before, &row);
            assert_near(row.target, before.target + row.work - row.damping, 1e-12 * row.scale);
            const bool near = off_target(&row) <= 1.001 * tolerance * row.scale + 1e-15;
            assert_true(near || strstr(report.note, "multiplier: "));
            on += near;
            work += row.work, damping += row.damping;
        }
        print_message("%s: %d of 60 steps on target, work %.3g J, damping %.3g J\n", kind ? "fixed" : "spring", on,
                      work, damping);
        assert_in_range(on, run < 2 ? 60 : 1, run < 2 ? 60 : 59); /* as near as that is too much to ask */
        assert_less(0.01, fabs(work));
        assert_less(1e-4, damping);
        vvWorldDestroy(w);
    }
}

static void it_refuses_schemes_of_no_or_several_minimisations(void **unused)
{
    (void)unused;
    for (int i = 0; vvSchemeInfo(i); i++) {
        const vv_scheme made = vv_scheme_made(vvSchemeInfo(i)->name, NULL, 0), *row = &made;
        vvError error = { 0 };
        vvWorldDef d = multiplier_def(row->info.name, 1.0 / 60, 1e-6);
        vvWorld *w = NULL;
        vvStatus status = vvWorldCreate(&d, &w, &error);
        if (row->stages == 1 && row->stage[0].samples > 0 && !row->method)
            assert_ok(status);
        else
            expect(status, VV_ERROR_INPUT, &error,
                   row->method       ? "its own equations"
                   : row->stages > 1 ? "has several"
                                     : "has none");
        vvWorldDestroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lambda_is_the_root_of_the_oscillators_energy),
        cmocka_unit_test(a_step_is_a_stationary_point_of_the_surface),
        cmocka_unit_test(a_spinning_cube_keeps_its_energy_and_loses_its_spin),
        cmocka_unit_test(where_the_scheme_is_on_target_it_does_nothing),
        cmocka_unit_test(it_does_not_invert_and_resumes),
        cmocka_unit_test(it_is_refused_in_contact),
        cmocka_unit_test(where_the_surface_is_empty_it_says_so),
        cmocka_unit_test(a_step_that_is_cancelled_changes_nothing),
        cmocka_unit_test(work_of_drags_and_damping_are_booked),
        cmocka_unit_test(it_refuses_schemes_of_no_or_several_minimisations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
