/* Membranes: values by hand, derivatives against differences (at random, at rest, pressed, stretched, as needles, as
 * points), the projection as the nearest semidefinite matrix, invariance, the model at rest, thickness and stiffness
 * of each triangle, the strain limit, bits. */
#include "energy_fixture.h"

#include "energy/shells/membrane.h"
#include "energy/batch/rayleigh.h"

#include <stdbool.h>

static vv_material material_of(int model, double young, double poisson, double limit)
{
    vv_material m = { .kind = vv_membrane_kinds + model };
    m.def = (vvMaterialDef){ .model = m.kind->info.name, .young = young, .poisson = poisson, .strainLimit = limit };
    m.mu = young / (2 * (1 + poisson));
    m.lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    return m;
}

static vv_energy *make(int nodes, const double *rest, int parts, const vv_element_part *part)
{
    vv_element_input in = { nodes, rest, parts, part };
    vv_energy *e = NULL;
    vvError error;
    const vv_element_kind *kind = part->material->kind;
    if (kind->create(kind, &in, &e, &error) != VV_OK)
        fail_msg("%s", error.message);
    return e;
}

static const int corners[3] = { 0, 1, 2 };

static bound one_triangle(const vv_material *m, const double *rest, double thickness)
{
    vv_element_part part = { .material = m, .triangle_count = 1, .triangles = corners, .thickness = thickness };
    return bind_energy(make(3, rest, 1, &part), 3, 0);
}

/* The rest triangle (0, 0), (2, 0), (0, 1), 0.01 thick, stretched by s and t along its legs: area times thickness is
 * 0.01. */
static void values_by_hand(void **state)
{
    (void)state;
    const double rest[9] = { 0, 0, 0, 2, 0, 0, 0, 1, 0 };
    for (int n = 0; n < 3; n++) {
        double s = (double[]){ 1, 1.3, 0.6 }[n], t = (double[]){ 1, 0.8, 0.9 }[n],
               x[9] = { 0, 0, 0, 0, 2 * s, 0, 0, 0, t };
        double young = 70, nu = 0.3, mu = young / (2 * (1 + nu)), la = young * nu / (1 - nu * nu);
        double g = 0.5 * (s * s - 1), h = 0.5 * (t * t - 1), j = s * t;
        vv_material stvk = material_of(VV_MEMBRANE_STVK, young, nu, 0),
                    neo = material_of(VV_MEMBRANE_NEO_HOOKEAN, young, nu, 0);
        bound a = one_triangle(&stvk, rest, 0.01), b = one_triangle(&neo, rest, 0.01);
        assert_true(fabs(energy_at(&a, x) - 0.01 * (mu * (g * g + h * h) + 0.5 * la * (g + h) * (g + h))) < 1e-14);
        assert_true(fabs(energy_at(&b, x) -
                         0.01 * (0.5 * mu * (s * s + t * t - 2) - mu * log(j) + 0.5 * la * log(j) * log(j))) < 1e-14);
        free_bound(&a);
        free_bound(&b);
    }
}

/* Positions whose F is U diag(s) V^T. */
static void with_values(rng *r, const double *rest, double s0, double s1, double x[9])
{
    double u[9], angle = 3 * rng_next(r), c = cos(angle), s = sin(angle);
    random_rotation(r, u);
    for (int a = 0; a < 3; a++) {
        double p = c * rest[3 * a] + s * rest[3 * a + 1], q = c * rest[3 * a + 1] - s * rest[3 * a];
        for (int k = 0; k < 3; k++)
            x[3 * a + k] = 0.3 * (k + 1) + u[3 * k] * s0 * p + u[3 * k + 1] * s1 * q;
    }
}

static const double values[][2] = { { 1, 1 },      { 1, 1 + 1e-9 }, { 1.02, 0.97 },   { 1.6, 1.4 },
                                    { 1.5, 1.5 },  { 3, 0.4 },      { 0.5, 0.4 },     { 0.5, 0.5 },
                                    { 1.3, 0.05 }, { 0.1, 0.08 },   { 0.577, 0.577 }, { 2, 1 } };
enum { VALUES = sizeof values / sizeof *values };

static const double poissons[] = { 0.3, 0, 0.49, -0.4 };

