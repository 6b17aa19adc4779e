/* Pictures in memory (8 bits a channel, sRGB, rows from the top), and their files: PNG, and PPM, which needs no
 * library. */
#ifndef VV_CLI_RENDER_IMAGE_H
#define VV_CLI_RENDER_IMAGE_H

#include <stdbool.h>

typedef struct vv_image {
    int width, height;
    unsigned char *rgb; /* height x width x 3 */
} vv_image;

/* White. False, with a message, without memory. */
bool vv_image_create(vv_image *image, int width, int height);
void vv_image_destroy(vv_image *image);
/* Copies `part` so that its top left corner lies at (x, y); what sticks out is left away. */
void vv_image_paste(vv_image *image, const vv_image *part, int x, int y);
/* The opposite: copies the part at (x, y), as large as `part`, out of the image; what sticks out stays as it was. */
void vv_image_cut(const vv_image *image, int x, int y, vv_image *part);
/* Fills the rectangle (clipped) with one colour. */
void vv_image_fill(vv_image *image, int x, int y, int width, int height, const unsigned char rgb[3]);
/* Mixes the rectangle (clipped) with white: `left` of it stays, 0 to 1. */
void vv_image_fade(vv_image *image, int x, int y, int width, int height, double left);
/* Multiplies the rectangle (clipped) with that of `ink`, which is as large as the image: white leaves it, black
 * blackens. */
void vv_image_print(vv_image *image, const vv_image *ink, int x, int y, int width, int height);
/* Draws an anti-aliased polyline: count x (x, y) in pixels from the top left corner; opacity 0 to 1. `cover` (may be
 * NULL): how much of each pixel hides it, 0 to 255. */
void vv_image_stroke(vv_image *image, const double *points, int count, double width, const unsigned char rgb[3],
                     double opacity, const unsigned char *cover);

/* The ending decides: .png or .ppm. The file appears whole or not at all. Messages name the file. */
bool vv_image_write(const vv_image *image, const char *path);
/* PNG only, whatever the file's bit depth and colour type; transparency is put on white. */
bool vv_image_read(const char *path, vv_image *image);
bool vv_image_can_read(void); /* false: built without libpng */
/* True for endings that vv_image_write knows. */
bool vv_image_is_path(const char *path);

#endif
