/* visviva check: everything about a scene that is known before the first step; for a run, whether surfaces intersect. */
#include "cli.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct check_options {
    const char *scene, *mesh;
    vv_option_list sets;
    int threads;
} check_options;

static int read_options(check_options *o, int argc, char **argv)
{
    const vv_option options[] = {
        { "--set", 0, VV_OPTION_LIST, &o->sets, "PATH=VALUE", "overrides a value of the scene; may be repeated", 0, 0 },
        { "--threads", 0, VV_OPTION_INTEGER, &o->threads, "N", "0: as many as there are cores", 0, 1024 },
        { "--output", 'o', VV_OPTION_TEXT, &o->mesh, "FILE", "the mesh of what intersects; default: out/NAME-intersections.ply",
          0, 0 },
        { .name = NULL },
    };
    const vv_command_line line = {
        .usage = "SCENE|RUN [options]",
        .summary =
            "Validates a scene and describes it: mesh quality of each body, whether the start is free of penetration and\n"
            "inversion, and the energies at the start. If bodies intersect, it lists them and writes a mesh that shows where,\n"
            "in red.\n"
            "For a run file it tests every frame: that no surfaces intersect, exactly, and that all positions are finite.\n"
            "Exit codes: 0 no faults, 1 a frame of the run has faults, 2 wrong options or input.",
        .examples = "  visviva check scenes/bouncing-ball.json\n"
                    "  visviva check out/bouncing-ball.vtkhdf\n"
                    "  visviva check scenes/suspended-armadillo.json --set bodies[0].mesh.file=armadillo.msh",
        .options = options,
        .least = 1,
        .most = 1,
    };
    int count;
    *o = (check_options){ .threads = 0 };
    return vv_cli_parse(&line, argc, argv, &o->scene, &count);
}

/* ---- bodies ---- */

static int *shifted(const int *indices, int count, int first)
{
    int *copy = malloc((size_t)(count > 0 ? count : 1) * sizeof *copy);
    for (int i = 0; copy && i < count; i++)
        copy[i] = indices[i] - first;
    return copy;
}

/* The body as a mesh of its own, to be measured; the arrays of indices are fresh (but points have none), the positions are the
 * world's. */
static bool body_mesh(const vvWorld *world, int index, vvMesh *mesh)
{
    vvBodyElements elements;
    int first, count;
    vvBodyId body = vvWorldBody(world, index);
    vvBodyNodes(world, body, &first, &count);
    vvBodyGetElements(world, body, &elements);
    *mesh = (vvMesh){ .vertexCount = count, .tetCount = elements.tetCount, .triangleCount = elements.triangleCount,
                      .edgeCount = elements.edgeCount, .pointCount = elements.pointCount,
                      .positions = (double *)(uintptr_t)(vvWorldPositions(world) + 3 * (size_t)first) };
    mesh->tets = shifted(elements.tets, 4 * elements.tetCount, first);
    mesh->triangles = shifted(elements.triangles, 3 * elements.triangleCount, first);
    mesh->edges = shifted(elements.edges, 2 * elements.edgeCount, first);
    return mesh->tets && mesh->triangles && mesh->edges;
}

/* What distinguishes one body's mesh from another's, wherever they are placed. */
typedef struct shape {
    int nodes, tets, triangles, edges; /* of an obstacle the mass is 0 */
    double mass, volume, area;
} shape;

static bool same_shape(const shape *a, const shape *b)
{
    return a->nodes == b->nodes && a->tets == b->tets && a->triangles == b->triangles && a->edges == b->edges &&
           fabs(a->mass - b->mass) <= 1e-9 * a->mass && fabs(a->volume - b->volume) <= 1e-9 * fabs(a->volume) &&
           fabs(a->area - b->area) <= 1e-9 * a->area;
}

static void print_equal(const vvWorld *world, int first, int last)
{
    if (last > first)
        printf("    with the same mesh: \"%s\"", vvBodyName(world, vvWorldBody(world, first + 1)));
    if (last > first + 1)
        printf(" to \"%s\" (%d bodies)", vvBodyName(world, vvWorldBody(world, last)), last - first);
    if (last > first)
        putchar('\n');
}

