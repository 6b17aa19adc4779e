/* layer: mesh
 * Meshes of order 2 whose middles lie on a curved original: a generator's shape, a surface of triangles. Volumes
 * approach the shape's as the fourth power of the edge; elements that would turn inside out stay straight. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/raise.h"
#include "positional.h"
#include "short_memory.h"

static const double PI = 3.14159265358979323846;

static vvMesh made(const char *generator, const double *values, bool order2, vvRaiseNotes *notes)
{
    vvMesh mesh;
    vvError error = { 0 };
    if (order2 ? generate_order2(generator, values, &mesh, notes, &error)
               : generate_mesh(generator, values, &mesh, &error))
        fail_msg("%s", error.message);
    return mesh;
}

/* Of the elements, curved or not. */
static double volume(const vvMesh *mesh)
{
    double sum = 0, share[10];
    for (int t = 0; t < (mesh->tet10Count ? mesh->tet10Count : mesh->tetCount); t++)
        sum += mesh->tet10Count ? vv_tet10_lump(mesh->positions, mesh->tets10 + 10 * (size_t)t, share)
                                : vv_tet_det(mesh->positions, mesh->tets + 4 * (size_t)t) / 6;
    return sum;
}

static void expect_sound(vvMesh *mesh)
{
    vvSurfaceCheck check;
    vvError error = { 0 };
    assert_int_equal(vvMeshCheckSurface(mesh, &check, &error), VV_OK);
    assert_true(check.sound);
    vvSurfaceCheckDestroy(&check);
    assert_true(mesh->tet10Count > 0 && mesh->tetCount == 8 * mesh->tet10Count);
    for (int t = 0; t < mesh->tet10Count; t++)
        assert_true(vv_tet10_least_det(mesh->positions, mesh->tets10 + 10 * (size_t)t) > 0);
    for (int t = 0; t < mesh->tetCount; t++)
        assert_true(vv_tet_det(mesh->positions, mesh->tets + 4 * (size_t)t) > 0);
    assert_int_equal(vvMeshFinish(mesh, NULL, &error), VV_OK); /* as a file's: nothing to refuse */
}

/* ---- shapes ----------------------------------------------------------------------------------------------------- */

typedef struct shape {
    const char *generator;
    double coarse[8], fine[8], volume;
    bool all; /* surface edges are all off the surface */
} shape;

static const shape shapes[] = {
    { "ball", { 0.5, 2 }, { 0.5, 4 }, 0.52359877559829887, true },
    { "cylinder", { 0.5, 1, 2, 2 }, { 0.5, 1, 4, 4 }, 0.78539816339744831, false },
    { "rod", { 1, 0.5, 2, 2 }, { 1, 0.5, 4, 4 }, 0.78539816339744831, false },
    { "torus", { 1, 0.5, 2, 16 }, { 1, 0.5, 4, 32 }, 4.9348022005446793, true },
    { "bowl", { 1, 0.5, 90, 4, 2 }, { 1, 0.5, 90, 8, 4 }, 1.8325957145940461, false },
    { "die", { 1, 0.5, 4 }, { 1, 0.5, 8 }, 0.52359877559829887, true },
};

static void volumes_converge(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const shape *s = shapes + i;
        double error[2][2];
        for (int fine = 0; fine < 2; fine++)
            for (int order = 1; order <= 2; order++) {
                vvRaiseNotes notes = { 0 };
                vvMesh mesh = made(s->generator, fine ? s->fine : s->coarse, order == 2, &notes);
                error[order - 1][fine] = 1 - volume(&mesh) / s->volume;
                if (order == 2) {
                    assert_true(notes.moved > 0 && notes.straight == 0);
                    expect_sound(&mesh);
                }
                vvMeshDestroy(&mesh);
            }
        const double linear = error[0][0] / error[0][1], raised = error[1][0] / error[1][1];
        if (!(linear > 3.5 && linear < 4.5 && raised > 12 && raised < 20 && error[1][1] > 1e-7 &&
              error[1][1] < error[0][1] / 100))
            fail_msg("%s: linear %g, %g; order 2 %g, %g", s->generator, error[0][0], error[0][1], error[1][0],
                     error[1][1]);
    }
}

static double square(double x) { return x * x; }

static bool is_on(const char *generator, const double *v, const double *x)
{
    double off = 1;
    if (strcmp(generator, "ball") == 0 || strcmp(generator, "die") == 0) /* a die that is all rounding */
        off = sqrt(square(x[0]) + square(x[1]) + square(x[2])) - 0.5;
    else if (strcmp(generator, "torus") == 0)
        off = sqrt(square(hypot(x[0], x[2]) - v[0]) + square(x[1])) - v[1];
    return fabs(off) < 1e-12;
}

