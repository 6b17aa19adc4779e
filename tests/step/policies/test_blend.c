/* Blending: alpha against its closed form on the oscillator, the spinning cube that the scheme alone does not
 * survive, contact and Neo-Hookean bodies, decay, drags, and which schemes it refuses. */
#include "policy_support.h"
#include "size.h"
#include "world/world.h"

#include <stdbool.h>

static vvWorldDef blend_def(const char *scheme, double h, double tolerance, const vvSetting *settings, int count)
{
    vvWorldDef d = free_def(scheme, h, tolerance);
    d.integrator.policy = "blend";
    d.integrator.settings = settings;
    d.integrator.settingCount = count;
    return d;
}

/* What the policy remembers: how often it searched, and the energies that took. */
static double evaluations_a_search(const vvWorld *w)
{
    const int64_t *m = (const int64_t *)(const void *)w->state.policy.data;
    assert_true(m[0] > 0);
    return (double)m[1] / (double)m[0];
}

/* ---- the oscillator ---- */

typedef struct state {
    double q[3], v[3];
} state;

/* The schemes on q'' = -k q, k = omega^2, written down. */
static void oscillate(const state *s, double k, double h, state *symplectic, state *backward, state *forward)
{
    for (int i = 0; i < 3; i++) {
        const double q = s->q[i], v = s->v[i];
        symplectic->v[i] = v - h * k * q, symplectic->q[i] = q + h * symplectic->v[i];
        backward->q[i] = (q + h * v) / (1 + h * h * k), backward->v[i] = (backward->q[i] - q) / h;
        forward->q[i] = q + h * v, forward->v[i] = v - h * k * q;
    }
}

static state between(const state *a, const state *b, double part)
{
    state s;
    for (int i = 0; i < 3; i++)
        s.q[i] = a->q[i] + part * (b->q[i] - a->q[i]), s.v[i] = a->v[i] + part * (b->v[i] - a->v[i]);
    return s;
}

static double energy(const state *s, double m, double k)
{
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += 0.5 * m * (s->v[i] * s->v[i] + k * s->q[i] * s->q[i]);
    return sum;
}

/* The part of b at which the quadratic energy is T; 1 where there is none. */
static double exact_part(const state *a, const state *b, double m, double k, double target)
{
    state half = between(a, b, 0.5);
    double e0 = energy(a, m, k) - target, e1 = energy(b, m, k) - target, middle = energy(&half, m, k) - target;
    double square = 2 * (e0 + e1) - 4 * middle, linear = e1 - e0 - square;
    if (e0 * e1 >= 0)
        return fabs(e1) < fabs(e0) || e0 > 0 ? 1 : 0;
    double r = sqrt(linear * linear - 4 * square * e0), first = 2 * e0 / (-linear + r), second = 2 * e0 / (-linear - r);
    return first >= 0 && first <= 1 ? first : second;
}

static void alpha_is_the_root_of_the_oscillators_energy(void **unused)
{
    (void)unused;
    enum { STEPS = 150 };
    const double h = 0.05, m = 0.3, x = 0.7, k = x / (h * h);
    for (int search = 0; search < 2; search++) {
        const vvSetting settings[] = { { "epsilon", { 1e-9 } },
                                       { .name = "blend_search", .choice = search ? "bisection" : "secant" } };
        vvWorldDef d = blend_def("symplectic-euler", h, 1e-12, settings, 2);
        vvWorld *w = oscillator(&d, m, m * k, (double[]){ 1, 0.4, -0.2 });
        int to_backward = 0, to_forward = 0;
        for (int i = 0; i < STEPS; i++) {
            state now, a, backward, forward;
            memcpy(now.q, vvWorldPositions(w), sizeof now.q);
            memcpy(now.v, vvWorldVelocities(w), sizeof now.v);
            oscillate(&now, k, h, &a, &backward, &forward);
            vvLedgerRow row = step(w);
            bool above = energy(&a, m, k) > row.target;
            const state *b = above ? &backward : &forward;
            double part = exact_part(&a, b, m, k, row.target);
            assert_near(row.alpha, above ? part : -part, 1e-6);
            assert_less(off_target(&row), part < 1 ? 1.0001e-9 * row.scale : row.scale);
            state end = between(&a, b, fabs(row.alpha));
            for (int j = 0; j < 3; j++) {
                assert_near(vvWorldPositions(w)[j], end.q[j], 1e-9);
                assert_near(vvWorldVelocities(w)[j], end.v[j], 1e-8);
            }
            to_backward += row.alpha > 0 && row.alpha < 1, to_forward += row.alpha < 0;
        }
        assert_in_range(to_backward, STEPS / 10, STEPS);
        assert_in_range(to_forward, STEPS / 10, STEPS);
        vvWorldDestroy(w);
    }
}

