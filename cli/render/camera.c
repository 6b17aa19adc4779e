/* Where the camera stands. A run is measured once: of every frame the extreme nodes in many directions are kept. From
 * these points the nearest eye that sees them all follows in closed form for any direction and any shape of picture:
 * a point x is inside the side plane with normal n when n.(x - eye) <= 0, so the eye needs n.eye >= max n.x for each of
 * the four sides, which are two pairs of lines in the (right, back) and the (up, back) plane. */
#include "cli.h"
#include "render/limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIRECTIONS = 42, MOST_FRAMES = 400 };

static const double margin = 1.13;
/* with nothing else to see: so many times their size, and the camera follows */
static const double bare_travel = 4;
static const double across_azimuth = 28, along_azimuth = 62, usual_elevation = 15, free_elevation = 20;

struct vv_framing {
    double up[3], across[3], along[3]; /* azimuth 0 looks along -`along`, with `across` to the right */
    vv_view view;
    bool hasGround;
    vv_plane ground;
    double *points; /* frames x DIRECTIONS x 3 */
    double *centre; /* frames x 3 */
    bool *used;
    int frames;
    vv_limits *limits; /* of each run */
    int runs;
    double middle[3], size, horizontal[2];
    bool follow;
};

/* ---- measuring ---- */

static void spread_directions(double d[DIRECTIONS][3])
{
    for (int i = 0; i < DIRECTIONS; i++) {
        double z = 1 - 2 * (i + 0.5) / DIRECTIONS, r = sqrt(1 - z * z), t = i * M_PI * (3 - sqrt(5));
        d[i][0] = r * cos(t), d[i][1] = z, d[i][2] = r * sin(t);
    }
}

/* Frames of one run that are looked at. */
static int taken(const vv_render_stage *stage)
{
    int frames = vvRunFrameCount(stage->run);
    return frames < MOST_FRAMES ? frames : MOST_FRAMES;
}

static int taken_frame(const vv_render_stage *stage, int i)
{
    int frames = vvRunFrameCount(stage->run), take = taken(stage);
    return take > 1 ? (int)((long)i * (frames - 1) / (take - 1)) : 0;
}

typedef struct extremes {
    double best[DIRECTIONS], *points, low[3], high[3];
} extremes;

static void reach_out(extremes *e, double directions[DIRECTIONS][3], const double x[3], double radius)
{
    for (int k = 0; k < 3; k++) {
        e->low[k] = fmin(e->low[k], x[k] - radius);
        e->high[k] = fmax(e->high[k], x[k] + radius);
    }
    for (int d = 0; d < DIRECTIONS; d++) {
        double s = vv_dot3(directions[d], x) + radius;
        if (!(s > e->best[d]))
            continue;
        e->best[d] = s;
        for (int k = 0; k < 3; k++)
            e->points[3 * d + k] = x[k] + radius * directions[d][k];
    }
}

/* Extreme points of the frame that stands in the stage's positions, without what is left out. */
static void measure_frame(vv_framing *f, const vv_render_stage *stage, const vv_limits *limits,
                          const vv_body_box *boxes, int slot)
{
    double directions[DIRECTIONS][3], middle[3];
    extremes e = { .points = f->points + 3 * DIRECTIONS * (size_t)slot,
                   .low = { INFINITY, INFINITY, INFINITY },
                   .high = { -INFINITY, -INFINITY, -INFINITY } };
    spread_directions(directions);
    for (int d = 0; d < DIRECTIONS; d++)
        e.best[d] = -INFINITY;
    vv_limits_middle(limits, stage, boxes, middle);
    for (int b = 0; b < vvRunBodyCount(stage->run); b++) {
        const vvRunBody *body = vvRunGetBody(stage->run, b);
        int first[2] = { body->firstNode, body->firstVertex };
        int count[2] = { body->affine ? 0 : body->nodeCount, body->carries ? body->vertexCount : 0 };
        if (body->nodeCount == 0 || !stage->framed[body->firstNode] ||
            vv_limits_judge(limits, stage, &boxes[b], b, middle) != VV_PRESENT)
            continue;
        for (int part = 0; part < 2; part++)
            for (int i = first[part]; i < first[part] + count[part]; i++)
                if (body->pointCount == 0 || vv_limits_reach(limits, stage->positions + 3 * i, middle))
                    reach_out(&e, directions, stage->positions + 3 * i, stage->radius[i]);
    }
    for (int k = 0; k < 3; k++)
        f->centre[3 * slot + k] = (e.low[k] + e.high[k]) / 2;
    f->used[slot] = isfinite(e.best[0]);
}

