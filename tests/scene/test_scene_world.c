/* Scenes on the real world: defaults are the library's, initial velocities have the momenta that the scene file
 * promises, a body may list several materials, and every shipped scene makes a world. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "visviva/scene.h"

/* Single quotes stand for double ones. */
static vvWorld *make(const char *text)
{
    char *json = strdup(text);
    for (char *p = json; *p; p++)
        if (*p == '\'')
            *p = '"';
    vvScene *scene = NULL;
    vvWorld *world = NULL;
    vvError error = { 0 };
    if (vvSceneParse(json, "s", ".", NULL, 0, &scene, &error) || vvSceneCreateWorld(scene, 1, &world, &error))
        fail_msg("%s\n%s", error.message, text);
    vvSceneDestroy(scene);
    free(json);
    return world;
}

static void refused(const char *json, const char *word)
{
    vvScene *scene = NULL;
    vvWorld *none = NULL;
    vvError error = { 0 };
    vvStatus status = vvSceneParse(json, "s", ".", NULL, 0, &scene, &error);
    if (status == VV_OK)
        status = vvSceneCreateWorld(scene, 1, &none, &error);
    assert_int_equal(status, VV_ERROR_INPUT);
    if (!strstr(error.message, word))
        fail_msg("%s", error.message);
    vvSceneDestroy(scene);
}

/* The number in the table's column of defaults; fails where the key is not in the table. */
static double documented(const char *path)
{
    const vvSceneKey *key;
    for (int i = 0; (key = vvSceneKeyInfo(i)); i++)
        if (strcmp(key->path, path) == 0)
            return atof(key->fallback);
    fail_msg("no key %s", path);
    return 0;
}

static void test_defaults(void **state)
{
    (void)state;
    vvWorld *world =
        make("{ 'visviva': 1, 'bodies': [ { 'mesh': { 'box': { 'cells': [1, 1, 1] } } } ], 'contact': {} }");
    const vvWorldDef *got = vvWorldGetDef(world);
    vvWorldDef want = vvDefaultWorldDef();
    assert_string_equal(got->integrator.scheme, want.integrator.scheme);
    assert_string_equal(got->integrator.policy, want.integrator.policy);
    assert_string_equal(got->solver.method, want.solver.method);
    assert_string_equal(got->solver.linear, want.solver.linear);
    assert_string_equal(got->solver.hessian, want.solver.hessian);
    assert_string_equal(got->solver.lineSearch, want.solver.lineSearch);
    assert_string_equal(got->contact.model, want.contact.model);
    assert_true(got->timeStep == want.timeStep);
    for (int k = 0; k < 3; k++)
        assert_true(got->gravity[k] == want.gravity[k]);
    /* the defaults of the page are those in use */
    assert_true(want.integrator.startFraction == documented("integrator.start_fraction"));
    /* by default they depend on the scene: test_lengths */
    assert_true(want.solver.tolerance == 0 && want.contact.distance == 0);
    assert_true(want.solver.gradientTolerance == documented("solver.gradient_tolerance"));
    assert_true(want.solver.forceTolerance == documented("solver.force_tolerance"));
    assert_true(want.solver.contactTolerance == documented("solver.contact_tolerance"));
    assert_true(want.solver.velocityTolerance == documented("solver.velocity_tolerance"));
    assert_true(want.solver.maxIterations == documented("solver.max_iterations"));
    assert_true(want.solver.linearTolerance == documented("solver.linear_tolerance"));
    assert_true(want.contact.stiffness == documented("contact.stiffness"));
    assert_true(want.contact.friction == documented("contact.friction"));
    assert_true(want.contact.frictionIterations == documented("contact.friction_iterations"));
    assert_true(want.contact.frictionTolerance == documented("contact.friction_tolerance"));
    assert_true(want.contact.springs.stiffness == documented("contact.springs.stiffness"));
    vvMaterialDef material = vvDefaultMaterialDef();
    assert_true(material.young == documented("materials.NAME.young"));
    assert_true(material.poisson == documented("materials.NAME.poisson"));
    assert_true(material.density == documented("materials.NAME.density"));
    assert_true(material.springStiffness == documented("materials.NAME.stiffness"));
    assert_true(material.bendStiffness == documented("materials.NAME.bend_stiffness"));
    vvWorldDestroy(world);
}

