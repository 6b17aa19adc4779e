/* Filtered search: what it promises. Momenta of free bodies and of bodies that collide in space; rest stays rest; a
 * ball that bounces comes back to its height; a body's energy comes back to it and not to one elsewhere; held bodies
 * keep their energy; points fly. */
#include "size.h"
#include "world_support.h"

static vvWorldDef filtered_def(double h, bool gravity)
{
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = h;
    d.integrator.policy = "filtered-search";
    d.threads = 1;
    if (!gravity) {
        d.gravity[1] = 0;
        d.integrator.groundMode = VV_GROUND_NONE;
    }
    return d;
}

static double length3(const double a[3])
{
    static const double none[3] = { 0, 0, 0 };
    return distance3(a, none);
}

static vvBodyId add_moving_block(vvWorld *w, const double centre[3], const double velocity[3], const double rate[3])
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("neo-hookean", 5e4);
    memcpy(def.translate, centre, sizeof def.translate);
    vvBodyId id = add_box_def(w, (double[]){ 0.1, 0.06, 0.04 }, (int[]){ 3, 2, 2 }, 6, &def);
    set_state(w, id, "linear", velocity);
    set_state(w, id, "angular", (double[]){ rate[0], rate[1], rate[2], NAN, NAN, NAN });
    return id;
}

static void a_free_spin_keeps_its_momenta(void **state)
{
    (void)state;
    vvWorldDef d = filtered_def(1.0 / 60, false);
    vvWorld *w = new_world(&d);
    add_moving_block(w, (double[]){ 0.3, 0.2, 0 }, (double[]){ 0.5, -0.2, 0.1 }, (double[]){ 4, 2, 7 });
    vvLedgerRow first = ledger(w), last = steps(w, sized(200, 1000, 3000));
    assert_less(distance3(last.momentum, first.momentum), 1e-10 * length3(first.momentum));
    assert_less(distance3(last.angularMomentumCentre, first.angularMomentumCentre),
                1e-4 * length3(first.angularMomentumCentre));
    assert_near(last.total, first.total, 0.02 * first.total);
    assert_near(last.visible, last.kinetic, 0.02 * first.total); /* what is booked is motion */
    vvWorldDestroy(w);
}

/* Friction acts at points that are a gap apart: its couple is not zero, whatever the policy. */
static void bodies_that_collide_in_space_keep_their_momenta(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        vvWorldDef d = filtered_def(1.0 / 240, false);
        d.contact.friction = k ? 0.2 : 0;
        d.contact.distance = 1e-3;
        d.solver.tolerance = 1e-3; /* where a solve stops short, centres go a little astray */
        vvWorld *w = new_world(&d);
        add_moving_block(w, (double[]){ 0, 0, 0 }, (double[]){ 1, 0, 0 }, (double[]){ 0, 0, 3 });
        add_moving_block(w, (double[]){ 0.15, 0.03, 0.01 }, (double[]){ -1, 0.1, 0 }, (double[]){ 2, 0, -1 });
        vvLedgerRow first = ledger(w), last = first;
        double touched = 0;
        for (int i = 0; i < 120; i++) {
            last = step(w);
            touched = fmax(touched, last.contact);
        }
        double turned = distance3(last.angularMomentumCentre, first.angularMomentumCentre);
        double couple = d.contact.friction * d.contact.distance * 0.24 * 2; /* 0.24 kg, 2 m/s */
        assert_less(0, touched);
        assert_less(distance3(last.momentum, first.momentum), 1e-12);
        assert_less(turned, 1e-8 + couple);
        vvWorldDestroy(w);
    }
}

/* Eight blocks meet so hard that some solves end with momenta out of balance: what they have together turns no faster
 * for that. */
