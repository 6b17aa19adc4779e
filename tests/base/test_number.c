/* Numbers from and to text (base/text/number.h). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/text/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double parse(const char *text)
{
    double value = -7;
    const char *end = text + strlen(text);
    assert_ptr_equal(vv_parse_double(text, end, &value), end);
    return value;
}

static void reads_what_strtod_reads(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0",
        "-0",
        "1",
        "+1",
        "-1.5",
        ".5",
        "5.",
        "1e3",
        "1E-3",
        "1e+22",
        "1e23",
        "9007199254740993",
        "0.1",
        "123456789012345678",
        "2.2250738585072011e-308",
        "4.9e-324",
        "1e-400",
        "1.7976931348623157e308",
        "0.000000000000000000000000000001",
        "8.5899345929999995e9",
        "3.0517578125e-05",
        "1e-22",
        "99999999999999999999999e-22",
        "0.30000000000000004",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double got = parse(texts[i]), want = strtod(texts[i], NULL);
        assert_memory_equal(&got, &want, sizeof got);
    }
    assert_true(isinf(parse("1e999")));
}

static void refuses_what_is_no_number(void **state)
{
    (void)state;
    static const char *const texts[] = { "", "-", "+", ".", "e5", "nan", "inf", "-inf", "x", "1e", "1e+", "--1" };
    double value;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_null(vv_parse_double(texts[i], texts[i] + strlen(texts[i]), &value));
    /* reading stops where the number does */
    const char *hex = "0x10", *comma = "1,5";
    assert_ptr_equal(vv_parse_double(hex, hex + 4, &value), hex + 1);
    assert_ptr_equal(vv_parse_double(comma, comma + 3, &value), comma + 1);
    /* and never runs past the end that is given */
    assert_ptr_equal(vv_parse_double("123456", "123456", &value), NULL);
    const char *digits = "123456";
    assert_ptr_equal(vv_parse_double(digits, digits + 3, &value), digits + 3);
    assert_true(value == 123);
}

static void integers(void **state)
{
    (void)state;
    int64_t value;
    const char *big = "9223372036854775807", *over = "9223372036854775808", *negative = "-42", *junk = "x";
    assert_non_null(vv_parse_int64(big, big + strlen(big), &value));
    assert_true(value == INT64_MAX);
    assert_null(vv_parse_int64(over, over + strlen(over), &value));
    assert_non_null(vv_parse_int64(negative, negative + 3, &value));
    assert_true(value == -42);
    assert_null(vv_parse_int64(junk, junk + 1, &value));
}

/* Random bit patterns survive; the text is the shortest of 15 to 17 digits. */
static void writes_what_reads_back(void **state)
{
    (void)state;
    uint64_t random = 12345;
    for (int i = 0; i < 100000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        double x, back;
        uint64_t bits = random ^ random >> 29;
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x))
            continue;
        char text[VV_NUMBER_LENGTH];
        int length = vv_format_double(text, x);
        assert_int_equal(length, strlen(text));
        assert_ptr_equal(vv_parse_double(text, text + length, &back), text + length);
        assert_memory_equal(&x, &back, sizeof x);
    }
    char text[VV_NUMBER_LENGTH], printed[VV_NUMBER_LENGTH];
    for (int i = 0; i < 100000; i++) { /* few decimals: as printf writes them */
        random = random * 6364136223846793005u + 1442695040888963407u;
        double x = (double)((int64_t)random >> (i % 44 + 12)) / pow(10, i % 13);
        snprintf(printed, sizeof printed, "%.15g", x);
        vv_format_double(text, x);
        if (strtod(printed, NULL) == x)
            assert_string_equal(text, printed);
    }
    vv_format_double(text, 0.1);
    assert_string_equal(text, "0.1");
    vv_format_double(text, -0.0);
    assert_string_equal(text, "-0");
}

/* The same for floats: random bits, and those at and beside powers of ten. */
static void floats_read_back(void **state)
{
    (void)state;
    uint32_t random = 1, widest = 0;
    for (int i = 0; i < 200000; i++) {
        random = random * 1664525u + 1013904223u;
        uint32_t bits = random ^ random >> 13;
        float x, near = (float)pow(10, i % 60 - 30);
        double back;
        if (i % 2) /* the few floats around a power of ten */
            memcpy(&bits, &near, sizeof bits), bits += (uint32_t)(i / 60 % 9 - 4);
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x))
            continue;
        char text[VV_NUMBER_LENGTH], plain[VV_NUMBER_LENGTH];
        int length = vv_format_float(text, x);
        assert_int_equal(length, strlen(text));
        assert_ptr_equal(vv_parse_double(text, text + length, &back), text + length);
        if ((float)back != x || strtof(text, NULL) != x)
            fail_msg("%.9g became %s", (double)x, text);
        snprintf(plain, sizeof plain, "%.9g", (double)x);
        if (strlen(text) > strlen(plain) + 4) /* 0.000123 for 1.23e-4 */
            widest++;
    }
    assert_int_equal(widest, 0);
    char text[VV_NUMBER_LENGTH];
    static const struct {
        float value;
        const char *text;
    } known[] = { { 0, "0" },
                  { 1, "1" },
                  { -0.5f, "-0.5" },
                  { 0.1f, "0.1" },
                  { 100000, "100000" },
                  { 16777216, "16777216" },
                  { 999999.5f, "999999.5" },
                  { 0.000125f, "0.000125" },
                  { 1e-10f, "1e-10" },
                  { 123456.7f, "123456.7" } };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        vv_format_float(text, known[i].value);
        assert_string_equal(text, known[i].text);
    }
}

/* With a decimal comma in the host's locale, where one is installed. */
static void ignores_the_locale(void **state)
{
    (void)state;
    static const char *const names[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "ps_AF.UTF-8" };
    size_t i = 0;
    while (i < sizeof names / sizeof *names && !setlocale(LC_NUMERIC, names[i]))
        i++;
    if (i == sizeof names / sizeof *names) {
        print_message("skipped: no locale with a decimal comma is installed\n");
        skip();
    }
    char text[VV_NUMBER_LENGTH];
    vv_format_double(text, 1.5);
    char small[VV_NUMBER_LENGTH];
    vv_format_float(small, 2.5e-9f);
    double value = parse("0.30000000000000004");
    setlocale(LC_NUMERIC, "C");
    assert_string_equal(text, "1.5");
    assert_string_equal(small, "2.5e-09");
    assert_true(value == 0.30000000000000004);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_strtod_reads),
        cmocka_unit_test(refuses_what_is_no_number),
        cmocka_unit_test(integers),
        cmocka_unit_test(writes_what_reads_back),
        cmocka_unit_test(floats_read_back),
        cmocka_unit_test(ignores_the_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
