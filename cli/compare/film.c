/* A film of several runs at once: each in a tile of its own, seen by one camera, and below them their total energies,
 * which come out as time goes on. gnuplot draws all that stands still; the tiles and the time are put over it. */
#include "child.h"
#include "compare/compare.h"
#include "plot/plot.h"
#include "render/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1280 };

typedef struct film {
    vv_plot_set set;
    int quality;
    bool quiet, grounded;
    vv_tiles tiles;
    vv_image ground, picture;
    int columns, tileWidth, tileHeight, size[2];
    double left, right, top, rowHeight, chartTop, chartBottom;
} film;

/* ---- layout ---- */

static void lay_out(film *f)
{
    double gap = 10, shape = fmin(fmax(vv_framing_aspect(f->tiles.framing), 0.7), 1.7);
    int rows = f->set.count > 4 ? 2 : 1;
    f->columns = (f->set.count + rows - 1) / rows;
    f->left = 70;
    f->right = WIDTH - 210;
    f->tileWidth = (int)((WIDTH - 40 - gap * (f->columns - 1)) / f->columns);
    f->tileHeight = (int)fmin(fmax(f->tileWidth / shape, 240 / rows), 420 / rows);
    f->top = 84;
    f->rowHeight = f->tileHeight + 34;
    f->chartTop = f->top + rows * f->rowHeight + 16;
    f->chartBottom = f->chartTop + 170;
    f->size[0] = WIDTH;
    f->size[1] = 2 * (int)lround((f->chartBottom + 50) / 2); /* films have even sides */
}

static void tile_corner(const film *f, int run, int corner[2])
{
    corner[0] = 20 + run % f->columns * (f->tileWidth + 10);
    corner[1] = (int)(f->top + run / f->columns * f->rowHeight);
}

/* ---- what stands still ---- */

static char *write_words(const film *f, double font)
{
    char *text = NULL, quoted[700], label[200];
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    vv_plot_text(quoted, sizeof quoted, vvRunSceneName(f->set.runs[0].run));
    fprintf(out, "set label 8 %s at screen %.6f, screen %.6f left noenhanced font ',%g' tc rgb '#222222'\n", quoted,
            20.0 / WIDTH, 1 - 28.0 / f->size[1], 1.6 * font);
    for (int r = 0; r < f->set.count; r++) {
        int corner[2];
        tile_corner(f, r, corner);
        vv_plot_shorten(f->set.runs[r].label, f->tileWidth / 9, label, sizeof label);
        vv_plot_text(quoted, sizeof quoted, label);
        fprintf(out, "set label %d %s at screen %.6f, screen %.6f left noenhanced font ',%g' tc rgb '%s'\n", 40 + r,
                quoted, corner[0] / (double)WIDTH, 1 - (corner[1] - 14.0) / f->size[1], 1.15 * font,
                f->set.runs[r].colour);
    }
    fclose(out);
    return text;
}

static bool draw_ground(film *f)
{
    vv_child gnuplot;
    double font = 10.5;
    vv_panel panel = { .unit = "J", .energy = true, .fromZero = true, .line = NAN };
    vv_plot_frame frame = { f->left, f->right, f->chartTop, f->chartBottom };
    char path[4200], *words = write_words(f, font);
    snprintf(panel.title, sizeof panel.title, "{/:Bold Total energy}%s, targets dashed",
             f->grounded ? " above rest" : "");
    for (int r = 0; r < f->set.count; r++)
        vv_panel_add(&panel, r, VV_TARGET, NULL, f->set.runs[r].colour, "lw 1.6 dt (9,6)");
    for (int r = 0; r < f->set.count; r++)
        vv_panel_add(&panel, r, VV_TOTAL, f->set.runs[r].label, f->set.runs[r].colour, "lw 2.4");
    if (!words || !vv_gnuplot_start(&gnuplot, f->set.folder, "pngcairo", "film.png", f->size, font)) {
        free(words);
        return false;
    }
    panel.extra = words;
    vv_panel_write(gnuplot.in, &f->set, &panel, &frame, f->size, font, true);
    fprintf(gnuplot.in, "unset output\n");
    free(words);
    snprintf(path, sizeof path, "%s/film.png", f->set.folder);
    return vv_child_finish(&gnuplot) && vv_image_read(path, &f->ground);
}

/* ---- what moves ---- */

/* The curves to the right of the present are pale. */
static void draw_time(film *f, double time)
{
    static const unsigned char grey[3] = { 90, 90, 90 };
    double part = f->set.timeEnd > 0 ? fmin(time / f->set.timeEnd, 1) : 1;
    int x = (int)lround(f->left + part * (f->right - f->left));
    vv_image_fade(&f->picture, x + 1, (int)f->chartTop, (int)f->right - x, (int)f->chartBottom - (int)f->chartTop,
                  0.22);
    vv_image_fill(&f->picture, x - 1, (int)f->chartTop, 2, (int)(f->chartBottom - f->chartTop), grey);
}

