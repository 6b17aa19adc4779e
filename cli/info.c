/* visviva info: what a run file, a mesh or a scene holds. */
#include "cli.h"

#include <math.h>
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
        printf("  %s \"%s\": %d nodes, %d tets, %d triangles, %d edges", body->kinematic ? "obstacle" : "body", body->name,
               body->nodeCount, body->tetCount, body->triangleCount, body->edgeCount);
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
        putchar('\n');
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
    if (!status)
        status = vvRunReadRows(run, rows - 1, 1, &last, error);
    if (status)
        return status;
    printf("  ledger: %d rows; H from %s to %s", rows, vv_text_quantity(a, first.total, "J"),
           vv_text_quantity(b, last.total, "J"));
    if (last.scale > 0)
        printf(" (off target by %+.3g%% of S)", 100 * (last.total - last.target) / last.scale);
    putchar('\n');
    if (!vvRunShowsMotion(run))
        puts("  a file of an older version: its velocities are the state's own, which a policy may have corrected, not the motion");
    return VV_OK;
}

static int info_run(const char *path, bool scene)
{
    vvRun *run = NULL;
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
        if (frames > 0)
            printf("  %d frames, t = %.6g to %.6g s\n", frames, vvRunFrameTime(run, 0),
                   vvRunFrameTime(run, frames - 1));
        print_bodies(run);
        if (print_energy(run, &error))
            code = vv_cli_error(&error);
    }
    vvRunFree(run);
    return code;
}

/* ---- a scene, a mesh ---- */

static int info_scene(const char *path, bool whole)
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
    vvSceneDestroy(scene);
    return VV_EXIT_OK;
}

static int info_mesh(const char *path)
{
    vvMesh mesh;
    vvMeshNotes notes = { 0 };
    vvMeshQuality quality;
    vvError error = { 0 };
    if (vvMeshRead(path, &mesh, &notes, &error))
        return vv_cli_error(&error);
    vvMeshMeasure(&mesh, &quality);
    printf("mesh: %d vertices, %d tets, %d triangles, %d edges", mesh.vertexCount, mesh.tetCount, mesh.triangleCount,
           mesh.edgeCount);
    if (mesh.pointCount)
        printf(", %d points", mesh.pointCount);
    printf(", %d component%s\n", notes.components, notes.components == 1 ? "" : "s");
    vv_cli_print_quality(stdout, &mesh, &quality);
    if (notes.flippedTets || notes.duplicateVertices || notes.unusedVertices)
        printf("    mended at reading: %d inverted tets, %d duplicate vertices, %d unused vertices\n",
               notes.flippedTets, notes.duplicateVertices, notes.unusedVertices);
    if (notes.droppedTriangles)
        printf("    dropped at reading: %d triangles with two corners at one position\n", notes.droppedTriangles);
    if (notes.mendedTriangles)
        printf("    mended at reading: %d triangles with their corners on one line\n", notes.mendedTriangles);
    if (notes.innerTriangles)
        printf("    dropped at reading: %d triangles between the tets, not on their boundary\n", notes.innerTriangles);
    if (notes.droppedPoints)
        printf("    dropped at reading: %d points beside other elements\n", notes.droppedPoints);
    if (notes.openEdges)
        printf("    the surface is open: %d border edges\n", notes.openEdges);
    vvMeshDestroy(&mesh);
    return VV_EXIT_OK;
}

/* A scene is JSON: its first character is a brace. */
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
    return c == '{' || (dot && strcmp(dot, ".json") == 0);
}

int vv_cli_info(int argc, char **argv)
{
    const char *path;
    bool scene = false;
    int count;
    const vv_option options[] = {
        { "--scene", 0, VV_OPTION_FLAG, &scene, NULL,
          "for a run or a scene: only the scene, as JSON, with overrides applied", 0, 0 },
        { .name = NULL },
    };
    const vv_command_line line = {
        .usage = "FILE [--scene]",
        .summary = "Shows what a file holds: a run file, a mesh (in any format that can be read) or a scene.",
        .examples = "  visviva info out/rotating-cube.vtkhdf\n  visviva info meshes/cactus_5k.msh\n"
                    "  visviva info out/rotating-cube.vtkhdf --scene > again.json",
        .options = options,
        .least = 1,
        .most = 1,
    };
    int code = vv_cli_parse(&line, argc, argv, &path, &count);
    if (code != VV_CLI_GO)
        return code;
    const char *ending = strrchr(path, '.');
    if (vv_cli_is_run_file(path) || (ending && strcmp(ending, ".vtkhdf") == 0))
        return info_run(path, scene);
    if (is_scene(path))
        return info_scene(path, scene);
    return scene ? vv_cli_wrong("%s is neither a run nor a scene", path) : info_mesh(path);
}
