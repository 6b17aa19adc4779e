/* Friction of springs, penalties and constraints within the solve (contact.friction_when): a block that must stick
 * creeps at most at contact.friction_speed, one that slides has mu times the normal impulse; and after the solve, as
 * the papers have it, it creeps. The start of a step needs nothing of the last one. */
#include "size.h"
#include "live_support.h"

#include "visviva/query.h"
#include "visviva/settings.h"

static const double G0 = 9.81, DEGREE = 3.14159265358979323846 / 180;

typedef struct setup {
    const char *model, *form, *material, *when;
    double slope, mu, h;
    bool carried;       /* by a kinematic block in place of the plane */
    bool creeps;        /* friction does not remember what sticks */
    const char *policy; /* NULL: none */
} setup;

/* In a second: the way down the slope, m, the speed at its end, the mean one over its second half, m/s; friction's
 * impulse over mu times the normal one. */
typedef struct result {
    double way, speed, creep, impulse;
} result;

static vvWorldDef def_of(const setup *s)
{
    vvWorldDef d = vvDefaultWorldDef();
    d.integrator.groundMode = VV_GROUND_NONE;
    d.timeStep = s->h;
    d.integrator.policy = s->policy ? s->policy : d.integrator.policy;
    d.threads = 1;
    d.gravity[0] = G0 * sin(s->slope * DEGREE), d.gravity[1] = -G0 * cos(s->slope * DEGREE), d.gravity[2] = 0;
    d.contact.model = s->model;
    d.contact.friction = s->mu;
    d.contact.frictionSpeed = 3e-4;
    d.contact.self = false;
    d.contact.springs.form = s->form;
    d.contact.frictionWhen = s->when;
    d.contact.stick = !s->creeps;
    return d;
}

static vvWorld *world_of(const setup *s, const vvWorldDef *d, vvBodyId *block)
{
    vvError error = { 0 };
    vvWorld *w = new_world(d);
    vvBodyDef def = vvDefaultBodyDef();
    if (s->carried) {
        vvBodyDef ground = vvDefaultBodyDef();
        ground.kinematic = true;
        ground.translate[0] = 0.5, ground.translate[1] = -0.2;
        add_box_def(w, (double[]){ 3, 0.4, 1 }, (int[]){ 6, 1, 2 }, 5, &ground);
    } else {
        vvObstacleDef plane = vvDefaultObstacleDef();
        assert_ok(vvWorldAddObstacle(w, &plane, NULL, &error));
    }
    def.material = vvDefaultMaterialOf(s->material);
    if (strcmp(s->material, "affine") != 0)
        def.material.young = 1e6, def.material.poisson = 0.3;
    def.material.density = 1000;
    def.translate[1] = 0.05;
    *block = add_box_def(w, (double[]){ 0.2, 0.1, 0.2 }, (int[]){ 4, 2, 4 }, 5, &def);
    return w;
}

static result slide(const setup *s)
{
    vvError error = { 0 };
    const vvWorldDef d = def_of(s);
    vvBodyId block;
    vvWorld *w = world_of(s, &d, &block);
    vvBodyMeasures start, half = { 0 }, end;
    const int count = (int)(1 / s->h + 0.5);
    assert_ok(vvWorldBake(w, &error));
    assert_ok(vvBodyMeasure(w, block, &start, &error));
    for (int i = 0; i < count; i++) {
        step(w);
        if (i + 1 == count / 2)
            assert_ok(vvBodyMeasure(w, block, &half, &error));
    }
    assert_ok(vvBodyMeasure(w, block, &end, &error));
    const double time = count * s->h, friction = end.mass * d.gravity[0] * time - end.momentum[0],
                 normal = end.momentum[1] - end.mass * d.gravity[1] * time;
    const result r = { end.centre[0] - start.centre[0], end.velocity[0],
                       (end.centre[0] - half.centre[0]) / (time - count / 2 * s->h), friction / (s->mu * normal) };
    vvWorldDestroy(w);
    print_message("%-10s %-9s %-11s %-5s %-7s %g deg, mu %g, h %.4f: %.5f m, %.6f m/s, ratio %.4f\n", s->model,
                  s->form ? s->form : "", s->material, s->when, s->carried ? "carried" : "plane", s->slope, s->mu, s->h,
                  r.way, r.creep, r.impulse);
    return r;
}

typedef struct kind {
    const char *model, *form;
    bool nodes;    /* affine bodies are refused */
    double papers; /* m/s: how fast a block creeps that should stick, after the solve, at least */
} kind;
static const kind kinds[] = { { "springs", "one-sided", false, 0.1 },
                              { "springs", "bilateral", false, 0.1 },
                              { "springs", "following", false, 0.05 },
                              { "penalty", NULL, false, 0.05 },
                              { "constraint", NULL, true, 0.05 } };
enum { KINDS = sizeof kinds / sizeof *kinds };
static const char *const materials[] = { "neo-hookean", "affine" };

