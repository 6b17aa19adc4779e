/* An energy as the layers above see it: a batch of elements behind one table of functions.
 *
 * An energy is a function E(x) of the node positions x (n x 3, node order of the world). Its functions are called per
 * batch, never per element. Each is deterministic for any number of threads: elements are grouped in blocks, blocks
 * are coloured so that two blocks of a colour share no node, and partial sums are added in block order.
 *
 * Dissipation potentials R(v) (drag, lagged Rayleigh, lagged friction) have the same table, with velocities for
 * positions; `lag` is called at the start of each step with q_n.
 *
 * An energy owns no matrix. Whoever assembles one keeps, for each energy, where its blocks go (`slots`) and passes
 * that along with the matrix: so there may be several at a time, each over other energies (solve/assembly.h).
 *
 * An energy's struct starts with a vv_energy; its file ends in its vv_energy_ops. */
#ifndef VV_ENERGY_ENERGY_H
#define VV_ENERGY_ENERGY_H

#include "base/sparse/bsr.h"
#include "base/parallel.h"
#include "energy/constraints.h"
#include "energy/nodes.h"
#include "energy/quadratic.h"
#include "visviva/base.h"

#include <math.h>

typedef enum vv_ledger_row {
    VV_ROW_ELASTIC,
    VV_ROW_GRAVITY,
    VV_ROW_CONTACT,
    VV_ROW_ATTACHMENT,
    VV_ROW_JOINT,
    VV_ROW_EXTERNAL /* not part of H: its decrease in a step is the host's work */
} vv_ledger_row;

typedef enum vv_hessian_mode {
    VV_HESSIAN_EXACT,     /* the exact one: may be indefinite */
    VV_HESSIAN_PROJECTED, /* each element's Hessian projected to the semidefinite cone, analytically */
    VV_HESSIAN_REST /* a constant semidefinite substitute, the same however the body is rotated: x is not read and may
                       be NULL, there is no gradient. Tets: as stiff in every direction as against stretching at rest, 2
                       mu + lambda, of ARAP 2 mu (Liu, Bouaziz, Kavan 2017 §4); springs, midedge: an upper bound of
                       theirs at rest; hinges: theirs at rest, averaged over rotations and three times that;
                       attachments, joints and drag: their own; all others, lagged damping too: none */
} vv_hessian_mode;

/* Where second derivatives go. */
typedef struct vv_block_target {
    vv_bsr *matrix;
    const int *unknown; /* per node, -1: prescribed */
    const int *slots;   /* made by the energy's `slots` for this matrix */
} vv_block_target;

/* Where derivatives are taken, and how much of them: g += force dE/dx, matrix += stiffness d2E/dx2. */
typedef struct vv_sample {
    const double *x;
    double force, stiffness;
} vv_sample;
enum { VV_MAX_SAMPLES = 4 };

/* Where normal forces are taken, and how much of them. */
typedef struct vv_lag_place {
    const double *x;
    double weight;
} vv_lag_place;

typedef struct vv_energy vv_energy;

/* Receives an element's nodes and its part of an energy's value, J. */
typedef void vv_element_fn(void *arg, const int *nodes, double value);
/* Told of one element: its nodes, and what it adds to dE/dx at each, count x 3, N. */
typedef void vv_element_gradient_fn(void *arg, const int *nodes, int count, const double *gradient);

