/* The thread that steps the world. It obeys orders between steps, and after each step lays out what the window draws.
 *
 * The lock guards what both threads touch, and nobody holds it longer than it takes to copy that. Everything else of
 * vv_live is the thread's own. */
#include "view/live.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "view/live_own.h"

/* s: a world that is further behind the clock goes slower than that, rather than catch up */
static const double PATIENCE = 0.1;
static const double LONGEST = 1; /* s: from one step's picture to the next one's */

typedef enum order_kind {
    ORDER_PAUSE,
    ORDER_SINGLE,
    ORDER_RESTART,
    ORDER_CHOOSE,
    ORDER_STEP,
    ORDER_BUDGET,
    ORDER_GRAB,
    ORDER_MOVE,
    ORDER_RELEASE,
    ORDER_RECORD
} order_kind;

typedef struct order {
    order_kind kind;
    vv_live_choice which;
    int by; /* of ORDER_GRAB: its number */
    double factor;
    double origin[3], direction[3], normal[3];
    char stem[VV_LIVE_PATH]; /* of ORDER_RECORD */
} order;

typedef struct orders {
    order *list;
    int count, room;
} orders;

struct vv_live {
    pthread_t thread;
    bool started;
    size_t values; /* nodes x 3 */
    /* under the lock */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    orders given;
    bool stop, forgotten; /* forgotten: an order, for want of memory */
    int grabs;
    vv_live_look look;      /* but for positions: */
    double *before, *after; /* where the picture came from and goes to, */
    double from, span;      /* s: since when, and for how long */
    double earlier;         /* s: the world's time of `before` */
    /* the thread's own */
    vvWorld *world;
    const vvScene *scene;
    vv_tint tint;
    vvSnapshot *start;
    vv_hand hand;
    vv_recorder recorder;
    orders taken;
    bool paused;
    int missed;
    double clock, last; /* s: when the next step is due; when the last one was laid out, 0: it did not run since */
    double work;        /* J */
    vv_live_cost cost;
    char message[VV_LIVE_TEXT], note[VV_LIVE_TEXT];
};