/* Bodies like the one before are only counted; *group is the first of these. */
static void print_body(const vvWorld *world, int index, shape *last, int *group)
{
    vvMesh mesh;
    vvMeshQuality q;
    const double *mass = vvWorldMasses(world);
    int first, count;
    double total = 0;
    vvBodyNodes(world, vvWorldBody(world, index), &first, &count);
    for (int i = 0; i < count; i++)
        total += mass[first + i];
    if (body_mesh(world, index, &mesh)) {
        vvMeshMeasure(&mesh, &q);
        shape now = { mesh.vertexCount, mesh.tetCount, mesh.triangleCount, mesh.edgeCount, total, q.volume, q.area };
        if (index == 0 || !same_shape(&now, last)) {
            print_equal(world, *group, index - 1);
            bool obstacle = vvBodyIsKinematic(world, vvWorldBody(world, index));
            printf("  %s \"%s\": %d nodes, %d tets, %d triangles, %d edges", obstacle ? "obstacle" : "body",
                   vvBodyName(world, vvWorldBody(world, index)), mesh.vertexCount, mesh.tetCount, mesh.triangleCount,
                   mesh.edgeCount);
            if (mesh.pointCount)
                printf(", %d points", mesh.pointCount);
            if (!obstacle)
                printf(", %.4g kg", total);
            putchar('\n');
            vv_cli_print_quality(stdout, &mesh, &q);
            *group = index;
        }
        *last = now;
    }
    free(mesh.tets);
    free(mesh.triangles);
    free(mesh.edges);
}

/* The scene's text without its initial states; NULL: no memory. */
static char *text_at_rest(const vvScene *scene)
{
    json_t *root = json_loads(vvSceneText(scene), 0, NULL), *body;
    size_t i;
    json_array_foreach(json_object_get(root, "bodies"), i, body) {
        json_object_del(body, "start");
        json_object_del(body, "velocity");
    }
    char *text = root ? json_dumps(root, JSON_REAL_PRECISION(17)) : NULL;
    json_decref(root);
    return text;
}

/* Describes the meshes as placed, at rest. */
static vvStatus print_bodies(const vvScene *moving, const check_options *o, vvError *error)
{
    vvScene *scene = NULL;
    vvWorld *world = NULL;
    char *text = text_at_rest(moving);
    vvStatus status = text ? vvSceneParse(text, o->scene, NULL, NULL, 0, &scene, error) : VV_ERROR_MEMORY;
    if (!status)
        status = vvSceneCreateWorld(scene, o->threads, &world, error);
    shape last = { 0 };
    int count = status ? 0 : vvWorldBodyCount(world), group = 0;
    for (int i = 0; i < count; i++)
        print_body(world, i, &last, &group);
    print_equal(world, group, count - 1);
    vvWorldDestroy(world);
    vvSceneDestroy(scene);
    free(text);
    return status;
}

/* ---- the start ---- */

static int count_mesh_obstacles(const vvWorld *world)
{
    int count = 0;
    for (int i = 0; i < vvWorldBodyCount(world); i++)
        count += vvBodyIsKinematic(world, vvWorldBody(world, i));
    return count;
}

/* Parameters of the scheme and the policy, as they are in use. */
static void print_settings(const vvIntegratorDef *d)
{
    for (int i = 0; i < d->settingCount; i++) {
        const vvSetting *s = d->settings + i;
        int count, size = 1;
        for (int pass = 0; pass < 2; pass++)
            for (int row = 0; pass ? vvPolicyInfo(row) != NULL : vvSchemeInfo(row) != NULL; row++) {
                const vvParam *params = pass ? vvPolicyParams(row, &count) : vvSchemeParams(row, &count);
                for (int p = 0; p < count; p++)
                    size = strcmp(params[p].name, s->name) == 0 ? params[p].size : size;
            }
        printf("%s%s ", i ? ", " : " (", s->name);
        if (s->choice)
            fputs(s->choice, stdout);
        for (int k = 0; k < size && !s->choice; k++)
            printf("%s%.6g", k ? " to " : "", s->value[k]);
    }
    if (d->settingCount)
        printf(")");
}

