/* Bodies that sleep: where they are off or awake no bit differs; asleep nothing moves and H stays; whatever may touch
 * them, or acts on them, wakes them in time, and nothing far away does; a state that is saved goes on to the bit. */
#include "world_support.h"

#include "short_memory.h"
#include "visviva/visviva.h"

enum { STEPS = 400 };

static vvWorldDef sleepy(double after)
{
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = 1.0 / 60, d.threads = 1;
    d.contact.friction = 0.3;
    d.solver.sleepAfter = after;
    return d;
}

static vvBodyId add_block(vvWorld *w, const char *model, double x, double y)
{
    vvError error = { 0 };
    vvMesh mesh = { 0 };
    vvBodyId id;
    assert_ok(generate_mesh("box", (double[]){ 0.2, 0.2, 0.2, 2, 2, 2, 5 }, &mesh, &error));
    vvBodyDef b = vvDefaultBodyDef();
    b.mesh = &mesh;
    if (strcmp(model, "affine") == 0)
        b.material = vvDefaultMaterialOf("affine");
    b.material.model = model, b.material.young = strcmp(model, "affine") == 0 ? 1e7 : 1e5;
    b.translate[0] = x, b.translate[1] = y;
    assert_ok(vvWorldAddBody(w, &b, &id, &error));
    vvMeshDestroy(&mesh);
    return id;
}

static void add_plane(vvWorld *w)
{
    vvError error = { 0 };
    vvObstacleDef plane = vvDefaultObstacleDef();
    assert_ok(vvWorldAddObstacle(w, &plane, NULL, &error));
}

static const char *const SOLID = "neo-hookean";

/* Two blocks, one on the other, and a third far away. */
static vvWorld *stack(const vvWorldDef *d, const char *model)
{
    vvWorld *w = new_world(d);
    add_plane(w);
    add_block(w, model, 0, 0.1015), add_block(w, model, 0.02, 0.304), add_block(w, model, 3, 0.1015);
    return w;
}

static void go_on(vvWorld *w)
{
    vvError error = { 0 };
    assert_ok(vvWorldStep(w, NULL, &error));
}

static vvLedgerRow row_of(vvWorld *w)
{
    vvError error = { 0 };
    vvLedgerRow row;
    assert_ok(vvWorldLedger(w, &row, &error));
    return row;
}

static bool asleep(vvWorld *w, int body) { return vvBodyAsleep(w, vvWorldBody(w, body)); }

static int sleepers(vvWorld *w)
{
    int count = 0;
    for (int b = 0; b < vvWorldBodyCount(w); b++)
        count += asleep(w, b);
    return count;
}

static void until_asleep(vvWorld *w)
{
    int steps = 0;
    while (sleepers(w) < vvWorldBodyCount(w)) {
        go_on(w);
        if (++steps > STEPS)
            fail_msg("after %d steps %d bodies sleep", steps, sleepers(w));
    }
}

static size_t numbers(vvWorld *w) { return 3 * (size_t)vvWorldNodeCount(w); }

static double *positions(vvWorld *w)
{
    double *q = malloc(numbers(w) * sizeof *q);
    assert_non_null(q);
    memcpy(q, vvWorldPositions(w), numbers(w) * sizeof *q);
    return q;
}

static void assert_same(vvWorld *a, vvWorld *b)
{
    assert_int_equal(numbers(a), numbers(b));
    assert_memory_equal(vvWorldPositions(a), vvWorldPositions(b), numbers(a) * sizeof(double));
    assert_memory_equal(vvWorldVelocities(a), vvWorldVelocities(b), numbers(a) * sizeof(double));
    const vvLedgerRow p = row_of(a), q = row_of(b);
    assert_true(p.total == q.total && p.error == q.error && p.damping == q.damping && p.target == q.target);
}

/* ---- bits ---- */

static void awake_no_bit_differs(void **state)
{
    (void)state;
    vvWorldDef off = sleepy(0), on = sleepy(1e6);
    vvWorld *a = stack(&off, SOLID), *b = stack(&on, SOLID);
    for (int k = 0; k < 60; k++) {
        go_on(a), go_on(b);
        assert_same(a, b);
    }
    vvWorldDestroy(a), vvWorldDestroy(b);
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    vvWorldDef one = sleepy(0.25), two = sleepy(0.25);
    two.threads = 2;
    vvWorld *a = stack(&one, SOLID), *b = stack(&two, SOLID);
    until_asleep(a);
    while (vvWorldTime(b) < vvWorldTime(a) - 1e-9)
        go_on(b);
    assert_same(a, b);
    vvError error = { 0 };
    for (int k = 0; k < 30; k++) {
        if (k == 3) {
            assert_ok(vvBodyWake(a, vvWorldBody(a, 0), &error));
            assert_ok(vvBodyWake(b, vvWorldBody(b, 0), &error));
        }
        go_on(a), go_on(b);
        assert_same(a, b);
    }
    vvWorldDestroy(a), vvWorldDestroy(b);
}

