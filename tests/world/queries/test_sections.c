/* Forces and moments across sections of rods and shells against statics and closed forms. */
#include "visviva/field.h"
#include "world_support.h"

static const double EI = 2.5, EA = 4e4, POISSON = 0.3;

/* Young's modulus and diameter that have EI and EA. */
static double diameter(void) { return 4 * sqrt(EI / EA); }
static double young(void) { return EA / (PI / 4 * diameter() * diameter()); }

static double *field_of(vvWorld *w, vvBodyId body, const char *name, bool nodes, int *count)
{
    vvError error = { 0 };
    assert_ok(vvBodyField(w, body, name, nodes, NULL, 0, count, &error));
    double *values = malloc(((size_t)*count + 1) * sizeof *values);
    assert_non_null(values);
    assert_ok(vvBodyField(w, body, name, nodes, values, *count, NULL, &error));
    return values;
}

static vvBodyId add_two(vvWorld *w, const char *generator, const double *values, const char *first, const char *second,
                        const vvBodyDef *given)
{
    vvError error = { 0 };
    vvMesh mesh = { 0 };
    vvBodyDef def = *given;
    vvMaterialDef more;
    assert_ok(generate_mesh(generator, values, &mesh, &error));
    def.material.model = first;
    more = def.material;
    more.model = second ? second : first;
    def.moreMaterials = &more, def.moreMaterialCount = second != NULL;
    return add_mesh(w, &mesh, &def);
}

static vvBodyDef rod_def(bool flat)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material.young = young(), def.material.poisson = POISSON, def.material.density = 1000;
    def.material.flat = flat;
    def.thickness = diameter();
    return def;
}

static void hold(vvWorld *w, vvBodyId id, int *nodes, int count, bool clamp)
{
    vvAttachDef a = vvDefaultAttachDef();
    a.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = nodes, .listCount = count };
    a.clamp = clamp;
    attach(w, id, &a);
}

static void push_end(vvWorld *w, vvBodyId id, int vertex, const double force[3])
{
    vvAttachDef a = vvDefaultAttachDef();
    a.kind = VV_ATTACH_FORCE;
    a.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = &vertex, .listCount = 1 };
    memcpy(a.load, force, sizeof a.load);
    attach(w, id, &a);
}

/* A rod that hangs from its first vertex bears at each edge what hangs below it. */
static void hanging(void **state)
{
    static const char *const kinds[][2] = { { "rod-stretch", "rod" },
                                            { "rod-stretch", "rod-bending" },
                                            { "hooke", NULL } };
    enum { EDGES = 10 };
    (void)state;
    for (int k = 0; k < 3; k++) {
        vvError error = { 0 };
        vvWorldDef d = free_def("backward-euler", 1e-2, 1e-10);
        d.gravity[0] = 9.81;
        vvWorld *w = new_world(&d);
        vvBodyDef def = rod_def(false);
        def.material.springStiffness = 1e6;
        vvBodyId id = add_two(w, "chain", (double[]){ 1, EDGES + 1 }, kinds[k][0], kinds[k][1], &def);
        hold(w, id, (int[]){ 0 }, 1, false);
        assert_ok(vvWorldSettle(w, true, NULL, &error));
        int count, nodes;
        double *n = field_of(w, id, "axial-force", false, &count), *v = field_of(w, id, "axial-force", true, &nodes),
               *f = field_of(w, id, "section-force", false, &nodes), below = 0;
        assert_true(count == EDGES && nodes == 3 * EDGES);
        const double *mass = vvWorldMasses(w);
        const bool directors = vvWorldNodeCount(w) > EDGES + 1;
        for (int e = EDGES - 1; e >= 0; e--) {
            below += 9.81 * (mass[e + 1] + (directors ? 0.5 * mass[EDGES + 1 + e] : 0));
            assert_near(n[e], below, 1e-5 * below);
            assert_near(f[3 * e], below, 1e-5 * below);
            assert_near(f[3 * e + 1], 0, 1e-5 * below);
            below += directors ? 9.81 * 0.5 * mass[EDGES + 1 + e] : 0;
        }
        assert_near(v[EDGES / 2], 0.5 * (n[EDGES / 2 - 1] + n[EDGES / 2]), 1e-9 * below);
        assert_near(n[0], 9.81 * 0.95 * 1000 * PI / 4 * diameter() * diameter(), k < 2 ? 1e-3 * n[0] : INFINITY);
        free(n), free(v), free(f);
        vvWorldDestroy(w);
    }
}

