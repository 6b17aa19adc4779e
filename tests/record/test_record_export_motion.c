/* PLY, PC2, glTF and USD exports hold the run's positions: each is read again here, byte by byte, and compared; nothing
 * is left of an export that fails. tests/program/test_exports_web.py and tests/program/test_exports_blender.py have
 * other programs read them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake_run_world.h"
#include "visviva/host.h"

enum { GRID = 4, FRAMES = 141, SEGMENT = 128, VERTICES_MOST = 64 };
#define FOLDER VV_BUILD_DIR "/test_record_export_motion_files"
#define RUN FOLDER "/run.vtkhdf"

static const int carried_triangles[6] = { 0, 1, 2, 2, 1, 3 },
                 carried_nodes[16] = { 0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6 };
static const double carried_weights[16] = {
    0.25, 0.25, 0.25, 0.25, 1, 0, 0, 0, 0.5, 0.5, 0.5, -0.5, 0, 0, 0.125, 0.875
};
static const char *const ids[FAKE_BODIES] = { "snake", "cloth____1__", "dust" };

static void must(vvStatus status, const vvError *error)
{
    if (status != VV_OK)
        fail_msg("%s: %s", vvStatusName(status), error->message);
}

static void record(const char *path, const char *name, int frames, int explode_at)
{
    vvError error;
    vvRunWriter *writer;
    vvStepReport report;
    vvWorld *w = fake_world(GRID);
    w->surface = (vvBodySurface){ 4, 2, carried_triangles, carried_nodes, carried_weights };
    must(vvRunCreate(path, w, name, "{}", &writer, &error), &error);
    for (int i = 1; i < frames; i++) {
        fake_step(w, &report);
        if (i == explode_at)
            w->x[0] = 1e300;
        must(vvRunAddStep(writer, w, &report, &error), &error);
        must(vvRunAddFrame(writer, w, &error), &error);
    }
    must(vvRunClose(writer, "done", &error), &error);
    fake_free(w);
}

static int setup(void **state)
{
    (void)state;
    if (system("rm -rf " FOLDER) != 0 || mkdir(FOLDER, 0777) != 0)
        return -1;
    record(RUN, "fake \"one\"", FRAMES, -1);
    record(FOLDER "/exploded.vtkhdf", "bang", 6, 3);
    return 0;
}

/* ---- what should be there: the carried surface, the cloth's nodes that triangles use, the dust ---- */

typedef struct expected {
    int count, triangle_count;
    int triangles[3 * 2 * GRID];
    float x[3 * VERTICES_MOST], v[3 * VERTICES_MOST];
} expected;

static void expect(const char *path, int frame, int b, expected *e)
{
    vvError error;
    vvRun *run;
    must(vvRunOpen(path, &run, &error), &error);
    const vvRunBody *body = vvRunGetBody(run, b);
    size_t vertices = (size_t)vvRunVertexCount(run);
    double *x = malloc(vertices * 24), *v = malloc(vertices * 24);
    must(vvRunReadFrame(run, frame, x, v, &error), &error);
    vvRunCarry(run, 3, x);
    vvRunCarry(run, 3, v);
    int at[2 * VERTICES_MOST];
    e->count = 0;
    for (int n = body->firstVertex; n < body->firstVertex + body->vertexCount; n++) {
        bool used = b != 1;
        for (int i = 0; i < 3 * body->drawnTriangleCount; i++)
            used = used || body->drawnTriangles[i] == n;
        if (!used)
            continue;
        at[n] = e->count;
        for (int k = 0; k < 3; k++) {
            e->x[3 * e->count + k] = (float)x[3 * n + k];
            e->v[3 * e->count + k] = (float)v[3 * n + k];
        }
        e->count++;
    }
    e->triangle_count = body->drawnTriangleCount;
    for (int i = 0; i < 3 * e->triangle_count; i++)
        e->triangles[i] = at[body->drawnTriangles[i]];
    free(x), free(v);
    vvRunFree(run);
}

