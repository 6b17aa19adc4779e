/* Rows as CSV, a line each: what is claimed, what was measured, and by what program, on what machine and when.
 *
 * PAPER.csv in the folder of pages holds the rows of this call. With --record, results.csv beside the paper takes them
 * over: rows that did not run keep their lines, and items that were not named keep all of theirs. Readers compare the
 * commits in it, and the tables of the papers' pages are made from it. */
#include "reproduce/reproduce.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char header[] =
    "item,row,problem,claim,published,measured,value,verdict,differs,motion,seconds,commit,machine,date\n";

static void put_cell(FILE *out, const char *text, const char *end)
{
    bool quote = strpbrk(text, ",\"\n") != NULL;
    if (quote)
        fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text == '\n' ? ' ' : *text, out);
    }
    fprintf(out, "%s%s", quote ? "\"" : "", end);
}

/* Processor time of the runs that the row asks for, s; and the youngest of them. */
static const vv_repro_run *runs_of(const vv_repro_item *item, const vv_repro_row *row, double *seconds)
{
    const vv_repro_run *last = NULL;
    const char *newest = "";
    *seconds = 0;
    for (int i = 0; i < item->runCount; i++) {
        const char *date = json_string_value(vv_study_find(item->runs[i].figures, "made.date"));
        if (!item->runs[i].figures || !vv_repro_row_needs(row, &item->runs[i]))
            continue;
        *seconds += json_number_value(vv_study_find(item->runs[i].figures, "cost.processor"));
        if (date && strcmp(date, newest) >= 0) {
            newest = date;
            last = &item->runs[i];
        }
    }
    return last;
}

static void put_row(FILE *out, const vv_repro_item *item, const vv_repro_row *row)
{
    double seconds;
    const vv_repro_run *run = runs_of(item, row, &seconds);
    static const char *const keys[] = { "made.commit", "made.machine", "made.date" };
    put_cell(out, item->name, ",");
    put_cell(out, json_string_value(json_object_get(row->spec, "label")), ",");
    put_cell(out, vv_repro_problem_names[row->problem], ",");
    put_cell(out, row->claim ? row->claim->key : "-", ",");
    put_cell(out, row->published, ",");
    put_cell(out, row->measured, ",");
    if (!isnan(row->value))
        fprintf(out, "%.10g", row->value);
    fputc(',', out);
    put_cell(out, vv_repro_verdict_texts[row->verdict].name, ",");
    put_cell(out, row->differs, ",");
    put_cell(out, row->motion, ",");
    fprintf(out, "%.3g,", seconds);
    for (int k = 0; k < 3; k++) {
        const char *text = run ? json_string_value(vv_study_find(run->figures, keys[k])) : NULL;
        put_cell(out, text ? text : "-", k < 2 ? "," : "\n");
    }
}

/* ---- lines of a file that was written before ---- */

typedef struct kept {
    char **lines;
    int count;
} kept;

static void forget(kept *old)
{
    for (int i = 0; i < old->count; i++)
        free(old->lines[i]);
    free(old->lines);
}

static bool read_lines(const char *path, kept *old)
{
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "r");
    *old = (kept){ 0 };
    bool good = true;
    for (bool first = true; file && getline(&line, &room, file) > 0; first = false) {
        char **more = first ? NULL : realloc(old->lines, ((size_t)old->count + 1) * sizeof *more);
        if (first)
            continue;
        good = good && more;
        if (!more)
            break;
        old->lines = more;
        old->lines[old->count] = strdup(line);
        good = good && old->lines[old->count];
        old->count += old->lines[old->count] != NULL;
    }
    free(line);
    if (file)
        fclose(file);
    return good;
}

/* The line begins with these cells. */
static bool begins(const char *line, const char *item, const char *label)
{
    char *text = NULL;
    size_t size = 0;
    FILE *cells = open_memstream(&text, &size);
    if (!cells)
        return false;
    put_cell(cells, item, ",");
    if (label)
        put_cell(cells, label, ",");
    fclose(cells);
    bool same = strncmp(line, text, size) == 0;
    free(text);
    return same;
}

static void put_item(FILE *out, const vv_repro_item *item, const kept *old)
{
    for (int i = 0; i < item->rowCount; i++) {
        const vv_repro_row *row = &item->rows[i];
        const char *label = json_string_value(json_object_get(row->spec, "label"));
        int k = 0;
        while (row->verdict == VV_REPRO_NOT_RUN && k < old->count && !begins(old->lines[k], item->name, label))
            k++;
        if (row->verdict == VV_REPRO_NOT_RUN && k < old->count)
            fputs(old->lines[k], out);
        else
            put_row(out, item, row);
    }
}

/* Items in the order of their names, whether their rows are new or old. */
static void put_all(FILE *out, const vv_repro_paper *paper, const kept *old)
{
    int at = 0;
    fputs(header, out);
    for (int i = 0; i <= paper->itemCount; i++) {
        const vv_repro_item *item = i < paper->itemCount ? &paper->items[i] : NULL;
        for (; at < old->count && (!item || begins(old->lines[at], item->name, NULL) ||
                                   strncmp(old->lines[at], item->name, strcspn(old->lines[at], ",")) < 0);
             at++)
            if (!item || !begins(old->lines[at], item->name, NULL))
                fputs(old->lines[at], out);
        if (item)
            put_item(out, item, old);
    }
}

static int write_paper(const vv_repro_paper *paper, const char *path, bool merge)
{
    char fresh[4300];
    kept old = { 0 };
    if (merge && !read_lines(path, &old)) {
        forget(&old);
        return vv_repro_memory();
    }
    snprintf(fresh, sizeof fresh, "%s.new", path);
    FILE *out = fopen(fresh, "w");
    if (out)
        put_all(out, paper, &old);
    forget(&old);
    bool good = out && !ferror(out);
    good = out && fclose(out) == 0 && good && rename(fresh, path) == 0;
    if (good)
        return VV_EXIT_OK;
    vv_cli_wrong("cannot write %s: %s", path, strerror(errno));
    return VV_EXIT_FAILED;
}

int vv_repro_write_results(const vv_repro *r)
{
    char path[4200];
    int code = VV_EXIT_OK;
    for (int p = 0; p < r->paperCount && code == VV_EXIT_OK; p++) {
        snprintf(path, sizeof path, "%.4000s/%s.csv", r->folder, r->papers[p].name);
        code = write_paper(&r->papers[p], path, false);
        snprintf(path, sizeof path, "%.4000s/results.csv", r->papers[p].folder);
        if (code == VV_EXIT_OK && r->record)
            code = write_paper(&r->papers[p], path, true);
    }
    return code;
}
