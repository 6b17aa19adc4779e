/* The frame of all kinds of elements: a kind gives its nodes, its numbers and its kernels, and has an energy.
 *
 * Elements of one model lie in a batch (batch.h). The frame runs the model's kernels over its blocks, adds up in a
 * fixed order, and does what is the same of every kind: values by body, sums of derivatives, the constant model, step
 * filters, one node at a time, constraints. A kind's file ends in its tables: a vv_element_frame, a vv_energy_ops that
 * begins with VV_ELEMENTS_OPS, and its row of energy/elements.h. */
#ifndef VV_ENERGY_BATCH_FRAME_H
#define VV_ENERGY_BATCH_FRAME_H

#include "energy/batch/batch.h"
#include "energy/batch/block.h"
#include "energy/elements.h"

typedef struct vv_elements vv_elements;

typedef struct vv_element_frame {
    const char *what;         /* "tets", in messages */
    int nodes, shape, law;    /* of an element; numbers of an element; numbers of a part */
    int forces, hessians;     /* what an element takes, roughly, ns */
    int around, weights;      /* numbers of an element around a node; from `weights` on they are 0 in padding */
    int relax_numbers, relax; /* of an impulse in exact sweeps; what an element takes in a sweep, roughly, ns */
    int dimensions;           /* 2: it lives in the x-y plane; 0: 3 */
    bool macros;              /* of tets: a group of eight is a macro-cell (vv_batch_create_macros) */
    /* Writes an element's numbers around its corner: number i at to[8 i]. NULL: there is nothing of single nodes. */
    void (*fill_around)(const vv_elements *s, int lane, int part, int corner, double *to);
    /* Writes L of the constant model of an element (energy/quadratic.h), a number per pair of nodes (vv_pair). NULL:
     * that at rest is kept, and creation fills it in. */
    void (*constant)(const vv_elements *s, int lane, int part, vv_quadratic_kind kind, double *pair);
    /* Whether a part has a model of that kind; *loose: see vv_quadratic. NULL: that at rest only. */
    bool (*has)(const vv_elements *s, int part, vv_quadratic_kind kind, bool *loose);
} vv_element_frame;

struct vv_elements {
    vv_energy base;
    vv_batch batch;
    int part_count;
    int *body; /* of each part, for per_body sums */
    const vv_element_frame *frame;
    vv_block_kernels kernels;
    int model; /* the kind's own */
    int node_count;
    int *start; /* part_count + 1: the elements of each part */
    double *shape, *law;
    double *rest; /* groups x pairs of nodes x 8, where frame->constant is NULL */
};

/* What a batch is made from; read at creation only. */
typedef struct vv_elements_input {
    int node_count;
    const double *position; /* of the nodes, n x 3, for locality; NULL: neighbours in space have close indices */
    int part_count;
    const int *body;  /* of each part, for per_body sums */
    const int *start; /* part_count + 1: part p has the elements start[p] .. start[p + 1] */
    const int *nodes; /* elements x nodes */
} vv_elements_input;

/* Adds what another file has of a model's kernels. */
void vv_add_kernels(vv_block_kernels *to, const vv_block_kernels *more);
/* Makes the batch; all numbers are 0. */
vvStatus vv_elements_create(const vv_element_frame *frame, const vv_energy_ops *ops, const vv_block_kernels *kernels,
                            const vv_elements_input *in, vv_elements **out, vvError *error);
/* The same of parts, one to one. list: writes the nodes of a part's elements; NULL: they are its cells. *out is NULL
 * where there are no elements. */
vvStatus vv_elements_of_parts(const vv_element_frame *frame, const vv_energy_ops *ops, const vv_block_kernels *kernels,
                              vv_cell cell, const vv_element_input *in,
                              void (*list)(const vv_element_part *part, int *nodes), vv_elements **out, vvError *error);

/* A lane of the batch, to be filled in: number i of its element is shape[8 i], pair i of its constant model rest[8 i].
 */
