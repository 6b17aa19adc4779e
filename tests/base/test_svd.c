/* Eight lanes: the signed singular value decomposition, the semidefinite projection, log, transposition. */
#include "energy_fixture.h"

#include "base/simd/svd8.h"

#include <float.h>

static void lane_matrix(const vv_d8 *m, int lane, double *out)
{
    for (int i = 0; i < 9; i++)
        out[i] = m[i][lane];
}

static double rotation_error(const double q[9])
{
    double e = fabs(vv_det(q) - 1);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            e = fmax(e, fabs(q[i] * q[j] + q[3 + i] * q[3 + j] + q[6 + i] * q[6 + j] - (i == j)));
    return e;
}

/* The decomposition of eight matrices holds what its header promises; values: the known ones (8 x 3), or NULL. */
static void check_svd(double f[8][9], double (*values)[3])
{
    vv_d8 m[2][9];
    vv_svd8 svd, both[2];
    for (int l = 0; l < 8; l++)
        for (int i = 0; i < 9; i++) {
            m[0][i][l] = i * l - 5;
            m[1][i][l] = f[l][i];
        }
    vv8_svd(m[1], &svd);
    vv8_svd_two(m, both);
    assert_memory_equal(&svd, both + 1, sizeof svd); /* to the bit, whatever is beside it */
    for (int l = 0; l < 8; l++) {
        double u[9], v[9], s[3], back[9], scale = largest(f[l], 9), tiny = 1e-300;
        lane_matrix(svd.u, l, u);
        lane_matrix(svd.v, l, v);
        for (int k = 0; k < 3; k++)
            s[k] = svd.s[k][l];
        assert_true(rotation_error(u) < 4e-15);
        assert_true(rotation_error(v) < 8e-15);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                back[3 * i + j] = u[3 * i] * s[0] * v[3 * j] + u[3 * i + 1] * s[1] * v[3 * j + 1] +
                                  u[3 * i + 2] * s[2] * v[3 * j + 2];
        assert_true(largest_difference(back, f[l], 9) <= 1e-14 * scale + tiny);
        double slack = 1e-15 * scale + tiny;
        assert_true(s[0] >= s[1] - slack && s[1] >= fabs(s[2]) - slack && s[0] >= 0);
        if (values)
            for (int k = 0; k < 3; k++)
                assert_true(fabs(s[k] - values[l][k]) <= 4e-15 * scale + tiny);
    }
}

static void random_matrices(void **unused)
{
    (void)unused;
    rng r = { 11 };
    for (int n = 0; n < 4000; n++) {
        double f[8][9], scale = pow(10, (n % 25) - 12);
        for (int l = 0; l < 8; l++)
            for (int i = 0; i < 9; i++)
                f[l][i] = scale * rng_next(&r) * (l < 4 ? 1 : exp(8 * rng_next(&r)));
        check_svd(f, NULL);
    }
}

/* Equal, inverted, vanishing, widely different values at all scales. */
static void given_values(void **unused)
{
    (void)unused;
    static const double sets[][3] = {
        { 1, 1, 1 },
        { 1, 1, -1 },
        { 2, 1, 1 },
        { 2, 2, 1 },
        { 3, 2, -1 },
        { 1, 0, 0 },
        { 1, 1, 0 },
        { 0, 0, 0 },
        { 1, 1e-8, 1e-16 },
        { 1, 1e-8, -1e-8 },
        { 1, 1e-14, 0 },
        { 1, 1, 1e-12 },
        { 1, 1e-3, -1e-6 },
        { 1, 1e-9, 1e-9 },
        { 1, 1 - 1e-9, 1 - 2e-9 },
        { 1, 1 - 1e-15, -1 + 1e-14 },
        { 5, 5, -5 },
        { 1, 0.5, 1e-15 },
    };
    enum { SETS = sizeof sets / sizeof *sets };
    rng r = { 12 };
    for (int n = 0; n < 2000; n++) {
        double f[8][9], values[8][3];
        for (int l = 0; l < 8; l++) {
            double scale = pow(10, (int)(12 * rng_next(&r)));
            for (int k = 0; k < 3; k++)
                values[l][k] = scale * sets[(n + l) % SETS][k];
            random_with_values(&r, values[l], f[l]);
        }
        check_svd(f, values);
    }
}

