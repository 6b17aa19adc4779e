/* Pressures that follow their surfaces: derivatives by finite differences, volumes, and what is left at a rim. */
#include "energy/points/external.h"
#include "energy_fixture.h"

enum { NODES = 5 };

/* Two triangles of an octant, open; or with two more a closed surface. */
static const int sides[12] = { 0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2 };
static const int every_unknown[NODES] = { 3, 0, 2, 1, -1 };
static const int every_body[NODES] = { 0 };

static vv_energy *pressed(int triangles, double pressure, double *x, double *from, double *force)
{
    vvError error = { 0 };
    vv_energy *e = NULL;
    rng r = { 7 };
    const int identity[NODES] = { 0, 1, 2, 3, 4 };
    const vv_external_patch patch = { triangles, 0, identity, sides };
    const vv_external_def def = { NODES, every_unknown, every_body, 1, &patch };
    assert_int_equal(vv_external_create(&def, &e, &error), VV_OK);
    for (int i = 0; i < 3 * NODES; i++) {
        from[i] = (i % 4 == 0) + 0.1 * rng_next(&r);
        x[i] = from[i] + 0.2 * rng_next(&r);
        force[i] = rng_next(&r);
    }
    vv_external_begin(e, from);
    vv_external_press(e, 0, pressure);
    vv_external_set(e, force, from);
    return e;
}

static const vv_parallel alone = { .threads = 1 };

static double value_at(const vv_energy *e, const double *x) { return e->ops->value(e, &alone, x, NULL); }

static void slope_of(const vv_energy *e, const double *x, double *g)
{
    memset(g, 0, 3 * NODES * sizeof *g);
    e->ops->derivatives(e, &alone, x, 1, VV_HESSIAN_EXACT, g, NULL);
}

static void near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.15g is not %.15g to %g", a, b, tolerance);
}

static void derivatives(void **state)
{
    (void)state;
    const double h = 1e-5;
    for (int triangles = 2; triangles <= 4; triangles += 2) {
        double x[3 * NODES], from[3 * NODES], force[3 * NODES], g[3 * NODES], up[3 * NODES], down[3 * NODES];
        vv_energy *e = pressed(triangles, 3, x, from, force);
        vvError error = { 0 };
        vv_pattern pattern = { .n = 4 };
        vv_bsr a;
        vv_pattern_clique(&pattern, (const int[]){ 0, 1, 2, 3 }, 4);
        assert_int_equal(vv_bsr_build(&a, &pattern, &error), VV_OK);
        vv_bsr_clear(&a, &alone);
        e->ops->derivatives(e, &alone, x, 1, VV_HESSIAN_EXACT, NULL, &(vv_block_target){ &a, every_unknown, NULL });
        vv_bsr_finish(&a);
        slope_of(e, x, g);
        for (int j = 0; j < 12; j++) { /* the last node is prescribed, and no corner */
            const double old = x[j];
            x[j] = old + h;
            const double high = value_at(e, x);
            slope_of(e, x, up);
            x[j] = old - h;
            near(g[j], (high - value_at(e, x)) / (2 * h), 1e-9);
            slope_of(e, x, down);
            x[j] = old;
            for (int i = 0; i < 12; i++) {
                const int slot = vv_bsr_slot(&a, every_unknown[i / 3], every_unknown[j / 3]);
                near(a.val[9 * slot + 3 * (j % 3) + i % 3], (up[i] - down[i]) / (2 * h), 1e-9);
            }
        }
        vv_bsr_free(&a);
        vv_pattern_free(&pattern);
        e->ops->destroy(e);
    }
}

static double volume_of(const double *x, const double *about)
{
    double sum = 0;
    for (int t = 0; t < 4; t++) {
        double d[9];
        for (int k = 0; k < 3; k++)
            vv_sub(x + 3 * sides[3 * t + k], about, d + 3 * k);
        sum += vv_det(d) / 6;
    }
    return sum;
}

