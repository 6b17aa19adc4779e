/* The kinetic energy that positions show: rigid motions, stretching, sums of parts and of bodies, the ledger's
 * columns, what a change between steps leaves of them, and the same bits after a saved state and for any number of
 * threads. Through the public API. */
#include "world_support.h"
#include "random_support.h"

#include "visviva/interact.h"

enum { MOST = 512 };

static vvWorld *block_world(const double *at, double young, vvBodyId *body)
{
    vvWorldDef d = free_def("implicit-midpoint", 2.5e-3, 1e-10);
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("stvk", young);
    memcpy(def.translate, at, sizeof def.translate);
    *body = add_box_def(w, (double[]){ 0.3, 0.2, 0.1 }, (int[]){ 3, 2, 2 }, 6, &def);
    return w;
}

static vvVisible measure(const vvWorld *w, const double *from, double seconds, vvVisible *bodies)
{
    vvError error = { 0 };
    vvVisible v;
    assert_ok(vvWorldMeasureVisible(w, from, seconds, &v, bodies, &error));
    return v;
}

static double mass_of(const vvWorld *w, double centre[3])
{
    double sum = 0;
    centre[0] = centre[1] = centre[2] = 0;
    for (int i = 0; i < vvWorldNodeCount(w); i++) {
        sum += vvWorldMasses(w)[i];
        for (int k = 0; k < 3; k++)
            centre[k] += vvWorldMasses(w)[i] * vvWorldPositions(w)[3 * i + k];
    }
    for (int k = 0; k < 3; k++)
        centre[k] /= sum;
    return sum;
}

/* 1/2 sum m |q - from|^2 / seconds^2 */
static double plain(const vvWorld *w, const double *from, double seconds)
{
    double d = mass_distance(w, vvWorldPositions(w), from) / seconds;
    return 0.5 * d * d;
}

static void assert_parts(const vvVisible *v)
{
    assert_near(v->total, v->centre + v->rotation + v->deformation, 1e-14 * v->total);
    assert_true(v->centre >= 0 && v->rotation >= 0 && v->deformation >= 0);
}

/* ---- one body ---------------------------------------------------------------------------------------------------- */

/* Turned by up to 150 degrees at once about z through the centre of mass, and shifted. */
static void a_rigid_motion_has_no_deformation(void **state)
{
    (void)state;
    vvBodyId body;
    vvWorld *w = block_world((double[]){ 0.1, 0.2, -0.3 }, 1e6, &body);
    const double *q = vvWorldPositions(w), shift[3] = { 0.02, -0.01, 0.05 }, h = 0.01;
    int nodes = vvWorldNodeCount(w);
    double from[3 * MOST], centre[3], mass = mass_of(w, centre);
    for (int degrees = 1; degrees <= 150; degrees += 149) {
        double turn = degrees * PI / 180, inertia = 0;
        for (int i = 0; i < nodes; i++) {
            double x = q[3 * i] - centre[0], y = q[3 * i + 1] - centre[1];
            from[3 * i] = centre[0] + cos(turn) * x + sin(turn) * y - shift[0];
            from[3 * i + 1] = centre[1] - sin(turn) * x + cos(turn) * y - shift[1];
            from[3 * i + 2] = q[3 * i + 2] - shift[2];
            inertia += vvWorldMasses(w)[i] * (x * x + y * y);
        }
        double chord = 2 * sin(turn / 2) / h;
        vvVisible v = measure(w, from, h, NULL);
        assert_near(v.centre, 0.5 * mass * pow(norm3(shift) / h, 2), 1e-12 * v.total);
        assert_near(v.rotation, 0.5 * inertia * chord * chord, 1e-12 * v.total);
        assert_near(v.deformation, 0, 1e-24 * v.total);
        assert_near(v.total, plain(w, from, h), 1e-13 * v.total);
        assert_parts(&v);
    }
    vvWorldDestroy(w);
}

/* The same in all directions: others turn a block whose mass is not distributed symmetrically. */
static void a_stretch_is_deformation_alone(void **state)
{
    (void)state;
    vvBodyId body;
    vvWorld *w = block_world((double[]){ 5, 0, 0 }, 1e6, &body);
    const double *q = vvWorldPositions(w), h = 1e-3;
    double from[3 * MOST], centre[3];
    mass_of(w, centre);
    for (int i = 0; i < 3 * vvWorldNodeCount(w); i++)
        from[i] = centre[i % 3] + 0.9 * (q[i] - centre[i % 3]);
    vvVisible v = measure(w, from, h, NULL);
    assert_near(v.deformation, plain(w, from, h), 1e-13 * v.total);
    assert_near(v.centre, 0, 1e-24 * v.total);
    assert_near(v.rotation, 0, 1e-24 * v.total);
    vvWorldDestroy(w);
}

