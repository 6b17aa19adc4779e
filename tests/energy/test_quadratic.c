/* Constant quadratic models of energies: which have a bound; that no energy is anywhere above its bound, unless it
 * says so, inverted and flat elements included, and that the bound is met somewhere; and that the model at rest is
 * the proxy VV_HESSIAN_REST. */
#include "energy_fixture.h"

#include "energy/tets/materials.h"
#include "energy/points/potential.h"
#include "energy/points/simple.h"
#include "energy/springs/springs.h"
#include "energy/tets/tets.h"
#include "positional.h"

static bool loose; /* of the model asked for last */

/* L over all nodes, dense; all zero, and false, if the energy has none. */
static bool model_of(const vv_energy *e, vv_quadratic_kind kind, int n, double *l)
{
    int *unknown = malloc((size_t)n * sizeof *unknown);
    for (int i = 0; i < n; i++)
        unknown[i] = i;
    vv_quadratic q;
    assert_true(vv_quadratic_init(&q, n, unknown));
    bool has = e->ops->quadratic && e->ops->quadratic(e, kind, &q);
    assert_true(!e->ops->quadratic || e->ops->quadratic(e, kind, NULL) == has);
    assert_true(has || q.count == 0);
    assert_int_equal(vv_quadratic_finish(&q, NULL), VV_OK);
    loose = q.loose;
    memset(l, 0, (size_t)(n * n) * sizeof *l);
    for (int i = 0; i < n; i++)
        l[i * n + i] = q.diagonal[i];
    for (size_t i = 0; i < q.count; i++) {
        const vv_quadratic_entry *p = q.entry + i;
        assert_true(p->row > p->col && l[p->row * n + p->col] == 0);                              /* each place once, */
        assert_true(i == 0 || p->col > p[-1].col || (p->col == p[-1].col && p->row > p[-1].row)); /* in order */
        l[p->row * n + p->col] = l[p->col * n + p->row] = p->value;
    }
    vv_quadratic_free(&q);
    free(unknown);
    return has;
}

/* Model less energy at y, of the model at x; relative to their size. */
static double slack(bound *b, const double *l, const double *x, const double *y)
{
    int n = b->n;
    double *g = malloc(3 * (size_t)n * sizeof *g), at = energy_at(b, x), model = at, energy = energy_at(b, y),
           size = fabs(at) + fabs(energy);
    gradient_at(b, x, g);
    for (int i = 0; i < 3 * n; i++) {
        double d = y[i] - x[i], sum = 0;
        for (int j = 0; j < n; j++)
            sum += l[i / 3 * n + j] * (y[3 * j + i % 3] - x[3 * j + i % 3]);
        model += g[i] * d + 0.5 * d * sum;
        size += fabs(g[i] * d) + fabs(d * sum);
    }
    free(g);
    return (model - energy) / (size > 0 ? size : 1);
}

/* From places of many kinds to places of many kinds. */
static void check_bound(bound *b, const double *l, const double *rest, const char *name)
{
    int n3 = 3 * b->n;
    double *x = malloc((size_t)n3 * sizeof *x), *y = malloc((size_t)n3 * sizeof *y), *place[2] = { x, y };
    static const double stretch[][3] = { { 1, 1, 1 },  { 2, 2, 2 },    { 0.1, 1, 1 },   { 0, 1, 1 },
                                         { -1, 1, 1 }, { -1, -1, -1 }, { 3, 0.2, -0.5 } };
    rng r = { 21 };
    for (int trial = 0; trial < 300; trial++) {
        for (int k = 0; k < 2; k++) {
            double f[9], jitter = trial % 3 == 0 ? 0 : 0.5;
            random_with_values(&r, stretch[(trial / (k ? 7 : 1)) % 7], f);
            for (int i = 0; i < n3; i++)
                place[k][i] = vv_dot(f + 3 * (i % 3), rest + i - i % 3) + jitter * rng_next(&r);
        }
        double s = slack(b, l, x, y);
        if (s < -1e-12)
            fail_msg("%s: above its bound by %g in trial %d", name, -s, trial);
    }
    free(x);
    free(y);
}

/* Drawn out and thin, and twisted a little: some energies are stiffer against that than any constant, and say so. */
static bool bound_holds_when_thin(bound *b, const double *l, const double *rest)
{
    static const double f[2][9] = { { 9, 0, 0, 0, 0.2, 0, 0, 0, 0.2 }, { 9, 0, 0, 0, 0.2, -0.05, 0, 0.05, 0.2 } };
    double *place[2];
    for (int k = 0; k < 2; k++) {
        place[k] = malloc(3 * (size_t)b->n * sizeof *place[k]);
        for (int i = 0; i < 3 * b->n; i++)
            place[k][i] = vv_dot(f[k] + 3 * (i % 3), rest + i - i % 3);
    }
    bool holds = slack(b, l, place[0], place[1]) > -1e-12;
    free(place[0]);
    free(place[1]);
    return holds;
}

