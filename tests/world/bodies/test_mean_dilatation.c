/* Bodies with mean dilatation in worlds: bending without volumetric locking, a pressed patch, fields, every scheme and
 * policy, states, threads, solvers, and what refuses it. */
#include "short_memory.h"
#include "tet_body_support.h"
#include "base/vec.h"
#include "visviva/field.h"
#include "visviva/modes.h"
#include "visviva/settings.h"

#include "world/world.h"

#include <float.h>

static const char *const models[] = { "fixed-corotated", "neo-hookean", "stable-neo-hookean" };

static vvMaterialDef mean_material(const char *model, double young, double poisson)
{
    vvMaterialDef m = material(model, young);
    m.poisson = poisson;
    m.meanDilatation = true;
    return m;
}

/* A bar of size[3] m and cells[3], of `split` tets a cell; shuffled: of which none are next to each other. */
static vvBodyId add_bar(vvWorld *w, const double *size, const int *cells, int split, bool shuffled,
                        const vvBodyDef *def)
{
    vvError error = { 0 };
    vvMesh mesh = { 0 };
    const double values[7] = { size[0], size[1], size[2], cells[0], cells[1], cells[2], split };
    assert_ok(generate_mesh("box", values, &mesh, &error));
    unsigned seed = 1;
    for (int i = mesh.tetCount - 1; shuffled && i > 0; i--) {
        int keep[4];
        seed = seed * 1664525u + 1013904223u;
        const int j = (int)(seed >> 8) % (i + 1);
        memcpy(keep, mesh.tets + 4 * i, sizeof keep);
        memcpy(mesh.tets + 4 * i, mesh.tets + 4 * j, sizeof keep);
        memcpy(mesh.tets + 4 * j, keep, sizeof keep);
    }
    return add_mesh(w, &mesh, def);
}

static vvBodyId add_soft(vvWorld *w, const char *model, double x, double y)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material = mean_material(model, 2e4, 0.45);
    def.translate[0] = x, def.translate[1] = y;
    return add_bar(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 5, false, &def);
}

static double tet_volume(const double *x, const int *tet)
{
    double e[9];
    for (int a = 0; a < 9; a++)
        e[a] = x[3 * tet[a / 3 + 1] + a % 3] - x[3 * tet[0] + a % 3];
    return vv_det(e) / 6;
}

/* ---- statics ---- */

static double deflection(const vvMaterialDef *of, const int *cells, int split, bool shuffled)
{
    vvBodyDef def = vvDefaultBodyDef();
    vvWorldDef d = free_def("backward-euler", 1e-2, 1e-9);
    vvWorld *w = new_world(&d);
    def.material = *of;
    const double down = end_of_cantilever(w, add_bar(w, (double[]){ 1, 0.1, 0.1 }, cells, split, shuffled, &def));
    vvWorldDestroy(w);
    return down;
}

/* Tets of a grid's cells, cut in two ways, and those of the same box in an order in which no cells are found: at nu
 * 0.49 it bends as at 0.3, not 0.2 of that, and not farther than the converged value. */
static void cantilever(void **unused)
{
    (void)unused;
    const int cells[3] = { 20, 2, 2 };
    const double truth = 4.03e-2;
    for (int kind = 0; kind < 3; kind++)
        for (int m = 0; m < (kind == 0 ? 3 : 1); m++) {
            const int split = kind == 0 ? 6 : 5;
            const bool shuffled = kind == 2;
            vvMaterialDef plain = material(models[m], 1e6), mean = mean_material(models[m], 1e6, 0.49), locked = mean;
            locked.meanDilatation = false;
            const double at_rest = deflection(&plain, cells, split, shuffled),
                         stiff = deflection(&locked, cells, split, shuffled),
                         free_of = deflection(&mean, cells, split, shuffled);
            print_message("%s, %d tets a cell%s: nu 0.3 %.4g, nu 0.49 %.4g, with mean dilatation %.4g; truth %.4g m\n",
                          models[m], split, shuffled ? ", shuffled" : "", at_rest, stiff, free_of, truth);
            assert_less(stiff, (split == 6 ? 0.25 : 0.9) * at_rest);
            assert_less(0.95 * at_rest, free_of);
            assert_less(free_of, truth);
        }
    /* and it converges from below, at any ratio */
    double before = 0;
    for (int k = 1; k <= 3; k++) {
        vvMaterialDef mean = mean_material("neo-hookean", 1e6, 0.499);
        const double now = deflection(&mean, (int[]){ 10 * k, k, k }, 6, false);
        assert_less(before, now);
        before = now;
    }
    assert_less(before, truth);
    assert_less(0.75 * truth, before);
}

