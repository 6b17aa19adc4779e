/* Shapes at rest as a guess of the solver "optimizer" (solve/newton/optimizer_shapes.c): bodies that begin inside out
 * go there, each by itself and where g gets lower, in space, in a plane and between steps of other schemes; bodies that
 * are held, soft, damped, or stand inside out by themselves stay. */
#include "budget_support.h"
#include "joint_support.h"
#include "size.h"

#include "base/vec.h"
#include "solve/newton/optimizer.h"
#include "solve/vectors.h"
#include "world/world.h"
#include "positional.h"

static double random_number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed / 4294967296.0;
}

/* ---- one objective ---- */

enum { STIFF, SOFT, HELD, UNTANGLED, STILL, JOINED, PARTNER, BARS };

/* Bars in a tangle where the stage begins, but for one; and since then deformed a little, but for one that was only
 * moved. */
typedef struct tangle {
    vvWorld *w;
    double *begin, *q, *y, *u;
    vv_objective o;
} tangle;

/* rayleigh: damping of each bar, s; NULL: none. The last two are joined, and the heavy one of them would rather
 * stay. */
static tangle tangle_of(const double *rayleigh)
{
    vvError error = { 0 };
    vvWorldDef d = def_of("optimizer", "backward-euler");
    tangle t = { .w = new_world(&d) };
    vvBodyId bar[BARS];
    for (int k = 0; k < BARS; k++) {
        vvBodyDef body = vvDefaultBodyDef();
        body.material = material("fixed-corotated", k == SOFT || k == PARTNER ? 1e-2 : 1e7);
        body.material.density = k == PARTNER ? 1e9 : 1e3;
        body.material.damping.rayleigh = rayleigh ? rayleigh[k] : 0;
        body.translate[2] = k;
        bar[k] = add_box_def(t.w, (double[]){ 0.4, 0.1, 0.2 }, (int[]){ 4, 1, 2 }, 5, &body);
        if (k == HELD)
            hold(t.w, bar[k]);
    }
    vvJointDef joint = joint_def("ball", bar[JOINED], bar[PARTNER], 0, 0, PARTNER - 0.5);
    joint.stiffness = 1e6;
    add_joint(t.w, &joint);
    assert_ok(vvWorldBake(t.w, &error));
    vv_system *s = &t.w->system;
    const int n = 3 * s->nodes;
    unsigned seed = 1;
    t.begin = copy_of(s->rest, n);
    for (int i = 0; i < n; i++)
        t.begin[i] += s->unknown[i / 3] < 0 || s->body[i / 3] == UNTANGLED ? 0 : random_number(&seed) - 0.5;
    t.q = copy_of(t.begin, n), t.y = copy_of(t.begin, n), t.u = copy_of(t.begin, n);
    for (int i = 0; i < n; i++) {
        t.q[i] += s->unknown[i / 3] < 0 ? 0 : s->body[i / 3] == STILL ? 0.01 : 0.01 * sin(i);
        t.y[i] += i % 3 == 1 ? -0.01 : 0;
        t.u[i] = -t.begin[i];
    }
    t.o = (vv_objective){
        .system = s, .h = 1.0 / 24, .y = t.y, .samples = 1, .sample = { { 1, 1, NULL } }, .begin = t.begin
    };
    if (rayleigh) {
        for (int i = 0; i < s->dissipations; i++)
            if (s->dissipation[i]->ops->lag)
                s->dissipation[i]->ops->lag(s->dissipation[i], &s->par, s->rest, t.u, t.o.h);
        t.o.d = 1, t.o.c = 1, t.o.u = t.u; /* velocities from where it begins */
    }
    return t;
}

static void free_tangle(tangle *t)
{
    free(t->begin), free(t->q), free(t->y), free(t->u);
    vvWorldDestroy(t->w);
}

/* That the body has its shape at rest at x, and is not mirrored. */
static void assert_shape(const vv_system *s, int body, const double *x)
{
    int of[4], count = 0;
    for (int i = 0; i < s->nodes; i++)
        if (s->body[i] == body && count < 4)
            of[count++] = i;
    for (int i = 0; i < s->nodes; i++)
        for (int k = 0; k < 4 && s->body[i] == body; k++)
            assert_near(vv_edge_length(x, of[k], i), vv_edge_length(s->rest, of[k], i), 1e-12);
}

