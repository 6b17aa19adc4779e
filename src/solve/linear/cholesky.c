/* Sparse Cholesky factorisation P A P^T = L L^T with CHOLMOD (Chen, Davis, Hager and Rajamanickam 2008).
 *
 * The graph of nodes is ordered (AMD, and METIS where that pays) and the order is expanded to 3x3 blocks by hand: a
 * ninth of the graph to order. A's values are put straight into the lower triangle of P A P^T, so CHOLMOD sees its
 * "natural" order and its supernodal code makes no copy. Order and symbolic factor are kept until the
 * blocks outside the fixed pattern change; then all but the pattern's order is made again, in arrays that only grow.
 * CHOLMOD allocates its symbolic and numeric factor by itself, and one dense workspace in each factorisation, as
 * large as the largest update. Its page faults were 1% of the processor time for a cube of 27000 nodes; at 1000 and
 * 8000 nodes there were none after the first two factorisations. That is not worth replacing CHOLMOD's allocator,
 * which is set for the whole process. When A's values have not changed, the last factorisation is reused.
 *
 * Supernodal where the build has that module (GPL) and the factor is dense enough, simplicial otherwise. */
#if defined(VV_HAVE_CHOLMOD)

#include "base/error.h"
#include "base/memory.h"
#include "base/simd/variant.h"
#include "solve/linear/blas_threads.h"
#include "solve/linear/linear_rows.h"
#include "solve/linear/panels.h"
#include "solve/linear/supernodal.h"

#include <cholmod.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* OpenBLAS's bits depend on its number of threads. Factorisations below some 50 ms always use one thread, so that there
 * the number of threads changes nothing; large factors are worth more threads. */
static const double ONE_THREAD = 2e9; /* flops */
/* If blocks outside the pattern make the factor grow by this much in the pattern's order, a new order pays. */
static const double MORE_FILL = 2;

/* How many elements the arrays of the same name have room for. */
typedef struct rooms {
    size_t pattern_order, order, start, block, p, i, x, b, residual, changed, graph_start, graph, other_order, place,
        fill, row_of;
} rooms;

struct cholesky {
    vv_linear base;
    vv_parallel par;
    cholmod_common common;
    bool analysed, factorised, same; /* same: all values are those of the last factorisation */
    /* the last analysis failed for lack of the library's own memory; lack of CHOLMOD's is handled apart */
    bool starved;
    int n;
    vv_bsr_couplings couplings; /* outside the pattern, as analysed */
    bool ordered;
    int *pattern_order;   /* n: the order of the pattern alone, */
    double pattern_fill;  /* and the entries of its factor, counting each block as one */
    int *order;           /* n: old node of each new one */
    int *start;           /* n + 1: blocks of the lower triangle, column by column */
    int *block;           /* their indices in A; from nnz on: outside the pattern */
    cholmod_sparse lower; /* P A P^T; its arrays are ours */
    cholmod_factor *factor;
    cholmod_dense b, *x, *y, *e; /* right-hand side (our array, one row longer), solution and CHOLMOD's workspace */
    vv_panels panels;            /* a copy of a supernodal factor, for half solves */
    bool packed;                 /* panels holds the present factor */
    double *residual;
    const vv_bsr *a; /* of the current solve */
    int *changed;    /* a flag for each chunk of columns */
    double flops;
    int *graph_start, *graph, *other_order, *place, *fill, *row_of; /* scratch of an analysis */
    rooms room;
};

static void destroy(vv_linear *base)
{
    struct cholesky *s = (struct cholesky *)base;
    if (!s)
        return;
    cholmod_free_factor(&s->factor, &s->common);
    cholmod_free_dense(&s->x, &s->common);
    cholmod_free_dense(&s->y, &s->common);
    cholmod_free_dense(&s->e, &s->common);
    cholmod_finish(&s->common);
    vv_panels_free(&s->panels);
    vv_free(s->pattern_order);
    vv_bsr_couplings_free(&s->couplings);
    vv_free(s->order);
    vv_free(s->start);
    vv_free(s->block);
    vv_free(s->lower.p);
    vv_free(s->lower.i);
    vv_free(s->lower.x);
    vv_free(s->b.x);
    vv_free(s->residual);
    vv_free(s->changed);
    int *scratch[] = { s->graph_start, s->graph, s->other_order, s->place, s->fill, s->row_of };
    for (size_t i = 0; i < sizeof scratch / sizeof *scratch; i++)
        vv_free(scratch[i]);
    vv_free(s);
}

