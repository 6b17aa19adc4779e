/* A run of kind "convergence": how many iterations one step takes from each start of a map (Gast, Schroeder 2014,
 * Fig. 2). A pixel (x, y) of the map is a start: the `nodes` (one: the node at `rest`) are moved by (x, y) - rest
 * from where the scene puts them, and all others stay. Or, with `turned`, all nodes move: each is turned and
 * stretched about the nearest of the points given there, as `rest` -> (x, y) about (0, 0). Nothing has a velocity.
 * From there one step of the scene is tried. A step that fails, or whose solve did not converge within
 * solver.max_iterations, counts as failed.
 *
 * Pixels know nothing of each other: each begins from a snapshot of the world, whatever its solver has learned
 * meanwhile. Rows of pixels are shared out among threads, each with a world of its own. */
#include "reproduce/reproduce.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SIDE = 2000, FAILED = -1, MOST_WORKERS = 64 };

typedef struct map {
    int width, height, nodeCount;
    double x[2], y[2], rest[2]; /* m */
    int *nodes;
    double (*about)[2]; /* of each of them; NULL: they are moved */
} map;

typedef struct crew {
    const map *map;
    const vv_repro_run *run;
    int *counts; /* height x width, the lowest row first: iterations, or FAILED */
    atomic_int next, done;
    atomic_bool stop;
} crew;

typedef struct worker {
    crew *crew;
    vvStatus status; /* that ended the whole map: out of memory, say */
    vvError error;
    pthread_t thread;
    bool started;
} worker;

/* ---- a pixel ---- */

static double middle(const double range[2], int i, int count)
{
    return range[0] + (range[1] - range[0]) * (i + 0.5) / count;
}

/* The nodes of a start: where they go from `at`, in which they are at rest. */
static void turn_nodes(const map *m, const double pixel[2], double *at)
{
    const double square = m->rest[0] * m->rest[0] + m->rest[1] * m->rest[1];
    const double along = (pixel[0] * m->rest[0] + pixel[1] * m->rest[1]) / square,
                 across = (pixel[1] * m->rest[0] - pixel[0] * m->rest[1]) / square;
    for (int i = 0; i < m->nodeCount; i++) {
        double *x = at + 3 * (size_t)m->nodes[i];
        const double *c = m->about[i], arm[2] = { x[0] - c[0], x[1] - c[1] };
        x[0] = c[0] + along * arm[0] - across * arm[1];
        x[1] = c[1] + across * arm[0] + along * arm[1];
    }
}

static void move_nodes(const map *m, const double pixel[2], double *at)
{
    for (int i = 0; i < m->nodeCount; i++)
        for (int k = 0; k < 2; k++)
            at[3 * (size_t)m->nodes[i] + (size_t)k] += pixel[k] - m->rest[k];
}

static vvStatus try_pixel(vvWorld *world, const vvSnapshot *begin, const map *m, int column, int row, double *at,
                          const double *rest, int *count, vvError *error)
{
    const double pixel[2] = { middle(m->x, column, m->width), middle(m->y, row, m->height) };
    size_t n = 3 * (size_t)vvWorldNodeCount(world);
    vvStepReport report;
    vvStatus status = vvWorldRestore(world, begin, error);
    if (status != VV_OK)
        return status;
    memcpy(at, vvWorldPositions(world), n * sizeof *at);
    (m->about ? turn_nodes : move_nodes)(m, pixel, at);
    status = vvWorldSetState(world, at, rest, error);
    if (status == VV_OK)
        status = vvWorldStep(world, &report, error);
    *count = status == VV_OK && report.end == VV_SOLVE_CONVERGED ? report.newtonIterations : FAILED;
    return status == VV_ERROR_SOLVER ? VV_OK : status;
}

static vvStatus try_rows(worker *w, vvWorld *world)
{
    crew *c = w->crew;
    size_t n = 3 * (size_t)vvWorldNodeCount(world);
    double *at = malloc(n * sizeof *at), *rest = calloc(n, sizeof *rest);
    vvSnapshot *begin = NULL;
    vvStatus status = at && rest ? vvWorldSnapshot(world, &begin, &w->error) : VV_ERROR_MEMORY;
    for (int row; status == VV_OK && !c->stop && !vv_cli_interrupted() &&
                  (row = atomic_fetch_add(&c->next, 1)) < c->map->height;) {
        for (int column = 0; column < c->map->width && status == VV_OK && !c->stop && !vv_cli_interrupted(); column++)
            status = try_pixel(world, begin, c->map, column, row, at, rest, c->counts + row * c->map->width + column,
                               &w->error);
        atomic_fetch_add(&c->done, 1);
    }
    vvSnapshotDestroy(begin);
    free(at);
    free(rest);
    return status;
}

