/* Triangles in the plane: values by hand, derivatives against differences (at random, at rest, inverted, degenerate),
 * the projection as the nearest semidefinite matrix, invariance, the model at rest, sums over samples and bodies, the
 * same bits for any number of threads, bodies that are refused. */
#include "energy_fixture.h"

#include "energy/plane/plane.h"
#include "energy/batch/rayleigh.h"

#include <stdbool.h>

static vv_material material_of(double young, double poisson)
{
    vv_material m = { .kind = &vv_plane_kind };
    m.def = (vvMaterialDef){ .model = m.kind->info.name, .young = young, .poisson = poisson };
    m.mu = young / (2 * (1 + poisson));
    m.lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    return m;
}

static vvStatus create(int nodes, const double *rest, int parts, const vv_element_part *part, vv_energy **out,
                       vvError *error)
{
    vv_element_input in = { nodes, rest, parts, part };
    return vv_plane_kind.create(&vv_plane_kind, &in, out, error);
}

static vv_energy *make(int nodes, const double *rest, int parts, const vv_element_part *part)
{
    vv_energy *e = NULL;
    vvError error;
    if (create(nodes, rest, parts, part, &e, &error) != VV_OK)
        fail_msg("%s", error.message);
    return e;
}

static const int corners[3] = { 0, 1, 2 };

static bound one_triangle(const vv_material *m, const double *rest, double thickness)
{
    vv_element_part part = { .material = m, .triangle_count = 1, .triangles = corners, .thickness = thickness };
    return bind_energy(make(3, rest, 1, &part), 3, 0);
}

/* The first is equilateral: what maps nodes to F has equal singular values. The last goes round the other way. */
static const double rests[3][9] = { { 0, 0, 2, 1, 0, 2, 0.5, 0.8660254037844386, 2 },
                                    { 0.2, 0.1, 0, 1.3, 0.4, 0, 0.4, 1.2, 0 },
                                    { 0.2, 0.1, 0, 0.4, 1.2, 0, 1.3, 0.4, 0 } };

/* Positions whose F is U diag(s) V^T; of z no one asks. */
static void with_values(rng *r, const double *rest, double s0, double s1, double x[9])
{
    double a = 3 * rng_next(r), b = 3 * rng_next(r), ca = cos(a), sa = sin(a), cb = cos(b), sb = sin(b);
    for (int i = 0; i < 3; i++) {
        double p = s0 * (ca * rest[3 * i] + sa * rest[3 * i + 1]), q = s1 * (ca * rest[3 * i + 1] - sa * rest[3 * i]);
        x[3 * i] = 0.3 + cb * p - sb * q, x[3 * i + 1] = 0.7 + sb * p + cb * q, x[3 * i + 2] = rng_next(r);
    }
}

static const double values[][2] = { { 1, 1 },      { 1, 1 + 1e-9 }, { 1.02, 0.97 }, { 1.6, 1.4 },
                                    { 1.5, 1.5 },  { 3, 0.4 },      { 0.5, 0.4 },   { 0.5, 0.5 },
                                    { 1.3, 0.05 }, { 0.1, 0.08 },   { 1, 0 },       { 2, -0.5 },
                                    { 1, -0.98 },  { 3, -2 },       { 0.3, -0.2 },  { 0.2, -0.1 } };
enum { VALUES = sizeof values / sizeof *values };
static const double poissons[] = { 0.3, 0, 0.49, -0.4 };

/* ---- one triangle ---- */

/* The rest triangle (0, 0), (2, 0), (0, 1), 0.01 thick, stretched by s and t along its legs and turned: area times
 * thickness is 0.01. */
static void values_by_hand(void **state)
{
    (void)state;
    const double rest[9] = { 0, 0, 1, 2, 0, 1, 0, 1, 1 }, young = 70, nu = 0.3;
    vv_material m = material_of(young, nu);
    for (int n = 0; n < 5; n++) {
        double s = (double[]){ 1, 1.3, 0.6, 1.5, 1.5 }[n], t = (double[]){ 1, 0.8, 0.9, 1.5, -0.2 }[n], c = cos(n),
               d = sin(n);
        double x[9] = { 5, 6, 7, 5 + 2 * s * c, 6 + 2 * s * d, 8, 5 - t * d, 6 + t * c, 9 };
        double mu = young / 2.6, la = young * nu / (1.3 * 0.4);
        bound b = one_triangle(&m, rest, 0.01);
        double expected = 0.01 * (mu * ((s - 1) * (s - 1) + (t - 1) * (t - 1)) + 0.5 * la * (s * t - 1) * (s * t - 1));
        assert_true(fabs(energy_at(&b, x) - expected) < 1e-14);
        assert_true(fabs(b.e->ops->least_j(b.e, &one_thread, x, NULL) - s * t) < 1e-14);
        free_bound(&b);
    }
}

