/* The paths of the bodies' centres in a sheet, drawn alike in all its rows. If bodies move up and down but hardly
 * sideways, a curve along the strip shows the height of their middle over time; otherwise each frame shows the path of
 * each body until then, behind the bodies. A path ends where it begins to repeat itself: of many turns the last one is
 * drawn. */
#include "cli.h"
#include "plot/sheet.h"
#include "render/limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FRAMES = 4000, MOST_BODIES = 30, FADES = 6 };

static const double least_height = 0.15, most_sideways = 0.3; /* of a tile: limits for a curve over time */
static const double least_swing = 8;  /* pixels between two turns of a curve over time; closer ones are noise */
static const double least_way = 0.06; /* of a tile's width: a shorter path is not drawn */
static const double once_round = 2.3; /* a path's length over its box's diagonal: a circle's is 2.2 */
/* degrees from one frame to the next: above it the frames are too few for a path */
static const double sharpest = 75;

/* Centres of a run's bodies (or of all together, if there are many) in its frames. */
typedef struct paths {
    int frames, bodies;
    double *time;   /* frames */
    double *at;     /* frames x bodies x 3; NaN where the body is left out */
    double *middle; /* frames x 3: of all */
} paths;

static void free_paths(paths *p)
{
    free(p->time);
    free(p->at);
    free(p->middle);
}

static int count_moving(const vvRun *run)
{
    int count = 0;
    for (int b = 0; b < vvRunBodyCount(run); b++)
        count += !vvRunGetBody(run, b)->kinematic && vvRunGetBody(run, b)->nodeCount > 0;
    return count;
}

static void centre_of(const vv_render_stage *stage, const vvRunBody *body, double centre[3])
{
    for (int k = 0; k < 3; k++)
        centre[k] = 0;
    for (int i = body->firstNode; i < body->firstNode + body->nodeCount; i++)
        for (int k = 0; k < 3; k++)
            centre[k] += stage->positions[3 * i + k] / body->nodeCount;
}

/* Fills in frame f; centres of bodies that are left out of pictures are NaN. */
static void measure_centres(const vv_render_stage *stage, paths *p, int f)
{
    double sum[3] = { 0 }, middle[3];
    long nodes = 0;
    vv_bodies_measure(stage, stage->positions, stage->boxes);
    vv_limits_middle(stage->limits, stage, stage->boxes, middle);
    for (int b = 0, at = 0; b < vvRunBodyCount(stage->run); b++) {
        const vvRunBody *body = vvRunGetBody(stage->run, b);
        double centre[3];
        if (body->kinematic || body->nodeCount == 0)
            continue;
        centre_of(stage, body, centre);
        bool there = vv_limits_judge(stage->limits, stage, &stage->boxes[b], b, middle) == VV_PRESENT;
        for (int k = 0; k < 3; k++) {
            if (p->bodies > 1)
                p->at[3 * (f * p->bodies + at) + k] = there ? centre[k] : NAN;
            sum[k] += there ? body->nodeCount * centre[k] : 0;
        }
        nodes += there ? body->nodeCount : 0;
        at++;
    }
    for (int k = 0; k < 3; k++) {
        p->middle[3 * f + k] = nodes > 0 ? sum[k] / (double)nodes : NAN;
        if (p->bodies == 1)
            p->at[3 * f + k] = p->middle[3 * f + k];
    }
}

static bool measure_paths(const vv_render_stage *stage, paths *p)
{
    int all = vvRunFrameCount(stage->run), moving = count_moving(stage->run);
    *p = (paths){ .frames = all < MOST_FRAMES ? all : MOST_FRAMES, .bodies = moving <= MOST_BODIES ? moving : 1 };
    size_t n = (size_t)p->frames;
    p->time = malloc((n + 1) * sizeof *p->time);
    p->at = malloc((3 * n * (size_t)p->bodies + 1) * sizeof *p->at);
    p->middle = malloc((3 * n + 1) * sizeof *p->middle);
    if (!p->time || !p->at || !p->middle) {
        vv_cli_wrong("no memory for the bodies' paths");
        return false;
    }
    for (int f = 0; f < p->frames; f++) {
        int frame = p->frames > 1 ? (int)((long)f * (all - 1) / (p->frames - 1)) : 0;
        if (vv_cli_interrupted() || !vv_stage_read(stage, frame, stage->positions, NULL))
            return false;
        p->time[f] = vvRunFrameTime(stage->run, frame);
        measure_centres(stage, p, f);
    }
    return true;
}

/* ---- over time ---- */

/* Points (x, y) in the strip. Returns whether the curve is worth drawing: hardly sideways, and not noise; *swings: up
 * and down. */
static bool curve_over_time(const sheet *s, const paths *p, const vv_camera *camera, double *points, bool *swings)
{
    double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY }, turned = NAN;
    int turns = 0, direction = 0;
    for (int f = 0; f < p->frames; f++) {
        double pixel[2];
        vv_camera_project(camera, p->middle + 3 * f, s->tileWidth, s->tileHeight, pixel);
        points[2 * f] = s->tileWidth * s->tiles * p->time[f] / s->set.timeEnd;
        points[2 * f + 1] = pixel[1];
        if (!isfinite(pixel[0] + pixel[1]))
            continue;
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], pixel[k]);
            high[k] = fmax(high[k], pixel[k]);
        }
        double moved = pixel[1] - turned;
        if (!(fabs(moved) < 3)) { /* pixels: less does not count as a turn */
            int now = moved > 0 ? 1 : -1;
            turns += direction != 0 && now != direction;
            direction = isnan(moved) ? 0 : now;
            turned = pixel[1];
        }
    }
    *swings = high[1] - low[1] > least_height * s->tileHeight;
    return high[0] - low[0] < most_sideways * s->tileWidth && turns * least_swing * s->scale <= s->tileWidth * s->tiles;
}