/* A shift of everything changes only what rounding does. */
static void parts_sum_up_and_do_not_depend_on_the_place(void **state)
{
    (void)state;
    vvVisible found[2];
    for (int far = 0; far < 2; far++) {
        vvBodyId body;
        double at[3] = { far * 16.0, far * -8.0, far * 4.0 };
        vvWorld *w = block_world(at, 1e6, &body);
        double from[3 * MOST];
        random_state = 7;
        for (int i = 0; i < 3 * vvWorldNodeCount(w); i++)
            from[i] = vvWorldPositions(w)[i] + within(-0.01, 0.012);
        found[far] = measure(w, from, 0.02, NULL);
        assert_parts(&found[far]);
        assert_near(found[far].total, plain(w, from, 0.02), 1e-13 * found[far].total);
        assert_true(found[far].centre > 0 && found[far].rotation > 0 && found[far].deformation > 0);
        vvWorldDestroy(w);
    }
    double size = 1e-11 * found[0].total;
    assert_near(found[0].centre, found[1].centre, size);
    assert_near(found[0].rotation, found[1].rotation, size);
    assert_near(found[0].deformation, found[1].deformation, size);
}

/* A rod turns about its middle, and not about itself; a point does not turn. */
static void lines_and_points_have_no_inertia_of_their_own(void **state)
{
    (void)state;
    vvWorldDef d = free_def("implicit-midpoint", 0.01, 1e-10);
    vvWorld *w = new_world(&d);
    vvMaterialDef spring = vvDefaultMaterialDef();
    spring.model = "hooke";
    spring.springStiffness = 100;
    add_edges(w, 3, (double[]){ 0.1, 0.1, 0.1, 0.2, 0.3, 0.4, 0.3, 0.5, 0.7 }, 2, (int[]){ 0, 1, 1, 2 }, &spring);
    vvMesh point = { .vertexCount = 1, .positions = (double[]){ 1, 1, 1 }, .pointCount = 1, .points = (int[]){ 0 } };
    vvBodyDef def = vvDefaultBodyDef();
    def.material.model = "free";
    def.material.density = 2;
    def.thickness = 0.01;
    def.mesh = &point;
    vvError error = { 0 };
    vvBodyId id;
    assert_ok(vvWorldAddBody(w, &def, &id, &error));
    const double *q = vvWorldPositions(w);
    /* the ends go opposite ways across the rod (its direction is 1, 2, 3), as they do if it turns by a little */
    double from[12], across[3] = { 3, 0, -1 }, h = 1;
    for (int i = 0; i < 12; i++)
        from[i] = q[i] - (i < 3 ? 1e-5 : i < 6 ? 0 : i < 9 ? -1e-5 : 1) * across[i % 3];
    vvVisible bodies[2], v = measure(w, from, h, bodies);
    assert_parts(&v);
    assert_near(bodies[0].rotation, bodies[0].total, 1e-8 * bodies[0].total);
    assert_true(bodies[0].total > 0);
    assert_near(bodies[1].centre, 0.5 * 2 * 10, 1e-12);
    assert_near(bodies[1].rotation + bodies[1].deformation, 0, 0);
    vvWorldDestroy(w);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    vvBodyId body;
    vvWorld *w = block_world((double[]){ 0, 0, 0 }, 1e6, &body);
    vvError error;
    const double *q = vvWorldPositions(w), bad[] = { 0, -1, NAN, INFINITY };
    vvVisible v;
    assert_int_equal(vvWorldMeasureVisible(w, NULL, 1, &v, NULL, &error), VV_ERROR_INPUT);
    for (int i = 0; i < 4; i++)
        assert_int_equal(vvWorldMeasureVisible(w, q, bad[i], &v, NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "above 0 s"));
    assert_null(vvWorldBodyVisible(w)); /* the ledger has no row yet */
    vvWorldDestroy(w);
}

/* ---- in the ledger
 * ------------------------------------------------------------------------------------------------ */

static vvVisible of_row(const vvLedgerRow *r)
{
    return (vvVisible){ r->visible, r->visibleCentre, r->visibleRotation, r->visibleDeformation };
}

