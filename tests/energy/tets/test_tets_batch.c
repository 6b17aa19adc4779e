/* Batches of tets: sums over bodies, prescribed nodes, the same bits for any number of threads and instruction set, the
 * step limit, lagged Rayleigh damping, refusals. */
#include "energy_fixture.h"

#include "base/error.h"
#include "energy/batch/rayleigh.h"
#include "energy/tets/materials.h"
#include "energy/tets/tets.h"
#include "visviva/world.h"

/* Two bodies of one grid: the first `split` tets are soft, the rest stiff. */
static vv_energy *two_bodies(int model, const grid *g, int split)
{
    vv_tets_body bodies[2] = { { 2, split, g->tet, 3, 5 }, { 0, g->tets - split, g->tet + 4 * split, 40, 10 } };
    vv_energy *e;
    assert_int_equal(vv_tets_create(model, g->nodes, g->x, 2, bodies, &e, NULL), VV_OK);
    return e;
}

static vv_energy *one_body(int model, const grid *g)
{
    vv_tets_body body = { 0, g->tets, g->tet, 3, 5 };
    vv_energy *e;
    assert_int_equal(vv_tets_create(model, g->nodes, g->x, 1, &body, &e, NULL), VV_OK);
    return e;
}

/* x = grid turned, stretched and shaken. */
static double *deformed(const grid *g, double shake)
{
    rng r = { 21 };
    double q[9], *x = malloc(3 * (size_t)g->nodes * sizeof *x);
    random_rotation(&r, q);
    q[4] *= 1.3;
    for (int i = 0; i < g->nodes; i++) {
        vv_matvec(q, g->x + 3 * i, x + 3 * i);
        for (int k = 0; k < 3; k++)
            x[3 * i + k] += shake * rng_next(&r);
    }
    return x;
}

static void bodies_add_up(void **unused)
{
    (void)unused;
    grid g = make_grid(3, 0.2);
    double *x = deformed(&g, 0.02);
    for (int m = 0; m < VV_MATERIAL_COUNT; m++) {
        int split = 50;
        vv_energy *both = two_bodies(m, &g, split);
        double per_body[3] = { 0, 100, 0 }, total = both->ops->value(both, &one_thread, x, per_body);
        for (int part = 0; part < 2; part++) {
            vv_tets_body alone = part ? (vv_tets_body){ 0, g.tets - split, g.tet + 4 * split, 40, 10 }
                                      : (vv_tets_body){ 0, split, g.tet, 3, 5 };
            vv_energy *e;
            assert_int_equal(vv_tets_create(m, g.nodes, g.x, 1, &alone, &e, NULL), VV_OK);
            double value = e->ops->value(e, &one_thread, x, NULL);
            assert_true(value > 0 && fabs(per_body[part ? 0 : 2] - value) < 1e-13 * value);
            e->ops->destroy(e);
        }
        assert_true(per_body[1] == 100);
        assert_true(fabs(per_body[0] + per_body[2] - total) < 1e-14 * total);
        both->ops->destroy(both);
    }
    free(x);
    free_grid(&g);
}

/* The whole mesh's derivatives match differences too: every tet is counted once, at the right nodes. */
static void meshes_match_differences(void **unused)
{
    (void)unused;
    grid g = make_grid(2, 0.2);
    double *x = deformed(&g, 0.02);
    for (int m = 0; m < VV_MATERIAL_COUNT; m++) {
        bound b = bind_energy(two_bodies(m, &g, 17), g.nodes, 0);
        assert_true(difference_error(&b, x, 1e-6, 1) < 2e-6);
        free_bound(&b);
    }
    free(x);
    free_grid(&g);
}

static void prescribed_nodes_have_no_rows(void **unused)
{
    (void)unused;
    enum { FIXED = 9 };
    grid g = make_grid(2, 0.1);
    double *x = deformed(&g, 0.05);
    int n = 3 * g.nodes, k = n - 3 * FIXED;
    double *all = malloc((size_t)(n * n) * sizeof *all), *part = malloc((size_t)(k * k) * sizeof *part);
    bound b = bind_energy(one_body(0, &g), g.nodes, 0), p = bind_energy(one_body(0, &g), g.nodes, FIXED);
    hessian_at(&b, x, VV_HESSIAN_PROJECTED, all);
    hessian_at(&p, x, VV_HESSIAN_PROJECTED, part);
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            assert_true(part[k * i + j] == all[n * (i + 3 * FIXED) + j + 3 * FIXED]);
    free_bound(&b);
    free_bound(&p);
    free(all);
    free(part);
    free(x);
    free_grid(&g);
}

