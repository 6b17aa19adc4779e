/* What is found among many bodies by an index is what a search of all of them finds: names, bodies joined, bodies that
 * stand together; also after some have gone. */
#include "live_support.h"

#include "base/groups.h"
#include "base/text/names.h"
#include "visviva/joint.h"
#include "world/world.h"
#include "positional.h"

enum { MANY = 300 };

static uint64_t seed = 1;

static int draw(int below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (uint64_t)below);
}

static vvBodyId add_named(vvWorld *w, const char *name, double x, double y)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.name = name;
    def.material = material("affine", 1e8);
    def.translate[0] = x, def.translate[1] = y;
    return add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 1, 1, 1 }, 5, &def);
}

/* ---- names ---- */

static const char *text_of(const void *list, int i) { return ((const char(*)[16])list)[i]; }

static void an_index_has_what_was_put_in(void **state)
{
    (void)state;
    static char name[5000][16];
    vv_names index = { 0 };
    assert_int_equal(vv_names_find(&index, "", text_of, name), -1);
    for (int i = 0; i < 5000; i++) {
        snprintf(name[i], sizeof name[i], i % 2 ? "a%d" : "%da", i);
        assert_int_equal(vv_names_find(&index, name[i], text_of, name), -1);
        assert_true(vv_names_add(&index, i, text_of, name));
        assert_in_range(index.slots, 2 * (size_t)(i + 1), 4 * (size_t)(i + 1) + 16);
    }
    for (int i = 0; i < 5000; i++)
        assert_int_equal(vv_names_find(&index, name[i], text_of, name), i);
    assert_int_equal(vv_names_find(&index, "a0", text_of, name), -1);
    assert_int_equal(index.count, 5000);
    vv_names_free(&index);
    assert_int_equal(vv_names_find(&index, name[0], text_of, name), -1);
}

static void check_names(const vvWorld *w)
{
    for (int b = 0; b < vvWorldBodyCount(w); b++)
        assert_int_equal(vv_body_find(w, vvBodyName(w, vvWorldBody(w, b))), b);
    assert_int_equal(vv_body_find(w, "nobody"), -1);
}

static void names_differ_however_bodies_come_and_go(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "none");
    vvWorld *w = new_world(&d);
    for (int i = 0; i < MANY; i++) {
        char name[32];
        snprintf(name, sizeof name, "b%d", i);
        add_named(w, i % 3 ? name : NULL, 0.2 * i, 0);
    }
    check_names(w);
    for (int round = 0; round < 20; round++) {
        vvBodyId gone = vvWorldBody(w, draw(vvWorldBodyCount(w)));
        char name[64];
        snprintf(name, sizeof name, "%s", vvBodyName(w, gone));
        assert_ok(vvWorldRemoveBody(w, gone, &error));
        assert_int_equal(vv_body_find(w, name), -1);
        if (round % 3)
            add_named(w, round % 2 ? name : NULL, 0.2 * (MANY + round), 0);
        check_names(w);
    }
    vvSnapshot *then = NULL;
    assert_ok(vvWorldSnapshot(w, &then, &error));
    const int count = vvWorldBodyCount(w);
    add_named(w, "late", 100, 0);
    assert_int_equal(vv_body_find(w, "late"), count);
    assert_ok(vvWorldRestore(w, then, &error));
    assert_int_equal(vv_body_find(w, "late"), -1);
    check_names(w);
    add_named(w, "late", 100, 0);
    check_names(w);
    vvSnapshotDestroy(then);
    vvBodyDef def = vvDefaultBodyDef();
    vvMesh mesh = { 0 };
    vvBodyId id;
    assert_ok(generate_mesh("box", (double[]){ 1, 1, 1, 1, 1, 1, 5 }, &mesh, &error));
    def.mesh = &mesh, def.name = "late", def.material = material("affine", 1e8);
    expect(vvWorldAddBody(w, &def, &id, &error), VV_ERROR_INPUT, &error, "two bodies are named \"late\"");
    vvMeshDestroy(&mesh);
    vvWorldDestroy(w);
}

/* ---- joints ---- */

