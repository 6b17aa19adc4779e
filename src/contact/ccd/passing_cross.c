/* How often a point goes through a triangle while all move in straight lines: roots of the volume of the tetrahedron
 * that they span, a cubic in time, at which the point is within the triangle. Likewise of two edges. The sign is that
 * of the volume after the crossing: going through and back adds up to 0. */
#include "contact/ccd/passing_pair.h"

#include "base/vec.h"

#include <stdbool.h>
#include <string.h>

/* At time t: the vectors whose product is the volume. VT: two sides of the triangle, and the point from its corner. EE:
 * both edges, and the first one's end from the second's. */
typedef struct spread {
    double u[3], w[3], r[3];
} spread;

static spread spread_of(vv_stencil kind, const double x[4][3])
{
    spread s;
    if (kind == VV_STENCIL_VT) {
        vv_sub(x[2], x[1], s.u);
        vv_sub(x[3], x[1], s.w);
        vv_sub(x[0], x[1], s.r);
    } else {
        vv_sub(x[1], x[0], s.u);
        vv_sub(x[3], x[2], s.w);
        vv_sub(x[0], x[2], s.r);
    }
    return s;
}

static double triple(const double a[3], const double b[3], const double c[3])
{
    double n[3];
    vv_cross(a, b, n);
    return vv_dot(n, c);
}

/* Bernstein coefficients of the volume over the motion. */
static void volume(const spread *s, const spread *e, double b[4])
{
    b[0] = triple(s->u, s->w, s->r);
    b[1] = (triple(e->u, s->w, s->r) + triple(s->u, e->w, s->r) + triple(s->u, s->w, e->r)) / 3;
    b[2] = (triple(e->u, e->w, s->r) + triple(e->u, s->w, e->r) + triple(s->u, e->w, e->r)) / 3;
    b[3] = triple(e->u, e->w, e->r);
}

static int variations(const double b[4])
{
    int count = 0;
    for (int i = 1; i < 4; i++) /* 0 counts as below, so that a root where an interval ends belongs to one of two */
        count += (b[i] > 0) != (b[i - 1] > 0);
    return count;
}

/* Halves by de Casteljau. */
static void halve(const double b[4], double left[4], double right[4])
{
    double c[4];
    memcpy(c, b, sizeof c);
    for (int k = 0; k < 4; k++) {
        left[k] = c[0], right[3 - k] = c[3 - k];
        for (int i = 0; i < 3 - k; i++)
            c[i] = 0.5 * (c[i] + c[i + 1]);
    }
}

static bool within(vv_stencil kind, const double x[4][3], const double y[4][3], double t)
{
    double z[4][3], uu, ww, uw, ru, rw, det;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            z[i][k] = x[i][k] + t * (y[i][k] - x[i][k]);
    const spread s = spread_of(kind, (const double(*)[3])z);
    uu = vv_dot(s.u, s.u), ww = vv_dot(s.w, s.w), uw = vv_dot(s.u, s.w);
    ru = vv_dot(s.r, s.u), rw = vv_dot(s.r, s.w), det = uu * ww - uw * uw;
    if (!(det > 0))
        return false;
    if (kind == VV_STENCIL_VT) { /* r = a u + c w */
        double a = (ru * ww - rw * uw) / det, c = (rw * uu - ru * uw) / det;
        return a >= 0 && c >= 0 && a + c <= 1;
    }
    double a = (rw * uw - ru * ww) / det, c = (rw * uu - ru * uw) / det; /* r + a u = c w */
    return a >= 0 && a <= 1 && c >= 0 && c <= 1;
}

enum { DEEP = 50 };

typedef struct motion {
    vv_stencil kind;
    const double (*x)[3], (*y)[3];
} motion;

static int count(const motion *m, const double b[4], double from, double to, int depth)
{
    double left[4], right[4];
    int v = variations(b);
    if (v == 0)
        return 0;
    if (depth == DEEP) {
        const int sign = (b[3] > 0) - (b[0] > 0);
        return sign && within(m->kind, m->x, m->y, 0.5 * (from + to)) ? sign : 0;
    }
    halve(b, left, right);
    const double middle = 0.5 * (from + to);
    return count(m, left, from, middle, depth + 1) + count(m, right, middle, to, depth + 1);
}

int vv_passing_crossings(vv_stencil kind, const double x[4][3], const double y[4][3])
{
    const spread s = spread_of(kind, x), e = spread_of(kind, y);
    double b[4];
    volume(&s, &e, b);
    return count(&(motion){ kind, x, y }, b, 0, 1, 0);
}
