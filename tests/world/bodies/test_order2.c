/* Bodies of tets of order 2 in worlds: mass, loads, bending, fields, every scheme and policy, contact, states, and who
 * refuses them. */
#include "short_memory.h"
#include "tet_body_support.h"
#include "visviva/field.h"
#include "visviva/settings.h"

#include "world/world.h"
#include "positional.h"

#include <float.h>

/* A bar of size[3] m and cells[3], of order 2. */
static vvBodyId add_bar(vvWorld *w, const double *size, const int *cells, const vvBodyDef *def)
{
    vvError error = { 0 };
    vvMesh mesh = { 0 };
    const double values[7] = { size[0], size[1], size[2], cells[0], cells[1], cells[2], 5 };
    assert_ok(generate_mesh("box", values, &mesh, &error));
    assert_ok(vvMeshRaise(&mesh, &error));
    return add_mesh(w, &mesh, def);
}

static vvBodyId add_block2(vvWorld *w, const char *model, double x, double y)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material(model, 2e4);
    def.translate[0] = x, def.translate[1] = y;
    return add_bar(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 1, 1, 1 }, &def);
}

/* ---- mass ---- */

static void mass(void **unused)
{
    (void)unused;
    vvError error = { 0 };
    double x[12] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    int tet[4] = { 0, 1, 2, 3 };
    const vvMesh one = { .vertexCount = 4, .tetCount = 1, .positions = x, .tets = tet };
    vvMesh mesh;
    vvBodyDef def = vvDefaultBodyDef();
    vvWorldDef d = free_def("implicit-midpoint", 1e-2, 1e-8);
    vvWorld *w = new_world(&d);
    assert_ok(vvMeshCopy(&one, &mesh, &error));
    assert_ok(vvMeshRaise(&mesh, &error));
    def.material = material("stvk", 1e4);
    def.material.density = 600;
    vvBodyId id = add_mesh(w, &mesh, &def);
    vvBodyElements e;
    vvBodyGetElements(w, id, &e);
    assert_int_equal(e.tetCount, 8);
    assert_int_equal(e.triangleCount, 16);
    assert_int_equal(e.vertexCount, 10);
    assert_int_equal(e.tet10Count, 1);
    int seen = 0;
    for (int n = 0; n < 10; n++)
        seen |= 1 << e.tets10[n];
    assert_int_equal(seen, (1 << 10) - 1);
    assert_memory_equal(e.tets10, tet, sizeof tet);
    assert_ok(vvWorldBake(w, &error));
    for (int i = 0; i < 10; i++)
        assert_near(vvWorldMasses(w)[i], 100 * (i < 4 ? 1.0 / 36 : 4.0 / 27), 1e-12);
    double moment = 0, corners = 0; /* about the centroid: 11/108 of the corners', where the tet's own is 1/20 */
    for (int i = 0; i < 30; i++) {
        const double off = vvWorldPositions(w)[i] - 0.25;
        moment += vvWorldMasses(w)[i / 3] * off * off;
        corners += i < 12 ? off * off : 0;
    }
    assert_near(moment, 100 * 11.0 / 108 * corners, 1e-10);
    vvWorldDestroy(w);
}

/* ---- statics ---- */

static double deflection(int order, int along, int across, double poisson)
{
    vvError error = { 0 };
    vvMesh mesh = { 0 };
    vvBodyDef def = vvDefaultBodyDef();
    vvWorldDef d = free_def("backward-euler", 1e-2, 1e-9);
    vvWorld *w = new_world(&d);
    const double values[7] = { 1, 0.1, 0.1, along, across, across, 6 };
    assert_ok(generate_mesh("box", values, &mesh, &error));
    if (order == 2)
        assert_ok(vvMeshRaise(&mesh, &error));
    def.material = material("stvk", 1e6);
    def.material.poisson = poisson;
    const double down = end_of_cantilever(w, add_mesh(w, &mesh, &def));
    vvWorldDestroy(w);
    return down;
}

/* With one element across, within 3% of the truth where linear tets have a small part of it, and without locking where
 * it is nearly incompressible. Euler and Bernoulli's value is 4 / (E b h^3) = 0.04. */
