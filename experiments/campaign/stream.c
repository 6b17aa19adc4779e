/* A stream of scenes by their seeds, each step checked (trial.h), until there are as many steps as asked for.
 *
 *   stream FILE [--steps N] [--seconds S]   goes on where FILE ends: a line for each scene, which is all the state;
 *                                           --first SEED: begins there
 *   stream FILE --table                     prints what FILE has, as Markdown
 *   stream --one SEED [ATTEMPT]             that scene again, and its text
 *   stream --cut SEED ATTEMPT               the least scene with the same fault: fewer bodies, cells, steps
 *
 * Exit code 1: there are faults. Scenes are run in two child processes, so that one that crashes, or takes a minute of
 * processor time for a step, is a line like others. */
#define _POSIX_C_SOURCE 200809L
#include "trial.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 2, CHUNK = 20, ATTEMPTS = 40, LINE = 1024, MOST_SECONDS = 240 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the lines of the file ---- */

static const char header[] = "seed,attempt,fault,steps,nodes,median,worst,warnings,scheme,policy,solver,contact,what\n";

static void print_line(FILE *out, const plan *p, int attempt, const trial *t)
{
    char what[sizeof t->what];
    snprintf(what, sizeof what, "%s", t->what);
    for (char *c = what; *c; c++)
        if (*c == '\n' || *c == ',')
            *c = ';';
    fprintf(out, "%llu,%d,%s,%d,%d,%.3g,%.3g,%d,%s,%s,%s,%s,%s\n", (unsigned long long)p->seed, attempt,
            fault_name[t->fault], t->steps, t->nodes, t->median, t->worst, t->warnings, p->scheme, p->policy, p->solver,
            p->contact, what);
    fflush(out);
}

/* Those methods that are allowed, by trying; of all that were refused the number. */
static trial run_seed(uint64_t seed, int attempt, FILE *out)
{
    trial t = { .fault = REFUSED };
    for (int a = attempt < 0 ? 0 : attempt; t.fault == REFUSED && a < ATTEMPTS; a++) {
        const plan p = plan_draw(seed, a);
        if (out)
            fprintf(out, "?%llu,%d\n", (unsigned long long)seed, a), fflush(out);
        t = trial_run(&p, seed % 4 == 0);
        if (out && t.fault != REFUSED)
            print_line(out, &p, a, &t);
        if (attempt >= 0)
            break;
    }
    return t;
}

/* ---- children ---- */

typedef struct worker {
    pid_t child;
    FILE *from;
    int fd;
    uint64_t seed, end; /* at work on; one past its last */
    int attempt;
    double since;
} worker;

static void start(worker *w, uint64_t first)
{
    int ends[2];
    if (pipe(ends) != 0) {
        perror("stream");
        exit(2);
    }
    w->seed = first, w->since = now(), w->attempt = 0;
    w->child = fork();
    if (w->child == 0) {
        FILE *out = fdopen(ends[1], "w");
        close(ends[0]);
        setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
        for (uint64_t s = first; s < w->end && out; s++)
            run_seed(s, -1, out);
        _exit(0);
    }
    close(ends[1]);
    w->fd = ends[0];
    w->from = fdopen(ends[0], "r");
    setvbuf(w->from, NULL, _IONBF, 0); /* what is read is what was waited for */
}

typedef struct stream {
    FILE *file;
    uint64_t next;
    long long steps, wanted;
    long scenes, faults;
    double end;
} stream;

static void take_line(stream *s, worker *w, const char *line)
{
    if (line[0] == '?') {
        sscanf(line, "?%llu,%d", (unsigned long long *)&w->seed, &w->attempt);
        w->since = now();
        return;
    }
    fputs(line, s->file);
    fflush(s->file);
    char name[64] = "";
    int steps = 0;
    sscanf(line, "%*u,%*d,%63[^,],%d", name, &steps);
    s->steps += steps;
    s->scenes++;
    for (fault f = ENDED + 1; f < FAULTS; f++)
        if (strcmp(name, fault_name[f]) == 0) {
            s->faults++;
            fprintf(stderr, "\nstream: %s", line);
        }
    if (s->scenes % 20 == 0)
        fprintf(stderr, "\rstream: %ld scenes, %lld of %lld steps, %ld faults ", s->scenes, s->steps, s->wanted,
                s->faults);
}

