/* Conjugate gradients preconditioned with the 3x3 diagonal blocks (Hestenes and Stiefel 1952), for A x = b from x = 0.
 *
 * Letters as in solve/pcg/kernel.h. It stops when the preconditioned norm of the residual, sqrt(r.M^-1 r), has come
 * down to `tolerance` times its value at the start; on a direction of non-positive curvature p.Ap <= 0, within
 * rounding: p.Ap / p.Mp below 1e-15 (then it returns x so far, which decreases x.Ax/2 - b.x, or M^-1 b at the first
 * iteration; where the curvature is negative beyond rounding, x before the first step along slight curvature, as such
 * steps are as long as the curvature is slight, and it is on its way to below zero); at the cap; on numbers that are
 * not finite. p.Mp comes from the recurrence p.Mp = r.z + beta^2 (previous p.Mp).
 *
 * The product reads all of A at each iteration and is bound by memory bandwidth, so for tolerances of 1e-6 and above
 * A is kept in single precision (sums stay double). That solves (A + E) x = b with |E| <= u |A|, u = 2^-24, whose
 * residual is off by about u * 4 * kappa; kappa, the condition number that the iteration felt, follows from the
 * number of iterations k = sqrt(kappa) / 2 * ln(2 / tolerance). Where that is not small beside the tolerance, the
 * true residual is formed in double precision, and the iteration continues with the double matrix if it does not hold.
 *
 * Affine bodies' rows are taken as one (solve/linear/clumps.h).
 *
 * Sums are taken over chunks of VV_BSR_CHUNK rows in the chunks' order: any number of threads gives the same bits. */
#include "solve/pcg/kernel.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/simd/variant.h"
#include "solve/linear/clumps.h"
#include "solve/linear/linear_rows.h"

#include <math.h>
#include <string.h>

struct pcg {
    vv_linear base;
    vv_parallel par;
    vv_clumps clumps;
    vv_pcg v;
    const vv_pcg_kernels *kernels;
    int chunks;
    double *parts;                                           /* partial sums, one per chunk */
    double (*sum_pass)(const vv_pcg *s, int begin, int end); /* what sum_chunk runs */
    double factor;                                           /* alpha or beta of that pass */
    double *kept;                                            /* x before the first step along slight curvature */
};

static void destroy(vv_linear *base)
{
    struct pcg *s = (struct pcg *)base;
    if (!s)
        return;
    vv_clumps_free(&s->clumps);
    vv_free(s->v.r);
    vv_free(s->v.z);
    vv_free(s->v.p);
    vv_free(s->v.q);
    vv_free(s->v.w);
    vv_free(s->v.val);
    vv_free(s->parts);
    vv_free(s->kept);
    vv_free(s);
}

static vvStatus create(const vv_bsr *a, const vv_parallel *par, vv_linear **out, vvError *error)
{
    struct pcg *s = vv_alloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return vv_fail_memory(error, "the linear solver");
    s->base.ops = &vv_linear_pcg_jacobi;
    s->par = par && par->threads > 0 ? *par : (vv_parallel){ .threads = 1 };
    s->kernels = VV_VARIANT(a->isa, vv_pcg_kernels);
    s->chunks = (a->n + VV_BSR_CHUNK - 1) / VV_BSR_CHUNK;
    size_t length = 3 * (size_t)a->n + 8; /* 4-wide loads read past the end */
    s->v.r = vv_alloc(length, sizeof *s->v.r);
    s->v.z = vv_alloc(length, sizeof *s->v.z);
    s->v.p = vv_alloc(length, sizeof *s->v.p);
    s->v.q = vv_alloc(length, sizeof *s->v.q);
    s->v.w = vv_alloc(2 * length, sizeof *s->v.w);
    s->v.val = vv_alloc(9 * (size_t)a->nnz + 16, sizeof *s->v.val);
    s->parts = vv_alloc((size_t)s->chunks, sizeof *s->parts);
    s->kept = vv_alloc(length, sizeof *s->kept);
    if (!s->kept || !s->v.r || !s->v.z || !s->v.p || !s->v.q || !s->v.w || !s->v.val || !s->parts) {
        destroy(&s->base);
        return vv_fail_memory(error, "the linear solver");
    }
    *out = &s->base;
    return VV_OK;
}

static void rows(const struct pcg *s, int chunk, int *begin, int *end)
{
    *begin = chunk * VV_BSR_CHUNK;
    *end = *begin + VV_BSR_CHUNK < s->v.a->n ? *begin + VV_BSR_CHUNK : s->v.a->n;
}

static void sum_chunk(void *arg, int chunk)
{
    struct pcg *s = arg;
    int begin, end;
    rows(s, chunk, &begin, &end);
    s->parts[chunk] = s->sum_pass(&s->v, begin, end);
}

static void product_chunk(void *arg, int chunk)
{
    struct pcg *s = arg;
    int begin, end;
    rows(s, chunk, &begin, &end);
    s->parts[chunk] = s->sum_pass(&s->v, begin, end);
    s->parts[chunk] += vv_bsr_extra_multiply_rows(s->v.a, s->v.p, s->v.q, begin, end);
}

static void update_chunk(void *arg, int chunk)
{
    struct pcg *s = arg;
    int begin, end;
    rows(s, chunk, &begin, &end);
    s->parts[chunk] = s->kernels->update(&s->v, s->factor, begin, end);
}

