/* Which bodies belong in a picture. All that moves does; but a body whose coordinates have exploded, or that has
 * flown so far away that everything else would be too small to see, is left out at those times, and said to be.
 *
 * What is usual is measured over the frames of the run, or is how the body is at rest. Burst: the body's box and its
 * edges are both several times as long as usual (a rope that uncoils has the edges it always had). Away: farther from
 * the middle of the bodies than a picture that shows them can reach. A body of free points is not judged as a whole:
 * the points that are away are left out. */
#include "cli.h"
#include "render/limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double burst_growth = 3;     /* of a run by itself */
static const double burst_beside = 2;     /* of one of several: it must not make the others small */
static const double reach_of_size = 20;   /* the picture reaches so many times the largest body's size ... */
static const double reach_of_spread = 12; /* ... or so many times the bodies' distances at the start ... */
static const double largest_reach = 500;  /* ... but this many times the largest body's size at most */
static const double collapsed = 0.05;     /* a first frame so much smaller than the middle one is no usual one ... */
static const double explosion = 1e5;      /* ... unless the others are larger by that much */

/* ---- boxes ---- */

static void grow(vv_body_box *box, const double x[3], double radius)
{
    for (int k = 0; k < 3; k++) {
        box->low[k] = fmin(box->low[k], x[k] - radius);
        box->high[k] = fmax(box->high[k], x[k] + radius);
    }
}

static void grow_range(vv_body_box *box, const vv_render_stage *stage, const double *x, int first, int count)
{
    for (int i = first; i < first + count; i++) {
        if (isfinite(x[3 * i] + x[3 * i + 1] + x[3 * i + 2]))
            grow(box, x + 3 * i, stage->radius[i]);
        else
            box->broken = true;
    }
}

/* Of the triangles' sides, else of the edges. */
static double mean_edge(const vvRunBody *body, const double *x)
{
    double sum = 0;
    int count = body->drawnTriangleCount > 0 ? 3 * body->drawnTriangleCount : body->edgeCount;
    for (int i = 0; i < count; i++) {
        int p = body->drawnTriangleCount > 0 ? body->drawnTriangles[i] : body->edges[2 * i];
        int q =
            body->drawnTriangleCount > 0 ? body->drawnTriangles[i % 3 == 2 ? i - 2 : i + 1] : body->edges[2 * i + 1];
        double d[3] = { x[3 * q] - x[3 * p], x[3 * q + 1] - x[3 * p + 1], x[3 * q + 2] - x[3 * p + 2] };
        sum += sqrt(vv_dot3(d, d));
    }
    return count > 0 ? sum / count : 0;
}

void vv_bodies_measure(const vv_render_stage *stage, const double *positions, vv_body_box *boxes)
{
    for (int b = 0; b < vvRunBodyCount(stage->run); b++) {
        const vvRunBody *body = vvRunGetBody(stage->run, b);
        vv_body_box *box = &boxes[b];
        *box = (vv_body_box){ .low = { INFINITY, INFINITY, INFINITY }, .high = { -INFINITY, -INFINITY, -INFINITY } };
        grow_range(box, stage, positions, body->firstNode, body->affine ? 0 : body->nodeCount);
        if (body->carries)
            grow_range(box, stage, positions, body->firstVertex, body->vertexCount);
        box->edge = mean_edge(body, positions);
    }
}

double vv_box_size(const vv_body_box *box)
{
    double d[3] = { box->high[0] - box->low[0], box->high[1] - box->low[1], box->high[2] - box->low[2] };
    return sqrt(vv_dot3(d, d));
}

/* ---- what is usual ---- */

/* The upper one of two in the middle. Sorts the values. */
static double median(double *values, int count)
{
    if (count == 0)
        return 0;
    qsort(values, (size_t)count, sizeof *values, vv_by_number);
    return values[count / 2];
}

/* The middle of all frames' values, or the first one where that is smaller: a run may explode early. But a run that
 * starts collapsed, and then keeps its size, is as large as it becomes. */
static double usual(double *values, int count)
{
    double first = count > 0 ? values[0] : 0, middle = median(values, count), last = count > 0 ? values[count - 1] : 0;
    bool grows = last > 4 * middle || (count < 4 && middle > explosion * first);
    return first < collapsed * middle && !grows ? middle : fmin(first, middle);
}

static bool counts(const vv_render_stage *stage, int b)
{
    const vvRunBody *body = vvRunGetBody(stage->run, b);
    return body->nodeCount > 0 && stage->framed[body->firstNode];
}

static void box_middle(const vv_body_box *box, double middle[3])
{
    for (int k = 0; k < 3; k++)
        middle[k] = 0.5 * box->low[k] + 0.5 * box->high[k]; /* the sum might overflow */
}

static bool is_burst(const vv_limits *limits, const vvRunBody *body, const vv_body_box *box, int b)
{
    bool edges = body->drawnTriangleCount > 0 || body->edgeCount > 0;
    return edges && vv_box_size(box) > limits->growth * limits->size[b] && box->edge > limits->growth * limits->edge[b];
}

/* The middle of the bodies' middles, each axis by itself, so that one that strays does not shift it. `values` has
 * room for all bodies. Returns how many count. */
