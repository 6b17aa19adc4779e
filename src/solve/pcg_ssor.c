/* Conjugate gradients preconditioned with symmetric block Gauss-Seidel, in Eisenstat's form (Eisenstat 1981).
 *
 * With the diagonal blocks C_i C_i^T scaled out, W = C^-1, W A W^T = L + I + L^T and the preconditioner is
 * M = (I + L)(I + L^T). Conjugate gradients for H = (I + L)^-1 (L + I + L^T) (I + L^T)^-1 need one sweep back and one
 * forth a product, as  t = (I + L^T)^-1 v,  H v = t + (I + L)^-1 (v - t):  the memory traffic of one product with A, for
 * a half to a third of the iterations that the diagonal blocks alone need. L is kept in single precision (the sweeps are bound by memory
 * bandwidth); sums are double. Its norm is sqrt(r.M^-1 r).
 *
 * Single precision solves a matrix next to A: where the condition number that the iterations show makes that doubtful, the
 * true residual is formed in double precision and the iteration goes on from it (iterative refinement) until that is small.
 *
 * Diagonal blocks or curvature that are not positive, or a refinement that does not get on: the system goes to "pcg-jacobi",
 * whose answers to such matrices (pcg.c) hold here too. */
#include "base/error.h"
#include "base/memory.h"
#include "solve/linear_rows.h"
#include "solve/ssor_order.h"

#include <math.h>
#include <string.h>

typedef double vv_ssor_pass(const vv_ssor *s, int begin, int end);
struct ssor {
    vv_linear base;
    vv_parallel par;
    vv_ssor v;
    vv_ssor_order order;
    const vv_ssor_kernels *kernels;
    vv_linear *jacobi; /* made when first needed */
    double *parts;     /* of a sum, chunk by chunk */
    /* of the pass that runs */
    vv_ssor_pass *pass;
    double (*scaled_pass)(const vv_ssor *s, double factor, int begin, int end);
    double factor;
    void (*sweep_pass)(const vv_ssor *s, vv_ssor_pair *chunks);
    int first, count; /* chunks of the colour that is swept */
};

static void destroy(vv_linear *base)
{
    struct ssor *s = (struct ssor *)base;
    if (!s)
        return;
    if (s->jacobi)
        s->jacobi->ops->destroy(s->jacobi);
    vv_ssor *v = &s->v;
    void *all[] = { v->order, v->source, v->mirror, v->w, v->low.start, v->low.col, v->low.val, v->up.start, v->up.col,
                    v->up.val, v->y, v->r, v->v, v->t, v->u, v->q, s->parts };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        vv_free(all[k]);
    vv_ssor_order_free(&s->order);
    vv_free(s);
}

static const vv_ssor_kernels *kernels_for(vv_isa isa)
{
    switch (isa) {
#if defined(VV_HAVE_X86_KERNELS)
    case VV_ISA_AVX512: return vv_ssor_kernels_avx512();
    case VV_ISA_AVX2: return vv_ssor_kernels_avx2();
#endif
    default: return vv_ssor_kernels_base();
    }
}

static vvStatus create(const vv_bsr *a, const vv_parallel *par, vv_linear **out, vvError *error)
{
    struct ssor *s = vv_alloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return vv_fail_memory(error, "the linear solver");
    s->base.ops = &vv_linear_pcg;
    s->par.threads = par && par->threads > 0 ? par->threads : 1;
    s->kernels = kernels_for(a->isa);
    vv_ssor *v = &s->v;
    bool ok = vv_ssor_order_build(&s->order, v, a);
    size_t length = 4 * (size_t)a->n, entries = 9 * (((size_t)a->nnz - (size_t)a->n) / 2) + 8;
    double **vectors[] = { &v->y, &v->r, &v->v, &v->t, &v->u, &v->q };
    for (int k = 0; k < 6; k++)
        ok = (*vectors[k] = vv_alloc(length, sizeof(double))) && ok;
    v->w = vv_alloc(3 * length, sizeof *v->w);
    v->low.val = vv_alloc(entries, sizeof(float));
    v->up.val = vv_alloc(entries, sizeof(float));
    s->parts = vv_alloc((size_t)s->order.chunks, sizeof *s->parts);
    if (!ok || !v->w || !v->low.val || !v->up.val || !s->parts) {
        destroy(&s->base);
        return vv_fail_memory(error, "the linear solver");
    }
    *out = &s->base;
    return VV_OK;
}

static void run_chunk(void *arg, int chunk, int thread)
{
    (void)thread;
    struct ssor *s = arg;
    int begin = s->order.begin[chunk], end = s->order.begin[chunk + 1];
    s->parts[chunk] = s->pass ? s->pass(&s->v, begin, end) : s->scaled_pass(&s->v, s->factor, begin, end);
}

/* Chunk `pair` of the first half of the colour and its fellow of the second half. */
static void run_pair(void *arg, int pair, int thread)
{
    (void)thread;
    struct ssor *s = arg;
    int half = (s->count + 1) / 2, c[2] = { s->first + pair, s->first + half + pair };
    bool single = half + pair >= s->count;
    const int *begin = s->order.begin;
    vv_ssor_pair chunks = { { begin[c[0]], 0 }, { begin[c[0] + 1], 0 }, { 0, 0 } };
    if (!single) {
        chunks.begin[1] = begin[c[1]];
        chunks.end[1] = begin[c[1] + 1];
    }
    s->sweep_pass(&s->v, &chunks);
    s->parts[c[0]] = chunks.sum[0];
    if (!single)
        s->parts[c[1]] = chunks.sum[1];
}