/* A force F at a cantilever's end: F in each section, and at each vertex a moment of F by its arm, also bent far. */
static void cantilever(void **state)
{
    static const char *const kinds[] = { "rod", "rod-bending" };
    enum { EDGES = 20 };
    (void)state;
    for (int k = 0; k < 2; k++) {
        vvError error = { 0 };
        const double force[3] = { 0.5, -3, 1 };
        vvWorldDef d = free_def("backward-euler", 1e-2, 1e-10);
        vvWorld *w = new_world(&d);
        const vvBodyDef def = rod_def(false);
        vvBodyId id = add_two(w, "chain", (double[]){ 1, EDGES + 1 }, "rod-stretch", kinds[k], &def);
        hold(w, id, (int[]){ 0, 1 }, 2, k == 0);
        push_end(w, id, EDGES, force);
        assert_ok(vvWorldSettle(w, true, NULL, &error));
        int count;
        double *f = field_of(w, id, "section-force", false, &count), *n = field_of(w, id, "axial-force", false, &count),
               *q = field_of(w, id, "shear-force", false, &count),
               *m = field_of(w, id, "section-moment", false, &count),
               *b = field_of(w, id, "bending-moment", true, &count), *t = field_of(w, id, "torque", false, &count);
        assert_int_equal(count, EDGES + 1);
        const double *x = vvWorldPositions(w), *tip = x + 3 * EDGES;
        assert_true(distance3(tip, (double[]){ 0.5, 0, 0 }) > 0.2);
        for (int e = 1; e < EDGES; e++) {
            assert_near(distance3(f + 3 * e, force), 0, 1e-6);
            assert_near(n[e] * n[e] + q[e] * q[e], norm3(force) * norm3(force), 1e-5);
            const double arm[3] = { tip[0] - x[3 * e], tip[1] - x[3 * e + 1], tip[2] - x[3 * e + 2] },
                         turn[3] = { arm[1] * force[2] - arm[2] * force[1], arm[2] * force[0] - arm[0] * force[2],
                                     arm[0] * force[1] - arm[1] * force[0] };
            assert_near(distance3(m + 3 * e, turn), 0, 1e-5 * norm3(turn) + 1e-7);
            assert_near(b[e], norm3(turn), 1e-4);
            assert_near(t[e], 0, 1e-6); /* nothing twists in a plane */
        }
        assert_true(b[1] > 1.8 && b[1] < norm3(force)); /* M = F (L - x), less as the tip swings in */
        for (int i = 0; i < 3; i++)
            assert_true(f[i] == 0 && m[i] == 0 && m[3 * EDGES + i] == 0); /* in the clamp; the free end */
        free(f), free(n), free(q), free(m), free(b), free(t);
        vvWorldDestroy(w);
    }
}

