/* Group elastic: one Newton iteration without contact (energy, gradient, projected Hessian, linear solve to 1e-3,
 * line search) on named meshes that hang from their top and start with a downward velocity; and the same with
 * self-contact on, where nothing touches. Each case runs in a process of its own, so that its peak memory is its
 * own. */
#include "bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 12, PARTS = 6 };

typedef struct elastic_case {
    const char *mesh, *material;
    double h;
    int threads;
    bool self; /* self-contact is on */
} elastic_case;

typedef struct elastic_result {
    bool ok;
    char message[256];
    int nodes, tets;
    double ms_iteration, ms_assembly, ms_linear, ms_line_search, ms_contact, ms_other, iterations_step, pcg_iteration,
        bytes_tet;
    char linear[16];
} elastic_result;

static vvStatus build(const elastic_case *c, const char *path, vvWorld **world, elastic_result *r, vvError *error)
{
    vvMesh mesh = { 0 };
    vvStatus status = vvMeshRead(path, &mesh, NULL, error);
    if (status != VV_OK)
        return status;
    r->nodes = mesh.vertexCount, r->tets = mesh.tetCount;
    vvWorldDef def = vvDefaultWorldDef();
    def.timeStep = c->h;
    def.threads = c->threads;
    def.integrator.groundMode = VV_GROUND_NONE;
    if (!c->self)
        def.contact.model = "none";
    status = vvWorldCreate(&def, world, error);
    vvBodyDef body = vvDefaultBodyDef();
    body.mesh = &mesh;
    body.material.model = c->material;
    vvBodyId id = { 0, 0 };
    if (status == VV_OK)
        status = vvWorldAddBody(*world, &body, &id, error);
    vvAttachDef attach = vvDefaultAttachDef();
    attach.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 90, 0 }, .b = { 100, 100, 100 } };
    if (status == VV_OK)
        status = vvBodyAttach(*world, id, &attach, NULL, error);
    const vvSetting profile[] = { { "velocity", { 0, -0.5, 0 } }, { "axis", { 0, -1, 0 } } };
    if (status == VV_OK)
        status = vvBodySetInitialState(*world, id, "profile", profile, 2, error);
    if (status == VV_OK)
        status = vvWorldBake(*world, error);
    vvMeshDestroy(&mesh);
    return status;
}

/* Median over the steps of each phase, divided by the step's Newton iterations. */
static vvStatus time_steps(vvWorld *world, int repeats, elastic_result *r, vvError *error)
{
    int steps = STEPS > 2 * repeats ? STEPS : 2 * repeats, iterations = 0, pcg = 0;
    double *values = calloc(PARTS * (size_t)steps, sizeof *values);
    if (!values)
        return VV_ERROR_MEMORY;
    vvStatus status = VV_OK;
    for (int i = -2; i < steps && status == VV_OK; i++) {
        vvStepReport report;
        status = vvWorldStep(world, &report, error);
        if (i < 0 || status != VV_OK)
            continue;
        double n = report.newtonIterations > 0 ? report.newtonIterations : 1;
        iterations += report.newtonIterations, pcg += report.pcgIterations;
        double parts[PARTS] = { report.wall,
                                report.seconds[VV_PHASE_ASSEMBLY],
                                report.seconds[VV_PHASE_LINEAR],
                                report.seconds[VV_PHASE_LINE_SEARCH],
                                report.seconds[VV_PHASE_CONTACT],
                                0 };
        parts[5] = parts[0] - parts[1] - parts[2] - parts[3] - parts[4];
        for (int k = 0; k < PARTS; k++)
            values[k * steps + i] = 1e3 * parts[k] / n;
        snprintf(r->linear, sizeof r->linear, "%s", report.linear);
    }
    double *out[PARTS] = { &r->ms_iteration,   &r->ms_assembly, &r->ms_linear,
                           &r->ms_line_search, &r->ms_contact,  &r->ms_other };
    for (int k = 0; k < PARTS; k++)
        *out[k] = vv_bench_median(values + k * steps, steps);
    r->iterations_step = (double)iterations / steps;
    r->pcg_iteration = iterations ? (double)pcg / iterations : 0;
    free(values);
    return status;
}

static void measure(const elastic_case *c, const char *path, int repeats, elastic_result *r)
{
    vvError error = { 0 };
    vvWorld *world = NULL;
    double before = vv_bench_peak_bytes();
    vvStatus status = build(c, path, &world, r, &error);
    if (status == VV_OK)
        status = time_steps(world, repeats, r, &error);
    r->bytes_tet = (vv_bench_peak_bytes() - before) / (r->tets > 0 ? r->tets : 1);
    r->ok = status == VV_OK;
    snprintf(r->message, sizeof r->message, "%.255s", error.message);
    vvWorldDestroy(world);
}

