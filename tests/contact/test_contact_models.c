/* layer: scene
 * The table of contact models: what each says of itself; and a sixth one, which this test adds by one row and which is
 * then everywhere: in the list, in checks and their messages, in scenes, in what runs, in saved states and extracts. */
#include "contact/models.h"
#include "contact/repulsion.h"

static vv_obstacle_force soft(const vvContactDef *d)
{
    return (vv_obstacle_force){ vv_repulsion_form_find("following"), 0.5 * d->springs.stiffness, d->springs.perVertex };
}

#define VV_MORE_CONTACT_MODELS \
    { { { "soft", "half as stiff" }, VV_CONTACT_FORCE, VV_CONTACT_BARRIER, "springs" }, soft },
#include "contact/models.c"

#include "live_support.h"

#include "visviva/scene.h"
#include "visviva/settings.h"

static const char scene_text[] = "{ \"visviva\": 1, \"time\": { \"step\": 0.004 }, \"contact\": { \"model\": \"%s\", "
                                 "\"springs\": { \"form\": \"following\", "
                                 "\"stiffness\": %g } }, \"bodies\": [ { \"name\": \"block\", \"mesh\": { \"box\": { "
                                 "\"cells\": [1, 1, 1] } }, \"place\": { "
                                 "\"translate\": [0, 0.051, 0] } } ], \"obstacles\": [ { \"plane\": {} } ] }";

static vvScene *scene_of(const char *model, double stiffness)
{
    vvError error = { 0 };
    vvScene *scene;
    char text[1024];
    snprintf(text, sizeof text, scene_text, model, stiffness);
    assert_ok(vvSceneParse(text, "models", ".", NULL, 0, &scene, &error));
    return scene;
}

static vvWorld *world_of(const vvScene *scene)
{
    vvError error = { 0 };
    vvWorld *w;
    assert_ok(vvSceneCreateWorld(scene, 1, &w, &error));
    return w;
}

/* It acts as the model springs does at half the stiffness, to the bit. */
static void a_new_row_runs(void **state)
{
    (void)state;
    vvScene *scene[2] = { scene_of("soft", 2e6), scene_of("springs", 1e6) };
    vvWorld *w[2] = { world_of(scene[0]), world_of(scene[1]) };
    for (int i = 0; i < 2; i++)
        steps(w[i], 30);
    assert_true(ledger(w[0]).minGap < 0 && ledger(w[0]).contact > 0);
    assert_memory_equal(vvWorldPositions(w[0]), vvWorldPositions(w[1]),
                        3 * (size_t)vvWorldNodeCount(w[0]) * sizeof(double));
    for (int i = 0; i < 2; i++) {
        vvWorldDestroy(w[i]);
        vvSceneDestroy(scene[i]);
    }
}

static void a_new_row_is_everywhere(void **state)
{
    (void)state;
    vvError error = { 0 };
    const char *const name = "block";
    const vvInfo *info;
    const vvContactModel *model = vvContactModelFind("soft");
    bool listed = false;
    vvScene *scene = scene_of("soft", 2e6), *other;
    vvWorld *w = world_of(scene), *again = world_of(scene), *bad;
    for (int i = 0; (info = vvContactModelInfo(i)); i++)
        listed = listed || strcmp(info->name, "soft") == 0;
    assert_true(listed && model && model->obstacles == VV_CONTACT_FORCE && model->bodies == VV_CONTACT_BARRIER);
    assert_null(vvContactModelFind("hard"));
    assert_null(vvContactModelFind(NULL));
    vvWorldDef def = vvDefaultWorldDef();
    def.contact.model = "sft";
    expect(vvWorldCreate(&def, &bad, &error), VV_ERROR_INPUT, &error, "did you mean \"soft\"");
    /* set while it runs, noted, saved, read, extracted */
    steps(w, 2);
    def = *vvWorldGetDef(w);
    def.contact.model = "barrier";
    assert_ok(vvWorldSetContact(w, &def.contact, &error));
    def.contact.model = "soft", def.contact.springs.stiffness = 1e6;
    assert_ok(vvWorldSetContact(w, &def.contact, &error));
    vvSettingChange last;
    assert_true(vvWorldSettingChange(w, vvWorldSettingsRevision(w), &last) && strstr(last.text, "contact.model=soft"));
    assert_ok(vvWorldBake(w, &error));
    size_t size = vvWorldStateSize(w);
    void *buffer = malloc(size);
    assert_ok(vvWorldSaveState(w, buffer, size, &error));
    assert_ok(vvWorldLoadState(again, buffer, size, &error));
    assert_true(vvWorldGetDef(again)->contact.springs.stiffness == 1e6);
    assert_ok(vvSceneWriteExtract(scene, w, &name, 1, VV_BUILD_DIR "/models-extract.json", &error));
    assert_ok(vvSceneLoad(VV_BUILD_DIR "/models-extract.json", NULL, 0, &other, &error));
    assert_non_null(strstr(vvSceneText(other), "\"soft\""));
    free(buffer);
    vvWorldDestroy(w);
    vvWorldDestroy(again);
    vvSceneDestroy(scene);
    vvSceneDestroy(other);
}

/* Only bodies that a barrier keeps apart, or nothing, are free of overlaps; a bound needs something that tells where.
 */
static void rows_agree_with_themselves(void **state)
{
    (void)state;
    const vv_contact_model *row;
    for (int i = 0; (row = vv_contact_model_at(i)); i++) {
        assert_ptr_equal(vv_contact_model_find(row->type.info.name), row);
        assert_int_equal(row->force != NULL,
                         row->type.obstacles == VV_CONTACT_FORCE || row->type.obstacles == VV_CONTACT_BOUND);
        assert_true(row->type.obstacles == VV_CONTACT_BOUND || !row->after);
        assert_int_equal(vv_contact_acts(row), strcmp(row->type.info.name, "none") != 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_row_runs),
        cmocka_unit_test(a_new_row_is_everywhere),
        cmocka_unit_test(rows_agree_with_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
