/* layer: step
 * Every row of the scheme table against what it declares, on the linear oscillator in closed form. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "step/scheme.h"

static bool as_declared(const vvSchemeCheck *c)
{
    return fabs(c->measuredOrder - c->order) < 0.05 && c->aStable == c->measuredAStable && c->lStable == c->measuredLStable &&
           c->symplectic == c->measuredSymplectic;
}

static void rows_keep_what_they_declare(void **state)
{
    (void)state;
    for (int i = 0; vvSchemeInfo(i); i++) {
        vvSchemeCheck c;
        vvError error = { 0 };
        assert_int_equal(vvSchemeSelfCheck(i, &c, &error), VV_OK);
        print_message("%-18s order %d (%.3f) A %d%d L %d%d symplectic %d%d\n", vvSchemeInfo(i)->name, c.order, c.measuredOrder,
                      c.aStable, c.measuredAStable, c.lStable, c.measuredLStable, c.symplectic, c.measuredSymplectic);
        assert_true(as_declared(&c));
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

/* A coefficient that is 3% off shows, whichever it is; so does one of another sign, but for beta, since the oscillator's energy is
 * that of the point opposite: the check is no formality. */
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
                        fail_msg("%s, stage %d, number %d: %g in place of %g does not show", row.info.name, stage, k, *place, was);
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
    static const char *const names[] = { "forward-euler", "symplectic-euler", "verlet", "backward-euler", "bdf2",
                                         "implicit-midpoint", "trapezoidal", "theta", "sdirk2", "tr-bdf2", "bathe", "avf-simpson",
                                         "avf-gauss-2", "avf-gauss-3", "discrete-gradient" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_non_null(vv_scheme_find(names[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(rows_keep_what_they_declare),
                                        cmocka_unit_test(changed_coefficients_show),
                                        cmocka_unit_test(outside_the_table_is_an_error),
                                        cmocka_unit_test(names_are_those_of_the_scene_file) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
