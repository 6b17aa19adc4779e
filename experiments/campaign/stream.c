/* A stream of scenes by their seeds, each step checked (trial.h), until there are as many steps as asked for.
 *
 *   stream FILE [--steps N] [--seconds S]   goes on where FILE ends, which is all the state: what came out, summed up,
 *                                           and a line for each scene with a fault; --first SEED: begins there;
 *                                           --workers 1: one scene at a time
 *   stream FILE --table                     prints what FILE has, as Markdown
 *   stream --one SEED [ATTEMPT]             that scene again, and its text
 *   stream --file SCENE                     checks that scene
 *   stream --cut SEED ATTEMPT               the least scene with the same fault: fewer bodies, cells, steps
 *
 * Exit code 1: there are faults. Scenes are run in two child processes, so that one that crashes, or does not come
 * back, is a line like others. */
#define _POSIX_C_SOURCE 200809L
#include "trial.h"
#include "watch.h"

#include <limits.h>
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

enum { WORKERS = 2, CHUNK = 20, ATTEMPTS = 40, LINE = 1024 };
enum { MOST_SECONDS = 600 }; /* of processor time for a scene, with all its runs; or without any, as one that waits */

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
        char text[PLAN_TEXT];
        if (out)
            fprintf(out, "?%llu,%d\n", (unsigned long long)seed, a), fflush(out);
        plan_write(&p, text);
        t = trial_run(text, seed % 4 == 0);
        if (out && t.fault != REFUSED)
            print_line(out, &p, a, &t);
        if (attempt >= 0)
            break;
    }
    return t;
}

/* ---- what came out ---- */

typedef struct tally {
    char name[64];
    long scenes, steps;
    double ratio[3]; /* of its scenes' worst step over the median one: sum of logarithms, the most, its seed */
    double slowest;  /* s: the worst step */
} tally;

enum { MOST_TALLIES = 32, MOST_LINES = 1000 };
typedef struct tallies {
    tally list[MOST_TALLIES];
    int count;
} tallies;

typedef struct sums {
    long ended[FAULTS];
    tallies solvers, contacts;
    char *lines[MOST_LINES]; /* of scenes with a fault */
    int line_count;
} sums;

static tally *find_tally(tallies *t, const char *name)
{
    int i = 0;
    while (i < t->count && strcmp(t->list[i].name, name) != 0)
        i++;
    if (i == MOST_TALLIES)
        exit(2);
    if (i == t->count)
        snprintf(t->list[t->count++].name, sizeof t->list->name, "%s", name);
    return t->list + i;
}

static void add_tally(tallies *t, const tally *more)
{
    tally *own = find_tally(t, more->name);
    own->scenes += more->scenes;
    own->steps += more->steps;
    own->ratio[0] += more->ratio[0];
    if (more->ratio[1] > own->ratio[1])
        own->ratio[1] = more->ratio[1], own->ratio[2] = more->ratio[2];
    own->slowest = fmax(own->slowest, more->slowest);
}

static void keep_line(sums *s, const char *line)
{
    if (s->line_count < MOST_LINES)
        s->lines[s->line_count++] = strdup(line);
}

static fault named(const char *name)
{
    int f = 0;
    while (f < FAULTS - 1 && strcmp(name, fault_name[f]) != 0)
        f++;
    return (fault)f;
}

/* Returns the steps of the scene. */
static long add_line(sums *s, const char *line)
{
    tally one = { .scenes = 1 };
    char name[64], contact[64];
    double seed, median, worst;
    if (sscanf(line, "%lf,%*d,%63[^,],%ld,%*d,%lf,%lf,%*d,%*[^,],%*[^,],%63[^,],%63[^,]", &seed, name, &one.steps,
               &median, &worst, one.name, contact) != 7)
        return 0;
    const fault f = named(name);
    s->ended[f]++;
    if (fault_counts(f))
        keep_line(s, line);
    if (median > 0)
        one.ratio[0] = log(worst / median), one.ratio[1] = worst / median, one.ratio[2] = seed;
    one.slowest = worst;
    add_tally(&s->solvers, &one);
    snprintf(one.name, sizeof one.name, "%s", contact);
    add_tally(&s->contacts, &one);
    return one.steps;
}

