/* The tet materials, each row of the table: values against the published formulas, derivatives against differences,
 * projection against a dense one, small strains against linear elasticity. One tet with D_m = I, so that the block of
 * nodes 1..3 of its Hessian is V d2psi/dF2. */
#include "energy_fixture.h"

#include "base/error.h"
#include "energy/tets/materials.h"
#include "energy/tets/tets.h"
#include "visviva/world.h"

static const double mu = 3, la = 5;
static const double corner_tet[12] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
static const double volume = 1.0 / 6;

static bound make_tet(int model, const double *rest)
{
    static const int nodes[4] = { 0, 1, 2, 3 };
    vv_tets_body body = { 0, 1, nodes, mu, la };
    vv_energy *e;
    assert_int_equal(vv_tets_create(model, 4, rest, 1, &body, &e, NULL), VV_OK);
    return bind_energy(e, 4, 0);
}

static void place(const double *rest, const double f[9], const double shift[3], double *x)
{
    for (int a = 0; a < 4; a++) {
        vv_matvec(f, rest + 3 * a, x + 3 * a);
        for (int k = 0; k < 3; k++)
            x[3 * a + k] += shift[k];
    }
}

static bool inverts(int model)
{
    bound b = make_tet(model, corner_tet);
    assert_int_equal(vv_tet_kinds[model].inversion_free, b.e->ops->max_step != NULL);
    assert_int_equal(vv_tet_kinds[model].inversion_free, b.e->ops->by_value);
    free_bound(&b);
    return !vv_tet_kinds[model].inversion_free;
}

/* Singular values of states: rest, random, equal, inverted, flattened, squeezed. */
static const double states[][3] = {
    { 1, 1, 1 },         { 1.3, 1.1, 0.8 },  { 1.7, 1.7, 1.7 },         { 0.6, 0.6, 0.6 },  { 1.4, 1.4, 0.5 },
    { 1.5, 0.7, 0.7 },   { 0.4, 0.3, 0.2 },  { 2.5, 0.3, 0.2 },         { 1.2, 0.9, 0.02 }, { 3, 2.5, 2 },
    { 0.3, 0.25, 0.05 }, { 1.2, 0.9, -0.5 }, { 1.1, 1.0, -1.0 + 1e-3 }, { 1.2, 0.9, 0 },    { 0.8, 0.7, -0.3 },
    { 2, 1.5, -1 },
};
enum { STATES = sizeof states / sizeof *states };
static bool allowed(int model, int state) { return states[state][2] > 0 || inverts(model); }

static void table(void **unused)
{
    (void)unused;
    for (int m = 0; m < VV_MATERIAL_COUNT; m++) {
        assert_non_null(vvMaterialInfo(m));
        assert_int_equal(vv_tets_model(vvMaterialInfo(m)->name), m);
    }
    assert_string_equal(vvMaterialInfo(VV_MATERIAL_COUNT)->name, "hooke");
    assert_string_equal(vvMaterialInfo(VV_MATERIAL_COUNT + 1)->name, "stvk-spring");
    assert_string_equal(vvMaterialInfo(VV_MATERIAL_COUNT + 2)->name, "hooke-rod");
    assert_string_equal(vvMaterialInfo(VV_MATERIAL_COUNT + 3)->name, "neo-hookean-rod");
    assert_non_null(vv_element_kind_find("free"));
    for (int i = 0; vvMaterialInfo(i); i++)
        assert_ptr_equal(vv_element_kind_find(vvMaterialInfo(i)->name), vv_element_kind_at(i));
    assert_null(vv_element_kind_find("jelly"));
    assert_null(vvMaterialInfo(-1));
    assert_int_equal(vv_tets_model("jelly"), -1);
    assert_int_equal(vv_tets_model("hooke"), -1);
    assert_false(inverts(vv_tets_model("neo-hookean")));
    assert_true(inverts(vv_tets_model("stable-neo-hookean")));
}

