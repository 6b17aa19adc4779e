/* Membranes that are stretched as they are placed: the tension of a square, energy and mass, a strain limit that
 * counts from the rest lengths, changed while it runs, saved and loaded, in scenes, and what is refused. */
#include "live_support.h"

#include "visviva/settings.h"
#include "world/world.h"
#include "positional.h"

static const char *const models[] = { "stvk-membrane", "neo-hookean-membrane" };

enum { CELLS = 6 };

static const double side = 0.6, young = 1e5, nu = 0.3, thickness = 2e-3;

static vvWorld *square(const char *scheme, const char *model, double prestrain, double limit)
{
    vvError error = { 0 };
    vvMesh mesh;
    vvBodyDef def = vvDefaultBodyDef();
    vvWorldDef d = free_def(scheme, 1e-6, 1e-9);
    assert_ok(generate_mesh("cloth", (double[]){ side, side, CELLS, CELLS }, &mesh, &error));
    def.material = material(model, young);
    def.material.poisson = nu;
    def.material.density = 200;
    def.material.thickness = thickness;
    def.material.prestrain = prestrain;
    def.material.strainLimit = limit;
    vvWorld *w = new_world(&d);
    add_mesh(w, &mesh, &def);
    return w;
}

/* S of plane stress in a sheet that is stretched by 1 + e in all directions, and the energy per rest area, both by
 * thickness. */
static double stress(int model, double e, double *energy)
{
    double mu = young / (2 * (1 + nu)), la = young * nu / (1 - nu * nu), c = (1 + e) * (1 + e), g = 0.5 * (c - 1);
    *energy = model ? mu * (c - 1) - mu * log(c) + 0.5 * la * log(c) * log(c) : young / (1 - nu) * g * g;
    return model ? mu + (la * log(c) - mu) / c : young / (1 - nu) * g;
}

/* Per length as placed, the tension is t S: what moves a side of a square that nothing holds, in the first moment. */
static void tension(void **state)
{
    (void)state;
    static const double prestrains[] = { 0, 0.05, 1, -0.3 };
    for (int m = 0; m < 2; m++)
        for (int p = 0; p < 4; p++) {
            double psi, s = stress(m, prestrains[p], &psi), pull = 0, mass = 0, scale = 1 + prestrains[p];
            vvWorld *w = square("forward-euler", models[m], prestrains[p], 0);
            vvLedgerRow start = ledger(w);
            const double rest = side * side / (scale * scale);
            assert_near(start.elastic, rest * thickness * psi, 1e-12 * (1 + start.elastic));
            step(w);
            for (int i = 0; i < vvWorldNodeCount(w); i++) {
                mass += vvWorldMasses(w)[i];
                if (w->rest[3 * i] < -0.5 * side + 1e-9)
                    pull += vvWorldMasses(w)[i] * vvWorldVelocities(w)[3 * i] / 1e-6;
            }
            assert_near(mass, side * side * thickness * 200, 1e-12); /* of the mesh as placed */
            assert_near(pull, thickness * s * side, 1e-9 * (1 + fabs(pull)));
            if (m == 0)
                assert_near(pull / side, thickness * young * (scale * scale - 1) / (2 * (1 - nu)),
                            1e-9 * (1 + fabs(pull)));
            vvWorldDestroy(w);
        }
}

/* Left alone, it shrinks to its rest lengths. */
static void rest_lengths(void **state)
{
    (void)state;
    for (int m = 0; m < 2; m++) {
        vvError error = { 0 };
        double energy;
        vvWorld *w = square("backward-euler", models[m], 0.25, 0);
        assert_ok(vvWorldSettle(w, true, &energy, &error));
        const double *x = vvWorldPositions(w);
        int far = vvWorldNodeCount(w) - 1;
        assert_near(hypot(hypot(x[3 * far] - x[0], x[3 * far + 1] - x[1]), x[3 * far + 2] - x[2]),
                    sqrt(2) * side / 1.25, 1e-5);
        assert_less(fabs(energy), 1e-6);
        vvWorldDestroy(w);
    }
}