/* Every vertex of the surface, middles too; and inner middles stay in the middle. */
static void middles_lie_on_the_shape(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        vvRaiseNotes notes;
        if (!shapes[i].all)
            continue;
        vvMesh mesh = made(shapes[i].generator, shapes[i].coarse, true, &notes);
        for (int k = 0; k < 3 * mesh.triangleCount; k++)
            assert_true(is_on(shapes[i].generator, shapes[i].coarse, mesh.positions + 3 * (size_t)mesh.triangles[k]));
        int moved = 0;
        for (int v = 0; v < mesh.vertexCount; v++) {
            bool done = false;
            for (int t = 0; t < mesh.tet10Count && !done; t++)
                for (int e = 0; e < 6 && !done; e++) {
                    const int *n = mesh.tets10 + 10 * (size_t)t;
                    const double *a = mesh.positions + 3 * (size_t)n[vv_tet10_ends[e][0]];
                    const double *b = mesh.positions + 3 * (size_t)n[vv_tet10_ends[e][1]];
                    const double *x = mesh.positions + 3 * (size_t)v;
                    done = n[4 + e] == v;
                    moved += done && (x[0] != 0.5 * (a[0] + b[0]) || x[1] != 0.5 * (a[1] + b[1]) ||
                                      x[2] != 0.5 * (a[2] + b[2]));
                }
        }
        assert_int_equal(moved, notes.moved);
        vvMeshDestroy(&mesh);
    }
}

/* A cylinder's caps are flat, its rims are circles; a bowl's rim is a cone. */
static void rims_stay_rims(void **unused)
{
    (void)unused;
    vvMesh mesh = made("cylinder", shapes[1].coarse, true, NULL);
    int rim = 0;
    for (int v = 0; v < mesh.vertexCount; v++) {
        const double *x = mesh.positions + 3 * (size_t)v;
        const double out = hypot(x[0], x[2]);
        assert_true(fabs(x[1]) <= 0.5 && out <= 0.5 + 1e-12);
        rim += fabs(x[1]) == 0.5 && fabs(out - 0.5) < 1e-12;
    }
    assert_int_equal(rim, 2 * 24);
    vvMeshDestroy(&mesh);
    static const double open[5] = { 1, 0.5, 60, 4, 2 };
    mesh = made("bowl", open, true, NULL);
    rim = 0;
    for (int v = 0; v < mesh.vertexCount; v++) {
        const double *x = mesh.positions + 3 * (size_t)v;
        const double angle = atan2(hypot(x[0], x[2]), 1 - x[1]);
        assert_true(angle < PI / 3 + 1e-12);
        rim += fabs(angle - PI / 3) < 1e-12;
    }
    assert_int_equal(rim, 48 * 5);
    vvMeshDestroy(&mesh);
}

/* What is flat is raised as ever, to the bit. */
static void flat_shapes(void **unused)
{
    (void)unused;
    vvRaiseNotes notes = { 1, 1 };
    vvMesh box = made("box", NULL, true, &notes), other = made("box", NULL, false, NULL);
    assert_true(notes.moved == 0 && notes.straight == 0);
    assert_int_equal(vvMeshRaise(&other, NULL), VV_OK);
    assert_memory_equal(box.positions, other.positions, 3 * (size_t)box.vertexCount * sizeof(double));
    assert_memory_equal(box.tets10, other.tets10, 10 * (size_t)box.tet10Count * sizeof(int));
    vvMeshDestroy(&box);
    vvMeshDestroy(&other);
    vvError error = { 0 };
    assert_int_equal(generate_order2("cloth", NULL, &box, NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "cloth: order 2 is for tets"));
    assert_int_equal(box.vertexCount, 0);
    assert_int_equal(generate_order2("bal", NULL, &box, NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "did you mean \"ball\""));
}

/* The arc's middle goes through a thin wall: some stay straight, and nothing is inside out. */
static void thin_walls_stay_straight(void **unused)
{
    (void)unused;
    int last = 1 << 30;
    for (int k = 0; k < 3; k++) {
        static const double walls[3] = { 0.02, 0.1, 0.5 };
        vvRaiseNotes notes;
        const double values[5] = { 1, walls[k], 90, 4, 1 };
        vvMesh mesh = made("bowl", values, true, &notes);
        expect_sound(&mesh);
        assert_true(notes.straight < last && notes.moved > 0);
        last = notes.straight;
        vvMeshDestroy(&mesh);
    }
    assert_int_equal(last, 0);
}