static void check_state(bound *b, const double *x, double step, double tolerance)
{
    double exact[81], projected[81], scale;
    double error = difference_error(b, x, step, 1e-2);
    if (!(error < tolerance))
        fail_msg("differences are off by %g", error);
    hessian_at(b, x, VV_HESSIAN_EXACT, exact);
    hessian_at(b, x, VV_HESSIAN_PROJECTED, projected);
    scale = largest(exact, 81);
    for (int i = 0; i < 81; i++) {
        assert_true(fabs(exact[i] - exact[i % 9 * 9 + i / 9]) < 1e-14 * scale &&
                    fabs(projected[i] - projected[i % 9 * 9 + i / 9]) < 1e-14 * scale);
        assert_true((i % 3 != 2 && i / 9 % 3 != 2) || (exact[i] == 0 && projected[i] == 0)); /* nothing acts on z */
    }
    assert_true(least_eigenvalue(9, projected) >= -1e-12 * scale);
    for (int i = 0; i < 81; i++) /* what was taken away is semidefinite as well */
        exact[i] = projected[i] - exact[i];
    assert_true(least_eigenvalue(9, exact) >= -1e-12 * scale);
}

static void derivatives_and_projection(void **state)
{
    (void)state;
    rng r = { 5 };
    for (int rest = 0; rest < 3; rest++)
        for (int p = 0; p < 4; p++)
            for (int n = 0; n < VALUES; n++) {
                vv_material m = material_of(10, poissons[p]);
                bound b = one_triangle(&m, rests[rest], 0.5);
                double x[9], sum = values[n][0] + values[n][1]; /* the rotation turns quickly where it is small */
                with_values(&r, rests[rest], values[n][0], values[n][1], x);
                check_state(&b, x, 1e-5 * fmin(1, sum), 3e-6);
                free_bound(&b);
            }
}

/* On the equilateral triangle the projected Hessian is the nearest semidefinite one of the nodes', too. */
static void nearest(void **state)
{
    (void)state;
    rng r = { 6 };
    for (int p = 0; p < 4; p++)
        for (int n = 0; n < VALUES; n++) {
            vv_material m = material_of(10, poissons[p]);
            bound b = one_triangle(&m, rests[0], 0.5);
            double x[9], exact[81], projected[81], scale;
            with_values(&r, rests[0], values[n][0], values[n][1], x);
            hessian_at(&b, x, VV_HESSIAN_EXACT, exact);
            hessian_at(&b, x, VV_HESSIAN_PROJECTED, projected);
            scale = largest(exact, 81);
            dense_clamp(9, exact);
            assert_true(largest_difference(exact, projected, 81) < 1e-12 * scale);
            free_bound(&b);
        }
}

/* Forces have no sum and no moment; moved, and turned about z, the energy is the same and forces turn with it. */
static void invariance(void **state)
{
    (void)state;
    rng r = { 8 };
    for (int n = 0; n < VALUES; n++) {
        vv_material m = material_of(10, 0.3);
        bound b = one_triangle(&m, rests[1], 0.5);
        double x[9], y[9], g[9], h[9], sum[2] = { 0 }, moment = 0, angle = 3 * rng_next(&r), c = cos(angle),
                                       s = sin(angle);
        with_values(&r, rests[1], values[n][0], values[n][1], x);
        gradient_at(&b, x, g);
        double scale = largest(g, 9) + 1e-3, energy = energy_at(&b, x);
        for (int a = 0; a < 3; a++) {
            sum[0] += g[3 * a], sum[1] += g[3 * a + 1], moment += x[3 * a] * g[3 * a + 1] - x[3 * a + 1] * g[3 * a];
            y[3 * a] = c * x[3 * a] - s * x[3 * a + 1] + 7, y[3 * a + 1] = s * x[3 * a] + c * x[3 * a + 1] - 3,
                  y[3 * a + 2] = 8 - x[3 * a + 2];
            assert_true(g[3 * a + 2] == 0);
        }
        assert_true(largest(sum, 2) < 1e-15 * scale + 1e-15 && fabs(moment) < 1e-13 * scale);
        gradient_at(&b, y, h);
        assert_true(fabs(energy_at(&b, y) - energy) < 1e-12 * (energy + 1));
        for (int a = 0; a < 3; a++) {
            assert_true(fabs(h[3 * a] - (c * g[3 * a] - s * g[3 * a + 1])) < 1e-11 * scale);
            assert_true(fabs(h[3 * a + 1] - (s * g[3 * a] + c * g[3 * a + 1])) < 1e-11 * scale);
        }
        free_bound(&b);
    }
}

