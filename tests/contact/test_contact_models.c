/* The table of contact models: what each says of itself; and a sixth one, which this test adds by one row and which is
 * then everywhere: in the list, in checks and their messages, in scenes, in what runs, in saved states and extracts,
 * and refused where it needs what the world is not. */
#include "contact/models.h"
#include "contact/springs/repulsion.h"

static vv_obstacle_force soft(const vvContactDef *d)
{
    return (vv_obstacle_force){ vv_repulsion_form_find("following"), 0.5 * d->springs.stiffness, d->springs.perVertex };
}

#define VV_MORE_CONTACT_MODELS \
    { { { "soft", "half as stiff" }, VV_CONTACT_FORCE, VV_CONTACT_BARRIER, "springs", VV_NEED_STEADY }, soft },
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

/* What its row needs is asked for, and no more: a policy that leaves the step's end alone, but any solver and body. */
static void a_new_row_is_refused_by_what_it_needs(void **state)
{
    (void)state;
    vvError error = { 0 };
    const char *const policies[] = { "none", "search" };
    for (int i = 0; i < 2; i++) {
        vvScene *scene = scene_of("soft", 2e6);
        vvWorld *w = world_of(scene);
        vvWorldDef def = *vvWorldGetDef(w);
        def.integrator.policy = policies[i];
        def.solver.method = "lbfgs";
        assert_ok(vvWorldSetSolver(w, &def.solver, &error));
        assert_ok(vvWorldSetIntegrator(w, &def.integrator, &error));
        if (i == 0)
            assert_ok(vvWorldBake(w, &error));
        else
            expect(vvWorldBake(w, &error), VV_ERROR_UNSUPPORTED, &error,
                   "policy \"search\" changes the end of a step, and contact model \"soft\" needs a policy that "
                   "does not change the end of a step; choose policy \"none\", or write contact.model \"barrier\" or "
                   "\"springs\" or \"penalty\"");
        vvWorldDestroy(w);
        vvSceneDestroy(scene);
    }
}

/* Functions of models.h say what several models have in common. */
static void no_function_is_one_models_own(void **state)
{
    (void)state;
    bool (*const functions[])(const vv_contact_model *) = { vv_contact_acts, vv_contact_has_barrier, vv_contact_presses,
                                                            vv_contact_overlaps };
    const vv_contact_model *row;
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
        int count = 0;
        for (int i = 0; (row = vv_contact_model_at(i)); i++)
            count += strcmp(row->type.info.name, "soft") != 0 && functions[f](row);
        assert_true(count > 1);
    }
}

/* Only bodies that a barrier keeps apart, or nothing, are free of overlaps; a bound needs something that tells where.
 * What presses has a need of few obstacles, and needs are among those that have a name. */
static void rows_agree_with_themselves(void **state)
{
    (void)state;
    const vv_contact_model *row;
    for (int i = 0; i < VV_CONTACT_NEEDS; i++)
        assert_true(vvContactNeedInfo(i)->name && vvContactNeedInfo(i)->summary);
    assert_null(vvContactNeedInfo(VV_CONTACT_NEEDS));
    assert_null(vvContactNeedInfo(-1));
    for (int i = 0; (row = vv_contact_model_at(i)); i++) {
        assert_ptr_equal(vv_contact_model_find(row->type.info.name), row);
        assert_int_equal(row->force != NULL, row->type.obstacles == VV_CONTACT_FORCE);
        assert_int_equal(row->bound != NULL, row->type.obstacles == VV_CONTACT_BOUND);
        assert_true(row->bound || !row->after);
        assert_true(row->type.needs < 1u << VV_CONTACT_NEEDS);
        assert_true(strcmp(row->type.info.name, "soft") == 0 ||
                    vv_contact_presses(row) == ((row->type.needs & VV_NEED_FEW) != 0));
        assert_int_equal(vv_contact_acts(row), strcmp(row->type.info.name, "none") != 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_row_runs),
        cmocka_unit_test(a_new_row_is_everywhere),
        cmocka_unit_test(a_new_row_is_refused_by_what_it_needs),
        cmocka_unit_test(no_function_is_one_models_own),
        cmocka_unit_test(rows_agree_with_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
