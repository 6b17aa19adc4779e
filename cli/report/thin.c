/* A page of a size that was asked for: fewer frames first, then fewer vertices; and how far off what is left out is. */
#include "cli.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the motion of fewer vertices ---- */

/* Of each vertex of `shape`, by its number in the run. */
static int *places_of(const vv_report_shape *shape)
{
    int most = 0;
    for (int v = 0; v < shape->vertexCount; v++)
        most = shape->vertices[v] > most ? shape->vertices[v] : most;
    int *place = malloc(((size_t)most + 1) * sizeof *place);
    for (int i = 0; place && i <= most; i++)
        place[i] = -1;
    for (int v = 0; place && v < shape->vertexCount; v++)
        place[shape->vertices[v]] = v;
    return place;
}

/* `rows` rows of as many numbers as `shape` has vertices become rows of those of `fewer`. */
static int32_t *pick(const int32_t *values, size_t rows, const vv_report_shape *shape, const vv_report_shape *fewer,
                     const int *place)
{
    const size_t from = (size_t)shape->vertexCount, to = (size_t)fewer->vertexCount;
    int32_t *picked = malloc((rows * to + 1) * sizeof *picked);
    for (size_t r = 0; picked && r < rows; r++)
        for (size_t v = 0; v < to; v++)
            picked[r * to + v] = values[r * from + (size_t)place[fewer->vertices[v]]];
    return picked;
}

bool vv_report_motion_pick(const vv_report_motion *motion, const vv_report_shape *shape, const vv_report_shape *fewer,
                           vv_report_motion *picked)
{
    int *place = places_of(shape);
    const size_t frames = (size_t)motion->frameCount;
    *picked = *motion;
    picked->values = place ? pick(motion->values, 3 * frames, shape, fewer, place) : NULL;
    bool good = picked->values != NULL;
    for (int i = 0; i < picked->fieldCount; i++) {
        picked->fields[i].values = good ? pick(motion->fields[i].values, frames, shape, fewer, place) : NULL;
        good = picked->fields[i].values != NULL;
    }
    free(place);
    return good;
}

/* ---- how far the rest is from the surface ---- */

static void nearest_on_side(const double p[3], const double a[3], const double b[3], double *least)
{
    double ab[3], ap[3], d[3];
    for (int k = 0; k < 3; k++)
        ab[k] = b[k] - a[k], ap[k] = p[k] - a[k];
    const double length = vv_dot3(ab, ab), t = length > 0 ? fmin(1, fmax(0, vv_dot3(ap, ab) / length)) : 0;
    for (int k = 0; k < 3; k++)
        d[k] = ap[k] - t * ab[k];
    *least = fmin(*least, sqrt(vv_dot3(d, d)));
}

/* Of a point from a triangle: from its plane if it lies above the inside, else from a side. */
static double distance_to(const double p[3], double x[3][3])
{
    double u[3], w[3], n[3], least = INFINITY;
    for (int k = 0; k < 3; k++)
        u[k] = x[1][k] - x[0][k], w[k] = x[2][k] - x[0][k];
    vv_cross3(u, w, n);
    const double size = sqrt(vv_dot3(n, n));
    bool inside = size > 0;
    for (int i = 0; i < 3; i++) {
        double side[3], to[3], out[3];
        for (int k = 0; k < 3; k++)
            side[k] = x[(i + 1) % 3][k] - x[i][k], to[k] = p[k] - x[i][k];
        vv_cross3(n, side, out);
        inside = inside && vv_dot3(out, to) >= 0;
        nearest_on_side(p, x[i], x[(i + 1) % 3], &least);
    }
    for (int k = 0; k < 3 && inside; k++)
        u[k] = p[k] - x[0][k];
    return inside ? fabs(vv_dot3(u, n)) / size : least;
}

/* Triangles of `fewer` around each of its vertices. */
typedef struct fans {
    int *start, *list;
} fans;

