/* Contact by repulsion springs in worlds: every joule that making them anew brings is named; bounces come back as
 * high; depths stay within their bound; friction on a slope; what snapshots, saved states, threads and cancelled
 * steps leave the same; bad values. */
#include "visviva/settings.h"

#include "repulsion_support.h"
#include "size.h"
#include "positional.h"

/* The discrete gradient keeps H to the solve's tolerance: all that H gains is what making springs anew brings. A
 * start inside is allowed. */
static void every_joule_is_named(void **state)
{
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        for (int inside = 0; inside < 2; inside++) {
            vvWorldDef d = springs_def(forms[f], "discrete-gradient", "none");
            vvWorld *w = drop(&d, inside ? -0.01 : 0.2);
            vvLedgerRow first = ledger(w), row = first;
            vvLedgerTotals t;
            double deepest = 0, moved = 0, summed = 0;
            for (int i = 0; i < sized(60, 120, 240); i++) {
                vvLedgerRow last = row;
                vvStepReport report;
                vvError error = { 0 };
                assert_ok(vvWorldStep(w, &report, &error));
                row = ledger(w);
                assert_near(row.total - last.total,
                            row.work - row.friction - row.damping - row.decay + row.springs + row.error,
                            1e-11 * row.scale);
                assert_true(report.depth == (row.minGap < 0 ? -row.minGap : 0));
                deepest = fmax(deepest, report.depth);
                moved = fmax(moved, fabs(row.springs));
                summed += row.springs;
            }
            vvWorldTotals(w, &t);
            print_message("%s%s: springs %.4g J, error %.2g J of S = %.3g J, depth %.3g m\n", forms[f],
                          inside ? " from inside" : "", t.springs, t.absError, row.scale, deepest);
            assert_true(t.springs == summed && t.minGap == -fmax(deepest, -first.minGap));
            /* those that follow are there before */
            assert_true(deepest > 0 && (f == 3 && !inside ? moved < 1e-6 * row.scale : moved > 1e-3 * row.scale));
            assert_true(row.target == first.total); /* which takes nothing of it in */
            assert_true(t.absError < 2e-2 * row.scale);
            vvWorldDestroy(w);
        }
    }
}

/* Springs give back what they took, and what making them brought is taken away: the block comes back as high as it
 * fell from. */
static void it_comes_back_as_high(void **state)
{
    (void)state;
    static const char *const policies[] = { "blend", "project" };
    for (int p = 0; p < 2; p++) {
        vvWorldDef d = springs_def("one-sided", "implicit-midpoint", policies[p]);
        d.contact.springs.stiffness = 2e5; /* so soft that little is left in vibrations */
        vvWorld *w = drop(&d, 0.4);
        vvLedgerRow row = ledger(w);
        double lowest = row.gravity, highest = -INFINITY, first = row.gravity, brought = 0;
        for (int i = 0; i < 70; i++) {
            row = step(w);
            brought += row.springs;
            if (row.gravity < lowest)
                lowest = row.gravity, highest = lowest;
            highest = fmax(highest, row.gravity);
        }
        print_message("%s: back to %.4f of the height; springs brought %.3g J of %.3g J\n", policies[p],
                      (highest - lowest) / (first - lowest), brought, row.scale);
        assert_near((highest - lowest) / (first - lowest), 1, 0.02);
        vvWorldDestroy(w);
    }
}

/* One point of mass m that meets springs of k per vertex at the speed v. It enters by at most d_0 = v h without any;
 * from there the springs stop it: 1/2 k d^2 <= 1/2 m v^2 + 1/2 k d_0^2 one-sided, so that d <= v sqrt(m/k) + v h.
 * Bilateral springs are twice as stiff, so that this holds, too; a vertex that is put on the surface goes in by v h
 * at most in a step. */
