/* From how high a camera sees what moves: where obstacles with a mesh (plates, a bowl) stand before the bodies at the
 * usual height, another one is chosen. Bodies are looked at as their middles. */
#include "cli.h"
#include "render/limits.h"

#include <math.h>

enum { MOST_FRAMES = 12, MOST_BODIES = 40 };

static const double other[] = { 8, 4, 2, 30, 45, 60 }; /* degrees, those that change less first */
static const double enough = 0.6;                      /* of the bodies and frames that are looked at */
static const double almost = 0.95;                     /* of the best */

/* Moeller and Trumbore: whether the line from there, `along` as long as it is, meets the triangle. */
static bool ray_meets(const double from[3], const double along[3], const double *a, const double *b, const double *c)
{
    double u[3], v[3], w[3], p[3], q[3];
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
        w[k] = from[k] - a[k];
    }
    vv_cross3(along, v, p);
    vv_cross3(w, u, q);
    double d = vv_dot3(u, p), s = vv_dot3(w, p) / d, t = vv_dot3(along, q) / d;
    double at = vv_dot3(v, q) / d;
    return s >= 0 && t >= 0 && s + t <= 1 && at > 0 && at < 1; /* false for what is no number */
}

static bool is_hidden(const vv_render_stage *stage, const double middle[3], const double eye[3])
{
    for (int b = 0; b < vvRunBodyCount(stage->run); b++) {
        const vvRunBody *body = vvRunGetBody(stage->run, b);
        for (int t = 0; body->kinematic && t < body->drawnTriangleCount; t++) {
            const int *corner = body->drawnTriangles + 3 * t;
            if (ray_meets(middle, eye, stage->positions + 3 * corner[0], stage->positions + 3 * corner[1],
                          stage->positions + 3 * corner[2]))
                return true;
        }
    }
    return false;
}

/* Adds, for each place of the eye, how many bodies are seen in the frame that stands in the stage's positions.
 * Returns how many there are. */
static int count_seen(const vv_render_stage *stage, double (*eyes)[3], int places, int *seen)
{
    int bodies = vvRunBodyCount(stage->run), step = bodies / MOST_BODIES + 1, count = 0;
    vv_bodies_measure(stage, stage->positions, stage->boxes);
    for (int b = 0; b < bodies; b += step) {
        double middle[3];
        if (vvRunGetBody(stage->run, b)->kinematic || stage->boxes[b].broken)
            continue;
        for (int k = 0; k < 3; k++)
            middle[k] = 0.5 * stage->boxes[b].low[k] + 0.5 * stage->boxes[b].high[k];
        for (int d = 0; d < places; d++)
            seen[d] += !is_hidden(stage, middle, eyes[d]);
        count++;
    }
    return count;
}

bool vv_choose_elevation(const vv_render_stage *stage, double usual, const double level[3], double distance,
                         double *elevation)
{
    enum { OTHERS = sizeof other / sizeof *other };
    double eyes[OTHERS + 1][3]; /* from the bodies */
    int seen[OTHERS + 1] = { 0 }, count = 0, best = 0, frames = vvRunFrameCount(stage->run);
    bool meshes = false;
    *elevation = usual;
    for (int b = 0; b < vvRunBodyCount(stage->run); b++)
        meshes = meshes || vvRunGetBody(stage->run, b)->kinematic;
    if (!meshes)
        return true;
    for (int d = 0; d <= OTHERS; d++) {
        double e = (d == 0 ? usual : other[d - 1]) * M_PI / 180;
        for (int k = 0; k < 3; k++)
            eyes[d][k] = distance * (cos(e) * level[k] + sin(e) * stage->up[k]);
    }
    int looks = frames < MOST_FRAMES ? frames : MOST_FRAMES;
    for (int i = 0; i < looks; i++) {
        int frame = looks > 1 ? (int)((long)i * (frames - 1) / (looks - 1)) : 0;
        if (vv_cli_interrupted() || !vv_stage_read(stage, frame, stage->positions, NULL))
            return false;
        count += count_seen(stage, eyes, OTHERS + 1, seen);
    }
    if (seen[0] >= enough * count)
        return true;
    for (int d = 1; d <= OTHERS; d++)
        best = seen[d] > seen[best] ? d : best;
    for (int d = 0; d <= OTHERS; d++)
        if (seen[d] >= almost * seen[best]) {
            *elevation = d == 0 ? usual : other[d - 1];
            break;
        }
    return true;
}
