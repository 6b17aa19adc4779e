/* Kinematic bodies: they stand exactly where their motion or the host has them, weigh nothing, disturb nothing that
 * they do not touch, under every scheme and policy; snapshots and saved states; what is refused. Friction between
 * pairs of bodies. */
#include "live_support.h"
#include "visviva/interact.h"

#include "world/world.h"
#include "positional.h"

static vvMesh plate_mesh(void)
{
    vvError error = { 0 };
    vvMesh mesh = { 0 };
    assert_ok(generate_mesh("box", (double[]){ 0.5, 0.02, 0.5, 2, 1, 2, 5 }, &mesh, &error));
    return mesh;
}

/* A plate at height y, far below or above what else there is. */
static vvBodyId add_plate(vvWorld *w, double y, const vvMotionDef *motion)
{
    vvBodyDef def = vvDefaultBodyDef();
    vvMesh mesh = plate_mesh();
    def.kinematic = true;
    def.translate[1] = y;
    if (motion)
        def.motion = *motion;
    return add_mesh(w, &mesh, &def);
}

/* The mesh's edges or triangles alone, with one vertex that nothing uses. */
static vvBodyId add_bare(vvWorld *w, bool triangles, double y, const vvMotionDef *motion)
{
    vvError error = { 0 };
    double x[] = { 0, y, 0, 1, y, 0, 0, y, 1, 5, y, 5 };
    int list[] = { 0, 1, 2 }, edges[] = { 0, 1, 1, 2 };
    vvMesh mesh = { .vertexCount = 4, .positions = x };
    if (triangles)
        mesh.triangleCount = 1, mesh.triangles = list;
    else
        mesh.edgeCount = 2, mesh.edges = edges;
    vvBodyDef def = vvDefaultBodyDef();
    def.mesh = &mesh;
    def.kinematic = true;
    def.motion = *motion;
    vvBodyId id;
    assert_ok(vvWorldAddBody(w, &def, &id, &error));
    return id;
}

static const vvWaypoint points[] = { { 0, { 0, 0, 0 }, { 0, 0, 0 } },
                                     { 0.01, { 0, 0.02, 0 }, { 5, 0, 0 } },
                                     { 0.03, { 0.01, 0, 0 }, { 0, 0, 10 } } };

static vvMotionDef wild_motion(void)
{
    vvMotionDef m = vvDefaultBodyDef().motion;
    m.angularVelocity = 90;
    m.axis[0] = 1;
    m.about[1] = -3;
    m.linearVelocity[2] = 0.3;
    m.endTime = 0.04;
    m.waypoints = points;
    m.waypointCount = 3;
    return m;
}

static const double *at(const vvWorld *w, vvBodyId id, int node)
{
    int first, count;
    vvBodyNodes(w, id, &first, &count);
    assert_true(node < count);
    return vvWorldPositions(w) + 3 * (first + node);
}

static int count_of(const vvWorld *w, vvBodyId id)
{
    int first, count;
    vvBodyNodes(w, id, &first, &count);
    return count;
}

/* Where the motion is at time t, by a second road: nested Rodrigues, written out for this motion. */
static void expect_on_motion(const vvWorld *w, vvBodyId id, const double *start, const vvMotionDef *m)
{
    for (int i = 0; i < count_of(w, id); i++) {
        double x[3];
        vv_motion_position(m, vvWorldTime(w), start + 3 * i, x);
        assert_memory_equal(x, at(w, id, i), sizeof x);
    }
}

/* Between waypoints by 3 u^2 - 2 u^3, where that is asked for; on them as without. */
static void smooth_waypoints_begin_and_end_slowly(void **state)
{
    (void)state;
    static const vvWaypoint way[] = { { 0, { 0 }, { 0 } },
                                      { 0.02, { 0, 0.08, 0 }, { 0 } },
                                      { 0.03, { 0, 0.05, 0 }, { 0 } } };
    for (int smooth = 0; smooth < 2; smooth++) {
        vvWorldDef d = live_def("backward-euler", "none");
        vvMotionDef m = vvDefaultMotionDef();
        d.timeStep = 1e-3;
        m.waypoints = way, m.waypointCount = 3, m.smooth = smooth;
        vvWorld *w = new_world(&d);
        const vvBodyId plate = add_plate(w, 0, &m);
        vvError error = { 0 };
        assert_ok(vvWorldBake(w, &error));
        const double start = at(w, plate, 0)[1];
        for (int i = 1; i <= 35; i++) {
            step(w);
            const double t = i * 1e-3, u = i <= 20 ? t / 0.02 : fmin((t - 0.02) / 0.01, 1);
            const double s = smooth ? u * u * (3 - 2 * u) : u, y = i <= 20 ? 0.08 * s : 0.08 - 0.03 * s;
            assert_near(at(w, plate, 0)[1] - start, y, 1e-12);
        }
        vvWorldDestroy(w);
    }
}

