/* The pages as HTML: one a paper, and an index of them. Whole in themselves but for the plots beside them; no
 * script. */
#include "reproduce/reproduce.h"

#include <string.h>

static const char style[] =
    ":root{--good:#0b6b4f;--bad:#a63d00;--none:#5b6270;--line:#dfe2e7;--soft:#f5f6f8}\n"
    "*{box-sizing:border-box}body{margin:0;font:16px/1.5 'DejaVu "
    "Sans',system-ui,sans-serif;color:#1d2129;background:#fff}\n"
    "main{max-width:64rem;margin:0 auto;padding:2rem 1.5rem 4rem}h1{font-size:2rem;line-height:1.2;margin:.2rem 0 "
    ".4rem}\n"
    "h2{font-size:1.35rem;margin:3rem 0 .3rem;padding-top:1rem;border-top:1px solid "
    "var(--line)}h3{font-size:1rem;margin:1.5rem 0 .4rem}\n"
    "p{max-width:48rem;margin:.4rem 0}a{color:#0b57a4}.cite,.where{color:#5b6270}.where{font-size:.9rem}\n"
    ".tally{display:flex;gap:.6rem;flex-wrap:wrap;margin:1rem 0}.tally span{border:1px solid "
    "var(--line);border-left-width:.35rem;"
    "border-radius:.3rem;padding:.35rem .8rem;background:var(--soft)}.tally b{font-size:1.25rem;margin-right:.3rem}\n"
    ".reproduced,.holds,.goal{border-left-color:var(--good)!important}.fitted,.missed{border-left-color:#b98900!"
    "important}.differs{border-left-color:var(--bad)!important}"
    ".not-comparable{border-left-color:var(--none)!important}\n"
    "table{border-collapse:collapse;width:100%;margin:1rem 0;font-size:.9rem}th{text-align:left;border-bottom:2px "
    "solid #b9bfc9;padding:.4rem .6rem;"
    "font-weight:600}th:first-child{width:30%}td{border-bottom:1px solid var(--line);padding:.4rem "
    ".6rem;vertical-align:top}td.n{white-space:nowrap;"
    "font-variant-numeric:tabular-nums}tr.differs{background:#fff3ea}tr td:first-child{border-left:.3rem solid "
    "transparent}\n"
    ".tally small{display:block;color:#5b6270;font-size:.75rem}\n"
    "tr.reproduced td:first-child,tr.holds td:first-child,tr.goal td:first-child{border-left-color:var(--good)}"
    "tr.fitted td:first-child,tr.missed td:first-child{border-left-color:#b98900}tr.differs "
    "td:first-child{border-left-color:var(--bad)}"
    "tr.not-comparable td:first-child{border-left-color:#b9bfc9}\n"
    ".v{font-weight:600;white-space:nowrap}.reproduced .v,.holds .v,.goal .v{color:var(--good)}.fitted .v,.missed "
    ".v{color:#7a5b00}.differs "
    ".v{color:var(--bad)}.not-comparable .v{color:var(--none)}\n"
    ".why{color:#3f4550}.source{color:#5b6270;font-size:.85rem}figure{margin:1.2rem "
    "0}figcaption{font-size:.9rem;font-weight:600}"
    "img{max-width:100%;height:auto}\n"
    ".warn{border:1px solid #d9b44a;background:#fff9e6;padding:.5rem "
    ".8rem;border-radius:.3rem}details{font-size:.9rem;margin:.8rem 0}"
    "ul{padding-left:1.2rem}li{margin:.2rem 0}\n";

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static void put(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc(*text, out);
        }
}

/* <tag class="...">text</tag> */
static void put_in(FILE *out, const char *tag, const char *class, const char *text)
{
    fprintf(out, class[0] ? "<%s class=\"%s\">" : "<%s>", tag, class);
    put(out, text);
    fprintf(out, "</%s>", tag);
}

static void put_head(FILE *out, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
          "content=\"width=device-width,initial-scale=1\">\n<title>",
          out);
    put(out, title);
    fprintf(out, "</title>\n<style>\n%s</style></head><body><main>\n", style);
}

static void put_tally(FILE *out, const vv_repro_item *items, int count)
{
    const vv_repro_tally tally = vv_repro_count(items, count);
    fputs("<div class=\"tally\">", out);
    for (int v = 0; v < VV_REPRO_VERDICTS; v++) {
        const vv_repro_verdict_text *text = &vv_repro_verdict_texts[v];
        if (!tally.all[v])
            continue;
        fprintf(out, "<span class=\"%s\"><b>%d</b>%s", text->class, tally.all[v],
                tally.all[v] == 1 ? text->name : text->many);
        fprintf(out, "<small>paper's problem %d, like it %d, other %d</small></span>", tally.of[VV_REPRO_PAPER][v],
                tally.of[VV_REPRO_LIKE][v], tally.of[VV_REPRO_OTHER][v]);
    }
    fputs("</div>\n", out);
}

