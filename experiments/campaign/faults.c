/* Preloaded into the program: the k-th call of a function of the system fails, is cut short, or is the process's last.
 *
 *   CAMPAIGN_FAULT=pwrite:17:ENOSPC    the 17th call of pwrite fails so; "+" after the number: and all after it
 *   CAMPAIGN_FAULT=write:3:short       writes half of what it is given
 *   CAMPAIGN_FAULT=pwrite:17:kill      writes half, and the process ends as by kill -9
 *   CAMPAIGN_FAULT=clock:5:back        from there on the clock runs backwards
 *   CAMPAIGN_COUNTS=FILE               at the end: how often each was called
 *
 * What the system's own library calls within itself (the dynamic loader's files, say) is not seen. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

typedef enum function { WRITE, PWRITE, FSYNC, FTRUNCATE, RENAME, OPEN, MMAP, THREAD, CLOCK, FUNCTIONS } function;
static const char *const names[FUNCTIONS] = { "write", "pwrite", "fsync",  "ftruncate", "rename",
                                              "open",  "mmap",   "thread", "clock" };
typedef enum act { PASS, FAIL, SHORT, KILL, BACK } act;

static atomic_long calls[FUNCTIONS];
static struct {
    function function;
    long at;
    int errnum;
    int on; /* and all after it */
    act act;
} fault = { FUNCTIONS, 0, 0, 0, PASS };

static void read_fault(const char *text)
{
    static const struct {
        const char *name;
        int errnum;
    } errors[] = { { "ENOSPC", ENOSPC }, { "EIO", EIO },       { "EINTR", EINTR },   { "EMFILE", EMFILE },
                   { "EACCES", EACCES }, { "ENOMEM", ENOMEM }, { "EAGAIN", EAGAIN }, { "EROFS", EROFS } };
    char name[32] = "", what[32] = "", more = 0;
    long at = 0;
    if (!text || (sscanf(text, "%31[^:]:%ld%c%31[^\n]", name, &at, &more, what) < 4))
        return;
    if (more == '+')
        fault.on = 1, memmove(what, what + 1, strlen(what)); /* the colon */
    for (int f = 0; f < FUNCTIONS; f++)
        if (strcmp(names[f], name) == 0)
            fault.function = (function)f;
    fault.at = at;
    fault.act = strcmp(what, "short") == 0  ? SHORT
                : strcmp(what, "kill") == 0 ? KILL
                : strcmp(what, "back") == 0 ? BACK
                                            : FAIL;
    for (size_t e = 0; e < sizeof errors / sizeof *errors; e++)
        if (strcmp(errors[e].name, what) == 0)
            fault.errnum = errors[e].errnum;
}

__attribute__((constructor)) static void begin(void) { read_fault(getenv("CAMPAIGN_FAULT")); }

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("CAMPAIGN_COUNTS");
    FILE *out = path ? fopen(path, "w") : NULL;
    for (int f = 0; out && f < FUNCTIONS; f++)
        fprintf(out, "%s %ld\n", names[f], atomic_load(&calls[f]));
    if (out)
        fclose(out);
}

static act meet(function f)
{
    const long k = atomic_fetch_add(&calls[f], 1) + 1;
    if (f != fault.function || (fault.on ? k < fault.at : k != fault.at))
        return PASS;
    errno = fault.errnum;
    return fault.act;
}

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

#define REAL(result, name, ...)         \
    static result (*real)(__VA_ARGS__); \
    if (!real)                          \
    *(void **)&real = next(name)

/* Files in memory do not fail: HDF5 closes into one (src/record/hdf.c). */
static int in_memory(int fd)
{
    char link[64], target[16] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    return readlink(link, target, sizeof target - 1) > 0 && strncmp(target, "/memfd:", 7) == 0;
}

/* Half of it, and then no more. */
static void last_words(int fd, const void *data, size_t size, off_t at)
{
    static ssize_t (*real)(int, const void *, size_t, off_t);
    *(void **)&real = next("pwrite");
    if (at < 0 || real(fd, data, size / 2, at) < 0)
        at = -1;
    kill(getpid(), SIGKILL);
}

