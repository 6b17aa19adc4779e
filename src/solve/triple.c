/* temporary */
#include "solve/triple.h"
#include "base/error.h"
#include "base/memory.h"
#include <cholmod.h>
#include <string.h>
struct vv_triple { int n; const int *start, *row; cholmod_common c; cholmod_factor *f; cholmod_sparse a; };
vvStatus vv_triple_create(int n, const int *start, const int *row, const vv_parallel *par, bool single, vv_triple **out, vvError *error)
{
    (void)par; (void)single; (void)error;
    vv_triple *t = vv_alloc(1, sizeof *t);
    t->n = n; t->start = start; t->row = row;
    cholmod_start(&t->c);
    t->c.supernodal = CHOLMOD_SIMPLICIAL;
    t->a = (cholmod_sparse){ .nrow = n, .ncol = n, .nzmax = start[n], .p = (void *)start, .i = (void *)row, .stype = -1, .itype = CHOLMOD_INT, .xtype = CHOLMOD_REAL, .sorted = 1, .packed = 1 };
    cholmod_sparse pa = t->a; pa.xtype = CHOLMOD_PATTERN; if (n) t->f = cholmod_analyze(&pa, &t->c);
    *out = t;
    return VV_OK;
}
vvStatus vv_triple_create_like(const vv_triple *like, vv_triple **out, vvError *error) { return vv_triple_create(like->n, like->start, like->row, NULL, true, out, error); }
vvStatus vv_triple_factor(vv_triple *t, const double *values, vvError *error) { (void)error; t->a.x = (void *)values; if (t->n) cholmod_factorize(&t->a, t->f, &t->c); return VV_OK; }
void vv_triple_solve(const vv_triple *t, const double *b, double *x)
{
    int n = t->n; if (!n) return;
    cholmod_dense *d = cholmod_allocate_dense(n, 3, n, CHOLMOD_REAL, (cholmod_common *)&t->c);
    for (int i = 0; i < n; i++) for (int k = 0; k < 3; k++) ((double *)d->x)[k * n + i] = b[3 * i + k];
    cholmod_dense *y = cholmod_solve(CHOLMOD_A, t->f, d, (cholmod_common *)&t->c);
    for (int i = 0; i < n; i++) for (int k = 0; k < 3; k++) x[3 * i + k] = ((double *)y->x)[k * n + i];
    cholmod_free_dense(&d, (cholmod_common *)&t->c); cholmod_free_dense(&y, (cholmod_common *)&t->c);
}
void vv_triple_destroy(vv_triple *t) { if (!t) return; if (t->f) cholmod_free_factor(&t->f, &t->c); cholmod_finish(&t->c); vv_free(t); }
