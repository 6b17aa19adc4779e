/* visviva settle: the static equilibrium of a scene, its energy, and the shape as a run file. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double farthest(const vvWorld *world, const double *before)
{
    const double *x = vvWorldPositions(world);
    double most = 0;
    for (int i = 0; i < vvWorldNodeCount(world); i++) {
        double d[3] = { x[3 * i] - before[3 * i], x[3 * i + 1] - before[3 * i + 1], x[3 * i + 2] - before[3 * i + 2] };
        most = fmax(most, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
    }
    return most;
}

/* A run of two frames: the start and the equilibrium, in which the world is. */
static vvStatus write_run(const char *path, vvWorld *world, const vvScene *scene, const vvSnapshot *start,
                          vvError *error)
{
    vvRunWriter *writer = NULL;
    vvSnapshot *rest = NULL;
    vvStatus status = vvWorldSnapshot(world, &rest, error);
    if (status == VV_OK)
        status = vvWorldRestore(world, start, error);
    if (status == VV_OK)
        status = vvRunCreate(path, world, vvSceneName(scene), vvSceneText(scene), &writer, error);
    if (status == VV_OK)
        status = vvRunAddFrame(writer, world, error);
    if (status == VV_OK)
        status = vvWorldRestore(world, rest, error);
    if (status == VV_OK)
        status = vvRunAddFrame(writer, world, error);
    if (writer) {
        vvStatus closed = vvRunClose(writer, status == VV_OK ? "done" : "failed", status == VV_OK ? error : NULL);
        status = status == VV_OK ? closed : status;
    }
    vvSnapshotDestroy(rest);
    return status;
}

static void print_warning(void *user, vvLogLevel level, const char *message)
{
    (void)user;
    if (level == VV_LOG_WARNING)
        vv_cli_warn("%s", message);
}

static int settle(const char *path, const vvScene *scene, vvWorld *world, const char *output, vvError *error)
{
    double energy = 0, begin = vv_cli_seconds();
    if (output && vv_cli_check_run_output(output) != VV_CLI_GO)
        return VV_EXIT_WRONG;
    vvWorldSetCancel(world, vv_cli_cancel, NULL);
    vv_cli_phase("settle: preparing %d nodes", vvWorldNodeCount(world));
    if (vvWorldBake(world, error) != VV_OK) {
        char name[256], run[4200], mesh[4300];
        vv_cli_stem(path, name, sizeof name);
        snprintf(run, sizeof run, output ? "%.4000s" : "out/%.4000s", output ? output : name);
        vv_hits_path(run, mesh, sizeof mesh);
        return vv_cli_start_error(path, scene, world, mesh, error);
    }
    size_t bytes = 3 * (size_t)vvWorldNodeCount(world) * sizeof(double);
    vvSnapshot *snapshot = NULL;
    double *start = malloc(bytes);
    if (!start)
        return vv_cli_wrong("out of memory");
    memcpy(start, vvWorldPositions(world), bytes);
    if (vvWorldSnapshot(world, &snapshot, error) != VV_OK) {
        free(start);
        return vv_cli_error(error);
    }
    int code = VV_EXIT_OK;
    vv_cli_phase("settle: looking for the equilibrium");
    vvStatus settled = vvWorldSettle(world, true, &energy, error);
    vv_cli_phase(NULL);
    if (settled != VV_OK) {
        code = vv_cli_error(error);
    } else {
        char text[VV_TEXT], moved[VV_TEXT], took[VV_TEXT];
        printf("equilibrium of %s: energy %.9g J (%s), farthest node moved %s, in %s\n", vvSceneName(scene), energy,
               vv_text_quantity(text, energy, "J"), vv_text_quantity(moved, farthest(world, start), "m"),
               vv_text_duration(took, vv_cli_seconds() - begin));
        printf("to use it as ground level: --set integrator.ground_energy=%.9g\n", energy);
        if (output && (!vv_cli_make_folders(output) || write_run(output, world, scene, snapshot, error) != VV_OK))
            code = error->status == VV_OK || vv_cli_error(error) ? VV_EXIT_FAILED : VV_EXIT_OK;
        else if (output)
            printf("start and equilibrium: %s\n", output);
    }
    vvSnapshotDestroy(snapshot);
    free(start);
    return code;
}

/* The scene with an arbitrary ground level, so that it is not solved for twice. */
static vvStatus load_quick(const char *path, const vv_option_list *sets, vvScene **scene, vvError *error)
{
    vv_option_list quick = *sets;
    if (quick.count < VV_OPTION_LIST_MAX)
        quick.values[quick.count++] = "integrator.ground_energy=0";
    return vvSceneLoad(path, quick.values, quick.count, scene, error);
}

int vv_cli_settle(int argc, char **argv)
{
    vv_option_list sets = { .count = 0 };
    const char *output = NULL, *path = NULL;
    char found[VV_SCENE_ROOM];
    int threads = 0, count = 0;
    const vv_option options[] = {
        { "--set", 0, VV_OPTION_LIST, &sets, "PATH=VALUE", "overrides a value of the scene; may be repeated", 0, 0 },
        { "--output", 'o', VV_OPTION_TEXT, &output, "FILE", "writes start and equilibrium as a run file", 0, 0 },
        { "--threads", 0, VV_OPTION_INTEGER, &threads, "N", "0: as many as there are cores", 0, 1024 },
        { NULL, 0, VV_OPTION_FLAG, NULL, NULL, NULL, 0, 0 }
    };
    const vv_command_line line = {
        "SCENE [options]",
        "Finds where the bodies come to rest under gravity, attachments and obstacles, by steps without\n"
        "velocity that grow longer and longer. The energy there is the ground level that a decay aims at.",
        "  visviva settle twisted-bar -o out/settled.vtkhdf",
        options,
        1,
        1
    };
    int code = vv_cli_parse(&line, argc, argv, &path, &count);
    if (code == VV_CLI_GO)
        code = vv_cli_want_scene(&path, found);
    if (code != VV_CLI_GO)
        return code;
    vvError error = { 0 };
    vvScene *scene = NULL, *quick = NULL;
    vvWorld *world = NULL;
    const vvHost host = { .log = { print_warning, NULL } };
    vv_cli_catch_interrupt();
    vv_cli_phase("settle: reading %s", path);
    vvStatus status = vvSceneLoad(path, sets.values, sets.count, &scene, &error);
    if (status == VV_OK)
        status = load_quick(path, &sets, &quick, &error);
    if (status == VV_OK)
        status = vvSceneCreateHostedWorld(quick, threads, &host, &world, &error);
    code = status == VV_OK ? settle(path, scene, world, output, &error) : vv_cli_error(&error);
    vvWorldDestroy(world);
    vvSceneDestroy(quick);
    vvSceneDestroy(scene);
    return code;
}
