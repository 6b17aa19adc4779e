/* What a user makes and asks of a world: regions, attachments, motions, initial states, equilibrium, saved states, the
 * same bits for any number of threads, failures that change nothing, errors that name their field. */
#include "world_support.h"
#include "step/params.h"

#include <pthread.h>

static const double COLD[3] = { 0, 0, 0 };

/* ---- regions ----------------------------------------------------------------------------------------------------- */

static int selected(vvWorld *w, vvBodyId body, vvRegion r) { return vvBodySelect(w, body, &r, NULL, 0); }

static void regions_hold_what_they_say(void **state)
{
    (void)state;
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-6);
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material("stvk", 1e4);
    vvBodyId body = add_cube(w, 0.2, 2, &m); /* 27 nodes at -0.1, 0, 0.1 */
    assert_int_equal(selected(w, body, (vvRegion){ .kind = VV_REGION_ALL }), 27);
    assert_int_equal(selected(w, body, (vvRegion){ .kind = VV_REGION_ALL, .surfaceOnly = true }), 26);
    assert_int_equal(selected(w, body, (vvRegion){ .kind = VV_REGION_BOX, .a = { 0.1, 1, 1 }, .b = { 0.1, -1, -1 } }),
                     9);
    assert_int_equal(selected(w, body, (vvRegion){ .kind = VV_REGION_BOX, .a = { 0.11, 1, 1 }, .b = { 1, -1, -1 } }),
                     0);
    assert_int_equal(selected(w, body, (vvRegion){ .kind = VV_REGION_SPHERE, .a = { 0, 0, 0 }, .radius = 0.1 }), 7);
    assert_int_equal(selected(w, body, (vvRegion){ .kind = VV_REGION_SPHERE, .radius = 0.05, .surfaceOnly = true }), 0);
    assert_int_equal(selected(w, body, (vvRegion){ .kind = VV_REGION_HALF_SPACE, .a = { 0, 0, 0 }, .b = { 0, 2, 0 } }),
                     18);
    assert_int_equal(selected(w, body, (vvRegion){ .kind = VV_REGION_HALF_SPACE, .a = { 0, 0, 0 }, .b = { 1, 1, 1 } }),
                     17);
    assert_int_equal(selected(w, body, (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 0, 0 }, .b = { 50, 100, 0 } }),
                     6);
    int list[3] = { 4, 4, 20 }, nodes[27];
    vvRegion by_list = { .kind = VV_REGION_VERTICES, .list = list, .listCount = 3 };
    assert_int_equal(vvBodySelect(w, body, &by_list, nodes, 27), 2);
    assert_int_equal(nodes[0], 4);
    assert_int_equal(nodes[1], 20);
    assert_int_equal(vvBodySelect(w, body, &by_list, nodes, 1), 2); /* counts on past the capacity */
    assert_int_equal(selected(w, (vvBodyId){ 7, 1 }, by_list), 0);

    /* a second body, placed: regions are tests of the placed rest shape, nodes are the world's */
    vvBodyDef def = vvDefaultBodyDef();
    def.material = m;
    def.rotate[2] = 90;
    def.translate[0] = 5;
    double size[3] = { 0.4, 0.2, 0.2 };
    vvBodyId other = add_box_def(w, size, (int[]){ 2, 1, 1 }, 5, &def);
    vvRegion top = { .kind = VV_REGION_BOX, .a = { 4, 0.2, -1 }, .b = { 6, 0.2, 1 } };
    assert_int_equal(vvBodySelect(w, other, &top, nodes, 27), 4);
    for (int i = 0; i < 4; i++) {
        assert_true(nodes[i] >= 27 && nodes[i] < 39);
        assert_near(vvWorldPositions(w)[3 * nodes[i] + 1], 0.2, 1e-15);
    }
    vvWorldDestroy(w);
}

static int rim_of(const char *generator, const double *values, const char *model)
{
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-6);
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material.model = model;
    vvMesh mesh;
    vvError error;
    vvBodyId body;
    assert_ok(generate_mesh(generator, values, &mesh, &error));
    def.mesh = &mesh;
    assert_ok(vvWorldAddBody(w, &def, &body, &error));
    int rim = selected(w, body, (vvRegion){ .kind = VV_REGION_ALL, .rimOnly = true });
    vvMeshDestroy(&mesh);
    vvWorldDestroy(w);
    return rim;
}

static void a_rim_is_where_a_shell_or_a_line_ends(void **state)
{
    (void)state;
    assert_int_equal(rim_of("cloth", (double[]){ 1, 2, 3, 5 }, "hooke"), 16); /* 4 x 6 vertices, 2 x 4 within */
    assert_int_equal(rim_of("disk", (double[]){ 1, 4 }, "hooke"), 24);
    assert_int_equal(rim_of("box", (double[]){ 1, 1, 1, 2, 2, 2, 5 }, "stvk"), 0);
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-6);
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material.model = "hooke-rod";
    vvMesh tree = { .vertexCount = 5,
                    .positions = (double[]){ 0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 2, 1, 0 },
                    .edgeCount = 4,
                    .edges = (int[]){ 0, 1, 1, 2, 2, 3, 2, 4 } };
    vvBodyId body;
    vvError error;
    def.mesh = &tree;
    assert_ok(vvWorldAddBody(w, &def, &body, &error));
    int ends[5];
    vvRegion rim = { .kind = VV_REGION_ALL, .rimOnly = true };
    assert_int_equal(vvBodySelect(w, body, &rim, ends, 5), 3);
    assert_true(ends[0] == 0 && ends[1] == 3 && ends[2] == 4);
    vvWorldDestroy(w);
}

/* ---- attachments and motion -------------------------------------------------------------------------------------- */

static void expect(vvStatus got, vvStatus wanted, const vvError *error, const char *word)
{
    if (got != wanted || !strstr(error->message, word))
        fail_msg("wanted status \"%s\" and a message with \"%s\"; got \"%s\": %s", vvStatusName(wanted), word,
                 vvStatusName(got), error->message);
    assert_int_equal(error->status, wanted);
}

