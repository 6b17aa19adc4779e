/* Bodies, obstacles and attachments come and go while a world runs: the ledger's identity, ids, what stays to the
 * bit, and changes that are refused. */
#include "live_support.h"
#include "positional.h"

/* ---- the ledger over changes ------------------------------------------------------------------------------------- */

static double identity(const vvLedgerRow *before, const vvLedgerRow *row)
{
    return row->total - before->total - (row->work - row->friction - row->damping - row->decay + row->error);
}

/* Adding bodies is work of as much energy as they bring; the target moves along, the error is that of any other
 * step. */
static void added_bodies_are_work(void **state)
{
    (void)state;
    static const char *const schemes[] = { "backward-euler", "bdf2",    "implicit-midpoint",
                                           "trapezoidal",    "tr-bdf2", "verlet" };
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
        vvWorldDef d = live_def(schemes[k], "none");
        d.timeStep = strcmp(schemes[k], "verlet") == 0 ? 2e-4 : 2e-3;
        vvWorld *w = new_world(&d);
        add_block(w, 0, 1, 0.4);
        vvLedgerRow before = steps(w, 20), row = step(w);
        double usual = fabs(row.error);
        before = row;
        double brought = 0, mass = 0.1 * 0.1 * 0.1 * 1000;
        for (int i = 1; i <= 10; i++) {
            vvBodyId b = add_block(w, 0.2 * i, 1, 0);
            set_state(w, b, "linear", (double[]){ 0, 0.1 * i, 0.3 });
            brought += 0.5 * mass * (0.1 * i * 0.1 * i + 0.3 * 0.3);
        }
        assert_near(ledger(w).total, before.total, 0); /* the row is as it was booked */
        row = step(w);
        assert_near(identity(&before, &row), 0, 1e-12);
        assert_near(row.work, brought, 1e-9 * brought);
        assert_near(row.target - before.target, row.work - row.friction - row.damping - row.decay, 1e-12);
        /* each of the eleven bodies makes an error like the one before; a new one's speed enters, too */
        double most = 40 * usual + 1e-9;
        if (!(fabs(row.error) < most))
            fail_msg("%s: error %g J in the step with new bodies, %g J before", schemes[k], row.error, usual);
        assert_true(row.scale >= before.scale);
        vvWorldDestroy(w);
    }
}

/* Any change, any policy: H(n+1) - H(n) = work - ... + error, and the next row's error is no larger than is usual. */
static void the_identity_holds_over_all_changes(void **state)
{
    (void)state;
    for (int p = 0; vvPolicyInfo(p); p++) {
        vvError error = { 0 };
        if (!meets_things(vvPolicyInfo(p)->name))
            continue;
        vvWorldDef d = live_def(scheme_for(vvPolicyInfo(p)->name), vvPolicyInfo(p)->name);
        vvWorld *w = new_world(&d);
        vvBodyId first = add_block(w, 0, 0.06, 0.4), second = add_block(w, 0.3, 0.06, 0);
        obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0.2);
        vvAttachId spring, fixed;
        vvLedgerRow before = steps(w, 15);
        for (int change = 0; change < 7; change++) {
            if (change == 0)
                spring = tie(w, first, VV_ATTACH_SPRING, 100);
            else if (change == 1)
                fixed = tie(w, second, VV_ATTACH_FIXED, 0);
            else if (change == 2)
                assert_ok(vvWorldRemoveBody(w, first, &error));
            else if (change == 3)
                first = add_block(w, 0.6, 0.2, 0);
            else if (change == 4)
                assert_ok(vvWorldDetach(w, fixed, &error));
            else if (change == 5)
                assert_ok(vvWorldRemoveObstacle(w, vvWorldObstacleAt(w, 0), &error));
            else
                obstacle(w, "plane", (double[]){ 0, -1, 0, 0, 1, 0 }, 0);
            vvLedgerTotals sums, then;
            vvWorldTotals(w, &sums);
            vvLedgerRow row = step(w);
            vvWorldTotals(w, &then);
            assert_near(identity(&before, &row), 0, 1e-12);
            assert_near(row.target - before.target, row.work - row.friction - row.damping - row.decay, 1e-12);
            assert_near(then.work - sums.work, row.work, 1e-12);
            assert_less(fabs(row.error), 0.05 * row.scale);
            assert_true(row.scale >= before.scale);
            before = steps(w, 10);
        }
        assert_false(vvAttachIsValid(w, spring));
        vvWorldDestroy(w);
    }
}

