/* Scene files: what the vocabulary means for the world, and what is said about everything that is wrong. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/stat.h>
#include <unistd.h>

#include "scene_text.h"

#define BODY "'bodies': [ { 'mesh': { 'box': {} } } ] "

static void good_with(const char *text, const char *override)
{
    if (load(text, &override, 1))
        fail_msg("refused: %s with %s\nbecause: %s", text, override, last.message);
}

static void bad_with(const char *text, const char *override, const char *part)
{
    if (!load(text, &override, 1))
        fail_msg("accepted: %s", override);
    if (!strstr(last.message, part))
        fail_msg("message: %s\nlacks: %s\nfor: %s", last.message, part, override);
}

/* ---- meaning ---- */

static void test_defaults(void **state)
{
    (void)state;
    good(HEAD BODY "}");
    expect("world h 0.033333333333333333 g 0 -9.8 0 threads 3 seed 0\n");
    expect("integrator backward-euler none alpha 0 1.1 theta 0.5 0 ballistic 0 sparse 0 fraction 1 ground 0 0\n");
    expect("solver newton 0 0 0.01 1e-05 200 auto 0.001 projected backtracking\n");
    expect("contact none");
    expect("generate box 1 2 3 4 5 6 5\n");
    expect("body  fixed-corotated 0 young 100000 0.3 ");
    expect("place 1 1 1, 0 0 0, 0 0 0 friction -1\n");
    assert_null(strstr(fake_log, "state"));
    good(HEAD BODY ", 'obstacles': [ { 'plane': {} } ] }");
    expect("world h 0.0083333333333333332 ");
    expect("contact barrier 0 100000 0 0 0\n");
    expect("obstacle  plane friction -1 0 0 0 0 1 0\n");
    good(HEAD BODY ", 'contact': { 'friction': 0.25 } }");
    expect("contact barrier 0 100000 0.25 0 0\n");
    assert_null(strstr(fake_log, "filter"));
    good("{ 'visviva': 1, 'bodies': [ { 'mesh': { 'box': {} }, 'filter': { 'category': 6, 'group': -3 } } ], "
         "'obstacles': [ "
         "{ 'plane': {}, 'filter': { 'category': 9007199254740991, 'mask': 4, 'group': 2147483647 } } ] }");
    expect("filter 6 ffffffffffffffff -3\n");
    expect("filter 1fffffffffffff 4 2147483647\n");
}

static vvSceneTime time_of(const char *text)
{
    vvScene *scene = NULL;
    vvError error = { 0 };
    char json[200];
    snprintf(json, sizeof json, "{ \"visviva\": 1, \"time\": %s, \"bodies\": [ { \"mesh\": { \"box\": {} } } ] }",
             text);
    assert_int_equal(vvSceneParse(json, "s.json", ".", NULL, 0, &scene, &error), VV_OK);
    vvSceneTime time = vvSceneGetTime(scene);
    vvSceneDestroy(scene);
    return time;
}

/* Substeps divide the step, and frames stay where they were. */
static void test_substeps(void **state)
{
    (void)state;
    vvSceneTime whole = time_of("{ \"step\": 0.1, \"record_every\": 3 }"),
                cut = time_of("{ \"step\": 0.1, \"record_every\": 3, \"substeps\": 4 }");
    assert_int_equal(whole.substeps, 1);
    assert_int_equal(cut.substeps, 4);
    assert_true(cut.step == 0.1 / 4);
    assert_int_equal(cut.recordEvery, 12);
    assert_true(fabs(cut.step * cut.recordEvery - whole.step * whole.recordEvery) < 1e-15);
    good(HEAD BODY ", 'time': { 'step': 0.1, 'substeps': 5 } }");
    expect("world h 0.02");
    bad(HEAD BODY ", 'time': { 'substeps': 0 } }", "a whole number from 1");
    bad(HEAD BODY ", 'time': { 'substeps': -3 } }", "a whole number from 1");
    bad(HEAD BODY ", 'time': { 'substeps': 1.5 } }", "a whole number from 1");
    bad(HEAD BODY ", 'time': { 'step': 1e-8, 'substeps': 100 } }",
        "time.substeps: found 100 of a time.step of 1e-08 s");
    bad(HEAD BODY ", 'time': { 'record_every': 1000000000, 'substeps': 2 } }",
        "time.record_every: found a frame every 2000000000 steps");
}

static void test_percentages(void **state)
{
    (void)state;
    good(HEAD BODY ", 'solver': { 'tolerance': '2.5%' }, 'contact': { 'distance': '0.1%', 'friction_speed': '5e-2%', "
                   "'friction_iterations': "
                   "'converged' } }");
    expect("relative 0.025 0.001 0.0005\n");
    expect("contact barrier 0 100000 0 0 -1\n");
    good(HEAD BODY ", 'contact': { 'distance': '1/500', 'friction_iterations': 3 } }");
    expect("contact barrier 0.002 100000 0 0 3\n");
    never("relative ");
    static const char *const wrong[] = { "0%", "1e-12%", "-1%", "101%", "%", "1%%", "1 m", "nan%", "1/2%" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[256], found[128];
        snprintf(text, sizeof text, HEAD BODY ", 'contact': { 'distance': '%s' } }", wrong[i]);
        snprintf(found, sizeof found,
                 "contact.distance: found the text \"%s\"; allowed: a number from 0 to 1000000 m, or", wrong[i]);
        bad(text, found);
    }
    bad(HEAD BODY ", 'solver': { 'tolerance': '200%' } }",
        "a part of the scene's length a second, \"0.1%\" (1e-06% to 100%)");
    bad(HEAD BODY ", 'contact': { 'distance': -1 } }",
        "contact.distance: found the number -1; allowed: a number from 0 to 1000000 m");
    bad(HEAD BODY ", 'contact': { 'friction_iterations': 'always' } }",
        "allowed: \"converged\", or a whole number from 0 to 1000");
    bad(HEAD BODY ", 'contact': { 'friction_iterations': 1.5 } }",
        "allowed: \"converged\", or a whole number from 0 to 1000");
    bad(HEAD BODY ", 'contact': { 'friction_tolerance': 0 } }", "contact.friction_tolerance");
    bad(HEAD BODY ", 'contact': { 'springs': { 'stiffness': 1e6 } } }", "contact.springs");
    bad(HEAD BODY ", 'contact': { 'model': 'barrier', 'springs': {} } }", "contact.springs");
    bad(HEAD BODY ", 'contact': { 'model': 'springs', 'springs': { 'stiffness': -1 } } }", "contact.springs.stiffness");
    bad(HEAD BODY ", 'contact': { 'model': 'springs', 'springs': { 'form': 'quartic' } } }", "contact.springs.form");
    bad(HEAD BODY ", 'contact': { 'model': 'springs', 'springs': { 'per_vertex': 1 } } }",
        "contact.springs.per_vertex");
    good(HEAD BODY ", 'contact': { 'stiffness': 'auto' } }");
    expect("contact barrier 0 0 0 0 0\n");
    good(HEAD BODY ", 'contact': { 'stiffness': '1e6/2', 'adapt_stiffness': true } }");
    expect("contact barrier 0 500000 0 0 0\nadapts\n");
    bad(HEAD BODY ", 'contact': { 'stiffness': 'soft' } }",
        "contact.stiffness: found the text \"soft\"; allowed: \"auto\", or a number above 0 to 1e+15 Pa");
    bad(HEAD BODY ", 'contact': { 'stiffness': true } }",
        "contact.stiffness: found true; allowed: \"auto\", or a number");
    bad(HEAD BODY ", 'contact': { 'stiffness': 0 } }",
        "contact.stiffness: found the number 0; allowed: \"auto\", or a number above 0 to 1e+15 Pa");
    bad(HEAD BODY ", 'contact': { 'adapt_stiffness': 2 } }",
        "contact.adapt_stiffness: found the number 2; allowed: true or false");
}