static elastic_result run_case(const elastic_case *c, const char *path, int repeats)
{
    elastic_result r = { .ok = false };
    char h[32], threads[16], n[16];
    snprintf(h, sizeof h, "%.17g", c->h);
    snprintf(threads, sizeof threads, "%d", c->threads);
    snprintf(n, sizeof n, "%d", repeats);
    const char *const arguments[] = { "--elastic-case", path, c->material, h, threads, n, c->self ? "self" : "none" };
    if (!vv_bench_run_child(arguments, 7, &r, sizeof r))
        r = (elastic_result){ .ok = false, .message = "the process ended early" };
    return r;
}

int vv_bench_elastic_child(int argc, char **argv)
{
    if (argc != 9)
        return VV_EXIT_WRONG;
    elastic_case c = { argv[2], argv[3], atof(argv[4]), atoi(argv[5]), strcmp(argv[7], "self") == 0 };
    elastic_result r = { .ok = false };
    measure(&c, argv[2], atoi(argv[6]), &r);
    return vv_bench_answer(argv[8], &r, sizeof r);
}

static void add_row(json_t *rows, const char *name, const elastic_case *c, const elastic_result *r)
{
    char row[160];
    snprintf(row, sizeof row, "%s %s h=1/%g%s", name, c->material, round(1 / c->h), c->self ? " self-contact" : "");
    printf("%-14s %-16s 1/%-4g %d thr %8.1f ms/it  assembly %6.1f (%.3f us/tet)  linear %6.1f (%s, %.0f pcg)  line "
           "search %5.1f  "
           "%4.1f it/step  %4.0f B/tet",
           name, c->material, round(1 / c->h), c->threads, r->ms_iteration, r->ms_assembly,
           1e3 * r->ms_assembly / r->tets, r->ms_linear, r->linear, r->pcg_iteration, r->ms_line_search,
           r->iterations_step, r->bytes_tet);
    if (c->self)
        printf("  self-contact %.1f ms, %.0f%%", r->ms_contact, 100 * r->ms_contact / r->ms_iteration);
    putchar('\n');
    fflush(stdout);
    json_array_append_new(
        rows,
        json_pack("{s:s, s:s, s:s, s:f, s:i, s:b, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:s, s:f}",
                  "name", row, "mesh", name, "material", c->material, "step", c->h, "threads", c->threads,
                  "self_contact", c->self, "nodes", r->nodes, "tets", r->tets, "ms_iteration", r->ms_iteration,
                  "ms_assembly", r->ms_assembly, "us_tet_assembly", 1e3 * r->ms_assembly / r->tets, "ms_linear",
                  r->ms_linear, "ms_line_search", r->ms_line_search, "ms_contact", r->ms_contact, "ms_other",
                  r->ms_other, "iterations_step", r->iterations_step, "pcg_iteration", r->pcg_iteration, "linear",
                  r->linear, "bytes_tet", r->bytes_tet));
}

static int run(const vv_bench_options *options, const vv_bench_machine *machine, json_t *rows)
{
    static const char *const meshes[] = { "octopus_7k5", "armadillo_28k", "bunny_35k" };
    static const char *const materials[] = { "fixed-corotated", "neo-hookean" };
    static const double steps[] = { 1.0 / 120, 1.0 / 30 };
    (void)machine;
    for (int m = 0; m < (options->quick ? 1 : 3); m++) {
        char path[4096], file[64];
        snprintf(file, sizeof file, "%s.msh", meshes[m]);
        if (!vv_bench_find_mesh(options, file, path, sizeof path)) {
            printf("%-14s skipped: %s is not here (--meshes DIR or VISVIVA_MESHES says where)\n", meshes[m], file);
            continue;
        }
        for (int k = 0; k < 2; k++)
            for (int s = 0; s < 3; s++) /* the third: with self-contact */
                for (int threads = 1; threads <= 2; threads++) {
                    elastic_case c = { meshes[m], materials[k], steps[s % 2], threads, s == 2 };
                    elastic_result r = run_case(&c, path, options->repeats);
                    if (!r.ok) {
                        fprintf(stderr, "visviva: bench %s: %s\n", meshes[m], r.message);
                        return VV_EXIT_FAILED;
                    }
                    add_row(rows, meshes[m], &c, &r);
                }
    }
    return VV_EXIT_OK;
}

const vv_bench_group vv_bench_elastic = {
    "elastic", "Newton iterations without contact, and with self-contact where nothing touches", run
};
