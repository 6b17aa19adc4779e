/* visviva sheet: one picture of one or several runs. A strip of frames for each run, seen by one camera, and below them
 * the total energies on one axis. The strips share the time axis of the curves: each frame stands above its own moment.
 */
#include "cli.h"
#include "plot/sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* higher and more frontal than usual: shadows must fall inside narrow frames */
static const double key_azimuth = -24, key_elevation = 69;

/* ---- layout ---- */

static void lay_out(sheet *s)
{
    double u = s->scale = s->o->width / 1600.0, aspect = s->pictures ? vv_framing_aspect(s->framing) : 1;
    s->left = 76 * u;
    s->right = s->o->width - 250 * u;
    s->top = 84 * u;
    s->gap = 12 * u;
    double width = s->right - s->left, room = (s->set.count > 3 ? 190 : s->set.count == 1 ? 380 : 290) * u;
    /* as many frames as fit side by side at the height there is, in the shape that the motion has */
    double shape = fmin(fmax(aspect, 0.45), 1.6);
    s->tiles = s->o->tiles ? s->o->tiles : (int)lround(fmin(fmax(width / (room * shape), 5), 9));
    s->tileWidth = (int)(width / s->tiles);
    s->right = s->left + s->tileWidth * s->tiles;
    s->tileHeight = (int)lround(fmin(fmax(s->tileWidth / shape, 0.55 * room), 1.25 * room));
    double bottom = s->top + (s->pictures ? s->set.count * (s->tileHeight + s->gap) : 0);
    s->chartTop = bottom + 46 * u;
    s->chartBottom = s->chartTop + 250 * u;
    const double bar[4] = { s->right - 260 * u, 48 * u, 260 * u, 12 * u };
    memcpy(s->bar, bar, sizeof bar);
    s->size[0] = s->o->width;
    s->size[1] = (int)lround(s->chartBottom + 66 * u);
}

double vv_sheet_strip_top(const sheet *s, int run) { return s->top + run * (s->tileHeight + s->gap); }

bool vv_sheet_shows(const sheet *s, int run, int tile)
{
    const vvRun *r = s->set.runs[run].run;
    double end = vvRunFrameTime(r, vvRunFrameCount(r) - 1), step = s->set.timeEnd / s->tiles;
    return s->moments[tile] <= end + 0.51 * step;
}

/* ---- the strips ---- */

/* What bodies cover of a frame, where obstacles with a mesh stand about: ways go over these, or stairs would hide
 * them. */
static bool cover_by_bodies(sheet *s, vv_render_stage *stage, int frame, const vv_camera *camera, vv_image *tile,
                            unsigned char *covers)
{
    bool meshes = false;
    for (int b = 0; b < vvRunBodyCount(stage->run); b++)
        meshes = meshes || vvRunGetBody(stage->run, b)->kinematic;
    if (!meshes || s->trails != VV_TRAILS_IN_PLACE)
        return vv_painter_cover(s->painter, covers);
    stage->withoutObstacles = true;
    bool good = vv_stage_set_frame(stage, frame) && vv_painter_paint(s->painter, stage, camera, false, tile) &&
                vv_painter_cover(s->painter, covers);
    stage->withoutObstacles = false;
    return good;
}

static bool draw_strip(sheet *s, int run, const vv_camera *camera, vv_progress *progress)
{
    vv_image strip, tile;
    vv_render_stage *stage = &s->stages[run];
    bool good = vv_image_create(&strip, s->tileWidth * s->tiles, s->tileHeight);
    size_t pixels = (size_t)s->tileWidth * (size_t)s->tileHeight;
    unsigned char *covers = calloc((size_t)s->tiles, pixels);
    if (!vv_image_create(&tile, s->tileWidth, s->tileHeight) || !covers)
        good = false;
    for (int t = 0; good && t < s->tiles && !vv_cli_interrupted(); t++) {
        vv_progress_update(progress, run * s->tiles + t, s->set.runs[run].label);
        if (!vv_sheet_shows(s, run, t))
            continue; /* white */
        vv_camera own = *camera;
        int frame = vv_frame_at_time(stage->run, s->moments[t]);
        good = vv_stage_set_frame(stage, frame);
        if (good)
            vv_framing_camera(s->framing, (double)s->tileWidth / s->tileHeight, stage, &own);
        good = good && vv_painter_paint(s->painter, stage, &own, false, &tile);
        if (good) {
            vv_image_paste(&strip, &tile, t * s->tileWidth, 0);
            good = cover_by_bodies(s, stage, frame, &own, &tile, covers + (size_t)t * pixels);
        }
    }
    good = good && (vv_cli_interrupted() || vv_sheet_draw_trail(s, run, &strip, covers));
    static const unsigned char white[3] = { 255, 255, 255 };
    for (int t = 1; good && t < s->tiles; t++)
        vv_image_fill(&strip, t * s->tileWidth - 1, 0, (int)fmax(1, 2 * s->scale), s->tileHeight, white);
    if (good)
        vv_image_paste(&s->image, &strip, (int)lround(s->left), (int)lround(vv_sheet_strip_top(s, run)));
    free(covers);
    vv_image_destroy(&strip);
    vv_image_destroy(&tile);
    return good;
}

