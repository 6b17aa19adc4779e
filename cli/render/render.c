/* visviva render: frames of a run as pictures or as a film; several runs side by side. */
#include "cli.h"
#include "plot/captions.h"
#include "plot/plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PICTURE_QUALITY = 16, FILM_QUALITY = 4 };

typedef struct render_options {
    const char *output, *frames, *size, *camera, *eye, *target, *light, *colour;
    vv_option_list labels;
    double time, fps, speed, fov, colourMax;
    int quality;
    bool follow, wire, quiet, draft, noLegend;
} render_options;

typedef struct render_job {
    const render_options *o;
    const char *const *paths;
    vvRun *runs[VV_MOST_TILES];
    int count; /* runs */
    vv_tiles tiles;
    vv_captions captions;
    vv_image image;
    int *frames, frameCount; /* frameCount x runs */
    int width, height, quality;
    double fps;
    bool film, folder;
    char output[4096];
} render_job;

/* ---- reading options ---- */

static bool read_view(const render_options *o, vv_view *view)
{
    *view = vv_default_view();
    view->follow = o->follow;
    view->fov = o->fov;
    return vv_view_parse_camera(view, o->camera, true) && vv_view_parse_light(view, o->light) &&
           vv_view_parse_place(view, o->eye, o->target);
}

/* ---- what to draw where ---- */

/* The first run's frames, and of the others those nearest in time. */
static bool pair_frames(render_job *job, const int *first, int count)
{
    job->frames = malloc((size_t)count * (size_t)job->count * sizeof *job->frames);
    if (!job->frames) {
        vv_cli_wrong("no memory for the list of frames");
        return false;
    }
    job->frameCount = count;
    for (int i = 0; i < count; i++)
        for (int r = 0; r < job->count; r++)
            job->frames[i * job->count + r] =
                r == 0 ? first[i] : vv_frame_at_time(job->runs[r], vvRunFrameTime(job->runs[0], first[i]));
    return true;
}

/* Of the list (in the order of time) the frame nearest in time, from *at on. */
static int nearest(const vvRun *run, const int *list, int count, double time, int *at)
{
    while (*at + 1 < count &&
           fabs(vvRunFrameTime(run, list[*at + 1]) - time) <= fabs(vvRunFrameTime(run, list[*at]) - time))
        ++*at;
    return list[*at];
}

/* The time that a film ends at: that of the last chosen frame; of several runs, without a choice, that of the
 * longest. */
static double film_end(const render_job *job, const int *chosen, int chosenCount)
{
    double last = vvRunFrameTime(job->runs[0], chosen[chosenCount - 1]);
    for (int r = 1; r < job->count && !job->o->frames; r++)
        last = fmax(last, vvRunFrameTime(job->runs[r], vvRunFrameCount(job->runs[r]) - 1));
    return last;
}

/* A film shows the run in real time (times --speed): for each of its pictures the recorded frame nearest in time. */
static bool choose_film_frames(render_job *job, const int *chosen, int chosenCount)
{
    const render_options *o = job->o;
    double first = vvRunFrameTime(job->runs[0], chosen[0]),
           last = vvRunFrameTime(job->runs[0], chosen[chosenCount - 1]);
    double spacing = chosenCount > 1 ? (last - first) / (chosenCount - 1) : 0;
    job->fps = o->fps;
    if (job->fps == 0) /* 30 a second, or the run's own rate where it is slower */
        job->fps = spacing > 0 ? fmin(30, o->speed / spacing) : 30;
    job->fps = fmax(job->fps, 1);
    double pictures = floor((film_end(job, chosen, chosenCount) - first) / o->speed * job->fps + 1e-6) + 1;
    if (!(pictures < 1e6)) {
        vv_cli_wrong("the film would have %g pictures; choose fewer --frames, or a larger --speed", pictures);
        return false;
    }
    job->frameCount = (int)pictures;
    job->frames = malloc((size_t)job->frameCount * (size_t)job->count * sizeof *job->frames);
    if (!job->frames) {
        vv_cli_wrong("no memory for the film's list of frames");
        return false;
    }
    for (int i = 0, at = 0; i < job->frameCount; i++) {
        double time = first + i * o->speed / job->fps;
        for (int r = 0; r < job->count; r++)
            job->frames[i * job->count + r] =
                r == 0 ? nearest(job->runs[0], chosen, chosenCount, time, &at) : vv_frame_at_time(job->runs[r], time);
    }
    return true;
}

