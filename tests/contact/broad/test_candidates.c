/* The broad phase gives every stencil that comes within reach, each once, whatever the motion, and as
 * few more as its margins allow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/vec.h"
#include "contact/broad/broad.h"
#include "short_memory.h"
#include "size.h"
#include "surface_fixture.h"

static uint64_t random_state = 17;
static double uniform(void) { return uniform_of(&random_state); }

/* ---- what must be in the list --------------------------------------------------------------------------------- */

static double distance_at(vv_stencil kind, const int vertex[4], const double *q, const double *p, double t)
{
    double x[4][3], w[4];
    for (int i = 0; i < vv_stencil_points(kind); i++)
        for (size_t k = 0; k < 3; k++)
            x[i][k] = q[3 * (size_t)vertex[i] + k] + (p ? t * p[3 * (size_t)vertex[i] + k] : 0);
    return sqrt(vv_stencil_distance2(kind, (const double(*)[3])x, NULL, w));
}

/* How far the points of one feature move against those of the other: no faster do the features come near each other. */
static double relative_motion(vv_stencil kind, const int vertex[4], const double *p)
{
    double most = 0;
    const int split = kind == VV_STENCIL_EE ? 2 : 1;
    for (int i = 0; i < split; i++)
        for (int j = split; j < vv_stencil_points(kind); j++) {
            double d[3];
            vv_sub(p + 3 * (size_t)vertex[i], p + 3 * (size_t)vertex[j], d);
            most = fmax(most, vv_dot(d, d));
        }
    return sqrt(most);
}

/* From a feature's first point to the farthest of the others. */
static double extent(const int *vertex, int points, const double *q)
{
    double most = 0;
    for (int i = 1; i < points; i++)
        most = fmax(most, vv_edge_length(q, vertex[0], vertex[i]));
    return most;
}

/* Within `reach` at one of the samples of the way? Those before which it cannot come so far are passed over. */
enum { SAMPLES = 16 };
static bool comes_within(double reach, vv_stencil kind, const int vertex[4], const double *q, const double *p)
{
    const int split = kind == VV_STENCIL_EE ? 2 : 1;
    const double each = p ? relative_motion(kind, vertex, p) / SAMPLES : 0;
    const double apart = vv_edge_length(q, vertex[0], vertex[split]), rounding = 1e-9 * apart;
    if (apart - extent(vertex, split, q) - extent(vertex + split, vv_stencil_points(kind) - split, q) - SAMPLES * each >
        reach + rounding)
        return false;
    for (int i = 0; i <= (p ? SAMPLES : 0); i++) {
        const double left = distance_at(kind, vertex, q, p, (double)i / SAMPLES) - reach;
        if (left < 0)
            return true;
        i += (int)fmin(SAMPLES, 0.999999 * left / fmax(each, 1e-300));
    }
    return false;
}

/* The rule of candidates.h. */
static void activation_and_min_distance(const vv_surface *s, double activation, vv_stencil kind, const int vertex[4],
                                        double *own, double *min_distance)
{
    int a = s->vertices->body[vertex[0]], b = s->vertices->body[vertex[kind == VV_STENCIL_EE ? 2 : 1]];
    *own = activation;
    *min_distance = s->bodies[a].radius + s->bodies[b].radius;
    if (a != b || kind == VV_STENCIL_VV)
        return;
    double rest = distance_at(kind, vertex, s->rest, NULL, 0);
    *min_distance = fmin(*min_distance, rest / 2);
    *own = fmin(activation, (rest - *min_distance) / 2);
}

typedef struct expected {
    const vv_surface *surface;
    const vv_candidates *candidates;
    const double *q, *p;
    double activation;
    int wanted;
    double far; /* first points further apart than this: the stencil stays out of reach */
} expected;

static double furthest(const int (*list)[3], int corners, int count, const double *q)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        for (int k = 1; k < corners; k++)
            most = fmax(most, distance_at(VV_STENCIL_VV, (int[4]){ list[i][0], list[i][k] }, q, NULL, 0));
    return most;
}

static void bound_distances(expected *e)
{
    const vv_surface *s = e->surface;
    double size = furthest((const int(*)[3])s->triangle, 3, s->triangle_count, e->q), motion = 0, radius = 0;
    for (int i = 0; i < s->edge_count; i++)
        size = fmax(size, distance_at(VV_STENCIL_VV, (int[4]){ s->edge[i][0], s->edge[i][1] }, e->q, NULL, 0));
    for (size_t v = 0; e->p && v < (size_t)s->vertices->count; v++)
        motion = fmax(motion, sqrt(vv_dot(e->p + 3 * v, e->p + 3 * v)));
    for (int b = 0; b < s->body_count; b++)
        radius = fmax(radius, s->bodies[b].radius);
    e->far = 2 * size + 2 * motion + 2 * radius + e->activation;
}

static int compare_candidates(const void *a, const void *b)
{
    const vv_candidate *c = a, *d = b;
    for (int k = 0; k < 2; k++)
        if (c->feature[k] != d->feature[k])
            return c->feature[k] < d->feature[k] ? -1 : 1;
    return 0;
}

