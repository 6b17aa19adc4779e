/* Vibration modes of a body, and the energy of a motion in each: chains and bars with known frequencies,
 * orthogonality, motions that are in one mode, sums, rigid motion, bodies that are held, what cannot be answered. */
#include "live_support.h"

#include "visviva/modes.h"
#include "positional.h"

static vvWorld *still(int threads)
{
    vvWorldDef d = free_def("implicit-midpoint", 1e-3, 1e-10);
    d.threads = threads;
    return new_world(&d);
}

static vvBodyId bar(vvWorld *w, const double *size, const int *cells, double poisson)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("stvk", 1e5);
    def.material.poisson = poisson;
    def.translate[1] = 2;
    return add_box_def(w, size, cells, 6, &def);
}

static vvModes *modes_of(vvWorld *w, vvBodyId body, vvModesEnd end, int count)
{
    vvError error = { 0 };
    vvModes *m = NULL;
    assert_ok(vvBodyFindModes(w, body, end, count, &m, &error));
    return m;
}

static double product(const vvWorld *w, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < 3 * vvWorldNodeCount(w); i++)
        sum += vvWorldMasses(w)[i / 3] * a[i] * b[i];
    return sum;
}

/* A chain of n springs in a line, half a mass at each end: omega_j = 2 sqrt(k / m) sin(j pi / 2 n). */
static void a_chain_is_exact(void **state)
{
    (void)state;
    enum { SPRINGS = 20 };
    double x[3 * (SPRINGS + 1)] = { 0 };
    int edges[2 * SPRINGS];
    for (int i = 0; i <= SPRINGS; i++)
        x[3 * i] = 0.1 * i, x[3 * i + 1] = 0.02 * i;
    for (int i = 0; i < SPRINGS; i++)
        edges[2 * i] = i, edges[2 * i + 1] = i + 1;
    vvMaterialDef m = material("hooke", 1);
    m.springStiffness = 30;
    m.totalMass = 0.7;
    vvWorld *w = still(1);
    vvBodyId body = add_edges(w, SPRINGS + 1, x, SPRINGS, edges, &m);
    vvModes *modes = modes_of(w, body, VV_MODES_HIGHEST, SPRINGS);
    assert_int_equal(vvModesRigidCount(modes), 5); /* a line does not turn about itself */
    assert_int_equal(vvModesCount(modes), SPRINGS);
    for (int j = 1; j <= SPRINGS; j++) {
        double exact = 2 * sqrt(30 / (0.7 / SPRINGS)) * sin(j * PI / (2 * SPRINGS));
        assert_near(vvModesFrequency(modes, j - 1), exact, 1e-9 * exact);
    }
    vvModesDestroy(modes);
    modes = modes_of(w, body, VV_MODES_LOWEST, 1000); /* all: across the line nothing holds the nodes */
    assert_int_equal(vvModesCount(modes), 3 * (SPRINGS + 1) - 5);
    assert_less(vvModesFrequency(modes, 2 * (SPRINGS + 1) - 5), 1e-3);
    assert_near(vvModesFrequency(modes, 2 * (SPRINGS + 1) - 4),
                2 * sqrt(30 / (0.7 / SPRINGS)) * sin(PI / (2 * SPRINGS)), 1e-6);
    vvModesDestroy(modes);
    vvWorldDestroy(w);
}

/* The first mode along a free bar without lateral contraction: omega = pi / L sqrt(E / rho); finer cells come
 * nearer. */
static void a_bar_is_near(void **state)
{
    (void)state;
    const double length = 0.6, exact = PI / length * sqrt(1e5 / 1000);
    double last = 1;
    for (int cells = 20; cells <= 40; cells += 20) {
        vvWorld *w = still(1);
        vvBodyId body = bar(w, (double[]){ length, 0.03, 0.03 }, (int[]){ cells, 1, 1 }, 0);
        vvModes *modes = modes_of(w, body, VV_MODES_LOWEST, 40);
        double best = 0, omega = 0;
        for (int k = 0; k < 40; k++) {
            double overlap = 0;
            for (int i = 0; i < vvWorldNodeCount(w); i++)
                overlap +=
                    vvWorldMasses(w)[i] * vvModesShape(modes, k)[3 * i] * sin(PI * vvWorldPositions(w)[3 * i] / length);
            if (fabs(overlap) > best)
                best = fabs(overlap), omega = vvModesFrequency(modes, k);
        }
        double off = fabs(omega / exact - 1);
        assert_less(off, 0.002);
        assert_less(off, 0.4 * last);
        last = off;
        vvModesDestroy(modes);
        vvWorldDestroy(w);
    }
}

