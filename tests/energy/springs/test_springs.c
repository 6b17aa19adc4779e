/* Edge springs: values by hand, derivatives against differences, projection, no length, sums, bits, damping. */
#include "energy_fixture.h"

#include "base/error.h"
#include "energy/batch/rayleigh.h"
#include "energy/springs/springs.h"

#include <stdbool.h>

static bound one_spring(int kind, double k, double rest)
{
    static const int edge[2] = { 0, 1 }, body[1] = { 0 };
    vv_energy *e;
    assert_int_equal(vv_springs_create(kind, 2, 1, edge, &k, &rest, body, &e, NULL), VV_OK);
    return bind_energy(e, 2, 0);
}

static bool is_rod(int kind)
{
    return kind == VV_SPRING_HOOKE_ROD || kind == VV_SPRING_NEO_HOOKEAN_ROD || kind == VV_SPRING_ROD_STRETCH;
}

static void values_by_hand(void **unused)
{
    (void)unused;
    const double x[6] = { 1, 1, 1, 1, 4, 5 }; /* length 5 */
    bound hooke = one_spring(VV_SPRING_HOOKE, 10, 3), stvk = one_spring(VV_SPRING_STVK, 10, 3);
    double g[6];
    assert_true(fabs(energy_at(&hooke, x) - 0.5 * 10 * 2 * 2) < 1e-13);
    assert_true(fabs(energy_at(&stvk, x) - 0.5 * 10 * 16 * 16) < 1e-13);
    gradient_at(&hooke, x, g); /* the long spring pulls: E grows with node 1 along (0, 3, 4)/5 */
    assert_true(fabs(g[4] - 20 * 0.6) < 1e-13 && fabs(g[5] - 20 * 0.8) < 1e-13 && fabs(g[1] + 20 * 0.6) < 1e-13);
    gradient_at(&stvk, x, g);
    assert_true(fabs(g[4] - 2 * 10 * 16 * 3) < 1e-12 && fabs(g[2] + 2 * 10 * 16 * 4) < 1e-12);
    free_bound(&hooke);
    free_bound(&stvk);
}

/* F = 5/2: k r^2/2 (21/8 - ln 5/2), and its slope k r/2 (F - 1/F) along (0, 3, 4)/5; infinite at no length, in full
 * blocks and beside padding. */
static void rods_by_hand(void **unused)
{
    (void)unused;
    double x[6] = { 1, 1, 1, 1, 4, 5 }, g[6];
    bound rod = one_spring(VV_SPRING_NEO_HOOKEAN_ROD, 10, 2);
    assert_true(fabs(energy_at(&rod, x) - 20 * (21.0 / 8 - log(2.5))) < 1e-13);
    gradient_at(&rod, x, g);
    assert_true(fabs(g[4] - 10 * 2.1 * 0.6) < 1e-13 && fabs(g[5] - 10 * 2.1 * 0.8) < 1e-13 &&
                fabs(g[2] + 10 * 2.1 * 0.8) < 1e-13);
    memcpy(x + 3, x, 3 * sizeof *x);
    assert_true(energy_at(&rod, x) == INFINITY);
    free_bound(&rod);
}

/* On ways past, towards and through length 0 an edge keeps a fifth of its length, no less is given away, and along a
 * line nothing changes sides. */
