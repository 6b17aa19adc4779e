/* Lengths and speeds relative to the scene's: what they are in metres, that nothing else has a length of its own, and
 * that a scene of 1 mm and one of 100 m run with the defaults. */
#include "live_support.h"
#include "size.h"
#include "visviva/settings.h"

/* A box that falls onto the ground at an angle, and a ball that falls onto both; the scene is about 1.2 x `size`
 * long. */
static vvWorld *toss(const vvWorldDef *d, double size, double young, double speed)
{
    vvWorld *w = new_world(d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("neo-hookean", young);
    def.friction = 0.3;
    def.translate[1] = 0.42 * size;
    def.rotate[0] = 20, def.rotate[1] = 10, def.rotate[2] = 30;
    vvBodyId box = add_box_def(w, (double[]){ 0.4 * size, 0.4 * size, 0.4 * size }, (int[]){ 2, 2, 2 }, 6, &def);
    set_state(w, box, "linear", (double[]){ speed, 0, 0 });
    def.translate[0] = 0.05 * size, def.translate[1] = size, def.translate[2] = 0.02 * size;
    add_ball(w, 0.2 * size, 3, &def);
    obstacle(w, "plane", NULL, -1);
    return w;
}

static vvWorldDef toss_def(void)
{
    vvWorldDef d = vvDefaultWorldDef();
    d.integrator.groundMode = VV_GROUND_NONE;
    d.solver.linear = exact_solver();
    d.threads = 1;
    return d;
}

/* ---- what they are ---- */

static void percentages_of_the_movable_bodies(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = toss_def();
    d.contact.relativeDistance = 2e-3;
    d.contact.relativeFrictionSpeed = 5e-3;
    d.solver.relativeTolerance = 0.04;
    d.contact.distance = 7, d.contact.frictionSpeed = 7, d.solver.tolerance = 7; /* do not count */
    vvWorld *w = new_world(&d);
    assert_true(vvWorldLength(w) == 0 && vvWorldFrictionSpeed(w, (vvBodyId){ 9, 9 }) == 0); /* not known yet */
    vvBodyDef ground = vvDefaultBodyDef(), def = vvDefaultBodyDef();
    ground.kinematic = true;
    ground.translate[1] = -1;
    add_box_def(w, (double[]){ 500, 0.1, 500 }, (int[]){ 1, 1, 1 }, 5, &ground);
    add_box_def(w, (double[]){ 0.2, 0.2, 0.1 }, (int[]){ 1, 1, 1 }, 5, &def);
    def.scale[0] = def.scale[1] = def.scale[2] = 0.5, def.translate[0] = 1; /* as placed: to x = 1.05 */
    vvBodyId other = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 1, 1, 1 }, 5, &def);
    assert_ok(vvWorldBake(w, &error));
    double length = sqrt(1.125 * 1.125 + 0.04 + 0.01);
    const vvWorldDef *got = vvWorldGetDef(w);
    for (int pass = 0; pass < 2; pass++) {
        assert_near(vvWorldLength(w), length, 1e-12);
        assert_near(got->contact.distance, 2e-3 * length, 1e-14);
        assert_near(got->contact.frictionSpeed, 5e-3 * length, 1e-14);
        assert_near(got->solver.tolerance, 0.04 * length, 1e-14);
        steps(w, 2);
        if (pass == 0)
            assert_ok(vvWorldRemoveBody(w, other, &error)); /* a run keeps its lengths */
    }
    vvWorldDestroy(w);
}