static void put_warnings(FILE *out, const vv_repro *r)
{
    if (r->quick)
        fputs("<p class=\"warn\">Short forms (<code>--quick</code>): they show that the experiments run; their "
              "verdicts say little about the paper.</p>\n",
              out);
    if (!r->drawn)
        fputs("<p class=\"warn\">Without plots: gnuplot is not installed (apt-get install gnuplot-nox).</p>\n", out);
}

/* ---- an item ---- */

static void put_verdict(FILE *out, const vv_repro_row *row)
{
    const char *note = text_of(row->spec, "note"), *reason = row->differs;
    fputs("<td>", out);
    put_in(out, "span", "v", vv_repro_verdict_texts[row->verdict].name);
    if (reason[0]) {
        fputs(row->verdict == VV_REPRO_NOT_COMPARABLE ? ": " : " ", out);
        put_in(out, "span", "why", reason);
    }
    if (note[0] && !vv_repro_verdict_texts[row->verdict].settled) {
        fputs(". ", out);
        put_in(out, "span", "why", note);
    }
    if (row->motion[0]) {
        fputs("<br>Motion: ", out);
        put_in(out, "span", "why", row->motion);
    }
    fputs("</td>", out);
}

static void put_problem(FILE *out, const vv_repro_row *row)
{
    const char *fitted = text_of(row->spec, "fitted");
    fputs("<td class=\"source\">", out);
    put_in(out, "b", "", vv_repro_problem_names[row->problem]);
    if (row->unlike[0]) {
        fputs(": ", out);
        put(out, row->unlike);
    }
    if (fitted[0]) {
        fputs("; fitted: ", out);
        put(out, fitted);
    }
    fputs("</td>", out);
}