/* Everything an energy computes at x, one after the other. */
static double *outputs(int model, const grid *g, const double *x, int threads, size_t *count)
{
    vv_parallel par = { .threads = threads };
    bound b = bind_energy(two_bodies(model, g, g->tets / 3), g->nodes, 5);
    size_t n = 3 * (size_t)g->nodes, values = 9 * (size_t)b.a.nnz;
    *count = 7 + 2 * n + 2 * values;
    double *out = calloc(*count, sizeof *out), *p = out + 6;
    out[0] = b.e->ops->value(b.e, &par, x, out + 1);
    out[4] = b.e->ops->least_j(b.e, &par, x, NULL);
    if (b.e->ops->max_step)
        out[5] = b.e->ops->max_step(b.e, &par, x, g->x);
    vv_block_target to = target_of(&b);
    vv_bsr_clear(&b.a, &par);
    b.e->ops->derivatives(b.e, &par, x, 0.7, VV_HESSIAN_PROJECTED, p, &to);
    memcpy(p + n, b.a.val, values * sizeof *p);
    vv_bsr_clear(&b.a, &par);
    b.e->ops->derivatives(b.e, &par, x, 0.7, VV_HESSIAN_EXACT, NULL, &to);
    memcpy(p + n + values, b.a.val, values * sizeof *p);
    out[*count - 1] = b.e->ops->value_gradient(b.e, &par, x, 0.7, NULL, p + n + 2 * values);
    /* with a matrix and without */
    assert_true(largest_difference(p, p + n + 2 * values, (int)n) < 1e-14 * largest(p, (int)n));
    assert_true(out[*count - 1] == out[0]);
    free_bound(&b);
    return out;
}

