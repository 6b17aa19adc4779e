/* The terms of joints: derivatives of every form against differences at random places, inside, outside and beyond
 * limits, saturated; the projection; invariance under rigid motions; shares of bodies; the constant model, which
 * is a bound where it says so; one node at a time; motors that follow no farther than their force reaches, and
 * their work. */
#include "node_fixture.h"

#include "energy/links/links.h"

enum { FORMS = VV_LINK_ANGLE + 1 };
static const char *const names[FORMS] = { "point", "length", "line", "travel", "angle" };

/* Random points of two bodies: nodes 0 to 12 and 13 to 26. Vectors of a form lead between points of the first, but
 * the last to one of the second body. */
static void add_point(rng *r, vv_link *l, int v, double sign, int side)
{
    double weight[4], sum = 0;
    for (int i = 0; i < 4; i++)
        sum += weight[i] = 0.3 + 0.5 * rng_next(r);
    for (int i = 0; i < 4; i++) {
        int node = side ? 13 + (int)(6.9 * (1 + rng_next(r))) : (int)(6.4 * (1 + rng_next(r))), at = 0;
        while (at < l->nodes && l->node[at] != node)
            at++;
        if (at == VV_LINK_NODES)
            continue;
        if (at == l->nodes)
            l->node[l->nodes++] = node;
        l->weight[v][at] += sign * weight[i] / sum;
    }
    if (side == 0)
        l->first = l->nodes;
}

static vv_link random_link(rng *r, vv_link_form form)
{
    vv_link l = { .form = form, .stiffness = 3, .most = INFINITY };
    const int vectors = vv_link_vectors(form);
    for (int v = 0; v < vectors; v++) {
        if (v < vectors - 1)
            add_point(r, &l, v, 1, 0);
        add_point(r, &l, v, -1, 0);
    }
    add_point(r, &l, vectors - 1, 1, 1);
    return l;
}

static int body_of[NODES];

static vv_energy *energy_of(const vv_link *links, int count, const double *x)
{
    vv_energy *e;
    for (int i = 0; i < NODES; i++)
        body_of[i] = i >= 13;
    assert_int_equal(vv_links_create(count, links, 1, body_of, x, &e, NULL), VV_OK);
    return e;
}

static void random_places(rng *r, double *x)
{
    for (int i = 0; i < 3 * NODES; i++)
        x[i] = rng_next(r);
}

static double number_of(const vv_link *l, const double *x)
{
    double d[VV_LINK_MOST], c;
    vv_link_at(l, x, 3, d);
    return vv_link_measure(l, d, &c, NULL, NULL) ? c : 0;
}

/* Only the rows and columns of the link's nodes: the others are 0. */
static double *compact(const vv_link *l, const double *h)
{
    const int n = 3 * l->nodes;
    double *to = malloc((size_t)(n * n) * sizeof *to);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            to[i * n + j] = h[(3 * l->node[i / 3] + i % 3) * 3 * NODES + 3 * l->node[j / 3] + j % 3];
    return to;
}

/* Where f stands to its limits: a spring, free, above, below, saturated above and below. */
enum { STANDS = 6 };
static void stand(vv_link *l, double c, int how)
{
    static const double low[STANDS] = { 0.2, -0.3, -0.7, 0.4, -1.3, 0.9 },
                        high[STANDS] = { 0.2, 0.3, -0.2, 0.9, -0.9, 1.3 };
    l->low = c + low[how], l->high = c + high[how];
    if (l->form == VV_LINK_LENGTH) /* no length is below 0 */
        l->low = fmax(l->low, 0), l->high = fmax(l->high, 0.05);
    l->most = how >= 4 ? 1.5 : INFINITY;
}

static void derivatives_and_projection(void **unused)
{
    (void)unused;
    rng r = { 11 };
    for (int form = 0; form < FORMS; form++)
        for (int how = 0; how < STANDS; how++)
            for (int again = 0; again < 1; again++) {
                double x[3 * NODES], *exact = malloc(9 * NODES * NODES * sizeof *exact),
                                     *projected = malloc(9 * NODES * NODES * sizeof *exact);
                vv_link l = random_link(&r, (vv_link_form)form);
                random_places(&r, x);
                stand(&l, number_of(&l, x), how);
                bound b = bind_energy(energy_of(&l, 1, x), NODES, 0);
                double error = difference_error(&b, x, 1e-6, 1);
                if (!(error < 1e-6))
                    fail_msg("%s, %d: derivatives are off by %g", names[form], how, error);
                hessian_at(&b, x, VV_HESSIAN_EXACT, exact);
                hessian_at(&b, x, VV_HESSIAN_PROJECTED, projected);
                const double size = largest(exact, 9 * NODES * NODES) + 1e-300;
                assert_true(largest_difference(exact, projected, 9 * NODES * NODES) <= 20 * size);
                double *small[2] = { compact(&l, exact), compact(&l, projected) };
                const int n = 3 * l.nodes;
                assert_true(least_eigenvalue(n, small[1]) > -1e-11 * size);
                if (least_eigenvalue(n, small[0]) > -1e-11 * size &&
                    largest_difference(small[0], small[1], n * n) > 1e-9 * size)
                    fail_msg("%s, %d: a semidefinite matrix is projected to another one", names[form], how);
                free(small[0]);
                free(small[1]);
                free_bound(&b);
                free(exact);
                free(projected);
            }
}