static bool is_explicit(const char *scheme)
{
    return strcmp(scheme, "forward-euler") == 0 || strcmp(scheme, "symplectic-euler") == 0 ||
           strcmp(scheme, "verlet") == 0;
}

/* A block that flies, with and without two kinematic bodies around it in the lists. */
static vvWorld *block_world(const char *scheme, const char *policy, bool with, vvBodyId *plate)
{
    vvWorldDef d = live_def(scheme, policy);
    vvMotionDef m = wild_motion();
    d.timeStep = is_explicit(scheme) ? 1e-4 : 2e-3;
    vvWorld *w = new_world(&d);
    if (with)
        *plate = add_plate(w, -3, &m);
    vvBodyId block = add_block(w, 0, 0, 3);
    set_state(w, block, "twist", (double[]){ 20, 0, 1, 0 });
    tie(w, block, VV_ATTACH_SPRING, 50);
    if (with)
        add_bare(w, true, -8, &m);
    return w;
}

static void check_undisturbed(const char *scheme, const char *policy)
{
    vvBodyId plate = { 0, 0 };
    vvMotionDef m = wild_motion();
    vvWorld *alone = block_world(scheme, policy, false, &plate), *w = block_world(scheme, policy, true, &plate);
    double *start = copy_of(vvWorldPositions(w), 3 * count_of(w, plate));
    for (int i = 0; i < 30; i++) {
        double p[14], q[14];
        vvLedgerRow a = step(alone), b = step(w);
        expect_on_motion(w, plate, start, &m);
        row_numbers(&a, p);
        row_numbers(&b, q);
        for (int k = 0; k < 14; k++)
            if (!(fabs(p[k] - q[k]) <= 1e-6 * (1 + fabs(p[k]))))
                fail_msg("%s, %s: step %d, number %d of the ledger: %.12g alone, %.12g with a kinematic body", scheme,
                         policy, i, k, p[k], q[k]);
        for (int k = 0; k < 3 * vvWorldNodeCount(w); k++)
            if (!isfinite(vvWorldPositions(w)[k]) || !isfinite(vvWorldVelocities(w)[k]))
                fail_msg("%s, %s: step %d: component %d is not finite", scheme, policy, i, k);
        for (int k = 0; k < 24; k++) /* the block's 8 nodes */
            assert_near(vvWorldPositions(alone)[k], at(w, vvWorldBody(w, 1), 0)[k], 1e-7);
    }
    free(start);
    vvWorldDestroy(alone);
    vvWorldDestroy(w);
}

static const char *const some_schemes[] = { "backward-euler", "bdf2", "sdirk2", "trapezoidal" };

static bool suits(const char *policy, const char *scheme)
{
    const vv_policy_ops *ops = vv_policy_find(policy);
    const vv_scheme row = vv_scheme_made(scheme, NULL, 0);
    return (!ops->suits || ops->suits(&row, NULL) == VV_OK) &&
           (!ops->suits_contact || ops->suits_contact(&row, NULL) == VV_OK);
}

static void undisturbed_under_every_scheme(void **state)
{
    (void)state;
    for (int i = 0; vvSchemeInfo(i); i++)
        check_undisturbed(vvSchemeInfo(i)->name, "none");
    for (int p = 0; vvPolicyInfo(p); p++) {
        int schemes = 0;
        for (int k = 0; k < 4; k++)
            if (suits(vvPolicyInfo(p)->name, some_schemes[k]))
                check_undisturbed(some_schemes[k], vvPolicyInfo(p)->name), schemes++;
        assert_true(schemes > 0 || !meets_things(vvPolicyInfo(p)->name));
    }
}

