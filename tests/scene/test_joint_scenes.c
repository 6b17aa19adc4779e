/* Joints in scene files: they hold in the world, and what is wrong with one is said with its place. A state that is
 * saved in the middle goes on to the same bits, with a motor and a joint that breaks. */
#include "world_support.h"

#include "visviva/joint.h"
#include "visviva/scene.h"
#include "visviva/settings.h"

static const char head[] =
    "{ \"visviva\": 1, \"time\": { \"step\": 0.01, \"end\": 1 }, \"contact\": { \"model\": \"none\" },"
    "\"bodies\": [ { \"name\": \"a\", \"mesh\": { \"box\": { \"size\": [0.2, 0.2, 0.2], \"cells\": [1, 1, 1] } } },"
    "{ \"name\": \"b\", \"mesh\": { \"box\": { \"size\": [0.2, 0.2, 0.2], \"cells\": [1, 1, 1] } }, \"place\": { "
    "\"translate\": [0.2, 0, 0] } } ],"
    "\"joints\": [ ";

static vvStatus load(const char *joints, vvWorld **world, vvError *error)
{
    char text[4000];
    vvScene *scene = NULL;
    snprintf(text, sizeof text, "%s%s ] }", head, joints);
    vvStatus status = vvSceneParse(text, "test.json", NULL, NULL, 0, &scene, error);
    if (status == VV_OK)
        status = vvSceneCreateWorld(scene, 1, world, error);
    vvSceneDestroy(scene);
    return status;
}

static const char two[] =
    "{ \"kind\": \"hinge\", \"between\": [\"world\", \"a\"], \"at\": [-0.1, 0, 0], \"axis\": [0, 0, 2], \"limits\": "
    "[-80, 10],"
    "\"motor\": { \"speed\": 60, \"force\": 2 } },"
    "{ \"kind\": \"ball\", \"between\": [\"a\", \"b\"], \"at\": [0.1, 0, 0], \"break_force\": 120 }";

static void test_joined(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = NULL, *again = NULL;
    assert_ok(load(two, &w, &error));
    assert_int_equal(vvWorldJointCount(w), 2);
    assert_string_equal(vvJointKind(w, vvWorldJoint(w, 0)), "hinge");
    vvBodyId between[2];
    vvJointBodies(w, vvWorldJoint(w, 0), between);
    assert_true(between[0].index1 == 0 && strcmp(vvBodyName(w, between[1]), "a") == 0);
    for (int k = 0; vvJointKindInfo(k); k++)
        assert_true(strlen(vvJointKindInfo(k)->summary) > 5);
    steps(w, 5);
    size_t size = vvWorldStateSize(w);
    void *saved = malloc(size);
    assert_ok(vvWorldSaveState(w, saved, size, &error));
    vvJointState now = { .broken = false };
    for (int i = 0; i < 60 && !now.broken; i++) {
        step(w);
        assert_ok(vvJointGetState(w, vvWorldJoint(w, 1), &now, &error));
    }
    assert_true(now.broken); /* they swing down onto it */
    steps(w, 5);
    assert_ok(load(two, &again, &error));
    assert_ok(vvWorldLoadState(again, saved, size, &error));
    while (vvWorldStepIndex(again) < vvWorldStepIndex(w))
        step(again);
    assert_memory_equal(vvWorldPositions(w), vvWorldPositions(again), 3 * (size_t)vvWorldNodeCount(w) * sizeof(double));
    vvJointState other;
    assert_ok(vvJointGetState(again, vvWorldJoint(again, 1), &other, &error));
    assert_int_equal(other.brokenStep, now.brokenStep);
    free(saved);
    vvWorldDestroy(w);
    vvWorldDestroy(again);
}

/* A scene that has another motor and another stiffness, and goes on from a state: what broke stays broken, the new
 * motor counts. */
static void test_other_settings(void **state)
{
    (void)state;
    static const char other[] =
        "{ \"kind\": \"hinge\", \"between\": [\"world\", \"a\"], \"at\": [-0.1, 0, 0], \"axis\": [0, 0, 2], "
        "\"limits\": [-80, 10],"
        "\"motor\": { \"speed\": 0, \"force\": 500 }, \"stiffness\": 3e6 },"
        "{ \"kind\": \"ball\", \"between\": [\"a\", \"b\"], \"at\": [0.1, 0, 0], \"break_force\": 120 }";
    vvError error = { 0 };
    vvWorld *w = NULL, *again = NULL;
    vvJointState now = { .broken = false }, hinge;
    assert_ok(load(two, &w, &error));
    for (int i = 0; i < 60 && !now.broken; i++) {
        step(w);
        assert_ok(vvJointGetState(w, vvWorldJoint(w, 1), &now, &error));
    }
    assert_true(now.broken);
    size_t size = vvWorldStateSize(w);
    void *saved = malloc(size);
    assert_ok(vvWorldSaveState(w, saved, size, &error));
    assert_ok(load(other, &again, &error));
    assert_ok(vvWorldLoadState(again, saved, size, &error));
    assert_ok(vvJointGetState(again, vvWorldJoint(again, 1), &now, &error));
    assert_true(now.broken && now.energy == 0);
    vvLedgerRow row = steps(again, 20);
    assert_ok(vvJointGetState(again, vvWorldJoint(again, 0), &hinge, &error));
    assert_less(fabs(hinge.speed), 5); /* deg/s: a brake holds it */
    assert_less(fabs(row.error), 1);
    assert_int_equal(vvWorldSetTimeStep(w, 2, &error), VV_ERROR_INPUT); /* its motor would turn by 120 deg in a step */
    assert_non_null(strstr(error.message, "60 deg"));
    free(saved);
    vvWorldDestroy(w);
    vvWorldDestroy(again);
}

