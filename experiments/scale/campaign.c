/* Lengths of the pair, not of the scene: the same motions at every size, alone or with something far away.
 *
 *   campaign [CASE ...]   prints Markdown; the rows as CSV go to the file that SCALE_CSV names; 1: something is off */
#define _POSIX_C_SOURCE 200809L
#include "cases.h"

#include "../queue.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double sizes[] = { 1e-3, 1e-2, 0.1, 1, 10, 100 };
enum { SIZES = 6, USUAL = 2 };
static const char *const policies[] = { "none", "filtered-search" }, *const models[] = { "springs", "penalty",
                                                                                         "constraint" };
static const double ALLOWED = 0.01; /* of the size */

typedef struct list {
    scale_run *runs;
    int count, room;
} list;

static void append(list *l, scale_run r)
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
    scale_go(&l->runs[at]);
}

static bool same_kind(const scale_run *a, const scale_run *b)
{
    return a->what == b->what && strcmp(a->model, b->model) == 0 && strcmp(a->policy, b->policy) == 0;
}

/* What a run is judged by: alone, at 10 cm. */
static const scale_run *reference(const list *l, const scale_run *r)
{
    for (int i = 0; i < l->count; i++)
        if (same_kind(&l->runs[i], r) && l->runs[i].size == sizes[USUAL] &&
            strcmp(l->runs[i].companion, scale_companion(0)) == 0)
            return &l->runs[i];
    return NULL;
}

static void add_all(list *l, const scale_case *what)
{
    for (int c = 0; scale_companion(c); c++)
        for (int s = 0; s < SIZES; s++) {
            for (size_t p = 0; p < sizeof policies / sizeof *policies; p++)
                append(l, (scale_run){ .what = what,
                                       .companion = scale_companion(c),
                                       .model = "barrier",
                                       .policy = policies[p],
                                       .size = sizes[s] });
            for (size_t m = 0; what->model && m < sizeof models / sizeof *models; m++)
                append(l, (scale_run){ .what = what,
                                       .companion = scale_companion(c),
                                       .model = models[m],
                                       .policy = "none",
                                       .size = sizes[s] });
        }
}

static void put_number(double d)
{
    if (d == INFINITY)
        printf(" failed |");
    else
        printf(d > ALLOWED ? " **%.2g** |" : " %.2g |", 100 * d);
}

/* A row for each kind of run: the largest difference over sizes, by companion; then by size, alone. */
static int report(const list *l)
{
    int off = 0;
    printf("| case | model | policy |");
    for (int c = 0; scale_companion(c); c++)
        printf(" %s |", scale_companion(c));
    for (int s = 0; s < SIZES; s++)
        printf(" %g m |", sizes[s]);
    printf(" iterations |\n| --- | --- | --- |");
    for (int c = 0; scale_companion(c); c++)
        printf(" --- |");
    for (int s = 0; s <= SIZES; s++)
        printf(" --- |");
    puts("");
    for (int i = 0; i < l->count; i++) {
        const scale_run *r = &l->runs[i], *ref = reference(l, r);
        if (r->size != sizes[0] || strcmp(r->companion, scale_companion(0)) != 0)
            continue;
        double by_companion[16] = { 0 }, by_size[SIZES] = { 0 };
        long least = 0, most = 0;
        for (int k = 0; k < l->count; k++) {
            const scale_run *o = &l->runs[k];
            if (!same_kind(o, r))
                continue;
            const double d = scale_difference(o, ref);
            off += d > ALLOWED;
            for (int c = 0; scale_companion(c); c++)
                if (strcmp(o->companion, scale_companion(c)) == 0)
                    by_companion[c] = fmax(by_companion[c], d);
            for (int s = 0; s < SIZES; s++)
                if (o->size == sizes[s])
                    by_size[s] = fmax(by_size[s], d);
            least = least && least < o->iterations ? least : o->iterations;
            most = most > o->iterations ? most : o->iterations;
        }
        printf("| %s | %s | %s |", r->what->name, r->model, r->policy);
        for (int c = 0; scale_companion(c); c++)
            put_number(by_companion[c]);
        for (int s = 0; s < SIZES; s++)
            put_number(by_size[s]);
        printf(" %ld to %ld |\n", least, most);
    }
    return off;
}

static void write_csv(const list *l, const char *path)
{
    FILE *f = fopen(path, "w");
    if (!f)
        exit(2);
    fprintf(f, "case,model,policy,companion,size,difference_percent,iterations,warnings,note");
    for (int b = 0; b < SCALE_BODIES; b++)
        fprintf(f, ",x%d,y%d,z%d", b, b, b);
    fputc('\n', f);
    for (int i = 0; i < l->count; i++) {
        scale_run *r = &l->runs[i];
        for (char *c = r->why; *c; c++)
            *c = *c == '"' || *c == '\n' ? '\'' : *c;
        fprintf(f, "\"%s\",%s,%s,\"%s\",%g,%.4g,%ld,%d,\"%s\"", r->what->name, r->model, r->policy, r->companion,
                r->size, 100 * scale_difference(r, reference(l, r)), r->iterations, r->warnings, r->why);
        for (int b = 0; b < SCALE_BODIES; b++)
            for (int k = 0; k < 3; k++)
                fprintf(f, ",%.6g", r->at[SCALE_TIMES - 1][b][k]);
        fputc('\n', f);
    }
    fclose(f);
}

int main(int argc, char **argv)
{
    list l = { 0 };
    for (const scale_case *what = scale_cases; what->name; what++) {
        bool asked = argc < 2;
        for (int k = 1; k < argc; k++)
            asked = asked || strcmp(what->name, argv[k]) == 0;
        if (asked)
            add_all(&l, what);
    }
    queue_run(go_one, &l, l.count);
    const int off = report(&l);
    int all = l.count;
    printf("\n%d of %d runs are off by more than 1%% of the size, or failed.\n", off, all);
    if (getenv("SCALE_CSV"))
        write_csv(&l, getenv("SCALE_CSV"));
    free(l.runs);
    return off > 0;
}
