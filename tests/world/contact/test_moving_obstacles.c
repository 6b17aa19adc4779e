/* Analytic obstacles that move, in running worlds: what they do is booked as work, friction takes bodies along,
 * nothing passes through them, whatever turns; a world with a plane that moves is the world at rest seen from
 * elsewhere. Hosts move them, snapshots keep them, rays meet them, and what cannot be is refused. */
#include "live_support.h"

#include "visviva/contact.h"
#include "visviva/query.h"
#include "positional.h"

static vvWorldDef contact_def(const char *scheme, const char *policy)
{
    vvWorldDef d = live_def(scheme, policy);
    d.timeStep = 1.0 / 120;
    d.gravity[1] = 0;
    d.contact.distance = 2e-3;
    d.contact.frictionSpeed = 1e-3;
    d.solver.tolerance = 1e-4;
    return d;
}

static vvObstacleId add_moving(vvWorld *w, const char *type, const double *values, double friction,
                               const vvMotionDef *motion)
{
    vvError error = { 0 };
    vvObstacleDef def = vvDefaultObstacleDef();
    vvObstacleId id;
    def.type = type;
    shape_obstacle(&def, values);
    def.friction = friction;
    def.moves = true;
    if (motion)
        def.motion = *motion;
    assert_ok(vvWorldAddObstacle(w, &def, &id, &error));
    return id;
}

static vvBodyId add_soft(vvWorld *w, double young, double y)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("neo-hookean", young);
    def.translate[1] = y;
    return add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 5, &def);
}

static double mean(const vvWorld *w, vvBodyId id, int axis)
{
    int first, count;
    double sum = 0;
    vvBodyNodes(w, id, &first, &count);
    for (int k = first; k < first + count; k++)
        sum += vvWorldPositions(w)[3 * k + axis];
    return sum / count;
}

/* ---- work
 * ---------------------------------------------------------------------------------------------------------- */

/* A cube between a plane at rest and one obstacle, 1.5 mm above, that comes down by a third of its height. */
static vvWorld *press(const char *scheme, const char *policy, const char *type, double h)
{
    static const vvWaypoint way[] = { { .time = 0 }, { .time = 0.5, .offset = { 0, -0.035, 0 } } };
    static const double plane[] = { 0, 0.0515, 0, 0, -1, 0 }, sphere[] = { 0, 3.0515, 0, 3 },
                        box[] = { 0, 0.1015, 0, 0.3, 0.1, 0.3, 0, 0, 0 },
                        cylinder[] = { 0, 0.1015, 0, 0, 1, 0, 0.3, 0.1 }, capsule[] = { 0, 3.0515, 0, 1, 0, 0, 3, 0.1 },
                        torus[] = { 0, 3.0515, 0, 0, 0, 1, 2, 1 },
                        field[] = { 0, 0.0515, 0, 0.3, 0.3, 180, 0, 0, 1, 0.1 }, /* flat, upside down */
        hole[] = { 0, 0.1015, 0.6, 0, 1, 0, 0.2, 0.1, 1.2 }, bowl[] = { 0, 2.9515, 0, 0, 1, 0, 2.8, 0.1, 80 };
    static const struct {
        const char *type;
        const double *values;
    } rows[] = { { "plane", plane },       { "sphere", sphere },   { "box", box },
                 { "cylinder", cylinder }, { "capsule", capsule }, { "torus", torus },
                 { "hole", hole },         { "bowl", bowl },       { "heightfield", field } };
    const double *values = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        values = strcmp(rows[i].type, type) == 0 ? rows[i].values : values;
    assert_non_null(values); /* a new row needs a line above */
    vvWorldDef d = contact_def(scheme, policy);
    vvMotionDef m = vvDefaultMotionDef();
    d.timeStep = h;
    m.waypoints = way;
    m.waypointCount = 2;
    vvWorld *w = new_world(&d);
    add_moving(w, type, values, 0, &m);
    add_soft(w, 1e5, 0);
    obstacle(w, "plane", (double[]){ 0, -0.0515, 0, 0, 1, 0 }, 0);
    return w;
}

