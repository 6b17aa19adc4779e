/* visviva sheet: one picture of one or several runs. A strip of frames for each run, seen by one camera, and below them
 * the total energies on one axis. The strips share the time axis of the curves: each frame stands above its own moment.
 */
#include "cli.h"
#include "plot/plot.h"
#include "render/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TILES = 16, TRAIL = 300 };
enum { MOST_SHOWN = 3 }; /* runs; of more, the curves of their visible energies would hide the others */

/* higher and more frontal than usual: shadows must fall inside narrow frames */
static const double key_azimuth = -24, key_elevation = 69;

typedef struct sheet_options {
    const char *output, *title;
    vv_option_list labels;
    int tiles, width, quality;
    bool quiet;
} sheet_options;

typedef struct sheet {
    const sheet_options *o;
    vv_plot_set set;
    vv_render_stage stages[VV_PLOT_RUNS];
    vv_framing *framing;
    vv_painter *painter;
    bool grounded;      /* energies count from the level at rest */
    bool pictures;      /* false where nothing can be drawn: curves only */
    int tiles, tileWidth, tileHeight;
    double scale, left, right, top, gap, chartTop, chartBottom;
    int size[2];
    vv_image image;
} sheet;

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
    s->size[0] = s->o->width;
    s->size[1] = (int)lround(s->chartBottom + 66 * u);
}

static double tile_time(const sheet *s, int tile) { return (tile + 0.5) / s->tiles * s->set.timeEnd; }

static double strip_top(const sheet *s, int run) { return s->top + run * (s->tileHeight + s->gap); }

/* ---- words ---- */

/* Mean of (H - rest) / (target - rest), in per cent, over the last tenth of the run: the last moment alone says little
 * where the energy swings around its target. NaN where the target is not above rest. */
static double kept_energy(const vv_plot_run *r)
{
    double rest = r->rows[r->count - 1].groundEnergy, from = 0.9 * r->rows[r->count - 1].time, sum = 0;
    int used = 0;
    for (int i = 0; i < r->count; i++) {
        double span = r->rows[i].target - rest;
        if (r->rows[i].time < from)
            continue;
        if (!(span > 1e-9 * fabs(r->rows[i].scale)))
            return NAN;
        sum += 100 * (r->rows[i].total - rest) / span;
        used++;
    }
    return used ? sum / used : NAN;
}

/* What the run did with its energy, against its own target where that is above the level at rest. */
static void verdict(const sheet *s, int run, char *out, size_t size)
{
    const vv_plot_run *r = &s->set.runs[run];
    const vvLedgerRow *first = &r->rows[0], *last = &r->rows[r->count - 1];
    double kept = kept_energy(r);
    bool untouched = fabs(last->target - first->total) <= 1e-6 * fabs(first->total - last->groundEnergy);
    bool ended = strcmp(vvRunStatusText(r->run), "done") == 0;
    if (!ended)
        snprintf(out, size, "stopped at t = %.3g s", last->time);
    else if (isfinite(kept) && kept >= 300)
        snprintf(out, size, "energy grows %.2g-fold", 0.01 * kept);
    else if (isfinite(kept) && kept > -1e4)
        snprintf(out, size, untouched ? "keeps %.0f%% of its energy" : "ends at %.0f%% of its target",
                 kept < 0.5 && kept > -0.5 ? 0.0 : kept);
    else if (last->scale > 0)
        snprintf(out, size, "numerical error %+.1f%%", 100 * r->sums[5 * (r->count - 1) + 4] / last->scale);
    else
        out[0] = 0;
}

/* How much of the kinetic energy that is booked the motion shows, over the last tenth, where that is not simply all. */
static void add_shown(const sheet *s, int run, char *out, size_t size)
{
    const vv_plot_run *r = &s->set.runs[run];
    const vvLedgerRow *last = &r->rows[r->count - 1];
    double kinetic = 0, visible = 0;
    int used = 0;
    for (int i = 1; i < r->count; i++)
        if (r->rows[i].time >= 0.9 * last->time) {
            kinetic += r->rows[i].kinetic;
            visible += r->rows[i].visible;
            used++;
        }
    double percent = 100 * visible / kinetic;
    out[0] = 0;
    if (kinetic > 1e-3 * last->scale * used && fabs(percent - 100) >= 5 && percent < 1e4)
        snprintf(out, size, "kinetic: %.0f%% visible", percent);
}

