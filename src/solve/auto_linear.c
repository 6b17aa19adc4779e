/* "auto": conjugate gradients or Cholesky, whichever is expected to be cheaper.
 *
 * The choice must not depend on the clock or on the number of threads (a run resumes to the same bits), so costs are
 * counted, not timed: seconds on the reference machine (two cores, 29 GB/s) from the sizes of A and of its factor, with the
 * constants below, measured by bench/linear.c. What conjugate gradients will cost follows from the iterations they took so
 * far.
 *
 * - It begins with whichever is cheaper if conjugate gradients took FIRST_GUESS iterations.
 * - Conjugate gradients may spend twice what Cholesky would; then the same solve goes over to Cholesky.
 * - It changes over only for a gain of a third (hysteresis). While Cholesky is in use, conjugate gradients are tried again
 *   after 8 solves, then 16, 32, ... 512, up to Cholesky's cost.
 * - Where Cholesky finds A not positive definite, conjugate gradients give the direction.
 *
 * Large systems are analysed only when their estimated factor would pay: the order alone costs some solves. */
#include "base/error.h"
#include "base/memory.h"
#include "solve/linear_rows.h"

#include <math.h>
#include <string.h>

/* Seconds on the reference machine. */
static const double PCG_BLOCK = 1.5e-9, PCG_NODE = 12e-9, PCG_ITERATION = 4e-6; /* an iteration */
#if defined(VV_HAVE_CHOLMOD)
static const double FLOP = 1 / 40e9, ENTRY = 3e-9, VALUE = 20e-9, FACTOR = 20e-6; /* a factorisation and a solve */
/* Of a compact body meshed with tets: factor entries ENTRIES n^4/3, flops FLOPS n^2 (nested dissection in three dimensions). */
static const double FLOPS = 300, ENTRIES = 60;
enum { ANALYSE_AT_ONCE = 3000 }; /* nodes */
static const double FIRST_GUESS = 30, GAIN = 1.33;
enum { PROBE_FIRST = 8, PROBE_LAST = 512, LEAST_CAP = 40 };
#endif

enum choice { CHOOSE, PCG, CHOLESKY };
struct state {
    double iterations;  /* of conjugate gradients, running mean; those of a solve given up count as twice the cap */
    int32_t choice;     /* enum choice */
    int32_t until_probe, probe_after;
    int32_t solves;
};

struct automatic {
    vv_linear base;
    vv_linear *pcg, *cholesky; /* cholesky: NULL where the build or the memory has none */
    struct state state;
    double iteration_cost, cholesky_cost;
    bool analysed;
};

static void destroy(vv_linear *base)
{
    struct automatic *s = (struct automatic *)base;
    if (!s)
        return;
    if (s->pcg)
        s->pcg->ops->destroy(s->pcg);
    if (s->cholesky)
        s->cholesky->ops->destroy(s->cholesky);
    vv_free(s);
}

static vvStatus create(const vv_bsr *a, const vv_parallel *par, vv_linear **out, vvError *error)
{
    struct automatic *s = vv_alloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return vv_fail_memory(error, "the linear solver");
    s->base.ops = &vv_linear_auto;
    vvStatus status = vv_linear_pcg.create(a, par, &s->pcg, error);
#if defined(VV_HAVE_CHOLMOD)
    if (status == VV_OK)
        status = vv_linear_cholesky.create(a, par, &s->cholesky, error);
    double n = a->n;
    s->cholesky_cost = FLOP * FLOPS * n * n + ENTRY * ENTRIES * pow(n, 4.0 / 3) + VALUE * a->nnz + FACTOR;
#endif
    s->iteration_cost = PCG_BLOCK * a->nnz + PCG_NODE * a->n + PCG_ITERATION;
    if (status != VV_OK) {
        destroy(&s->base);
        return status;
    }
    *out = &s->base;
    return VV_OK;
}

#if defined(VV_HAVE_CHOLMOD)
/* Replaces the estimated cost by that of the symbolic factor. */
static void analyse(struct automatic *s, const vv_bsr *a)
{
    if (s->analysed)
        return;
    s->analysed = true;
    vv_cholesky_cost cost = vv_cholesky_analyse(s->cholesky, a);
    if (cost.entries > 0)
        s->cholesky_cost = FLOP * cost.flops + ENTRY * cost.entries + VALUE * a->nnz + FACTOR;
    else
        s->cholesky_cost = INFINITY; /* too large or out of memory: never chosen */
}

static void choose_first(struct automatic *s, const vv_bsr *a)
{
    struct state *t = &s->state;
    t->choice = s->cholesky_cost < FIRST_GUESS * s->iteration_cost ? CHOLESKY : PCG;
    t->iterations = 0;
    t->probe_after = t->until_probe = PROBE_FIRST;
    (void)a;
}

