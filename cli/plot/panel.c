/* One panel of curves as gnuplot commands: ranges, direct labels at the curves' ends, and the look that all panels
 * share. */
#include "cli.h"
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const text_colour = "#3a3a3a";
static const double label_gap = 0.012; /* between the axes and the labels, of the axes' width */

const char *vv_plot_colour(int index)
{
    /* Okabe and Ito's palette */
    static const char *const colours[] = { "#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                           "#e69f00", "#56b4e9", "#222222", "#8c564b" };
    return colours[index % (int)(sizeof colours / sizeof *colours)];
}

void vv_plot_text(char *out, size_t size, const char *text)
{
    size_t n = 0;
    if (size < 4)
        return;
    out[n++] = '\'';
    for (const unsigned char *p = (const unsigned char *)text; *p && n + 3 < size; p++) {
        if (*p == '\'')
            out[n++] = '\'';
        out[n++] = *p < 32 || *p == 127 ? ' ' : (char)*p;
    }
    out[n++] = '\'';
    out[n] = 0;
}

const char *vv_plot_unit(double largest, const char *unit, double *factor, char out[16])
{
    static const char *const prefixes[] = { "n", "µ", "m", "", "k", "M", "G", "T" };
    int step = largest > 0 && isfinite(largest) ? (int)floor(log10(largest * 1.0001) / 3) : 0;
    step = step < -3 ? -3 : step > 4 ? 4 : step;
    *factor = pow(1000, -step);
    snprintf(out, 16, "%s%s", prefixes[step + 3], unit);
    return out;
}

void vv_panel_add(vv_panel *panel, int run, int column, const char *label, const char *colour, const char *style)
{
    if (panel->count < VV_CURVES)
        panel->curves[panel->count++] = (vv_curve){ run, column, label, colour, style };
}

/* ---- ranges ---- */

/* An explosion (implicit midpoint can) must not press all other curves flat: twice the targets' own span is enough. */
static void cap_range(const vv_plot_set *set, const vv_panel *panel, double *low, double *high)
{
    double a = INFINITY, b = -INFINITY;
    for (int c = 0; c < panel->count; c++)
        for (int i = 0; i < set->runs[panel->curves[c].run].count; i++) {
            double t = vv_plot_value(set, panel->curves[c].run, i, VV_TARGET);
            if (isfinite(t)) {
                a = fmin(a, t);
                b = fmax(b, t);
            }
        }
    double span = fmax(b - fmin(a, 0), 1e-300);
    if (*high > b + 2 * span)
        *high = b + span;
    if (*low < fmin(a, 0) - 2 * span)
        *low = fmin(a, 0) - span;
}

static void find_range(const vv_plot_set *set, const vv_panel *panel, double *low, double *high)
{
    *low = panel->fromZero ? 0 : INFINITY;
    *high = panel->fromZero ? 0 : -INFINITY;
    for (int c = 0; c < panel->count; c++)
        for (int i = 0; i < vv_plot_rows(set, panel->curves[c].run, panel->curves[c].column); i++) {
            double value = vv_plot_value(set, panel->curves[c].run, i, panel->curves[c].column);
            if (isfinite(value)) {
                *low = fmin(*low, value);
                *high = fmax(*high, value);
            }
        }
    if (panel->energy)
        cap_range(set, panel, low, high);
    if (isfinite(panel->line)) {
        *low = fmin(*low, panel->line);
        *high = fmax(*high, panel->line);
    }
    if (!(*low <= *high))
        *low = 0, *high = 1;
    double room = 0.06 * (*high - *low);
    if (room <= 1e-12 * fmax(fabs(*low), fabs(*high)))
        room = *high != 0 ? 0.1 * fabs(*high) : 1;
    *high += room;
    if (!(panel->fromZero && *low == 0))
        *low -= room;
}

/* ---- labels at the curves' ends ---- */

typedef struct end_label {
    int curve;
    double at;
} end_label;

static int compare_labels(const void *a, const void *b)
{
    const end_label *x = a, *y = b;
    return x->at != y->at ? (x->at < y->at ? -1 : 1) : x->curve - y->curve;
}

/* Heights (0 to 1 of the axis) of the labels, moved apart until no two are closer than `gap`. */
static int spread_labels(const vv_plot_set *set, const vv_panel *panel, double low, double high, double gap,
                         end_label labels[VV_CURVES])
{
    int count = 0;
    for (int c = 0; c < panel->count; c++) {
        if (!panel->curves[c].label)
            continue;
        const int run = panel->curves[c].run, rows = vv_plot_rows(set, run, panel->curves[c].column);
        int used = 0;
        double sum = 0; /* the mean of the last twentieth: an oscillation's end says little */
        for (int i = rows - 1 - rows / 20; i < rows; i++) {
            double value = vv_plot_value(set, run, i < 0 ? 0 : i, panel->curves[c].column);
            if (isfinite(value)) {
                sum += value;
                used++;
            }
        }
        double at = used ? (sum / used - low) / (high - low) : 0.5;
        labels[count++] = (end_label){ c, fmin(fmax(at, 0), 1) };
    }
    qsort(labels, (size_t)count, sizeof *labels, compare_labels);
    for (int round = 0; round < 200; round++)
        for (int i = 0; i + 1 < count; i++) {
            double lack = gap - (labels[i + 1].at - labels[i].at);
            if (lack > 0) {
                labels[i].at -= lack / 2;
                labels[i + 1].at += lack / 2;
            }
            if (labels[i].at < 0)
                labels[i].at = 0;
            if (labels[i + 1].at > 1)
                labels[i + 1].at = 1;
        }
    return count;
}

/* Bytes of the text's first `most` characters, so many that an ellipsis still goes behind them. */
static size_t fitting(const char *text, int most, size_t size)
{
    size_t n = 0;
    int count = 0;
    for (; text[n] && n + 4 < size; n++) {
        bool starts = ((unsigned char)text[n] & 0xc0) != 0x80;
        if (starts && count++ >= most)
            break;
    }
    return n;
}

void vv_plot_shorten(const char *text, int most, char *out, size_t size)
{
    size_t n = fitting(text, most, size);
    const char *policy = strstr(text, " + ");
    if (text[n] && policy && !strchr(text, ':') && !policy[3 + fitting(policy + 3, most, size)])
        n = fitting(text = policy + 3, most, size);
    snprintf(out, size, "%.*s%s", (int)n, text, text[n] ? "…" : "");
}

static void write_labels(FILE *out, const vv_plot_set *set, const vv_panel *panel, double low, double high, double gap,
                         int most)
{
    end_label labels[VV_CURVES];
    char text[400], words[180];
    int count = spread_labels(set, panel, low, high, gap, labels);
    for (int i = 0; i < count; i++) {
        const vv_curve *curve = &panel->curves[labels[i].curve];
        vv_plot_shorten(curve->label, most, words, sizeof words);
        vv_plot_text(text, sizeof text, words);
        fprintf(out, "set label %d %s at graph %.4f, graph %.5f left tc rgb '%s' noenhanced\n", i + 10, text,
                1 + label_gap, labels[i].at, curve->colour);
    }
}

/* ---- commands ---- */

/* 1, 2 or 5 times a power of ten, so that at most `most` steps fill the span. */
static double tic_step(double span, double most)
{
    double least = span / fmax(most, 2), power = pow(10, floor(log10(least))), lead = least / power;
    return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

static void write_curve(FILE *out, const vv_plot_set *set, const vv_curve *curve, double factor, bool first)
{
    char file[4300];
    const bool field = curve->column >= VV_COLUMNS;
    vv_plot_text(file, sizeof file, field ? set->runs[curve->run].fields.data : set->runs[curve->run].data);
    fprintf(out, "%s %s using 1:($%d*%.9g) with %s lc rgb '%s' %s notitle", first ? "plot" : ",", file,
            field ? curve->column - VV_COLUMNS + 2 : curve->column, factor, field ? "linespoints pt 7 ps 0.5" : "lines",
            curve->colour, curve->style);
}

void vv_panel_write(FILE *out, const vv_plot_set *set, const vv_panel *panel, const vv_plot_frame *frame,
                    const int size[2], double font, bool last)
{
    double low, high, factor = 1;
    char unit[16] = "";
    find_range(set, panel, &low, &high);
    if (panel->unit && strncmp(panel->unit, "kg", 2) == 0) /* no millikilograms */
        snprintf(unit, sizeof unit, "%s", panel->unit);
    else if (panel->unit)
        vv_plot_unit(fmax(fabs(low), fabs(high)), panel->unit, &factor, unit);
    double height = frame->bottom - frame->top;
    fprintf(out, "unset label\nunset arrow\nset lmargin at screen %.6f\nset rmargin at screen %.6f\n",
            frame->left / size[0], frame->right / size[0]);
    fprintf(out, "set tmargin at screen %.6f\nset bmargin at screen %.6f\n", 1 - frame->top / size[1],
            1 - frame->bottom / size[1]);
    fprintf(out, "set xrange [0:%.9g]\nset yrange [%.9g:%.9g]\n", set->timeEnd > 0 ? set->timeEnd : 1, low * factor,
            high * factor);
    fprintf(out, "set ytics %.9g\n", tic_step((high - low) * factor, height / (3.6 * font)));
    fprintf(out, last ? "set format x '%%g'\nset xlabel 'time (s)' offset 0,0.3\n" : "set format x ''\nunset xlabel\n");
    fprintf(out, "set label 1 \"%s%s%s%s\" at graph 0, graph 1 offset 0,0.9 left tc rgb '%s'\n", panel->title,
            panel->unit ? "  (" : "", unit, panel->unit ? ")" : "", text_colour);
    if (isfinite(panel->line))
        fprintf(out,
                "set arrow 1 from graph 0, first %.9g to graph 1, first %.9g nohead lc rgb '#9a9a9a' lw 1 dt 3 back\n",
                panel->line * factor, panel->line * factor);
    if (panel->extra)
        fprintf(out, "%s\n", panel->extra);
    write_labels(out, set, panel, low, high, 1.45 * font * 4 / 3 / height,
                 (int)((size[0] - frame->right - label_gap * (frame->right - frame->left)) / (0.74 * font)));
    int drawn = 0;
    for (int pass = 0; pass < 2; pass++) /* references first, so that others lie over them */
        for (int c = 0; c < panel->count; c++)
            if (set->runs[panel->curves[c].run].reference == (pass == 0))
                write_curve(out, set, &panel->curves[c], factor, drawn++ == 0);
    if (panel->count == 0)
        fprintf(out, "plot NaN notitle");
    fprintf(out, "\n");
}

/* The same change of an earlier run at the same time: branches share what came before. */
static bool is_shared(const vv_plot_set *set, int run, double time, const char *what)
{
    int row = 0;
    for (int r = 0; r < run; r++)
        for (int i = 0; i < vvRunChangeCount(set->runs[r].run); i++) {
            const char *other = vvRunChange(set->runs[r].run, i, &row);
            if (strcmp(other, what) == 0 && row < set->runs[r].count && set->runs[r].rows[row].time == time)
                return true;
        }
    return false;
}

/* "integrator.policy=none" needs no more than "policy=none" beside a line. */
static void shorten_change(const char *what, int most, char *out, size_t size)
{
    static const char *const groups[] = { "integrator.", "solver.", "contact.", "materials." };
    char text[600];
    size_t used = 0;
    while (*what && used + 1 < sizeof text) {
        for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
            if (strncmp(what, groups[g], strlen(groups[g])) == 0)
                what += strlen(groups[g]);
        size_t n = strcspn(what, ",");
        n += strspn(what + n, ", ");
        used += (size_t)snprintf(text + used, sizeof text - used, "%.*s", (int)n, what);
        used = used < sizeof text ? used : sizeof text - 1;
        what += n;
    }
    text[used] = 0;
    vv_plot_shorten(text, most, out, size);
}

void vv_plot_write_changes(FILE *out, const vv_plot_set *set, bool labels, double font, int most)
{
    enum { FIRST_ARROW = 200, FIRST_LABEL = 200 };
    static const double gap = 0.011; /* between line and label, of the time axis */
    char words[600], text[1300];
    enum { MOST_LABELS = 16, MOST_LINES = 400 }; /* a game may change something in every step */
    int number = 0, row = 0, total = 0;
    for (int r = 0; r < set->count; r++)
        total += vvRunChangeCount(set->runs[r].run);
    labels = labels && total <= MOST_LABELS;
    fprintf(out, "set style textbox opaque noborder fillcolor rgb '#ffffff' margins 0.3,0.1\n");
    for (int r = 0; r < set->count; r++)
        for (int i = 0; i < vvRunChangeCount(set->runs[r].run); i++) {
            const char *what = vvRunChange(set->runs[r].run, i, &row);
            double time = row < set->runs[r].count ? set->runs[r].rows[row].time : NAN;
            if (!isfinite(time) || !(set->timeEnd > 0) || number >= MOST_LINES || is_shared(set, r, time, what))
                continue;
            const char *colour = set->count > 1 ? set->runs[r].colour : "#555555";
            fprintf(out,
                    "set arrow %d from first %.9g, graph 0 to first %.9g, graph 1 nohead back lc rgb '%s' lw 1.2 dt "
                    "(4,3)\n",
                    FIRST_ARROW + number, time, time, colour);
            shorten_change(what, most, words, sizeof words);
            vv_plot_text(text, sizeof text, words);
            if (labels) /* upwards along the line, on its right at the left border */
                fprintf(out,
                        "set label %d %s at first %.9g, graph 0.98 right rotate by 90 noenhanced front boxed font "
                        "',%g' tc rgb '%s'\n",
                        FIRST_LABEL + number, text,
                        time + (time < 4 * gap * set->timeEnd ? 1.5 : -1) * gap * set->timeEnd, 0.85 * font, colour);
            number++;
        }
}

bool vv_gnuplot_start(vv_child *gnuplot, const char *folder, const char *terminal, const char *file, const int size[2],
                      double font)
{
    char log[4200], target[4200], quoted[4300];
    const char *argv[] = { "gnuplot", "-", NULL };
    snprintf(log, sizeof log, "%s/log", folder);
    snprintf(target, sizeof target, "%s/%s", folder, file);
    vv_plot_text(quoted, sizeof quoted, target);
    if (!vv_child_start(gnuplot, argv, "gnuplot-nox", log))
        return false;
    FILE *out = gnuplot->in;
    fprintf(out, "set encoding utf8\nset decimalsign '.'\n");
    if (strcmp(terminal, "svg") == 0)
        fprintf(
            out,
            "set terminal svg enhanced size %d,%d font 'DejaVu Sans,Helvetica,sans-serif,%g' background '#ffffff'\n",
            size[0], size[1], font * 4 / 3);
    else
        fprintf(out, "set terminal pngcairo enhanced size %d,%d font 'DejaVu Sans,%g' background '#ffffff'\n", size[0],
                size[1], font);
    fprintf(out, "set output %s\nset datafile missing 'NaN'\n", quoted);
    fprintf(out, "set border 3 lc rgb '#8a8a8a' lw 1\nset tics nomirror out scale 0.6 tc rgb '%s'\n", text_colour);
    fprintf(out, "set xlabel tc rgb '%s'\nset grid ytics lc rgb '#e4e4e4' lw 1 lt 1\nunset key\n", text_colour);
    return !ferror(out);
}
