/* Mesh files: every format round trip, the shared meshes, both byte orders, detection, OBJ's syntax. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "mesh/mesh.h"
#include "mesh_support.h"

#include <math.h>

static vvMesh read_text(const char *text, const char *ending)
{
    vvMesh mesh;
    vvError error;
    if (read_bytes(text, strlen(text), ending, &mesh, NULL, &error))
        fail_msg("%s", error.message);
    return mesh;
}

/* ---- round trips ------------------------------------------------------------------------------------------------- */

/* What a mesh becomes as OBJ: its surface, interior vertices dropped. */
static vvMesh surface_of(const vvMesh *mesh)
{
    vvMesh copy;
    assert_int_equal(vvMeshCopy(mesh, &copy, NULL), VV_OK);
    copy.tetCount = 0;
    assert_int_equal(vvMeshFinish(&copy, NULL, NULL), VV_OK);
    return copy;
}

static void round_trip(const vvMesh *mesh, const vv_format *format)
{
    vvMesh back, want;
    vvMeshNotes notes;
    vvError error;
    char ending[ENDING_LENGTH];
    const char *path = scratch_file(format_ending(format, ending)), *name = format->info.name;
    if (!format->write)
        return;
    if ((mesh->pointCount && takes_no_points(name)) || !holds(name, mesh)) {
        assert_int_equal(vvMeshWrite(mesh, path, name, &error), VV_ERROR_INPUT);
        assert_true(strstr(error.message, "points") || strstr(error.message, "triangles"));
        return;
    }
    if (vvMeshWrite(mesh, path, name, &error) || vvMeshRead(path, &back, &notes, &error))
        fail_msg("%s", error.message);
    assert_no_repair(&notes);
    if (is_surface_format(name))
        want = surface_of(mesh);
    else
        assert_int_equal(vvMeshCopy(mesh, &want, NULL), VV_OK);
    if (is_soup_format(name))
        assert_same_soup(&want, &back, strcmp(name, "stl-binary") == 0);
    else
        assert_same_mesh(&want, &back);
    vvMeshDestroy(&want);
    vvMeshDestroy(&back);
    remove(path);
}

static void generators_in_every_format(void **state)
{
    (void)state;
    const vvMeshGenerator *generator;
    const vv_format *format;
    for (int g = 0; (generator = vvMeshGeneratorInfo(g)); g++) {
        vvMesh mesh;
        assert_int_equal(vvMeshGenerate(generator->info.name, NULL, 0, &mesh, NULL), VV_OK);
        for (int f = 0; (format = vv_mesh_format(f)); f++)
            round_trip(&mesh, format);
        vvMeshDestroy(&mesh);
    }
}

typedef struct shared_mesh {
    const char *name;
    int vertices, tets, triangles, below10;
    double volume, low, high, aspect, shortest, mean; /* m^3, degrees, mm */
} shared_mesh;

/* The table of the meshes' README: measured there by other programs. */
static const shared_mesh shared[] = {
    { "koala_1k", 1034, 2955, 1850, 0, 0.000571, 14.1, 151.8, 6.3, 4.25, 8.04 },
    { "bunny_1k8", 1819, 5707, 3088, 0, 0.003116, 10.8, 153.8, 6.6, 6.58, 10.45 },
    { "spot_2k4", 2448, 8300, 3798, 0, 0.001952, 11.1, 151.1, 5.7, 4.88, 8.25 },
    { "bunny_4k5", 4548, 14848, 7448, 0, 0.003126, 12.3, 154.9, 6.7, 4.22, 6.79 },
    { "armadillo_5k", 5171, 19812, 6786, 0, 0.008536, 14.9, 152.9, 5.4, 6.14, 11.65 },
    { "cactus_5k", 5351, 17269, 9056, 0, 0.001624, 11.9, 161.2, 9.4, 3.48, 5.85 },
    { "bunny_7k", 6937, 19075, 13126, 220, 0.003135, 5.6, 169.2, 18.6, 2.36, 5.13 },
    { "octopus_7k5", 7731, 30306, 9774, 0, 0.001750, 14.4, 154.4, 6.7, 3.30, 5.90 },
    { "demosthenes_18k", 17802, 72890, 21630, 0, 0.002779, 13.1, 157.1, 6.6, 1.71, 3.96 },
    { "armadillo_28k", 28599, 110283, 38230, 0, 0.008577, 13.8, 154.2, 7.4, 2.42, 4.98 },
    { "bunny_35k", 34587, 122409, 52128, 3, 0.003130, 9.4, 160.8, 9.6, 1.36, 2.59 },
};

