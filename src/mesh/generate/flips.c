/* Random well-shaped triangulations of a rectangle (flips.h): rounds of random moves and of Lawson's flips. */
#include "mesh/generate/flips.h"

#include "base/memory.h"
#include "mesh/generate/make.h"
#include "mesh/mesh.h"

#include <math.h>

enum { ROUNDS = 20 };

bool vv_flips_room(vv_flips *f, size_t vertices, size_t triangles)
{
    f->x = vv_alloc(2 * vertices, sizeof *f->x);
    f->corner = vv_alloc(3 * triangles, sizeof *f->corner);
    f->across = vv_alloc(3 * triangles, sizeof *f->across);
    f->triangle = vv_alloc(vertices, sizeof *f->triangle);
    if (f->x && f->corner && f->across && f->triangle)
        return true;
    vv_flips_free(f);
    return false;
}

void vv_flips_free(vv_flips *f)
{
    vv_free(f->x);
    vv_free(f->corner);
    vv_free(f->across);
    vv_free(f->triangle);
    *f = (vv_flips){ 0 };
}

/* Finds what is across each edge: half-edges sorted by their vertices, two equal ones are neighbours. */
static bool link(vv_flips *f)
{
    int count = 3 * f->triangle_count, *key = vv_alloc(2 * (size_t)count, sizeof *key),
        *order = vv_alloc((size_t)count, sizeof *order);
    for (int h = 0; key && h < count; h++) {
        int a = f->corner[h - h % 3 + (h + 1) % 3], b = f->corner[h - h % 3 + (h + 2) % 3];
        key[2 * h] = a < b ? a : b, key[2 * h + 1] = a < b ? b : a;
        f->across[h] = -1;
        f->triangle[f->corner[h]] = h / 3;
    }
    bool done = key && order && vv_sort_tuples(key, 2, count, f->vertex_count, order);
    for (int i = 0; done && i + 1 < count; i++) {
        int g = order[i], h = order[i + 1];
        if (key[2 * g] == key[2 * h] && key[2 * g + 1] == key[2 * h + 1])
            f->across[g] = h / 3, f->across[h] = g / 3;
    }
    vv_free(key);
    vv_free(order);
    return done;
}