static void depth_stays_within_its_bound(void **state)
{
    (void)state;
    static const char *const schemes[] = { "backward-euler", "implicit-midpoint" };
    for (int f = 0; f < FORMS; f++)
        for (int s = 0; s < 2; s++)
            for (double k = 1e2; k < 1e10; k *= 10)
                for (int phase = 0; phase < 4; phase++) {
                    const double v = 3, m = 0.5, h = 0.01;
                    vvWorldDef d = springs_def(forms[f], schemes[s], "none");
                    d.gravity[1] = 0;
                    d.contact.springs.stiffness = k;
                    d.contact.springs.perVertex = true;
                    vvWorld *w = new_world(&d);
                    vvMesh mesh = { .vertexCount = 1,
                                    .pointCount = 1,
                                    .positions = (double[]){ 0, 0.1 + 0.007 * phase, 0 },
                                    .points = (int[]){ 0 } };
                    vvBodyDef body = vvDefaultBodyDef();
                    vvBodyId id;
                    vvError error = { 0 };
                    body.mesh = &mesh;
                    body.material.model = "free";
                    body.material.density = m;
                    assert_ok(vvWorldAddBody(w, &body, &id, &error));
                    set_state(w, id, "linear", (double[]){ 0, -v, 0 });
                    obstacle(w, "plane", NULL, -1);
                    double deepest = 0;
                    for (int i = 0; i < 60; i++)
                        deepest = fmax(deepest, -step(w).minGap);
                    const double bound = v * h + (f == 2 ? 0 : v * sqrt(m / k));
                    if (!(deepest > 0 && deepest <= bound * (1 + 1e-9)))
                        fail_msg("%s, %s, k %g: %g m deep, bound %g m", forms[f], schemes[s], k, deepest, bound);
                    assert_true(vvWorldVelocities(w)[1] > 0 || s == 0 || f > 0);
                    vvWorldDestroy(w);
                }
}

/* Of the vertices that are inside the plane, kg. */
static double mass_below(const vvWorld *w)
{
    double sum = 0;
    for (int i = 0; i < vvWorldNodeCount(w); i++)
        sum += vvWorldPositions(w)[3 * i + 1] < 0 ? vvWorldMasses(w)[i] : 0;
    return sum;
}

/* How fast the first vertex moves down, m/s. */
static double creep_of(vvWorld *w, const vvWorldDef *d)
{
    const double from = vvWorldPositions(w)[0];
    steps(w, 10);
    return (vvWorldPositions(w)[0] - from) / (10 * d->timeStep);
}

/* On a slope of angle a the block slides down with g (sin a - k_f cos a), or, where that is below 0, comes to rest:
 * up to a creep, as friction stops velocities after the step has moved the vertices. What its lower vertices, of mass
 * m_s, gain in a step that holds the block: about g sin a h m / m_s. */
static void it_slides_on_a_slope_or_sticks(void **state)
{
    (void)state;
    const double angle = 0.3, g = 9.8;
    static const double friction[] = { 0, 0.1, 0.2, 0.5 };
    for (int i = 0; i < 4; i++) {
        vvWorldDef d = springs_def("one-sided", "backward-euler", "none");
        d.gravity[0] = g * sin(angle), d.gravity[1] = -g * cos(angle);
        d.contact.friction = friction[i];
        d.contact.frictionWhen = "after";
        vvWorld *w = drop(&d, -2e-3);
        vvLedgerRow row = steps(w, 60);
        const double mass = 8, before = row.momentum[0] / mass, lost = row.friction;
        vvLedgerRow later = steps(w, 40);
        const double got = (later.momentum[0] / mass - before) / 0.4,
                     want = g * (sin(angle) - friction[i] * cos(angle));
        print_message("k_f %.1f: %.4f m/s^2, g (sin a - k_f cos a) = %.4f\n", friction[i], got, want);
        if (want > 0)
            assert_near(got, want, 0.01 * g);
        else {
            const double creep = creep_of(w, &d), bound = g * sin(angle) * d.timeStep * mass / mass_below(w);
            print_message("creeps at %.4f m/s, about %.4f\n", creep, bound);
            assert_true(fabs(got) < 1e-3 * g && creep > 0 && creep < 1.25 * bound); /* vertices do not carry alike */
        }
        assert_true(friction[i] > 0 ? lost > 0 : lost == 0);
        vvWorldDestroy(w);
    }
}

