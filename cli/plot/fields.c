/* Fields of runs as curves: the table that the export to CSV makes of them, with the size of each support's force in
 * place of its components. */
#include "cli.h"
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void vv_plot_free_fields(vv_plot_fields *f)
{
    free(f->column);
    free(f->time);
    free(f->values);
    *f = (vv_plot_fields){ 0 };
}

/* The next cell of a line in CSV (RFC 4180), without its quotes; *at goes behind it. */
static void next_cell(const char **at, char *cell, size_t size)
{
    const char *p = *at;
    const bool quoted = *p == '"';
    size_t n = 0;
    for (p += quoted; *p && (quoted || (*p != ',' && *p != '\n')); p++) {
        if (quoted && *p == '"' && *++p != '"')
            break;
        if (n + 1 < size)
            cell[n++] = *p;
    }
    cell[n] = 0;
    *at = *p ? p + 1 : p;
}

/* Columns of three numbers, which are one here, by how the first begins. what: the curves' panel; NULL: the field that
 * follows, in all. */
static const struct {
    const char *begin, *what;
} vectors[] = { { "sum x of ", NULL },                /* "sum x of reaction of arm [N]" */
                { "reaction x of ", VV_PLOT_FORCE },  /* "reaction x of attachment 0 on arm [N]" */
                { "force x of ", "force of joints" }, /* "force x of joint 0 on arm [N]" */
                { "moment x of ", "moment of joints" } };
enum { VECTORS = sizeof vectors / sizeof *vectors };

static int vector_of(const char *cell)
{
    for (int i = 0; i < VECTORS; i++)
        if (strncmp(cell, vectors[i].begin, strlen(vectors[i].begin)) == 0)
            return i;
    return -1;
}

/* One of these, or "largest von-mises of arm [Pa]". */
static void read_name(const char *cell, vv_plot_field *field)
{
    static const char largest[] = "largest ";
    const int vector = vector_of(cell);
    const char *whole = vector < 0 ? NULL : vectors[vector].what,
               *what = whole ? whole : cell + (vector < 0 ? sizeof largest - 1 : strlen(vectors[vector].begin)),
               *of = strstr(whole ? cell : what, " of "), *unit = strrchr(cell, '[');
    const int length = whole ? (int)strlen(what) : (int)(of - what);
    *field = (vv_plot_field){ .vector = vector >= 0 };
    snprintf(field->what, sizeof field->what, "%.*s%s", length < VV_PLOT_NAME / 2 ? length : VV_PLOT_NAME / 2, what,
             whole         ? ""
             : vector >= 0 ? " in all"
                           : ", the largest");
    snprintf(field->of, sizeof field->of, "%.*s", (int)(unit - of - 5), of + 4);
    snprintf(field->unit, sizeof field->unit, "%.*s", (int)strcspn(unit + 1, "]"), unit + 1);
}

static bool read_header(const char *line, vv_plot_fields *f)
{
    char cell[4 * VV_PLOT_NAME];
    int room = 0;
    for (const char *p = line; *p; p++)
        room += *p == ',';
    f->column = calloc((size_t)room + 1, sizeof *f->column);
    const char *at = line;
    next_cell(&at, cell, sizeof cell);
    next_cell(&at, cell, sizeof cell);
    while (f->column && *at) {
        next_cell(&at, cell, sizeof cell);
        read_name(cell, &f->column[f->columns++]);
        for (int k = 0; vector_of(cell) >= 0 && k < 2; k++) {
            char other[sizeof cell];
            next_cell(&at, other, sizeof other);
        }
    }
    return f->column != NULL;
}

static void read_line(const char *line, vv_plot_fields *f, int frame)
{
    char cell[64];
    const char *at = line;
    next_cell(&at, cell, sizeof cell);
    next_cell(&at, cell, sizeof cell);
    f->time[frame] = atof(cell);
    for (int c = 0; c < f->columns; c++) {
        const bool vector = f->column[c].vector;
        double square = 0, value = NAN;
        for (int k = 0; k < (vector ? 3 : 1); k++) {
            next_cell(&at, cell, sizeof cell);
            value = atof(cell);
            square += value * value;
        }
        f->values[(size_t)frame * (size_t)f->columns + (size_t)c] = vector ? sqrt(square) : value;
    }
}

static bool read_table(FILE *file, int frames, vv_plot_fields *f)
{
    char *line = NULL;
    size_t size = 0;
    bool good = getline(&line, &size, file) > 0 && read_header(line, f);
    f->time = good ? calloc((size_t)frames, sizeof *f->time) : NULL;
    f->values = good ? calloc((size_t)frames * (size_t)f->columns + 1, sizeof *f->values) : NULL;
    good = f->time && f->values;
    for (; good && f->frames < frames && getline(&line, &size, file) > 0; f->frames++)
        read_line(line, f, f->frames);
    free(line);
    return good;
}

/* As gnuplot reads it: the time and the columns. */
static bool write_table(const char *folder, int run, vv_plot_fields *f)
{
    snprintf(f->data, sizeof f->data, "%.4000s/fields%d.txt", folder, run);
    FILE *file = fopen(f->data, "w");
    for (int i = 0; file && i < f->frames; i++) {
        fprintf(file, "%.9g", f->time[i]);
        for (int c = 0; c < f->columns; c++) {
            const double value = f->values[(size_t)i * (size_t)f->columns + (size_t)c];
            fprintf(file, isfinite(value) ? " %.9g" : " NaN", value);
        }
        fputc('\n', file);
    }
    return file && fclose(file) == 0;
}

static int read_fields(vv_plot_set *set, int run, const char *path, const char *names)
{
    vv_plot_run *r = &set->runs[run];
    vvExportDef def = vvDefaultExportDef();
    char table[4200];
    vvError error;
    int code = vv_cli_world_of_run(path, r->run, &def.world);
    if (code != VV_CLI_GO)
        return code;
    def.format = "csv", def.fields = names;
    snprintf(table, sizeof table, "%.4000s/fields%d.csv", set->folder, run);
    vvStatus status = vvRunExport(r->run, &def, table, &error);
    vvWorldDestroy(def.world);
    if (status != VV_OK)
        return vv_cli_error(&error);
    FILE *file = fopen(table, "r");
    const bool good =
        file && read_table(file, vvRunFrameCount(r->run), &r->fields) && write_table(set->folder, run, &r->fields);
    if (file)
        fclose(file);
    return good ? VV_CLI_GO : vv_cli_wrong("the fields of %s cannot be read back from %s", path, set->folder);
}

int vv_plot_read_fields(vv_plot_set *set, const char *const *paths, const char *names)
{
    int code = VV_CLI_GO;
    for (int i = 0; i < set->count && code == VV_CLI_GO; i++)
        code = read_fields(set, i, paths[i], names);
    return code;
}
