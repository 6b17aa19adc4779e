/* Analytic potentials of single points: values by hand, derivatives against differences, projection, singular places,
 * the step filter of barriers, several on one node, what is refused. */
#include "energy_fixture.h"

#include "energy/points/potential.h"
#include "positional.h"

#include <stdbool.h>

/* center or point, normal, stiffness, length */
static const double VALUES[8] = { 0.3, -0.2, 0.5, 7, 0.8, 0, 0, 0 };
static const double WALL_VALUES[8] = { 0.3, -0.2, 0.5, 1, 2, -2, 7, 0.8 };

static bool is_wall(int kind) { return strstr(vvPotentialInfo(kind)->info.name, "wall") != NULL; }

static vv_potential make(const char *name, const double *values)
{
    vv_potential p;
    vvSetting settings[POSITIONAL_MOST];
    vvError error;
    if (vv_potential_make(name, settings, potential_settings(name, values, settings), &p, &error) != VV_OK)
        fail_msg("%s", error.message);
    return p;
}

static vv_potential make_row(int kind)
{
    return make(vvPotentialInfo(kind)->info.name, is_wall(kind) ? WALL_VALUES : VALUES);
}

static bound one_node(const vv_potential *p)
{
    static const int node[1] = { 0 }, body[1] = { 0 };
    vv_potential_part part = { p, 1, node };
    vv_energy *e;
    assert_int_equal(vv_potentials_create(1, &part, body, &e, NULL), VV_OK);
    return bind_energy(e, 1, 0);
}

static void near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance * fmax(1, fabs(b))))
        fail_msg("%.17g is not %.17g", a, b);
}

/* At distance 2 from the centre, and 0.5 behind or in front of the plane x = 1. */
static void values_by_hand(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        double values[8], x, value, force; /* force along -x */
    } cases[] = {
        { "harmonic", { 1, 0, 0, 10 }, 3, 20, 20 },
        { "spring", { 1, 0, 0, 10, 1.5 }, 3, 1.25, 5 },
        { "squared-spring", { 1, 0, 0, 10, 1 }, 3, 45, 120 },
        { "quartic", { 1, 0, 0, 128 }, 3, 2048, 4096 },
        { "quadratic-wall", { 1, 0, 0, 3, 0, 0, 10 }, 0.5, 1.25, -5 },
        { "quadratic-wall", { 1, 0, 0, 3, 0, 0, 10 }, 1.5, 0, 0 },
        { "quadratic-wall", { 1, 0, 0, -3, 0, 0, 10 }, 1.5, 1.25, 5 },
        { "cubic-wall", { 1, 0, 0, 3, 0, 0, 16 }, 0.5, 2, -12 },
        { "cubic-wall", { 1, 0, 0, 3, 0, 0, 16 }, 1, 0, 0 },
        { "barrier-wall",
          { 1, 0, 0, 1, 0, 0, 100, 1 },
          1.5,
          25 * 0.69314718055994530942,
          -100 * (0.69314718055994530942 + 0.5) },
        { "barrier-wall", { 1, 0, 0, 1, 0, 0, 100, 1 }, 2, 0, 0 },
        { "barrier-wall", { 1, 0, 0, 1, 0, 0, 100, 1 }, 7, 0, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vv_potential p = make(cases[i].name, cases[i].values);
        bound b = one_node(&p);
        double x[3] = { cases[i].x, 0, 0 }, g[3];
        near(energy_at(&b, x), cases[i].value, 1e-14);
        gradient_at(&b, x, g);
        near(g[0], cases[i].force, 1e-14);
        assert_true(g[1] == 0 && g[2] == 0);
        free_bound(&b);
    }
}

/* A place with height s over the plane, or at distance s from the centre. */
static void place(const vv_potential *p, rng *r, double s, double x[3])
{
    double u[3] = { rng_next(r), rng_next(r), rng_next(r) }, length = vv_norm(u), along = vv_dot(u, p->normal);
    bool wall = vv_norm(p->normal) > 0;
    for (int k = 0; k < 3; k++)
        x[k] = p->values[k] + (wall ? u[k] + (s - along) * p->normal[k] : s * u[k] / length);
}