/* A traction on one end of a bar that rests on rollers strains it alike everywhere, and its stress is that. */
static void traction_patch(void **unused)
{
    (void)unused;
    for (int m = 0; m < 3; m++) {
        vvError error = { 0 };
        vvBodyDef def = vvDefaultBodyDef();
        vvWorldDef d = free_def("backward-euler", 1e-2, 1e-10);
        vvWorld *w = new_world(&d);
        def.material = mean_material(models[m], 1e6, 0.45);
        vvBodyId id = add_bar(w, (double[]){ 0.3, 0.1, 0.2 }, (int[]){ 3, 2, 2 }, 5, m == 1, &def);
        double stretch[3], f[4096];
        draw_on_rollers(w, id, stretch);
        for (int nodes = 0; nodes < 2; nodes++) {
            int count = 0;
            assert_ok(vvBodyField(w, id, "stress", nodes, f, 4096, &count, &error));
            for (int i = 0; i < count; i++)
                assert_near(f[i], i % 6 ? 0 : 1e5 / (stretch[1] * stretch[2]), 30);
        }
        vvWorldDestroy(w);
    }
}

/* Of any state the energy density adds up to the ledger's energy. */
static void fields(void **unused)
{
    (void)unused;
    for (int m = 0; m < 3; m++) {
        vvError error = { 0 };
        vvBodyDef def = vvDefaultBodyDef();
        vvWorldDef d = free_def("implicit-midpoint", 1e-2, 1e-9);
        vvWorld *w = new_world(&d);
        def.material = mean_material(models[m], 1e6, 0.45);
        vvBodyId id = add_bar(w, (double[]){ 0.2, 0.1, 0.1 }, (int[]){ 2, 1, 1 }, 5, false, &def);
        assert_ok(vvWorldBake(w, &error));
        const int n = vvWorldNodeCount(w);
        double *x = copy_of(vvWorldRestPositions(w), 3 * n), f[64], sum = 0;
        for (int i = 0; i < 3 * n; i++)
            x[i] += 0.003 * sin(7.0 * i);
        assert_ok(vvBodySetState(w, id, x, NULL, &error));
        int count;
        assert_ok(vvBodyField(w, id, "energy-density", false, f, 64, &count, &error));
        assert_int_equal(count, 10);
        for (int t = 0; t < 10; t++) /* of five tets the first, or another one, has a third of the cell */
            sum += f[t] * tet_volume(vvWorldRestPositions(w), w->bodies[0].tets + 4 * t);
        const double elastic = ledger(w).elastic;
        assert_true(elastic > 0);
        assert_near(sum, elastic, 1e-10 * elastic);
        free(x);
        vvWorldDestroy(w);
    }
}

/* ---- motion ---- */

/* A body that spins and is twisted: the ledger is closed, and momenta stay, under every scheme. */
static void every_scheme(void **unused)
{
    (void)unused;
    for (int s = 0; vvSchemeInfo(s); s++) {
        vvWorldDef d = free_def(vvSchemeInfo(s)->name, 5e-4, 1e-9);
        vvWorld *w = new_world(&d);
        expect_free_motion(w, add_soft(w, models[s % 3], 0, 0), 5e-9);
        vvWorldDestroy(w);
    }
}

/* The discrete gradient and AVF keep H. */
static void energy_is_kept(void **unused)
{
    (void)unused;
    static const char *const schemes[] = { "discrete-gradient", "avf-gauss-3" };
    for (int s = 0; s < 2; s++) {
        vvWorldDef d = free_def(schemes[s], 2e-3, 1e-10);
        vvWorld *w = new_world(&d);
        expect_energy_kept(w, add_soft(w, "fixed-corotated", 0, 0), 1e-6);
        vvWorldDestroy(w);
    }
}

static vvWorld *bouncing(const char *policy) { return falling(policy, add_soft, models); }

/* Two blocks fall on each other and the ground: booked to the last digits, and a saved state goes on to the same bits.
 */
static void every_policy(void **unused)
{
    (void)unused;
    for (int p = 0; vvPolicyInfo(p); p++) {
        const char *policy = vvPolicyInfo(p)->name;
        vvWorld *w = bouncing(policy), *fresh = bouncing(policy);
        booked_steps(w, 30);
        expect_resumed(w, fresh, 5);
        vvWorldDestroy(w);
        vvWorldDestroy(fresh);
    }
}