/* Where backward Euler's end is near enough to the target, but below it, there is a place between that is nearer, and
 * damps less. */
static void it_takes_no_more_of_backward_euler_than_it_has_to(void **unused)
{
    (void)unused;
    const double h = 0.05, m = 0.3, x = 0.04, k = x / (h * h), epsilon = 0.045;
    const vvSetting loose = { "epsilon", { epsilon } };
    vvWorldDef d = blend_def("symplectic-euler", h, 1e-12, &loose, 1);
    vvWorld *w = oscillator(&d, m, m * k, (double[]){ 1, 0.4, -0.2 });
    int near = 0;
    for (int i = 0; i < 300; i++) {
        state now, a, backward, forward;
        memcpy(now.q, vvWorldPositions(w), sizeof now.q);
        memcpy(now.v, vvWorldVelocities(w), sizeof now.v);
        oscillate(&now, k, h, &a, &backward, &forward);
        const vvLedgerRow row = step(w);
        double ea = energy(&a, m, k) - row.target, eb = energy(&backward, m, k) - row.target;
        if (ea <= epsilon * row.scale || eb > -1e-3 * row.scale || -eb > epsilon * row.scale)
            continue;
        assert_true(row.alpha > 0 && row.alpha < 1);
        assert_less(off_target(&row), epsilon * row.scale);
        near++;
    }
    print_message("%d steps\n", near);
    assert_in_range(near, 5, 300);
    vvWorldDestroy(w);
}

/* Both ends above the target: all of backward Euler, although the scheme's own end is nearer. At v = x / (1 + x) / h
 * q symplectic Euler's energy is the least that it can be, below backward Euler's. */
static void where_both_ends_have_too_much_it_is_backward_euler(void **unused)
{
    (void)unused;
    vvError error = { 0 };
    const double h = 0.05, m = 0.3, x = 0.7, k = x / (h * h);
    vvKey decay = { 0, 1e-3 }; /* s: the target falls to nothing */
    vvWorldDef d = blend_def("symplectic-euler", h, 1e-12, NULL, 0);
    d.integrator.decayKeys = &decay, d.integrator.decayKeyCount = 1;
    d.integrator.groundMode = VV_GROUND_GIVEN;
    vvWorld *w = oscillator(&d, m, m * k, (double[]){ 1, 0.4, -0.2 });
    state now = { .q = { 0.2, 0, 0 }, .v = { 0.2 * x / (1 + x) / h, 0, 0 } }, a, backward, forward;
    assert_ok(vvWorldSetState(w, now.q, now.v, &error));
    oscillate(&now, k, h, &a, &backward, &forward);
    assert_less(energy(&a, m, k), energy(&backward, m, k));
    const vvLedgerRow row = step(w);
    assert_less(row.target, energy(&a, m, k));
    assert_true(row.alpha == 1);
    for (int j = 0; j < 3; j++) {
        assert_near(vvWorldPositions(w)[j], backward.q[j], 1e-9);
        assert_near(vvWorldVelocities(w)[j], backward.v[j], 1e-8);
    }
    vvWorldDestroy(w);
}

/* Drag's impulse is mixed like the rest: of symplectic Euler it acts at v_n, of backward Euler at its own velocity,
 * which the blend shows. */
