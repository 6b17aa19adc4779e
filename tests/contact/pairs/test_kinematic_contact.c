/* Kinematic bodies against soft ones: what they do to them is booked as work, friction takes bodies along, what they
 * meet of their own kind is not there, and a body that cannot give way stops the step and nothing else. */
#include "live_support.h"
#include "positional.h"

static vvWorldDef contact_def(const char *scheme)
{
    vvWorldDef d = live_def(scheme, "none");
    d.timeStep = 1.0 / 120;
    d.gravity[1] = 0;
    d.contact.distance = 2e-3;
    d.contact.checkIntersections = true;
    d.solver.tolerance = 1e-4;
    return d;
}

/* A slab of 2 cm with its middle at height y. */
static vvBodyId add_slab(vvWorld *w, double y, const vvMotionDef *motion)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.kinematic = true;
    def.translate[1] = y;
    if (motion)
        def.motion = *motion;
    return add_box_def(w, (double[]){ 0.6, 0.02, 0.6 }, (int[]){ 3, 1, 3 }, 5, &def);
}

static vvBodyId add_soft(vvWorld *w, double young)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("neo-hookean", young);
    return add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 5, &def);
}

/* Slabs 1.5 mm above and below a cube: the upper one comes down by a third of its height. */
static vvWorld *press(const char *scheme, double h, vvBodyId *upper)
{
    static const vvWaypoint way[] = { { .time = 0 }, { .time = 0.5, .offset = { 0, -0.035, 0 } } };
    vvWorldDef d = contact_def(scheme);
    vvMotionDef m = vvDefaultBodyDef().motion;
    d.timeStep = h;
    m.waypoints = way;
    m.waypointCount = 2;
    vvWorld *w = new_world(&d);
    *upper = add_slab(w, 0.0615, &m);
    add_soft(w, 1e5);
    add_slab(w, -0.0615, NULL);
    return w;
}

/* How far work less friction is off the energy that is there at the end, as a part of it. */
static double booking_error(const char *scheme, double h)
{
    vvBodyId upper;
    vvWorld *w = press(scheme, h, &upper);
    vvLedgerRow row = steps(w, (int)lround(0.5 / h));
    vvLedgerTotals totals;
    vvWorldTotals(w, &totals);
    assert_less(5, row.elastic); /* J */
    assert_true(totals.minGap > 0 && totals.minJ > 0);
    int first, count;
    vvBodyNodes(w, upper, &first, &count);
    for (int k = first; k < first + count; k++)
        assert_near(fabs(vvWorldPositions(w)[3 * k + 1] - (0.0615 - 0.035)), 0.01, 1e-12);
    vvWorldDestroy(w);
    return fabs(totals.work - totals.friction - row.total) / row.total;
}

/* What goes in as work is there as energy, but for an error of first order in h. */
static void work_of_a_press(void **state)
{
    (void)state;
    static const char *const schemes[] = { "backward-euler", "bdf2" };
    for (int i = 0; i < 2; i++) {
        double coarse = booking_error(schemes[i], 1.0 / 120), fine = booking_error(schemes[i], 1.0 / 480);
        assert_less(coarse, 0.04);
        assert_less(fine, 0.4 * coarse);
    }
}

static double mean_x(const vvWorld *w, vvBodyId id)
{
    int first, count;
    double sum = 0;
    vvBodyNodes(w, id, &first, &count);
    for (int k = first; k < first + count; k++)
        sum += vvWorldPositions(w)[3 * k];
    return sum / count;
}

/* A cube on a slab that moves away sideways: the pair's friction decides whether it comes along. */
static void friction_takes_a_body_along(void **state)
{
    (void)state;
    double way[2];
    for (int rough = 0; rough < 2; rough++) {
        vvError error = { 0 };
        vvWorldDef d = contact_def("backward-euler");
        vvMotionDef m = vvDefaultBodyDef().motion;
        d.gravity[1] = -9.8;
        d.contact.friction = rough ? 0 : 1; /* the pair's own is the other way round */
        d.contact.frictionSpeed = 1e-3;
        m.linearVelocity[0] = 0.2;
        vvWorld *w = new_world(&d);
        vvBodyId slab = add_slab(w, -0.0615, &m), cube = add_soft(w, 1e6);
        assert_ok(vvWorldSetFriction(w, cube, slab, rough ? 1 : 0, &error));
        steps(w, 60); /* 0.5 s */
        way[rough] = mean_x(w, cube);
        vvWorldDestroy(w);
    }
    assert_less(fabs(way[0]), 1e-3);
    assert_near(way[1], 0.098, 0.004); /* 0.1 m, less what it needs to get going */
}

