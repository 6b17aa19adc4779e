/* A small game: soft bodies on hills that the mouse picks up and throws.
 *
 *   mouse: pick up, drag, let go to throw    space: another ball    p: pause    escape: end
 *
 * The window needs SDL2. Without it, or with an argument, the game plays by itself for some seconds without a window,
 * and the exit code is 1 if anything goes wrong: so it is a test, too.
 *
 *   example_game            a window, if there is SDL2 and a display
 *   example_game SECONDS    plays by itself */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <visviva/visviva.h>

#define STEP (1.0 / 60)
enum { GRID = 33, MOST_BODIES = 12, MOST_STEPS = 3 };

static vvError error;
static double hills[GRID * GRID];
static const double EYE[3] = { 0, 1.1, 2.6 }, LOOK[3] = { 0, 0.2, 0 };

typedef struct game {
    vvWorld *world;
    vvDragId hand;
    double reach; /* m: of the hand from the eye */
    bool paused;
    double *drawn; /* positions */
} game;

/* ---- the world ---- */

static vvStatus add_ball(game *g, const char *name, const double at[3])
{
    vvMesh mesh = { 0 };
    const vvSetting radius = { .name = "radius", .value = { 0.13 } }, cells = { .name = "cells", .value = { 3 } };
    const vvSetting shape[] = { radius, cells };
    vvStatus status = vvMeshGenerate("ball", shape, 2, &mesh, &error);
    vvBodyDef b = vvDefaultBodyDef();
    b.mesh = &mesh, b.name = name;
    b.material.model = "neo-hookean", b.material.young = 3e4, b.material.poisson = 0.35;
    b.material.damping.momentumRate = 1;
    memcpy(b.translate, at, sizeof b.translate);
    if (status == VV_OK)
        status = vvWorldAddBody(g->world, &b, NULL, &error);
    vvMeshDestroy(&mesh);
    return status;
}

static vvStatus add_hills(game *g)
{
    vvObstacleDef d = vvDefaultObstacleDef();
    for (int k = 0; k < GRID; k++)
        for (int i = 0; i < GRID; i++) {
            const double x = (i - 16) / 16.0, z = (k - 16) / 16.0;
            hills[GRID * k + i] = 0.3 * (x * x + z * z) + 0.03 * sin(7 * x) * cos(5 * z);
        }
    d.name = "hills", d.type = "heightfield", d.samples = hills;
    d.sampleCounts[0] = d.sampleCounts[1] = GRID;
    d.settings = (vvSetting[]){ { .name = "size", .value = { 3, 3 } } }, d.settingCount = 1;
    return vvWorldAddObstacle(g->world, &d, NULL, &error);
}

static vvStatus build(game *g)
{
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = STEP, d.threads = 1;
    d.integrator.groundMode = VV_GROUND_NONE;
    d.solver.method = "lbfgs", d.solver.budget = 5; /* nothing passes through anything, whatever the budget */
    d.contact.friction = 0.5;
    vvStatus status = vvWorldCreate(&d, &g->world, &error);
    if (status == VV_OK)
        status = add_hills(g);
    if (status == VV_OK)
        status = add_ball(g, "left", (double[]){ -0.4, 0.35, 0 });
    if (status == VV_OK)
        status = add_ball(g, "right", (double[]){ 0.4, 0.35, 0 });
    return status == VV_OK ? vvWorldBake(g->world, &error) : status;
}

/* ---- what the player does ---- */

static void towards(const double at[3], double direction[3])
{
    double length = 0;
    for (int k = 0; k < 3; k++) {
        direction[k] = at[k] - EYE[k];
        length += direction[k] * direction[k];
    }
    for (int k = 0; k < 3; k++)
        direction[k] /= sqrt(length);
}

/* Takes hold of the body that is seen in that direction. */
static vvStatus pick_up(game *g, const double direction[3])
{
    vvRay ray = vvDefaultRay();
    vvRayHit hit;
    bool found = false;
    memcpy(ray.origin, EYE, sizeof ray.origin);
    memcpy(ray.direction, direction, sizeof ray.direction);
    vvStatus status = vvWorldCastRay(g->world, &ray, &hit, &found, &error);
    if (status != VV_OK || !found || !vvBodyIsValid(g->world, hit.body))
        return status;
    vvDragDef drag = vvDragAtHit(&hit);
    g->reach = hit.distance;
    return vvWorldStartDrag(g->world, &drag, &g->hand, &error);
}

