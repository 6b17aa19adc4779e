/* visviva new --from-ipc: a scene as text that people can read and change. */
#include "ipc/ipc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_LINE = 118, FLAGS = JSON_ENCODE_ANY | JSON_REAL_PRECISION(12) };

json_t *vv_ipc_number(double value)
{
    value = value == 0 ? 0 : value; /* not -0 */
    return value == round(value) && fabs(value) < 1e9 ? json_integer((json_int_t)value) : json_real(value);
}

json_t *vv_ipc_vector(const double v[3])
{
    double largest = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    json_t *list = json_array();
    for (int k = 0; list && k < 3; k++) /* what is left of rounding is none of a user's */
        json_array_append_new(list, vv_ipc_number(fabs(v[k]) < 1e-15 * largest ? 0 : v[k]));
    return list;
}

static bool put_indent(FILE *f, int depth) { return fprintf(f, "\n%*s", 2 * depth, "") > 0; }

/* On one line if that is not too long. */
static bool put_value(FILE *f, const json_t *value, int depth, size_t column)
{
    char *line = json_dumps(value, FLAGS);
    if (!line)
        return false;
    bool simple = !json_is_object(value) && !json_is_array(value), good = true;
    if (depth > 0 && (simple || column + strlen(line) <= LONG_LINE)) {
        good = fputs(line, f) >= 0;
        free(line);
        return good;
    }
    free(line);
    bool object = json_is_object(value);
    size_t n = object ? json_object_size(value) : json_array_size(value), i = 0;
    void *at = object ? json_object_iter((json_t *)(uintptr_t)value) : NULL;
    fputc(object ? '{' : '[', f);
    for (; i < n && good; i++) {
        const json_t *item = object ? json_object_iter_value(at) : json_array_get(value, i);
        size_t used = 2 * (size_t)depth + 2;
        good = put_indent(f, depth + 1);
        if (object) {
            used += strlen(json_object_iter_key(at)) + 4;
            json_t *key = json_string(json_object_iter_key(at));
            char *text = json_dumps(key, FLAGS);
            good = good && text && fprintf(f, "%s: ", text) > 0;
            free(text);
            json_decref(key);
            at = json_object_iter_next((json_t *)(uintptr_t)value, at);
        }
        good = good && put_value(f, item, depth + 1, used);
        if (i + 1 < n)
            fputc(',', f);
    }
    return put_indent(f, depth) && fputc(object ? '}' : ']', f) != EOF && good;
}

bool vv_ipc_write_json(const json_t *scene, const char *path)
{
    FILE *f = fopen(path, "wb");
    if (!f)
        return false;
    bool good = put_value(f, scene, 0, 0) && fputc('\n', f) != EOF && !ferror(f);
    return fclose(f) == 0 && good;
}
