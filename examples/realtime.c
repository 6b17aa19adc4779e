/* A game loop: a soft ball on the ground, grabbed by a ray from the camera and dragged around, in real time.
 *
 * The simulation advances by fixed steps of h, whatever the frame rate is. An accumulator carries what is left of a
 * frame's time to the next frame. What is drawn lies between the last two steps. A late frame takes at most
 * MOST_STEPS steps: the world then runs slower than the clock for a while, instead of falling further and further
 * behind.
 *
 *   example_realtime [SECONDS]                 default 3 s; prints four lines per second in place of a picture */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <visviva/visviva.h>

#define STEP (1.0 / 60)
#define FRAME (1.0 / 144) /* what the display asks for */
enum { MOST_STEPS = 4 };

typedef struct game {
    vvWorld *world;
    vvBodyId ball;
    vvDragId hand;           /* {0, 0}: nothing in it */
    double grip[3], grabbed; /* where and when it took hold */
    double *drawn;           /* nodes x 3: where the ball is drawn */
    double accumulator, clock;
    int frames, steps, late;
    vvError error;
} game;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void wait_until(double when)
{
    double left = when - now();
    if (left > 0)
        nanosleep(&(struct timespec){ (time_t)left, (long)(1e9 * (left - floor(left))) }, NULL);
}

/* ---- the world ---- */

static vvStatus build(game *g)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.timeStep = STEP;
    def.integrator.policy = "filtered-search"; /* keeps the bounce */
    /* no search for an equilibrium at the start: a game has no time for it */
    def.integrator.groundMode = VV_GROUND_NONE;
    /* limits the cost of a step; a step that is cut short is still feasible */
    def.solver.maxIterations = 8;
    vvStatus status = vvWorldCreate(&def, &g->world, &g->error);
    if (status != VV_OK)
        return status;

    vvObstacleDef ground = vvDefaultObstacleDef();
    status = vvWorldAddObstacle(g->world, &ground, NULL, &g->error);
    if (status != VV_OK)
        return status;

    vvMesh mesh = { 0 };
    const vvSetting radius = { .name = "radius", .value = { 0.1 } }, cells = { .name = "cells", .value = { 4 } };
    const vvSetting shape[] = { radius, cells }; /* m; shells of tets */
    status = vvMeshGenerate("ball", shape, 2, &mesh, &g->error);
    if (status != VV_OK)
        return status;
    vvBodyDef body = vvDefaultBodyDef();
    body.name = "ball";
    body.mesh = &mesh;
    body.material.young = 3e4;              /* Pa */
    body.material.damping.momentumRate = 1; /* 1/s: wobbling dies away, flying and turning do not */
    body.translate[1] = 0.5;
    status = vvWorldAddBody(g->world, &body, &g->ball, &g->error);
    vvMeshDestroy(&mesh);
    if (status == VV_OK)
        status = vvWorldBake(g->world, &g->error); /* now, not in the first frame */
    if (status != VV_OK)
        return status;
    g->drawn = calloc(3 * (size_t)vvWorldNodeCount(g->world), sizeof *g->drawn);
    return g->drawn ? VV_OK : VV_ERROR_MEMORY;
}

/* ---- input: here a script; in a game the mouse ---- */

/* Where the hand is at a given time after it took hold: it lifts what it holds and swings it back and forth. */
static void move_hand(const game *g, double since, double target[3])
{
    target[0] = g->grip[0] + 0.2 * sin(4 * since);
    target[1] = g->grip[1] + 0.15 * (1 - cos(3 * since));
    target[2] = g->grip[2];
}

