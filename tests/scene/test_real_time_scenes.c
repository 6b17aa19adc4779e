/* What ten iterations a step keep, in short forms of experiments/real-time: under `blend` the scenes of real-time
 * solvers stay at their target; a body whose nodes start anywhere comes back to its shape; shaken cloth keeps its
 * wrinkles; what turns goes on turning; what met an obstacle goes on moving under `project`, to be seen, and is not
 * deep inside. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "size.h"
#include "visviva/scene.h"
#include "visviva/settings.h"

static vvError error;
#define assert_less(a, b)                                                             \
    do {                                                                              \
        double less_a = (a), less_b = (b);                                            \
        if (!(less_a < less_b))                                                       \
            fail_msg("%s = %.9g is not less than %s = %.9g", #a, less_a, #b, less_b); \
    } while (0)

enum { MOST = 8 };
static const double EPSILON = 0.01; /* of `blend`, its default */

typedef struct small {
    const char *scene, *sizes[MOST]; /* overrides that make it small */
} small;
static const small shipped[] = {
    { "scenes/hanging-cloth.json",
      { "bodies[0].mesh.weave.cells=[16,16]", "bodies[0].attach[0].where.vertices=[0,16]" } },
    { "scenes/cloth-shake.json", { "bodies[0].mesh.weave.cells=[16,16]", "bodies[0].attach[1].where.vertices=[16]" } },
    { "scenes/trampoline-cloth.json", { "bodies[0].mesh.weave.cells=[16,16]" } },
    { "scenes/jelly.json", { "bodies[0].mesh.cylinder.cells=[4,6]" } },
    { "scenes/swinging-critter.json", { "bodies[0].mesh.critter.edge=0.28" } },
    { "scenes/spinning-cube.json", { "bodies[0].mesh.box.cells=[4,4,4]" } },
    { "scenes/cube-spheres.json", { "bodies[0].mesh.box.cells=[3,3,3]" } },
    { "scenes/critter-spheres.json", { "bodies[0].mesh.critter.edge=0.14" } },
};
enum { SHIPPED = sizeof shipped / sizeof *shipped };
static const small cube = { "experiments/real-time/free-cube.json", { "bodies[0].mesh.box.cells=[3,3,3]" } };

static const small touching[] = {
    { "scenes/cloth-torus.json",
      { "bodies[0].mesh.weave.cells=[20,20]", "bodies[0].attach[0].where.vertices=[0,20]",
        "materials.cloth.damping.drag=0" } },
    { "scenes/pelted-critter.json", { "bodies[0].mesh.critter.edge=0.142", "materials.skin.damping.momentum_rate=0" } },
};

/* A scene in little, with ten iterations of local-global. */
static vvWorld *load(const small *r, const char *scheme, const char *policy)
{
    char path[512], of[2][64];
    const char *overrides[MOST + 5];
    int count = 0;
    vvScene *scene = NULL;
    vvWorld *w = NULL;
    snprintf(path, sizeof path, "%s/%s", VV_SOURCE_DIR, r->scene);
    snprintf(of[0], sizeof of[0], "integrator.scheme=%s", scheme);
    snprintf(of[1], sizeof of[1], "integrator.policy=%s", policy);
    while (count < MOST && r->sizes[count])
        overrides[count] = r->sizes[count], count++;
    overrides[count++] = of[0], overrides[count++] = of[1];
    overrides[count++] = "solver.method=local-global", overrides[count++] = "solver.budget=10";
    overrides[count++] = "integrator.ground_energy=none";
    if (vvSceneLoad(path, overrides, count, &scene, &error) || vvSceneCreateWorld(scene, 1, &w, &error))
        fail_msg("%s: %s", r->scene, error.message);
    vvSceneDestroy(scene);
    return w;
}

static vvLedgerRow step(vvWorld *w)
{
    vvLedgerRow row = { 0 };
    if (vvWorldStep(w, NULL, &error) || vvWorldLedger(w, &row, &error))
        fail_msg("%s", error.message);
    return row;
}

/* ---- at the target ---- */

/* Largest |H - T| / S over so many steps. */
static double most_off(const small *r, const char *policy, int steps)
{
    vvWorld *w = load(r, "implicit-midpoint", policy);
    double most = 0;
    for (int i = 0; i < steps; i++) {
        const vvLedgerRow at = step(w);
        assert_true(isfinite(at.total));
        most = fmax(most, fabs(at.total - at.target) / at.scale);
    }
    vvWorldDestroy(w);
    return most;
}

