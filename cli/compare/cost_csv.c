/* Points as rows of a CSV (RFC 4180), and back: it is written for people and plots, and is also what the program knows
 * of earlier calls. Numbers that do not exist are empty. */
#include "child.h"
#include "compare/cost.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- columns ---- */

typedef enum kind { TEXT, NUMBER, COUNT } kind;
static const struct column {
    const char *name;
    kind kind;
    size_t at, size; /* in a point; of a text's room */
} columns[] = {
#define TEXTS(member)                                                                      \
    {                                                                                      \
#member, TEXT, offsetof(vv_cost_point, member), sizeof((vv_cost_point *)0)->member \
    }
#define NUMBERS(member)                                     \
    {                                                       \
#member, NUMBER, offsetof(vv_cost_point, member), 0 \
    }
#define PART(name, index)                                                          \
    {                                                                              \
        name, NUMBER, offsetof(vv_cost_point, parts) + (index) * sizeof(double), 0 \
    }
    TEXTS(scene),
    TEXTS(method),
    TEXTS(set),
    NUMBERS(step),
    NUMBERS(until),
    { "starts", COUNT, offsetof(vv_cost_point, starts), 0 },
    { "done", COUNT, offsetof(vv_cost_point, done), 0 },
    NUMBERS(error),
    { "error_low", NUMBER, offsetof(vv_cost_point, low), 0 },
    { "error_high", NUMBER, offsetof(vv_cost_point, high), 0 },
    PART("path", VV_COST_PATH),
    PART("elastic", VV_COST_ELASTIC),
    PART("friction", VV_COST_FRICTION),
    PART("visible_centre", VV_COST_CENTRE),
    PART("visible_rotation", VV_COST_ROTATION),
    PART("visible_deformation", VV_COST_DEFORMATION),
    { "truth_error", NUMBER, offsetof(vv_cost_point, known), 0 },
    { "newton_iterations", NUMBER, offsetof(vv_cost_point, newton), 0 },
    NUMBERS(processor),
    { "peak_memory_mb", NUMBER, offsetof(vv_cost_point, memory), 0 },
    TEXTS(status),
    TEXTS(key),
    TEXTS(truth),
    TEXTS(build),
    TEXTS(command),
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* ---- reading ---- */

/* Cuts one field off, in place: its text, or NULL at the end; *last: a line ends behind it. */
static char *cut_field(char **at, bool *last)
{
    char *from = *at, *to = from, *field = from;
    bool quoted = *from == '"';
    if (!*from)
        return NULL;
    for (from += quoted; *from; from++) {
        if (quoted && from[0] == '"' && from[1] == '"')
            from++;
        else if (quoted && *from == '"') {
            quoted = false;
            continue;
        } else if (!quoted && (*from == ',' || *from == '\n'))
            break;
        if (*from != '\r' || quoted)
            *to++ = *from;
    }
    *last = *from != ',';
    *at = *from ? from + 1 : from;
    *to = 0;
    return field;
}

static void store(vv_cost_point *point, const struct column *c, const char *text)
{
    char *at = (char *)point + c->at;
    double number = NAN;
    if (c->kind == TEXT) {
        snprintf(at, c->size, "%s", text);
        return;
    }
    if (!*text || !vv_cli_read_number(text, &number))
        number = NAN;
    if (c->kind == NUMBER)
        memcpy(at, &number, sizeof number);
    else
        *(int *)(void *)at = isfinite(number) ? (int)number : 0;
}

static char *read_all(const char *path, int *code)
{
    char *text = NULL;
    FILE *file = fopen(path, "rb");
    *code = VV_CLI_GO;
    if (!file && errno == ENOENT)
        return NULL;
    long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (size >= 0 && size < 1 << 28 && (text = calloc(1, (size_t)size + 1)))
        rewind(file);
    if (!text || fread(text, 1, (size_t)size, file) != (size_t)size) {
        *code = vv_cli_wrong("cannot read %s: %s", path, strerror(errno));
        free(text);
        text = NULL;
    }
    if (file)
        fclose(file);
    return text;
}

/* The heading names the columns: files of versions that have fewer are read, too. */
static int read_heading(char **at, const char *path, int of[COLUMNS])
{
    bool last = false;
    int count = 0, known = 0;
    for (char *field; !last && count < COLUMNS && (field = cut_field(at, &last)); count++) {
        of[count] = -1;
        for (int i = 0; i < COLUMNS; i++)
            if (strcmp(columns[i].name, field) == 0)
                of[count] = i, known++;
    }
    if (last && known == count && known > 0)
        return VV_CLI_GO;
    return vv_cli_wrong("%s already exists and is not a table of visviva compare --cost; choose another --output",
                        path);
}

int vv_cost_table_read(vv_cost_table *table, const char *path)
{
    int code, of[COLUMNS];
    char *text = read_all(path, &code), *at = text;
    for (int i = 0; i < COLUMNS; i++)
        of[i] = -1;
    if (text && code == VV_CLI_GO)
        code = read_heading(&at, path, of);
    while (text && code == VV_CLI_GO && *at) {
        vv_cost_point *point = calloc(1, sizeof *point);
        bool last = false;
        char *field;
        for (int i = 0; point && !last && (field = cut_field(&at, &last)); i++)
            if (i < COLUMNS && of[i] >= 0)
                store(point, &columns[of[i]], field);
        if (!point || (point->scene[0] && !vv_cost_table_put(table, point)))
            code = vv_cli_wrong("out of memory");
        free(point);
    }
    free(text);
    return code;
}

/* ---- rows ---- */

static bool same(const vv_cost_point *a, const vv_cost_point *b)
{
    return strcmp(a->scene, b->scene) == 0 && strcmp(a->method, b->method) == 0 &&
           fabs(a->step - b->step) <= 1e-9 * b->step;
}

vv_cost_point *vv_cost_table_find(const vv_cost_table *table, const vv_cost_point *like)
{
    for (int i = 0; i < table->count; i++)
        if (same(&table->rows[i], like))
            return &table->rows[i];
    return NULL;
}

bool vv_cost_table_put(vv_cost_table *table, const vv_cost_point *point)
{
    vv_cost_point *row = vv_cost_table_find(table, point);
    if (!row && table->count == table->room) {
        const int room = table->room ? 2 * table->room : 64;
        vv_cost_point *rows = realloc(table->rows, (size_t)room * sizeof *rows);
        if (!rows)
            return false;
        table->rows = rows;
        table->room = room;
    }
    row = row ? row : &table->rows[table->count++];
    *row = *point;
    return true;
}

void vv_cost_table_free(vv_cost_table *table)
{
    free(table->rows);
    *table = (vv_cost_table){ 0 };
}

bool vv_cost_left_out(const vv_cost_point *point) { return strncmp(point->status, "left out", 8) == 0; }

/* ---- writing ---- */

static void write_text(FILE *out, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, out);
    }
    fputc('"', out);
}

