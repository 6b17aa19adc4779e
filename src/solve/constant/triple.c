/* Factor and solves for three right-hand sides; see triple.h. CHOLMOD orders and factorises; what is solved with is
 * made of its factor (triple_tree.h, triple_body.h). */
#include "solve/constant/triple.h"

#include "base/error.h"
#include "base/memory.h"

#if defined(VV_HAVE_CHOLMOD)

#include "base/clock.h"
#include "base/simd/variant.h"
#include "solve/linear/blas_threads.h"
#include "solve/linear/supernodal.h"
#include "solve/constant/triangle.h"
#include "solve/constant/triple_kernel.h"

#include <cholmod.h>
#include <math.h>
#include <string.h>

/* Of one pattern. */
typedef struct shape {
    int users; /* factors that share it */
    vv_parallel par;
    bool single;
    const vv_triple_kernels *kernels;
    vv_triple_tree tree;
    cholmod_common common;
    cholmod_sparse lower;   /* P S A S P^T; its arrays are ours */
    cholmod_factor *factor; /* the last one made */
    double flops;           /* of a factor */
    int entries;
    int *place;   /* of each of the caller's entries, in `lower` */
    int *node;    /* the caller's row of each column */
    void *places; /* the tasks' unknowns */
    void *fresh;
    double *column, *inverse, *group; /* to make the stored form */
    int *find;                        /* -1 between uses */
    double analyse_seconds;
} shape;

struct vv_triple {
    shape *shape;
    void *value;
    double *scale;
    bool ready;
    double factor_seconds;
};

static size_t number_size(const shape *s) { return s->single ? sizeof(float) : sizeof(double); }

static void release(shape *s)
{
    if (!s || --s->users > 0)
        return;
    cholmod_free_factor(&s->factor, &s->common);
    cholmod_finish(&s->common);
    vv_triple_tree_free(&s->tree);
    void *arrays[] = { s->lower.p, s->lower.i, s->lower.x, s->place, s->node, s->places,
                       s->fresh,   s->column,  s->inverse, s->group, s->find };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        vv_free(arrays[i]);
    vv_free(s);
}

void vv_triple_destroy(vv_triple *t)
{
    if (!t)
        return;
    release(t->shape);
    vv_free(t->value);
    vv_free(t->scale);
    vv_free(t);
}

/* The order that fills least, postordered: METIS's nested dissection or AMD. False: memory. */
static bool order(shape *s, int n, const int *start, const int *row, int *old)
{
    int *p = vv_alloc((size_t)n + 1, sizeof *p), *i = vv_alloc((size_t)start[n], sizeof *i),
        *same = vv_alloc((size_t)n + 1, sizeof *same);
    cholmod_factor *f = NULL;
    bool ok = p && i && same;
    for (int j = 0; ok && j < n; j++)
        same[j] = j;
    ok = ok && vv_triangle_permute(n, start, row, same, p, i, NULL);
    if (ok) {
        cholmod_sparse lower = { .nrow = (size_t)n,
                                 .ncol = (size_t)n,
                                 .nzmax = (size_t)start[n],
                                 .p = p,
                                 .i = i,
                                 .stype = -1,
                                 .itype = CHOLMOD_INT,
                                 .xtype = CHOLMOD_PATTERN,
                                 .dtype = CHOLMOD_DOUBLE,
                                 .sorted = 1,
                                 .packed = 1 };
        s->common.supernodal = CHOLMOD_SIMPLICIAL;
        s->common.nmethods = 2;
        s->common.method[0].ordering = CHOLMOD_METIS;
        s->common.method[1].ordering = CHOLMOD_AMD;
        s->common.postorder = 1;
        f = cholmod_analyze(&lower, &s->common);
        ok = f != NULL;
        if (f)
            memcpy(old, f->Perm, (size_t)n * sizeof *old);
        cholmod_free_factor(&f, &s->common);
    }
    vv_free(p);
    vv_free(i);
    vv_free(same);
    return ok;
}