/* A name that is too long for the margin goes over two lines, at a plus sign or a space. */
static void split_label(const char *label, char first[160], char second[160])
{
    size_t n = strlen(label), cut = 0;
    snprintf(first, 160, "%s", label);
    second[0] = 0;
    if (n <= 22)
        return;
    for (size_t i = 1; i < n; i++)
        if (label[i] == ' ' && (i <= 22 || cut == 0) && label[i - 1] != '+')
            cut = i;
    if (cut == 0)
        return;
    snprintf(first, 160, "%.*s", (int)cut, label);
    snprintf(second, 160, "%s", label + cut + 1);
}

static void write_words(FILE *out, const sheet *s, int run, int *number, double font)
{
    char first[160], second[160], said[160], shown[160], text[400];
    double u = s->scale, x = (s->right + 16 * u) / s->size[0];
    double middle = strip_top(s, run) + s->tileHeight / 2.0;
    split_label(s->set.runs[run].label, first, second);
    verdict(s, run, said, sizeof said);
    add_shown(s, run, shown, sizeof shown);
    const char *lines[4] = { first, second, said, shown };
    double y = middle - (second[0] ? 24 : 12) * u;
    for (int i = 0; i < 4; i++) {
        if (!lines[i][0])
            continue;
        vv_plot_text(text, sizeof text, lines[i]);
        fprintf(out, "set label %d %s at screen %.6f, screen %.6f left noenhanced font ',%g' tc rgb '%s'\n",
                (*number)++, text, x, 1 - y / s->size[1], font * (i >= 2 ? 0.98 : 1.22),
                i >= 2 ? "#4a4a4a" : s->set.runs[run].colour);
        y += 25 * u;
    }
}

/* A time step as people write it: 1/120 where it is that. */
static void step_text(double h, char out[48])
{
    double n = h > 0 ? 1 / h : 0;
    if (n >= 1.5 && n < 1e5 && fabs(n - round(n)) < 1e-6 * n)
        snprintf(out, 48, "1/%.0f s", n);
    else
        snprintf(out, 48, "%.4g s", h);
}

/* Below the title: the time step, where all runs have the same. */
static void write_times(FILE *out, const sheet *s, double font)
{
    char step[48];
    double h = vvRunTimeStep(s->set.runs[0].run);
    for (int r = 1; r < s->set.count; r++)
        if (fabs(vvRunTimeStep(s->set.runs[r].run) - h) > 1e-9 * h)
            return;
    step_text(h, step);
    fprintf(out, "set label 9 'time step %s' at screen %.6f, screen %.6f left font ',%g' tc rgb '#777777'\n", step,
            s->left / s->size[0], 1 - 62 * s->scale / s->size[1], font);
}

/* gnuplot commands for all that is outside the chart: title, the runs' names, moments. Malloc'ed. */
static char *write_extra(const sheet *s, double font)
{
    char *text = NULL, title[700], quoted[1500];
    size_t length = 0;
    int number = 40;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    snprintf(title, sizeof title, "%s", s->o->title ? s->o->title : vvRunSceneName(s->set.runs[0].run));
    vv_plot_text(quoted, sizeof quoted, title);
    fprintf(out, "set label 8 %s at screen %.6f, screen %.6f left noenhanced font ',%g' tc rgb '#222222'\n", quoted,
            s->left / s->size[0], 1 - 32 * s->scale / s->size[1], 1.75 * font);
    write_times(out, s, font);
    for (int r = 0; s->pictures && r < s->set.count; r++)
        write_words(out, s, r, &number, font);
    for (int t = 0; s->pictures && t < s->tiles; t++)
        fprintf(out, "set arrow %d from first %.9g, graph 0 to first %.9g, graph 1 nohead back lc rgb '#dcdcdc' lw 1\n",
                40 + t, tile_time(s, t), tile_time(s, t));
    fclose(out);
    return text;
}

/* ---- the chart ---- */

static bool shows_visible(const vv_plot_set *set)
{
    for (int r = 0; r < set->count && set->count <= MOST_SHOWN; r++)
        if (vv_plot_has(set, r, VV_VISIBLE))
            return true;
    return false;
}