/* Directors turned in equal steps: the torque is G J by the angle a length, whichever way the mesh runs. */
static void twisted(void **state)
{
    enum { EDGES = 12 };
    (void)state;
    const double angle = 1.5, gj = EI / (1 + POISSON);
    for (int side = -1; side <= 1; side += 2) {
        vvError error = { 0 };
        vvWorldDef d = free_def("backward-euler", 1e-2, 1e-10);
        vvWorld *w = new_world(&d);
        const vvBodyDef def = rod_def(false);
        vvBodyId id = add_two(w, "chain", (double[]){ 1, EDGES + 1 }, "rod-stretch", "rod", &def);
        assert_ok(vvWorldBake(w, &error));
        double *x = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w)),
               *v = calloc(3 * (size_t)vvWorldNodeCount(w), sizeof *v);
        for (int e = 0; e < EDGES; e++) {
            double *u = x + 3 * (EDGES + 1 + e);
            const double a = side * angle * e / (EDGES - 1), y = u[1], z = u[2]; /* about +x */
            u[1] = cos(a) * y - sin(a) * z, u[2] = sin(a) * y + cos(a) * z;
        }
        assert_ok(vvWorldSetState(w, x, v, &error));
        int count;
        double *t = field_of(w, id, "torque", false, &count), *m = field_of(w, id, "section-moment", false, &count);
        const double wanted = side * gj * angle / (1 - 1.0 / EDGES);
        for (int n = 1; n < EDGES; n++) {
            assert_near(t[n], wanted, 1e-9 * fabs(wanted));
            assert_near(m[3 * n], wanted, 1e-9 * fabs(wanted));
        }
        free(t), free(m), free(x), free(v);
        vvWorldDestroy(w);
    }
}

/* A ring of what was straight, blown up by 1%: the same pull and the same moment everywhere, also where it closes. */
static void ring(void **state)
{
    enum { EDGES = 24 };
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 1e-2, 1e-10);
    vvWorld *w = new_world(&d);
    const vvBodyDef def = rod_def(true);
    vvBodyId id = add_two(w, "ring", (double[]){ 0.5, EDGES }, "rod-stretch", "rod-bending", &def);
    assert_ok(vvWorldBake(w, &error));
    double *x = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w)),
           *v = calloc(3 * (size_t)vvWorldNodeCount(w), sizeof *v);
    for (int i = 0; i < 3 * EDGES; i++)
        x[i] *= 1.01;
    assert_ok(vvWorldSetState(w, x, v, &error));
    int count;
    double *n = field_of(w, id, "axial-force", false, &count), *f = field_of(w, id, "section-force", true, &count),
           *m = field_of(w, id, "section-moment", false, &count), *t = field_of(w, id, "torque", false, &count),
           *b = field_of(w, id, "bending-moment", false, &count);
    const double turn = 2 * PI / EDGES, length = 2 * 0.5 * sin(0.5 * turn);
    /* B = EI/l, E = B/2 |kb|^2, kb = 2 tan(turn/2): by the turn, B kb/cos^2(turn/2) */
    const double moment = EI / length * 2 * tan(0.5 * turn) / pow(cos(0.5 * turn), 2);
    assert_near(moment, EI / 0.5, 0.03 * moment);
    for (int i = 0; i < EDGES; i++) {
        assert_near(n[i], EA * 0.01, 1e-6 * EA * 0.01);
        assert_near(b[i], moment, 1e-9 * moment);
        assert_near(m[3 * i + 1], m[1], 1e-9 * moment); /* one way round */
        assert_near(fabs(m[3 * i + 1]), moment, 1e-9 * moment);
        assert_near(t[i], 0, 1e-9);
        assert_near(norm3(f + 3 * i), EA * 0.01, 0.01 * EA * 0.01);
        const double along = (f[3 * i] * x[3 * i + 2] - f[3 * i + 2] * x[3 * i]), first = f[0] * x[2] - f[2] * x[0];
        assert_near(along, first, 1e-6 * fabs(first));
    }
    free(n), free(f), free(m), free(t), free(b), free(x), free(v);
    vvWorldDestroy(w);
}

/* ---- shells ---- */

static vvBodyDef shell_def(void)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material.young = 1e6, def.material.poisson = POISSON, def.material.thickness = 5e-3;
    def.material.density = 1000;
    return def;
}