/* ---- helpers ---- */

static vvStatus export_run(const char *run_path, vvExportDef def, const char *path, vvError *error)
{
    vvRun *run;
    must(vvRunOpen(run_path, &run, error), error);
    vvStatus status = vvRunExport(run, &def, path, error);
    vvRunFree(run);
    return status;
}

static vvExportDef frames_of(const char *format, int first, int last, int every)
{
    vvExportDef def = vvDefaultExportDef();
    def.format = format;
    def.firstFrame = first, def.lastFrame = last, def.every = every;
    return def;
}

typedef struct bytes {
    char *data, *at;
    size_t size;
} bytes;

static bytes load(const char *path)
{
    bytes b = { 0 };
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("%s is not there", path);
    fseek(f, 0, SEEK_END);
    b.size = (size_t)ftell(f);
    rewind(f);
    b.at = b.data = calloc(b.size + 1, 1);
    assert_int_equal(fread(b.data, 1, b.size, f), b.size);
    fclose(f);
    return b;
}

static void take(bytes *b, void *out, size_t size)
{
    assert_true((size_t)(b->at - b->data) + size <= b->size);
    memcpy(out, b->at, size);
    b->at += size;
}

static void take_floats(bytes *b, const float *want, int count)
{
    for (int i = 0; i < count; i++) {
        float found;
        take(b, &found, sizeof found);
        if (found != want[i])
            fail_msg("number %d: %.9g instead of %.9g", i, (double)found, (double)want[i]);
    }
}

static int take_int(bytes *b)
{
    int32_t value;
    take(b, &value, sizeof value);
    return value;
}

/* Files by their beginning and a piece of their name. */
static int files_with(const char *beginning, const char *piece)
{
    int count = 0;
    DIR *dir = opendir(FOLDER);
    for (struct dirent *entry; (entry = readdir(dir));)
        count += strncmp(entry->d_name, beginning, strlen(beginning)) == 0 && strstr(entry->d_name, piece) != NULL;
    closedir(dir);
    return count;
}

static int files_of(const char *beginning) { return files_with(beginning, ""); }

/* ---- formats ---- */

static void test_ply(void **state)
{
    (void)state;
    vvError error;
    for (int with = 0; with < 2; with++) {
        vvExportDef def = frames_of("ply", 2, 8, 3);
        def.velocities = with == 1;
        must(export_run(RUN, def, FOLDER "/motion.ply", &error), &error);
        bytes b = load(FOLDER "/motion_000005.ply");
        char head[1024];
        snprintf(head, sizeof head,
                 "ply\nformat binary_little_endian 1.0\ncomment visviva, frame 5, time 0.078125 s\nelement vertex %d\n"
                 "property float x\nproperty float y\nproperty float z\n%sproperty uchar red\nproperty uchar green\n"
                 "property uchar blue\nproperty int body\nelement face %d\nproperty list uchar int vertex_indices\n"
                 "end_header\n",
                 4 + 2 * (GRID + 1) + FAKE_EXTRA,
                 with ? "property float vx\nproperty float vy\nproperty float vz\n" : "", 2 + 2 * GRID);
        assert_true(strncmp(b.data, head, strlen(head)) == 0);
        b.at += strlen(head);
        expected e;
        for (int body = 0; body < FAKE_BODIES; body++) {
            expect(RUN, 5, body, &e);
            for (int v = 0; v < e.count; v++) {
                unsigned char colour[3];
                take_floats(&b, e.x + 3 * v, 3);
                take_floats(&b, e.v + 3 * v, with ? 3 : 0);
                take(&b, colour, 3);
                assert_int_equal(take_int(&b), body);
            }
        }
        for (int body = 0, first = 0; body < FAKE_BODIES; body++, first += e.count) {
            expect(RUN, 5, body, &e);
            for (int t = 0; t < 3 * e.triangle_count; t++) {
                if (t % 3 == 0)
                    assert_int_equal(*b.at++, 3);
                assert_int_equal(take_int(&b), e.triangles[t] + first);
            }
        }
        assert_int_equal(b.at - b.data, b.size);
        free(b.data);
    }
}

