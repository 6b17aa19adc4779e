/* Static equilibrium (theory §7.1): backward Euler steps without velocity and with a growing h (the proximal point method), each a
 * minimisation of E(q) + |q - q_k|^2_M / (2 h^2) by the world's own solver, which may be one made for it: where no step needs
 * it, none is kept. Bodies may slide and land on obstacles on the way. */
#include "base/error.h"
#include "base/vec.h"
#include "solve/vectors.h"
#include "step/inside.h"

/* Of what has mass: a kinematic ground may be far larger than all that comes to rest on it. */
static double extent(const vv_system *s, const double *q)
{
    double lo[3] = { INFINITY, INFINITY, INFINITY }, hi[3] = { -INFINITY, -INFINITY, -INFINITY }, d[3];
    bool any = false;
    for (size_t i = 0; i < (size_t)s->nodes; i++)
        for (int k = 0; k < 3 && s->mass[i] > 0; k++) {
            any = true;
            lo[k] = fmin(lo[k], q[3 * i + k]);
            hi[k] = fmax(hi[k], q[3 * i + k]);
        }
    vv_sub(hi, lo, d);
    double length = any ? vv_norm(d) : 0;
    return length > 0 || !any ? length : 1; /* a single point: 1 m */
}

static double farthest(const vv_system *s, const double *a, const double *b)
{
    double most = 0;
    for (size_t i = 0; i < (size_t)s->nodes; i++) {
        double d[3];
        vv_sub(a + 3 * i, b + 3 * i, d);
        most = fmax(most, vv_norm(d));
    }
    return most;
}

/* What a factorisation counts for, in iterations; and what every Newton iteration costs besides, in nodes times iterations. */
enum { FACTORISATION = 50, NEWTON = 300000 };
enum { LEVEL = 20 }; /* steps in a row that hardly change the energy */

static vvStatus settle(vv_stepper *s, vv_solver *solver, double *q, double effort, double *energy, vvError *error)
{
    vv_system *sys = s->system;
    size_t mark = vv_arena_mark(&sys->arena), n = vv_node_space(sys);
    double *anchor = vv_arena_push(&sys->arena, n, sizeof *anchor), *start = vv_arena_push(&sys->arena, n, sizeof *start);
    vv_copy(n, q, start);
    double size = extent(sys, q), h = s->h, first = vv_system_energy(sys, q), last = first;
    vv_solve_options options = s->options;
    options.gradient_tolerance = 0;
    options.contact_tolerance = 0;
    options.max_iterations = 500;
    options.hessian = VV_HESSIAN_PROJECTED;
    vvStatus status = first < INFINITY ? VV_OK : vv_fail(error, VV_ERROR_SOLVER, "settle: the start is in penetration or inverted");
    bool settled = sys->unknowns == 0;
    int quiet = 0, level = 0;
    double spent = 0;
    for (int k = 0; status == VV_OK && !settled; k++) {
        vv_solve_stats stats = { 0 };
        vv_copy(n, q, anchor);
        vv_objective o = { .system = sys, .h = h, .inertia = 1, .y = anchor, .samples = 1 };
        o.sample[0].w = o.sample[0].beta = 1;
        options.tolerance = 1e-6 * size / h;
        status = solver->ops->minimise(solver, &o, q, NULL, &options, &stats, error);
        if (status != VV_OK)
            break;
        spent += (double)sys->nodes * (stats.pcg_iterations + (double)FACTORISATION * stats.linear_solves) +
                 (double)NEWTON * stats.linear_solves;
        if (effort > 0 && spent > effort) {
            status = vv_fail(error, VV_ERROR_SOLVER, "settle: the static equilibrium is not found with the effort allowed; give "
                             "integrator.ground_energy a number (J; visviva settle finds it) or \"none\"");
            break;
        }
        double now = vv_system_energy(sys, q), moved = farthest(sys, q, anchor);
        if (farthest(sys, q, start) > 1e4 * size || k > 400) {
            status = vv_fail(error, VV_ERROR_SOLVER, "settle: no static equilibrium: %s; give integrator.ground_energy a number "
                             "(J) or \"none\"", k > 400 ? "the bodies still move after 400 steps" : "nothing stops the fall");
            break;
        }
        /* quiet: energy and positions have stopped changing at a large h, twice */
        bool still = fabs(last - now) <= 1e-9 * (fabs(first - now) + fabs(now)) && moved <= 1e-5 * size;
        quiet = still && h > 0.9 ? quiet + 1 : 0;
        /* what rolls or slides about on the level never stands still: its energy may do */
        level = fabs(last - now) <= 1e-7 * (fabs(first - now) + fabs(now)) && h > 0.1 ? level + 1 : 0;
        settled = quiet >= 2 || level >= LEVEL;
        last = now;
        if (h < 30)
            h *= stats.iterations < 30 ? 2 : 1;
    }
    vvError memory_error;
    if (vv_contact_status(s->contact, &memory_error) != VV_OK)
        status = vv_fail(error, VV_ERROR_MEMORY, "%s", memory_error.message);
    if (energy)
        *energy = last;
    vv_arena_release(&sys->arena, mark);
    return status;
}

vvStatus vv_settle(vv_stepper *s, double *q, double effort, double *energy, vvError *error)
{
    vv_solver *own = NULL;
    if (!vv_stepper_reserve(s))
        return vv_fail_memory(error, "settling");
    vvStatus status = vv_solver_create(s->solver ? NULL : s->minimiser, &(vv_solver_def){ s->system, s->linear }, &own, error);
    if (status != VV_OK)
        return status;
    size_t mark = vv_arena_mark(&s->system->arena);
    void *learned = vv_arena_push(&s->system->arena, s->learned, 1);
    vv_stepper_save_learned(s, learned); /* what a solver learns here must not change the run */
    status = settle(s, own ? own : s->solver, q, effort, energy, error);
    vv_stepper_load_learned(s, learned);
    vv_arena_release(&s->system->arena, mark);
    vv_solver_destroy(own);
    return status;
}