static void assert_same(vvVisible a, vvVisible b) { assert_memory_equal(&a, &b, sizeof a); }

static vvVisible sum_of_bodies(const vvWorld *w)
{
    vvVisible sum = { 0 };
    for (int b = 0; b < vvWorldBodyCount(w); b++) {
        const vvVisible *v = vvWorldBodyVisible(w) + b;
        sum.total += v->total, sum.centre += v->centre, sum.rotation += v->rotation, sum.deformation += v->deformation;
    }
    return sum;
}

/* Two blocks that fall, spin and stretch, and a kinematic one, which has no mass; the first lands. */
static vvWorld *busy_world(const char *policy, int threads, vvBodyId bodies[3])
{
    vvWorldDef d = vvDefaultWorldDef();
    d.integrator.policy = policy;
    d.integrator.groundMode = VV_GROUND_NONE;
    d.threads = threads;
    vvWorld *w = new_world(&d);
    for (int i = 0; i < 3; i++) {
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material("neo-hookean", 5e4);
        def.translate[0] = 0.5 * i;
        def.kinematic = i == 2;
        def.motion.linearVelocity[1] = i == 2 ? 1 : 0;
        bodies[i] = add_box_def(w, (double[]){ 0.2, 0.2, 0.2 }, (int[]){ 6, 6, 6 }, 6, &def);
    }
    set_state(w, bodies[0], "angular", (double[]){ 1, 2, 3, NAN, NAN, NAN });
    set_state(w, bodies[0], "linear", (double[]){ 0, -1, 0 });
    set_state(w, bodies[1], "stretch", (double[]){ 1.1, 1, 1, NAN, NAN, NAN });
    obstacle(w, "plane", (double[]){ 0, -0.21, 0, 0, 1, 0 }, 0.3);
    return w;
}

static void each_row_is_the_motion_in_its_step(void **state)
{
    (void)state;
    vvBodyId bodies[3];
    vvWorld *w = busy_world("search", 1, bodies);
    vvLedgerRow row = ledger(w);
    vvVisible mean = { 0 }, own[3];
    assert_near(row.visible, row.kinetic, 1e-13 * row.kinetic); /* at the start, of the velocities */
    assert_near(row.visibleDeformation, 0, 1e-13 * row.kinetic);
    for (int i = 1; i <= 30; i++) {
        int size = 3 * vvWorldNodeCount(w);
        double *before = copy_of(vvWorldPositions(w), size);
        row = step(w);
        vvVisible v = measure(w, before, vvWorldGetDef(w)->timeStep, own);
        assert_same(of_row(&row), v);
        assert_same(sum_of_bodies(w), v);
        assert_memory_equal(own, vvWorldBodyVisible(w), sizeof own);
        assert_same(own[2], (vvVisible){ 0 });
        assert_parts(&v);
        mean.total += (v.total - mean.total) / i, mean.centre += (v.centre - mean.centre) / i;
        mean.rotation += (v.rotation - mean.rotation) / i, mean.deformation += (v.deformation - mean.deformation) / i;
        free(before);
    }
    vvLedgerTotals t;
    vvWorldTotals(w, &t);
    assert_near(t.meanVisible, mean.total, 1e-13 * mean.total);
    assert_near(t.meanVisibleCentre, mean.centre, 1e-13 * mean.total);
    assert_near(t.meanVisibleRotation, mean.rotation, 1e-13 * mean.total);
    assert_near(t.meanVisibleDeformation, mean.deformation, 1e-13 * mean.total);
    assert_true(mean.centre > 0 && mean.rotation > 0 && mean.deformation > 0);
    vvWorldDestroy(w);
}

/* Stiff, at h omega = 0.0125. */
static void a_spinning_block_turns_and_goes_but_does_not_deform(void **state)
{
    (void)state;
    vvBodyId body;
    vvWorld *w = block_world((double[]){ 0, 0, 0 }, 1e9, &body);
    set_state(w, body, "angular", (double[]){ 0, 0, 5, NAN, NAN, NAN });
    set_state(w, body, "linear", (double[]){ 1, 2, 0 });
    vvLedgerRow row = ledger(w);
    double spin = row.visibleRotation, going = row.visibleCentre;
    assert_near(spin + going, row.kinetic, 1e-12 * row.kinetic);
    for (int i = 0; i < 40; i++) {
        row = step(w);
        assert_near(row.visibleCentre, going, 1e-9 * going);
        assert_near(row.visibleRotation, spin, 1e-3 * spin);
        assert_less(row.visibleDeformation, 2e-5 * spin);
    }
    vvWorldDestroy(w);
}