static double booking_error(const char *scheme, const char *type, double h)
{
    vvWorld *w = press(scheme, "none", type, h);
    vvLedgerRow row = steps(w, (int)lround(0.5 / h));
    vvLedgerTotals totals;
    vvWorldTotals(w, &totals);
    assert_less(5, row.elastic); /* J */
    assert_true(totals.minGap > 0 && totals.minJ > 0);
    vvWorldDestroy(w);
    return fabs(totals.work - totals.friction - row.total) / row.total;
}

/* What goes in as work is there as energy, but for an error of first order in h. */
static void work_of_a_press(void **state)
{
    (void)state;
    for (int i = 0; vvObstacleInfo(i); i++) {
        const char *type = vvObstacleInfo(i)->info.name;
        if (strcmp(type, "level-set") == 0) /* no barrier acts on it */
            continue;
        double coarse = booking_error("backward-euler", type, 1.0 / 120),
               fine = booking_error("backward-euler", type, 1.0 / 480);
        print_message("%-10s %.3g of the energy off, %.3g at a quarter of the step\n", type, coarse, fine);
        assert_less(coarse, 0.04);
        assert_less(fine, 0.4 * coarse);
    }
    assert_less(booking_error("bdf2", "plane", 1.0 / 120), 0.04);
}

/* Under a policy that moves energy between bodies, the work goes to the body that is pushed; the target is met. */
static void work_under_a_policy(void **state)
{
    (void)state;
    vvWorld *w = press("backward-euler", "filtered-search", "plane", 1.0 / 120);
    vvLedgerRow row = steps(w, 60);
    vvLedgerTotals totals;
    vvWorldTotals(w, &totals);
    assert_less(5, totals.work);
    assert_less(fabs(row.total - row.target), 0.02 * row.scale);
    vvWorldDestroy(w);
}

/* A cube on a plate that rises: the work is what it gains. */
static void a_plate_lifts(void **state)
{
    (void)state;
    static const vvWaypoint way[] = { { .time = 0.1 }, { .time = 0.6, .offset = { 0, 0.03, 0 } } };
    vvWorldDef d = contact_def("bdf2", "none");
    vvMotionDef m = vvDefaultMotionDef();
    d.gravity[1] = -9.8;
    m.waypoints = way;
    m.waypointCount = 2;
    vvWorld *w = new_world(&d);
    vvBodyId cube = add_soft(w, 1e5, 0.051);
    add_moving(w, "box", (double[]){ 0, -0.05, 0, 0.4, 0.1, 0.4, 0, 0, 0 }, 0.3, &m);
    vvLedgerRow before = steps(w, 12), row = steps(w, 108);
    vvLedgerTotals totals;
    vvWorldTotals(w, &totals);
    assert_near(mean(w, cube, 1), 0.08, 0.002);
    assert_near(row.gravity - before.gravity, 9.8 * 0.03, 0.003); /* 1 kg */
    assert_near(totals.work, 9.8 * 0.03, 0.01);
    assert_true(totals.minGap > 0);
    vvWorldDestroy(w);
}

/* ---- friction
 * ------------------------------------------------------------------------------------------------------ */

