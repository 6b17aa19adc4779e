/* A film: raw frames through a pipe to ffmpeg. A thread of its own feeds the pipe, so that the next picture is drawn
 * while ffmpeg works on this one. MP4 is H.264 that plays everywhere (4:2:0, BT.709). A GIF has 256 colours, which
 * are chosen when all pictures are known: until then they are kept as they are, in a file. */
#include "child.h"
#include "cli.h"
#include "render/render.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SLOTS = 2 };

struct vv_film {
    vv_child ffmpeg;
    char folder[4096], target[4096], part[4200];
    bool gif;
    size_t bytes;
    unsigned char *slots[SLOTS];
    pthread_t writer;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool threaded;
    /* under the lock: */
    int added, written; /* pictures */
    bool ended, failed;
};

static bool ends_with(const char *text, const char *ending)
{
    size_t n = strlen(text), m = strlen(ending);
    return n >= m && strcasecmp(text + n - m, ending) == 0;
}

bool vv_film_is_path(const char *path) { return ends_with(path, ".mp4") || ends_with(path, ".gif"); }

/* ---- the pipe ---- */

static void *write_pictures(void *arg)
{
    vv_film *film = arg;
    pthread_mutex_lock(&film->lock);
    for (;;) {
        while (film->written == film->added && !film->ended)
            pthread_cond_wait(&film->changed, &film->lock);
        if (film->written == film->added || film->failed)
            break;
        unsigned char *slot = film->slots[film->written % SLOTS];
        pthread_mutex_unlock(&film->lock);
        bool good = fwrite(slot, 1, film->bytes, film->ffmpeg.in) == film->bytes; /* the reason is told at the end */
        pthread_mutex_lock(&film->lock);
        film->failed = !good;
        film->written++;
        pthread_cond_broadcast(&film->changed);
    }
    pthread_mutex_unlock(&film->lock);
    return NULL;
}

static bool start_writer(vv_film *film)
{
    bool good = true;
    for (int i = 0; i < SLOTS; i++) {
        film->slots[i] = malloc(film->bytes);
        good = good && film->slots[i];
    }
    pthread_mutex_init(&film->lock, NULL);
    pthread_cond_init(&film->changed, NULL);
    film->threaded = good && pthread_create(&film->writer, NULL, write_pictures, film) == 0;
    if (!film->threaded)
        vv_cli_wrong("no memory for a film");
    return film->threaded;
}

static void stop_writer(vv_film *film)
{
    if (film->threaded) {
        pthread_mutex_lock(&film->lock);
        film->ended = true;
        pthread_cond_broadcast(&film->changed);
        pthread_mutex_unlock(&film->lock);
        pthread_join(film->writer, NULL);
    }
    pthread_cond_destroy(&film->changed);
    pthread_mutex_destroy(&film->lock);
}

bool vv_film_add(vv_film *film, const vv_image *image)
{
    pthread_mutex_lock(&film->lock);
    while (film->added - film->written == SLOTS && !film->failed)
        pthread_cond_wait(&film->changed, &film->lock);
    bool good = !film->failed;
    pthread_mutex_unlock(&film->lock);
    if (!good)
        return false;
    memcpy(film->slots[film->added % SLOTS], image->rgb, film->bytes); /* the writer does not look at it yet */
    pthread_mutex_lock(&film->lock);
    film->added++;
    pthread_cond_broadcast(&film->changed);
    pthread_mutex_unlock(&film->lock);
    return true;
}

/* ---- ffmpeg ---- */

/* "rgb24" pictures of this size from the pipe; `coding` (ends with NULL) says what becomes of them. Ctrl-C must not
 * end ffmpeg: it gets to finish what it has. */
static bool start_ffmpeg(vv_film *film, int width, int height, double fps, const char *const *coding)
{
    enum { MOST = 48 };
    char size[32], rate[32], log[4200];
    snprintf(log, sizeof log, "%s/log", film->folder);
    snprintf(size, sizeof size, "%dx%d", width, height);
    snprintf(rate, sizeof rate, "%.6g", fps);
    const char *argv[MOST] = { "ffmpeg", "-hide_banner", "-loglevel", "error",      "-y", "-f", "rawvideo", "-pix_fmt",
                               "rgb24",  "-video_size",  size,        "-framerate", rate, "-i", "pipe:0",   "-an" };
    int count = 0;
    while (argv[count])
        count++;
    while (*coding && count < MOST - 2)
        argv[count++] = *coding++;
    argv[count] = film->part;
    return vv_child_start_worker(&film->ffmpeg, argv, "ffmpeg", log);
}