static void cantilever(void **unused)
{
    (void)unused;
    const double fine = deflection(2, 10, 1, 0.3), linear = deflection(1, 10, 1, 0.3);
    assert_near(fine, 0.04 * 1.007, 0.04 * 0.03);
    assert_less(linear, 0.6 * fine);
    assert_less(0.93 * fine, deflection(2, 10, 1, 0.45));
    assert_less(deflection(2, 10, 1, 0.45), 1.02 * fine);
}

/* A traction on one end of a bar that rests on rollers strains it alike everywhere, with each material: the shares of
 * corners and middles are those of the shape functions. */
static void traction_patch(void **unused)
{
    (void)unused;
    for (int m = 0; m < 6; m++) {
        vvError error = { 0 };
        vvBodyDef def = vvDefaultBodyDef();
        vvWorldDef d = free_def("backward-euler", 1e-2, 1e-10);
        vvWorld *w = new_world(&d);
        def.material = material(vvMaterialInfo(m)->name, 1e6);
        vvBodyId id = add_bar(w, (double[]){ 0.3, 0.1, 0.2 }, (int[]){ 2, 1, 2 }, &def);
        double stretch[3], f[4096];
        draw_on_rollers(w, id, stretch);
        int count = 0;
        assert_ok(vvBodyField(w, id, "stress", false, f, 4096, &count, &error));
        for (int i = 0; i < count; i += 6)
            assert_near(f[i], 1e5 / (stretch[1] * stretch[2]), 30);
        assert_ok(vvBodyField(w, id, "stress", true, f, 4096, &count, &error));
        for (int i = 0; i < count; i += 6)
            assert_near(f[i], 1e5 / (stretch[1] * stretch[2]), 30);
        vvWorldDestroy(w);
    }
}

/* What the load of a following pressure is said to be is what acts: at rest the reported terms balance at each free
 * node. */
static void a_following_pressure_is_reported_as_it_acts(void **unused)
{
    (void)unused;
    vvError error = { 0 };
    vvBodyDef def = vvDefaultBodyDef();
    vvWorldDef d = free_def("backward-euler", 1e-2, 1e-10);
    vvWorld *w = new_world(&d);
    def.material = material("stvk", 1e5);
    vvBodyId id = add_bar(w, (double[]){ 0.3, 0.1, 0.1 }, (int[]){ 3, 1, 1 }, &def);
    vvAttachDef clamp = vvDefaultAttachDef(), load = vvDefaultAttachDef();
    clamp.where = (vvRegion){ .kind = VV_REGION_PERCENT, .b = { 0, 100, 100 } };
    attach(w, id, &clamp);
    load.kind = VV_ATTACH_PRESSURE, load.follows = true, load.pressure = 200;
    load.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 100, 0 }, .b = { 100, 100, 100 } };
    attach(w, id, &load);
    double energy;
    assert_ok(vvWorldSettle(w, true, &energy, &error));
    const int n = vvWorldNodeCount(w);
    double *elastic = malloc(3 * (size_t)n * sizeof *elastic), *pressing = malloc(3 * (size_t)n * sizeof *pressing),
           most = 0;
    assert_ok(vvWorldForces(w, "elastic", elastic, &error));
    assert_ok(vvWorldForces(w, "load", pressing, &error));
    for (int i = 0; i < 3 * n; i++)
        most = fmax(most, fabs(pressing[i]));
    assert_true(most > 0.1);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3 && vvWorldRestPositions(w)[3 * i] > -0.15 + 1e-9; k++)
            assert_near(elastic[3 * i + k] + pressing[3 * i + k], 0, 1e-6 * most);
    free(elastic);
    free(pressing);
    vvWorldDestroy(w);
}