/* The box of the used frames in the axes (across, along, up), its middle and half diagonal. */
static void measure_all(vv_framing *f, bool relative)
{
    const double *axis[3] = { f->across, f->along, f->up };
    double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY }, square = 0;
    for (int i = 0; i < f->frames; i++)
        for (int p = 0; f->used[i] && p < DIRECTIONS; p++) {
            double x[3];
            for (int k = 0; k < 3; k++)
                x[k] = f->points[3 * (DIRECTIONS * i + p) + k] - (relative ? f->centre[3 * i + k] : 0);
            for (int k = 0; k < 3; k++) {
                double s = vv_dot3(axis[k], x);
                low[k] = fmin(low[k], s);
                high[k] = fmax(high[k], s);
            }
        }
    for (int k = 0; k < 3; k++) {
        if (!(low[k] <= high[k])) /* there is nothing */
            low[k] = high[k] = 0;
        square += (high[k] - low[k]) * (high[k] - low[k]);
    }
    for (int k = 0; k < 3; k++) {
        f->middle[k] = 0;
        for (int a = 0; a < 3; a++)
            f->middle[k] += axis[a][k] * (low[a] + high[a]) / 2;
    }
    f->size = fmax(0.5 * sqrt(square), 1e-9);
    f->horizontal[0] = high[0] - low[0];
    f->horizontal[1] = high[1] - low[1];
}

/* Where at some time all bodies have gone farther than a picture reaches, the camera follows them. */
static bool all_gone(const vv_render_stage *stage, const vv_limits *limits, const vv_body_box *boxes)
{
    for (int i = 0; i < taken(stage); i++) {
        int moving = 0, gone = 0;
        for (int b = 0; b < limits->bodyCount; b++) {
            const vv_body_box *box = &boxes[i * limits->bodyCount + b];
            double middle[3];
            for (int k = 0; k < 3; k++)
                middle[k] = box->low[k] / 2 + box->high[k] / 2;
            if (vvRunGetBody(stage->run, b)->kinematic || box->broken || !isfinite(middle[0] + middle[1] + middle[2]))
                continue;
            moving++;
            gone += !vv_limits_reach(limits, middle, limits->middle);
        }
        if (moving > 0 && gone == moving)
            return true;
    }
    return false;
}

static bool choose_view(vv_framing *f, const vv_render_stage *stage)
{
    measure_all(f, false);
    double usual = f->size;
    bool bare = !stage->hasGround && stage->wallCount == 0 && vvRunObstacleCount(stage->run) == 0;
    measure_all(f, true);
    f->follow = f->follow || (bare && usual > bare_travel * f->size);
    if (!f->follow)
        measure_all(f, false);
    if (isnan(f->view.azimuth)) /* the longer side lies across the picture */
        f->view.azimuth = f->horizontal[0] >= 0.8 * f->horizontal[1] ? across_azimuth : along_azimuth;
    if (!isnan(f->view.elevation))
        return true;
    double a = f->view.azimuth * M_PI / 180, level[3];
    for (int k = 0; k < 3; k++)
        level[k] = sin(a) * f->across[k] + cos(a) * f->along[k];
    return vv_choose_elevation(stage, stage->hasGround ? usual_elevation : free_elevation, level,
                               f->size / tan(f->view.fov * M_PI / 360), &f->view.elevation);
}

static void set_axes(vv_framing *f, const double up[3])
{
    double x[3] = { 1, 0, 0 }, z[3] = { 0, 0, 1 };
    memcpy(f->up, up, sizeof f->up);
    const double *start = fabs(up[0]) < 0.9 ? x : z;
    double lift = vv_dot3(start, up);
    for (int k = 0; k < 3; k++)
        f->across[k] = start[k] - lift * up[k];
    vv_unit3(f->across);
    vv_cross3(f->across, up, f->along);
}

static bool framing_alloc(vv_framing *f, int slots)
{
    size_t n = (size_t)slots;
    f->points = calloc(n * 3 * DIRECTIONS, sizeof *f->points);
    f->centre = calloc(n * 3, sizeof *f->centre);
    f->used = calloc(n, sizeof *f->used);
    f->limits = calloc((size_t)f->runs + 1, sizeof *f->limits);
    return f->points && f->centre && f->used && f->limits;
}