static vvStatus move_hand(game *g, const double direction[3])
{
    double target[3];
    for (int k = 0; k < 3; k++)
        target[k] = EYE[k] + g->reach * direction[k];
    return vvDragIsValid(g->world, g->hand) ? vvWorldMoveDrag(g->world, g->hand, target, &error) : VV_OK;
}

static vvStatus let_go(game *g)
{
    return vvDragIsValid(g->world, g->hand) ? vvWorldEndDrag(g->world, g->hand, &error) : VV_OK;
}

/* Another ball, where there is room for it. */
static vvStatus spawn(game *g)
{
    vvOverlap place = vvDefaultOverlap();
    int count = 0;
    place.kind = VV_SHAPE_SPHERE, place.radius = 0.15, place.center[1] = 1;
    vvStatus status = vvWorldOverlapBodies(g->world, &place, NULL, 0, &count, &error);
    if (status != VV_OK || count > 0 || vvWorldBodyCount(g->world) >= MOST_BODIES)
        return status;
    return add_ball(g, NULL, place.center);
}

/* One frame: the steps that its time holds, and what is to be drawn. */
static vvStatus frame(game *g, double seconds)
{
    double fraction = 1;
    vvStatus status = g->paused ? VV_OK : vvWorldAdvance(g->world, seconds, MOST_STEPS, NULL, &fraction, &error);
    double *drawn = status == VV_OK ? realloc(g->drawn, 3 * (size_t)vvWorldNodeCount(g->world) * sizeof *drawn) : NULL;
    if (!drawn)
        return status == VV_OK ? VV_ERROR_MEMORY : status;
    g->drawn = drawn;
    return g->paused && vvWorldStepIndex(g->world) > 0 ? VV_OK : vvWorldInterpolate(g->world, fraction, drawn, &error);
}

/* ---- without a window ---- */

static double height_of(const game *g, const char *name)
{
    vvBodyMeasures m = { 0 };
    (void)vvBodyMeasure(g->world, vvWorldFindBody(g->world, name), &m, NULL);
    return m.centre[1];
}

/* Lifts the left ball and throws it, adds a ball, pauses for a while. */
static vvStatus play(game *g, int k, double *highest)
{
    vvBodyMeasures m;
    double direction[3];
    vvStatus status = VV_OK;
    if (k == 60) {
        status = vvBodyMeasure(g->world, vvWorldFindBody(g->world, "left"), &m, &error);
        towards(m.centre, direction);
        status = status == VV_OK ? pick_up(g, direction) : status;
    } else if (k > 60 && k < 90) {
        towards((double[]){ -0.4, 0.2 + 0.03 * (k - 60), 0 }, direction);
        status = move_hand(g, direction);
    } else if (k == 90) {
        status = let_go(g);
    } else if (k == 120) {
        status = spawn(g);
    }
    g->paused = k >= 150 && k < 170;
    *highest = fmax(*highest, height_of(g, "left"));
    return status;
}

static int play_alone(game *g, double seconds)
{
    const double start = height_of(g, "left");
    double highest = start;
    int64_t paused_at = 0;
    vvStatus status = VV_OK;
    for (int k = 0; status == VV_OK && k < seconds * 60; k++) {
        status = play(g, k, &highest);
        paused_at = k == 150 ? vvWorldStepIndex(g->world) : paused_at;
        if (status == VV_OK)
            status = frame(g, STEP);
        if (k == 169 && vvWorldStepIndex(g->world) != paused_at)
            return fprintf(stderr, "the pause was none\n"), 1;
    }
    if (status != VV_OK)
        return fprintf(stderr, "%s\n", error.message), 1;
    vvLedgerTotals totals;
    vvWorldTotals(g->world, &totals);
    printf("%lld steps, %d bodies; thrown %.2f m high, least det F %.2f, smallest gap %.2g mm\n",
           (long long)vvWorldStepIndex(g->world), vvWorldBodyCount(g->world), highest - start, totals.minJ,
           1e3 * totals.minGap);
    return seconds * 60 > 170 && (highest < start + 0.1 || vvWorldBodyCount(g->world) != 3 || !(totals.minGap > 0));
}