/* Of pure bending, x += k x y and y -= k x^2 / 2, the field at nodes is linear across, and not averaged away. */
static void fields_of_bending(void **unused)
{
    (void)unused;
    vvError error = { 0 };
    vvBodyDef def = vvDefaultBodyDef();
    vvWorldDef d = free_def("backward-euler", 1e-2, 1e-9);
    vvWorld *w = new_world(&d);
    const double k = 1e-6;
    def.material = material("stvk", 1e6);
    def.material.poisson = 0;
    vvBodyId id = add_bar(w, (double[]){ 0.4, 0.1, 0.1 }, (int[]){ 4, 1, 1 }, &def);
    assert_ok(vvWorldBake(w, &error));
    const int n = vvWorldNodeCount(w);
    double *x = copy_of(vvWorldRestPositions(w), 3 * n), *f = malloc(6 * (size_t)n * sizeof *f);
    const double *rest = vvWorldRestPositions(w);
    for (int i = 0; i < n; i++) {
        x[3 * i] += k * rest[3 * i] * rest[3 * i + 1];
        x[3 * i + 1] -= k * rest[3 * i] * rest[3 * i] / 2;
    }
    assert_ok(vvBodySetState(w, id, x, NULL, &error));
    int count;
    assert_ok(vvBodyField(w, id, "stress", true, f, 6 * n, &count, &error));
    assert_int_equal(count, 6 * n);
    for (int i = 0; i < n; i++)
        assert_near(f[6 * i], 1e6 * k * rest[3 * i + 1], 1e-4 * 1e6 * k * 0.05);
    free(x), free(f);
    vvWorldDestroy(w);
}

/* ---- motion ---- */

/* A body that spins and is twisted: the ledger is closed, and momenta stay, under every scheme with every material in
 * turn; H stays under those that keep it. */
static void every_scheme(void **unused)
{
    (void)unused;
    for (int s = 0; vvSchemeInfo(s); s++) {
        vvWorldDef d = free_def(vvSchemeInfo(s)->name, 5e-4, 1e-9);
        vvWorld *w = new_world(&d);
        expect_free_motion(w, add_block2(w, vvMaterialInfo(s % 6)->name, 0, 0), 1e-9);
        vvWorldDestroy(w);
    }
}

/* The discrete gradient and AVF keep H. */
static void energy_is_kept(void **unused)
{
    (void)unused;
    static const char *const schemes[] = { "discrete-gradient", "avf-gauss-3" };
    for (int s = 0; s < 4; s++) { /* with either rule: E is a quartic of the positions at each point */
        vvWorldDef d = free_def(schemes[s % 2], 5e-3, 1e-10);
        vvWorld *w = new_world(&d);
        vvBodyId id = add_block2(w, "stvk", 0, 0);
        vvMaterialDef m = material("stvk", 2e4);
        vvError error = { 0 };
        m.quadrature = s < 2 ? "degree-2" : "degree-5";
        assert_ok(vvBodySetMaterial(w, id, 0, &m, &error));
        expect_energy_kept(w, id, 1e-7);
        vvWorldDestroy(w);
    }
}

static vvWorld *bouncing(const char *policy)
{
    return falling(policy, add_block2, (const char *const[]){ "fixed-corotated", "neo-hookean" });
}

/* Two blocks fall on each other and the ground: booked to the last digits, no intersection, and a saved state goes on
 * to the same bits. */
static void every_policy(void **unused)
{
    (void)unused;
    for (int p = 0; vvPolicyInfo(p); p++) {
        const char *policy = vvPolicyInfo(p)->name;
        vvWorld *w = bouncing(policy), *fresh = bouncing(policy);
        booked_steps(w, 30);
        expect_resumed(w, fresh, 5);
        vvInverted inverted;
        vvWorldInverted(w, &inverted);
        assert_int_equal(inverted.tets, 0);
        vvWorldDestroy(w);
        vvWorldDestroy(fresh);
    }
}