static void limit_counts_from_rest(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int m = 0; m < 2; m++) {
        vvWorld *w = square("backward-euler", models[m], 0.1, 0.05);
        expect(vvWorldStep(w, NULL, &error), VV_ERROR_INPUT, &error, "triangle 0 is stretched to 1.1 times its length");
        vvWorldDestroy(w);
        w = square("backward-euler", models[m], 0.04, 0.05);
        steps(w, 2);
        vvWorldDestroy(w);
    }
}

/* A setting like others: two worlds do the same however it came to them, also from a saved state, and hashes tell
 * it. */
static void changed_while_running(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int m = 0; m < 2; m++) {
        vvWorld *made = square("backward-euler", models[m], 0.05, 0), *set = square("backward-euler", models[m], 0, 0);
        vvWorld *loaded = square("backward-euler", models[m], 0, 0);
        vvMaterialDef more;
        vvSettingChange last;
        assert_true(vv_structure_hash(made) != vv_structure_hash(set));
        assert_true(vvBodyGetMaterial(set, vvWorldBody(set, 0), 0, &more) && more.prestrain == 0);
        more.prestrain = 0.05;
        assert_ok(vvBodySetMaterial(set, vvWorldBody(set, 0), 0, &more, &error));
        assert_true(vvWorldSettingChange(set, vvWorldSettingsRevision(set), &last) &&
                    strstr(last.text, ": prestrain=0.05"));
        expect_same(made, set, 3, "set");
        size_t size = vvWorldStateSize(set);
        void *saved = malloc(size);
        assert_ok(vvWorldSaveState(set, saved, size, &error));
        assert_ok(vvWorldLoadState(loaded, saved, size, &error));
        free(saved);
        expect_same(set, loaded, 3, "loaded");
        assert_less(1e-9, vvWorldVelocities(set)[0]);
        vvWorldDestroy(made);
        vvWorldDestroy(set);
        vvWorldDestroy(loaded);
    }
}

static void refused(void **state)
{
    (void)state;
    for (int n = 0; n < 3; n++) {
        vvError error = { 0 };
        vvWorld *w = square("backward-euler", models[n % 2], 0, 0);
        vvMaterialDef more;
        assert_true(vvBodyGetMaterial(w, vvWorldBody(w, 0), 0, &more));
        more.prestrain = (double[]){ -0.95, 11, NAN }[n];
        expect(vvBodySetMaterial(w, vvWorldBody(w, 0), 0, &more, &error), VV_ERROR_INPUT, &error,
               "material.prestrain is");
        vvWorldDestroy(w);
    }
}

/* A number that no material of the body reads is refused; beside a membrane another material may have it, as one that
 * is made like it does. */
static void read_by_none(void **state)
{
    (void)state;
    static const char *const words[] = { "strain_limit is given", "prestrain is given", "rest_twist is given" };
    for (int n = 0; n < 3; n++)
        for (int membrane = 0; membrane < 2; membrane++) {
            vvError error = { 0 };
            vvWorldDef d = free_def("backward-euler", 1e-3, 1e-9);
            vvMesh mesh;
            assert_ok(generate_mesh("cloth", (double[]){ side, side, CELLS, CELLS }, &mesh, &error));
            vvBodyDef def = vvDefaultBodyDef();
            vvMaterialDef bending = vvDefaultMaterialDef();
            def.mesh = &mesh;
            def.material = material(membrane ? models[n % 2] : "hooke", young);
            def.material.thickness = bending.thickness = thickness;
            bending.model = "hinge";
            *(n == 0 ? &bending.strainLimit : n == 1 ? &bending.prestrain : &bending.restTwist) = 0.1;
            def.moreMaterials = &bending;
            def.moreMaterialCount = 1;
            vvWorld *w = new_world(&d);
            bool read = membrane && n < 2;
            expect(vvWorldAddBody(w, &def, NULL, &error), read ? VV_OK : VV_ERROR_INPUT, &error, read ? "" : words[n]);
            vvWorldDestroy(w);
            vvMeshDestroy(&mesh);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tension),
        cmocka_unit_test(rest_lengths),
        cmocka_unit_test(limit_counts_from_rest),
        cmocka_unit_test(changed_while_running),
        cmocka_unit_test(refused),
        cmocka_unit_test(read_by_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