/* A bar across two rollers that turn the same way: it is taken along at the speed of their surfaces, or not at all. */
static void rollers_take_a_bar_along(void **state)
{
    (void)state;
    for (int rough = 0; rough < 2; rough++) {
        vvWorldDef d = contact_def("backward-euler", "none");
        vvMotionDef m = vvDefaultMotionDef();
        d.gravity[1] = -9.8;
        m.axis[1] = 0, m.axis[2] = 1;
        m.angularVelocity = -180; /* deg/s; the surface at 0.157 m/s */
        vvWorld *w = new_world(&d);
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material("neo-hookean", 1e7);
        def.translate[1] = 0.0615;
        vvBodyId bar = add_box_def(w, (double[]){ 0.6, 0.02, 0.06 }, (int[]){ 12, 1, 2 }, 5, &def);
        for (int i = -1; i < 2; i += 2) {
            m.about[0] = 0.1 * i;
            add_moving(w, "cylinder", (double[]){ 0.1 * i, 0, 0, 0, 0, 1, 0.05, 0.2 }, rough ? 0.6 : 0, &m);
        }
        steps(w, 30);
        double from = mean(w, bar, 0);
        steps(w, 60);
        vvLedgerTotals totals;
        vvWorldTotals(w, &totals);
        double speed = (mean(w, bar, 0) - from) / 0.5;
        print_message("mu %g: %.4f m/s, work %.3g J\n", rough ? 0.6 : 0.0, speed, totals.work);
        assert_near(speed, rough ? PI * 0.05 : 0, 0.02 * PI * 0.05);
        if (rough) /* the motion, and as much again lost by sliding until it is reached */
            assert_less(0.5 * 0.72 * 0.157 * 0.157, totals.work);
        assert_true(totals.minGap > 0);
        vvWorldDestroy(w);
    }
}

/* ---- Galilei
 * --------------------------------------------------------------------------------------------------------- */

/* A cube that falls askew and slides on a plane, in the plane's own frame and seen from elsewhere. */
static vvWorld *slide(const char *scheme, const double speed[3], vvBodyId *cube)
{
    vvError error = { 0 };
    vvWorldDef d = contact_def(scheme, "none");
    vvMotionDef m = vvDefaultMotionDef();
    memcpy(m.linearVelocity, speed, sizeof m.linearVelocity);
    d.gravity[1] = -9.8;
    d.solver.tolerance = 1e-9;
    d.solver.contactTolerance = 0;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("neo-hookean", 1e5);
    def.translate[1] = 0.08;
    def.rotate[2] = 20;
    *cube = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 5, &def);
    add_moving(w, "plane", (double[]){ 0, 0, 0, 0.1, 1, 0 }, 0.2, &m);
    int first, count;
    vvBodyNodes(w, *cube, &first, &count);
    double *v = malloc(3 * (size_t)count * sizeof *v);
    for (int i = 0; i < 3 * count; i++)
        v[i] = speed[i % 3] + (i % 3 == 0 ? 0.7 : 0);
    assert_ok(vvBodySetState(w, *cube, NULL, v, &error));
    free(v);
    return w;
}

static void seen_from_elsewhere(void **state)
{
    (void)state;
    static const char *const schemes[] = { "backward-euler", "bdf2", "sdirk2" };
    const double rest[3] = { 0 }, speed[3] = { 0.4, 0.9, -0.3 };
    for (int i = 0; i < 3; i++) {
        vvBodyId a, b;
        vvWorld *u = slide(schemes[i], rest, &a), *w = slide(schemes[i], speed, &b);
        double worst = 0;
        int first, count;
        vvBodyNodes(u, a, &first, &count);
        for (int k = 0; k < 40; k++) {
            step(u);
            step(w);
            for (int j = 3 * first; j < 3 * (first + count); j++)
                worst =
                    fmax(worst, fabs(vvWorldPositions(w)[j] - vvWorldPositions(u)[j] - speed[j % 3] * vvWorldTime(w)));
        }
        vvLedgerTotals totals;
        vvWorldTotals(u, &totals);
        print_message("%-16s differs by %.2g m\n", schemes[i], worst);
        assert_less(worst, 1e-7);
        assert_true(totals.friction > 0.01 && totals.work == 0); /* it did slide; nobody pushed */
        vvWorldDestroy(u);
        vvWorldDestroy(w);
    }
}

/* ---- nothing passes through
 * ---------------------------------------------------------------------------------------- */

