/* The global solve of the real-time solvers, three right-hand sides at once (src/solve/constant/triple.h): seconds to
 * order and to factorise, milliseconds a solve, and how near that is to the time of reading the factor L once forwards
 * and once backwards at the speed at which this machine copies, and at which it reads. The constants of
 * src/solve/constant/triple_supernodes.c and triple_tree.c come from here. triple [--threads N] [--double] [MESH ...];
 * JSON, a line a matrix. */
#include "base/clock.h"
#include "base/memory.h"
#include "solve/constant/triple.h"
#include "visviva/mesh.h"

#include "../tests/support/scalar_matrix.h"

#include <math.h>
#include <stdio.h>

enum { RUNS = 60, LARGE = 1 << 23 };

/* Best seconds of many: other programs disturb. */
typedef struct sweep {
    double *from, *to;
    size_t count;
    double sum[64];
    bool copy;
} sweep;

static void sweep_chunk(void *arg, int chunk)
{
    sweep *s = arg;
    size_t begin = s->count * (size_t)chunk / 64, end = s->count * ((size_t)chunk + 1) / 64;
    if (s->copy) {
        memcpy(s->to + begin, s->from + begin, (end - begin) * sizeof *s->to);
        return;
    }
    double sum[32] = { 0 };
    for (size_t k = begin; k + 32 <= end; k += 32)
        for (size_t l = 0; l < 32; l++)
            sum[l] += s->from[k + l];
    for (int l = 0; l < 32; l++)
        s->sum[chunk] += sum[l];
}

/* Bytes a second that are read (or read and written), of arrays of so many bytes. */
static double bandwidth(const vv_parallel *par, size_t bytes, bool copy)
{
    sweep s = { vv_alloc(bytes / 8, 8), vv_alloc(bytes / 8, 8), bytes / 8, { 0 }, copy };
    double best = INFINITY;
    for (int k = 0; k < 12; k++) {
        double at = vv_seconds();
        vv_for(par, 64, sweep_chunk, &s);
        at = vv_seconds() - at;
        best = at < best ? at : best;
    }
    vv_free(s.from);
    vv_free(s.to);
    return (copy ? 2 : 1) * (double)bytes / best;
}

static void measure(const char *name, const scalar_matrix *a, const vv_parallel *par, bool single)
{
    vv_triple *t = NULL;
    vvError error;
    if (vv_triple_create(a->n, a->start, a->row, par, single, &t, &error) != VV_OK ||
        vv_triple_factor(t, a->value, &error) != VV_OK) {
        printf("%s\n", error.message);
        return;
    }
    size_t length = 3 * (size_t)a->n;
    double *b = vv_alloc(length, sizeof *b), *x = vv_alloc(length, sizeof *x), *r = vv_alloc(length, sizeof *r);
    uint64_t seed = 1;
    for (size_t k = 0; k < length; k++)
        r[k] = grid_random(&seed);
    scalar_multiply(a, r, b);
    double best = INFINITY, factor = INFINITY, off = 0, size = 0;
    for (int k = 0; k < 2; k++) {
        vv_triple_factor(t, a->value, &error);
        factor = fmin(factor, vv_triple_get_stats(t).factor_seconds);
    }
    for (int k = 0; k < RUNS; k++) {
        double at = vv_seconds();
        vv_triple_solve(t, b, x);
        at = vv_seconds() - at;
        best = at < best ? at : best;
    }
    for (size_t k = 0; k < length; k++) {
        off = fmax(off, fabs(x[k] - r[k]));
        size = fmax(size, fabs(r[k]));
    }
    vv_triple_stats s = vv_triple_get_stats(t);
    double bytes = 2 * (double)s.entries * (single ? 4 : 8);
    double copy = bandwidth(par, LARGE * 8, true), same = bandwidth(par, (size_t)(bytes / 2), false);
    printf("{\"name\": \"%s\", \"nodes\": %d, \"threads\": %d, \"bits\": %d, \"analyse_ms\": %.1f, \"factor_ms\": "
           "%.2f, \"solve_ms\": %.4f, "
           "\"entries\": %zu, \"factor_bytes\": %zu, \"read_bytes\": %zu, \"supernodes\": %d, \"tasks\": %d, "
           "\"levels\": %d, "
           "\"gbs\": %.1f, \"copy_gbs\": %.1f, \"read_gbs\": %.1f, \"of_copy\": %.2f, \"of_read\": %.2f, \"error\": "
           "%.1e}\n",
           name, a->n, par->threads, single ? 32 : 64, s.analyse_seconds * 1e3, factor * 1e3, best * 1e3, s.entries,
           s.factor_bytes, s.read_bytes, s.supernodes, s.tasks, s.levels, bytes / best * 1e-9, copy * 1e-9, same * 1e-9,
           best / (bytes / copy), best / (bytes / same), off / size);
    fflush(stdout);
    vv_free(b);
    vv_free(x);
    vv_free(r);
    vv_triple_destroy(t);
}

/* The blending paper's mu of 80 at a volume of 1000 and a mass of 10, h = 1/30. */
static void measure_box(const char *name, int nx, int ny, int nz, const vv_parallel *par, bool single)
{
    scalar_matrix a = { 0 };
    double cell = cbrt(1000.0 / (nx * ny * nz));
    scalar_box(&a, (int[3]){ nx, ny, nz }, cell, 10.0 / 1000, 160 / 900.0);
    measure(name, &a, par, single);
    scalar_free(&a);
}

static void measure_mesh(const char *path, const vv_parallel *par, bool single)
{
    vvMesh mesh;
    vvError error;
    if (vvMeshRead(path, &mesh, NULL, &error) != VV_OK) {
        printf("%s\n", error.message);
        return;
    }
    scalar_matrix a = { .n = mesh.vertexCount };
    for (int t = 0; t < mesh.tetCount; t++) {
        double x[4][3];
        for (int c = 0; c < 4; c++)
            memcpy(x[c], mesh.positions + 3 * (size_t)mesh.tets[4 * t + c], sizeof x[c]);
        scalar_add_tet(&a, mesh.tets + 4 * (size_t)t, x, 1000, 2 * 3.8e4 / 900); /* E = 1e5, nu = 0.3 */
    }
    scalar_finish(&a);
    measure(strrchr(path, '/') ? strrchr(path, '/') + 1 : path, &a, par, single);
    scalar_free(&a);
    vvMeshDestroy(&mesh);
}

int main(int argc, char **argv)
{
    int threads = 0, first = 1;
    bool single = true;
    for (; first < argc && argv[first][0] == '-'; first++) {
        if (strcmp(argv[first], "--double") == 0)
            single = false;
        else if (strcmp(argv[first], "--threads") == 0 && first + 1 < argc)
            threads = atoi(argv[++first]);
    }
    for (int n = threads ? threads : 1; n <= (threads ? threads : 2); n++) {
        vv_parallel par = { .threads = n };
        if (!vv_pool_create(n, &par.pool))
            return 1;
        measure_box("S3", 5, 6, 56, &par, single);
        measure_box("S4", 3, 10, 115, &par, single);
        measure_box("S5", 6, 56, 70, &par, single);
        measure_box("C", 28, 28, 28, &par, single);
        scalar_matrix cloth = { 0 };
        scalar_cloth(&cloth, 101, 10.0 / 10201, 80 / 900.0, 20 / 900.0);
        measure("cloth", &cloth, &par, single);
        scalar_free(&cloth);
        for (int k = first; k < argc; k++)
            measure_mesh(argv[k], &par, single);
        vv_pool_destroy(par.pool);
    }
    return 0;
}
