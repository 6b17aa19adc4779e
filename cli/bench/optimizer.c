/* Group optimizer: the solver "optimizer" at one step a frame. Cubes whose nodes start at random places, or all in
 * one point, in three stiffnesses, until they are in order (Gast and Schroeder 2014, Fig. 8, 9 and 11), and a cube
 * that is drawn apart (Fig. 3). Each case is run once: what it takes is counted and timed over all of its steps. */
#include "bench/bench.h"

#include <string.h>

static const double FRAME = 1.0 / 24;

typedef struct optimizer_case {
    const char *name, *start; /* the initial state; NULL: it is drawn apart */
    double young, tolerance;  /* Pa; N */
    int steps;
} optimizer_case;

typedef struct optimizer_result {
    int nodes, iterations, solves, pcg, evaluations, stopped, inverted;
    double seconds, assembly, linear, line_search;
} optimizer_result;

/* Both end faces go apart at 1/3 m/s. */
static vvStatus draw_apart(vvWorld *world, vvBodyId cube, vvError *error)
{
    vvStatus status = VV_OK;
    for (int end = 0; end < 2 && status == VV_OK; end++) {
        vvAttachDef face = vvDefaultAttachDef();
        face.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { end ? 99 : 0 }, .b = { end ? 100 : 1, 100, 100 } };
        face.motion.linearVelocity[0] = end ? 1.0 / 3 : -1.0 / 3;
        status = vvBodyAttach(world, cube, &face, NULL, error);
    }
    return status;
}

static vvStatus build(const optimizer_case *c, int cells, int threads, vvWorld **world, vvError *error)
{
    vvWorldDef def = vvDefaultWorldDef();
    vvBodyDef body = vvDefaultBodyDef();
    vvMesh mesh = { 0 };
    vvBodyId cube = { 0, 0 };
    const vvSetting still = { "noise", { 0 } };
    def.timeStep = FRAME, def.threads = threads, def.gravity[1] = 0, def.seed = 1;
    def.contact.model = "none", def.integrator.groundMode = VV_GROUND_NONE;
    def.solver.method = "optimizer", def.solver.linear = "pcg";
    def.solver.forceTolerance = c->tolerance, def.solver.maxIterations = 5000;
    body.material.model = "fixed-corotated", body.material.young = c->young, body.material.poisson = 0.45;
    vvStatus status = vvMeshGenerate(
        "box", (vvSetting[]){ { "size", { 1, 1, 1 } }, { "cells", { cells, cells, cells } }, { "split", { 6 } } }, 3,
        &mesh, error);
    body.mesh = &mesh;
    if (status == VV_OK)
        status = vvWorldCreate(&def, world, error);
    if (status == VV_OK)
        status = vvWorldAddBody(*world, &body, &cube, error);
    if (status == VV_OK)
        status = c->start
                     ? vvBodySetInitialState(*world, cube, c->start, &still, strcmp(c->start, "collapsed") == 0, error)
                     : draw_apart(*world, cube, error);
    if (status == VV_OK)
        status = vvWorldBake(*world, error);
    vvMeshDestroy(&mesh);
    return status;
}

static vvStatus measure(const optimizer_case *c, int cells, int threads, optimizer_result *r, vvError *error)
{
    vvWorld *world = NULL;
    vvInverted inverted = { 0 };
    vvStatus status = build(c, cells, threads, &world, error);
    *r = (optimizer_result){ .nodes = status == VV_OK ? vvWorldNodeCount(world) : 0 };
    for (int i = 0; i < c->steps && status == VV_OK; i++) {
        vvStepReport report;
        status = vvWorldStep(world, &report, error);
        if (status != VV_OK)
            break;
        r->iterations += report.newtonIterations, r->solves += report.linearSolves, r->pcg += report.pcgIterations;
        r->evaluations += report.lineSearchSteps, r->stopped += report.end != VV_SOLVE_CONVERGED;
        r->seconds += report.wall, r->assembly += report.seconds[VV_PHASE_ASSEMBLY],
            r->linear += report.seconds[VV_PHASE_LINEAR];
        r->line_search += report.seconds[VV_PHASE_LINE_SEARCH];
    }
    if (status == VV_OK)
        vvWorldInverted(world, &inverted);
    r->inverted = inverted.tets;
    vvWorldDestroy(world);
    return status;
}

static void add_row(json_t *rows, const optimizer_case *c, int threads, const optimizer_result *r)
{
    const double n = c->steps;
    printf("%-14s %6d nodes %d thr  %8.1f ms/step  assembly %7.1f  linear %7.1f (%.1f pcg a solve)  line search %7.1f  "
           "%6.1f solves/step  %d stopped short, %d "
           "inside out\n",
           c->name, r->nodes, threads, 1e3 * r->seconds / n, 1e3 * r->assembly / n, 1e3 * r->linear / n,
           (double)r->pcg / (r->solves > 0 ? r->solves : 1), 1e3 * r->line_search / n, r->solves / n, r->stopped,
           r->inverted);
    fflush(stdout);
    json_array_append_new(rows, json_pack("{s:s, s:i, s:f, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:i, s:i}",
                                          "name", c->name, "threads", threads, "young", c->young, "nodes", r->nodes,
                                          "steps", c->steps, "ms_step", 1e3 * r->seconds / n, "ms_assembly",
                                          1e3 * r->assembly / n, "ms_linear", 1e3 * r->linear / n, "ms_line_search",
                                          1e3 * r->line_search / n, "iterations_step", r->iterations / n, "solves_step",
                                          r->solves / n, "pcg_step", r->pcg / n, "evaluations_step", r->evaluations / n,
                                          "stopped_short", r->stopped, "inside_out", r->inverted));
}

static int run(const vv_bench_options *options, const vv_bench_machine *machine, json_t *rows)
{
    static const optimizer_case cases[] = {
        { "random, medium", "random", 1e5, 0.02, 40 },
        { "random, soft", "random", 1e3, 0.02, 100 },
        { "random, stiff", "random", 1e7, 0.02, 1 },
        { "point, soft", "collapsed", 3e3, 0.02, 120 },
        { "point, medium", "collapsed", 1e5, 0.02, 5 },
        { "point, stiff", "collapsed", 1e7, 0.02, 1 },
        { "stretched", NULL, 1e5, 10, 72 },
    };
    (void)machine;
    for (size_t i = 0; i < (options->quick ? 1 : sizeof cases / sizeof *cases); i++)
        for (int threads = 1; threads <= 2; threads++) {
            vvError error = { 0 };
            optimizer_result r;
            if (measure(cases + i, options->quick ? 8 : 16, threads, &r, &error) != VV_OK) {
                fprintf(stderr, "visviva: bench %s: %s\n", cases[i].name, error.message);
                return VV_EXIT_FAILED;
            }
            add_row(rows, cases + i, threads, &r);
        }
    return VV_EXIT_OK;
}

const vv_bench_group vv_bench_optimizer = {
    "optimizer", "cubes out of random positions, out of a point, and drawn apart, at one step a frame", run
};
