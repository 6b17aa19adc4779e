/* The way of the multiplier's steps: as far as contact leaves it free, although the merit is lower beyond what lies
 * between. The policy's own functions are compiled in. */
#include "step/policies/multiplier.c"

#include "policy_support.h"
#include "world/world.h"

static void it_does_not_pass_through_what_lies_between(void **state)
{
    (void)state;
    const double ball = 0.05, away = 0.2, h = 0.01;
    vvError error = { 0 };
    vvWorldDef d = free_def("trapezoidal", h, 1e-8);
    d.contact.model = "barrier";
    d.integrator.policy = "none"; /* as it is refused where bodies meet; its functions are called all the same */
    vvWorld *w = new_world(&d);
    /* would be on the other side at the end of the step */
    double x[3] = { -away, 0, 0 }, v[3] = { 2 * away / h, 0, 0 };
    int point = 0;
    vvMesh mesh = { .vertexCount = 1, .positions = x, .pointCount = 1, .points = &point };
    vvBodyDef body = vvDefaultBodyDef();
    vvBodyId id;
    body.material.model = "free", body.material.density = 1, body.mesh = &mesh;
    assert_ok(vvWorldAddBody(w, &body, &id, &error));
    assert_ok(vvBodySetState(w, id, x, v, &error));
    obstacle(w, "sphere", (double[]){ 0, 0, 0, ball }, 0);
    assert_ok(vvWorldBake(w, &error));
    vv_stepper *s = w->stepper;
    double q[3] = { -away, 0, 0 }, u[3] = { 0 }, to[3], p[3] = { 2 * away, 0, 0 };
    multiplier m = { .s = s, .q0 = x, .v0 = v, .q = q, .v = u, .to = to, .p = p };
    vv_scaled(3, h, s->state->v, s->hvn);
    vv_stepper_objective(s, vv_stepper_row(s), &m.o);
    double here = merit(&m, q), there = merit(&m, (double[]){ away, 0, 0 });
    assert_true(there < here);
    assert_true(advance(&m, there - here));
    assert_true(q[0] > -away && q[0] < -ball && q[1] == 0 && m.stats.blocked);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(it_does_not_pass_through_what_lies_between) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