/* The tree, from the ordered matrix; then the matrix in the tree's order. */
static bool build_tree(shape *s, int n, const int *start, const int *row)
{
    int lanes = s->single ? VV_TRIPLE_LANES_SINGLE : VV_TRIPLE_LANES_DOUBLE;
    int *old = vv_alloc((size_t)n + 1, sizeof *old), *column = vv_alloc((size_t)n + 1, sizeof *column);
    int *p = vv_alloc((size_t)n + 1, sizeof *p), *i = vv_alloc((size_t)s->entries, sizeof *i);
    bool ok = old && column && p && i && order(s, n, start, row, old);
    for (int j = 0; ok && j < n; j++)
        column[old[j]] = j;
    ok = ok && vv_triangle_permute(n, start, row, column, p, i, NULL) && vv_triple_tree_build(&s->tree, n, p, i, lanes);
    for (int j = 0; ok && j < n; j++) {
        s->node[j] = old[s->tree.order[j]];
        column[s->node[j]] = j;
    }
    ok = ok && vv_triangle_permute(n, start, row, column, s->lower.p, s->lower.i, s->place);
    vv_free(old);
    vv_free(column);
    vv_free(p);
    vv_free(i);
    return ok;
}

static size_t largest_panel(const vv_triple_tree *tree)
{
    size_t largest = 0;
    for (int k = 0; k < tree->supernodes; k++) {
        size_t size = (size_t)tree->supernode[k].width * (size_t)tree->supernode[k].rows;
        largest = size > largest ? size : largest;
    }
    return largest;
}

static bool make_shape(shape *s, int n, const int *start, const int *row)
{
    size_t room = (size_t)n + 1, entries = (size_t)s->entries;
    s->lower = (cholmod_sparse){ .nrow = (size_t)n,
                                 .ncol = (size_t)n,
                                 .nzmax = entries,
                                 .p = vv_alloc(room, sizeof(int)),
                                 .i = vv_alloc(entries, sizeof(int)),
                                 .x = vv_alloc(entries, sizeof(double)),
                                 .stype = -1,
                                 .itype = CHOLMOD_INT,
                                 .xtype = CHOLMOD_REAL,
                                 .dtype = CHOLMOD_DOUBLE,
                                 .sorted = 1,
                                 .packed = 1 };
    s->place = vv_alloc(entries, sizeof *s->place);
    s->node = vv_alloc(room, sizeof *s->node);
    s->find = vv_alloc(room, sizeof *s->find);
    if (!s->lower.p || !s->lower.i || !s->lower.x || !s->place || !s->node || !s->find)
        return false;
    memset(s->find, -1, room * sizeof *s->find);
    if (n > 0 && !build_tree(s, n, start, row))
        return false;
    size_t widest = (size_t)s->tree.widest;
    s->places = vv_alloc(4 * s->tree.places, number_size(s));
    s->fresh = vv_alloc(4 * room, number_size(s));
    s->column = vv_alloc(largest_panel(&s->tree), sizeof *s->column);
    s->inverse = vv_alloc(widest * (widest + 3), sizeof *s->inverse);
    s->group = vv_alloc(widest * VV_TRIPLE_LANES_SINGLE, sizeof *s->group);
    return s->places && s->fresh && s->column && s->inverse && s->group;
}

/* The symbolic factor, in the given order. */
static bool analyse(shape *s)
{
#if defined(VV_HAVE_SUPERNODAL)
    s->common.supernodal = CHOLMOD_AUTO;
#else
    s->common.supernodal = CHOLMOD_SIMPLICIAL;
#endif
    s->common.nmethods = 1;
    s->common.method[0].ordering = CHOLMOD_NATURAL;
    s->common.postorder = 0;
    s->factor = cholmod_analyze(&s->lower, &s->common);
    s->flops = s->common.fl;
    return s->factor != NULL;
}

static vvStatus share(shape *s, vv_triple **out, vvError *error)
{
    vv_triple *t = vv_alloc(1, sizeof *t);
    if (!t)
        return vv_fail_memory(error, "the factor for three right-hand sides");
    s->users++;
    t->shape = s;
    t->value = vv_alloc(s->tree.values, number_size(s));
    t->scale = vv_alloc((size_t)s->tree.n + 1, sizeof *t->scale);
    if (!t->value || !t->scale) {
        vv_triple_destroy(t);
        return vv_fail_memory(error, "the factor for three right-hand sides");
    }
    *out = t;
    return VV_OK;
}