static void rods_are_not_pressed_flat(void **unused)
{
    (void)unused;
    bound rod = one_spring(VV_SPRING_NEO_HOOKEAN_ROD, 10, 1), free_spring = one_spring(VV_SPRING_HOOKE_ROD, 10, 1);
    assert_null(free_spring.e->ops->max_step);
    rng r = { 41 };
    int stopped = 0;
    for (int n = 0; n < 2000; n++) {
        double x[6], p[6], d[3], e[3];
        for (int k = 0; k < 6; k++)
            x[k] = rng_next(&r), p[k] = pow(10, 3 * rng_next(&r)) * rng_next(&r);
        vv_sub(x + 3, x, d);
        if (n % 2) /* straight at each other */
            for (int k = 0; k < 3; k++)
                p[3 + k] = p[k] - d[k] * (n % 4 == 1 ? 1.5 : 0.75);
        vv_sub(p + 3, p, e);
        double t = rod.e->ops->max_step(rod.e, &one_thread, x, p), least = INFINITY, end[3];
        assert_true(t > 0 && t <= 1);
        for (int i = 0; i <= 1000; i++) {
            for (int k = 0; k < 3; k++)
                end[k] = d[k] + t * i / 1000 * e[k];
            least = fmin(least, vv_norm(end));
        }
        assert_true(least > 0.2 * vv_norm(d) * (1 - 1e-9));
        if (t < 1) {
            stopped++;
            assert_true(least < 0.2 * vv_norm(d) * (1 + 1e-9));
        }
        if (n % 2)
            assert_true(vv_dot(end, d) > 0 && (t < 1) == (n % 4 == 1));
    }
    assert_true(stopped > 500);
    double still[6] = { 0 }, x[6] = { 0, 0, 0, 1, 0, 0 };
    assert_true(rod.e->ops->max_step(rod.e, &one_thread, x, still) == 1);
    for (int sign = -1; sign <= 1; sign += 2) { /* step by step to nothing: it never gets to the other side */
        double start[6] = { 0.3, 0, 0, 0.3 + 0.1 * sign, 0, 0 }, p[6] = { 0.7 * sign, 0, 0, -0.4 * sign, 0, 0 };
        for (int n = 0; n < 100; n++) {
            double t = rod.e->ops->max_step(rod.e, &one_thread, start, p);
            assert_true(t >= 0 && (n < 15 ? t > 0 : n < 40 || t == 0));
            for (int k = 0; k < 6; k++)
                start[k] += t * p[k];
            assert_true(sign * (start[3] - start[0]) > 0);
        }
        p[0] = -sign; /* apart again */
        assert_true(rod.e->ops->max_step(rod.e, &one_thread, start, p) == 1);
        start[3] = start[0]; /* no length at all is outside of the domain */
        assert_true(rod.e->ops->max_step(rod.e, &one_thread, start, p) == 0);
    }
    free_bound(&rod);
    free_bound(&free_spring);
}

static void table(void **unused)
{
    (void)unused;
    for (int k = 0; k < VV_SPRING_COUNT; k++)
        assert_ptr_equal(vv_element_kind_find(vv_spring_kinds[k].info.name), vv_spring_kinds + k);
    assert_string_equal(vv_spring_kinds[VV_SPRING_HOOKE].info.name, "hooke");
    assert_null(vv_element_kind_find("spring"));
}

/* Differences, and the projection as the nearest semidefinite matrix, for springs long, at rest and short. */
static void derivatives_and_projection(void **unused)
{
    (void)unused;
    static const double lengths[] = { 3, 1, 0.99, 0.7, 0.5, 0.1, 0.01 };
    rng r = { 31 };
    for (int kind = 0; kind < VV_SPRING_COUNT; kind++)
        for (int rest = is_rod(kind); rest < 2; rest++)
            for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
                bound b = one_spring(kind, 7, rest);
                double q[9], x[6] = { 0.5, -0.2, 0.1, 0, 0, 0 }, exact[36], projected[36], g[6], opposite = 0;
                random_rotation(&r, q);
                for (int k = 0; k < 3; k++)
                    x[3 + k] = x[k] + lengths[i] * q[3 * k];
                assert_true(difference_error(&b, x, 1e-5 * lengths[i], 1) < 1e-6);
                gradient_at(&b, x, g);
                for (int k = 0; k < 3; k++)
                    opposite = fmax(opposite, fabs(g[k] + g[3 + k]));
                assert_true(opposite == 0);
                hessian_at(&b, x, VV_HESSIAN_EXACT, exact);
                hessian_at(&b, x, VV_HESSIAN_PROJECTED, projected);
                double scale = largest(exact, 36);
                if (lengths[i] > 1)
                    assert_memory_equal(exact, projected, sizeof exact);
                dense_clamp(6, exact);
                assert_true(largest_difference(exact, projected, 36) < 1e-12 * scale);
                free_bound(&b);
            }
}

