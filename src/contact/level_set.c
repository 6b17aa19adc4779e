/* The interpolated distance of a level set, with its derivatives (level_set.h). */
#include "contact/level_set.h"

#include "base/vec.h"

vv_level_set vv_level_set_of(const vv_field *f, const double *shape)
{
    return (vv_level_set){ f, { f->counts[0] - 1, f->counts[1] - 1, f->counts[2] - 1 }, shape[15] };
}

static void turn_back(const double *shape, const double v[3], double out[3])
{
    const double *r = shape + 3, x[3] = { v[0], v[1], v[2] };
    for (int k = 0; k < 3; k++)
        out[k] = r[k] * x[0] + r[3 + k] * x[1] + r[6 + k] * x[2];
}

void vv_level_set_to_grid(const vv_level_set *l, const double *shape, const double x[3], double u[3])
{
    double rel[3];
    vv_sub(x, shape, rel);
    turn_back(shape, rel, u);
    for (int k = 0; k < 3; k++)
        u[k] = (u[k] - shape[12 + k]) / l->spacing;
}

double vv_level_set_value(const vv_level_set *l, const double u[3], double g[3], double h[3])
{
    int at[3];
    double s[3], edge[4], face[2], slope[2];
    for (int k = 0; k < 3; k++) {
        at[k] = (int)fmin(fmax(floor(u[k]), 0), l->cells[k] - 1);
        s[k] = u[k] - at[k];
    }
    const size_t row = (size_t)l->field->counts[0], layer = row * (size_t)l->field->counts[1];
    const double *f = l->field->samples + (size_t)at[2] * layer + (size_t)at[1] * row + (size_t)at[0];
    const double along[4] = { f[1] - f[0], f[row + 1] - f[row], f[layer + 1] - f[layer], f[layer + row + 1] - f[layer + row] };
    for (size_t i = 0; i < 4; i++) /* on the cell's edges along x: y, z = 00, 10, 01, 11 */
        edge[i] = f[i / 2 * layer + i % 2 * row] + s[0] * along[i];
    for (int i = 0; i < 2; i++) {
        slope[i] = edge[2 * i + 1] - edge[2 * i];
        face[i] = edge[2 * i] + s[1] * slope[i];
    }
    if (g) {
        const double low = along[0] + s[1] * (along[1] - along[0]), high = along[2] + s[1] * (along[3] - along[2]);
        g[0] = low + s[2] * (high - low);
        g[1] = slope[0] + s[2] * (slope[1] - slope[0]);
        g[2] = face[1] - face[0];
    }
    if (h) {
        h[0] = slope[1] - slope[0];
        h[1] = along[2] - along[0] + s[1] * (along[3] - along[2] - along[1] + along[0]);
        h[2] = along[1] - along[0] + s[2] * (along[3] - along[2] - along[1] + along[0]);
    }
    return face[0] + s[2] * (face[1] - face[0]);
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

double vv_level_set_distance(const vv_field *f, const double *shape, const double x[3], double most, double n[3], double curvature[9])
{
    const vv_level_set l = vv_level_set_of(f, shape);
    double u[3], in[3], r[3], g[3], h[3], local[3], c[9];
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
        c[k] = r[i] != 0 && r[j] != 0 ? ((i == j) - r[i] / away * (r[j] / away)) / (away * l.spacing)
               : i != j && r[i] == 0 && r[j] == 0 ? h[3 - i - j] / (l.spacing * l.spacing) : 0;
    }
    if (n)
        vv_matvec(shape + 3, local, n);
    if (curvature)
        turn_out(shape, c, curvature);
    return phi + away * l.spacing;
}
