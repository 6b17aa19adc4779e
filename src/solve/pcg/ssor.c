/* Conjugate gradients preconditioned with symmetric block Gauss-Seidel, in Eisenstat's form (Eisenstat 1981; theory
 * §6.4).
 *
 * With the diagonal blocks C_i C_i^T scaled out, W = C^-1, W A W^T = L + I + L^T and the preconditioner is M = (I +
 * L)(I + L^T). Conjugate gradients for H = (I + L)^-1 (L + I + L^T) (I + L^T)^-1 need one backward and one forward
 * sweep per product, as t = (I + L^T)^-1 v, H v = t + (I + L)^-1 (v - t): the memory traffic of one product with A,
 * for a third to a half of the iterations that the diagonal blocks alone need. L is kept in single precision (the
 * sweeps are bound by memory bandwidth); sums are double. The residual's norm is sqrt(r.M^-1 r).
 *
 * Single precision solves a slightly different matrix: if the condition number estimated from the iterations makes that
 * doubtful, the true residual is formed in double precision and the iteration continues from it (iterative refinement)
 * until it is small.
 *
 * Blocks outside the fixed pattern are swept over like the others, or the rows that they couple are solved as one block
 * (solve/pcg/coupled.h); or a second level helps (solve/pcg/second_level.h); counts decide which (solve/pcg/modes.h).
 * When those blocks differ from the last solve's, the order and the triangles' structure are rebuilt, for the price of
 * a few iterations. With the second level z = r + W^ E^-1 W^T r stands for r in directions and in the norm, sqrt(r.z).
 *
 * Affine bodies' rows are taken as one (solve/linear/clumps.h).
 *
 * On negative curvature it ends as pcg.c does. If diagonal blocks or the first curvature are not positive, or single
 * precision cannot tell, or refinement makes no progress, the system is passed to "pcg-jacobi", whose answers to such
 * matrices (pcg.c) hold here too. */
#include "base/error.h"
#include "base/memory.h"
#include "base/simd/variant.h"
#include "solve/linear/clumps.h"
#include "solve/pcg/coupled.h"
#include "solve/linear/linear_rows.h"
#include "solve/pcg/modes.h"
#include "solve/pcg/second_level.h"
#include "solve/pcg/ssor_order.h"

#include <math.h>
#include <string.h>

typedef double vv_ssor_pass(const vv_ssor *s, int begin, int end);
struct ssor {
    vv_linear base;
    vv_parallel par;
    vv_clumps clumps;
    vv_ssor v;
    vv_ssor_order order;
    vv_coupled coupled; /* n > 0: in use */
    vv_second_level level;
    vv_pcg_memories memories;
    vv_pcg_cost cost[VV_PCG_MODES]; /* of this solve */
    vv_pcg_mode first;              /* while bodies touch */
    vv_pcg_mode mode;               /* its mode, */
    bool chosen;                    /* before it began */
    vv_bsr_couplings couplings;     /* outside the pattern, for which the order and the triangles are made */
    bool fits, second_fits;         /* they are valid; so is what the second level makes of them */
    int *work;                      /* 2 n */
    const vv_ssor_kernels *kernels;
    vv_linear *jacobi;           /* made when first needed */
    double *kept;                /* y before the first step along slight curvature */
    double *parts;               /* partial sums: per chunk, or per domain and the separator */
    vv_ssor_pass *pass, *second; /* the passes to run; second: NULL or another pass over the same domain */
};

/* Room for the triangles with the present contacts, and a copy of these. */
static vvStatus make_room(struct ssor *s, const vv_bsr *a, vvError *error)
{
    /* the next matrix may have more of them */
    size_t blocks = vv_ssor_blocks(a), more = (size_t)a->extra.couplings / 2;
    if (vv_bsr_couplings_copy(&s->couplings, a) && vv_ssor_reserve(&s->v, blocks, more))
        return VV_OK;
    vv_ssor_release(&s->v);
    return vv_fail_memory(error, "the linear solver");
}

/* Order and triangles with the present contacts, for the solve's mode. */
static vvStatus fit(struct ssor *s, const vv_bsr *a, vvError *error)
{
    const bool coupled = s->mode == VV_PCG_COUPLED;
    const bool same = s->fits && vv_bsr_couplings_match(&s->couplings, a);
    vvStatus status = VV_OK;
    if (!same || coupled != (s->coupled.n > 0)) {
        s->fits = s->second_fits = false;
        status = same ? VV_OK : make_room(s, a, error);
        if (status == VV_OK && coupled)
            status = vv_coupled_build(&s->coupled, a, s->work, error);
        else
            s->coupled.n = 0;
        if (status == VV_OK)
            vv_ssor_order_build(&s->order, &s->v, a, s->coupled.n > 0, s->work);
        s->fits = status == VV_OK;
    }
    if (status == VV_OK && s->mode == VV_PCG_SECOND && !s->second_fits) {
        s->v.a = a;
        status = vv_second_fit(&s->level, &s->v, error);
        s->second_fits = status == VV_OK;
    }
    return status;
}