/* Moved to their shapes: which bars, as bits; all others are where they were. */
static int moved(const tangle *t, const double *x, const double *sample)
{
    const vv_system *s = &t->w->system;
    int bits = 0;
    for (int i = 0; i < 3 * s->nodes; i++)
        bits |= x[i] != t->q[i] ? 1 << s->body[i / 3] : 0;
    for (int k = 0; k < BARS; k++)
        if (bits >> k & 1)
            assert_shape(s, k, sample);
    return bits;
}

static void each_decides_for_itself(void **state)
{
    (void)state;
    for (int midpoint = 0; midpoint < 2; midpoint++) {
        tangle t = tangle_of(NULL);
        vv_system *s = &t.w->system;
        const int n = 3 * s->nodes;
        double *z = copy_of(t.begin, n), *x = copy_of(t.q, n), *sample = copy_of(t.q, n);
        if (midpoint) { /* the energy of what lies between the beginning and q */
            vv_scale((size_t)n, 0.5, z);
            t.o.sample[0].w = 2, t.o.sample[0].beta = 0.5, t.o.sample[0].z = z;
        }
        const double before = vv_objective_value(&t.o, x);
        double value = before;
        int evaluations = 0;
        assert_true(vv_optimizer_shapes(&t.o, 1e-5, x, &value, &evaluations));
        assert_int_equal(evaluations, 3);
        assert_true(value < before);
        assert_near(vv_objective_value(&t.o, x), value, 1e-9 * before);
        for (int i = 0; i < n; i++)
            sample[i] = midpoint ? 0.5 * x[i] + z[i] : x[i];
        assert_int_equal(moved(&t, x, sample), 1 << STIFF); /* not the joined one, though it is as stiff */
        free(z), free(x), free(sample);
        free_tangle(&t);
    }
}

/* What has been deformed by no more than is allowed to be still stands in its tangle by itself. */
static void still_ones_stay(void **state)
{
    (void)state;
    tangle t = tangle_of(NULL);
    const int n = 3 * t.w->system.nodes;
    double *x = copy_of(t.q, n), value = vv_objective_value(&t.o, x);
    int evaluations = 0;
    assert_false(vv_optimizer_shapes(&t.o, 0.02, x, &value, &evaluations));
    assert_int_equal(evaluations, 0);
    assert_int_equal(moved(&t, x, x), 0);
    free(x);
    free_tangle(&t);
}

/* Damping that would take all of what is gained keeps a body where it is, and no other. */
static void damping_holds_bodies(void **state)
{
    (void)state;
    for (int strong = 0; strong < 2; strong++) {
        double rayleigh[BARS] = { [STIFF] = strong ? 1e9 : 1e-6, [SOFT] = 1e-6, [UNTANGLED] = 1e-6 };
        tangle t = tangle_of(rayleigh);
        const int n = 3 * t.w->system.nodes;
        double *x = copy_of(t.q, n), value = vv_objective_value(&t.o, x);
        const double before = value;
        int evaluations = 0;
        assert_int_equal(vv_optimizer_shapes(&t.o, 1e-5, x, &value, &evaluations), !strong);
        assert_int_equal(evaluations, strong ? 2 : 3); /* its own part says so */
        assert_int_equal(moved(&t, x, x), strong ? 0 : 1 << STIFF);
        assert_true(strong ? value == before : value < before);
        free(x);
        free_tangle(&t);
    }
}

/* With joints, gravity and damping, at one sample and at two. */
static void parts_add_up(void **state)
{
    (void)state;
    double rayleigh[BARS] = { [STIFF] = 0.02, [HELD] = 0.1, [JOINED] = 0.01 };
    tangle t = tangle_of(rayleigh);
    double part[BARS], sum = 0;
    t.o.samples = 2, t.o.sample[1].w = 0.4, t.o.sample[1].beta = 0.7, t.o.sample[1].z = t.begin;
    vv_objective_by_body(&t.o, t.q, part);
    for (int k = 0; k < BARS; k++)
        sum += part[k];
    const double value = vv_objective_value(&t.o, t.q);
    assert_true(vv_objective_dissipation(&t.o, t.q) > 1e-9 * value);
    assert_near(sum, value, 1e-12 * vv_objective_magnitude(&t.o, t.q));
    free_tangle(&t);
}

/* Only a stage has a beginning; without one, or with two samples, or where g is low already, nothing is moved. */
static void only_in_stages(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        tangle t = tangle_of(NULL);
        const int n = 3 * t.w->system.nodes;
        double *x = copy_of(t.q, n), value = k == 3 ? -1e9 : INFINITY;
        int evaluations = 0;
        if (k == 1)
            t.o.begin = NULL;
        else if (k == 2)
            t.o.samples = 2, t.o.sample[1] = t.o.sample[0];
        assert_int_equal(vv_optimizer_shapes(&t.o, 1e-5, x, &value, &evaluations), k == 0);
        if (k)
            assert_memory_equal(x, t.q, (size_t)n * sizeof *x);
        free(x);
        free_tangle(&t);
    }
}

