/* Text and a colour bar on pictures. gnuplot draws the text once, and it is laid over each picture. */
#ifndef VV_CLI_PLOT_CAPTIONS_H
#define VV_CLI_PLOT_CAPTIONS_H

#include "render/render.h"

#include <stdio.h>

/* What the colours mean: from 0 to `most`. */
typedef struct vv_legend {
    char quantity[96]; /* with its unit; "": none, as for bodies' own colours */
    double most;
} vv_legend;
vv_legend vv_legend_of(vv_colouring colouring, double most);
/* The bar alone. */
void vv_legend_bar(vv_image *image, int x, int y, int width, int height);
/* gnuplot's labels for a bar there (pixels from the top left of a picture of this size): the quantity above it, the
 * range below. `number`: of the first of four labels. */
void vv_legend_words(FILE *gnuplot, const vv_legend *legend, const double bar[4], const int size[2], double font,
                     int number);

typedef struct vv_captions {
    vv_image ink; /* black on white; without gnuplot there is none */
    int bar[4];   /* x, y, width, height; width 0: no legend */
    int panel[4]; /* the pale background of legend and text */
    int names[VV_MOST_TILES][4];
    int nameCount;
} vv_captions;
/* For pictures of `columns` tiles of this size side by side, each with its name in the top left corner (names may be
 * NULL), and a legend at the bottom left (without a quantity: none). Pictures too small for words get none. False, with
 * a message, without memory or when gnuplot fails; without gnuplot there are no words, which it says. */
bool vv_captions_make(vv_captions *captions, int columns, int width, int height, const vv_legend *legend,
                      char (*names)[200]);
void vv_captions_destroy(vv_captions *captions);
void vv_captions_put(const vv_captions *captions, vv_image *picture);

#endif