typedef struct vv_energy_ops {
    vvInfo info;
    vv_ledger_row row;
    const char *instead; /* for messages: what to do if a solver does not support it, besides choosing another solver;
                            NULL: only that */
    /* For conservative energies. NULL, or called before value and derivatives are evaluated at x: the energy may
     * cache what is needed more than once. It caches one position; max_step, and queries of contact, may discard it. */
    void (*update)(vv_energy *e, const vv_parallel *par, const double *x);
    /* E(x), J; +infinity outside the energy's domain. per_body (may be NULL) += each body's part. */
    double (*value)(const vv_energy *e, const vv_parallel *par, const double *x, double *per_body);
    /* g += scale dE/dx (n x 3; may be NULL) and to->matrix += scale d2E/dx2 (`to` may be NULL). x is inside the
     * domain. Rounding of the gradient may depend on whether there is a matrix. */
    void (*derivatives)(const vv_energy *e, const vv_parallel *par, const double *x, double scale, vv_hessian_mode mode,
                        double *g, const vv_block_target *to);
    /* NULL (see vv_energy_value_gradient), or in one pass: g (not NULL) += scale dE/dx, and what `value` does, with
     * its bits. Where E is +infinity, g holds nothing of use. */
    double (*value_gradient)(const vv_energy *e, const vv_parallel *par, const double *x, double scale,
                             double *per_body, double *g);
    /* NULL: repeated calls of `derivatives` are as good. Else their sum over 1 to VV_MAX_SAMPLES samples, in one
     * pass: an element's sums are added to g and to the matrix once. For energies without `update`, which would
     * see one position only. */
    void (*sum_derivatives)(const vv_energy *e, const vv_parallel *par, const vv_sample *sample, int samples,
                            vv_hessian_mode mode, double *g, const vv_block_target *to);
    /* The couplings for a matrix's fixed pattern; unknown[node] is the node's row or -1. NULL: it couples nothing, or
     * only within diagonal blocks or outside the pattern. */
    void (*pattern)(const vv_energy *e, const int *unknown, vv_pattern *pattern);
    /* NULL: whatever `pattern` couples. Else the present couplings, for an energy whose couplings may end: connected
     * nodes move as one (step/bodies/components.h). */
    void (*holds)(const vv_energy *e, const int *unknown, vv_pattern *pattern);
    /* Looks up where its blocks go in a matrix with that pattern (or a larger one), in a new array (vv_alloc) that
     * the caller then owns. NULL: needs none. */
    vvStatus (*slots)(const vv_energy *e, const int *unknown, const vv_bsr *a, int **slots, vvError *error);
    /* NULL: any step is fine. Else the largest t in (0, 1] such that x + s p is inside the domain, with a margin, for
     * all 0 <= s <= t. x itself is inside. */
    double (*max_step)(const vv_energy *e, const vv_parallel *par, const double *x, const double *p);
    /* NULL, or lowers part[node] of each node so that nodes which move from x by these parts of their own p, all at
     * once, probably stay well inside the domain. The path still has to be filtered. */
    void (*bounds)(const vv_energy *e, const vv_parallel *par, const double *x, const double *p, double *part);
    /* it is costly and never negative, so it is not evaluated where the others decide alone
     * (vv_objective_value_below) */
    bool last;
    bool by_value; /* a position is inside the domain if its value is finite, whatever the path to it */
    /* NULL, or called at the start of a step with q_n, v_n and the step h. */
    void (*lag)(vv_energy *e, const vv_parallel *par, const double *x, const double *v, double h);
    /* NULL, or for friction: normal forces are the sum of those at 1 to VV_MAX_SAMPLES positions. `lag` is the same
     * with one position and weight 1. */
    void (*lag_sum)(vv_energy *e, const vv_parallel *par, const vv_lag_place *place, int places);
    /* NULL, or for friction: at the end of a step, reports how far each contact that was lagged last has yielded
     * between these positions, to the memory of sticking contacts (contact/friction/stick.h). */
    void (*give)(vv_energy *e, const double *before, const double *after);
    void (*destroy)(vv_energy *e);
    /* NULL, or the smallest det F over the batch; +infinity for an empty batch, NaN if any is. per_body (may be
     * NULL): lowered to each body's. */
    double (*least_j)(const vv_energy *e, const vv_parallel *par, const double *x, double *per_body);
    /* For real-time solvers. NULL, or adds L of the constant quadratic model of that kind; false: it has none,
     * nothing was added. `to` may be NULL, to ask. Of a dissipation: the model in v. */
    bool (*quadratic)(const vv_energy *e, vv_quadratic_kind kind, vv_quadratic *to);
    /* For position-based solvers. NULL, or makes the energy's constraints, to destroy through their table; *out stays
     * NULL: it has none. The energy must outlive them. */
    vvStatus (*constraints)(const vv_energy *e, vv_constraints **out, vvError *error);
    /* NULL, or: it is quadratic and couples nothing, d2E/dx2 = k_i I at each node; d[i] += scale k_i. False: it is
     * not, nothing was added. d may be NULL, to ask. Of a dissipation: in v. */
    bool (*diagonal)(const vv_energy *e, double scale, double *d);
    /* For real-time solvers. NULL, or: it is at each node no stiffer than k_i I, with k_i > 0 at few nodes, and
     * comes, goes or changes from step to step: hands, contact's springs. d[i] += scale k_i, in node order, as it
     * is until the next `lag`; a solver adds that to its constant matrix without a new factor, and does not
     * call `quadratic`. False: it is not of this kind, nothing was added. d may be NULL, to ask. Of a
     * dissipation: in v. */
    bool (*bound_diagonal)(const vv_energy *e, double scale, double *d);
    /* NULL, or: which element is outside of the domain, and of which body, in words that follow the body's name;
     * false: none is found. */
    bool (*outside)(const vv_energy *e, const double *x, int *body, char *text, size_t size);
    const vv_node_ops *nodes; /* NULL, or how it depends on one node at a time, for block descent */
    /* NULL, or calls `found` with each element and its part of E(x), always in the same order. For exports. */
    void (*each)(const vv_energy *e, const double *x, vv_element_fn *found, void *arg);
    /* NULL, or calls `found` with each element of a body, always in the same order. x is inside the domain. */
    void (*each_gradient)(const vv_energy *e, int body, const double *x, vv_element_gradient_fn *found, void *arg);
} vv_energy_ops;

struct vv_energy {
    const vv_energy_ops *ops;
    uint64_t serial; /* given by the system that it is added to, unique there for good; 0: in none */
    bool mutual;     /* for friction: it acts between nodes, one of which may gain what the other loses */
};

/* The `quadratic` of an energy that is linear. */
bool vv_quadratic_none(const vv_energy *e, vv_quadratic_kind kind, vv_quadratic *to);
/* And its `diagonal`. */
bool vv_diagonal_none(const vv_energy *e, double scale, double *d);

/* To be called before value and derivatives at x. */
static inline void vv_energy_update(vv_energy *e, const vv_parallel *par, const double *x)
{
    if (e->ops->update)
        e->ops->update(e, par, x);
}

/* Adds the couplings by which it holds nodes together now; of node numbers that may stand for others (bodies), as in
 * `pattern`. */
static inline void vv_energy_holds(const vv_energy *e, const int *unknown, vv_pattern *pattern)
{
    void (*add)(const vv_energy *, const int *, vv_pattern *) = e->ops->holds ? e->ops->holds : e->ops->pattern;
    if (add)
        add(e, unknown, pattern);
}

/* E(x), not scaled, also by body (per_body may be NULL), and g += scale dE/dx (n x 3); `update` has been called.
 * Where E is +infinity, g holds nothing of use. */
static inline double vv_energy_value_gradient(const vv_energy *e, const vv_parallel *par, const double *x, double scale,
                                              double *per_body, double *g)
{
    if (e->ops->value_gradient)
        return e->ops->value_gradient(e, par, x, scale, per_body, g);
    double value = e->ops->value(e, par, x, per_body);
    if (value < INFINITY)
        e->ops->derivatives(e, par, x, scale, VV_HESSIAN_EXACT, g, NULL);
    return value;
}

#endif
