/* Where a solve starts (theory §2.10): a body that flies and turns costs Newton no more where it is stiff, or turns
 * fast; one that turns slowly, or falls in air, or is pushed as a whole takes one iteration a step; what touches is
 * left alone. */
#include "size.h"
#include "step/schemes/scheme.h"
#include "visviva/interact.h"
#include "world_support.h"

/* Iterations a step of a free cube after some steps; spin: rad/s about a diagonal, so that no coordinate axis is
 * special. */
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
                print_message("%-15s E = %.0e Pa, %2.0f rad/s: %.2f iterations a step\n", policies[p], young, spin,
                              found);
                assert_less(found, spin < 10 ? 1.1 : 2.1);
            }
    }
}

/* A later stage goes on from where the one before ended. */
static void later_stages_begin_where_the_last_ended(void **state)
{
    (void)state;
    static const struct {
        const char *scheme;
        double most;
    } rows[] = { { "sdirk2", 2.6 }, { "tr-bdf2", 3.3 }, { "bathe", 3.3 } };
    for (int i = 0; i < 3; i++) {
        vvWorldDef d = free_def(rows[i].scheme, 1.0 / 120, 0.01);
        double found = iterations(&d, 1e9, 16, 40);
        print_message("%-8s %.2f iterations a step\n", rows[i].scheme, found);
        assert_less(found, rows[i].most);
    }
}

/* Iterations in all of a cube that falls, with or without drag (1/s) and a push (N); down: m/s at the start. */
static int fall(const char *scheme, const char *policy, double h, double drag, double push, double down, int count)
{
    vvError error = { 0 };
    vvWorldDef d = free_def(scheme, h, 0.01);
    d.gravity[1] = -9.8;
    d.integrator.policy = policy;
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material("neo-hookean", 1e6);
    m.damping.drag = drag;
    vvBodyId body = add_cube(w, 0.1, 2, &m);
    set_state(w, body, "linear", (double[]){ 0.3, -down, 0 });
    int sum = 0;
    for (int i = 0; i < count; i++) {
        vvStepReport report;
        if (push > 0)
            assert_ok(vvBodyApplyForce(w, body, (double[]){ push, 0.3 * push, -push }, &error));
        assert_ok(vvWorldStep(w, &report, &error));
        sum += report.newtonIterations;
    }
    vvWorldDestroy(w);
    return sum;
}

/* One for each solve of a step. */
static void what_falls_takes_one_iteration(void **state)
{
    (void)state;
    int tried = 0;
    for (int i = 0; vvSchemeInfo(i); i++) {
        const char *name = vvSchemeInfo(i)->name;
        const vv_scheme *row = vv_scheme_find(name);
        int solves = 0;
        for (int k = 0; k < row->stages; k++)
            solves += row->stage[k].samples > 0;
        if (solves == 0 || row->method || !row->a_stable)
            continue;
        int found = fall(name, "none", 1.0 / 60, 0, 0, 0, 20), pushed = fall(name, "none", 1.0 / 60, 0, 4, 0, 20);
        print_message("%-18s %d solves, %d and %d iterations in 20 steps\n", name, solves, found, pushed);
        assert_true(found <= 20 * solves && pushed <= 20 * solves);
        tried++;
    }
    assert_true(tried >= 8);
    static const char *const policies[] = { "none", "search", "filtered-search" };
    for (int p = 0; p < 3; p++)
        for (double drag = 0.5; drag < 600; drag *= 32) {
            assert_int_equal(fall("backward-euler", policies[p], 1.0 / 30, drag, 0, 0, 20), 20);
            /* at the last speed */
            assert_int_equal(fall("backward-euler", policies[p], 1.0 / 120, drag, 0, 9.8 / drag, 20), 20);
        }
}

/* m/s, upwards: the mean velocity of a body. */
static double rise(const vvWorld *w, vvBodyId body)
{
    int first, count;
    double sum = 0;
    vvBodyNodes(w, body, &first, &count);
    for (int i = first; i < first + count; i++)
        sum += vvWorldVelocities(w)[3 * i + 1] / count;
    return sum;
}

/* Two cubes that touch part again as if the third, which falls just above them, were not there. */
static void a_fall_spoils_no_contact(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        double apart[2];
        for (int third = 0; third < 2; third++) {
            vvWorldDef d = vvDefaultWorldDef();
            d.timeStep = k ? 1.0 / 120 : 1.0 / 30;
            d.integrator.groundMode = VV_GROUND_NONE;
            d.contact.distance = 1e-3;
            vvWorld *w = new_world(&d);
            vvBodyDef def = vvDefaultBodyDef();
            vvBodyId cube[3];
            def.material = material("neo-hookean", 1e5);
            for (int i = 0; i < 2 + third; i++) {
                def.translate[1] = i * 0.1009 + (i == 2 ? 0.0004 : 0);
                cube[i] = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 6, &def);
            }
            steps(w, 2);
            apart[third] = rise(w, cube[1]) - rise(w, cube[0]);
            vvWorldDestroy(w);
        }
        print_message("they part at %.4g m/s, below a third one at %.4g\n", apart[0], apart[1]);
        assert_less(1e-3, apart[0]);
        assert_near(apart[1], apart[0], 0.1 * apart[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(stiff_bodies_that_turn_cost_no_more),
                                        cmocka_unit_test(later_stages_begin_where_the_last_ended),
                                        cmocka_unit_test(what_falls_takes_one_iteration),
                                        cmocka_unit_test(a_fall_spoils_no_contact) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
