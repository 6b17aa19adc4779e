/* The terms of joints as functions of their vectors: values, gradients, second derivatives (theory §4.15). */
#include "energy/links/link.h"

#include "base/eigen.h"
#include "base/vec.h"

#include <string.h>

static const double TURN = 6.283185307179586477;

int vv_link_vectors(vv_link_form form)
{
    static const int count[] = {
        [VV_LINK_POINT] = 1, [VV_LINK_LENGTH] = 1, [VV_LINK_LINE] = 2, [VV_LINK_TRAVEL] = 2, [VV_LINK_ANGLE] = 3
    };
    return count[form];
}

void vv_link_at(const vv_link *l, const double *x, int stride, double d[VV_LINK_MOST])
{
    for (int v = 0; v < vv_link_vectors(l->form); v++)
        for (int k = 0; k < 3; k++) {
            double sum = l->offset[v][k];
            for (int i = 0; i < l->nodes; i++)
                sum += l->weight[v][i] * x[(size_t)stride * (size_t)l->node[i] + (size_t)k];
            d[3 * v + k] = sum;
        }
}

/* ---- the law f ---- */

double vv_link_excess(const vv_link *l, double c)
{
    const double middle = 0.5 * (l->low + l->high), half = 0.5 * (l->high - l->low);
    double e = c - middle;
    if (isnan(middle)) /* a motor not yet used, or no bound at all */
        return 0;
    if (isinf(middle))
        return isinf(l->high) ? fmin(c - l->low, 0) : fmax(c - l->high, 0);
    if (l->form == VV_LINK_ANGLE)
        e = remainder(e, TURN);
    return e > half ? e - half : e < -half ? e + half : 0;
}

static bool saturates(const vv_link *l, double e) { return l->stiffness * fabs(e) > l->most; }

double vv_link_force(const vv_link *l, double c)
{
    const double e = vv_link_excess(l, c);
    return saturates(l, e) ? copysign(l->most, e) : l->stiffness * e;
}

static double law(const vv_link *l, double c, double *first, double *second)
{
    const double k = l->stiffness, e = vv_link_excess(l, c);
    if (saturates(l, e)) {
        *first = copysign(l->most, e), *second = 0;
        return l->most * (fabs(e) - 0.5 * l->most / k);
    }
    *first = k * e, *second = e != 0 || l->low == l->high ? k : 0;
    return 0.5 * k * e * e;
}

void vv_link_set_motor(vv_link *l, double speed, double most, double h)
{
    const double way = fabs(speed) * h;
    l->speed = speed, l->most = most;
    l->stiffness = way * l->full > most && most > 0 ? most / way : l->full;
}

/* ---- 3x3 blocks of a matrix of n rows ---- */

static void add_outer(int n, double *m, int row, int col, double factor, const double a[3], const double b[3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m[(3 * row + i) * n + 3 * col + j] += factor * a[i] * b[j];
}

static void add_identity(int n, double *m, int row, int col, double factor)
{
    for (int i = 0; i < 3; i++)
        m[(3 * row + i) * n + 3 * col + i] += factor;
}

/* += factor (1 - û û^T) */
static void add_across(int n, double *m, int row, int col, double factor, const double unit[3])
{
    add_identity(n, m, row, col, factor);
    add_outer(n, m, row, col, -factor, unit, unit);
}

static void copy_transpose(int n, double *m, int row, int col)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m[(3 * col + j) * n + 3 * row + i] = m[(3 * row + i) * n + 3 * col + j];
}

/* ---- numbers that depend on vectors ---- */

/* At no length, where all ways are alike, one that pushes apart does so along x. */
static void measure_length(const double *d, double *c, double *g, double *h)
{
    const double l = vv_norm(d), unit[3] = { l > 0 ? d[0] / l : 1, l > 0 ? d[1] / l : 0, l > 0 ? d[2] / l : 0 };
    *c = l;
    if (g)
        memcpy(g, unit, sizeof unit);
    if (h && l > 0)
        add_across(3, h, 0, 0, 1 / l, unit);
}

/* û, and the part of d along and across it. */
typedef struct line {
    double length, unit[3], along, across[3];
} line;

static bool make_line(const double *u, const double *d, line *to)
{
    to->length = vv_norm(u);
    if (!(to->length > 0))
        return false;
    for (int k = 0; k < 3; k++)
        to->unit[k] = u[k] / to->length;
    to->along = vv_dot(to->unit, d);
    for (int k = 0; k < 3; k++)
        to->across[k] = d[k] - to->along * to->unit[k];
    return true;
}