static void merge(sums *all, sums *part)
{
    for (int f = 0; f < FAULTS; f++)
        all->ended[f] += part->ended[f];
    for (int i = 0; i < part->solvers.count; i++)
        add_tally(&all->solvers, part->solvers.list + i);
    for (int i = 0; i < part->contacts.count; i++)
        add_tally(&all->contacts, part->contacts.list + i);
    for (int i = 0; i < part->line_count; i++)
        all->lines[all->line_count < MOST_LINES ? all->line_count++ : MOST_LINES - 1] = part->lines[i];
    memset(part, 0, sizeof *part);
}

static long steps_of(const sums *s)
{
    long steps = 0;
    for (int i = 0; i < s->contacts.count; i++)
        steps += s->contacts.list[i].steps;
    return steps;
}

static long faults_of(const sums *s)
{
    long faults = 0;
    for (int f = 0; f < FAULTS; f++)
        faults += fault_counts((fault)f) ? s->ended[f] : 0;
    return faults;
}

/* ---- children ---- */

typedef struct worker {
    pid_t child;
    FILE *from;
    int fd;
    uint64_t seed, first, end; /* at work on; the first of its chunk, one past the last */
    int attempt;
    watch watch;
    sums sums; /* of its chunk */
} worker;

typedef struct stream {
    const char *path;
    sums sums;                    /* of whole chunks */
    uint64_t next, open[WORKERS]; /* chunks that were at work; 0: none */
    long steps, wanted;
    int workers; /* at most */
    double end;
    worker worker[WORKERS];
} stream;

static void start(worker *w, uint64_t first)
{
    int ends[2];
    if (pipe(ends) != 0) {
        perror("stream");
        exit(2);
    }
    w->seed = first, w->attempt = 0;
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
    watch_begin(&w->watch, w->child, now());
    w->fd = ends[0];
    w->from = fdopen(ends[0], "r");
    setvbuf(w->from, NULL, _IONBF, 0); /* what is read is what was waited for */
}

static void write_state(const stream *s)
{
    char part[PATH_MAX];
    if (strcmp(s->path, "/dev/null") == 0)
        return;
    snprintf(part, sizeof part, "%s.part", s->path);
    FILE *out = fopen(part, "w");
    if (!out) {
        perror(part);
        exit(2);
    }
    fprintf(out, "next %llu\n", (unsigned long long)s->next);
    for (int i = 0; i < WORKERS; i++)
        if (s->worker[i].from)
            fprintf(out, "open %llu\n", (unsigned long long)s->worker[i].first);
    for (int f = 0; f < FAULTS; f++)
        fprintf(out, "ended %ld %s\n", s->sums.ended[f], fault_name[f]);
    for (int k = 0; k < 2; k++) {
        const tallies *t = k ? &s->sums.contacts : &s->sums.solvers;
        for (int i = 0; i < t->count; i++)
            fprintf(out, "%s %s %ld %ld %.9g %.9g %.17g %.9g\n", k ? "contact" : "solver", t->list[i].name,
                    t->list[i].scenes, t->list[i].steps, t->list[i].ratio[0], t->list[i].ratio[1], t->list[i].ratio[2],
                    t->list[i].slowest);
    }
    for (int i = 0; i < s->sums.line_count; i++)
        fprintf(out, "fault %s", s->sums.lines[i]);
    fclose(out);
    rename(part, s->path);
}

