/* Group contact: five scenes of the IPC reference program (Li et al. 2020) on its meshes, with its stopping rule and
 * d-hat, whole runs against its figures: two threads of the same kind of machine. Check values are heights of the
 * surface that it reached. */
#include "bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PIECES = 8, MOST_CHECKS = 4 };

typedef struct piece {
    const char *mesh;
    double scale, rotate[3], translate[3], velocity[3];
} piece;

typedef enum holding { HELD_NOT, HELD_TOP, HELD_TWIST } holding;

/* Where the reference program's surface was. */
typedef struct check {
    int step;      /* 0: none */
    double ipc[2]; /* lowest and highest y of the surface (m); NAN: not known */
} check;

typedef struct contact_case {
    const char *name;
    piece pieces[MOST_PIECES];
    int count, steps;
    double young, friction, h, stiffness;
    bool ground, gravity;
    holding held;
    double ipc_solves, ipc_seconds; /* the best that was measured */
    int ipc_steps;                  /* that these are of */
    check checks[MOST_CHECKS];
} contact_case;

/* clang-format off */
#define TORUS(x, y, z) { "torus", 1, { 90, 0, 0 }, { x, y, z }, { 0, 0, 0 } }
/* clang-format on */
static const contact_case cases[] = {
    { "s1 bounce",
      { { "sphere1K", 1, { 0, 0, 0 }, { 0, 1, 0 }, { 0, 0, 0 } } },
      1,
      200,
      5e5,
      0,
      0.01,
      1e4,
      true,
      true,
      HELD_NOT,
      571,
      51.5,
      200,
      { { 31, { .014312, 1.011328 } },
        { 60, { .129437, 1.126580 } },
        { 100, { .013416, 1.012055 } },
        { 200, { 9e-5, .969 } } } },
    { "s2b spheres",
      { { "sphere1K", 1, { 0, 0, 0 }, { 0, .51, 0 }, { 0, 0, 0 } },
        { "sphere1K", 1, { 0, 90, 0 }, { .1, 1.53, .05 }, { 0, -3, 0 } } },
      2,
      100,
      1e5,
      0.25,
      0.01,
      1e4,
      true,
      true,
      HELD_NOT,
      502,
      97,
      100,
      { { 10, { NAN, 1.68094 } }, { 30, { NAN, 1.24642 } }, { 60, { NAN, 1.88638 } } } },
    { "s4c tori",
      { TORUS(0, .11, 0), TORUS(.1, .33, 0), TORUS(0, .55, .1), TORUS(-.1, .77, 0), TORUS(0, .99, -.1),
        TORUS(.1, 1.21, .1), TORUS(-.1, 1.43, .1), TORUS(0, 1.65, 0) },
      8,
      100,
      5e5,
      0.25,
      0.01,
      1e4,
      true,
      true,
      HELD_NOT,
      719,
      58,
      100,
      { { 40, { NAN, 1.03468 } }, { 60, { NAN, 1.19777 } }, { 100, { NAN, 1.06914 } } } },
    { "s3 hang",
      { { "Armadillo13K", 0.01, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } } },
      1,
      55,
      5e5,
      0,
      0.01,
      1e4,
      false,
      true,
      HELD_TOP,
      110,
      99,
      55,
      { { 10, { -.58102, NAN } }, { 30, { -.60576, NAN } }, { 50, { -.59115, NAN } } } },
    { "s5 mat twist",
      { { "mat40x40", 1, { 90, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } } },
      1,
      101,
      2e4,
      0,
      0.04,
      1e4,
      false,
      false,
      HELD_TWIST,
      644,
      170,
      101,
      { { 0, { NAN, NAN } } } },
};
enum { CASES = sizeof cases / sizeof cases[0] };

typedef struct contact_result {
    bool ok;
    char message[256];
    int nodes, tets, runs;
    double seconds, contact, line_search, assembly, linear; /* s, of the median run */
    double distance, min_gap, min_j, peak_bytes;
    int64_t solves;
    double checks[MOST_CHECKS][2]; /* m: lowest, highest */
} contact_result;

/* ---- the scenes
 * ---------------------------------------------------------------------------------------------------- */