static void no_length_is_finite(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < VV_SPRING_NEO_HOOKEAN_ROD; kind++)
        for (int rest = is_rod(kind); rest < 2; rest++)
            for (int n = 0; n < 3; n++) {
                bound b = one_spring(kind, 7, rest);
                double x[6] = { 1, 2, 3, 1, 2, 3 }, g[6], h[36];
                x[5] += (double[]){ 0, 1e-15, 1e-160 }[n];
                assert_true(isfinite(energy_at(&b, x)));
                gradient_at(&b, x, g);
                assert_true(isfinite(largest(g, 6)));
                hessian_at(&b, x, VV_HESSIAN_EXACT, h);
                assert_true(isfinite(largest(h, 36)));
                hessian_at(&b, x, VV_HESSIAN_PROJECTED, h);
                assert_true(isfinite(largest(h, 36)) && least_eigenvalue(6, h) >= -1e-12 * largest(h, 36));
                if (n == 0) { /* no direction, no force */
                    assert_true(largest(g, 6) == 0);
                    assert_true(fabs(energy_at(&b, x) - (rest ? 3.5 : 0)) < 1e-12);
                }
                free_bound(&b);
            }
}

/* All edges of a grid's tets (some twice), in two bodies, mixed. */
typedef struct net {
    grid g;
    int edges, *edge, *body;
    double *stiffness, *rest;
} net;

static net make_net(int n)
{
    net s = { .g = make_grid(n, 0.2) };
    rng r = { 32 };
    s.edges = 3 * s.g.tets;
    size_t count = (size_t)s.edges;
    s.edge = malloc(2 * count * sizeof *s.edge);
    s.body = malloc(count * sizeof *s.body);
    s.stiffness = malloc(count * sizeof *s.stiffness);
    s.rest = malloc(count * sizeof *s.rest);
    for (int i = 0; i < s.edges; i++) {
        const int *t = s.g.tet + 4 * (i / 3);
        s.edge[2 * i] = t[0];
        s.edge[2 * i + 1] = t[1 + i % 3];
        s.body[i] = i % 5 == 0 ? 3 : 1;
        s.stiffness[i] = 2 + rng_next(&r);
        s.rest[i] = (1 + 0.5 * rng_next(&r)) / n;
    }
    return s;
}
static vv_energy *net_energy(int kind, const net *s)
{
    vv_energy *e;
    assert_int_equal(vv_springs_create(kind, s->g.nodes, s->edges, s->edge, s->stiffness, s->rest, s->body, &e, NULL),
                     VV_OK);
    return e;
}
static void free_net(net *s)
{
    free_grid(&s->g);
    free(s->edge);
    free(s->body);
    free(s->stiffness);
    free(s->rest);
}

static void nets(void **unused)
{
    (void)unused;
    net s = make_net(2);
    for (int kind = 0; kind < VV_SPRING_COUNT; kind++) {
        bound b = bind_energy(net_energy(kind, &s), s.g.nodes, 0);
        double per_body[4] = { 0 }, expected[4] = { 0 }, total = b.e->ops->value(b.e, &one_thread, s.g.x, per_body);
        for (int i = 0; i < s.edges; i++) {
            double d[3], r = s.rest[i];
            vv_sub(s.g.x + 3 * s.edge[2 * i], s.g.x + 3 * s.edge[2 * i + 1], d);
            double e = kind == VV_SPRING_STVK ? vv_dot(d, d) - r * r : vv_norm(d) - r, f = vv_norm(d) / r;
            expected[s.body[i]] += 0.5 * s.stiffness[i] *
                                   (kind == VV_SPRING_NEO_HOOKEAN_ROD ? r * r * (0.5 * (f * f - 1) - log(f)) : e * e);
        }
        assert_true(largest_difference(per_body, expected, 4) < 1e-13 * total);
        assert_true(fabs(expected[1] + expected[3] - total) < 1e-13 * total);
        assert_true(difference_error(&b, s.g.x, 1e-6, 1) < 1e-6);
        free_bound(&b);
    }
    free_net(&s);
}

