/* The interpolated distance of a level set, with its derivatives (level_set.h). */
#include "contact/obstacles/level_set.h"

#include "base/vec.h"

#include <string.h>

vv_level_set vv_level_set_of(const vv_field *f, const double *shape)
{
    return (vv_level_set){ f, { f->counts[0] - 1, f->counts[1] - 1, f->counts[2] - 1 }, shape[15] };
}

void vv_level_set_to_grid(const vv_level_set *l, const double *shape, const double x[3], double u[3])
{
    double rel[3];
    vv_sub(x, shape, rel);
    vv_matvec_transposed(shape + 3, rel, u);
    for (int k = 0; k < 3; k++)
        u[k] = (u[k] - shape[12 + k]) / l->spacing;
}

/* Four samples' weights and their derivatives at s, 0 to 1 between the second and the third: Catmull and Rom's
 * spline. */
static void spline(double s, double w[3][4])
{
    const double r = 1 - s;
    w[0][0] = -0.5 * s * r * r, w[0][1] = 1 + s * s * (1.5 * s - 2.5), w[0][2] = 1 + r * r * (1.5 * r - 2.5),
    w[0][3] = -0.5 * r * s * s;
    w[1][0] = -0.5 + s * (2 - 1.5 * s), w[1][1] = s * (4.5 * s - 5), w[1][2] = r * (5 - 4.5 * r),
    w[1][3] = 0.5 - r * (2 - 1.5 * r);
    w[2][0] = 2 - 3 * s, w[2][1] = 9 * s - 5, w[2][2] = 9 * r - 5, w[2][3] = 2 - 3 * r;
}

/* Which samples along an axis make up the value at u: the first, how many (2 to 4), and their weights. What would lie
 * beyond the grid goes on straight. */
typedef struct axis {
    int first, count;
    double w[3][4]; /* of the value and of its two derivatives */
} axis;

static axis axis_at(double u, int cells)
{
    const int at = (int)fmin(fmax(floor(u), 0), cells - 1);
    axis a = { at - 1, 4, { { 0 } } };
    spline(u - at, a.w);
    for (int k = 0; k < 3; k++) {
        double *w = a.w[k];
        if (at == cells - 1) /* f3 = 2 f2 - f1 */
            w[2] += 2 * w[3], w[1] -= w[3];
        if (at == 0) { /* f0 = 2 f1 - f2 */
            w[1] += 2 * w[0], w[2] -= w[0];
            w[0] = w[1], w[1] = w[2], w[2] = w[3];
        }
    }
    a.first += at == 0;
    a.count -= (at == 0) + (at == cells - 1);
    return a;
}

double vv_level_set_value(const vv_level_set *l, const double u[3], double g[3], double h[6])
{
    const axis x = axis_at(u[0], l->cells[0]), y = axis_at(u[1], l->cells[1]), z = axis_at(u[2], l->cells[2]);
    double sum[10] = { 0 }; /* phi, by x, y, z, xx, yy, zz, yz, zx, xy */
    for (int k = 0; k < z.count; k++) {
        double layer[6] = { 0 }; /* phi, by x, y, xx, yy, xy */
        for (int j = 0; j < y.count; j++) {
            const double *f = &l->field->samples[vv_level_set_index(l, x.first, y.first + j, z.first + k)];
            double row[3] = { 0 };
            for (int i = 0; i < x.count; i++)
                for (int d = 0; d < 3; d++)
                    row[d] += x.w[d][i] * f[i];
            layer[0] += y.w[0][j] * row[0], layer[1] += y.w[0][j] * row[1], layer[2] += y.w[1][j] * row[0];
            layer[3] += y.w[0][j] * row[2], layer[4] += y.w[2][j] * row[0], layer[5] += y.w[1][j] * row[1];
        }
        const double w = z.w[0][k], dw = z.w[1][k];
        sum[0] += w * layer[0], sum[1] += w * layer[1], sum[2] += w * layer[2], sum[3] += dw * layer[0];
        sum[4] += w * layer[3], sum[5] += w * layer[4], sum[6] += z.w[2][k] * layer[0];
        sum[7] += dw * layer[2], sum[8] += dw * layer[1], sum[9] += w * layer[5];
    }
    if (g)
        memcpy(g, sum + 1, 3 * sizeof *g);
    if (h)
        memcpy(h, sum + 4, 6 * sizeof *h);
    return sum[0];
}

/* The nearest point of the grid's box, and r, how far u is from it. Their distance. */
static double clamp(const vv_level_set *l, const double u[3], double in[3], double r[3])
{
    for (int k = 0; k < 3; k++) {
        in[k] = fmin(fmax(u[k], 0), l->cells[k]);
        r[k] = u[k] - in[k];
    }
    return vv_norm(r);
}

/* C, R^T by rows times, and back: R C R^T. */
static void turn_out(const double *shape, const double c[9], double curvature[9])
{
    const double *r = shape + 3;
    double rt[9], t[9];
    for (int k = 0; k < 9; k++)
        rt[k] = r[3 * (k % 3) + k / 3];
    vv_matmul(r, c, t);
    vv_matmul(t, rt, curvature);
}

double vv_level_set_distance(const vv_field *f, const double *shape, const double x[3], double most, double n[3],
                             double curvature[9])
{
    const vv_level_set l = vv_level_set_of(f, shape);
    double u[3], in[3], r[3], g[3], h[6], local[3], c[9];
    (void)most;
    vv_level_set_to_grid(&l, shape, x, u);
    if (!(u[0] - u[0] == 0 && u[1] - u[1] == 0 && u[2] - u[2] == 0)) { /* not finite: nowhere near */
        for (int k = 0; k < 9; k++) {
            if (n && k < 3)
                n[k] = 0;
            if (curvature)
                curvature[k] = 0;
        }
        return INFINITY;
    }
    const double away = clamp(&l, u, in, r), phi = vv_level_set_value(&l, in, n ? g : NULL, curvature ? h : NULL);
    for (int k = 0; n && k < 3; k++)
        local[k] = r[k] != 0 ? r[k] / away : g[k] / l.spacing;
    for (int k = 0; curvature && k < 9; k++) {
        const int i = k / 3, j = k % 3;
        c[k] = r[i] != 0 && r[j] != 0   ? ((i == j) - r[i] / away * (r[j] / away)) / (away * l.spacing)
               : r[i] == 0 && r[j] == 0 ? h[i == j ? i : 6 - i - j] / (l.spacing * l.spacing)
                                        : 0;
    }
    if (n)
        vv_matvec(shape + 3, local, n);
    if (curvature)
        turn_out(shape, c, curvature);
    return phi + away * l.spacing;
}