static bool draw_strips(sheet *s)
{
    vv_camera camera;
    vv_progress progress;
    bool good = true;
    vv_framing_camera(s->framing, (double)s->tileWidth / s->tileHeight, NULL, &camera);
    vv_cli_phase("sheet: drawing %d pictures", s->set.count * s->tiles);
    vv_progress_start(&progress, "sheet", s->set.count * s->tiles, s->o->quiet);
    for (int r = 0; good && r < s->set.count; r++) {
        vv_stage_set_origin(&s->stages[r], camera.focus);
        vv_stage_see(&s->stages[r], &camera, s->tileHeight);
        good = draw_strip(s, r, &camera, &progress);
    }
    vv_progress_finish(&progress);
    vv_cli_phase("sheet: putting it together");
    return good && !vv_cli_interrupted();
}

/* ---- putting it together ---- */

/* Opens what is drawn in the strips. False only when memory or files fail; without OpenGL the sheet has curves only. */
static bool prepare_pictures(sheet *s)
{
    vv_render_stage *stages[VV_PLOT_RUNS];
    vv_painter *probe = vv_painter_create(16, 16, 1);
    if (!probe) {
        fprintf(stderr, "visviva: the sheet is drawn without pictures of the bodies\n");
        return true;
    }
    vv_painter_destroy(probe);
    for (int r = 0; r < s->set.count; r++) {
        if (!vv_stage_open(&s->stages[r], s->set.runs[r].run))
            return false;
        stages[r] = &s->stages[r];
    }
    if (!vv_stages_colour(stages, s->set.count, s->colouring, s->o->colourMax))
        return false;
    s->legend = vv_legend_of(s->colouring, s->stages[0].fieldMax);
    s->framing = vv_framing_measure(stages, s->set.count, &s->view);
    s->pictures = s->framing != NULL;
    return s->pictures;
}

static int compose(sheet *s, const char *output)
{
    if (s->o->colour && !vv_colouring_parse(s->o->colour, &s->colouring))
        return VV_EXIT_WRONG;
    s->view = vv_default_view();
    s->view.keyAzimuth = key_azimuth;
    s->view.keyElevation = key_elevation;
    if (!vv_view_parse_camera(&s->view, s->o->camera, false) || !vv_view_parse_light(&s->view, s->o->light))
        return VV_EXIT_WRONG;
    vv_cli_phase("sheet: reading the runs and placing the camera");
    if (!prepare_pictures(s))
        return VV_EXIT_FAILED;
    lay_out(s);
    if (s->pictures && (!vv_sheet_choose_trails(s) || !vv_sheet_choose_moments(s)))
        return VV_EXIT_FAILED;
    if (!vv_plot_from_rest(&s->set, &s->grounded))
        return VV_EXIT_FAILED;
    vv_cli_catch_interrupt();
    if (!vv_sheet_draw_chart(s))
        return VV_EXIT_FAILED;
    if (s->pictures) {
        s->painter = vv_painter_create(s->tileWidth, s->tileHeight, s->o->quality);
        if (!s->painter || !draw_strips(s))
            return VV_EXIT_FAILED;
        if (*s->legend.quantity)
            vv_legend_bar(&s->image, (int)lround(s->bar[0]), (int)lround(s->bar[1]), (int)lround(s->bar[2]),
                          (int)lround(s->bar[3]));
    }
    return vv_image_write(&s->image, output) ? VV_EXIT_OK : VV_EXIT_FAILED;
}

