/* Repulsion springs against analytic obstacles, still and in moving frames: signed distances inside; energies against
 * differences, in every form; one node at a time; the constraint of xpbd against the minimum that it stands for;
 * which vertices have a spring, and for how long; projection; friction. */
#include "energy_fixture.h"
#include "node_fixture.h"
#include "obstacle_fixture.h"

#include "contact/springs/repulsion.h"

#define assert_less(a, b)                                                             \
    do {                                                                              \
        double less_a = (a), less_b = (b);                                            \
        if (!(less_a < less_b))                                                       \
            fail_msg("%s = %.9g is not less than %s = %.9g", #a, less_a, #b, less_b); \
    } while (0)

/* the frame's nodes come first; the last vertex hangs between the last two nodes */
enum { POINTS = 5, FIRST = 4, ALL = FIRST + POINTS + 1 };

typedef struct scene {
    int start[POINTS + 1], node[POINTS + 1], body[POINTS], label[POINTS];
    double weight[POINTS + 1], area[POINTS], radius[POINTS], friction[POINTS], rest[3 * ALL];
    uint64_t bits[POINTS], *held[2];
    vv_vertices v;
    vv_obstacle o;
    vv_frame frame;
    vv_barrier_def def;
} scene;

static void make_scene(scene *s, int index, bool moves)
{
    *s = (scene){ .start = { 0, 1, 2, 3, 4, 6 },
                  .node = { 4, 5, 6, 7, 8, 9 },
                  .body = { 1, 1, 1, 1, 1 },
                  .label = { 0, 1, 2, 3, 4 },
                  .weight = { 1, 1, 1, 1, 0.3, 0.7 },
                  .area = { 0.01, 0.02, 0.03, 0.04, 0.05 },
                  .radius = { 0, 0.001, 0, 0.002, 0 },
                  .friction = { -1, -1, 0.5, -1, -1 } };
    s->v = (vv_vertices){ .count = POINTS,
                          .start = s->start,
                          .node = s->node,
                          .weight = s->weight,
                          .area = s->area,
                          .radius = s->radius,
                          .body = s->body,
                          .label = s->label,
                          .friction = s->friction };
    s->o = make_obstacle(index);
    s->o.body1 = moves;
    s->held[1] = s->bits;
    for (int i = 0; i < 12; i++)
        s->rest[i] = s->o.values[i % 3] + (i / 3 == i % 3 + 1 ? 0.3 + 0.1 * (i / 3) : 0);
    s->frame = vv_frame_make(0, s->rest);
    s->def = (vv_barrier_def){ &s->v, &s->o, 1, 0.02, 1e4, 0.4, 0.1, 2, NULL, moves ? &s->frame : NULL };
}

static vv_energy *make_springs(scene *s, int form, double stiffness)
{
    vv_energy *e;
    vv_repulsion_def def = { &s->def, vv_repulsion_form_at(form), stiffness, false, s->held };
    assert_int_equal(vv_repulsion_create(&def, &e, NULL), VV_OK);
    return e;
}

/* The frame in any place; all points at the gap, the hanging vertex anywhere. */
static void pose(scene *s, rng *r, double gap, double *q)
{
    double turn[9];
    random_rotation(r, turn);
    for (int i = 0; i < 4; i++) {
        double a[3];
        vv_sub(s->rest + 3 * i, s->rest, a);
        vv_matvec(turn, a, a);
        for (int k = 0; k < 3; k++)
            q[3 * i + k] = s->rest[k] + a[k] + (s->def.frames ? 0.3 * k : 0);
    }
    assert_true(vv_contact_place(&s->def, q));
    for (int i = 0; i < POINTS + 1; i++) {
        double *x = q + 3 * (FIRST + i), n[3];
        for (int k = 0; k < 3; k++)
            x[k] = q[k] + 1.5 * rng_next(r);
        for (int step = 0; step < 50; step++) {
            double d = vv_contact_gap(&s->def, i < POINTS ? i : 0, 0, x, n, NULL);
            for (int k = 0; k < 3; k++)
                x[k] += (gap - d) * n[k] / vv_dot(n, n);
        }
    }
    for (int k = 0; k < 3; k++) /* so that both nodes of the hanging vertex are near each other */
        q[3 * (ALL - 1) + k] = q[3 * (ALL - 2) + k] + 0.01 * rng_next(r);
}

/* From any place not far inside, the surface is where the signed distance says, in the direction of its gradient. */
static void distances_hold_inside(void **state)
{
    (void)state;
    for (int index = 0; vvObstacleInfo(index); index++)
        if (is_exact(index)) {
            vv_obstacle o = make_obstacle(index);
            rng r = { 3 };
            for (int k = 0, found = 0; found < 300; k++) {
                double x[3], n[3], at[3], m[3];
                for (int c = 0; c < 3; c++)
                    x[c] = o.values[c] + 1.5 * rng_next(&r);
                const double d = vv_obstacle_distance(&o, x, n, NULL);
                if (d >= 0)
                    continue;
                found++;
                for (int c = 0; c < 3; c++)
                    at[c] = x[c] - d * n[c];
                assert_less(fabs(vv_obstacle_distance(&o, at, m, NULL)), 1e-12);
                assert_less(fabs(vv_norm(n) - 1), 1e-12);
                double nearer = INFINITY, t[3];
                for (int c = 0; c < 200; c++) { /* no point of the surface is nearer */
                    for (int i = 0; i < 3; i++)
                        t[i] = rng_next(&r);
                    const double length = vv_norm(t);
                    for (int i = 0; i < 3; i++)
                        t[i] = x[i] - 0.999 * d * t[i] / length;
                    nearer = fmin(nearer, -vv_obstacle_distance(&o, t, NULL, NULL));
                }
                assert_true(nearer > 0);
            }
        }
}

/* Springs made at q. Of a form that acts everywhere they stand as they did. */
static bool made(vv_energy *e, int form, const double *q, const double *v)
{
    const bool any = vv_repulsion_choose(e, q, v, 0), everywhere = vv_repulsion_form_at(form)->everywhere;
    return any != everywhere && vv_repulsion_place(e, q);
}

static void check_differences(bound *b, const double *x, double *worst)
{
    static double h[9 * (ALL - FIRST) * (ALL - FIRST)];
    double g[3 * ALL], up[3 * ALL], down[3 * ALL], y[3 * ALL];
    memcpy(y, x, sizeof y);
    gradient_at(b, x, g);
    hessian_at(b, x, VV_HESSIAN_EXACT, h);
    const double size = largest(g, 3 * ALL) + 1e-3, bend = largest(h, 9 * (ALL - FIRST) * (ALL - FIRST)) + 1e-3,
                 step = 1e-6;
    for (int i = 0; i < 3 * ALL; i++) {
        double e[2];
        for (int k = 0; k < 2; k++) {
            y[i] = x[i] + (k ? -step : step);
            e[k] = energy_at(b, y);
            gradient_at(b, y, k ? down : up);
        }
        y[i] = x[i];
        *worst = fmax(*worst, fabs((e[0] - e[1]) / (2 * step) - g[i]) / size);
        for (int j = 3 * FIRST; i >= 3 * FIRST && j < 3 * ALL; j++)
            *worst =
                fmax(*worst, fabs((up[j] - down[j]) / (2 * step) - h[(j - 12) * 3 * (ALL - FIRST) + i - 12]) / bend);
    }
}

/* Where they were made E is k a f(gap); elsewhere its derivatives are those of its differences; forces balance. */
static void energies_match_their_derivatives(void **state)
{
    (void)state;
    for (int form = 0; vv_repulsion_form_at(form); form++)
        for (int index = 0; vvObstacleInfo(index); index++)
            if (is_exact(index))
                for (int moves = 0; moves < 2; moves++) {
                    scene s;
                    make_scene(&s, index, moves);
                    vv_energy *e = make_springs(&s, form, 1e5);
                    bound b = bind_energy(e, ALL, FIRST);
                    rng r = { 5 };
                    double worst = 0;
                    for (int k = 0; k < 4; k++) {
                        double q[3 * ALL], v[3 * ALL] = { 0 }, g[3 * ALL], sum[3] = { 0 }, moment[3] = { 0 }, want = 0,
                                                 f[3];
                        pose(&s, &r, -0.02, q);
                        assert_true(made(e, form, q, v));
                        for (int i = 0; i < 4; i++)
                            assert_true(vv_repulsion_presses(e)->first[i] == i);
                        for (int i = 0; i < POINTS; i++) {
                            double x[3];
                            vv_vertex_position(&s.v, i, q, x);
                            vv_repulsion_form_at(form)->law(vv_contact_gap(&s.def, i, 0, x, NULL, NULL), f);
                            want += vv_repulsion_presses(e)->first[i] < 0 ? 0 : 1e5 * s.area[i] * f[0];
                        }
                        assert_less(fabs(energy_at(&b, q) - want), 1e-10 * want);
                        for (int i = 0; i < 3 * ALL; i++)
                            q[i] += 0.004 * rng_next(&r);
                        check_differences(&b, q, &worst);
                        gradient_at(&b, q, g);
                        for (int i = 0; i < ALL; i++) {
                            double t[3];
                            vv_cross(q + 3 * i, g + 3 * i, t);
                            for (int c = 0; c < 3; c++)
                                sum[c] += g[3 * i + c], moment[c] += t[c];
                        }
                        if (moves) /* between vertices and frame: nothing in all */
                            assert_less(vv_norm(sum) + vv_norm(moment), 1e-9 * largest(g, 3 * ALL));
                    }
                    assert_less(worst, 1e-5);
                    free_bound(&b);
                }
}

/* `rest` is the minimum, in every form: the slope there is 0. */
static void a_constraint_ends_at_the_minimum(void **state)
{
    (void)state;
    for (int form = 0; vv_repulsion_form_at(form); form++)
        for (double free = -2; free <= 2; free += 0.25)
            for (double a = 1e-6; a < 1e7; a *= 10) {
                const vv_repulsion_form *way = vv_repulsion_form_at(form);
                double f[3], to = way->rest(free, a);
                way->law(to, f);
                assert_less(fabs(to - free + a * f[1]), 1e-9 * (1 + fabs(free)) + 1e-15 * a);
            }
}

/* One-sided and cubic springs go at the next step; a bilateral one stays until its vertex is outside and goes away. */
static void springs_stay_as_long_as_they_ought_to(void **state)
{
    (void)state;
    for (int form = 0; vv_repulsion_form_at(form); form++) {
        if (vv_repulsion_form_at(form)->everywhere)
            continue;
        scene s;
        make_scene(&s, 0, true);
        vv_energy *e = make_springs(&s, form, 1e5);
        const bool keeps = vv_repulsion_form_at(form)->keeps;
        rng r = { 9 };
        double q[3 * ALL], v[3 * ALL] = { 0 }, n[3];
        pose(&s, &r, 0.001, q);
        vv_contact_gap(&s.def, 0, 0, q + 3 * FIRST, n, NULL);
        vv_repulsion_choose(e, q, v, 0);
        assert_true(s.bits[0] == 0 && s.bits[1] == 0); /* outside, without springs before */
        for (int k = 0; k < 3; k++)
            q[3 * FIRST + k] -= 0.003 * n[k];
        assert_true(vv_repulsion_choose(e, q, v, 0) && vv_repulsion_place(e, q) && s.bits[0] == 1 && s.bits[1] == 0);
        assert_true(vv_presses_force(vv_repulsion_presses(e), 0, 0, q + 3 * FIRST) > 0 &&
                    vv_presses_force(vv_repulsion_presses(e), 1, 0, q + 3 * FIRST + 3) == 0);
        for (int k = 0; k < 3; k++)
            q[3 * FIRST + k] += 0.004 * n[k];
        for (int i = 0; i < 12; i++) /* the obstacle follows the vertex faster than it goes */
            v[i] = 2 * n[i % 3];
        for (int k = 0; k < 3; k++)
            v[3 * FIRST + k] = n[k];
        assert_true(vv_repulsion_choose(e, q, v, 0) && s.bits[0] == keeps);
        assert_true(vv_repulsion_place(e, q));
        for (int i = 0; i < 12; i++)
            v[i] = 0.5 * n[i % 3];
        vv_repulsion_choose(e, q, v, 0);
        assert_true(s.bits[0] == 0);
        e->ops->destroy(e);
    }
}

/* A spring that follows is there before its vertex is: where it would come inside in the step at twice its speed
 * towards the surface, of obstacles that move at that relative to them. Its phi is the gap wherever the vertex goes. */
static void springs_that_follow_are_there_before(void **state)
{
    (void)state;
    int form = 0;
    while (!vv_repulsion_form_at(form)->follows)
        form++;
    for (int index = 0; vvObstacleInfo(index); index++)
        if (is_exact(index))
            for (int moves = 0; moves < 2; moves++) {
                scene s;
                make_scene(&s, index, moves);
                vv_energy *e = make_springs(&s, form, 1e5);
                rng r = { 17 };
                double q[3 * ALL], n[3];
                pose(&s, &r, 0.01, q);
                for (int towards = -1; towards <= 1; towards++)
                    for (int fast = 0; fast < 2; fast++) {
                        const double speed = fast ? 0.51 : 0.49;
                        double v[3 * ALL] = { 0 };
                        vv_contact_gap(&s.def, 0, 0, q + 3 * FIRST, n, NULL);
                        for (int i = 0; i < 12; i++)
                            v[i] = 3 * n[i % 3] * moves;
                        for (int k = 0; k < 3; k++)
                            v[3 * FIRST + k] = (3 * moves - towards * speed) * n[k] / vv_dot(n, n);
                        vv_repulsion_choose(e, q, v, 0.01);
                        assert_int_equal(s.bits[0], towards == 1 && fast);
                        if (!s.bits[0])
                            continue;
                        assert_true(vv_repulsion_place(e, q) && e->ops->value(e, NULL, q, NULL) == 0);
                        double in[3 * ALL], f[3], x[3];
                        memcpy(in, q, sizeof in);
                        for (int k = 0; k < 3; k++)
                            in[3 * FIRST + k] -= 0.03 * n[k] - 0.01 * rng_next(&r);
                        vv_vertex_position(&s.v, 0, in, x);
                        const double d = vv_contact_gap(&s.def, 0, 0, x, NULL, NULL);
                        vv_repulsion_form_at(form)->law(d, f);
                        assert_true(d < 0);
                        assert_less(fabs(vv_presses_force(vv_repulsion_presses(e), 0, 0, x) + 1e5 * s.area[0] * f[1]),
                                    1e-9);
                    }
                e->ops->destroy(e);
            }
}

/* Vertices come to the surface, by their nodes' masses, and no more than once there. */
static void vertices_are_put_on_the_surface(void **state)
{
    (void)state;
    for (int index = 0; vvObstacleInfo(index); index++)
        if (is_exact(index)) {
            scene s;
            make_scene(&s, index, true);
            vv_energy *e = make_springs(&s, 2, 1e5);
            rng r = { 11 };
            double q[3 * ALL], from[3 * ALL], v[3 * ALL] = { 0 }, inverse[ALL] = { 0, 0, 0, 0, 1, 2, 3, 4, 0.5, 4 };
            pose(&s, &r, -1e-4, q);
            memcpy(from, q, sizeof q);
            assert_true(vv_repulsion_choose(e, q, v, 0) && vv_repulsion_place(e, q));
            vv_repulsion_project(e, inverse, q);
            assert_memory_equal(q, from, 12 * sizeof *q);
            for (int i = 0; i < POINTS - 1; i++)
                assert_less(fabs(vv_contact_gap(&s.def, i, 0, q + 3 * (FIRST + i), NULL, NULL)), 1e-7);
            if (s.bits[4]) { /* of the two nodes the lighter goes further, by 4 / 0.5 times 0.7 / 0.3 */
                double a[3], b[3];
                vv_sub(q + 3 * 8, from + 3 * 8, a);
                vv_sub(q + 3 * 9, from + 3 * 9, b);
                assert_less(fabs(vv_norm(b) / vv_norm(a) - 8 * 0.7 / 0.3), 1e-9);
            }
            e->ops->destroy(e);
        }
}

/* Eq. 39: the tangential velocity relative to the obstacle loses mu h F / m, or all of it; the normal one keeps; the
 * books close. */
static void friction_slows_down_and_is_booked(void **state)
{
    (void)state;
    for (int index = 0; vvObstacleInfo(index); index++)
        if (is_exact(index))
            for (int strong = 0; strong < 2; strong++) {
                scene s;
                make_scene(&s, index, true);
                vv_energy *e = make_springs(&s, 0, strong ? 1e9 : 1e3);
                rng r = { 13 };
                double q[3 * ALL], v[3 * ALL], was[3 * ALL], inverse[ALL] = { 0, 0, 0, 0, 1, 2, 3, 4, 0, 0 }, lost = 0,
                                                             work = 0, change = 0;
                pose(&s, &r, -0.01, q);
                for (int i = 0; i < 3 * ALL; i++)
                    was[i] = v[i] = rng_next(&r);
                assert_true(vv_repulsion_choose(e, q, v, 0) && vv_repulsion_place(e, q));
                vv_presses_rub(vv_repulsion_presses(e), q, 0.01, inverse, v, &lost, &work);
                for (int i = 0; i < POINTS - 1; i++) {
                    double n[3], w[4], wall[3] = { 0 }, u[3], before[3], f[3];
                    const double *x = q + 3 * (FIRST + i), mu = i == 2 ? 0.5 : 0.4, mass = 1 / inverse[FIRST + i];
                    const double d = vv_contact_gap(&s.def, i, 0, x, n, NULL);
                    vv_frame_weights(&s.frame, x, w);
                    for (int k = 0; k < 12; k++)
                        wall[k % 3] += w[k / 3] * was[k];
                    vv_sub(was + 3 * (FIRST + i), wall, before);
                    vv_sub(v + 3 * (FIRST + i), wall, u);
                    assert_less(fabs(vv_dot(u, n) - vv_dot(before, n)), 1e-12);
                    const double away = vv_dot(u, n);
                    for (int k = 0; k < 3; k++) {
                        u[k] -= away * n[k];
                        f[k] = before[k] - away * n[k];
                    }
                    const double limit = mu * 0.01 * (strong ? 1e9 : 1e3) * s.area[i] * -d / mass, speed = vv_norm(f);
                    assert_less(fabs(vv_norm(u) - fmax(0, speed - limit)), 1e-9 * (1 + speed));
                    change += 0.5 * mass *
                              (vv_dot(v + 3 * (FIRST + i), v + 3 * (FIRST + i)) -
                               vv_dot(was + 3 * (FIRST + i), was + 3 * (FIRST + i)));
                }
                assert_true(lost > 0);
                assert_less(fabs(change - (work - lost)), 1e-12);
                e->ops->destroy(e);
            }
}

/* Block descent's derivatives and values are those of the energy, for single nodes and for vertices between them. */
static void by_node(void **unused)
{
    (void)unused;
    for (int form = 0; vv_repulsion_form_at(form); form++)
        for (int index = 0; vvObstacleInfo(index); index++)
            if (is_exact(index)) {
                vv_obstacle o = make_obstacle(index);
                int start[NODES + 1], node[2 * NODES], body[NODES], label[NODES], at = 0;
                double weight[2 * NODES], area[NODES], radius[NODES], friction[NODES], x[3 * NODES],
                    v[3 * NODES] = { 0 };
                uint64_t bits[NODES] = { 0 }, *held[2] = { bits, bits };
                rng r = { 21 };
                for (int i = 0; i < NODES; i++) {
                    double n[3];
                    start[i] = at;
                    node[at] = i, weight[at++] = i % 5 ? 1 : 0.6;
                    if (i % 5 == 0)
                        node[at] = (i + 7) % NODES, weight[at++] = 0.4;
                    body[i] = i % 2, label[i] = i, area[i] = 0.01 + 0.001 * i, radius[i] = 0, friction[i] = -1;
                    for (int k = 0; k < 3; k++)
                        x[3 * i + k] = (k == 0 ? 0.7 : k == 1 ? 0.5 : -0.2) + 0.06 * rng_next(&r);
                    double d = vv_obstacle_distance(&o, x + 3 * i, n, NULL);
                    for (int k = 0; k < 3; k++)
                        x[3 * i + k] += (-0.02 + 0.03 * rng_next(&r) - d) * n[k];
                }
                start[NODES] = at;
                vv_vertices vs = { .count = NODES,
                                   .start = start,
                                   .node = node,
                                   .weight = weight,
                                   .area = area,
                                   .radius = radius,
                                   .body = body,
                                   .label = label,
                                   .friction = friction };
                vv_barrier_def def = {
                    .vertices = &vs, .obstacles = &o, .obstacle_count = 1, .distance = 0.05, .body_count = 2
                };
                vv_repulsion_def springs = { &def, vv_repulsion_form_at(form), 1e5, false, held };
                vv_energy *e;
                subject s;
                assert_int_equal(vv_repulsion_create(&springs, &e, NULL), VV_OK);
                assert_true(made(e, form, x, v));
                begin(&s, e, false);
                check_order(&s);
                compare(&s, x, false, true, o.ops->type.info.name);
                end(&s);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_hold_inside),
        cmocka_unit_test(energies_match_their_derivatives),
        cmocka_unit_test(a_constraint_ends_at_the_minimum),
        cmocka_unit_test(springs_stay_as_long_as_they_ought_to),
        cmocka_unit_test(springs_that_follow_are_there_before),
        cmocka_unit_test(vertices_are_put_on_the_surface),
        cmocka_unit_test(friction_slows_down_and_is_booked),
        cmocka_unit_test(by_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
