/* Broken mesh files: each gives one message with its place, nothing crashes, nothing leaks. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "mesh/mesh.h"
#include "mesh_samples.h"
#include "mesh_support.h"
#include "positional.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>

/* ---- memory that runs out ---------------------------------------------------------------------------------------- */

static long allocations_left = -1; /* -1: no limit */

/* Takes the place of the C library's, which vv_alloc calls. */
void *aligned_alloc(size_t alignment, size_t size)
{
    void *p = NULL;
    if (allocations_left == 0)
        return NULL;
    if (allocations_left > 0)
        allocations_left--;
    return posix_memalign(&p, alignment, size) ? NULL : p;
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static void refuse_bytes(const char *data, size_t size, const char *ending, const char *text)
{
    vvMesh mesh;
    vvError error = { 0 };
    vvStatus status = read_bytes(data, size, ending, &mesh, NULL, &error);
    if (status != VV_ERROR_INPUT || !strstr(error.message, text))
        fail_msg("status %d, message '%s' without '%s'", status, error.message, text);
    assert_int_equal(error.status, status);
    assert_true(mesh.vertexCount == 0 && !mesh.positions && !mesh.tets && !mesh.triangles && !mesh.edges);
    for (const char *c = error.message; *c; c++) /* nothing that could upset a terminal */
        assert_true(*c >= 32 && *c < 127);
}

#define HEAD2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define NODES2 HEAD2 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
#define HEAD4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES4 HEAD4 "$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n"
#define OBJ3 "v 0 0 0\nv 1 0 0\nv 0 1 0\n"

typedef struct hostile {
    const char *ending, *text, *message;
} hostile;

static const hostile files[] = {
    { ".msh", "", "the file is empty" },
    { ".obj", "", "the file is empty" },
    { ".msh", "hello world\n", ":1: found 'hello' where a section such as $Nodes is needed" },
    { ".xyz", "hello world\n", "neither its content nor its ending" },
    { ".msh", "$Nodes\n", ":1: found '$Nodes' where $MeshFormat is needed" },
    { ".msh", "$MeshFormat\n4 0 8\n$EndMeshFormat\n", ":2: Gmsh format version '4' is not read here; 2.2 and 4.1 are" },
    { ".txt", "$MeshFormat\n1.0 0 8\n$EndMeshFormat\n", "Gmsh format version '1.0'" },
    { ".msh", "$NOD\n1\n1 0 0 0\n$ENDNOD\n", ":1: Gmsh format version 1 is not read here" },
    { ".msh", HEAD2 "$ParametricNodes\n0\n$EndParametricNodes\n", ":4: $ParametricNodes are not read, only $Nodes" },
    { ".msh", "$MeshFormat\n2.2 2 8\n$EndMeshFormat\n", ":2: file type 2 is unknown" },
    { ".msh", "$MeshFormat\n2.2 1 4\n$EndMeshFormat\n", "binary data of size 4" },
    { ".msh", "$MeshFormat\n2.2 1 8\n\x02\x02\x02\x02",
      "byte 20: found 33686018 where the integer 1 shows the byte order" },
    { ".msh", "$MeshFormat\n2.2 0 8\n", "the file ends where $EndMeshFormat is needed" },
    { ".msh", HEAD2, "the file ends without $Nodes" },
    { ".msh", NODES2, "the file ends without $Elements" },
    { ".msh", HEAD2 "$Elements\n0\n$EndElements\n", ":4: $Elements comes before $Nodes" },
    { ".msh", HEAD2 "$Nodes\n0\n$EndNodes\n$Elements\n0\n$EndElements\n", "the mesh has no vertices" },
    { ".msh", NODES2 "$Elements\n0\n$EndElements\n", "has 4 vertices but no tets, triangles, edges or points" },
    { ".msh", HEAD2 "$Nodes\n1099511627776\n1 0 0 0\n", ":5: the number of nodes is 1099511627776, but only" },
    { ".msh", HEAD2 "$Nodes\n-3\n", ":5: the number of nodes is -3" },
    { ".msh", HEAD2 "$Nodes\nmany\n", ":5: found 'many' where the number of nodes, an integer, is needed" },
    { ".msh", HEAD2 "$Nodes\n99999999999999999999\n", "found '99999999999999999999'" },
    { ".msh", HEAD2 "$Nodes\n2\n1 0 0 0\n1 1 0 0\n$EndNodes\n", "node number 1 occurs twice (line 6 and line 7)" },
    { ".msh", HEAD2 "$Nodes\n1\n-1 0 0 0\n$EndNodes\n", ":6: node number -1 is negative" },
    { ".msh", HEAD2 "$Nodes\n1\n1 0 nan 0\n$EndNodes\n",
      ":6: found 'nan' where the y coordinate, a finite number, is needed" },
    { ".msh", HEAD2 "$Nodes\n1\n1 0 0 1e999\n$EndNodes\n", ":6: found '1e999' where the z coordinate" },
    { ".msh", HEAD2 "$Nodes\n1\n1 0 0 1e200\n$EndNodes\n$Elements\n1\n1 15 0 1\n$EndElements\n",
      ":6: vertex 0 has z = 1e+200" },
    { ".msh", HEAD2 "$Nodes\n1\n1 0 0\n$EndNodes\n", ":6: the line ends where the z coordinate is needed" },
    { ".msh", HEAD2 "$Nodes\n1\n1 0 0 0 0\n$EndNodes\n", ":6: found '0' where the line should end" },
    { ".msh", HEAD2 "$Nodes\n1\n1 0 0,5 0\n$EndNodes\n", ":6: found '0,5'" },
    { ".msh", HEAD2 "$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes\n", ":7: found '2' where $EndNodes is needed" },
    { ".msh", NODES2 "$Nodes\n", ":11: a second $Nodes section" },
    { ".msh", NODES2 "$Elements\n1\n1 4 2 0 1 1 2 3 5\n$EndElements\n",
      ":13: element 1 refers to node 5, which is not among the 4" },
    { ".msh", NODES2 "$Elements\n1\n1 4 2 0 1 1 2 3\n$EndElements\n",
      ":13: the line ends where a node number is needed" },
    { ".msh", NODES2 "$Elements\n1\n1 5 0 1 2 3 4 1 2 3 4\n", ":13: element 1 is of type 5 (8-node hexahedron)" },
    { ".msh", NODES2 "$Elements\n1\n1 11 0 1 2 3 4\n", ":13: the line ends where a node number is needed" },
    { ".msh", NODES2 "$Elements\n1\n1 12 0 1 2 3 4\n", "type 12 (27-node (second order) hexahedron)" },
    { ".msh", NODES2 "$Elements\n1\n1 -4 0 1 2 3 4\n", "type -4 (an element of unknown kind)" },
    { ".msh", NODES2 "$Elements\n1\n1 4 -1 1 2 3 4\n", "the number of tags is negative" },
    { ".msh", NODES2 "$Elements\n1\n1 4 2000000000 1 2 3 4\n", ":13: the line ends where a tag is needed" },
    { ".msh", NODES2 "$Elements\n1\n1 4 0 1 2 3 3\n$EndElements\n", ":13: tet 0 has two corners at one vertex" },
    { ".msh", NODES2 "$Elements\n2\n1 4 0 1 2 3 4\n2 4 0 4 3 2 1\n$EndElements\n",
      ":14: tet 1 has the same four vertices as tet 0" },
    { ".msh",
      HEAD2 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n$EndNodes\n$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n",
      ":13: tet 0 has no volume" },
    { ".msh", NODES2 "$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n$Surface\n1\n", "section '$Surface' has no end" },
    { ".msh", NODES2 "$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\nrubbish\n", ":15: found 'rubbish'" },
    { ".msh", HEAD4 "$Nodes\n1 4 1 4\n3 1 0 5\n1\n2\n3\n4\n5\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n",
      ":6: a block of 5 nodes; 4 are left" },
    { ".msh", HEAD4 "$Nodes\n1 4 1 4\n4 1 0 4\n1\n2\n3\n4\n5\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n",
      ":6: a block of dimension 4" },
    { ".msh", HEAD4 "$Nodes\n1 4 1 4\n3 1 2 4\n1\n2\n3\n4\n5\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n",
      ":6: the parametric flag of a block is 2; 0 to 1 are allowed" },
    { ".msh", HEAD4 "$Nodes\n1 4611686018427387904 1 4\n3 1 0 4\n", "the number of nodes is 4611686018427387904" },
    { ".msh", HEAD4 "$Nodes\n9223372036854775807 1 1 1\n", "the number of blocks is 9223372036854775807" },
    { ".msh", HEAD4 "$Nodes\n1 4 1 4\n3 1 0 -9223372036854775807\n1\n2\n3\n4\n0 0 0\n",
      ":6: a block of -9223372036854775807 nodes" },
    { ".msh", HEAD4 "$Nodes\n1 2 1 4\n3 1 0 1\n1\n0 0 0\n$EndNodes\n", "the blocks hold 1 nodes fewer" },
    { ".msh", HEAD4 "$Nodes\n1 2 1 2\n3 1 0 2\n5\n5\n0 0 0\n1 1 1\n$EndNodes\n", "node number 5 occurs twice" },
    { ".msh", NODES4 "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4 5\n$EndElements\n",
      ":19: found '5' where the line should end" },
    { ".msh", NODES4 "$Elements\n1 1 1 1\n2 1 3 1\n1 1 2 3 4\n$EndElements\n", "type 3 (4-node quadrangle)" },
    { ".msh", NODES4 "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 9\n$EndElements\n", ":19: element 1 refers to node 9" },
    { ".obj", "\n# nothing\n\n", "the mesh has no vertices" },
    { ".obj", "v 0 0\n", ":1: a vertex with 2 numbers" },
    { ".obj", "v 0 0 zero\n", ":1: found 'zero' where the z coordinate" },
    { ".obj", "v 0 0 inf\n", ":1: found 'inf'" },
    { ".obj", "v 0 0 1e99\n", ":1: found '1e99'" },
    { ".obj", "v 0 0 -1.#IND\n", ":1: found '-1.#IND' where the z coordinate" },
    { ".obj", "v 1 2 3 4 5 6 7 8\n", "more than 7 numbers" },
    { ".obj", OBJ3 "f 1 2\n", ":4: a face with 2 corners" },
    { ".obj", OBJ3 "l 1\n", ":4: a line with 1 corners" },
    { ".obj", OBJ3 "f 1 2 4\n", ":4: vertex index 4; the file has 3 vertices" },
    { ".obj", OBJ3 "f 1 2 0\n", ":4: vertex index 0 after 3 vertices" },
    { ".obj", OBJ3 "f 1 2 -4\n", ":4: vertex index -4 after 3 vertices" },
    { ".obj", OBJ3 "f 1 2 3000000000\n", ":4: vertex index 3000000000" },
    { ".obj", OBJ3 "f 1 2 3.5\n", ":4: found '3.5' where a vertex index" },
    { ".obj", OBJ3 "f 1/x 2 3\n", ":4: found '1/x'" },
    { ".obj", OBJ3 "f 1/1/1/1 2 3\n", ":4: found '1/1/1/1'" },
    { ".obj", OBJ3 "f 1 2 2\n", ":4: no triangle of 1 has an area" },
    { ".obj", OBJ3 "l 3 9\n", ":4: vertex index 9; the file has 3 vertices" },
    { ".obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", ":4: no triangle of 1 has an area" },
    { ".obj", OBJ3 "curv 0 1 1 2\n", ":4: found 'curv' where an OBJ keyword is needed" },
    { ".obj", OBJ3 "f 1 2 3 \\ 4\n", ":4: found '\\'" },
    { ".obj", "vn 0 0 1\n", "the mesh has no vertices" },
    { ".seg", OBJ3 "s 1 2 3\n", ":4: a segment with 3 vertices" },
};

static void each_file_gives_its_message(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        refuse_bytes(files[i].text, strlen(files[i].text), files[i].ending, files[i].message);
}

static void zeros_in_text_are_shown(void **state)
{
    (void)state;
    static const char text[] = HEAD2 "$Nodes\n1\n1 0 \0\0 0\n$EndNodes\n";
    refuse_bytes(text, sizeof text - 1, ".msh", ":6: found '\\x00\\x00' where the y coordinate");
    static const char obj[] = "v 1 2 3\n\xff\xfe\x1b[31m 1\n";
    refuse_bytes(obj, sizeof obj - 1, ".obj", ":2: found '\\xff\\xfe\\x1b[31m'");
}

/* Files that are no meshes yet are named as what they are, under any ending. */
static void packed_files_are_named(void **state)
{
    (void)state;
    static const char *const endings[] = { ".msh", ".obj", ".mesh", ".stl", ".xyz" };
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        refuse_bytes("\xff\xfev\0 \0001\0", 8, endings[i], "the file is UTF-16 text; save it as UTF-8");
        refuse_bytes("\x1f\x8b\x08\0\0\0\0\0", 8, endings[i], "the file is compressed (gzip)");
        refuse_bytes("PK\x03\x04\x14\0\0\0", 8, endings[i], "the file is compressed (zip)");
        refuse_bytes("version https://git-lfs.github.com/spec/v1\n", 43, endings[i], "a pointer of Git LFS");
    }
}

