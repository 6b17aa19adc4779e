/* Text in the "C" locale, and letters without one. */
#include "base/text.h"

#include <stdio.h>
#include <string.h>

int vv_print_list(char *out, size_t size, const char *format, va_list args)
{
    vv_locale locale = vv_locale_enter();
    int length = vsnprintf(out, size, format, args);
    vv_locale_leave(locale);
    return length;
}

int vv_print(char *out, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vv_print_list(out, size, format, args);
    va_end(args);
    return length;
}

bool vv_same_letters(const char *a, const char *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (a[i] != b[i] && vv_small_letter(a[i]) != vv_small_letter(b[i])) /* most are the same as they are */
            return false;
        if (!a[i])
            break;
    }
    return true;
}

bool vv_has_ending(const char *text, const char *ending, size_t length)
{
    size_t n = strlen(text);
    return n >= length && vv_same_letters(text + n - length, ending, length);
}

const char *vv_json_text(const char *text, char *out)
{
    char *to = out;
    *to++ = '"';
    for (; *text; text++)
        if ((unsigned char)*text < ' ')
            to += vv_print(to, VV_JSON_LETTER + 1, "\\u%04x", *text);
        else
            to += vv_print(to, 3, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    strcpy(to, "\"");
    return out;
}