static double cross(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* cot of the angle at a; large for small angles, negative for obtuse ones. Inverted triangles: infinite. */
static double cotangent(const double *a, const double *b, const double *c)
{
    double area = cross(a, b, c);
    return area > 0 ? ((b[0] - a[0]) * (c[0] - a[0]) + (b[1] - a[1]) * (c[1] - a[1])) / area : INFINITY;
}

/* The cotangent of a triangle's smallest angle. */
static double sharpness(const vv_flips *f, int t)
{
    const double *p[3];
    double most = 0;
    for (int k = 0; k < 3; k++)
        p[k] = f->x + 2 * (size_t)f->corner[3 * t + k];
    for (int k = 0; k < 3; k++)
        most = fmax(most, cotangent(p[k], p[(k + 1) % 3], p[(k + 2) % 3]));
    return most;
}

static int place_of(const vv_flips *f, int t, int vertex)
{
    const int *c = f->corner + 3 * (size_t)t;
    return c[0] == vertex ? 0 : c[1] == vertex ? 1 : 2;
}

/* The triangle after t, counter-clockwise around the vertex; -1: the boundary is there. Or clockwise. */
static int next_around(const vv_flips *f, int t, int vertex, bool clockwise)
{
    return f->across[3 * t + (place_of(f, t, vertex) + (clockwise ? 2 : 1)) % 3];
}

/* The sharpest around a vertex. */
static double sharpest_around(const vv_flips *f, int vertex)
{
    double most = 0;
    int first = f->triangle[vertex], t = first;
    do {
        most = fmax(most, sharpness(f, t));
        t = next_around(f, t, vertex, false);
    } while (t >= 0 && t != first);
    if (t < 0)
        for (t = next_around(f, first, vertex, true); t >= 0; t = next_around(f, t, vertex, true))
            most = fmax(most, sharpness(f, t));
    return most;
}

static void move_vertex(vv_flips *f, int vertex, const double low[2], const double high[2], const double move[2],
                        double most)
{
    double *x = f->x + 2 * (size_t)vertex, old[2] = { x[0], x[1] };
    for (int k = 0; k < 2; k++)
        if (x[k] > low[k] && x[k] < high[k])
            x[k] += move[k];
    bool inside = x[0] >= low[0] && x[1] >= low[1] && x[0] <= high[0] && x[1] <= high[1];
    bool corner = (old[0] <= low[0] || old[0] >= high[0]) && (old[1] <= low[1] || old[1] >= high[1]);
    /* nothing but corners and sides comes to lie on the boundary */
    bool same = (x[0] > low[0] && x[0] < high[0]) == (old[0] > low[0] && old[0] < high[0]) &&
                (x[1] > low[1] && x[1] < high[1]) == (old[1] > low[1] && old[1] < high[1]);
    if (corner || !inside || !same || !(sharpest_around(f, vertex) <= most))
        x[0] = old[0], x[1] = old[1];
}

/* Whether the edge opposite corner k of t is to be flipped: the two angles that it is seen at add up to more than a
 * half turn. */
static bool is_flipped(const vv_flips *f, int t, int k)
{
    int u = f->across[3 * t + k];
    if (u < 0)
        return false;
    int a = f->corner[3 * t + (k + 1) % 3], b = f->corner[3 * t + (k + 2) % 3];
    int j = 3 - place_of(f, u, a) - place_of(f, u, b);
    const double *p = f->x + 2 * (size_t)f->corner[3 * t + k], *q = f->x + 2 * (size_t)f->corner[3 * u + j];
    return cotangent(p, f->x + 2 * (size_t)a, f->x + 2 * (size_t)b) +
               cotangent(q, f->x + 2 * (size_t)b, f->x + 2 * (size_t)a) <
           -1e-9;
}

static void relink(vv_flips *f, int t, int from, int to)
{
    for (int k = 0; t >= 0 && k < 3; k++)
        if (f->across[3 * t + k] == from)
            f->across[3 * t + k] = to;
}

/* Triangles (p, a, b) and (q, b, a) become (p, a, q) and (p, q, b). */
static void flip(vv_flips *f, int t, int k)
{
    int u = f->across[3 * t + k], p = f->corner[3 * t + k], a = f->corner[3 * t + (k + 1) % 3],
        b = f->corner[3 * t + (k + 2) % 3];
    int ja = place_of(f, u, a), jb = place_of(f, u, b), q = f->corner[3 * u + 3 - ja - jb];
    int pa = f->across[3 * t + (k + 2) % 3], bp = f->across[3 * t + (k + 1) % 3], aq = f->across[3 * u + jb],
        qb = f->across[3 * u + ja];
    int *ct = f->corner + 3 * (size_t)t, *cu = f->corner + 3 * (size_t)u, *nt = f->across + 3 * (size_t)t,
        *nu = f->across + 3 * (size_t)u;
    ct[0] = p, ct[1] = a, ct[2] = q;
    cu[0] = p, cu[1] = q, cu[2] = b;
    nt[0] = aq, nt[1] = u, nt[2] = pa;
    nu[0] = qb, nu[1] = bp, nu[2] = t;
    relink(f, aq, u, t);
    relink(f, bp, t, u);
    f->triangle[p] = f->triangle[a] = f->triangle[q] = t;
    f->triangle[b] = u;
}

static void make_delaunay(vv_flips *f)
{
    for (bool any = true; any;) { /* each flip lets the surface that the vertices' squares span sink: it ends */
        any = false;
        for (int t = 0; t < f->triangle_count; t++)
            for (int k = 0; k < 3; k++)
                if (is_flipped(f, t, k)) {
                    flip(f, t, k);
                    any = true;
                }
    }
}

bool vv_flips_shuffle(vv_flips *f, double step, uint64_t seed)
{
    /* cot 25 degrees */
    double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY }, most = 2.1445069205095586;
    if (!link(f))
        return false;
    for (int i = 0; i < 2 * f->vertex_count; i++)
        low[i % 2] = fmin(low[i % 2], f->x[i]), high[i % 2] = fmax(high[i % 2], f->x[i]);
    make_delaunay(f);
    for (int t = 0; t < f->triangle_count; t++)
        most = fmax(most, sharpness(f, t));
    for (uint64_t round = 0; round < ROUNDS; round++) {
        for (int v = 0; v < f->vertex_count; v++) {
            uint64_t point = round * (uint64_t)f->vertex_count + (uint64_t)v;
            move_vertex(f, v, low, high,
                        (double[]){ step * vv_make_noise(seed, point, 0), step * vv_make_noise(seed, point, 1) }, most);
        }
        make_delaunay(f);
    }
    return true;
}