static void check_state(bound *b, const double *x, double step, double tolerance)
{
    double exact[81], projected[81], scale;
    double error = difference_error(b, x, step, 1e-2);
    if (!(error < tolerance))
        fail_msg("differences are off by %g", error);
    hessian_at(b, x, VV_HESSIAN_EXACT, exact);
    hessian_at(b, x, VV_HESSIAN_PROJECTED, projected);
    scale = largest(exact, 81);
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < i; j++) {
            assert_true(exact[9 * i + j] == exact[9 * j + i] ||
                        fabs(exact[9 * i + j] - exact[9 * j + i]) < 1e-14 * scale);
            assert_true(fabs(projected[9 * i + j] - projected[9 * j + i]) < 1e-14 * scale);
        }
    assert_true(least_eigenvalue(9, projected) >= -1e-12 * scale);
    for (int i = 0; i < 81; i++) /* what was taken away is semidefinite as well */
        exact[i] = projected[i] - exact[i];
    assert_true(least_eigenvalue(9, exact) >= -1e-12 * scale);
}

/* Rest triangles of which one is equilateral: there the projection of a block's energy is that of F's, and the
 * nearest one. */
static const double rests[2][9] = { { 0, 0, 0, 1, 0, 0, 0.5, 0.8660254037844386, 0 },
                                    { 0.2, 0.1, 0, 1.3, 0.4, 0, 0.4, 1.2, 0 } };

static void derivatives_and_projection(void **state)
{
    (void)state;
    rng r = { 5 };
    for (int model = 0; model < VV_MEMBRANE_COUNT; model++)
        for (int rest = 0; rest < 2; rest++)
            for (int p = 0; p < 4; p++)
                for (int n = 0; n < VALUES; n++) {
                    vv_material m = material_of(model, 10, poissons[p], 0);
                    bound b = one_triangle(&m, rests[rest], 0.5);
                    double x[9], least = fmin(values[n][0], values[n][1]);
                    with_values(&r, rests[rest], values[n][0], values[n][1], x);
                    check_state(&b, x, 1e-5 * fmin(1, least), 3e-6);
                    free_bound(&b);
                }
}

/* Whatever Poisson's ratio is, the rest shape has the least energy, and the smaller a triangle the more it has. */
static void no_gain_by_collapse(void **state)
{
    (void)state;
    static const double ratios[] = { 0.49, 0.3, 0, -0.1, -0.3, -0.6, -0.95 };
    rng r = { 17 };
    for (int p = 0; p < 7; p++) {
        vv_material m = material_of(VV_MEMBRANE_NEO_HOOKEAN, 10, ratios[p], 0);
        bound b = one_triangle(&m, rests[1], 0.5);
        for (int way = 0; way < 3; way++) {
            double before = 0;
            for (int n = 0; n < 30; n++) {
                double x[9], small = pow(0.6, n + 1), s[2] = { way == 0 ? 1 : way == 1 ? small : 1 / small, small };
                with_values(&r, rests[1], s[0], s[1], x);
                double e = energy_at(&b, x);
                if (!(e > before))
                    fail_msg("poisson %g, stretched by %g and %g: %g after %g", ratios[p], s[0], s[1], e, before);
                before = e;
            }
        }
        free_bound(&b);
    }
}

/* The equilateral triangle's map from nodes to F has equal singular values: its projected Hessian is the nearest
 * semidefinite one. */