/* ---- in each frame ---- */

static double step_length(const double *a, const double *b) { return hypot(b[0] - a[0], b[1] - a[1]); }

/* The angle between two steps, degrees; 0 if one is too short. */
static double bend(const double *a, const double *b, const double *c)
{
    double u[2] = { b[0] - a[0], b[1] - a[1] }, v[2] = { c[0] - b[0], c[1] - b[1] };
    if (hypot(u[0], u[1]) < 0.5 || hypot(v[0], v[1]) < 0.5)
        return 0;
    return fabs(atan2(u[0] * v[1] - u[1] * v[0], u[0] * v[0] + u[1] * v[1])) * 180 / M_PI;
}

/* A body's way to the frame `end` (pixels in the tile, backwards in time), at most once round. Returns how many
 * points; 0: none worth drawing. */
static int way_before(const sheet *s, const paths *p, int body, int end, const vv_camera *camera, double *points)
{
    double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY }, length = 0, bends = 0;
    int count = 0;
    for (int f = end; f >= 0; f--) {
        double *at = points + 2 * count;
        vv_camera_project(camera, p->at + 3 * (f * p->bodies + body), s->tileWidth, s->tileHeight, at);
        if (!isfinite(at[0] + at[1]))
            break;
        if (count > 0 && step_length(at, at - 2) < 1.5) /* pixels: skips vibration */
            continue;
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], at[k]);
            high[k] = fmax(high[k], at[k]);
        }
        length += count > 0 ? step_length(at, at - 2) : 0;
        bends += count > 1 ? bend(at - 4, at - 2, at) : 0;
        count++;
        if (length > once_round * hypot(high[0] - low[0], high[1] - low[1]) && length > least_way * s->tileWidth)
            break;
    }
    bool noise = count > 2 && bends > sharpest * (count - 2);
    return length > least_way * s->tileWidth && !noise ? count : 0;
}

/* Older parts are fainter. */
static void stroke_way(const sheet *s, vv_image *tile, const double *points, int count, const unsigned char rgb[3],
                       const unsigned char *cover)
{
    for (int i = 0; i < FADES; i++) {
        int first = (int)((long)i * (count - 1) / FADES), last = (int)((long)(i + 1) * (count - 1) / FADES);
        double opacity = 0.7 - 0.5 * i / (FADES - 1);
        if (last > first)
            vv_image_stroke(tile, points + 2 * first, last - first + 1, 2 * s->scale, rgb, opacity, cover);
    }
}

static int frame_at(const paths *p, double time)
{
    int best = 0;
    for (int f = 1; f < p->frames; f++)
        if (fabs(p->time[f] - time) <= fabs(p->time[best] - time))
            best = f;
    return best;
}

/* ---- all strips ---- */

static void run_colour(const sheet *s, int run, unsigned char rgb[3])
{
    unsigned hex = (unsigned)strtoul(s->set.runs[run].colour + 1, NULL, 16);
    for (int k = 0; k < 3; k++)
        rgb[k] = (unsigned char)(hex >> (16 - 8 * k) & 255);
}

static void find_camera(const sheet *s, vv_camera *camera)
{
    vv_framing_camera(s->framing, (double)s->tileWidth / s->tileHeight, NULL, camera);
}

bool vv_sheet_choose_trails(sheet *s)
{
    vv_camera camera;
    bool curves = true, any = false;
    s->trails = VV_TRAILS_NONE;
    if (vv_framing_follows(s->framing)) /* the bodies stay in the middle there */
        return true;
    find_camera(s, &camera);
    for (int r = 0; r < s->set.count; r++) {
        paths p;
        bool swings = false, good = measure_paths(&s->stages[r], &p);
        double *points = good ? malloc(2 * ((size_t)p.frames + 1) * sizeof *points) : NULL;
        if (points) {
            curves = curve_over_time(s, &p, &camera, points, &swings) && curves;
            any = any || swings;
        }
        free(points);
        free_paths(&p);
        if (!good)
            return false;
    }
    s->trails = curves && any ? VV_TRAILS_IN_TIME : VV_TRAILS_IN_PLACE;
    return true;
}

bool vv_sheet_draw_trail(const sheet *s, int run, vv_image *strip, const unsigned char *covers)
{
    paths p;
    vv_camera camera;
    unsigned char rgb[3];
    if (s->trails == VV_TRAILS_NONE)
        return true;
    vv_image tile = { 0 };
    bool swings, good = measure_paths(&s->stages[run], &p) && vv_image_create(&tile, s->tileWidth, s->tileHeight);
    double *points = good ? malloc(2 * ((size_t)p.frames + 1) * sizeof *points) : NULL;
    find_camera(s, &camera);
    run_colour(s, run, rgb);
    if (points && s->trails == VV_TRAILS_IN_TIME) {
        curve_over_time(s, &p, &camera, points, &swings);
        vv_image_stroke(strip, points, p.frames, 2 * s->scale, rgb, 0.55, NULL);
    }
    for (int t = 0; points && s->trails == VV_TRAILS_IN_PLACE && t < s->tiles; t++) {
        if (!vv_sheet_shows(s, run, t))
            continue;
        int end = frame_at(&p, s->moments[t]);
        vv_image_cut(strip, t * s->tileWidth, 0, &tile);
        for (int b = 0; b < p.bodies; b++)
            stroke_way(s, &tile, points, way_before(s, &p, b, end, &camera, points), rgb,
                       covers + (size_t)t * (size_t)s->tileWidth * (size_t)s->tileHeight);
        vv_image_paste(strip, &tile, t * s->tileWidth, 0);
    }
    free(points);
    vv_image_destroy(&tile);
    free_paths(&p);
    return good;
}