/* Found among those of its kind, which are sorted. */
static bool listed(const expected *e, vv_stencil kind, int first, int second)
{
    vv_candidate c = { .feature = { first, second } };
    const int *start = e->candidates->start;
    return start[kind] < start[kind + 1] &&
           bsearch(&c, e->candidates->list + start[kind], (size_t)(start[kind + 1] - start[kind]), sizeof c,
                   compare_candidates);
}

static void expect(expected *e, vv_stencil kind, int first, int second, const int vertex[4])
{
    const vv_surface *s = e->surface;
    int split = kind == VV_STENCIL_EE ? 2 : 1;
    const double *a = e->q + 3 * (size_t)vertex[0], *b = e->q + 3 * (size_t)vertex[split];
    double apart[3] = { a[0] - b[0], a[1] - b[1], a[2] - b[2] };
    if (vv_dot(apart, apart) > e->far * e->far)
        return;
    for (int i = 0; i < split; i++)
        for (int j = split; j < vv_stencil_points(kind); j++)
            if (vertex[i] == vertex[j])
                return;
    if (!vv_surface_touches(s, s->vertices->body[vertex[0]], s->vertices->body[vertex[split]]))
        return;
    double activation, min_distance;
    min_distance = s->bodies[s->vertices->body[vertex[0]]].radius + s->bodies[s->vertices->body[vertex[split]]].radius;
    if (!comes_within(e->activation + min_distance, kind, vertex, e->q, e->p))
        return; /* it reaches no farther */
    activation_and_min_distance(s, e->activation, kind, vertex, &activation, &min_distance);
    if (comes_within(activation + min_distance, kind, vertex, e->q, e->p)) {
        e->wanted++;
        if (!listed(e, kind, first, second))
            fail_msg("kind %d, features %d and %d: not in the list", (int)kind, first, second);
    }
}

static void expect_all(expected *e)
{
    const vv_surface *s = e->surface;
    for (int v = 0; v < s->vertices->count; v++) {
        for (int t = 0; t < s->triangle_count; t++)
            expect(e, VV_STENCIL_VT, v, t, (int[4]){ v, s->triangle[t][0], s->triangle[t][1], s->triangle[t][2] });
        for (int i = 0; s->valence[v] == 0 && i < s->edge_count; i++)
            if (!s->edge_triangles[i])
                expect(e, VV_STENCIL_VE, v, i, (int[4]){ v, s->edge[i][0], s->edge[i][1], -1 });
        for (int u = v + 1; s->point[v] && u < s->vertices->count; u++)
            if (s->point[u])
                expect(e, VV_STENCIL_VV, v, u, (int[4]){ v, u, -1, -1 });
    }
    for (int i = 0; i < s->edge_count; i++)
        for (int j = i + 1; j < s->edge_count; j++)
            expect(e, VV_STENCIL_EE, i, j, (int[4]){ s->edge[i][0], s->edge[i][1], s->edge[j][0], s->edge[j][1] });
}

/* Each stencil is as its features say, may be there, and is there once. The list is sorted here. */
static void check_entries(const vv_surface *s, double activation, vv_candidates *c)
{
    for (int kind = 0; kind < 4; kind++) {
        vv_candidate *list = c->start[4] ? c->list + c->start[kind] : NULL;
        int count = c->start[kind + 1] - c->start[kind];
        if (count)
            qsort(list, (size_t)count, sizeof *list, compare_candidates);
        for (int i = 0; i < count; i++) {
            const vv_candidate *d = &list[i];
            int first = d->feature[0], second = d->feature[1], vertex[4] = { first, -1, -1, -1 };
            if (i > 0)
                assert_true(compare_candidates(&list[i - 1], d) < 0);
            if (kind == VV_STENCIL_VV) {
                vertex[1] = second;
                assert_true(first < second && s->point[first] && s->point[second]);
            } else if (kind == VV_STENCIL_VE) {
                memcpy(vertex + 1, s->edge[second], sizeof s->edge[second]);
                assert_true(s->valence[first] == 0 && !s->edge_triangles[second]);
            } else if (kind == VV_STENCIL_VT) {
                memcpy(vertex + 1, s->triangle[second], sizeof s->triangle[second]);
            } else {
                assert_true(first < second);
                memcpy(vertex, s->edge[first], sizeof s->edge[first]);
                memcpy(vertex + 2, s->edge[second], sizeof s->edge[second]);
            }
            assert_memory_equal(vertex, d->vertex, sizeof vertex);
            int split = kind == VV_STENCIL_EE ? 2 : 1;
            for (int a = 0; a < split; a++)
                for (int b = split; b < vv_stencil_points((vv_stencil)kind); b++)
                    assert_int_not_equal(vertex[a], vertex[b]);
            assert_true(vv_surface_touches(s, s->vertices->body[vertex[0]], s->vertices->body[vertex[split]]));
            double own, min_distance;
            activation_and_min_distance(s, activation, (vv_stencil)kind, vertex, &own, &min_distance);
            assert_true(fabs(d->activation - own) <= 1e-12 * activation);
            assert_true(fabs(d->min_distance - min_distance) <= 1e-12 * activation);
        }
    }
}

/* Returns how many stencils come within reach. */
static int check_list(const vv_surface *s, double activation, vv_candidates *c, const double *q, const double *p)
{
    expected e = { .surface = s, .candidates = c, .q = q, .p = p, .activation = activation };
    bound_distances(&e);
    check_entries(s, activation, c);
    expect_all(&e);
    assert_true(e.wanted <= c->start[4]);
    return e.wanted;
}

