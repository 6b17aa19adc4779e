/* layer: energy
 * Mean dilatation, with each material that has it, on hexahedral cells and on macro-cells of any kind: the energy as
 * its formula says, what linear tets are in affine states (patch test), derivatives against differences, projection,
 * momenta, stress at points, several samples and bodies, the step to inversion, damping, the model at rest. */
#include "energy_fixture.h"

#include "base/error.h"
#include "energy/batch/rayleigh.h"
#include "energy/quadratic.h"
#include "energy/tets/mean.h"
#include "energy/tets/point.h"
#include "energy/tets/tets.h"
#include "mesh/macro.h"

static const double mu = 3, la = 50;

/* Distorted tets; shuffled: in an order in which no cells follow each other. */
static grid make_mesh(int cells, double jitter, bool shuffled)
{
    grid g = make_grid(cells, jitter);
    rng r = { 17 };
    for (int i = g.tets - 1; shuffled && i > 0; i--) {
        const int j = (int)((rng_next(&r) + 1) / 2.0000001 * (i + 1));
        int keep[4];
        memcpy(keep, g.tet + 4 * i, sizeof keep);
        memcpy(g.tet + 4 * i, g.tet + 4 * j, sizeof keep);
        memcpy(g.tet + 4 * j, keep, sizeof keep);
    }
    return g;
}

static int model_of(int row) { return vv_tets_model(vv_mean_kinds[row].info.name); }
static bool inverts(int row) { return !vv_mean_kinds[row].inversion_free; }

/* As a world makes it, of one body, or of two with half of the tets and twice the moduli for the second. */
static vv_energy *make_energy(const vv_element_kind *kind, const grid *g, int bodies)
{
    const vv_material material[2] = { { .kind = kind, .mu = mu, .lambda = la },
                                      { .kind = kind, .mu = 2 * mu, .lambda = 2 * la } };
    const int half = bodies == 2 ? g->tets / 2 : g->tets;
    const vv_element_part part[2] = {
        { .material = material, .tet_count = half, .tets = g->tet },
        { .body = 1, .material = material + 1, .tet_count = g->tets - half, .tets = g->tet + 4 * half }
    };
    const vv_element_input in = { g->nodes, g->x, bodies, part };
    vv_energy *e = NULL;
    vvError error = { 0 };
    if (kind->create(kind, &in, &e, &error))
        fail_msg("%s", error.message);
    assert_non_null(e);
    return e;
}

static vv_energy *mean_energy(int row, const grid *g) { return make_energy(vv_mean_kinds + row, g, 1); }
static vv_energy *plain_energy(int row, const grid *g) { return make_energy(vv_tet_kinds + model_of(row), g, 1); }

/* x = F X + c at all nodes, and `noise` at random. */
static void deform(const grid *g, const double f[9], double noise, rng *r, double *x)
{
    for (int i = 0; i < g->nodes; i++) {
        vv_matvec(f, g->x + 3 * i, x + 3 * i);
        for (int k = 0; k < 3; k++)
            x[3 * i + k] += 0.3 * k - 0.1 + noise * rng_next(r);
    }
}

static void f_of(const grid *g, const double *x, int tet, double f[9], double *volume)
{
    double rest[9], now[9], inverse[9];
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++) {
            const int to = 3 * g->tet[4 * tet + a + 1] + k, from = 3 * g->tet[4 * tet] + k;
            rest[3 * k + a] = g->x[to] - g->x[from], now[3 * k + a] = x[to] - x[from];
        }
    *volume = vv_inverse(rest, inverse) / 6;
    vv_matmul(now, inverse, f);
}

/* The mean J of each tet's macro-cell; the sum of V u(Jm). */
static double *means_of(const grid *g, const double *x, bool logarithm, double *volumetric)
{
    double *mean = calloc((size_t)g->tets, sizeof *mean), *v = calloc((size_t)g->tets, sizeof *v),
           *vj = calloc((size_t)g->tets, sizeof *vj);
    int *macro = calloc((size_t)g->tets, sizeof *macro), count;
    assert_int_equal(vv_macro_cells(g->tets, g->tet, macro, &count, NULL), VV_OK);
    for (int t = 0; t < g->tets; t++) {
        double f[9], volume;
        f_of(g, x, t, f, &volume);
        v[macro[t]] += volume, vj[macro[t]] += volume * vv_det(f);
    }
    for (int t = 0; t < g->tets; t++)
        mean[t] = vj[macro[t]] / v[macro[t]];
    *volumetric = 0;
    for (int c = 0; c < count; c++) {
        const double j = vj[c] / v[c], u = logarithm ? log(j) : j - 1;
        *volumetric += v[c] * u * u / 2;
    }
    free(v), free(vj), free(macro);
    return mean;
}