/* Room in one of the arrays. What it held is of no use. */
#define ROOM(s, array, name, count) \
    (vv_grow((void **)&(array), &(s)->room.name, (count), sizeof *(array)) || ((s)->starved = true, false))

static vvStatus create(const vv_bsr *a, const vv_parallel *par, vv_linear **out, vvError *error)
{
    struct cholesky *s = vv_alloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return vv_fail_memory(error, "the linear solver");
    s->base.ops = &vv_linear_cholesky;
    s->par = par && par->threads > 0 ? *par : (vv_parallel){ .threads = 1 };
    s->n = a->n;
    cholmod_start(&s->common);
    s->common.print = 0;
    s->common.useGPU = 0;
    s->common.final_ll = 1; /* LL^T stops at a negative pivot, LDL^T would not */
    s->common.quick_return_if_not_posdef = 1;
    *out = &s->base;
    return VV_OK;
}

/* Order of the graph of nodes, postordered, into `order`: fill-reducing, or the given one. *fill: the factor's
 * entries, counting each block as one. */
static bool order_graph(struct cholesky *s, const vv_bsr *a, bool extra, int *given, int *order, double *fill)
{
    int n = a->n, count = 0;
    cholmod_factor *f = NULL;
    if (ROOM(s, s->graph_start, graph_start, (size_t)n + 1) &&
        ROOM(s, s->graph, graph, (size_t)a->nnz + (size_t)a->extra.couplings + 1)) {
        int *p = s->graph_start, *i = s->graph;
        p[0] = 0;
        for (int r = 0; r < n; r++) {
            for (int k = a->row_start[r]; k <= a->diag[r]; k++)
                i[count++] = a->col[k];
            for (int k = extra ? a->extra.start[r] : 0; extra && k < a->extra.start[r + 1] && a->extra.col[k] < r; k++)
                i[count++] = a->extra.col[k];
            p[r + 1] = count;
        }
        cholmod_sparse upper = { .nrow = (size_t)n,
                                 .ncol = (size_t)n,
                                 .nzmax = (size_t)count,
                                 .p = p,
                                 .i = i,
                                 .stype = 1,
                                 .itype = CHOLMOD_INT,
                                 .xtype = CHOLMOD_PATTERN,
                                 .dtype = CHOLMOD_DOUBLE,
                                 .sorted = !extra,
                                 .packed = 1 };
        s->common.supernodal = CHOLMOD_SIMPLICIAL;
        s->common.nmethods = given ? 1 : 0;
        s->common.method[0].ordering = CHOLMOD_GIVEN; /* used if it is the only method */
        s->common.postorder = 1;
        f = cholmod_analyze_p(&upper, given, NULL, 0, &s->common);
        if (f)
            memcpy(order, f->Perm, (size_t)n * sizeof *order);
        *fill = s->common.lnz;
        cholmod_free_factor(&f, &s->common);
    }
    return !s->starved && s->common.status >= CHOLMOD_OK;
}

/* The order of all blocks: that of the pattern, postordered again if there are other blocks, or a new one if the factor
 * fills too much. It follows from the matrix alone, not from earlier ones. */
static bool order_nodes(struct cholesky *s, const vv_bsr *a)
{
    bool extra = a->extra.nnz > 0;
    if (!s->ordered)
        s->ordered = order_graph(s, a, false, NULL, s->pattern_order, &s->pattern_fill);
    if (!s->ordered)
        return false;
    memcpy(s->order, s->pattern_order, (size_t)a->n * sizeof *s->order);
    double fill = 0, other;
    if (extra && !order_graph(s, a, true, s->pattern_order, s->order, &fill))
        return false;
    if (fill <= MORE_FILL * s->pattern_fill)
        return true;
    bool ok =
        ROOM(s, s->other_order, other_order, (size_t)a->n) && order_graph(s, a, true, NULL, s->other_order, &other);
    if (ok && other < fill)
        memcpy(s->order, s->other_order, (size_t)a->n * sizeof *s->order);
    return ok;
}

/* start[j]: where column j of the lower triangle of P A P^T begins among its blocks. place: a row's place in the
 * order. */
static void count_blocks(struct cholesky *s, const vv_bsr *a, const int *place)
{
    memset(s->start, 0, ((size_t)a->n + 1) * sizeof *s->start);
    for (int i = 0; i < a->n; i++)
        for (int k = a->row_start[i]; k < a->row_start[i + 1]; k++)
            if (place[i] >= place[a->col[k]])
                s->start[place[a->col[k]] + 1]++;
    for (int p = 0; p < a->extra.couplings; p++) {
        int i = place[a->extra.coupling[p][0]], j = place[a->extra.coupling[p][1]];
        s->start[(i < j ? i : j) + 1]++;
    }
    for (int j = 0; j < a->n; j++)
        s->start[j + 1] += s->start[j];
}

