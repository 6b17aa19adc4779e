/* The thread's cancel function ends what is done to meshes wherever it is asked: nothing is left of it, it is not asked
 * again, and the same call goes through afterwards, to the same bits. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/mesh.h"
#include "mesh_support.h"
#include "short_memory.h"
#include "size.h"

typedef struct asked {
    long count, at;
    bool nested; /* generates a mesh each time */
} asked;

static bool answer(void *user)
{
    asked *a = user;
    if (a->nested) {
        vvMesh mesh;
        assert_int_equal(vvMeshGenerate("box", NULL, 0, &mesh, NULL), VV_OK);
        vvMeshDestroy(&mesh);
    }
    return ++a->count == a->at;
}

/* What is worked on: a solid, its surface alone, the same without a triangle, and the solid as a file. */
typedef struct given {
    vvMesh solid, surface, torn;
    double *weights;
    int *nodes;
} given;

static vvMesh surface_of(const vvMesh *solid, int without)
{
    const vvMesh shown = { .vertexCount = solid->vertexCount,
                           .positions = solid->positions,
                           .triangleCount = solid->triangleCount - without,
                           .triangles = solid->triangles };
    vvMesh copy;
    assert_int_equal(vvMeshCopy(&shown, &copy, NULL), VV_OK);
    assert_int_equal(vvMeshFinish(&copy, NULL, NULL), VV_OK);
    return copy;
}

static void prepare(given *g, int cells)
{
    const vvSetting settings[] = { { .name = "cells", .value = { cells, cells, cells } } };
    assert_int_equal(vvMeshGenerate("box", settings, 1, &g->solid, NULL), VV_OK);
    g->surface = surface_of(&g->solid, 0);
    g->torn = surface_of(&g->solid, 1);
    g->nodes = malloc(4 * (size_t)g->surface.vertexCount * sizeof *g->nodes);
    g->weights = malloc(4 * (size_t)g->surface.vertexCount * sizeof *g->weights);
    assert_int_equal(vvMeshWrite(&g->solid, scratch_file(".obj"), NULL, NULL), VV_OK);
    assert_int_equal(vvMeshWrite(&g->solid, scratch_file(".msh"), NULL, NULL), VV_OK);
}

static void clear(given *g)
{
    vvMeshDestroy(&g->solid);
    vvMeshDestroy(&g->surface);
    vvMeshDestroy(&g->torn);
    free(g->nodes);
    free(g->weights);
    remove(scratch_file(".obj"));
    remove(scratch_file(".msh"));
}

/* ---- the calls: each makes a mesh, or changes a copy of one ---- */

static vvStatus generate(const given *g, vvMesh *out, vvError *error)
{
    const int cells = g->solid.vertexCount > 10000 ? 32 : 6;
    const vvSetting settings[] = { { .name = "cells", .value = { cells, cells, cells } } };
    return vvMeshGenerate("box", settings, 1, out, error);
}

static vvStatus generate_order2(const given *g, vvMesh *out, vvError *error)
{
    const vvSetting settings[] = { { .name = "cells", .value = { g->solid.vertexCount > 10000 ? 12 : 3 } } };
    return vvMeshGenerateOrder2("ball", settings, 1, out, NULL, error);
}

static vvStatus read_surface(const given *g, vvMesh *out, vvError *error)
{
    (void)g;
    return vvMeshRead(scratch_file(".obj"), out, NULL, error);
}

static vvStatus read_solid(const given *g, vvMesh *out, vvError *error)
{
    (void)g;
    return vvMeshRead(scratch_file(".msh"), out, NULL, error);
}

static vvStatus finish(const given *g, vvMesh *out, vvError *error)
{
    (void)g;
    return vvMeshFinish(out, NULL, error);
}

static vvStatus raise_mesh(const given *g, vvMesh *out, vvError *error)
{
    (void)g;
    return vvMeshRaise(out, error);
}

static vvStatus raise_onto(const given *g, vvMesh *out, vvError *error)
{
    return vvMeshRaiseOnto(out, &g->surface, NULL, error);
}

static vvStatus close_holes(const given *g, vvMesh *out, vvError *error)
{
    (void)g;
    return vvMeshCloseHoles(out, 1, NULL, error);
}

