/* Cuts the tree of supernodes into tasks and numbers each task's unknowns; see triple_tree.h. */
#include "solve/constant/triple_tree.h"

#include "base/memory.h"
#include "solve/constant/triple_supernodes.h"

#include <string.h>

/* A subtree becomes a task if it has at least this share of the whole, and it is worth a thread's while (in numbers
 * read). */
static const double SHARE = 1.0 / 16, LEAST = 150000;

void vv_triple_tree_free(vv_triple_tree *t)
{
    void *arrays[] = {
        t->order, t->supernode, t->task, t->row, t->above, t->in_parent, t->child, t->level, t->by_level
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        vv_free(arrays[i]);
    *t = (vv_triple_tree){ 0 };
}

/* While the tree is cut. Arrays have a place a supernode, `place` and `seen` one a column. */
typedef struct cutting {
    vv_relaxed s;
    int *task;      /* of each supernode, or -1 */
    int *first;     /* the first supernode of its subtree */
    double *weight; /* of its subtree */
    int *children;  /* tasks below it so far, while it is in the top; the last of them is in `task` */
    int *parent;    /* of each task */
    int tasks;
    int *place, *seen;
} cutting;

static bool cutting_make(cutting *c, int n, const int *start, const int *row, int lanes)
{
    *c = (cutting){ 0 };
    if (!vv_relaxed_build(&c->s, n, start, row, lanes))
        return false;
    size_t room = (size_t)c->s.count + 1;
    c->task = vv_alloc(room, sizeof(int)), c->first = vv_alloc(room, sizeof(int)),
    c->weight = vv_alloc(room, sizeof(double));
    c->children = vv_alloc(room, sizeof(int)), c->parent = vv_alloc(room, sizeof(int));
    c->place = vv_alloc((size_t)n + 1, sizeof(int)), c->seen = vv_alloc((size_t)n + 1, sizeof(int));
    return c->task && c->first && c->weight && c->children && c->parent && c->place && c->seen;
}

static void cutting_free(cutting *c)
{
    void *arrays[] = { c->task, c->first, c->weight, c->children, c->parent, c->place, c->seen };
    vv_relaxed_free(&c->s);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        vv_free(arrays[i]);
}

static void weigh(cutting *c, int lanes)
{
    const vv_relaxed *s = &c->s;
    for (int k = 0; k < s->count; k++) {
        c->weight[k] = 0;
        c->first[k] = k;
    }
    for (int k = 0; k < s->count; k++) {
        c->weight[k] += vv_relaxed_cost(s->first[k + 1] - s->first[k], s->rows[k], lanes);
        int p = s->parent[k];
        if (p >= 0) {
            c->weight[p] += c->weight[k];
            if (c->first[k] < c->first[p])
                c->first[p] = c->first[k];
        }
    }
}

/* The subtrees below p (below none: p = count), as far as they are not in the top, become tasks: neighbours together,
 * until they weigh enough. A light rest goes to p's own task: true. */
static bool gather_children(cutting *c, int p, double most)
{
    const vv_relaxed *s = &c->s;
    bool real = p < s->count, rest = false;
    double weight = 0;
    int open = -1;
    for (int k = real ? c->first[p] : 0; k < p; k++) {
        if (s->parent[k] != (real ? p : -1) || c->weight[k] > most)
            continue;
        if (open < 0) {
            open = c->tasks++;
            c->parent[open] = p;
            weight = 0;
        }
        for (int j = c->first[k]; j <= k; j++)
            c->task[j] = open;
        weight += c->weight[k];
        if (weight > most / 2)
            open = -1;
    }
    if (open >= 0 && real && weight < most / 8) { /* the last one */
        c->tasks--;
        for (int j = c->first[p]; j < p; j++)
            if (c->task[j] == open)
                c->task[j] = -2;
        rest = true;
    }
    return rest;
}

/* parent[]: of tasks; while this runs, the supernode above them. */
static void cut(cutting *c, int lanes)
{
    const vv_relaxed *s = &c->s;
    double all = 0;
    weigh(c, lanes);
    for (int k = 0; k < s->count; k++) {
        all += s->parent[k] < 0 ? c->weight[k] : 0;
        c->task[k] = -1;
    }
    double most = all * SHARE > LEAST ? all * SHARE : LEAST;
    for (int p = 0; p < s->count; p++) {
        if (c->weight[p] <= most)
            continue;
        bool rest = gather_children(c, p, most);
        int below = 0, one = -1;
        for (int t = 0; t < c->tasks; t++)
            if (c->parent[t] == p) {
                below++;
                one = t;
            }
        int task = below == 1 ? one : c->tasks++; /* a chain is one task */
        c->task[p] = task;
        for (int j = c->first[p]; rest && j < p; j++)
            if (c->task[j] == -2)
                c->task[j] = task;
        c->parent[task] = s->parent[p] < 0 ? s->count : s->parent[p];
    }
    gather_children(c, s->count, most);
    for (int t = 0; t < c->tasks; t++)
        c->parent[t] = c->parent[t] < s->count ? c->task[c->parent[t]] : -1;
}

/* Orders supernodes by tasks; order and place of columns; sizes. */
static bool list_supernodes(vv_triple_tree *t, cutting *c)
{
    const vv_relaxed *s = &c->s;
    int column = 0, at = 0;
    size_t rows = 0, lanes = (size_t)t->lanes;
    t->supernode = vv_alloc((size_t)s->count + 1, sizeof *t->supernode);
    t->task = vv_alloc((size_t)c->tasks + 1, sizeof *t->task);
    t->order = vv_alloc((size_t)t->n + 1, sizeof *t->order);
    if (!t->supernode || !t->task || !t->order)
        return false;
    t->supernodes = s->count;
    t->tasks = c->tasks;
    for (int k = 0; k < c->tasks; k++) {
        vv_triple_task *a = t->task + k;
        a->column = column;
        a->supernode = at;
        a->parent = c->parent[k];
        for (int i = 0; i < s->count; i++) {
            if (c->task[i] != k)
                continue;
            int width = s->first[i + 1] - s->first[i];
            size_t groups = vv_triple_groups(t, width + s->rows[i]);
            t->supernode[at++] =
                (vv_supernode){ column, column - a->column, width, width + s->rows[i], rows, t->values };
            rows += groups * lanes;
            t->values += groups * lanes * (size_t)width;
            t->read += groups * lanes * (size_t)width +
                       (s->rows[i] ? (groups - (size_t)width / lanes) * lanes * (size_t)width : 0);
            t->widest = width > t->widest ? width : t->widest;
            for (int j = s->first[i]; j < s->first[i + 1]; j++) {
                c->place[j] = column;
                t->order[column++] = j;
            }
            c->first[at - 1] = i; /* from here on: which supernode that was */
        }
        a->supernode_end = at;
        a->columns = column - a->column;
    }
    t->row = vv_alloc(rows, sizeof *t->row);
    return t->row != NULL;
}

/* seen: of each column above a task, 1 + its number among the rows above. Returns how many; lists them if there is a
 * list. */
static int number_above(cutting *c, const vv_triple_tree *t, const vv_triple_task *a, int *list)
{
    int count = 0;
    memset(c->seen, 0, (size_t)t->n * sizeof *c->seen);
    for (int k = a->supernode; k < a->supernode_end; k++) {
        int i = c->first[k];
        for (int r = 0; r < c->s.rows[i]; r++) {
            int column = c->place[c->s.row[c->s.below[i] + (size_t)r]];
            if (column < a->column + a->columns || c->seen[column])
                continue;
            if (list)
                list[count] = column;
            c->seen[column] = ++count;
        }
    }
    return count;
}

static int number_of(const cutting *c, const vv_triple_task *a, int column)
{
    return column < a->column + a->columns ? column - a->column : a->columns + c->seen[column] - 1;
}

static void number_rows(vv_triple_tree *t, const cutting *c, int task)
{
    const vv_triple_task *a = t->task + task;
    for (int s = a->supernode; s < a->supernode_end; s++) {
        const vv_supernode *k = t->supernode + s;
        int *to = t->row + k->row, padded = (int)vv_triple_groups(t, k->rows) * t->lanes;
        const int *below = c->s.row + c->s.below[c->first[s]];
        for (int r = 0; r < padded; r++)
            to[r] = r < k->width  ? k->own + r
                    : r < k->rows ? number_of(c, a, c->place[below[r - k->width]])
                                  : a->columns + a->above;
    }
    for (int b = 0; b < task; b++) { /* children are before their parent */
        const vv_triple_task *child = t->task + b;
        for (size_t r = child->list; child->parent == task && r < child->list + (size_t)child->above; r++)
            t->in_parent[r] = number_of(c, a, t->above[r]);
    }
}

/* Numbers within the tasks. */
static bool number_tasks(vv_triple_tree *t, cutting *c)
{
    size_t above = 0;
    for (int k = 0; k < t->tasks; k++) {
        vv_triple_task *a = t->task + k;
        a->above = number_above(c, t, a, NULL);
        a->list = above;
        a->place = t->places;
        above += (size_t)a->above;
        t->places += (size_t)(a->columns + a->above + VV_TRIPLE_PADS);
    }
    t->above = vv_alloc(above, sizeof *t->above);
    t->in_parent = vv_alloc(above, sizeof *t->in_parent);
    for (int k = 0; t->above && t->in_parent && k < t->tasks; k++) {
        number_above(c, t, t->task + k, t->above + t->task[k].list);
        number_rows(t, c, k);
    }
    return t->above && t->in_parent;
}

/* Children of each task, and tasks by level. */
static bool list_tasks(vv_triple_tree *t)
{
    int at = 0;
    t->child = vv_alloc((size_t)t->tasks + 1, sizeof *t->child);
    t->by_level = vv_alloc((size_t)t->tasks + 1, sizeof *t->by_level);
    t->level = vv_alloc((size_t)t->tasks + 2, sizeof *t->level);
    if (!t->child || !t->by_level || !t->level)
        return false;
    for (int k = 0; k < t->tasks; k++) {
        vv_triple_task *a = t->task + k;
        a->child = at;
        for (int b = 0; b < k; b++)
            if (t->task[b].parent == k) {
                t->child[at++] = b;
                a->level = t->task[b].level >= a->level ? t->task[b].level + 1 : a->level;
            }
        a->child_end = at;
        t->levels = a->level >= t->levels ? a->level + 1 : t->levels;
    }
    at = 0;
    for (int l = 0; l < t->levels; l++) {
        t->level[l] = at;
        for (int k = 0; k < t->tasks; k++)
            if (t->task[k].level == l)
                t->by_level[at++] = k;
    }
    t->level[t->levels] = at;
    return true;
}

bool vv_triple_tree_build(vv_triple_tree *t, int n, const int *start, const int *row, int lanes)
{
    cutting c;
    bool ok = cutting_make(&c, n, start, row, lanes);
    *t = (vv_triple_tree){ .n = n, .lanes = lanes };
    if (ok) {
        t->entries = c.s.entries;
        cut(&c, lanes);
        ok = list_supernodes(t, &c) && number_tasks(t, &c) && list_tasks(t);
    }
    cutting_free(&c);
    return ok;
}
