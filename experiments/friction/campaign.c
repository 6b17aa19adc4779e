/* One law of friction for every scheme, policy, solver and contact model: does what slides get mu times the normal
 * impulse, and does what must stick stay, or does the program say so?
 *
 * What is not so must have been refused (the world, by name), have failed (a step, by name) or have been warned of (the
 * log), or the report must have noted it. Otherwise it is wrong in silence, and the exit code is 1.
 *
 *   friction_campaign FOLDER [WORD ...]    writes results.csv there, prints Markdown. Words: only methods,
 *   models and bodies in whose names one of them is; 1: something is wrong in silence */
#define _POSIX_C_SOURCE 200809L
#include "cases.h"

#include "../queue.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double MOST_SECONDS = 20;                       /* of a run */
static const double IMPULSE = 0.01, WAY = 0.03, HELD = 1e-6; /* m/s */

typedef enum verdict { HOLDS, NOT_TAKEN, ENDED, LATE, WARNED, NOTED, SILENT, VERDICTS } verdict;
static const char *const verdict_name[VERDICTS] = {
    "holds", "refused", "failed by name", "took too long", "wrong and warned of", "wrong and noted", "wrong in silence"
};

typedef struct run {
    const model *m;
    body b;
    method by;
    test t;
    result r;
    verdict verdict;
} run;

typedef struct list {
    run *runs;
    int count, room;
} list;

/* ---- all of them, on two threads ---- */

static void append(list *l, run r)
{
    if (l->count == l->room) {
        l->room = 2 * l->room + 64;
        l->runs = realloc(l->runs, (size_t)l->room * sizeof *l->runs);
        if (!l->runs)
            exit(2);
    }
    l->runs[l->count++] = r;
}

static void go_one(void *user, int at)
{
    list *l = user;
    run *r = &l->runs[at];
    r->r = friction_run(r->m, r->b, &r->by, r->t, MOST_SECONDS);
}

static void go_all(list *l) { queue_run(go_one, l, l->count); }

/* ---- judging ---- */

/* What is not as it should be, in words; NULL: all is. */
static const char *fault(const run *r)
{
    if (!slopes[r->t].slides)
        return fabs(r->r.creep) <= (slopes[r->t].stick ? HELD : FRICTION_SPEED) ? NULL : "creeps";
    if (!(fabs(r->r.impulse - 1) <= IMPULSE))
        return "impulse";
    return fabs(r->r.way - 1) <= WAY ? NULL : "way";
}

static void judge(run *r)
{
    static const verdict ends[] = { [REFUSED] = NOT_TAKEN, [FAILED] = ENDED, [SLOW] = LATE };
    if (r->r.outcome != DONE)
        r->verdict = ends[r->r.outcome];
    else if (!fault(r))
        r->verdict = HOLDS;
    else
        r->verdict = r->r.warnings ? WARNED : r->r.notes ? NOTED : SILENT;
}

/* ---- the short table ---- */

typedef struct cell {
    int runs, refused, failed, silent, warned;
    double off, creep;
} cell;

static cell cell_of(const list *l, const model *m, const char *scheme, const char *policy, const char *solver)
{
    cell c = { 0 };
    for (int i = 0; i < l->count; i++) {
        const run *r = &l->runs[i];
        if (r->m != m || (scheme && strcmp(r->by.scheme, scheme) != 0) || strcmp(r->by.policy, policy) != 0 ||
            strcmp(r->by.solver, solver) != 0)
            continue;
        c.runs++;
        c.refused += r->verdict == NOT_TAKEN;
        c.failed += r->verdict == ENDED || r->verdict == LATE;
        c.silent += r->verdict == SILENT;
        c.warned += r->verdict == WARNED || r->verdict == NOTED;
        if (r->r.outcome == DONE && slopes[r->t].slides)
            c.off = fmax(c.off, isfinite(r->r.impulse) ? fabs(r->r.impulse - 1) : INFINITY);
        if (r->r.outcome == DONE && slopes[r->t].stick && !slopes[r->t].slides)
            c.creep = fmax(c.creep, fabs(r->r.creep));
    }
    return c;
}