static void same_bits_everywhere(void **unused)
{
    (void)unused;
    grid g = make_grid(9, 0.1);
    double *x = deformed(&g, 0.02);
    const char *given = getenv("VISVIVA_ISA");
    char *keep = given ? strdup(given) : NULL;
    for (int m = 0; m < VV_MATERIAL_COUNT; m++) {
        size_t n, count;
        double *first = outputs(m, &g, x, 1, &n);
        assert_true(isfinite(first[0]) && first[0] > 0);
        for (int threads = 2; threads <= 3; threads++) {
            double *other = outputs(m, &g, x, threads, &count);
            assert_int_equal(count, n);
            assert_memory_equal(first, other, n * sizeof *first);
            free(other);
        }
        static const char *const isas[] = { "base", "avx2" };
        for (int i = 0; i < 2; i++) {
            setenv("VISVIVA_ISA", isas[i], 1);
            double *other = outputs(m, &g, x, 2, &count);
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
    free(x);
    free_grid(&g);
}

static double det_of(const double *x, const int *tet) { return 6 * tet_volume(x, tet); }

/* Up to t no determinant falls below a tenth of what it was (nor below a hair more); just after t one does. */
static void step_limit_is_safe_and_tight(void **unused)
{
    (void)unused;
    enum { SAMPLES = 200 };
    grid g = make_grid(2, 0.15);
    bound b = bind_energy(one_body(vv_tets_model("neo-hookean"), &g), g.nodes, 0);
    rng r = { 22 };
    double *x = malloc(3 * (size_t)g.nodes * sizeof *x), *p = malloc(3 * (size_t)g.nodes * sizeof *p);
    double *y = malloc(3 * (size_t)g.nodes * sizeof *y);
    int limited = 0;
    for (int n = 0; n < 300; n++) {
        double size = pow(10, n % 12 - 3);
        for (int i = 0; i < 3 * g.nodes; i++) {
            x[i] = g.x[i] * (1 + i % 3) + 0.01 * rng_next(&r);
            p[i] = size * rng_next(&r);
        }
        double t = b.e->ops->max_step(b.e, &one_thread, x, p);
        assert_true(t > 0 && t <= 1);
        for (int k = 1; k <= SAMPLES; k++) {
            for (int i = 0; i < 3 * g.nodes; i++)
                y[i] = x[i] + t * k / SAMPLES * p[i];
            for (int i = 0; i < g.tets; i++)
                assert_true(det_of(y, g.tet + 4 * i) > 0.0999 * det_of(x, g.tet + 4 * i));
        }
        assert_true(isfinite(energy_at(&b, y)));
        if (t == 1)
            continue;
        limited++;
        double least = 1;
        for (int i = 0; i < 3 * g.nodes; i++)
            y[i] = x[i] + 1.03 * t * p[i];
        for (int i = 0; i < g.tets; i++)
            least = fmin(least, det_of(y, g.tet + 4 * i) / det_of(x, g.tet + 4 * i));
        assert_true(least < 0.15);
    }
    assert_in_range(limited, 100, 299);
    free(x);
    free(p);
    free(y);
    free_bound(&b);
    free_grid(&g);
}

/* A determinant that only touches zero, one with two roots close together, a start at the limit of the domain. */
static void step_limit_of_hard_cubics(void **unused)
{
    (void)unused;
    static const double rest[12] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    static const int nodes[4] = { 0, 1, 2, 3 };
    vv_tets_body body = { 0, 1, nodes, 1, 1 };
    vv_energy *e;
    assert_int_equal(vv_tets_create(vv_tets_model("neo-hookean"), 4, rest, 1, &body, &e, NULL), VV_OK);
    double p[12] = { 0 };
    p[3] = p[7] = -2; /* det = (1 - 2 t)^2: a tenth at t = 0.3419 */
    double t = e->ops->max_step(e, &one_thread, rest, p);
    assert_true(t > 0.335 && t <= 0.5 * (1 - sqrt(0.1)));
    p[11] = 1e9; /* grows fast at the same time: (1 - 2t)^2 (1 + 1e9 t) falls below a tenth close to t = 1/2 only */
    t = e->ops->max_step(e, &one_thread, rest, p);
    assert_true(t > 0.49 && t < 0.5);
    memset(p, 0, sizeof p);
    assert_true(e->ops->max_step(e, &one_thread, rest, p) == 1);
    p[0] = 1e-300;
    assert_true(e->ops->max_step(e, &one_thread, rest, p) == 1);
    p[11] = -1e12;
    t = e->ops->max_step(e, &one_thread, rest, p);
    assert_true(t > 0.88e-12 && t <= 0.9e-12);
    p[11] = NAN;
    assert_true(e->ops->max_step(e, &one_thread, rest, p) < 1e-200);
    e->ops->destroy(e);
}

static void smallest_determinant(void **unused)
{
    (void)unused;
    grid g = make_grid(2, 0.2);
    double *x = deformed(&g, 0.1), least = INFINITY;
    vv_energy *e = two_bodies(0, &g, 20);
    for (int i = 0; i < g.tets; i++)
        least = fmin(least, det_of(x, g.tet + 4 * i) / det_of(g.x, g.tet + 4 * i));
    assert_true(fabs(e->ops->least_j(e, &one_thread, x, NULL) - least) < 1e-12);
    double body[3] = { INFINITY, 7, -1e9 }, of[2] = { INFINITY, INFINITY };
    for (int i = 0; i < g.tets; i++)
        of[i >= 20] = fmin(of[i >= 20], det_of(x, g.tet + 4 * i) / det_of(g.x, g.tet + 4 * i));
    e->ops->least_j(e, &one_thread, x, body);
    assert_true(fabs(body[0] - of[1]) < 1e-12 && body[1] == 7 && body[2] == -1e9); /* lowered, never raised */
    body[2] = INFINITY;
    e->ops->least_j(e, &one_thread, x, body);
    assert_true(fabs(body[2] - of[0]) < 1e-12 && of[0] != of[1]);
    x[1] = NAN;
    assert_true(isnan(e->ops->least_j(e, &one_thread, x, NULL)));
    e->ops->destroy(e);
    vv_tets_body none = { 0, 0, NULL, 1, 1 };
    assert_int_equal(vv_tets_create(0, g.nodes, g.x, 1, &none, &e, NULL), VV_OK);
    assert_true(e->ops->least_j(e, &one_thread, x, NULL) == INFINITY);
    assert_true(e->ops->value(e, &one_thread, x, NULL) == 0);
    e->ops->destroy(e);
    free(x);
    free_grid(&g);
}

/* R(v) = 1/2 sum beta_b v^T K_b(q_n) v with projected K_b, its gradient and Hessian; q_n of the last lag() counts;
 * prescribed nodes damp their neighbours. */
static void rayleigh_is_the_projected_hessian(void **unused)
{
    (void)unused;
    enum { FIXED = 4, SPLIT = 20 };
    static const double beta[2] = { 0.3, 0.01 }, none_of_second[2] = { 0.3, 0 };
    grid g = make_grid(2, 0.2);
    double *x = deformed(&g, 0.1), *v = deformed(&g, 0.5);
    int n = 3 * g.nodes, free_n = n - 3 * FIXED;
    double *h = malloc((size_t)(n * n) * sizeof *h), *c = calloc((size_t)(n * n), sizeof *c);
    double *gradient = malloc((size_t)n * sizeof *gradient), *expected = malloc((size_t)n * sizeof *expected);
    for (int variant = 0; variant < 2; variant++) {
        const double *s = variant ? none_of_second : beta;
        int model = vv_tets_model("stvk");
        memset(c, 0, (size_t)(n * n) * sizeof *c);
        for (int part = 0; part < 2; part++) {
            vv_tets_body alone = part ? (vv_tets_body){ 0, g.tets - SPLIT, g.tet + 4 * SPLIT, 40, 10 }
                                      : (vv_tets_body){ 0, SPLIT, g.tet, 3, 5 };
            vv_energy *e;
            assert_int_equal(vv_tets_create(model, g.nodes, g.x, 1, &alone, &e, NULL), VV_OK);
            bound b = bind_energy(e, g.nodes, 0);
            hessian_at(&b, x, VV_HESSIAN_PROJECTED, h);
            for (int i = 0; i < n * n; i++)
                c[i] += s[part] * h[i];
            free_bound(&b);
        }
        vv_energy *source = two_bodies(model, &g, SPLIT), *r;
        assert_int_equal(vv_rayleigh_create(source, s, &r, NULL), VV_OK);
        bound b = bind_energy(r, g.nodes, FIXED);
        r->ops->lag(r, &one_thread, g.x, v, 0.01);
        r->ops->lag(r, &one_thread, x, v, 0.01);
        double quadratic = 0, scale = largest(c, n * n);
        for (int i = 0; i < n; i++) {
            expected[i] = 0;
            for (int j = 0; j < n; j++)
                expected[i] += c[n * i + j] * v[j];
            quadratic += 0.5 * v[i] * expected[i];
        }
        assert_true(quadratic > 0 && fabs(energy_at(&b, v) - quadratic) < 1e-12 * quadratic);
        gradient_at(&b, v, gradient);
        assert_true(largest_difference(gradient, expected, n) < 1e-12 * scale);
        hessian_at(&b, v, VV_HESSIAN_EXACT, h);
        for (int i = 0; i < free_n; i++)
            for (int j = 0; j < free_n; j++)
                assert_true(fabs(h[free_n * i + j] - c[n * (i + 3 * FIXED) + j + 3 * FIXED]) < 1e-12 * scale);
        free_bound(&b);
        source->ops->destroy(source);
    }
    free(h);
    free(c);
    free(gradient);
    free(expected);
    free(x);
    free(v);
    free_grid(&g);
}

static void refuse(int model, const double *rest, const int *tet, double mu, double la, const char *says)
{
    vv_tets_body body = { 0, 1, tet, mu, la };
    vv_energy *e;
    vvError error;
    assert_int_equal(vv_tets_create(model, 4, rest, 1, &body, &e, &error), VV_ERROR_INPUT);
    assert_null(e);
    if (!strstr(error.message, says))
        fail_msg("'%s' does not say '%s'", error.message, says);
}

static void wrong_input_is_refused(void **unused)
{
    (void)unused;
    static const double rest[12] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    static const double flat[12] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0 };
    static const int good[4] = { 0, 1, 2, 3 }, turned[4] = { 0, 2, 1, 3 }, outside[4] = { 0, 1, 2, 4 };
    static const int below[4] = { 0, -1, 2, 3 };
    double nan[12];
    memcpy(nan, rest, sizeof nan);
    nan[4] = NAN;
    refuse(0, rest, turned, 1, 1, "volume");
    refuse(0, flat, good, 1, 1, "volume");
    refuse(0, nan, good, 1, 1, "volume");
    refuse(0, rest, outside, 1, 1, "node 4");
    refuse(0, rest, below, 1, 1, "node -1");
    refuse(0, rest, good, 0, 1, "mu");
    refuse(0, rest, good, -1, 1, "mu");
    refuse(0, rest, good, NAN, 1, "mu");
    refuse(0, rest, good, 1, -1, "lambda");
    refuse(0, rest, good, 1, INFINITY, "lambda");
    refuse(-1, rest, good, 1, 1, "material");
    refuse(VV_MATERIAL_COUNT, rest, good, 1, 1, "material");
    vv_tets_body body = { 0, 1, good, 1, 1 };
    vv_energy *e, *r;
    assert_int_equal(vv_tets_create(0, 4, rest, 1, &body, &e, NULL), VV_OK);
    assert_int_equal(vv_rayleigh_create(e, (double[]){ -1 }, &r, NULL), VV_ERROR_INPUT);
    assert_int_equal(vv_rayleigh_create(e, (double[]){ NAN }, &r, NULL), VV_ERROR_INPUT);
    assert_int_equal(vv_rayleigh_create(e, (double[]){ 0 }, &r, NULL), VV_OK);
    r->ops->destroy(r);
    e->ops->destroy(e);
}

/* A fan in which all tets share an edge: every block is a neighbour of every other. */
static void fan_of_tets(void **unused)
{
    (void)unused;
    enum { FAN = 1000 };
    size_t n = 3 * (FAN + 2);
    double *x = calloc(n, sizeof *x), *g1 = calloc(n, sizeof *g1), *g2 = calloc(n, sizeof *g2);
    int *tet = calloc(4 * (FAN - 1), sizeof *tet);
    x[5] = 1;
    for (int i = 0; i < FAN; i++) {
        x[3 * (i + 2)] = cos(6.0 * i / FAN);
        x[3 * (i + 2) + 1] = sin(6.0 * i / FAN);
    }
    for (int i = 0; i + 1 < FAN; i++) {
        int t[4] = { 0, i + 2, i + 3, 1 };
        memcpy(tet + 4 * i, t, sizeof t);
    }
    grid g = { FAN + 2, FAN - 1, x, tet };
    bound b = bind_energy(one_body(2, &g), g.nodes, 0);
    double *y = deformed(&g, 0.001);
    vv_block_target to = target_of(&b);
    for (int matrix = 0; matrix < 2; matrix++) {
        memset(g1, 0, n * sizeof *g1), memset(g2, 0, n * sizeof *g2);
        b.e->ops->derivatives(b.e, &one_thread, y, 1, VV_HESSIAN_PROJECTED, g1, matrix ? &to : NULL);
        b.e->ops->derivatives(b.e, &(vv_parallel){ .threads = 2 }, y, 1, VV_HESSIAN_PROJECTED, g2, matrix ? &to : NULL);
        assert_memory_equal(g1, g2, n * sizeof *g1);
        assert_true(largest(g1, (int)n) > 0);
    }
    free_bound(&b);
    free(y);
    free(g1);
    free(g2);
    free_grid(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_add_up),
        cmocka_unit_test(meshes_match_differences),
        cmocka_unit_test(prescribed_nodes_have_no_rows),
        cmocka_unit_test(same_bits_everywhere),
        cmocka_unit_test(step_limit_is_safe_and_tight),
        cmocka_unit_test(step_limit_of_hard_cubics),
        cmocka_unit_test(smallest_determinant),
        cmocka_unit_test(rayleigh_is_the_projected_hessian),
        cmocka_unit_test(wrong_input_is_refused),
        cmocka_unit_test(fan_of_tets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
