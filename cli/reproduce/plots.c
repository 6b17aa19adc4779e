/* Plots of an item: columns of runs over time, measures of many runs over a value of their "for" or of the curve's
 * own, histograms. Drawn by gnuplot as SVG. */
#include "reproduce/reproduce.h"

#include "child.h"
#include "plot/plot.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CURVES = 24, MOST_POINTS = 1500, WIDTH = 900, HEIGHT = 420 };

/* s.times: to the right; named: by the plot, not after its run */
typedef struct curve {
    vv_repro_series s;
    const char *label;
    bool named;
    char text[160];
} curve;

/* ---- checking ---- */

static bool like(const vv_repro_run *run, const json_t *pattern)
{
    return json_is_string(pattern) && fnmatch(json_string_value(pattern), run->name, 0) == 0;
}

static json_t *with_run(const json_t *measure, const vv_repro_run *run)
{
    json_t *out = json_deep_copy(measure);
    json_object_set_new(out, "run", json_string(run->name));
    return out;
}

static int check_over(const vv_repro_item *item, const char *path, const json_t *spec, const vv_repro_run *run,
                      const char *x)
{
    char below[VV_REPRO_PATH];
    if (!x)
        return vv_repro_wrong(item, path,
                              "a curve of a measure over runs needs \"x\" of the plot: a name in the runs' \"for\"");
    if (!json_is_number(json_object_get(run->vars, x)))
        return vv_repro_wrong(item, path, "\"%s\" is no number in the \"for\" of the run \"%s\"", x, run->name);
    json_t *measure = with_run(json_object_get(spec, "measure"), run);
    int code = vv_repro_measure_check(item, vv_repro_path(below, path, "measure"), measure);
    json_decref(measure);
    return code;
}

static int check_point(void *user, const char *path, json_t *spec, json_t *vars)
{
    char below[VV_REPRO_PATH];
    if (!json_is_number(json_object_iter_value(json_object_iter(vars))))
        return vv_repro_wrong(user, path, "the \"for\" of a curve must be numbers");
    return vv_repro_measure_check(user, vv_repro_path(below, path, "measure"), json_object_get(spec, "measure"));
}

/* A curve with a "for" of its own: a point for each of its numbers. */
static int check_for(const vv_repro_item *item, const char *path, json_t *spec)
{
    int code = vv_repro_keys(item, path, spec, "for measure label", "for measure label");
    if (code == VV_CLI_GO && json_object_size(json_object_get(spec, "for")) != 1)
        code = vv_repro_wrong(item, path, "the \"for\" of a curve must have one name, with numbers");
    return code == VV_CLI_GO ? vv_repro_vary(item, path, spec, NULL, check_point, (void *)item) : code;
}

static int check_curve(const vv_repro_item *item, const char *path, json_t *spec, const char *x)
{
    char below[VV_REPRO_PATH];
    if (json_object_get(spec, "for"))
        return check_for(item, path, spec);
    bool over = json_object_get(spec, "over") != NULL;
    int found = 0, code = vv_repro_keys(item, path, spec, over ? "over measure label" : "run column as label",
                                        over ? "over measure" : "run column");
    json_t *pattern = json_object_get(spec, over ? "over" : "run"), *as = json_object_get(spec, "as");
    if (code == VV_CLI_GO && !over)
        code = vv_repro_check_column(item, vv_repro_path(below, path, "column"),
                                     json_string_value(json_object_get(spec, "column")));
    if (code == VV_CLI_GO && as &&
        !(json_is_string(as) && vv_repro_has_word("value change relative part size", json_string_value(as))))
        code =
            vv_repro_wrong(item, vv_repro_path(below, path, "as"), "must be one of: value change relative part size");
    for (int i = 0; i < item->runCount && code == VV_CLI_GO; i++) {
        if (!like(&item->runs[i], pattern))
            continue;
        found++;
        if (over)
            code = check_over(item, path, spec, &item->runs[i], x);
        else if (item->runs[i].kind->work)
            code = vv_repro_wrong(item, path, "the run \"%s\" is of the kind \"%s\", and has no ledger",
                                  item->runs[i].name, item->runs[i].kind->name);
    }
    if (code == VV_CLI_GO && !found)
        code = vv_repro_wrong(item, path, "no run's name is like \"%s\" (* stands for any text)",
                              json_is_string(pattern) ? json_string_value(pattern) : "");
    return code;
}

