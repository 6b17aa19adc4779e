/* Height fields in worlds: bodies that rest in valleys and bowls, are thrown at hills, lie on springs, are carried;
 * copies of the world; what is refused. */
#include "short_memory.h"
#include "size.h"
#include "world_support.h"

#include "visviva/contact.h"

enum { MOST = 65 * 65 };

/* values: those of the table; height(u, w) by the place in the rectangle, -1 to 1 */
static vvObstacleId add_field(vvWorld *w, const double *values, int nx, int nz, double (*height)(double, double),
                              const vvMotionDef *motion)
{
    static double samples[MOST];
    vvError error = { 0 };
    vvObstacleId id;
    vvObstacleDef def = vvDefaultObstacleDef();
    for (int k = 0; k < nz; k++)
        for (int i = 0; i < nx; i++)
            samples[k * nx + i] = height(2.0 * i / (nx - 1) - 1, 2.0 * k / (nz - 1) - 1);
    def.type = "heightfield";
    shape_obstacle(&def, values);
    def.samples = samples;
    def.sampleCounts[0] = nx, def.sampleCounts[1] = nz;
    def.moves = motion != NULL;
    if (motion)
        def.motion = *motion;
    assert_ok(vvWorldAddObstacle(w, &def, &id, &error));
    memset(samples, 0, sizeof samples); /* they are copied */
    return id;
}

static double valley(double u, double w) { return (void)w, fabs(u); }
static double bowl(double u, double w) { return (u - 0.03) * (u - 0.03) + (w + 0.05) * (w + 0.05); }
static double bumps(double u, double w) { return 0.5 + 0.5 * sin(9 * u) * cos(7 * w); }
static double dent(double u, double w) { return u * u + w * w < 0.2 ? 0 : 1; }

static vvBodyId add_damped_ball(vvWorld *w, double radius, double drag, double x, double y, double z)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("corotated", 5e4);
    def.material.damping.drag = drag;
    def.translate[0] = x, def.translate[1] = y, def.translate[2] = z;
    return add_ball(w, radius, 2, &def);
}

static vvBodyId add_soft_ball(vvWorld *w, double radius, double x, double y, double z)
{
    return add_damped_ball(w, radius, 0, x, y, z);
}

static vvWorldDef ground_def(double h)
{
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = h;
    d.integrator.groundMode = VV_GROUND_NONE;
    d.threads = 1;
    return d;
}

static void centre(const vvWorld *w, double c[3])
{
    double mass = 0;
    memset(c, 0, 3 * sizeof *c);
    for (int i = 0; i < vvWorldNodeCount(w); i++) {
        mass += vvWorldMasses(w)[i];
        for (int k = 0; k < 3; k++)
            c[k] += vvWorldMasses(w)[i] * vvWorldPositions(w)[3 * i + k];
    }
    for (int k = 0; k < 3; k++)
        c[k] /= mass;
}

/* A ball whose lowest vertices are above the bottom of a V lies there, without friction: each step's solve converges,
 * to balanced forces. */
static void newton_converges_in_a_valley(void **state)
{
    (void)state;
    /* a valley that is narrower than the barrier is thick, and a wide one */
    for (int narrow = 0; narrow < 2; narrow++) {
        vvWorldDef d = ground_def(1.0 / 60);
        vvError error = { 0 };
        vvStepReport report;
        d.contact.distance = 5e-3;
        d.solver.tolerance = 1e-4;
        vvWorld *w = new_world(&d);
        const double values[10] = { 0, 0, 0, 1, 1, 0, 0, 0, narrow ? 0.002 : 0.4, 0.2 };
        int most = 0, all = 0, count = 0;
        add_field(w, values, 3, 2, valley, NULL);
        add_damped_ball(w, 0.1, 10, 0, narrow ? 0.12 : 0.16, 0.1);
        for (int i = 0; i < 60; i++) {
            assert_ok(vvWorldStep(w, &report, &error));
            assert_int_equal(report.end, VV_SOLVE_CONVERGED);
            most = report.newtonIterations > most ? report.newtonIterations : most;
            all += report.newtonIterations;
        }
        print_message("%s valley: %d Newton iterations in 60 steps, at most %d\n", narrow ? "flat" : "deep", all, most);
        assert_true(most <= 40 && all < 900);
        const vvContactPoint *points;
        double force[3] = { 0 }, weight = 0;
        assert_ok(vvWorldContactPoints(w, &points, &count, &error));
        for (int i = 0; i < count; i++)
            for (int k = 0; k < 3; k++)
                force[k] += points[i].force * points[i].normal[k];
        for (int i = 0; i < vvWorldNodeCount(w); i++)
            weight += 9.8 * vvWorldMasses(w)[i];
        assert_true(count > 0);
        assert_near(force[1], weight, 0.05 * weight);
        assert_near(force[0], 0, 0.05 * weight);
        assert_true(ledger(w).minGap > 0);
        vvWorldDestroy(w);
    }
}

