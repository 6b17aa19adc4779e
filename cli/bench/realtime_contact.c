/* Group real-time, contact and hands at a budget: steps with a hand held, of a body on the ground with repulsion
 * springs, and of a pile with the barrier; with newton beside what a budget gives in the pile. */
#include "bench/realtime.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 10, BALLS = 5, MOST_STEPS = 60, ONE_WAY = 20 /* steps of the hand to one side */ };

typedef struct contact_case {
    const char *name, *what;
    const char *solvers[5];
    int warm; /* steps before those that are measured */
    vvStatus (*make)(const char *solver, int threads, vvWorld **world, vvError *error);
    /* NULL, or called before each step */
    vvStatus (*disturb)(vvWorld *world, int step, vvDragId *drag, vvError *error);
} contact_case;

typedef struct contact_timing {
    double step, contact;           /* ms, medians */
    double iterations, evaluations; /* a step, means */
    double gap;                     /* m, the least; infinity: nothing is near */
    int nodes, factors;             /* made in the measured steps */
} contact_timing;

/* ---- worlds ---- */

static const char *model_for(const char *solver)
{
    return strcmp(solver, "local-global") == 0 ? "arap" : "stable-neo-hookean";
}

static vvWorldDef contact_def(const char *solver, int threads)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.timeStep = 1.0 / 60;
    def.threads = threads;
    def.integrator.groundMode = VV_GROUND_NONE;
    def.solver.method = solver;
    def.solver.budget = strcmp(solver, "newton") == 0 ? 0 : ITERATIONS;
    return def;
}

static vvStatus add_solid(vvWorld *world, const char *solver, const char *generator, const vvSetting settings[2],
                          const double place[3], vvError *error)
{
    vvMesh mesh = { 0 };
    vvBodyDef body = vvDefaultBodyDef();
    vvBodyId id;
    vvStatus status = vvMeshGenerate(generator, settings, 2, &mesh, error);
    body.mesh = &mesh;
    body.material.model = model_for(solver);
    body.material.young = 1e5, body.material.poisson = 0.4;
    memcpy(body.translate, place, sizeof body.translate);
    if (status == VV_OK)
        status = vvWorldAddBody(world, &body, &id, error);
    vvMeshDestroy(&mesh);
    return status;
}

static vvStatus finish(vvWorld *world, vvStatus status, vvError *error)
{
    vvObstacleDef ground = vvDefaultObstacleDef();
    vvObstacleId id;
    ground.type = "plane";
    if (status == VV_OK)
        status = vvWorldAddObstacle(world, &ground, &id, error);
    return status == VV_OK ? vvWorldBake(world, error) : status;
}

/* A block of 1,331 nodes that falls by a centimetre. */
static vvStatus make_block(const char *solver, int threads, vvWorld **world, vvError *error)
{
    vvWorldDef def = contact_def(solver, threads);
    def.contact.model = "springs";
    def.contact.self = false;
    def.solver.tolerance = 1e-9; /* every iteration is done */
    vvStatus status = vvWorldCreate(&def, world, error);
    if (status == VV_OK)
        status = add_solid(*world, solver, "box",
                           (vvSetting[]){ { "size", { 0.2, 0.2, 0.2 } }, { "cells", { 10, 10, 10 } } },
                           (double[]){ 0, 0.11, 0 }, error);
    return finish(*world, status, error);
}

/* Balls of 12 cm above each other, a little aside of each other, that fall onto the ground and on. */
static vvStatus make_pile(const char *solver, int threads, vvWorld **world, vvError *error)
{
    vvWorldDef def = contact_def(solver, threads);
    def.contact.distance = 4e-3, def.contact.friction = 0.4;
    vvStatus status = vvWorldCreate(&def, world, error);
    for (int i = 0; i < BALLS && status == VV_OK; i++)
        status = add_solid(*world, solver, "ball", (vvSetting[]){ { "radius", { 0.06 } }, { "cells", { 4 } } },
                           (double[]){ i % 2 ? -0.03 * i : 0.03 * i, 0.065 + 0.13 * i, 0.02 * i }, error);
    return finish(*world, status, error);
}

static vvStatus make_held(const char *solver, int threads, vvWorld **world, vvError *error)
{
    const vv_realtime_choice choice = {
        .solver = solver, .budget = ITERATIONS, .threads = threads, .model = model_for(solver)
    };
    return vv_realtime_world(vv_realtime_body_at(0), NULL, &choice, world, error); /* S3 */
}

