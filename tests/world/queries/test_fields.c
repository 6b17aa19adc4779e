/* Stress, strain, reactions and contact forces against closed forms, and the balance of all forces. */
#include "visviva/field.h"
#include "world_support.h"

static const double ANYWHERE = 1e6;

static vvRegion slab(int axis, double from, double to)
{
    vvRegion r = { .kind = VV_REGION_BOX,
                   .a = { -ANYWHERE, -ANYWHERE, -ANYWHERE },
                   .b = { ANYWHERE, ANYWHERE, ANYWHERE } };
    r.a[axis] = from, r.b[axis] = to;
    return r;
}

static vvAttachId held(vvWorld *w, vvBodyId body, vvRegion where, unsigned axes)
{
    vvError error = { 0 };
    vvAttachDef def = vvDefaultAttachDef();
    vvAttachId id = { 0, 0 };
    def.where = where;
    def.kind = axes ? VV_ATTACH_ROLLER : VV_ATTACH_FIXED;
    def.axes = axes;
    assert_ok(vvBodyAttach(w, body, &def, &id, &error));
    return id;
}

/* The field's values, for the caller to free. */
static double *field_of(vvWorld *w, vvBodyId body, const char *name, bool nodes, int *count)
{
    vvError error = { 0 };
    assert_ok(vvBodyField(w, body, name, nodes, NULL, 0, count, &error));
    double *values = malloc((size_t)*count * sizeof *values);
    assert_non_null(values);
    assert_ok(vvBodyField(w, body, name, nodes, values, *count, NULL, &error));
    return values;
}

static void all_are(vvWorld *w, vvBodyId body, const char *name, const double *wanted, int components, double tolerance)
{
    for (int nodes = 0; nodes < 2; nodes++) {
        int count;
        double *values = field_of(w, body, name, nodes, &count);
        for (int i = 0; i < count; i++)
            if (!(fabs(values[i] - wanted[i % components]) <= tolerance))
                fail_msg("%s[%d] is %.12g, not %.12g", name, i, values[i], wanted[i % components]);
        assert_true(count > components && count % components == 0);
        free(values);
    }
}

/* ---- a bar ---- */

static void a_drawn_bar(void **state)
{
    (void)state;
    vvError error = { 0 };
    const double stretch = 1.08, ex = 0.5 * (stretch * stretch - 1), engineering = 2e5 * stretch * ex, ey = -0.3 * ex,
                 across = sqrt(1 + 2 * ey), cauchy = engineering / (across * across);
    vvWorldDef d = free_def("backward-euler", 0.02, 1e-12);
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("stvk", 2e5);
    def.material.poisson = 0.3;
    vvBodyId body = add_box_def(w, (double[]){ 0.4, 0.2, 0.2 }, (int[]){ 4, 2, 2 }, 6, &def);
    vvAttachId ids[3] = { held(w, body, slab(0, -1, -0.199), VV_AXIS_X), held(w, body, slab(1, -1, -0.099), VV_AXIS_Y),
                          held(w, body, slab(2, -1, -0.099), VV_AXIS_Z) };
    vvAttachDef pull = vvDefaultAttachDef();
    pull.kind = VV_ATTACH_TRACTION, pull.load[0] = engineering, pull.where = slab(0, 0.199, 1);
    attach(w, body, &pull);
    assert_ok(vvWorldSettle(w, true, NULL, &error));
    const double t = 1e-6 * cauchy;
    all_are(w, body, "stress", (double[]){ cauchy, 0, 0, 0, 0, 0 }, 6, t);
    all_are(w, body, "von-mises", &cauchy, 1, t);
    all_are(w, body, "principal", (double[]){ cauchy, 0, 0 }, 3, t);
    all_are(w, body, "strain", (double[]){ ex, ey, ey, 0, 0, 0 }, 6, 1e-7);
    all_are(w, body, "energy-density", (double[]){ 0.5 * 2e5 * ex * ex }, 1, 1e-2);
    all_are(w, body, "det-f", (double[]){ stretch * across * across }, 1, 1e-7);
    double force[3], moment[3];
    assert_int_equal(vvWorldAttachmentCount(w), 4);
    vvAttachSummary s = vvWorldAttachment(w, 2);
    assert_true(s.attach.index1 == ids[2].index1 && s.kind == VV_ATTACH_ROLLER && s.nodeCount == 15 && !s.released);
    assert_true(s.body.index1 == body.index1 && vvWorldAttachment(w, 4).attach.index1 == 0);
    assert_ok(vvAttachReaction(w, ids[0], force, moment, &error));
    assert_near(force[0], -engineering * 0.04, 1e-6 * engineering * 0.04);
    assert_true(force[1] == 0 && force[2] == 0 && fabs(moment[0]) == 0);
    for (int i = 1; i < 3; i++) {
        assert_ok(vvAttachReaction(w, ids[i], force, NULL, &error));
        assert_near(force[i], 0, 1e-6 * engineering * 0.04);
    }
    vvWorldDestroy(w);
}