/* ---- the table ---- */

static void rows(void **unused)
{
    (void)unused;
    int before = 0;
    static const char *const names[] = { "fixed-corotated", "neo-hookean", "stable-neo-hookean" };
    while (!vv_element_kind_at(before)->mean)
        before++;
    assert_int_equal(VV_MEAN_COUNT, 3);
    for (int i = 0; i < VV_MEAN_COUNT; i++) {
        const vv_element_kind *plain = vv_element_kind_find(names[i]);
        assert_ptr_equal(vv_element_kind_mean(plain), vv_mean_kinds + i);
        assert_ptr_equal(vv_element_kind_at(before + i), vv_mean_kinds + i);
        assert_string_equal(vv_mean_kinds[i].info.name, names[i]);
        assert_int_equal(vv_mean_kinds[i].inversion_free, plain->inversion_free);
        assert_true(vv_mean_kinds[i].mean && !plain->mean);
    }
    assert_null(vv_element_kind_at(before + VV_MEAN_COUNT));
    static const char *const others[] = { "arap", "corotated", "stvk", "hooke", "affine" };
    for (int i = 0; i < 5; i++)
        assert_null(vv_element_kind_mean(vv_element_kind_find(others[i])));
}

/* ---- energy ---- */

/* That of lambda = 0, tet by tet, and lambda V u(Jm) of macro-cells: with hexahedral cells, others, and many. */
static void formula(void **unused)
{
    (void)unused;
    rng r = { 31 };
    for (int shuffled = 0; shuffled < 2; shuffled++)
        for (int cells = 1; cells < 6; cells += 2) {
            grid g = make_mesh(cells, 0.15, shuffled);
            double *x = malloc(3 * (size_t)g.nodes * sizeof *x), f[9];
            for (int row = 0; row < VV_MEAN_COUNT; row++) {
                double volumetric;
                random_with_values(&r, (double[]){ 1.2, 1.0, 0.9 }, f);
                deform(&g, f, 0.03 / cells, &r, x);
                const vv_tets_body soft = { 0, g.tets, g.tet, mu, 0 };
                vv_energy *shear, *e = mean_energy(row, &g);
                assert_int_equal(vv_tets_create(model_of(row), g.nodes, g.x, 1, &soft, &shear, NULL), VV_OK);
                free(means_of(&g, x, !inverts(row), &volumetric));
                const double expected = shear->ops->value(shear, &one_thread, x, NULL) + la * volumetric,
                             value = e->ops->value(e, &one_thread, x, NULL);
                assert_true(volumetric > 0 && fabs(value / expected - 1) < 1e-12);
                vv_energy *plain = plain_energy(row, &g);
                assert_true(value < 0.999 * plain->ops->value(plain, &one_thread, x, NULL));
                plain->ops->destroy(plain);
                shear->ops->destroy(shear), e->ops->destroy(e);
            }
            free(x);
            free_grid(&g);
        }
}

/* In an affine state, energy and forces are those of linear tets, inner nodes are in equilibrium, and the rest state is
 * one. */