/* ---- scenes --------------------------------------------------------------------------------------------------- */

/* Bodies of all sorts through each other. */
static vv_surface *make_crowd(model *m)
{
    place(m, add_ball(m, 3), 0.3, 0, 0, 0);
    place(m, add_ball(m, 2), 0.2, 0.5, 0.1, 0);
    place(m, add_cloth(m, 6, 0.05), 1, -0.4, -0.4, -0.25);
    place(m, add_rod(m, 12), 0.8, 0.2, -0.2, -0.4);
    place(m, add_rod(m, 7), 0.5, 0.25, -0.1, -0.2);
    place(m, add_points(m, 25), 0.8, -0.2, -0.2, -0.4);
    m->surface.bodies[1].moves = false;
    m->surface.bodies[2].radius = 0.004;
    m->surface.bodies[3].radius = 0.01;
    return finish_model(m);
}

static double *copy_of(const double *x, int vertices)
{
    double *y = malloc(3 * (size_t)vertices * sizeof *y);
    memcpy(y, x, 3 * (size_t)vertices * sizeof *y);
    return y;
}

/* Each body flies its own way and shivers; half of them turn. */
static void random_motion(const vv_surface *s, double fly, double shiver, double *p)
{
    for (int b = 0; b < s->body_count; b++) {
        const double *centre = s->rest + 3 * (size_t)s->bodies[b].first_vertex;
        double turn[9], axis[3] = { uniform() - 0.5, uniform() - 0.5, uniform() - 0.5 };
        vv_axis_angle(axis, uniform() < 0.5 ? 2 * fly * uniform() : 0, turn);
        double way[3] = { fly * (2 * uniform() - 1), fly * (2 * uniform() - 1), fly * (2 * uniform() - 1) };
        for (int v = s->bodies[b].first_vertex; v < s->bodies[b].first_vertex + s->bodies[b].vertex_count; v++)
            for (size_t k = 0; k < 3; k++) {
                p[3 * (size_t)v + k] = way[k] + shiver * (2 * uniform() - 1);
                for (size_t j = 0; j < 3; j++)
                    p[3 * (size_t)v + k] += (turn[3 * k + j] - (k == j)) * (s->rest[3 * (size_t)v + j] - centre[j]);
            }
    }
}

static void stray(const double *x, int vertices, double far, double *y)
{
    for (size_t i = 0; i < 3 * (size_t)vertices; i++)
        y[i] = x[i] + far * (2 * uniform() - 1);
}

/* The next search makes patches, and passes over those that sleep. */
static void ask_for_patches(vv_candidates *c) { c->broad->own = INT64_MAX; }

static void nothing_is_missed(void **state)
{
    (void)state;
    model m = { 0 };
    vv_surface *s = make_crowd(&m);
    int count = s->vertices->count, wanted = 0;
    double *q = copy_of(s->rest, count), *p = copy_of(s->rest, count);
    const double reaches[] = { 0.002, 0.02, 0.1 };
    for (int round = 0; round < sized(18, 18, 120); round++) {
        double activation = reaches[round % 3];
        vv_candidates c;
        assert_int_equal(vv_candidates_create(s, activation, &c, NULL), VV_OK);
        if (round % 2)
            ask_for_patches(&c);
        stray(s->rest, count, round < 3 ? 0 : 0.01, q);
        random_motion(s, round < 6 ? 0 : 0.6, 0.02, p);
        assert_int_equal(vv_candidates_cover(&c, NULL, q, round < 3 ? NULL : p, NULL), VV_OK);
        wanted += check_list(s, activation, &c, q, round < 3 ? NULL : p);
        vv_candidates_free(&c);
    }
    assert_true(wanted > 1000);
    free(q);
    free(p);
    free_model(&m);
}

static void filters_and_bodies_without_self_contact(void **state)
{
    (void)state;
    model m = { 0 };
    vv_surface *s = make_crowd(&m);
    unsigned char touches[36];
    memset(touches, 1, sizeof touches);
    touches[0 * 6 + 2] = touches[2 * 6 + 0] = touches[5 * 6 + 3] = touches[3 * 6 + 5] = 0;
    s->touches = touches;
    s->bodies[3].self = s->bodies[5].self = false;
    s->bodies[4].moves = false;
    vv_candidates c;
    assert_int_equal(vv_candidates_create(s, 0.05, &c, NULL), VV_OK);
    assert_int_equal(vv_candidates_cover(&c, NULL, s->rest, NULL, NULL), VV_OK);
    assert_true(check_list(s, 0.05, &c, s->rest, NULL) > 100);
    vv_candidates_free(&c);
    free_model(&m);
}

static double least_margin(const vv_broad *b)
{
    double least = INFINITY;
    for (int i = 0; i < b->surface->body_count; i++)
        least = fmin(least, b->bodies[i].margin);
    return least;
}