/* Two points at one place that are to be apart: pushed along x, with the same energy however it is asked for, and
 * finite second derivatives. */
static void no_length(void **unused)
{
    (void)unused;
    vv_link l = { .form = VV_LINK_LENGTH,
                  .nodes = 2,
                  .first = 1,
                  .node = { 0, 1 },
                  .weight = { { -1, 1 } },
                  .stiffness = 40,
                  .low = 0.3,
                  .high = 0.5,
                  .most = INFINITY };
    for (int wanted = VV_LINK_ENERGY; wanted <= VV_LINK_PROJECTED; wanted++) {
        const double d[VV_LINK_MOST] = { 0 };
        vv_link_value at;
        vv_link_evaluate(&l, d, (vv_link_wanted)wanted, &at);
        assert_true(fabs(at.energy - 0.5 * 40 * 0.09) < 1e-14);
        for (int k = 0; wanted >= VV_LINK_GRADIENT && k < 3; k++)
            assert_true(fabs(at.gradient[k] - (k == 0 ? -40 * 0.3 : 0)) < 1e-14);
        for (int k = 0; wanted >= VV_LINK_EXACT && k < 9; k++)
            assert_true(at.hessian[k] == (k == 0 ? 40 : 0));
    }
    l.low = 0; /* a rope: nothing */
    vv_link_value at;
    vv_link_evaluate(&l, (double[VV_LINK_MOST]){ 0 }, VV_LINK_PROJECTED, &at);
    assert_true(at.energy == 0 && at.gradient[0] == 0 && at.hessian[0] == 0);
}

/* A term between bodies alone knows no place: no force and no torque in all, and the same value wherever both are
 * moved to. */
static void rigid_motions_change_nothing(void **unused)
{
    (void)unused;
    rng r = { 17 };
    for (int form = 0; form < FORMS; form++)
        for (int how = 0; how < STANDS; how++) {
            double x[3 * NODES], y[3 * NODES], g[3 * NODES], turn[9], force[3] = { 0 }, torque[3] = { 0 };
            vv_link l = random_link(&r, (vv_link_form)form);
            random_places(&r, x);
            stand(&l, number_of(&l, x), how);
            bound b = bind_energy(energy_of(&l, 1, x), NODES, 0);
            gradient_at(&b, x, g);
            random_rotation(&r, turn);
            for (int i = 0; i < NODES; i++) {
                double t[3];
                vv_matvec(turn, x + 3 * i, y + 3 * i);
                vv_cross(x + 3 * i, g + 3 * i, t);
                for (int k = 0; k < 3; k++)
                    y[3 * i + k] += k, force[k] += g[3 * i + k], torque[k] += t[k];
            }
            const double size = largest(g, 3 * NODES) + 1, value = energy_at(&b, x);
            assert_true(vv_norm(force) < 1e-13 * size && vv_norm(torque) < 1e-13 * size);
            assert_true(fabs(energy_at(&b, y) - value) < 1e-12 * (value + 1));
            double per_body[2] = { 0 };
            b.e->ops->value(b.e, &one_thread, x, per_body);
            assert_true(per_body[0] == per_body[1] && fabs(per_body[0] + per_body[1] - value) <= 1e-15 * value);
            free_bound(&b);
        }
}