/* ---- steps ---- */

/* A plate in its plane, its nodes anywhere: it comes back the right way up, whichever way y turns it. */
static void plates_are_not_mirrored(void **state)
{
    (void)state;
    unsigned seed = 1;
    for (int k = sized(4, 8, 12); k > 0; k--) {
        enum { CELLS = 12, NODES = (CELLS + 1) * (CELLS + 1) };
        vvError error = { 0 };
        vvStepReport report;
        vvInverted inverted;
        vvWorldDef d = free_def("backward-euler", 1.0 / 24, 1e-3);
        d.solver.method = "optimizer";
        d.solver.maxIterations = 1000;
        vvWorld *w = new_world(&d);
        double x[3 * NODES], v[3 * NODES] = { 0 };
        int triangles[6 * CELLS * CELLS], n = 0;
        for (int i = 0; i < NODES; i++)
            x[3 * i] = 0.1 * (i % (CELLS + 1)), x[3 * i + 1] = 0.3, x[3 * i + 2] = -0.1 * (double)(i / (CELLS + 1));
        for (int c = 0; c < CELLS * CELLS; c++) {
            int a = c / CELLS * (CELLS + 1) + c % CELLS,
                of[6] = { a, a + 1, a + CELLS + 2, a, a + CELLS + 2, a + CELLS + 1 };
            for (int i = 0; i < 6; i++)
                triangles[n++] = of[i];
        }
        vvMesh given = { .vertexCount = NODES,
                         .triangleCount = 2 * CELLS * CELLS,
                         .positions = x,
                         .triangles = triangles },
               mesh;
        assert_ok(vvMeshCopy(&given, &mesh, &error));
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material("fixed-corotated-plane", 1e7);
        def.material.thickness = 0.1, def.material.poisson = 0.45;
        def.rotate[0] = 90; /* into the plane, but for rounding */
        vvBodyId plate = add_mesh(w, &mesh, &def);
        for (int i = 0; i < NODES; i++)
            for (int j = 0; j < 3; j++)
                x[3 * i + j] = j < 2 ? random_number(&seed) : w->rest[3 * i + 2];
        assert_ok(vvBodySetState(w, plate, x, v, &error));
        assert_ok(vvWorldStep(w, &report, &error));
        assert_int_equal(report.end, VV_SOLVE_CONVERGED);
        if (!(report.newtonIterations < 10)) /* mirrored ones take 15 */
            fail_msg("%d iterations", report.newtonIterations);
        assert_true(ledger(w).minJ > 0.5);
        vvWorldInverted(w, &inverted);
        assert_int_equal(inverted.tets, 0);
        vvWorldDestroy(w);
    }
}

/* A cap of rubber, popped inside out: it has an energy without det F, and is no tangle. Shaken, it stays popped, as
 * with Newton's method. */
static vvWorld *popped(const char *method, double young, const double *q)
{
    vvError error = { 0 };
    vvMesh mesh;
    vvWorldDef d = free_def("backward-euler", 1.0 / 24, 1e-4);
    d.solver.method = method;
    vvWorld *w = new_world(&d);
    assert_ok(generate_mesh("disk", (double[]){ 0.05, 6 }, &mesh, &error));
    double low[3] = { 1, 1, 1 }, high[3] = { -1, -1, -1 };
    for (int i = 0; i < 3 * mesh.vertexCount; i++)
        low[i % 3] = fmin(low[i % 3], mesh.positions[i]), high[i % 3] = fmax(high[i % 3], mesh.positions[i]);
    const int up = high[0] - low[0] < 1e-9 ? 0 : high[1] - low[1] < 1e-9 ? 1 : 2;
    for (int i = 0; i < mesh.vertexCount; i++) {
        double *x = mesh.positions + 3 * i;
        x[up] = 0;
        x[up] = -10 * vv_dot(x, x); /* 25 mm deep */
    }
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("stvk-membrane", young);
    def.material.thickness = 2e-3, def.material.poisson = 0.4;
    vvMaterialDef more = material("hinge", young);
    more.thickness = 2e-3, more.poisson = 0.4;
    def.moreMaterials = &more, def.moreMaterialCount = 1;
    vvBodyId cap = add_mesh(w, &mesh, &def);
    const int n = vvWorldNodeCount(w);
    double *x = copy_of(q ? q : vvWorldPositions(w), 3 * n), *v = calloc(3 * (size_t)n, sizeof *v);
    for (int i = 0; i < n && !q; i++)
        x[3 * i + up] = -x[3 * i + up];
    assert_ok(vvBodySetState(w, cap, x, v, &error));
    free(x), free(v);
    return w;
}

