/* Matrices of second derivatives: over which of a system's energies, with which fixed pattern, and where in it each energy's blocks
 * go. There may be several at a time; whoever solves linear equations owns what it solves with.
 *
 * An assembly begins, adds, ends. What it adds to is the matrix; gradients are of all energies, selected or not. */
#ifndef VV_SOLVE_ASSEMBLY_H
#define VV_SOLVE_ASSEMBLY_H

#include "solve/linear.h"
#include "solve/system.h"

/* Rows of the ledger (vv_ledger_row) whose energies a matrix is of: a bit 1 << row each. Drag and Rayleigh damping have the row
 * elastic, friction the row contact. */
typedef struct vv_selection {
    unsigned energies, dissipations;
} vv_selection;
#define VV_ROW_BIT(row) (1u << (row))
static const vv_selection VV_SELECT_ALL = { ~0u, ~0u };
static const vv_selection VV_SELECT_NO_CONTACT = { ~VV_ROW_BIT(VV_ROW_CONTACT), ~VV_ROW_BIT(VV_ROW_CONTACT) };
static const vv_selection VV_SELECT_ELASTIC = { VV_ROW_BIT(VV_ROW_ELASTIC) | VV_ROW_BIT(VV_ROW_ATTACHMENT), 0 };

typedef struct vv_bound { /* an energy and a matrix */
    uint64_t serial; /* of the energy; 0: none */
    int *slots;
} vv_bound;

typedef struct vv_assembly {
    vv_system *system;
    vv_selection selection;
    vv_bsr matrix;
    vv_bound energy[VV_MAX_ENERGIES], dissipation[VV_MAX_ENERGIES]; /* in the system's order */
    uint64_t renewals; /* goes up where energies were exchanged: a matrix that was kept is of those before */
} vv_assembly;

/* The system, with its unknowns numbered and its energies in, must outlive the assembly. */
vvStatus vv_assembly_create(vv_assembly *a, vv_system *system, vv_selection selection, vvError *error);
void vv_assembly_free(vv_assembly *a);
/* Takes in energies that were exchanged since. Worth while where memory may be short and failing is still easy, as at the start of a
 * solve; vv_assembly_begin does it too. VV_ERROR_MEMORY, and all is as it was. */
vvStatus vv_assembly_ready(vv_assembly *a, vvError *error);

/* The matrix is zero. Where it finds no memory, vv_bsr_status says so at the end, as of all that follows. */
void vv_assembly_begin(vv_assembly *a);
/* g (node space; may be NULL) += scale grad E(x) of all energies, matrix += scale d2E/dx2 of the selected ones. */
void vv_assembly_add_energies(const vv_system *s, const double *x, double scale, vv_hessian_mode mode, double *g, vv_assembly *a);
/* The same of the dissipations R(v). `a` may be NULL in both: the gradient only. */
void vv_assembly_add_dissipations(const vv_system *s, const double *v, double scale, vv_hessian_mode mode, double *g, vv_assembly *a);
/* matrix += factor M */
void vv_assembly_add_mass(vv_assembly *a, double factor);
void vv_assembly_end(vv_assembly *a);

/* A matrix and a linear solver for it. */
typedef struct vv_equations {
    vv_assembly assembly;
    vv_linear *linear;
} vv_equations;
vvStatus vv_equations_create(vv_equations *e, vv_system *system, vv_selection selection, const vv_linear_ops *linear, vvError *error);
void vv_equations_free(vv_equations *e); /* also one that is all zero, or whose creation failed */
/* x = A^-1 b (unknown space). Fails where the assembly or the solve found no memory; all else is in the stats. */
vvStatus vv_equations_solve(vv_equations *e, const double *b, double *x, double tolerance, vv_linear_stats *stats, vvError *error);
/* What the linear solver has learned (vv_linear_ops.state_size bytes of it), out and in. */
void vv_equations_save(const vv_equations *e, void *state);
void vv_equations_load(vv_equations *e, const void *state);

#endif
