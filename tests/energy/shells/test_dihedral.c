/* The angle across an edge, eight at once: its sign, derivatives against differences, the projected Hessian, what is
 * degenerate. */
#include "energy_fixture.h"

#include "energy/shells/dihedral.h"

#include <float.h>

enum { N = 12 };

/* Two triangles over an edge of length l, folded by an angle, heights h_i and feet s_i; then turned. */
static void fold(rng *r, double angle, double size, double x[N])
{
    double l = 1 + 0.5 * rng_next(r), h[2] = { 1 + 0.5 * rng_next(r), 0.8 + 0.4 * rng_next(r) }, s[2], q[9],
           y[N] = { 0 };
    for (int i = 0; i < 2; i++)
        s[i] = 0.5 + 1.2 * rng_next(r); /* obtuse ones too */
    y[3] = l;
    y[6] = s[0] * l, y[7] = h[0];
    y[9] = s[1] * l, y[10] = -h[1] * cos(angle), y[11] = -h[1] * sin(angle);
    random_rotation(r, q);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++)
            x[3 * k + i] = size * (q[3 * i] * y[3 * k] + q[3 * i + 1] * y[3 * k + 1] + q[3 * i + 2] * y[3 * k + 2] +
                                   0.3 * (i + 1));
}

/* The same in each lane but `l`. */
static void evaluate(const double x[N], int l, vv_dihedral8 *d)
{
    vv_d8 corner[4][3];
    for (int i = 0; i < N; i++) {
        corner[i / 3][i % 3] = vv8_set(i == 7 || i == 3);
        corner[3][1] = vv8_set(-1);
        corner[i / 3][i % 3][l] = x[i];
    }
    for (int i = 0; i < 3; i++)
        corner[3][i][l] = x[9 + i];
    vv8_dihedral((const vv_d8(*)[3])corner, d);
}

static double angle_at(const double x[N])
{
    vv_dihedral8 d;
    evaluate(x, 3, &d);
    return d.angle[3];
}

static void gradient(const double x[N], double g[N])
{
    vv_dihedral8 d;
    vv_d8 out[N];
    evaluate(x, 5, &d);
    vv8_dihedral_gradient(&d, out);
    for (int i = 0; i < N; i++)
        g[i] = out[i][5];
}

/* 12 x 12 */
static void hessian(const double x[N], double scale, double square, bool project, double h[N * N])
{
    vv_dihedral8 d;
    vv_d8 block[VV_DIHEDRAL_BLOCKS][9];
    evaluate(x, 2, &d);
    vv8_dihedral_hessian(&d, vv8_set(scale), vv8_set(square), project, block);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            const vv_d8 *b = block[vv_block_of[i / 3][j / 3]];
            h[N * i + j] = i / 3 <= j / 3 ? b[3 * (j % 3) + i % 3][2] : b[3 * (i % 3) + j % 3][2];
        }
}

static double around(double a) { return a - 2 * M_PI * round(a / (2 * M_PI)); }

static void arc_tangent(void **unused)
{
    (void)unused;
    rng r = { 3 };
    static const double special[8][2] = { { 0, 0 }, { 0, 1 },  { 0, -1 },     { -0.0, -1 },
                                          { 1, 0 }, { -1, 0 }, { 1e-300, 1 }, { 1, -1e-300 } };
    for (int n = 0; n < 50000; n++) {
        vv_d8 x, y, a;
        for (int l = 0; l < 8; l++) {
            double size = pow(10, n % 33 - 16), other = pow(10, n / 33 % 33 - 16);
            x[l] = n == 0 ? special[l][1] : size * rng_next(&r);
            y[l] = n == 0 ? special[l][0] : other * rng_next(&r);
        }
        a = vv8_atan2(y, x);
        for (int l = 0; l < 8; l++) {
            double exact = atan2(y[l] == 0 ? 0 : y[l], x[l]);
            if (!(fabs(a[l] - exact) <= 3 * DBL_EPSILON * fabs(exact)))
                fail_msg("the angle of (%a, %a) is %a, here %a", x[l], y[l], exact, a[l]);
        }
    }
}