/* Iterations that cost `times` factorisations. */
static int worth(const struct automatic *s, double times)
{
    double k = times * s->cholesky_cost / s->iteration_cost;
    return k > 1e9 ? 1000000000 : k < LEAST_CAP ? LEAST_CAP : (int)k;
}

static void record(struct automatic *s, double iterations)
{
    double *mean = &s->state.iterations;
    *mean = *mean > 0 ? 0.5 * (*mean + iterations) : iterations;
}

static vvStatus run_cholesky(struct automatic *s, const vv_bsr *a, const double *b, double *x, double tolerance,
                             int max_iterations, vv_linear_stats *stats, vvError *error, const char *reason)
{
    vvStatus status = s->cholesky->ops->solve(s->cholesky, a, b, x, tolerance, max_iterations, stats, error);
    stats->reason = reason;
    if (status == VV_OK && stats->converged)
        return VV_OK;
    /* not positive definite, or no memory for the factor */
    bool memory = status != VV_OK;
    if (memory) {
        s->cholesky_cost = INFINITY;
        s->state.choice = PCG;
        vv_error_clear(error);
    }
    status = s->pcg->ops->solve(s->pcg, a, b, x, tolerance, max_iterations, stats, error);
    stats->reason = memory ? "no memory for the factor" : "the factorisation broke down";
    return status;
}

static vvStatus solve_either(struct automatic *s, const vv_bsr *a, const double *b, double *x, double tolerance,
                             int max_iterations, vv_linear_stats *stats, vvError *error)
{
    struct state *t = &s->state;
    if (a->n <= ANALYSE_AT_ONCE)
        analyse(s, a);
    if (t->choice == CHOOSE)
        choose_first(s, a);
    t->solves++;
    bool probe = t->choice == CHOLESKY && --t->until_probe <= 0;
    if (t->choice == CHOLESKY && !probe)
        return run_cholesky(s, a, b, x, tolerance, max_iterations, stats, error, "the factor is cheaper than the iterations");

    int cap = worth(s, probe ? 1 : 2);
    bool capped = cap < max_iterations;
    vvStatus status = s->pcg->ops->solve(s->pcg, a, b, x, tolerance, capped ? cap : max_iterations, stats, error);
    stats->reason = probe ? "conjugate gradients tried again" : "the iterations are cheaper than a factor";
    bool gave_up = capped && !stats->converged && !stats->indefinite && stats->iterations >= cap;
    if (status != VV_OK)
        return status;
    if (stats->converged || gave_up)
        record(s, gave_up ? 2.0 * cap : stats->iterations);
    double pcg_cost = t->iterations * s->iteration_cost;
    if (probe) {
        bool back = stats->converged && stats->iterations * s->iteration_cost * GAIN < s->cholesky_cost;
        t->probe_after = back ? PROBE_FIRST : t->probe_after < PROBE_LAST ? 2 * t->probe_after : PROBE_LAST;
        t->until_probe = t->probe_after;
        if (back) {
            t->choice = PCG;
            t->iterations = stats->iterations;
        }
    } else if (pcg_cost > GAIN * s->cholesky_cost) {
        analyse(s, a); /* the estimate says so: is it true? */
        if (pcg_cost > GAIN * s->cholesky_cost) {
            t->choice = CHOLESKY;
            t->until_probe = t->probe_after;
        }
    }
    if (!gave_up)
        return VV_OK;
    int spent = stats->iterations;
    status = run_cholesky(s, a, b, x, tolerance, max_iterations, stats, error, "conjugate gradients took too many iterations");
    stats->iterations += spent;
    return status;
}
#endif

static vvStatus solve(vv_linear *base, const vv_bsr *a, const double *b, double *x, double tolerance, int max_iterations,
                      vv_linear_stats *stats, vvError *error)
{
    struct automatic *s = (struct automatic *)base;
#if defined(VV_HAVE_CHOLMOD)
    if (a->n > 0)
        return solve_either(s, a, b, x, tolerance, max_iterations, stats, error);
#endif
    vvStatus status = s->pcg->ops->solve(s->pcg, a, b, x, tolerance, max_iterations, stats, error);
    stats->reason = "the only linear solver of this build";
    return status;
}

static void save(const vv_linear *base, void *state) { memcpy(state, &((const struct automatic *)base)->state, sizeof(struct state)); }
static void load(vv_linear *base, const void *state) { memcpy(&((struct automatic *)base)->state, state, sizeof(struct state)); }

const vv_linear_ops vv_linear_auto = {
    .info = { "auto", "conjugate gradients or Cholesky, whichever is expected to be cheaper" },
    .create = create,
    .solve = solve,
    .destroy = destroy,
    .state_size = sizeof(struct state),
    .save = save,
    .load = load,
};
