/* Height fields: distance, inside and rays against all triangles one by one; the barrier as a sum over pieces: what
 * it is on planes, ridges and in valleys, that it does not depend on how finely a surface is cut; the step filter
 * over rough ground; fields that are refused. */
#include "energy_fixture.h"

#include "base/geometry/intersect.h"
#include "contact/barrier/barrier.h"
#include "contact/obstacles/heightfield.h"
#include "size.h"

#define assert_less(a, b)                                                             \
    do {                                                                              \
        const double less_a = (a), less_b = (b);                                      \
        if (!(less_a < less_b))                                                       \
            fail_msg("%s = %.9g is not less than %s = %.9g", #a, less_a, #b, less_b); \
    } while (0)
#define assert_near(a, b, tolerance)                                                                            \
    do {                                                                                                        \
        const double near_a = (a), near_b = (b);                                                                \
        if (!(fabs(near_a - near_b) <= (tolerance)))                                                            \
            fail_msg("%s = %.12g is not within %g of %s = %.12g", #a, near_a, (double)(tolerance), #b, near_b); \
    } while (0)

static double distance3(const double *a, const double *b)
{
    double r[3];
    vv_sub(a, b, r);
    return vv_norm(r);
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* values: those of the table; samples NULL: random ones */
static vv_obstacle make(const double *values, int nx, int nz, const double *samples, rng *r)
{
    vv_obstacle o = { .ops = &vv_obstacle_heightfield, .friction = -1 };
    vvError error = { 0 };
    double *made = vv_alloc((size_t)(nx * nz), sizeof *made);
    for (int i = 0; i < nx * nz; i++)
        made[i] = samples ? samples[i] : rng_next(r);
    memcpy(o.values, values, 10 * sizeof *values);
    assert_int_equal(o.ops->prepare(o.values, o.shape, &error), VV_OK);
    if (vv_field_create(o.ops->field, (const int[]){ nx, nz, 1 }, made, &o.field, &error) != VV_OK)
        fail_msg("%s", error.message);
    vv_free(made);
    return o;
}

static void give_back(vv_obstacle *o)
{
    vv_field_release(o->field);
    o->field = NULL;
}

/* Its triangles in space, by the corners that are documented; in new memory. */
static double *all_triangles(const vv_obstacle *o, int *count)
{
    const int nx = o->field->counts[0], nz = o->field->counts[1];
    double *t = vv_alloc(9 * (size_t)(2 * (nx - 1) * (nz - 1) + 4 * (nx + nz)), sizeof *t), low = INFINITY;
    *count = 0;
    for (int i = 0; i < nx * nz; i++)
        low = fmin(low, o->values[8] * o->field->samples[i]);
    low -= o->values[9];
#define AT(i, k, bottom)                                                                                        \
    (double[])                                                                                                  \
    {                                                                                                           \
        o->values[3] * ((i) / (nx - 1.0) - 0.5), bottom ? low : o->values[8] * o->field->samples[(k)*nx + (i)], \
            o->values[4] * ((k) / (nz - 1.0) - 0.5)                                                             \
    }
#define PUT(a, b, c)                                             \
    do {                                                         \
        const double *corner[3] = { a, b, c };                   \
        for (int v = 0; v < 3; v++) {                            \
            double x[3];                                         \
            vv_matvec(o->shape + 3, corner[v], x);               \
            for (int m = 0; m < 3; m++)                          \
                t[9 * *count + 3 * v + m] = x[m] + o->values[m]; \
        }                                                        \
        ++*count;                                                \
    } while (0)
    for (int k = 0; k + 1 < nz; k++)
        for (int i = 0; i + 1 < nx; i++) {
            PUT(AT(i, k, false), AT(i, k + 1, false), AT(i + 1, k + 1, false));
            PUT(AT(i, k, false), AT(i + 1, k + 1, false), AT(i + 1, k, false));
        }
    for (int i = 0; i + 1 < nx; i++) {
        PUT(AT(i, 0, false), AT(i + 1, 0, false), AT(i + 1, 0, true));
        PUT(AT(i, 0, false), AT(i + 1, 0, true), AT(i, 0, true));
        PUT(AT(i + 1, nz - 1, false), AT(i, nz - 1, false), AT(i, nz - 1, true));
        PUT(AT(i + 1, nz - 1, false), AT(i, nz - 1, true), AT(i + 1, nz - 1, true));
    }
    for (int k = 0; k + 1 < nz; k++) {
        PUT(AT(nx - 1, k, false), AT(nx - 1, k + 1, false), AT(nx - 1, k + 1, true));
        PUT(AT(nx - 1, k, false), AT(nx - 1, k + 1, true), AT(nx - 1, k, true));
        PUT(AT(0, k + 1, false), AT(0, k, false), AT(0, k, true));
        PUT(AT(0, k + 1, false), AT(0, k, true), AT(0, k + 1, true));
    }
    PUT(AT(0, 0, true), AT(nx - 1, 0, true), AT(nx - 1, nz - 1, true));
    PUT(AT(0, 0, true), AT(nx - 1, nz - 1, true), AT(0, nz - 1, true));
    return t;
}

/* The angle that a closed surface fills, seen from x, over 4 pi: 1 inside, 0 outside (van Oosterom and Strackee). */
static double winding(const double *t, int count, const double x[3])
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        double a[3], b[3], c[3], n[3];
        vv_sub(t + 9 * i, x, a);
        vv_sub(t + 9 * i + 3, x, b);
        vv_sub(t + 9 * i + 6, x, c);
        vv_cross(b, c, n);
        const double la = vv_norm(a), lb = vv_norm(b), lc = vv_norm(c);
        sum += 2 * atan2(vv_dot(a, n), la * lb * lc + vv_dot(a, b) * lc + vv_dot(b, c) * la + vv_dot(c, a) * lb);
    }
    return sum / (4 * M_PI);
}

static const struct {
    int nx, nz;
    double values[10];
} fields[] = { { 2, 2, { 0, 0, 0, 1, 1, 0, 0, 0, 0.3, 0.5 } },
               { 5, 4, { 0.1, -0.2, 0.3, 1.1, 0.9, 20, -35, 70, 0.5, 0.2 } },
               { 2, 9, { 0, 0, 0, 0.2, 2, 0, 0, 0, 0.1, 1e-3 } },
               { 17, 11, { 5, 6, 7, 2, 1, 0, 40, 0, 0.1, 0.1 } },
               { 9, 9, { 0, 0, 0, 1, 1, 0, 0, 90, 100, 1 } } }; /* cliffs of 100 m on cells of an eighth */
enum { FIELDS = sizeof fields / sizeof *fields };

/* A point in twice the box of the field; now and then on a line of the grid, where features meet. */
static void random_point(const vv_obstacle *o, rng *r, double x[3])
{
    const double high = o->values[8] + o->values[9];
    double y[3] = { o->values[3] * rng_next(r), high * 1.5 * rng_next(r), o->values[4] * rng_next(r) };
    if (rng_next(r) > 0.7)
        y[0] = 0;
    vv_matvec(o->shape + 3, y, x);
    for (int k = 0; k < 3; k++)
        x[k] += o->values[k];
}

static void distances_are_those_of_all_triangles(void **state)
{
    (void)state;
    for (int f = 0; f < FIELDS; f++) {
        rng r = { 3 + (uint64_t)f };
        vv_obstacle o = make(fields[f].values, fields[f].nx, fields[f].nz, NULL, &r);
        int count, in = 0;
        double *t = all_triangles(&o, &count), worst = 0, last[3] = { 0 }, before = NAN;
        const double size = o.values[3] + o.values[4] + o.values[8];
        const int tries = sized(300, 2000, 20000);
        for (int i = 0; i < tries; i++) {
            double x[3], square = INFINITY;
            random_point(&o, &r, x);
            for (int k = 0; k < count; k++)
                square = fmin(square, vv_point_triangle(x, t + 9 * k, t + 9 * k + 3, t + 9 * k + 6));
            const double d = vv_obstacle_distance(&o, x, NULL, NULL);
            worst = fmax(worst, fabs(fabs(d) - sqrt(square)) / size);
            if (fabs(d) > 1e-6 * size)
                assert_near(winding(t, count, x), d < 0 ? 1 : 0, 1e-6);
            in += d < 0;
            assert_true(i == 0 || fabs(d - before) <= distance3(x, last) * (1 + 1e-12)); /* 1-Lipschitz */
            /* asked for less, the same or the answer that it is not less */
            const double most = fabs(d) * (1 + 0.5 * rng_next(&r)), less = vv_obstacle_distance_below(&o, x, most);
            assert_true(d < most ? less == d : less >= most);
            memcpy(last, x, sizeof last);
            before = d;
        }
        print_message("%2d x %2d: %d of %d points inside, worst difference %.2g of the size\n", fields[f].nx,
                      fields[f].nz, in, tries, worst);
        assert_less(worst, 1e-13);
        assert_true(in > tries / 50);
        vv_free(t);
        give_back(&o);
    }
}

/* A spike is near to points over flat cells beside it, also where cells below are looked up in blocks. */
static void what_stands_beside_a_cell_counts(void **state)
{
    (void)state;
    const double values[10] = { 0, 0, 0, 8, 8, 0, 0, 0, 1, 0.5 }, height[4] = { 0.3, 0.9, 1.7, 3.5 };
    double samples[81] = { 0 };
    int near = 0;
    samples[40] = 40;
    vv_obstacle o = make(values, 9, 9, samples, NULL);
    for (int i = 0; i < 30 * 30 * 4; i++) {
        const double x[3] = { -4.1 + 0.283 * (i % 30), height[i / 900], -4.1 + 0.283 * (i / 30 % 30) },
                     d = vv_obstacle_distance(&o, x, NULL, NULL);
        near += d < 0.9 * x[1];
        assert_true(vv_obstacle_distance_below(&o, x, 1.0001 * d) == d || d <= 0);
        assert_true(vv_obstacle_distance_below(&o, x, 0.9999 * d) >= 0.9999 * d || d <= 0);
    }
    assert_true(near > 200);
    give_back(&o);
}

static void rays_meet_the_first_triangle(void **state)
{
    (void)state;
    for (int f = 0; f < FIELDS; f++) {
        rng r = { 30 + (uint64_t)f };
        vv_obstacle o = make(fields[f].values, fields[f].nx, fields[f].nz, NULL, &r);
        int count, met = 0, missed = 0;
        double *t = all_triangles(&o, &count);
        for (int i = 0; i < sized(200, 1000, 20000); i++) {
            double from[3], to[3], d[3], n[3], at, first = INFINITY;
            random_point(&o, &r, from);
            random_point(&o, &r, to);
            if (i % 3 == 0)
                for (int k = 0; k < 3; k++) /* from far away */
                    from[k] = to[k] + 300 * (from[k] - to[k]);
            vv_sub(to, from, d);
            const double length = vv_norm(d);
            for (int k = 0; k < 3; k++)
                d[k] /= length;
            const vv_ray ray = vv_ray_along(from, d);
            for (int k = 0; k < count; k++) {
                double s, w[3];
                if (vv_ray_triangle(&ray, t + 9 * k, t + 9 * k + 3, t + 9 * k + 6, first, &s, w))
                    first = s;
            }
            const bool hit = vv_obstacle_ray(&o, from, d, &at, n);
            assert_int_equal(hit, first < INFINITY);
            met += hit, missed += !hit;
            if (!hit)
                continue;
            assert_near(at, first, 1e-11 * (1 + length));
            assert_near(vv_norm(n), 1, 1e-12);
            assert_true((vv_obstacle_distance(&o, from, NULL, NULL) > 0) == (vv_dot(n, d) < 0) ||
                        fabs(vv_dot(n, d)) < 1e-9);
        }
        assert_true(met > 50 && missed > 20);
        vv_free(t);
        give_back(&o);
    }
}

/* ---- the barrier ------------------------------------------------------------------------------------------------- */

/* One vertex of a node against one obstacle. */
typedef struct contact {
    int start[2], index;
    double one, radius;
    vv_vertices vs;
    vv_barrier_def def;
} contact;

static void bind(contact *c, const vv_obstacle *o, double hat)
{
    *c = (contact){ .start = { 0, 1 }, .one = 1 };
    c->vs = (vv_vertices){ .count = 1,
                           .start = c->start,
                           .node = &c->index,
                           .weight = &c->one,
                           .area = &c->one,
                           .radius = &c->radius,
                           .body = &c->index };
    c->def = (vv_barrier_def){
        .vertices = &c->vs, .obstacles = o, .obstacle_count = 1, .distance = hat, .stiffness = 1, .body_count = 1
    };
}

static vv_barrier_sum sum_at(const contact *c, const double x[3])
{
    vv_barrier_sum s;
    vv_barrier_at(&c->def, 0, 0, NULL, x, VV_SUM_EXACT, &s);
    return s;
}

/* bent: the second derivatives too; they jump where a nearest point goes over an edge. */
static void assert_same(const vv_barrier_sum *a, const vv_barrier_sum *b, bool bent, double tolerance)
{
    assert_near(a->value, b->value, tolerance * (1e-3 + b->value));
    const double slope = fabs(b->slope) + 1e-3, most = largest(b->block, 9) + 1e-3;
    for (int k = 0; k < 3; k++)
        assert_near(a->slope * a->n[k], b->slope * b->n[k], tolerance * slope);
    for (int k = 0; bent && k < 9; k++)
        assert_near(a->block[k], b->block[k], tolerance * most);
}

/* Above flat ground, however it is cut, all terms but one cancel: it is the barrier of a plane. Likewise of a box,
 * with its edges and corners. */
static void on_flat_ground_it_is_that_of_a_plane(void **state)
{
    (void)state;
    static const double zero[49], flat[10] = { 0, 0, 0, 1, 1, 0, 0, 0, 1, 0.5 },
                                  block[9] = { 0, -0.25, 0, 1, 0.5, 1, 0, 0, 0 };
    rng r = { 5 };
    vv_obstacle box = { .ops = &vv_obstacle_box, .friction = -1 };
    assert_int_equal(box.ops->prepare(block, box.shape, NULL), VV_OK);
    for (int n = 2; n < 8; n++) {
        vv_obstacle o = make(flat, n, n, zero, NULL);
        contact field, plain;
        bind(&field, &o, 0.3);
        bind(&plain, &box, 0.3);
        for (int i = 0; i < 300; i++) {
            double x[3] = { 0.8 * rng_next(&r), 0.3 * rng_next(&r), 0.8 * rng_next(&r) };
            if (i % 4 == 0)
                x[0] = 0.5 * round(4 * x[0]) / 2; /* over lines of the grid */
            if (box.ops->distance(box.shape, x, NULL, NULL) < 1e-3)
                continue;
            const vv_barrier_sum a = sum_at(&field, x), b = sum_at(&plain, x);
            assert_same(&a, &b, i % 4 != 0, 1e-9);
            assert_near(a.press, b.press, 1e-9 * (1 + b.press));
        }
        give_back(&o);
    }
}

/* The pieces of a closed surface: faces less edges plus vertices is 2. */
static void count_piece(void *to, const vv_field_piece *piece) { *(double *)to += piece->sign; }

static void each_piece_is_there_once(void **state)
{
    (void)state;
    for (int f = 0; f < FIELDS; f++) {
        rng r = { 8 };
        vv_obstacle o = make(fields[f].values, fields[f].nx, fields[f].nz, NULL, &r);
        double sum = 0;
        o.ops->field->pieces(o.field, o.shape, (const double[]){ 500, 500, 500 }, 1e4, count_piece, &sum);
        assert_true(sum == 2);
        give_back(&o);
    }
}

/* The same surface cut into triangles of half the size: the sum is the same. */
static void finer_triangles_change_nothing(void **state)
{
    (void)state;
    enum { N = 5, M = 2 * N - 1 };
    const double HAT = 0.05; /* pits are wider */
    rng r = { 12 };
    double coarse[N * N], fine[M * M];
    const double values[10] = { 0, 0, 0, 1, 1, 10, 20, 30, 0.2, 0.3 };
    for (int i = 0; i < N * N; i++)
        coarse[i] = rng_next(&r);
    for (int k = 0; k < M; k++)
        /* in the middle of an edge; the diagonals go from the lowest corner to the highest */
        for (int i = 0; i < M; i++) {
            const int a = k / 2 * N + i / 2, b = (k + 1) / 2 * N + (i + 1) / 2;
            fine[k * M + i] = 0.5 * (coarse[a] + coarse[b]);
        }
    vv_obstacle o[2] = { make(values, N, N, coarse, NULL), make(values, M, M, fine, NULL) };
    contact c[2];
    int active = 0, several = 0;
    for (int i = 0; i < 2; i++)
        bind(c + i, o + i, HAT);
    for (int i = 0; i < 20000; i++) {
        double x[3], b[3];
        random_point(o, &r, x);
        const double d = vv_obstacle_distance(o, x, NULL, NULL);
        if (d < 1e-3)
            continue;
        const vv_barrier_sum p = sum_at(c, x), q = sum_at(c + 1, x);
        assert_same(&p, &q, true, 1e-7);
        active += p.value > 0;
        if (d < HAT) {
            vv_barrier(d / HAT, b);
            several += p.value > b[0] * (1 + 1e-9);
            assert_true(p.value > b[0] * (1 - 1e-9) && p.press >= -p.slope * (1 - 1e-12));
        }
    }
    print_message("%d active, %d of them near several faces\n", active, several);
    assert_true(active > 100 && several > 20);
    give_back(o);
    give_back(o + 1);
}

/* Across a valley the slope is continuous, both sides press, and forces there balance; the distance alone has a
 * kink. */
static void a_valley_has_no_kink(void **state)
{
    (void)state;
    const double steep[6] = { 1, 0, 1, 1, 0, 1 }, values[10] = { 0, 0, 0, 2, 2, 0, 0, 0, 1, 1 };
    vv_obstacle o = make(values, 3, 2, steep, NULL);
    contact c;
    bind(&c, &o, 0.1);
    for (double y = 0.01; y < 0.1; y *= 1.4) {
        double n[3], m[3];
        vv_obstacle_distance(&o, (const double[]){ 1e-9, y, 0.1 }, n, NULL);
        vv_obstacle_distance(&o, (const double[]){ -1e-9, y, 0.1 }, m, NULL);
        assert_near(distance3(n, m), sqrt(2), 1e-6);
        const vv_barrier_sum left = sum_at(&c, (const double[]){ -1e-9, y, 0.1 }),
                             right = sum_at(&c, (const double[]){ 1e-9, y, 0.1 });
        double side[3], edge[3];
        vv_barrier(y / sqrt(2) / 0.1, side);
        vv_barrier(y / 0.1, edge);
        assert_near(left.slope * left.n[0], right.slope * right.n[0], 1e-4 * fabs(left.slope));
        assert_near(right.value, 2 * side[0] - edge[0], 1e-5 * right.value); /* the edge is shared */
        assert_near(right.slope, sqrt(2) * side[1] - edge[1], 1e-5 * fabs(right.slope));
        assert_near(right.press, -2 * side[1] + edge[1], 1e-5 * right.press); /* for friction the sizes, not the sum */
        assert_near(right.n[1], 1, 1e-6);
    }
    give_back(&o);
}

/* ---- the step filter --------------------------------------------------------------------------------------------- */

/* Along rough ground the filter goes on until it really comes near; straight at it, it stops. */
static void rough_ground_lets_slide(void **state)
{
    (void)state;
    enum { N = 65 };
    double *samples = vv_alloc(N * N, sizeof *samples);
    for (int i = 0; i < N * N; i++)
        samples[i] = 0.02 * sin(0.9 * (i % N)) * cos(0.7 * (i / N));
    const double values[10] = { 0, 0, 0, 4, 4, 0, 0, 0, 1, 1 };
    vv_obstacle o = make(values, N, N, samples, NULL);
    contact c;
    rng r = { 77 };
    double mean = 0;
    int tries = 0;
    bind(&c, &o, 1e-3);
    for (int i = 0; i < sized(100, 400, 5000); i++) {
        double x[3] = { 1.5 * rng_next(&r), 0.03, 1.5 * rng_next(&r) },
               p[3] = { 0.3 * rng_next(&r), 0.01 * rng_next(&r), 0.3 * rng_next(&r) }, n[3], y[3];
        const double d = vv_obstacle_distance(&o, x, n, NULL), gap = 1e-4;
        for (int k = 0; k < 3; k++)
            x[k] += (gap - d) * n[k];
        const double free = vv_barrier_max_step(&c.def, x, p), left = vv_obstacle_distance(&o, x, NULL, NULL);
        double true_part = 1;
        for (int s = 1; s <= 3000 && true_part == 1; s++) { /* where a tenth of the gap is reached */
            for (int k = 0; k < 3; k++)
                y[k] = x[k] + s / 3000.0 * p[k];
            const double now = vv_obstacle_distance(&o, y, NULL, NULL);
            if (s / 3000.0 <= free)
                assert_true(now > 0.1 * left * (1 - 1e-9));
            if (now < 0.1 * left)
                true_part = s / 3000.0;
        }
        mean += fmin(free / true_part, 1);
        tries++;
    }
    /* straight down from a top: a tenth of any gap is left, a third where nodes go by themselves */
    for (double gap = 1e-5; gap < 1; gap *= 7) {
        const double top = 0.02 * sin(0.9 * 2) * cos(0), way[3] = { 0.95, 0.8, 0.55 };
        const double x[3] = { 4.0 * 2 / 64 - 2, top + gap, -2 };
        assert_near(vv_obstacle_distance(&o, x, NULL, NULL), gap, 1e-12);
        for (int k = 0; k < 3; k++) {
            const double down[3] = { 0, -way[k] * gap, 0 };
            double part = 1;
            vv_barrier_bounds(&c.def, x, down, &part);
            assert_true(part * way[k] <= 2 / 3.0 * (1 + 1e-9) && part * way[k] > 0.49);
            part = vv_barrier_max_step(&c.def, x, down);
            assert_true(part * way[k] <= 0.9 * (1 + 1e-9) && part * way[k] > fmin(0.84, 0.999 * way[k]));
            assert_true(vv_barrier_free_part(&c.def, 0, 0, NULL, x, down, 1) == part);
        }
    }
    print_message("of the free way the filter gives %.3f\n", mean / tries);
    assert_true(mean / tries > 0.8);
    give_back(&o);
    vv_free(samples);
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static void refused(int nx, int nz, const double *samples, const char *part)
{
    vvError error = { 0 };
    vv_field *f;
    assert_int_equal(vv_field_create(vv_obstacle_heightfield.field, (const int[]){ nx, nz, 1 }, samples, &f, &error),
                     VV_ERROR_INPUT);
    assert_null(f);
    if (!strstr(error.message, part))
        fail_msg("found '%s'", error.message);
}

static void bad_fields_are_refused(void **state)
{
    (void)state;
    const double good[4] = { 0 }, bad[4] = { 0, 0, 0, NAN }, far[4] = { 0, -INFINITY, 0, 0 },
                 high[4] = { 0, 0, 1.1e6, 0 };
    refused(1, 4, good, "heights: 1 x 4 of them; allowed: 2 to 8193 along each direction");
    refused(2, 0, good, "2 x 0");
    refused(-2, -2, good, "-2 x -2");
    refused(2147483647, 2147483647, good, "allowed: 2 to 8193");
    refused(8193, 8193, good, "16777216 in all");
    refused(2, 2, bad, "heights[3] is");
    refused(2, 2, far, "heights[1] is -inf; it must be from -1e+06 to 1e+06");
    refused(2, 2, high, "heights[2] is 1.1e+06");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_those_of_all_triangles),
        cmocka_unit_test(what_stands_beside_a_cell_counts),
        cmocka_unit_test(rays_meet_the_first_triangle),
        cmocka_unit_test(on_flat_ground_it_is_that_of_a_plane),
        cmocka_unit_test(each_piece_is_there_once),
        cmocka_unit_test(finer_triangles_change_nothing),
        cmocka_unit_test(a_valley_has_no_kink),
        cmocka_unit_test(rough_ground_lets_slide),
        cmocka_unit_test(bad_fields_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
