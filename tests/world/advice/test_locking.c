/* The warning of linear tets that lock: which bodies it names, and that others are left in peace. */
#include "world_support.h"

typedef struct heard {
    int count;
    char text[1000];
} heard;

static void hear(void *user, vvLogLevel level, const char *message)
{
    heard *h = user;
    if (level != VV_LOG_WARNING)
        return;
    h->count++;
    snprintf(h->text, sizeof h->text, "%s", message);
}

/* A beam of n cells through its thickness, turned, `length` times as long, with an attachment of that kind; some of its
 * first tets are flattened to `flat` of an edge. */
static heard of_material(int n, double length, double poisson, bool mean, vvAttachKind kind, double flat)
{
    heard h = { .count = 0 };
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-6);
    d.host.log.write = hear, d.host.log.user = &h;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.name = "beam";
    def.material = material("stable-neo-hookean", 1e5);
    def.material.poisson = poisson, def.material.meanDilatation = mean;
    def.rotate[0] = 30, def.rotate[1] = 40, def.rotate[2] = -20;
    const double size[3] = { 0.1, 0.1 * length, 0.12 };
    const double values[7] = { size[0], size[1], size[2], n, floor(n * length), n, 6 };
    vvMesh mesh = { 0 };
    assert_ok(generate_mesh("box", values, &mesh, &error));
    for (int v = 0; v < mesh.vertexCount; v++) { /* the outermost cells along the beam */
        double *y = &mesh.positions[3 * v + 1];
        if (flat < 1 && *y > 0.5 * size[1] - 1e-9)
            *y -= (1 - flat) * 0.1 / n;
    }
    vvBodyId body = add_mesh(w, &mesh, &def);
    vvAttachDef a = vvDefaultAttachDef();
    a.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = (int[]){ 0, 1, 2 }, .listCount = 3 };
    a.kind = kind;
    a.axes = kind == VV_ATTACH_ROLLER ? VV_AXIS_X : 0;
    a.load[0] = kind == VV_ATTACH_FORCE;
    attach(w, body, &a);
    assert_ok(vvWorldBake(w, &error));
    for (int i = 0; i < 2; i++)
        step(w);
    a.where.list = (int[]){ 3, 4, 5 };
    attach(w, body, &a); /* baked anew: said once */
    assert_ok(vvWorldBake(w, &error));
    vvWorldDestroy(w);
    return h;
}

static heard of_flattened(int n, double length, double poisson, vvAttachKind kind, double flat)
{
    return of_material(n, length, poisson, false, kind, flat);
}

static heard of_beam(int n, double length, double poisson, vvAttachKind kind)
{
    return of_flattened(n, length, poisson, kind, 1);
}

/* A body of that mesh, which is taken, with a force on all of it. */
static heard of_loaded(const char *name, vvMesh *mesh)
{
    heard h = { .count = 0 };
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-6);
    d.host.log.write = hear, d.host.log.user = &h;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.name = name;
    def.material = material("stable-neo-hookean", 1e5);
    vvBodyId body = add_mesh(w, mesh, &def);
    vvAttachDef a = vvDefaultAttachDef();
    a.kind = VV_ATTACH_FORCE;
    a.load[0] = 1;
    attach(w, body, &a);
    assert_ok(vvWorldBake(w, &error));
    vvWorldDestroy(w);
    return h;
}

/* A beam of n cells through its thickness of 0.1 m, bent to half a ring 1 m across: its box is half as thick as long.
 */
static heard of_arch(int n)
{
    vvError error = { 0 };
    vvMesh mesh = { 0 };
    assert_ok(generate_mesh("box", (double[]){ 0.1, 1.5, 0.8, n, 16 * n, 8 * n, 6 }, &mesh, &error));
    for (int v = 0; v < mesh.vertexCount; v++) {
        double *x = mesh.positions + 3 * v, radius = 0.5 + x[0], angle = x[1] / 0.5;
        x[0] = radius * cos(angle), x[1] = radius * sin(angle);
    }
    return of_loaded("arch", &mesh);
}

/* Walls are measured where they are. */
static void walls(void **state)
{
    (void)state;
    const heard thin = of_arch(2), thick = of_arch(4);
    assert_int_equal(thin.count, 1);
    assert_non_null(strstr(thin.text, "\"arch\" is 2"));
    assert_int_equal(thick.count, 0);
}