static void tets_have_bounds(void **state)
{
    (void)state;
    grid g = make_grid(1, 0.2);
    int n = g.nodes;
    double *l = malloc((size_t)(n * n) * sizeof *l), *twice = malloc(3 * (size_t)n * sizeof *twice);
    for (int i = 0; i < 3 * n; i++)
        twice[i] = 2 * g.x[i];
    for (int m = 0; m < VV_MATERIAL_COUNT; m++)
        for (int negative = 0; negative < 2; negative++) {
            vv_tets_body body = { 0, g.tets, g.tet, 3, negative ? -1 : 5 };
            vv_energy *e;
            assert_int_equal(vv_tets_create(m, n, g.x, 1, &body, &e, NULL), VV_OK);
            bound b = bind_energy(e, n, 0);
            bool bounded = model_of(e, VV_QUADRATIC_BOUND, n, l);
            assert_true(bounded == (m == VV_MATERIAL_arap || m == VV_MATERIAL_corotated));
            assert_true(loose == (m == VV_MATERIAL_corotated && !negative));
            if (bounded) {
                check_bound(&b, l, g.x, e->ops->info.name);
                assert_true(bound_holds_when_thin(&b, l, g.x) == !loose);
                if (!negative) /* met where a body is stretched in all directions */
                    assert_true(fabs(slack(&b, l, g.x, twice)) < 1e-14);
            }
            free_bound(&b);
        }
    free(l);
    free(twice);
    free_grid(&g);
}

static void springs_have_bounds(void **state)
{
    (void)state;
    int edges[] = { 0, 1, 1, 2, 2, 3, 3, 0, 0, 2, 1, 3 }, body[6] = { 0 };
    double k[6] = { 1, 2, 3, 4, 5, 0 }, rest[6] = { 1, 1, 1, 0, 0.5, 2 }, l[16];
    const double x[12] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 1 };
    for (int kind = 0; kind < VV_SPRING_COUNT; kind++) {
        vv_energy *e;
        bool rod = kind == VV_SPRING_HOOKE_ROD || kind == VV_SPRING_NEO_HOOKEAN_ROD || kind == VV_SPRING_ROD_STRETCH;
        rest[3] = rod ? 0.7 : 0;
        assert_int_equal(vv_springs_create(kind, 4, 6, edges, k, rest, body, &e, NULL), VV_OK);
        bound b = bind_energy(e, 4, 0);
        bool bounded = model_of(e, VV_QUADRATIC_BOUND, 4, l);
        assert_true(bounded ==
                    (kind == VV_SPRING_HOOKE || kind == VV_SPRING_HOOKE_ROD || kind == VV_SPRING_ROD_STRETCH));
        if (bounded)
            check_bound(&b, l, x, e->ops->info.name);
        free_bound(&b);
    }
}

