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

static void rows_keep_what_they_declare(void **state)
{
    (void)state;
    for (int i = 0; vvSchemeInfo(i); i++) {
        vvSchemeCheck c;
        vvError error = { 0 };
        assert_int_equal(vvSchemeSelfCheck(i, &c, &error), VV_OK);
        print_message("%-18s order %d (%.3f) A %d%d L %d%d symplectic %d%d\n", vvSchemeInfo(i)->name, c.order, c.measuredOrder,
                      c.aStable, c.measuredAStable, c.lStable, c.measuredLStable, c.symplectic, c.measuredSymplectic);
        assert_true(fabs(c.measuredOrder - c.order) < 0.05);
        assert_int_equal(c.aStable, c.measuredAStable);
        assert_int_equal(c.lStable, c.measuredLStable);
        assert_int_equal(c.symplectic, c.measuredSymplectic);
    }
}

/* A changed coefficient must show: the check is no formality. */
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
                                        cmocka_unit_test(outside_the_table_is_an_error),
                                        cmocka_unit_test(names_are_those_of_the_scene_file) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
