/* Bodies of free points: they fall as a stone does, collide as balls of their body's thickness, pass through nothing,
 * rest with friction, and are refused where they make no sense. */
#include "live_support.h"
#include "visviva/contact.h"
#include "visviva/interact.h"
#include "visviva/query.h"
#include "positional.h"

static const double DIAMETER = 8e-3, DISTANCE = 1e-3, STIFFNESS = 1e5, MASS = 7e-4, G = 9.8;

static vvBodyDef grain_def(void)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material.model = "free";
    def.material.density = MASS;
    def.thickness = DIAMETER;
    return def;
}

/* Points in the order of `x`. */
static vvBodyId add_points(vvWorld *w, int count, double *x, const vvBodyDef *def)
{
    vvError error = { 0 };
    int list[64];
    assert_true(count <= 64);
    for (int i = 0; i < count; i++)
        list[i] = i;
    vvMesh mesh = { .vertexCount = count, .positions = x, .pointCount = count, .points = list };
    vvBodyDef d = *def;
    vvBodyId id;
    d.mesh = &mesh;
    assert_ok(vvWorldAddBody(w, &d, &id, &error));
    return id;
}

static vvBodyId add_grains(vvWorld *w, int nx, int ny, int nz, double spacing, const vvBodyDef *def)
{
    vvError error = { 0 };
    vvMesh mesh = { 0 };
    assert_ok(generate_mesh("grains", (double[]){ nx, ny, nz, spacing, 0.05, 1 }, &mesh, &error));
    return add_mesh(w, &mesh, def);
}

static vvWorldDef grain_world(const char *scheme, const char *policy, double h)
{
    vvWorldDef d = live_def(scheme, policy);
    d.timeStep = h;
    d.gravity[1] = -G;
    d.contact.distance = DISTANCE;
    d.contact.stiffness = STIFFNESS;
    d.contact.frictionSpeed = 1e-4;
    return d;
}

/* The smallest distance between two nodes. */
static double least_distance(const vvWorld *w)
{
    const double *x = vvWorldPositions(w);
    double least = INFINITY;
    for (int i = 0; i < vvWorldNodeCount(w); i++)
        for (int j = 0; j < i; j++)
            least = fmin(least, distance3(x + 3 * i, x + 3 * j));
    return least;
}

/* ---- flight ------------------------------------------------------------------------------------------------------ */

static void a_free_fall_is_a_parabola(void **state)
{
    (void)state;
    static const char *const schemes[] = { "trapezoidal", "verlet", "implicit-midpoint" };
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++) {
        vvWorldDef d = free_def(schemes[s], 0.01, 1e-9);
        d.gravity[1] = -G;
        vvWorld *w = new_world(&d);
        vvBodyDef def = grain_def();
        vvBodyId body = add_grains(w, 2, 2, 2, 0.01, &def);
        set_state(w, body, "linear", (double[]){ 0.5, 2, -0.25 });
        double *start = copy_of(vvWorldPositions(w), 24);
        vvLedgerRow row = steps(w, 50);
        for (int i = 0; i < 8; i++) {
            const double *x = vvWorldPositions(w) + 3 * i;
            assert_near(x[0], start[3 * i] + 0.5 * 0.5, 1e-12);
            assert_near(x[1], start[3 * i + 1] + 2 * 0.5 - 0.5 * G * 0.25, 1e-11);
            assert_near(x[2], start[3 * i + 2] - 0.25 * 0.5, 1e-12);
            assert_near(vvWorldMasses(w)[i], MASS, 0);
        }
        assert_near(row.error, 0, 1e-12);
        free(start);
        vvWorldDestroy(w);
    }
}

static void total_mass_and_drag(void **state)
{
    (void)state;
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-12);
    vvWorld *w = new_world(&d);
    vvBodyDef def = grain_def();
    def.material.totalMass = 0.08;
    def.material.damping.drag = 3;
    vvBodyId body = add_grains(w, 2, 2, 2, 0.01, &def);
    set_state(w, body, "linear", (double[]){ 1, 0, 0 });
    steps(w, 10);
    for (int i = 0; i < 8; i++) {
        assert_near(vvWorldMasses(w)[i], 0.01, 1e-15);
        assert_near(vvWorldVelocities(w)[3 * i], pow(1 + 0.01 * 3, -10), 1e-9);
    }
    vvWorldDestroy(w);
}

