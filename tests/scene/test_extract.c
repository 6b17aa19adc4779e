/* Scenes that start from files of positions and velocities, at a time of their own; a few bodies of a running world
 * as a scene. */
#include "world_support.h"

#include "visviva/scene.h"
#include "visviva/settings.h"

#include <sys/stat.h>

static const char text[] =
    "{ 'visviva': 1, 'gravity': [0, -3, 0], 'time': { 'step': 0.01, 'end': 1 }, 'solver': { 'tolerance': 1e-6 },"
    "  'integrator': { 'decay_time': 2, 'ground_energy': -1, 'policy': 'search' },"
    "  'bodies': [ { 'name': 'row', 'mesh': { 'box': { 'cells': [1, 1, 1] } }, 'copies': { 'count': [3, 1, 1], 'step': "
    "[0.1015, 0, 0] },"
    "                'start': [ { 'angular': { 'rate': [0, 0.05, 0] } } ], 'velocity': { 'linear': [0, 0, 1] } },"
    "              { 'name': 'held', 'mesh': { 'box': { 'cells': [2, 1, 1] } }, 'place': { 'translate': [0, 0.3, 0], "
    "'rotate': [0, 0, 20] },"
    "                'attach': [ { 'where': { 'percent': [[0, 0, 0], [20, 100, 100]] }, 'motion': { 'angular': 90, "
    "'axis': [0, 0, 1] } } ] } ],"
    "  'obstacles': [ { 'plane': { 'point': [0, -1, 0] } },"
    "                 { 'mesh': { 'box': { 'size': [1, 0.02, 1], 'cells': [1, 1, 1] } }, 'place': { 'translate': [0, "
    "-0.063, 0] },"
    "                   'motion': { 'velocity': [0, -0.1, 0] } },"
    "                 { 'name': 'lid', 'mesh': { 'box': { 'size': [0.1, 0.02, 0.1], 'cells': [1, 1, 1] } }, 'place': { "
    "'translate': [1, 1, 0] },"
    "                   'copies': { 'count': [2, 1, 1], 'step': [1, 0, 0] }, 'motion': { 'angular': 200, 'axis': [0, "
    "1, 0], 'about': [1, 1, 0.3] } } ] }";

