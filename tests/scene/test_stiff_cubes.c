/* Stiff bodies in long steps, where "pcg" has its second level: iterations of cubes, from both sides; the same bits on
 * any number of threads, after a snapshot, a saved state, a step that was cancelled, and a body that came and went. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "size.h"
#include "visviva/scene.h"

static vvWorld *make(const char *text, int threads)
{
    vvError error = { 0 };
    vvScene *scene = NULL;
    vvWorld *world = NULL;
    char *json = strdup(text);
    for (char *p = json; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    if (vvSceneParse(json, "s", ".", NULL, 0, &scene, &error) != VV_OK ||
        vvSceneCreateWorld(scene, threads, &world, &error) != VV_OK)
        fail_msg("%s", error.message);
    vvSceneDestroy(scene);
    free(json);
    return world;
}

static void step(vvWorld *w)
{
    vvError error = { 0 };
    vvStepReport report;
    if (vvWorldStep(w, &report, &error) != VV_OK)
        fail_msg("%s", error.message);
}

/* ---- iterations ---- */

/* A cube of 10 cm that turns, free or about a fixed edge: PCG iterations a Newton iteration. */
static double iterations(int cells, double young, bool fixed, const char *linear, int steps)
{
    char text[1000];
    snprintf(
        text, sizeof text,
        "{ 'visviva': 1, 'name': 'cube', 'time': { 'step': '1/30', 'end': 10 }, 'solver': { 'linear': '%s' },"
        "  'integrator': { 'scheme': 'backward-euler' },"
        "  'materials': { 'm': { 'model': 'corotated', 'young': %g, 'poisson': 0.3, 'density': 1000 } },"
        "  'bodies': [ { 'name': 'cube', 'material': 'm', 'mesh': { 'box': { 'size': [0.1, 0.1, 0.1], 'cells': [%d, "
        "%d, %d] } }, 'velocity': { 'angular': [0, 0, 15], 'about': [-0.05, -0.05, 0] }%s } ] }",
        linear, young, cells, cells, cells,
        fixed ? ", 'attach': [ { 'kind': 'fixed', 'where': { 'box': [[-0.0501, -0.0501, -0.0501], [-0.0499, "
                "-0.0499, 0.0501]] } } ]"
              : "");
    vvWorld *w = make(text, 2);
    vvLedgerTotals totals;
    for (int k = 0; k < steps; k++)
        step(w);
    vvWorldTotals(w, &totals);
    vvWorldDestroy(w);
    const double each = (double)totals.pcgIterations / (double)totals.newtonIterations;
    print_message("%d cells, E %g, %s, %s: %.1f PCG iterations a Newton iteration\n", cells, young,
                  fixed ? "fixed" : "free", linear, each);
    return each;
}

static void test_iterations(void **state)
{
    (void)state;
    for (double young = 1e6; young < 1e9; young *= 100)
        for (int fixed = 0; fixed < 2; fixed++) {
            for (int cells = 10; cells <= (sized(0, 0, 1) ? 40 : 20); cells += cells < 20 ? 10 : 20)
                assert_true(iterations(cells, young, fixed, "pcg", fixed && cells < 20 ? 4 : 1) <= 25);
            assert_true(iterations(10, young, fixed, "pcg-jacobi", 1) > (fixed ? 60 : 25));
        }
}

/* ---- bits ---- */

/* Two stiff blocks that meet, one of them with a fixed face, a stiff shell and a rod with directors, a small affine
 * body and a hinged flap; short enough to be run often. */
static const char crowd[] =
    "{ 'visviva': 1, 'name': 'crowd', 'time': { 'step': '1/50', 'end': 10 }, 'solver': { 'linear': 'pcg' },"
    "  'integrator': { 'scheme': 'backward-euler' }, 'contact': { 'model': 'barrier', 'distance': 2e-3 },"
    "  'materials': { 'm': { 'model': 'stable-neo-hookean', 'young': 1e8, 'poisson': 0.3, 'density': 1000 } },"
    "  'bodies': ["
    "    { 'name': 'block', 'material': 'm', 'mesh': { 'box': { 'size': [0.2, 0.2, 0.2], 'cells': [9, 9, 9] } },"
    "      'attach': [ { 'kind': 'fixed', 'where': { 'box': [[-1, -1, -1], [1, -0.0999, 1]] } } ] },"
    "    { 'name': 'falling', 'material': 'm', 'mesh': { 'box': { 'size': [0.1, 0.1, 0.3], 'cells': [5, 5, 14] } },"
    "      'place': { 'translate': [0, 0.16, 0.03] }, 'velocity': { 'linear': [0, -0.5, 0], 'angular': [0, 1, 2] } },"
    "    { 'name': 'shell', 'mesh': { 'sheet': { 'size': [0.2, 0.2], 'edge': 0.05 } }, 'thickness': 5e-3,"
    "      'material': [ { 'model': 'stvk-membrane', 'young': 1e7 }, { 'model': 'midedge', 'young': 1e7 } ],"
    "      'place': { 'translate': [0, 1, 0] }, 'start': [ { 'bend': { 'angle': 60 } } ] },"
    "    { 'name': 'curl', 'mesh': { 'helix': { 'radius': 0.1, 'pitch': 0.05, 'turns': 1.5 } }, 'thickness': 5e-3,"
    "      'material': [ { 'model': 'rod-stretch', 'young': 1e7 }, { 'model': 'rod', 'young': 1e7 } ],"
    "      'place': { 'translate': [1, 2, 0] } } ],"
    "  'obstacles': [ { 'plane': { 'point': [0, -0.3, 0], 'normal': [0, 1, 0] } } ] }";
