/* The numbers of a large supernodal Cholesky factor, from the left (Ng and Peyton 1993; Chen, Davis, Hager and
 * Rajamanickam 2008): a supernode's columns of A, less what the supernodes below it in the tree add to them, are
 * factorised densely. CHOLMOD's own loop, which may last minutes, has no place at which it could be left; and a thread
 * of its own for it would have to be waited for at the end of the process, where OpenBLAS takes its buffers away.
 *
 * The calls of the BLAS are CHOLMOD's, in its order, so the bits are too, but where one call would take longer than
 * PIECE: that is made in several. */
#if defined(VV_HAVE_CHOLMOD)

#include "solve/linear/supernodal.h"

#if defined(VV_HAVE_SUPERNODAL) && defined(VV_HAVE_OPENBLAS)

#include "base/memory.h"

#include <math.h>
#include <string.h>

void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha, const double *a,
            const int *lda, const double *beta, double *c, const int *ldc);
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc);
void dtrsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m, const int *n,
            const double *alpha, const double *a, const int *lda, double *b, const int *ldb);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);

static const double LARGE = 1e9; /* flops of a factor: those below take some 100 ms */
static const double PIECE = 2e9; /* flops of a call of the BLAS */
enum { PANEL = 256 };            /* columns at a time, of a supernode that is dearer */

typedef struct pieces {
    const cholmod_sparse *a;
    const vv_parallel *par;
    const int *super, *pi, *px, *row; /* CHOLMOD's: first columns, rows and numbers of supernodes; rows */
    double *x;
    double *update;    /* what a supernode below adds */
    int *place;        /* of a row in the supernode at hand */
    int *relative;     /* places of the rows of an update */
    int *node;         /* the supernode of a column */
    int *first, *next; /* supernodes below each one that add to it next, as lists; -1: none */
    int *at;           /* which of its rows is next, of each supernode */
} pieces;

/* A supernode: the first of its columns and their number, its rows and theirs, its numbers. */
typedef struct panel {
    int column, columns, rows;
    const int *row;
    double *x;
} panel;

static panel panel_of(const pieces *f, int s)
{
    return (panel){ f->super[s], f->super[s + 1] - f->super[s], f->pi[s + 1] - f->pi[s], f->row + f->pi[s],
                    f->x + f->px[s] };
}

/* How many columns to take at a time, of so many flops each. */
static int columns_at_a_time(double flops, int columns)
{
    const double most = PIECE / flops;
    return most >= columns ? columns : most > 1 ? (int)most : 1;
}

/* The lower trapezoid of to = beta to + alpha b b(:columns)^T, b with `rows` rows and `inner` columns. False: stopped.
 */
static bool multiply(const pieces *f, double alpha, const double *b, int ldb, int rows, int columns, int inner,
                     double beta, double *to, int ldto)
{
    const int step = columns_at_a_time(2.0 * rows * inner, columns);
    for (int j = 0; j < columns; j += step) {
        const int wide = j + step < columns ? step : columns - j, below = rows - j - wide;
        double *c = to + j + (size_t)ldto * (size_t)j;
        dsyrk_("L", "N", &wide, &inner, &alpha, b + j, &ldb, &beta, c, &ldto);
        if (below > 0)
            dgemm_("N", "C", &below, &wide, &inner, &alpha, b + j + wide, &ldb, b + j, &ldb, &beta, c + wide, &ldto);
        if (vv_for_stopped(f->par))
            return false;
    }
    return true;
}

/* The columns of A into the supernode, whose rows have places. */
static void scatter(pieces *f, const panel *s)
{
    const int *start = f->a->p, *row = f->a->i;
    const double *x = f->a->x;
    memset(s->x, 0, (size_t)s->rows * (size_t)s->columns * sizeof *s->x);
    for (int i = 0; i < s->rows; i++)
        f->place[s->row[i]] = i;
    for (int j = 0; j < s->columns; j++)
        for (int k = start[s->column + j]; k < start[s->column + j + 1]; k++)
            s->x[(size_t)f->place[row[k]] + (size_t)j * (size_t)s->rows] = x[k];
}

/* Subtracts what supernode d adds to s; its rows from at[d] on are in s or above it. False: stopped. */
static bool subtract(pieces *f, const panel *s, int d)
{
    const panel from = panel_of(f, d);
    const int begin = f->at[d], rows = from.rows - begin, end = s->column + s->columns;
    int columns = 0;
    while (columns < rows && from.row[begin + columns] < end)
        columns++;
    if (!multiply(f, 1, from.x + begin, from.rows, rows, columns, from.columns, 0, f->update, rows))
        return false;
    for (int i = 0; i < rows; i++)
        f->relative[i] = f->place[from.row[begin + i]];
    for (int j = 0; j < columns; j++) {
        double *to = s->x + (size_t)f->relative[j] * (size_t)s->rows;
        const double *update = f->update + (size_t)j * (size_t)rows;
        for (int i = j; i < rows; i++)
            to[f->relative[i]] -= update[i];
    }
    f->at[d] = begin + columns;
    return true;
}