/* ---- an original of triangles ----------------------------------------------------------------------------------- */

static void onto_a_surface(void **unused)
{
    (void)unused;
    static const double coarse[2] = { 0.5, 3 }, fine[2] = { 0.5, 12 };
    vvMesh mesh = made("ball", coarse, false, NULL), original = made("ball", fine, false, NULL);
    vvRaiseNotes notes;
    vvError error = { 0 };
    const double before = volume(&mesh), of_original = volume(&original), ball = 4 * PI / 3 * 0.125;
    original.tetCount = 0;
    assert_int_equal(vvMeshRaiseOnto(&mesh, &original, &notes, &error), VV_OK);
    assert_int_equal(notes.moved, 270); /* edges of the surface's 180 triangles */
    assert_int_equal(notes.straight, 0);
    const double after = volume(&mesh);
    assert_true(fabs(after / of_original - 1) < 3e-3 && after < ball &&
                of_original - before > 20 * fabs(of_original - after));
    expect_sound(&mesh);
    /* again: it stays as it is */
    assert_int_equal(vvMeshRaiseOnto(&mesh, &original, &notes, &error), VV_OK);
    assert_int_equal(notes.moved, 0);
    assert_true(volume(&mesh) == after);
    vvMeshDestroy(&mesh);
    vvMeshDestroy(&original);
}

/* What is not near the mesh's surface does not draw it. */
static void far_surfaces_are_left_alone(void **unused)
{
    (void)unused;
    static const double ball[2] = { 0.5, 3 }, far[2] = { 0.56, 3 };
    vvMesh mesh = made("ball", ball, false, NULL), raised = made("ball", ball, false, NULL),
           original = made("ball", far, false, NULL);
    vvRaiseNotes notes;
    vvError error = { 0 };
    assert_int_equal(vvMeshRaiseOnto(&mesh, &original, &notes, &error), VV_OK);
    assert_int_equal(notes.moved, 0);
    assert_int_equal(vvMeshRaise(&raised, &error), VV_OK);
    assert_memory_equal(mesh.positions, raised.positions, 3 * (size_t)mesh.vertexCount * sizeof(double));
    vvMesh none = { 0 };
    assert_int_equal(vvMeshRaiseOnto(&mesh, &none, NULL, &error), VV_ERROR_INPUT);
    assert_int_equal(vvMeshRaiseOnto(&mesh, NULL, NULL, &error), VV_ERROR_INPUT);
    original.triangles[4] = original.vertexCount;
    assert_int_equal(vvMeshRaiseOnto(&mesh, &original, NULL, &error), VV_ERROR_INPUT);
    original.triangles[4] = 0;
    original.triangleCount = 0;
    assert_int_equal(vvMeshRaiseOnto(&mesh, &original, NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "no triangles"));
    vvMeshDestroy(&mesh);
    vvMeshDestroy(&raised);
    vvMeshDestroy(&original);
}

static void out_of_memory(void **unused)
{
    (void)unused;
    static const double values[2] = { 0.5, 1 };
    vvMesh original = made("ball", values, false, NULL);
    for (int k = 0, done = 0; !done; k++) {
        vvMesh mesh;
        budget b = { .left = 1 << 30 };
        const vvAllocator before = vv_memory_use(budget_allocator(&b));
        assert_int_equal(vvMeshCopy(&original, &mesh, NULL), VV_OK);
        b.left = k;
        const vvStatus status = vvMeshRaiseOnto(&mesh, &original, NULL, NULL);
        assert_int_equal(status, b.left < 0 ? VV_ERROR_MEMORY : VV_OK);
        assert_int_equal(mesh.tet10Count, status == VV_OK ? original.tetCount : 0);
        vvMeshDestroy(&mesh);
        assert_int_equal(b.live, 0);
        vv_memory_use(before);
        done = status == VV_OK;
        assert_true(k < 1000);
    }
    vvMeshDestroy(&original);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volumes_converge),
        cmocka_unit_test(middles_lie_on_the_shape),
        cmocka_unit_test(rims_stay_rims),
        cmocka_unit_test(flat_shapes),
        cmocka_unit_test(thin_walls_stay_straight),
        cmocka_unit_test(onto_a_surface),
        cmocka_unit_test(far_surfaces_are_left_alone),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