/* As made, all the way round; turned the other way round the sign is the same, mirrored it is the other. */
static void angles(void **unused)
{
    (void)unused;
    rng r = { 5 };
    for (int n = 0; n < 2000; n++) {
        double x[N], swapped[N], angle = n == 0 ? 0 : M_PI * (n % 3 ? rng_next(&r) : 1e-5 * rng_next(&r));
        fold(&r, angle, pow(10, n % 13 - 6), x);
        assert_true(fabs(angle_at(x) - angle) < 1e-14);
        for (int i = 0; i < 3; i++) { /* (b, a, d, c) */
            swapped[i] = x[3 + i], swapped[3 + i] = x[i];
            swapped[6 + i] = x[9 + i], swapped[9 + i] = x[6 + i];
        }
        assert_true(fabs(angle_at(swapped) - angle) < 1e-14);
        for (int k = 0; k < 4; k++)
            x[3 * k] *= -1;
        assert_true(fabs(angle_at(x) + angle) < 1e-14);
    }
    /* a tetrahedron with normals outwards: ridges of pi - arccos(1/3) */
    static const double tet[N] = { 1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1 }; /* (0, 1, 2) has its normal outwards */
    assert_true(fabs(angle_at(tet) - (M_PI - acos(1.0 / 3))) < 1e-15);
}

static void differences(void **unused)
{
    (void)unused;
    rng r = { 6 };
    static const double some[] = { 0, 1e-7, 0.3, 1.5, -1.6, 170 * M_PI / 180, -170 * M_PI / 180, 3.1 };
    for (int n = 0; n < 800; n++) {
        double x[N], g[N], h[N * N], size = pow(10, n % 7 - 3), step = 1e-4 * size;
        fold(&r, n < 80 ? some[n % 8] : M_PI * rng_next(&r), size, x);
        gradient(x, g);
        hessian(x, 1, 0, false, h);
        double largest_g = largest(g, N), largest_h = largest(h, N * N);
        for (int i = 0; i < N; i++) {
            double angle[4], gp[4][N];
            for (int k = 0; k < 4; k++) {
                double y[N];
                memcpy(y, x, sizeof y);
                y[i] += step * (double[]){ 1, -1, 2, -2 }[k];
                angle[k] = angle_at(y);
                gradient(y, gp[k]);
            }
            double slope = (8 * around(angle[0] - angle[1]) - around(angle[2] - angle[3])) / (12 * step);
            assert_true(fabs(slope - g[i]) < 1e-9 * largest_g);
            for (int j = 0; j < N; j++) {
                slope = (8 * (gp[0][j] - gp[1][j]) - (gp[2][j] - gp[3][j])) / (12 * step);
                assert_true(fabs(slope - h[N * i + j]) < 1e-9 * largest_h);
                assert_true(fabs(h[N * i + j] - h[N * j + i]) <= 1e-14 * largest_h);
            }
        }
    }
}

/* Nothing depends on where the corners are and how they are turned: forces and moments add up to 0, and the Hessian
 * maps rigid motions to what turning does to the gradient. */
static void rigid_motions(void **unused)
{
    (void)unused;
    rng r = { 8 };
    for (int n = 0; n < 300; n++) {
        double x[N], g[N], h[N * N], sum[3] = { 0 }, moment[3] = { 0 }, move[N], turned[N],
                                     w[3] = { rng_next(&r), rng_next(&r), rng_next(&r) };
        fold(&r, M_PI * rng_next(&r), 1, x);
        gradient(x, g);
        hessian(x, 1, 0, false, h);
        for (int k = 0; k < 4; k++) {
            double c[3];
            vv_cross(x + 3 * k, g + 3 * k, c);
            vv_cross(w, x + 3 * k, move + 3 * k);
            vv_cross(w, g + 3 * k, turned + 3 * k);
            for (int i = 0; i < 3; i++)
                sum[i] += g[3 * k + i], moment[i] += c[i];
        }
        assert_true(largest(sum, 3) < 1e-14 * largest(g, N) * 10 && largest(moment, 3) < 1e-14 * largest(g, N) * 10);
        for (int i = 0; i < N; i++) {
            double along = 0, shift = 0;
            for (int j = 0; j < N; j++)
                along += h[N * i + j] * move[j], shift += h[N * i + j] * w[j % 3];
            assert_true(fabs(along - turned[i]) < 1e-13 * largest(h, N * N) && fabs(shift) < 1e-13 * largest(h, N * N));
        }
    }
}