static void blend_stays_at_the_target(void **state)
{
    (void)state;
    NUMBERS_ONLY();
    const int steps = sized(150, 250, 10000);
    int alone = 0;
    for (int i = 0; i < SHIPPED; i++) {
        double off = most_off(shipped + i, "blend", steps), without = most_off(shipped + i, "none", steps);
        print_message("%-32s %.2g, without %.2g\n", shipped[i].scene, off, without);
        assert_less(off, EPSILON * (1 + 1e-9));
        alone += without > 10 * EPSILON;
    }
    assert_in_range(alone, 2, SHIPPED); /* scenes that need it */
}

/* ---- a bounce, and a slide ---- */

static const small cube_on_balls = { "scenes/cube-spheres.json", { "bodies[0].mesh.box.cells=[6,6,6]" } };
/* of the cube's centre: where it meets the balls, and how far it falls until then, m */
static const double TOUCH = 2, FALL = 1.5;

/* How far the centre of mass is along a direction, m. */
static double centre(const vvWorld *w, double x, double y)
{
    double sum = 0, mass = 0;
    for (int i = 0; i < vvWorldNodeCount(w); i++) {
        sum += vvWorldMasses(w)[i] * (x * vvWorldPositions(w)[3 * i] + y * vvWorldPositions(w)[3 * i + 1]);
        mass += vvWorldMasses(w)[i];
    }
    return sum / mass;
}

/* How high the cube comes back after its first bounce, as a part of its fall; *off: the most that H was off the
 * target, as a part of S; *deepest, m. */
static double comes_back(const small *r, const char *scheme, const char *policy, int parts, double *off,
                         double *deepest)
{
    vvWorld *w = load(r, scheme, policy);
    double top = 0;
    *off = *deepest = 0;
    if (vvWorldSetTimeStep(w, 1.0 / 30 / parts, &error))
        fail_msg("%s", error.message);
    for (int i = 1; i <= 55 * parts; i++) {
        const vvLedgerRow at = step(w);
        *off = fmax(*off, fabs(at.total - at.target) / at.scale);
        *deepest = fmax(*deepest, -at.minGap);
        if (i > 22 * parts)
            top = fmax(top, centre(w, 0, 1));
    }
    vvWorldDestroy(w);
    return (top - TOUCH) / FALL;
}

/* With ten iterations a step of 1/30 s, three steps a contact: the cube comes back as high as small steps say, less
 * 3%; with backward Euler it stays. It goes in by no more than the energy of its fall allows. */
static void a_cube_comes_back_from_balls(void **state)
{
    (void)state;
    double off, deepest;
    const double high = comes_back(&cube_on_balls, "implicit-midpoint", "none", sized(6, 8, 20), &off, &deepest);
    const double back = comes_back(&cube_on_balls, "implicit-midpoint", "blend", 1, &off, &deepest);
    print_message("small steps %.4f, blend %.4f; off %.3g, %.3g m deep\n", high, back, off, deepest);
    assert_less(0.97 * high, back);
    assert_less(back, 1.02);
    assert_less(off, 0.02);
    assert_less(deepest, 0.5);
    const double stays = comes_back(&cube_on_balls, "backward-euler", "none", 1, &off, &deepest);
    print_message("backward Euler %.4f\n", stays);
    assert_less(stays, 0.3);
}

/* A critter that slides from rest down a slope, on its back: the way is g (sin a - k_f cos a) t^2 / 2, to a tenth;
 * friction's loss is booked. */
static void a_critter_slides_down_as_it_should(void **state)
{
    (void)state;
    static const char *const friction[] = { "contact.friction=0", "contact.friction=0.2" };
    const double angle = 20 * acos(-1) / 180, seconds = 2;
    for (int k = 0; k < 2; k++) {
        const small slide = { "scenes/sliding-critter.json",
                              { friction[k], "solver.acceleration=anderson", "bodies[0].mesh.critter.edge=0.14" } };
        vvWorld *w = load(&slide, "implicit-midpoint", "blend");
        const double from = centre(w, cos(angle), -sin(angle)),
                     want = 0.5 * 9.8 * (sin(angle) - 0.2 * k * cos(angle)) * seconds * seconds;
        double lost = 0, off = 0, named = 0, mass = 0;
        for (int i = 0; i < 30 * seconds; i++) {
            const vvLedgerRow at = step(w);
            lost += at.friction;
            off = fmax(off, fabs(at.total - at.target) / at.scale);
        }
        for (int i = 0; i < vvWorldNodeCount(w); i++)
            mass += vvWorldMasses(w)[i];
        const double way = centre(w, cos(angle), -sin(angle)) - from;
        named = 0.2 * k * mass * 9.8 * cos(angle) * way;
        print_message("k_f %.1f: %.3f m, g (sin a - k_f cos a) t^2 / 2 = %.3f; friction %.4g J of %.4g\n", 0.2 * k, way,
                      want, lost, named);
        assert_less(fabs(way / want - 1), k ? 0.1 : 0.02);
        assert_less(fabs(lost - named), 0.2 * named + 1e-9);
        assert_less(off, EPSILON * (1 + 1e-9));
        vvWorldDestroy(w);
    }
}