static void test_numbers(void **state)
{
    (void)state;
    good(HEAD BODY ", 'time': { 'step': '1/1500', 'end': 7 }, 'gravity': [1, '-2/4', 3e-1], 'seed': 77 }");
    expect("world h 0.00066666666666666664 g 1 -0.5 0.3 threads 3 seed 77");
    good(HEAD BODY ", 'integrator': { 'decay_time': null } }");
    assert_null(strstr(fake_log, "decay"));
    good(HEAD BODY ", 'integrator': { 'decay_time': '10' } }");
    expect("decay 0 10\n");
    good(HEAD BODY ", 'integrator': { 'decay_time': [[0, null], [2.5, 3], [4, '1/4']] } }");
    expect("decay 0 0\ndecay 2.5 3\ndecay 4 0.25\n");
    good(HEAD BODY ", 'integrator': { 'ground_energy': -3.5 } }");
    expect("ground 1 -3.5");
    good(HEAD BODY ", 'integrator': { 'ground_energy': 'none' } }");
    expect("ground 2 ");
}

static void test_everything(void **state)
{
    (void)state;
    good(
        HEAD
        "'name': 'all', 'integrator': { 'scheme': 'theta', 'theta': 0.75, 'theta_inner': true, 'ballistic': true,"
        "'policy': 'search', 'alpha': [0.2, 1.3], 'start_fraction': 0.95, 'sparse': true },"
        "'solver': { 'method': 'newton', 'tolerance': 1e-4, 'gradient_tolerance': 2, 'force_tolerance': 0.03125, "
        "'contact_tolerance': 0.5, "
        "'velocity_tolerance': 0.002, 'max_iterations': 9, 'linear': 'pcg',"
        "'linear_tolerance': 1e-5, 'hessian': 'shifted', 'line_search': 'strong-wolfe' },"
        "'contact': { 'model': 'barrier', 'distance': 0.002, 'stiffness': 3e6, 'friction': 0.5, 'friction_speed': 0.01,"
        "'friction_iterations': 4 },"
        "'materials': { 'rubber': { 'young': 5e4, 'poisson': 0.4, 'damping': { 'drag': 1, 'rayleigh': 2, "
        "'momentum_rate': 3 }},"
        " 'heavy': { 'like': 'rubber', 'mass': 2, 'model': 'neo-hookean', 'damping': { 'momentum_per_step': 0.08 } },"
        " 'lame': { 'like': 'heavy', 'mu': 5, 'lambda': 6 } },"
        "'bodies': [ { 'name': 'a', 'material': 'heavy', 'mesh': { 'box': { 'size': [1, 1, 1], 'split': 6 } },"
        " 'place': { 'scale': 2, 'rotate': [10, 20, 30], 'translate': [1, 2, 3] }, 'friction': 0.1,"
        " 'velocity': { 'linear': [1, 2, 3], 'angular': [0, 0, 15], 'about': [4, 5, 6] },"
        " 'start': [ { 'stretch': { 'factor': [2, 1, 1] } }, { 'collapsed': {} } ],"
        " 'attach': [ { 'where': { 'box': [[1, 1, 1], [0, 0, 2]] } },"
        "  { 'where': { 'sphere': { 'center': [1, 2, 3], 'radius': 4 }, 'surface': true }, 'kind': 'spring', "
        "'stiffness': 7 },"
        "  { 'where': { 'half_space': { 'point': [1, 0, 0], 'normal': [0, 1, 0] } }, 'motion': { 'velocity': [1, 0, 0],"
        "   'angular': 90, 'about': [0, 1, 0], 'axis': [0, 0, 1], 'start': 1, 'end': 2, 'waypoints': ["
        "   { 'time': 0 }, { 'time': 1, 'offset': [1, 2, 3], 'turn': [4, 5, 6] } ] } },"
        "  { 'where': { 'percent': [[0, 0, 0], [100, 10, 100]] } }, { 'where': { 'vertices': [3, 1, 2] } },"
        "  { 'where': { 'all': true } }, { 'where': { 'surface': true } }, { 'where': { 'rim': true } },"
        "  { 'where': { 'all': true }, 'kind': 'push', 'acceleration': [4, 5, 6], 'motion': { 'start': 1, 'end': 3 } } "
        "] },"
        " { 'name': 'b', 'material': { 'like': 'lame', 'young': 1e3 }, 'mesh': { 'ball': {} }, 'place': { 'scale': [1, "
        "2, 3] } },"
        " { 'name': 'c', 'material': 'lame', 'mesh': { 'ball': {} } } ],"
        "'obstacles': [ { 'name': 'floor', 'plane': { 'normal': [1, 1, 0] }, 'friction': 0.3 } ] }");
    expect("integrator theta search alpha 0.2 1.3 theta 0.75 1 ballistic 1 sparse 1 fraction 0.95 ground 0 0\n");
    expect("solver newton 0.0001 2 0.5 0.002 9 pcg 1e-05 shifted strong-wolfe\n");
    expect("force 0.03125\n");
    expect("contact barrier 0.002 3e+06 0.5 0.01 4\n");
    expect("body a neo-hookean 0 young 50000 0.4 mu 0 0 density 1000 mass 2 springs 1000 0 damping 1 2 0 0.08\n");
    expect("place 2 2 2, 10 20 30, 1 2 3 friction 0.1\n");
    expect("generate box 1 1 1 4 5 6 6\n");
    expect("state 1 stretch 2 1 1\nstate 1 collapsed\nstate 1 linear 1 2 3\nstate 1 angular 4 5 6 0 0 859.437\n");
    expect("kind 0 stiffness 0 region 1 surface 0 a 0 0 1 b 1 1 2 radius 0");
    expect("kind 1 stiffness 7 region 2 surface 1 a 1 2 3 b 0 0 0 radius 4");
    expect("region 3 surface 0 a 1 0 0 b 0 1 0");
    expect("motion about 0 1 0 axis 0 0 1 turn 90 shift 1 0 0 time 1 2\nwaypoint 0: 0 0 0, 0 0 0\nwaypoint 1: 1 2 3, 4 "
           "5 6\n");
    expect("region 4 surface 0 a 0 0 0 b 100 10 100");
    expect("region 5 surface 0 a 0 0 0 b 0 0 0 radius 0 list 3 1 2\n");
    expect("region 0 surface 0");
    expect("region 0 surface 1 a");
    expect("region 0 surface 0 rim a");
    expect("acceleration 4 5 6\nmotion about 0 0 0 axis 0 0 0 turn 0 shift 0 0 0 time 1 3\n");
    expect("body b neo-hookean 0 young 1000 0.4 mu 5 6");
    expect("body c neo-hookean 1 young 50000 0.4 mu 5 6");
    expect("obstacle floor plane friction 0.3 0 0 0 1 1 0\n");
}

