/* Prescribed nodes that contact or elements stand in the way of: they arrive where their script says, through
 * whatever gives way, with nothing inverted or intersecting; a motion that cannot be followed ends in reasonable time
 * and leaves the world as it was. */
#include "size.h"
#include "world_support.h"

#include "visviva/contact.h"

static const struct way {
    const char *scheme, *policy;
    double h;
} ways[] = { { "backward-euler", "none", 1.0 / 120 },
             { "bdf2", "none", 1.0 / 30 },
             { "backward-euler", "search", 1.0 / 30 } };
enum { WAYS = sizeof ways / sizeof *ways };

static vvWorldDef def_of(const struct way *way)
{
    vvWorldDef d = vvDefaultWorldDef();
    d.gravity[1] = 0;
    d.timeStep = way->h;
    d.integrator.scheme = way->scheme;
    d.integrator.policy = way->policy;
    d.integrator.groundMode = VV_GROUND_NONE;
    d.threads = 1;
    return d;
}

static vvWorld *world_of(const struct way *way)
{
    vvWorldDef d = def_of(way);
    return new_world(&d);
}

static vvBodyId soft_ball(vvWorld *w, const char *name, const char *model, double x)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.name = name;
    def.material = material(model, 1e5);
    def.translate[0] = x;
    return add_ball(w, 0.05, 3, &def);
}

/* A plate 2 cm thick across x. */
static vvBodyId plate(vvWorld *w, const char *name, double x, const vvMotionDef *motion)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.name = name;
    def.kinematic = true;
    def.translate[0] = x;
    if (motion)
        def.motion = *motion;
    return add_box_def(w, (double[]){ 0.02, 0.3, 0.3 }, (int[]){ 1, 4, 4 }, 5, &def);
}

static vvMotionDef along_x(double speed, double end)
{
    vvMotionDef m = vvDefaultBodyDef().motion;
    m.linearVelocity[0] = speed;
    if (end > 0)
        m.endTime = end;
    return m;
}

/* Nothing intersects or is inverted; the body stands where its motion of `speed` has it. */
static void look(vvWorld *w, vvBodyId driven, double x0, double speed, double end)
{
    vvError error = { 0 };
    int first, count, crossings;
    vvLedgerRow row = ledger(w);
    assert_less(0, row.minGap);
    assert_less(0, row.minJ);
    assert_ok(vvWorldFindIntersections(w, NULL, 0, &crossings, &error));
    assert_int_equal(crossings, 0);
    vvBodyNodes(w, driven, &first, &count);
    double low = INFINITY, at = x0 - 0.01 + speed * fmin(vvWorldTime(w), end);
    for (int i = first; i < first + count; i++)
        low = fmin(low, vvWorldPositions(w)[3 * i]);
    assert_near(low, at, 1e-12);
}

static vvLedgerTotals totals(const vvWorld *w)
{
    vvLedgerTotals t;
    vvWorldTotals(w, &t);
    return t;
}

/* To a third of its height within a tenth of a second: three contacts a step give way. */
static void test_press(void **state)
{
    (void)state;
    static const vvWaypoint points[] = { { 0, { 0, 0, 0 }, { 0, 0, 0 } },
                                         { 0.1, { -0.082, 0, 0 }, { 0, 0, 0 } },
                                         { 0.2, { -0.082, 0, 0 }, { 0, 0, 0 } },
                                         { 0.4, { 0.1, 0, 0 }, { 0, 0, 0 } } };
    for (int k = 0; k < WAYS; k++) {
        vvWorld *w = world_of(ways + k);
        vvMotionDef m = along_x(0, 0);
        m.waypoints = points, m.waypointCount = 4;
        soft_ball(w, "ball", "neo-hookean", 0);
        plate(w, "left", -0.061, NULL);
        plate(w, "right", 0.061, &m);
        while (vvWorldTime(w) < 0.2) {
            step(w);
            assert_less(0, ledger(w).minGap);
            assert_less(0, ledger(w).minJ);
        }
        vvLedgerRow held = ledger(w), end = held;
        /* what the plates did is in the ball, and is theirs again when they let go: slower than the ball would
         * follow */
        double work = totals(w).work;
        assert_less(1, held.elastic);
        assert_less(0.9 * held.elastic, work);
        while (vvWorldTime(w) < 0.4) {
            end = step(w);
            assert_less(0, end.minGap);
            assert_less(0, end.minJ);
        }
        vvLedgerTotals all = totals(w);
        assert_less(-all.error, (k ? 0.5 : 0.06) * end.scale);
        assert_less(all.error, 1e-9 * end.scale); /* no energy from nowhere */
        assert_less(all.work, work);
        vvWorldDestroy(w);
    }
}