/* Holding a node that moves takes its energy away, by work; letting it go gives none. */
static void catching_and_letting_go(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "none");
    d.gravity[1] = 0;
    vvWorld *w = new_world(&d);
    vvBodyId b = add_block(w, 0, 1, 0);
    set_state(w, b, "linear", (double[]){ 1, 0, 0 });
    vvLedgerRow before = steps(w, 5);
    vvAttachDef a = vvDefaultAttachDef();
    vvAttachId id;
    assert_ok(vvBodyAttach(w, b, &a, &id, &error)); /* all nodes, held where they are */
    double *x = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w));
    vvLedgerRow row = step(w);
    assert_near(row.work, -before.kinetic, 1e-12);
    assert_near(row.error, 0, 1e-12);
    assert_near(row.kinetic, 0, 0);
    assert_memory_equal(x, vvWorldPositions(w), 3 * (size_t)vvWorldNodeCount(w) * sizeof *x);
    free(x);
    assert_ok(vvWorldDetach(w, id, &error));
    row = steps(w, 3);
    assert_near(row.total, 0, 1e-12);
    assert_false(vvAttachIsValid(w, id));
    vvWorldDestroy(w);
}

/* ---- what stays, stays to the bit -------------------------------------------------------------------------------- */

static void others_do_not_notice(void **state)
{
    (void)state;
    static const char *const schemes[] = { "backward-euler", "bdf2", "tr-bdf2", "verlet" };
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++)
        for (int early = 0; early < 2; early++) {
            vvError error = { 0 };
            vvWorldDef d = live_def(schemes[k], "none");
            d.timeStep = 5e-4;
            d.solver.linear = exact_solver();
            vvWorld *w = new_world(&d), *twin = new_world(&d);
            add_block(w, 0, 0.06, 0.4);
            add_block(twin, 0, 0.06, 0.4);
            obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0.2);
            obstacle(twin, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0.2);
            steps(w, 10);
            steps(twin, 10);
            /* came and went between two steps: baked in between or not */
            vvBodyId guest = add_block(w, 0.5, 0.2, 0.3);
            if (early)
                assert_ok(vvWorldBake(w, &error));
            assert_ok(vvWorldRemoveBody(w, guest, &error));
            expect_same(w, twin, 20, schemes[k]);
            vvWorldDestroy(w);
            vvWorldDestroy(twin);
        }
}

/* With every policy and linear solver, contact, springs that move. */
static void there_and_back_is_nothing(void **state)
{
    (void)state;
    for (int p = 0; vvPolicyInfo(p); p++)
        for (int l = 0; vvLinearSolverInfo(l) && meets_things(vvPolicyInfo(p)->name); l++) {
            vvError error = { 0 };
            vvWorldDef d = live_def(scheme_for(vvPolicyInfo(p)->name), vvPolicyInfo(p)->name);
            d.solver.linear = vvLinearSolverInfo(l)->name;
            if (strcmp(d.integrator.policy, "none") != 0 && strcmp(d.integrator.policy, "a1") != 0)
                want_ground(&d);
            vvWorld *w = new_world(&d), *twin = new_world(&d), *both[] = { w, twin };
            vvBodyId b = { 0 };
            for (int i = 0; i < 2; i++) {
                b = add_block(both[i], 0, 0.06, 0.4);
                obstacle(both[i], "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0.2);
                vvAttachDef a = vvDefaultAttachDef();
                a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 100, 0 }, .b = { 100, 100, 0 } };
                a.kind = VV_ATTACH_SPRING;
                a.stiffness = 20;
                a.motion.linearVelocity[0] = 0.1;
                attach(both[i], b, &a);
                steps(both[i], 10);
            }
            vvBodyId guest = add_block(w, 0.5, 0.2, 0.3);
            assert_ok(vvWorldBake(w, &error));
            obstacle(w, "sphere", (double[]){ 9, 9, 9, 1 }, 0);
            assert_ok(vvWorldBake(w, &error));
            vvAttachId extra = tie(w, b, VV_ATTACH_SPRING, 5);
            assert_ok(vvWorldBake(w, &error));
            assert_ok(vvWorldRemoveBody(w, guest, &error));
            assert_ok(vvWorldRemoveObstacle(w, vvWorldObstacleAt(w, 1), &error));
            assert_ok(vvWorldBake(w, &error));
            assert_ok(vvWorldDetach(w, extra, &error));
            expect_same(w, twin, 15, vvLinearSolverInfo(l)->name);
            double ground = ledger(w).groundEnergy, twins = ledger(twin).groundEnergy;
            assert_true(ground == twins || (isnan(ground) && isnan(twins) && d.integrator.decayKeyCount == 0));
            vvWorldDestroy(w);
            vvWorldDestroy(twin);
        }
}