static void print_row(FILE *to, const list *l, const char *name, const char *scheme, const char *policy,
                      const char *solver)
{
    cell all[16];
    int refused = 0, runs = 0;
    for (int k = 0; model_at(k); k++) {
        all[k] = cell_of(l, model_at(k), scheme, policy, solver);
        refused += all[k].refused, runs += all[k].runs;
    }
    if (refused == runs)
        return;
    fprintf(to, "| `%s` |", name);
    for (int k = 0; model_at(k); k++) {
        const cell *c = &all[k];
        if (c->refused + c->failed == c->runs) {
            fputs(c->failed ? " fails |" : " - |", to);
            continue;
        }
        fprintf(to, " %.1f%%", 100 * c->off);
        if (c->creep > HELD)
            fprintf(to, c->creep < 1e-3 ? ", %.0f µm/s" : ", %.0e µm/s", 1e6 * c->creep);
        fputs(c->silent ? " **!** |" : c->warned ? " (w) |" : c->failed ? " (f) |" : " |", to);
    }
    fputc('\n', to);
}

static void print_table(FILE *to, const list *l)
{
    fputs("| |", to);
    for (int k = 0; model_at(k); k++)
        fprintf(to, " %s |", model_at(k)->name);
    fputs("\n| --- |", to);
    for (int k = 0; model_at(k); k++)
        fputs(" --- |", to);
    fputc('\n', to);
    for (int i = 0; vvSchemeInfo(i); i++)
        print_row(to, l, vvSchemeInfo(i)->name, vvSchemeInfo(i)->name, "none", "newton");
    for (int i = 0; vvPolicyInfo(i); i++)
        if (strcmp(vvPolicyInfo(i)->name, "none") != 0)
            print_row(to, l, vvPolicyInfo(i)->name, NULL, vvPolicyInfo(i)->name, "newton");
    for (int i = 0; vvSolverInfo(i); i++)
        if (strcmp(vvSolverInfo(i)->name, "newton") != 0)
            print_row(to, l, vvSolverInfo(i)->name, "backward-euler", "none", vvSolverInfo(i)->name);
}

/* ---- the whole ---- */

static const char *text_of(const run *r) { return r->r.why[0] ? r->r.why : r->r.said; }

/* A line for each method, model and body; the message is that of the worst test. */
static void write_csv(FILE *to, const list *l)
{
    fputs("model,body,scheme,policy,solver,impulse,way,booked,sticks_long_m_s,sticks_m_s,creeps_m_s,slides_is,"
          "sticks_long_is,sticks_is,creeps_is,message\n",
          to);
    for (int i = 0; i < l->count; i += TESTS) {
        const run *r = &l->runs[i], *worst = r;
        fprintf(to, "%s,%s,%s,%s,%s,%.5g,%.5g,%.5g", r->m->name, body_name[r->b], r->by.scheme, r->by.policy,
                r->by.solver, r->r.impulse, r->r.way, r->r.booked);
        for (int t = 1; t < TESTS; t++)
            fprintf(to, ",%.3g", r[t].r.creep);
        for (int t = 0; t < TESTS; t++) {
            worst = r[t].verdict > worst->verdict ? r + t : worst;
            fprintf(to, ",%s", verdict_name[r[t].verdict]);
        }
        fprintf(to, ",\"");
        for (const char *c = text_of(worst); *c; c++)
            fputc(*c == '"' ? '\'' : *c, to);
        fputs("\"\n", to);
    }
}