static void attach_errors_say_what_is_wrong(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-6);
    vvWorld *w = new_world(&d), *none = NULL;
    expect(vvWorldCreate(NULL, &none, &error), VV_ERROR_INPUT, &error, "NULL");
    expect(vvWorldAddBody(w, NULL, NULL, &error), VV_ERROR_INPUT, &error, "NULL");
    expect(vvWorldAddObstacle(w, NULL, NULL, &error), VV_ERROR_INPUT, &error, "NULL");
    vvBodyDef def = vvDefaultBodyDef();
    def.name = "block";
    vvBodyId body = add_box_def(w, (double[]){ 1, 1, 1 }, (int[]){ 1, 1, 1 }, 5, &def);
    vvAttachDef a = vvDefaultAttachDef();
    a.where = (vvRegion){ .kind = VV_REGION_SPHERE, .a = { 9, 9, 9 }, .radius = 1 };
    expect(vvBodyAttach(w, body, &a, NULL, &error), VV_ERROR_INPUT, &error, "\"block\"");
    expect(vvBodyAttach(w, body, NULL, NULL, &error), VV_ERROR_INPUT, &error, "NULL");
    a.where = (vvRegion){ .kind = VV_REGION_VERTICES, .listCount = 1 };
    expect(vvBodyAttach(w, body, &a, NULL, &error), VV_ERROR_INPUT, &error, "array is NULL");
    a.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = (int[]){ 3, 8 }, .listCount = 2 };
    expect(vvBodyAttach(w, body, &a, NULL, &error), VV_ERROR_INPUT, &error,
           "is vertex 8; body \"block\" has vertices 0 to 7");
    a.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = (int[]){ 3 }, .listCount = 1 };
    expect(vvBodyAttach(w, (vvBodyId){ 3, 1 }, &a, NULL, &error), VV_ERROR_INPUT, &error, "no such body");
    a.kind = VV_ATTACH_SPRING;
    a.stiffness = 0;
    expect(vvBodyAttach(w, body, &a, NULL, &error), VV_ERROR_INPUT, &error, "stiffness");
    a.kind = VV_ATTACH_FIXED;
    a.motion.linearVelocity[1] = NAN;
    expect(vvBodyAttach(w, body, &a, NULL, &error), VV_ERROR_INPUT, &error, "motion");
    a.motion.linearVelocity[1] = 0;
    a.motion.angularVelocity = 1;
    memcpy(a.motion.axis, COLD, sizeof COLD);
    expect(vvBodyAttach(w, body, &a, NULL, &error), VV_ERROR_INPUT, &error, "axis");
    a.motion.angularVelocity = 0;
    vvWaypoint twice[2] = { { .time = 1 }, { .time = 1 } };
    a.motion.waypoints = twice;
    a.motion.waypointCount = 2;
    expect(vvBodyAttach(w, body, &a, NULL, &error), VV_ERROR_INPUT, &error, "waypoint 1");
    a.motion.waypointCount = 0;
    assert_ok(vvBodyAttach(w, body, &a, NULL, &error)); /* none of the refused ones took the node */
    a.where = (vvRegion){ .kind = VV_REGION_ALL };
    expect(vvBodyAttach(w, body, &a, NULL, &error), VV_ERROR_INPUT, &error, "vertex 3 is in two");
    a.kind = VV_ATTACH_SPRING; /* springs may share nodes */
    a.stiffness = 10;
    assert_ok(vvBodyAttach(w, body, &a, NULL, &error));
    vvWorldDestroy(w);
}

/* x(t) = about + R(t)(x0 - about) + v t, to the script's own end. */
static void scripted_nodes_go_where_the_motion_says(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-6);
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("fixed-corotated", 1e4);
    vvBodyId turning = add_box_def(w, (double[]){ 0.2, 0.1, 0.1 }, (int[]){ 2, 1, 1 }, 6, &def);
    def.translate[2] = 3;
    vvBodyId walking = add_box_def(w, (double[]){ 0.2, 0.1, 0.1 }, (int[]){ 2, 1, 1 }, 6, &def);
    vvAttachDef a = vvDefaultAttachDef();
    a.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = (int[]){ 0 }, .listCount = 1 };
    a.motion.about[0] = 1;
    a.motion.axis[1] = 0;
    a.motion.axis[2] = 3;
    a.motion.angularVelocity = 90;
    a.motion.linearVelocity[2] = 2;
    a.motion.startTime = 0.1;
    a.motion.endTime = 0.4;
    attach(w, turning, &a);
    const vvWaypoint points[3] = { { 0.1, { 0, 0, 0 }, { 0, 0, 0 } },
                                   { 0.3, { 0.2, 0, 0.1 }, { 0, 90, 0 } },
                                   { 0.4, { 0.2, 0.1, 0.1 }, { 0, 90, 0 } } };
    a.motion = vvDefaultMotionDef();
    a.motion.about[2] = 3;
    a.motion.waypoints = points;
    a.motion.waypointCount = 3;
    attach(w, walking, &a);
    assert_ok(vvWorldBake(w, &error));
    int first, count;
    vvBodyNodes(w, walking, &first, &count);
    const double *x = vvWorldPositions(w), *y = x + 3 * first;
    double x0[3] = { x[0], x[1], x[2] }, y0[3] = { y[0], y[1], y[2] - 3 }, last[3];
    for (int i = 1; i <= 60; i++) {
        memcpy(last, x, sizeof last);
        step(w);
        double t = i * 0.01, run = fmin(fmax(t - 0.1, 0), 0.3), angle = run * PI / 2;
        double want[3] = { 1 + cos(angle) * (x0[0] - 1) - sin(angle) * x0[1],
                           sin(angle) * (x0[0] - 1) + cos(angle) * x0[1], x0[2] + 2 * run };
        assert_less(distance3(x, want), 1e-12);
        for (int k = 0; k < 3; k++) /* a prescribed node's velocity is its displacement over the step */
            assert_near(vvWorldVelocities(w)[k], (x[k] - last[k]) / 0.01, 1e-9);
        double s = fmin(fmax((t - 0.1) / 0.2, 0), 1), b = s * PI / 2, up = fmin(fmax((t - 0.3) / 0.1, 0), 1) * 0.1;
        double there[3] = { cos(b) * y0[0] + sin(b) * y0[2] + 0.2 * s, y0[1] + up,
                            3 - sin(b) * y0[0] + cos(b) * y0[2] + 0.1 * s };
        assert_less(distance3(y, there), 1e-12);
    }
    vvWorldDestroy(w);
}

/* ---- initial states ---------------------------------------------------------------------------------------------- */

static vvWorld *bar(const char *state, const double *values, vvBodyId *id)
{
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-6);
    d.seed = 42;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.translate[0] = 0.5;
    vvBodyId body = add_box_def(w, (double[]){ 1, 0.2, 0.2 }, (int[]){ 5, 1, 1 }, 5, &def); /* x from 0 to 1 */
    if (state)
        set_state(w, body, state, values);
    if (id)
        *id = body;
    return w;
}