static void *work_rows(void *arg)
{
    worker *w = arg;
    vvScene *scene = NULL;
    vvWorld *world = NULL;
    const vv_repro_run *run = w->crew->run;
    w->status = vvSceneParse(run->plan.scene, run->plan.name, ".", NULL, 0, &scene, &w->error);
    if (w->status == VV_OK)
        w->status = vvSceneCreateWorld(scene, 1, &world, &w->error);
    if (w->status == VV_OK)
        w->status = vvWorldBake(world, &w->error);
    if (w->status == VV_OK)
        w->status = try_rows(w, world);
    if (w->status != VV_OK)
        w->crew->stop = true;
    vvWorldDestroy(world);
    vvSceneDestroy(scene);
    return NULL;
}

/* ---- the map ---- */

static void wait_for(crew *c, worker *workers, int count, bool quiet)
{
    vv_progress progress;
    char what[VV_REPRO_NAME + 16];
    snprintf(what, sizeof what, "reproduce: %.100s", c->run->name);
    vv_progress_start(&progress, what, c->map->height, quiet);
    while (c->done < c->map->height && !c->stop && !vv_cli_interrupted()) {
        struct timespec pause = { 0, 20000000 };
        nanosleep(&pause, NULL);
        vv_progress_update(&progress, c->done, "");
    }
    vv_progress_finish(&progress);
    for (int i = 0; i < count; i++)
        if (workers[i].started)
            pthread_join(workers[i].thread, NULL);
}

/* VV_CLI_GO, or an exit code after a message. */
static int fill_counts(const vv_repro *r, crew *c)
{
    worker workers[MOST_WORKERS] = { 0 };
    int count = r->jobs > 0 ? r->jobs : vv_study_cores();
    count = count < c->map->height ? count : c->map->height;
    count = count < MOST_WORKERS ? count : MOST_WORKERS;
    bool any = false;
    for (int i = 0; i < count; i++) {
        workers[i].crew = c;
        workers[i].started = pthread_create(&workers[i].thread, NULL, work_rows, &workers[i]) == 0;
        any = any || workers[i].started;
    }
    if (!any)
        return vv_repro_memory();
    wait_for(c, workers, count, r->quiet);
    for (int i = 0; i < count; i++)
        if (workers[i].status != VV_OK)
            return workers[i].status == VV_ERROR_MEMORY ? vv_repro_memory() : vv_cli_error(&workers[i].error);
    return vv_cli_interrupted() ? VV_EXIT_INTERRUPTED : VV_CLI_GO;
}

static json_t *figures_of(const map *m, const int *counts)
{
    int failed = 0, most = 0, pixels = m->width * m->height;
    json_t *list = json_array();
    for (int i = 0; i < pixels; i++) {
        failed += counts[i] == FAILED;
        most = counts[i] > most ? counts[i] : most;
        json_array_append_new(list, counts[i] == FAILED ? json_null() : json_integer(counts[i]));
    }
    return json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:o}", "status", "done", "width", m->width, "height", m->height,
                     "pixels", pixels, "failed", failed, "most", most, "iterations", list);
}

/* ---- the run ---- */

static bool read_pair(const json_t *list, double out[2])
{
    for (size_t k = 0; k < 2; k++) {
        if (!json_is_number(json_array_get(list, k)))
            return false;
        out[k] = json_number_value(json_array_get(list, k));
    }
    return json_array_size(list) == 2;
}

/* The node that begins nearest to where nothing is moved. */
static int nearest_node(const vvWorld *world, const double rest[2])
{
    const double *x = vvWorldPositions(world);
    int best = 0;
    double least = INFINITY;
    for (int i = 0; i < vvWorldNodeCount(world); i++) {
        double away = hypot(x[3 * i] - rest[0], x[3 * i + 1] - rest[1]);
        if (away < least)
            least = away, best = i;
    }
    return best;
}

static int read_nodes(const vv_repro_item *item, const vv_repro_run *run, const char *path, const vvWorld *world,
                      map *m)
{
    char below[VV_REPRO_PATH];
    json_t *list = json_object_get(run->spec, "nodes");
    m->nodeCount = list ? (int)json_array_size(list) : 1;
    m->nodes = malloc(((size_t)m->nodeCount + 1) * sizeof *m->nodes);
    if (!m->nodes)
        return vv_repro_memory();
    m->nodes[0] = nearest_node(world, m->rest);
    for (int i = 0; list && i < m->nodeCount; i++) {
        json_t *node = json_array_get(list, (size_t)i);
        m->nodes[i] = (int)json_integer_value(node);
        if (!json_is_integer(node) || json_integer_value(node) < 0 ||
            json_integer_value(node) >= vvWorldNodeCount(world))
            m->nodeCount = 0;
    }
    if (m->nodeCount < 1)
        return vv_repro_wrong(item, vv_repro_path(below, path, "nodes"),
                              "must be a list of nodes that the pixel moves, whole numbers from 0 to %d",
                              vvWorldNodeCount(world) - 1);
    return VV_CLI_GO;
}