/* A paddle that turns by 48 degrees a step among balls in a box of planes that shrinks and tilts. */
static void nothing_passes_through(void **state)
{
    (void)state;
    static const vvWaypoint down[] = { { .time = 0 }, { .time = 0.2, .offset = { 0, -0.05, 0 } } };
    vvWorldDef d = contact_def("backward-euler", "none");
    vvMotionDef spin = vvDefaultMotionDef(), lid = vvDefaultMotionDef(), tilt = vvDefaultMotionDef();
    d.gravity[1] = -9.8;
    d.timeStep = 0.01;
    spin.axis[1] = 0, spin.axis[2] = 1;
    spin.angularVelocity = 4800;
    spin.startTime = 0.02;
    spin.endTime = 0.12;
    lid.waypoints = down;
    lid.waypointCount = 2;
    tilt.axis[1] = 0, tilt.axis[2] = 1;
    tilt.angularVelocity = 60;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("neo-hookean", 2e4);
    for (int i = 0; i < 4; i++) {
        def.translate[0] = i % 2 ? 0.09 : -0.09;
        def.translate[1] = i < 2 ? -0.07 : 0.07;
        add_ball(w, 0.04, 2, &def);
    }
    add_moving(w, "box", (double[]){ 0, 0, 0, 0.2, 0.02, 0.3, 0, 0, 0 }, 0.3, &spin);
    add_moving(w, "plane", (double[]){ 0, 0.25, 0, 0, -1, 0 }, 0.3, &lid);
    add_moving(w, "plane", (double[]){ 0, -0.15, 0, 0, 1, 0 }, 0.3, &tilt);
    for (int i = -1; i < 2; i += 2)
        obstacle(w, "plane", (double[]){ 0.25 * i, 0, 0, -i, 0, 0 }, 0);
    vvError error = { 0 };
    vvStepReport report;
    double work = 0;
    for (int k = 0; k < 20; k++) {
        assert_ok(vvWorldStep(w, &report, &error));
        vvLedgerRow row = ledger(w);
        assert_true(row.minGap > 0 && row.minJ > 0);
        work += fabs(row.work);
    }
    assert_less(0.05, work);
    vvWorldDestroy(w);
}

/* Where a ball at 90 degrees is after one step in which a paddle turns from 0 by `turn` degrees; the paddle is a
 * shape, or a mesh. */
static double swept_to(double turn, bool mesh, double *work, bool *divided)
{
    vvError error = { 0 };
    vvWorldDef d = contact_def("backward-euler", "none");
    vvMotionDef m = vvDefaultMotionDef();
    d.timeStep = 0.1;
    m.axis[1] = 0, m.axis[2] = 1;
    m.angularVelocity = 10 * turn;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("neo-hookean", 1e5);
    def.translate[1] = 0.12;
    vvBodyId ball = add_ball(w, 0.03, 2, &def);
    if (mesh) {
        vvBodyDef paddle = vvDefaultBodyDef();
        paddle.kinematic = true;
        paddle.motion = m;
        paddle.translate[0] = 0.1;
        add_box_def(w, (double[]){ 0.2, 0.02, 0.3 }, (int[]){ 4, 1, 4 }, 5, &paddle);
    } else {
        add_moving(w, "box", (double[]){ 0.1, 0, 0, 0.2, 0.02, 0.3, 0, 0, 0 }, 0, &m);
    }
    assert_ok(vvWorldStep(w, NULL, &error));
    double angle = atan2(mean(w, ball, 1), mean(w, ball, 0)) * 180 / PI;
    vvLedgerTotals totals;
    vvWorldTotals(w, &totals);
    assert_true(totals.minGap > 0 && totals.minJ > 0);
    *work = totals.work;
    *divided = totals.dividedSteps > 0;
    vvWorldDestroy(w);
    return angle < 0 ? angle + 360 : angle;
}

/* A paddle that turns far in a single step takes along what stands in its way, where straight across the circle it
 * would have passed by; a shape does what a mesh does, and for the same work, unless the mesh's step was made in parts:
 * then the ball is struck in one of them and flies off. */