/* A block on a plate that rises and moves on: the plate's work is booked, and H changes by it and by what has a
 * name. */
static void is_raised_and_taken_along(const char *when)
{
    vvError error = { 0 };
    vvWorldDef d = springs_def("one-sided", "implicit-midpoint", "none");
    d.contact.friction = 0.5;
    d.contact.frictionWhen = when;
    vvWorld *w = drop(&d, -2e-3);
    assert_ok(vvWorldRemoveObstacle(w, vvWorldObstacleAt(w, 0), &error));
    vvObstacleDef plate = vvDefaultObstacleDef();
    plate.type = "box";
    shape_obstacle(&plate, (double[]){ 0, -0.1, 0, 2, 0.2, 2, 0, 0, 0 });
    plate.moves = true;
    plate.motion.linearVelocity[0] = 0.5, plate.motion.linearVelocity[1] = 0.4;
    assert_ok(vvWorldAddObstacle(w, &plate, NULL, &error));
    vvLedgerRow first = ledger(w), row = first;
    vvLedgerTotals t;
    const int n = 60;
    double speed = 0; /* of the last two steps: within the solve, friction holds the mean velocity of each */
    for (int i = 0; i < n; i++) {
        row = step(w);
        speed += i >= n - 2 ? 0.5 * row.momentum[0] / 8 : 0;
    }
    vvWorldTotals(w, &t);
    const double mass = 8, lift = mass * 9.8 * 0.4 * n * d.timeStep, push = 0.5 * mass * (0.4 * 0.4 + 0.5 * 0.5);
    print_message("%s: %.3f m/s; work %.4g J; lift and push %.4g J; friction %.3g, springs %.3g, error %.3g J\n", when,
                  speed, t.work, lift + push, t.friction, t.springs, t.error);
    assert_near(speed, 0.5, 0.05); /* it is taken along */
    assert_near(row.gravity - first.gravity, lift, 0.15 * lift);
    assert_true(t.friction > 0 && t.work > lift);
    assert_true(t.absError < 0.15 * t.work);
    vvWorldDestroy(w);
}

static void an_obstacle_that_moves_does_work(void **state)
{
    (void)state;
    is_raised_and_taken_along("solve");
    is_raised_and_taken_along("after");
}

/* A block thrown along a plate that goes another way: what friction takes, and what the plate gives by it, is what a
 * scheme without a loss of its own leaves unexplained: nothing. */