/* ---- what is wrong ---- */

static void test_syntax(void **state)
{
    (void)state;
    bad("", "s.json:1:");
    bad("{ 'visviva': 1,\n  'name': }", "s.json:2:");
    bad("{ 'visviva': 1, 'visviva': 1 }", "duplicate");
    bad("{ 'visviva': 1e999 }", "s.json:1:");
    bad("[]", "found a list of 0");
    bad("{} x", "s.json:1:");
    bad("{ 'name': '\xff' }", "s.json:1:");
    char deep[5000];
    memset(deep, '[', sizeof deep - 1);
    deep[sizeof deep - 1] = 0;
    bad(deep, "s.json:1:");
    good("\xEF\xBB\xBF{\r\n'visviva': 1,\r\n" BODY "}\r\n");
}

static void test_content(void **state)
{
    (void)state;
    bad("{}", "visviva: missing");
    bad("{ 'visviva': 2, " BODY "}", "visviva: found the number 2; allowed: a whole number from 1 to 1");
    bad("{ 'visviva': 1 }", "bodies: missing");
    bad(HEAD "'bodies': [] }", "bodies: found an empty list");
    bad(HEAD "'bodies': {} }", "bodies: found an object; allowed: a list of objects");
    bad(HEAD "'bodies': [ 3 ] }", "bodies[0]: found the number 3");
    bad(HEAD "'bodies': [ {} ] }", "bodies[0].mesh: missing");
    bad(HEAD "'bodies': [ { 'mesh': {} } ] }",
        "bodies[0].mesh: found none; allowed: exactly one of file, points, box, ball");
    bad(HEAD "'bodies': [ { 'mesh': { 'box': {}, 'ball': {} } } ] }", "found several");
    bad(HEAD "'bodies': [ { 'mesh': { 'bal': {} } } ] }",
        "bodies[0].mesh.bal: unknown key; allowed here: file, fill, "
        "edge, order, onto, points, edges, box, ball, jar; did you mean "
        "\"ball\"?");
    bad(HEAD "'bodies': [ { 'mesh': { 'box': 3 } } ] }", "an object with the parameters of \"box\"");
    bad(HEAD "'bodies': [ { 'mesh': { 'box': { 'sizes': 1 } } } ] }", "did you mean \"size\"?");
    bad(HEAD "'bodies': [ { 'mesh': { 'box': { 'size': 1 } } } ] }",
        "bodies[0].mesh.box.size: found the number 1; allowed: a list of 3 numbers, m");
    bad(HEAD "'bodies': [ { 'mesh': { 'box': { 'cells': [1, 2, 2.5] } } } ] }",
        "bodies[0].mesh.box.cells[2]: found the number 2.5; allowed: a whole number from 1 to 512");
    bad(HEAD "'bodies': [ { 'mesh': { 'ball': { 'x': 1 } } } ] }", "none (no parameters)");
    bad(HEAD BODY ", 'integrater': {} }", "integrater: unknown key");
    bad(HEAD BODY ", 'integrater': {} }", "did you mean \"integrator\"?");
    bad(HEAD BODY ", 'contact': { 'dHat': 1e-3 } }", "; \"dHat\" is called contact.distance (in m) here");
    bad(HEAD BODY ", 'force': [0, 1, 0] }", "; loads are listed under bodies[].attach");
    bad(HEAD BODY ", 'integrator': { 'scheme': 'ImplicitEuler' } }",
        "; \"ImplicitEuler\" is called backward-euler here");
    bad(HEAD BODY ", 'integrator': { 'scheme': 'bdf3' } }",
        "integrator.scheme: found the text \"bdf3\"; allowed: backward-euler, bdf2, theta, implicit-midpoint; did you "
        "mean \"bdf2\"?");
    bad(HEAD BODY ", 'integrator': { 'scheme': 3 } }",
        "integrator.scheme: found the number 3; allowed: backward-euler");
    bad(HEAD BODY ", 'integrator': { 'alpha': [1] } }",
        "integrator.alpha: found a list of 1; allowed: a list of 2 numbers");
    bad(HEAD BODY ", 'integrator': { 'alpha': [1, 0] } }", "the smaller number first");
    bad(HEAD BODY ", 'integrator': { 'decay_time': [[0, 1], [0, 2]] } }",
        "integrator.decay_time[1]: found the time 0 after 0");
    bad(HEAD BODY ", 'integrator': { 'decay_time': 0 } }", "above 0");
    bad(HEAD BODY ", 'integrator': { 'decay_time': {} } }", "null, a time in s");
    bad(HEAD BODY ", 'integrator': { 'ground_energy': 'automatic' } }", "\"auto\", \"none\", or an energy in J");
    bad(HEAD BODY ", 'integrator': { 'sparse': 1 } }", "true or false");
    bad(HEAD BODY ", 'time': { 'step': 0 } }", "time.step: found the number 0");
    bad(HEAD BODY ", 'time': { 'step': -1 } }", "time.step: found the number -1");
    bad(HEAD BODY ", 'time': { 'step': '1/0' } }", "time.step: found the text \"1/0\"");
    bad(HEAD BODY ", 'time': { 'step': '0x10' } }", "time.step");
    bad(HEAD BODY ", 'time': { 'step': 'nan' } }", "time.step");
    bad(HEAD BODY ", 'time': { 'step': '1e-400/1e-400' } }", "time.step");
    bad(HEAD BODY ", 'time': { 'end': 1e300 } }", "time.end");
    bad(HEAD BODY ", 'time': { 'record_every': 1.5 } }", "a whole number from 1");
    bad(HEAD BODY ", 'gravity': [0, 0] }", "gravity: found a list of 2; allowed: a list of 3 numbers");
    bad(HEAD BODY ", 'gravity': [0, 0, 1e200] }", "gravity[2]: found the number 1e+200");
    bad(HEAD BODY ", 'contact': { 'model': 'none' }, 'obstacles': [ { 'plane': {} } ] }", "contact.model");
    bad(HEAD BODY ", 'obstacles': [ { 'friction': 1 } ] }",
        "obstacles[0]: found none; allowed: exactly one of mesh, plane");
    bad(HEAD BODY ", 'obstacles': [ { 'plane': {}, 'filter': 3 } ] }", "obstacles[0].filter: found the number 3");
    bad(HEAD BODY ", 'obstacles': [ { 'plane': {}, 'filter': { 'masc': 1 } } ] }", "did you mean \"mask\"");
    bad(HEAD "'bodies': [ { 'mesh': { 'box': {} }, 'copies': { 'count': [1, 2.5, 1] } } ] }",
        "bodies[0].copies: count[1]: found 2.5; allowed: whole numbers from 1");
    bad(HEAD "'bodies': [ { 'mesh': { 'box': {} }, 'copies': { 'count': [1, 0, 1] } } ] }",
        "bodies[0].copies.count[1]: found the number 0");
    bad(HEAD "'bodies': [ { 'mesh': { 'box': {} }, 'copies': { 'count': [100, 100, 2] } } ] }",
        "bodies[0].copies: found 20000 copies; allowed: at most 10000");
    bad(HEAD "'bodies': [ { 'mesh': { 'box': {} }, 'copies': { 'step': [1, 0, 0] } } ] }",
        "bodies[0].copies.count: missing");
    bad(HEAD BODY ", 'obstacles': [ { 'plane': {}, 'filter': { 'category': -1 } } ] }", "a whole number from 0");
    bad(HEAD BODY ", 'obstacles': [ { 'plane': {}, 'filter': { 'mask': 9007199254740992 } } ] }",
        "obstacles[0].filter.mask");
    bad(HEAD BODY ", 'obstacles': [ { 'plane': {}, 'filter': { 'group': 0.5 } } ] }", "obstacles[0].filter.group");
    bad(HEAD BODY ", 'name': 3 }", "name: found the number 3; allowed: a text in quotes");
    bad(HEAD BODY ", 'extends': '' }", "extends: found the text \"\"");
    bad("{ 'a\\nb\\u001b': 1 }", "a?b?: unknown key");
}