/* A long word and a long path do not push the message out. */
static void long_things_are_shortened(void **state)
{
    (void)state;
    char text[5000], path[3000];
    memset(text, 'x', sizeof text);
    refuse_bytes(text, sizeof text, ".obj",
                 "found 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...' where an OBJ keyword is needed");
    memset(path, '/', sizeof path);
    snprintf(path + 2000, 900, "nowhere.msh");
    vvMesh mesh;
    vvError error;
    assert_int_equal(vvMeshRead(path, &mesh, NULL, &error), VV_ERROR_IO);
    assert_non_null(strstr(error.message, "nowhere.msh: cannot be opened: No such file"));
    memset(text, '7', sizeof text);
    memcpy(text, "v 0 0 ", 6);
    text[sizeof text - 1] = '\n';
    refuse_bytes(text, sizeof text, ".obj", ":1: found '7777");
}

static void things_that_are_no_files(void **state)
{
    (void)state;
    vvMesh mesh;
    vvError error;
    assert_int_equal(vvMeshRead("/nowhere/mesh.msh", &mesh, NULL, &error), VV_ERROR_IO);
    assert_int_equal(vvMeshRead("", &mesh, NULL, &error), VV_ERROR_IO);
    assert_int_equal(vvMeshRead(NULL, &mesh, NULL, &error), VV_ERROR_INPUT);
    assert_int_equal(vvMeshWrite(&mesh, NULL, NULL, &error), VV_ERROR_INPUT);
    assert_int_equal(vvMeshGenerate(NULL, NULL, 0, &mesh, NULL), VV_ERROR_INPUT);
    assert_int_equal(vvMeshRead(VV_SOURCE_DIR, &mesh, NULL, &error), VV_ERROR_IO);
    assert_non_null(strstr(error.message, "is a directory"));
    assert_int_equal(vvMeshRead("/dev/zero", &mesh, NULL, &error), VV_ERROR_IO);
    assert_non_null(strstr(error.message, "is not a regular file"));
    const char *pipe_path = scratch_file(".msh");
    if (mkfifo(pipe_path, 0600) == 0) { /* nobody writes into it: it must not wait */
        assert_int_equal(vvMeshRead(pipe_path, &mesh, NULL, &error), VV_ERROR_IO);
        remove(pipe_path);
    }
    save_bytes(pipe_path, "v", 1);
    chmod(pipe_path, 0);
    if (access(pipe_path, R_OK) != 0) { /* root may read everything */
        assert_int_equal(vvMeshRead(pipe_path, &mesh, NULL, &error), VV_ERROR_IO);
        assert_non_null(strstr(error.message, "Permission denied"));
    }
    remove(pipe_path);
    /* a file of 4 GiB without contents */
    int file = open(pipe_path, O_CREAT | O_WRONLY, 0600);
    if (file >= 0 && ftruncate(file, (off_t)1 << 32) == 0) {
        assert_int_equal(vvMeshRead(pipe_path, &mesh, NULL, &error), VV_ERROR_INPUT);
        assert_non_null(strstr(error.message, "at most 2 GiB"));
    }
    close(file);
    remove(pipe_path);
}