vvStatus vv_triple_create(int n, const int *start, const int *row, const vv_parallel *par, bool single, vv_triple **out,
                          vvError *error)
{
    double at = vv_seconds();
    *out = NULL;
    vvStatus status = vv_triangle_check(n, start, row, error);
    if (status != VV_OK)
        return status;
    shape *s = vv_alloc(1, sizeof *s);
    if (!s)
        return vv_fail_memory(error, "the factor for three right-hand sides");
    s->users = 1;
    s->par = par && par->threads > 0 ? *par : (vv_parallel){ .threads = 1 };
    s->single = single;
    s->entries = n > 0 ? start[n] : 0;
    s->kernels = single ? VV_VARIANT_HERE(vv_triple_single) : VV_VARIANT_HERE(vv_triple_double);
    cholmod_start(&s->common);
    s->common.print = 0;
    s->common.useGPU = 0;
    s->common.final_ll = 1; /* LL^T stops at a negative pivot, LDL^T would not */
    s->common.quick_return_if_not_posdef = 1;
    bool made = make_shape(s, n, start, row);
    s->analyse_seconds = vv_seconds() - at;
    status = !made || (n > 0 && !analyse(s)) ? vv_fail_memory(error, "the order of a factor for three right-hand sides")
                                             : share(s, out, error);
    release(s);
    return status;
}

vvStatus vv_triple_create_like(vv_triple *t, vv_triple **out, vvError *error)
{
    *out = NULL;
    return share(t->shape, out, error);
}

static vvStatus not_definite(const shape *s, int column, vvError *error)
{
    return vv_fail(error, VV_ERROR_SOLVER,
                   "the matrix of the global solve is not positive definite: it stops at node %d of %d",
                   s->node[column], s->tree.n);
}

/* S A S in the new order, with S = diag(A)^-1/2: 1 on the diagonal. */
static vvStatus fill(vv_triple *t, const double *values, vvError *error)
{
    shape *s = t->shape;
    const int *p = s->lower.p, *i = s->lower.i;
    double *x = s->lower.x;
    for (int k = 0; k < s->entries; k++)
        x[s->place[k]] = values[k];
    for (int j = 0; j < s->tree.n; j++) {
        double diagonal = x[p[j]];
        if (!(diagonal > 0) || !isfinite(diagonal))
            return not_definite(s, j, error);
        t->scale[j] = 1 / sqrt(diagonal);
    }
    for (int j = 0; j < s->tree.n; j++)
        for (int k = p[j]; k < p[j + 1]; k++)
            x[k] *= t->scale[j] * t->scale[i[k]];
    return VV_OK;
}

/* Where column j's rows and values are in CHOLMOD's factor. *super: of the last column asked for. */
typedef struct column {
    int count;
    const int *row;
    const double *value;
} column;

static column get_column(const cholmod_factor *f, int j, int *super)
{
    if (!f->is_super) {
        const int *p = f->p, *count = f->nz;
        return (column){ count[j], (const int *)f->i + p[j], (const double *)f->x + p[j] };
    }
    const int *first = f->super, *pi = f->pi, *px = f->px;
    while (first[*super + 1] <= j)
        ++*super;
    int rows = pi[*super + 1] - pi[*super], own = j - first[*super];
    return (column){ rows - own, (const int *)f->s + pi[*super] + own,
                     (const double *)f->x + px[*super] + (size_t)own * (size_t)rows + own };
}

