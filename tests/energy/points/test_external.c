/* Pressures that follow their surfaces: derivatives by finite differences, volumes, and what is left at a rim. */
#include "energy/points/external.h"
#include "energy_fixture.h"

enum { NODES = 5 };

/* Two triangles of an octant, open; or with two more a closed surface. */
static const int sides[12] = { 0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2 };
static const int every_unknown[NODES] = { 3, 0, 2, 1, -1 };
static const int every_body[NODES] = { 0 };

static vv_energy *pressed(int triangles, double pressure, double *x, double *from, double *force)
{
    vvError error = { 0 };
    vv_energy *e = NULL;
    rng r = { 7 };
    const int identity[NODES] = { 0, 1, 2, 3, 4 };
    const vv_external_patch patch = { triangles, identity, sides };
    const vv_external_def def = { NODES, every_unknown, every_body, 1, &patch };
    assert_int_equal(vv_external_create(&def, &e, &error), VV_OK);
    for (int i = 0; i < 3 * NODES; i++) {
        from[i] = (i % 4 == 0) + 0.1 * rng_next(&r);
        x[i] = from[i] + 0.2 * rng_next(&r);
        force[i] = rng_next(&r);
    }
    vv_external_begin(e, from);
    vv_external_press(e, 0, pressure);
    vv_external_set(e, force, from);
    return e;
}

static const vv_parallel alone = { .threads = 1 };

static double value_at(const vv_energy *e, const double *x) { return e->ops->value(e, &alone, x, NULL); }

static void slope_of(const vv_energy *e, const double *x, double *g)
{
    memset(g, 0, 3 * NODES * sizeof *g);
    e->ops->derivatives(e, &alone, x, 1, VV_HESSIAN_EXACT, g, NULL);
}

static void near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.15g is not %.15g to %g", a, b, tolerance);
}

static void derivatives(void **state)
{
    (void)state;
    const double h = 1e-5;
    for (int triangles = 2; triangles <= 4; triangles += 2) {
        double x[3 * NODES], from[3 * NODES], force[3 * NODES], g[3 * NODES], up[3 * NODES], down[3 * NODES];
        vv_energy *e = pressed(triangles, 3, x, from, force);
        vvError error = { 0 };
        vv_pattern pattern = { .n = 4 };
        vv_bsr a;
        vv_pattern_clique(&pattern, (const int[]){ 0, 1, 2, 3 }, 4);
        assert_int_equal(vv_bsr_build(&a, &pattern, &error), VV_OK);
        vv_bsr_clear(&a, &alone);
        e->ops->derivatives(e, &alone, x, 1, VV_HESSIAN_EXACT, NULL, &(vv_block_target){ &a, every_unknown, NULL });
        vv_bsr_finish(&a);
        slope_of(e, x, g);
        for (int j = 0; j < 12; j++) { /* the last node is prescribed, and no corner */
            const double old = x[j];
            x[j] = old + h;
            const double high = value_at(e, x);
            slope_of(e, x, up);
            x[j] = old - h;
            near(g[j], (high - value_at(e, x)) / (2 * h), 1e-9);
            slope_of(e, x, down);
            x[j] = old;
            for (int i = 0; i < 12; i++) {
                const int slot = vv_bsr_slot(&a, every_unknown[i / 3], every_unknown[j / 3]);
                near(a.val[9 * slot + 3 * (j % 3) + i % 3], (up[i] - down[i]) / (2 * h), 1e-9);
            }
        }
        vv_bsr_free(&a);
        vv_pattern_free(&pattern);
        e->ops->destroy(e);
    }
}

static double volume_of(const double *x, const double *about)
{
    double sum = 0;
    for (int t = 0; t < 4; t++) {
        double d[9];
        for (int k = 0; k < 3; k++)
            vv_sub(x + 3 * sides[3 * t + k], about, d + 3 * k);
        sum += vv_det(d) / 6;
    }
    return sum;
}

/* Of a closed surface E is -p times what the volume has grown by, seen from anywhere, and forces are a third of each
 * triangle's: nothing is left for the rim. An open one has these forces once its rim has what is left. */
static void volumes(void **state)
{
    (void)state;
    for (int triangles = 2; triangles <= 4; triangles += 2) {
        double x[3 * NODES], from[3 * NODES], none[3 * NODES] = { 0 }, ignored[3 * NODES], g[3 * NODES],
                                                       rim[3 * NODES] = { 0 }, wanted[3 * NODES] = { 0 };
        vv_energy *e = pressed(triangles, 3, x, from, ignored);
        vv_external_set(e, none, from);
        if (triangles == 4)
            near(value_at(e, x), -3 * (volume_of(x, (double[]){ 5, -3, 2 }) - volume_of(from, (double[]){ 0, 1, 0 })),
                 1e-13);
        slope_of(e, x, g);
        double most = 0;
        for (int t = 0; t < triangles; t++) {
            double corner[3][3], n[3];
            for (int k = 0; k < 3; k++)
                memcpy(corner[k], x + 3 * sides[3 * t + k], sizeof corner[k]);
            vv_external_rim(e, 0, (const double(*)[3])corner, sides + 3 * t, rim);
            vv_triangle_normal(x, sides + 3 * t, n);
            for (int k = 0; k < 9; k++)
                wanted[3 * sides[3 * t + k / 3] + k % 3] += 3 * n[k % 3] / 6;
        }
        for (int i = 0; i < 3 * NODES; i++) {
            near(-g[i] + rim[i], wanted[i], 1e-14);
            most = fmax(most, fabs(rim[i]));
        }
        assert_true(triangles == 4 ? most < 1e-14 : most > 0.1);
        e->ops->destroy(e);
    }
}

/* The projected Hessian has nothing of it, and that of no load is nothing. */
static void without(void **state)
{
    (void)state;
    double x[3 * NODES], from[3 * NODES], force[3 * NODES], g[3 * NODES];
    vv_energy *e = pressed(2, 3, x, from, force);
    e->ops->derivatives(e, &alone, x, 1, VV_HESSIAN_PROJECTED, NULL, &(vv_block_target){ NULL, every_unknown, NULL });
    vv_external_set(e, NULL, NULL);
    slope_of(e, x, g);
    for (int i = 0; i < 3 * NODES; i++)
        assert_true(g[i] == 0);
    assert_true(value_at(e, x) == 0);
    e->ops->destroy(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(derivatives), cmocka_unit_test(volumes),
                                        cmocka_unit_test(without) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