/* ---- a random start ---- */

static const char random_box[] =
    "{ \"visviva\": 1, \"time\": { \"step\": 0.033, \"end\": 33 }, \"gravity\": [0, 0, 0],"
    "  \"materials\": { \"cactus\": { \"model\": \"corotated\", \"young\": 1e5, \"poisson\": 0.3, \"density\": 1000,"
    "    \"damping\": { \"momentum_per_step\": 0.08 } } },"
    "  \"bodies\": [ { \"material\": \"cactus\", \"mesh\": { \"box\": { \"size\": [0.1, 0.3, 0.1], \"cells\": [3, 9, "
    "3] } },"
    "    \"start\": [ { \"random\": { \"size\": 1 } } ] } ] }";

/* Energy after so many steps, as a part of that of the start, which is all elastic. */
static double left_of_random(const char *policy, const char *method, int seed, int budget, int steps)
{
    char of[4][64];
    const char *const overrides[] = {
        of[0], of[1], of[2], of[3], "integrator.scheme=implicit-midpoint", "integrator.ground_energy=0"
    };
    vvScene *scene = NULL;
    vvWorld *w = NULL;
    vvLedgerRow start, end = { 0 };
    snprintf(of[0], sizeof of[0], "integrator.policy=%s", policy);
    snprintf(of[1], sizeof of[1], "seed=%d", seed);
    snprintf(of[2], sizeof of[2], "solver.budget=%d", budget);
    snprintf(of[3], sizeof of[3], "solver.method=%s", method);
    if (vvSceneParse(random_box, "random-box", ".", overrides, 6, &scene, &error) ||
        vvSceneCreateWorld(scene, 1, &w, &error) || vvWorldLedger(w, &start, &error))
        fail_msg("%s", error.message);
    for (int i = 0; i < steps; i++)
        end = step(w);
    vvSceneDestroy(scene);
    vvWorldDestroy(w);
    assert_true(start.total > 0 && start.kinetic == 0);
    return end.total / start.total;
}

/* The midpoint rule alone shakes on with 10 iterations of lbfgs, from most starts. (With as few of local-global it
 * may come back too: what they leave unsolved damps.) */
static void a_random_start_comes_back(void **state)
{
    (void)state;
    const int seeds = sized(1, 2, 10);
    double worst = 0;
    for (int seed = 1; seed <= seeds; seed++) {
        for (int budget = 5; budget <= 20; budget *= 2)
            assert_less(left_of_random("blend", "local-global", seed, budget, 200), 1e-4);
        double blend = left_of_random("blend", "lbfgs", seed, 10, 500),
               alone = left_of_random("none", "lbfgs", seed, 10, 500);
        print_message("seed %d: %.2g, without %.2g\n", seed, blend, alone);
        assert_less(blend, 1e-3);
        worst = fmax(worst, alone);
    }
    assert_less(1e-2, worst);
}

/* ---- wrinkles ---- */

/* Energy of the weave's bend springs that are shorter than at rest, J: cloth that hangs stretches them, only folds
 * make them shorter. */
static double wrinkles(const vvWorld *w, int cells)
{
    const double *x = vvWorldPositions(w), k = 20, rest = 2 * 2.0 / cells; /* of the scene: N/m; 2 m */
    double sum = 0;
    assert_int_equal(vvWorldNodeCount(w), (cells + 1) * (cells + 1));
    for (int v = 0; v < (cells + 1) * (cells + 1); v++)
        for (int along = 0; along < 2; along++) {
            int at = along ? v % (cells + 1) : v / (cells + 1), far = v + 2 * (along ? 1 : cells + 1);
            if (at + 2 > cells)
                continue;
            double d[3] = { x[3 * far] - x[3 * v], x[3 * far + 1] - x[3 * v + 1], x[3 * far + 2] - x[3 * v + 2] };
            double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            sum += length < rest ? 0.5 * k * (length - rest) * (length - rest) : 0;
        }
    return sum;
}

/* After the shaking has ended, at 3.6 s: the mean until 7 s, in long tests 10 s. */
static double later_wrinkles(const char *scheme, const char *policy)
{
    vvWorld *w = load(shipped + 1, scheme, policy);
    const int last = sized(210, 210, 300);
    double sum = 0;
    for (int i = 1; i <= last; i++) {
        step(w);
        sum += i > 120 ? wrinkles(w, 16) : 0;
    }
    vvWorldDestroy(w);
    return sum / (last - 120);
}

