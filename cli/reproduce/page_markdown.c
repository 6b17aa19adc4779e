/* The pages as Markdown: one a paper, and an index of them. Nothing in them depends on the time or the machine's
 * speed. */
#include "reproduce/reproduce.h"

#include <string.h>

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* Within a table's cell. */
static void put_cell(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '|')
            fputc('\\', out);
        fputc(*text == '\n' ? ' ' : *text, out);
    }
}

static void put_verdict(FILE *out, const vv_repro_row *row)
{
    const char *reason = row->differs, *note = text_of(row->spec, "note");
    fprintf(out, "**%s**", vv_repro_verdict_texts[row->verdict].name);
    if (reason[0])
        fputs(row->verdict == VV_REPRO_NOT_COMPARABLE ? ": " : " ", out);
    put_cell(out, reason);
    if (note[0] && !vv_repro_verdict_texts[row->verdict].settled) {
        fputs(". ", out);
        put_cell(out, note);
    }
    if (row->motion[0]) {
        fputs(". Motion: ", out);
        put_cell(out, row->motion);
    }
}

/* Whose problem, and what was fitted. */
static void put_problem(FILE *out, const vv_repro_row *row)
{
    fputs(vv_repro_problem_names[row->problem], out);
    if (row->unlike[0]) {
        fputs(": ", out);
        put_cell(out, row->unlike);
    }
    if (text_of(row->spec, "fitted")[0]) {
        fputs("; fitted: ", out);
        put_cell(out, text_of(row->spec, "fitted"));
    }
}

static void put_rows(FILE *out, const vv_repro_item *item)
{
    fputs("| what | published | measured | verdict | problem | source |\n| --- | --- | --- | --- | --- | --- |\n", out);
    for (int i = 0; i < item->rowCount; i++) {
        const vv_repro_row *row = &item->rows[i];
        fputs("| ", out);
        put_cell(out, text_of(row->spec, "label"));
        fputs(" | ", out);
        put_cell(out, row->published);
        fputs(" | ", out);
        put_cell(out, row->measured);
        fputs(" | ", out);
        put_verdict(out, row);
        fputs(" | ", out);
        put_problem(out, row);
        fputs(" | ", out);
        put_cell(out, text_of(row->spec, "from"));
        fputs(" |\n", out);
    }
}

static void put_ends(FILE *out, const vv_repro_item *item)
{
    int early = 0;
    for (int i = 0; i < item->runCount; i++)
        early += !vv_repro_run_done(&item->runs[i]);
    fprintf(out, "\n%d run%s", item->runCount, item->runCount == 1 ? "" : "s");
    fprintf(out, early ? ", of which %d ended early:\n\n" : ", all to their end.\n", early);
    for (int i = 0; i < item->runCount; i++)
        if (!vv_repro_run_done(&item->runs[i]))
            fprintf(out, "- %s: %s\n", item->runs[i].name, vv_repro_run_status(&item->runs[i]));
}

/* A line for each size, with the name of the first run of it. */
static void put_sizes(FILE *out, const vv_repro_item *item)
{
    char text[VV_REPRO_WHY];
    fputs("\nSizes, as run:\n\n", out);
    for (int i = 0; i < item->runCount; i++) {
        const int count = vv_repro_size_count(item, i);
        if (vv_repro_size_before(item, i) || !vv_repro_size_text(&item->runs[i], text)[0])
            continue;
        fprintf(out, "- %s", item->runs[i].name);
        if (count > 1)
            fprintf(out, " and %d more", count - 1);
        fprintf(out, ": %s\n", text);
    }
}

static void put_plots(FILE *out, const vv_repro_item *item)
{
    json_t *plots = json_object_get(item->json, "plots");
    for (int i = 0; i < item->plotCount; i++)
        if (item->plots[i][0])
            fprintf(out, "\n![%s](%s)\n", text_of(json_array_get(plots, (size_t)i), "title"), item->plots[i]);
}

/* Of a table with a column for each verdict. */
static void put_tally_head(FILE *out, const char *first)
{
    fprintf(out, "| %s | rows |", first);
    for (int v = 0; v < VV_REPRO_VERDICTS; v++)
        fprintf(out, " %s |", vv_repro_verdict_texts[v].name);
    fputs("\n| --- | --- |", out);
    for (int v = 0; v < VV_REPRO_VERDICTS; v++)
        fputs(" --- |", out);
}

static void put_counts(FILE *out, const vv_repro_tally *tally)
{
    put_tally_head(out, "problem");
    for (int p = 0; p < VV_REPRO_PROBLEMS; p++) {
        fprintf(out, "\n| %s | %d |", vv_repro_problem_names[p], tally->rows[p]);
        for (int v = 0; v < VV_REPRO_VERDICTS; v++)
            fprintf(out, " %d |", tally->of[p][v]);
    }
    fputs("\n", out);
}

static void put_warnings(FILE *out, const vv_repro *r)
{
    if (r->quick)
        fputs("\n> Short forms (`--quick`): they show that the experiments run; their verdicts say little about the "
              "paper.\n",
              out);
    if (!r->drawn)
        fputs("\n> Without plots: gnuplot is not installed (apt-get install gnuplot-nox).\n", out);
}

static void put_paper(FILE *out, const vv_repro *r, const vv_repro_paper *paper)
{
    const vv_repro_tally tally = vv_repro_count(paper->items, paper->itemCount);
    fprintf(out, "# %s\n\n%s\n", text_of(paper->json, "title"), text_of(paper->json, "citation"));
    if (text_of(paper->json, "about")[0])
        fprintf(out, "\n%s\n", text_of(paper->json, "about"));
    fputs("\n", out);
    put_counts(out, &tally);
    put_warnings(out, r);
    for (int i = 0; i < paper->itemCount; i++) {
        const vv_repro_item *item = &paper->items[i];
        fprintf(out, "\n## %s\n\n%s; item `%s`. %s\n\n", text_of(item->json, "title"), text_of(item->json, "where"),
                item->name, text_of(item->json, "what"));
        put_rows(out, item);
        put_plots(out, item);
        put_ends(out, item);
        put_sizes(out, item);
    }
}

static void put_index(FILE *out, const vv_repro *r)
{
    fputs("# The papers' experiments, repeated\n\n", out);
    put_tally_head(out, "paper");
    for (int p = 0; p < r->paperCount; p++) {
        const vv_repro_tally tally = vv_repro_count(r->papers[p].items, r->papers[p].itemCount);
        fprintf(out, "\n| [%s](%s.md) | %d |", text_of(r->papers[p].json, "title"), r->papers[p].name,
                tally.rows[VV_REPRO_PAPER] + tally.rows[VV_REPRO_LIKE] + tally.rows[VV_REPRO_OTHER]);
        for (int v = 0; v < VV_REPRO_VERDICTS; v++)
            fprintf(out, " %d |", tally.all[v]);
    }
    fputs("\n", out);
    put_warnings(out, r);
}

int vv_repro_write_markdown(const vv_repro *r) { return vv_repro_write_pages(r, "md", put_paper, put_index); }