static vvStatus parse(const char *json, const char *folder, vvScene **scene, vvError *error)
{
    char *plain = strdup(json);
    for (char *p = plain; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    vvStatus status = vvSceneParse(plain, "s", folder, NULL, 0, scene, error);
    free(plain);
    return status;
}

static vvWorld *world_of(const vvScene *scene)
{
    vvError error = { 0 };
    vvWorld *w = NULL;
    assert_ok(vvSceneCreateWorld(scene, 1, &w, &error));
    return w;
}

static vvBodyId find(const vvWorld *w, const char *name)
{
    for (int i = 0; i < vvWorldBodyCount(w); i++)
        if (strcmp(vvBodyName(w, vvWorldBody(w, i)), name) == 0)
            return vvWorldBody(w, i);
    return (vvBodyId){ 0, 0 };
}

/* Positions of the body of that name in two worlds, and velocities where no policy has changed them. */
static void same_state(const vvWorld *a, const vvWorld *b, const char *name, bool velocities, double tolerance)
{
    int first[2], count[2];
    vvBodyNodes(a, find(a, name), &first[0], &count[0]);
    vvBodyNodes(b, find(b, name), &first[1], &count[1]);
    assert_true(count[0] > 0);
    assert_int_equal(count[0], count[1]);
    for (int i = 0; i < 3 * count[0]; i++) {
        assert_near(vvWorldPositions(a)[3 * first[0] + i], vvWorldPositions(b)[3 * first[1] + i], tolerance);
        if (velocities)
            assert_near(vvWorldVelocities(a)[3 * first[0] + i], vvWorldVelocities(b)[3 * first[1] + i],
                        100 * tolerance);
    }
}

static void test_extract(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvScene *scene = NULL, *part = NULL;
    mkdir("extract", 0777);
    assert_ok(parse(text, ".", &scene, &error));
    vvWorld *w = world_of(scene);
    steps(w, 7);
    const char *names[] = { "row 3", "no such body" };
    assert_ok(vvSceneWriteExtract(scene, w, names, 2, "extract/a.json", &error));
    assert_ok(vvSceneLoad("extract/a.json", NULL, 0, &part, &error));
    vvWorld *p = world_of(part);
    /* its neighbour and the floor are there, the third and the held one are not */
    assert_int_equal(vvWorldBodyCount(p), 3);
    const char *kept[] = { "row 2", "row 3", "obstacle-2" };
    vvLedgerRow row = ledger(p);
    assert_near(vvWorldTime(p), vvWorldTime(w), 1e-12);
    assert_near(vvSceneGetTime(part).end - vvSceneGetTime(part).begin, 0.01, 1e-12);
    assert_true(isnan(row.groundEnergy));
    for (int i = 0; i < 3; i++)
        same_state(w, p, kept[i], true, i < 2 ? 0 : 1e-13);
    step(w);
    step(p);
    for (int i = 0; i < 3; i++)
        same_state(w, p, kept[i], false, 1e-8);
    vvWorldDestroy(p);
    vvSceneDestroy(part);

    /* prescribed nodes go on where they were */
    assert_ok(vvSceneWriteExtract(scene, w, (const char *[]){ "held" }, 1, "extract/b.json", &error));
    assert_ok(vvSceneLoad("extract/b.json", NULL, 0, &part, &error));
    p = world_of(part);
    step(w);
    step(p);
    same_state(w, p, "held", false, 1e-8);
    vvWorldDestroy(p);
    vvSceneDestroy(part);

    /* copies of obstacles are singled out, and turn about the axes that they had */
    assert_ok(vvSceneWriteExtract(scene, w, (const char *[]){ "held", "lid 2" }, 2, "extract/lids.json", &error));
    assert_ok(vvSceneLoad("extract/lids.json", NULL, 0, &part, &error));
    p = world_of(part);
    assert_true(!vvBodyIsValid(p, find(p, "lid 1")) && vvBodyIsKinematic(p, find(p, "lid 2")));
    step(w);
    step(p);
    same_state(w, p, "lid 2", false, 1e-12);
    vvWorldDestroy(p);
    vvSceneDestroy(part);

    assert_int_equal(vvSceneWriteExtract(scene, w, names + 1, 1, "extract/c.json", &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "no such body"));
    assert_int_equal(vvSceneWriteExtract(scene, w, names, 1, "extract/none/c.json", &error), VV_ERROR_IO);
    assert_int_equal(vvSceneWriteExtract(scene, NULL, names, 1, "extract/c.json", &error), VV_ERROR_INPUT);
    assert_ok(vvWorldRemoveBody(w, find(w, "row 1"), &error));
    assert_int_equal(vvSceneWriteExtract(scene, w, names, 1, "extract/c.json", &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "not those of the scene"));
    vvWorldDestroy(w);
    vvSceneDestroy(scene);
}

/* The whole scene as it stands: every node is where it was, to the last bit, with the settings of now, and a run of
 * both goes the same way. */
static void test_whole_state(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvScene *scene = NULL, *saved = NULL;
    mkdir("extract", 0777);
    assert_ok(parse(text, ".", &scene, &error));
    vvWorld *w = world_of(scene);
    steps(w, 7);
    assert_ok(vvWorldSetGravity(w, (double[3]){ 0, -1, 0 }, &error));
    assert_ok(vvSceneWriteState(scene, w, "extract/whole.json", &error));
    assert_ok(vvSceneLoad("extract/whole.json", NULL, 0, &saved, &error));
    vvWorld *p = world_of(saved);
    assert_int_equal(vvWorldBodyCount(p), vvWorldBodyCount(w));
    assert_ok(vvWorldBake(p, &error));
    for (int i = 0; i < vvWorldBodyCount(w); i++)
        same_state(w, p, vvBodyName(w, vvWorldBody(w, i)), false, vvBodyIsKinematic(w, vvWorldBody(w, i)) ? 1e-13 : 0);
    for (int i = 1; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "row %d", i);
        same_state(w, p, name, true, 0);
    }
    assert_near(vvWorldGetDef(p)->gravity[1], -1, 0);
    assert_near(vvWorldTime(p), vvWorldTime(w), 1e-12);
    assert_near(vvSceneGetTime(saved).end, 1, 0); /* as it was: that is still to come */
    assert_string_equal(vvWorldGetDef(p)->integrator.policy, "search");
    assert_int_equal(vvWorldGetDef(p)->integrator.decayKeyCount, vvWorldGetDef(w)->integrator.decayKeyCount);
    step(w);
    step(p);
    for (int i = 0; i < vvWorldBodyCount(w); i++)
        same_state(w, p, vvBodyName(w, vvWorldBody(w, i)), false, 1e-6);
    vvWorldDestroy(p);
    vvSceneDestroy(saved);

    /* past its end it goes on for as long once more */
    steps(w, 100);
    assert_ok(vvSceneWriteState(scene, w, "extract/whole.json", &error));
    assert_ok(vvSceneLoad("extract/whole.json", NULL, 0, &saved, &error));
    assert_near(vvSceneGetTime(saved).end, vvWorldTime(w) + 1, 1e-12);
    vvSceneDestroy(saved);
    assert_int_equal(vvSceneWriteState(scene, w, "extract/none/c.json", &error), VV_ERROR_IO);
    assert_int_equal(vvSceneWriteState(scene, w, NULL, &error), VV_ERROR_INPUT);
    assert_ok(vvWorldRemoveBody(w, find(w, "row 1"), &error));
    assert_int_equal(vvSceneWriteState(scene, w, "extract/c.json", &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "vvSceneWriteState: the world's bodies are not those of the scene"));
    vvWorldDestroy(w);
    vvSceneDestroy(scene);
}

