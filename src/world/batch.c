/* Many worlds at once (visviva/batch.h): a pool of threads, each world's steps in one of them. A world takes its own
 * allocator as it is entered, so that a task of the pool may step it, although tasks themselves must not allocate. */
#include "visviva/batch.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/pool.h"
#include "visviva/interact.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORLDS = 1 << 20, MOST_THREADS = 1024 };

struct vvBatch {
    int threads;
    struct vv_pool *pool; /* NULL: one thread */
    atomic_flag busy;
};

vvBatchDef vvDefaultBatchDef(void) { return (vvBatchDef){ .steps = 1, .internalValue = VV_MADE_BY_DEFAULT }; }

vvStatus vvBatchCreate(int threads, vvBatch **out, vvError *error)
{
    vv_error_clear(error);
    if (!out)
        return vv_fail(error, VV_ERROR_INPUT, "vvBatchCreate needs a pointer for the batch, found NULL");
    *out = NULL;
    if (vv_memory_in_host())
        return vv_fail(error, VV_ERROR_INPUT,
                       "vvBatchCreate was called by an allocator, whose functions must not call "
                       "the library");
    if (threads < 0 || threads > MOST_THREADS)
        return vv_fail(error, VV_ERROR_INPUT, "threads is %d; it must be from 1 to %d, or 0 for all cores", threads,
                       MOST_THREADS);
    vvBatch *batch = vv_alloc(1, sizeof *batch);
    if (!batch || !vv_pool_create(threads ? threads : vv_core_count(), &batch->pool)) {
        vv_free(batch);
        return vv_fail(error, VV_ERROR_MEMORY, "out of memory for a batch");
    }
    batch->threads = batch->pool ? (threads ? threads : vv_core_count()) : 1;
    atomic_flag_clear(&batch->busy);
    *out = batch;
    return VV_OK;
}

void vvBatchDestroy(vvBatch *batch)
{
    if (!batch || vv_memory_in_host() || atomic_flag_test_and_set(&batch->busy))
        return;
    vv_pool_destroy(batch->pool);
    vv_free(batch);
}

int vvBatchThreads(const vvBatch *batch) { return batch && !vv_memory_in_host() ? batch->threads : 0; }

/* ---- what it is given ------------------------------------------------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
    const vvWorld *x = *(vvWorld *const *)a, *y = *(vvWorld *const *)b;
    return x < y ? -1 : x > y;
}

/* No world is NULL, or comes twice. */
static vvStatus check_worlds(const vvBatchDef *def, vvError *error)
{
    if (def->worldCount < 1 || def->worldCount > MOST_WORLDS)
        return vv_fail(error, VV_ERROR_INPUT, "worldCount is %d; it must be from 1 to %d", def->worldCount,
                       MOST_WORLDS);
    if (!def->worlds)
        return vv_fail(error, VV_ERROR_INPUT, "vvBatchStep: worlds is NULL; it must hold worldCount worlds");
    for (int i = 0; i < def->worldCount; i++)
        if (!def->worlds[i])
            return vv_fail(error, VV_ERROR_INPUT, "vvBatchStep: world %d is NULL", i);
    vvWorld **sorted = vv_alloc_copy(def->worlds, (size_t)def->worldCount, sizeof *sorted);
    if (!sorted)
        return vv_fail(error, VV_ERROR_MEMORY, "out of memory for a list of %d worlds", def->worldCount);
    qsort(sorted, (size_t)def->worldCount, sizeof *sorted, by_address);
    bool twice = false;
    for (int i = 1; i < def->worldCount; i++)
        twice = twice || sorted[i] == sorted[i - 1];
    vv_free(sorted);
    return twice ? vv_fail(error, VV_ERROR_INPUT, "vvBatchStep: a world comes twice in worlds; each may come once")
                 : VV_OK;
}

/* A list of nodes that all worlds must have. */
static vvStatus check_nodes(const vvBatchDef *def, const char *name, const int *nodes, int count, vvError *error)
{
    if (count < 0)
        return vv_fail(error, VV_ERROR_INPUT, "%sNodeCount is %d; it must be 0 or more", name, count);
    for (int i = 0; nodes && i < def->worldCount; i++) {
        const int room = vvWorldNodeCount(def->worlds[i]);
        for (int k = 0; k < count; k++)
            if (nodes[k] < 0 || nodes[k] >= room)
                return vv_fail(error, VV_ERROR_INPUT, "%sNodes[%d] is %d; world %d has %d nodes, from 0 on", name, k,
                               nodes[k], i, room);
    }
    return VV_OK;
}

static vvStatus check_forces(const vvBatchDef *def, vvError *error)
{
    if (!def->forces || !def->forceNodes)
        return !def->forces == !def->forceNodes || def->forceNodeCount == 0
                   ? VV_OK
                   : vv_fail(error, VV_ERROR_INPUT, "forces and forceNodes go together; %s is NULL",
                             def->forces ? "forceNodes" : "forces");
    const size_t each = 3 * (size_t)def->forceNodeCount, all = each * (size_t)def->worldCount;
    for (size_t i = 0; i < all; i++)
        if (!(fabs(def->forces[i]) <= 1e30))
            return vv_fail(error, VV_ERROR_INPUT,
                           "a force on node %d of world %zu is %g; each number must be finite and "
                           "within 1e30",
                           def->forceNodes[i % each / 3], i / each, def->forces[i]);
    return VV_OK;
}

static bool gathers(const vvBatchDef *def) { return def->positions || def->velocities; }

