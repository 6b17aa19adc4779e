/* Contact with analytic obstacles: distances, barrier, friction against differences; no penetration, restitution,
 * sliding and sticking through the public API. */
#include "energy_fixture.h"
#include "obstacle_fixture.h"
#include "world_support.h"

#include "contact/barrier/barrier.h"

/* ---- distances --------------------------------------------------------------------------------------------------- */

static double distance_at(const vv_obstacle *o, const double *x) { return vv_obstacle_distance(o, x, NULL, NULL); }

/* Differences of distance and normal at x. Returns false near a kink, where the differences with two steps disagree. */
static bool check_distance(const vv_obstacle *o, const double *x, double *worst)
{
    const double e = 1e-5;
    double n[3], c[9], up[3], down[3], y[3], slope[2][3];
    double d = vv_obstacle_distance(o, x, n, c);
    assert_near(norm3(n), 1, 1e-12);
    for (int k = 0; k < 3; k++)
        for (int s = 0; s < 2; s++) {
            memcpy(y, x, sizeof y);
            y[k] = x[k] + e * (1 + s);
            double a = distance_at(o, y);
            y[k] = x[k] - e * (1 + s);
            slope[s][k] = (a - distance_at(o, y)) / (2 * e * (1 + s));
            assert_true(fabs(a - d) <= e * (1 + s) * (1 + 1e-9)); /* 1-Lipschitz */
        }
    if (distance3(slope[0], slope[1]) > 1e-6)
        return false;
    *worst = fmax(*worst, distance3(slope[0], n));
    for (int k = 0; k < 3; k++) {
        memcpy(y, x, sizeof y);
        y[k] = x[k] + e;
        vv_obstacle_distance(o, y, up, NULL);
        y[k] = x[k] - e;
        vv_obstacle_distance(o, y, down, NULL);
        for (int j = 0; j < 3; j++)
            *worst = fmax(*worst, fabs((up[j] - down[j]) / (2 * e) - c[3 * j + k]) / (1 + fabs(c[3 * j + k])));
    }
    for (int k = 0; k < 3; k++)
        y[k] = x[k] - d * n[k]; /* the nearest point is on the surface */
    *worst = fmax(*worst, fabs(distance_at(o, y)));
    return true;
}

static void distances_match_their_derivatives(void **state)
{
    (void)state;
    for (int i = 0; vvObstacleInfo(i); i++)
        if (is_exact(i)) {
            vv_obstacle o = make_obstacle(i);
            rng r = { 11 };
            int outside = 0, inside = 0, curved = 0;
            double worst = 0;
            for (int k = 0; k < 4000; k++) {
                double x[3] = { 0.1 + rng_next(&r), -0.2 + rng_next(&r), 0.3 + rng_next(&r) }, c[9];
                if (!check_distance(&o, x, &worst))
                    continue;
                double d = vv_obstacle_distance(&o, x, NULL, c);
                outside += d > 0;
                inside += d < 0;
                curved += d > 0 && largest(c, 9) > 0.1;
            }
            print_message("%-10s %d points outside (%d curved), %d inside: worst difference %.2g\n",
                          o.ops->type.info.name, outside, curved, inside, worst);
            assert_less(worst, 2e-4);
            assert_true(outside > 500 && inside > 100);
        }
}

static void declared_convex_is_convex(void **state)
{
    (void)state;
    for (int i = 0; vvObstacleInfo(i); i++)
        if (is_exact(i)) {
            vv_obstacle o = make_obstacle(i);
            rng r = { 21 };
            for (int k = 0; k < 2000 && o.ops->convex; k++) {
                double x[3], y[3], middle[3];
                for (int c = 0; c < 3; c++) {
                    x[c] = rng_next(&r), y[c] = rng_next(&r);
                    middle[c] = 0.5 * (x[c] + y[c]);
                }
                assert_true(distance_at(&o, middle) <= 0.5 * (distance_at(&o, x) + distance_at(&o, y)) + 1e-14);
            }
        }
}