/* A chain of motions like those of Newton's method: small corrections about a large step. Few lists, each good. */
static void margins_serve_many_motions(void **state)
{
    (void)state;
    model m = { 0 };
    vv_surface *s = make_crowd(&m);
    int count = s->vertices->count;
    double *x = copy_of(s->rest, count), *q = copy_of(s->rest, count), *p = copy_of(s->rest, count),
           *d = copy_of(s->rest, count);
    vv_candidates c;
    double activation = 0.02;
    assert_int_equal(vv_candidates_create(s, activation, &c, NULL), VV_OK);
    for (int step = 0; step < 6; step++) {
        random_motion(s, 0.2, 0.005, d);
        assert_int_equal(vv_candidates_cover(&c, NULL, x, d, NULL), VV_OK);
        int64_t builds = c.broad->builds;
        assert_int_equal(builds, step + 1);
        for (int i = 0; i < 5; i++) { /* from somewhere on the way to somewhere on the way */
            double s0 = uniform(), s1 = uniform(), margin = least_margin(c.broad);
            for (size_t k = 0; k < 3 * (size_t)count; k++) {
                q[k] = x[k] + s0 * d[k] + margin * (uniform() - 0.5);
                p[k] = x[k] + s1 * d[k] + margin * (uniform() - 0.5) - q[k];
            }
            assert_int_equal(vv_candidates_cover(&c, NULL, q, p, NULL), VV_OK);
            assert_int_equal(c.broad->builds, builds);
            check_list(s, activation, &c, q, p);
        }
        for (size_t k = 0; k < 3 * (size_t)count; k++)
            x[k] += d[k];
        assert_int_equal(vv_candidates_cover(&c, NULL, x, NULL, NULL), VV_OK);
        assert_int_equal(c.broad->builds, builds);
    }
    q[0] = NAN; /* what is good for no position is built for none */
    int64_t builds = c.broad->builds;
    assert_int_equal(vv_candidates_cover(&c, NULL, q, p, NULL), VV_OK);
    assert_int_equal(vv_candidates_cover(&c, NULL, x, NULL, NULL), VV_OK);
    assert_int_equal(c.broad->builds, builds + 2);
    check_list(s, activation, &c, x, NULL);
    vv_candidates_forget(&c);
    assert_int_equal(c.start[4], 0);
    assert_int_equal(vv_candidates_cover(&c, NULL, x, NULL, NULL), VV_OK);
    assert_int_equal(c.broad->builds, builds + 3);
    check_list(s, activation, &c, x, NULL);
    vv_candidates_free(&c);
    free(x);
    free(q);
    free(p);
    free(d);
    free_model(&m);
}

/* Where one body leaves its margin, the others keep what they have in the list. It is as good as one made again,
 * wherever on their ways the bodies were when each was last searched for, and holds each stencil once. */
static void bodies_that_stay_keep_their_candidates(void **state)
{
    (void)state;
    model m = { 0 };
    vv_surface *s = make_crowd(&m);
    const int count = s->vertices->count, rounds = sized(60, 60, 400);
    double *x = copy_of(s->rest, count), *p = copy_of(s->rest, count), *way = copy_of(s->rest, count);
    int kept = 0, listed = 0;
    vv_candidates c;
    assert_int_equal(vv_candidates_create(s, 0.02, &c, NULL), VV_OK);
    assert_int_equal(vv_candidates_cover(&c, NULL, x, NULL, NULL), VV_OK);
    for (int round = 0; round < rounds; round++) {
        const bool moves = round % 3 != 0;
        const int one = (int)(uniform() * s->body_count) % s->body_count;
        const double margin = least_margin(c.broad);
        random_motion(s, 0.08, 0.002, way);
        for (int v = 0; v < count; v++)
            for (int k = 0; k < 3; k++) {
                const size_t i = 3 * (size_t)v + (size_t)k;
                p[i] = s->vertices->body[v] == one ? s->rest[i] + way[i] - x[i] : 0.02 * margin * (2 * uniform() - 1);
                x[i] += moves ? 0 : p[i];
            }
        const int64_t builds = c.broad->builds;
        assert_int_equal(vv_candidates_cover(&c, NULL, x, moves ? p : NULL, NULL), VV_OK);
        for (int i = 0; i < s->body_count && c.broad->builds > builds; i++)
            kept += !c.broad->bodies[i].stale;
        listed += check_list(s, 0.02, &c, x, moves ? p : NULL);
        for (size_t i = 0; i < 3 * (size_t)count && moves; i++)
            x[i] += (round % 2 ? 1 : 0.5) * p[i];
    }
    print_message("%d of %d bodies kept theirs; %d come near\n", kept, s->body_count * rounds, listed);
    assert_in_range(kept, rounds, (s->body_count - 1) * rounds);
    assert_true(listed > 100 * rounds);
    vv_candidates_free(&c);
    free(x);
    free(p);
    free(way);
    free_model(&m);
}

