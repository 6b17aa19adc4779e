/* Chebyshev's and Anderson's acceleration; see accelerate.h. */
#include "solve/realtime/accelerate.h"

#include "base/memory.h"
#include "solve/vectors.h"

#include <math.h>
#include <string.h>

enum { PLAIN = 3 }; /* steps before Chebyshev's weights set in, from which the rate is measured */
static const double FASTEST = 0.9995, ALIKE = 1e-12; /* the largest rate; pairs that differ by less are one */

static double dot(const vv_accelerator *a, const double *x, const double *y)
{
    return vv_sum_dot(a->system, x, y, (int)vv_unknown_space(a->system));
}

static void chebyshev(vv_accelerator *a, const double *x, const double *f, double *out)
{
    const size_t n = vv_unknown_space(a->system);
    double length = sqrt(dot(a, f, f)), rate = a->steps > 0 && a->length > 0 ? length / a->length : 0;
    a->length = length;
    if (a->steps < PLAIN) {
        a->rho = fmin(rate, FASTEST);
        a->omega = 1;
    } else {
        double square = a->rho * a->rho;
        a->omega = a->steps == PLAIN ? 2 / (2 - square) : 4 / (4 - square * a->omega);
    }
    for (size_t i = 0; i < n; i++)
        out[i] = a->omega == 1 ? x[i] + f[i] : a->omega * (x[i] + f[i] - a->x_before[i]) + a->x_before[i];
}

/* Solves the m x m semidefinite equations G t = r by Cholesky; directions that add nothing get 0. */
static void solve_small(int m, double g[VV_ACCELERATE_PAIRS][VV_ACCELERATE_PAIRS], double *t)
{
    double most = 0;
    for (int i = 0; i < m; i++)
        most = fmax(most, g[i][i]);
    for (int j = 0; j < m; j++) {
        for (int k = 0; k < j; k++)
            g[j][j] -= g[j][k] * g[j][k];
        bool void_of = !(g[j][j] > ALIKE * most);
        g[j][j] = void_of ? INFINITY : sqrt(g[j][j]);
        for (int i = j + 1; i < m; i++) {
            for (int k = 0; k < j; k++)
                g[i][j] -= g[i][k] * g[j][k];
            g[i][j] = void_of ? 0 : g[i][j] / g[j][j];
        }
    }
    for (int i = 0; i < m; i++) {
        for (int k = 0; k < i; k++)
            t[i] -= g[i][k] * t[k];
        t[i] /= g[i][i];
    }
    for (int i = m - 1; i >= 0; i--) {
        for (int k = i + 1; k < m; k++)
            t[i] -= g[k][i] * t[k];
        t[i] /= g[i][i];
    }
}

static void anderson(vv_accelerator *a, const double *x, const double *f, double *out)
{
    const size_t n = vv_unknown_space(a->system);
    double g[VV_ACCELERATE_PAIRS][VV_ACCELERATE_PAIRS], t[VV_ACCELERATE_PAIRS];
    if (a->steps > 0) {
        int k = (a->steps - 1) % VV_ACCELERATE_PAIRS;
        vv_difference(n, x, a->x_before, a->dx[k]);
        vv_difference(n, f, a->f_before, a->df[k]);
    }
    int m = a->steps < VV_ACCELERATE_PAIRS ? a->steps : VV_ACCELERATE_PAIRS;
    for (int i = 0; i < m; i++) {
        t[i] = dot(a, a->df[i], f);
        for (int j = 0; j <= i; j++)
            g[i][j] = dot(a, a->df[i], a->df[j]);
    }
    solve_small(m, g, t);
    vv_along(n, x, 1, f, out);
    for (int i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++)
            out[j] -= t[i] * (a->dx[i][j] + a->df[i][j]);
}

static const vv_acceleration table[] = {
    { { "none", "plain iterations" }, NULL },
    { { "chebyshev", "weights from the rate at which plain iterations converge (Wang 2015)" }, chebyshev },
    { { "anderson", "the best combination of the last five steps (Peng et al. 2018)" }, anderson },
};
enum { COUNT = sizeof table / sizeof *table };

const vv_acceleration *vv_acceleration_table(int i) { return i >= 0 && i < COUNT ? table + i : NULL; }

const vv_acceleration *vv_acceleration_find(const char *name)
{
    for (int i = 0; i < COUNT; i++)
        if (strcmp(table[i].info.name, name) == 0)
            return table + i;
    return NULL;
}

bool vv_accelerator_create(vv_accelerator *a, const vv_acceleration *ops, const vv_system *system)
{
    *a = (vv_accelerator){ .ops = ops, .system = system };
    if (!ops->next)
        return true;
    const size_t n = vv_unknown_space(system);
    a->x_before = vv_alloc(n, sizeof(double));
    a->f_before = vv_alloc(n, sizeof(double));
    bool room = a->x_before && a->f_before;
    for (int i = 0; i < VV_ACCELERATE_PAIRS && ops->next == anderson; i++) {
        a->dx[i] = vv_alloc(n, sizeof(double));
        a->df[i] = vv_alloc(n, sizeof(double));
        room = room && a->dx[i] && a->df[i];
    }
    return room;
}

void vv_accelerator_free(vv_accelerator *a)
{
    vv_free(a->x_before);
    vv_free(a->f_before);
    for (int i = 0; i < VV_ACCELERATE_PAIRS; i++) {
        vv_free(a->dx[i]);
        vv_free(a->df[i]);
    }
    *a = (vv_accelerator){ 0 };
}

void vv_accelerator_restart(vv_accelerator *a) { a->steps = 0; }

void vv_accelerator_next(vv_accelerator *a, const double *x, const double *f, double *out)
{
    const size_t n = vv_unknown_space(a->system);
    if (!a->ops->next) {
        vv_along(n, x, 1, f, out);
        return;
    }
    a->ops->next(a, x, f, out);
    vv_copy(n, x, a->x_before);
    vv_copy(n, f, a->f_before);
    a->steps++;
}
