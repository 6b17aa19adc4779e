/* The smoothed Coulomb law: its derivatives, and its primal-dual Hessian. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/vec.h"
#include "contact/friction/slip.h"
#include "random_support.h"

#include <math.h>
#include <string.h>

static const double EPS = 0.1;

static void make_unit(double n[3])
{
    double length;
    do {
        for (int k = 0; k < 3; k++)
            n[k] = within(-1, 1);
        length = vv_norm(n);
    } while (length < 0.1);
    for (int k = 0; k < 3; k++)
        n[k] /= length;
}

/* A vector of this length across n. */
static void make_across(const double n[3], double length, double u[3])
{
    do {
        make_unit(u);
        double along = vv_dot(n, u);
        for (int k = 0; k < 3; k++)
            u[k] -= along * n[k];
    } while (vv_norm(u) < 0.1);
    double scale = length / vv_norm(u);
    for (int k = 0; k < 3; k++)
        u[k] *= scale;
}

static void make(double speed, double n[3], double u[3])
{
    make_unit(n);
    make_across(n, speed, u);
}

static void pull_of(const double u[3], double pull[3])
{
    double a = vv_slip_pull(vv_norm(u), EPS);
    for (int k = 0; k < 3; k++)
        pull[k] = a * u[k];
}

static void law_has_its_derivatives(void **state)
{
    (void)state;
    const double h = 1e-7;
    for (int round = 0; round < 100; round++) {
        double speed = round % 2 ? within(0.01, 0.09) : within(0.11, 2), n[3], u[3], x[3], y[3], pull[3], before[3],
               after[3], block[9];
        vv_slip s = { .known = false };
        make(speed, n, u);
        pull_of(u, pull);
        vv_slip_hessian(&s, EPS, u, n, VV_HESSIAN_EXACT, block);
        for (int k = 0; k < 3; k++) {
            double e[3] = { 0, 0, 0 };
            e[k] = 1;
            double off = vv_dot(e, n);
            for (int i = 0; i < 3; i++) {
                x[i] = u[i] + h * (e[i] - off * n[i]);
                y[i] = u[i] - h * (e[i] - off * n[i]);
            }
            assert_float_equal((vv_slip_potential(vv_norm(x), EPS) - vv_slip_potential(vv_norm(y), EPS)) / (2 * h),
                               pull[k], 1e-6);
            pull_of(x, after);
            pull_of(y, before);
            for (int i = 0; i < 3; i++)
                assert_float_equal((after[i] - before[i]) / (2 * h), block[3 * i + k], 1e-5 / EPS);
        }
    }
    assert_float_equal(vv_slip_potential(EPS * (1 - 1e-12), EPS), vv_slip_potential(EPS, EPS), 1e-10);
    assert_float_equal(vv_slip_pull(EPS * (1 - 1e-12), EPS), vv_slip_pull(EPS, EPS), 1e-9);
}

/* Whatever was tried before. */
static void projected_hessian_is_semidefinite(void **state)
{
    (void)state;
    vv_slip s = { .known = false };
    double n[3];
    for (int round = 0; round < 1000; round++) {
        double u[3], trial[3], w[3], vectors[9], block[9];
        if (round % 10 == 0) {
            s = (vv_slip){ .known = false };
            make_unit(n);
        }
        make_across(n, EPS * pow(10, within(-3, 3)), u);
        vv_slip_hessian(&s, EPS, u, n, VV_HESSIAN_PROJECTED, block);
        vv_eigen_symmetric(block, w, vectors);
        assert_true(w[0] >= -1e-12 * w[2]);
        for (int i = 0; i < 9; i++)
            assert_true(block[i] == block[3 * (i % 3) + i / 3]);
        make_across(n, EPS * pow(10, within(-3, 3)), trial);
        vv_slip_try(&s, EPS, trial);
        assert_true(s.known && vv_norm(s.dual) <= 1 + 1e-12);
        vv_slip_try(&s, EPS, u); /* only the first counts */
        vv_slip again = s;
        vv_slip_try(&s, EPS, n);
        assert_memory_equal(&again, &s, sizeof s);
    }
}

/* At rest, and at the start of a solve, it is the Hessian. */
static void nothing_is_predicted_without_a_trial(void **state)
{
    (void)state;
    const double still[3] = { 0, 0, 0 };
    double n[3], u[3], own[9], block[9];
    for (int round = 0; round < 20; round++) {
        vv_slip s = { .known = false };
        make(round % 2 ? 0.05 : 1, n, u);
        const double *at = round < 2 ? still : u;
        vv_slip_hessian(&s, EPS, at, n, VV_HESSIAN_EXACT, own);
        vv_slip_hessian(&s, EPS, at, n, VV_HESSIAN_PROJECTED, block);
        assert_memory_equal(own, block, sizeof own);
        for (int k = 0; k < 9; k++)
            assert_true(isfinite(block[k]));
    }
}

/* w after a step of the length t differs from the pull there by O(t^2): so the end of a solve is as fast as
 * Newton's. */
static void prediction_is_of_second_order(void **state)
{
    (void)state;
    for (int round = 0; round < 50; round++) {
        double n[3], u[3], d[3], error[2];
        make(round % 2 ? within(0.03, 0.07) : within(0.2, 2), n, u);
        for (int k = 0; k < 3; k++)
            d[k] = within(-1, 1);
        double off = vv_dot(d, n);
        for (int half = 0; half < 2; half++) {
            double t = (half ? 0.5 : 1) * 1e-3 * vv_norm(u), x[3], pull[3], block[9];
            vv_slip s = { .known = false };
            for (int k = 0; k < 3; k++)
                x[k] = u[k] + t * (d[k] - off * n[k]);
            vv_slip_hessian(&s, EPS, u, n, VV_HESSIAN_PROJECTED, block);
            vv_slip_try(&s, EPS, x);
            pull_of(x, pull);
            vv_sub(pull, s.dual, pull);
            error[half] = vv_norm(pull);
        }
        assert_true(error[0] < 1e-5 && error[1] < 0.3 * error[0] + 1e-14);
    }
}

/* Past a reversal it resists along the sliding, where the Hessian is flat, until w has turned as well. */
static void reversal_stiffens(void **state)
{
    (void)state;
    double n[3], u[3], back[3], along[3], block[9];
    vv_slip s = { .known = false };
    make(1, n, u);
    for (int k = 0; k < 3; k++)
        back[k] = -u[k];
    vv_slip_hessian(&s, EPS, u, n, VV_HESSIAN_PROJECTED, block);
    vv_matvec(block, u, along);
    assert_float_equal(vv_dot(u, along), 0, 1e-12);
    vv_slip_try(&s, EPS, back);
    vv_slip_hessian(&s, EPS, back, n, VV_HESSIAN_PROJECTED, block);
    vv_matvec(block, u, along);
    assert_float_equal(vv_dot(u, along), 2, 1e-12); /* a |u|^2, and as much for w */
    for (int k = 0; k < 20; k++) {
        vv_slip_try(&s, EPS, back);
        vv_slip_hessian(&s, EPS, back, n, VV_HESSIAN_PROJECTED, block);
    }
    vv_matvec(block, u, along);
    assert_float_equal(vv_dot(u, along), 0, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_has_its_derivatives),
        cmocka_unit_test(projected_hessian_is_semidefinite),
        cmocka_unit_test(nothing_is_predicted_without_a_trial),
        cmocka_unit_test(prediction_is_of_second_order),
        cmocka_unit_test(reversal_stiffens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