/* Points, needles, triangles turned over: all is finite, and the projected Hessian semidefinite. */
static void degenerate(void **state)
{
    (void)state;
    rng r = { 9 };
    const double thin[][2] = { { 0, 0 },       { 1, 0 },  { 1, 1e-9 }, { 2, 1e-17 },       { 1e-170, 1e-200 },
                               { 1e-9, 1e-9 }, { 1, -1 }, { 5, -5 },   { 1e-160, -1e-160 } };
    for (size_t n = 0; n < sizeof thin / sizeof *thin; n++)
        for (int exact = 0; exact < 2; exact++) {
            vv_material m = material_of(10, 0.3);
            bound b = one_triangle(&m, rests[1], 0.5);
            double x[9], g[9], h[81];
            with_values(&r, rests[1], thin[n][0], thin[n][1], x);
            for (int i = 0; exact && i < 9; i++) /* all on a line or at a point, or a mirror image, exactly */
                x[i] = thin[n][1] < 0 ? (i % 3 ? 1 : -1) * rests[1][i] : (i / 3) * thin[n][0];
            assert_true(isfinite(energy_at(&b, x)));
            gradient_at(&b, x, g);
            hessian_at(&b, x, VV_HESSIAN_EXACT, h);
            assert_true(isfinite(largest(g, 9)) && isfinite(largest(h, 81)));
            hessian_at(&b, x, VV_HESSIAN_PROJECTED, h);
            assert_true(isfinite(largest(h, 81)) && least_eigenvalue(9, h) >= -1e-12 * largest(h, 81));
            free_bound(&b);
        }
}

/* ---- sheets ---- */

enum { SIDE = 9, NODES = (SIDE + 1) * (SIDE + 1), TRIANGLES = 2 * SIDE * SIDE };

typedef struct sheet {
    double rest[3 * NODES], x[3 * NODES], thickness[TRIANGLES], stiffness[TRIANGLES];
    int triangle[3 * TRIANGLES];
} sheet;

static sheet make_sheet(double shake)
{
    sheet s;
    rng r = { 12 };
    for (int i = 0; i < 3 * NODES; i++) {
        double at = i % 3 == 2 ? 0 : (double)(i % 3 ? i / 3 / (SIDE + 1) : i / 3 % (SIDE + 1)) / SIDE;
        s.rest[i] = at + (i % 3 < 2 ? 0.2 / SIDE * rng_next(&r) : 0.4);
        s.x[i] = s.rest[i] + shake / SIDE * rng_next(&r);
    }
    for (int c = 0, t = 0; c < SIDE * SIDE; c++) {
        int a = c / SIDE * (SIDE + 1) + c % SIDE, of[6] = { a, a + 1, a + SIDE + 2, a, a + SIDE + 2, a + SIDE + 1 };
        for (int i = 0; i < 6; i++)
            s.triangle[t++] = of[i];
    }
    for (int t = 0; t < TRIANGLES; t++)
        s.thickness[t] = 0.02 * (2 + rng_next(&r)), s.stiffness[t] = 1.5 + rng_next(&r);
    return s;
}

/* Two bodies, of the same nodes; the second one with numbers of each triangle. */
static vv_energy *sheet_energy(const sheet *s, const vv_material *m, bool each)
{
    int half = TRIANGLES / 2;
    vv_element_part part[2] = {
        { .body = 1, .material = m, .triangle_count = half, .triangles = s->triangle, .thickness = 0.03 },
        { .body = 3,
          .material = m + 1,
          .triangle_count = TRIANGLES - half,
          .triangles = s->triangle + 3 * half,
          .thickness = 0.04 }
    };
    if (each)
        part[1].triangle_thickness = s->thickness, part[1].triangle_stiffness = s->stiffness;
    return make(NODES, s->rest, 2, part);
}