/* The frames of the first run that are asked for. Malloc'ed; NULL, with a message. */
static int *choose_first(const render_job *job, int *count)
{
    const render_options *o = job->o;
    int all = vvRunFrameCount(job->runs[0]);
    bool many = job->film || job->folder || strchr(job->output, '%');
    if (o->frames && !isnan(o->time)) {
        vv_cli_wrong("--frames and --time exclude each other: give one of them");
        return NULL;
    }
    if (!isnan(o->time)) {
        int *one = malloc(sizeof *one);
        if (one)
            *one = vv_frame_at_time(job->runs[0], o->time);
        *count = 1;
        return one;
    }
    int *list = vv_frames_parse(o->frames ? o->frames : many ? "0:" : "-1", all, count);
    if (list && *count > 1 && !many) {
        vv_cli_wrong("%d frames do not fit into one picture: with -o name a folder (ending in /), a pattern "
                     "(frame-%%04d.png) or "
                     "a film (.mp4, .gif)",
                     *count);
        free(list);
        return NULL;
    }
    return list;
}

static bool choose_frames(render_job *job)
{
    int count;
    for (int r = 0; r < job->count; r++)
        if (vvRunFrameCount(job->runs[r]) < 1) {
            vv_cli_wrong("%s has no frame yet", job->paths[r]);
            return false;
        }
    int *first = choose_first(job, &count);
    bool good = first && (job->film ? choose_film_frames(job, first, count) : pair_frames(job, first, count));
    free(first);
    return good;
}

/* "%04d" exactly once and no other %, so that the pattern can be trusted to snprintf-like expansion done by hand. */
static bool expand_pattern(const char *pattern, int number, char *out, size_t size)
{
    const char *mark = strchr(pattern, '%');
    char *end;
    if (!mark)
        return snprintf(out, size, "%s", pattern) < (int)size;
    long digits = strtol(mark + 1, &end, 10);
    if (*end != 'd' || digits < 0 || digits > 12 || strchr(end, '%'))
        return false;
    return snprintf(out, size, "%.*s%0*d%s", (int)(mark - pattern), pattern, (int)digits, number, end + 1) < (int)size;
}

static bool choose_output(render_job *job, const char *path)
{
    struct stat info;
    char stem[512], probe[4096];
    vv_cli_stem(path, stem, sizeof stem);
    if (job->o->output)
        snprintf(job->output, sizeof job->output, "%s", job->o->output);
    else
        snprintf(job->output, sizeof job->output, "%s.png", stem);
    size_t n = strlen(job->output);
    bool exists = stat(job->output, &info) == 0 && S_ISDIR(info.st_mode);
    job->film = vv_film_is_path(job->output);
    if (n + 24 > sizeof job->output) {
        vv_cli_wrong("the path is too long: %.60s...", job->output);
        return false;
    }
    if (job->output[n - (n > 0)] == '/' || exists) {
        job->folder = true;
        snprintf(job->output + n, sizeof job->output - n, "%sframe-%%05d.png", job->output[n - 1] == '/' ? "" : "/");
        return true;
    }
    if (!job->film && !vv_image_is_path(job->output)) {
        vv_cli_wrong("-o %s: pictures end in .png or .ppm, a film in .mp4 or .gif, a folder in /", job->output);
        return false;
    }
    if (!job->film && !expand_pattern(job->output, 0, probe, sizeof probe)) {
        vv_cli_wrong("-o %s: a numbered sequence has one %%d (%%04d for leading zeros) in its name", job->output);
        return false;
    }
    return true;
}

/* ---- drawing ---- */