static void test_materials(void **state)
{
    (void)state;
#define WITH(materials, name) \
    HEAD "'materials': " materials ", 'bodies': [ { 'material': " name ", 'mesh': { 'box': {} } } ] }"
    bad(WITH("{ 'jelly': {} }", "'jely'"),
        "bodies[0].material: there is no material \"jely\"; there are: jelly; did you mean \"jelly\"?");
    bad(WITH("{}", "'jelly'"), "there are: none");
    bad(WITH("{ 'a': { 'like': 'b' }, 'b': { 'like': 'a' } }", "'a'"), "in a circle");
    bad(WITH("{ 'a': { 'like': 'a' } }", "'a'"), "in a circle");
    bad(WITH("{ 'a': { 'like': 'c' } }", "'a'"), "materials.a.like: there is no material \"c\"");
    bad(WITH("{ 'a': { 'young': -5 } }", "'a'"),
        "materials.a.young: found the number -5; allowed: a number above 0 to 1e+15 Pa");
    bad(WITH("{ 'a': { 'poisson': 0.5 } }", "'a'"), "materials.a.poisson");
    bad(WITH("{ 'a': { 'mu': 5 } }", "'a'"), "mu and lambda go together");
    bad(WITH("{ 'a': { 'mu': 5, 'lambda': -4 } }", "'a'"), "lambda is -4 Pa with mu 5 Pa; it must be above -2/3 mu");
    bad(WITH("{ 'a': { 'mu': 5, 'lambda': 1, 'young': 1 } }", "'a'"), "give one pair");
    bad(WITH("{ 'a': { 'mass': 5, 'density': 1 } }", "'a'"), "both density and mass");
    bad(WITH("{ 'a': { 'damping': { 'momentum_rate': 1, 'momentum_per_step': 0.1 } } }", "'a'"), "give one");
    bad(WITH("{ 'a': 3 }", "'a'"), "materials.a: found the number 3");
    bad(WITH("{ '': {} }", "''"), "empty name");
    bad(WITH("{}", "3"), "bodies[0].material: found the number 3");
    bad(WITH("{}", "{ 'yung': 3 }"), "bodies[0].material.yung: unknown key");
    bad(HEAD "'bodies': [ { 'name': 'a', 'mesh': { 'box': {} } }, { 'name': 'a', 'mesh': { 'box': {} } } ] }",
        "bodies[1].name: bodies[0] has the name \"a\" too");
}

/* A list: the first is the body's own, each of the others names its model. */
static void test_material_lists(void **state)
{
    (void)state;
#define TWO \
    "{ 'cloth': { 'density': 0.2 }, 'bend': { 'model': 'corotated', 'young': 7, 'damping': { 'rayleigh': 3 } } }"
    good(WITH(TWO, "'cloth'"));
    never("more");
    good(WITH(TWO, "[ 'cloth', 'bend', { 'like': 'bend', 'model': 'neo-hookean', 'bend_stiffness': 4 } ]"));
    expect("body  fixed-corotated 0 young 100000 0.3 mu 0 0 density 0.2 ");
    expect("more corotated young 7 bend 0 rayleigh 3\nmore neo-hookean young 7 bend 4 rayleigh 3\n");
    good(WITH(TWO, "[ 'cloth' ]"));
    never("more");
    good_with(WITH(TWO, "[ 'cloth', 'bend' ]"), "bodies[0].material[1].young=9");
    expect("more corotated young 9 bend 0 rayleigh 3\n");
    good_with(WITH(TWO, "'cloth'"), "bodies[0].material[1]=bend");
    expect("density 0.2 ");
    expect("more corotated young 7");
    bad(WITH(TWO, "[]"),
        "bodies[0].material: found a list of 0; allowed: the name of a material, an object with its keys, or a list");
    bad(WITH(TWO, "[ 'cloth', 3 ]"),
        "bodies[0].material[1]: found the number 3; allowed: the name of a material, or an object");
    bad(WITH(TWO, "[ 'cloth', [ 'bend' ] ]"), "bodies[0].material[1]: found a list of 1");
    bad(WITH(TWO, "[ 'cloth', 'bent' ]"),
        "bodies[0].material[1]: there is no material \"bent\"; there are: cloth, bend; did you mean \"bend\"?");
    bad(WITH(TWO, "[ 'bend', 'cloth' ]"),
        "bodies[0].material[1]: names no model; the materials after the first need one");
    bad(WITH(TWO, "[ 'cloth', { 'model': 'corotated', 'young': -1 } ]"),
        "bodies[0].material[1].young: found the number -1");
    bad(WITH(TWO, "[ 'cloth', { 'model': 'corotated', 'mu': 1 } ]"), "bodies[0].material[1]: found mu alone");
    fake_failing = "vvWorldAddBody";
    bad(WITH(TWO, "[ 'cloth', 'bend' ]"), "bodies[0]: vvWorldAddBody was told to fail");
    fake_failing = "";
}