typedef struct vv_lane {
    int index, part, element; /* element: of the part */
    bool real;                /* false: it only fills up its group, and is to weigh nothing */
    const int *nodes;         /* node k is nodes[8 k] */
    double *shape, *rest;
} vv_lane;
typedef vvStatus vv_lane_fn(const void *arg, const vv_lane *lane, vvError *error);
/* Fills in all lanes, or fails and destroys the batch: what a kind's creation ends in. */
vvStatus vv_elements_finish(vv_elements *s, vv_lane_fn *fill, const void *arg, vv_energy **out, vvError *error);

static inline const double *vv_shape_of_lane(const vv_elements *s, int lane)
{
    return s->shape + (ptrdiff_t)(lane / VV_LANES) * s->frame->shape * VV_LANES + lane % VV_LANES;
}
static inline const int *vv_nodes_of_lane(const vv_elements *s, int lane)
{
    return s->batch.nodes + (ptrdiff_t)(lane / VV_LANES) * s->frame->nodes * VV_LANES + lane % VV_LANES;
}

/* ---- functions of the table; what a kernel is NULL for, the table is not to have ---- */

double vv_elements_value(const vv_energy *e, const vv_parallel *par, const double *x, double *per_body);
double vv_elements_value_gradient(const vv_energy *e, const vv_parallel *par, const double *x, double scale,
                                  double *per_body, double *g);
void vv_elements_derivatives(const vv_energy *e, const vv_parallel *par, const double *x, double scale,
                             vv_hessian_mode mode, double *g, const vv_block_target *to);
void vv_elements_sum_derivatives(const vv_energy *e, const vv_parallel *par, const vv_sample *sample, int samples,
                                 vv_hessian_mode mode, double *g, const vv_block_target *to);
void vv_elements_pattern(const vv_energy *e, const int *unknown, vv_pattern *pattern);
vvStatus vv_elements_slots(const vv_energy *e, const int *unknown, const vv_bsr *a, int **slots, vvError *error);
bool vv_elements_quadratic(const vv_energy *e, vv_quadratic_kind kind, vv_quadratic *to);
double vv_elements_max_step(const vv_energy *e, const vv_parallel *par, const double *x, const double *p);
void vv_elements_bounds(const vv_energy *e, const vv_parallel *par, const double *x, const double *p, double *part);
double vv_elements_least_j(const vv_energy *e, const vv_parallel *par, const double *x, double *per_body);
void vv_elements_each(const vv_energy *e, const double *x, vv_element_fn *found, void *arg);
void vv_elements_each_gradient(const vv_energy *e, int body, const double *x, vv_element_gradient_fn *found, void *arg);
/* energy/relax/relax.c: *out stays NULL where there is no such kernel, or a part's second number, lambda, is negative:
 * then some materials have no least energy at rest, and psi is no square. */
vvStatus vv_elements_constraints(const vv_energy *e, vv_constraints **out, vvError *error);
void vv_elements_destroy(vv_energy *e);
extern const vv_node_ops vv_elements_nodes, vv_elements_limited_nodes; /* without and with node_limits */

#define VV_ELEMENTS_OPS                                                                              \
    .row = VV_ROW_ELASTIC, .value = vv_elements_value, .value_gradient = vv_elements_value_gradient, \
    .derivatives = vv_elements_derivatives, .sum_derivatives = vv_elements_sum_derivatives,          \
    .pattern = vv_elements_pattern, .slots = vv_elements_slots, .quadratic = vv_elements_quadratic,  \
    .constraints = vv_elements_constraints, .each_gradient = vv_elements_each_gradient, .destroy = vv_elements_destroy

/* Sums of derivatives at a few positions, into the values of a matrix with the caller's slots. */
typedef struct vv_elements_sum {
    const vv_sample *sample;
    int samples;
    const double *part_scale; /* a further factor per part; NULL: none */
    vv_hessian_mode mode;
    double *g, *values; /* NULL: not asked for */
    const int *slots;
} vv_elements_sum;
/* What is behind the table's functions. */
void vv_elements_add(const vv_elements *s, const vv_parallel *par, const vv_elements_sum *what);

#endif
