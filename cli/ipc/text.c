/* visviva new --from-ipc: the input file as lines and words. */
#include "ipc/ipc.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_BYTES = 64 << 20 };

/* *data: the bytes and a zero. */
static int slurp(const char *path, char **data, size_t *size)
{
    struct stat about;
    const bool there = stat(path, &about) == 0, regular = there && S_ISREG(about.st_mode); /* a pipe would block */
    FILE *f = regular ? fopen(path, "rb") : NULL;
    if (!f)
        return vv_cli_wrong("%s: %s", path,
                            there && !regular ? "is no file" : "cannot be opened: is it there, and may you read it?");
    if (about.st_size > MOST_BYTES) {
        fclose(f);
        return vv_cli_wrong("%s has %lld bytes: an input file of IPC is a short text", path, (long long)about.st_size);
    }
    *data = malloc((size_t)about.st_size + 1);
    *size = *data ? fread(*data, 1, (size_t)about.st_size, f) : 0;
    fclose(f);
    if (!*data) {
        vv_cli_wrong("no memory for %s", path);
        return VV_EXIT_FAILED;
    }
    (*data)[*size] = 0;
    return VV_CLI_GO;
}

int vv_ipc_open(const char *path, vv_ipc_text *text)
{
    size_t size = 0;
    *text = (vv_ipc_text){ .next = "" };
    int code = slurp(path, &text->data, &size);
    if (code != VV_CLI_GO)
        return code;
    text->rest = text->data + (strncmp(text->data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0); /* some editors begin files so */
    int line = 1;
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)text->data[i];
        if (byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t' && byte != '\f' && byte != '\v')
            return vv_cli_wrong("%s:%d: byte 0x%02x: this is not a text, so not an input file of IPC", path, line,
                                byte);
        line += byte == '\n';
    }
    return VV_CLI_GO;
}

void vv_ipc_close(vv_ipc_text *text)
{
    free(text->data);
    *text = (vv_ipc_text){ .next = "" };
}

bool vv_ipc_next_line(vv_ipc_text *text)
{
    text->next = "";
    if (!text->rest || !*text->rest)
        return false;
    char *end = strchr(text->rest, '\n');
    text->next = text->rest;
    text->rest = end ? end + 1 : NULL;
    if (end)
        *end = 0;
    text->line++;
    return true;
}

size_t vv_ipc_peek(vv_ipc_text *text, const char **word)
{
    while (isspace((unsigned char)*text->next))
        text->next++;
    size_t n = 0;
    while (text->next[n] && !isspace((unsigned char)text->next[n]))
        n++;
    *word = text->next;
    return n;
}

bool vv_ipc_take(vv_ipc_text *text, char word[VV_IPC_WORD])
{
    const char *from;
    size_t n = vv_ipc_peek(text, &from);
    snprintf(word, VV_IPC_WORD, "%.*s", (int)(n < VV_IPC_WORD ? n : VV_IPC_WORD - 1), from);
    text->next = from + n;
    return n > 0;
}

bool vv_ipc_is_number(const char *word, double *value)
{
    char *end;
    if (!*word || !strchr("+-.0123456789", *word) || strpbrk(word, "xXnNpP")) /* no 0x10, nan, inf */
        return false;
    *value = strtod(word, &end);
    return *end == 0 && isfinite(*value);
}
