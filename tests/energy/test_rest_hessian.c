/* VV_HESSIAN_REST, the constant semidefinite proxy of an energy's Hessian: of every tet material one that is the
 * same for all rotations, of springs a bound of theirs at rest; it reads no positions and leaves gradients alone. */
#include "energy_fixture.h"

#include "energy/tets/materials.h"
#include "energy/batch/rayleigh.h"
#include "energy/points/simple.h"
#include "energy/springs/springs.h"
#include "energy/tets/tets.h"

/* The proxy, row-major, 3 a.n square; with a gradient, which must stay as it is. */
static double *proxy_of(bound *b)
{
    size_t n = 3 * (size_t)b->a.n;
    double *h = malloc(n * n * sizeof *h), *g = calloc(3 * (size_t)b->n, sizeof *g);
    vv_block_target to = target_of(b);
    hessian_at(b, NULL, VV_HESSIAN_REST, h);
    b->e->ops->derivatives(b->e, &one_thread, NULL, 1, VV_HESSIAN_REST, g, &to);
    b->e->ops->derivatives(b->e, &one_thread, NULL, 1, VV_HESSIAN_REST, g, NULL);
    assert_true(largest(g, 3 * b->n) == 0);
    free(g);
    return h;
}

/* x^T a y */
static double form(int n, const double *a, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum += x[i] * a[i * n + j] * y[j];
    return sum;
}

/* Turning a body turns both sides of K_ab: only multiples of the identity are the same for all rotations. */
static void check_turns(int n, const double *proxy, double scale)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (i % 3 != j % 3)
                assert_true(fabs(proxy[i * n + j]) < 1e-14 * scale);
            else
                assert_true(fabs(proxy[i * n + j] - proxy[(i - i % 3) * n + j - j % 3]) < 1e-14 * scale);
}

static void tets(void **state)
{
    (void)state;
    grid g = make_grid(2, 0.2);
    rng r = { 3 };
    for (int m = 0; m < VV_MATERIAL_COUNT; m++)
        for (int prescribed = 0; prescribed < 10; prescribed += 5) {
            vv_tets_body bodies[2] = { { 0, 20, g.tet, 3, 5 }, { 1, g.tets - 20, g.tet + 80, 40, -10 } };
            vv_energy *e;
            assert_int_equal(vv_tets_create(m, g.nodes, g.x, 2, bodies, &e, NULL), VV_OK);
            bound b = bind_energy(e, g.nodes, prescribed);
            int n = 3 * b.a.n;
            double *proxy = proxy_of(&b), *projected = malloc((size_t)(n * n) * sizeof *projected),
                   scale = largest(proxy, n * n);
            hessian_at(&b, g.x, VV_HESSIAN_PROJECTED, projected);
            assert_true(scale > 0);
            check_turns(n, proxy, scale);
            assert_true(least_eigenvalue(n, proxy) >= -1e-12 * scale);
            /* as stiff as the body at rest where it is stretched along one direction, and so in all */
            if (!prescribed) {
                double turn[9], u[3 * 27], across[3 * 27];
                random_rotation(&r, turn);
                for (int i = 0; i < g.nodes; i++)
                    for (int c = 0; c < 3; c++) {
                        u[3 * i + c] = vv_dot(turn, g.x + 3 * i) * turn[c];
                        across[3 * i + c] = vv_dot(turn, g.x + 3 * i) * turn[3 + c];
                    }
                double stretch = form(n, projected, u, u);
                assert_true(stretch > 0);
                assert_true(fabs(form(n, proxy, u, u) - stretch) < 1e-12 * stretch);
                assert_true(fabs(form(n, proxy, across, across) - stretch) < 1e-12 * stretch);
            }
            /* nothing at rest is stiffer than this: (2 mu + 3 lambda) / (2 mu + lambda), of the first body */
            for (int i = 0; i < n * n; i++)
                projected[i] = 21.0 / 11 * proxy[i] - projected[i];
            assert_true(least_eigenvalue(n, projected) >= -1e-12 * scale);
            free(proxy);
            free(projected);
            free_bound(&b);
        }
    free_grid(&g);
}

enum { NODES = 5 };

