/* visviva info: what a run file, a mesh or a scene holds. */
#include "json.h"

#include <string.h>
#include <sys/stat.h>

void vv_cli_print_quality(FILE *out, const vvMesh *mesh, const vvMeshQuality *q)
{
    char text[VV_TEXT];
    fprintf(out, "    bounds (%.4g, %.4g, %.4g) to (%.4g, %.4g, %.4g) m\n", q->boundsMin[0], q->boundsMin[1],
            q->boundsMin[2], q->boundsMax[0], q->boundsMax[1], q->boundsMax[2]);
    if (mesh->tetCount > 0)
        fprintf(out,
                "    volume %.4g m3, surface %.4g m2; dihedral angles %.1f to %.1f deg, %d tets below 10 deg, worst "
                "aspect %.3g "
                "(tet %d), smallest tet %.3g m3\n",
                q->volume, q->area, q->minDihedral, q->maxDihedral, q->tetsBelow10Degrees, q->worstAspect, q->worstTet,
                q->minVolume);
    else if (mesh->triangleCount > 0)
        fprintf(out, "    area %.4g m2\n", q->area);
    if (mesh->triangleCount > 0)
        fprintf(out, "    shortest surface edge %s", vv_text_quantity(text, q->shortestEdge, "m"));
    if (mesh->triangleCount > 0)
        fprintf(out, ", mean %s\n", vv_text_quantity(text, q->meanEdge, "m"));
}

/* ---- a run ---- */

static void print_bodies(const vvRun *run)
{
    for (int i = 0; i < vvRunBodyCount(run); i++) {
        const vvRunBody *body = vvRunGetBody(run, i);
        printf("  %s \"%s\": ", body->kinematic ? "obstacle" : "body", body->name);
        if (body->affine)
            printf("affine, %d vertices and %d triangles on four nodes", body->vertexCount, body->drawnTriangleCount);
        else
            printf("%d nodes, %d tets, %d triangles, %d edges", body->nodeCount, body->tetCount, body->triangleCount,
                   body->edgeCount);
        if (body->pointCount)
            printf(", %d points", body->pointCount);
        putchar('\n');
    }
    for (int i = 0; i < vvRunObstacleCount(run); i++) {
        const double *values;
        int count;
        printf("  obstacle %s:", vvRunObstacle(run, i, &values, &count));
        for (int k = 0; k < count; k++)
            printf(" %.6g", values[k]);
        int samples[3];
        if (vvRunObstacleSamples(run, i, samples))
            printf(samples[2] > 1 ? ", %d x %d x %d samples" : ", %d x %d samples", samples[0], samples[1], samples[2]);
        putchar('\n');
    }
}

/* The time of a ledger row; NaN: it cannot be read. */
static double row_time(const vvRun *run, int row)
{
    vvLedgerRow at;
    return vvRunReadRows(run, row, 1, &at, NULL) == VV_OK ? at.time : NAN;
}

static void print_changes(const vvRun *run)
{
    enum { SHOWN = 20 };
    int row = 0, count = vvRunChangeCount(run);
    for (int i = 0; i < count && i < SHOWN; i++) {
        const char *text = vvRunChange(run, i, &row);
        printf("  continued with other settings at t = %.6g s: %s\n", row_time(run, row), text);
    }
    if (count > SHOWN)
        printf("  and %d times more (all with --json)\n", count - SHOWN);
}

/* By what the run was made, and what was said then. */
static void print_notes(const vvRun *run)
{
    int row = 0;
    if (vvRunMadeBy(run)[0])
        printf("  made by %s\n", vvRunMadeBy(run));
    for (int i = 0; i < vvRunNoteCount(run); i++) {
        const char *text = vvRunNote(run, i, &row);
        printf("  noted at t = %.6g s: %s\n", row_time(run, row), text);
    }
}

static vvStatus print_energy(const vvRun *run, vvError *error)
{
    vvLedgerRow first, last;
    char a[VV_TEXT], b[VV_TEXT];
    int rows = vvRunRowCount(run);
    if (rows < 1)
        return VV_OK;
    vvStatus status = vvRunReadRows(run, 0, 1, &first, error);
    if (status == VV_OK)
        status = vvRunReadRows(run, rows - 1, 1, &last, error);
    if (status != VV_OK)
        return status;
    printf("  ledger: %d rows; H from %s to %s", rows, vv_text_quantity(a, first.total, "J"),
           vv_text_quantity(b, last.total, "J"));
    if (last.scale > 0)
        printf(" (off target by %+.3g%% of S)", 100 * (last.total - last.target) / last.scale);
    putchar('\n');
    if (!vvRunShowsMotion(run))
        puts("  a file of an older version: its velocities are the state's own, which a policy may have corrected, not "
             "the motion");
    return VV_OK;
}

