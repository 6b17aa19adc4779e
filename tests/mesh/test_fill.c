/* vvMeshFill: surfaces of any kind become tets of the wanted size. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "mesh/mesh.h"
#include "mesh_support.h"

#include <math.h>

/* The boundary of a generated body, as a surface of its own, times `scale` and moved. */
static vvMesh surface_of(const char *generator, double scale, double shift)
{
    vvMesh m;
    assert_int_equal(vvMeshGenerate(generator, NULL, 0, &m, NULL), VV_OK);
    m.tetCount = m.edgeCount = 0;
    for (int i = 0; i < 3 * m.vertexCount; i++)
        m.positions[i] = scale * m.positions[i] + shift;
    assert_int_equal(vvMeshFinish(&m, NULL, NULL), VV_OK);
    return m;
}

static vvMeshQuality filled(const vvMesh *surface, double edge, vvMesh *tets)
{
    vvError error;
    vvMeshQuality q;
    if (vvMeshFill(surface, edge, tets, &error))
        fail_msg("%s", error.message);
    assert_sound(tets);
    vvMeshMeasure(tets, &q);
    return q;
}

/* Volumes approach the surface's with the edge, angles stay good. */
static void volumes_converge(void **state)
{
    (void)state;
    const char *const shapes[] = { "ball", "torus", "critter", "die", "cylinder" };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        vvMesh s = surface_of(shapes[i], 1, 0);
        vvSurfaceCheck c;
        assert_int_equal(vvMeshCheckSurface(&s, &c, NULL), VV_OK);
        double before = 1;
        for (double edge = 0.016; edge > 0.006; edge /= 2) {
            vvMesh tets;
            vvMeshQuality q = filled(&s, edge, &tets);
            double off = fabs(q.volume / c.volume - 1);
            assert_true(off < 0.2 && off < 0.75 * before);
            assert_true(q.minDihedral > 15 && q.maxDihedral < 155);
            assert_true(q.meanEdge > 0.4 * edge && q.meanEdge < 1.2 * edge);
            before = off;
            vvMeshDestroy(&tets);
        }
        vvSurfaceCheckDestroy(&c);
        vvMeshDestroy(&s);
    }
}

/* The outer vertices are on the surface: of a ball, at its radius but for the facets. */
static void boundary_is_on_the_surface(void **state)
{
    (void)state;
    vvMesh s = surface_of("ball", 1, 0), tets;
    filled(&s, 0.01, &tets);
    for (int i = 0; i < 3 * tets.triangleCount; i++) {
        const double *x = tets.positions + 3 * tets.triangles[i];
        double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        assert_true(r < 0.05 * (1 + 1e-12) && r > 0.97 * 0.05);
    }
    vvMeshDestroy(&tets);
    vvMeshDestroy(&s);
}

/* The same mesh, scaled; far from the origin the lattice is another one, the volume nearly the same. */
static void units_and_places_do_not_matter(void **state)
{
    (void)state;
    vvMesh s = surface_of("ball", 1, 0), tets;
    vvMeshQuality one = filled(&s, 0.012, &tets);
    int count = tets.tetCount;
    vvMeshDestroy(&tets);
    vvMeshDestroy(&s);
    s = surface_of("ball", 0x1p30, 0);
    vvMeshQuality large = filled(&s, 0.012 * 0x1p30, &tets);
    assert_int_equal(tets.tetCount, count);
    assert_true(fabs(large.volume / (one.volume * 0x1p90) - 1) < 1e-9);
    vvMeshDestroy(&tets);
    vvMeshDestroy(&s);
    s = surface_of("ball", 1, 1e7);
    vvMeshQuality far = filled(&s, 0.012, &tets);
    assert_true(fabs(far.volume / one.volume - 1) < 0.01);
    vvMeshDestroy(&tets);
    vvMeshDestroy(&s);
}

/* A ball with a hollow: the tets leave it out. */
static void cavities_stay_empty(void **state)
{
    (void)state;
    vvMesh ball = surface_of("ball", 1, 0), tets;
    int n = ball.vertexCount, f = ball.triangleCount;
    vvMesh two = { .vertexCount = 2 * n, .triangleCount = 2 * f };
    two.positions = vv_alloc(6 * (size_t)n, sizeof(double));
    two.triangles = vv_alloc(6 * (size_t)f, sizeof(int));
    for (int i = 0; i < 3 * n; i++) {
        two.positions[i] = ball.positions[i];
        two.positions[3 * n + i] = 0.5 * ball.positions[i];
    }
    for (int i = 0; i < 3 * f; i++) {
        two.triangles[i] = ball.triangles[i];
        two.triangles[3 * f + i] = n + ball.triangles[i];
    }
    vvMeshQuality q = filled(&two, 0.006, &tets);
    vvSurfaceCheck c;
    assert_int_equal(vvMeshCheckSurface(&two, &c, NULL), VV_OK);
    assert_int_equal(c.cavityCount, 1);
    assert_true(fabs(q.volume / c.volume - 1) < 0.03);
    for (int i = 0; i < tets.vertexCount; i++) {
        const double *x = tets.positions + 3 * i;
        assert_true(sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) > 0.02);
    }
    vvSurfaceCheckDestroy(&c);
    vvMeshDestroy(&tets);
    vvMeshDestroy(&two);
    vvMeshDestroy(&ball);
}

