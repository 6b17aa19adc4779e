/* Self-check (theory §2.8): runs every row of the scheme table on the linear oscillator x'' = -x, each stage solved
 * in closed form, and compares with the order and stability that the row declares.
 *
 * State (x, h v, x_p, h v_p); k = h^2. Stability: spectral radius of the one-step matrix over many h, by its powers. */
#include "base/error.h"
#include "step/schemes/scheme.h"

#include <math.h>
#include <string.h>

static double combine(const double *c, const double *terms)
{
    double sum = 0;
    for (int t = 0; t < VV_TERMS; t++)
        sum += c[t] * terms[t];
    return sum;
}

/* One step of the row with h^2 = k: state -> next. */
static void oscillator_step(const vv_scheme *row, double k, const double state[4], double next[4])
{
    double terms[VV_TERMS] = {
        [VV_QN] = state[0], [VV_HVN] = state[1], [VV_H2AN] = -k * state[0], [VV_QP] = state[2], [VV_HVP] = state[3]
    };
    double q = 0, hv = 0;
    for (int i = 0; i < row->stages; i++) {
        const vv_stage *s = row->stage + i;
        double stiffness = 1, right = combine(s->y, terms);
        for (int j = 0; j < s->samples; j++) {
            double w = s->sample[j].w, beta = s->sample[j].beta;
            stiffness += k * w * beta * beta;
            right -= k * w * beta * combine(s->sample[j].z, terms);
        }
        q = right / stiffness;
        terms[VV_Q] = q;
        terms[VV_H2A] = -k * q;
        hv = combine(s->hv, terms);
        if (i + 1 < row->stages)
            terms[VV_Q1 + i] = q, terms[VV_HV1 + i] = hv;
    }
    next[0] = q, next[1] = hv, next[2] = state[0], next[3] = state[1];
}

void vv_scheme_matrix(const vv_scheme *row, double k, double a[16])
{
    const int n = row->two_step ? 4 : 2;
    for (int j = 0; j < n; j++) {
        double e[4] = { 0 }, out[4];
        e[j] = 1;
        oscillator_step(row, k, e, out);
        for (int i = 0; i < n; i++)
            a[n * i + j] = out[i];
    }
}

/* Spectral radius from |A^(2^m)|^(1/2^m), scaled at each squaring. */
static double spectral_radius(const double *a, int n)
{
    double m[16], t[16], log_scale = 0;
    memcpy(m, a, sizeof(double) * (size_t)(n * n));
    const int squarings = 30; /* the matrix has entries up to k, whose 2^-30th power is 1 + 2e-8 */
    for (int s = 0; s < squarings; s++) {
        double largest = 0;
        for (int i = 0; i < n * n; i++)
            largest = fmax(largest, fabs(m[i]));
        if (largest == 0)
            return 0;
        for (int i = 0; i < n * n; i++)
            m[i] /= largest;
        log_scale = 2 * (log_scale + log(largest));
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                t[n * i + j] = 0;
                for (int l = 0; l < n; l++)
                    t[n * i + j] += m[n * i + l] * m[n * l + j];
            }
        memcpy(m, t, sizeof t);
    }
    double norm = 0;
    for (int i = 0; i < n * n; i++)
        norm = fmax(norm, fabs(m[i]));
    return norm == 0 ? 0 : exp((log_scale + log(norm)) / ldexp(1, squarings));
}

/* Error at time 1 with n steps from (x, v) = (1, 0.5); a two-step row starts with one backward Euler step. */
static double final_error(const vv_scheme *row, int n)
{
    double h = 1.0 / n, state[4] = { 1, 0.5 * h, 0, 0 }, next[4];
    for (int i = 0; i < n; i++) {
        bool start = row->two_step && i == 0;
        oscillator_step(start ? vv_scheme_find("backward-euler") : row, h * h, state, next);
        memcpy(state, next, sizeof state);
    }
    double x = cos(1) + 0.5 * sin(1), v = -sin(1) + 0.5 * cos(1);
    return hypot(state[0] - x, state[1] / h - v);
}

static bool is_explicit(const vv_scheme *row)
{
    for (int i = 0; i < row->stages; i++)
        if (!vv_stage_explicit(row->stage + i))
            return false;
    return true;
}

void vv_scheme_check(const vv_scheme *row, vvSchemeCheck *check)
{
    int n = row->two_step ? 4 : 2;
    *check = (vvSchemeCheck){ .order = row->order,
                              .aStable = row->a_stable,
                              .lStable = row->l_stable,
                              .symplectic = row->symplectic,
                              .explicitScheme = is_explicit(row),
                              .twoStep = row->two_step,
                              .minimises = !row->method,
                              .measuredAStable = true,
                              .measuredSymplectic = n == 2 };
    check->measuredOrder = log2(final_error(row, 256) / final_error(row, 512));
    double a[16];
    for (double k = 1e-4; k < 1e9; k *= 1.7) {
        vv_scheme_matrix(row, k, a);
        if (spectral_radius(a, n) > 1 + 1e-6)
            check->measuredAStable = false;
        if (n == 2 && !(fabs(a[0] * a[3] - a[1] * a[2] - 1) < 1e-6 * (1 + 1e-6 * fabs(a[0] * a[3]))))
            check->measuredSymplectic = false;
    }
    vv_scheme_matrix(row, 1e12, a);
    check->measuredLStable = spectral_radius(a, n) < 1e-2;
}

vvStatus vvSchemeSelfCheck(int index, vvSchemeCheck *check, vvError *error)
{
    const vv_scheme *found = vv_scheme_table(index);
    vv_error_clear(error);
    if (!check)
        return vv_fail(error, VV_ERROR_INPUT, "vvSchemeSelfCheck needs a pointer for what it finds, found NULL");
    if (!found)
        return vv_fail(error, VV_ERROR_INPUT, "scheme index %d is outside the table", index);
    vv_scheme row = vv_scheme_made(found->info.name, NULL, 0);
    vv_scheme_check(&row, check);
    return VV_OK;
}
