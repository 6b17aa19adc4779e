/* The unknowns of a world and everything that acts on them: what every solver works on.
 *
 * Positions and gradients live in NODE space (3 per node of the world, node order); Newton directions and matrices in
 * UNKNOWN space (3 per free node, in the world's own order). Prescribed nodes have no unknown. Matrices belong to
 * those who solve with them (solve/assembly.h). */
#ifndef VV_SOLVE_SYSTEM_H
#define VV_SOLVE_SYSTEM_H

#include "base/memory.h"
#include "energy/energy.h"
#include "energy/feasible.h"
#include "solve/rails.h"

enum { VV_MAX_ENERGIES = 32 };

typedef struct vv_system {
    int nodes, unknowns;
    const int *unknown; /* node -> unknown, -1 prescribed */
    const int *node;    /* unknown -> node */
    const int *body;    /* node -> body */
    int bodies;
    const double *mass; /* per node, kg */
    /* positions (node space) that bodies were made in, most at rest there; NULL: they are not known */
    const double *rest;
    /* per body: iterations of Newton's method in which one of its nodes moved the most; counted, not owned; NULL: not
     */
    int64_t *longest;
    const int *clump; /* the first unknown of each affine body that is free, ascending */
    int clumps;
    const vv_rails *rails;                   /* nodes that keep to planes and lines; not owned; NULL: none does */
    vv_energy *energy[VV_MAX_ENERGIES];      /* conservative: E(q) */
    vv_energy *dissipation[VV_MAX_ENERGIES]; /* R(v) */
    int energies, dissipations;
    vv_feasible *feasible;        /* where nodes may be; not owned; NULL: anywhere, or */
    vv_feasible *later;           /* where they may be when the solve is over, which does not know of it */
    uint64_t serials;             /* given out so far: an added energy gets the next one */
    struct vv_forest_store *kept; /* factors of bodies, from one system to the next; not owned; NULL: none are kept */
    vv_parallel par;
    vv_arena arena;
} vv_system;

/* Appended to the others; the system owns it from here on. VV_ERROR_UNSUPPORTED, and it is destroyed, if there are too
 * many. */
vvStatus vv_system_add_energy(vv_system *s, vv_energy *e, vvError *error);
vvStatus vv_system_add_dissipation(vv_system *s, vv_energy *e, vvError *error);
/* At place `at` an energy is removed (and destroyed), inserted (NULL: none), or replaced; later ones keep their
 * order. The new one must not couple unknowns that the old one did not. VV_ERROR_UNSUPPORTED as above, but nothing
 * has changed. */
vvStatus vv_system_exchange(vv_system *s, int at, bool goes, vv_energy *comes, vvError *error);
/* The same among the dissipations. */
vvStatus vv_system_exchange_dissipation(vv_system *s, int at, bool goes, vv_energy *comes, vvError *error);
void vv_system_free(vv_system *s); /* energies, dissipations, arena; its solvers must be gone */

/* Whether anything of any node is prescribed. */
static inline bool vv_system_prescribes(const vv_system *s) { return s->unknowns < s->nodes || s->rails; }
/* a . b of a node as far as it is prescribed. */
static inline double vv_prescribed_dot(const vv_system *s, size_t node, const double *a, const double *b)
{
    const double *t = vv_rail_of(s->rails, node);
    return t ? vv_rail_across(t, a, b) : s->unknown[node] < 0 ? a[0] * b[0] + a[1] * b[1] + a[2] * b[2] : 0;
}

/* To be called before energies are evaluated at q one by one; the functions below do it themselves. */
void vv_system_update(const vv_system *s, const double *q);
/* What system.feasible does, or where there is none nothing: see energy/feasible.h. */
bool vv_system_project(const vv_system *s, double *q);
void vv_system_pull_back(const vv_system *s, const double *x, double *gradient);
/* chooses, and reduces */
void vv_system_reduce(const vv_system *s, const double *q, double *gradient, vv_bsr *a, bool exact);

/* E(q), +infinity outside the domain. */
double vv_system_energy(const vv_system *s, const double *q);
/* g (node space) = grad E(q), overwritten; prescribed nodes too. */
void vv_system_gradient(const vv_system *s, const double *q, double *g);
/* Both at once, in little more than the time of the energy: g += scale grad E(q), or g = grad E(q); returns E(q), not
 * scaled. Where it is +infinity, g holds nothing of use. */
double vv_system_add_energy_gradient(const vv_system *s, const double *q, double scale, double *g);
double vv_system_energy_gradient(const vv_system *s, const double *q, double *g);
/* g += scale grad R(v) */
void vv_system_dissipation_gradient(const vv_system *s, const double *v, double scale, double *g);
/* Largest t in (0, 1] with q + s p in every energy's domain for s <= t (node space). */
double vv_system_max_step(const vv_system *s, const double *q, const double *p);
/* Lowers part[node]: see vv_energy_ops.bounds. */
void vv_system_bounds(const vv_system *s, const double *q, const double *p, double *part);
/* Whether q + p may be the next position, all of the path or not at all, if the energy there is finite. */
bool vv_system_passes(const vv_system *s, const double *q, const double *p);

/* Sums in chunk order (the same bits for any number of threads), over n doubles or with node masses over free nodes. */
double vv_sum_dot(const vv_system *s, const double *a, const double *b, int n);
/* y += t x, in the same pass as the sum z.y thereafter (z may be NULL: 0). y is neither x nor z. */
double vv_sum_axpy_dot(const vv_system *s, double t, const double *x, double *y, const double *z, int n);
/* sum m |a - b|^2; b may be NULL */
double vv_sum_mass_square(const vv_system *s, const double *a, const double *b, bool free_only);
/* sum m a.b over free nodes */
double vv_sum_mass_dot(const vv_system *s, const double *a, const double *b);

/* The longest step of a node, as vv_longest; counts whose it is (longest). */
double vv_longest_step(const vv_system *s, const double *step);

void vv_pack(const vv_system *s, const double *node_space, double *unknown_space);
void vv_unpack(const vv_system *s, const double *unknown_space, double *node_space); /* prescribed nodes: 0 */

#endif
