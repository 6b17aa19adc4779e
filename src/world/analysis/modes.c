/* Vibration modes (theory §7.2) K phi = omega^2 M phi of the rest shape, for the initial state "mode", by subspace iteration with the
 * shifted matrix K + sigma M (Bathe, Finite Element Procedures, §11.6). Only the body's own free nodes move. */
#include "base/error.h"
#include "base/vec.h"
#include "world/analysis/analysis.h"

#include <stdlib.h>
#include <string.h>

enum { EXTRA = 6, RIGID = 6, MOST = 64 + EXTRA + RIGID };

/* Eigenpairs of a small symmetric matrix by cyclic Jacobi: a (n x n) becomes diagonal, columns of v the vectors. */
static void small_eigen(int n, double *a, double *v)
{
    for (int i = 0; i < n * n; i++)
        v[i] = i % (n + 1) == 0;
    for (int sweep = 0; sweep < 60; sweep++) {
        double off = 0, all = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                all += a[n * i + j] * a[n * i + j];
                off += i != j ? a[n * i + j] * a[n * i + j] : 0;
            }
        if (off <= 1e-28 * all)
            return;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                double apq = a[n * p + q];
                if (apq == 0)
                    continue;
                double theta = (a[n * q + q] - a[n * p + p]) / (2 * apq);
                double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < n; k++) {
                    double x = a[n * k + p], y = a[n * k + q];
                    a[n * k + p] = c * x - s * y, a[n * k + q] = s * x + c * y;
                }
                for (int k = 0; k < n; k++) {
                    double x = a[n * p + k], y = a[n * q + k];
                    a[n * p + k] = c * x - s * y, a[n * q + k] = s * x + c * y;
                    x = v[n * k + p], y = v[n * k + q];
                    v[n * k + p] = c * x - s * y, v[n * k + q] = s * x + c * y;
                }
            }
    }
}

typedef struct modes {
    vv_system *s;
    vv_equations equations; /* of elasticity and spring attachments, for the time of the solve */
    int m;         /* subspace size */
    size_t n;      /* 3 unknowns */
    double *x, *y; /* m vectors each, unknown space */
    double sigma;
    double omega2[MOST];
    int order[MOST];
} modes;

static double mass_dot(const vv_system *s, const double *a, const double *b)
{
    double sum = 0;
    for (size_t u = 0; u < (size_t)s->unknowns; u++)
        sum += s->mass[s->node[u]] * vv_dot(a + 3 * u, b + 3 * u);
    return sum;
}

/* Two passes of Gram-Schmidt in M. */
static void orthonormalise(modes *k, double *x)
{
    for (int i = 0; i < k->m; i++) {
        double *a = x + (size_t)i * k->n;
        for (int pass = 0; pass < 2; pass++)
            for (int j = 0; j < i; j++) {
                const double *b = x + (size_t)j * k->n;
                double d = mass_dot(k->s, a, b);
                for (size_t c = 0; c < k->n; c++)
                    a[c] -= d * b[c];
            }
        double norm = sqrt(mass_dot(k->s, a, a));
        for (size_t c = 0; c < k->n; c++)
            a[c] = norm > 0 ? a[c] / norm : 0;
    }
}

/* y = orthonormal basis of (K + sigma M)^-1 M x, then Rayleigh-Ritz back into x. The matrix holds K + sigma M. */
static vvStatus iterate(modes *k, vvError *error)
{
    vv_system *s = k->s;
    double *rhs = vv_alloc(k->n, sizeof *rhs), *small = vv_alloc(2 * MOST * MOST, sizeof *small);
    vvStatus status = rhs && small ? VV_OK : vv_fail_memory(error, "vibration modes");
    for (int i = 0; i < k->m && status == VV_OK; i++) {
        for (size_t c = 0; c < k->n; c++)
            rhs[c] = s->mass[s->node[c / 3]] * k->x[(size_t)i * k->n + c];
        vv_linear_stats stats = { 0 };
        status = vv_equations_solve(&k->equations, rhs, k->y + (size_t)i * k->n, 1e-10, &stats, error);
    }
    if (status == VV_OK) {
        orthonormalise(k, k->y);
        double *vectors = small + MOST * MOST;
        for (int i = 0; i < k->m; i++) {
            vv_bsr_multiply(&k->equations.assembly.matrix, &s->par, k->y + (size_t)i * k->n, rhs);
            for (int j = 0; j < k->m; j++) {
                double sum = 0;
                for (size_t c = 0; c < k->n; c++)
                    sum += rhs[c] * k->y[(size_t)j * k->n + c];
                small[k->m * i + j] = sum;
            }
        }
        for (int i = 0; i < k->m; i++)
            for (int j = 0; j < i; j++)
                small[k->m * i + j] = small[k->m * j + i] = 0.5 * (small[k->m * i + j] + small[k->m * j + i]);
        small_eigen(k->m, small, vectors);
        for (int i = 0; i < k->m; i++) {
            k->omega2[i] = small[k->m * i + i] - k->sigma;
            double *x = k->x + (size_t)i * k->n;
            memset(x, 0, k->n * sizeof *x);
            for (int j = 0; j < k->m; j++)
                for (size_t c = 0; c < k->n; c++)
                    x[c] += vectors[k->m * j + i] * k->y[(size_t)j * k->n + c];
        }
    }
    vv_free(rhs);
    vv_free(small);
    return status;
}