static void put_rows(FILE *out, const vv_repro_item *item, int number)
{
    fputs("<table><thead><tr><th>What</th><th>Published</th><th>Measured</th><th>Verdict</th><th>Problem</th>"
          "<th>Source</th></tr></thead><tbody>\n",
          out);
    for (int i = 0; i < item->rowCount; i++) {
        const vv_repro_row *row = &item->rows[i];
        fprintf(out, "<tr class=\"%s\" id=\"i%d-r%d\">", vv_repro_verdict_texts[row->verdict].class, number, i);
        put_in(out, "td", "", text_of(row->spec, "label"));
        put_in(out, "td", row->claim == &vv_repro_claim_published ? "n" : "", row->published);
        put_in(out, "td", strlen(row->measured) < 24 ? "n" : "", row->measured);
        put_verdict(out, row);
        put_problem(out, row);
        put_in(out, "td", "source", text_of(row->spec, "from"));
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table>\n", out);
}

static void put_plots(FILE *out, const vv_repro_item *item)
{
    json_t *plots = json_object_get(item->json, "plots");
    for (int i = 0; i < item->plotCount; i++) {
        if (!item->plots[i][0])
            continue;
        const char *title = text_of(json_array_get(plots, (size_t)i), "title");
        fputs("<figure>", out);
        put_in(out, "figcaption", "", title);
        fputs("<img src=\"", out);
        put(out, item->plots[i]);
        fputs("\" alt=\"", out);
        put(out, title);
        fputs("\"></figure>\n", out);
    }
}

static void put_runs(FILE *out, const vv_repro_item *item)
{
    int early = 0;
    for (int i = 0; i < item->runCount; i++)
        early += !vv_repro_run_done(&item->runs[i]);
    fprintf(out, "<details><summary>%d run%s", item->runCount, item->runCount == 1 ? "" : "s");
    fprintf(out, early ? ", of which %d ended early" : ", all to their end", early);
    fputs("</summary><table><thead><tr><th>Run</th><th>Scene</th><th>Size</th><th>Until</th><th>Status</th></tr></"
          "thead><tbody>\n",
          out);
    for (int i = 0; i < item->runCount; i++) {
        const vv_repro_run *run = &item->runs[i];
        char number[VV_TEXT * 2], size[VV_REPRO_WHY];
        fprintf(out, "<tr class=\"%s\">", vv_repro_run_done(run) ? "" : "differs");
        put_in(out, "td", "", run->name);
        put_in(out, "td", "", run->plan.name);
        put_in(out, "td", "", vv_repro_size_text(run, size));
        fprintf(out, "<td class=\"n\">%s</td>",
                run->kind == &vv_repro_run_matrix || run->kind == &vv_repro_run_equation
                    ? "-"
                    : vv_repro_number(number, run->plan.end));
        put_in(out, "td", "", vv_repro_run_status(run));
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></details>\n", out);
}

static void put_item(FILE *out, const vv_repro_item *item, int number)
{
    fprintf(out, "<h2 id=\"i%d\">", number);
    put(out, text_of(item->json, "title"));
    fputs("</h2><p class=\"where\">", out);
    put(out, text_of(item->json, "where"));
    fputs(" · item <code>", out);
    put(out, item->name);
    fputs("</code></p>\n", out);
    put_in(out, "p", "", text_of(item->json, "what"));
    put_tally(out, item, 1);
    put_plots(out, item);
    put_rows(out, item, number);
    put_runs(out, item);
}

/* ---- pages ---- */

static void put_differences(FILE *out, const vv_repro_paper *paper)
{
    const vv_repro_tally tally = vv_repro_count(paper->items, paper->itemCount);
    if (tally.all[VV_REPRO_DIFFERS] + tally.all[VV_REPRO_BETTER] == 0)
        return;
    fputs("<h3>What differs</h3><ul>\n", out);
    for (int i = 0; i < paper->itemCount; i++)
        for (int k = 0; k < paper->items[i].rowCount; k++) {
            const vv_repro_row *row = &paper->items[i].rows[k];
            if (row->verdict != VV_REPRO_DIFFERS && row->verdict != VV_REPRO_BETTER)
                continue;
            fprintf(out, "<li><a href=\"#i%d-r%d\">", i, k);
            put(out, text_of(paper->items[i].json, "where"));
            fputs("</a>: ", out);
            put(out, text_of(row->spec, "label"));
            fputs(": ", out);
            put(out, row->differs);
            fputs("</li>\n", out);
        }
    fputs("</ul>\n", out);
}

static void put_paper(FILE *out, const vv_repro *r, const vv_repro_paper *paper)
{
    put_head(out, text_of(paper->json, "title"));
    fputs("<p class=\"where\"><a href=\"index.html\">All papers</a></p>\n", out);
    put_in(out, "h1", "", text_of(paper->json, "title"));
    put_in(out, "p", "cite", text_of(paper->json, "citation"));
    put_in(out, "p", "", text_of(paper->json, "about"));
    put_tally(out, paper->items, paper->itemCount);
    put_warnings(out, r);
    fputs("<ul>\n", out);
    for (int i = 0; i < paper->itemCount; i++) {
        fprintf(out, "<li><a href=\"#i%d\">", i);
        put(out, text_of(paper->items[i].json, "title"));
        fputs("</a> <span class=\"where\">", out);
        put(out, text_of(paper->items[i].json, "where"));
        fputs("</span></li>\n", out);
    }
    fputs("</ul>\n", out);
    put_differences(out, paper);
    for (int i = 0; i < paper->itemCount; i++)
        put_item(out, &paper->items[i], i);
    fputs("</main></body></html>\n", out);
}

static void put_index(FILE *out, const vv_repro *r)
{
    put_head(out, "The papers' experiments, repeated");
    fputs("<h1>The papers' experiments, repeated</h1>\n<p>Published values beside those that visviva measures, on the "
          "paper's problem, on one like it, or on another. Verdicts are computed: a published number within the row's "
          "tolerance, or by how much not; a relation that the paper states; a goal of this project; or not comparable, "
          "and why.</p>\n",
          out);
    put_warnings(out, r);
    fputs("<table><thead><tr><th>Paper</th><th>Items</th>", out);
    for (int v = 0; v < VV_REPRO_VERDICTS; v++)
        put_in(out, "th", "", vv_repro_verdict_texts[v].name);
    fputs("</tr></thead><tbody>\n", out);
    for (int p = 0; p < r->paperCount; p++) {
        const vv_repro_tally tally = vv_repro_count(r->papers[p].items, r->papers[p].itemCount);
        fputs("<tr><td><a href=\"", out);
        put(out, r->papers[p].name);
        fputs(".html\">", out);
        put(out, text_of(r->papers[p].json, "title"));
        fprintf(out, "</a></td><td>%d</td>", r->papers[p].itemCount);
        for (int v = 0; v < VV_REPRO_VERDICTS; v++)
            fprintf(out, "<td>%d</td>", tally.all[v]);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></main></body></html>\n", out);
}

int vv_repro_write_html(const vv_repro *r) { return vv_repro_write_pages(r, "html", put_paper, put_index); }
