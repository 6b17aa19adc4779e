/* Eight lanes: the rotation of the polar decomposition against the singular value decomposition and known rotations. */
#include "energy_fixture.h"

#include "base/simd/polar8.h"

#include <float.h>

/* F = U diag(s) V^T with values of each kind, and R = U V^T as it was made. */
static void make(rng *r, int kind, double scale, double f[9], double rotation[9], double s[3])
{
    static const double sets[][3] = { { 1, 1, 1 },           { 1, 1, 1 },   { 1.2, 1, 0.9 },   { 1.5, 0.7, -0.2 },
                                      { 2, 0.1, 0.05 },      { 1, 0.8, 0 }, { 1, 0.9, -0.8 },  { 1, 0.9, -0.9 },
                                      { 1, 1, -1 },          { 1, 0, 0 },   { 1, 1e-3, 1e-4 }, { 1, 1, 1e-9 },
                                      { 1, 1e-2, -0.99e-2 }, { 0, 0, 0 },   { 3, 3, 3 },       { 1, 0.9995, -0.997 } };
    double u[9], v[9], small = kind == 0 ? 1e-8 : kind == 1 ? 1e-3 : 0;
    random_rotation(r, u);
    random_rotation(r, v);
    for (int k = 0; k < 3; k++)
        s[k] = scale * (sets[kind % 16][k] + small * rng_next(r));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            f[3 * i + j] =
                u[3 * i] * s[0] * v[3 * j] + u[3 * i + 1] * s[1] * v[3 * j + 1] + u[3 * i + 2] * s[2] * v[3 * j + 2];
            rotation[3 * i + j] = u[3 * i] * v[3 * j] + u[3 * i + 1] * v[3 * j + 1] + u[3 * i + 2] * v[3 * j + 2];
        }
}

/* The gap to the nearest F without a single R, relative to |F|; 0: none. */
static double gap_of(const double s[3])
{
    double size = fabs(s[0]) + fabs(s[1]) + fabs(s[2]), least = fmin(fmin(s[0] + s[1], s[0] + s[2]), s[1] + s[2]);
    return size > 0 ? fmax(least, 0) / size : 0;
}

static void expect_rotation(const double r[9])
{
    assert_true(fabs(vv_det(r) - 1) < 1e-13);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            assert_true(fabs(r[i] * r[j] + r[3 + i] * r[3 + j] + r[6 + i] * r[6 + j] - (i == j)) < 1e-13);
}

/* As near to what it was made of as rounding of F allows, and to U V^T; a rotation whatever F is. */
static void agrees_with_the_decomposition(void **unused)
{
    (void)unused;
    rng r = { 51 };
    int determined = 0;
    for (int n = 0; n < 3000; n++) {
        vv_d8 f[2][9], q[2][9];
        vv_svd8 svd;
        double known[8][9], gap[8],
            scale = pow(10, n % 17 - 8) * (n % 50 ? 1 : 1e100) *
                    (n % 51  ? 1
                     : n % 2 ? 1e-130
                             : 1e-53);
        for (int l = 0; l < 8; l++) {
            double one[9], s[3];
            make(&r, (n + l) % 16, scale, one, known[l], s);
            gap[l] = gap_of(s);
            for (int i = 0; i < 9; i++)
                f[0][i][l] = one[i], f[1][i][7 - l] = one[i];
        }
        vv8_polar_two(f[0], f[1], q[0], q[1]);
        vv8_svd(f[0], &svd);
        for (int l = 0; l < 8; l++) {
            double rotation[9], other[9];
            for (int i = 0; i < 9; i++) {
                rotation[i] = q[0][i][l];
                other[i] = 0;
                for (int k = 0; k < 3; k++)
                    other[i] += svd.u[i / 3 * 3 + k][l] * svd.v[i % 3 * 3 + k][l];
                assert_true(q[0][i][l] == q[1][i][7 - l]); /* whatever is beside it */
            }
            expect_rotation(rotation);
            double slack = gap[l] > 0.05 ? 1e-13 : 1e-13 + 2e-15 / gap[l]; /* infinite where there is none */
            if (!(largest_difference(rotation, other, 9) <= slack))
                fail_msg("gap %g, scale %g: %g from U V^T", gap[l], scale, largest_difference(rotation, other, 9));
            if (gap[l] > 0.1)
                assert_true(largest_difference(rotation, known[l], 9) < 5e-14);
            if (gap[l] > 0.5)
                assert_true(largest_difference(rotation, known[l], 9) < 2e-15);
            determined += gap[l] > 0.1;
        }
    }
    assert_true(determined > 3000);
}

static void exact_where_nothing_is_done(void **unused)
{
    (void)unused;
    static const double scales[] = { 1, 0.5, 4, 0x1p-20, 0x1p40 };
    for (int n = 0; n < 5; n++) {
        vv_d8 f[9], r[9], s[9];
        for (int i = 0; i < 9; i++)
            f[i] = vv8_set(i % 4 ? 0 : scales[n]);
        vv8_polar_two(f, f, r, s);
        for (int i = 0; i < 9; i++)
            for (int l = 0; l < 8; l++)
                assert_true(fabs(r[i][l] - (i % 4 == 0)) <= (n ? DBL_EPSILON : 0) && s[i][l] == r[i][l]);
    }
}

/* Where there is a NaN there is no rotation, and beside it there is. */
static void not_a_number(void **unused)
{
    (void)unused;
    for (int bad = 0; bad < 9; bad++)
        for (int inf = 0; inf < 2; inf++) {
            vv_d8 f[9], r[9], s[9];
            for (int i = 0; i < 9; i++)
                f[i] = vv8_set(i % 4 == 0);
            f[bad][3] = inf ? INFINITY : NAN;
            vv8_polar_two(f, f, r, s);
            bool finite = true;
            for (int i = 0; i < 9; i++) {
                finite = finite && isfinite(f[i][3] - r[i][3]);
                assert_true(r[i][2] == (i % 4 == 0));
            }
            assert_false(finite);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_decomposition),
        cmocka_unit_test(exact_where_nothing_is_done),
        cmocka_unit_test(not_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