/* s: of a processor, by this thread. */
static double used(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- what is shown ---- */

/* Under the lock: how far the picture is along its path. */
static double part(const vv_live *live, double time)
{
    return live->span > 0 ? fmin(fmax((time - live->from) / live->span, 0), 1) : 1;
}

/* Under the lock: what the thread owns, copied. */
static void publish(vv_live *live)
{
    vv_live_look *look = &live->look;
    const vvWorldDef *def = vvWorldGetDef(live->world);
    const char *const words[VV_LIVE_CHOICES] = { def->integrator.scheme, def->integrator.policy, def->solver.method };
    for (int i = 0; i < VV_LIVE_CHOICES; i++)
        snprintf(look->choice[i], VV_LIVE_WORD, "%s", words[i]);
    look->version++;
    look->step = def->timeStep;
    look->budget = vv_switch_budget(live->world);
    look->time = vvWorldTime(live->world);
    look->paused = live->paused;
    look->holds = live->hand.holds;
    for (int k = 0; k < 3; k++) {
        look->grip[k] = live->hand.grip[k];
        look->hand[k] = live->hand.at[k];
    }
    look->hand_work = live->hand.work;
    look->missed = live->missed;
    memcpy(look->message, live->message, sizeof look->message);
    memcpy(look->note, live->note, sizeof look->note);
    memcpy(look->recording, live->recorder.path, sizeof look->recording);
    look->recorded = live->recorder.frames;
    look->cost = live->cost;
}

/* Under the lock. The row of a start says what there is before any step. */
static void add_row(vv_live *live, double seconds, double time)
{
    vvLedgerRow row;
    vvError error;
    vv_live_look *look = &live->look;
    if (vvWorldLedger(live->world, &row, &error) != VV_OK)
        return;
    if (look->rows == VV_LIVE_ROWS)
        memmove(look->row, look->row + 1, (size_t)--look->rows * sizeof *look->row);
    live->work += row.step > 0 ? row.work : 0;
    look->row[look->rows++] = (vv_live_row){ row.time,   row.total, row.target,    row.kinetic,         row.elastic,
                                             live->work, time,      1e3 * seconds, row.newtonIterations };
}

/* From where the picture is now it goes to where the step ended, by the time at which the next one is expected: so it
 * never jumps, and stands still only where that is late. */
static void show_step(vv_live *live, double seconds, bool alone)
{
    const double time = vv_cli_seconds(), h = vvWorldGetDef(live->world)->timeStep;
    const double *x = vvWorldPositions(live->world);
    vv_tint_find(&live->tint, live->world, live->message);
    pthread_mutex_lock(&live->lock);
    vv_tint_show(&live->tint);
    const double p = part(live, time);
    for (size_t i = 0; i < live->values; i++) {
        live->before[i] += p * (live->after[i] - live->before[i]);
        live->after[i] = x[i];
    }
    live->earlier += p * (live->look.time - live->earlier);
    live->from = time;
    live->span = alone ? 0 : live->last > 0 ? fmin(fmax(time - live->last, h), LONGEST) : h;
    live->last = alone ? 0 : time;
    live->look.steps++;
    add_row(live, seconds, time);
    publish(live);
    pthread_mutex_unlock(&live->lock);
}

/* At a start. */
static void show_start(vv_live *live)
{
    const size_t bytes = live->values * sizeof(double);
    live->work = live->hand.work = 0;
    live->last = 0;
    vv_tint_find(&live->tint, live->world, live->message);
    pthread_mutex_lock(&live->lock);
    vv_tint_show(&live->tint);
    memcpy(live->before, vvWorldPositions(live->world), bytes);
    memcpy(live->after, vvWorldPositions(live->world), bytes);
    live->span = 0;
    live->look.rows = 0;
    live->look.steps = 0;
    add_row(live, 0, vv_cli_seconds());
    publish(live);
    live->earlier = live->look.time;
    pthread_mutex_unlock(&live->lock);
}

/* ---- steps ---- */

static void pause_or_go_on(vv_live *live, bool paused)
{
    live->paused = paused;
    live->clock = vv_cli_seconds();
    live->last = 0;
}

static void fail(vv_live *live, const vvError *error)
{
    snprintf(live->message, sizeof live->message, "%s", error->message);
    pause_or_go_on(live, true);
    pthread_mutex_lock(&live->lock);
    publish(live);
    pthread_mutex_unlock(&live->lock);
}

static void count_cost(vv_live *live, const vvStepReport *report, double seconds, bool alone)
{
    vv_live_cost *c = &live->cost;
    c->steps++;
    c->iterations += report->newtonIterations;
    c->seconds += seconds;
    c->worst = fmax(c->worst, seconds);
    c->used = used();
    if (!alone && live->last > 0) {
        c->world += vvWorldGetDef(live->world)->timeStep;
        c->clock += vv_cli_seconds() - live->last;
    }
}

/* `alone`: asked for by itself, outside the pace of the clock. */
static void step(vv_live *live, bool alone)
{
    vvStepReport report;
    vvError error = { 0 };
    const double begin = vv_cli_seconds();
    vvStatus status = vvWorldStep(live->world, &report, &error);
    const double seconds = vv_cli_seconds() - begin;
    if (status != VV_OK) {
        if (status != VV_CANCELLED)
            fail(live, &error);
        return;
    }
    vv_hand_count(&live->hand, live->world);
    status = vv_recorder_add(&live->recorder, live->world, &report, &error);
    if (status != VV_OK)
        snprintf(live->message, sizeof live->message, "the recording ended: %.1000s", error.message);
    live->clock += vvWorldGetDef(live->world)->timeStep;
    live->clock = fmax(live->clock, vv_cli_seconds() - PATIENCE);
    count_cost(live, &report, seconds, alone);
    show_step(live, seconds, alone);
}

/* ---- orders ---- */

static vvStatus restart(vv_live *live, vvError *error)
{
    vvError worse;
    bool back;
    /* a run file does not go back in time */
    const vvStatus ended = vv_recorder_end(&live->recorder, live->note, error);
    const vvStatus status = vv_switch_restart(live->world, live->start, &back, &worse);
    if (status != VV_OK)
        *error = worse;
    if (back) {
        live->hand.holds = false; /* the world forgets the drag */
        live->clock = vv_cli_seconds();
        show_start(live);
    }
    return status == VV_OK ? ended : status;
}

static vvStatus grab(vv_live *live, const order *o, vvError *error)
{
    bool met;
    const vvStatus status = vv_hand_grab(&live->hand, live->world, o->origin, o->direction, &met, error);
    if (!met)
        live->missed = o->by;
    return status;
}

static vvStatus record(vv_live *live, const order *o, vvError *error)
{
    char path[VV_LIVE_PATH];
    if (live->recorder.writer)
        return vv_recorder_end(&live->recorder, live->note, error);
    vv_live_free_path(o->stem, ".vtkhdf", path);
    return vv_recorder_begin(&live->recorder, path, live->world, live->scene, error);
}

static vvStatus obey(vv_live *live, const order *o, vvError *error)
{
    switch (o->kind) {
    case ORDER_PAUSE: pause_or_go_on(live, !live->paused); return VV_OK;
    case ORDER_SINGLE: pause_or_go_on(live, true), step(live, true); return VV_OK;
    case ORDER_RESTART: return restart(live, error);
    case ORDER_CHOOSE: return vv_switch_choose(live->world, o->which, o->by, live->note, error);
    case ORDER_STEP: return vv_switch_scale_step(live->world, o->factor, live->note, error);
    case ORDER_BUDGET: return vv_switch_scale_budget(live->world, o->factor, live->note, error);
    case ORDER_GRAB: return grab(live, o, error);
    case ORDER_MOVE: return vv_hand_move(&live->hand, live->world, o->origin, o->direction, o->normal, error);
    case ORDER_RELEASE: return vv_hand_release(&live->hand, live->world, error);
    case ORDER_RECORD: return record(live, o, error);
    }
    return VV_OK;
}

static bool ends(vv_live *live)
{
    pthread_mutex_lock(&live->lock);
    const bool stop = live->stop;
    pthread_mutex_unlock(&live->lock);
    return stop;
}

/* In the order in which they were given: a single step comes before what was asked for after it. */
static void obey_all(vv_live *live)
{
    for (int i = 0; i < live->taken.count && !ends(live); i++) {
        const order *o = live->taken.list + i;
        vvError error = { 0 };
        const bool hand = o->kind == ORDER_GRAB || o->kind == ORDER_MOVE || o->kind == ORDER_RELEASE;
        if (!hand)
            live->note[0] = live->message[0] = 0;
        if (obey(live, o, &error) != VV_OK && error.status != VV_CANCELLED)
            snprintf(live->message, sizeof live->message, "%s", error.message);
    }
    pthread_mutex_lock(&live->lock);
    if (live->forgotten)
        snprintf(live->message, sizeof live->message, "out of memory: a command was lost");
    live->forgotten = false;
    publish(live);
    pthread_mutex_unlock(&live->lock);
}

/* ---- the thread ---- */

static bool due(const vv_live *live) { return !live->paused && vv_cli_seconds() >= live->clock; }

/* Waits for orders, or until the next step is due; takes the orders. False: the end. */
static bool wait_for_work(vv_live *live)
{
    pthread_mutex_lock(&live->lock);
    while (!live->stop && live->given.count == 0 && !due(live)) {
        const struct timespec t = { (time_t)live->clock, (long)(1e9 * (live->clock - floor(live->clock))) };
        if (live->paused)
            pthread_cond_wait(&live->wake, &live->lock);
        else
            pthread_cond_timedwait(&live->wake, &live->lock, &t);
    }
    const orders empty = live->taken;
    live->taken = live->given;
    live->given = empty;
    live->given.count = 0;
    const bool more = !live->stop;
    pthread_mutex_unlock(&live->lock);
    return more;
}

static void *work(void *arg)
{
    vv_live *live = arg;
    while (wait_for_work(live)) {
        if (live->taken.count > 0)
            obey_all(live);
        if (due(live))
            step(live, false);
    }
    return NULL;
}

/* ---- start and stop ---- */

static void init_lock(vv_live *live)
{
    pthread_condattr_t attributes;
    pthread_mutex_init(&live->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&live->wake, &attributes);
    pthread_condattr_destroy(&attributes);
}

static void refuse(vvError *error, const char *why)
{
    error->status = VV_ERROR_MEMORY;
    snprintf(error->message, sizeof error->message, "%s", why);
}

vv_live *vv_live_start(vvWorld *world, const vvScene *scene, const vv_live_field *field, bool paused, vvError *error)
{
    vvError ignored;
    vv_live *live = calloc(1, sizeof *live);
    const size_t n = 3 * (size_t)vvWorldNodeCount(world);
    if (!live) {
        refuse(error, "out of memory");
        vvWorldDestroy(world);
        return NULL;
    }
    live->world = world;
    live->scene = scene;
    live->values = n;
    live->hand.holds = false;
    live->paused = paused;
    live->before = calloc(n + 1, sizeof(double));
    live->after = calloc(n + 1, sizeof(double));
    init_lock(live);
    if (!vv_tint_open(&live->tint, field) || !live->before || !live->after)
        refuse(error, "out of memory");
    else if (vvWorldSnapshot(world, &live->start, error) == VV_OK) {
        show_start(live);
        live->clock = vv_cli_seconds();
        live->started = pthread_create(&live->thread, NULL, work, live) == 0;
        if (live->started)
            return live;
        refuse(error, "no thread could be started");
    }
    (void)vv_live_stop(live, &ignored); /* nothing is recorded yet */
    return NULL;
}

vvStatus vv_live_stop(vv_live *live, vvError *error)
{
    if (!live)
        return VV_OK;
    if (live->started) {
        pthread_mutex_lock(&live->lock);
        live->stop = true;
        pthread_cond_signal(&live->wake);
        pthread_mutex_unlock(&live->lock);
        vvWorldCancel(live->world); /* a long step does not keep the window open */
        pthread_join(live->thread, NULL);
    }
    vvError ignored;
    (void)vv_recorder_end(&live->recorder, live->note, &ignored); /* it remembers */
    const vvStatus recorded = live->recorder.failed.status;
    if (recorded != VV_OK)
        *error = live->recorder.failed;
    vvSnapshotDestroy(live->start);
    vvWorldDestroy(live->world);
    pthread_cond_destroy(&live->wake);
    pthread_mutex_destroy(&live->lock);
    free(live->given.list);
    free(live->taken.list);
    vv_tint_close(&live->tint);
    free(live->before);
    free(live->after);
    free(live);
    return recorded;
}

/* ---- for the window ---- */

void vv_live_see(vv_live *live, vv_live_look *look)
{
    double *positions = look->positions, *field = look->field;
    pthread_mutex_lock(&live->lock);
    const double p = part(live, vv_cli_seconds());
    *look = live->look;
    look->positions = positions;
    look->field = field;
    vv_tint_copy(&live->tint, field);
    look->moving = p < 1;
    look->shown = live->earlier + p * (live->look.time - live->earlier);
    for (size_t i = 0; i < live->values; i++)
        positions[i] = live->before[i] + p * (live->after[i] - live->before[i]);
    pthread_mutex_unlock(&live->lock);
}

/* Of moves that were not yet obeyed only the last counts. */
static void give(vv_live *live, const order *o)
{
    pthread_mutex_lock(&live->lock);
    orders *g = &live->given;
    if (g->count > 0 && o->kind == ORDER_MOVE && g->list[g->count - 1].kind == ORDER_MOVE)
        g->count--;
    if (g->count == g->room) {
        const int room = g->room > 0 ? 2 * g->room : 16;
        order *list = realloc(g->list, (size_t)room * sizeof *list);
        if (list)
            g->list = list, g->room = room;
    }
    if (g->count < g->room)
        g->list[g->count++] = *o;
    else
        live->forgotten = true;
    pthread_cond_signal(&live->wake);
    pthread_mutex_unlock(&live->lock);
}

void vv_live_pause(vv_live *live) { give(live, &(order){ .kind = ORDER_PAUSE }); }
void vv_live_single(vv_live *live) { give(live, &(order){ .kind = ORDER_SINGLE }); }
void vv_live_restart(vv_live *live) { give(live, &(order){ .kind = ORDER_RESTART }); }
void vv_live_choose(vv_live *live, vv_live_choice which, int by)
{
    give(live, &(order){ .kind = ORDER_CHOOSE, .which = which, .by = by });
}
void vv_live_scale_step(vv_live *live, double factor) { give(live, &(order){ .kind = ORDER_STEP, .factor = factor }); }
void vv_live_scale_budget(vv_live *live, double factor)
{
    give(live, &(order){ .kind = ORDER_BUDGET, .factor = factor });
}
void vv_live_release(vv_live *live) { give(live, &(order){ .kind = ORDER_RELEASE }); }

static order with_ray(order_kind kind, const double origin[3], const double direction[3])
{
    order o = { .kind = kind };
    memcpy(o.origin, origin, sizeof o.origin);
    memcpy(o.direction, direction, sizeof o.direction);
    return o;
}

int vv_live_grab(vv_live *live, const double origin[3], const double direction[3])
{
    order o = with_ray(ORDER_GRAB, origin, direction);
    o.by = ++live->grabs;
    give(live, &o);
    return o.by;
}

void vv_live_move(vv_live *live, const double origin[3], const double direction[3], const double normal[3])
{
    order o = with_ray(ORDER_MOVE, origin, direction);
    memcpy(o.normal, normal, sizeof o.normal);
    give(live, &o);
}

void vv_live_record(vv_live *live, const char *stem)
{
    order o = { .kind = ORDER_RECORD };
    snprintf(o.stem, sizeof o.stem, "%s", stem);
    give(live, &o);
}
