/* Solvers that keep little between solves but their equations. */
#include "solve/newton/equation_solver.h"

#include "base/error.h"
#include "base/memory.h"

void vv_equation_solver_destroy(vv_solver *solver)
{
    vv_equations_free(vv_equations_of(solver));
    vv_free(solver);
}

vvStatus vv_equation_solver_create_of(const vv_solver_def *def, size_t size, vv_selection selection, vv_solver **out,
                                      vvError *error)
{
    vv_equation_solver *s = vv_alloc(1, size);
    *out = NULL;
    if (!s)
        return vv_fail_memory(error, "a solver's equations");
    vvStatus status = vv_equations_create(&s->equations, def->system, selection, def->linear, error);
    if (status == VV_OK)
        *out = &s->base;
    else
        vv_equation_solver_destroy(&s->base);
    return status;
}

vvStatus vv_equation_solver_create(const vv_solver_def *def, vv_solver **out, vvError *error)
{
    return vv_equation_solver_create_of(def, sizeof(vv_equation_solver), VV_SELECT_ALL, out, error);
}

size_t vv_equation_solver_state_size(const vv_solver_def *def, int nodes)
{
    (void)nodes;
    return def->linear->state_size;
}

void vv_equation_solver_save(const vv_solver *solver, void *state)
{
    vv_equations_save(&((const vv_equation_solver *)solver)->equations, state);
}

void vv_equation_solver_load(vv_solver *solver, const void *state)
{
    vv_equations_load(vv_equations_of(solver), state);
}
