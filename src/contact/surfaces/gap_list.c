/* The list of gaps between bodies: their order, and what follows from one. */
#include "contact/surfaces/gaps.h"

#include <math.h>
#include <stdlib.h>

int vv_gap_compare(const void *left, const void *right)
{
    const vv_gap *p = left, *q = right;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

vv_gap *vv_gap_find(const vv_surface *s, int a, int b)
{
    const vv_gap key = { a < b ? a : b, a < b ? b : a, 0 };
    return s->gap_count ? bsearch(&key, s->gaps, s->gap_count, sizeof key, vv_gap_compare) : NULL;
}

double vv_surface_usual(const vv_surface *s, int a, int b, double usual)
{
    return fmin(vv_surface_own(s, a, usual), vv_surface_own(s, b, usual));
}

double vv_surface_activation(const vv_surface *s, int a, int b, double all)
{
    const vv_gap *gap = s->follows ? vv_gap_find(s, a, b) : NULL;
    const double usual = vv_surface_usual(s, a, b, all);
    return gap ? vv_gap_activation(gap->gap, usual) : usual;
}