static void popped_caps_stay_popped(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *still = popped("newton", 1e6, NULL);
    steps(still, 100);
    const double held = ledger(still).elastic;
    assert_true(held > 1e-4);
    unsigned seed = 1;
    for (int k = 0; k < 2; k++)
        for (int settles = 0; settles < 2; settles++) {
            const int n = 3 * vvWorldNodeCount(still);
            double *q = copy_of(vvWorldPositions(still), n), energy;
            for (int i = 0; i < n; i++)
                q[i] += (k ? 2e-3 : 5e-4) * (2 * random_number(&seed) - 1);
            vvWorld *w = popped("optimizer", 1e6, q);
            if (settles)
                assert_ok(vvWorldSettle(w, true, &energy, &error));
            else
                steps(w, 10);
            assert_near(ledger(w).elastic, held, 0.05 * held);
            free(q);
            vvWorldDestroy(w);
        }
    vvWorldDestroy(still);
}

/* A mirrored tetrahedron of springs is at rest, and stays so, whatever another body does. */
static void what_is_at_rest_stays(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 1.0 / 24, 1e-3);
    d.solver.method = "optimizer";
    vvWorld *w = new_world(&d);
    static const int edges[12] = { 0, 1, 0, 2, 0, 3, 1, 2, 1, 3, 2, 3 };
    const double x[12] = { 0, 0, 0, 0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1 };
    vvMesh mesh = { .vertexCount = 4, .edgeCount = 6, .positions = (double *)x, .edges = (int *)edges };
    vvBodyDef def = vvDefaultBodyDef();
    vvBodyId springs;
    def.mesh = &mesh;
    def.material.model = "hooke", def.material.springStiffness = 1e4, def.material.totalMass = 0.4;
    assert_ok(vvWorldAddBody(w, &def, &springs, &error));
    double q[12], v[12] = { 0 };
    for (int i = 0; i < 12; i++)
        q[i] = i % 3 ? x[i] : -x[i];
    assert_ok(vvBodySetState(w, springs, q, v, &error));
    vvBodyDef cube = vvDefaultBodyDef();
    cube.material = material("fixed-corotated", 1e7);
    cube.translate[0] = 100;
    set_state(w, add_box_def(w, (double[]){ 1, 1, 1 }, (int[]){ 3, 3, 3 }, 6, &cube), "random", NULL);
    vvStepReport report;
    assert_ok(vvWorldStep(w, &report, &error));
    assert_true(ledger(w).minJ > 0.5 && report.newtonIterations < 20); /* the cube has gone to its shape */
    for (int i = 0; i < 12; i++)
        assert_near(vvWorldPositions(w)[i], q[i], 1e-6);
    vvWorldDestroy(w);
}

/* What a step needs of memory was reserved, though each body has a node only, and the step tangles, turns and comes
 * back. */
static void many_small_bodies_fit(void **state)
{
    (void)state;
    enum { POINTS = 400 };
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 1.0 / 24, 1e-3);
    d.solver.method = "optimizer";
    vvWorld *w = new_world(&d);
    double x[3] = { 0 };
    int point = 0;
    vvMesh mesh = { .vertexCount = 1, .pointCount = 1, .positions = x, .points = &point };
    vvBodyDef def = vvDefaultBodyDef();
    def.mesh = &mesh;
    def.material.model = "free", def.material.density = 0.1;
    for (int i = 0; i < POINTS; i++) {
        vvBodyId id;
        def.translate[0] = i;
        assert_ok(vvWorldAddBody(w, &def, &id, &error));
    }
    vvMaterialDef m = material("fixed-corotated", 1e7);
    set_state(w, add_cube(w, 1, 2, &m), "random", NULL);
    step(w);
    assert_true(ledger(w).minJ > 0.5);
    assert_true(w->system.arena.peak <= w->system.arena.reserved);
    vvWorldDestroy(w);
}

/* ---- what is in the way ------------------------------------------------------------------------------------------ */