/* To the supernode with d's next row. */
static void hand_on(pieces *f, int d)
{
    const panel s = panel_of(f, d);
    if (f->at[d] == s.rows)
        return;
    const int above = f->node[s.row[f->at[d]]];
    f->next[d] = f->first[above];
    f->first[above] = d;
}

/* Factorises the supernode's columns. *bad: the first one that shows that A is not positive definite, from 1; 0: none.
 * False: stopped. */
static bool factorise(const pieces *f, const panel *s, int *bad)
{
    const double one = 1, n = s->columns, below = s->rows - s->columns;
    const int wide = n * n * (n / 3 + below) <= PIECE ? s->columns : PANEL;
    for (int j = 0; j < s->columns; j += wide) {
        const int here = j + wide < s->columns ? wide : s->columns - j, rows = s->rows - j - here;
        const int columns = s->columns - j - here;
        double *x = s->x + j + (size_t)s->rows * (size_t)j, *next = x + here + (size_t)s->rows * (size_t)here;
        dpotrf_("L", &here, x, &s->rows, bad);
        if (*bad) {
            *bad += j;
            return true;
        }
        if (rows > 0)
            dtrsm_("R", "L", "C", "N", &rows, &here, &one, x, &s->rows, x + here, &s->rows);
        if (vv_for_stopped(f->par) ||
            (columns > 0 && !multiply(f, -1, x + here, s->rows, rows, columns, here, 1, next, s->rows)))
            return false;
    }
    return true;
}

/* -1: stopped; else the first column that shows that A is not positive definite, n: none. */
static int all_supernodes(pieces *f, int supernodes, int n)
{
    for (int s = 0; s < supernodes; s++)
        for (int j = f->super[s]; j < f->super[s + 1]; j++)
            f->node[j] = s;
    memset(f->first, -1, (size_t)supernodes * sizeof *f->first);
    for (int s = 0; s < supernodes; s++) {
        const panel p = panel_of(f, s);
        scatter(f, &p);
        for (int d = f->first[s], next; d >= 0; d = next) {
            next = f->next[d];
            if (!subtract(f, &p, d))
                return -1;
            hand_on(f, d);
        }
        int bad = 0;
        if (!factorise(f, &p, &bad))
            return -1;
        if (bad > 0)
            return p.column + bad - 1;
        f->at[s] = p.columns;
        hand_on(f, s);
    }
    return n;
}

static bool by_pieces(cholmod_sparse *lower, cholmod_factor *l, const vv_parallel *par, cholmod_common *common)
{
    const size_t n = l->n, supernodes = l->nsuper;
    if (l->xtype == CHOLMOD_PATTERN && !cholmod_change_factor(CHOLMOD_REAL, 1, 1, 1, 1, l, common))
        return false;
    common->status = CHOLMOD_OK;
    pieces f = { .a = lower, .par = par, .super = l->super, .pi = l->pi, .px = l->px, .row = l->s, .x = l->x };
    /* CHOLMOD's memory, as its own loop would take: its largest part is as large as the factor's largest update */
    int *numbers = cholmod_malloc(3 * n + 3 * supernodes, sizeof *numbers, common);
    f.update = cholmod_malloc(l->maxcsize, sizeof *f.update, common);
    int bad = -1;
    if (numbers && (f.update || l->maxcsize == 0)) {
        f.place = numbers, f.relative = f.place + n, f.node = f.relative + n;
        f.first = f.node + n, f.next = f.first + supernodes, f.at = f.next + supernodes;
        bad = all_supernodes(&f, (int)supernodes, (int)n);
    }
    cholmod_free(3 * n + 3 * supernodes, sizeof *numbers, numbers, common);
    cholmod_free(l->maxcsize, sizeof *f.update, f.update, common);
    l->minor = bad < 0 ? 0 : (size_t)bad;
    if (common->status == CHOLMOD_OK && bad >= 0 && l->minor < n)
        common->status = CHOLMOD_NOT_POSDEF;
    return common->status == CHOLMOD_OK && l->minor == n;
}
#endif

bool vv_cholmod_factorise(cholmod_sparse *lower, cholmod_factor *factor, double flops, const vv_parallel *par,
                          cholmod_common *common)
{
#if defined(VV_HAVE_SUPERNODAL) && defined(VV_HAVE_OPENBLAS)
    if (factor->is_super && par->stop && flops > LARGE)
        return by_pieces(lower, factor, par, common);
#endif
    (void)flops, (void)par;
    return cholmod_factorize(lower, factor, common) && common->status == CHOLMOD_OK && factor->minor == factor->n;
}

#else
typedef int vv_no_supernodal; /* ISO C forbids an empty file */
#endif
