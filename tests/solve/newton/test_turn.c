/* Paths that turn bodies (solve/newton/turn.c): they begin as the straight ones, their derivative is that of finite
 * differences, they strain no body that turns, and leave alone what is held, hardly turns or deforms more; and the
 * rigid motion nearest to a target is found. */
#include "budget_support.h"

#include "base/vec.h"
#include "solve/newton/turn.h"
#include "solve/vectors.h"
#include "world/world.h"

/* Two bars, the second one held at an end. */
static vvWorld *two_bars(void)
{
    vvError error = { 0 };
    vvWorldDef d = def_of("optimizer", "backward-euler");
    vvWorld *w = new_world(&d);
    for (int k = 0; k < 2; k++) {
        vvBodyDef body = vvDefaultBodyDef();
        body.material = material("fixed-corotated", 1e5);
        body.translate[2] = k;
        vvBodyId bar = add_box_def(w, (double[]){ 0.4, 0.1, 0.2 }, (int[]){ 4, 1, 2 }, 5, &body);
        if (k)
            hold(w, bar);
    }
    assert_ok(vvWorldBake(w, &error));
    return w;
}

/* p = v + omega x (q - c) + waves of a size, of all nodes; c is the body's centre of mass. */
static void motion(const vv_system *s, const double *q, const double omega[3], double waves, double *p)
{
    for (int b = 0; b < s->bodies; b++) {
        double mass = 0, centre[3] = { 0 };
        for (int i = 0; i < s->nodes; i++)
            for (int k = 0; k < 3 && s->body[i] == b; k++)
                centre[k] += s->mass[i] * q[3 * i + k], mass += k ? 0 : s->mass[i];
        for (int k = 0; k < 3; k++)
            centre[k] /= mass;
        for (int i = 0; i < s->nodes; i++) {
            double r[3];
            if (s->body[i] != b)
                continue;
            vv_sub(q + 3 * i, centre, r);
            vv_cross(omega, r, p + 3 * i);
            for (int k = 0; k < 3; k++)
                p[3 * i + k] += 0.1 * (k + 1) + waves * sin(9.0 * i + k);
        }
    }
    for (int i = 0; i < 3 * s->nodes; i++)
        p[i] = s->unknown[i / 3] >= 0 ? p[i] : 0;
}

