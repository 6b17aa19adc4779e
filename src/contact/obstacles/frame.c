/* The frame of a moving analytic obstacle: coordinates, distance, and conservative advancement of a point against
 * it. */
#include "contact/obstacles/frame.h"

#include "base/vec.h"

#include <string.h>

enum { MOST_STEPS = 200 };
/* Of the volume at rest: where less is left of the frame, it is taken to be flat. A turn by a shrinks to cos^2(a / 2)
 * along the path, so that turns of up to 168 degrees are followed; beyond that the shape would vanish in its axis, and
 * a half-space would turn over. */
static const double FLAT = 0.01;

vv_frame vv_frame_make(int node, const double *rest)
{
    vv_frame f = { .node = node };
    memcpy(f.rest, rest + 3 * (size_t)node, sizeof f.rest);
    for (size_t k = 0; k < 3; k++)
        f.length[k] = rest[3 * ((size_t)node + 1 + k) + k] - f.rest[k];
    vv_frame_place(&f, rest);
    return f;
}

/* D^-1 of the axes d[k] (rows: vectors) by their cross products; D's determinant. */
static double invert(double d[3][3], double inverse[9])
{
    double row[3][3];
    for (int k = 0; k < 3; k++)
        vv_cross(d[(k + 1) % 3], d[(k + 2) % 3], row[k]);
    double det = vv_dot(d[0], row[0]);
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++)
            inverse[3 * k + c] = row[k][c] / det;
    return det;
}

/* The frame at q + t p; p may be NULL. */
static bool place_at(vv_frame *f, const double *q, const double *p, double t)
{
    double d[3][3], x[4][3];
    for (int i = 0; i < 4; i++)
        for (int c = 0; c < 3; c++) {
            size_t j = 3 * ((size_t)f->node + (size_t)i) + (size_t)c;
            x[i][c] = q[j] + (p ? t * p[j] : 0);
        }
    memcpy(f->origin, x[0], sizeof f->origin);
    for (int k = 0; k < 3; k++)
        vv_sub(x[k + 1], x[0], d[k]);
    return invert(d, f->inverse) > FLAT * f->length[0] * f->length[1] * f->length[2];
}

bool vv_frame_place(vv_frame *f, const double *q) { return place_at(f, q, NULL, 0); }

const vv_frame *vv_frame_at(const vv_frame *frame, double beta, const double *x, const double *z, vv_frame *own,
                            bool *solid)
{
    bool flat = false;
    double q[12];
    if (frame) {
        for (size_t i = 0; i < 12; i++) {
            const size_t node = (size_t)frame->node + i / 3;
            q[i] = beta * x[4 * node + i % 3] + (z ? z[3 * node + i % 3] : 0);
        }
        *own = *frame;
        own->node = 0;
        flat = !vv_frame_place(own, q);
        own->node = frame->node;
    }
    if (solid)
        *solid = !flat;
    return frame ? own : NULL;
}

static void coordinates(const vv_frame *f, const double x[3], double b[3])
{
    double r[3];
    vv_sub(x, f->origin, r);
    vv_matvec(f->inverse, r, b);
}

void vv_frame_weights(const vv_frame *f, const double x[3], double w[4])
{
    coordinates(f, x, w + 1);
    w[0] = 1 - w[1] - w[2] - w[3];
}

/* G = diag(L) D^-1 */
static void gradient_map(const vv_frame *f, double g[9])
{
    for (int i = 0; i < 9; i++)
        g[i] = f->length[i / 3] * f->inverse[i];
}

/* Where x stands to the shape at rest. */
void vv_frame_to_rest(const vv_frame *f, const double x[3], double y[3])
{
    double b[3];
    coordinates(f, x, b);
    for (int k = 0; k < 3; k++)
        y[k] = f->rest[k] + f->length[k] * b[k];
}

double vv_frame_take_back(const vv_frame *f, const double origin[3], const double direction[3], double from[3],
                          double along[3])
{
    double g[9];
    vv_frame_to_rest(f, origin, from);
    gradient_map(f, g);
    vv_matvec(g, direction, along);
    double stretch = vv_norm(along);
    for (int k = 0; k < 3; k++)
        along[k] /= stretch;
    return stretch;
}

/* G^T n */
static void turn_normal(const double g[9], const double local[3], double n[3])
{
    for (int k = 0; k < 3; k++)
        n[k] = g[k] * local[0] + g[3 + k] * local[1] + g[6 + k] * local[2];
}

void vv_frame_gradient(const vv_frame *f, const double local[3], double n[3])
{
    double g[9];
    gradient_map(f, g);
    turn_normal(g, local, n);
}

void vv_frame_normal(const vv_frame *f, const double local[3], double n[3])
{
    vv_frame_gradient(f, local, n);
    double length = vv_norm(n);
    for (int k = 0; k < 3; k++)
        n[k] /= length;
}

/* G^T C G */
static void turn_curvature(const double g[9], const double c[9], double out[9])
{
    double t[9], gt[9];
    for (int i = 0; i < 9; i++)
        gt[i] = g[3 * (i % 3) + i / 3];
    vv_matmul(gt, c, t);
    vv_matmul(t, g, out);
}