static void patch(void **unused)
{
    (void)unused;
    static const double states[][3] = { { 1, 1, 1 }, { 1.2, 0.9, 1.05 }, { 0.5, 1.4, 0.8 }, { 1.1, 0.7, -0.6 } };
    rng r = { 3 };
    for (int shuffled = 0; shuffled < 2; shuffled++) {
        grid g = make_mesh(3, 0.15, shuffled);
        const int n = 3 * g.nodes;
        double *x = malloc((size_t)n * sizeof *x), *a = malloc((size_t)n * sizeof *a),
               *b = malloc((size_t)n * sizeof *b);
        for (int row = 0; row < VV_MEAN_COUNT; row++)
            for (int s = 0; s < 4; s++) {
                double f[9], inner = 0;
                if (states[s][2] < 0 && !inverts(row))
                    continue;
                random_with_values(&r, states[s], f);
                deform(&g, f, 0, &r, x);
                bound mean = bind_energy(mean_energy(row, &g), g.nodes, 0),
                      plain = bind_energy(plain_energy(row, &g), g.nodes, 0);
                assert_true(fabs(energy_at(&mean, x) - energy_at(&plain, x)) < 1e-12 * energy_at(&plain, x) + 1e-13);
                gradient_at(&mean, x, a);
                gradient_at(&plain, x, b);
                assert_true(largest_difference(a, b, n) < 1e-12 * (largest(b, n) + 1));
                for (int i = 0; i < g.nodes; i++) {
                    const int at[3] = { i % 4, i / 4 % 4, i / 16 };
                    for (int k = 0; k < 3; k++)
                        if (at[0] % 3 && at[1] % 3 && at[2] % 3)
                            inner = fmax(inner, fabs(a[3 * i + k]));
                }
                assert_true(inner < 1e-12 * (largest(a, n) + 1));
                assert_true(s > 0 ? largest(a, n) > 0.1 : largest(a, n) < 1e-12);
                free_bound(&mean), free_bound(&plain);
            }
        free(x), free(a), free(b);
        free_grid(&g);
    }
}

/* ---- derivatives ---- */

/* At rest, at random, flattened, far inverted; of two bodies. */
static void differences(void **unused)
{
    (void)unused;
    static const double states[][3] = { { 1, 1, 1 },        { 1.3, 1.1, 0.8 },  { 0.5, 0.6, 0.4 },
                                        { 1.4, 1.2, 0.05 }, { 1.2, 0.9, -0.5 }, { 2, 1.5, -1 } };
    double worst = 0;
    rng r = { 5 };
    for (int shuffled = 0; shuffled < 2; shuffled++) {
        grid g = make_mesh(2, 0.1, shuffled);
        double *x = malloc(3 * (size_t)g.nodes * sizeof *x);
        for (int row = 0; row < VV_MEAN_COUNT; row++)
            for (size_t s = 0; s < sizeof states / sizeof *states; s++) {
                double f[9];
                if (states[s][2] < 0 && !inverts(row))
                    continue;
                random_with_values(&r, states[s], f);
                deform(&g, f, s == 0 ? 0 : states[s][2] == 0.05 ? 5e-4 : 0.02, &r, x);
                bound b = bind_energy(make_energy(vv_mean_kinds + row, &g, 2), g.nodes, 0);
                assert_true(isfinite(energy_at(&b, x)));
                const double step = states[s][2] == 0.05 ? 1e-7 : 1e-6, error = difference_error(&b, x, step, 1);
                if (error > 3e-6)
                    fail_msg("%s, state %zu: %g", vv_mean_kinds[row].info.name, s, error);
                worst = fmax(worst, error);
                free_bound(&b);
            }
        free(x);
        free_grid(&g);
    }
    assert_true(worst > 1e-12); /* they were compared */
}

/* The projected Hessian is semidefinite, is the exact one where that is, and both act on translations as nothing. */
static void projection(void **unused)
{
    (void)unused;
    static const double states[4][3] = { { 1, 1, 1 }, { 1.02, 1.02, 1.02 }, { 0.6, 0.5, 0.4 }, { 1.5, 1.6, 1.4 } };
    grid g = make_mesh(1, 0.1, false);
    const int n = g.nodes, size = 9 * n * n;
    double *x = malloc(3 * (size_t)n * sizeof *x), *exact = malloc((size_t)size * sizeof *exact),
           *projected = malloc((size_t)size * sizeof *projected);
    int differ = 0;
    rng r = { 9 };
    for (int row = 0; row < VV_MEAN_COUNT; row++)
        for (int s = 0; s < 4; s++) {
            double f[9];
            random_with_values(&r, states[s], f);
            deform(&g, f, s > 0 ? 0.01 : 0, &r, x);
            bound b = bind_energy(mean_energy(row, &g), n, 0);
            hessian_at(&b, x, VV_HESSIAN_EXACT, exact);
            hessian_at(&b, x, VV_HESSIAN_PROJECTED, projected);
            const double scale = largest(exact, size);
            assert_true(least_eigenvalue(3 * n, projected) > -1e-10 * scale);
            if (s == 0)
                assert_true(largest_difference(exact, projected, size) < 1e-8 * scale);
            differ += least_eigenvalue(3 * n, exact) < -1e-4 * scale;
            for (int i = 0; i < 3 * n; i++)
                for (int k = 0; k < 3; k++) {
                    double sum = 0;
                    for (int j = 0; j < n; j++)
                        sum += exact[i * 3 * n + 3 * j + k];
                    assert_true(fabs(sum) < 1e-11 * scale);
                }
            free_bound(&b);
        }
    assert_true(differ >= 3);
    free(x), free(exact), free(projected);
    free_grid(&g);
}