/* Of a closed surface E is -p times what the volume has grown by, seen from anywhere, and forces are a third of each
 * triangle's: nothing is left for the rim. An open one has these forces once its rim has what is left. */
static void volumes(void **state)
{
    (void)state;
    for (int triangles = 2; triangles <= 4; triangles += 2) {
        double x[3 * NODES], from[3 * NODES], none[3 * NODES] = { 0 }, ignored[3 * NODES], g[3 * NODES],
                                                       rim[3 * NODES] = { 0 }, wanted[3 * NODES] = { 0 };
        vv_energy *e = pressed(triangles, 3, x, from, ignored);
        vv_external_set(e, none, from);
        if (triangles == 4)
            near(value_at(e, x), -3 * (volume_of(x, (double[]){ 5, -3, 2 }) - volume_of(from, (double[]){ 0, 1, 0 })),
                 1e-13);
        slope_of(e, x, g);
        double most = 0;
        for (int t = 0; t < triangles; t++) {
            double corner[3][3], n[3], part[3][3] = { 0 };
            for (int k = 0; k < 3; k++)
                memcpy(corner[k], x + 3 * sides[3 * t + k], sizeof corner[k]);
            vv_external_rim(e, 0, &vv_face_flat, corner, part);
            for (int k = 0; k < 9; k++)
                rim[3 * sides[3 * t + k / 3] + k % 3] += part[k / 3][k % 3];
            vv_triangle_normal(x, sides + 3 * t, n);
            for (int k = 0; k < 9; k++)
                wanted[3 * sides[3 * t + k / 3] + k % 3] += 3 * n[k % 3] / 6;
        }
        for (int i = 0; i < 3 * NODES; i++) {
            near(-g[i] + rim[i], wanted[i], 1e-14);
            most = fmax(most, fabs(rim[i]));
        }
        assert_true(triangles == 4 ? most < 1e-14 : most > 0.1);
        e->ops->destroy(e);
    }
}

/* ---- faces of order 2 ---- */

enum { TEN = 10 };

/* The corners and middles of the four faces of a tet of ten nodes, outwards, and the four triangles of each. */
static const int ten_faces[4][6] = {
    { 0, 2, 1, 6, 5, 4 }, { 0, 1, 3, 4, 8, 7 }, { 1, 2, 3, 5, 9, 8 }, { 0, 3, 2, 7, 9, 6 }
};
static const int ten_ends[6][2] = { { 0, 1 }, { 1, 2 }, { 0, 2 }, { 0, 3 }, { 1, 3 }, { 2, 3 } };
static const int ten_unknown[TEN] = { 9, 3, 0, 2, 1, 4, 5, 8, 7, 6 };
static const int ten_body[TEN] = { 0 };

static void four_of(const int *f, int *to)
{
    const int v[12] = { f[0], f[3], f[5], f[3], f[1], f[4], f[5], f[4], f[2], f[3], f[4], f[5] };
    memcpy(to, v, sizeof v);
}

/* A tet of ten nodes off the origin, with curved edges, its first `faces` faces pressed. */
static vv_energy *pressed_ten(int faces, double pressure, double curve, double *x, double *from)
{
    static const double none[3 * TEN] = { 0 };
    vvError error = { 0 };
    vv_energy *e = NULL;
    rng r = { 9 };
    int corners[48];
    const int identity[TEN] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
    for (int f = 0; f < faces; f++)
        four_of(ten_faces[f], corners + 12 * f);
    const vv_external_patch patch = { 4 * faces, faces, identity, corners };
    const vv_external_def def = { TEN, ten_unknown, ten_body, 1, &patch };
    assert_int_equal(vv_external_create(&def, &e, &error), VV_OK);
    for (int i = 0; i < 12; i++)
        from[i] = 3 + (i / 3 == 1 + i % 3) + 0.1 * rng_next(&r), x[i] = from[i] + 0.1 * rng_next(&r);
    for (int i = 12; i < 3 * TEN; i++) {
        const int *end = ten_ends[i / 3 - 4], k = i % 3;
        from[i] = 0.5 * (from[3 * end[0] + k] + from[3 * end[1] + k]) + curve * rng_next(&r);
        x[i] = 0.5 * (x[3 * end[0] + k] + x[3 * end[1] + k]) + curve * rng_next(&r);
    }
    vv_external_begin(e, from);
    vv_external_press(e, 0, pressure);
    vv_external_set(e, none, from);
    return e;
}