static bool paint(render_job *job, int i)
{
    static const unsigned char white[3] = { 255, 255, 255 };
    const int *frames = job->frames + i * job->count, *next = i + 1 < job->frameCount ? frames + job->count : NULL;
    double latest = 0;
    if (!vv_tiles_paint(&job->tiles, frames, next))
        return false;
    for (int r = 0; r < job->count; r++)
        latest = fmax(latest, vvRunFrameTime(job->runs[r], frames[r]));
    for (int r = 0; r < job->count; r++) {
        int last = vvRunFrameCount(job->runs[r]) - 1;
        double step = last > 0 ? vvRunFrameTime(job->runs[r], last) - vvRunFrameTime(job->runs[r], last - 1) : 0;
        bool ended = frames[r] == last && latest > vvRunFrameTime(job->runs[r], last) + 2 * step;
        vv_tiles_paste(&job->tiles, r, &job->image, r * job->width, 0, ended);
        if (r > 0)
            vv_image_fill(&job->image, r * job->width - 1, 0, 2, job->height, white);
    }
    vv_captions_put(&job->captions, &job->image);
    return true;
}

static bool paint_all(render_job *job, vv_film *film)
{
    vv_progress progress;
    char path[4096], detail[96];
    bool good = true;
    vv_cli_phase("render: drawing %d picture%s", job->frameCount, job->frameCount == 1 ? "" : "s");
    vv_progress_start(&progress, "render", job->frameCount, job->o->quiet);
    for (int i = 0; good && i < job->frameCount && !vv_cli_interrupted(); i++) {
        int frame = job->frames[i * job->count];
        snprintf(detail, sizeof detail, "frame %d, t = %.3f s", frame, vvRunFrameTime(job->runs[0], frame));
        vv_progress_update(&progress, i, detail);
        good = paint(job, i);
        if (good && film)
            good = vv_film_add(film, &job->image);
        else if (good)
            good = expand_pattern(job->output, frame, path, sizeof path) && vv_image_write(&job->image, path);
    }
    vv_progress_finish(&progress);
    return good;
}

static void report(const render_job *job, double seconds)
{
    char spent[VV_TEXT];
    const vv_render_stage *stage = &job->tiles.stages[0];
    const vv_colour_words words = vv_colouring_words(stage->colouring);
    if (job->o->quiet)
        return;
    if (stage->colouring != VV_COLOUR_BODY)
        printf("colours: cream 0 to plum %.4g %s (%s)\n", stage->fieldMax, words.unit, words.quantity);
    if (job->frameCount > 1)
        printf("%s: %d pictures of %d x %d", job->output, job->frameCount, job->image.width, job->image.height);
    else
        printf("%s: frame %d, t = %.4g s, %d x %d", job->output, job->frames[0],
               vvRunFrameTime(job->runs[0], job->frames[0]), job->image.width, job->image.height);
    if (job->film)
        printf(", %.4g per second", job->fps);
    printf("; %s with %s\n", vv_text_duration(spent, seconds), vv_painter_device(job->tiles.painter));
}

static int draw(render_job *job)
{
    double began = vv_cli_seconds();
    vv_film *film = NULL;
    if (!vv_tiles_start(&job->tiles, job->quality))
        return VV_EXIT_WRONG;
    if (job->film && !(film = vv_film_open(job->output, job->image.width, job->image.height, job->fps, job->o->draft)))
        return VV_EXIT_WRONG;
    vv_cli_catch_interrupt();
    bool good = paint_all(job, film);
    bool stopped = vv_cli_interrupted();
    if (film)
        good = vv_film_close(film, good) && good; /* a film that was interrupted keeps what it has */
    if (good && !stopped)
        report(job, vv_cli_seconds() - began);
    vv_tiles_report(&job->tiles);
    return good && !stopped ? VV_EXIT_OK : VV_EXIT_FAILED;
}

static bool make_captions(render_job *job)
{
    char stems[VV_MOST_TILES][160], names[VV_MOST_TILES][VV_LABEL];
    const vvRun *runs[VV_MOST_TILES];
    const render_options *o = job->o;
    const vv_render_stage *stage = &job->tiles.stages[0];
    vv_legend legend = vv_legend_of(o->noLegend ? VV_COLOUR_BODY : stage->colouring, stage->fieldMax);
    for (int r = 0; r < job->count; r++) {
        runs[r] = job->runs[r];
        vv_cli_stem(job->paths[r], stems[r], sizeof stems[r]);
    }
    vv_plot_names(runs, stems, job->count, o->labels.values, o->labels.count, names);
    bool named = job->count > 1 || o->labels.count > 0;
    return vv_captions_make(&job->captions, job->count, job->width, job->height, &legend, named ? names : NULL);
}