static vvStatus add_pieces(const contact_case *c, const char *folder, vvWorld *world, contact_result *r, vvError *error)
{
    vvStatus status = VV_OK;
    r->nodes = r->tets = 0;
    for (int i = 0; i < c->count && status == VV_OK; i++) {
        const piece *p = &c->pieces[i];
        vvMesh mesh = { 0 };
        char path[4200];
        snprintf(path, sizeof path, "%s/%s.msh", folder, p->mesh);
        status = vvMeshRead(path, &mesh, NULL, error);
        if (status != VV_OK)
            return status;
        r->nodes += mesh.vertexCount, r->tets += mesh.tetCount;
        vvBodyDef body = vvDefaultBodyDef();
        body.mesh = &mesh;
        body.material.model = "neo-hookean";
        body.material.young = c->young;
        body.material.poisson = 0.4;
        for (int k = 0; k < 3; k++)
            body.scale[k] = p->scale, body.rotate[k] = p->rotate[k], body.translate[k] = p->translate[k];
        vvBodyId id;
        status = vvWorldAddBody(world, &body, &id, error);
        vvSetting velocity = { .name = "velocity" };
        memcpy(velocity.value, p->velocity, sizeof p->velocity);
        if (status == VV_OK)
            status = vvBodySetInitialState(world, id, "linear", &velocity, 1, error);
        vvMeshDestroy(&mesh);
    }
    return status;
}

/* Of the placed meshes: the length by which the reference program measures d-hat and its tolerance. */
static double diagonal(const vvWorld *world)
{
    const double *x = vvWorldPositions(world);
    double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY }, square = 0;
    for (int i = 0; i < 3 * vvWorldNodeCount(world); i++)
        low[i % 3] = fmin(low[i % 3], x[i]), high[i % 3] = fmax(high[i % 3], x[i]);
    for (int k = 0; k < 3; k++)
        square += (high[k] - low[k]) * (high[k] - low[k]);
    return sqrt(square);
}

static vvStatus hold(const contact_case *c, vvWorld *world, vvError *error)
{
    vvAttachDef attach = vvDefaultAttachDef();
    vvBodyId body = vvWorldBody(world, 0);
    if (c->held == HELD_NOT)
        return VV_OK;
    attach.where =
        (vvRegion){ .kind = VV_REGION_PERCENT, .surfaceOnly = true, .a = { 0, 90, 0 }, .b = { 100, 100, 100 } };
    if (c->held == HELD_TOP)
        return vvBodyAttach(world, body, &attach, NULL, error);
    vvStatus status = VV_OK;
    for (int end = 0; end < 2 && status == VV_OK; end++) {
        attach.where =
            (vvRegion){ .kind = VV_REGION_PERCENT, .a = { end ? 99 : 0, 0, 0 }, .b = { end ? 100 : 1, 100, 100 } };
        attach.motion.axis[0] = 1, attach.motion.axis[1] = attach.motion.axis[2] = 0;
        attach.motion.angularVelocity = end ? 72 : -72; /* 0.4 pi rad/s */
        status = vvBodyAttach(world, body, &attach, NULL, error);
    }
    return status;
}

static vvStatus build(const contact_case *c, const char *folder, int threads, vvWorld **world, contact_result *r,
                      vvError *error)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.contact.model = "none";
    vvStatus status = vvWorldCreate(&def, world, error); /* to be measured only */
    if (status == VV_OK)
        status = add_pieces(c, folder, *world, r, error);
    double diag = status == VV_OK ? diagonal(*world) : 1;
    vvWorldDestroy(*world);
    *world = NULL;
    if (status != VV_OK)
        return status;
    def = vvDefaultWorldDef();
    def.gravity[1] = c->gravity ? -9.80665 : 0;
    def.timeStep = c->h;
    def.threads = threads;
    def.integrator.groundMode = VV_GROUND_NONE;
    def.solver.tolerance = 1e-2 * diag;
    def.solver.contactTolerance = 0; /* the reference program has no such rule */
    def.contact.distance = r->distance = 1e-3 * diag;
    def.contact.stiffness = c->stiffness;
    def.contact.friction = c->friction;
    vvObstacleDef ground = vvDefaultObstacleDef();
    vvObstacleId id;
    status = vvWorldCreate(&def, world, error);
    if (status == VV_OK)
        status = add_pieces(c, folder, *world, r, error);
    ground.type = "plane";
    if (status == VV_OK && c->ground)
        status = vvWorldAddObstacle(*world, &ground, &id, error);
    if (status == VV_OK)
        status = hold(c, *world, error);
    return status == VV_OK ? vvWorldBake(*world, error) : status;
}

