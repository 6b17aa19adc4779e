/* Words and a colour bar on pictures. */
#include "plot/captions.h"
#include "cli.h"
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_WIDTH = 200, LEAST_HEIGHT = 112 }; /* pixels: smaller pictures have no words */

/* ---- the legend ---- */

vv_legend vv_legend_of(vv_colouring colouring, double most)
{
    vv_legend legend = { .most = most };
    const vv_colour_words words = vv_colouring_words(colouring);
    if (colouring != VV_COLOUR_BODY)
        snprintf(legend.quantity, sizeof legend.quantity, *words.unit ? "%s (%s)" : "%s", words.quantity, words.unit);
    return legend;
}

void vv_legend_bar(vv_image *image, int x, int y, int width, int height)
{
    static const unsigned char edge[3] = { 110, 110, 110 };
    vv_image_fill(image, x - 1, y - 1, width + 2, height + 2, edge);
    for (int i = 0; i < width; i++) {
        unsigned char rgb[3];
        vv_palette_bytes(width > 1 ? i / (width - 1.0) : 0, rgb);
        vv_image_fill(image, x + i, y, 1, height, rgb);
    }
}

static void write_label(FILE *out, int number, const char *text, double x, double y, const char *place,
                        const int size[2], double font, const char *colour)
{
    char quoted[3 * VV_LABEL];
    vv_plot_text(quoted, sizeof quoted, text);
    fprintf(out, "set label %d %s at screen %.6f, screen %.6f %s noenhanced font ',%g' tc rgb '%s'\n", number, quoted,
            x / size[0], 1 - y / size[1], place, font, colour);
}

void vv_legend_words(FILE *out, const vv_legend *legend, const double bar[4], const int size[2], double font,
                     int number)
{
    static const char *const places[] = { "left", "center", "right" };
    double line = font * 4 / 3; /* pixels */
    write_label(out, number, legend->quantity, bar[0], bar[1] - 0.9 * line, "left", size, font, "#333333");
    for (int i = 0; i < 3; i++) {
        char text[32];
        snprintf(text, sizeof text, "%s%.3g", i == 2 ? "≥ " : "", 0.5 * i * legend->most);
        write_label(out, number + 1 + i, text, bar[0] + 0.5 * i * bar[2], bar[1] + bar[3] + 0.85 * line, places[i],
                    size, 0.95 * font, "#333333");
    }
}

/* ---- captions ---- */

/* Where everything is; sizes follow the picture's. Returns the font's size in points. */
static double lay_out(vv_captions *c, int columns, int width, int height, const vv_legend *legend, bool named)
{
    double u = fmax(fmin(width / 1280.0, height / 720.0), fmin(fmax(width / 500.0, 0.5), 0.75)), font = 12 * u,
           line = font * 4 / 3;
    if (*legend->quantity) {
        double bar[4] = { 26 * u, 0, fmin(300 * u, 0.6 * width), 13 * u }, pad = 12 * u;
        bar[1] = height - 24 * u - 1.6 * line - bar[3];
        double panel[4] = { bar[0] - pad, bar[1] - 1.9 * line, bar[2] + 2 * pad, 1.9 * line + bar[3] + 2 * line };
        for (int k = 0; k < 4; k++) {
            c->bar[k] = (int)lround(bar[k]);
            c->panel[k] = (int)lround(panel[k]);
        }
    }
    for (int i = 0; named && i < columns; i++) {
        const int name[4] = { i * width, 0, width, (int)lround(48 * u) };
        memcpy(c->names[i], name, sizeof name);
        c->nameCount = i + 1;
    }
    return font;
}

static void write_names(FILE *out, const vv_captions *c, char (*names)[VV_LABEL], const int size[2], double font)
{
    for (int i = 0; i < c->nameCount; i++) {
        char text[VV_LABEL];
        double margin = 0.5 * c->names[i][3];
        vv_plot_shorten(names[i], (int)((c->names[i][2] - 2 * margin) / (0.95 * font)), text, sizeof text);
        write_label(out, 20 + i, text, c->names[i][0] + margin, margin, "left", size, 1.25 * font, "#333333");
    }
}

static bool draw_words(vv_captions *c, const int size[2], double font, const vv_legend *legend, char (*names)[VV_LABEL])
{
    vv_child gnuplot;
    char folder[4096], path[4200];
    if (!vv_temporary_folder(folder))
        return false;
    bool good = vv_gnuplot_start(&gnuplot, folder, "pngcairo", "words.png", size, font);
    if (good) {
        const double bar[4] = { c->bar[0], c->bar[1], c->bar[2], c->bar[3] };
        fprintf(gnuplot.in, "unset border\nunset tics\nset xrange [0:1]\nset yrange [0:1]\n");
        if (*legend->quantity)
            vv_legend_words(gnuplot.in, legend, bar, size, font, 1);
        write_names(gnuplot.in, c, names, size, font);
        fprintf(gnuplot.in, "plot NaN notitle\nunset output\n");
        snprintf(path, sizeof path, "%s/words.png", folder);
        good = vv_child_finish(&gnuplot) && vv_image_read(path, &c->ink);
    }
    vv_temporary_remove(folder);
    return good;
}

bool vv_captions_make(vv_captions *c, int columns, int width, int height, const vv_legend *legend,
                      char (*names)[VV_LABEL])
{
    const int size[2] = { columns * width, height };
    *c = (vv_captions){ .nameCount = 0 };
    if (width < LEAST_WIDTH || height < LEAST_HEIGHT || (!*legend->quantity && !names))
        return true;
    double font = lay_out(c, columns, width, height, legend, names != NULL);
    if (vv_child_exists("gnuplot") && vv_image_can_read())
        return draw_words(c, size, font, legend, names);
    fprintf(stderr, "visviva: the picture has no text: %s\n",
            vv_image_can_read() ? "gnuplot is not installed (apt-get install gnuplot-nox)"
                                : "this build was made without libpng-dev");
    return true;
}

void vv_captions_destroy(vv_captions *c) { vv_image_destroy(&c->ink); }

static void print(const vv_captions *c, vv_image *picture, const int area[4])
{
    if (c->ink.rgb)
        vv_image_print(picture, &c->ink, area[0], area[1], area[2], area[3]);
}

void vv_captions_put(const vv_captions *c, vv_image *picture)
{
    if (c->bar[2] > 0) {
        vv_image_fade(picture, c->panel[0], c->panel[1], c->panel[2], c->panel[3], 0.25);
        vv_legend_bar(picture, c->bar[0], c->bar[1], c->bar[2], c->bar[3]);
        print(c, picture, c->panel);
    }
    for (int i = 0; i < c->nameCount; i++)
        print(c, picture, c->names[i]);
}