static int check_plot(const vv_repro_item *item, const char *path, const json_t *spec)
{
    static const char *const texts[] = { "title", "x_label", "y_label", "x" };
    char below[VV_REPRO_PATH], inside[VV_REPRO_PATH];
    size_t index;
    json_t *curve_spec, *curves = json_object_get(spec, "curves"), *log_axes = json_object_get(spec, "log"),
                        *range = json_object_get(spec, "y_range"), *classes = json_object_get(spec, "histogram");
    int code = vv_repro_keys(item, path, spec, "title x_label y_label log x y_range histogram curves", "title curves");
    for (int i = 0; i < 4 && code == VV_CLI_GO; i++)
        if (json_object_get(spec, texts[i]) && !json_is_string(json_object_get(spec, texts[i])))
            code = vv_repro_wrong(item, vv_repro_path(below, path, texts[i]), "must be a text");
    if (code != VV_CLI_GO)
        return code;
    if (log_axes && !(json_is_string(log_axes) && vv_repro_has_word("x y xy", json_string_value(log_axes))))
        return vv_repro_wrong(item, vv_repro_path(below, path, "log"), "must be one of: x, y, xy");
    if (range && !(json_array_size(range) == 2 &&
                   json_number_value(json_array_get(range, 0)) < json_number_value(json_array_get(range, 1))))
        return vv_repro_wrong(item, vv_repro_path(below, path, "y_range"), "must be [low, high]");
    if (classes &&
        !(json_is_integer(classes) && json_integer_value(classes) >= 2 && json_integer_value(classes) <= 500))
        return vv_repro_wrong(item, vv_repro_path(below, path, "histogram"), "must be a whole number from 2 to 500");
    vv_repro_path(below, path, "curves");
    if (!json_is_array(curves) || json_array_size(curves) == 0)
        return vv_repro_wrong(item, below, "must be a list of curves");
    json_array_foreach(curves, index, curve_spec)
    {
        char element[40];
        snprintf(element, sizeof element, "[%zu]", index);
        code = check_curve(item, vv_repro_path(inside, below, element), curve_spec,
                           json_string_value(json_object_get(spec, "x")));
        if (code != VV_CLI_GO)
            return code;
    }
    return VV_CLI_GO;
}

int vv_repro_plots_check(const vv_repro_item *item)
{
    size_t index;
    json_t *plot, *plots = json_object_get(item->json, "plots");
    if (plots && !json_is_array(plots))
        return vv_repro_wrong(item, "plots", "must be a list");
    json_array_foreach(plots, index, plot)
    {
        char path[40];
        snprintf(path, sizeof path, "plots[%zu]", index);
        int code = json_object_get(plot, "maps") ? vv_repro_maps_check(item, path, plot) : check_plot(item, path, plot);
        if (code != VV_CLI_GO)
            return code;
    }
    return VV_CLI_GO;
}

/* ---- curves ---- */

/* Of very many samples the lowest and the highest of each stretch: no peak is lost. */
static void thin_out(vv_repro_series *s)
{
    if (s->count <= 2 * MOST_POINTS)
        return;
    int n = 0, count = s->count;
    for (int k = 0; k < MOST_POINTS; k++) {
        int from = (int)((int64_t)k * count / MOST_POINTS), to = (int)((int64_t)(k + 1) * count / MOST_POINTS),
            low = from, high = from;
        for (int i = from; i < to; i++) {
            low = s->values[i] < s->values[low] ? i : low;
            high = s->values[i] > s->values[high] ? i : high;
        }
        int first = low < high ? low : high, second = low < high ? high : low;
        double times[2] = { s->times[first], s->times[second] }, values[2] = { s->values[first], s->values[second] };
        for (int i = 0; i < 2; i++) {
            s->times[n] = times[i];
            s->values[n++] = values[i];
        }
    }
    s->count = n;
}