static void defaults_follow_the_length(void **state)
{
    (void)state;
    static const double rows[][3] = { /* the length, m; d-hat, m; tolerance, m/s */
                                      { 1e-3, 1e-5, 3e-4 }, { 0.02, 2e-4, 6e-3 }, { 0.1, 1e-3, 0.01 },
                                      { 1, 1e-3, 0.01 },    { 10, 0.01, 0.01 },   { 100, 0.1, 0.1 }
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vvError error = { 0 };
        vvWorldDef d = toss_def();
        for (int given = 0; given < 2; given++) {
            vvWorld *w = new_world(&d);
            double side = rows[i][0] / sqrt(3);
            vvBodyDef def = vvDefaultBodyDef();
            def.friction = 0.1;
            add_box_def(w, (double[]){ side, side, side }, (int[]){ 1, 1, 1 }, 5, &def);
            obstacle(w, "plane", (double[]){ 0, -side, 0, 0, 1, 0 }, -1);
            assert_ok(vvWorldBake(w, &error));
            const vvWorldDef *got = vvWorldGetDef(w);
            assert_near(got->contact.distance, given ? 3e-6 : rows[i][1], 1e-12 * rows[i][0]);
            assert_near(got->solver.tolerance, given ? 5e-5 : rows[i][2], 1e-12 * rows[i][0]);
            assert_near(got->contact.frictionSpeed, given ? 6e-5 : 1e-3 * rows[i][0], 1e-12 * rows[i][0]);
            vvWorldDestroy(w);
            /* given: whatever the length */
            d.contact.distance = 3e-6, d.solver.tolerance = 5e-5, d.contact.frictionSpeed = 6e-5;
        }
    }
}

/* Small bodies far apart keep the distance and the tolerance that suit them. */
static void defaults_fit_the_smallest_body(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = toss_def();
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    for (int i = 0; i < 2; i++) {
        def.translate[0] = 300 * i;
        double side = i ? 0.01 : 20;
        add_box_def(w, (double[]){ side, side, side }, (int[]){ 1, 1, 1 }, 5, &def);
    }
    assert_ok(vvWorldBake(w, &error));
    const double smallest = 0.01 * sqrt(3);
    assert_near(vvWorldGetDef(w)->contact.distance, 0.01 * smallest, 1e-12);
    assert_near(vvWorldGetDef(w)->solver.tolerance, 0.3 * smallest, 1e-12);
    vvWorldDestroy(w);
}

/* A box that sticks on a slope of 10 degrees, and: 0 nothing else, 1 a box 10 km away, 2 one of 300 m for a slope. */
static vvWorld *sticking(int what, vvBodyId id[2])
{
    const double slope = 10 * acos(-1) / 180;
    vvWorldDef d = toss_def();
    d.timeStep = 1.0 / 60;
    d.contact.friction = 0.5;
    d.contact.distance = 1e-3; /* the box is placed within it, and means it */
    d.contact.stick = false;   /* how much it creeps is asked */
    d.gravity[0] = 9.8 * sin(slope), d.gravity[1] = -9.8 * cos(slope);
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("neo-hookean", 1e6);
    def.translate[1] = 0.0508;
    id[0] = add_box_def(w, (double[]){ 0.2, 0.1, 0.2 }, (int[]){ 2, 1, 2 }, 5, &def);
    if (what == 1) {
        def.translate[0] = 1e4, def.translate[1] = 100;
        id[1] = add_box_def(w, (double[]){ 1, 1, 1 }, (int[]){ 1, 1, 1 }, 5, &def);
        vvAttachDef all = vvDefaultAttachDef();
        all.where = (vvRegion){ .kind = VV_REGION_ALL };
        attach(w, id[1], &all);
    }
    if (what == 2) {
        def.translate[1] = -0.25;
        def.material = vvDefaultMaterialOf("affine");
        id[1] = add_box_def(w, (double[]){ 300, 0.5, 2 }, (int[]){ 1, 1, 1 }, 5, &def);
        vvAttachDef all = vvDefaultAttachDef();
        all.where = (vvRegion){ .kind = VV_REGION_ALL };
        attach(w, id[1], &all);
    } else {
        obstacle(w, "plane", NULL, -1);
    }
    return w;
}

