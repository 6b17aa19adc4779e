/* Pictures in memory and their files. PNG goes through libpng's simplified interface. */
#include "render/image.h"
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#ifdef VV_HAVE_PNG
#include <png.h>
#endif

enum { LARGEST_SIDE = 16384 };

bool vv_image_create(vv_image *image, int width, int height)
{
    *image = (vv_image){ 0 };
    if (width < 1 || height < 1 || width > LARGEST_SIDE || height > LARGEST_SIDE) {
        vv_cli_wrong("a picture of %d x %d pixels cannot be made: sides are 1 to %d", width, height, LARGEST_SIDE);
        return false;
    }
    size_t bytes = 3 * (size_t)width * (size_t)height;
    image->rgb = malloc(bytes);
    if (!image->rgb) {
        vv_cli_wrong("no memory for a picture of %d x %d pixels", width, height);
        return false;
    }
    image->width = width;
    image->height = height;
    memset(image->rgb, 255, bytes);
    return true;
}

void vv_image_destroy(vv_image *image)
{
    free(image->rgb);
    *image = (vv_image){ 0 };
}

void vv_image_paste(vv_image *image, const vv_image *part, int x, int y)
{
    int left = x < 0 ? -x : 0, right = x + part->width > image->width ? image->width - x : part->width;
    if (right <= left)
        return;
    for (int row = 0; row < part->height; row++) {
        if (y + row < 0 || y + row >= image->height)
            continue;
        memcpy(image->rgb + 3 * ((size_t)(y + row) * (size_t)image->width + (size_t)(x + left)),
               part->rgb + 3 * ((size_t)row * (size_t)part->width + (size_t)left), 3 * (size_t)(right - left));
    }
}

void vv_image_cut(const vv_image *image, int x, int y, vv_image *part)
{
    int left = x < 0 ? -x : 0, right = x + part->width > image->width ? image->width - x : part->width;
    for (int row = 0; row < part->height && right > left; row++)
        if (y + row >= 0 && y + row < image->height)
            memcpy(part->rgb + 3 * ((size_t)row * (size_t)part->width + (size_t)left),
                   image->rgb + 3 * ((size_t)(y + row) * (size_t)image->width + (size_t)(x + left)),
                   3 * (size_t)(right - left));
}

void vv_image_fill(vv_image *image, int x, int y, int width, int height, const unsigned char rgb[3])
{
    for (int j = y < 0 ? 0 : y; j < y + height && j < image->height; j++)
        for (int i = x < 0 ? 0 : x; i < x + width && i < image->width; i++)
            memcpy(image->rgb + 3 * ((size_t)j * (size_t)image->width + (size_t)i), rgb, 3);
}

/* The rectangle's part inside the image: columns and rows from [0] to [1], that not included. */
static void clip(const vv_image *image, int x, int y, int width, int height, int columns[2], int rows[2])
{
    columns[0] = x < 0 ? 0 : x;
    rows[0] = y < 0 ? 0 : y;
    columns[1] = x + width < image->width ? x + width : image->width;
    rows[1] = y + height < image->height ? y + height : image->height;
}

void vv_image_fade(vv_image *image, int x, int y, int width, int height, double left)
{
    int columns[2], rows[2];
    unsigned char table[256];
    clip(image, x, y, width, height, columns, rows);
    for (int i = 0; i < 256; i++)
        table[i] = (unsigned char)lround(255 - left * (255 - i));
    for (int j = rows[0]; j < rows[1]; j++)
        for (int i = 3 * columns[0]; i < 3 * columns[1]; i++) {
            unsigned char *at = image->rgb + 3 * (size_t)j * (size_t)image->width + i;
            *at = table[*at];
        }
}

void vv_image_print(vv_image *image, const vv_image *ink, int x, int y, int width, int height)
{
    int columns[2], rows[2];
    clip(image, x, y, width, height, columns, rows);
    for (int j = rows[0]; j < rows[1]; j++)
        for (int i = 3 * columns[0]; i < 3 * columns[1]; i++) {
            size_t at = 3 * (size_t)j * (size_t)image->width + (size_t)i;
            image->rgb[at] = (unsigned char)((image->rgb[at] * ink->rgb[at] + 127) / 255);
        }
}

/* Distance from (x, y) to the segment a-b. */
static double segment_distance(double x, double y, const double *a, const double *b)
{
    double ux = b[0] - a[0], uy = b[1] - a[1], square = ux * ux + uy * uy;
    double t = square > 0 ? ((x - a[0]) * ux + (y - a[1]) * uy) / square : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return hypot(x - a[0] - t * ux, y - a[1] - t * uy);
}