static void assert_near(double got, double want, double unit)
{
    if (fabs(got - want) > 0.501 * unit)
        fail_msg("%g instead of %g", got, want);
}

/* The .obj beside it is the boundary of the .msh, with the first vertices in the same order. */
static void check_obj(const char *name, const vvMesh *solid)
{
    vvMesh m, again;
    vvMeshNotes notes;
    assert_int_equal(vvMeshRead(mesh_file(name, "obj"), &m, &notes, NULL), VV_OK);
    assert_no_repair(&notes);
    assert_int_equal(m.triangleCount, solid->triangleCount);
    assert_memory_equal(m.positions, solid->positions, (size_t)m.vertexCount * 3 * sizeof(double));
    again = surface_of(solid);
    assert_int_equal(again.vertexCount, m.vertexCount);
    assert_true(fabs(surface_det(&m) / surface_det(solid) - 1) < 1e-12);
    vvMeshDestroy(&again);
    vvMeshDestroy(&m);
}

static void shared_meshes(void **state)
{
    (void)state;
    if (!have_meshes())
        skip();
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        const shared_mesh *s = &shared[i];
        vvMesh m;
        vvMeshNotes notes;
        vvMeshQuality q;
        assert_int_equal(vvMeshRead(mesh_file(s->name, "msh"), &m, &notes, NULL), VV_OK);
        assert_no_repair(&notes);
        assert_int_equal(notes.components, 1);
        assert_int_equal(notes.openEdges, 0);
        assert_int_equal(m.vertexCount, s->vertices);
        assert_int_equal(m.tetCount, s->tets);
        assert_int_equal(m.triangleCount, s->triangles);
        vvMeshMeasure(&m, &q);
        assert_near(q.volume, s->volume, 1e-6);
        assert_near(q.minDihedral, s->low, 0.1);
        assert_near(q.maxDihedral, s->high, 0.1);
        assert_near(q.worstAspect, s->aspect, 0.1);
        assert_true(1e3 * q.shortestEdge > s->shortest - 0.005); /* there: of all edges */
        assert_near(1e3 * q.meanEdge, s->mean, 0.01);
        assert_int_equal(q.tetsBelow10Degrees, s->below10);
        check_obj(s->name, &m);
        if (m.tetCount < 20000)
            for (int f = 0; vv_mesh_format(f); f++)
                round_trip(&m, vv_mesh_format(f));
        vvMeshDestroy(&m);
    }
}

static void meshes_of_the_comparison(void **state)
{
    (void)state;
    if (!have_meshes())
        skip();
    static const shared_mesh meshes[] = {
        { .name = "sphere1K", .vertices = 1760, .tets = 6851, .triangles = 2474 },
        { .name = "torus", .vertices = 200, .tets = 491, .triangles = 400 },
        { .name = "mat40x40", .vertices = 3200, .tets = 9126, .triangles = 6396 },
        { .name = "Armadillo13K", .vertices = 13230, .tets = 54985, .triangles = 17296 },
    };
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++) {
        char path[600];
        vvMesh m;
        vvMeshNotes notes;
        snprintf(path, sizeof path, "ipc/%s", meshes[i].name);
        assert_int_equal(vvMeshRead(mesh_file(path, "msh"), &m, &notes, NULL), VV_OK);
        assert_no_repair(&notes);
        assert_int_equal(m.vertexCount, meshes[i].vertices);
        assert_int_equal(m.tetCount, meshes[i].tets);
        assert_int_equal(m.triangleCount, meshes[i].triangles);
        vvMeshDestroy(&m);
    }
}

/* ---- Gmsh -------------------------------------------------------------------------------------------------------- */

typedef struct bytes {
    char data[2048];
    size_t size;
} bytes;

static void put_text(bytes *b, const char *text)
{
    memcpy(b->data + b->size, text, strlen(text));
    b->size += strlen(text);
}

