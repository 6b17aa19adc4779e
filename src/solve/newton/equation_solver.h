/* A solver that keeps little between solves but the equations it solves, as Newton's method does: its row takes these
 * functions, and brings its own minimise. A policy that solves with a matrix of its own has such an object, too
 * (step/policies/policy.h). */
#ifndef VV_SOLVE_NEWTON_EQUATION_SOLVER_H
#define VV_SOLVE_NEWTON_EQUATION_SOLVER_H

#include "solve/solver.h"

typedef struct vv_equation_solver {
    vv_solver base;
    vv_equations equations;
} vv_equation_solver;

/* Equations over all energies. */
vvStatus vv_equation_solver_create(const vv_solver_def *def, vv_solver **out, vvError *error);
/* Over the selected ones; an object of `size` bytes begins with them, the rest is zero: for a create that needs
 * more. */
vvStatus vv_equation_solver_create_of(const vv_solver_def *def, size_t size, vv_selection selection, vv_solver **out,
                                      vvError *error);
void vv_equation_solver_destroy(vv_solver *solver);
/* What its linear solver has learned. */
size_t vv_equation_solver_state_size(const vv_solver_def *def, int nodes);
void vv_equation_solver_save(const vv_solver *solver, void *state);
void vv_equation_solver_load(vv_solver *solver, const void *state);
/* These five, in a solver's table. */
#define VV_EQUATION_SOLVER                                                      \
    .create = vv_equation_solver_create, .destroy = vv_equation_solver_destroy, \
    .state_size = vv_equation_solver_state_size, .save = vv_equation_solver_save, .load = vv_equation_solver_load

static inline vv_equations *vv_equations_of(vv_solver *solver) { return &((vv_equation_solver *)solver)->equations; }

#endif