/* What friction a body has is its own matter and that of what it touches. */
static void others_have_no_part_in_friction(void **state)
{
    (void)state;
    double alone[3 * 18];
    for (int what = 0; what < 3; what++) {
        vvBodyId id[2];
        vvWorld *w = sticking(what, id);
        vvError error = { 0 };
        assert_ok(vvWorldBake(w, &error));
        double start[3 * 18];
        memcpy(start, vvWorldPositions(w), sizeof start);
        steps(w, 60);
        const double *q = vvWorldPositions(w), slid = q[0] - start[0];
        print_message("slid %.4g mm; smoothed below %.3g m/s\n", 1e3 * slid, vvWorldFrictionSpeed(w, id[0]));
        assert_near(vvWorldFrictionSpeed(w, id[0]), 3e-4, 1e-12);
        assert_true(what == 0 || vvWorldFrictionSpeed(w, id[1]) > 1e-3);
        assert_true(slid > 0 && slid < 2e-4);
        if (what == 0)
            memcpy(alone, q, sizeof alone);
        if (what == 1) /* the same motion, whatever is 10 km away */
            for (int k = 0; k < 3 * 18; k++)
                assert_near(q[k], alone[k], 1e-9);
        vvWorldDestroy(w);
    }
}

/* A twin that is made of a snapshot only has the lengths of the world it is of, not those of the bodies that are
 * left. */
static void a_snapshot_has_the_lengths(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = toss_def();
    d.contact.relativeDistance = 4e-3;
    vvWorld *w = toss(&d, 0.5, 1e5, 0.3);
    steps(w, 5);
    double reach = vvWorldGetDef(w)->contact.distance;
    assert_ok(vvWorldRemoveBody(w, vvWorldBody(w, 1), &error));
    steps(w, 2);
    vvSnapshot *snapshot;
    assert_ok(vvWorldSnapshot(w, &snapshot, &error));
    vvWorld *other = new_world(&d);
    assert_ok(vvWorldRestore(other, snapshot, &error));
    expect_same(w, other, sized(20, 40, 40), "a body less");
    assert_true(vvWorldGetDef(other)->contact.distance == reach && vvWorldLength(other) == vvWorldLength(w));
    vvSnapshotDestroy(snapshot);
    vvWorldDestroy(w);
    vvWorldDestroy(other);
}

/* Setters take a copy of the definition in use, whose lengths are in metres: what the world has chosen stays the
 * world's choice. */
static void setters_keep_what_is_relative(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = toss_def();
    vvWorld *w = toss(&d, 0.01, 1e5, 0.3);
    steps(w, 3);
    double length = vvWorldLength(w);
    vvContactDef contact = vvWorldGetDef(w)->contact;
    contact.stiffness *= 2;
    assert_ok(vvWorldSetContact(w, &contact, &error));
    contact.relativeDistance = 0.02;
    assert_ok(vvWorldSetContact(w, &contact, &error));
    assert_near(vvWorldGetDef(w)->contact.distance, 0.02 * length, 1e-14);
    steps(w, 3);
    contact = vvWorldGetDef(w)->contact;
    contact.relativeDistance = 0;
    contact.distance = 0; /* the default */
    assert_ok(vvWorldSetContact(w, &contact, &error));
    const double chosen = vvWorldGetDef(w)->contact.distance; /* 3% of the ball, which is the smaller one */
    assert_true(chosen > 0.01 * 0.38 * 0.01 * sqrt(3) && chosen < 0.01 * 0.4 * 0.01 * sqrt(3));
    vvSolverDef solver = vvWorldGetDef(w)->solver;
    solver.relativeTolerance = 1e-3;
    assert_ok(vvWorldSetSolver(w, &solver, &error));
    assert_near(vvWorldGetDef(w)->solver.tolerance, 1e-3 * length, 1e-14);
    assert_ok(vvWorldBake(w, &error));
    size_t size = vvWorldStateSize(w);
    void *saved = malloc(size);
    assert_ok(vvWorldSaveState(w, saved, size, &error));
    vvWorld *other = toss(&d, 0.01, 1e5, 0.3); /* the saved state brings what setters have changed */
    assert_ok(vvWorldLoadState(other, saved, size, &error));
    expect_same(w, other, 10, "after setters");
    assert_true(vvWorldGetDef(other)->solver.relativeTolerance == 1e-3);
    free(saved);
    vvWorldDestroy(w);
    vvWorldDestroy(other);
}

