/* With which springs friction is warned of: those that are chosen once a step, where nothing damps what
 * shakes (experiments/friction has how far off it is). */
#include "live_support.h"

typedef struct said {
    int lines;
} said;

static void write_line(void *user, vvLogLevel level, const char *message)
{
    if (level == VV_LOG_WARNING && strstr(message, "are chosen once a step"))
        ((said *)user)->lines++;
}

static int warnings(const char *form, const char *scheme, const char *policy, double friction)
{
    said s = { 0 };
    vvWorldDef d = free_def(scheme, 1e-3, 1e-6);
    vvBodyDef def = vvDefaultBodyDef();
    d.integrator.policy = policy;
    d.contact.model = "springs";
    d.contact.springs.form = form;
    d.contact.friction = friction;
    d.threads = 1;
    d.host.log = (vvLog){ write_line, &s };
    vvWorld *w = new_world(&d);
    def.material = material("neo-hookean", 1e5);
    add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 1, 1, 1 }, 5, &def);
    obstacle(w, "plane", (double[]){ 0, -0.2, 0, 0, 1, 0 }, -1);
    steps(w, 1);
    vvWorldDestroy(w);
    return s.lines;
}

static void one_sided_springs(void **state)
{
    (void)state;
    assert_int_equal(warnings("one-sided", "discrete-gradient", "none", 0.3), 1);
    assert_int_equal(warnings("one-sided", "implicit-midpoint", "none", 0.3), 1);
    assert_int_equal(warnings("one-sided", "implicit-midpoint", "none", 0), 0);
    assert_int_equal(warnings("one-sided", "backward-euler", "none", 0.3), 0);
    assert_int_equal(warnings("following", "implicit-midpoint", "none", 0.3), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_sided_springs) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