/* `set` stays the caller's. */
static int draw_sheet(const sheet_options *o, const vv_plot_set *set)
{
    sheet s = { .o = o, .set = *set };
    int code = compose(&s, o->output);
    for (int r = 0; r < set->count; r++)
        if (s.pictures)
            vv_stage_report_absent(&s.stages[r]);
    vv_painter_destroy(s.painter);
    vv_framing_destroy(s.framing);
    for (int r = 0; r < set->count; r++)
        vv_stage_close(&s.stages[r]);
    vv_image_destroy(&s.image);
    if (code == VV_EXIT_OK && !o->quiet)
        printf("%s\n", o->output);
    return code;
}

int vv_sheet_draw(const vv_plot_set *set, int width, int quality, bool quiet, const char *path)
{
    const sheet_options o = { .output = path, .width = width, .quality = quality, .quiet = quiet };
    return draw_sheet(&o, set);
}

static int make_sheet(const sheet_options *o, const char *const *paths, int count)
{
    vv_plot_set set = { .count = 0 };
    if (!vv_image_is_path(o->output))
        return vv_cli_wrong("-o %s: a sheet ends in .png", o->output);
    if (!vv_child_exists("gnuplot"))
        return vv_cli_wrong("sheet needs gnuplot, which is not installed, for its curves and text: apt-get install "
                            "gnuplot-nox");
    int code = vv_plot_open(&set, paths, count, o->labels.values, o->labels.count);
    if (code == VV_CLI_GO)
        code = draw_sheet(o, &set);
    vv_plot_close(&set);
    return code;
}

int vv_cli_sheet(int argc, char **argv)
{
    sheet_options o = { .output = "sheet.png", .width = 1600, .quality = 16 };
    const vv_option options[] = {
        { "--output", 'o', VV_OPTION_TEXT, &o.output, "FILE", "the picture, .png; default: sheet.png", 0, 0 },
        { "--title", 0, VV_OPTION_TEXT, &o.title, "TEXT", "title; default: the scene's name", 0, 0 },
        { "--label", 'l', VV_OPTION_LIST, &o.labels, "TEXT",
          "a name for the next run, in order; default: its scheme and policy", 0, 0 },
        { "--frames", 'f', VV_OPTION_INTEGER, &o.tiles, "N", "frames of each run; default 0: 5 to 9, as many as fit", 0,
          VV_SHEET_TILES },
        { "--width", 0, VV_OPTION_INTEGER, &o.width, "PIXELS", "width; default: 1600", 600, 8000 },
        { "--camera", 'c', VV_OPTION_TEXT, &o.camera, "AZ,EL", "degrees around and above; default: auto", 0, 0 },
        { "--light", 0, VV_OPTION_TEXT, &o.light, "AZ,EL",
          "degrees of the lamp around, from the camera, and above; default: -24,69", 0, 0 },
        { "--color", 0, VV_OPTION_TEXT, &o.colour, "BY",
          "body, velocity, strain (largest stretch), curvature, bending (energy), or a field (visviva list fields); "
          "default: body",
          0, 0 },
        { "--color-max", 0, VV_OPTION_NUMBER, &o.colourMax, "VALUE", "value of the darkest colour; default 0: measured",
          0, 1e300 },
        { "--quality", 0, VV_OPTION_INTEGER, &o.quality, "N", "of each frame, 1 to 64; default: 16", 1, 64 },
        { "--quiet", 'q', VV_OPTION_FLAG, &o.quiet, NULL, "no progress, no report", 0, 0 },
        { NULL, 0, VV_OPTION_FLAG, NULL, NULL, NULL, 0, 0 }
    };
    const vv_command_line line = {
        "RUN... [options]",
        "Draws one picture of one or several runs: a strip of frames for each, all seen by the same camera, and below "
        "them "
        "their\n"
        "total energies and, of up to three runs, the kinetic energy that their positions show. Strips and curves "
        "share the\n"
        "time axis: every frame stands above its own moment in time, or close to it where neighbours would look alike. "
        "Lines\n"
        "show the paths of the bodies' centres. Needs gnuplot.",
        "  visviva sheet euler.vtkhdf filtered.vtkhdf -o sheet.png\n"
        "  visviva sheet out/critter-drop.vtkhdf --color strain\n"
        "  visviva sheet out/rotating-cube.vtkhdf --camera 10,12 --title \"A cube that turns on\"",
        options,
        1,
        VV_PLOT_RUNS
    };
    const char *positional[VV_PLOT_RUNS];
    int count, code = vv_cli_parse(&line, argc, argv, positional, &count);
    return code == VV_CLI_GO ? make_sheet(&o, positional, count) : code;
}