/* A ball rolls down a bowl and comes to rest; the finer the field, the nearer to where a much finer one lets it lie. */
static void a_ball_settles_in_a_bowl(void **state)
{
    (void)state;
    static const int samples[3] = { 9, 17, 65 };
    double at[3][3];
    for (int f = 0; f < 3; f++) {
        vvWorldDef d = ground_def(1.0 / 30);
        vvWorld *w = new_world(&d);
        const double values[10] = { 0, 0, 0, 1.2, 1.2, 0, 0, 0, 0.3, 0.1 };
        add_field(w, values, samples[f], samples[f], bowl, NULL);
        add_damped_ball(w, 0.1, 3, 0.3, 0.26, 0.1);
        vvLedgerRow row = steps(w, sized(100, 160, 400));
        assert_true(row.minGap > 0);
        centre(w, at[f]);
        print_message("%d x %d: (%.5f, %.5f, %.5f), kinetic %.2g J\n", samples[f], samples[f], at[f][0], at[f][1],
                      at[f][2], row.kinetic);
        vvWorldDestroy(w);
    }
    const double coarse = distance3(at[0], at[2]), fine = distance3(at[1], at[2]);
    assert_near(at[2][0], 0.6 * 0.03, 0.01);
    assert_near(at[2][2], -0.6 * 0.05, 0.01);
    assert_less(fine, 0.6 * coarse);
}

/* At 1 km/s into hills: whatever the solver and its budget, nothing is inside after a step, and the energy is
 * finite. */