/* ---- rest ---- */

static void a_stack_stays_where_it_is(void **state)
{
    (void)state;
    vvWorldDef d = sleepy(0.25), off = sleepy(0);
    vvWorld *w = stack(&d, SOLID), *awake = stack(&off, SOLID);
    until_asleep(w);
    while (vvWorldTime(awake) < vvWorldTime(w) - 1e-9)
        go_on(awake);
    double *q = positions(w), drift = 0, apart = 0;
    const vvLedgerRow first = row_of(w);
    for (int k = 0; k < 10000; k++) {
        vvStepReport r;
        vvError error = { 0 };
        assert_ok(vvWorldStep(w, &r, &error));
        assert_true(r.newtonIterations == 0 && r.linearSolves == 0);
    }
    assert_memory_equal(q, vvWorldPositions(w), numbers(w) * sizeof *q);
    const vvLedgerRow last = row_of(w);
    assert_true(last.total == first.total && last.kinetic == 0 && last.error == 0 && last.astray == 0);
    assert_true(last.target == first.target && last.gravity == first.gravity);
    for (int k = 0; k < 1000; k++)
        go_on(awake);
    for (size_t i = 0; i < numbers(w); i++) {
        drift = fmax(drift, fabs(vvWorldPositions(awake)[i] - q[i]));
        apart = fmax(apart, fabs(q[i]));
    }
    assert_true(drift < 1e-3 * apart); /* where it would have stayed anyway */
    free(q);
    vvWorldDestroy(w), vvWorldDestroy(awake);
}

/* H, told from one row to the next by what each books; and how far it is from that where a body wakes. */
static double wake_jump(vvWorld *w)
{
    vvError error = { 0 };
    const vvLedgerRow before = row_of(w);
    for (int b = 0; b < vvWorldBodyCount(w); b++)
        assert_ok(vvBodyWake(w, vvWorldBody(w, b), &error));
    assert_int_equal(sleepers(w), 0);
    assert_ok(vvWorldBookChange(w, &error));
    return fabs(row_of(w).total - before.total) / before.scale;
}

