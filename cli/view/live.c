/* The thread that steps the world. It takes orders between steps, and after each step lays out what the window draws. */
#include "view/live.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A step that is due so long after its time is left out: the world goes slower than the clock, rather than behind it. */
static const double PATIENCE = 0.1; /* s */
static const double LEAST_STEP = 1e-5, MOST_STEP = 0.5; /* s */

typedef struct orders {
    bool restart, stop, record, end_record;
    int single, by[VV_LIVE_CHOICES];
    double factor;
    bool grab, move, release;
    double origin[3], direction[3], normal[3];
    char path[400];
} orders;

struct vv_live {
    vvWorld *world;
    const vvScene *scene;
    vvSnapshot *start;
    vvRunWriter *writer;
    vvDragId drag;
    int held; /* node, of the world */
    double pull; /* N/m: of the hand's spring */
    double led[3]; /* where the hand was at the end of the last step */
    size_t values; /* nodes x 3 */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    /* under the lock */
    orders orders;
    vv_live_look look;       /* but for positions: */
    double *before, *after;  /* of the last step */
    double due;              /* clock's time at which `after` is reached */
    /* the thread's own */
    double clock, work;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- what is shown ---- */

static void note(vv_live *live, vvStatus status, const vvError *error)
{
    pthread_mutex_lock(&live->lock);
    snprintf(live->look.message, sizeof live->look.message, "%.399s", status == VV_OK ? "" : error->message);
    pthread_mutex_unlock(&live->lock);
}

/* Under the lock. */
static void name_choices(vv_live *live)
{
    const vvWorldDef *def = vvWorldGetDef(live->world);
    const char *const words[VV_LIVE_CHOICES] = { def->integrator.scheme, def->integrator.policy, def->solver.method };
    for (int i = 0; i < VV_LIVE_CHOICES; i++)
        snprintf(live->look.choice[i], VV_LIVE_WORD, "%s", words[i]);
    live->look.step = def->timeStep;
}

/* Under the lock. */
static void add_row(vv_live *live, double seconds)
{
    vvLedgerRow row;
    vvError error;
    vv_live_look *look = &live->look;
    if (vvWorldLedger(live->world, &row, &error) != VV_OK)
        return;
    if (look->rows == VV_LIVE_ROWS)
        memmove(look->row, look->row + 1, (size_t)--look->rows * sizeof *look->row);
    live->work += row.step > 0 ? row.work : 0;
    look->row[look->rows++] = (vv_live_row){ row.time, row.total, row.target, row.kinetic, row.elastic, row.scale, 1e3 * seconds,
                                             row.newtonIterations, live->work };
}

/* The work of the hand on its way: the mean of the spring's force before and after, times that. */
static void count_hand(vv_live *live, const double before[3])
{
    for (int k = 0; k < 3 && live->held >= 0; k++) {
        const double way = live->look.hand[k] - before[k];
        live->look.hand_work += live->pull * (0.5 * (live->look.hand[k] + before[k]) - live->look.grip[k]) * way;
    }
}

static void lay_out(vv_live *live, bool stepped, double seconds)
{
    const size_t bytes = live->values * sizeof(double);
    pthread_mutex_lock(&live->lock);
    memcpy(live->before, stepped ? live->after : vvWorldPositions(live->world), bytes);
    memcpy(live->after, vvWorldPositions(live->world), bytes);
    live->due = live->clock;
    live->look.time = vvWorldTime(live->world);
    live->look.steps += stepped;
    if (live->held >= 0) {
        if (stepped)
            count_hand(live, live->led); /* the spring's other end is where it was when the hand moved */
        memcpy(live->look.grip, live->after + 3 * (size_t)live->held, sizeof live->look.grip);
        memcpy(live->led, live->look.hand, sizeof live->led);
    }
    name_choices(live);
    add_row(live, seconds);
    pthread_mutex_unlock(&live->lock);
}

/* ---- orders ---- */

static const vvInfo *entry(vv_live_choice which, int index)
{
    return which == VV_LIVE_SCHEME ? vvSchemeInfo(index) : which == VV_LIVE_POLICY ? vvPolicyInfo(index) : vvSolverInfo(index);
}

/* The neighbour, in the list, of the one that is in use. */
static const char *neighbour(vv_live_choice which, const char *word, int by)
{
    int count = 0, at = 0;
    for (const vvInfo *row; (row = entry(which, count)); count++)
        if (strcmp(row->name, word) == 0)
            at = count;
    return entry(which, ((at + by) % count + count) % count)->name;
}

/* What is in use, in memory of its own: the world's words may go with the next setting. */
typedef struct settings {
    char word[VV_LIVE_CHOICES][VV_LIVE_WORD];
    vvIntegratorDef integrator;
    vvSolverDef solver;
    double step;
} settings;

static void keep_settings(const vv_live *live, settings *s)
{
    const vvWorldDef *def = vvWorldGetDef(live->world);
    const char *const words[VV_LIVE_CHOICES] = { def->integrator.scheme, def->integrator.policy, def->solver.method };
    for (int i = 0; i < VV_LIVE_CHOICES; i++)
        snprintf(s->word[i], VV_LIVE_WORD, "%s", words[i]);
    s->integrator = vvDefaultWorldDef().integrator; /* parameters of other schemes would mean nothing */
    s->integrator.scheme = s->word[VV_LIVE_SCHEME], s->integrator.policy = s->word[VV_LIVE_POLICY];
    s->integrator.groundMode = def->integrator.groundMode, s->integrator.groundEnergy = def->integrator.groundEnergy;
    s->solver = vvDefaultWorldDef().solver;
    s->solver.method = s->word[VV_LIVE_SOLVER];
    s->solver.budget = def->solver.budget;
    s->solver.tolerance = def->solver.tolerance;
    s->step = def->timeStep;
}

static vvStatus use_settings(vv_live *live, const settings *s, vvError *error)
{
    vvStatus status = vvWorldSetIntegrator(live->world, &s->integrator, error);
    if (status == VV_OK)
        status = vvWorldSetSolver(live->world, &s->solver, error);
    if (status == VV_OK)
        status = vvWorldSetTimeStep(live->world, s->step, error);
    return status == VV_OK ? vvWorldBake(live->world, error) : status;
}

/* The nearest neighbour that the world takes: not every policy goes with every scheme, nor every solver with every world. */
static vvStatus choose(vv_live *live, vv_live_choice which, int by, vvError *error)
{
    settings before, tried;
    char first[VV_LIVE_WORD];
    vvStatus status = VV_OK;
    keep_settings(live, &before);
    memcpy(first, before.word[which], sizeof first);
    for (int steps = by;; steps += by) {
        const char *next = neighbour(which, first, steps);
        if (strcmp(next, first) == 0)
            break;
        tried = before;
        tried.integrator.scheme = tried.word[VV_LIVE_SCHEME], tried.integrator.policy = tried.word[VV_LIVE_POLICY];
        tried.solver.method = tried.word[VV_LIVE_SOLVER];
        snprintf(tried.word[which], VV_LIVE_WORD, "%s", next);
        status = use_settings(live, &tried, error);
        if (status != VV_OK && which == VV_LIVE_SCHEME) { /* perhaps it is the policy that does not go with it */
            tried.integrator.policy = "none";
            status = use_settings(live, &tried, error);
        }
        if (status == VV_OK)
            return VV_OK;
    }
    vvError ignored;
    (void)use_settings(live, &before, &ignored);
    return status;
}

static vvStatus restart(vv_live *live, vvError *error)
{
    settings s;
    keep_settings(live, &s);
    vvStatus status = vvWorldRestore(live->world, live->start, error);
    if (status == VV_OK)
        status = use_settings(live, &s, error);
    live->held = -1;
    live->work = 0;
    pthread_mutex_lock(&live->lock);
    live->look.holds = false;
    live->look.rows = 0;
    live->look.steps = 0;
    pthread_mutex_unlock(&live->lock);
    return status;
}

static vvStatus scale_step(vv_live *live, double factor, vvError *error)
{
    const double h = fmin(fmax(vvWorldGetDef(live->world)->timeStep * factor, LEAST_STEP), MOST_STEP);
    return vvWorldSetTimeStep(live->world, h, error);
}

/* ---- the hand ---- */

static const double GRAVITY = 9.81; /* m/s^2: where there is none, or less */

/* N/m: the body's weight stretches the hand's spring by a tenth of the body's size. */
static double stiffness_of(const vvWorld *world, int first, int count)
{
    const double *x = vvWorldPositions(world), *g = vvWorldGetDef(world)->gravity;
    double mass = 0, square = 0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = first; i < first + count; i++) {
            low = fmin(low, x[3 * (size_t)i + (size_t)k]);
            high = fmax(high, x[3 * (size_t)i + (size_t)k]);
        }
        square += (high - low) * (high - low);
    }
    for (int i = first; i < first + count; i++)
        mass += vvWorldMasses(world)[i];
    const double weight = mass * fmax(sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), GRAVITY);
    return square > 0 && weight > 0 ? weight / (0.1 * sqrt(square)) : 0;
}

