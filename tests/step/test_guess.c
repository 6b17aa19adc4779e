/* layer: world
 * Where a solve starts (theory §2.10): a body that flies and turns costs Newton no more where it is stiff, or turns fast; one
 * that turns slowly takes one iteration a step. */
#include "size.h"
#include "world_support.h"

/* Iterations a step of a free cube after some steps; spin: rad/s about a diagonal, so that no coordinate axis is special. */
static double iterations(const vvWorldDef *def, double young, double spin, int count)
{
    vvError error = { 0 };
    vvWorld *w = new_world(def);
    vvMaterialDef m = material("neo-hookean", young);
    vvBodyId body = add_cube(w, 0.1, 3, &m);
    set_state(w, body, "angular", (double[]){ spin, -spin, spin, NAN, NAN, NAN });
    int sum = 0;
    for (int i = 0; i < count; i++) {
        vvStepReport report;
        assert_ok(vvWorldStep(w, &report, &error));
        assert_int_equal(report.end, VV_SOLVE_CONVERGED);
        sum += report.newtonIterations;
    }
    vvWorldDestroy(w);
    return 1.0 * sum / count;
}

static void stiff_bodies_that_turn_cost_no_more(void **state)
{
    (void)state;
    static const char *const policies[] = { "none", "filtered-search" };
    for (int p = 0; p < 2; p++) {
        vvWorldDef d = vvDefaultWorldDef();
        d.timeStep = 1.0 / 120;
        d.integrator.policy = policies[p];
        d.integrator.groundMode = VV_GROUND_NONE;
        d.contact.model = "none";
        d.threads = 1;
        for (double young = 1e5; young < 1e10; young *= 100)
            for (double spin = 1; spin < 20; spin *= 4) {
                double found = iterations(&d, young, spin, sized(20, 60, 120));
                print_message("%-15s E = %.0e Pa, %2.0f rad/s: %.2f iterations a step\n", policies[p], young, spin, found);
                assert_less(found, spin < 10 ? 1.1 : 2.1);
            }
    }
}

/* A later stage goes on from where the one before ended. */
static void later_stages_begin_where_the_last_ended(void **state)
{
    (void)state;
    static const struct { const char *scheme; double most; } rows[] = { { "sdirk2", 2.6 }, { "tr-bdf2", 3.3 }, { "bathe", 3.3 } };
    for (int i = 0; i < 3; i++) {
        vvWorldDef d = free_def(rows[i].scheme, 1.0 / 120, 0.01);
        double found = iterations(&d, 1e9, 16, 40);
        print_message("%-8s %.2f iterations a step\n", rows[i].scheme, found);
        assert_less(found, rows[i].most);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(stiff_bodies_that_turn_cost_no_more),
                                       cmocka_unit_test(later_stages_begin_where_the_last_ended) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
