/* "auto": conjugate gradients or Cholesky, whichever should be cheaper (theory §6.6).
 *
 * The choice must not depend on the clock or on the number of threads (a run resumes to the same bits), so costs are
 * counted, not timed: seconds of one core from the sizes of A and of its factor. The constants are rounded from
 * processor times of one thread on a loaded AVX-512 machine, for ten box grids (cubes, rods, plates); on those the
 * times are 0.66 to 1.08 (Cholesky) and 0.6 to 1.3 (conjugate gradients) of the model from 125 to 20000 nodes, a
 * third of it at 27. Neither larger grids nor two threads went into them. What conjugate gradients will cost follows
 * from the iterations they took so far. A factorisation cost as much as 430 iterations in a cube of 1000 nodes, 2400
 * in one of 8000, and 110 to 740 in rods and plates of 900 to 20000, so it pays only where the iterations are many.
 *
 * - It begins with conjugate gradients. They may spend twice the cost of Cholesky; then the same solve switches to
 * Cholesky.
 * - It switches only for a gain of a third (hysteresis). While Cholesky is in use, conjugate gradients are tried
 *   again after 8 solves, then 16, 32, ... 512, up to Cholesky's cost.
 * - Where Cholesky finds A not positive definite, conjugate gradients give the direction.
 *
 * A is analysed (order and symbolic factor: about 1 to 1.5 us a node on those grids) only once the iterations cost more
 * than a thin body's factor of that size would; the cost found is kept in the state. Blocks outside the fixed pattern
 * (contact) count in an iteration, and a pile in which everything touches may have a factor several times as
 * expensive as its bodies apart. So the cost is updated whenever a pattern is analysed anyway; if it has risen,
 * conjugate gradients are tried again soon. While they are in use and expensive, the cost is updated now and then. */
#include "base/error.h"
#include "base/memory.h"
#include "solve/linear/linear_rows.h"

#include <math.h>
#include <string.h>

#if defined(VV_HAVE_CHOLMOD)
static const double FLOP = 1 / 45e9, ENTRY = 2e-9, NODE = 2e-6, FACTOR = 20e-6; /* a factorisation and a solve */
/* Factor of a thin body with n nodes: FLOPS n^2 flops, ENTRIES n^4/3 entries; a compact one has 290 n^2 and 80
 * n^4/3. */
static const double FLOPS = 15, ENTRIES = 20;
static const double GAIN = 1.33;
enum { PROBE_FIRST = 8, PROBE_LAST = 512, LEAST_CAP = 40, KNOWN_FOR = 64 };
#endif

enum choice { PCG, CHOLESKY };
struct state {
    /* of conjugate gradients, running mean of what a solve costs, as iterations of Gauss-Seidel alone; one that was
     * given up counts as twice the cap */
    double iterations;
    double cholesky_cost; /* seconds; 0: not analysed yet; infinite: no memory for it */
    int32_t choice;       /* enum choice */
    /* solves until the next probe; with conjugate gradients: expensive solves until the factor's cost is updated */
    int32_t until_probe;
    int32_t probe_after;
    int32_t unknowns; /* of the matrix whose cost it is */
    int32_t mode;     /* enum vv_pcg_mode: to which the mean belongs */
    int32_t reserved; /* 0 */
};

struct automatic {
    vv_linear base;
    vv_linear *pcg, *cholesky; /* cholesky: NULL where the build has none */
    struct state state;
    double thin_cost;
    vv_pcg_cost pcg_cost; /* of the next solve by conjugate gradients */
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
    s->thin_cost = FLOP * FLOPS * n * n + ENTRY * ENTRIES * pow(n, 4.0 / 3) + NODE * n + FACTOR;
    s->state.probe_after = PROBE_FIRST;
    s->state.until_probe = KNOWN_FOR;
    s->state.unknowns = a->n;
#endif
    if (status != VV_OK) {
        destroy(&s->base);
        return status;
    }
    *out = &s->base;
    return VV_OK;
}

#if defined(VV_HAVE_CHOLMOD)
/* What a solve is asked for (linear.h). */
typedef struct request {
    const vv_bsr *a;
    const double *b;
    double *x, tolerance;
    int max_iterations;
    vv_linear_stats *stats;
    vvError *error;
} request;

static double cholesky_cost(const struct automatic *s)
{
    return s->state.cholesky_cost > 0 ? s->state.cholesky_cost : s->thin_cost;
}

static double cost_of(const vv_bsr *a, const vv_cholesky_cost *cost)
{
    return FLOP * cost->flops + ENTRY * cost->entries + NODE * a->n + FACTOR;
}

/* The cost from the symbolic factor with the present contacts. Fails if the library's own memory is short, so that
 * the next try can take the same course; if CHOLMOD's is, the factor counts as infinitely expensive. */
