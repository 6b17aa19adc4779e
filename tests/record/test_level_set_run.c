/* Level sets and penalties of scenes, with the real world: solids from generators and files, and what is wrong with
 * them; run files, which hold the distances and can be read without the files that they came from; resuming, between
 * bodies that penetrate. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "visviva/visviva.h"
#include "resume_support.h"

#define FOLDER VV_BUILD_DIR "/test_level_set_files"

static vvError error;

static vvStatus load(const char *contact, const char *obstacle, vvWorld **world)
{
    char text[4096];
    vvScene *scene;
    *world = NULL;
    snprintf(text, sizeof text,
             "{ 'visviva': 1, 'time': { 'step': '1/24' }, 'contact': { %s }, 'bodies': [ { 'name': 'ball', 'mesh': { "
             "'ball': { 'radius': 0.1, 'cells': 2 } },"
             " 'place': { 'translate': [0, 0.25, 0] }, 'copies': { 'count': [1, 2, 1], 'step': [0.03, 0.25, 0] } } ], "
             "'obstacles': [ %s ] }",
             contact, obstacle);
    for (char *p = text; *p; p++)
        if (*p == '\'')
            *p = '"';
    vvStatus status = vvSceneParse(text, "s.json", FOLDER, NULL, 0, &scene, &error);
    if (status != VV_OK)
        return status;
    status = vvSceneCreateWorld(scene, 1, world, &error);
    vvSceneDestroy(scene);
    return status;
}

static vvWorld *good(const char *contact, const char *obstacle)
{
    vvWorld *w;
    if (load(contact, obstacle, &w) != VV_OK)
        fail_msg("refused: %s", error.message);
    return w;
}

static void bad(const char *contact, const char *obstacle, const char *part)
{
    vvWorld *w;
    if (load(contact, obstacle, &w) != VV_ERROR_INPUT || w)
        fail_msg("%s is not refused as input: %s", obstacle, error.message);
    if (!strstr(error.message, part))
        fail_msg("message: %s\nlacks: %s", error.message, part);
}

static void write_text(const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, FOLDER "/%s", name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static const char penalty[] = "'model': 'penalty', 'penalty': { 'stiffness': 1e7 }, 'friction': 0.3";
static const char cube[] =
    "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n"
    "f 1 3 2\nf 1 4 3\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8\n";

static void solids_come_from_files_and_generators(void **state)
{
    (void)state;
    int counts[3], values;
    const double *value;
    write_text("cube.obj", cube);
    vvWorld *w = good(penalty, "{ 'level-set': { 'center': [0, -0.2, 0] }, 'solid': { 'file': 'cube.obj', 'scale': "
                               "0.2, 'spacing': 0.1, 'margin': 0.15 } },"
                               "{ 'level-set': {}, 'solid': { 'ball': { 'radius': 0.4 } }, 'copies': { 'count': [2, 1, "
                               "1], 'step': [3, 0, 0] } }");
    const double *s = vvWorldObstacleSamples(w, 0, counts);
    assert_true(counts[0] == 8 && counts[1] == 8 && counts[2] == 8); /* 0.4 m and 0.15 m on either side */
    assert_string_equal(vvWorldObstacle(w, 0, &value, &values), "level-set");
    assert_true(values == 10 && value[1] == -0.2 && fabs(value[6] + 0.35) < 1e-12 && fabs(value[9] - 0.1) < 1e-12);
    assert_true(fabs(s[0] - 0.15 * sqrt(3)) < 1e-12);
    assert_true(fabs(s[(3 * 8 + 3) * 8 + 3] + 0.15) < 1e-12);
    assert_true(vvWorldObstacleSamples(w, 2, counts) && counts[0] > 20);
    assert_string_equal(vvWorldObstacle(w, 2, &value, NULL), "level-set");
    assert_true(value[0] == 3);
    vvWorldDestroy(w);
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    write_text("cube.obj", cube);
    write_text("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n");
    bad(penalty, "{ 'level-set': {} }", "obstacles[0]: a level-set needs \"solid\"");
    bad(penalty, "{ 'level-set': {}, 'solid': {} }", "obstacles[0].solid: found none; allowed: exactly one of file, ");
    bad(penalty, "{ 'level-set': {}, 'solid': { 'ball': {}, 'file': 'cube.obj' } }",
        "obstacles[0].solid: found several");
    bad(penalty, "{ 'plane': {}, 'solid': { 'ball': {} } }",
        "obstacles[0].solid: is for the obstacle \"level-set\" only");
    bad(penalty, "{ 'level-set': { 'spacing': 1 }, 'solid': { 'ball': {} } }",
        "obstacles[0].level-set.spacing: is that of the solid's grid");
    bad(penalty, "{ 'level-set': {}, 'solid': { 'ball': {}, 'spacing': 0 } }", "obstacles[0].solid.spacing");
    bad(penalty, "{ 'level-set': {}, 'solid': { 'ball': {}, 'spacing': 1e-7 } }", "give a larger spacing");
    bad(penalty, "{ 'level-set': {}, 'solid': { 'cloth': {} } }", "obstacles[0].solid: the surface bounds no volume");
    bad(penalty, "{ 'level-set': {}, 'solid': { 'file': 'open.obj' } }", "open edge");
    bad(penalty, "{ 'level-set': {}, 'solid': { 'file': 'missing.obj' } }", "missing.obj");
    bad("'penalty': { 'stiffness': 1 }", "",
        "contact.penalty: found settings of the model penalty, but contact.model is not given");
    bad("'model': 'penalty', 'penalty': { 'stiffness': -1 }", "", "contact.penalty.stiffness");
    bad("'model': 'penalty', 'springs': { 'stiffness': 1 }", "",
        "contact.springs: found settings of the model springs");
    vvWorld *w = good("'model': 'barrier'", "{ 'level-set': { 'center': [0, -1, 0] }, 'solid': { 'ball': {} } }");
    assert_int_equal(vvWorldBake(w, &error), VV_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "obstacle 0 is a \"level-set\""));
    vvWorldDestroy(w);
    w = good("'model': 'springs'", "{ 'level-set': { 'center': [0, -1, 0] }, 'solid': { 'ball': {} } }");
    assert_int_equal(vvWorldBake(w, &error), VV_OK);
    vvWorldDestroy(w);
}