static vvStatus fill(const given *g, vvMesh *out, vvError *error) { return vvMeshFill(&g->surface, 0.03, out, error); }

static vvStatus wrap(const given *g, vvMesh *out, vvError *error)
{
    vvFillDef def = vvDefaultFillDef();
    def.edge = 0.03, def.wrap = true;
    return vvMeshFillWith(&g->torn, &def, out, NULL, error);
}

static vvStatus check_surface(const given *g, vvMesh *out, vvError *error)
{
    vvSurfaceCheck check;
    const vvStatus status = vvMeshCheckSurface(&g->surface, &check, error);
    (void)out;
    assert_true(status == VV_OK ? check.sound : !check.marks);
    vvSurfaceCheckDestroy(&check);
    return status;
}

static vvStatus embed(const given *g, vvMesh *out, vvError *error)
{
    (void)out;
    return vvMeshEmbed(&g->solid, &g->surface, g->nodes, g->weights, NULL, error);
}

static vvStatus sample(const given *g, vvMesh *out, vvError *error)
{
    vvDistanceGrid grid;
    const vvStatus status = vvMeshSampleDistance(&g->surface, 0.02, 0, &grid, error);
    (void)out;
    assert_true((status == VV_OK) == (grid.samples != NULL));
    vvDistanceGridDestroy(&grid);
    return status;
}

enum { NOTHING, SOLID, TORN };
static const struct {
    const char *name;
    int from; /* of what the mesh is a copy to begin with */
    vvStatus (*act)(const given *g, vvMesh *mesh, vvError *error);
} calls[] = {
    { "generate", NOTHING, generate },
    { "generate order 2", NOTHING, generate_order2 },
    { "read a surface", NOTHING, read_surface },
    { "read a solid", NOTHING, read_solid },
    { "finish", SOLID, finish },
    { "raise", SOLID, raise_mesh },
    { "raise onto", SOLID, raise_onto },
    { "close holes", TORN, close_holes },
    { "fill", NOTHING, fill },
    { "wrap", NOTHING, wrap },
    { "check", NOTHING, check_surface },
    { "embed", NOTHING, embed },
    { "distances", NOTHING, sample },
};

static vvMesh start_of(const given *g, int from)
{
    vvMesh copy = { 0 };
    if (from != NOTHING)
        assert_int_equal(vvMeshCopy(from == SOLID ? &g->solid : &g->torn, &copy, NULL), VV_OK);
    return copy;
}

static void assert_same(const vvMesh *a, const vvMesh *b)
{
    assert_int_equal(a->vertexCount, b->vertexCount);
    assert_int_equal(a->tetCount, b->tetCount);
    assert_int_equal(a->tet10Count, b->tet10Count);
    assert_int_equal(a->triangleCount, b->triangleCount);
    if (a->vertexCount)
        assert_memory_equal(a->positions, b->positions, 3 * (size_t)a->vertexCount * sizeof(double));
    if (a->tetCount)
        assert_memory_equal(a->tets, b->tets, 4 * (size_t)a->tetCount * sizeof(int));
    if (a->triangleCount)
        assert_memory_equal(a->triangles, b->triangles, 3 * (size_t)a->triangleCount * sizeof(int));
}

/* At each of the moments at which it is asked, or at so many of them. */
static void end_anywhere(int cells, int most)
{
    budget memory = { .left = 1 << 30 };
    const vvAllocator counted = budget_allocator(&memory);
    given g;
    prepare(&g, cells);
    assert_int_equal(vvSetThreadAllocator(&counted, NULL), VV_OK);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        asked a = { 0 };
        vvError error;
        vvMesh wanted = start_of(&g, calls[i].from);
        vvSetThreadCancel(answer, &a);
        assert_int_equal(calls[i].act(&g, &wanted, &error), VV_OK);
        const long all = a.count;
        print_message("%s: asked %ld times\n", calls[i].name, all);
        assert_true(all > 0);
        for (long k = 1; k <= all; k += 1 + all / (all < 100 ? most : 3)) {
            vvSetThreadCancel(NULL, NULL);
            vvMesh before = start_of(&g, calls[i].from), mesh = start_of(&g, calls[i].from);
            const int live = memory.live;
            a = (asked){ 0, k, false };
            vvSetThreadCancel(answer, &a);
            assert_int_equal(calls[i].act(&g, &mesh, &error), VV_CANCELLED);
            assert_int_equal(error.status, VV_CANCELLED);
            assert_int_equal(a.count, k);
            assert_int_equal(memory.live, live);
            assert_same(&mesh, &before);
            assert_int_equal(calls[i].act(&g, &mesh, &error), VV_OK); /* the wish was fulfilled */
            assert_same(&mesh, &wanted);
            vvMeshDestroy(&mesh);
            vvMeshDestroy(&before);
        }
        vvMeshDestroy(&wanted);
    }
    vvSetThreadCancel(NULL, NULL);
    assert_int_equal(memory.live, 0);
    assert_int_equal(vvSetThreadAllocator(NULL, NULL), VV_OK);
    clear(&g);
}