/* The button is down from 0.8 s to 2.2 s. Pressing it grabs what the ray under the cursor hits. */
static vvStatus handle_input(game *g)
{
    double t = vvWorldTime(g->world);
    bool down = t > 0.8 && t < 2.2, holding = vvDragIsValid(g->world, g->hand);
    if (down && !holding) {
        vvRay ray = vvDefaultRay();
        ray.origin[2] = 2; /* the camera looks along -z at the middle of the ball */
        ray.origin[1] = g->drawn[1];
        ray.direction[2] = -1;
        vvRayHit hit;
        bool found = false;
        vvStatus status = vvWorldCastRay(g->world, &ray, &hit, &found, &g->error);
        if (status != VV_OK || !found || hit.body.index1 == 0)
            return status;
        vvDragDef drag = vvDefaultDragDef();
        drag.body = hit.body;
        drag.vertex = hit.node;
        drag.radius = 0.03; /* m: a handful */
        g->grabbed = t;
        for (int k = 0; k < 3; k++)
            /* the ball is the first body: its nodes begin at 0 */
            g->grip[k] = vvWorldPositions(g->world)[3 * hit.node + k];
        return vvWorldStartDrag(g->world, &drag, &g->hand, &g->error);
    }
    if (down) {
        double target[3];
        move_hand(g, t - g->grabbed, target);
        return vvWorldMoveDrag(g->world, g->hand, target, &g->error);
    }
    return holding ? vvWorldEndDrag(g->world, g->hand, &g->error) : VV_OK;
}

/* ---- the loop ---- */

/* Takes the steps that are due. A step that fails leaves the world as it was: the game goes on without it. */
static vvStatus simulate(game *g, double elapsed)
{
    g->accumulator += elapsed;
    for (int i = 0; g->accumulator >= STEP; i++) {
        if (i == MOST_STEPS) {
            g->accumulator = fmod(g->accumulator, STEP);
            g->late++;
            break;
        }
        vvStatus status = handle_input(g);
        if (status == VV_OK)
            status = vvWorldStep(g->world, NULL, &g->error);
        if (status != VV_OK && status != VV_ERROR_SOLVER)
            return status;
        g->accumulator -= STEP;
        g->steps++;
    }
    return VV_OK;
}

/* Draws between the last two steps. A renderer would upload g->drawn; the triangles (vvBodyGetElements) stay the
 * same. */
static vvStatus draw(game *g)
{
    vvStatus status = vvWorldInterpolate(g->world, g->accumulator / STEP, g->drawn, &g->error);
    if (status != VV_OK || (++g->frames % 36) != 0)
        return status;
    double low = g->drawn[1], high = low, middle = 0;
    int nodes = vvWorldNodeCount(g->world);
    for (int i = 0; i < nodes; i++) {
        low = fmin(low, g->drawn[3 * i + 1]);
        high = fmax(high, g->drawn[3 * i + 1]);
        middle += g->drawn[3 * i] / nodes;
    }
    printf("t %5.2f s  ball at x %+.3f m, from %.3f to %.3f m above the ground%s\n", vvWorldTime(g->world), middle, low,
           high, vvDragIsValid(g->world, g->hand) ? ", in the hand" : "");
    return VV_OK;
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 3;
    game g = { 0 };
    vvStatus status = build(&g);
    if (status == VV_OK)
        status = vvWorldInterpolate(g.world, 1, g.drawn, &g.error);
    double start = now();
    g.clock = start;
    while (status == VV_OK && g.clock - start < seconds) {
        double time = now();
        status = simulate(&g, time - g.clock);
        g.clock = time;
        if (status == VV_OK)
            status = draw(&g);
        wait_until(time + FRAME);
    }
    if (status == VV_OK) {
        vvLedgerTotals totals;
        vvWorldTotals(g.world, &totals);
        printf("%d frames, %d steps, %d late; work of the hand %.3f J, numerical error %.3f J\n", g.frames, g.steps,
               g.late, totals.work, totals.error);
    } else {
        fprintf(stderr, "realtime: %s: %s\n", vvStatusName(status), g.error.message);
    }
    free(g.drawn);
    vvWorldDestroy(g.world);
    return status == VV_OK ? 0 : 1;
}