static json_t *run_bodies(const vvRun *run)
{
    json_t *list = json_array();
    for (int i = 0; i < vvRunBodyCount(run); i++) {
        const vvRunBody *b = vvRunGetBody(run, i);
        const bool a = b->affine; /* it is its surface */
        json_array_append_new(list, json_pack("{s:s, s:b, s:b, s:i, s:i, s:i, s:i, s:i}", "name", b->name, "obstacle",
                                              b->kinematic, "affine", a, "vertices", a ? b->vertexCount : b->nodeCount,
                                              "tets", a ? 0 : b->tetCount, "triangles",
                                              a ? b->drawnTriangleCount : b->triangleCount, "edges",
                                              a ? 0 : b->edgeCount, "points", b->pointCount));
    }
    return list;
}

static json_t *run_obstacles(const vvRun *run)
{
    json_t *list = json_array();
    for (int i = 0; i < vvRunObstacleCount(run); i++) {
        const double *values;
        int count;
        json_t *numbers = json_array();
        const char *type = vvRunObstacle(run, i, &values, &count);
        for (int k = 0; k < count; k++)
            json_array_append_new(numbers, vv_json_number(values[k]));
        json_t *row = json_pack("{s:s, s:o}", "type", type, "values", numbers);
        int samples[3];
        if (row && vvRunObstacleSamples(run, i, samples))
            json_object_set_new(row, "samples",
                                samples[2] > 1 ? json_pack("[i, i, i]", samples[0], samples[1], samples[2])
                                               : json_pack("[i, i]", samples[0], samples[1]));
        json_array_append_new(list, row);
    }
    return list;
}

static json_t *run_changes(const vvRun *run)
{
    json_t *list = json_array();
    int row = 0;
    for (int i = 0; i < vvRunChangeCount(run); i++) {
        const char *text = vvRunChange(run, i, &row);
        json_array_append_new(
            list, json_pack("{s:i, s:o, s:s}", "row", row, "time", vv_json_number(row_time(run, row)), "text", text));
    }
    return list;
}

static json_t *run_notes(const vvRun *run)
{
    json_t *list = json_array();
    int row = 0;
    for (int i = 0; i < vvRunNoteCount(run); i++) {
        const char *text = vvRunNote(run, i, &row);
        json_array_append_new(
            list, json_pack("{s:i, s:o, s:s}", "row", row, "time", vv_json_number(row_time(run, row)), "text", text));
    }
    return list;
}

static void add_run(json_t *json, const vvRun *run)
{
    int frames = vvRunFrameCount(run), rows = vvRunRowCount(run);
    vvRunLengths lengths;
    vvStiffness stiffness;
    vvLedgerRow first = { 0 }, last = { 0 };
    json_object_set_new(json, "kind", json_string("run"));
    json_object_set_new(json, "name", json_string(vvRunSceneName(run)));
    json_object_set_new(json, "status", json_string(vvRunStatusText(run)));
    json_object_set_new(json, "scheme", json_string(vvRunScheme(run)));
    json_object_set_new(json, "policy", json_string(vvRunPolicy(run)));
    json_object_set_new(json, "time_step", vv_json_number(vvRunTimeStep(run)));
    json_object_set_new(json, "frames", json_integer(frames));
    json_object_set_new(json, "lengths",
                        !vvRunGetLengths(run, &lengths)
                            ? json_null()
                            : json_pack("{s:f, s:f, s:f, s:f}", "length", lengths.length, "distance", lengths.distance,
                                        "tolerance", lengths.tolerance, "friction_speed", lengths.frictionSpeed));
    json_object_set_new(json, "stiffness",
                        vvRunGetStiffness(run, &stiffness) ? vv_json_stiffness(&stiffness) : json_null());
    json_object_set_new(json, "time_begin", frames > 0 ? vv_json_number(vvRunFrameTime(run, 0)) : json_null());
    json_object_set_new(json, "time_end", frames > 0 ? vv_json_number(vvRunFrameTime(run, frames - 1)) : json_null());
    json_object_set_new(json, "bodies", run_bodies(run));
    json_object_set_new(json, "obstacles", run_obstacles(run));
    json_object_set_new(json, "ledger_rows", json_integer(rows));
    json_object_set_new(json, "made_by", json_string(vvRunMadeBy(run)));
    json_object_set_new(json, "changes", run_changes(run));
    json_object_set_new(json, "notes", run_notes(run));
    if (rows < 1 || vvRunReadRows(run, 0, 1, &first, NULL) || vvRunReadRows(run, rows - 1, 1, &last, NULL))
        return;
    json_object_set_new(json, "energy_start", vv_json_energies(&first));
    json_object_set_new(json, "energy_end", vv_json_energies(&last));
    json_object_set_new(json, "target_end", vv_json_number(last.target));
    json_object_set_new(json, "scale", vv_json_number(last.scale));
}

