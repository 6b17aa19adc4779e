/* Which triangles and rods intersect: against separating axes in integers, and cases known by eye. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "contact/surfaces/intersections.h"
#include "integer_figures.h"
#include "random_support.h"
#include "short_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int pick(int count) { return (int)(random_bits() >> 20 & 0xffffff) % count; } /* 0 .. count - 1 */

/* ---- surfaces of integer points -----------------------------------------------------------------------------------
 */

enum { MOST_BODIES = 6, MOST_VERTICES = 200, MOST_ELEMENTS = 120, MOST_FOUND = 4000 };

/* One vertex a node. Bodies one after the other. */
typedef struct model {
    point x[MOST_VERTICES];
    double q[3 * MOST_VERTICES], weight[MOST_VERTICES], edge_area[MOST_ELEMENTS];
    int start[MOST_VERTICES + 1], node[MOST_VERTICES], body_of[MOST_VERTICES];
    int edge[MOST_ELEMENTS][2], triangle[MOST_ELEMENTS][3];
    unsigned char edge_triangles[MOST_ELEMENTS], touches[MOST_BODIES * MOST_BODIES];
    vv_surface_body bodies[MOST_BODIES];
    vv_vertices vertices;
    vv_surface surface;
} model;

static void start_model(model *m)
{
    *m = (model){ 0 };
    m->surface = (vv_surface){ .vertices = &m->vertices,
                               .edge = m->edge,
                               .triangle = m->triangle,
                               .edge_triangles = m->edge_triangles,
                               .bodies = m->bodies };
    m->vertices = (vv_vertices){ .start = m->start, .node = m->node, .weight = m->weight, .body = m->body_of };
}

static void add_body(model *m, bool self, bool moves)
{
    m->bodies[m->surface.body_count++] = (vv_surface_body){ .first_vertex = m->vertices.count,
                                                            .first_edge = m->surface.edge_count,
                                                            .first_triangle = m->surface.triangle_count,
                                                            .self = self,
                                                            .moves = moves };
}
static int add_vertex(model *m, int64_t x, int64_t y, int64_t z)
{
    int v = m->vertices.count++;
    memcpy(m->x[v], (point){ x, y, z }, sizeof(point));
    m->start[v + 1] = v + 1;
    m->node[v] = v;
    m->weight[v] = 1;
    m->body_of[v] = m->surface.body_count - 1;
    m->bodies[m->surface.body_count - 1].vertex_count++;
    return v;
}
static void add_triangle(model *m, int a, int b, int c)
{
    memcpy(m->triangle[m->surface.triangle_count++], (int[]){ a, b, c }, sizeof(int[3]));
    m->bodies[m->surface.body_count - 1].triangle_count++;
}
static void add_edge(model *m, int a, int b, int triangles)
{
    int e = m->surface.edge_count++;
    memcpy(m->edge[e], (int[]){ a, b }, sizeof(int[2]));
    m->edge_triangles[e] = (unsigned char)triangles;
    m->bodies[m->surface.body_count - 1].edge_count++;
}

static void place(model *m, double scale, double shift)
{
    for (int i = 0; i < 3 * m->vertices.count; i++)
        m->q[i] = scale * ((double)m->x[i / 3][i % 3] + shift);
}

/* ---- what is expected ---------------------------------------------------------------------------------------------
 */

/* The elements of a body; third vertex -1: an edge. */
static int elements_of(const model *m, int b, int out[][3])
{
    const vv_surface_body *body = &m->bodies[b];
    int n = 0;
    for (int t = 0; t < body->triangle_count; t++)
        memcpy(out[n++], m->triangle[body->first_triangle + t], sizeof *out);
    for (int e = body->first_edge; e < body->first_edge + body->edge_count; e++)
        if (m->edge_triangles[e] == 0)
            memcpy(out[n++], (int[]){ m->edge[e][0], m->edge[e][1], -1 }, sizeof *out);
    return n;
}

