/* Nodes within solids stay out of obstacles, too, where nothing else would keep them within: under constraints and
 * penalties, and under the barrier in materials that may be turned inside out. */
#include "size.h"
#include "live_support.h"
#include "visviva/contact.h"
#include "world/world.h"

/* A very soft cube that falls on a plane: the lowest place that a node of it, and one of its surface, comes to. */
typedef struct fall {
    double all, surface, mean; /* m */
    int within;                /* nodes that obstacles keep out besides the surface's */
} fall;

static fall drop(const char *model, const char *solver, const char *policy, const char *elastic, bool inner)
{
    vvError error = { 0 };
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = 1.0 / 60;
    d.threads = 1;
    d.integrator.policy = policy;
    d.integrator.groundMode = VV_GROUND_NONE;
    d.contact.model = model;
    d.contact.friction = 0.3;
    d.contact.innerNodes = inner;
    d.solver.method = solver;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material(elastic, 1000);
    def.rotate[0] = 20, def.rotate[1] = 10, def.rotate[2] = 5;
    def.translate[1] = 0.2;
    add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 3, 3, 3 }, 5, &def);
    obstacle(w, "plane", NULL, -1);
    assert_ok(vvWorldBake(w, &error));
    const vv_contact *c = w->contact;
    fall f = { INFINITY, INFINITY, 0, c->bound.count - c->vertices.count };
    for (int i = 0; i < 45; i++) {
        assert_ok(vvWorldStep(w, NULL, &error));
        f.mean = 0;
        for (int k = 0; k < vvWorldNodeCount(w); k++) {
            f.all = fmin(f.all, vvWorldPositions(w)[3 * k + 1]);
            f.mean += vvWorldPositions(w)[3 * k + 1] / vvWorldNodeCount(w);
        }
        for (int v = 0; v < c->vertices.count; v++)
            f.surface = fmin(f.surface, vvWorldPositions(w)[3 * c->vertices.node[v] + 1]);
    }
    print_message("%s, %s, %s, %s: %d nodes more; lowest %.4g m, of the surface %.4g m, at the end %.3g m high\n",
                  model, solver, policy, elastic, f.within, f.all, f.surface, f.mean);
    vvWorldDestroy(w);
    return f;
}

static void none_is_below_the_ground(void **state)
{
    (void)state;
    const fall all[] = { drop("barrier", "newton", "none", "fixed-corotated", true),
                         drop("barrier", "newton", "filtered-search", "fixed-corotated", true),
                         drop("constraint", "optimizer", "none", "fixed-corotated", true) };
    for (int i = 0; i < 3; i++) {
        assert_int_equal(all[i].within, 8);
        assert_true(all[i].all > (i < 2 ? 0 : -1e-9));
        assert_true(all[i].mean > 0.002 && all[i].mean < 0.1); /* it lies there, and is not thrown off */
    }
    const fall penalty = drop("penalty", "newton", "none", "fixed-corotated", true),
               surface = drop("penalty", "newton", "none", "fixed-corotated", false);
    assert_int_equal(penalty.within, 8);
    assert_true(penalty.all > -0.012);
    assert_true(surface.within == 0 && surface.all < penalty.all);
}

/* The surface alone, where so wished, and where the material cannot invert. */
static void the_surface_alone(void **state)
{
    (void)state;
    const fall off = drop("barrier", "newton", "none", "fixed-corotated", false),
               hard = drop("barrier", "newton", "none", "neo-hookean", true);
    assert_true(off.within == 0 && off.surface > 0 && off.all < -0.01);
    assert_true(hard.within == 0 && hard.all > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(none_is_below_the_ground),
                                        cmocka_unit_test(the_surface_alone) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