/* A cube of 2 kg and 0.5 m, turning with 3 rad/s about its centre and flying: lumped masses turn about the centre of
 * mass with their own moment of inertia, m a^2/6 to the mesh's accuracy. */
static void test_velocities(void **state)
{
    (void)state;
    vvWorld *world =
        make("{ 'visviva': 1, 'gravity': [0, 0, 0], 'bodies': [ { 'material': { 'mass': 2 },"
             "'mesh': { 'box': { 'size': [0.5, 0.5, 0.5], 'cells': [8, 8, 8] } }, 'place': { 'translate': [1, 2, 3] },"
             "'velocity': { 'linear': [0, 4, 0], 'angular': [0, 0, 3] } } ] }");
    vvLedgerRow row;
    vvError error = { 0 };
    if (vvWorldBake(world, &error) || vvWorldLedger(world, &row, &error))
        fail_msg("%s", error.message);
    double inertia = 0, mass = 0;
    for (int i = 0; i < vvWorldNodeCount(world); i++) {
        const double *x = vvWorldPositions(world) + 3 * (size_t)i, m = vvWorldMasses(world)[i];
        inertia += m * ((x[0] - 1) * (x[0] - 1) + (x[1] - 2) * (x[1] - 2));
        mass += m;
    }
    assert_true(fabs(mass - 2) < 1e-12);
    assert_true(fabs(inertia / (2 * 0.25 / 6) - 1) < 0.05);
    assert_true(fabs(row.momentum[1] - 8) < 1e-12 && fabs(row.momentum[0]) < 1e-12);
    assert_true(fabs(row.angularMomentumCentre[2] - 3 * inertia) < 1e-12);
    assert_true(fabs(row.kinetic - (0.5 * 2 * 16 + 0.5 * inertia * 9)) < 1e-10);
    vvWorldDestroy(world);
}

/* velocity.about: the point stands still. */
static void test_about(void **state)
{
    (void)state;
    vvWorld *world = make("{ 'visviva': 1, 'bodies': [ { 'mesh': { 'box': { 'size': [2, 2, 2], 'cells': [1, 1, 1] } },"
                          "'velocity': { 'angular': [0, 0, 15], 'about': [-1, -1, 0] } } ] }");
    const double *x = vvWorldPositions(world), *v = vvWorldVelocities(world);
    for (int i = 0; i < vvWorldNodeCount(world); i++, x += 3, v += 3) {
        assert_true(fabs(v[0] + 15 * (x[1] + 1)) < 1e-12);
        assert_true(fabs(v[1] - 15 * (x[0] + 1)) < 1e-12);
        assert_true(v[2] == 0);
    }
    vvWorldDestroy(world);
}