/* Lagged damping takes energy, and no momentum; snapshots go on to the same bits. */
static void damping_and_snapshots(void **unused)
{
    (void)unused;
    vvBodyDef def = vvDefaultBodyDef();
    vvWorldDef d = free_def("implicit-midpoint", 2e-3, 1e-10);
    vvWorld *w = new_world(&d), *other = new_world(&d);
    def.material = mean_material("stable-neo-hookean", 2e4, 0.45);
    def.material.damping.rayleigh = 0.01;
    vvBodyId id = add_bar(w, (double[]){ 0.2, 0.1, 0.1 }, (int[]){ 4, 2, 2 }, 5, true, &def);
    expect_damped(w, id, other);
    vvWorldDestroy(w);
    vvWorldDestroy(other);
}

/* A material that gets it, or loses it, while the world lives is what it would be from the start. */
static void changed_on_the_way(void **unused)
{
    (void)unused;
    for (int to = 0; to < 2; to++) {
        vvError error = { 0 };
        vvBodyDef def = vvDefaultBodyDef();
        vvWorldDef d = free_def("implicit-midpoint", 2e-3, 1e-9);
        vvWorld *w = new_world(&d), *fresh = new_world(&d);
        const double size[3] = { 0.2, 0.1, 0.1 };
        def.material = mean_material("neo-hookean", 2e4, 0.45);
        def.material.meanDilatation = !to;
        vvBodyId id = add_bar(w, size, (int[]){ 2, 1, 1 }, 6, false, &def);
        assert_ok(vvWorldBake(w, &error));
        const uint64_t hash = vv_structure_hash(w);
        def.material.meanDilatation = to;
        vvBodyId same = add_bar(fresh, size, (int[]){ 2, 1, 1 }, 6, false, &def);
        assert_ok(vvBodySetMaterial(w, id, 0, &def.material, &error));
        assert_ok(vvWorldBake(fresh, &error));
        assert_int_equal(w->bodies[0].materials[0].kind->mean, to);
        assert_true(vv_structure_hash(w) != hash && vv_structure_hash(w) == vv_structure_hash(fresh));
        set_state(w, id, "twist", (double[]){ 40, 1, 0, 0 });
        set_state(fresh, same, "twist", (double[]){ 40, 1, 0, 0 });
        expect_same(w, fresh, 5, "changed");
        vvWorldDestroy(w);
        vvWorldDestroy(fresh);
    }
}

static vvBodyId add_long(vvWorld *w, const char *model, double x, double y)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material = mean_material(model, 2e4, 0.45);
    def.translate[0] = x, def.translate[1] = y;
    return add_bar(w, (double[]){ 0.4, 0.1, 0.1 }, (int[]){ 40, 6, 6 }, 5, false, &def);
}

static void threads(void **unused)
{
    (void)unused;
    expect_same_on_threads(add_long, 2);
}

/* ---- solvers ---- */

static void solvers(void **unused)
{
    (void)unused;
    expect_solvers(add_soft, 4000, "stable-neo-hookean", "mean_dilatation");
}

/* A bar at nu 0.49 vibrates more slowly than tets that lock, and moves as freely. */
static void modes(void **unused)
{
    (void)unused;
    double lowest[2];
    for (int mean = 0; mean < 2; mean++) {
        vvError error = { 0 };
        vvBodyDef def = vvDefaultBodyDef();
        vvWorldDef d = free_def("implicit-midpoint", 1e-2, 1e-8);
        vvWorld *w = new_world(&d);
        def.material = mean_material("neo-hookean", 1e5, 0.49);
        def.material.meanDilatation = mean;
        vvBodyId id = add_bar(w, (double[]){ 0.4, 0.1, 0.1 }, (int[]){ 8, 2, 2 }, 6, false, &def);
        vvModes *found;
        assert_ok(vvBodyFindModes(w, id, VV_MODES_LOWEST, 2, &found, &error));
        assert_int_equal(vvModesRigidCount(found), 6);
        lowest[mean] = vvModesFrequency(found, 0);
        vvModesDestroy(found);
        vvWorldDestroy(w);
    }
    assert_less(lowest[1], 0.8 * lowest[0]);
    assert_less(0.5 * lowest[0], lowest[1]);
}

/* ---- what does not fit ---- */