static void nearest(void **state)
{
    (void)state;
    rng r = { 6 };
    for (int model = 0; model < VV_MEMBRANE_COUNT; model++)
        for (int limited = 0; limited < 2; limited++)
            for (int n = 0; n < VALUES; n++) {
                vv_material m = material_of(model, 10, 0.3, limited ? 2.5 : 0);
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

/* Forces have no sum and no moment; moved and turned, the energy is the same and forces turn with it. */
static void invariance(void **state)
{
    (void)state;
    rng r = { 8 };
    for (int model = 0; model < VV_MEMBRANE_COUNT; model++)
        for (int n = 0; n < VALUES; n++) {
            vv_material m = material_of(model, 10, 0.3, 2.5);
            bound b = one_triangle(&m, rests[1], 0.5);
            double x[9], y[9], g[9], h[9], q[9], sum[3] = { 0 }, moment[3] = { 0 }, c[3];
            with_values(&r, rests[1], values[n][0], values[n][1], x);
            random_rotation(&r, q);
            gradient_at(&b, x, g);
            double scale = largest(g, 9) + 1e-3, energy = energy_at(&b, x);
            for (int a = 0; a < 3; a++) {
                vv_cross(x + 3 * a, g + 3 * a, c);
                for (int k = 0; k < 3; k++) {
                    sum[k] += g[3 * a + k], moment[k] += c[k];
                    y[3 * a + k] = vv_dot(q + 3 * k, x + 3 * a) + 7 - k;
                }
            }
            assert_true(largest(sum, 3) < 1e-15 * scale + 1e-15 && largest(moment, 3) < 1e-13 * scale);
            gradient_at(&b, y, h);
            assert_true(fabs(energy_at(&b, y) - energy) < 1e-12 * (energy + 1));
            for (int a = 0; a < 3; a++)
                for (int k = 0; k < 3; k++)
                    assert_true(fabs(h[3 * a + k] - vv_dot(q + 3 * k, g + 3 * a)) < 1e-11 * scale);
            free_bound(&b);
        }
}

/* Points, needles, and triangles thinner than rounding: StVK is finite, and so are its derivatives; Neo-Hookean is
 * infinite without area. */
static void degenerate(void **state)
{
    (void)state;
    rng r = { 9 };
    const double thin[][2] = { { 0, 0 },           { 1, 0 },       { 1, 1e-9 },  { 2, 1e-17 },
                               { 1e-170, 1e-200 }, { 1e-9, 1e-9 }, { 1e-160, 0 } };
    for (size_t n = 0; n < sizeof thin / sizeof *thin; n++) {
        vv_material m = material_of(VV_MEMBRANE_STVK, 10, 0.3, 0),
                    neo = material_of(VV_MEMBRANE_NEO_HOOKEAN, 10, 0.3, 0);
        bound b = one_triangle(&m, rests[1], 0.5), strict = one_triangle(&neo, rests[1], 0.5);
        double x[9], g[9], h[81];
        with_values(&r, rests[1], thin[n][0], thin[n][1], x);
        for (int exact = 0; exact < 2; exact++) {
            for (int i = 0; exact && i < 9; i++) /* all on a line or at a point, exactly */
                x[i] = (i / 3) * thin[n][0];
            assert_true(isfinite(energy_at(&b, x)));
            gradient_at(&b, x, g);
            hessian_at(&b, x, VV_HESSIAN_EXACT, h);
            assert_true(isfinite(largest(g, 9)) && isfinite(largest(h, 81)));
            hessian_at(&b, x, VV_HESSIAN_PROJECTED, h);
            assert_true(isfinite(largest(h, 81)) && least_eigenvalue(9, h) >= -1e-12 * largest(h, 81));
            if (exact)
                assert_true(energy_at(&strict, x) == INFINITY);
            else
                assert_true(difference_error(&b, x, 1e-5, 1) < 1e-6);
        }
        free_bound(&b);
        free_bound(&strict);
    }
}

/* ---- sheets ---- */

enum { SIDE = 7, NODES = (SIDE + 1) * (SIDE + 1), TRIANGLES = 2 * SIDE * SIDE };

typedef struct sheet {
    double rest[3 * NODES], x[3 * NODES], thickness[TRIANGLES], stiffness[TRIANGLES];
    int triangle[3 * TRIANGLES];
} sheet;

static sheet make_sheet(double shake)
{
    sheet s;
    rng r = { 12 };
    for (int i = 0; i < NODES; i++)
        for (int k = 0; k < 3; k++) {
            double at = k == 2 ? 0 : (double)(k ? i / (SIDE + 1) : i % (SIDE + 1)) / SIDE;
            s.rest[3 * i + k] = at + (k < 2 ? 0.2 / SIDE * rng_next(&r) : 0);
            s.x[3 * i + k] = s.rest[3 * i + k] + shake / SIDE * rng_next(&r);
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
    for (int model = 0; model < VV_MEMBRANE_COUNT; model++)
        for (int each = 0; each < 2; each++) {
            vv_material m[2] = { material_of(model, 10, 0.3, 0), material_of(model, 25, 0.1, 3) };
            bound b = bind_energy(sheet_energy(&s, m, each), NODES, 0);
            double of[4] = { 0 }, expected[4] = { 0 }, g[3 * NODES], sum[3 * NODES] = { 0 };
            double total = b.e->ops->value(b.e, &one_thread, s.x, of);
            gradient_at(&b, s.x, g);
            for (int t = 0; t < TRIANGLES; t++) {
                int second = t >= TRIANGLES / 2, own = t - TRIANGLES / 2;
                vv_material alone = m[second];
                double thickness = second ? 0.04 : 0.03, rest[9], x[9], f[9];
                if (second && each) {
                    thickness = s.thickness[own];
                    alone = material_of(model, 25 * s.stiffness[own], 0.1, 3);
                }
                for (int a = 0; a < 3; a++) {
                    memcpy(rest + 3 * a, s.rest + 3 * s.triangle[3 * t + a], 3 * sizeof *rest);
                    memcpy(x + 3 * a, s.x + 3 * s.triangle[3 * t + a], 3 * sizeof *x);
                }
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
            assert_true(difference_error(&b, s.x, 1e-7, 1e-3) < 1e-5);
            free_bound(&b);
        }
}

/* The constant model is E / (1 - nu^2) in every direction: what stretching along a line costs at rest. */
static void model_at_rest(void **state)
{
    (void)state;
    sheet s = make_sheet(0);
    const double nu = 0.3, young = 10;
    for (int model = 0; model < VV_MEMBRANE_COUNT; model++) {
        vv_material m[2] = { material_of(model, young, nu, 0), material_of(model, young, nu, 0) };
        bound b = bind_energy(sheet_energy(&s, m, false), NODES, 0);
        enum { N = 3 * NODES };
        double *h = malloc(sizeof(double) * N * N), *rest = malloc(sizeof(double) * N * N);
        hessian_at(&b, s.rest, VV_HESSIAN_EXACT, h);
        hessian_at(&b, NULL, VV_HESSIAN_REST, rest);
        vv_quadratic q;
        assert_true(vv_quadratic_init(&q, NODES, b.unknown));
        assert_false(b.e->ops->quadratic(b.e, VV_QUADRATIC_BOUND, NULL));
        assert_true(b.e->ops->quadratic(b.e, VV_QUADRATIC_REST, &q) && vv_quadratic_finish(&q, NULL) == VV_OK);
        for (int way = 0; way < 2; way++) { /* along x or y, moving along x */
            double stretch = 0, model_x = 0, model_z = 0, matrix = 0;
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++) {
                    double u = i % 3 == way ? s.rest[i] : 0, v = j % 3 == way ? s.rest[j] : 0;
                    stretch += u * h[N * i + j] * v, model_x += u * rest[N * i + j] * v;
                    double up = i % 3 == 2 ? s.rest[i - 2 + way] : 0, vp = j % 3 == 2 ? s.rest[j - 2 + way] : 0;
                    model_z += up * rest[N * i + j] * vp;
                }
            for (int i = 0; i < NODES; i++)
                matrix += q.diagonal[i] * s.rest[3 * i + way] * s.rest[3 * i + way];
            for (size_t i = 0; i < q.count; i++)
                matrix += 2 * q.entry[i].value * s.rest[3 * q.entry[i].row + way] * s.rest[3 * q.entry[i].col + way];
            assert_true(stretch > 0 && fabs(model_x - stretch) < 1e-11 * stretch &&
                        fabs(model_z - stretch) < 1e-11 * stretch);
            assert_true(fabs(matrix - stretch) < 1e-11 * stretch);
        }
        vv_quadratic_free(&q);
        free(h);
        free(rest);
        free_bound(&b);
    }
}

/* ---- the strain limit ---- */

static void limit_derivatives(void **state)
{
    (void)state;
    const double limit = 0.4, near[][2] = { { 1.1, 1.05 },      { 1.2, 1.2 },  { 1.2000001, 1.1999999 },
                                            { 1.21, 1.15 },     { 1.3, 1 },    { 1.3, 1.3 },
                                            { 1.3, 1.2999999 }, { 1.38, 0.1 }, { 1.39, 1.25 },
                                            { 1.399, 1.39 },    { 1.25, 1.2 } };
    rng r = { 15 };
    for (int model = 0; model < VV_MEMBRANE_COUNT; model++)
        for (size_t n = 0; n < sizeof near / sizeof *near; n++) {
            vv_material m = material_of(model, 10, 0.3, limit), unlimited = material_of(model, 10, 0.3, 0);
            bound b = one_triangle(&m, rests[1], 0.5), without = one_triangle(&unlimited, rests[1], 0.5);
            double x[9];
            with_values(&r, rests[1], near[n][0], near[n][1], x);
            double more = energy_at(&b, x) - energy_at(&without, x);
            assert_true(near[n][0] > 1.2 + 1e-5 ? more > 0 : fabs(more) < 1e-12); /* it begins at half of the limit */
            check_state(&b, x, 2e-7 * fmin(1, 20 * (1.4 - near[n][0])), 1e-3 * (near[n][0] > 1.395) + 1e-5);
            free_bound(&b);
            free_bound(&without);
        }
}

/* Nothing is at or beyond it; ways end inside, with a margin, and none is cut shorter than the margin asks; the
 * message names the first triangle. */
static void limit_is_kept(void **state)
{
    (void)state;
    rng r = { 16 };
    const double limit = 0.4;
    vv_material m = material_of(VV_MEMBRANE_STVK, 10, 0.3, limit),
                unlimited = material_of(VV_MEMBRANE_STVK, 10, 0.3, 0);
    bound b = one_triangle(&m, rests[1], 0.5), without = one_triangle(&unlimited, rests[1], 0.5);
    assert_null(without.e->ops->max_step);
    int cut = 0, whole = 0, body;
    char text[200];
    for (int n = 0; n < 3000; n++) {
        double x[9], p[9], y[9], part[3] = { 1, 1, 1 }, s0 = 1.15 + 0.24 * rng_next(&r), s1 = 0.7 + 0.5 * rng_next(&r);
        double size = pow(10, 2 * rng_next(&r));
        with_values(&r, rests[1], s0, s1, x);
        for (int i = 0; i < 9; i++)
            p[i] = size * rng_next(&r);
        double t = b.e->ops->max_step(b.e, &one_thread, x, p), most = fmax(s0, s1), end;
        assert_true(t > 0 && t <= 1);
        for (int i = 0; i <= 20; i++) {
            for (int k = 0; k < 9; k++)
                y[k] = x[k] + t * i / 20 * p[k];
            assert_true(energy_at(&b, y) < INFINITY);
        }
        for (int k = 0; k < 9; k++) /* a little more than the rest of the way to the limit itself: out of it */
            y[k] = x[k] + t * 1.6 * p[k];
        end = energy_at(&b, y);
        if (t < 1 && most > 1.3)
            cut += end == INFINITY;
        whole += t == 1;
        b.e->ops->bounds(b.e, &one_thread, x, p, part);
        for (int k = 0; k < 9; k++)
            y[k] = x[k] + part[k / 3] * p[k];
        assert_true(part[0] > 0 && part[0] <= 1 && energy_at(&b, y) < INFINITY);
        assert_false(b.e->ops->outside(b.e, x, &body, text, sizeof text));
    }
    assert_true(cut > 300 && whole > 500);
    for (int n = 0; n < 2; n++) {
        double x[9];
        with_values(&r, rests[1], n ? 1 : 1.4 + 1e-9, n ? 2 : 0.9, x);
        assert_true(energy_at(&b, x) == INFINITY);
        assert_true(b.e->ops->outside(b.e, x, &body, text, sizeof text) && strstr(text, "triangle 0 is stretched to"));
        assert_true(b.e->ops->max_step(b.e, &one_thread, x, (double[9]){ 1, 2 }) == 0);
    }
    free_bound(&b);
    free_bound(&without);
}

/* A triangle without area is named, too. */
static void names_the_triangle(void **state)
{
    (void)state;
    sheet s = make_sheet(0);
    int body = -1, *bad = s.triangle + 3 * (TRIANGLES / 2 + 5);
    char text[200];
    vv_material m[2] = { material_of(VV_MEMBRANE_NEO_HOOKEAN, 10, 0.3, 0),
                         material_of(VV_MEMBRANE_NEO_HOOKEAN, 10, 0.3, 0) };
    bound b = bind_energy(sheet_energy(&s, m, false), NODES, 0);
    assert_false(b.e->ops->outside(b.e, s.x, &body, text, sizeof text));
    memcpy(s.x + 3 * bad[1], s.x + 3 * bad[0], 3 * sizeof *s.x);
    assert_true(energy_at(&b, s.x) == INFINITY && b.e->ops->outside(b.e, s.x, &body, text, sizeof text));
    assert_true(strstr(text, "has no area") && (body == 1 || body == 3));
    free_bound(&b);
    /* and at rest it is refused */
    vv_element_part part = {
        .body = 4, .material = m, .triangle_count = TRIANGLES, .triangles = s.triangle, .thickness = 1
    };
    vv_element_input in = { NODES, s.x, 1, &part };
    vv_energy *e;
    vvError error;
    assert_int_equal(m->kind->create(m->kind, &in, &e, &error), VV_ERROR_INPUT);
    assert_true(!e && strstr(error.message, "of body 4 has no area at rest"));
}

/* ---- bits ---- */

static double *outputs(int model, const sheet *s, int threads, size_t *count)
{
    vv_parallel par = { .threads = threads };
    vv_material m[2] = { material_of(model, 10, 0.3, 0), material_of(model, 20, 0.3, 4) };
    bound b = bind_energy(sheet_energy(s, m, true), NODES, 7);
    size_t n = 3 * (size_t)NODES, all = 9 * (size_t)b.a.nnz;
    vv_sample sample[2] = { { s->x, 0.7, 0.3 }, { s->rest, 0.2, 0.5 } };
    *count = 5 + 2 * n + 2 * all;
    double *out = calloc(*count, sizeof *out);
    out[0] = b.e->ops->value(b.e, &par, s->x, out + 1);
    vv_block_target to = target_of(&b);
    vv_bsr_clear(&b.a, &par);
    b.e->ops->derivatives(b.e, &par, s->x, 0.7, VV_HESSIAN_PROJECTED, out + 5, &to);
    memcpy(out + 5 + n, b.a.val, all * sizeof *out);
    vv_bsr_clear(&b.a, &par);
    b.e->ops->sum_derivatives(b.e, &par, sample, 2, VV_HESSIAN_EXACT, out + 5 + n + all, &to);
    memcpy(out + 5 + 2 * n + all, b.a.val, all * sizeof *out);
    free_bound(&b);
    return out;
}

static void same_bits_everywhere(void **state)
{
    (void)state;
    sheet s = make_sheet(0.3);
    const char *given = getenv("VISVIVA_ISA");
    char *keep = given ? strdup(given) : NULL;
    for (int model = 0; model < VV_MEMBRANE_COUNT; model++) {
        size_t n, count;
        double *first = outputs(model, &s, 1, &n);
        assert_true(isfinite(largest(first, (int)n)));
        for (int i = 0; i < 4; i++) {
            if (i >= 2)
                setenv("VISVIVA_ISA", i == 2 ? "base" : "avx2", 1);
            double *other = outputs(model, &s, i == 1 ? 3 : 2, &count);
            assert_memory_equal(first, other, n * sizeof *first);
            free(other);
            if (keep)
                setenv("VISVIVA_ISA", keep, 1);
            else
                unsetenv("VISVIVA_ISA");
        }
        free(first);
    }
    free(keep);
}

/* Damping is the projected Hessian's form. */
static void damping(void **state)
{
    (void)state;
    vv_material m = material_of(VV_MEMBRANE_STVK, 10, 0.3, 0);
    m.def.damping.rayleigh = 0.1;
    vv_element_part part = { .material = &m, .triangle_count = 1, .triangles = corners, .thickness = 0.5 };
    vv_element_input in = { 3, rests[1], 1, &part };
    bound source = bind_energy(make(3, rests[1], 1, &part), 3, 0);
    vv_energy *e;
    double x[9], v[9], h[81], form = 0;
    rng r = { 18 };
    with_values(&r, rests[1], 1.2, 0.7, x);
    for (int i = 0; i < 9; i++)
        v[i] = rng_next(&r);
    hessian_at(&source, x, VV_HESSIAN_PROJECTED, h);
    for (int i = 0; i < 81; i++)
        form += v[i / 9] * h[i] * v[i % 9];
    assert_int_equal(m.kind->rayleigh(source.e, &in, &e, NULL), VV_OK);
    bound b = bind_energy(e, 3, 0);
    e->ops->lag(e, &one_thread, x, v, 0.01);
    assert_true(form > 0 && fabs(energy_at(&b, v) - 0.05 * form) < 1e-13 * form);
    free_bound(&b);
    free_bound(&source);
}

static void kinds_are_found(void **state)
{
    (void)state;
    for (int model = 0; model < VV_MEMBRANE_COUNT; model++) {
        const vv_element_kind *kind = vv_membrane_kinds + model;
        assert_ptr_equal(vv_element_kind_find(kind->info.name), kind);
        assert_true(kind->thick && kind->cell == VV_CELL_TRIANGLES);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_by_hand),
        cmocka_unit_test(derivatives_and_projection),
        cmocka_unit_test(no_gain_by_collapse),
        cmocka_unit_test(nearest),
        cmocka_unit_test(invariance),
        cmocka_unit_test(degenerate),
        cmocka_unit_test(sums_of_triangles),
        cmocka_unit_test(model_at_rest),
        cmocka_unit_test(limit_derivatives),
        cmocka_unit_test(limit_is_kept),
        cmocka_unit_test(names_the_triangle),
        cmocka_unit_test(same_bits_everywhere),
        cmocka_unit_test(damping),
        cmocka_unit_test(kinds_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