/* The mesh beside the cache: its vertices are those of the first sample, to the bit, and its faces the body's. */
static void check_mesh(const char *path, const expected *e)
{
    bytes b = load(path);
    int vertices = 0, faces = 0;
    for (char *line = strtok(b.data, "\n"); line; line = strtok(NULL, "\n")) {
        double p[3];
        int n[3];
        if (sscanf(line, "v %lf %lf %lf", &p[0], &p[1], &p[2]) == 3) {
            for (int k = 0; k < 3; k++)
                assert_true((float)p[k] == e->x[3 * vertices + k]);
            vertices++;
        } else if (sscanf(line, "f %d %d %d", &n[0], &n[1], &n[2]) == 3) {
            for (int k = 0; k < 3; k++)
                assert_int_equal(n[k] - 1, e->triangles[3 * faces + k]);
            faces++;
        }
    }
    assert_int_equal(vertices, e->count);
    assert_int_equal(faces, e->triangle_count);
    free(b.data);
}

static void test_pc2(void **state)
{
    (void)state;
    vvError error;
    char path[512];
    must(export_run(RUN, frames_of("pc2", 1, 21, 5), FOLDER "/cache.pc2", &error), &error);
    assert_int_equal(files_of("cache"), 7);
    for (int body = 0; body < FAKE_BODIES; body++) {
        snprintf(path, sizeof path, "%s/cache_%s.pc2", FOLDER, ids[body]);
        bytes b = load(path);
        expected e;
        expect(RUN, 1, body, &e);
        char magic[12];
        take(&b, magic, 12);
        assert_memory_equal(magic, "POINTCACHE2\0", 12);
        assert_int_equal(take_int(&b), 1);
        assert_int_equal(take_int(&b), e.count);
        take_floats(&b, (const float[2]){ 0, 1 }, 2);
        assert_int_equal(take_int(&b), 5);
        for (int frame = 1; frame <= 21; frame += 5) {
            expect(RUN, frame, body, &e);
            take_floats(&b, e.x, 3 * e.count);
        }
        assert_int_equal(b.at - b.data, b.size);
        free(b.data);
        snprintf(path, sizeof path, "%s/cache_%s_mesh.obj", FOLDER, ids[body]);
        expect(RUN, 1, body, &e);
        check_mesh(path, &e);
    }
    bytes script = load(FOLDER "/cache.blender.py");
    assert_non_null(strstr(script.data, "NAME = \"fake \\\"one\\\"\"\nRATE = 12.8 "));
    assert_non_null(strstr(script.data, "(\"cloth <&\\\"1\\\">\", \"cache_cloth____1___mesh.obj\", "
                                        "\"cache_cloth____1__.pc2\", ("));
    free(script.data);
    vvExportDef one = frames_of("pc2", 0, 0, 1);
    one.body = "dust";
    must(export_run(RUN, one, FOLDER "/alone.pc2", &error), &error);
    assert_int_equal(files_of("alone"), 3);
    assert_int_equal(access(FOLDER "/alone.pc2", F_OK), 0);
    assert_int_equal(access(FOLDER "/alone_mesh.obj", F_OK), 0);
}

/* glb needs jansson. */
static bool has_glb(void) { return !strstr(vvBuildDescription(), "without scenes (jansson)"); }

/* Header and chunks; the last frame of the last body (points: no normals) is the end of the file, as a difference to
 * the frame where its segment begins. */