static void friction_is_booked_to_the_joule(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        const int f = k / 2 * 3;
        const bool after = k % 2;
        vvError error = { 0 };
        vvWorldDef d = springs_def(forms[f], "discrete-gradient", "none");
        d.contact.friction = 0.3;
        d.contact.frictionWhen = after ? "after" : "solve";
        d.contact.frictionIterations = after ? 0 : 2;
        d.contact.stick = false; /* with it two of the equations, between sliding and sticking, are not solved in 200 */
        d.contact.springs.stiffness = 1e5;
        d.timeStep = 1.0 / 30;
        d.solver.tolerance = 1e-9;
        vvWorld *w = new_world(&d);
        vvBodyDef body = vvDefaultBodyDef();
        body.material = material("stvk", 1e6);
        body.translate[1] = 0.1 - 8 * 9.8 / (0.04 * 1e5); /* where it rests */
        /* fine: vertices take little, its body more */
        vvBodyId block = add_box_def(w, (double[]){ 0.2, 0.2, 0.2 }, (int[]){ 5, 5, 5 }, 5, &body);
        set_state(w, block, "linear", (double[]){ 0, 0, 0.6 });
        vvObstacleDef plate = vvDefaultObstacleDef();
        plate.type = "box";
        shape_obstacle(&plate, (double[]){ 0, -0.1, 0, 9, 0.2, 9, 0, 0, 0 });
        plate.moves = true;
        plate.motion.linearVelocity[0] = 0.5;
        assert_ok(vvWorldAddObstacle(w, &plate, NULL, &error));
        double friction = 0, work = 0, left = 0;
        int unsolved = 0; /* a step whose equations may take 180 iterations, or go round in circles */
        for (int i = 0; i < 20; i++) {
            vvStepReport report;
            assert_ok(vvWorldStep(w, &report, &error));
            const vvLedgerRow row = ledger(w);
            const bool solved = report.end == VV_SOLVE_CONVERGED;
            friction += row.friction, work += row.work, left += solved ? fabs(row.error) : 0, unsolved += !solved;
        }
        print_message("%s, %s: friction %.4g J, work %.4g J, unexplained %.2g J\n", forms[f], d.contact.frictionWhen,
                      friction, work, left);
        assert_true(friction > 0.1 && work > 0.1 && unsolved < 2);
        assert_less(left, after ? 1e-9 : 1e-7); /* what solves leave over */
        vvWorldDestroy(w);
    }
}

/* What carries the frame of a shape that moves has no surface: solvers without a barrier take it, and all end in much
 * the same place. */
static void solvers_without_a_barrier_take_what_moves(void **state)
{
    (void)state;
    static const char *const solvers[] = { "newton", "local-global", "xpbd", "lbfgs", "optimizer" };
    double rise[5];
    for (int s = 0; s < 5; s++) {
        vvError error = { 0 };
        vvWorldDef d = springs_def("one-sided", "implicit-midpoint", "none");
        d.solver.method = solvers[s];
        d.solver.budget = s ? 100 : 0;
        d.contact.self = false;
        vvWorld *w = drop_of(&d, 2e-3, "corotated");
        vvObstacleDef ball = vvDefaultObstacleDef();
        ball.type = "sphere";
        shape_obstacle(&ball, (double[]){ 0, -0.3, 0, 0.25 });
        ball.moves = true;
        ball.motion.linearVelocity[1] = 2;
        assert_ok(vvWorldAddObstacle(w, &ball, NULL, &error));
        const double before = ledger(w).gravity;
        for (int i = 0; i < 20; i++)
            step(w);
        rise[s] = (ledger(w).gravity - before) / (8 * 9.8);
        print_message("%s: raised by %.4f m\n", solvers[s], rise[s]);
        assert_near(rise[s], rise[0], 0.02 * rise[0]);
        vvWorldDestroy(w);
    }
    assert_true(rise[0] > 0.1);
}

/* ---- the same, however it is come by ---- */

static void load(vvWorld *from, vvWorld *to)
{
    vvError error = { 0 };
    size_t size = vvWorldStateSize(from);
    void *bytes = malloc(size);
    assert_ok(vvWorldSaveState(from, bytes, size, &error));
    assert_ok(vvWorldLoadState(to, bytes, size, &error));
    free(bytes);
}

/* While springs stand: a snapshot restored, a state loaded into another world, a world baked anew, any number of
 * threads. */