static const vv_pcg_memory *memory_of(const struct ssor *s, const vv_bsr *a)
{
    return a->extra.nnz > 0 ? &s->memories.touching : &s->memories.apart;
}

static vv_pcg_memory *memory_for(struct ssor *s, const vv_bsr *a)
{
    return a->extra.nnz > 0 ? &s->memories.touching : &s->memories.apart;
}

/* What is known of a matrix before anything is made for it. */
static vv_pcg_shape shape_of(const struct ssor *s, const vv_bsr *a)
{
    vv_pcg_shape shape = { .rows = a->n, .blocks = (double)a->nnz + a->extra.nnz };
#if defined(VV_HAVE_CHOLMOD)
    shape.coupled_rows = a->extra.nnz > 0 ? a->extra.rows : 0;
#endif
    if (s->level.aggregates > 0 && a->place && !vv_clumps_pay(a))
        vv_second_guess(&s->level, &shape);
    return shape;
}

/* Makes ready for a solve in this way. *serves: it can be had, and is not too dear now that its cost is known. */
static vvStatus try_mode(struct ssor *s, const vv_bsr *a, double tolerance, bool *serves, vvError *error)
{
    vv_pcg_memory *m = memory_for(s, a);
    vv_pcg_shape shape = shape_of(s, a);
    vv_pcg_price(m, &shape, s->cost);
    s->mode = vv_pcg_choose(m, s->cost);
    *serves = true;
    vvStatus status = fit(s, a, error);
    if (status != VV_OK || s->mode == VV_PCG_PLAIN)
        return status;
    if (s->mode == VV_PCG_COUPLED && s->coupled.n == 0) {
        vv_pcg_failed(m, s->cost, s->mode, tolerance);
        *serves = false;
        return VV_OK;
    }
    if (s->mode == VV_PCG_COUPLED)
        vv_pcg_know_coupled(m, s->coupled.n, s->coupled.flops, s->coupled.entries);
    else
        vv_second_count(&s->level, m, &shape);
    vv_pcg_price(m, &shape, s->cost);
    *serves = !vv_pcg_too_dear(m, s->cost, s->mode, tolerance);
    if (!*serves)
        vv_pcg_put_off(m, s->cost, s->mode, tolerance);
    return VV_OK;
}

/* What is expected of a circumstance that is met for the first time: as in the other one, or what the matrix shows. */
static void expect(struct ssor *s, const vv_bsr *a, double tolerance)
{
    vv_pcg_memory *m = memory_for(s, a), *other = m == &s->memories.apart ? &s->memories.touching : &s->memories.apart;
    const vv_pcg_shape shape = shape_of(s, a);
    if (!vv_pcg_memory_empty(m) || m->mode != VV_PCG_PLAIN || shape.entries == 0)
        return;
    if (other->mode != VV_PCG_COUPLED && other->rate[VV_PCG_PLAIN] > 0) {
        *m = *other;
        return;
    }
    vv_pcg_price(m, &shape, s->cost);
    vv_pcg_expect(m, s->cost, vv_second_plain_rate(a), tolerance);
}

/* Chooses a mode for the next solve. What does not serve is not tried again at once, so this ends. */
static vvStatus choose(struct ssor *s, const vv_bsr *a, double tolerance, vvError *error)
{
    bool serves = false;
    vvStatus status = VV_OK;
    expect(s, a, fmin(tolerance, 1));
    while (!serves && status == VV_OK)
        status = try_mode(s, a, fmin(tolerance, 1), &serves, error);
    s->chosen = status == VV_OK;
    return status;
}

static void destroy(vv_linear *base)
{
    struct ssor *s = (struct ssor *)base;
    if (!s)
        return;
    if (s->jacobi)
        s->jacobi->ops->destroy(s->jacobi);
    vv_ssor *v = &s->v;
    vv_ssor_release(v);
    vv_clumps_free(&s->clumps);
    vv_coupled_free(&s->coupled);
    vv_second_free(&s->level);
    vv_bsr_couplings_free(&s->couplings);
    void *all[] = { v->order, v->w, v->low.start, v->up.start, v->y,    v->r,   v->v,
                    v->t,     v->u, v->q,         s->parts,    s->work, s->kept };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        vv_free(all[k]);
    vv_free(s);
}

