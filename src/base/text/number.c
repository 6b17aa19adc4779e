/* Locale-independent number parsing and printing.
 *
 * Most numbers of mesh files have at most 15 digits and a small exponent: the digits and the power of ten are then
 * exact in double precision and one division or multiplication rounds correctly (Clinger 1990). The rest goes to
 * strtod_l in the "C" locale. */
#include "base/text/number.h"

#include "base/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_TOKEN = 512 };

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* First character after the number's syntax, or NULL. */
static const char *scan(const char *p, const char *end)
{
    int digits = 0;
    if (p < end && (*p == '+' || *p == '-'))
        p++;
    for (; p < end && is_digit(*p); p++)
        digits++;
    if (p < end && *p == '.')
        for (p++; p < end && is_digit(*p); p++)
            digits++;
    if (!digits)
        return NULL;
    if (p < end && (*p == 'e' || *p == 'E')) {
        const char *q = p + 1;
        if (q < end && (*q == '+' || *q == '-'))
            q++;
        if (q == end || !is_digit(*q))
            return NULL;
        while (q < end && is_digit(*q))
            q++;
        p = q;
    }
    return p;
}

/* 1 if the text between p and end was short enough for an exact conversion. */
static int parse_exact(const char *p, const char *end, double *value)
{
    static const double power[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    int negative = *p == '-', scale = 0, after_point = 0;
    uint64_t mantissa = 0;
    if (*p == '+' || *p == '-')
        p++;
    for (; p < end && *p != 'e' && *p != 'E'; p++) {
        if (*p == '.') {
            after_point = 1;
            continue;
        }
        mantissa = mantissa * 10 + (uint64_t)(*p - '0');
        if (mantissa > (uint64_t)1 << 53)
            return 0;
        scale -= after_point;
    }
    if (p < end) {
        int exponent = 0, sign = p[1] == '-' ? -1 : 1;
        p += p[1] == '-' || p[1] == '+' ? 2 : 1;
        for (; p < end; p++) {
            exponent = exponent * 10 + (*p - '0');
            if (exponent > 1000)
                return 0;
        }
        scale += sign * exponent;
    }
    if (scale < -22 || scale > 22)
        return 0;
    double x = (double)mantissa;
    x = scale < 0 ? x / power[-scale] : x * power[scale];
    *value = negative ? -x : x;
    return 1;
}

const char *vv_parse_double(const char *p, const char *end, double *value)
{
    const char *stop = scan(p, end);
    if (!stop || stop - p >= LONGEST_TOKEN)
        return NULL;
    if (parse_exact(p, stop, value))
        return stop;
    char text[LONGEST_TOKEN];
    memcpy(text, p, (size_t)(stop - p));
    text[stop - p] = 0;
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain)
        return NULL;
    *value = strtod_l(text, NULL, plain);
    freelocale(plain);
    return stop;
}

const char *vv_parse_int64(const char *p, const char *end, int64_t *value)
{
    int negative = p < end && *p == '-';
    if (p < end && (*p == '+' || *p == '-'))
        p++;
    if (p == end || !is_digit(*p))
        return NULL;
    int64_t x = 0;
    for (; p < end && is_digit(*p); p++)
        if (__builtin_mul_overflow(x, 10, &x) || __builtin_add_overflow(x, *p - '0', &x))
            return NULL;
    *value = negative ? -x : x;
    return p;
}

/* m / 10^decimals, without trailing zeros. */
static int fixed_point(char *out, uint64_t m, int decimals, int negative)
{
    char digits[24];
    int count = 0, length = 0;
    while (decimals > 0 && m % 10 == 0) {
        m /= 10;
        decimals--;
    }
    for (; (m > 0 || count <= decimals) && count < (int)sizeof digits; m /= 10)
        digits[count++] = (char)('0' + m % 10);
    if (negative)
        out[length++] = '-';
    while (count > 0) {
        if (count == decimals)
            out[length++] = '.';
        out[length++] = digits[--count];
    }
    out[length] = 0;
    return length;
}

int vv_format_double(char out[VV_NUMBER_LENGTH], double value)
{
    /* m / 10^9, m of at most 15 digits, a quotient that is rounded once: what %.15g writes, in a ninth of its time */
    double size = fabs(value), m = floor(size * 1e9 + 0.5);
    if (size >= 1e-4 && size < 1e6 && m / 1e9 == size)
        return fixed_point(out, (uint64_t)m, 9, value < 0);
    int length = 0;
    vv_locale locale = vv_locale_enter();
    for (int digits = 15; digits <= 17; digits++) {
        length = snprintf(out, VV_NUMBER_LENGTH, "%.*g", digits, value);
        double back;
        if (vv_parse_double(out, out + length, &back) == out + length && memcmp(&back, &value, sizeof value) == 0)
            break;
    }
    vv_locale_leave(locale);
    return length;
}

int vv_format_float(char out[VV_NUMBER_LENGTH], float value)
{
    static const double tens[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13 };
    double size = value < 0 ? -(double)value : (double)value;
    if (size >= 1e-4 && size < 1e6) {
        int decimals = 9; /* of a number with 6 digits */
        for (double bound = 1e-3; size >= bound && decimals > 0; bound *= 10)
            decimals--;
        /* closer than half the distance to the next float, which is smaller below a power of two; the quotient is
         * rounded once, far below that. 9 digits always are close enough. */
        int exponent;
        double part = frexp(size, &exponent), near = ldexp(part > 0.5 ? 0.999 : 0.4995, exponent - 25);
        double m = floor(size * tens[decimals] + 0.5);
        while (fabs(m / tens[decimals] - size) >= near && decimals < 13)
            m = floor(size * tens[++decimals] + 0.5);
        return fixed_point(out, (uint64_t)m, decimals, value < 0);
    }
    int length = 0;
    vv_locale locale = vv_locale_enter();
    for (int digits = 6; digits <= 9; digits++) {
        length = snprintf(out, VV_NUMBER_LENGTH, "%.*g", digits, (double)value);
        double back;
        if (vv_parse_double(out, out + length, &back) == out + length && (float)back == value)
            break;
    }
    vv_locale_leave(locale);
    return length;
}