static void derivatives_and_projection(void **unused)
{
    (void)unused;
    static const double heights[] = { 3, 1, 0.81, 0.79, 0.7, 0.4, 0.1, 0.01, -0.02, -0.5, -2 };
    rng r = { 5 };
    for (int kind = 0; vvPotentialInfo(kind); kind++)
        for (size_t i = 0; i < sizeof heights / sizeof *heights; i++) {
            vv_potential p = make_row(kind);
            bound b = one_node(&p);
            double x[3], exact[9], projected[9];
            place(&p, &r, heights[i], x);
            if (vv_potential_at(&p, x) == INFINITY) {
                assert_true(strcmp(vv_potential_name(&p), "barrier-wall") == 0 && heights[i] < 0);
                free_bound(&b);
                continue;
            }
            assert_true(energy_at(&b, x) >= 0);
            double error = difference_error(&b, x, 1e-5 * fmin(1, fabs(heights[i])), 1);
            if (error > 2e-6)
                fail_msg("%s at %g: %g", vv_potential_name(&p), heights[i], error);
            hessian_at(&b, x, VV_HESSIAN_EXACT, exact);
            hessian_at(&b, x, VV_HESSIAN_PROJECTED, projected);
            double scale = largest(exact, 9) + 1e-300;
            dense_clamp(3, exact);
            assert_true(largest_difference(exact, projected, 9) <= 1e-12 * scale);
            free_bound(&b);
        }
}

/* The centre, and as near to it or to the plane as numbers go: finite everywhere, at the centre no force. */
static void singular_places_are_finite(void **unused)
{
    (void)unused;
    static const double tiny[] = { 0, 1e-320, 1e-160, 1e-15 };
    for (int kind = 0; vvPotentialInfo(kind); kind++)
        for (size_t i = 0; i < sizeof tiny / sizeof *tiny; i++)
            for (int length = 0; length < 2; length++) {
                double values[8] = { 0, 0, 0, 7, 0, 0, 7, 0.8 }, g[3], h[9], x[3] = { tiny[i], 0, 0 };
                if (!is_wall(kind))
                    values[4] = length;
                vv_potential p = make(vvPotentialInfo(kind)->info.name, values);
                bool barrier = strcmp(vv_potential_name(&p), "barrier-wall") == 0;
                bound b = one_node(&p);
                /* derivatives are asked for inside the domain only; there they overflow */
                if (barrier && tiny[i] < 1e-100) {
                    assert_true(tiny[i] > 0 ? energy_at(&b, x) > 1000 : energy_at(&b, x) == INFINITY);
                    free_bound(&b);
                    continue;
                }
                assert_true(isfinite(energy_at(&b, x)));
                gradient_at(&b, x, g);
                hessian_at(&b, x, VV_HESSIAN_EXACT, h);
                assert_true(isfinite(largest(g, 3)) && isfinite(largest(h, 9)));
                hessian_at(&b, x, VV_HESSIAN_PROJECTED, h);
                assert_true(isfinite(largest(h, 9)) && least_eigenvalue(3, h) >= -1e-12 * largest(h, 9));
                if (tiny[i] == 0)
                    assert_true(largest(g, 3) == 0);
                free_bound(&b);
            }
}

/* The constant of VV_HESSIAN_REST: at the minimum of wells an upper bound; of quadratic potentials the Hessian
 * itself. */
static void rest_hessians(void **unused)
{
    (void)unused;
    rng r = { 6 };
    for (int kind = 0; vvPotentialInfo(kind); kind++) {
        vv_potential p = make_row(kind);
        bound b = one_node(&p);
        double x[3], exact[9], rest[9];
        hessian_at(&b, NULL, VV_HESSIAN_REST, rest);
        assert_true(least_eigenvalue(3, rest) >= -1e-12 * largest(rest, 9));
        if (!is_wall(kind) && largest(rest, 9) > 0)
            for (int i = 0; i < 9; i++)
                assert_true(i % 4 == 0 ? rest[i] == rest[0] : rest[i] == 0);
        place(&p, &r, is_wall(kind) ? -0.5 : 0.8, x);
        if (strcmp(vv_potential_name(&p), "barrier-wall") == 0 || largest(rest, 9) == 0) {
            free_bound(&b);
            continue;
        }
        hessian_at(&b, x, VV_HESSIAN_EXACT, exact);
        for (int i = 0; i < 9; i++)
            exact[i] = rest[i] - exact[i];
        assert_true(least_eigenvalue(3, exact) >= -1e-12 * largest(rest, 9));
        if (is_wall(kind))
            assert_true(largest(exact, 9) < 1e-12 * largest(rest, 9));
        free_bound(&b);
    }
}

/* No way leads through the wall: a tenth of the height is left, and what does not come near is not stopped. */
static void barriers_are_not_passed(void **unused)
{
    (void)unused;
    int kind = 0, stopped = 0;
    while (strcmp(vvPotentialInfo(kind)->info.name, "barrier-wall") != 0)
        kind++;
    vv_potential p = make_row(kind);
    bound b = one_node(&p);
    rng r = { 7 };
    for (int n = 0; n < 2000; n++) {
        double x[3], way[3], end[3], height = pow(10, -6 + 3 * (1 + rng_next(&r)));
        place(&p, &r, height, x);
        for (int k = 0; k < 3; k++)
            way[k] = pow(10, 6 * rng_next(&r)) * rng_next(&r);
        double t = b.e->ops->max_step(b.e, &one_thread, x, way), sinks = -vv_dot(way, p.normal);
        for (int k = 0; k < 3; k++)
            end[k] = x[k] + t * way[k];
        assert_true(t > 0 && t <= 1 && (t < 1) == (sinks > 0.9 * height));
        double rounding = 1e-15 * (1 + t * vv_norm(way));
        if (t < 1) {
            vv_sub(end, p.values, end);
            assert_true(fabs(vv_dot(end, p.normal) - 0.1 * height) < 1e-9 * height + rounding);
            stopped++;
        }
    }
    assert_true(stopped > 300);
    assert_true(vv_potential_at(&p, (double[]){ NAN, 0, 0 }) == INFINITY);
    free_bound(&b);
}

