/* Whether a motion leads bodies through each other: what passes, what grazes or goes beside, of solids, sheets, rods
 * and points; turns as turns; the same at any size, in any frame, in either order. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "contact/ccd/passing.h"
#include "surface_fixture.h"

static const double D_HAT = 1e-3;

typedef struct scene {
    model m;
    double *from, *to;
} scene;

static void finish(scene *s)
{
    finish_model(&s->m);
    size_t n = 3 * (size_t)s->m.vertices.count * sizeof(double);
    s->from = malloc(n), s->to = malloc(n);
    memcpy(s->from, s->m.surface.rest, n);
    memcpy(s->to, s->m.surface.rest, n);
}

static void drop(scene *s)
{
    free_model(&s->m);
    free(s->from);
    free(s->to);
}

/* Body b is turned at rest about z by an angle, then shifted, at the start or at the end. */
static void put(const scene *s, double *x, int b, double angle, double dx, double dy, double dz)
{
    const vv_surface_body *body = s->m.surface.bodies + b;
    for (int v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++) {
        const double *r = s->m.surface.rest + 3 * (size_t)v;
        x[3 * v] = cos(angle) * r[0] - sin(angle) * r[1] + dx;
        x[3 * v + 1] = sin(angle) * r[0] + cos(angle) * r[1] + dy;
        x[3 * v + 2] = r[2] + dz;
    }
}

/* A scene may have been copied. */
static vv_surface surface_of(const scene *s)
{
    vv_surface surface = s->m.surface;
    surface.vertices = &s->m.vertices;
    return surface;
}

static const vv_passing pair = { .body = { 0, 1 } };

static bool passes_by(const scene *s, const double *from, const double *to, vv_passing_rule rule, int *looked)
{
    vv_passer *p = NULL;
    vv_passing found;
    vvError error = { 0 };
    bool any = false;
    const vv_surface surface = surface_of(s);
    assert_int_equal(vv_passer_create(&surface, D_HAT, &p, &error), VV_OK);
    assert_int_equal(vv_passing_find(p, NULL, &(vv_passing_motion){ from, to, rule, &pair, 1 }, &found, &any, &error),
                     VV_OK);
    vv_passer_destroy(p);
    if (looked)
        *looked = found.looked;
    if (any) {
        assert_int_equal(found.body[0], 0);
        assert_int_equal(found.body[1], 1);
        assert_true(found.travel > 0 && found.extent > 0);
    }
    return any;
}

/* Also seen by one who moves: nothing changes. */
static bool passes(const scene *s)
{
    size_t n = 3 * (size_t)s->m.vertices.count;
    double *seen = malloc(n * sizeof *seen);
    for (size_t i = 0; i < n; i++)
        seen[i] = s->to[i] + (const double[]){ 31, -17, 8 }[i % 3];
    const bool any = passes_by(s, s->from, s->to, VV_PASSING_THROUGH, NULL);
    assert_int_equal(passes_by(s, s->from, seen, VV_PASSING_THROUGH, NULL), any);
    free(seen);
    return any;
}

static scene two_balls(double scale)
{
    scene s = { .m = { .surface = { .body_count = 0 } } };
    for (int b = 0; b < 2; b++) {
        int first = add_ball(&s.m, 5);
        place(&s.m, first, scale, 0, 0, 0);
        s.m.surface.bodies[b].solid = true;
    }
    finish(&s);
    return s;
}

static void balls(void **state)
{
    (void)state;
    static const struct {
        double offset;
        bool passes;
    } cases[] = { { 0, true }, { 0.7, true }, { 1.4, true }, { 1.95, false }, { 2.1, false } };
    for (int k = 0; k < 2; k++) {
        const double scale = k ? 1e-3 : 1;
        scene s = two_balls(scale);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            for (int moving = 0; moving < 3; moving++) { /* either, or both */
                const double way = moving == 2 ? 0.5 : 1, y = cases[i].offset * scale, l = 3 * scale;
                put(&s, s.from, 0, 0, -l, y, 0);
                put(&s, s.to, 0, 0, moving == 1 ? -l : -l + 2 * l * way, y, 0);
                put(&s, s.from, 1, 0, 0, 0, 0);
                put(&s, s.to, 1, 0, moving == 0 ? 0 : -2 * l * way, 0, 0);
                assert_int_equal(passes(&s), cases[i].passes);
            }
        drop(&s);
    }
}