/* Trees of many levels, of unlike heights. */
static void large_bodies(void **state)
{
    (void)state;
    model m = { 0 };
    place(&m, add_ball(&m, 4), 0.5, 0, 0, 0);
    place(&m, add_cloth(&m, 25, 0.1), 2, -1, -1, 0);
    place(&m, add_rod(&m, 3), 1, 0.3, 0.3, -0.5);
    place(&m, add_ball(&m, 10), 0.4, 0.2, 0.1, 0.2);
    place(&m, add_points(&m, 100), 0.8, -0.4, -0.4, -0.4);
    vv_surface *s = finish_model(&m);
    double *q = copy_of(s->rest, s->vertices->count), *p = copy_of(s->rest, s->vertices->count);
    for (int round = 0; round < 3; round += sized(2, 1, 1)) { /* still, and flat; in between, moving */
        vv_candidates c;
        random_motion(s, 0.1 * round, 0.003, p);
        for (size_t k = 2; k < 3 * (size_t)s->vertices->count && round == 2; k += 3)
            q[k] *= 0.01; /* all bodies flat, through themselves */
        assert_int_equal(vv_candidates_create(s, 0.01, &c, NULL), VV_OK);
        assert_int_equal(vv_candidates_cover(&c, NULL, q, round == 2 ? NULL : p, NULL), VV_OK);
        assert_true(check_list(s, 0.01, &c, q, round == 2 ? NULL : p) > (round == 2 ? 3000 : 300));
        vv_candidates_free(&c);
    }
    free(q);
    free(p);
    free_model(&m);
}

/* Pairs of points along axes and diagonals, as far apart as the margin can just close: `offset` away from the origin,
 * with all lengths times `scale`, each the first point of a body whose other one is `spread` away. */
static void reach_of_margins(double offset, double scale, double spread)
{
    enum { PAIRS = 13, EACH = 2 };
    const double activation = 0.02 * scale, radius = 0.003 * scale, inside = 1e-9 + 1e-13 * offset;
    double way[PAIRS][3];
    int count = 0;
    for (int i = 0; i < 27 && count < PAIRS; i++, count++)
        for (int k = 0, digits = i; k < 3; k++, digits /= 3)
            way[count][k] = digits % 3 - 1;
    model m = { 0 };
    for (int i = 0; i < PAIRS; i++)
        for (int end = 0; end < 2; end++) {
            int first = add_points(&m, EACH);
            place(&m, first, 0, offset + i * scale, 0.4 * i * scale - offset, 0.01 * end * scale + offset);
            for (int k = 0; k < 3; k++)
                m.surface.rest[3 * (first + 1) + k] += (end ? spread : -spread) * scale;
            m.surface.bodies[2 * i + end].radius = radius;
        }
    vv_surface *s = finish_model(&m);
    double *q = copy_of(s->rest, 2 * EACH * PAIRS), *far = copy_of(s->rest, 2 * EACH * PAIRS);
    vv_candidates c;
    assert_int_equal(vv_candidates_create(s, activation, &c, NULL), VV_OK);
    assert_int_equal(vv_candidates_cover(&c, NULL, s->rest, NULL, NULL), VV_OK);
    vv_candidates_forget(&c);
    double margin = c.broad->bodies[0].margin;
    for (size_t i = 0; i < PAIRS; i++) {
        double size = vv_norm(way[i]), across = fabs(way[i][0]) + fabs(way[i][1]) + fabs(way[i][2]);
        for (size_t k = 0; k < 3; k++) {
            size_t a = 6 * EACH * i + k, b = a + 3 * EACH;
            q[b] = q[a] + (activation + 2 * radius + 2 * margin * across / size) * (1 - 1e-6) * way[i][k] / size;
            far[a] = q[a] + margin * (1 - inside) * way[i][k];
            far[b] = q[b] - margin * (1 - inside) * way[i][k];
        }
    }
    assert_int_equal(vv_candidates_cover(&c, NULL, q, NULL, NULL), VV_OK);
    assert_true(c.broad->bodies[0].margin == margin);
    assert_int_equal(check_list(s, activation, &c, q, NULL), 0);
    int64_t builds = c.broad->builds;
    assert_int_equal(vv_candidates_cover(&c, NULL, far, NULL, NULL), VV_OK);
    assert_int_equal(c.broad->builds, builds);
    assert_int_equal(check_list(s, activation, &c, far, NULL), PAIRS);
    far[0] += 1e-3 * margin * way[0][0]; /* one coordinate of one point beyond it */
    assert_int_equal(vv_candidates_cover(&c, NULL, far, NULL, NULL), VV_OK);
    assert_int_equal(c.broad->builds, builds + 1);
    vv_candidates_free(&c);
    free(q);
    free(far);
    free_model(&m);
}

static void margins_reach_as_far_as_they_say(void **state)
{
    (void)state;
    reach_of_margins(0, 1, 10);
    reach_of_margins(0x1p23, 1, 10); /* m: numbers are 2e-9 apart there */
    reach_of_margins(0, 0x1p20, 10);
    reach_of_margins(0, 1, 3000);
}

/* Bodies that fly fast together, or past others far away, have the candidates of bodies at rest. */
static void flying_costs_nothing(void **state)
{
    (void)state;
    model m = { 0 };
    place(&m, add_cloth(&m, 12, 0.05), 1, 0, 0, 0);
    place(&m, add_ball(&m, 6), 0.3, 0.5, 0.5, 0.36);
    place(&m, add_ball(&m, 6), 0.3, 40, 0.5, 0.36);
    vv_surface *s = finish_model(&m);
    size_t size = 3 * (size_t)s->vertices->count;
    double *p = calloc(size, sizeof *p);
    vv_candidates resting, flying;
    assert_int_equal(vv_candidates_create(s, 0.02, &resting, NULL), VV_OK);
    assert_int_equal(vv_candidates_create(s, 0.02, &flying, NULL), VV_OK);
    assert_int_equal(vv_candidates_cover(&resting, NULL, s->rest, NULL, NULL), VV_OK);
    for (size_t i = 0; i < size; i++)
        p[i] = i < 3 * (size_t)s->bodies[2].first_vertex ? 10 : -10;
    assert_int_equal(vv_candidates_cover(&flying, NULL, s->rest, p, NULL), VV_OK);
    assert_true(resting.start[4] > 0);
    assert_int_equal(flying.start[4], resting.start[4]);
    assert_int_equal(flying.broad->considered, resting.broad->considered);
    vv_candidates_free(&resting);
    vv_candidates_free(&flying);
    free(p);
    free_model(&m);
}

