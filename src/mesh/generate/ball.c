/* Generator "ball": an icosahedron of 20 nearly regular tets around the centre, each cut into n^3, its shells bent onto
 * spheres. All boundary vertices lie on the sphere; the vertices have the icosahedron's symmetry.
 *
 * A lattice point is a weighted sum of the centre and three corners with integer weights that sum to n; points shared
 * by neighbouring tets are identified by their weights. */
#include "base/memory.h"
#include "mesh/generate/make.h"

#include <math.h>
#include <string.h>

/* Corner 0 is the centre. */
static const int faces[20][3] = {
    { 1, 12, 6 },  { 1, 6, 2 },  { 1, 2, 8 },  { 1, 8, 11 }, { 1, 11, 12 }, { 2, 6, 10 }, { 6, 12, 5 },
    { 12, 11, 3 }, { 11, 8, 7 }, { 8, 2, 9 },  { 4, 10, 5 }, { 4, 5, 3 },   { 4, 3, 7 },  { 4, 7, 9 },
    { 4, 9, 10 },  { 5, 10, 6 }, { 3, 5, 12 }, { 7, 3, 11 }, { 9, 7, 8 },   { 10, 9, 2 },
};

static void icosahedron(double corner[13][3])
{
    const double golden = (1 + sqrt(5)) / 2, scale = 1 / sqrt(1 + golden * golden);
    const double s = scale, g = golden * scale;
    const double list[13][3] = {
        { 0, 0, 0 },   { -s, g, 0 }, { s, g, 0 },  { -s, -g, 0 }, { s, -g, 0 },  { 0, -s, g }, { 0, s, g },
        { 0, -s, -g }, { 0, s, -g }, { g, 0, -s }, { g, 0, s },   { -g, 0, -s }, { -g, 0, s },
    };
    memcpy(corner, list, sizeof list);
}

typedef struct ball {
    int n, per_tet; /* points per tet: (n + 1)(n + 2)(n + 3) / 6 */
    int *keys;      /* three per point: corner * (n + 1) + weight, descending; 0 for none */
    int *vertex;    /* of each point */
    double radius;
    vv_builder builder;
} ball;

/* Number of lattice points before (i, j, k) in a loop over i, j, k with i + j + k <= n. */
static int local_index(int n, int i, int j, int k)
{
    int m = n + 1, r = n + 1 - i;
    return m * (m + 1) * (m + 2) / 6 - r * (r + 1) * (r + 2) / 6 + j * r - j * (j - 1) / 2 + k;
}

static void set_key(const ball *b, int tet, const int weight[3], int *key)
{
    int count = 0;
    memset(key, 0, 3 * sizeof *key);
    for (int c = 0; c < 3; c++) {
        if (!weight[c])
            continue;
        int code = faces[tet][c] * (b->n + 1) + weight[c], at = count++;
        for (; at > 0 && key[at - 1] < code; at--)
            key[at] = key[at - 1];
        key[at] = code;
    }
}

static void place_vertex(ball *b, const int *key, double corner[13][3])
{
    double x[3] = { 0, 0, 0 };
    int weight = 0;
    for (int c = 0; c < 3 && key[c]; c++) {
        weight += key[c] % (b->n + 1);
        for (int k = 0; k < 3; k++)
            x[k] += key[c] % (b->n + 1) * corner[key[c] / (b->n + 1)][k];
    }
    double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    double scale = length > 0 ? b->radius * weight / (b->n * length) : 0;
    vv_make_vertex(&b->builder, scale * x[0], scale * x[1], scale * x[2]);
}

/* Gives points with equal keys one vertex; 0 when out of memory. */
static int weld(ball *b, int points)
{
    double corner[13][3];
    int *order = vv_alloc((size_t)points, sizeof *order);
    int ok = order && vv_sort_tuples(b->keys, 3, points, 13 * (b->n + 1), order);
    icosahedron(corner);
    for (int i = 0; ok && i < points; i++) {
        const int *key = b->keys + 3 * (size_t)order[i];
        if (i == 0 || memcmp(key, b->keys + 3 * (size_t)order[i - 1], 3 * sizeof *key) != 0)
            place_vertex(b, key, corner);
        b->vertex[order[i]] = (int)b->builder.positions.count - 1;
    }
    vv_free(order);
    return ok;
}