/* ---- collisions of points ---------------------------------------------------------------------------------------- */

static void two_points_head_on(void **state)
{
    (void)state;
    static const char *const policies[] = { "none", "search" };
    for (int k = 0; k < 2; k++)
        for (int two = 0; two < 2; two++) { /* of one body, of two */
            vvWorldDef d = grain_world("backward-euler", policies[k], 1e-3);
            d.gravity[1] = 0;
            d.solver.tolerance = 1e-9;
            vvWorld *w = new_world(&d);
            vvBodyDef def = grain_def();
            double both[] = { -0.02, 0, 0, 0.02, 0, 0 };
            add_points(w, 2 - two, both, &def);
            if (two)
                add_points(w, 1, both + 3, &def);
            vvError error = { 0 };
            assert_ok(vvWorldApplyImpulses(w, 2, (int[]){ 0, 1 }, (double[]){ MASS, 0, 0, -MASS, 0, 0 }, &error));
            double nearest = INFINITY;
            for (int i = 0; i < 60; i++) {
                step(w);
                const double *x = vvWorldPositions(w);
                assert_near(x[0], -x[3], 1e-11);
                assert_near(x[1], 0, 1e-15);
                nearest = fmin(nearest, x[3] - x[0]);
            }
            assert_true(nearest > DIAMETER && nearest < DIAMETER + DISTANCE);
            const double *v = vvWorldVelocities(w);
            assert_less(v[0], 0);
            assert_near(v[0], -v[3], 1e-9);
            if (k == 1) { /* nothing is lost, nothing gained */
                assert_less(v[3], 1.02);
                assert_less(0.9, v[3]);
            }
            vvWorldDestroy(w);
        }
}

static void clouds_that_collide_keep_their_momentum(void **state)
{
    (void)state;
    static const char *const policies[] = { "none", "search" };
    for (int k = 0; k < 2; k++) {
        vvWorldDef d = grain_world("backward-euler", policies[k], 1.0 / 240);
        d.gravity[1] = 0;
        d.contact.friction = k ? 0.4 : 0;
        d.solver.tolerance = 1e-9;
        vvWorld *w = new_world(&d);
        vvBodyDef def = grain_def();
        vvBodyId one = add_grains(w, 3, 3, 3, 0.0093, &def);
        def.translate[0] = 0.04, def.translate[1] = 0.004, def.material.density = 2 * MASS;
        vvBodyId two = add_grains(w, 3, 3, 3, 0.0093, &def);
        set_state(w, one, "linear", (double[]){ 1.5, 0, 0.1 });
        set_state(w, two, "linear", (double[]){ -1, 0, 0 });
        double before[3] = { 27 * MASS * (1.5 - 2), 0, 27 * MASS * 0.1 }, reach = 0;
        for (int i = 0; i < 60; i++) {
            vvLedgerRow row = step(w);
            for (int c = 0; c < 3; c++)
                assert_near(row.momentum[c], before[c], 1e-8 * 27 * MASS);
            assert_less(DIAMETER, least_distance(w));
            reach = fmax(reach, row.contact);
        }
        assert_less(0, reach);
        vvWorldDestroy(w);
    }
}

static void without_self_contact_they_pass_each_other(void **state)
{
    (void)state;
    vvWorldDef d = grain_world("backward-euler", "none", 1e-3);
    d.gravity[1] = 0;
    vvWorld *w = new_world(&d);
    vvBodyDef def = grain_def();
    def.selfContact = false;
    add_points(w, 2, (double[]){ -0.02, 0, 0, 0.02, 0, 0 }, &def);
    vvError error = { 0 };
    assert_ok(vvWorldApplyImpulses(w, 2, (int[]){ 0, 1 }, (double[]){ MASS, 0, 0, -MASS, 0, 0 }, &error));
    steps(w, 40);
    assert_near(vvWorldPositions(w)[0], 0.02, 1e-9);
    vvWorldDestroy(w);
}

/* ---- sheets and rods --------------------------------------------------------------------------------------------- */

