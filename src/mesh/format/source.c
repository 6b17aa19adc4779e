/* Reading a file into memory and walking over it. */
#include "mesh/format/source.h"

#include "base/memory.h"
#include "base/stop.h"
#include "base/text/number.h"
#include "base/text/path.h"
#include "base/text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Lines and byte offsets fit an int. */
enum { LARGEST_FILE = 0x7fffffff };

static vvStatus fail_system(vv_source *s, int number, const char *what)
{
    char text[VV_WHY_LENGTH];
    return vv_fail(s->error, VV_ERROR_IO, "%s: %s: %s", s->shown, what, vv_why(number, text));
}

static vvStatus check_file(vv_source *s, int file, size_t *size)
{
    struct stat about;
    if (fstat(file, &about) != 0)
        return fail_system(s, errno, "cannot be examined");
    if (S_ISDIR(about.st_mode))
        return vv_fail(s->error, VV_ERROR_IO, "%s: is a directory; a file is needed", s->shown);
    if (!S_ISREG(about.st_mode))
        return vv_fail(s->error, VV_ERROR_IO, "%s: is not a regular file; a file is needed", s->shown);
    if (about.st_size > LARGEST_FILE)
        return vv_fail(s->error, VV_ERROR_INPUT, "%s: has %lld bytes; mesh files of at most 2 GiB are read", s->shown,
                       (long long)about.st_size);
    if (about.st_size == 0)
        return vv_fail(s->error, VV_ERROR_INPUT, "%s: the file is empty", s->shown);
    *size = (size_t)about.st_size;
    return VV_OK;
}

static vvStatus read_all(vv_source *s, int file)
{
    enum { MOST = 1 << 24 };
    size_t got = 0;
    while (got < s->size) {
        if (vv_stopped())
            return vv_fail_cancelled(s->error);
        ssize_t n = read(file, s->data + got, s->size - got < MOST ? s->size - got : MOST);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_system(s, errno, "cannot be read");
        if (n == 0)
            break; /* it has been truncated meanwhile */
        got += (size_t)n;
    }
    s->size = got;
    return VV_OK;
}

/* Text with the line ends of old Macintoshes: carriage returns alone. */
static void mend_line_ends(char *data, size_t size)
{
    if (size >= 2 && memcmp(data, "P5", 2) == 0)
        return; /* a picture, whose header need not have lines */
    for (size_t i = 0; i < size; i++)
        if (data[i] == '\n' || (unsigned char)data[i] < '\t')
            return; /* other line ends, or binary */
    for (char *p = data; (p = memchr(p, '\r', size - (size_t)(p - data)));)
        *p = '\n';
}

vvStatus vv_source_short(const vv_source *s, const char *what)
{
    const vvStatus status = vv_fail_memory(s->error, what);
    vv_fail_prefix(s->error, "%s: ", s->shown);
    return status;
}

vvStatus vv_source_open(vv_source *s, const char *path, vvError *error)
{
    *s = (vv_source){ .path = path, .line = 1, .error = error };
    size_t length = strlen(path), room = sizeof s->shown - 1;
    if (length <= room)
        memcpy(s->shown, path, length + 1);
    else
        snprintf(s->shown, sizeof s->shown, "...%s", path + length - (room - 3));
    for (char *c = s->shown; *c; c++) /* keeps the message on one line and the terminal unharmed */
        if ((unsigned char)*c < 32 || *c == 127)
            *c = '?';
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe must not block: it is refused below */
    if (file < 0)
        return fail_system(s, errno, "cannot be opened");
    vvStatus status = check_file(s, file, &s->size);
    if (status == VV_OK && !(s->data = vv_alloc(s->size, 1)))
        status = vv_fail(error, VV_ERROR_MEMORY, "%s: out of memory for a file of %zu bytes", s->shown, s->size);
    if (status == VV_OK)
        status = read_all(s, file);
    close(file);
    if (status != VV_OK) {
        vv_source_close(s);
        return status;
    }
    mend_line_ends(s->data, s->size);
    s->p = s->data;
    s->end = s->data + s->size;
    if (s->size >= 3 && memcmp(s->data, "\xef\xbb\xbf", 3) == 0)
        s->p += 3; /* UTF-8 byte order mark */
    return VV_OK;
}