static void initial_states(void **state)
{
    (void)state;
    vvWorld *rest = bar(NULL, NULL, NULL);
    const double *x0 = vvWorldPositions(rest);
    int n = vvWorldNodeCount(rest);
    static const struct {
        const char *name;
        double values[7];
    } rows[] = { { "linear", { 1, 2, 3 } },
                 { "angular", { 0, 0, 2, 1, 0, 0 } },
                 { "profile", { 0, 3, 0, 1, 0, 0 } },
                 { "translate", { 1, 2, 3 } },
                 { "stretch", { 2, 0.5, 1, 0, 0, 0 } },
                 { "twist", { 90, 1, 0, 0 } },
                 { "bend", { 90, 1, 0, 0, 0, 1, 0 } },
                 { "random", { 0.5 } },
                 { "collapsed", { 0, 0, 1, 0 } } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vvWorld *w = bar(rows[i].name, rows[i].values, NULL);
        const double *x = vvWorldPositions(w), *v = vvWorldVelocities(w);
        bool moves = i < 3;
        for (int k = 0; k < n; k++) {
            const double *a = x0 + 3 * k, *b = x + 3 * k, *u = v + 3 * k;
            assert_true(moves ? distance3(a, b) == 0 : norm3(u) == 0);
            switch (i) {
            case 0: assert_less(distance3(u, rows[i].values), 1e-15); break;
            case 1: assert_less(distance3(u, (double[]){ -2 * a[1], 2 * (a[0] - 1), 0 }), 1e-14); break;
            case 2: assert_less(distance3(u, (double[]){ 0, 3 * a[0], 0 }), 1e-14); break;
            case 3: assert_less(distance3(b, (double[]){ a[0] + 1, a[1] + 2, a[2] + 3 }), 1e-14); break;
            case 4: assert_less(distance3(b, (double[]){ 2 * a[0], 0.5 * a[1], a[2] }), 1e-14); break;
            case 5: {
                double t = a[0] * PI / 2;
                assert_less(
                    distance3(b, (double[]){ a[0], a[1] * cos(t) - a[2] * sin(t), a[1] * sin(t) + a[2] * cos(t) }),
                    1e-13);
                break;
            }
            case 6: { /* an arc of length 1 that turns by 90 degrees: radius 2 / pi */
                double t = a[0] * PI / 2, r = 2 / PI - a[1];
                assert_less(distance3(b, (double[]){ r * sin(t), 2 / PI - r * cos(t), a[2] }), 1e-13);
                break;
            }
            case 7: assert_true(fabs(b[0] - 0.5) <= 0.25 && fabs(b[1]) <= 0.05 && fabs(b[2]) <= 0.05); break;
            case 8: assert_less(distance3(b, (double[]){ 0.5, 0, a[2] }), 1e-14); break;
            }
        }
        vvWorld *again = bar(rows[i].name, rows[i].values, NULL); /* the same seed, the same bits */
        assert_memory_equal(vvWorldPositions(again), x, 3 * (size_t)n * sizeof *x);
        vvWorldDestroy(again);
        vvWorldDestroy(w);
    }
    for (int i = 0; vvInitialStateInfo(i); i++) { /* every row works with its defaults, and they add up */
        vvBodyId body;
        vvWorld *w = bar(vvInitialStateInfo(i)->info.name, NULL, &body);
        set_state(w, body, "linear", (double[]){ 1, 0, 0 });
        vvWorldDestroy(w);
    }
    vvWorldDestroy(rest);
}

static void initial_state_errors(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvBodyId body;
    vvWorld *w = bar(NULL, NULL, &body);
    expect(vvBodySetInitialState(w, body, "spin", NULL, 0, &error), VV_ERROR_INPUT, &error, "angular");
    expect(start_with(w, body, "linear", (double[]){ 0, NAN, 0 }, &error), VV_ERROR_INPUT, &error, "linear.velocity");
    expect(start_with(w, body, "mode", (double[]){ 1.5, 0, 1 }, &error), VV_ERROR_INPUT, &error, "mode.number");
    expect(start_with(w, body, "twist", (double[]){ 10, 0, 0, 0 }, &error), VV_ERROR_INPUT, &error, "axis");
    expect(start_with(w, body, "bend", (double[]){ 10, 1, 0, 0, 2, 0, 0 }, &error), VV_ERROR_INPUT, &error, "side");
    expect(vvBodySetInitialState(w, (vvBodyId){ 2, 1 }, "linear", NULL, 0, &error), VV_ERROR_INPUT, &error,
           "no such body");
    step(w);
    expect(vvBodySetInitialState(w, body, "linear", NULL, 0, &error), VV_ERROR_UNSUPPORTED, &error,
           "before the first step");
    vvWorldDestroy(w);
}

/* ---- vibration modes --------------------------------------------------------------------------------------------- */

static vvWorld *mode_world(int number, double amplitude, double speed, bool clamped, double length, int cells)
{
    vvWorldDef d = free_def("implicit-midpoint", 1e-3, 1e-9);
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("stvk", 1e5);
    vvBodyId body = add_box_def(w, (double[]){ length, 0.04, 0.05 }, (int[]){ cells, 1, 1 }, 6, &def);
    set_state(w, body, "mode", (double[]){ number, amplitude, speed });
    if (clamped) {
        vvAttachDef a = vvDefaultAttachDef();
        a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 0, 0 }, .b = { 0, 100, 100 } };
        attach(w, body, &a);
    }
    return w;
}

/* omega^2 = 2 E(small displacement) / (2 K(the same shape as velocity)) */
static double frequency(int number, bool clamped, double length, int cells)
{
    const double size = 1e-6;
    vvWorld *w = mode_world(number, size, size, clamped, length, cells);
    vvLedgerRow row = ledger(w);
    vvWorldDestroy(w);
    return sqrt(row.elastic / row.kinetic);
}

static double mass_product(const vvWorld *w, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < 3 * vvWorldNodeCount(w); i++)
        sum += vvWorldMasses(w)[i / 3] * a[i] * b[i];
    return sum;
}

static void modes_are_modes(void **state)
{
    (void)state;
    for (int clamped = 0; clamped < 2; clamped++) {
        vvWorld *w[4];
        double last = 0;
        for (int i = 0; i < 4; i++) {
            w[i] = mode_world(i + 1, 0, 1e-4, clamped, 0.2, 4);
            vvLedgerRow row = ledger(w[i]);
            double now = frequency(i + 1, clamped, 0.2, 4);
            assert_true(now >= last * (1 - 1e-6));
            last = now;
            if (!clamped) { /* free: orthogonal to every rigid motion */
                assert_less(norm3(row.momentum), 1e-7 * 1e-4);
                assert_less(norm3(row.angularMomentumCentre), 1e-8 * 1e-4);
            }
            double most = 0;
            for (int k = 0; k < vvWorldNodeCount(w[i]); k++)
                most = fmax(most, norm3(vvWorldVelocities(w[i]) + 3 * k));
            assert_near(most, 1e-4, 1e-12);
            for (int j = 0; j < i; j++) {
                const double *a = vvWorldVelocities(w[i]), *b = vvWorldVelocities(w[j]);
                assert_less(fabs(mass_product(w[i], a, b)) / sqrt(mass_product(w[i], a, a) * mass_product(w[i], b, b)),
                            1e-5);
            }
        }
        for (int i = 0; i < 4; i++)
            vvWorldDestroy(w[i]);
    }
}

/* Started in a mode with a small speed the body stays in it and comes back after its period. */
static void a_mode_oscillates_at_its_frequency(void **state)
{
    (void)state;
    for (int clamped = 0; clamped < 2; clamped++) {
        double omega = frequency(1, clamped, 0.2, 4), period = 2 * PI / omega;
        vvWorld *w = mode_world(1, 0, 1e-4, clamped, 0.2, 4);
        ledger(w);
        int n = 3 * vvWorldNodeCount(w), turns = 0;
        double *v0 = copy_of(vvWorldVelocities(w), n), norm = mass_product(w, v0, v0), last = 1, first = 0, second = 0;
        for (int i = 1; second == 0 && i < 10000; i++) {
            step(w);
            const double *v = vvWorldVelocities(w);
            double along = mass_product(w, v, v0) / norm, across = mass_product(w, v, v) / norm - along * along;
            assert_less(across, 1e-4);
            if (last * along < 0) {
                double t = vvWorldTime(w) - 1e-3 * along / (along - last);
                if (turns++ == 0)
                    first = t;
                else
                    second = t;
            }
            last = along;
        }
        double h = 1e-3, numerical = 2 * PI * h / (2 * atan(omega * h / 2)); /* implicit midpoint's own period */
        print_message("%s bar: period %.5f s, measured %.5f s\n", clamped ? "clamped" : "free", period,
                      2 * (second - first));
        assert_near(2 * (second - first), numerical, 0.002 * numerical);
        assert_near(first, numerical / 4, 0.01 * numerical);
        free(v0);
        vvWorldDestroy(w);
    }
}

