/* Momenta that nothing changes: a policy that brakes what flies, or pushes it, is found out, and backward Euler where
 * it eats the spin; flight that is right never is, nor a bounce between two steps. Budgets that are too small are
 * named, and those that suffice are not. What a run knows of both is state. */
#include "base/error.h"
#include "solve/vectors.h"
#include "step/inside.h"

static double kept = 1;   /* of the velocities about the centre, in each step */
static double pushed = 0; /* m/s along x in each step */
static int64_t once = -1; /* in that step alone; -1: in each */

static vvStatus apply(vv_policy_call *call, vvError *error)
{
    (void)error;
    vv_stepper *s = call->stepper;
    vv_trial *t = call->trial;
    double p[3] = { 0 }, mass = 0;
    for (int i = 0; i < s->system->nodes; i++)
        for (int k = 0; k < 3; k++)
            p[k] += s->system->mass[i] * t->v[3 * i + k], mass += k == 0 ? s->system->mass[i] : 0;
    for (int i = 0; i < s->system->nodes && (once < 0 || s->state->clock.step == once); i++)
        for (int k = 0; k < 3; k++) {
            const double centre = p[k] / mass;
            t->v[3 * i + k] = centre + kept * (t->v[3 * i + k] - centre) + (k == 0 ? pushed : 0);
        }
    vv_trial_velocities_changed(s, t);
    return VV_OK;
}

static const vv_policy_ops vv_policy_brake = { .info = { "brake", "brakes what turns, pushes what flies" },
                                               .touches = VV_TOUCHES_VELOCITIES,
                                               .apply = apply };
#define VV_MORE_POLICIES vv_policy_brake
#include "step/policies/policy.c"

#include "live_support.h"
#include "world/world.h"

#include <visviva/interact.h>
#include <visviva/query.h>

typedef struct heard {
    int warnings;
    char last[1200];
} heard;

static void hear(void *user, vvLogLevel level, const char *message)
{
    heard *h = user;
    if (level != VV_LOG_WARNING || !(strstr(message, "in which nothing acts on it") || strstr(message, "is too small")))
        return; /* of energy, which these policies change, other tests say more */
    h->warnings++;
    snprintf(h->last, sizeof h->last, "%s", message);
}

static vvWorld *make(const char *scheme, const char *policy, double h, heard *ears)
{
    vvWorldDef d = live_def(scheme, policy);
    d.timeStep = h;
    d.host.log = (vvLog){ hear, ears };
    *ears = (heard){ 0 };
    return new_world(&d);
}

static vvBodyId spinning(vvWorld *w, double rate)
{
    vvBodyId id = add_block(w, 0, 0, 0);
    set_state(w, id, "angular", (double[]){ 0, 0, rate, NAN, NAN, NAN });
    set_state(w, id, "linear", (double[]){ 1, 2, 0, NAN, NAN, NAN });
    return id;
}

/* The step in which the first warning comes; 0: none does. */
static int warned_at(vvWorld *w, const heard *ears, int most)
{
    for (int k = 1; k <= most; k++) {
        step(w);
        if (ears->warnings > 0)
            return k;
    }
    return 0;
}

static void brakes_are_found(void **state)
{
    (void)state;
    static const struct {
        double kept, pushed;
        int first, last;
        const char *word;
    } rows[] = {
        { 0.98, 0, 10, 10, "the angular momentum of body" }, /* 18% in ten steps */
        { 0.995, 0, 20, 24, "the angular momentum of body" },
        { 0.9995, 0, 0, 0, NULL },
        { 1.01, 0, 10, 12, "the angular momentum of body" },
        { 1, 0.04, 10, 10, "the momentum of body" }, /* 0.4 m/s in ten steps, of 2.2 m/s */
        { 1, -0.001, 0, 0, NULL },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        heard ears;
        vvWorld *w = make("implicit-midpoint", "brake", 2e-3, &ears);
        kept = rows[i].kept, pushed = rows[i].pushed, once = -1;
        vvBodyId id = spinning(w, 5);
        const int at = warned_at(w, &ears, 60);
        print_message("kept %g, pushed %g: step %d, %s\n", kept, pushed, at, ears.last);
        assert_in_range(at, rows[i].first, rows[i].last);
        assert_true(!rows[i].word || (strstr(ears.last, rows[i].word) && strstr(ears.last, vvBodyName(w, id))));
        step(w);
        assert_true(ears.warnings <= 1); /* once */
        vvWorldDestroy(w);
    }
}