static vvStatus grab(vv_live *live, const orders *o, vvError *error)
{
    vvRay ray = vvDefaultRay();
    vvRayHit hit;
    bool found = false;
    memcpy(ray.origin, o->origin, sizeof ray.origin);
    memcpy(ray.direction, o->direction, sizeof ray.direction);
    vvStatus status = vvWorldCastRay(live->world, &ray, &hit, &found, error);
    if (status != VV_OK || !found || hit.body.index1 == 0 || hit.node < 0)
        return status;
    int first, count;
    vvDragDef def = vvDefaultDragDef();
    vvBodyNodes(live->world, hit.body, &first, &count);
    def.body = hit.body;
    def.vertex = hit.node;
    def.here = true;
    def.stiffness = live->pull = stiffness_of(live->world, first, count);
    status = vvWorldStartDrag(live->world, &def, &live->drag, error);
    if (status != VV_OK)
        return status;
    live->held = first + hit.node;
    pthread_mutex_lock(&live->lock);
    live->look.holds = true;
    memcpy(live->look.grip, vvWorldPositions(live->world) + 3 * (size_t)live->held, sizeof live->look.grip);
    memcpy(live->look.hand, live->look.grip, sizeof live->look.hand);
    memcpy(live->led, live->look.grip, sizeof live->led);
    pthread_mutex_unlock(&live->lock);
    return VV_OK;
}