/* Shares of the samples in `classes` classes between the least and the largest of all curves. */
static void make_histograms(curve *curves, int count, int classes)
{
    double low = INFINITY, high = -INFINITY;
    for (int c = 0; c < count; c++)
        for (int i = 0; i < curves[c].s.count; i++)
            if (isfinite(curves[c].s.values[i])) {
                low = fmin(low, curves[c].s.values[i]);
                high = fmax(high, curves[c].s.values[i]);
            }
    double width = high > low ? (high - low) / classes : 1;
    for (int c = 0; c < count; c++) {
        vv_repro_series h = { calloc((size_t)classes, sizeof(double)), calloc((size_t)classes, sizeof(double)), 0 };
        int total = 0;
        for (int i = 0; h.times && h.values && i < curves[c].s.count; i++)
            if (isfinite(curves[c].s.values[i])) {
                int k = (int)((curves[c].s.values[i] - low) / width);
                h.values[k < classes ? k : classes - 1]++;
                total++;
            }
        h.count = h.times && h.values ? classes : 0;
        for (int k = 0; k < h.count; k++) {
            h.times[k] = low + (k + 0.5) * width;
            h.values[k] /= total > 0 ? total : 1;
        }
        vv_repro_series_free(&curves[c].s);
        curves[c].s = h;
    }
}

static void add_columns(vv_repro_item *item, const json_t *spec, curve *curves, int *count)
{
    const char *label = json_string_value(json_object_get(spec, "label")),
               *column = json_string_value(json_object_get(spec, "column")),
               *as = json_string_value(json_object_get(spec, "as"));
    char why[VV_REPRO_WHY];
    for (int i = 0; i < item->runCount && *count < MOST_CURVES; i++) {
        curve *c = &curves[*count];
        if (!like(&item->runs[i], json_object_get(spec, "run")))
            continue;
        c->label = label ? label : item->runs[i].name, c->named = label != NULL;
        if (vv_repro_column(&item->runs[i], column, &c->s, why)) {
            vv_repro_express(&c->s, as ? as : "value");
            (*count)++;
        } else {
            vv_repro_series_free(&c->s);
        }
    }
}

/* The points are in the order of their runs. */
static void add_over(vv_repro_item *item, const json_t *spec, const char *x, curve *curves, int *count)
{
    const char *label = json_string_value(json_object_get(spec, "label"));
    curve *c = &curves[*count];
    c->label = label ? label : json_string_value(json_object_get(spec, "over")), c->named = label != NULL;
    c->s = (vv_repro_series){ calloc((size_t)item->runCount + 1, sizeof(double)),
                              calloc((size_t)item->runCount + 1, sizeof(double)), 0 };
    for (int i = 0; c->s.times && c->s.values && i < item->runCount; i++) {
        char why[VV_REPRO_WHY] = "";
        if (!like(&item->runs[i], json_object_get(spec, "over")))
            continue;
        json_t *measure = with_run(json_object_get(spec, "measure"), &item->runs[i]);
        c->s.times[c->s.count] = json_number_value(json_object_get(item->runs[i].vars, x));
        c->s.values[c->s.count++] = vv_repro_measure_value(item, measure, why);
        json_decref(measure);
    }
    (*count)++;
}

typedef struct point_list {
    vv_repro_item *item;
    vv_repro_series *s;
} point_list;

static int add_point(void *user, const char *path, json_t *spec, json_t *vars)
{
    point_list *p = user;
    char why[VV_REPRO_WHY] = "";
    (void)path;
    if (p->s->count < MOST_POINTS) {
        p->s->times[p->s->count] = json_number_value(json_object_iter_value(json_object_iter(vars)));
        p->s->values[p->s->count++] = vv_repro_measure_value(p->item, json_object_get(spec, "measure"), why);
    }
    return VV_CLI_GO;
}

static void add_for(vv_repro_item *item, json_t *spec, curve *curves, int *count)
{
    curve *c = &curves[(*count)++];
    c->label = json_string_value(json_object_get(spec, "label")), c->named = true;
    c->s = (vv_repro_series){ calloc(MOST_POINTS, sizeof(double)), calloc(MOST_POINTS, sizeof(double)), 0 };
    if (c->s.times && c->s.values)
        vv_repro_vary(item, "", spec, NULL, add_point, &(point_list){ item, &c->s });
}

