/* Matrices of second derivatives: which of a system's energies they cover, their fixed pattern, and where in it each
 * energy's blocks go. There may be several at a time; each owner brings its own linear solver.
 *
 * An assembly begins, adds, ends. Only selected energies add to the matrix; all energies add to the gradient. */
#ifndef VV_SOLVE_ASSEMBLY_H
#define VV_SOLVE_ASSEMBLY_H

#include "solve/linear/linear.h"
#include "solve/system.h"

/* Rows of the ledger (vv_ledger_row) whose energies enter the matrix: a bit 1 << row each. Drag and Rayleigh damping
 * belong to the row elastic, friction to the row contact. */
typedef struct vv_selection {
    unsigned energies, dissipations;
    bool alone; /* the gradient, too, is of these only; and without energies that a constant matrix takes in as a
                   diagonal (vv_energy_ops.bound_diagonal) */
} vv_selection;
#define VV_ROW_BIT(row) (1u << (row))
static const vv_selection VV_SELECT_ALL = { ~0u, ~0u, false };
static const vv_selection VV_SELECT_NO_CONTACT = { ~VV_ROW_BIT(VV_ROW_CONTACT), ~VV_ROW_BIT(VV_ROW_CONTACT), false };
static const vv_selection VV_SELECT_CONTACT = { VV_ROW_BIT(VV_ROW_CONTACT), VV_ROW_BIT(VV_ROW_CONTACT), true };
static const vv_selection VV_SELECT_ELASTIC = {
    VV_ROW_BIT(VV_ROW_ELASTIC) | VV_ROW_BIT(VV_ROW_ATTACHMENT) | VV_ROW_BIT(VV_ROW_JOINT), 0, false
};

typedef struct vv_bound { /* an energy and a matrix */
    uint64_t serial;      /* of the energy; 0: none */
    int *slots;
} vv_bound;

typedef struct vv_assembly {
    vv_system *system;
    vv_selection selection;
    vv_bsr matrix;
    vv_bound energy[VV_MAX_ENERGIES], dissipation[VV_MAX_ENERGIES]; /* in the system's order */
    int *body;                                                      /* unknowns: of the matrix's rows, */
    double *place;     /* and 3 each: where they were at the last assembly */
    uint64_t renewals; /* incremented when energies are exchanged: a matrix kept from before no longer holds */
} vv_assembly;

/* The system, with its unknowns numbered and its energies added, must outlive the assembly. */
vvStatus vv_assembly_create(vv_assembly *a, vv_system *system, vv_selection selection, vvError *error);
void vv_assembly_free(vv_assembly *a);
/* Takes in energies that were exchanged since. Call it where running out of memory can still be handled, as at the
 * start of a solve; vv_assembly_begin does it too. VV_ERROR_MEMORY: nothing has changed. */
vvStatus vv_assembly_ready(vv_assembly *a, vvError *error);

/* Zeroes the matrix. If memory runs out here or later, vv_bsr_status reports it at the end. */
void vv_assembly_begin(vv_assembly *a);
/* g (node space; may be NULL) += scale grad E(x) of all energies, matrix += scale d2E/dx2 of the selected ones. */
void vv_assembly_add_energies(const vv_system *s, const double *x, double scale, vv_hessian_mode mode, double *g,
                              vv_assembly *a);
/* The same over the samples of a stage: g += sum force grad E, matrix += sum stiffness d2E/dx2. What can be summed
 * within an energy is (vv_energy_ops.sum_derivatives). room: a node vector, overwritten. */
void vv_assembly_add_samples(const vv_system *s, const vv_sample *sample, int samples, vv_hessian_mode mode, double *g,
                             double *room, vv_assembly *a);
/* The same of the dissipations R(v). `a` may be NULL in all three: the gradient only. */
void vv_assembly_add_dissipations(const vv_system *s, const double *v, double scale, vv_hessian_mode mode, double *g,
                                  vv_assembly *a);
/* matrix += factor M */
void vv_assembly_add_mass(vv_assembly *a, double factor);
void vv_assembly_end(vv_assembly *a);

/* A matrix and a linear solver for it. */
typedef struct vv_equations {
    vv_assembly assembly;
    vv_linear *linear;
} vv_equations;
vvStatus vv_equations_create(vv_equations *e, vv_system *system, vv_selection selection, const vv_linear_ops *linear,
                             vvError *error);
void vv_equations_free(vv_equations *e); /* also if all zero, or if its creation failed */
/* x = A^-1 b (unknown space). Fails if the assembly or the solve ran out of memory; all else is in the stats. */
vvStatus vv_equations_solve(vv_equations *e, const double *b, double *x, double tolerance, vv_linear_stats *stats,
                            vvError *error);
/* Saves and loads what the linear solver has learned (vv_linear_ops.state_size bytes). */
void vv_equations_save(const vv_equations *e, void *state);
void vv_equations_load(vv_equations *e, const void *state);

#endif