static void test_attachments(void **state)
{
    (void)state;
#define ATTACH(text) HEAD "'bodies': [ { 'mesh': { 'box': {} }, 'attach': [ " text " ] } ] }"
    bad(ATTACH("{}"), "bodies[0].attach[0].where: missing");
    good(ATTACH("{ 'where': { 'all': true }, 'axes': 'xz', 'release': 2.5 }"));
    expect("attach 1 kind 4 stiffness 0 region 0 surface 0 a 0 0 0 b 0 0 0 radius 0 list axes 5 normal 0 0 0 clamp 0 "
           "release 2.5\n");
    good(ATTACH("{ 'where': { 'all': true }, 'axes': 'xyz' }"));
    expect("attach 1 kind 0");
    good(ATTACH("{ 'where': { 'all': true }, 'kind': 'roller', 'normal': [0, 3, -4] }"));
    expect("axes 0 normal 0 3 -4 clamp 0\n");
    good(ATTACH("{ 'where': { 'all': true }, 'kind': 'symmetry', 'normal': [1, 0, 0] }"));
    expect("axes 0 normal 1 0 0 clamp 1\n");
    bad(ATTACH("{ 'where': { 'all': true }, 'axes': 'zx' }"),
        "bodies[0].attach[0].axes: found the text \"zx\"; allowed: xyz, xy, xz, yz, x, y, z");
    bad(ATTACH("{ 'where': { 'all': true }, 'axes': 'x', 'kind': 'push', 'acceleration': [1, 0, 0] }"),
        "bodies[0].attach[0]: axes belongs to \"kind\": \"fixed\"");
    bad(ATTACH("{ 'where': { 'all': true }, 'normal': [1, 0, 0] }"), "bodies[0].attach[0]: normal belongs to");
    bad(ATTACH("{ 'where': { 'all': true }, 'kind': 'roller' }"), "bodies[0].attach[0]: a roller needs its normal");
    bad(ATTACH("{ 'where': { 'all': true }, 'kind': 'symmetry', 'normal': [0, 0, 0] }"),
        "bodies[0].attach[0]: a symmetry needs its normal");
    good(ATTACH(
        "{ 'where': { 'all': true }, 'kind': 'force', 'force': [1, '1/2', -3], 'keys': [[-1, 0], [0.5, 100]] }"));
    expect("attach 1 kind 5 stiffness 0 region 0 surface 0 a 0 0 0 b 0 0 0 radius 0 list load 1 0.5 -3 pressure 0 "
           "follows 0 "
           "key -1 0 smooth 0 key 0.5 100 smooth 0\n");
    good(ATTACH("{ 'where': { 'all': true }, 'kind': 'traction', 'traction': [4, 5, 6], 'follow': true, 'motion': { "
                "'end': 2 } }"));
    expect("kind 6 stiffness 0 region 0 surface 0 a 0 0 0 b 0 0 0 radius 0 list load 4 5 6 pressure 0 follows 1\n");
    good(ATTACH("{ 'where': { 'all': true }, 'kind': 'pressure', 'pressure': -7, 'smooth': true, 'keys': [[0, 1]] }"));
    expect("kind 7 stiffness 0 region 0 surface 0 a 0 0 0 b 0 0 0 radius 0 list load 0 0 0 pressure -7 follows 0 "
           "key 0 1 smooth 1\n");
    good(ATTACH("{ 'where': { 'all': true }, 'kind': 'push', 'acceleration': [1, 0, 0], 'keys': [[0, 1], [1, 0]] }"));
    expect("acceleration 1 0 0 key 0 1 smooth 0 key 1 0 smooth 0\n");
    bad(ATTACH("{ 'where': { 'all': true }, 'kind': 'force' }"), "bodies[0].attach[0]: a force needs its size in N");
    bad(ATTACH("{ 'where': { 'all': true }, 'pressure': 1 }"), "bodies[0].attach[0]: pressure belongs to");
    bad(ATTACH("{ 'where': { 'all': true }, 'keys': [[0, 1]] }"), "keys and smooth belong to");
    bad(ATTACH("{ 'where': { 'all': true }, 'kind': 'force', 'force': [1, 0, 0], 'follow': true }"),
        "follow belongs to");
    bad(ATTACH("{ 'where': { 'all': true }, 'kind': 'force', 'force': [1, 0, 0], 'keys': [] }"),
        "bodies[0].attach[0].keys: found a list of 0; allowed: a list of [time in s, factor]");
    bad(ATTACH("{ 'where': { 'all': true }, 'kind': 'force', 'force': [1, 0, 0], 'keys': [[0, 1], [0, 2]] }"),
        "bodies[0].attach[0].keys[1]: found the time 0 after 0; times must ascend");
    bad(ATTACH("{ 'where': { 'all': true }, 'kind': 'force', 'force': [1, 0, 0], 'keys': [[0, null]] }"),
        "bodies[0].attach[0].keys[0][1]: found null");
    bad(ATTACH("{ 'where': { 'all': true }, 'kind': 'force', 'force': [1, 0, 0], 'keys': [[0]] }"),
        "bodies[0].attach[0].keys[0]: found a list of 1; allowed: [time in s, factor]");
    bad(ATTACH("{ 'where': { 'all': true }, 'release': 'soon' }"), "bodies[0].attach[0].release");
    bad(ATTACH("{ 'where': {} }"), "bodies[0].attach[0].where: found no region");
    bad(ATTACH("{ 'where': { 'all': true, 'vertices': [1] } }"), "several regions");
    bad(ATTACH("{ 'where': { 'vertices': [] } }"), "not empty");
    bad(ATTACH("{ 'where': { 'vertices': [-1] } }"), "bodies[0].attach[0].where.vertices[0]: found the number -1");
    bad(ATTACH("{ 'where': { 'vertices': [99999999999] } }"), "vertices[0]");
    bad(ATTACH("{ 'where': { 'box': [1, 2] } }"),
        "bodies[0].attach[0].where.box[0]: found the number 1; allowed: a list of 3 numbers, m");
    bad(ATTACH("{ 'where': { 'box': [[1, 2, 3]] } }"), "two corners");
    bad(ATTACH("{ 'where': { 'sphere': { 'radius': 1 } } }"), "where.sphere.center: missing");
    bad(ATTACH("{ 'where': { 'half_space': { 'point': [0, 0, 0], 'normal': [0, 0, 0] } } }"), "any other vector");
    bad(ATTACH("{ 'where': { 'all': true }, 'kind': 'fixd' }"),
        "bodies[0].attach[0].kind: found the text \"fixd\"; allowed: fixed, spring, push, potential, roller, symmetry, "
        "force, "
        "traction, pressure; "
        "did you mean "
        "\"fixed\"?");
    bad(ATTACH("{ 'where': { 'all': true }, 'kind': 'spring' }"), "a spring needs its stiffness");
    bad(ATTACH("{ 'where': { 'all': true }, 'stiffness': 3 }"), "stiffness belongs to");
    bad(ATTACH("{ 'where': { 'all': true }, 'kind': 'push' }"), "a push needs its acceleration");
    bad(ATTACH("{ 'where': { 'all': true }, 'kind': 'push', 'acceleration': [1, 2] }"),
        "allowed: a list of 3 numbers, m/s2");
    bad(ATTACH("{ 'where': { 'all': true }, 'acceleration': [1, 2, 3] }"), "acceleration belongs to");
    bad(ATTACH("{ 'where': { 'all': true }, 'kind': 'push', 'acceleration': [1, 2, 3], 'stiffness': 3 }"),
        "stiffness belongs to");
    bad(ATTACH("{ 'where': { 'all': true }, 'motion': { 'angular': 3 } }"),
        "bodies[0].attach[0].motion: angular needs an axis");
    bad(ATTACH("{ 'where': { 'all': true }, 'motion': { 'start': 3, 'end': 1 } }"), "found end 1 before start 3");
    bad(ATTACH("{ 'where': { 'all': true }, 'motion': { 'waypoints': [ { 'time': 1 }, { 'time': 1 } ] } }"),
        "bodies[0].attach[0].motion.waypoints[1]: found the time 1 after 1");
    bad(HEAD "'bodies': [ { 'mesh': { 'box': {} }, 'start': [ {} ] } ] }",
        "bodies[0].start[0]: found none; allowed: exactly one of file, positions, linear");
}

/* ---- files ---- */

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (const char *p = text; *p; p++)
        fputc(*p == '\'' ? '"' : *p, file);
    fclose(file);
}

static vvScene *load_file(const char *path)
{
    vvScene *scene = NULL;
    last = (vvError){ 0 };
    vvSceneLoad(path, NULL, 0, &scene, &last);
    return scene;
}