/* s = û.d; ds/du = r/|u|, ds/dd = û. */
static bool measure_travel(const double *v, double *c, double *g, double *h)
{
    line l;
    if (!make_line(v, v + 3, &l))
        return false;
    *c = l.along;
    for (int k = 0; g && k < 3; k++)
        g[k] = l.across[k] / l.length, g[3 + k] = l.unit[k];
    if (h) {
        const double f = -1 / (l.length * l.length);
        add_outer(6, h, 0, 0, f, l.unit, l.across);
        add_outer(6, h, 0, 0, f, l.across, l.unit);
        add_across(6, h, 0, 0, f * l.along, l.unit);
        add_across(6, h, 0, 1, 1 / l.length, l.unit);
        copy_transpose(6, h, 0, 1);
    }
    return true;
}

/* One wing of an angle: w = u x a, and what depends on it. */
typedef struct wing {
    double normal[3], over[3]; /* w; w/|w|^2 */
    double part;               /* a.û */
    double turn[9];            /* d(w/|w|^2)/dw = (1 - 2 ŵ ŵ^T)/|w|^2 */
} wing;

static bool make_wing(const double *u, double length, const double *a, wing *to)
{
    vv_cross(u, a, to->normal);
    const double square = vv_dot(to->normal, to->normal);
    if (!(square > 0) || !isfinite(1 / square))
        return false;
    to->part = vv_dot(a, u) / length;
    for (int i = 0; i < 3; i++) {
        to->over[i] = to->normal[i] / square;
        for (int j = 0; j < 3; j++)
            to->turn[3 * i + j] = ((i == j) - 2 * to->normal[i] * to->normal[j] / square) / square;
    }
    return true;
}

/* m += factor turn [a]x, [a]x b = a x b */
static void add_turned(double *m, int row, int col, double factor, const wing *w, const double a[3])
{
    const double cross[9] = { 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0 };
    double product[9];
    vv_matmul(w->turn, cross, product);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m[(3 * row + i) * 9 + 3 * col + j] += factor * product[3 * i + j];
}

/* The second derivatives that wing `at` (1: a, 2: b) adds, its gradient being sign |u| w/|w|^2, and its share of that
 * by u -sign (a.û) w/|w|^2. */
static void add_wing(double *h, int at, double sign, const wing *w, const double *u, double length, const double *unit,
                     const double *a)
{
    double along[3];
    add_turned(h, at, at, sign * length, w, u);
    add_outer(9, h, at, 0, sign, w->over, unit);
    add_turned(h, at, 0, -sign * length, w, a);
    copy_transpose(9, h, at, 0);
    for (int k = 0; k < 3; k++)
        along[k] = (a[k] - w->part * unit[k]) / length;
    add_outer(9, h, 0, 0, -sign, w->over, along);
    add_turned(h, 0, 0, sign * w->part, w, a);
}

/* theta = atan2(|u| det(u, a, b), (u x a).(u x b)) */
static bool measure_angle(const double *v, double *c, double *g, double *h)
{
    const double *u = v, *a = v + 3, *b = v + 6, length = vv_norm(u);
    wing from, to;
    if (!(length > 0) || !make_wing(u, length, a, &from) || !make_wing(u, length, b, &to))
        return false;
    const double unit[3] = { u[0] / length, u[1] / length, u[2] / length };
    *c = atan2(length * vv_dot(from.normal, b), vv_dot(from.normal, to.normal));
    for (int k = 0; g && k < 3; k++) {
        g[k] = from.part * from.over[k] - to.part * to.over[k];
        g[3 + k] = -length * from.over[k];
        g[6 + k] = length * to.over[k];
    }
    if (h) {
        add_wing(h, 1, -1, &from, u, length, unit, a);
        add_wing(h, 2, 1, &to, u, length, unit, b);
    }
    return true;
}

bool vv_link_measure(const vv_link *l, const double d[VV_LINK_MOST], double *c, double *g, double *h)
{
    const size_t n = 3 * (size_t)vv_link_vectors(l->form);
    if (h)
        memset(h, 0, n * n * sizeof *h);
    switch (l->form) {
    case VV_LINK_LENGTH: measure_length(d, c, g, h); return true;
    case VV_LINK_TRAVEL: return measure_travel(d, c, g, h);
    case VV_LINK_ANGLE: return measure_angle(d, c, g, h);
    case VV_LINK_POINT:
    case VV_LINK_LINE: break;
    }
    return false;
}

/* ---- terms ---- */

/* Replaces negative eigenvalues by 0. */
static void project(int n, double *h)
{
    double a[VV_LINK_MOST * VV_LINK_MOST], values[VV_LINK_MOST], vectors[VV_LINK_MOST * VV_LINK_MOST];
    memcpy(a, h, (size_t)(n * n) * sizeof *a);
    vv_eigen_small(n, a, values, vectors);
    memset(h, 0, (size_t)(n * n) * sizeof *h);
    for (int e = 0; e < n; e++)
        for (int i = 0; values[e] > 0 && i < n; i++)
            for (int j = 0; j < n; j++)
                h[i * n + j] += values[e] * vectors[e * n + i] * vectors[e * n + j];
}