enum { STEPS = 12 };

static double *end_of(vvWorld *w)
{
    const size_t bytes = 6 * (size_t)vvWorldNodeCount(w) * sizeof(double);
    double *x = malloc(bytes);
    memcpy(x, vvWorldPositions(w), bytes / 2);
    memcpy(x + 3 * vvWorldNodeCount(w), vvWorldVelocities(w), bytes / 2);
    return x;
}

static void same(const double *x, vvWorld *w)
{
    double *y = end_of(w);
    assert_memory_equal(x, y, 6 * (size_t)vvWorldNodeCount(w) * sizeof *x);
    free(y);
}

static bool stop(void *user) { return --*(int *)user < 0; }

static void test_threads(void **state)
{
    (void)state;
    double *x = NULL;
    for (int threads = 1; threads <= 3; threads++) {
        vvWorld *w = make(crowd, threads);
        for (int k = 0; k < STEPS; k++)
            step(w);
        if (x)
            same(x, w);
        free(x);
        x = end_of(w);
        vvWorldDestroy(w);
    }
    free(x);
}

/* What the solver learned goes back with the world. */
static void test_back(void **state)
{
    (void)state;
    vvWorld *w = make(crowd, 2), *other = make(crowd, 1);
    vvError error = { 0 };
    vvStepReport report;
    vvSnapshot *snapshot = NULL;
    size_t size = 0;
    char *saved = NULL;
    for (int k = 0; k < STEPS; k++) {
        if (k == STEPS / 2) {
            assert_int_equal(vvWorldSnapshot(w, &snapshot, &error), VV_OK);
            size = vvWorldStateSize(w);
            saved = malloc(size);
            assert_int_equal(vvWorldSaveState(w, saved, size, &error), VV_OK);
        }
        int left = 2 + 3 * (k % 3); /* a step that is cancelled on its way, and made again */
        vvWorldSetCancel(other, stop, &left);
        if (vvWorldStep(other, &report, &error) == VV_CANCELLED) {
            vvWorldSetCancel(other, NULL, NULL);
            step(other);
        }
        step(w);
    }
    double *x = end_of(w);
    same(x, other);
    for (int k = 0; k < 2; k++) { /* the same world, with what it has learned since; and a new one */
        if (k == 0) {
            assert_int_equal(vvWorldRestore(w, snapshot, &error), VV_OK);
        } else {
            vvWorldDestroy(w);
            w = make(crowd, 3);
            assert_int_equal(vvWorldLoadState(w, saved, size, &error), VV_OK);
        }
        for (int i = STEPS / 2; i < STEPS; i++)
            step(w);
        same(x, w);
    }
    free(x);
    free(saved);
    vvSnapshotDestroy(snapshot);
    vvWorldDestroy(w);
    vvWorldDestroy(other);
}

/* Two worlds in which the same body goes after five steps go on alike, whether or not they were stepped on before. */
static void test_bodies_go(void **state)
{
    (void)state;
    double *x = NULL;
    for (int threads = 1; threads <= 2; threads++) {
        vvWorld *w = make(crowd, threads);
        vvError error = { 0 };
        for (int k = 0; k < STEPS; k++) {
            if (k == 5)
                assert_int_equal(vvWorldRemoveBody(w, vvWorldBody(w, 2), &error), VV_OK);
            step(w);
        }
        if (x)
            same(x, w);
        free(x);
        x = end_of(w);
        vvWorldDestroy(w);
    }
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_iterations), cmocka_unit_test(test_threads),
                                        cmocka_unit_test(test_back), cmocka_unit_test(test_bodies_go) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