static void special_matrices(void **unused)
{
    (void)unused;
    double f[8][9] = {
        { 0 },
        { 1, 0, 0, 0, 1, 0, 0, 0, 1 },
        { 0, 1, 0, 0, 0, 1, 1, 0, 0 },
        { 1, 1, 1, 1, 1, 1, 1, 1, 1 },
        { 0, 0, 0, 0, 0, 0, 0, 0, -3 },
        { -1, 0, 0, 0, -1, 0, 0, 0, -1 },
        { 1, 2, 3, 2, 4, 6, 3, 6, 9 },
        { DBL_MAX, 0, 0, 0, -DBL_MAX, 0, DBL_MAX, DBL_MAX, DBL_MAX },
    };
    f[7][0] = f[7][4] = f[7][6] = f[7][7] = f[7][8] = 1e300;
    check_svd(f, NULL);
    for (int l = 0; l < 8; l++)
        for (int i = 0; i < 9; i++)
            f[l][i] = (i + l) % 3 ? 0x1p-1060 * (i + 1) : DBL_MAX * (l > 3); /* subnormal; with the largest */
    vv_d8 m[9];
    vv_svd8 svd;
    for (int l = 0; l < 8; l++)
        for (int i = 0; i < 9; i++)
            m[i][l] = f[l][i];
    vv8_svd(m, &svd);
    for (int l = 0; l < 8; l++) {
        double u[9], v[9];
        lane_matrix(svd.u, l, u);
        lane_matrix(svd.v, l, v);
        assert_true(rotation_error(u) < 1e-14 && rotation_error(v) < 1e-14);
    }
}

/* A lane's bits do not depend on what is in the other lanes. */
static void lanes_are_apart(void **unused)
{
    (void)unused;
    rng r = { 13 };
    for (int n = 0; n < 500; n++) {
        vv_d8 a[9], b[9];
        vv_svd8 sa, sb;
        for (int i = 0; i < 9; i++)
            for (int l = 0; l < 8; l++) {
                a[i][l] = rng_next(&r) + 2 * (i % 4 == 0);
                b[i][l] = l == n % 8 ? a[i][l] : l % 2 ? (i % 4 == 0) : exp(20 * rng_next(&r));
            }
        vv8_svd(a, &sa);
        vv8_svd(b, &sb);
        for (int i = 0; i < 21; i++) {
            double pa = ((vv_d8 *)&sa)[i][n % 8], pb = ((vv_d8 *)&sb)[i][n % 8];
            assert_memory_equal(&pa, &pb, sizeof pa);
        }
    }
}

static void projection(void **unused)
{
    (void)unused;
    rng r = { 14 };
    for (int n = 0; n < 1000; n++) {
        vv_sym8 a, p;
        double scale = pow(10, n % 21 - 10);
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 8; l++) {
                a.d[k][l] = scale * (rng_next(&r) + l % 3);
                a.o[k][l] = l == 7 ? 0 : l == 6 ? scale : scale * rng_next(&r);
            }
        p = a;
        vv8_project_semidefinite(&p);
        for (int l = 0; l < 8; l++) {
            double m[9] = { a.d[0][l], a.o[2][l], a.o[1][l], a.o[2][l], a.d[1][l],
                            a.o[0][l], a.o[1][l], a.o[0][l], a.d[2][l] };
            double q[9] = { p.d[0][l], p.o[2][l], p.o[1][l], p.o[2][l], p.d[1][l],
                            p.o[0][l], p.o[1][l], p.o[0][l], p.d[2][l] };
            double size = largest(m, 9);
            if (least_eigenvalue(3, m) > 1e-12 * size)
                assert_memory_equal(m, q, sizeof m);
            dense_clamp(3, m);
            assert_true(largest_difference(m, q, 9) <= 2e-14 * size);
        }
    }
}

static int64_t ulps(double a, double b)
{
    int64_t x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    return x > y ? x - y : y - x;
}

static void logarithm(void **unused)
{
    (void)unused;
    rng r = { 15 };
    static const double special[8] = { 1, DBL_MIN, DBL_MAX, 0x1p-1074, 0x1.6a09e667f3bcdp+0, 0x1.6a09e667f3bcep+0,
                                       2, 0.5 };
    for (int n = 0; n < 50000; n++) {
        vv_d8 x, y;
        for (int l = 0; l < 8; l++)
            x[l] = n == 0 ? special[l] : l < 4 ? 1 + 0.5 * rng_next(&r) * pow(10, -n % 17) : exp(700 * rng_next(&r));
        y = vv8_log(x);
        for (int l = 0; l < 8; l++)
            if (ulps(y[l], log(x[l])) > 1)
                fail_msg("log %a = %a, here %a", x[l], log(x[l]), y[l]);
    }
}

static void transposition(void **unused)
{
    (void)unused;
    vv_d8 in[8], out[8];
    for (int i = 0; i < 8; i++)
        for (int l = 0; l < 8; l++)
            in[i][l] = 10 * i + l;
    vv8_transpose(in, out);
    for (int i = 0; i < 8; i++)
        for (int l = 0; l < 8; l++)
            assert_true(out[l][i] == 10 * i + l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices), cmocka_unit_test(given_values), cmocka_unit_test(special_matrices),
        cmocka_unit_test(lanes_are_apart), cmocka_unit_test(projection),   cmocka_unit_test(logarithm),
        cmocka_unit_test(transposition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