/* Bending of a slender free bar: omega goes with 1 / length^2. */
static void slender_bars_have_their_lowest_mode(void **state)
{
    (void)state;
    double a = frequency(1, false, 0.8, 16), b = frequency(1, false, 1.6, 32);
    print_message("slender bar: %.4f and %.4f 1/s\n", a, b);
    assert_near(a / b, 4, 0.15);
}

/* ---- equilibrium ------------------------------------------------------------------------------------------------- */

static vvWorld *hanging(double young, const char *linear)
{
    vvWorldDef d = vvDefaultWorldDef();
    d.threads = 1;
    d.solver.linear = linear;
    want_ground(&d);
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("neo-hookean", young);
    def.material.poisson = 0;
    vvBodyId body = add_box_def(w, (double[]){ 0.05, 0.5, 0.05 }, (int[]){ 1, 10, 1 }, 6, &def);
    vvAttachDef a = vvDefaultAttachDef();
    a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 100, 0 }, .b = { 100, 100, 100 } };
    attach(w, body, &a);
    return w;
}

static double lowest(const vvWorld *w)
{
    double y = INFINITY;
    for (int i = 0; i < vvWorldNodeCount(w); i++)
        y = fmin(y, vvWorldPositions(w)[3 * i + 1]);
    return y;
}

static void hanging_bar_stretches_by_its_weight(void **state)
{
    (void)state;
    vvError error = { 0 };
    const double young = 2e6, length = 0.5, area = 0.0025;
    vvWorld *w = hanging(young, "auto");
    double energy, stretch = 1000 * 9.8 * length * length / (2 * young);
    assert_ok(vvWorldSettle(w, false, &energy, &error));
    assert_near(lowest(w), -0.25, 0); /* only asked */
    assert_near(energy, ledger(w).groundEnergy, 1e-6 * fabs(energy));
    double exact = -pow(1000 * 9.8, 2) * area * pow(length, 3) / (6 * young);
    print_message("hanging bar: E_g %.6g J, linear theory %.6g J\n", energy, exact);
    assert_near(energy, exact, 0.01 * fabs(exact));
    assert_ok(vvWorldSettle(w, true, NULL, &error));
    double tip = 0; /* mean of the four corners: the tets' masses pull unevenly */
    for (int i = 0; i < vvWorldNodeCount(w); i++)
        tip += vvWorldPositions(w)[3 * i + 1] < -0.24 ? (-0.25 - vvWorldPositions(w)[3 * i + 1]) / 4 : 0;
    print_message("stretch %.6g m, linear theory %.6g m\n", tip, stretch);
    assert_near(tip, stretch, 0.01 * stretch);
    for (int i = 0; i < 3 * vvWorldNodeCount(w); i++)
        assert_true(vvWorldVelocities(w)[i] == 0);
    vvLedgerRow row = steps(w, 5);
    assert_less(row.kinetic, 1e-9 * fabs(energy)); /* it rests there */
    vvWorldDestroy(w);
}

static void nothing_to_land_on_is_said(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = vvDefaultWorldDef();
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material("stvk", 1e5);
    add_cube(w, 0.1, 1, &m);
    expect(vvWorldSettle(w, true, NULL, &error), VV_ERROR_SOLVER, &error, "nothing stops the fall");
    assert_near(lowest(w), -0.05, 0);
    assert_true(isnan(ledger(w).groundEnergy));
    assert_true(step(w).kinetic > 0); /* the world is fine */
    vvWorldDestroy(w);
    static const vvKey decay = { 0, 1 };
    d.integrator.policy = "search";
    d.integrator.decayKeys = &decay;
    d.integrator.decayKeyCount = 1;
    w = new_world(&d);
    add_cube(w, 0.1, 1, &m);
    expect(vvWorldBake(w, &error), VV_ERROR_INPUT, &error, "ground_energy");
    vvWorldDestroy(w);
}

/* ---- the same bits ----------------------------------------------------------------------------------------------- */

/* Every kind of force: contact with friction, damping, springs, scripts. `cells` sets the size. */
static vvWorld *rich(const char *scheme, const char *policy, const char *linear, int cells, int threads)
{
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = 2e-3;
    d.integrator.scheme = scheme;
    d.integrator.policy = policy;
    d.integrator.settings = &(vvSetting){ "sparse", { 1 } };
    d.integrator.settingCount = 1;
    d.integrator.groundMode = VV_GROUND_NONE;
    d.solver.linear = linear;
    d.threads = threads;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.selfContact = false; /* a prescribed corner stays behind the twist, and goes through its neighbours */
    def.material = material("stvk", 2e4);
    def.material.damping = (vvDampingDef){ .drag = 0.1, .rayleigh = 1e-3, .momentumRate = 0.5 };
    vvBodyId body = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ cells, cells, cells }, 6, &def);
    set_state(w, body, "twist", (double[]){ 20, 0, 1, 0 });
    set_state(w, body, "linear", (double[]){ 0.5, -0.3, 0 });
    vvAttachDef a = vvDefaultAttachDef();
    a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 100, 0 }, .b = { 0, 100, 0 } };
    a.kind = VV_ATTACH_SPRING;
    a.stiffness = 10;
    a.motion.angularVelocity = 50;
    attach(w, body, &a);
    a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 100, 100, 100 }, .b = { 100, 100, 100 } };
    a.kind = VV_ATTACH_FIXED;
    attach(w, body, &a);
    obstacle(w, "plane", (double[]){ 0, -0.0505, 0, 0, 1, 0 }, 0.3);
    return w;
}

typedef struct bits {
    int n;
    double *x, *v;
    vvLedgerRow row;
} bits;

static bits run_bits(vvWorld *w, int count)
{
    bits b = { .row = steps(w, count), .n = 3 * vvWorldNodeCount(w) };
    b.x = copy_of(vvWorldPositions(w), b.n);
    b.v = copy_of(vvWorldVelocities(w), b.n);
    return b;
}

static void free_bits(bits *b)
{
    free(b->x);
    free(b->v);
}

static bool same_bits(const bits *a, const bits *b)
{
    const double p[] = { a->row.total,   a->row.target, a->row.work, a->row.friction,
                         a->row.damping, a->row.error,  a->row.scale },
                 q[] = { b->row.total,   b->row.target, b->row.work, b->row.friction,
                         b->row.damping, b->row.error,  b->row.scale };
    size_t size = (size_t)a->n * sizeof(double);
    return a->n == b->n && memcmp(a->x, b->x, size) == 0 && memcmp(a->v, b->v, size) == 0 &&
           memcmp(p, q, sizeof p) == 0;
}

static void check_resume(const char *scheme, const char *policy, const char *linear)
{
    vvError error = { 0 };
    vvWorld *w = rich(scheme, policy, linear, 2, 1), *fresh = rich(scheme, policy, linear, 2, 1);
    steps(w, 12);
    size_t size = vvWorldStateSize(w);
    void *saved = malloc(size), *again = malloc(size);
    assert_ok(vvWorldSaveState(w, saved, size, &error));
    bits a = run_bits(w, 20);
    assert_int_equal(vvWorldStateSize(w), size);
    assert_ok(vvWorldLoadState(w, saved, size, &error));
    assert_int_equal(vvWorldStepIndex(w), 12);
    assert_near(vvWorldTime(w), 12 * 2e-3, 1e-15);
    bits b = run_bits(w, 20);
    assert_ok(vvWorldLoadState(fresh, saved, size, &error));
    bits c = run_bits(fresh, 20);
    if (!same_bits(&a, &b) || !same_bits(&a, &c))
        fail_msg("%s, %s, %s: a loaded state goes on differently", scheme, policy, linear);
    assert_ok(vvWorldLoadState(fresh, saved, size, &error));
    assert_ok(vvWorldSaveState(fresh, again, size, &error));
    assert_memory_equal(saved, again, size);
    free(saved);
    free(again);
    free_bits(&a);
    free_bits(&b);
    free_bits(&c);
    vvWorldDestroy(w);
    vvWorldDestroy(fresh);
}

