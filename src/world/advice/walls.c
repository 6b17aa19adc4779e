/* Walls of a body, at rest: from the middles of some of its surface's triangles straight through it, from tet to tet,
 * to where the other side is. A wall is as many tets thick as its thickness is times their mean extent that way. */
#include "world/advice/walls.h"

#include "base/memory.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 600, MOST_STEPS = 10000 };
static const double ABOUT = 1.5; /* times the median thickness: walls no thicker are counted */

typedef struct way {
    double thick, layers, area, from[3];
} way;

/* Tets around the vertices: of v those of list[start[v]] ... */
typedef struct walls {
    const vvWorld *w;
    const vv_body *b;
    int *start, *list;
} walls;

static bool gather(walls *s)
{
    const vv_body *b = s->b;
    const size_t corners = 4 * (size_t)b->tet_count;
    s->start = vv_alloc((size_t)b->vertex_count + 2, sizeof *s->start);
    s->list = vv_alloc(corners, sizeof *s->list);
    if (!s->start || !s->list)
        return false;
    for (size_t i = 0; i < corners; i++) /* one place too far, as the second pass moves each on */
        s->start[b->tets[i] - b->first + 2]++;
    for (size_t v = 0; v < (size_t)b->vertex_count; v++)
        s->start[v + 2] += s->start[v + 1];
    for (size_t i = 0; i < corners; i++)
        s->list[s->start[b->tets[i] - b->first + 1]++] = (int)(i / 4);
    return true;
}

static bool has(const int *tet, int v) { return tet[0] == v || tet[1] == v || tet[2] == v || tet[3] == v; }

/* The tet with that face, other than `but`; -1: there is none. */
static int beside(const walls *s, const int face[3], int but)
{
    const int v = face[0] - s->b->first;
    for (int i = s->start[v]; i < s->start[v + 1]; i++) {
        const int *tet = s->b->tets + 4 * (size_t)s->list[i];
        if (s->list[i] != but && has(tet, face[1]) && has(tet, face[2]))
            return s->list[i];
    }
    return -1;
}

static double extent(const double *rest, const int tet[4], const double d[3])
{
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < 4; k++) {
        const double at = vv_dot(d, rest + 3 * (size_t)tet[k]);
        low = fmin(low, at), high = fmax(high, at);
    }
    return high - low;
}

/* Where the line from p along d leaves a tet, and by which face. */
static double leave(const double *rest, const int tet[4], const double p[3], const double d[3], int face[3])
{
    double least = INFINITY;
    for (int k = 0; k < 4; k++) {
        const int own[3] = { tet[(k + 1) % 4], tet[(k + 2) % 4], tet[(k + 3) % 4] };
        const double *x = rest + 3 * (size_t)own[0];
        double n[3], to[3], inside[3];
        vv_triangle_normal(rest, own, n);
        vv_sub(rest + 3 * (size_t)tet[k], x, inside);
        vv_sub(x, p, to);
        const double side = vv_dot(n, inside) > 0 ? -1 : 1, along = side * vv_dot(n, d),
                     at = side * vv_dot(n, to) / along;
        if (along > 0 && at < least)
            least = at, memcpy(face, own, sizeof own);
    }
    return least;
}

/* From a triangle of the surface through the body. */
static bool pass(const walls *s, const int *triangle, way *out)
{
    const double *rest = s->w->rest;
    double n[3], p[3] = { 0 }, d[3], at = 0, sum = 0;
    int face[3], count = 0;
    vv_triangle_normal(rest, triangle, n);
    const double size = vv_norm(n);
    for (int k = 0; k < 3; k++) {
        d[k] = size > 0 ? -n[k] / size : 0;
        for (int c = 0; c < 3; c++)
            p[k] += rest[3 * (size_t)triangle[c] + (size_t)k] / 3;
    }
    for (int tet = beside(s, triangle, -1); tet >= 0 && size > 0 && count < MOST_STEPS; count++) {
        const int *corners = s->b->tets + 4 * (size_t)tet;
        at = leave(rest, corners, p, d, face);
        sum += extent(rest, corners, d);
        tet = isfinite(at) ? beside(s, face, tet) : -1;
    }
    *out = (way){ at, sum > 0 ? at * count / sum : 0, 0.5 * size, { p[0], p[1], p[2] } };
    return count > 0 && count < MOST_STEPS && at > 0 && isfinite(at) && sum > 0;
}

