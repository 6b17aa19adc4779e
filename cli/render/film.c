/* A film: raw frames through a pipe to ffmpeg, which makes H.264 that plays everywhere (4:2:0, BT.709). */
#include "child.h"
#include "cli.h"
#include "render/render.h"

#include <stdlib.h>
#include <string.h>

struct vv_film {
    vv_child ffmpeg;
    char folder[4096], target[4096], part[4200];
    size_t bytes;
};

vv_film *vv_film_open(const char *path, int width, int height, double fps)
{
    vv_film *film = calloc(1, sizeof *film);
    char size[32], rate[32], log[4200];
    if (!film) {
        vv_cli_wrong("no memory for a film");
        return NULL;
    }
    film->bytes = 3 * (size_t)width * (size_t)height;
    snprintf(film->target, sizeof film->target, "%s", path);
    if (!vv_cli_make_folders(path) || !vv_temporary_folder(film->folder)) {
        free(film);
        return NULL;
    }
    snprintf(film->part, sizeof film->part, "%s/film.mp4", film->folder);
    snprintf(log, sizeof log, "%s/log", film->folder);
    snprintf(size, sizeof size, "%dx%d", width, height);
    snprintf(rate, sizeof rate, "%.6g", fps);
    const char *argv[] = { "ffmpeg", "-hide_banner", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24",
        "-video_size", size, "-framerate", rate, "-i", "pipe:0", "-an",
        "-vf", "scale=out_color_matrix=bt709:out_range=tv", "-c:v", "libx264", "-preset", "medium", "-crf", "18",
        "-pix_fmt", "yuv420p", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709",
        "-color_range", "tv", "-movflags", "+faststart", "-f", "mp4", film->part, NULL };
    if (vv_child_start(&film->ffmpeg, argv, "ffmpeg", log))
        return film;
    vv_temporary_remove(film->folder);
    free(film);
    return NULL;
}

bool vv_film_add(vv_film *film, const vv_image *image)
{
    return fwrite(image->rgb, 1, film->bytes, film->ffmpeg.in) == film->bytes; /* the reason is told at the end */
}

bool vv_film_close(vv_film *film, bool keep)
{
    bool good = vv_child_finish(&film->ffmpeg);
    if (good && keep)
        good = vv_file_deliver(film->part, film->target);
    vv_temporary_remove(film->folder);
    free(film);
    return good;
}
