/* Scene files: obstacles with a mesh, what contact between surfaces is told, friction of pairs; and what is wrong
 * there. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "scene_text.h"

#define BODY "'bodies': [ { 'name': 'b', 'mesh': { 'box': {} } } ], "

static void what_a_mesh_obstacle_is(void **state)
{
    (void)state;
    good(HEAD BODY
         "'obstacles': [ { 'plane': {} }, { 'name': 'bowl', 'mesh': { 'ball': {} }, 'friction': 0.3, 'thickness': "
         "0.002, "
         "'place': { 'scale': 2, 'rotate': [1, 2, 3], 'translate': [4, 5, 6] }, 'filter': { 'mask': 6, 'group': 2 }, "
         "'motion': { 'velocity': [1, 0, 0], 'angular': 30, 'axis': [0, 0, 1], 'about': [7, 8, 9], 'start': 1, 'end': "
         "2, "
         "'waypoints': [ { 'time': 0.5, 'offset': [0, 1, 0] }, { 'time': 1, 'turn': [0, 0, 9] } ] } } ] }");
    expect("generate ball\nkinematic 1 thickness 0.002 self 1\n"
           "motion about 7 8 9 axis 0 0 1 turn 30 shift 1 0 0 time 1 2\nwaypoint 0.5: 0 1 0, 0 0 0\nwaypoint 1: 0 0 0, "
           "0 0 9\n"
           "body bowl");
    expect("place 2 2 2, 1 2 3, 4 5 6 friction 0.3\nfilter 1 6 2\n");
    /* behind the bodies, in whatever order the scene has them */
    assert_true(strstr(fake_log, "body b ") < strstr(fake_log, "body bowl "));
    expect("obstacle  plane friction -1 0 0 0 0 1 0\n");
    expect("contact barrier");
    expect("h 0.00833333");

    good(HEAD BODY
         "'obstacles': [ { 'mesh': { 'box': {} } }, { 'plane': {} }, { 'mesh': { 'file': '/etc/hostname' } } ] }");
    expect("time 0 inf\nbody obstacle-1 ");
    expect("read /etc/hostname\n");
    expect("body obstacle-3 ");
    good(HEAD "'bodies': [ { 'name': 'obstacle-1', 'mesh': { 'box': {} } }, { 'name': 'obstacle-2', 'mesh': { 'box': "
              "{} } } ], "
              "'obstacles': [ { 'mesh': { 'box': {} } } ] }");
    expect("body obstacle-3 ");
}

/* A grid of obstacles, x first; the axis of a motion goes along. */
static void copies(void **state)
{
    (void)state;
    good(HEAD BODY
         "'obstacles': [ { 'name': 'pin', 'plane': { 'point': [1, 2, 3], 'normal': [0, 2, 0] }, 'friction': 0.5,"
         "'copies': { 'count': [2, 1, 2], 'step': [10, 5, -1] } } ] }");
    expect("obstacle pin 1 plane friction 0.5 1 2 3 0 2 0\n");
    expect("obstacle pin 2 plane friction 0.5 11 2 3 0 2 0\n");
    expect("obstacle pin 3 plane friction 0.5 1 2 2 0 2 0\n");
    expect("obstacle pin 4 plane friction 0.5 11 2 2 0 2 0\n");
    good(HEAD BODY "'obstacles': [ { 'mesh': { 'box': {} }, 'place': { 'translate': [0, 1, 0] },"
                   "'copies': { 'count': [1, 2, 1], 'step': [0, 7, 0] }, 'motion': { 'angular': 5, 'axis': [1, 0, 0], "
                   "'about': [0, 1, 2] } } ] }");
    expect("motion about 0 1 2 axis 1 0 0 turn 5");
    expect("body obstacle-1 1 ");
    expect("place 1 1 1, 0 0 0, 0 1 0");
    expect("motion about 0 8 2 axis 1 0 0 turn 5");
    expect("body obstacle-1 2 ");
    expect("place 1 1 1, 0 0 0, 0 8 0");
    /* all copies of a mesh are in a pair */
    good(HEAD BODY "'obstacles': [ { 'name': 'o', 'mesh': { 'box': {} }, 'copies': { 'count': [1, 1, 2] } } ],"
                   "'contact': { 'pairs': [ { 'between': ['o', 'b'], 'friction': 2 } ] } }");
    expect("pair 1 2 friction 2\npair 1 3 friction 2\n");
    bad(HEAD BODY "'obstacles': [ { 'plane': {}, 'copies': { 'count': [1, 2.5, 1] } } ] }",
        "obstacles[0].copies: count[1]: found 2.5; allowed: whole numbers from 1");
    bad(HEAD BODY "'obstacles': [ { 'plane': {}, 'copies': { 'count': [100, 100, 2] } } ] }",
        "obstacles[0].copies: found 20000 copies");
    bad(HEAD BODY "'obstacles': [ { 'plane': {}, 'copies': {} } ] }", "obstacles[0].copies.count: missing");
}