/* E(x + s) <= E(x) + dE s + 1/2 s L s: POINT and LENGTH everywhere. */
static void models_are_bounds(void **unused)
{
    (void)unused;
    rng r = { 23 };
    for (int form = 0; form < FORMS; form++)
        for (int again = 0; again < 40; again++) {
            double x[3 * NODES], y[3 * NODES], g[3 * NODES], model = 0;
            int unknown[NODES];
            vv_link l = random_link(&r, (vv_link_form)form);
            vv_quadratic q;
            random_places(&r, x);
            random_places(&r, y);
            stand(&l, number_of(&l, x), again % STANDS);
            bound b = bind_energy(energy_of(&l, 1, x), NODES, 0);
            for (int i = 0; i < NODES; i++)
                unknown[i] = i;
            assert_true(vv_quadratic_init(&q, NODES, unknown));
            assert_true(b.e->ops->quadratic(b.e, VV_QUADRATIC_BOUND, &q));
            assert_int_equal(q.loose, form > VV_LINK_LENGTH);
            gradient_at(&b, x, g);
            for (int i = 0; i < NODES; i++)
                for (int k = 0; k < 3; k++) {
                    const double s = y[3 * i + k] - x[3 * i + k];
                    model += g[3 * i + k] * s + 0.5 * q.diagonal[i] * s * s;
                }
            for (size_t i = 0; i < q.count; i++)
                for (int k = 0; k < 3; k++)
                    model += q.entry[i].value * (y[3 * q.entry[i].row + k] - x[3 * q.entry[i].row + k]) *
                             (y[3 * q.entry[i].col + k] - x[3 * q.entry[i].col + k]);
            if (form <= VV_LINK_LENGTH)
                assert_true(energy_at(&b, y) <= energy_at(&b, x) + model + 1e-12);
            vv_quadratic_free(&q);
            free_bound(&b);
        }
}

static void one_node_at_a_time(void **unused)
{
    (void)unused;
    rng r = { 29 };
    vv_link l[FORMS];
    double x[3 * NODES];
    random_places(&r, x);
    for (int form = 0; form < FORMS; form++) {
        l[form] = random_link(&r, (vv_link_form)form);
        /* the exact Hessians are compared: of an angle none acts */
        stand(l + form, number_of(l + form, x), form == VV_LINK_ANGLE ? 1 : form);
    }
    subject s;
    begin(&s, energy_of(l, FORMS, x), false);
    compare(&s, x, false, true, "links");
    check_order(&s);
    end(&s);
}

/* A body's node and a place in space. */
static vv_link motor_between(double speed, double most)
{
    vv_link l = { .form = VV_LINK_TRAVEL,
                  .nodes = 1,
                  .first = 0,
                  .weight = { { 0 }, { 1 } },
                  .offset = { { 2, 0, 0 } },
                  .stiffness = 100,
                  .full = 100,
                  .low = NAN,
                  .high = NAN,
                  .most = most,
                  .motor = true,
                  .speed = speed };
    return l;
}

static void motors_do_not_wind_up(void **unused)
{
    (void)unused;
    double x[3 * NODES] = { 0.5 };
    const double h = 0.1;
    int count;
    vv_link l = motor_between(2, 5);
    vv_energy *e = energy_of(&l, 1, x);
    const vv_link *now = vv_links_of(e, &count);
    assert_int_equal(count, 1);
    assert_true(e->ops->value(e, &one_thread, x, NULL) == 0); /* not yet used */
    for (int i = 0; i < 20; i++) {                            /* stalled */
        const double before = e->ops->value(e, &one_thread, x, NULL);
        vv_links_begin(e, x, h, 1);
        assert_true(i > 1 || vv_links_move(e));
        assert_true(now->low <= 0.5 + 2 * 2 * h + 1e-12);
        assert_true(fabs(vv_link_force(now, 0.5)) <= 5);
        /* its force is the greatest, and it does no work where nothing moves: neither by a jump, nor by the way */
        if (i >= 2) {
            assert_true(fabs(vv_link_force(now, 0.5) + 5) < 1e-12);
            const double jump = e->ops->value(e, &one_thread, x, NULL) - before,
                         way = vv_links_way_work(e, 1, x, x, NULL);
            assert_true(fabs(jump) < 1e-12 && fabs(way + jump) < 1e-12);
        }
    }
    const double target = now->low;
    vv_links_begin(e, x, h, 1);
    vv_links_back(e);
    assert_true(now->low == target);
    e->ops->destroy(e);
}

/* The mean of the forces at both ends, times the way of the target: by hand. */
static void the_work_of_a_way(void **unused)
{
    (void)unused;
    double x[3 * NODES] = { 0.5 }, y[3 * NODES] = { 0.62 };
    vv_link l = motor_between(2, 1e9);
    vv_energy *e = energy_of(&l, 1, x);
    vv_links_begin(e, x, 0, 1);
    vv_links_begin(e, x, 0.1, 1); /* from 0.5 to 0.7 */
    const double jump = e->ops->value(e, &one_thread, x, NULL), more = vv_links_way_work(e, 1, x, y, NULL);
    assert_true(fabs(jump - 0.5 * 100 * 0.04) < 1e-12);
    assert_true(fabs(jump + more - 0.5 * (0 + 100 * 0.08) * 0.2) < 1e-12);
    e->ops->destroy(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_and_projection),
        cmocka_unit_test(no_length),
        cmocka_unit_test(rigid_motions_change_nothing),
        cmocka_unit_test(models_are_bounds),
        cmocka_unit_test(one_node_at_a_time),
        cmocka_unit_test(motors_do_not_wind_up),
        cmocka_unit_test(the_work_of_a_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
