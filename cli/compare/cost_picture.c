/* The picture: error over Newton iterations and over seconds of processors, both axes logarithmic, a curve a method. A
 * band is the range of its starts. A cross at the top is a point at which no start reached the end, a hollow mark one
 * at which some did; below the grey line no run can be told from truth. */
#include "child.h"
#include "compare/cost.h"
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1200, HEIGHT = 560, COLOURS = 8 };

typedef struct panel {
    const char *title, *label;
    double left, right; /* as parts of the width */
    double (*cost)(const vv_cost_point *);
} panel;

static double iterations(const vv_cost_point *p) { return p->newton; }
static double seconds(const vv_cost_point *p) { return p->processor; }

static const panel panels[] = {
    { "Error over Newton iterations", "Newton iterations of a run", 0.062, 0.40, iterations },
    { "Error over time", "seconds of processors of a run", 0.465, 0.803, seconds },
};

/* ---- ranges ---- */

typedef struct range {
    double low, high;
} range;

static void widen(range *r, double value)
{
    if (isfinite(value) && value > 0) {
        r->low = fmin(r->low, value);
        r->high = fmax(r->high, value);
    }
}

/* Of the errors; with room above for crosses. */
static range find_errors(const vv_cost *c)
{
    range r = { INFINITY, 0 };
    for (int i = 0; i < c->methods->count * c->stepCount; i++) {
        widen(&r, c->points[i].low);
        widen(&r, c->points[i].error);
        widen(&r, c->points[i].high);
    }
    if (!(r.high > 0))
        r = (range){ 0.1, 1 };
    if (c->truth.known.total > r.low / 10)
        widen(&r, c->truth.known.total);
    return (range){ r.low / 1.5, r.high * 3 };
}

static range find_costs(const vv_cost *c, const panel *p)
{
    range r = { INFINITY, 0 };
    for (int i = 0; i < c->methods->count * c->stepCount; i++)
        widen(&r, p->cost(&c->points[i]));
    if (!(r.high > 0))
        r = (range){ 1, 10 };
    return (range){ r.low / 1.4, r.high * 1.4 };
}

/* ---- one panel ---- */

typedef enum marks { GOOD, SOME, NONE } marks; /* all starts reached the end, some, none */

static marks mark_of(const vv_cost_point *p) { return p->done == 0 ? NONE : p->done < p->starts ? SOME : GOOD; }

static bool is_drawn(const vv_cost_point *p, const panel *in)
{
    return p->there && isfinite(in->cost(p)) && in->cost(p) > 0 && (p->done == 0 || p->error > 0);
}

/* x, error, lowest, highest; then the same points by their marks. */
static void write_data(FILE *out, const vv_cost *c, int number, int method, const panel *p, double top)
{
    fprintf(out, "$c%d_%d << EOD\n", number, method);
    for (int s = 0; s < c->stepCount; s++) {
        const vv_cost_point *at = vv_cost_at(c, method, s);
        if (is_drawn(at, p) && at->done > 0)
            fprintf(out, "%.8g %.8g %.8g %.8g\n", p->cost(at), at->error, fmax(at->low, 1e-12), at->high);
    }
    fputs("EOD\n", out);
    for (int mark = GOOD; mark <= NONE; mark++) {
        fprintf(out, "$m%d_%d_%d << EOD\n", number, method, mark);
        for (int s = 0; s < c->stepCount; s++) {
            const vv_cost_point *at = vv_cost_at(c, method, s);
            if (is_drawn(at, p) && (int)mark_of(at) == mark)
                fprintf(out, "%.8g %.8g\n", p->cost(at), mark == NONE ? top : at->error);
        }
        fputs("EOD\n", out);
    }
}

static int count_of(const vv_cost *c, int method, const panel *p, bool good)
{
    int count = 0;
    for (int s = 0; s < c->stepCount; s++) {
        const vv_cost_point *at = vv_cost_at(c, method, s);
        count += is_drawn(at, p) && (at->done > 0) == good;
    }
    return count;
}