static double total(const struct ssor *s)
{
    double sum = 0;
    for (int c = 0; c < s->order.chunks; c++)
        sum += s->parts[c];
    return sum;
}

/* All rows in any order. */
static double everywhere(struct ssor *s, vv_ssor_pass *pass)
{
    s->pass = pass;
    vv_for(&s->par, s->order.chunks, run_chunk, s);
    return total(s);
}

static double everywhere_scaled(struct ssor *s, double (*pass)(const vv_ssor *v, double factor, int begin, int end), double factor)
{
    s->scaled_pass = pass;
    s->factor = factor;
    return everywhere(s, NULL);
}

/* Colour after colour, up or down: a sweep. */
static double sweep(struct ssor *s, void (*pass)(const vv_ssor *v, vv_ssor_pair *chunks), bool up)
{
    const int *from = s->order.colour_from;
    s->sweep_pass = pass;
    for (int k = 0; k < s->order.colours; k++) {
        int colour = up ? k : s->order.colours - 1 - k;
        s->first = from[colour];
        s->count = from[colour + 1] - from[colour];
        vv_for(&s->par, (s->count + 1) / 2, run_pair, s);
    }
    return total(s);
}

/* Conjugate gradients from the residual in t until r.r <= goal; adds to x. Returns r.r; *trouble: curvature that single
 * precision cannot tell from zero, or numbers that are not finite (x is then as it was). `start` gets the first r.r. */
static double iterate(struct ssor *s, double tolerance, double *goal, int max_iterations, double *start, vv_linear_stats *stats, bool *trouble)
{
    const vv_ssor_kernels *k = s->kernels;
    double rr = sweep(s, k->start, true), vv = rr;
    if (*start < 0) {
        *start = rr;
        *goal = tolerance * tolerance * rr;
    }
    *trouble = !(rr < INFINITY);
    while (rr > *goal && stats->iterations < max_iterations) {
        sweep(s, k->backward, false);
        double vq = sweep(s, k->forward, true), alpha = rr / vq;
        if (!(vq > 1e-7 * vv) || !(alpha < INFINITY)) {
            *trouble = true;
            return rr;
        }
        double next = everywhere_scaled(s, k->update, alpha), beta = next / rr;
        stats->iterations++;
        rr = next;
        if (!(rr > *goal))
            break;
        everywhere_scaled(s, k->direction, beta);
        vv = rr + beta * beta * vv;
    }
    *trouble = *trouble || !(rr < INFINITY);
    if (!*trouble)
        sweep(s, k->finish, false);
    return rr;
}

/* As in pcg.c; this preconditioner hides some of the condition number of the matrix that was rounded: a factor of three. */
static bool doubtful(int k, double tolerance)
{
    double root = 6 * k / log(2 / tolerance);
    return 0x1p-24 * 4 * root * root > 0.1 * tolerance;
}

/* True when it is done; false: to be done otherwise, x is void. */
static bool solve_here(struct ssor *s, double tolerance, int max_iterations, vv_linear_stats *stats)
{
    const vv_ssor_kernels *k = s->kernels;
    if (everywhere(s, k->factor) != 0)
        return false;
    everywhere(s, k->scale);
    double start = -1, goal = 0, before = INFINITY;
    bool trouble;
    for (int round = 0;; round++) {
        everywhere(s, k->residual);
        int spent = stats->iterations;
        double rr = iterate(s, tolerance, &goal, max_iterations, &start, stats, &trouble);
        if (trouble)
            return false;
        stats->residual = start > 0 ? sqrt(rr / start) : 0;
        stats->converged = rr <= goal;
        if (!stats->converged)
            return true; /* the cap */
        if (round > 0 && stats->iterations == spent)
            return true; /* the true residual was small enough */
        if (!doubtful(stats->iterations, tolerance))
            return true;
        /* the next round's first r.r is the true residual's: is it getting on? */
        everywhere(s, k->residual);
        double now = sweep(s, k->start, true);
        if (!(now <= goal) && !(now < 0.25 * before))
            return false;
        before = now;
    }
}

static vvStatus solve(vv_linear *base, const vv_bsr *a, const double *b, double *x, double tolerance, int max_iterations,
                      vv_linear_stats *stats, vvError *error)
{
    struct ssor *s = (struct ssor *)base;
    s->v.a = a;
    s->v.b = b;
    s->v.x = x;
    *stats = (vv_linear_stats){ .used = "pcg" };
    memset(x, 0, 3 * (size_t)a->n * sizeof *x);
    double least = tolerance > 1e-14 ? tolerance : 1e-14;
    if (solve_here(s, least < 1 ? least : 1, max_iterations, stats))
        return VV_OK;
    int spent = stats->iterations;
    if (!s->jacobi && vv_linear_pcg_jacobi.create(a, &s->par, &s->jacobi, error) != VV_OK)
        return VV_ERROR_MEMORY;
    vvStatus status = s->jacobi->ops->solve(s->jacobi, a, b, x, tolerance, max_iterations > spent ? max_iterations - spent : 1, stats, error);
    stats->iterations += spent;
    return status;
}

const vv_linear_ops vv_linear_pcg = {
    .info = { "pcg", "conjugate gradients, preconditioned with symmetric block Gauss-Seidel (Eisenstat 1981)" },
    .create = create,
    .solve = solve,
    .destroy = destroy,
};