/* ---- with a window ---- */

#if defined(GAME_WINDOW)
#include <SDL.h>

enum { WIDTH = 960, HEIGHT = 600 };
static const double FOCUS = 1.3 * HEIGHT;
static double right[3], up[3], ahead[3]; /* of the camera */

typedef struct face {
    double depth;
    SDL_Vertex corner[3];
} face;

typedef struct picture {
    SDL_Renderer *renderer;
    face *faces;
    SDL_Vertex *corners;
    int count, room;
} picture;

static void cross(const double a[3], const double b[3], double c[3])
{
    for (int k = 0; k < 3; k++)
        c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static void normalise(double a[3])
{
    const double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int k = 0; k < 3; k++)
        a[k] /= length > 0 ? length : 1;
}

static void place_camera(void)
{
    towards(LOOK, ahead);
    cross(ahead, (double[]){ 0, 1, 0 }, right);
    normalise(right);
    cross(right, ahead, up);
}

static void ray_at(int x, int y, double direction[3])
{
    for (int k = 0; k < 3; k++)
        direction[k] = ahead[k] + (x - WIDTH / 2) / FOCUS * right[k] - (y - HEIGHT / 2) / FOCUS * up[k];
    normalise(direction);
}

static void push_face(picture *p, const double *const x[3], const double colour[3])
{
    double a[3], b[3], n[3];
    if (p->count == p->room) {
        p->room = 2 * p->room + 1024;
        p->faces = realloc(p->faces, (size_t)p->room * sizeof *p->faces);
        p->corners = realloc(p->corners, 3 * (size_t)p->room * sizeof *p->corners);
        if (!p->faces || !p->corners)
            exit(1);
    }
    for (int k = 0; k < 3; k++)
        a[k] = x[1][k] - x[0][k], b[k] = x[2][k] - x[0][k];
    cross(a, b, n);
    normalise(n);
    const double light = 0.35 + 0.65 * fabs(0.4 * n[0] + 0.8 * n[1] + 0.45 * n[2]);
    face *f = p->faces + p->count++;
    *f = (face){ 0 };
    for (int c = 0; c < 3; c++) {
        double along[3] = { 0 }; /* right, up, ahead */
        for (int k = 0; k < 3; k++) {
            const double d = x[c][k] - EYE[k];
            along[0] += d * right[k], along[1] += d * up[k], along[2] += d * ahead[k];
        }
        f->depth += along[2];
        f->corner[c].position = (SDL_FPoint){ (float)(WIDTH / 2 + FOCUS * along[0] / along[2]),
                                              (float)(HEIGHT / 2 - FOCUS * along[1] / along[2]) };
        f->corner[c].color =
            (SDL_Color){ (Uint8)(colour[0] * light), (Uint8)(colour[1] * light), (Uint8)(colour[2] * light), 255 };
    }
}

static int farther(const void *a, const void *b)
{
    const double d = ((const face *)b)->depth - ((const face *)a)->depth;
    return (d > 0) - (d < 0);
}

static void push_hills(picture *p)
{
    static const double colour[3] = { 150, 145, 135 };
    for (int k = 0; k + 1 < GRID; k++)
        for (int i = 0; i + 1 < GRID; i++) {
            double x[4][3];
            for (int c = 0; c < 4; c++) {
                const int u = i + c % 2, v = k + c / 2;
                x[c][0] = 3.0 * u / (GRID - 1) - 1.5, x[c][1] = hills[GRID * v + u],
                x[c][2] = 3.0 * v / (GRID - 1) - 1.5;
            }
            push_face(p, (const double *const[]){ x[0], x[2], x[1] }, colour);
            push_face(p, (const double *const[]){ x[1], x[2], x[3] }, colour);
        }
}