static void a_large_turn_sweeps(void **state)
{
    (void)state;
    for (int turn = 110; turn <= 150; turn += 20) {
        bool parts[2];
        double work[2], shape = swept_to(turn, false, &work[0], &parts[0]),
                        mesh = swept_to(turn, true, &work[1], &parts[1]);
        print_message("paddle to %d: ball to %.1f for %.4f J, before a mesh to %.1f for %.4f J\n", turn, shape, work[0],
                      mesh, work[1]);
        assert_true(shape > turn + 10 && shape < turn + 60);
        assert_false(parts[0]);
        if (!parts[1]) {
            assert_near(shape, mesh, 4);
            assert_near(work[0], work[1], 0.12 * work[1]);
        }
        assert_less(0.02, work[0]);
    }
}

/* Moved by the host, half a turn in one step cannot be followed: the step fails and changes nothing, and a smaller
 * turn goes on. */
static void half_a_turn(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = contact_def("backward-euler", "none");
    vvWorld *w = new_world(&d);
    add_soft(w, 1e5, 0.06);
    vvBodyId box =
        vvObstacleBody(w, add_moving(w, "box", (double[]){ 0, -0.05, 0, 0.4, 0.1, 0.4, 0, 0, 0 }, 0.3, NULL));
    steps(w, 2);
    int first;
    double x[12];
    vvBodyNodes(w, box, &first, NULL);
    memcpy(x, vvWorldPositions(w) + 3 * first, sizeof x);
    x[3] = -x[3]; /* the tips along x and z change sides: half a turn about y */
    x[11] = -x[11];
    assert_ok(vvAttachMoveTo(w, vvBodyAttachment(w, box), x, &error));
    expect(vvWorldStep(w, NULL, &error), VV_ERROR_SOLVER, &error, "shorten the step");
    assert_int_equal(vvWorldStepIndex(w), 2);
    x[5] = x[3], x[3] = 0; /* a quarter */
    x[9] = -x[11], x[11] = 0;
    assert_ok(vvAttachMoveTo(w, vvBodyAttachment(w, box), x, &error));
    step(w);
    vvWorldDestroy(w);
}

/* Stretched, leaning or flat the frame would measure no distances. What single precision leaves of a turn is rigid
 * enough. */
static void a_frame_stays_rigid(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = contact_def("backward-euler", "none");
    vvWorld *w = new_world(&d);
    add_soft(w, 1e5, 0.06);
    vvBodyId box =
        vvObstacleBody(w, add_moving(w, "box", (double[]){ 0, -0.05, 0, 0.4, 0.1, 0.4, 0, 0, 0 }, 0.3, NULL));
    steps(w, 2);
    int first;
    double x[12], y[12];
    vvBodyNodes(w, box, &first, NULL);
    memcpy(x, vvWorldPositions(w) + 3 * first, sizeof x);
    for (int how = 0; how < 3; how++) {
        memcpy(y, x, sizeof y);
        for (int i = 3; i < 12; i++)
            y[i] = how == 0 ? y[i % 3] + 1.01 * (y[i] - y[i % 3]) : how == 1 ? y[i] + (i == 6 ? 0.1 : 0) : y[i % 3];
        expect(vvAttachMoveTo(w, vvBodyAttachment(w, box), y, &error), VV_ERROR_INPUT, &error, "as a rigid body");
    }
    step(w);
    assert_memory_equal(vvWorldPositions(w) + 3 * first, x, sizeof x);
    float sine = 0.1f, cosine = sqrtf(1 - sine * sine), size = (float)(x[3] - x[0]);
    memcpy(y, x, sizeof y);
    y[3] = x[0] + cosine * size, y[5] = x[2] - sine * size;
    y[9] = x[0] + sine * size, y[11] = x[2] + cosine * size;
    assert_ok(vvAttachMoveTo(w, vvBodyAttachment(w, box), y, &error));
    step(w);
    vvWorldDestroy(w);
}

/* ---- hosts
 * ----------------------------------------------------------------------------------------------------------- */