static void evaluate_point(const vv_link *l, const double *d, vv_link_wanted wanted, vv_link_value *out)
{
    out->energy = 0.5 * l->stiffness * vv_dot(d, d);
    for (int k = 0; k < 3; k++)
        out->gradient[k] = l->stiffness * d[k];
    if (wanted >= VV_LINK_EXACT) {
        memset(out->hessian, 0, 9 * sizeof *out->hessian);
        add_identity(3, out->hessian, 0, 0, l->stiffness);
    }
}

/* 1/2 k (|d|^2 - s^2): the gradient by u is -k s r/|u|, by d it is k r. */
static bool evaluate_line(const vv_link *l, const double *v, vv_link_wanted wanted, vv_link_value *out)
{
    line at;
    const double k = l->stiffness;
    if (!make_line(v, v + 3, &at))
        return false;
    const double f = k / (at.length * at.length), s = at.along;
    out->energy = 0.5 * k * vv_dot(at.across, at.across);
    for (int i = 0; i < 3; i++)
        out->gradient[i] = -k * s * at.across[i] / at.length, out->gradient[3 + i] = k * at.across[i];
    if (wanted < VV_LINK_EXACT)
        return true;
    double *h = out->hessian;
    memset(h, 0, 36 * sizeof *h);
    add_across(6, h, 1, 1, k, at.unit);
    add_outer(6, h, 1, 0, -k / at.length, at.unit, at.across);
    add_across(6, h, 1, 0, -k * s / at.length, at.unit);
    copy_transpose(6, h, 1, 0);
    add_outer(6, h, 0, 0, -f, at.across, at.across);
    add_outer(6, h, 0, 0, f * s, at.unit, at.across);
    add_outer(6, h, 0, 0, f * s, at.across, at.unit);
    add_across(6, h, 0, 0, f * s * s, at.unit);
    if (wanted == VV_LINK_PROJECTED && vv_dot(at.across, at.across) > 0)
        project(6, h);
    return true;
}

/* f(c): f'' c' c'^T + f' c''. A length's c'' is semidefinite, so that only its sign counts. */
static bool evaluate_number(const vv_link *l, const double *d, vv_link_wanted wanted, vv_link_value *out)
{
    const int n = out->n;
    double c, first, second, *h = wanted >= VV_LINK_EXACT ? out->hessian : NULL,
                             *g = wanted >= VV_LINK_GRADIENT ? out->gradient : NULL;
    if (!vv_link_measure(l, d, &c, g, h))
        return false;
    out->energy = law(l, c, &first, &second);
    const double turned = l->form == VV_LINK_LENGTH && wanted == VV_LINK_PROJECTED ? fmax(first, 0) : first;
    for (int i = 0; h && i < n; i++)
        for (int j = 0; j < n; j++)
            h[i * n + j] = turned * h[i * n + j] + second * g[i] * g[j];
    if (wanted == VV_LINK_PROJECTED && l->form != VV_LINK_LENGTH && first != 0)
        project(n, h);
    for (int i = 0; g && i < n; i++)
        g[i] *= first;
    return true;
}

void vv_link_evaluate(const vv_link *l, const double d[VV_LINK_MOST], vv_link_wanted wanted, vv_link_value *out)
{
    bool there = true;
    out->n = 3 * vv_link_vectors(l->form);
    if (l->off)
        there = false;
    else if (l->form == VV_LINK_POINT)
        evaluate_point(l, d, wanted, out);
    else
        there = l->form == VV_LINK_LINE ? evaluate_line(l, d, wanted, out) : evaluate_number(l, d, wanted, out);
    if (there)
        return;
    out->energy = 0;
    memset(out->gradient, 0, (size_t)out->n * sizeof *out->gradient);
    memset(out->hessian, 0, (size_t)(out->n * out->n) * sizeof *out->hessian);
}

/* (sum_v a_v)^2 <= vectors sum_v a_v^2, for what each vector changes the number or the distance across by. */
void vv_link_set_bound(vv_link *l, const double d[VV_LINK_MOST])
{
    const int vectors = vv_link_vectors(l->form);
    double c, g[VV_LINK_MOST];
    line at;
    for (int v = 0; v < vectors; v++)
        l->bound[v] = l->form == VV_LINK_POINT || l->form == VV_LINK_LENGTH ? l->stiffness : 0;
    if (l->form == VV_LINK_LINE && make_line(d, d + 3, &at)) {
        l->bound[0] = 2 * l->stiffness * (at.along / at.length) * (at.along / at.length);
        l->bound[1] = 2 * l->stiffness;
    } else if (vectors > 1 && l->form != VV_LINK_LINE && vv_link_measure(l, d, &c, g, NULL)) {
        for (int v = 0; v < vectors; v++)
            l->bound[v] = vectors * l->stiffness * vv_dot(g + 3 * v, g + 3 * v);
    }
}