/* What is said of the curvature near a point holds, on the inner sides of rings, holes and bowls, too. */
static void bends_are_bounds(void **state)
{
    (void)state;
    for (int i = 0; vvObstacleInfo(i); i++) {
        vv_obstacle o = make_obstacle(i);
        rng r = { 31 };
        int concave = 0;
        for (int k = 0; k < 20000 && o.ops->bends; k++) {
            double x[3], y[3], c[9], reach, bend, length = 0;
            for (int j = 0; j < 3; j++) {
                x[j] = o.values[j] + rng_next(&r), y[j] = rng_next(&r);
                length += y[j] * y[j];
            }
            vv_obstacle_bends(&o, x, &reach, &bend);
            const double part = 0.5 + 0.5 * rng_next(&r);
            for (int j = 0; j < 3; j++)
                y[j] = x[j] + part * reach * y[j] / sqrt(length);
            if (!(distance_at(&o, x) > 0) || !(vv_obstacle_distance(&o, y, NULL, c) > 0))
                continue;
            const double least = least_eigenvalue(3, c);
            concave += least < -0.1;
            if (!(least >= -bend * (1 + 1e-9)))
                fail_msg("%s: the curvature is %g within reach of a point, %g is said", o.ops->type.info.name, least,
                         -bend);
        }
        assert_true(!o.ops->bends || concave > 100);
    }
}

/* Motion along the inner side of a ring, where the distance bends down, is not stopped as if it went straight for it;
 * what goes through is. */
static void a_ring_lets_slide(void **state)
{
    (void)state;
    vv_obstacle o = { .ops = &vv_obstacle_torus, .friction = -1 };
    const double ring[8] = { 0, 0, 0, 0, 1, 0, 1, 0.2 };
    double one = 1, zero = 0;
    int start[2] = { 0, 1 }, index = 0;
    vv_vertices vs = {
        .count = 1, .start = start, .node = &index, .weight = &one, .area = &one, .radius = &zero, .body = &index
    };
    vv_barrier_def def = {
        .vertices = &vs, .obstacles = &o, .obstacle_count = 1, .distance = 1e-3, .stiffness = 1, .body_count = 1
    };
    assert_int_equal(vv_obstacle_torus.prepare(ring, o.shape, NULL), VV_OK);
    for (double gap = 1e-6; gap < 1e-2; gap *= 3) {
        const double q[3] = { 0.8 - gap, 0, 0 };
        /* straight on from the inner side it meets the ring after sqrt(2 gap rho); less than a tenth of the gap is
         * not used */
        const double meets = sqrt(0.8 * 0.8 - q[0] * q[0]), free = vv_barrier_max_step(&def, q, (double[]){ 0, 0, 1 });
        assert_true(free < meets);
        assert_true(free > 0.9 * meets);
        assert_true(vv_barrier_max_step(&def, q, (double[]){ 0.5, 0, 0 }) < 2 * gap);
        assert_true(vv_barrier_max_step(&def, q, (double[]){ -0.5, 0, 0 }) == 1);
        assert_true(vv_barrier_max_step(&def, (double[]){ 1.2 + gap, 0, 0 }, (double[]){ 0, 0, 3 }) == 1);
        /* through the hole */
        assert_true(vv_barrier_max_step(&def, (double[]){ 0.1, -3, 0 }, (double[]){ 0, 6, 0 }) == 1);
    }
}