static void loaded_states_go_on_to_the_same_bits(void **state)
{
    (void)state;
    static const char *const schemes[] = { "backward-euler", "bdf2", "sdirk2", "tr-bdf2", "trapezoidal", "theta" };
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        check_resume(schemes[i], "none", "auto");
    for (int i = 0; vvPolicyInfo(i); i++)
        if (meets_things(vvPolicyInfo(i)->name))
            check_resume(scheme_for(vvPolicyInfo(i)->name), vvPolicyInfo(i)->name, "auto");
    for (int i = 0; vvLinearSolverInfo(i); i++)
        check_resume("backward-euler", "search", vvLinearSolverInfo(i)->name);
}

static void wrong_states_are_refused(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = rich("backward-euler", "none", "auto", 2, 1), *other = rich("backward-euler", "none", "auto", 3, 1);
    assert_int_equal(vvWorldStateSize(w), 0); /* not baked */
    steps(w, 2);
    steps(other, 2);
    size_t size = vvWorldStateSize(w), larger = vvWorldStateSize(other);
    char *saved = calloc(larger, 1);
    expect(vvWorldSaveState(w, saved, size - 1, &error), VV_ERROR_INPUT, &error, "save state");
    assert_ok(vvWorldSaveState(w, saved, size, &error));
    bits a = run_bits(other, 0);
    expect(vvWorldLoadState(other, saved, size, &error), VV_ERROR_INPUT, &error, "same definitions");
    expect(vvWorldLoadState(other, saved, 3, &error), VV_ERROR_INPUT, &error, "3 bytes");
    expect(vvWorldLoadState(w, saved, size - 8, &error), VV_ERROR_INPUT, &error, "load state");
    saved[0] = '?';
    expect(vvWorldLoadState(w, saved, size, &error), VV_ERROR_INPUT, &error, "load state");
    bits b = run_bits(other, 0);
    assert_true(same_bits(&a, &b));
    free_bits(&a);
    free_bits(&b);
    free(saved);
    vvWorldDestroy(w);
    vvWorldDestroy(other);
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    for (int i = 0; vvLinearSolverInfo(i); i++) {
        bits b[3];
        for (int t = 0; t < 3; t++) {
            vvWorld *w = rich("backward-euler", "search", vvLinearSolverInfo(i)->name, 6, t + 1);
            b[t] = run_bits(w, 4);
            vvWorldDestroy(w);
        }
        if (!same_bits(&b[0], &b[1]) || !same_bits(&b[0], &b[2]))
            fail_msg("linear solver %s: threads change the result", vvLinearSolverInfo(i)->name);
        for (int t = 0; t < 3; t++)
            free_bits(&b[t]);
    }
}

/* Asking for the equilibrium in the middle of a run changes nothing, not even what "auto" will choose. */
static void settling_leaves_no_trace(void **state)
{
    (void)state;
    bits b[2];
    for (int asked = 0; asked < 2; asked++) {
        vvError error = { 0 };
        vvWorld *w = rich("backward-euler", "search", "auto", 6, 1);
        steps(w, 4);
        double energy;
        if (asked)
            assert_ok(vvWorldSettle(w, false, &energy, &error));
        size_t size = vvWorldStateSize(w);
        b[asked] = run_bits(w, 6);
        assert_int_equal(vvWorldStateSize(w), size);
        vvWorldDestroy(w);
    }
    assert_true(same_bits(&b[0], &b[1]));
    free_bits(&b[0]);
    free_bits(&b[1]);
}

typedef struct job {
    int cells, count;
    bits out;
} job;

static void *work_of_thread(void *arg)
{
    job *j = arg;
    vvWorld *w = rich("backward-euler", "search", "auto", j->cells, 1);
    j->out = run_bits(w, j->count);
    vvWorldDestroy(w);
    return NULL;
}

static void worlds_run_side_by_side(void **state)
{
    (void)state;
    job alone[2] = { { .cells = 3, .count = 30 }, { .cells = 4, .count = 15 } }, together[2];
    memcpy(together, alone, sizeof alone);
    for (int i = 0; i < 2; i++)
        work_of_thread(alone + i);
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(thread + i, NULL, work_of_thread, together + i), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    for (int i = 0; i < 2; i++) {
        assert_true(same_bits(&alone[i].out, &together[i].out));
        free_bits(&alone[i].out);
        free_bits(&together[i].out);
    }
}

/* ---- failures change nothing ------------------------------------------------------------------------------------- */

static void check_untouched(vvWorld *w, vvStatus wanted, const char *word)
{
    vvError error = { 0 };
    vvLedgerTotals before, after;
    bits a = run_bits(w, 0);
    double time = vvWorldTime(w);
    vvWorldTotals(w, &before);
    expect(vvWorldStep(w, NULL, &error), wanted, &error, word);
    bits b = run_bits(w, 0);
    vvWorldTotals(w, &after);
    assert_true(same_bits(&a, &b));
    assert_true(vvWorldTime(w) == time);
    assert_int_equal(after.steps, before.steps);
    assert_int_equal(after.failedSteps, before.failedSteps + (wanted == VV_ERROR_SOLVER));
    free_bits(&a);
    free_bits(&b);
}

/* Two faces of an inversion-free body are driven through each other. */
static void a_crushed_body_fails_and_stays(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-3);
    d.solver.maxIterations = 30;
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material("neo-hookean", 1e4);
    vvBodyId body = add_cube(w, 0.1, 2, &m);
    vvAttachDef a = vvDefaultAttachDef();
    a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 0, 0 }, .b = { 0, 100, 100 } };
    attach(w, body, &a);
    a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 100, 0, 0 }, .b = { 100, 100, 100 } };
    a.motion.linearVelocity[0] = -1;
    attach(w, body, &a);
    int done = 0;
    while (done < 20 && vvWorldStep(w, NULL, &error) == VV_OK)
        done++;
    print_message("crushed after %d steps: %s\n", done, error.message);
    assert_true(done >= 3 && done < 11);
    check_untouched(w, VV_ERROR_SOLVER, "Newton");
    check_untouched(w, VV_ERROR_SOLVER, "Newton");
    vvWorldDestroy(w);
}

/* Implicit midpoint does not promise a feasible end: that is detected, with the scheme's name. */
static void an_infeasible_end_fails_and_stays(void **state)
{
    (void)state;
    vvWorldDef d = vvDefaultWorldDef();
    d.integrator.scheme = "implicit-midpoint";
    d.integrator.groundMode = VV_GROUND_NONE;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("neo-hookean", 1e5);
    def.translate[1] = 0.2;
    vvBodyId body = add_ball(w, 0.05, 1, &def);
    set_state(w, body, "linear", (double[]){ 0, -60, 0 });
    obstacle(w, "plane", NULL, 0);
    check_untouched(w, VV_ERROR_SOLVER, "implicit-midpoint");
    vvWorldDestroy(w);
}