static void expect(const vvMesh *surface, double edge, const char *says)
{
    vvMesh tets;
    vvError error = { 0 };
    vvStatus status = vvMeshFill(surface, edge, &tets, &error);
    if (status != VV_ERROR_INPUT || !strstr(error.message, says))
        fail_msg("status %d, \"%s\" where \"%s\" should be", status, error.message, says);
    assert_true(!tets.tetCount && !tets.positions);
}

static void what_cannot_be_filled(void **state)
{
    (void)state;
    vvMesh s = surface_of("ball", 1, 0);
    expect(&s, 0, "positive");
    expect(&s, -1, "positive");
    expect(&s, NAN, "positive");
    expect(&s, 1e-6, "larger");
    expect(&s, 1, "smaller");
    s.triangleCount--;
    expect(&s, 0.01, "3 open edges");
    s.triangleCount = 0;
    expect(&s, 0.01, "no tets, triangles");
    vvMeshDestroy(&s);
}

/* A proposed edge becomes smaller where thin parts would be lost; a given one that loses them is refused. */
static void edges_are_proposed(void **state)
{
    (void)state;
    vvMesh ball = surface_of("ball", 1, 0), thin = surface_of("die", 1, 0), tets;
    vvFillDef def = vvDefaultFillDef();
    vvFillNotes notes;
    vvError error;
    double diagonal = 0.1 * sqrt(3);
    assert_true(fabs(vvMeshProposeEdge(&ball) / (diagonal / 30) - 1) < 0.05);
    assert_true(vvMeshProposeEdge(&(vvMesh){ 0 }) == 0);
    assert_int_equal(vvMeshFillWith(&ball, NULL, &tets, &notes, &error), VV_OK);
    assert_true(notes.tries == 1 && notes.edge == vvMeshProposeEdge(&ball));
    assert_true(notes.pieces == 1 && notes.parts == 1 && fabs(notes.part - 1) < 0.02);
    assert_sound(&tets);
    vvMeshDestroy(&tets);
    for (int i = 0; i < thin.vertexCount; i++)
        thin.positions[3 * i + 1] *= 0.025; /* a plate of 2.5 mm, less than its proposed edge */
    assert_true(vvMeshProposeEdge(&thin) > 0.0025);
    assert_int_equal(vvMeshFillWith(&thin, &def, &tets, &notes, &error), VV_OK);
    assert_true(notes.tries > 1 && notes.edge < 0.8 * vvMeshProposeEdge(&thin) && notes.part > 0.8);
    vvMeshDestroy(&tets);
    assert_true(notes.farthest < 0.05 * 0.1 * sqrt(2));
    def.edge = 0.0045;
    assert_int_equal(vvMeshFillWith(&thin, &def, &tets, &notes, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "smaller edge"));
    assert_true(!tets.tetCount && !tets.positions && notes.tries == 1 && notes.edge == def.edge && notes.part == 0);
    def.edge = -1;
    assert_int_equal(vvMeshFillWith(&thin, &def, &tets, NULL, &error), VV_ERROR_INPUT);
    vvMeshDestroy(&thin);
    vvMeshDestroy(&ball);
}

/* A tail has little volume; a proposed edge keeps it all the same, and a given one says how much is lost. */
static void tails_stay(void **state)
{
    (void)state;
    vvMesh ball = surface_of("ball", 1, 0), tets;
    vvFillDef def = vvDefaultFillDef();
    vvFillNotes notes;
    double low[3], high[3];
    for (int i = 0; i < ball.vertexCount; i++) { /* drawn out to a thin tip */
        double *x = ball.positions + 3 * i, r = hypot(x[1], x[2]);
        if (x[0] > 0 && r < 0.02)
            x[0] += 5 * (0.02 - r);
    }
    vv_mesh_bounds(&ball, low, high);
    double edge = vvMeshProposeEdge(&ball), reach = high[0];
    def.edge = 1.5 * edge;
    assert_int_equal(vvMeshFillWith(&ball, &def, &tets, &notes, NULL), VV_OK);
    vv_mesh_bounds(&tets, low, high);
    assert_true(notes.part > 0.93 && notes.pieces == 1); /* nothing seems to be missing */
    assert_true(notes.farthest > 0.5 * (reach - high[0]) && reach - high[0] > 0.01);
    vvMeshDestroy(&tets);
    assert_int_equal(vvMeshFillWith(&ball, NULL, &tets, &notes, NULL), VV_OK);
    vv_mesh_bounds(&tets, low, high);
    assert_true(notes.tries > 1 && notes.farthest < 0.05 * 32 * edge && reach - high[0] < 0.05 * 32 * edge);
    vvMeshDestroy(&tets);
    vvMeshDestroy(&ball);
}

