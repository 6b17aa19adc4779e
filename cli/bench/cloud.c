/* Part of the group contact: how the search for pairs grows with the number of primitives (vertices, edges,
 * triangles). Stacks of sheets, each two d-hat above the last, that move against each other by half a d-hat a step. */
#include "bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 12, PRIMITIVES = 13 * 13 + (2 * 12 * 13 + 12 * 12) + 2 * 12 * 12, STEPS = 5, IN_STACK = 8 };

typedef struct cloud_result {
    bool ok;
    char message[256];
    int bodies, nodes;
    double ms_step, ms_contact, ms_line_search, solves_step, peak_bytes;
} cloud_result;

static vvStatus build(int bodies, int threads, vvWorld **world, vvError *error)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.contact.distance = 1e-3;
    def.gravity[1] = 0;
    def.threads = threads;
    def.integrator.groundMode = VV_GROUND_NONE;
    vvMesh sheet = { 0 };
    const vvSetting cloth[] = { { "size", { 0.12, 0.12 } }, { "cells", { CELLS, CELLS } } };
    vvStatus status = vvWorldCreate(&def, world, error);
    if (status == VV_OK)
        status = vvMeshGenerate("cloth", cloth, 2, &sheet, error);
    int side = (int)ceil(sqrt((double)(bodies + IN_STACK - 1) / IN_STACK));
    for (int i = 0; i < bodies && status == VV_OK; i++) {
        int stack = i / IN_STACK, level = i % IN_STACK;
        vvBodyDef body = vvDefaultBodyDef();
        vvBodyId id;
        body.mesh = &sheet;
        body.material.model = "hooke";
        body.material.density = 0.3;
        body.rotate[1] = 7.0 * level;
        body.translate[0] = 0.2 * (stack % side);
        body.translate[1] = 2 * def.contact.distance * level;
        body.translate[2] = 0.2 * (stack / side);
        const double speed = (level % 2 ? -0.25 : 0.25) * def.contact.distance / def.timeStep;
        const vvSetting velocity = { "velocity", { 0, speed, 0 } };
        status = vvWorldAddBody(*world, &body, &id, error);
        if (status == VV_OK)
            status = vvBodySetInitialState(*world, id, "linear", &velocity, 1, error);
    }
    vvMeshDestroy(&sheet);
    return status == VV_OK ? vvWorldBake(*world, error) : status;
}

static cloud_result measure(int bodies, int threads)
{
    cloud_result r = { .bodies = bodies };
    double step[STEPS], contact[STEPS], search[STEPS];
    vvError error = { 0 };
    vvWorld *world = NULL;
    vvStatus status = build(bodies, threads, &world, &error);
    for (int i = -1; i < STEPS && status == VV_OK; i++) {
        vvStepReport report;
        status = vvWorldStep(world, &report, &error);
        if (i < 0 || status != VV_OK)
            continue;
        step[i] = 1e3 * report.wall;
        contact[i] = 1e3 * report.seconds[VV_PHASE_CONTACT];
        search[i] = 1e3 * report.seconds[VV_PHASE_LINE_SEARCH];
        r.solves_step += (double)report.linearSolves / STEPS;
    }
    if (status == VV_OK) {
        r.nodes = vvWorldNodeCount(world);
        r.ms_step = vv_bench_median(step, STEPS);
        r.ms_contact = vv_bench_median(contact, STEPS);
        r.ms_line_search = vv_bench_median(search, STEPS);
    }
    r.ok = status == VV_OK;
    snprintf(r.message, sizeof r.message, "%.255s", error.message);
    vvWorldDestroy(world);
    r.peak_bytes = vv_bench_peak_bytes();
    return r;
}

int vv_bench_cloud_child(int argc, char **argv)
{
    if (argc != 5)
        return VV_EXIT_WRONG;
    cloud_result r = measure(atoi(argv[2]), atoi(argv[3]));
    return vv_bench_answer(argv[4], &r, sizeof r);
}

int vv_bench_run_clouds(const vv_bench_options *options, json_t *rows)
{
    static const int bodies[] = { 1, 11, 110, 1095 };
    for (int i = 0; i < (options->quick ? 2 : 4); i++)
        for (int threads = 1; threads <= 2; threads++) {
            cloud_result r = { .ok = false };
            char count[16], with[16], name[64];
            snprintf(count, sizeof count, "%d", bodies[i]);
            snprintf(with, sizeof with, "%d", threads);
            const char *const arguments[] = { "--cloud-case", count, with };
            if (!vv_bench_run_child(arguments, 3, &r, sizeof r))
                snprintf(r.message, sizeof r.message, "the process ended early");
            double primitives = (double)bodies[i] * PRIMITIVES, share = r.ms_contact / r.ms_step;
            snprintf(name, sizeof name, "sheets %.3g", primitives);
            if (!r.ok) {
                fprintf(stderr, "visviva: bench %s: %s\n", name, r.message);
                return VV_EXIT_FAILED;
            }
            printf("%-13s %d thr %8.0f primitives  %9.2f ms a step  contact %9.2f (%.2f us a primitive)  line search "
                   "%9.2f  %.1f solves a "
                   "step  %5.0f MB, %.0f B a primitive\n",
                   name, threads, primitives, r.ms_step, r.ms_contact, 1e3 * r.ms_contact / primitives,
                   r.ms_line_search, r.solves_step, 1e-6 * r.peak_bytes, r.peak_bytes / primitives);
            fflush(stdout);
            json_array_append_new(rows, json_pack("{s:s, s:i, s:f, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f}", "name",
                                                  name, "threads", threads, "primitives", primitives, "bodies",
                                                  r.bodies, "nodes", r.nodes, "ms_step", r.ms_step, "ms_contact",
                                                  r.ms_contact, "ms_line_search", r.ms_line_search, "solves_step",
                                                  r.solves_step, "contact_share", share, "peak_bytes", r.peak_bytes));
        }
    return VV_EXIT_OK;
}