/* Where the ray meets the plane through the hand. */
static vvStatus move(vv_live *live, const orders *o, vvError *error)
{
    double target[3], along = 0, away = 0;
    if (live->held < 0)
        return VV_OK;
    for (int k = 0; k < 3; k++) {
        along += o->direction[k] * o->normal[k];
        away += (live->look.hand[k] - o->origin[k]) * o->normal[k];
    }
    if (!(fabs(along) > 1e-9) || !(away / along > 0))
        return VV_OK;
    for (int k = 0; k < 3; k++)
        target[k] = o->origin[k] + away / along * o->direction[k];
    vvStatus status = vvWorldMoveDrag(live->world, live->drag, target, error);
    pthread_mutex_lock(&live->lock);
    memcpy(live->look.hand, target, sizeof target);
    pthread_mutex_unlock(&live->lock);
    return status;
}

static vvStatus release(vv_live *live, vvError *error)
{
    if (live->held < 0)
        return VV_OK;
    live->held = -1;
    pthread_mutex_lock(&live->lock);
    live->look.holds = false;
    pthread_mutex_unlock(&live->lock);
    return vvDragIsValid(live->world, live->drag) ? vvWorldEndDrag(live->world, live->drag, error) : VV_OK;
}

/* ---- recording ---- */

static vvStatus end_record(vv_live *live, vvError *error)
{
    if (!live->writer)
        return VV_OK;
    vvStatus status = vvRunClose(live->writer, "done", error);
    live->writer = NULL;
    pthread_mutex_lock(&live->lock);
    live->look.recording[0] = 0;
    pthread_mutex_unlock(&live->lock);
    return status;
}

static vvStatus record(vv_live *live, const char *path, vvError *error)
{
    vvStatus status = end_record(live, error);
    if (status == VV_OK)
        status = vvRunCreate(path, live->world, vvSceneName(live->scene), vvSceneText(live->scene), &live->writer, error);
    pthread_mutex_lock(&live->lock);
    snprintf(live->look.recording, sizeof live->look.recording, "%s", status == VV_OK ? path : "");
    live->look.recorded = status == VV_OK;
    pthread_mutex_unlock(&live->lock);
    return status;
}

