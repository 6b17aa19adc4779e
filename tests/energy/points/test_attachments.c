/* Springs from points, weighted sums of nodes, to moving points: derivatives against differences, whether the matrix
 * has a place for their couplings or not; bounds; a sweep of position-based solvers; a point that is one node is that
 * node to the last bit. */
#include "energy_fixture.h"

#include "energy/points/attachments.h"

enum { NODES = 6, N = 3 * NODES };

/* A point of a tet that lies outside of it, one of an edge, a node. */
static const int corners[3] = { 4, 2, 1 }, nodes[7] = { 0, 1, 3, 4, 1, 5, 2 };
static const double weights[7] = { 0.7, 0.6, -0.5, 0.2, 0.3, 0.7, 1 }, stiffness[3] = { 3, 50, 7 };

static vv_energy *make(void)
{
    static int body[NODES];
    vv_energy *e;
    assert_int_equal(
        vv_attachment_create(&(vv_springs_of_points){ 3, stiffness, corners, nodes, weights }, body, &e, NULL), VV_OK);
    for (int i = 0; i < 9; i++)
        vv_attachment_targets(e)[i] = 0.3 * i - 1;
    return e;
}

static void place(double *x, uint64_t seed)
{
    rng r = { seed };
    for (int i = 0; i < N; i++)
        x[i] = rng_next(&r);
}

/* Second derivatives times p, from a matrix that has the couplings in its pattern or not. */
static void product(vv_energy *e, bool coupled, vv_hessian_mode mode, const double *x, const double *p, double *out)
{
    int unknown[NODES], *slots = NULL;
    vv_bsr a = { 0 };
    vv_pattern pattern = { .n = NODES };
    for (int i = 0; i < NODES; i++)
        unknown[i] = i;
    for (int s = 0, c = 0; s < 3 && coupled; c += corners[s++])
        vv_pattern_clique(&pattern, nodes + c, corners[s]);
    assert_int_equal(vv_bsr_build(&a, &pattern, NULL), VV_OK);
    vv_pattern_free(&pattern);
    assert_int_equal(e->ops->slots(e, unknown, &a, &slots, NULL), VV_OK);
    vv_bsr_clear(&a, &one_thread);
    e->ops->derivatives(e, &one_thread, mode == VV_HESSIAN_REST ? NULL : x, 1, mode, NULL,
                        &(vv_block_target){ &a, unknown, slots });
    vv_bsr_finish(&a);
    vv_bsr_multiply(&a, &one_thread, p, out);
    vv_bsr_free(&a);
    vv_free(slots);
}

static void gradient(vv_energy *e, const double *x, double *g)
{
    memset(g, 0, N * sizeof *g);
    e->ops->derivatives(e, &one_thread, x, 1, VV_HESSIAN_EXACT, g, NULL);
}

/* It is quadratic: differences are exact but for rounding. */
static void derivatives_are_differences(void **state)
{
    (void)state;
    static const vv_hessian_mode mode[] = { VV_HESSIAN_EXACT, VV_HESSIAN_PROJECTED, VV_HESSIAN_REST };
    vv_energy *e = make();
    double x[N], p[N], after[N], before[N], g[N], back[N], forth[N], product_in[N], product_beside[N], slope = 0;
    place(x, 1), place(p, 2);
    for (int i = 0; i < N; i++)
        after[i] = x[i] + p[i], before[i] = x[i] - p[i];
    gradient(e, x, g), gradient(e, after, forth), gradient(e, before, back);
    for (int i = 0; i < N; i++)
        slope += g[i] * p[i];
    double per_body[1] = { 0 }, value = e->ops->value(e, &one_thread, after, per_body);
    assert_true(fabs(per_body[0] - value) < 1e-13 * value);
    assert_true(fabs(0.5 * (value - e->ops->value(e, &one_thread, before, NULL)) - slope) < 1e-12 * value);
    for (int m = 0; m < 3; m++) {
        product(e, true, mode[m], x, p, product_in);
        product(e, false, mode[m], x, p, product_beside);
        for (int i = 0; i < N; i++) {
            assert_true(fabs(0.5 * (forth[i] - back[i]) - product_in[i]) < 1e-12 * 50);
            assert_true(fabs(product_in[i] - product_beside[i]) < 1e-13 * 50);
        }
    }
    e->ops->destroy(e);
}

/* What comes and goes is bounded by a diagonal; the constant model is the energy's own. */
static void bounds_hold(void **state)
{
    (void)state;
    vv_energy *e = make();
    int unknown[NODES] = { 0, 1, 2, 3, 4, 5 };
    double p[N], h[N], d[NODES] = { 0 };
    vv_quadratic q;
    assert_false(e->ops->diagonal(e, 1, NULL));
    assert_false(e->ops->bound_diagonal(e, 1, NULL));
    vv_attachment_loosen(e);
    assert_true(e->ops->bound_diagonal(e, 2, d));
    assert_true(vv_quadratic_init(&q, NODES, unknown));
    assert_true(e->ops->quadratic(e, VV_QUADRATIC_BOUND, &q));
    assert_int_equal(vv_quadratic_finish(&q, NULL), VV_OK);
    for (uint64_t seed = 1; seed < 200; seed++) {
        double own = 0, above = 0, model = 0;
        place(p, seed);
        product(e, true, VV_HESSIAN_EXACT, p, p, h);
        for (int i = 0; i < N; i++) {
            own += p[i] * h[i];
            above += 0.5 * d[i / 3] * p[i] * p[i];
            model += q.diagonal[i / 3] * p[i] * p[i];
        }
        for (size_t i = 0; i < q.count; i++)
            for (int k = 0; k < 3; k++)
                model += 2 * q.entry[i].value * p[3 * q.entry[i].row + k] * p[3 * q.entry[i].col + k];
        assert_true(own <= above * (1 + 1e-13));
        assert_true(fabs(own - model) < 1e-13 * above);
    }
    vv_quadratic_free(&q);
    e->ops->destroy(e);
}