static void snapshots_in_contact(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvBodyId upper, unused;
    vvWorld *w = press("bdf2", 1.0 / 120, &upper), *other = press("bdf2", 1.0 / 120, &unused);
    vvSnapshot *s = NULL;
    steps(w, 20);
    assert_ok(vvWorldSnapshot(w, &s, &error));
    steps(w, 5);
    assert_ok(vvWorldRestore(w, s, &error));
    assert_ok(vvWorldRestore(other, s, &error));
    expect_same(w, other, 10, "in contact with kinematic bodies");
    vvSnapshotDestroy(s);
    vvWorldDestroy(w);
    vvWorldDestroy(other);
}

/* What has no extent has no place among the surfaces. */
static void what_has_no_extent_is_refused(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = contact_def("backward-euler");
    vvWorld *w = new_world(&d);
    double x[] = { -1, 0, -1, 1, 0, -1, 0, 0, 1, 2, 0, 0, 2, 0, 0, 2, 0, 0 };
    int triangles[] = { 0, 2, 1, 3, 4, 5 };
    vvMesh mesh = { .vertexCount = 6, .triangleCount = 2, .positions = x, .triangles = triangles };
    vvBodyDef def = vvDefaultBodyDef();
    vvBodyId id;
    def.kinematic = true;
    def.mesh = &mesh;
    expect(vvWorldAddBody(w, &def, &id, &error), VV_ERROR_INPUT, &error, "triangle 1 has all corners in one place");
    mesh.triangleCount = 1;
    mesh.vertexCount = 3;
    assert_ok(vvWorldAddBody(w, &def, &id, &error));
    int edges[] = { 1, 2, 3, 4 };
    vvMesh rods = { .vertexCount = 6, .edgeCount = 2, .positions = x, .edges = edges };
    def.mesh = &rods;
    expect(vvWorldAddBody(w, &def, &id, &error), VV_ERROR_INPUT, &error, "edge (3, 4) has both ends in one place");
    double straight[] = { 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0 };
    int tet[] = { 0, 1, 2, 3 }, sides[] = { 0, 1, 2, 0, 1, 3, 0, 2, 3, 1, 2, 3 };
    vvMesh flat = {
        .vertexCount = 4, .tetCount = 1, .triangleCount = 4, .positions = straight, .tets = tet, .triangles = sides
    };
    def.mesh = &flat;
    expect(vvWorldAddBody(w, &def, &id, &error), VV_ERROR_INPUT, &error,
           "triangle 0 has all corners in one place or on a line");
    vvWorldDestroy(w);
}

/* Kinematic bodies go through each other and through obstacles. */
static void they_do_not_meet_each_other(void **state)
{
    (void)state;
    vvWorldDef d = contact_def("backward-euler");
    vvMotionDef m = vvDefaultBodyDef().motion;
    m.linearVelocity[1] = -1;
    vvWorld *w = new_world(&d);
    add_slab(w, 0.05, &m);
    add_slab(w, 0, NULL);
    obstacle(w, "plane", (double[]){ 0, -0.03, 0, 0, 1, 0 }, 0);
    vvLedgerRow row = steps(w, 20);
    assert_true(row.minGap == INFINITY && row.work == 0 && row.contact == 0);
    vvWorldDestroy(w);
}

/* Two slabs that close on a body: it cannot give way. */
static void a_body_that_is_crushed(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvBodyId upper;
    vvWorld *w = press("backward-euler", 1.0 / 120, &upper);
    vvAttachId hand = vvBodyAttachment(w, upper);
    steps(w, 5);
    int first, count;
    vvBodyNodes(w, upper, &first, &count);
    double *x = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w)), *to = copy_of(x + 3 * first, 3 * count);
    for (int i = 0; i < count; i++)
        to[3 * i + 1] -= 0.2; /* through the cube and the slab below */
    assert_ok(vvAttachMoveTo(w, hand, to, &error));
    assert_int_equal(vvWorldStep(w, NULL, &error), VV_ERROR_SOLVER);
    assert_memory_equal(x, vvWorldPositions(w), 3 * (size_t)vvWorldNodeCount(w) * sizeof *x);
    for (int i = 0; i < count; i++)
        to[3 * i + 1] += 0.2; /* it stays instead: the world goes on */
    assert_ok(vvAttachMoveTo(w, hand, to, &error));
    steps(w, 3);
    free(x);
    free(to);
    vvWorldDestroy(w);
}