/* A cube of 1 m in a tangle, above a plane at `height`, and another one far aside. */
static vvWorld *cubes_above(const char *model, double height)
{
    vvWorldDef d = free_def("backward-euler", 1.0 / 24, 1e-3);
    d.solver.method = "optimizer";
    d.contact.model = model;
    d.contact.self = false;
    vvWorld *w = new_world(&d);
    for (int k = 0; k < 2; k++) {
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material("fixed-corotated", 1e7);
        def.translate[0] = 100 * k;
        def.translate[1] = k ? 1000 : 0;
        set_state(w, add_box_def(w, (double[]){ 1, 1, 1 }, (int[]){ 3, 3, 3 }, 6, &def), "random", NULL);
    }
    if (isfinite(height))
        obstacle(w, "plane", (double[]){ 0, height, 0, 0, 1, 0 }, 0);
    return w;
}

/* What nothing touches costs nothing, and what touches one body does not concern another. */
static void what_is_far_is_not_in_the_way(void **state)
{
    (void)state;
    static const char *const models[] = { "none", "barrier", "penalty", "springs", "constraint" };
    for (int m = 0; m < 5; m++) {
        vvError error = { 0 };
        vvWorld *w = cubes_above(models[m], m ? -1000 : INFINITY);
        vvStepReport report;
        assert_ok(vvWorldStep(w, &report, &error));
        if (!(ledger(w).minJ > 0.5) || report.newtonIterations >= 15)
            fail_msg("%s: %d iterations, det F %g", models[m], report.newtonIterations, ledger(w).minJ);
        assert_true(w->system.arena.peak <= w->system.arena.reserved);
        vvWorldDestroy(w);
    }
}

/* Whether each of the two cubes goes to its shape, from where the stage begins. */
static int who_goes(vvWorld *w)
{
    vvError error = { 0 };
    assert_ok(vvWorldBake(w, &error));
    vv_system *s = &w->system;
    const int n = 3 * s->nodes;
    double *q = copy_of(w->state.q, n), *begin = copy_of(q, n), *y = copy_of(q, n), *x;
    for (int i = 0; i < n; i++)
        q[i] += 0.001 * sin(i);
    x = copy_of(q, n);
    vv_objective o = { .system = s, .h = 1.0 / 24, .y = y, .samples = 1, .sample = { { 1, 1, NULL } }, .begin = begin };
    double value = vv_objective_value(&o, q);
    int evaluations = 0, bits = 0;
    vv_optimizer_shapes(&o, 1e-5, x, &value, &evaluations);
    for (int i = 0; i < n; i++)
        bits |= x[i] != q[i] ? 1 << s->body[i / 3] : 0;
    free(q), free(begin), free(y), free(x);
    vvWorldDestroy(w);
    return bits;
}

/* Its tangle fills a box of 1 m; its shape, turned, stands out from that, or the tangle touches the plane already. */
static void what_is_near_is(void **state)
{
    (void)state;
    assert_int_equal(who_goes(cubes_above("barrier", -1)), 3);
    assert_int_equal(who_goes(cubes_above("barrier", -0.501)), 2);
    assert_int_equal(who_goes(cubes_above("penalty", -0.3)), 2);
    assert_int_equal(who_goes(cubes_above("constraint", -0.3)), 2);
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    double *first = NULL;
    for (int threads = 1; threads <= 3; threads++) {
        vvWorldDef d = free_def("backward-euler", 1.0 / 24, 1e-3);
        d.solver.method = "optimizer";
        d.threads = threads;
        vvWorld *w = new_world(&d);
        vvMaterialDef m = material("fixed-corotated", 1e7);
        set_state(w, add_cube(w, 1, sized(5, 8, 12), &m), "random", NULL);
        steps(w, 2);
        const int n = 3 * vvWorldNodeCount(w);
        if (!first)
            first = copy_of(vvWorldPositions(w), n);
        assert_memory_equal(first, vvWorldPositions(w), (size_t)n * sizeof *first);
        vvWorldDestroy(w);
    }
    free(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_decides_for_itself),
        cmocka_unit_test(still_ones_stay),
        cmocka_unit_test(damping_holds_bodies),
        cmocka_unit_test(parts_add_up),
        cmocka_unit_test(only_in_stages),
        cmocka_unit_test(plates_are_not_mirrored),
        cmocka_unit_test(popped_caps_stay_popped),
        cmocka_unit_test(what_is_at_rest_stays),
        cmocka_unit_test(many_small_bodies_fit),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(what_is_far_is_not_in_the_way),
        cmocka_unit_test(what_is_near_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
