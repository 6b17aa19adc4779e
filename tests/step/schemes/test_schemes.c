/* Every row of the scheme table against what it declares, on the linear oscillator in closed form. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "step/schemes/scheme.h"

static bool as_declared(const vvSchemeCheck *c)
{
    return fabs(c->measuredOrder - c->order) < 0.05 && c->aStable == c->measuredAStable &&
           c->lStable == c->measuredLStable && c->symplectic == c->measuredSymplectic;
}

static void rows_keep_what_they_declare(void **state)
{
    (void)state;
    for (int i = 0; vvSchemeInfo(i); i++) {
        vvSchemeCheck c;
        vvError error = { 0 };
        assert_int_equal(vvSchemeSelfCheck(i, &c, &error), VV_OK);
        print_message("%-18s order %d (%.3f) A %d%d L %d%d symplectic %d%d\n", vvSchemeInfo(i)->name, c.order,
                      c.measuredOrder, c.aStable, c.measuredAStable, c.lStable, c.measuredLStable, c.symplectic,
                      c.measuredSymplectic);
        assert_true(as_declared(&c));
    }
}

static void expect_as_declared(const char *name, const vvSetting settings[2])
{
    vv_scheme row = vv_scheme_made(name, settings, 2);
    vvSchemeCheck c;
    vv_scheme_check(&row, &c);
    if (!as_declared(&c))
        fail_msg("%s %g %g: order %d %.3f, A %d%d, L %d%d, symplectic %d%d", name, settings[0].value[0],
                 settings[1].value[0], c.order, c.measuredOrder, c.aStable, c.measuredAStable, c.lStable,
                 c.measuredLStable, c.symplectic, c.measuredSymplectic);
}

/* What a row with parameters declares follows them, over their whole ranges. */
static void rows_with_parameters_keep_what_they_declare(void **state)
{
    (void)state;
    static const double betas[] = { 0, 1e-3, 0.1, 0.2499, 0.25, 0.26, 0.3, 0.375, 0.38, 0.5, 0.501, 1 },
                        gammas[] = { 0.5, 0.6, 0.75, 1 };
    static const double thetas[] = { 0.5, 0.6, 0.75, 1 };
    for (size_t i = 0; i < sizeof betas / sizeof *betas; i++)
        for (size_t j = 0; j < sizeof gammas / sizeof *gammas; j++)
            expect_as_declared("newmark",
                               (vvSetting[]){ { "newmark_beta", { betas[i] } }, { "newmark_gamma", { gammas[j] } } });
    for (size_t i = 0; i < sizeof thetas / sizeof *thetas; i++)
        for (int inner = 0; inner < 2; inner++)
            expect_as_declared("theta", (vvSetting[]){ { "theta", { thetas[i] } }, { "theta_inner", { inner } } });
}

/* 1 - (gamma - 1/2) x / (1 + beta x) (theory §2.8) */
static void newmarks_determinant(void **state)
{
    (void)state;
    for (double b = 0; b < 1; b += 0.15)
        for (double g = 0.5; g <= 1; g += 0.125)
            for (double x = 0.01; x < 1e4; x *= 13) {
                double a[16];
                vv_scheme row = vv_scheme_made(
                    "newmark", (vvSetting[]){ { "newmark_beta", { b } }, { "newmark_gamma", { g } } }, 2);
                vv_scheme_matrix(&row, x, a);
                double det = a[0] * a[3] - a[1] * a[2], exact = 1 - (g - 0.5) * x / (1 + b * x);
                assert_true(fabs(det - exact) < 1e-9 * (1 + x));
            }
}

/* The numbers of a stage that the oscillator goes by, one after the other; NULL past the last. */
static double *coefficient(vv_stage *s, int index)
{
    double *all[6 * VV_TERMS + 6];
    int count = 0;
    for (int t = 0; t < VV_TERMS; t++) {
        all[count++] = &s->y[t];
        all[count++] = &s->hv[t];
    }
    for (int i = 0; i < s->samples; i++) {
        all[count++] = &s->sample[i].w;
        all[count++] = &s->sample[i].beta;
        for (int t = 0; t < VV_TERMS; t++)
            all[count++] = &s->sample[i].z[t];
    }
    return index < count ? all[index] : NULL;
}

static bool is_beta(const vv_stage *s, const double *number)
{
    for (int i = 0; i < s->samples; i++)
        if (number == &s->sample[i].beta)
            return true;
    return false;
}

/* A coefficient that is 3% off shows, whichever it is; so does one of another sign, but for beta, since the
 * oscillator's energy is that of the point opposite: the check is no formality. */
static void changed_coefficients_show(void **state)
{
    (void)state;
    int tried = 0;
    for (int i = 0; vvSchemeInfo(i); i++) {
        vv_scheme row = vv_scheme_made(vvSchemeInfo(i)->name, NULL, 0);
        for (int stage = 0; stage < row.stages; stage++)
            for (int k = 0; coefficient(row.stage + stage, k); k++)
                for (int way = 0; way < 2; way++) {
                    double *place = coefficient(row.stage + stage, k), was = *place;
                    if (was == 0 || (way == 1 && is_beta(row.stage + stage, place)))
                        continue;
                    *place = way ? -was : 1.03 * was;
                    vvSchemeCheck c;
                    vv_scheme_check(&row, &c);
                    if (as_declared(&c))
                        fail_msg("%s, stage %d, number %d: %g in place of %g does not show", row.info.name, stage, k,
                                 *place, was);
                    *place = was;
                    tried++;
                }
    }
    assert_true(tried > 150);
}

static void outside_the_table_is_an_error(void **state)
{
    (void)state;
    vvSchemeCheck c;
    vvError error = { 0 };
    assert_int_equal(vvSchemeSelfCheck(-1, &c, &error), VV_ERROR_INPUT);
    assert_int_equal(vvSchemeSelfCheck(1000, &c, &error), VV_ERROR_INPUT);
}

static void names_are_those_of_the_scene_file(void **state)
{
    (void)state;
    static const char *const names[] = {
        "forward-euler",     "symplectic-euler", "verlet", "backward-euler", "bdf2",
        "implicit-midpoint", "trapezoidal",      "theta",  "newmark",        "sdirk2",
        "sdirk2-coupled",    "tr-bdf2",          "bathe",  "avf-simpson",    "avf-gauss-2",
        "avf-gauss-3",       "discrete-gradient"
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_non_null(vv_scheme_find(names[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_keep_what_they_declare),   cmocka_unit_test(rows_with_parameters_keep_what_they_declare),
        cmocka_unit_test(newmarks_determinant),          cmocka_unit_test(changed_coefficients_show),
        cmocka_unit_test(outside_the_table_is_an_error), cmocka_unit_test(names_are_those_of_the_scene_file)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
