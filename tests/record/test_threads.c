/* Many worlds at once, each in a thread of its own with helper threads of its own: scenes and meshes are read, worlds
 * stepped, saved, loaded, recorded and destroyed side by side, and a thread cancels another's steps. The bits are
 * those of each one alone. Meant for the thread sanitizer (cmake --preset thread), and right without it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "visviva/visviva.h"
#include "positional.h"

/* ---- a host's memory: counted without locks, so that the sanitizer sees any call from a thread that is not the
 * world's ---- */

typedef struct memory {
    long live, calls;
} memory;

static void *take(void *user, size_t bytes, size_t alignment)
{
    memory *m = user;
    void *block = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    m->calls++;
    m->live += block != NULL;
    return block;
}

static void give(void *user, void *block, size_t bytes)
{
    (void)bytes;
    ((memory *)user)->live--;
    free(block);
}

/* ---- a host's loops: one more thread, which takes every other task from the far end ---- */

typedef struct crew {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    void (*task)(void *context, int index);
    void *context;
    atomic_int next;
    int count, job, finished;
    bool stop;
} crew;

static void work_off(crew *c)
{
    for (int i; (i = atomic_fetch_add(&c->next, 1)) < c->count;)
        c->task(c->context, c->count - 1 - i);
}

static void *mate(void *arg)
{
    crew *c = arg;
    pthread_mutex_lock(&c->mutex);
    for (int seen = 0; !c->stop;) {
        if (c->job == seen) {
            pthread_cond_wait(&c->changed, &c->mutex);
            continue;
        }
        seen = c->job;
        pthread_mutex_unlock(&c->mutex);
        work_off(c);
        pthread_mutex_lock(&c->mutex);
        c->finished = seen;
        pthread_cond_broadcast(&c->changed);
    }
    pthread_mutex_unlock(&c->mutex);
    return NULL;
}

static void run_tasks(void *user, int count, void (*task)(void *context, int index), void *context)
{
    crew *c = user;
    pthread_mutex_lock(&c->mutex);
    c->task = task, c->context = context, c->count = count;
    atomic_store(&c->next, 0);
    int job = ++c->job;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->mutex);
    work_off(c);
    pthread_mutex_lock(&c->mutex);
    while (c->finished != job)
        pthread_cond_wait(&c->changed, &c->mutex);
    pthread_mutex_unlock(&c->mutex);
}

static crew *hire(void)
{
    crew *c = calloc(1, sizeof *c);
    pthread_mutex_init(&c->mutex, NULL);
    pthread_cond_init(&c->changed, NULL);
    if (pthread_create(&c->thread, NULL, mate, c) != 0)
        abort();
    return c;
}

static void dismiss(crew *c)
{
    pthread_mutex_lock(&c->mutex);
    c->stop = true;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->mutex);
    pthread_join(c->thread, NULL);
    pthread_mutex_destroy(&c->mutex);
    pthread_cond_destroy(&c->changed);
    free(c);
}

/* ---- a life ---- */

/* Large enough that loops have several chunks; contact with friction, prescribed and soft attachments, damping. */
static const char *const scene_text =
    "{ \"visviva\": 1, \"time\": { \"step\": 0.01 },"
    "  \"integrator\": { \"scheme\": \"%s\", \"policy\": \"%s\", \"ground_energy\": \"none\" },"
    "  \"solver\": { \"linear\": \"%s\", \"tolerance\": 0.05, \"method\": \"%s\" }, \"contact\": { \"friction\": 0.3%s "
    "},"
    "  \"materials\": { \"soft\": { \"model\": \"%s\", \"young\": 3e4, \"damping\": { \"rayleigh\": 1e-3, \"drag\": "
    "0.1 } } },"
    "  \"bodies\": ["
    "    { \"name\": \"bar\", \"material\": \"soft\", \"mesh\": { \"file\": \"%s\" },"
    "      \"velocity\": { \"linear\": [0.3, -0.5, 0], \"angular\": [0, 40, 0] },"
    "      \"attach\": [ { \"where\": { \"percent\": [[0, 0, 0], [3, 100, 100]] }, \"kind\": \"fixed\","
    "                    \"motion\": { \"velocity\": [0.1, 0, 0] } } ] },"
    "    { \"name\": \"cloth\", \"material\": { \"model\": \"hooke\", \"stiffness\": 50, \"density\": 0.2 },"
    "      \"mesh\": { \"cloth\": { \"size\": [0.3, 0.3], \"cells\": [34, 34] } },"
    "      \"place\": { \"translate\": [0, 0.6, 0] },"
    "      \"attach\": [ { \"where\": { \"percent\": [[0, 0, 0], [10, 100, 10]] }, \"kind\": \"spring\", "
    "\"stiffness\": 20 } ] } ],"
    "  \"obstacles\": [ { \"plane\": { \"point\": [0, -0.0525, 0], \"normal\": [0, 1, 0] } },"
    "    { \"box\": { \"center\": [0, -1, 0], \"size\": [0.1, 0.1, 0.1] }, \"motion\": { \"velocity\": [0, 0.5, 0] } } "
    "] }";

