/* The stiffness of contact where none is given: what it is, that bodies rest and land within d-hat at any size, that
 * it stays through setters, snapshots and saved states; and a run that adapts it, whose changes are work. */
#include "live_support.h"
#include "size.h"
#include "visviva/settings.h"

#include <stdlib.h>

/* 10 / -b'(1/4), theory §5.11 */
static const double FACTOR = 10 / 4.3294415416798357;

static vvWorldDef auto_def(void)
{
    vvWorldDef d = vvDefaultWorldDef();
    d.contact.stiffness = 0;
    d.integrator.groundMode = VV_GROUND_NONE;
    d.solver.linear = exact_solver();
    d.threads = 1;
    return d;
}

/* A cube a little above the ground. */
static vvBodyId cube_above(vvWorld *w, double size, int cells, double young, double density, double height)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("neo-hookean", young);
    def.material.density = density;
    def.translate[1] = 0.5 * size + height;
    vvBodyId id = add_box_def(w, (double[]){ size, size, size }, (int[]){ cells, cells, cells }, 6, &def);
    obstacle(w, "plane", NULL, -1);
    return id;
}

static vvStiffness stiffness(vvWorld *w)
{
    vvStiffness s;
    vvError error = { 0 };
    assert_ok(vvWorldBake(w, &error));
    assert_true(vvWorldGetStiffness(w, &s));
    return s;
}

static int ascending(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

/* A third of the triangles around each vertex, ascending; returns how many. */
static int vertex_areas(vvWorld *w, vvBodyId body, double *area)
{
    vvBodyElements e;
    int first, nodes, count = 0;
    const double *x = vvWorldPositions(w);
    vvBodyNodes(w, body, &first, &nodes);
    vvBodyGetElements(w, body, &e);
    double *all = calloc((size_t)nodes, sizeof *all);
    for (int t = 0; t < e.triangleCount; t++) {
        const double *p = x + 3 * (first + e.triangles[3 * t]), *q = x + 3 * (first + e.triangles[3 * t + 1]),
                     *r = x + 3 * (first + e.triangles[3 * t + 2]);
        double u[3], v[3];
        for (int k = 0; k < 3; k++)
            u[k] = q[k] - p[k], v[k] = r[k] - p[k];
        double c[3] = { u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0] };
        for (int k = 0; k < 3; k++)
            all[e.triangles[3 * t + k]] += norm3(c) / 6;
    }
    for (int i = 0; i < nodes; i++)
        if (all[i] > 0)
            area[count++] = all[i];
    free(all);
    qsort(area, (size_t)count, sizeof *area, ascending);
    return count;
}

/* ---- what it is ---- */

static void the_weight_on_a_small_vertex(void **state)
{
    (void)state;
    vvWorldDef d = auto_def();
    for (int c = 0; c < 8; c++) {
        double density = c & 1 ? 8e5 : 5e4, size = c & 2 ? 2 : 0.1, area[600], mean = 0;
        int cells = c & 4 ? 1 : 6;
        vvWorld *w = new_world(&d);
        vvBodyId cube = cube_above(w, size, cells, 1e6, density, 0.01);
        vvStiffness s = stiffness(w);
        int count = vertex_areas(w, cube, area);
        for (int i = 0; i < count; i++)
            mean += area[i] / count;
        double small = fmax(area[(int)(0.05 * count)], 0.1 * mean);
        assert_near(s.weight, 9.8 * density * size * size * size, 1e-9 * s.weight);
        assert_near(s.area, small, 1e-12 * small);
        assert_near(s.now, FACTOR * s.weight / s.area, 1e-9 * s.now);
        assert_true(s.chosen && s.start == s.now && vvWorldGetDef(w)->contact.stiffness == s.now);
        assert_string_equal(s.body, vvBodyName(w, cube));
        vvWorldDestroy(w);
    }
}