static void weighs_nothing_and_moves_at_mean_speed(void **state)
{
    (void)state;
    vvWorldDef d = live_def("bdf2", "none");
    vvMotionDef m = vvDefaultBodyDef().motion;
    m.linearVelocity[0] = 0.5;
    vvWorld *w = new_world(&d);
    vvBodyId plate = add_plate(w, 0, &m), edges = add_bare(w, false, 1, &m);
    int first, count;
    vvBodyNodes(w, plate, &first, &count);
    assert_true(vvBodyIsKinematic(w, plate));
    for (int i = 0; i < 5; i++) {
        vvLedgerRow row = step(w);
        assert_true(row.total == 0 && row.kinetic == 0 && row.work == 0 && row.error == 0);
        assert_true(norm3(row.momentum) == 0 && norm3(row.angularMomentumCentre) == 0);
    }
    for (int k = first; k < first + count; k++) {
        assert_true(vvWorldMasses(w)[k] == 0);
        assert_near(vvWorldVelocities(w)[3 * k], 0.5, 1e-10);
    }
    assert_near(at(w, edges, 3)[0], 5 + 0.5 * 5 * d.timeStep, 1e-12);
    vvBodyElements e;
    vvBodyGetElements(w, edges, &e);
    assert_int_equal(e.edgeCount, 2);
    vvWorldDestroy(w);
}

/* Nothing is to be solved then: every scheme, policy, solver has to see that. */
static void check_alone(const vvWorldDef *d)
{
    vvMotionDef m = wild_motion();
    vvWorld *w = new_world(d);
    vvBodyId plate = add_plate(w, 0.25, &m);
    add_bare(w, false, 1, &m);
    double *start = copy_of(vvWorldPositions(w), 3 * count_of(w, plate));
    for (int i = 0; i < 6; i++) {
        vvLedgerRow row = step(w);
        expect_on_motion(w, plate, start, &m);
        assert_true(row.total == 0 && row.work == 0 && row.error == 0 && row.friction == 0 && row.damping == 0);
        for (int k = 0; k < 3 * vvWorldNodeCount(w); k++)
            assert_true(isfinite(vvWorldPositions(w)[k]) && isfinite(vvWorldVelocities(w)[k]));
    }
    free(start);
    vvWorldDestroy(w);
}

static void a_world_of_nothing_else(void **state)
{
    (void)state;
    vvWorldDef d = live_def("backward-euler", "none");
    for (int i = 0; vvSchemeInfo(i); i++) {
        d.integrator.scheme = vvSchemeInfo(i)->name;
        check_alone(&d);
    }
    for (int i = 0; vvPolicyInfo(i); i++) {
        d.integrator.policy = vvPolicyInfo(i)->name;
        d.integrator.groundMode = VV_GROUND_AUTO;
        for (int k = 0; k < 4; k++)
            if (suits(vvPolicyInfo(i)->name, some_schemes[k])) {
                d.integrator.scheme = some_schemes[k];
                check_alone(&d);
            }
    }
    d = live_def("backward-euler", "none");
    for (int i = 0; vvLinearSolverInfo(i); i++)
        for (int shifted = 0; shifted < 2; shifted++) {
            d.solver.linear = vvLinearSolverInfo(i)->name;
            d.solver.hessian = shifted ? "shifted" : "projected";
            d.contact.friction = 0.5;
            check_alone(&d);
        }
}

static void the_default_stands_still(void **state)
{
    (void)state;
    vvWorldDef d = live_def("backward-euler", "none");
    vvMotionDef none = vvDefaultMotionDef();
    vvWorld *w = new_world(&d);
    vvBodyId plate = add_plate(w, 0.25, &none);
    double *start = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w));
    steps(w, 4);
    assert_memory_equal(start, vvWorldPositions(w), 3 * (size_t)vvWorldNodeCount(w) * sizeof *start);
    double energy;
    vvError error = { 0 };
    assert_ok(vvWorldSettle(w, true, &energy, &error));
    assert_true(energy == 0 && at(w, plate, 0)[1] == start[1]);
    free(start);
    vvWorldDestroy(w);
}