/* A body that is put in before the first step, whenever that is, makes the world that is made at once. */
static void before_the_first_step_order_is_free(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "search");
    want_ground(&d);
    vvWorld *w = new_world(&d), *twin = new_world(&d);
    obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0.2);
    add_block(w, 0, 0.06, 0.4);
    assert_ok(vvWorldBake(w, &error));
    vvBodyId wrong = add_block(w, 5, 0.06, 0.4);
    ledger(w);
    assert_ok(vvWorldRemoveBody(w, wrong, &error));
    vvBodyId late = add_block(w, 0.3, 0.06, 0);
    ledger(w);
    set_state(w, late, "mode", (double[]){ 1, 0.001, 0.1 });
    ledger(w);
    set_state(w, late, "linear", (double[]){ 0.1, 0, 0 });
    add_block(twin, 0, 0.06, 0.4);
    vvBodyId b = add_block(twin, 0.3, 0.06, 0);
    obstacle(twin, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0.2);
    set_state(twin, b, "mode", (double[]){ 1, 0.001, 0.1 });
    set_state(twin, b, "linear", (double[]){ 0.1, 0, 0 });
    assert_near(ledger(w).total, ledger(twin).total, 1e-15); /* mode and shift are added in another order */
    assert_near(ledger(w).work, 0, 0);
    assert_near(ledger(w).groundEnergy, ledger(twin).groundEnergy, 0);
    assert_near(steps(w, 10).total, steps(twin, 10).total, 1e-9);
    vvWorldDestroy(w);
    vvWorldDestroy(twin);
}

/* ---- ids --------------------------------------------------------------------------------------------------------- */

static void ids_live_and_die(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "none");
    vvWorld *w = new_world(&d);
    vvBodyId a = add_block(w, 0, 1, 0), b = add_block(w, 1, 1, 0), c = add_block(w, 2, 1, 0);
    char name[128];
    snprintf(name, sizeof name, "%s", vvBodyName(w, c));
    vvAttachId tied = tie(w, b, VV_ATTACH_FIXED, 0), kept = tie(w, c, VV_ATTACH_SPRING, 10);
    uint32_t revision = vvWorldRevision(w);
    steps(w, 2);
    assert_ok(vvWorldRemoveBody(w, b, &error));
    assert_int_equal(vvWorldRevision(w), revision + 1);
    assert_true(vvBodyIsValid(w, a) && !vvBodyIsValid(w, b) && vvBodyIsValid(w, c));
    assert_true(!vvAttachIsValid(w, tied) && vvAttachIsValid(w, kept));
    assert_int_equal(vvWorldBodyCount(w), 2);
    vvBodyId at = vvWorldBody(w, 1);
    assert_memory_equal(&at, &c, sizeof c);
    assert_string_equal(vvBodyName(w, c), name);
    assert_string_equal(vvBodyName(w, b), "");
    int first, count, nodes[8];
    vvBodyNodes(w, c, &first, &count);
    assert_int_equal(first, count); /* all blocks are alike */
    assert_int_equal(vvAttachNodes(w, kept, nodes, 8), 4);
    for (int i = 0; i < 4; i++)
        assert_true(nodes[i] >= first && nodes[i] < first + count);
    assert_int_equal(vvAttachNodes(w, tied, nodes, 8), 0);
    vvBodyElements e;
    vvBodyGetElements(w, c, &e);
    for (int i = 0; i < 4 * e.tetCount; i++)
        assert_true(e.tets[i] >= first && e.tets[i] < first + count);
    vvBodyNodes(w, b, &first, &count);
    assert_int_equal(count, 0);
    /* the slot is used again, the id is not */
    vvBodyId again = add_block(w, 1, 1, 0);
    assert_int_equal(again.index1, b.index1);
    assert_true(again.generation != b.generation);
    assert_true(vvBodyIsValid(w, again) && !vvBodyIsValid(w, b));
    expect(vvWorldRemoveBody(w, b, &error), VV_ERROR_INPUT, &error, "no such body");
    expect(vvBodySetState(w, b, NULL, NULL, &error), VV_ERROR_INPUT, &error, "no such body");
    expect(vvBodySetInitialState(w, b, "linear", NULL, 0, &error), VV_ERROR_INPUT, &error, "no such body");
    expect(vvWorldDetach(w, tied, &error), VV_ERROR_INPUT, &error, "no such attachment");
    double x[24] = { 0 };
    expect(vvAttachMoveTo(w, tied, x, &error), VV_ERROR_INPUT, &error, "no such attachment");
    expect(vvWorldRemoveBody(w, (vvBodyId){ 0, 0 }, &error), VV_ERROR_INPUT, &error, "no such body");
    expect(vvWorldRemoveBody(w, (vvBodyId){ -7, 1 }, &error), VV_ERROR_INPUT, &error, "no such body");
    expect(vvWorldRemoveBody(w, (vvBodyId){ 1000, 1 }, &error), VV_ERROR_INPUT, &error, "no such body");
    /* obstacles */
    obstacle(w, "plane", (double[]){ 0, -3, 0, 0, 1, 0 }, 0);
    obstacle(w, "sphere", (double[]){ 0, -9, 0, 1 }, 0);
    vvObstacleId plane = vvWorldObstacleAt(w, 0), ball = vvWorldObstacleAt(w, 1);
    assert_ok(vvWorldRemoveObstacle(w, plane, &error));
    assert_true(!vvObstacleIsValid(w, plane) && vvObstacleIsValid(w, ball));
    assert_int_equal(vvWorldObstacleCount(w), 1);
    assert_string_equal(vvWorldObstacle(w, 0, NULL, NULL), "sphere");
    expect(vvWorldRemoveObstacle(w, plane, &error), VV_ERROR_INPUT, &error, "no such obstacle");
    step(w);
    vvWorldDestroy(w);
}