static bool has_mark(const vv_cost *c, int method, const panel *p, marks mark)
{
    for (int s = 0; s < c->stepCount; s++)
        if (is_drawn(vv_cost_at(c, method, s), p) && mark_of(vv_cost_at(c, method, s)) == mark)
            return true;
    return false;
}

static bool has_band(const vv_cost *c, int method, const panel *p)
{
    for (int s = 0; s < c->stepCount; s++) {
        const vv_cost_point *at = vv_cost_at(c, method, s);
        if (is_drawn(at, p) && at->done > 1 && at->high > at->low)
            return count_of(c, method, p, true) > 1;
    }
    return false;
}

static void write_curve(FILE *out, const vv_cost *c, int number, int method, const panel *p)
{
    static const int points[] = { 7, 5, 9, 11, 13 }, hollow[] = { 6, 4, 8, 10, 12 };
    const char *colour = vv_plot_colour(method % COLOURS);
    const int round = method / COLOURS % 5, dash = 1 + method / COLOURS;
    if (has_band(c, method, p))
        fprintf(out, ", $c%d_%d using 1:3:4 with filledcurves fs transparent solid 0.13 noborder lc rgb '%s' notitle",
                number, method, colour);
    if (count_of(c, method, p, true) > 1)
        fprintf(out, ", $c%d_%d using 1:2 with lines lc rgb '%s' lw 1.8 dt %d notitle", number, method, colour, dash);
    for (int mark = GOOD; mark <= NONE; mark++)
        if (has_mark(c, method, p, (marks)mark))
            fprintf(out, ", $m%d_%d_%d using 1:2 with points lc rgb '%s' pt %d ps %g lw 1.6 notitle", number, method,
                    mark, colour,
                    mark == GOOD   ? points[round]
                    : mark == SOME ? hollow[round]
                                   : 2,
                    mark == NONE ? 1.1 : 0.8);
}

/* 1, 2 and 5 of each decade where there are few decades, else 1 alone. */
static void write_tics(FILE *out, char axis, range r)
{
    const double parts[] = { 1, 2, 5 };
    const int each = r.high / r.low > 300 ? 1 : 3;
    const char *before = "";
    fprintf(out, "set %ctics (", axis);
    for (int decade = (int)floor(log10(r.low)); decade <= (int)floor(log10(r.high)); decade++)
        for (int k = 0; k < each; k++) {
            const double at = parts[k] * pow(10, decade);
            if (at < r.low || at > r.high)
                continue;
            fprintf(out, "%s'%g' %.6g", before, at, at);
            before = ", ";
        }
    fprintf(out, ")\n");
}

static void write_panel(FILE *out, const vv_cost *c, int number, range errors)
{
    const panel *p = &panels[number];
    const range costs = find_costs(c, p);
    fprintf(out,
            "set lmargin at screen %.4f\nset rmargin at screen %.4f\nset tmargin at screen 0.86\nset bmargin at screen "
            "0.15\n",
            p->left, p->right);
    fprintf(out, "set logscale xy\nset xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\nset format '%%g'\n", costs.low,
            costs.high, errors.low, errors.high);
    write_tics(out, 'x', costs);
    write_tics(out, 'y', errors);
    fprintf(out, "set xlabel '%s'\nset ylabel '%s' offset 1.5,0\n", p->label, number == 0 ? "error against truth" : "");
    fprintf(out, "set label 1 '{/:Bold %s}' at screen %.4f, screen 0.895 left\n", p->title, p->left);
    for (int m = 0; m < c->methods->count; m++)
        write_data(out, c, number, m, p, errors.high / 1.5);
    fprintf(out, "plot %.8g with lines lc rgb '#9a9a9a' lw 1.2 dt (6,5) notitle",
            isfinite(c->truth.known.total) ? c->truth.known.total : NAN);
    for (int m = 0; m < c->methods->count; m++)
        write_curve(out, c, number, m, p);
    fprintf(out, "\nunset label 1\n");
}