/* `size` bytes in the order asked for. */
static void put_raw(bytes *b, const void *value, size_t size, int big)
{
    uint16_t one = 1;
    int host_big = *(unsigned char *)&one == 0;
    for (size_t i = 0; i < size; i++)
        b->data[b->size++] = ((const char *)value)[big != host_big ? size - 1 - i : i];
}

static void put_int(bytes *b, int32_t v, int big) { put_raw(b, &v, sizeof v, big); }
static void put_size(bytes *b, int64_t v, int big) { put_raw(b, &v, sizeof v, big); }
static void put_double(bytes *b, double v, int big) { put_raw(b, &v, sizeof v, big); }

static const double corners[4][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
static const int64_t tags[4] = { 70, 3000000000, 5, 12 }; /* sparse and unordered; 4.1 only above 2^31 */

static bytes binary2(int big)
{
    bytes b = { .size = 0 };
    put_text(&b, "$MeshFormat\n2.2 1 8\n");
    put_int(&b, 1, big);
    put_text(&b, "\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"jelly\"\n$EndPhysicalNames\n$Nodes\n4\n");
    for (int v = 0; v < 4; v++) {
        put_int(&b, v == 1 ? 300 : (int)tags[v], big);
        for (int k = 0; k < 3; k++)
            put_double(&b, corners[v][k], big);
    }
    put_text(&b, "\n$EndNodes\n$Elements\n3\n");
    const int32_t elements[] = {
        15, 1, 2, 1, 9, 9, 70, 4, 2, 3, 2, 7, 8, 9, 70, 300, 5, 12, 3, 7, 8, 9, 300, 70, 5, 12
    };
    for (size_t i = 0; i < 18; i++)
        put_int(&b, i == 8 ? 1 : elements[i], big);
    /* a block of points, a block of one tet, and an edge */
    const int32_t edge[] = { 1, 1, 0, 4, 70, 12 };
    for (size_t i = 0; i < 6; i++)
        put_int(&b, edge[i], big);
    put_text(&b, "\n$EndElements\n");
    return b;
}

static bytes binary4(int big)
{
    bytes b = { .size = 0 };
    put_text(&b, "$MeshFormat\n4.1 1 8\n");
    put_int(&b, 1, big);
    put_text(&b, "\n$EndMeshFormat\n$Nodes\n");
    const int64_t head[] = { 2, 4, 5, 3000000000 }, elements[] = { 3, 3, 1, 3 };
    for (int i = 0; i < 4; i++)
        put_size(&b, head[i], big);
    for (int block = 0; block < 2; block++) { /* the first block is parametric: two parameters a node of a surface */
        put_int(&b, block ? 3 : 2, big);
        put_int(&b, 1, big);
        put_int(&b, !block, big);
        put_size(&b, 2, big);
        put_size(&b, tags[2 * block], big);
        put_size(&b, tags[2 * block + 1], big);
        for (int v = 2 * block; v < 2 * block + 2; v++)
            for (int k = 0; k < (block ? 3 : 5); k++)
                put_double(&b, k < 3 ? corners[v][k] : 0.5, big);
    }
    put_text(&b, "\n$EndNodes\n$Elements\n");
    for (int i = 0; i < 4; i++)
        put_size(&b, elements[i], big);
    static const int64_t list[3][8] = { { 15, 1, 1, 70 }, { 4, 4, 2, 70, 3000000000, 5, 12 }, { 1, 2, 3, 70, 12 } };
    for (int e = 0; e < 3; e++) {
        put_int(&b, 3, big);
        put_int(&b, 1, big);
        put_int(&b, (int)list[e][0], big);
        put_size(&b, 1, big);
        for (int i = 0; i <= list[e][1]; i++)
            put_size(&b, list[e][2 + i], big);
    }
    put_text(&b, "\n$EndElements\n$NodeData\nwhatever\n$EndNodeData\n");
    return b;
}

static void both_byte_orders(void **state)
{
    (void)state;
    for (int version = 2; version <= 4; version += 2)
        for (int big = 0; big < 2; big++) {
            bytes b = version == 2 ? binary2(big) : binary4(big);
            vvMesh m;
            vvError error;
            if (read_bytes(b.data, b.size, ".msh", &m, NULL, &error))
                fail_msg("%s", error.message);
            assert_int_equal(m.vertexCount, 4);
            assert_int_equal(m.tetCount, 1);
            assert_int_equal(m.edgeCount, 1);
            assert_memory_equal(m.positions, corners, sizeof corners);
            assert_memory_equal(m.tets, ((int[]){ 0, 1, 2, 3 }), 4 * sizeof(int));
            assert_memory_equal(m.edges, ((int[]){ 0, 3 }), 2 * sizeof(int));
            vvMeshDestroy(&m);
            /* no cut of it is accepted, except in the section that does not matter */
            for (size_t cut = 0; cut < b.size - (version == 4 ? 33 : 1); cut++) {
                assert_int_not_equal(read_bytes(b.data, cut, ".msh", &m, NULL, &error), VV_OK);
                assert_null(m.positions);
            }
        }
}

static void gmsh_text_in_other_dress(void **state)
{
    (void)state;
    /* CRLF, comments before, unknown sections between, sparse tags, extra element tags, a byte order mark, blank lines
     */
    vvMesh m = read_text(
        "\xef\xbb\xbf$Comments\r\nhello $Nodes\r\n$EndComments\r\n$MeshFormat\r\n2.2 0 8\r\n$EndMeshFormat\r\n"
        "$Foo\r\n1 2 3\r\n$EndFoo\r\n$Nodes\r\n4\r\n10 0 0 0\r\n30 1 0 0\r\n\r\n20 0 1 0\r\n 7\t0 0 1 \r\n"
        "$EndNodes\r\n$Elements\r\n3\r\n1 15 0 10\r\n2 4 4 1 1 1 0 10 30 20 7\r\n3 2 2 0 1 10 20 30\r\n"
        "$EndElements\r\n$Surface\r\n1\r\n$EndSurface",
        ".txt");
    assert_int_equal(m.tetCount, 1);
    assert_int_equal(m.triangleCount, 4);
    assert_memory_equal(m.positions, corners, sizeof corners);
    vvMeshDestroy(&m);
    m = read_text(
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n$EndEntities\n$Nodes\n2 4 1 9\n2 1 1 1\n9\n"
        "0 0 1 0.5 0.5\n3 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n$EndNodes\n$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 9 \n"
        "$EndElements\n",
        ".msh");
    assert_int_equal(m.tetCount, 1);
    assert_true(m.positions[2] == 1);
    vvMeshDestroy(&m);
}

/* Gmsh itself reads what is written here, and what it writes is read, in all four dresses; where it is installed. */
static void gmsh_agrees(void **state)
{
    (void)state;
    static const char *const written[] = { "msh2", "msh2-binary", "msh4", "msh4-binary" };
    static const char *const options[] = { "-format msh22", "-format msh22 -bin", "-format msh41",
                                           "-format msh41 -bin" };
    if (system("command -v gmsh >/dev/null 2>&1") != 0) {
        print_message("skipped: gmsh is not installed\n");
        skip();
    }
    for (int i = 0; i < 8; i++) {
        vvMesh mesh, back;
        vvMeshNotes notes;
        vvError error;
        char path[512], other[600], command[1400];
        snprintf(path, sizeof path, "%s", scratch_file(".msh"));
        snprintf(other, sizeof other, "%s.back.msh", path);
        snprintf(command, sizeof command, "gmsh -v 1 '%s' -save -o '%s' %s >/dev/null 2>&1", path, other,
                 options[i % 4]);
        assert_int_equal(vvMeshGenerate(i < 4 ? "die" : "cloth", NULL, 0, &mesh, NULL), VV_OK);
        assert_int_equal(vvMeshWrite(&mesh, path, written[(i + i / 4) % 4], NULL), VV_OK);
        assert_int_equal(system(command), 0);
        if (vvMeshRead(other, &back, &notes, &error))
            fail_msg("%s: %s", command, error.message);
        assert_no_repair(&notes);
        assert_int_equal(back.vertexCount, mesh.vertexCount);
        assert_int_equal(back.edgeCount, mesh.edgeCount);
        assert_memory_equal(back.tets, mesh.tets, (size_t)mesh.tetCount * 4 * sizeof(int));
        assert_memory_equal(back.triangles, mesh.triangles, (size_t)mesh.triangleCount * 3 * sizeof(int));
        for (int k = 0; k < 3 * mesh.vertexCount; k++)
            assert_true(fabs(back.positions[k] - mesh.positions[k]) < 1e-15);
        vvMeshDestroy(&mesh);
        vvMeshDestroy(&back);
        remove(path);
        remove(other);
    }
}

/* ---- detection --------------------------------------------------------------------------------------------------- */

static void content_comes_before_the_ending(void **state)
{
    (void)state;
    vvMesh m = read_text("# a comment\n\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", ".msh");
    assert_int_equal(m.triangleCount, 1);
    vvMeshDestroy(&m);
    m = read_text(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n$Elements\n1\n"
        "1 2 0 1 2 3\n$EndElements\n",
        ".obj");
    assert_int_equal(m.triangleCount, 1);
    vvMeshDestroy(&m);
}

static void writing_is_refused(void **state)
{
    (void)state;
    vvMesh mesh;
    vvError error;
    assert_int_equal(vvMeshGenerate("box", NULL, 0, &mesh, NULL), VV_OK);
    const char *path = scratch_file(".out");
    assert_int_equal(vvMeshWrite(&mesh, path, "msh3", &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "there are: msh2, msh2-binary, msh4, msh4-binary, "));
    assert_int_equal(vvMeshWrite(&mesh, path, NULL, &error), VV_ERROR_INPUT);
    assert_int_equal(vvMeshWrite(&mesh, "/nowhere/at/all.msh", "msh2", &error), VV_ERROR_IO);
    assert_non_null(strstr(error.message, "/nowhere/at/all.msh"));
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(vvMeshWrite(&mesh, "/dev/full", "msh2", &error), VV_ERROR_IO);
        assert_int_equal(access("/dev/full", F_OK), 0);
    }
    mesh.positions[5] = NAN;
    assert_int_equal(vvMeshWrite(&mesh, path, "msh2", &error), VV_ERROR_INPUT);
    mesh.positions[5] = 0;
    mesh.tets[0] = mesh.vertexCount;
    assert_int_equal(vvMeshWrite(&mesh, path, "msh2", &error), VV_ERROR_INPUT);
    assert_int_not_equal(access(path, F_OK), 0);
    vvMeshDestroy(&mesh);
    const char *obj = scratch_file(".obj"); /* by its ending */
    assert_int_equal(vvMeshGenerate("cloth", NULL, 0, &mesh, NULL), VV_OK);
    assert_int_equal(vvMeshWrite(&mesh, obj, NULL, &error), VV_OK);
    remove(obj);
    vvMeshDestroy(&mesh);
}

