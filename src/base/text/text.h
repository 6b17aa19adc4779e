/* Text that is data: messages, files and the words in them are the same whatever locale the host has set. Numbers have
 * a point, and only A to Z are capitals.
 *
 * It is done by uselocale: that is the calling thread's alone, where setlocale is everybody's, and takes a twentieth of
 * printf's time for a number. What the host sets meanwhile does not matter. It is done around each text, and not around
 * a whole call of the public API: callbacks stay in the host's locale, and no way out of a call can forget to set it
 * back.
 * scripts/check-layers sees that the library writes, reads and compares text through here and number.h alone. */
#ifndef VV_BASE_TEXT_TEXT_H
#define VV_BASE_TEXT_TEXT_H

#include <locale.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* snprintf and vsnprintf in the "C" locale. */
int vv_print(char *out, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int vv_print_list(char *out, size_t size, const char *format, va_list args) __attribute__((format(printf, 3, 0)));

/* The calling thread is in the "C" locale between these two: for libraries that read and write numbers by themselves
 * (jansson). Nothing of the host's may be called there, as it would see that. */
typedef struct vv_locale {
    locale_t plain, host;
} vv_locale;

static inline vv_locale vv_locale_enter(void)
{
    /* glibc and musl have it ready, and do not allocate. If there is none (0), uselocale changes nothing. */
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return (vv_locale){ plain, uselocale(plain) };
}

static inline void vv_locale_leave(vv_locale locale)
{
    uselocale(locale.host);
    if (locale.plain)
        freelocale(locale.plain);
}

static inline char vv_small_letter(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }
static inline bool vv_is_letter(char c) { return vv_small_letter(c) >= 'a' && vv_small_letter(c) <= 'z'; }
/* Whether the first `count` letters of two texts, or all if there are fewer, are the same but for capitals. */
bool vv_same_letters(const char *a, const char *b, size_t count);
/* Whether `text` ends with the first `length` letters of `ending`, in capitals or not. */
bool vv_has_ending(const char *text, const char *ending, size_t length);
/* What files say must not reach a terminal as commands: control characters become '?', those of Latin-1 (as UTF-8
 * writes them) too. `size`: where the text ends if no zero does. `lines`: line ends and tabs stay. True if there were
 * any. */
bool vv_make_plain(char *text, size_t size, bool lines);
/* Whether it has control characters other than line ends and tabs. */
bool vv_is_plain(const char *text);
/* The text in quotes, as JSON has it; `out` has room for VV_JSON_LETTER bytes for each of the text's, and 3 more. */
enum { VV_JSON_LETTER = 6 };
const char *vv_json_text(const char *text, char *out);

#endif