/* Named values: of a policy and of a generator, from the file and from the command line. */
static void test_choices(void **state)
{
    (void)state;
    good(HEAD BODY ", 'integrator': { 'policy': 'search', 'scope': 'world' } }");
    expect("scope is world\n");
    good(HEAD BODY ", 'integrator': { 'scope': 'groups' } }"); /* not in use: kept for the command line */
    expect("scope is groups\n");
    good(HEAD "'bodies': [ { 'mesh': { 'jar': { 'lid': 'ajar' } } } ] }");
    expect("generate jar 2\n");
    good(HEAD "'bodies': [ { 'mesh': { 'jar': {} } } ] }");
    expect("generate jar 1\n");
    good_with(HEAD BODY "}", "integrator.scope=world");
    expect("scope is world\n");
    good_with(HEAD BODY "}", "bodies[0].mesh.jar.lid=open");
    expect("generate jar 0\n");

    bad(HEAD BODY ", 'integrator': { 'scope': 'word' } }",
        "s.json: integrator.scope: found the text \"word\"; allowed: groups, world; did you mean \"world\"?");
    bad(HEAD "'bodies': [ { 'mesh': { 'jar': { 'lid': 'gone' } } } ] }",
        "s.json: bodies[0].mesh.jar.lid: found the text \"gone\"; allowed: open, shut, ajar");
    static const char *const wrong[][2] = { { "1", "the number 1" },
                                            { "0.5", "the number 0.5" },
                                            { "true", "true" },
                                            { "null", "null" },
                                            { "''", "the text \"\"" },
                                            { "'1'", "the text \"1\"" },
                                            { "'World'", "the text \"World\"" },
                                            { "['world']", "a list of 1" },
                                            { "{}", "an object" },
                                            { "'world\\u0007'", "the text \"world?\"" } };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char scene[512], message[256];
        snprintf(scene, sizeof scene, HEAD BODY ", 'integrator': { 'scope': %s } }", wrong[i][0]);
        snprintf(message, sizeof message, "integrator.scope: found %s; allowed: groups, world", wrong[i][1]);
        bad(scene, message);
        snprintf(scene, sizeof scene, HEAD "'bodies': [ { 'mesh': { 'jar': { 'lid': %s } } } ] }", wrong[i][0]);
        snprintf(message, sizeof message, "bodies[0].mesh.jar.lid: found %s; allowed: open, shut, ajar", wrong[i][1]);
        bad(scene, message);
    }
    bad_with(HEAD BODY "}", "integrator.scope=all", "override \"integrator.scope=all\": ");
    bad_with(HEAD BODY "}", "integrator.scope=1", "found the number 1; allowed: groups, world");
    bad_with(HEAD BODY "}", "integrator.alpha=world",
             "integrator.alpha: found the text \"world\"; allowed: a list of 2 numbers");
}

static void test_files(void **state)
{
    (void)state;
    mkdir("scene-test", 0777);
    mkdir("scene-test/sub", 0777);
    write_file(
        "scene-test/base.json", HEAD
        "'name': 'base', 'time': { 'step': '1/100', 'end': 3 }, 'materials': { 'm': { 'young': 5,"
        "'density': 7 } }, 'bodies': [ { 'material': 'm', 'mesh': { 'file': ['absent.msh', 'sub/here.msh'] } } ] }");
    write_file("scene-test/sub/here.msh", "");
    write_file("scene-test/sub/over.json",
               "{ 'extends': '../base.json', 'time': { 'end': 4 }, 'materials': { 'm': { 'young': 6 } } }");
    vvScene *scene = load_file("scene-test/sub/over.json");
    assert_string_equal(last.message, "");
    assert_non_null(scene);
    assert_string_equal(vvSceneName(scene), "base");
    assert_true(vvSceneGetTime(scene).step == 0.01);
    assert_true(vvSceneGetTime(scene).end == 4);
    assert_non_null(strstr(vvSceneText(scene), "\"young\": 6"));
    assert_non_null(strstr(vvSceneText(scene), "\"density\": 7"));
    assert_null(strstr(vvSceneText(scene), "extends"));
    char *absolute = realpath("scene-test/sub/here.msh", NULL), wanted[5000];
    snprintf(wanted, sizeof wanted, "\"file\": \"%s\"", absolute);
    assert_non_null(strstr(vvSceneText(scene), wanted));
    free(absolute);
    vvSceneDestroy(scene);

    write_file("scene-test/one.json", "{ 'extends': 'two.json' }");
    write_file("scene-test/two.json", "{ 'extends': 'one.json' }");
    assert_null(load_file("scene-test/one.json"));
    assert_int_equal(last.status, VV_ERROR_INPUT);
    assert_non_null(strstr(last.message, "break the circle"));
    assert_null(load_file("scene-test/none.json"));
    assert_int_equal(last.status, VV_ERROR_IO);
    assert_null(load_file("scene-test"));
    assert_int_equal(last.status, VV_ERROR_IO);
    write_file("scene-test/lost.json", HEAD "'bodies': [ { 'mesh': { 'file': 'nowhere.msh' } } ] }");
    assert_null(load_file("scene-test/lost.json"));
    assert_non_null(strstr(last.message, "bodies[0].mesh.file: cannot read /"));
}

/* What a run file keeps makes the same world again. */
static void test_text_round_trip(void **state)
{
    (void)state;
    const char *text =
        "{ \"visviva\": 1, \"time\": { \"step\": \"1/30\", \"end\": 0.1 }, \"gravity\": [0.1, -9.80665, 1e-300],"
        "\"bodies\": [ { \"name\": \"\\u00e4\\n\", \"mesh\": { \"box\": { \"size\": [0.30000000000000004, 1, 1e6] } } "
        "} ] }";
    vvScene *first = NULL, *second = NULL;
    assert_int_equal(vvSceneParse(text, "s", ".", NULL, 0, &first, &last), VV_OK);
    assert_non_null(strstr(vvSceneText(first), "[0.30000000000000004, 1, 1000000.0]"));
    assert_non_null(strstr(vvSceneText(first), "\"1/30\""));
    assert_non_null(strstr(vvSceneText(first), "-9.80665,"));
    assert_int_equal(vvSceneParse(vvSceneText(first), "s", ".", NULL, 0, &second, &last), VV_OK);
    assert_string_equal(vvSceneText(first), vvSceneText(second));
    vvSceneDestroy(first);
    vvSceneDestroy(second);
}

/* ---- overrides ---- */

