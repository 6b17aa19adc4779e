/* Solves with a factor and a diagonal that has changed since; see update.h. */
#include "solve/constant/update.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/simd/variant.h"
#include "solve/constant/update_kernel.h"
#include "solve/vectors.h"

#include <math.h>
#include <string.h>

enum { LEAST_ROOM = 8, BLOCKS = 64 };  /* BLOCKS: of rows, in a chunk for one thread */
static const double TOLERANCE = 1e-2;  /* of conjugate gradients: of the residual's length in the norm of A^-1 */
static const double LEAST_PIVOT = 0.5; /* 1 but for rounding */

static int blocks(const vv_update *u) { return (u->n + VV_UPDATE_ROWS - 1) / VV_UPDATE_ROWS; }

vvStatus vv_update_create(vv_update *u, const vv_system *system, vvError *error)
{
    const size_t n = (size_t)system->unknowns;
    *u = (vv_update){
        .n = system->unknowns, .system = system, .at = vv_alloc(n, sizeof *u->at), .d = vv_alloc(n, sizeof *u->d)
    };
    if (u->at && u->d)
        return VV_OK;
    vv_update_free(u);
    return vv_fail_memory(error, "a diagonal update");
}

void vv_update_free(vv_update *u)
{
    vv_free(u->column);
    vv_free(u->at);
    vv_free(u->d);
    vv_free(u->cholesky);
    *u = (vv_update){ 0 };
}

void vv_update_forget(vv_update *u) { u->kept = u->count = 0; }

/* ---- columns of A^-1 ---- */

static float *entry(const vv_update *u, int place, int row)
{
    return u->column + ((size_t)(row / VV_UPDATE_ROWS) * (size_t)u->room + (size_t)place) * VV_UPDATE_ROWS +
           row % VV_UPDATE_ROWS;
}

/* Room for so many columns; those that there are stay. */
static vvStatus make_room(vv_update *u, int wanted, vvError *error)
{
    int room = u->room ? u->room : LEAST_ROOM;
    while (room < wanted)
        room *= 2;
    if (!u->cholesky)
        u->cholesky = vv_alloc((size_t)VV_UPDATE_COLUMNS * VV_UPDATE_COLUMNS, sizeof *u->cholesky);
    if (!u->cholesky)
        return vv_fail_memory(error, "a diagonal update");
    if (room == u->room)
        return VV_OK;
    float *column = vv_alloc((size_t)blocks(u) * (size_t)room * VV_UPDATE_ROWS, sizeof *column);
    if (!column)
        return vv_fail_memory(error, "the columns of a diagonal update");
    for (size_t b = 0; b < (size_t)blocks(u) && u->room; b++)
        memcpy(column + b * (size_t)room * VV_UPDATE_ROWS, u->column + b * (size_t)u->room * VV_UPDATE_ROWS,
               (size_t)u->kept * VV_UPDATE_ROWS * sizeof *column);
    vv_free(u->column);
    u->column = column;
    u->room = room;
    return VV_OK;
}

/* The place of the column of a node that is in use now; -1: it has none. */
static int find(const vv_update *u, int node)
{
    for (int p = 0; p < u->kept; p++)
        if (u->node[p] == node)
            return p;
    return -1;
}

/* A place for a column: a new one, or that of the one which has not been in use for longest. Nothing in use now is
 * taken. */
static int take(vv_update *u)
{
    if (u->kept < u->room)
        return u->kept++;
    int oldest = 0;
    for (int p = 1; p < u->kept; p++)
        if (u->used[p] < u->used[oldest])
            oldest = p;
    return oldest;
}

/* The columns of up to three nodes, by one solve. */
static void solve_columns(vv_update *u, const vv_forest *a, const int *list, int count, double *work)
{
    int place[3] = { 0 };
    vv_zero(3 * (size_t)u->n, work);
    for (int c = 0; c < count; c++) {
        work[3 * (size_t)u->at[list[c]] + (size_t)c] = 1;
        place[c] = u->place[list[c]] = take(u);
        u->node[place[c]] = u->at[list[c]];
        u->used[place[c]] = u->uses;
    }
    vv_forest_solve(a, work, work);
    for (int i = 0; i < u->n; i++)
        for (int c = 0; c < count; c++)
            *entry(u, place[c], i) = (float)work[3 * (size_t)i + (size_t)c];
}