/* Before the first step the velocities stand for the motion, later a change of them shows in the next step only. */
static void changes_between_steps_do_not_move_anything(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvBodyId bodies[3];
    vvWorld *w = busy_world("none", 1, bodies);
    ledger(w);
    double *v = calloc(3 * (size_t)vvWorldNodeCount(w), sizeof *v);
    assert_non_null(v);
    assert_ok(vvWorldSetState(w, NULL, v, &error));
    vvLedgerRow row = ledger(w), after;
    assert_near(row.visible, 0, 0);
    row = step(w);
    assert_ok(vvWorldSetState(w, NULL, v, &error));
    after = ledger(w);
    assert_true(after.kinetic == 0 && after.visible > 0);
    assert_same(of_row(&after), of_row(&row));
    assert_ok(vvWorldRemoveBody(w, bodies[0], &error));
    vvMaterialDef m = material("stvk", 1e5);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = m;
    def.translate[1] = 3;
    add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 1, 1, 1 }, 6, &def);
    after = ledger(w);
    assert_same(of_row(&after), sum_of_bodies(w));
    assert_same(vvWorldBodyVisible(w)[2], (vvVisible){ 0 });
    assert_true(vvWorldBodyVisible(w)[0].total > 0);
    row = step(w);
    assert_same(of_row(&row), sum_of_bodies(w));
    assert_true(vvWorldBodyVisible(w)[2].total > 0);
    free(v);
    vvWorldDestroy(w);
}

/* A saved state and a snapshot hold the columns, the bodies' and the means. */
static void saved_states_go_on_with_the_same_bits(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvBodyId bodies[3];
    vvWorld *a = busy_world("search", 1, bodies), *b = busy_world("search", 1, bodies);
    steps(a, 5);
    ledger(b);
    size_t size = vvWorldStateSize(a);
    char *saved = malloc(size);
    assert_non_null(saved);
    assert_ok(vvWorldSaveState(a, saved, size, &error));
    assert_ok(vvWorldLoadState(b, saved, size, &error));
    vvSnapshot *snapshot = NULL;
    assert_ok(vvWorldSnapshot(a, &snapshot, &error));
    vvLedgerTotals at[2], then[3];
    vvWorldTotals(a, at), vvWorldTotals(b, at + 1);
    assert_memory_equal(at, at + 1, sizeof *at);
    assert_memory_equal(vvWorldBodyVisible(a), vvWorldBodyVisible(b), 3 * sizeof(vvVisible));
    vvLedgerRow rows[3] = { steps(a, 5), steps(b, 5) };
    vvWorldTotals(a, then), vvWorldTotals(b, then + 1);
    assert_ok(vvWorldRestore(a, snapshot, &error));
    vvWorldTotals(a, at + 1);
    assert_memory_equal(at, at + 1, sizeof *at);
    rows[2] = steps(a, 5);
    vvWorldTotals(a, then + 2);
    for (int i = 1; i < 3; i++) {
        assert_memory_equal(rows, rows + i, sizeof *rows);
        assert_memory_equal(then, then + i, sizeof *then);
    }
    free(saved);
    vvSnapshotDestroy(snapshot);
    vvWorldDestroy(a);
    vvWorldDestroy(b);
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    vvVisible found[2][3];
    for (int several = 0; several < 2; several++) {
        vvBodyId bodies[3];
        vvWorld *w = busy_world("none", several ? 3 : 1, bodies);
        steps(w, 6);
        memcpy(found[several], vvWorldBodyVisible(w), sizeof found[several]);
        vvWorldDestroy(w);
    }
    assert_memory_equal(found[0], found[1], sizeof found[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rigid_motion_has_no_deformation),
        cmocka_unit_test(a_stretch_is_deformation_alone),
        cmocka_unit_test(parts_sum_up_and_do_not_depend_on_the_place),
        cmocka_unit_test(lines_and_points_have_no_inertia_of_their_own),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(each_row_is_the_motion_in_its_step),
        cmocka_unit_test(a_spinning_block_turns_and_goes_but_does_not_deform),
        cmocka_unit_test(changes_between_steps_do_not_move_anything),
        cmocka_unit_test(saved_states_go_on_with_the_same_bits),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