/* A grid of equal bodies: numbered with x first, the rest of the entry holds for each. */
static void test_copies(void **state)
{
    (void)state;
    vvWorld *world = make(
        "{ 'visviva': 1, 'bodies': [ { 'name': 'cube', 'mesh': { 'box': { 'size': [1, 1, 1], 'cells': [1, 1, 1] } },"
        "'place': { 'translate': [10, 0, 0] }, 'copies': { 'count': [2, 1, 3], 'step': [2, 9, 4] },"
        "'attach': [ { 'where': { 'percent': [[0, 0, 0], [100, 1, 100]] } } ], 'velocity': { 'linear': [0, 3, 0] } } ] "
        "}");
    assert_int_equal(vvWorldBodyCount(world), 6);
    assert_string_equal(vvBodyName(world, vvWorldBody(world, 0)), "cube 1");
    assert_string_equal(vvBodyName(world, vvWorldBody(world, 5)), "cube 6");
    vvError error = { 0 };
    assert_int_equal(vvWorldBake(world, &error), VV_OK);
    vvRegion bottom = { .kind = VV_REGION_PERCENT, .b = { 100, 1, 100 } };
    for (int b = 0; b < 6; b++) {
        int first, count, held[4];
        vvBodyNodes(world, vvWorldBody(world, b), &first, &count);
        assert_int_equal(count, 8);
        double centre[3] = { 0 };
        for (int i = 0; i < 3 * count; i++)
            centre[i % 3] += vvWorldPositions(world)[3 * first + i] / count;
        assert_true(fabs(centre[0] - 10 - 2 * (b % 2)) < 1e-12 && fabs(centre[1]) < 1e-12 &&
                    fabs(centre[2] - 4 * (b / 2)) < 1e-12);
        assert_int_equal(vvBodySelect(world, vvWorldBody(world, b), &bottom, held, 4), 4);
        for (int i = first; i < first + count; i++) {
            bool fixed = false;
            for (int k = 0; k < 4; k++)
                fixed = fixed || held[k] == i;
            assert_true(fabs(vvWorldVelocities(world)[3 * i + 1] - (fixed ? 0 : 3)) < 1e-12);
        }
    }
    vvWorldDestroy(world);
    world = make(
        "{ 'visviva': 1, 'bodies': [ { 'name': 'cube', 'mesh': { 'box': {} }, 'copies': { 'count': [1, 1, 1] } } ] }");
    assert_string_equal(vvBodyName(world, vvWorldBody(world, 0)), "cube 1");
    vvWorldDestroy(world);
}

