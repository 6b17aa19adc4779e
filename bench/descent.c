/* Solvers with a fixed budget on the ladder of boxes (five tets a cell) or given meshes: the objective above its
 * minimum after k iterations, and milliseconds an iteration, of the fifth step of a bar that is held at one end and
 * falls. descent [MATERIAL [E [h [MESH...]]]] */
#include "base/clock.h"
#include "base/simd/cpu.h"
#include "base/memory.h"
#include "energy/points/simple.h"
#include "energy/tets/tets.h"
#include "solve/solver.h"
#include "solve/vectors.h"
#include "visviva/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct scene {
    vv_system system;
    int *unknown, *node;
    double *mass, *rest;
    vvMesh mesh;
} scene;

static bool no_cancel(void *user) { return (void)user, false; }

static void make_scene(scene *s, const vvMesh *mesh, const char *material, double young, int threads)
{
    const double nu = 0.3, mu = young / (2 * (1 + nu)), la = young * nu / ((1 + nu) * (1 - 2 * nu));
    const int n = mesh->vertexCount;
    double low = 1e300, high = -1e300;
    vv_energy *e;
    *s = (scene){ .unknown = vv_alloc((size_t)n, sizeof(int)),
                  .node = vv_alloc((size_t)n, sizeof(int)),
                  .mass = vv_alloc((size_t)n, sizeof(double)),
                  .rest = vv_alloc_copy(mesh->positions, 3 * (size_t)n, sizeof(double)),
                  .mesh = *mesh };
    for (int i = 0; i < n; i++)
        low = fmin(low, s->rest[3 * i + 2]), high = fmax(high, s->rest[3 * i + 2]);
    for (int t = 0; t < mesh->tetCount; t++) {
        double d[9];
        for (int a = 0; a < 3; a++)
            for (int k = 0; k < 3; k++)
                d[3 * a + k] = s->rest[3 * mesh->tets[4 * t + a + 1] + k] - s->rest[3 * mesh->tets[4 * t] + k];
        double volume = (d[0] * (d[4] * d[8] - d[5] * d[7]) - d[1] * (d[3] * d[8] - d[5] * d[6]) +
                         d[2] * (d[3] * d[7] - d[4] * d[6])) /
                        6;
        for (int a = 0; a < 4; a++)
            s->mass[mesh->tets[4 * t + a]] += 1000 * volume / 4;
    }
    int unknowns = 0;
    for (int i = 0; i < n; i++) {
        s->unknown[i] = s->rest[3 * i + 2] < low + 0.001 * (high - low) || s->mass[i] == 0 ? -1 : unknowns;
        if (s->unknown[i] >= 0)
            s->node[unknowns++] = i;
    }
    s->system = (vv_system){ .nodes = n,
                             .unknowns = unknowns,
                             .unknown = s->unknown,
                             .node = s->node,
                             .mass = s->mass,
                             .par.threads = threads };
    vv_pool_create(threads, &s->system.par.pool);
    vv_tets_body body = { 0, mesh->tetCount, mesh->tets, mu, la };
    if (vv_tets_create(vv_tets_model(material), n, s->rest, 1, &body, &e, NULL) != VV_OK ||
        vv_system_add_energy(&s->system, e, NULL) != VV_OK)
        exit(1);
    if (vv_gravity_create(n, NULL, s->mass, s->rest, (double[]){ 0, -9.8, 0 }, &e, NULL) != VV_OK ||
        vv_system_add_energy(&s->system, e, NULL) != VV_OK)
        exit(1);
}

static vv_solver *solver_of(scene *s, const char *name)
{
    vv_solver *out;
    vvError error = { 0 }; /* a solver may refuse the material */
    vv_solver_def def = { &s->system, vv_linear_table(0) };
    vv_solver_create(vv_solver_find(name), &def, &out, &error);
    return out;
}

static int solve(vv_solver *v, const vv_objective *o, double *q, int budget, vv_solve_stats *stats)
{
    vvError error = { 0 };
    vv_solve_options options = { .tolerance = budget ? 0 : 1e-10,
                                 .max_iterations = 100,
                                 .budget = budget,
                                 .linear_tolerance = 1e-6,
                                 .hessian = VV_HESSIAN_PROJECTED,
                                 .line_search = vv_line_search_table(0),
                                 .cancel = no_cancel };
    *stats = (vv_solve_stats){ 0 };
    vvStatus status = v->ops->minimise(v, o, q, NULL, &options, stats, &error);
    if (status != VV_OK)
        printf("  %s\n", error.message);
    return status == VV_OK;
}