/* ---- runs
 * ------------------------------------------------------------------------------------------------------------ */

static void heights(const vvWorld *world, double y[2])
{
    const double *x = vvWorldPositions(world);
    y[0] = INFINITY, y[1] = -INFINITY;
    for (int b = 0; b < vvWorldBodyCount(world); b++) {
        vvBodyElements e;
        vvBodyGetElements(world, vvWorldBody(world, b), &e);
        for (int i = 0; i < 3 * e.triangleCount; i++) {
            double here = x[3 * (size_t)e.triangles[i] + 1];
            y[0] = fmin(y[0], here), y[1] = fmax(y[1], here);
        }
    }
}

/* One whole run; wall times without building it. */
static vvStatus run_once(const contact_case *c, const char *folder, int threads, contact_result *r, vvError *error)
{
    vvWorld *world = NULL;
    vvStatus status = build(c, folder, threads, &world, r, error);
    r->seconds = r->contact = r->line_search = r->assembly = r->linear = 0;
    for (int step = 1; step <= c->steps && status == VV_OK; step++) {
        vvStepReport report;
        status = vvWorldStep(world, &report, error);
        if (status != VV_OK)
            break;
        r->seconds += report.wall;
        r->contact += report.seconds[VV_PHASE_CONTACT];
        r->line_search += report.seconds[VV_PHASE_LINE_SEARCH];
        r->assembly += report.seconds[VV_PHASE_ASSEMBLY];
        r->linear += report.seconds[VV_PHASE_LINEAR];
        for (int k = 0; k < MOST_CHECKS; k++)
            if (c->checks[k].step == step)
                heights(world, r->checks[k]);
    }
    if (status == VV_OK) {
        vvLedgerTotals totals;
        vvWorldTotals(world, &totals);
        r->solves = totals.linearSolves;
        r->min_gap = totals.minGap;
        r->min_j = totals.minJ;
    }
    vvWorldDestroy(world);
    return status;
}

