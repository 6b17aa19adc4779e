/* Small worlds in scene files: points and edges in the scene itself, potentials, chains of rods; the scenes of the
 * page run and do what it says; what is refused, and where. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "visviva/scene.h"

static vvError error;

static vvStatus try_json(const char *json, vvWorld **world)
{
    vvScene *scene = NULL;
    error = (vvError){ 0 };
    vvStatus status = vvSceneParse(json, "s", ".", NULL, 0, &scene, &error);
    if (status == VV_OK)
        status = vvSceneCreateWorld(scene, 1, world, &error);
    vvSceneDestroy(scene);
    return status;
}

/* Single quotes stand for double ones. */
static vvStatus try_text(const char *text, vvWorld **world)
{
    char *json = strdup(text);
    for (char *p = json; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    vvStatus status = try_json(json, world);
    free(json);
    return status;
}

static vvWorld *make(const char *text)
{
    vvWorld *world = NULL;
    if (try_text(text, &world) != VV_OK)
        fail_msg("%s\n%s", error.message, text);
    return world;
}

static void bad(const char *text, const char *says)
{
    vvWorld *world = NULL;
    assert_int_equal(try_text(text, &world), VV_ERROR_INPUT);
    assert_null(world);
    if (!strstr(error.message, says))
        fail_msg("message: %s\nlacks: %s", error.message, says);
}

static vvLedgerRow ledger(vvWorld *w)
{
    vvLedgerRow row;
    assert_int_equal(vvWorldLedger(w, &row, &error), VV_OK);
    return row;
}

static void steps(vvWorld *w, int count)
{
    for (int i = 0; i < count; i++)
        if (vvWorldStep(w, NULL, &error) != VV_OK)
            fail_msg("%s", error.message);
}

/* ---- meshes ---- */

#define HEAD "{ 'visviva': 1, 'gravity': [0, 0, 0], "

static void points_and_edges(void **state)
{
    (void)state;
    vvWorld *w = make(
        HEAD
        "'bodies': [ { 'mesh': { 'points': [[1, 2, '1/2'], [0, 0, 0], [-1, 5, 3]] }, 'material': { 'density': 3 } },"
        " { 'mesh': { 'points': [[0, 9, 0], [2, 9, 0], [1, 9, 1]], 'edges': [[0, 1], [2, 1]] }, 'place': { 'scale': 2 "
        "},"
        "   'material': { 'model': 'hooke-rod', 'density': 3, 'stiffness': 7 } } ], 'contact': { 'model': 'none' } }");
    const double *x = vvWorldPositions(w), *m = vvWorldMasses(w), want[9] = { 1, 2, 0.5, 0, 0, 0, -1, 5, 3 };
    vvBodyElements e;
    assert_memory_equal(x, want, sizeof want);
    assert_true(m[0] == 3 && m[1] == 3 && m[2] == 3);
    vvBodyGetElements(w, vvWorldBody(w, 1), &e);
    assert_int_equal(e.edgeCount, 2);
    assert_true(e.pointCount == 0 && e.edges[1] == 4 && x[9] == 0 && x[10] == 18 && x[12] == 4);
    assert_true(fabs(m[3] - 6) < 1e-14 && fabs(m[5] - 3 * sqrt(2)) < 1e-14 && fabs(m[4] - m[3] - m[5]) < 1e-14);
    vvWorldDestroy(w);
}

static void meshes_are_refused(void **state)
{
    (void)state;
#define MESH(text) HEAD "'bodies': [ { 'mesh': { " text " } } ] }"
    bad(MESH("'points': []"),
        "bodies[0].mesh.points: found a list of 0; allowed: a list of positions, [[x, y, z], ...], not empty");
    bad(MESH("'points': [1, 2, 3]"), "bodies[0].mesh.points[0]: found the number 1; allowed: a list of 3 numbers, m");
    bad(MESH("'points': [[1, 2]]"), "bodies[0].mesh.points[0]");
    bad(MESH("'points': [[1, 2, 1e300]]"), "bodies[0].mesh.points[0][2]");
    bad(MESH("'points': [[0, 0, 0], [1, 0, 0], [0, 0, 0]]"), "bodies[0].mesh: of 3 points only 2 count");
    bad(MESH("'points': [[0, 0, 0], [1, 0, 0], [2, 0, 0]], 'edges': [[0, 1]]"), "of 3 points only 2 count");
    bad(MESH("'points': [[0, 0, 0], [1, 0, 0]], 'edges': [[0, 2]]"),
        "bodies[0].mesh.edges[0]: found [0, 2]; allowed: two different points of 0 to 1");
    bad(MESH("'points': [[0, 0, 0], [1, 0, 0]], 'edges': [[1, 0], [1, 1]]"), "bodies[0].mesh.edges[1]");
    bad(MESH("'points': [[0, 0, 0], [1, 0, 0]], 'edges': [[0, 1, 2]]"), "bodies[0].mesh.edges[0]");
    bad(MESH("'points': [[0, 0, 0], [1, 0, 0]], 'edges': [[0, 0.5]]"), "bodies[0].mesh.edges[0][1]");
    bad(MESH("'points': [[0, 0, 0], [1, 0, 0]], 'edges': [[0, -1]]"), "bodies[0].mesh.edges[0][1]");
    bad(MESH("'box': {}, 'edges': [[0, 1]]"), "bodies[0].mesh.edges: join the points of a mesh");
    bad(MESH("'box': {}, 'points': [[0, 0, 0]]"), "found several; allowed: exactly one of file, points, box");
    bad(MESH("'edges': [[0, 1]]"), "bodies[0].mesh: found none; allowed: exactly one of file, points");
    bad(HEAD "'bodies': [ { 'mesh': { 'box': {} } } ], 'obstacles': [ { 'mesh': { 'points': [[0, 0, 0]] } } ] }",
        "unknown key");
}

/* ---- potentials ---- */

static void potentials(void **state)
{
    (void)state;
    vvWorld *w =
        make(HEAD "'bodies': [ { 'mesh': { 'points': [[3, 0, 0], [0, 4, 0]] }, 'attach': ["
                  " { 'where': { 'all': true }, 'kind': 'potential', 'potential': { 'harmonic': { 'stiffness': 2 } } },"
                  " { 'where': { 'vertices': [1] }, 'kind': 'potential', 'potential': { 'quadratic-wall': { 'point': "
                  "[0, 5, 0] } } },"
                  " { 'where': { 'vertices': [0] }, 'kind': 'potential', 'potential': { 'quartic': { 'center': [2, 0, "
                  "0], 'stiffness': 128 } } }"
                  " ] } ] }");
    assert_true(fabs(ledger(w).attachment - (9 + 16 + 5000 + 128)) < 1e-9);
    vvWorldDestroy(w);
}

static void potentials_are_refused(void **state)
{
    (void)state;
#define ATTACH(text) \
    HEAD "'bodies': [ { 'mesh': { 'points': [[0, 1, 0]] }, 'attach': [ { 'where': { 'all': true }, " text " } ] } ] }"
    bad(ATTACH("'kind': 'potential'"),
        "bodies[0].attach[0].potential: found none; allowed: exactly one of harmonic, spring");
    bad(ATTACH("'kind': 'potential', 'potential': {}"), "found none");
    bad(ATTACH("'kind': 'potential', 'potential': { 'harmonic': {}, 'quartic': {} }"), "found several");
    bad(ATTACH("'potential': { 'harmonic': {} }"), "bodies[0].attach[0]: potential belongs to \"kind\": \"potential\"");
    bad(ATTACH("'kind': 'potential', 'potential': { 'harmonc': {} }"), "potential.harmonc: unknown key");
    bad(ATTACH("'kind': 'potential', 'potential': { 'harmonic': { 'length': 1 } }"), "harmonic.length: unknown key");
    bad(ATTACH("'kind': 'potential', 'potential': { 'harmonic': { 'stiffness': -1 } }"),
        "harmonic.stiffness: found the number -1; allowed: a number from 0");
    bad(ATTACH("'kind': 'potential', 'potential': { 'harmonic': {} }, 'motion': { 'velocity': [1, 0, 0] }"),
        "a potential does not move");
    bad(ATTACH("'kind': 'potential', 'potential': { 'harmonic': {} }, 'stiffness': 1"), "stiffness belongs to");
    bad(ATTACH("'kind': 'potential', 'potential': { 'quadratic-wall': { 'normal': [0, 0, 0] } }"),
        "bodies[0].attach[0]: attach: quadratic-wall.normal is (0, 0, 0)");
}

/* ---- the page ---- */

/* The n-th scene of the section "Small worlds". */
static char *scene_of_page(int n)
{
    char *text = NULL;
    size_t size = 0, used = 0;
    FILE *f = fopen(VV_SOURCE_DIR "/docs/bodies.md", "r");
    assert_non_null(f);
    for (int c; (c = fgetc(f)) != EOF;) {
        if (used + 2 > size)
            text = realloc(text, size = 2 * size + 1024);
        text[used++] = (char)c;
        text[used] = 0;
    }
    fclose(f);
    const char *at = strstr(text, "\n## Small worlds\n"), *end = at ? strstr(at + 4, "\n## ") : NULL;
    for (int i = 0; at && i <= n; i++)
        at = strstr(at + 1, "```json\n");
    if (!at || (end && at > end))
        fail_msg("the page has no scene %d in its section", n);
    at += strlen("```json\n");
    char *scene = strndup(at, (size_t)(strstr(at, "\n```") - at));
    free(text);
    return scene;
}

/* 78,150 J at the start; and in the first steps of 0.033 s it does not come back to its rest length but goes out
 * beyond 1.5 m. */
static void the_revolving_spring(void **state)
{
    (void)state;
    vvWorld *w = NULL;
    char *json = scene_of_page(0);
    double farthest = 0;
    if (try_json(json, &w) != VV_OK)
        fail_msg("%s", error.message);
    assert_true(fabs(ledger(w).total - 78150) < 1e-6);
    for (int i = 0; i < 10; i++) {
        steps(w, 1);
        farthest = fmax(farthest, hypot(vvWorldPositions(w)[0], vvWorldPositions(w)[1]));
        assert_true(vvWorldPositions(w)[2] == 0);
    }
    assert_true(farthest > 1.5);
    vvWorldDestroy(w);
    free(json);
}

static void the_bar_against_a_wall(void **state)
{
    (void)state;
    vvWorld *w = NULL;
    char *json = scene_of_page(1);
    if (try_json(json, &w) != VV_OK)
        fail_msg("%s", error.message);
    assert_true(fabs(ledger(w).kinetic - 5) < 1e-9);
    steps(w, 150);
    assert_true(fabs(ledger(w).momentum[0] / 10 - 0.810) < 0.0015);
    vvWorldDestroy(w);
    free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_and_edges),     cmocka_unit_test(meshes_are_refused),
        cmocka_unit_test(potentials),           cmocka_unit_test(potentials_are_refused),
        cmocka_unit_test(the_revolving_spring), cmocka_unit_test(the_bar_against_a_wall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
