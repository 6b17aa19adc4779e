/* A game's scene under a seeded script: game_steps KEY=VALUE ... steps four soft bodies and a curtain on a height field
 * at 1/60 s, with drags, throws, spawns and removals, and prints a line of JSON: processor time of frames (what the
 * script asks of the world, and the step), iterations, and how good the motion is. With dump=FILE each frame's
 * milliseconds go there, a line a frame, and what the script did. With far=1 a box and a joint come and go eight metres
 * away. With throw=SPEED a ball is thrown up at so many m/s in place of the script, and its apex measured.
 * experiments/real-time/game.py runs it for every real-time solver and makes the table of docs/real-time.md.
 *
 * Solvers that bodies must not touch under (local-global, xpbd) have ARAP bodies on contact springs, a filter between
 * them, and local-global a curtain of springs. */
#include <visviva/visviva.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { GRID = 65, SOFT = 4, CYCLE = 150, MOST_STEPS = 1000000 };
enum { GRAB = 60, REST = 75, THROW = 90, LET_GO = 110 }; /* steps of a cycle */
static const double H = 1.0 / 60;

typedef struct options {
    const char *method, *policy, *dump;
    int budget, threads, steps, far;
    unsigned seed;
    double throw;
    double budget_ms;
    bool apart; /* the solver does not let bodies touch each other */
} options;

typedef struct measured {
    double *ms;
    /* per step, what the script did: b, a body came or went; f, one far away; s, a sphere far away; j, a joint far
     * away; d, a drag began or ended */
    char *by_script;
    long iterations, failed, factors, capped, held;
    double least_gap, least_j, off_hand, apex;
    int worst, crossings, below; /* below: frames in which a body's centre was under the ground */
} measured;

typedef struct game {
    vvWorld *w;
    vvMesh shot, crate; /* of bodies that come: a game has them ready */
    vvBodyId soft[SOFT], ball, far;
    vvJointId joint;
    vvObstacleId sphere;
    vvDragId hand;
    double from[3], to[3]; /* of the hand */
    char changed;
    uint64_t random;
    vvError error;
    double heights[GRID * GRID];
    double home[SOFT][3];
} game;

static void check(game *g, vvStatus status, const char *what)
{
    if (status == VV_OK)
        return;
    fprintf(stderr, "game_steps: %s: %s\n", what, g->error.message);
    exit(1);
}