/* The scene that it was at is a fault, and the rest goes on in another child. */
static void bury(stream *s, worker *w, bool hung)
{
    int status = 0;
    if (hung)
        kill(w->child, SIGKILL);
    waitpid(w->child, &status, 0);
    fclose(w->from);
    w->from = NULL;
    if (!hung && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return;
    trial t = { .fault = hung ? HUNG : CRASHED };
    char line[LINE];
    if (WIFSIGNALED(status))
        snprintf(t.what, sizeof t.what, "signal %d", WTERMSIG(status));
    const plan p = plan_draw(w->seed, w->attempt);
    FILE *text = fmemopen(line, sizeof line, "w");
    print_line(text, &p, w->attempt, &t);
    fclose(text);
    take_line(s, w, line);
    if (w->seed + 1 < w->end)
        start(w, w->seed + 1);
}

static void go(stream *s)
{
    worker w[WORKERS] = { { 0 } };
    for (;;) {
        bool busy = false;
        for (int i = 0; i < WORKERS; i++) {
            if (!w[i].from && s->steps < s->wanted && now() < s->end) {
                w[i].end = s->next + CHUNK;
                start(&w[i], s->next);
                s->next += CHUNK;
            }
            busy = busy || w[i].from;
        }
        if (!busy)
            break;
        struct pollfd fds[WORKERS];
        for (int i = 0; i < WORKERS; i++)
            fds[i] = (struct pollfd){ w[i].from ? w[i].fd : -1, POLLIN, 0 };
        poll(fds, WORKERS, 1000);
        for (int i = 0; i < WORKERS; i++) {
            char line[LINE];
            if (w[i].from && fds[i].revents && !fgets(line, sizeof line, w[i].from))
                bury(s, &w[i], false);
            else if (w[i].from && fds[i].revents)
                take_line(s, &w[i], line);
            else if (w[i].from && now() - w[i].since > MOST_SECONDS)
                bury(s, &w[i], true);
        }
    }
}

/* ---- the table ---- */

typedef struct tally {
    char name[64];
    long scenes, steps;
    double ratio[3]; /* of its scenes' worst step over the median one: sum of logarithms, worst, its seed */
    double slowest;  /* s: the worst step */
} tally;

static void add(tally *list, int *count, int most, const char *name, long steps, double median, double worst,
                double seed)
{
    int i = 0;
    while (i < *count && strcmp(list[i].name, name) != 0)
        i++;
    if (i == most)
        return;
    if (i == *count)
        snprintf(list[(*count)++].name, sizeof list->name, "%s", name);
    list[i].scenes++;
    list[i].steps += steps;
    if (!(median > 0))
        return;
    list[i].ratio[0] += log(worst / median);
    if (worst / median > list[i].ratio[1])
        list[i].ratio[1] = worst / median, list[i].ratio[2] = seed;
    list[i].slowest = fmax(list[i].slowest, worst);
}

static void print_tallies(const char *what, const tally *list, int count)
{
    printf("\n| %s | scenes | steps | worst step over the median one, mean of scenes | the most | its seed | longest "
           "step, s |\n| --- | --- | --- | --- | --- | --- | --- |\n",
           what);
    for (int i = 0; i < count; i++)
        printf("| %s | %ld | %ld | %.1f | %.0f | %.0f | %.2f |\n", list[i].name, list[i].scenes, list[i].steps,
               exp(list[i].ratio[0] / (double)list[i].scenes), list[i].ratio[1], list[i].ratio[2], list[i].slowest);
}

static int print_table(const char *path)
{
    enum { MOST = 32 };
    static tally solvers[MOST], contacts[MOST];
    long count[FAULTS] = { 0 }, scenes = 0, steps = 0, faults = 0;
    int solver_count = 0, contact_count = 0;
    char line[LINE];
    FILE *in = fopen(path, "r");
    if (!in) {
        perror(path);
        return 2;
    }
    while (fgets(line, sizeof line, in)) {
        char name[64], solver[64], contact[64];
        double seed, median, worst;
        long n;
        if (sscanf(line, "%lf,%*d,%63[^,],%ld,%*d,%lf,%lf,%*d,%*[^,],%*[^,],%63[^,],%63[^,]", &seed, name, &n, &median,
                   &worst, solver, contact) != 7)
            continue;
        for (int f = 0; f < FAULTS; f++)
            if (strcmp(name, fault_name[f]) == 0)
                count[f]++, faults += fault_counts((fault)f);
        scenes++, steps += n;
        add(solvers, &solver_count, MOST, solver, n, median, worst, seed);
        add(contacts, &contact_count, MOST, contact, n, median, worst, seed);
    }
    fclose(in);
    printf("%ld scenes, %ld steps.\n\n| what | scenes |\n| --- | --- |\n", scenes, steps);
    for (int f = 0; f < FAULTS; f++)
        if (f != REFUSED)
            printf("| %s | %ld |\n", fault_name[f], count[f]);
    print_tallies("solver", solvers, solver_count);
    print_tallies("contact", contacts, contact_count);
    return faults > 0;
}

/* ---- the least scene with a fault ---- */

/* In a child, since it may crash. */
static fault fault_of(const plan *p)
{
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CPU, &(struct rlimit){ MOST_SECONDS, MOST_SECONDS });
        setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
        _exit((int)trial_run(p, true).fault);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? (fault)WEXITSTATUS(status) : WTERMSIG(status) == SIGXCPU ? HUNG : CRASHED;
}