static void check_joined(const vvWorld *w)
{
    for (int a = 0; a < vvWorldBodyCount(w); a++)
        for (int b = 0; b < a; b++) {
            bool joined = false;
            for (size_t j = 0; j < w->joint_count; j++)
                joined = joined || (w->joints[j].body[0] == a && w->joints[j].body[1] == b) ||
                         (w->joints[j].body[0] == b && w->joints[j].body[1] == a);
            assert_int_equal(isnan(vvWorldFriction(w, vvWorldBody(w, a), vvWorldBody(w, b))), joined);
        }
}

static void joined_bodies_do_not_rub_whatever_goes(void **state)
{
    (void)state;
    enum { COUNT = 40 };
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "none");
    vvWorld *w = new_world(&d);
    for (int i = 0; i < COUNT; i++)
        add_named(w, NULL, 0.2 * i, 0);
    for (int k = 0; k < 60; k++) {
        const int a = draw(COUNT), b = draw(COUNT + 1) - 1;
        vvJointDef def = vvDefaultJointDef();
        def.kind = "ball";
        def.bodies[0] = vvWorldBody(w, a);
        if (b >= 0 && b != a)
            def.bodies[1] = vvWorldBody(w, b);
        assert_ok(vvWorldAddJoint(w, &def, NULL, &error));
    }
    check_joined(w);
    vvSnapshot *then = NULL;
    assert_ok(vvWorldSnapshot(w, &then, &error));
    for (int k = 0; k < 10; k++) {
        assert_ok(vvWorldRemoveJoint(w, vvWorldJoint(w, draw(vvWorldJointCount(w))), &error));
        assert_ok(vvWorldRemoveBody(w, vvWorldBody(w, draw(vvWorldBodyCount(w))), &error));
        check_joined(w);
    }
    assert_ok(vvWorldRestore(w, then, &error));
    vvSnapshotDestroy(then);
    assert_int_equal(vvWorldJointCount(w), 60);
    check_joined(w);
    vvWorldDestroy(w);
}

/* ---- together ---- */

/* By the rule itself: no farther apart than the larger is long. */
static void search_all(const vvWorld *w, int *group)
{
    const int count = vvWorldBodyCount(w);
    vv_groups_clear(group, count);
    for (int a = 0; a < count; a++)
        for (int b = 0; b < a; b++) {
            double low[2][3], high[2][3], apart = 0, size[2] = { 0, 0 };
            vv_body_bounds(w, a, w->rest, low[0], high[0]);
            vv_body_bounds(w, b, w->rest, low[1], high[1]);
            for (int k = 0; k < 3; k++) {
                const double gap = fmax(fmax(low[0][k] - high[1][k], low[1][k] - high[0][k]), 0);
                apart += gap * gap;
                for (int i = 0; i < 2; i++)
                    size[i] += (high[i][k] - low[i][k]) * (high[i][k] - low[i][k]);
            }
            if (apart <= fmax(size[0], size[1]))
                vv_groups_join(group, a, b);
        }
    for (int b = 0; b < count; b++)
        group[b] = vv_groups_find(group, b);
}

static void those_that_stand_together_are_found(void **state)
{
    (void)state;
    for (int round = 0; round < 9; round++) {
        static const int spreads[] = { 4, 32, 256 };
        const int spread = spreads[round / 3], axis = round % 3;
        vvWorldDef d = live_def("backward-euler", "none");
        vvWorld *w = new_world(&d);
        int group[100], all[100], groups = 0;
        for (int i = 0; i < 100; i++) {
            const double size = 0.05 * (1 + draw(8));
            vvBodyDef def = vvDefaultBodyDef();
            def.material = material("affine", 1e8);
            for (int k = 0; k < 3; k++)
                def.translate[k] = 0.1 * draw(10 * (k == axis ? spread : 3));
            add_box_def(w, (double[]){ size, size, size }, (int[]){ 1, 1, 1 }, 5, &def);
        }
        search_all(w, all);
        assert_true(vv_world_find_together(w, group));
        for (int b = 0; b < 100; b++) {
            groups += group[b] == b;
            assert_int_equal(group[b], all[b]);
        }
        print_message("over %d m along axis %d: %d groups\n", spread, axis, groups);
        assert_in_range(groups, 1, 100);
        assert_true(spread < 256 || groups > 10);
        vvWorldDestroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_index_has_what_was_put_in),
        cmocka_unit_test(names_differ_however_bodies_come_and_go),
        cmocka_unit_test(joined_bodies_do_not_rub_whatever_goes),
        cmocka_unit_test(those_that_stand_together_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
