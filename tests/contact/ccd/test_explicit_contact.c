/* Explicit schemes and contact: a step that takes a body through something fails, one that only comes near does not. */
#include "live_support.h"

static vvWorldDef explicit_def(const char *scheme, double h)
{
    vvWorldDef d = live_def(scheme, "none");
    d.timeStep = h;
    d.gravity[1] = 0;
    d.contact.distance = 1e-3;
    d.contact.stiffness = 1e2;
    return d;
}

static vvBodyId add_cube_at(vvWorld *w, double y, bool kinematic, const vvMotionDef *motion)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("stvk", 1e4);
    def.kinematic = kinematic;
    if (motion)
        def.motion = *motion;
    def.translate[1] = y;
    return add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 1, 1, 1 }, 5, &def);
}

/* A slab that comes from 0.5 mm to 0.04 mm within a step: near, but not through. */
static void near_is_not_through(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = explicit_def("symplectic-euler", 1e-4);
    vvMotionDef m = vvDefaultBodyDef().motion;
    m.linearVelocity[1] = 4.6;
    vvWorld *w = new_world(&d);
    add_cube_at(w, 0, true, &m);
    add_cube_at(w, 0.1005, false, NULL);
    assert_ok(vvWorldStep(w, NULL, &error));
    vvLedgerRow row = ledger(w);
    assert_true(row.minGap > 2e-5 && row.minGap < 6e-5);
    vvWorldDestroy(w);
}

/* 0.6 m in a step, from one side of an obstacle to the other: the end alone looks fine. */
static void through_fails(void **state)
{
    (void)state;
    static const char *const schemes[] = { "forward-euler", "symplectic-euler", "verlet", "discrete-gradient",
                                           "implicit-midpoint" };
    static const struct {
        const char *type;
        double values[9];
    } rows[] = { { "box", { 0, 0, 0, 2, 0.05, 2, 0, 0, 0 } },      { "sphere", { 0, 0, 0, 0.12 } },
                 { "cylinder", { 0, 0, 0, 0, 1, 0, 1, 0.05 } },    { "capsule", { 0, 0, 0, 1, 0, 0, 0.05, 0.5 } },
                 { "torus", { 0.2, 0, 0, 0, 1, 0, 0.2, 0.06 } },   { "hole", { 0, 0, 0, 0, 1, 0, 0.05, 0.1, 0.3 } },
                 { "bowl", { 0, 0.5, 0, 0, 1, 0, 0.45, 0.1, 80 } } };
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            vvError error = { 0 };
            vvWorldDef d = explicit_def(schemes[k], 1e-2);
            vvWorld *w = new_world(&d);
            vvBodyId b = add_cube_at(w, 0.3, false, NULL);
            set_state(w, b, "linear", (double[]){ 0, -60, 0 });
            obstacle(w, rows[i].type, rows[i].values, 0);
            vvStatus status = vvWorldStep(w, NULL, &error);
            if (status != VV_ERROR_SOLVER)
                fail_msg("%s goes through the %s: %s", schemes[k], rows[i].type, vvStatusName(status));
            vvWorldDestroy(w);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(near_is_not_through), cmocka_unit_test(through_fails) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