static void the_ledger_is_whole(void **state)
{
    (void)state;
    static const struct {
        const char *scheme, *solver, *policy, *contact, *model;
    } rows[] = {
        { "backward-euler", "newton", "none", "barrier", "neo-hookean" },
        { "bdf2", "newton", "none", "barrier", "affine" },
        { "tr-bdf2", "newton", "none", "barrier", "fixed-corotated" },
        { "backward-euler", "newton", "velocity-scale", "barrier", "neo-hookean" },
        { "backward-euler", "newton", "filtered-search", "barrier", "neo-hookean" },
        { "backward-euler", "newton", "project", "barrier", "neo-hookean" },
        { "backward-euler", "lbfgs", "none", "barrier", "neo-hookean" },
        { "backward-euler", "block-descent", "none", "barrier", "neo-hookean" },
        { "bdf2", "newton", "none", "springs", "neo-hookean" },
        { "backward-euler", "newton", "none", "penalty", "neo-hookean" },
        { "bdf2", "newton", "none", "constraint", "neo-hookean" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vvWorldDef d = sleepy(0.1);
        d.integrator.scheme = rows[i].scheme, d.integrator.policy = rows[i].policy;
        d.solver.method = rows[i].solver, d.contact.model = rows[i].contact, d.solver.sleepSpeed = 1;
        vvWorld *w = stack(&d, rows[i].model);
        vvLedgerRow old = { 0 };
        double most = 0, lost = 0;
        for (int k = 0; k < 150 || sleepers(w) < 3; k++) {
            const int before = sleepers(w);
            if (k > 0)
                old = row_of(w);
            go_on(w);
            const vvLedgerRow now = row_of(w);
            const double flow = now.work - now.friction - now.damping - now.decay + now.springs + now.error;
            if (k > 0)
                most = fmax(most, fabs(now.total - old.total - flow) / now.scale);
            if (before < 3 && sleepers(w) > before)
                lost += now.damping;
            if (before == 3)
                assert_true(now.total == old.total && now.error == 0);
            if (k > STEPS)
                fail_msg("%s, %s, %s, %s: %d of 3 bodies sleep", rows[i].scheme, rows[i].solver, rows[i].policy,
                         rows[i].contact, sleepers(w));
        }
        assert_true(lost > 0);
        assert_less(most, 1e-12);
        assert_less(wake_jump(w), 1e-12);
        vvWorldDestroy(w);
    }
}

/* What lies on a kinematic body shares its contacts with that. */
static void on_a_kinematic_body(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvMesh mesh = { 0 };
    vvWorldDef d = sleepy(0.1);
    vvWorld *w = new_world(&d);
    vvBodyDef b = vvDefaultBodyDef();
    assert_ok(generate_mesh("box", (double[]){ 4, 0.2, 4, 4, 1, 4, 5 }, &mesh, &error));
    b.mesh = &mesh, b.kinematic = true, b.translate[1] = -0.1;
    b.motion.linearVelocity[0] = 0.5, b.motion.startTime = 1e3;
    vvBodyId ground;
    assert_ok(vvWorldAddBody(w, &b, &ground, &error));
    vvMeshDestroy(&mesh);
    for (int i = 0; i < 3; i++)
        add_block(w, SOLID, i - 1, 0.101);
    for (int k = 0; sleepers(w) < 3; k++) {
        const int before = sleepers(w);
        go_on(w);
        assert_true(sleepers(w) >= before && k < STEPS);
    }
    assert_false(vvBodyAsleep(w, ground));
    go_on(w);
    assert_less(fabs(row_of(w).error), 1e-12 * row_of(w).scale);
    assert_less(wake_jump(w), 1e-12);
    for (int k = 0; sleepers(w) < 3; k++)
        go_on(w), assert_true(k < STEPS);
    /* the ground begins to move */
    const int nodes = vvAttachNodes(w, vvBodyAttachment(w, ground), NULL, 0);
    int first;
    vvBodyNodes(w, ground, &first, NULL);
    double *to = malloc(3 * (size_t)nodes * sizeof *to);
    assert_non_null(to);
    memcpy(to, vvWorldPositions(w) + 3 * (size_t)first, 3 * (size_t)nodes * sizeof *to);
    for (int i = 0; i < nodes; i++)
        to[3 * i] += 1e-3;
    assert_ok(vvAttachMoveTo(w, vvBodyAttachment(w, ground), to, &error));
    go_on(w);
    assert_int_equal(sleepers(w), 0);
    free(to);
    vvWorldDestroy(w);
}

/* ---- what wakes ---- */

static vvBodyId throw_block(vvWorld *w, double x, double y, double vx)
{
    vvError error = { 0 };
    vvBodyId id = add_block(w, SOLID, x, y);
    int first, count;
    vvBodyNodes(w, id, &first, &count);
    double *v = calloc(3 * (size_t)count, sizeof *v);
    assert_non_null(v);
    for (int i = 0; i < count; i++)
        v[3 * i] = vx;
    assert_ok(vvBodySetState(w, id, NULL, v, &error));
    free(v);
    return id;
}

static double momentum(vvWorld *w, vvBodyId id)
{
    int first, count;
    double sum = 0;
    vvBodyNodes(w, id, &first, &count);
    for (int i = first; i < first + count; i++)
        sum += vvWorldMasses(w)[i] * vvWorldVelocities(w)[3 * i];
    return sum;
}

/* A block flies into two that sleep, beside the same where nobody sleeps. */
static void a_throw_wakes_what_it_hits(void **state)
{
    (void)state;
    vvWorldDef d = sleepy(0.1), off = sleepy(0);
    vvWorld *w[2];
    vvBodyId ball[2];
    for (int i = 0; i < 2; i++) {
        w[i] = stack(i ? &off : &d, SOLID);
        if (i == 0)
            until_asleep(w[0]);
        while (vvWorldTime(w[i]) < vvWorldTime(w[0]) - 1e-9)
            go_on(w[i]);
        ball[i] = throw_block(w[i], -0.6, 0.25, 6);
    }
    const double thrown = momentum(w[0], ball[0]);
    bool touched = false;
    for (int k = 0; k < 60; k++) {
        const double before = momentum(w[1], ball[1]);
        for (int i = 0; i < 2; i++)
            go_on(w[i]);
        const bool hit = fabs(momentum(w[1], ball[1]) - before) > 0.01 * thrown && vvWorldTime(w[1]) > 0;
        if (hit && !touched)
            assert_true(!asleep(w[0], 0) && !asleep(w[0], 1));
        if (!hit && !touched && momentum(w[1], ball[1]) > 0.99 * thrown && k < 3)
            assert_true(asleep(w[0], 0) && asleep(w[0], 1));
        touched = touched || hit;
        assert_true(asleep(w[0], 2));
    }
    assert_true(touched);
    assert_less(fabs(momentum(w[0], ball[0]) - momentum(w[1], ball[1])), 0.05 * thrown);
    vvBodyId first = vvWorldBody(w[0], 1), second = vvWorldBody(w[1], 1);
    assert_less(fabs(momentum(w[0], first) - momentum(w[1], second)), 0.05 * thrown);
    vvWorldDestroy(w[0]), vvWorldDestroy(w[1]);
}

/* A block beside them is at rest when the step begins, and is thrown into them within it. */
static void what_a_step_would_hit_wakes_in_it(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = sleepy(0.1), off = sleepy(0);
    vvWorld *w[2];
    vvBodyId block[2];
    for (int i = 0; i < 2; i++) {
        w[i] = stack(i ? &off : &d, SOLID);
        block[i] = add_block(w[i], SOLID, -0.45, 0.1015);
        if (i == 0)
            until_asleep(w[0]);
        while (vvWorldTime(w[i]) < vvWorldTime(w[0]) - 1e-9)
            go_on(w[i]);
        assert_ok(vvBodyApplyForce(w[i], block[i], (double[]){ 14000, 0, 0 }, &error));
        go_on(w[i]);
    }
    assert_int_equal(sleepers(w[0]), 1);
    assert_true(asleep(w[0], 2));
    const double given = 14000. / 60, left = momentum(w[0], block[0]);
    assert_less(left, 0.9 * given); /* they were hit */
    assert_less(fabs(left - momentum(w[1], block[1])), 0.02 * given);
    for (int b = 0; b < 2; b++)
        assert_less(fabs(momentum(w[0], vvWorldBody(w[0], b)) - momentum(w[1], vvWorldBody(w[1], b))), 0.02 * given);
    vvLedgerTotals totals;
    vvWorldTotals(w[0], &totals);
    assert_int_equal(totals.failedSteps, 0);
    vvWorldDestroy(w[0]), vvWorldDestroy(w[1]);
}

static void lift(vvWorld *w, vvBodyId id, double by)
{
    vvError error = { 0 };
    vvDragDef g = vvDefaultDragDef();
    vvDragId hand;
    int first;
    vvBodyNodes(w, id, &first, NULL);
    const double *x = vvWorldPositions(w) + 3 * (size_t)first;
    g.body = id, g.vertex = 0;
    assert_ok(vvWorldStartDrag(w, &g, &hand, &error));
    assert_ok(vvWorldMoveDrag(w, hand, (double[]){ x[0], x[1] + by, x[2] }, &error));
}

static void load_it(vvWorld *w, vvBodyId id)
{
    vvError error = { 0 };
    vvAttachDef a = vvDefaultAttachDef();
    a.kind = VV_ATTACH_FORCE, a.load[1] = 10;
    assert_ok(vvBodyAttach(w, id, &a, NULL, &error));
}

static void spring_it(vvWorld *w, vvBodyId id)
{
    vvError error = { 0 };
    vvAttachDef a = vvDefaultAttachDef();
    a.kind = VV_ATTACH_SPRING, a.stiffness = 10;
    assert_ok(vvBodyAttach(w, id, &a, NULL, &error));
}

enum { LOAD = 1, SPRING = 2, OF_ONE = 11, OF_ALL = 16 };

static void stir(vvWorld *w, int how, vvBodyId id)
{
    vvError error = { 0 };
    vvMaterialDef material;
    vvSolverDef solver = vvWorldGetDef(w)->solver;
    int first;
    vvBodyNodes(w, id, &first, NULL);
    switch (how) {
    case 0: lift(w, id, 0.3); break;
    case LOAD: load_it(w, id); break;
    case SPRING: spring_it(w, id); break;
    case 3: assert_ok(vvBodyApplyForce(w, id, (double[]){ 0, 1, 0 }, &error)); break;
    case 4: assert_ok(vvBodyApplyImpulse(w, id, (double[]){ 0, 1e-3, 0 }, &error)); break;
    case 5: assert_ok(vvWorldApplyForces(w, 1, &first, (double[]){ 0, 1, 0 }, &error)); break;
    case 6: assert_ok(vvWorldApplyImpulses(w, 1, &first, (double[]){ 0, 1e-3, 0 }, &error)); break;
    case 7: assert_ok(vvBodySetState(w, id, NULL, vvWorldVelocities(w) + 3 * (size_t)first, &error)); break;
    case 8: assert_ok(vvWorldRemoveBody(w, vvWorldBody(w, 0), &error)); break; /* what it stands on, or itself */
    case 9: add_block(w, SOLID, 0.224, 0.2); break;
    case 10: assert_ok(vvBodyWake(w, id, &error)); break;
    /* of all */
    case 11: assert_ok(vvWorldSetGravity(w, (double[]){ 0, -9, 0 }, &error)); break;
    case 12: assert_ok(vvWorldRemoveObstacle(w, vvWorldObstacleAt(w, 0), &error)); break;
    case 13:
        assert_true(vvBodyGetMaterial(w, id, 0, &material));
        material.young *= 2;
        assert_ok(vvBodySetMaterial(w, id, 0, &material, &error));
        break;
    case 14:
        solver.sleepAfter = 0;
        assert_ok(vvWorldSetSolver(w, &solver, &error));
        break;
    default: assert_ok(vvWorldSetState(w, NULL, vvWorldVelocities(w), &error));
    }
}

static void whatever_stirs_them_wakes(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvSnapshot *rest;
    vvWorldDef d = sleepy(0.1);
    vvWorld *w = stack(&d, SOLID);
    until_asleep(w);
    assert_ok(vvWorldSnapshot(w, &rest, &error));
    for (int how = 0; how < OF_ALL; how++) {
        assert_ok(vvWorldRestore(w, rest, &error));
        assert_int_equal(sleepers(w), 3);
        const int far = how == 8 ? 1 : 2;
        const double before = row_of(w).total;
        stir(w, how, vvWorldBody(w, 1));
        go_on(w);
        for (int b = 0; b < vvWorldBodyCount(w); b++)
            if (asleep(w, b) != (how < OF_ONE && b == far))
                fail_msg("what stirs is %d: body %d %s", how, b, asleep(w, b) ? "sleeps" : "is awake");
        const vvLedgerRow now = row_of(w);
        assert_near(now.total - before, now.work - now.friction - now.damping + now.error, 1e-12 * now.scale);
        assert_less(fabs(now.error), 0.1 * now.scale);
        if (how == SPRING) /* which does not move */
            until_asleep(w);
        for (int k = 0; how == LOAD && k < 40; k++)
            go_on(w), assert_true(!asleep(w, 1) && asleep(w, 2));
    }
    vvSnapshotDestroy(rest);
    vvWorldDestroy(w);
}

/* A body that swings on a spring far away, bodies that come and go there. */
static void far_away_nothing_wakes_them(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = sleepy(0.1), off = sleepy(0);
    d.solver.tolerance = off.solver.tolerance = 1e-6;
    vvWorld *w[2] = { stack(&d, SOLID), stack(&off, SOLID) };
    vvObstacleId sphere;
    for (int i = 0; i < 2; i++)
        lift(w[i], vvWorldBody(w[i], 2), 0.5);
    for (int k = 0; k < 250; k++) {
        for (int i = 0; i < 2; i++) {
            vvObstacleDef ball = vvDefaultObstacleDef();
            if (k == 200) {
                ball.type = "sphere";
                const vvSetting s[] = { { .name = "center", .value = { 10 } }, { .name = "radius", .value = { 0.1 } } };
                ball.settings = s, ball.settingCount = 2;
                assert_ok(vvWorldAddObstacle(w[i], &ball, i ? NULL : &sphere, &error));
                add_block(w[i], SOLID, -5, 0.2);
            }
            go_on(w[i]);
        }
        if (k == 199)
            assert_true(sleepers(w[0]) == 2 && asleep(w[0], 0) && asleep(w[0], 1));
        if (k == 220)
            assert_ok(vvWorldRemoveObstacle(w[0], sphere, &error));
        if (k > 200)
            assert_true(asleep(w[0], 0) && asleep(w[0], 1) && !asleep(w[0], 2));
    }
    int first, count;
    double most = 0;
    vvBodyNodes(w[0], vvWorldBody(w[0], 2), &first, &count);
    for (int i = 3 * first; i < 3 * (first + count); i++)
        most = fmax(most, fabs(vvWorldPositions(w[0])[i] - vvWorldPositions(w[1])[i]));
    assert_less(most, 250 * 1e-6 / 60); /* the tolerance of each step */
    vvWorldDestroy(w[0]), vvWorldDestroy(w[1]);
}

/* On a slope a block creeps, as friction that forgets lets it: below the threshold it sleeps, above it never. */
static void what_creeps_faster_stays_awake(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        vvWorldDef d = sleepy(0.25);
        d.contact.friction = 0.5, d.contact.stick = false;
        d.gravity[0] = 3;
        d.solver.sleepSpeed = i ? 1e-2 : 1e-5; /* it creeps at some 3e-4 of its length a second */
        vvWorld *w = new_world(&d);
        add_plane(w);
        add_block(w, SOLID, 0, 0.101);
        for (int k = 0; k < STEPS; k++)
            go_on(w);
        vvBodyMeasures m;
        vvError error = { 0 };
        assert_ok(vvBodyMeasure(w, vvWorldBody(w, 0), &m, &error));
        assert_int_equal(asleep(w, 0), i);
        if (i == 0)
            assert_true(momentum(w, vvWorldBody(w, 0)) > 1e-5 * 0.35 * m.mass);
        vvWorldDestroy(w);
    }
}