static int info_run(const char *path, bool scene, const char *fields, json_t *json)
{
    vvRun *run = NULL;
    vvRunLengths lengths;
    vvStiffness stiffness;
    vvError error = { 0 };
    if (vvRunOpen(path, &run, &error))
        return vv_cli_error(&error);
    int code = VV_EXIT_OK;
    if (scene) {
        fputs(vvRunSceneText(run), stdout);
    } else {
        int frames = vvRunFrameCount(run);
        printf("run of \"%s\": %s\n", vvRunSceneName(run), vvRunStatusText(run));
        printf("  %s, policy %s, h = %.6g s\n", vvRunScheme(run), vvRunPolicy(run), vvRunTimeStep(run));
        if (vvRunGetLengths(run, &lengths))
            vv_cli_print_lengths(&lengths);
        if (vvRunGetStiffness(run, &stiffness))
            vv_cli_print_stiffness(&stiffness);
        if (frames > 0)
            printf("  %d frame%s, t = %.6g to %.6g s\n", frames, frames == 1 ? "" : "s", vvRunFrameTime(run, 0),
                   vvRunFrameTime(run, frames - 1));
        print_bodies(run);
        print_changes(run);
        print_notes(run);
        if (print_energy(run, &error))
            code = vv_cli_error(&error);
        if (code == VV_EXIT_OK && fields && (code = vv_cli_print_fields(path, run, fields)) == VV_CLI_GO)
            code = VV_EXIT_OK;
    }
    if (json)
        add_run(json, run);
    vvRunFree(run);
    return code;
}

/* ---- a scene, a mesh ---- */

static int info_scene(const char *path, bool whole, json_t *json)
{
    vvScene *scene = NULL;
    vvError error = { 0 };
    if (vvSceneLoad(path, NULL, 0, &scene, &error))
        return vv_cli_error(&error);
    vvSceneTime time = vvSceneGetTime(scene);
    if (!whole)
        printf("scene \"%s\": %.0f steps of %.6g s to t = %.6g s (visviva check says more)\n", vvSceneName(scene),
               ceil((time.end - time.begin) / time.step - 1e-9), time.step, time.end);
    fputs(vvSceneText(scene), stdout);
    if (json) {
        json_object_set_new(json, "kind", json_string("scene"));
        json_object_set_new(json, "name", json_string(vvSceneName(scene)));
        json_object_set_new(json, "time",
                            json_pack("{s:f, s:f, s:f, s:i}", "step", time.step, "begin", time.begin, "end", time.end,
                                      "record_every", time.recordEvery));
        json_object_set_new(json, "scene", json_loads(vvSceneText(scene), 0, NULL));
    }
    vvSceneDestroy(scene);
    return VV_EXIT_OK;
}

static void add_mended(json_t *json, const vvMeshNotes *n)
{
    const struct {
        const char *name;
        int count;
    } counts[] = { { "components", n->components },
                   { "open_edges", n->openEdges },
                   { "crowded_edges", n->crowdedEdges },
                   { "one_sided_parts", n->oneSidedParts } },
      mended[] = { { "inverted_tets", n->flippedTets },
                   { "duplicate_vertices", n->duplicateVertices },
                   { "unused_vertices", n->unusedVertices },
                   { "collapsed_triangles", n->droppedTriangles },
                   { "flat_triangles", n->mendedTriangles },
                   { "inner_triangles", n->innerTriangles },
                   { "stray_points", n->droppedPoints },
                   { "turned_triangles", n->turnedTriangles },
                   { "near_vertices", n->nearVertices },
                   { "repeated_triangles", n->repeatedTriangles },
                   { "dropped_flat_triangles", n->flatTriangles },
                   { "crossed_faces", n->crossedFaces },
                   { "straightened_elements", n->straightened } };
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        json_object_set_new(json, counts[i].name, json_integer(counts[i].count));
    for (size_t i = 0; i < sizeof mended / sizeof *mended; i++)
        json_object_set_new(object, mended[i].name, json_integer(mended[i].count));
    json_object_set_new(json, "mended", object);
}

static void show_groups(const vvMesh *mesh, json_t *json)
{
    static const char *const kinds[] = { "points", "edges", "triangles", "tets" };
    json_t *list = json ? json_array() : NULL;
    for (int g = 0; g < mesh->groupCount; g++) {
        const vvMeshGroup *group = mesh->groups + g;
        printf("  group \"%s\": %s, %d vertices", group->name, kinds[group->dimension], group->vertexCount);
        if (group->triangleCount)
            printf(", %d triangles", group->triangleCount);
        if (group->tetCount)
            printf(", %d tets", group->tetCount);
        printf("\n");
        if (list)
            json_array_append_new(list, json_pack("{s:s, s:s, s:i, s:i, s:i}", "name", group->name, "elements",
                                                  kinds[group->dimension], "vertices", group->vertexCount, "triangles",
                                                  group->triangleCount, "tets", group->tetCount));
    }
    if (list)
        json_object_set_new(json, "groups", list);
}