static int by_seconds(const void *a, const void *b)
{
    const contact_result *x = a, *y = b;
    return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

/* The median of up to `repeats` runs that take no more than about half a minute together; one at least. */
static contact_result measure(const contact_case *c, const char *folder, int threads, int repeats)
{
    enum { MOST_RUNS = 15 };
    contact_result runs[MOST_RUNS] = { 0 }, median;
    vvError error = { 0 };
    int count = 0;
    double spent = 0;
    vvStatus status = VV_OK;
    while (status == VV_OK && count < repeats && count < MOST_RUNS && (count == 0 || spent < 30)) {
        status = run_once(c, folder, threads, &runs[count], &error);
        spent += runs[count++].seconds;
    }
    qsort(runs, (size_t)count, sizeof runs[0], by_seconds);
    median = runs[(count - 1) / 2];
    median.ok = status == VV_OK;
    median.runs = count;
    median.peak_bytes = vv_bench_peak_bytes();
    snprintf(median.message, sizeof median.message, "%.255s", error.message);
    return median;
}

int vv_bench_contact_child(int argc, char **argv)
{
    if (argc != 7)
        return VV_EXIT_WRONG;
    int which = atoi(argv[2]);
    if (which < 0 || which >= CASES)
        return VV_EXIT_WRONG;
    contact_result r = measure(&cases[which], argv[3], atoi(argv[4]), atoi(argv[5]));
    return vv_bench_answer(argv[6], &r, sizeof r);
}

/* ---- rows
 * ------------------------------------------------------------------------------------------------------------ */

static json_t *number_or_null(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t *checks_json(const contact_case *c, const contact_result *r)
{
    json_t *list = json_array();
    for (int k = 0; k < MOST_CHECKS; k++)
        if (c->checks[k].step > 0)
            json_array_append_new(list, json_pack("{s:i, s:f, s:f, s:o, s:o}", "step", c->checks[k].step, "ymin",
                                                  r->checks[k][0], "ymax", r->checks[k][1], "ipc_ymin",
                                                  number_or_null(c->checks[k].ipc[0]), "ipc_ymax",
                                                  number_or_null(c->checks[k].ipc[1])));
    return list;
}

static void print_checks(const contact_case *c, const contact_result *r)
{
    static const char *const names[2] = { "ymin", "ymax" };
    for (int k = 0; k < MOST_CHECKS; k++)
        for (int which = 0; which < 2; which++)
            if (c->checks[k].step > 0 && isfinite(c->checks[k].ipc[which]))
                printf("    step %3d %s %9.6f (IPC %9.6f)\n", c->checks[k].step, names[which], r->checks[k][which],
                       c->checks[k].ipc[which]);
}

static void add_row(json_t *rows, const contact_case *c, int threads, const contact_result *r)
{
    double ipc = c->ipc_seconds * c->steps / c->ipc_steps,
           ms = 1e3 * r->seconds / (r->solves > 0 ? (double)r->solves : 1);
    double share = r->contact / r->seconds;
    printf("%-13s %d thr %7.2f s (IPC %.1f s: 1/%.1f)  %5lld solves, %.1f a step (IPC %.1f)  %6.2f ms a solve  contact "
           "%2.0f%%, line "
           "search %2.0f%%  gap %.2g d-hat  J %.2f  %4.0f MB\n",
           c->name, threads, r->seconds, ipc, ipc / r->seconds, (long long)r->solves, (double)r->solves / c->steps,
           c->ipc_solves / c->ipc_steps, ms, 100 * r->contact / r->seconds, 100 * r->line_search / r->seconds,
           r->min_gap / r->distance, r->min_j, 1e-6 * r->peak_bytes);
    print_checks(c, r);
    fflush(stdout);
    json_t *row = json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:f, s:f, s:f, s:f}", "name", c->name, "threads", threads,
                            "runs", r->runs, "nodes", r->nodes, "tets", r->tets, "steps", c->steps, "step", c->h,
                            "young", c->young, "stiffness", c->stiffness, "distance", r->distance);
    json_t *more =
        json_pack("{s:f, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:o, s:f, s:f, s:f, s:f, s:o}", "seconds", r->seconds,
                  "solves", (json_int_t)r->solves, "ms_solve", ms, "ms_assembly", 1e3 * r->assembly, "ms_linear",
                  1e3 * r->linear, "ms_contact", 1e3 * r->contact, "ms_line_search", 1e3 * r->line_search,
                  "contact_share", share, "min_gap", number_or_null(r->min_gap), "min_J", r->min_j, "peak_bytes",
                  r->peak_bytes, "ipc_seconds", ipc, "ratio", r->seconds / ipc, "checks", checks_json(c, r));
    json_object_update(row, more);
    json_decref(more);
    json_array_append_new(rows, row);
}

static int run_scenes(const vv_bench_options *options, const char *folder, json_t *rows)
{
    for (int i = 0; i < (options->quick ? 1 : CASES); i++)
        for (int threads = 1; threads <= 2; threads++) {
            contact_result r = { .ok = false };
            char which[16], count[16], repeats[16];
            snprintf(which, sizeof which, "%d", i);
            snprintf(count, sizeof count, "%d", threads);
            snprintf(repeats, sizeof repeats, "%d", options->repeats);
            const char *const arguments[] = { "--contact-case", which, folder, count, repeats };
            if (!vv_bench_run_child(arguments, 5, &r, sizeof r))
                snprintf(r.message, sizeof r.message, "the process ended early");
            if (!r.ok) {
                fprintf(stderr, "visviva: bench %s: %s\n", cases[i].name, r.message);
                return VV_EXIT_FAILED;
            }
            add_row(rows, &cases[i], threads, &r);
        }
    return VV_EXIT_OK;
}

static int run(const vv_bench_options *options, const vv_bench_machine *machine, json_t *rows)
{
    char path[4096];
    (void)machine;
    int code = VV_EXIT_OK;
    if (vv_bench_find_mesh(options, "ipc/sphere1K.msh", path, sizeof path)) {
        *strrchr(path, '/') = 0;
        code = run_scenes(options, path, rows);
    } else {
        printf("s1 to s5      skipped: ipc/sphere1K.msh is not here (--meshes DIR or VISVIVA_MESHES says where)\n");
    }
    return code == VV_EXIT_OK ? vv_bench_run_clouds(options, rows) : code;
}

const vv_bench_group vv_bench_contact = { "contact", "whole runs with contact against IPC, and the broad phase", run };
