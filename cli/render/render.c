/* visviva render: frames of a run as pictures or as a film. */
#include "cli.h"
#include "render/render.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

typedef struct render_options {
    const char *output, *frames, *size, *camera, *eye, *target, *colour;
    double time, fps, speed, fov, colourMax;
    int quality;
    bool follow, wire, quiet;
} render_options;

typedef struct render_job {
    const render_options *o;
    vvRun *run;
    vv_render_stage stage;
    vv_framing *framing;
    vv_painter *painter;
    vv_image image;
    int *frames, frameCount, width, height;
    double fps;
    bool film, folder;
    char output[4096];
} render_job;

static bool ends_with(const char *text, const char *ending)
{
    size_t n = strlen(text), m = strlen(ending);
    return n >= m && strcasecmp(text + n - m, ending) == 0;
}

/* ---- reading options ---- */

static bool read_numbers(const char *name, const char *text, int least, int most, double *values)
{
    int count = 0;
    const char *at = text;
    while (count < most) {
        char *end;
        values[count] = strtod(at, &end);
        if (end == at || !isfinite(values[count]))
            break;
        count++;
        at = end;
        if (*at != ',')
            break;
        at++;
    }
    if (*at == 0 && count >= least)
        return true;
    vv_cli_wrong("%s \"%s\": %d%s%s numbers with commas between them, without spaces", name, text, least,
                 most > least ? " to " : "", most > least ? (most == 3 ? "3" : "more") : "");
    return false;
}

static bool read_view(const render_options *o, vv_view *view)
{
    double v[3] = { NAN, NAN, 1 };
    *view = vv_default_view();
    view->follow = o->follow;
    view->fov = o->fov;
    if (o->camera && strcmp(o->camera, "auto") != 0) {
        if (!read_numbers("--camera", o->camera, 2, 3, v))
            return false;
        if (fabs(v[1]) > 90 || !(v[2] >= 0.01 && v[2] <= 1000)) {
            vv_cli_wrong("--camera \"%s\": AZIMUTH,ELEVATION[,ZOOM]: elevation -90 to 90 degrees, zoom 0.01 to 1000",
                         o->camera);
            return false;
        }
        view->azimuth = v[0];
        view->elevation = v[1];
        view->zoom = v[2];
    }
    if (!o->eye && !o->target)
        return true;
    if (!o->eye || !o->target) {
        vv_cli_wrong("--eye and --target go together: where the camera stands, and what it looks at");
        return false;
    }
    view->fixedEye = true;
    return read_numbers("--eye", o->eye, 3, 3, view->eye) && read_numbers("--target", o->target, 3, 3, view->target);
}

static bool read_colouring(const render_options *o, vv_colouring *colouring)
{
    static const char *const names[] = { "body", "velocity", "strain" };
    for (int i = 0; i < 3; i++)
        if (strcmp(o->colour, names[i]) == 0) {
            *colouring = (vv_colouring)i;
            return true;
        }
    vv_cli_wrong("--color \"%s\" is not one of: body, velocity, strain", o->colour);
    return false;
}

/* ---- what to draw where ---- */

/* A film shows the run in real time (times --speed): for each of its pictures the recorded frame nearest in time. */
static bool choose_film_frames(render_job *job)
{
    const vvRun *run = job->run;
    int *chosen = job->frames, chosenCount = job->frameCount;
    double first = vvRunFrameTime(run, chosen[0]), last = vvRunFrameTime(run, chosen[chosenCount - 1]);
    double spacing = chosenCount > 1 ? (last - first) / (chosenCount - 1) : 0;
    job->fps = job->o->fps;
    if (job->fps == 0) /* 30 a second, or the run's own rate where it is slower */
        job->fps = spacing > 0 ? fmin(30, job->o->speed / spacing) : 30;
    job->fps = fmax(job->fps, 1);
    double pictures = floor((last - first) / job->o->speed * job->fps + 1e-6) + 1;
    if (!(pictures < 1e6)) {
        vv_cli_wrong("the film would have %g pictures; choose fewer --frames, or a larger --speed", pictures);
        return false;
    }
    int count = (int)pictures, at = 0;
    int *list = malloc((size_t)count * sizeof *list);
    if (!list) {
        vv_cli_wrong("no memory for the film's list of frames");
        return false;
    }
    for (int i = 0; i < count; i++) {
        double time = first + i * job->o->speed / job->fps;
        while (at + 1 < chosenCount &&
               fabs(vvRunFrameTime(run, chosen[at + 1]) - time) <= fabs(vvRunFrameTime(run, chosen[at]) - time))
            at++;
        list[i] = chosen[at];
    }
    free(chosen);
    job->frames = list;
    job->frameCount = count;
    return true;
}