/* ---- balance ---- */

static void sum_of(const double *f, int count, double sum[3])
{
    sum[0] = sum[1] = sum[2] = 0;
    for (int i = 0; i < 3 * count; i++)
        sum[i % 3] += f[i];
}

/* All terms of a hanging, loaded bar: at each node they sum up to nothing, settled and while it swings; the reactions
 * of its supports and springs carry weight and loads. */
static void everything_is_in_balance(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-12);
    d.gravity[1] = -9.8;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("stable-neo-hookean", 2e5);
    def.material.damping = (vvDampingDef){ .drag = 0.5, .rayleigh = 0.002 };
    vvBodyId body = add_box_def(w, (double[]){ 0.4, 0.2, 0.2 }, (int[]){ 4, 2, 2 }, 6, &def);
    vvAttachDef spring = vvDefaultAttachDef(), pressure = vvDefaultAttachDef(), slope = vvDefaultAttachDef(),
                force = pressure;
    spring.kind = VV_ATTACH_SPRING, spring.stiffness = 100, spring.where = slab(0, 0.199, 1);
    pressure.kind = VV_ATTACH_PRESSURE, pressure.pressure = 300, pressure.follows = true,
    pressure.where = slab(1, 0.099, 1);
    force.kind = VV_ATTACH_FORCE, force.load[2] = 5;
    slope.kind = VV_ATTACH_ROLLER, slope.normal[0] = 1, slope.normal[1] = 3, slope.where = slab(1, -1, -0.099);
    vvAttachId ids[6];
    ids[0] = held(w, body, slab(0, -1, -0.199), 0);
    assert_ok(vvBodyAttach(w, body, &slope, ids + 1, &error));
    ids[2] = held(w, body, slab(2, -1, -0.099), VV_AXIS_Z | VV_AXIS_Y);
    assert_ok(vvBodyAttach(w, body, &spring, ids + 3, &error));
    assert_ok(vvBodyAttach(w, body, &pressure, ids + 4, &error));
    assert_ok(vvBodyAttach(w, body, &force, ids + 5, &error));
    const int n = vvWorldNodeCount(w);
    double *sum = malloc(3 * (size_t)n * sizeof *sum), *term = malloc(3 * (size_t)n * sizeof *term);
    for (int round = 0; round < 2; round++) {
        if (round == 0)
            steps(w, 3);
        else
            assert_ok(vvWorldSettle(w, true, NULL, &error));
        memset(sum, 0, 3 * (size_t)n * sizeof *sum);
        double total[3], weight = 0, support[3] = { 0 };
        for (int k = 0; vvForceTermInfo(k); k++) {
            assert_ok(vvWorldForces(w, vvForceTermInfo(k)->name, term, &error));
            for (int i = 0; i < 3 * n; i++)
                sum[i] += term[i];
        }
        /* a pressure that follows is, while it moves, where the step's middle was expected */
        for (int i = 0; i < 3 * n; i++)
            assert_near(sum[i], 0, round ? 2e-4 : 5e-2);
        for (int i = 0; i < n; i++)
            weight += 9.8 * vvWorldMasses(w)[i];
        for (int k = 0; round && k < 6; k++) {
            double f[3];
            assert_ok(vvAttachReaction(w, ids[k], f, NULL, &error));
            for (int c = 0; c < 3; c++)
                support[c] += f[c];
        }
        if (round)
            for (int c = 0; c < 3; c++)
                assert_near(support[c], c == 1 ? weight : 0, 1e-3);
        int count;
        double *reaction = field_of(w, body, "reaction", false, &count),
               *load = field_of(w, body, "load", false, &count);
        assert_int_equal(count, 3 * n);
        sum_of(reaction, n, total);
        for (int c = 0; round && c < 3; c++)
            support[c] = total[c];
        sum_of(load, n, total);
        for (int c = 0; round && c < 3; c++)
            assert_near(support[c] + total[c], c == 1 ? weight : 0, 1e-3);
        free(reaction);
        free(load);
    }
    free(sum);
    free(term);
    vvWorldDestroy(w);
}

/* ---- contact ---- */

/* A block that sticks to a slope: contact bears its weight across, friction along; the pressure, by area, is the
 * weight's on the mean. */