static void it_goes_on_the_same(void **state)
{
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        vvError error = { 0 };
        vvWorldDef d = springs_def(forms[f], f == 2 ? "trapezoidal" : "implicit-midpoint",
                                   f == 1   ? "project"
                                   : f == 2 ? "none"
                                            : "blend");
        d.contact.friction = 0.3;
        d.gravity[0] = 2;
        vvWorld *w = drop(&d, 0.02), *loaded = drop(&d, 0.02), *again = drop(&d, 0.02);
        d.threads = 3;
        vvWorld *threads = drop(&d, 0.02);
        vvLedgerRow row = { 0 };
        for (int i = 0; i < 30 && !(row.contact > 0 && i > 8); i++) {
            row = step(w);
            step(again);
            step(threads);
        }
        assert_true(row.contact > 0);
        vvSnapshot *s = NULL;
        assert_ok(vvWorldSnapshot(w, &s, &error));
        load(w, loaded);
        expect_same(w, loaded, 15, "a loaded state");
        vvWorld *ahead = w;
        assert_ok(vvWorldRestore(again, s, &error));
        for (int i = 0; i < 15; i++)
            step(again), step(threads);
        assert_true(same_world(again, ahead));
        assert_true(same_world(threads, ahead));
        assert_ok(vvWorldRestore(w, s, &error)); /* from ahead, back to where springs stood */
        assert_true(!same_world(w, again));
        steps(w, 15);
        assert_true(same_world(w, again));
        vvSnapshotDestroy(s);
        vvWorldDestroy(w);
        vvWorldDestroy(loaded);
        vvWorldDestroy(again);
        vvWorldDestroy(threads);
    }
}

/* An obstacle out of reach is removed while springs stand, so that all is baked anew: H and T stay. */
static void baking_anew_changes_no_energy(void **state)
{
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        vvError error = { 0 };
        vvWorldDef d = springs_def(forms[f], "implicit-midpoint", "none");
        vvWorld *w = new_world(&d), *other = drop(&d, 0.02);
        vvBodyDef body = vvDefaultBodyDef();
        body.material = material("stvk", 1e6);
        body.translate[1] = 0.12;
        add_box_def(w, (double[]){ 0.2, 0.2, 0.2 }, (int[]){ 2, 2, 2 }, 5, &body);
        obstacle(w, "sphere", (double[]){ 50, 0, 0, 1 }, -1);
        obstacle(w, "plane", NULL, -1);
        vvLedgerRow row = { 0 };
        for (int i = 0; i < 30 && !(row.contact > 0 && i > 8); i++)
            row = step(w), step(other);
        assert_true(row.contact > 0);
        assert_ok(vvWorldRemoveObstacle(w, vvWorldObstacleAt(w, 0), &error));
        const double target = row.target, total = row.total;
        row = ledger(w);
        assert_near(row.target, target, 1e-9 * row.scale);
        assert_near(row.total, total, 1e-9 * row.scale);
        row = steps(w, 10);
        vvLedgerRow theirs = steps(other, 10);
        assert_near(row.total, theirs.total, 1e-6 * row.scale);
        assert_near(row.target, target, 1e-9 * row.scale);
        assert_true(mass_distance(w, vvWorldPositions(w), vvWorldPositions(other)) < 1e-7);
        vvWorldDestroy(w);
        vvWorldDestroy(other);
    }
}

/* ---- solvers ---- */

/* Solvers with a budget, where it is enough, end where Newton does. */
static void solvers_agree(void **state)
{
    (void)state;
    static const char *const solvers[] = { "lbfgs", "block-descent", "local-global", "xpbd-exact" };
    for (int f = 0; f < FORMS; f++) {
        vvWorldDef d = springs_def(forms[f], "implicit-midpoint", "none");
        d.contact.springs.stiffness *= f == 2 ? 1 : 30;
        vvWorld *truth = drop_of(&d, 0.02, "corotated");
        for (int i = 0; i < 12; i++)
            step(truth);
        for (int s = 0; s < 4; s++) {
            bool known = false;
            for (int i = 0; vvSolverInfo(i); i++)
                known = known || strcmp(vvSolverInfo(i)->name, solvers[s]) == 0;
            if (!known)
                continue;
            vvWorldDef own = d;
            own.solver.method = solvers[s];
            own.solver.budget = s == 2 ? 150 : 2000;
            own.contact.self = false;
            if (f == 2 && strcmp(solvers[s], "local-global") == 0) { /* a cubic has no bound */
                vvError error = { 0 };
                vvWorld *never = drop_of(&own, 0.02, "corotated");
                expect(vvWorldStep(never, NULL, &error), VV_ERROR_UNSUPPORTED, &error,
                       "one-sided, bilateral or following");
                vvWorldDestroy(never);
                continue;
            }
            vvWorld *w = drop_of(&own, 0.02, "corotated");
            for (int i = 0; i < 12; i++)
                step(w);
            const double far = mass_distance(w, vvWorldPositions(w), vvWorldPositions(truth));
            print_message("%s, %s: %.2g m from Newton's\n", forms[f], solvers[s], far);
            assert_true(far < 1e-4);
            vvWorldDestroy(w);
        }
        vvWorldDestroy(truth);
    }
}