static void direction_chunk(void *arg, int chunk)
{
    struct pcg *s = arg;
    int begin, end;
    rows(s, chunk, &begin, &end);
    s->kernels->direction(&s->v, s->factor, begin, end);
}

static double total(const struct pcg *s)
{
    double sum = 0;
    for (int c = 0; c < s->chunks; c++)
        sum += s->parts[c];
    return sum;
}

static double sum_over_rows(struct pcg *s, double (*pass)(const vv_pcg *v, int begin, int end))
{
    s->sum_pass = pass;
    vv_for(&s->par, s->chunks, sum_chunk, s);
    return total(s);
}

static double update(struct pcg *s, double alpha)
{
    s->factor = alpha;
    vv_for(&s->par, s->chunks, update_chunk, s);
    return total(s);
}

static void new_direction(struct pcg *s, double beta)
{
    s->factor = beta;
    vv_for(&s->par, s->chunks, direction_chunk, s);
}

/* Whether single precision may have spoilt a residual that looks converged after k iterations; see the top of the
 * file. */
static bool doubtful(int k, double tolerance)
{
    double root = 2 * k / log(2 / tolerance);
    return 0x1p-24 * 4 * root * root > 0.1 * tolerance;
}

enum precision { STORE, CHEAP, FULL };

/* q = A p; returns p.q. Blocks outside the fixed pattern are few: they stay in double precision. */
static double product(struct pcg *s, enum precision *precision)
{
    const vv_pcg_kernels *k = s->kernels;
    s->sum_pass = *precision == STORE ? k->product_store : *precision == CHEAP ? k->product_cheap : k->product;
    if (*precision == STORE)
        *precision = CHEAP;
    vv_for(&s->par, s->chunks, s->v.a->extra.nnz ? product_chunk : sum_chunk, s);
    return total(s);
}

/* The iteration has met negative curvature: x becomes what it was before the first slight one. */
static void step_back(struct pcg *s, bool slight)
{
    if (slight)
        memcpy(s->v.x, s->kept, 3 * (size_t)s->v.a->n * sizeof *s->kept);
}

static void iterate(struct pcg *s, double tolerance, int max_iterations, vv_linear_stats *stats)
{
    enum precision precision = tolerance >= 1e-6 ? STORE : FULL;
    double rz = sum_over_rows(s, s->kernels->start), start = rz;
    double goal = tolerance * tolerance * start;
    stats->residual = start == 0 ? 0 : start < INFINITY ? 1 : NAN;
    stats->converged = start == 0;
    double pmp = rz;
    bool slight = false;
    while (rz > 0 && rz < INFINITY && stats->iterations < max_iterations && !vv_for_stopped(&s->par)) {
        double pq = product(s, &precision);
        if (precision != FULL && pq <= 1e-7 * pmp && stats->iterations > 0) { /* does double precision agree? */
            precision = FULL;
            rz = pmp = sum_over_rows(s, s->kernels->restart);
            continue;
        }
        if (!(pq > 1e-15 * pmp)) {
            stats->indefinite = pq < INFINITY; /* else NaN */
            if (pq < -VV_PCG_CLEAR * pmp)
                step_back(s, slight);
            if (stats->indefinite && stats->iterations == 0)
                update(s, 1); /* p = M^-1 b */
            return;
        }
        if (!slight && stats->iterations > 0 && pq < VV_PCG_SLIGHT * pmp) {
            memcpy(s->kept, s->v.x, 3 * (size_t)s->v.a->n * sizeof *s->kept);
            slight = true;
        }
        double alpha = rz / pq;
        if (!(alpha < INFINITY))
            return;
        double next = update(s, alpha);
        stats->iterations++;
        stats->residual = sqrt(next / start);
        if (next <= goal && precision != FULL && doubtful(stats->iterations, tolerance)) {
            precision = FULL;
            rz = pmp = sum_over_rows(s, s->kernels->restart);
            stats->residual = sqrt(rz / start);
            stats->converged = rz <= goal;
            if (stats->converged)
                return;
            continue;
        }
        stats->converged = next <= goal;
        if (stats->converged)
            return;
        double beta = next / rz;
        new_direction(s, beta);
        pmp = next + beta * beta * pmp;
        rz = next;
    }
}

static vvStatus solve(vv_linear *base, const vv_bsr *a, const double *b, double *x, double tolerance,
                      int max_iterations, vv_linear_stats *stats, vvError *error)
{
    struct pcg *s = (struct pcg *)base;
    const bool clumped = vv_clumps_pay(a);
    *stats = (vv_linear_stats){ .used = "pcg" };
    if (clumped && vv_clumps_apply(&s->clumps, a, &s->par, b, error) != VV_OK)
        return VV_ERROR_MEMORY;
    s->v.a = clumped ? &s->clumps.a : a;
    s->v.b = clumped ? s->clumps.b : b;
    s->v.x = x;
    /* below this, rounding keeps the residual from coming down */
    double least = tolerance > 1e-14 ? tolerance : 1e-14;
    iterate(s, least < 1 ? least : 1, max_iterations, stats);
    if (clumped)
        vv_clumps_back(&s->clumps, x);
    return VV_OK;
}

const vv_linear_ops vv_linear_pcg_jacobi = {
    .info = { "pcg-jacobi",
              "conjugate gradients, preconditioned with the 3x3 diagonal blocks (Hestenes and Stiefel 1952)" },
    .create = create,
    .solve = solve,
    .destroy = destroy,
};