/* A shape that moves is a body too: it needs a name of its own, but its friction is no pair's. */
static void shapes_that_move(void **state)
{
    (void)state;
    good(HEAD BODY "'obstacles': [ { 'plane': {} }, { 'plane': { 'point': [1, 2, 3] }, 'friction': 0.5,"
                   "'motion': { 'velocity': [1, 0, 0], 'waypoints': [ { 'time': 1, 'offset': [0, 1, 0] } ] } },"
                   "{ 'name': 'last', 'plane': {}, 'motion': {} } ] }");
    expect("obstacle  plane friction -1 0 0 0 0 1 0\nobstacle obstacle-2 plane");
    expect("obstacle obstacle-2 plane friction 0.5 1 2 3 0 1 0\nmoves\n"
           "motion about 0 0 0 axis 0 0 0 turn 0 shift 1 0 0 time 0 inf\nwaypoint 1: 0 1 0, 0 0 0\n");
    expect("obstacle last plane friction -1 0 0 0 0 1 0\nmoves\n");
    good(HEAD BODY
         "'obstacles': [ { 'name': 'o', 'plane': { 'point': [1, 2, 3] }, 'motion': { 'angular': 90, 'axis': [0, 0, 1],"
         "'about': [1, 1, 1] }, 'copies': { 'count': [2, 1, 1], 'step': [5, 0, 0] } } ] }");
    expect("obstacle o 1 plane friction -1 1 2 3 0 1 0\nmoves\nmotion about 1 1 1 ");
    expect("obstacle o 2 plane friction -1 6 2 3 0 1 0\nmoves\nmotion about 6 1 1 ");
    bad(HEAD BODY "'obstacles': [ { 'name': 'b', 'plane': {}, 'motion': {} } ] }",
        "obstacles[0].name: bodies[0] has the name \"b\" too; names are unique");
    bad(HEAD BODY "'obstacles': [ { 'name': 'p', 'plane': {}, 'motion': {} } ],"
                  "'contact': { 'pairs': [ { 'between': ['p', 'b'], 'friction': 0.3 } ] } }",
        "contact.pairs[0].between[0]: obstacles[0], \"p\", has no mesh");
    bad(HEAD BODY "'obstacles': [ { 'plane': {}, 'motion': { 'angular': 3 } } ] }",
        "obstacles[0].motion: angular needs an axis");
    /* the first that comes again, in whatever order */
    bad(HEAD BODY "'obstacles': [ { 'name': 'm', 'mesh': { 'box': {} } }, { 'name': 'n', 'mesh': { 'box': {} } } ],"
                  "'contact': { 'pairs': [ { 'between': ['n', 'b'], 'friction': 0.3 },"
                  "{ 'between': ['m', 'b'], 'friction': 0.3 }, { 'between': ['b', 'm'], 'friction': 0.3 },"
                  "{ 'between': ['b', 'm'], 'friction': 0.3 }, { 'between': ['n', 'b'], 'friction': 0.3 } ] } }",
        "contact.pairs[2].between: contact.pairs[1] is between the same two; give each pair once");
    /* bodies after a shape that moves are counted with it */
    good(HEAD BODY "'obstacles': [ { 'plane': {}, 'motion': {} }, { 'name': 'm', 'mesh': { 'box': {} } } ],"
                   "'contact': { 'pairs': [ { 'between': ['m', 'b'], 'friction': 0.3 } ] } }");
    expect("pair 1 3 friction 0.3\n");
}

static void settings(void **state)
{
    (void)state;
    good(HEAD BODY "'contact': { 'self': false, 'convergent': true, 'check_intersections': true } }");
    expect("surfaces 0 1 1\n");
    good(HEAD BODY "'contact': {} }");
    never("surfaces");
    good(HEAD "'bodies': [ { 'mesh': { 'box': {} }, 'thickness': 0.01, 'self_contact': false } ] }");
    expect("kinematic 0 thickness 0.01 self 0\n");
    expect("contact none");
    good(HEAD "'bodies': [ { 'mesh': { 'box': {} } }, { 'mesh': { 'box': {} } } ] }"); /* two can touch */
    expect("contact barrier");
    expect("h 0.00833333");
    good(HEAD "'bodies': [ { 'mesh': { 'box': {} }, 'copies': { 'count': [2, 1, 1] } } ] }");
    expect("contact barrier");
    good(HEAD "'bodies': [ { 'mesh': { 'box': {} } }, { 'mesh': { 'box': {} } } ], 'contact': { 'model': 'none' } }");
    expect("contact none");
    expect("h 0.0333333");
}

