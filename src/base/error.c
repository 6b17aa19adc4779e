/* Error text: every failure carries one message for the user (docs/architecture.md, rules). */
#include "base/error.h"

#include "base/stop.h"
#include "base/text/text.h"

#include <stdio.h>
#include <string.h>

void vv_error_clear(vvError *error)
{
    if (error) {
        error->status = VV_OK;
        error->message[0] = 0;
    }
}

/* Messages quote files. */
static void make_plain(char *text) { vv_make_plain(text, strlen(text), false); }

vvStatus vv_fail(vvError *error, vvStatus status, const char *format, ...)
{
    if (error) {
        va_list args;
        va_start(args, format);
        error->status = status;
        vv_print_list(error->message, sizeof error->message, format, args);
        va_end(args);
        make_plain(error->message);
    }
    return status;
}

vvStatus vv_fail_cancelled(vvError *error)
{
    return vv_fail(error, VV_CANCELLED, "cancelled; everything is as it was before the call");
}

vvStatus vv_fail_memory(vvError *error, const char *what)
{
    if (vv_stop_known())
        return vv_fail_cancelled(error);
    return vv_fail(error, VV_ERROR_MEMORY, "out of memory for %s", what);
}

vvStatus vv_fail_prefix(vvError *error, const char *format, ...)
{
    if (!error)
        return VV_ERROR_INPUT;
    char prefix[512], message[sizeof error->message];
    va_list args;
    va_start(args, format);
    vv_print_list(prefix, sizeof prefix, format, args);
    va_end(args);
    make_plain(prefix);
    snprintf(message, sizeof message, "%s", error->message);
    size_t n = strlen(prefix);
    memcpy(error->message, prefix, n);
    snprintf(error->message + n, sizeof error->message - n, "%s", message);
    return error->status;
}

vvStatus vv_check_made(uint32_t value, const char *type, const char *place, vvError *error)
{
    if (value == VV_MADE_BY_DEFAULT)
        return VV_OK;
    const char *bare = type + strlen("vv");
    return vv_fail(error, VV_ERROR_INPUT,
                   "%s was not made by vvDefault%s(): begin with `%s x = vvDefault%s();` or a copy of one "
                   "that did, then set the fields that differ",
                   place, bare, type, bare);
}

void vv_list_names(char *out, size_t size, const vvInfo *(*get)(int index))
{
    size_t used = 0;
    if (size)
        out[0] = 0;
    const vvInfo *row;
    for (int i = 0; (row = get(i)) && used < size; i++) {
        int n = snprintf(out + used, size - used, "%s%s", i ? ", " : "", row->name);
        used += n > 0 ? (size_t)n : 0;
    }
}

void vv_add_name(char *text, size_t size, const char *name)
{
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s\"%s\"", used && text[used - 1] == '"' ? " or " : "", name);
}

int vv_edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 48 };
    int la = (int)strlen(a), lb = (int)strlen(b);
    if (la > LONGEST || lb > LONGEST)
        return LONGEST;
    int d[3][LONGEST + 1]; /* the rows of a's last three letters */
    for (int j = 0; j <= lb; j++)
        d[0][j] = j;
    for (int i = 1; i <= la; i++) {
        int *now = d[i % 3], *before = d[(i + 2) % 3], *two_before = d[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= lb; j++) {
            char p = vv_small_letter(a[i - 1]), q = vv_small_letter(b[j - 1]);
            int best = before[j - 1] + (p != q);
            best = before[j] + 1 < best ? before[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            bool swapped = i > 1 && j > 1 && p == vv_small_letter(b[j - 2]) && q == vv_small_letter(a[i - 2]);
            if (swapped && two_before[j - 2] + 1 < best)
                best = two_before[j - 2] + 1;
            now[j] = best;
        }
    }
    return d[la % 3][lb];
}

bool vv_is_nearer(const char *wrong, const char *candidate, int *best)
{
    size_t a = strlen(wrong), b = strlen(candidate);
    int d = vv_edit_distance(wrong, candidate);
    if (d >= *best || 2 * (size_t)d > (a > b ? a : b))
        return false;
    *best = d;
    return true;
}

const char *vv_nearest_name(const char *word, const vvInfo *(*get)(int index))
{
    const char *nearest = NULL;
    int best = VV_NEAR;
    const vvInfo *row;
    for (int i = 0; (row = get(i)); i++)
        if (vv_is_nearer(word, row->name, &best))
            nearest = row->name;
    return nearest;
}

vvStatus vv_fail_unknown(vvError *error, const char *what, const char *name, const vvInfo *(*get)(int index))
{
    char names[512];
    const char *near = name ? vv_nearest_name(name, get) : NULL;
    vv_list_names(names, sizeof names, get);
    return vv_fail(error, VV_ERROR_INPUT, "%s: \"%.64s\" is not known%s%s%s; there are: %s", what,
                   name ? name : "(none)", near ? "; did you mean \"" : "", near ? near : "", near ? "\"" : "", names);
}

const char *vvNearestWord(const char *wrong, const char *const *words, int count)
{
    const char *nearest = NULL;
    int best = VV_NEAR;
    for (int i = 0; wrong && words && i < count; i++)
        if (vv_is_nearer(wrong, words[i], &best))
            nearest = words[i];
    return nearest;
}

const char *vvStatusName(vvStatus status)
{
    switch (status) {
    case VV_OK: return "ok";
    case VV_ERROR_INPUT: return "wrong input";
    case VV_ERROR_IO: return "file error";
    case VV_ERROR_MEMORY: return "out of memory";
    case VV_ERROR_SOLVER: return "solver failure";
    case VV_ERROR_UNSUPPORTED: return "not supported";
    case VV_CANCELLED: return "cancelled";
    }
    return "unknown status";
}