static bool find_fans(fans *f, const vv_report_shape *shape)
{
    const size_t n = (size_t)shape->vertexCount, corners = 3 * (size_t)shape->triangleCount;
    *f = (fans){ calloc(n + 2, sizeof *f->start), malloc((corners + 1) * sizeof *f->list) };
    if (!f->start || !f->list)
        return false;
    for (size_t i = 0; i < corners; i++)
        f->start[shape->triangles[i] + 2]++;
    for (size_t i = 0; i < n; i++)
        f->start[i + 2] += f->start[i + 1];
    for (size_t i = 0; i < corners; i++)
        f->list[f->start[shape->triangles[i] + 1]++] = (int)(i / 3);
    return true;
}

static void place_at(const vv_report_motion *m, const vv_report_shape *shape, size_t frame, int v, double x[3])
{
    const size_t n = (size_t)shape->vertexCount;
    for (size_t k = 0; k < 3; k++)
        x[k] = m->low[k] + m->step * m->values[(3 * frame + k) * n + (size_t)v];
}

/* A surface with fewer vertices, and the motion of all: `old` and `now` are the places of the run's vertices in the two
 * shapes. */
typedef struct surface {
    const vv_report_motion *motion;
    const vv_report_shape *shape, *fewer;
    int *old, *now;
    fans around;
    int *home; /* a vertex of `shape` that is not there: the triangle of `fewer` that is nearest to it at first */
} surface;

/* The nearest of the triangles around a vertex of `fewer`. */
static double nearest_around(const surface *s, size_t frame, const double p[3], int v, int *triangle)
{
    double least = INFINITY;
    for (int i = s->around.start[v]; i < s->around.start[v + 1]; i++) {
        const int *t = s->fewer->triangles + 3 * s->around.list[i];
        double x[3][3];
        for (int k = 0; k < 3; k++)
            place_at(s->motion, s->shape, frame, s->old[s->fewer->vertices[t[k]]], x[k]);
        const double d = distance_to(p, x);
        if (d < least)
            least = d, *triangle = s->around.list[i];
    }
    return least;
}

/* The nearest of the triangles that touch one of the triangle's corners. */
static double nearest_beside(const surface *s, size_t frame, const double p[3], int *triangle)
{
    const int *corners = s->fewer->triangles + 3 * *triangle;
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        int here = 0;
        const double d = nearest_around(s, frame, p, corners[k], &here);
        if (d < least)
            least = d, *triangle = here;
    }
    return least;
}

/* From what stands for each vertex over the surface, for as long as that comes nearer. */
static void find_homes(surface *s)
{
    for (int v = 0; v < s->shape->vertexCount; v++) {
        const int there = s->fewer->stands[s->shape->vertices[v]];
        double p[3];
        s->home[v] = -1;
        if (there == s->shape->vertices[v])
            continue;
        place_at(s->motion, s->shape, 0, v, p);
        double least = nearest_around(s, 0, p, s->now[there], &s->home[v]);
        for (bool nearer = s->home[v] >= 0; nearer;) {
            int triangle = s->home[v];
            const double next = nearest_beside(s, 0, p, &triangle);
            nearer = next < least;
            if (nearer)
                least = next, s->home[v] = triangle;
        }
    }
}

static double off_in_frame(const surface *s, size_t frame)
{
    double most = 0;
    for (int v = 0; v < s->shape->vertexCount; v++) {
        double p[3];
        int triangle = s->home[v];
        if (triangle < 0)
            continue;
        place_at(s->motion, s->shape, frame, v, p);
        most = fmax(most, nearest_beside(s, frame, p, &triangle));
    }
    return most;
}

double vv_report_off_surface(const vv_report_motion *motion, const vv_report_shape *shape, const vv_report_shape *fewer,
                             int stride)
{
    surface s = { .motion = motion, .shape = shape, .fewer = fewer, .old = places_of(shape), .now = places_of(fewer) };
    double most = 0;
    s.home = malloc(((size_t)shape->vertexCount + 1) * sizeof *s.home);
    bool good = s.old && s.now && s.home && find_fans(&s.around, fewer);
    if (good)
        find_homes(&s);
    for (int frame = 0; good && frame < motion->frameCount; frame += stride)
        most = fmax(most, off_in_frame(&s, (size_t)frame));
    free(s.old);
    free(s.now);
    free(s.home);
    free(s.around.start);
    free(s.around.list);
    return good ? most : NAN;
}