/* Edge, corner and rim by hand: an axis-aligned box of half sizes 1, 2, 3 and an upright cylinder. */
static void distances_at_edges_and_rims(void **state)
{
    (void)state;
    double shape[VV_OBSTACLE_VALUES], n[3];
    const double box[9] = { 0, 0, 0, 2, 4, 6, 0, 0, 0 }, cylinder[8] = { 0, 0, 0, 0, 5, 0, 1, 4 };
    assert_int_equal(vv_obstacle_box.prepare(box, shape, NULL), VV_OK);
    assert_near(vv_obstacle_box.distance(shape, (double[]){ 1.5, 0, 0 }, n, NULL), 0.5, 1e-15);
    assert_near(vv_obstacle_box.distance(shape, (double[]){ 1.3, 2.4, 0 }, n, NULL), 0.5, 1e-15);
    assert_near(n[0], 0.6, 1e-15);
    assert_near(n[1], 0.8, 1e-15);
    assert_near(vv_obstacle_box.distance(shape, (double[]){ -2, -4, 5 }, n, NULL), 3, 1e-15);
    assert_near(n[0], -1 / 3.0, 1e-15);
    assert_near(vv_obstacle_box.distance(shape, (double[]){ 0.9, 0, 0 }, n, NULL), -0.1, 1e-15);
    assert_near(n[0], 1, 1e-15);
    assert_int_equal(vv_obstacle_cylinder.prepare(cylinder, shape, NULL), VV_OK);
    assert_near(vv_obstacle_cylinder.distance(shape, (double[]){ 0, 2.5, 0 }, n, NULL), 0.5, 1e-15);
    assert_near(vv_obstacle_cylinder.distance(shape, (double[]){ 0, -2.4, 1.3 }, n, NULL), 0.5, 1e-15);
    assert_near(n[2], 0.6, 1e-15);
    assert_near(n[1], -0.8, 1e-15);
    assert_near(vv_obstacle_cylinder.distance(shape, (double[]){ 0.7, 0, 0 }, n, NULL), -0.3, 1e-15);
    /* a plate from 1 to 4 m of the axis, 2 m thick; half a sphere between 2 and 3 m */
    const double hole[9] = { 0, 0, 0, 0, 5, 0, 1, 2, 4 }, bowl[9] = { 0, 0, 0, 0, 5, 0, 2, 1, 90 };
    assert_int_equal(vv_obstacle_hole.prepare(hole, shape, NULL), VV_OK);
    assert_near(vv_obstacle_hole.distance(shape, (double[]){ 2.5, 3, 0 }, n, NULL), 2, 1e-15);
    assert_near(n[1], 1, 1e-15);
    /* in the hole: to its narrowest place */
    assert_near(vv_obstacle_hole.distance(shape, (double[]){ 0, 0, 0.25 }, n, NULL), 0.75, 1e-15);
    assert_near(n[2], -1, 1e-15);
    /* from the outer edge: 3, 4, 5 */
    assert_near(vv_obstacle_hole.distance(shape, (double[]){ 6, 4, 0 }, n, NULL), 4, 1e-15);
    assert_near(n[0], 0.6, 1e-15);
    assert_near(vv_obstacle_hole.distance(shape, (double[]){ 2.5, -0.75, 0 }, n, NULL), -0.25, 1e-15);
    assert_int_equal(vv_obstacle_bowl.prepare(bowl, shape, NULL), VV_OK);
    /* inside, over the bottom */
    assert_near(vv_obstacle_bowl.distance(shape, (double[]){ 0, -1.5, 0 }, n, NULL), 0.5, 1e-15);
    assert_near(n[1], 1, 1e-15);
    assert_near(vv_obstacle_bowl.distance(shape, (double[]){ 0, -5, 0 }, n, NULL), 2, 1e-15);
    assert_near(vv_obstacle_bowl.distance(shape, (double[]){ 2.5, 2, 0 }, n, NULL), 1.5, 1e-14); /* over the rim */
    assert_near(n[1], 1, 1e-14);
    assert_near(vv_obstacle_bowl.distance(shape, (double[]){ -2.4, 0, 0 }, n, NULL), -0.4, 1e-14);
}

/* Shapes that would not be what they are called are refused, and what is allowed is said. */
static void wrong_holes_and_bowls_are_refused(void **state)
{
    (void)state;
    double shape[VV_OBSTACLE_VALUES];
    vvError error = { 0 };
    assert_int_equal(vv_obstacle_hole.prepare((double[]){ 0, 0, 0, 0, 1, 0, 1, 0.5, 1.5 }, shape, &error),
                     VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "outer above their sum"));
    assert_int_equal(vv_obstacle_hole.prepare((double[]){ 0, 0, 0, 0, 0, 0, 1, 0.5, 2 }, shape, &error),
                     VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "axis"));
    assert_int_equal(vv_obstacle_bowl.prepare((double[]){ 0, 0, 0, 0, 1, 0, 0.1, 1, 150 }, shape, &error),
                     VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "wall"));
    assert_int_equal(vv_obstacle_bowl.prepare((double[]){ 0, 0, 0, 0, 0, 0, 1, 0.1, 90 }, shape, &error),
                     VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "axis"));
}

/* ---- barrier and friction ---------------------------------------------------------------------------------------- */

