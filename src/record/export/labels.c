/* Text in the form that other formats accept. */
#include "record/export/labels.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static bool plain(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

/* Bytes of the character at p if it is valid UTF-8, else 0. */
static int character(const unsigned char *p)
{
    int more = p[0] < 0x80                   ? 0
               : p[0] >= 0xc2 && p[0] < 0xe0 ? 1
               : p[0] >= 0xe0 && p[0] < 0xf0 ? 2
               : p[0] >= 0xf0 && p[0] < 0xf5 ? 3
                                             : -1;
    for (int i = 1; i <= more; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    bool wrong = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) ||
                 (p[0] == 0xf4 && p[1] > 0x8f); /* overlong form, surrogate, beyond Unicode */
    return more < 0 || wrong ? 0 : more + 1;
}

void vv_label(char out[VV_LABEL_ROOM], const char *name, const char *fallback)
{
    enum { ROOM = VV_LABEL_ROOM - 16 }; /* leaves room for a suffix that makes it unique */
    size_t n = 0;
    bool any = false;
    for (; *name && n < ROOM; name++) {
        if ((*name & 0xc0) == 0x80)
            continue; /* one underscore per character */
        if (n == 0 && *name >= '0' && *name <= '9')
            out[n++] = '_';
        any = any || plain(*name);
        out[n++] = plain(*name) ? *name : '_';
    }
    out[n] = 0;
    if (!any)
        snprintf(out, VV_LABEL_ROOM, "%s", fallback);
}

vvStatus vv_labels_make(vv_labels *ids, int room, vvError *error)
{
    *ids = (vv_labels){ 0, vv_alloc((size_t)room, sizeof *ids->id) };
    return ids->id ? VV_OK : vv_fail_memory(error, "the names of an export");
}

void vv_labels_free(vv_labels *ids)
{
    vv_free(ids->id);
    *ids = (vv_labels){ 0 };
}

static bool taken(const vv_labels *ids, const char *id)
{
    for (int i = 0; i < ids->count; i++)
        if (strcmp(ids->id[i], id) == 0)
            return true;
    return false;
}

const char *vv_labels_add(vv_labels *ids, const char *name, const char *fallback)
{
    char *id = ids->id[ids->count];
    vv_label(id, name, fallback);
    size_t length = strlen(id);
    for (int i = ids->count + 1; taken(ids, id); i++)
        snprintf(id + length, VV_LABEL_ROOM - length, "_%d", i);
    ids->count++;
    return id;
}

void vv_put_quoted(FILE *f, const char *text)
{
    fputc('"', f);
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        int bytes = character(p);
        if (*p == '"' || *p == '\\')
            fprintf(f, "\\%c", *p++);
        else if (*p < ' ' || *p == 0x7f)
            fprintf(f, "\\x%02x", *p++);
        else if (bytes == 0)
            fputc('?', f), p++;
        else
            for (; bytes > 0; bytes--)
                fputc(*p++, f);
    }
    fputc('"', f);
}

char *vv_utf8(const char *text)
{
    static const char instead[] = "\xef\xbf\xbd"; /* U+FFFD */
    char *out = vv_alloc(strlen(text) + 1, strlen(instead)), *end = out;
    for (const unsigned char *p = (const unsigned char *)text; out && *p;) {
        int bytes = character(p);
        if (bytes == 0)
            end = stpcpy(end, instead), p++;
        for (; bytes > 0; bytes--)
            *end++ = (char)*p++;
    }
    return out;
}