/* The formulas of theory §4.2, from F itself; R and S from the eigenvectors of F^T F, J > 0. */
static double published(const char *name, const double f[9])
{
    double c[9], w[3], v[9], i = 0, tr_s = 0, gg = 0, tr_g = 0, j = vv_det(f);
    for (int p = 0; p < 3; p++)
        for (int q = 0; q < 3; q++) {
            c[3 * p + q] = f[p] * f[q] + f[3 + p] * f[3 + q] + f[6 + p] * f[6 + q];
            double g = 0.5 * (c[3 * p + q] - (p == q));
            gg += g * g;
            tr_g += p == q ? g : 0;
        }
    vv_eigen_symmetric(c, w, v);
    for (int k = 0; k < 3; k++) {
        tr_s += sqrt(w[k]);
        i += w[k];
    }
    double rigid = i - 2 * tr_s + 3; /* |F - R|^2 = |S - I|^2 */
    if (strcmp(name, "arap") == 0)
        return mu * rigid;
    if (strcmp(name, "corotated") == 0)
        return mu * rigid + 0.5 * la * (tr_s - 3) * (tr_s - 3);
    if (strcmp(name, "fixed-corotated") == 0)
        return mu * rigid + 0.5 * la * (j - 1) * (j - 1);
    if (strcmp(name, "stvk") == 0)
        return mu * gg + 0.5 * la * tr_g * tr_g;
    if (strcmp(name, "neo-hookean") == 0)
        return 0.5 * mu * (i - 3) - mu * log(j) + 0.5 * la * log(j) * log(j);
    if (strcmp(name, "stable-neo-hookean") == 0) {
        double m = 4 * mu / 3, l = la + 5 * mu / 6, alpha = 1 + m / l - m / (4 * l);
        double at_rest = 0.5 * l * (1 - alpha) * (1 - alpha) - 0.5 * m * log(4);
        return 0.5 * m * (i - 3) + 0.5 * l * (j - alpha) * (j - alpha) - 0.5 * m * log(i + 1) - at_rest;
    }
    fail_msg("no published formula for %s: add it here", name);
    return 0;
}

static void values_are_published(void **unused)
{
    (void)unused;
    rng r = { 1 };
    for (int m = 0; m < VV_MATERIAL_COUNT; m++) {
        bound b = make_tet(m, corner_tet);
        for (int s = 0; s < STATES; s++)
            if (states[s][2] > 0) {
                double f[9], x[12];
                random_with_values(&r, states[s], f);
                place(corner_tet, f, (double[]){ 1, 2, 3 }, x);
                double expected = volume * published(vvMaterialInfo(m)->name, f);
                assert_true(fabs(energy_at(&b, x) - expected) <= 1e-12 * (fabs(expected) + 1));
            }
        free_bound(&b);
    }
}

static void derivatives_match_differences(void **unused)
{
    (void)unused;
    static const double odd_tet[12] = { 0.1, 0, 0.2, 1.2, 0.1, 0, 0.3, 0.9, -0.2, -0.2, 0.2, 1.4 };
    const double *rests[2] = { corner_tet, odd_tet };
    rng r = { 2 };
    for (int m = 0; m < VV_MATERIAL_COUNT; m++)
        for (int t = 0; t < 2; t++) {
            bound b = make_tet(m, rests[t]);
            for (int s = 0; s < STATES; s++) {
                if (!allowed(m, s))
                    continue;
                double f[9], x[12];
                random_with_values(&r, states[s], f);
                place(rests[t], f, (double[]){ -0.3, 0.1, 0.2 }, x);
                /* where the values nearly cancel or vanish, derivatives change within the difference's step */
                double size = fmin(fabs(states[s][2]) + (inverts(m) ? 1 : 0), states[s][1] + states[s][2]);
                double error = difference_error(&b, x, 1e-6 * fmin(size, 0.3), 1);
                if (!(error < 2e-6))
                    fail_msg("%s, values %g %g %g: error %g", vvMaterialInfo(m)->name, states[s][0], states[s][1],
                             states[s][2], error);
            }
            free_bound(&b);
        }
}