ssize_t write(int fd, const void *data, size_t size)
{
    REAL(ssize_t, "write", int, const void *, size_t);
    switch (fd > 2 ? meet(WRITE) : PASS) {
    case FAIL: return -1;
    case SHORT: return real(fd, data, size > 1 ? size / 2 : size);
    case KILL: last_words(fd, data, size, -1); return -1;
    default: return real(fd, data, size);
    }
}

#define PWRITE_LIKE(name)                                                  \
    ssize_t name(int fd, const void *data, size_t size, off_t at)          \
    {                                                                      \
        REAL(ssize_t, #name, int, const void *, size_t, off_t);            \
        switch (in_memory(fd) ? PASS : meet(PWRITE)) {                     \
        case FAIL: return -1;                                              \
        case SHORT: return real(fd, data, size > 1 ? size / 2 : size, at); \
        case KILL: last_words(fd, data, size, at); return -1;              \
        default: return real(fd, data, size, at);                          \
        }                                                                  \
    }
PWRITE_LIKE(pwrite)
PWRITE_LIKE(pwrite64)

#define FSYNC_LIKE(name)                  \
    int name(int fd)                      \
    {                                     \
        REAL(int, #name, int);            \
        const act a = meet(FSYNC);        \
        if (a == KILL)                    \
            kill(getpid(), SIGKILL);      \
        return a == FAIL ? -1 : real(fd); \
    }
FSYNC_LIKE(fsync)
FSYNC_LIKE(fdatasync)

#define FTRUNCATE_LIKE(name)                    \
    int name(int fd, off_t size)                \
    {                                           \
        REAL(int, #name, int, off_t);           \
        const act a = meet(FTRUNCATE);          \
        if (a == KILL)                          \
            kill(getpid(), SIGKILL);            \
        return a == FAIL ? -1 : real(fd, size); \
    }
FTRUNCATE_LIKE(ftruncate)
FTRUNCATE_LIKE(ftruncate64)

int rename(const char *from, const char *to)
{
    REAL(int, "rename", const char *, const char *);
    const act a = meet(RENAME);
    if (a == KILL)
        kill(getpid(), SIGKILL);
    return a == FAIL ? -1 : real(from, to);
}

#define OPEN_LIKE(name)                                           \
    int name(const char *path, int flags, ...)                    \
    {                                                             \
        REAL(int, #name, const char *, int, ...);                 \
        mode_t mode = 0;                                          \
        if (flags & (O_CREAT | O_TMPFILE)) {                      \
            va_list list;                                         \
            va_start(list, flags);                                \
            mode = va_arg(list, mode_t);                          \
            va_end(list);                                         \
        }                                                         \
        return meet(OPEN) == FAIL ? -1 : real(path, flags, mode); \
    }
OPEN_LIKE(open)
OPEN_LIKE(open64)

#define FOPEN_LIKE(name)                                     \
    FILE *name(const char *path, const char *mode)           \
    {                                                        \
        REAL(FILE *, #name, const char *, const char *);     \
        return meet(OPEN) == FAIL ? NULL : real(path, mode); \
    }
FOPEN_LIKE(fopen)
FOPEN_LIKE(fopen64)

#define MMAP_LIKE(name)                                                                         \
    void *name(void *at, size_t size, int protection, int flags, int fd, off_t offset)          \
    {                                                                                           \
        REAL(void *, #name, void *, size_t, int, int, int, off_t);                              \
        return meet(MMAP) == FAIL ? MAP_FAILED : real(at, size, protection, flags, fd, offset); \
    }
MMAP_LIKE(mmap)
MMAP_LIKE(mmap64)

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
    REAL(int, "pthread_create", pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    return meet(THREAD) == FAIL ? fault.errnum : real(thread, attr, start, arg);
}

int clock_gettime(clockid_t id, struct timespec *t)
{
    REAL(int, "clock_gettime", clockid_t, struct timespec *);
    const int result = real(id, t);
    if (meet(CLOCK) == BACK)
        t->tv_sec = t->tv_sec > 3600 ? t->tv_sec - 3600 + (t->tv_nsec & 1023) - 2 * (t->tv_nsec & 511) : 0;
    return result;
}