static void forget(struct ssor *s, int unknowns)
{
    vv_pcg_memory_begin(&s->memories.apart, VV_PCG_PLAIN, unknowns);
    vv_pcg_memory_begin(&s->memories.touching, s->first, unknowns);
}

static vvStatus create(const vv_bsr *a, const vv_parallel *par, vv_linear **out, vvError *error)
{
    struct ssor *s = vv_alloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return vv_fail_memory(error, "the linear solver");
    s->base.ops = &vv_linear_pcg;
    s->par = par && par->threads > 0 ? *par : (vv_parallel){ .threads = 1 };
    s->kernels = VV_VARIANT(a->isa, vv_ssor_kernels);
    vv_ssor *v = &s->v;
    bool ok = true;
    size_t n = (size_t)a->n, length = 4 * n;
    double **vectors[] = { &v->y, &v->r, &v->v, &v->t, &v->u, &v->q };
    for (int k = 0; k < 6; k++)
        ok = (*vectors[k] = vv_alloc(length, sizeof(double))) && ok;
    v->w = vv_alloc(3 * length, sizeof *v->w);
    v->order = vv_alloc(n, sizeof *v->order);
    v->low.start = vv_alloc(n + 1, sizeof(int));
    v->up.start = vv_alloc(n + 1, sizeof(int));
    s->work = vv_alloc(2 * n, sizeof *s->work);
    s->kept = vv_alloc(length, sizeof *s->kept);
    s->parts = vv_alloc((size_t)a->n / VV_BSR_CHUNK + VV_SSOR_DOMAINS + 1, sizeof *s->parts);
    /* affine bodies in contact: with the block one iteration may do */
    s->first = vv_clumps_pay(a) ? VV_PCG_COUPLED : VV_PCG_PLAIN;
    forget(s, a->n);
    if (!ok || !v->w || !v->order || !v->low.start || !v->up.start || !s->work || !s->kept || !s->parts ||
        vv_second_create(&s->level, a, &s->par, NULL) != VV_OK || fit(s, a, NULL) != VV_OK) {
        destroy(&s->base);
        return vv_fail_memory(error, "the linear solver");
    }
    *out = &s->base;
    return VV_OK;
}

vvStatus vv_pcg_prepare(vv_linear *base, const vv_bsr *a, double tolerance, vv_pcg_cost *cost, vvError *error)
{
    struct ssor *s = (struct ssor *)base;
    vvStatus status = choose(s, a, tolerance, error);
    *cost = s->cost[s->mode];
    return status;
}

static double total(const struct ssor *s, int parts)
{
    double sum = 0;
    for (int c = 0; c < parts; c++)
        sum += s->parts[c];
    return sum;
}

static void run_chunk(void *arg, int chunk)
{
    struct ssor *s = arg;
    int begin = chunk * VV_BSR_CHUNK, end = begin + VV_BSR_CHUNK < s->v.a->n ? begin + VV_BSR_CHUNK : s->v.a->n;
    s->parts[chunk] = s->pass(&s->v, begin, end);
}

/* Runs a pass over all rows, in any order. */
static double everywhere(struct ssor *s, vv_ssor_pass *pass)
{
    int chunks = (s->v.a->n + VV_BSR_CHUNK - 1) / VV_BSR_CHUNK;
    s->pass = pass;
    vv_for(&s->par, chunks, run_chunk, s);
    return total(s, chunks);
}

static void run_domain(void *arg, int domain)
{
    struct ssor *s = arg;
    int begin = s->order.begin[domain], end = s->order.begin[domain + 1];
    s->parts[domain] = s->pass(&s->v, begin, end);
    if (s->second)
        s->parts[domain] = s->second(&s->v, begin, end);
}

static void over_domains(struct ssor *s, vv_ssor_pass *pass, vv_ssor_pass *second)
{
    s->pass = pass;
    s->second = second;
    vv_for(&s->par, s->order.domains, run_domain, s);
}

static void over_separator(struct ssor *s, vv_ssor_pass *pass)
{
    s->pass = pass;
    s->second = NULL;
    run_domain(s, s->order.domains);
}

/* r.r becomes r.z */
static double with_second(const struct ssor *s, double rr)
{
    return s->level.in_use ? rr + vv_second_apply(&s->level, &s->v) : rr;
}