/* ---- states ---- */

static void a_saved_state_goes_on_to_the_bit(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = sleepy(0.25);
    vvWorld *w = stack(&d, SOLID), *other = stack(&d, SOLID);
    while (!asleep(w, 2)) /* two are awake */
        go_on(w);
    for (int part = 0; part < 2; part++) {
        const size_t bytes = vvWorldStateSize(w);
        void *saved = malloc(bytes);
        assert_non_null(saved);
        assert_ok(vvWorldSaveState(w, saved, bytes, &error));
        assert_ok(vvWorldLoadState(other, saved, bytes, &error));
        free(saved);
        for (int k = 0; k < 10; k++) {
            assert_same(w, other);
            assert_int_equal(sleepers(w), sleepers(other));
            go_on(w), go_on(other);
        }
        until_asleep(w), until_asleep(other);
    }
    /* the state of a world awake, and back */
    vvSnapshot *rest;
    assert_ok(vvWorldSnapshot(w, &rest, &error));
    assert_ok(vvBodyWake(w, vvWorldBody(w, 0), &error));
    go_on(w);
    assert_int_equal(sleepers(w), 1);
    assert_ok(vvWorldRestore(w, rest, &error));
    assert_int_equal(sleepers(w), 3);
    go_on(w), go_on(other);
    assert_same(w, other);
    vvSnapshotDestroy(rest);
    vvWorldDestroy(w), vvWorldDestroy(other);
}