static void write_row(FILE *out, const vv_cost_point *point)
{
    for (int i = 0; i < COLUMNS; i++) {
        const char *at = (const char *)point + columns[i].at;
        double number;
        if (i)
            fputc(',', out);
        if (columns[i].kind == TEXT) {
            write_text(out, at);
            continue;
        }
        if (columns[i].kind == COUNT)
            number = *(const int *)(const void *)at;
        else
            memcpy(&number, at, sizeof number);
        if (isfinite(number))
            fprintf(out, "%.10g", number);
    }
    fputc('\n', out);
}

/* Rows of one method stand together, coarse steps first. */
static void sort(vv_cost_table *t)
{
    for (int i = 1; i < t->count; i++) {
        const vv_cost_point row = t->rows[i];
        int to = i;
        for (int k = i - 1; k >= 0; k--)
            if (strcmp(t->rows[k].scene, row.scene) == 0 && strcmp(t->rows[k].method, row.method) == 0) {
                to = t->rows[k].step > row.step ? k + 1 : k;
                if (t->rows[k].step > row.step)
                    break;
            }
        memmove(&t->rows[to + 1], &t->rows[to], (size_t)(i - to) * sizeof row);
        t->rows[to] = row;
    }
}

bool vv_cost_table_write(vv_cost_table *table, const char *path)
{
    char part[4400];
    sort(table);
    snprintf(part, sizeof part, "%.4200s.part", path);
    FILE *out = vv_cli_make_folders(path) ? fopen(part, "w") : NULL;
    for (int i = 0; out && i < COLUMNS; i++)
        fprintf(out, "%s%s", i ? "," : "", columns[i].name);
    if (out)
        fputc('\n', out);
    for (int i = 0; out && i < table->count; i++)
        write_row(out, &table->rows[i]);
    bool good = out && !ferror(out);
    good = out && fclose(out) == 0 && good && rename(part, path) == 0;
    if (!good)
        vv_cli_wrong("cannot write %s: %s", path, strerror(errno));
    return good;
}