/* ---- words ---- */

static void put_text(FILE *out, int label, const char *text, double x, double y, double font, const char *colour)
{
    char quoted[900];
    vv_plot_text(quoted, sizeof quoted, text);
    fprintf(out, "set label %d %s at screen %.4f, screen %.4f left noenhanced font ',%g' tc rgb '%s'\n", label, quoted,
            x, y, font, colour);
}

static void write_legend(FILE *out, const vv_cost *c, double font)
{
    const double x = 0.83, line = c->methods->count > 14 ? 0.037 : 0.05;
    double y = 0.86;
    for (int m = 0; m < c->methods->count; m++, y -= line) {
        char name[40];
        vv_plot_shorten(c->methods->settings[m].label, 26, name, sizeof name);
        fprintf(out,
                "set arrow %d from screen %.4f, screen %.4f to screen %.4f, screen %.4f nohead lc rgb '%s' lw 2.4 dt "
                "%d\n",
                100 + m, x, y, x + 0.022, y, vv_plot_colour(m % COLOURS), 1 + m / COLOURS);
        put_text(out, 100 + m, name, x + 0.027, y, font, "#222222");
    }
}

static void write_words(FILE *out, const vv_cost *c, double font)
{
    char text[500], first[48], last[48];
    bool failed = false;
    for (int i = 0; i < c->methods->count * c->stepCount; i++)
        failed = failed || (c->points[i].there && c->points[i].done < c->points[i].starts);
    snprintf(text, sizeof text, "%.200s: error against truth over cost", c->points[0].scene);
    put_text(out, 2, text, panels[0].left, 0.962, 1.35 * font, "#222222");
    snprintf(text, sizeof text, "steps from %s s (left) to %s s%s%s%s", vv_study_step_text(c->steps[0], first),
             vv_study_step_text(c->steps[c->stepCount - 1], last),
             c->truth.known.total > find_errors(c).low ? "; dashed: truth itself" : "",
             c->points[0].starts > 1 ? "; bands: the range of the starts" : "", failed ? "; crosses: failed" : "");
    put_text(out, 3, text, panels[0].left, 0.022, 0.95 * font, "#4a4a4a");
    write_legend(out, c, font);
}

/* ---- the files ---- */

static int draw(const vv_cost *c, const char *folder, const char *terminal, const char *name)
{
    const int size[2] = { WIDTH, HEIGHT };
    const double font = 10;
    char from[4200], to[4300];
    vv_child gnuplot;
    snprintf(from, sizeof from, "%s/%s", folder, name);
    snprintf(to, sizeof to, "%.4000s/%s", c->folder, name);
    if (!vv_gnuplot_start(&gnuplot, folder, terminal, name, size, font))
        return VV_EXIT_FAILED;
    fprintf(gnuplot.in, "set multiplot\n");
    write_words(gnuplot.in, c, font);
    const range errors = find_errors(c);
    for (int i = 0; i < 2; i++) {
        write_panel(gnuplot.in, c, i, errors);
        if (i == 0)
            fprintf(gnuplot.in, "unset label\nunset arrow\n");
    }
    fprintf(gnuplot.in, "unset multiplot\nunset output\n");
    if (!vv_child_finish(&gnuplot) || !vv_file_deliver(from, to))
        return VV_EXIT_FAILED;
    if (!c->quiet)
        printf("%s\n", to);
    return VV_EXIT_OK;
}

int vv_cost_draw(const vv_cost *c)
{
    char folder[4096];
    if (!vv_child_exists("gnuplot")) {
        fprintf(stderr, "compare: without the picture: gnuplot is not installed (apt-get install gnuplot-nox)\n");
        return VV_EXIT_OK;
    }
    if (!vv_temporary_folder(folder))
        return VV_EXIT_FAILED;
    int code = draw(c, folder, "pngcairo", "cost.png");
    if (code == VV_EXIT_OK)
        code = draw(c, folder, "svg", "cost.svg");
    vv_temporary_remove(folder);
    return code;
}
