/* What a sheet says in words, and its chart. gnuplot draws both. */
#include "cli.h"
#include "plot/sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_CHANGE = 36 }; /* characters beside the line of a change */
enum { MOST_SHOWN = 3 };      /* runs; of more, the curves of their visible energies would hide the others */

/* ---- words ---- */

/* Mean of (H - rest) / (target - rest), in per cent, over the last tenth of the run: the last moment alone says little
 * where the energy swings around its target. NaN where the target is not above rest. */
static double kept_energy(const vv_plot_run *r)
{
    double rest = r->ground, from = 0.9 * r->rows[r->count - 1].time, sum = 0;
    int used = 0;
    for (int i = 0; i < r->count; i++) {
        double span = r->rows[i].target - rest;
        if (r->rows[i].time < from)
            continue;
        if (!(span > 1e-9 * r->scale))
            return NAN;
        sum += 100 * (r->rows[i].total - rest) / span;
        used++;
    }
    return used ? sum / used : NAN;
}

/* What the run did with its energy, against its own target where that is above the level at rest. */
static void verdict(const sheet *s, int run, char *out, size_t size)
{
    const vv_plot_run *r = &s->set.runs[run];
    const vvLedgerRow *first = &r->rows[0], *last = &r->rows[r->count - 1];
    double kept = kept_energy(r);
    bool untouched = fabs(last->target - first->total) <= 1e-6 * fabs(first->total - r->ground);
    bool ended = strcmp(vvRunStatusText(r->run), "done") == 0;
    if (!ended)
        snprintf(out, size, "stopped at t = %.3g s", last->time);
    else if (isfinite(kept) && kept >= 300) {
        double digit = pow(10, fmax(0, floor(log10(0.01 * kept)) - 1)); /* two digits, and zeros up to a million */
        snprintf(out, size, kept < 1e8 ? "energy grows %.0f-fold" : "energy grows %.2g-fold",
                 round(0.01 * kept / digit) * digit);
    } else if (isfinite(kept) && kept > -1e4)
        snprintf(out, size, untouched ? "keeps %.0f%% of its energy" : "ends at %.0f%% of its target",
                 kept < 0.5 && kept > -0.5 ? 0.0 : kept);
    else if (r->scale > 0)
        snprintf(out, size, "numerical error %+.1f%%", 100 * r->sums[5 * (r->count - 1) + 4] / r->scale);
    else
        out[0] = 0;
}

/* How much of the kinetic energy that is booked the motion shows, over the last tenth, where that is not simply all. */
static void add_shown(const sheet *s, int run, char *out, size_t size)
{
    const vv_plot_run *r = &s->set.runs[run];
    const vvLedgerRow *last = &r->rows[r->count - 1];
    double kinetic = 0, visible = 0;
    int used = 0;
    for (int i = 1; i < r->count; i++)
        if (r->rows[i].time >= 0.9 * last->time) {
            kinetic += r->rows[i].kinetic;
            visible += r->rows[i].visible;
            used++;
        }
    double percent = 100 * visible / kinetic;
    out[0] = 0;
    if (kinetic > 1e-3 * r->scale * used && fabs(percent - 100) >= 5 && percent < 1e4)
        snprintf(out, size, "kinetic: %.0f%% visible", percent);
}

/* A name that is too long for the margin goes over two lines, at a plus sign or a space. */
static void split_label(const char *label, char first[160], char second[160])
{
    size_t n = strlen(label), cut = 0;
    snprintf(first, 160, "%s", label);
    second[0] = 0;
    if (n <= 22)
        return;
    for (size_t i = 1; i < n; i++)
        if (label[i] == ' ' && (i <= 22 || cut == 0) && label[i - 1] != '+')
            cut = i;
    if (cut == 0)
        return;
    snprintf(first, 160, "%.*s", (int)cut, label);
    snprintf(second, 160, "%s", label + cut + 1);
}

static void write_words(FILE *out, const sheet *s, int run, int *number, double font)
{
    char first[160], second[160], said[160], shown[160], text[400];
    double u = s->scale, x = (s->right + 16 * u) / s->size[0];
    double middle = vv_sheet_strip_top(s, run) + s->tileHeight / 2.0;
    split_label(s->set.runs[run].label, first, second);
    verdict(s, run, said, sizeof said);
    add_shown(s, run, shown, sizeof shown);
    const char *lines[4] = { first, second, said, shown };
    double y = middle - (second[0] ? 24 : 12) * u;
    for (int i = 0; i < 4; i++) {
        if (!lines[i][0])
            continue;
        vv_plot_text(text, sizeof text, lines[i]);
        fprintf(out, "set label %d %s at screen %.6f, screen %.6f left noenhanced font ',%g' tc rgb '%s'\n",
                (*number)++, text, x, 1 - y / s->size[1], font * (i >= 2 ? 0.98 : 1.22),
                i >= 2 ? "#4a4a4a" : s->set.runs[run].colour);
        y += 25 * u;
    }
}

