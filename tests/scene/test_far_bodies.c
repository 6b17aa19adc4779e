/* The same motions at every size, alone and beside something far away: a short form of experiments/scale. */
#include "world_support.h"

#include "contact/surfaces/gaps.h"
#include "world/world.h"

#include "../../experiments/scale/cases.c"

static const scale_case *case_of(const char *name)
{
    const scale_case *what = scale_cases;
    while (what->name && strcmp(what->name, name) != 0)
        what++;
    return what;
}

static scale_run run_of(const char *name, const char *policy, const char *beside, double size)
{
    scale_run r = { .what = case_of(name), .companion = beside, .model = "barrier", .policy = policy, .size = size };
    scale_go(&r);
    if (!r.done)
        print_message("%s, %s, %g m: %s\n", name, beside, size, r.why);
    assert_true(r.done);
    return r;
}

static const char ALONE[] = "alone", HEAVY[] = "one 1e5 times its weight at 30 sizes",
                  SMALL[] = "one of 0.01 of its size at 10 km", LARGE[] = "one 100 times its size at 10 km";

static void compare(const char *name, const char *policy, const char *beside, double size)
{
    const scale_run usual = run_of(name, policy, ALONE, 0.1), other = run_of(name, policy, beside, size);
    const double off = scale_difference(&usual, &other);
    print_message("%-14s %-15s %-37s %6g m: %.2g%%\n", name, policy, beside, size, 100 * off);
    assert_less(off, 0.01);
}

static void a_heavy_far_body_changes_nothing(void **state)
{
    (void)state;
    compare("slide", "none", LARGE, 0.01);
    compare("slide, affine", "none", HEAVY, 0.1);
    compare("slide, affine", "none", LARGE, 0.01);
    compare("stick", "filtered-search", HEAVY, 1);
    compare("stack", "filtered-search", LARGE, 0.01);
}

static void a_small_far_body_changes_nothing(void **state)
{
    (void)state;
    compare("slide", "none", SMALL, 10);
    compare("stick, affine", "filtered-search", SMALL, 1);
}

static void motions_are_the_same_at_every_size(void **state)
{
    (void)state;
    compare("drop", "none", ALONE, 1e-3);
    compare("drop", "none", ALONE, 100);
    compare("gripper", "none", ALONE, 0.01);
}

static const char PAIR[] =
    "{\"visviva\":1,\"name\":\"pairs\",\"time\":{\"step\":0.01,\"end\":1},\"materials\":{\"m\":{\"model\":"
    "\"neo-hookean\",\"young\":1e6,\"poisson\":0.4,\"density\":1000}},\"bodies\":["
    "{\"name\":\"small\",\"material\":\"m\",\"velocity\":{\"linear\":[0,-20,0]},"
    "\"mesh\":{\"box\":{\"size\":[0.01,0.01,0.01],\"cells\":[1,1,1]}},\"place\":{\"translate\":[0,0.2,0]}},"
    "{\"name\":\"large\",\"material\":\"m\",\"mesh\":{\"box\":{\"size\":[10,10,10],\"cells\":[1,1,1]}},"
    "\"place\":{\"translate\":[100,5.01,0]}}],\"obstacles\":[{\"plane\":{}}]}";

static vvWorld *pair_world(const char *change)
{
    vvError error;
    vvScene *scene = NULL;
    vvWorld *w = NULL;
    assert_ok(vvSceneParse(PAIR, "pairs", ".", &change, change ? 1 : 0, &scene, &error));
    assert_ok(vvSceneCreateWorld(scene, 1, &w, &error));
    assert_ok(vvWorldBake(w, &error));
    vvSceneDestroy(scene);
    return w;
}

static double stiffness_of(const vvWorld *w, bool large)
{
    const vv_contact *c = w->contact;
    return vv_contact_stiffness(&c->barrier, large ? c->vertices.count - 1 : 0);
}

/* Two that touch act below the smaller of what each would; kappa is what a body asks for, and its neighbours. */
static void lengths_are_those_of_the_pair(void **state)
{
    (void)state;
    vvStiffness stiffness;
    vvWorld *w = pair_world("bodies[0].velocity.linear=[0,0,0]");
    const double small = 0.01 * sqrt(3), large = 10 * sqrt(3);
    assert_true(vvWorldGetStiffness(w, &stiffness) && stiffness.now > 2e5);
    const vv_contact *c = w->contact;
    assert_near(c->barrier.distances[0], 0.01 * small, 1e-12);
    assert_near(c->barrier.distances[1], 0.01, 1e-12); /* the gap with which it begins */
    assert_near(vv_surface_usual(&c->surface, 1, 1, c->def.distance), 1e-3 * large, 1e-12);
    assert_near(vv_surface_activation(&c->surface, 0, 1, c->def.distance), 0.01 * small, 1e-12);
    assert_near(stiffness_of(w, false), 1e5, 1e-6);
    assert_near(stiffness_of(w, true), stiffness.now, 1e-6);
    vvWorldDestroy(w);
    w = pair_world("bodies[1].place.translate=[12,5.01,0]"); /* on which it can fall */
    assert_near(stiffness_of(w, false), stiffness_of(w, true), 1e-6);
    vvWorldDestroy(w);
    w = pair_world("contact.model=springs"); /* there it says from where on things touch */
    assert_near(w->contact->barrier.distances[0], 0.01 * small, 1e-12);
    vvWorldDestroy(w);
    w = pair_world("contact.stiffness=3e5"); /* what is given is for all */
    assert_near(stiffness_of(w, false), 3e5, 1e-6);
    vvWorldDestroy(w);
}

/* A saved state has what each touches with: of the velocities of the start. */
static void a_saved_state_has_the_stiffness_of_each(void **state)
{
    (void)state;
    vvError error;
    vvWorld *w = pair_world(NULL), *other = pair_world("bodies[0].velocity.linear=[0,-1,0]");
    for (int k = 0; k < 3; k++)
        assert_ok(vvWorldStep(w, NULL, &error));
    assert_true(stiffness_of(w, false) > 1.01 * stiffness_of(other, false));
    const size_t size = vvWorldStateSize(w);
    void *saved = malloc(size);
    assert_ok(vvWorldSaveState(w, saved, size, &error));
    assert_ok(vvWorldLoadState(other, saved, size, &error));
    assert_near(stiffness_of(other, false), stiffness_of(w, false), 0);
    for (int k = 0; k < 3; k++) {
        assert_ok(vvWorldStep(w, NULL, &error));
        assert_ok(vvWorldStep(other, NULL, &error));
    }
    assert_memory_equal(vvWorldPositions(w), vvWorldPositions(other), 24 * (size_t)vvWorldNodeCount(w));
    free(saved);
    vvWorldDestroy(w);
    vvWorldDestroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_heavy_far_body_changes_nothing),        cmocka_unit_test(a_small_far_body_changes_nothing),
        cmocka_unit_test(motions_are_the_same_at_every_size),      cmocka_unit_test(lengths_are_those_of_the_pair),
        cmocka_unit_test(a_saved_state_has_the_stiffness_of_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