static int corners_of(const model *m, const int element[3], point out[3])
{
    int n = element[2] < 0 ? 2 : 3;
    for (int i = 0; i < n; i++)
        memcpy(out[i], m->x[element[i]], sizeof(point));
    return n;
}

static void swap_ints(int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
}

static bool expected(const model *m, const int left[3], const int right[3])
{
    int s[3], t[3], shared = 0;
    memcpy(s, left, sizeof s);
    memcpy(t, right, sizeof t);
    for (int i = 0; i < 3; i++)
        for (int j = shared; j < 3; j++)
            if (shared < 3 && i >= shared && s[i] >= 0 && s[i] == t[j]) { /* to the front */
                swap_ints(&s[i], &s[shared]);
                swap_ints(&t[j], &t[shared++]);
                i = shared - 1;
                break;
            }
    point p[3], q[3];
    int a = corners_of(m, left, p), b = corners_of(m, right, q);
    if (a == 2 && b == 2)
        return false;
    if (shared == 0)
        return figures_meet(a, p, b, q);
    if (shared == 3 || a == 2 || b == 2 || is_flat(p) || is_flat(q))
        return false;
    corners_of(m, s, p);
    corners_of(m, t, q);
    return meet_beyond(shared, p, q);
}

static int brute_force(const model *m, vv_intersection *out)
{
    int count = 0, s[MOST_ELEMENTS][3], t[MOST_ELEMENTS][3];
    for (int a = 0; a < m->surface.body_count; a++)
        for (int b = a; b < m->surface.body_count; b++) {
            bool allowed =
                a == b ? m->bodies[a].self : !m->surface.touches || m->touches[a * m->surface.body_count + b];
            if (!allowed || (!m->bodies[a].moves && !m->bodies[b].moves))
                continue;
            int ns = elements_of(m, a, s), nt = elements_of(m, b, t);
            for (int i = 0; i < ns; i++)
                for (int j = a == b ? i + 1 : 0; j < nt; j++)
                    if (expected(m, s[i], t[j])) {
                        vv_intersection *c = &out[count++];
                        c->body[0] = a, c->body[1] = b;
                        memcpy(c->a, s[i], sizeof c->a);
                        memcpy(c->b, t[j], sizeof c->b);
                    }
        }
    return count;
}

/* ---- finding and comparing ----------------------------------------------------------------------------------------
 */

static int find(const model *m, int threads, vv_intersection *list, int capacity)
{
    vv_parallel par = { .threads = threads };
    int count = -1;
    assert_int_equal(vv_intersections_find(&m->surface, &par, m->q, list, capacity, &count, NULL), VV_OK);
    return count;
}

static void box_of(const model *m, const int element[3], double low[3], double high[3])
{
    for (int c = 0; c < 3; c++) {
        low[c] = INFINITY, high[c] = -INFINITY;
        for (int i = 0; i < 3 && element[i] >= 0; i++) {
            low[c] = fmin(low[c], m->q[3 * element[i] + c]);
            high[c] = fmax(high[c], m->q[3 * element[i] + c]);
        }
    }
}

static int check(const model *m, double tolerance)
{
    static vv_intersection truth[MOST_FOUND], found[MOST_FOUND];
    int want = brute_force(m, truth), count = find(m, 1, found, MOST_FOUND);
    assert_true(want < MOST_FOUND);
    assert_int_equal(count, want);
    for (int i = 0; i < count; i++) {
        assert_memory_equal(found[i].body, truth[i].body, sizeof found[i].body);
        assert_memory_equal(found[i].a, truth[i].a, sizeof found[i].a);
        assert_memory_equal(found[i].b, truth[i].b, sizeof found[i].b);
        double low[3], high[3];
        for (int side = 0; side < 2; side++) {
            box_of(m, side ? found[i].b : found[i].a, low, high);
            for (int c = 0; c < 3; c++)
                assert_true(found[i].point[c] >= low[c] - tolerance && found[i].point[c] <= high[c] + tolerance);
        }
    }
    vv_intersection some[5] = { 0 };
    assert_int_equal(find(m, 3, some, 4), count);
    for (int i = 0; i < 4 && i < count; i++)
        assert_memory_equal(&some[i], &found[i], sizeof some[i]);
    assert_memory_equal(&some[4], &(vv_intersection){ 0 }, sizeof some[4]);
    assert_int_equal(find(m, 1, NULL, 0), count);
    return count;
}