static void test_glb(void **state)
{
    (void)state;
    vvError error;
    if (!has_glb())
        return;
    must(export_run(RUN, frames_of("glb", 0, -1, 1), FOLDER "/scene.glb", &error), &error);
    bytes b = load(FOLDER "/scene.glb");
    char word[4];
    take(&b, word, 4);
    assert_memory_equal(word, "glTF", 4);
    assert_int_equal(take_int(&b), 2);
    assert_int_equal(take_int(&b), b.size);
    int length = take_int(&b);
    take(&b, word, 4);
    assert_memory_equal(word, "JSON", 4);
    assert_int_equal(length % 4, 0);
    int depth = 0;
    for (int i = 0; i < length; i++)
        depth += strchr("{[", b.at[i]) ? 1 : strchr("}]", b.at[i]) ? -1 : 0;
    assert_int_equal(depth, 0); /* no name here has brackets */
    b.at += length;
    int binary = take_int(&b);
    take(&b, word, 4);
    assert_memory_equal(word, "BIN", 4);
    assert_int_equal(binary, b.size - (size_t)(b.at - b.data));
    expected last, base;
    expect(RUN, FRAMES - 1, 2, &last);
    expect(RUN, SEGMENT, 2, &base);
    b.at = b.data + b.size - 12 * (size_t)last.count;
    for (int i = 0; i < 3 * last.count; i++)
        last.x[i] -= base.x[i];
    take_floats(&b, last.x, 3 * last.count);
    free(b.data);
}

/* A name may hold any bytes; the file holds UTF-8 all the same, and nothing that commands a terminal. */
static void test_glb_names(void **state)
{
    (void)state;
    vvError error;
    if (!has_glb())
        return;
    record(FOLDER "/names.vtkhdf", "a\xff\xc3(\x01\\\xf0\x9f\x8e\xb2\"", 2, -1);
    must(export_run(FOLDER "/names.vtkhdf", frames_of("glb", 0, -1, 1), FOLDER "/names.glb", &error), &error);
    bytes b = load(FOLDER "/names.glb");
    assert_non_null(strstr(b.data + 20, "{\"name\":\"a\xef\xbf\xbd\xef\xbf\xbd(?\\\\\xf0\x9f\x8e\xb2\\\"\""));
    assert_non_null(strstr(b.data + 20, "{\"name\":\"cloth <&\\\"1\\\">\""));
    free(b.data);
}

/* Without jansson the format is there and says what is missing. */
static void test_glb_absent(void **state)
{
    (void)state;
    vvError error;
    if (has_glb())
        return;
    assert_int_equal(export_run(RUN, frames_of("glb", 0, -1, 1), FOLDER "/absent.glb", &error), VV_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "jansson"));
    assert_int_equal(files_of("absent"), 0);
}

/* The numbers of every sample of one attribute of one prim. */
static void check_samples(const char *text, const char *prim, const char *attribute, int body, bool velocities)
{
    const char *at = strstr(text, prim);
    assert_non_null(at);
    at = strstr(at, attribute);
    assert_non_null(at);
    at += strlen(attribute);
    for (int frame = 0; frame < FRAMES; frame++) {
        expected e;
        int code, used;
        expect(RUN, frame, body, &e);
        assert_int_equal(sscanf(at, " %d: [%n", &code, &used), 1);
        assert_int_equal(code, frame);
        at += used;
        for (int v = 0; v < e.count; v++) {
            double p[3];
            assert_int_equal(sscanf(at, " (%lf,%lf,%lf)%n", &p[0], &p[1], &p[2], &used), 3);
            at += used + 1; /* past the comma or the bracket */
            for (int k = 0; k < 3; k++)
                assert_true((float)p[k] == (velocities ? e.v : e.x)[3 * v + k]);
        }
        at++;
    }
    assert_int_equal(sscanf(at, " }%n", &(int){ 0 }), 0);
}