/* Where memory is short when bodies fall asleep they stay awake; where it is short when they wake the step fails, and
 * nothing is lost. */
static void short_memory_loses_nothing(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvSnapshot *eve, *rest;
    budget b = { .left = INT32_MAX };
    vvWorldDef d = sleepy(0.1);
    d.host.allocator = budget_allocator(&b);
    vvWorld *w = stack(&d, SOLID);
    do {
        assert_ok(vvWorldSnapshot(w, &eve, &error));
        go_on(w);
        if (sleepers(w) == 0)
            vvSnapshotDestroy(eve);
    } while (sleepers(w) == 0);
    assert_int_equal(sleepers(w), 1);
    until_asleep(w);
    assert_ok(vvWorldSnapshot(w, &rest, &error));
    double *q = positions(w);
    const double total = row_of(w).total;
    int failed = 0, late = 0;
    for (int left = 0; left < 2000; left += left < 40 ? 1 : 23) {
        assert_ok(vvWorldRestore(w, eve, &error));
        go_on(w); /* anew, in a world that is baked for something else */
        assert_ok(vvWorldRestore(w, eve, &error));
        b.left = left;
        vvStatus status = vvWorldStep(w, NULL, &error);
        b.left = INT32_MAX;
        assert_true(status == VV_OK || status == VV_ERROR_MEMORY);
        if (status == VV_OK)
            late += sleepers(w) == 0, go_on(w);
        assert_ok(vvWorldRestore(w, rest, &error));
        go_on(w);
        assert_ok(vvBodyWake(w, vvWorldBody(w, 0), &error));
        b.left = left;
        status = vvWorldStep(w, NULL, &error);
        b.left = INT32_MAX;
        assert_true(status == VV_OK || status == VV_ERROR_MEMORY);
        failed += status != VV_OK;
        if (status != VV_OK)
            assert_memory_equal(q, vvWorldPositions(w), numbers(w) * sizeof *q);
        assert_ok(vvWorldRestore(w, rest, &error));
        assert_true(row_of(w).total == total && sleepers(w) == 3);
    }
    assert_true(failed > 10 && late > 0);
    free(q);
    vvSnapshotDestroy(eve), vvSnapshotDestroy(rest);
    vvWorldDestroy(w);
    assert_int_equal(b.live, 0);
}