/* Bodies of random triangles and rods on a small grid, where they touch in all ways there are. */
static void random_model(model *m, int range)
{
    start_model(m);
    int bodies = 1 + pick(MOST_BODIES - 1);
    for (int b = 0; b < bodies; b++) {
        add_body(m, pick(2), pick(4) > 0);
        int n = pick(16) == 0 ? 0 : 4 + pick(6), first = m->vertices.count, flat = pick(4), at = pick(3);
        for (int v = 0; v < n; v++)
            add_vertex(m, at + pick(range), at + pick(range), flat == 0 ? at : at + pick(range));
        for (int t = 0, count = n ? 4 + pick(14) : 0; t < count; t++) {
            int a = first + pick(n), c = first + pick(n), d = first + pick(n);
            if (a != c && c != d && d != a)
                add_triangle(m, a, c, d);
        }
        for (int e = 0, count = n ? pick(5) : 0; e < count; e++) {
            int a = first + pick(n), c = first + pick(n);
            if (a != c)
                add_edge(m, a, c, pick(3));
        }
    }
    for (int a = 0; a < bodies; a++)
        for (int b = 0; b <= a; b++)
            m->touches[a * bodies + b] = m->touches[b * bodies + a] = pick(4) > 0;
    m->surface.touches = pick(2) ? m->touches : NULL;
}

static void random_soups(void **state)
{
    (void)state;
    static model m;
    int total = 0;
    for (int round = 0; round < 2000; round++) {
        random_model(&m, 3 + round % 5);
        const double scales[] = { 1, 0x1p-1060, 0x1p-200, 0x1p500, 0x1p-20 };
        double scale = scales[round / 5 % 5], shift = round % 3 == 0 ? 0x1p20 : 0;
        place(&m, scale, shift);
        total += check(&m, scale * (0x1p-30 + shift * 0x1p-50));
    }
    assert_true(total > 20000);
}

/* ---- by eye -------------------------------------------------------------------------------------------------------
 */

/* A body of one triangle. */
static void lone_triangle(model *m, const point *p)
{
    add_body(m, true, true);
    int v[3];
    for (int i = 0; i < 3; i++)
        v[i] = add_vertex(m, p[i][0], p[i][1], p[i][2]);
    add_triangle(m, v[0], v[1], v[2]);
}
static void lone_rod(model *m, const point *p)
{
    add_body(m, true, true);
    int v[2];
    for (int i = 0; i < 2; i++)
        v[i] = add_vertex(m, p[i][0], p[i][1], p[i][2]);
    add_edge(m, v[0], v[1], 0);
}

static int against_triangle(const point *other, bool rod, double point_at[3])
{
    static model m;
    start_model(&m);
    lone_triangle(&m, (const point[]){ { 0, 0, 0 }, { 4, 0, 0 }, { 0, 4, 0 } });
    if (rod)
        lone_rod(&m, other);
    else
        lone_triangle(&m, other);
    place(&m, 0.1, 0);
    int count = check(&m, 1e-12);
    vv_intersection c[1];
    if (count == 1 && point_at && find(&m, 1, c, 1) == 1)
        memcpy(point_at, c[0].point, sizeof c[0].point);
    return count;
}