/* ---- OBJ -----------------------------------------------------------------------------------------------------------
 */

static void obj_syntax(void **state)
{
    (void)state;
    vvMesh m =
        read_text("mtllib a.mtl\no thing\nv 0 0 0 1.0\nv 1 0 0 0.5 0.5 0.5\r\nv 1 1 \\\n 0 # far\nvt 0 0\nvn 0 0 1\n"
                  "f 1/1/1 2/1 -1//1\nv 0 1 0\nv 0 0 5\nv 1 0 5\nv 2 0 5\nf 1 3 \\\r\n4\ns off\nusemtl x\nl 5/1 6 7\n"
                  "p 1\ng a b",
                  ".obj");
    assert_int_equal(m.vertexCount, 7);
    assert_int_equal(m.triangleCount, 2);
    assert_memory_equal(m.triangles, ((int[]){ 0, 1, 2, 0, 2, 3 }), 6 * sizeof(int));
    assert_memory_equal(m.edges, ((int[]){ 4, 5, 5, 6 }), 4 * sizeof(int));
    vvMeshDestroy(&m);
    /* comments without a blank before, and the old name of f */
    m = read_text("v 0 0 0#a\nv 1 0 0 # b\nv 0 1 0\nv 1 1 0\nf 1 2 3#c\nfo 2 4 3\n", ".obj");
    assert_int_equal(m.triangleCount, 2);
    vvMeshDestroy(&m);
    /* faces may come before their vertices */
    m = read_text("f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n", ".obj");
    assert_int_equal(m.triangleCount, 1);
    vvMeshDestroy(&m);
}

