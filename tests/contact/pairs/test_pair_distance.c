/* Distances of contact stencils against searches, and what makes a distance the least. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/vec.h"
#include "contact/pairs/distance.h"
#include "random_support.h"

#include <string.h>

enum { KINDS = 4 };

/* The least |a + s b + t c| over a grid of the allowed parameters that is refined around its best point. */
static double searched(vv_stencil kind, const double x[4][3])
{
    double centre[2] = { 0.5, 0.5 }, width = 0.5, best = INFINITY;
    for (int round = 0; round < 60; round++) {
        double at[2] = { centre[0], centre[1] };
        for (int i = -4; i <= 4; i++)
            for (int j = -4; j <= 4; j++) {
                double s = fmin(fmax(at[0] + i * width / 4, 0), 1), t = fmin(fmax(at[1] + j * width / 4, 0), 1), r[3];
                if (kind == VV_STENCIL_VT && s + t > 1) {
                    double over = (s + t - 1) / 2;
                    s = fmin(fmax(s - over, 0), 1);
                    t = 1 - s;
                }
                for (int k = 0; k < 3; k++) {
                    if (kind == VV_STENCIL_VV)
                        r[k] = x[0][k] - x[1][k];
                    else if (kind == VV_STENCIL_VE)
                        r[k] = (x[0][k] - x[1][k]) - s * (x[2][k] - x[1][k]);
                    else if (kind == VV_STENCIL_VT)
                        r[k] = (x[0][k] - x[1][k]) - s * (x[2][k] - x[1][k]) - t * (x[3][k] - x[1][k]);
                    else
                        r[k] = (x[0][k] - x[2][k]) + s * (x[1][k] - x[0][k]) - t * (x[3][k] - x[2][k]);
                }
                if (vv_dot(r, r) < best) {
                    best = vv_dot(r, r);
                    centre[0] = s, centre[1] = t;
                }
            }
        width *= 0.7;
    }
    return best;
}

/* Scattered points and hard cases: on a line, in a plane, coincident, parallel, needles, nearly so. */
enum { ARRANGEMENTS = 10 };
static void arrange(int arrangement, vv_stencil kind, double x[4][3])
{
    int last = vv_stencil_points(kind) - 1;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            x[i][k] = within(-1, 1);
    switch (arrangement) {
    case 1: /* all in a plane */
        for (int i = 0; i < 4; i++)
            x[i][2] = 0;
        break;
    case 2: /* all on a line */
        for (int i = 0; i < 4; i++)
            x[i][1] = x[i][2] = 0;
        break;
    case 3: /* the last two coincide */ memcpy(x[last], x[last - 1], sizeof x[0]); break;
    case 4: /* the second primitive is a point */
        for (int i = kind == VV_STENCIL_EE ? 2 : 1; i < 4; i++)
            memcpy(x[i], x[3], sizeof x[0]);
        break;
    case 5: /* on a coarse grid: parallel, coincident and right angles by chance */
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 3; k++)
                x[i][k] = floor(3 * uniform());
        break;
    case 6: /* parallel segments; a triangle's edges likewise */
        for (int k = 0; k < 3; k++)
            x[3][k] = x[2][k] + 0.7 * (x[1][k] - x[0][k]);
        break;
    case 7: /* almost on a line, a little off */
        for (int i = 0; i < 4; i++)
            x[i][1] *= 1e-7, x[i][2] *= 1e-9;
        break;
    case 8: /* almost parallel */
        for (int k = 0; k < 3; k++)
            x[3][k] = x[2][k] + x[1][k] - x[0][k] + 1e-9 * within(-1, 1);
        break;
    case 9: /* a needle of a triangle, its third corner near the side */
        for (int k = 0; k < 3; k++)
            x[3][k] = x[1][k] + 0.4 * (x[2][k] - x[1][k]) + 1e-8 * within(-1, 1);
        break;
    }
}

static double largest(const double x[4][3], int points)
{
    double size = 0;
    for (int i = 0; i < points; i++)
        for (int k = 0; k < 3; k++)
            size = fmax(size, fabs(x[i][k]));
    return size;
}

static void check_consistent(vv_stencil kind, const double x[4][3], double d2, unsigned nearest, const double w[4])
{
    int points = vv_stencil_points(kind), first = kind == VV_STENCIL_EE ? 2 : 1;
    double r[3] = { 0 }, sum[2] = { 0 }, size = largest(x, points);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(w[i] != 0, nearest >> i & 1);
        if (i >= points) {
            assert_true(w[i] == 0);
            continue;
        }
        sum[i >= first] += w[i];
        assert_true(i < first ? w[i] >= 0 && w[i] <= 1 : w[i] <= 0 && w[i] >= -1);
        for (int k = 0; k < 3; k++)
            r[k] += w[i] * x[i][k];
    }
    assert_true(fabs(sum[0] - 1) < 1e-15 && fabs(sum[1] + 1) < 4e-16);
    CHECK(fabs(vv_norm(r) - sqrt(d2)) <= 1e-15 * 8 * size, "kind %d: |r| %.17g, distance %.17g", (int)kind, vv_norm(r),
          sqrt(d2));
}