static void what_a_solve_leaves_turns_nothing(void **state)
{
    (void)state;
    NUMBERS_ONLY();
    for (int k = 0; k < sized(3, 6, 12); k++) {
        vvWorldDef d = filtered_def(1.0 / 120, false);
        d.contact.distance = 1e-3;
        d.contact.stiffness = 1e5;
        vvWorld *w = new_world(&d);
        for (int i = 0; i < 8; i++) {
            const double side[3] = { i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1 }, speed = -1.5 - 0.2 * k;
            double at[3], v[3], rate[3];
            for (int c = 0; c < 3; c++) {
                at[c] = 0.1 * side[c];
                v[c] = speed * side[c] + 0.4 * sin(3 * i + c + k);
                rate[c] = 15 * sin(5 * i + 2 * c + 7 * k);
            }
            add_moving_block(w, at, v, rate);
        }
        vvLedgerRow first = ledger(w), last = first;
        double most = 0, touched = 0;
        for (int i = 0; i < 16; i++) {
            last = step(w);
            touched = fmax(touched, last.contact);
            /* else energy from nowhere may be taken with the momentum that it has */
            if (last.total < last.target - 1e-9 * first.total)
                most = fmax(most, distance3(last.angularMomentumCentre, first.angularMomentumCentre));
            else
                first = last;
        }
        assert_less(0, touched);
        assert_less(most, 1e-3); /* centres go a little astray */
        vvWorldDestroy(w);
    }
}

/* A component of one node does not turn, however its place is rounded: a point flies on. */
static void points_fly(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        vvError error = { 0 };
        vvWorldDef d = filtered_def(1.0 / 120, false);
        vvWorld *w = new_world(&d);
        double x[15], far = k ? 1e4 : 0;
        int points[5] = { 0, 1, 2, 3, 4 };
        for (int i = 0; i < 5; i++)
            for (int c = 0; c < 3; c++)
                x[3 * i + c] = far + 0.1 * (i + 1) + 0.1 * (c + 1) / 3.0;
        vvMesh mesh = { .vertexCount = 5, .pointCount = 5, .positions = x, .points = points };
        vvBodyDef def = vvDefaultBodyDef();
        vvBodyId id;
        def.mesh = &mesh;
        def.material.model = "free";
        def.material.density = 1e-3 / 0.3;
        assert_ok(vvWorldAddBody(w, &def, &id, &error));
        set_state(w, id, "linear", (double[]){ 1, 0.5, 0.2 });
        steps(w, 60);
        const double *v = vvWorldVelocities(w);
        for (int i = 0; i < 5; i++) {
            assert_near(v[3 * i], 1, 1e-6);
            assert_near(v[3 * i + 1], 0.5, 1e-6);
            assert_near(v[3 * i + 2], 0.2, 1e-6);
        }
        vvWorldDestroy(w);
    }
}

static double mass_height(vvWorld *w)
{
    double sum = 0, mass = 0;
    for (int i = 0; i < vvWorldNodeCount(w); i++) {
        sum += vvWorldMasses(w)[i] * vvWorldPositions(w)[3 * (size_t)i + 1];
        mass += vvWorldMasses(w)[i];
    }
    return sum / mass;
}

static void a_ball_bounces_to_its_height(void **state)
{
    (void)state;
    vvWorldDef d = filtered_def(1.0 / 120, true);
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("neo-hookean", 1e6);
    def.translate[1] = 0.5;
    add_ball(w, 0.05, 3, &def);
    obstacle(w, "plane", NULL, 0);
    double before = mass_height(w), height = before, top = 0;
    bool rising = false;
    int tops = 0;
    for (int i = 0; i < sized(160, 300, 1200); i++) {
        step(w);
        double now = mass_height(w);
        if (rising && now < height && height > 0.2) {
            assert_true(height > 0.46 && height < 0.51); /* a flight costs 0.5 g h^2 a step */
            tops++, top = height;
        }
        rising = now > height;
        height = now;
    }
    assert_true(tops >= 1 && top > 0);
    vvLedgerTotals totals;
    vvWorldTotals(w, &totals);
    assert_less(totals.meanTargetError, 0.04);
    vvWorldDestroy(w);
}

static void rest_stays_rest(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = filtered_def(1.0 / 120, true);
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("neo-hookean", 1e5);
    def.translate[1] = 0.0505;
    add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 3, 3, 3 }, 6, &def);
    obstacle(w, "plane", NULL, 0.3);
    assert_ok(vvWorldSettle(w, true, NULL, &error));
    double most = 0;
    for (int i = 0; i < sized(100, 300, 1000); i++)
        most = fmax(most, step(w).visible);
    assert_less(most, 1e-6 * 1.0 * 9.8 * 0.1 * sqrt(3)); /* 1 kg */
    vvWorldDestroy(w);
}