static int prepare(render_job *job)
{
    vv_view view;
    vv_colouring colouring;
    const render_options *o = job->o;
    if (!read_view(o, &view) || !vv_colouring_parse(o->colour, &colouring) ||
        !vv_size_parse(o->size, &job->width, &job->height) || !choose_frames(job))
        return VV_EXIT_WRONG;
    if (o->draft && o->quality)
        return vv_cli_wrong("--draft and --quality exclude each other: give one of them");
    if (job->film && (job->width % 2 || job->height % 2))
        return vv_cli_wrong("--size %s: a film's sides are even numbers of pixels", o->size);
    job->quality = o->draft ? 0 : o->quality ? o->quality : job->film ? FILM_QUALITY : PICTURE_QUALITY;
    vv_cli_phase("render: reading the run%s and placing the camera", job->count == 1 ? "" : "s");
    if (!vv_image_create(&job->image, job->count * job->width, job->height))
        return VV_EXIT_WRONG;
    if (!vv_tiles_open(&job->tiles, (const vvRun *const *)job->runs, job->count, &view, colouring, o->colourMax) ||
        !vv_tiles_size(&job->tiles, job->width, job->height))
        return VV_EXIT_FAILED;
    job->tiles.wire = o->wire;
    if (!vv_tiles_see(&job->tiles, job->paths[0], job->frames, job->frameCount))
        return VV_EXIT_WRONG;
    return make_captions(job) ? VV_CLI_GO : VV_EXIT_FAILED;
}

/* A picture shows what may not be what collides. */
static void say_what_shows(const render_job *job)
{
    for (int r = 0; r < job->count; r++) {
        vvRunShown shown;
        vvError ignored;
        char text[VV_TEXT];
        if (job->frameCount < 1 || vvRunMeasureShown(job->runs[r], job->frames[0], &shown, &ignored) != VV_OK ||
            shown.body < 0)
            continue;
        fprintf(stderr,
                "render: the shown surface of \"%s\" protrudes up to %s from the surface that collides for it; visviva "
                "check %s says where it intersects something\n",
                vvRunGetBody(job->runs[r], shown.body)->name, vv_text_quantity(text, shown.outside, "m"),
                job->paths[r]);
    }
}

static int render_runs(const render_options *o, const char *const *paths, int count)
{
    render_job job = { .o = o, .paths = paths };
    int code = VV_CLI_GO;
    if (!choose_output(&job, paths[0]))
        return VV_EXIT_WRONG;
    for (; job.count < count && code == VV_CLI_GO; job.count++)
        code = vv_cli_open_run(paths[job.count], &job.runs[job.count]);
    if (code == VV_CLI_GO)
        code = prepare(&job);
    if (code == VV_CLI_GO && !o->quiet)
        say_what_shows(&job);
    if (code == VV_CLI_GO)
        code = draw(&job);
    vv_tiles_close(&job.tiles);
    vv_captions_destroy(&job.captions);
    vv_image_destroy(&job.image);
    free(job.frames);
    for (int r = 0; r < job.count; r++)
        vvRunFree(job.runs[r]);
    return code;
}

