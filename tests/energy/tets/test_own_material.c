/* A tet material that is not the library's, "rubber": its file own_material.h and its row in the list, which this
 * program has instead of the library's. It is then everywhere: in the list and in scenes, with derivatives, in fields,
 * under every scheme and policy, and with every solver that its row allows; the others refuse it in words. */
#include "energy_fixture.h"

#include "budget_support.h"
#include "energy/tets/materials.h"
#include "energy/tets/tets.h"
#include "visviva/field.h"
#include "visviva/scene.h"

static void it_is_in_the_list(void **state)
{
    (void)state;
    assert_int_equal(vv_tets_model("rubber"), VV_MATERIAL_rubber);
    assert_string_equal(vvMaterialInfo(VV_MATERIAL_rubber)->name, "rubber");
    assert_string_equal(vvMaterialInfo(VV_MATERIAL_rubber + 1)->name, "hooke");
}

/* At random places, some inside out. */
static void derivatives_are_those_of_psi(void **state)
{
    (void)state;
    static const double corners[12] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    static const int nodes[4] = { 0, 1, 2, 3 };
    rng r = { 7 };
    vv_tets_body body = { 0, 1, nodes, 3, 5 };
    vv_energy *e;
    assert_int_equal(vv_tets_create(VV_MATERIAL_rubber, 4, corners, 1, &body, &e, NULL), VV_OK);
    bound b = bind_energy(e, 4, 0);
    for (int trial = 0; trial < 50; trial++) {
        double x[12];
        for (int i = 0; i < 12; i++)
            x[i] = corners[i] + rng_next(&r);
        assert_less(difference_error(&b, x, 1e-6, 1), 1e-7);
    }
    free_bound(&b);
}

static vvWorld *sagging(const char *method, const char *scheme, const char *policy, vvBodyId *bar)
{
    vvWorldDef d = def_of(method, scheme);
    d.integrator.policy = policy;
    vvWorld *w = new_world(&d);
    hold(w, *bar = add_bar(w, "rubber", 2e4, 2));
    return w;
}

static void every_scheme_and_policy_steps_it(void **state)
{
    (void)state;
    int tried = 0;
    for (int i = 0; vvSchemeInfo(i); i++)
        for (int p = 0; vvPolicyInfo(p); p++) {
            vvWorldDef d = def_of("newton", vvSchemeInfo(i)->name);
            vvError error = { 0 };
            vvWorld *w = NULL;
            d.timeStep = 1e-3; /* for explicit schemes */
            d.integrator.policy = vvPolicyInfo(p)->name;
            if (vvWorldCreate(&d, &w, &error) != VV_OK)
                continue; /* a policy that the scheme does not go with */
            hold(w, add_bar(w, "rubber", 2e4, 2));
            if (vvWorldBake(w, &error) == VV_OK) {
                vvLedgerRow row = steps(w, 3);
                if (!isfinite(row.total) || !(row.elastic > 0))
                    fail_msg("%s with %s: H %g J", vvSchemeInfo(i)->name, vvPolicyInfo(p)->name, row.total);
                tried++;
            }
            vvWorldDestroy(w);
        }
    print_message("%d pairs of a scheme and a policy\n", tried);
    assert_true(tried > 40);
}

/* Those that take it end where Newton's method does. It has no bound: local-global does not take it. */
static void every_solver_takes_or_refuses_it(void **state)
{
    (void)state;
    int tried = 0;
    for (int m = 0; solver_at(m); m++) {
        vvError error = { 0 };
        vvBodyId bar;
        vvWorldDef d = def_of(solver_at(m), "backward-euler");
        vvWorld *a = NULL, *b = sagging("newton", "backward-euler", "none", &bar);
        d.solver.budget = 100000;
        a = new_world(&d);
        hold(a, add_bar(a, "rubber", 2e4, 2));
        const vvStatus status = vvWorldBake(a, &error);
        if (strcmp(solver_at(m), "local-global") == 0) {
            assert_int_equal(status, VV_ERROR_UNSUPPORTED);
            assert_non_null(strstr(error.message, "rubber"));
        } else if (status == VV_OK) {
            const bool near = strcmp(solver_at(m), "xpbd") == 0;
            for (int k = 0; k < 3; k++)
                step(a), step(b);
            for (int k = 0; k < 3 * vvWorldNodeCount(a); k++)
                if (!(fabs(vvWorldPositions(a)[k] - vvWorldPositions(b)[k]) < (near ? 1e-3 : 1e-6)))
                    fail_msg("%s: %g m off", solver_at(m), fabs(vvWorldPositions(a)[k] - vvWorldPositions(b)[k]));
            tried++;
        } else {
            fail_msg("%s: %s", solver_at(m), error.message);
        }
        vvWorldDestroy(a);
        vvWorldDestroy(b);
    }
    assert_true(tried >= 4);
}

/* A scene names it; stretched by little it is Hooke's solid: stress 2 mu strain + lambda tr strain I. */
static void scenes_and_fields_have_it(void **state)
{
    (void)state;
    static const char text[] =
        "{ \"visviva\": 1, \"gravity\": [0, 0, 0], \"materials\": { \"m\": { \"model\": \"rubber\", \"young\": 1e5, "
        "\"poisson\": 0.25 } }, \"bodies\": [ { \"name\": \"cube\", \"material\": \"m\", \"mesh\": { \"box\": { "
        "\"cells\": [1, 1, 1] } } } ] }";
    vvError error = { 0 };
    vvScene *scene;
    vvWorld *w;
    double stress[6 * 8], t = 1e-5;
    int count;
    assert_ok(vvSceneParse(text, "own", ".", NULL, 0, &scene, &error));
    assert_ok(vvSceneCreateWorld(scene, 1, &w, &error));
    const vvBodyId cube = vvWorldBody(w, 0);
    set_state(w, cube, "stretch", (double[]){ 1 + t, 1, 1, NAN, NAN, NAN });
    assert_ok(vvBodyField(w, cube, "stress", false, stress, 6 * 8, &count, &error));
    assert_int_equal(count, 5 * 6);
    assert_near(stress[0] / (1.2e5 * t), 1, 1e-3); /* 2 mu + lambda */
    assert_near(stress[1] / (0.4e5 * t), 1, 1e-3); /* lambda */
    vvWorldDestroy(w);
    vvSceneDestroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_in_the_list),
        cmocka_unit_test(derivatives_are_those_of_psi),
        cmocka_unit_test(every_scheme_and_policy_steps_it),
        cmocka_unit_test(every_solver_takes_or_refuses_it),
        cmocka_unit_test(scenes_and_fields_have_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