static void losses_are_those_of_the_blend(void **unused)
{
    (void)unused;
    const double h = 0.05, m = 0.3, x = 0.7, k = x / (h * h), drag = 0.4;
    const vvSetting tight = { "epsilon", { 1e-7 } };
    vvWorldDef d = blend_def("symplectic-euler", h, 1e-12, &tight, 1);
    vvWorld *w = oscillator_with(&d, m, m * k, drag, (double[]){ 1, 0.4, -0.2 });
    int compared = 0;
    for (int i = 0; i < 60; i++) {
        state now;
        memcpy(now.q, vvWorldPositions(w), sizeof now.q);
        memcpy(now.v, vvWorldVelocities(w), sizeof now.v);
        const vvLedgerRow row = step(w);
        if (row.alpha < 0.01 || row.alpha == 1)
            continue;
        double loss = 0;
        for (int j = 0; j < 3; j++) {
            const double v = vvWorldVelocities(w)[j], own = now.v[j] - h * (k * now.q[j] + drag * now.v[j]);
            const double backward = own + (v - own) / row.alpha, mean = 0.5 * (now.v[j] + v);
            loss += m * h * drag * (now.v[j] + row.alpha * (backward - now.v[j])) * mean;
        }
        assert_near(row.damping, fmax(loss, 0), 1e-6 * row.scale);
        compared += loss > 1e-3 * row.scale;
    }
    assert_in_range(compared, 5, 60);
    vvWorldDestroy(w);
}

/* The implicit midpoint keeps a quadratic energy: nothing is blended, and nothing is solved for it. */
static void where_the_scheme_is_on_target_it_does_nothing(void **unused)
{
    (void)unused;
    vvWorldDef d = blend_def("implicit-midpoint", 0.05, 1e-12, NULL, 0), plain = d;
    plain.integrator.policy = "none";
    vvWorld *w = oscillator(&d, 0.3, 400, (double[]){ 1, 0.4, -0.2 }),
            *p = oscillator(&plain, 0.3, 400, (double[]){ 1, 0.4, -0.2 });
    size_t bytes = 3 * sizeof(double);
    for (int i = 0; i < 50; i++) {
        vvLedgerRow row = step(w), other = step(p);
        assert_true(row.alpha == 0 && row.policyChange == 0);
        assert_int_equal(row.newtonIterations, other.newtonIterations);
        assert_memory_equal(vvWorldPositions(w), vvWorldPositions(p), bytes);
        assert_memory_equal(vvWorldVelocities(w), vvWorldVelocities(p), bytes);
    }
    vvWorldDestroy(w);
    vvWorldDestroy(p);
}

/* The implicit midpoint loses what drag takes and nothing else: 1/2 (v_n + v) is its velocity of drag. What is booked
 * is that, however far the oscillator turns in a step, and no policy that aims at the target gives any of it back. */
static void what_damping_takes_is_not_given_back(void **unused)
{
    (void)unused;
    static const char *const policies[] = { "blend", "multiplier", "velocity-scale", "project" };
    for (size_t k = 0; k < sizeof policies / sizeof *policies; k++) {
        vvWorldDef d = free_def("implicit-midpoint", 0.03, 1e-12), plain = d;
        d.integrator.policy = policies[k];
        vvWorld *w = oscillator_with(&d, 1, 1e4, 1, (double[]){ 1, 0.4, -0.2 }),
                *p = oscillator_with(&plain, 1, 1e4, 1, (double[]){ 1, 0.4, -0.2 });
        const double start = ledger(p).total;
        for (int i = 0; i < 50; i++) {
            vvLedgerRow row = step(w), alone = step(p);
            assert_less(off_target(&alone), 1e-9 * alone.scale);
            assert_near(row.total, alone.total, 1e-9 * alone.scale);
            assert_near(row.policyChange, 0, 1e-9 * alone.scale);
        }
        assert_less(ledger(p).total, 0.8 * start);
        vvWorldDestroy(w);
        vvWorldDestroy(p);
    }
}

/* ---- the spinning cube ---- */

