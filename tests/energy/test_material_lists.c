/* Lists of a body's materials that make no sense are refused in words; one of them is of a kind that this test adds
 * (rhombus_kind.h). */
#include "live_support.h"
#include "rhombus_kind.h"
#include "positional.h"

typedef struct refusal {
    const char *mesh, *first, *further, *word;
    int count;
    double stiffness, bending; /* of the further one */
    vvDampingDef damping;
} refusal;

static void lists_that_make_no_sense(void **state)
{
    (void)state;
    static const double sizes[] = { 1, 1, 1, 1, 1, 1, 5 };
    static const refusal all[] = {
        { "cloth", "hooke", "arap",
          "\"arap\" is for tetrahedra, but the body's mesh has triangles and no tetrahedra; further models "
          "for it are: hooke, stvk-spring, hooke-rod, neo-hookean-rod, ",
          1 },
        { "box", "arap", "rhombus",
          "\"rhombus\" is for pairs of triangles, but the body's mesh has tetrahedra; further models", 1 },
        { "box", "affine", "arap", "an affine body cannot have more than one material", 1 },
        { "box", "arap", "affine", "must be its first and only one", 1 },
        { "cloth", "affine", "affine", "open at", 0 },
        { "grains", "affine", "free", "needs a closed surface or tetrahedra", 0 },
        { "box", "arap", "midedge", "\"midedge\" is for triangles, but the body's mesh has tetrahedra; further models",
          1 },
        { "cloth", "hooke", "midedge", "\"midedge\" needs a thickness", 1 },
        { "cloth", "hooke", "rhombus", "bend_stiffness is 0", 1 },
        { "cloth", "hooke", "hooke", "two materials of the body have the model \"hooke\"", 1, .stiffness = 1 },
        { "cloth", "hooke", "free", "\"free\" is for free points", 1 },
        { "grains", "free", "free", "\"free\" gives no elasticity", 1 },
        { "cloth", "hooke", NULL, "material[1].model: \"(none)\" is not known; there are: arap,", 1 },
        { "cloth", "hooke", "rhombus", "of its damping only rayleigh", 1, .bending = 1, .damping.drag = 1 },
        { "cloth", "hooke", "rhombus", "material[1].damping.rayleigh is -1", 1, .bending = 1, .damping.rayleigh = -1 },
        { "cloth", "hooke", "rhombus", "moreMaterialCount is -1", -1 }
    };
    vvWorldDef d = free_def("backward-euler", 1e-2, 1e-3);
    vvWorld *w = new_world(&d);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        vvError error = { 0 };
        vvMesh mesh = { 0 };
        vvMaterialDef more = vvDefaultMaterialDef();
        vvBodyDef def = vvDefaultBodyDef();
        bool grains = strcmp(all[i].mesh, "grains") == 0;
        assert_ok(generate_mesh(all[i].mesh, grains ? (double[]){ 1, 1, 2, 1, 0, 1 } : sizes, &mesh, &error));
        more.model = all[i].further, more.damping = all[i].damping;
        more.springStiffness = all[i].stiffness > 0 ? all[i].stiffness : 100, more.bendStiffness = all[i].bending;
        def.mesh = &mesh, def.material.model = all[i].first, def.moreMaterials = &more,
        def.moreMaterialCount = all[i].count;
        expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, all[i].word);
        vvMeshDestroy(&mesh);
    }
    assert_int_equal(vvWorldBodyCount(w), 0);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(lists_that_make_no_sense) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