static vvBodyId add_sheet(vvWorld *w, double size, int cells, const vvBodyDef *def)
{
    vvError error = { 0 };
    vvMesh mesh = { 0 };
    assert_ok(generate_mesh("cloth", (double[]){ size, size, cells, cells }, &mesh, &error));
    return add_mesh(w, &mesh, def);
}

/* How far above the sheet at (x, z) the point stands, along y; the sheet hangs from its rim, and is a height field. */
static double height_above(const vvBodyElements *e, const double *q, const double *p)
{
    double above = INFINITY;
    for (int t = 0; t < e->triangleCount; t++) {
        const double *a = q + 3 * e->triangles[3 * t], *b = q + 3 * e->triangles[3 * t + 1],
                     *c = q + 3 * e->triangles[3 * t + 2];
        double det = (b[0] - a[0]) * (c[2] - a[2]) - (c[0] - a[0]) * (b[2] - a[2]);
        double u = ((p[0] - a[0]) * (c[2] - a[2]) - (c[0] - a[0]) * (p[2] - a[2])) / det;
        double v = ((b[0] - a[0]) * (p[2] - a[2]) - (p[0] - a[0]) * (b[2] - a[2])) / det;
        if (u >= -1e-9 && v >= -1e-9 && u + v <= 1 + 1e-9)
            above = fmin(above, p[1] - (a[1] + u * (b[1] - a[1]) + v * (c[1] - a[1])));
    }
    return above;
}

/* 100 m/s: nearly a metre a step, against a sheet without thickness. */
static void no_point_passes_a_sheet(void **state)
{
    (void)state;
    for (int moving = 0; moving < 2; moving++) {
        vvWorldDef d = grain_world("backward-euler", "none", 1.0 / 120);
        vvWorld *w = new_world(&d);
        vvBodyDef cloth = vvDefaultBodyDef(), def = grain_def();
        cloth.kinematic = !moving;
        cloth.material.model = "hooke";
        cloth.material.density = 0.3;
        cloth.material.springStiffness = 2e4;
        vvBodyId sheet = add_sheet(w, 0.3, 8, &cloth);
        if (moving) {
            int rim[64], count = 0;
            vvAttachDef a = vvDefaultAttachDef();
            for (int i = 0; i < vvWorldNodeCount(w); i++)
                if (fmax(fabs(vvWorldPositions(w)[3 * i]), fabs(vvWorldPositions(w)[3 * i + 2])) > 0.149)
                    rim[count++] = i;
            a.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = rim, .listCount = count };
            attach(w, sheet, &a);
        }
        def.translate[1] = 0.4;
        vvBodyId grains = add_grains(w, 4, 1, 4, 0.011, &def);
        set_state(w, grains, "linear", (double[]){ 0.7, -100, 0.3 });
        int first, count;
        vvBodyElements e;
        vvBodyNodes(w, grains, &first, &count);
        vvBodyGetElements(w, sheet, &e);
        double lowest = INFINITY;
        for (int i = 0; i < 12; i++) {
            step(w);
            for (int k = 0; k < count; k++) {
                double above = height_above(&e, vvWorldPositions(w), vvWorldPositions(w) + 3 * (first + k));
                assert_less(0, above);
                lowest = fmin(lowest, above);
            }
        }
        assert_less(lowest, 0.05); /* they did arrive */
        vvWorldDestroy(w);
    }
}

/* A point cannot pass a rod, nor a point that stands still; each stays off by both radii. */
static void rods_and_standing_points_stop_a_point(void **state)
{
    (void)state;
    for (int rod = 0; rod < 2; rod++) {
        vvWorldDef d = grain_world("backward-euler", "none", 1.0 / 120);
        vvWorld *w = new_world(&d);
        vvBodyDef still = grain_def(), def = grain_def();
        still.kinematic = true;
        if (rod) {
            vvError error = { 0 };
            vvMesh mesh = { .vertexCount = 2,
                            .edgeCount = 1,
                            .positions = (double[]){ -0.05, 0, 0.05, 0.05, 0, 0.05 },
                            .edges = (int[]){ 0, 1 } };
            still.mesh = &mesh;
            still.translate[2] = -0.05;
            assert_ok(vvWorldAddBody(w, &still, NULL, &error));
        } else {
            add_points(w, 1, (double[]){ 0, 0, 0 }, &still);
        }
        vvBodyId ball = add_points(w, 1, (double[]){ 0, 0.05, 0 }, &def);
        set_state(w, ball, "linear", (double[]){ 0, -20, 0 });
        int node = vvWorldNodeCount(w) - 1;
        for (int i = 0; i < 60; i++) {
            step(w);
            assert_less(DIAMETER, vvWorldPositions(w)[3 * node + 1]);
        }
        assert_less(vvWorldPositions(w)[3 * node + 1], DIAMETER + DISTANCE);
        vvWorldDestroy(w);
    }
}