/* By six points of degree 4 (Dunavant 1985): the volume between a face and the origin, and int N dA. */
static double integrated(const double *x, const int *v, double area[6][3])
{
    static const double at[2] = { 0.445948490915965, 0.091576213509771 },
                        weight[2] = { 0.223381589678011, 0.109951743655322 };
    double volume = 0;
    memset(area, 0, 6 * sizeof *area);
    for (int q = 0; q < 6; q++) {
        double l[3], p[3] = { 0 }, u[3] = { 0 }, w[3] = { 0 }, n[3];
        for (int k = 0; k < 3; k++)
            l[k] = k == q % 3 ? 1 - 2 * at[q / 3] : at[q / 3];
        double shape[6], by_u[6], by_w[6]; /* l = (1 - u - w, u, w) */
        for (int k = 0; k < 3; k++) {
            const int m = (k + 1) % 3;
            const double du[3] = { -1, 1, 0 }, dw[3] = { -1, 0, 1 };
            shape[k] = l[k] * (2 * l[k] - 1), by_u[k] = (4 * l[k] - 1) * du[k], by_w[k] = (4 * l[k] - 1) * dw[k];
            shape[3 + k] = 4 * l[k] * l[m];
            by_u[3 + k] = 4 * (l[k] * du[m] + l[m] * du[k]), by_w[3 + k] = 4 * (l[k] * dw[m] + l[m] * dw[k]);
        }
        for (int i = 0; i < 6; i++)
            for (int k = 0; k < 3; k++) {
                const double at_node = x[3 * v[i] + k];
                p[k] += shape[i] * at_node, u[k] += by_u[i] * at_node, w[k] += by_w[i] * at_node;
            }
        vv_cross(u, w, n);
        volume += weight[q / 3] / 2 * vv_dot(p, n) / 3;
        for (int i = 0; i < 6; i++)
            for (int k = 0; k < 3; k++)
                area[i][k] += weight[q / 3] / 2 * shape[i] * n[k];
    }
    return volume;
}

/* With curved sides, too, V is the integral over the faces; forces are those of the shape functions, once an open rim
 * has what is left to it. */
static void volumes_of_order2(void **state)
{
    (void)state;
    for (int faces = 3; faces <= 4; faces++) {
        double x[3 * TEN], from[3 * TEN], g[3 * TEN] = { 0 }, gain = 0, area[6][3], given[6][3], at[6][3], most = 0;
        vv_energy *e = pressed_ten(faces, 3, 0.2, x, from);
        e->ops->derivatives(e, &alone, x, 1, VV_HESSIAN_EXACT, g, NULL);
        for (int f = 0; f < faces; f++) {
            double rim[6][3] = { 0 };
            for (int i = 0; i < 6; i++)
                memcpy(at[i], x + 3 * ten_faces[f][i], sizeof at[i]);
            gain += integrated(x, ten_faces[f], area) - integrated(from, ten_faces[f], given);
            integrated(x, ten_faces[f], area);
            vv_face_area(at, given);
            vv_external_rim(e, 0, &vv_face_order2, at, rim);
            for (int i = 0; i < 6; i++)
                for (int k = 0; k < 3; k++) {
                    near(given[i][k], area[i][k], 1e-13);
                    g[3 * ten_faces[f][i] + k] += 3 * area[i][k] - rim[i][k];
                    most = fmax(most, fabs(rim[i][k]));
                }
        }
        assert_true(most > 0.01);
        for (int i = 0; i < 3 * TEN; i++)
            near(g[i], 0, 1e-13);
        if (faces == 4)
            near(value_at(e, x), -3 * gain, 1e-12);
        e->ops->destroy(e);
    }
}