/* Lagged damping takes energy, and no momentum; snapshots go on to the same bits. */
static void damping_and_snapshots(void **unused)
{
    (void)unused;
    vvError error = { 0 };
    vvBodyDef def = vvDefaultBodyDef();
    vvWorldDef d = free_def("implicit-midpoint", 2e-3, 1e-10);
    vvWorld *w = new_world(&d), *other = new_world(&d);
    def.material = material("stable-neo-hookean", 2e4);
    def.material.damping.rayleigh = 0.01;
    vvBodyId id = add_bar(w, (double[]){ 0.2, 0.1, 0.1 }, (int[]){ 2, 1, 1 }, &def);
    expect_damped(w, id, other);
    vvMaterialDef stiffer = def.material;
    stiffer.young = 4e4, stiffer.model = "neo-hookean";
    assert_ok(vvBodySetMaterial(w, id, 0, &stiffer, &error));
    assert_true(isfinite(step(w).total));
    assert_ptr_equal(w->bodies[0].materials[0].kind, vv_element_kind_order2(vv_element_kind_find("neo-hookean"), 0));
    vvWorldDestroy(w);
    vvWorldDestroy(other);
}

static vvBodyId add_long(vvWorld *w, const char *model, double x, double y)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material(model, 2e4);
    def.translate[0] = x, def.translate[1] = y;
    return add_bar(w, (double[]){ 0.4, 0.1, 0.1 }, (int[]){ 12, 3, 3 }, &def);
}

static void threads(void **unused)
{
    (void)unused;
    expect_same_on_threads(add_long, 3);
}

/* ---- solvers ---- */

static void solvers(void **unused)
{
    (void)unused;
    expect_solvers(add_block2, 2000, "arap", "order 1");
}

/* A rule that is chosen on the way is what it would be from the start, and differs from the other in large strains; a
 * saved state goes on. */
static void quadrature(void **unused)
{
    (void)unused;
    vvError error = { 0 };
    vvBodyDef def = vvDefaultBodyDef();
    double kept[2];
    for (int to = 0; to < 2; to++) {
        vvWorldDef d = free_def("implicit-midpoint", 2e-3, 1e-9);
        vvWorld *w = new_world(&d), *fresh = new_world(&d);
        const double size[3] = { 0.2, 0.1, 0.1 };
        char name[] = "degree-5";
        def.material = material("neo-hookean", 2e4);
        def.material.quadrature = to ? "degree-2" : name;
        vvBodyId id = add_bar(w, size, (int[]){ 2, 1, 1 }, &def);
        assert_ok(vvWorldBake(w, &error));
        const uint64_t hash = vv_structure_hash(w);
        def.material.quadrature = to ? name : NULL;
        vvBodyId same = add_bar(fresh, size, (int[]){ 2, 1, 1 }, &def);
        assert_ok(vvBodySetMaterial(w, id, 0, &def.material, &error));
        assert_ok(vvWorldBake(fresh, &error));
        strcpy(name, "gone");
        assert_int_equal(w->bodies[0].materials[0].kind->rule, to);
        assert_string_equal(w->bodies[0].materials[0].def.quadrature, to ? "degree-5" : "degree-2");
        assert_true(vv_structure_hash(w) != hash && vv_structure_hash(w) == vv_structure_hash(fresh));
        set_state(w, id, "twist", (double[]){ 60, 1, 0, 0 });
        set_state(fresh, same, "twist", (double[]){ 60, 1, 0, 0 });
        expect_same(w, fresh, 5, "changed");
        kept[to] = ledger(w).total;
        vvWorldDestroy(fresh);
        fresh = new_world(&d);
        def.material.quadrature = to ? "degree-5" : "degree-2";
        add_bar(fresh, size, (int[]){ 2, 1, 1 }, &def);
        assert_ok(vvWorldBake(fresh, &error));
        expect_resumed(w, fresh, 5);
        vvWorldDestroy(w);
        vvWorldDestroy(fresh);
    }
    assert_true(kept[0] != kept[1]);
    assert_near(kept[0], kept[1], 0.05 * kept[0]);
    vvWorldDef d = free_def("implicit-midpoint", 2e-3, 1e-9);
    vvWorld *w = new_world(&d);
    vvMesh mesh;
    assert_ok(vvMeshGenerate("box", NULL, 0, &mesh, &error));
    def.mesh = &mesh;
    def.material.quadrature = "degree-5";
    expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, "order 2");
    def.material.quadrature = "degree-7";
    expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, "degree-5");
    vvMeshDestroy(&mesh);
    vvWorldDestroy(w);
}