/* The sum of the triangles alone: each with its body's numbers, or its own thickness and Young's modulus. */
static void sums_of_triangles(void **state)
{
    (void)state;
    sheet s = make_sheet(0.3);
    for (int each = 0; each < 2; each++) {
        vv_material m[2] = { material_of(10, 0.3), material_of(25, 0.1) };
        bound b = bind_energy(sheet_energy(&s, m, each), NODES, 0);
        double of[4] = { 0 }, expected[4] = { 0 }, g[3 * NODES], sum[3 * NODES] = { 0 };
        double total = b.e->ops->value(b.e, &one_thread, s.x, of);
        gradient_at(&b, s.x, g);
        for (int t = 0; t < TRIANGLES; t++) {
            int second = t >= TRIANGLES / 2, own = t - TRIANGLES / 2;
            vv_material alone = second && each ? material_of(25 * s.stiffness[own], 0.1) : m[second];
            double thickness = second && each ? s.thickness[own] : second ? 0.04 : 0.03, rest[9], x[9], f[9];
            for (int i = 0; i < 9; i++)
                rest[i] = s.rest[3 * s.triangle[3 * t + i / 3] + i % 3],
                x[i] = s.x[3 * s.triangle[3 * t + i / 3] + i % 3];
            bound one = one_triangle(&alone, rest, thickness);
            expected[second ? 3 : 1] += energy_at(&one, x);
            gradient_at(&one, x, f);
            for (int i = 0; i < 9; i++)
                sum[3 * s.triangle[3 * t + i / 3] + i % 3] += f[i];
            free_bound(&one);
        }
        assert_true(largest_difference(of, expected, 4) < 1e-13 * total && of[0] == 0 && of[2] == 0 && of[1] > 0 &&
                    of[3] > 0);
        assert_true(largest_difference(g, sum, 3 * NODES) < 1e-13 * largest(g, 3 * NODES));
        free_bound(&b);
    }
}

/* The constant models are 2 mu + lambda in every direction: what stretching along a line costs at rest. */
static void model_at_rest(void **state)
{
    (void)state;
    enum { N = 3 * NODES };
    sheet s = make_sheet(0);
    vv_material m[2] = { material_of(10, 0.3), material_of(10, 0.3) };
    bound b = bind_energy(sheet_energy(&s, m, false), NODES, 0);
    double *h = malloc(sizeof(double) * N * N), *rest = malloc(sizeof(double) * N * N);
    vv_quadratic q;
    hessian_at(&b, s.rest, VV_HESSIAN_EXACT, h);
    hessian_at(&b, NULL, VV_HESSIAN_REST, rest);
    assert_true(vv_quadratic_init(&q, NODES, b.unknown));
    assert_false(b.e->ops->quadratic(b.e, VV_QUADRATIC_BOUND, NULL));
    assert_true(b.e->ops->quadratic(b.e, VV_QUADRATIC_REST, &q) && vv_quadratic_finish(&q, NULL) == VV_OK);
    for (int way = 0; way < 2; way++) { /* stretched along x or y; the model, moved along either */
        double stretch = 0, model[2] = { 0 }, matrix = 0;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                double u = s.rest[i / 3 * 3 + way], v = s.rest[j / 3 * 3 + way];
                stretch += i % 3 == way && j % 3 == way ? u * h[N * i + j] * v : 0;
                for (int k = 0; k < 2; k++)
                    model[k] += i % 3 == k && j % 3 == k ? u * rest[N * i + j] * v : 0;
            }
        for (int i = 0; i < NODES; i++)
            matrix += q.diagonal[i] * s.rest[3 * i + way] * s.rest[3 * i + way];
        for (size_t i = 0; i < q.count; i++)
            matrix += 2 * q.entry[i].value * s.rest[3 * q.entry[i].row + way] * s.rest[3 * q.entry[i].col + way];
        assert_true(stretch > 0 && fabs(model[0] - stretch) < 1e-11 * stretch &&
                    fabs(model[1] - stretch) < 1e-11 * stretch);
        assert_true(fabs(matrix - stretch) < 1e-11 * stretch);
    }
    vv_quadratic_free(&q);
    free(h);
    free(rest);
    free_bound(&b);
}

typedef struct sums {
    double g[3 * NODES];
    double *a;
} sums;

static sums summed(bound *b, int threads, const vv_sample *sample, int samples, vv_hessian_mode mode)
{
    const vv_parallel par = { .threads = threads };
    size_t size = 9 * (size_t)b->a.nnz;
    sums r = { .a = malloc(size * sizeof *r.a) };
    vv_block_target to = target_of(b);
    vv_bsr_clear(&b->a, &one_thread);
    b->e->ops->sum_derivatives(b->e, &par, sample, samples, mode, r.g, &to);
    memcpy(r.a, b->a.val, size * sizeof *r.a);
    return r;
}

/* Several samples in one pass are the sum of each, and the same bits with any number of threads; lagged damping is
 * the projected Hessian. */
