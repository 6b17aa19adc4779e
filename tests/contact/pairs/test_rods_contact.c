/* Contact between rods that are parallel, whose edges alone would not push each other. */
#include "world_support.h"

#include "contact/barrier/barrier.h"
#include "world/world.h"

static double barrier_energy(const vvWorld *w)
{
    const vv_system *s = &w->system;
    for (int i = 0; i < s->energies; i++)
        if (strcmp(s->energy[i]->ops->info.name, "surface-barrier") == 0) {
            vv_energy_update(s->energy[i], &w->par, w->state.q);
            return s->energy[i]->ops->value(s->energy[i], &w->par, w->state.q, NULL);
        }
    fail_msg("there is no barrier between surfaces");
    return 0;
}

/* A rod along x of n segments at height y. */
static void add_straight_rod(vvWorld *w, double length, int n, double x, double y)
{
    double *at = calloc(3 * (size_t)(n + 1), sizeof *at);
    int *edges = malloc(2 * (size_t)n * sizeof *edges);
    for (int i = 0; i <= n; i++) {
        at[3 * i] = x + length * ((double)i / n - 0.5);
        at[3 * i + 1] = y;
    }
    for (int i = 0; i < 2 * n; i++)
        edges[i] = (i + 1) / 2;
    vvMaterialDef hooke = material("hooke", 0);
    hooke.springStiffness = 500;
    hooke.density = 0.05;
    add_edges(w, n + 1, at, n, edges, &hooke);
    free(at);
    free(edges);
}

static double rods_energy(bool convergent, int long_rod, int short_rod, double shift)
{
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 1.0 / 120, 1e-3);
    d.contact.model = "barrier";
    d.contact.distance = 2e-3;
    d.contact.convergent = convergent;
    vvWorld *w = new_world(&d);
    add_straight_rod(w, 1, long_rod, 0, 0);
    add_straight_rod(w, 0.4, short_rod, shift, 1e-3);
    assert_ok(vvWorldBake(w, &error));
    double e = barrier_energy(w);
    vvWorldDestroy(w);
    return e;
}

/* Parallel edges do not push each other, vertices of rods do: as much wherever they lie, and in the convergent sum
 * however fine the rods are. */
static void test_parallel_rods(void **state)
{
    (void)state;
    double b[3];
    vv_barrier(0.5, b);
    double whole = 1e5 * 2e-3 * (0.4 * 2e-3) * b[0]; /* 0.4 m in contact; a rod's area is its length times d-hat */
    int meshes[][2] = { { 50, 20 }, { 50, 33 }, { 100, 20 }, { 37, 40 } };
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++)
        for (int k = 0; k < 4; k++) {
            double shift = 0.0037 * k, e = rods_energy(true, meshes[i][0], meshes[i][1], shift);
            double plain = rods_energy(false, meshes[i][0], meshes[i][1], shift);
            assert_near(e / whole, 1, 0.06);
            assert_true(plain > 0.94 * whole && plain < 2.5 * whole);
        }
}

/* Exactly parallel, vertex over vertex: they fly apart again. End on end, too. */
static void test_rods_rebound(void **state)
{
    (void)state;
    for (int on_end = 0; on_end < 2; on_end++) {
        vvError error = { 0 };
        vvWorldDef d = free_def("backward-euler", 1.0 / 1000, 1e-6);
        d.contact.model = "barrier";
        vvWorld *w = new_world(&d);
        add_straight_rod(w, 0.4, 10, 0, 0);
        add_straight_rod(w, 0.4, 10, on_end ? 0.402 : 0, on_end ? 0 : 2e-3);
        vvBodyId other = vvWorldBody(w, 1);
        assert_ok(start_with(w, other, "linear", (double[]){ on_end ? -0.1 : 0, on_end ? 0 : -0.1, 0 }, &error));
        vvLedgerRow row = { .minGap = INFINITY };
        double least = INFINITY;
        for (int i = 0; i < 60; i++) {
            assert_ok(vvWorldStep(w, NULL, &error));
            assert_ok(vvWorldLedger(w, &row, &error));
            least = fmin(least, row.minGap);
        }
        assert_less(1e-4, least);
        assert_true(least < 1e-3);
        assert_true(w->state.v[3 * 5 + !on_end] < -0.01); /* the first was pushed away */
        vvWorldDestroy(w);
    }
}

/* Rods of one body that cross where it rests, without a vertex at the crossing: neither a barrier nor a step could
 * part them, so the world says so. Not where they are joined, and not where the body does not collide with itself. */
static void test_crossing_rods(void **state)
{
    (void)state;
    double apart[] = { -0.1, 0, 0, 0.1, 0, 0, 0, 0, -0.1, 0, 0, 0.1 };
    double joined[] = { -0.1, 0, 0, 0.1, 0, 0, 0, 0, -0.1, 0, 0, 0.1, 0, 0, 0 };
    int two[] = { 0, 1, 2, 3 }, four[] = { 0, 4, 4, 1, 2, 4, 4, 3 };
    for (int k = 0; k < 2; k++) {
        vvError error = { 0 };
        vvWorldDef d = free_def("backward-euler", 1.0 / 120, 1e-6);
        d.contact.model = "barrier";
        d.gravity[1] = -9.8;
        vvWorld *w = new_world(&d);
        vvMaterialDef hooke = material("hooke", 0);
        hooke.springStiffness = 500;
        hooke.density = 0.05;
        vvBodyId net = k == 1 ? add_edges(w, 5, joined, 4, four, &hooke) : add_edges(w, 4, apart, 2, two, &hooke);
        if (k == 0) {
            assert_int_equal(vvWorldBake(w, &error), VV_ERROR_INPUT);
            assert_non_null(strstr(error.message, "edge (0, 1) of"));
            assert_non_null(strstr(error.message, "edge (2, 3) of"));
            assert_ok(vvBodySetSelfContact(w, net, false, &error));
        }
        assert_ok(vvWorldStep(w, NULL, &error));
        assert_less(w->state.q[1], -1e-4);
        vvWorldDestroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parallel_rods),
        cmocka_unit_test(test_rods_rebound),
        cmocka_unit_test(test_crossing_rods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