/* A plate comes at 50 m/s: in one step it goes several times the ball's size. */
static void test_paddle(void **state)
{
    (void)state;
    for (int k = 0; k < WAYS; k++) {
        vvWorld *w = world_of(ways + k);
        soft_ball(w, "ball", "neo-hookean", 0);
        vvMotionDef m = along_x(50, 0.04);
        vvBodyId p = plate(w, "paddle", -0.1, &m);
        while (vvWorldTime(w) < 0.07) {
            step(w);
            look(w, p, -0.1, 50, 0.04);
        }
        vvWorldDestroy(w);
    }
}

/* Plates that meet with a ball between them; halves of two balls that are driven into each other. */
static void fail_at_last(vvWorld *w, int most, const char *body, const char *other, const char *third)
{
    vvError error = { 0 };
    vvStepReport report = { 0 };
    vvStatus status = VV_OK;
    int n = 3 * vvWorldNodeCount(w), taken = 0;
    double *x = NULL, *v = NULL;
    while (status == VV_OK) {
        free(x), free(v);
        x = copy_of(vvWorldPositions(w), n), v = copy_of(vvWorldVelocities(w), n);
        status = vvWorldStep(w, &report, &error);
        assert_true(taken++ < most);
    }
    assert_int_equal(status, VV_ERROR_SOLVER);
    assert_non_null(strstr(error.message, "cannot be followed"));
    assert_less(report.newtonIterations, 400);
    /* it names the two that stand in the way, and who holds from the other side */
    assert_string_equal(report.stall.term, "motion");
    const vvStall *stall = &report.stall;
    bool straight = strcmp(stall->body, body) == 0 && strcmp(stall->other, other) == 0;
    bool turned = strcmp(stall->body, other) == 0 && strcmp(stall->other, body) == 0;
    if (!straight && !turned)
        fail_msg("\"%s\" and \"%s\" in place of \"%s\" and \"%s\"", stall->body, stall->other, body, other);
    assert_non_null(strstr(error.message, stall->body));
    assert_non_null(strstr(error.message, stall->other));
    assert_non_null(strstr(error.message, third));
    if (!strstr(error.message, "are blocked by contact"))
        fail_msg("%s", error.message);
    assert_less(fabs(stall->point[0]), 0.08);
    assert_memory_equal(x, vvWorldPositions(w), (size_t)n * sizeof *x);
    assert_memory_equal(v, vvWorldVelocities(w), (size_t)n * sizeof *v);
    /* and so it is when tried again */
    char message[sizeof error.message];
    memcpy(message, error.message, sizeof message);
    assert_int_equal(vvWorldStep(w, NULL, &error), VV_ERROR_SOLVER);
    assert_string_equal(message, error.message);
    free(x), free(v);
}

static void test_crush(void **state)
{
    (void)state;
    for (int k = 0; k < sized(1, WAYS, WAYS); k++)
        for (int material = 0; material < (k ? 1 : 2); material++) {
            vvWorld *w = world_of(ways + k);
            soft_ball(w, "ball", material ? "fixed-corotated" : "neo-hookean", 0);
            vvMotionDef m = along_x(-1, 0);
            plate(w, "left", -0.061, NULL);
            plate(w, "right", 0.061, &m);
            fail_at_last(w, 16, "ball", "right", "\"left\"");
            vvWorldDestroy(w);
        }
}

static void test_driven_through(void **state)
{
    (void)state;
    for (int k = 0; k < sized(1, WAYS, WAYS); k++) {
        vvWorld *w = world_of(ways + k);
        for (int side = -1; side < 2; side += 2) {
            vvAttachDef a = vvDefaultAttachDef();
            vvBodyId ball = soft_ball(w, side < 0 ? "left" : "right", "neo-hookean", 0.06 * side);
            a.where = (vvRegion){ .kind = VV_REGION_PERCENT,
                                  .a = { side < 0 ? 0 : 70, 0, 0 },
                                  .b = { side < 0 ? 30 : 100, 100, 100 } };
            a.motion.linearVelocity[0] = -side;
            attach(w, ball, &a);
        }
        fail_at_last(w, 16, "left", "right", "off balance");
        vvWorldDestroy(w);
    }
}