void vv_frame_curvature(const vv_frame *f, const double local[9], double c[9])
{
    double g[9];
    gradient_map(f, g);
    turn_curvature(g, local, c);
}

double vv_frame_distance(const vv_frame *f, const vv_obstacle *obstacle, const double x[3], double n[3], double c[9])
{
    double y[3], local[3], bend[9], g[9];
    vv_frame_to_rest(f, x, y);
    double d = vv_obstacle_distance(obstacle, y, n ? local : NULL, c ? bend : NULL);
    if (n || c)
        gradient_map(f, g);
    if (n)
        turn_normal(g, local, n);
    if (c)
        turn_curvature(g, bend, c);
    return d;
}

/* ---- conservative advancement ---- */

vv_frame_way vv_frame_way_of(const vv_frame *f, const double *q, const double *p)
{
    vv_frame_way way = { q, p, 0 };
    double square = 0;
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++) {
            double d = (p[3 * ((size_t)f->node + 1 + (size_t)k) + (size_t)c] - p[3 * (size_t)f->node + (size_t)c]) /
                       f->length[k];
            square += d * d;
        }
    way.stretch = sqrt(square); /* Frobenius: at least the norm */
    return way;
}

/* A lower bound of the least singular value of F = G^-1: from |G| in general, and from how far G G^T is from 1. */
static double least_stretch(const double g[9])
{
    double size = 0, off = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double dot = vv_dot(g + 3 * i, g + 3 * j) - (i == j);
            off += dot * dot;
            size += g[3 * i + j] * g[3 * i + j];
        }
    return fmax(1 / sqrt(size), 1 / sqrt(1 + sqrt(off)));
}

double vv_frame_growth(const vv_frame *f)
{
    double g[9];
    gradient_map(f, g);
    return 1 / least_stretch(g);
}

/* The root of first s + second s^2 = room. */
static double part_of(double first, double second, double room)
{
    const double sum = first + sqrt(first * first + 4 * second * room);
    return sum > 0 ? 2 * room / sum : INFINITY;
}

/* A part of the path on which the point's distance falls by at most `room` (m), to `keep`; at most about `limit`. The
 * point of the shape's own space that x stands for moves by s G(t + s) w on the next part s, where w is the motion of
 * x less that of the obstacle's material there; and while s |dF| is at most half of sigma, the least singular value
 * of F, |G(t + s) - G(t)| is at most 2 s |dF| / sigma^2, and |G(t + s)| at most 2 / sigma. */
static double safe_part(const vv_frame_way *way, const vv_frame *f, const vv_obstacle *obstacle, const double n[3],
                        const double x[3], const double dx[3], double room, double keep, double limit)
{
    double g[9], b[4], w[3];
    gradient_map(f, g);
    vv_frame_weights(f, x, b);
    for (int c = 0; c < 3; c++) {
        w[c] = dx[c];
        for (int i = 0; i < 4; i++)
            w[c] -= b[i] * way->p[3 * ((size_t)f->node + (size_t)i) + (size_t)c];
    }
    double y[3], reach, bend;
    vv_frame_to_rest(f, x, y);
    double sigma = least_stretch(g), length = vv_norm(w), turns = 2 * length * way->stretch / (sigma * sigma);
    if (obstacle->ops->field) {
        double along[3], part;
        vv_matvec(g, w, along);
        part = obstacle->ops->field->free_way(obstacle->field, obstacle->shape, y, along, turns, keep, limit);
        part = fmax(part, part_of(length / sigma, turns, room));
        return way->stretch > 0 ? fmin(part, 0.5 * sigma / way->stretch) : part;
    }
    vv_obstacle_bends(obstacle, y, &reach, &bend);
    /* n = G^T n_rest */
    double slides = part_of(fmax(-vv_dot(n, w), 0), turns + 2 * bend * length * length / (sigma * sigma), room);
    double part =
        fmax(length > 0 ? fmin(slides, 0.5 * sigma * reach / length) : slides, part_of(length / sigma, turns, room));
    return way->stretch > 0 ? fmin(part, 0.5 * sigma / way->stretch) : part;
}

double vv_frame_advance(const vv_frame_way *way, const vv_frame *frame, const vv_obstacle *obstacle, const double x[3],
                        const double dx[3], double radius, double keep, double limit)
{
    vv_frame f = *frame;
    double n[3], y[3] = { x[0], x[1], x[2] }, t = 0;
    double d = vv_frame_distance(&f, obstacle, y, n, NULL) - radius;
    for (int k = 0; k < MOST_STEPS; k++) {
        double further = t + safe_part(way, &f, obstacle, n, y, dx, d - keep, keep + radius, 2 * (limit - t));
        if (further >= limit)
            return limit;
        if (!(further > t) || !place_at(&f, way->q, way->p, further))
            break;
        t = further;
        for (int c = 0; c < 3; c++)
            y[c] = x[c] + t * dx[c];
        d = vv_frame_distance(&f, obstacle, y, n, NULL) - radius;
        if (d <= 1.5 * keep)
            break;
    }
    return t;
}