/* The columns of supernode k of `task`, dense. Rows of CHOLMOD's supernodes that ours lack are zeros. */
static void take_columns(shape *s, const vv_triple_task *task, const vv_supernode *k, int *super)
{
    const vv_triple_tree *tree = &s->tree;
    const int *row = tree->row + k->row;
    memset(s->column, 0, (size_t)k->width * (size_t)k->rows * sizeof *s->column);
    for (int pass = 0; pass < 2; pass++) {
        for (int r = 0; r < k->rows; r++) {
            int global = row[r] < task->columns ? task->column + row[r]
                                                : tree->above[task->list + (size_t)(row[r] - task->columns)];
            s->find[global] = pass == 0 ? r : -1;
        }
        for (int j = 0; pass == 0 && j < k->width; j++) {
            column c = get_column(s->factor, k->column + j, super);
            double *to = s->column + (size_t)j * (size_t)k->rows;
            for (int r = 0; r < c.count; r++)
                if (s->find[c.row[r]] >= j)
                    to[s->find[c.row[r]]] = c.value[r];
        }
    }
}

/* False: the host wants no more. */
static bool store(vv_triple *t)
{
    shape *s = t->shape;
    int super = 0;
    for (int a = 0; a < s->tree.tasks; a++)
        for (int k = s->tree.task[a].supernode; k < s->tree.task[a].supernode_end; k++) {
            take_columns(s, s->tree.task + a, s->tree.supernode + k, &super);
            if (!s->kernels->store(&s->tree, k, s->column, s->inverse, s->group, t->value))
                return false;
        }
    return true;
}

vvStatus vv_triple_factor(vv_triple *t, const double *values, vvError *error)
{
    shape *s = t->shape;
    double at = vv_seconds();
    t->ready = false;
    vvStatus status = fill(t, values, error);
    if (status != VV_OK)
        return status;
    if (s->tree.n > 0) {
        vv_blas_scope scope = vv_blas_enter(1); /* OpenBLAS's bits depend on its number of threads */
        bool made = vv_cholmod_factorise(&s->lower, s->factor, s->flops, &s->par, &s->common);
        vv_blas_leave(scope);
        if (!made && vv_for_stopped(&s->par))
            return vv_fail_cancelled(error);
        if (s->common.status < CHOLMOD_OK)
            return vv_fail_memory(error, "the factor for three right-hand sides");
        if (!made)
            return not_definite(s, (int)s->factor->minor, error);
        if (!store(t))
            return vv_fail_cancelled(error);
    }
    t->ready = true;
    t->factor_seconds = vv_seconds() - at;
    return VV_OK;
}

bool vv_triple_ready(const vv_triple *t) { return t->ready; }
bool vv_triple_alone(const vv_triple *t) { return t->shape->users == 1; }

vv_triple_stats vv_triple_get_stats(const vv_triple *t)
{
    const vv_triple_tree *tree = &t->shape->tree;
    return (vv_triple_stats){ .analyse_seconds = t->shape->analyse_seconds,
                              .factor_seconds = t->factor_seconds,
                              .entries = tree->entries,
                              .factor_bytes = tree->values * number_size(t->shape),
                              .read_bytes = tree->read * number_size(t->shape),
                              .supernodes = tree->supernodes,
                              .tasks = tree->tasks,
                              .levels = tree->levels };
}

/* The tasks of one level, or a part of one supernode. */
typedef struct pass {
    const vv_triple_kernels *kernels;
    vv_triple_work work;
    const int *task;
    int one, supernode, group, groups, each; /* of a part: its task, groups of rows from, to, and a chunk */
} pass;

static void go_forward(void *arg, int k)
{
    const pass *p = arg;
    p->kernels->forward(&p->work, p->task[k]);
}

static void go_backward(void *arg, int k)
{
    const pass *p = arg;
    p->kernels->backward(&p->work, p->task[k]);
}

static void go_up(void *arg, int chunk)
{
    const pass *p = arg;
    int begin = p->group + chunk * p->each, end = begin + p->each;
    p->kernels->up(&p->work, p->one, p->supernode, begin, end < p->groups ? end : p->groups);
}

static void go_down(void *arg, int block)
{
    const pass *p = arg;
    p->kernels->down(&p->work, p->one, p->supernode, block);
}

/* Levels of fewer tasks go task by task, each shared among the threads. A supernode is cut into chunks of so many
 * numbers; a smaller one is not shared. */
enum { FEW_TASKS = 4, CHUNK_NUMBERS = 1 << 15 };

