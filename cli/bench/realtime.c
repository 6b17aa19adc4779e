/* Group real-time: milliseconds a step of the solvers with a fixed budget, 10 iterations of 0.033 s, on the ladder of
 * bodies: each a fraction of its limit, the bytes that a solve reads at the bandwidth of a copy measured in the same
 * run; what the policies add. */
#include "bench/realtime.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 10, MOST_STEPS = 60 };

typedef struct timing {
    /* ms: of a step; of an iteration's evaluations and of its solve; of making the factors */
    double step, local, global, factor;
    double factor_bytes, read_bytes;
    int nodes, elements;
} timing;

/* Medians over steps of a body that falls from rest, after two warm ones. */
static vvStatus time_steps(const vv_realtime_body *body, const char *path, const vv_realtime_choice *choice,
                           int repeats, timing *t, vvError *error)
{
    double step[MOST_STEPS], local[MOST_STEPS], global[MOST_STEPS];
    int count = 3 * repeats < MOST_STEPS ? 3 * repeats : MOST_STEPS;
    vvWorld *world;
    *t = (timing){ 0 };
    vvStatus status = vv_realtime_world(body, path, choice, &world, error);
    for (int i = -2; i < count && status == VV_OK; i++) {
        vvStepReport r;
        status = vvWorldStep(world, &r, error);
        if (status != VV_OK)
            break;
        t->factor += 1e3 * r.factorSeconds;
        t->factor_bytes = (double)r.factorBytes, t->read_bytes = (double)r.factorReadBytes;
        if (i < 0)
            continue;
        double iterations = r.newtonIterations > 0 ? r.newtonIterations : 1;
        step[i] = 1e3 * r.wall;
        local[i] = 1e3 * r.seconds[VV_PHASE_ASSEMBLY] / iterations;
        global[i] = 1e3 * (r.seconds[VV_PHASE_LINEAR] - r.factorSeconds) / iterations;
    }
    if (status == VV_OK) {
        t->step = vv_bench_median(step, count), t->local = vv_bench_median(local, count),
        t->global = vv_bench_median(global, count);
        vvBodyElements elements;
        vvBodyGetElements(world, vvWorldBody(world, 0), &elements);
        t->nodes = vvWorldNodeCount(world);
        t->elements = elements.tetCount > 0 ? elements.tetCount : elements.springCount + elements.attachmentSpringCount;
    }
    vvWorldDestroy(world);
    return status;
}

/* ms that a step takes more with the policy than without, both with implicit midpoint. */
static double overhead(const vv_realtime_body *body, const char *path, const vv_realtime_choice *choice,
                       const char *policy, int repeats)
{
    timing with, without;
    vvError error = { 0 };
    vv_realtime_choice c = *choice;
    c.scheme = "implicit-midpoint";
    bool ok = time_steps(body, path, &c, repeats, &without, &error) == VV_OK;
    c.policy = policy;
    ok = ok && time_steps(body, path, &c, repeats, &with, &error) == VV_OK;
    return ok ? with.step - without.step : NAN;
}

static json_t *number_or_null(double x) { return isfinite(x) ? json_real(x) : json_null(); }

/* Bytes that an iteration must read of each element at least: its nodes and numbers, once; block descent meets it
 * once for each of its nodes. And of each node: positions read, results written and read. */
static double least_bytes(const vv_realtime_choice *c, const timing *t)
{
    const bool springs = strcmp(c->model, "hooke") == 0, nodes = strcmp(c->solver, "block-descent") == 0;
    const double tet = 4 * sizeof(int) + 10 * sizeof(double), spring = 2 * sizeof(int) + 2 * sizeof(double);
    const double element = springs ? (nodes ? 2 : 1) * spring : (nodes ? 4 : 1) * tet;
    return element * t->elements + 3 * 3 * sizeof(double) * t->nodes + t->read_bytes;
}