static bool cancel_after(void *user)
{
    int *left = user;
    return --*left < 0;
}

static void a_cancelled_step_changes_nothing(void **state)
{
    (void)state;
    vvWorld *w = rich("backward-euler", "search", "cholesky", 2, 1),
            *twin = rich("backward-euler", "search", "cholesky", 2, 1);
    steps(w, 5);
    steps(twin, 5);
    for (int allowed = 0; allowed < 2; allowed++) {
        int left = allowed;
        vvWorldSetCancel(w, cancel_after, &left);
        check_untouched(w, VV_CANCELLED, "cancelled");
        assert_true(left < 0);
    }
    vvWorldSetCancel(w, NULL, NULL);
    bits a = run_bits(w, 5), b = run_bits(twin, 5);
    assert_true(same_bits(&a, &b));
    free_bits(&a);
    free_bits(&b);
    vvWorldDestroy(w);
    vvWorldDestroy(twin);
}

/* The host may cancel while the world is being baked, too (the ground energy is solved for there). */
static void cancelling_holds_while_baking(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = hanging(1e5, "auto");
    int left = 0;
    vvWorldSetCancel(w, cancel_after, &left);
    expect(vvWorldStep(w, NULL, &error), VV_CANCELLED, &error, "cancelled");
    expect(vvWorldStep(w, NULL, &error), VV_CANCELLED, &error, "cancelled"); /* still asked */
    vvWorldSetCancel(w, NULL, NULL);
    step(w);
    vvWorldDestroy(w);
}

static void set_state_refuses_what_cannot_be(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = rich("backward-euler", "none", "auto", 2, 1);
    steps(w, 2);
    bits a = run_bits(w, 0);
    double *x = copy_of(a.x, a.n);
    x[4] = NAN;
    expect(vvWorldSetState(w, x, NULL, &error), VV_ERROR_INPUT, &error, "node 1");
    expect(vvWorldSetState(w, NULL, x, &error), VV_ERROR_INPUT, &error, "node 1");
    x[4] = -5; /* far below the plane */
    expect(vvWorldSetState(w, x, NULL, &error), VV_ERROR_INPUT, &error, "penetrate");
    bits b = run_bits(w, 0);
    assert_true(same_bits(&a, &b));
    free(x);
    free_bits(&a);
    free_bits(&b);
    vvWorldDestroy(w);
}

/* ---- errors of creation ------------------------------------------------------------------------------------------ */

#define AT(field) offsetof(vvWorldDef, field)
static void each_bad_number_of_a_world_is_named(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        double bad[3];
        const char *word;
    } rows[] = { { AT(timeStep), { 0, -1, NAN }, "time.step" },
                 { AT(gravity), { NAN, INFINITY, 1e9 }, "gravity" },
                 { AT(integrator.startFraction), { -1, NAN, 11 }, "integrator.start_fraction" },
                 { AT(solver.tolerance), { -1e-9, -1, NAN }, "solver.tolerance" },
                 { AT(solver.relativeTolerance), { 1.5, -1, NAN }, "solver.tolerance is" },
                 { AT(solver.gradientTolerance), { -1, NAN, INFINITY }, "solver.gradient_tolerance" },
                 { AT(solver.forceTolerance), { -1, NAN, INFINITY }, "solver.force_tolerance" },
                 { AT(solver.contactTolerance), { -1, NAN, 1.5 }, "solver.contact_tolerance" },
                 { AT(solver.velocityTolerance), { -1, NAN, INFINITY }, "solver.velocity_tolerance" },
                 { AT(solver.linearTolerance), { 0, 1, NAN }, "solver.linear_tolerance" },
                 { AT(contact.distance), { -1e-9, -1, NAN }, "contact.distance" },
                 { AT(contact.relativeDistance), { 1.5, -1, NAN }, "contact.distance is" },
                 { AT(contact.stiffness), { -1, NAN, INFINITY }, "contact.stiffness" },
                 { AT(contact.friction), { -1, NAN, 1e3 }, "contact.friction" },
                 { AT(contact.frictionSpeed), { -1, NAN, INFINITY }, "contact.friction_speed" },
                 { AT(contact.relativeFrictionSpeed), { -1, NAN, 1.5 }, "contact.friction_speed is" },
                 { AT(contact.frictionTolerance), { 0, NAN, 1.5 }, "contact.friction_tolerance" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int k = 0; k < 3; k++) {
            vvError error = { 0 };
            vvWorldDef d = vvDefaultWorldDef();
            vvWorld *w = (vvWorld *)&d;
            memcpy((char *)&d + rows[i].at, &rows[i].bad[k], sizeof(double));
            expect(vvWorldCreate(&d, &w, &error), VV_ERROR_INPUT, &error, rows[i].word);
            assert_null(w);
        }
}

static void each_bad_setting_of_a_scheme_or_policy_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *policy;
        vvSetting setting;
        const char *word;
    } rows[] = { { "none", { "theta", { 0.4 } }, "integrator.theta is 0.4; it must be a number from 0.5 to 1" },
                 { "none", { "theta", { NAN } }, "integrator.theta" },
                 { "none", { "theta_inner", { 0.5 } }, "a whole number" },
                 { "search", { "alpha", { -100, 1 } }, "integrator.alpha[0]" },
                 { "search", { "alpha", { 0, NAN } }, "integrator.alpha[1]" },
                 { "search", { "alpha", { 2, 1.1 } }, "integrator.alpha[1]" },
                 { "filtered-search", { "beta", { 0.1, 0.05 } }, "integrator.beta[1]" },
                 { "filtered-search",
                   { "scope", { 2 } },
                   "integrator.scope is 2; it must be a whole number from 0 to 1, the place of one of: groups, world" },
                 { "filtered-search", { "scope", { 0.5 } }, "integrator.scope is 0.5" },
                 { "none", { "scope", { NAN } }, "integrator.scope is nan" },
                 { "filtered-search",
                   { .name = "scope", .choice = "word" },
                   "integrator.scope: \"word\" is not known; did you mean \"world\"; there are: groups, world" },
                 { "none", { .name = "scope", .choice = "" }, "there are: groups, world" },
                 { "search",
                   { .name = "alpha", .choice = "world" },
                   "integrator.alpha: \"world\" is a name; it must be a number from -10 to 10" },
                 { "none", { "gamma", { 1 } }, "theta, theta_inner" },
                 { "none", { NULL, { 1 } }, "(none)" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vvError error = { 0 };
        vvWorldDef d = vvDefaultWorldDef();
        vvWorld *w = NULL;
        d.integrator.policy = rows[i].policy;
        d.integrator.settings = &rows[i].setting;
        d.integrator.settingCount = 1;
        expect(vvWorldCreate(&d, &w, &error), VV_ERROR_INPUT, &error, rows[i].word);
        assert_null(w);
        d.integrator.settings = NULL;
        expect(vvWorldCreate(&d, &w, &error), VV_ERROR_INPUT, &error, "list is NULL");
    }
}

