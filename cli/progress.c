/* Progress on stderr (a bar with time left on a terminal, plain lines in a pipe), and Ctrl-C. */
#include "cli.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* ---- Ctrl-C: a signal handler can only reach a static ---- */

static volatile sig_atomic_t interrupted;
static struct timespec first_time;

/* The first asks to stop; one that comes a second later or more ends the program. (Tools such as `timeout` send the
 * same signal twice at once, to the process and to its group.) */
static void on_interrupt(int signal_number)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!interrupted) {
        interrupted = 1;
        first_time = now;
    } else if (now.tv_sec - first_time.tv_sec + 1e-9 * (double)(now.tv_nsec - first_time.tv_nsec) > 1) {
        signal(signal_number, SIG_DFL);
        raise(signal_number);
    }
}

static pid_t self; /* not its children between fork and exec */

/* Until a command asks for itself, nothing is half done, and the program may end anywhere. */
static void on_early_interrupt(int signal_number)
{
    static const char clear[] = "\r\033[K", words[] = "visviva: interrupted\n";
    (void)signal_number;
    bool told = getpid() != self || (isatty(STDERR_FILENO) == 1 && write(STDERR_FILENO, clear, sizeof clear - 1) < 0) ||
                write(STDERR_FILENO, words, sizeof words - 1) < 0;
    (void)told;
    _exit(VV_EXIT_INTERRUPTED);
}

void vv_cli_expect_interrupt(void)
{
    struct sigaction action = { .sa_handler = on_early_interrupt }, before;
    sigemptyset(&action.sa_mask);
    self = getpid();
    if (sigaction(SIGINT, NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* nohup, and shells' background jobs */
        sigaction(SIGINT, &action, NULL);
}

void vv_cli_catch_interrupt(void)
{
    struct sigaction action = { .sa_handler = on_interrupt };
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool vv_cli_interrupted(void) { return interrupted != 0; }

bool vv_cli_cancel(void *user)
{
    (void)user;
    return interrupted != 0;
}

/* ---- the bar ---- */

static const double bar_every = 0.1; /* s between drawings */
static const double line_every = 2;  /* s between lines in a pipe; longer as the run grows */

void vv_progress_start(vv_progress *progress, const char *what, double total, bool quiet)
{
    *progress = (vv_progress){ .what = what,
                               .total = total,
                               .began = vv_cli_seconds(),
                               .shown = -1e300,
                               .quiet = quiet,
                               .tty = isatty(STDERR_FILENO) == 1 };
    if (!progress->tty)
        progress->shown = progress->began;
}

static double pipe_wait(int lines) { return line_every * (lines < 10 ? 1 : lines < 20 ? 5 : lines < 40 ? 30 : 150); }

static int terminal_width(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20)
        return size.ws_col;
    return 80;
}

static double part(const vv_progress *progress, double done)
{
    double p = progress->total > 0 ? done / progress->total : 1;
    return p < 0 ? 0 : p > 1 ? 1 : p;
}

/* How much of the detail "a, b, c" fits: whole parts of it, the first ones. */
static int fitting(const char *detail, int room)
{
    int length = (int)strlen(detail), fits = 0;
    for (int i = 0; i <= length && i <= room; i++)
        if (!detail[i] || (detail[i] == ',' && detail[i + 1] == ' '))
            fits = i;
    return fits;
}

/* On a narrow terminal the bar is shorter, then parts of the detail are left out, the last ones first. */
static void draw_bar(vv_progress *progress, double p, const char *left, const char *detail)
{
    enum { CELLS = 10, FEWEST = 4 };
    char bar[CELLS + 1], rest[64], line[512];
    int width = terminal_width() - 1;
    snprintf(rest, sizeof rest, " %3.0f%%  %s left  ", floor(100 * p), left);
    int room = width - (int)(strlen(progress->what) + strlen(" []") + strlen(rest)), cells = room - (int)strlen(detail);
    cells = cells > CELLS ? CELLS : cells < FEWEST ? FEWEST : cells;
    if (progress->cells && progress->cells < cells) /* it does not jump with every digit */
        cells = progress->cells;
    progress->cells = cells;
    for (int i = 0; i < cells; i++)
        bar[i] = i < (int)lround(p * cells) ? '#' : '.';
    bar[cells] = 0;
    snprintf(line, sizeof line, "%s [%s]%s%.*s", progress->what, bar, rest, fitting(detail, room - cells), detail);
    if (width > 0 && strlen(line) > (size_t)width)
        line[width] = 0;
    vv_cli_show_line(line, true);
}

void vv_progress_update(vv_progress *progress, double done, const char *detail)
{
    if (progress->quiet)
        return;
    vv_cli_phase("%s: %s", progress->what, detail); /* if what comes next takes long */
    double now = vv_cli_seconds(), p = part(progress, done);
    double wait = progress->tty ? bar_every : pipe_wait(progress->lines);
    if (now - progress->shown < wait)
        return;
    progress->shown = now;
    progress->lines++;
    char left[VV_TEXT];
    double spent = now - progress->began, moved = done - progress->first;
    vv_text_duration(left, moved > 0 && spent > 0.2 ? spent * (progress->total - done) / moved : -1);
    if (progress->tty)
        draw_bar(progress, p, left, detail);
    else {
        char line[512];
        snprintf(line, sizeof line, "%s: %.0f%%, %s left, %s", progress->what, floor(100 * p), left, detail);
        vv_cli_show_line(line, false);
    }
}

void vv_progress_finish(vv_progress *progress)
{
    if (!progress->quiet)
        vv_cli_clear_line();
}

/* ---- work of the library ---- */

static void follow(void *user, const char *what, double done)
{
    vv_following *f = user;
    char now[sizeof f->what];
    snprintf(now, sizeof now, "%s: %.250s", f->command, what);
    if (!f->begun || strcmp(now, f->what) != 0) {
        vv_following_finish(f);
        memcpy(f->what, now, sizeof now);
        vv_progress_start(&f->progress, f->what, 1, f->quiet);
        f->progress.shown = f->progress.began; /* what is done in a moment needs no line */
        f->begun = true;
    }
    vv_progress_update(&f->progress, done, "Ctrl-C stops it");
}

vvWatch vv_cli_watch(vv_following *f) { return (vvWatch){ .cancel = vv_cli_cancel, .progress = follow, .user = f }; }

void vv_following_finish(vv_following *f)
{
    if (f->begun && f->progress.lines)
        vv_progress_finish(&f->progress);
    f->begun = false;
}