/* block: which block of the matrix is each of them (those beside the pattern count on from nnz). fill: room for n. */
static void list_blocks(struct cholesky *s, const vv_bsr *a, const int *place, int *fill)
{
    bool extra = a->extra.nnz > 0;
    memcpy(fill, s->start, (size_t)a->n * sizeof *fill);
    for (int row = 0; row < a->n; row++) { /* new rows in order: columns come out sorted */
        int i = s->order[row];
        for (int k = a->row_start[i]; k < a->row_start[i + 1]; k++)
            if (row >= place[a->col[k]])
                s->block[fill[place[a->col[k]]]++] = k;
        for (int k = extra ? a->extra.start[i] : 0; extra && k < a->extra.start[i + 1]; k++)
            if (row > place[a->extra.col[k]])
                s->block[fill[place[a->extra.col[k]]]++] = a->nnz + k;
    }
}

/* The pattern in numbers: column 3 j + c holds rows c..2 of the diagonal block, then 3 rows of each other. row_of:
 * room for a row a block of the matrix. */
static void scalar_pattern(struct cholesky *s, const vv_bsr *a, const int *place, int *row_of)
{
    int *p = s->lower.p, *idx = s->lower.i, at = 0;
    for (int i = 0; i < a->n; i++)
        for (int k = a->row_start[i]; k < a->row_start[i + 1]; k++)
            row_of[k] = place[i];
    for (int e = 0; e < a->extra.rows; e++)
        for (int k = a->extra.start[a->extra.row[e]]; k < a->extra.start[a->extra.row[e] + 1]; k++)
            row_of[a->nnz + k] = place[a->extra.row[e]];
    for (int j = 0; j < a->n; j++)
        for (int c = 0; c < 3; c++) {
            p[3 * j + c] = at;
            for (int r = c; r < 3; r++)
                idx[at++] = 3 * j + r;
            for (int k = s->start[j] + 1; k < s->start[j + 1]; k++)
                for (int r = 0; r < 3; r++)
                    idx[at++] = 3 * row_of[s->block[k]] + r;
        }
    p[3 * a->n] = at;
}

/* The blocks of the lower triangle of P A P^T, each column's rows ascending, and their pattern in numbers. */
static bool place_blocks(struct cholesky *s, const vv_bsr *a)
{
    size_t n = (size_t)a->n;
    if (!ROOM(s, s->place, place, n) || !ROOM(s, s->fill, fill, n) ||
        !ROOM(s, s->row_of, row_of, (size_t)a->nnz + (size_t)a->extra.nnz))
        return false;
    for (int i = 0; i < a->n; i++)
        s->place[s->order[i]] = i;
    count_blocks(s, a, s->place);
    list_blocks(s, a, s->place, s->fill);
    scalar_pattern(s, a, s->place, s->row_of);
    return true;
}

/* Room in all arrays, for a matrix of n rows, with so many blocks and numbers in its lower triangle. */
static bool reserve(struct cholesky *s, size_t n, size_t blocks, size_t entries)
{
    int *p = s->lower.p, *i = s->lower.i;
    double *x = s->lower.x, *b = s->b.x;
    bool ok = ROOM(s, s->pattern_order, pattern_order, n) && ROOM(s, s->order, order, n) &&
              ROOM(s, s->start, start, n + 1) && ROOM(s, s->block, block, blocks) &&
              ROOM(s, s->changed, changed, n / VV_BSR_CHUNK + 1) && ROOM(s, s->residual, residual, 3 * n) &&
              ROOM(s, p, p, 3 * n + 1) && ROOM(s, i, i, entries) && ROOM(s, x, x, entries) && ROOM(s, b, b, 3 * n + 1);
    s->lower = (cholmod_sparse){ .nrow = 3 * n,
                                 .ncol = 3 * n,
                                 .nzmax = entries,
                                 .p = p,
                                 .i = i,
                                 .x = x,
                                 .stype = -1,
                                 .itype = CHOLMOD_INT,
                                 .xtype = CHOLMOD_REAL,
                                 .dtype = CHOLMOD_DOUBLE,
                                 .sorted = 1,
                                 .packed = 1 };
    s->b = (cholmod_dense){
        .nrow = 3 * n, .ncol = 1, .nzmax = 3 * n, .d = 3 * n, .x = b, .xtype = CHOLMOD_REAL, .dtype = CHOLMOD_DOUBLE
    };
    return ok;
}