/* The heaviest on its vertices counts; kinematic bodies do not; where nothing has a weight, velocities do. */
static void who_asks_for_the_most(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = auto_def();
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.kinematic = true;
    def.translate[0] = 9;
    add_box_def(w, (double[]){ 5, 5, 5 }, (int[]){ 9, 9, 9 }, 6, &def);
    cube_above(w, 0.1, 2, 1e5, 1e5, 0.01);
    vvStiffness light = stiffness(w);
    def = vvDefaultBodyDef();
    def.material.density = 4e5;
    def.translate[2] = 1, def.translate[1] = 1;
    vvBodyId heavy = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 6, &def);
    vvStiffness s = stiffness(w);
    assert_string_equal(s.body, vvBodyName(w, heavy));
    assert_near(s.now, 4 * light.now, 1e-9 * s.now);
    assert_ok(vvWorldSetGravity(w, (double[]){ 0, 0, 0 }, &error));
    s = stiffness(w);
    assert_true(s.now == 1e5 && s.chosen && s.weight == 0 && s.area == 0 && *s.body == 0);
    vvWorldDestroy(w);
}

/* Without gravity, what stops it over its own length; velocities are those to what may be in the way, whoever moves. */
static void velocities_count(void **state)
{
    (void)state;
    const double speed = 7;
    double kappa[4];
    for (int c = 0; c < 4; c++) { /* onto a plane; onto a plate; a plate comes; two bodies meet */
        vvWorldDef d = auto_def();
        d.gravity[1] = 0;
        vvWorld *w = new_world(&d);
        vvBodyDef def = vvDefaultBodyDef();
        vvBodyId cube = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 6, &def), other = { 0, 0 };
        def.translate[1] = -1;
        if (c == 0)
            obstacle(w, "plane", (double[]){ 0, -1, 0, 0, 1, 0 }, -1);
        def.kinematic = c < 3;
        if (c == 2)
            def.motion.linearVelocity[1] = speed;
        if (c > 0)
            other = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 6, &def);
        if (c != 2)
            set_state(w, cube, "linear", (double[]){ 0, -speed, 0 });
        if (c == 3)
            set_state(w, other, "linear", (double[]){ 0, speed, 0 });
        vvStiffness s = stiffness(w);
        assert_near(s.weight, 0.5 * speed * speed / (0.1 * sqrt(3)), 1e-9 * s.weight);
        kappa[c] = s.now;
        assert_near(s.now, FACTOR * s.weight / s.area, 1e-9 * s.now);
        assert_near(s.now, kappa[0], 1e-9 * s.now);
        vvWorldDestroy(w);
    }
}

/* A cloth with one sliver among its triangles, as thin as wanted: the others count. */
static double with_sliver(double width)
{
    enum { N = 12 };
    static double x[3 * (N + 1) * (N + 1)];
    vvWorldDef d = auto_def();
    vvError error = { 0 };
    vvWorld *w = new_world(&d);
    vvMesh mesh = { .vertexCount = 0 };
    int t = 0;
    static int triangles[6 * N * N];
    for (int i = 0; i <= N; i++)
        for (int k = 0; k <= N; k++) {
            double *p = x + 3 * (i * (N + 1) + k);
            p[0] = 0.1 * i, p[1] = 0, p[2] = 0.1 * k;
            if (i == N) /* the last row, moved up to the one before */
                p[0] = 0.1 * (N - 1) + (k < 2 ? width : 0.1);
        }
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            int a = i * (N + 1) + k, b = a + N + 1;
            const int own[6] = { a, a + 1, b, a + 1, b + 1, b };
            for (int j = 0; j < 6; j++)
                triangles[t++] = own[j];
        }
    mesh.vertexCount = (N + 1) * (N + 1);
    mesh.positions = x;
    mesh.triangleCount = t / 3;
    mesh.triangles = triangles;
    vvMesh own;
    assert_ok(vvMeshCopy(&mesh, &own, &error));
    vvBodyDef def = vvDefaultBodyDef();
    def.material = vvDefaultMaterialDef();
    def.material.model = "hooke";
    def.material.totalMass = 1;
    add_mesh(w, &own, &def);
    obstacle(w, "plane", (double[]){ 0, -1, 0, 0, 1, 0 }, -1);
    double kappa = stiffness(w).now;
    vvWorldDestroy(w);
    return kappa;
}

static void a_sliver_does_not_count(void **state)
{
    (void)state;
    double even = with_sliver(0.1), sliver = with_sliver(1e-7);
    assert_less(sliver, 1.2 * even);
    assert_less(even, 1.2 * sliver);
}