/* The boxes of a run's bodies in all frames that are looked at, and its limits. */
static vv_body_box *find_limits(const vv_render_stage *stage, vv_limits *limits, bool alone)
{
    int bodies = vvRunBodyCount(stage->run), take = taken(stage);
    vv_body_box *boxes = calloc((size_t)take * (size_t)bodies + 1, sizeof *boxes);
    bool good = boxes != NULL;
    for (int i = 0; good && i < take; i++) {
        if (vv_cli_interrupted() || !vv_stage_read(stage, taken_frame(stage, i), stage->positions, NULL)) {
            free(boxes);
            return NULL;
        }
        vv_bodies_measure(stage, stage->positions, boxes + i * bodies);
    }
    if (good && vv_limits_find(limits, stage, boxes, take, alone))
        return boxes;
    free(boxes);
    vv_cli_wrong("no memory for choosing the camera");
    return NULL;
}

static bool measure_run(vv_framing *f, const vv_render_stage *stage, const vv_limits *limits, const vv_body_box *boxes)
{
    for (int i = 0; i < taken(stage); i++) {
        if (vv_cli_interrupted() || !vv_stage_read(stage, taken_frame(stage, i), stage->positions, NULL))
            return false;
        measure_frame(f, stage, limits, boxes + i * limits->bodyCount, f->frames++);
    }
    return true;
}

static bool measure_runs(vv_framing *f, vv_render_stage *const *stages, vv_body_box **boxes)
{
    for (int s = 0; s < f->runs; s++) {
        boxes[s] = find_limits(stages[s], &f->limits[s], f->runs == 1);
        if (!boxes[s])
            return false;
        f->follow = f->follow || all_gone(stages[s], &f->limits[s], boxes[s]);
    }
    for (int s = 0; s < f->runs; s++) {
        f->limits[s].follow = f->follow;
        if (!measure_run(f, stages[s], &f->limits[s], boxes[s]))
            return false;
    }
    if (!choose_view(f, stages[0]))
        return false;
    for (int s = 0; s < f->runs; s++) {
        f->limits[s].follow = f->follow;
        stages[s]->limits = &f->limits[s];
    }
    return true;
}

vv_framing *vv_framing_measure(vv_render_stage *const *stages, int count, const vv_view *view)
{
    vv_framing *f = calloc(1, sizeof *f);
    vv_body_box **boxes = calloc((size_t)count + 1, sizeof *boxes);
    int slots = 0;
    for (int s = 0; s < count; s++)
        slots += taken(stages[s]);
    if (f)
        f->runs = count;
    if (!f || !boxes || !framing_alloc(f, slots)) {
        vv_framing_destroy(f);
        free(boxes);
        vv_cli_wrong("no memory for choosing the camera");
        return NULL;
    }
    set_axes(f, stages[0]->up);
    f->view = *view;
    f->follow = view->follow;
    f->hasGround = stages[0]->hasGround;
    f->ground = stages[0]->ground;
    bool good = measure_runs(f, stages, boxes);
    for (int s = 0; s < count; s++)
        free(boxes[s]);
    free(boxes);
    if (good)
        return f;
    vv_framing_destroy(f);
    return NULL;
}

void vv_framing_destroy(vv_framing *f)
{
    if (!f)
        return;
    for (int s = 0; f->limits && s < f->runs; s++)
        vv_limits_free(&f->limits[s]);
    free(f->limits);
    free(f->points);
    free(f->centre);
    free(f->used);
    free(f);
}

/* ---- the camera ---- */

static void aim(const vv_framing *f, vv_camera *c)
{
    double a = f->view.azimuth * M_PI / 180, e = f->view.elevation * M_PI / 180;
    for (int k = 0; k < 3; k++)
        c->back[k] = cos(e) * (sin(a) * f->across[k] + cos(a) * f->along[k]) + sin(e) * f->up[k];
    if (f->view.fixedEye)
        for (int k = 0; k < 3; k++)
            c->back[k] = f->view.eye[k] - f->view.target[k];
    vv_unit3(c->back);
    vv_cross3(f->up, c->back, c->right);
    if (vv_dot3(c->right, c->right) < 1e-12) /* straight down: `across` stays to the right */
        memcpy(c->right, f->across, sizeof c->right);
    vv_unit3(c->right);
    vv_cross3(c->back, c->right, c->up);
}

/* Raises the four supports so that the point is inside. */
static void support(const vv_camera *c, const double x[3], double s[4])
{
    double r = vv_dot3(c->right, x), u = vv_dot3(c->up, x), b = vv_dot3(c->back, x);
    s[0] = fmax(s[0], r + c->tanX * b);
    s[1] = fmax(s[1], -r + c->tanX * b);
    s[2] = fmax(s[2], u + c->tanY * b);
    s[3] = fmax(s[3], -u + c->tanY * b);
}

static double height_over(const vv_plane *plane, const double x[3])
{
    double d[3] = { x[0] - plane->point[0], x[1] - plane->point[1], x[2] - plane->point[2] };
    return vv_dot3(d, plane->normal);
}