/* ---- rest and friction ------------------------------------------------------------------------------------------- */

static double slope(double s) { return -2 * (s - 1) * log(s) - (s - 1) * (s - 1) / s; } /* of the barrier */

/* The gap at which the weight is carried: m g = kappa A |b'(gap / d)|, A = pi/4 max(thickness, d)^2. */
static void the_gap_of_a_point_at_rest(void **state)
{
    (void)state;
    static const double thicknesses[] = { 8e-3, 0 };
    for (int k = 0; k < 2; k++) {
        double wide = fmax(thicknesses[k], DISTANCE), area = PI / 4 * wide * wide;
        vvWorldDef d = grain_world("backward-euler", "none", 1.0 / 100);
        d.solver.tolerance = 1e-9;
        vvWorld *w = new_world(&d);
        vvBodyDef def = grain_def();
        def.thickness = thicknesses[k];
        obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0);
        add_points(w, 1, (double[]){ 0, 0.5 * thicknesses[k] + 0.5 * DISTANCE, 0 }, &def);
        steps(w, 400);
        double s = (vvWorldPositions(w)[1] - 0.5 * thicknesses[k]) / DISTANCE;
        assert_near(-slope(s) * STIFFNESS * area / (MASS * G), 1, 1e-4);
        vvWorldDestroy(w);
    }
}

/* On a slope of 20 degrees: with more friction than its tangent it creeps below eps_v, with less it slides by the
 * law. */
static void a_point_on_a_slope(void **state)
{
    (void)state;
    double angle = 20 * PI / 180, n[3] = { sin(angle), cos(angle), 0 }, down[3] = { cos(angle), -sin(angle), 0 };
    for (int slides = 0; slides < 2; slides++) {
        double mu = slides ? 0.2 : 1.05 * tan(angle);
        vvWorldDef d = grain_world("backward-euler", "none", 1.0 / 500);
        d.solver.tolerance = 1e-7;
        d.contact.frictionIterations = 3;
        vvWorld *w = new_world(&d);
        vvBodyDef def = grain_def();
        obstacle(w, "plane", (double[]){ 0, 0, 0, n[0], n[1], 0 }, mu);
        double height = 0.5 * DIAMETER + 0.9 * DISTANCE;
        add_points(w, 1, (double[]){ height * n[0], height * n[1], 0 }, &def);
        steps(w, 150);
        double before = 0, after = 0;
        for (int k = 0; k < 3; k++)
            before += vvWorldVelocities(w)[k] * down[k];
        steps(w, 250);
        for (int k = 0; k < 3; k++)
            after += vvWorldVelocities(w)[k] * down[k];
        if (slides)
            assert_near((after - before) / 0.5 / (G * (sin(angle) - mu * cos(angle))), 1, 0.02);
        else
            assert_less(fabs(after), 1e-4);
        vvWorldDestroy(w);
    }
}

static vvWorld *pile(int threads)
{
    vvWorldDef d = grain_world("backward-euler", "none", 1.0 / 120);
    d.contact.friction = 0.5;
    d.threads = threads;
    vvWorld *w = new_world(&d);
    vvBodyDef def = grain_def();
    def.translate[1] = 0.03;
    obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0.5);
    add_grains(w, 3, 3, 3, 0.0093, &def);
    return w;
}

static void a_pile_comes_to_rest(void **state)
{
    (void)state;
    vvWorld *w = pile(1);
    vvLedgerRow row = { 0 };
    for (int i = 0; i < 150; i++) {
        row = step(w);
        if (i % 10 == 0)
            assert_less(DIAMETER, least_distance(w));
    }
    assert_less(row.kinetic, 1e-8);
    for (int i = 0; i < vvWorldNodeCount(w); i++)
        assert_less(0.5 * DIAMETER, vvWorldPositions(w)[3 * i + 1]);
    assert_true(row.minGap > 0 && row.minGap < DISTANCE);
    vvWorldDestroy(w);
}