static bool keep(plan *p, const plan *less, fault f)
{
    if (fault_of(less) != f)
        return false;
    *p = *less;
    return true;
}

static plan cut(plan p, fault f)
{
    for (bool again = true; again;) {
        again = false;
        for (int b = 0; b < PLAN_BODIES; b++) {
            plan less = p;
            less.body[b].there = false;
            again = (p.body[b].there && plan_count(&p) > 1 && keep(&p, &less, f)) || again;
            less = p;
            less.body[b].cells = 1;
            again = (p.body[b].there && p.body[b].cells > 1 && keep(&p, &less, f)) || again;
        }
        plan less = p;
        less.obstacle = 0;
        again = (p.obstacle && keep(&p, &less, f)) || again;
        less = p;
        less.steps = p.steps / 2;
        again = (p.steps > 1 && keep(&p, &less, f)) || again;
    }
    return p;
}

static int print_one(uint64_t seed, int attempt, bool less)
{
    char text[PLAN_TEXT];
    bool first = attempt < 0; /* the first that is allowed */
    plan p = plan_draw(seed, attempt = first ? 0 : attempt);
    while (first && attempt + 1 < ATTEMPTS && fault_of(&p) == REFUSED)
        p = plan_draw(seed, ++attempt);
    if (less)
        p = cut(p, fault_of(&p));
    const trial t = trial_run(&p, true);
    plan_write(&p, text);
    fputs(text, stdout);
    fprintf(stderr, "%s", header);
    print_line(stderr, &p, attempt, &t);
    return fault_counts(t.fault);
}

/* ---- main ---- */

static void read_back(stream *s, const char *path)
{
    char line[LINE];
    FILE *in = fopen(path, "r");
    bool empty = true;
    while (in && fgets(line, sizeof line, in)) {
        unsigned long long seed;
        int steps;
        empty = false;
        if (sscanf(line, "%llu,%*d,%*[^,],%d", &seed, &steps) != 2)
            continue;
        s->scenes++, s->steps += steps;
        if (seed >= s->next)
            s->next = (seed / CHUNK + 1) * CHUNK;
    }
    if (in)
        fclose(in);
    s->file = fopen(path, "a");
    if (!s->file) {
        perror(path);
        exit(2);
    }
    if (empty)
        fputs(header, s->file);
}

int main(int argc, char **argv)
{
    if (argc >= 3 && (strcmp(argv[1], "--one") == 0 || strcmp(argv[1], "--cut") == 0))
        return print_one(strtoull(argv[2], NULL, 10), argc > 3 ? atoi(argv[3]) : -1, argv[1][2] == 'c');
    if (argc == 3 && strcmp(argv[2], "--table") == 0)
        return print_table(argv[1]);
    stream s = { .wanted = 1000000, .end = INFINITY };
    for (int i = 2; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "--steps") == 0)
            s.wanted = atoll(argv[i + 1]);
        else if (strcmp(argv[i], "--seconds") == 0)
            s.end = now() + atof(argv[i + 1]);
        else if (strcmp(argv[i], "--first") == 0)
            s.next = (uint64_t)atoll(argv[i + 1]);
    if (argc < 2 || argc % 2 != 0) {
        fprintf(stderr, "usage: stream FILE [--steps N] [--seconds S] [--first SEED] | FILE --table | --one SEED | "
                        "--cut SEED ATTEMPT\n");
        return 2;
    }
    read_back(&s, argv[1]);
    go(&s);
    fprintf(stderr, "\rstream: %ld scenes, %lld steps, %ld faults in this part          \n", s.scenes, s.steps,
            s.faults);
    fclose(s.file);
    return s.faults > 0;
}