/* ---- a host that cancels ---- */

typedef struct asked {
    long count, at; /* at: which asking is answered with yes; 0: none */
} asked;

static bool answer(void *user)
{
    asked *a = user;
    return ++a->count == a->at;
}

/* The step is made whenever the answer comes. One that comes while they fall asleep ends the next call, unless the
 * function is set again, and all goes on to the same bits. */
static void a_cancel_as_they_fall_asleep(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvSnapshot *eve;
    asked a = { 0 };
    vvWorldDef d = sleepy(0.1);
    vvWorld *w = stack(&d, SOLID), *twin = stack(&d, SOLID);
    do {
        assert_ok(vvWorldSnapshot(w, &eve, &error));
        go_on(w), go_on(twin);
        if (sleepers(w) == 0)
            vvSnapshotDestroy(eve);
    } while (sleepers(w) == 0);
    for (int k = 0; k < 3; k++)
        go_on(twin);
    vvWorldSetCancel(w, answer, &a);
    assert_ok(vvWorldRestore(w, eve, &error));
    go_on(w);
    const long all = a.count;
    int late = 0;
    for (long k = 1; k <= all; k++) {
        assert_ok(vvWorldRestore(w, eve, &error));
        a = (asked){ 0, k };
        const int64_t begin = vvWorldStepIndex(w);
        const vvStatus status = vvWorldStep(w, NULL, &error);
        assert_true(status == VV_OK || status == VV_CANCELLED);
        assert_int_equal(vvWorldStepIndex(w), begin + (status == VV_OK));
        if (status == VV_OK && a.count >= k) {
            assert_int_equal(sleepers(w), 0);
            if (late++ % 2)
                vvWorldSetCancel(w, answer, &a);
            else
                assert_int_equal(vvWorldStep(w, NULL, &error), VV_CANCELLED);
            assert_int_equal(vvWorldStepIndex(w), begin + 1);
        }
        a.at = 0;
        while (vvWorldStepIndex(w) < begin + 4)
            go_on(w);
        assert_same(w, twin);
        assert_int_equal(sleepers(w), sleepers(twin));
    }
    print_message("asked %ld times in the step, %d of them as they fell asleep\n", all, late);
    assert_true(late > 1 && late < all);
    vvSnapshotDestroy(eve);
    vvWorldDestroy(w), vvWorldDestroy(twin);
}