/* The octahedron whose corners are the points q + e_a + e_b, cut around its shortest diagonal. */
static void octahedron(ball *b, int pair[4][4])
{
    static const int ways[3][6] = { { 0, 1, 2, 3, 0, 2 }, { 0, 2, 1, 3, 0, 1 }, { 0, 3, 1, 2, 0, 1 } };
    int best = 0;
    double shortest = INFINITY;
    for (int w = 0; w < 3; w++) {
        double d = vv_make_distance2(&b->builder, pair[ways[w][0]][ways[w][1]], pair[ways[w][2]][ways[w][3]]);
        if (d < shortest * (1 - 1e-9)) {
            shortest = d;
            best = w;
        }
    }
    int a = ways[best][0], c = ways[best][1], d = ways[best][2], e = ways[best][3];
    int ring[4] = { pair[a][d], pair[c][d], pair[c][e], pair[a][e] };
    for (int i = 0; i < 4; i++)
        vv_make_tet(&b->builder, pair[a][c], pair[d][e], ring[i], ring[(i + 1) % 4]);
}

/* The tets whose lattice point with the smallest weights is q. */
static void tets_at(ball *b, int tet, const int q[3])
{
    int room = b->n - q[0] - q[1] - q[2], single[4], pair[4][4];
    const int *vertex = b->vertex + (size_t)tet * (size_t)b->per_tet;
    int step[4][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    for (int a = 0; a < 4 && room >= 1; a++)
        single[a] = vertex[local_index(b->n, q[0] + step[a][0], q[1] + step[a][1], q[2] + step[a][2])];
    if (room >= 1)
        vv_make_tet(&b->builder, single[0], single[1], single[2], single[3]);
    for (int a = 0; a < 4 && room >= 2; a++)
        for (int c = 0; c < 4; c++)
            pair[a][c] = vertex[local_index(b->n, q[0] + step[a][0] + step[c][0], q[1] + step[a][1] + step[c][1],
                                            q[2] + step[a][2] + step[c][2])];
    if (room >= 2)
        octahedron(b, pair);
    if (room >= 3)
        vv_make_tet(&b->builder, pair[1][2], pair[1][3], pair[2][3],
                    vertex[local_index(b->n, q[0] + 1, q[1] + 1, q[2] + 1)]);
}

static void for_all_points(ball *b, void (*visit)(ball *b, int tet, const int q[3]))
{
    for (int tet = 0; tet < 20; tet++)
        for (int i = 0; i <= b->n; i++)
            for (int j = 0; i + j <= b->n; j++)
                for (int k = 0; i + j + k <= b->n; k++)
                    visit(b, tet, (int[]){ i, j, k });
}

static void visit_key(ball *b, int tet, const int q[3])
{
    size_t point = (size_t)tet * (size_t)b->per_tet + (size_t)local_index(b->n, q[0], q[1], q[2]);
    set_key(b, tet, q, b->keys + 3 * point);
}

static vvStatus make_ball(const double *values, vvMesh *mesh, vvError *error)
{
    vvStatus status = vv_make_check(20 * values[1] * values[1] * values[1], "tets", "make 'cells' smaller", error);
    if (status != VV_OK)
        return status;
    ball b = { .n = (int)values[1], .radius = values[0] };
    b.per_tet = (b.n + 1) * (b.n + 2) * (b.n + 3) / 6;
    b.keys = vv_alloc((size_t)(60 * b.per_tet), sizeof *b.keys);
    b.vertex = vv_alloc((size_t)(20 * b.per_tet), sizeof *b.vertex);
    if (b.keys && b.vertex)
        for_all_points(&b, visit_key);
    if (!b.keys || !b.vertex || !weld(&b, 20 * b.per_tet))
        b.builder.failed = true;
    if (!b.builder.failed)
        for_all_points(&b, tets_at);
    vv_free(b.keys);
    vv_free(b.vertex);
    return vv_make_done(&b.builder, mesh, error);
}

static bool onto_sphere(const double *values, const double a[3], const double b[3], double x[3])
{
    (void)a, (void)b;
    return vv_make_onto_sphere((double[3]){ 0 }, values[0], x);
}

static const vvParam params[] = {
    { "radius", "radius", "m", 1, false, { 0.05 }, 1e-6, 1e6 },
    { "cells", "shells from the centre to the surface; an edge is about radius / cells", "", 1, true, { 6 }, 1, 1000 },
};
extern const vv_generator vv_generator_ball;
const vv_generator vv_generator_ball = {
    { { "ball", "solid ball of icosahedral shells, centred at the origin" }, 2, params },
    make_ball,
    onto_sphere,
};