/* ---- the thread ---- */

static vvStatus obey(vv_live *live, const orders *o, bool *changed, vvError *error)
{
    vvStatus status = VV_OK;
    *changed = o->restart;
    if (o->restart) {
        vvError ignored;
        (void)end_record(live, &ignored);
        status = restart(live, error);
    }
    for (int i = 0; i < VV_LIVE_CHOICES && status == VV_OK; i++)
        if (o->by[i] != 0) {
            status = choose(live, (vv_live_choice)i, o->by[i], error);
            *changed = true;
        }
    if (o->factor > 0 && o->factor != 1 && status == VV_OK) {
        status = scale_step(live, o->factor, error);
        *changed = true;
    }
    if (o->grab && status == VV_OK)
        status = grab(live, o, error);
    if (o->move && status == VV_OK)
        status = move(live, o, error);
    if (o->release && status == VV_OK)
        status = release(live, error);
    if (o->end_record && status == VV_OK)
        status = end_record(live, error);
    if (o->record && status == VV_OK)
        status = record(live, o->path, error);
    return status;
}

static vvStatus step(vv_live *live, double *seconds, vvError *error)
{
    vvStepReport report;
    const double begin = now();
    vvStatus status = vvWorldStep(live->world, &report, error);
    *seconds = now() - begin;
    if (status != VV_OK || !live->writer)
        return status;
    status = vvRunAddStep(live->writer, live->world, &report, error);
    if (status == VV_OK)
        status = vvRunAddFrame(live->writer, live->world, error);
    pthread_mutex_lock(&live->lock);
    live->look.recorded += status == VV_OK;
    pthread_mutex_unlock(&live->lock);
    return status;
}

static bool ordered(const orders *o)
{
    return o->restart || o->stop || o->record || o->end_record || o->single > 0 || o->by[0] || o->by[1] || o->by[2] ||
           (o->factor > 0 && o->factor != 1) || o->grab || o->move || o->release;
}

/* Waits for orders, or until the next step is due; takes the orders. False: the end. */
static bool wait_for_work(vv_live *live, orders *o, bool *due)
{
    pthread_mutex_lock(&live->lock);
    while (!ordered(&live->orders) && (live->look.paused || now() < live->clock)) {
        const double until = live->look.paused ? now() + 1 : live->clock;
        struct timespec t = { (time_t)until, (long)(1e9 * (until - floor(until))) };
        pthread_cond_timedwait(&live->wake, &live->lock, &t);
    }
    *o = live->orders;
    live->orders = (orders){ .factor = 1 };
    *due = o->single > 0 || (!live->look.paused && now() >= live->clock);
    pthread_mutex_unlock(&live->lock);
    return !o->stop;
}

/* The clock's time of the next step; the world gets slower where it cannot keep up. */
static void advance_clock(vv_live *live, bool single)
{
    const double h = vvWorldGetDef(live->world)->timeStep, time = now();
    const bool late = time > live->clock + h + PATIENCE;
    live->clock = single || late ? time + (single ? 0 : h) : live->clock + h;
    pthread_mutex_lock(&live->lock);
    live->look.late = late;
    pthread_mutex_unlock(&live->lock);
}

static void *work(void *arg)
{
    vv_live *live = arg;
    orders o;
    bool due, changed;
    live->clock = now();
    while (wait_for_work(live, &o, &due)) {
        vvError error = { 0 };
        double seconds = 0;
        vvStatus status = obey(live, &o, &changed, &error);
        if (status != VV_OK || changed)
            note(live, status, &error);
        if (changed)
            lay_out(live, false, 0);
        if (!due)
            continue;
        status = step(live, &seconds, &error);
        if (status != VV_OK) {
            note(live, status, &error);
            vv_live_pause(live, true);
        }
        advance_clock(live, o.single > 0);
        lay_out(live, status == VV_OK, seconds);
    }
    return NULL;
}

/* ---- for the window ---- */