/* A time step as people write it: 1/120 where it is that. */
static void step_text(double h, char out[48])
{
    double n = h > 0 ? 1 / h : 0;
    if (n >= 1.5 && n < 1e5 && fabs(n - round(n)) < 1e-6 * n)
        snprintf(out, 48, "1/%.0f s", n);
    else
        snprintf(out, 48, "%.4g s", h);
}

/* Below the title: the time step, where all runs have the same. */
static void write_times(FILE *out, const sheet *s, double font)
{
    char step[48];
    double h = vvRunTimeStep(s->set.runs[0].run);
    for (int r = 1; r < s->set.count; r++)
        if (fabs(vvRunTimeStep(s->set.runs[r].run) - h) > 1e-9 * h)
            return;
    step_text(h, step);
    fprintf(out, "set label 9 'time step %s' at screen %.6f, screen %.6f left font ',%g' tc rgb '#777777'\n", step,
            s->left / s->size[0], 1 - 62 * s->scale / s->size[1], font);
}

/* gnuplot commands for all that is outside the chart: title, the runs' names, moments. Malloc'ed. */
static char *write_extra(const sheet *s, double font)
{
    char *text = NULL, title[700], quoted[1500];
    size_t length = 0;
    int number = 40;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    snprintf(title, sizeof title, "%s", s->o->title ? s->o->title : vvRunSceneName(s->set.runs[0].run));
    vv_plot_text(quoted, sizeof quoted, title);
    fprintf(out, "set label 8 %s at screen %.6f, screen %.6f left noenhanced font ',%g' tc rgb '#222222'\n", quoted,
            s->left / s->size[0], 1 - 32 * s->scale / s->size[1], 1.75 * font);
    write_times(out, s, font);
    if (s->pictures && *s->legend.quantity)
        vv_legend_words(out, &s->legend, s->bar, s->size, font, 30);
    for (int r = 0; s->pictures && r < s->set.count; r++)
        write_words(out, s, r, &number, font);
    for (int t = 0; s->pictures && t < s->tiles; t++)
        fprintf(out, "set arrow %d from first %.9g, graph 0 to first %.9g, graph 1 nohead back lc rgb '#dcdcdc' lw 1\n",
                40 + t, s->moments[t], s->moments[t]);
    vv_plot_write_changes(out, &s->set, true, font, LONGEST_CHANGE);
    fclose(out);
    return text;
}

/* ---- the chart ---- */

static bool shows_visible(const vv_plot_set *set)
{
    for (int r = 0; r < set->count && set->count <= MOST_SHOWN; r++)
        if (vv_plot_has(set, r, VV_VISIBLE))
            return true;
    return false;
}

bool vv_sheet_draw_chart(sheet *s)
{
    vv_child gnuplot;
    double font = 11.5 * s->scale;
    vv_panel panel = { .unit = "J", .energy = true, .fromZero = true, .line = NAN };
    bool shown = shows_visible(&s->set);
    snprintf(panel.title, sizeof panel.title, "{/:Bold Total energy}%s, targets dashed%s",
             s->grounded ? " above rest" : "", shown ? ", visible kinetic energy thin" : "");
    for (int r = 0; shown && r < s->set.count; r++)
        vv_panel_add(&panel, r, VV_VISIBLE, NULL, s->set.runs[r].colour, "lw 1.1");
    for (int r = 0; r < s->set.count; r++)
        vv_panel_add(&panel, r, VV_TARGET, NULL, s->set.runs[r].colour, "lw 1.6 dt (9,6)");
    for (int r = 0; r < s->set.count; r++)
        vv_panel_add(&panel, r, VV_TOTAL, s->set.runs[r].label, s->set.runs[r].colour, "lw 2.6");
    char *extra = write_extra(s, font);
    if (!extra || !vv_gnuplot_start(&gnuplot, s->set.folder, "pngcairo", "sheet.png", s->size, font)) {
        free(extra);
        return false;
    }
    const vv_plot_frame frame = { s->left, s->right, s->chartTop, s->chartBottom };
    panel.extra = extra;
    vv_panel_write(gnuplot.in, &s->set, &panel, &frame, s->size, font, true);
    fprintf(gnuplot.in, "unset output\n");
    free(extra);
    char path[4200];
    snprintf(path, sizeof path, "%s/sheet.png", s->set.folder);
    return vv_child_finish(&gnuplot) && vv_image_read(path, &s->image);
}