/* Of nodes that are no unknowns nothing is written; the others have what they have without. */
static void prescribed(void **unused)
{
    (void)unused;
    grid g = make_mesh(2, 0.1, true);
    const int held = 7, n = 3 * g.nodes, m = n - 3 * held;
    double *x = malloc((size_t)n * sizeof *x), *all = malloc((size_t)(n * n) * sizeof *all),
           *some = malloc((size_t)(m * m) * sizeof *some);
    rng r = { 12 };
    deform(&g, (double[9]){ 1.1, 0.1, 0, 0, 0.9, 0, 0, 0, 1 }, 0.02, &r, x);
    for (int row = 0; row < VV_MEAN_COUNT; row++) {
        bound a = bind_energy(mean_energy(row, &g), g.nodes, 0), b = bind_energy(mean_energy(row, &g), g.nodes, held);
        hessian_at(&a, x, VV_HESSIAN_EXACT, all);
        hessian_at(&b, x, VV_HESSIAN_EXACT, some);
        for (int i = 0; i < m; i++)
            assert_memory_equal(some + i * m, all + (i + n - m) * n + n - m, (size_t)m * sizeof *some);
        free_bound(&a), free_bound(&b);
    }
    free(x), free(all), free(some);
    free_grid(&g);
}

/* Several samples are the sum of one after the other. */
static void samples(void **unused)
{
    (void)unused;
    for (int project = 0; project < 2; project++) {
        grid g = make_mesh(2, 0.1, project);
        const vv_hessian_mode mode = project ? VV_HESSIAN_PROJECTED : VV_HESSIAN_EXACT;
        const int n = 3 * g.nodes;
        double *x[3], *h = calloc((size_t)(n * n), sizeof *h), *sum = calloc((size_t)(n * n), sizeof *sum),
                      *force = calloc((size_t)n, sizeof *force), *forces = calloc((size_t)n, sizeof *forces);
        rng r = { 8 };
        vv_sample sample[3];
        for (int s = 0; s < 3; s++) {
            x[s] = malloc((size_t)n * sizeof *x[s]);
            deform(&g, (double[9]){ 1.1, 0.1, 0, 0, 0.7 + 0.2 * s, 0, 0, 0.2, 1 }, 0.02, &r, x[s]);
            sample[s] = (vv_sample){ x[s], 0.5 + s, 1.5 - 0.3 * s };
        }
        for (int row = 0; row < VV_MEAN_COUNT; row++) {
            bound b = bind_energy(mean_energy(row, &g), g.nodes, 0);
            vv_block_target to = target_of(&b);
            memset(sum, 0, (size_t)(n * n) * sizeof *sum);
            memset(force, 0, (size_t)n * sizeof *force), memset(forces, 0, (size_t)n * sizeof *forces);
            for (int s = 0; s < 3; s++) {
                hessian_at(&b, x[s], mode, h);
                for (int i = 0; i < n * n; i++)
                    sum[i] += sample[s].stiffness * h[i];
                b.e->ops->derivatives(b.e, &one_thread, x[s], sample[s].force, mode, force, NULL);
            }
            vv_bsr_clear(&b.a, &one_thread);
            b.e->ops->sum_derivatives(b.e, &one_thread, sample, 3, mode, forces, &to);
            assert_true(largest_difference(force, forces, n) < 1e-12 * largest(force, n));
            for (int i = 0; i < b.a.n; i++)
                for (int k = b.a.row_start[i]; k < b.a.row_start[i + 1]; k++)
                    for (int e = 0; e < 9; e++)
                        assert_true(fabs(sum[(3 * i + e % 3) * n + 3 * b.a.col[k] + e / 3] - b.a.val[9 * k + e]) <
                                    1e-11 * largest(sum, n * n));
            free_bound(&b);
        }
        for (int s = 0; s < 3; s++)
            free(x[s]);
        free(h), free(sum), free(force), free(forces);
        free_grid(&g);
    }
}

