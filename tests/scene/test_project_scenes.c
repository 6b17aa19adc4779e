/* The policy project in shipped scenes with contact, over schemes that blow up there or end in nothing at an impact: H
 * within 1% of S, and the motion is that of the scene. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "size.h"
#include "visviva/scene.h"

typedef struct drive {
    const char *scene, *scheme, *set;
    double until;           /* s, in quick form */
    double lowest, highest; /* m: how far the first body's first node has gone by then */
} drive;
static const drive drives[] = {
    { "cards", "trapezoidal", "solver.tolerance=0.01", 0.1, 0, 0.005 },
    { "cards", "tr-bdf2", "solver.tolerance=0.01", 0.1, 0, 0.005 },
    { "bouncing-ball", "implicit-midpoint", "bodies[0].mesh.ball.cells=3", 0.6, 0.6, 1 },
    { "critter-drop", "implicit-midpoint", "bodies[0].mesh.critter.edge=0.035", 0.4, 0.15, 0.7 },
    { "cloth-on-ball", "implicit-midpoint", "bodies[0].mesh.sheet.edge=0.1", 0.3, 0, 0.5 },
    { "cloth-on-ball", "trapezoidal", "bodies[0].mesh.sheet.edge=0.1", 0.3, 0, 0.5 },
    { "dominoes", "bdf2", "solver.tolerance=0.01", 0.05, 0, 0.02 },
};

static void energy_stays_on_target(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof drives / sizeof *drives; i++) {
        const drive *d = drives + i;
        vvError error = { 0 };
        vvScene *scene = NULL;
        vvWorld *w = NULL;
        char path[512], scheme[64];
        snprintf(path, sizeof path, "%s/scenes/%s.json", VV_SOURCE_DIR, d->scene);
        snprintf(scheme, sizeof scheme, "integrator.scheme=%s", d->scheme);
        const char *overrides[] = { "integrator.policy=project", scheme, d->set };
        if (vvSceneLoad(path, overrides, 3, &scene, &error) != VV_OK)
            fail_msg("%s", error.message);
        assert_int_equal(vvSceneCreateWorld(scene, 1, &w, &error), VV_OK);
        const double until = sized(1, 1, 4) * d->until;
        double start[3], off = 0, way = 0;
        memcpy(start, vvWorldPositions(w), sizeof start);
        for (int k = 0; vvWorldTime(w) < until - 1e-9; k++) {
            vvLedgerRow row;
            if (vvWorldStep(w, NULL, &error) != VV_OK)
                fail_msg("%s over %s: %s", d->scene, d->scheme, error.message);
            assert_int_equal(vvWorldLedger(w, &row, &error), VV_OK);
            off = fmax(off, fabs(row.total - row.target) / row.scale);
        }
        for (int c = 0; c < 3; c++)
            way += pow(vvWorldPositions(w)[c] - start[c], 2);
        print_message("%s over %s: H off by %.1e S; a node has gone %.3g m\n", d->scene, d->scheme, off, sqrt(way));
        assert_true(off < 0.01);
        assert_true(sqrt(way) >= d->lowest && (until > d->until || sqrt(way) <= d->highest));
        vvWorldDestroy(w);
        vvSceneDestroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(energy_stays_on_target) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