/* Two springs to (0, 1, 0) and (0, -1, 0), of rest length sqrt 2: on the x axis k (sqrt(x^2 + 1) - sqrt 2)^2, the
 * test potential of the blending paper's Appendix C, and exactly no force across. */
static void two_on_one_node(void **unused)
{
    (void)unused;
    static const int node[1] = { 1 }, body[2] = { 0, 3 };
    const double k = 5;
    vv_potential a = make("spring", (double[]){ 0, 1, 0, k, sqrt(2) }),
                 c = make("spring", (double[]){ 0, -1, 0, k, sqrt(2) });
    vv_potential_part parts[2] = { { &a, 1, node }, { &c, 1, node } };
    vv_energy *e;
    assert_int_equal(vv_potentials_create(2, parts, body, &e, NULL), VV_OK);
    bound b = bind_energy(e, 2, 1);
    int count;
    assert_int_equal(vv_potentials_nodes(e, &count)[1], 1);
    assert_int_equal(count, 2);
    for (double x = -2; x <= 2; x += 0.125) {
        double q[6] = { 9, 9, 9, x, 0, 0 }, g[6], h[9], per_body[4] = { 0 }, l = sqrt(x * x + 1),
               value = k * (l - sqrt(2)) * (l - sqrt(2));
        near(e->ops->value(e, &one_thread, q, per_body), value, 1e-14);
        near(per_body[3], value, 1e-14);
        gradient_at(&b, q, g);
        near(g[3], 2 * k * (l - sqrt(2)) * x / l, 1e-14);
        assert_true(g[0] == 0 && g[4] == 0 && g[5] == 0);
        hessian_at(&b, q, VV_HESSIAN_EXACT, h);
        near(h[0], 2 * k * (1 - sqrt(2) / (l * l * l)), 1e-13);
        assert_true(h[1] == 0 && h[2] == 0 && h[3] == 0 && h[6] == 0);
    }
    free_bound(&b);
}

static void refuse(const char *name, const double *values, const char *says)
{
    vv_potential p;
    vvSetting settings[POSITIONAL_MOST];
    vvError error;
    const int count = potential_settings(name, values, settings);
    assert_int_equal(vv_potential_make(name, settings, count, &p, &error), VV_ERROR_INPUT);
    if (!strstr(error.message, says))
        fail_msg("'%s' does not say '%s'", error.message, says);
}

static void wrong_input_is_refused(void **unused)
{
    (void)unused;
    refuse("wall", NULL, "there are: harmonic, spring, squared-spring");
    refuse(NULL, NULL, "(none)");
    refuse("harmonic", (double[]){ 0, 0, 0, -1 }, "harmonic.stiffness is -1");
    refuse("quartic", (double[]){ 0, NAN, 0, 1 }, "quartic.center[1] is nan");
    refuse("spring", (double[]){ 0, 0, 0, 1, -1 }, "spring.length is -1");
    refuse("quadratic-wall", (double[]){ 0, 0, 0, 0, 0, 0, 1 }, "normal is (0, 0, 0)");
    refuse("barrier-wall", (double[]){ 0, 0, 0, 0, 1, 0, 1, 0 }, "barrier-wall.distance is 0");
    refuse("barrier-wall", (double[]){ 0, 0, 0, 0, 1, 0, 0, 1 }, "barrier-wall.stiffness is 0");
    refuse("barrier-wall", (double[]){ 0, 0, 0, 0, INFINITY, 0, 1, 1 }, "barrier-wall.normal[1] is inf");
    for (int kind = 0; vvPotentialInfo(kind); kind++) { /* defaults are allowed */
        vv_potential p = make(vvPotentialInfo(kind)->info.name, NULL);
        assert_true(vv_potential_value_count(&p) <= VV_POTENTIAL_VALUES);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_by_hand),
        cmocka_unit_test(derivatives_and_projection),
        cmocka_unit_test(singular_places_are_finite),
        cmocka_unit_test(rest_hessians),
        cmocka_unit_test(barriers_are_not_passed),
        cmocka_unit_test(two_on_one_node),
        cmocka_unit_test(wrong_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