/* Height of the first body's centre in a world with or without a second one far away. */
static double height_beside(bool other, bool groups, int count)
{
    vvError error = { 0 };
    vvWorldDef d = filtered_def(1.0 / 120, true);
    vvSetting settings[] = { { .name = "scope", .choice = groups ? "groups" : "world" } };
    d.integrator.settings = settings;
    d.integrator.settingCount = 1;
    d.integrator.groundMode = VV_GROUND_NONE;
    d.solver.tolerance = 1e-6;
    d.solver.linear = exact_solver();
    d.solver.linearTolerance = 1e-10;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("neo-hookean", 1e6);
    def.translate[1] = 0.12;
    add_ball(w, 0.05, 2, &def);
    if (other) { /* soft, and shaken so that it loses energy all the time */
        def.material = material("neo-hookean", 2e4);
        def.translate[0] = 5, def.translate[1] = 0.2;
        vvBodyId id = add_box_def(w, (double[]){ 0.2, 0.1, 0.1 }, (int[]){ 4, 2, 2 }, 6, &def);
        set_state(w, id, "stretch", (double[]){ 1.4, 0.8, 1, NAN, NAN, NAN });
    }
    obstacle(w, "plane", NULL, 0);
    assert_ok(vvWorldBake(w, &error));
    steps(w, count);
    int first, nodes;
    double sum = 0, mass = 0;
    vvBodyNodes(w, vvWorldBody(w, 0), &first, &nodes);
    for (int i = first; i < first + nodes; i++) {
        sum += vvWorldMasses(w)[i] * vvWorldPositions(w)[3 * (size_t)i + 1];
        mass += vvWorldMasses(w)[i];
    }
    vvWorldDestroy(w);
    return sum / mass;
}

static void energy_comes_back_where_it_was_lost(void **state)
{
    (void)state;
    double alone = height_beside(false, true, 40), beside = height_beside(true, true, 40),
           shared = height_beside(true, false, 40);
    assert_near(beside, alone, 1e-4);
    /* one account for all: the ball gets what the block lost */
    assert_less(10 * fabs(beside - alone), fabs(shared - alone));
}

static void a_twisted_bar_keeps_swinging(void **state)
{
    (void)state;
    NUMBERS_ONLY();
    double visible[3];
    static const char *const policies[] = { "none", "search", "filtered-search" };
    for (int k = 0; k < 3; k++) {
        vvWorldDef d = filtered_def(1.0 / 30, true);
        d.integrator.policy = policies[k];
        vvWorld *w = new_world(&d);
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material("corotated", 1e5);
        vvBodyId id = add_box_def(w, (double[]){ 0.2, 0.1, 0.05 }, (int[]){ 8, 4, 2 }, 6, &def);
        set_state(w, id, "twist", (double[]){ 90, 1, 0, 0 });
        vvAttachDef held = vvDefaultAttachDef();
        held.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 0, 0 }, .b = { 0.1, 100, 100 } };
        attach(w, id, &held);
        steps(w, 30);
        double sum = 0;
        for (int i = 0; i < 60; i++)
            sum += step(w).visible;
        visible[k] = sum;
        vvLedgerTotals totals;
        vvWorldTotals(w, &totals);
        if (k == 2)
            assert_less(totals.meanTargetError, 0.08);
        vvWorldDestroy(w);
    }
    print_message("visible energy: none %.3g, search %.3g, filtered-search %.3g\n", visible[0], visible[1], visible[2]);
    assert_less(10 * visible[0], visible[2]);
    assert_less(1.2 * visible[1], visible[2]);
}

/* What is open at the start of a run belongs to the bodies, too: a bar that starts with half of its energy has it
 * soon. */
static void a_run_begins_with_part_of_the_energy(void **state)
{
    (void)state;
    vvWorldDef d = filtered_def(1.0 / 60, false);
    d.integrator.groundMode = VV_GROUND_GIVEN;
    d.integrator.groundEnergy = 0;
    d.integrator.startFraction = 0.5;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("corotated", 1e5);
    for (int k = 0; k < 2; k++) {
        def.translate[1] = k;
        vvBodyId id = add_box_def(w, (double[]){ 0.3, 0.05, 0.05 }, (int[]){ 6, 1, 1 }, 6, &def);
        set_state(w, id, "bend", (double[]){ 40, 1, 0, 0, 0, 1, 0 });
        vvAttachDef held = vvDefaultAttachDef();
        held.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 0, 0 }, .b = { 0.1, 100, 100 } };
        attach(w, id, &held);
    }
    vvLedgerRow first = ledger(w), last = steps(w, 60);
    assert_near(first.target, 0.5 * first.total, 1e-9 * first.total);
    assert_near(last.total, last.target, 0.1 * last.scale);
    vvWorldDestroy(w);
}

