/* Every scheme with every policy and every solver, on motions that are known: does what moves go where it should, and
 * if not, does the program say so?
 *
 * Positions alone are judged, against a closed form or, where there is none, against A-search and TR-BDF2 at a 64th of
 * a step of 1/60 s, if these two agree within 2%. A method may be off by 5% more than policy `none` over its scheme
 * with newton at the same step; `none` itself by 5% more than backward Euler. Bodies that meet must not change sides.
 * Energy: a policy that aims keeps |H - T| within a tenth of S in the mean, beyond what its scheme alone has, and
 * nothing makes more than a tenth of S.
 *
 * What is not so must have been refused (the world, by name), have failed (a step, by name) or have been warned of (the
 * log), or the report must have noted it. Otherwise it is wrong in silence, and the exit code is 1.
 *
 *   campaign [--order2] [MOTION ...]    prints Markdown; 1: something is wrong in silence; MOTION_ALL=1: each run that
 * is not right; --order2: soft bodies have tets of order 2 */
#define _POSIX_C_SOURCE 200809L
#include "motions.h"

#include "../queue.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 3, MOST_MOTIONS = 32, MOST_NAMES = 32 };
static const double step_of[STEPS] = { 1.0 / 30, 1.0 / 60, 1.0 / 120 };
static const char *const step_name[STEPS] = { "1/30", "1/60", "1/120" };
static const double MOST_SECONDS = 4; /* of a run */

typedef enum verdict { HOLDS, DOUBTED, REFUSED, FAILED, SLOW, WARNED, NOTED, SILENT, VERDICTS } verdict;
static const char *const verdict_name[VERDICTS] = { "holds",          "right, though warned of", "refused",
                                                    "failed by name", "took too long",           "wrong, warned of",
                                                    "wrong, noted",   "wrong in silence" };

typedef struct run {
    const motion *m;
    const char *scheme, *policy, *solver;
    int step;  /* -1: a reference */
    int order; /* of tets */
    /* out */
    verdict verdict;                                /* HOLDS until judged: it came to its end */
    double figures[MOST_FIGURES], worst, off, made; /* worst: largest error, of its scale; mean |H - T| / S; made / S */
    double left;                                    /* m/s: mean of what the solves left over */
    int warnings, notes;
    bool wrong, told;
    char why[160];
} run;

/* ---- one run ---- */

/* processor seconds of this thread, which runs its worlds alone: a busy machine changes no verdict */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool too_late(void *user) { return now() > *(const double *)user; }

static void hear(void *user, vvLogLevel level, const char *message)
{
    run *r = user;
    r->warnings += level == VV_LOG_WARNING;
    if (level == VV_LOG_WARNING && !r->why[0])
        snprintf(r->why, sizeof r->why, "%.150s", message);
}

static vvStatus make(run *r, const char *soft, motion_track *t, vvWorld **w, vvError *error)
{
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = t->h;
    d.threads = 1;
    d.gravity[1] = -r->m->gravity;
    d.integrator.scheme = r->scheme;
    d.integrator.policy = r->policy;
    d.integrator.groundMode = VV_GROUND_NONE;
    d.solver.method = r->solver;
    d.contact.distance = 1e-3; /* the same for each pair of bodies */
    d.host.log = (vvLog){ hear, r };
    vvStatus status = vvWorldCreate(&d, w, error);
    if (status == VV_OK)
        status = r->m->build(r->m, *w, soft, t, error);
    return status == VV_OK ? vvWorldBake(*w, error) : status;
}

static void go(run *r)
{
    /* of the materials the first that the solver takes */
    static const char *const soft[] = { "neo-hookean", "arap" };
    vvError error = { 0 };
    vvWorld *w = NULL;
    motion_track t = { 0 };
    vvStatus status = VV_ERROR_INPUT;
    for (int k = 0; k < 2 && status != VV_OK; k++) {
        vvWorldDestroy(w);
        w = NULL;
        t = (motion_track){ .order = r->order, .h = r->step < 0 ? 1.0 / (60 * 64) : step_of[r->step] };
        status = make(r, soft[k], &t, &w, &error);
    }
    if (status != VV_OK) {
        r->verdict = REFUSED;
        snprintf(r->why, sizeof r->why, "%.150s", error.message);
        vvWorldDestroy(w);
        return;
    }
    double end = now() + (r->step < 0 ? 100 : 1) * MOST_SECONDS;
    const int count = (int)ceil(r->m->until / t.h - 1e-9) + r->m->more;
    vvWorldSetCancel(w, too_late, &end);
    motion_begin(r->m, w, &t);
    for (int k = 0; k < count && status == VV_OK; k++) {
        vvStepReport report = { 0 };
        status = vvWorldStep(w, &report, &error);
        if (status != VV_OK)
            break;
        r->notes += report.policyNote[0] != 0;
        r->left += isfinite(report.residual) ? report.residual / count : 0;
        motion_take(r->m, w, &t);
    }
    vvLedgerTotals totals;
    vvLedgerRow row = { 0 };
    vvWorldTotals(w, &totals);
    vvWorldLedger(w, &row, &error);
    r->verdict = status == VV_OK ? HOLDS : status == VV_CANCELLED ? SLOW : FAILED;
    if (r->verdict == FAILED)
        snprintf(r->why, sizeof r->why, "%.150s", error.message);
    if (r->m->count > 0)
        r->m->figures(r->m, &t, r->figures);
    r->off = totals.meanTargetError;
    r->made = row.scale > 0 ? totals.error / row.scale : 0;
    r->wrong = t.wrong;
    vvWorldDestroy(w);
}

