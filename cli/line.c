/* The line of progress that stands on a terminal, and words about a phase that takes long. A thread of its own says
 * them, since what takes long may come back late to say anything. */
#include "cli.h"

#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of everything below */
static bool stands;                                      /* a line of progress, without a line end */
static bool watched;                                     /* the thread runs */
static bool muted;
static char phase[160]; /* "": nothing that could take long */
static double said;     /* when the phase began, or was last spoken of */
static double began;
static int times;

static void clear_line(void)
{
    if (stands)
        fputs("\r\033[K", stderr);
    stands = false;
}

void vv_cli_clear_line(void)
{
    pthread_mutex_lock(&lock);
    clear_line();
    pthread_mutex_unlock(&lock);
}

void vv_cli_show_line(const char *line, bool tty)
{
    pthread_mutex_lock(&lock);
    fflush(stdout);
    fprintf(stderr, tty ? "\r\033[K%s" : "%s\n", line);
    fflush(stderr);
    stands = tty;
    said = vv_cli_seconds();
    pthread_mutex_unlock(&lock);
}

/* Two seconds are a long time without a word; then each second on a terminal, and where lines stay, ever more
 * rarely. */
static double patience(bool tty)
{
    enum { OFTEN = 10 };
    static const double first = 2, most = 60;
    double wait = times == 0 || (!tty && times < OFTEN) ? first
                  : tty                                 ? 1
                        : first * (double)(1 << (times < OFTEN + 5 ? times - OFTEN + 1 : 6));
    return wait < most ? wait : most;
}

static void say_phase(bool tty)
{
    char spent[VV_TEXT];
    double now = vv_cli_seconds();
    if (!phase[0] || muted || now - said < patience(tty))
        return;
    vv_text_duration(spent, now - began);
    fprintf(stderr, tty ? "\r\033[K%s, %s so far" : "%s, %s so far\n", phase, spent);
    fflush(stderr);
    stands = tty;
    said = now;
    times++;
}

static void *watch(void *unused)
{
    bool tty = isatty(STDERR_FILENO) == 1;
    const struct timespec pause = { 0, 200000000 };
    (void)unused;
    for (;;) {
        nanosleep(&pause, NULL);
        pthread_mutex_lock(&lock);
        say_phase(tty);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

/* A child made by fork has no thread, and must not inherit a lock that the thread holds. */
static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }

static void in_child(void)
{
    stands = watched = false;
    phase[0] = 0;
    after_fork();
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void watch_forks(void) { pthread_atfork(before_fork, after_fork, in_child); }

void vv_cli_phase(const char *format, ...)
{
    pthread_t thread;
    va_list args;
    if (format)
        fflush(stdout); /* what was found before the phase comes before its words, also in a pipe */
    pthread_mutex_lock(&lock);
    phase[0] = 0;
    if (format) {
        va_start(args, format);
        vsnprintf(phase, sizeof phase, format, args);
        va_end(args);
    }
    if (times)
        clear_line();
    began = said = vv_cli_seconds();
    times = 0;
    bool start = !watched && format && !muted;
    watched = watched || start;
    pthread_mutex_unlock(&lock);
    pthread_once(&once, watch_forks);
    if (start && pthread_create(&thread, NULL, watch, NULL) == 0)
        pthread_detach(thread);
}

void vv_cli_mute_phases(void)
{
    pthread_mutex_lock(&lock);
    muted = true;
    pthread_mutex_unlock(&lock);
}