/* A snapshot with points goes back to the bit, after its bodies are gone. */
static void a_snapshot_brings_points_back(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = pile(1);
    vvSnapshot *snapshot = NULL;
    steps(w, 20);
    assert_ok(vvWorldSnapshot(w, &snapshot, &error));
    steps(w, 10);
    int count = 3 * vvWorldNodeCount(w);
    double *later = copy_of(vvWorldPositions(w), count);
    assert_ok(vvWorldRemoveBody(w, vvWorldBody(w, 0), &error));
    assert_int_equal(vvWorldNodeCount(w), 0);
    assert_ok(vvWorldRestore(w, snapshot, &error));
    vvBodyElements e;
    vvBodyGetElements(w, vvWorldBody(w, 0), &e);
    assert_int_equal(e.pointCount, 27);
    steps(w, 10);
    assert_memory_equal(vvWorldPositions(w), later, (size_t)count * sizeof *later);
    free(later);
    vvSnapshotDestroy(snapshot);
    vvWorldDestroy(w);
}

/* Added while the world runs, into a room that a body has moved through. */
static void points_that_come_later(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = pile(1);
    vvBodyDef def = grain_def();
    def.translate[1] = 0.08;
    steps(w, 15);
    vvBodyId more = add_grains(w, 2, 1, 2, 0.0093, &def);
    steps(w, 40);
    assert_int_equal(vvWorldNodeCount(w), 31);
    assert_less(DIAMETER, least_distance(w));
    def.translate[1] = vvWorldPositions(w)[3 * 27 + 1] + 0.5 * DIAMETER; /* into what came before */
    def.translate[0] = vvWorldPositions(w)[3 * 27] + 0.00465;
    def.translate[2] = vvWorldPositions(w)[3 * 27 + 2] + 0.00465;
    vvBodyId wrong = add_grains(w, 2, 1, 2, 0.0093, &def);
    expect(vvWorldStep(w, NULL, &error), VV_ERROR_INPUT, &error, "too near each other");
    assert_ok(vvWorldRemoveBody(w, wrong, &error));
    steps(w, 5);
    assert_true(vvBodyIsValid(w, more));
    vvWorldDestroy(w);
}

static void the_same_bits(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *one = pile(1), *two = pile(2), *loaded = pile(1);
    steps(one, 25);
    steps(two, 25);
    size_t size = vvWorldStateSize(one);
    char *buffer = malloc(size);
    assert_non_null(buffer);
    assert_ok(vvWorldSaveState(one, buffer, size, &error));
    assert_ok(vvWorldLoadState(loaded, buffer, size, &error));
    free(buffer);
    steps(one, 15);
    steps(two, 15);
    steps(loaded, 15);
    size_t bytes = 3 * sizeof(double) * (size_t)vvWorldNodeCount(one);
    assert_memory_equal(vvWorldPositions(one), vvWorldPositions(two), bytes);
    assert_memory_equal(vvWorldPositions(one), vvWorldPositions(loaded), bytes);
    assert_memory_equal(vvWorldVelocities(one), vvWorldVelocities(loaded), bytes);
    vvWorldDestroy(one);
    vvWorldDestroy(two);
    vvWorldDestroy(loaded);
}

/* ---- attachments, queries, starts
 * --------------------------------------------------------------------------------- */