static void host_drives_it(void **state)
{
    (void)state;
    vvWorldDef d = live_def("backward-euler", "none");
    vvError error = { 0 };
    vvWorld *w = new_world(&d);
    vvBodyId block = add_block(w, 0, 0, 0), plate = add_plate(w, -1, NULL);
    vvAttachId hand = vvBodyAttachment(w, plate);
    assert_true(vvAttachIsValid(w, hand) && !vvAttachIsValid(w, vvBodyAttachment(w, block)));
    int first, count, nodes[64];
    vvBodyNodes(w, plate, &first, &count);
    assert_int_equal(vvAttachNodes(w, hand, nodes, 64), count);
    assert_int_equal(nodes[0], first);
    double *to = copy_of(vvWorldPositions(w) + 3 * first, 3 * count);
    for (int i = 0; i < 3 * count; i++)
        to[i] = 1.1 * to[i] + 0.01; /* not even rigid */
    steps(w, 2);
    assert_ok(vvAttachMoveTo(w, hand, to, &error));
    step(w);
    assert_memory_equal(to, vvWorldPositions(w) + 3 * first, 3 * (size_t)count * sizeof *to);
    steps(w, 2);
    assert_memory_equal(to, vvWorldPositions(w) + 3 * first, 3 * (size_t)count * sizeof *to);
    assert_true(norm3(vvWorldVelocities(w) + 3 * first) == 0);
    free(to);
    vvWorldDestroy(w);
}

static void comes_and_goes_while_running(void **state)
{
    (void)state;
    vvWorldDef d = live_def("bdf2", "none");
    vvError error = { 0 };
    vvMotionDef m = vvDefaultBodyDef().motion;
    m.linearVelocity[1] = 2;
    vvWorld *w = new_world(&d), *plain = new_world(&d);
    add_block(w, 0, 0, 2);
    add_block(plain, 0, 0, 2);
    steps(w, 5);
    steps(plain, 5);
    vvBodyId plate = add_plate(w, -3, &m);
    vvAttachId hand = vvBodyAttachment(w, plate);
    double low = at(w, plate, 0)[1];
    step(w);
    step(plain);
    assert_near(at(w, plate, 0)[1], low + 2 * d.timeStep, 1e-12); /* from where it was put */
    assert_ok(vvWorldRemoveBody(w, plate, &error));
    assert_false(vvAttachIsValid(w, hand) || vvBodyIsValid(w, plate));
    steps(w, 3);
    steps(plain, 3);
    for (int k = 0; k < 24; k++)
        assert_near(vvWorldPositions(w)[k], vvWorldPositions(plain)[k], 1e-9);
    vvWorldDestroy(w);
    vvWorldDestroy(plain);
}

static void snapshots_and_saved_states(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvBodyId plate = { 0, 0 };
    vvWorld *w = block_world("bdf2", "none", true, &plate), *other = block_world("bdf2", "none", true, &plate);
    steps(w, 4);
    vvSnapshot *s = NULL;
    assert_ok(vvWorldSnapshot(w, &s, &error));
    size_t size = vvWorldStateSize(w);
    void *blob = malloc(size);
    assert_ok(vvWorldSaveState(w, blob, size, &error));
    steps(w, 3);
    assert_ok(vvWorldRemoveBody(w, plate, &error));
    step(w);
    assert_ok(vvWorldRestore(w, s, &error));
    assert_true(vvBodyIsKinematic(w, plate) && vvAttachIsValid(w, vvBodyAttachment(w, plate)));
    assert_ok(vvWorldLoadState(other, blob, size, &error));
    expect_same(w, other, 6, "from a snapshot and from a saved state");
    vvMotionDef m = wild_motion();
    vvBodyId unused;
    vvWorld *again = block_world("bdf2", "none", true, &unused);
    expect_on_motion(w, plate, vvWorldPositions(again), &m);
    free(blob);
    vvSnapshotDestroy(s);
    vvWorldDestroy(w);
    vvWorldDestroy(other);
    vvWorldDestroy(again);
}