/* Few modes by a Krylov method, and all by a dense matrix. */
static void few_are_the_first_of_all(void **state)
{
    (void)state;
    enum { FEW = 30 };
    vvWorld *w = still(2), *again = still(1);
    /* 150 nodes; a square across: pairs */
    vvBodyId body = bar(w, (double[]){ 0.2, 0.1, 0.1 }, (int[]){ 5, 4, 4 }, 0.3);
    vvModes *few = modes_of(w, body, VV_MODES_LOWEST, FEW), *all = modes_of(w, body, VV_MODES_LOWEST, 1000);
    vvModes *top = modes_of(w, body, VV_MODES_HIGHEST, FEW);
    int count = vvModesCount(all);
    assert_int_equal(vvModesNodeCount(all), 150);
    assert_int_equal(count, 444);
    assert_int_equal(vvModesRigidCount(few), 6);
    for (int k = 0; k < FEW; k++) {
        assert_near(vvModesFrequency(few, k), vvModesFrequency(all, k), 1e-8 * vvModesFrequency(all, k));
        assert_near(vvModesFrequency(top, k), vvModesFrequency(all, count - FEW + k),
                    1e-8 * vvModesFrequency(all, count - 1));
        assert_true(k == 0 || vvModesFrequency(few, k) >= vvModesFrequency(few, k - 1));
        for (int j = 0; j <= k; j++)
            assert_near(product(w, vvModesShape(few, k), vvModesShape(few, j)), j == k, 1e-9);
        double p[3] = { 0 }, l[3] = { 0 }, at[3], c[3];
        for (int i = 0; i < 150; i++) {
            memcpy(at, vvWorldPositions(w) + 3 * i, sizeof at);
            at[1] -= 2;
            const double *phi = vvModesShape(few, k) + 3 * i;
            for (int d = 0; d < 3; d++)
                c[d] = at[(d + 1) % 3] * phi[(d + 2) % 3] - at[(d + 2) % 3] * phi[(d + 1) % 3];
            for (int d = 0; d < 3; d++)
                p[d] += vvWorldMasses(w)[i] * phi[d], l[d] += vvWorldMasses(w)[i] * c[d];
        }
        assert_less(norm3(p) + 10 * norm3(l), 1e-9);
    }
    vvBodyId twin = bar(again, (double[]){ 0.2, 0.1, 0.1 }, (int[]){ 5, 4, 4 }, 0.3);
    vvModes *other = modes_of(again, twin, VV_MODES_LOWEST, FEW);
    assert_memory_equal(vvModesShape(other, 0), vvModesShape(few, 0), FEW * 450 * sizeof(double));
    vvModesDestroy(few);
    vvModesDestroy(all);
    vvModesDestroy(top);
    vvModesDestroy(other);
    vvWorldDestroy(w);
    vvWorldDestroy(again);
}

static void turn(const double r[9], const double *x, double *y)
{
    double t[3] = { x[0], x[1], x[2] };
    for (int i = 0; i < 3; i++)
        y[i] = r[3 * i] * t[0] + r[3 * i + 1] * t[1] + r[3 * i + 2] * t[2];
}

/* A body far from its place, turned by any angle, flying and spinning fast, with displacement in one mode and
 * velocity in another. */