/* Budgets of any size keep a block above a depth that its springs' energy allows, for long. */
static void small_budgets_are_stable(void **state)
{
    (void)state;
    static const char *const solvers[] = { "lbfgs", "block-descent", "xpbd", "local-global" };
    for (int s = 0; s < 4; s++)
        for (int budget = 1; budget <= 5; budget += 2) {
            vvWorldDef d = springs_def("one-sided", "backward-euler", "none");
            d.solver.method = solvers[s];
            d.solver.budget = budget;
            d.contact.self = false;
            vvWorld *w = drop_of(&d, 0.2, "corotated");
            double deepest = 0;
            for (int i = 0; i < sized(200, 1000, 10000); i++)
                deepest = fmax(deepest, -step(w).minGap);
            print_message("%s, %d: %.3g m deep\n", solvers[s], budget, deepest);
            assert_true(deepest > 0 && deepest < 0.2);
            vvWorldDestroy(w);
        }
}

/* What cannot be done is refused by name: bodies that may touch each other, with a solver that has no barrier; too
 * many obstacles. */
static void what_cannot_be_done_is_refused(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = springs_def("one-sided", "backward-euler", "none");
    d.solver.method = "xpbd";
    vvWorld *w = drop(&d, 0.1);
    assert_int_equal(vvWorldStep(w, NULL, &error), VV_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "self_contact"));
    vvWorldDestroy(w);
    d.contact.self = false;
    w = drop(&d, 0.1);
    assert_ok(vvWorldStep(w, NULL, &error));
    for (int i = 0; i < 64; i++)
        obstacle(w, "sphere", (double[]){ 10 + i, 0, 0, 0.1 }, -1);
    assert_int_equal(vvWorldStep(w, NULL, &error), VV_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "64 obstacles"));
    vvWorldDestroy(w);
}

/* ---- bad values ---- */

static void bad_values_are_refused_and_extreme_ones_bounded(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = NULL;
    static const double bad[] = { -1, NAN, INFINITY, 1e19 };
    for (int i = 0; i < 4; i++) {
        vvWorldDef d = springs_def("one-sided", "backward-euler", "none");
        d.contact.springs.stiffness = bad[i];
        expect(vvWorldCreate(&d, &w, &error), VV_ERROR_INPUT, &error, "contact.springs.stiffness");
    }
    vvWorldDef wrong = springs_def("one-sided", "backward-euler", "none");
    wrong.contact.springs.form = "quartic";
    expect(vvWorldCreate(&wrong, &w, &error), VV_ERROR_INPUT, &error, "contact.springs.form");
    for (int f = 0; f < FORMS; f++)
        for (int i = 0; i < 4; i++) {
            vvWorldDef d = springs_def(forms[f], "backward-euler", "none");
            d.contact.springs.stiffness = (double[]){ 0, 1e12, 1e18, 1e6 }[i];
            d.timeStep = i == 3 ? 1e-6 : 0.01;
            vvWorld *x = drop(&d, i == 3 ? -1e-3 : 0.01);
            for (int k = 0; k < 20; k++) {
                vvStatus status = vvWorldStep(x, NULL, &error);
                if (status != VV_OK) {
                    assert_int_equal(status, VV_ERROR_SOLVER);
                    break;
                }
            }
            vvLedgerRow row = ledger(x);
            assert_true(isfinite(row.total) && isfinite(row.minGap));
            vvWorldDestroy(x);
        }
}

