/* sum_derivatives, several samples in one pass: for every tet material and kind of spring the sum of what
 * `derivatives` gives at one sample after the other, whatever is asked for; and the same bits for any number of
 * threads and instruction set. */
#include "energy_fixture.h"
#include "size.h"

#include "energy/tets/materials.h"
#include "energy/springs/springs.h"
#include "energy/tets/tets.h"

enum { KINDS = VV_MATERIAL_COUNT + VV_SPRING_COUNT };
static const double force[VV_MAX_SAMPLES] = { 0.7, 1.3, 0, -0.4 }, stiffness[VV_MAX_SAMPLES] = { 0.35, 2, 0.9, 0 };

/* Two bodies of one grid; springs on each tet's edges at one of its nodes. */
static vv_energy *energy_of(int kind, const grid *g)
{
    vv_energy *e;
    int split = g->tets / 3, edges = 3 * g->tets;
    if (kind < VV_MATERIAL_COUNT) {
        vv_tets_body bodies[2] = { { 1, split, g->tet, 3, 5 }, { 0, g->tets - split, g->tet + 4 * split, 40, 10 } };
        assert_int_equal(vv_tets_create(kind, g->nodes, g->x, 2, bodies, &e, NULL), VV_OK);
        return e;
    }
    int *edge = malloc(2 * (size_t)edges * sizeof *edge), *body = malloc((size_t)edges * sizeof *body);
    double *k = malloc((size_t)edges * sizeof *k), *rest = malloc((size_t)edges * sizeof *rest);
    for (int i = 0; i < edges; i++) {
        edge[2 * i] = g->tet[i / 3 * 4];
        edge[2 * i + 1] = g->tet[i / 3 * 4 + 1 + i % 3];
        body[i] = i / 3 < split;
        k[i] = 2 + i % 7;
        rest[i] = 0.3 + 0.01 * (i % 11);
    }
    assert_int_equal(vv_springs_create(kind - VV_MATERIAL_COUNT, g->nodes, edges, edge, k, rest, body, &e, NULL),
                     VV_OK);
    free(edge), free(body), free(k), free(rest);
    return e;
}

/* The grid, each time turned and shaken anew, and never inverted. */
static void deform(const grid *g, double *x[VV_MAX_SAMPLES])
{
    rng r = { 4 };
    for (int s = 0; s < VV_MAX_SAMPLES; s++) {
        double q[9];
        random_rotation(&r, q);
        q[s] *= 1.2;
        x[s] = malloc(3 * (size_t)g->nodes * sizeof **x);
        for (int i = 0; i < g->nodes; i++) {
            vv_matvec(q, g->x + 3 * i, x[s] + 3 * i);
            for (int k = 0; k < 3; k++)
                x[s][3 * i + k] += 0.02 * rng_next(&r);
        }
    }
}

typedef struct result {
    size_t n, values;
    double *g, *a;
} result;

static result result_for(const bound *b)
{
    result r = { 3 * (size_t)b->n, 9 * (size_t)b->a.nnz, NULL, NULL };
    r.g = malloc(r.n * sizeof *r.g), r.a = malloc(r.values * sizeof *r.a);
    return r;
}
static void free_result(result *r) { free(r->g), free(r->a); }

/* Gradient and matrix, added to what is there. */
static result in_one_pass(bound *b, int threads, double *const *x, int samples, vv_hessian_mode mode, bool gradient,
                          bool matrix)
{
    const vv_parallel par = { .threads = threads };
    result r = result_for(b);
    vv_sample sample[VV_MAX_SAMPLES];
    vv_block_target to = target_of(b);
    for (int s = 0; s < samples; s++)
        sample[s] = (vv_sample){ mode == VV_HESSIAN_REST ? NULL : x[s], force[s], stiffness[s] };
    for (size_t i = 0; i < r.n; i++)
        r.g[i] = 1;
    for (size_t i = 0; i < r.values; i++)
        b->a.val[i] = 2;
    b->e->ops->sum_derivatives(b->e, &par, sample, samples, mode, gradient ? r.g : NULL, matrix ? &to : NULL);
    memcpy(r.a, b->a.val, r.values * sizeof *r.a);
    return r;
}

static result one_by_one(bound *b, double *const *x, int samples, vv_hessian_mode mode, bool gradient, bool matrix)
{
    result r = result_for(b);
    vv_block_target to = target_of(b);
    for (size_t i = 0; i < r.n; i++)
        r.g[i] = 1;
    for (size_t i = 0; i < r.values; i++)
        b->a.val[i] = 2;
    for (int s = 0; s < samples; s++) {
        const double *at = mode == VV_HESSIAN_REST ? NULL : x[s];
        if (gradient)
            b->e->ops->derivatives(b->e, &one_thread, at, force[s], mode, r.g, NULL);
        if (matrix)
            b->e->ops->derivatives(b->e, &one_thread, at, stiffness[s], mode, NULL, &to);
    }
    memcpy(r.a, b->a.val, r.values * sizeof *r.a);
    return r;
}