static bool draw_chart(sheet *s)
{
    vv_child gnuplot;
    double font = 11.5 * s->scale;
    vv_panel panel = { .unit = "J", .energy = true, .fromZero = true, .line = NAN };
    bool shown = shows_visible(&s->set);
    snprintf(panel.title, sizeof panel.title, "{/:Bold Total energy}%s, targets dashed%s", s->grounded ? " above rest" : "",
             shown ? ", visible kinetic energy thin" : "");
    for (int r = 0; shown && r < s->set.count; r++)
        vv_panel_add(&panel, r, VV_VISIBLE, NULL, s->set.runs[r].colour, "lw 1.1");
    for (int r = 0; r < s->set.count; r++)
        vv_panel_add(&panel, r, VV_TARGET, NULL, s->set.runs[r].colour, "lw 1.6 dt (9,6)");
    for (int r = 0; r < s->set.count; r++)
        vv_panel_add(&panel, r, VV_TOTAL, s->set.runs[r].label, s->set.runs[r].colour, "lw 2.6");
    char *extra = write_extra(s, font);
    if (!extra || !vv_gnuplot_start(&gnuplot, s->set.folder, "pngcairo", "sheet.png", s->size, font)) {
        free(extra);
        return false;
    }
    const vv_plot_frame frame = { s->left, s->right, s->chartTop, s->chartBottom };
    panel.extra = extra;
    vv_panel_write(gnuplot.in, &s->set, &panel, &frame, s->size, font, true);
    fprintf(gnuplot.in, "unset output\n");
    free(extra);
    char path[4200];
    snprintf(path, sizeof path, "%s/sheet.png", s->set.folder);
    return vv_child_finish(&gnuplot) && vv_image_read(path, &s->image);
}

/* ---- the strips ---- */

/* The way of the bodies' middle through time, as height in the strip: count (x, y). False where it says nothing: no
 * movement up or down, or much of it sideways. */
static bool measure_trail(const sheet *s, int run, const vv_camera *camera, double points[2 * TRAIL], int *count)
{
    const vv_render_stage *stage = &s->stages[run];
    int frames = vvRunFrameCount(stage->run), take = frames < TRAIL ? frames : TRAIL, n = vvRunNodeCount(stage->run);
    double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY };
    for (int i = 0; i < take; i++) {
        int frame = take > 1 ? (int)((long)i * (frames - 1) / (take - 1)) : 0;
        double centre[3] = { 0 }, pixel[2];
        if (vvRunReadFrame(stage->run, frame, stage->positions, NULL, NULL) != VV_OK)
            return false;
        for (int k = 0; k < 3 * n; k++)
            centre[k % 3] += stage->positions[k] / n;
        vv_camera_project(camera, centre, s->tileWidth, s->tileHeight, pixel);
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], pixel[k]);
            high[k] = fmax(high[k], pixel[k]);
        }
        points[2 * i] = s->tileWidth * s->tiles * vvRunFrameTime(stage->run, frame) / s->set.timeEnd;
        points[2 * i + 1] = pixel[1];
    }
    *count = take;
    return high[1] - low[1] > 0.15 * s->tileHeight && high[0] - low[0] < 0.3 * s->tileWidth;
}

static void draw_trail(const sheet *s, vv_image *strip, int run, const vv_camera *camera)
{
    double points[2 * TRAIL];
    int count = 0;
    unsigned hex = (unsigned)strtoul(s->set.runs[run].colour + 1, NULL, 16);
    const unsigned char rgb[3] = { (unsigned char)(hex >> 16), (unsigned char)(hex >> 8 & 255),
                                   (unsigned char)(hex & 255) };
    if (measure_trail(s, run, camera, points, &count))
        vv_image_stroke(strip, points, count, 2 * s->scale, rgb, 0.55);
}

