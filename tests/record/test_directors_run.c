/* Runs of bodies with directors: resumed to the same bits, and read, exported and drawn as if only their vertices
 * were there. The kind of elements is the test's own (spoke_kind.h). */
#include "world_support.h"
#include "spoke_kind.h"
#include "resume_support.h"

#include <sys/stat.h>

enum { STEPS = 8, FRAMES = 5, LINKS = 6 };
#define FOLDER VV_BUILD_DIR "/test_directors_run_files"
#define RUN FOLDER "/run.vtkhdf"

/* A sheet and a chain with directors, and a block, all in one world. */
static vvWorld *make_world(void)
{
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 5e-3, 1e-9);
    d.gravity[1] = -9.8;
    vvWorld *w = new_world(&d);
    vvMesh mesh = { 0 };
    vvMaterialDef spokes = vvDefaultMaterialDef(), solid = material("stvk", 1e5);
    spokes.model = "spoke", spokes.thickness = 0.01, spokes.springStiffness = 30;
    vvBodyDef def = vvDefaultBodyDef();
    assert_ok(generate_mesh("cloth", (double[]){ 0.5, 0.4, 4, 3 }, &mesh, &error));
    def.material.model = "hooke", def.material.density = 2;
    def.moreMaterials = &spokes, def.moreMaterialCount = 1;
    vvBodyId sheet = add_mesh(w, &mesh, &def);
    vvAttachDef a = vvDefaultAttachDef();
    a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .b = { 1, 100, 100 } };
    a.clamp = true;
    attach(w, sheet, &a);
    add_cube(w, 0.2, 1, &solid);
    double x[3 * (LINKS + 1)];
    int edges[2 * LINKS];
    for (int i = 0; i <= LINKS; i++)
        x[3 * i] = 0.1 * i, x[3 * i + 1] = 0.02 * i * i, x[3 * i + 2] = 0;
    for (int i = 0; i < 2 * LINKS; i++)
        edges[i] = (i + 1) / 2;
    set_state(w, add_edges(w, LINKS + 1, x, LINKS, edges, &spokes), "angular", (double[]){ 1, 2, 3, NAN, NAN, NAN });
    return w;
}

static void record(vvRunWriter *writer, vvWorld *w)
{
    vvError error = { 0 };
    vvStepReport report;
    while (vvWorldStepIndex(w) < STEPS) {
        assert_ok(vvWorldStep(w, &report, &error));
        assert_ok(vvRunAddStep(writer, w, &report, &error));
        if (vvWorldStepIndex(w) % 2 == 0)
            assert_ok(vvRunAddFrame(writer, w, &error));
    }
    assert_ok(vvRunClose(writer, "done", &error));
}

static int setup(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvRunWriter *writer;
    mkdir(FOLDER, 0777);
    vvWorld *w = make_world();
    assert_ok(vvWorldBake(w, &error));
    assert_ok(vvRunCreate(RUN, w, "directors", "{}", &writer, &error));
    record(writer, w);
    vvWorldDestroy(w);
    return 0;
}

static void resumed_to_the_same_bits(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvRunWriter *writer;
    vvRun *run;
    vvWorld *w = make_world();
    size_t n = 3 * (size_t)vvWorldNodeCount(w);
    double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y);
    assert_ok(vvRunOpen(RUN, &run, &error));
    assert_int_equal(vvRunFrameCount(run), FRAMES);
    assert_int_equal(vvRunNodeCount(run), vvWorldNodeCount(w));
    assert_ok(vvRunReadFrame(run, FRAMES - 1, x, NULL, &error));
    vvRunFree(run);
    assert_ok(resume_at(RUN, w, 2, &writer, &error));
    record(writer, w);
    assert_memory_equal(vvWorldPositions(w), x, n * sizeof *x);
    assert_ok(vvRunOpen(RUN, &run, &error));
    assert_ok(vvRunReadFrame(run, FRAMES - 1, y, NULL, &error));
    assert_memory_equal(y, x, n * sizeof *x);
    vvRunFree(run);
    free(x), free(y);
    vvWorldDestroy(w);
}

static void vertices_and_directors_are_told_apart(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvRun *run;
    vvWorld *w = make_world();
    assert_ok(vvRunOpen(RUN, &run, &error));
    for (int b = 0; b < 3; b++) {
        vvBodyElements e;
        int first;
        vvBodyGetElements(w, vvWorldBody(w, b), &e);
        vvBodyNodes(w, vvWorldBody(w, b), &first, NULL);
        const vvRunBody *body = vvRunGetBody(run, b);
        assert_true(body->firstNode == first && body->nodeCount == e.vertexCount && body->vertexCount == e.vertexCount);
        assert_int_equal(body->directorCount, b == 1 ? 0 : e.edgeCount);
    }
    vvRunFree(run);
    vvWorldDestroy(w);
}

/* How often the word begins a line (or stands anywhere, any line), and the number behind its first place. */
static int count_of(const char *path, const char *word, bool anywhere, int *number)
{
    char line[4096];
    int count = 0;
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        const char *at = anywhere ? strstr(line, word) : strncmp(line, word, strlen(word)) == 0 ? line : NULL;
        if (at && count++ == 0 && number)
            *number = atoi(at + strlen(word));
    }
    fclose(f);
    return count;
}

static void exports_hold_vertices(void **state)
{
    (void)state;
    static const char *const formats[] = { "vtu", "obj", "ply", "pc2", "usda", "glb", "csv" };
    enum { VERTICES = 5 * 4 + 8 + LINKS + 1 };
    vvError error = { 0 };
    vvRun *run;
    char path[512];
    int number = 0;
    assert_ok(vvRunOpen(RUN, &run, &error));
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        vvExportDef def = vvDefaultExportDef();
        def.format = formats[i];
        snprintf(path, sizeof path, "%s/out.%s", FOLDER, strcmp(formats[i], "vtu") == 0 ? "pvd" : formats[i]);
        vvStatus status = vvRunExport(run, &def, path, &error);
        if (status != VV_ERROR_UNSUPPORTED) /* glb without jansson */
            assert_ok(status);
    }
    vvRunFree(run);
    assert_int_equal(count_of(FOLDER "/out_000004.obj", "v ", false, NULL), VERTICES);
    assert_true(count_of(FOLDER "/out/out_000004.vtu", "NumberOfPoints=\"", true, &number) > 0);
    assert_int_equal(number, VERTICES);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(resumed_to_the_same_bits),
                                        cmocka_unit_test(vertices_and_directors_are_told_apart),
                                        cmocka_unit_test(exports_hold_vertices) };
    return cmocka_run_group_tests(tests, setup, NULL);
}