/* A name that was made up does not meet one that the user takes later, or took before. */
static void names_stay_unique(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "none");
    vvWorld *w = new_world(&d);
    vvBodyId list[4];
    for (int i = 0; i < 4; i++)
        list[i] = add_block(w, i, 1, 0);
    assert_ok(vvWorldRemoveBody(w, list[1], &error));
    for (int i = 0; i < 3; i++)
        add_block(w, 4 + i, 1, 0);
    for (int i = 0; i < vvWorldBodyCount(w); i++)
        for (int j = 0; j < i; j++)
            assert_string_not_equal(vvBodyName(w, vvWorldBody(w, i)), vvBodyName(w, vvWorldBody(w, j)));
    vvWorldDestroy(w);
}

/* Names of bodies that a restored snapshot has not got are free, and those that it brings are taken. */
static void a_snapshot_brings_its_names(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "none");
    vvWorld *w = new_world(&d);
    vvSnapshot *one;
    vvMesh mesh = { 0 };
    vvBodyDef def = vvDefaultBodyDef();
    assert_ok(vvMeshGenerate("box", NULL, 0, &mesh, &error));
    def.mesh = &mesh;
    add_block(w, 0, 1, 0);
    assert_ok(vvWorldSnapshot(w, &one, &error));
    for (int i = 1; i < 40; i++)
        add_block(w, i, 1, 0);
    assert_ok(vvWorldRestore(w, one, &error));
    for (int i = 1; i < 20; i++) {
        char name[16];
        snprintf(name, sizeof name, "mine-%d", i);
        def.name = name, def.translate[0] = 30 * i;
        assert_ok(vvWorldAddBody(w, &def, NULL, &error));
        expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, "two bodies are named");
    }
    def.name = "body-2", def.translate[0] = -30;
    assert_ok(vvWorldAddBody(w, &def, NULL, &error));
    vvMeshDestroy(&mesh);
    vvSnapshotDestroy(one);
    vvWorldDestroy(w);
}

/* ---- changes that cannot be ------------------------------------------------------------------------------------- */