/* Two bodies that are held, joined, and one of them let go: the joint was made with the mass and size of what may
 * move one day. */
static void test_held(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = NULL;
    vvJointState now;
    vvAttachId held[2];
    assert_ok(load("", &w, &error));
    for (int b = 0; b < 2; b++) {
        vvAttachDef def = vvDefaultAttachDef();
        assert_ok(vvBodyAttach(w, vvWorldBody(w, b), &def, &held[b], &error));
    }
    vvJointDef def = vvDefaultJointDef();
    vvJointId joint;
    def.kind = "fixed", def.at[0] = 0.1;
    def.bodies[0] = vvWorldBody(w, 0), def.bodies[1] = vvWorldBody(w, 1);
    assert_ok(vvWorldAddJoint(w, &def, &joint, &error));
    steps(w, 3);
    assert_ok(vvWorldDetach(w, held[1], &error));
    steps(w, 30);
    assert_ok(vvJointGetState(w, joint, &now, &error));
    assert_less(now.gap, 2e-3);
    assert_true(now.force[1] > 0); /* it carries the second body */
    vvWorldDestroy(w);
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "{ \"kind\": \"bal\", \"between\": [\"a\", \"b\"], \"at\": [0, 0, 0] }", "joints[0].kind" },
        { "{ \"kind\": \"ball\", \"between\": [\"a\", \"c\"], \"at\": [0, 0, 0] }", "joints[0].between[1]" },
        { "{ \"kind\": \"ball\", \"between\": [\"a\", \"a\"], \"at\": [0, 0, 0] }", "joints[0].between" },
        { "{ \"kind\": \"ball\", \"between\": [\"world\", \"world\"], \"at\": [0, 0, 0] }", "joints[0].between" },
        { "{ \"kind\": \"ball\", \"between\": [\"a\", \"b\"] }", "at" },
        { "{ \"kind\": \"hinge\", \"between\": [\"a\", \"b\"], \"at\": [0, 0, 0] }", "axis" },
        { "{ \"kind\": \"hinge\", \"between\": [\"a\", \"b\"], \"at\": [0, 0, 0], \"axis\": [0, 0, 0] }",
          "joints[0].axis" },
        { "{ \"kind\": \"ball\", \"between\": [\"a\", \"b\"], \"at\": [0, 0, 0], \"limits\": [0, 1] }",
          "joints[0].limits" },
        { "{ \"kind\": \"slider\", \"between\": [\"a\", \"b\"], \"at\": [0, 0, 0], \"axis\": [1, 0, 0], \"limits\": "
          "[1, 0] }",
          "joints[0].limits" },
        { "{ \"kind\": \"hinge\", \"between\": [\"a\", \"b\"], \"at\": [0, 0, 0], \"axis\": [1, 0, 0], \"limits\": "
          "[-200, 0] }",
          "joints[0]" },
        { "{ \"kind\": \"distance\", \"between\": [\"a\", \"b\"], \"at\": [0, 0, 0] }", "to" },
        { "{ \"kind\": \"ball\", \"between\": [\"a\", \"b\"], \"at\": [0, 0, 0], \"stiffness\": -1 }",
          "joints[0].stiffness" },
        { "{ \"kind\": \"ball\", \"between\": [\"a\", \"b\"], \"at\": [50, 0, 0] }", "joints[0]" },
        { "{ \"kind\": \"hinge\", \"between\": [\"a\", \"b\"], \"at\": [0, 0, 0], \"axis\": [1, 0, 0], \"motor\": { "
          "\"speed\": 7000, \"force\": 1 } }",
          "60 deg" },
        { "{ \"kind\": \"fixed\", \"between\": [\"a\", \"b\"], \"at\": [0, 0, 0], \"motor\": { \"force\": 1 } }",
          "joints[0].motor" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vvError error = { 0 };
        vvWorld *w = NULL;
        if (load(cases[i][0], &w, &error) != VV_ERROR_INPUT || !strstr(error.message, cases[i][1]))
            fail_msg("%s: %s", cases[i][0], error.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_joined), cmocka_unit_test(test_other_settings),
                                        cmocka_unit_test(test_held), cmocka_unit_test(test_refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
