/* Where the camera stands. A run is measured once: of every frame the extreme nodes in many directions are kept. From
 * these points the nearest eye that sees them all follows in closed form for any direction and any shape of picture:
 * a point x is inside the side plane with normal n when n.(x - eye) <= 0, so the eye needs n.eye >= max n.x for each of
 * the four sides, which are two pairs of lines in the (right, back) and the (up, back) plane. */
#include "cli.h"
#include "render/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIRECTIONS = 42, MOST_FRAMES = 400 };

static const double margin = 1.13;
static const double broken_growth = 2.2;     /* a frame this much larger than usual is an explosion, not a motion */
static const double key_azimuth = -46, key_elevation = 56;
static const double across_azimuth = 28, along_azimuth = 62, usual_elevation = 15, free_elevation = 20;

struct vv_framing {
    double up[3], across[3], along[3]; /* azimuth 0 looks along -`along`, with `across` to the right */
    vv_view view;
    bool hasGround;
    vv_plane ground;
    double *points;    /* frames x DIRECTIONS x 3 */
    double *centre;    /* frames x 3 */
    double *diagonal;  /* frames */
    bool *used;
    int frames;
    double middle[3], size, horizontal[2];
    bool follow;
};

vv_view vv_default_view(void)
{
    return (vv_view){ .azimuth = NAN, .elevation = NAN, .zoom = 1, .fov = 24 };
}

/* ---- measuring ---- */

static void spread_directions(double d[DIRECTIONS][3])
{
    for (int i = 0; i < DIRECTIONS; i++) {
        double z = 1 - 2 * (i + 0.5) / DIRECTIONS, r = sqrt(1 - z * z), t = i * M_PI * (3 - sqrt(5));
        d[i][0] = r * cos(t), d[i][1] = z, d[i][2] = r * sin(t);
    }
}

static bool measure_frame(vv_framing *f, const vv_render_stage *stage, int frame, int slot, double directions[DIRECTIONS][3])
{
    vvError error;
    if (vvRunReadFrame(stage->run, frame, stage->positions, NULL, &error) != VV_OK) {
        vv_cli_error(&error);
        return false;
    }
    vvRunCarry(stage->run, 3, stage->positions);
    double best[DIRECTIONS], low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
    double *points = f->points + 3 * DIRECTIONS * (size_t)slot, square = 0;
    for (int d = 0; d < DIRECTIONS; d++)
        best[d] = -INFINITY;
    int n = vvRunVertexCount(stage->run), finite = 0;
    for (int i = 0; i < n; i++) {
        const double *x = stage->positions + 3 * i;
        if (!isfinite(x[0] + x[1] + x[2]))
            continue;
        finite++;
        if (!stage->framed[i])
            continue;
        double radius = stage->radius[i];
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], x[k] - radius);
            high[k] = fmax(high[k], x[k] + radius);
        }
        for (int d = 0; d < DIRECTIONS; d++) {
            double s = vv_dot3(directions[d], x) + radius;
            if (s > best[d]) {
                best[d] = s;
                for (int k = 0; k < 3; k++)
                    points[3 * d + k] = x[k] + radius * directions[d][k];
            }
        }
    }
    for (int k = 0; k < 3; k++) {
        f->centre[3 * slot + k] = (low[k] + high[k]) / 2;
        square += (high[k] - low[k]) * (high[k] - low[k]);
    }
    f->diagonal[slot] = sqrt(square);
    f->used[slot] = finite == n && n > 0 && isfinite(square);
    return true;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Leaves out frames in which the bodies have burst, or flown far away from everything else. */
