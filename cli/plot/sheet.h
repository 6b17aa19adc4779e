/* The parts of a sheet: layout and strips (sheet.c), which moments are drawn (moments.c), the bodies' ways
 * (trails.c), words and the chart (words.c). */
#ifndef VV_CLI_PLOT_SHEET_H
#define VV_CLI_PLOT_SHEET_H

#include "plot/captions.h"
#include "plot/plot.h"
#include "render/render.h"

enum { VV_SHEET_TILES = 16 };
typedef enum vv_trails { VV_TRAILS_NONE, VV_TRAILS_IN_TIME, VV_TRAILS_IN_PLACE } vv_trails;

typedef struct sheet_options {
    const char *output, *title, *colour, *camera, *light;
    vv_option_list labels;
    double colourMax;
    int tiles, width, quality;
    bool quiet;
} sheet_options;

typedef struct sheet {
    const sheet_options *o;
    vv_plot_set set;
    vv_render_stage stages[VV_PLOT_RUNS];
    vv_view view;
    vv_framing *framing;
    vv_painter *painter;
    vv_colouring colouring;
    vv_legend legend;
    double bar[4]; /* of the legend, pixels */
    bool grounded; /* energies count from the level at rest */
    bool pictures; /* false where nothing can be drawn: curves only */
    int tiles, tileWidth, tileHeight;
    vv_trails trails;
    double moments[VV_SHEET_TILES]; /* s: when each frame of a strip is taken */
    double scale, left, right, top, gap, chartTop, chartBottom;
    int size[2];
    vv_image image;
} sheet;

/* Sets how trails are drawn. False, with a message. */
bool vv_sheet_choose_trails(sheet *s);
/* Sets the moments, once the manner of the trails is known: about evenly spread, but so that neighbouring frames
 * differ where the run moves at all. False, with a message. */
bool vv_sheet_choose_moments(sheet *s);
/* False where the run stopped before. */
bool vv_sheet_shows(const sheet *s, int run, int tile);
/* Draws the ways of a run's bodies into the frames of its strip. `covers`: of each frame, what its bodies cover. */
bool vv_sheet_draw_trail(const sheet *s, int run, vv_image *strip, const unsigned char *covers);

/* Draws the chart and all words: makes the sheet's image. */
bool vv_sheet_draw_chart(sheet *s);
double vv_sheet_strip_top(const sheet *s, int run);

#endif