/* x = F X, turned out of its plane: the tensor of St. Venant-Kirchhoff in plane stress, and no moment. */
static void stretched(void **state)
{
    (void)state;
    const double f[2][2] = { { 1.1, 0.15 }, { -0.05, 0.95 } }, tilt = 0.7;
    for (int pattern = 0; pattern < 4; pattern++) {
        vvError error = { 0 };
        vvWorldDef d = free_def("backward-euler", 1e-2, 1e-8);
        vvWorld *w = new_world(&d);
        const vvBodyDef def = shell_def();
        vvBodyId id = add_two(w, "sheet", (double[]){ 0.4, 0.3, 0.1, pattern, 1 }, "stvk-membrane", "hinge", &def);
        assert_ok(vvWorldBake(w, &error));
        double *x = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w)),
               *v = calloc(3 * (size_t)vvWorldNodeCount(w), sizeof *v);
        for (int i = 0; i < vvWorldNodeCount(w); i++) { /* in the plane of x and z, then about x */
            const double a = x[3 * i], b = x[3 * i + 2], y = f[1][0] * a + f[1][1] * b;
            x[3 * i] = f[0][0] * a + f[0][1] * b, x[3 * i + 1] = sin(tilt) * y, x[3 * i + 2] = cos(tilt) * y;
        }
        assert_ok(vvWorldSetState(w, x, v, &error));
        const double mu = 1e6 / (2 * 1.3), lambda = 1e6 * 0.3 / (1 - 0.09), j = f[0][0] * f[1][1] - f[0][1] * f[1][0];
        double e[2][2], s[2][2], n[2][2] = { { 0 } };
        for (int i = 0; i < 4; i++)
            e[i / 2][i % 2] = 0.5 * (f[0][i / 2] * f[0][i % 2] + f[1][i / 2] * f[1][i % 2] - (i % 3 == 0));
        for (int i = 0; i < 4; i++)
            s[i / 2][i % 2] = 5e-3 * (2 * mu * e[i / 2][i % 2] + (i % 3 == 0 ? lambda * (e[0][0] + e[1][1]) : 0));
        for (int i = 0; i < 16; i++)
            n[i / 8][i / 4 % 2] += f[i / 8][i / 2 % 2] * s[i / 2 % 2][i % 2] * f[i / 4 % 2][i % 2] / j;
        const double c = cos(tilt), t = sin(tilt), wanted[6] = { n[0][0],     t * t * n[1][1], c * c * n[1][1],
                                                                 t * n[0][1], t * c * n[1][1], c * n[0][1] };
        for (int nodes = 0; nodes < 2; nodes++) {
            int count;
            double *found = field_of(w, id, "membrane-force", nodes, &count),
                   *moment = field_of(w, id, "plate-moment", nodes, &count),
                   *top = field_of(w, id, "top-stress", nodes, &count);
            for (int i = 0; i < count; i++) {
                assert_near(found[i], wanted[i % 6], 1e-9 * n[0][0]);
                assert_near(moment[i], 0, 1e-9);
                assert_near(top[i], wanted[i % 6] / 5e-3, 1e-6 * n[0][0] / 5e-3);
            }
            free(found), free(moment), free(top);
        }
        free(x), free(v);
        vvWorldDestroy(w);
    }
}

static double area_of(const double *x, const int *v)
{
    double a[3], b[3];
    for (int k = 0; k < 3; k++)
        a[k] = x[3 * v[1] + k] - x[3 * v[0] + k], b[k] = x[3 * v[2] + k] - x[3 * v[0] + k];
    const double c[3] = { a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0] };
    return 0.5 * norm3(c);
}

/* The mean of a component over triangles with centres between x0 and x1. */
static double mean_of(const vvWorld *w, vvBodyId id, const double *values, int component, double x0, double x1)
{
    vvBodyElements e;
    vvBodyGetElements(w, id, &e);
    const double *x = vvWorldPositions(w);
    double sum = 0, area = 0;
    for (int t = 0; t < e.triangleCount; t++) {
        const int *v = e.triangles + 3 * t;
        const double centre = (x[3 * v[0]] + x[3 * v[1]] + x[3 * v[2]]) / 3, own = area_of(x, v);
        if (centre > x0 && centre < x1)
            sum += own * values[6 * t + component], area += own;
    }
    assert_true(area > 0);
    return sum / area;
}

