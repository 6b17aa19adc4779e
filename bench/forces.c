/* Nanoseconds a tet or spring of energy and forces without a matrix, what real-time solvers ask for most: value,
 * gradient, both at once; every material, one and two threads, on the largest bar of the real-time ladder (6 x 56 x
 * 70 cells, 117,600 tets) and its edges as springs; and for arap, whose local step the gradient is, how it goes with
 * the deformation. Beside them the least bytes that move (shapes and node numbers once, positions once, gradients in
 * and out once) as GB/s, and the machine's copy. */
#include "measure.h"

#include "base/simd/cpu.h"
#include "energy/springs/springs.h"
#include "energy/tets/tets.h"
#include "visviva/mesh.h"
#include "visviva/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int runs = 41;

typedef struct subject {
    const vv_energy *e;
    const double *x;
    double *g;
    const vv_parallel *par;
} subject;

static double sink;

static void run(const subject *s, int what)
{
    if (what != 1)
        sink += what == 0 ? s->e->ops->value(s->e, s->par, s->x, NULL)
                          : s->e->ops->value_gradient(s->e, s->par, s->x, 1, NULL, s->g);
    else
        s->e->ops->derivatives(s->e, s->par, s->x, 1, VV_HESSIAN_EXACT, s->g, NULL);
}

/* Seconds: the fastest of several runs, as the machine may be shared. */
static double fastest(const subject *s, int what)
{
    double best = INFINITY;
    run(s, what);
    for (int i = 0; i < runs; i++) {
        double start = vv_seconds();
        run(s, what);
        best = fmin(best, vv_seconds() - start);
    }
    return best;
}

static void row(const char *name, const subject *s, int elements, double bytes)
{
    double t[3];
    printf("%-20s %7d", name, s->par->threads);
    for (int what = 0; what < 3; what++) {
        t[what] = fastest(s, what);
        printf(" %8.2f", 1e9 * t[what] / elements);
    }
    printf(" %8.3f %8.1f\n", 1e3 * t[2], 1e-9 * bytes / t[2]);
}

/* x of the mesh, turned, stretched, and shaken by a part of an edge. */
static void deform(const vvMesh *m, double edge, double shake, double *x)
{
    uint64_t random = 88172645463325252u;
    for (int i = 0; i < m->vertexCount; i++) {
        const double *p = m->positions + 3 * (size_t)i, c = cos(0.7), s = sin(0.7);
        double turned[3] = { c * p[0] - s * p[1], s * p[0] + c * p[1], (1 + shake) * p[2] };
        for (int k = 0; k < 3; k++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            x[3 * (size_t)i + (size_t)k] = turned[k] + edge * shake * ((double)(random >> 11) * 0x1p-52 - 1);
        }
    }
}

static int by_ends(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

/* The edges of the tets, once each. */
static int *edges_of(const vvMesh *m, int *count)
{
    int *edges = malloc(12 * sizeof *edges * (size_t)m->tetCount), n = 0;
    if (!edges)
        exit(1);
    for (int t = 0; t < m->tetCount; t++)
        for (int a = 0; a < 4; a++)
            for (int b = a + 1; b < 4; b++, n++) {
                int i = m->tets[4 * t + a], j = m->tets[4 * t + b];
                edges[2 * n] = i < j ? i : j, edges[2 * n + 1] = i < j ? j : i;
            }
    qsort(edges, (size_t)n, 2 * sizeof *edges, by_ends);
    *count = 0;
    for (int i = 0; i < n; i++)
        if (i == 0 || by_ends(edges + 2 * i, edges + 2 * *count - 2) != 0) {
            memmove(edges + 2 * *count, edges + 2 * i, 2 * sizeof *edges);
            ++*count;
        }
    return edges;
}

int main(int argc, char **argv)
{
    static const vvSetting box[] = { { "size", { 0.06, 0.56, 0.70 } }, { "cells", { 6, 56, 70 } } };
    static const double edge = 0.01;
    runs = argc > 1 ? atoi(argv[1]) : runs;
    vvMesh m = { 0 };
    vvError error;
    if (vvMeshGenerate("box", box, 2, &m, &error) != VV_OK || vvMeshFinish(&m, NULL, &error) != VV_OK) {
        printf("%s\n", error.message);
        return 1;
    }
    size_t n = 3 * (size_t)m.vertexCount;
    int edge_count, *edges = edges_of(&m, &edge_count);
    double *x = malloc(n * sizeof *x), *g = calloc(n, sizeof *g);
    vv_parallel par[2] = { { .threads = 1 }, { .threads = 2 } };
    if (!x || !g || !vv_pool_create(2, &par[1].pool))
        return 1;
    printf("%d vertices, %d tets, %d edges; %s; copy %.1f GB/s on one thread, %.1f on two\n", m.vertexCount, m.tetCount,
           edge_count, vv_isa_name(vv_cpu_isa()), copy_gbs(par), copy_gbs(par + 1));
    printf("%-20s %7s %8s %8s %8s %8s %8s\n", "ns an element", "threads", "value", "gradient", "both", "ms, both",
           "GB/s");
    double bytes = 96.0 * m.tetCount + 24.0 * (double)n;
    vv_tets_body body = { 0, m.tetCount, m.tets, 4e4, 6e4 };
    for (int model = 0; vv_tets_model(vvMaterialInfo(model)->name) >= 0; model++) {
        vv_energy *e;
        if (vv_tets_create(model, m.vertexCount, m.positions, 1, &body, &e, &error) != VV_OK)
            return 1;
        deform(&m, edge, 0.1, x);
        for (int p = 0; p < 2; p++)
            row(vvMaterialInfo(model)->name, &(subject){ e, x, g, par + p }, m.tetCount, bytes);
        static const double shakes[] = { 0, 0.01, 0.3, 0.7 };
        for (int i = 0; model == 0 && i < 4; i++) {
            char name[400];
            deform(&m, edge, shakes[i], x);
            snprintf(name, sizeof name, "  by %g, J %.2f", shakes[i], e->ops->least_j(e, par, x, NULL));
            row(name, &(subject){ e, x, g, par }, m.tetCount, bytes);
        }
        e->ops->destroy(e);
    }
    double *ones = malloc((size_t)edge_count * sizeof *ones), *lengths = malloc((size_t)edge_count * sizeof *lengths);
    int *bodies = calloc((size_t)edge_count, sizeof *bodies);
    for (int i = 0; i < edge_count; i++)
        ones[i] = 1, lengths[i] = edge;
    deform(&m, edge, 0.1, x);
    for (int kind = 0; kind < VV_SPRING_COUNT; kind++) {
        vv_energy *e;
        if (vv_springs_create(kind, m.vertexCount, edge_count, edges, ones, lengths, bodies, &e, &error) != VV_OK)
            return 1;
        for (int p = 0; p < 2; p++)
            row(vv_spring_kinds[kind].info.name, &(subject){ e, x, g, par + p }, edge_count,
                24.0 * edge_count + 24.0 * (double)n);
        e->ops->destroy(e);
    }
    vv_pool_destroy(par[1].pool);
    return isnan(sink);
}