static int find_middle(const vv_limits *limits, const vv_render_stage *stage, const vv_body_box *boxes, double *values,
                       double middle[3])
{
    int used = 0;
    for (int pass = 0; pass < 2 && used == 0; pass++) /* obstacles only where there is nothing else */
        for (int k = 0; k < 3; k++) {
            used = 0;
            for (int b = 0; b < limits->bodyCount; b++) {
                const vvRunBody *body = vvRunGetBody(stage->run, b);
                double own[3];
                box_middle(&boxes[b], own);
                if (counts(stage, b) && (pass == 1 || !body->kinematic) && isfinite(own[k]) && !boxes[b].broken &&
                    !is_burst(limits, body, &boxes[b], b))
                    values[used++] = own[k];
            }
            middle[k] = median(values, used);
        }
    return used;
}

static double apart(const double a[3], const double b[3])
{
    double d[3] = { a[0] - b[0], a[1] - b[1], a[2] - b[2] };
    return sqrt(vv_dot3(d, d));
}

/* How far the picture reaches: from the bodies' sizes, and from their distances in the first frame. */
static void set_reach(vv_limits *limits, const vv_render_stage *stage, const vv_body_box *first, double *values)
{
    double largest = 0;
    int used = 0;
    find_middle(limits, stage, first, values, limits->middle);
    for (int b = 0; b < limits->bodyCount; b++) {
        double own[3];
        box_middle(&first[b], own);
        if (!counts(stage, b))
            continue;
        largest = fmax(largest, limits->size[b]);
        if (isfinite(own[0] + own[1] + own[2]))
            values[used++] = apart(own, limits->middle);
    }
    double spread = median(values, used);
    limits->reach = fmax(reach_of_size * largest, fmin(reach_of_spread * spread, largest_reach * largest));
    if (!(limits->reach > 0)) /* a single point */
        limits->reach = 1;
}

/* At rest a body is as it should be: one that begins as a point, or in a tangle, may grow to that size. A carried
 * surface has no rest positions. */
static void allow_rest(vv_limits *limits, const vv_render_stage *stage, int b)
{
    const vvRunBody *body = vvRunGetBody(stage->run, b);
    const double *rest = vvRunRestPositions(stage->run);
    vv_body_box box = { .low = { INFINITY, INFINITY, INFINITY }, .high = { -INFINITY, -INFINITY, -INFINITY } };
    if (!rest || body->carries || body->affine || body->nodeCount == 0)
        return;
    grow_range(&box, stage, rest, body->firstNode, body->nodeCount);
    limits->size[b] = fmax(limits->size[b], vv_box_size(&box));
    limits->edge[b] = fmax(limits->edge[b], mean_edge(body, rest));
}

bool vv_limits_find(vv_limits *limits, const vv_render_stage *stage, const vv_body_box *boxes, int frames, bool alone)
{
    int bodies = vvRunBodyCount(stage->run);
    double *values = malloc((size_t)(frames + bodies + 1) * sizeof *values);
    *limits = (vv_limits){ .bodyCount = bodies, .reach = INFINITY, .growth = alone ? burst_growth : burst_beside };
    limits->size = calloc((size_t)bodies + 1, sizeof *limits->size);
    limits->edge = calloc((size_t)bodies + 1, sizeof *limits->edge);
    bool good = values && limits->size && limits->edge;
    for (int b = 0; good && b < bodies; b++) {
        int used = 0;
        for (int f = 0; f < frames; f++)
            if (isfinite(vv_box_size(&boxes[f * bodies + b])))
                values[used++] = vv_box_size(&boxes[f * bodies + b]);
        limits->size[b] = usual(values, used);
        used = 0;
        for (int f = 0; f < frames; f++)
            if (isfinite(boxes[f * bodies + b].edge))
                values[used++] = boxes[f * bodies + b].edge;
        limits->edge[b] = usual(values, used);
        allow_rest(limits, stage, b);
    }
    if (good && frames > 0)
        set_reach(limits, stage, boxes, values);
    free(values);
    if (!good)
        vv_limits_free(limits);
    return good;
}

void vv_limits_free(vv_limits *limits)
{
    free(limits->size);
    free(limits->edge);
    *limits = (vv_limits){ 0 };
}

/* ---- one frame ---- */

void vv_limits_middle(const vv_limits *limits, const vv_render_stage *stage, const vv_body_box *boxes, double middle[3])
{
    double *values = limits->follow ? malloc((size_t)(limits->bodyCount + 1) * sizeof *values) : NULL;
    if (!values || find_middle(limits, stage, boxes, values, middle) == 0)
        memcpy(middle, limits->middle, sizeof limits->middle);
    free(values);
}

vv_absence vv_limits_judge(const vv_limits *limits, const vv_render_stage *stage, const vv_body_box *box, int b,
                           const double middle[3])
{
    const vvRunBody *body = vvRunGetBody(stage->run, b);
    double own[3];
    if (!counts(stage, b))
        return VV_PRESENT;
    if (box->broken)
        return VV_NOT_NUMBERS;
    if (is_burst(limits, body, box, b))
        return VV_BURST;
    box_middle(box, own);
    return body->pointCount == 0 && apart(own, middle) > limits->reach ? VV_AWAY : VV_PRESENT;
}

bool vv_limits_reach(const vv_limits *limits, const double point[3], const double middle[3])
{
    return apart(point, middle) <= limits->reach;
}