static vvStatus analyse(struct automatic *s, const vv_bsr *a, vvError *error)
{
    vv_cholesky_cost cost;
    vvStatus status = vv_cholesky_analyse(s->cholesky, a, &cost, error);
    if (status == VV_OK)
        s->state.cholesky_cost = cost.entries > 0 ? cost_of(a, &cost) : INFINITY;
    return status;
}

static vvStatus prepare(struct automatic *s, const request *r)
{
    return vv_pcg_prepare(s->pcg, r->a, r->tolerance, &s->pcg_cost, r->error);
}

/* Iterations of conjugate gradients that cost as much as `times` factorisations. */
static int worth(const struct automatic *s, double times)
{
    double k = (times * cholesky_cost(s) - s->pcg_cost.start) / s->pcg_cost.iteration;
    return k > 1e9 ? 1000000000 : k < LEAST_CAP ? LEAST_CAP : (int)k;
}

/* What so many iterations of this solve cost, as those of Gauss-Seidel alone. */
static double plain_iterations(const struct automatic *s, double iterations)
{
    const vv_pcg_cost *c = &s->pcg_cost;
    return (iterations * c->iteration + c->start) / c->plain;
}

static void record(struct automatic *s, double iterations)
{
    double *mean = &s->state.iterations, cost = plain_iterations(s, iterations);
    *mean = *mean > 0 && s->state.mode == s->pcg_cost.mode ? 0.5 * (*mean + cost) : cost;
    s->state.mode = s->pcg_cost.mode;
}

/* Updates the cost of the factor in use. If it has risen, conjugate gradients are tried again soon. */
static void follow_cost(struct automatic *s, const vv_bsr *a, const vv_cholesky_cost *cost)
{
    struct state *t = &s->state;
    if (cost->entries <= 0)
        return; /* no factor: the solve reports it */
    if (cost_of(a, cost) > GAIN * t->cholesky_cost) {
        t->probe_after = PROBE_FIRST;
        t->until_probe = t->until_probe < PROBE_FIRST ? t->until_probe : PROBE_FIRST;
    }
    t->cholesky_cost = cost_of(a, cost);
}

static vvStatus run(vv_linear *linear, const request *r, int max_iterations, const char *reason)
{
    vvStatus status = linear->ops->solve(linear, r->a, r->b, r->x, r->tolerance, max_iterations, r->stats, r->error);
    r->stats->reason = reason;
    return status;
}

static vvStatus run_cholesky(struct automatic *s, const request *r, const char *reason)
{
    vv_cholesky_cost cost; /* a loaded state may know the cost while the factor is not yet ordered */
    vvStatus status = vv_cholesky_analyse(s->cholesky, r->a, &cost, r->error);
    if (status != VV_OK)
        return status;
    follow_cost(s, r->a, &cost);
    status = run(s->cholesky, r, r->max_iterations, reason);
    if (status == VV_CANCELLED || (status == VV_OK && r->stats->converged))
        return status;
    /* not positive definite, or no memory for the factor */
    bool memory = status != VV_OK;
    if (memory) {
        s->state.cholesky_cost = INFINITY;
        s->state.choice = PCG;
        vv_error_clear(r->error);
    }
    return run(s->pcg, r, r->max_iterations, memory ? "no memory for the factor" : "the factorisation broke down");
}

/* After a probe while Cholesky is in use: back to conjugate gradients? */
static void judge_probe(struct automatic *s, const vv_linear_stats *stats)
{
    struct state *t = &s->state;
    bool back =
        stats->converged && plain_iterations(s, stats->iterations) * s->pcg_cost.plain * GAIN < cholesky_cost(s);
    t->probe_after = back ? PROBE_FIRST : t->probe_after < PROBE_LAST ? 2 * t->probe_after : PROBE_LAST;
    t->until_probe = back ? KNOWN_FOR : t->probe_after;
    if (back) {
        t->choice = PCG;
        t->iterations = plain_iterations(s, stats->iterations);
    }
}

/* After conjugate gradients: on to Cholesky? */
static vvStatus judge(struct automatic *s, const vv_bsr *a, vvError *error)
{
    struct state *t = &s->state;
    double cost = t->iterations * s->pcg_cost.plain;
    vvStatus status = VV_OK;
    bool known = t->cholesky_cost > 0, dear = cost > GAIN * s->thin_cost && t->cholesky_cost < INFINITY;
    bool look = known ? dear && --t->until_probe <= 0 : cost > GAIN * cholesky_cost(s);
    if (look) { /* the cost is only an estimate, or from contacts that are gone */
        status = analyse(s, a, error);
        t->until_probe = KNOWN_FOR;
    }
    if (status == VV_OK && cost > GAIN * cholesky_cost(s)) {
        t->choice = CHOLESKY;
        t->until_probe = t->probe_after;
    }
    return status;
}