static int by_thickness(const void *x, const void *y)
{
    const way *a = x, *b = y;
    return (a->thick > b->thick) - (a->thick < b->thick);
}

static int by_layers(const void *x, const void *y)
{
    const way *a = x, *b = y;
    return (a->layers > b->layers) - (a->layers < b->layers);
}

/* Half of the area has less. */
static const way *median(way *list, int count, int (*order)(const void *, const void *))
{
    double all = 0, sum = 0;
    int i = 0;
    qsort(list, (size_t)count, sizeof *list, order);
    for (int k = 0; k < count; k++)
        all += list[k].area;
    while (i + 1 < count && sum + list[i].area < 0.5 * all)
        sum += list[i++].area;
    return list + i;
}

/* Ways through the body from some of its surface's triangles, room for SAMPLES; how many, -1: out of memory. */
static int find_ways(const vvWorld *w, const vv_body *b, way *list)
{
    walls s = { .w = w, .b = b };
    const int wanted = b->triangle_count < SAMPLES ? b->triangle_count : SAMPLES;
    int count = 0;
    const bool good = list && gather(&s);
    for (int i = 0; good && i < wanted; i++)
        count += pass(&s, b->triangles + 3 * ((ptrdiff_t)i * b->triangle_count / wanted), list + count);
    vv_free(s.start);
    vv_free(s.list);
    return good ? count : -1;
}

int vv_walls_of(const vvWorld *w, const vv_body *b, double *thick, double *layers)
{
    way *list = vv_alloc(SAMPLES, sizeof *list);
    const int count = find_ways(w, b, list);
    int thin = 0;
    if (count > 0) {
        *thick = median(list, count, by_thickness)->thick;
        while (thin < count && list[thin].thick <= ABOUT * *thick)
            thin++;
        *layers = median(list, thin, by_layers)->layers;
    }
    vv_free(list);
    return count < 0 ? -1 : count > 0;
}

/* ---- parts ---- */

static const double PART = 0.05; /* of the surface, at least */

static double apart(const way *a, const way *b)
{
    double d[3];
    vv_sub(a->from, b->from, d);
    return vv_norm(d);
}

/* Moves what list[0] is near to, or near to that, and so on, to the front; how many these are. */
static int gather_near(way *list, int count, double near)
{
    int have = 1;
    for (int i = 0; i < have; i++)
        for (int k = have; k < count; k++)
            if (apart(list + i, list + k) <= near) {
                const way other = list[have];
                list[have++] = list[k];
                list[k] = other;
            }
    return have;
}

/* How far apart the farthest of them begin. */
static double length_of(const way *list, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++)
            most = fmax(most, apart(list + i, list + k));
    return most;
}

static double area_of(const way *list, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += list[i].area;
    return sum;
}

/* Whether some of them, all about as thick, are a part as it is looked for; list: in any order afterwards. */
static bool has_part(way *list, int count, double near, double area, double slender, double layers, vv_thin_part *out)
{
    for (int have; count > 0; list += have, count -= have) {
        have = gather_near(list, count, near);
        if (area_of(list, have) < area)
            continue;
        *out = (vv_thin_part){ .length = length_of(list, have), .layers = median(list, have, by_layers)->layers };
        out->thick = median(list, have, by_thickness)->thick;
        if (out->length >= slender * out->thick && out->layers < layers)
            return true;
    }
    return false;
}

int vv_thin_part_of(const vvWorld *w, const vv_body *b, double slender, double layers, vv_thin_part *out)
{
    way *list = vv_alloc(SAMPLES, sizeof *list), *some = vv_alloc(SAMPLES, sizeof *some);
    const int count = some ? find_ways(w, b, list) : -1;
    bool found = false;
    if (count > 0)
        qsort(list, (size_t)count, sizeof *list, by_thickness);
    const double all = count > 0 ? area_of(list, count) : 0, spacing = count > 0 ? sqrt(all / count) : 0;
    double last = 0;
    for (int i = 0; i < count && !found; i++) {
        int end = i;
        if (!(list[i].thick > last)) /* one that begins a little thicker has mostly the same */
            continue;
        while (end < count && list[end].thick <= ABOUT * list[i].thick)
            end++;
        memcpy(some, list + i, (size_t)(end - i) * sizeof *some);
        found = has_part(some, end - i, fmax(2 * list[i].thick, 2 * spacing), PART * all, slender, layers, out);
        last = 1.1 * list[i].thick;
    }
    vv_free(list);
    vv_free(some);
    return count < 0 ? -1 : found;
}