static void nodes_have_bounds(void **state)
{
    (void)state;
    int nodes[] = { 0, 2 }, unknown[4] = { 0, 1, 2, 3 };
    double stiffness[] = { 3, 5 }, mass[] = { 1, 2, 3, 4 }, drag[] = { 0, 1, 2, 3 }, down[] = { 0, -9.8, 0 },
           force[12] = { 1, 2, 3 }, l[16];
    const double x[12] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 1 };
    vv_energy *e[4];
    assert_int_equal(vv_attachment_create(&(vv_springs_of_points){ 2, stiffness, NULL, nodes, NULL }, NULL, e, NULL),
                     VV_OK);
    assert_int_equal(vv_drag_create(4, mass, drag, e + 1, NULL), VV_OK);
    assert_int_equal(vv_gravity_create(4, NULL, mass, x, down, e + 2, NULL), VV_OK);
    assert_int_equal(vv_external_create(&(vv_external_def){ 4, unknown }, e + 3, NULL), VV_OK);
    vv_external_set(e[3], force, x);
    for (int i = 0; i < 4; i++) {
        bound b = bind_energy(e[i], 4, 0);
        assert_true(model_of(e[i], VV_QUADRATIC_BOUND, 4, l));
        check_bound(&b, l, x, e[i]->ops->info.name);
        if (i < 2)
            assert_true(l[10] == (i == 0 ? 5 : 6));
        free_bound(&b);
    }
    static const double well[8] = { 0.3, -0.2, 0.5, 7, 0.8 }, wall[8] = { 0.3, -0.2, 0.5, 1, 2, -2, 7, 0.8 };
    static const char *const with[] = { "harmonic", "spring", "quadratic-wall" };
    for (int kind = 0; vvPotentialInfo(kind); kind++) {
        const char *name = vvPotentialInfo(kind)->info.name;
        vv_potential p;
        int at[2] = { 1, 3 }, body[4] = { 0 };
        vvSetting settings[POSITIONAL_MOST];
        const int count = potential_settings(name, strstr(name, "wall") ? wall : well, settings);
        assert_int_equal(vv_potential_make(name, settings, count, &p, NULL), VV_OK);
        vv_potential_part part = { &p, 2, at };
        vv_energy *one;
        assert_int_equal(vv_potentials_create(1, &part, body, &one, NULL), VV_OK);
        bound b = bind_energy(one, 4, 0);
        bool bounded = model_of(one, VV_QUADRATIC_BOUND, 4, l), wanted = false;
        for (int i = 0; i < 3; i++)
            wanted = wanted || strcmp(with[i], name) == 0;
        assert_true(bounded == wanted);
        if (bounded)
            check_bound(&b, l, x, name);
        free_bound(&b);
    }
}

/* The model at rest has the numbers of the matrix that VV_HESSIAN_REST makes, wherever they are the same for all
 * coordinates. */
static void models_at_rest_are_the_proxy(void **state)
{
    (void)state;
    grid g = make_grid(2, 0.2);
    int n = g.nodes;
    double *l = malloc((size_t)(n * n) * sizeof *l), *h = malloc(9 * (size_t)(n * n) * sizeof *h);
    for (int m = 0; m < VV_MATERIAL_COUNT + VV_SPRING_COUNT; m++) {
        vv_tets_body bodies[2] = { { 0, 20, g.tet, 3, 5 }, { 1, g.tets - 20, g.tet + 80, 40, -10 } };
        int edges[] = { 0, 1, 1, 2, 2, 3, 3, 4, 0, 5 }, body[5] = { 0 };
        double k[5] = { 1, 2, 3, 4, 5 }, rest[5] = { 1, 2, 1, 2, 3 };
        vv_energy *e;
        if (m < VV_MATERIAL_COUNT)
            assert_int_equal(vv_tets_create(m, n, g.x, 2, bodies, &e, NULL), VV_OK);
        else
            assert_int_equal(vv_springs_create(m - VV_MATERIAL_COUNT, n, 5, edges, k, rest, body, &e, NULL), VV_OK);
        bound b = bind_energy(e, n, 0);
        assert_true(model_of(e, VV_QUADRATIC_REST, n, l));
        hessian_at(&b, NULL, VV_HESSIAN_REST, h);
        double scale = largest(h, 9 * n * n);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                for (int c = 0; c < 3; c++)
                    assert_true(fabs(l[i * n + j] - h[(3 * i + c) * 3 * n + 3 * j + c]) < 1e-13 * scale);
        free_bound(&b);
    }
    free(l);
    free(h);
    free_grid(&g);
}

/* Couplings with prescribed nodes are left out, what they add to a free node's own entry is not. */
static void prescribed_nodes_are_left_out(void **state)
{
    (void)state;
    int unknown[] = { -1, 0, 1 };
    vv_quadratic q;
    assert_true(vv_quadratic_init(&q, 2, unknown) && vv_quadratic_reserve(&q, 3));
    vv_quadratic_add(&q, 0, 1, -5);
    vv_quadratic_add(&q, 1, 2, -3);
    vv_quadratic_add(&q, 2, 1, -4);
    vv_quadratic_add_diagonal(&q, 0, 5);
    vv_quadratic_add_diagonal(&q, 1, 6);
    assert_int_equal(vv_quadratic_finish(&q, NULL), VV_OK);
    assert_true(q.count == 1 && q.entry[0].row == 1 && q.entry[0].col == 0 && q.entry[0].value == -7);
    assert_true(q.diagonal[0] == 6 && q.diagonal[1] == 0);
    vv_quadratic_free(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(tets_have_bounds), cmocka_unit_test(springs_have_bounds),
                                        cmocka_unit_test(nodes_have_bounds),
                                        cmocka_unit_test(models_at_rest_are_the_proxy),
                                        cmocka_unit_test(prescribed_nodes_are_left_out) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