static vvStatus check(const vvBatchDef *def, vvError *error)
{
    vvStatus status = vv_check_made(def->internalValue, "vvBatchDef", "vvBatchStep: the definition", error);
    if (status == VV_OK && def->steps < 0)
        status = vv_fail(error, VV_ERROR_INPUT, "steps is %d; it must be 0 or more", def->steps);
    if (status == VV_OK)
        status = check_worlds(def, error);
    if (status == VV_OK)
        status = check_nodes(def, "force", def->forceNodes, def->forceNodeCount, error);
    if (status == VV_OK)
        status = check_nodes(def, "gather", def->gatherNodes, def->gatherNodeCount, error);
    if (status == VV_OK)
        status = check_forces(def, error);
    const int nodes = status == VV_OK ? vvWorldNodeCount(def->worlds[0]) : 0;
    for (int i = 1; status == VV_OK && gathers(def) && !def->gatherNodes && i < def->worldCount; i++)
        if (vvWorldNodeCount(def->worlds[i]) != nodes)
            status = vv_fail(error, VV_ERROR_INPUT,
                             "world %d has %d nodes, and world 0 has %d; name the nodes to gather "
                             "in gatherNodes",
                             i, vvWorldNodeCount(def->worlds[i]), nodes);
    return status;
}

/* ---- steps ------------------------------------------------------------------------------------------------------ */

typedef struct batch_job {
    const vvBatchDef *def;
    size_t gathered;    /* nodes */
    atomic_int failed;  /* the first world that did, or worldCount */
    atomic_int failing; /* 1: somebody writes the two below */
    vvStatus status;
    vvError error;
} batch_job;

/* A world keeps the forces of a step that failed for the next one. These come anew with the next batch. */
static void take_back(const vvBatchDef *def, vvWorld *world, const double *forces)
{
    for (int k = 0; k < def->forceNodeCount; k++) {
        const double *f = forces + 3 * (size_t)k;
        vvWorldApplyForces(world, 1, def->forceNodes + k, (double[3]){ -f[0], -f[1], -f[2] }, NULL);
    }
}

/* One step of a world under its forces. */
static vvStatus one_step(const vvBatchDef *def, int index, vvError *error)
{
    vvWorld *world = def->worlds[index];
    const bool forced = def->forces && def->forceNodeCount;
    const double *forces = forced ? def->forces + 3 * (size_t)def->forceNodeCount * (size_t)index : NULL;
    vvStatus status = VV_OK;
    if (forced)
        status = vvWorldApplyForces(world, def->forceNodeCount, def->forceNodes, forces, error);
    if (status != VV_OK)
        return status;
    status = vvWorldStep(world, NULL, error);
    if (status != VV_OK && forced)
        take_back(def, world, forces);
    return status;
}

static void gather(const batch_job *job, int index, const double *from, double *to)
{
    const vvBatchDef *def = job->def;
    if (!to || !from)
        return;
    to += 3 * job->gathered * (size_t)index;
    if (!def->gatherNodes) {
        memcpy(to, from, 3 * job->gathered * sizeof *to);
        return;
    }
    for (size_t k = 0; k < job->gathered; k++)
        memcpy(to + 3 * k, from + 3 * def->gatherNodes[k], 3 * sizeof *to);
}

/* The first world of the list that fails is the one that is told of, whichever thread is the first. */
static void note(batch_job *job, int index, vvStatus status, const vvError *error)
{
    while (atomic_exchange(&job->failing, 1))
        ;
    if (index < atomic_load(&job->failed)) {
        atomic_store(&job->failed, index);
        job->status = status;
        job->error = *error;
    }
    atomic_store(&job->failing, 0);
}

static void step_world(void *arg, int index)
{
    batch_job *job = arg;
    const vvBatchDef *def = job->def;
    vvWorld *world = def->worlds[index];
    vvError error = { 0 };
    vvStatus status = VV_OK;
    int made = 0;
    while (made < def->steps && (status = one_step(def, index, &error)) == VV_OK)
        made++;
    if (status == VV_OK && def->rows)
        status = vvWorldLedger(world, def->rows + index, &error);
    if (gathers(def)) {
        gather(job, index, vvWorldPositions(world), def->positions);
        gather(job, index, vvWorldVelocities(world), def->velocities);
    }
    if (def->statuses)
        def->statuses[index] = status;
    if (def->stepsMade)
        def->stepsMade[index] = made;
    if (def->errors)
        def->errors[index] = error;
    if (status != VV_OK)
        note(job, index, status, &error);
}

vvStatus vvBatchStep(vvBatch *batch, const vvBatchDef *def, vvError *error)
{
    vv_error_clear(error);
    if (!batch || !def)
        return vv_fail(error, VV_ERROR_INPUT, "vvBatchStep needs %s, found NULL", batch ? "a definition" : "a batch");
    if (vv_memory_in_host())
        return vv_fail(error, VV_ERROR_INPUT,
                       "vvBatchStep was called by an allocator, whose functions must not call "
                       "those of a world");
    if (atomic_flag_test_and_set(&batch->busy))
        return vv_fail(error, VV_ERROR_INPUT,
                       "vvBatchStep was called while the batch steps: by a callback of one of its "
                       "worlds, or in another thread");
    vvStatus status = check(def, error);
    if (status == VV_OK) {
        const int nodes = def->gatherNodes ? def->gatherNodeCount : vvWorldNodeCount(def->worlds[0]);
        batch_job job = { .def = def, .gathered = (size_t)nodes };
        atomic_init(&job.failed, def->worldCount);
        atomic_init(&job.failing, 0);
        if (batch->pool) {
            vv_pool_run(batch->pool, def->worldCount, step_world, &job);
        } else {
            for (int i = 0; i < def->worldCount; i++)
                step_world(&job, i);
        }
        const int failed = atomic_load(&job.failed);
        if (failed < def->worldCount)
            status = vv_fail(error, job.status, "world %d: %.1000s", failed, job.error.message);
    }
    atomic_flag_clear(&batch->busy);
    return status;
}
