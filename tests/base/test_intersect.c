/* Rays, triangles, segments, boxes, points: against clipping and sampling, and that no ray slips between triangles. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/geometry/intersect.h"
#include "base/vec.h"

#include <math.h>
#include <string.h>

static uint64_t state64 = 11;
static double uniform(void) /* in [-1, 1] */
{
    state64 ^= state64 << 13;
    state64 ^= state64 >> 7;
    state64 ^= state64 << 17;
    return (double)(state64 >> 10) * 0x1p-53 - 1;
}
static void random_point(double size, double x[3])
{
    for (int k = 0; k < 3; k++)
        x[k] = size * uniform();
}
static vv_ray ray_to(const double from[3], const double to[3])
{
    double d[3];
    vv_sub(to, from, d);
    double length = vv_norm(d);
    for (int k = 0; k < 3; k++)
        d[k] /= length;
    return vv_ray_along(from, d);
}

/* ---- a sheet of triangles that a ray aimed at it cannot miss ---------------------------------------------------- */

enum { SIDE = 9, POINTS = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };

typedef struct sheet {
    double x[POINTS][3];
    int t[TRIANGLES][3];
} sheet;

/* Bumps a sixth of a cell high; bumps 0: flat, on round numbers, where everything ties. */
static void make_sheet(sheet *s, double bumps, const double shift[3])
{
    int count = 0;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            double *x = s->x[SIDE * i + j];
            x[0] = 0.25 * i - 1 + bumps * uniform() / 24 + shift[0];
            x[1] = 0.25 * j - 1 + bumps * uniform() / 24 + shift[1];
            x[2] = bumps * uniform() / 24 + shift[2];
        }
    for (int i = 0; i + 1 < SIDE; i++)
        for (int j = 0; j + 1 < SIDE; j++) {
            int a = SIDE * i + j, b = a + SIDE, c = b + 1, d = a + 1;
            memcpy(s->t[count++], (int[]){ a, b, c }, sizeof(int[3]));
            memcpy(s->t[count++], (i + j) % 2 ? (int[]){ a, c, d } : (int[]){ c, d, a }, sizeof(int[3]));
        }
}

static int hits(const sheet *s, const vv_ray *ray, double *t)
{
    int count = 0;
    for (int i = 0; i < TRIANGLES; i++) {
        double at, w[3];
        if (!vv_ray_triangle(ray, s->x[s->t[i][0]], s->x[s->t[i][1]], s->x[s->t[i][2]], INFINITY, &at, w))
            continue;
        assert_true(w[0] >= 0 && w[1] >= 0 && w[2] >= 0 && fabs(w[0] + w[1] + w[2] - 1) < 1e-15);
        *t = at;
        count++;
    }
    return count;
}

static void no_ray_slips_through(void **state)
{
    (void)state;
    int ties = 0, rays = 0;
    for (int kind = 0; kind < 6; kind++) {
        double shift[3] = { kind > 2 ? 1e3 / 3 : 0, kind > 2 ? -1e4 / 7 : 0, kind > 2 ? 1e5 / 11 : 0 };
        sheet s;
        make_sheet(&s, kind % 3, shift);
        for (int k = 0; k < 20000; k++) {
            /* at an inner vertex, or between an inner vertex and a neighbour, or anywhere in the middle */
            int i = 2 + k % (SIDE - 4), j = 2 + (k / 7) % (SIDE - 4), next = (k / 3) % 3;
            const double *p = s.x[SIDE * i + j], *q = s.x[SIDE * (i + (next != 1)) + j + (next != 0)];
            double part = k % 3 == 0 ? 0 : k % 3 == 1 ? 0.5 : 0.5 + 0.5 * uniform(), target[3], from[3], t = 0;
            for (int c = 0; c < 3; c++)
                target[c] = p[c] + part * (q[c] - p[c]);
            random_point(1, from);
            from[2] = (from[2] < 0 ? -1 : 1) * (1.5 + fabs(from[2])); /* steep: one hit only */
            if (k % 5 == 0)
                from[0] = from[1] = 0, from[2] = 1; /* straight down: along an axis, exact ties */
            double far = k % 4 == 0 ? 100 : 1;
            for (int c = 0; c < 3; c++)
                from[c] = target[c] + far * from[c];
            vv_ray ray = ray_to(from, target);
            int n = hits(&s, &ray, &t);
            if (n == 0)
                fail_msg("kind %d: a ray at the point (%.17g, %.17g, %.17g) hits nothing", kind, target[0], target[1],
                         target[2]);
            ties += n > 1;
            rays++;
            double d[3];
            vv_sub(target, from, d);
            assert_true(fabs(t - vv_norm(d)) < 1e-12 * (1 + far + vv_norm(target)));
        }
    }
    print_message("%d rays, %d through an edge or a corner to the last bit\n", rays, ties);
    assert_true(ties > rays / 10);
}