static void nothing_is_thrown_through_hills(void **state)
{
    (void)state;
    static const struct {
        const char *method, *scheme;
        int budget;
    } rows[] = { { "newton", "backward-euler", 0 },        { "newton", "bdf2", 2 },
                 { "block-descent", "backward-euler", 1 }, { "block-descent", "backward-euler", 20 },
                 { "lbfgs", "backward-euler", 1 },         { "newton", "verlet", 0 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vvWorldDef d = ground_def(1.0 / 60);
        vvError error = { 0 };
        d.integrator.scheme = rows[i].scheme;
        d.solver.method = rows[i].method;
        d.solver.budget = rows[i].budget;
        d.contact.friction = 0.3;
        vvWorld *w = new_world(&d);
        const double values[10] = { 0, 0, 0, 3, 2, 0, 0, 0, 0.5, 0.1 };
        add_field(w, values, 33, 25, bumps, NULL);
        vvBodyId ball = add_soft_ball(w, 0.1, -0.8, 1, 0.1);
        int done = 0;
        set_state(w, ball, "linear", (double[]){ 700, -700, 60 });
        assert_true(ledger(w).minGap > 0);
        for (int k = 0; k < 8; k++) {
            vvStatus status = vvWorldStep(w, NULL, &error);
            vvLedgerRow row = ledger(w);
            assert_true(row.minGap > 0 && isfinite(row.total));
            done += status == VV_OK;
            if (status != VV_OK) {
                assert_int_equal(status, VV_ERROR_SOLVER);
                break;
            }
        }
        print_message("%-14s %-15s budget %2d: %d steps\n", rows[i].method, rows[i].scheme, rows[i].budget, done);
        if (strcmp(rows[i].scheme, "verlet") != 0)
            assert_int_equal(done, 8);
        vvWorldDestroy(w);
    }
}

/* Springs: the ball sinks in as far as they give way, and is pushed out along the nearest face. */
static void springs_hold_on_bumps(void **state)
{
    (void)state;
    static const char *const methods[] = { "newton", "local-global", "xpbd" };
    for (int m = 0; m < 3; m++) {
        vvWorldDef d = ground_def(1.0 / 60);
        d.contact.model = "springs";
        d.contact.self = false;
        d.solver.method = methods[m];
        vvWorld *w = new_world(&d);
        vvError error = { 0 };
        vvStepReport report;
        double deepest = 0, c[3];
        const double values[10] = { 0, 0, 0, 1.5, 1.5, 0, 0, 0, 0.1, 1 };
        add_field(w, values, 17, 17, bumps, NULL);
        add_soft_ball(w, 0.1, 0, 0.3, 0);
        for (int i = 0; i < 60; i++) {
            assert_ok(vvWorldStep(w, &report, &error));
            deepest = fmax(deepest, report.depth);
        }
        centre(w, c);
        print_message("%-12s deepest %.2g m, then at (%.3f, %.3f, %.3f)\n", methods[m], deepest, c[0], c[1], c[2]);
        assert_true(deepest > 0 && deepest < 0.05 && c[1] > 0.05 && c[1] < 0.3);
        vvWorldDestroy(w);
    }
}

/* A dented plate lifts a ball and tips it; the work is what it gains. */
static void a_moving_field_carries(void **state)
{
    (void)state;
    static const vvWaypoint way[] = { { .time = 0.3 },
                                      { .time = 0.8, .offset = { 0, 0.2, 0 } },
                                      { .time = 1.2, .offset = { 0, 0.2, 0 }, .turn = { 0, 0, 10 } } };
    vvWorldDef d = ground_def(1.0 / 60);
    vvMotionDef motion = vvDefaultMotionDef();
    vvLedgerTotals totals;
    double before[3], lifted[3], after[3];
    motion.waypoints = way;
    motion.waypointCount = 3;
    vvWorld *w = new_world(&d);
    const double values[10] = { 0, 0, 0, 1, 1, 0, 0, 0, 0.08, 0.05 };
    vvBodyId ball = add_soft_ball(w, 0.1, 0, 0.12, 0);
    add_field(w, values, 11, 11, dent, &motion);
    int first, count;
    vvBodyNodes(w, ball, &first, &count);
    vvLedgerRow start = steps(w, 18);
    memset(before, 0, sizeof before), memset(lifted, 0, sizeof lifted), memset(after, 0, sizeof after);
    for (int phase = 0; phase < 3; phase++) {
        double *to = phase == 0 ? before : phase == 1 ? lifted : after;
        if (phase > 0)
            steps(w, phase == 1 ? 30 : 24);
        for (int i = first; i < first + count; i++)
            for (int k = 0; k < 3; k++)
                to[k] += vvWorldPositions(w)[3 * i + k] / count;
    }
    vvLedgerRow end = ledger(w);
    vvWorldTotals(w, &totals);
    print_message("lifted by %.4f m, work %.3f J, gravity %.3f J\n", lifted[1] - before[1], totals.work,
                  end.gravity - start.gravity);
    assert_near(lifted[1] - before[1], 0.2, 0.02);
    assert_true(after[0] < -0.005 && fabs(after[0]) < 0.35); /* the dent's low side */
    assert_less(0.5 * (end.gravity - start.gravity), totals.work);
    assert_true(totals.minGap > 0);
    vvWorldDestroy(w);
}

/* A snapshot holds the field also when the world has no more of it; threads change no bit. */
static void copies_share_the_field(void **state)
{
    (void)state;
    double *reference = NULL;
    for (int threads = 1; threads <= 4; threads += 3) {
        vvWorldDef d = ground_def(1.0 / 60);
        d.threads = threads;
        vvWorld *w = new_world(&d);
        vvError error = { 0 };
        vvSnapshot *s;
        const double values[10] = { 0, 0, 0, 1.5, 1.5, 0, 0, 0, 0.1, 1 };
        vvObstacleId id = add_field(w, values, 65, 65, bumps, NULL);
        int counts[3];
        add_soft_ball(w, 0.1, 0.05, 0.22, 0);
        steps(w, 10);
        assert_ok(vvWorldSnapshot(w, &s, &error));
        assert_true(vvSnapshotBytes(s) > 65 * 65 * sizeof(double));
        steps(w, 5);
        double *first = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w));
        assert_ok(vvWorldRemoveObstacle(w, id, &error));
        assert_null(vvWorldObstacleSamples(w, 0, counts));
        assert_int_equal(counts[0], 0);
        assert_true(steps(w, 5).minGap == INFINITY);
        assert_ok(vvWorldRestore(w, s, &error));
        vvSnapshotDestroy(s);
        const double *samples = vvWorldObstacleSamples(w, 0, counts);
        assert_true(counts[0] == 65 && counts[1] == 65 && samples[70] == bumps(2.0 * 5 / 64 - 1, 2.0 / 64 - 1));
        steps(w, 5);
        assert_memory_equal(first, vvWorldPositions(w), 3 * (size_t)vvWorldNodeCount(w) * sizeof *first);
        if (reference)
            assert_memory_equal(first, reference, 3 * (size_t)vvWorldNodeCount(w) * sizeof *first);
        else
            reference = copy_of(first, 3 * vvWorldNodeCount(w));
        free(first);
        vvWorldDestroy(w);
    }
    free(reference);
}