typedef struct life {
    int number;
    const char *scheme, *policy, *linear, *model, *method, *contact;
    bool tasks; /* the host's own loops in place of a pool */
    int steps;
    /* results */
    char *state;
    size_t size;
    char what[1200]; /* went wrong; assertions of cmocka belong to the main thread */
} life;

#define need(call)                                                             \
    do {                                                                       \
        vvStatus need_status = (call);                                         \
        if (need_status != VV_OK) {                                            \
            snprintf(l->what, sizeof l->what, "%s: %s", #call, error.message); \
            goto done;                                                         \
        }                                                                      \
    } while (0)

static void record(life *l, vvWorld *world, const vvScene *scene, const char *path)
{
    vvError error = { 0 };
    vvRunWriter *writer = NULL;
    vvRun *run = NULL;
    vvStepReport report;
    need(vvRunCreate(path, world, "threads", vvSceneText(scene), &writer, &error));
    for (int i = 0; i < l->steps; i++) {
        need(vvWorldStep(world, &report, &error));
        need(vvRunAddStep(writer, world, &report, &error));
    }
    need(vvRunAddFrame(writer, world, &error));
    vvRunWriter *closing = writer;
    writer = NULL;
    need(vvRunClose(closing, "done", &error));
    need(vvRunOpen(path, &run, &error));
    if (vvRunRowCount(run) != l->steps + 1)
        snprintf(l->what, sizeof l->what, "the run has %d rows", vvRunRowCount(run));
done:
    vvRunFree(run);
    if (writer)
        vvRunClose(writer, "failed", NULL);
}

static void *live(void *arg)
{
    life *l = arg;
    vvError error = { 0 };
    memory mine = { 0 };
    vvHost host = { .allocator = { take, give, &mine } };
    crew *c = l->tasks ? hire() : NULL;
    if (c)
        host.tasks = (vvTaskSystem){ 2, run_tasks, c };
    vvSetThreadAllocator(&host.allocator, NULL);
    char mesh_path[64], run_path[64], side_path[64], text[4096];
    snprintf(mesh_path, sizeof mesh_path, "threads-%d-%d.msh", (int)getpid(), l->number);
    snprintf(run_path, sizeof run_path, "threads-%d-%d.vtkhdf", (int)getpid(), l->number);
    snprintf(side_path, sizeof side_path, "threads-%d-%d.xdmf", (int)getpid(), l->number);
    snprintf(text, sizeof text, scene_text, l->scheme, l->policy, l->linear, l->method, l->contact, l->model,
             mesh_path);
    vvMesh mesh = { 0 };
    vvScene *scene = NULL;
    vvWorld *world = NULL;
    need(generate_mesh("box", (double[]){ 0.4, 0.1, 0.1, 12, 4, 4, 5 }, &mesh, &error));
    need(vvMeshWrite(&mesh, mesh_path, NULL, &error));
    need(vvSceneParse(text, "threads", ".", NULL, 0, &scene, &error));
    need(vvSceneCreateHostedWorld(scene, 2, &host, &world, &error));
    need(vvWorldStep(world, NULL, &error));
    l->size = vvWorldStateSize(world);
    l->state = malloc(l->size);
    need(vvWorldSaveState(world, l->state, l->size, &error));
    need(vvWorldStep(world, NULL, &error));
    need(vvWorldLoadState(world, l->state, l->size, &error));
    record(l, world, scene, run_path);
    need(vvWorldSaveState(world, l->state, l->size, &error));
done:
    vvWorldDestroy(world);
    vvSceneDestroy(scene);
    vvMeshDestroy(&mesh);
    vvSetThreadAllocator(NULL, NULL);
    unlink(mesh_path);
    unlink(run_path);
    unlink(side_path);
    if (c)
        dismiss(c);
    if (!l->what[0] && (mine.live != 0 || mine.calls == 0))
        snprintf(l->what, sizeof l->what, "%ld blocks are left of %ld", mine.live, mine.calls);
    return NULL;
}

static const life lives[] = {
    { 0, "backward-euler", "search", "cholesky", "fixed-corotated", "newton", "", false, 2, NULL, 0, "" },
    { 1, "bdf2", "none", "auto", "stable-neo-hookean", "optimizer", ", \"model\": \"constraint\", \"self\": false",
      false, 2, NULL, 0, "" },
    { 2, "tr-bdf2", "none", "pcg", "arap", "newton", "", true, 1, NULL, 0, "" },
    { 3, "backward-euler", "search", "cholesky", "neo-hookean", "newton", "", true, 2, NULL, 0, "" },
};
enum { LIVES = sizeof lives / sizeof *lives };

static void worlds_live_side_by_side(void **state)
{
    (void)state;
    life alone[LIVES], together[LIVES];
    memcpy(alone, lives, sizeof lives);
    memcpy(together, lives, sizeof lives);
    for (int i = 0; i < LIVES; i++) {
        live(&alone[i]);
        if (alone[i].what[0])
            fail_msg("world %d: %s", i, alone[i].what);
    }
    for (int first = 0; first < LIVES; first += 2) { /* two at a time */
        pthread_t thread[2];
        for (int i = 0; i < 2; i++)
            assert_int_equal(pthread_create(&thread[i], NULL, live, &together[first + i]), 0);
        for (int i = 0; i < 2; i++)
            pthread_join(thread[i], NULL);
    }
    for (int i = 0; i < LIVES; i++) {
        if (together[i].what[0])
            fail_msg("world %d: %s", i, together[i].what);
        assert_int_equal(alone[i].size, together[i].size);
        assert_memory_equal(alone[i].state, together[i].state, alone[i].size);
        free(alone[i].state);
        free(together[i].state);
    }
}

/* ---- cancelling another thread's world ---- */

typedef struct order {
    vvWorld *world;
    atomic_int wanted, given; /* rounds */
} order;

static void *canceller(void *arg)
{
    order *o = arg;
    for (int round; (round = atomic_load(&o->wanted)) >= 0;) {
        if (round == atomic_load(&o->given)) {
            sched_yield();
            continue;
        }
        usleep((useconds_t)(round * 397 % 2000));
        vvWorldCancel(o->world);
        atomic_store(&o->given, round);
    }
    return NULL;
}

static vvWorld *small_world(void)
{
    vvError error = { 0 };
    vvWorld *world = NULL;
    vvMesh mesh = { 0 };
    vvWorldDef def = vvDefaultWorldDef();
    vvBodyDef body = vvDefaultBodyDef();
    def.threads = 2;
    def.solver.tolerance = 1e-6;
    def.integrator.policy = "search";
    def.integrator.groundMode = VV_GROUND_NONE;
    assert_int_equal(generate_mesh("box", (double[]){ 0.3, 0.1, 0.1, 6, 4, 4, 5 }, &mesh, &error), VV_OK);
    assert_int_equal(vvWorldCreate(&def, &world, &error), VV_OK);
    body.mesh = &mesh;
    vvBodyId id;
    assert_int_equal(vvWorldAddBody(world, &body, &id, &error), VV_OK);
    assert_int_equal(vvBodySetInitialState(world, id, "twist", NULL, 0, &error), VV_OK);
    vvMeshDestroy(&mesh);
    return world;
}

static void a_thread_cancels_anothers_steps(void **state)
{
    (void)state;
    enum { ROUNDS = 20 };
    vvError error = { 0 };
    vvWorld *world = small_world(), *twin = small_world();
    assert_int_equal(vvWorldBake(world, &error), VV_OK);
    assert_int_equal(vvWorldBake(twin, &error), VV_OK);
    size_t size = vvWorldStateSize(world);
    char *before = malloc(size), *after = malloc(size);
    order o = { .world = world };
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, canceller, &o), 0);
    for (int round = 1; round <= ROUNDS; round++) {
        atomic_store(&o.wanted, round);
        vvStatus status = VV_OK;
        while (status == VV_OK) {
            bool surely = atomic_load(&o.given) == round; /* asked before this step began: it must not be made */
            assert_int_equal(vvWorldSaveState(world, before, size, &error), VV_OK);
            status = vvWorldStep(world, NULL, &error);
            assert_true(status == VV_CANCELLED || (status == VV_OK && !surely));
        }
        assert_int_equal(vvWorldSaveState(world, after, size, &error), VV_OK);
        assert_memory_equal(before, after, size);
        while (atomic_load(&o.given) != round)
            sched_yield();
    }
    atomic_store(&o.wanted, -1);
    pthread_join(thread, NULL);
    for (int64_t i = vvWorldStepIndex(world); i > 0; i--)
        assert_int_equal(vvWorldStep(twin, NULL, &error), VV_OK);
    assert_int_equal(vvWorldSaveState(twin, after, size, &error), VV_OK);
    assert_memory_equal(before, after, size);
    free(before);
    free(after);
    vvWorldDestroy(world);
    vvWorldDestroy(twin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_live_side_by_side),
        cmocka_unit_test(a_thread_cancels_anothers_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