/* The supports of all kept points; with tangents of 0: the extents of a parallel view. */
static void supports(const vv_framing *f, const vv_camera *c, double s[4])
{
    double lowest = INFINITY;
    s[0] = s[1] = s[2] = s[3] = -INFINITY;
    for (int i = 0; i < f->frames; i++)
        for (int p = 0; f->used[i] && p < DIRECTIONS; p++) {
            double x[3];
            for (int k = 0; k < 3; k++)
                x[k] = f->points[3 * (DIRECTIONS * i + p) + k] - (f->follow ? f->centre[3 * i + k] : 0);
            support(c, x, s);
            if (f->hasGround)
                lowest = fmin(lowest, height_over(&f->ground, x));
        }
    if (s[0] == -INFINITY)
        s[0] = s[1] = s[2] = s[3] = 0;
    if (!f->hasGround || f->follow || lowest > f->size)
        return;
    for (int i = 0; i < f->frames; i++) /* the ground below belongs to the picture */
        for (int p = 0; f->used[i] && p < DIRECTIONS; p++) {
            double x[3], height = height_over(&f->ground, f->points + 3 * (DIRECTIONS * i + p));
            for (int k = 0; k < 3; k++)
                x[k] = f->points[3 * (DIRECTIONS * i + p) + k] - height * f->ground.normal[k];
            support(c, x, s);
        }
}

double vv_framing_aspect(const vv_framing *f)
{
    vv_camera c = { .tanX = 0, .tanY = 0 };
    double s[4];
    aim(f, &c);
    supports(f, &c, s);
    double wide = s[0] + s[1], high = s[2] + s[3];
    return wide > 0 && high > 0 && isfinite(wide + high) ? wide / high : 1;
}

double vv_framing_size(const vv_framing *f) { return f->size; }

bool vv_framing_follows(const vv_framing *f) { return f->follow; }

/* The nearest eye that sees everything with the margin. */
static void fit(const vv_framing *f, vv_camera *c)
{
    vv_camera narrow = *c;
    double s[4], at[3], away = 0;
    narrow.tanX /= margin;
    narrow.tanY /= margin;
    supports(f, &narrow, s);
    at[0] = (s[0] - s[1]) / 2;
    at[1] = (s[2] - s[3]) / 2;
    at[2] = fmax((s[0] + s[1]) / (2 * narrow.tanX), (s[2] + s[3]) / (2 * narrow.tanY));
    for (int k = 0; k < 3; k++) {
        c->eye[k] = at[0] * c->right[k] + at[1] * c->up[k] + at[2] * c->back[k];
        away += (c->eye[k] - f->middle[k]) * c->back[k];
    }
    away = fmax(away, 1e-9 + 0.01 * f->size);
    for (int k = 0; k < 3; k++) {
        c->focus[k] = c->eye[k] - away * c->back[k];
    }
}

void vv_framing_camera(const vv_framing *f, double aspect, const vv_render_stage *stage, vv_camera *c)
{
    double away = 0;
    *c = (vv_camera){ .size = f->size,
                      .keyAzimuth = f->view.keyAzimuth,
                      .keyElevation = f->view.keyElevation,
                      .tanY = tan(f->view.fov * M_PI / 360) };
    c->tanX = c->tanY * aspect;
    aim(f, c);
    if (f->view.fixedEye) {
        memcpy(c->eye, f->view.eye, sizeof c->eye);
        memcpy(c->focus, f->view.target, sizeof c->focus);
    } else {
        fit(f, c);
        for (int k = 0; f->follow && stage && k < 3; k++) {
            c->eye[k] += stage->centre[k];
            c->focus[k] += stage->centre[k];
        }
        c->tanX /= f->view.zoom; /* from where it is: nearer it might stand among the bodies */
        c->tanY /= f->view.zoom;
    }
    for (int k = 0; k < 3; k++)
        away += (c->eye[k] - c->focus[k]) * c->back[k];
    c->near = 0.02 * away;
    c->far = away + 90 * c->size;
}

void vv_camera_project(const vv_camera *c, const double point[3], int width, int height, double pixel[2])
{
    double d[3] = { point[0] - c->eye[0], point[1] - c->eye[1], point[2] - c->eye[2] };
    double depth = -vv_dot3(d, c->back);
    pixel[0] = width * (0.5 + 0.5 * vv_dot3(d, c->right) / (depth * c->tanX));
    pixel[1] = height * (0.5 - 0.5 * vv_dot3(d, c->up) / (depth * c->tanY));
}