static void go_on(vvWorld *w, vvRunWriter *writer, int steps)
{
    vvStepReport report;
    for (; vvWorldStepIndex(w) < steps;)
        if (vvWorldStep(w, &report, &error) != VV_OK || vvRunAddStep(writer, w, &report, &error) != VV_OK ||
            vvRunAddFrame(writer, w, &error) != VV_OK)
            fail_msg("%s", error.message);
}

static void runs_hold_their_samples(void **state)
{
    (void)state;
    static const char solid[] = "{ 'level-set': { 'center': [0, -0.2, 0] }, 'solid': { 'file': 'cube.obj', 'scale': "
                                "0.2, 'spacing': 0.1 } }, { 'plane': { 'point': [0, -3, 0] } }";
    const char *path = FOLDER "/run.vtkhdf";
    write_text("cube.obj", cube);
    vvWorld *w = good(penalty, solid);
    vvRunWriter *writer = NULL;
    vvRun *run;
    int counts[3];
    if (vvWorldBake(w, &error) != VV_OK || vvRunCreate(path, w, "cube", NULL, &writer, &error) != VV_OK)
        fail_msg("%s", error.message);
    go_on(w, writer, 12);
    assert_int_equal(vvRunClose(writer, "done", &error), VV_OK);
    double *end = malloc(3 * (size_t)vvWorldNodeCount(w) * sizeof *end);
    memcpy(end, vvWorldPositions(w), 3 * (size_t)vvWorldNodeCount(w) * sizeof *end);
    vvWorldDestroy(w);

    /* resumed where bodies are inside of each other and of the obstacle: the same bits */
    w = good(penalty, solid);
    if (resume_at(path, w, 7, &writer, &error) != VV_OK)
        fail_msg("%s", error.message);
    go_on(w, writer, 12);
    assert_int_equal(vvRunClose(writer, "done", &error), VV_OK);
    assert_memory_equal(end, vvWorldPositions(w), 3 * (size_t)vvWorldNodeCount(w) * sizeof *end);
    vvLedgerTotals totals;
    vvWorldTotals(w, &totals);
    assert_true(totals.minGap < 0);
    free(end);
    const double *given = vvWorldObstacleSamples(w, 0, counts);
    const int all = counts[0] * counts[1] * counts[2];
    assert_int_equal(unlink(FOLDER "/cube.obj"), 0);
    assert_int_equal(vvRunOpen(path, &run, &error), VV_OK);
    const double *s = vvRunObstacleSamples(run, 0, counts);
    assert_int_equal(counts[0] * counts[1] * counts[2], all);
    assert_memory_equal(s, given, (size_t)all * sizeof *s);
    assert_null(vvRunObstacleSamples(run, 1, counts));
    assert_true(counts[0] == 0 && counts[1] == 0 && counts[2] == 0);
    vvMesh mesh;
    assert_int_equal(vvRunObstacleMesh(run, 0, 1, &mesh, &error), VV_OK);
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < mesh.vertexCount; i++) {
        low = fmin(low, mesh.positions[3 * (size_t)i + 1]);
        high = fmax(high, mesh.positions[3 * (size_t)i + 1]);
    }
    assert_true(fabs(low + 0.4) < 0.02 && fabs(high) < 0.02);
    vvMeshDestroy(&mesh);
    vvRunFree(run);
    vvWorldDestroy(w);
}

static int make_folder(void **state)
{
    (void)state;
    mkdir(FOLDER, 0777);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solids_come_from_files_and_generators),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(runs_hold_their_samples),
    };
    return cmocka_run_group_tests(tests, make_folder, NULL);
}