static vvStatus find_columns(vv_update *u, const vv_forest *a, double *work, vvError *error)
{
    int missing[3], count = 0, absent = 0;
    u->uses++;
    for (int i = 0; i < u->count; i++) {
        u->place[i] = find(u, u->at[i]);
        if (u->place[i] >= 0)
            u->used[u->place[i]] = u->uses;
        absent += u->place[i] < 0;
    }
    const int wanted = u->kept + absent;
    vvStatus status = make_room(u, wanted < VV_UPDATE_COLUMNS ? wanted : VV_UPDATE_COLUMNS, error);
    for (int i = 0; status == VV_OK && i < u->count; i++) {
        if (u->place[i] < 0)
            missing[count++] = i;
        if (count == 3 || (count > 0 && i == u->count - 1)) {
            solve_columns(u, a, missing, count, work);
            count = 0;
        }
    }
    return status;
}

/* ---- the small matrix ---- */

/* C_ij, whichever of the two columns came first: that of the later node. */
static double between(const vv_update *u, int i, int j)
{
    return (double)(i < j ? *entry(u, u->place[j], u->at[i]) : *entry(u, u->place[i], u->at[j]));
}

/* False: the factor is too inaccurate for it. */
static bool factorise(vv_update *u)
{
    for (int i = 0; i < u->count; i++) {
        double *row = u->cholesky + i * VV_UPDATE_COLUMNS;
        u->own[i] = between(u, i, i);
        for (int j = 0; j <= i; j++) {
            const double *other = u->cholesky + j * VV_UPDATE_COLUMNS;
            double sum = sqrt(u->d[i]) * sqrt(u->d[j]) * between(u, i, j) + (i == j);
            for (int k = 0; k < j; k++)
                sum -= row[k] * other[k];
            if (i == j && !(sum >= LEAST_PIVOT && sum < INFINITY))
                return false;
            row[j] = i == j ? sqrt(sum) : sum / other[j];
        }
    }
    return true;
}

/* g = S^-1 g */
static void solve_small(const vv_update *u, double (*g)[3])
{
    for (int i = 0; i < u->count; i++) {
        const double *row = u->cholesky + i * VV_UPDATE_COLUMNS;
        for (int c = 0; c < 3; c++) {
            for (int k = 0; k < i; k++)
                g[i][c] -= row[k] * g[k][c];
            g[i][c] /= row[i];
        }
    }
    for (int i = u->count; i-- > 0;)
        for (int c = 0; c < 3; c++) {
            g[i][c] /= u->cholesky[i * VV_UPDATE_COLUMNS + i];
            for (int k = 0; k < i; k++)
                g[k][c] -= u->cholesky[i * VV_UPDATE_COLUMNS + k] * g[i][c];
        }
}

vvStatus vv_update_set(vv_update *u, const vv_forest *a, const double *d, double *work, vvError *error)
{
    int count = 0;
    bool same = true;
    for (int i = 0; i < u->n; i++)
        if (d[i] > 0) {
            same = same && count < u->count && u->at[count] == i && u->d[count] == d[i];
            u->at[count] = i;
            u->d[count++] = d[i];
        }
    if (same && count == u->count)
        return VV_OK;
    u->count = count;
    u->iterated = count > VV_UPDATE_COLUMNS;
    if (count == 0 || u->iterated)
        return VV_OK;
    vvStatus status = find_columns(u, a, work, error);
    u->iterated = status == VV_OK && !factorise(u);
    if (status != VV_OK)
        u->count = 0;
    return status;
}

/* ---- solves ---- */

typedef struct sum {
    vv_update_fn *add;
    vv_update_sum of;
} sum;

static void add_chunk(void *arg, int chunk)
{
    const sum *s = arg;
    const int all = (s->of.rows + VV_UPDATE_ROWS - 1) / VV_UPDATE_ROWS, begin = chunk * BLOCKS, end = begin + BLOCKS;
    s->add(&s->of, begin, end < all ? end : all);
}