/* What a world says of its settings: all parameters of its scheme and policy, whoever set them. */
static void a_world_knows_its_settings(void **state)
{
    (void)state;
    vvWorldDef d = vvDefaultWorldDef();
    d.integrator.policy = "search";
    d.integrator.settings = (vvSetting[]){ { "theta", { 0.75 } }, { "alpha", { 0.5, 1 } } };
    d.integrator.settingCount = 2;
    vvWorld *w = new_world(&d);
    const vvIntegratorDef *got = &vvWorldGetDef(w)->integrator;
    assert_int_equal(got->settingCount, 3);
    assert_string_equal(got->settings[0].name, "alpha");
    assert_true(got->settings[0].value[0] == 0.5 && got->settings[0].value[1] == 1);
    assert_string_equal(got->settings[1].name, "sparse");
    assert_true(got->settings[1].value[0] == 0 && !got->settings[1].choice);
    assert_string_equal(got->settings[2].name, "losses");
    assert_string_equal(got->settings[2].choice, "taken");
    vvWorldDestroy(w);
}

/* A named value by its name or its place; the world says both, with a name of its own. */
static void a_world_knows_its_named_values(void **state)
{
    (void)state;
    char word[] = "world";
    const struct {
        vvSetting settings[2];
        int count, place;
    } rows[] = {
        { { { .name = "scope", .choice = word, .value = { NAN } } }, 1, 1 }, /* the number is not read */
        { { { .name = "scope", .value = { 1 } } }, 1, 1 },
        { { { .name = "scope", .choice = "groups" } }, 1, 0 },
        { { { .name = "scope", .choice = "groups" }, { .name = "scope", .choice = "world" } }, 2, 1 },
        { { { 0 } }, 0, 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vvWorldDef d = vvDefaultWorldDef();
        memcpy(word, "world", sizeof word);
        d.integrator.policy = "filtered-search";
        d.integrator.settings = rows[i].settings;
        d.integrator.settingCount = rows[i].count;
        vvWorld *w = new_world(&d);
        memset(word, 'x', sizeof word - 1);
        const vvIntegratorDef *got = &vvWorldGetDef(w)->integrator;
        int found = 0;
        for (int k = 0; k < got->settingCount; k++) {
            const vvSetting *s = got->settings + k;
            bool scope = strcmp(s->name, "scope") == 0;
            found += scope;
            if (scope)
                assert_string_equal(s->choice, rows[i].place ? "world" : "groups");
            if (scope)
                assert_true(s->value[0] == rows[i].place);
            else
                assert_null(s->choice);
        }
        assert_int_equal(found, 1);
        vvWorldDestroy(w);
    }
}

/* Two rows have the same parameter, not two of one name. */
static void assert_shared(const vvParam *a, const vvParam *b)
{
    assert_string_equal(a->summary, b->summary);
    assert_string_equal(a->unit, b->unit);
    assert_ptr_equal(a->choices, b->choices);
    assert_true(a->size == b->size && a->integer == b->integer && a->choiceCount == b->choiceCount);
    assert_true(a->min == b->min && a->max == b->max);
    assert_memory_equal(a->fallback, b->fallback, sizeof a->fallback);
}

/* Settings go by name alone: rows of both tables that share one share the whole parameter, and a fallback must be
 * allowed. */
static void parameters_are_told_apart_by_name(void **state)
{
    (void)state;
    const vvParam *all[64];
    int known = 0;
    for (int table = 0; table < 2; table++)
        for (int row = 0; table ? vvPolicyInfo(row) != NULL : vvSchemeInfo(row) != NULL; row++) {
            int count, values = 0;
            const vvParam *list = table ? vvPolicyParams(row, &count) : vvSchemeParams(row, &count);
            for (int i = 0; i < count; i++) {
                for (int k = 0; k < known; k++)
                    if (strcmp(all[k]->name, list[i].name) == 0)
                        assert_shared(all[k], list + i);
                assert_true(known < 64);
                all[known++] = list + i;
                assert_in_range(list[i].size, 1, sizeof list[i].fallback / sizeof *list[i].fallback);
                for (int k = 0; k < list[i].size; k++)
                    assert_true(list[i].fallback[k] >= list[i].min && list[i].fallback[k] <= list[i].max);
                values += list[i].size;
                if (list[i].choiceCount) {
                    assert_true(list[i].size == 1 && list[i].integer && list[i].min == 0 &&
                                list[i].max == list[i].choiceCount - 1);
                    for (int k = 0; k < list[i].choiceCount; k++) {
                        assert_true(list[i].choices[k].name[0] && list[i].choices[k].summary[0]);
                        assert_int_equal(vvParamChoice(list + i, list[i].choices[k].name), k);
                    }
                }
            }
            assert_true(values <= VV_MOST_VALUES);
        }
    assert_true(known >= 5);
}

static void each_bad_name_or_count_of_a_world_is_named(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        const char *word, *known;
    } names[] = { { AT(integrator.scheme), "integrator.scheme", "backward-euler" },
                  { AT(integrator.policy), "integrator.policy", "search" },
                  { AT(solver.method), "solver.method", "newton" },
                  { AT(solver.linear), "solver.linear", "auto" },
                  { AT(solver.lineSearch), "solver.line_search", "backtracking" },
                  { AT(solver.hessian), "solver.hessian", "shifted" },
                  { AT(contact.model), "contact.model", "barrier" } };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int k = 0; k < 2; k++) {
            vvError error = { 0 };
            vvWorldDef d = vvDefaultWorldDef();
            vvWorld *w;
            const char *bad = k ? "no-such-thing" : NULL;
            memcpy((char *)&d + names[i].at, &bad, sizeof bad);
            expect(vvWorldCreate(&d, &w, &error), VV_ERROR_INPUT, &error, names[i].word);
            assert_non_null(strstr(error.message, names[i].known)); /* the list */
        }
    static const struct {
        size_t at;
        int bad[2];
        const char *word;
    } counts[] = { { AT(threads), { -1, 5000 }, "threads" },
                   { AT(solver.maxIterations), { 0, -3 }, "solver.max_iterations" },
                   { AT(contact.frictionIterations), { 1001, -2 }, "contact.friction_iterations" },
                   { AT(integrator.decayKeyCount), { -1, 1 }, "decay_time" } };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (int k = 0; k < 2; k++) {
            vvError error = { 0 };
            vvWorldDef d = vvDefaultWorldDef();
            vvWorld *w;
            memcpy((char *)&d + counts[i].at, &counts[i].bad[k], sizeof(int));
            expect(vvWorldCreate(&d, &w, &error), VV_ERROR_INPUT, &error, counts[i].word);
        }
    vvError error = { 0 };
    vvWorldDef d = vvDefaultWorldDef();
    vvWorld *w;
    d.integrator.scheme = "bdf2";
    d.integrator.policy = "search";
    expect(vvWorldCreate(&d, &w, &error), VV_ERROR_INPUT, &error, "backward-euler");
    const vvKey keys[2] = { { 1, 2 }, { 0.5, 1 } };
    d = vvDefaultWorldDef();
    d.integrator.decayKeys = keys;
    d.integrator.decayKeyCount = 2;
    expect(vvWorldCreate(&d, &w, &error), VV_ERROR_INPUT, &error, "key 1");
}
#undef AT