/* A solve that is given too few iterations says where it stands: at the only contact there is, whose force is out of
 * balance. A world without contact says so of elastic forces, one that converges says nothing. */
static void test_short_of(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int touching = 0; touching < 2; touching++) {
        vvWorldDef d = def_of(ways);
        vvStepReport report;
        d.solver.maxIterations = 1;
        d.solver.tolerance = 1e-9;
        vvWorld *w = new_world(&d);
        vvBodyId ball = soft_ball(w, "ball", "neo-hookean", 0), still = soft_ball(w, "still", "neo-hookean", 1);
        if (touching) {
            plate(w, "wall", -0.0605, NULL);
            set_state(w, ball, "linear", (double[]){ -1, 0, 0 });
        } else {
            set_state(w, ball, "stretch", (double[]){ 1.3, 1, 1, NAN, NAN, NAN });
        }
        assert_ok(vvWorldStep(w, &report, &error));
        assert_int_equal(report.end, VV_SOLVE_ITERATION_LIMIT);
        assert_string_equal(report.stall.body, "ball");
        assert_string_equal(report.stall.other, touching ? "wall" : "");
        assert_non_null(strstr(report.note, "off balance"));
        assert_string_equal(report.stall.term, touching ? "contact" : "elastic");
        assert_non_null(strstr(report.note, report.stall.term));
        assert_ok(vvWorldRemoveBody(w, ball, &error));
        (void)still;
        assert_ok(vvWorldStep(w, &report, &error));
        assert_int_equal(report.end, VV_SOLVE_CONVERGED);
        assert_string_equal(report.stall.body, "");
        assert_string_equal(report.stall.term, "");
        assert_null(strstr(report.note, "off balance"));
        vvWorldDestroy(w);
    }
}

/* A ball that is held below the middle goes down by whole eighths: its lowest node would end a step on the plane
 * exactly, or one rounding error above it. That is no place to be, and is said as any other motion that cannot be
 * followed. */
static void test_onto_the_plane(void **state)
{
    (void)state;
    for (int k = 0; k < WAYS; k++)
        for (int above = 0; above < 2; above++) {
            vvError error = { 0 };
            vvStepReport report = { 0 };
            vvStatus status = VV_OK;
            vvWorldDef d = def_of(ways + k);
            d.timeStep = 1.0 / 64;
            vvWorld *w = new_world(&d);
            vvBodyDef def = vvDefaultBodyDef();
            def.name = "box";
            def.material = material("neo-hookean", 1e5);
            def.translate[1] = 0.25 + (above ? 1e-16 : 0);
            vvBodyId box = add_box_def(w, (double[]){ 0.25, 0.25, 0.25 }, (int[]){ 2, 2, 2 }, 5, &def);
            obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0);
            vvAttachDef hold = vvDefaultAttachDef();
            hold.where.kind = VV_REGION_HALF_SPACE;
            hold.where.a[0] = 0, hold.where.a[1] = 0.2, hold.where.a[2] = 0;
            hold.where.b[0] = 0, hold.where.b[1] = -1, hold.where.b[2] = 0;
            hold.motion.linearVelocity[1] = -1; /* 1/64 m a step, 8 steps */
            attach(w, box, &hold);
            int taken = 0;
            while (status == VV_OK && taken < 12) {
                status = vvWorldStep(w, &report, &error);
                taken += status == VV_OK;
            }
            assert_int_equal(status, VV_ERROR_SOLVER);
            assert_int_equal(taken, 7);
            assert_non_null(strstr(error.message, "cannot be followed"));
            assert_non_null(strstr(error.message, "of \"box\" and obstacle 0"));
            assert_string_equal(report.stall.term, "motion");
            assert_less(totals(w).work, 100); /* the box is set in motion: 8 J */
            vvWorldDestroy(w);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_press),    cmocka_unit_test(test_paddle),
                                        cmocka_unit_test(test_crush),    cmocka_unit_test(test_driven_through),
                                        cmocka_unit_test(test_short_of), cmocka_unit_test(test_onto_the_plane) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