static double processor_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* splitmix64, as 0 to 1 */
static double chance(game *g)
{
    uint64_t z = g->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* ---- the scene ---- */

static vvBodyDef body_of(const vvMesh *mesh, const char *model, double young, const double at[3])
{
    vvBodyDef b = vvDefaultBodyDef();
    b.mesh = mesh;
    b.material.model = model, b.material.young = young, b.material.poisson = 0.35;
    b.material.damping.momentumRate = 1;
    memcpy(b.translate, at, sizeof b.translate);
    return b;
}

static vvBodyId add_mesh(game *g, const options *o, const vvMesh *mesh, double young, const double at[3])
{
    vvBodyId id;
    vvBodyDef b = body_of(mesh, o->apart ? "arap" : "neo-hookean", young, at);
    if (o->apart)
        b.filter.group = -1;
    check(g, vvWorldAddBody(g->w, &b, &id, &g->error), "body");
    return id;
}

static vvBodyId add_soft(game *g, const options *o, const char *shape, const vvSetting *settings, int count,
                         double young, const double at[3])
{
    vvMesh mesh = { 0 };
    check(g, vvMeshGenerate(shape, settings, count, &mesh, &g->error), shape);
    const vvBodyId id = add_mesh(g, o, &mesh, young, at);
    vvMeshDestroy(&mesh);
    return id;
}

static void add_curtain(game *g, const options *o)
{
    vvMesh mesh = { 0 };
    vvBodyId id;
    check(g,
          vvMeshGenerate("sheet", (vvSetting[]){ { "size", { 1.2, 0.8 } }, { "edge", { 0.05 } } }, 2, &mesh, &g->error),
          "sheet");
    vvBodyDef b = body_of(&mesh, "stvk-membrane", 2e5, (double[]){ 0, 0.85, -0.7 });
    b.name = "curtain", b.rotate[0] = 90, b.thickness = 2e-3;
    b.material.thickness = 1e-3, b.material.density = 300;
    b.material.damping.momentumRate = 0, b.material.damping.drag = 0.3;
    vvMaterialDef bend = b.material;
    bend.model = "hinge", bend.damping = (vvDampingDef){ 0 };
    b.moreMaterials = &bend, b.moreMaterialCount = 1;
    if (o->apart)
        b.filter.group = -1;
    if (!strcmp(o->method, "local-global")) {
        b.material.model = "hooke", b.material.thickness = 0, b.material.density = 0.3;
        b.material.springStiffness = 200, b.moreMaterialCount = 0;
    }
    check(g, vvWorldAddBody(g->w, &b, &id, &g->error), "curtain");
    vvAttachDef a = vvDefaultAttachDef();
    a.where.kind = VV_REGION_PERCENT;
    a.where.a[1] = 97;
    a.where.b[0] = a.where.b[1] = a.where.b[2] = 100;
    check(g, vvBodyAttach(g->w, id, &a, NULL, &g->error), "curtain");
    vvMeshDestroy(&mesh);
}

static void add_ground(game *g)
{
    for (int j = 0; j < GRID; j++)
        for (int i = 0; i < GRID; i++) {
            const double x = (i - 32) / 32., z = (j - 32) / 32.;
            g->heights[GRID * j + i] = 0.12 * (x * x + z * z) + 0.03 * sin(9 * x) * cos(7 * z);
        }
    vvObstacleDef d = vvDefaultObstacleDef();
    d.type = "heightfield", d.settings = (vvSetting[]){ { "size", { 4, 4 } } }, d.settingCount = 1,
    d.samples = g->heights;
    d.sampleCounts[0] = d.sampleCounts[1] = GRID;
    check(g, vvWorldAddObstacle(g->w, &d, NULL, &g->error), "ground");
}

static void build(game *g, const options *o)
{
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = H, d.threads = o->threads;
    d.integrator.policy = o->policy, d.integrator.groundMode = VV_GROUND_NONE;
    d.solver.method = o->method;
    if (strcmp(o->method, "newton"))
        d.solver.budget = o->budget;
    d.contact.friction = 0.5;
    d.solver.budgetMs = o->budget_ms;
    if (o->apart) {
        d.contact.model = "springs", d.contact.springs.form = "following", d.contact.springs.stiffness = 2e6;
        d.contact.self = false;
    }
    check(g, vvWorldCreate(&d, &g->w, &g->error), "world");
    add_ground(g);
    static const double home[SOFT][3] = { { -0.5, 0.6, 0 }, { 0.1, 0.7, 0.1 }, { 0.6, 0.6, 0 }, { 0, 0.3, -0.3 } };
    memcpy(g->home, home, sizeof home);
    g->soft[0] = add_soft(g, o, "ball", (vvSetting[]){ { "radius", { 0.15 } }, { "cells", { 4 } } }, 2, 3e4, home[0]);
    g->soft[1] =
        add_soft(g, o, "torus", (vvSetting[]){ { "radius", { 0.14 } }, { "tube", { 0.055 } }, { "cells", { 3, 24 } } },
                 3, 4e4, home[1]);
    g->soft[2] = add_soft(g, o, "box", (vvSetting[]){ { "size", { 0.25, 0.25, 0.25 } }, { "cells", { 5, 5, 5 } } }, 2,
                          4e4, home[2]);
    g->soft[3] =
        add_soft(g, o, "critter", (vvSetting[]){ { "height", { 0.4 } }, { "edge", { 0.045 } } }, 2, 4e4, home[3]);
    add_curtain(g, o);
    check(g, vvMeshGenerate("ball", (vvSetting[]){ { "radius", { 0.1 } }, { "cells", { 3 } } }, 2, &g->shot, &g->error),
          "ball");
    check(g,
          vvMeshGenerate("box", (vvSetting[]){ { "size", { 0.2, 0.2, 0.2 } }, { "cells", { 2, 2, 2 } } }, 2, &g->crate,
                         &g->error),
          "box");
    check(g, vvWorldBake(g->w, &g->error), "bake");
}

/* ---- what the player does ---- */

/* A ray from above the near edge of the ground to the body's centre. */
static void grab(game *g, int which)
{
    vvBodyMeasures m;
    vvRay ray = vvDefaultRay();
    vvRayHit hit;
    bool found = false;
    check(g, vvBodyMeasure(g->w, g->soft[which], &m, &g->error), "measure");
    const double eye[3] = { 0, 1.3, 3.2 };
    for (int k = 0; k < 3; k++)
        ray.origin[k] = eye[k], ray.direction[k] = m.centre[k] - eye[k];
    check(g, vvWorldCastRay(g->w, &ray, &hit, &found, &g->error), "ray");
    if (!found || !hit.body.index1)
        return;
    vvDragDef d = vvDragAtHit(&hit);
    check(g, vvWorldStartDrag(g->w, &d, &g->hand, &g->error), "drag");
    g->changed = 'd';
    memcpy(g->from, hit.point, sizeof g->from);
    const double turn = 6.283185307 * chance(g), far = 0.3 + 0.5 * chance(g);
    const double way[3] = { far * cos(turn), 0.4 + 0.5 * chance(g), 0.5 * far * sin(turn) };
    for (int k = 0; k < 3; k++)
        g->to[k] = g->from[k] + way[k];
    g->to[0] = fmax(-1, fmin(1, g->to[0])), g->to[2] = fmax(-0.9, fmin(0.9, g->to[2]));
}

/* Every third time the hand stops, is still for a while and lets go; else it throws. */
static void drag(game *g, int c, int cycle, measured *m)
{
    if (!vvDragIsValid(g->w, g->hand))
        return;
    const int stays = cycle % 3 == 2, stop = stays ? REST : THROW;
    const double part = fmin(1, (double)(c - GRAB) / (double)(stop - GRAB));
    double target[3], now[3], far = 0;
    for (int k = 0; k < 3; k++)
        target[k] = g->from[k] + part * (g->to[k] - g->from[k]);
    if (stays && c == LET_GO - 5 && vvDragGetPoint(g->w, g->hand, now)) {
        for (int k = 0; k < 3; k++)
            far += (now[k] - target[k]) * (now[k] - target[k]);
        m->off_hand = fmax(m->off_hand, sqrt(far)), m->held++;
    }
    if (c == (stays ? LET_GO : THROW)) {
        check(g, vvWorldEndDrag(g->w, g->hand, &g->error), "let go");
        g->changed = 'd';
    } else if (c <= stop)
        check(g, vvWorldMoveDrag(g->w, g->hand, target, &g->error), "move");
}

static int overlaps(game *g, const double at[3], double radius)
{
    vvOverlap o = vvDefaultOverlap();
    int count = 0;
    o.kind = VV_SHAPE_SPHERE, o.radius = radius;
    memcpy(o.center, at, sizeof o.center);
    check(g, vvWorldOverlapBodies(g->w, &o, NULL, 0, &count, &g->error), "overlap");
    return count;
}

static void come_and_go(game *g, const options *o, int c, int cycle)
{
    const double at[3] = { chance(g) - 0.5, 1.2, 0.6 * chance(g) };
    if (c == 100 && cycle % 2 == 0 && !overlaps(g, at, 0.13))
        g->ball = add_mesh(g, o, &g->shot, 3e4, at), g->changed = 'b';
    if (c == 50 && vvBodyIsValid(g->w, g->ball)) {
        check(g, vvWorldRemoveBody(g->w, g->ball, &g->error), "remove");
        g->changed = 'b';
    }
    if (c == 120 || (c == 135 && vvObstacleIsValid(g->w, g->sphere)))
        g->changed = 's';
    if (c == 120) {
        vvObstacleDef d = vvDefaultObstacleDef();
        d.type = "sphere", d.settings = (vvSetting[]){ { "center", { 10, 0, 0 } }, { "radius", { 0.1 } } },
        d.settingCount = 2;
        check(g, vvWorldAddObstacle(g->w, &d, &g->sphere, &g->error), "sphere");
    }
    if (c == 135 && vvObstacleIsValid(g->w, g->sphere))
        check(g, vvWorldRemoveObstacle(g->w, g->sphere, &g->error), "sphere");
}

/* Eight metres away: a box comes, then a joint that holds it; both go. */
static void far_away(game *g, const options *o, int c)
{
    const double at[3] = { 8, 1, 0 };
    if (c == 10)
        g->far = add_mesh(g, o, &g->crate, 3e4, at), g->changed = 'f';
    if (c == 20 && !o->apart) { /* solvers of constraints have no joints */
        vvJointDef d = vvDefaultJointDef();
        d.kind = "ball", d.bodies[0] = g->far, d.now = true;
        vvBodyMeasures now;
        check(g, vvBodyMeasure(g->w, g->far, &now, &g->error), "measure");
        memcpy(d.at, now.centre, sizeof d.at);
        check(g, vvWorldAddJoint(g->w, &d, &g->joint, &g->error), "joint"), g->changed = 'j';
    }
    if (c == 30 && vvJointIsValid(g->w, g->joint))
        check(g, vvWorldRemoveJoint(g->w, g->joint, &g->error), "joint"), g->changed = 'j';
    if (c == 40 && vvBodyIsValid(g->w, g->far))
        check(g, vvWorldRemoveBody(g->w, g->far, &g->error), "box"), g->changed = 'f';
}

/* What has left the ground comes back where it began. */
static void bring_back(game *g)
{
    for (int b = 0; b < SOFT; b++) {
        vvBodyMeasures m;
        int first, count;
        check(g, vvBodyMeasure(g->w, g->soft[b], &m, &g->error), "measure");
        if (m.centre[1] > -1)
            continue;
        vvBodyNodes(g->w, g->soft[b], &first, &count);
        const double *rest = vvWorldRestPositions(g->w) + 3 * first;
        double *x = malloc((size_t)count * 3 * sizeof *x), *v = calloc((size_t)count * 3, sizeof *v);
        memcpy(x, rest, (size_t)count * 3 * sizeof *x);
        for (int i = 0; i < count; i++)
            x[3 * i + 1] += 0.9;
        if (!overlaps(g, (double[]){ g->home[b][0], g->home[b][1] + 0.9, g->home[b][2] }, 0.3))
            check(g, vvBodySetState(g->w, g->soft[b], x, v, &g->error), "bring back");
        free(x);
        free(v);
    }
}

/* The ball flies up from where it lies after a second; its way up is measured. */
static void throw_up(game *g, const options *o, int step, measured *m)
{
    vvBodyMeasures now;
    const vvBodyId ball = g->soft[0];
    check(g, vvBodyMeasure(g->w, ball, &now, &g->error), "measure");
    if (step == GRAB) {
        int first, count;
        vvBodyNodes(g->w, ball, &first, &count);
        double *v = calloc((size_t)count * 3, sizeof *v);
        for (int i = 0; v && i < count; i++)
            v[3 * i + 1] = o->throw;
        check(g, vvBodySetState(g->w, ball, vvWorldPositions(g->w) + 3 * first, v, &g->error), "throw");
        free(v);
        g->from[1] = now.centre[1];
    }
    if (step >= GRAB)
        m->apex = fmax(m->apex, now.centre[1] - g->from[1]);
}

static void play(game *g, const options *o, int step, measured *m)
{
    const int c = step % CYCLE, cycle = step / CYCLE;
    if (o->throw > 0) {
        throw_up(g, o, step, m);
        return;
    }
    come_and_go(g, o, c, cycle);
    if (o->far)
        far_away(g, o, c);
    if (c == GRAB)
        grab(g, (int)(SOFT * chance(g)) % SOFT);
    else if (c > GRAB)
        drag(g, c, cycle, m);
    bring_back(g);
}

/* ---- measuring ---- */

static int compare(const void *a, const void *b)
{
    const double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}

/* Whether the body's centre is under the ground, within its rectangle. */
static bool is_below(game *g, vvBodyId body)
{
    vvBodyMeasures now;
    check(g, vvBodyMeasure(g->w, body, &now, &g->error), "measure");
    const double x = now.centre[0] / 2 * 32 + 32, z = now.centre[2] / 2 * 32 + 32;
    if (!(x >= 0 && x < GRID - 1 && z >= 0 && z < GRID - 1))
        return false;
    return now.centre[1] < g->heights[GRID * (int)z + (int)x] - 0.05;
}

static void look(game *g, int step, const vvStepReport *r, const options *o, measured *m)
{
    vvLedgerRow row;
    check(g, vvWorldLedger(g->w, &row, &g->error), "ledger");
    m->iterations += r->newtonIterations, m->factors += r->factors;
    m->least_gap = fmin(m->least_gap, row.minGap), m->least_j = fmin(m->least_j, row.minJ);
    if (m->ms[step] > m->ms[m->worst])
        m->worst = step;
    m->capped += r->capped;
    for (int b = 0; b < SOFT; b++)
        m->below += is_below(g, g->soft[b]);
    m->by_script[step] = g->changed, g->changed = 0;
    if (step % 10 == 0 && !o->apart) {
        int count = 0;
        check(g, vvWorldFindIntersections(g->w, NULL, 0, &count, &g->error), "intersections");
        m->crossings += count;
    }
}

/* What the player does and the step, which are timed together. On its own, so that a profiler can be told to count it
 * alone (game.py --instructions). */
__attribute__((noinline)) vvStatus game_frame(game *g, const options *o, int s, measured *m, vvStepReport *r)
{
    play(g, o, s, m);
    return vvWorldStep(g->w, r, &g->error);
}

static void run(game *g, const options *o, measured *m)
{
    for (int s = 0; s < o->steps; s++) {
        vvStepReport r = { 0 };
        const double begin = processor_ms();
        vvStatus status = game_frame(g, o, s, m, &r);
        m->ms[s] = processor_ms() - begin;
        if (status == VV_OK)
            look(g, s, &r, o, m);
        else if (m->failed++ < 3)
            fprintf(stderr, "step %d: %s\n", s, g->error.message);
    }
}

static void print(const game *g, const options *o, const measured *m)
{
    const size_t n = (size_t)o->steps;
    double *sorted = malloc(n * sizeof *sorted), mean = 0;
    vvLedgerTotals totals;
    memcpy(sorted, m->ms, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare);
    for (size_t i = 0; i < n; i++)
        mean += m->ms[i] / (double)n;
    vvWorldTotals(g->w, &totals);
    printf("{\"method\": \"%s\", \"budget\": %d, \"threads\": %d, \"steps\": %d, \"seed\": %u, \"median_ms\": %.3f, "
           "\"mean_ms\": %.3f, \"p90_ms\": %.3f, \"p99_ms\": %.3f, \"worst_ms\": %.3f, \"worst_step\": %d, "
           "\"iterations\": %.2f, \"failed\": %ld, \"factors\": %ld, \"least_gap_m\": %.3g, \"least_det_F\": %.4f, "
           "\"crossings\": %d, \"off_hand_m\": %.4f, \"held\": %ld, \"capped\": %ld, \"divided\": %lld, \"error_J\": "
           "%.4g, \"below_ground\": %d, \"apex_m\": %.4f}\n",
           o->method, o->budget, o->threads, o->steps, o->seed, sorted[n / 2], mean, sorted[n * 9 / 10],
           sorted[n * 99 / 100], sorted[n - 1], m->worst, (double)m->iterations / (double)n, m->failed, m->factors,
           m->least_gap, m->least_j, m->crossings, m->off_hand, m->held, m->capped, (long long)totals.dividedSteps,
           totals.error, m->below, m->apex);
    free(sorted);
    if (!o->dump)
        return;
    FILE *file = fopen(o->dump, "w");
    for (size_t i = 0; file && i < n; i++)
        fprintf(file, "%.3f %c\n", m->ms[i], m->by_script[i] ? m->by_script[i] : '-');
    if (file)
        fclose(file);
}

static int read_option(options *o, const char *text)
{
    const char *value = strchr(text, '=');
    const size_t length = value ? (size_t)(value++ - text) : 0;
#define IS(name) (length == strlen(name) && !strncmp(text, name, length))
    if (IS("method"))
        o->method = value;
    else if (IS("policy"))
        o->policy = value;
    else if (IS("dump"))
        o->dump = value;
    else if (IS("budget"))
        o->budget = atoi(value);
    else if (IS("threads"))
        o->threads = atoi(value);
    else if (IS("steps"))
        o->steps = atoi(value);
    else if (IS("far"))
        o->far = atoi(value);
    else if (IS("throw"))
        o->throw = atof(value);
    else if (IS("seed"))
        o->seed = (unsigned)atoi(value);
    else if (IS("budget_ms"))
        o->budget_ms = atof(value);
    else
        return 0;
#undef IS
    return o->steps > 0 && o->steps <= MOST_STEPS;
}

int main(int argc, char **argv)
{
    options o = { .method = "lbfgs", .policy = "none", .budget = 5, .threads = 1, .steps = 1000, .seed = 1 };
    static game g;
    for (int i = 1; i < argc; i++)
        if (!read_option(&o, argv[i]))
            return fprintf(
                       stderr,
                       "game_steps: what is \"%s\"? KEY=VALUE, of method, policy, budget, budget_ms, threads, steps, "
                       "far, throw, seed, dump\n",
                       argv[i]),
                   2;
    o.apart = !strcmp(o.method, "local-global") || !strncmp(o.method, "xpbd", 4);
    measured m = { .ms = calloc((size_t)o.steps, sizeof *m.ms),
                   .by_script = calloc((size_t)o.steps, 1),
                   .least_gap = INFINITY,
                   .least_j = INFINITY };
    g.random = o.seed;
    build(&g, &o);
    run(&g, &o, &m);
    print(&g, &o, &m);
    vvWorldDestroy(g.w);
    vvMeshDestroy(&g.shot);
    vvMeshDestroy(&g.crate);
    free(m.ms);
    free(m.by_script);
    return 0;
}