#define AT(field) offsetof(vvBodyDef, field)
static void each_bad_number_of_a_body_is_named(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        double bad[2];
        const char *word;
    } rows[] = { { AT(material.young), { 0, NAN }, "young" },
                 { AT(material.poisson), { 0.5, -1 }, "poisson" },
                 { AT(material.density), { -1, NAN }, "density" },
                 { AT(material.totalMass), { -1, NAN }, "mass" },
                 { AT(material.damping.drag), { -1, NAN }, "damping.drag" },
                 { AT(material.damping.rayleigh), { -1, NAN }, "damping.rayleigh" },
                 { AT(material.damping.momentumRate), { -1, NAN }, "damping.momentum_rate" },
                 { AT(material.damping.momentumPerStep), { -0.1, 1.1 }, "damping.momentum_per_step" },
                 { AT(scale), { 0, NAN }, "place.scale" },
                 { AT(rotate), { NAN, INFINITY }, "rotate" },
                 { AT(translate), { NAN, 1e12 }, "translate" },
                 { AT(friction), { NAN, 1e3 }, "friction" } };
    vvError error = { 0 };
    vvWorldDef wd = vvDefaultWorldDef();
    vvWorld *w = new_world(&wd);
    vvMesh mesh;
    assert_ok(generate_mesh("box", (double[]){ 1, 1, 1, 1, 1, 1, 5 }, &mesh, &error));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int k = 0; k < 2; k++) {
            vvBodyDef def = vvDefaultBodyDef();
            def.mesh = &mesh;
            memcpy((char *)&def + rows[i].at, &rows[i].bad[k], sizeof(double));
            expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, rows[i].word);
            assert_int_equal(vvWorldBodyCount(w), 0);
            assert_int_equal(vvWorldNodeCount(w), 0);
        }
    vvBodyDef def = vvDefaultBodyDef();
    expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, "no vertices");
    def.mesh = &mesh;
    def.material.model = "rubber";
    expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, "neo-hookean");
    def.material.model = "hooke";
    expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, "springs");
    def.material = vvDefaultMaterialDef();
    def.material.damping.momentumRate = def.material.damping.momentumPerStep = 0.5;
    expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, "not both");
    def.material = vvDefaultMaterialDef();
    def.name = "one";
    assert_ok(vvWorldAddBody(w, &def, NULL, &error));
    expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, "\"one\"");
    assert_int_equal(vvWorldBodyCount(w), 1);
    vvMeshDestroy(&mesh);
    vvWorldDestroy(w);
}
#undef AT

static void obstacle_and_start_errors(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = vvDefaultWorldDef();
    vvWorld *w = new_world(&d);
    expect(vvWorldBake(w, &error), VV_ERROR_INPUT, &error, "no bodies");
    vvObstacleDef o = vvDefaultObstacleDef();
    o.type = "plan";
    expect(vvWorldAddObstacle(w, &o, NULL, &error), VV_ERROR_INPUT, &error, "\"plane\"");
    o.type = "plane";
    shape_obstacle(&o, (double[]){ 0, 0, 0, 0, 0, 0 });
    expect(vvWorldAddObstacle(w, &o, NULL, &error), VV_ERROR_INPUT, &error, "normal");
    o.type = "sphere";
    shape_obstacle(&o, (double[]){ 0, 0, 0, -1 });
    expect(vvWorldAddObstacle(w, &o, NULL, &error), VV_ERROR_INPUT, &error, "sphere.radius");
    o.settings = NULL, o.settingCount = 0;
    o.friction = NAN;
    expect(vvWorldAddObstacle(w, &o, NULL, &error), VV_ERROR_INPUT, &error, "friction");
    assert_int_equal(vvWorldObstacleCount(w), 0);

    /* a start inside an obstacle names the body, the obstacle and the depth; the world can then be mended */
    vvBodyDef def = vvDefaultBodyDef();
    def.name = "sunk";
    add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 1, 1, 1 }, 5, &def);
    obstacle(w, "plane", NULL, -1);
    expect(vvWorldStep(w, NULL, &error), VV_ERROR_INPUT, &error, "\"sunk\"");
    assert_non_null(strstr(error.message, "0.05 m deep"));
    set_state(w, vvWorldBody(w, 0), "translate", (double[]){ 0, 0.2, 0 });
    step(w);
    vvWorldDestroy(w);

    /* an inverted start of an inversion-free material is laid at the right body's door */
    w = new_world(&d);
    def.material = material("fixed-corotated", 1e5);
    def.name = "may invert";
    vvBodyId a = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 1, 1, 1 }, 5, &def);
    set_state(w, a, "collapsed", NULL);
    def.material = material("neo-hookean", 1e5);
    def.name = "must not";
    vvBodyId b = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 1, 1, 1 }, 5, &def);
    set_state(w, b, "collapsed", NULL);
    expect(vvWorldBake(w, &error), VV_ERROR_INPUT, &error, "\"must not\"");
    vvWorldDestroy(w);
}

/* Nothing is free to move: there is nothing to solve, and the script is followed. */
static void a_fully_scripted_world_steps(void **state)
{
    (void)state;
    for (int i = 0; vvSchemeInfo(i); i++) {
        vvWorldDef d = vvDefaultWorldDef();
        d.integrator.scheme = vvSchemeInfo(i)->name;
        vvWorld *w = new_world(&d);
        vvMaterialDef m = material("stvk", 1e5);
        m.damping.rayleigh = 0.01;
        vvBodyId body = add_cube(w, 0.1, 1, &m);
        vvAttachDef a = vvDefaultAttachDef();
        a.motion.linearVelocity[0] = 3;
        attach(w, body, &a);
        vvLedgerRow row = steps(w, 12);
        assert_near(vvWorldPositions(w)[0], -0.05 + 0.3, 1e-12);
        assert_near(row.error, 0, 1e-12);
        vvWorldDestroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_hold_what_they_say),
        cmocka_unit_test(a_rim_is_where_a_shell_or_a_line_ends),
        cmocka_unit_test(attach_errors_say_what_is_wrong),
        cmocka_unit_test(scripted_nodes_go_where_the_motion_says),
        cmocka_unit_test(initial_states),
        cmocka_unit_test(initial_state_errors),
        cmocka_unit_test(modes_are_modes),
        cmocka_unit_test(a_mode_oscillates_at_its_frequency),
        cmocka_unit_test(slender_bars_have_their_lowest_mode),
        cmocka_unit_test(hanging_bar_stretches_by_its_weight),
        cmocka_unit_test(nothing_to_land_on_is_said),
        cmocka_unit_test(loaded_states_go_on_to_the_same_bits),
        cmocka_unit_test(wrong_states_are_refused),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(settling_leaves_no_trace),
        cmocka_unit_test(worlds_run_side_by_side),
        cmocka_unit_test(a_crushed_body_fails_and_stays),
        cmocka_unit_test(an_infeasible_end_fails_and_stays),
        cmocka_unit_test(a_cancelled_step_changes_nothing),
        cmocka_unit_test(cancelling_holds_while_baking),
        cmocka_unit_test(set_state_refuses_what_cannot_be),
        cmocka_unit_test(each_bad_number_of_a_world_is_named),
        cmocka_unit_test(each_bad_setting_of_a_scheme_or_policy_is_named),
        cmocka_unit_test(a_world_knows_its_settings),
        cmocka_unit_test(a_world_knows_its_named_values),
        cmocka_unit_test(parameters_are_told_apart_by_name),
        cmocka_unit_test(each_bad_name_or_count_of_a_world_is_named),
        cmocka_unit_test(each_bad_number_of_a_body_is_named),
        cmocka_unit_test(obstacle_and_start_errors),
        cmocka_unit_test(a_fully_scripted_world_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