static void samples_threads_and_damping(void **state)
{
    (void)state;
    sheet s = make_sheet(0.8), other = make_sheet(0.3);
    vv_material m[2] = { material_of(10, 0.3), material_of(25, 0.1) };
    m[0].def.damping.rayleigh = 0.1, m[1].def.damping.rayleigh = 0.3;
    bound b = bind_energy(sheet_energy(&s, m, true), NODES, 5);
    const vv_sample sample[2] = { { s.x, 2, 3 }, { other.x, 0.5, 0.25 } };
    size_t size = 9 * (size_t)b.a.nnz;
    for (int mode = 0; mode < 2; mode++) {
        sums both = summed(&b, 1, sample, 2, (vv_hessian_mode)mode),
             again = summed(&b, 3, sample, 2, (vv_hessian_mode)mode);
        sums one = summed(&b, 1, sample, 1, (vv_hessian_mode)mode),
             two = summed(&b, 1, sample + 1, 1, (vv_hessian_mode)mode);
        assert_memory_equal(both.g, again.g, sizeof both.g);
        assert_memory_equal(both.a, again.a, size * sizeof *both.a);
        for (size_t i = 0; i < size; i++)
            one.a[i] += two.a[i];
        for (int i = 0; i < 3 * NODES; i++)
            one.g[i] += two.g[i];
        assert_true(largest_difference(both.g, one.g, 3 * NODES) < 1e-14 * largest(both.g, 3 * NODES));
        assert_true(largest_difference(both.a, one.a, (int)size) < 1e-14 * largest(both.a, (int)size));
        free(both.a), free(again.a), free(one.a), free(two.a);
    }
    vv_energy *damping;
    double beta[2] = { 0.1, 0.3 }, v[3 * NODES], g[3 * NODES] = { 0 }, expected[3 * NODES] = { 0 };
    rng r = { 3 };
    for (int i = 0; i < 3 * NODES; i++)
        v[i] = rng_next(&r);
    assert_int_equal(vv_rayleigh_create(b.e, beta, &damping, NULL), VV_OK);
    damping->ops->lag(damping, &one_thread, s.x, v, 0.01);
    damping->ops->derivatives(damping, &one_thread, v, 1, VV_HESSIAN_EXACT, g, NULL);
    for (int p = 0; p < 2; p++) { /* of each body its own projected Hessian, times beta */
        int half = TRIANGLES / 2;
        vv_element_part part = { .material = m + p,
                                 .triangle_count = half,
                                 .triangles = s.triangle + 3 * half * p,
                                 .thickness = p ? 0.04 : 0.03 };
        if (p)
            part.triangle_thickness = s.thickness, part.triangle_stiffness = s.stiffness;
        bound alone = bind_energy(make(NODES, s.rest, 1, &part), NODES, 0);
        double *h = malloc(sizeof(double) * 9 * NODES * NODES);
        hessian_at(&alone, s.x, VV_HESSIAN_PROJECTED, h);
        for (int i = 0; i < 3 * NODES; i++)
            for (int j = 0; j < 3 * NODES; j++)
                expected[i] += beta[p] * h[3 * NODES * i + j] * v[j];
        free(h);
        free_bound(&alone);
    }
    assert_true(largest_difference(g, expected, 3 * NODES) < 1e-13 * largest(expected, 3 * NODES));
    damping->ops->destroy(damping);
    free_bound(&b);
}

/* Bodies that leave the plane, and triangles without area. */
static void refused(void **state)
{
    (void)state;
    static const struct {
        double rest[9];
        const char *word;
    } all[] = { { { 0, 0, 0, 1, 0, 0, 0, 1, 1e-6 }, "body 4 is not flat: its vertices have z from 0 to 1e-06 m" },
                { { 0, 0, 0, 1, 0, 0, 0, 0, 1 }, "is not flat" },
                { { 0, 0, 0, 1, 1, 0, 2, 2, 0 }, "triangle 0 of body 4 has no area at rest" },
                { { 3, 3, 1, 3, 3, 1, 3, 3, 1 }, "triangle 0 of body 4 has no area at rest" } };
    vv_material m = material_of(10, 0.3);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        vv_element_part part = { .body = 4, .material = &m, .triangle_count = 1, .triangles = corners, .thickness = 1 };
        vv_energy *e = NULL;
        vvError error = { 0 };
        assert_int_equal(create(3, all[i].rest, 1, &part, &e, &error), VV_ERROR_INPUT);
        assert_null(e);
        if (!strstr(error.message, all[i].word))
            fail_msg("%s", error.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_by_hand), cmocka_unit_test(derivatives_and_projection),
        cmocka_unit_test(nearest),        cmocka_unit_test(invariance),
        cmocka_unit_test(degenerate),     cmocka_unit_test(sums_of_triangles),
        cmocka_unit_test(model_at_rest),  cmocka_unit_test(samples_threads_and_damping),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
