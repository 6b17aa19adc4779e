/* Elements that turn inside out: counted, named, and said once. */
#include "world_support.h"

typedef struct diary {
    int warnings, notes;
    char text[2000];
} diary;

static void write_down(void *user, vvLogLevel level, const char *message)
{
    diary *d = user;
    if (!strstr(message, "inverted"))
        return;
    *(level == VV_LOG_WARNING ? &d->warnings : &d->notes) += 1;
    snprintf(d->text, sizeof d->text, "%s", message);
}

/* A box whose node in the middle has gone far beyond the others: all tets around it on one side are inside out. */
static vvBodyId add_pierced(vvWorld *w, double x, const char *model, double young, double shift)
{
    vvError error = { 0 };
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material(model, young);
    def.translate[0] = x;
    vvBodyId id = add_box_def(w, (double[]){ 0.2, 0.2, 0.2 }, (int[]){ 2, 2, 2 }, 6, &def);
    int first, count;
    vvBodyNodes(w, id, &first, &count);
    double *q = copy_of(vvWorldPositions(w) + 3 * first, 3 * count);
    for (int i = 0; i < count; i++)
        if (fabs(q[3 * i] - x) < 1e-9 && fabs(q[3 * i + 1]) < 1e-9 && fabs(q[3 * i + 2]) < 1e-9)
            q[3 * i + 1] += shift;
    assert_ok(vvBodySetState(w, id, q, NULL, &error));
    free(q);
    return id;
}

static void counted_and_named(void **state)
{
    (void)state;
    vvWorldDef d = free_def("backward-euler", 1.0 / 60, 1e-4);
    vvInverted found;
    vvWorld *w = new_world(&d);
    vvWorldInverted(w, &found);
    assert_int_equal(found.tets, 0); /* an empty world */
    add_pierced(w, 0, "fixed-corotated", 1e5, 0.01);
    vvWorldInverted(w, &found);
    assert_true(found.tets == 0 && *found.body == 0);
    vvBodyId far = add_pierced(w, 1, "stvk", 1e5, 0.13), farther = add_pierced(w, 2, "arap", 1e5, 0.16);
    vvWorldInverted(w, &found);
    assert_true(found.tets >= 4 && found.tets % 2 == 0);
    assert_string_equal(found.body, vvBodyName(w, farther));
    assert_string_equal(found.model, "arap");
    assert_near(found.detF, 1 - 0.16 / 0.1, 1e-9); /* a tet's height over the middle was 0.1 m */
    assert_near(found.point[0], 2, 0.1);
    vvError error = { 0 };
    assert_ok(vvWorldRemoveBody(w, farther, &error));
    int both = found.tets;
    vvWorldInverted(w, &found);
    assert_int_equal(2 * found.tets, both);
    assert_string_equal(found.body, vvBodyName(w, far));
    vvWorldDestroy(w);
}

/* The log warns at the first step that ends so, and says when it is over; each step's report tells. */
static void said_once(void **state)
{
    (void)state;
    diary d = { 0 };
    vvWorldDef def = free_def("backward-euler", 1.0 / 2000, 1e-4);
    def.host.log = (vvLog){ write_down, &d };
    vvWorld *w = new_world(&def);
    vvError error = { 0 };
    vvStepReport report;
    add_pierced(w, 0, "fixed-corotated", 1e4, 0.13);
    int inverted = 0, steps = 0;
    do {
        assert_ok(vvWorldStep(w, &report, &error));
        vvLedgerRow row = ledger(w);
        assert_true((row.minJ <= 0) == (report.inverted.tets > 0));
        if (report.inverted.tets)
            assert_near(report.inverted.detF, row.minJ, 1e-9);
        inverted += report.inverted.tets > 0;
        assert_int_equal(d.warnings, inverted > 0);
    } while (++steps < 400 && (report.inverted.tets > 0 || inverted == 0));
    assert_true(inverted > 1 && steps < 400);
    assert_true(d.warnings == 1 && d.notes == 1);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counted_and_named),
        cmocka_unit_test(said_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