static void drop_broken(vv_framing *f)
{
    double *sorted = malloc((size_t)f->frames * sizeof *sorted), usual = 0, first = 0;
    int count = 0;
    for (int i = 0; sorted && i < f->frames; i++)
        if (f->used[i])
            sorted[count++] = f->diagonal[i];
    if (count) {
        first = f->used[0] ? f->diagonal[0] : sorted[0];
        qsort(sorted, (size_t)count, sizeof *sorted, compare_doubles);
        usual = sorted[count / 2];
        if (first > 0.05 * usual) /* a run that starts collapsed to a point says nothing */
            usual = fmin(usual, 3 * first);
    }
    free(sorted);
    int kept = 0;
    for (int i = 0; count && i < f->frames; i++) {
        double away = 0;
        for (int k = 0; k < 3; k++)
            away = fmax(away, fabs(f->centre[3 * i + k] - f->centre[k]));
        f->used[i] = f->used[i] && f->diagonal[i] <= broken_growth * usual && away <= 60 * fmax(usual, 1e-9);
        kept += f->used[i];
    }
    if (kept == 0 && f->frames > 0)
        f->used[0] = true;
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
    for (int k = 0; k < 3; k++)
        square += (high[k] - low[k]) * (high[k] - low[k]);
    for (int k = 0; k < 3; k++) {
        f->middle[k] = 0;
        for (int a = 0; a < 3; a++)
            f->middle[k] += axis[a][k] * (low[a] + high[a]) / 2;
    }
    f->size = fmax(0.5 * sqrt(square), 1e-9);
    f->horizontal[0] = high[0] - low[0];
    f->horizontal[1] = high[1] - low[1];
}

static void choose_view(vv_framing *f, const vv_render_stage *stage)
{
    measure_all(f, false);
    double usual = f->size;
    bool bare = !stage->hasGround && stage->wallCount == 0 && vvRunObstacleCount(stage->run) == 0;
    measure_all(f, true);
    f->follow = f->view.follow || (bare && usual > 4 * f->size);
    if (!f->follow)
        measure_all(f, false);
    if (isnan(f->view.azimuth)) /* the longer side lies across the picture */
        f->view.azimuth = f->horizontal[0] >= 0.8 * f->horizontal[1] ? across_azimuth : along_azimuth;
    if (isnan(f->view.elevation))
        f->view.elevation = stage->hasGround ? usual_elevation : free_elevation;
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
    f->diagonal = calloc(n, sizeof *f->diagonal);
    f->used = calloc(n, sizeof *f->used);
    return f->points && f->centre && f->diagonal && f->used;
}

vv_framing *vv_framing_measure(const vv_render_stage *const *stages, int count, const vv_view *view)
{
    double directions[DIRECTIONS][3];
    vv_framing *f = calloc(1, sizeof *f);
    int slots = 0;
    for (int s = 0; s < count; s++)
        slots += vvRunFrameCount(stages[s]->run) < MOST_FRAMES ? vvRunFrameCount(stages[s]->run) : MOST_FRAMES;
    if (!f || !framing_alloc(f, slots)) {
        vv_framing_destroy(f);
        vv_cli_wrong("no memory for choosing the camera");
        return NULL;
    }
    spread_directions(directions);
    set_axes(f, stages[0]->up);
    f->view = *view;
    f->hasGround = stages[0]->hasGround;
    f->ground = stages[0]->ground;
    for (int s = 0; s < count; s++) {
        int frames = vvRunFrameCount(stages[s]->run), take = frames < MOST_FRAMES ? frames : MOST_FRAMES;
        for (int i = 0; i < take; i++) {
            int frame = take > 1 ? (int)((long)i * (frames - 1) / (take - 1)) : 0;
            if (!measure_frame(f, stages[s], frame, f->frames, directions)) {
                vv_framing_destroy(f);
                return NULL;
            }
            f->frames++;
        }
    }
    drop_broken(f);
    choose_view(f, stages[0]);
    return f;
}

void vv_framing_destroy(vv_framing *f)
{
    if (!f)
        return;
    free(f->points);
    free(f->centre);
    free(f->diagonal);
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
        c->eye[k] = c->focus[k] + away / f->view.zoom * c->back[k];
    }
}

void vv_framing_camera(const vv_framing *f, double aspect, const double *centre, vv_camera *c)
{
    double away = 0;
    *c = (vv_camera){
        .size = f->size, .keyAzimuth = key_azimuth, .keyElevation = key_elevation, .tanY = tan(f->view.fov * M_PI / 360)
    };
    c->tanX = c->tanY * aspect;
    aim(f, c);
    if (f->view.fixedEye) {
        memcpy(c->eye, f->view.eye, sizeof c->eye);
        memcpy(c->focus, f->view.target, sizeof c->focus);
    } else {
        fit(f, c);
        for (int k = 0; f->follow && centre && k < 3; k++) {
            c->eye[k] += centre[k];
            c->focus[k] += centre[k];
        }
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