/* Refused combinations stand in the CSV alone. */
static void print_whole(const list *l)
{
    puts("\n| scheme | policy | solver | model | body | impulse | way | booked | sticks, m/s: 1/24, 1/120, no memory | "
         "|\n"
         "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (int i = 0; i < l->count; i += TESTS) {
        const run *r = &l->runs[i];
        verdict worst = HOLDS;
        bool taken = false;
        for (int t = 0; t < TESTS; t++) {
            worst = r[t].verdict > worst ? r[t].verdict : worst;
            taken = taken || r[t].verdict != NOT_TAKEN;
        }
        if (taken)
            printf("| %s | %s | %s | %s | %s | %.4f | %.3f | %.3f | %.1e, %.1e, %.1e | %s |\n", r->by.scheme,
                   r->by.policy, r->by.solver, r->m->name, body_name[r->b], r->r.impulse, r->r.way, r->r.booked,
                   r[STICKS_LONG].r.creep, r[STICKS].r.creep, r[CREEPS].r.creep, verdict_name[worst]);
    }
}

static int report(const list *l)
{
    int silent = 0;
    fputs("| model |", stdout);
    for (int v = 0; v < VERDICTS; v++)
        printf(" %s |", verdict_name[v]);
    fputs("\n| --- |", stdout);
    for (int v = 0; v < VERDICTS; v++)
        fputs(" --- |", stdout);
    for (int k = 0; model_at(k); k++) {
        int counts[VERDICTS] = { 0 };
        for (int i = 0; i < l->count; i++)
            counts[l->runs[i].verdict] += l->runs[i].m == model_at(k);
        printf("\n| %s |", model_at(k)->name);
        for (int v = 0; v < VERDICTS; v++)
            printf(" %d |", counts[v]);
        silent += counts[SILENT];
    }
    puts("\n\nIn short: the largest relative deviation of friction's impulse from μ times the normal impulse\n"
         "while bodies slide, and the speed of bodies that must stick, where above 1 µm/s. Policies run over\n"
         "all schemes they support, solvers over `backward-euler`. -: refused; f: in some of these runs a step\n"
         "fails, by name; w: some wrong results are warned of, or the step's report notes them; **!**: some\n"
         "are wrong without a warning.\n");
    print_table(stdout, l);
    puts("\nAll that was not refused:");
    print_whole(l);
    return silent;
}

static FILE *open_in(const char *folder, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    if (!f) {
        fprintf(stderr, "campaign: cannot write \"%s\"\n", path);
        exit(2);
    }
    return f;
}

static bool asked(const run *r, int count, char **words)
{
    const char *names[] = { r->m->name, body_name[r->b], r->by.scheme, r->by.policy, r->by.solver };
    for (int k = 0; k < count; k++) {
        bool any = false;
        for (int i = 0; i < 5; i++)
            any = any || strcmp(names[i], words[k]) == 0;
        if (!any)
            return false;
    }
    return true;
}

static void add_all(list *l, method by, int count, char **words)
{
    for (int k = 0; model_at(k); k++)
        for (int b = 0; b < BODIES; b++) {
            const run r = { .m = model_at(k), .b = (body)b, .by = by };
            for (int t = 0; asked(&r, count, words) && t < TESTS; t++) {
                append(l, r);
                l->runs[l->count - 1].t = (test)t;
            }
        }
}

int main(int argc, char **argv)
{
    list l = { 0 };
    if (argc < 2)
        return 2;
    for (int a = 0; vvSchemeInfo(a); a++)
        for (int b = 0; vvPolicyInfo(b); b++)
            add_all(&l, (method){ vvSchemeInfo(a)->name, vvPolicyInfo(b)->name, "newton" }, argc - 2, argv + 2);
    for (int c = 0; vvSolverInfo(c); c++)
        if (strcmp(vvSolverInfo(c)->name, "newton") != 0)
            add_all(&l, (method){ "backward-euler", "none", vvSolverInfo(c)->name }, argc - 2, argv + 2);
    go_all(&l);
    for (int i = 0; i < l.count; i++)
        judge(&l.runs[i]);
    fprintf(stderr, "\rcampaign: %d runs          \n", l.count);
    FILE *csv = open_in(argv[1], "results.csv");
    write_csv(csv, &l);
    const int bad = fclose(csv), silent = report(&l);
    return bad ? 2 : silent > 0;
}