/* What collides by a surface that it carries comes along with it, and with what that is near. */
static void test_extract_surface(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvScene *scene = NULL, *part = NULL;
    mkdir("extract", 0777);
    assert_ok(parse(
        "{ 'visviva': 1, 'gravity': [0, 0, 0], 'bodies': ["
        "  { 'name': 'ball', 'mesh': { 'ball': { 'radius': 0.045, 'cells': 2 } },"
        "    'surface': { 'ball': { 'radius': 0.05, 'cells': 6 }, 'collides': true } },"
        "  { 'name': 'drawn', 'mesh': { 'ball': { 'radius': 0.045, 'cells': 2 } }, 'place': { 'translate': [0, 1, 0] },"
        "    'surface': { 'ball': { 'radius': 0.05, 'cells': 6 } } },"
        "  { 'name': 'box', 'mesh': { 'box': {} }, 'copies': { 'count': [1, 2, 1], 'step': [0, 1, 0] },"
        "    'place': { 'translate': [0.102, 0, 0] } } ] }",
        ".", &scene, &error));
    vvWorld *w = world_of(scene);
    step(w);
    assert_ok(vvSceneWriteExtract(scene, w, (const char *[]){ "ball", "drawn" }, 2, "extract/d.json", &error));
    assert_ok(vvSceneLoad("extract/d.json", NULL, 0, &part, &error));
    vvWorld *p = world_of(part);
    assert_int_equal(vvWorldBodyCount(p), 3); /* not the box beside the ball that is only drawn as large */
    assert_true(vvBodySurfaceCollides(p, find(p, "ball")) && !vvBodySurfaceCollides(p, find(p, "drawn")));
    assert_true(vvBodyIsValid(p, find(p, "box 1")));
    step(p);
    vvWorldDestroy(p);
    vvSceneDestroy(part);
    vvWorldDestroy(w);
    vvSceneDestroy(scene);
}