static void a_refused_change_loses_nothing(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("bdf2", "none");
    d.solver.linear = exact_solver();
    vvWorld *w = new_world(&d), *twin = new_world(&d), *both[] = { w, twin };
    for (int i = 0; i < 2; i++) {
        add_block(both[i], 0, 0.06, 0.4);
        obstacle(both[i], "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0);
        steps(both[i], 10);
    }
    vvBodyId bad = add_block(w, 1, -0.01, 0); /* reaches below the plane */
    for (int k = 0; k < 2; k++) {
        expect(vvWorldStep(w, NULL, &error), VV_ERROR_INPUT, &error, "inside obstacle 0");
        expect(vvWorldBake(w, &error), VV_ERROR_INPUT, &error, vvBodyName(w, bad));
    }
    assert_int_equal(vvWorldStepIndex(w), 10);
    assert_ok(vvWorldRemoveBody(w, bad, &error));
    expect_same(w, twin, 10, "after a refusal");
    /* or it is moved out of the way */
    bad = add_block(w, 1, -0.01, 0);
    expect(vvWorldStep(w, NULL, &error), VV_ERROR_INPUT, &error, "inside obstacle 0");
    int first, count;
    vvBodyNodes(w, bad, &first, &count);
    double *x = copy_of(vvWorldPositions(w) + 3 * first, 3 * count);
    for (int i = 0; i < count; i++)
        x[3 * i + 1] += 0.5;
    assert_ok(vvBodySetState(w, bad, x, NULL, &error));
    step(w);
    free(x);
    /* an obstacle on top of a body */
    vvObstacleDef def = vvDefaultObstacleDef();
    vvObstacleId lid;
    shape_obstacle(&def, (double[]){ 0, 9, 0, 0, 1, 0 });
    assert_ok(vvWorldAddObstacle(w, &def, &lid, &error));
    expect(vvWorldStep(w, NULL, &error), VV_ERROR_INPUT, &error, "inside obstacle 1");
    assert_ok(vvWorldRemoveObstacle(w, lid, &error));
    step(w);
    vvWorldDestroy(w);
    vvWorldDestroy(twin);
}

static void an_emptied_world_goes_on(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "search");
    vvWorld *w = new_world(&d);
    vvBodyId b = add_block(w, 0, 0.06, 0.4);
    obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0.3);
    vvLedgerRow before = steps(w, 3);
    assert_ok(vvWorldRemoveBody(w, b, &error));
    vvLedgerRow row = step(w);
    assert_near(row.total, 0, 0);
    assert_near(row.work, -before.total, 1e-15);
    assert_near(row.error, 0, 1e-15);
    steps(w, 2);
    add_block(w, 0, 0.06, 0.4);
    row = steps(w, 3);
    assert_true(row.kinetic > 0);
    assert_int_equal(vvWorldStepIndex(w), 9);
    vvWorldDestroy(w);
}

/* A body that has not stepped may still be given states, also in a running world. */
static void late_bodies_have_initial_states(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "none");
    d.gravity[1] = 0;
    vvWorld *w = new_world(&d);
    vvBodyId a = add_block(w, 0, 1, 0);
    steps(w, 3);
    expect(vvBodySetInitialState(w, a, "linear", NULL, 0, &error), VV_ERROR_UNSUPPORTED, &error,
           "before the first step");
    vvBodyId b = add_block(w, 1, 1, 0);
    int first, count;
    vvBodyNodes(w, b, &first, &count);
    set_state(w, b, "mode", (double[]){ 1, 0, 0.2 });
    assert_near(vvWorldVelocities(w)[3 * first], 0, 0);
    assert_ok(vvWorldBake(w, &error));
    double most = 0;
    for (int i = 0; i < vvWorldNodeCount(w); i++) {
        double speed = norm3(vvWorldVelocities(w) + 3 * i);
        if (i < first)
            assert_near(speed, 0, 0); /* that body alone */
        most = speed > most ? speed : most;
    }
    assert_near(most, 0.2, 1e-12);
    double kinetic = ledger(w).kinetic;
    assert_ok(vvWorldBake(w, &error));
    assert_near(ledger(w).kinetic, kinetic, 0); /* once */
    assert_near(step(w).work, kinetic, 1e-12);
    vvWorldDestroy(w);
}