/* Springs, and membranes, pulled at an end: the force by the width. */
static void pulled(void **state)
{
    static const char *const kinds[] = { "hooke", "neo-hookean-membrane" };
    (void)state;
    for (int k = 0; k < 2; k++) {
        vvError error = { 0 };
        vvWorldDef d = free_def("backward-euler", 1e-2, 1e-10);
        vvWorld *w = new_world(&d);
        vvBodyDef def = shell_def();
        def.material.springStiffness = 1e4;
        vvBodyId id = add_two(w, "sheet", (double[]){ 1, 0.4, 0.1, 1, 1 }, kinds[k], NULL, &def);
        vvAttachDef a = vvDefaultAttachDef();
        a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 0, 0 }, .b = { 0, 100, 100 } };
        attach(w, id, &a);
        a.kind = VV_ATTACH_FORCE;
        a.where.a[0] = a.where.b[0] = 100;
        a.load[0] = 20;
        attach(w, id, &a);
        assert_ok(vvWorldSettle(w, true, NULL, &error));
        int count;
        double *n = field_of(w, id, "membrane-force", false, &count), width = 0, force = 0;
        vvBodyElements e;
        vvBodyGetElements(w, id, &e);
        const double *x = vvWorldPositions(w);
        for (int t = 0; t < e.triangleCount; t++) /* of the middle tenth: area by length is the width */
            width += area_of(x, e.triangles + 3 * t);
        force = mean_of(w, id, n, 0, -0.2, 0.2);
        width /= x[3 * (e.vertexCount - 1)] - x[0];
        assert_near(force * width, 20, 0.02 * 20);
        free(n);
        vvWorldDestroy(w);
    }
}

/* A strip clamped at one end, with a force across its other: the mean moment over a piece of it is F (L - x) by its
 * width, where the side of its normals is stretched. */
static void bent_strip(void **state)
{
    static const char *const kinds[] = { "hinge", "midedge" };
    (void)state;
    for (int pattern = 0; pattern < 4; pattern++)
        for (int k = 0; k < 2; k++) {
            vvError error = { 0 };
            vvWorldDef d = free_def("backward-euler", 1e-2, 1e-10);
            vvWorld *w = new_world(&d);
            vvBodyDef def = shell_def();
            vvBodyId id = add_two(w, "sheet", (double[]){ 1, 0.2, 0.05, pattern, 1 }, "stvk-membrane", kinds[k], &def);
            vvAttachDef a = vvDefaultAttachDef();
            a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 0, 0 }, .b = { 6, 100, 100 } };
            a.clamp = k == 1;
            attach(w, id, &a);
            a.clamp = false, a.kind = VV_ATTACH_FORCE;
            a.where.a[0] = a.where.b[0] = 100;
            a.load[1] = -1e-4; /* normals are +y */
            attach(w, id, &a);
            assert_ok(vvWorldSettle(w, true, NULL, &error));
            int count;
            double *m = field_of(w, id, "plate-moment", false, &count);
            for (int i = 0; i < 3; i++) {
                const double from = -0.3 + 0.2 * i, wanted = 1e-4 * (0.5 - from - 0.1) / 0.2,
                             found = mean_of(w, id, m, 0, from, from + 0.2);
                print_message("%s, pattern %d: moment %g of %g\n", kinds[k], pattern, found, wanted);
                assert_near(found, wanted, 0.02 * 1e-4 / 0.2);
                double *top = field_of(w, id, "top-stress", false, &count),
                       *bottom = field_of(w, id, "bottom-stress", false, &count); /* 6 M/t^2 */
                assert_near(mean_of(w, id, top, 0, from, from + 0.2), 6 * found / 25e-6, 0.01 * 6 * wanted / 25e-6);
                assert_near(mean_of(w, id, bottom, 0, from, from + 0.2), -6 * found / 25e-6, 0.01 * 6 * wanted / 25e-6);
                free(top), free(bottom);
            }
            free(m);
            vvWorldDestroy(w);
        }
}