/* The host wants no more: as if memory were short, which vv_fail_memory tells apart. */
static bool given_up(struct cholesky *s) { return s->starved = vv_for_stopped(&s->par); }

/* Order and symbolic factor with the present contacts. The pattern's order is kept for good. */
static bool analyse(struct cholesky *s, const vv_bsr *a)
{
    if (s->analysed && vv_bsr_couplings_match(&s->couplings, a))
        return true;
    size_t n = (size_t)a->n, blocks = ((size_t)a->nnz + n) / 2 + (size_t)a->extra.couplings,
           entries = 9 * (blocks - n) + 6 * n;
    s->analysed = s->factorised = false;
    cholmod_free_factor(&s->factor, &s->common);
    if (3 * n >= INT_MAX || entries >= INT_MAX)
        return false;
    s->starved = false;
    if (!reserve(s, n, blocks, entries) || !order_nodes(s, a) || given_up(s) || !place_blocks(s, a) || given_up(s))
        return false;
    if (!vv_bsr_couplings_copy(&s->couplings, a)) {
        s->starved = true;
        return false;
    }
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
    s->analysed = s->factor != NULL;
    return s->analysed;
}

void vv_cholesky_forget(vv_linear *base, int n)
{
    struct cholesky *s = (struct cholesky *)base;
    s->n = n;
    s->analysed = s->factorised = s->ordered = s->packed = false;
}

vvStatus vv_cholesky_analyse(vv_linear *base, const vv_bsr *a, vv_cholesky_cost *cost, vvError *error)
{
    struct cholesky *s = (struct cholesky *)base;
    *cost = (vv_cholesky_cost){ 0, 0 };
    s->starved = false;
    if (a->n > 0 && analyse(s, a))
        *cost = (vv_cholesky_cost){ s->flops, s->common.lnz };
    return s->starved ? vv_fail_memory(error, "the Cholesky factor's order") : VV_OK;
}

static bool copy_value(double *to, double from)
{
    bool changed = memcmp(to, &from, sizeof from) != 0;
    *to = from;
    return changed;
}

static const double *block_value(const struct cholesky *s, int block)
{
    int nnz = s->a->nnz;
    return block < nnz ? s->a->val + 9 * (size_t)block : s->a->extra.val + 9 * (size_t)(block - nnz);
}

static void fill_chunk(void *arg, int chunk)
{
    struct cholesky *s = arg;
    int begin = chunk * VV_BSR_CHUNK, end = begin + VV_BSR_CHUNK < s->n ? begin + VV_BSR_CHUNK : s->n;
    const int *p = s->lower.p;
    double *x = s->lower.x;
    bool changed = false;
    for (int j = begin; j < end; j++)
        for (int c = 0; c < 3; c++) {
            double *to = x + p[3 * j + c];
            const double *diagonal = block_value(s, s->block[s->start[j]]) + 3 * c;
            for (int r = c; r < 3; r++)
                changed |= copy_value(to++, diagonal[r]);
            for (int k = s->start[j] + 1; k < s->start[j + 1]; k++) {
                const double *from = block_value(s, s->block[k]) + 3 * c;
                for (int r = 0; r < 3; r++)
                    changed |= copy_value(to++, from[r]);
            }
        }
    s->changed[chunk] = changed;
}

/* Factorises unless the values are unchanged. False when A is not positive definite, memory is short (see status), or
 * the host wants no more (vv_for_stopped). */
static bool factorise(struct cholesky *s, const vv_bsr *a)
{
    int chunks = (s->n + VV_BSR_CHUNK - 1) / VV_BSR_CHUNK;
    bool changed = !s->factorised;
    s->a = a;
    vv_for(&s->par, chunks, fill_chunk, s);
    for (int c = 0; c < chunks; c++)
        changed |= s->changed[c] != 0;
    if (!changed)
        return true;
    s->packed = false;
    vv_blas_scope scope = vv_blas_enter(s->flops < ONE_THREAD ? 1 : s->par.threads);
    s->factorised = vv_cholmod_factorise(&s->lower, s->factor, s->flops, &s->par, &s->common);
    vv_blas_leave(scope);
    return s->factorised;
}

/* x += (P^T L^-T L^-1 P) r, permuted by hand */
static bool back_solve(struct cholesky *s, const double *r, double *x)
{
    double *b = s->b.x;
    for (int i = 0; i < s->n; i++)
        memcpy(b + 3 * (size_t)i, r + 3 * (size_t)s->order[i], 3 * sizeof *b);
    vv_blas_scope scope = vv_blas_enter(1); /* two threads took twice the processor time */
    bool ok = cholmod_solve2(CHOLMOD_A, s->factor, &s->b, NULL, &s->x, NULL, &s->y, &s->e, &s->common);
    vv_blas_leave(scope);
    if (!ok)
        return false;
    const double *y = s->x->x;
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < 3; k++)
            x[3 * (size_t)s->order[i] + (size_t)k] += y[3 * (size_t)i + (size_t)k];
    return true;
}