/* A hand takes some dozens of nodes in the middle, 1 m around, and moves them to and fro. */
static vvStatus move_hand(vvWorld *world, int step, vvDragId *drag, vvError *error)
{
    const int vertex = vvWorldNodeCount(world) / 2;
    const double *x = vvWorldPositions(world) + 3 * (size_t)vertex;
    vvDragDef def = vvDefaultDragDef();
    if (step > 0)
        return vvWorldMoveDrag(world, *drag, (double[]){ x[0], x[1] + (step / ONE_WAY % 2 ? -0.1 : 0.1), x[2] }, error);
    def.body = vvWorldBody(world, 0), def.vertex = vertex, def.radius = 1, def.here = true;
    return vvWorldStartDrag(world, &def, drag, error);
}

static const contact_case cases[] = {
    { "hand", "S3 with a hand held", { "local-global", "lbfgs", "block-descent", "xpbd" }, 4, make_held, move_hand },
    { "springs",
      "a block on the ground, springs",
      { "local-global", "lbfgs", "block-descent", "xpbd" },
      10,
      make_block,
      NULL },
    { "pile", "five balls, barrier", { "lbfgs", "block-descent", "newton" }, 10, make_pile, NULL },
};

/* ---- runs ---- */

static vvStatus time_case(const contact_case *c, const char *solver, int threads, int repeats, contact_timing *t,
                          vvError *error)
{
    double step[MOST_STEPS], contact[MOST_STEPS];
    const int count = 6 * repeats < MOST_STEPS ? 6 * repeats : MOST_STEPS;
    vvWorld *world = NULL;
    vvDragId drag = { 0, 0 };
    *t = (contact_timing){ .gap = INFINITY };
    vvStatus status = c->make(solver, threads, &world, error);
    for (int i = -c->warm; i < count && status == VV_OK; i++) {
        vvStepReport r;
        if (c->disturb)
            status = c->disturb(world, i + c->warm, &drag, error);
        if (status == VV_OK)
            status = vvWorldStep(world, &r, error);
        if (status != VV_OK || i < 0)
            continue;
        step[i] = 1e3 * r.wall, contact[i] = 1e3 * r.seconds[VV_PHASE_CONTACT];
        t->iterations += (double)r.newtonIterations / count, t->evaluations += (double)r.lineSearchSteps / count;
        t->factors += r.factors;
    }
    if (status == VV_OK) {
        vvLedgerTotals totals;
        vvWorldTotals(world, &totals);
        t->step = vv_bench_median(step, count), t->contact = vv_bench_median(contact, count);
        t->nodes = vvWorldNodeCount(world);
        t->gap = totals.minGap;
    }
    vvWorldDestroy(world);
    return status;
}

static void add_row(const contact_case *c, const char *solver, const contact_timing t[3], json_t *rows)
{
    printf("%-8s %-30s %5d nodes  %-13s  step %7.2f %7.2f ms, contact %.2f ms, %.1f iterations, %.1f evaluations, %d "
           "factors",
           c->name, c->what, t[1].nodes, solver, t[1].step, t[2].step, t[1].contact, t[1].iterations, t[1].evaluations,
           t[1].factors);
    printf(isfinite(t[1].gap) ? ", gap %.2g m\n" : "\n", t[1].gap);
    fflush(stdout);
    json_t *row = json_pack("{s:s, s:s, s:i, s:f, s:f, s:f, s:f, s:f, s:i, s:o}", "name", c->name, "solver", solver,
                            "nodes", t[1].nodes, "ms_step_1t", t[1].step, "ms_step_2t", t[2].step, "ms_contact_1t",
                            t[1].contact, "iterations_a_step", t[1].iterations, "evaluations_a_step", t[1].evaluations,
                            "factors", t[1].factors, "min_gap", isfinite(t[1].gap) ? json_real(t[1].gap) : json_null());
    json_array_append_new(rows, row);
}

int vv_bench_realtime_contact(const vv_bench_options *options, json_t *rows)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int s = 0; cases[i].solvers[s]; s++) {
            contact_timing t[3];
            vvError error = { 0 };
            vvStatus status = VV_OK;
            for (int threads = 1; threads <= 2 && status == VV_OK; threads++)
                status = time_case(cases + i, cases[i].solvers[s], threads, options->repeats, t + threads, &error);
            if (status != VV_OK) {
                fprintf(stderr, "visviva: bench %s, %s: %s\n", cases[i].name, cases[i].solvers[s], error.message);
                return VV_EXIT_FAILED;
            }
            add_row(cases + i, cases[i].solvers[s], t, rows);
        }
    return VV_EXIT_OK;
}