/* ---- all of them, on two threads ---- */

typedef struct list {
    run *runs;
    int count, room;
} list;

static run *append(list *l, run r)
{
    if (l->count == l->room) {
        l->room = 2 * l->room + 64;
        l->runs = realloc(l->runs, (size_t)l->room * sizeof *l->runs);
        if (!l->runs)
            exit(2);
    }
    l->runs[l->count] = r;
    return &l->runs[l->count++];
}

static void go_one(void *user, int at)
{
    list *l = user;
    go(&l->runs[at]);
}

static void go_all(list *l) { queue_run(go_one, l, l->count); }

/* ---- judging ---- */

static const run *find(const list *l, const motion *m, int step, const char *scheme, const char *policy,
                       const char *solver)
{
    for (int i = 0; i < l->count; i++) {
        const run *r = &l->runs[i];
        if (r->m == m && r->step == step && strcmp(r->scheme, scheme) == 0 && strcmp(r->policy, policy) == 0 &&
            strcmp(r->solver, solver) == 0)
            return r;
    }
    return NULL;
}

/* The largest difference of figures, as a part of each one's scale; INFINITY: no number. */
static double difference(const motion *m, const double *a, const double *b)
{
    double most = 0;
    for (int k = 0; k < m->count; k++) {
        const double d = fabs(a[k] - b[k]) / m->scale[k];
        most = isfinite(d) ? fmax(most, d) : INFINITY;
    }
    return most;
}

/* What the figures should be; false: the references do not agree. */
static bool wanted(const list *references, const motion *m, double out[MOST_FIGURES])
{
    memcpy(out, m->exact, sizeof m->exact);
    if (m->count == 0 || isfinite(m->exact[0]))
        return true;
    const run *a = find(references, m, -1, "backward-euler", "search", "newton"),
              *b = find(references, m, -1, "tr-bdf2", "none", "newton");
    if (!a || !b || a->verdict != HOLDS || b->verdict != HOLDS || difference(m, a->figures, b->figures) > 0.02)
        return false;
    for (int k = 0; k < m->count; k++)
        out[k] = 0.5 * (a->figures[k] + b->figures[k]);
    return true;
}

/* The run that this one is measured by: its verdict may be anything. */
static const run *yardstick_of(const list *l, const run *r)
{
    const bool plain = strcmp(r->policy, "none") == 0;
    return find(l, r->m, r->step, plain ? "backward-euler" : r->scheme, "none", "newton");
}

static double allowance(const list *l, const run *r)
{
    static const double MORE = 0.05;
    const run *y = yardstick_of(l, r);
    return MORE + (y && y->verdict != REFUSED && y->verdict != FAILED && isfinite(y->worst) ? y->worst : 0);
}

/* What is not as it should be, in words; NULL: all is. */
static const char *fault(const list *l, const run *r, bool known)
{
    if (r->wrong)
        return "bodies change sides";
    if (known && !(r->worst <= allowance(l, r)))
        return "not where it should be";
    if (r->made > 0.1 || !isfinite(r->made))
        return "makes energy";
    const run *y = yardstick_of(l, r);
    if (strcmp(r->policy, "none") != 0 && strcmp(r->policy, "a1") != 0 && r->off > 0.1 + (y ? y->off : 0))
        return "off its target";
    return NULL;
}

/* ---- the report ---- */

static void print_reference(const list *references, const motion *m)
{
    double want[MOST_FIGURES];
    if (m->count == 0 || isfinite(m->exact[0]))
        return;
    const run *a = find(references, m, -1, "backward-euler", "search", "newton"),
              *b = find(references, m, -1, "tr-bdf2", "none", "newton");
    printf("- %s: A-search", m->name);
    for (int k = 0; k < m->count; k++)
        printf(" %.4g", a->figures[k]);
    printf(", TR-BDF2");
    for (int k = 0; k < m->count; k++)
        printf(" %.4g", b->figures[k]);
    puts(wanted(references, m, want) ? "" : ": they do not agree, and only sides and energy are judged");
}

static void print_run(const run *r)
{
    printf("%s, h %s: %s, %s, %s: %s (figures", r->m->name, step_name[r->step], r->scheme, r->policy, r->solver,
           r->why);
    for (int f = 0; f < r->m->count; f++)
        printf(" %.4g", r->figures[f]);
    printf("; |H - T|/S %.2g, made %.2g S, solves left %.2g m/s)\n", r->off, r->made, r->left);
}