/* A body's carried surface, from a generator and scaled with the body; one that does not fit names its place. */
static void test_surface(void **state)
{
    (void)state;
    vvWorld *world = make("{ 'visviva': 1, 'bodies': [ { 'mesh': { 'ball': { 'cells': 3 } }, 'place': { 'scale': 2 },"
                          "'surface': { 'ball': { 'cells': 8 } } } ] }");
    vvBodySurface s;
    vvError error = { 0 };
    vvBodyGetSurface(world, vvWorldBody(world, 0), &s);
    assert_int_equal(s.triangleCount, 20 * 8 * 8);
    double *x = malloc(3 * (size_t)s.vertexCount * sizeof *x);
    assert_non_null(x);
    assert_int_equal(vvBodySurfacePositions(world, vvWorldBody(world, 0), NULL, x, &error), VV_OK);
    assert_int_equal(s.vertexCount, 10 * 8 * 8 + 2); /* its boundary, on the sphere */
    for (int v = 0; v < s.vertexCount; v++)
        assert_true(fabs(sqrt(x[3 * v] * x[3 * v] + x[3 * v + 1] * x[3 * v + 1] + x[3 * v + 2] * x[3 * v + 2]) - 0.1) <
                    1e-9);
    free(x);
    vvWorldDestroy(world);

    static const char *const bad[][2] = {
        { "{ \"visviva\": 1, \"bodies\": [ { \"mesh\": { \"ball\": {} }, \"surface\": { \"ball\": { \"radius\": 1 } } "
          "} ] }",
          "outside the tets" },
        { "{ \"visviva\": 1, \"bodies\": [ { \"mesh\": { \"ball\": {} }, \"surface\": { \"file\": \"nowhere.obj\" } } "
          "] }",
          "bodies[0].surface.file" },
        { "{ \"visviva\": 1, \"bodies\": [ { \"mesh\": { \"ball\": {} }, \"surface\": {} } ] }", "bodies[0].surface" },
        { "{ \"visviva\": 1, \"bodies\": [ { \"mesh\": { \"cloth\": {} }, \"surface\": { \"cloth\": {} } } ] }",
          "tetrahedra" },
        { "{ \"visviva\": 1, \"bodies\": [ { \"mesh\": { \"ball\": {} }, \"surface\": { \"collides\": true } } ] }",
          "exactly one of" },
        { "{ \"visviva\": 1, \"bodies\": [ { \"mesh\": { \"ball\": {} }, \"surface\": { \"ball\": {}, \"collides\": 1 "
          "} } ] }",
          "bodies[0].surface.collides" },
        { "{ \"visviva\": 1, \"bodies\": [ { \"mesh\": { \"ball\": { \"collides\": true } } } ] }", "collides" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused(bad[i][0], bad[i][1]);
}

/* Two energies on one cloth, with and without the second: both act. One that the mesh has no cells for is refused. */
static void test_materials(void **state)
{
    (void)state;
#define CLOTH(material)                                                                                          \
    "{ \"visviva\": 1, \"materials\": { \"h\": { \"model\": \"hooke\", \"density\": 0.2 }, \"s\": { \"model\": " \
    "\"stvk-spring\","                                                                                           \
    "\"stiffness\": 300 }, \"a\": { \"model\": \"arap\" } }, \"bodies\": [ { \"mesh\": { \"cloth\": {} }, "      \
    "\"material\": " material ", \"start\": [ { \"stretch\": { \"factor\": [1.5, 1, 1] } } ] } ] }"
    static const char *const lists[] = { "\"h\"", "\"s\"", "[ \"h\", \"s\" ]" };
    double elastic[3];
    for (int i = 0; i < 3; i++) {
        char text[600];
        snprintf(text, sizeof text, CLOTH("%s"), lists[i]);
        vvWorld *world = make(text);
        vvLedgerRow row;
        vvError error = { 0 };
        assert_int_equal(vvWorldLedger(world, &row, &error), VV_OK);
        elastic[i] = row.elastic;
        vvWorldDestroy(world);
    }
    assert_true(elastic[0] > 0 && elastic[1] > 0);
    assert_true(fabs(elastic[2] - elastic[0] - elastic[1]) < 1e-12 * elastic[2]);
    refused(CLOTH("[ \"h\", \"a\" ]"), "bodies[0]: material model \"arap\" is for tetrahedra");
    refused(CLOTH("[ \"h\", \"h\" ]"), "bodies[0]: two materials of the body have the model \"hooke\"");
}

/* An override of one member of a surface leaves the others where they are no choice against it. */
static void test_surface_collides(void **state)
{
    (void)state;
    static const char text[] = "{ \"visviva\": 1, \"bodies\": [ { \"mesh\": { \"ball\": {} }, \"surface\": { \"ball\": "
                               "{ \"cells\": 8 } } } ] }";
    const char *const sets[] = { "bodies[0].surface.collides=true",
                                 "bodies[0].surface.box={\"size\":[0.05,0.05,0.05],\"cells\":[4,4,4]}",
                                 "bodies[0].mesh.ball.radius=0.07" };
    for (int count = 0; count < 4; count++) {
        vvScene *scene = NULL;
        vvWorld *world = NULL;
        vvError error = { 0 };
        if (vvSceneParse(text, "s", ".", sets, count, &scene, &error) || vvSceneCreateWorld(scene, 1, &world, &error))
            fail_msg("%s", error.message);
        vvBodySurface s;
        vvBodyGetSurface(world, vvWorldBody(world, 0), &s);
        assert_int_equal(s.triangleCount, count < 2 ? 20 * 8 * 8 : 6 * 2 * 16);
        assert_int_equal(vvBodySurfaceCollides(world, vvWorldBody(world, 0)), count > 0);
        vvWorldDestroy(world);
        vvSceneDestroy(scene);
    }
}

/* ---- surfaces that are filled, or should be ---- */

typedef struct heard {
    char info[2000], warnings[2000];
    int progress, stop_at;
    double done;
} heard;

static void hear(void *user, vvLogLevel level, const char *message)
{
    heard *h = user;
    char *to = level == VV_LOG_WARNING ? h->warnings : h->info;
    snprintf(to + strlen(to), 2000 - strlen(to), "%s\n", message);
}

static void follow(void *user, const char *what, double done)
{
    heard *h = user;
    assert_string_equal(what, "filling shell.obj with tets");
    assert_true(done >= h->done && done <= 1);
    h->done = done;
    h->progress++;
}

static bool stop(void *user)
{
    heard *h = user;
    return h->stop_at && h->progress >= h->stop_at;
}

/* Of a mesh's text, with what was heard; the world may be NULL. */
static vvStatus make_heard(const char *mesh, const char *material, heard *h, vvWorld **world, vvError *error)
{
    char text[800];
    vvScene *scene = NULL;
    const vvHost host = { .log = { hear, h } };
    const vvWatch watch = { stop, follow, h };
    snprintf(text, sizeof text, "{ \"visviva\": 1, \"bodies\": [ { \"mesh\": %s%s%s } ] }", mesh,
             *material ? ", \"material\": " : "", material);
    for (char *p = text; *p; p++)
        if (*p == '\'')
            *p = '"';
    *world = NULL;
    vvStatus status = vvSceneParse(text, "s", ".", NULL, 0, &scene, error);
    vvSceneSetWatch(scene, &watch);
    if (status == VV_OK)
        status = vvSceneCreateHostedWorld(scene, 1, &host, world, error);
    vvSceneDestroy(scene);
    return status;
}

/* The surface of a generated body as shell.obj, less some triangles; its volume. */
static double write_shell(const char *generator, int without)
{
    vvMesh m;
    vvMeshQuality q;
    assert_int_equal(vvMeshGenerate(generator, NULL, 0, &m, NULL), VV_OK);
    vvMeshMeasure(&m, &q);
    m.tetCount = 0;
    m.triangleCount -= without;
    assert_int_equal(vvMeshWrite(&m, "shell.obj", NULL, NULL), VV_OK);
    vvMeshDestroy(&m);
    return q.volume;
}

static int tet_count(vvWorld *world, double *mass)
{
    vvBodyElements elements;
    vvBodyGetElements(world, vvWorldBody(world, 0), &elements);
    *mass = 0;
    for (int i = 0; i < vvWorldNodeCount(world); i++)
        *mass += vvWorldMasses(world)[i];
    return elements.tetCount;
}

static void test_fill(void **state)
{
    (void)state;
    double volume = write_shell("ball", 1), mass; /* with a hole */
    vvWorld *world;
    vvError error;
    heard h = { .stop_at = 0 };
    assert_int_equal(make_heard("{ 'file': 'shell.obj', 'fill': true }", "", &h, &world, &error), VV_OK);
    int tets = tet_count(world, &mass);
    assert_true(tets > 1000 && fabs(mass / (1000 * volume) - 1) < 0.03); /* a solid of water */
    vvWorldDestroy(world);
    assert_string_equal(h.warnings, "");
    assert_non_null(strstr(h.info, "bodies[0].mesh: closed 1 hole of shell.obj, at most 0.00"));
    assert_non_null(strstr(h.info, "bodies[0].mesh: filled shell.obj with "));
    assert_true(h.progress > 1000 && h.done > 0.95);
    int all = h.progress;
    h = (heard){ .stop_at = 0 };
    assert_int_equal(make_heard("{ 'file': 'shell.obj', 'fill': true, 'edge': 0.02 }", "", &h, &world, &error), VV_OK);
    assert_true(tet_count(world, &mass) < tets / 10);
    vvWorldDestroy(world);
    for (int at = 1; at < all; at += all / 5) {
        h = (heard){ .stop_at = at };
        assert_int_equal(make_heard("{ 'file': 'shell.obj', 'fill': true }", "", &h, &world, &error), VV_CANCELLED);
        assert_null(world);
        assert_int_equal(h.progress, at);
    }
}

static void test_what_is_not_filled(void **state)
{
    (void)state;
    vvWorld *world;
    vvError error;
    heard h = { .stop_at = 0 };
    write_shell("ball", 300); /* wide open */
    assert_int_equal(make_heard("{ 'file': 'shell.obj', 'fill': true }", "", &h, &world, &error), VV_ERROR_INPUT);
    if (!strstr(error.message, "s: bodies[0].mesh: ") ||
        !strstr(error.message, "shell.obj: the surface bounds no volume: "))
        fail_msg("%s", error.message);
    write_shell("ball", 0);
    assert_int_equal(make_heard("{ 'file': 'shell.obj', 'fill': true, 'edge': 3 }", "", &h, &world, &error),
                     VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "smaller edge"));
    vvSceneSetWatch(NULL, NULL);
}

/* A closed surface that is not filled is mentioned, unless that was surely meant. */
static void test_skins(void **state)
{
    (void)state;
    static const struct {
        const char *generator, *material;
        int without;
        bool warns;
    } rows[] = { { "ball", "", 0, true },
                 { "ball", "", 1, true }, /* a small hole makes no cloth of it */
                 { "ball", "{ 'young': 1e5 }", 0, true },
                 { "ball", "{ 'model': 'hooke' }", 0, false },
                 { "ball", "{ 'model': 'stvk-spring' }", 0, false },
                 { "ball", "", 200, false },
                 { "cloth", "", 0, false },
                 { "disk", "", 0, false } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        heard h = { .stop_at = 0 };
        vvWorld *world;
        vvError error = { 0 };
        write_shell(rows[i].generator, rows[i].without);
        if (make_heard("{ 'file': 'shell.obj' }", rows[i].material, &h, &world, &error) != VV_OK)
            fail_msg("%s", error.message);
        vvWorldDestroy(world);
        bool warned = strstr(h.warnings, "bodies[0].mesh: shell.obj is a closed surface") &&
                      strstr(h.warnings, " without tets") && strstr(h.warnings, "\"fill\": true");
        if (warned != rows[i].warns || (!warned && h.warnings[0]))
            fail_msg("row %d: %s", (int)i, h.warnings);
    }
}

/* Rest angles come from a file, in degrees; what is wrong is said with its line. */
static void test_rest_angles(void **state)
{
    (void)state;
    static const char scene[] = "{ \"visviva\": 1, \"bodies\": [ { \"mesh\": { \"sheet\": { \"size\": [0.4, 0.4], "
                                "\"edge\": 0.1, \"pattern\": \"diagonal\" } }, "
                                "\"rest_angles\": { \"file\": [\"none.txt\", \"angles.txt\"] }, \"material\": { "
                                "\"model\": \"hinge\", \"thickness\": 0.01, "
                                "\"young\": 1e6 } } ] }";
    static const char *const texts[][2] = {
        { "# two edges\n6 11 90 # a ridge\n\n 12\t6 -45\n", NULL },
        { "6 11 180\n12 6 -180", NULL },
        { "6 11 90\n6 12 1 2\n", "angles.txt:2: more than two vertices" },
        { "6 11\n", "angles.txt:1: " },
        { "6 11 90\n\n-6 12 3\n", "angles.txt:3: the edge's first vertex is -6" },
        { "6 11 200\n", "angles.txt:1: the rest angle is 200 degrees" },
        { "6 8 1\n", "angles.txt:1: rest angle 0 is of vertices 6 and 8, but the mesh has no edge" },
        { "1 0 2\n", "which is on the boundary" },
        { "6 11 3\n#\n11 6 3\n",
          "angles.txt:3: rest angle 1 is of the edge between vertices 11 and 6, whose angle is given before" },
        { "# none\n", "no rest angles" },
        { "6 25 1\n", "angles.txt:1: rest angle 0 is of the edge between vertices 6 and 25; give two different ones "
                      "from 0 to 24" }
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        FILE *file = fopen("angles.txt", "w");
        assert_non_null(file);
        fputs(texts[i][0], file);
        fclose(file);
        if (texts[i][1]) {
            refused(scene, texts[i][1]);
            continue;
        }
        vvWorld *world = make(scene);
        vvLedgerRow row;
        double plate = 1e6 * 1e-6 / 12 / (1 - 0.09), first = i ? M_PI : M_PI / 2, second = i ? M_PI : M_PI / 4;
        assert_int_equal(vvWorldBake(world, NULL), VV_OK);
        assert_int_equal(vvWorldLedger(world, &row, NULL), VV_OK);
        assert_true(fabs(row.elastic / (0.5 * plate * (first * first + 2 * second * second)) - 1) < 1e-12);
        vvWorldDestroy(world);
    }
    unlink("angles.txt");
}

/* Of order 2 a box has a node more on each edge; only tets can be. */
static void test_order(void **state)
{
    (void)state;
    static const int nodes[2] = { 8, 8 + 18 }; /* five tets have 18 edges */
    for (int order = 1; order < 3; order++) {
        char text[400];
        snprintf(text, sizeof text,
                 "{ 'visviva': 1, 'bodies': [ { 'mesh': { 'box': { 'cells': [1, 1, 1], 'split': 5 }, 'order': "
                 "%d } } ] }",
                 order);
        vvWorld *w = make(text);
        assert_int_equal(vvWorldNodeCount(w), nodes[order - 1]);
        vvWorldDestroy(w);
    }
    refused("{ \"visviva\": 1, \"bodies\": [ { \"mesh\": { \"cloth\": {}, \"order\": 2 } } ] }",
            "bodies[0].mesh: cloth: order 2 is for tets");
    refused("{ \"visviva\": 1, \"bodies\": [ { \"mesh\": { \"box\": {}, \"order\": 3 } } ] }", "bodies[0].mesh.order");
    refused("{ \"visviva\": 1, \"bodies\": [ { \"mesh\": { \"box\": {}, \"order\": \"2\" } } ] }",
            "bodies[0].mesh.order: found the text \"2\"; allowed: a whole number from 1 to 2");
    refused("{ \"visviva\": 1, \"bodies\": [ { \"mesh\": { \"box\": { \"cells\": [1, \"4/2\", 1] } } } ] }",
            "bodies[0].mesh.box.cells[1]: found the text \"4/2\"");
    refused(
        "{ \"visviva\": 1, \"bodies\": [ { \"mesh\": { \"box\": {} }, \"surface\": { \"box\": {}, \"order\": 2 } } ] }",
        "bodies[0].surface.order");
}

static void test_shipped(void **state)
{
    (void)state;
    static const char *const names[] = { "rotating-cube-stiff", "bouncing-ball", "twisted-bar-decay", "spinning-cube",
                                         "stretching-bar" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[512];
        vvScene *scene = NULL;
        vvWorld *world = NULL;
        vvError error = { 0 };
        snprintf(path, sizeof path, "%s/scenes/%s.json", VV_SOURCE_DIR, names[i]);
        if (vvSceneLoad(path, NULL, 0, &scene, &error) || vvSceneCreateWorld(scene, 1, &world, &error) ||
            vvWorldBake(world, &error) || vvWorldStep(world, NULL, &error))
            fail_msg("%s: %s", names[i], error.message);
        vvWorldDestroy(world);
        vvSceneDestroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),  cmocka_unit_test(test_velocities),  cmocka_unit_test(test_about),
        cmocka_unit_test(test_copies),    cmocka_unit_test(test_surface),     cmocka_unit_test(test_surface_collides),
        cmocka_unit_test(test_materials), cmocka_unit_test(test_fill),        cmocka_unit_test(test_what_is_not_filled),
        cmocka_unit_test(test_skins),     cmocka_unit_test(test_rest_angles), cmocka_unit_test(test_order),
        cmocka_unit_test(test_shipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