/* A bounce, and what moves less than half of a ball, are no ways through. */
static void slow_and_back(void **state)
{
    (void)state;
    scene s = two_balls(1);
    int looked;
    put(&s, s.from, 0, 0, -2.5, 0, 0);
    put(&s, s.to, 0, 0, -2.01, 0.5, 0);
    assert_false(passes_by(&s, s.from, s.to, VV_PASSING_THROUGH, &looked));
    assert_int_equal(looked, 0);
    put(&s, s.from, 0, 0, -4, 1, 0);
    put(&s, s.to, 0, 0, -1.78, 1, 0);
    assert_false(passes_by(&s, s.from, s.to, VV_PASSING_THROUGH, &looked));
    assert_int_equal(looked, 1);
    put(&s, s.from, 0, 0, -4, 0, 0);
    put(&s, s.to, 0, 0, -2.01, 0, 0);
    assert_false(passes_by(&s, s.from, s.to, VV_PASSING_MEETING, &looked));
    put(&s, s.to, 0, 0, -1.952, 0, 0); /* their faces come within d-hat */
    assert_true(passes_by(&s, s.from, s.to, VV_PASSING_MEETING, &looked));
    drop(&s);
}

/* Free flight leads through; what is taken stops, goes aside along the surface, or goes on round the other. */
static void aside(void **state)
{
    (void)state;
    scene s = two_balls(1);
    double *flight = malloc(3 * (size_t)s.m.vertices.count * sizeof *flight);
    static const struct {
        double x, y;
        bool past;
    } ends[] = { { -2.01, 0, false }, { -2.2, 1, false }, { -1, 1.8, true }, { 2.2, 0.1, true } };
    memcpy(flight, s.from, 3 * (size_t)s.m.vertices.count * sizeof *flight);
    put(&s, s.from, 0, 0, -3, 0, 0);
    put(&s, flight, 0, 0, -0.5, 0, 0);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        vv_passer *p = NULL;
        vv_passing found;
        bool any = false;
        put(&s, s.to, 0, 0, ends[i].x, ends[i].y, 0);
        const vv_surface surface = surface_of(&s);
        assert_int_equal(vv_passer_create(&surface, D_HAT, &p, NULL), VV_OK);
        assert_int_equal(vv_passing_find(p, NULL, &(vv_passing_motion){ s.from, s.to, VV_PASSING_THROUGH, &pair, 1 },
                                         &found, &any, NULL),
                         VV_OK);
        assert_int_equal(vv_passing_find(p, NULL, &(vv_passing_motion){ s.from, flight, VV_PASSING_ASIDE, &pair, 1 },
                                         &found, &any, NULL),
                         VV_OK);
        assert_int_equal(any, ends[i].past);
        vv_passer_destroy(p);
    }
    free(flight);
    drop(&s);
}

/* A bar that turns by 120 degrees sweeps over a ball that its ends' chords leave out. */
static void turns(void **state)
{
    (void)state;
    for (int inside = 0; inside < 2; inside++) {
        scene s = { .m = { .surface = { .body_count = 0 } } };
        int first = add_ball(&s.m, 4);
        place(&s.m, first, 0.1, 0, 0, 0);
        for (int v = first; v < s.m.vertices.count; v++)
            s.m.surface.rest[3 * (size_t)v] *= 10;
        first = add_ball(&s.m, 3);
        place(&s.m, first, 0.1, 0, 0, 0);
        s.m.surface.bodies[0].solid = s.m.surface.bodies[1].solid = true;
        finish(&s);
        const double r = inside ? 0.85 : 1.2, third = 2 * 3.14159265358979 / 3;
        put(&s, s.from, 0, 0, 0, 0, 0);
        put(&s, s.to, 0, third, 0, 0, 0);
        put(&s, s.from, 1, 0, r * cos(0.5 * third), r * sin(0.5 * third), 0);
        put(&s, s.to, 1, 0, r * cos(0.5 * third), r * sin(0.5 * third), 0);
        assert_int_equal(passes(&s), inside);
        drop(&s);
    }
}