static void test_usda(void **state)
{
    (void)state;
    vvError error;
    vvExportDef def = frames_of("usda", 0, -1, 1);
    def.velocities = true;
    must(export_run(RUN, def, FOLDER "/stage.usda", &error), &error);
    bytes b = load(FOLDER "/stage.usda");
    assert_non_null(strstr(b.data, "#usda 1.0\n(\n    defaultPrim = \"fake__one_\"\n"));
    assert_non_null(strstr(b.data, "metersPerUnit = 1\n    upAxis = \"Y\"\n    startTimeCode = 0\n"
                                   "    endTimeCode = 140\n    timeCodesPerSecond = 64\n"));
    assert_non_null(strstr(b.data, "string body = \"cloth <&\\\"1\\\">\""));
    static const char *const prims[] = { "def Mesh \"snake\"", "def Mesh \"cloth____1__\"", "def Points \"dust\"" };
    for (int body = 0; body < FAKE_BODIES; body++) {
        check_samples(b.data, prims[body], "point3f[] points.timeSamples = {", body, false);
        check_samples(b.data, prims[body], "vector3f[] velocities.timeSamples = {", body, true);
    }
    free(b.data);
}

/* ---- what cannot be done ---- */

static const char *const formats[] = { "ply", "pc2", "usda", "glb" };
static int format_count(void) { return (int)(sizeof formats / sizeof *formats) - !has_glb(); }

static void test_wrong_wishes(void **state)
{
    (void)state;
    vvError error;
    vvExportDef def = frames_of("glb", 0, 0, 1);
    def.body = "clo";
    assert_int_equal(export_run(RUN, def, FOLDER "/wrong.glb", &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "no body \"clo\"; there are: snake, cloth <&\"1\">, dust"));
    def.body = "dust";
    def.velocities = true;
    assert_int_equal(export_run(RUN, def, FOLDER "/wrong.glb", &error), VV_ERROR_INPUT);
    def = frames_of("vtu", 0, 0, 1);
    def.body = "dust";
    assert_int_equal(export_run(RUN, def, FOLDER "/wrong.pvd", &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "vtu always holds all bodies"));
    assert_int_equal(files_of("wrong"), 0);
}

static void test_exploded(void **state)
{
    (void)state;
    vvError error;
    for (int i = 0; i < format_count(); i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/bang.%s", FOLDER, formats[i]);
        assert_int_equal(export_run(FOLDER "/exploded.vtkhdf", frames_of(formats[i], 3, -1, 1), path, &error),
                         VV_ERROR_INPUT);
        assert_non_null(strstr(error.message, "frame 3, body \"snake\": a coordinate is too large"));
        assert_int_equal(files_of("bang"), 0);
        must(export_run(FOLDER "/exploded.vtkhdf", frames_of(formats[i], 0, 2, 1), path, &error), &error);
        assert_true(files_of("bang") > 0);
        if (system("rm -f " FOLDER "/bang*") != 0)
            fail();
    }
}

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    fputs(text, f);
    fclose(f);
}

/* A user's own files are not written over; what an export made before is. */
static void test_own_files(void **state)
{
    (void)state;
    vvError error;
    vvExportDef def = frames_of("pc2", 0, 2, 1);
    def.body = "snake";
    write_text(FOLDER "/own_mesh.obj", "v 0 0 0\n");
    assert_int_equal(export_run(RUN, def, FOLDER "/own.pc2", &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "own_mesh.obj already exists and was not made by an export"));
    bytes b = load(FOLDER "/own_mesh.obj");
    assert_string_equal(b.data, "v 0 0 0\n");
    free(b.data);
    unlink(FOLDER "/own_mesh.obj");
    must(export_run(RUN, def, FOLDER "/own.pc2", &error), &error);
    must(export_run(RUN, def, FOLDER "/own.pc2", &error), &error);
}