static void springs(void **state)
{
    (void)state;
    int edges[] = { 0, 1, 1, 2, 2, 3, 3, 0, 0, 2, 4, 1 }, body[6] = { 0 };
    double k[6] = { 1, 2, 3, 4, 5, 6 }, rest[6], x[3 * NODES], h[9 * NODES * NODES];
    rng r = { 9 };
    for (int i = 0; i < 3 * NODES; i++)
        x[i] = rng_next(&r);
    for (int i = 0; i < 6; i++) {
        double d[3];
        vv_sub(x + 3 * edges[2 * i], x + 3 * edges[2 * i + 1], d);
        rest[i] = vv_norm(d);
    }
    for (int kind = 0; kind < VV_SPRING_COUNT; kind++) {
        vv_energy *e;
        assert_int_equal(vv_springs_create(kind, NODES, 6, edges, k, rest, body, &e, NULL), VV_OK);
        bound b = bind_energy(e, NODES, 0);
        double *proxy = proxy_of(&b), scale = largest(proxy, 9 * NODES * NODES), y[3 * NODES];
        double along = kind == VV_SPRING_STVK ? 4 * k[5] * rest[5] * rest[5] : k[5];
        assert_true(fabs(proxy[12 * 3 * NODES + 3] + along) < 1e-12 * along); /* node 4 hangs on node 1 alone */
        assert_true(proxy[12 * 3 * NODES + 4] == 0);
        for (int stretched = 0; stretched < (kind == VV_SPRING_HOOKE ? 10 : 1); stretched++) {
            for (int i = 0; i < 3 * NODES; i++)
                y[i] = x[i] + (stretched ? rng_next(&r) : 0);
            hessian_at(&b, y, VV_HESSIAN_EXACT, h);
            for (int i = 0; i < 9 * NODES * NODES; i++)
                h[i] = proxy[i] - h[i];
            assert_true(least_eigenvalue(3 * NODES, h) >= -1e-12 * scale); /* a bound from above; hooke's anywhere */
        }
        free(proxy);
        free_bound(&b);
    }
}

/* Many springs have the sum of what each has alone. */
static void many_springs(void **state)
{
    (void)state;
    enum { COUNT = 30, EDGES = 61, SIZE = 9 * COUNT * COUNT };
    double k[EDGES], rest[EDGES];
    int edges[2 * EDGES], body[EDGES] = { 0 };
    for (int i = 0; i < EDGES; i++) {
        edges[2 * i] = i % COUNT, edges[2 * i + 1] = (i + 1 + i / COUNT * 5) % COUNT;
        k[i] = 10 + i;
        rest[i] = 0.1 + 0.01 * i;
    }
    for (int kind = 0; kind < VV_SPRING_COUNT; kind++) {
        vv_energy *e;
        assert_int_equal(vv_springs_create(kind, COUNT, EDGES, edges, k, rest, body, &e, NULL), VV_OK);
        bound all = bind_energy(e, COUNT, 0);
        double *proxy = proxy_of(&all), *sum = calloc(SIZE, sizeof *sum), scale = largest(proxy, SIZE);
        for (int i = 0; i < EDGES; i++) {
            assert_int_equal(vv_springs_create(kind, COUNT, 1, edges + 2 * i, k + i, rest + i, body, &e, NULL), VV_OK);
            bound one = bind_energy(e, COUNT, 0);
            double *part = proxy_of(&one);
            for (int j = 0; j < SIZE; j++)
                sum[j] += part[j];
            free(part);
            free_bound(&one);
        }
        for (int j = 0; j < SIZE; j++)
            assert_true(fabs(proxy[j] - sum[j]) < 1e-13 * scale);
        free(sum);
        free(proxy);
        free_bound(&all);
    }
}

/* Attachments and drag are their own proxies; damping that lags, gravity and the host's forces have none. */
static void others(void **state)
{
    (void)state;
    grid g = make_grid(1, 0);
    int nodes[] = { 1, 2, 6 }, unknown[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    double stiffness[] = { 3, 5, 7 }, mass[8], drag[8], beta = 0.1, v[24] = { 1, 2, 3 }, down[] = { 0, -9.8, 0 };
    vv_tets_body body = { 0, g.tets, g.tet, 3, 5 };
    vv_energy *source, *e[5];
    for (int i = 0; i < 8; i++)
        mass[i] = 1 + i, drag[i] = 0.1 * i;
    assert_int_equal(vv_tets_create(0, g.nodes, g.x, 1, &body, &source, NULL), VV_OK);
    assert_int_equal(vv_attachment_create(&(vv_springs_of_points){ 3, stiffness, NULL, nodes, NULL }, NULL, e, NULL),
                     VV_OK);
    assert_int_equal(vv_drag_create(g.nodes, mass, drag, e + 1, NULL), VV_OK);
    assert_int_equal(vv_rayleigh_create(source, &beta, e + 2, NULL), VV_OK);
    assert_int_equal(vv_gravity_create(g.nodes, NULL, mass, g.x, down, e + 3, NULL), VV_OK);
    assert_int_equal(vv_external_create(&(vv_external_def){ g.nodes, unknown }, e + 4, NULL), VV_OK);
    vv_external_set(e[4], v, g.x);
    e[2]->ops->lag(e[2], &one_thread, g.x, v, 0.01);
    for (int i = 0; i < 5; i++) {
        bound b = bind_energy(e[i], g.nodes, 0);
        double *proxy = proxy_of(&b), h[24 * 24];
        hessian_at(&b, v, VV_HESSIAN_PROJECTED, h);
        if (i < 2)
            assert_memory_equal(proxy, h, sizeof h);
        assert_true((largest(h, 24 * 24) > 0) == (i < 3));
        assert_true((largest(proxy, 24 * 24) > 0) == (i < 2));
        free(proxy);
        free_bound(&b);
    }
    source->ops->destroy(source);
    free_grid(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(tets), cmocka_unit_test(springs),
                                        cmocka_unit_test(many_springs), cmocka_unit_test(others) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