static int info_mesh(const char *path, json_t *json)
{
    vvMesh mesh;
    vvMeshNotes notes = { 0 };
    vvMeshQuality quality;
    vvError error = { 0 };
    vv_cli_phase("info: reading %s", path);
    if (vvMeshRead(path, &mesh, &notes, &error))
        return vv_cli_error(&error);
    vvMeshMeasure(&mesh, &quality);
    printf("mesh: %d vertices, %d tets, %d triangles, %d edges", mesh.vertexCount, mesh.tetCount, mesh.triangleCount,
           mesh.edgeCount);
    if (mesh.pointCount)
        printf(", %d points", mesh.pointCount);
    printf(", %d component%s\n", notes.components, notes.components == 1 ? "" : "s");
    vv_cli_print_quality(stdout, &mesh, &quality);
    vv_cli_print_mended(stdout, &notes, mesh.tetCount > 0);
    if (json) {
        json_object_set_new(json, "kind", json_string("mesh"));
        vv_json_add_mesh(json, &mesh, &quality);
        add_mended(json, &notes);
    }
    show_groups(&mesh, json);
    vvMeshDestroy(&mesh);
    return VV_EXIT_OK;
}

/* A scene is JSON: its first character is a brace. (So is glTF, which has an ending of its own.) */
static bool is_scene(const char *path)
{
    struct stat about;
    bool regular = stat(path, &about) == 0 && S_ISREG(about.st_mode); /* a pipe would block, or lose what was read */
    FILE *file = regular ? fopen(path, "rb") : NULL;
    int c = file ? getc(file) : EOF;
    if (c == 0xEF && file) { /* a byte order mark */
        getc(file);
        getc(file);
        c = getc(file);
    }
    for (int i = 0; file && i < 4096 && (c == ' ' || c == '\n' || c == '\r' || c == '\t'); i++)
        c = getc(file);
    if (file)
        fclose(file);
    const char *dot = strrchr(path, '.');
    return (c == '{' && !(dot && strcmp(dot, ".gltf") == 0)) || (dot && strcmp(dot, ".json") == 0);
}

static int info(const char *path, bool scene, const char *fields, json_t *json)
{
    const char *ending = strrchr(path, '.');
    if (vv_cli_is_run_file(path) || (ending && strcmp(ending, ".vtkhdf") == 0))
        return info_run(path, scene, fields, json);
    if (fields)
        return vv_cli_wrong("info: --fields is for run files, and %s is not one", path);
    if (is_scene(path))
        return info_scene(path, scene, json);
    return scene ? vv_cli_wrong("%s is neither a run nor a scene", path) : info_mesh(path, json);
}

int vv_cli_info(int argc, char **argv)
{
    const char *path, *fields = NULL;
    char found[VV_SCENE_ROOM];
    bool scene = false, as_json = false;
    int count;
    const vv_option options[] = {
        { "--scene", 0, VV_OPTION_FLAG, &scene, NULL,
          "for a run or a scene: only the scene, as JSON, with overrides applied", 0, 0 },
        { "--fields", 0, VV_OPTION_TEXT, &fields, "NAMES",
          "of a run: the extremes of fields at its last frame, with their places; comma-separated, such as "
          "von-mises,strain (`visviva list fields`); and the force of each attachment",
          0, 0 },
        { "--json", 0, VV_OPTION_FLAG, &as_json, NULL, "prints the contents as JSON (docs/json.md)", 0, 0 },
        { .name = NULL },
    };
    const vv_command_line line = {
        .usage = "FILE [--scene|--json|--fields NAMES]",
        .summary = "Shows the contents of a file: a run file, a mesh (in any format that can be read) or a scene.",
        .examples = "  visviva info out/rotating-cube.vtkhdf\n  visviva info meshes/cactus_5k.msh\n"
                    "  visviva info out/rotating-cube.vtkhdf --scene > again.json",
        .options = options,
        .least = 1,
        .most = 1,
    };
    int code = vv_cli_parse(&line, argc, argv, &path, &count);
    if (code != VV_CLI_GO)
        return code;
    if (scene && as_json)
        return vv_cli_wrong("info: give --scene or --json, not both");
    json_t *json = NULL;
    if (as_json) {
        json = json_object();
        vv_json_begin();
    }
    code = vv_cli_find_scene(&path, found);
    if (code == VV_CLI_GO)
        code = info(path, scene, fields, json);
    return as_json ? vv_json_end(json, code) : code;
}
