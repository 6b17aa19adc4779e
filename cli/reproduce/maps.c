/* Plots of maps: the iterations of runs of the kind "convergence", one picture for each, in rows and columns, as PNG
 * by gnuplot. Colours are those of Gast and Schroeder 2014, Fig. 2: from black (no iteration) by blue (half of
 * `full`) to cyan (`full` and more), and red where the step failed. */
#include "reproduce/reproduce.h"

#include "child.h"
#include "plot/plot.h"

#include <math.h>
#include <string.h>

enum { MOST_MAPS = 12, SIDE = 230, LEFT = 74, TOP = 58, GAP = 16, BOTTOM = 104, RIGHT = 20 };

/* ---- checking ---- */

static int check_texts(const vv_repro_item *item, const char *path, const json_t *list, size_t count, const char *what)
{
    size_t index;
    json_t *text;
    if (!list)
        return VV_CLI_GO;
    json_array_foreach(list, index, text) if (!json_is_string(text)) count = SIZE_MAX;
    return json_array_size(list) == count
               ? VV_CLI_GO
               : vv_repro_wrong(item, path, "must be a list of texts, one for each %s of \"maps\"", what);
}

static int check_row(const vv_repro_item *item, const char *path, const json_t *row, size_t columns)
{
    size_t index;
    json_t *name;
    if (!json_is_array(row) || json_array_size(row) != columns || columns < 1 || columns > MOST_MAPS)
        return vv_repro_wrong(item, path, "must be a list of names of runs, from 1 to %d, as many as in the first row",
                              MOST_MAPS);
    json_array_foreach(row, index, name)
    {
        json_t *spec = json_pack("{s:O}", "run", name);
        char below[VV_REPRO_PATH], element[40];
        snprintf(element, sizeof element, "[%zu]", index);
        int code = vv_repro_check_run(item, vv_repro_path(below, path, element), spec, "run", "convergence");
        json_decref(spec);
        if (code != VV_CLI_GO)
            return code;
    }
    return VV_CLI_GO;
}

int vv_repro_maps_check(const vv_repro_item *item, const char *path, const json_t *spec)
{
    char below[VV_REPRO_PATH], inside[VV_REPRO_PATH];
    json_t *maps = json_object_get(spec, "maps"), *full = json_object_get(spec, "full");
    size_t rows = json_array_size(maps), columns = json_array_size(json_array_get(maps, 0));
    int code = vv_repro_keys(item, path, spec, "title maps columns rows x_label y_label full", "title maps");
    vv_repro_path(below, path, "maps");
    if (code == VV_CLI_GO && (rows < 1 || rows > MOST_MAPS))
        code = vv_repro_wrong(item, below, "must be a list of rows, from 1 to %d, each a list of names of runs",
                              MOST_MAPS);
    for (size_t i = 0; i < rows && code == VV_CLI_GO; i++) {
        char element[40];
        snprintf(element, sizeof element, "[%zu]", i);
        code = check_row(item, vv_repro_path(inside, below, element), json_array_get(maps, i), columns);
    }
    if (code == VV_CLI_GO && full && !(json_is_integer(full) && json_integer_value(full) >= 2))
        code = vv_repro_wrong(item, vv_repro_path(below, path, "full"), "must be a whole number of iterations from 2");
    if (code == VV_CLI_GO)
        code = check_texts(item, vv_repro_path(below, path, "columns"), json_object_get(spec, "columns"), columns,
                           "column");
    if (code == VV_CLI_GO)
        code = check_texts(item, vv_repro_path(below, path, "rows"), json_object_get(spec, "rows"), rows, "row");
    return code;
}

/* ---- drawing ---- */

static void colour_of(double iterations, double full, int rgb[3])
{
    double t = fmin(2 * iterations / full, 2);
    rgb[0] = 0;
    rgb[1] = t > 1 ? (int)lround(255 * (t - 1)) : 0;
    rgb[2] = (int)lround(255 * fmin(t, 1));
}

static const int failed_colour[3] = { 220, 30, 30 };

/* Where a picture or the legend is, as gnuplot's margins. */
static void put_frame(FILE *out, const int size[2], double left, double top, double width, double height)
{
    fprintf(out,
            "set lmargin at screen %.6f\nset rmargin at screen %.6f\nset tmargin at screen %.6f\nset bmargin at screen "
            "%.6f\n",
            left / size[0], (left + width) / size[0], 1 - top / size[1], 1 - (top + height) / size[1]);
}

static void put_label(FILE *out, const char *name, const char *text)
{
    char quoted[800];
    vv_plot_text(quoted, sizeof quoted, text ? text : "");
    fprintf(out, "set %s %s noenhanced\n", name, quoted);
}

static double at(const json_t *spec, const char *key, size_t i, double otherwise)
{
    const json_t *value = json_array_get(json_object_get(spec, key), i);
    return value ? json_number_value(value) : otherwise;
}

/* 1, 2 or 5 times a power of ten: 2 to 5 of them are as long as the range. */
static double tick_of(const double range[2])
{
    const double least = (range[1] - range[0]) / 5, power = pow(10, floor(log10(least) + 1e-9));
    return least <= 1.0001 * power   ? power
           : least <= 2.0001 * power ? 2 * power
           : least <= 5.0001 * power ? 5 * power
                                     : 10 * power;
}

