/* The lists of solvers and line searches. A new one is a file that ends in its row, and a row here. Only this file
 * knows the list of solvers: a program that compiles it itself with VV_MORE_SOLVERS, the name of one more row, has
 * that one too. */
#include "solve/realtime/accelerate.h"
#include "solve/solver.h"
#include "visviva/world.h" /* declares the functions at the end: without it they are not exported */

#include <string.h>

#if defined(VV_MORE_SOLVERS)
extern const vv_solver_ops VV_MORE_SOLVERS;
#define MORE , &VV_MORE_SOLVERS
#else
#define MORE
#endif

static const vv_solver_ops *const solvers[] = { &vv_solver_newton,          &vv_solver_optimizer,
                                                &vv_solver_optimizer_paper, &vv_solver_linearised,
                                                &vv_solver_local_global,    &vv_solver_lbfgs,
                                                &vv_solver_block_descent,   &vv_solver_xpbd,
                                                &vv_solver_xpbd_exact,      &vv_solver_plain_newton MORE };
static const vv_line_search *const searches[] = { &vv_line_search_backtracking, &vv_line_search_strong_wolfe };
enum { SOLVERS = sizeof solvers / sizeof solvers[0], SEARCHES = sizeof searches / sizeof searches[0] };

const vv_solver_ops *vv_solver_table(int i) { return i >= 0 && i < SOLVERS ? solvers[i] : NULL; }
const vv_line_search *vv_line_search_table(int i) { return i >= 0 && i < SEARCHES ? searches[i] : NULL; }

const vv_solver_ops *vv_solver_find(const char *name)
{
    for (int i = 0; i < SOLVERS; i++)
        if (strcmp(solvers[i]->info.name, name) == 0)
            return solvers[i];
    return NULL;
}

const vvInfo *vvSolverFallbackInfo(int index)
{
    static const vvInfo none = { "none", "none: the solver's result is used" };
    return index == 0 ? &none : vvSolverInfo(index - 1);
}

int vvSolverBudget(const char *method)
{
    const vv_solver_ops *ops = method ? vv_solver_find(method) : NULL;
    return ops ? ops->budget : 0;
}

const vv_line_search *vv_line_search_find(const char *name)
{
    for (int i = 0; i < SEARCHES; i++)
        if (strcmp(searches[i]->info.name, name) == 0)
            return searches[i];
    return NULL;
}

const vvInfo *vvAccelerationInfo(int i) { return vv_acceleration_table(i) ? &vv_acceleration_table(i)->info : NULL; }
const vvInfo *vvSolverInfo(int i) { return vv_solver_table(i) ? &vv_solver_table(i)->info : NULL; }
const vvInfo *vvLineSearchInfo(int i) { return vv_line_search_table(i) ? &vv_line_search_table(i)->info : NULL; }
const vvInfo *vvLinearSolverInfo(int i) { return vv_linear_table(i) ? &vv_linear_table(i)->info : NULL; }