static void run(const char *title, const vvMesh *mesh, const char *material, double young, double h)
{
    static const char *const names[] = { "local-global", "lbfgs", "block-descent" };
    static const int budgets[] = { 1, 2, 5, 10, 20, 50, 100 };
    scene s;
    vv_solve_stats stats;
    make_scene(&s, mesh, material, young, 1);
    size_t n = vv_node_space(&s.system);
    double *q = vv_alloc(n, sizeof *q), *y = vv_alloc(n, sizeof *y), *best = vv_alloc(n, sizeof *best),
           *v = vv_alloc(2 * n, sizeof *v);
    vv_objective o = { .system = &s.system, .h = h, .y = y, .samples = 1, .sample = { { 1, 1, NULL } } };
    vv_solver *newton = solver_of(&s, "newton");
    vv_copy(n, s.rest, best);
    double start = 0, end = 0;
    for (int step = 0; step < 5; step++) { /* the last one is tried with all */
        for (size_t i = 0; i < n; i++)
            y[i] = best[i] + (s.unknown[i / 3] < 0 ? 0 : h * v[i]);
        vv_copy(n, y, q);
        start = vv_objective_value(&o, q);
        double *before = v + n;
        vv_copy(n, best, before);
        if (!solve(newton, &o, best, 0, &stats))
            return;
        end = vv_objective_value(&o, best);
        for (size_t i = 0; step < 4 && i < n; i++)
            v[i] = (best[i] - before[i]) / h;
    }
    printf("%s: %d nodes, %d tets, %s, E %g, h %g, %s; Newton %d iterations\n", title, mesh->vertexCount,
           mesh->tetCount, material, young, h, vv_isa_name(vv_cpu_isa()), stats.iterations);
    for (int m = 0; m < 3; m++) {
        vv_solver *solver = solver_of(&s, names[m]);
        double *x = vv_alloc(n, sizeof *x), fastest = 1e300;
        if (!solver)
            continue;
        printf("  %-14s", names[m]);
        for (int b = 0; b < 7; b++) {
            vv_copy(n, q, x);
            if (!solve(solver, &o, x, budgets[b], &stats))
                break;
            printf("  %3d: %.1e", stats.iterations, (vv_objective_value(&o, x) - end) / (start - end));
        }
        for (int i = 0; i < 7; i++) {
            double t[2];
            for (int k = 0; k < 2; k++) {
                vv_copy(n, q, x);
                t[k] = vv_seconds();
                solve(solver, &o, x, k ? 11 : 1, &stats);
                t[k] = vv_seconds() - t[k];
            }
            fastest = fmin(fastest, (t[1] - t[0]) / 10);
        }
        printf("  %.2f ms (sweep %.2f)\n", 1e3 * fastest, 1e3 * stats.seconds[VV_PHASE_ASSEMBLY] / 11);
        vv_solver_destroy(solver);
        vv_free(x);
    }
    vv_solver_destroy(newton);
    vv_system_free(&s.system);
}

int main(int argc, char **argv)
{
    static const int cells[][3] = { { 5, 6, 56 }, { 3, 10, 115 }, { 6, 56, 70 }, { 28, 28, 28 } };
    const char *material = argc > 1 ? argv[1] : "stable-neo-hookean";
    double young = argc > 2 ? atof(argv[2]) : 1e5, h = argc > 3 ? atof(argv[3]) : 1.0 / 30;
    vvError error = { 0 };
    for (int i = 4; i < argc; i++) {
        vvMesh mesh = { 0 };
        if (vvMeshRead(argv[i], &mesh, NULL, &error) != VV_OK || vvMeshFinish(&mesh, NULL, &error) != VV_OK)
            return printf("%s\n", error.message), 1;
        run(argv[i], &mesh, material, young, h);
    }
    for (int i = 0; argc < 5 && i < 4; i++) {
        vvMesh mesh = { 0 };
        double f = cbrt(1.0 / (cells[i][0] * cells[i][1] * cells[i][2])); /* 1 m3 */
        vvSetting box[2] = { { .name = "size" }, { .name = "cells" } };
        for (int k = 0; k < 3; k++)
            box[0].value[k] = f * cells[i][k], box[1].value[k] = cells[i][k];
        char title[64];
        if (vvMeshGenerate("box", box, 2, &mesh, &error) != VV_OK)
            return printf("%s\n", error.message), 1;
        snprintf(title, sizeof title, "%dx%dx%d", cells[i][0], cells[i][1], cells[i][2]);
        run(title, &mesh, material, young, h);
    }
    return 0;
}
