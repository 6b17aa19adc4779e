/* Nodes held on a plane or a line: vectors and matrices of their remaining degrees of freedom (theory §4.17). */
#include "solve/rails.h"

#include "base/sparse/confine.h"

void vv_rail_keep(const double t[9], double v[3]) { vv_matvec(t, v, v); }

void vv_rail_put(const double t[9], const double x[3], double y[3])
{
    double along[3];
    vv_matvec(t, x, along);
    vv_matvec(t, y, y);
    for (int k = 0; k < 3; k++) /* exact where T is of axes */
        y[k] += x[k] - along[k];
}

double vv_rail_across(const double t[9], const double a[3], const double b[3])
{
    double along[3];
    vv_matvec(t, b, along);
    vv_sub(b, along, along);
    return vv_dot(a, along);
}

void vv_rails_keep(const vv_rails *rails, double *y)
{
    for (int r = 0; rails && r < rails->count; r++)
        vv_rail_keep(rails->along + 9 * (size_t)r, y + 3 * (size_t)rails->node[r]);
}

void vv_rails_put(const vv_rails *rails, const double *x, double *y)
{
    for (int r = 0; rails && r < rails->count; r++)
        vv_rail_put(rails->along + 9 * (size_t)r, x + 3 * (size_t)rails->node[r], y + 3 * (size_t)rails->node[r]);
}

void vv_rails_drop(const vv_rails *rails, double *y)
{
    for (int r = 0; rails && r < rails->count; r++) {
        double along[3], *of = y + 3 * (size_t)rails->node[r];
        vv_matvec(rails->along + 9 * (size_t)r, of, along);
        vv_sub(of, along, of);
    }
}

static void confine_rows(const vv_rails *rails, const int *node, vv_bsr *a)
{
    for (int u = 0; u < a->n; u++) {
        const double *row = vv_rail_of(rails, (size_t)node[u]);
        for (int k = a->row_start[u]; k < a->row_start[u + 1]; k++) {
            const double *column = vv_rail_of(rails, (size_t)node[a->col[k]]);
            double *block = a->val + 9 * (size_t)k;
            if (k == a->diag[u] && row)
                vv_confine_own(row, vv_confined_stiffness(block), block);
            else if (row || column)
                vv_confine_block(row, column, block);
        }
        for (int k = a->extra.nnz ? a->extra.start[u] : 0; a->extra.nnz && k < a->extra.start[u + 1]; k++) {
            const double *column = vv_rail_of(rails, (size_t)node[a->extra.col[k]]);
            if (row || column)
                vv_confine_block(row, column, a->extra.val + 9 * (size_t)k);
        }
    }
}

void vv_rails_reduce(const vv_rails *rails, const int *unknown, const int *node, double *gradient, vv_bsr *a)
{
    for (int r = 0; rails && gradient && r < rails->count; r++)
        if (unknown[rails->node[r]] >= 0)
            vv_rail_keep(rails->along + 9 * (size_t)r, gradient + 3 * (size_t)unknown[rails->node[r]]);
    if (rails && a)
        confine_rows(rails, node, a);
}
