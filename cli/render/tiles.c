/* Pictures of several runs side by side, or of one: the same camera and colours for all, one painter for all. While
 * OpenGL draws a picture, the next frame is read and built. */
#include "cli.h"
#include "render/render.h"

#include <math.h>
#include <string.h>

bool vv_stages_colour(vv_render_stage *const *stages, int count, vv_colouring colouring, double fieldMax)
{
    double most = 0;
    for (int r = 0; r < count; r++) {
        if (!vv_stage_colour(stages[r], colouring, fieldMax))
            return false;
        most = fmax(most, stages[r]->fieldMax);
    }
    for (int r = 0; r < count; r++)
        stages[r]->fieldMax = most;
    return true;
}

bool vv_tiles_open(vv_tiles *t, const vvRun *const *runs, int count, const vv_view *view, vv_colouring colouring,
                   double fieldMax)
{
    vv_render_stage *stages[VV_MOST_TILES];
    *t = (vv_tiles){ .count = 0 };
    for (int r = 0; r < count; r++) {
        if (!vv_stage_open(&t->stages[r], runs[r]))
            return false;
        t->count = r + 1;
        t->shown[r] = t->ready[r] = -1;
        stages[r] = &t->stages[r];
    }
    if (!vv_stages_colour(stages, count, colouring, fieldMax))
        return false;
    t->framing = vv_framing_measure(stages, count, view);
    return t->framing != NULL;
}

void vv_tiles_close(vv_tiles *t)
{
    vv_painter_destroy(t->painter);
    for (int r = 0; r < t->count; r++) {
        vv_stage_close(&t->stages[r]);
        vv_image_destroy(&t->images[r]);
    }
    vv_framing_destroy(t->framing);
    *t = (vv_tiles){ .count = 0 };
}

bool vv_tiles_size(vv_tiles *t, int width, int height)
{
    vv_camera camera;
    t->width = width;
    t->height = height;
    vv_framing_camera(t->framing, (double)width / height, NULL, &camera);
    for (int r = 0; r < t->count; r++) {
        vv_stage_set_origin(&t->stages[r], camera.focus);
        vv_stage_see(&t->stages[r], &camera, height);
        if (!vv_image_create(&t->images[r], width, height))
            return false;
    }
    return true;
}

enum { MOST_ROUNDED = 3000 }; /* triangles that a draft rounds */

static bool prepare(vv_tiles *t, int run, int frame)
{
    if (t->ready[run] == frame)
        return true;
    t->ready[run] = frame;
    return vv_stage_set_frame(&t->stages[run], frame);
}

static void find_camera(const vv_tiles *t, int run, vv_camera *camera)
{
    vv_framing_camera(t->framing, (double)t->width / t->height, &t->stages[run], camera);
}

/* ---- what is seen ---- */

/* Pictures are drawn with numbers of single precision, and squares of them. */
static const double most_drawn = 1e15; /* m */

static void say_bounds(const vv_tiles *t, const char *path, const double low[3], const double high[3])
{
    vv_camera c;
    double most = 0;
    find_camera(t, 0, &c);
    for (int k = 0; k < 3; k++)
        most = fmax(most, fmax(fabs(low[k]), fabs(high[k])));
    if (!(low[0] <= high[0])) {
        vv_cli_wrong("%s: there is nothing to see: no coordinates of the bodies are numbers", path);
        return;
    }
    if (most > most_drawn) {
        vv_cli_wrong("%s: there is nothing to see: bodies are up to %.3g m away (the run exploded), and %.0g m is what "
                     "can be drawn; draw earlier frames",
                     path, most, most_drawn);
        return;
    }
    vv_cli_wrong("%s: the camera sees nothing. In the frames to be drawn the bodies lie within x %.4g to %.4g m, y "
                 "%.4g to %.4g m, "
                 "z %.4g to %.4g m; the camera stands at %.4g,%.4g,%.4g and looks towards %.4g,%.4g,%.4g, %.3g degrees "
                 "high. Without --camera, --eye and --target it sees everything",
                 path, low[0], high[0], low[1], high[1], low[2], high[2], c.eye[0], c.eye[1], c.eye[2], c.focus[0],
                 c.focus[1], c.focus[2], atan(c.tanY) * 360 / M_PI);
}

bool vv_tiles_see(vv_tiles *t, const char *path, const int *frames, int count)
{
    double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
    bool seen = false;
    for (int i = 0; i < count && !seen; i++)
        for (int r = 0; r < t->count && !seen; r++) {
            vv_render_stage *stage = &t->stages[r];
            vv_camera camera;
            if (!prepare(t, r, frames[i * t->count + r]))
                return false;
            find_camera(t, r, &camera);
            seen = vv_camera_sees(&camera, stage, t->height);
            for (int k = 0; k < 3 && stage->anything; k++) {
                low[k] = fmin(low[k], stage->low[k]);
                high[k] = fmax(high[k], stage->high[k]);
            }
        }
    if (!seen)
        say_bounds(t, path, low, high);
    for (int r = 0; r < t->count; r++) { /* drawn again, and noted then */
        t->ready[r] = -1;
        memset(t->stages[r].log, 0, (size_t)vvRunBodyCount(t->stages[r].run) * sizeof *t->stages[r].log);
    }
    return seen;
}

/* ---- drawing ---- */

bool vv_tiles_start(vv_tiles *t, int quality)
{
    for (int r = 0; r < t->count; r++) /* the mesh as it is */
        t->stages[r].coarse = t->wire || (quality == 0 && t->stages[r].surface.indexCount / 3 > MOST_ROUNDED);
    t->painter = vv_painter_create(t->width, t->height, quality);
    return t->painter != NULL;
}

/* What will be drawn after this run's picture: another run's, or one of the next frames. */
static bool look_ahead(vv_tiles *t, int run, const int *frames, const int *next)
{
    for (int r = run + 1; r < t->count; r++)
        if (t->shown[r] != frames[r])
            return prepare(t, r, frames[r]);
    for (int r = 0; next && r < t->count; r++)
        if (next[r] != frames[r])
            return prepare(t, r, next[r]);
    return true;
}

bool vv_tiles_paint(vv_tiles *t, const int *frames, const int *next)
{
    for (int r = 0; r < t->count; r++) {
        vv_camera camera;
        if (t->shown[r] == frames[r])
            continue;
        if (!prepare(t, r, frames[r]))
            return false;
        find_camera(t, r, &camera);
        if (!vv_painter_begin(t->painter, &t->stages[r], &camera, t->wire) || !look_ahead(t, r, frames, next) ||
            !vv_painter_end(t->painter, &t->images[r]))
            return false;
        t->shown[r] = frames[r];
    }
    return true;
}

void vv_tiles_paste(const vv_tiles *t, int run, vv_image *picture, int x, int y, bool pale)
{
    vv_image_paste(picture, &t->images[run], x, y);
    if (pale)
        vv_image_fade(picture, x, y, t->width, t->height, 0.35);
}

void vv_tiles_report(const vv_tiles *t)
{
    for (int r = 0; r < t->count; r++)
        vv_stage_report_absent(&t->stages[r]);
}