static void expect_same_sum(bound *b, double *const *x, int samples, vv_hessian_mode mode, bool gradient, bool matrix)
{
    result sum = in_one_pass(b, 1, x, samples, mode, gradient, matrix),
           each = one_by_one(b, x, samples, mode, gradient, matrix);
    const double g = largest(each.g, (int)each.n), a = largest(each.a, (int)each.values);
    assert_true((gradient && mode != VV_HESSIAN_REST) == (g != 1));
    assert_true(matrix == (a != 2));
    assert_true(largest_difference(sum.g, each.g, (int)sum.n) < 1e-14 * g);
    assert_true(largest_difference(sum.a, each.a, (int)sum.values) < 1e-14 * a);
    if (samples == 1 && matrix) /* nothing to add up: not even rounding */
        assert_memory_equal(sum.a, each.a, sum.values * sizeof *sum.a);
    free_result(&sum), free_result(&each);
}

static void the_sum_over_samples(void **unused)
{
    (void)unused;
    grid g = make_grid(3, 0.2); /* 162 tets: blocks with odd numbers of groups, lanes that only fill up */
    double *x[VV_MAX_SAMPLES];
    deform(&g, x);
    for (int kind = 0; kind < KINDS; kind++)
        for (int prescribed = 0; prescribed <= 5; prescribed += 5) {
            bound b = bind_energy(energy_of(kind, &g), g.nodes, prescribed);
            for (int samples = 1; samples <= VV_MAX_SAMPLES; samples++)
                for (int mode = 0; mode <= VV_HESSIAN_REST; mode++)
                    for (int what = 1; what < 4; what++)
                        expect_same_sum(&b, x, samples, (vv_hessian_mode)mode, what & 1, what & 2);
            free_bound(&b);
        }
    for (int s = 0; s < VV_MAX_SAMPLES; s++)
        free(x[s]);
    free_grid(&g);
}

/* Samples of no weight at all are not looked at. */
static void nothing_to_add(void **unused)
{
    (void)unused;
    grid g = make_grid(2, 0.2);
    double *x = malloc(3 * (size_t)g.nodes * sizeof *x), *f = calloc(3 * (size_t)g.nodes, sizeof *f);
    for (int i = 0; i < 3 * g.nodes; i++)
        x[i] = NAN;
    for (int kind = 0; kind < KINDS; kind++) {
        bound b = bind_energy(energy_of(kind, &g), g.nodes, 0);
        vv_block_target to = target_of(&b);
        vv_bsr_clear(&b.a, &one_thread);
        b.e->ops->sum_derivatives(b.e, &one_thread, (vv_sample[]){ { x, 0, 0 }, { x, 0, 0 } }, 2, VV_HESSIAN_PROJECTED,
                                  f, &to);
        for (int i = 0; i < 3 * g.nodes; i++)
            assert_true(f[i] == 0);
        for (int i = 0; i < 9 * b.a.nnz; i++)
            assert_true(b.a.val[i] == 0);
        free_bound(&b);
    }
    free(x), free(f);
    free_grid(&g);
}

static void same_bits_everywhere(void **unused)
{
    (void)unused;
    grid g = make_grid(sized(5, 7, 9), 0.1);
    double *x[VV_MAX_SAMPLES];
    const char *given = getenv("VISVIVA_ISA");
    char *keep = given ? strdup(given) : NULL;
    deform(&g, x);
    for (int kind = 0; kind < KINDS; kind++)
        for (int samples = 2; samples <= 3; samples++) {
            result first = { 0 };
            for (int i = 0; i < 5; i++) {
                if (i > 2)
                    setenv("VISVIVA_ISA", i == 3 ? "base" : "avx2", 1);
                bound b = bind_energy(energy_of(kind, &g), g.nodes, 5);
                result r = in_one_pass(&b, 1 + i % 3, x, samples, VV_HESSIAN_PROJECTED, true, true);
                if (i == 0) {
                    first = r;
                } else {
                    assert_memory_equal(first.g, r.g, r.n * sizeof *r.g);
                    assert_memory_equal(first.a, r.a, r.values * sizeof *r.a);
                    free_result(&r);
                }
                free_bound(&b);
            }
            free_result(&first);
            if (keep)
                setenv("VISVIVA_ISA", keep, 1);
            else
                unsetenv("VISVIVA_ISA");
        }
    for (int s = 0; s < VV_MAX_SAMPLES; s++)
        free(x[s]);
    free(keep);
    free_grid(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sum_over_samples),
        cmocka_unit_test(nothing_to_add),
        cmocka_unit_test(same_bits_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