/* ---- cuts and garbage ----------------------------------------------------------------------------------------------
 */

static vvMesh small_mesh(void)
{
    vvMesh mesh;
    assert_int_equal(generate_mesh("box", (double[]){ 1, 1.1, 1.3, 1, 1, 2, 5 }, &mesh, NULL), VV_OK);
    return mesh;
}

/* Every cut of a small file of every format: a message, or the whole mesh where nothing but the end of the last line
 * is lost; OBJ and Abaqus have no end mark. */
static void every_cut_is_survived(void **state)
{
    (void)state;
    vvMesh mesh = small_mesh(), whole, got;
    vvError error;
    for (int f = 0; vv_mesh_format(f); f++) {
        const vv_format *format = vv_mesh_format(f);
        const char *name = format->info.name;
        char ending[ENDING_LENGTH];
        size_t size;
        if (!format->write || !holds(name, &mesh))
            continue;
        assert_int_equal(vvMeshWrite(&mesh, scratch_file(format_ending(format, ending)), name, &error), VV_OK);
        char *data = load_bytes(scratch_file(ending), &size);
        assert_int_equal(read_bytes(data, size, ending, &whole, NULL, &error), VV_OK);
        for (size_t cut = 0; cut < size; cut++) {
            error.message[0] = 0;
            vvStatus status = read_bytes(data, cut, ending, &got, NULL, &error);
            if (status) {
                assert_true(strstr(error.message, "mesh-test-") != NULL);
                assert_null(got.positions);
            } else {
                assert_sound(&got);
                if (strcmp(name, "obj") != 0 && strcmp(name, "inp") != 0)
                    assert_same_mesh(&got, &whole);
                vvMeshDestroy(&got);
            }
        }
        vvMeshDestroy(&whole);
        free(data);
    }
    vvMeshDestroy(&mesh);
}