static void barrier_function(void **state)
{
    (void)state;
    for (double s = 0.01; s < 1; s += 0.03) {
        const double e = 1e-6;
        double b[3], up[3], down[3];
        vv_barrier(s, b);
        vv_barrier(s + e, up);
        vv_barrier(s - e, down);
        assert_near(b[0], -(s - 1) * (s - 1) * log(s), 1e-15);
        assert_near((up[0] - down[0]) / (2 * e), b[1], 1e-6 * (1 + fabs(b[1])));
        assert_near((up[1] - down[1]) / (2 * e), b[2], 1e-6 * (1 + fabs(b[2])));
        assert_true(b[0] > 0 && b[1] < 0 && b[2] > 0);
    }
    double b[3];
    vv_barrier(1 - 1e-9, b); /* joins zero with two derivatives */
    assert_true(fabs(b[0]) < 1e-25 && fabs(b[1]) < 1e-16 && fabs(b[2]) < 1e-7);
    vv_barrier(1, b);
    assert_true(b[0] == 0 && b[1] == 0 && b[2] == 0);
}

enum { VERTICES = 4, NODES = 6 };

/* Vertices of one node, and of two with weights 0.3 and 0.7 (x = W q). */
typedef struct surface {
    int start[VERTICES + 1], node[NODES], body[VERTICES];
    double weight[NODES], area[VERTICES], radius[VERTICES], friction[VERTICES];
    vv_vertices v;
} surface;

static void make_surface(surface *s, bool weighted)
{
    *s = (surface){ .start = { 0, 1, 2, 4, 6 },
                    .node = { 0, 1, 2, 3, 4, 5 },
                    .weight = { 1, 1, 0.3, 0.7, 0.3, 0.7 },
                    .area = { 0.01, 0.02, 0.03, 0.04 },
                    .friction = { -1, -1, 0.5, -1 } };
    if (!weighted)
        *s = (surface){ .start = { 0, 1, 2, 3, 4 },
                        .node = { 0, 1, 2, 3 },
                        .weight = { 1, 1, 1, 1 },
                        .area = { 0.01, 0.02, 0.03, 0.04 },
                        .friction = { -1, -1, 0.5, -1 } };
    s->v = (vv_vertices){ .count = VERTICES,
                          .start = s->start,
                          .node = s->node,
                          .weight = s->weight,
                          .area = s->area,
                          .radius = s->radius,
                          .body = s->body,
                          .friction = s->friction };
}

/* Puts every node at the distance `gap` outside the obstacle, near its point in the direction of a random one. */
static void place_nodes(const vv_obstacle *o, rng *r, double gap, int nodes, double *q)
{
    for (int i = 0; i < nodes; i++) {
        double x[3] = { 0.1 + 2 * rng_next(r), -0.2 + 2 * rng_next(r), 0.3 + 2 * rng_next(r) }, n[3];
        double d = vv_obstacle_distance(o, x, n, NULL);
        if (d <= 0.05) {
            i--;
            continue;
        }
        for (int k = 0; k < 3; k++)
            q[3 * i + k] = x[k] + (gap * (1 + 0.1 * rng_next(r)) - d) * n[k];
    }
}

static void barrier_energy_matches_its_derivatives(void **state)
{
    (void)state;
    for (int i = 0; vvObstacleInfo(i); i++)
        if (is_exact(i)) {
            vv_obstacle o = make_obstacle(i);
            for (int weighted = 0; weighted < 2; weighted++) {
                surface s;
                make_surface(&s, weighted);
                vv_barrier_def def = { &s.v, &o, 1, 0.02, 1e4, 0.4, 1e-3, 1, NULL };
                vv_energy *e;
                assert_int_equal(vv_barrier_create(&def, &e, NULL), VV_OK);
                int nodes = weighted ? NODES : VERTICES;
                bound b = bind_energy(e, nodes, 0);
                rng r = { 5 };
                double q[3 * NODES], worst = 0, h[9 * NODES * NODES];
                for (int k = 0; k < 30; k++) {
                    place_nodes(&o, &r, k % 2 ? 0.01 : 0.003, nodes, q);
                    if (weighted) /* both nodes of a vertex together, a little apart along the surface */
                        for (int c = 0; c < 3; c++)
                            q[9 + c] = q[6 + c], q[15 + c] = q[12 + c];
                    assert_true(energy_at(&b, q) > 0);
                    worst = fmax(worst, difference_error(&b, q, 1e-8, 1e-3));
                    hessian_at(&b, q, VV_HESSIAN_PROJECTED, h);
                    assert_true(least_eigenvalue(3 * nodes, h) >= -1e-9 * largest(h, 9 * nodes * nodes));
                }
                print_message("barrier on %-10s %s: worst difference %.2g\n", o.ops->type.info.name,
                              weighted ? "weighted" : "", worst);
                assert_less(worst, 3e-4);
                double inside[3] = { 0.3, 0.4, -0.2 }, n[3];
                const double d = vv_obstacle_distance(&o, inside, n, NULL);
                for (int c = 0; c < 3; c++)
                    q[c] = inside[c] - (d + 0.02) * n[c];
                assert_true(energy_at(&b, q) == INFINITY);
                free_bound(&b);
            }
        }
}