/* ---- what it does ---- */

static void bodies_rest_within_reach(void **state)
{
    (void)state;
    for (int c = 0; c < 6; c++) {
        double density = (double[]){ 100, 1000, 8000 }[c % 3];
        vvWorldDef d = auto_def();
        vvWorld *w = new_world(&d);
        cube_above(w, 0.1, c < 3 ? 1 : 4, 1e6, density, 0.9e-3);
        vvLedgerRow row = steps(w, 150);
        double reach = vvWorldGetDef(w)->contact.distance;
        assert_less(row.kinetic, 1e-6 * row.scale);
        assert_less(reach / 8, row.minGap);
        assert_less(row.minGap, reach);
        vvWorldDestroy(w);
    }
}

/* Lengths, gravity and stresses in proportion: every number of the run is the same but for its power of two. */
static void scaled_scenes_are_alike(void **state)
{
    (void)state;
    enum { STEPS = 60, NODES = 27, HEAVY = 1 << 18 };
    double first[3 * NODES] = { 0 }, kappa = 0;
    for (int i = 0; i < 3; i++) {
        double s = ldexp(1, (int[]){ 0, -8, 2 }[i]);
        vvWorldDef d = auto_def();
        d.gravity[1] *= s;
        d.contact.relativeDistance = 1e-3;
        d.solver.relativeTolerance = 0.01;
        vvWorld *w = new_world(&d);
        /* heavy, so that weight asks for more than the least at every size */
        vvBodyId cube = cube_above(w, s, 2, 1e5 * HEAVY * s * s, 1000 * HEAVY, 0.05 * s);
        set_state(w, cube, "linear", (double[]){ 0.5 * s, -s, 0 });
        vvLedgerRow row = steps(w, STEPS);
        assert_less(row.minGap, vvWorldGetDef(w)->contact.distance);
        kappa = i == 0 ? stiffness(w).now : kappa;
        assert_near(stiffness(w).now / (s * s), kappa, 1e-12 * kappa);
        for (int k = 0; k < 3 * NODES; k++) {
            first[k] = i == 0 ? vvWorldPositions(w)[k] : first[k];
            assert_near(vvWorldPositions(w)[k] / s, first[k], 1e-9);
        }
        vvWorldDestroy(w);
    }
}

/* Falls from its own height, at sizes from 1 mm to 100 m in the gravity of the earth, one stuff or as soft for its
 * weight. */
static void any_size_lands(void **state)
{
    (void)state;
    for (int c = 0; c < 6; c++) {
        double size = (double[]){ 1e-3, 1, 100 }[c % 3], young = c < 3 ? 1e5 : 1e6;
        if (c < 3)
            young *= size;
        vvWorldDef d = auto_def();
        vvWorld *w = new_world(&d);
        vvError error = { 0 };
        cube_above(w, size, 2, young, 1000, size);
        int count = (int)(sqrt(2 * size / 9.8) * 120) + 40, iterations = 0;
        for (int i = 0; i < count; i++) {
            vvStepReport report;
            assert_ok(vvWorldStep(w, &report, &error));
            assert_int_equal(report.end, VV_SOLVE_CONVERGED);
            iterations += report.newtonIterations;
        }
        vvLedgerTotals totals;
        vvWorldTotals(w, &totals);
        double reach = vvWorldGetDef(w)->contact.distance;
        print_message("%g m, E %g: kappa %.3g, gap %.2g of d-hat, %.1f iterations a step\n", size, young,
                      stiffness(w).now, totals.minGap / reach, (double)iterations / count);
        assert_less(totals.minGap, reach);
        assert_less(1e-3 * reach, totals.minGap);
        assert_less(iterations, 15 * count);
        vvWorldDestroy(w);
    }
}

/* ---- that it stays ---- */

