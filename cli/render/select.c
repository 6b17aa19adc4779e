/* Which frames, how large and in which colours: reading the values of --frames, --time, --size and --color. */
#include "cli.h"
#include "render/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool frame_number(const char **text, int frameCount, int fallback, int *frame)
{
    char *end;
    long value = strtol(*text, &end, 10);
    if (end == *text) {
        *frame = fallback;
        return fallback >= 0;
    }
    if (value < 0)
        value += frameCount;
    *text = end;
    *frame = (int)value;
    return value >= 0 && value < frameCount;
}

/* One piece: N, A:B or A:B:STEP, ends included, either end may be left out. */
static bool read_piece(const char **text, int frameCount, int *list, int *count, int room)
{
    int from, to, step = 1;
    bool range = **text == ':';
    if (!frame_number(text, frameCount, range ? 0 : -1, &from) || (!range && **text != ':' && **text != ',' && **text))
        return false;
    to = from;
    if (**text == ':') {
        ++*text;
        if (!frame_number(text, frameCount, frameCount - 1, &to))
            return false;
        if (**text == ':') {
            char *end;
            long value = strtol(*text + 1, &end, 10);
            if (value < 1 || value > frameCount)
                return false;
            step = (int)value;
            *text = end;
        }
    }
    if (from > to || (**text && **text != ','))
        return false;
    for (int f = from; f <= to && *count < room; f += step)
        list[(*count)++] = f;
    return true;
}

static int compare_ints(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* In the order of time, each once. */
static int sort_frames(int *list, int count)
{
    int kept = 0;
    qsort(list, (size_t)count, sizeof *list, compare_ints);
    for (int i = 0; i < count; i++)
        if (i == 0 || list[i] != list[kept - 1])
            list[kept++] = list[i];
    return kept;
}

int *vv_frames_parse(const char *text, int frameCount, int *count)
{
    int room = 4 * frameCount + 16;
    int *list = malloc((size_t)room * sizeof *list);
    const char *at = text;
    bool good = list && *text;
    *count = 0;
    while (good && *at) {
        good = read_piece(&at, frameCount, list, count, room);
        if (good && *at == ',') {
            at++;
            good = *at != 0;
        }
    }
    if (good && *count > 0) {
        *count = sort_frames(list, *count);
        return list;
    }
    free(list);
    vv_cli_wrong(
        "--frames \"%s\": the run has frames 0 to %d; write 7, 0:100, 0:100:5 (both ends included), 0,5,9 or -1 "
        "for the last",
        text, frameCount - 1);
    return NULL;
}

int vv_frame_at_time(const vvRun *run, double time)
{
    int best = 0;
    for (int f = 1; f < vvRunFrameCount(run); f++)
        if (fabs(vvRunFrameTime(run, f) - time) <= fabs(vvRunFrameTime(run, best) - time))
            best = f;
    return best;
}

bool vv_size_parse(const char *text, int *width, int *height)
{
    char *end, *rest;
    long w = strtol(text, &end, 10), h = *end == 'x' || *end == 'X' ? strtol(end + 1, &rest, 10) : 0;
    if (end == text || h == 0 || *rest || w < 16 || h < 16 || w > 8192 || h > 8192) {
        vv_cli_wrong("--size \"%s\": write WIDTHxHEIGHT in pixels, 16x16 to 8192x8192, for example 1280x720", text);
        return false;
    }
    *width = (int)w;
    *height = (int)h;
    return true;
}

/* Whether one before it has its name too, and is meant by it. */
static bool named_before(int colouring)
{
    for (int i = 0; i < colouring; i++)
        if (strcmp(vv_colouring_words((vv_colouring)i).name, vv_colouring_words((vv_colouring)colouring).name) == 0)
            return true;
    return false;
}

bool vv_colouring_parse(const char *text, vv_colouring *colouring)
{
    char names[512] = "";
    for (int i = 0; vv_colouring_words((vv_colouring)i).name; i++) {
        const char *name = vv_colouring_words((vv_colouring)i).name;
        const size_t length = strlen(names);
        if (strcmp(text, name) == 0) {
            *colouring = (vv_colouring)i;
            return true;
        }
        if (!named_before(i))
            snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "", name);
    }
    vv_cli_wrong("--color \"%s\" is not one of: %s", text, names);
    return false;
}