/* From a feasible point along any path: the step that the filter allows never touches, and is not needlessly short,
 * along the surface neither. */
static void step_filter_is_safe(void **state)
{
    (void)state;
    for (int i = 0; vvObstacleInfo(i); i++)
        if (is_exact(i)) {
            vv_obstacle o = make_obstacle(i);
            surface s;
            make_surface(&s, false);
            vv_barrier_def def = { &s.v, &o, 1, 0.02, 1e4, 0, 1e-3, 1, NULL };
            vv_energy *e;
            assert_int_equal(vv_barrier_create(&def, &e, NULL), VV_OK);
            rng r = { 9 };
            for (int k = 0; k < 300; k++) {
                double q[12], p[12], y[12], scale = pow(10, 3 * rng_next(&r));
                place_nodes(&o, &r, 0.1 * pow(10, 2 * rng_next(&r) - 2), 4, q);
                for (int c = 0; c < 12; c++)
                    p[c] = scale * rng_next(&r);
                double t = e->ops->max_step(e, &one_thread, q, p);
                assert_true(t > 0 && t <= 1);
                for (int j = 1; j <= 100; j++) {
                    for (int c = 0; c < 12; c++)
                        y[c] = q[c] + t * j / 100 * p[c];
                    assert_true(vv_contact_min_gap(&def, y, NULL, NULL, NULL) > 0);
                }
                bool near = t == 1; /* stopped because some vertex has come nearer by much */
                for (int a = 0; a < 4; a++)
                    near = near || distance_at(&o, y + 3 * a) < 0.2 * distance_at(&o, q + 3 * a);
                assert_true(near);
            }
            e->ops->destroy(e);
        }
}

static void friction_matches_its_derivatives(void **state)
{
    (void)state;
    for (int i = 0; vvObstacleInfo(i); i++)
        if (is_exact(i)) {
            vv_obstacle o = make_obstacle(i);
            surface s;
            make_surface(&s, false);
            vv_barrier_def def = { &s.v, &o, 1, 0.02, 1e4, 0.4, 0.1, 1, NULL };
            vv_energy *e, *barrier;
            assert_int_equal(vv_friction_create(&def, NULL, &e, NULL), VV_OK);
            assert_int_equal(vv_barrier_create(&def, &barrier, NULL), VV_OK);
            bound b = bind_energy(e, VERTICES, 0);
            rng r = { 3 };
            double q[12], v[12], g[12], push[12] = { 0 }, h[144];
            place_nodes(&o, &r, 0.01, VERTICES, q);
            e->ops->lag(e, &one_thread, q, v, 0.01);
            for (int k = 0; k < 20; k++) {
                double speed = k % 2 ? 1 : 0.04; /* above and below the smoothing */
                for (int c = 0; c < 12; c++)
                    v[c] = speed * rng_next(&r);
                double error = difference_error(&b, v, 1e-7, 1e-6);
                assert_less(error, 2e-4);
                hessian_at(&b, v, VV_HESSIAN_EXACT, h);
                assert_true(least_eigenvalue(12, h) >= -1e-9 * largest(h, 144)); /* convex */
            }
            /* at high speed the force is mu times the normal force, against the sliding; the normal part of v has no
             * say */
            barrier->ops->derivatives(barrier, &one_thread, q, 1, VV_HESSIAN_EXACT, push, NULL);
            gradient_at(&b, v, g);
            for (int a = 0; a < VERTICES; a++) {
                double mu = s.friction[a] >= 0 ? s.friction[a] : 0.4, n[3], u[3];
                vv_obstacle_distance(&o, q + 3 * a, n, NULL);
                double along = vv_dot(v + 3 * a, n);
                for (int k = 0; k < 3; k++)
                    u[k] = v[3 * a + k] - along * n[k];
                if (norm3(u) > 0.1)
                    assert_near(norm3(g + 3 * a), mu * norm3(push + 3 * a), 1e-10 * norm3(push + 3 * a));
                assert_near(vv_dot(g + 3 * a, n), 0, 1e-10 * norm3(push + 3 * a));
                assert_true(vv_dot(g + 3 * a, u) >= 0);
            }
            memset(v, 0, sizeof v);
            assert_true(energy_at(&b, v) == 0);
            gradient_at(&b, v, g);
            assert_true(largest(g, 12) == 0);
            hessian_at(&b, v, VV_HESSIAN_EXACT, h);
            assert_true(isfinite(largest(h, 144)));
            barrier->ops->destroy(barrier);
            free_bound(&b);
        }
}

