/* Mutated mesh files: whatever the bytes, vvMeshRead and vvMeshReadOrder2 give a message or a sound mesh.
 *
 * Deterministic. VV_FUZZ_SEED (default 1) and VV_FUZZ_ITERATIONS (default: a second or two) in the environment, or the
 * number of iterations as an argument, make a long run; a failure prints the seed of its iteration, and the file stays
 * in the build folder. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "mesh/mesh.h"
#include "mesh_samples.h"
#include "mesh_support.h"
#include "positional.h"

enum { SEEDS = 64, MOST_BYTES = 1 << 14, DEFAULT_ITERATIONS = 6000 };

typedef struct sample {
    char ending[ENDING_LENGTH];
    char *data;
    size_t size;
    const char *partner, *partner_ending; /* a file that lies beside it, NULL: none */
} sample;

static sample samples[SEEDS];
static int sample_count;
static long iterations = DEFAULT_ITERATIONS;

static uint64_t mix(uint64_t *s)
{
    uint64_t z = (*s += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static size_t below(uint64_t *s, size_t n) { return n ? (size_t)(mix(s) % n) : 0; }

static sample *add_sample(const char *ending, const void *data, size_t size)
{
    sample *s = &samples[sample_count++];
    assert_true(sample_count <= SEEDS && size < MOST_BYTES);
    *s = (sample){ .data = malloc(size), .size = size };
    snprintf(s->ending, sizeof s->ending, "%s", ending);
    assert_non_null(s->data);
    memcpy(s->data, data, size);
    return s;
}

/* Each of TetGen's two files with the other beside it. */
static void add_pair(const char *ending, const char *text, const char *partner_ending, const char *partner)
{
    sample *s = add_sample(ending, text, strlen(text));
    s->partner = partner;
    s->partner_ending = partner_ending;
    s = add_sample(partner_ending, partner, strlen(partner));
    s->partner = text;
    s->partner_ending = ending;
}

/* Small meshes of tets and of triangles with edges in every format, an OBJ with all of its syntax, and files of formats
 * that are only read. */
static int make_samples(void **state)
{
    (void)state;
    static const char obj[] =
        "# polygons\nv 0 0 0\nv 1 0 0 1\nv 1 1 0 .5 .5 .5\nv 0 1 0\nv 2 0.5 1e-1\nvt 0 0\nvn 0 0 1\no a\n"
        "f 1/1/1 2//1 3/1 4\nf -4 -1 \\\n -3\nl 1 2 3\ng x\ns 1\nusemtl m\n";
    static const char mesh_text[] =
        "# MEDIT\nMeshVersionFormatted\n2\nDimension 3\nTriangles 2\n1 2 3 0\n2 4 3 0\nIdentifier\n\"x\"\nVertices\n4\n"
        "0 0 0 1\n1 0 0 1 # a\n0 1.0D0 0 1\n1 1 0\n1\nCorners\n2\n1 2\nNormals 1\n0 0 nan\nHexahedra 0\nEdges\n1\n1 4 "
        "0\n"
        "End\n";
    static const char stl[] =
        "SOLID a b\nfacet normal 0 0 nan\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nend loop\nendfacet\n"
        "facet\nouter loop\nvertex 1 0 0\nvertex 1 0 0\nvertex 0 1 -0\nendloop\nendfacet\nendsolid\nsolid\nend solid\n";
    for (int kind = 0; kind < 2; kind++) {
        vvMesh mesh;
        const double box[] = { 1, 1.1, 1.3, 1, 1, 2, 5 }, cloth[] = { 1, 1, 2, 2 };
        assert_int_equal(generate_mesh(kind ? "cloth" : "box", kind ? cloth : box, &mesh, NULL), VV_OK);
        for (int f = 0; vv_mesh_format(f); f++) {
            const vv_format *format = vv_mesh_format(f);
            char ending[ENDING_LENGTH];
            size_t size;
            if (!format->write || !holds(format->info.name, &mesh))
                continue;
            assert_int_equal(vvMeshWrite(&mesh, scratch_file(format_ending(format, ending)), format->info.name, NULL),
                             VV_OK);
            char *data = load_bytes(scratch_file(ending), &size);
            add_sample(ending, data, size);
            free(data);
            remove(scratch_file(ending));
        }
        vvMeshDestroy(&mesh);
    }
    add_sample(".obj", obj, sizeof obj - 1);
    add_sample(".seg", "v 0 0 0\nv 1 0 0\nv 0 1 0\ns 1 2\ns off\ns -1 1\n", 42);
    add_sample(".pt", "# grains\nv 0 0 0\nv 1 0 0\nv 0 1 0\n", 33);
    add_sample(".mesh", mesh_text, sizeof mesh_text - 1);
    add_sample(".stl", stl, sizeof stl - 1);
    add_pair(".ele", "2 4 1\n1 1 2 3 4 7\n2 2 3 4 5 8\n", ".node",
             "# nodes\n5 3 1 1\n1 0 0 0 .5 1\n2 1 0 0 .5 1\n3 0 1 0 .5 1\n4 0 0 1 .5 1\n5 1 1 1 .5 0\n# end\n");
    add_pair(".face", "2 1\n0 0 1 2 1\n1 1 3 2 1\n", ".node", "4\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 1 1 0\n");
    for (int i = 0; i < MESH_SAMPLES; i++)
        add_sample(mesh_samples[i].ending, mesh_samples[i].text, mesh_samples[i].size);
    return 0;
}

static int drop_samples(void **state)
{
    (void)state;
    for (int i = 0; i < sample_count; i++)
        free(samples[i].data);
    return 0;
}

typedef struct text {
    char data[MOST_BYTES];
    size_t size;
} text;

static void insert(text *t, size_t at, const char *data, size_t size)
{
    if (t->size + size > MOST_BYTES)
        return;
    memmove(t->data + at + size, t->data + at, t->size - at);
    memcpy(t->data + at, data, size);
    t->size += size;
}

static void erase(text *t, size_t at, size_t size)
{
    if (size > t->size - at)
        size = t->size - at;
    memmove(t->data + at, t->data + at + size, t->size - at - size);
    t->size -= size;
}

/* Replaces a number in text by one that is likely to hurt. */
static void edit_number(text *t, uint64_t *s)
{
    static const char *const numbers[] = { "0",
                                           "-1",
                                           "1",
                                           "2147483647",
                                           "2147483648",
                                           "-2147483648",
                                           "4294967296",
                                           "1099511627776",
                                           "9223372036854775807",
                                           "18446744073709551615",
                                           "1e308",
                                           "-1e309",
                                           "1e-320",
                                           "nan",
                                           "inf",
                                           "0x7",
                                           "3",
                                           "4",
                                           "15",
                                           "5",
                                           "1e30",
                                           "1.0000000000000002",
                                           "" };
    size_t at = below(s, t->size), length = 0;
    while (at < t->size && (t->data[at] < '0' || t->data[at] > '9'))
        at++;
    while (at + length < t->size && t->data[at + length] > 32)
        length++;
    const char *number = numbers[below(s, sizeof numbers / sizeof *numbers)];
    erase(t, at, length);
    insert(t, at, number, strlen(number));
}

static void swap_lines(text *t, uint64_t *s)
{
    char *a = memchr(t->data, '\n', t->size);
    if (!a)
        return;
    size_t at = below(s, t->size);
    char *begin = memchr(t->data + at, '\n', t->size - at),
         *end = begin ? memchr(begin + 1, '\n', t->size - (size_t)(begin + 1 - t->data)) : NULL;
    if (!end)
        return;
    char line[512];
    size_t length = (size_t)(end - begin);
    if (length > sizeof line)
        return;
    memcpy(line, begin, length);
    if (below(s, 2))
        erase(t, (size_t)(begin - t->data), length);
    size_t to = below(s, t->size + 1);
    char *where = memchr(t->data + to, '\n', t->size - to);
    insert(t, where ? (size_t)(where - t->data) : t->size, line, length);
}

static void mutate(text *t, uint64_t *s)
{
    const sample *other = &samples[below(s, (size_t)sample_count)];
    size_t at = below(s, t->size), from = below(s, other->size);
    switch (below(s, 9)) {
    case 0: t->data[at] = (char)(t->data[at] ^ (1 << below(s, 8))); break;
    case 1: t->data[at] = (char)mix(s); break;
    case 2: t->size = at; break;
    case 3: erase(t, at, below(s, 40)); break;
    case 4: insert(t, at, other->data + from, below(s, other->size - from < 200 ? other->size - from : 200)); break;
    case 5:
    case 6: edit_number(t, s); break;
    case 7: swap_lines(t, s); break;
    case 8: /* a whole word of binary data */
        for (size_t i = 0; i < 8 && at + i < t->size; i++)
            t->data[at + i] = (char)(below(s, 3) == 0 ? 0xff : below(s, 3) == 0 ? 0x7f : 0);
        break;
    }
}

static void mutated_files_are_survived(void **state)
{
    (void)state;
    const char *seed_text = getenv("VV_FUZZ_SEED");
    uint64_t seed = seed_text ? strtoull(seed_text, NULL, 10) : 1;
    long accepted = 0;
    static text t;
    for (long i = 0; i < iterations; i++) {
        uint64_t s = seed + (uint64_t)i;
        const sample *base = &samples[below(&s, (size_t)sample_count)];
        memcpy(t.data, base->data, base->size);
        t.size = base->size;
        for (size_t k = 1 + (below(&s, 3) == 0 ? below(&s, 4) : 0); k > 0 && t.size > 0; k--)
            mutate(&t, &s);
        const char *path = scratch_file(base->ending);
        remove(path); /* a new file is quicker than one cut short, which some file systems flush */
        save_bytes(path, t.data, t.size);
        if (base->partner)
            save_bytes(scratch_file(base->partner_ending), base->partner, strlen(base->partner));
        path = scratch_file(base->ending);
        vvMesh mesh;
        vvMeshNotes notes;
        vvError error = { 0 };
        vvStatus status = (i % 2 ? vvMeshReadOrder2 : vvMeshRead)(path, &mesh, &notes, &error);
        bool refused = status == VV_ERROR_INPUT || status == VV_ERROR_UNSUPPORTED; /* a build without expat */
        if (status && (!refused || !strstr(error.message, "mesh-test-") || mesh.positions))
            fail_msg("VV_FUZZ_SEED=%llu: status %d, '%s'", (unsigned long long)(seed + (uint64_t)i), status,
                     error.message);
        if (!status) {
            assert_sound(&mesh);
            accepted++;
        }
        vvMeshDestroy(&mesh);
    }
    for (int i = 0; i < sample_count; i++)
        remove(scratch_file(samples[i].ending));
    print_message("%ld files, %ld of them meshes\n", iterations, accepted);
    assert_true(accepted > iterations / 100 && accepted < iterations); /* the mutations bite, and not too hard */
}

int main(int count, char **arguments)
{
    const char *given = count > 1 ? arguments[1] : getenv("VV_FUZZ_ITERATIONS");
    if (given && strtol(given, NULL, 10) > 0)
        iterations = strtol(given, NULL, 10);
    const struct CMUnitTest tests[] = { cmocka_unit_test(mutated_files_are_survived) };
    return cmocka_run_group_tests(tests, make_samples, drop_samples);
}
