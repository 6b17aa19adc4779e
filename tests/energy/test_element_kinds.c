/* A kind of elements that this test adds to the list by one row (rhombus_kind.h), on bodies that list it beside
 * springs: what is baked, derivatives, momenta, damping, snapshots. */
#include "live_support.h"
#include "rhombus_kind.h"
#include "solve/assembly.h"
#include "world/world.h"
#include "positional.h"

static vvBodyId add_cloth(vvWorld *w, double x, double rayleigh)
{
    vvError error = { 0 };
    vvBodyDef def = vvDefaultBodyDef();
    vvMesh mesh = { 0 };
    char model[] = "rhombus"; /* copied: it goes away */
    vvMaterialDef more = vvDefaultMaterialDef();
    more.model = model;
    more.bendStiffness = 3;
    more.damping.rayleigh = rayleigh;
    assert_ok(generate_mesh("cloth", (double[]){ 0.3, 0.2, 6, 4 }, &mesh, &error));
    def.material.model = "hooke";
    def.material.density = 0.3;
    def.material.springStiffness = 50;
    def.moreMaterials = &more, def.moreMaterialCount = 1, def.translate[0] = x;
    vvBodyId id = add_mesh(w, &mesh, &def);
    set_state(w, id, "twist", (double[]){ 60, 1, 0, 0 });
    set_state(w, id, "angular", (double[]){ 90, 200, -50, NAN, NAN, NAN });
    return id;
}

/* A cloth, a cube, a cloth whose bending is damped. */
static vvWorld *make_world(double rayleigh, vvBodyId *first)
{
    vvError error = { 0 };
    vvWorldDef d = free_def("implicit-midpoint", 5e-3, 1e-10);
    vvWorld *w = new_world(&d);
    vvMaterialDef soft = material("neo-hookean", 1e4);
    *first = add_cloth(w, -1, 0);
    add_cube(w, 0.1, 1, &soft);
    add_cloth(w, 1, rayleigh);
    assert_ok(vvWorldBake(w, &error));
    return w;
}

/* The energies stand in the list's order, differences of their sum agree with its gradient and Hessian along a
 * direction. */
static void derivatives_of_the_whole(void **state)
{
    (void)state;
    enum { MOST = 300 };
    static const char *const order[] = { "neo-hookean", "hooke", "rhombus" };
    double x[3][MOST], p[MOST], u[MOST], hp[MOST], g[3][MOST], along = 0, t = 1e-6;
    vvBodyId first;
    vvWorld *w = make_world(0.01, &first);
    vv_system *s = &w->system;
    int n = 3 * s->nodes, rows = 0;
    while (vvMaterialInfo(rows))
        rows++;
    assert_string_equal(vvMaterialInfo(rows - 1)->name, "rhombus");
    for (int i = 0; i < 3; i++)
        assert_string_equal(s->energy[i]->ops->info.name, order[i]);
    assert_true(s->dissipations == 1 && n <= MOST);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < n; i++)
            x[k][i] = vvWorldPositions(w)[i] + 1e-3 * sin(3.0 * i) + (k - 1) * t * (p[i] = cos(7.0 * i));
        vv_system_gradient(s, x[k], g[k]);
    }
    for (int i = 0; i < n; i++)
        along += g[1][i] * p[i];
    assert_near((vv_system_energy(s, x[2]) - vv_system_energy(s, x[0])) / (2 * t), along, 1e-5 * fabs(along));
    vv_assembly a;
    assert_int_equal(vv_assembly_create(&a, s, VV_SELECT_ALL, NULL), VV_OK);
    vv_assembly_begin(&a);
    vv_assembly_add_energies(s, x[1], 1, VV_HESSIAN_EXACT, NULL, &a);
    vv_assembly_end(&a);
    vv_pack(s, p, u);
    vv_bsr_multiply(&a.matrix, &s->par, u, hp);
    vv_assembly_free(&a);
    vv_unpack(s, hp, u);
    for (int i = 0; i < n; i++)
        assert_near((g[2][i] - g[0][i]) / (2 * t), u[i], 1e-3);
    vvWorldDestroy(w);
}

/* Hinges go round as their first triangle does, and round the other way in the second. */
static void hinges_are_oriented(void **state)
{
    (void)state;
    vvBodyId first;
    vvWorld *w = make_world(0, &first);
    const vv_body *b = w->bodies + 2;
    assert_int_equal(b->hinge_count, b->edge_count - 2 * (6 + 4)); /* not those of the rim */
    for (int h = 0, found = 0; h < b->hinge_count; h++, found = 0) {
        const int *v = b->hinges + 4 * h, sides[2][3] = { { v[0], v[1], v[2] }, { v[1], v[0], v[3] } };
        for (int i = 0; i < 6 * b->triangle_count; i++) {
            const int *t = b->triangles + 3 * (i / 6), *want = sides[i / 3 % 2];
            found += t[i % 3] == want[0] && t[(i + 1) % 3] == want[1] && t[(i + 2) % 3] == want[2];
        }
        assert_int_equal(found, 2);
    }
    uint64_t hash = vv_structure_hash(w); /* a ground energy is that of all materials */
    w->bodies[0].materials[1].def.bendStiffness = 4;
    assert_true(vv_structure_hash(w) != hash);
    vvWorldDestroy(w);
}

static void steps_and_snapshots(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int damped = 0; damped < 2; damped++) {
        vvBodyId first;
        vvWorld *w = make_world(damped ? 0.01 : 0, &first), *other = new_world(vvWorldGetDef(w));
        vvLedgerRow start = ledger(w), end = steps(w, 10);
        for (int k = 0; k < 3; k++) {
            assert_near(end.momentum[k], start.momentum[k], 1e-10);
            if (!damped) /* lagged damping keeps the angular one but roughly */
                assert_near(end.angularMomentumCentre[k], start.angularMomentumCentre[k], 1e-10);
        }
        assert_true(damped ? end.damping > 1e-6 : end.damping == 0);
        vvSnapshot *s;
        assert_ok(vvWorldSnapshot(w, &s, &error));
        assert_ok(vvWorldRestore(other, s, &error));
        expect_same(w, other, 5, "restored elsewhere");
        assert_ok(vvWorldRemoveBody(w, first, &error));
        assert_true(isfinite(step(w).total));
        assert_int_equal(w->bodies[1].material_count, 2);
        assert_ok(vvWorldRestore(w, s, &error));
        assert_ok(vvWorldRestore(other, s, &error));
        expect_same(w, other, 3, "restored after a removal");
        vvSnapshotDestroy(s);
        vvWorldDestroy(w);
        vvWorldDestroy(other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(derivatives_of_the_whole),
                                        cmocka_unit_test(hinges_are_oriented), cmocka_unit_test(steps_and_snapshots) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