static void a_block_on_a_slope(void **state)
{
    (void)state;
    static const char *const models[] = { "barrier", "springs", "constraint" };
    for (int m = 0; m < 3; m++) {
        vvWorldDef d = vvDefaultWorldDef();
        vvError error = { 0 };
        d.gravity[0] = 2, d.gravity[1] = -9.5;
        d.timeStep = 0.01, d.threads = 1;
        d.integrator.groundMode = VV_GROUND_NONE;
        d.solver.tolerance = 1e-9;
        d.contact.model = models[m], d.contact.friction = 0.5, d.contact.frictionWhen = "solve";
        d.contact.frictionIterations = VV_FRICTION_CONVERGED, d.contact.frictionTolerance = 1e-6;
        vvWorld *w = new_world(&d);
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material("stable-neo-hookean", 2e5);
        def.material.damping.rayleigh = 0.05;
        def.translate[1] = 0.0505;
        vvBodyId body = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 6, &def);
        obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0.5);
        steps(w, 250);
        int count;
        double *contact = field_of(w, body, "contact-force", false, &count),
               *friction = field_of(w, body, "friction-force", false, &count),
               *pressure = field_of(w, body, "contact-pressure", false, &count), sum[3], along[3], area = 0, mean = 0;
        sum_of(contact, count, sum);
        sum_of(friction, count, along);
        /* 1 kg */
        assert_near(sum[1], 9.5, 0.02);
        assert_near(sum[0], 0, 0.02);
        assert_near(along[0], -2, 0.02);
        for (int i = 0; i < count; i++)
            if (pressure[i] > 0)
                mean += pressure[i] / 9 * 0.01, area += 1;
        assert_true(area == 9); /* the lower side's vertices; corners have less of the side, and their own sides */
        assert_true(mean > 0.5 * 9.5 && mean < 2 * 9.5);
        (void)error;
        free(contact);
        free(friction);
        free(pressure);
        vvWorldDestroy(w);
    }
}

/* ---- a thick ring under pressure ---- */

/* A quarter of a ring, between two planes of symmetry, plane strain, with `cells` across its wall. Errors of the inner
 * radius's growth and of the mean hoop stress, relative to Lame's. */
static void ring(int cells, double *growth, double *hoop)
{
    vvError error = { 0 };
    const double inner = 0.1, outer = 0.2, p = 20, young = 1e5, nu = 0.3;
    vvWorldDef d = free_def("backward-euler", 0.05, 1e-12);
    vvWorld *w = new_world(&d);
    vvMesh mesh = { 0 };
    const double values[7] = { 1, 1, 0.05, cells, 2 * cells, 1, 6 };
    assert_ok(generate_mesh("box", values, &mesh, &error));
    int list[200], wall = 0;
    for (int i = 0; i < mesh.vertexCount; i++) {
        double *x = mesh.positions + 3 * i;
        const double r = inner + (outer - inner) * (x[0] + 0.5), angle = 0.5 * PI * (x[1] + 0.5);
        if (x[0] < -0.499)
            list[wall++] = i;
        x[0] = r * cos(angle), x[1] = r * sin(angle);
    }
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("stvk", young);
    def.material.poisson = nu;
    vvBodyId body = add_mesh(w, &mesh, &def);
    held(w, body, slab(0, -1, 1e-6), VV_AXIS_X);
    held(w, body, slab(1, -1, 1e-6), VV_AXIS_Y);
    held(w, body, (vvRegion){ .kind = VV_REGION_ALL }, VV_AXIS_Z);
    vvAttachDef press = vvDefaultAttachDef();
    press.kind = VV_ATTACH_PRESSURE, press.pressure = p;
    press.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = list, .listCount = wall };
    attach(w, body, &press);
    double *rest = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w));
    assert_ok(vvWorldSettle(w, true, NULL, &error));
    const double a = p * inner * inner / (outer * outer - inner * inner), b = a * outer * outer,
                 exact = (1 + nu) / young * ((1 - 2 * nu) * a * inner + b / inner);
    double sum = 0, off = 0;
    for (int i = 0; i < wall; i++) {
        const double *x = vvWorldPositions(w) + 3 * list[i], *x0 = rest + 3 * list[i];
        sum += (hypot(x[0], x[1]) - hypot(x0[0], x0[1])) / wall;
    }
    int count;
    double *stress = field_of(w, body, "principal", false, &count);
    vvBodyElements e;
    vvBodyGetElements(w, body, &e);
    for (int t = 0; t < e.tetCount; t++) { /* at its centre the largest stress is the hoop's, a + b / r^2 */
        double x[2] = { 0, 0 };
        for (int k = 0; k < 8; k++)
            x[k % 2] += 0.25 * rest[3 * e.tets[4 * t + k / 2] + k % 2];
        off += fabs(stress[3 * t] - a - b / (x[0] * x[0] + x[1] * x[1])) / e.tetCount;
    }
    *growth = fabs(sum / exact - 1), *hoop = off / (a + b / inner / inner);
    free(stress);
    free(rest);
    vvWorldDestroy(w);
}