static double flat_area(const vvMesh *m)
{
    vvMeshQuality q;
    vvMeshMeasure(m, &q);
    return q.area;
}

static void obj_polygons(void **state)
{
    (void)state;
    vvMesh m = read_text("v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nf 1 2 3 4\n", ".obj");
    assert_int_equal(m.triangleCount, 2);
    assert_true(fabs(flat_area(&m) - 4) < 1e-12);
    vvMeshDestroy(&m);
    /* neighbouring corners at one place are one, whether they have one number or two */
    m = read_text("v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 0 0 0\nf 1 2 2 3\nf 1 3 4 5\n", ".obj");
    assert_int_equal(m.triangleCount, 2);
    assert_int_equal(m.vertexCount, 4);
    assert_true(fabs(flat_area(&m) - 4) < 1e-12);
    vvMeshDestroy(&m);
    /* a dart: only one of the diagonals lies inside */
    m = read_text("v 0 0 0\nv 2 1 0\nv 0 2 0\nv 1 1 0\nf 1 2 3 4\n", ".obj");
    assert_true(fabs(flat_area(&m) - 1) < 1e-12);
    vvMeshDestroy(&m);
    /* a comb of three teeth, from any of its corners, both ways round */
    static const double comb[12][2] = { { 0, 0 }, { 5, 0 }, { 5, 3 }, { 4, 3 }, { 4, 1 }, { 3, 1 },
                                        { 3, 3 }, { 2, 3 }, { 2, 1 }, { 1, 1 }, { 1, 3 }, { 0, 3 } };
    for (int start = 0; start < 12; start++)
        for (int way = -1; way <= 1; way += 2) {
            char text[1024];
            int n = 0;
            for (int i = 0; i < 12; i++)
                n += snprintf(text + n, sizeof text - (size_t)n, "v %g 0 %g\n", comb[i][0], comb[i][1]);
            n += snprintf(text + n, sizeof text - (size_t)n, "f");
            for (int i = 0; i < 12; i++)
                n += snprintf(text + n, sizeof text - (size_t)n, " %d", (start + way * i + 24) % 12 + 1);
            snprintf(text + n, sizeof text - (size_t)n, "\n");
            m = read_text(text, ".obj");
            assert_int_equal(m.triangleCount, 10);
            assert_true(fabs(flat_area(&m) - 11) < 1e-12);
            for (int t = 0; t < 10; t++) { /* all the same way up */
                const double *a = m.positions + 3 * m.triangles[3 * t], *b = m.positions + 3 * m.triangles[3 * t + 1];
                const double *c = m.positions + 3 * m.triangles[3 * t + 2];
                assert_true(way * ((b[0] - a[0]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[0] - a[0])) > 0);
            }
            vvMeshDestroy(&m);
        }
}

