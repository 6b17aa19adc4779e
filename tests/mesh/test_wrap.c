/* Surfaces that bound no volume, wrapped: holes, crossings, shells within shells, loose flaps, far
 * from the origin, of 1 mm and of 100 m. What is known of the solid (volume, place of the surface) must come out;
 * sheets are told from solids. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "visviva/mesh.h"

/* Grows by triangles of its own corners: a soup. */
typedef struct soup {
    double *x;
    int count; /* triangles */
} soup;

static void add_triangle(soup *s, const double *a, const double *b, const double *c)
{
    s->x = realloc(s->x, (size_t)(s->count + 1) * 9 * sizeof(double));
    memcpy(s->x + 9 * s->count, a, 24);
    memcpy(s->x + 9 * s->count + 3, b, 24);
    memcpy(s->x + 9 * s->count + 6, c, 24);
    s->count++;
}

/* A ball of circles of latitude; `hole`: each so many-th triangle is left out (0: none). */
static void add_ball(soup *s, double cx, double r, int hole)
{
    enum { AROUND = 40, UP = 20 };
    int n = 0;
    for (int i = 0; i < UP; i++)
        for (int j = 0; j < AROUND; j++) {
            double p[4][3];
            for (int c = 0; c < 4; c++) {
                const double t = M_PI * (i + (c >> 1)) / UP, f = 2 * M_PI * ((j + (c & 1)) % AROUND) / AROUND;
                p[c][0] = cx + r * sin(t) * cos(f), p[c][1] = r * cos(t), p[c][2] = r * sin(t) * sin(f);
            }
            for (int half = 0; half < 2; half++, n++) {
                const double *a = p[half ? 1 : 0], *b = p[half ? 3 : 1], *c = p[2];
                if (hole && n % hole == 0)
                    continue;
                add_triangle(s, b, a, c);
            }
        }
}

static void add_sheet(soup *s, double x0, double width)
{
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < 10; j++) {
            double p[4][3];
            for (int c = 0; c < 4; c++) {
                p[c][0] = x0 + width * (i + (c & 1)) / 10, p[c][1] = 0, p[c][2] = width * ((j + (c >> 1)) / 10.0 - 0.5);
            }
            add_triangle(s, p[0], p[1], p[2]);
            add_triangle(s, p[1], p[3], p[2]);
        }
}

/* The soup, scaled and moved, as a finished surface. */
static vvMesh surface_of(soup *s, double scale, double far)
{
    vvMesh m = { 0 }, given = { .vertexCount = 3 * s->count, .triangleCount = s->count, .positions = s->x };
    int *triangles = malloc((size_t)s->count * 3 * sizeof *triangles);
    for (int i = 0; i < 3 * s->count; i++)
        triangles[i] = i;
    for (int i = 0; i < 9 * s->count; i++)
        s->x[i] = scale * s->x[i] + far;
    given.triangles = triangles;
    vvError error;
    assert_int_equal(vvMeshCopy(&given, &m, &error), VV_OK);
    assert_int_equal(vvMeshFinish(&m, NULL, &error), VV_OK);
    free(triangles);
    free(s->x);
    *s = (soup){ 0 };
    return m;
}

static double volume_of(const vvMesh *tets)
{
    vvMeshQuality q;
    vvMeshMeasure(tets, &q);
    return q.volume;
}

/* Wraps, compares the volume, and gives back the notes. */
static vvFillNotes wrap(const vvMesh *surface, double volume, double within)
{
    vvMesh tets;
    vvError error = { 0 };
    vvFillNotes notes;
    vvFillDef def = vvDefaultFillDef();
    def.wrap = true;
    if (vvMeshFillWith(surface, &def, &tets, &notes, &error) != VV_OK)
        fail_msg("%s", error.message);
    assert_true(notes.wrapped);
    if (!(fabs(volume_of(&tets) / volume - 1) < within))
        fail_msg("volume %g, not %g", volume_of(&tets), volume);
    vvMeshDestroy(&tets);
    return notes;
}

/* Of the ball of facets, a little less than the round one's. */
static const double ball = 4 * M_PI / 3 * 0.985;