/* ---- meshes and states that do not fit ---- */

static void refused_meshes(void **unused)
{
    (void)unused;
    vvError error = { 0 };
    vvBodyDef def = vvDefaultBodyDef();
    vvWorldDef d = free_def("implicit-midpoint", 1e-2, 1e-8);
    vvWorld *w = new_world(&d);
    vvMesh mesh;
    assert_ok(generate_mesh("box", (double[]){ 1, 1, 1, 1, 1, 1, 5 }, &mesh, &error));
    assert_ok(vvMeshRaise(&mesh, &error));
    def.material = material("stvk", 1e4), def.mesh = &mesh;
    const int keep = mesh.tets10[3], last = mesh.tets10[9];
    mesh.tets10[3] = mesh.vertexCount;
    expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, "of order 2 names vertex");
    mesh.tets10[3] = keep, mesh.tets10[9] = mesh.tets10[8];
    expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, "none of the nodes");
    mesh.tets10[9] = last;
    mesh.tetCount -= 1;
    expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, "eight of each");
    mesh.tetCount += 1;
    def.material = material("hooke", 1e4);
    expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, "tetrahedra of order 2");
    def.material = material("neo-hookean", 1e4);
    vvBodyId id;
    assert_ok(vvWorldAddBody(w, &def, &id, &error));
    double *x = copy_of(vvWorldRestPositions(w), 3 * vvWorldNodeCount(w));
    for (int i = 0; i < vvWorldNodeCount(w); i++)
        x[3 * i] *= -1;
    vvStatus status = vvBodySetState(w, id, x, NULL, &error);
    if (status == VV_OK)
        status = vvWorldStep(w, NULL, &error);
    assert_true(status != VV_OK);
    free(x);
    vvMeshDestroy(&mesh);
    vvWorldDestroy(w);
}

/* A world of two bodies, a step, a snapshot, a field, and an equilibrium: the first failure. */
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
    def.mesh = mesh, def.material = material("corotated", 1e4);
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
    if (status == VV_OK)
        status = vvBodyField(w, id, "von-mises", true, f, 8192, &count, error);
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
    assert_ok(generate_mesh("box", (double[]){ 0.1, 0.1, 0.1, 1, 1, 1, 5 }, &mesh, &error));
    assert_ok(vvMeshRaise(&mesh, &error));
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

/* What is inside out between its points alone is told, too. */
static void inversions_are_told(void **unused)
{
    (void)unused;
    vvError error = { 0 };
    vvWorldDef d = free_def("implicit-midpoint", 1e-2, 1e-8);
    vvWorld *w = new_world(&d);
    vvBodyId id = add_block2(w, "stvk", 0, 0);
    assert_ok(vvWorldBake(w, &error));
    vvInverted told;
    vvWorldInverted(w, &told);
    assert_int_equal(told.tets, 0);
    double *x = copy_of(vvWorldRestPositions(w), 3 * vvWorldNodeCount(w));
    const int *n = w->bodies[0].tets10;
    for (int k = 0; k < 3; k++) /* a quarter along the edge: at the corner dx/dl turns over */
        x[3 * n[4] + k] = 0.76 * x[3 * n[0] + k] + 0.24 * x[3 * n[1] + k];
    assert_ok(vvBodySetState(w, id, x, NULL, &error));
    vvWorldInverted(w, &told);
    assert_true(told.tets >= 1 && told.detF <= 0);
    free(x);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass),
        cmocka_unit_test(cantilever),
        cmocka_unit_test(traction_patch),
        cmocka_unit_test(a_following_pressure_is_reported_as_it_acts),
        cmocka_unit_test(fields_of_bending),
        cmocka_unit_test(every_scheme),
        cmocka_unit_test(energy_is_kept),
        cmocka_unit_test(every_policy),
        cmocka_unit_test(damping_and_snapshots),
        cmocka_unit_test(threads),
        cmocka_unit_test(solvers),
        cmocka_unit_test(quadrature),
        cmocka_unit_test(refused_meshes),
        cmocka_unit_test(short_of_memory),
        cmocka_unit_test(inversions_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