/* Who was set in motion meanwhile does not fall asleep. */
static void what_was_pushed_meanwhile_stays_awake(void **state)
{
    (void)state;
    vvError error = { 0 };
    asked a = { 0 };
    vvWorldDef d = sleepy(0.1);
    vvWorld *w = stack(&d, SOLID);
    vvSnapshot *eve;
    do {
        assert_ok(vvWorldSnapshot(w, &eve, &error));
        go_on(w);
        if (sleepers(w) == 0)
            vvSnapshotDestroy(eve);
    } while (sleepers(w) == 0);
    vvWorldSetCancel(w, answer, &a);
    assert_ok(vvWorldRestore(w, eve, &error));
    go_on(w);
    a = (asked){ 0, a.count };
    assert_ok(vvWorldRestore(w, eve, &error));
    go_on(w);
    assert_int_equal(sleepers(w), 0);
    vvWorldSetCancel(w, NULL, NULL);
    double *q = positions(w), *v = calloc(numbers(w), sizeof *v);
    assert_non_null(v);
    for (size_t i = 1; i < numbers(w); i += 3)
        v[i] = 2;
    assert_ok(vvWorldSetState(w, q, v, &error));
    go_on(w);
    assert_int_equal(sleepers(w), 0);
    assert_true(vvWorldPositions(w)[1] > q[1] + 0.02);
    free(q), free(v);
    vvSnapshotDestroy(eve);
    vvWorldDestroy(w);
}

/* A block that lies, and far away one that hangs from springs, which let go at this time. */
static vvWorld *hung(double after, double release)
{
    vvError error = { 0 };
    vvWorldDef d = sleepy(after);
    vvWorld *w = new_world(&d);
    vvAttachDef springs = vvDefaultAttachDef();
    springs.kind = VV_ATTACH_SPRING, springs.stiffness = 20, springs.release = release;
    add_plane(w);
    add_block(w, SOLID, 0, 0.1015);
    assert_ok(vvBodyAttach(w, add_block(w, SOLID, 5, 1), &springs, NULL, &error));
    return w;
}