/* Springs that share no node: one sweep ends where the objective's gradient is 0, and the next one changes nothing. */
static void a_sweep_solves(void **state)
{
    (void)state;
    static const int apart[5] = { 0, 1, 3, 2, 4 };
    static const double share[5] = { 0.7, 0.6, -0.3, 0.25, 0.75 };
    for (int exact = 0; exact < 2; exact++) {
        vv_energy *e;
        vv_constraints *c;
        double y[N], z[N], q[4 * NODES], again[4 * NODES], at[N], g[N];
        assert_int_equal(vv_attachment_create(&(vv_springs_of_points){ 2, stiffness, (int[]){ 3, 2 }, apart, share },
                                              NULL, &e, NULL),
                         VV_OK);
        for (int i = 0; i < 6; i++)
            vv_attachment_targets(e)[i] = 0.5 * i;
        assert_int_equal(e->ops->constraints(e, &c, NULL), VV_OK);
        place(y, 3), place(z, 4);
        for (int i = 0; i < NODES; i++) {
            memcpy(q + 4 * i, y + 3 * i, 3 * sizeof *q);
            q[4 * i + 3] = i == 1 ? 0 : 1 / (0.1 + i); /* node 1 is prescribed */
        }
        double *memory = vv_alloc(c->ops->room(c, exact), sizeof *memory);
        const vv_sweep sweep = { &one_thread, q, z, 0.4, 0.3, exact, memory };
        c->ops->sweep(c, &sweep);
        for (int i = 0; i < N; i++)
            at[i] = 0.4 * q[4 * (i / 3) + i % 3] + z[i];
        gradient(e, at, g);
        for (int i = 0; i < N; i++) {
            const double moved = q[4 * (i / 3) + i % 3] - y[i];
            assert_true(i / 3 == 1 ? moved == 0 : fabs((0.1 + i / 3) * moved + 0.3 * 0.4 * g[i]) < 1e-13);
        }
        memcpy(again, q, sizeof again);
        c->ops->sweep(c, &sweep);
        for (int i = 0; i < 4 * NODES; i++)
            assert_true(fabs(again[i] - q[i]) < 1e-13);
        vv_free(memory);
        c->ops->destroy(c);
        e->ops->destroy(e);
    }
}

/* The work of a target's way, of the point as a whole. */
static void work_of_the_way(void **state)
{
    (void)state;
    vv_energy *e = make();
    double begin[N], end[N], per_body[1] = { 0 }, wanted = 0;
    place(begin, 5), place(end, 6);
    vv_attachment_begin(e);
    assert_false(vv_attachment_moves(e));
    for (int i = 0; i < 3; i++)
        vv_attachment_targets(e)[i] += 0.1 * (i + 1);
    assert_true(vv_attachment_moves(e));
    for (int k = 0; k < 3; k++) {
        double moved = 0;
        for (int c = 0; c < 4; c++)
            moved += weights[c] * (end[3 * nodes[c] + k] - begin[3 * nodes[c] + k]);
        wanted -= 0.5 * 0.8 * 3 * 0.1 * (k + 1) * moved;
    }
    assert_true(fabs(vv_attachment_way_work(e, 0.8, begin, end, per_body) - wanted) < 1e-14);
    assert_true(fabs(per_body[0] - wanted) < 1e-14);
    int count;
    const int *held = vv_attachment_nodes(e, &count);
    assert_int_equal(count, 7);
    assert_memory_equal(held, nodes, sizeof nodes);
    assert_ptr_equal(vv_attachment_point(e, 5), vv_attachment_targets(e) + 3);
    e->ops->destroy(e);
}

static void a_node_is_a_point(void **state)
{
    (void)state;
    vv_energy *one, *two;
    double x[N], g[2][N], d[2][NODES] = { { 0 } };
    const int at[2] = { 4, 1 }, single[2] = { 1, 1 };
    assert_int_equal(vv_attachment_create(&(vv_springs_of_points){ 2, stiffness, NULL, at, NULL }, NULL, &one, NULL),
                     VV_OK);
    const vv_springs_of_points same = { 2, stiffness, single, at, (double[]){ 1, 1 } };
    assert_int_equal(vv_attachment_create(&same, NULL, &two, NULL), VV_OK);
    assert_true(vv_attachment_is_of(one, &same));
    assert_false(vv_attachment_is_of(one, &(vv_springs_of_points){ 2, stiffness, single, at, (double[]){ 1, 0.5 } }));
    assert_false(
        vv_attachment_is_of(one, &(vv_springs_of_points){ 2, stiffness, (int[]){ 2, 0 }, at, (double[]){ 1, 1 } }));
    place(x, 7);
    gradient(one, x, g[0]), gradient(two, x, g[1]);
    assert_memory_equal(g[0], g[1], sizeof g[0]);
    assert_true(one->ops->value(one, &one_thread, x, NULL) == two->ops->value(two, &one_thread, x, NULL));
    assert_true(one->ops->diagonal(one, 1, d[0]) && two->ops->diagonal(two, 1, d[1]));
    assert_memory_equal(d[0], d[1], sizeof d[0]);
    one->ops->destroy(one);
    two->ops->destroy(two);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(derivatives_are_differences), cmocka_unit_test(bounds_hold),
                                        cmocka_unit_test(a_sweep_solves), cmocka_unit_test(work_of_the_way),
                                        cmocka_unit_test(a_node_is_a_point) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