static void test_overrides(void **state)
{
    (void)state;
    const char *scene = HEAD "'materials': { 'm': { 'young': 5, 'density': 7 } }, 'bodies': [ { 'material': 'm', "
                             "'mesh': { 'box': {} } } ] }";
    good_with(scene, "integrator.policy=search");
    expect("integrator backward-euler search");
    good_with(scene, "integrator.policy=\"search\"");
    expect("integrator backward-euler search");
    good_with(scene, "time.step=1/60");
    expect("world h 0.016666666666666666");
    good_with(scene, "materials.m.young=1e6");
    expect("young 1e+06 0.3 mu 0 0 density 7");
    good_with(scene, "bodies[0].material.young=1e6"); /* one body differs, the rest of its material stays */
    expect("young 1e+06 0.3 mu 0 0 density 7");
    good_with(scene, "bodies[0].mesh.ball={}"); /* replaces the box */
    expect("generate ball");
    good_with(scene, "bodies[1].mesh={\"ball\":{}}"); /* one past the end adds a body */
    expect("generate box 1 2 3 4 5 6 5\n");
    expect("generate ball");
    good_with(scene, "obstacles[0].plane={}");
    expect("obstacle  plane");
    good_with(scene, "bodies[0].attach[0].where.vertices[0]=3");
    expect("list 3\n");
    good_with(scene, "gravity=[0,0,0]");
    expect("g 0 0 0");
    good_with(scene, "integrator.decay_time=null");
    good_with(scene, "bodies.0.material.young=1e6"); /* an index behind a dot */
    expect("young 1e+06 0.3 mu 0 0 density 7");
    good_with(scene, "bodies.1.mesh={\"ball\":{}}");
    expect("generate ball");
    good_with(scene, "bodies.0.attach.0.where.vertices.0=3");
    expect("list 3\n");
    good_with(HEAD BODY ", 'gravity': [0, 0, 0] }", "gravity.1=3");
    expect("g 0 3 0");
    /* a name of digits */
    good_with(HEAD "'bodies': [ { 'material': '7', 'mesh': { 'box': {} } } ] }", "materials.7.young=6");
    expect("young 6 ");
    good_with(HEAD "'materials': { '7': {} }, 'bodies': [ { 'material': '7', 'mesh': { 'box': {} } } ] }",
              "materials.7.young=6");
    expect("young 6 ");
    good_with(scene, "gravity.1=-1.6"); /* a list that is not there begins as its default */
    expect("g 0 -1.6 0");
    good_with(scene, "bodies.0.place.translate.2=4");
    expect("place 1 1 1, 0 0 0, 0 0 4");
    good_with(scene, "bodies.0.mesh.box.cells.1=9");
    expect("generate box 1 2 3 4 9 6 5\n");
    good_with(scene, "integrator.alpha.0=0.5");
    expect("alpha 0.5 1.1");
    bad_with(scene, "gravity.3=1", "gravity: found a list of 4; allowed: a list of 3 numbers");
    bad_with(scene, "bodies[0].attach[0].where.half_space.normal.1=1", "past the end"); /* there is no default */
    bad_with(scene, "policy=search", "; there is integrator.policy");                   /* a key in the wrong place */
    bad_with(scene, "alpha=[0,1]", "; there is integrator.alpha");
    bad_with(scene, "materials.m.friction=1", "; there are contact.friction, bodies[].friction, obstacles[].friction");
    bad_with(scene, "end=1", "; there is time.end");
    bad_with(scene, "bodies.0.frction=1", "override \"bodies.0.frction=1\": s.json: bodies[0].frction: unknown key");
    bad_with(scene, "bodies.4.friction=1", "past the end");
    bad_with(scene, "bodies.0x.friction=1", "an item of it is [0] or .0");
    bad_with(scene, "time.0.step=1", "time: found a list of 1; allowed: an object");

    bad_with(scene, "integrator.polcy=search", "override \"integrator.polcy=search\": ");
    bad_with(scene, "integrator.polcy=search", "did you mean \"policy\"?");
    bad_with(scene, "integrator={\"policy\":3}", "override \"integrator={\"policy\":3}\": ");
    bad_with(scene, "integrator.policy", "write PATH=VALUE");
    bad_with(scene, "=3", "write PATH=VALUE");
    bad_with(scene, "integrator.=3", "a name is missing");
    bad_with(scene, "a..b=3", "a name is missing");
    bad_with(scene, "time.step=", "the value is missing");
    bad_with(scene, "time.step=[1,", "not valid JSON");
    bad_with(scene, "bodies[3].friction=1", "past the end");
    bad_with(scene, "bodies[-1].friction=1", "an index in brackets");
    bad_with(scene, "bodies[0=1", "an index in brackets");
    bad_with(scene, "bodies[99999999999999].friction=1", "an index in brackets");
    bad_with(scene, "bodies.x=1", "there is a name where the scene has a list; an item of it is [0] or .0");
    bad_with(scene, "visviva[0]=1", "there is an index where the scene has no list");
    bad_with(scene, "visviva.x=1", "there is a name where the scene has no object");
    bad_with(scene, "extends=other.json", "too late");
    bad_with(scene, "time.step=\xff", "not valid UTF-8");
    char deep[4000] = "a";
    for (size_t i = 1; i < 3990; i += 2)
        memcpy(deep + i, ".a", 3);
    strcat(deep, "=1");
    bad_with(scene, deep, "too many steps");
    bad_with(scene, "bodies[0].mesh.file=nowhere.msh",
             "override \"bodies[0].mesh.file=nowhere.msh\": s.json: bodies[0].mesh.file: cannot read /");
}

/* A surface from a file, filled; the keys for that, and what an override leaves of them. */
static void test_fill(void **state)
{
    (void)state;
    mkdir("scene-test", 0777);
    write_file("scene-test/shell.obj", "");
    write_file("scene-test/plain.msh", "");
#define FILE_HERE "'file': '" VV_BUILD_DIR "/scene-test/shell.obj'"
#define FILLED HEAD "'bodies': [ { 'mesh': { " FILE_HERE ", 'fill': true, 'edge': '1/8' } } ] }"
    good(FILLED);
    expect("close holes 1.3\nfill 4 triangles, edge 0.125: filling shell.obj with tets\n");
    expect("body  fixed-corotated");
    good(HEAD "'bodies': [ { 'mesh': { " FILE_HERE ", 'fill': true } } ] }");
    expect("edge 0: ");
    good(HEAD "'bodies': [ { 'mesh': { " FILE_HERE ", 'fill': false } } ] }");
    expect("body  hooke");
    never("fill 4");
    bad(HEAD "'bodies': [ { 'mesh': { " FILE_HERE ", 'fill': 1 } } ] }",
        "bodies[0].mesh.fill: found the number 1; allowed: true or false");
    bad(HEAD "'bodies': [ { 'mesh': { " FILE_HERE ", 'fill': true, 'edge': 0 } } ] }",
        "bodies[0].mesh.edge: found the number 0; allowed: a number above 0");
    bad(HEAD "'bodies': [ { 'mesh': { " FILE_HERE ", 'edge': 1 } } ] }",
        "bodies[0].mesh.edge: is the edge of tets that fill a surface; add \"fill\": true");
    bad(HEAD "'bodies': [ { 'mesh': { 'box': {}, 'fill': true } } ] }",
        "bodies[0].mesh.fill: is for a mesh from a file");
    bad(HEAD "'bodies': [ { 'mesh': { 'file': '" VV_BUILD_DIR "/scene-test/plain.msh', 'fill': true } } ] }",
        "scene-test/plain.msh already holds 1 tets; leave \"fill\" out");
    good_with(FILLED, "bodies[0].mesh.order=2"); /* beside what is there */
    expect("order 2: read ");
    expect(" onto 4 triangles\n"); /* of the surface that is filled */
    expect("edge 0.125: ");
    good_with(HEAD "'bodies': [ { 'mesh': { 'box': {}, 'order': 2 } } ] }", "bodies[0].mesh.ball={}");
    expect("order 2: generate ball\n");
    good(HEAD "'bodies': [ { 'mesh': { 'file': '" VV_BUILD_DIR
              "/scene-test/plain.msh', 'order': 2, 'onto': '" VV_BUILD_DIR "/scene-test/shell.obj' } } ] }");
    expect("raise 1 tets onto 4 triangles\n");
    good(HEAD "'bodies': [ { 'mesh': { 'file': '" VV_BUILD_DIR "/scene-test/plain.msh', 'onto': '" VV_BUILD_DIR
              "/scene-test/shell.obj' } } ] }"); /* of no effect without order 2 */
    never("raise");
    bad(HEAD "'bodies': [ { 'mesh': { " FILE_HERE ", 'order': 2, 'onto': '" VV_BUILD_DIR
             "/scene-test/plain.msh' } } ] }",
        "bodies[0].mesh.onto: ");
    bad(HEAD "'bodies': [ { 'mesh': { " FILE_HERE ", 'order': 2, 'onto': 3 } } ] }", "bodies[0].mesh.onto: found");
    bad(HEAD "'bodies': [ { 'mesh': { 'box': {}, 'order': 2, 'onto': 'a.obj' } } ] }",
        "bodies[0].mesh.onto: is for tets from a file; a generator knows its shape");
    bad(HEAD "'bodies': [ { 'mesh': { " FILE_HERE ", 'fill': true, 'order': 2, 'onto': 'a.obj' } } ] }",
        "bodies[0].mesh.onto: is for tets from a file; those that fill");
    good_with(FILLED, "bodies[0].mesh.edge=0.5");
    expect("edge 0.5: ");
    good_with(FILLED, "bodies[0].mesh.file=" VV_BUILD_DIR "/scene-test/shell.obj"); /* still filled */
    expect("edge 0.125: ");
    good_with(FILLED, "bodies[0].mesh.ball={}");
    never("fill 4");
    good_with(HEAD "'bodies': [ { 'mesh': { " FILE_HERE " } } ] }", "bodies.0.mesh.fill=true");
    expect("fill 4 triangles");
}