static void shaken_cloth_keeps_its_wrinkles(void **state)
{
    (void)state;
    double blend = later_wrinkles("implicit-midpoint", "blend"), bdf2 = later_wrinkles("bdf2", "none");
    print_message("%.3g J, with BDF2 %.3g J\n", blend, bdf2);
    assert_less(2 * bdf2, blend);
}

/* ---- turning ---- */

/* |L| and H after the steps, as parts of those at the start; *off: the largest change of the vector L on the way. */
static void spin(const char *scheme, const char *policy, int steps, double *turning, double *energy, double *off)
{
    vvWorld *w = load(&cube, scheme, policy);
    vvLedgerRow start, at = { 0 };
    if (vvWorldLedger(w, &start, &error))
        fail_msg("%s", error.message);
    const double *l0 = start.angularMomentumCentre, *l = at.angularMomentumCentre, size = l0[2];
    assert_true(size > 0);
    *off = 0;
    for (int i = 0; i < steps; i++) {
        at = step(w);
        for (int k = 0; k < 3; k++)
            *off = fmax(*off, fabs(l[k] - l0[k]) / size);
    }
    *turning = sqrt(l[0] * l[0] + l[1] * l[1] + l[2] * l[2]) / size;
    *energy = at.total / start.total;
    vvWorldDestroy(w);
}

static void what_turns_goes_on(void **state)
{
    (void)state;
    const int steps = sized(200, 300, 3000);
    double turning, energy, off;
    spin("implicit-midpoint", "blend", steps, &turning, &energy, &off);
    print_message("blend: L %.4f, H %.4f\n", turning, energy);
    assert_less(fabs(energy - 1), EPSILON * (1 + 1e-9));
    assert_less(off, EPSILON);
    static const char *const schemes[] = { "backward-euler", "bdf2", "implicit-midpoint" };
    for (int i = 0; i < 3; i++) {
        spin(schemes[i], "project", steps, &turning, &energy, &off);
        print_message("project over %s: off by %.1g\n", schemes[i], off);
        assert_less(off, 1e-7);
        assert_less(fabs(energy - 1), 2e-7);
    }
    spin("backward-euler", "none", steps, &turning, &energy, &off);
    print_message("backward Euler: L %.4f, H %.4f\n", turning, energy);
    assert_less(turning, 0.6);
    assert_less(energy, 0.4);
}

/* ---- contact ---- */

typedef struct story {
    double off, deepest, seen, kinetic; /* largest |H - T| / S; m; means of the second half, J */
} story;

static story tell(const small *r, const char *policy, int steps)
{
    vvWorld *w = load(r, "bdf2", policy);
    story t = { 0 };
    for (int i = 0; i < steps; i++) {
        const vvLedgerRow at = step(w);
        assert_true(isfinite(at.total));
        t.off = fmax(t.off, fabs(at.total - at.target) / at.scale);
        t.deepest = fmax(t.deepest, -at.minGap);
        if (2 * i >= steps)
            t.seen += 2 * at.visible / steps, t.kinetic += 2 * at.kinetic / steps;
    }
    vvWorldDestroy(w);
    return t;
}

/* Half of the cloth's thickness is outside of its middle; the ball has 28 cm: neither comes as far as to the middle
 * of the other. */
static void what_collides_goes_on(void **state)
{
    (void)state;
    static const double deepest[] = { 0.08, 0.28 };
    const int steps = sized(240, 300, 10000);
    for (int i = 0; i < 2; i++) {
        const story with = tell(touching + i, "project", steps), without = tell(touching + i, "none", steps);
        print_message("%-28s off %.1g, %.3f m deep, %.3g J seen of %.3g J; without %.3f m, %.3g J\n", touching[i].scene,
                      with.off, with.deepest, with.seen, with.kinetic, without.deepest, without.seen);
        assert_less(with.off, 1.01e-7);
        assert_less(with.deepest, deepest[i]);
        assert_less(without.deepest, deepest[i]);
        assert_less(0, with.deepest);
        assert_less(2 * without.seen, with.seen);
        assert_less(0.7 * with.kinetic, with.seen);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blend_stays_at_the_target),
        cmocka_unit_test(a_cube_comes_back_from_balls),
        cmocka_unit_test(a_critter_slides_down_as_it_should),
        cmocka_unit_test(a_random_start_comes_back),
        cmocka_unit_test(shaken_cloth_keeps_its_wrinkles),
        cmocka_unit_test(what_turns_goes_on),
        cmocka_unit_test(what_collides_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