bool vv_cholesky_factorise(vv_linear *base, const vv_bsr *a)
{
    struct cholesky *s = (struct cholesky *)base;
    if (!factorise(s, a))
        return false;
    const cholmod_factor *f = s->factor;
    if (f->is_super && !s->packed)
        s->packed = vv_panels_pack(&s->panels,
                                   &(vv_supernodes){ (int)f->n, (int)f->nsuper, f->super, f->pi, f->px, f->s, f->x });
    return !f->is_super || s->packed;
}

/* b = L^-1 b or L^-T b, in the factor's order */
static bool half_solve(struct cholesky *s, bool transposed)
{
    double *b = s->b.x;
    if (s->factor->is_super) {
        const vv_panel_kernels *kernels = VV_VARIANT(s->a->isa, vv_panel_kernels);
        b[3 * (size_t)s->n] = 0;
        (transposed ? kernels->solve_transposed : kernels->solve)(&s->panels, b);
        return true;
    }
    bool ok = cholmod_solve2(transposed ? CHOLMOD_Lt : CHOLMOD_L, s->factor, &s->b, NULL, &s->x, NULL, &s->y, &s->e,
                             &s->common);
    if (ok)
        memcpy(b, s->x->x, 3 * (size_t)s->n * sizeof *b);
    return ok;
}

bool vv_cholesky_half_solve(vv_linear *base, bool transposed, const double *b, double *x)
{
    struct cholesky *s = (struct cholesky *)base;
    double *to = s->b.x;
    for (size_t i = 0; i < (size_t)s->n; i++)
        memcpy(to + 3 * i, b + 3 * (transposed ? i : (size_t)s->order[i]), 3 * sizeof *b);
    bool ok = half_solve(s, transposed);
    for (size_t i = 0; ok && i < (size_t)s->n; i++)
        memcpy(x + 3 * (transposed ? (size_t)s->order[i] : i), to + 3 * i, 3 * sizeof *x);
    return ok;
}

/* ||b - A x|| / ||b||, and b - A x in s->residual */
static double residual(struct cholesky *s, const double *b, const double *x)
{
    double rr = 0, bb = 0;
    vv_bsr_multiply(s->a, &s->par, x, s->residual);
    for (size_t k = 0; k < 3 * (size_t)s->n; k++) {
        s->residual[k] = b[k] - s->residual[k];
        rr += s->residual[k] * s->residual[k];
        bb += b[k] * b[k];
    }
    return bb > 0 ? sqrt(rr / bb) : sqrt(rr);
}

static vvStatus solve(vv_linear *base, const vv_bsr *a, const double *b, double *x, double tolerance,
                      int max_iterations, vv_linear_stats *stats, vvError *error)
{
    (void)max_iterations;
    struct cholesky *s = (struct cholesky *)base;
    *stats = (vv_linear_stats){ .used = "cholesky", .converged = true };
    if (s->n == 0)
        return VV_OK;
    memset(x, 0, 3 * (size_t)s->n * sizeof *x);
    bool ok = analyse(s, a), memory = !ok;
    ok = ok && factorise(s, a);
    if (ok) {
        memory = !back_solve(s, b, x);
        stats->residual = residual(s, b, x);
        /* one step of iterative refinement, for ill-conditioned A */
        if (!memory && stats->residual > fmin(tolerance, 1e-10) && stats->residual < 1) {
            memory = !back_solve(s, s->residual, x);
            stats->residual = residual(s, b, x);
        }
        stats->converged = stats->residual <= fmax(tolerance, 1e-8);
    } else if (vv_for_stopped(&s->par)) {
        return vv_fail_cancelled(error);
    } else {
        memory = memory || s->common.status < CHOLMOD_OK;
        stats->indefinite = true;
        stats->converged = false;
        stats->residual = 1;
    }
    return memory ? vv_fail_memory(error, "the Cholesky factor") : VV_OK;
}

const vv_linear_ops vv_linear_cholesky = {
    .info = { "cholesky", "sparse Cholesky factorisation, symbolic part kept (CHOLMOD; Chen and others 2008)" },
    .create = create,
    .solve = solve,
    .destroy = destroy,
};

#else
typedef int vv_no_cholesky; /* ISO C forbids an empty file */
#endif