void vv_image_stroke(vv_image *image, const double *points, int count, double width, const unsigned char rgb[3],
                     double opacity, const unsigned char *cover)
{
    /* Coverage is the largest over the segments, so that joints are not painted twice. */
    size_t pixels = (size_t)image->width * (size_t)image->height;
    float *reached = calloc(pixels, sizeof *reached);
    if (!reached)
        return; /* a line less: not worth failing for */
    double reach = width / 2 + 1;
    for (int s = 0; s + 1 < count; s++) {
        const double *a = points + 2 * s, *b = a + 2;
        if (!isfinite(a[0] + a[1] + b[0] + b[1]))
            continue;
        int x0 = (int)fmax(0, floor(fmin(a[0], b[0]) - reach)),
            x1 = (int)fmin(image->width - 1, fmax(a[0], b[0]) + reach);
        int y0 = (int)fmax(0, floor(fmin(a[1], b[1]) - reach)),
            y1 = (int)fmin(image->height - 1, fmax(a[1], b[1]) + reach);
        for (int y = y0; y <= y1; y++)
            for (int x = x0; x <= x1; x++) {
                double c = width / 2 + 0.5 - segment_distance(x + 0.5, y + 0.5, a, b);
                float *at = reached + (size_t)y * (size_t)image->width + (size_t)x;
                if (c > *at)
                    *at = (float)fmin(c, 1);
            }
    }
    for (size_t p = 0; p < pixels; p++)
        for (int k = 0; k < 3 && reached[p] > 0; k++) {
            double w = opacity * reached[p] * (cover ? 1 - cover[p] / 255.0 : 1);
            image->rgb[3 * p + (size_t)k] = (unsigned char)lround((1 - w) * image->rgb[3 * p + (size_t)k] + w * rgb[k]);
        }
    free(reached);
}

static bool ends_with(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);
    return n > m && strcasecmp(path + n - m, ending) == 0;
}

bool vv_image_is_path(const char *path) { return ends_with(path, ".png") || ends_with(path, ".ppm"); }

static bool write_ppm(const vv_image *image, const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    size_t bytes = 3 * (size_t)image->width * (size_t)image->height;
    bool good = fprintf(file, "P6\n%d %d\n255\n", image->width, image->height) > 0 &&
                fwrite(image->rgb, 1, bytes, file) == bytes;
    return fclose(file) == 0 && good;
}

#ifdef VV_HAVE_PNG
static bool write_png(const vv_image *image, const char *path, char *why, size_t size)
{
    png_image png = { .version = PNG_IMAGE_VERSION,
                      .width = (png_uint_32)image->width,
                      .height = (png_uint_32)image->height,
                      .format = PNG_FORMAT_RGB };
    if (png_image_write_to_file(&png, path, 0, image->rgb, 0, NULL))
        return true;
    snprintf(why, size, "%s", png.message);
    png_image_free(&png);
    return false;
}
#endif

bool vv_image_write(const vv_image *image, const char *path)
{
    char part[4096], why[128] = "";
    if (!vv_image_is_path(path)) {
        vv_cli_wrong("%s: pictures end in .png or .ppm", path);
        return false;
    }
    if (snprintf(part, sizeof part, "%s.part", path) >= (int)sizeof part) {
        vv_cli_wrong("the path is too long: %.60s...", path);
        return false;
    }
    if (!vv_cli_make_folders(path))
        return false;
    bool written;
    remove(part); /* behind a link there nothing is to be overwritten */
    errno = 0;
    if (ends_with(path, ".ppm")) {
        written = write_ppm(image, part);
    } else {
#ifdef VV_HAVE_PNG
        written = write_png(image, part, why, sizeof why);
#else
        vv_cli_wrong("%s: this build writes no PNG (it was built without libpng-dev); .ppm works", path);
        return false;
#endif
    }
    if (written && rename(part, path) == 0)
        return true;
    vv_cli_wrong("cannot write %s: %s", path, errno ? strerror(errno) : why[0] ? why : "unknown reason");
    remove(part);
    return false;
}

bool vv_image_can_read(void)
{
#ifdef VV_HAVE_PNG
    return true;
#else
    return false;
#endif
}

bool vv_image_read(const char *path, vv_image *image)
{
    *image = (vv_image){ 0 };
#ifdef VV_HAVE_PNG
    png_image png = { .version = PNG_IMAGE_VERSION };
    if (!png_image_begin_read_from_file(&png, path)) {
        vv_cli_wrong("cannot read the picture %s: %s", path, png.message);
        return false;
    }
    png.format = PNG_FORMAT_RGB;
    if (!vv_image_create(image, (int)png.width, (int)png.height)) {
        png_image_free(&png);
        return false;
    }
    png_color white = { 255, 255, 255 };
    if (!png_image_finish_read(&png, &white, image->rgb, 0, NULL)) {
        vv_cli_wrong("cannot read the picture %s: %s", path, png.message);
        vv_image_destroy(image);
        return false;
    }
    return true;
#else
    vv_cli_wrong("%s: this build reads no PNG: it was built without libpng-dev", path);
    return false;
#endif
}