/* How much of the ends of names all have in common: whole parts between commas, and never all of a name. */
static size_t common_end(const curve *curves, int count)
{
    size_t common = 0;
    const size_t length = strlen(curves[0].label);
    for (size_t n = 1; n < length; n++) {
        const char *end = curves[0].label + length - n;
        bool all = strncmp(end, ", ", 2) == 0;
        for (int c = 1; c < count && all; c++) {
            const size_t own = strlen(curves[c].label);
            all = own > n && strcmp(curves[c].label + own - n, end) == 0;
        }
        common = all ? n : common;
    }
    return common;
}

static size_t common_start(const curve *curves, int count)
{
    size_t common = 0;
    for (size_t n = 2; curves[0].label[n - 1] && curves[0].label[n]; n++) {
        bool all = strncmp(curves[0].label + n - 2, ", ", 2) == 0;
        for (int c = 1; c < count && all; c++)
            all = strncmp(curves[c].label, curves[0].label, n) == 0 && curves[c].label[n];
        common = all ? n : common;
    }
    return common;
}

/* Curves that are called after their runs, or after a pattern of runs, are called by what differs: "BE, 1/30, *" and
 * "blend, 1/30, *" by "BE" and "blend". */
static void shorten(curve *curves, int count)
{
    for (int c = 0; c < count; c++)
        if (curves[c].named)
            return;
    if (count < 2)
        return;
    const size_t start = common_start(curves, count), end = common_end(curves, count);
    for (int c = 0; c < count; c++) {
        const size_t length = strlen(curves[c].label);
        if (start + end < length)
            snprintf(curves[c].text, sizeof curves[c].text, "%.*s", (int)(length - start - end),
                     curves[c].label + start);
    }
    for (int c = 0; c < count; c++)
        curves[c].label = *curves[c].text ? curves[c].text : curves[c].label;
}

static int collect(vv_repro_item *item, const json_t *plot, curve curves[MOST_CURVES])
{
    size_t index;
    json_t *spec, *classes = json_object_get(plot, "histogram");
    int count = 0;
    json_array_foreach(json_object_get(plot, "curves"), index, spec)
    {
        if (count == MOST_CURVES)
            break;
        if (json_object_get(spec, "for"))
            add_for(item, spec, curves, &count);
        else if (json_object_get(spec, "over"))
            add_over(item, spec, json_string_value(json_object_get(plot, "x")), curves, &count);
        else
            add_columns(item, spec, curves, &count);
    }
    shorten(curves, count);
    if (classes)
        make_histograms(curves, count, (int)json_integer_value(classes));
    for (int c = 0; c < count; c++)
        thin_out(&curves[c].s);
    return count;
}

/* ---- gnuplot ---- */

static void write_label(FILE *out, const char *what, const char *text)
{
    char quoted[800];
    vv_plot_text(quoted, sizeof quoted, text);
    fprintf(out, "set %s %s noenhanced\n", what, quoted);
}

/* An axis that is asked to be logarithmic is so over a decade or more: over less it would have a single number. */
static bool spans_a_decade(const curve *curves, int count, bool along_x)
{
    double low = INFINITY, high = 0;
    for (int c = 0; c < count; c++)
        for (int i = 0; i < curves[c].s.count; i++) {
            const double value = along_x ? curves[c].s.times[i] : curves[c].s.values[i];
            if (isfinite(value) && isfinite(curves[c].s.values[i]) && value > 0) {
                low = fmin(low, value);
                high = fmax(high, value);
            }
        }
    return high >= 10 * low;
}

static void write_axes(FILE *out, const json_t *plot, const curve *curves, int count)
{
    const char *x = json_string_value(json_object_get(plot, "x_label")),
               *y = json_string_value(json_object_get(plot, "y_label")),
               *log_axes = json_string_value(json_object_get(plot, "log"));
    json_t *range = json_object_get(plot, "y_range");
    bool histogram = json_object_get(plot, "histogram") != NULL;
    write_label(out, "xlabel",
                x                            ? x
                : json_object_get(plot, "x") ? json_string_value(json_object_get(plot, "x"))
                : histogram                  ? "value"
                                             : "time (s)");
    write_label(out, "ylabel", y ? y : histogram ? "share of the steps" : "");
    for (const char *axis = log_axes; axis && *axis; axis++)
        if (spans_a_decade(curves, count, *axis == 'x'))
            fprintf(out, "set logscale %c\nset format %c '10^{%%L}'\n", *axis, *axis);
    if (range)
        fprintf(out, "set yrange [%.9g:%.9g]\n", json_number_value(json_array_get(range, 0)),
                json_number_value(json_array_get(range, 1)));
}