static void solve_with_columns(const vv_update *u, const vv_forest *a, double *x)
{
    double b[VV_UPDATE_COLUMNS][3], g[VV_UPDATE_COLUMNS][3];
    float f[VV_UPDATE_COLUMNS][3];
    for (int i = 0; i < u->count; i++) {
        double *row = x + 3 * (size_t)u->at[i];
        memcpy(b[i], row, sizeof b[i]);
        memset(row, 0, sizeof b[i]);
    }
    vv_forest_solve(a, x, x);
    for (int i = 0; i < u->count; i++)
        for (int c = 0; c < 3; c++)
            g[i][c] = b[i][c] / sqrt(u->d[i]) - sqrt(u->d[i]) * x[3 * (size_t)u->at[i] + (size_t)c];
    solve_small(u, g);
    for (int i = 0; i < u->count; i++)
        for (int c = 0; c < 3; c++)
            f[i][c] = (float)(g[i][c] *= sqrt(u->d[i]));
    sum s = { VV_VARIANT_HERE(vv_update_add), { u->column, u->room, u->n, u->count, u->place, f[0], x } };
    const double ns = 0.5 * u->n * (u->count + 4);
    vv_for(vv_helpers_for(&u->system->par, ns), (blocks(u) + BLOCKS - 1) / BLOCKS, add_chunk, &s);
    for (int i = 0; i < u->count; i++)
        for (int c = 0; u->d[i] * u->own[i] > 1 && c < 3; c++)
            x[3 * (size_t)u->at[i] + (size_t)c] = (b[i][c] - g[i][c]) / u->d[i];
}

/* x = P^-1 b, with A'^-1, the factor's, for P^-1; where columns serve, with (A' + D)^-1. */
static void precondition(const vv_update *u, const vv_forest *a, const double *b, double *x)
{
    if (u->iterated || u->count == 0) {
        vv_forest_solve(a, b, x);
    } else {
        vv_copy(3 * (size_t)u->n, b, x);
        solve_with_columns(u, a, x);
    }
}

/* y += R p, R being what P lacks: D where columns do not serve, and C. */
static void add_rest(const vv_update *u, const vv_bsr *c, const double *p, double *y, double *const work[5])
{
    for (int k = 0; u->iterated && k < u->count; k++)
        for (size_t i = 3 * (size_t)u->at[k]; i < 3 * (size_t)u->at[k] + 3; i++)
            y[i] += u->d[k] * p[i];
    if (c) {
        vv_bsr_multiply(c, &u->system->par, p, work[4]);
        vv_axpy(3 * (size_t)u->n, 1, work[4], y);
    }
}

/* Conjugate gradients on P + R, preconditioned with P: as P z = r, P p follows by the recurrence of p, and no product
 * with A is needed. What is solved is A' + D + C. */
static int iterate(const vv_update *u, const vv_forest *a, const vv_bsr *c, const double *b, double tolerance, int most,
                   double *x, double *const *work)
{
    const size_t n = 3 * (size_t)u->n;
    double *r = work[0], *z = work[1], *p = work[2], *ap = work[3]; /* ap = P p */
    vv_copy(n, b, r);
    vv_copy(n, b, ap);
    vv_zero(n, x);
    precondition(u, a, r, p);
    double rz = vv_sum_dot(u->system, r, p, (int)n), least = tolerance * tolerance * rz;
    int i = 0;
    while (i < most && rz > 0 && rz >= least) {
        vv_copy(n, ap, z); /* (P + R) p */
        add_rest(u, c, p, z, work);
        const double alpha = rz / vv_sum_dot(u->system, p, z, (int)n), before = rz;
        if (!(alpha > 0 && alpha < INFINITY)) /* rounding */
            break;
        vv_axpy(n, alpha, p, x);
        vv_axpy(n, -alpha, z, r);
        i++;
        precondition(u, a, r, z);
        rz = vv_sum_dot(u->system, r, z, (int)n);
        vv_along(n, z, rz / before, p, p);
        vv_along(n, r, rz / before, ap, ap);
    }
    if (i == 0) /* of no forces, or not finite */
        vv_copy(n, p, x);
    return i;
}

int vv_update_solve_with(vv_update *u, const vv_forest *a, const vv_bsr *c, const double *b, double tolerance, int most,
                         double *x, double *const work[5])
{
    return iterate(u, a, c, b, tolerance, most, x, work);
}

int vv_update_solve(vv_update *u, const vv_forest *a, const double *b, double *x, double *const work[4])
{
    if (u->iterated)
        return iterate(u, a, NULL, b, TOLERANCE, VV_UPDATE_ITERATIONS, x, work);
    if (u->count == 0) {
        vv_forest_solve(a, b, x);
    } else {
        if (b != x)
            vv_copy(3 * (size_t)u->n, b, x);
        solve_with_columns(u, a, x);
    }
    return 0;
}
