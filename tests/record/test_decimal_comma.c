/* What is read and written as data is the same in every locale: a host with a decimal comma (de_DE), with a decimal
 * mark of two bytes (ps_AF) or with an i whose capital is not I (tr_TR) writes byte for byte the files of the "C"
 * locale, reads the same from them, and keeps its locale. */
#include "world_support.h"

#include "mesh/mesh.h"
#include "mesh_samples.h"
#include "mesh_support.h"
#include "visviva/run.h"
#include "visviva/scene.h"
#include "visviva/settings.h"

#include <locale.h>
#include <sys/stat.h>

#define FOLDER VV_BUILD_DIR "/test_decimal_comma_files"

static vvError error;

#if defined(__SANITIZE_ADDRESS__) /* glibc never frees what it makes of LOCPATH */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:argz\nleak:__argz_add_sep"; }
#endif

/* ---- what the host sees: all that is said, and numbers as their bytes, in a file ---- */

static FILE *seen;

static void see(const char *text) { fprintf(seen, "%s\n", text); }

static void see_numbers(const double *values, int count)
{
    if (count > 0)
        fwrite(values, sizeof *values, (size_t)count, seen);
}

static void see_status(vvStatus status) { see(status != VV_OK ? error.message : "ok"); }

static void hear(void *user, vvLogLevel level, const char *message)
{
    (void)level;
    assert_string_equal(localeconv()->decimal_point, user); /* callbacks run in the host's locale */
    see(message);
}

/* ---- meshes ---- */

static void read_mesh(const char *path)
{
    vvMesh mesh;
    vvStatus status = vvMeshRead(path, &mesh, NULL, &error);
    see(path);
    see_status(status);
    see_numbers(mesh.positions, 3 * mesh.vertexCount);
    vvMeshDestroy(&mesh);
}

/* In every format that holds it, and back. */
static void write_mesh(const char *name, const vvMesh *mesh)
{
    const vv_format *format;
    for (int i = 0; (format = vv_mesh_format(i)); i++) {
        char path[64], ending[ENDING_LENGTH];
        snprintf(path, sizeof path, "%s-%s%s", name, format->info.name, format_ending(format, ending));
        if (format->write && vvMeshWrite(mesh, path, format->info.name, &error) == VV_OK)
            read_mesh(path);
    }
}

static void read_text(const char *path, const char *text, size_t size)
{
    save_bytes(path, text, size);
    read_mesh(path);
}