static void refusals(void **unused)
{
    (void)unused;
    static const char *const others[] = { "arap", "corotated", "stvk" };
    vvError error = { 0 };
    vvBodyDef def = vvDefaultBodyDef();
    vvWorldDef d = free_def("implicit-midpoint", 1e-2, 1e-8);
    vvWorld *w = new_world(&d);
    vvMesh mesh;
    vvBodyId id;
    assert_ok(generate_mesh("box", (double[]){ 1, 1, 1, 1, 1, 1, 5 }, &mesh, &error));
    def.mesh = &mesh;
    for (int i = 0; i < 3; i++) {
        def.material = mean_material(others[i], 1e4, 0.3);
        expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, others[i]);
        expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error,
               "fixed-corotated, neo-hookean, stable-neo-hookean");
    }
    def.material = mean_material("neo-hookean", 1e4, 0.3);
    assert_ok(vvWorldAddBody(w, &def, &id, &error));
    vvMaterialDef stvk = mean_material("stvk", 1e4, 0.3);
    expect(vvBodySetMaterial(w, id, 0, &stvk, &error), VV_ERROR_INPUT, &error, "mean_dilatation");
    assert_ok(vvMeshRaise(&mesh, &error));
    expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, "order 1");
    vvMeshDestroy(&mesh);
    assert_ok(vvMeshGenerate("sheet", NULL, 0, &mesh, &error));
    def.material = mean_material("stvk-membrane", 1e4, 0.3);
    def.material.thickness = 1e-3;
    expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, "mean_dilatation");
    vvMeshDestroy(&mesh);
    vvWorldDestroy(w);
}

/* A world of two bodies, a step, a snapshot, fields, and an equilibrium: the first failure. */
static vvStatus whole_life(const vvMesh *mesh, budget *b, vvError *error)
{
    vvWorldDef d = free_def("implicit-midpoint", 2e-3, 1e-6);
    vvWorld *w = NULL;
    vvSnapshot *snapshot = NULL;
    vvBodyDef def = vvDefaultBodyDef();
    vvAttachDef a = vvDefaultAttachDef();
    vvBodyId id = { 0 };
    double energy, f[8192];
    int count;
    d.host.allocator = budget_allocator(b);
    def.mesh = mesh, def.material = mean_material("fixed-corotated", 1e4, 0.45);
    def.material.damping.rayleigh = 1e-3;
    a.kind = VV_ATTACH_PRESSURE, a.pressure = 10;
    vvStatus status = vvWorldCreate(&d, &w, error);
    for (int i = 0; status == VV_OK && i < 2; i++)
        status = vvWorldAddBody(w, &def, &id, error);
    if (status == VV_OK)
        status = vvBodyAttach(w, id, &a, NULL, error);
    if (status == VV_OK)
        status = vvWorldStep(w, NULL, error);
    if (status == VV_OK)
        status = vvWorldSnapshot(w, &snapshot, error);
    if (status == VV_OK)
        status = vvWorldRestore(w, snapshot, error);
    for (int nodes = 0; status == VV_OK && nodes < 2; nodes++)
        status = vvBodyField(w, id, "von-mises", nodes, f, 8192, &count, error);
    if (status == VV_OK)
        status = vvWorldSettle(w, false, &energy, error);
    vvSnapshotDestroy(snapshot);
    vvWorldDestroy(w);
    return status;
}

/* Whichever allocation fails, it is said, and nothing is lost. */
static void short_of_memory(void **unused)
{
    (void)unused;
    vvError error = { 0 };
    vvMesh mesh;
    assert_ok(generate_mesh("box", (double[]){ 0.1, 0.1, 0.1, 2, 1, 1, 5 }, &mesh, &error));
    int k = 0;
    for (vvStatus status = VV_ERROR_MEMORY; status != VV_OK; k++) {
        budget b = { .left = k };
        status = whole_life(&mesh, &b, &error);
        if (status != VV_OK)
            expect(status, VV_ERROR_MEMORY, &error, "out of memory");
        assert_int_equal(b.live, 0);
        assert_true(k < 5000);
    }
    assert_true(k > 100);
    vvMeshDestroy(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cantilever),
        cmocka_unit_test(traction_patch),
        cmocka_unit_test(fields),
        cmocka_unit_test(every_scheme),
        cmocka_unit_test(energy_is_kept),
        cmocka_unit_test(every_policy),
        cmocka_unit_test(damping_and_snapshots),
        cmocka_unit_test(changed_on_the_way),
        cmocka_unit_test(threads),
        cmocka_unit_test(solvers),
        cmocka_unit_test(modes),
        cmocka_unit_test(refusals),
        cmocka_unit_test(short_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