int vv_cli_render(int argc, char **argv)
{
    render_options o = { .size = "1280x720", .colour = "body", .time = NAN, .speed = 1, .fov = vv_default_view().fov };
    const vv_option options[] = {
        { "--output", 'o', VV_OPTION_TEXT, &o.output, "PATH",
          "picture.png, film.mp4, film.gif, folder/ or frame-%04d.png", 0, 0 },
        { "--frame", 'f', VV_OPTION_TEXT, &o.frames, "N", "one frame; -1: the last, the default for a picture", 0, 0 },
        { "--frames", 0, VV_OPTION_TEXT, &o.frames, "LIST", "several: 0:100, 0:100:5 (ends included), 0,5,9", 0, 0 },
        { "--time", 't', VV_OPTION_NUMBER, &o.time, "S", "the frame nearest to this time", -1e12, 1e12 },
        { "--size", 's', VV_OPTION_TEXT, &o.size, "WxH", "pixels, of each run's picture; default: 1280x720", 0, 0 },
        { "--camera", 'c', VV_OPTION_TEXT, &o.camera, "AZ,EL[,ZOOM]", "degrees around and above; default: auto", 0, 0 },
        { "--eye", 0, VV_OPTION_TEXT, &o.eye, "X,Y,Z", "where the camera stands (m); needs --target", 0, 0 },
        { "--target", 0, VV_OPTION_TEXT, &o.target, "X,Y,Z", "what the camera looks at (m); needs --eye", 0, 0 },
        { "--light", 0, VV_OPTION_TEXT, &o.light, "AZ,EL",
          "degrees of the lamp around, from the camera, and above; default: -46,56", 0, 0 },
        { "--fov", 0, VV_OPTION_NUMBER, &o.fov, "DEG", "vertical field of view; default: 24", 1, 120 },
        { "--follow", 0, VV_OPTION_FLAG, &o.follow, NULL, "the camera follows the bodies", 0, 0 },
        { "--color", 0, VV_OPTION_TEXT, &o.colour, "BY",
          "body, velocity, strain (largest stretch), curvature, bending (energy), or a field: visviva list fields", 0,
          0 },
        { "--color-max", 0, VV_OPTION_NUMBER, &o.colourMax, "VALUE", "value of the darkest colour; default 0: measured",
          0, 1e300 },
        { "--no-legend", 0, VV_OPTION_FLAG, &o.noLegend, NULL, "no colour bar in the picture", 0, 0 },
        { "--label", 'l', VV_OPTION_LIST, &o.labels, "TEXT",
          "a name for the next run, in order; default: its scheme and policy", 0, 0 },
        { "--wire", 'w', VV_OPTION_FLAG, &o.wire, NULL, "shows the mesh, with its surface not rounded", 0, 0 },
        { "--fps", 0, VV_OPTION_NUMBER, &o.fps, "N",
          "for a film: pictures per second; default 0: 30, or fewer if the run has fewer", 0, 240 },
        { "--speed", 0, VV_OPTION_NUMBER, &o.speed, "X", "for a film: 0.25 is slow motion; default: 1", 1e-4, 1e4 },
        { "--quality", 0, VV_OPTION_INTEGER, &o.quality, "N",
          "1 to 64: smoother shadows and edges; default: 16, for a film 4", 1, 64 },
        { "--draft", 0, VV_OPTION_FLAG, &o.draft, NULL, "quick: hard shadows, no shade under bodies, rougher film", 0,
          0 },
        { "--quiet", 'q', VV_OPTION_FLAG, &o.quiet, NULL, "no progress, no report", 0, 0 },
        { NULL, 0, VV_OPTION_FLAG, NULL, NULL, NULL, 0, 0 }
    };
    const vv_command_line line = {
        "RUN... [options]",
        "Draws frames of a run without a window: pictures (PNG, PPM) or a film (MP4, GIF; needs ffmpeg). Several runs "
        "(7 at most)\n"
        "are drawn side by side, at the same times and seen by one camera.\n"
        "The camera is chosen so that everything that moves stays in the picture. A body that has burst or flown too "
        "far\n"
        "away for the others to be seen is left out at those times, with a message.",
        "  visviva render out/critter-drop.vtkhdf -o critter.mp4\n"
        "  visviva render euler.vtkhdf filtered.vtkhdf -o both.mp4 --draft\n"
        "  visviva render euler.vtkhdf filtered.vtkhdf -o both.gif --size 400x400 --speed 0.5\n"
        "  visviva render out/critter-drop.vtkhdf -o critter.png --time 0.8 --color strain --size 1920x1080\n"
        "  visviva render out/critter-drop.vtkhdf -o frames/ --frames 0:200:5 --camera 120,10,1.5",
        options,
        1,
        VV_MOST_TILES
    };
    const char *positional[VV_MOST_TILES];
    int count, code = vv_cli_parse(&line, argc, argv, positional, &count);
    return code == VV_CLI_GO ? render_runs(&o, positional, count) : code;
}