static void it_stays_the_worlds_choice(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = auto_def();
    vvWorld *w = new_world(&d), *other = new_world(&d);
    vvBodyId cube = cube_above(w, 0.1, 2, 1e7, 1e5, 0.5e-3);
    cube_above(other, 0.1, 2, 1e7, 1e5, 0.5e-3);
    steps(w, 3);
    const double kappa = stiffness(w).now;
    vvBodyDef def = vvDefaultBodyDef();
    def.translate[0] = 2, def.translate[1] = 1;
    vvBodyId large = add_box_def(w, (double[]){ 1, 1, 1 }, (int[]){ 1, 1, 1 }, 5, &def); /* asks for more, too late */
    assert_ok(vvWorldSetGravity(w, (double[]){ 0, -20, 0 }, &error));
    steps(w, 2);
    assert_true(stiffness(w).now == kappa && strcmp(stiffness(w).body, vvBodyName(w, cube)) == 0);
    vvContactDef contact = vvWorldGetDef(w)->contact;
    contact.friction = 0.4;
    assert_ok(vvWorldSetContact(w, &contact, &error));
    assert_true(stiffness(w).now == kappa && stiffness(w).chosen);
    contact.stiffness = 3 * kappa; /* given now */
    assert_ok(vvWorldSetContact(w, &contact, &error));
    assert_true(stiffness(w).now == 3 * kappa && !stiffness(w).chosen && stiffness(w).weight == 0);
    vvSnapshot *snapshot;
    assert_ok(vvWorldSnapshot(w, &snapshot, &error));
    contact.stiffness = 0; /* and again the world's */
    assert_ok(vvWorldSetContact(w, &contact, &error));
    steps(w, 2);
    assert_true(stiffness(w).now == kappa && stiffness(w).chosen);
    assert_ok(vvWorldRestore(w, snapshot, &error));
    assert_true(stiffness(w).now == 3 * kappa && !stiffness(w).chosen);
    assert_ok(vvWorldSetContact(w, &contact, &error));
    assert_ok(vvWorldRemoveBody(w, large, &error));
    assert_ok(vvWorldSetGravity(w, (double[]){ 0, -9.8, 0 }, &error));
    steps(w, 2);
    size_t size = vvWorldStateSize(w);
    void *saved = malloc(size);
    assert_ok(vvWorldSaveState(w, saved, size, &error));
    assert_ok(vvWorldLoadState(other, saved, size, &error));
    assert_true(stiffness(other).now == kappa && stiffness(other).chosen);
    expect_same(w, other, 10, "after a saved state");
    vvWorld *twin = new_world(&d); /* made of a snapshot only */
    vvSnapshotDestroy(snapshot);
    assert_ok(vvWorldSnapshot(w, &snapshot, &error));
    assert_ok(vvWorldRestore(twin, snapshot, &error));
    expect_same(w, twin, 5, "a twin");
    assert_true(stiffness(twin).now == kappa);
    vvSnapshotDestroy(snapshot);
    free(saved);
    vvWorldDestroy(w);
    vvWorldDestroy(other);
    vvWorldDestroy(twin);
}

/* ---- a run that adapts it ---- */

/* A cube between other cubes and the ground, far too heavy for the stiffness given. */
static vvWorld *soft_ground(const char *policy, double kappa, int threads)
{
    vvWorldDef d = auto_def();
    d.contact.stiffness = kappa;
    d.contact.adaptStiffness = true;
    d.contact.friction = 0.2;
    d.integrator.policy = policy;
    d.threads = threads;
    vvWorld *w = new_world(&d);
    vvBodyId cube = cube_above(w, 0.1, 2, 1e5, 1000, 0.3e-3);
    set_state(w, cube, "linear", (double[]){ 0.3, -0.2, 0 });
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("neo-hookean", 1e5);
    def.translate[1] = 0.151, def.translate[0] = 0.02;
    add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 6, &def);
    return w;
}