static void what_sticks_creeps_at_most_at_friction_speed(void **state)
{
    (void)state;
    NUMBERS_ONLY();
    for (int k = 0; k < KINDS; k++)
        for (int m = 0; m < (kinds[k].nodes ? 1 : 2); m++) {
            setup s = { kinds[k].model, kinds[k].form, materials[m], "auto", 30, 0.7, 1.0 / 24, false };
            result r = slide(&s);
            assert_less(fabs(r.creep), 2e-6);
            s.creeps = true;
            r = slide(&s);
            assert_true(r.creep > 1e-5 && r.creep <= 3e-4); /* smoothed friction does creep */
            s.slope = 25, s.mu = 0.5, s.h = 1.0 / 120;
            r = slide(&s);
            assert_true(r.creep > 1e-5 && r.creep <= 3e-4);
            assert_true(r.way > 0 && r.way < 0.01);
            s.when = "after";
            r = slide(&s);
            assert_true(r.creep > kinds[k].papers && r.creep < 1);
        }
}

static void what_slides_has_mu_times_the_normal_impulse(void **state)
{
    (void)state;
    NUMBERS_ONLY();
    for (int k = 0; k < KINDS; k++)
        for (int m = 0; m < (kinds[k].nodes ? 1 : 2); m++) {
            const setup s = { kinds[k].model, kinds[k].form, materials[m], "auto", 20, 0.2, 1.0 / 120, false };
            const result r = slide(&s);
            assert_near(r.impulse, 1, 0.01);
            assert_near(r.way, 0.5 * (1 + s.h) * G0 * (sin(20 * DEGREE) - 0.2 * cos(20 * DEGREE)), 0.02);
        }
}

/* Policies that correct velocities give a part of the push of springs that friction did not go by. */
static void so_it_is_under_policies(void **state)
{
    (void)state;
    NUMBERS_ONLY();
    static const char *const policies[] = { "search", "filtered-search" };
    for (int k = 0; k < 4; k++)
        for (int p = 0; p < 2; p++) {
            const setup s = { kinds[k].model, kinds[k].form,        "neo-hookean", "auto", 20, 0.2,
                              1.0 / 120,      .policy = policies[p] };
            print_message("%s: ", policies[p]);
            assert_near(slide(&s).impulse, 1, 0.01);
        }
}

static void count_friction(void *user, vvLogLevel level, const char *message)
{
    *(int *)user += level == VV_LOG_WARNING && strncmp(message, "friction: ", 10) == 0;
}