static void test_distance_is_the_least(void **unused)
{
    (void)unused;
    static const double scales[] = { 1e-6, 1e-3, 1, 1e6 };
    for (int kind = 0; kind < KINDS; kind++)
        for (int arrangement = 0; arrangement < ARRANGEMENTS; arrangement++)
            for (int repeat = 0; repeat < 400; repeat++) {
                double x[4][3], w[4];
                unsigned nearest;
                arrange(arrangement, (vv_stencil)kind, x);
                double scale = scales[repeat % 4];
                for (int i = 0; i < 4; i++)
                    for (int k = 0; k < 3; k++)
                        x[i][k] *= scale;
                double d = sqrt(vv_stencil_distance2((vv_stencil)kind, (const double(*)[3])x, &nearest, w));
                check_consistent((vv_stencil)kind, (const double(*)[3])x, d * d, nearest, w);
                /* no point of the features is nearer; and as r is one of them, the distance is not less than the least
                 */
                double found = sqrt(searched((vv_stencil)kind, (const double(*)[3])x));
                CHECK(d <= found + 1e-14 * scale, "kind %d arrangement %d: %.17g, a search finds %.17g", kind,
                      arrangement, d, found);
                if (arrangement == 0 && kind != VV_STENCIL_EE) /* where the search is sure to come near */
                    assert_true(found <= d * (1 + 1e-6));
            }
}

static void test_distance_is_independent_of_the_place(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < KINDS; kind++)
        for (int repeat = 0; repeat < 2000; repeat++) {
            double x[4][3], y[4][3], w[4], z[4];
            unsigned nearest, again;
            arrange(repeat % ARRANGEMENTS, (vv_stencil)kind, x);
            for (int k = 0; k < 3; k++) {
                double move = 0x1p20 * floor(within(-4, 4));
                for (int i = 0; i < 4; i++) {
                    x[i][k] = floor(x[i][k] * 0x1p30) * 0x1p-30; /* the sum below is exact */
                    y[i][k] = x[i][k] + move;
                }
            }
            double here = vv_stencil_distance2((vv_stencil)kind, (const double(*)[3])x, &nearest, w);
            double there = vv_stencil_distance2((vv_stencil)kind, (const double(*)[3])y, &again, z);
            assert_true(here == there && nearest == again && !memcmp(w, z, sizeof w));
        }
}

static double nearest_vector(vv_stencil kind, const double x[4][3], unsigned *nearest, double r[3])
{
    double w[4], d = sqrt(vv_stencil_distance2(kind, x, nearest, w));
    for (int k = 0; k < 3; k++) {
        r[k] = 0;
        for (int i = 1; i < vv_stencil_points(kind); i++)
            r[k] += w[i] * (x[i][k] - x[0][k]);
    }
    return d;
}

/* What makes a distance of convex shapes the least: no slide from a nearest point to another corner comes nearer. Then
 * moving one along r brings it near by as much, and r stays where it is. */
static void test_distance_is_optimal(void **unused)
{
    (void)unused;
    for (int kind = 1; kind < KINDS; kind++)
        for (int repeat = 0; repeat < 10000; repeat++) {
            double x[4][3], r[3], closer[3];
            unsigned nearest, again;
            int split = kind == VV_STENCIL_EE ? 2 : 1, points = vv_stencil_points((vv_stencil)kind);
            arrange(repeat % ARRANGEMENTS, (vv_stencil)kind, x);
            double d = nearest_vector((vv_stencil)kind, (const double(*)[3])x, &nearest, r);
            for (int i = 0; i < points; i++)
                for (int j = 0; j < points; j++) {
                    double e[3];
                    if (i == j || (i < split) != (j < split) || !(nearest >> i & 1))
                        continue;
                    vv_sub(x[j], x[i], e);
                    double slope = (i < split ? 1 : -1) * vv_dot(e, r);
                    assert_true(slope >= -1e-14);
                    if (nearest >> j & 1)
                        assert_true(slope <= 1e-14);
                }
            double part = pow(10, within(-9, 0));
            for (int i = 0; i < split; i++)
                for (int k = 0; k < 3; k++)
                    x[i][k] -= (1 - part) * r[k];
            double near = nearest_vector((vv_stencil)kind, (const double(*)[3])x, &again, closer);
            CHECK(fabs(near - part * d) <= 2e-14, "kind %d arrangement %d: %.17g of %.17g at %g", kind,
                  repeat % ARRANGEMENTS, near, d, part);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distance_is_the_least),
        cmocka_unit_test(test_distance_is_independent_of_the_place),
        cmocka_unit_test(test_distance_is_optimal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