static void frames_at(const film *f, double time, int frames[VV_PLOT_RUNS])
{
    for (int r = 0; r < f->set.count; r++)
        frames[r] = vv_frame_at_time(f->set.runs[r].run, time);
}

static bool paint_tiles(film *f, double time, double next)
{
    int now[VV_PLOT_RUNS], then[VV_PLOT_RUNS];
    frames_at(f, time, now);
    frames_at(f, next, then);
    if (!vv_tiles_paint(&f->tiles, now, then))
        return false;
    for (int r = 0; r < f->set.count; r++) {
        const vvRun *run = f->set.runs[r].run;
        int corner[2];
        double end = vvRunFrameTime(run, vvRunFrameCount(run) - 1);
        tile_corner(f, r, corner);
        vv_tiles_paste(&f->tiles, r, &f->picture, corner[0], corner[1], time > end + 0.02 * f->set.timeEnd);
    }
    return true;
}

static bool paint_all(film *f, vv_film *out, double fps)
{
    vv_progress progress;
    char detail[64];
    double begin = vvRunFrameTime(f->set.runs[0].run, 0);
    int count = (int)floor((f->set.timeEnd - begin) * fps + 1e-6) + 1;
    bool good = true;
    vv_progress_start(&progress, "film", count, f->quiet);
    for (int i = 0; good && i < count && !vv_cli_interrupted(); i++) {
        double time = begin + i / fps;
        memcpy(f->picture.rgb, f->ground.rgb, 3 * (size_t)f->size[0] * (size_t)f->size[1]);
        good = paint_tiles(f, time, begin + (i + 1) / fps);
        draw_time(f, time);
        good = good && vv_film_add(out, &f->picture);
        snprintf(detail, sizeof detail, "t = %.3f s", time);
        vv_progress_update(&progress, i + 1, detail);
    }
    vv_progress_finish(&progress);
    return good;
}

/* 30 pictures a second, or the runs' own rate where it is slower. */
static double choose_rate(const film *f)
{
    const vvRun *run = f->set.runs[0].run;
    int frames = vvRunFrameCount(run);
    double spacing = frames > 1 ? (vvRunFrameTime(run, frames - 1) - vvRunFrameTime(run, 0)) / (frames - 1) : 0;
    return spacing > 0 ? fmax(1, fmin(30, 1 / spacing)) : 30;
}

/* ---- putting it together ---- */

static bool prepare(film *f)
{
    const vvRun *runs[VV_PLOT_RUNS];
    vv_view view = vv_default_view();
    for (int r = 0; r < f->set.count; r++)
        runs[r] = f->set.runs[r].run;
    if (!vv_tiles_open(&f->tiles, runs, f->set.count, &view, VV_COLOUR_BODY, 0))
        return false;
    lay_out(f);
    return vv_tiles_size(&f->tiles, f->tileWidth, f->tileHeight) && vv_tiles_start(&f->tiles, f->quality) &&
           vv_plot_from_rest(&f->set, &f->grounded) && vv_image_create(&f->picture, f->size[0], f->size[1]) &&
           draw_ground(f);
}

static int make(film *f, const char *path)
{
    if (!prepare(f))
        return VV_EXIT_FAILED;
    double fps = choose_rate(f);
    vv_film *out = vv_film_open(path, f->size[0], f->size[1], fps, false);
    if (!out)
        return VV_EXIT_FAILED;
    bool good = paint_all(f, out, fps);
    good = vv_film_close(out, good) && good; /* a film that was interrupted keeps what it has */
    vv_tiles_report(&f->tiles);
    if (vv_cli_interrupted())
        vv_cli_wrong("interrupted");
    else if (good && !f->quiet)
        printf("%s\n", path);
    return good && !vv_cli_interrupted() ? VV_EXIT_OK : VV_EXIT_FAILED;
}

int vv_compare_film(const vv_plot_set *set, int quality, bool quiet, const char *path)
{
    film *f = calloc(1, sizeof *f);
    if (!f) {
        vv_cli_wrong("no memory for a film");
        return VV_EXIT_FAILED;
    }
    f->set = *set; /* stays the caller's */
    f->quality = quality;
    f->quiet = quiet;
    int code = make(f, path);
    vv_tiles_close(&f->tiles);
    vv_image_destroy(&f->ground);
    vv_image_destroy(&f->picture);
    free(f);
    return code;
}