/* A text file with one word left out or standing twice: refused, or the same mesh (a word in a name); never another
 * one. OBJ and Gmsh 2, where lines may have any number of numbers, cannot always know. */
static void no_word_can_be_missed(void **state)
{
    (void)state;
    static const char *const names[] = { "msh4", "stl", "medit" };
    vvMesh mesh = small_mesh(), whole, got;
    vvError error;
    for (size_t f = 0; f < sizeof names / sizeof *names; f++) {
        size_t size, length;
        assert_int_equal(vvMeshWrite(&mesh, scratch_file(".txt"), names[f], &error), VV_OK);
        char *data = load_bytes(scratch_file(".txt"), &size), *changed = malloc(2 * size);
        assert_non_null(changed);
        assert_int_equal(read_bytes(data, size, ".txt", &whole, NULL, &error), VV_OK);
        for (size_t at = 0; at < size; at += length + strspn(data + at + length, " \n")) {
            length = strcspn(data + at, " \n");
            for (int twice = 0; twice < 2; twice++) {
                memcpy(changed, data, at);
                size_t n = at;
                if (twice)
                    n += (size_t)sprintf(changed + n, "%.*s %.*s", (int)length, data + at, (int)length, data + at);
                memcpy(changed + n, data + at + length, size - at - length);
                if (read_bytes(changed, n + size - at - length, ".txt", &got, NULL, &error))
                    continue;
                assert_same_mesh(&got, &whole);
                vvMeshDestroy(&got);
            }
        }
        vvMeshDestroy(&whole);
        free(changed);
        free(data);
    }
    vvMeshDestroy(&mesh);
}