/* Conjugate gradients, while they are worth it. *gave_up: they were not; *spent: iterations of all tries. */
static vvStatus iterate_while_worth(struct automatic *s, const request *r, bool probe, bool *gave_up, int *spent)
{
    struct state *t = &s->state;
    const vv_linear_stats *stats = r->stats;
    vvStatus status = VV_OK;
    int cap = worth(s, probe ? 1 : 2);
    *gave_up = false, *spent = 0;
    if (t->cholesky_cost <= 0 && cap < r->max_iterations && t->iterations > plain_iterations(s, cap) / 4) {
        status = analyse(s, r->a, r->error); /* a rough cost would not do any longer */
        cap = worth(s, 2);
    }
    for (bool on = true; on && status == VV_OK;) {
        status =
            run(s->pcg, r, cap < r->max_iterations ? cap : r->max_iterations,
                probe ? "conjugate gradients, tried again" : "conjugate gradients are cheaper than a factorisation");
        if (status != VV_OK)
            break;
        *spent += stats->iterations;
        *gave_up = cap < r->max_iterations && !stats->converged && !stats->indefinite && stats->iterations >= cap;
        bool look = *gave_up && t->cholesky_cost < INFINITY;
        if (look)
            status = analyse(s, r->a, r->error);
        int now = look ? worth(s, probe ? 1 : 2) : cap;
        on = now > 2 * cap; /* the factor is dearer than was thought */
        cap = on ? now : cap;
    }
    if (status == VV_OK && (stats->converged || *gave_up))
        record(s, *gave_up ? 2.0 * cap : stats->iterations);
    return status;
}

static vvStatus solve_either(struct automatic *s, const request *r)
{
    struct state *t = &s->state;
    bool probe = t->choice == CHOLESKY && --t->until_probe <= 0, gave_up;
    int spent;
    if (t->choice == CHOLESKY && !probe)
        return run_cholesky(s, r, "a factorisation is cheaper than the iterations of conjugate gradients");
    vvStatus status = prepare(s, r);
    if (status == VV_OK)
        status = iterate_while_worth(s, r, probe, &gave_up, &spent);
    if (status == VV_OK && probe)
        judge_probe(s, r->stats);
    else if (status == VV_OK)
        status = judge(s, r->a, r->error);
    if (status != VV_OK)
        return status;
    if (gave_up)
        status = run_cholesky(s, r, "conjugate gradients took too many iterations");
    r->stats->iterations = gave_up ? r->stats->iterations + spent : spent;
    return status;
}
#endif

static vvStatus solve(vv_linear *base, const vv_bsr *a, const double *b, double *x, double tolerance,
                      int max_iterations, vv_linear_stats *stats, vvError *error)
{
    struct automatic *s = (struct automatic *)base;
#if defined(VV_HAVE_CHOLMOD)
    if (a->n > 0)
        return solve_either(s, &(request){ a, b, x, tolerance, max_iterations, stats, error });
#endif
    vvStatus status = s->pcg->ops->solve(s->pcg, a, b, x, tolerance, max_iterations, stats, error);
    stats->reason = "the only linear solver in this build";
    return status;
}

static void save(const vv_linear *base, void *state)
{
    const struct automatic *s = (const struct automatic *)base;
    memcpy(state, &s->state, sizeof s->state);
    s->pcg->ops->save(s->pcg, (char *)state + sizeof s->state);
}

/* A saved state may come from anywhere. */
static bool sound(const struct state *s, bool factors)
{
    const int32_t most = 1 << 30;
    return (s->choice == PCG || (factors && s->choice == CHOLESKY)) && s->until_probe >= 0 && s->until_probe <= most &&
           s->probe_after >= 0 && s->probe_after <= most && s->iterations >= 0 && s->cholesky_cost >= 0 &&
           s->mode >= 0 && s->mode < VV_PCG_MODES;
}

static void load(vv_linear *base, const void *from)
{
    struct automatic *s = (struct automatic *)base;
    int32_t mine = s->state.unknowns;
    struct state state;
    memcpy(&state, from, sizeof state);
    s->pcg->ops->load(s->pcg, (const char *)from + sizeof state);
    if (!sound(&state, s->cholesky != NULL)) /* learns anew */
        return;
    s->state = state;
    /* bodies came or went: the iterations learned still serve, the factor's cost does not */
    if (s->state.unknowns != mine) {
        s->state.cholesky_cost = 0;
        s->state.unknowns = mine;
    }
}

const vv_linear_ops vv_linear_auto = {
    .info = { "auto", "conjugate gradients or Cholesky, whichever should be cheaper" },
    .create = create,
    .solve = solve,
    .destroy = destroy,
    .state_size = sizeof(struct state) + sizeof(vv_pcg_memories),
    .save = save,
    .load = load,
};