static bool choose_frames(render_job *job)
{
    const render_options *o = job->o;
    int all = vvRunFrameCount(job->run);
    bool many = job->film || job->folder || strchr(job->output, '%');
    if (all < 1) {
        vv_cli_wrong("the run has no frame yet");
        return false;
    }
    if (o->frames && !isnan(o->time)) {
        vv_cli_wrong("--frames and --time exclude each other: give one of them");
        return false;
    }
    if (!isnan(o->time)) {
        job->frames = malloc(sizeof *job->frames);
        job->frameCount = 1;
        if (job->frames)
            job->frames[0] = vv_frame_at_time(job->run, o->time);
        return job->frames != NULL;
    }
    job->frames = vv_frames_parse(o->frames ? o->frames : many ? "0:" : "-1", all, &job->frameCount);
    if (!job->frames)
        return false;
    if (job->frameCount > 1 && !many) {
        vv_cli_wrong(
            "%d frames do not fit into one picture: with -o name a folder (ending in /), a pattern (frame-%%04d.png) or "
            "a film (.mp4)",
            job->frameCount);
        return false;
    }
    return true;
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
    job->film = ends_with(job->output, ".mp4");
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
        vv_cli_wrong("-o %s: pictures end in .png or .ppm, a film in .mp4, a folder in /", job->output);
        return false;
    }
    if (!job->film && !expand_pattern(job->output, 0, probe, sizeof probe)) {
        vv_cli_wrong("-o %s: a numbered sequence has one %%d (%%04d for leading zeros) in its name", job->output);
        return false;
    }
    return true;
}

/* ---- drawing ---- */

static bool paint(render_job *job, int frame)
{
    vv_camera camera;
    double centre[3];
    if (!vv_stage_set_frame(&job->stage, frame))
        return false;
    for (int k = 0; k < 3; k++)
        centre[k] = (job->stage.low[k] + job->stage.high[k]) / 2;
    vv_framing_camera(job->framing, (double)job->width / job->height, centre, &camera);
    return vv_painter_paint(job->painter, &job->stage, &camera, job->o->wire, &job->image);
}

static bool paint_all(render_job *job, vv_film *film)
{
    vv_progress progress;
    char path[4096], detail[96];
    int drawn = -1;
    bool good = true;
    vv_progress_start(&progress, "render", job->frameCount, job->o->quiet);
    for (int i = 0; good && i < job->frameCount && !vv_cli_interrupted(); i++) {
        snprintf(detail, sizeof detail, "frame %d, t = %.3f s", job->frames[i],
                 vvRunFrameTime(job->run, job->frames[i]));
        vv_progress_update(&progress, i, detail);
        if (job->frames[i] != drawn)
            good = paint(job, job->frames[i]);
        drawn = job->frames[i];
        if (good && film)
            good = vv_film_add(film, &job->image);
        else if (good)
            good = expand_pattern(job->output, job->frames[i], path, sizeof path) && vv_image_write(&job->image, path);
    }
    vv_progress_finish(&progress);
    return good;
}

static void report(const render_job *job, double seconds)
{
    char spent[VV_TEXT];
    static const char *const units[] = { "", "m/s", "(largest |stretch - 1|)" };
    if (job->o->quiet)
        return;
    if (job->stage.colouring != VV_COLOUR_BODY)
        printf("colours: cream 0 to plum %.4g %s\n", job->stage.fieldMax, units[job->stage.colouring]);
    if (job->frameCount > 1)
        printf("%s: %d pictures of %d x %d", job->output, job->frameCount, job->width, job->height);
    else
        printf("%s: frame %d, t = %.4g s, %d x %d", job->output, job->frames[0],
               vvRunFrameTime(job->run, job->frames[0]), job->width, job->height);
    if (job->film)
        printf(", %.4g per second", job->fps);
    printf("; %s with %s\n", vv_text_duration(spent, seconds), vv_painter_device(job->painter));
}

static int draw(render_job *job)
{
    double began = vv_cli_seconds();
    vv_film *film = NULL;
    job->painter = vv_painter_create(job->width, job->height, job->o->quality);
    if (!job->painter)
        return VV_EXIT_WRONG;
    if (job->film && !(film = vv_film_open(job->output, job->width, job->height, job->fps)))
        return VV_EXIT_WRONG;
    vv_cli_catch_interrupt();
    bool good = paint_all(job, film);
    bool stopped = vv_cli_interrupted();
    if (film)
        good = vv_film_close(film, good) && good; /* a film that was interrupted keeps what it has */
    if (stopped)
        vv_cli_wrong("interrupted");
    if (good && !stopped)
        report(job, vv_cli_seconds() - began);
    return good && !stopped ? VV_EXIT_OK : VV_EXIT_FAILED;
}