/* Straight ones have the volume of a linear tet, and a third of a face's force at each middle alone. */
static void straight_faces(void **state)
{
    (void)state;
    double x[3 * TEN], from[3 * TEN], d[9], area[6][3], at[6][3], n[3];
    vv_energy *e = pressed_ten(4, 3, 0, x, from);
    for (int k = 0; k < 3; k++)
        vv_sub(x + 3 * (k + 1), x, d + 3 * k);
    const double now = vv_det(d) / 6;
    for (int k = 0; k < 3; k++)
        vv_sub(from + 3 * (k + 1), from, d + 3 * k);
    near(value_at(e, x), -3 * (now - vv_det(d) / 6), 1e-13);
    for (int i = 0; i < 6; i++)
        memcpy(at[i], x + 3 * ten_faces[2][i], sizeof at[i]);
    vv_face_area(at, area);
    vv_triangle_normal(x, ten_faces[2], n);
    for (int i = 0; i < 18; i++)
        near(area[i / 3][i % 3], i < 9 ? 0 : n[i % 3] / 6, 1e-14);
    e->ops->destroy(e);
}

static void derivatives_of_order2(void **state)
{
    (void)state;
    const double h = 1e-5;
    double x[3 * TEN], from[3 * TEN], g[3 * TEN] = { 0 };
    vv_energy *e = pressed_ten(3, 3, 0.2, x, from);
    vvError error = { 0 };
    vv_pattern pattern = { .n = TEN };
    vv_bsr a;
    vv_pattern_clique(&pattern, (const int[]){ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 }, TEN);
    assert_int_equal(vv_bsr_build(&a, &pattern, &error), VV_OK);
    vv_bsr_clear(&a, &alone);
    e->ops->derivatives(e, &alone, x, 1, VV_HESSIAN_EXACT, NULL, &(vv_block_target){ &a, ten_unknown, NULL });
    vv_bsr_finish(&a);
    e->ops->derivatives(e, &alone, x, 1, VV_HESSIAN_EXACT, g, NULL);
    for (int j = 0; j < 3 * TEN; j++) {
        double up[3 * TEN] = { 0 }, down[3 * TEN] = { 0 };
        const double old = x[j];
        x[j] = old + h;
        const double high = value_at(e, x);
        e->ops->derivatives(e, &alone, x, 1, VV_HESSIAN_EXACT, up, NULL);
        x[j] = old - h;
        near(g[j], (high - value_at(e, x)) / (2 * h), 1e-9);
        e->ops->derivatives(e, &alone, x, 1, VV_HESSIAN_EXACT, down, NULL);
        x[j] = old;
        for (int i = 0; i < 3 * TEN; i++) {
            const int slot = vv_bsr_slot(&a, ten_unknown[i / 3], ten_unknown[j / 3]);
            near(a.val[9 * slot + 3 * (j % 3) + i % 3], (up[i] - down[i]) / (2 * h), 1e-9);
        }
    }
    vv_bsr_free(&a);
    vv_pattern_free(&pattern);
    e->ops->destroy(e);
}

/* The projected Hessian has nothing of it, and that of no load is nothing. */
static void without(void **state)
{
    (void)state;
    double x[3 * NODES], from[3 * NODES], force[3 * NODES], g[3 * NODES];
    vv_energy *e = pressed(2, 3, x, from, force);
    e->ops->derivatives(e, &alone, x, 1, VV_HESSIAN_PROJECTED, NULL, &(vv_block_target){ NULL, every_unknown, NULL });
    vv_external_set(e, NULL, NULL);
    slope_of(e, x, g);
    for (int i = 0; i < 3 * NODES; i++)
        assert_true(g[i] == 0);
    assert_true(value_at(e, x) == 0);
    e->ops->destroy(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(derivatives),           cmocka_unit_test(volumes),
                                        cmocka_unit_test(volumes_of_order2),     cmocka_unit_test(straight_faces),
                                        cmocka_unit_test(derivatives_of_order2), cmocka_unit_test(without) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