/* Nor do bodies that turn, and stretch on the way, far more than an edge in a step. */
static void turning_costs_little(void **state)
{
    (void)state;
    model m = { 0 };
    add_ball(&m, 7);
    place(&m, add_cloth(&m, 15, 0.05), 1, 3, 0, 0);
    place(&m, add_rod(&m, 100), 1, 6, 0, 0);
    vv_surface *s = finish_model(&m);
    double *p = copy_of(s->rest, s->vertices->count);
    vv_candidates resting, turning;
    assert_int_equal(vv_candidates_create(s, 0.004, &resting, NULL), VV_OK);
    assert_int_equal(vv_candidates_cover(&resting, NULL, s->rest, NULL, NULL), VV_OK);
    for (int round = sized(1, 0, 0); round < 2; round++) {
        assert_int_equal(vv_candidates_create(s, 0.004, &turning, NULL), VV_OK);
        for (int b = 0; b < s->body_count; b++) {
            double turn[9], axis[3] = { uniform() - 0.5, uniform() - 0.5, uniform() - 0.5 };
            vv_axis_angle(axis, 0.6, turn);
            for (int k = 0; k < 9; k++)
                turn[k] *= round ? 1.2 : 1;
            for (int v = s->bodies[b].first_vertex; v < s->bodies[b].first_vertex + s->bodies[b].vertex_count; v++) {
                double *to = p + 3 * (size_t)v, *from = s->rest + 3 * (size_t)v;
                vv_matvec(turn, from, to);
                vv_sub(to, from, to);
            }
        }
        assert_int_equal(vv_candidates_cover(&turning, NULL, s->rest, p, NULL), VV_OK);
        assert_true(turning.broad->bodies[0].turns && turning.broad->bodies[1].turns && turning.broad->bodies[2].turns);
        assert_true(turning.broad->considered < 2 * resting.broad->considered);
        check_list(s, 0.004, &turning, s->rest, p);
        vv_candidates_free(&turning);
    }
    vv_candidates_free(&resting);
    free(p);
    free_model(&m);
}

/* On the straight ways of a large turn a body shrinks towards a line: what is far apart in it comes near. A shiver
 * comes on top, so that something does at every angle. */
static void large_turns_squeeze(void **state)
{
    (void)state;
    static const double angles[] = { 1.5, 2.4, 2.9, 3.14159 };
    const double shiver = 0.08;
    model m = { 0 };
    add_ball(&m, 4);
    place(&m, add_cloth(&m, 8, 0.05), 1, 3, 0, 0);
    vv_surface *s = finish_model(&m);
    double *p = copy_of(s->rest, s->vertices->count);
    int wanted[4];
    for (int k = 0; k < 4; k++) {
        double turn[9];
        vv_candidates c;
        vv_axis_angle((double[]){ 0.3, 0.2, 0.9 }, angles[k], turn);
        for (int v = 0; v < s->vertices->count; v++) {
            double *from = s->rest + 3 * (size_t)v, *to = p + 3 * (size_t)v;
            vv_matvec(turn, from, to);
            for (int i = 0; i < 3; i++)
                to[i] += shiver * (2 * uniform() - 1) - from[i];
        }
        assert_int_equal(vv_candidates_create(s, 0.01, &c, NULL), VV_OK);
        assert_int_equal(vv_candidates_cover(&c, NULL, s->rest, p, NULL), VV_OK);
        assert_true(c.broad->bodies[0].turns == (k == 0)); /* beyond, its frame would squeeze too much */
        wanted[k] = check_list(s, 0.01, &c, s->rest, p);
        print_message("turned by %g: %d come near\n", angles[k], wanted[k]);
        assert_true(wanted[k] > 0);
        vv_candidates_free(&c);
    }
    assert_true(wanted[3] > 2 * wanted[0] + 1000);
    free(p);
    free_model(&m);
}

/* The first body folded across x, so that its halves come within `gap`; all turned by `angle`. */
static void fold(const vv_surface *s, double gap, double angle, double *q)
{
    double turn[9];
    vv_axis_angle((double[]){ 1, 2, -1 }, angle, turn);
    for (int v = 0; v < s->vertices->count; v++) {
        const double *x = s->rest + 3 * (size_t)v;
        double radius = s->vertices->body[v] ? 1e3 : 0.5 * gap, along = x[0] - 0.5, half = 0.5 * 3.14159265 * radius,
               arc = fmin(fabs(along), half) / radius;
        double y[3] = { radius * (1 - cos(arc)) + fmax(fabs(along) - half, 0), x[1],
                        (along < 0 ? -1 : 1) * radius * sin(arc) };
        y[0] = -y[0] - x[2];
        vv_matvec(turn, y, q + 3 * (size_t)v);
    }
}