static void which_are_told(void **state)
{
    (void)state;
    const vvAttachKind kinds[2] = { VV_ATTACH_FORCE, VV_ATTACH_ROLLER };
    for (int k = 0; k < 2; k++)
        for (int n = 1; n <= 4; n++) {
            heard h = of_beam(n, 6, 0.3, kinds[k]);
            char words[32];
            snprintf(words, sizeof words, "is %d tets thick", n);
            assert_int_equal(h.count, n < 4);
            assert_true(n == 4 || (strstr(h.text, "\"beam\"") && strstr(h.text, words)));
        }
    assert_int_equal(of_beam(2, 3, 0.3, VV_ATTACH_FORCE).count, 0); /* too thick to bend */
    assert_int_equal(of_beam(2, 6, 0.3, VV_ATTACH_SPRING).count, 0);
    heard h = of_beam(2, 3, 0.45, VV_ATTACH_FORCE);
    assert_true(h.count == 1 && strstr(h.text, "Poisson's ratio 0.45"));
    assert_true(strstr(h.text, "\"order\": 2") && strstr(h.text, "mean_dilatation")); /* the remedies */
    assert_int_equal(of_material(2, 3, 0.45, true, VV_ATTACH_FORCE, 1).count, 0);
    assert_int_equal(of_material(2, 6, 0.45, true, VV_ATTACH_FORCE, 1).count, 1); /* it still bends too stiffly */
    assert_int_equal(of_beam(2, 3, 0.4, VV_ATTACH_FORCE).count, 0);
    h = of_flattened(2, 3, 0.3, VV_ATTACH_FORCE, 0.04); /* a sixth of its cells */
    assert_true(h.count == 1 && strstr(h.text, "24 of the 144 tets of body \"beam\" are flat"));
    assert_int_equal(of_flattened(2, 3, 0.3, VV_ATTACH_FORCE, 0.2).count, 0);
    assert_int_equal(of_flattened(2, 3, 0.3, VV_ATTACH_SPRING, 0.04).count, 0);
}

/* A block of n cells across, with a fin on it of as many, 1 m long, half as high and a tenth as thick. */
static heard of_fin(int n)
{
    vvError error = { 0 };
    vvMesh mesh = { 0 };
    assert_ok(generate_mesh("box", (double[]){ 1, 1, 1, n, 8, 8, 6 }, &mesh, &error));
    for (int v = 0; v < mesh.vertexCount; v++)
        if (mesh.positions[3 * v + 1] > 0.01)
            mesh.positions[3 * v] *= 0.1;
    return of_loaded("finned", &mesh);
}

static void fins(void **state)
{
    (void)state;
    const heard thin = of_fin(2), thick = of_fin(4);
    assert_int_equal(thin.count, 1);
    assert_non_null(strstr(thin.text, "a part of body \"finned\" is 2"));
    assert_null(strstr(thick.text, "tets thick")); /* some of those between fin and block are flat */
}

/* A beam of two cells held at one end, with nothing but its weight to bear. */
static heard in_its_weight(double young, double gravity, double speed)
{
    heard h = { .count = 0 };
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-6);
    d.gravity[1] = -gravity;
    d.host.log.write = hear, d.host.log.user = &h;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.name = "beam";
    def.material = material("stable-neo-hookean", young);
    vvMesh mesh = { 0 };
    assert_ok(generate_mesh("box", (double[]){ 1, 0.1, 0.1, 20, 2, 2, 6 }, &mesh, &error));
    vvBodyId body = add_mesh(w, &mesh, &def);
    vvAttachDef a = vvDefaultAttachDef();
    a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 0, 0 }, .b = { 0, 100, 100 } };
    a.motion.linearVelocity[0] = speed;
    attach(w, body, &a);
    assert_ok(vvWorldBake(w, &error));
    vvWorldDestroy(w);
    return h;
}

/* 1.5 rho g L^4/(E t^2) is 0.15 L at 1e7 Pa. */
static void parts_in_their_weight(void **state)
{
    (void)state;
    assert_int_equal(in_its_weight(1e8, 9.8, 0).count, 1);
    assert_int_equal(in_its_weight(1e7, 9.8, 0).count, 0); /* soft: it may be a toy */
    assert_int_equal(in_its_weight(1e8, 0, 0).count, 0);
    assert_int_equal(in_its_weight(1e8, 9.8, 1).count, 0); /* driven about */
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(which_are_told), cmocka_unit_test(walls),
                                        cmocka_unit_test(fins), cmocka_unit_test(parts_in_their_weight) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