/* A start that is refused leaves no trace of what was tried: a mode is there once when it succeeds. */
static void a_refused_start_leaves_no_trace(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "none");
    for (int late = 0; late < 2; late++) {
        vvWorld *w = new_world(&d);
        obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0);
        if (late) {
            add_block(w, 3, 0.06, 0);
            steps(w, 3);
        }
        vvBodyId b = add_block(w, 0, -0.01, 0);
        set_state(w, b, "mode", (double[]){ 1, 0, 0.2 });
        for (int k = 0; k < 3; k++)
            expect(vvWorldBake(w, &error), VV_ERROR_INPUT, &error, "inside obstacle 0");
        int first, count;
        vvBodyNodes(w, b, &first, &count);
        double *x = copy_of(vvWorldPositions(w) + 3 * first, 3 * count), most = 0;
        for (int i = 0; i < count; i++)
            x[3 * i + 1] += 0.5;
        assert_ok(vvBodySetState(w, b, x, NULL, &error));
        assert_ok(vvWorldBake(w, &error));
        for (int i = first; i < first + count; i++)
            most = fmax(most, norm3(vvWorldVelocities(w) + 3 * i));
        assert_near(most, 0.2, 1e-12);
        free(x);
        vvWorldDestroy(w);
    }
}

/* ---- at random --------------------------------------------------------------------------------------------------- */

static void at_random(void **state)
{
    (void)state;
    static const char *const runs[][2] = {
        { "backward-euler", "search" }, { "bdf2", "none" }, { "tr-bdf2", "none" }, { "backward-euler", "a1" }
    };
    for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
        vvError error = { 0 };
        vvWorldDef d = live_def(runs[r][0], runs[r][1]);
        vvWorld *w = new_world(&d);
        uint32_t random = 11 + (uint32_t)r;
        vvBodyId bodies[8] = { { 0 } };
        vvAttachId ties[8] = { { 0 } };
        vvObstacleId stones[3] = { { 0 } };
        obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0.3);
        bodies[0] = add_block(w, 0, 0.06, 0.2);
        vvLedgerRow before = step(w);
        for (int s = 0; s < 120; s++) {
            for (int k = 0; k < 2; k++) {
                random = random * 1664525u + 1013904223u;
                int what = (int)(random >> 28), at = (int)(random >> 24) % 8;
                if (what < 4 && !vvBodyIsValid(w, bodies[at])) {
                    bodies[at] = add_block(w, 0.3 * at, 0.06 + 0.01 * what, 0.1 * what);
                } else if (what < 6 && vvBodyIsValid(w, bodies[at])) {
                    assert_ok(vvWorldRemoveBody(w, bodies[at], &error));
                } else if (what < 9 && vvBodyIsValid(w, bodies[at]) && !vvAttachIsValid(w, ties[at])) {
                    ties[at] = tie(w, bodies[at], what == 6 ? VV_ATTACH_FIXED : VV_ATTACH_SPRING, 50);
                } else if (what < 12 && vvAttachIsValid(w, ties[at])) {
                    assert_ok(vvWorldDetach(w, ties[at], &error));
                } else if (what == 12 && !vvObstacleIsValid(w, stones[at % 3])) {
                    vvObstacleDef def = vvDefaultObstacleDef();
                    def.type = "sphere";
                    shape_obstacle(&def, (double[]){ 0.3 * at, -3, 0, 1 });
                    assert_ok(vvWorldAddObstacle(w, &def, &stones[at % 3], &error));
                } else if (what == 13 && vvObstacleIsValid(w, stones[at % 3])) {
                    assert_ok(vvWorldRemoveObstacle(w, stones[at % 3], &error));
                }
            }
            vvLedgerRow row = step(w);
            assert_near(identity(&before, &row), 0, 1e-11);
            assert_near(row.target - before.target, row.work - row.friction - row.damping - row.decay, 1e-11);
            /* hard impacts at this step: no change is behind the large ones */
            assert_less(fabs(row.error), 0.5 * row.scale);
            before = row;
        }
        vvWorldDestroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(added_bodies_are_work),
        cmocka_unit_test(the_identity_holds_over_all_changes),
        cmocka_unit_test(catching_and_letting_go),
        cmocka_unit_test(others_do_not_notice),
        cmocka_unit_test(there_and_back_is_nothing),
        cmocka_unit_test(before_the_first_step_order_is_free),
        cmocka_unit_test(ids_live_and_die),
        cmocka_unit_test(names_stay_unique),
        cmocka_unit_test(a_snapshot_brings_its_names),
        cmocka_unit_test(a_refused_change_loses_nothing),
        cmocka_unit_test(an_emptied_world_goes_on),
        cmocka_unit_test(late_bodies_have_initial_states),
        cmocka_unit_test(a_refused_start_leaves_no_trace),
        cmocka_unit_test(at_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