static void a_motion_is_in_its_modes(void **state)
{
    (void)state;
    enum { COUNT = 12, A = 3, B = 7 };
    static const double turns[][9] = { { 1, 0, 0, 0, 1, 0, 0, 0, 1 },
                                       { 0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6 },
                                       { -1, 0, 0, 0, -1, 0, 0, 0, 1 } };
    const double spin[3] = { 30, -50, 20 };
    vvError error = { 0 };
    vvWorld *w = still(1);
    vvBodyId body = bar(w, (double[]){ 0.3, 0.05, 0.07 }, (int[]){ 6, 1, 2 }, 0.3);
    int n = vvWorldNodeCount(w);
    for (int t = 0; t < 3; t++)
        for (int vibrates = 0; vibrates < 2; vibrates++) {
            vvModes *m = modes_of(w, body, VV_MODES_LOWEST, COUNT);
            double *x = copy_of(vvWorldPositions(w), 3 * n), *v = copy_of(x, 3 * n), e[COUNT + 1], a = 1e-4 * vibrates,
                   da = 0.02 * vibrates;
            for (int i = 0; i < n; i++) {
                double at[3], speed[3], c[3];
                for (int k = 0; k < 3; k++) {
                    at[k] = x[3 * i + k] - 2 * (k == 1) + a * vvModesShape(m, A)[3 * i + k];
                    speed[k] = da * vvModesShape(m, B)[3 * i + k];
                }
                turn(turns[t], at, at);
                turn(turns[t], speed, speed);
                for (int k = 0; k < 3; k++)
                    c[k] = spin[(k + 1) % 3] * at[(k + 2) % 3] - spin[(k + 2) % 3] * at[(k + 1) % 3];
                for (int k = 0; k < 3; k++)
                    x[3 * i + k] = at[k] + 5 * (k + 1), v[3 * i + k] = speed[k] + c[k] + 7 - k;
            }
            assert_ok(vvModesEnergies(m, x, v, e, &error));
            double in_a = 0.5 * pow(vvModesFrequency(m, A) * a, 2), in_b = 0.5 * da * da;
            for (int k = 0; k <= COUNT; k++)
                assert_near(e[k], k == A ? in_a : k == B ? in_b : 0, 1e-8 * (in_a + in_b) + 1e-22);
            vvModesDestroy(m);
            free(x);
            free(v);
        }
    vvWorldDestroy(w);
}

/* Whatever the motion, the modes and what is beyond add up to the same, and for small displacements to the elastic
 * energy; with all modes nothing is beyond. Held by springs or not. */
static void they_add_up(void **state)
{
    (void)state;
    static const int counts[] = { 1, 10, 1000 };
    vvError error = { 0 };
    for (int held = 0; held < 3; held++) {
        vvWorld *w = still(1);
        vvBodyId body = bar(w, (double[]){ 0.3, 0.05, 0.07 }, (int[]){ 4, 1, 1 }, 0.3);
        vvAttachDef at = vvDefaultAttachDef();
        at.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 0, 0 }, .b = { 0, 100, 100 } };
        at.kind = held == 1 ? VV_ATTACH_SPRING : VV_ATTACH_FIXED;
        at.stiffness = 20;
        if (held)
            attach(w, body, &at);
        int n = vvWorldNodeCount(w);
        double *rest = copy_of(vvWorldPositions(w), 3 * n), *x = copy_of(rest, 3 * n), *v = copy_of(rest, 3 * n),
               sums[3], moving[3];
        for (int i = 0; i < 3 * n; i++) {
            bool stays = held == 2 && rest[i - i % 3] < -0.149;
            x[i] += stays ? 0 : 1e-7 * sin(5.0 * i + i * i);
            v[i] = stays ? 0 : 1e-6 * cos(3.0 * i * i);
        }
        double *none = calloc(3 * (size_t)n, sizeof *none);
        for (int c = 0; c < 3; c++) {
            vvModes *m = modes_of(w, body, VV_MODES_LOWEST, counts[c]);
            int count = vvModesCount(m);
            double *e = calloc((size_t)count + 1, sizeof *e);
            assert_int_equal(vvModesRigidCount(m), held ? 0 : 6);
            assert_ok(vvModesEnergies(m, x, v, e, &error));
            moving[c] = sums[c] = 0;
            for (int k = 0; k <= count; k++) {
                assert_true(e[k] >= 0);
                moving[c] += e[k];
            }
            assert_near(moving[c], moving[0], 1e-9 * moving[0]);
            assert_ok(vvModesEnergies(m, x, none, e, &error));
            for (int k = 0; k <= count; k++)
                sums[c] += e[k];
            if (c == 2)
                assert_less(e[count], 1e-12 * sums[c]);
            if (c == 0)
                assert_true(e[count] > 0.1 * sums[c]);
            free(e);
            vvModesDestroy(m);
        }
        assert_ok(vvBodySetState(w, body, x, v, &error));
        vvLedgerRow row = ledger(w);
        if (held)
            assert_near(moving[0] - sums[0], row.kinetic, 1e-9 * row.kinetic);
        else
            assert_near(moving[0] - sums[0], vvWorldBodyVisible(w)->deformation, 1e-4 * row.kinetic);
        free(none);
        for (int c = 0; c < 3; c++)
            assert_near(sums[c], row.elastic + row.attachment, 1e-4 * sums[c]);
        free(rest);
        free(x);
        free(v);
        vvWorldDestroy(w);
    }
}