/* One push may have been a contact that came and went within a step, but only where there is something. */
static void a_jump_counts_where_nothing_is_near(void **state)
{
    (void)state;
    for (int near = 0; near < 2; near++) {
        heard ears;
        vvWorld *w = make("implicit-midpoint", "brake", 2e-3, &ears);
        kept = 1, pushed = 2, once = 5;
        spinning(w, 5);
        if (near)
            add_block(w, 0.25, 0, 0);
        else
            add_block(w, 5, 0, 0);
        assert_int_equal(warned_at(w, &ears, 40), near ? 0 : 10);
        vvWorldDestroy(w);
    }
}

/* At 10 rad/s backward Euler takes a tenth of the spin in a step of 1/30 s, whatever energy does. */
static void backward_euler_eats_the_spin(void **state)
{
    (void)state;
    heard ears;
    vvWorld *w = make("backward-euler", "none", 1.0 / 30, &ears);
    spinning(w, 10);
    assert_int_equal(warned_at(w, &ears, 20), 10);
    assert_non_null(strstr(ears.last, "angular momentum"));
    vvWorldDestroy(w);
}

static void right_flight_is_let_alone(void **state)
{
    (void)state;
    static const char *const schemes[] = { "implicit-midpoint", "trapezoidal",    "bdf2",  "tr-bdf2",
                                           "backward-euler",    "backward-euler", "verlet" },
                             *const policies[] = {
                                 "none", "none", "none", "none", "filtered-search", "project", "none"
                             };
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        heard ears;
        vvWorld *w = make(schemes[i], policies[i], 2e-3, &ears);
        spinning(w, 8);
        if (strcmp(schemes[i], "backward-euler") == 0) /* and bounces, as others must not */
            obstacle(w, "plane", (double[]){ 0, -0.1, 0, 0, 1, 0 }, 0.5);
        tie(w, add_block(w, 0.5, 0, 0), VV_ATTACH_FIXED, 0);
        tie(w, add_block(w, 1, 0, 5), VV_ATTACH_SPRING, 50);
        if (warned_at(w, &ears, 400))
            fail_msg("%s with %s: %s", schemes[i], policies[i], ears.last);
        vvWorldDestroy(w);
    }
}

static void the_host_may_push(void **state)
{
    (void)state;
    heard ears;
    vvWorld *w = make("implicit-midpoint", "none", 2e-3, &ears);
    vvBodyId id = spinning(w, 5);
    vvError error = { 0 };
    assert_ok(vvWorldBake(w, &error));
    const int n = 3 * vvWorldNodeCount(w);
    double *v = copy_of(vvWorldVelocities(w), n);
    for (int k = 0; k < 60; k++) {
        step(w);
        for (int i = 0; i < n && k % 15 == 0; i++)
            v[i] = -1.5 * v[i];
        if (k % 15 == 0)
            assert_ok(vvBodySetState(w, id, NULL, v, &error));
    }
    free(v);
    assert_int_equal(ears.warnings, 0);
    vvWorldDestroy(w);
}

/* A force of the host acts in each step, and not on the body beside. */
static void a_force_of_the_host_acts(void **state)
{
    (void)state;
    heard ears;
    vvError error = { 0 };
    vvWorld *w = make("implicit-midpoint", "brake", 2e-3, &ears);
    kept = 1, pushed = 0, once = -1;
    vvBodyId id = spinning(w, 5);
    add_block(w, 5, 0, 0);
    for (int k = 0; k < 60; k++) {
        assert_ok(vvBodyApplyForce(w, id, (double[]){ 0, 0, 500 }, &error));
        step(w);
    }
    assert_int_equal(ears.warnings, 0);
    vvBodyMeasures m;
    assert_ok(vvBodyMeasure(w, id, &m, &error));
    assert_true(fabs(m.momentum[2] - 60) < 1e-6 * 60); /* 500 N for 0.12 s */
    kept = 0.98, pushed = 0.04;
    for (int k = 0; k < 12; k++) {
        assert_ok(vvBodyApplyForce(w, id, (double[]){ 0, 0, 500 }, &error));
        step(w);
    }
    print_message("%s\n", ears.last);
    assert_int_equal(ears.warnings, 1); /* of the one that flies */
    assert_null(strstr(ears.last, vvBodyName(w, id)));
    vvWorldDestroy(w);
}