/* 1000 corners, every second one at a distance of `inner`: convex, or a star whose corners do not see each other. */
static void obj_large_polygons(void **state)
{
    (void)state;
    for (double inner = 1; inner > 0.4; inner -= 0.5) {
        const double step = 0.0062831853071795865;
        char *text = malloc(100000);
        int n = 0;
        for (int i = 0; i < 1000; i++) {
            double r = i % 2 ? inner : 1;
            n += sprintf(text + n, "v %.12f %.12f 0\n", r * cos(i * step), r * sin(i * step));
        }
        n += sprintf(text + n, "f");
        for (int i = 1; i <= 1000; i++)
            n += sprintf(text + n, " %d", i);
        vvMesh m = read_text(text, ".obj");
        assert_int_equal(m.triangleCount, 998);
        assert_true(fabs(flat_area(&m) - 500 * inner * sin(step)) < 1e-7);
        vvMeshDestroy(&m);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generators_in_every_format),
        cmocka_unit_test(shared_meshes),
        cmocka_unit_test(meshes_of_the_comparison),
        cmocka_unit_test(both_byte_orders),
        cmocka_unit_test(gmsh_text_in_other_dress),
        cmocka_unit_test(gmsh_agrees),
        cmocka_unit_test(content_comes_before_the_ending),
        cmocka_unit_test(writing_is_refused),
        cmocka_unit_test(obj_syntax),
        cmocka_unit_test(obj_polygons),
        cmocka_unit_test(obj_large_polygons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