static void a_spinning_cube_keeps_the_energy_that_the_others_lose_or_make(void **unused)
{
    (void)unused;
    NUMBERS_ONLY();
    const int count = sized(300, 600, 10000);
    const double h = 1.0 / 30;
    vvWorldDef be = free_def("backward-euler", h, 0.01), midpoint = free_def("implicit-midpoint", h, 0.01);
    vvWorld *slow = spinning_cube(&be, "corotated", 5e4, 3), *wild = spinning_cube(&midpoint, "corotated", 5e4, 3);
    const vvLedgerRow start = ledger(slow), dead = steps(slow, 100);
    assert_less(dead.total, 0.05 * start.total);
    double most = 0;
    for (int i = 0; i < 600; i++)
        most = fmax(most, step(wild).total);
    assert_less(100 * start.total, most);
    vvWorldDestroy(slow);
    vvWorldDestroy(wild);
    double evaluations[2];
    for (int k = 0; k < 2; k++) {
        const vvSetting settings[] = { { "epsilon", { 0.01 } },
                                       { .name = "blend_search", .choice = k ? "bisection" : "secant" } };
        vvWorldDef d = blend_def("implicit-midpoint", h, 0.01, settings, 2);
        vvWorld *w = spinning_cube(&d, "corotated", 5e4, 3);
        vvLedgerRow row = start;
        int blended = 0;
        for (int i = 0; i < count; i++) {
            row = step(w);
            assert_less(off_target(&row), 0.01 * row.scale + 1e-12);
            if (i == 99)
                /* not kept, but by far better than backward Euler does */
                assert_less(5 * angular(&dead), angular(&row));
            blended += row.alpha != 0;
        }
        evaluations[k] = evaluations_a_search(w);
        print_message("%s: %d of %d steps blended, %.2f energies a search, |L| %.3f of the start's\n",
                      settings[1].choice, blended, count, evaluations[k], angular(&row) / angular(&start));
        assert_near(row.target, start.total, 1e-9);
        assert_in_range(blended, 1, count);
        vvWorldDestroy(w);
    }
    assert_less(evaluations[0], 3.0001);
    assert_less(evaluations[0], evaluations[1] + 1e-9);
}

static void a_loose_epsilon_is_loose(void **unused)
{
    (void)unused;
    const vvSetting loose = { "epsilon", { 0.5 } };
    vvWorldDef d = blend_def("implicit-midpoint", 1.0 / 30, 0.01, &loose, 1);
    vvWorld *w = spinning_cube(&d, "corotated", 5e4, 3);
    double most = 0;
    for (int i = 0; i < 400; i++) {
        vvLedgerRow row = step(w);
        most = fmax(most, off_target(&row) / row.scale);
    }
    assert_less(0.02, most);
    assert_less(most, 0.5 + 1e-9);
    vvWorldDestroy(w);
}

/* S is what the motion has above the ground, wherever energies have their zero: epsilon is a part of that, and no
 * part of H. */
static void epsilon_is_a_part_of_the_scale(void **unused)
{
    (void)unused;
    vvError error = { 0 };
    vvWorldDef d = blend_def("implicit-midpoint", 1.0 / 30, 0.01, NULL, 0);
    vvWorld *plain = spinning_cube(&d, "corotated", 5e4, 2);
    const double start = ledger(plain).total;
    vvWorldDestroy(plain);
    d.integrator.groundEnergy = 0.9 * start;
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material("corotated", 5e4);
    set_state(w, add_cube(w, 0.1, 2, &m), "angular", (double[]){ 3, 2, 30, NAN, NAN, NAN });
    assert_ok(vvWorldBake(w, &error));
    int blended = 0;
    for (int i = 0; i < 60; i++) {
        const vvLedgerRow row = step(w);
        assert_less(row.scale, 0.15 * start);
        assert_less(off_target(&row), 0.01 * row.scale + 1e-12);
        blended += row.alpha != 0;
    }
    assert_in_range(blended, 5, 60);
    vvWorldDestroy(w);
}

static void iteration_counts_are_the_users(void **unused)
{
    (void)unused;
    vvError error = { 0 };
    const vvSetting counts[] = { { "blend_iterations", { 3, 1 } }, { "epsilon", { 1e-6 } } };
    vvWorldDef d = blend_def("implicit-midpoint", 1.0 / 30, 1e-10, counts, 2);
    vvWorld *w = spinning_cube(&d, "corotated", 5e4, 2);
    int both = 0;
    for (int i = 0; i < 60; i++) {
        vvStepReport report;
        assert_ok(vvWorldStep(w, &report, &error));
        assert_in_range(report.newtonIterations, 1, 4);
        assert_int_equal(report.end, VV_SOLVE_BUDGET);
        both += report.newtonIterations == 4;
    }
    assert_in_range(both, 5, 60);
    vvWorldDestroy(w);
}