static bool start_coding(vv_film *film, int width, int height, double fps, bool draft)
{
    const char *const mp4[] = { "-vf",
                                "scale=out_color_matrix=bt709:out_range=tv",
                                "-c:v",
                                "libx264",
                                "-preset",
                                draft ? "ultrafast" : "veryfast",
                                "-crf",
                                draft ? "23" : "17",
                                "-pix_fmt",
                                "yuv420p",
                                "-colorspace",
                                "bt709",
                                "-color_primaries",
                                "bt709",
                                "-color_trc",
                                "bt709",
                                "-color_range",
                                "tv",
                                "-movflags",
                                "+faststart",
                                "-f",
                                "mp4",
                                NULL };
    const char *const lossless[] = { "-c:v", "libx264rgb", "-preset", "ultrafast", "-qp", "0", "-f", "matroska", NULL };
    snprintf(film->part, sizeof film->part, "%s/%s", film->folder, film->gif ? "film.mkv" : "film.mp4");
    return start_ffmpeg(film, width, height, fps, film->gif ? lossless : mp4);
}

static bool call_ffmpeg(vv_film *film, const char *const *argv)
{
    char log[4200];
    snprintf(log, sizeof log, "%s/log", film->folder);
    return vv_child_start_worker(&film->ffmpeg, argv, "ffmpeg", log) && vv_child_finish(&film->ffmpeg);
}

/* The film of all pictures becomes a GIF. It goes round for ever; the last picture stands for a second. */
static bool make_gif(vv_film *film)
{
    char palette[4200], gif[4200];
    snprintf(palette, sizeof palette, "%s/palette.png", film->folder);
    snprintf(gif, sizeof gif, "%s/film.gif", film->folder);
    const char *const find[] = { "ffmpeg", "-hide_banner", "-loglevel", "error",      "-y",
                                 "-i",     film->part,     "-vf",       "palettegen", "-update",
                                 "1",      "-frames:v",    "1",         palette,      NULL };
    /* no dithering: it would move, and be most of the file */
    const char *const use[] = { "ffmpeg",
                                "-hide_banner",
                                "-loglevel",
                                "error",
                                "-y",
                                "-i",
                                film->part,
                                "-i",
                                palette,
                                "-lavfi",
                                "paletteuse=dither=none:diff_mode=rectangle",
                                "-loop",
                                "0",
                                "-final_delay",
                                "100",
                                gif,
                                NULL };
    if (!call_ffmpeg(film, find) || !call_ffmpeg(film, use))
        return false;
    memcpy(film->part, gif, sizeof gif);
    return true;
}

static void free_film(vv_film *film)
{
    vv_temporary_remove(film->folder);
    for (int i = 0; i < SLOTS; i++)
        free(film->slots[i]);
    free(film);
}

vv_film *vv_film_open(const char *path, int width, int height, double fps, bool draft)
{
    vv_film *film = calloc(1, sizeof *film);
    if (!film) {
        vv_cli_wrong("no memory for a film");
        return NULL;
    }
    film->bytes = 3 * (size_t)width * (size_t)height;
    snprintf(film->target, sizeof film->target, "%s", path);
    film->gif = ends_with(path, ".gif");
    if (!vv_cli_make_folders(path) || !vv_temporary_folder(film->folder)) {
        free(film);
        return NULL;
    }
    if (start_coding(film, width, height, fps, draft)) {
        if (start_writer(film))
            return film;
        stop_writer(film);
        vv_child_finish(&film->ffmpeg);
    }
    free_film(film);
    return NULL;
}

bool vv_film_close(vv_film *film, bool keep)
{
    stop_writer(film);
    bool good = vv_child_finish(&film->ffmpeg);
    if (good && keep && film->gif)
        good = make_gif(film);
    if (good && keep)
        good = vv_file_deliver(film->part, film->target);
    free_film(film);
    return good;
}