/* A contact whose trial slides backwards, and no other, resists more along its sliding; the next lagging forgets it. */
static void turned_friction_stiffens(void **state)
{
    (void)state;
    vv_obstacle o = make_obstacle(0);
    surface s;
    make_surface(&s, false);
    vv_barrier_def def = { &s.v, &o, 1, 0.02, 1e4, 0.4, 0.1, 1, NULL };
    vv_energy *e;
    assert_int_equal(vv_friction_create(&def, NULL, &e, NULL), VV_OK);
    bound b = bind_energy(e, VERTICES, 0);
    rng r = { 5 };
    double q[12], v[12], back[12], own[144], h[144];
    place_nodes(&o, &r, 0.01, VERTICES, q);
    for (int c = 0; c < 12; c++)
        back[c] = v[c] = 1 + rng_next(&r);
    for (int c = 0; c < 3; c++)
        back[c] = -v[c];
    for (int forgotten = 0; forgotten < 2; forgotten++) {
        e->ops->lag(e, &one_thread, q, v, 0.01);
        hessian_at(&b, v, VV_HESSIAN_EXACT, own);
        hessian_at(&b, v, VV_HESSIAN_PROJECTED, h);
        assert_less(largest_difference(own, h, 144), 1e-12 * largest(own, 144));
        energy_at(&b, back);
        if (forgotten)
            e->ops->lag(e, &one_thread, q, v, 0.01);
        hessian_at(&b, back, VV_HESSIAN_EXACT, own);
        hessian_at(&b, back, VV_HESSIAN_PROJECTED, h);
        assert_true(least_eigenvalue(12, h) >= -1e-9 * largest(h, 144));
        double along = 0, before = 0, others = 0;
        for (int i = 0; i < 144; i++) {
            bool first = i / 12 < 3 && i % 12 < 3;
            along += first ? v[i / 12] * h[i] * v[i % 12] : 0;
            before += first ? v[i / 12] * own[i] * v[i % 12] : 0;
            others = fmax(others, first ? 0 : fabs(h[i] - own[i]));
        }
        assert_less(fabs(before), 1e-9 * largest(own, 144)); /* it slides: flat */
        assert_true(forgotten ? fabs(along) < 1e-9 * largest(own, 144) : along > 0.1 * largest(own, 144));
        assert_less(others, 1e-12 * largest(own, 144));
    }
    free_bound(&b);
}

/* ---- worlds ------------------------------------------------------------------------------------------------------ */

static double centre_velocity(const vvWorld *w, int axis)
{
    double mass = 0, p = 0;
    for (int i = 0; i < vvWorldNodeCount(w); i++) {
        mass += vvWorldMasses(w)[i];
        p += vvWorldMasses(w)[i] * vvWorldVelocities(w)[3 * i + axis];
    }
    return p / mass;
}