/* One line for a motion, a policy and a solver, over all schemes and steps. */
static void print_silent(list *l)
{
    puts("\nWrong in silence, by motion, policy and solver, with one of them:\n");
    for (int i = 0; i < l->count; i++) {
        int count = 0;
        for (int k = i; k < l->count; k++) {
            run *a = &l->runs[i], *b = &l->runs[k];
            const bool same = b->verdict == SILENT && !b->told && a->m == b->m && a->policy == b->policy &&
                              a->solver == b->solver && strcmp(a->why, b->why) == 0;
            count += same;
            b->told = b->told || (same && k > i);
        }
        if (l->runs[i].verdict != SILENT || l->runs[i].told)
            continue;
        printf("- %d of these; ", count);
        print_run(&l->runs[i]);
    }
}

static int report(list *l, const list *references, const motion *const *motions, int motion_count)
{
    int silent = 0;
    fputs("| motion | h (s) |", stdout);
    for (int v = 0; v < VERDICTS; v++)
        printf(" %s |", verdict_name[v]);
    fputs("\n| --- | --- |", stdout);
    for (int v = 0; v < VERDICTS; v++)
        fputs(" --- |", stdout);
    putchar('\n');
    for (int i = 0; i < motion_count; i++)
        for (int s = 0; s < STEPS; s++) {
            int counts[VERDICTS] = { 0 };
            for (int k = 0; k < l->count; k++)
                counts[l->runs[k].verdict] += l->runs[k].m == motions[i] && l->runs[k].step == s;
            printf("| %s | %s |", motions[i]->name, step_name[s]);
            for (int v = 0; v < VERDICTS; v++)
                printf(" %d |", counts[v]);
            putchar('\n');
            silent += counts[SILENT];
        }
    puts("\nReferences:\n");
    for (int i = 0; i < motion_count; i++)
        print_reference(references, motions[i]);
    print_silent(l);
    for (int v = DOUBTED; v < VERDICTS && getenv("MOTION_ALL"); v++) {
        if (v == REFUSED)
            continue;
        printf("\n%s:\n\n", verdict_name[v]);
        for (int k = 0; k < l->count; k++)
            if (l->runs[k].verdict == (verdict)v) {
                fputs("- ", stdout);
                print_run(&l->runs[k]);
            }
    }
    return silent;
}

static const double RIGHT = 0.05; /* whatever others are off by */

static void judge_all(list *l, const list *references)
{
    for (int i = 0; i < l->count; i++) {
        run *r = &l->runs[i];
        double want[MOST_FIGURES];
        r->worst = wanted(references, r->m, want) ? difference(r->m, r->figures, want) : NAN;
    }
    for (int i = 0; i < l->count; i++) {
        run *r = &l->runs[i];
        if (r->verdict != HOLDS)
            continue;
        const char *what = fault(l, r, !isnan(r->worst));
        if (!what) {
            r->verdict = r->warnings && r->m->count > 0 && r->worst <= RIGHT ? DOUBTED : HOLDS;
            continue;
        }
        r->verdict = r->warnings ? WARNED : r->notes ? NOTED : SILENT;
        char said[sizeof r->why];
        memcpy(said, r->why, sizeof said);
        snprintf(r->why, sizeof r->why, "%s%s%.120s", what, *said ? "; " : "", said);
    }
}

int main(int argc, char **argv)
{
    const motion *motions[MOST_MOTIONS];
    int motion_count = 0;
    list l = { 0 }, references = { 0 };
    const int order = argc > 1 && strcmp(argv[1], "--order2") == 0 ? 2 : 1; /* and how many words are before motions */
    for (int i = 0; motion_at(i); i++) {
        bool asked = argc <= order;
        for (int k = order; k < argc; k++)
            asked = asked || strstr(motion_at(i)->name, argv[k]);
        if (asked)
            motions[motion_count++] = motion_at(i);
    }
    for (int i = 0; i < motion_count; i++) {
        append(&references, (run){ motions[i], "backward-euler", "search", "newton", .step = -1, .order = order });
        append(&references, (run){ motions[i], "tr-bdf2", "none", "newton", .step = -1, .order = order });
        for (int s = 0; s < STEPS; s++)
            for (int a = 0; vvSchemeInfo(a); a++)
                for (int b = 0; vvPolicyInfo(b); b++)
                    for (int c = 0; vvSolverInfo(c); c++)
                        append(&l, (run){ motions[i], vvSchemeInfo(a)->name, vvPolicyInfo(b)->name,
                                          vvSolverInfo(c)->name, .step = s, .order = order });
    }
    const time_t began = time(NULL);
    go_all(&references);
    go_all(&l);
    judge_all(&l, &references);
    fprintf(stderr, "\rcampaign: %d runs in %.0f s          \n", l.count, difftime(time(NULL), began));
    const int silent = report(&l, &references, motions, motion_count);
    free(l.runs);
    free(references.runs);
    return silent > 0;
}