/* dpsi/ds_k, each a sum of differences that vanish at rest. */
static double principal(const char *name, const double s[3], int k)
{
    double a = s[(k + 1) % 3], b = s[(k + 2) % 3], e[3] = { s[0] - 1, s[1] - 1, s[2] - 1 }, area = a * b,
           j = s[k] * area;
    double ea = e[(k + 1) % 3], eb = e[(k + 2) % 3], grown = e[k] * area + ea * b + eb, square = 0,
           across = e[k] - (ea * b + eb);
    for (int i = 0; i < 3; i++)
        square += e[i] * (s[i] + 1); /* I - 3 */
    if (strcmp(name, "arap") == 0)
        return 2 * mu * e[k];
    if (strcmp(name, "corotated") == 0)
        return 2 * mu * e[k] + la * (e[0] + e[1] + e[2]);
    if (strcmp(name, "fixed-corotated") == 0)
        return 2 * mu * e[k] + la * grown * area;
    if (strcmp(name, "stvk") == 0)
        return s[k] * (mu * e[k] * (s[k] + 1) + 0.5 * la * square);
    if (strcmp(name, "neo-hookean") == 0)
        return (mu * e[k] * (s[k] + 1) + la * (j < 0.5 ? log(j) : log1p(grown))) / s[k];
    if (strcmp(name, "stable-neo-hookean") == 0)
        return mu * across + mu / 3 * square / (square + 4) * s[k] + (la + 5 * mu / 6) * grown * area;
    fail_msg("no principal stress for %s: add it here", name);
    return 0;
}

/* P = U diag(dpsi/ds) V^T to the last digits: near the rest state, large, small, flattened and inverted. Of the
 * corner tet, the gradients at nodes 1 to 3 are V times the columns of P. */
static void forces_to_the_last_digits(void **unused)
{
    (void)unused;
    static const double near[] = { 0, 1e-12, 1e-8, 1e-5, 1e-2 }, sizes[] = { 1, 1e-8, 1e-4, 1e4, 1e8 };
    rng r = { 12 };
    for (int m = 0; m < VV_MATERIAL_COUNT; m++) {
        bound b = make_tet(m, corner_tet);
        for (int n = 0; n < 400; n++) {
            double s[3], u[9], v[9], x[12] = { 0 }, g[12], scale = 0, energy;
            int state = n % STATES;
            for (int k = 0; k < 3; k++) {
                s[k] = n % 2 ? 1 + near[n / 2 % 5] * rng_next(&r) : sizes[n / 2 % 5] * states[state][k];
                if (!(s[k] > 0) && !inverts(m))
                    s[k] = 1;
            }
            random_rotation(&r, u);
            random_rotation(&r, v);
            for (int a = 0; a < 3; a++)
                for (int i = 0; i < 3; i++)
                    for (int k = 0; k < 3; k++)
                        x[3 * a + 3 + i] += u[3 * i + k] * s[k] * v[3 * a + k];
            gradient_at(&b, x, g);
            energy = energy_at(&b, x);
            /* rounding of F turns R by its size over the gap, and enters J as the other values' product */
            double gap = s[0] + s[1] - fmax(s[0], fmax(s[1], s[2])) + s[2],
                   most = fmax(fabs(s[0]), fmax(fabs(s[1]), fabs(s[2])));
            double least = fmin(fabs(s[0]), fmin(fabs(s[1]), fabs(s[2])));
            if (gap < 1e-2 * most)
                continue;
            for (int k = 0; k < 3; k++)
                scale = fmax(scale, fabs(principal(vvMaterialInfo(m)->name, s, k)));
            double slack = 1e-13 * (mu + la + scale) * fmax(1, most / gap) * (inverts(m) ? 1 : most / least);
            for (int a = 0; a < 3; a++)
                for (int i = 0; i < 3; i++) {
                    double p = 0;
                    for (int k = 0; k < 3; k++)
                        p += u[3 * i + k] * principal(vvMaterialInfo(m)->name, s, k) * v[3 * a + k];
                    if (!(fabs(g[3 * a + 3 + i] - volume * p) <= slack))
                        fail_msg("%s, values %g %g %g: %g, not %g", vvMaterialInfo(m)->name, s[0], s[1], s[2],
                                 g[3 * a + 3 + i], volume * p);
                }
            assert_true(isfinite(energy));
        }
        free_bound(&b);
    }
}