/* States that tangle a body take its self contact away; then the scene's word comes last. */
static void scrambled_starts(void **state)
{
    (void)state;
    good(HEAD "'bodies': [ { 'mesh': { 'box': {} }, 'start': [ { 'collapsed': {} } ] } ] }");
    never("self");
    good(HEAD "'bodies': [ { 'mesh': { 'box': {} }, 'self_contact': false, 'start': [ { 'collapsed': {} } ] } ] }");
    expect("self 0\n");
    never("self contact");
    good(HEAD "'bodies': [ { 'mesh': { 'box': {} }, 'self_contact': true, 'start': [ { 'collapsed': {} } ] } ] }");
    expect("state 1 collapsed\nself contact 1 1\n");
    fake_failing = "vvBodySetSelfContact";
    bad(HEAD "'bodies': [ { 'mesh': { 'box': {} }, 'self_contact': true } ] }",
        "s.json: bodies[0]: vvBodySetSelfContact was told");
    fake_failing = "";
}

static void pairs(void **state)
{
    (void)state;
#define TWO                                                                                                           \
    "'bodies': [ { 'name': 'a', 'mesh': { 'box': {} } }, { 'name': 'b', 'mesh': { 'box': {} } } ], "                  \
    "'obstacles': [ { 'name': 'p', 'plane': {} }, { 'name': 'c', 'mesh': { 'box': {} } }, { 'mesh': { 'box': {} } } " \
    "], "
    good(HEAD TWO "'contact': { 'pairs': [ { 'between': ['b', 'c'], 'friction': 0.3 }, { 'between': ['a', 'a'], "
                  "'friction': 0 } ] } }");
    expect("pair 2 3 friction 0.3\npair 1 1 friction 0\n");
    bad(HEAD TWO "'contact': { 'pairs': [ { 'between': ['b', 'd'], 'friction': 0.3 } ] } }",
        "contact.pairs[0].between[1]: no body and no obstacle with a mesh has the name \"d\"; there are: a, b, c");
    bad(HEAD TWO "'contact': { 'pairs': [ { 'between': ['p', 'b'], 'friction': 0.3 } ] } }",
        "contact.pairs[0].between[0]: obstacles[0], \"p\", has no mesh");
    bad(HEAD TWO "'contact': { 'pairs': [ { 'between': ['', 'b'], 'friction': 0.3 } ] } }",
        "contact.pairs[0].between[0]");
    bad(HEAD TWO "'contact': { 'pairs': [ { 'between': ['a', 'b'], 'friction': 1 }, { 'between': ['b', 'a'], "
                 "'friction': 0 } ] } }",
        "contact.pairs[1].between: contact.pairs[0] is between the same two");
    bad(HEAD TWO "'contact': { 'pairs': [ { 'between': ['a'], 'friction': 1 } ] } }", "a list of 2 names in quotes");
    bad(HEAD TWO "'contact': { 'pairs': [ { 'between': 'a', 'friction': 1 } ] } }", "a list of 2 names in quotes");
    bad(HEAD TWO "'contact': { 'pairs': [ { 'between': ['a', 3], 'friction': 1 } ] } }",
        "contact.pairs[0].between[1]: found the number 3; allowed: a name in quotes");
    bad(HEAD TWO "'contact': { 'pairs': [ { 'between': ['a', 'b'], 'friction': -1 } ] } }",
        "contact.pairs[0].friction: found the number");
    bad(HEAD TWO "'contact': { 'pairs': [ { 'between': ['a', 'b'] } ] } }", "contact.pairs[0].friction: missing");
    bad(HEAD TWO "'contact': { 'pairs': [ { 'friction': 1 } ] } }", "contact.pairs[0].between: missing");
    bad(HEAD TWO "'contact': { 'pairs': {} } }", "contact.pairs: found an object");
    bad(HEAD TWO "'contact': { 'pears': [] } }", "did you mean \"pairs\"?");
    bad(HEAD "'bodies': [ { 'mesh': { 'box': {} } } ], 'contact': { 'pairs': [ { 'between': ['a', 'a'], 'friction': 1 "
             "} ] } }",
        "there are: none with a name");
    /* a name stands for all copies, with each other too */
    good(HEAD "'bodies': [ { 'name': 'a', 'mesh': { 'box': {} } }, { 'name': 'b', 'mesh': { 'box': {} }, 'copies': { "
              "'count': [1, 3, 1] } } ],"
              "'obstacles': [ { 'name': 'c', 'mesh': { 'box': {} } } ], 'contact': { 'pairs': ["
              "{ 'between': ['b', 'b'], 'friction': 1 }, { 'between': ['c', 'b'], 'friction': 2 } ] } }");
    expect("pair 2 2 friction 1\npair 2 3 friction 1\npair 2 4 friction 1\npair 3 3 friction 1\npair 3 4 friction 1\n"
           "pair 4 4 friction 1\npair 2 5 friction 2\npair 3 5 friction 2\npair 4 5 friction 2\n");
    bad(HEAD "'bodies': [ { 'name': 'b', 'mesh': { 'box': {} }, 'copies': { 'count': [100, 100, 1] } } ],"
             "'contact': { 'pairs': [ { 'between': ['b', 'b'], 'friction': 1 } ] } }",
        "contact.pairs[0].between: found 100000000 pairs");
    fake_failing = "vvWorldSetFriction";
    bad(HEAD TWO "'contact': { 'pairs': [ { 'between': ['b', 'c'], 'friction': 0.3 } ] } }",
        "s.json: contact.pairs[0]: vvWorldSetFriction was told to fail");
    fake_failing = "";
}