/* 100 m/s head on: a ball of 2 cm crosses the obstacle in a step if nothing stops it. */
static void fast_bodies_do_not_penetrate(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        double values[9], from[3], velocity[3];
    } rows[] = { { "plane", { 0, 0, 0, 0, 1, 0 }, { 0, 0.05, 0 }, { 30, -95, 0 } },
                 { "sphere", { 0, 0, 0, 1 }, { -1.05, 0.01, 0 }, { 100, 0, 0 } },
                 { "box", { 0, 0, 0, 2, 2, 4, 0, 0, 45 }, { -1.5, 0, 0.01 }, { 100, 2, 0 } },
                 { "cylinder", { 0, 0, 0, 0, 0, 1, 1, 4 }, { 0, 1.1, 0.09 }, { 0, -95, 30 } },
                 { "capsule", { 0, 0, 0, 0, 0, 1, 1, 1 }, { 0, 0.02, 1.6 }, { 0, 10, -95 } },
                 { "torus", { 0, 0, 0, 0, 1, 0, 1.6, 1 }, { -2.65, 0.01, 0 }, { 100, 0, 1 } },
                 { "hole", { 0, 0, 0, 0, 1, 0, 0.5, 2, 3 }, { 1.6, 1.05, 0.1 }, { 10, -99, 0 } },
                 { "bowl", { 0, 0, 0, 0, 1, 0, 1, 0.5, 80 }, { 0.1, -0.9, 0 }, { 10, -99, 5 } } };
    static const char *const schemes[] = { "backward-euler",    "bdf2",  "sdirk2", "trapezoidal",
                                           "implicit-midpoint", "verlet" };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++) {
            vvWorldDef d = vvDefaultWorldDef();
            d.integrator.scheme = schemes[s];
            d.integrator.groundMode = VV_GROUND_NONE;
            d.threads = 1;
            vvWorld *w = new_world(&d);
            vvBodyDef def = vvDefaultBodyDef();
            def.material = material("neo-hookean", 1e6);
            memcpy(def.translate, rows[i].from, sizeof def.translate);
            vvBodyId body = add_ball(w, 0.02, 1, &def);
            set_state(w, body, "linear", rows[i].velocity);
            obstacle(w, rows[i].type, rows[i].values, 0.2);
            vvLedgerRow row = ledger(w);
            int done = 0;
            double least = row.minGap, least_j = row.minJ, along = 0, speed = norm3(rows[i].velocity);
            for (int k = 0; k < 12; k++) {
                vvError error = { 0 };
                vvStatus status = vvWorldStep(w, NULL, &error);
                row = ledger(w);
                assert_true(row.minGap > 0 && row.minJ > 0 && isfinite(row.total));
                least = fmin(least, row.minGap);
                least_j = fmin(least_j, row.minJ);
                done += status == VV_OK;
                if (status != VV_OK) { /* allowed where the scheme cannot promise its end, and said */
                    assert_int_equal(status, VV_ERROR_SOLVER);
                    assert_true(strlen(error.message) > 20);
                    break;
                }
            }
            for (int k = 0; k < 3; k++)
                along += centre_velocity(w, k) * rows[i].velocity[k] / speed;
            if (s < 3) { /* these must go on, and the obstacle must have been felt */
                assert_int_equal(done, 12);
                assert_less(along, 0.9 * speed);
            }
            print_message("%-9s %-18s %2d steps, least gap %.2g m, least J %.2g\n", rows[i].type, schemes[s], done,
                          least, least_j);
            vvWorldDestroy(w);
        }
}

/* You, Zheng, Li, Appendix A item 4: a ball of 10 cm dropped from 1 m. */
static void ball_bounces_with_search(void **state)
{
    (void)state;
    for (int stiff = 0; stiff < 2; stiff++) {
        vvWorldDef d = vvDefaultWorldDef();
        d.integrator.policy = "search";
        d.solver.tolerance = 1e-3;
        d.threads = 1;
        vvWorld *w = new_world(&d);
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material("neo-hookean", stiff ? 1e6 : 1e5);
        def.translate[1] = 1.05;
        add_ball(w, 0.05, 3, &def);
        obstacle(w, "plane", NULL, 0);
        vvLedgerRow row = ledger(w);
        double in = 0, out = 0, best = INFINITY, least_j = row.minJ, least_gap = row.minGap;
        int touched = 0, after = 0;
        for (int i = 0; i < 120 && after < 30; i++) {
            row = step(w);
            least_j = fmin(least_j, row.minJ);
            least_gap = fmin(least_gap, row.minGap);
            double v = centre_velocity(w, 1);
            if (!touched)
                in = v;
            touched += row.contact > 0;
            if (touched && row.contact == 0 && v > 0) {
                if (after++ == 0)
                    out = v;
                best = fmin(best, fabs(row.total - row.target) / row.scale);
            }
        }
        print_message("ball E %g: in %.3f m/s, out %.3f m/s; least |H-T|/S after %.4f; min J %.3f, min gap %.2g m\n",
                      def.material.young, in, out, best, least_j, least_gap);
        assert_true(touched > 0 && after > 10 && least_j > 0 && least_gap > 0);
        assert_near(out, -in, -0.05 * in);
        assert_less(best, 0.01);
        vvWorldDestroy(w);
    }
}

