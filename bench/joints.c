/* What joints cost: chains and nets of affine blocks in ball joints, hung up at one end, falling: joints [STEPS]. A
 * row for each number of blocks: processor seconds to make it, to bake it and of a step, Newton and PCG iterations of
 * a step, and what a joint costs in a step. Where that grows with the number, something is not linear. */
#include "visviva/visviva.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double SIZE = 0.1, PITCH = 0.12; /* m: of a block, from one to the next */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(vvStatus status, const vvError *error)
{
    if (status == VV_OK)
        return;
    fprintf(stderr, "bench_joints: %s\n", error->message);
    exit(1);
}

static vvBodyId add_block(vvWorld *w, int row, int col)
{
    vvError error;
    vvBodyId id;
    vvMesh mesh = { 0 };
    vvBodyDef def = vvDefaultBodyDef();
    must(vvMeshGenerate("box",
                        (vvSetting[]){ { "size", { SIZE, SIZE, SIZE } }, { "cells", { 1, 1, 1 } }, { "split", { 6 } } },
                        3, &mesh, &error),
         &error);
    def.mesh = &mesh, def.material = vvDefaultMaterialOf("affine");
    def.translate[0] = PITCH * col, def.translate[2] = PITCH * row;
    must(vvWorldAddBody(w, &def, &id, &error), &error);
    vvMeshDestroy(&mesh);
    return id;
}

static void join(vvWorld *w, vvBodyId a, vvBodyId b, double x, double z)
{
    vvError error;
    vvJointDef def = vvDefaultJointDef();
    def.bodies[0] = a, def.bodies[1] = b;
    def.at[0] = x, def.at[2] = z;
    must(vvWorldAddJoint(w, &def, NULL, &error), &error);
}

/* rows x cols; those of the first column hang on the world. */
static void fill(vvWorld *w, int rows, int cols)
{
    vvBodyId *block = calloc((size_t)(rows * cols), sizeof *block);
    for (int i = 0; i < rows * cols; i++)
        block[i] = add_block(w, i / cols, i % cols);
    for (int i = 0; i < rows * cols; i++) {
        const int row = i / cols, col = i % cols;
        join(w, col ? block[i - 1] : (vvBodyId){ 0, 0 }, block[i], PITCH * (col - 0.5), PITCH * row);
        if (row)
            join(w, block[i - cols], block[i], PITCH * col, PITCH * (row - 0.5));
    }
    free(block);
}

static void measure(const char *shape, int rows, int cols, const char *linear, int steps)
{
    vvError error;
    vvWorld *w;
    vvWorldDef def = vvDefaultWorldDef();
    vvStepReport report;
    long newton = 0, solves = 0, pcg = 0;
    def.contact.model = "none", def.integrator.groundMode = VV_GROUND_NONE;
    def.solver.linear = linear;
    def.threads = 1;
    const double begin = seconds();
    must(vvWorldCreate(&def, &w, &error), &error);
    fill(w, rows, cols);
    const double made = seconds();
    must(vvWorldBake(w, &error), &error);
    const double baked = seconds();
    for (int s = 0; s < steps; s++) {
        must(vvWorldStep(w, &report, &error), &error);
        newton += report.newtonIterations, solves += report.linearSolves, pcg += report.pcgIterations;
    }
    const double step = (seconds() - baked) / steps;
    const int joints = vvWorldJointCount(w);
    printf("%-6s %-9s %6d %7d %9.3f %9.3f %9.4f %7.1f %8.1f %9.2f\n", shape, linear, rows * cols, joints, made - begin,
           baked - made, step, (double)newton / steps, solves ? (double)pcg / (double)solves : 0, 1e6 * step / joints);
    fflush(stdout);
    vvWorldDestroy(w);
}

int main(int argc, char **argv)
{
    const int steps = argc > 1 ? atoi(argv[1]) : 20;
    static const int sizes[3][2] = { { 10, 10 }, { 25, 40 }, { 50, 80 } };
    printf("%-6s %-9s %6s %7s %9s %9s %9s %7s %8s %9s\n", "shape", "linear", "blocks", "joints", "make s", "bake s",
           "step s", "Newton", "PCG/sol", "us/joint");
    for (int i = 0; vvLinearSolverInfo(i); i++)
        for (int k = 0; k < 6; k++) {
            const char *linear = vvLinearSolverInfo(i)->name;
            const int rows = sizes[k % 3][0], cols = sizes[k % 3][1];
            measure(k < 3 ? "chain" : "net", k < 3 ? 1 : rows, k < 3 ? rows * cols : cols, linear, steps);
        }
    return 0;
}