static void what_is_wrong(void **state)
{
    (void)state;
    bad(HEAD BODY "'obstacles': [ { 'mesh': {} } ] }",
        "obstacles[0].mesh: found none; allowed: exactly one of file, box, ball");
    bad(HEAD BODY "'obstacles': [ { 'mesh': { 'box': {}, 'file': 'a.obj' } } ] }", "obstacles[0].mesh: found several");
    bad(HEAD BODY "'obstacles': [ { 'mesh': { 'box': {} }, 'plane': {} } ] }",
        "obstacles[0]: found several; allowed: exactly one of "
        "mesh, plane");
    bad(HEAD BODY "'obstacles': [ { 'mesh': 3 } ] }", "obstacles[0].mesh: found the number 3");
    bad(HEAD BODY "'obstacles': [ { 'mesh': { 'bax': {} } } ] }", "did you mean \"box\"?");
    bad(HEAD BODY "'obstacles': [ { 'mesh': { 'file': 'is-not-there.obj' } } ] }",
        "obstacles[0].mesh.file: cannot read");
    bad(HEAD BODY "'obstacles': [ { 'mesh': { 'box': {} }, 'material': {} } ] }", "obstacles[0].material: unknown key");
    bad(HEAD BODY "'obstacles': [ { 'mesh': { 'box': {} }, 'thickness': -1 } ] }",
        "obstacles[0].thickness: found the number -1");
    bad(HEAD BODY "'obstacles': [ { 'mesh': { 'box': {} }, 'motion': { 'angular': 3 } } ] }",
        "obstacles[0].motion: angular needs an axis");
    bad(HEAD BODY "'obstacles': [ { 'mesh': { 'box': {} }, 'motion': { 'start': 3, 'end': 2 } } ] }",
        "obstacles[0].motion: found end 2");
    bad(HEAD BODY
        "'obstacles': [ { 'mesh': { 'box': {} }, 'motion': { 'waypoints': [ { 'time': 1 }, { 'time': 1 } ] } } ] }",
        "obstacles[0].motion.waypoints[1]: found the time 1 after 1");
    bad(HEAD BODY "'obstacles': [ { 'mesh': { 'box': {} }, 'place': { 'scale': [1, 0, 1] } } ] }",
        "obstacles[0].place.scale[1]");
    bad(HEAD BODY "'obstacles': [ { 'plane': {}, 'place': {} } ] }",
        "obstacles[0].place: is for obstacles with a mesh");
    bad(HEAD BODY "'obstacles': [ { 'plane': {}, 'thickness': 1 } ] }",
        "obstacles[0].thickness: is for obstacles with a mesh");
    bad(HEAD BODY "'obstacles': [ { 'name': 'b', 'mesh': { 'box': {} } } ] }",
        "obstacles[0].name: bodies[0] has the name \"b\" too; names are unique");
    bad(HEAD BODY "'obstacles': [ { 'name': 'o', 'mesh': { 'box': {} } }, { 'name': 'o', 'mesh': { 'box': {} } } ] }",
        "obstacles[1].name: obstacles[0] has the name \"o\" too");
    bad(HEAD BODY "'contact': { 'model': 'none' }, 'obstacles': [ { 'mesh': { 'box': {} } } ] }", "contact.model");
    bad(HEAD "'bodies': [ { 'mesh': { 'box': {} }, 'thickness': '1/0' } ] }", "bodies[0].thickness");
    bad(HEAD "'bodies': [ { 'mesh': { 'box': {} }, 'self_contact': 1 } ] }",
        "bodies[0].self_contact: found the number 1; allowed: true");
    bad(HEAD BODY "'contact': { 'self': 'no' } }", "contact.self: found the text");
    /* those need no name */
    good(HEAD BODY "'obstacles': [ { 'name': 'o', 'plane': {} }, { 'name': 'o', 'plane': {} } ] }");
    fake_failing = "vvMeshGenerate";
    bad(HEAD "'bodies': [ { 'mesh': { 'file': '/etc/hostname' } } ], 'obstacles': [ { 'mesh': { 'box': {} } } ] }",
        "s.json: obstacles[0].mesh: vvMeshGenerate was told to fail");
    fake_failing = "";
}