static void draw(const game *g, picture *p)
{
    static const double colours[4][3] = { { 214, 84, 60 }, { 60, 120, 190 }, { 90, 160, 70 }, { 200, 150, 60 } };
    p->count = 0;
    push_hills(p);
    for (int b = 0; b < vvWorldBodyCount(g->world); b++) {
        vvBodyElements e;
        vvBodyGetElements(g->world, vvWorldBody(g->world, b), &e);
        for (int t = 0; t < e.triangleCount; t++) {
            const int *v = e.triangles + 3 * t;
            push_face(p, (const double *const[]){ g->drawn + 3 * v[0], g->drawn + 3 * v[1], g->drawn + 3 * v[2] },
                      colours[b % 4]);
        }
    }
    qsort(p->faces, (size_t)p->count, sizeof *p->faces, farther);
    for (int f = 0; f < p->count; f++)
        memcpy(p->corners + 3 * f, p->faces[f].corner, sizeof p->faces[f].corner);
    SDL_SetRenderDrawColor(p->renderer, 235, 232, 225, 255);
    SDL_RenderClear(p->renderer);
    SDL_RenderGeometry(p->renderer, NULL, p->corners, 3 * p->count, NULL, 0);
    SDL_RenderPresent(p->renderer);
}

/* False: the game is over. */
static bool take(game *g, const SDL_Event *e, vvStatus *status)
{
    double direction[3];
    if (e->type == SDL_QUIT || (e->type == SDL_KEYDOWN && e->key.keysym.sym == SDLK_ESCAPE))
        return false;
    if (e->type == SDL_KEYDOWN && e->key.keysym.sym == SDLK_p)
        g->paused = !g->paused;
    if (e->type == SDL_KEYDOWN && e->key.keysym.sym == SDLK_SPACE && !g->paused)
        *status = spawn(g);
    if (e->type == SDL_MOUSEBUTTONDOWN) {
        ray_at(e->button.x, e->button.y, direction);
        *status = vvDragIsValid(g->world, g->hand) ? VV_OK : pick_up(g, direction);
    }
    if (e->type == SDL_MOUSEMOTION) {
        ray_at(e->motion.x, e->motion.y, direction);
        *status = move_hand(g, direction);
    }
    if (e->type == SDL_MOUSEBUTTONUP)
        *status = let_go(g);
    return *status == VV_OK;
}

static int play_in_window(game *g)
{
    SDL_Window *window =
        SDL_CreateWindow("soft bodies", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, WIDTH, HEIGHT, 0);
    picture p = { .renderer = window ? SDL_CreateRenderer(window, -1, SDL_RENDERER_PRESENTVSYNC) : NULL };
    if (!p.renderer)
        return fprintf(stderr, "%s\n", SDL_GetError()), 1;
    vvStatus status = VV_OK;
    Uint64 last = SDL_GetPerformanceCounter();
    place_camera();
    for (bool goes_on = true; goes_on && status == VV_OK;) {
        for (SDL_Event e; goes_on && SDL_PollEvent(&e);)
            goes_on = take(g, &e, &status);
        const Uint64 now = SDL_GetPerformanceCounter();
        if (status == VV_OK)
            status = frame(g, (double)(now - last) / (double)SDL_GetPerformanceFrequency());
        last = now;
        if (status == VV_OK)
            draw(g, &p);
    }
    if (status != VV_OK)
        fprintf(stderr, "%s\n", error.message);
    free(p.faces), free(p.corners);
    SDL_Quit();
    return status != VV_OK;
}
#endif

int main(int argc, char **argv)
{
    game g = { 0 };
    int code = build(&g) != VV_OK;
    if (code)
        fprintf(stderr, "%s\n", error.message);
#if defined(GAME_WINDOW)
    if (!code && argc < 2 && SDL_Init(SDL_INIT_VIDEO) == 0) {
        code = play_in_window(&g);
        vvWorldDestroy(g.world);
        free(g.drawn);
        return code;
    }
#endif
    if (!code)
        code = play_alone(&g, argc > 1 ? atof(argv[1]) : 4);
    vvWorldDestroy(g.world);
    free(g.drawn);
    return code;
}