/* ---- contact, inversion ---- */

static void blended_steps_neither_intersect_nor_invert(void **unused)
{
    (void)unused;
    static const struct {
        const char *scheme, *model;
    } rows[] = { { "trapezoidal", "neo-hookean" },
                 { "implicit-midpoint", "neo-hookean" },
                 { "sdirk2", "fixed-corotated" },
                 { "symplectic-euler", "neo-hookean" } };
    const int count = sized(40, 90, 400);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        vvError error = { 0 };
        vvWorld *w = falling_blocks(rows[k].scheme, "blend", rows[k].model, 1);
        int blended = 0, rescued = 0, touching = 0;
        for (int i = 0; i < count; i++) {
            vvStepReport report;
            const vvLedgerRow before = ledger(w);
            vvStatus status = vvWorldStep(w, &report, &error);
            if (status != VV_OK)
                fail_msg("%s: step %d: %s", rows[k].scheme, i + 1, error.message);
            const vvLedgerRow row = ledger(w);
            assert_true(row.minGap > 0);
            assert_true(strcmp(rows[k].model, "neo-hookean") != 0 || row.minJ > 0);
            assert_booked(&before, &row);
            assert_near(row.target, before.target + row.work - row.friction - row.damping - row.decay,
                        1e-9 * row.scale);
            assert_true(row.friction >= 0 && row.damping > 0);
            blended += row.alpha != 0, touching += row.contact > 0;
            bool said = strstr(report.note, "backward Euler's") != NULL;
            assert_true(!said || row.alpha == 1);
            rescued += said;
        }
        print_message("%s, %s: %d steps, %d touching, %d blended, %d of which only backward Euler survived\n",
                      rows[k].scheme, rows[k].model, count, touching, blended, rescued);
        assert_in_range(touching, 5, count);
        assert_in_range(blended, 5, count);
        vvWorldDestroy(w);
    }
}

static void bits_depend_on_no_thread_and_on_no_break(void **unused)
{
    (void)unused;
    const int count = sized(12, 30, 100);
    vvWorld *a = falling_blocks("trapezoidal", "blend", "neo-hookean", 1),
            *b = falling_blocks("trapezoidal", "blend", "neo-hookean", 2);
    expect_same(a, b, count, "one thread and two");
    expect_resumed(a, b, count);
    assert_memory_equal(a->state.policy.data, b->state.policy.data, a->state.policy.size);
    vvWorldDestroy(a);
    vvWorldDestroy(b);
}

static vvWorld *hosted(asked *host)
{
    const vvSetting settings[] = { { "epsilon", { 1e-5 } } };
    vvWorldDef d = blend_def("implicit-midpoint", 1.0 / 30, 1e-6, settings, 1);
    vvWorld *w = spinning_cube(&d, "corotated", 5e4, 2);
    vvWorldSetCancel(w, asked_answer, host);
    return w;
}

static void a_step_that_is_cancelled_changes_nothing(void **unused)
{
    (void)unused;
    asked one = { 0 }, other = { 0 };
    vvWorld *w = hosted(&one), *calm = hosted(&other);
    expect_restored(w, &one, calm, 10);
    assert_memory_equal(w->state.policy.data, calm->state.policy.data, w->state.policy.size);
    assert_int_equal(ledger(w).step, 10);
    vvWorldDestroy(w);
    vvWorldDestroy(calm);
}

/* Fixed nodes that are driven into the ground: no scheme finds an end, and the message is that of the world's. */
static void where_nothing_finds_an_end_the_step_fails_for_the_schemes_reason(void **unused)
{
    (void)unused;
    vvError error = { 0 };
    vvWorldDef d = live_def("trapezoidal", "blend");
    d.timeStep = 0.01;
    vvWorld *w = new_world(&d);
    vvBodyId id = add_block(w, 0, 0.052, 0);
    vvAttachDef a = vvDefaultAttachDef();
    a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 0, 0 }, .b = { 100, 100, 100 } };
    a.motion.linearVelocity[1] = -1;
    attach(w, id, &a);
    obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0);
    assert_ok(vvWorldBake(w, &error));
    vvLedgerRow before = ledger(w);
    double *x = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w));
    vvStatus status = VV_OK;
    for (int i = 0; i < 5 && status == VV_OK; i++) {
        before = ledger(w);
        memcpy(x, vvWorldPositions(w), 3 * (size_t)vvWorldNodeCount(w) * sizeof *x);
        status = vvWorldStep(w, NULL, &error);
    }
    expect(status, VV_ERROR_SOLVER, &error, "blocked");
    assert_memory_equal(x, vvWorldPositions(w), 3 * (size_t)vvWorldNodeCount(w) * sizeof *x);
    assert_true(ledger(w).total == before.total && ledger(w).step == before.step &&
                w->state.ledger.totals.failedSteps == 1);
    free(x);
    vvWorldDestroy(w);
}

