/* Frames that rotate and stretch with their bodies, for the boxes by which a body's own elements are compared: a fast
 * spinning body has hardly larger boxes than one at rest.
 *
 * With x about the body's centre, its motion d less the mean is split into A x + r, A by least squares. On the path the
 * points are at F x + s r + e, F = I + s A, |e| <= sqrt(3) margin. Seen in the frame, through the inverse of F, they
 * stay within (|r| + |e|) / sigma of x, sigma the smallest singular value of F over s in [0, 1], and what comes
 * within a distance in space comes within that distance / sigma in the frame. */
#include "contact/broad/broad.h"

#include "base/vec.h"

#include <math.h>
#include <string.h>

static void about_centre(const vv_broad *b, const vv_broad_body *body, int v, double x[3], double d[3])
{
    for (int k = 0; k < 3; k++) {
        x[k] = b->x[3 * (size_t)v + (size_t)k] - body->centre[k];
        d[k] = b->motion[3 * (size_t)v + (size_t)k] - body->motion[k];
    }
}

static double left_over(const vv_broad_body *body, const double x[3], const double d[3])
{
    double along[3], rest[3];
    vv_matvec(body->turn, x, along);
    vv_sub(d, along, rest);
    return vv_norm(rest);
}

/* sum[0..8]: d x^T; [9..17]: x x^T. largest: |d|. */
static void moments_run(void *arg, int chunk)
{
    vv_broad *b = arg;
    vv_broad_run *r = &b->runs[chunk];
    if (!b->bodies[r->body].stale)
        return;
    memset(r->sum, 0, sizeof r->sum);
    r->largest = 0;
    for (int v = r->begin; v < r->end; v++) {
        double x[3], d[3];
        about_centre(b, &b->bodies[r->body], v, x, d);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                r->sum[3 * i + j] += d[i] * x[j];
                r->sum[9 + 3 * i + j] += x[i] * x[j];
            }
        r->largest = fmax(r->largest, vv_norm(d));
    }
}

/* largest: of the residual r. */
static void left_run(void *arg, int chunk)
{
    vv_broad *b = arg;
    vv_broad_run *r = &b->runs[chunk];
    if (!b->bodies[r->body].turns)
        return;
    r->largest = 0;
    for (int v = r->begin; v < r->end; v++) {
        double x[3], d[3];
        about_centre(b, &b->bodies[r->body], v, x, d);
        r->largest = fmax(r->largest, left_over(&b->bodies[r->body], x, d));
    }
}

/* A lower bound: F(s)^T F(s) = (1 - s)^2 I + s (1 - s) (F + F^T) + s^2 F^T F, with F = F(1); its eigenvalues are at
 * least the quadratic in s formed with the smallest eigenvalues of the three terms. */
static double least_singular(const double turn[9])
{
    double f[9], square[9], sum[9], w[3], vectors[9], least = 1;
    for (int i = 0; i < 9; i++)
        f[i] = turn[i] + (i % 4 == 0);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            square[3 * i + j] = f[i] * f[j] + f[3 + i] * f[3 + j] + f[6 + i] * f[6 + j];
            sum[3 * i + j] = f[3 * i + j] + f[3 * j + i];
        }
    vv_eigen_symmetric(square, w, vectors);
    double last = w[0];
    vv_eigen_symmetric(sum, w, vectors);
    double linear = w[0] - 2, quadratic = 1 + last - w[0], at = -0.5 * linear / quadratic;
    least = fmin(least, last);
    if (at > 0 && at < 1)
        least = fmin(least, 1 + at * (linear + at * quadratic));
    return least > 0 ? (1 - 1e-9) * sqrt(least) : 0; /* for rounding */
}

/* A, or none where the body hardly moves in its frame or A compresses it much. */
static void fit(vv_broad_body *body, const double moments[18])
{
    double inverse[9], inertia[9], trace = moments[9] + moments[13] + moments[17];
    memset(body->turn, 0, sizeof body->turn);
    body->stretch = 1;
    memcpy(inertia, moments + 9, sizeof inertia);
    for (int k = 0; k < 3; k++)
        inertia[4 * k] += 1e-6 * trace; /* for flat or straight bodies */
    body->turns = body->largest > 0.5 * body->margin && trace > 0 && trace < 1e100 && vv_inverse(inertia, inverse) != 0;
    if (!body->turns)
        return;
    vv_matmul(moments, inverse, body->turn);
    double size = 0;
    for (int i = 0; i < 9; i++)
        size += fabs(body->turn[i]);
    body->stretch = size < 1e6 ? least_singular(body->turn) : 0;
    body->turns = body->stretch > 0.5;
}

bool vv_broad_frames(vv_broad *b, const vv_parallel *par)
{
    b->turns = false;
    for (int i = 0; i < b->surface->body_count; i++)
        b->bodies[i].turns = false;
    if (!b->moves)
        return true;
    vv_for(par, b->run_count, moments_run, b);
    for (int i = 0; i < b->run_count;) {
        vv_broad_body *body = &b->bodies[b->runs[i].body];
        double moments[18] = { 0 };
        body->largest = 0;
        for (int of = b->runs[i].body; i < b->run_count && b->runs[i].body == of; i++) {
            for (int k = 0; k < 18; k++)
                moments[k] += b->runs[i].sum[k];
            body->largest = fmax(body->largest, b->runs[i].largest);
        }
        if (body->stale) /* only then its own elements are compared */
            fit(body, moments);
    }
    vv_for(par, b->run_count, left_run, b);
    for (int i = 0; i < b->run_count;) {
        vv_broad_body *body = &b->bodies[b->runs[i].body];
        double left = 0;
        for (int of = b->runs[i].body; i < b->run_count && b->runs[i].body == of; i++)
            left = fmax(left, b->runs[i].largest);
        body->turns = body->turns && (left + body->margin) / body->stretch < 0.5 * body->largest + body->margin;
        b->turns |= body->turns;
    }
    return !b->turns || (vv_grow((void **)&b->vertex_boxes[1], &b->own_vertices, (size_t)b->surface->vertices->count,
                                 sizeof *b->vertex_boxes[1]) &&
                         vv_grow((void **)&b->boxes[1], &b->own_boxes, (size_t)b->level_end[VV_BROAD_LEVELS - 1],
                                 sizeof *b->boxes[1]));
}

vv_box_f vv_broad_own_box(const vv_broad *b, int vertex)
{
    const vv_broad_body *body = &b->bodies[b->surface->vertices->body[vertex]];
    double x[3], d[3], radius = b->surface->bodies[b->surface->vertices->body[vertex]].radius;
    about_centre(b, body, vertex, x, d);
    double strays = left_over(body, x, d) + sqrt(3) * body->margin + 2 * b->slack;
    double around =
        (strays + 0.5 * vv_surface_own(b->surface, b->surface->vertices->body[vertex], b->activation) + radius) /
        body->stretch;
    vv_box_f box = { vv_zero4, vv_zero4 };
    for (int k = 0; k < 3; k++) {
        box.low[k] = vv_float_below(x[k] - around);
        box.high[k] = vv_float_above(x[k] + around);
    }
    return box;
}
