/* Macros that make the rows of base/text/member.h, for the files that hold tables of keys. */
#ifndef VV_BASE_TEXT_MEMBER_ROWS_H
#define VV_BASE_TEXT_MEMBER_ROWS_H

#include "base/text/member.h"

/* clang-format off */
#define ROW(path, type, unit, fallback, summary) .key = { path, type, unit, fallback, summary }
#define OBJECT(path, fallback, summary) { ROW(path, "object", "", fallback, summary), .kind = VV_KEY_OBJECT }
#define NUMBER(path, unit, fallback, low, high, summary) \
    { ROW(path, "number", unit, fallback, summary), .kind = VV_KEY_NUMBER, .min = low, .max = high }
#define POSITIVE(path, unit, fallback, high, summary) \
    { ROW(path, "number", unit, fallback, summary), .kind = VV_KEY_NUMBER, .min = 0, .max = high, .above = true }
#define INTEGER(path, fallback, low, high, summary) \
    { ROW(path, "whole number", "", fallback, summary), .kind = VV_KEY_INTEGER, .min = low, .max = high }
#define LENGTH(path, unit, fallback, low, high, summary) \
    { ROW(path, "number or \"%\"", unit, fallback, summary), .kind = VV_KEY_NUMBER, .min = low, .max = high, \
      .percent = true, .zero = true }
#define VECTOR(path, unit, fallback, summary) \
    { ROW(path, "3 numbers", unit, fallback, summary), .kind = VV_KEY_VECTOR, .min = -1e9, .max = 1e9 }
#define TEXT(path, fallback, summary) { ROW(path, "text", "", fallback, summary), .kind = VV_KEY_TEXT }
#define NAME(path, fallback, get, summary) \
    { ROW(path, "name", "", fallback, summary), .kind = VV_KEY_NAME, .names = get }
#define WORD(path, fallback, all, summary) \
    { ROW(path, "word", "", fallback, summary), .kind = VV_KEY_WORD, .words = all }
#define BOOLEAN(path, fallback, summary) \
    { ROW(path, "true or false", "", fallback, summary), .kind = VV_KEY_BOOLEAN }
/* clang-format on */

#endif