static double *outputs(int kind, const net *s, int threads, size_t *count)
{
    vv_parallel par = { .threads = threads };
    bound b = bind_energy(net_energy(kind, s), s->g.nodes, 7);
    size_t n = 3 * (size_t)s->g.nodes, values = 9 * (size_t)b.a.nnz;
    *count = 5 + n + values;
    double *out = calloc(*count, sizeof *out);
    out[0] = b.e->ops->value(b.e, &par, s->g.x, out + 1);
    vv_block_target to = target_of(&b);
    vv_bsr_clear(&b.a, &par);
    b.e->ops->derivatives(b.e, &par, s->g.x, 0.7, VV_HESSIAN_PROJECTED, out + 5, &to);
    memcpy(out + 5 + n, b.a.val, values * sizeof *out);
    free_bound(&b);
    return out;
}

static void same_bits_everywhere(void **unused)
{
    (void)unused;
    net s = make_net(7);
    const char *given = getenv("VISVIVA_ISA");
    char *keep = given ? strdup(given) : NULL;
    for (int kind = 0; kind < VV_SPRING_COUNT; kind++) {
        size_t n, count;
        double *first = outputs(kind, &s, 1, &n);
        for (int i = 0; i < 4; i++) {
            if (i >= 2)
                setenv("VISVIVA_ISA", i == 2 ? "base" : "avx2", 1);
            double *other = outputs(kind, &s, i == 1 ? 3 : 2, &count);
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
    free_net(&s);
}

static void damping(void **unused)
{
    (void)unused;
    bound source = one_spring(VV_SPRING_HOOKE, 10, 1);
    const double x[6] = { 0, 0, 0, 2, 0, 0 }, v[6] = { 0, 0, 0, 3, 4, 0 }, beta = 0.1;
    vv_energy *e;
    assert_int_equal(vv_rayleigh_create(source.e, &beta, &e, NULL), VV_OK);
    bound b = bind_energy(e, 2, 0);
    e->ops->lag(e, &one_thread, x, v, 0.01);
    /* K along the spring is k, across it k (1 - r/l) = 5 */
    assert_true(fabs(energy_at(&b, v) - 0.5 * beta * (10 * 9 + 5 * 16)) < 1e-13);
    free_bound(&b);
    free_bound(&source);
}

static void refuse(int kind, int a, int b, double k, double rest, int body, const char *says)
{
    const int edge[2] = { a, b };
    vv_energy *e;
    vvError error;
    assert_int_equal(vv_springs_create(kind, 3, 1, edge, &k, &rest, &body, &e, &error), VV_ERROR_INPUT);
    assert_null(e);
    if (!strstr(error.message, says))
        fail_msg("'%s' does not say '%s'", error.message, says);
}

static void wrong_input_is_refused(void **unused)
{
    (void)unused;
    refuse(VV_SPRING_COUNT, 0, 1, 1, 1, 0, "model");
    refuse(-1, 0, 1, 1, 1, 0, "model");
    refuse(0, 0, 3, 1, 1, 0, "nodes 0 and 3");
    refuse(0, -1, 1, 1, 1, 0, "nodes -1 and 1");
    refuse(0, 1, 1, 1, 1, 0, "nodes 1 and 1");
    refuse(0, 0, 1, -1, 1, 0, "stiffness");
    refuse(0, 0, 1, NAN, 1, 0, "stiffness");
    refuse(0, 0, 1, 1, -1, 0, "rest length");
    refuse(0, 0, 1, 1, INFINITY, 0, "rest length");
    refuse(0, 0, 1, 1, 1, -1, "body");
    vv_energy *e;
    assert_int_equal(vv_springs_create(0, 3, 0, NULL, NULL, NULL, NULL, &e, NULL), VV_OK);
    assert_true(e->ops->value(e, &one_thread, NULL, NULL) == 0);
    e->ops->destroy(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_by_hand),
        cmocka_unit_test(rods_by_hand),
        cmocka_unit_test(rods_are_not_pressed_flat),
        cmocka_unit_test(table),
        cmocka_unit_test(derivatives_and_projection),
        cmocka_unit_test(no_length_is_finite),
        cmocka_unit_test(nets),
        cmocka_unit_test(same_bits_everywhere),
        cmocka_unit_test(damping),
        cmocka_unit_test(wrong_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