/* Bytes without any sense, under each ending and behind each format's header. */
static void garbage_is_refused(void **state)
{
    (void)state;
    static const char *const heads[] = {
        "",
        "v 0 0 0\n",
        HEAD2 "$Nodes\n4\n",
        HEAD4 "$Nodes\n1 4 1 4\n",
        "$MeshFormat\n2.2 1 8\n\1\0\0\0\n$EndMeshFormat\n$Nodes\n4\n",
        "$MeshFormat\n4.1 1 8\n\1\0\0\0\n$EndMeshFormat\n$Nodes\n",
    };
    static const size_t sizes[] = {
        0, 8, sizeof HEAD2 "$Nodes\n4\n" - 1, sizeof HEAD4 "$Nodes\n1 4 1 4\n" - 1, 49, 47
    };
    uint32_t random = 7;
    for (int round = 0; round < 600; round++) {
        char data[1024];
        size_t head = (size_t)round % 6, size = sizes[head];
        memcpy(data, heads[head], size);
        while (size < sizeof data) {
            random = random * 1664525u + 1013904223u;
            data[size++] = (char)(random >> 24);
        }
        vvMesh mesh;
        vvError error;
        assert_int_not_equal(read_bytes(data, size, round / 6 % 2 ? ".msh" : ".obj", &mesh, NULL, &error), VV_OK);
        assert_null(mesh.positions);
    }
}

/* A header may claim any size: nothing is allocated on its word. */
static void huge_claims_cost_nothing(void **state)
{
    (void)state;
    char data[256];
    static const char head[] = "$MeshFormat\n4.1 1 8\n\1\0\0\0\n$EndMeshFormat\n$Nodes\n";
    size_t size = sizeof head - 1;
    memcpy(data, head, size);
    for (int i = 0; i < 4; i++) {
        int64_t claim = i == 1 ? (int64_t)1 << 40 : 1;
        memcpy(data + size, &claim, sizeof claim);
        size += sizeof claim;
    }
    memset(data + size, 0, 64);
    size += 64;
    refuse_bytes(data, size, ".msh", "the number of nodes is 1099511627776, but only 64 bytes of the file are left");
    memset(data + size - 88, 0xff, 8); /* 2^64 - 1 */
    refuse_bytes(data, size, ".msh", "at most 2^63 - 1 is allowed");
}