static void read_state(stream *s)
{
    char line[LINE];
    int open = 0;
    FILE *in = fopen(s->path, "r");
    while (in && fgets(line, sizeof line, in)) {
        char kind[16] = "", name[64];
        unsigned long long seed;
        long count;
        tally t = { 0 };
        if (sscanf(line, "next %llu", &seed) == 1)
            s->next = seed;
        else if (sscanf(line, "open %llu", &seed) == 1 && open < WORKERS)
            s->open[open++] = seed;
        else if (sscanf(line, "ended %ld %63[^\n]", &count, name) == 2)
            s->sums.ended[named(name)] = count;
        else if (strncmp(line, "fault ", 6) == 0)
            keep_line(&s->sums, line + 6);
        else if (sscanf(line, "%15s %63s %ld %ld %lf %lf %lf %lf", kind, t.name, &t.scenes, &t.steps, t.ratio,
                        t.ratio + 1, t.ratio + 2, &t.slowest) == 8)
            add_tally(strcmp(kind, "contact") == 0 ? &s->sums.contacts : &s->sums.solvers, &t);
    }
    if (in)
        fclose(in);
    s->steps = steps_of(&s->sums);
}

static void take_line(stream *s, worker *w, const char *line)
{
    if (line[0] == '?') {
        sscanf(line, "?%llu,%d", (unsigned long long *)&w->seed, &w->attempt);
        watch_begin(&w->watch, w->child, now());
        return;
    }
    const long before = faults_of(&w->sums);
    s->steps += add_line(&w->sums, line);
    if (faults_of(&w->sums) > before)
        fprintf(stderr, "\nstream: %s", line);
    fprintf(stderr, "\rstream: %ld of %ld steps ", s->steps, s->wanted);
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
    if (hung || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        trial t = { .fault = hung ? HUNG : CRASHED };
        char line[LINE] = "";
        if (WIFSIGNALED(status))
            snprintf(t.what, sizeof t.what, "signal %d", WTERMSIG(status));
        const plan p = plan_draw(w->seed, w->attempt);
        FILE *text = fmemopen(line, sizeof line, "w");
        print_line(text, &p, w->attempt, &t);
        fclose(text);
        take_line(s, w, line);
        if (w->seed + 1 < w->end) {
            start(w, w->seed + 1);
            return;
        }
    }
    merge(&s->sums, &w->sums);
    write_state(s);
}

/* The next chunk: one that was not finished, or a new one. */
static uint64_t next_chunk(stream *s)
{
    for (int i = 0; i < WORKERS; i++)
        if (s->open[i]) {
            const uint64_t first = s->open[i];
            s->open[i] = 0;
            return first;
        }
    s->next += CHUNK;
    return s->next - CHUNK;
}

static void go(stream *s)
{
    for (;;) {
        bool busy = false;
        for (int i = 0; i < WORKERS; i++) {
            worker *w = s->worker + i;
            if (i < s->workers && !w->from && s->steps < s->wanted && now() < s->end) {
                w->first = next_chunk(s);
                w->end = w->first + CHUNK;
                start(w, w->first);
            }
            busy = busy || w->from;
        }
        if (!busy)
            return;
        struct pollfd fds[WORKERS];
        for (int i = 0; i < WORKERS; i++)
            fds[i] = (struct pollfd){ s->worker[i].from ? s->worker[i].fd : -1, POLLIN, 0 };
        poll(fds, WORKERS, 1000);
        for (int i = 0; i < WORKERS; i++) {
            worker *w = s->worker + i;
            char line[LINE];
            if (w->from && fds[i].revents && !fgets(line, sizeof line, w->from))
                bury(s, w, false);
            else if (w->from && fds[i].revents)
                take_line(s, w, line);
            else if (w->from && watch_hung(&w->watch, now(), MOST_SECONDS, MOST_SECONDS))
                bury(s, w, true);
        }
    }
}

/* ---- the table ---- */