static void what_lets_go_as_they_fall_asleep_is_booked_once(void **state)
{
    (void)state;
    vvWorld *w = hung(0.1, INFINITY);
    while (!asleep(w, 0))
        go_on(w);
    const double time = vvWorldTime(w);
    vvWorldDestroy(w);
    vvWorld *on = hung(0.1, time), *off = hung(0, time);
    for (int k = 0; vvWorldTime(on) < time + 0.05; k++) {
        go_on(on), go_on(off);
        const vvLedgerRow a = row_of(on), b = row_of(off);
        assert_float_equal(a.work, b.work, 1e-9);
        assert_float_equal(a.error, b.error, 1e-6);
        assert_float_equal(a.damping, b.damping, 1e-6);
    }
    assert_true(asleep(on, 0) && row_of(on).total < -1);
    vvWorldDestroy(on), vvWorldDestroy(off);
}

static void waking_is_no_new_touch(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = sleepy(0.2);
    vvWorld *w = stack(&d, SOLID);
    until_asleep(w);
    go_on(w), go_on(w);
    assert_ok(vvBodyWake(w, vvWorldBody(w, 0), &error));
    go_on(w);
    vvContactEvents events;
    assert_ok(vvWorldContactEvents(w, &events, &error));
    assert_true(!asleep(w, 0) && events.beganCount == 0 && events.touchingCount >= 2);
    vvWorldDestroy(w);
}

static void nothing_is_put_into_a_sleeper(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = sleepy(0.2);
    vvWorld *w = stack(&d, SOLID);
    until_asleep(w);
    double *q = positions(w);
    const vvBodyId far = vvWorldBody(w, 2);
    int first, count;
    vvBodyNodes(w, far, &first, &count);
    for (int i = first; i < first + count; i++)
        q[3 * i] -= 2.95; /* into the two that lie there */
    assert_int_equal(vvBodySetState(w, far, q + 3 * first, NULL, &error), VV_ERROR_INPUT);
    free(q);
    assert_int_equal(sleepers(w), 0);
    go_on(w);
    vvWorldDestroy(w);
}

static void what_is_not_known_is_refused(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = sleepy(0.1);
    vvWorld *w = stack(&d, SOLID);
    until_asleep(w);
    double *forces = malloc(numbers(w) * sizeof *forces);
    int count;
    vvSparse matrix;
    assert_non_null(forces);
    assert_int_equal(vvWorldForces(w, "contact", forces, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "vvBodyWake"));
    assert_ok(vvWorldForces(w, "gravity", forces, &error));
    assert_int_equal(vvWorldHessian(w, "elastic", true, &matrix, &error), VV_ERROR_INPUT);
    assert_int_equal(vvBodyField(w, vvWorldBody(w, 0), "contact-force", true, forces, (int)numbers(w), &count, &error),
                     VV_ERROR_INPUT);
    assert_int_equal(vvBodyWake(w, (vvBodyId){ 0 }, &error), VV_ERROR_INPUT);
    assert_false(vvBodyAsleep(w, (vvBodyId){ 0 }) || vvBodyAsleep(NULL, vvWorldBody(w, 0)));
    d.solver.sleepSpeed = 2;
    vvWorld *none;
    assert_int_equal(vvWorldCreate(&d, &none, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "sleep_speed"));
    free(forces);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(awake_no_bit_differs),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(a_stack_stays_where_it_is),
        cmocka_unit_test(the_ledger_is_whole),
        cmocka_unit_test(on_a_kinematic_body),
        cmocka_unit_test(a_throw_wakes_what_it_hits),
        cmocka_unit_test(what_a_step_would_hit_wakes_in_it),
        cmocka_unit_test(whatever_stirs_them_wakes),
        cmocka_unit_test(far_away_nothing_wakes_them),
        cmocka_unit_test(what_creeps_faster_stays_awake),
        cmocka_unit_test(a_saved_state_goes_on_to_the_bit),
        cmocka_unit_test(short_memory_loses_nothing),
        cmocka_unit_test(a_cancel_as_they_fall_asleep),
        cmocka_unit_test(what_was_pushed_meanwhile_stays_awake),
        cmocka_unit_test(what_lets_go_as_they_fall_asleep_is_booked_once),
        cmocka_unit_test(waking_is_no_new_touch),
        cmocka_unit_test(nothing_is_put_into_a_sleeper),
        cmocka_unit_test(what_is_not_known_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
