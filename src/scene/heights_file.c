/* Samples of height fields from files: grey pictures (PGM, binary P5 or text P2), and plain text, a row of numbers
 * per line. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text/number.h"
#include "mesh/format/source.h"
#include "scene/heights.h"

enum { MOST = 8193, MOST_IN_ALL = 1 << 24 };

/* ---- pictures ---- */

/* The next number of a header, or of a text picture; comments begin with #. */
static vvStatus next_int(vv_source *s, const char *what, int64_t least, int64_t most, int64_t *value)
{
    vv_text_skip_blank(s);
    while (s->p < s->end && *s->p == '#') {
        vv_text_skip_line(s);
        vv_text_skip_blank(s);
    }
    vvStatus status = vv_text_int(s, what, value);
    if (status == VV_OK && (*value < least || *value > most))
        status = vv_source_fail(s, "%s is %lld; allowed: %lld to %lld", what, (long long)*value, (long long)least,
                                (long long)most);
    return status;
}

static vvStatus read_text_pixels(vv_source *s, int64_t white, size_t count, double *to)
{
    int64_t value;
    vvStatus status = VV_OK;
    for (size_t i = 0; status == VV_OK && i < count; i++) {
        status = next_int(s, "a grey value", 0, white, &value);
        if (status == VV_OK)
            to[i] = (double)value / (double)white;
    }
    return status;
}

static vvStatus read_binary_pixels(vv_source *s, int64_t white, size_t count, double *to)
{
    const size_t bytes = white > 255 ? 2 : 1;
    s->p++; /* one character after the header, whatever it is */
    s->binary = true;
    const size_t left = s->p < s->end ? (size_t)(s->end - s->p) : 0;
    if (left < count * bytes)
        return vv_source_fail(s, "the picture ends too early: %zu bytes of grey values are left, %zu are needed", left,
                              count * bytes);
    for (size_t i = 0; i < count; i++) {
        const unsigned char *p = (const unsigned char *)s->p + i * bytes;
        const int value = bytes == 2 ? 256 * p[0] + p[1] : p[0];
        if (value > white) {
            s->p += i * bytes;
            return vv_source_fail(s, "a grey value is %d; allowed: 0 to %lld", value, (long long)white);
        }
        to[i] = (double)value / (double)white;
    }
    return VV_OK;
}

static vvStatus read_picture(vv_source *s, vv_heights *out)
{
    const bool text = s->p[1] == '2';
    int64_t width, height, white;
    s->p += 2;
    vvStatus status = next_int(s, "the picture's width", 2, MOST, &width);
    if (status == VV_OK)
        status = next_int(s, "the picture's height", 2, MOST, &height);
    if (status == VV_OK && width * height > MOST_IN_ALL)
        status = vv_source_fail(s, "the picture has %lld x %lld grey values; allowed: %d in all", (long long)width,
                                (long long)height, (int)MOST_IN_ALL);
    if (status == VV_OK)
        status = next_int(s, "the picture's white", 1, 65535, &white);
    if (status != VV_OK)
        return status;
    const size_t count = (size_t)(width * height);
    out->samples = vv_alloc(count, sizeof *out->samples);
    if (!out->samples)
        return vv_fail_memory(s->error, "the heights of a picture");
    out->counts[0] = (int)width, out->counts[1] = (int)height;
    return text ? read_text_pixels(s, white, count, out->samples) : read_binary_pixels(s, white, count, out->samples);
}

/* ---- text ---- */

static bool parts_numbers(char c) { return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\r'; }

/* The numbers of a line, added to the list. A comma or semicolon may end the line, but no place between two of them
 * is empty. */
static vvStatus read_row(vv_source *s, vv_heights *out, size_t *count, size_t *capacity, int *numbers)
{
    char quoted[VV_QUOTED_LENGTH];
    bool open = true; /* a height must come next: no comma */
    *numbers = 0;
    for (;;) {
        for (; s->p < s->end && parts_numbers(*s->p); s->p++)
            if (*s->p == ',' || *s->p == ';') {
                if (open)
                    return vv_source_fail(s, "nothing before '%c' where a height is needed", *s->p);
                open = true;
            }
        if (s->p == s->end || *s->p == '\n' || *s->p == '#')
            return VV_OK;
        const char *begin = s->p, *stop = begin;
        while (stop < s->end && !parts_numbers(*stop) && *stop != '\n' && *stop != '#')
            stop++;
        double value;
        if (vv_parse_double(begin, stop, &value) != stop || !(fabs(value) <= 1e6))
            return vv_source_fail(
                s, "found %s where a height is needed; allowed: numbers from -1e6 to 1e6, or a grey picture (PGM)",
                vv_quote(quoted, (vv_word){ begin, stop - begin > 1000 ? 1000 : (int)(stop - begin) }));
        if (*count == MOST_IN_ALL)
            return vv_source_fail(s, "more than %d heights", (int)MOST_IN_ALL);
        if (!vv_grow((void **)&out->samples, capacity, *count + 1, sizeof *out->samples))
            return vv_fail_memory(s->error, "heights");
        out->samples[(*count)++] = value;
        s->p = stop;
        open = false;
        ++*numbers;
    }
}

static vvStatus read_rows(vv_source *s, vv_heights *out)
{
    size_t count = 0, capacity = 0;
    while (s->p < s->end) {
        int numbers;
        vvStatus status = read_row(s, out, &count, &capacity, &numbers);
        if (status != VV_OK)
            return status;
        if (numbers > 0 && out->counts[1] > 0 && numbers != out->counts[0])
            return vv_source_fail(s, "this row has %d heights, those above have %d; all rows must have as many",
                                  numbers, out->counts[0]);
        if (numbers > 0) {
            out->counts[0] = numbers;
            out->counts[1]++;
        }
        vv_text_skip_line(s);
    }
    if (out->counts[0] < 2 || out->counts[0] > MOST || out->counts[1] < 2 || out->counts[1] > MOST)
        return vv_source_fail(s, "found %d rows of %d heights; allowed: 2 to %d of each, or a picture (PGM)",
                              out->counts[1], out->counts[0], (int)MOST);
    return VV_OK;
}

vvStatus vv_heights_read(const char *path, vv_heights *out, vvError *error)
{
    vv_source s;
    *out = (vv_heights){ 0 };
    vvStatus status = vv_source_open(&s, path, error);
    if (status != VV_OK)
        return status;
    const bool picture = s.size >= 3 && s.p[0] == 'P' && s.p[1] >= '1' && s.p[1] <= '7';
    if (picture && s.p[1] != '2' && s.p[1] != '5')
        status = vv_source_fail(&s, "a picture of kind P%c; allowed: grey ones, P2 and P5 (PGM)", s.p[1]);
    else
        status = picture ? read_picture(&s, out) : read_rows(&s, out);
    vv_source_close(&s);
    if (status != VV_OK) {
        vv_free(out->samples);
        *out = (vv_heights){ 0 };
    }
    return status;
}