/* Loops of one chunk run on this thread alone. */
static const vv_parallel alone = { .threads = 1 };

static const vv_parallel *helpers(const shape *s, const vv_supernode *k)
{
    return (size_t)k->width * (size_t)k->rows > 2 * CHUNK_NUMBERS ? &s->par : &alone;
}

static void share_forward(const shape *s, pass *p, int task)
{
    const vv_triple_task *a = s->tree.task + task;
    p->one = task;
    s->kernels->begin_up(&p->work, task);
    for (p->supernode = a->supernode; p->supernode < a->supernode_end; p->supernode++) {
        const vv_supernode *k = s->tree.supernode + p->supernode;
        p->group = k->width / s->tree.lanes;
        p->groups = (int)vv_triple_groups(&s->tree, k->rows);
        p->each = CHUNK_NUMBERS / s->tree.lanes / k->width / 2 * 2 + 2;
        if (k->rows > k->width)
            vv_for(helpers(s, k), (p->groups - p->group + p->each - 1) / p->each, go_up, p);
    }
}

static void share_backward(const shape *s, pass *p, int task)
{
    const vv_triple_task *a = s->tree.task + task;
    p->one = task;
    s->kernels->begin_down(&p->work, task);
    for (p->supernode = a->supernode_end; p->supernode-- > a->supernode;) {
        const vv_supernode *k = s->tree.supernode + p->supernode;
        vv_for(helpers(s, k), (k->width + VV_TRIPLE_BLOCK - 1) / VV_TRIPLE_BLOCK, go_down, p);
        s->kernels->settle(&p->work, task, p->supernode);
    }
    s->kernels->end_down(&p->work, task);
}

static void solve_level(const shape *s, pass *p, int level, bool forward)
{
    int count = s->tree.level[level + 1] - s->tree.level[level];
    p->task = s->tree.by_level + s->tree.level[level];
    if (count >= FEW_TASKS || s->par.threads == 1) {
        vv_for(&s->par, count, forward ? go_forward : go_backward, p);
        return;
    }
    for (int k = 0; k < count; k++)
        (forward ? share_forward : share_backward)(s, p, p->task[k]);
}

void vv_triple_solve(const vv_triple *t, const double *b, double *x)
{
    const shape *s = t->shape;
    pass p = { .kernels = s->kernels,
               .work = { .tree = &s->tree,
                         .value = t->value,
                         .node = s->node,
                         .scale = t->scale,
                         .place = s->places,
                         .fresh = s->fresh,
                         .b = b,
                         .x = x } };
    for (int l = 0; l < s->tree.levels; l++)
        solve_level(s, &p, l, true);
    for (int l = s->tree.levels; l-- > 0;)
        solve_level(s, &p, l, false);
}

#else

vvStatus vv_triple_create(int n, const int *start, const int *row, const vv_parallel *par, bool single, vv_triple **out,
                          vvError *error)
{
    (void)n, (void)start, (void)row, (void)par, (void)single;
    *out = NULL;
    return vv_fail(error, VV_ERROR_UNSUPPORTED,
                   "this build of visviva has no sparse factorisation (CHOLMOD), which the global solve of "
                   "the real-time solvers needs; build it with libsuitesparse-dev installed");
}

vvStatus vv_triple_create_like(vv_triple *t, vv_triple **out, vvError *error)
{
    return vv_triple_create(0, NULL, NULL, NULL, t != NULL, out, error);
}

vvStatus vv_triple_factor(vv_triple *t, const double *values, vvError *error)
{
    vv_triple *none;
    (void)values;
    return vv_triple_create_like(t, &none, error);
}

void vv_triple_solve(const vv_triple *t, const double *b, double *x) { (void)t, (void)b, (void)x; }
bool vv_triple_ready(const vv_triple *t) { return (void)t, false; }
bool vv_triple_alone(const vv_triple *t) { return (void)t, false; }
vv_triple_stats vv_triple_get_stats(const vv_triple *t) { return (void)t, (vv_triple_stats){ 0 }; }
void vv_triple_destroy(vv_triple *t) { (void)t; }

#endif
