/* Numbers from and to text, independent of the host's locale: the decimal mark is always '.'. */
#ifndef VV_BASE_TEXT_NUMBER_H
#define VV_BASE_TEXT_NUMBER_H

#include <stdint.h>

/* Reads a decimal number that begins at p and ends at `end` at the latest; returns the first character after it, or
 * NULL when there is none. Correctly rounded; "nan", "inf" and hexadecimal are not accepted; overflow gives
 * infinity. */
const char *vv_parse_double(const char *p, const char *end, double *value);
/* The same for integers; NULL also when the value does not fit. */
const char *vv_parse_int64(const char *p, const char *end, int64_t *value);

/* Writes the shortest of 15, 16 or 17 digits that reads back as the same bits; returns the length. */
enum { VV_NUMBER_LENGTH = 32 };
int vv_format_double(char out[VV_NUMBER_LENGTH], double value);
/* Writes a finite number with the fewest of 6 to 9 digits that read back as the same float; returns the length. Fast:
 * for files with millions of numbers. */
int vv_format_float(char out[VV_NUMBER_LENGTH], float value);

#endif