static double farthest_apart(const double *a, const double *b, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static void paths_turn(void **state)
{
    (void)state;
    vvWorld *w = two_bars();
    vv_system *s = &w->system;
    const int n = 3 * s->nodes, u3 = 3 * s->unknowns;
    double *q = copy_of(vvWorldPositions(w), n), *p = copy_of(q, n), *x = copy_of(q, n), *ahead = copy_of(q, n),
           *behind = copy_of(q, n);
    double *tangent = copy_of(q, n), *packed = copy_of(q, n);
    for (int waves = 0; waves < 2; waves++) {
        motion(s, q, (double[]){ 0.4, -0.8, 0.5 }, 0.02 * waves, p);
        vv_turn *turn = vv_turn_of(s, q, p);
        assert_non_null(turn);
        vv_turn_place(turn, 0, x);
        assert_less(farthest_apart(x, q, n), 1e-15);
        vv_turn_direction(turn, 0, tangent);
        vv_pack(s, p, packed);
        assert_less(farthest_apart(tangent, packed, u3), 1e-14);
        for (int k = 1; k <= 3; k++) {
            const double t = 0.9 * k, e = 1e-5;
            vv_turn_place(turn, t + e, ahead);
            vv_turn_place(turn, t - e, behind);
            for (int i = 0; i < n; i++)
                x[i] = (ahead[i] - behind[i]) / (2 * e);
            vv_pack(s, x, packed);
            vv_turn_direction(turn, t, tangent);
            assert_less(farthest_apart(tangent, packed, u3), 1e-8);
        }
        /* the bar that is held goes straight; the free one keeps its lengths if nothing but its rigid motion is in p */
        vv_turn_place(turn, 2, x);
        for (int i = 0; i < s->nodes; i++)
            for (int k = 0; k < 3 && s->body[i] == 1; k++)
                assert_near(x[3 * i + k], q[3 * i + k] + 2 * p[3 * i + k], 1e-15);
        for (int i = 1; i < s->nodes && s->body[i] == 0 && !waves; i++)
            assert_near(vv_edge_length(x, 0, i), vv_edge_length(q, 0, i), 1e-14);
    }
    motion(s, q, (double[]){ 0, 0, 0 }, 0.02, p);
    assert_null(vv_turn_of(s, q, p));
    motion(s, q, (double[]){ 0.05, 0, 0 }, 0.5, p); /* it deforms far more */
    assert_null(vv_turn_of(s, q, p));
    free(q), free(p), free(x), free(ahead), free(behind), free(tangent), free(packed);
    vvWorldDestroy(w);
}

static void the_nearest_rigid_motion_is_found(void **state)
{
    (void)state;
    vvWorld *w = two_bars();
    vv_system *s = &w->system;
    const int n = 3 * s->nodes;
    double *q = copy_of(vvWorldPositions(w), n), *y = copy_of(q, n), *x = copy_of(q, n), rotation[9];
    vv_axis_angle((double[]){ 1, 2, -1 }, 2.5, rotation);
    for (int i = 0; i < s->nodes; i++) {
        vv_matvec(rotation, q + 3 * i, y + 3 * i);
        y[3 * i] += 0.3;
    }
    double gain = vv_turn_towards(s, q, y, true, x), all = 0;
    for (int i = 0; i < n; i++) {
        const bool held = s->body[i / 3] == 1;
        assert_near(x[i], held ? q[i] : y[i], 1e-13);
        all += held ? 0 : 0.5 * s->mass[i / 3] * (q[i] - y[i]) * (q[i] - y[i]);
    }
    assert_near(gain, all, 1e-12 * all);
    /* about its centre alone it comes as near as it can: no small turn on brings it nearer */
    gain = vv_turn_towards(s, q, y, false, x);
    assert_true(gain > 0 && gain < all);
    assert_true(fabs(vv_turn_towards(s, x, y, false, q)) < 1e-12 * all);
    free(q), free(y), free(x);
    vvWorldDestroy(w);
}

/* Of a body in a plane that stays in it, the nearest within the plane: in space the mirrored one, half a turn over,
 * would be nearer. */
static void plates_turn_in_their_plane(void **state)
{
    (void)state;
    double x[12] = { 0, 0, 0.7, 0.2, 0, 0.7, 0.2, 0.1, 0.7, 0, 0.1, 0.7 }, y[12], z[12];
    int body[4] = { 0 }, unknown[4] = { 0, 1, 2, 3 };
    double mass[4] = { 1, 2, 3, 4 };
    vv_system s = {
        .nodes = 4, .unknowns = 4, .unknown = unknown, .node = unknown, .body = body, .bodies = 1, .mass = mass
    };
    assert_true(vv_arena_reserve(&s.arena, 1 << 16));
    for (int turned = 0; turned < 2; turned++) {
        const double angle = turned ? 1.1 : 0;
        for (int i = 0; i < 4; i++) { /* mirrored, or turned */
            const double across = turned ? x[3 * i] : -x[3 * i];
            y[3 * i] = cos(angle) * across - sin(angle) * x[3 * i + 1] + 0.4;
            y[3 * i + 1] = sin(angle) * across + cos(angle) * x[3 * i + 1];
            y[3 * i + 2] = 0.9;
        }
        vv_turn_towards(&s, x, y, true, z);
        for (int i = 0; i < 4; i++)
            assert_near(z[3 * i + 2], 0.9, 1e-15);
        double a[3], b[3], across[3];
        vv_sub(z + 3, z, a), vv_sub(z + 9, z, b);
        vv_cross(a, b, across);
        assert_near(across[2], 0.02, 1e-15); /* not mirrored */
        for (int i = 0; i < 12 && turned; i++)
            assert_near(z[i], y[i], 1e-14);
    }
    vv_system_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(paths_turn),
                                        cmocka_unit_test(the_nearest_rigid_motion_is_found),
                                        cmocka_unit_test(plates_turn_in_their_plane) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