/* A pyramid whose tip goes up by many gaps a step, through two contacts: under it a cloth, and on that a block.
 * Nothing holds them. */
static vvWorld *lifted(double distance, double speed, bool convergent)
{
    static double x[5 * 3] = { -0.05, 0, -0.05, 0.05, 0, -0.05, 0.05, 0, 0.05, -0.05, 0, 0.05, 0, 0.1, 0 };
    static int list[2 * 4] = { 0, 1, 2, 4, 0, 2, 3, 4 };
    vvError error = { 0 };
    vvWorldDef d = contact_def("backward-euler");
    d.gravity[1] = -9.8;
    d.contact.distance = distance;
    d.contact.convergent = convergent;
    d.solver.tolerance = 1e-2;
    vvWorld *w = new_world(&d);
    vvBodyDef block = vvDefaultBodyDef(), cloth = block, tip = block;
    block.material = material("neo-hookean", 1e6);
    block.translate[1] = 0.17;
    add_box_def(w, (double[]){ 0.2, 0.05, 0.2 }, (int[]){ 2, 1, 2 }, 5, &block);
    cloth.material = material("hooke", 0);
    cloth.material.springStiffness = 100;
    cloth.material.density = 0.1;
    cloth.translate[0] = 0.013, cloth.translate[1] = 0.12, cloth.translate[2] = 0.017;
    cloth.rotate[0] = 5, cloth.rotate[2] = 8;
    vvMesh disk = { 0 }, corners = { .vertexCount = 5, .tetCount = 2, .positions = x, .tets = list }, pyramid = { 0 };
    assert_ok(generate_mesh("disk", (double[]){ 0.08, 2 }, &disk, &error));
    add_mesh(w, &disk, &cloth);
    assert_ok(vvMeshCopy(&corners, &pyramid, &error));
    assert_ok(vvMeshFinish(&pyramid, NULL, &error));
    tip.kinematic = true;
    tip.motion.linearVelocity[0] = 0.1, tip.motion.linearVelocity[1] = speed;
    add_mesh(w, &pyramid, &tip);
    return w;
}

static void through_two_contacts(void **state)
{
    (void)state;
    static const struct {
        double distance, speed;
        bool convergent;
    } ways[] = { { 1e-3, 0.5, true }, { 1e-4, 0.5, true }, { 1e-4, 2, false }, { 1e-4, 2, true } };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        vvWorld *w = lifted(ways[i].distance, ways[i].speed, ways[i].convergent);
        steps(w, (int)lround(0.06 / ways[i].speed * 120));
        vvLedgerTotals totals;
        vvWorldTotals(w, &totals);
        assert_true(totals.minGap > 0 && totals.minJ > 0);
        assert_less(0.1459, vvWorldPositions(w)[1]); /* a corner of the block, which began at 0.145 */
        vvWorldDestroy(w);
    }
}

/* A start inside a kinematic body is refused, by name. */
static void a_start_inside_one(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = contact_def("backward-euler");
    vvWorld *w = new_world(&d);
    add_soft(w, 1e5);
    vvBodyDef def = vvDefaultBodyDef();
    def.kinematic = true;
    def.name = "wall";
    add_box_def(w, (double[]){ 0.6, 0.02, 0.6 }, (int[]){ 3, 1, 3 }, 5, &def);
    expect(vvWorldBake(w, &error), VV_ERROR_INPUT, &error, "wall");
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_of_a_press),        cmocka_unit_test(friction_takes_a_body_along),
        cmocka_unit_test(snapshots_in_contact),   cmocka_unit_test(they_do_not_meet_each_other),
        cmocka_unit_test(a_body_that_is_crushed), cmocka_unit_test(what_has_no_extent_is_refused),
        cmocka_unit_test(through_two_contacts),   cmocka_unit_test(a_start_inside_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