void vv_source_close(vv_source *s)
{
    vv_free(s->data);
    s->data = NULL;
}

int vv_source_at(const vv_source *s) { return s->binary ? (int)(s->p - s->data) : s->line; }

void vv_source_go(vv_source *s, int at)
{
    if (s->binary)
        s->p = s->data + at;
    else
        s->line = at;
}

vvStatus vv_source_fail(vv_source *s, const char *format, ...)
{
    char text[768];
    va_list args;
    va_start(args, format);
    vv_print_list(text, sizeof text, format, args);
    va_end(args);
    return vv_fail(s->error, VV_ERROR_INPUT, s->binary ? "%s: byte %d: %s" : "%s:%d: %s", s->shown, vv_source_at(s),
                   text);
}

const char *vv_quote(char out[VV_QUOTED_LENGTH], vv_word word)
{
    enum { LONGEST = 32 };
    char *to = out;
    *to++ = '\'';
    for (int i = 0; i < word.length && i < LONGEST; i++) {
        unsigned char c = (unsigned char)word.text[i];
        if (c >= 32 && c < 127)
            *to++ = (char)c;
        else
            to += snprintf(to, 5, "\\x%02x", c);
    }
    snprintf(to, 5, word.length > LONGEST ? "...'" : "'");
    return out;
}

const char *vv_word_comment(vv_word word)
{
    static const char *const numbers[] = { "IND", "INF", "QNAN", "SNAN" };
    const char *mark = memchr(word.text, '#', (size_t)word.length);
    if (!mark || mark == word.text || mark[-1] != '.')
        return mark;
    size_t left = (size_t)(word.text + word.length - (mark + 1));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (left >= strlen(numbers[i]) && memcmp(mark + 1, numbers[i], strlen(numbers[i])) == 0)
            return NULL;
    return mark;
}

bool vv_row_word(vv_source *s, vv_word *word)
{
    if (!vv_text_word(s, word))
        return false;
    const char *comment = vv_word_comment(*word);
    if (comment) {
        s->p = comment;
        word->length = (int)(comment - word->text);
    }
    return word->length > 0;
}

bool vv_row_next(vv_source *s)
{
    while (s->p < s->end) {
        vv_source ahead = *s;
        vv_word word;
        if (vv_row_word(&ahead, &word) && word.text[0] != 0x1a)
            return true;
        vv_text_skip_line(s);
    }
    return false;
}

bool vv_word_is(vv_word word, const char *text)
{
    return (size_t)word.length == strlen(text) && memcmp(word.text, text, (size_t)word.length) == 0;
}

