/* Nanoseconds a tet of the element energies: value, gradient, projected Hessian with gradient, step limit; every
 * material, one and two threads. assembly [MESH]: armadillo_28k of the shared meshes, or a box grid where there is
 * none. */
#include "measure.h"

#include "base/sparse/bsr.h"
#include "base/simd/cpu.h"
#include "energy/tets/tets.h"
#include "visviva/mesh.h"
#include "visviva/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef VV_SOURCE_DIR
#define VV_SOURCE_DIR "."
#endif

typedef struct input {
    int nodes, tets;
    double *x;
    int *tet;
} input;

/* n^3 cells, six tets each. */
static input box_grid(int n)
{
    static const int order[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    int m = n + 1, stride[3] = { 1, m, m * m };
    input in = { m * m * m, 6 * n * n * n, malloc(3 * sizeof(double) * (size_t)(m * m * m)),
                 malloc(24 * sizeof(int) * (size_t)(n * n * n)) };
    for (int i = 0; i < in.nodes; i++)
        for (int k = 0; k < 3; k++)
            in.x[3 * i + k] = (double)(i / stride[k] % m) / n;
    int *t = in.tet;
    for (int c = 0; c < n * n * n; c++)
        for (int p = 0; p < 6; p++, t += 4) {
            t[0] = c % n + c / n % n * m + c / n / n * m * m;
            for (int a = 0; a < 3; a++)
                t[a + 1] = t[a] + stride[order[p][a]];
            if (p == 1 || p == 2 || p == 5) {
                int s = t[2];
                t[2] = t[3];
                t[3] = s;
            }
        }
    return in;
}

static input load(const char *path)
{
    vvMesh mesh = { 0 };
    vvError error;
    if (vvMeshRead(path, &mesh, NULL, &error) != VV_OK || vvMeshFinish(&mesh, NULL, &error) != VV_OK) {
        printf("%s; a box grid instead\n", error.message);
        return box_grid(26);
    }
    return (input){ mesh.vertexCount, mesh.tetCount, mesh.positions, mesh.tets };
}

static const double *sort_positions;
static uint64_t morton(int node)
{
    uint64_t code = 0;
    for (int k = 0; k < 3; k++) {
        int64_t c = (int64_t)(sort_positions[3 * node + k] * 1e5) + (1 << 20);
        for (int bit = 0; bit < 21; bit++)
            code |= (uint64_t)(c >> bit & 1) << (3 * bit + k);
    }
    return code;
}
static int by_morton(const void *a, const void *b)
{
    uint64_t x = morton(*(const int *)a), y = morton(*(const int *)b);
    return (x > y) - (x < y);
}

/* As in a world: nodes numbered along a space-filling curve. */
static void renumber(input *in)
{
    int *order = malloc((size_t)in->nodes * sizeof *order), *place = malloc((size_t)in->nodes * sizeof *place);
    double *x = malloc(3 * (size_t)in->nodes * sizeof *x);
    for (int i = 0; i < in->nodes; i++)
        order[i] = i;
    sort_positions = in->x;
    qsort(order, (size_t)in->nodes, sizeof *order, by_morton);
    for (int i = 0; i < in->nodes; i++) {
        place[order[i]] = i;
        memcpy(x + 3 * i, in->x + 3 * order[i], 3 * sizeof *x);
    }
    for (int i = 0; i < 4 * in->tets; i++)
        in->tet[i] = place[in->tet[i]];
    memcpy(in->x, x, 3 * (size_t)in->nodes * sizeof *x);
    free(order);
    free(place);
    free(x);
}

typedef struct subject {
    vv_energy *e;
    vv_bsr a;
    vv_block_target to;
    double *x, *p, *g;
    vv_parallel par;
} subject;

static void run(subject *s, int what)
{
    switch (what) {
    case 0: s->e->ops->value(s->e, &s->par, s->x, NULL); break;
    case 1: s->e->ops->derivatives(s->e, &s->par, s->x, 1, VV_HESSIAN_PROJECTED, s->g, NULL); break;
    case 2: s->e->ops->derivatives(s->e, &s->par, s->x, 1, VV_HESSIAN_PROJECTED, s->g, &s->to); break;
    case 3: vv_bsr_clear(&s->a, &s->par); break;
    case 4:
        if (s->e->ops->max_step)
            s->e->ops->max_step(s->e, &s->par, s->x, s->p);
        break;
    default: break;
    }
}

/* The fastest of several runs (the machine may be shared), nanoseconds a tet. */
static double measure(subject *s, int what, int tets)
{
    double times[25];
    run(s, what);
    for (int i = 0; i < 25; i++) {
        double start = vv_seconds();
        run(s, what);
        times[i] = vv_seconds() - start;
    }
    qsort(times, 25, sizeof *times, by_number);
    return 1e9 * times[0] / tets;
}

int main(int argc, char **argv)
{
    input in = load(argc > 1 ? argv[1] : VV_SOURCE_DIR "/meshes/cactus_5k.msh");
    renumber(&in);
    size_t n = (size_t)in.nodes;
    size_t bytes = 3 * n * sizeof(double);
    subject s = { .x = malloc(bytes), .p = malloc(bytes), .g = calloc(1, bytes) };
    double size = 0;
    for (int i = 0; i < 4 * in.tets; i++)
        size += fabs(in.x[3 * in.tet[i]] - in.x[3 * in.tet[(i + 1) % (4 * in.tets)]]) / (4 * in.tets);
    for (size_t i = 0; i < 3 * n; i++) { /* stretched, and shaken by less than turns the flattest tets */
        s.x[i] = in.x[i] * (1 + 0.15 * (double)(i % 3)) + 0.01 * size * sin(12.9898 * (double)i);
        s.p[i] = 0.1 * size * sin(78.233 * (double)i);
    }
    printf("%d nodes, %d tets, %s; ns a tet\n", in.nodes, in.tets, vv_isa_name(vv_cpu_isa()));
    printf("%-20s %8s %8s %8s %8s %8s %8s\n", "", "threads", "value", "gradient", "full", "clear", "max step");
    int *unknown = malloc(n * sizeof *unknown);
    for (int i = 0; i < in.nodes; i++)
        unknown[i] = i;
    for (int m = 0; m < 6; m++) {
        vv_tets_body body = { 0, in.tets, in.tet, 4e4, 6e4 };
        vvError error;
        double start = vv_seconds();
        if (vv_tets_create(m, in.nodes, in.x, 1, &body, &s.e, &error) != VV_OK) {
            printf("%s\n", error.message);
            return 1;
        }
        double created = vv_seconds();
        vv_pattern pattern = { .n = in.nodes };
        s.e->ops->pattern(s.e, unknown, &pattern);
        vv_bsr_build(&s.a, &pattern, NULL);
        vv_pattern_free(&pattern);
        double built = vv_seconds();
        int *slots;
        if (s.e->ops->slots(s.e, unknown, &s.a, &slots, &error) != VV_OK) {
            printf("%s\n", error.message);
            return 1;
        }
        s.to = (vv_block_target){ &s.a, unknown, slots };
        if (m == 0)
            printf("create %.0f ms, pattern %.0f, slots %.0f; blocks of the matrix a tet %.2f, min J %.3f\n",
                   1e3 * (created - start), 1e3 * (built - created), 1e3 * (vv_seconds() - built),
                   (double)s.a.nnz / in.tets, s.e->ops->least_j(s.e, &(vv_parallel){ .threads = 2 }, s.x, NULL));
        for (s.par.threads = 1; s.par.threads <= 2; s.par.threads++) {
            printf("%-20s %8d", vvMaterialInfo(m)->name, s.par.threads);
            for (int what = 0; what < 5; what++)
                printf(" %8.1f", measure(&s, what, in.tets));
            printf("\n");
        }
        s.e->ops->destroy(s.e);
        vv_bsr_free(&s.a);
        vv_free(slots);
    }
    return 0;
}