/* The host moves the four nodes of the frame; contact, queries and the body that is drawn follow. */
static void host_drives_it(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = contact_def("backward-euler", "none");
    vvWorld *w = new_world(&d);
    vvBodyId cube = add_soft(w, 1e5, 0);
    vvObstacleId id = add_moving(w, "sphere", (double[]){ 0, 0.3, 0, 0.1 }, 0, NULL);
    vvBodyId body = vvObstacleBody(w, id);
    vvAttachId hold = vvBodyAttachment(w, body);
    int nodes[5];
    double x[12];
    assert_true(vvBodyIsKinematic(w, body) && vvAttachIsValid(w, hold));
    assert_int_equal(vvAttachNodes(w, hold, nodes, 5), 4);
    for (int k = 1; k <= 30; k++) {
        for (int i = 0; i < 12; i++)
            x[i] = vvWorldPositions(w)[3 * nodes[0] + i] - (i % 3 == 1 ? 0.007 : 0);
        assert_ok(vvAttachMoveTo(w, hold, x, &error));
        step(w);
    }
    assert_less(mean(w, cube, 1), -0.02); /* pushed down, from 0.05 m beneath */
    vvRay ray = vvDefaultRay();
    vvRayHit hit;
    bool found;
    ray.bodies = false;
    ray.origin[0] = 1, ray.origin[1] = 0.3 - 0.21;
    ray.direction[0] = -1;
    assert_ok(vvWorldCastRay(w, &ray, &hit, &found, &error));
    assert_true(found && hit.obstacle.index1 == id.index1 && hit.body.index1 == 0);
    assert_near(hit.distance, 0.9, 1e-9);
    assert_near(hit.normal[0], 1, 1e-9);
    ray.bodies = true; /* the body by which it is drawn is not hit */
    assert_ok(vvWorldCastRay(w, &ray, &hit, &found, &error));
    assert_true(found && hit.body.index1 == 0);
    vvBodySurface drawn;
    vvBodyGetSurface(w, body, &drawn);
    double low = INFINITY;
    for (int v = 0; v < drawn.vertexCount; v++) {
        double y = 0;
        for (int k = 0; k < 4; k++)
            y += drawn.weights[4 * v + k] * vvWorldPositions(w)[3 * (nodes[0] + drawn.nodes[4 * v + k]) + 1];
        low = fmin(low, y);
    }
    assert_near(low, 0.3 - 0.21 - 0.1, 1e-3);
    const vvContactPoint *points;
    int count;
    assert_ok(vvWorldContactPoints(w, &points, &count, &error));
    for (int i = 0; i < count; i++) {
        double c[3] = { 0, 0.3 - 0.21, 0 };
        assert_near(distance3(points[i].point, c), 0.1, 1e-9);
        assert_true(points[i].obstacle.index1 == id.index1);
    }
    vvWorldDestroy(w);
}

static void snapshots_and_changes(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvMotionDef m = vvDefaultMotionDef();
    m.linearVelocity[0] = 0.1;
    m.angularVelocity = 20;
    vvWorld *w = press("bdf2", "none", "plane", 1.0 / 120), *other = press("bdf2", "none", "plane", 1.0 / 120);
    vvSnapshot *s = NULL;
    steps(w, 20);
    assert_ok(vvWorldSnapshot(w, &s, &error));
    steps(w, 5);
    assert_ok(vvWorldRestore(w, s, &error));
    assert_ok(vvWorldRestore(other, s, &error));
    expect_same(w, other, 5, "with an obstacle that moves");
    size_t size = vvWorldStateSize(w);
    void *bytes = malloc(size);
    assert_ok(vvWorldSaveState(w, bytes, size, &error));
    steps(w, 3);
    assert_ok(vvWorldLoadState(w, bytes, size, &error));
    assert_ok(vvWorldLoadState(other, bytes, size, &error));
    expect_same(w, other, 5, "loaded");
    free(bytes);
    vvSnapshotDestroy(s);
    vvWorldDestroy(other);
    /* another obstacle comes, and bodies before it go: it goes on as it did */
    vvBodyId first = vvWorldBody(w, 1), drawn;
    vvObstacleId added = add_moving(w, "cylinder", (double[]){ 3, 0, 0, 0, 1, 0, 0.1, 0.2 }, 0, &m);
    drawn = vvObstacleBody(w, added);
    assert_int_equal(vvWorldBodyCount(w), 3);
    step(w);
    /* the mean of its four nodes, an axis of 0.1 m long */
    assert_near(mean(w, drawn, 0) - 3, 0.1 / 120 + 0.1 / 4, 0.01);
    assert_ok(vvWorldRemoveBody(w, first, &error));
    double before = mean(w, drawn, 0);
    step(w);
    assert_near(mean(w, drawn, 0) - before, 0.1 / 120, 1e-3);
    expect(vvWorldRemoveBody(w, drawn, &error), VV_ERROR_INPUT, &error, "vvWorldRemoveObstacle");
    assert_ok(vvWorldRemoveObstacle(w, added, &error));
    assert_true(!vvBodyIsValid(w, drawn) && !vvObstacleIsValid(w, added));
    assert_int_equal(vvWorldBodyCount(w), 1);
    assert_int_equal(vvObstacleBody(w, added).index1, 0);
    assert_int_equal(vvObstacleBody(w, vvWorldObstacleAt(w, 1)).index1, 0); /* the one at rest */
    step(w);
    vvWorldDestroy(w);
}