static bool draw_strip(sheet *s, int run, const vv_camera *camera, vv_progress *progress)
{
    vv_image strip, tile;
    vv_render_stage *stage = &s->stages[run];
    double end = vvRunFrameTime(stage->run, vvRunFrameCount(stage->run) - 1), step = s->set.timeEnd / s->tiles;
    bool good = vv_image_create(&strip, s->tileWidth * s->tiles, s->tileHeight);
    if (!vv_image_create(&tile, s->tileWidth, s->tileHeight))
        good = false;
    for (int t = 0; good && t < s->tiles && !vv_cli_interrupted(); t++) {
        vv_progress_update(progress, run * s->tiles + t, s->set.runs[run].label);
        if (tile_time(s, t) > end + 0.51 * step)
            continue; /* the run stopped before: white */
        vv_camera own = *camera;
        good = vv_stage_set_frame(stage, vv_frame_at_time(stage->run, tile_time(s, t)));
        if (good)
            vv_framing_camera(s->framing, (double)s->tileWidth / s->tileHeight, stage, &own);
        own.keyAzimuth = key_azimuth;
        own.keyElevation = key_elevation;
        good = good && vv_painter_paint(s->painter, stage, &own, false, &tile);
        if (good)
            vv_image_paste(&strip, &tile, t * s->tileWidth, 0);
    }
    if (good)
        draw_trail(s, &strip, run, camera);
    static const unsigned char white[3] = { 255, 255, 255 };
    for (int t = 1; good && t < s->tiles; t++)
        vv_image_fill(&strip, t * s->tileWidth - 1, 0, (int)fmax(1, 2 * s->scale), s->tileHeight, white);
    if (good)
        vv_image_paste(&s->image, &strip, (int)lround(s->left), (int)lround(strip_top(s, run)));
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
    vv_progress_start(&progress, "sheet", s->set.count * s->tiles, s->o->quiet);
    for (int r = 0; good && r < s->set.count; r++) {
        vv_stage_set_origin(&s->stages[r], camera.focus);
        good = draw_strip(s, r, &camera, &progress);
    }
    vv_progress_finish(&progress);
    return good && !vv_cli_interrupted();
}

/* ---- putting it together ---- */

/* Opens what is drawn in the strips. False only when memory or files fail; without OpenGL the sheet has curves only. */
static bool prepare_pictures(sheet *s)
{
    vv_render_stage *stages[VV_PLOT_RUNS];
    vv_view view = vv_default_view();
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
    s->framing = vv_framing_measure(stages, s->set.count, &view);
    s->pictures = s->framing != NULL;
    return s->pictures;
}

static int compose(sheet *s, const char *output)
{
    if (!prepare_pictures(s))
        return VV_EXIT_FAILED;
    lay_out(s);
    if (!vv_plot_from_rest(&s->set, &s->grounded))
        return VV_EXIT_FAILED;
    vv_cli_catch_interrupt();
    if (!draw_chart(s))
        return VV_EXIT_FAILED;
    if (s->pictures) {
        s->painter = vv_painter_create(s->tileWidth, s->tileHeight, s->o->quality);
        if (!s->painter || !draw_strips(s))
            return VV_EXIT_FAILED;
    }
    return vv_image_write(&s->image, output) ? VV_EXIT_OK : VV_EXIT_FAILED;
}

/* `set` stays the caller's. */
static int draw_sheet(const sheet_options *o, const vv_plot_set *set)
{
    sheet s = { .o = o, .set = *set };
    int code = compose(&s, o->output);
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
        { "--label", 'l', VV_OPTION_LIST, &o.labels, "TEXT", "a name for the next run, in order; default: its scheme and policy", 0,
          0 },
        { "--frames", 'f', VV_OPTION_INTEGER, &o.tiles, "N", "frames of each run; default 0: 5 to 9, as many as fit", 0,
          MOST_TILES },
        { "--width", 0, VV_OPTION_INTEGER, &o.width, "PIXELS", "width; default: 1600", 600, 8000 },
        { "--quality", 'q', VV_OPTION_INTEGER, &o.quality, "N", "passes of each frame, 1 to 64; default: 16", 1, 64 },
        { "--quiet", 0, VV_OPTION_FLAG, &o.quiet, NULL, "no progress, no report", 0, 0 },
        { NULL, 0, VV_OPTION_FLAG, NULL, NULL, NULL, 0, 0 }
    };
    const vv_command_line line = {
        "RUN... [options]",
        "Draws one picture of one or several runs: a strip of frames for each, all seen by the same camera, and below them "
        "their\n"
        "total energies and, of up to three runs, the kinetic energy that their positions show. Strips and curves share the\n"
        "time axis: every frame stands above its own moment in time. Needs gnuplot.",
        "  visviva sheet euler.vtkhdf filtered.vtkhdf -o sheet.png\n"
        "  visviva sheet out/rotating-cube.vtkhdf --frames 9 --title \"A cube that turns on\"",
        options,
        1,
        VV_PLOT_RUNS
    };
    const char *positional[VV_PLOT_RUNS];
    int count, code = vv_cli_parse(&line, argc, argv, positional, &count);
    return code == VV_CLI_GO ? make_sheet(&o, positional, count) : code;
}