/* The disk fills up: the message says why, no part of a file is left, and what was there before stays. */
static void test_full_disk(void **state)
{
    (void)state;
    vvError error;
    struct rlimit old, small = { 3000, RLIM_INFINITY };
    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < format_count(); i++) {
        char path[512];
        bool sequence = strcmp(formats[i], "ply") == 0;
        vvExportDef def = frames_of(formats[i], 0, -1, 1);
        snprintf(path, sizeof path, "%s/full.%s", FOLDER, formats[i]);
        if (!sequence)
            write_text(path, "POINTCACHE2 before");
        def.body = "cloth <&\"1\">";
        getrlimit(RLIMIT_FSIZE, &old);
        small.rlim_max = old.rlim_max;
        small.rlim_cur = sequence ? 300 : 3000;
        setrlimit(RLIMIT_FSIZE, &small);
        vvStatus status = export_run(RUN, def, path, &error);
        setrlimit(RLIMIT_FSIZE, &old);
        assert_int_equal(status, VV_ERROR_IO);
        assert_non_null(strstr(error.message, "cannot be written: File too large"));
        assert_int_equal(files_of("full"), strcmp(formats[i], "pc2") == 0 ? 2 : sequence ? 0 : 1);
        if (!sequence) {
            bytes b = load(path);
            assert_string_equal(b.data, "POINTCACHE2 before");
            free(b.data);
        }
        if (system("rm -f " FOLDER "/full*") != 0)
            fail();
    }
    signal(SIGXFSZ, SIG_DFL);
    if (access("/dev/full", W_OK) != 0)
        return;
    for (int i = 2; i < format_count(); i++) {
        assert_int_equal(export_run(RUN, frames_of(formats[i], 0, 4, 1), "/dev/full", &error), VV_ERROR_IO);
        assert_non_null(strstr(error.message, "No space left"));
        assert_int_equal(access("/dev/full", F_OK), 0); /* a device stays */
    }
}

/* ---- out of memory at every place where memory is asked for ---- */

typedef struct memory {
    int left, held;
} memory;

static void *give_memory(void *user, size_t size, size_t alignment)
{
    memory *m = user;
    void *p = m->left-- > 0 ? aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment) : NULL;
    m->held += p != NULL;
    return p;
}

static void take_back(void *user, void *p, size_t size)
{
    (void)size;
    ((memory *)user)->held -= p != NULL;
    free(p);
}

static void test_no_memory(void **state)
{
    (void)state;
    vvError error, other;
    vvRun *run;
    must(vvRunOpen(RUN, &run, &error), &error);
    for (int i = 0; i < format_count(); i++) {
        char path[512];
        vvExportDef def = frames_of(formats[i], 0, 130, 65);
        snprintf(path, sizeof path, "%s/memory.%s", FOLDER, formats[i]);
        vvStatus status = VV_ERROR_MEMORY;
        for (int k = 0; k < 2000 && status != VV_OK; k++) {
            memory m = { k, 0 };
            vvAllocator mine = { give_memory, take_back, &m };
            must(vvSetThreadAllocator(&mine, &other), &other);
            status = vvRunExport(run, &def, path, &error);
            must(vvSetThreadAllocator(NULL, &other), &other);
            assert_int_equal(m.held, 0);
            if (status == VV_OK)
                assert_true(k > 5);
            else
                assert_int_equal(status, VV_ERROR_MEMORY);
            assert_int_equal(files_with("memory", ".part"), 0);
            if (status != VV_OK && i >= 2) /* of sequences and caches, whole files before the failure stay */
                assert_int_equal(files_of("memory"), 0);
        }
        assert_int_equal(status, VV_OK);
        if (system("rm -f " FOLDER "/memory*") != 0)
            fail();
    }
    vvRunFree(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ply),          cmocka_unit_test(test_pc2),        cmocka_unit_test(test_glb),
        cmocka_unit_test(test_glb_names),    cmocka_unit_test(test_glb_absent), cmocka_unit_test(test_usda),
        cmocka_unit_test(test_wrong_wishes), cmocka_unit_test(test_exploded),   cmocka_unit_test(test_own_files),
        cmocka_unit_test(test_full_disk),    cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
