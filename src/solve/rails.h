/* Nodes that keep to a plane or a line: on rollers, in planes of symmetry, held along some axes (theory §4.17).
 *
 * Such a node has an unknown, like a free one. T projects onto the directions that are left to it, N = I - T onto the
 * others: along T it is free, along N prescribed. So gradients and directions lose their part along N, and what is
 * asked of prescribed nodes, where they go, their work, is asked of that part. */
#ifndef VV_SOLVE_RAILS_H
#define VV_SOLVE_RAILS_H

#include "base/sparse/bsr.h"

typedef struct vv_rails {
    int count;
    int *node;     /* ascending */
    int *of;       /* per node of the world: its rail, or -1 */
    double *along; /* T of each, 9 numbers */
} vv_rails;

/* T of a node; NULL: it keeps to nothing. `rails` may be NULL in all of these: there are none. */
static inline const double *vv_rail_of(const vv_rails *rails, size_t node)
{
    return rails && rails->of[node] >= 0 ? rails->along + 9 * (size_t)rails->of[node] : NULL;
}
/* v = T v, of one node. */
void vv_rail_keep(const double t[9], double v[3]);
/* y = T y + N x, of one node. */
void vv_rail_put(const double t[9], const double x[3], double y[3]);
/* a . N b */
double vv_rail_across(const double t[9], const double a[3], const double b[3]);
/* Vectors of node space: y_i = T y_i; y_i = N y_i; y_i = T y_i + N x_i. Others stay. */
void vv_rails_keep(const vv_rails *rails, double *y);
void vv_rails_drop(const vv_rails *rails, double *y);
void vv_rails_put(const vv_rails *rails, const double *x, double *y);
/* Of a gradient in unknown space, and of a matrix (either may be NULL): what is left along the rails. Across them
 * something positive takes the matrix's place, so that directions have nothing there. */
void vv_rails_reduce(const vv_rails *rails, const int *unknown, const int *node, double *gradient, vv_bsr *a);

#endif