/* Semidefinite, nowhere smaller than the Hessian, and of its size. */
static void projection(void **unused)
{
    (void)unused;
    rng r = { 9 };
    for (int n = 0; n < 600; n++) {
        double x[N], h[N * N], p[N * N], nearest[N * N], excess[N * N], scale = n % 2 ? -2.5 : 0.7, trace = 0,
                                                                        least = 0;
        fold(&r, n < 4 ? 0 : M_PI * rng_next(&r), pow(10, n % 5 - 2), x);
        hessian(x, scale, 0, false, h);
        hessian(x, scale, 0, true, p);
        for (int i = 0; i < N * N; i++)
            excess[i] = p[i] - h[i];
        double size = largest(h, N * N);
        assert_true(least_eigenvalue(N, p) > -1e-13 * size && least_eigenvalue(N, excess) > -1e-13 * size);
        memcpy(nearest, h, sizeof h);
        dense_clamp(N, nearest);
        for (int i = 0; i < N; i++)
            trace += p[(N + 1) * i], least += nearest[(N + 1) * i];
        assert_true(trace < 1.75 * least); /* twice that: all of |H| */
    }
}

/* The square of the gradient is added whole. */
static void square(void **unused)
{
    (void)unused;
    rng r = { 10 };
    double x[N], g[N], with[N * N], without[N * N];
    fold(&r, 1, 1, x);
    gradient(x, g);
    for (int project = 0; project < 2; project++) {
        hessian(x, 0.3, 2, project, with);
        hessian(x, 0.3, 0, project, without);
        for (int i = 0; i < N * N; i++)
            assert_true(fabs(with[i] - without[i] - 2 * g[i / N] * g[i % N]) < 1e-14 * largest(with, N * N));
    }
}

/* Nothing but zeros, and nothing in the lanes beside. */
static void degenerate(void **unused)
{
    (void)unused;
    static const double bad[][N] = {
        { 0 }, /* a point */
        { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 },
        { 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0 },      /* no edge */
        { 0, 0, 0, 1, 0, 0, 0.5, 0, 0, 0.3, -1, 0 }, /* needles */
        { 0, 0, 0, 1, 0, 0, 0.5, 1, 0, 2, 0, 0 },
        { 0, 0, 0, 1, 0, 0, 0.5, 1, 0, 0, 0, 0 },
        { 0, 0, 0, 1, 0, 0, 0.5, 1e-9, 0, 0.3, -1, 0 },
        { 0, 0, 0, 1e-9, 0, 0, 0.5, 1, 0, 0.3, -1, 0 },
        { 0, 0, 0, 1e-170, 0, 0, 0, 1e-170, 0, 0, -1e-170, 0 }, /* squares out of the range of numbers */
        { 0, 0, 0, 1e170, 0, 0, 0, 1e170, 0, 0, -1e170, 0 },
    };
    for (size_t n = 0; n < sizeof bad / sizeof *bad; n++) {
        double g[N], h[N * N];
        vv_dihedral8 d;
        evaluate(bad[n], 1, &d);
        assert_true(!d.is[1] && d.is[0] && d.is[2] && d.angle[1] == 0);
        gradient(bad[n], g);
        assert_true(largest(g, N) == 0);
        for (int project = 0; project < 2; project++) {
            hessian(bad[n], 1, 1, project, h);
            assert_true(largest(h, N * N) == 0);
        }
    }
    /* thin ones are none */
    static const double thin[N] = { 0, 0, 0, 1, 0, 0, 0.5, 1e-5, 0, 0.3, 0, 1 };
    assert_true(fabs(angle_at(thin) + M_PI / 2) < 1e-14);
}

static void differences_of_angles(void **unused)
{
    (void)unused;
    vv_d8 way =
        vv8_angle_between((vv_d8){ 3, -3, 0.1, 1, M_PI, -M_PI, 3, 0 }, (vv_d8){ -3, 3, -0.1, 1, -M_PI, M_PI, 0, -1 });
    static const double want[8] = { 6 - 2 * M_PI, 2 * M_PI - 6, 0.2, 0, 0, 0, 3, 1 };
    for (int l = 0; l < 8; l++)
        assert_true(fabs(way[l] - want[l]) < 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arc_tangent), cmocka_unit_test(angles),
        cmocka_unit_test(differences), cmocka_unit_test(rigid_motions),
        cmocka_unit_test(projection),  cmocka_unit_test(square),
        cmocka_unit_test(degenerate),  cmocka_unit_test(differences_of_angles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