static double start(struct ssor *s)
{
    over_domains(s, s->kernels->start, NULL);
    over_separator(s, s->kernels->start);
    double sum = total(s, s->order.domains + 1);
    return s->coupled.n ? sum + vv_coupled_start(&s->coupled, &s->v, s->kernels) : with_second(s, sum);
}

/* q = H v for the new direction v = z + beta v; returns v.q. Domains run backward and forward independently. */
static double product(struct ssor *s, double beta)
{
    vv_ssor_pass *backward = s->level.in_use ? s->level.kernels->backward : s->kernels->backward;
    s->v.beta = beta;
    if (s->coupled.n)
        vv_coupled_backward(&s->coupled, &s->v);
    over_separator(s, backward);
    over_domains(s, backward, s->kernels->forward);
    over_separator(s, s->kernels->forward);
    double sum = total(s, s->order.domains + 1);
    return s->coupled.n ? sum + vv_coupled_forward(&s->coupled, &s->v, s->kernels) : sum;
}

static void finish(struct ssor *s)
{
    if (s->coupled.n)
        vv_coupled_finish(&s->coupled, &s->v);
    over_separator(s, s->kernels->finish);
    over_domains(s, s->kernels->finish, NULL);
}

static void copy(const struct ssor *s, const double *from, double *to)
{
    memcpy(to, from, 4 * (size_t)s->v.a->n * sizeof *to);
}

/* Conjugate gradients from r.z = rr until r.z <= goal; adds to x. Returns r.z; *trouble: curvature that single
 * precision cannot tell from zero, or numbers that are not finite (x is then as it was). Negative curvature is none
 * where there is a step before it: x gets what was there before the first slight curvature, along which steps are far
 * too long. */
static double iterate(struct ssor *s, double rr, double goal, int max_iterations, vv_linear_stats *stats, bool *trouble)
{
    double beta = 0, vv = rr;
    bool slight = false;
    *trouble = !(rr < INFINITY);
    while (rr > goal && stats->iterations < max_iterations && !*trouble) {
        double vq = product(s, beta);
        s->v.alpha = rr / vq;
        if (vq < -VV_PCG_CLEAR * vv && stats->iterations > 0) {
            if (slight)
                copy(s, s->kept, s->v.y);
            stats->indefinite = true;
            finish(s);
            return rr;
        }
        if (!slight && stats->iterations > 0 && vq < VV_PCG_SLIGHT * vv) {
            copy(s, s->v.y, s->kept);
            slight = true;
        }
        if (!(vq > 1e-7 * vv) || !(s->v.alpha < INFINITY)) {
            *trouble = true;
            return rr;
        }
        double next = with_second(s, everywhere(s, s->kernels->update));
        stats->iterations++;
        beta = next / rr;
        rr = next;
        vv = rr + beta * beta * vv; /* v.M v of the next direction, M v.z = r.v */
        *trouble = !(rr < INFINITY);
    }
    if (!*trouble)
        finish(s);
    return rr;
}

/* As in pcg.c, but this preconditioner hides part of the condition number of the rounded matrix, hence a factor of
 * three. The second level hides much of it: then as many iterations count as there are without, and where nobody knows
 * how many the residual is looked at. */
static bool doubtful(const struct ssor *s, int k, double tolerance)
{
    const double rate = memory_of(s, s->v.a)->rate[VV_PCG_PLAIN], here = k / log(2 / tolerance);
    const double root = 6 * (s->level.in_use ? fmax(rate, here) : here);
    if (s->level.in_use && rate == 0)
        return true;
    return 0x1p-24 * 4 * root * root > 0.1 * tolerance;
}

/* True when done; false: needs another solver, x is void. */
static bool solve_here(struct ssor *s, double tolerance, int max_iterations, vv_linear_stats *stats)
{
    const vv_ssor_kernels *k = s->kernels;
    s->level.in_use = false;
    if (everywhere(s, k->factor) != 0 || (s->coupled.n && !vv_coupled_factor(&s->coupled, &s->v)))
        return false;
    everywhere(s, k->scale);
    if (s->mode == VV_PCG_SECOND && !vv_second_build(&s->level, &s->v)) {
        vv_pcg_failed(memory_for(s, s->v.a), s->cost, s->mode, tolerance);
        s->mode = VV_PCG_PLAIN;
    }
    everywhere(s, k->residual);
    double rr = start(s), first = rr, goal = tolerance * tolerance * first;
    for (;;) {
        /* the residual in single precision is good to about six digits: no further at once */
        double before = rr, near = fmax(goal, 1e-12 * rr);
        bool trouble;
        rr = iterate(s, rr, near, max_iterations, stats, &trouble);
        if (trouble)
            return false;
        if (stats->indefinite)
            return true;
        bool met = rr <= goal,
             check = rr <= near && rr > 0 && (near > goal || doubtful(s, stats->iterations, tolerance));
        if (check) {
            everywhere(s, k->residual);
            rr = start(s);
            met = rr <= goal;
            if (!met && !(rr < 0.25 * before))
                return false; /* no progress in single precision */
        }
        stats->residual = first > 0 ? sqrt(rr / first) : 0;
        stats->converged = met;
        if (met || !check) /* !check: the cap */
            return true;
    }
}