/* Of a list of points, each node has the one that it begins nearest to. */
static int read_turned(const vv_repro_item *item, const char *path, const json_t *list, const vvWorld *world, map *m)
{
    char below[VV_REPRO_PATH];
    const size_t nodes = (size_t)vvWorldNodeCount(world);
    m->nodeCount = (int)nodes;
    m->nodes = malloc(nodes * sizeof *m->nodes);
    m->about = malloc(nodes * sizeof *m->about);
    if (!m->nodes || !m->about)
        return vv_repro_memory();
    bool right = json_array_size(list) > 0 && hypot(m->rest[0], m->rest[1]) > 0;
    for (size_t i = 0; i < nodes; i++) {
        const double *x = vvWorldPositions(world) + 3 * i;
        double least = INFINITY, point[2];
        m->nodes[i] = (int)i;
        for (size_t k = 0; k < json_array_size(list); k++) {
            const bool pair = read_pair(json_array_get(list, k), point);
            const double away = pair ? hypot(x[0] - point[0], x[1] - point[1]) : INFINITY;
            right = right && pair;
            if (away < least)
                least = away, memcpy(m->about[i], point, sizeof point);
        }
    }
    if (!right)
        return vv_repro_wrong(item, vv_repro_path(below, path, "turned"),
                              "must be a list of points [x, y], and \"rest\" not be [0, 0]");
    return VV_CLI_GO;
}

static int read_map(const vv_repro_item *item, const vv_repro_run *run, const char *path, const vvWorld *world, map *m)
{
    static const char *const names[] = { "size", "rest", "x", "y" };
    char below[VV_REPRO_PATH];
    double size[2] = { 96, 80 };
    *m = (map){ .x = { 0, 1 }, .y = { 0, 1 } };
    double *to[] = { size, m->rest, m->x, m->y };
    for (int i = 0; i < 4; i++) {
        json_t *list = json_object_get(run->spec, names[i]);
        if ((list || i == 1) && !read_pair(list, to[i]))
            return vv_repro_wrong(item, vv_repro_path(below, path, names[i]), "must be a list of two numbers");
    }
    if (!(m->x[0] < m->x[1]) || !(m->y[0] < m->y[1]))
        return vv_repro_wrong(item, path, "\"x\" and \"y\" must be [low, high], in m, low below high");
    m->width = (int)fmin(fmax(size[0], 0), MOST_SIDE + 1), m->height = (int)fmin(fmax(size[1], 0), MOST_SIDE + 1);
    if (m->width != size[0] || m->height != size[1] || m->width < 1 || m->height < 1 || m->width > MOST_SIDE ||
        m->height > MOST_SIDE)
        return vv_repro_wrong(item, vv_repro_path(below, path, "size"),
                              "must be two whole numbers of pixels from 1 to %d: width and height", MOST_SIDE);
    const json_t *turned = json_object_get(run->spec, "turned");
    if (turned && json_object_get(run->spec, "nodes"))
        return vv_repro_wrong(item, path, "\"nodes\" are moved, or all are \"turned\": there is one of the two");
    return turned ? read_turned(item, path, turned, world, m) : read_nodes(item, run, path, world, m);
}

/* The map of the run's spec, with nodes to be freed in any case. */
static int find_map(const vv_repro_item *item, const vv_repro_run *run, const char *path, map *m)
{
    vvError error = { 0 };
    vvScene *scene = NULL;
    vvWorld *world = NULL;
    *m = (map){ 0 };
    vvStatus status = vvSceneParse(run->plan.scene, run->plan.name, ".", NULL, 0, &scene, &error);
    if (status == VV_OK)
        status = vvSceneCreateWorld(scene, 1, &world, &error);
    if (status == VV_OK)
        status = vvWorldBake(world, &error);
    int code = status == VV_OK ? read_map(item, run, path, world, m) : vv_cli_error(&error);
    vvWorldDestroy(world);
    vvSceneDestroy(scene);
    return code;
}

static int check(const vv_repro_item *item, vv_repro_run *run, const char *path)
{
    map m;
    int code = find_map(item, run, path, &m);
    free(m.nodes), free(m.about);
    return code;
}

static int work(const vv_repro *r, const vv_repro_item *item, vv_repro_run *run)
{
    map m;
    int code = find_map(item, run, "", &m);
    crew c = { .map = &m, .run = run };
    if (code == VV_CLI_GO)
        c.counts = calloc((size_t)m.width * (size_t)m.height, sizeof *c.counts);
    if (code == VV_CLI_GO)
        code = c.counts ? fill_counts(r, &c) : vv_repro_memory();
    if (code == VV_CLI_GO)
        run->figures = figures_of(&m, c.counts);
    free(c.counts);
    free(m.nodes), free(m.about);
    return code;
}

const vv_repro_run_kind vv_repro_run_convergence = { "convergence", "size x y rest nodes turned", check, work };