/* ---- the file ---- */

static const char one_tet[] =
    "{ 'visviva': 1, 'time': { 'begin': 3, 'step': 0.1, 'end': 4 }, 'bodies': [ { 'mesh': { 'file': 'tet.mesh' },"
    " 'start': [ { 'file': 'state.csv' }, { 'translate': { 'offset': [0, 0, 1] } } ] } ] }";

static void write_file(const char *path, const char *content)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(content, f);
    fclose(f);
}

static vvStatus start_from(const char *csv, vvWorld **w, vvError *error)
{
    vvScene *scene = NULL;
    write_file("extract/state.csv", csv);
    assert_int_equal(parse(one_tet, "extract", &scene, error), VV_OK);
    vvStatus status = vvSceneCreateWorld(scene, 1, w, error);
    vvSceneDestroy(scene);
    return status;
}

static void test_start_file(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = NULL;
    mkdir("extract", 0777);
    write_file("extract/tet.mesh",
               "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
               "Tetrahedra\n1\n1 2 3 4 0\nEnd\n");
    assert_ok(
        start_from("x,y,z,vx,vy,vz\n0,0,0, 1,2,3\n\n 2, 0,0,0,0,1e-3\r\n0,2,0,0,0,0\n0,0,2.5,0,0,-1", &w, &error));
    const double x[] = { 0, 0, 1, 2, 0, 1, 0, 2, 1, 0, 0, 3.5 }, v[] = { 1, 2, 3, 0, 0, 1e-3, 0, 0, 0, 0, 0, -1 };
    assert_memory_equal(vvWorldPositions(w), x, sizeof x);
    assert_memory_equal(vvWorldVelocities(w), v, sizeof v);
    assert_true(vvWorldTime(w) == 3);
    step(w);
    assert_near(vvWorldTime(w), 3.1, 1e-12);
    vvWorldDestroy(w);

    static const struct {
        const char *csv, *words;
    } wrong[] = {
        { "0,0,0,1,2,3\n", "found 1 lines of numbers; the body has 4 nodes" },
        { "0,0,0,1,2,3\n0,0,0,1,2\n", "state.csv:2: allowed: six finite numbers" },
        { "0,0,0,1,2,3\n0,0,0,1,2,3,4\n", "state.csv:2:" },
        { "x,y\n", "state.csv:1:" },
        { "0,0,0,1,2,inf\n", "state.csv:1:" },
        { "0,0,0,1,2,1e999\n", "state.csv:1:" },
        { "0 0 0 1 2 3\n", "state.csv:1:" },
        { "", "found 0 lines" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        w = NULL;
        assert_int_equal(start_from(wrong[i].csv, &w, &error), VV_ERROR_INPUT);
        assert_null(w);
        if (!strstr(error.message, wrong[i].words) || !strstr(error.message, "bodies[0].start[0]"))
            fail_msg("no \"%s\" in: %s", wrong[i].words, error.message);
    }
}

static void refused(const char *json, const char *words)
{
    vvError error = { 0 };
    vvScene *scene = NULL;
    assert_int_equal(parse(json, "extract", &scene, &error), VV_ERROR_INPUT);
    if (!strstr(error.message, words))
        fail_msg("no \"%s\" in: %s", words, error.message);
}

static void test_refused(void **state)
{
    (void)state;
    mkdir("extract", 0777);
    write_file("extract/state.csv", "");
    refused("{ 'visviva': 1, 'bodies': [ { 'mesh': { 'ball': {} }, 'start': [ { 'file': 'gone.csv' } ] } ] }",
            "bodies[0].start[0].file: cannot read");
    refused("{ 'visviva': 1, 'bodies': [ { 'mesh': { 'ball': {} }, 'copies': { 'count': [2, 1, 1] }, 'start': [ { "
            "'file': 'state.csv' } ] } ] }",
            "bodies[0].start[0]: a file gives the state of one body");
    refused("{ 'visviva': 1, 'time': { 'begin': 2, 'end': 2 }, 'bodies': [ { 'mesh': { 'ball': {} } } ] }",
            "time.end: found 2, not after time.begin, 2");
    refused("{ 'visviva': 1, 'bodies': [ { 'mesh': { 'ball': {} }, 'start': [ { 'file': 'state.csv', 'translate': {} } "
            "] } ] }",
            "exactly one of file");
    refused("{ 'visviva': 1, 'bodies': [ { 'mesh': { 'points': [[0, 0, 0]] }, 'start': [ { 'file': 'state.csv', "
            "'positions': [[0, 0, 0]] } ] } ] }",
            "exactly one of file");
    refused("{ 'visviva': 1, 'bodies': [ { 'mesh': { 'points': [[0, 0, 0]] }, 'copies': { 'count': [2, 1, 1] }, "
            "'start': [ { 'positions': [[0, 0, 0]] } ] } ] }",
            "positions are the state of one body; found 2 copies");
    refused("{ 'visviva': 1, 'bodies': [ { 'mesh': { 'points': [[0, 0, 0]] }, 'start': [ { 'positions': [[0, 0, 0]], "
            "'velocities': [] } ] } ] }",
            "bodies[0].start[0]");
    refused("{ 'visviva': 1, 'bodies': [ { 'mesh': { 'points': [[0, 0, 0]] }, 'start': [ { 'velocities': [[0, 0, 0]] } "
            "] } ] }",
            "exactly one of file");
}

/* Positions and velocities in the scene itself; without velocities at rest. */
static void test_start_inside(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvScene *scene = NULL;
    assert_ok(
        parse("{ 'visviva': 1, 'bodies': ["
              "  { 'name': 'a', 'material': { 'density': 1 }, 'mesh': { 'points': [[0, 0, 0], [1, 0, 0]] },"
              "    'start': [ { 'positions': [[5, 1, 2], [6, 1, 2.5]], 'velocities': [[0, 1, 0], [0.1, 0, -3]] } ] },"
              "  { 'name': 'b', 'material': { 'density': 1 }, 'mesh': { 'points': [[0, 0, 0]] },"
              "    'start': [ { 'positions': [[1, 2, 3]] }, { 'linear': { 'velocity': [7, 0, 0] } } ] } ] }",
              ".", &scene, &error));
    vvWorld *w = world_of(scene);
    const double x[] = { 5, 1, 2, 6, 1, 2.5, 1, 2, 3 }, v[] = { 0, 1, 0, 0.1, 0, -3, 7, 0, 0 };
    for (int i = 0; i < 9; i++) {
        assert_near(vvWorldPositions(w)[i], x[i], 0);
        assert_near(vvWorldVelocities(w)[i], v[i], 0);
    }
    vvWorldDestroy(w);
    vvSceneDestroy(scene);
    assert_ok(parse(
        "{ 'visviva': 1, 'bodies': [ { 'material': { 'density': 1 }, 'mesh': { 'points': [[0, 0, 0], [1, 0, 0]] },"
        " 'start': [ { 'positions': [[5, 1, 2]] } ] } ] }",
        ".", &scene, &error));
    assert_int_equal(vvSceneCreateWorld(scene, 1, &w, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "bodies[0].start[0]: found 1 positions; the body has 2 nodes"));
    vvSceneDestroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_extract),         cmocka_unit_test(test_whole_state),
                                        cmocka_unit_test(test_extract_surface), cmocka_unit_test(test_start_inside),
                                        cmocka_unit_test(test_start_file),      cmocka_unit_test(test_refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