/* Said once, and where nothing is to be said nothing is. */
static void warns_of_methods(void **state)
{
    (void)state;
    static const struct {
        const char *form, *scheme, *policy, *method, *when; /* form NULL: penalties */
        double mu;
        int warnings;
    } rows[] = { { "following", "backward-euler", "none", "newton", "auto", 0.2, 0 },
                 { "following", "verlet", "none", "newton", "auto", 0.2, 1 },
                 { "following", "verlet", "none", "newton", "auto", 0, 0 },
                 { "following", "bdf2", "project", "newton", "auto", 0.2, 1 },
                 { "cubic", "backward-euler", "none", "newton", "auto", 0.2, 1 },
                 { "bilateral", "backward-euler", "none", "newton", "auto", 0.2, 0 },
                 { "bilateral", "implicit-midpoint", "none", "newton", "auto", 0.2, 1 },
                 { "following", "backward-euler", "none", "xpbd", "auto", 0.2, 1 },
                 { "following", "backward-euler", "none", "xpbd", "after", 0.2, 0 },
                 { "following", "backward-euler", "none", "linearised", "solve", 0.2, 1 },
                 { NULL, "backward-euler", "none", "newton", "auto", 0.2, 0 },
                 { NULL, "tr-bdf2", "none", "newton", "auto", 0.2, 1 },
                 { NULL, "backward-euler", "filtered-search", "newton", "auto", 0.2, 1 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vvError error = { 0 };
        vvBodyId block;
        int heard = 0;
        const setup s = { rows[i].form ? "springs" : "penalty",
                          rows[i].form ? rows[i].form : "one-sided",
                          "corotated",
                          rows[i].when,
                          20,
                          rows[i].mu,
                          1.0 / 120,
                          .policy = rows[i].policy };
        vvWorldDef d = def_of(&s);
        d.integrator.scheme = rows[i].scheme, d.solver.method = rows[i].method;
        d.host.log = (vvLog){ count_friction, &heard };
        vvWorld *w = world_of(&s, &d, &block);
        assert_ok(vvWorldBake(w, &error));
        print_message("%s, %s, %s, %s, %s: %d warnings\n", s.form, rows[i].scheme, rows[i].policy, rows[i].method,
                      rows[i].when, heard);
        assert_int_equal(heard, rows[i].warnings);
        vvWorldDestroy(w);
    }
}

/* Penalties between bodies: a kinematic block carries the other one. */
static void so_it_is_between_bodies(void **state)
{
    (void)state;
    NUMBERS_ONLY();
    static const char *const models[] = { "penalty", "constraint" };
    for (int m = 0; m < 2; m++) {
        setup s = { models[m], NULL, "neo-hookean", "auto", 25, 0.5, 1.0 / 120, true };
        result r = slide(&s);
        assert_less(fabs(r.creep), 2e-6);
        s.creeps = true;
        r = slide(&s);
        assert_true(r.creep > 1e-5 && r.creep <= 3e-4);
        s.creeps = false;
        s.slope = 20, s.mu = 0.2;
        r = slide(&s);
        assert_near(r.impulse, 1, 0.015);
    }
}

/* Solvers with a budget leave friction to what follows the solve, unless they are told to take it; those that cannot
 * say so. */
static void solvers_of_a_budget(void **state)
{
    (void)state;
    setup s = { "springs", "following", "neo-hookean", "auto", 20, 0.2, 1.0 / 120, false };
    static const struct {
        const char *method, *when;
        bool refused;
    } rows[] = { { "local-global", "auto", false },  { "local-global", "after", false },
                 { "local-global", "solve", true },  { "xpbd", "auto", false },
                 { "xpbd", "solve", true },          { "lbfgs", "solve", false },
                 { "block-descent", "solve", false } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vvError error = { 0 };
        vvBodyId block;
        s.material = "corotated", s.when = rows[i].when;
        vvWorldDef d = def_of(&s);
        d.solver.method = rows[i].method;
        vvWorld *w = world_of(&s, &d, &block);
        vvStatus status = vvWorldBake(w, &error);
        for (int k = 0; status == VV_OK && k < 10; k++)
            status = vvWorldStep(w, NULL, &error);
        if (rows[i].refused)
            expect(status, VV_ERROR_UNSUPPORTED, &error, "contact.friction_when after");
        else
            assert_ok(status);
        vvWorldDestroy(w);
    }
}

/* A world whose solver changes: friction goes where the new one can have it. */
static void another_solver(void **state)
{
    (void)state;
    vvError error = { 0 };
    const setup s = { "springs", "following", "corotated", "auto", 20, 0.2, 1.0 / 60, false };
    vvWorldDef d = def_of(&s);
    vvBodyId block;
    vvWorld *a = world_of(&s, &d, &block), *b;
    steps(a, 3);
    vvSnapshot *at;
    assert_ok(vvWorldSnapshot(a, &at, &error));
    d.solver.method = "local-global";
    assert_ok(vvWorldSetSolver(a, &d.solver, &error)); /* which takes no friction in its solves */
    step(a);
    d.solver.method = "newton";
    assert_ok(vvWorldSetSolver(a, &d.solver, &error));
    assert_ok(vvWorldRestore(a, at, &error));
    b = world_of(&s, &d, &block);
    steps(b, 3);
    expect_same(a, b, 3, "newton again");
    vvSnapshotDestroy(at);
    vvWorldDestroy(a);
    vvWorldDestroy(b);
}

/* The forces of the last step are not needed: a saved state goes on to the same bits, a changed setting holds. */
static void states_and_settings(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        vvError error = { 0 };
        const setup s = { kinds[k].model, kinds[k].form, "neo-hookean", "auto", 20, 0.2, 1.0 / 60, false };
        vvWorldDef d = def_of(&s);
        vvBodyId block;
        vvWorld *a = world_of(&s, &d, &block), *b = world_of(&s, &d, &block);
        steps(a, 5);
        assert_ok(vvWorldBake(b, &error));
        const size_t size = vvWorldStateSize(a);
        void *bytes = malloc(size);
        assert_ok(vvWorldSaveState(a, bytes, size, &error));
        assert_ok(vvWorldLoadState(b, bytes, size, &error));
        expect_same(a, b, 5, kinds[k].model);
        d.contact.frictionWhen = "after";
        assert_ok(vvWorldSetContact(b, &d.contact, &error));
        step(a);
        step(b);
        assert_false(same_world(a, b));
        d.contact.frictionWhen = "sometimes";
        expect(vvWorldSetContact(b, &d.contact, &error), VV_ERROR_INPUT, &error, "friction_when");
        free(bytes);
        vvWorldDestroy(a);
        vvWorldDestroy(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(what_sticks_creeps_at_most_at_friction_speed),
                                        cmocka_unit_test(what_slides_has_mu_times_the_normal_impulse),
                                        cmocka_unit_test(so_it_is_under_policies),
                                        cmocka_unit_test(warns_of_methods),
                                        cmocka_unit_test(so_it_is_between_bodies),
                                        cmocka_unit_test(solvers_of_a_budget),
                                        cmocka_unit_test(another_solver),
                                        cmocka_unit_test(states_and_settings) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