/* An override of a material that nothing uses would change nothing. */
static void test_unused(void **state)
{
    (void)state;
    const char *scene =
        HEAD "'materials': { 'rubber': {}, 'soft': { 'like': 'base' }, 'base': {}, 'spare': {} }, 'bodies': [ "
             "{ 'material': 'rubber', 'mesh': { 'box': {} } }, { 'material': { 'like': 'soft' }, 'mesh': { 'box': {} } "
             "} ] }";
    bad_with(scene, "materials.jelly.young=7",
             "override \"materials.jelly.young=7\": no body uses a material \"jelly\"; used are: rubber, "
             "soft, base");
    bad_with(scene, "materials.rubbr.young=7", "; did you mean \"rubber\"?");
    bad_with(scene, "materials.spare={}", "no body uses a material \"spare\"");
    good_with(scene, "materials.rubber.young=7");
    good_with(scene, "materials.soft.young=7");
    good_with(scene, "materials.base.young=7"); /* through others that are like it */
    expect("young 7 ");
    bad_with(HEAD BODY "}", "materials.jelly.young=7",
             "used are: none (a body's own values are at bodies[0].material)");
    const char *both[] = { "materials.jelly.young=7", "bodies[0].material=jelly" };
    if (load(scene, both, 2))
        fail_msg("refused: %s", last.message);
    expect("young 7 ");
    good_with(HEAD
              "'materials': { 'a': {}, 'b': {} }, 'bodies': [ { 'material': [ 'a', 'b' ], 'mesh': { 'box': {} } } ] }",
              "materials.b.model=neo-hookean");
}

/* ---- the world's own refusals carry the path ---- */

static void test_failures_below(void **state)
{
    (void)state;
    const char *scene =
        HEAD "'bodies': [ { 'mesh': { 'box': {} }, 'start': [ { 'stretch': {} } ], 'velocity': { 'linear': [1, 0, 0] },"
             "'attach': [ { 'where': { 'all': true }, 'motion': { 'waypoints': [ { 'time': 1 } ] } } ] } ], "
             "'obstacles': [ { 'plane': {} } ] }";
    const struct {
        const char *function, *part;
    } cases[] = { { "vvWorldCreate", "s.json: vvWorldCreate" },
                  { "vvMeshGenerate", "s.json: bodies[0].mesh: vvMeshGenerate" },
                  { "vvWorldAddBody", "s.json: bodies[0]: vvWorldAddBody" },
                  { "vvBodyAttach", "s.json: bodies[0].attach[0]: vvBodyAttach" },
                  { "vvBodySetInitialState", "s.json: bodies[0].start[0]: vvBodySetInitialState" },
                  { "vvWorldAddObstacle", "s.json: obstacles[0]: vvWorldAddObstacle" } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fake_failing = cases[i].function;
        bad(scene, cases[i].part);
    }
    fake_failing = "";
    good(scene);
}

static void test_wrong_calls(void **state)
{
    (void)state;
    vvScene *scene;
    vvWorld *world;
    const char *const overrides[] = { NULL };
    assert_int_equal(vvSceneParse(NULL, NULL, NULL, NULL, 0, &scene, &last), VV_ERROR_INPUT);
    assert_int_equal(vvSceneParse("{}", NULL, NULL, NULL, 2, &scene, &last), VV_ERROR_INPUT);
    assert_int_equal(vvSceneParse("{}", NULL, NULL, overrides, 1, &scene, &last), VV_ERROR_INPUT);
    assert_int_equal(vvSceneParse("{}", NULL, "/no/such/folder", NULL, 0, &scene, &last), VV_ERROR_IO);
    assert_int_equal(vvSceneParse("{}", NULL, NULL, NULL, 0, &scene, NULL), VV_ERROR_INPUT);
    assert_int_equal(vvSceneLoad(NULL, NULL, 0, &scene, NULL), VV_ERROR_INPUT);
    assert_int_equal(vvSceneCreateWorld(NULL, 0, &world, NULL), VV_ERROR_INPUT);
    vvSceneDestroy(NULL);
    assert_null(vvSceneKeyInfo(-1));
}

/* Every key of the table has its words, and stands after the key that holds it. */
static void test_table(void **state)
{
    (void)state;
    int count = 0;
    for (const vvSceneKey *key; (key = vvSceneKeyInfo(count)); count++) {
        assert_true(key->path[0] && key->type[0] && key->summary[0] && key->unit && key->fallback[0]);
        for (int i = 0; i < count; i++)
            assert_string_not_equal(vvSceneKeyInfo(i)->path, key->path);
    }
    assert_true(count > 90);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),        cmocka_unit_test(test_substeps),
        cmocka_unit_test(test_percentages),     cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_everything),      cmocka_unit_test(test_syntax),
        cmocka_unit_test(test_content),         cmocka_unit_test(test_materials),
        cmocka_unit_test(test_material_lists),  cmocka_unit_test(test_choices),
        cmocka_unit_test(test_attachments),     cmocka_unit_test(test_files),
        cmocka_unit_test(test_text_round_trip), cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_unused),          cmocka_unit_test(test_fill),
        cmocka_unit_test(test_failures_below),  cmocka_unit_test(test_wrong_calls),
        cmocka_unit_test(test_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
