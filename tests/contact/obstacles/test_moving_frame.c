/* Analytic obstacles in moving frames: distances, barrier and friction against differences by all nodes, also those
 * of the frame; a frame that is turned is the shape turned; the step filter on ways of points and frames. */
#include "energy_fixture.h"
#include "obstacle_fixture.h"

#include "contact/barrier/barrier.h"

#define assert_less(a, b)                                                             \
    do {                                                                              \
        double less_a = (a), less_b = (b);                                            \
        if (!(less_a < less_b))                                                       \
            fail_msg("%s = %.9g is not less than %s = %.9g", #a, less_a, #b, less_b); \
    } while (0)

enum { POINTS = 4, NODES = 4 + POINTS }; /* the frame's nodes come first */

/* Four points against one obstacle in a frame. */
typedef struct scene {
    int start[POINTS + 1], node[POINTS], body[POINTS];
    double weight[POINTS], area[POINTS], radius[POINTS], friction[POINTS], rest[3 * NODES];
    vv_vertices v;
    vv_obstacle o;
    vv_frame frame;
    vv_barrier_def def;
} scene;

static void make_scene(scene *s, int index)
{
    *s = (scene){ .start = { 0, 1, 2, 3, 4 },
                  .node = { 4, 5, 6, 7 },
                  .body = { 1, 1, 1, 1 },
                  .weight = { 1, 1, 1, 1 },
                  .area = { 0.01, 0.02, 0.03, 0.04 },
                  .radius = { 0, 0.001, 0, 0.002 },
                  .friction = { -1, -1, 0.5, -1 } };
    s->v = (vv_vertices){ .count = POINTS,
                          .start = s->start,
                          .node = s->node,
                          .weight = s->weight,
                          .area = s->area,
                          .radius = s->radius,
                          .body = s->body,
                          .friction = s->friction };
    s->o = make_obstacle(index);
    s->o.body1 = 1;
    for (int i = 0; i < 12; i++)
        s->rest[i] = s->o.values[i % 3] + (i / 3 == i % 3 + 1 ? 0.3 + 0.1 * (i / 3) : 0);
    s->frame = vv_frame_make(0, s->rest);
    s->def = (vv_barrier_def){ &s->v, &s->o, 1, 0.02, 1e4, 0.4, 0.1, 2, NULL, &s->frame };
}

/* The frame's nodes at rest, turned about its origin by `turn`, and shifted. */
static void pose_frame(const scene *s, const double turn[9], const double shift[3], double *q)
{
    for (int i = 0; i < 4; i++) {
        double r[3];
        vv_sub(s->rest + 3 * i, s->rest, r);
        vv_matvec(turn, r, r);
        for (int k = 0; k < 3; k++)
            q[3 * i + k] = s->rest[k] + r[k] + shift[k];
    }
}

static void random_pose(const scene *s, rng *r, double *q)
{
    double turn[9], shift[3] = { rng_next(r), rng_next(r), rng_next(r) };
    random_rotation(r, turn);
    pose_frame(s, turn, shift, q);
}

/* Puts the points at about `gap` from the obstacle, whose frame stands in q. */
static void place_points(scene *s, rng *r, double gap, double *q)
{
    assert_true(vv_contact_place(&s->def, q));
    for (int i = 0; i < POINTS; i++) {
        double *x = q + 3 * (4 + i), n[3], y[3] = { 2 * rng_next(r), 2 * rng_next(r), 2 * rng_next(r) };
        for (int k = 0; k < 3; k++)
            x[k] = q[k] + y[k];
        double d = vv_contact_gap(&s->def, i, 0, x, n, NULL), aim = gap * (1 + 0.1 * rng_next(r));
        if (d <= 0.05) {
            i--;
            continue;
        }
        for (int step = 0; step < 50; step++) { /* of Newton: a squeezed frame bends the way to the surface */
            d = vv_contact_gap(&s->def, i, 0, x, n, NULL);
            for (int k = 0; k < 3; k++)
                x[k] += (aim - d) * n[k] / vv_dot(n, n);
        }
        assert_true(fabs(vv_contact_gap(&s->def, i, 0, x, NULL, NULL) - aim) < 0.1 * aim);
    }
}

/* A frame that is turned and shifted is the shape turned and shifted; its normals have length 1. */
static void a_turned_frame_is_the_shape_turned(void **state)
{
    (void)state;
    for (int index = 0; vvObstacleInfo(index); index++)
        if (is_exact(index)) {
            scene s;
            make_scene(&s, index);
            rng r = { 4 };
            for (int k = 0; k < 200; k++) {
                double turn[9], shift[3] = { rng_next(&r), rng_next(&r), rng_next(&r) }, q[3 * NODES], x[3], y[3], n[3],
                                m[3], c[9], want[9];
                random_rotation(&r, turn);
                pose_frame(&s, turn, shift, q);
                assert_true(vv_frame_place(&s.frame, q));
                for (int i = 0; i < 3; i++)
                    y[i] = s.rest[i] + rng_next(&r);
                double rel[3], local[3], flat[9], rt[9], t[9];
                vv_sub(y, s.rest, rel);
                vv_matvec(turn, rel, x);
                for (int i = 0; i < 3; i++)
                    x[i] += s.rest[i] + shift[i];
                double d = vv_frame_distance(&s.frame, &s.o, x, n, c),
                       at_rest = vv_obstacle_distance(&s.o, y, local, flat);
                vv_matvec(turn, local, m);
                for (int i = 0; i < 9; i++)
                    rt[i] = turn[3 * (i % 3) + i / 3];
                vv_matmul(turn, flat, t);
                vv_matmul(t, rt, want);
                assert_less(fabs(d - at_rest), 1e-13);
                assert_less(largest_difference(n, m, 3), 1e-12);
                assert_less(largest_difference(c, want, 9), 1e-11 * (1 + largest(want, 9)));
                assert_less(fabs(vv_norm(n) - 1), 1e-12);
                double w[4], sum[3] = { 0 };
                vv_frame_weights(&s.frame, x, w);
                assert_less(fabs(w[0] + w[1] + w[2] + w[3] - 1), 1e-13);
                for (int i = 0; i < 12; i++)
                    sum[i % 3] += w[i / 3] * q[i];
                assert_less(largest_difference(sum, x, 3), 1e-12);
                double from[3], along[3], back[3];
                assert_less(fabs(vv_frame_take_back(&s.frame, x, m, from, along) - 1), 1e-12);
                assert_less(largest_difference(from, y, 3), 1e-12);
                assert_less(largest_difference(along, local, 3), 1e-12);
                vv_frame_normal(&s.frame, local, back);
                assert_less(largest_difference(back, n, 3), 1e-12);
            }
        }
}

/* Gradient by all nodes and Hessian by the free ones, against differences; the frame may be squeezed a little, as it
 * is on its way. */
static void check_differences(bound *b, const double *x, double step, double scale, double *worst)
{
    double g[3 * NODES], up[3 * NODES], down[3 * NODES], y[3 * NODES], h[9 * POINTS * POINTS];
    memcpy(y, x, sizeof y);
    gradient_at(b, x, g);
    hessian_at(b, x, VV_HESSIAN_EXACT, h);
    double size = largest(g, 3 * NODES) + scale, bend = largest(h, 9 * POINTS * POINTS) + scale;
    for (int i = 0; i < 3 * NODES; i++) {
        double e[4], big = 100 * step;
        for (int k = 0; k < 4; k++) {
            y[i] = x[i] + big * (double[]){ 1, -1, 2, -2 }[k];
            e[k] = energy_at(b, y);
        }
        *worst = fmax(*worst, fabs((8 * (e[0] - e[1]) - (e[2] - e[3])) / (12 * big) - g[i]) / size);
        y[i] = x[i] + step;
        gradient_at(b, y, up);
        y[i] = x[i] - step;
        gradient_at(b, y, down);
        y[i] = x[i];
        for (int j = 12; i >= 12 && j < 3 * NODES; j++)
            *worst = fmax(*worst, fabs((up[j] - down[j]) / (2 * step) - h[(j - 12) * 3 * POINTS + i - 12]) / bend);
    }
}

static void squeeze(rng *r, double *q)
{
    for (int i = 3; i < 12; i++)
        q[i] += 0.02 * rng_next(r);
}

static void barrier_matches_its_derivatives(void **state)
{
    (void)state;
    for (int index = 0; vvObstacleInfo(index); index++)
        if (is_exact(index)) {
            scene s;
            make_scene(&s, index);
            vv_energy *e;
            assert_int_equal(vv_barrier_create(&s.def, &e, NULL), VV_OK);
            bound b = bind_energy(e, NODES, 4);
            rng r = { 5 };
            double worst = 0;
            for (int k = 0; k < 20; k++) {
                double q[3 * NODES], g[3 * NODES], h[9 * POINTS * POINTS], sum[3] = { 0 }, moment[3] = { 0 };
                random_pose(&s, &r, q);
                if (k % 2)
                    squeeze(&r, q);
                place_points(&s, &r, k % 4 < 2 ? 0.01 : 0.005, q);
                assert_true(energy_at(&b, q) > 0 && energy_at(&b, q) < INFINITY);
                check_differences(&b, q, 1e-8, 1e-3, &worst);
                hessian_at(&b, q, VV_HESSIAN_PROJECTED, h);
                assert_true(least_eigenvalue(3 * POINTS, h) >= -1e-9 * largest(h, 9 * POINTS * POINTS));
                gradient_at(&b, q, g); /* forces between points and frame: nothing in all */
                for (int i = 0; i < NODES; i++) {
                    double t[3];
                    vv_cross(q + 3 * i, g + 3 * i, t);
                    for (int c = 0; c < 3; c++)
                        sum[c] += g[3 * i + c], moment[c] += t[c];
                }
                assert_less(vv_norm(sum), 1e-10 * largest(g, 3 * NODES));
                assert_less(vv_norm(moment), 1e-9 * largest(g, 3 * NODES));
            }
            print_message("moving %-10s barrier: worst difference %.2g\n", s.o.ops->type.info.name, worst);
            assert_less(worst, 5e-4);
            double flat[3 * NODES] = { 0 }; /* all nodes in one place: no coordinates, no energy */
            assert_true(energy_at(&b, flat) == INFINITY);
            free_bound(&b);
        }
}

/* A velocity field v + w x x of points and frame alike does not slide. */
static void rigid_motion(rng *r, const double *q, double *v)
{
    double shift[3] = { rng_next(r), rng_next(r), rng_next(r) }, spin[3] = { rng_next(r), rng_next(r), rng_next(r) };
    for (int i = 0; i < NODES; i++) {
        vv_cross(spin, q + 3 * i, v + 3 * i);
        for (int k = 0; k < 3; k++)
            v[3 * i + k] += shift[k];
    }
}

static void friction_matches_its_derivatives(void **state)
{
    (void)state;
    for (int index = 0; vvObstacleInfo(index); index++)
        if (is_exact(index)) {
            scene s;
            make_scene(&s, index);
            vv_energy *e;
            assert_int_equal(vv_friction_create(&s.def, NULL, &e, NULL), VV_OK);
            bound b = bind_energy(e, NODES, 4);
            assert_true(e->mutual);
            rng r = { 3 };
            double worst = 0;
            for (int k = 0; k < 20; k++) {
                double q[3 * NODES], v[3 * NODES], w[3 * NODES], g[3 * NODES], h[9 * POINTS * POINTS],
                    speed = k % 2 ? 1 : 0.03;
                random_pose(&s, &r, q);
                place_points(&s, &r, 0.01, q);
                rigid_motion(&r, q, v);
                e->ops->lag(e, &one_thread, q, v, 0.01);
                assert_less(energy_at(&b, v), 1e-20);
                gradient_at(&b, v, g);
                assert_less(largest(g, 3 * NODES), 1e-8);
                for (int i = 0; i < 3 * NODES; i++)
                    w[i] = v[i] + (i >= 12 ? speed * rng_next(&r) : 0);
                check_differences(&b, w, 1e-7, 1e-6, &worst);
                hessian_at(&b, w, VV_HESSIAN_EXACT, h);
                assert_true(least_eigenvalue(3 * POINTS, h) >= -1e-9 * largest(h, 9 * POINTS * POINTS));
                /* the same as against a frame at rest, but for the motion that both share: Galilean, and turning */
                double value = energy_at(&b, w), other[3 * NODES];
                for (int i = 0; i < 3 * NODES; i++)
                    other[i] = i < 12 ? 0 : w[i] - v[i];
                assert_less(fabs(energy_at(&b, other) - value), 1e-9 * (value + 1e-9));
            }
            print_message("moving %-10s friction: worst difference %.2g\n", s.o.ops->type.info.name, worst);
            assert_less(worst, 3e-4);
            free_bound(&b);
        }
}

/* Stretches the axes of the frame in q, and leans them. */
static void deform(rng *r, double *q)
{
    double stretch[3] = { 1 + 0.5 * rng_next(r), 1 + 0.5 * rng_next(r), 1 + 0.5 * rng_next(r) };
    for (int i = 3; i < 12; i++)
        q[i] = q[i % 3] + stretch[i / 3 - 1] * (q[i] - q[i % 3]) + 0.1 * rng_next(r);
}

/* Points and frame go any way, turns of up to 150 degrees included: on the part that the filter allows no point
 * touches, and the part is not needlessly short. In one of four ways the frame begins squeezed, and ends stretched
 * and leaning. */
static void step_filter_is_safe(void **state)
{
    (void)state;
    for (int index = 0; vvObstacleInfo(index); index++)
        if (is_exact(index)) {
            scene s;
            make_scene(&s, index);
            vv_energy *e;
            assert_int_equal(vv_barrier_create(&s.def, &e, NULL), VV_OK);
            rng r = { 9 };
            int stopped = 0, free_ways = 0;
            for (int k = 0; k < 400; k++) {
                double q[3 * NODES], p[3 * NODES], to[3 * NODES], y[3 * NODES], gap[POINTS], turn[9], axis[3], shift[3];
                double scale = pow(10, 2 * rng_next(&r) - 1), angle = k % 3 ? 2.6 * fabs(rng_next(&r)) * scale / 10 : 0;
                const double still[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
                pose_frame(&s, still, (double[]){ 0, 0, 0 }, q);
                if (k % 4 == 3)
                    squeeze(&r, q);
                place_points(&s, &r, 0.1 * pow(10, 2 * rng_next(&r) - 2), q);
                for (int c = 0; c < 3; c++)
                    axis[c] = rng_next(&r), shift[c] = scale * rng_next(&r);
                vv_axis_angle(axis, angle, turn);
                pose_frame(&s, turn, shift, to);
                if (k % 4 == 3)
                    deform(&r, to);
                for (int c = 0; c < 3 * NODES; c++)
                    p[c] = c < 12 ? to[c] - q[c] : scale * rng_next(&r);
                vv_contact_place(&s.def, q);
                for (int i = 0; i < POINTS; i++)
                    gap[i] = vv_contact_gap(&s.def, i, 0, q + 3 * (4 + i), NULL, NULL);
                double t = e->ops->max_step(e, &one_thread, q, p);
                assert_true(t > 0 && t <= 1);
                for (int j = 1; j <= 100; j++) {
                    for (int c = 0; c < 3 * NODES; c++)
                        y[c] = q[c] + t * j / 100 * p[c];
                    assert_true(vv_contact_min_gap(&s.def, y, NULL, NULL, NULL) > 0);
                }
                bool near = t == 1 || k % 4 == 3;
                for (int i = 0; i < POINTS; i++)
                    near = near || vv_contact_gap(&s.def, i, 0, y + 3 * (4 + i), NULL, NULL) < 0.2 * gap[i];
                assert_true(near);
                stopped += t < 1;
                free_ways += t == 1;
                bool crosses = vv_barrier_crosses(&s.def, q, p);
                assert_true(t < 1 || !crosses);
                for (int j = 1; j <= 100 && !crosses; j++) {
                    for (int c = 0; c < 3 * NODES; c++)
                        y[c] = q[c] + 0.01 * j * p[c];
                    assert_true(vv_contact_min_gap(&s.def, y, NULL, NULL, NULL) > 0);
                }
            }
            assert_true(stopped > 20 && free_ways > 20);
            e->ops->destroy(e);
        }
}

/* What is free is not stopped: all points and the frame move together, along any way and turn. */
static void what_moves_together_is_free(void **state)
{
    (void)state;
    for (int index = 0; vvObstacleInfo(index); index++)
        if (is_exact(index)) {
            scene s;
            make_scene(&s, index);
            rng r = { 15 };
            for (int k = 0; k < 50; k++) {
                double q[3 * NODES], to[3 * NODES], p[3 * NODES], w[4], from[9], turn[9], both[9];
                double axis[3] = { rng_next(&r), rng_next(&r), rng_next(&r) };
                random_rotation(&r, from);
                pose_frame(&s, from, (double[]){ 0, 0, 0 }, q);
                place_points(&s, &r, 1e-4 * (2 + rng_next(&r)), q);
                vv_axis_angle(axis, k % 2 ? 2.5 : 0.1, turn);
                vv_matmul(turn, from, both);
                pose_frame(&s, both, (double[]){ 3, 0, 1 }, to);
                for (int i = 0; i < 12; i++)
                    p[i] = to[i] - q[i];
                for (int i = 4; i < NODES; i++) {
                    vv_frame_weights(&s.frame, q + 3 * i, w);
                    for (int c = 0; c < 3; c++) {
                        p[3 * i + c] = 0;
                        for (int a = 0; a < 4; a++)
                            p[3 * i + c] += w[a] * p[3 * a + c];
                    }
                }
                double free_part = vv_barrier_max_step(&s.def, q, p);
                assert_true(free_part == 1);
                assert_false(vv_barrier_crosses(&s.def, q, p));
            }
        }
}

/* Many obstacles, half of them in frames, and a cloud of points: what is far is left out, and nothing changes by it
 * to the bit. */
static void what_is_far_is_left_out(void **state)
{
    (void)state;
    enum { SHAPES = 24, CLOUD = 600, ALL = 4 * SHAPES + CLOUD };
    static int start[CLOUD + 1], node[CLOUD], body[CLOUD];
    static double weight[CLOUD], area[CLOUD], radius[CLOUD], friction[CLOUD], rest[3 * ALL], q[3 * ALL], p[3 * ALL],
        g[2][3 * ALL];
    vv_obstacle o[SHAPES];
    vv_frame frames[SHAPES];
    int scratch[SHAPES];
    unsigned char touches[3 * SHAPES], near[2][3 * SHAPES];
    rng r = { 31 };
    for (int i = 0; i < SHAPES; i++) {
        double values[9] = { 3 * rng_next(&r), 3 * rng_next(&r), 3 * rng_next(&r), 0.3, 0.4, 0.2, 10, 20, 30 };
        o[i] = make_obstacle(i % 4);
        if (strcmp(o[i].ops->type.info.name, "plane") == 0)
            values[1] = -6;
        if (strcmp(o[i].ops->type.info.name, "cylinder") == 0)
            values[6] = 0.2, values[7] = 0.5;
        memcpy(o[i].values, values, sizeof values);
        assert_int_equal(o[i].ops->prepare(values, o[i].shape, NULL), VV_OK);
        for (int k = 0; k < 12; k++)
            rest[12 * i + k] = values[k % 3] + (k / 3 == k % 3 + 1 ? 0.5 : 0);
        frames[i] = i % 8 < 4 ? (vv_frame){ .node = -1 } : vv_frame_make(4 * i, rest);
    }
    for (int v = 0; v <= CLOUD; v++)
        start[v] = v;
    for (int v = 0; v < CLOUD; v++)
        node[v] = 4 * SHAPES + v, body[v] = v / 200, weight[v] = 1, area[v] = 0.01, radius[v] = 0.001 * (v % 3),
        friction[v] = -1;
    for (int i = 0; i < 3 * SHAPES; i++)
        touches[i] = i % 7 != 0;
    vv_vertices vs = { .count = CLOUD,
                       .start = start,
                       .node = node,
                       .weight = weight,
                       .area = area,
                       .radius = radius,
                       .body = body,
                       .friction = friction };
    vv_barrier_def def[2] = { { &vs, o, SHAPES, 0.3, 1e3, 0.4, 0.1, 3, touches, frames, NULL }, { 0 } };
    def[1] = def[0];
    def[1].near = scratch;
    vv_energy *e[2], *f[2];
    for (int k = 0; k < 2; k++) {
        assert_int_equal(vv_barrier_create(&def[k], &e[k], NULL), VV_OK);
        assert_int_equal(vv_friction_create(&def[k], NULL, &f[k], NULL), VV_OK);
    }
    int acting = 0, stopped = 0;
    for (int round = 0; round < 60; round++) {
        double scale = pow(10, -round % 4), energy[2], gap[2], step[2], loss[2];
        int vertex[2] = { -1, -1 }, which[2] = { -1, -1 };
        bool crosses[2];
        memcpy(q, rest, 12 * SHAPES * sizeof *q);
        for (int i = 0; i < 12 * SHAPES; i++)
            q[i] += round % 3 ? 0.02 * rng_next(&r) : 0, p[i] = round % 5 == 0 ? scale * rng_next(&r) : 0;
        for (int v = 0; v < CLOUD; v++) { /* in clusters, outside of all shapes */
            double *x = q + 3 * (4 * SHAPES + v);
            for (int k = 0; k < 3; k++) {
                x[k] = (v % 50 ? x[k - 3 * (v % 50)] + 0.2 * rng_next(&r) : 3 * rng_next(&r));
                p[3 * (4 * SHAPES + v) + k] = scale * rng_next(&r);
            }
            vv_contact_place(&def[0], q);
            for (int i = 0; i < SHAPES; i++)
                if (v % 50 && vv_contact_gap(&def[0], v, i, x, NULL, NULL) < 0.01)
                    memcpy(x, x - 3 * (v % 50), 3 * sizeof *x);
                else if (v % 50 == 0 && vv_contact_gap(&def[0], v, i, x, NULL, NULL) < 0.01)
                    x[1] += 0.4, i = -1;
        }
        for (int k = 0; k < 2; k++) {
            energy[k] = e[k]->ops->value(e[k], &one_thread, q, NULL);
            memset(g[k], 0, sizeof g[k]);
            e[k]->ops->derivatives(e[k], &one_thread, q, 1, VV_HESSIAN_EXACT, g[k], NULL);
            f[k]->ops->lag(f[k], &one_thread, q, p, 0.01);
            loss[k] = f[k]->ops->value(f[k], &one_thread, p, NULL);
            gap[k] = vv_contact_min_gap(&def[k], q, &vertex[k], &which[k], near[k]);
            step[k] = vv_barrier_max_step(&def[k], q, p);
            crosses[k] = vv_barrier_crosses(&def[k], q, p);
        }
        assert_true(energy[0] == energy[1] && energy[0] < INFINITY && loss[0] == loss[1] && step[0] == step[1]);
        assert_true(gap[0] == gap[1] && vertex[0] == vertex[1] && which[0] == which[1] && crosses[0] == crosses[1]);
        assert_memory_equal(g[0], g[1], sizeof g[0]);
        assert_memory_equal(near[0], near[1], sizeof near[0]);
        acting += energy[0] > 0;
        stopped += step[0] < 1;
    }
    assert_true(acting > 50 && stopped > 10 && stopped < 60);
    vv_reach reach = vv_reach_of(&def[1], q, NULL, 0.3);
    int asked = 0;
    for (int v = 0; v < CLOUD; v++)
        asked += vv_reach_at(&reach, v) ? reach.count : 0;
    assert_true(asked < CLOUD * SHAPES / 2); /* it does leave out */
    for (int k = 0; k < 2; k++) {
        e[k]->ops->destroy(e[k]);
        f[k]->ops->destroy(f[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turned_frame_is_the_shape_turned), cmocka_unit_test(barrier_matches_its_derivatives),
        cmocka_unit_test(friction_matches_its_derivatives),   cmocka_unit_test(step_filter_is_safe),
        cmocka_unit_test(what_moves_together_is_free),        cmocka_unit_test(what_is_far_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