static void meshes(void)
{
    static double x[] = { 0.1, -2.5, 1.0 / 3, 1e-7, 1.25, 1e21, 7, 0.5, 123456.789, 0.30000000000000004, 5e-324, 8.5 };
    static int tet[] = { 0, 1, 2, 3 }, edges[] = { 0, 1, 1, 2 }, points[] = { 0, 1, 2, 3 };
    vvMesh box, lines = { .vertexCount = 3, .positions = x, .edgeCount = 2, .edges = edges };
    vvMesh cloud = { .vertexCount = 4, .positions = x, .pointCount = 4, .points = points };
    static double line[] = { 0.5, 0, 0, 0, 0, 0, 1e-9, 0, 0, 0.25, 0, 0 };
    vvMesh flat = { .vertexCount = 4, .positions = line, .tetCount = 1, .tets = tet };
    assert_ok(generate_mesh("ball", (double[]){ 0.123456789012345, 2 }, &box, &error));
    write_mesh("box", &box);
    write_mesh("lines", &lines);
    write_mesh("cloud", &cloud);
    see_status(vvMeshFinish(&flat, NULL, &error));
    vvMeshDestroy(&box);
    for (int i = 0; i < MESH_SAMPLES; i++) {
        char path[64];
        snprintf(path, sizeof path, "sample-%d%s", i, mesh_samples[i].ending);
        read_text(path, mesh_samples[i].text, mesh_samples[i].size);
    }
#define READ(path, text) read_text(path, text, sizeof text - 1)
    READ("capitals.mesh", "MESHVERSIONFORMATTED 1\nDIMENSION 3\nVERTICES\n3\n0.5 0 0 0\n1 0 0 0\n0 1.5D0 0 0\n"
                          "TRIANGLES\n1\n1 2 3 0\nEND\n");
    READ("capitals.stl", "SOLID a\nFACET NORMAL 0 0 1\nOUTER LOOP\nVERTEX 0.5 0 0\nVERTEX 1 0 0\nVERTEX 0 1e-1 0\n"
                         "ENDLOOP\nENDFACET\nENDSOLID\n");
    READ("small.vtk", "# vtk datafile version 3.0\nt\nascii\ndataset polydata\npoints 3 double\n0.5 0 0 1 0 0 0 1 0\n"
                      "polygons 1 4\n3 0 1 2\n");
    READ("CAPITALS.OBJ", "v 0.5 0 0\nv 1 0 0\nv 0 .1234567890123456789012345 0\nf 1 2 3\n");
    READ("comma.obj", "v 0,5 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    READ("large.obj", "v 1.5e300 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
}

/* ---- scenes ---- */

static const char scene_text[] =
    "{ 'visviva': 1, 'name': 'comma', 'gravity': [0.25, -9.81, 0], 'time': { 'step': '1/60', 'end': 0.5 },"
    "  'contact': { 'distance': '0.3%' },"
    "  'materials': { 'cloth': { 'model': 'stvk-membrane', 'density': 100.5, 'thickness': 1e-2 } },"
    "  'bodies': [ { 'name': 'one', 'mesh': { 'box': { 'cells': [1, 2, 1], 'size': [0.1, 0.125, 0.1] } },"
    "                'place': { 'translate': [0, 0.07, 0] }, 'velocity': { 'linear': [0, -0.5, 0] } },"
    "              { 'name': 'two', 'mesh': { 'file': 'cloth.obj' }, 'material': 'cloth',"
    "                'triangle_thickness': 'thickness.txt' } ],"
    "  'obstacles': [ { 'plane': {}, 'friction': 0.35 },"
    "                 { 'heightfield': {}, 'heights': { 'file': 'heights.csv' } } ] }";

static vvScene *scene_of(const char *const *overrides, int count)
{
    static char text[sizeof scene_text];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = scene_text[i] == '\'' ? '"' : scene_text[i];
    vvScene *scene = NULL;
    see_status(vvSceneParse(text, "s", ".", overrides, count, &scene, &error));
    return scene;
}

static void try_override(const char *override) { vvSceneDestroy(scene_of(&override, 1)); }

static vvScene *scenes(void)
{
    static const char cloth[] = "v 1.5 0.5 0\nv 2.5 0.5 0\nv 1.5 0.5 1.25\nf 1 2 3\n";
    static const char heights[] = "-0.5,-0.25\n-.125,-1e-1\n";
    save_bytes("cloth.obj", cloth, sizeof cloth - 1);
    save_bytes("heights.csv", heights, sizeof heights - 1);
    save_bytes("thickness.txt", "0.0125\n", 7);
    try_override("time.step=-0.25");
    try_override("gravity=0.5");
    try_override("gravity=[0.5, 0,25, 0]x");
    try_override("time.step=\"1,5/60\"");
    try_override("contact.distance=\"0,5%\"");
    try_override("bodies[0].material.poisson=0.75");
    const char *overrides[] = { "time.step=0.0125", "solver.tolerance=1.5e-3", "gravity=[0, -9.8125, 0]",
                                "contact.friction_speed=\"0.5%\"" };
    vvScene *scene = scene_of(overrides, 4);
    if (scene)
        save_bytes("scene.json", vvSceneText(scene), strlen(vvSceneText(scene)));
    return scene;
}

/* A part of a world as a scene, and that scene as a world. */
static void extract(const vvScene *scene, vvWorld *world)
{
    vvScene *part = NULL;
    vvWorld *again = NULL;
    assert_ok(vvSceneWriteExtract(scene, world, (const char *[]){ "one" }, 1, "part.json", &error));
    assert_ok(vvSceneLoad("part.json", NULL, 0, &part, &error));
    assert_ok(vvSceneCreateWorld(part, 1, &again, &error));
    see_numbers(vvWorldPositions(again), 3 * vvWorldNodeCount(again));
    vvWorldDestroy(again);
    vvSceneDestroy(part);
}

/* ---- runs ---- */

static void go_on(vvRunWriter *writer, vvWorld *world)
{
    for (int i = 0; i < 3; i++) {
        vvStepReport report;
        assert_ok(vvWorldStep(world, &report, &error));
        assert_ok(vvRunAddStep(writer, world, &report, &error));
        assert_ok(vvRunAddFrame(writer, world, &error));
    }
    assert_ok(vvRunClose(writer, "done", &error));
}

/* A run that is resumed, with settings that change; and what it says. */
static void record(const vvScene *scene, vvWorld *world)
{
    vvRunWriter *writer;
    vvRun *run;
    assert_ok(vvWorldBake(world, &error));
    assert_ok(vvRunCreate("run.vtkhdf", world, "comma", vvSceneText(scene), &writer, &error));
    assert_ok(vvWorldSetGravity(world, (double[]){ 0.125, -9.75, 0 }, &error));
    assert_ok(vvWorldSetTimeStep(world, 0.015, &error));
    go_on(writer, world);
    assert_ok(vvRunResume("run.vtkhdf", world, NULL, &writer, &error));
    assert_ok(vvWorldSetFriction(world, vvWorldBody(world, 0), vvWorldBody(world, 1), 0.625, &error));
    go_on(writer, world);
    assert_ok(vvRunOpen("run.vtkhdf", &run, &error));
    see(vvRunSceneText(run));
    for (int i = 0; i < vvRunChangeCount(run); i++)
        see(vvRunChange(run, i, NULL));
    assert_true(vvRunChangeCount(run) >= 2);
    vvRunFree(run);
    see_status(vvWorldSetTimeStep(world, -0.5, &error));
}

static void make_world_and_run(const char *mark)
{
    vvScene *scene = scenes();
    if (!scene)
        return; /* `seen` says why */
    vvWorld *world = NULL;
    vvHost host = { .log = { hear, (void *)(uintptr_t)mark } };
    assert_ok(vvSceneCreateHostedWorld(scene, 1, &host, &world, &error));
    record(scene, world);
    extract(scene, world);
    vvWorldDestroy(world);
    vvSceneDestroy(scene);
}

/* Of the run that the "C" locale made, which comes first: in another one the seconds that its steps took are others. */
static void export(void)
{
    vvRun *run;
    if (access("../first.vtkhdf", R_OK) != 0)
        assert_int_equal(link("run.vtkhdf", "../first.vtkhdf"), 0);
    assert_ok(vvRunOpen("../first.vtkhdf", &run, &error));
    for (int i = 0; vvExportFormatInfo(i); i++) {
        const char *name = vvExportFormatInfo(i)->name;
        char path[64];
        snprintf(path, sizeof path, "export-%s.%s", name, strcmp(name, "vtu") == 0 ? "pvd" : name);
        vvExportDef def = vvDefaultExportDef();
        def.format = name;
        def.velocities = strcmp(name, "usda") == 0 || strcmp(name, "ply") == 0;
        assert_ok(vvRunExport(run, &def, path, &error));
    }
    vvRunFree(run);
}

/* ---- all of it in a locale ---- */

/* In a folder that gets its name at the end: scenes hold names of files in full. */
static void all_in(const char *folder)
{
    char mark[16];
    snprintf(mark, sizeof mark, "%s", localeconv()->decimal_point);
    mkdir("now", 0777);
    assert_int_equal(chdir("now"), 0);
    seen = fopen("seen", "wb");
    assert_non_null(seen);
    meshes();
    make_world_and_run(mark);
    export();
    fclose(seen);
    assert_int_equal(chdir(".."), 0);
    assert_int_equal(rename("now", folder), 0);
    assert_string_equal(localeconv()->decimal_point, mark);
}

/* Run files hold times of the clock. */
static void compare(const char *folder)
{
    char command[100];
    snprintf(command, sizeof command, "diff -rq -x '*.vtkhdf' C %s", folder);
    assert_int_equal(system(command), 0);
}

static int setup(void **state)
{
    (void)state;
    if (system("rm -rf " FOLDER) || mkdir(FOLDER, 0777) || chdir(FOLDER))
        return -1;
    setenv("LOCPATH", FOLDER "/locales", 1);
    mkdir("locales", 0777);
    all_in("C");
    return 0;
}

/* Whatever has failed. */
static int back(void **state)
{
    (void)state;
    setlocale(LC_ALL, "C");
    uselocale(LC_GLOBAL_LOCALE);
    return chdir(FOLDER) || system("rm -rf now");
}

/* Makes the locale from its sources (Debian: locales) where no one has installed it. */
static void make_locale(const char *language, const char *letters, char name[32])
{
    char command[300];
    snprintf(name, 32, "%s.%s", language, letters);
    snprintf(command, sizeof command, "test -d locales/%s || localedef -i %s -f %s locales/%s >locales/said 2>&1", name,
             language, letters, name);
    if (system(command) != 0) {
        print_message("skipped: localedef cannot make %s (Debian: locales)\n", name);
        skip();
    }
}

static void whole_process(const char *language, const char *letters, const char *mark)
{
    char name[32];
    make_locale(language, letters, name);
    assert_non_null(setlocale(LC_ALL, name));
    assert_string_equal(localeconv()->decimal_point, mark);
    all_in(language);
    assert_string_equal(setlocale(LC_ALL, NULL), name);
    compare(language);
}

static void decimal_comma(void **state)
{
    (void)state;
    whole_process("de_DE", "UTF-8", ",");
}
static void mark_of_two_bytes(void **state)
{
    (void)state;
    whole_process("ps_AF", "UTF-8", "\u066B");
}
static void two_letters_i(void **state)
{
    (void)state;
    whole_process("tr_TR", "ISO-8859-9", ",");
}

static void one_thread(void **state)
{
    (void)state;
    char name[32];
    make_locale("de_DE", "UTF-8", name);
    locale_t german = newlocale(LC_ALL_MASK, name, (locale_t)0);
    assert_non_null(german);
    locale_t before = uselocale(german);
    all_in("thread");
    assert_ptr_equal(uselocale(before), german);
    freelocale(german);
    compare("thread");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(decimal_comma, back),
        cmocka_unit_test_teardown(mark_of_two_bytes, back),
        cmocka_unit_test_teardown(two_letters_i, back),
        cmocka_unit_test_teardown(one_thread, back),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