static void obstacles_do_not_stop_it(void **state)
{
    (void)state;
    vvWorldDef d = live_def("backward-euler", "none");
    vvMotionDef m = vvDefaultBodyDef().motion;
    m.linearVelocity[1] = -1;
    vvWorld *w = new_world(&d);
    add_plate(w, -0.001, &m);
    obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0.3);
    vvLedgerRow row = steps(w, 5);
    assert_true(row.minGap == INFINITY && row.work == 0);
    vvWorldDestroy(w);
}

static void ground_is_that_of_where_it_stands(void **state)
{
    (void)state;
    vvWorldDef d = live_def("backward-euler", "none");
    want_ground(&d);
    vvMotionDef m = vvDefaultBodyDef().motion;
    m.linearVelocity[0] = 100; /* for ever */
    double ground[2];
    for (int with = 0; with < 2; with++) {
        vvWorld *w = new_world(&d);
        tie(w, add_block(w, 0, 0, 0), VV_ATTACH_FIXED, 0);
        if (with)
            add_plate(w, -3, &m);
        ground[with] = step(w).groundEnergy;
        vvWorldDestroy(w);
    }
    assert_true(isfinite(ground[0]));
    assert_near(ground[0], ground[1], 1e-7 * (1 + fabs(ground[0])));
}

static void what_is_refused(void **state)
{
    (void)state;
    vvWorldDef d = live_def("backward-euler", "none");
    vvError error = { 0 };
    vvWorld *w = new_world(&d);
    vvBodyId plate = add_plate(w, 0, NULL);
    double zero[3 * 64] = { 0 }, push[3] = { 0, 1, 0 };
    vvAttachDef a = vvDefaultAttachDef();
    expect(vvBodyAttach(w, plate, &a, NULL, &error), VV_ERROR_INPUT, &error, "kinematic");
    expect(vvWorldDetach(w, vvBodyAttachment(w, plate), &error), VV_ERROR_INPUT, &error, "kinematic");
    expect(vvBodySetInitialState(w, plate, "linear", NULL, 0, &error), VV_ERROR_INPUT, &error, "kinematic");
    expect(vvBodySetInitialState(w, plate, "mode", NULL, 0, &error), VV_ERROR_INPUT, &error, "kinematic");
    expect(vvBodySetState(w, plate, zero, NULL, &error), VV_ERROR_INPUT, &error, "kinematic");
    expect(vvBodyApplyForce(w, plate, push, &error), VV_ERROR_INPUT, &error, "prescribed");
    expect(vvBodyApplyImpulse(w, plate, push, &error), VV_ERROR_INPUT, &error, "prescribed");
    for (int kind = 0; kind < 2; kind++) {
        vvDragDef drag = vvDefaultDragDef();
        vvDragId id;
        drag.body = plate;
        drag.kind = kind ? VV_DRAG_PRESCRIBED : VV_DRAG_SPRING;
        expect(vvWorldStartDrag(w, &drag, &id, &error), VV_ERROR_INPUT, &error, "kinematic");
    }
    int node = 0;
    assert_ok(vvWorldApplyImpulses(w, 1, &node, push, &error));
    double *x = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w));
    assert_ok(vvWorldSetState(w, zero, zero, &error)); /* prescribed nodes stay */
    assert_memory_equal(x, vvWorldPositions(w), 3 * (size_t)vvWorldNodeCount(w) * sizeof *x);
    assert_true(isfinite(step(w).total) && vvWorldVelocities(w)[0] == 0);
    free(x);

    const double bad[] = { -1, NAN, INFINITY };
    for (int i = 0; i < 6; i++) {
        vvMesh mesh = plate_mesh();
        vvBodyDef def = vvDefaultBodyDef();
        def.mesh = &mesh;
        def.kinematic = i < 3;
        if (i < 3)
            def.motion.linearVelocity[i] = bad[1 + i % 2];
        else
            def.thickness = bad[i - 3];
        expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, i < 3 ? "motion" : "thickness");
        vvMeshDestroy(&mesh);
    }
    assert_int_equal(vvWorldBodyCount(w), 1);
    vvWorldDestroy(w);
}

/* ---- contact with itself ---- */

static bool collides_with_itself(const vvWorld *w, vvBodyId id) { return w->bodies[vv_body_index(w, id)].self_contact; }