/* The solution of o + t d = sum w v, by Cramer in long double. */
static bool reference(const vv_ray *r, const double *v[3], long double *t, long double w[3])
{
    long double m[4][3]; /* e, f, -d, o - a */
    for (int k = 0; k < 3; k++) {
        m[0][k] = (long double)v[1][k] - v[0][k];
        m[1][k] = (long double)v[2][k] - v[0][k];
        m[2][k] = -(long double)r->direction[k];
        m[3][k] = (long double)r->origin[k] - v[0][k];
    }
    long double det[4];
    static const int columns[4][3] = { { 0, 1, 2 }, { 3, 1, 2 }, { 0, 3, 2 }, { 0, 1, 3 } };
    for (int i = 0; i < 4; i++) {
        const long double *a = m[columns[i][0]], *b = m[columns[i][1]], *c = m[columns[i][2]];
        det[i] = a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
                 a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    w[1] = det[1] / det[0], w[2] = det[2] / det[0], w[0] = 1 - w[1] - w[2];
    *t = det[3] / det[0];
    return fabsl(det[0]) > 1e-6L;
}

static void ray_and_triangle(void **state)
{
    (void)state;
    int met = 0, missed = 0;
    for (int k = 0; k < 20000; k++) {
        double v[3][3], o[3], aim[3], t, w[3];
        random_point(2, o);
        random_point(1, aim);
        for (int i = 0; i < 3; i++)
            random_point(1, v[i]);
        vv_ray ray = ray_to(o, aim);
        long double want, weights[3];
        if (!reference(&ray, (const double *[]){ v[0], v[1], v[2] }, &want, weights))
            continue;
        long double least = fminl(weights[0], fminl(weights[1], weights[2]));
        bool hit = vv_ray_triangle(&ray, v[0], v[1], v[2], 3, &t, w);
        if (fabsl(least) < 1e-9L || fabsl(want) < 1e-9L || fabsl(want - 3) < 1e-9L)
            continue;
        assert_int_equal(hit, least > 0 && want > 0 && want < 3);
        met += hit;
        missed += !hit;
        if (!hit)
            continue;
        assert_true(fabsl(t - want) < 1e-9L);
        for (int i = 0; i < 3; i++)
            assert_true(fabsl(w[i] - weights[i]) < 1e-9L);
    }
    assert_true(met > 500 && missed > 500);
    /* edge-on: not met, from outside or from within; nor a triangle that is a line or a point */
    const double a[3] = { 0, 0, 0 }, b[3] = { 1, 0, 0 }, c[3] = { 0, 1, 0 }, along[3] = { 1, 0, 0 };
    double t, w[3];
    vv_ray in_plane = vv_ray_along((double[]){ -1, 0.25, 0 }, along);
    vv_ray at_corner = vv_ray_along((double[]){ -1, 0, 0 }, along);
    assert_false(vv_ray_triangle(&in_plane, a, b, c, INFINITY, &t, w));
    assert_false(vv_ray_triangle(&at_corner, a, b, c, INFINITY, &t, w));
    assert_false(vv_ray_triangle(&at_corner, a, a, a, INFINITY, &t, w));
    /* both ends of the range count */
    vv_ray down = vv_ray_along((double[]){ 0.25, 0.25, 1 }, (double[]){ 0, 0, -1 });
    assert_true(vv_ray_triangle(&down, a, b, c, 1, &t, w) && t == 1);
    assert_false(vv_ray_triangle(&down, a, b, c, nextafter(1, 0), &t, w));
    vv_ray on_it = vv_ray_along((double[]){ 0.25, 0.25, 0 }, (double[]){ 0, 0, -1 });
    assert_true(vv_ray_triangle(&on_it, a, b, c, 1, &t, w) && t == 0);
}

/* ---- distances: no sampled point is nearer, and some come near --------------------------------------------------- */

static void ray_and_segment(void **state)
{
    (void)state;
    for (int k = 0; k < 300; k++) {
        double o[3], aim[3], a[3], b[3], t, s, limit = k % 3 ? 1 + uniform() : INFINITY, best = INFINITY;
        random_point(1, o);
        random_point(1, aim);
        random_point(1, a);
        random_point(1, b);
        if (k % 10 == 0)
            memcpy(b, a, sizeof b); /* a point */
        vv_ray ray = ray_to(o, aim);
        if (k % 10 == 1)
            for (int c = 0; c < 3; c++)
                b[c] = a[c] + 0.5 * ray.direction[c]; /* parallel */
        double d = vv_ray_segment(&ray, a, b, limit, &t, &s);
        assert_true(t >= 0 && t <= limit && s >= 0 && s <= 1);
        double gap[3];
        for (int c = 0; c < 3; c++)
            gap[c] = o[c] + t * ray.direction[c] - a[c] - s * (b[c] - a[c]);
        assert_true(fabs(vv_norm(gap) - d) < 1e-14);
        for (int i = 0; i <= 100; i++)
            for (int j = 0; j <= 100; j++) {
                double u = fmin(limit, 6) * i / 100;
                for (int c = 0; c < 3; c++)
                    gap[c] = o[c] + u * ray.direction[c] - a[c] - 0.01 * j * (b[c] - a[c]);
                best = fmin(best, vv_norm(gap));
            }
        assert_true(d <= best + 1e-12 && d >= best - 0.06);
    }
}

static void point_and_triangle(void **state)
{
    (void)state;
    for (int k = 0; k < 400; k++) {
        double v[3][3], p[3], best = INFINITY;
        random_point(1, p);
        for (int i = 0; i < 3; i++)
            random_point(1, v[i]);
        for (int c = 0; c < 3 && k % 8 == 0; c++)
            v[2][c] = 0.5 * (v[0][c] + v[1][c]); /* no area */
        double d = sqrt(vv_point_triangle(p, v[0], v[1], v[2]));
        for (int i = 0; i <= 60; i++)
            for (int j = 0; i + j <= 60; j++) {
                double gap[3];
                for (int c = 0; c < 3; c++)
                    gap[c] = p[c] - (i * v[0][c] + j * v[1][c] + (60 - i - j) * v[2][c]) / 60;
                best = fmin(best, vv_norm(gap));
            }
        assert_true(d <= best + 1e-12 && d >= best - 0.06);
    }
}

static void point_and_tet(void **state)
{
    (void)state;
    int in = 0;
    for (int k = 0; k < 5000; k++) {
        double v[4][3], p[3], m[9], inverse[9], w[4], rel[3];
        for (int i = 0; i < 4; i++)
            random_point(1, v[i]);
        random_point(0.5, p);
        for (int i = 0; i < 3; i++)
            for (int c = 0; c < 3; c++)
                m[3 * c + i] = v[i + 1][c] - v[0][c];
        if (fabs(vv_inverse(m, inverse)) < 1e-6)
            continue;
        vv_sub(p, v[0], rel);
        vv_matvec(inverse, rel, w);
        double least = fmin(1 - w[0] - w[1] - w[2], fmin(w[0], fmin(w[1], w[2])));
        if (fabs(least) > 1e-9)
            assert_int_equal(vv_point_in_tet(p, v[0], v[1], v[2], v[3]) != 0, least > 0);
        /* turned over */
        assert_int_equal(vv_point_in_tet(p, v[0], v[1], v[2], v[3]), -vv_point_in_tet(p, v[1], v[0], v[2], v[3]));
        in += least > 0;
        assert_true(vv_point_in_tet(v[k % 4], v[0], v[1], v[2], v[3]));
        assert_false(vv_point_in_tet(p, v[0], v[1], v[2], v[1]));
        /* somewhere on the face that two tets share: in both, but for rounding of the place itself */
        double q[3], other[3];
        random_point(1, other);
        for (int c = 0; c < 3; c++)
            q[c] = 0.2 * v[0][c] + 0.3 * v[1][c] + 0.5 * v[2][c], other[c] = 2 * q[c] - v[3][c];
        assert_true(vv_point_in_tet(q, v[0], v[1], v[2], v[3]) || vv_point_in_tet(q, v[0], v[1], v[2], other));
    }
    assert_true(in > 50);
}

/* ---- boxes: what is left after clipping at the six faces --------------------------------------------------------- */

static bool anything_left(const double half[3], const double *v[], int corners)
{
    double polygon[16][3], clipped[16][3];
    int n = corners;
    for (int i = 0; i < corners; i++)
        memcpy(polygon[i], v[i], sizeof polygon[i]);
    for (int face = 0; face < 6 && n > 0; face++) {
        int k = face / 2, count = 0;
        double sign = face % 2 ? -1 : 1;
        for (int i = 0; i < n; i++) {
            const double *a = polygon[i], *b = polygon[(i + 1) % n];
            double da = half[k] - sign * a[k], db = half[k] - sign * b[k];
            if (da >= 0)
                memcpy(clipped[count++], a, sizeof clipped[0]);
            if ((da < 0) != (db < 0)) {
                for (int c = 0; c < 3; c++)
                    clipped[count][c] = a[c] + da / (da - db) * (b[c] - a[c]);
                count++;
            }
        }
        memcpy(polygon, clipped, sizeof polygon);
        n = count;
    }
    return n > 0;
}

static void boxes(void **state)
{
    (void)state;
    int met[2] = { 0, 0 }, missed[2] = { 0, 0 };
    for (int k = 0; k < 40000; k++) {
        double half[3], more[3], less[3], v[3][3], middle[3];
        random_point(0.7, middle);
        for (int c = 0; c < 3; c++) {
            half[c] = 0.1 + 0.5 * fabs(uniform());
            more[c] = half[c] + 1e-9, less[c] = half[c] - 1e-9;
        }
        for (int i = 0; i < 3; i++) {
            random_point(1, v[i]);
            for (int c = 0; c < 3; c++)
                v[i][c] += middle[c];
        }
        const double *corners[] = { v[0], v[1], v[2] };
        for (int flat = 0; flat < 2; flat++) {
            bool want = anything_left(half, corners, 3 - flat);
            if (anything_left(more, corners, 3 - flat) != anything_left(less, corners, 3 - flat))
                continue;
            bool got = flat ? vv_segment_meets_box(half, v[0], v[1]) : vv_triangle_meets_box(half, v[0], v[1], v[2]);
            assert_int_equal(got, want);
            met[flat] += got;
            missed[flat] += !got;
            if (flat) /* a triangle without area is its longest side */
                assert_int_equal(vv_triangle_meets_box(half, v[0], v[1], v[1]), want);
        }
    }
    assert_true(met[0] > 1000 && missed[0] > 1000 && met[1] > 1000 && missed[1] > 1000);
    /* closed: a corner on a face, an edge through an edge of the box, a corner at a corner */
    const double half[3] = { 1, 1, 1 };
    assert_true(vv_triangle_meets_box(half, (double[]){ 1, 0, 0 }, (double[]){ 2, 1, 0 }, (double[]){ 2, -1, 0 }));
    assert_true(vv_triangle_meets_box(half, (double[]){ 2, 0, 0 }, (double[]){ 0, 2, 0 }, (double[]){ 2, 2, 0 }));
    assert_true(vv_triangle_meets_box(half, (double[]){ 1, 1, 1 }, (double[]){ 2, 3, 2 }, (double[]){ 3, 2, 2 }));
    assert_true(vv_segment_meets_box(half, (double[]){ -3, 1, 1 }, (double[]){ 3, 1, 1 }));
    assert_false(vv_segment_meets_box(half, (double[]){ -3, 1, nextafter(1, 2) }, (double[]){ 3, 1, nextafter(1, 2) }));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_ray_slips_through), cmocka_unit_test(ray_and_triangle), cmocka_unit_test(ray_and_segment),
        cmocka_unit_test(point_and_triangle),   cmocka_unit_test(point_and_tet),    cmocka_unit_test(boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