/* Vertices on a cylinder, directors where they settle: D kappa around, nu D kappa along. */
static void rolled_plate(void **state)
{
    (void)state;
    const double radius = 2, d_plate = 1e6 * pow(5e-3, 3) / (12 * (1 - POISSON * POISSON));
    for (int pattern = 0; pattern < 4; pattern++) {
        vvError error = { 0 };
        vvWorldDef d = free_def("backward-euler", 1e-2, 1e-10);
        vvWorld *w = new_world(&d);
        vvBodyDef def = shell_def();
        vvBodyId id = add_two(w, "sheet", (double[]){ 0.8, 0.8, 0.08, pattern, 1 }, "stvk-membrane", "midedge", &def);
        int first, nodes;
        vvBodyElements e;
        assert_ok(vvWorldBake(w, &error));
        vvBodyNodes(w, id, &first, &nodes);
        vvBodyGetElements(w, id, &e);
        double *x = copy_of(vvWorldPositions(w), 3 * nodes), *v = calloc(3 * (size_t)nodes, sizeof *v);
        for (int i = 0; i < nodes; i++) {
            const double a = x[3 * i] / radius, r = radius + x[3 * i + 1];
            x[3 * i] = r * sin(a), x[3 * i + 1] = r * cos(a) - radius;
        }
        assert_ok(vvWorldSetState(w, x, v, &error));
        int *list = malloc((size_t)e.vertexCount * sizeof *list);
        for (int i = 0; i < e.vertexCount; i++)
            list[i] = i;
        hold(w, id, list, e.vertexCount, false);
        assert_ok(vvWorldSettle(w, true, NULL, &error));
        int count;
        double *m = field_of(w, id, "plate-moment", false, &count);
        const double around = mean_of(w, id, m, 0, -0.2, 0.2), along = mean_of(w, id, m, 2, -0.2, 0.2);
        print_message("pattern %d: %g, %g of D kappa %g\n", pattern, around, along, d_plate / radius);
        assert_near(around, d_plate / radius, 0.03 * d_plate / radius);
        assert_near(along, POISSON * d_plate / radius, 0.06 * d_plate / radius);
        free(m), free(x), free(v), free(list);
        vvWorldDestroy(w);
    }
}

/* What has no such elements refuses by name. */
static void refused(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 1e-2, 1e-8);
    vvWorld *w = new_world(&d);
    const vvMaterialDef m = material("stvk", 1e5);
    vvBodyDef strings = rod_def(false), sheet = shell_def();
    const vvBodyId cube = add_cube(w, 0.1, 1, &m),
                   chain = add_two(w, "chain", (double[]){ 1, 5 }, "hooke", NULL, &strings),
                   cloth = add_two(w, "cloth", (double[]){ 1, 1, 2, 2 }, "stvk-membrane", NULL, &sheet);
    static const struct {
        int body;
        const char *field, *word;
    } cases[] = { { 0, "section-force", "rods and springs" },
                  { 0, "membrane-force", "shells that stretch" },
                  { 1, "section-moment", "rods that bend" },
                  { 1, "plate-moment", "shells that bend" },
                  { 2, "axial-force", "rods and springs" },
                  { 2, "plate-moment", "shells that bend" },
                  { 1, "stress", "tets" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const vvBodyId body = cases[i].body == 0 ? cube : cases[i].body == 1 ? chain : cloth;
        assert_int_equal(vvBodyField(w, body, cases[i].field, false, NULL, 0, NULL, &error), VV_ERROR_UNSUPPORTED);
        assert_non_null(strstr(error.message, cases[i].word));
    }
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hanging),    cmocka_unit_test(cantilever),   cmocka_unit_test(twisted),
        cmocka_unit_test(ring),       cmocka_unit_test(stretched),    cmocka_unit_test(pulled),
        cmocka_unit_test(bent_strip), cmocka_unit_test(rolled_plate), cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