/* ---- what moves the target ---- */

static void it_follows_a_decay_and_damping(void **unused)
{
    (void)unused;
    const int count = sized(100, 200, 1000);
    vvKey decay = { 0, 0.8 };
    vvWorldDef d = blend_def("implicit-midpoint", 1.0 / 30, 1e-4, NULL, 0);
    d.integrator.decayKeys = &decay, d.integrator.decayKeyCount = 1;
    d.integrator.groundMode = VV_GROUND_GIVEN;
    vvWorld *w = new_world(&d);
    vvError error = { 0 };
    vvMaterialDef m = material("corotated", 5e4);
    m.damping.drag = 0.05;
    vvBodyId id = add_cube(w, 0.1, 2, &m);
    set_state(w, id, "angular", (double[]){ 3, 2, 30, NAN, NAN, NAN });
    assert_ok(vvWorldBake(w, &error));
    const double start = ledger(w).total;
    double damped = 0;
    for (int i = 0; i < count; i++) {
        const vvLedgerRow before = ledger(w), row = step(w);
        assert_less(off_target(&row), 0.01 * row.scale + 1e-12);
        assert_booked(&before, &row);
        assert_near(row.target, before.target + row.work - row.friction - row.damping - row.decay, 1e-12 * row.scale);
        /* at the end the motion is within epsilon of S, and drag of that may take the target below the ground */
        assert_near(row.decay, -expm1(-1 / 30.0 / 0.8) * fmax(before.target - row.damping, 0), 1e-12 * row.scale);
        damped += row.damping;
    }
    assert_less(1e-3 * start, damped);
    assert_less(ledger(w).total, 0.011 * ledger(w).scale + start * exp(-count / 30.0 / 0.8));
    vvWorldDestroy(w);
}

static void a_dragged_body_gets_the_work_that_is_done_on_it(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < 2; kind++) {
        vvError error = { 0 };
        vvWorldDef d = blend_def("implicit-midpoint", 1.0 / 60, 1e-6, NULL, 0);
        d.gravity[1] = -9.8;
        vvWorld *w = new_world(&d);
        vvMaterialDef m = material("neo-hookean", 2e4);
        vvBodyId id = add_cube(w, 0.1, 2, &m);
        vvAttachDef a = vvDefaultAttachDef();
        a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 100, 0 }, .b = { 100, 100, 100 } };
        a.kind = kind ? VV_ATTACH_FIXED : VV_ATTACH_SPRING;
        a.stiffness = 200;
        a.motion.linearVelocity[0] = 0.4;
        attach(w, id, &a);
        assert_ok(vvWorldBake(w, &error));
        double work = 0, first = ledger(w).total;
        for (int i = 0; i < 120; i++) {
            const vvLedgerRow before = ledger(w), row = step(w);
            assert_booked(&before, &row);
            assert_near(row.target, before.target + row.work, 1e-12 * row.scale);
            assert_less(off_target(&row), 0.01 * row.scale + 1e-12);
            work += row.work;
        }
        assert_less(0.05, fabs(work));
        assert_near(ledger(w).total, first + work, 0.01 * ledger(w).scale + 1e-12);
        vvWorldDestroy(w);
    }
}

/* ---- which schemes ---- */