static void put_map(FILE *out, const vv_repro_run *run, double full, bool low, bool left)
{
    const json_t *list = json_object_get(run->figures, "iterations");
    int width = (int)json_integer_value(json_object_get(run->figures, "width")),
        height = (int)json_integer_value(json_object_get(run->figures, "height"));
    double x[2] = { at(run->spec, "x", 0, 0), at(run->spec, "x", 1, 1) },
           y[2] = { at(run->spec, "y", 0, 0), at(run->spec, "y", 1, 1) };
    fprintf(out, "set xtics %.9g format '%s'\nset ytics %.9g format '%s'\n", tick_of(x), low ? "%g" : "", tick_of(y),
            left ? "%g" : "");
    fprintf(out, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\nplot '-' using 1:2:3:4:5 with rgbimage notitle\n",
            x[0], x[1], y[0], y[1]);
    for (int i = 0; i < width * height; i++) {
        const json_t *value = json_array_get(list, (size_t)i);
        int rgb[3] = { failed_colour[0], failed_colour[1], failed_colour[2] };
        if (json_is_integer(value))
            colour_of((double)json_integer_value(value), full, rgb);
        fprintf(out, "%.7g %.7g %d %d %d\n", x[0] + (x[1] - x[0]) * (i % width + 0.5) / width,
                y[0] + (y[1] - y[0]) * (i / width + 0.5) / height, rgb[0], rgb[1], rgb[2]);
    }
    fputs("e\n", out);
}

/* From 0 to `full` iterations, and beside it what failed. */
static void put_legend(FILE *out, const int size[2], int bottom, double full)
{
    put_frame(out, size, LEFT, bottom + 56, 360, 14);
    fprintf(out,
            "unset ytics\nset title\nset ylabel\nset xlabel 'iterations of the step'\nset xtics (0, %g, '%g or more' "
            "%g)\nset xrange [0:%g]\nset yrange "
            "[0:1]\nplot '-' using 1:2:3:4:5 with rgbimage notitle\n",
            full / 2, full, full, full);
    for (int i = 0; i < 120; i++)
        for (int j = 0; j < 2; j++) {
            int rgb[3];
            colour_of(full * (i + 0.5) / 120, full, rgb);
            fprintf(out, "%.7g %.7g %d %d %d\n", full * (i + 0.5) / 120, 0.25 + 0.5 * j, rgb[0], rgb[1], rgb[2]);
        }
    fputs("e\n", out);
    put_frame(out, size, LEFT + 470, bottom + 56, 30, 14);
    fputs("set xtics ('failed' 0.5)\nset xlabel\nset xrange [0:1]\nplot '-' using 1:2:3:4:5 with rgbimage notitle\n",
          out);
    for (int i = 0; i < 4; i++)
        fprintf(out, "%g %g %d %d %d\n", 0.25 + 0.5 * (i % 2), 0.25 + 0.5 * (i / 2), failed_colour[0], failed_colour[1],
                failed_colour[2]);
    fputs("e\n", out);
}

static const char *text_at(const json_t *spec, const char *key, size_t index)
{
    return json_string_value(json_array_get(json_object_get(spec, key), index));
}

bool vv_repro_maps_draw(const vv_repro_item *item, const json_t *spec, const char *folder)
{
    vv_child gnuplot;
    json_t *maps = json_object_get(spec, "maps"), *most = json_object_get(spec, "full");
    const size_t rows = json_array_size(maps), columns = json_array_size(json_array_get(maps, 0));
    const double full = most ? (double)json_integer_value(most) : 30;
    const int bottom = TOP + (int)rows * (SIDE + GAP),
              size[2] = { LEFT + (int)columns * (SIDE + GAP) + RIGHT, bottom + BOTTOM };
    if (!vv_gnuplot_start(&gnuplot, folder, "pngcairo", "plot.png", size, 9))
        return false;
    FILE *out = gnuplot.in;
    fputs("set multiplot\nunset grid\nset border 15\nset tics front\n", out);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            const bool left = j == 0, low = i + 1 == rows;
            char side[400];
            snprintf(side, sizeof side, "%.180s%s%.180s", text_at(spec, "rows", i) ? text_at(spec, "rows", i) : "",
                     text_at(spec, "rows", i) && json_object_get(spec, "y_label") ? "; " : "",
                     json_object_get(spec, "y_label") ? json_string_value(json_object_get(spec, "y_label")) : "");
            put_frame(out, size, LEFT + (double)j * (SIDE + GAP), TOP + (double)i * (SIDE + GAP), SIDE, SIDE);
            put_label(out, "title", i == 0 ? text_at(spec, "columns", j) : NULL);
            put_label(out, "xlabel", low ? json_string_value(json_object_get(spec, "x_label")) : NULL);
            put_label(out, "ylabel", left ? side : NULL);
            put_map(out, vv_repro_find_run(item, json_string_value(json_array_get(json_array_get(maps, i), j))), full,
                    low, left);
        }
    fputs("set format '%g'\n", out);
    put_legend(out, size, bottom, full);
    fputs("unset multiplot\nunset output\n", out);
    return vv_child_finish(&gnuplot);
}