static void what_it_changes_is_work(void **state)
{
    (void)state;
    static const char *const policies[] = { "none", "search", "filtered-search" };
    for (int p = 0; p < 3; p++) {
        vvWorld *w = soft_ground(policies[p], 40, 1);
        vvLedgerRow last = ledger(w);
        double before = stiffness(w).now, first = last.total, sum = 0;
        int changes = 0;
        assert_true(before == 40);
        for (int i = 0; i < 60; i++) {
            vvLedgerRow row = step(w);
            double now = stiffness(w).now;
            /* doubled before the step, where the nodes were: all that contact held is added once more */
            assert_near(row.work, now != before ? last.contact : 0, 1e-12 * row.scale);
            assert_near(row.target - last.target, row.work - row.friction - row.damping - row.decay, 1e-12 * row.scale);
            assert_near(row.kinetic + row.elastic + row.gravity + row.contact, row.total, 1e-12 * row.scale);
            assert_true(now == before || now == 2 * before);
            changes += now != before;
            sum += row.work - row.friction - row.damping - row.decay + row.error;
            before = now, last = row;
        }
        assert_near(last.total - first, sum, 1e-11 * last.scale);
        assert_in_range(changes, 2, 7);
        assert_true(stiffness(w).start == 40 && vvWorldGetDef(w)->contact.stiffness == 40);
        assert_true(vvWorldSettingsRevision(w) == (uint32_t)changes);
        vvSettingChange change;
        assert_true(vvWorldSettingChange(w, 1, &change) && strcmp(change.text, "contact.stiffness=80, adapted") == 0);
        vvWorldDestroy(w);
    }
}

static void no_more_than_seven_times(void **state)
{
    (void)state;
    vvWorld *w = soft_ground("none", 1e-3, 1);
    steps(w, 80);
    assert_true(stiffness(w).now == 128e-3);
    vvWorldDestroy(w);
}

/* A run that is interrupted, one with more threads, one that went back: the same bits. */
static void it_goes_on_from_a_saved_state(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = soft_ground("filtered-search", 40, 1), *many = soft_ground("filtered-search", 40, 4);
    expect_same(w, many, 20, "more threads");
    assert_true(stiffness(w).now > 40 && stiffness(many).now == stiffness(w).now);
    for (int i = 0; i < 8; i++) {
        vvWorld *other = soft_ground("filtered-search", 40, 1);
        size_t size = vvWorldStateSize(w);
        void *saved = malloc(size);
        assert_ok(vvWorldSaveState(w, saved, size, &error));
        assert_ok(vvWorldLoadState(other, saved, size, &error));
        assert_true(stiffness(other).now == stiffness(w).now);
        vvSnapshot *snapshot;
        assert_ok(vvWorldSnapshot(many, &snapshot, &error));
        steps(many, 12);
        assert_ok(vvWorldRestore(many, snapshot, &error));
        vvSnapshotDestroy(snapshot);
        expect_same(other, many, i == 7 ? 30 : 3, "after a saved state and a snapshot");
        steps(w, 3);
        free(saved);
        vvWorldDestroy(other);
    }
    vvWorldDestroy(w);
    vvWorldDestroy(many);
}

static bool stop_at_once(void *user)
{
    (void)user;
    return true;
}

/* A step that is cancelled, whenever that is, leaves everything as it was. */
static void a_step_that_fails_changes_nothing(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = soft_ground("none", 40, 1), *other = soft_ground("none", 40, 1);
    for (int i = 0; i < 30; i++) {
        double before = stiffness(w).now;
        vvLedgerRow row = ledger(w);
        vvWorldSetCancel(w, stop_at_once, NULL);
        assert_int_equal(vvWorldStep(w, NULL, &error), VV_CANCELLED);
        vvWorldSetCancel(w, NULL, NULL);
        vvLedgerRow now = ledger(w);
        assert_true(stiffness(w).now == before && memcmp(&row, &now, sizeof row) == 0);
        expect_same(w, other, 1, "after a step that was cancelled");
    }
    assert_true(stiffness(w).now > 40);
    vvWorldDestroy(w);
    vvWorldDestroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_weight_on_a_small_vertex),
        cmocka_unit_test(who_asks_for_the_most),
        cmocka_unit_test(velocities_count),
        cmocka_unit_test(a_sliver_does_not_count),
        cmocka_unit_test(bodies_rest_within_reach),
        cmocka_unit_test(scaled_scenes_are_alike),
        cmocka_unit_test(any_size_lands),
        cmocka_unit_test(it_stays_the_worlds_choice),
        cmocka_unit_test(what_it_changes_is_work),
        cmocka_unit_test(no_more_than_seven_times),
        cmocka_unit_test(it_goes_on_from_a_saved_state),
        cmocka_unit_test(a_step_that_fails_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