/* A bar that is held at one end and starts in a mode stays in it. */
static void a_held_bar_stays_in_its_mode(void **state)
{
    (void)state;
    enum { COUNT = 8 };
    vvError error = { 0 };
    vvWorld *w = still(1);
    vvBodyId body = bar(w, (double[]){ 0.2, 0.04, 0.05 }, (int[]){ 4, 1, 1 }, 0.3);
    vvAttachDef at = vvDefaultAttachDef();
    at.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 0, 0 }, .b = { 0, 100, 100 } };
    attach(w, body, &at);
    set_state(w, body, "mode", (double[]){ 3, 1e-7, 0 });
    vvModes *m = modes_of(w, body, VV_MODES_LOWEST, COUNT);
    double e[COUNT + 1], first = 0;
    for (int i = 0; i < vvWorldNodeCount(w); i++)
        if (vvWorldPositions(w)[3 * i] < -0.0999)
            assert_true(norm3(vvModesShape(m, 2) + 3 * i) == 0);
    for (int s = 0; s < 40; s++) {
        assert_ok(vvModesEnergies(m, vvWorldPositions(w), vvWorldVelocities(w), e, &error));
        first = s ? first : e[2];
        for (int k = 0; k <= COUNT; k++)
            assert_near(e[k], k == 2 ? first : 0, 1e-3 * first);
        step(w);
    }
    assert_true(first > 0);
    vvModesDestroy(m);
    vvWorldDestroy(w);
}

/* Adds a chain of 7 rods along x, and a potential on its first node. */
static vvBodyId chain_at(vvWorld *w, const char *potential, const double *values)
{
    vvError error = { 0 };
    vvMesh mesh = { 0 };
    vvBodyDef def = vvDefaultBodyDef();
    assert_ok(generate_mesh("chain", (double[]){ 1, 8 }, &mesh, &error));
    def.material = material("hooke-rod", 1);
    def.material.springStiffness = 10;
    def.material.density = 1;
    vvBodyId id = add_mesh(w, &mesh, &def);
    vvAttachDef at = vvDefaultAttachDef();
    at.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = (int[]){ 0 }, .listCount = 1 };
    at.kind = VV_ATTACH_POTENTIAL;
    at.potential = potential;
    shape_potential(&at, values);
    attach(w, id, &at);
    return id;
}

/* A wall holds no body and is no part of its stiffness, not even where the rest shape lies behind it; a well does
 * both. */
static void walls_are_as_contact(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double values[8];
    } walls[] = {
        { "quadratic-wall", { 0.1, 0, 0, 1, 0, 0, 1e6 } },
        { "cubic-wall", { 0.1, 0, 0, 1, 0, 0, 1e6 } },
        { "barrier-wall", { -1, 0, 0, 1, 0, 0, 100, 0.9 } },
        { "barrier-wall", { 0.1, 0, 0, 1, 0, 0, 100, 0.01 } }, /* behind it at rest: its energy there is infinite */
    };
    double bar[24], moves[24] = { 0 }, e[25];
    for (size_t i = 0; i < sizeof walls / sizeof *walls; i++) {
        vvError error = { 0 };
        vvWorld *w = still(1);
        vvBodyId id = chain_at(w, walls[i].name, walls[i].values);
        assert_ok(start_with(w, id, "translate", (double[]){ 2, 0, 0 }, &error));
        vvModes *m = modes_of(w, id, VV_MODES_HIGHEST, 7);
        assert_int_equal(vvModesRigidCount(m), 5);
        for (int k = 1; k < 8; k++) /* as of a free chain: k = EA / r, m = density r, r = 1/7 */
            assert_near(vvModesFrequency(m, k - 1), 2 * 7 * sqrt(10) * sin(k * PI / 14), 1e-8 * 44);
        memcpy(bar, vvWorldPositions(w), sizeof bar);
        for (int n = 0; n < 8; n++)
            moves[3 * n] = -3, moves[3 * n + 1] = 1;
        assert_ok(vvModesEnergies(m, bar, moves, e, &error));
        for (int k = 0; k < 8; k++)
            assert_near(e[k], 0, 1e-12);
        vvModesDestroy(m);
        vvWorldDestroy(w);
    }
    vvWorld *w = still(1);
    vvBodyId id = chain_at(w, "harmonic", (double[]){ -0.5, 0, 0, 1e4 });
    vvModes *m = modes_of(w, id, VV_MODES_HIGHEST, 3);
    assert_int_equal(vvModesRigidCount(m), 0);
    assert_near(vvModesFrequency(m, 0), sqrt(1e4 * 14), 1e-6 * 374); /* of the first node, across: mass 1/14 kg */
    vvModesDestroy(m);
    vvWorldDestroy(w);
}

