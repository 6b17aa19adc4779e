/* The way of a blend: from the scheme's end as far as contact leaves it free, or back from the other end, and never
 * through what is between them, although both ends are free. The policy's own functions are compiled in. */
#include "step/policies/blend.c"

#include "policy_support.h"
#include "world/world.h"

/* A trial of one point at x with the velocity v, in memory of its own. */
typedef struct point_trial {
    double room[7][3], bodies[2][2];
    vv_trial trial;
} point_trial;

static void place(point_trial *p, vv_stepper *s, double x, double v)
{
    *p = (point_trial){ .room = { { x, 0, 0 }, { v, 0, 0 } } };
    p->trial = (vv_trial){ .q = p->room[0],
                           .v = p->room[1],
                           .gradient = p->room[2],
                           .body_energy = p->bodies[0],
                           .body_other = p->bodies[1],
                           .losses = { p->room[3], p->room[4], p->room[5] },
                           .left = p->room[6] };
    vv_trial_measure(s, &p->trial);
    assert_true(p->trial.potential < INFINITY);
}

/* A point on one side of a ball and on the other, with 1/2 m v^2 = T at `part` of the way: where find() goes. */
static vv_bracketed found(double part, bool both, double ball)
{
    vvError error = { 0 };
    vvWorldDef d = free_def("trapezoidal", 0.01, 1e-8);
    d.contact.model = "barrier";
    d.integrator.policy = "blend";
    vvWorld *w = new_world(&d);
    double x[3] = { -0.2, 0, 0 };
    int point = 0;
    vvMesh mesh = { .vertexCount = 1, .positions = x, .pointCount = 1, .points = &point };
    vvBodyDef body = vvDefaultBodyDef();
    body.material.model = "free", body.material.density = 1, body.mesh = &mesh;
    assert_ok(vvWorldAddBody(w, &body, NULL, &error));
    obstacle(w, "sphere", (double[]){ 0, 0, 0, ball }, 0);
    assert_ok(vvWorldBake(w, &error));
    vv_stepper *s = w->stepper;
    const double values[] = { 0.01, SECANT, 0, 0 }, speed = 10;
    vv_policy_call call = { .stepper = s, .values = values };
    point_trial a, b, mix;
    w->state.ledger.target = 0.5 * speed * speed * part * part;
    place(&a, s, -0.2, 0), place(&b, s, 0.2, speed), place(&mix, s, -0.2, 0);
    blend k = { .call = &call, .s = s, .a = &a.trial, .b = &b.trial, .mix = &mix.trial, .tolerance = 1e-6, .at = -1 };
    double ea = excess(k.a, w->state.ledger.target), eb = excess(k.b, w->state.ledger.target);
    vv_bracketed r = find(&k, ea, eb, both);
    vvWorldDestroy(w);
    return r;
}

static void it_does_not_pass_through_what_lies_between(void **state)
{
    (void)state;
    const double ball = 0.05, before = 0.5 - 0.5 * ball / 0.2, beyond = 0.5 + 0.5 * ball / 0.2;
    vv_bracketed near = found(0.2, false, ball), far = found(0.8, false, ball), back = found(0.8, true, ball),
                 within = found(0.45, true, ball);
    assert_near(near.x, 0.2, 1e-6); /* on the free part of the way */
    /* as far as the ball: not beyond it, where the target would be met */
    assert_true(far.x < before && far.x > before - 0.1);
    assert_near(back.x, 0.8, 1e-6);                      /* the other end's own way was free: back from there */
    assert_true(within.x < before || within.x > beyond); /* in the ball there is nothing */
    assert_true(fabs(within.value) > 1e-3);
}

/* Positions, velocities and the impulses of every cause: (1 - part) a + part b. */
static void a_blend_mixes_impulses_of_every_cause(void **state)
{
    (void)state;
    vvWorldDef d = free_def("trapezoidal", 0.01, 1e-8);
    d.integrator.policy = "blend";
    vvWorld *w = oscillator(&d, 1, 1, (double[]){ 1, 0, 0 });
    vv_policy_call call = { .stepper = w->stepper };
    point_trial t[3];
    for (int k = 0; k < 3; k++)
        place(t + k, w->stepper, k, 2 * k);
    for (int k = 0; k < 2; k++)
        for (int row = 3; row < 7; row++)
            for (int c = 0; c < 3; c++)
                t[k].room[row][c] = (k ? -1 : 1) * (3 * row + c + 1);
    blend k = { .call = &call, .s = w->stepper, .a = &t[0].trial, .b = &t[1].trial, .mix = &t[2].trial };
    blended(&k, 0.25);
    static const int rows[] = { 0, 1, 3, 4, 5, 6 }; /* 2 is the gradient */
    for (int i = 0; i < 6; i++)
        for (int c = 0; c < 3; c++)
            assert_near(t[2].room[rows[i]][c], 0.75 * t[0].room[rows[i]][c] + 0.25 * t[1].room[rows[i]][c], 1e-15);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(it_does_not_pass_through_what_lies_between),
                                        cmocka_unit_test(a_blend_mixes_impulses_of_every_cause) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