/* ---- what they do ---- */

/* Lengths times 2^k, gravity and speeds too, stresses times 4^k: every number of the run is the same but for its
 * power of two, if no length is hidden anywhere. */
static void scaled_scenes_are_alike(void **state)
{
    (void)state;
    enum { STEPS = 60 };
    static const int powers[] = { 0, -10, 7 };
    double first[3 * 3 * 64] = { 0 };
    for (int i = 0; i < 3; i++) {
        double s = ldexp(1, powers[i]), deepest = INFINITY;
        vvWorldDef d = toss_def();
        d.gravity[1] *= s;
        d.contact.stiffness = 1e5 * s * s;
        d.contact.relativeDistance = 1e-3;
        d.solver.relativeTolerance = 0.01;
        vvWorld *w = toss(&d, s, 1e5 * s * s, 0.5 * s);
        for (int k = 0; k < STEPS; k++)
            deepest = fmin(deepest, step(w).minGap);
        const double *x = vvWorldPositions(w);
        assert_less(deepest, 1e-3 * vvWorldLength(w)); /* there was contact */
        for (int k = 0; k < 3 * 64; k++)
            if (i == 0)
                first[k] = x[k];
            else
                assert_near(x[k] / s, first[k], 1e-9);
        vvWorldDestroy(w);
    }
}

/* Nothing but the sizes, the gravity of the earth (or, of the small scenes, one in proportion) and a stiffness that
 * bears the weight. */
static void any_size_runs_with_the_defaults(void **state)
{
    (void)state;
    NUMBERS_ONLY();
    static const double sizes[] = { 1e-3, 1e-2, 1, 100 };
    static const char *const policies[] = { "none", "filtered-search" };
    for (int c = 0; c < 12; c++) {
        double s = sizes[c / 3], g = c % 3 == 2 ? s : 1;
        if (c % 3 == 2 && s >= 1)
            continue;
        if (sized(c % 3 > 0, 0, 0))
            continue;
        vvWorldDef d = toss_def();
        d.integrator.policy = policies[c % 3 == 1];
        d.gravity[1] *= g;
        vvWorld *w = toss(&d, s, fmax(1e5, 1e5 * s * g), 0.5 * sqrt(s * g));
        int count = (int)(0.6 * sqrt(s / g) * 120) + 30, iterations = 0;
        for (int k = 0; k < count; k++) {
            vvError error = { 0 };
            vvStepReport report;
            assert_ok(vvWorldStep(w, &report, &error));
            if (report.end != VV_SOLVE_CONVERGED)
                fail_msg("size %g m, gravity %g, %s: step %d: %s", s, d.gravity[1], d.integrator.policy, k,
                         report.note);
            iterations += report.newtonIterations;
        }
        vvLedgerTotals totals;
        vvWorldTotals(w, &totals);
        double each = (double)iterations / count;
        print_message("size %g m, gravity %g, %s: %.1f iterations a step, gap %.2g of the size\n", s, d.gravity[1],
                      d.integrator.policy, each, totals.minGap / s);
        assert_less(each, 20);
        assert_less(1e-8, totals.minGap / s); /* neither through, nor at the edge of rounding */
        assert_less(totals.minGap, vvWorldGetDef(w)->contact.distance); /* it has come down */
        vvWorldDestroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percentages_of_the_movable_bodies), cmocka_unit_test(defaults_follow_the_length),
        cmocka_unit_test(defaults_fit_the_smallest_body),    cmocka_unit_test(a_snapshot_has_the_lengths),
        cmocka_unit_test(setters_keep_what_is_relative),     cmocka_unit_test(scaled_scenes_are_alike),
        cmocka_unit_test(any_size_runs_with_the_defaults),   cmocka_unit_test(others_have_no_part_in_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
