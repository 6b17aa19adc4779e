/* Smooth patches around each vertex: triangles that share an edge are in one patch if it folds by less than the
 * limit. A patch is a set of triangle corners, joined pair by pair. */
#include "record/export/creases.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"

/* One side of a triangle: its two vertices, lower first, and the corner where it begins. */
typedef struct vv_side {
    int low, high, corner;
} vv_side;

static int compare(const void *a, const void *b)
{
    const vv_side *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return (x->corner > y->corner) - (x->corner < y->corner);
}

static vv_side *sorted_sides(const int *triangles, int count)
{
    vv_side *sides = vv_alloc((size_t)count * 3, sizeof *sides);
    for (int c = 0; sides && c < 3 * count; c++) {
        int p = triangles[c], q = triangles[c - c % 3 + (c + 1) % 3];
        sides[c] = (vv_side){ p < q ? p : q, p < q ? q : p, c };
    }
    if (sides)
        qsort(sides, (size_t)count * 3, sizeof *sides, compare);
    return sides;
}

/* Normal vector, twice the area long. */
static void area(const int *t, const float *x, double out[3])
{
    double a[3], b[3];
    for (int k = 0; k < 3; k++) {
        a[k] = (double)x[3 * t[1] + k] - x[3 * t[0] + k];
        b[k] = (double)x[3 * t[2] + k] - x[3 * t[0] + k];
    }
    vv_cross(a, b, out);
}

/* Cosine of the fold between the triangles of two corners at which the same side begins. */
static double fold(const int *triangles, const float *x, int a, int b)
{
    double m[3], n[3];
    area(triangles + a - a % 3, x, m);
    area(triangles + b - b % 3, x, n);
    double lengths = vv_norm(m) * vv_norm(n), cosine = lengths > 0 ? vv_dot(m, n) / lengths : 1;
    return triangles[a] == triangles[b] ? -cosine : cosine; /* inconsistent orientation */
}

static int root_of(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static void join(int *parent, int a, int b)
{
    a = root_of(parent, a);
    b = root_of(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

/* Joins the corners of two triangles at both ends of their shared side. */
static void join_across(int *parent, const int *triangles, int a, int b)
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            int p = a - a % 3 + (a + i) % 3, q = b - b % 3 + (b + j) % 3;
            if (triangles[p] == triangles[q])
                join(parent, p, q);
        }
}

static void join_smooth(int *parent, const vv_side *sides, const int *triangles, int count, const float *x)
{
    const double least = cos(55 * M_PI / 180);
    for (int i = 0; i + 1 < 3 * count; i++) /* comparing neighbours suffices: a side rarely has a third triangle */
        if (sides[i].low == sides[i + 1].low && sides[i].high == sides[i + 1].high &&
            fold(triangles, x, sides[i].corner, sides[i + 1].corner) >= least)
            join_across(parent, triangles, sides[i].corner, sides[i + 1].corner);
}

vvStatus vv_creases_find(const int *triangles, int triangle_count, const float *positions, vv_creases *creases,
                         vvError *error)
{
    int corners = 3 * triangle_count;
    vv_side *sides = sorted_sides(triangles, triangle_count);
    int *parent = vv_alloc((size_t)corners, sizeof *parent);
    *creases = (vv_creases){ 0, vv_alloc((size_t)corners, sizeof(int)), vv_alloc((size_t)corners, sizeof(int)) };
    bool ok = sides && parent && creases->source && creases->corners;
    for (int c = 0; ok && c < corners; c++)
        parent[c] = c;
    if (ok)
        join_smooth(parent, sides, triangles, triangle_count, positions);
    for (int c = 0; ok && c < corners; c++) {
        int root = root_of(parent, c); /* the lowest corner of its patch: it already has its number */
        if (root == c)
            creases->source[creases->count++] = triangles[c];
        creases->corners[c] = root == c ? creases->count - 1 : creases->corners[root];
    }
    vv_free(sides);
    vv_free(parent);
    if (ok)
        return VV_OK;
    vv_creases_free(creases);
    return vv_fail_memory(error, "an export");
}

void vv_creases_free(vv_creases *creases)
{
    vv_free(creases->source);
    vv_free(creases->corners);
    *creases = (vv_creases){ 0 };
}

double vv_creases_roughness(const int *triangles, int triangle_count, const float *positions)
{
    vv_side *sides = sorted_sides(triangles, triangle_count);
    double sum = 0;
    for (int i = 0; sides && i + 1 < 3 * triangle_count; i++)
        if (sides[i].low == sides[i + 1].low && sides[i].high == sides[i + 1].high)
            sum += 1 - fold(triangles, positions, sides[i].corner, sides[i + 1].corner);
    bool memory = sides != NULL;
    vv_free(sides);
    return memory ? sum : NAN;
}

void vv_creases_normals(const vv_creases *creases, int triangle_count, const float *positions, float *normals)
{
    for (int i = 0; i < 3 * creases->count; i++)
        normals[i] = 0;
    for (int t = 0; t < triangle_count; t++) {
        const int *c = creases->corners + 3 * t;
        const int nodes[3] = { creases->source[c[0]], creases->source[c[1]], creases->source[c[2]] };
        double n[3];
        area(nodes, positions, n);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                normals[3 * c[i] + k] += (float)n[k];
    }
    for (int v = 0; v < creases->count; v++) {
        double n[3] = { normals[3 * v], normals[3 * v + 1], normals[3 * v + 2] }, length = vv_norm(n);
        for (int k = 0; k < 3; k++)
            normals[3 * v + k] = length > 0 && isfinite(length) ? (float)(n[k] / length) : k == 1;
    }
}