static void sort_modes(modes *k)
{
    for (int i = 0; i < k->m; i++)
        k->order[i] = i;
    for (int i = 1; i < k->m; i++)
        for (int j = i; j > 0 && k->omega2[k->order[j]] < k->omega2[k->order[j - 1]]; j--) {
            int o = k->order[j];
            k->order[j] = k->order[j - 1];
            k->order[j - 1] = o;
        }
}

/* The matrix becomes K at rest + sigma M, of all bodies. */
static void rest_matrix(vvWorld *w, modes *k, const vv_body *b)
{
    vv_system *s = k->s;
    vv_assembly *a = &k->equations.assembly;
    vv_assembly_begin(a);
    vv_assembly_add_energies(s, w->rest, 1, VV_HESSIAN_PROJECTED, NULL, a);
    double trace = 0, mass = 0;
    for (int u = 0; u < s->unknowns; u++)
        if (s->node[u] >= b->first && s->node[u] < b->first + b->count) {
            const double *d = a->matrix.val + 9 * (size_t)a->matrix.diag[u];
            trace += d[0] + d[4] + d[8];
            mass += 3 * s->mass[s->node[u]];
        }
    k->sigma = 1e-5 * trace / mass;
    vv_assembly_add_mass(a, k->sigma);
    vv_assembly_end(a);
}

static vvStatus solve_modes(vvWorld *w, modes *k, const vv_body *b, int wanted, vvError *error)
{
    uint64_t seed = 7;
    rest_matrix(w, k, b);
    for (int i = 0; i < k->m; i++)
        for (size_t c = 0; c < k->n; c++) {
            int node = k->s->node[c / 3];
            bool inside = node >= b->first && node < b->first + b->count;
            k->x[(size_t)i * k->n + c] = inside ? vv_random(&seed) - 0.5 : 0;
        }
    orthonormalise(k, k->x);
    double last = 0;
    for (int it = 0; it < 60; it++) {
        vvStatus s = vv_world_check_cancelled(w, error);
        if (s == VV_OK)
            s = iterate(k, error);
        if (s != VV_OK)
            return s;
        sort_modes(k);
        double now = k->omega2[k->order[wanted < k->m ? wanted : k->m - 1]];
        if (it > 3 && fabs(now - last) <= 1e-9 * fabs(now))
            break;
        last = now;
    }
    return VV_OK;
}

static vvStatus apply(vvWorld *w, const vv_mode_request *r, vvError *error)
{
    vv_system *s = &w->system;
    const vv_body *b = w->bodies + r->body;
    modes k = { .s = s, .m = r->number + EXTRA + RIGID, .n = 3 * (size_t)s->unknowns };
    int dofs = 0;
    for (int i = b->first; i < b->first + b->count; i++)
        dofs += w->unknown[i] >= 0 ? 3 : 0;
    if (k.m > dofs)
        k.m = dofs;
    k.x = vv_alloc((size_t)k.m * k.n, sizeof *k.x);
    k.y = vv_alloc((size_t)k.m * k.n, sizeof *k.y);
    vvStatus status = k.x && k.y ? vv_equations_create(&k.equations, s, VV_SELECT_ELASTIC, vv_linear_find(w->def.solver.linear), error)
                                 : vv_fail_memory(error, "vibration modes");
    if (status == VV_OK)
        status = solve_modes(w, &k, b, r->number + RIGID - 1, error);
    if (status == VV_OK) {
        int found = -1, elastic = 0;
        for (int i = 0; i < k.m && found < 0; i++)
            if (k.omega2[k.order[i]] > 1e-3 * k.sigma && ++elastic == r->number)
                found = k.order[i];
        double most = 0;
        for (int u = 0; found >= 0 && u < s->unknowns; u++)
            most = fmax(most, vv_norm(k.x + (size_t)found * k.n + 3 * (size_t)u));
        if (found < 0 || most == 0)
            status = vv_fail(error, VV_ERROR_INPUT, "body \"%s\" has no vibration mode %d", b->name, r->number);
        for (size_t c = 0; status == VV_OK && c < k.n; c++) {
            size_t at = 3 * (size_t)s->node[c / 3] + c % 3;
            double shape = k.x[(size_t)found * k.n + c] / most;
            w->state.q[at] += r->amplitude * shape;
            w->state.v[at] += r->speed * shape;
        }
    }
    vv_equations_free(&k.equations);
    vv_free(k.x);
    vv_free(k.y);
    return status;
}

vvStatus vv_apply_modes(vvWorld *w, vvError *error)
{
    vvStatus s = VV_OK;
    for (size_t i = 0; i < w->mode_count && s == VV_OK; i++)
        s = apply(w, w->modes + i, error);
    return s;
}
