/* A body that comes deep into an obstacle which only pushes is warned of, by its own size; and the depth of each body
 * is that of its deepest vertex, whatever others do. */
#include "size.h"
#include "live_support.h"
#include "contact/barrier/barrier.h"
#include "world/world.h"

typedef struct said {
    int count;
    char text[512];
} said;

static void hear(void *user, vvLogLevel level, const char *message)
{
    said *s = user;
    if (level != VV_LOG_WARNING || !strstr(message, "deep inside"))
        return;
    s->count++;
    snprintf(s->text, sizeof s->text, "%s", message);
}

static vvWorld *ground(double stiffness, double h, said *s)
{
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "none");
    vvObstacleDef plane = vvDefaultObstacleDef();
    d.timeStep = h;
    d.contact.model = "springs";
    d.contact.springs.stiffness = stiffness;
    d.host.log = (vvLog){ hear, s };
    vvWorld *w = new_world(&d);
    assert_ok(vvWorldAddObstacle(w, &plane, NULL, &error));
    return w;
}

/* 10 m/s in steps of a thirtieth: a third of a metre before the springs know of it; slowly, it sinks in by little. */
static void a_fast_body_is_warned_of(void **state)
{
    (void)state;
    for (int fast = 0; fast < 2; fast++) {
        said s = { 0 };
        vvWorld *w = ground(1e7, 1.0 / (fast ? 30 : 240), &s);
        const vvBodyId block = add_block(w, 0, 0.2, 0);
        set_state(w, block, "linear", (double[]){ 0, fast ? -10 : -0.3, 0 });
        steps(w, fast ? 5 : 120);
        assert_int_equal(s.count, fast);
        assert_true(!fast || (strstr(s.text, "\"body-1\"") && strstr(s.text, "\"plane\"")));
        vvWorldDestroy(w);
    }
}

/* What presses the large one in by a hundredth of itself is most of the small one: each is judged by itself. */
static void a_large_body_hides_no_small_one(void **state)
{
    (void)state;
    for (int small_first = 0; small_first < 2; small_first++) {
        said s = { 0 };
        vvError error = { 0 };
        vvWorld *w = ground(1e5, 1.0 / 60, &s);
        vvBodyDef large = vvDefaultBodyDef();
        large.filter = filter_of(2, 1, 0);
        large.translate[0] = 100, large.translate[1] = 1.47; /* 3 cm below the ground */
        if (!small_first)
            add_box_def(w, (double[]){ 3, 3, 3 }, (int[]){ 1, 1, 1 }, 5, &large);
        const vvBodyId block = add_block(w, 0, 0, 0); /* 5 cm below it, of 10 */
        if (small_first)
            add_box_def(w, (double[]){ 3, 3, 3 }, (int[]){ 1, 1, 1 }, 5, &large);
        assert_ok(vvWorldBake(w, &error));
        double depth[2];
        int in[2] = { 7, 7 };
        vv_contact_depths(&w->contact->barrier, vvWorldPositions(w), depth, in);
        assert_near(depth[small_first], 0.03, 1e-9);
        assert_near(depth[!small_first], 0.05, 1e-9);
        assert_int_equal(in[0], 0);
        step(w);
        assert_int_equal(s.count, 1);
        assert_true(strstr(s.text, vvBodyName(w, block)) != NULL);
        vvWorldDestroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fast_body_is_warned_of),
        cmocka_unit_test(a_large_body_hides_no_small_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