static void what_cannot_be(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvModes *m = NULL;
    vvWorld *w = still(1);
    vvBodyId body = bar(w, (double[]){ 0.2, 0.04, 0.05 }, (int[]){ 2, 1, 1 }, 0.3);
    vvMesh mesh = { 0 };
    assert_ok(generate_mesh("weave", (double[]){ 1, 1, 24, 24 }, &mesh, &error));
    vvBodyDef def = vvDefaultBodyDef();
    def.material.model = "hooke";
    def.material.bendStiffness = 10;
    vvBodyId cloth = add_mesh(w, &mesh, &def);
    assert_ok(vvMeshGenerate("box", NULL, 0, &mesh, &error));
    def.material = vvDefaultMaterialDef();
    def.kinematic = true;
    vvBodyId plate = add_mesh(w, &mesh, &def);
    def.kinematic = false;
    assert_ok(vvMeshGenerate("box", NULL, 0, &mesh, &error));
    vvBodyId fixed = add_mesh(w, &mesh, &def);
    vvAttachDef at = vvDefaultAttachDef();
    at.where = (vvRegion){ .kind = VV_REGION_ALL };
    attach(w, fixed, &at);
    expect(vvBodyFindModes(w, (vvBodyId){ 9, 1 }, VV_MODES_LOWEST, 1, &m, &error), VV_ERROR_INPUT, &error,
           "no such body");
    expect(vvBodyFindModes(w, plate, VV_MODES_LOWEST, 1, &m, &error), VV_ERROR_INPUT, &error, "kinematic");
    expect(vvBodyFindModes(w, fixed, VV_MODES_LOWEST, 1, &m, &error), VV_ERROR_INPUT, &error,
           "none of its nodes is free");
    expect(vvBodyFindModes(w, body, VV_MODES_LOWEST, 0, &m, &error), VV_ERROR_INPUT, &error, "count is 0");
    expect(vvBodyFindModes(w, body, (vvModesEnd)7, 1, &m, &error), VV_ERROR_INPUT, &error, "end is 7");
    expect(vvBodyFindModes(w, body, VV_MODES_LOWEST, 1, NULL, &error), VV_ERROR_INPUT, &error, "NULL");
    assert_null(m);
    m = modes_of(w, cloth, VV_MODES_LOWEST, 20); /* across a flat cloth nothing holds the nodes */
    assert_less(vvModesFrequency(m, 19), 1e-2);
    vvModesDestroy(m);
    vvWorldCancel(w);
    expect(vvBodyFindModes(w, cloth, VV_MODES_HIGHEST, 20, &m, &error), VV_CANCELLED, &error, "");
    m = modes_of(w, cloth, VV_MODES_HIGHEST, 20);
    assert_true(vvModesFrequency(m, 19) > vvModesFrequency(m, 0) && vvModesFrequency(m, 0) > 1);
    assert_true(isnan(vvModesFrequency(m, 20)) && isnan(vvModesFrequency(m, -1)) && isnan(vvModesFrequency(NULL, 0)));
    assert_null(vvModesShape(m, 20));
    assert_int_equal(vvModesCount(NULL) + vvModesNodeCount(NULL) + vvModesRigidCount(NULL), 0);
    double *x = calloc(3 * 625, sizeof *x), e[21];
    expect(vvModesEnergies(m, x, NULL, e, &error), VV_ERROR_INPUT, &error, "velocities is NULL");
    expect(vvModesEnergies(NULL, x, x, e, &error), VV_ERROR_INPUT, &error, "modes is NULL");
    x[1000] = NAN;
    expect(vvModesEnergies(m, x, x, e, &error), VV_ERROR_INPUT, &error, "node 333");
    free(x);
    vvModesDestroy(m);
    vvModesDestroy(NULL);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_is_exact),
        cmocka_unit_test(a_bar_is_near),
        cmocka_unit_test(few_are_the_first_of_all),
        cmocka_unit_test(a_motion_is_in_its_modes),
        cmocka_unit_test(they_add_up),
        cmocka_unit_test(a_held_bar_stays_in_its_mode),
        cmocka_unit_test(walls_are_as_contact),
        cmocka_unit_test(what_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
