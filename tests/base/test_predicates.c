/* Orientation predicates against integer arithmetic, where they must never err. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/geometry/predicates.h"

#include <math.h>

__extension__ typedef __int128 wide;

static uint64_t state64 = 42;
static uint64_t next(void)
{
    state64 ^= state64 << 13;
    state64 ^= state64 >> 7;
    state64 ^= state64 << 17;
    return state64;
}

/* In [-range, range]. */
static int64_t pick(int64_t range) { return (int64_t)(next() % (uint64_t)(2 * range + 1)) - range; }

static int sign(wide x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

static int true_orient2d(int64_t p[3][2])
{
    wide bx = p[1][0] - p[0][0], by = p[1][1] - p[0][1], cx = p[2][0] - p[0][0], cy = p[2][1] - p[0][1];
    return sign(bx * cy - by * cx);
}

static int true_orient3d(int64_t p[4][3])
{
    wide e[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            e[i][k] = p[i + 1][k] - p[0][k];
    return sign(e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
                e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]));
}

/* The points in doubles, times a power of two: exact. */
static void check3(int64_t p[4][3], double scale)
{
    double x[4][3];
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            x[i][k] = scale * (double)p[i][k];
    int want = true_orient3d(p);
    assert_int_equal(vv_orient3d(x[0], x[1], x[2], x[3]), want);
    assert_int_equal(vv_orient3d(x[1], x[0], x[2], x[3]), -want);
    assert_int_equal(vv_orient3d(x[3], x[0], x[1], x[2]), -want);
    assert_int_equal(vv_orient3d(x[2], x[3], x[0], x[1]), want);
}

static void check2(int64_t p[3][2], double scale)
{
    double x[3][2];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++)
            x[i][k] = scale * (double)p[i][k];
    int want = true_orient2d(p);
    assert_int_equal(vv_orient2d(x[0], x[1], x[2]), want);
    assert_int_equal(vv_orient2d(x[1], x[2], x[0]), want);
    assert_int_equal(vv_orient2d(x[1], x[0], x[2]), -want);
}

static const double scales[] = { 1, 0x1p-40, 0x1p-250, 0x1p200 };

static void small_grids(void **state)
{
    (void)state;
    for (int i = 0; i < 200000; i++) {
        int64_t p[4][3], q[3][2];
        int64_t range = i % 2 ? 2 : 5;
        for (int j = 0; j < 12; j++)
            p[j / 3][j % 3] = pick(range);
        for (int j = 0; j < 6; j++)
            q[j / 2][j % 2] = pick(range);
        check3(p, scales[i % 4]);
        check2(q, scales[i % 4]);
    }
}

/* A point of the plane (or line) of the others, moved by at most one unit in the last place: most determinants are far
 * below the rounding of the plain formula. */
static void nearly_degenerate(void **state)
{
    (void)state;
    int zero = 0, plain_wrong = 0;
    for (int i = 0; i < 100000; i++) {
        int64_t p[4][3], q[3][2], s = pick(1 << 10), t = pick(1 << 10), offset = (int64_t)1 << (20 + i % 17);
        for (int j = 0; j < 9; j++)
            p[j / 3][j % 3] = offset + pick(1 << 20);
        for (int k = 0; k < 3; k++)
            p[3][k] = p[0][k] + s * (p[1][k] - p[0][k]) + t * (p[2][k] - p[0][k]) + pick(1);
        for (int j = 0; j < 4; j++)
            q[j / 2][j % 2] = offset + pick(1 << 20);
        for (int k = 0; k < 2; k++)
            q[2][k] = q[0][k] + s * (q[1][k] - q[0][k]) + pick(1);
        check3(p, scales[i % 4]);
        check2(q, scales[i % 4]);
        zero += true_orient3d(p) == 0;
        /* halves bring in differences that are not doubles */
        double x[4][3], det = 0;
        for (int j = 0; j < 12; j++)
            x[j / 3][j % 3] = (double)p[j / 3][j % 3];
        for (int k = 0; k < 3; k++) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            det += (x[1][k] - x[0][k]) *
                   ((x[2][a] - x[0][a]) * (x[3][b] - x[0][b]) - (x[2][b] - x[0][b]) * (x[3][a] - x[0][a]));
        }
        plain_wrong += (det > 0 ? 1 : det < 0 ? -1 : 0) != true_orient3d(p);
    }
    assert_true(zero > 100 && zero < 99000); /* the sample holds both */
    assert_true(plain_wrong > 0);            /* and is hard enough that the plain formula errs */
}

/* Differences that are not representable: large and tiny numbers together. */
static void differences_that_round(void **state)
{
    (void)state;
    const double tiny = 0x1p-60, u[3][2] = { { tiny, 0 }, { 1, 1 }, { 2, 2 } };
    assert_int_equal(vv_orient2d(u[0], u[1], u[2]), 1 * vv_orient2d((double[]){ 1, 0 }, u[1], u[2]));
    assert_int_equal(vv_orient2d((double[]){ 0, tiny }, u[1], u[2]), vv_orient2d((double[]){ 0, 1 }, u[1], u[2]));
    assert_int_equal(vv_orient2d((double[]){ 0, 0 }, u[1], u[2]), 0);
    /* the plane x + y + z = 3 and points off it by 2^-80 */
    double a[3] = { 3, 0, 0 }, b[3] = { 0, 3, 0 }, c[3] = { 0, 0, 3 }, d[3] = { 0x1p-80, 1.5, 1.5 };
    double above[3] = { 2, 2, 2 };
    assert_int_equal(vv_orient3d(a, b, c, d), vv_orient3d(a, b, c, above));
    d[0] = -d[0];
    assert_int_equal(vv_orient3d(a, b, c, d), -vv_orient3d(a, b, c, above));
    d[0] = 0;
    assert_int_equal(vv_orient3d(a, b, c, d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_grids),
        cmocka_unit_test(nearly_degenerate),
        cmocka_unit_test(differences_that_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