/* Neither forces nor torques are left over; sums by body are those of the bodies alone; the stress at a point is what
 * pulls: sum V P F^T = sum g x^T. */
static void momenta_and_stress(void **unused)
{
    (void)unused;
    rng r = { 21 };
    for (int cells = 1; cells < 4; cells++) {
        grid g = make_mesh(cells, 0.15, cells > 1);
        double *x = malloc(3 * (size_t)g.nodes * sizeof *x), *f = malloc(3 * (size_t)g.nodes * sizeof *f);
        deform(&g, (double[9]){ 1.1, 0.1, 0, 0, 0.9, 0, 0, 0, 1 }, 0.02 / cells, &r, x);
        for (int row = 0; row < VV_MEAN_COUNT; row++) {
            bound b = bind_energy(mean_energy(row, &g), g.nodes, 0);
            const vv_material material = { .kind = vv_mean_kinds + row, .mu = mu, .lambda = la };
            double force[3] = { 0 }, torque[3] = { 0 }, virial[9] = { 0 }, stress[9] = { 0 }, energy = 0, unused_sum;
            gradient_at(&b, x, f);
            for (int i = 0; i < g.nodes; i++) {
                double t[3];
                vv_cross(x + 3 * i, f + 3 * i, t);
                for (int k = 0; k < 3; k++)
                    force[k] += f[3 * i + k], torque[k] += t[k];
                for (int k = 0; k < 9; k++)
                    virial[k] += f[3 * i + k / 3] * x[3 * i + k % 3];
            }
            assert_true(largest(f, 3 * g.nodes) > 0.01);
            assert_true(vv_norm(force) < 1e-11 && vv_norm(torque) < 1e-11);
            double *mean = means_of(&g, x, false, &unused_sum);
            for (int t = 0; t < g.tets; t++) {
                double at[9], volume, psi, p[9];
                f_of(&g, x, t, at, &volume);
                assert_true(vv_tet_point(&material, at, mean + t, &psi, p));
                energy += volume * psi;
                for (int i = 0; i < 9; i++)
                    for (int k = 0; k < 3; k++)
                        stress[i] += volume * p[3 * (i / 3) + k] * at[3 * (i % 3) + k];
            }
            assert_true(fabs(energy / energy_at(&b, x) - 1) < 1e-11);
            assert_true(largest_difference(virial, stress, 9) < 1e-11 * largest(stress, 9));
            free(mean);
            free_bound(&b);
            if (cells == 1)
                continue;
            vv_energy *two = make_energy(vv_mean_kinds + row, &g, 2);
            double per_body[2] = { 0 };
            const double all = two->ops->value(two, &one_thread, x, per_body);
            assert_true(per_body[0] > 0 && per_body[1] > per_body[0]);
            assert_true(fabs(per_body[0] + per_body[1] - all) < 1e-12 * all);
            two->ops->destroy(two);
        }
        free(x), free(f);
        free_grid(&g);
    }
}

/* ---- what is as without ---- */

/* The smallest det F, the step to inversion, what is outside. */
static void inversion(void **unused)
{
    (void)unused;
    grid g = make_mesh(2, 0.15, true);
    const int n = 3 * g.nodes, row = VV_MEAN_neo_hookean;
    double *x = malloc((size_t)n * sizeof *x), *p = malloc((size_t)n * sizeof *p);
    vv_energy *mean = mean_energy(row, &g), *plain = plain_energy(row, &g);
    rng r = { 4 };
    for (int i = 0; i < 10; i++) {
        for (int k = 0; k < n; k++) {
            x[k] = g.x[k] + 0.01 * rng_next(&r);
            p[k] = (k % 3 == 1 ? -1.5 * x[k] : 0) + 0.3 * rng_next(&r);
        }
        const double t = mean->ops->max_step(mean, &one_thread, x, p),
                     j = mean->ops->least_j(mean, &one_thread, x, NULL);
        assert_true(t > 0.01 && t < 1 && t == plain->ops->max_step(plain, &one_thread, x, p));
        assert_true(j > 0 && j == plain->ops->least_j(plain, &one_thread, x, NULL));
        for (int k = 0; k < n; k++)
            x[k] += t * p[k];
        assert_true(isfinite(mean->ops->value(mean, &one_thread, x, NULL)));
    }
    /* one tet inside out, the volume of its macro-cell positive */
    memcpy(x, g.x, (size_t)n * sizeof *x);
    for (int k = 0; k < 3; k++)
        x[3 * g.tet[0] + k] +=
            1.2 * ((g.x[3 * g.tet[1] + k] + g.x[3 * g.tet[2] + k] + g.x[3 * g.tet[3] + k]) / 3 - g.x[3 * g.tet[0] + k]);
    assert_true(mean->ops->value(mean, &one_thread, x, NULL) == INFINITY);
    assert_true(mean->ops->least_j(mean, &one_thread, x, NULL) < 0);
    mean->ops->destroy(mean), plain->ops->destroy(plain);
    free(x), free(p);
    free_grid(&g);
}