static void self_contact(void **state)
{
    (void)state;
    vvWorldDef d = live_def("backward-euler", "none");
    vvError error = { 0 };
    for (int i = 0; vvInitialStateInfo(i); i++) {
        const char *name = vvInitialStateInfo(i)->info.name;
        bool tangles = strcmp(name, "random") == 0 || strcmp(name, "collapsed") == 0;
        vvWorld *w = new_world(&d);
        vvBodyId block = add_block(w, 0, 0, 0);
        assert_true(collides_with_itself(w, block));
        set_state(w, block, name, NULL);
        assert_int_equal(collides_with_itself(w, block), !tangles);
        assert_ok(vvBodySetSelfContact(w, block, true, &error));
        assert_true(collides_with_itself(w, block));
        vvSnapshot *s = NULL;
        assert_ok(vvWorldSnapshot(w, &s, &error));
        assert_ok(vvBodySetSelfContact(w, block, false, &error));
        assert_false(collides_with_itself(w, block));
        assert_ok(vvWorldRestore(w, s, &error));
        assert_true(collides_with_itself(w, block));
        vvSnapshotDestroy(s);
        expect(vvBodySetSelfContact(w, (vvBodyId){ 9, 9 }, true, &error), VV_ERROR_INPUT, &error, "no such body");
        vvWorldDestroy(w);
    }
}

/* ---- friction between pairs ---- */

static vvBodyId add_rough(vvWorld *w, double x, double mu)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("stvk", 2e4);
    def.translate[0] = x;
    def.friction = mu;
    return add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 1, 1, 1 }, 5, &def);
}

static void friction_of_pairs(void **state)
{
    (void)state;
    vvWorldDef d = live_def("backward-euler", "none");
    vvError error = { 0 };
    d.contact.friction = 0.36;
    vvWorld *w = new_world(&d);
    vvBodyId a = add_rough(w, 0, 0.25), b = add_rough(w, 1, -1), c = add_rough(w, 2, 1), e = add_rough(w, 3, 0);
    assert_true(vv_world_friction(w, 0, 1) == 0.25); /* b has none of its own */
    assert_near(vv_world_friction(w, 0, 2), 0.5, 1e-15);
    assert_true(vv_world_friction(w, 1, 1) == 0.36 && vv_world_friction(w, 2, 3) == 0 &&
                vv_world_friction(w, 1, 3) == 0);
    assert_ok(vvWorldSetFriction(w, c, a, 0.7, &error));
    assert_ok(vvWorldSetFriction(w, b, b, 0.1, &error));
    assert_ok(vvWorldSetFriction(w, e, c, 0.2, &error));
    assert_true(vv_world_friction(w, 0, 2) == 0.7 && vv_world_friction(w, 2, 0) == 0.7);
    assert_true(vv_world_friction(w, 1, 1) == 0.1 && vv_world_friction(w, 3, 2) == 0.2 &&
                vv_world_friction(w, 2, 2) == 1);
    step(w);
    vvSnapshot *s = NULL;
    assert_ok(vvWorldSnapshot(w, &s, &error));
    assert_ok(vvWorldSetFriction(w, a, c, NAN, &error));
    assert_near(vv_world_friction(w, 0, 2), 0.5, 1e-15);
    assert_ok(vvWorldSetFriction(w, e, c, -1, &error));
    assert_true(vv_world_friction(w, 2, 3) == 0);
    assert_ok(vvWorldRestore(w, s, &error));
    assert_true(vv_world_friction(w, 0, 2) == 0.7 && vv_world_friction(w, 2, 3) == 0.2);
    assert_ok(vvWorldRemoveBody(w, b, &error)); /* later ones move down; what was said of them goes along */
    assert_true(vv_world_friction(w, 0, 1) == 0.7 && vv_world_friction(w, 2, 1) == 0.2 &&
                vv_world_friction(w, 1, 1) == 1);
    step(w);
    expect(vvWorldSetFriction(w, a, b, 0.1, &error), VV_ERROR_INPUT, &error, "second");
    expect(vvWorldSetFriction(w, a, c, 101, &error), VV_ERROR_INPUT, &error, "100");
    vvSnapshotDestroy(s);
    vvWorldDestroy(w);
}

