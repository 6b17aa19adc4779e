/* Equilibria of columns under loads: the host is told where a shape gives way, and left in peace where it does not. */
#include "world_support.h"

typedef struct heard {
    int count;
    char text[1000];
} heard;

static void hear(void *user, vvLogLevel level, const char *message)
{
    heard *h = user;
    if (level != VV_LOG_WARNING || !strstr(message, "gives way"))
        return;
    h->count++;
    snprintf(h->text, sizeof h->text, "%s", message);
}

/* 0.4 m high and 20 mm thick, clamped at its foot, with a force upwards on its head. Euler's load is pi^2 E I/(4 L^2) =
 * 0.21 N; its two tets across bend twice as stiffly. */
static heard column(double force)
{
    heard h = { .count = 0 };
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 1.0 / 30, 1e-4);
    d.host.log.write = hear, d.host.log.user = &h;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("neo-hookean", 1e6);
    vvMesh mesh = { 0 };
    assert_ok(generate_mesh("box", (double[]){ 0.02, 0.4, 0.02, 2, 20, 2, 6 }, &mesh, &error));
    vvBodyId body = add_mesh(w, &mesh, &def);
    vvAttachDef a = vvDefaultAttachDef();
    a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 0, 0 }, .b = { 100, 0, 100 } };
    attach(w, body, &a);
    a.kind = VV_ATTACH_FORCE;
    a.where.a[1] = a.where.b[1] = 100;
    a.load[1] = force;
    attach(w, body, &a);
    assert_ok(vvWorldSettle(w, true, NULL, &error));
    vvWorldDestroy(w);
    return h;
}

static void test_column(void **state)
{
    (void)state;
    const heard h = column(-1);
    assert_int_equal(h.count, 1);
    assert_non_null(strstr(h.text, "smaller load"));
    assert_int_equal(column(-0.1).count, 0);
    assert_int_equal(column(1).count, 0);
    assert_int_equal(column(20).count, 0); /* stretched by a twentieth */
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_column) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