/* ---- friction of blocks ------------------------------------------------------------------------------------------ */

/* A stiff flat block at rest on a plane that is tilted by `angle` degrees (gravity tilts instead), started with
 * `speed`. */
static vvWorld *block(double angle, double mu, double speed, double h)
{
    vvError error = { 0 };
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = h;
    d.gravity[0] = 9.8 * sin(angle * PI / 180);
    d.gravity[1] = -9.8 * cos(angle * PI / 180);
    d.integrator.groundMode = VV_GROUND_NONE;
    d.contact.frictionSpeed = 1e-4;
    d.solver.tolerance = 1e-4;
    d.threads = 1;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("neo-hookean", 1e6);
    def.friction = mu;
    def.translate[1] = 0.01 + 4e-4;
    add_box_def(w, (double[]){ 0.1, 0.02, 0.1 }, (int[]){ 3, 1, 3 }, 6, &def);
    obstacle(w, "plane", NULL, -1);
    steps(w, 60); /* sinks in; slides a little where it must */
    int n = 3 * vvWorldNodeCount(w);
    double *v = copy_of(vvWorldVelocities(w), n);
    for (int i = 0; i < n; i += 3)
        v[i] += speed;
    assert_ok(vvWorldSetState(w, NULL, v, &error));
    free(v);
    steps(w, 5);
    return w;
}

static void block_holds_and_slides(void **state)
{
    (void)state;
    double critical = atan(0.5) * 180 / PI;
    vvWorld *w = block(critical - 1.5, 0.5, 0, 5e-3);
    double before = centre_velocity(w, 0);
    steps(w, 100);
    print_message("below the critical angle: %.2g, %.2g m/s\n", before, centre_velocity(w, 0));
    assert_less(fabs(centre_velocity(w, 0)), 1e-4); /* creeps below the smoothing speed */
    vvWorldDestroy(w);
    w = block(critical + 1.5, 0.5, 0, 5e-3);
    before = centre_velocity(w, 0);
    steps(w, 100);
    double theta = (critical + 1.5) * PI / 180, exact = 9.8 * (sin(theta) - 0.5 * cos(theta));
    double measured = (centre_velocity(w, 0) - before) / 0.5;
    print_message("above it: %.4f m/s^2, exact %.4f\n", measured, exact);
    assert_near(measured, exact, 0.02 * 9.8 * 0.5);
    vvWorldDestroy(w);
}

static void kinetic_friction_decelerates_by_mu_g(void **state)
{
    (void)state;
    static const double mus[] = { 0.1, 0.3, 0.6 };
    for (int i = 0; i < 3; i++) {
        vvWorld *w = block(0, mus[i], 2, 2e-3);
        double before = centre_velocity(w, 0);
        steps(w, 100);
        double measured = (before - centre_velocity(w, 0)) / 0.2;
        print_message("mu %g: %.4f m/s^2, exact %.4f\n", mus[i], measured, mus[i] * 9.8);
        assert_near(measured, mus[i] * 9.8, 0.02 * mus[i] * 9.8);
        vvWorldDestroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_match_their_derivatives),
        cmocka_unit_test(declared_convex_is_convex),
        cmocka_unit_test(distances_at_edges_and_rims),
        cmocka_unit_test(bends_are_bounds),
        cmocka_unit_test(wrong_holes_and_bowls_are_refused),
        cmocka_unit_test(a_ring_lets_slide),
        cmocka_unit_test(barrier_function),
        cmocka_unit_test(barrier_energy_matches_its_derivatives),
        cmocka_unit_test(step_filter_is_safe),
        cmocka_unit_test(friction_matches_its_derivatives),
        cmocka_unit_test(turned_friction_stiffens),
        cmocka_unit_test(fast_bodies_do_not_penetrate),
        cmocka_unit_test(ball_bounces_with_search),
        cmocka_unit_test(block_holds_and_slides),
        cmocka_unit_test(kinetic_friction_decelerates_by_mu_g),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