static void two_triangles(void **state)
{
    (void)state;
    double at[3];
    assert_int_equal(against_triangle((const point[]){ { 1, 1, -1 }, { 1, 1, 1 }, { 9, 9, 1 } }, false, at), 1);
    assert_true(fabs(at[2]) < 1e-15 && at[0] >= 0 && at[1] >= 0 && at[0] + at[1] <= 0.4 + 1e-12);
    assert_int_equal(against_triangle((const point[]){ { 1, 1, 0 }, { 1, 1, 1 }, { 9, 9, 1 } }, false, NULL), 1); /* a
        corner */
    assert_int_equal(against_triangle((const point[]){ { 0, 0, 0 }, { -1, 0, 0 }, { 0, -1, 3 } }, false, NULL), 1);
    assert_int_equal(against_triangle((const point[]){ { 2, 0, -1 }, { 2, 0, 1 }, { 2, -9, 0 } }, false, NULL), 1); /*
        edges */
    assert_int_equal(against_triangle((const point[]){ { 1, 1, 0 }, { 2, 1, 0 }, { 1, 2, 0 } }, false, NULL), 1);   /*
          inside */
    assert_int_equal(against_triangle((const point[]){ { 3, 2, 0 }, { 9, 2, 0 }, { 9, 9, 0 } }, false, NULL), 0);
    assert_int_equal(against_triangle((const point[]){ { 2, 2, 0 }, { 9, 2, 0 }, { 9, 9, 0 } }, false, NULL), 1);
    assert_int_equal(against_triangle((const point[]){ { 0, 0, 1 }, { 4, 0, 1 }, { 0, 4, 1 } }, false, NULL), 0);
    assert_int_equal(against_triangle((const point[]){ { 1, 1, -1 }, { 1, 1, 0 }, { 1, 1, 1 } }, false, NULL), 1); /*
        flat */
    assert_int_equal(against_triangle((const point[]){ { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 } }, false, NULL), 0);
    assert_int_equal(against_triangle((const point[]){ { 1, 1, 0 }, { 1, 1, 0 }, { 1, 1, 0 } }, false, NULL), 1);
}

static void rods_that_pierce(void **state)
{
    (void)state;
    double at[3];
    assert_int_equal(against_triangle((const point[]){ { 1, 1, -1 }, { 1, 1, 3 } }, true, at), 1);
    assert_true(fabs(at[0] - 0.1) < 1e-15 && fabs(at[1] - 0.1) < 1e-15 && fabs(at[2]) < 1e-15);
    assert_int_equal(against_triangle((const point[]){ { 1, 1, 0 }, { 1, 1, 3 } }, true, NULL), 1);
    assert_int_equal(against_triangle((const point[]){ { -1, 1, 0 }, { 9, 1, 0 } }, true, NULL), 1); /* in the plane */
    assert_int_equal(against_triangle((const point[]){ { 5, 0, 0 }, { 9, 0, 0 } }, true, NULL), 0);
    assert_int_equal(against_triangle((const point[]){ { 4, 4, -1 }, { 4, 4, 1 } }, true, NULL), 0);
    assert_int_equal(against_triangle((const point[]){ { 4, 0, -1 }, { 4, 0, 1 } }, true, NULL), 1);
}

/* A strip of two triangles, the second of which comes back through the first. */
static void a_body_through_itself(void **state)
{
    (void)state;
    static model m;
    for (int self = 0; self < 2; self++)
        for (int moves = 0; moves < 2; moves++) {
            start_model(&m);
            add_body(&m, self, moves);
            int v[5];
            const point p[5] = { { 0, 0, 0 }, { 4, 0, 0 }, { 0, 4, 0 }, { 1, 1, 2 }, { 1, 2, -2 } };
            for (int i = 0; i < 5; i++)
                v[i] = add_vertex(&m, p[i][0], p[i][1], p[i][2]);
            add_triangle(&m, v[0], v[1], v[2]);
            add_triangle(&m, v[2], v[3], v[4]); /* shares a vertex, and goes through */
            place(&m, 1, 0);
            assert_int_equal(check(&m, 1e-12), self && moves);
        }
    start_model(&m);
    add_body(&m, true, true);
    int v[4];
    const point flat[4] = { { 0, 0, 0 }, { 4, 0, 0 }, { 0, 4, 0 }, { 1, -3, 0 } };
    for (int i = 0; i < 4; i++)
        v[i] = add_vertex(&m, flat[i][0], flat[i][1], flat[i][2]);
    add_triangle(&m, v[0], v[1], v[2]);
    add_triangle(&m, v[1], v[0], v[3]);
    add_edge(&m, v[0], v[1], 2);
    place(&m, 1, 0);
    assert_int_equal(check(&m, 1e-12), 0);
    m.x[v[3]][1] = 3; /* folded over */
    place(&m, 1, 0);
    assert_int_equal(check(&m, 1e-12), 1);
}