static void what_is_refused(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = contact_def("backward-euler", "none");
    vvWorld *w = new_world(&d);
    add_soft(w, 1e5, 0);
    vvObstacleDef def = vvDefaultObstacleDef();
    vvObstacleId id;
    def.moves = true;
    def.name = "body-1"; /* the cube's */
    expect(vvWorldAddObstacle(w, &def, &id, &error), VV_ERROR_INPUT, &error, "two bodies are named \"body-1\"");
    assert_int_equal(vvWorldObstacleCount(w), 0);
    char name[129] = "";
    memset(name, 'x', 128);
    def.name = name;
    expect(vvWorldAddObstacle(w, &def, &id, &error), VV_ERROR_INPUT, &error,
           "obstacle name of 128 characters; at most 127");
    def.name = "";
    def.motion = (vvMotionDef){ 0 };
    expect(vvWorldAddObstacle(w, &def, &id, &error), VV_ERROR_INPUT, &error, "vvObstacleDef.motion");
    def.motion = vvDefaultMotionDef();
    def.motion.angularVelocity = NAN;
    expect(vvWorldAddObstacle(w, &def, &id, &error), VV_ERROR_INPUT, &error, "motion: ");
    assert_int_equal(vvWorldBodyCount(w), 1);
    def.motion = vvDefaultMotionDef();
    def.motion.linearVelocity[1] = 1;
    shape_obstacle(&def, (double[]){ 0, 0.01, 0, 0, 1, 0 });
    assert_ok(vvWorldAddObstacle(w, &def, &id, &error)); /* the cube stands in it */
    expect(vvWorldStep(w, NULL, &error), VV_ERROR_INPUT, &error, "starts inside obstacle 0 (plane");
    assert_string_equal(vvBodyName(w, vvObstacleBody(w, id)), "obstacle-1");
    def.name = name + 1; /* whole, and the body's, too */
    vvObstacleId other;
    assert_ok(vvWorldAddObstacle(w, &def, &other, &error));
    assert_string_equal(vvObstacleName(w, other), name + 1);
    assert_string_equal(vvBodyName(w, vvObstacleBody(w, other)), name + 1);
    assert_true(isnan(vvWorldFriction(w, vvWorldBody(w, 0), vvObstacleBody(w, id))));
    assert_near(vvObstacleFriction(w, id, vvWorldBody(w, 0)), 0, 0);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_of_a_press),     cmocka_unit_test(work_under_a_policy),
        cmocka_unit_test(a_plate_lifts),       cmocka_unit_test(rollers_take_a_bar_along),
        cmocka_unit_test(seen_from_elsewhere), cmocka_unit_test(nothing_passes_through),
        cmocka_unit_test(a_large_turn_sweeps), cmocka_unit_test(half_a_turn),
        cmocka_unit_test(host_drives_it),      cmocka_unit_test(snapshots_and_changes),
        cmocka_unit_test(a_frame_stays_rigid), cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