/* Asks once in some tenths of a millisecond. */
static void look_up(vv_source *s)
{
    enum { APART = 1 << 16 };
    if (s->p < s->next_ask)
        return;
    s->next_ask = s->end - s->p > APART ? s->p + APART : s->end;
    if (vv_stopped())
        s->end = s->p;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

bool vv_text_word(vv_source *s, vv_word *word)
{
    look_up(s);
    while (s->p < s->end && is_blank(*s->p))
        s->p++;
    const char *begin = s->p;
    while (s->p < s->end && *s->p != '\n' && !is_blank(*s->p))
        s->p++;
    *word = (vv_word){ begin, (int)(s->p - begin) };
    return s->p > begin;
}

vvStatus vv_text_need(vv_source *s, const char *what, vv_word *word)
{
    if (vv_text_word(s, word))
        return VV_OK;
    return vv_source_fail(s, "the %s ends where %s is needed", s->p == s->end ? "file" : "line", what);
}

void vv_text_skip_blank(vv_source *s)
{
    for (; s->p < s->end && (is_blank(*s->p) || *s->p == '\n'); s->p++)
        s->line += *s->p == '\n';
}

void vv_text_skip_line(vv_source *s)
{
    look_up(s);
    const char *stop = memchr(s->p, '\n', (size_t)(s->end - s->p));
    s->p = stop ? stop + 1 : s->end;
    s->line += stop != NULL;
}

static vvStatus need_word(vv_source *s, const char *what, vv_word *word)
{
    if (vv_text_word(s, word))
        return VV_OK;
    return vv_source_fail(s, "the %s ends where %s is needed", s->p == s->end ? "file" : "line", what);
}

bool vv_word_int(vv_word word, int64_t *value)
{
    return vv_parse_int64(word.text, word.text + word.length, value) == word.text + word.length;
}

vvStatus vv_text_int(vv_source *s, const char *what, int64_t *value)
{
    vv_word word;
    char quoted[VV_QUOTED_LENGTH];
    vvStatus status = need_word(s, what, &word);
    if (status != VV_OK)
        return status;
    if (vv_word_int(word, value))
        return VV_OK;
    return vv_source_fail(s, "found %s where %s, an integer, is needed", vv_quote(quoted, word), what);
}

bool vv_word_double(vv_word word, double *value)
{
    const char *end = word.text + word.length, *stop = vv_parse_double(word.text, end, value);
    if (!stop || stop == end || (*stop != 'd' && *stop != 'D'))
        return stop == end;
    char text[64];
    if ((size_t)word.length > sizeof text)
        return false;
    memcpy(text, word.text, (size_t)word.length);
    text[stop - word.text] = 'e';
    return vv_parse_double(text, text + word.length, value) == text + word.length;
}

vvStatus vv_text_double(vv_source *s, const char *what, double *value)
{
    vv_word word;
    char quoted[VV_QUOTED_LENGTH];
    vvStatus status = need_word(s, what, &word);
    if (status != VV_OK)
        return status;
    if (vv_word_double(word, value) && isfinite(*value))
        return VV_OK;
    return vv_source_fail(s, "found %s where %s, a finite number, is needed", vv_quote(quoted, word), what);
}

vvStatus vv_text_end_line(vv_source *s)
{
    vv_word word;
    char quoted[VV_QUOTED_LENGTH];
    if (vv_text_word(s, &word))
        return vv_source_fail(s, "found %s where the line should end", vv_quote(quoted, word));
    if (s->p < s->end) {
        s->p++;
        s->line++;
    }
    return VV_OK;
}

static vvStatus take(vv_source *s, const char *what, void *to, size_t size)
{
    look_up(s);
    if ((size_t)(s->end - s->p) < size)
        return vv_source_fail(s, "the file ends where %s is needed", what);
    unsigned char *bytes = to;
    memcpy(bytes, s->p, size);
    for (size_t i = 0; s->swapped && i < size / 2; i++) {
        unsigned char c = bytes[i];
        bytes[i] = bytes[size - 1 - i];
        bytes[size - 1 - i] = c;
    }
    s->p += size;
    return VV_OK;
}

vvStatus vv_binary_int(vv_source *s, const char *what, int32_t *value) { return take(s, what, value, sizeof *value); }

vvStatus vv_binary_size(vv_source *s, const char *what, int64_t *value)
{
    vvStatus status = take(s, what, value, sizeof *value);
    if (status != VV_OK || *value >= 0)
        return status;
    s->p -= sizeof *value;
    return vv_source_fail(s, "found %llu where %s is needed; at most 2^63 - 1 is allowed", (unsigned long long)*value,
                          what);
}

static vvStatus refuse_infinite(vv_source *s, const char *what, double value, size_t size)
{
    s->p -= size;
    return vv_source_fail(s, "found %g where %s, a finite number, is needed", value, what);
}

vvStatus vv_binary_float(vv_source *s, const char *what, double *value)
{
    float narrow = 0;
    vvStatus status = take(s, what, &narrow, sizeof narrow);
    *value = (double)narrow;
    return status != VV_OK || isfinite(narrow) ? status : refuse_infinite(s, what, *value, sizeof narrow);
}

vvStatus vv_binary_double(vv_source *s, const char *what, double *value)
{
    vvStatus status = take(s, what, value, sizeof *value);
    return status != VV_OK || isfinite(*value) ? status : refuse_infinite(s, what, *value, sizeof *value);
}