/* A block that lies still has no energy to lose: decay takes its part from the bar that swings, and both stay on
 * target. */
static void decay_takes_from_what_moves(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = filtered_def(1.0 / 60, true);
    static const vvKey decay = { 0, 0.5 };
    d.integrator.decayKeys = &decay;
    d.integrator.decayKeyCount = 1;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("corotated", 1e5);
    def.translate[1] = 0.0505;
    add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 6, &def);
    obstacle(w, "plane", NULL, 0.3);
    def.translate[0] = 1, def.translate[1] = 1;
    vvBodyId bar = add_box_def(w, (double[]){ 0.3, 0.05, 0.05 }, (int[]){ 6, 1, 1 }, 6, &def);
    vvAttachDef held = vvDefaultAttachDef();
    held.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 0, 0 }, .b = { 0.1, 100, 100 } };
    attach(w, bar, &held);
    assert_ok(vvWorldSettle(w, true, NULL, &error));
    set_state(w, bar, "linear", (double[]){ 0, 0, 1 });
    vvLedgerRow first = ledger(w), last = steps(w, 90);
    assert_less(last.target, first.target - 0.5 * first.kinetic); /* much of it was to decay */
    assert_less(fabs(last.total - last.target), 1e-3 * first.kinetic);
    assert_less(vvWorldBodyVisible(w)[0].total, 1e-6 * 9.8 * 0.1 * sqrt(3));
    vvWorldDestroy(w);
}

static vvBodyId add_held_bar(vvWorld *w, double height)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("corotated", 1e5);
    def.translate[1] = height;
    vvBodyId bar = add_box_def(w, (double[]){ 0.3, 0.05, 0.05 }, (int[]){ 6, 1, 1 }, 6, &def);
    vvAttachDef held = vvDefaultAttachDef();
    held.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 0, 0 }, .b = { 0.1, 100, 100 } };
    attach(w, bar, &held);
    return bar;
}

/* Nor has one that has stopped, and one that came later has as much as the others. */
static void decay_takes_from_what_moves_now(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int k = 0; k < 2; k++) {
        const vvKey decay[] = { { 0, 0 }, { 2, 0.5 } };
        vvWorldDef d = filtered_def(1.0 / 60, false);
        d.integrator.groundMode = VV_GROUND_GIVEN;
        d.integrator.groundEnergy = 0;
        d.integrator.decayKeys = decay;
        d.integrator.decayKeyCount = 2;
        d.contact.model = "none";
        vvWorld *w = new_world(&d);
        vvBodyId bar = add_held_bar(w, 0);
        assert_ok(vvWorldBake(w, &error));
        const int n = 3 * vvWorldNodeCount(w);
        double *start = copy_of(vvWorldPositions(w), n), *still = copy_of(vvWorldVelocities(w), n);
        set_state(w, bar, "linear", (double[]){ 0, 0, 1 });
        steps(w, 120);
        if (k)
            assert_ok(vvWorldSetState(w, start, still, &error));
        bar = add_held_bar(w, 1);
        assert_ok(vvWorldBake(w, &error));
        set_state(w, bar, "linear", (double[]){ 0, 0, 1 });
        vvLedgerRow first = ledger(w), last = steps(w, 60);
        assert_less(last.target, 0.5 * first.target);
        assert_less(fabs(last.total - last.target), 0.02 * first.target);
        free(start), free(still);
        vvWorldDestroy(w);
    }
}

/* Decay takes from vibrations, not from a free body's momenta. */
static void decay_in_space_keeps_the_momenta(void **state)
{
    (void)state;
    static const vvKey decay = { 0, 0.5 };
    vvWorldDef d = filtered_def(1.0 / 60, false);
    d.integrator.groundMode = VV_GROUND_GIVEN;
    d.integrator.groundEnergy = 0;
    d.integrator.decayKeys = &decay;
    d.integrator.decayKeyCount = 1;
    vvWorld *w = new_world(&d);
    add_moving_block(w, (double[]){ 0.3, 0.2, 0 }, (double[]){ 0.5, -0.2, 0.1 }, (double[]){ 4, 2, 7 });
    vvLedgerRow first = ledger(w), last = steps(w, 60);
    assert_less(distance3(last.momentum, first.momentum), 1e-10 * length3(first.momentum));
    assert_less(distance3(last.angularMomentumCentre, first.angularMomentumCentre),
                1e-4 * length3(first.angularMomentumCentre));
    vvWorldDestroy(w);
}

