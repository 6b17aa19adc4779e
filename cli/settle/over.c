/* settle over keys: loads, supports and obstacles go on by one interval, in a long step of backward Euler, and from
 * where that ends the equilibrium is looked for. Where one interval is too much for a solve, it is halved. */
#include "settle/settle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_HALVINGS = 8 };

typedef struct progress {
    const vv_settle_over *over;
    vvRunWriter *writer; /* NULL: none is written */
    double *begin;       /* 3 per node, m */
    int steps;           /* load steps so far */
    double shown;        /* s: of the last equilibrium that was printed */
} progress;

static double farthest(const progress *p)
{
    const double *x = vvWorldPositions(p->over->world), *y = p->begin;
    double most = 0;
    for (int i = 0; i < 3 * vvWorldNodeCount(p->over->world); i += 3)
        most = fmax(most, hypot(hypot(x[i] - y[i], x[i + 1] - y[i + 1]), x[i + 2] - y[i + 2]));
    return most;
}

/* The diagonal of the box around some nodes, m. */
static double diagonal(const double *x, int first, int count)
{
    double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
    for (int i = 3 * first; i < 3 * (first + count); i++)
        low[i % 3] = fmin(low[i % 3], x[i]), high[i % 3] = fmax(high[i % 3], x[i]);
    return count > 0 ? hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]) : 0;
}

/* A solve may end where numbers do: what is so far apart is no body any more. */
static vvStatus check_size(const vvWorld *world, vvError *error)
{
    static const double torn = 1e4;
    for (int b = 0; b < vvWorldBodyCount(world); b++) {
        const vvBodyId body = vvWorldBody(world, b);
        int first = 0, count = 0;
        vvBodyNodes(world, body, &first, &count);
        const double now = diagonal(vvWorldPositions(world), first, count),
                     rest = diagonal(vvWorldRestPositions(world), first, count);
        if (now <= torn * rest || rest == 0)
            continue;
        error->status = VV_ERROR_SOLVER;
        snprintf(error->message, sizeof error->message,
                 "settle: no static equilibrium: \"%s\" is %.2g times its size at rest: nothing holds it together",
                 vvBodyName(world, body), now / rest);
        return VV_ERROR_SOLVER;
    }
    return VV_OK;
}

/* From one equilibrium to the next, `seconds` later, in one load step. */
static vvStatus one_step(progress *p, double seconds, vvError *error)
{
    vvWorld *world = p->over->world;
    vvStepReport report;
    vvStatus status = vvWorldSetTimeStep(world, seconds, error);
    if (status == VV_OK)
        status = vvWorldStep(world, &report, error);
    if (status == VV_OK)
        status = check_size(world, error);
    if (status == VV_OK)
        status = vvWorldSettle(world, true, NULL, error);
    if (status == VV_OK) /* the row is that of the equilibrium */
        status = vvWorldBookChange(world, error);
    if (status == VV_OK && p->writer)
        status = vvRunAddStep(p->writer, world, &report, error);
    p->steps += status == VV_OK;
    return status;
}

/* The same in as many load steps as it takes. */
static vvStatus advance(progress *p, double seconds, int halvings, vvError *error)
{
    vvWorld *world = p->over->world;
    vvSnapshot *before = NULL;
    vvStatus status = vvWorldSnapshot(world, &before, error);
    if (status != VV_OK)
        return status;
    vvError why;
    status = one_step(p, seconds, error);
    if (status != VV_OK && vvWorldRestore(world, before, &why) != VV_OK)
        *error = why, status = why.status;
    if (status == VV_ERROR_SOLVER && halvings < MOST_HALVINGS) {
        status = VV_OK;
        for (int half = 0; half < 2 && status == VV_OK; half++)
            status = advance(p, 0.5 * seconds, halvings + 1, error);
    }
    vvSnapshotDestroy(before);
    return status;
}

static vvStatus put(progress *p, vvError *error)
{
    vvWorld *world = p->over->world;
    vvLedgerRow row;
    char time[VV_TEXT], moved[VV_TEXT], energy[VV_TEXT];
    vvStatus status = vvWorldLedger(world, &row, error);
    if (status != VV_OK)
        return status;
    printf("t = %-10s farthest node moved %-12s energy %-12s %d load steps\n",
           vv_text_quantity(time, vvWorldTime(world), "s"), vv_text_quantity(moved, farthest(p), "m"),
           vv_text_quantity(energy, row.total, "J"), p->steps);
    fflush(stdout);
    p->shown = vvWorldTime(world);
    return p->writer ? vvRunAddFrame(p->writer, world, error) : VV_OK;
}

static vvStatus follow(progress *p, vvError *error)
{
    const vv_settle_over *over = p->over;
    vvStatus status = vvWorldSetTimeStep(over->world, over->interval, error);
    if (status == VV_OK)
        status = vvWorldSettle(over->world, true, NULL, error);
    if (status == VV_OK) /* gaps of the start may have changed */
        status = vvWorldBake(over->world, error);
    if (status == VV_OK && over->output)
        status = vvRunCreate(over->output, over->world, vvSceneName(over->scene), vvSceneText(over->scene), &p->writer,
                             error);
    for (int k = 0; k <= over->count && status == VV_OK; k++) {
        vv_cli_phase("settle: %d of %d", k, over->count);
        status = k == 0 ? VV_OK : advance(p, over->interval, 0, error);
        vv_cli_phase(NULL);
        if (status == VV_OK)
            status = put(p, error);
    }
    return status;
}

/* Where the path ends: the last equilibrium that there is. */
static void put_last(progress *p)
{
    vvError error = { 0 };
    vv_cli_warn("no equilibrium was found after t = %.6g s, not even in load steps of 1/%d of %g s",
                vvWorldTime(p->over->world), 1 << MOST_HALVINGS, p->over->interval);
    if (vvWorldTime(p->over->world) > p->shown)
        put(p, &error);
}

int vv_settle_over_keys(const vv_settle_over *over)
{
    vvError error = { 0 }, why = { 0 };
    const size_t bytes = 3 * (size_t)vvWorldNodeCount(over->world) * sizeof(double);
    progress p = { .over = over, .begin = malloc(bytes) };
    if (!p.begin)
        return vv_cli_wrong("out of memory");
    memcpy(p.begin, vvWorldPositions(over->world), bytes);
    if (over->output && !vv_cli_make_folders(over->output)) {
        free(p.begin);
        return VV_EXIT_FAILED;
    }
    vvStatus status = follow(&p, &error);
    const bool all = status == VV_OK;
    if (status == VV_ERROR_SOLVER && p.steps > 0)
        put_last(&p);
    if (p.writer) {
        vvStatus closed = vvRunClose(p.writer, all ? "done" : "failed", &why);
        if (all && closed != VV_OK)
            status = closed, error = why;
    }
    free(p.begin);
    if (over->output && p.writer)
        printf("equilibria: %s\n", over->output);
    return status == VV_OK ? VV_EXIT_OK : vv_cli_error(&error);
}