static scene with_cloth(int (*other)(model *, int), int n, double bumps, bool solid)
{
    scene s = { .m = { .surface = { .body_count = 0 } } };
    int first = add_cloth(&s.m, 12, bumps);
    place(&s.m, first, 4, -2, -2, 0);
    first = other(&s.m, n);
    place(&s.m, first, 0.5, 0, 0, 0);
    s.m.surface.bodies[1].solid = solid;
    finish(&s);
    return s;
}

static int small_cloth(model *m, int n) { return add_cloth(m, n, 0); }

static void sheets(void **state)
{
    (void)state;
    int (*const others[])(model *, int) = { add_ball, small_cloth, add_rod };
    for (int k = 0; k < 3; k++) {
        scene s = with_cloth(others[k], 4, 0, k == 0);
        put(&s, s.from, 1, 0, 0.1, 0.2, 1.2);
        put(&s, s.to, 1, 0, 0.1, 0.2, -1.3); /* through the middle */
        assert_true(passes(&s));
        put(&s, s.to, 1, 0.3, 0.1, 0.2, 0.7); /* not so far */
        assert_false(passes(&s));
        put(&s, s.from, 1, 0, 4.1, 0.2, 1.2);
        put(&s, s.to, 1, 0, 4.1, 0.2, -1.3); /* beside it */
        assert_false(passes(&s));
        drop(&s);
    }
    /* straight through bumps, in and out again: on the same side as before */
    scene s = with_cloth(small_cloth, 4, 0.05, false);
    put(&s, s.from, 1, 0, -6, -0.1, 0.15);
    put(&s, s.to, 1, 0, 5, -0.1, 0.15);
    assert_false(passes(&s));
    drop(&s);
}

static int upright(model *m)
{
    int first = begin_body(m)->first_vertex;
    for (int i = 0; i <= 5; i++) {
        add_vertex(m, 0, 0, i / 2.5 - 1);
        if (i > 0)
            add_edge(m, first + i - 1, first + i);
    }
    return first;
}

static void rods(void **state)
{
    (void)state;
    scene s = { .m = { .surface = { .body_count = 0 } } };
    upright(&s.m);
    int first = upright(&s.m);
    for (int v = first; v < s.m.vertices.count; v++) {
        double *x = s.m.surface.rest + 3 * (size_t)v;
        x[1] = x[2], x[2] = 0.07;
    }
    finish(&s);
    put(&s, s.from, 1, 0, 0.3, 0.05, 0);
    put(&s, s.to, 1, 0, -0.4, 0.05, 0);
    assert_true(passes(&s));
    put(&s, s.from, 1, 0, 0.3, 1.05, 0);
    put(&s, s.to, 1, 0, -0.4, 1.05, 0); /* past its end */
    assert_false(passes(&s));
    drop(&s);
}

static void points(void **state)
{
    (void)state;
    scene s = { .m = { .surface = { .body_count = 0 } } };
    for (int b = 0; b < 2; b++) {
        begin_body(&s.m)->radius = 0.05;
        add_vertex(&s.m, 0, 0, 0);
    }
    finish(&s);
    for (int k = 0; k < 2; k++) { /* through; past with a graze */
        put(&s, s.from, 1, 0, 0.5, k ? 0.07 : 0.02, 0);
        put(&s, s.to, 1, 0, -0.5, k ? 0.07 : 0.02, 0);
        assert_int_equal(passes(&s), !k);
    }
    drop(&s);
}

/* Filters, and two bodies that nothing moves, are left alone. */
static void left_out(void **state)
{
    (void)state;
    static const unsigned char none[4] = { 0 };
    scene s = two_balls(1);
    put(&s, s.from, 0, 0, -3, 0, 0);
    put(&s, s.to, 0, 0, 3, 0, 0);
    assert_true(passes(&s));
    s.m.surface.touches = none;
    assert_false(passes(&s));
    s.m.surface.touches = NULL;
    s.m.surface.bodies[0].moves = s.m.surface.bodies[1].moves = false;
    assert_false(passes(&s));
    drop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls),  cmocka_unit_test(slow_and_back), cmocka_unit_test(aside),  cmocka_unit_test(turns),
        cmocka_unit_test(sheets), cmocka_unit_test(rods),          cmocka_unit_test(points), cmocka_unit_test(left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