static int prepare(render_job *job)
{
    vv_view view;
    vv_camera camera;
    vv_colouring colouring;
    const vv_render_stage *stage = &job->stage;
    if (!read_view(job->o, &view) || !read_colouring(job->o, &colouring) ||
        !vv_size_parse(job->o->size, &job->width, &job->height) || !choose_frames(job))
        return VV_EXIT_WRONG;
    if (job->film && (job->width % 2 || job->height % 2))
        return vv_cli_wrong("--size %s: a film's sides are even numbers of pixels", job->o->size);
    if (job->film && !choose_film_frames(job))
        return VV_EXIT_WRONG;
    if (!vv_image_create(&job->image, job->width, job->height) || !vv_stage_open(&job->stage, job->run) ||
        !vv_stage_colour(&job->stage, colouring, job->o->colourMax))
        return VV_EXIT_FAILED;
    job->stage.coarse = job->o->wire; /* the mesh as it is */
    job->framing = vv_framing_measure(&stage, 1, &view);
    if (!job->framing)
        return VV_EXIT_FAILED;
    vv_framing_camera(job->framing, (double)job->width / job->height, NULL, &camera);
    vv_stage_set_origin(&job->stage, camera.focus);
    return VV_CLI_GO;
}

static int render_run(const render_options *o, const char *path)
{
    render_job job = { .o = o };
    vvError error;
    if (!choose_output(&job, path))
        return VV_EXIT_WRONG;
    if (vvRunOpen(path, &job.run, &error) != VV_OK)
        return vv_cli_error(&error);
    int code = prepare(&job);
    if (code == VV_CLI_GO)
        code = draw(&job);
    vv_painter_destroy(job.painter);
    vv_framing_destroy(job.framing);
    vv_stage_close(&job.stage);
    vv_image_destroy(&job.image);
    free(job.frames);
    vvRunFree(job.run);
    return code;
}

int vv_cli_render(int argc, char **argv)
{
    render_options o = { .size = "1280x720", .colour = "body", .time = NAN, .speed = 1, .fov = vv_default_view().fov,
                         .quality = 16 };
    const vv_option options[] = {
        { "--output", 'o', VV_OPTION_TEXT, &o.output, "PATH", "picture.png, film.mp4, folder/ or frame-%04d.png", 0,
          0 },
        { "--frame", 'f', VV_OPTION_TEXT, &o.frames, "N", "one frame; -1: the last, the default for a picture", 0, 0 },
        { "--frames", 0, VV_OPTION_TEXT, &o.frames, "LIST", "several: 0:100, 0:100:5 (ends included), 0,5,9", 0, 0 },
        { "--time", 't', VV_OPTION_NUMBER, &o.time, "S", "the frame nearest to this time", -1e12, 1e12 },
        { "--size", 's', VV_OPTION_TEXT, &o.size, "WxH", "pixels; default: 1280x720", 0, 0 },
        { "--camera", 'c', VV_OPTION_TEXT, &o.camera, "AZ,EL[,ZOOM]", "degrees around and above; default: auto", 0, 0 },
        { "--eye", 0, VV_OPTION_TEXT, &o.eye, "X,Y,Z", "where the camera stands (m); needs --target", 0, 0 },
        { "--target", 0, VV_OPTION_TEXT, &o.target, "X,Y,Z", "what the camera looks at (m); needs --eye", 0, 0 },
        { "--fov", 0, VV_OPTION_NUMBER, &o.fov, "DEG", "vertical field of view; default: 24", 1, 120 },
        { "--follow", 0, VV_OPTION_FLAG, &o.follow, NULL, "the camera follows the bodies", 0, 0 },
        { "--color", 0, VV_OPTION_TEXT, &o.colour, "BY", "body, velocity (m/s) or strain (largest stretch)", 0, 0 },
        { "--color-max", 0, VV_OPTION_NUMBER, &o.colourMax, "VALUE", "value of the darkest colour; default 0: measured", 0,
          1e300 },
        { "--wire", 'w', VV_OPTION_FLAG, &o.wire, NULL, "shows the mesh, with its surface not rounded", 0, 0 },
        { "--fps", 0, VV_OPTION_NUMBER, &o.fps, "N",
          "for a film: pictures per second; default 0: 30, or fewer if the run has fewer", 0, 240 },
        { "--speed", 0, VV_OPTION_NUMBER, &o.speed, "X", "for a film: 0.25 is slow motion; default: 1", 1e-4, 1e4 },
        { "--quality", 'q', VV_OPTION_INTEGER, &o.quality, "N", "passes, 1 to 64: smoother shadows and edges; default: 16", 0,
          64 },
        { "--quiet", 0, VV_OPTION_FLAG, &o.quiet, NULL, "no progress, no report", 0, 0 },
        { NULL, 0, VV_OPTION_FLAG, NULL, NULL, NULL, 0, 0 }
    };
    const vv_command_line line = { "RUN [options]",
        "Draws frames of a run without a window: pictures (PNG, PPM) or a film (MP4, needs ffmpeg).\n"
        "The camera is chosen so that everything that moves stays in the picture.",
        "  visviva render out/critter-drop.vtkhdf -o critter.mp4\n"
        "  visviva render out/critter-drop.vtkhdf -o critter.png --time 0.8 --color strain --size 1920x1080\n"
        "  visviva render out/critter-drop.vtkhdf -o frames/ --frames 0:200:5 --camera 120,10,1.5", options, 1, 1 };
    const char *positional[1];
    int count, code = vv_cli_parse(&line, argc, argv, positional, &count);
    return code == VV_CLI_GO ? render_run(&o, positional[0]) : code;
}