static void small_meshes_at_each_moment(void **state)
{
    (void)state;
    end_anywhere(6, sanitized() ? 8 : 60);
}

/* Of more elements than a loop takes at a time. */
static void large_meshes(void **state)
{
    (void)state;
    if (!sanitized())
        end_anywhere(32, 3);
}

static long bytes_of(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long bytes = ftell(file);
    fclose(file);
    return bytes;
}

/* A file is read for a millisecond between two looks, whatever its format is. */
static void read_anywhere(const char *path, const char *format)
{
    asked a = { 0 };
    vvMesh wanted, mesh;
    vvError error;
    vvSetThreadCancel(answer, &a);
    assert_int_equal(vvMeshRead(path, &wanted, NULL, &error), VV_OK);
    const long all = a.count, bytes = bytes_of(path);
    print_message("%s: asked %ld times in %ld bytes\n", format, all, bytes);
    if (all < bytes / 100000)
        fail_msg("%s: asked %ld times in %ld bytes", format, all, bytes);
    for (long k = 1; k <= all; k += 1 + all / 23) {
        a = (asked){ 0, k, false };
        assert_int_equal(vvMeshRead(path, &mesh, NULL, &error), VV_CANCELLED);
        assert_int_equal(error.status, VV_CANCELLED);
        assert_int_equal(a.count, k);
    }
    assert_int_equal(vvMeshRead(path, &mesh, NULL, &error), VV_OK);
    assert_same(&mesh, &wanted);
    vvMeshDestroy(&mesh), vvMeshDestroy(&wanted);
    vvSetThreadCancel(NULL, NULL);
}

static void all_formats(void **state)
{
    (void)state;
    given g;
    int read = 0;
    if (sanitized())
        skip();
    prepare(&g, 28);
    for (int i = 0; vvMeshFormatInfo(i); i++) {
        const char *name = vvMeshFormatInfo(i)->name, *path = scratch_file(".any");
        if (vvMeshWrite(&g.solid, path, name, NULL) != VV_OK && vvMeshWrite(&g.surface, path, name, NULL) != VV_OK)
            continue;
        read_anywhere(path, name), read++;
        remove(path);
    }
    assert_true(read >= 10);
    clear(&g);
}

/* Nothing but what is skipped. */
static void comments_alone(void **state)
{
    (void)state;
    const char *path = scratch_file(".obj");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", file);
    for (int i = 0; i < 200000; i++)
        fputs(i % 2 ? "# nothing\n" : "vn 0 0 1\n", file);
    fclose(file);
    read_anywhere(path, "comments");
    remove(path);
}

static void it_may_use_the_library_itself(void **state)
{
    (void)state;
    asked a = { .nested = true };
    vvMesh mesh;
    vvSetThreadCancel(answer, &a);
    assert_int_equal(vvMeshGenerate("box", NULL, 0, &mesh, NULL), VV_OK);
    assert_true(a.count > 0);
    vvMeshDestroy(&mesh);
    vvSetThreadCancel(NULL, NULL);
    const long before = a.count;
    assert_int_equal(vvMeshGenerate("box", NULL, 0, &mesh, NULL), VV_OK);
    assert_int_equal(a.count, before);
    vvMeshDestroy(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_meshes_at_each_moment),
        cmocka_unit_test(large_meshes),
        cmocka_unit_test(all_formats),
        cmocka_unit_test(comments_alone),
        cmocka_unit_test(it_may_use_the_library_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