static void regions_and_attachments(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = grain_world("backward-euler", "none", 1.0 / 120);
    vvWorld *w = new_world(&d);
    vvBodyDef def = grain_def();
    vvBodyId body = add_points(w, 3, (double[]){ 0, 0, 0, 0.02, 0, 0, 0.04, 0, 0 }, &def);
    vvRegion all = { .kind = VV_REGION_ALL, .surfaceOnly = true };
    assert_int_equal(vvBodySelect(w, body, &all, NULL, 0), 3);
    vvAttachDef a = vvDefaultAttachDef();
    a.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = (int[]){ 0 }, .listCount = 1 };
    attach(w, body, &a);
    a.where.list = (int[]){ 1 };
    a.kind = VV_ATTACH_SPRING;
    a.stiffness = MASS * G / 0.001; /* hangs a millimetre low */
    attach(w, body, &a);
    steps(w, 400);
    const double *x = vvWorldPositions(w);
    assert_near(x[1], 0, 0);
    assert_near(x[4], -1e-3, 1e-5);
    assert_less(x[7], -1);
    vvBodyElements e;
    vvBodyGetElements(w, body, &e);
    assert_int_equal(e.pointCount, 3);
    assert_int_equal(e.points[2], 2);
    assert_int_equal(e.tetCount + e.triangleCount + e.edgeCount, 0);
    assert_near(vvBodyThickness(w, body), DIAMETER, 0);
    assert_ok(vvWorldRemoveBody(w, body, &error));
    vvWorldDestroy(w);
}

static void what_queries_see(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = grain_world("backward-euler", "none", 1.0 / 120);
    vvWorld *w = new_world(&d);
    vvBodyDef def = grain_def();
    def.translate[2] = 0.5;
    vvBodyId body = add_points(w, 3, (double[]){ 0, 0, 0, 0.02, 0, 0, 0.04, 0, 0 }, &def);
    vvRay ray = vvDefaultRay();
    vvRayHit hit;
    bool found;
    memcpy(ray.direction, (double[]){ 0, 0, 2 }, sizeof ray.direction);
    for (int i = 0; i < 6; i++) { /* in the balls and between them */
        ray.origin[0] = 0.01 * i + 0.003;
        assert_ok(vvWorldCastRay(w, &ray, &hit, &found, &error));
        assert_int_equal(found, i % 2 == 0);
        if (!found)
            continue;
        assert_true(hit.vertex == i / 2 && hit.triangle == -1 && hit.edge == -1 && hit.normal[2] == -1 &&
                    hit.weights[0] == 1);
        assert_near(hit.distance, 0.5, 1e-12);
        assert_near(hit.point[0], 0.01 * i, 1e-15);
    }
    ray.thickness = 0.0085;
    assert_ok(vvWorldCastRay(w, &ray, &hit, &found, &error));
    assert_false(found); /* 13 mm from the last ball's centre, its radius is 4 mm */
    ray.origin[0] = 0.052;
    assert_ok(vvWorldCastRay(w, &ray, &hit, &found, &error));
    assert_true(found && hit.vertex == 2);
    vvOverlap box = vvDefaultOverlap();
    vvBodyId ids[2];
    int count;
    box.center[0] = 0.02, box.center[2] = 0.5;
    for (int k = 0; k < 3; k++)
        box.size[k] = 0.01;
    assert_ok(vvWorldOverlapBodies(w, &box, ids, 2, &count, &error));
    assert_true(count == 1 && ids[0].index1 == body.index1);
    box.center[0] = 0.01;
    assert_ok(vvWorldOverlapBodies(w, &box, ids, 2, &count, &error));
    assert_int_equal(count, 0);
    assert_ok(vvWorldOverlapNodes(w, &box, NULL, 0, &count, &error));
    assert_int_equal(count, 0);
    vvWorldDestroy(w);
}

/* Nothing of a cloud of points is elastic; whoever asks for it must come back with an answer. */
static void starts_and_settling(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int k = 0; k < 3; k++) {
        vvWorldDef d = grain_world("backward-euler", k == 1 ? "search" : "none", 1.0 / 120);
        if (k == 1)
            want_ground(&d);
        vvWorld *w = new_world(&d);
        vvBodyDef def = grain_def();
        def.translate[1] = 0.03;
        obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0.3);
        vvBodyId body = k ? add_grains(w, 2, 2, 2, 0.01, &def) : add_points(w, 1, (double[]){ 0, 0, 0 }, &def);
        if (k == 2)
            vvBodySetInitialState(w, body, "mode", NULL, 0, &error); /* it has none but rigid ones */
        for (int i = 0; i < 30 && vvWorldStep(w, NULL, &error) == VV_OK; i++)
            for (int c = 0; c < 3 * vvWorldNodeCount(w); c++)
                assert_true(isfinite(vvWorldPositions(w)[c]));
        vvWorldDestroy(w);
    }
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static void refused(vvBodyDef *def, vvMesh *mesh, const char *word)
{
    vvError error = { 0 };
    vvWorldDef d = grain_world("backward-euler", "none", 1.0 / 120);
    vvWorld *w = new_world(&d);
    def->mesh = mesh;
    expect(vvWorldAddBody(w, def, NULL, &error), VV_ERROR_INPUT, &error, word);
    assert_int_equal(vvWorldBodyCount(w), 0);
    vvWorldDestroy(w);
}

