/* Sixteen worlds in one game loop: in each a soft ball is dropped and thrown about, at a bounded number of iterations.
 *
 * A solve takes at most BUDGET iterations, contact included, so that a step's cost varies little; it still does vary,
 * as the policy may solve once more and search, and contact takes what there is to touch. All worlds together have to
 * take less than STEP, or the loop drops what it cannot make up for, counts that as late and lets the worlds run
 * slower than the clock for a while. Worlds share nothing: a host with a job system steps each of them as a job of
 * its own.
 *
 *   example_arena [SECONDS]      default 2 s; exit code 1 if anything goes wrong, or more than a tenth of the steps
 *       fail */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <visviva/visviva.h>

#define STEP (1.0 / 60)
enum { WORLDS = 16, MOST_STEPS = 4, BUDGET = 8 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static vvStatus build(int i, vvWorld **world, vvError *error)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.timeStep = STEP;
    def.threads = 1; /* 16 worlds are enough to keep all cores busy */
    def.integrator.scheme = "implicit-midpoint";
    /* mixes in some of a backward or forward Euler step, to bring the energy to its target */
    def.integrator.policy = "blend";
    def.integrator.groundMode = VV_GROUND_NONE;
    def.solver.method = "block-descent"; /* a fixed budget with contact that lets nothing through */
    def.solver.budget = BUDGET;
    vvStatus status = vvWorldCreate(&def, world, error);
    vvObstacleDef ground = vvDefaultObstacleDef();
    if (status == VV_OK)
        status = vvWorldAddObstacle(*world, &ground, NULL, error);
    vvMesh mesh = { 0 };
    const vvSetting radius = { .name = "radius", .value = { 0.1 } }, cells = { .name = "cells", .value = { 3 } };
    const vvSetting shape[] = { radius, cells }, velocity = { .name = "velocity", .value = { 0.5, 0, 0 } }; /* m/s */
    if (status == VV_OK)
        status = vvMeshGenerate("ball", shape, 2, &mesh, error);
    if (status != VV_OK)
        return status;
    vvBodyDef ball = vvDefaultBodyDef();
    ball.mesh = &mesh;
    ball.material.young = 2e4 * (1 + i); /* Pa: from a jelly to a tyre */
    ball.translate[1] = 0.3 + 0.05 * i;
    vvBodyId id;
    status = vvWorldAddBody(*world, &ball, &id, error);
    vvMeshDestroy(&mesh);
    if (status == VV_OK)
        status = vvBodySetInitialState(*world, id, "linear", &velocity, 1, error);
    return status == VV_OK ? vvWorldBake(*world, error) : status;
}

/* One step of all worlds. A world whose step fails stays as it was, which is counted: the game goes on without it. */
static vvStatus step_all(vvWorld *const world[WORLDS], int *failed, vvError *error)
{
    for (int i = 0; i < WORLDS; i++) {
        vvStatus status = vvWorldStep(world[i], NULL, error);
        if (status == VV_ERROR_SOLVER)
            ++*failed;
        else if (status != VV_OK)
            return status;
    }
    return VV_OK;
}

int main(int argc, char **argv)
{
    const double seconds = argc > 1 ? atof(argv[1]) : 2;
    vvWorld *world[WORLDS] = { NULL };
    vvError error = { 0 };
    vvStatus status = VV_OK;
    int steps = 0, late = 0, frames = 0, failed = 0;
    for (int i = 0; i < WORLDS && status == VV_OK; i++)
        status = build(i, world + i, &error);
    double *drawn = status == VV_OK ? calloc(3 * (size_t)vvWorldNodeCount(world[0]), sizeof *drawn) : NULL;
    if (status == VV_OK && !drawn) {
        status = VV_ERROR_MEMORY;
        snprintf(error.message, sizeof error.message, "out of memory");
    }
    const double start = now();
    for (double clock = start, accumulator = 0; status == VV_OK && clock - start < seconds; frames++) {
        const double time = now();
        accumulator += time - clock;
        clock = time;
        for (int i = 0; accumulator >= STEP && status == VV_OK; i++, steps++) {
            if (i == MOST_STEPS) { /* no spiral: what cannot be made up for is dropped */
                accumulator = fmod(accumulator, STEP), late++;
                break;
            }
            status = step_all(world, &failed, &error);
            accumulator -= STEP;
        }
        /* what a renderer would upload: between the last two steps */
        for (int i = 0; i < WORLDS && status == VV_OK; i++)
            status = vvWorldInterpolate(world[i], accumulator / STEP, drawn, &error);
        const double left = time + 1.0 / 144 - now();
        if (left > 0)
            nanosleep(&(struct timespec){ 0, (long)(1e9 * left) }, NULL);
    }
    for (int i = 0; i < WORLDS && status == VV_OK; i += 5) {
        vvBodyMeasures state;
        vvLedgerTotals totals;
        vvWorldTotals(world[i], &totals);
        status = vvBodyMeasure(world[i], vvWorldBody(world[i], 0), &state, &error);
        printf("world %2d: ball at (%+.2f, %.2f, %+.2f) m, numerical error %+.2g J\n", i, state.centre[0],
               state.centre[1], state.centre[2], totals.error);
    }
    if (status == VV_OK)
        printf("%d frames, %d steps of %d worlds, late %d times; %d of %d world steps failed\n", frames, steps, WORLDS,
               late, failed, steps * WORLDS);
    else
        fprintf(stderr, "arena: %s: %s\n", vvStatusName(status), error.message);
    for (int i = 0; i < WORLDS; i++)
        vvWorldDestroy(world[i]);
    free(drawn);
    return status == VV_OK && 10 * failed <= steps * WORLDS ? 0 : 1;
}