/* Pieces of surface that are only moved, turned and strained a little are passed over; nothing that can act is. */
static void neighbours_sleep_until_they_can_touch(void **state)
{
    (void)state;
    model m = { 0 };
    add_cloth(&m, 20, 0.02);
    place(&m, add_ball(&m, 6), 0.4, 3, 0, 0);
    place(&m, add_rod(&m, 40), 1, 6, 0, 0);
    vv_surface *s = finish_model(&m);
    int count = s->vertices->count, wanted[3] = { 0 };
    double *q = copy_of(s->rest, count), *p = copy_of(s->rest, count), radii[] = { 0, 0.002, 0.03 };
    for (int round = 0; round < sized(12, 16, 200); round++) {
        vv_candidates c, plain;
        double activation = round % 2 ? 0.02 : 0.1, wild = round < 3 ? 0 : 0.02 * (round % 5);
        bool moves = round % 4 != 3;
        s->bodies[0].radius = s->bodies[1].radius = radii[round % 3];
        fold(s, round < 3 ? 12 : 0.05 + 0.3 * uniform(), uniform(), q);
        stray(q, s->bodies[0].vertex_count, wild, q);
        random_motion(s, 0.02, round < 3 ? 0 : 0.5 * wild, p);
        assert_int_equal(vv_candidates_create(s, activation, &plain, NULL), VV_OK);
        assert_int_equal(vv_candidates_create(s, activation, &c, NULL), VV_OK);
        ask_for_patches(&c);
        assert_int_equal(vv_candidates_cover(&plain, NULL, q, moves ? p : NULL, NULL), VV_OK);
        assert_int_equal(vv_candidates_cover(&c, NULL, q, moves ? p : NULL, NULL), VV_OK);
        assert_true(c.broad->patches && !plain.broad->patches);
        wanted[round % 3] += check_list(s, activation, &c, q, moves ? p : NULL);
        if (round < 3) {
            print_message("thickness %g: %d stencils looked at, %d without patches; margin %g of %g\n",
                          2 * radii[round], (int)c.broad->own, (int)plain.broad->own, c.broad->bodies[0].margin,
                          plain.broad->bodies[0].margin);
            if (round < 2)
                assert_true(c.broad->own < plain.broad->own / 4);
        }
        vv_candidates_free(&c);
        vv_candidates_free(&plain);
    }
    print_message("%d, %d, %d come near\n", wanted[0], wanted[1], wanted[2]);
    assert_true(wanted[0] > 100 && wanted[1] > 100 && wanted[2] > 100);
    free(q);
    free(p);
    free_model(&m);
}

/* One list after the other over the same patches: what slept on the last way must not sleep on this one. Anywhere
 * within the margin counts, at its corners, too; in a squeezed surface little is missing then. */
static void what_slept_wakes(void **state)
{
    (void)state;
    model m = { 0 };
    add_cloth(&m, 12, 0.02);
    vv_surface *s = finish_model(&m);
    int count = s->vertices->count, wanted = 0;
    size_t n = 3 * (size_t)count;
    double *q = copy_of(s->rest, count), *x = copy_of(s->rest, count);
    vv_candidates c;
    assert_int_equal(vv_candidates_create(s, 0.1, &c, NULL), VV_OK);
    ask_for_patches(&c);
    for (int round = 0; round < sized(6, 10, 100); round++) {
        double squeeze = round % 2 ? 0.55 + 0.4 * uniform() : 1;
        fold(s, round % 2 ? 0.1 + 0.5 * uniform() : 12, 3 * uniform(), q);
        for (size_t i = 0; i < n; i++)
            q[i] *= squeeze;
        for (size_t i = 0; i < n; i += 3)
            q[i] += round; /* beyond the last list's margin */
        int64_t builds = c.broad->builds;
        assert_int_equal(vv_candidates_cover(&c, NULL, q, NULL, NULL), VV_OK);
        assert_true(c.broad->patches && c.broad->builds == builds + 1);
        wanted += check_list(s, 0.1, &c, q, NULL);
        for (int k = 0; k < 4; k++) {
            double margin = 0.999 * c.broad->bodies[0].margin;
            for (size_t i = 0; i < n; i++)
                x[i] = q[i] + (uniform() < 0.5 ? -margin : margin);
            assert_int_equal(vv_candidates_cover(&c, NULL, x, NULL, NULL), VV_OK);
            assert_true(c.broad->builds == builds + 1);
            wanted += check_list(s, 0.1, &c, x, NULL);
        }
    }
    assert_true(wanted > 100);
    vv_candidates_free(&c);
    free(q);
    free(x);
    free_model(&m);
}

/* Boxes in single precision hold what they are of. */
static void boxes_are_rounded_outwards(void **state)
{
    (void)state;
    for (int k = 0; k < 200000; k++) {
        double v = (k % 2 ? 1 : -1) * pow(10, 60 * uniform() - 30) * (k % 7 > 0);
        double above = vv_float_above(v), below = vv_float_below(v);
        assert_true(above >= v && below <= v);
        assert_true(above - below <= 3.65e-7 * fabs(v) + 3e-37);
    }
}

/* ---- threads and memory --------------------------------------------------------------------------------------- */