static void add_row(const vv_realtime_body *body, const vv_realtime_choice *c, const timing t[3], const double extra[2],
                    const vv_bench_machine *machine, json_t *rows)
{
    double limit[3] = { 0 }, whole[3] = { 0 }, gbs[3] = { 0 };
    for (int k = 1; k <= 2; k++) {
        limit[k] = 1e-6 * t[k].read_bytes / machine->copy_gbs[k];
        whole[k] = 1e-6 * ITERATIONS * least_bytes(c, t + k) / machine->copy_gbs[k];
        gbs[k] = t[k].global > 0 ? 1e-6 * t[k].read_bytes / t[k].global : 0;
    }
    printf("%-14s %6d nodes %6d  %-13s %-18s  step %8.2f %8.2f ms", body->name, t[1].nodes, t[1].elements, c->solver,
           c->model, t[1].step, t[2].step);
    printf(" (%.1f and %.1f x limit)", t[1].step / whole[1], t[2].step / whole[2]);
    printf("  an iteration: %.3f + %.3f ms", t[1].local, t[1].global);
    if (t[1].read_bytes > 0)
        printf(", solve %.1f x limit (two threads %.1f), factor %.1f MB, %.0f ms", t[1].global / limit[1],
               t[2].global / limit[2], 1e-6 * t[1].factor_bytes, t[1].factor);
    if (isfinite(extra[0]))
        printf("; blend +%.2f ms, project +%.2f ms", extra[0], extra[1]);
    if (body->paper_ms > 0 && strcmp(c->solver, "local-global") == 0)
        printf("; %s: %g ms", body->stands_for, body->paper_ms);
    putchar('\n');
    fflush(stdout);
    json_t *row = json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "name",
                            body->name, "solver", c->solver, "material", c->model, "nodes", t[1].nodes, "elements",
                            t[1].elements, "iterations", ITERATIONS, "ms_step_1t", t[1].step, "ms_step_2t", t[2].step,
                            "ms_local", t[1].local, "ms_local_2t", t[2].local, "ms_global", t[1].global, "ms_global_2t",
                            t[2].global, "ms_factor", t[1].factor, "factor_bytes", t[1].factor_bytes, "gbs", gbs[1]);
    json_object_set_new(row, "gbs_2t", json_real(gbs[2]));
    json_object_set_new(row, "ms_step_limit", json_real(whole[1]));
    json_object_set_new(row, "ms_step_limit_2t", json_real(whole[2]));
    json_object_set_new(row, "ms_global_limit", json_real(limit[1]));
    json_object_set_new(row, "ms_global_limit_2t", json_real(limit[2]));
    json_object_set_new(row, "ms_blend", number_or_null(extra[0]));
    json_object_set_new(row, "ms_project", number_or_null(extra[1]));
    if (body->stands_for)
        json_object_set_new(row, "stands_for", json_string(body->stands_for));
    if (body->paper_ms > 0)
        json_object_set_new(row, "paper_ms_step_blend", json_real(body->paper_ms));
    json_array_append_new(rows, row);
}

static int run_body(const vv_realtime_body *body, const char *path, const vv_bench_options *options,
                    const vv_bench_machine *machine, json_t *rows)
{
    static const char *const solvers[] = { "local-global", "lbfgs", "block-descent", "xpbd" };
    const bool cloth = !body->file && body->cells[2] == 0;
    for (int i = 0; i < 4; i++) {
        vv_realtime_choice c = { .solver = solvers[i], .budget = ITERATIONS };
        c.model = cloth ? "hooke" : i == 0 ? "arap" : "stable-neo-hookean";
        if (!vv_realtime_suits(c.solver, c.model))
            continue;
        timing t[3];
        vvError error = { 0 };
        vvStatus status = VV_OK;
        for (int threads = 1; threads <= 2 && status == VV_OK; threads++) {
            c.threads = threads;
            status = time_steps(body, path, &c, options->repeats, t + threads, &error);
        }
        if (status != VV_OK) {
            fprintf(stderr, "visviva: bench %s, %s: %s\n", body->name, c.solver, error.message);
            return VV_EXIT_FAILED;
        }
        c.threads = 1;
        const double extra[2] = { overhead(body, path, &c, "blend", options->repeats),
                                  overhead(body, path, &c, "project", options->repeats) };
        add_row(body, &c, t, extra, machine, rows);
    }
    return VV_EXIT_OK;
}

static int run(const vv_bench_options *options, const vv_bench_machine *machine, json_t *rows)
{
    int code = VV_EXIT_OK;
    const vv_realtime_body *body;
    for (int i = 0; (body = vv_realtime_body_at(i)) && code == VV_EXIT_OK; i++) {
        char path[4096];
        if (options->quick && !body->quick)
            continue;
        if (body->file && !vv_bench_find_mesh(options, body->file, path, sizeof path)) {
            printf("%-14s skipped: %s is not here (--meshes DIR or VISVIVA_MESHES says where)\n", body->name,
                   body->file);
            continue;
        }
        code = run_body(body, body->file ? path : NULL, options, machine, rows);
    }
    if (code == VV_EXIT_OK)
        code = vv_bench_realtime_contact(options, rows);
    return code == VV_EXIT_OK ? vv_bench_convergence(options, rows) : code;
}

const vv_bench_group vv_bench_realtime = { "real-time",
                                           "steps of solvers with a fixed budget; their error against time", run };