static void model_at_rest(void **unused)
{
    (void)unused;
    grid g = make_mesh(2, 0.1, true);
    const int n = 3 * g.nodes;
    double *a = malloc((size_t)(n * n) * sizeof *a), *b = malloc((size_t)(n * n) * sizeof *b);
    for (int row = 0; row < VV_MEAN_COUNT; row++) {
        bound mean = bind_energy(mean_energy(row, &g), g.nodes, 0),
              plain = bind_energy(plain_energy(row, &g), g.nodes, 0);
        hessian_at(&mean, NULL, VV_HESSIAN_REST, a);
        hessian_at(&plain, NULL, VV_HESSIAN_REST, b);
        assert_true(largest(b, n * n) > 0 && largest_difference(a, b, n * n) < 1e-12 * largest(b, n * n));
        assert_false(mean.e->ops->quadratic(mean.e, VV_QUADRATIC_BOUND, NULL));
        assert_true(mean.e->ops->quadratic(mean.e, VV_QUADRATIC_REST, NULL));
        assert_null(mean.e->ops->nodes);
        vv_constraints *none;
        assert_int_equal(mean.e->ops->constraints(mean.e, &none, NULL), VV_OK);
        assert_null(none);
        free_bound(&mean), free_bound(&plain);
    }
    free(a), free(b);
    free_grid(&g);
}

/* Rayleigh damping is by the projected Hessian, macro-cells and all. */
static void damping(void **unused)
{
    (void)unused;
    grid g = make_mesh(2, 0.1, true);
    const int n = 3 * g.nodes;
    double *x = malloc((size_t)n * sizeof *x), *v = malloc((size_t)n * sizeof *v),
           *h = malloc((size_t)(n * n) * sizeof *h);
    rng r = { 6 };
    deform(&g, (double[9]){ 1.1, 0.1, 0, 0, 0.9, 0, 0, 0, 1 }, 0.02, &r, x);
    for (int i = 0; i < n; i++)
        v[i] = rng_next(&r);
    for (int row = 0; row < VV_MEAN_COUNT; row++) {
        bound b = bind_energy(mean_energy(row, &g), g.nodes, 0);
        vv_energy *damped;
        double sum = 0;
        assert_int_equal(vv_rayleigh_create(b.e, &(double){ 0.3 }, &damped, NULL), VV_OK);
        damped->ops->lag(damped, &one_thread, x, v, 0.01);
        hessian_at(&b, x, VV_HESSIAN_PROJECTED, h);
        for (int i = 0; i < n * n; i++)
            sum += 0.5 * 0.3 * v[i / n] * h[i] * v[i % n];
        assert_true(sum > 0 && fabs(damped->ops->value(damped, &one_thread, v, NULL) / sum - 1) < 1e-11);
        damped->ops->destroy(damped);
        free_bound(&b);
    }
    free(x), free(v), free(h);
    free_grid(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows),       cmocka_unit_test(formula),
        cmocka_unit_test(patch),      cmocka_unit_test(differences),
        cmocka_unit_test(projection), cmocka_unit_test(prescribed),
        cmocka_unit_test(samples),    cmocka_unit_test(momenta_and_stress),
        cmocka_unit_test(inversion),  cmocka_unit_test(model_at_rest),
        cmocka_unit_test(damping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