static void write_curves(FILE *out, const curve *curves, int count, bool points)
{
    char quoted[400];
    for (int c = 0; c < count; c++) {
        fprintf(out, "$d%d << EOD\n", c);
        for (int i = 0; i < curves[c].s.count; i++)
            if (isfinite(curves[c].s.values[i]))
                fprintf(out, "%.7g %.7g\n", curves[c].s.times[i], curves[c].s.values[i]);
            else
                fputs("\n", out);
        fputs("EOD\n", out);
    }
    fputs("set key outside right top Left reverse samplen 2 spacing 1.25 noenhanced\nplot", out);
    for (int c = 0; c < count; c++) {
        vv_plot_text(quoted, sizeof quoted, curves[c].label);
        fprintf(out, "%s $d%d using 1:2 with %s lc rgb '%s' lw 1.8 dt %d%s title %s", c ? "," : "", c,
                points ? "linespoints" : "lines", vv_plot_colour(c), 1 + c / 7, points ? " pt 7 ps 0.35" : "", quoted);
    }
    fputs("\nunset output\n", out);
}

static bool draw(const char *folder, const json_t *plot, const curve *curves, int count)
{
    vv_child gnuplot;
    const int size[2] = { WIDTH, HEIGHT };
    json_t *first = json_array_get(json_object_get(plot, "curves"), 0);
    if (!vv_gnuplot_start(&gnuplot, folder, "svg", "plot.svg", size, 9))
        return false;
    write_axes(gnuplot.in, plot, curves, count);
    write_curves(gnuplot.in, curves, count, json_object_get(first, "over") || json_object_get(first, "for"));
    return vv_child_finish(&gnuplot);
}

static bool draw_maps(const vv_repro *r, const vv_repro_item *item, int index, const char *folder)
{
    char from[4200], to[4300];
    snprintf(from, sizeof from, "%s/plot.png", folder);
    snprintf(to, sizeof to, "%.4000s/%s", r->folder, item->plots[index]);
    return vv_repro_maps_draw(item, json_array_get(json_object_get(item->json, "plots"), (size_t)index), folder) &&
           vv_file_deliver(from, to);
}

static bool draw_one(const vv_repro *r, vv_repro_item *item, int index, const char *folder)
{
    char from[4200], to[4300];
    curve curves[MOST_CURVES] = { 0 };
    json_t *plot = json_array_get(json_object_get(item->json, "plots"), (size_t)index);
    int count = collect(item, plot, curves), samples = 0;
    for (int c = 0; c < count; c++)
        for (int i = 0; i < curves[c].s.count; i++)
            samples += isfinite(curves[c].s.values[i]);
    snprintf(from, sizeof from, "%s/plot.svg", folder);
    snprintf(to, sizeof to, "%.4000s/%s", r->folder, item->plots[index]);
    bool good = samples == 0 || (draw(folder, plot, curves, count) && vv_file_deliver(from, to));
    if (samples == 0)
        item->plots[index][0] = 0;
    for (int c = 0; c < MOST_CURVES; c++)
        vv_repro_series_free(&curves[c].s);
    return good;
}

int vv_repro_plots_draw(const vv_repro *r, const vv_repro_paper *paper, vv_repro_item *item)
{
    int count = (int)json_array_size(json_object_get(item->json, "plots"));
    char folder[4096];
    if (count == 0 || !r->drawn)
        return VV_EXIT_OK;
    item->plots = calloc((size_t)count, sizeof *item->plots);
    if (!item->plots || !vv_temporary_folder(folder))
        return VV_EXIT_FAILED;
    bool good = true;
    for (int i = 0; i < count && good; i++) {
        bool maps = json_object_get(json_array_get(json_object_get(item->json, "plots"), (size_t)i), "maps") != NULL;
        snprintf(item->plots[i], sizeof item->plots[i], "%.100s-%.100s-%d.%s", paper->name, item->name, i + 1,
                 maps ? "png" : "svg");
        item->plotCount = i + 1;
        good = maps ? draw_maps(r, item, i, folder) : draw_one(r, item, i, folder);
    }
    vv_temporary_remove(folder);
    return good ? VV_EXIT_OK : VV_EXIT_FAILED;
}
