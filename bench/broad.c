/* Cost of the broad phase of contact, for 1e3 triangles and more (or rods' edges and points): making the trees,
 * building the list anew (all of it, and the boxes alone), seeing that it is still good; and how long the list is.
 * The margin is half of the reach. broad [THREADS [LARGEST]]; JSON, a line a case. */
#include "measure.h"

#include "contact/broad/broad.h"

#include "../tests/support/surface_fixture.h"

#include <stdatomic.h>
#include <stdio.h>

enum { RUNS = 7 };

/* A closed surface at rest. */
static void one_ball(model *m, int triangles) { add_ball(m, (int)fmax(1, sqrt(triangles / 12.0))); }

/* Cloths on each other, a fifth of an edge apart. */
static void stack(model *m, int triangles)
{
    int n = (int)fmax(1, sqrt(triangles / 20.0));
    for (int i = 0; i < 10; i++)
        place(m, add_cloth(m, n, 0.05), 1, 0, 0, 0.2 * i / n);
}

/* Many small balls, near enough to touch. */
static void cloud(model *m, int triangles)
{
    int balls = triangles / (12 * 36) + 1, side = (int)ceil(cbrt(balls));
    for (int i = 0; i < balls; i++)
        place(m, add_ball(m, 6), 0.49, i % side, i / side % side, i / side / side);
}

/* One cloth, rolled up in q (see `crumple`). */
static void sheet(model *m, int triangles) { add_cloth(m, (int)fmax(1, sqrt(triangles / 2.0)), 0); }

/* Rods and points, as many of them as triangles. */
static void hair(model *m, int elements)
{
    int rods = elements / 40, side = (int)ceil(sqrt(rods));
    for (int i = 0; i < rods; i++)
        place(m, add_rod(m, 20), 1, 0.02 * (i % side), 0.02 * (i / side), 0);
    place(m, add_points(m, elements / 2), 0.02 * side, 0, 0, 0);
}

/* To a roll whose layers are an edge apart. */
static void crumple(double *q, int vertices, double edge)
{
    for (int v = 0; v < vertices; v++) {
        double s = q[3 * (size_t)v], pitch = edge / 6.283185307, angle = sqrt(2 * (s + 20 * pitch) / pitch);
        q[3 * (size_t)v] = pitch * angle * cos(angle);
        q[3 * (size_t)v + 2] = pitch * angle * sin(angle);
    }
}

static atomic_size_t live, peak;
static void *take(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    size_t now = atomic_fetch_add(&live, bytes) + bytes;
    if (now > peak)
        peak = now;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}
static void give(void *user, void *block, size_t bytes)
{
    (void)user;
    atomic_fetch_sub(&live, bytes);
    free(block);
}

typedef void make_fn(model *m, int triangles);

static void measure(const char *name, make_fn *make, int elements, double share, const vv_parallel *par)
{
    model m = { 0 };
    make(&m, elements);
    vv_surface *s = finish_model(&m);
    double edge = 0, build[RUNS], boxes[RUNS], check[RUNS];
    for (int k = 0; k < 3; k++) {
        double d = s->rest[3 * s->edge[0][0] + k] - s->rest[3 * s->edge[0][1] + k];
        edge += d * d;
    }
    edge = sqrt(edge);
    double *q = malloc(3 * (size_t)m.vertices.count * sizeof *q);
    memcpy(q, s->rest, 3 * (size_t)m.vertices.count * sizeof *q);
    if (make == sheet)
        crumple(q, m.vertices.count, edge);
    vv_candidates c;
    peak = live = 0;
    double at = vv_seconds();
    if (vv_candidates_create(s, share * edge, &c, NULL) != VV_OK)
        exit(1);
    double create = vv_seconds() - at;
    for (int i = -1; i < RUNS; i++) {
        vv_candidates_forget(&c);
        at = vv_seconds();
        if (vv_candidates_cover(&c, par, q, NULL, NULL) != VV_OK)
            exit(1);
        build[i < 0 ? 0 : i] = vv_seconds() - at;
        at = vv_seconds();
        vv_broad_refit(c.broad, par);
        boxes[i < 0 ? 0 : i] = vv_seconds() - at;
        at = vv_seconds();
        vv_candidates_cover(&c, par, q, NULL, NULL);
        check[i < 0 ? 0 : i] = vv_seconds() - at;
    }
    double t = median(build, RUNS);
    int primitives = make == hair ? elements : s->triangle_count;
    printf("{\"case\": \"%s\", \"elements\": %d, \"reach_in_edges\": %g, \"threads\": %d, \"create_s\": %.3g, "
           "\"build_s\": %.3g, \"boxes_s\": %.3g, \"check_s\": %.3g, \"us_per_element\": %.3f, \"candidates\": %d, "
           "\"list_bytes\": %zu, \"bytes_per_element\": %.0f}\n",
           name, primitives, share, par->threads, create, t, median(boxes, RUNS), median(check, RUNS),
           1e6 * t / primitives, c.start[4], (size_t)c.start[4] * sizeof *c.list, (double)peak / primitives);
    fflush(stdout);
    vv_candidates_free(&c);
    free(q);
    free_model(&m);
}

int main(int argc, char **argv)
{
    vv_parallel par = { .threads = argc > 1 ? atoi(argv[1]) : 1 };
    int largest = argc > 2 ? atoi(argv[2]) : 1000000;
    if (par.threads < 1 || !vv_pool_create(par.threads, &par.pool))
        return 1;
    vv_memory_use((vvAllocator){ take, give, NULL });
    static const struct {
        const char *name;
        make_fn *make;
    } cases[] = { { "ball at rest", one_ball },
                  { "ten cloths", stack },
                  { "cloud of balls", cloud },
                  { "roll", sheet },
                  { "rods and points", hair } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int triangles = 1000; triangles <= largest; triangles *= 10)
            measure(cases[i].name, cases[i].make, triangles, 0.1, &par);
    measure("ball at rest", one_ball, 11000, 0.02, &par);
    measure("ball at rest", one_ball, 11000, 0.1, &par);
    measure("ball at rest", one_ball, 11000, 0.5, &par);
    measure("ball at rest", one_ball, 11000, 2, &par);
    vv_memory_use((vvAllocator){ 0 });
    vv_pool_destroy(par.pool);
    return 0;
}