/* What the host asks: NaN for pairs that never touch. */
static void friction_that_holds(void **state)
{
    (void)state;
    vvWorldDef d = live_def("backward-euler", "none");
    vvError error = { 0 };
    vvObstacleId plane;
    vvObstacleDef def = vvDefaultObstacleDef();
    vvBodyDef still = vvDefaultBodyDef();
    d.contact.friction = 0.1;
    vvWorld *w = new_world(&d);
    vvBodyId a = add_rough(w, 0, -1), b = add_rough(w, 1, 0.4);
    still.kinematic = true;
    still.friction = 0.9;
    still.translate[0] = 2;
    vvBodyId tray = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 1, 1, 1 }, 5, &still);
    still.friction = -1;
    still.translate[0] = 3;
    still.filter.mask = 0;
    vvBodyId other = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 1, 1, 1 }, 5, &still);
    def.name = "ground";
    assert_ok(vvWorldAddObstacle(w, &def, &plane, &error));
    assert_string_equal(vvObstacleName(w, plane), "ground");
    assert_true(vvWorldFriction(w, a, tray) == 0.9 && vvWorldFriction(w, a, b) == 0.4 &&
                vvWorldFriction(w, a, a) == 0.1);
    assert_near(vvWorldFriction(w, tray, b), 0.6, 1e-15);
    assert_true(isnan(vvWorldFriction(w, tray, other)) && isnan(vvWorldFriction(w, a, other)) &&
                isnan(vvWorldFriction(w, tray, tray)));
    assert_true(vvObstacleFriction(w, plane, a) == 0.1 && vvObstacleFriction(w, plane, b) == 0.4 &&
                isnan(vvObstacleFriction(w, plane, tray)));
    assert_ok(vvWorldRemoveObstacle(w, plane, &error));
    assert_ok(vvWorldRemoveBody(w, b, &error));
    assert_true(isnan(vvObstacleFriction(w, plane, a)) && isnan(vvWorldFriction(w, a, b)));
    assert_string_equal(vvObstacleName(w, plane), "");
    vvWorldDestroy(w);
}

/* Any order of setting and removing, against a table. */
static void friction_against_a_table(void **state)
{
    (void)state;
    enum { N = 6 };
    vvWorldDef d = live_def("backward-euler", "none");
    vvError error = { 0 };
    uint64_t seed = 5;
    vvWorld *w = new_world(&d);
    vvBodyId id[N];
    double table[N][N];
    for (int i = 0; i < N; i++) {
        id[i] = add_rough(w, i, 0.5);
        for (int k = 0; k < N; k++)
            table[i][k] = 0.5;
    }
    for (int round = 0, n = N; n > 1; round++) {
        int a = (int)(vv_random(&seed) * n), b = (int)(vv_random(&seed) * n);
        double mu = round % 4 == 3 ? NAN : vv_random(&seed);
        assert_ok(vvWorldSetFriction(w, id[a], id[b], mu, &error));
        table[a][b] = table[b][a] = isnan(mu) ? 0.5 : mu;
        if (round % 20 == 19) {
            int gone = (int)(vv_random(&seed) * n);
            assert_ok(vvWorldRemoveBody(w, id[gone], &error));
            for (int i = gone; i + 1 < n; i++) {
                id[i] = id[i + 1];
                memcpy(table[i], table[i + 1], sizeof table[i]);
            }
            n--;
            for (int i = 0; i < n; i++)
                memmove(table[i] + gone, table[i] + gone + 1, (size_t)(n - gone) * sizeof(double));
        }
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++)
                assert_true(vv_world_friction(w, i, k) == table[i][k]);
    }
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_waypoints_begin_and_end_slowly),
        cmocka_unit_test(undisturbed_under_every_scheme),
        cmocka_unit_test(weighs_nothing_and_moves_at_mean_speed),
        cmocka_unit_test(a_world_of_nothing_else),
        cmocka_unit_test(the_default_stands_still),
        cmocka_unit_test(host_drives_it),
        cmocka_unit_test(comes_and_goes_while_running),
        cmocka_unit_test(snapshots_and_saved_states),
        cmocka_unit_test(obstacles_do_not_stop_it),
        cmocka_unit_test(ground_is_that_of_where_it_stands),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(self_contact),
        cmocka_unit_test(friction_of_pairs),
        cmocka_unit_test(friction_that_holds),
        cmocka_unit_test(friction_against_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