static void overrides(void **state)
{
    (void)state;
    const char *const sets[] = { "obstacles[0].motion.velocity=[0,-1,0]", "obstacles[0].mesh.file=/etc/hostname" };
    if (load(HEAD BODY "'obstacles': [ { 'mesh': { 'file': 'not-there.obj' } } ] }", sets, 2))
        fail_msg("refused: %s", last.message);
    expect("shift 0 -1 0");
    expect("read /etc/hostname\n");
}

/* The entry that makes each body of the world, copies and obstacles with a mesh included. */
static void test_body_paths(void **state)
{
    (void)state;
    static const char *const want[] = { "bodies[0]",           "bodies[1], copy 1", "bodies[1], copy 2",
                                        "bodies[1], copy 3",   "bodies[1], copy 4", "bodies[2], copy 1",
                                        "bodies[3]",           "obstacles[1]",      "obstacles[3], copy 1",
                                        "obstacles[3], copy 2" };
    static const char text[] = HEAD
        "'bodies': [ { 'mesh': { 'box': {} } }, { 'mesh': { 'box': {} }, 'copies': { 'count': [2, 1, 2] } },"
        "{ 'mesh': { 'box': {} }, 'copies': { 'count': [1, 1, 1] } }, { 'mesh': { 'box': {} } } ],"
        "'obstacles': [ { 'plane': {} }, { 'mesh': { 'box': {} } }, { 'plane': {}, 'copies': { 'count': [1, 1, 2] } },"
        "{ 'mesh': { 'box': {} }, 'copies': { 'count': [1, 2, 1] } } ] }";
    char *json = strdup(text), path[64];
    for (char *p = json; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    vvScene *scene = NULL;
    if (vvSceneParse(json, "s.json", VV_SOURCE_DIR, NULL, 0, &scene, &last))
        fail_msg("%s", last.message);
    for (int i = 0; i < 10; i++) {
        assert_true(vvSceneBodyPath(scene, i, path, sizeof path));
        assert_string_equal(path, want[i]);
    }
    assert_false(vvSceneBodyPath(scene, 10, path, sizeof path));
    assert_string_equal(path, "");
    assert_false(vvSceneBodyPath(scene, -1, path, sizeof path));
    assert_true(vvSceneBodyPath(scene, 1, path, 7)); /* cut off */
    assert_string_equal(path, "bodies");
    static const char *const shapes[] = { "obstacles[0]", "obstacles[2], copy 1", "obstacles[2], copy 2" };
    for (int i = -1; i < 5; i++) { /* those without a mesh count apart */
        assert_int_equal(vvSceneObstaclePath(scene, i, path, sizeof path), i >= 0 && i < 3);
        assert_string_equal(path, i >= 0 && i < 3 ? shapes[i] : "");
    }
    vvSceneDestroy(scene);
    free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_body_paths),
        cmocka_unit_test(copies),
        cmocka_unit_test(shapes_that_move),
        cmocka_unit_test(what_a_mesh_obstacle_is),
        cmocka_unit_test(settings),
        cmocka_unit_test(scrambled_starts),
        cmocka_unit_test(pairs),
        cmocka_unit_test(what_is_wrong),
        cmocka_unit_test(overrides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
