/* Named parameters of generators, initial states, obstacles and potentials: what is not named has its default, the last
 * of a name counts, and wrong lists are refused with what there is. */
#include "world_support.h"

typedef struct box_of {
    double size[3];
    int tets;
} box_of;

static box_of box(const vvSetting *settings, int count)
{
    vvMesh mesh = { 0 };
    vvMeshQuality q;
    vvError error = { 0 };
    box_of out = { .tets = 0 };
    assert_ok(vvMeshGenerate("box", settings, count, &mesh, &error));
    vvMeshMeasure(&mesh, &q);
    for (int k = 0; k < 3; k++)
        out.size[k] = q.boundsMax[k] - q.boundsMin[k];
    out.tets = mesh.tetCount;
    vvMeshDestroy(&mesh);
    return out;
}

static void what_is_not_named_has_its_default(void **state)
{
    (void)state;
    const vvSetting two[] = { { "cells", { 1, 2, 3 } }, { "size", { 1, 2, 4 } } };
    assert_int_equal(box(NULL, 0).tets, 5 * 8 * 8 * 8);
    assert_int_equal(box(two, 1).tets, 5 * 6);
    assert_true(fabs(box(two, 1).size[2] - 0.1) < 1e-12);
    assert_int_equal(box(two, 2).tets, 5 * 6);
    assert_true(fabs(box(two, 2).size[2] - 4) < 1e-12);
}

static void the_last_of_a_name_counts(void **state)
{
    (void)state;
    const vvSetting twice[] = { { "cells", { 4, 4, 4 } }, { "split", { 6 } }, { "cells", { 1, 1, 1 } } };
    assert_int_equal(box(twice, 3).tets, 6);
}

static void a_choice_is_its_name_or_its_place(void **state)
{
    (void)state;
    vvMesh named = { 0 }, placed = { 0 };
    vvError error = { 0 };
    const vvSetting name = { .name = "pattern", .choice = "diagonal" }, place = { .name = "pattern", .value = { 1 } };
    assert_ok(vvMeshGenerate("sheet", &name, 1, &named, &error));
    assert_ok(vvMeshGenerate("sheet", &place, 1, &placed, &error));
    assert_int_equal(named.vertexCount, placed.vertexCount);
    assert_memory_equal(named.positions, placed.positions, 24 * (size_t)named.vertexCount);
    vvMeshDestroy(&named);
    vvMeshDestroy(&placed);
}

/* Each of the four takes the same kind of list. */
enum { GENERATOR, STATE, OBSTACLE, POTENTIAL, TAKERS };
static vvStatus give(int taker, vvWorld *w, vvBodyId body, const vvSetting *settings, int count, vvError *error)
{
    vvMesh mesh = { 0 };
    vvObstacleDef obstacle_def = vvDefaultObstacleDef();
    vvAttachDef attach_def = vvDefaultAttachDef();
    vvStatus status;
    switch (taker) {
    case GENERATOR:
        status = vvMeshGenerate("ball", settings, count, &mesh, error);
        vvMeshDestroy(&mesh);
        return status;
    case STATE: return vvBodySetInitialState(w, body, "stretch", settings, count, error);
    case OBSTACLE:
        obstacle_def.type = "sphere";
        obstacle_def.settings = settings, obstacle_def.settingCount = count;
        return vvWorldAddObstacle(w, &obstacle_def, NULL, error);
    default:
        attach_def.kind = VV_ATTACH_POTENTIAL, attach_def.potential = "spring";
        attach_def.settings = settings, attach_def.settingCount = count;
        return vvBodyAttach(w, body, &attach_def, NULL, error);
    }
}

static const struct {
    const char *of, *near, *meant; /* a misspelt parameter, and what was meant */
    vvSetting outside, good;
} takers[TAKERS] = {
    [GENERATOR] = { "ball", "radus", "radius", { "radius", { -1 } }, { "radius", { 0.1 } } },
    [STATE] = { "stretch", "facto", "factor", { "factor", { 1, NAN, 1 } }, { "factor", { 1.1, 1, 1 } } },
    [OBSTACLE] = { "sphere", "centre", "center", { "radius", { INFINITY } }, { "center", { 0, -9, 0 } } },
    [POTENTIAL] = { "spring", "lenght", "length", { "stiffness", { -1 } }, { "length", { 0.5 } } },
};

static void refuse(int taker, const vvSetting *settings, int count, const char *says)
{
    vvWorldDef d = vvDefaultWorldDef();
    vvWorld *w = new_world(&d);
    vvError error = { 0 };
    const vvMaterialDef m = material("corotated", 1e5);
    const vvBodyId body = add_cube(w, 0.1, 1, &m);
    assert_int_equal(give(taker, w, body, settings, count, &error), VV_ERROR_INPUT);
    if (!strstr(error.message, says) || !strstr(error.message, takers[taker].of))
        fail_msg("'%s' says neither '%s' nor of what", error.message, says);
    assert_ok(give(taker, w, body, &takers[taker].good, 1, &error)); /* nothing was left behind */
    vvWorldDestroy(w);
}

static void wrong_lists_are_refused(void **state)
{
    (void)state;
    for (int t = 0; t < TAKERS; t++) {
        const vvSetting misspelt = { takers[t].near, { 0 } }, nameless = { NULL, { 0 } },
                        word = { takers[t].good.name, { 0 }, "large" };
        char meant[64];
        snprintf(meant, sizeof meant, "did you mean \"%s\"", takers[t].meant);
        refuse(t, &misspelt, 1, meant);
        refuse(t, &nameless, 1, "no parameter \"(NULL)\"");
        refuse(t, &word, 1, "is a name");
        refuse(t, &takers[t].outside, 1, takers[t].outside.name);
        refuse(t, NULL, 2, "2 settings, but the list is NULL");
        refuse(t, &takers[t].good, -1, "-1 settings");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_named_has_its_default),
        cmocka_unit_test(the_last_of_a_name_counts),
        cmocka_unit_test(a_choice_is_its_name_or_its_place),
        cmocka_unit_test(wrong_lists_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