/* ---- budgets ---- */

/* A weight on a stiff spring, let go at 0.2 rad. */
static vvWorld *pendulum(const char *method, int budget, heard *ears)
{
    vvError error = { 0 };
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = 1.0 / 30;
    d.integrator.groundMode = VV_GROUND_NONE;
    d.solver.method = method;
    d.solver.budget = budget;
    d.threads = 1;
    d.host.log = (vvLog){ hear, ears };
    *ears = (heard){ 0 };
    vvWorld *w = new_world(&d);
    double x[6] = { 0, 0, 0, sin(0.2), -cos(0.2), 0 };
    int edge[2] = { 0, 1 }, held = 0;
    vvMesh mesh = { .vertexCount = 2, .edgeCount = 1, .positions = x, .edges = edge };
    vvBodyDef def = vvDefaultBodyDef();
    def.mesh = &mesh;
    def.material = vvDefaultMaterialOf("hooke");
    def.material.springStiffness = 2e4, def.material.totalMass = 2;
    vvBodyId id;
    assert_ok(vvWorldAddBody(w, &def, &id, &error));
    vvAttachDef a = vvDefaultAttachDef();
    a.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = &held, .listCount = 1 };
    attach(w, id, &a);
    return w;
}

static double angle(const vvWorld *w) { return atan2(vvWorldPositions(w)[3], -vvWorldPositions(w)[4]); }

/* What a solver says has converged has: the pendulum is where Newton's method has it. */
static void a_pendulum_swings_in_time(void **state)
{
    (void)state;
    heard ears;
    vvWorld *w = pendulum("newton", 0, &ears);
    steps(w, 12);
    const double right = angle(w);
    vvWorldDestroy(w);
    for (int i = 0; vvSolverInfo(i); i++) {
        const char *method = vvSolverInfo(i)->name;
        vvError error = { 0 };
        w = pendulum(method, 0, &ears);
        if (vvWorldBake(w, &error) == VV_OK) {
            steps(w, 12);
            print_message("%s: %.4f rad, Newton %.4f; %d warnings\n", method, angle(w), right, ears.warnings);
            assert_true(fabs(angle(w) - right) < 0.02 * 0.2 || ears.warnings > 0);
        }
        vvWorldDestroy(w);
    }
}

static void a_small_budget_is_named(void **state)
{
    (void)state;
    heard ears;
    vvWorld *w = pendulum("lbfgs", 1, &ears);
    assert_int_equal(warned_at(w, &ears, 12), 5);
    assert_non_null(strstr(ears.last, "the budget of \"lbfgs\", 1 in this step, is too small"));
    vvWorldDestroy(w);
    w = pendulum("lbfgs", 10, &ears);
    assert_int_equal(warned_at(w, &ears, 50), 0);
    vvWorldDestroy(w);
}

/* ---- state ---- */

static void a_saved_state_goes_on_counting(void **state)
{
    (void)state;
    heard ears, others;
    vvWorld *w = make("backward-euler", "none", 1.0 / 30, &ears),
            *again = make("backward-euler", "none", 1.0 / 30, &others);
    spinning(w, 10);
    spinning(again, 10);
    steps(w, 7);
    carry_over(w, again);
    assert_int_equal(warned_at(again, &others, 20), 3);
    vvWorldDestroy(w);
    vvWorldDestroy(again);
    w = pendulum("lbfgs", 1, &ears), again = pendulum("lbfgs", 1, &others);
    steps(w, 3);
    carry_over(w, again);
    assert_int_equal(warned_at(again, &others, 20), 2);
    vvWorldDestroy(w);
    vvWorldDestroy(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(brakes_are_found),
        cmocka_unit_test(a_jump_counts_where_nothing_is_near),
        cmocka_unit_test(backward_euler_eats_the_spin),
        cmocka_unit_test(right_flight_is_let_alone),
        cmocka_unit_test(the_host_may_push),
        cmocka_unit_test(a_force_of_the_host_acts),
        cmocka_unit_test(a_pendulum_swings_in_time),
        cmocka_unit_test(a_small_budget_is_named),
        cmocka_unit_test(a_saved_state_goes_on_counting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