vv_live *vv_live_start(vvWorld *world, const vvScene *scene, vvError *error)
{
    vv_live *live = calloc(1, sizeof *live);
    const size_t n = 3 * (size_t)vvWorldNodeCount(world);
    pthread_condattr_t attributes;
    if (live) {
        *live = (vv_live){ .world = world, .scene = scene, .held = -1, .values = n, .orders = { .factor = 1 }, .look = { .paused = true } };
        live->before = calloc(n + 1, sizeof(double));
        live->after = calloc(n + 1, sizeof(double));
    }
    if (!live || !live->before || !live->after) {
        snprintf(error->message, sizeof error->message, "out of memory");
        error->status = VV_ERROR_MEMORY;
        vvWorldDestroy(world);
        free(live);
        return NULL;
    }
    pthread_mutex_init(&live->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&live->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    if (vvWorldSnapshot(world, &live->start, error) == VV_OK) {
        live->clock = now();
        lay_out(live, false, 0);
        if (pthread_create(&live->thread, NULL, work, live) == 0)
            return live;
        snprintf(error->message, sizeof error->message, "no thread could be started");
        error->status = VV_ERROR_MEMORY;
    }
    live->thread = pthread_self();
    vv_live_stop(live);
    return NULL;
}

void vv_live_stop(vv_live *live)
{
    vvError ignored;
    if (!live)
        return;
    if (!pthread_equal(live->thread, pthread_self())) {
        pthread_mutex_lock(&live->lock);
        live->orders.stop = true;
        pthread_cond_signal(&live->wake);
        pthread_mutex_unlock(&live->lock);
        vvWorldCancel(live->world);
        pthread_join(live->thread, NULL);
    }
    (void)end_record(live, &ignored);
    vvSnapshotDestroy(live->start);
    vvWorldDestroy(live->world);
    pthread_cond_destroy(&live->wake);
    pthread_mutex_destroy(&live->lock);
    free(live->before);
    free(live->after);
    free(live);
}

void vv_live_see(vv_live *live, vv_live_look *look)
{
    double *positions = look->positions;
    pthread_mutex_lock(&live->lock);
    *look = live->look;
    look->positions = positions;
    const double part = look->paused ? 1 : fmin(fmax(1 - (live->due - now()) / look->step, 0), 1);
    for (size_t i = 0; i < live->values; i++)
        positions[i] = live->before[i] + part * (live->after[i] - live->before[i]);
    pthread_mutex_unlock(&live->lock);
}

/* Runs with the lock held and wakes the thread. */
#define ORDER(live, ...)                                                                                               \
    do {                                                                                                               \
        pthread_mutex_lock(&(live)->lock);                                                                             \
        __VA_ARGS__;                                                                                                   \
        pthread_cond_signal(&(live)->wake);                                                                            \
        pthread_mutex_unlock(&(live)->lock);                                                                           \
    } while (0)

void vv_live_pause(vv_live *live, bool on) { ORDER(live, live->look.paused = on); }
void vv_live_single(vv_live *live) { ORDER(live, live->look.paused = true, live->orders.single++); }
void vv_live_restart(vv_live *live) { ORDER(live, live->orders.restart = true); }
void vv_live_choose(vv_live *live, vv_live_choice which, int by) { ORDER(live, live->orders.by[which] += by); }
void vv_live_scale_step(vv_live *live, double factor) { ORDER(live, live->orders.factor *= factor); }
void vv_live_release(vv_live *live) { ORDER(live, live->orders.release = true); }

static void take_ray(orders *o, const double origin[3], const double direction[3])
{
    memcpy(o->origin, origin, sizeof o->origin);
    memcpy(o->direction, direction, sizeof o->direction);
}

void vv_live_grab(vv_live *live, const double origin[3], const double direction[3])
{
    ORDER(live, take_ray(&live->orders, origin, direction), live->orders.grab = true);
}

void vv_live_move(vv_live *live, const double origin[3], const double direction[3], const double normal[3])
{
    ORDER(live, take_ray(&live->orders, origin, direction), memcpy(live->orders.normal, normal, sizeof live->orders.normal),
          live->orders.move = true);
}

void vv_live_record(vv_live *live, const char *path)
{
    ORDER(live, live->orders.record = path != NULL, live->orders.end_record = path == NULL,
          snprintf(live->orders.path, sizeof live->orders.path, "%s", path ? path : ""));
}