/* d2psi/dF2 as 9x9 (index 3 (a-1) + i for F_ia) from the Hessian of the corner tet. */
static void psi_hessian(bound *b, const double *x, vv_hessian_mode mode, double *h9)
{
    double h[144];
    hessian_at(b, x, mode, h);
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++)
            h9[9 * i + j] = h[12 * (i + 3) + j + 3] / volume;
}

static void projection_is_nearest(void **unused)
{
    (void)unused;
    rng r = { 3 };
    for (int m = 0; m < VV_MATERIAL_COUNT; m++) {
        bound b = make_tet(m, corner_tet);
        for (int s = 0; s < STATES; s++) {
            if (!allowed(m, s))
                continue;
            double f[9], x[12], exact[81], projected[81], h[144];
            random_with_values(&r, states[s], f);
            place(corner_tet, f, (double[]){ 0, 0, 0 }, x);
            psi_hessian(&b, x, VV_HESSIAN_EXACT, exact);
            psi_hessian(&b, x, VV_HESSIAN_PROJECTED, projected);
            double scale = largest(exact, 81);
            if (least_eigenvalue(9, exact) > 1e-12 * scale)
                assert_memory_equal(exact, projected, sizeof exact);
            dense_clamp(9, exact);
            assert_true(largest_difference(exact, projected, 81) < 1e-11 * scale);
            hessian_at(&b, x, VV_HESSIAN_PROJECTED, h);
            assert_true(least_eigenvalue(12, h) > -1e-12 * scale);
            for (int i = 0; i < 12; i++)
                for (int j = 0; j < 12; j++)
                    assert_true(h[12 * i + j] == h[12 * j + i]);
        }
        free_bound(&b);
    }
}

/* At rest every material is linear elasticity with the given moduli (ARAP with lambda = 0). */
static void small_strains_are_linear_elasticity(void **unused)
{
    (void)unused;
    for (int m = 0; m < VV_MATERIAL_COUNT; m++) {
        bound b = make_tet(m, corner_tet);
        double h[81], l = strcmp(vvMaterialInfo(m)->name, "arap") == 0 ? 0 : la;
        psi_hessian(&b, corner_tet, VV_HESSIAN_EXACT, h);
        for (int i = 0; i < 9; i++)
            for (int j = 0; j < 9; j++) {
                int ic = i / 3, ir = i % 3, jc = j / 3, jr = j % 3;
                double shear = (ir == jr) * (ic == jc) + (ir == jc) * (ic == jr);
                double expected = l * (ir == ic) * (jr == jc) + mu * shear;
                assert_true(fabs(h[9 * i + j] - expected) < 1e-12);
            }
        free_bound(&b);
    }
}

static void rest_is_rest(void **unused)
{
    (void)unused;
    rng r = { 4 };
    for (int m = 0; m < VV_MATERIAL_COUNT; m++) {
        bound b = make_tet(m, corner_tet);
        for (int k = 0; k < 20; k++) {
            double q[9], x[12], g[12];
            random_rotation(&r, q);
            place(corner_tet, q, (double[]){ rng_next(&r), rng_next(&r), rng_next(&r) }, x);
            assert_true(fabs(energy_at(&b, x)) < 1e-15);
            gradient_at(&b, x, g);
            assert_true(largest(g, 12) < 1e-14);
        }
        assert_true(energy_at(&b, corner_tet) == 0);
        free_bound(&b);
    }
}

/* E(QFP) = E(F), and the gradient turns along and has no net force or torque. */
static void rigid_motion_changes_nothing(void **unused)
{
    (void)unused;
    rng r = { 5 };
    for (int m = 0; m < VV_MATERIAL_COUNT; m++) {
        bound b = make_tet(m, corner_tet);
        for (int s = 0; s < STATES; s++) {
            if (!allowed(m, s))
                continue;
            double f[9], q[9], qf[9], x[12], y[12], g[12], gq[12], sum[3] = { 0 }, torque[3] = { 0 };
            random_with_values(&r, states[s], f);
            random_rotation(&r, q);
            vv_matmul(q, f, qf);
            place(corner_tet, f, (double[]){ 0, 0, 0 }, x);
            place(corner_tet, qf, (double[]){ 4, 5, 6 }, y);
            double e = energy_at(&b, x);
            assert_true(fabs(energy_at(&b, y) - e) <= 1e-12 * (1 + fabs(e)));
            gradient_at(&b, x, g);
            gradient_at(&b, y, gq);
            double scale = largest(g, 12) + 1;
            for (int a = 0; a < 4; a++) {
                double turned[3], moment[3];
                vv_matvec(q, g + 3 * a, turned);
                vv_cross(x + 3 * a, g + 3 * a, moment);
                assert_true(largest_difference(turned, gq + 3 * a, 3) < 1e-11 * scale);
                for (int k = 0; k < 3; k++) {
                    sum[k] += g[3 * a + k];
                    torque[k] += moment[k];
                }
            }
            assert_true(largest(sum, 3) < 1e-13 * scale);
            assert_true(largest(torque, 3) < 1e-13 * scale);
        }
        free_bound(&b);
    }
}

