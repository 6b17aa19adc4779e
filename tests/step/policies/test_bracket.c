/* The bracketed search for a root: within its tolerance, in few evaluations, wherever the signs differ; of the best
 * place where it has to stop before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "step/policies/bracket.h"

#include <math.h>

typedef struct function {
    int kind, calls;
    double root;
} function;

static double value(void *user, double x)
{
    function *f = user;
    double d = x - f->root;
    f->calls++;
    switch (f->kind) {
    case 0: return d;
    case 1: return d + 3 * d * d * (d > 0); /* two parabolas */
    case 2: return d * d * d;               /* flat at the root */
    case 3: return d > 0.2 ? INFINITY : d;  /* outside a domain */
    case 4: return expm1(30 * d);           /* one end far off */
    case 5: return d > 0.1 ? NAN : -expm1(-4 * d);
    case 6: return d * (d + f->root + 0.5); /* a parabola */
    default: return d < 0 ? -1 : 1;         /* a jump: no place within a tolerance */
    }
}

enum { PARABOLA = 6, KINDS };

static vv_bracketed find(function *f, bool bisect, double tolerance, int most, bool turned)
{
    const vv_bracket b = { value, f, tolerance, most, bisect };
    double x0 = turned ? 1 : 0, x1 = turned ? 0 : 1, f0 = value(f, x0), f1 = value(f, x1);
    f->calls = 0;
    return vv_bracket_root(&b, x0, isnan(f0) ? INFINITY : f0, x1, isnan(f1) ? INFINITY : f1);
}

static void it_reaches_its_tolerance(void **state)
{
    (void)state;
    int smooth[2] = { 0 }; /* evaluations */
    for (int kind = 0; kind < KINDS; kind++)
        for (int k = 1; k < 40; k++)
            for (int bisect = 0; bisect < 2; bisect++)
                for (int turned = 0; turned < 2; turned++) {
                    function f = { kind, 0, k / 40.0 };
                    vv_bracketed r = find(&f, bisect, 1e-9, 200, turned);
                    assert_true(fabs(value(&f, r.x)) <= 1e-9 && fabs(r.value) <= 1e-9);
                    assert_true(r.x >= 0 && r.x <= 1);
                    assert_int_equal(r.evaluations, f.calls - 1);
                    /* 3 for each halving, down to neighbours of a cube's root */
                    assert_in_range(r.evaluations, 0, 130);
                    smooth[bisect] += kind < 2 ? r.evaluations : 0;
                }
    assert_true(smooth[0] < smooth[1] / 4);
}

/* The secant, then the parabola that it is: never a third place. */
static void a_parabola_takes_two(void **state)
{
    (void)state;
    for (int k = 1; k < 40; k++)
        for (int turned = 0; turned < 2; turned++) {
            function f = { PARABOLA, 0, k / 40.0 };
            vv_bracketed r = find(&f, false, 1e-12, 200, turned);
            assert_in_range(r.evaluations, 0, 2);
            assert_true(fabs(r.x - k / 40.0) < 1e-12);
        }
}

static void halving_is_halving(void **state)
{
    (void)state;
    function f = { 0, 0, 0.3 };
    vv_bracketed r = find(&f, true, 1e-3, 200, false);
    assert_int_equal(r.evaluations, 8); /* the first k / 2^n, k odd, within 0.001 of 0.3 is 77 / 256 */
    assert_true(r.x == 77 / 256.0);
}

static void the_best_place_counts_where_it_has_to_stop(void **state)
{
    (void)state;
    for (int bisect = 0; bisect < 2; bisect++) {
        function f = { KINDS, 0, 0.37 };
        vv_bracketed r = find(&f, bisect, 0.5, 1000, false);
        assert_true(r.evaluations < 200 && fabs(r.value) == 1); /* neighbouring numbers on both sides of the jump */
        function line = { 4, 0, 0.61 };
        r = find(&line, bisect, 0, 3, false);
        assert_int_equal(r.evaluations, 3);
        double best = fmin(fabs(value(&line, 0)), fabs(value(&line, 1)));
        assert_true(fabs(r.value) <= best && r.value == value(&line, r.x));
    }
}

/* The first end, if it is near enough, needs nothing. The second is not taken for being near enough, but where
 * nothing else is. */
static void it_goes_no_further_from_the_first_end_than_it_has_to(void **state)
{
    (void)state;
    function near = { 0, 0, 1e-12 };
    vv_bracketed r = find(&near, false, 1e-9, 200, false);
    assert_true(r.evaluations == 0 && r.x == 0);
    for (int bisect = 0; bisect < 2; bisect++) {
        function line = { 0, 0, 0.6 }; /* 0.4 at the second end */
        r = find(&line, bisect, 0.5, 200, false);
        assert_int_equal(r.evaluations, 1);
        assert_true(fabs(r.x - (bisect ? 0.5 : 0.6)) < 1e-12);
        function domain = { 0 }; /* no evaluations are left: the second end is the best there is */
        const vv_bracket one = { value, &domain, 0.5, 0, bisect };
        r = vv_bracket_root(&one, 0, -1, 1, 0.3);
        assert_true(r.evaluations == 0 && r.x == 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(it_reaches_its_tolerance),
                                        cmocka_unit_test(a_parabola_takes_two), cmocka_unit_test(halving_is_halving),
                                        cmocka_unit_test(the_best_place_counts_where_it_has_to_stop),
                                        cmocka_unit_test(it_goes_no_further_from_the_first_end_than_it_has_to) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