/* ---- memory --------------------------------------------------------------------------------------------------------
 */

/* Runs `what` with the k-th allocation failing, for every k, until it succeeds. */
static void exhaust(vvStatus (*what)(void *arg, vvError *error), void *arg)
{
    for (long k = 0; k < 100000; k++) {
        vvError error = { 0 };
        allocations_left = k;
        vvStatus status = what(arg, &error);
        bool ran_out = allocations_left == 0;
        allocations_left = -1;
        if (!status)
            return;
        if (status != VV_ERROR_MEMORY || !ran_out || !error.message[0])
            fail_msg("allocation %ld failing gives status %d, '%s'", k, status, error.message);
    }
    fail_msg("never succeeds");
}

static vvStatus read_it(void *arg, vvError *error)
{
    vvMesh mesh;
    vvStatus status = vvMeshRead(arg, &mesh, NULL, error);
    assert_true((mesh.positions != NULL) == (status == VV_OK));
    vvMeshDestroy(&mesh);
    return status;
}

static vvStatus write_it(void *arg, vvError *error) { return vvMeshWrite(arg, scratch_file(".obj"), "obj", error); }

static vvStatus generate_it(void *arg, vvError *error)
{
    vvMesh mesh;
    const char *name = arg;
    const double *values = strcmp(name, "critter") == 0 ? (double[]){ 1, 0.07 } : NULL;
    vvStatus status = generate_mesh(name, values, &mesh, error);
    assert_true((mesh.positions != NULL) == (status == VV_OK));
    vvMeshDestroy(&mesh);
    return status;
}

/* False for VTK's XML in a build without expat or zlib. */
static bool is_readable(const char *path)
{
    vvMesh mesh;
    vvError error;
    vvStatus status = vvMeshRead(path, &mesh, NULL, &error);
    if (status && !strstr(error.message, " build "))
        fail_msg("%s", error.message);
    vvMeshDestroy(&mesh);
    return !status;
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    vvMesh mesh = small_mesh();
    for (int f = 0; vv_mesh_format(f); f++) {
        char path[512], ending[ENDING_LENGTH];
        if (!vv_mesh_format(f)->write || !holds(vv_mesh_format(f)->info.name, &mesh))
            continue;
        snprintf(path, sizeof path, "%s", scratch_file(format_ending(vv_mesh_format(f), ending)));
        assert_int_equal(vvMeshWrite(&mesh, path, vv_mesh_format(f)->info.name, NULL), VV_OK);
        exhaust(read_it, path);
        remove(path);
    }
    for (int i = 0; i < MESH_SAMPLES; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s", scratch_file(mesh_samples[i].ending));
        save_bytes(path, mesh_samples[i].text, mesh_samples[i].size);
        if (is_readable(path))
            exhaust(read_it, path);
        remove(path);
    }
    char node[512], ele[512];
    snprintf(node, sizeof node, "%s", scratch_file(".node"));
    snprintf(ele, sizeof ele, "%s", scratch_file(".ele"));
    save_bytes(node, "4 3\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n", 36);
    save_bytes(ele, "1\n0 0 1 2 3\n", 12);
    exhaust(read_it, node);
    exhaust(read_it, ele);
    remove(node);
    remove(ele);
    exhaust(write_it, &mesh);
    remove(scratch_file(".obj"));
    for (int g = 0; vvMeshGeneratorInfo(g); g++)
        exhaust(generate_it, (void *)vvMeshGeneratorInfo(g)->info.name);
    vvMeshDestroy(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_file_gives_its_message), cmocka_unit_test(zeros_in_text_are_shown),
        cmocka_unit_test(packed_files_are_named),      cmocka_unit_test(no_word_can_be_missed),
        cmocka_unit_test(long_things_are_shortened),   cmocka_unit_test(things_that_are_no_files),
        cmocka_unit_test(every_cut_is_survived),       cmocka_unit_test(garbage_is_refused),
        cmocka_unit_test(huge_claims_cost_nothing),    cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