/* In the chosen mode, then by Gauss-Seidel alone if it was the second level that did not serve. False: x is
 * void. */
static bool solve_chosen(struct ssor *s, double tolerance, int max_iterations, vv_linear_stats *stats)
{
    vv_pcg_memory *m = memory_for(s, s->v.a);
    int before = 0;
    bool done = solve_here(s, tolerance, max_iterations, stats);
    if (!done && s->level.in_use) {
        before = stats->iterations;
        vv_pcg_failed(m, s->cost, s->mode, tolerance);
        s->mode = VV_PCG_PLAIN;
        memset(s->v.x, 0, 3 * (size_t)s->v.a->n * sizeof *s->v.x);
        done = solve_here(s, tolerance, max_iterations, stats);
    }
    if (done && !stats->indefinite)
        vv_pcg_learn(m, s->cost, s->mode, stats->iterations - before, stats->residual);
    return done;
}

static vvStatus solve_rows(struct ssor *s, const vv_bsr *a, const double *b, double *x, double tolerance,
                           int max_iterations, vv_linear_stats *stats, vvError *error)
{
    s->v.a = a;
    s->v.b = b;
    s->v.x = x;
    *stats = (vv_linear_stats){ .used = "pcg" };
    memset(x, 0, 3 * (size_t)a->n * sizeof *x);
    double least = tolerance > 1e-14 ? tolerance : 1e-14;
    bool done = solve_chosen(s, least < 1 ? least : 1, max_iterations, stats);
    if (s->coupled.failed) {
        s->coupled.failed = false;
        return vv_fail_memory(error, "the contacts' preconditioner");
    }
    if (done)
        return VV_OK;
    int spent = stats->iterations;
    if (!s->jacobi && vv_linear_pcg_jacobi.create(a, &s->par, &s->jacobi, error) != VV_OK)
        return VV_ERROR_MEMORY;
    int left = max_iterations > spent ? max_iterations - spent : 1;
    vvStatus status = s->jacobi->ops->solve(s->jacobi, a, b, x, tolerance, left, stats, error);
    stats->iterations += spent;
    return status;
}

static vvStatus solve(vv_linear *base, const vv_bsr *a, const double *b, double *x, double tolerance,
                      int max_iterations, vv_linear_stats *stats, vvError *error)
{
    struct ssor *s = (struct ssor *)base;
    vvStatus status = s->chosen ? VV_OK : choose(s, a, tolerance, error);
    s->chosen = false;
    if (status == VV_OK && !vv_clumps_pay(a))
        return solve_rows(s, a, b, x, tolerance, max_iterations, stats, error);
    if (status == VV_OK)
        status = vv_clumps_apply(&s->clumps, a, &s->par, b, error);
    if (status == VV_OK)
        status = solve_rows(s, &s->clumps.a, s->clumps.b, x, tolerance, max_iterations, stats, error);
    if (status == VV_OK)
        vv_clumps_back(&s->clumps, x);
    return status;
}

static void save(const vv_linear *base, void *state)
{
    memcpy(state, &((const struct ssor *)base)->memories, sizeof(vv_pcg_memories));
}

/* A saved state may come from anywhere, and from other bodies: then everything is learned anew. */
static void load(vv_linear *base, const void *state)
{
    struct ssor *s = (struct ssor *)base;
    const int unknowns = s->memories.apart.unknowns;
    vv_pcg_memories from;
    memcpy(&from, state, sizeof from);
    s->chosen = false;
    if (from.apart.unknowns == unknowns && from.touching.unknowns == unknowns && vv_pcg_memory_sound(&from.apart) &&
        vv_pcg_memory_sound(&from.touching))
        s->memories = from;
    else
        forget(s, unknowns);
}

const vv_linear_ops vv_linear_pcg = {
    .info = { "pcg", "conjugate gradients, preconditioned with symmetric block Gauss-Seidel (Eisenstat 1981)" },
    .create = create,
    .solve = solve,
    .destroy = destroy,
    .state_size = sizeof(vv_pcg_memories),
    .save = save,
    .load = load,
};