/* Adding, copying and removing, with each allocation failing in turn: an error each time, and all memory comes back. */
static void short_memory_is_an_error(void **state)
{
    (void)state;
    for (int k = 0, failed = 1; failed; k++) {
        budget b = { .left = 1 << 30 };
        vvWorldDef d = ground_def(1.0 / 60);
        vvError error = { 0 };
        vvWorld *w;
        vvSnapshot *s = NULL;
        vvObstacleDef def = vvDefaultObstacleDef();
        double samples[30] = { 0.1, 0.4, 0.2 };
        vvMotionDef motion = vvDefaultMotionDef();
        d.host.allocator = budget_allocator(&b);
        w = new_world(&d);
        def.type = "heightfield";
        def.samples = samples;
        def.sampleCounts[0] = 5, def.sampleCounts[1] = 6;
        def.moves = k % 2;
        def.motion = motion;
        b.left = k / 2;
        vvStatus status = vvWorldAddObstacle(w, &def, NULL, &error);
        if (status == VV_OK)
            status = vvWorldSnapshot(w, &s, &error);
        failed = status != VV_OK || k % 2 == 0;
        assert_true(status == VV_OK || status == VV_ERROR_MEMORY);
        b.left = 1 << 30;
        if (status == VV_OK)
            assert_ok(vvWorldRemoveObstacle(w, vvWorldObstacleAt(w, 0), &error));
        vvSnapshotDestroy(s);
        vvWorldDestroy(w);
        assert_int_equal(b.live, 0);
    }
}

static void bad_definitions_are_refused(void **state)
{
    (void)state;
    vvWorldDef d = ground_def(1.0 / 60);
    vvWorld *w = new_world(&d);
    vvError error = { 0 };
    double samples[4] = { 0, 0, NAN, 0 }, values[10] = { 0, 0, 0, 1, 1, 0, 0, 0, 1, 1 };
    vvObstacleDef def = vvDefaultObstacleDef();
    def.samples = samples;
    def.sampleCounts[0] = def.sampleCounts[1] = 2;
    assert_int_equal(vvWorldAddObstacle(w, &def, NULL, &error), VV_ERROR_INPUT);
    assert_string_equal(error.message, "vvObstacleDef.samples: an obstacle \"plane\" has none; leave it NULL");
    def.type = "heightfield";
    shape_obstacle(&def, values);
    assert_int_equal(vvWorldAddObstacle(w, &def, NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "heightfield.heights[2] is "));
    samples[2] = 0;
    def.sampleCounts[1] = 1;
    assert_int_equal(vvWorldAddObstacle(w, &def, NULL, &error), VV_ERROR_INPUT);
    assert_string_equal(error.message, "heightfield.heights: 2 x 1 of them; allowed: 2 to 8193 along each direction");
    def.sampleCounts[1] = 2;
    static const struct {
        int at;
        double value;
        const char *name;
    } bad[] = { { 3, 0, "size" },     { 4, -1, "size" }, { 8, 0, "height" },
                { 8, NAN, "height" }, { 9, 0, "depth" }, { 0, INFINITY, "center" } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const double good = values[bad[i].at];
        values[bad[i].at] = bad[i].value;
        shape_obstacle(&def, values);
        assert_int_equal(vvWorldAddObstacle(w, &def, NULL, &error), VV_ERROR_INPUT);
        assert_non_null(strstr(error.message, bad[i].name));
        values[bad[i].at] = good;
    }
    assert_int_equal(vvWorldObstacleCount(w), 0);
    shape_obstacle(&def, values);
    def.samples = NULL; /* flat ground */
    assert_ok(vvWorldAddObstacle(w, &def, NULL, &error));
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newton_converges_in_a_valley),    cmocka_unit_test(a_ball_settles_in_a_bowl),
        cmocka_unit_test(nothing_is_thrown_through_hills), cmocka_unit_test(springs_hold_on_bumps),
        cmocka_unit_test(a_moving_field_carries),          cmocka_unit_test(copies_share_the_field),
        cmocka_unit_test(short_memory_is_an_error),        cmocka_unit_test(bad_definitions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