static void print_tallies(const char *what, const tallies *t)
{
    printf("\n| %s | scenes | steps | worst step over the median one, mean of scenes | the most | its seed | longest "
           "step, s |\n| --- | --- | --- | --- | --- | --- | --- |\n",
           what);
    for (int i = 0; i < t->count; i++)
        printf("| %s | %ld | %ld | %.1f | %.0f | %.0f | %.2f |\n", t->list[i].name, t->list[i].scenes, t->list[i].steps,
               exp(t->list[i].ratio[0] / (double)t->list[i].scenes), t->list[i].ratio[1], t->list[i].ratio[2],
               t->list[i].slowest);
}

static int print_table(const sums *s)
{
    long scenes = 0;
    for (int f = 0; f < FAULTS; f++)
        scenes += s->ended[f];
    printf("%ld scenes, %ld steps, %ld faults.\n\n| what | scenes |\n| --- | --- |\n", scenes, steps_of(s),
           faults_of(s));
    for (int f = 0; f < FAULTS; f++)
        if (f != REFUSED)
            printf("| %s | %ld |\n", fault_name[f], s->ended[f]);
    print_tallies("solver", &s->solvers);
    print_tallies("contact", &s->contacts);
    for (int i = 0; i < s->line_count; i++)
        printf("%s- %s", i ? "" : "\n", s->lines[i]);
    return faults_of(s) > 0;
}

/* ---- the least scene with a fault ---- */

/* In a child, since it may crash. */
static fault fault_of(const plan *p)
{
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        char text[PLAN_TEXT];
        plan_write(p, text);
        setrlimit(RLIMIT_CPU, &(struct rlimit){ MOST_SECONDS, MOST_SECONDS });
        setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
        _exit((int)trial_run(text, true).fault);
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
    plan_write(&p, text);
    const trial t = trial_run(text, true);
    fputs(text, stdout);
    fprintf(stderr, "%s", header);
    print_line(stderr, &p, attempt, &t);
    return fault_counts(t.fault);
}

/* A scene that once had a fault. */
static int check_file(const char *path)
{
    static char text[PLAN_TEXT];
    FILE *in = fopen(path, "r");
    if (!in) {
        perror(path);
        return 2;
    }
    text[fread(text, 1, sizeof text - 1, in)] = 0;
    fclose(in);
    const trial t = trial_run(text, true);
    printf("%s: %s, %d steps: %s\n", path, fault_name[t.fault], t.steps, t.what);
    return fault_counts(t.fault) || t.fault == REFUSED;
}

/* ---- main ---- */

int main(int argc, char **argv)
{
    static stream s = { .next = 1, .wanted = 1000000, .workers = WORKERS, .end = INFINITY };
    if (argc >= 3 && (strcmp(argv[1], "--one") == 0 || strcmp(argv[1], "--cut") == 0))
        return print_one(strtoull(argv[2], NULL, 10), argc > 3 ? atoi(argv[3]) : -1, argv[1][2] == 'c');
    if (argc == 3 && strcmp(argv[1], "--file") == 0)
        return check_file(argv[2]);
    const bool named = argc > 1 && argv[1][0] != '-';
    s.path = named ? argv[1] : "";
    read_state(&s);
    if (named && argc == 3 && strcmp(argv[2], "--table") == 0)
        return print_table(&s.sums);
    for (int i = 2; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "--steps") == 0)
            s.wanted = atol(argv[i + 1]);
        else if (strcmp(argv[i], "--seconds") == 0)
            s.end = now() + atof(argv[i + 1]);
        else if (strcmp(argv[i], "--first") == 0)
            s.next = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--workers") == 0)
            s.workers = atoi(argv[i + 1]);
    if (!named || argc % 2 != 0) {
        fprintf(stderr, "usage: stream FILE [--steps N] [--seconds S] [--first SEED] [--workers 1] | FILE --table | "
                        "--one SEED | --file "
                        "SCENE | --cut SEED ATTEMPT\n");
        return 2;
    }
    const long before = faults_of(&s.sums);
    go(&s);
    fprintf(stderr, "\rstream: %ld steps, %ld faults          \n", steps_of(&s.sums), faults_of(&s.sums));
    return faults_of(&s.sums) > before;
}