static void any_number_of_threads_gives_the_same_list(void **state)
{
    (void)state;
    model m = { 0 };
    for (int i = 0; i < 30; i++)
        place(&m, add_ball(&m, 6), 0.5, 0.9 * (i % 3), 0.9 * (i / 3 % 3), 0.9 * (i / 9));
    add_cloth(&m, 60, 0.1);
    vv_surface *s = finish_model(&m);
    double *p = copy_of(s->rest, s->vertices->count);
    random_motion(s, 0.1, 0.01, p);
    vv_candidates one;
    assert_int_equal(vv_candidates_create(s, 0.02, &one, NULL), VV_OK);
    ask_for_patches(&one);
    assert_int_equal(vv_candidates_cover(&one, NULL, s->rest, p, NULL), VV_OK);
    assert_true(one.start[4] > 1000);
    for (int threads = 2; threads <= 5; threads++) {
        vv_parallel par = { .threads = threads };
        assert_true(vv_pool_create(threads, &par.pool));
        vv_candidates many;
        assert_int_equal(vv_candidates_create(s, 0.02, &many, NULL), VV_OK);
        ask_for_patches(&many);
        assert_int_equal(vv_candidates_cover(&many, &par, s->rest, p, NULL), VV_OK);
        assert_memory_equal(many.start, one.start, sizeof one.start);
        assert_memory_equal(many.list, one.list, (size_t)one.start[4] * sizeof *one.list);
        vv_candidates_free(&many);
        vv_pool_destroy(par.pool);
    }
    vv_candidates_free(&one);
    free(p);
    free_model(&m);
}

static void short_memory_is_an_error_that_passes(void **state)
{
    (void)state;
    model m = { 0 };
    vv_surface *s = make_crowd(&m);
    budget b = { .left = 1000 };
    vvAllocator before = vv_memory_use(budget_allocator(&b));
    vvError error;
    vv_candidates c;
    assert_int_equal(vv_candidates_create(s, 0.02, &c, NULL), VV_OK);
    int create = b.taken;
    ask_for_patches(&c);
    assert_int_equal(vv_candidates_cover(&c, NULL, s->rest, NULL, NULL), VV_OK);
    int cover = b.taken - create;
    vv_candidates_forget(&c); /* warm: nothing is allocated */
    assert_int_equal(vv_candidates_cover(&c, NULL, s->rest, NULL, NULL), VV_OK);
    assert_int_equal(b.taken, create + cover);
    vv_candidates_free(&c);
    for (int i = 0; i < create; i++) {
        b.left = i;
        assert_int_equal(vv_candidates_create(s, 0.02, &c, &error), VV_ERROR_MEMORY);
        assert_null(c.broad);
        vv_candidates_free(&c);
    }
    for (int i = 0; i < cover; i++) {
        b.left = 1000;
        assert_int_equal(vv_candidates_create(s, 0.02, &c, NULL), VV_OK);
        b.left = i;
        ask_for_patches(&c);
        assert_int_equal(vv_candidates_cover(&c, NULL, s->rest, NULL, &error), VV_ERROR_MEMORY);
        assert_int_equal(c.start[4], 0);
        b.left = 1000;
        assert_int_equal(vv_candidates_cover(&c, NULL, s->rest, NULL, NULL), VV_OK);
        check_list(s, 0.02, &c, s->rest, NULL);
        vv_candidates_free(&c);
    }
    vv_memory_use(before);
    free_model(&m);
}

/* No bodies, a body of one point, bodies of a few elements, and points in one place. */
static void small_surfaces(void **state)
{
    (void)state;
    for (int points = 0; points < 20; points++) {
        model m = { 0 };
        for (int i = 0; i < points; i++)
            place(&m, add_points(&m, 1 + i), i % 3 ? 0.5 : 0, 0.01 * i, 0, 0);
        vv_surface *s = finish_model(&m);
        vv_candidates c;
        double none[3] = { 0 };
        const double *q = points ? s->rest : none;
        assert_int_equal(vv_candidates_create(s, 0.05, &c, NULL), VV_OK);
        assert_int_equal(vv_candidates_cover(&c, NULL, q, NULL, NULL), VV_OK);
        check_list(s, 0.05, &c, q, NULL);
        assert_int_equal(vv_candidates_cover(&c, NULL, q, q, NULL), VV_OK);
        check_list(s, 0.05, &c, q, q);
        vv_candidates_free(&c);
        free_model(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_missed),
        cmocka_unit_test(filters_and_bodies_without_self_contact),
        cmocka_unit_test(margins_serve_many_motions),
        cmocka_unit_test(bodies_that_stay_keep_their_candidates),
        cmocka_unit_test(large_bodies),
        cmocka_unit_test(margins_reach_as_far_as_they_say),
        cmocka_unit_test(flying_costs_nothing),
        cmocka_unit_test(turning_costs_little),
        cmocka_unit_test(large_turns_squeeze),
        cmocka_unit_test(neighbours_sleep_until_they_can_touch),
        cmocka_unit_test(what_slept_wakes),
        cmocka_unit_test(boxes_are_rounded_outwards),
        cmocka_unit_test(any_number_of_threads_gives_the_same_list),
        cmocka_unit_test(short_memory_is_an_error_that_passes),
        cmocka_unit_test(small_surfaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
