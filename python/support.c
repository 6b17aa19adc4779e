/* What the Python package adds to the library in C: memory that outlives its release for as long as an array looks at
 * it, and a cancel function that asks Python no more often than it must. Part of the extension module visviva._vv. */
#include <visviva/visviva.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- memory -------------------------------------------------------------------------------------------------------
 * An array of NumPy that shows memory of a world pins its address. A block that is released while an address in it is
 * pinned becomes an orphan, and is freed with its last pin: the array stays readable, though the world has gone or has
 * built itself anew. Worlds release memory in any thread, without Python's lock. */

typedef struct pin {
    const char *at;
    size_t count; /* of arrays */
} pin;
typedef struct orphan {
    char *block;
    size_t bytes;
    struct orphan *next;
} orphan;

static pthread_mutex_t memory_lock = PTHREAD_MUTEX_INITIALIZER;
static pin *pins; /* ascending */
static size_t pin_count, pin_room;
static orphan *orphans;
static size_t live_bytes, orphan_bytes;

static size_t first_pin_from(const char *at)
{
    size_t low = 0, high = pin_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (pins[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_pinned(const char *block, size_t bytes)
{
    const size_t i = first_pin_from(block);
    return i < pin_count && pins[i].at < block + bytes;
}

static void *host_allocate(void *user, size_t bytes, size_t alignment)
{
    void *block = NULL;
    (void)user;
    if (alignment < sizeof(void *))
        alignment = sizeof(void *);
    if (posix_memalign(&block, alignment, bytes ? bytes : 1))
        return NULL;
    pthread_mutex_lock(&memory_lock);
    live_bytes += bytes;
    pthread_mutex_unlock(&memory_lock);
    return block;
}

static void host_release(void *user, void *block, size_t bytes)
{
    (void)user;
    if (!block)
        return;
    pthread_mutex_lock(&memory_lock);
    live_bytes -= bytes;
    if (is_pinned(block, bytes)) {
        orphan *o = malloc(sizeof *o);
        if (o) {
            *o = (orphan){ .block = block, .bytes = bytes, .next = orphans };
            orphans = o;
        }
        /* without memory for the record the block is never freed: a leak, and no array that shows freed memory */
        orphan_bytes += bytes;
        block = NULL;
    }
    pthread_mutex_unlock(&memory_lock);
    free(block);
}

static vvAllocator host_allocator(void) { return (vvAllocator){ host_allocate, host_release, NULL }; }

static void vvpy_host(vvHost *host) { host->allocator = host_allocator(); }

static vvStatus vvpy_thread_allocator(vvError *error)
{
    const vvAllocator allocator = host_allocator();
    return vvSetThreadAllocator(&allocator, error);
}

/* NULL: no memory for it. */
static void *vvpy_pin(const void *at)
{
    pthread_mutex_lock(&memory_lock);
    const size_t i = first_pin_from(at);
    bool done = i < pin_count && pins[i].at == (const char *)at;
    if (!done && pin_count == pin_room) {
        const size_t room = pin_room ? 2 * pin_room : 64;
        pin *more = realloc(pins, room * sizeof *pins);
        if (more) {
            pins = more;
            pin_room = room;
        }
    }
    if (!done && pin_count < pin_room) {
        memmove(&pins[i + 1], &pins[i], (pin_count - i) * sizeof *pins);
        pins[i] = (pin){ .at = at, .count = 0 };
        pin_count++;
        done = true;
    }
    if (done)
        pins[i].count++;
    pthread_mutex_unlock(&memory_lock);
    return done ? (void *)at : NULL;
}

static void vvpy_unpin(void *at)
{
    orphan *gone = NULL;
    pthread_mutex_lock(&memory_lock);
    const size_t i = first_pin_from(at);
    if (i < pin_count && pins[i].at == (const char *)at && --pins[i].count == 0) {
        memmove(&pins[i], &pins[i + 1], (pin_count - i - 1) * sizeof *pins);
        pin_count--;
        for (orphan **o = &orphans; *o;) {
            orphan *it = *o;
            if (is_pinned(it->block, it->bytes)) {
                o = &it->next;
                continue;
            }
            *o = it->next;
            orphan_bytes -= it->bytes;
            it->next = gone;
            gone = it;
        }
    }
    pthread_mutex_unlock(&memory_lock);
    while (gone) {
        orphan *next = gone->next;
        free(gone->block);
        free(gone);
        gone = next;
    }
}

static size_t vvpy_live_bytes(void) { return live_bytes; }
static size_t vvpy_orphan_bytes(void) { return orphan_bytes; }
static size_t vvpy_pin_count(void) { return pin_count; }

/* Around fork(), so that the child gets the memory's lock unlocked. Not through Python's os.register_at_fork: what
 * Python runs between two such calls (another module's handler, a collection of garbage) may release memory and wait
 * for itself. */
static void lock_memory(void) { pthread_mutex_lock(&memory_lock); }
static void unlock_memory(void) { pthread_mutex_unlock(&memory_lock); }

static size_t forks; /* that lie between this process and the one that loaded the module */
static void in_child(void)
{
    unlock_memory();
    forks++;
}
static int vvpy_watch_forks(void) { return pthread_atfork(lock_memory, unlock_memory, in_child); }
static size_t vvpy_forks(void) { return forks; }

/* ---- Ctrl-C, and the caller's own wish to end -----------------------------------------------------------------------
 * The library asks thousands of times a second; Python, whose lock that takes, is asked every 50 ms. */

typedef struct vvpy_watch {
    double asked; /* s */
    void *handle; /* for vvpy_poll */
    atomic_bool stopped;
} vvpy_watch;

static bool vvpy_poll(void *handle);

/* Ends what the world does, until it is to go on; from any thread. */
static void vvpy_stop(vvpy_watch *watch) { atomic_store(&watch->stopped, true); }
static void go_on(vvpy_watch *watch) { atomic_store(&watch->stopped, false); }

static bool watch_wants_to_stop(void *user)
{
    vvpy_watch *watch = user;
    struct timespec now;
    if (atomic_load(&watch->stopped))
        return true;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double seconds = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    if (seconds - watch->asked < 0.05)
        return false;
    watch->asked = seconds;
    if (vvpy_poll(watch->handle))
        vvpy_stop(watch);
    return atomic_load(&watch->stopped);
}

/* The calling thread's calls without a world, one within a callback of another: each ends by its own handle's wish. The
 * watches are static, so that there is always one; calls within more than so many end with the innermost of these. */
enum { MOST_WATCHED = 32 };
static _Thread_local vvpy_watch watches[MOST_WATCHED];
static _Thread_local int watched;

static int vvpy_watched(void) { return watched; }

static void vvpy_watch_thread(int depth, void *handle)
{
    if (depth >= MOST_WATCHED)
        return;
    watches[depth].handle = handle;
    go_on(&watches[depth]);
    watched = depth + 1;
    vvSetThreadCancel(watch_wants_to_stop, &watches[depth]);
}

/* Only the first so many are watched from now on. */
static void vvpy_unwatch_thread(int depth)
{
    if (depth >= MOST_WATCHED)
        return;
    watched = depth;
    vvSetThreadCancel(depth ? watch_wants_to_stop : NULL, depth ? &watches[depth - 1] : NULL);
}

static void vvpy_set_watch(vvWorld *world, vvpy_watch *watch) { vvWorldSetCancel(world, watch_wants_to_stop, watch); }

/* What ended a call, or came too late for it, does not end the next one. */
static void vvpy_go_on(vvWorld *world, vvpy_watch *watch)
{
    go_on(watch);
    vvpy_set_watch(world, watch);
}
