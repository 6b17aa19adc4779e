/* A setting that this test adds by one row, "solver.spare": a second key of a member that no other row of these scenes
 * uses. It is then in the list of keys, read from scenes and checked there and in the API, noted, saved, and extracted.
 */
#define VV_MORE_SOLVER_MEMBERS { NUMBER("solver.spare", "N", "0", 0, 1, "a row of this test"), AT(forceTolerance) },
#include "world/settings/member_tables.c"

#include "live_support.h"

#include "visviva/scene.h"
#include "visviva/settings.h"

static vvStatus parse(const char *spare, vvScene **scene, vvError *error)
{
    char text[512];
    snprintf(
        text, sizeof text,
        "{ \"visviva\": 1, \"solver\": { \"spare\": %s }, \"bodies\": [ { \"name\": \"block\", \"mesh\": { \"box\": { "
        "\"cells\": [1, 1, 1] } } } ] }",
        spare);
    return vvSceneParse(text, "one-more", ".", NULL, 0, scene, error);
}

static void is_a_key_of_scenes(void **state)
{
    (void)state;
    const vvSceneKey *key;
    vvScene *scene;
    vvError error = { 0 };
    int found = 0;
    for (int i = 0; (key = vvSceneKeyInfo(i)); i++)
        found += strcmp(key->path, "solver.spare") == 0 && strcmp(key->summary, "a row of this test") == 0;
    assert_int_equal(found, 1);
    expect(parse("2", &scene, &error), VV_ERROR_INPUT, &error,
           "solver.spare: found the number 2; allowed: a number from 0 to 1 N");
    expect(parse("\"x\"", &scene, &error), VV_ERROR_INPUT, &error, "solver.spare");
    const char *const overrides[] = { "solver.spar=1" };
    expect(vvSceneParse("{ \"visviva\": 1, \"bodies\": [ { \"mesh\": { \"box\": {} } } ] }", "one-more", ".", overrides,
                        1, &scene, &error),
           VV_ERROR_INPUT, &error, "did you mean \"spare\"");
}

static void is_spare(void *user, const char *key, const char *json)
{
    if (strcmp(key, "solver.spare") == 0)
        *(bool *)user = strcmp(json, "0.25") == 0;
}

static void is_set_noted_saved_and_extracted(void **state)
{
    (void)state;
    const char *const name = "block";
    vvError error = { 0 };
    vvScene *scene, *other;
    vvWorld *w, *again;
    assert_ok(parse("0.5", &scene, &error));
    assert_ok(vvSceneCreateWorld(scene, 1, &w, &error));
    assert_ok(vvSceneCreateWorld(scene, 1, &again, &error));
    assert_true(vvWorldGetDef(w)->solver.forceTolerance == 0.5);
    vvWorldDef def = *vvWorldGetDef(w);
    def.solver.forceTolerance = 2;
    expect(vvWorldSetSolver(w, &def.solver, &error), VV_ERROR_INPUT, &error,
           "solver.spare is 2; it must be a number from 0 to 1 N");
    def.solver.forceTolerance = 0.25;
    assert_ok(vvWorldSetSolver(w, &def.solver, &error));
    bool told = false;
    vvWorldEachSetting(w, is_spare, &told);
    assert_true(told);
    vvSettingChange last;
    assert_true(vvWorldSettingChange(w, vvWorldSettingsRevision(w), &last) && strstr(last.text, "solver.spare=0.25"));
    assert_ok(vvWorldBake(w, &error));
    size_t size = vvWorldStateSize(w);
    void *buffer = malloc(size);
    assert_ok(vvWorldSaveState(w, buffer, size, &error));
    assert_ok(vvWorldLoadState(again, buffer, size, &error));
    assert_true(vvWorldGetDef(again)->solver.forceTolerance == 0.25);
    assert_ok(vvSceneWriteExtract(scene, w, &name, 1, VV_BUILD_DIR "/one-more-extract.json", &error));
    assert_ok(vvSceneLoad(VV_BUILD_DIR "/one-more-extract.json", NULL, 0, &other, &error));
    assert_non_null(strstr(vvSceneText(other), "\"spare\": 0.25"));
    free(buffer);
    vvWorldDestroy(w);
    vvWorldDestroy(again);
    vvSceneDestroy(scene);
    vvSceneDestroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_a_key_of_scenes),
        cmocka_unit_test(is_set_noted_saved_and_extracted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