static void bodies_that_make_no_sense(void **state)
{
    (void)state;
    double x[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
    int points[] = { 0, 1, 2 }, bad[] = { 0, 1, 3 }, edge[] = { 0, 1 };
    vvMesh good = { .vertexCount = 3, .positions = x, .pointCount = 3, .points = points }, mesh = good;
    vvBodyDef def = grain_def();
    def.material.model = "hooke";
    refused(&def, &mesh, "\"hooke\" is for springs, but the body's mesh has nothing but points");
    def.material.model = "neo-hookean";
    refused(&def, &mesh, "\"neo-hookean\" is for tetrahedra");
    def.material.model = "free";
    def.material.damping.rayleigh = 0.1;
    refused(&def, &mesh, "damping.rayleigh");
    def = grain_def();
    def.material.density = 0;
    refused(&def, &mesh, "density is 0");
    def = grain_def();
    mesh.points = bad;
    refused(&def, &mesh, "point 2 names vertex 3; there are 3");
    mesh = good;
    mesh.pointCount = 2;
    refused(&def, &mesh, "vertex 2 has mass 0 kg");
    mesh = good;
    mesh.edgeCount = 1, mesh.edges = edge;
    refused(&def, &mesh, "points beside other elements");
    mesh = (vvMesh){ .vertexCount = 2, .positions = x, .edgeCount = 1, .edges = edge };
    refused(&def, &mesh, "\"free\" is for free points");
    mesh = (vvMesh){ .vertexCount = 3, .positions = x };
    refused(&def, &mesh, "no tetrahedra, triangles, edges or points");
}

static void starts_too_near(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        vvError error = { 0 };
        vvWorldDef d = grain_world("backward-euler", "none", 1.0 / 120);
        vvWorld *w = new_world(&d);
        vvBodyDef def = grain_def();
        if (k == 0) { /* each other */
            add_points(w, 2, (double[]){ 0, 0, 0, 0.9 * DIAMETER, 0, 0 }, &def);
        } else if (k == 1) { /* a sheet */
            vvBodyDef cloth = vvDefaultBodyDef();
            cloth.kinematic = true;
            add_sheet(w, 0.3, 3, &cloth);
            add_points(w, 1, (double[]){ 0.01, 0.4 * DIAMETER, 0.02 }, &def);
        } else {
            obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0);
            add_points(w, 1, (double[]){ 0, 0.4 * DIAMETER, 0 }, &def);
        }
        expect(vvWorldBake(w, &error), VV_ERROR_INPUT, &error,
               k == 0   ? "too near itself"
               : k == 1 ? "too near each other"
                        : "starts inside obstacle 0");
        vvWorldDestroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_fall_is_a_parabola),
        cmocka_unit_test(total_mass_and_drag),
        cmocka_unit_test(two_points_head_on),
        cmocka_unit_test(clouds_that_collide_keep_their_momentum),
        cmocka_unit_test(without_self_contact_they_pass_each_other),
        cmocka_unit_test(no_point_passes_a_sheet),
        cmocka_unit_test(rods_and_standing_points_stop_a_point),
        cmocka_unit_test(the_gap_of_a_point_at_rest),
        cmocka_unit_test(a_point_on_a_slope),
        cmocka_unit_test(a_pile_comes_to_rest),
        cmocka_unit_test(the_same_bits),
        cmocka_unit_test(a_snapshot_brings_points_back),
        cmocka_unit_test(points_that_come_later),
        cmocka_unit_test(regions_and_attachments),
        cmocka_unit_test(what_queries_see),
        cmocka_unit_test(starts_and_settling),
        cmocka_unit_test(bodies_that_make_no_sense),
        cmocka_unit_test(starts_too_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