static void lame(void **state)
{
    (void)state;
    double growth[3], hoop[3];
    for (int i = 0; i < 3; i++)
        ring(3 << i, growth + i, hoop + i);
    assert_less(growth[1], 0.45 * growth[0]); /* of second order */
    assert_less(growth[2], 0.4 * growth[1]);
    assert_less(growth[2], 0.01);
    assert_less(hoop[1], 0.6 * hoop[0]); /* of first order */
    assert_less(hoop[2], 0.6 * hoop[1]);
    assert_less(hoop[2], 0.04);
}

/* ---- wrong ---- */

static void refusals(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-8);
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material("stvk", 1e4);
    vvBodyId body = add_cube(w, 0.1, 1, &m);
    double x[6] = { 0, 0, 0, 0.1, 0, 0 }, room[3];
    int edge[2] = { 0, 1 }, count;
    m = material("hooke", 1e4);
    vvBodyId line = add_edges(w, 2, x, 1, edge, &m);
    assert_int_equal(vvBodyField(w, body, "stresses", false, NULL, 0, NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "von-mises"));
    assert_int_equal(vvBodyField(w, (vvBodyId){ 9, 9 }, "stress", false, NULL, 0, NULL, &error), VV_ERROR_INPUT);
    assert_int_equal(vvBodyField(w, line, "stress", false, NULL, 0, NULL, &error), VV_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "tets"));
    assert_int_equal(vvBodyField(w, body, "stress", false, room, 3, &count, &error), VV_ERROR_INPUT);
    assert_int_equal(count, 6 * 6);
    assert_ok(vvBodyField(w, line, "displacement", true, NULL, 0, &count, &error));
    assert_int_equal(count, 6);
    assert_int_equal(vvWorldForces(w, "wind", room, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "elastic"));
    assert_int_equal(vvAttachReaction(w, (vvAttachId){ 4, 4 }, room, NULL, &error), VV_ERROR_INPUT);
    vvAttachDef def = vvDefaultAttachDef();
    def.kind = VV_ATTACH_POTENTIAL, def.potential = "harmonic";
    vvAttachId id;
    assert_ok(vvBodyAttach(w, body, &def, &id, &error));
    assert_int_equal(vvAttachReaction(w, id, room, NULL, &error), VV_ERROR_UNSUPPORTED);
    assert_null(vvFieldInfo(-1));
    assert_null(vvForceTermInfo(-1));
    vvWorldDestroy(w);
}

/* ---- a stiff block on a plane ---- */

/* Of an affine body: its weight, at the vertices of its surface that are below; pressure by the area around each. */
static void a_stiff_block(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-9);
    d.gravity[1] = -9.8;
    d.contact.model = "barrier", d.contact.distance = 1e-4;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("affine", 1e8);
    def.translate[1] = 0.0501;
    const vvBodyId body = add_box_def(w, (double[]){ 0.2, 0.1, 0.1 }, (int[]){ 4, 2, 2 }, 6, &def);
    obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0);
    assert_ok(vvWorldSettle(w, true, NULL, &error));
    vvBodySurface surface;
    vvBodyGetSurface(w, body, &surface);
    const double weight = 9.8 * 1000 * 0.2 * 0.1 * 0.1;
    int count;
    double *f = field_of(w, body, "surface-force", false, &count), *x = malloc((size_t)count * sizeof *x), sum = 0,
           bottom = 0;
    assert_int_equal(count, 3 * surface.vertexCount);
    assert_ok(vvBodySurfacePositions(w, body, NULL, x, &error));
    double *p = field_of(w, body, "surface-pressure", true, &count);
    for (int v = 0; v < surface.vertexCount; v++) {
        assert_true(x[3 * v + 1] < 1e-3 ? f[3 * v + 1] > 0 && p[v] > 0 : f[3 * v + 1] == 0 && p[v] == 0);
        assert_true(fabs(f[3 * v]) <= 1e-9 * weight && fabs(f[3 * v + 2]) <= 1e-9 * weight);
        sum += f[3 * v + 1];
        bottom += p[v] > 0 ? f[3 * v + 1] / p[v] : 0;
    }
    assert_near(sum, weight, 1e-6 * weight);
    assert_near(bottom, 0.2 * 0.1, 1e-5); /* each has its part of the area below */
    free(f), free(p), free(x);
    const vvMaterialDef m = material("stvk", 1e5);
    const vvBodyId cube = add_cube(w, 0.1, 1, &m);
    assert_int_equal(vvBodyField(w, cube, "surface-force", false, NULL, 0, NULL, &error), VV_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "surfaces that are carried and collide"));
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drawn_bar),
        cmocka_unit_test(everything_is_in_balance),
        cmocka_unit_test(a_block_on_a_slope),
        cmocka_unit_test(a_stiff_block),
        cmocka_unit_test(lame),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
