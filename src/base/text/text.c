/* Text in the "C" locale, and letters without one. */
#include "base/text/text.h"

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

/* How many bytes of a control character begin here. */
static int control_at(const unsigned char *c, size_t left, bool lines)
{
    if (lines && (*c == '\n' || *c == '\r' || *c == '\t'))
        return 0;
    if (*c < 0x20 || *c == 0x7f)
        return 1;
    return left > 1 && c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0 ? 2 : 0;
}

bool vv_make_plain(char *text, size_t size, bool lines)
{
    bool found = false;
    for (size_t i = 0; i < size && text[i]; i++)
        for (int n = control_at((unsigned char *)text + i, size - i, lines); n > 0; n--, found = true)
            text[i + (size_t)n - 1] = '?';
    return found;
}

bool vv_is_plain(const char *text)
{
    const size_t size = strlen(text);
    for (size_t i = 0; i < size; i++)
        if (control_at((const unsigned char *)text + i, size - i, true))
            return false;
    return true;
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
