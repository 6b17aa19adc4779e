/* Groups of bodies in touch: the union-find against one by hand, and contact's groups in a world where bodies touch
 * each other, a kinematic one that joins nobody, an obstacle, or are coupled. */
#include "world_support.h"

#include "base/groups.h"
#include "world/world.h"

/* Labels that are copied until nothing changes. */
static void test_union_find(void **state)
{
    (void)state;
    enum { COUNT = 40 };
    int parent[COUNT], label[COUNT];
    uint32_t random = 7;
    for (int round = 0; round < 50; round++) {
        vv_groups_clear(parent, COUNT);
        for (int i = 0; i < COUNT; i++)
            label[i] = i;
        for (int k = 0; k < round; k++) {
            int a = (int)((random = 1664525 * random + 1013904223) >> 16) % COUNT;
            int b = (int)((random = 1664525 * random + 1013904223) >> 16) % COUNT;
            int from = label[a] > label[b] ? label[a] : label[b], to = label[a] + label[b] - from;
            vv_groups_join(parent, a, b);
            for (int i = 0; i < COUNT; i++)
                label[i] = label[i] == from ? to : label[i];
        }
        for (int i = 0; i < COUNT; i++)
            assert_int_equal(vv_groups_find(parent, i), label[i]);
    }
}

/* Boxes of 0.1 m in a row along x, each so far (m) from the one before; a ground that the fourth touches. */
enum { A, B, ALONE, GROUNDED, C, HELD, D, E, F, BODIES };
static vvWorld *row_of_boxes(const char *model)
{
    static const double gap[BODIES] = { 0, 5e-4, 0.1, 0.1, 0.1, 5e-4, 5e-4, 0.1, 5e-3 };
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-6);
    d.contact.model = model;
    d.contact.distance = 1e-3;
    vvWorld *w = new_world(&d);
    double x = 0;
    for (int b = 0; b < BODIES; b++) {
        vvBodyDef def = vvDefaultBodyDef();
        x += gap[b] + 0.1;
        def.translate[0] = x;
        def.translate[1] = b == GROUNDED ? 0.0505 : 0.1;
        def.kinematic = b == HELD;
        add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 1, 1, 1 }, 6, &def);
    }
    obstacle(w, "plane", NULL, 0);
    assert_ok(vvWorldBake(w, &error));
    return w;
}

static void expect(vvWorld *w, const double *q_b, const int *group, const unsigned char *outside)
{
    int found[BODIES];
    unsigned char touches[BODIES];
    assert_int_equal(vv_contact_groups(w->contact, &w->par, vvWorldPositions(w), q_b, found, touches), VV_OK);
    assert_memory_equal(found, group, sizeof found);
    assert_memory_equal(touches, outside, sizeof touches);
    assert_int_equal(vv_contact_groups(w->contact, &w->par, vvWorldPositions(w), q_b, found, NULL), VV_OK);
    assert_memory_equal(found, group, sizeof found);
}

static void test_contact_groups(void **state)
{
    (void)state;
    vvWorld *w = row_of_boxes("barrier");
    expect(w, NULL, (int[]){ A, A, ALONE, GROUNDED, C, -1, D, E, F }, (unsigned char[]){ 0, 0, 0, 1, 1, 0, 1, 0, 0 });
    /* the last two come together, and A onto the ground */
    double *q = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w));
    for (int i = 0; i < 8; i++) {
        q[3 * (w->bodies[F].first + i)] -= 4.5e-3;
        q[3 * (w->bodies[A].first + i) + 1] -= 0.0495;
    }
    expect(w, q, (int[]){ A, A, ALONE, GROUNDED, C, -1, D, E, E }, (unsigned char[]){ 1, 1, 0, 1, 1, 0, 1, 0, 0 });
    /* springs between bodies, whatever touches; those to a kinematic one join nobody */
    vv_contact_couple(w->contact, F, B);
    vv_contact_couple(w->contact, ALONE, HELD);
    vv_contact_couple(w->contact, HELD, E);
    expect(w, q, (int[]){ A, A, ALONE, GROUNDED, C, -1, D, A, A }, (unsigned char[]){ 1, 1, 0, 1, 1, 0, 1, 1, 1 });
    free(q);
    vvWorldDestroy(w);
}

static void test_no_contact(void **state)
{
    (void)state;
    vvWorld *w = row_of_boxes("none");
    const double *q = vvWorldPositions(w);
    assert_null(w->contact);
    assert_true(isinf(vv_contact_measure(w->contact, &w->par, q)));
    assert_false(vv_contact_crosses(w->contact, &w->par, &w->system.arena, q, q));
    assert_int_equal(vv_contact_accept(w->contact, &w->par, q, NULL), VV_OK);
    assert_int_equal(vv_contact_status(w->contact, NULL), VV_OK);
    assert_true(vv_contact_seconds(w->contact) == 0);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_union_find),
        cmocka_unit_test(test_contact_groups),
        cmocka_unit_test(test_no_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