static void vertices_between_nodes(void **state)
{
    (void)state;
    static model m;
    start_model(&m);
    lone_triangle(&m, (const point[]){ { 0, 0, 0 }, { 4, 0, 0 }, { 0, 4, 0 } });
    lone_rod(&m, (const point[]){ { 1, 1, 1 }, { 1, 1, 3 } });
    place(&m, 1, 0);
    assert_int_equal(find(&m, 1, NULL, 0), 0);
    /* the rod's lower end: twice its node less the other one */
    int start[6] = { 0, 1, 2, 3, 5, 6 }, node[6] = { 0, 1, 2, 3, 4, 4 };
    double weight[6] = { 1, 1, 1, 2, -1, 1 };
    m.vertices.start = start, m.vertices.node = node, m.vertices.weight = weight;
    assert_int_equal(find(&m, 1, NULL, 0), 1);
}

static void nothing_and_no_numbers(void **state)
{
    (void)state;
    static model m;
    start_model(&m);
    assert_int_equal(find(&m, 1, NULL, 0), 0);
    add_body(&m, true, true);
    add_vertex(&m, 0, 0, 0);
    place(&m, 1, 0);
    assert_int_equal(find(&m, 1, NULL, 0), 0);
    start_model(&m);
    lone_triangle(&m, (const point[]){ { 0, 0, 0 }, { 4, 0, 0 }, { 0, 4, 0 } });
    lone_triangle(&m, (const point[]){ { 1, 1, -1 }, { 1, 1, 1 }, { 9, 9, 1 } });
    lone_triangle(&m, (const point[]){ { 1, 1, -1 }, { 1, 1, 1 }, { 9, 9, 1 } });
    place(&m, 1, 0);
    assert_int_equal(find(&m, 1, NULL, 0), 3);
    const double wild[] = { NAN, INFINITY, -INFINITY };
    for (int i = 0; i < 3; i++) {
        m.q[10 + i] = wild[i];
        assert_int_equal(find(&m, 1, NULL, 0), 1);
        place(&m, 1, 0);
    }
}

static void short_of_memory(void **state)
{
    (void)state;
    static model m;
    while (m.surface.body_count < 3 || find(&m, 1, NULL, 0) < 5) {
        random_model(&m, 4);
        place(&m, 1, 0);
    }
    vv_parallel par = { .threads = 1 };
    vvStatus status = VV_ERROR_MEMORY;
    int failures = 0, count = -1, truth = find(&m, 1, NULL, 0);
    for (; status; failures++) {
        budget b = { .left = failures };
        vvError error;
        vvAllocator before = vv_memory_use(budget_allocator(&b));
        status = vv_intersections_find(&m.surface, &par, m.q, NULL, 0, &count, &error);
        vv_memory_use(before);
        assert_int_equal(b.live, 0);
        if (status)
            assert_true(status == VV_ERROR_MEMORY && error.status == status && count == 0);
    }
    assert_true(failures > 8 && count == truth);
}

int main(void)
{
    random_state = 5;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_soups),           cmocka_unit_test(two_triangles),
        cmocka_unit_test(rods_that_pierce),       cmocka_unit_test(a_body_through_itself),
        cmocka_unit_test(vertices_between_nodes), cmocka_unit_test(nothing_and_no_numbers),
        cmocka_unit_test(short_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