/* A tet squeezed to a plane, a line or a point, or far too large, has finite derivatives, exact and projected. */
static void collapse_is_finite(void **unused)
{
    (void)unused;
    static const double values[][3] = { { 0, 0, 0 },        { 1, 0, 0 },        { 1, 1e-9, 0 },
                                        { 1, 1e-9, -1e-9 }, { 1, 1, 0 },        { 1, 1, -1 },
                                        { 1e-9, 0, 0 },     { 1e6, 1e6, -1e6 }, { 1e4, 1e-4, 0 } };
    rng r = { 6 };
    for (int m = 0; m < VV_MATERIAL_COUNT; m++) {
        bound b = make_tet(m, corner_tet);
        for (size_t s = 0; s < sizeof values / sizeof *values; s++) {
            double f[9], x[12], g[12], h[144];
            random_with_values(&r, values[s], f);
            place(corner_tet, f, (double[]){ 0, 0, 0 }, x);
            if (!inverts(m)) {
                assert_true(vv_det(f) > 0 || energy_at(&b, x) == INFINITY);
                continue;
            }
            assert_true(isfinite(energy_at(&b, x)));
            gradient_at(&b, x, g);
            assert_true(isfinite(largest(g, 12)));
            hessian_at(&b, x, VV_HESSIAN_EXACT, h);
            assert_true(isfinite(largest(h, 144)));
            hessian_at(&b, x, VV_HESSIAN_PROJECTED, h);
            assert_true(isfinite(largest(h, 144)));
            assert_true(least_eigenvalue(12, h) >= -1e-12 * largest(h, 144));
        }
        free_bound(&b);
    }
}

/* A material with a pole says so with +infinity, on both sides of it and at not-a-number. */
static void domain_ends_in_infinity(void **unused)
{
    (void)unused;
    bound b = make_tet(vv_tets_model("neo-hookean"), corner_tet);
    double x[12];
    memcpy(x, corner_tet, sizeof x);
    x[11] = 1e-12;
    assert_true(isfinite(energy_at(&b, x)));
    for (int k = 0; k < 200; k++) { /* a determinant of rounding size, of either sign in the values */
        double g[12], h[144], f[9], y[12];
        rng r = { (uint64_t)k };
        random_with_values(&r, (double[]){ 1, 1, 1e-17 }, f);
        place(corner_tet, f, (double[]){ 0, 0, 0 }, y);
        gradient_at(&b, y, g);
        hessian_at(&b, y, VV_HESSIAN_PROJECTED, h);
        assert_true(isfinite(largest(g, 12)) && isfinite(largest(h, 144)));
    }
    x[11] = 0;
    assert_true(energy_at(&b, x) == INFINITY);
    x[11] = -1;
    assert_true(energy_at(&b, x) == INFINITY);
    x[11] = NAN;
    assert_true(energy_at(&b, x) == INFINITY);
    free_bound(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table),
        cmocka_unit_test(values_are_published),
        cmocka_unit_test(derivatives_match_differences),
        cmocka_unit_test(forces_to_the_last_digits),
        cmocka_unit_test(projection_is_nearest),
        cmocka_unit_test(small_strains_are_linear_elasticity),
        cmocka_unit_test(rest_is_rest),
        cmocka_unit_test(rigid_motion_changes_nothing),
        cmocka_unit_test(collapse_is_finite),
        cmocka_unit_test(domain_ends_in_infinity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