typedef struct follower {
    int calls, stop_at;
    double last;
    const char *what;
} follower;

static void follow(void *user, const char *what, double done)
{
    follower *f = user;
    assert_true(done >= f->last && done <= 1);
    f->last = done;
    f->what = what;
    f->calls++;
}

static bool stop(void *user)
{
    follower *f = user;
    return f->stop_at && f->calls >= f->stop_at;
}

/* Progress only grows, and reaches the end; wherever the work is cancelled, nothing is left of it; watching changes
 * nothing. */
static void work_can_be_followed_and_ended(void **state)
{
    (void)state;
    vvMesh ball = surface_of("ball", 1, 0), alone, tets;
    follower f = { 0 };
    vvFillDef def = vvDefaultFillDef();
    def.edge = 0.02, def.watch = (vvWatch){ stop, follow, &f }, def.what = "filling a ball";
    vvError error;
    assert_int_equal(vvMeshFill(&ball, 0.02, &alone, NULL), VV_OK);
    assert_int_equal(vvMeshFillWith(&ball, &def, &tets, NULL, &error), VV_OK);
    assert_same_mesh(&alone, &tets);
    vvMeshDestroy(&tets);
    vvMeshDestroy(&alone);
    int all = f.calls;
    assert_true(all > 100 && f.last > 0.95);
    assert_string_equal(f.what, "filling a ball");
    for (int at = 1; at <= all; at += all / 13) {
        f = (follower){ .stop_at = at };
        assert_int_equal(vvMeshFillWith(&ball, &def, &tets, NULL, &error), VV_CANCELLED);
        assert_int_equal(f.calls, at);
        assert_true(!tets.tetCount && !tets.positions);
    }
    def.watch.progress = NULL;
    f = (follower){ .calls = 1, .stop_at = 1 };
    assert_int_equal(vvMeshFillWith(&ball, &def, &tets, NULL, &error), VV_CANCELLED);
    vvMeshDestroy(&ball);
}

/* ---- no memory: at the k-th allocation, for every k ---- */

typedef struct scarce {
    int left, live;
} scarce;

static void *take(void *user, size_t bytes, size_t alignment)
{
    scarce *s = user;
    if (s->left-- <= 0)
        return NULL;
    void *block = aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
    s->live += block != NULL;
    return block;
}

static void give(void *user, void *block, size_t bytes)
{
    (void)bytes;
    ((scarce *)user)->live--;
    free(block);
}

static void no_memory_is_an_error(void **state)
{
    (void)state;
    vvMesh s = surface_of("ball", 1, 0);
    scarce memory = { 0 };
    vvAllocator allocator = { take, give, &memory };
    assert_int_equal(vvSetThreadAllocator(&allocator, NULL), VV_OK);
    for (int what = 0; what < 2; what++) {
        vvStatus status = VV_ERROR_MEMORY;
        int k = 0;
        for (; status == VV_ERROR_MEMORY && k < 500; k++) {
            vvSurfaceCheck check;
            vvMesh tets;
            vvError error;
            memory.left = k;
            if (what == 0) {
                status = vvMeshCheckSurface(&s, &check, &error);
                vvSurfaceCheckDestroy(&check);
            } else {
                status = vvMeshFill(&s, 0.03, &tets, &error);
                vvMeshDestroy(&tets);
            }
            assert_int_equal(memory.live, 0);
        }
        assert_int_equal(status, VV_OK);
        assert_true(k > 10);
    }
    assert_int_equal(vvSetThreadAllocator(NULL, NULL), VV_OK);
    vvMeshDestroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volumes_converge),
        cmocka_unit_test(boundary_is_on_the_surface),
        cmocka_unit_test(units_and_places_do_not_matter),
        cmocka_unit_test(cavities_stay_empty),
        cmocka_unit_test(edges_are_proposed),
        cmocka_unit_test(tails_stay),
        cmocka_unit_test(work_can_be_followed_and_ended),
        cmocka_unit_test(what_cannot_be_filled),
        cmocka_unit_test(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