static void it_refuses_what_it_blends_with_and_takes_all_else(void **unused)
{
    (void)unused;
    for (int i = 0; vvSchemeInfo(i); i++) {
        const char *scheme = vvSchemeInfo(i)->name;
        bool euler = strcmp(scheme, "backward-euler") == 0 || strcmp(scheme, "forward-euler") == 0;
        vvError error = { 0 };
        vvWorldDef d = free_def(scheme, 1.0 / 60, 1e-6);
        vvWorld *w = NULL;
        d.integrator.policy = "blend";
        vvStatus status = vvWorldCreate(&d, &w, &error);
        if (euler) {
            expect(status, VV_ERROR_INPUT, &error, "integrator.policy \"blend\" does not go with scheme");
            assert_non_null(strstr(error.message, scheme));
            continue;
        }
        assert_ok(status);
        set_state(w, add_block(w, 0, 1, 3), "stretch", (double[]){ 1.2, 0.9, 1, NAN, NAN, NAN });
        assert_ok(vvWorldBake(w, &error));
        vvLedgerRow row = steps(w, 20);
        assert_less(off_target(&row), 0.01 * row.scale + 1e-12);
        vvWorldDestroy(w);
    }
    vvError error = { 0 };
    vvWorld *w = NULL;
    vvWorldDef d = free_def("theta", 1.0 / 60, 1e-6); /* backward Euler by another name */
    d.integrator.policy = "blend";
    d.integrator.settings = &(vvSetting){ "theta", { 1 } }, d.integrator.settingCount = 1;
    expect(vvWorldCreate(&d, &w, &error), VV_ERROR_INPUT, &error, "does not go with scheme \"theta\"");
}

/* How far off H may be is a part of S, or as in the paper of H. */
static void epsilon_is_of_what_it_is_told(void **unused)
{
    (void)unused;
    double off[2] = { 0 }; /* H - T over T */
    for (int i = 0; i < 2; i++) {
        const vvSetting settings[] = { { "epsilon", { 1e-3 } },
                                       { .name = "blend_epsilon_of", .choice = i ? "energy" : "scale" } };
        vvWorldDef d = blend_def("implicit-midpoint", 1.0 / 30, 1e-9, settings, 2);
        d.integrator.groundMode = VV_GROUND_GIVEN;
        d.integrator.groundEnergy = -20; /* S counts from there, H does not */
        vvWorld *w = new_world(&d);
        vvMaterialDef m = material("stvk", 5e4);
        set_state(w, add_cube(w, 0.1, 2, &m), "angular", (double[]){ 3, 2, 30, NAN, NAN, NAN });
        for (int k = 0; k < 30; k++) {
            const vvLedgerRow row = step(w);
            off[i] = fmax(off[i], off_target(&row) / fabs(row.target));
        }
        vvWorldDestroy(w);
    }
    print_message("H - T over T: %.2g, %.2g\n", off[0], off[1]);
    assert_less(off[1], 1.001e-3);
    assert_less(1.2e-3, off[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(epsilon_is_of_what_it_is_told),
        cmocka_unit_test(alpha_is_the_root_of_the_oscillators_energy),
        cmocka_unit_test(it_takes_no_more_of_backward_euler_than_it_has_to),
        cmocka_unit_test(where_both_ends_have_too_much_it_is_backward_euler),
        cmocka_unit_test(losses_are_those_of_the_blend),
        cmocka_unit_test(where_the_scheme_is_on_target_it_does_nothing),
        cmocka_unit_test(what_damping_takes_is_not_given_back),
        cmocka_unit_test(a_spinning_cube_keeps_the_energy_that_the_others_lose_or_make),
        cmocka_unit_test(a_loose_epsilon_is_loose),
        cmocka_unit_test(epsilon_is_a_part_of_the_scale),
        cmocka_unit_test(iteration_counts_are_the_users),
        cmocka_unit_test(blended_steps_neither_intersect_nor_invert),
        cmocka_unit_test(bits_depend_on_no_thread_and_on_no_break),
        cmocka_unit_test(a_step_that_is_cancelled_changes_nothing),
        cmocka_unit_test(where_nothing_finds_an_end_the_step_fails_for_the_schemes_reason),
        cmocka_unit_test(it_follows_a_decay_and_damping),
        cmocka_unit_test(a_dragged_body_gets_the_work_that_is_done_on_it),
        cmocka_unit_test(it_refuses_what_it_blends_with_and_takes_all_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