static void print_start(vvWorld *world, const vvLedgerRow *row)
{
    char text[VV_TEXT];
    const vvWorldDef *def = vvWorldGetDef(world);
    const struct {
        const char *name;
        double energy;
    } parts[] = { { "kinetic", row->kinetic }, { "elastic", row->elastic }, { "gravity", row->gravity },
                  { "contact", row->contact }, { "attachments", row->attachment }, { "total H", row->total } };
    printf("  obstacles: %d; contact: %s", vvWorldObstacleCount(world) + count_mesh_obstacles(world), def->contact.model);
    if (strcmp(def->contact.model, "none") != 0)
        printf(" below %s, %.4g Pa", vv_text_quantity(text, def->contact.distance, "m"), def->contact.stiffness);
    if (strcmp(def->contact.model, "none") != 0 && def->contact.frictionSpeed > 0) /* chosen where anything has friction */
        printf("; friction smoothed below %.4g m/s", def->contact.frictionSpeed);
    putchar('\n');
    vv_cli_print_friction(world);
    if (strcmp(def->contact.model, "none") != 0 && vv_cli_loose(def))
        printf("  a step of solver.tolerance (m/s) times h is longer than contact.distance: choose a smaller tolerance\n");
    printf("  integrator: %s, policy %s", def->integrator.scheme, def->integrator.policy);
    print_settings(&def->integrator);
    printf(", h = %.6g s; solver: %s, %s\n", def->timeStep, def->solver.method, def->solver.linear);
    printf("  energies at the start:");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        printf("%s %s %s", i ? "," : "", parts[i].name, vv_text_quantity(text, parts[i].energy, "J"));
    printf("\n  ground level: %s", isfinite(row->groundEnergy) ? vv_text_quantity(text, row->groundEnergy, "J") :
                                   def->integrator.groundMode == VV_GROUND_AUTO ? "not needed, so not solved for" : "none");
    printf("; scale S: %s\n", vv_text_quantity(text, row->scale, "J"));
    if (isfinite(row->minGap))
        printf("  smallest gap: %s\n", vv_text_quantity(text, row->minGap, "m"));
    puts(strcmp(def->contact.model, "none") == 0 ? "  nothing can collide" : "  the start is free of penetration and intersection");
}

static int start_error(const check_options *o, const vvScene *scene, vvWorld *world, const vvError *error)
{
    char name[256], mesh[400];
    vv_cli_stem(o->scene, name, sizeof name);
    snprintf(mesh, sizeof mesh, "out/%s-intersections.ply", name);
    return vv_cli_start_error(o->scene, scene, world, o->mesh ? o->mesh : mesh, error);
}

/* Notes while the scene becomes a world. */
static void print_note(void *user, vvLogLevel level, const char *message)
{
    (void)level;
    if (*(const bool *)user)
        printf("note: %s\n", message);
}

int vv_cli_check(int argc, char **argv)
{
    check_options options;
    vvError error = { 0 };
    vvScene *scene = NULL;
    vvWorld *world = NULL;
    vvLedgerRow row;
    bool making = true;
    vvHost host = { .log = { print_note, &making } };
    vv_waiting waiting = { .command = "check", VV_WAITING_GROUND };
    int code = read_options(&options, argc, argv);
    if (code != VV_CLI_GO)
        return code;
    vv_cli_catch_interrupt();
    if (vv_cli_is_run_file(options.scene))
        return options.sets.count ? vv_cli_wrong("%s is a run file; --set is for scenes", options.scene)
                                  : vv_cli_check_run(options.scene, options.mesh);
    vvStatus status = vvSceneLoad(options.scene, options.sets.values, options.sets.count, &scene, &error);
    if (!status)
        status = vvSceneCreateHostedWorld(scene, options.threads, &host, &world, &error);
    if (!status) {
        vvSceneTime time = vvSceneGetTime(scene);
        vvWorldSetCancel(world, vv_cli_cancel_waiting, &waiting);
        making = false;
        printf("%s: %.0f steps of %.6g s to t = %.6g s, a frame every %d\n", vvSceneName(scene),
               ceil((time.end - time.begin) / time.step - 1e-9), time.step, time.end, time.recordEvery);
        status = print_bodies(scene, &options, &error);
        fflush(stdout);
    }
    bool baked = !status; /* messages of failures from here on do not name the file */
    if (!status)
        status = vvWorldBake(world, &error);
    vv_waiting_finish(&waiting);
    if (!status)
        status = vvWorldLedger(world, &row, &error);
    if (!status)
        print_start(world, &row);
    code = !status ? VV_EXIT_OK : baked ? start_error(&options, scene, world, &error) : vv_cli_error(&error);
    vvWorldDestroy(world);
    vvSceneDestroy(scene);
    return code;
}