/* What a kinematic plate does, it does to the block that lies on it, not to the ball beside. */
static void a_plate_works_on_what_it_lifts(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = filtered_def(1.0 / 120, true);
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.kinematic = true;
    def.motion.linearVelocity[1] = 0.5;
    add_box_def(w, (double[]){ 0.3, 0.02, 0.3 }, (int[]){ 2, 1, 2 }, 6, &def);
    def = vvDefaultBodyDef();
    def.material = material("neo-hookean", 1e5);
    def.translate[1] = 0.07;
    vvBodyId block = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 6, &def);
    def.translate[0] = 1, def.translate[1] = 0.051;
    add_ball(w, 0.05, 2, &def);
    obstacle(w, "plane", NULL, 0);
    assert_ok(vvWorldBake(w, &error));
    vvLedgerRow last = steps(w, 60);
    int first, count;
    double rise = 0;
    vvBodyNodes(w, block, &first, &count);
    for (int i = first; i < first + count; i++)
        rise += vvWorldPositions(w)[3 * i + 1] / count;
    assert_near(rise, 0.07 + 0.25, 0.1); /* it hops a little */
    vvLedgerTotals totals;
    vvWorldTotals(w, &totals);
    print_message("work %g, H - T %g, S %g, visible of the ball %g\n", totals.work, last.total - last.target,
                  last.scale, vvWorldBodyVisible(w)[2].total);
    assert_less(0.2 * 9.8, totals.work); /* 1 kg */
    assert_less(fabs(last.total - last.target), 0.1 * last.scale);
    assert_less(vvWorldBodyVisible(w)[2].total, 0.01 * totals.work);
    vvWorldDestroy(w);
}

/* What a fall costs is no reason to shake: neither in air, where drag takes from the motion, nor without. */
static void a_fall_feeds_no_vibration(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        vvWorldDef d = filtered_def(1.0 / 60, true);
        d.integrator.groundMode = VV_GROUND_NONE;
        d.contact.model = "none";
        d.solver.tolerance = 1e-4;
        vvWorld *w = new_world(&d);
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material("corotated", 2e4);
        def.material.damping.drag = k ? 10 : 0;
        vvBodyId bar = add_box_def(w, (double[]){ 0.3, 0.05, 0.05 }, (int[]){ 6, 1, 1 }, 6, &def);
        set_state(w, bar, "stretch", (double[]){ 1 + 2e-4, 1, 1, NAN, NAN, NAN });
        vvLedgerRow first = ledger(w), last = first;
        double most = 0;
        for (int i = 0; i < 90; i++) {
            last = step(w);
            most = fmax(most, last.elastic + last.visibleDeformation);
        }
        print_message("%g J of vibration, then at most %g J; H - T %g J\n", first.elastic, most,
                      last.total - last.target);
        assert_less(most, 1.02 * first.elastic);
        assert_less(last.total, last.target); /* it is not owed at once */
        vvWorldDestroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_spin_keeps_its_momenta),
        cmocka_unit_test(bodies_that_collide_in_space_keep_their_momenta),
        cmocka_unit_test(what_a_solve_leaves_turns_nothing),
        cmocka_unit_test(points_fly),
        cmocka_unit_test(a_ball_bounces_to_its_height),
        cmocka_unit_test(rest_stays_rest),
        cmocka_unit_test(energy_comes_back_where_it_was_lost),
        cmocka_unit_test(a_twisted_bar_keeps_swinging),
        cmocka_unit_test(a_run_begins_with_part_of_the_energy),
        cmocka_unit_test(decay_takes_from_what_moves),
        cmocka_unit_test(decay_takes_from_what_moves_now),
        cmocka_unit_test(decay_in_space_keeps_the_momenta),
        cmocka_unit_test(a_plate_works_on_what_it_lifts),
        cmocka_unit_test(a_fall_feeds_no_vibration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