static void holes_are_bridged(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        const double scale = (const double[]){ 1, 1e-3, 100 }[k], far = (const double[]){ 0, 0, 1e4 }[k];
        soup s = { 0 };
        add_ball(&s, 0, 1, 11);
        vvMesh m = surface_of(&s, scale, far);
        vvFillNotes notes = wrap(&m, ball * pow(scale, 3), 0.03);
        assert_true(notes.bridged < 0.1);
        vvMeshDestroy(&m);
    }
}

static void shells_and_crossings_are_one_solid(void **state)
{
    (void)state;
    soup s = { 0 };
    add_ball(&s, 0, 1, 0);
    add_ball(&s, 0.2, 0.5, 0);
    vvMesh m = surface_of(&s, 1, 0);
    vvSurfaceCheck check;
    assert_int_equal(vvMeshCheckSurface(&m, &check, NULL), VV_OK);
    assert_true(check.sound); /* the inner one is a cavity, as ever: nothing is wrapped */
    vvSurfaceCheckDestroy(&check);
    vvMeshDestroy(&m);
    add_ball(&s, 0, 1, 0);
    add_ball(&s, 0.9, 0.5, 0); /* crosses the first */
    m = surface_of(&s, 1, 0);
    /* outside of the first: the small ball's volume less that of the lens of radii 1 and 0.5 at distance 0.9 */
    const double d = 0.9, r = 0.5,
                 lens = M_PI * pow(1 + r - d, 2) * (d * d + 2 * d * r - 3 * r * r + 2 * d + 6 * r - 3) / (12 * d);
    wrap(&m, 0.985 * (4 * M_PI / 3 * (1 + r * r * r) - lens), 0.03);
    vvMeshDestroy(&m);
}

static void flaps_are_left_out(void **state)
{
    (void)state;
    soup s = { 0 };
    add_ball(&s, 0, 1, 0);
    add_sheet(&s, 0.9, 1);
    vvMesh m = surface_of(&s, 1, 0);
    wrap(&m, ball, 0.03);
    vvMeshDestroy(&m);
}

static void sheets_are_told(void **state)
{
    (void)state;
    vvMesh m, tets;
    vvError error = { 0 };
    vvFillNotes notes;
    vvFillDef def = vvDefaultFillDef();
    soup s = { 0 };
    def.wrap = true;
    add_sheet(&s, 0, 1);
    m = surface_of(&s, 1, 0);
    assert_int_equal(vvMeshFillWith(&m, &def, &tets, &notes, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "sheet"));
    assert_true(notes.wrapped && notes.tries == 0 && !tets.tetCount);
    vvMeshDestroy(&m);
}

/* A sound surface is filled to the bit as without. */
static void sound_ones_are_not_wrapped(void **state)
{
    (void)state;
    soup s = { 0 };
    vvMesh tets[2];
    vvFillNotes notes;
    vvFillDef def = vvDefaultFillDef();
    add_ball(&s, 0, 1, 0);
    vvMesh m = surface_of(&s, 1, 0);
    for (int k = 0; k < 2; k++) {
        def.wrap = k;
        assert_int_equal(vvMeshFillWith(&m, &def, tets + k, &notes, NULL), VV_OK);
        assert_false(notes.wrapped);
    }
    assert_int_equal(tets[0].vertexCount, tets[1].vertexCount);
    assert_memory_equal(tets[0].positions, tets[1].positions, (size_t)tets[0].vertexCount * 24);
    vvMeshDestroy(tets), vvMeshDestroy(tets + 1), vvMeshDestroy(&m);
}

static void without_the_wish_it_is_refused(void **state)
{
    (void)state;
    soup s = { 0 };
    vvMesh tets;
    vvError error = { 0 };
    add_ball(&s, 0, 1, 11);
    vvMesh m = surface_of(&s, 1, 0);
    assert_int_equal(vvMeshFillWith(&m, NULL, &tets, NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "open edges"));
    vvMeshDestroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holes_are_bridged),          cmocka_unit_test(shells_and_crossings_are_one_solid),
        cmocka_unit_test(flaps_are_left_out),         cmocka_unit_test(sheets_are_told),
        cmocka_unit_test(sound_ones_are_not_wrapped), cmocka_unit_test(without_the_wish_it_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
