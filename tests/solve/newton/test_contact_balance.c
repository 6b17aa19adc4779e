/* How far contact is out of balance is asked of each body: a heavy one that is in balance does not hide a light one
 * that is not. */
#include "world_support.h"

#include "solve/vectors.h"
#include "step/inside.h"
#include "world/world.h"

enum { LIGHT = 1, HEAVY = 2 };

/* On a plane, gaps of half d-hat. */
static double imbalance(int bodies, double density)
{
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-3);
    d.gravity[1] = -9.8;
    d.contact.model = "barrier", d.contact.distance = 1e-3, d.contact.stiffness = 1e5;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    for (int b = LIGHT; b <= HEAVY; b++) {
        if (!(bodies & b))
            continue;
        def.material = material("neo-hookean", b == LIGHT ? 1e4 : 1e6);
        def.material.density = b == LIGHT ? 10 : density;
        def.translate[0] = b, def.translate[1] = 0.05 + (b == LIGHT ? 5e-4 : 8e-4);
        add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 5, &def);
    }
    obstacle(w, "plane", NULL, 0);
    assert_ok(vvWorldBake(w, &error));
    vv_stepper *s = w->stepper;
    assert_true(vv_stepper_reserve(s));
    vv_objective o;
    for (size_t i = 0; i < vv_node_space(s->system); i++)
        s->hvn[i] = s->h * s->state->v[i];
    vv_stepper_objective(s, vv_stepper_row(s), &o);
    const double found = vv_objective_contact_imbalance(&o, s->state->q, 1e-9);
    vvWorldDestroy(w);
    return found;
}

static void a_heavy_body_hides_no_light_one(void **state)
{
    (void)state;
    static const double densities[] = { 10, 1e3, 1e5 };
    const double alone = imbalance(LIGHT, 0);
    assert_true(alone > 0.1);
    for (int k = 0; k < 3; k++) {
        const double heavy = imbalance(HEAVY, densities[k]), both = imbalance(LIGHT | HEAVY, densities[k]);
        print_message("light %.4g, heavy %.4g, both %.4g\n", alone, heavy, both);
        assert_near(both, fmax(alone, heavy), 1e-9 * both);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_heavy_body_hides_no_light_one) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