/* ---- steps that come to nothing ---- */

/* Cancels at one of the questions: while springs are made again, or in the solve that follows. */
typedef struct asked {
    int so_far, at;
} asked;
static bool once(void *user) { return ++((asked *)user)->so_far == ((asked *)user)->at; }

/* Each step is cancelled once, then taken: the world has the bits of one that was never cancelled, and so has the
 * ledger. */
static void a_cancelled_step_leaves_no_trace(void **state)
{
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        vvWorldDef d = springs_def(forms[f], "implicit-midpoint", "none");
        vvWorld *calm = drop(&d, 2e-3), *w = drop(&d, 2e-3);
        int cancelled = 0;
        for (int i = 0; i < 60; i++) {
            vvError error = { 0 };
            asked a = { 0, 2 + i % 7 };
            vvWorldSetCancel(w, once, &a);
            vvStatus status = vvWorldStep(w, NULL, &error);
            vvWorldSetCancel(w, NULL, NULL);
            if (status != VV_OK) {
                assert_int_equal(status, VV_CANCELLED);
                cancelled++;
                assert_ok(vvWorldStep(w, NULL, &error));
            }
            vvLedgerRow row = ledger(w), wanted = step(calm);
            assert_true(row.springs == wanted.springs && row.contact == wanted.contact);
            assert_true(same_world(w, calm));
        }
        assert_true(cancelled > 10);
        vvWorldDestroy(w);
        vvWorldDestroy(calm);
    }
}

static void hear(void *user, vvLogLevel level, const char *message)
{
    *(int *)user += level == VV_LOG_WARNING && strstr(message, "are remade in each step, which adds energy");
}

/* Those that throw what rests, under schemes of several stages without a policy, are warned of once, and no others. */
static void what_is_thrown_is_named(void **state)
{
    (void)state;
    static const char *const form[] = { "one-sided", "following" },
                             *const schemes[] = { "backward-euler", "bdf2", "sdirk2", "tr-bdf2", "bathe" },
                             *const policies[] = { "none", "blend" };
    for (int f = 0; f < 2; f++)
        for (int s = 0; s < 5; s++)
            for (int p = s == 0 ? 1 : 2; p-- > 0;) {
                vvWorldDef d = springs_def(form[f], schemes[s], policies[p]);
                vvError error = { 0 };
                int heard = 0;
                d.host.log = (vvLog){ hear, &heard };
                d.contact.friction = 0.5;
                vvWorld *w = drop(&d, 1e-3);
                assert_ok(vvWorldBake(w, &error));
                assert_int_equal(heard, f == 0 && s > 1 && p == 0);
                obstacle(w, "sphere", (double[]){ 5, 5, 5, 1 }, -1);
                step(w);
                assert_int_equal(heard, f == 0 && s > 1 && p == 0);
                vvWorldDestroy(w);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_joule_is_named),
        cmocka_unit_test(it_comes_back_as_high),
        cmocka_unit_test(depth_stays_within_its_bound),
        cmocka_unit_test(it_slides_on_a_slope_or_sticks),
        cmocka_unit_test(what_is_thrown_is_named),
        cmocka_unit_test(an_obstacle_that_moves_does_work),
        cmocka_unit_test(friction_is_booked_to_the_joule),
        cmocka_unit_test(solvers_without_a_barrier_take_what_moves),
        cmocka_unit_test(it_goes_on_the_same),
        cmocka_unit_test(baking_anew_changes_no_energy),
        cmocka_unit_test(solvers_agree),
        cmocka_unit_test(small_budgets_are_stable),
        cmocka_unit_test(what_cannot_be_done_is_refused),
        cmocka_unit_test(bad_values_are_refused_and_extreme_ones_bounded),
        cmocka_unit_test(a_cancelled_step_leaves_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
